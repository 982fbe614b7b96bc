"""Counting: several majorities, how many there are of a symbol, counting up, and the blank in a doubled word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...crasp.programs.templates import quoted
from ...languages.regex import compile_regex
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Citation, Facts
from ..core.cited import answered_by, excluded_by, unsettled
from ..core.distinct_tokens import DEFAULT_SYMBOLS, DistinctTokensTask
from ..core.family import Family, Group
from ..core.row_functions import along, at, batch_of, is_inside, one_at, places, uniform
from ..core.task import BOS, EOS, AnswerTask, Batch, OneSymbolTask, Task, shuffled
from ..core.writing import NO_NUMBERS, ONE_NUMBER
from ..hard.base import HardAnswers, in_any_order
from .majorities import BinMajority, BinMajorityInterleave, interleaved_facts

FORMS = ("numeral", "unary")
HEAD = (f"start {quoted([BOS])}", f"stop {quoted([EOS])}")
"""Lines that every program for a task of this package begins with, after its alphabet."""


class InterleavedMajorities(BinMajorityInterleave):
    """The majorities of several streams of bits that take turns; three are ``bin_majority_interleave``."""

    def __init__(self, num_streams: int) -> None:
        self.num_streams = num_streams
        self.name = shortest_name("bin_majority_interleave", [num_streams], [3])
        self.min_length = num_streams
        if num_streams != 3:
            self.definition = f"the majority bits of {num_streams} interleaved streams, each without a tie"
            self.facts = interleaved_facts(num_streams)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: multiples of the number of streams."""
        return tuple(each for each in range(max(low, self.min_length), high + 1) if each % self.num_streams == 0)

    def answer_length(self, length: Array) -> Array:
        """Return how many streams there are: a bit for each."""
        return length * 0 + self.num_streams

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the majority of each stream."""
        streams = [list(prompt)[start :: self.num_streams] for start in range(self.num_streams)]
        return ["1" if stream.count("1") > stream.count("0") else "0" for stream in streams]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return streams as in bin_majority, taking turns."""
        one, each_MB, width = BinMajority(), lengths_MB // self.num_streams, -(-max_length // self.num_streams)
        drawn = [
            one.draw_inputs(draw.named("stream").at(number), each_MB, width, xp) for number in range(self.num_streams)
        ]
        woven = xp.stack_last([bits for bits, _ in drawn]).reshape(*lengths_MB.shape, -1)
        return woven[..., :max_length], xp.concat_last([answer for _, answer in drawn])


