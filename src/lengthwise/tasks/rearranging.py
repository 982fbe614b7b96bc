"""Rearranging: copies with gaps, reversals, tokens picked out of others, and words that read the same backwards."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..errors import InvalidOptionError
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .distinct import DEFAULT_SYMBOLS, DistinctTokensTask
from .family import Family, Group, Parameter, shortest_name
from .pieces import along, at, batch_of, count, is_inside, keep, places, reverse, running_count, sort, uniform
from .task import AnswerTask, Batch, shuffled

_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
_BLANK = "."


def _too_much_to_know(reason: str) -> Facts:
    """Return that no program with periods and windows passes on enough of the input, for this reason."""
    return Facts(
        cited=(
            Citation(
                fragment=Fragment.PERIODIC_LOCAL,
                answer=Answer.NO,
                theorem="communication",
                reason=f"{reason}, but a program passes on only O(log n) bits.",
            ),
        )
    )


def _only_with_windows(theorem: str, reason: str, program: str) -> Facts:
    """Return that windows are enough, and that nothing is known without them for alphabets that grow."""
    return Facts(
        cited=(
            Citation(fragment=Fragment.LOCAL, answer=Answer.YES, theorem=theorem, reason=reason),
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.UNKNOWN,
                theorem="open",
                reason=(
                    f"for every fixed number of symbols there is a program without windows ({program}), but then the "
                    "inputs are finitely many; of alphabets that grow no theorem here speaks."
                ),
            ),
        )
    )


def _library(fragment: Fragment, reason: str) -> Facts:
    """Return that a program of the library answers."""
    return Facts(
        cited=(Citation(fragment=fragment, answer=Answer.YES, theorem="library_program", reason=reason),),
    )


class CopyEvery(DistinctTokensTask):
    """Copy every k-th of tokens that are all different; the input begins with k − 1 marks, so that x₁ is k after <bos>.

    If the inputs are whole, the number of tokens is a multiple of k, so that <sep> is k after the last token to copy.
    """

    family = "copy_every"
    purpose = "copy"

    def __init__(self, distance: int = 2, num_symbols: int = DEFAULT_SYMBOLS, inputs: str = "any") -> None:
        super().__init__(num_symbols)
        self.distance = distance
        self.step = distance if inputs == "whole" else 1
        if num_symbols < self.step:
            raise InvalidOptionError(
                f"{self.family} with whole inputs has at least {distance} different tokens; found {num_symbols} symbols.",
                hint=f"for example {self.family}({distance}, {10 * distance}, whole).",
            )
        self.min_length = distance + self.step - 1
        told = "whole" if self.step > 1 else "any"  # with k = 1 every input is whole
        self.name = shortest_name(self.family, [distance, num_symbols, told], [2, DEFAULT_SYMBOLS, "any"])
        multiple = f", a multiple of {distance} of them" if self.step > 1 else ""
        self.definition = (
            f"{distance - 1} marks #, then tokens that are all different, out of {num_symbols}{multiple}; "
            f"copy the first of them and every one that is a multiple of {distance} later"
        )
        self.length_means = f"the number of symbols of the input: {distance - 1} marks and the tokens"
        self.symbols = (*self.symbols, "#")
        self.facts = _only_with_windows(
            "program",
            f"an induction head that looks {distance} back is a program: the next token is the one that stood {distance} "
            "places after the current one before.",
            "lengthwise show program symbol_at",
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more tokens than there are symbols cannot all be different."""
        found = range(self.min_length, high + 1, self.step)
        longest = self.distance - 1 + self.num_symbols // self.step * self.step
        if found and found[-1] > longest:
            raise InvalidOptionError(
                f"length {found[-1]} is too long for {self.name}: it has {self.num_symbols} different symbols.",
                hint=f"use lengths up to {longest}, or a larger alphabet: "
                f"{self.family}({self.distance}, {found[-1] - self.distance + 1}{', whole' if self.step > 1 else ''}).",
            )
        return tuple(length for length in found if length >= low)

    def answer_length(self, length: Array) -> Array:
        """Return how many tokens are copied."""
        return length // self.distance

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return every so manyth token that is no mark."""
        return [token for token in prompt if token != "#"][:: self.distance]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return marks and different tokens, and the tokens to copy."""
        tokens = self.draw_tokens(draw, lengths_MB, max_length)
        first = self.distance - 1
        place = places(lengths_MB, max_length, xp)
        inputs = xp.where(place < first, self.token("#"), at(tokens, place - first, xp))
        return inputs, at(tokens, places(lengths_MB, max_length // self.distance, xp) * self.distance, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy: its number among the tokens."""
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        length = along(batch.scale_MB, place.shape[-1], xp)
        told = xp.where(place < self.distance, 0, place - self.distance + 1)
        copied = (place - length - 2) * self.distance + 1
        return xp.where(place <= length, told, xp.where(place == length + 1, 0, copied))


class Reverse(AnswerTask):
    """Write random tokens out of two backwards."""

    name = "reverse"
    definition = "write random tokens out of a and b backwards"
    length_means = "the number of tokens to reverse"
    symbols = ("a", "b")
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = _too_much_to_know("half of the input must be known to write the rest")

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input backwards."""
        return list(prompt)[::-1]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return independent fair coin flips."""
        tokens = uniform(draw.named("tokens"), 2, lengths_MB, max_length)
        return tokens, reverse(tokens, lengths_MB, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return _reversing_roles(batch, xp)


class ReverseUnique(DistinctTokensTask):
    """Write tokens that are all different backwards."""

    family = "reverse_unique"
    purpose = "reverse"
    citation = "arXiv 2106.06981"
    facts = _only_with_windows(
        "program",
        "with all tokens different, the next one is the one that stood before the current one.",
        "lengthwise show program unique_reverse",
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input backwards."""
        return list(prompt)[::-1]

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the tokens backwards."""
        return reverse(tokens_MBN, lengths_MB, xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return _reversing_roles(batch, xp)


class SelectiveCopy(AnswerTask):
    """Copy letters that stand among blanks."""

    name = "selective_copy"
    definition = "copy the letters a to d that stand among blanks; how many there are is uniform from 1 on, letters and places too"
    length_means = "the number of letters and blanks"
    symbols = ("a", "b", "c", "d", _BLANK)
    min_length = 1
    citation = "arXiv 2405.18719"
    facts = _too_much_to_know("without blanks this is repeat_copy: half of the input must be known to write the rest")

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input, for when there are no blanks."""
        return length

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
    facts = _library(
        Fragment.PLAIN,
        "the next letter is the one that came first of those not yet written (lengthwise show program dedup).",
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
    facts = _library(
        Fragment.PLAIN,
        "the next letter is the smallest of those not yet written (lengthwise show program unique_sorted).",
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


class Palindrome(AnswerTask):
    """Whether a word reads the same backwards.

    Were one symbol changed in all other words, the number of as would tell. So half of them have the second half's
    symbols in another order: to tell these from palindromes, linearly many bits of the first half must be known.
    """

    name = "palindrome"
    definition = (
        "y if a word over a and b reads the same backwards, n otherwise; half do, the others have one symbol changed or, "
        "as often, the symbols of their second half in a random order (if that changes nothing, one symbol changed)"
    )
    length_means = "the number of letters"
    symbols: tuple[str, ...] = ("a", "b", "y", "n")
    min_length = 2
    citation = "after arXiv 2411.07107"
    facts = _too_much_to_know(
        "the first half must be known to compare the second with it, even if their counts are equal"
    )

    def answer_length(self, length: Array) -> Array:
        """Return 1: one letter."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return y or n."""
        return ["y" if list(prompt) == list(prompt)[::-1] else "n"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return palindromes, words with one symbol changed, and words whose second half is in another order."""
        word = self.draw_palindromes(draw.named("half"), lengths_MB, max_length, xp)
        batch = batch_of(draw, lengths_MB)
        half_MB = lengths_MB // 2
        place = places(lengths_MB, max_length, xp)
        spot_MB = draw.named("spot").integers(half_MB * 2, batch)
        spot_MB = xp.where(spot_MB < half_MB, spot_MB, spot_MB + lengths_MB % 2)  # never the one in the middle
        changed = xp.where(place == spot_MB[..., None], 1 - word, word)
        start = (lengths_MB - half_MB)[..., None]
        mixed = shuffled(at(word, start + place, xp), place < half_MB[..., None], draw.named("order"), xp)
        mixed = xp.where(place < start, word, at(mixed, place - start, xp))
        differs = count((mixed != word) & is_inside(lengths_MB, max_length, xp), xp) > 0
        kind_MB = draw.named("kind").integers(4, batch)
        other = xp.where(((kind_MB == 3) & differs)[..., None], mixed, changed)
        is_other = kind_MB >= 2
        told = xp.where(is_other, self.token("n"), self.token("y"))
        return xp.where(is_other[..., None], other, word), told[..., None]

    def draw_palindromes(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return uniform palindromes."""
        letters = uniform(draw, 2, lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        mirrored = lengths_MB[..., None] - 1 - place
        return at(letters, xp.where(place < mirrored, place, mirrored), xp)


class MarkedReversal(Palindrome):
    """Whether what comes after the mark is what comes before it, backwards."""

    name = "marked_reversal"
    definition = (
        "y if a word w#v over a and b has v = w backwards, n otherwise; half do, the others have one symbol changed or, "
        "as often, the symbols of v in a random order (if that changes nothing, one symbol changed)"
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


def _is_first(values_MBN: Array, xp: Arrays) -> Array:
    """Return whether no place before has the same value: whether it is the first of its equals in sorted order."""
    in_order = xp.gather_last(values_MBN, xp.stable_argsort(values_MBN))
    place = xp.broadcast(xp.arange(values_MBN.shape[-1]), tuple(values_MBN.shape))
    is_new = (in_order != at(in_order, place - 1, xp)) | (place == 0)
    return xp.gather_last(is_new, xp.stable_ranks(values_MBN))


def _reversing_roles(batch: Batch, xp: Arrays) -> Array:
    """Return roles n, …, 1 for an answer whose prompt has 1, …, n; the separator has n + 1, as if it came before n."""
    place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
    length = along(batch.scale_MB, place.shape[-1], xp)
    back = 2 * length + 2 - place
    return xp.where(place <= length, place, xp.where(back > 0, back, 0))


def _picking_roles(batch: Batch, picked_MBL: Array, xp: Arrays) -> Array:
    """Return roles for an answer that has the picked symbols of the prompt in their order; the others have role 0."""
    place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
    length = along(batch.scale_MB, place.shape[-1], xp)
    in_prompt = picked_MBL & (place > 0) & (place <= length)
    told = xp.where(in_prompt, running_count(in_prompt, xp), 0)
    return xp.where(place <= length, told, place - length - 1)


_SYMBOLS = Parameter(name="symbols", default=DEFAULT_SYMBOLS, meaning="the number of its symbols", low=1, high=10**5)
_DISTANCE = Parameter(name="distance", default=2, meaning="the distance between tokens to copy", low=1, high=100)

_INPUTS = Parameter(
    name="inputs",
    default="any",
    meaning="how many tokens there are (whole: a multiple of the distance)",
    words=("any", "whole"),
)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="copy_every",
        group=Group.COPYING,
        make=CopyEvery,
        parameters=(_DISTANCE, _SYMBOLS, _INPUTS),
        rows=("r03",),
    ),
    Family(name="reverse", group=Group.COPYING, make=Reverse, rows=("r04",)),
    Family(name="reverse_unique", group=Group.COPYING, make=ReverseUnique, parameters=(_SYMBOLS,), rows=("r04",)),
    Family(name="selective_copy", group=Group.COPYING, make=SelectiveCopy, rows=("r05",)),
    Family(name="dedup", group=Group.COPYING, make=Dedup, rows=("r13",)),
    Family(name="unique_sorted", group=Group.COPYING, make=UniqueSorted, rows=("r13",)),
    Family(name="palindrome", group=Group.COPYING, make=Palindrome, rows=("r14",)),
    Family(name="marked_reversal", group=Group.COPYING, make=MarkedReversal, rows=("r14",)),
)
