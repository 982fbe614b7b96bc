"""Judging predictions: a YES by its success rate, a NO by a single run, and never by what most runs do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from report_cells import NO_TASK, YES_TASK, cell_of, make_results

from lengthwise.report.intervals import success_rate
from lengthwise.report.judging import MARKS_LEGEND, Standing, judge, measured_answer
from lengthwise.report.looking import KeptModels, challenged_blocks, failing_blocks
from lengthwise.report.results import brief_report, results_table
from lengthwise.report.results_data import to_json
from lengthwise.report.statistics import agreement, summarize
from lengthwise.theory.claims import Answer

Shares = Sequence[float]
GOOD, BAD = [1.0, 1.0, 0.95], [1.0, 0.5, 0.1]


def standings(predicted: Answer, num_runs: int) -> str:
    """Return the marks for 0 to all successes."""
    return "".join(
        judge(predicted, success_rate(successes, num_runs), challenged=False).mark for successes in range(num_runs + 1)
    )


def test_a_yes_is_judged_by_its_success_rate() -> None:
    assert standings(Answer.YES, 1) == "?✓", "one failure may be chance"
    assert standings(Answer.YES, 3) == "✗??✓"
    assert standings(Answer.YES, 5) == "✗✗✗??✓"
    assert standings(Answer.YES, 10) == "✗✗✗✗✗✗✗??✓✓"


def test_most_runs_are_not_enough_for_a_yes() -> None:
    assert judge(Answer.YES, success_rate(16, 30), challenged=False) is Standing.DIFFERS
    assert judge(Answer.YES, success_rate(27, 30), challenged=False) is Standing.AGREES


def test_a_no_is_judged_by_the_mirror_of_that() -> None:
    for num_runs in (1, 2, 3, 5, 10, 30):
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
            Standing.CHALLENGED,
            "challenged: 1 of 3 fitted runs generalize, and at least one is right at the longest lengths",
        ),
    ],
)
def test_a_cell_says_how_it_stands_with_its_counts(
    task: str, shares: Sequence[Shares], standing: Standing, remark: str
) -> None:
    cell = cell_of(task, "nope", shares)
    assert (cell.standing, cell.remark) == (standing, remark)


# Challenges


@pytest.mark.parametrize(
    ("shares", "hard", "challenges"),
    [
        ([1, 1, 0.99], {}, True),
        ([1, 1, 0.989], {}, False),
        ([0.98, 1, 1], {}, False),  # it does not fit
        ([1, 1, 1, 0.98], {}, False),  # success is judged at 3×, but there are longer tests
        ([1, 1, 1], {"pumped": ((12, 100, 99),)}, True),
        ([1, 1, 1], {"pumped": ((12, 100, 98),)}, False),
        ([1, 1, 1], {"pumped": ((4, 100, 50), (12, 100, 100))}, True),  # what counts are the longest
        ([1, 1, 1], {"pumped": ((8, 100, 100),)}, True),  # the longest that has pairs
        ([1, 1, 1], {"pumped": ((12, 100, 100),), "near": ((12, 100, 90),)}, False),
    ],
)
def test_one_run_that_is_right_throughout_challenges_a_no(
    shares: Shares, hard: dict[str, tuple[tuple[int, int, int], ...]], challenges: bool
) -> None:
    bad = [1.0, *[0.0] * (len(shares) - 1)]
    results = make_results(NO_TASK, "nope", [bad, bad, bad, shares])
    (cell,) = summarize([*results[:-1], replace(results[-1], hard=hard)])
    assert (cell.standing is Standing.CHALLENGED) is challenges
    assert [run.seed for run in cell.challengers] == [3] * challenges
    if challenges:
        assert cell.agrees is False
        assert agreement([cell]) == (0, 1)


def test_a_yes_cannot_be_challenged() -> None:
    assert cell_of(YES_TASK, "nope", [[1, 1, 1]]).challengers == ()


def test_challenged_cells_come_first_with_what_to_do_next() -> None:
    results = [
        *make_results(YES_TASK, "nope", [GOOD] * 3),
        *make_results(NO_TASK, "nope", [BAD] * 3),
        *make_results(NO_TASK, "ape", [BAD, BAD, [1, 1, 1]]),
    ]
    cells = summarize(results)
    assert [(cell.task, cell.encoding) for cell in cells] == [(NO_TASK, "ape"), (YES_TASK, "nope"), (NO_TASK, "nope")]
    assert results_table(cells).rows[0][-1].startswith("! challenged: 1 of 3 fitted runs")
    challenger = results[-1].id
    assert to_json(cells)[0]["challenged_by"] == [challenger]
    text = brief_report(cells).to_text(10_000)
    assert text.index("challenged") < text.index("task "), "before the table"
    assert "A NO counts as refuted only after somebody has looked inside the model." in text
    assert (
        f"It was not tested on hard instances: run the same command with --hard. To look inside run {challenger}"
        in text
    )
    kept = KeptModels(store="my runs.sqlite", runs=frozenset([challenger]))
    text = brief_report(cells, kept).to_text(10_000)
    assert f"Look inside: lengthwise inspect {challenger} --failures --store 'my runs.sqlite'" in text
    assert "## Challenged predictions" in brief_report(cells, kept).to_markdown()
    assert challenged_blocks(cells[1:], kept) == []


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
