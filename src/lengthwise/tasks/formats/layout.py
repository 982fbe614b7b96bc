"""Where the symbols of a row go when it is written in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...arrays import Array, Arrays
from ..core.row_functions import along, at, places


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Symbol i of a row of n is shown at offset + stride · i or, backwards, at offset + stride · (n − 1 − i)."""

    stride: int = 1
    offset_MB: Array | None = None
    backwards: bool = False

    def shown_at(self, number_MBN: Array, sizes_MB: Array) -> Array:
        """Return the place at which each symbol is shown."""
        number = sizes_MB[..., None] - 1 - number_MBN if self.backwards else number_MBN
        place = number * self.stride
        return place if self.offset_MB is None else place + self.offset_MB[..., None]

    def number_at(self, place_MBN: Array, sizes_MB: Array) -> tuple[Array, Array]:
        """Return the number of the symbol that each place shows, and whether it shows one at all."""
        step = place_MBN if self.offset_MB is None else place_MBN - self.offset_MB[..., None]
        number = step // self.stride
        is_shown = (step >= 0) & (step % self.stride == 0) & (number < sizes_MB[..., None])
        return (sizes_MB[..., None] - 1 - number if self.backwards else number), is_shown

    def write(self, values_MBN: Array, sizes_MB: Array, extra_MBN: Array, width: int, xp: Arrays) -> Array:
        """Return rows in this layout, [M, B, width], with the extra symbols at the places that show none."""
        extra = xp.broadcast(extra_MBN, (*sizes_MB.shape, width))
        if not values_MBN.shape[-1]:
            return extra
        number, is_shown = self.number_at(places(sizes_MB, width, xp), sizes_MB)
        return xp.where(is_shown, at(values_MBN, number, xp), extra)


def constant(symbol: int, sizes_MB: Array, xp: Arrays) -> Array:
    """Return one symbol for every row, [M, B, 1]."""
    return along(sizes_MB * 0 + symbol, 1, xp)


class Sizes(NamedTuple):
    """How many symbols the prompts and answers of instances have, [M, B] each."""

    prompt_MB: Array
    answer_MB: Array


def places_elsewhere(
    place_MBL: Array, here: Sizes, there: Sizes, prompt_MBL: Array, answer_MBL: Array, xp: Arrays
) -> Array:
    """Return where the tokens of ``<bos> prompt <sep> answer <eos>`` are in instances whose fields have other sizes.

    ``prompt_MBL`` and ``answer_MBL`` are the numbers that the symbols of these fields have there; what follows the answer
    goes on following it.
    """
    sep, end = here.prompt_MB[..., None] + 1, (here.prompt_MB + here.answer_MB)[..., None] + 2
    other_sep, other_end = there.prompt_MB[..., None] + 1, (there.prompt_MB + there.answer_MB)[..., None] + 2
    found = xp.where(place_MBL < end, other_sep + 1 + answer_MBL, other_end + place_MBL - end)
    found = xp.where(place_MBL <= sep, other_sep, found)
    return xp.where(place_MBL < sep, xp.where(place_MBL < 1, 0, 1 + prompt_MBL), found)