class NumberTask(AnswerTask):
    """A task whose answer is a number from 0 to its length: a decimal numeral, or as many 1s."""

    def __init__(self, form: str, input_symbols: tuple[str, ...]) -> None:
        self.is_unary = form == "unary"
        self.writing = NO_NUMBERS if self.is_unary else ONE_NUMBER
        self.input_symbols = input_symbols
        self.symbols = (*input_symbols, *("1" if self.is_unary else "0123456789"))

    def answer_length(self, length: Array) -> Array:
        """Return how many symbols the largest number takes, which is the length."""
        return length if self.is_unary else num_digits(length)

    def spelled(self, number: int) -> list[str]:
        """Return a number in plain Python."""
        return ["1"] * number if self.is_unary else list(str(number))

    def written(self, numbers_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return numbers as symbols, and how many these are."""
        width, first = int(self.answer_length(max_length)), len(self.input_symbols)
        place = places(numbers_MB, width, xp)
        if self.is_unary:
            return place * 0 + first, numbers_MB
        sizes_MB = num_digits(numbers_MB)
        exponent = sizes_MB[..., None] - 1 - place
        powers = xp.asarray([10**each for each in range(width)])[xp.where(exponent < 0, 0, exponent)]
        return numbers_MB[..., None] // powers % 10 + first, sizes_MB


def num_digits(number: Array) -> Array:
    """Return how many decimal digits a number below 10**10 has; for one number or an array.

    >>> [num_digits(number) for number in (0, 9, 10, 999)]
    [1, 1, 2, 3]
    """
    digits = number * 0 + 1
    for power in range(1, 10):
        digits = digits + (number >= 10**power) * 1
    return digits


def draw_marked(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
    """Return words over x, a, b (as 0, 1, 2) and their numbers of x, which are uniform over 0, …, length."""
    marked_MB = draw.named("marked").integers(lengths_MB + 1, batch_of(draw, lengths_MB))
    others = uniform(draw.named("others"), 2, lengths_MB, max_length) + 1
    in_order = xp.where(places(lengths_MB, max_length, xp) < marked_MB[..., None], 0, others)
    return shuffled(in_order, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp), marked_MB


class CountSymbol(NumberTask):
    """How many xs there are."""

    length_means = "the number of symbols, xs and others"
    min_length = 1
    citation = "arXiv 2405.18719"

    def __init__(self, form: str) -> None:
        super().__init__(form, ("x", "a", "b"))
        self.name = shortest_name("count_symbol", [form], [FORMS[0]])
        how = "as so many 1s" if self.is_unary else "in decimal"
        self.definition = f"the number of xs among as and bs, {how}; that number is uniform"
        proved = answered_by("unary_count", Fragment.PLAIN, "1s are written until there are as many as xs")
        self.facts = Facts(cited=(proved if self.is_unary else excluded_numeral("xs"),))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the number of xs."""
        return self.spelled(list(prompt).count("x"))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words whose number of xs is uniform, and that number."""
        words, marked_MB = draw_marked(draw, lengths_MB, max_length, xp)
        return words, *self.written(marked_MB, max_length, xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": NearRoundNumbers(self)}


def excluded_numeral(what: str) -> Citation:
    """Return NO: a number that grows with the length cannot be written in decimal."""
    return excluded_by(
        "ultimately_periodic",
        f"The first digit of the number of {what} goes from 9 back to 1 at 10, 100, 1000 and so on, without end. A model compares "
        "counts with finitely many fixed numbers only. Beyond the largest of these nothing changes any more, but the digit does.",
    )


class CountMod(OneSymbolTask):
    """The number of xs modulo k."""

    length_means = "the number of symbols, xs and others"
    min_length = 0
    citation = "arXiv 2410.02140"

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        self.name = shortest_name("count_mod", [modulus], [5])
        self.definition = f"the number of xs among as and bs, modulo {modulus}; the number of xs is uniform"
        self.symbols = ("x", "a", "b", *map(str, range(modulus)))
        self.facts = Facts(language=compile_regex(f"[ab]*((x[ab]*){{{modulus}}})*", alphabet="xab"))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the remainder."""
        return [str(list(prompt).count("x") % self.modulus)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words whose number of xs is uniform, and its remainder."""
        words, marked_MB = draw_marked(draw, lengths_MB, max_length, xp)
        return words, marked_MB[..., None] % self.modulus + 3

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": NearMultiples(self)}


class CountUp(DistinctTokensTask):
    """Count from one number to another; the input is these two, whatever the length."""

    family = "count_up"
    purpose = "write"
    citation = "arXiv 2310.16028"
    program = "count_up"
    how = "The model writes the number after the one it wrote last, and stops at the second number of the input"

    def __init__(self, num_symbols: int) -> None:
        super().__init__(num_symbols)
        self.definition = (
            f"two out of {num_symbols} numbers, then all from the first to the second; the first is uniform"
        )
        self.length_means = "how many numbers there are to write; the input is always two"

    def size(self, length: int) -> int:
        """Return how many tokens an instance has: two numbers, those to write, and three special ones."""
        return length + 5

    def scored(self, length: int) -> range:
        """Return the places of the separator and of the answer."""
        return range(3, length + 4)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the numbers from the first to the second."""
        first, last = (int(token[1:]) for token in prompt)
        return [f"s{number}" for number in range(first, last + 1)]

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return instances whose answers have these lengths."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        inputs, answers = self.draw_inputs(draw, lengths_MB, max_length, xp)
        batch = self._frame(inputs, lengths_MB * 0 + 2, answers, lengths_MB, self.size(max_length), xp)
        return replace(batch, scale_MB=lengths_MB)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return the first and the last number, and all from one to the other."""
        first_MB = draw.named("first").integers(self.num_symbols + 1 - lengths_MB, batch_of(draw, lengths_MB))
        answers = along(first_MB, max_length, xp) + places(lengths_MB, max_length, xp)
        return xp.stack_last([first_MB, first_MB + lengths_MB - 1]), answers


class MissingDuplicate(OneSymbolTask):
    """The symbol at the blank in a word that was written twice."""

    name = "missing_duplicate"
    definition = "a random word over a and b written twice, with a blank at a uniform place: the symbol that was there"
    length_means = "the number of symbols, of both copies together"
    symbols = ("a", "b", "_")
    min_length = 2
    citation = "arXiv 2207.02098"
    decided_by = ("all counts modulo 2", "number of a modulo 2", "number of b modulo 2")
    facts = Facts(
        cited=(
            unsettled(
                "The missing symbol is b exactly if the number of bs is odd, so the answer needs little, and the theorem on "
                "communication excludes nothing. No program is known, because the middle of the input shows only at its end."
            ),
        )
    )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: even ones."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return what the other copy has where there is a blank."""
        blank, half = list(prompt).index("_"), len(prompt) // 2
        return [prompt[blank - half if blank >= half else blank + half]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform words twice, with a blank, and what it hides."""
        word = uniform(draw.named("word"), 2, lengths_MB, -(-max_length // 2))
        blank_MB = draw.named("blank").integers(lengths_MB, batch_of(draw, lengths_MB))
        half_MB, place = lengths_MB // 2, places(lengths_MB, max_length, xp)
        twice = at(word, place % half_MB[..., None], xp)
        return xp.where(place == blank_MB[..., None], 2, twice), one_at(word, blank_MB % half_MB, xp)[..., None]


class NearMultiples(HardAnswers):
    """Numbers of xs that are a multiple of the modulus, or one more or less."""

    kind = "boundary"

    def __init__(self, base: CountMod) -> None:
        self.modulus = base.modulus
        super().__init__(base, f"the number of xs is a multiple of {base.modulus}, or one more or less")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words with such a number of xs, and its remainder."""
        batch = batch_of(draw, lengths_MB)
        multiple_MB = self.modulus * draw.named("multiple").integers(lengths_MB // self.modulus + 1, batch)
        near_MB = multiple_MB + draw.named("near").integers(3, batch) - 1
        marked_MB = xp.where((near_MB < 0) | (near_MB > lengths_MB), multiple_MB, near_MB)
        words = _near_marked(marked_MB, draw, lengths_MB, max_length, xp)
        return words, marked_MB[..., None] % self.modulus + self.token("0")


class NearRoundNumbers(HardAnswers):
    """Hardly any xs or hardly anything else, or a number of them at which one more digit is needed."""

    kind = "boundary"

    def __init__(self, base: CountSymbol) -> None:
        self.counts = base
        super().__init__(base, "0, 1, all or all but one are xs, or 9, 10, 99, 100, … of them")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words with such a number of xs, and that number."""
        powers = [10**power for power in range(1, len(str(max_length)))]
        few = lengths_MB * 0
        ends = [few, few + 1, lengths_MB - 1, lengths_MB]
        round_numbers = [few + near for power in powers for near in (power - 1, power)]
        fitting_MB = 4 + sum((xp.where(lengths_MB >= power, 2, 0) for power in powers), start=few)
        choice_MB = draw.named("choice").integers(fitting_MB, batch_of(draw, lengths_MB))
        marked_MB = one_at(xp.stack_last([*ends, *round_numbers]), choice_MB, xp)
        words = _near_marked(marked_MB, draw, lengths_MB, max_length, xp)
        return words, *self.counts.written(marked_MB, max_length, xp)


def _near_marked(marked_MB: Array, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return words over x, a, b, as 0, 1, 2, with so many xs."""
    others = uniform(draw.named("others"), 2, lengths_MB, max_length) + 1
    return in_any_order(marked_MB, (others * 0, others), lengths_MB, draw.named("order"), xp)


def _whole(name: str, default: int, meaning: str, low: int, high: int) -> Parameter:
    return Parameter(name=name, default=default, meaning=meaning, low=low, high=high)


FORM = Parameter(name="form", default=FORMS[0], meaning="how a number is written", words=FORMS)
_STREAMS = _whole("streams", 3, "the number of streams", 2, 6)
_MODULUS = _whole("modulus", 5, "the modulus", 2, 10)
_NUMBERS = _whole("numbers", DEFAULT_SYMBOLS, "the number of numbers", 1, 9_999)

FAMILIES: tuple[Family, ...] = (
    Family(name="bin_majority_interleave", group=Group.COUNTING, make=InterleavedMajorities, parameters=(_STREAMS,)),
    Family(name="count_up", group=Group.COUNTING, make=CountUp, parameters=(_NUMBERS,)),
    Family(name="count_symbol", group=Group.COUNTING, make=CountSymbol, parameters=(FORM,), scratchpad="count_cot"),
    Family(name="count_mod", group=Group.COUNTING, make=CountMod, parameters=(_MODULUS,)),
    Family(name="missing_duplicate", group=Group.COUNTING, make=MissingDuplicate),
)
