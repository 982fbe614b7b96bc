"""Retrieval: registers, what followed before, symbols by number, and values by key among filler."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...crasp.programs.recall import induction_rows
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import (
    NO_LAST_OF_MANY,
    answered_by,
    excluded_by_communication,
    excluded_by_hidden,
    excluded_without_positions,
)
from ..core.family import INSTANCES, Family, Group
from ..core.legal_inputs import FLIP_FLOP, register_inputs
from ..core.row_functions import along, at, batch_of, count, is_inside, keep, last_marked, one_at, places, uniform
from ..core.task import SEP, OneSymbolTask, Task, shuffled
from ..core.task_programs import short_answer_program
from ..hard.base import HardAnswers
from ..hard.repeats import MOST_REPEATED, REPEATS, repeated
from .recall import RECALL_FAMILIES

_FEW_KEYS = 16
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


class FlipFlop(OneSymbolTask):
    """Read the bit that was written last.

    Intermediate reads show the right bit. The proofs that no program does this use such prompts only.
    """

    length_means = "the number of symbols of the input: twice the number of instructions, less one"
    symbols = ("w", "r", "i", "0", "1")
    citation = "arXiv 2306.00946"
    revision = 2

    facts = Facts(
        cited=(
            excluded_without_positions(
                register_inputs,
                "Counting tells how often 0 and 1 were written, but not which of the two was written last.",
            ),
            excluded_by_hidden(
                FLIP_FLOP,
                "The answer is the bit that was written last, and any number of ignored instructions may follow it. "
                f"{NO_LAST_OF_MANY}",
                images={"0": tuple("w1i0"), "1": tuple("w0i1"), "2": tuple("i0i1")},
                answers=("0", "1"),
                prefix=tuple("w0i1w0i1"),
                suffix=("r", SEP),
                legal_inputs=register_inputs,
            ),
        )
    )

    def __init__(self, instances: str = "balanced") -> None:
        self.is_papers = instances == "paper"
        self.name = shortest_name("flip_flop", [instances], [INSTANCES.default])
        self.min_length = 3 if self.is_papers else 5
        self.definition = "w or r or i and a bit, again and again, then r: the bit that w wrote last; " + (
            "i has a random bit, and 8 in 10 instructions between the first, w, and the last are i, 1 is w, 1 is r"
            if self.is_papers
            else "the first and another one, uniform among the others, are w, and so are 1 in 10 before that; of the rest 1 in 9 is "
            "r, the others are i, whose bits make both bits equally frequent as far as they can"
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: odd numbers, as the last instruction has no bit."""
        return tuple(length for length in super().lengths(low, high) if length % 2)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the bit after the last w."""
        text = "".join(prompt)
        return [text[text.rindex("w") + 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return random instructions with their bits."""
        width = max_length // 2 + 1
        place = places(lengths_MB, width, xp)
        last_MB = lengths_MB // 2
        choice = uniform(draw.named("instructions"), 10, lengths_MB, width)
        if self.is_papers:
            is_write = (choice == 0) | (place == 0)
        else:
            final = draw.named("final").integers(last_MB - 1, batch_of(draw, lengths_MB))[..., None] + 1
            is_write = ((choice == 0) & (place < final)) | (place == final) | (place == 0)
            rest = draw.named("rest").integers(9, (*batch_of(draw, lengths_MB), width)) + 1
            choice = xp.where((choice == 0) & ~is_write, rest, choice)
        is_read = (((choice == 1) & ~is_write) | (place == last_MB[..., None])) & (place > 0)
        bits = uniform(draw.named("bits"), 2, lengths_MB, width)
        stored = at(bits, last_marked(is_write, xp), xp)
        instructions = xp.where(is_read, self.token("r"), xp.where(is_write, self.token("w"), self.token("i")))
        shown = xp.where(is_read, stored, bits)
        if not self.is_papers:
            shown = self._with_equal_bits(shown, is_read | is_write, last_MB, draw.named("equal"), xp)
        shown = shown + self.token("0")
        woven = xp.stack_last([instructions, shown]).reshape(*lengths_MB.shape, -1)
        return woven[..., :max_length], one_at(stored, last_MB - 1, xp)[..., None] + self.token("0")

    @staticmethod
    def _with_equal_bits(shown: Array, is_given: Array, number_MB: Array, draw: Draw, xp: Arrays) -> Array:
        """Return bits of which half are 1, or nearly half, as far as those that are not given can bring it about."""
        width = shown.shape[-1]
        inside = is_inside(number_MB, width, xp)
        ones = number_MB // 2 + (number_MB % 2) * draw.named("odd").integers(2, batch_of(draw, number_MB))
        missing = ones - count(inside & is_given & (shown == 1), xp)
        order = draw.named("order").permutation(width, batch_of(draw, number_MB))
        rank = xp.stable_ranks(xp.where(inside & ~is_given, order, width))
        return xp.where(is_given, shown, xp.where(rank < missing[..., None], 1, 0))


