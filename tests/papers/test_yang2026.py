"""The disputed pair of arXiv 2608.13433: equal search, which runs count, the exact test, and that the plan is what runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from made_results import make_result

from lengthwise.experiment.plan import Run, make_runs
from lengthwise.experiment.store import Result
from lengthwise.papers.sweep import SweepCell
from lengthwise.papers.yang2026.analysis import ENOUGH, FITTED, GOOD, JUDGED, answer_pair, counted_runs
from lengthwise.papers.yang2026.comparison import PairComparison, PairExperiment, released_answer, released_table
from lengthwise.papers.yang2026.pair import DEEP, ENCODINGS, FIRST, SECOND, SEEDS, WIDTHS, released_runs
from lengthwise.papers.yang2026.paper import PAPER
from lengthwise.papers.yang2026.suite import suite_agreement, suite_languages
from lengthwise.predict.predict import predict_task
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer

PLAN = Path(__file__).parents[2] / "docs" / "results" / "yang2026-plan.md"
PERFECT = (1.0,) * 10
SHORT = (1.0, 0.5, *(0.0,) * 8)
UNFIT = (0.5,) * 10


def cells(*parts: str, only: Sequence[str] = ()) -> list[SweepCell]:
    return [cell for cell in PAPER.select(parts, only) if isinstance(cell, SweepCell)]


def experiment(*only: str, part: str = "pair_16", seeds: int = SEEDS, quick: bool = False) -> PairExperiment:
    (found,) = PAPER.experiments(cells(part, only=only), quick=quick, seeds=seeds)
    assert isinstance(found, PairExperiment)
    return found


def results(runs: Sequence[Run], shares: Mapping[str, Sequence[float]]) -> list[Result]:
    return [make_result(run, shares[run.task]) for run in runs]


STATES = {FIRST: f"states({FIRST})", SECOND: f"states({SECOND})"}


def test_both_languages_get_the_published_grid() -> None:
    every = cells(*(f"pair_{width}" for width in WIDTHS))
    for encoding in ENCODINGS:
        grids = {
            language: {
                (spec.model, spec.learning_rate, spec.training)
                for cell in every
                if (cell.task_title, cell.encoding) == (language, encoding)
                for spec in cell.specs
            }
            for language in (FIRST, SECOND)
        }
        assert grids[FIRST] == grids[SECOND]
        assert len(grids[FIRST]) == 54
    deep = cells("pair_deep", only=[FIRST, "nope"])[0].specs
    assert len(deep) == 2 * len(DEEP) == 26
    for cell in (*every, *cells("pair_deep"), *cells("next_64")):
        assert str(make_runs(cell.specs[:1])[0].bins[-1]) == "451–500"


def test_the_plan_says_what_the_code_does() -> None:
    plan = PLAN.read_text(encoding="utf-8")
    flat = re.sub(r"\s+", " ", plan)
    assert (
        f"{SEEDS} seeds for each configuration. A configuration in which fewer than {ENOUGH} of them fit gets {SEEDS} more"
        in flat
    )
    assert f"at least {FITTED * 100:.0f} % at lengths 0–50" in flat
    assert f"A counted run is **good** if its exact match is at least {GOOD * 100:.0f} %" in flat
    assert f"Two ranges are judged: {JUDGED[0]} and {JUDGED[1]}" in flat
    assert f"The {ENOUGH} with the lowest seeds count" in flat
    assert "Encodings `nope`, `t5` and `ape`" in flat


def test_the_verdicts_are_those_that_the_plan_states() -> None:
    comparison = experiment().compare({})
    assert isinstance(comparison, PairComparison)
    rows = [row for row in comparison.brief(narrow=True).to_text(200).split("\n") if "states" in row and " of " in row]
    found = {(row.split()[0], row.split()[2]): row.split()[3] for row in rows}
    assert [found[FIRST, name] for name in ENCODINGS] == ["YES", "YES", "YES"]
    assert [found[SECOND, name] for name in ENCODINGS] == ["NO", "YES", "YES"]
    control = predict_task(find_task(SECOND), "nope")
    assert control.answer is Answer.YES, "asked for next symbols, where the last symbol is seen"


def test_only_configurations_that_both_languages_fit_are_counted() -> None:
    found = experiment("nope")
    runs = make_runs(found.specs("", {}))
    first, second = ([run for run in runs if run.task == STATES[language]] for language in (FIRST, SECOND))
    good = [make_result(run, PERFECT) for run in first]
    mixed = [make_result(run, SHORT if run.learning_rate == 0.001 else UNFIT) for run in second]
    answers = answer_pair(good, mixed)
    assert [answer.lengths for answer in answers] == list(JUDGED)
    near, _ = answers
    assert near.configurations == 9
    assert (near.first.good, near.first.runs, near.second.good, near.second.runs) == (90, 90, 0, 90)
    assert near.adjusted is not None
    assert near.adjusted < 1e-20
    assert {len(group) for group in counted_runs(good).values()} == {ENOUGH}
    assert {run.seed for group in counted_runs(good).values() for run in group} == set(range(ENOUGH))


def test_no_run_is_no_answer() -> None:
    near, far = answer_pair([], [])
    assert (near.configurations, near.first.rate, near.adjusted, far.second.rate) == (0, None, None, None)


def test_a_configuration_with_too_few_fitted_runs_gets_more_seeds_and_nothing_else_decides() -> None:
    found = experiment("nope", FIRST)
    runs = make_runs(found.specs("first seeds", {}))
    assert len(runs) == 18 * SEEDS
    slow = 0.0001
    known = {run.id: make_result(run, UNFIT if run.learning_rate == slow else SHORT) for run in runs}
    more = found.specs("more seeds", known)
    assert {spec.seeds for spec in more if spec.learning_rate == slow} == {2 * SEEDS}
    assert {spec.seeds for spec in more if spec.learning_rate != slow} == {SEEDS}
    some = dict(list(known.items())[: SEEDS // 2])
    assert {spec.seeds for spec in found.specs("more seeds", some)} == {SEEDS}, "runs are still missing"
    perfect = {run.id: make_result(run, PERFECT) for run in runs}
    assert found.specs("more seeds", perfect) == found.specs("first seeds", {})


def test_the_released_logs_are_as_published() -> None:
    runs = released_runs()
    assert len(runs) == 145
    best = max((run for run in runs if run.task == FIRST), key=lambda run: run.exact_match[2])
    assert (best.layers, best.heads, best.width, best.learning_rate) == (12, 8, 256, 1e-4)
    assert best.exact_match[:5] == (1, 1, 0.929, 0.478, 0.069)
    other = max((run for run in runs if run.task == SECOND), key=lambda run: run.exact_match[2])
    assert (other.layers, other.heads, other.width, other.exact_match[2]) == (18, 18, 1152, 0.412)
    assert [row[2:4] for row in released_table().rows] == [
        ["38", "35"], ["25", "25"], ["4", "4"], ["44", "37"], ["26", "26"], ["8", "8"],
    ]  # fmt: skip
    assert "1 of 64 on (ab|bbaa)* and 0 of 71 on (ab|aabb)*" in released_answer()
    assert "p = 0.47" in released_answer()
    page = PLAN.with_name("yang2026.md").read_text(encoding="utf-8")
    flat = re.sub(r"\s+", " ", page)
    for figure in ("1 of 64 fitted runs", "0 of 71", "0.04–8.4 % and 0–5.1 %", "p = 0.47"):
        assert figure in flat
        assert figure.removesuffix(" fitted runs") in released_answer()


def test_our_verdicts_are_the_authors_decisions_on_the_whole_suite() -> None:
    assert len(suite_languages()) == 125
    assert suite_agreement() == (
        "Our verdict without positions equals the authors' decision on C-RASP for 125 of 125 languages. Among the runs that they chose, "
        "65 of 65 on languages in C-RASP and 3 of 60 on the others are good at 101–150."
    )
    page = re.sub(r"\s+", " ", PLAN.with_name("yang2026.md").read_text(encoding="utf-8"))
    assert "125 of 125" in page
    assert "65 of 65 on languages in C-RASP and 3 of 60 on the others" in page
    chosen = suite_languages()[FIRST]
    assert (chosen.shape.layers, chosen.shape.heads, chosen.shape.width, chosen.learning_rate) == (12, 8, 256, 1e-4)


def test_the_suite_is_trained_with_the_chosen_configurations() -> None:
    found, deep = cells("suite"), cells("suite_deep")
    assert (len(found), len(deep)) == (192, 58)
    assert {spec.model.layers for cell in found for spec in cell.specs} == {1, 2, 4}
    suite = experiment("(bbac)*", part="suite")
    assert [spec.seeds for spec in suite.specs("first seeds", {})] == [5, 5]
    runs = make_runs(suite.specs("first seeds", {}))
    comparison = suite.compare({run.id: make_result(run, SHORT if run.seed else UNFIT) for run in runs})
    assert isinstance(comparison, PairComparison)
    rows = [
        line.split() for line in comparison.brief(narrow=True).to_text(200).split("\n") if line.startswith("(bbac)*")
    ]
    assert rows == [
        ["(bbac)*", encoding, "yes", "YES", "100", "/", "100", "0", "/", "0", "4/5", "of", "5"]
        for encoding in ("nope", "ape")
    ]
    json.dumps(comparison.to_json(), allow_nan=False)


@pytest.mark.parametrize("quick", [False, True])
def test_the_comparison_can_be_shown_without_any_run(quick: bool) -> None:
    comparison = experiment(quick=quick).compare({})
    assert "0 of " in comparison.brief(narrow=True).to_text()
    assert PAPER.standing[:40] in comparison.page().to_html()
    json.dumps(comparison.to_json(), allow_nan=False)
