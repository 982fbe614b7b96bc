"""A ring of batches: the instances of many steps are made at once, and a training step only reads them.

So the making of instances costs a few large operations instead of many small ones, whatever the task is, and no task's
code is part of the program that is recorded or compiled. A batch is a function of the seed and the step of its run, not of
when it is made.

Shapes: T steps, M slots, R rows, W places of a row, S scored places, B instances of a step, L tokens of an instance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..arrays import Arrays
from ..encodings.core.base import Encoding, are_row_ids
from ..seeds import DATA, Draw, open_stream
from ..tasks.core.pool import Pool
from ..tasks.core.task import IGNORE, Task
from ..tasks.languages.regular import MixedNextSymbols, NextSymbols
from .groups import Group, TrainingRun
from .optimizer import FACTORS, IDLE, step_factors
from .packing import Packing, Rows, are_same
from .settings import RING_BYTES, Training

_RING_BYTES_ON_CPU = 64 * 2**20
_TOKENS_AT_ONCE = 2**25  # that a sampler makes in one call, candidates counted
_TOKENS_AT_ONCE_ON_CPU = 2**20


class Placed(NamedTuple):
    """A run in a slot, and the step it is at."""

    run: TrainingRun
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What makes the instances of some tasks; ``numbers`` are by their ids, which are theirs as long as they are kept."""

    tasks: list[Task]
    numbers: dict[int, int]
    makes: Task | Pool | MixedNextSymbols
    lengths: Tensor
    """The length of an instance by the number of its task and the length of its room."""


@lru_cache(maxsize=4096)
def _factors(training: Training, rate: float, step: int, steps: int) -> NDArray[np.float64]:
    """Return the factors of so many steps from one on, [T, F]; runs that begin together share them."""
    return np.asarray([step_factors(training, rate, number) for number in range(step, step + steps)])


