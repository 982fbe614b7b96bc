"""Words written backwards, and words that read the same backwards."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...names import Parameter
from ...seeds import Draw
from ...theory.positions.circuits import selecting_circuit
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import Problem
from ..core.cited import excluded_by_communication
from ..core.distinct_tokens import DEFAULT_SYMBOLS, DistinctTokensTask
from ..core.family import Family, Group
from ..core.row_functions import along, at, batch_of, count, is_inside, one_at, pick, places, reverse, uniform
from ..core.task import Batch, OneSymbolTask, SameLengthTask, Task
from ..hard.base import HardAnswers
from ..hard.repeats import REPEATS, RepeatedBlocks, repeated
from ..languages.changes import Zone, exchange_segments

_CONTEXTS = (2, 1, 1, 1)


class Reverse(SameLengthTask):
    """Write random tokens out of two backwards."""

    name = "reverse"
    definition = "write random tokens out of a and b backwards"
    length_means = "the number of tokens to reverse"
    symbols = ("a", "b")
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = excluded_by_communication("The answer needs every symbol of the input, in reverse order")

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input backwards."""
        return list(prompt)[::-1]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return independent fair coin flips."""
        tokens = uniform(draw.named("tokens"), 2, lengths_MB, max_length)
        return tokens, reverse(tokens, lengths_MB, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return reversing_roles(batch, xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"repeats": RepeatedBlocks(self, is_reverse=True)}


class ReverseUnique(DistinctTokensTask):
    """Write tokens that are all different backwards."""

    family = "reverse_unique"
    purpose = "reverse"
    citation = "arXiv 2106.06981"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input backwards."""
        return list(prompt)[::-1]

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the tokens backwards."""
        return reverse(tokens_MBN, lengths_MB, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return reversing_roles(batch, xp)


class Palindrome(OneSymbolTask):
    """Whether a word reads the same backwards.

    In the other words the second half's symbols are in another order, so that no count tells: to tell these from
    palindromes, linearly many bits of the first half must be known. Its last symbol stays, or it would tell.
    """

    name = "palindrome"
    definition = (
        "y if a word over a and b reads the same backwards, n otherwise; half do, in 7 of 8 others two segments of the second "
        "half have changed places, which keeps the number of every pair of neighbours, in the rest two symbols have (where both "
        "change nothing, one symbol is changed)"
    )
    revision = 2
    length_means = "the number of letters"
    symbols: tuple[str, ...] = ("a", "b", "y", "n")
    min_length = 2
    citation = "after arXiv 2411.07107"
    facts = excluded_by_communication(
        "The answer needs every symbol of both halves, since they may have the same counts and still differ"
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return y or n."""
        return ["y" if list(prompt) == list(prompt)[::-1] else "n"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return palindromes, and words whose second half is in another order."""
        word = self.draw_palindromes(draw.named("half"), lengths_MB, max_length, xp)
        batch = batch_of(draw, lengths_MB)
        half_MB = lengths_MB // 2
        place = places(lengths_MB, max_length, xp)
        spot_MB = draw.named("spot").integers(half_MB * 2, batch)
        spot_MB = xp.where(spot_MB < half_MB, spot_MB, spot_MB + lengths_MB % 2)  # never the one in the middle
        changed = xp.where(place == spot_MB[..., None], 1 - word, word)
        start, end = (lengths_MB - half_MB)[..., None], lengths_MB[..., None] - 1
        mixed = self._exchanged(at(word, start + place, xp), half_MB, draw.named("order"), xp)
        mixed = xp.where(place < start, word, at(mixed, place - start, xp))
        inner = (place >= start) & (place < end)
        is_same = count(inner & (word != one_at(word, start[..., 0], xp)[..., None]), xp) == 0
        swapped, can_swap = swap_two(word, inner | (is_same[..., None] & (place == end)), draw.named("swap"), xp)
        differs = count((mixed != word) & is_inside(lengths_MB, max_length, xp), xp) > 0
        kind_MB = draw.named("kind").integers(16, batch)
        other = xp.where(can_swap[..., None], swapped, changed)
        other = xp.where(((kind_MB > 8) & differs)[..., None], mixed, other)
        is_other = kind_MB >= 8
        told = xp.where(is_other, self.token("n"), self.token("y"))
        return xp.where(is_other[..., None], other, word), told[..., None]

    @staticmethod
    def _exchanged(halves: Array, lengths_MB: Array, draw: Draw, xp: Arrays) -> Array:
        """Return halves with segments exchanged that begin after the same symbols, which keeps the number of every pair."""
        own = draw.at(xp.arange(len(_CONTEXTS)))
        candidates = exchange_segments(
            halves[..., None, :, :], lengths_MB[..., None, :], _CONTEXTS, (Zone.ANYWHERE,) * len(_CONTEXTS), 2, own, xp
        )
        found, inside = halves, is_inside(lengths_MB, halves.shape[-1], xp)
        for number in range(len(_CONTEXTS)):
            is_same = count((found != halves) & inside, xp) == 0
            found = xp.where(is_same[..., None], candidates[..., number, :, :], found)
        return found

    def draw_palindromes(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return uniform palindromes."""
        letters = uniform(draw, 2, lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        mirrored = lengths_MB[..., None] - 1 - place
        return at(letters, xp.where(place < mirrored, place, mirrored), xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"repeats": RepeatedPalindromes(self)}


class MarkedReversal(Palindrome):
    """Whether what comes after the mark is what comes before it, backwards."""

    name = "marked_reversal"
    definition = (
        "y if a word w#v over a and b has v = w backwards, n otherwise; half do, in 7 of 8 others two segments of v have "
        "changed places, which keeps the number of every pair of neighbours, in the rest two symbols have (where both change "
        "nothing, one symbol is changed)"
    )
    length_means = "the number of symbols of w#v, which is odd"
    symbols = ("a", "b", "#", "y", "n")
    min_length = 3

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: odd numbers."""
        return tuple(length for length in super().lengths(low, high) if length % 2)

    def draw_palindromes(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return uniform palindromes with a mark in the middle."""
        word = super().draw_palindromes(draw, lengths_MB, max_length, xp)
        middle = places(lengths_MB, max_length, xp) == lengths_MB[..., None] // 2
        return xp.where(middle, self.token("#"), word)


def swap_two(word: Array, allowed: Array, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
    """Return words with two different symbols at allowed places exchanged, and whether there are such."""
    place = xp.arange(word.shape[-1])
    one = pick(allowed, draw.named("one"), xp)
    symbol = one_at(word, one, xp)
    others = allowed & (word != symbol[..., None])
    other = pick(others, draw.named("other"), xp)
    swapped = xp.where(place == other[..., None], symbol[..., None], word)
    swapped = xp.where(place == one[..., None], one_at(word, other, xp)[..., None], swapped)
    return swapped, count(others, xp) > 0


def reversing_roles(batch: Batch, xp: Arrays) -> Array:
    """Return roles n, …, 1 for an answer whose prompt has 1, …, n; the separator has n + 1, as if it came before n."""
    place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
    length = along(batch.scale_MB, place.shape[-1], xp)
    back = 2 * length + 2 - place
    return xp.where(place <= length, place, xp.where(back > 0, back, 0))


class RepeatedPalindromes(HardAnswers):
    """Words whose halves repeat a block: palindromes, and words that are not, for one symbol."""

    kind = REPEATS

    def __init__(self, base: Palindrome) -> None:
        self.has_mark = isinstance(base, MarkedReversal)
        super().__init__(
            base,
            "each half repeats a block of 1 to 3 symbols with one symbol changed, in half of the words at the mirrored place and "
            "in the others elsewhere",
        )

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words of repeated blocks with a symbol changed in each half, and whether these mirror each other."""
        batch = batch_of(draw, lengths_MB)
        place = places(lengths_MB, max_length, xp)
        mirrored = lengths_MB[..., None] - 1 - place
        letters = repeated(draw, 2, lengths_MB, max_length, xp)
        words = at(letters, xp.where(place < mirrored, place, mirrored), xp)
        half_MB = lengths_MB // 2
        changed_MB = draw.named("changed").integers(2, batch) == 1
        spot_MB = draw.named("spot").integers(half_MB, batch)
        apart_MB = draw.named("apart").integers(xp.where(half_MB < 2, 1, half_MB - 1), batch) + 1
        other_MB = xp.where(changed_MB, (spot_MB + apart_MB) % half_MB, spot_MB)
        words = xp.where(place == spot_MB[..., None], 1 - words, words)
        is_single = changed_MB & (half_MB < 2)  # there is no other place
        words = xp.where((mirrored == other_MB[..., None]) & ~is_single[..., None], 1 - words, words)
        if self.has_mark:
            words = xp.where(place == half_MB[..., None], self.token("#"), words)
        return words, xp.where(changed_MB, self.token("n"), self.token("y"))[..., None]


def reverse_problem(symbols: str = "01") -> Problem:
    """Return reversal: y_t = x_{n−t}."""
    layout = word_layout("reverse", "the word backwards", symbols, Reverse().answer)
    return Problem(layout=layout, circuit=selecting_circuit(layout, "y_t = x_{n−t}", lambda scale, step: scale - step))


PROBLEMS = {"reverse": reverse_problem}
_SYMBOLS = Parameter(name="symbols", default=DEFAULT_SYMBOLS, meaning="the number of its symbols", low=1, high=10**5)

FAMILIES: tuple[Family, ...] = (
    Family(name="reverse", group=Group.COPYING, make=Reverse, problem=lambda: reverse_problem("ab")),
    Family(
        name="reverse_unique",
        group=Group.COPYING,
        make=ReverseUnique,
        parameters=(_SYMBOLS,),
        problem=lambda _: reverse_problem(),
    ),
    Family(name="palindrome", group=Group.COPYING, make=Palindrome),
    Family(name="marked_reversal", group=Group.COPYING, make=MarkedReversal),
)
