"""From a spec to runs, and from runs to stacks.

A run is one model: a task, an encoding, a seed and a learning rate with all settings resolved. Its id is a hash of
these and of the revisions of task, encoding and trainer, so that a changed label or trainer never reuses an old result.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from ..arrays import numpy_arrays
from ..encodings.names import Choice as Encoding
from ..encodings.names import find_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..seeds import DATA, open_stream
from ..tasks.catalog import find_task
from ..tasks.lengths import LengthRange, length_bins, shortest_length
from ..tasks.task import Task
from ..train.settings import PENALTIES_ON_POSITIONS, TRAINER_REVISION, Training
from .spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One model to train, with everything that decides how it comes out."""

    task: str
    encoding: str
    seed: int
    learning_rate: float
    train_length: int
    test_length: int | tuple[int, ...]
    model: Shape
    training: Training
    task_revision: int
    encoding_revision: int
    trainer_revision: int
    hard: bool = False

    @property
    def id(self) -> str:
        """A hash of all settings and revisions."""
        return sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def settings(self) -> dict[str, object]:
        """All settings and revisions as JSON data; hard sets are left out where there are none, as if they did not exist."""
        settings = asdict(self) | {"model": self.model.settings, "training": self.training.settings}
        return {key: value for key, value in settings.items() if value or key != "hard"}

    @property
    def bins(self) -> tuple[LengthRange, ...]:
        """The bins of length: the training lengths, then as many lengths again, and so on, or the listed ones."""
        return length_bins(self.train_length, self.test_length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How many models train together, whether their step is compiled, and why."""

    models: int
    compiled: bool
    reason: str


DEFAULT_CHOICE = Choice(models=8, compiled=False, reason="8 models, which suits small ones on a CPU")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """Runs that train together, and how that was chosen."""

    runs: tuple[Run, ...]
    choice: Choice = DEFAULT_CHOICE

    @property
    def label(self) -> str:
        """The stack in print."""
        return f"{self.runs[0].task} × {self.runs[0].encoding}"

    @property
    def work(self) -> int:
        """A rough measure of how much there is to compute."""
        first = self.runs[0]
        size = find_task(first.task).size(first.train_length)
        per_token = first.model.layers * first.model.width * (12 * first.model.width + size)
        return len(self.runs) * first.training.steps * first.training.batch * size * per_token


def make_groups(spec: Spec) -> list[tuple[Run, ...]]:
    """Return all runs of a spec, grouped by what can train together; what cannot be trained raises."""
    encodings = [find_encoding(name) for name in spec.encodings]
    tasks = [find_task(name) for name in spec.tasks]
    for number, task in enumerate(tasks):
        if task.name in [other.name for other in tasks[:number]]:
            raise InvalidOptionError(f"{task.name!r} is named twice in tasks.", hint="name each once.")
        _require_instances(task, length_bins(spec.train_length, spec.test_length))
        if spec.model.tied and task.num_outputs != len(task.vocabulary):
            raise InvalidOptionError(
                f"a tied readout has an output for each token, but {task.name!r} asks for {task.num_outputs} outputs.",
                hint="leave tied out for this task.",
            )
    for encoding in encodings:
        for task in tasks:
            _require_what_is_counted(task, encoding)
        _require_what_penalties_act_on(spec.training, encoding)
    return [
        tuple(
            Run(
                task=task.name,
                encoding=encoding.name,
                seed=seed,
                learning_rate=float(rate),
                train_length=spec.train_length,
                test_length=spec.test_length,
                model=spec.model,
                training=spec.training,
                task_revision=task.revision,
                encoding_revision=encoding.revision,
                trainer_revision=TRAINER_REVISION,
                hard=spec.hard,
            )
            for rate in spec.learning_rates
            for seed in range(spec.seeds)
        )
        for task in tasks
        for encoding in encodings
    ]


def cut_group(runs: Sequence[Run], choice: Choice) -> list[StackPlan]:
    """Return the runs of a group in stacks of the chosen size."""
    return [
        StackPlan(runs=tuple(runs[start : start + choice.models]), choice=choice)
        for start in range(0, len(runs), choice.models)
    ]


def make_plan(spec: Spec, choice: Choice = DEFAULT_CHOICE) -> list[StackPlan]:
    """Return all runs of a spec in stacks of one task and encoding."""
    return [stack for group in make_groups(spec) for stack in cut_group(group, choice)]


def _require_what_is_counted(task: Task, encoding: Encoding) -> None:
    """Raise if an encoding counts digits or roles that the tokens of a task do not have."""
    if encoding.uses("abacus") and not task.digits:
        raise InvalidOptionError(
            f"abacus counts digits, and {task.name!r} has none among its symbols.",
            hint="use it for a task on numbers, for example addition.",
        )
    if encoding.uses("coupling") and not _has_roles(task):
        raise InvalidOptionError(
            f"coupling needs a task whose tokens have roles, and {task.name!r} gives none.",
            hint="use it for unique_copy or repeat_copy.",
        )


def _require_what_penalties_act_on(training: Training, encoding: Encoding) -> None:
    """Raise if a penalty acts on what an encoding does not have; the trainer would refuse it too, but later."""
    weights = dict(training.penalties)
    for name, has, what, others in (
        *((name, encoding.has_table, "a table of positions", "'ape'") for name in PENALTIES_ON_POSITIONS),
        (
            "relations",
            encoding.learns_relations,
            "learned relations",
            "'lbpe' or 'lbpe_grown'",
        ),
    ):
        if weights.get(name) and not has:
            raise InvalidOptionError(
                f"the penalty {name!r} acts on {what}, and {encoding.name!r} has none.",
                hint=f"use the encoding {others} alone, or leave the penalty out.",
            )


def _has_roles(task: Task) -> bool:
    """Return whether the tokens of an instance have roles."""
    xp = numpy_arrays()
    length = shortest_length(task)
    batch = task.sample(open_stream(DATA, seed=0), xp.asarray([length]), length, xp)
    return task.roles(batch, xp) is not None


def _require_instances(task: Task, bins: tuple[LengthRange, ...]) -> None:
    """Raise unless there is something to train on, and something longer to test on."""
    for bounds in bins[-1], bins[0]:
        if not task.lengths(bounds.low, bounds.high):
            raise InvalidOptionError(
                f"{task.name!r} has no instance of a length from {bounds}.",
                hint=f"its shortest has length {shortest_length(task)}; choose other lengths.",
            )
