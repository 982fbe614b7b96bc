"""A ring of batches: the instances of many steps are made at once, and a training step only reads them.

So the making of instances costs a few large operations instead of many small ones, whatever the task is, and no task's
code is part of the program that is recorded or compiled. A batch is a function of the seed and the step of its run, not of
when it is made.

Shapes: T steps, M slots, R rows, W places of a row, S scored places, B instances of a step, L tokens of an instance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..arrays import Arrays
from ..encodings.core.base import Encoding, are_row_ids
from ..seeds import DATA, Draw, open_stream
from ..tasks.core.pool import Pool
from ..tasks.core.task import IGNORE, Task
from .groups import Group, TrainingRun
from .optimizer import FACTORS, IDLE, step_factors
from .packing import Packing, Rows, are_same
from .settings import RING_BYTES

_RING_BYTES_ON_CPU = 64 * 2**20
_TOKENS_AT_ONCE = 2**25  # that a sampler makes in one call, candidates counted
_TOKENS_AT_ONCE_ON_CPU = 2**20


class Placed(NamedTuple):
    """A run in a slot, and the step it is at."""

    run: TrainingRun
    step: int


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
        self._tasks: dict[int, Task] = {}  # by their ids, which are theirs as long as they are kept
        self._pools: dict[int, Pool] = {}
        self._own_lengths: dict[int, Tensor] = {}
        self._device = device

    def fill(self, placed: Mapping[int, Placed], tick: int, steps: int) -> None:
        """Make the batches of so many steps, from a tick of the stack on, for the slots that hold a run."""
        steps = min(steps, self.steps - tick % self.steps)
        choices_TR = self.packing.choices(tick, steps)
        self.choices_TR[:steps] = choices_TR
        slots = self.tokens_TMRW.shape[1]
        factors = np.full((steps, len(FACTORS), slots), np.asarray(IDLE, dtype=np.float64)[None, :, None])
        for slot, (run, step) in placed.items():
            for number in range(steps):
                factors[number, :, slot] = step_factors(run.training, run.rate, step + number)
        self.factors_TFM[:steps] = torch.from_numpy(factors.astype(np.float32)).to(self._device)
        empty = [slot for slot in range(slots) if slot not in placed]
        self.targets_TMRS[:steps, empty] = IGNORE
        tasks: dict[int, list[int]] = {}
        for slot, (run, _) in placed.items():
            tasks.setdefault(id(run.task), []).append(slot)
        for members in tasks.values():
            self._fill_task(members, placed, choices_TR)
        self.first, self.filled = tick, steps

    def _fill_task(self, slots: list[int], placed: Mapping[int, Placed], choices_TR: Tensor) -> None:
        """Make the batches of slots whose runs have one task."""
        task, steps = placed[slots[0]].run.task, choices_TR.shape[0]
        first = np.asarray([placed[slot].step for slot in slots], dtype=np.int64)
        streams = open_stream(DATA, seed=[placed[slot].run.seed for slot in slots])
        keys = streams.at_own(first[:, None] + np.arange(steps)).keys.reshape(-1)
        slot_of = torch.tensor(slots, device=self._device).repeat_interleave(steps)
        step_of = torch.arange(steps, device=self._device).repeat(len(slots))
        most = _TOKENS_AT_ONCE if self._on_gpu else _TOKENS_AT_ONCE_ON_CPU
        piece = max(1, most // (self.group.batch * self.packing.instance_width * task.attempts))
        for start in range(0, len(keys), piece):
            part = slice(start, start + piece)
            draw = Draw(keys=self.xp.asarray(keys[part]), xp=self.xp)
            self._fill_steps(task, draw, step_of[part], slot_of[part], choices_TR[step_of[part]])

    def _fill_steps(self, task: Task, draw: Draw, step_N: Tensor, slot_N: Tensor, choices_NR: Tensor) -> None:
        """Make the batches of pairs of a step and a slot, one for each key of the draw."""
        lengths_NB = self._own_length(task)[self.packing.lengths(choices_NR)]
        source = self._source(task)
        batch = source.sample(draw.named("instance"), lengths_NB, self.packing.max_length, self.xp)
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
        for kept in (self._pools, self._own_lengths, self._tasks):
            kept.clear()

    def _source(self, task: Task) -> Task | Pool:
        """Return what makes the instances: on a GPU, for tasks made one by one in Python, a pool."""
        if not (self._on_gpu and task.host_only):
            return task
        if id(task) not in self._pools:
            self._tasks[id(task)] = task
            self._pools[id(task)] = Pool(task, self.group.layout.lengths, self.xp)
        return self._pools[id(task)]

    def _own_length(self, task: Task) -> Tensor:
        """Return, by length, the longest length up to it that the task has.

        Lengths of the layout are equally frequent, so lengths of a task that lacks some are as frequent as there are rooms
        for each: of (aab)* up to 12, the lengths 0, 3, 6 and 9 have three rooms each, and 12 has one.
        """
        if id(task) not in self._own_lengths:
            self._tasks[id(task)] = task
            lengths = self.group.layout.lengths
            own = set(task.lengths(lengths[0], lengths[-1]))
            table, last = [0] * (lengths[-1] + 1), lengths[0]
            for length in lengths:
                last = length if length in own else last
                table[length] = last
            self._own_lengths[id(task)] = torch.tensor(table, device=self._device)
        return self._own_lengths[id(task)]

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
