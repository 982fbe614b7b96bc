"""The appendix of arXiv 2410.02140: relations as products of position vectors (G.2), and copying every k-th token (G.7)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from made_results import make_result

from lengthwise.cli.main import main
from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.experiment.plan import make_groups, make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result
from lengthwise.papers.comparison import PublishedExperiment
from lengthwise.papers.huang2025.paper import PAPER, PARTS
from lengthwise.papers.huang2025.positions import (
    HOLDS,
    FittedRelation,
    PositionsComparison,
    PositionsExperiment,
    distances_of,
    read_fits,
    read_relations,
)
from lengthwise.papers.published import Published, PublishedPart
from lengthwise.tasks.core.catalog import find_task

# Relations of distances


def test_the_published_relations_hold_where_their_names_say() -> None:
    near = {name: distances_of(name)[:5] for name in HOLDS}
    assert near == {
        "one_back": (1,),
        "25_back": (25,),
        "last_2": (0, 1),
        "last_25": (0, 1, 2, 3, 4),
        "0_mod_3": (0, 3, 6, 9, 12),
        "2_mod_5": (2, 7, 12, 17, 22),
        "all_before": (1, 2, 3, 4, 5),
        "prime": (2, 3, 5, 7, 11),
        "one_back_or_0_mod_3": (0, 1, 3, 6, 9),
    }
    cells = read_relations()
    assert [(cell.relation, cell.width) for cell in cells] == [(name, width) for name in HOLDS for width in (32, 256)]
    assert {cell.kind for cell in cells} == {"local", "periodic", "neither", "local or periodic"}
    assert cells[0].published == (0.0124985492, 496.2664794922, 755.2360839844)
    assert all(len(cell.published) == 3 for cell in cells)


@dataclass
class HandTrainer:
    """Trains on the CPU beside a file in a folder, and remembers what was said."""

    folder: Path
    is_dry_run: bool = False
    device: str = "cpu"
    said: list[str] = field(default_factory=list)

    def train(self, specs: Any, stage: str = "", *, keep: bool = False) -> list[Result]:
        raise AssertionError(f"{specs} {stage} {keep}: relations are fitted, not trained")

    def model_file(self, run_id: str) -> Path:
        raise AssertionError(f"{run_id}: no model is kept")

    def beside_store(self, ending: str) -> Path:
        return self.folder / "new" / ending

    def say(self, text: str) -> None:
        self.said.append(text)


def measure(trainer: HandTrainer, *names: str, width: int = 3) -> PositionsComparison:
    cells = [
        FittedRelation(relation=name, text=name, kind="local", width=size, published=(1.0, 2.0, 3.0))
        for name in names
        for size in (width, width + 1)
    ]
    return PositionsExperiment(paper=PAPER, cells=cells, seeds=2, quick=False, steps=2).measure(trainer)


def test_fits_are_kept_and_not_made_twice(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    trainer = HandTrainer(tmp_path)
    first = measure(trainer, "one_back")
    both = measure(trainer, "0_mod_3", "one_back")
    assert [fit and fit.relation for fit in both.fits] == ["0_mod_3", "0_mod_3", "one_back", "one_back"]
    assert both.fits[2:] == first.fits  # with the seconds of the first time
    assert {fit.relation for fit in read_fits(trainer.beside_store("positions_g2.json"))} == {"one_back", "0_mod_3"}
    table = both.brief(narrow=True).to_text(120)
    assert table.count("one_back  local  ") == 2
    dry = HandTrainer(tmp_path, is_dry_run=True)
    seen = measure(dry, "one_back", "prime")
    assert dry.said == ["dry run: 2 of 4 relations are still to be fitted."]
    assert [fit is not None for fit in seen.fits] == [True, True, False, False]
    records: Any = seen.to_json()["cells"]
    assert [record["measured"] is None for record in records] == [False, False, True, True]
    assert "not run" in seen.page().to_html()


def test_wrong_names_files_and_numbers_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="task or encoding 'one_bakc' is unknown"):
        PAPER.select(["positions_g2"], ["one_bakc"])
    (experiment,) = PAPER.experiments(PAPER.select(["positions_g2"]), quick=True, seeds=0)
    with pytest.raises(InvalidOptionError, match="seeds must be a whole number from 1 to 1000; found 0"):
        experiment.measure(HandTrainer(tmp_path))
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InvalidOptionError, match="holds no fitted relations"):
        read_fits(tmp_path / "x.json")


# Copying with attention distance k

_, SHORT, LONG = PARTS
DISTANCES = [(part, cell) for part in (SHORT, LONG) for cell in part.published]


def finished(spec: Spec, shares: tuple[float, float, float], seed: int) -> Result:
    """Return a finished run with these shares of matches at the three ranges."""
    return make_result(make_runs([spec])[seed], shares)


def test_published_distances_are_the_runs_of_the_logs() -> None:
    assert len(DISTANCES) == 12
    tasks = ["copy_every(1)", "copy_every(2, 150, whole)", "copy_every(3, 150, whole)"]
    assert list(dict.fromkeys(cell.task for cell in SHORT.published)) == tasks
    means = {(cell.task, cell.encoding): cell.bins[1].mean for cell in SHORT.published}
    assert [round(100 * means[task, "nope"], 1) for task in tasks] == [77.0, 23.2, 11.6]
    assert min(means[task, "ape"] for task in tasks) > 0.999
    for number, (_, cell) in enumerate(DISTANCES):  # a number of tokens that is a multiple of k, after k − 1 marks
        assert {(length + 1) % (number // 2 % 3 + 1) for length in find_task(cell.task).lengths(0, 50)} == {0}
        assert find_task(cell.task).name == cell.task


@pytest.mark.parametrize(("part", "cell"), DISTANCES, ids=lambda each: getattr(each, "task", getattr(each, "name", "")))
def test_a_row_of_distances_can_be_trained_as_published(part: PublishedPart, cell: Published) -> None:
    spec = part.spec(cell, 5)
    ((first, *_),) = make_groups(spec)
    assert (first.train_length, first.test_length) in ((50, 150), (128, 384))
    assert not spec.training.stop_early
    assert (spec.training.steps, spec.training.warmup) == (30_000, 1_500)
    task = find_task(first.task)
    assert len(task.vocabulary) == spec.train_length * 3 + 5  # as many symbols as the longest input; # and four markers


def test_measured_distances_stand_beside_published_ones_and_other_settings_do_not() -> None:
    task = "copy_every(2, 150, whole)"
    (experiment,) = PAPER.experiments(PAPER.select(["distances_g7"], [task]), quick=False, seeds=3)
    assert isinstance(experiment, PublishedExperiment)
    ape, nope = experiment.specs("", {})
    longer = LONG.spec(next(cell for cell in LONG.published if cell.encoding == "ape"), 3)
    results = [
        finished(ape, (1.0, 0.9, 0.5), 0),
        finished(ape, (0.995, 0.7, 0.1), 1),
        finished(ape, (0.98, 0, 0), 2),
        finished(nope, (0.5, 0.0, 0.0), 0),
        finished(longer, (1.0, 1.0, 1.0), 0),
    ]
    one, two = experiment.compare({result.id: result for result in results}).cells
    assert (one.num_runs, one.num_counted, one.bins[1].values, one.best_fit) == (3, 2, (0.9, 0.7), 1.0)
    assert (two.num_runs, two.bins, two.best_fit) == (1, (), 0.5)
    assert two.remark == "no run fitted: no evidence (best 50.0 at 1×); 1 of 3 runs so far"
    assert one.published.configuration == "2l1h256d lr 0.0001, dropout 0.1"


# The command


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("distances_g7", "dry run: 15 of 15 models are still to be trained, 450,000 model·steps. About "),
        ("distances_g7_long", "dry run: 15 of 15 models are still to be trained, 450,000 model·steps. About "),
        ("positions_g2", "dry run: 9 of 9 relations are still to be fitted.\n"),
    ],
)
def test_every_appendix_experiment_is_a_part_of_reproduce(
    part: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["reproduce", "huang2025", "--part", part, "--quick", "--dry-run"]
    assert main(given) == 0
    assert capsys.readouterr().err.startswith(said)
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["part"] == part
    assert list(tmp_path.iterdir()) == []


def test_several_parts_are_reproduced_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["reproduce", "huang2025", "--part", "all", "--quick", "--dry-run", "--out", "page.html", "--json"]
    assert main(given) == 0
    data = json.loads(capsys.readouterr().out)
    assert [each.get("part", "search") for each in data] == [*(part.name for part in PARTS), "search", "positions_g2"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<h1>") == 1
    assert "<h2>huang2025: products of position vectors, published beside measured</h2>" in page
