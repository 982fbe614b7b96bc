"""Grades, repairs, hard word pairs, communication matrices, and the ranking of encodings."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from math import comb
from string import ascii_lowercase

import pytest
from theory_generators import TELLING, random_languages

from lengthwise.cli.main import main
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.measures import size_of
from lengthwise.crasp.parser import parse_program
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.evidence.measured import measured_cells
from lengthwise.languages.catalog import LANGUAGES, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import measured_for, predict
from lengthwise.predict.recommend import BOUNDED, RELATED, recommend
from lengthwise.tasks.core.bounds import BOUNDS
from lengthwise.tasks.core.catalog import TASKS
from lengthwise.theory.adversarial import MAX_LETTERS, adversarial_pairs
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.communication import count_rows, measure_growth
from lengthwise.theory.deciders import decide, decide_plain
from lengthwise.theory.facts import Facts
from lengthwise.theory.grades import MAX_EXTRACTED_VERTICES, RECORDS, grade
from lengthwise.theory.repairs import MAX_SPLIT_TRIES, Repair, find_repairs, split_symbols
from lengthwise.theory.verdict import Verdict

NAMED = [entry.language for entry in LANGUAGES.values()] + [compile_regex(text) for text in TELLING]


def ask(language: DFA, fragment: Fragment, readout: Readout | None = None, asked: Asked = Asked.MEMBERSHIP) -> Verdict:
    return decide(Facts(language=language, asked=asked), fragment, readout)


# Grades


def test_a_yes_has_a_grade_and_nothing_else_does() -> None:
    for language in NAMED:
        for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment)
            found = grade(verdict.certificate)
            assert (found is not None) == (verdict.answer is Answer.YES and verdict.certificate is not None)
            if found is not None:
                assert found.level == verdict.level
                assert found.is_weak == (found.level >= 2)


@pytest.mark.parametrize(
    ("text", "level", "chain", "values"),
    [("a*b*", 0, 3, 1), ("(ab)*", 1, 2, 2), ("(ab|bbaa)*", 2, 2, 4), ("(a(a(ab)*b)*b)*", 1, 2, 4), ("aaa", 0, 5, 1)],
)
def test_grades_of_small_languages_are_what_one_counts_by_hand(text: str, level: int, chain: int, values: int) -> None:
    found = grade(decide_plain(compile_regex(text)).certificate)
    assert found is not None
    assert (found.level, found.chain, found.counter_range) == (level, chain, values)
    assert found.size is not None


def test_a_grade_quotes_the_public_record_of_its_level() -> None:
    found = grade(decide_plain(compile_regex("(ab)*")).certificate)
    assert found is not None
    assert found.record() == (
        "Published for level 1: of models that fit, the median configuration is right on 93 % of words at three times the "
        "training length, the best on 100 % (training logs of arXiv 2608.13433, main suite, trained to length 50)."
    )


def test_the_public_record_is_quoted_as_it_was_measured() -> None:
    figures = {
        name: (record.num_languages, record.at_100, record.at_150, record.at_500) for name, record in RECORDS.items()
    }
    assert figures == {  # languages; the best and the median configuration, for each bin of lengths
        "level 0": (32, (1.00, 0.95), (1.00, 0.84), (1.00, 0.70)),
        "level 1": (32, (1.00, 1.00), (1.00, 0.93), (0.97, 0.22)),
        "level 2": (1, (1.00, 0.68), (0.93, 0.00), (0.00, 0.00)),
        "NO": (60, (0.63, 0.31), (0.26, 0.01), (0.01, 0.00)),
    }


def test_a_given_program_is_graded_by_what_can_be_read_off_it() -> None:
    program = parse_program("alphabet 'a' 'b'\naccept := 3*#['a'] - 2*#['b'] > 0 and #['a'] > 1")
    found = grade(decide(Facts(program=program), Fragment.PLAIN).certificate)
    assert found is not None
    assert (found.level, found.depth, found.size) == (1, 1, size_of(program))
    assert (found.chain, found.counter_range, found.largest_coefficient) == (None, None, 3)
    assert found.summary() == f"level 1, largest coefficient 3, a program of size {found.size} and depth 1"


def test_no_program_is_extracted_from_a_very_large_certificate() -> None:
    longest = MAX_EXTRACTED_VERTICES - 2  # a word of n letters has n + 2 states
    few, many = (grade(decide_plain(compile_regex(f"a{{{length}}}")).certificate) for length in (longest, longest + 1))
    assert few is not None
    assert few.size is not None
    assert many is not None
    assert (many.size, many.depth, many.chain) == (None, None, MAX_EXTRACTED_VERTICES + 1)


# Repairs


def test_every_repair_is_a_yes_that_was_not_there_before() -> None:
    kinds = set()
    for language in [*NAMED, *random_languages(71, 40)]:
        before = ask(language, Fragment.PLAIN)
        for repair in find_repairs(language, Fragment.PLAIN):
            assert repair.verdict.answer is Answer.YES
            assert before.answer is Answer.NO or (repair.verdict.level or 0) < (before.level or 0)
            kinds.add(repair.kind)
    assert kinds == {"readout", "changes"}


def test_every_no_of_plain_c_rasp_can_be_repaired_by_telling_changes_apart() -> None:
    for language in NAMED:
        if ask(language, Fragment.PLAIN).answer is Answer.NO:
            assert "changes" in {repair.kind for repair in find_repairs(language, Fragment.PLAIN)}


@pytest.mark.parametrize("text", ["(aa)*", "[012]*02*", "(ab|bba)*", "TOMITA_3", "D_2"])
def test_telling_changes_apart_only_adds_what_the_word_determines(text: str) -> None:
    language = find_language(text).language if text in LANGUAGES else compile_regex(text)
    split, names = split_symbols(language, tuple(range(len(language.alphabet))))
    plain = {name: symbol for symbol, new in names.items() for name in new}
    for length in range(5):
        written: dict[tuple[str, ...], int] = {}
        for word in product(split.alphabet, repeat=length):
            if word in split:
                erased = tuple(plain[name] for name in word)
                written[erased] = written.get(erased, 0) + 1
        words = {word for word in product(language.alphabet, repeat=length) if word in language}
        assert written == dict.fromkeys(words, 1)


def test_a_repetition_is_repaired_by_a_delimiter() -> None:
    (repair,) = [
        each for each in find_repairs(compile_regex("(aa)*"), Fragment.PLAIN, text="(aa)*") if each.kind == "delimiter"
    ]
    assert repair.language == compile_regex("((aa);)*")
    assert repair.advice == "end each repetition with a delimiter: ((aa);)*."
    for text in ("(aa)(aa)*", "a*", "(aa|b;)*", "b|(aa)*", "(aa)*&(aaa)*", r"aa\*"):
        language = compile_regex(text)
        assert "delimiter" not in {each.kind for each in find_repairs(language, Fragment.PLAIN, text=text)}


def test_a_delimiter_is_decided_over_the_alphabet_of_the_language_and_only_if_it_is_new() -> None:
    def delimited(alphabet: str, text: str = "(aa)*") -> list[Repair]:
        language = compile_regex(text, alphabet=alphabet)
        return [each for each in find_repairs(language, Fragment.PLAIN, text=text) if each.kind == "delimiter"]

    (repair,) = delimited("abc")
    assert repair.language == compile_regex("((aa);)*", alphabet="abc;")
    assert repair.verdict.alphabet == (";", "a", "b", "c")
    assert delimited("a;") == []
    assert delimited("ab", "(..)*") == []  # any symbol would be the delimiter too


def test_of_many_letters_few_sets_are_tried_and_all_of_them_together() -> None:
    anything = f"[{ascii_lowercase}]"
    language = compile_regex(f"({anything}{anything})*")
    assert comb(len(ascii_lowercase), 2) > MAX_SPLIT_TRIES  # so that not even all pairs are tried
    (repair,) = find_repairs(language, Fragment.PLAIN)
    assert (repair.kind, repair.verdict.answer) == ("changes", Answer.YES)
    assert len(repair.language.alphabet) == 2 * len(ascii_lowercase)


def test_a_repair_says_what_was_decided_and_for_which_class() -> None:
    (repair,) = find_repairs(compile_regex("[ab]*b"), Fragment.PLAIN)[:1]
    advice = "read the answer at the last symbol, not at a separator after it."
    assert repair.sentence() == f"{advice} Decided: YES for C-RASP, level 0."
    without = replace(repair, verdict=replace(repair.verdict, certificate=None))
    assert without.sentence() == f"{advice} Decided: YES for C-RASP."


def test_what_is_read_at_the_last_symbol_may_be_easier() -> None:
    kinds = {each.kind for each in find_repairs(compile_regex("[ab]*b"), Fragment.PLAIN)}
    assert "readout" in kinds
    assert "readout" not in {
        each.kind for each in find_repairs(compile_regex("[ab]*b"), Fragment.PLAIN, readout=Readout.LAST_SYMBOL)
    }


# Hard word pairs


@pytest.mark.parametrize("readout", Readout)
@pytest.mark.parametrize("fragment", Fragment)
def test_pairs_differ_in_membership_and_grow(fragment: Fragment, readout: Readout) -> None:
    num_pairs = 0
    for language in [*NAMED, *random_languages(72, 40)]:
        verdict = ask(language, fragment, readout)
        if verdict.answer is not Answer.NO or verdict.certificate is None:
            continue
        pairs = adversarial_pairs(verdict.certificate, 5)
        assert len(pairs) == 5
        for inside, outside in pairs:
            assert inside in language
            assert outside not in language
            num_pairs += 1
        letters = [len(inside) + len(outside) for inside, outside in pairs]
        steps = {after - before for before, after in pairwise(letters)}
        assert len(steps) == 1  # linearly, so that many pairs can be had
        assert min(steps) > 0
    assert num_pairs > 100


def test_pairs_stop_at_a_cap_that_says_how_many_there_are() -> None:
    certificate = decide_plain(compile_regex("(aa)*")).certificate
    assert certificate is not None
    with pytest.raises(CapExceededError) as caught:
        adversarial_pairs(certificate, 10**9)
    number = int(caught.value.hint.removeprefix("ask for at most ").removesuffix(" pairs."))
    assert caught.value.message == f"{number + 1} pairs have more than {MAX_LETTERS:,} letters together, the cap."
    pairs = adversarial_pairs(certificate, number)
    assert sum(len(one) + len(two) for one, two in pairs) <= MAX_LETTERS
    with pytest.raises(CapExceededError):
        adversarial_pairs(certificate, number + 1)


def test_pairs_of_plain_c_rasp_look_alike_to_single_counts() -> None:
    certificate = decide_plain(compile_regex("[ab]*b")).certificate
    assert certificate is not None
    for inside, outside in adversarial_pairs(certificate, 6):
        assert sorted(inside) == sorted(outside)


def test_a_yes_gives_no_pairs() -> None:
    certificate = decide_plain(compile_regex("(ab)*")).certificate
    assert certificate is not None
    with pytest.raises(InvalidOptionError, match="pairs come from a NO about membership; this certificate says YES"):
        adversarial_pairs(certificate, 3)


# Communication


@pytest.mark.parametrize(
    ("name", "rows", "verdict"),
    [
        ("majority", (2, 3, 4, 5, 6, 7), "logarithmic"),
        ("parity", (2, 2, 2, 2, 2, 2), "bounded"),
        ("dyck_1", (2, 3, 3, 4, 4, 5), "logarithmic"),
        ("dyck_2", (3, 6, 11, 22), "linear"),
        ("copy", (2, 4, 8, 16, 32, 64), "linear"),
        ("addition", (3, 7, 15, 31), "linear"),
    ],
)
def test_the_rows_of_communication_matrices_grow_as_they_should(name: str, rows: tuple[int, ...], verdict: str) -> None:
    assert tuple(count_rows(BOUNDS[name], length) for length in range(1, len(rows) + 1)) == rows
    growth = measure_growth(BOUNDS[name], max_cells=300_000)
    assert growth.rows[: len(rows)] == rows[: len(growth.rows)]
    assert growth.verdict == verdict
    assert len(growth.bits) == len(growth.rows)


def test_bounds_are_those_that_families_declare() -> None:
    declared = [family.halves.name for family in map(TASKS.__getitem__, TASKS) if family.halves is not None]
    assert sorted(BOUNDS) == sorted(declared)
    assert [bound.name for bound in BOUNDS.values()] == list(BOUNDS)
    assert main(["show", "bound", "copi"]) == 2


# Recommend


@pytest.mark.parametrize("what", ["(aa)*", "PARITY", "(ab)*", "TOMITA_4", "bin_majority", "repeat_copy", "dyck_1"])
def test_proved_encodings_come_first_and_failing_ones_last(what: str) -> None:
    advice = recommend(what)
    proved = BOUNDED + RELATED if advice.ideal else BOUNDED
    measured = measured_for(advice.question)
    ranked = {*proved, *measured}
    assert [row.rank for row in advice.ranking] == list(range(1, len(ranked) + 1))
    assert {row.prediction.encoding for row in advice.ranking} == ranked
    unmeasured = [row.prediction.verdict.answer for row in advice.ranking if row.prediction.encoding not in measured]
    order = [[Answer.YES, Answer.UNKNOWN, Answer.NO].index(answer) for answer in unmeasured]
    assert order == sorted(order)
    assert all(row.why for row in advice.ranking)


def test_the_best_encoding_for_a_period_has_positions() -> None:
    advice = recommend("(aa)*")
    assert [row.prediction.encoding for row in advice.ranking[:2]] == ["ape", "periodic"]  # ape was measured too
    assert advice.ranking[-1].prediction.verdict.answer is Answer.NO


def ranked(what: str, encodings: list[str] | str | None = None, **options: str) -> list[str]:
    return [row.prediction.encoding for row in recommend(what, encodings=encodings, **options).ranking]  # type: ignore[arg-type]


def test_encodings_that_are_equally_good_keep_their_order_and_others_do_not() -> None:
    assert ranked("(ab)*", ["nope", "ape"]) == ["nope", "ape"]
    assert ranked("(ab)*", ["ape", "nope"]) == ["ape", "nope"]
    assert ranked("(ab)*", ["rope", "ntk"]) == ["rope", "ntk"]
    assert ranked("(ab)*", ["ntk", "rope"]) == ["ntk", "rope"]
    assert ranked("(aa)*", ["alibi", "rope", "fire", "nope", "ape"])[:2] == ["ape", "fire"]  # YES, UNKNOWN, then NO
    assert ranked("unique_copy", ["rope", "nope"]) == ["nope", "rope"]  # both open, more is proved of nope


def test_a_yes_of_both_theories_comes_first_and_then_one_with_a_published_proof() -> None:
    by_name = {row.prediction.encoding: row.prediction for row in recommend("(ab)*").ranking}
    assert by_name["t5"].counting.answer is by_name["t5"].precision.answer is Answer.YES
    assert by_name["nope"].differs
    assert ranked("(ab)*", ["rope", "nope", "t5"]) == ["t5", "nope", "rope"]
    order = ranked("(ab)*")
    answers = [by_name[name].verdict.answer for name in order]
    assert answers == sorted(answers, key=[Answer.YES, Answer.UNKNOWN, Answer.NO].index)
    agreed = [by_name[name].counting.answer is by_name[name].precision.answer is Answer.YES for name in order]
    assert agreed == sorted(agreed, reverse=True)
    assert True in agreed
    assert False in agreed


def test_by_default_all_encodings_with_a_bound_in_either_theory_are_ranked() -> None:
    assert set(BOUNDED) >= {"nope", "alibi", "stick_breaking", "path", "sandwich", "offset", "learned"}
    assert set(ENCODINGS) - set(BOUNDED) >= {"kerple_log", "dape", "dape_v2", "rpe", "coupling"}
    assert set(ranked("(aba)*")) == set(BOUNDED)
    assert set(ranked("(aa)*")) == set(BOUNDED) | set(measured_cells(language=compile_regex("(aa)*")))


def test_one_encoding_may_be_given_as_a_string_and_none_is_an_error() -> None:
    assert ranked("(aa)*", "ape") == ["ape"]
    for ask_for_none in (recommend, predict):
        with pytest.raises(InvalidOptionError) as caught:
            ask_for_none("(aa)*", encodings=[])
        assert str(caught.value) == (
            f"no encoding is named; a prediction needs at least one of {', '.join(ENCODINGS)}.\n"
            "hint: name one, or leave the encodings out for nope and ape."
        )


def test_the_alphabet_and_the_reading_as_an_expression_reach_the_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    assert ranked(".*ab.*", ["nope"], alphabet="abc") == ["nope"]
    for alphabet, answer in (("ab", "YES"), ("abc", "NO")):
        assert main(["recommend", ".*ab.*", "--alphabet", alphabet, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["ranking"]
        assert {row["encoding"]: row["answer"] for row in rows}["nope"] == answer
        assert rows[0]["alphabet"] == list(alphabet)
    assert main(["recommend", "PARITY", "--regex", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranking"][0]["read_as"] == "regex"


def test_the_command_prints_ranks_reasons_and_repairs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "b*(ab*ab*ab*)*"]) == 0
    out = capsys.readouterr().out
    assert "None of these encodings is predicted to work." in out
    assert "write the running state beside each symbol (a scratchpad): a as a₁ or a₂ or a₃" in " ".join(out.split())
    assert "Decided: YES for C-RASP, level 1." in " ".join(out.split())
    assert main(["recommend", "(aa)*", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ranking"][0]["encoding"] == "ape"
    assert data["repairs"][0]["answer"] == "YES"


def shown(out: str) -> list[str]:
    """Return the encodings in a printed ranking."""
    return [line.split()[1] for line in out.split("\n") if re.match(r"\d+ .* (YES|NO|UNKNOWN) ", line)]


def test_the_first_five_are_shown_unless_all_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    order = ranked("PARITY")
    answers = Counter(row.prediction.verdict.answer for row in recommend("PARITY").ranking)
    told = ", ".join(f"{answers[answer]} {answer}" for answer in Answer)
    assert main(["recommend", "PARITY"]) == 0
    out = capsys.readouterr().out
    assert shown(out) == order[:5]
    remarks = " ".join(out.split())
    assert f"Of {len(order)} encodings ({told}), the first 5 are shown; --all shows the others." in remarks
    assert main(["recommend", "PARITY", "--all"]) == 0
    out = capsys.readouterr().out
    assert shown(out) == order
    assert "--all" not in out
    assert main(["recommend", "PARITY", "--json"]) == 0
    assert [row["encoding"] for row in json.loads(capsys.readouterr().out)["ranking"]] == order


def test_weights_in_closed_form_are_not_said_to_be_in_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    """Parity is in no fragment of C-RASP, so a YES for it must not name one."""
    (first, *_) = recommend("PARITY").ranking
    assert first.prediction.encoding == "path"
    weights = (
        "One layer of path can flip a stored direction at every 'a' and leave it alone elsewhere. So the direction shows at any "
        "length whether their number is even. The weights are written out in docs/concepts/encodings.md."
    )
    assert first.why == f"{weights} Measured: 4 of 5 fitted runs are right at 3 times the training length."
    assert main(["predict", "PARITY", "--explain", "--encoding", "path"]) == 0
    assert "YES for C-RASP" not in capsys.readouterr().out.partition("What would help:")[0]


def test_predict_prints_pairs_and_takes_effort(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "(aa)*", "--pairs", "2", "--json", "--effort", "2"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["encoding"], row["in"], row["out"]) for row in rows] == [
        ("nope", [], ["a"]),
        ("nope", ["a", "a"], ["a", "a", "a"]),
    ]
    assert main(["predict", "(ab)*", "--pairs", "2"]) == 0
    assert capsys.readouterr().err == "note: there are no pairs: they come from a NO with a certificate.\n"
    assert main(["predict", "(ab)*", "--effort", "0"]) == 2
    assert "argument --effort: it takes a whole number from 1 to 1,000; found '0'." in capsys.readouterr().err


def test_explain_shows_grade_program_and_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "(ab|bbaa)*", "--explain", "--encoding", "nope"]) == 0
    out = capsys.readouterr().out
    assert "Grade: level 2" in out
    assert "  The program:\n    alphabet 'a' 'b'\n    read at end\n" in out
    assert "What would help:\n  - nope: write the running state beside each symbol" in out


def test_only_encodings_that_are_proved_to_learn_a_class_get_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "PARITY", "--explain", "--encoding", "nope,ape,sinusoidal,rope,alibi"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    advice = out.partition("What would help: ")[2]
    proved = {"nope": "C-RASP", "ape": "C-RASP[periodic, local]", "sinusoidal": "C-RASP", "rope": "C-RASP"}
    for encoding, notation in proved.items():
        assert f"- {encoding}: write the running state beside each symbol" in advice
        assert f"Decided: YES for {notation}, level" in advice.partition(f"- {encoding}: ")[2].partition(" - ")[0]
    for story in (
        "nope, counting: NO for C-RASP",
        "nope, fixed precision: NO for LTL[P]",
        "ape, fixed precision: NO for LTL[P,MOD]",
        "rope, fixed precision: NO for LTL[P]",
        "alibi, counting: NO for C-RASP[local]",
    ):
        assert story in out
    assert "rope, counting" not in out  # it answers UNKNOWN, so there is nothing to tell
    assert "- alibi:" not in advice
    assert main(["predict", "PARITY", "--explain", "--encoding", "alibi"]) == 0
    assert "Decided: YES" not in capsys.readouterr().out


def test_where_every_encoding_fails_a_scratchpad_and_layers_with_a_state_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["recommend", "[bc]*(a[bc]*a[bc]*)*"]) == 0  # parity among three symbols
    out = " ".join(capsys.readouterr().out.split())
    assert "None of these encodings is predicted to work." in out
    assert "write the running state beside each symbol (a scratchpad): a as a₁ or a₂" in out
    assert "the tasks parity_cot and parity_cot_aligned write the running parity" in out
    assert "a recurrent layer, or PaTH attention (encoding path)" in out
    assert main(["recommend", "b*(ab*ab*ab*)*"]) == 0
    modulo_three = capsys.readouterr().out
    assert "recurrent layer" in modulo_three
    assert "parity_cot" not in modulo_three
    for what, name in (("(aa)*", "ape"), ("PARITY", "path"), ("[012]*02*", "cope")):
        assert main(["recommend", what]) == 0
        out = capsys.readouterr().out
        assert shown(out)[0] == name  # predicted to work
        assert "recurrent layer" not in out
