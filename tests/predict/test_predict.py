"""Names in, verdicts out: how a question is read, and what an encoding's bounds make of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.encodings.catalog import ALIASES, ENCODINGS
from lengthwise.errors import (
    AlphabetMismatchError,
    CapExceededError,
    InvalidAlphabetError,
    InvalidOptionError,
    LengthwiseError,
    RegexSyntaxError,
    ThreeAnswersError,
    UnknownNameError,
    UnknownSymbolError,
    UnreadableFileError,
    listed,
)
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa_files import write_dfa
from lengthwise.languages.regex import compile_regex
from lengthwise.predict.predict import DEFAULT_ENCODINGS, predict, predict_task
from lengthwise.predict.resolve import resolve
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.theorems import THEOREMS
from lengthwise.theory.verdict import Verdict

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_name_of_the_catalogue_is_read_as_a_name(name: str) -> None:
    question = resolve(name)
    assert question.read_as == "language"
    assert question.facts.language == LANGUAGES[name].language
    assert question.note == ""


@pytest.mark.parametrize(
    ("name", "same"), [("Parity", "PARITY"), ("tomita_3", "TOMITA_3"), ("d_3", "D_3"), ("D(3)", "D_3")]
)
def test_names_are_read_whatever_their_case(name: str, same: str) -> None:
    assert resolve(name).read_as == "language"
    assert resolve(name).facts.language == resolve(same).facts.language


def test_the_family_d_n_has_a_member_for_every_n() -> None:
    language = resolve("D_7").facts.language
    assert "a" * 7 + "b" * 7 in language
    assert "a" * 8 + "b" * 8 not in language


def test_what_is_no_name_is_read_as_an_expression() -> None:
    question = resolve("(ab|b)*")
    assert question.read_as == "regex"
    assert question.facts.language == compile_regex("(ab|b)*")


def test_a_bare_word_is_an_expression_only_on_request() -> None:
    question = resolve("ab", regex=True)
    assert question.read_as == "regex"
    assert question.facts.language == compile_regex("ab")
    assert resolve("PARITY", regex=True).facts.language == compile_regex("PARITY")


def test_an_automaton_file_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    language = compile_regex("(ab)*")
    for name in ("automaton.json", "AUTOMATON.JSON", "automaton.txt"):
        path = tmp_path / name
        write_dfa(language, path)
        question = resolve(str(path))
        assert (question.read_as, question.facts.language) == ("file", language)
        assert resolve(str(path), alphabet="abc").facts.language == compile_regex("(ab)*", alphabet="abc")


def test_an_expression_too_long_for_the_name_of_a_file_is_still_an_expression() -> None:
    text = "(a|[ab].)" + "a" * 300
    assert resolve(text, alphabet="ab").read_as == "regex"


@pytest.mark.parametrize("what", ["(ab)*", "D_1"])
def test_a_larger_alphabet_adds_symbols_that_no_word_uses(what: str) -> None:
    language = resolve(what, alphabet="abc").facts.language
    assert language.alphabet == ("a", "b", "c")
    assert "abab" in language
    assert "abc" not in language


@pytest.mark.parametrize(
    ("what", "note"),
    [
        ("{a,b}*c", "the braces of {a,b} were read as symbols; for one of several symbols write [ab]."),
        ("{0,1,2}*0", "the braces of {0,1,2} were read as symbols; for one of several symbols write [012]."),
        ("a{2,3}", ""),
        ("a{2,}", ""),
        (r"\{a,b\}*c", ""),
        ("{a,bc}", ""),
        ("{a}", ""),
    ],
)
def test_braces_that_look_like_a_set_are_read_as_symbols_with_a_note(what: str, note: str) -> None:
    assert resolve(what).note == note


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("bin_majority", None),
        ("parity", "0*(10*10*)*"),
        ("unique_copy", None),
        ("unique_copy(64)", None),
        ("repeat_copy", None),
        ("states((ab|b)*)", "(ab|b)*"),
    ],
)
def test_a_task_is_read_by_its_name_with_its_own_readout(name: str, language: str | None) -> None:
    question = resolve(name)
    assert question.read_as == "task"
    assert question.facts.language == (compile_regex(language) if language else None)
    assert question.readout is Readout.END_MARKER
    assert bool(question.facts.cited or question.facts.program) == (language is None)


def test_the_states_of_a_named_language_are_a_task_too() -> None:
    assert resolve("states(D_3)").facts.language == LANGUAGES["D_3"].language


KNOWN = listed([*LANGUAGES, *TASKS])
ERRORS: list[tuple[str, dict[str, object], type[LengthwiseError], str]] = [
    (
        "parityy",
        {},
        UnknownNameError,
        f"task or language 'parityy' is unknown. Known: {KNOWN}.\nhint: did you mean 'PARITY'?",
    ),
    (
        "xylophone",
        {},
        UnknownNameError,
        f"task or language 'xylophone' is unknown. Known: {KNOWN}.\n"
        "hint: see 'lengthwise list languages', or write '(xylophone)' for the regular expression.",
    ),
    (
        "xylo(3)",
        {},
        UnknownNameError,
        f"task or language 'xylo(3)' is unknown. Known: {KNOWN}.\n"
        "hint: see 'lengthwise list languages', or write '(xylo(3))' for the regular expression.",
    ),
    (
        "bin_majorty",
        {},
        UnknownNameError,
        f"task or language 'bin_majorty' is unknown. Known: {KNOWN}.\nhint: did you mean 'bin_majority'?",
    ),
    (
        "unique_copy(many)",
        {},
        InvalidOptionError,
        "unique_copy takes the number of its symbols, a whole number from 1 to 999999; found 'many'.\n"
        "hint: for example unique_copy(150).",
    ),
    ("D_0", {}, InvalidOptionError, "the depth of D_n must be at least 1; found 0.\nhint: for example D_3."),
    ("missing.json", {}, UnreadableFileError, "there is no file 'missing.json'.\nhint: check the path."),
    (
        "program.crasp",
        {},
        UnreadableFileError,
        "there is no file 'program.crasp'.\nhint: check the path.",
    ),
    (
        "(ab)*",
        {"alphabet": "a"},
        UnknownSymbolError,
        "symbol 'b' in '(ab)*' is outside the alphabet {a}.\n"
        "hint: add it to the alphabet, or use only the symbols named there.",
    ),
    (
        "PARITY",
        {"alphabet": "a"},
        AlphabetMismatchError,
        "symbol 'b' of the language is not in the alphabet {a}.\n"
        "hint: an alphabet can only grow: name all symbols of the language.",
    ),
    (
        "(ab)*",
        {"alphabet": ""},
        InvalidAlphabetError,
        "an alphabet needs at least one symbol; none was given.\nhint: name its symbols, for example 'ab'.",
    ),
    (
        "(ab)*",
        {"alphabet": "aab"},
        InvalidAlphabetError,
        "symbol 'a' appears twice in the alphabet.\nhint: name each symbol once.",
    ),
    (
        "(ab)*",
        {"max_states": 0},
        InvalidOptionError,
        "max_states must be from 1 to 1,000,000; found 0.\nhint: the default is 10000.",
    ),
    (
        "(ab){50}",
        {"max_states": 5},
        CapExceededError,
        "the automaton of '(ab){50}' would have more than 5 states, which is the cap.\n"
        "hint: simplify the expression, or raise the cap with max_states (predict --max-states).",
    ),
    (
        "a.b",
        {},
        RegexSyntaxError,
        "cannot read the regular expression: '.' means any symbol, but the alphabet is not given.\n"
        "hint: name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize.\na.b\n ^",
    ),
    (
        "",
        {},
        RegexSyntaxError,
        "cannot read the regular expression: it is empty.\n"
        "hint: write () for the empty word, or an expression such as '(ab)*'.\n\n^",
    ),
]


@pytest.mark.parametrize(("what", "options", "kind", "text"), ERRORS)
def test_a_question_that_cannot_be_read_says_why(
    what: str, options: dict[str, object], kind: type[LengthwiseError], text: str
) -> None:
    with pytest.raises(kind) as caught:
        resolve(what, **options)  # type: ignore[arg-type]
    assert str(caught.value) == text


def test_an_unknown_encoding_gets_a_suggestion_before_anything_is_computed() -> None:
    with pytest.raises(UnknownNameError) as caught:
        predict("no such language", encodings=["nope", "rop"])
    known = listed([*ENCODINGS, *ALIASES])
    assert str(caught.value) == f"encoding 'rop' is unknown. Known: {known}.\nhint: did you mean 'rope'?"


def test_predictions_come_in_the_order_asked_and_default_to_nope_and_ape() -> None:
    assert DEFAULT_ENCODINGS == ("nope", "ape")
    assert [row.encoding for row in predict("(ab)*")] == ["nope", "ape"]
    assert [row.encoding for row in predict("(ab)*", encodings=["rope", "nope", "rope"])] == ["rope", "nope", "rope"]


FIVE = ("nope", "ape", "sinusoidal", "rope", "alibi")


def bounds(name: str) -> tuple[Fragment | None, Fragment | None]:
    card = ENCODINGS[name]
    return (
        card.at_least.fragment if card.at_least else None,
        card.at_most.fragment if card.at_most else None,
    )


def test_cards_declare_the_bounds_that_are_proved_and_no_others() -> None:
    assert {name: bounds(name) for name in FIVE} == {
        "nope": (Fragment.PLAIN, Fragment.PLAIN),
        "ape": (Fragment.PERIODIC_LOCAL, Fragment.PERIODIC_LOCAL),
        "sinusoidal": (None, Fragment.PERIODIC),
        "rope": (None, Fragment.PERIODIC),
        "alibi": (None, Fragment.LOCAL),
    }
    for name in FIVE:
        card = ENCODINGS[name]
        assert card.name == name
        assert all(bound.citation for bound in (card.at_least, card.at_most, card.expressible) if bound)


ANSWERS = {
    "(ab)*": (YES, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "[ab]*b": (NO, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "(aa)*": (NO, YES, UNKNOWN, UNKNOWN, NO),
    "TOMITA_4": (NO, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "PARITY": (NO, NO, NO, NO, NO),
    "[012]*02*": (NO, NO, NO, NO, NO),
    "((bb)*bab|a)*": (NO, NO, NO, NO, NO),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_yes_is_inside_the_lower_bound_no_outside_the_upper_and_the_rest_unknown(what: str) -> None:
    rows = predict(what, encodings=FIVE)
    assert tuple(row.verdict.answer for row in rows) == ANSWERS[what]
    facts = resolve(what).facts
    for row in rows:
        lower, upper = bounds(row.encoding)
        inside = lower is not None and decide(facts, lower).answer is YES
        outside = upper is not None and decide(facts, upper).answer is NO
        assert row.verdict.answer is (YES if inside else NO if outside else UNKNOWN)
        assert row.verdict.fragment is (lower or upper)
        assert (row.verdict.certificate is None) == (row.verdict.answer is UNKNOWN)


def reasons(what: str, *encodings: str) -> list[str]:
    return [row.verdict.reason for row in predict(what, encodings=encodings)]


def test_an_unknown_names_the_bound_that_is_missing() -> None:
    assert reasons("(ab)*", "rope", "alibi") == [
        "no lower bound is proved for rope, so no YES can follow; it is within its upper bound, C-RASP[periodic]. "
        "Expressible: yes (zero keys give uniform heads).",
        "no lower bound is proved for alibi, so no YES can follow; it is within its upper bound, C-RASP[local]; "
        "it cannot attend uniformly, so not even plain C-RASP is known to be expressible.",
    ]
    assert reasons("TOMITA_4", "sinusoidal") == [
        "no lower bound is proved for sinusoidal, so no YES can follow; whether it is within its upper bound, "
        "C-RASP[periodic], is not settled here. Expressible: not known (only C-RASP is)."
    ]


def test_a_no_from_an_upper_bound_alone_says_what_it_assumes() -> None:
    assert reasons("PARITY", "ape", "rope", "alibi") == [
        "this is PARITY, which is known not to be in C-RASP[periodic, local].",
        "this is PARITY, which is known not to be in C-RASP[periodic, local]. For rope this assumes transformers "
        "rounded to a fixed precision outside attention, and angles that come round again, as rational multiples of π do "
        "(arXiv 2506.16055, appendix E).",
        "this is PARITY, which is known not to be in C-RASP[periodic, local]. For alibi this assumes transformers "
        "rounded to a fixed precision outside attention, so that the penalty rounds distant weights to zero "
        "(arXiv 2506.16055, appendix E).",
    ]


TASK_ANSWERS = {
    "bin_majority": (YES, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "parity": (NO, NO, NO, NO, NO),
    "unique_copy": (YES, YES, UNKNOWN, UNKNOWN, UNKNOWN),
    "repeat_copy": (NO, NO, NO, NO, NO),
    "states((aa)*)": (NO, YES, UNKNOWN, UNKNOWN, NO),
}


@pytest.mark.parametrize("name", TASK_ANSWERS)
def test_tasks_get_the_answers_of_their_languages_or_of_what_is_published(name: str) -> None:
    rows = predict(name, encodings=FIVE)
    assert tuple(row.verdict.answer for row in rows) == TASK_ANSWERS[name]
    facts = resolve(name).facts
    known = facts.language or facts.program
    for row in rows:
        assert row.verdict.theorem in THEOREMS
        assert row.verdict.readout is Readout.END_MARKER
        assert row.verdict.alphabet == (known.alphabet if known else ())
        if known is None:
            assert row.verdict.certificate is None


def test_the_readout_of_a_task_cannot_be_changed() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        predict("parity", readout=Readout.LAST_SYMBOL)
    assert str(caught.value) == (
        "the task 'parity' is read at the end marker; another readout was asked for.\nhint: leave the readout out."
    )
    assert [row.verdict.answer for row in predict("parity", readout=Readout.END_MARKER)] == [NO, NO]


def test_the_readout_of_a_language_is_the_end_marker_unless_said_otherwise() -> None:
    (usual,) = predict("[ab]*b", encodings=["nope"])
    (said,) = predict("[ab]*b", encodings=["nope"], readout=Readout.END_MARKER)
    assert usual.verdict == said.verdict
    assert (usual.verdict.answer, usual.verdict.readout) == (NO, Readout.END_MARKER)


def test_the_next_symbols_of_a_language_are_predicted_as_a_task() -> None:
    verdict = predict_task(find_task("[ab]*b"), "nope")
    assert (verdict.answer, verdict.asked, verdict.readout) == (YES, Asked.NEXT_SYMBOLS, Readout.LAST_SYMBOL)
    assert predict_task(find_task("states([ab]*b)"), "nope").answer is NO
    assert predict_task(find_task("bin_majority"), "ape").answer is YES


def test_the_readout_and_the_alphabet_reach_the_verdict() -> None:
    (row,) = predict("[ab]*b", encodings=["nope"], readout=Readout.LAST_SYMBOL, alphabet="abc")
    assert (row.verdict.answer, row.verdict.readout) == (YES, Readout.LAST_SYMBOL)
    assert row.verdict.alphabet == ("a", "b", "c")
    (unknown,) = predict("(ab)*", encodings=["rope"], readout=Readout.LAST_SYMBOL)
    assert (unknown.verdict.answer, unknown.verdict.readout) == (UNKNOWN, Readout.LAST_SYMBOL)


@pytest.mark.parametrize(("what", "level"), [("(ab|bbaa)*", 2), ("PARITY", None)])
def test_a_row_of_json_has_exactly_the_documented_fields(what: str, level: int | None) -> None:
    row = predict(what, encodings=["nope"])[0]
    data = row.to_json()
    assert list(data) == [
        "what",
        "read_as",
        "encoding",
        "fragment",
        "asked",
        "readout",
        "alphabet",
        "answer",
        "level",
        "theorem",
        "reason",
        "certificate",
        "grade",
        "second_opinion",
    ]
    assert data["what"] == what
    assert (data["fragment"], data["readout"], data["alphabet"]) == ("PLAIN", "END_MARKER", ["a", "b"])
    assert (data["level"], data["theorem"]) == (level, "balanced_refinement")
    certificate = data["certificate"]
    assert isinstance(certificate, dict)
    assert certificate["answer"] == data["answer"]


def test_a_row_without_certificate_has_null_in_its_place() -> None:
    data = predict("(ab)*", encodings=["rope"])[0].to_json()
    assert (data["answer"], data["certificate"], data["level"]) == ("UNKNOWN", None, None)


@pytest.mark.parametrize("readout", list(Readout))
def test_a_readout_may_be_given_by_its_name(readout: Readout) -> None:
    (by_name,) = predict("{a,b}*b", encodings="nope", readout=str(readout))  # type: ignore[arg-type]
    (by_value,) = predict("{a,b}*b", encodings="nope", readout=readout)
    assert by_name.verdict == by_value.verdict
    assert by_name.verdict.answer is (Answer.NO if readout is Readout.END_MARKER else Answer.YES)


def test_a_readout_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        predict("{a,b}*b", readout="start")
    assert str(caught.value) == (
        "readout 'start' is unknown. Known: end, last, END_MARKER, LAST_SYMBOL.\n"
        "hint: use Readout.END_MARKER or Readout.LAST_SYMBOL."
    )


@pytest.mark.parametrize("asked", ["neXt", "", None, 7, ["next"]])
def test_what_nobody_asks_for_is_an_error(asked: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"is unknown\. Known: membership, next, MEMBERSHIP, NEXT_SYMBOLS\."):
        predict("(ab)*", asked=asked)


def test_the_words_of_the_command_line_are_understood_in_python_too() -> None:
    def first(**options: Any) -> Verdict:
        return predict("[ab]*b", encodings="nope", **options)[0].verdict

    assert first(asked="next") == first(asked=Asked.NEXT_SYMBOLS) != first(asked="membership")
    assert first(readout="last") == first(readout=Readout.LAST_SYMBOL) != first(readout="end")
    facts = Facts(language=compile_regex("[ab]*b"), asked="next")  # type: ignore[arg-type]
    assert facts.asked is Asked.NEXT_SYMBOLS


def test_neither_a_verdict_nor_its_answer_is_a_truth_value() -> None:
    verdict = predict("(aa)*", encodings="nope")[0].verdict
    for value in (verdict, verdict.answer):
        with pytest.raises(ThreeAnswersError, match="is not a truth value"):
            bool(value)
    assert verdict.answer == "NO"
    assert verdict.answer in (Answer.NO, Answer.YES)
    assert {verdict.answer: 1}[Answer.NO] == 1


def test_predict_is_a_function_and_a_package() -> None:
    """In a fresh process, because what was imported before decides which names are there."""
    script = (
        "import lengthwise.predict.recommend\n"
        "import lengthwise.predict.recommend as module\n"
        "from lengthwise.predict.recommend import recommend\n"
        "from lengthwise import predict\n"
        "assert lengthwise.predict.recommend.recommend is recommend is module.recommend\n"
        "assert predict is lengthwise.predict\n"
        "print(*(row.verdict.answer for row in lengthwise.predict('(aa)*', encodings=['nope', 'ape'])))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("NO YES\n", "")


def test_a_question_that_is_no_text_is_an_error() -> None:
    with pytest.raises(InvalidOptionError, match=r"a question is a text; found 7\."):
        predict(7)  # type: ignore[arg-type]


def test_next_symbols_can_be_asked_for() -> None:
    no_aa = "(b|ab)*a?"
    assert [row.verdict.answer for row in predict(no_aa, encodings=["nope"])] == [Answer.NO]
    (row,) = predict(no_aa, encodings=["nope"], asked=Asked.NEXT_SYMBOLS)
    assert row.verdict.answer is Answer.YES
    assert row.to_json()["asked"] == "NEXT_SYMBOLS"


def test_with_a_switch_on_nothing_is_predicted() -> None:
    task = find_task("TOMITA_4")
    assert predict_task(task, "nope").answer is NO
    switched = predict_task(task, "nope", ["token_shift", "no_bos"])
    assert switched.answer is UNKNOWN
    assert switched.certificate is None
    assert switched.reason == "the bounds of nope are proved for models without token_shift and no_bos."
