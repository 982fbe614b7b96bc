"""Distance from a limit transformer against success: the grid, the distances, and what the tables say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from made_results import make_result

from lengthwise.errors import InvalidOptionError
from lengthwise.experiment.models import model_path, models_folder
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result
from lengthwise.model.shape import Shape
from lengthwise.papers.mechanism.comparison import MechanismComparison, MechanismExperiment
from lengthwise.papers.mechanism.distances import LimitDistance, measure_distance, read_distances, write_distances
from lengthwise.papers.mechanism.grid import SEEDS, STEPS, TASKS, WEIGHTS
from lengthwise.papers.mechanism.paper import PAPER
from lengthwise.papers.sweep import SweepCell
from lengthwise.predict.predict import predict_task
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer
from lengthwise.train.settings import Training


def experiment(*only: str, part: str = "unique_copy", seeds: int = SEEDS) -> MechanismExperiment:
    (found,) = PAPER.experiments(PAPER.select([part], only), quick=False, seeds=seeds)
    assert isinstance(found, MechanismExperiment)
    return found


@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_a_yes_with_ape_and_has_all_settings(task: str) -> None:
    assert predict_task(find_task(task), "ape").answer is Answer.YES
    specs = experiment(part=task).specs("", {})
    assert len(specs) == 2 * len(WEIGHTS)
    assert sum(spec.num_runs for spec in specs) == 160
    assert {(dict(spec.training.penalties).get("positional", 0.0), spec.model.log_n) for spec in specs} == {
        (weight, log_n) for weight in WEIGHTS for log_n in (False, True)
    }
    assert {(spec.training.steps, spec.training.stop_early) for spec in specs} == {(STEPS, False)}
    assert all(make_runs([spec]) for spec in specs)


@dataclass
class TinyTrainer:
    """Trains with models kept, in a folder."""

    folder: Path
    is_dry_run: bool = False
    device: str = "cpu"
    said: list[str] = field(default_factory=list)

    def train(self, specs: Sequence[Spec], stage: str = "", *, keep: bool = False) -> list[Result]:
        assert (stage, keep) == ("", True)
        return list(run_experiment(list(specs), self.folder / "s.sqlite", workers=1, device="cpu", keep=keep).results)

    def model_file(self, run_id: str) -> Path:
        return model_path(models_folder(self.folder / "s.sqlite"), run_id)

    def beside_store(self, ending: str) -> Path:
        return self.folder / f"s.{ending}"

    def say(self, text: str) -> None:
        self.said.append(text)


def tiny() -> MechanismExperiment:
    found = experiment("weight_0", "weight_0.01", seeds=1)
    training = Training(steps=2, batch=4, warmup=0, evaluate_every=1, examples=4, stop_early=False)
    cells = [
        replace(
            cell,
            specs=(
                replace(
                    cell.specs[0],
                    train_length=4,
                    test_length=8,
                    room=8,
                    model=Shape(layers=1, heads=2, width=8),
                    training=replace(training, penalties=cell.specs[0].training.penalties),
                ),
            ),
        )
        for cell in found.cells
        if isinstance(cell, SweepCell)
    ]
    return replace(found, cells=cells)


def test_models_are_kept_and_measured_once(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    trainer = TinyTrainer(tmp_path)
    comparison = tiny().measure(trainer)
    assert len(comparison.distances) == 2
    assert trainer.said == ["measuring the product functions of 2 models"]
    for run, distance in comparison.distances.items():
        assert measure_distance(trainer.model_file(run)) == distance
        assert distance.residual >= 0
        assert distance.beyond >= 0
    again = tiny().measure(trainer)
    assert len(trainer.said) == 1
    assert again.distances == comparison.distances
    assert torch.get_default_dtype() == torch.float32
    json.dumps(comparison.to_json(), allow_nan=False)


def test_distances_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "new" / "d.json"
    assert read_distances(file) == {}
    known = {"a": LimitDistance(residual=0.1, beyond=2.5), "b": LimitDistance(residual=0.0, beyond=1 / 3)}
    write_distances(file, known)
    assert read_distances(file) == known
    file.write_text("[1]")
    with pytest.raises(InvalidOptionError, match="holds no distances"):
        read_distances(file)


def test_the_tables_set_distance_against_success() -> None:
    found = experiment("weight_0", "weight_0.01")
    good, bad, unfit = (1.0, 1.0, 0.95), (1.0, 0.5, 0.1), (0.5, 0.5, 0.5)
    results, distances = [], {}
    for run in make_runs(found.specs("", {})):
        regularized = bool(dict(run.training.penalties))
        shares = unfit if run.seed == 0 else good if regularized else bad
        result = make_result(run, shares)
        results.append(result)
        distances[result.id] = LimitDistance(residual=0.1, beyond=0.2 if regularized else 2.0 + run.seed)
    compared = found.compare({result.id: result for result in results})
    assert isinstance(compared, MechanismComparison)
    text = replace(compared, distances=distances).brief(narrow=False).to_text(250)
    (row,) = [line.split() for line in text.split("\n") if "weight_0.01" in line]
    assert row == ["unique_copy", "weight_0.01", "15/16", "15/15", "100", "95.0", "0.1", "0.2", "16/16"]
    assert "0.2 / 10 (15 / 15 runs)" in text
    assert "15/15 against 0/15" in text
    assert "1.29e-08" in text, "two groups of 15 that do not overlap"


def test_nothing_is_claimed_without_runs() -> None:
    text = experiment().compare({}).brief(narrow=True).to_text()
    assert "0 of 160 runs are measured" in text
    assert "There are no published figures to compare." in text
