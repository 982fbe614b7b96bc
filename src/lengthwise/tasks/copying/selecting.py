"""Some symbols of the input: those that are not blank, and every letter once."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import answered_by, excluded_by_communication
from ..core.family import Family, Group
from ..core.row_functions import along, at, batch_of, is_inside, keep, places, running_count, sort, uniform
from ..core.task import AnswerTask, Batch, SameLengthTask, shuffled

_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
_BLANK = "."


class SelectiveCopy(SameLengthTask):
    """Copy letters that stand among blanks."""

    name = "selective_copy"
    definition = "copy the letters a to d that stand among blanks; how many there are is uniform from 1 on, letters and places too"
    length_means = "the number of letters and blanks"
    symbols = ("a", "b", "c", "d", _BLANK)
    min_length = 1
    citation = "arXiv 2405.18719"
    facts = excluded_by_communication("An input without blanks is copied whole, so the answer needs every symbol")

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return what is not blank."""
        return [symbol for symbol in prompt if symbol != _BLANK]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array, Array]:
        """Return uniform letters at random places, of which there are 1 to length, and blanks at the others."""
        number_MB = draw.named("number").integers(lengths_MB, batch_of(draw, lengths_MB)) + 1
        place = places(lengths_MB, max_length, xp)
        order = shuffled(place, place < lengths_MB[..., None], draw.named("order"), xp)
        is_letter = order < number_MB[..., None]
        letters = uniform(draw.named("letters"), 4, lengths_MB, max_length)
        kept, _ = keep(letters, is_letter & is_inside(lengths_MB, max_length, xp), xp)
        return xp.where(is_letter, letters, self.token(_BLANK)), kept, number_MB

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a letter and its copy: its number among the letters."""
        return _picking_roles(batch, batch.tokens_MBL < self.token(_BLANK), xp)


class _OccurringTask(AnswerTask):
    """A task about which letters occur: letters are uniform over a random set of letters, whose size is uniform."""

    length_means = "the number of letters of the input"
    symbols = _LETTERS
    min_length = 1
    citation = "arXiv 2310.16028"

    def answer_length(self, length: Array) -> Array:
        """Return as many as there can be different letters."""
        return length - (length > len(_LETTERS)) * (length - len(_LETTERS))

    def draw_letters(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return random letters out of 1 to 26 random ones, but of no more than there are places."""
        batch = batch_of(draw, lengths_MB)
        number_MB = draw.named("number").integers(self.answer_length(lengths_MB), batch) + 1
        chosen = draw.named("choice").permutation(len(_LETTERS), batch)
        return at(chosen, draw.named("letters").integers(number_MB[..., None], (*batch, max_length)), xp)


class Dedup(_OccurringTask):
    """Write every letter where it comes first, and only there."""

    name = "dedup"
    definition = (
        "leave out letters that came before; letters are uniform over a random set of letters, whose size is uniform"
    )
    facts = Facts(
        cited=(
            answered_by(
                "dedup",
                Fragment.PLAIN,
                "The model writes the first letter not yet written, and counts show which came first",
            ),
        )
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letters in the order in which they first occur."""
        return list(dict.fromkeys(prompt))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array, Array]:
        """Return letters, and those that come first."""
        letters = self.draw_letters(draw, lengths_MB, max_length, xp)
        is_first = _is_first(letters, xp) & is_inside(lengths_MB, max_length, xp)
        kept, number = keep(letters, is_first, xp)
        return letters, kept[..., : self.answer_length(max_length)], number

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a letter where it comes first and its copy: its number among such letters."""
        return _picking_roles(batch, _is_first(batch.tokens_MBL, xp) & (batch.tokens_MBL < len(_LETTERS)), xp)


class UniqueSorted(_OccurringTask):
    """Write which letters occur, in order."""

    name = "unique_sorted"
    definition = (
        "write which letters occur, in order; letters are uniform over a random set of letters, whose size is uniform"
    )
    facts = Facts(
        cited=(
            answered_by(
                "unique_sorted",
                Fragment.PLAIN,
                "The model writes the smallest letter not yet written, and attention shows which occur",
            ),
        )
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letters that occur, in order."""
        return sorted(set(prompt))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array, Array]:
        """Return letters, and which of them occur."""
        letters = self.draw_letters(draw, lengths_MB, max_length, xp)
        in_order = sort(letters, lengths_MB, len(_LETTERS), xp)
        is_first = _is_first(in_order, xp) & is_inside(lengths_MB, max_length, xp)
        kept, number = keep(in_order, is_first, xp)
        return letters, kept[..., : self.answer_length(max_length)], number


def _is_first(values_MBN: Array, xp: Arrays) -> Array:
    """Return whether no place before has the same value: whether it is the first of its equals in sorted order."""
    in_order = xp.gather_last(values_MBN, xp.stable_argsort(values_MBN))
    place = xp.broadcast(xp.arange(values_MBN.shape[-1]), tuple(values_MBN.shape))
    is_new = (in_order != at(in_order, place - 1, xp)) | (place == 0)
    return xp.gather_last(is_new, xp.stable_ranks(values_MBN))


def _picking_roles(batch: Batch, picked_MBL: Array, xp: Arrays) -> Array:
    """Return roles for an answer that has the picked symbols of the prompt in their order; the others have role 0."""
    place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
    length = along(batch.scale_MB, place.shape[-1], xp)
    in_prompt = picked_MBL & (place > 0) & (place <= length)
    told = xp.where(in_prompt, running_count(in_prompt, xp), 0)
    return xp.where(place <= length, told, place - length - 1)


FAMILIES: tuple[Family, ...] = (
    Family(name="selective_copy", group=Group.COPYING, make=SelectiveCopy),
    Family(name="dedup", group=Group.COPYING, make=Dedup),
    Family(name="unique_sorted", group=Group.COPYING, make=UniqueSorted),
)
