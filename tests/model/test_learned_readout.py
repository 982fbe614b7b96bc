"""What a model has learned about positions, told as equations and drawn."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from lengthwise.cli.main import main
from lengthwise.encodings.core.pointing import STRIDE
from lengthwise.encodings.methods.lbpe import dictionaries_of
from lengthwise.encodings.relation_readout import in_circuit_notation
from lengthwise.experiment.models import models_folder, save_model
from lengthwise.experiment.plan import make_groups
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.stacks import stack_of
from lengthwise.model.shape import Shape

GAIN = 3.0


@pytest.fixture
def kept(tmp_path: Path) -> tuple[str, str]:
    """Return store and id of a model of copying, both heads of which attend to q − i = n and to nothing else."""
    spec = Spec(
        tasks=("repeat_copy",),
        encodings=("lbpe",),
        seeds=1,
        train_length=4,
        test_length=(8,),
        model=Shape(layers=1, heads=2, width=16),
    )
    ((run,),) = make_groups(spec)
    stack = stack_of([run])
    ((_, dictionary),) = dictionaries_of(stack.model.encoding)
    place = [str(in_circuit_notation(relation)) for relation in dictionary.relations].index("q − i = n")
    with torch.no_grad():
        dictionary.raw_MHR.zero_()
        dictionary.raw_MHR[..., place] = GAIN / STRIDE
    store = str(tmp_path / "runs.sqlite")
    save_model(run, stack.named_weights(0), models_folder(store))
    return store, run.id


def test_learned_relations_are_told_as_equations(
    kept: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, run_id = kept
    picture = tmp_path / "heads.svg"
    given = ["inspect", run_id[:8], "--store", store, "--instances", "4"]
    assert main([*given, "--svg", str(picture)]) == 0
    told = capsys.readouterr().out
    assert "layer 1, head 1  q − i = n  +3.0" in told
    assert "At 100% of the gates they point to every operand, and at" in " ".join(told.split())
    drawn = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    filled = [each for each in drawn.iter("{http://www.w3.org/2000/svg}rect") if each.get("fill-opacity") == "1.00"]
    assert len(filled) == 2 * 5  # one key for each token that is written, and at the end <sep>; in both heads


def test_learned_relations_are_data(kept: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    store, run_id = kept
    assert main(["inspect", run_id, "--store", store, "--instances", "4", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["relations"] == [{"layer": 1, "head": head, "equation": "q − i = n", "gain": GAIN} for head in (1, 2)]
    assert data["agreement"] == {"slots": [1.0], "gates": 1.0, "alone": 1.0}