class MKAR(OneSymbolTask):
    """What followed the last few letters when they last occurred."""

    min_length: int
    citation = "after arXiv 2312.04927"
    symbols = _LETTERS[:_FEW_KEYS]

    def __init__(self, key_length: int = 2) -> None:
        self.key_length = key_length
        self.min_length = 2 * key_length + 1
        self.name = shortest_name("mkar", [key_length], [2])
        self.definition = (
            f"uniform letters out of {_FEW_KEYS}, the last {key_length} of which are repeated at a random place before: "
            "the letter that followed when they last occurred"
        )
        self.length_means = "the number of letters"
        key = (*"a" * (key_length - 1), "b")
        self.facts = Facts(
            cited=(
                excluded_by_hidden(
                    FLIP_FLOP,
                    f"The key {''.join(key)} occurs again and again, before c or before d. The answer is what followed it last. "
                    f"{NO_LAST_OF_MANY}",
                    images={"0": (*key, "c"), "1": (*key, "d"), "2": ("e",) * (key_length + 1)},
                    answers=("d", "c"),
                    prefix=(*key, "d"),
                    suffix=(*key, SEP),
                ),
            )
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letter behind the last occurrence before the end."""
        text = "".join(prompt)
        start = text.rindex(text[-self.key_length :], 0, len(text) - 1)
        return [text[start + self.key_length]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return letters whose last few are copied to a random place before, where they do not overlap."""
        size = self.key_length
        letters = uniform(draw.named("letters"), _FEW_KEYS, lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        end = (lengths_MB - size)[..., None]
        spot_MB = draw.named("spot").integers(lengths_MB - 2 * size + 1, batch_of(draw, lengths_MB))
        from_spot = place - spot_MB[..., None]
        letters = xp.where((from_spot >= 0) & (from_spot < size), at(letters, end + from_spot, xp), letters)
        same = place < end
        for each in range(size):
            same = same & (
                at(letters, place + each, xp) == at(letters, along(lengths_MB - size + each, max_length, xp), xp)
            )
        return letters, one_at(letters, last_marked(same, xp)[..., -1] + size, xp)[..., None]


class Induction(OneSymbolTask):
    """What followed the last letter where it occurred before."""

    name = "induction"
    definition = (
        "uniform letters, the last of which occurs once before, at a uniform place: the letter that followed it there"
    )
    length_means = "the number of letters"
    symbols = _LETTERS
    min_length = 3
    citation = "arXiv 2310.16028"

    def __init__(self) -> None:
        self.facts = Facts(
            program=short_answer_program(self.symbols, induction_rows(self.symbols, SEP)),
            how="The letter that was asked for occurs once before, and the answer is the first letter that has it in front of it",
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letter behind the first occurrence of the last one."""
        return [prompt[list(prompt).index(prompt[-1]) + 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return other letters with the repeated one at the end and at a place that is not directly before it."""
        batch = batch_of(draw, lengths_MB)
        key = draw.named("key").integers(len(_LETTERS), batch)[..., None]
        others = uniform(draw.named("letters"), len(_LETTERS) - 1, lengths_MB, max_length)
        others = xp.where(others < key, others, others + 1)
        spot_MB = draw.named("spot").integers(lengths_MB - 2, batch)
        place = places(lengths_MB, max_length, xp)
        is_key = (place == spot_MB[..., None]) | (place == lengths_MB[..., None] - 1)
        letters = xp.where(is_key, key, others)
        return letters, one_at(letters, spot_MB + 1, xp)[..., None]

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"repeats": RepeatedContexts(self)}


class IndexLookup(OneSymbolTask):
    """The letter of a number."""

    name = "index_lookup"
    definition = "uniform letters, then a number k in decimal, uniform from 1 to the largest that fits: letter number k"
    length_means = "the number of letters and digits"
    symbols = (*_LETTERS, *"0123456789")
    min_length = 2
    citation = "arXiv 2509.10534"
    facts = excluded_by_communication(
        "The number comes last and can ask for any letter, so the answer needs all letters"
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letter of that number, counted from 1."""
        return [prompt[int("".join(symbol for symbol in prompt if symbol.isdigit())) - 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return letters and a number that is not above how many they are.

        Of the numbers with d digits, those up to length − d fit.
        """
        most = len(str(max_length))
        largest = lengths_MB - 1
        for digits in range(2, most + 1):
            fewer = 10 ** (digits - 1) - 1
            fits = lengths_MB - digits
            largest = xp.where(fits > fewer, fits, xp.where(largest > fewer, fewer, largest))
        number = draw.named("number").integers(largest, batch_of(draw, lengths_MB)) + 1
        num_digits = sum((xp.where(number >= 10**digits, 1, 0) for digits in range(1, most)), start=number * 0 + 1)
        letters = uniform(draw.named("letters"), len(_LETTERS), lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        powers = xp.broadcast(xp.asarray([10**digits for digits in range(most + 1)]), (*lengths_MB.shape, most + 1))
        digits = number[..., None] // at(powers, lengths_MB[..., None] - 1 - place, xp) % 10 + self.token("0")
        told = xp.where(place < (lengths_MB - num_digits)[..., None], letters, digits)
        return told, one_at(letters, number - 1, xp)[..., None]


class Needle(OneSymbolTask):
    """The value of a key, in filler and among other keys."""

    citation = "arXiv 2404.06654"
    length_means = "the number of symbols: filler, keys with their values, and the key that is asked for"
    symbols = (*_LETTERS[:8], *(f"K{key}" for key in range(_FEW_KEYS)), *(f"V{value}" for value in range(_FEW_KEYS)))
    facts = Facts(
        cited=(
            answered_by(
                "needle",
                Fragment.PLAIN,
                "Only the key that is asked for occurs twice, and counting finds the symbol behind its first occurrence",
            ),
        )
    )

    def __init__(self, num_distractors: int = 3) -> None:
        self.num_pairs = num_distractors + 1
        self.min_length = 2 * self.num_pairs + 1
        self.name = shortest_name("needle", [num_distractors], [3])
        self.definition = (
            f"{self.num_pairs} different keys with uniform values at random places among filler, "
            "then one of these keys: its value"
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return what stands behind the key where it first occurs."""
        return [prompt[list(prompt).index(prompt[-1]) + 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return filler in which pairs stand at places that are uniform among all that do not overlap."""
        batch = batch_of(draw, lengths_MB)
        keys = draw.named("keys").permutation(_FEW_KEYS, batch)[..., : self.num_pairs] + self.token("K0")
        values = draw.named("values").integers(_FEW_KEYS, (*batch, self.num_pairs)) + self.token("V0")
        width = max_length - 1 - self.num_pairs  # of filler and pairs, each pair one thing
        thing = places(lengths_MB, width, xp)
        order = shuffled(thing, is_inside(lengths_MB - 1 - self.num_pairs, width, xp), draw.named("order"), xp)
        pairs, _ = keep(thing, order < self.num_pairs, xp)
        place = places(lengths_MB, max_length, xp)
        told = uniform(draw.named("filler"), 8, lengths_MB, max_length)
        for pair in range(self.num_pairs):
            start = pairs[..., pair, None] + pair  # every pair before takes one place more
            told = xp.where(place == start, keys[..., pair, None], told)
            told = xp.where(place == start + 1, values[..., pair, None], told)
        asked = draw.named("asked").integers(self.num_pairs, batch)
        told = xp.where(place == lengths_MB[..., None] - 1, one_at(keys, asked, xp)[..., None], told)
        return told, one_at(values, asked, xp)[..., None]


class RepeatedContexts(HardAnswers):
    """A letter to look up in a block that is repeated; what follows it there is, half of the time, not of the block."""

    kind = REPEATS

    def __init__(self, base: Induction) -> None:
        super().__init__(
            base,
            "the other letters are a block of 1 to 3 letters again and again; half of the time the answer is no letter of it",
        )

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return repeated blocks with the letter that is asked for at the end and somewhere before, and what follows it."""
        batch, number = batch_of(draw, lengths_MB), len(self.symbols)
        names = draw.named("letters").permutation(number, batch)  # the key, what it may be followed by, and the block's
        block = repeated(draw, MOST_REPEATED, lengths_MB, max_length, xp) + 2
        spot_MB = draw.named("spot").integers(lengths_MB - 2, batch)
        changed_MB = draw.named("changed").integers(2, batch) == 1
        place = places(lengths_MB, max_length, xp)
        is_key = (place == spot_MB[..., None]) | (place == lengths_MB[..., None] - 1)
        is_changed = (place == spot_MB[..., None] + 1) & changed_MB[..., None]
        words = at(names, xp.where(is_key, 0, xp.where(is_changed, 1, block)), xp)
        return words, one_at(words, spot_MB + 1, xp)[..., None]


_KEY_LENGTH = Parameter(name="key_length", default=2, meaning="the number of letters of a key", low=1, high=20)
_DISTRACTORS = Parameter(name="distractors", default=3, meaning="the number of other keys", low=0, high=_FEW_KEYS - 1)

FAMILIES: tuple[Family, ...] = (
    Family(name="flip_flop", group=Group.COPYING, make=FlipFlop, parameters=(INSTANCES,)),
    *RECALL_FAMILIES,
    Family(name="mkar", group=Group.COPYING, make=MKAR, parameters=(_KEY_LENGTH,)),
    Family(name="induction", group=Group.COPYING, make=Induction),
    Family(name="index_lookup", group=Group.COPYING, make=IndexLookup),
    Family(name="needle", group=Group.COPYING, make=Needle, parameters=(_DISTRACTORS,)),
)
