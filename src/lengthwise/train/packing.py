"""Packing: two training instances of complementary lengths share a row, so that next to nothing is padding.

A batch draws the lengths of half of its instances; the other half have the lengths at the mirrored places of the list
of all lengths. The shortest goes with the longest, and all rows are about equally full. Every length is still uniform
on its own, and the lengths of a step are the same for every model of every seed, so that everything about the layout of
a row (which token stands where, who sees whom, what is scored) is looked up in tables by one number per row.

Shapes: C choices of a length, R rows, W places of a row, S scored places of a row, L tokens of an instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..arrays import Arrays
from ..encodings.base import Where
from ..model.transformer import Scored
from ..seeds import Draw
from ..tasks.task import IGNORE, Batch, Task

_MULTIPLE = 8  # places of a row: fused attention with a mask wants its last axis aligned


class Rows(NamedTuple):
    """A batch as the model sees it: ``targets_MRS`` belong to the places that ``places_RS`` names."""

    tokens_MRW: Tensor
    ids_MRW: Tensor
    scale_RW: Tensor
    sizes_MRW: Tensor
    visible: Tensor | None
    places_RS: Tensor
    slots_RW: Tensor
    targets_MRS: Tensor

    @property
    def at(self) -> Where:
        """Where the tokens stand."""
        return Where(
            ids_MBL=self.ids_MRW, scale_MBL=self.scale_RW[None], sizes_MBL=self.sizes_MRW, visible=self.visible
        )

    @property
    def scored(self) -> Scored:
        """Where outputs are wanted; a last block is trimmed to that if it saves at least a quarter."""
        trims = 4 * self.places_RS.shape[1] <= 3 * self.slots_RW.shape[1]
        return Scored(places_BS=self.places_RS, slots_BL=self.slots_RW, trims=trims)


class Packing:
    """The layout of the rows of a batch, as tables by choice of length.

    With ``pairs`` two instances share a row; otherwise each has its own.
    """

    def __init__(self, task: Task, lengths: Sequence[int], *, batch: int, pairs: bool, xp: Arrays, device: str) -> None:
        members = [lengths, lengths[::-1]] if pairs else [lengths]
        self.task = task
        self.num_rows = batch // len(members)
        self.max_length = max(lengths)
        self.xp = xp
        instance_width = task.size(self.max_length)
        groups = list(zip(*members, strict=True))  # the lengths in the row of each choice
        sizes = [[task.size(length) for length in group] for group in groups]
        self.width = -(-max(map(sum, sizes)) // _MULTIPLE) * _MULTIPLE
        sources, segments, scored = [], [], []
        for group, own in zip(groups, sizes, strict=True):
            places = [member * instance_width + place for member, size in enumerate(own) for place in range(size)]
            segment = [member for member, size in enumerate(own) for _ in range(size)]
            rest = self.width - len(places)
            sources.append(places + places[-1:] * rest)  # what follows the last instance is seen by nobody
            segments.append(segment + segment[-1:] * rest)
            starts = [sum(own[:member]) for member in range(len(own))]
            scored.append(
                [start + place for start, length in zip(starts, group, strict=True) for place in task.scored(length)]
            )
        num_scored = max(map(len, scored))

        def table(values: object) -> Tensor:
            return torch.tensor(values, dtype=torch.int64, device=device)

        self.lengths_NC = table([list(member) for member in members])
        self.sources_CW = table(sources)
        self.segments_CW = table(segments)
        self.scored_CS = table([places + places[-1:] * (num_scored - len(places)) for places in scored])
        self.num_scored_C = table([len(places) for places in scored])
        slots = torch.full_like(self.sources_CW, num_scored)
        for choice, places in enumerate(scored):
            slots[choice, places] = torch.arange(len(places), device=device)
        self.slots_CW = slots  # where a place is among the scored ones; num_scored for the others
        causal = torch.ones(self.width, self.width, dtype=torch.bool, device=device).tril()
        same = self.segments_CW[:, :, None] == self.segments_CW[:, None, :]
        self.visible_CWW = causal & same if pairs else None

    def choose(self, draw: Draw) -> Tensor:
        """Return the choice of length of each row, [R]."""
        chosen: Tensor = draw.integers(self.lengths_NC.shape[1], (self.num_rows,))
        return chosen

    def lengths(self, choice_R: Tensor) -> Tensor:
        """Return the lengths of all instances: those that come first in their rows, then the others."""
        return self.lengths_NC[:, choice_R].reshape(-1)

    def pack(self, batch: Batch, ids_MBL: Tensor, choice_R: Tensor) -> Rows:
        """Return instances of these choices laid out in rows."""
        num_rows, instance_width = self.num_rows, batch.tokens_MBL.shape[-1]
        row = torch.arange(num_rows, device=choice_R.device)[:, None]
        sources_RW = self.sources_CW[choice_R]
        member_RW, place_RW = sources_RW // instance_width, sources_RW % instance_width
        flat_RW = (member_RW * num_rows + row) * instance_width + place_RW

        def packed(values_MBL: Tensor, places: Tensor) -> Tensor:
            if values_MBL.stride(0) == 0:  # the same for all models, and it shall stay so
                return packed(values_MBL[:1].contiguous(), places).expand(values_MBL.shape[0], -1, -1)
            return values_MBL.reshape(values_MBL.shape[0], -1)[:, places]

        if ids_MBL.stride()[:2] == (0, 0) and self.visible_CWW is None:  # one row for all, and it shall stay so
            place = torch.arange(self.width, device=choice_R.device).clamp(max=instance_width - 1)
            ids_MRW = ids_MBL[0, 0][place].expand(ids_MBL.shape[0], num_rows, -1)
        else:
            ids_MRW = packed(ids_MBL, flat_RW)
        places_RS = self.scored_CS[choice_R]
        is_scored_RS = torch.arange(places_RS.shape[1], device=choice_R.device) < self.num_scored_C[choice_R][:, None]
        targets_MRS = packed(batch.targets_MBL, torch.gather(flat_RW, 1, places_RS))
        return Rows(
            tokens_MRW=packed(batch.tokens_MBL, flat_RW),
            ids_MRW=ids_MRW,
            scale_RW=torch.gather(self.lengths_NC[:, choice_R].T, 1, member_RW),
            sizes_MRW=batch.sizes_MB[:, member_RW * num_rows + row],
            visible=None if self.visible_CWW is None else self.visible_CWW[choice_R][:, None],
            places_RS=places_RS,
            slots_RW=self.slots_CW[choice_R],
            targets_MRS=self.xp.where(is_scored_RS, targets_MRS, IGNORE),
        )
