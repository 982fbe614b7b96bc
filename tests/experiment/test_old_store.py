"""A store that version 0.1.0 wrote is read, reported with the same figures, and gone on with.

``old_store.sqlite`` holds 24 tiny runs; ``old_report.json`` is what that version's ``report --json`` said of them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from command_runner import Runner

from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import read_store
from lengthwise.model.shape import Shape
from lengthwise.train.settings import Training

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "old_report.json").read_text(encoding="utf-8"))
SPEC = Spec(
    tasks=("parity", "(aa)*", "bin_majority", "swap_pairs"),
    encodings=("nope", "rope", "scale_hint(rpe)"),
    seeds=2,
    train_length=4,
    test_length=12,
    hard=True,
    model=Shape(layers=1, heads=1, width=8),
    training=Training(steps=40, evaluate_every=20, examples=20, batch=8),
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    shutil.copy(HERE / "old_store.sqlite", tmp_path / "old.sqlite")  # reading makes files beside a store
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return Runner(capsys, tmp_path)


def test_an_old_store_is_reported_with_the_figures_of_its_day(run: Runner) -> None:
    outcome = run("report", "old.sqlite", "--json", "--markdown", "old.md")
    assert outcome.code == 0
    assert "these runs are of revision 3 of the trainer; this version has revision 4" in outcome.err
    found = json.loads(outcome.out)
    assert len(found) == len(EXPECTED) == 12
    for cell, expected in zip(found, EXPECTED, strict=True):
        assert {name: cell["best" if name == "best_at_longest" else name] for name in expected} == expected
        assert "baselines" not in cell, "what shortcuts reach was not stored then"
    text = (run.folder / "old.md").read_text(encoding="utf-8")
    assert text.count("| bin_majority | rope |") > 1, "once with its figures, and with those of hard instances"
    page = (run.folder / "lengthwise-report.html").read_text(encoding="utf-8")
    assert page.count('<section class="panel">') == 4


def test_the_runs_of_an_old_store_have_the_ids_of_today_apart_from_the_revision_of_the_trainer(run: Runner) -> None:
    with read_store(run.folder / "old.sqlite") as store:
        stored = store.results()
    planned = [replace(planned, trainer_revision=3, room=None) for planned in make_runs([SPEC])]
    assert {result.id for result in stored} == {run.id for run in planned}
    assert run("store", "verify", "old.sqlite").code == 0
