"""Two stores side by side: what moved by more than chance, what only one has, and which revisions differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_runner import Runner
from made_results import make_result

from lengthwise.experiment.plan import hash_settings, make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store
from lengthwise.model.shape import Shape
from lengthwise.report.compare import compare_results, comparison_table
from lengthwise.report.statistics import description_of
from lengthwise.theory.claims import Answer


def cell(shares: Sequence[float], *, task: str = "parity", encoding: str = "nope", **settings: Any) -> list[Result]:
    """Return a fitted run for each share, which is its exact match at three times the training length."""
    spec = Spec(tasks=(task,), encodings=(encoding,), seeds=len(shares), train_length=4, test_length=12, **settings)
    return [make_result(run, [1.0, 1.0, share]) for run, share in zip(make_runs([spec]), shares, strict=True)]


def revised(results: Sequence[Result], revision: int, finished: str = "2026-11-19T10:00:00+00:00") -> list[Result]:
    """Return runs as another revision of the trainer would have made them."""
    changed = []
    for result in results:
        settings = {**result.settings, "trainer_revision": revision}
        origin = {**result.provenance, "finished": finished}
        changed.append(replace(result, settings=settings, id=hash_settings(settings), provenance=origin))
    return changed


BAD, GOOD = [0.1, 0.2, 0.3, 0.25, 0.15], [0.95, 0.96, 0.97, 0.98, 0.99]


def test_a_cell_that_fell_from_all_to_none_is_named_and_others_are_not() -> None:
    before = cell(GOOD) + cell(BAD, encoding="rope") + cell(GOOD, task="(aa)*")
    after = cell(BAD) + cell(BAD, encoding="rope") + cell(list(reversed(GOOD)), task="(aa)*")
    changes = compare_results(before, after).changes
    assert [(change.task, change.encoding) for change in changes] == [
        ("parity", "nope"),
        ("parity", "rope"),
        ("(aa)*", "nope"),
    ]
    assert [change.remark for change in changes] == [
        "success rate fell; median fell",
        "the same results",
        "no change beyond noise",
    ]
    fitted, success, center = changes[0].questions
    assert (fitted.has_moved, success.has_moved, center.has_moved) == (False, True, True)
    assert (success.before, success.after) == (1.0, 0.0)
    assert (center.before, center.after) == (0.97, 0.2)
    assert success.p == success.adjusted == pytest.approx(2 / 252)  # no other cell could have shown another rate
    assert center.adjusted == pytest.approx(3 * 2 / 252)  # every cell could have shown another median


def test_three_runs_on_each_side_are_too_few_to_tell() -> None:
    (change,) = compare_results(cell(GOOD[:3]), cell(BAD[:3])).changes
    assert change.remark == "too few runs to tell"
    assert [question.adjusted for question in change.questions] == [None, None, None]


def test_a_loss_of_fit_is_a_change_of_its_own() -> None:
    unfit = [replace(result, scores=((4, 1000, 500), *result.scores[1:])) for result in cell(GOOD)]
    (change,) = compare_results(cell(GOOD), unfit).changes
    assert change.remark == "share of fitted runs fell"
    assert change.questions[1].p == 1  # without a fitted run there is no success rate to compare


def test_settings_make_other_cells_and_seeds_do_not() -> None:
    before = cell(GOOD) + cell(GOOD, learning_rate=0.1)
    after = cell(GOOD[:4]) + cell(GOOD, model=Shape(width=64))
    found = compare_results(before, after)
    assert len(found.changes) == 1
    assert [result.learning_rate for result in found.only_before] == [0.1]
    assert [result.settings["model"]["width"] for result in found.only_after] == [64]


def test_revisions_that_differ_are_named_and_older_runs_are_left_out() -> None:
    before, after = revised(cell(GOOD), 3), revised(cell(BAD), 4)
    older = revised(cell(GOOD), 2, finished="2025-01-01T00:00:00+00:00")
    (change,) = compare_results(before, [*after, *older]).changes
    assert change.revisions == {"trainer": (3, 4)}
    assert change.remark == (
        "success rate fell; median fell; revision of trainer 3 → 4; 5 runs of other revisions left out"
    )


def test_the_table_has_a_column_for_every_setting_that_varies() -> None:
    results = cell(GOOD) + cell(BAD, learning_rate=0.1)
    table = comparison_table(compare_results(results, results))
    assert list(table.header[:3]) == ["task", "encoding", "learning_rate"]
    assert [row[2] for row in table.rows] == ["0.003", "0.1"]
    assert table.rows[0][3:8] == ["5/5", "5/5", "9–12", "97.0", "1.000"]


@pytest.fixture
def stores(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    for path, results in zip(paths, (cell(GOOD) + cell(GOOD, encoding="rope"), cell(BAD)), strict=True):
        with open_store(path) as store:
            store.save(results)
    return str(paths[0]), str(paths[1])


def test_the_command_prints_changes_and_what_only_one_has(
    stores: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runner(capsys)
    told = run.answers("compare", *stores)
    assert "parity  nope      5/5     5/5 → 0/5" in told
    assert "1 of 1 cells have changed by more than chance." in told
    assert f"Only in {stores[0]}: parity × rope." in told.replace("\n", " ")
    data = json.loads(run.answers("compare", *stores, "--json"))
    assert [test["moved"] for test in data["cells"][0]["tests"]] == [False, True, True]
    assert [only["encoding"] for only in data["only_in_first"]] == ["rope"]
    assert data["only_in_second"] == []


def test_a_store_that_is_not_there_is_a_sentence(stores: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        Runner(capsys).fails("compare", stores[0], "none.sqlite").startswith("error: there is no store 'none.sqlite'.")
    )


def test_a_prediction_that_has_changed_is_named() -> None:
    before, after = cell(GOOD), cell(GOOD)
    described = [description_of(result) for result in before]
    other = replace(described[0], verdict=replace(described[0].verdict, answer=Answer.UNKNOWN))
    (change,) = compare_results(before, [replace(result, description=other) for result in after]).changes
    assert change.predictions == ("NO", "UNKNOWN")
    assert change.remark == "the same results; prediction NO → UNKNOWN"
