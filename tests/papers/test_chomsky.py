"""The tasks of arXiv 2207.02098 and 2305.16843: fifteen tasks, their encodings, scores, and no figure that was not seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_results import make_result

from lengthwise.encodings.core.choice import find_encoding
from lengthwise.experiment.plan import make_runs
from lengthwise.papers.deletang2023.comparison import score
from lengthwise.papers.deletang2023.paper import PAPER as DELETANG
from lengthwise.papers.deletang2023.paper import LevelsPaper
from lengthwise.papers.deletang2023.tasks import LEVELS, NOISE_LENGTH, TEST_LENGTH
from lengthwise.papers.ruoss2023.paper import PAPER as RUOSS
from lengthwise.papers.sweep import SweepExperiment
from lengthwise.tasks.core.catalog import find_task

PAPERS = [DELETANG, RUOSS]


def test_there_are_fifteen_tasks_on_three_levels() -> None:
    assert {level: len(tasks) for level, tasks in LEVELS.items()} == {
        "regular": 4,
        "context_free": 4,
        "context_sensitive": 7,
    }
    every = [task for tasks in LEVELS.values() for task in tasks.values()]
    assert len(set(every)) == 15
    assert max(find_task(task).size(TEST_LENGTH) for task in every) <= NOISE_LENGTH


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_cell_can_be_planned(paper: LevelsPaper) -> None:
    cells = [cell for part in paper.parts for cell in paper.cells(part)]
    assert len(cells) == 75
    for cell in cells:
        (run, *_) = make_runs(cell.specs)
        assert (run.train_length, str(run.bins[-1])) == (40, "481–500")
    for encoding in paper.encodings.values():
        assert find_encoding(encoding)


def test_the_randomized_encodings_are_wrapped_around_the_plain_ones() -> None:
    plain = {name: encoding for name, encoding in DELETANG.encodings.items() if name != "none"}
    assert {name: RUOSS.encodings[f"noisy_{name}"] for name in plain} == {
        name: f"randomized({encoding}, length=2048)" for name, encoding in plain.items()
    }


def test_our_instances_differ_from_theirs_as_the_list_says() -> None:
    assert find_task("odds_first").answer(("a", "b", "a", "b")) == ["a", "a", "b", "b"]
    assert find_task("addition").answer(tuple("10+1=")) == ["1", "1"]
    assert 2 in find_task("stack_manipulation(paper)").lengths(0, 4)
    assert {length % 2 for length in find_task("missing_duplicate").lengths(0, 40)} == {0}
    assert {length % 2 for length in find_task("mod_arith").lengths(0, 40)} == {1}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_no_figure_is_shown_that_was_not_seen(paper: LevelsPaper) -> None:
    text = paper.describe().to_text()
    assert "No published figure is shown" in text
    assert "figures" not in {key for row in paper.to_json()["cells"] for key in row}  # type: ignore[attr-defined]
    page = Path(__file__).parents[2] / "docs" / "results" / "deletang2023.md"
    assert "**Not run yet.**" in page.read_text(encoding="utf-8")


def test_the_best_run_stands_beside_the_mean() -> None:
    (found,) = DELETANG.experiments(DELETANG.select(["regular"], ["even_pairs", "none"]), quick=False, seeds=2)
    assert isinstance(found, SweepExperiment)
    first, second = make_runs(found.specs("", {}))
    one = make_result(first, (), scores=((40, 2, 2), (41, 2, 2), (500, 2, 1)))
    two = make_result(second, (), scores=((40, 2, 1), (41, 2, 0), (500, 2, 1)))
    assert (score(one), score(two)) == (0.75, 0.25)
    comparison = found.compare({one.id: one, two.id: two})
    (row,) = [line.split() for line in comparison.brief(narrow=True).to_text(200).split("\n") if " even_pairs " in line]
    assert row == ["regular", "even_pairs", "none", "NO", "75.0", "50.0", "±", "35.4", "1/2", "75.0", "2/2"]
    json.dumps(comparison.to_json(), allow_nan=False)
    assert "mean of fitted" in comparison.page().to_html()
