"""The tables of arXiv 2608.11909: their figures, the cells that train them again, and what is measured of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_runner import Runner
from made_results import make_result

from lengthwise.cli.main import main
from lengthwise.encodings.core.choice import find_encoding
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.store import Result
from lengthwise.papers.jerad2026.comparison import look_backs, mean_accuracy, perfect_length
from lengthwise.papers.jerad2026.paper import PAPER
from lengthwise.papers.jerad2026.tables import LANGUAGES, RATES, find_row, published_rows
from lengthwise.papers.sweep import SweepCell, SweepComparison, SweepExperiment
from lengthwise.tasks.core.catalog import find_task

# Typed from the paper: table, language, encoding, largest and mean accuracy, largest and mean N*.
TYPED = """
2 (aa)* RoPE_P 1.0 - 500 -
2 (ab)* NoPE 0.96 - 96 -
4 (aa)* RoPE_NP,10000 0.507 0.489 48 26.3
4 (ab)* RoPE_NP,1e+08 0.817 0.566 98 57.1
4 (aa)* SiPE_NP,1e-08 0.654 0.619 88 71.3
5 Σ*a RoPE_NP,0.0001 0.913 0.785 224 99.8
5 aΣ* NoPE 1.0 0.989 500 470.5
5 Σ*abΣ* RoPE_NP,1e+12 0.658 0.637 50 46.1
"""


def experiment(*only: str, part: str = "table2", quick: bool = False, seeds: int = 2) -> SweepExperiment:
    (found,) = PAPER.experiments(PAPER.select([part], only), quick=quick, seeds=seeds)
    assert isinstance(found, SweepExperiment)
    return found


def run_with(scores: tuple[tuple[int, int, int], ...]) -> Result:
    cell = PAPER.select()[0]
    assert isinstance(cell, SweepCell)
    return make_result(make_runs([replace(cell.specs[0], seeds=1)])[0], (), scores=scores)


def test_the_published_tables_are_those_of_the_paper() -> None:
    rows = {(row.table, row.language, row.title): row for row in published_rows()}
    assert len(rows) == 58
    for line in TYPED.strip().split("\n"):
        table, language, title, *numbers = line.split()
        row = rows[int(table), language, title.replace(",", " ")]
        shown = [None if number == "-" else float(number) for number in numbers]
        assert [*row.accuracy[:2], *row.perfect[:2]] == shown, line


@pytest.mark.parametrize(("part", "cells"), [("table2", 6), ("table4", 28), ("table5", 24), ("table5_full", 24)])
def test_every_row_can_be_planned_with_all_learning_rates(part: str, cells: int) -> None:
    found = PAPER.select([part])
    assert len(found) == cells
    for cell in found:
        assert isinstance(cell, SweepCell)
        runs = make_runs(cell.specs)
        assert tuple(dict.fromkeys(run.learning_rate for run in runs)) == RATES
        assert str(runs[0].bins[-1]) == "481–500"
        assert {run.training.steps for run in runs} == {10**6 if part.endswith("_full") else 10**5}
        assert find_row(cell).language == cell.task_title


def test_a_base_below_one_is_a_base() -> None:
    for base in ("1e-12", "0.0001", "1", "1000000000000"):
        assert find_encoding(f"rope(base={base})").card.name == "rope"
        assert find_encoding(f"sinusoidal(base={base})").card.name == "sinusoidal"
    assert len({cell.encoding for cell in PAPER.cells("table4")}) == 14


def test_the_languages_are_questions_of_membership() -> None:
    answers = {title: find_task(task).answer(tuple("abba")) for title, task in LANGUAGES.items() if title != "(aa)*"}
    assert answers == {"(ab)*": ["n"], "aΣ*": ["y"], "Σ*a": ["y"], "Σ*abΣ*": ["y"]}
    assert find_task(LANGUAGES["(aa)*"]).answer(("a",)) == ["n"]


def test_the_perfect_length_ends_before_the_first_error() -> None:
    assert perfect_length(run_with(((39, 2, 2), (40, 2, 2), (41, 2, 2), (42, 2, 1), (43, 2, 2)))) == 41
    assert perfect_length(run_with(((1, 2, 0), (2, 2, 2)))) == 0
    assert mean_accuracy(run_with(((40, 9, 0), (41, 2, 1), (42, 8, 8)))) == 0.75


def test_the_look_back_depends_on_the_base_and_on_rotations_only() -> None:
    assert look_backs(10_000.0, "RoPE_NP") == [0, 5654]
    assert look_backs(10_000.0, "SiPE_NP") == look_backs(None, "RoPE_P") == []


def test_a_small_base_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "(a|b)*a", "--encoding", "rope(base=1e-12)", "--length", "100", "--json"]) == 0
    assert "(base 1e-12, float32)" in capsys.readouterr().out


def test_published_stands_beside_measured() -> None:
    found = experiment("(aa)*", "RoPE_P")
    runs = make_runs(found.specs("", {}))
    scores = tuple((length, 4, 4) for length in (10, 40, 41, 500))
    results = [make_result(run, (), scores=scores) for run in runs[:3]]
    comparison = found.compare({result.id: result for result in results})
    assert isinstance(comparison, SweepComparison)
    text = comparison.brief(narrow=True).to_text(200)
    assert "3 of 6 runs are measured. Figures over some of the runs are no result yet." in text
    assert "(aa)*     RoPE_P    YES        100                 100 / 100" in text
    data = json.loads(json.dumps(comparison.to_json(), allow_nan=False))
    assert data["cells"][0]["perfect_length"] == [500, 500, 500]
    assert len(data["cells"][0]["runs"]) == 3
    assert "published beside measured" in comparison.page().to_html()


def test_quick_is_small_and_says_so() -> None:
    (spec,) = experiment("(aa)*", "NoPE", quick=True, seeds=1).specs("", {})
    assert (spec.model.layers, spec.training.steps, spec.seeds) == (2, 600, 1)
    assert "They are no result." in experiment(quick=True).compare({}).brief(narrow=True).to_text()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, tmp_path, "reproduce")


def test_the_command_shows_and_lists_the_paper(run: Runner) -> None:
    code, out, err = run("jerad2026", "--dry-run", "--only", "(ab)*,RoPE_P")
    assert (code, "RoPE_P" in out) == (0, True)
    assert err.startswith("dry run: 15 of 15 models are still to be trained, 1,500,000 model·steps. About ")
