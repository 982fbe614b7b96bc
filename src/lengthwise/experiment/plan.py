"""From a spec to runs, and from runs to stacks.

A run is one model: a task, an encoding, a seed and a learning rate with all settings resolved. Its id is a hash of
these and of the revisions of task, encoding and trainer, so that a changed label or trainer never reuses an old result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from ..arrays import numpy_arrays
from ..encodings.core.choice import Choice as Encoding
from ..encodings.core.choice import find_encoding
from ..errors import InvalidOptionError
from ..model.shape import Shape
from ..seeds import DATA, open_stream
from ..tasks.core.catalog import find_task
from ..tasks.core.lengths import LengthRange, length_bins, shortest_length
from ..tasks.core.task import Task
from ..tasks.core.without_bos import without_bos
from ..train.groups import Group, group_of
from ..train.settings import PENALTIES_ON_POSITIONS, TRAINER_REVISION, Training
from .spec import USUAL_ROOM, Spec


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
    room: int | None = None  # the longest input that the encoding has positions for, where that matters in training
    generate: bool = False
    success_at: float | None = None  # how it is judged: no setting, since it changes nothing that is measured

    @property
    def id(self) -> str:
        """A hash of all settings and revisions."""
        return hash_settings(self.settings)

    @property
    def settings(self) -> dict[str, object]:
        """All settings and revisions as JSON data; what is not used is left out, as if it did not exist."""
        settings = asdict(self) | {"model": self.model.settings, "training": self.training.settings}
        del settings["success_at"]
        return {key: value for key, value in settings.items() if value or key not in ("hard", "room", "generate")}

    @property
    def bins(self) -> tuple[LengthRange, ...]:
        """The bins of length: the training lengths, then as many lengths again, and so on, or the listed ones."""
        return length_bins(self.train_length, self.test_length)


def hash_settings(settings: Mapping[str, Any]) -> str:
    """Return the id of the run with these settings."""
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How many models train together, each in a slot, whether their step is compiled, and why."""

    models: int
    compiled: bool
    reason: str


DEFAULT_CHOICE = Choice(models=8, compiled=False, reason="8 models, which suits small ones on a CPU")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """Runs of one group that share the slots of a stack, and how many slots it has.

    ``finished`` are the ids of runs that are done already: a stack that was cut off keeps its members.
    """

    runs: tuple[Run, ...]
    choice: Choice = DEFAULT_CHOICE
    finished: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The stack in print."""
        tasks = dict.fromkeys(run.task for run in self.runs)
        return f"{next(iter(tasks)) if len(tasks) == 1 else f'{len(tasks)} tasks'} × {self.runs[0].encoding}"

    def work(self, size: int) -> int:
        """Return a rough measure of how much there is to compute, for instances of so many tokens."""
        first = self.runs[0]
        per_token = first.model.layers * first.model.width * (12 * first.model.width + size)
        steps = sum(run.training.steps for run in self.runs if run.id not in self.finished)
        return steps * first.training.batch * size * per_token


def longest_first(stacks: Sequence[StackPlan]) -> list[StackPlan]:
    """Return the stacks with the most work first, so that all workers end at about one time."""
    kinds = {(stack.runs[0].task, stack.runs[0].train_length) for stack in stacks}
    sizes = {(task, length): find_task(task).size(length) for task, length in kinds}  # once: a task may be slow to find
    return sorted(stacks, key=lambda stack: -stack.work(sizes[stack.runs[0].task, stack.runs[0].train_length]))


def make_groups(spec: Spec) -> list[tuple[Run, ...]]:
    """Return all runs of a spec by cell: a task and an encoding; what cannot be trained raises."""
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
                learning_rate=float(spec.learning_rate),
                train_length=spec.train_length,
                test_length=spec.test_length,
                model=spec.model,
                training=spec.training,
                task_revision=task.revision,
                encoding_revision=encoding.revision,
                trainer_revision=TRAINER_REVISION,
                hard=spec.hard,
                room=_room(spec, encoding),
                generate=spec.generate,
                success_at=spec.success_at,
            )
            for seed in range(spec.seeds)
        )
        for task in tasks
        for encoding in encodings
    ]


def _room(spec: Spec, encoding: Encoding) -> int | None:
    """Return the longest input that an encoding has positions for, if its training depends on that; raise if tests go beyond.

    It must not depend on the test lengths: otherwise testing further would change what is trained.
    """
    if not encoding.uses_room:
        return None
    room = spec.room or USUAL_ROOM * spec.train_length
    tested = spec.test_length if isinstance(spec.test_length, int) else spec.test_length[-1]
    if tested > room:
        is_default = "" if spec.room else f" ({USUAL_ROOM} times the training length, the default)"
        raise InvalidOptionError(
            f"{encoding.name!r} has room for inputs up to length {room}{is_default}, and test_length is {tested}.",
            hint=f"set room to at least {tested}, which changes how it is trained, or test up to {room}.",
        )
    return room


def join_groups(cells: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Return the runs of cells (one task, encoding and spec each), joined where they can share the slots of a stack."""
    tasks: dict[str, Task] = {}
    joined: dict[Group, list[Run]] = {}
    for cell in cells:
        first = cell[0]
        if first.task not in tasks:
            tasks[first.task] = find_task(first.task)
        task = without_bos(tasks[first.task]) if first.model.no_bos else tasks[first.task]
        group = group_of(task, first.encoding, first.model, first.training, first.bins, first.room)
        joined.setdefault(group, []).extend(cell)
    return list(joined.values())


def cut_group(runs: Sequence[Run], choice: Choice, *, workers: int = 1, waves: int = 4) -> list[StackPlan]:
    """Return the runs of a group as stacks: one for each worker if all slots are then filled, more if that were too many waves.

    A stack of many waves keeps its slots full until the last runs; stacks of few let the workers end at about one time.
    """
    size = max(choice.models, min(waves * choice.models, -(-len(runs) // workers)))
    return [StackPlan(runs=tuple(runs[start : start + size]), choice=choice) for start in range(0, len(runs), size)]


def make_runs(specs: Iterable[Spec]) -> list[Run]:
    """Return all runs of some specs."""
    return [run for spec in specs for group in make_groups(spec) for run in group]


def _require_what_is_counted(task: Task, encoding: Encoding) -> None:
    """Raise if an encoding counts digits or roles that the tokens of a task do not have."""
    needed = {part.card.ids_from: part.card.name for part in encoding.parts}
    if "digits" in needed and not task.digits:
        raise InvalidOptionError(
            f"{needed['digits']} counts digits, and {task.name!r} has none among its symbols.",
            hint="use it for a task on numbers, for example addition.",
        )
    if "roles" in needed and not _has_roles(task):
        raise InvalidOptionError(
            f"{needed['roles']} needs a task whose tokens have roles, and {task.name!r} gives none.",
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
