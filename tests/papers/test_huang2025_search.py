"""The search of arXiv 2410.02140: its grid, the two rules of selection, and the released logs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from made_results import make_result

from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.store import Result
from lengthwise.papers.huang2025.paper import PAPER
from lengthwise.papers.huang2025.search import SearchComparison, SearchExperiment, choose, count_logged
from lengthwise.papers.huang2025.search_grid import languages, logged_runs, published_means
from lengthwise.papers.sweep import SweepCell
from lengthwise.tasks.core.catalog import find_task


def experiment(*only: str, part: str = "grid", seeds: int = 5, quick: bool = False) -> SearchExperiment:
    (found,) = PAPER.experiments(PAPER.select([part], only), quick=quick, seeds=seeds)
    assert isinstance(found, SearchExperiment)
    return found


def test_every_cell_has_the_54_configurations_once() -> None:
    sizes = {"grid": 8 * 4, "grid_500": 6 * 4, "languages": 17 * 3}
    for part, number in sizes.items():
        cells = [cell for cell in PAPER.select([part]) if isinstance(cell, SweepCell)]
        assert len(cells) == number
        for cell in cells:
            assert len(set(cell.specs)) == 54
            (run,) = make_runs([replace(cell.specs[0], seeds=1)])
            assert run.bins[-1].high == (150 if part == "grid" else 500)
    weights = {
        cell.encoding_names[0]: cell for cell in PAPER.select(["grid"], ["parity"]) if isinstance(cell, SweepCell)
    }
    assert dict(weights["ape_0.001"].specs[0].training.penalties) == {"positional": 0.001}
    assert list(weights) == ["nope", "ape_0", "ape_0.0001", "ape_0.001"]


def test_the_languages_are_those_of_the_catalogue() -> None:
    assert len(languages()) == 17
    for name in languages():
        assert find_task(name).lengths(0, 50)
    assert published_means("TOMITA_4", "ape_0") == (1.0, 0.854, 0.844)
    assert published_means("(aa)*", "ape_0.0001") == (1.0, 1.0, 1.0)
    assert published_means("sort", "ape_0.0001") == (1.0, 0.9999, 0.9956)
    assert published_means("parity", "ape_0.001") is None, "no run counted"
    assert published_means("sort", "nope") is None


def test_the_released_search_is_as_published() -> None:
    assert len(logged_runs()) == 576
    unique = [run for run in logged_runs() if (run.task, run.encoding) == ("unique_copy", "ape")]
    assert count_logged(unique) == "17 / 2 of 54"
    page = (Path(__file__).parents[2] / "docs" / "results" / "huang2025.md").read_text(encoding="utf-8")
    assert "17 make no error at training lengths, and 2 of these 17" in re.sub(r"\s+", " ", page)


def search_results(found: SearchExperiment, shares: dict[int, Sequence[float]]) -> dict[str, Result]:
    """Return a result for every configuration, with these shares for some and an unfitted one for the others."""
    runs = make_runs(found.specs("search", {}))
    made = [make_result(run, shares.get(number, (0.5, 0.4, 0.3))) for number, run in enumerate(runs)]
    losses = {3: 0.5, 7: 0.01}
    return {each.id: replace(each, losses=((20, losses.get(number, 1.0)),)) for number, each in enumerate(made)}


def test_the_two_rules_choose_by_what_they_say() -> None:
    found = experiment("unique_copy", "ape_0")
    cell = found.cells[0]
    assert [spec.seeds for spec in found.specs("search", {})] == [1] * 54
    known = search_results(found, {3: (1.0, 0.99, 0.9), 7: (1.0, 0.2, 0.0), 9: (0.999, 1.0, 1.0)})
    ours, published = choose([replace(spec, seeds=1) for spec in cell.specs], known)
    assert ours == replace(cell.specs[7], seeds=1), "the lowest loss of those that fit"
    assert published == replace(cell.specs[3], seeds=1), "the best at 51–100 of those that fit"
    assert [number for number, spec in enumerate(found.specs("seeds", known)) if spec.seeds == 5] == [3, 7]
    some = dict(list(known.items())[:-1])
    assert {spec.seeds for spec in found.specs("seeds", some)} == {1}, "the search is not finished"


def test_the_tables_count_configurations_and_show_both_choices() -> None:
    found = experiment("unique_copy", "ape_0")
    known = search_results(found, {3: (1.0, 0.99, 0.9), 7: (1.0, 0.2, 0.0)})
    for run in make_runs(found.specs("seeds", known)):
        if run.seed:
            result = make_result(run, (1.0, 0.8, 0.5) if run.seed < 4 else (0.9, 0.9, 0.9))
            known[result.id] = result
    comparison = found.compare(known)
    assert isinstance(comparison, SearchComparison)
    text = comparison.brief(narrow=True).to_text(250)
    assert "17 / 2 of 54" in text
    assert "2 / 1 of 54" in text
    assert "80.0 / 50.0 (4/5)" in text
    data = json.loads(json.dumps(comparison.to_json(), allow_nan=False))
    assert data["cells"][0]["chosen"] == {
        "training_lengths": "1l2h16d lr 0.0001",
        "published_rule": "1l1h64d lr 0.0001",
    }
    assert "62 of 62 runs" in text


def test_nothing_is_claimed_of_languages_without_the_warning() -> None:
    text = experiment("(aa)*", part="languages").compare({}).brief(narrow=True).to_text(250)
    assert "contradict themselves" in text
    assert "0 of 162 runs are measured" in text
    (spec,) = experiment("(aa)*", "ape_0", part="languages", quick=True, seeds=1).specs("search", {})
    assert spec.training.steps == 600
