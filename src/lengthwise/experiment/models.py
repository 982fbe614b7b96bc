"""Trained models that were kept: one safetensors file for each run, in a folder beside the store.

A file holds the weights of one model and, as metadata, all settings of its run, so that it can be read without the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnreadableFileError
from ..files import keep_input
from ..train.settings import TRAINER_REVISION
from .plan import Run
from .run_settings import run_from_settings

if TYPE_CHECKING:
    from torch import Tensor

    from ..encodings.core.choice import Choice as Encoding
    from ..model.transformer import Transformer
    from ..tasks.core.task import Task

_READABLE = (3, TRAINER_REVISION)  # revisions of the trainer whose models have the same parts
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


def kept_runs(store: str | Path) -> frozenset[str]:
    """Return the ids of the runs of a store whose models were kept."""
    folder = models_folder(store)
    return frozenset(path.stem for path in folder.glob(f"*{_ENDING}")) if folder.is_dir() else frozenset()


def find_model(what: str, store: str | Path) -> Path:
    """Return the file of a kept model: a path, or the id of a run of a store, or the beginning of one that is unique."""
    if what.lower().endswith(_ENDING):
        return Path(what)
    folder = models_folder(store)
    known = sorted(kept_runs(store))
    found = [run_id for run_id in known if run_id.startswith(what)] if what else []
    if len(found) == 1:
        return model_path(folder, found[0])
    if not known:
        raise UnreadableFileError(
            f"there are no kept models in {str(folder)!r}.",
            hint="train with 'lengthwise run … --keep', or name another --store.",
        )
    seen = f"{len(found)} ids begin with {what!r}" if found else f"no id begins with {what!r}"
    listed = ", ".join(known[:5]) + (", …" if len(known) > 5 else "")
    raise UnreadableFileError(f"{str(folder)!r} has {len(known)} kept models, and {seen}.", hint=f"they are {listed}.")


def load_model(
    path: str | Path, task: Task | None = None, encoding: str | None = None
) -> tuple[Transformer, Run, Task]:
    """Return the model in a file, the run it comes from, and the task its tokens are of.

    A task or an encoding that is a file must be given, and be as it was in training: nothing is opened or run because a
    model's file names it.
    """
    from ..tasks.core.without_bos import without_bos
    from ..train.checkpoints import read_checkpoint
    from ..train.models import make_model

    if not Path(path).is_file():
        raise UnreadableFileError(f"there is no file {str(path)!r}.", hint="check the name.")
    keep_input(path)
    found = read_checkpoint(path, "cpu")
    if found is None or not isinstance(found[1], dict) or "run" not in found[1]:
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
    task, choice = _task_of(run, task, path), _encoding_of(run, encoding, path)
    task = without_bos(task) if run.model.no_bos else task
    _require_shapes(_shapes_without_encoding(task, run), _without_encoding(weights), run, path)
    model = make_model(task, choice, run.model, run.bins, num_models=1, room=run.room)
    named = dict(model.named_parameters())
    _require_shapes(named, weights, run, path)
    for name, parameter in named.items():
        parameter.data.copy_(weights[name])
    return model, run, task


def _without_encoding(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor for name, tensor in tensors.items() if not name.startswith("encoding.")}


def _shapes_without_encoding(task: Task, run: Run) -> dict[str, Tensor]:
    """Return a model's parameters without room for them, so that a wrong width in a file costs no memory.

    The encoding is left out: some encodings look at numbers while they are made, and then there must be numbers.
    """
    import torch

    from ..train.models import make_model

    with torch.device("meta"):
        return _without_encoding(
            dict(make_model(task, "nope", run.model, run.bins, num_models=1, room=run.room).named_parameters())
        )


def _require_shapes(needed: Mapping[str, Tensor], found: Mapping[str, Tensor], run: Run, path: str | Path) -> None:
    if {name: tensor.shape for name, tensor in needed.items()} != {
        name: tensor.shape for name, tensor in found.items()
    }:
        raise UnreadableFileError(
            f"the weights in {str(path)!r} are not those of {run.task} × {run.encoding} in this version.",
            hint="train again with --keep.",
        )


def _task_of(run: Run, given: Task | None, path: str | Path) -> Task:
    """Return the task of a run: what is given if it is the same, or else one that is no file."""
    from ..tasks.core.catalog import find_packaged_task, task_files

    files = task_files(run.task)
    if given is None and files:
        raise UnreadableFileError(
            f"{str(path)!r} is a model of the task {run.task!r}, which is a Python file; a model may not name a file to run.",
            hint=f"if you trust the file, name it: --task {run.task!r}.",
        )
    task = find_packaged_task(run.task) if given is None else given
    if task.revision != run.task_revision:
        raise UnreadableFileError(
            f"{str(path)!r} was trained on revision {run.task_revision} of {run.task!r}; {task.name!r} has {task.revision}.",
            hint="train again with --keep, or name the task as it was.",
        )
    return task


def _encoding_of(run: Run, given: str | None, path: str | Path) -> Encoding:
    """Return the encoding of a run: what is given if it is the same, or else one that is no file."""
    from ..encodings.core.choice import encoding_files, find_encoding, find_packaged_encoding

    if given is None and encoding_files(run.encoding):
        raise UnreadableFileError(
            f"{str(path)!r} is a model with the encoding {run.encoding!r}, which is a file, and a model's word runs none.",
            hint=f"if you trust the file, name it: --encoding {run.encoding!r}.",
        )
    if given is None:
        return find_packaged_encoding(run.encoding)
    choice = find_encoding(given)
    if choice.revision != run.encoding_revision:
        raise UnreadableFileError(
            f"{str(path)!r} was trained with revision {run.encoding_revision} of {run.encoding!r}; {choice.name!r} has "
            f"{choice.revision}.",
            hint="train again with --keep, or name the encoding as it was.",
        )
    return choice


def _read_run(data: Any, path: str | Path) -> Run:
    """Return the run of settings; raise if they are of other revisions, or no settings at all."""
    # first: other revisions may have other settings
    if isinstance(data, dict) and data.get("trainer_revision") not in _READABLE:
        raise UnreadableFileError(
            f"{str(path)!r} was trained by revision {data.get('trainer_revision')} of the trainer; this is {TRAINER_REVISION}.",
            hint="train again with --keep.",
        )
    try:
        return run_from_settings(data)
    except ValueError as error:
        raise UnreadableFileError(
            f"the settings in {str(path)!r} are not those of a run in this version: {error}.",
            hint="use the version of lengthwise that wrote it, or train again with --keep.",
        ) from None
