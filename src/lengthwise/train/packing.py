"""Packing: two training instances of complementary lengths share a row, so that next to nothing is padding.

A batch draws the lengths of half of its instances; the other half have the lengths at the mirrored places of the list
of all lengths. The shortest goes with the longest, and all rows are about equally full. Every length of the layout is
still uniform on its own; a task that lacks some of them has its next shorter length there. The lengths of a step are the
same for every seed and every task of one layout, and they repeat with a period, so that everything about the layout of a
row (which token stands where, who sees whom, what is scored) is looked up in tables by one number per row, also where the
models of a stack are at different steps.

Shapes: T steps or instances of several steps, P steps of a cycle, C choices of a length, R rows, W places of a row, S
scored places of a row, B instances of a step, L tokens of an instance.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ..encodings.core.base import Where
from ..model.transformer import Scored
from ..seeds import DATA, open_stream
from ..tasks.core.task import IGNORE
from .groups import Layout

_MULTIPLE = 8  # places of a row: fused attention with a mask wants its last axis aligned


class Rows(NamedTuple):
    """A batch as the model sees it: ``targets_MRS`` belong to the places that ``places_RS`` names."""

    tokens_MRW: Tensor
    ids_MRW: Tensor
    scale_MRW: Tensor
    sizes_MRW: Tensor
    visible: Tensor | None
    places_RS: Tensor
    slots_RW: Tensor
    targets_MRS: Tensor
    row_ids: Tensor | None = None  # as in ``Where``

    @property
    def at(self) -> Where:
        """Where the tokens stand."""
        return Where(
            ids_MBL=self.ids_MRW,
            scale_MBL=self.scale_MRW,
            sizes_MBL=self.sizes_MRW,
            visible=self.visible,
            row_ids=self.row_ids,
        )

    @property
    def scored(self) -> Scored:
        """Where outputs are wanted; a last block is trimmed to that if it saves at least a quarter."""
        trims = 4 * self.places_RS.shape[1] <= 3 * self.slots_RW.shape[1]
        return Scored(places_BS=self.places_RS, slots_BL=self.slots_RW, trims=trims)


class Packing:
    """The layout of the rows of a batch, as tables by choice of length, and the choices of every step.

    With ``pairs`` two instances share a row; otherwise each has its own.
    """

    def __init__(self, layout: Layout, *, batch: int, period: int, cycle: int, pairs: bool, device: str) -> None:
        lengths = layout.lengths
        members = [range(len(lengths)), range(len(lengths))[::-1]] if pairs else [range(len(lengths))]
        self.num_rows = batch // len(members)
        self.max_length = max(lengths)
        self.instance_width = layout.width
        groups = list(zip(*members, strict=True))  # the numbers of the lengths in the row of each choice
        sizes = [[layout.sizes[number] for number in group] for group in groups]
        self.width = -(-max(map(sum, sizes)) // _MULTIPLE) * _MULTIPLE
        sources, segments, scored = [], [], []
        for group, own in zip(groups, sizes, strict=True):
            places = [member * layout.width + place for member, size in enumerate(own) for place in range(size)]
            segment = [member for member, size in enumerate(own) for _ in range(size)]
            rest = self.width - len(places)
            sources.append(places + places[-1:] * rest)  # what follows the last instance is seen by nobody
            segments.append(segment + segment[-1:] * rest)
            starts = [sum(own[:member]) for member in range(len(own))]
            scored.append(
                [start + place for start, number in zip(starts, group, strict=True) for place in layout.scored[number]]
            )
        num_scored = max(map(len, scored))

        def table(values: object) -> Tensor:
            return torch.tensor(values, dtype=torch.int64, device=device)

        self.lengths_NC = table([[lengths[number] for number in member] for member in members])
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
        self._row_R = torch.arange(self.num_rows, device=device)[:, None]
        order = open_stream(DATA, seed=0).named("length").permutation(cycle * self.num_rows)
        self.schedule_PR = table(order % len(lengths)).reshape(cycle, self.num_rows)
        self._period = period

    def choices(self, first: int, steps: int) -> Tensor:
        """Return the choice of length of each row of so many steps, [T, R].

        All periods are alike. Within one, choices repeat after a cycle, in which each is made equally often, up to one time.
        """
        step_T = torch.arange(first, first + steps, device=self.schedule_PR.device)
        return self.schedule_PR[step_T % self._period % self.schedule_PR.shape[0]]

    def lengths(self, choice_TR: Tensor) -> Tensor:
        """Return the lengths of all instances of each step, [T, B]: those that come first in their rows, then the others."""
        return self.lengths_NC[:, choice_TR].transpose(0, 1).flatten(1)

    def pack(self, values_TBL: Tensor, choice_TR: Tensor) -> Tensor:
        """Return what each token of an instance has, laid out in rows, [T, R, W]."""
        return torch.gather(values_TBL.flatten(1), 1, self._sources(choice_TR).flatten(1)).reshape(
            *choice_TR.shape, self.width
        )

    def pack_targets(self, targets_TBL: Tensor, choice_TR: Tensor) -> Tensor:
        """Return the targets of the scored places of each row, [T, R, S]; IGNORE where a row has fewer."""
        places_TRS = self.scored_CS[choice_TR]
        sources_TRS = torch.gather(self._sources(choice_TR), 2, places_TRS)
        found_TRS = torch.gather(targets_TBL.flatten(1), 1, sources_TRS.flatten(1)).reshape(places_TRS.shape)
        is_scored = torch.arange(places_TRS.shape[2], device=choice_TR.device) < self.num_scored_C[choice_TR][..., None]
        return torch.where(is_scored, found_TRS, IGNORE)

    def _sources(self, choice_TR: Tensor) -> Tensor:
        """Return which token of the batch stands at each place, [T, R, W]."""
        sources_TRW = self.sources_CW[choice_TR]
        member_TRW, place_TRW = sources_TRW // self.instance_width, sources_TRW % self.instance_width
        return (member_TRW * self.num_rows + self._row_R) * self.instance_width + place_TRW

    def rows(
        self,
        tokens_MRW: Tensor,
        ids: Tensor,
        targets_MRS: Tensor,
        sizes_MB: Tensor,
        scale_MB: Tensor | None,
        choice_R: Tensor,
        *,
        has_row_ids: bool = False,
    ) -> Rows:
        """Return the rows of a step, with everything that the choice of lengths decides.

        ``ids`` are [M, R, W] or, where every instance has the same, [L]; ``has_row_ids`` says that these are whole numbers
        below L. Without a scale, an instance has the length chosen.
        """
        instance_RW = self.sources_CW[choice_R] // self.instance_width * self.num_rows + self._row_R
        if scale_MB is None:
            scale_MB = self.lengths_NC[:, choice_R].flatten()[None]
        if ids.dim() == 3:
            ids_MRW = ids
        elif self.visible_CWW is None:  # one row for all, and it shall stay so
            place = torch.arange(self.width, device=choice_R.device).clamp(max=self.instance_width - 1)
            ids_MRW = ids[place].expand(tokens_MRW.shape)
        else:  # the same for all models, and it shall stay so
            ids_MRW = ids[self.sources_CW[choice_R] % self.instance_width].expand(tokens_MRW.shape)
        return Rows(
            tokens_MRW=tokens_MRW,
            ids_MRW=ids_MRW,
            scale_MRW=scale_MB[:, instance_RW],
            sizes_MRW=sizes_MB[:, instance_RW],
            visible=None if self.visible_CWW is None else self.visible_CWW[choice_R][:, None],
            places_RS=self.scored_CS[choice_R],
            slots_RW=self.slots_CW[choice_R],
            targets_MRS=targets_MRS,
            row_ids=ids_MRW if has_row_ids and self.visible_CWW is None else None,
        )


def are_same(ids_MBL: Tensor) -> bool:
    """Return whether ids are one row, expanded over models and instances."""
    return ids_MBL.stride()[:2] == (0, 0)
