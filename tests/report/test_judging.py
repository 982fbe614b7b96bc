"""Judging predictions: a YES by its success rate, a NO by a single run, and never by what most runs do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from report_cells import NO_TASK, YES_TASK, cell_of, make_results

from lengthwise.report.intervals import success_rate
from lengthwise.report.judging import MARKS_LEGEND, Agreement, Standing, agreement, judge, measured_answer
from lengthwise.report.judging import PUMPED as PUMPED_PAIRS
from lengthwise.report.looking import KeptModels, challenged_blocks, failing_blocks, untested_blocks
from lengthwise.report.results import brief_report, results_table, summary
from lengthwise.report.results_data import to_json
from lengthwise.report.statistics import summarize
from lengthwise.tasks.hard import pumped
from lengthwise.theory.claims import Answer

Shares = Sequence[float]
GOOD, BAD = [1.0, 1.0, 0.95], [1.0, 0.5, 0.1]


def standings(predicted: Answer, num_runs: int) -> str:
    """Return the marks for 0 to all successes."""
    return "".join(
        judge(predicted, success_rate(successes, num_runs), challenged=False).mark for successes in range(num_runs + 1)
    )


def test_a_yes_is_judged_by_its_success_rate() -> None:
    assert standings(Answer.YES, 3) == "✗??✓"
    assert standings(Answer.YES, 5) == "✗✗✗??✓"
    assert standings(Answer.YES, 10) == "✗✗✗✗✗✗✗??✓✓"


def test_most_runs_are_not_enough_for_a_yes() -> None:
    assert judge(Answer.YES, success_rate(16, 30), challenged=False) is Standing.DIFFERS
    assert judge(Answer.YES, success_rate(27, 30), challenged=False) is Standing.AGREES


def test_fewer_than_three_fitted_runs_neither_agree_nor_differ() -> None:
    for answer in (Answer.YES, Answer.NO):
        assert standings(answer, 1) == "??"
        assert standings(answer, 2) == "???"
    assert [str(measured_answer(success_rate(2, number))) for number in (2, 3)] == ["UNKNOWN", "UNKNOWN"]
    for shares in ([GOOD], [GOOD, GOOD], [[0.5, 0, 0], GOOD, GOOD]):
        cell = cell_of(YES_TASK, "nope", shares)
        assert (cell.standing, cell.agrees, cell.measured) == (Standing.UNDECIDED, None, Answer.UNKNOWN)
        assert cell.remark == f"too few runs: {cell.num_fitted} of {cell.num_fitted} fitted runs generalize"
    assert judge(Answer.NO, success_rate(1, 1), challenged=True) is Standing.CHALLENGED, "one run is enough for that"


def test_the_headline_counts_what_agrees_differs_and_is_undecided() -> None:
    """Luck must not turn into agreement: of cells with one run or two, none is counted as agreeing."""
    cells = [cell_of(task, "nope", shares) for task, shares in ((YES_TASK, [GOOD]), (NO_TASK, [BAD, BAD]))]
    said = summary(cells)
    assert said == (
        "Prediction and measurement: 0 agree, 0 differ, 2 undecided of the 2 cells with a prediction and a run that fits the "
        "training lengths."
    )
    cells += [
        cell_of(YES_TASK, "ape", [GOOD] * 3),
        cell_of(NO_TASK, "ape", [GOOD] * 3),
        cell_of(YES_TASK, "alibi", [[0, 0, 0]]),
    ]
    cells[0] = replace(cells[0], verdict=replace(cells[0].verdict, answer=Answer.UNKNOWN))
    assert summary(cells) == (
        "Prediction and measurement: 1 agree, 1 differ, 1 undecided of the 3 cells with a prediction and a run that fits the "
        "training lengths. Not counted: 1 without a fitted run and 1 without a prediction."
    )
    assert summary(cells[-1:]) == "No cell has both a prediction and a run that fits the training lengths."


def test_a_no_is_judged_by_the_mirror_of_that() -> None:
    for num_runs in (3, 5, 10, 30):
        assert standings(Answer.NO, num_runs) == standings(Answer.YES, num_runs)[::-1]


def test_an_unknown_is_not_judged_and_no_fitted_run_judges_nothing() -> None:
    assert judge(Answer.UNKNOWN, success_rate(3, 3), challenged=False) is Standing.NO_PREDICTION
    for answer in Answer:
        assert judge(answer, None, challenged=False) is Standing.NO_EVIDENCE
    assert measured_answer(None) is Answer.UNKNOWN


def test_every_standing_has_a_mark_of_its_own_that_the_legend_explains() -> None:
    marks = [standing.mark for standing in Standing]
    assert len(set(marks)) == len(marks)
    assert all(f"{mark} " in MARKS_LEGEND for mark in marks)


@pytest.mark.parametrize(
    ("task", "shares", "standing", "remark"),
    [
        (YES_TASK, [GOOD] * 3, Standing.AGREES, "agrees"),
        (YES_TASK, [GOOD] * 9 + [BAD], Standing.AGREES, "agrees: came true in 9 of 10 fitted runs"),
        (YES_TASK, [GOOD, GOOD, BAD], Standing.UNDECIDED, "undecided: came true in 2 of 3 fitted runs"),
        (YES_TASK, [GOOD, BAD, BAD], Standing.UNDECIDED, "undecided: came true in 1 of 3 fitted runs"),
        (YES_TASK, [BAD] * 3, Standing.DIFFERS, "a solution exists, but 0 of 3 fitted runs found it"),
        (YES_TASK, [[0.9, 1, 1]] * 2, Standing.NO_EVIDENCE, "no evidence: no run fitted"),
        (NO_TASK, [BAD] * 3, Standing.AGREES, "agrees"),
        (
            NO_TASK,
            [BAD] * 9 + [GOOD],
            Standing.AGREES,
            "agrees, but 1 of 10 fitted runs are better than predicted at these lengths",
        ),
        (NO_TASK, [BAD, BAD, GOOD], Standing.UNDECIDED, "better than predicted at these lengths in 1 of 3 fitted runs"),
        (NO_TASK, [GOOD] * 3, Standing.DIFFERS, "better than predicted at these lengths in 3 of 3 fitted runs"),
        (
            NO_TASK,
            [BAD, BAD, [1, 1, 0.99]],
            Standing.UNDECIDED,
            "better than predicted at these lengths in 1 of 3 fitted runs; may challenge the NO: test it with --hard",
        ),
    ],
)
def test_a_cell_says_how_it_stands_with_its_counts(
    task: str, shares: Sequence[Shares], standing: Standing, remark: str
) -> None:
    cell = cell_of(task, "nope", shares)
    assert (cell.standing, cell.remark) == (standing, remark)


# Challenges


PUMPED = {"pumped": ((12, 100, 99),)}
NO, MAY, YES = "no challenge", "may challenge", "challenge"


@pytest.mark.parametrize(
    ("shares", "hard", "outcome"),
    [
        ([1, 1, 0.99], PUMPED, YES),
        ([1, 1, 0.989], PUMPED, NO),
        ([0.98, 1, 1], PUMPED, NO),  # it does not fit
        ([1, 1, 1, 0.98], PUMPED, NO),  # success is judged at 3×, but there are longer tests
        ([1, 1, 1], {"pumped": ((12, 100, 98),)}, NO),
        ([1, 1, 1], {"pumped": ((4, 100, 50), (12, 100, 100))}, YES),  # pairs of trained lengths do not count
        ([1, 1, 1], {"pumped": ((8, 100, 50), (12, 100, 100))}, NO),  # all longer ones do
        ([1, 1, 1], {"pumped": ((8, 100, 100),)}, YES),  # the longest that has pairs
        ([1, 1, 1], PUMPED | {"near": ((12, 100, 90),)}, NO),
        ([1, 1, 1], PUMPED | {"near": ((4, 100, 90),)}, YES),
        ([1, 1, 1], {}, MAY),
        ([1, 1, 1], {"pumped": ((4, 100, 100),)}, MAY),  # none is longer than in training
        ([1, 1, 1], {"near": ((12, 100, 100),)}, MAY),
        ([1, 1, 1], {"near": ((12, 100, 90),)}, NO),
        ([1, 1, 0.98], {}, NO),
    ],
)
def test_one_run_challenges_a_no_if_it_is_right_at_the_end_and_on_longer_pumped_pairs(
    shares: Shares, hard: dict[str, tuple[tuple[int, int, int], ...]], outcome: str
) -> None:
    bad = [1.0, *[0.0] * (len(shares) - 1)]
    results = make_results(NO_TASK, "nope", [bad, bad, bad, shares])
    (cell,) = summarize([*results[:-1], replace(results[-1], hard=hard)])
    assert (cell.standing is Standing.CHALLENGED) is (outcome == YES)
    assert [run.seed for run in cell.challengers] == [3] * (outcome == YES)
    assert [run.seed for run in cell.may_challenge] == [3] * (outcome == MAY)
    assert ("may challenge the NO" in cell.remark) is (outcome == MAY)
    if outcome == YES:
        assert cell.agrees is False
        assert agreement([cell.standing]) == Agreement(agree=0, differ=1, undecided=0)
        assert "0 agree, 1 differ (1 challenged), 0 undecided of the 1 cell with" in summary([cell])


def test_pumped_pairs_are_the_hard_set_of_that_name() -> None:
    assert PUMPED_PAIRS == pumped.KIND


def test_a_bin_of_trained_lengths_challenges_nothing() -> None:
    """A language can lack instances of all longer lengths that were tested."""
    (result,) = make_results(NO_TASK, "nope", [[1, 1, 1]])
    (cell,) = summarize([replace(result, scores=((4, 100, 100),), hard=PUMPED)])
    assert not cell.fitted[0].is_right_at_the_end
    assert cell.challengers == cell.may_challenge == ()


def test_a_yes_cannot_be_challenged() -> None:
    assert cell_of(YES_TASK, "nope", [[1, 1, 1]]).challengers == ()


def test_challenged_cells_come_first_with_what_to_do_next() -> None:
    results = [
        *make_results(YES_TASK, "nope", [GOOD] * 3),
        *make_results(NO_TASK, "nope", [BAD] * 3),
        *make_results(NO_TASK, "ape", [BAD, BAD, [1, 1, 1]]),
    ]
    results[-1] = replace(results[-1], hard=PUMPED)
    cells = summarize(results)
    assert [(cell.task, cell.encoding) for cell in cells] == [(NO_TASK, "ape"), (YES_TASK, "nope"), (NO_TASK, "nope")]
    assert results_table(cells).rows[0][-1].startswith("! challenged: 1 of 3 fitted runs")
    challenger = results[-1].id
    assert to_json(cells)[0]["challenged_by"] == [challenger]
    text = brief_report(cells).to_text(10_000)
    assert text.index("challenged") < text.index("task "), "before the table"
    assert "and on hard instances longer than in training, pumped pairs among them." in text
    assert "A NO counts as refuted only after somebody has looked inside the model." in text
    assert f"at the longest lengths. To look inside run {challenger}, train with --keep" in text
    kept = KeptModels(store="my runs.sqlite", runs=frozenset([challenger]))
    text = brief_report(cells, kept).to_text(10_000)
    assert f"Look inside: lengthwise inspect {challenger} --failures --store 'my runs.sqlite'" in text, (
        "ape has no room"
    )
    assert "## Challenged predictions" in brief_report(cells, kept).to_markdown()
    assert challenged_blocks(cells[1:], kept) == []


def test_a_run_that_was_not_tested_on_pumped_pairs_is_told_with_what_to_do_next() -> None:
    results = make_results(NO_TASK, "nope", [BAD, BAD, [1, 1, 1]])
    cells = summarize(results)
    candidate = results[-1].id
    assert to_json(cells)[0]["may_challenge"] == [candidate]
    assert to_json(cells)[0]["challenged_by"] == challenged_blocks(cells, None) == []
    kept = KeptModels(store="runs.sqlite", runs=frozenset([candidate]))
    text = brief_report(cells, kept).to_text(10_000)
    assert (
        f"  - {NO_TASK} × nope: seed 2 has 100 % at the longest lengths. Test it with --hard. Look for longer instances that "
        f"fail: lengthwise inspect {candidate} --failures --lengths 13-24 --store runs.sqlite"
    ) in text
    assert "and on all hard instances" not in text, "it was tested on none"
    assert "Predictions that may be challenged" in brief_report(cells).to_markdown()
    tested = summarize([*results[:-1], replace(results[-1], hard={"near": ((12, 100, 100),)})])
    assert (
        "; may challenge the NO: there are no pumped pairs of the tested lengths; test it at longer lengths"
        in tested[0].remark
    )
    two = summarize([*results, *make_results(NO_TASK, "alibi", [[1, 1, 1]])])
    assert untested_blocks(two, None, most=1)[-1].to_markdown() == "… and 1 more cell with such runs."


# Failing runs


def test_failing_runs_that_were_kept_are_listed_with_the_command_that_looks_at_them() -> None:
    results = [*make_results(NO_TASK, "nope", [BAD]), *make_results(YES_TASK, "nope", [GOOD, BAD, [1, 0.9, 0.8]])]
    cells = summarize(results)
    kept = KeptModels(store="runs.sqlite", runs=frozenset(result.id for result in results))
    _, _, items = failing_blocks(cells, kept)
    first, second = items.to_text(10_000, lambda text, _: text).split("\n")
    assert first == (
        f"  - {YES_TASK} × nope, predicted YES: seed 1 has 10.0 % at 3×. "
        f"lengthwise inspect {results[2].id} --failures --store runs.sqlite"
    )
    assert second.startswith(f"  - {NO_TASK} × nope, predicted NO: seed 0 has 10.0 % at 3×. ")
    assert len(failing_blocks(cells, kept, most=1)) == 4, "and how many more there are"
    assert failing_blocks(cells, None) == failing_blocks(cells, replace(kept, runs=frozenset())) == []