class Ring:
    """The batches of the next steps, for every slot of a stack."""

    def __init__(self, group: Group, packing: Packing, encoding: Encoding, slots: int, xp: Arrays, device: str) -> None:
        self.group, self.packing, self.encoding, self.xp = group, packing, encoding, xp
        self._on_gpu = torch.device(device).type == "cuda"
        rows, places, scored = packing.num_rows, packing.width, packing.scored_CS.shape[1]
        token_type = torch.int16 if group.num_tokens < 2**15 else torch.int32
        target_type = torch.int32 if group.num_outputs < 2**5 else torch.int64  # a set is the bits of a number
        of_place = 2 * token_type.itemsize + 4
        step_bytes = slots * (rows * (places * of_place + scored * target_type.itemsize) + 4 * group.batch)
        room = max(1, (RING_BYTES if self._on_gpu else _RING_BYTES_ON_CPU) // step_bytes)
        self.steps = next(
            steps for steps in range(min(room, group.evaluate_every), 0, -1) if group.evaluate_every % steps == 0
        )
        self.first = 0
        self.filled = 0  # how many steps, from ``first`` on, are there

        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(self.steps, *shape, dtype=dtype, device=device)

        self.tokens_TMRW = zeros(slots, rows, places, dtype=token_type)
        self.targets_TMRS = zeros(slots, rows, scored, dtype=target_type)
        self.sizes_TMB = zeros(slots, group.batch, dtype=torch.int32)
        self.scale_TMB = zeros(slots, group.batch, dtype=torch.int32) if group.layout.is_nested else None
        self.choices_TR = zeros(rows, dtype=torch.int64)
        self.factors_TFM = zeros(len(FACTORS), slots, dtype=torch.float32)
        self.ids: Tensor | None = None  # [T, M, R, W] or, where every instance has the same, [L]
        self.has_row_ids = False  # as in ``Where``
        self._sources: dict[int, _Source] = {}  # by the id of a task, or 0 for tasks that are made together
        self._device = device

    def fill(self, placed: Mapping[int, Placed], tick: int, steps: int) -> None:
        """Make the batches of so many steps, from a tick of the stack on, for the slots that hold a run."""
        steps = min(steps, self.steps - tick % self.steps)
        choices_TR = self.packing.choices(tick, steps)
        self.choices_TR[:steps] = choices_TR
        slots = self.tokens_TMRW.shape[1]
        factors = np.full((steps, len(FACTORS), slots), np.asarray(IDLE, dtype=np.float64)[None, :, None])
        for slot, (run, step) in placed.items():
            factors[:, :, slot] = _factors(run.training, run.rate, step, steps)
        self.factors_TFM[:steps] = torch.from_numpy(factors.astype(np.float32)).to(self._device)
        empty = [slot for slot in range(slots) if slot not in placed]
        self.targets_TMRS[:steps, empty] = IGNORE
        alike: dict[object, list[int]] = {}
        for slot, (run, _) in placed.items():
            alike.setdefault(NextSymbols if type(run.task) is NextSymbols else id(run.task), []).append(slot)
        for members in alike.values():
            self._fill_alike(members, placed, choices_TR)
        self.first, self.filled = tick, steps

    def _fill_alike(self, slots: list[int], placed: Mapping[int, Placed], choices_TR: Tensor) -> None:
        """Make the batches of slots whose runs have one task, or tasks that are made together."""
        steps = choices_TR.shape[0]
        tasks = [placed[slot].run.task for slot in slots]
        source = self._source(tasks)
        which = torch.tensor([source.numbers[id(task)] for task in tasks], device=self._device).repeat_interleave(steps)
        first = np.asarray([placed[slot].step for slot in slots], dtype=np.int64)
        streams = open_stream(DATA, seed=[placed[slot].run.seed for slot in slots])
        keys = streams.at_own(first[:, None] + np.arange(steps)).keys.reshape(-1)
        slot_of = torch.tensor(slots, device=self._device).repeat_interleave(steps)
        step_of = torch.arange(steps, device=self._device).repeat(len(slots))
        most = _TOKENS_AT_ONCE if self._on_gpu else _TOKENS_AT_ONCE_ON_CPU
        piece = max(1, most // (self.group.batch * self.packing.instance_width * source.tasks[0].attempts))
        for start in range(0, len(keys), piece):
            part = slice(start, start + piece)
            draw = Draw(keys=self.xp.asarray(keys[part]), xp=self.xp)
            self._fill_steps(source, which[part], draw, step_of[part], slot_of[part], choices_TR[step_of[part]])

    def _fill_steps(
        self, source: _Source, which_N: Tensor, draw: Draw, step_N: Tensor, slot_N: Tensor, choices_NR: Tensor
    ) -> None:
        """Make the batches of pairs of a step and a slot, one for each key of the draw."""
        task, drawn = source.tasks[0], draw.named("instance")
        lengths_NB = source.lengths[which_N[:, None], self.packing.lengths(choices_NR)]
        if isinstance(source.makes, MixedNextSymbols):
            batch = source.makes.sample(which_N, lengths_NB, drawn)
        else:
            batch = source.makes.sample(drawn, lengths_NB, self.packing.max_length, self.xp)
        roles_NBL = task.roles(batch, self.xp)
        ids_NBL = self.encoding.ids(batch.tokens_MBL, batch.sizes_MB, draw.named("positions"), roles_NBL)
        self.tokens_TMRW[step_N, slot_N] = self.packing.pack(batch.tokens_MBL, choices_NR).to(self.tokens_TMRW.dtype)
        targets_NRS = self.packing.pack_targets(batch.targets_MBL, choices_NR)
        self.targets_TMRS[step_N, slot_N] = targets_NRS.to(self.targets_TMRS.dtype)
        self.sizes_TMB[step_N, slot_N] = batch.sizes_MB.to(torch.int32)
        if self.scale_TMB is not None:
            self.scale_TMB[step_N, slot_N] = batch.scale_MB.to(torch.int32)
        if are_same(ids_NBL):
            if self.ids is None:
                self.ids, self.has_row_ids = ids_NBL[0, 0], are_row_ids(ids_NBL)
            return
        if self.ids is None:
            kind = torch.float32 if ids_NBL.is_floating_point() else torch.int32
            self.ids = torch.zeros(self.tokens_TMRW.shape, dtype=kind, device=self._device)
        self.ids[step_N, slot_N] = self.packing.pack(ids_NBL.contiguous(), choices_NR).to(self.ids.dtype)

    def forget_tasks(self) -> None:
        """Let go of the pools and tables of tasks, whose memory others may need."""
        self._sources.clear()

    def _source(self, tasks: Sequence[Task]) -> _Source:
        """Return what makes the instances of these tasks: of one, or of several that are made together."""
        distinct = {id(task): task for task in tasks}
        key = next(iter(distinct)) if len(distinct) == 1 else 0
        known = self._sources.get(key)
        if known is None or not distinct.keys() <= known.numbers.keys():
            if known is not None:  # those that were made together before are kept, since they may come again
                distinct = {id(task): task for task in known.tasks} | distinct
            self._sources[key] = known = self._new_source(list(distinct.values()))
        return known

    def _new_source(self, tasks: list[Task]) -> _Source:
        task = tasks[0]
        makes: Task | Pool | MixedNextSymbols = task
        if len(tasks) > 1:
            together = [each for each in tasks if isinstance(each, NextSymbols)]
            makes = MixedNextSymbols(together, max_length=self.packing.max_length, xp=self.xp)
        elif self._on_gpu and task.host_only:
            makes = Pool(task, self.group.layout.lengths, self.xp)
        return _Source(
            tasks=tasks,
            numbers={id(each): number for number, each in enumerate(tasks)},
            makes=makes,
            lengths=torch.tensor([self._own_lengths(each) for each in tasks], device=self._device),
        )

    def _own_lengths(self, task: Task) -> list[int]:
        """Return, by length, the longest length up to it that the task has.

        Lengths of the layout are equally frequent, so lengths of a task that lacks some are as frequent as there are rooms
        for each: of (aab)* up to 12, the lengths 0, 3, 6 and 9 have three rooms each, and 12 has one.
        """
        lengths = self.group.layout.lengths
        own = set(task.lengths(lengths[0], lengths[-1]))
        table, last = [0] * (lengths[-1] + 1), lengths[0]
        for length in lengths:
            last = length if length in own else last
            table[length] = last
        return table

    def rows(self, position_1: Tensor) -> Rows:
        """Return the batch at a position of the ring, which is not looked at."""

        def at(values: Tensor) -> Tensor:
            return values.index_select(0, position_1)[0]

        assert self.ids is not None, "rows are read after the ring was filled"
        ids = self.ids if self.ids.dim() == 1 else at(self.ids)
        return self.packing.rows(
            at(self.tokens_TMRW).long(),
            ids if ids.is_floating_point() else ids.long(),
            at(self.targets_TMRS).long(),
            at(self.sizes_TMB).long(),
            None if self.scale_TMB is None else at(self.scale_TMB).long(),
            at(self.choices_TR),
            has_row_ids=self.has_row_ids,
        )

    def factors(self, position_1: Tensor) -> Tensor:
        """Return the factors of the optimizer's step at a position of the ring, [F, M]."""
        return self.factors_TFM.index_select(0, position_1)[0]
