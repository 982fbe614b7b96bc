"""Models as training makes them: for a task, or for the slots of a group; their weights are not set yet."""

from __future__ import annotations

from collections.abc import Sequence

from ..encodings.core.base import Fit
from ..encodings.core.build import make_encoding
from ..encodings.core.choice import Choice
from ..model.shape import Shape
from ..model.transformer import Transformer
from ..tasks.core.lengths import LengthRange
from ..tasks.core.task import Task
from .groups import Group


def make_model(
    task: Task,
    encoding: str | Choice,
    shape: Shape,
    bins: Sequence[LengthRange],
    *,
    num_models: int,
    room: int | None = None,
) -> Transformer:
    """Return models for a task, trained on the first bin and tested up to the last; their weights are not set yet.

    ``room`` is the longest input that there are positions for; without it, that is the longest one of the bins.
    """
    return _model(
        encoding,
        shape,
        num_models=num_models,
        max_length=task.size(bins[-1].high if room is None else room),
        trained=task.size(bins[0].high),
        digits=task.digits,
        num_tokens=len(task.vocabulary),
        num_outputs=task.num_outputs,
    )


def model_of_group(group: Group, num_models: int) -> Transformer:
    """Return models for the runs of a group, with padded tokens and outputs; their weights are not set yet."""
    return _model(
        group.encoding,
        group.shape,
        num_models=num_models,
        max_length=group.max_length,
        trained=group.trained,
        digits=group.digits,
        num_tokens=group.num_tokens,
        num_outputs=group.num_outputs,
    )


def _model(
    encoding: str | Choice,
    shape: Shape,
    *,
    num_models: int,
    max_length: int,
    trained: int,
    digits: tuple[int, ...],
    num_tokens: int,
    num_outputs: int,
) -> Transformer:
    positions = make_encoding(
        encoding,
        Fit(
            num_models=num_models,
            num_heads=shape.heads,
            head_width=shape.width // shape.heads,
            width=shape.width,
            max_length=max_length,
            trained=trained,
            num_layers=shape.layers,
            digits=digits,
        ),
    )
    return Transformer(
        num_models=num_models, num_tokens=num_tokens, num_outputs=num_outputs, shape=shape, encoding=positions
    )
