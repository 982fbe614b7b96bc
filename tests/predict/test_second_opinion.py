"""The second opinion beside verdicts: which tasks and encodings have one, and what the commands print."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from time import process_time

import pytest
from command_runner import printed_by, refusal_of

from lengthwise.arrays import numpy_arrays
from lengthwise.cli.main import main
from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.predict.circuit_opinions import (
    explain_difference,
    ideal_opinion,
    relation_of,
    second_opinions,
)
from lengthwise.predict.compare_problems import COLUMNS, compare_problems
from lengthwise.predict.predict import predict
from lengthwise.predict.recommend import recommend
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.problems import PROBLEMS, find_problem, problem_of
from lengthwise.theory.claims import Answer
from lengthwise.theory.positions.opinion import form_opinions
from lengthwise.theory.positions.relations import RELATIONS, with_scale

WITH_PROBLEM = [name for name in TASKS if problem_of(name) is not None]
OTHERS = ("shift(2)", "bucket_sort(3)", "unique_copy(20)", "copy_every(2, 20, whole)", "transpose(2)", "add_columns(3)")
COMPARED = [name for name in (*WITH_PROBLEM, *OTHERS) if name not in ("addition", "add_decimal")]


@pytest.mark.parametrize("name", COMPARED)
def test_a_task_is_the_problem_it_is_said_to_be(name: str) -> None:
    """The layout's answer to a prompt of the task is the task's, symbol by symbol, whatever the symbols are called."""
    task = find_task(name)
    problem = problem_of(name)
    assert problem is not None
    layout = problem.layout
    xp = numpy_arrays()
    for length in task.lengths(1, 9):
        batch = task.sample(open_stream(DATA, seed=length), xp.asarray([length] * 20), length, xp)
        for tokens, targets, size in zip(
            batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), batch.sizes_MB.tolist(), strict=True
        ):
            prompt, answer = task.read_back(tokens[:size], targets[:size])
            symbols = sorted(set(prompt), key=task.symbols.index)
            own = layout.alphabet[:-1]
            if name in ("parity", "parity_cot", "parity_cot_aligned", "add_columns", "add_columns(3)"):
                assert set(symbols) <= set(own)
                same = {symbol: symbol for symbol in own}
            elif name.startswith("copy_every"):  # all different but for the marks
                layout = find_problem("copy_every_marked(2, abcdefghijkl)").layout
                same = dict(zip((symbol for symbol in symbols if symbol != "#"), layout.alphabet, strict=False)) | {
                    "#": "#"
                }
            elif len(symbols) > len(own):  # all different: the wiring is the same over a longer alphabet
                layout = find_problem(f"{problem.name.split('(')[0]}(abcdefghijkl)").layout
                own = layout.alphabet[:-1]
                same = dict(zip(symbols, own, strict=False))
            else:
                same = dict(zip(symbols, own, strict=False))
            written = layout.answer((*(same[symbol] for symbol in prompt), "="))
            back = {"e": "0", "o": "1"} if name == "parity" else same
            assert [back[symbol] for symbol in answer[:-1]] == list(written), (name, prompt)


def test_tasks_that_are_written_otherwise_are_no_problem_of_circuits() -> None:
    assert [problem_of(name) for name in ("majority", "add_decimal(reversed)", "add_columns(10, unequal)")] == [
        None
    ] * 3
    assert [problem_of(name) for name in ("sort(abc)", "states((ab)*)", "hard(parity, boundary)", "")] == [None] * 4


def test_addition_tasks_are_written_most_significant_digit_first() -> None:
    random = Random(0)
    for name, base in (("addition", 2), ("add_decimal", 10)):
        task = find_task(name)
        problem = problem_of(name)
        assert problem is not None
        layout = problem.layout
        for _ in range(50):
            one, two = (random.randrange(base**4, base**5) for _ in range(2))
            spelled = f"{one:b}+{two:b}=" if base == 2 else f"{one}+{two}="
            told = layout.answer(tuple(spelled))
            assert "".join(task.answer(list(spelled))) == "".join(told).lstrip("0")


def test_cards_name_relations_that_exist_and_are_theirs() -> None:
    named = {name: card.relation for name, card in ENCODINGS.items() if card.relation}
    assert set(named.values()) <= set(RELATIONS)
    assert named["nope"] == "constant"
    assert named["ape"] == "absolute"
    assert named["rope"] == named["alibi"] == "relative"
    for name, relation in named.items():
        if relation == "relative":
            assert ENCODINGS[name].shift_invariant, name
    expected = {
        "constant": {"nope"},
        "absolute": {"ape", "learned", "sinusoidal", "scaled_sinusoidal"},
        "t5_bucket": {"t5"},
        "clipped": {"shaw"},
    }
    for relation, members in expected.items():
        assert {name for name, own in named.items() if own == relation} == members
    assert {"transformer_xl", "kerple_log", "kerple_power", "sandwich", "xpos", "yarn", "rpe"} <= {
        name for name, own in named.items() if own == "relative"
    }
    relative = RELATIONS["relative"]
    assert relation_of("rope") is relation_of("rope(base=500000)") is relative
    assert relation_of("fire") is None
    assert relation_of("randomized(rope)") is None
    assert relation_of("shaw(clip=3)") is None
    assert relation_of("scale_hint(rope)") is RELATIONS["relative_scaled"]
    unsigned = relation_of("scale_hint(t5)")
    assert unsigned is not None
    assert unsigned.formula == "bucket(|q − i − n|)"
    assert [unsigned(key, 9, 4) for key in (3, 5, 7)] == [2, 0, 2]


def test_opinions_follow_the_table_of_complexities() -> None:
    rows = predict("repeat_copy", encodings=["nope", "ape", "rope"])
    found = second_opinions("repeat_copy", [(row.encoding, row.verdict) for row in rows])
    assert [(each.encoding, each.opinion.predicted, each.disagreement) for each in found] == [
        ("nope", False, ""),
        ("ape", False, ""),
        ("rope", False, ""),
    ]
    best = ideal_opinion("repeat_copy")
    assert best is not None
    assert best.predicted
    assert second_opinions("majority", [(row.encoding, row.verdict) for row in rows]) == []
    assert ideal_opinion("majority") is None


def test_every_reason_can_be_the_first() -> None:
    copy = find_problem("copy")
    aligned = find_problem("parity_cot_aligned")
    reasons = [
        each.reason
        for problem, names in (
            (copy, ["constant", "relative", "relative_scaled"]),
            (aligned, ["relative"]),
            (find_problem("sort"), ["relative"]),
        )
        for each in form_opinions(problem, [RELATIONS[name] for name in names])
    ]
    assert reasons[:4] == [
        "at scale 1 position 1, which is not to be read, has the same label as position 0, which is.",
        "8 pairs of operator and labels up to scale 8, and the number grows: some were never trained.",
        "1 pair of operator and labels at every scale, all met in training from scale 1 on.",
        "1 pair of operator and labels at every scale, all met in training from scale 2 on.",
    ]
    assert reasons[4].startswith("no circuit of bounded arity: at scale n, n visible tokens decide one token")


def test_a_yes_says_where_labels_do_not_tell_operators_apart() -> None:
    (told,) = form_opinions(find_problem("div_1_cot(3)"), ["ideal"], 6)
    assert told.predicted
    assert told.reason.endswith(" Labels alone do not tell its operators apart: this assumes that the step does.")
    (told,) = form_opinions(find_problem("div_1(3)"), ["ideal"], 6)
    assert "apart" not in told.reason


def test_where_there_are_too_few_scales_nothing_is_said() -> None:
    (few,) = form_opinions(find_problem("addition(2)"), ["ideal"], 4)
    assert few.predicted is None
    assert few.reason == "some rows of an operator are first met at scale 3: 4 scales are too few to say."
    (short,) = form_opinions(find_problem("copy_every(9)"), [RELATIONS["absolute_key"]])
    assert short.predicted is None
    assert short.reason == "up to scale 8 too few tokens are written to say."


def test_an_opinion_says_what_it_assumes_of_task_and_encoding() -> None:
    rows = predict("addition", encodings=["nope", "ape"])
    found = second_opinions("addition", [(row.encoding, row.verdict) for row in rows])
    assert "leading zeros" in found[0].assumed
    assert "random one in training" in found[1].assumed
    assert found[0].to_json()["assumed"] == found[0].assumed


def test_differences_name_the_assumption_that_differs() -> None:
    copy, sort = find_problem("copy"), find_problem("sort")
    works, fails = form_opinions(copy, [RELATIONS["relative_scaled"], RELATIONS["relative"]])
    (none,) = form_opinions(sort, [RELATIONS["relative"]])
    assert explain_difference(Answer.UNKNOWN, fails) == ""
    assert explain_difference(Answer.NO, fails) == explain_difference(Answer.YES, works) == ""
    assert "by position alone" in explain_difference(Answer.YES, fails)
    assert "fixed precision" in explain_difference(Answer.NO, works)
    assert "counts and compares" in explain_difference(Answer.YES, none)


def test_the_scale_hint_adds_the_scale_to_any_relation() -> None:
    assert with_scale(RELATIONS["relative"]) is RELATIONS["relative_scaled"]
    hinted = with_scale(RELATIONS["absolute"])
    assert hinted.needs_scale
    assert hinted(1, 4, 7) == ((1, 4), 7)
    assert with_scale(hinted) is hinted


@pytest.mark.full
def test_all_problems_are_compared_and_the_differences_are_explained() -> None:
    rows = {row.problem: row for row in compare_problems()}
    assert list(rows) == list(PROBLEMS)
    works = {name: dict(zip(COLUMNS, row.opinions, strict=True)) for name, row in rows.items()}
    for name, by_column in works.items():
        assert not by_column["nope"].predicted, name
        assert not by_column["ape"].predicted, name
        bounded = name not in ("sort", "parity", "addition_plain", "mul_nxn")
        assert by_column["ipe"].predicted is bounded, name
    assert [name for name in rows if works[name]["rpe"].predicted] == ["parity_cot_aligned"]
    # three distances less n are enough to exchange pairs, and their number does not grow: which of them holds at a step is not asked
    assert [name for name in rows if works[name]["rpe_scaled"].predicted] == ["copy", "swap_pairs"]
    assert {name: str(verdict.answer) for name, verdict in rows["sort"].verdicts.items()} == {
        "nope": "YES",
        "ape": "YES",
    }
    assert "counts and compares" in rows["sort"].note
    for name in (name for name in rows if find_problem(name).copying):
        assert {str(verdict.answer) for verdict in rows[name].verdicts.values()} == {"NO"}, name
    for row in rows.values():
        for each, verdict in row.verdicts.items():
            opinion = works[row.problem][each]
            if verdict.answer is not Answer.UNKNOWN and (verdict.answer is Answer.YES) is not opinion.predicted:
                assert row.note


def test_predict_prints_the_opinion_beside_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    out = " ".join(printed_by(capsys, "predict", "unique_copy", "--explain").split())
    assert "Second opinion, a conjecture (our reconstruction of arXiv 2510.04130;" in out
    assert "Unlike the verdict, YES: the verdict's program finds tokens by what they are" in out
    assert "Second opinion" not in printed_by(capsys, "predict", "majority", "--explain")
    rows = json.loads(printed_by(capsys, "predict", "sort", "(ab)*", "--json"))
    assert rows[0]["second_opinion"]["predicted"] is False
    assert rows[2]["second_opinion"] is None


def test_recommend_ranks_by_the_conjecture_where_proofs_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    advice = recommend("parity_cot")
    assert advice.ideal is not None
    assert advice.ideal.predicted
    assert {row.prediction.encoding for row in advice.ranking if row.second} >= {"nope", "ape", "rope", "t5"}
    ranked = [
        row.prediction.encoding
        for row in recommend("repeat_copy", encodings=["t5", "scale_hint(rpe)", "kerple_log"]).ranking
    ]
    assert ranked[0] == "scale_hint"  # around rpe
    out = " ".join(printed_by(capsys, "recommend", "parity_cot").split())
    assert "positions made for its circuit would work" in out
    assert "The ranks come from proofs, then from the conjecture where there is no proof." in out
    assert "conjectured" not in printed_by(capsys, "recommend", "(aa)*")


def test_complexity_prints_the_table_and_the_ideal_positions(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by(capsys, "complexity", "parity_cot")
    assert "1 3 6 10 15 21 28 36" in out
    assert "  slot 1: q − i = n\n  slot 2: i = q\n" in out
    assert "the scale must be known" in out
    assert "smallest sufficient training scale: 2" in out
    assert "our reconstruction of arXiv 2510.04130" in " ".join(out.split())
    data = json.loads(
        printed_by(capsys, "complexity", "copy", "--encoding", "rope", "--scale-hint", "--scales", "6", "--json")
    )
    assert data["relations"][0]["by_scale"] == [1] * 6
    out = printed_by(capsys, "complexity", "parity_cot", "--exact", "2", "--scales", "4")
    assert "arity at most 2: 1, 1, 1, 1" in out
    assert "as few operands as it can, at most 2: 1, 2, 2, 2" in out
    assert printed_by(capsys, "complexity", "parity_cot", "--exact", "2", "--scales", "4", "--solver", "sat").endswith(
        out.split("(search)")[1]
    )
    out = printed_by(capsys, "complexity", "--linear", "2^-(j-i)", "--scales", "12")
    assert "1 2 3 4 5 6 7 8 9 10 11 12" in out
    assert "no relation guarantees" in out
    assert "some relation guarantees" in printed_by(capsys, "complexity", "--linear", "[i = n]", "--scale-hint")
    assert "no relation guarantees" in printed_by(capsys, "complexity", "--linear", "[i = n]")
    hinted = printed_by(capsys, "complexity", "copy", "--scale-hint")
    assert "(1, n)" in hinted
    out = printed_by(capsys, "complexity", "parity_cot", "--encoding", "ipe,constant")
    assert "smallest sufficient training scale: 2" in out
    assert printed_by(capsys, "complexity", "repeat_copy").startswith("copy(ab): the word again\n")
    assert "parity_cot_aligned(3) has no scale above 3." in printed_by(capsys, "complexity", "parity_cot_aligned(3)")


def test_the_time_given_is_kept_and_what_was_found_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    start = process_time()
    out = printed_by(capsys, "complexity", "copy(abcdefgh)", "--exact", "6", "--seconds", "1.5", "--scales", "5")
    assert process_time() - start < 20
    assert "stopped there: this takes more than 1.5 s of CPU time." in out
    assert refusal_of(capsys, "complexity", "addition(20)", "--seconds", "0.3") == (
        "error: this takes more than 0.3 s of CPU time.\nhint: ask for fewer scales or symbols, or for more --seconds.\n"
    )


def test_a_picture_is_drawn_without_naming_encodings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "parity.svg"
    assert main(["complexity", "parity_cot_aligned(6)", "--svg", str(place)]) == 0
    assert f"wrote {place}" in capsys.readouterr().err
    assert place.read_text(encoding="utf-8").startswith("<svg")
    assert refusal_of(capsys, "complexity", "copy", "--svg", ".") == (
        "error: cannot write '.': it names no file.\nhint: choose a path that can be written.\n"
    )


def test_what_has_no_complexity_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal_of(capsys, "complexity", "majority").startswith(
        "error: the circuit library has no problem that is written like the task 'majority'.\nhint: it has copy, "
    )
    assert "did you mean 'copy'?" in refusal_of(capsys, "complexity", "coppy")
    assert refusal_of(capsys, "complexity") == (
        "error: one of a problem, --all and --dimensions is needed.\nhint: for example: lengthwise complexity copy\n"
    )
    assert refusal_of(capsys, "complexity", "copy", "--scales", "99") == (
        "error: --scales is a whole number from 2 to 32; found 99.\nhint: for example --scales 12.\n"
    )
    assert refusal_of(capsys, "complexity", "copy", "--encoding", "fire").startswith(
        "error: no position relation is known for encoding 'fire', so it has no complexity of this kind.\n"
    )
    assert refusal_of(capsys, "complexity", "copy", "--exact", "0").startswith("error: --exact takes the largest arity")
    assert refusal_of(capsys, "complexity", "--all", "--scale-hint") == (
        "error: --scale-hint has no meaning with --all.\nhint: leave one of the two out.\n"
    )
    assert refusal_of(capsys, "complexity", "addition(77)").startswith("error: ")
    assert refusal_of(capsys, "complexity", "") == refusal_of(capsys, "complexity")
    assert refusal_of(capsys, "complexity", "copy", "--solver", "sat") == (
        "error: --solver has no meaning without --exact.\nhint: for example --exact 2 --solver sat.\n"
    )
    assert refusal_of(capsys, "complexity", "copy", "--seconds", "nan") == (
        "error: --seconds is a number above 0, at most 86400; found nan.\nhint: for example --seconds 60.\n"
    )
    assert "10⁹" in printed_by(capsys, "complexity", "--linear", "(2^64)^64")
