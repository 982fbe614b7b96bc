"""The grid of arXiv 2510.04130: its cells, what the conjecture says of them, how a cell is reported, and the whole command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_results import make_result

from lengthwise.cli.main import main
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.errors import UnknownNameError
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.store import Result
from lengthwise.model.shape import Shape
from lengthwise.papers.chen2025.comparison import GridComparison, draw_grid, outcomes_table, outcomes_to_json
from lengthwise.papers.chen2025.conjecture import count_agreement, exceptions, unknowns
from lengthwise.papers.chen2025.grid import ENCODINGS, PARTS, STAGES, GridCell, Stage
from lengthwise.papers.chen2025.outcomes import GridOutcome, is_enough, summarize_grid
from lengthwise.papers.chen2025.paper import PAPER
from lengthwise.tasks.core.problems import find_circuit
from lengthwise.theory.positions.circuits import needs_hint

TINY = Stage(name="tiny", shape=Shape(layers=1, heads=1, width=8), steps=4, rates=(0.003, 0.01))


def grid_cells(parts: Sequence[str] = (), only: Sequence[str] = ()) -> list[GridCell]:
    return [each for each in PAPER.select(parts, only) if isinstance(each, GridCell)]


def cell(task: str, encoding: str, part: str = "first") -> GridCell:
    return next(
        each for each in grid_cells([part]) if task in (each.task, each.task_title) and encoding == each.encoding_title
    )


def results(
    one: GridCell, stage: Stage, rate: float, shares: Sequence[tuple[float, ...]], loss: float = 0.1
) -> list[Result]:
    """Return results of a cell in a stage with a learning rate: for each seed its shares in the bins."""
    runs = [run for run in make_runs(one.specs(stage, len(shares))) if run.learning_rate == rate]
    return [
        make_result(run, row, steps=stage.steps, losses=((stage.steps, loss),))
        for run, row in zip(runs, shares, strict=True)
    ]


# The grid


def test_the_first_part_is_ten_encodings_on_six_tasks() -> None:
    cells = grid_cells()
    assert len(cells) == 60
    assert len({(each.task, each.encoding) for each in cells}) == 60


@pytest.mark.parametrize("part", PARTS)
def test_every_cell_can_be_planned(part: str) -> None:
    for each in grid_cells([part]):
        group = make_runs(each.specs(STAGES[0], 1))
        assert [str(bounds) for bounds in group[0].bins] == ["0–16", "32", "64", "128"]
        assert not group[0].training.stop_early


def test_the_ideal_encoding_of_a_cell_is_that_of_its_task() -> None:
    ideal = [each for each in grid_cells(["first", "plain", "outside"]) if each.encoding.startswith("ipe")]
    assert len(ideal) == 6 + 6 + 4
    for each in ideal:
        options = dict(find_encoding(each.encoding).options)
        circuit = find_circuit(str(options["circuit"]))
        assert options["eos"] is True
        assert needs_hint(circuit) == (each.task != "parity_cot_aligned")


def test_cells_are_found_by_what_they_are_called_or_by_what_is_trained() -> None:
    assert {each.encoding_title for each in grid_cells(only=["copy"])} == set(ENCODINGS)
    assert [each.task for each in grid_cells(only=["repeat_copy", "addition", "rope"])] == [
        "repeat_copy",
        "add_columns(5)",
    ]
    with pytest.raises(UnknownNameError, match="'copie' is unknown"):
        grid_cells(only=["copie"])
    with pytest.raises(UnknownNameError, match="part 'frist' is unknown"):
        grid_cells(["frist"])


# What the conjecture says

PREDICTED = {  # from the tables of our reconstruction; None where an encoding is no relation with labels
    "copy": {
        "nope": 0,
        "ape": 0,
        "rpe": 0,
        "rpe + hint": 1,
        "ipe + hint": 1,
        "lbpe": 0,
        "lbpe + hint": 1,
        "fire": None,
    },
    "shift": {"ape": 0, "rpe": 0, "rpe + hint": 0, "ipe + hint": 1, "lbpe + hint": 1},
    "reverse": {"ape": 0, "rpe": 0, "rpe + hint": 0, "ipe + hint": 1, "lbpe + hint": 1},
    "parity CoT": {"ape": 0, "rpe": 0, "rpe + hint": 0, "ipe + hint": 1, "lbpe": 0, "lbpe + hint": 1},
    "parity CoT aligned": {"ape": 0, "rpe": 1, "ipe + hint": 1, "lbpe + hint": 0},
}


def test_the_conjecture_says_what_the_tables_of_the_theory_say() -> None:
    for task, by_encoding in PREDICTED.items():
        for encoding, expected in by_encoding.items():
            opinion = cell(task, encoding).opinion()
            assert (None if opinion is None else opinion.predicted) == expected, (task, encoding)


def test_a_dictionary_without_the_relation_is_told_which_one_it_lacks() -> None:
    opinion = cell("copy", "lbpe").opinion()
    assert opinion is not None
    assert opinion.reason == "its relations do not include q − i = n"


def test_the_controls_are_predicted_to_fail() -> None:
    for each in grid_cells(["controls"]):
        opinion = each.opinion()
        assert opinion is None or opinion.predicted is False


# How a cell is reported

PERFECT, GOOD_THEN_BAD, UNFIT = (1.0, 1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), (0.5, 1.0, 1.0, 1.0)


def outcome(one: GridCell, *groups: list[Result], seeds: int = 5) -> GridOutcome:
    return summarize_grid([one], {result.id: result for group in groups for result in group}, seeds)[0]


def test_longer_scales_have_no_say_in_what_is_reported() -> None:
    one = cell("copy", "rpe")
    slow, fast = STAGES[0].rates
    few = results(one, STAGES[0], slow, [PERFECT] * 3 + [UNFIT] * 2)
    all_fit = results(one, STAGES[0], fast, [GOOD_THEN_BAD] * 5)
    found = outcome(one, few, all_fit)
    assert found.trial is not None
    assert (found.trial.rate, found.num_fitted, found.measured, found.agrees) == (fast, 5, False, True)
    lower = results(one, STAGES[0], slow, [PERFECT] * 5, loss=0.05)
    found = outcome(one, lower, all_fit)
    assert found.trial is not None
    assert (found.trial.rate, found.measured, found.agrees) == (slow, True, False)


def test_a_later_stage_counts_only_where_the_one_before_did_not_suffice() -> None:
    one = cell("copy", "nope")
    rate = STAGES[0].rates[0]
    later = results(one, STAGES[1], STAGES[1].rates[0], [PERFECT] * 5, loss=0.0)
    enough = outcome(one, results(one, STAGES[0], rate, [GOOD_THEN_BAD] * 4 + [UNFIT]), later)
    assert enough.trial is not None
    assert enough.trial.stage is STAGES[0]
    needed = outcome(one, results(one, STAGES[0], rate, [GOOD_THEN_BAD] * 3 + [UNFIT] * 2), later)
    assert needed.trial is not None
    assert needed.trial.stage is STAGES[1]


def test_what_did_not_fit_is_no_evidence() -> None:
    one = cell("copy", "ape")
    found = outcome(one, results(one, STAGES[0], STAGES[0].rates[0], [UNFIT] * 5))
    assert (found.num_fitted, found.measured, found.agrees) == (0, None, None)
    assert outcomes_table([found]).rows[0][4:8] == ["0/5", "[100]", "[100]", "[100]"]
    to_come = "Too few runs fit, and a further stage was not run: copy × ape."
    assert unknowns([found]) == ["No run fitted: copy × ape.", to_come]
    begun = results(one, STAGES[1], STAGES[1].rates[0], [UNFIT] * 5)
    runs = results(one, STAGES[0], STAGES[0].rates[0], [UNFIT] * 5)
    assert unknowns([outcome(one, runs, begun[:4])]) == ["No run fitted: copy × ape.", to_come]
    assert unknowns([outcome(one, runs, begun)]) == ["No run fitted: copy × ape."]
    assert unknowns([outcome(one)]) == ["Not run: copy × ape."]


def test_a_cell_with_missing_runs_is_neither_done_nor_measured() -> None:
    one = cell("copy", "rpe")
    first = results(one, STAGES[0], STAGES[0].rates[0], [PERFECT] * 5)[:1]
    found = outcome(one, first)
    assert found.measured is None
    assert outcomes_table([found]).rows[0][4] == "1/1, 4 to come"
    assert not is_enough(one, {result.id: result for result in first}, STAGES[0], 5)


def test_agreement_is_counted_and_every_exception_is_told() -> None:
    rate = STAGES[0].rates[0]
    made = {
        ("copy", "rpe + hint"): GOOD_THEN_BAD,  # predicted, not measured
        ("copy", "rpe"): PERFECT,  # measured, not predicted
        ("copy", "ipe + hint"): PERFECT,
        ("copy", "t5"): GOOD_THEN_BAD,
        ("copy", "rope"): GOOD_THEN_BAD,
        ("copy", "fire"): PERFECT,  # nothing is said of it
    }
    outcomes = [
        outcome(one, results(one, STAGES[0], rate, [shares] * 5))
        for (task, encoding), shares in made.items()
        for one in [cell(task, encoding)]
    ]
    labels, smooth, together = count_agreement(outcomes)  # nothing has a plain softmax
    assert (labels.yes_yes, labels.no_no, labels.yes_no, labels.no_yes) == (1, 1, 1, 1)
    assert (smooth.cells, smooth.agree, together.cells, together.agree) == (1, 1, 5, 3)
    told = exceptions(outcomes)
    assert len(told) == 2
    assert told[0].startswith("copy × rpe + hint: predicted to generalize (")
    assert told[0].endswith("measured not to: 0 % at 128, 0 of 5 fitted runs.")
    comparison = GridComparison(paper=PAPER, outcomes=outcomes, results=[])
    page = comparison.page().to_html()
    assert page.count("measured not to") == 1
    assert "not known to us" in page
    assert draw_grid(outcomes).count('class="framed"') == 2
    ElementTree.fromstring(draw_grid(outcomes))
    assert comparison.brief(narrow=False).to_markdown().count("\n- copy × ") == 2
    assert [each["agrees"] for each in outcomes_to_json(outcomes)] == [False, False, True, True, True, None]


# The command


@pytest.mark.full
def test_the_grid_is_trained_in_stages_and_never_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second = replace(TINY, name="again", steps=6, rates=(0.001,))
    monkeypatch.setattr(PAPER, "stages", (TINY, second))
    monkeypatch.chdir(tmp_path)
    given = ["reproduce", "chen2025", "--only", "copy,nope,rpe", "--seeds", "1", "--device", "cpu", "--workers", "1"]
    assert main([*given, "--dry-run"]) == 0
    told = capsys.readouterr()
    assert "4 of 4 models of the stage 'tiny' are still to be trained" in told.err
    assert "Not run: copy × nope, rpe." in told.out
    assert main([*given, "--quick"]) == 0
    told = capsys.readouterr()
    assert (
        "No run fitted: copy × nope, rpe.\nToo few runs fit, and a further stage was not run: copy × nope, rpe."
        in told.out
    )
    assert main([*given, "--markdown", "grid.md"]) == 0
    told = capsys.readouterr()
    assert "No run fitted: copy × nope, rpe." in told.out
    assert "a further stage" not in told.out
    assert (tmp_path / "chen2025.html").is_file()
    assert (tmp_path / "grid.md").is_file()
    assert main([*given, "--dry-run", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [each["runs"] for each in data["cells"]] == [1, 1]  # in both stages, as four steps fit nothing
    assert all(len(each["trials"]) == 3 for each in data["cells"])
    assert main([*given, "--dry-run"]) == 0
    told = capsys.readouterr()
    assert "0 of 4 models of the stage 'tiny'" in told.err
    assert "0 of 2 models of the stage 'again'" in told.err


def test_parts_belong_to_the_papers_that_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "huang2025", "--part", "first", "--dry-run"]) == 2
    known = "tasks, distances_g7, distances_g7_long, positions_g2, grid, grid_500, languages, all"
    assert f"part 'first' is unknown. Known: {known}." in capsys.readouterr().err
    assert main(["reproduce", "chen2025", "--only", "copy,lbpe_grown", "--dry-run"]) == 2
    assert "'lbpe_grown' is unknown" in capsys.readouterr().err
