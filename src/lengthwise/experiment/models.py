"""Trained models that were kept: one safetensors file for each run, in a folder beside the store.

A file holds the weights of one model and, as metadata, all settings of its run, so that it can be read without the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LengthwiseError, UnreadableFileError
from ..model.shape import Shape
from ..train.settings import TRAINER_REVISION, Training
from .plan import Run

if TYPE_CHECKING:
    from torch import Tensor

    from ..model.transformer import Transformer

FORMAT = 1
_ENDING = ".safetensors"


def models_folder(store: str | Path) -> Path:
    """Return the folder that holds the models of a store."""
    return Path(f"{store}.models")


def model_path(folder: str | Path, run_id: str) -> Path:
    """Return the file of a run's model."""
    return Path(folder) / f"{run_id}{_ENDING}"


def save_model(run: Run, weights: Mapping[str, Tensor], folder: str | Path) -> Path:
    """Write the trained weights of a run; return the file."""
    from ..train.checkpoints import write_checkpoint

    path = model_path(folder, run.id)
    write_checkpoint(path, weights, {"format": FORMAT, "run": run.settings})
    return path


def find_model(what: str, store: str | Path) -> Path:
    """Return the file of a kept model: a path, or the id of a run of a store, or the beginning of one that is unique."""
    if what.lower().endswith(_ENDING):
        return Path(what)
    folder = models_folder(store)
    known = sorted(path.stem for path in folder.glob(f"*{_ENDING}")) if folder.is_dir() else []
    found = [run_id for run_id in known if run_id.startswith(what)] if what else []
    if len(found) == 1:
        return model_path(folder, found[0])
    if not known:
        raise UnreadableFileError(
            f"there are no kept models in {str(folder)!r}.",
            hint="train with 'lengthwise run … --keep', or name another --store.",
        )
    seen = f"{what!r} is the beginning of {len(found)} of them" if found else f"none of them begins with {what!r}"
    listed = ", ".join(known[:5]) + (", …" if len(known) > 5 else "")
    raise UnreadableFileError(f"{str(folder)!r} has {len(known)} kept models, and {seen}.", hint=f"they are {listed}.")


def load_model(path: str | Path) -> tuple[Transformer, Run]:
    """Return the model in a file, and the run it comes from."""
    from ..tasks.bare import without_bos
    from ..tasks.catalog import find_task
    from ..train.checkpoints import read_checkpoint
    from ..train.stack import make_model

    if not Path(path).is_file():
        raise UnreadableFileError(f"there is no file {str(path)!r}.", hint="check the name.")
    found = read_checkpoint(path, "cpu")
    if found is None or "run" not in found[1]:
        raise UnreadableFileError(
            f"{str(path)!r} is not a kept model.", hint="these are written by 'lengthwise run … --keep'."
        )
    weights, notes = found
    if notes.get("format") != FORMAT:
        raise UnreadableFileError(
            f"{str(path)!r} has format {notes.get('format')!r}; this program reads format {FORMAT}.",
            hint="use the version of lengthwise that wrote it, or train again.",
        )
    run = _read_run(notes["run"], path)
    task = find_task(run.task)
    task = without_bos(task) if run.model.no_bos else task
    model = make_model(task, run.encoding, run.model, run.bins, num_models=1)
    named = dict(model.named_parameters())
    if {name: tensor.shape for name, tensor in named.items()} != {name: each.shape for name, each in weights.items()}:
        raise UnreadableFileError(
            f"the weights in {str(path)!r} are not those of {run.task} × {run.encoding} in this version.",
            hint="train again with --keep.",
        )
    for name, parameter in named.items():
        parameter.data.copy_(weights[name])
    return model, run


def _read_run(data: Any, path: str | Path) -> Run:
    """Return the run of settings; raise if they are of other revisions, or no settings at all."""
    # first: other revisions may have other settings
    if isinstance(data, dict) and data.get("trainer_revision") != TRAINER_REVISION:
        raise UnreadableFileError(
            f"{str(path)!r} was trained by revision {data.get('trainer_revision')} of the trainer; this is {TRAINER_REVISION}.",
            hint="train again with --keep.",
        )
    try:
        return _make_run(data)
    except (KeyError, TypeError, ValueError, LengthwiseError) as error:
        told = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)
        told = error.message if isinstance(error, LengthwiseError) else told
        raise UnreadableFileError(
            f"the settings in {str(path)!r} are not those of a run in this version: {told.rstrip('.')}.",
            hint="use the version of lengthwise that wrote it, or train again with --keep.",
        ) from None


def _make_run(data: Mapping[str, Any]) -> Run:
    settings = dict(data)
    training = dict(settings["training"])
    penalties = dict(training.pop("penalties", {}))
    if weight := training.pop("regularizer", 0.0):
        penalties["positional"] = weight
    tested = settings["test_length"]
    settings |= {
        "model": Shape(**settings["model"]),
        "training": Training(**training, penalties=tuple(sorted(penalties.items()))),
        "test_length": tuple(tested) if isinstance(tested, list) else tested,
    }
    return Run(**settings)
