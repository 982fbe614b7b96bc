"""Which symbols are frequent, and how frequent each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_lowercase

from ...arrays import Array, Arrays
from ...crasp.parser import parse_program
from ...crasp.programs.templates import all_of, lines, quoted
from ...crasp.syntax import Program
from ...errors import InvalidOptionError
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import answered_at_fixed_alphabet, excluded_by_communication
from ..core.distinct_tokens import DEFAULT_SYMBOLS
from ..core.family import Family, Group
from ..core.row_functions import at, batch_of, count, count_symbols, is_inside, places, uniform
from ..core.task import EOS, SEP, AnswerTask, Batch, OneSymbolTask, SameLengthTask, Task, copying_roles, shuffled
from ..hard.base import HardAnswers
from .counts import HEAD

_HISTOGRAM_LETTERS = 8


class Mode(OneSymbolTask):
    """Which of a few letters is the most frequent; of several, the first in the alphabet."""

    length_means = "the number of letters"
    min_length = 1
    citation = "arXiv 2310.16028"
    decided_by = ("most frequent symbol",)

    def __init__(self, num_letters: int) -> None:
        self.name = shortest_name("mode", [num_letters], [5])
        self.definition = (
            f"the most frequent of {num_letters} letters, of several the first in the alphabet; letters are uniform"
        )
        self.symbols = tuple(ascii_lowercase[:num_letters])
        self.facts = Facts(program=_mode_program(self.symbols), how="The model compares how often the letters occur")

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the most frequent letter."""
        return [max(sorted(set(prompt)), key=list(prompt).count)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters; the largest of count and letter, the first letter counting most, is the answer."""
        number = len(self.symbols)
        words = uniform(draw.named("letters"), number, lengths_MB, max_length)
        counts = count_symbols(words, is_inside(lengths_MB, max_length, xp), number, xp)
        best = xp.running_max_last(counts * number + (number - 1 - xp.arange(number)))[..., -1:]
        return words, number - 1 - best % number

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseMode(self)}


def _mode_program(letters: Sequence[str]) -> Program:
    """Return the program that compares all counts at the separator."""
    rows = []
    for letter in letters:
        beaten = (
            f"#['{letter}'] {'>' if other < letter else '>='} #['{other}']" for other in letters if other != letter
        )
        rows.append(f"next '{letter}' := {quoted([SEP])} and {all_of(beaten)}")
    done = f"next {quoted([EOS])} := not {quoted([SEP])} and #[{quoted([SEP])}] = 1"
    return parse_program(lines(f"alphabet {quoted([*letters, SEP])}", *HEAD, *rows, done))


class MostFrequent(AnswerTask):
    """Which of a few letters occur, the most frequent first; of equally frequent ones, that which came first."""

    length_means = "the number of letters"
    min_length = 1
    citation = "arXiv 2106.06981"

    def __init__(self, num_letters: int) -> None:
        self.name = shortest_name("most_freq", [num_letters], [5])
        self.definition = (
            f"which of {num_letters} letters occur, by falling frequency, then by first occurrence; letters are uniform"
        )
        self.symbols = tuple(ascii_lowercase[:num_letters])
        self.facts = Facts(
            program=_frequency_program(self.symbols),
            how="The model compares how often the letters occur, and leaves out those it has written",
        )

    def answer_length(self, length: Array) -> Array:
        """Return the number of letters there are, or of those in the word if that is shorter."""
        surplus = length - len(self.symbols)
        return length - (surplus > 0) * surplus

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letters by frequency; Python's counter keeps those of one frequency as they came."""
        return [letter for letter, _ in Counter(prompt).most_common()]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters, and the letters in the order of their counts and then of their first places."""
        number = len(self.symbols)
        words = uniform(draw.named("letters"), number, lengths_MB, max_length)
        inside = is_inside(lengths_MB, max_length, xp)
        counts = count_symbols(words, inside, number, xp)
        left = max_length - places(lengths_MB, max_length, xp)  # how many places are left, which is most at the first
        first = [xp.running_max_last(xp.where(inside & (words == each), left, 0))[..., -1] for each in range(number)]
        order = xp.stable_argsort(-(counts * (max_length + 1) + xp.stack_last(first)))
        return words, order[..., : int(self.answer_length(max_length))], count(counts > 0, xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseFrequencies(self)}


def _frequency_program(letters: Sequence[str]) -> Program:
    """Return the program that writes the letter, not yet written, before which no other such one goes."""
    rows = [f"given_{letter} := #['{letter}' and not after]" for letter in letters]
    rows += [f"due_{letter} := given_{letter} > 0 and #['{letter}' and after] = 0" for letter in letters]
    for letter in letters:
        waits = [
            f"not (due_{other} and (given_{other} > given_{letter} or given_{other} = given_{letter} "
            f"and #['{other}' and #['{letter}'] = 0] > 0))"
            for other in letters
            if other != letter
        ]
        rows.append(f"next '{letter}' := after and {all_of([f'due_{letter}', *waits])}")
    done = f"next {quoted([EOS])} := after and {all_of(f'not due_{letter}' for letter in letters)}"
    after = f"after := #[{quoted([SEP])}] > 0"
    return parse_program(lines(f"alphabet {quoted([*letters, SEP])}", *HEAD, after, *rows, done))


class Histogram(SameLengthTask):
    """For every letter of a word, how often it occurs in the word; every count is a symbol of its own."""

    length_means = "the number of letters"
    min_length = 1
    citation = "arXiv 2106.06981"

    def __init__(self, max_count: int) -> None:
        self.max_count = max_count
        self.name = shortest_name("histogram", [max_count], [DEFAULT_SYMBOLS])
        self.definition = f"for every letter, how often it occurs in the word; {_HISTOGRAM_LETTERS} letters, uniform"
        self.symbols = _with_counts(max_count)
        self.facts = Facts(
            cited=(
                answered_at_fixed_alphabet(
                    f"a word of n letters needs counts up to n, and only those up to {max_count} are tokens"
                ),
            )
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; a count beyond the largest has no symbol."""
        if high > self.max_count:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: its counts go up to {self.max_count}.",
                hint=f"use lengths up to {self.max_count}, or larger counts: histogram({high}).",
            )
        return super().lengths(low, high)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the count of every letter."""
        return [f"n{list(prompt).count(letter)}" for letter in prompt]

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a letter and its count."""
        return copying_roles(batch, xp)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters and their counts."""
        words, counts = _counted_words(draw, lengths_MB, max_length, xp)
        return words, xp.gather_last(counts, words) + _HISTOGRAM_LETTERS - 1


class DoubleHistogram(SameLengthTask):
    """For every letter of a word, how many letters occur as often as it does, itself among them."""

    name = "double_histogram"
    definition = f"for every letter, how many letters occur as often as it; {_HISTOGRAM_LETTERS} letters, uniform"
    length_means = "the number of letters"
    min_length = 1
    citation = "arXiv 2106.06981"
    facts = excluded_by_communication(
        "If two letters occur equally often and a third one does not, the answer shows where the third one "
        "stands, so the answer needs all its places"
    )

    def __init__(self) -> None:
        self.symbols = _with_counts(_HISTOGRAM_LETTERS)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return for every letter the number of different letters with its count."""
        counts = Counter(prompt)
        return [f"n{sum(other == counts[letter] for other in counts.values())}" for letter in prompt]

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a letter and its number."""
        return copying_roles(batch, xp)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters, and how many letters share the count of each."""
        words, counts = _counted_words(draw, lengths_MB, max_length, xp)
        alike = xp.where(counts[..., :, None] == counts[..., None, :], 1, 0).sum(-1)
        return words, xp.gather_last(alike, words) + _HISTOGRAM_LETTERS - 1


def _with_counts(largest: int) -> tuple[str, ...]:
    return (*ascii_lowercase[:_HISTOGRAM_LETTERS], *(f"n{number}" for number in range(1, largest + 1)))


def _counted_words(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
    words = uniform(draw.named("letters"), _HISTOGRAM_LETTERS, lengths_MB, max_length)
    return words, count_symbols(words, is_inside(lengths_MB, max_length, xp), _HISTOGRAM_LETTERS, xp)


def even_letters(number: int, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return words of 2 or more letters, out of so many, whose counts differ by 1 at most."""
    batch = batch_of(draw, lengths_MB)
    names = draw.named("letters").permutation(number, batch)
    letters_MB = draw.named("number").integers(number - 1, batch) + 2
    words = at(names, places(lengths_MB, max_length, xp) % letters_MB[..., None], xp)
    return shuffled(words, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp)


class CloseMode(HardAnswers):
    """Letters that are equally frequent, up to 1."""

    kind = "boundary"

    def __init__(self, base: Mode) -> None:
        super().__init__(base, "two or more letters whose counts differ by 1 at most, so that many are ties")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words, and the first in the alphabet of their most frequent letters."""
        number = len(self.symbols)
        words = even_letters(number, draw, lengths_MB, max_length, xp)
        counts = count_symbols(words, is_inside(lengths_MB, max_length, xp), number, xp)
        best = xp.running_max_last(counts * number + (number - 1 - xp.arange(number)))[..., -1:]
        return words, number - 1 - best % number


class CloseFrequencies(HardAnswers):
    """The words of :class:`CloseMode`, to be put in order."""

    kind = "boundary"

    def __init__(self, base: MostFrequent) -> None:
        super().__init__(base, "two or more letters whose counts differ by 1 at most, so that many are ties")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words, their letters by frequency and then by first place, and how many these are."""
        number = len(self.symbols)
        words = even_letters(number, draw, lengths_MB, max_length, xp)
        inside = is_inside(lengths_MB, max_length, xp)
        counts = count_symbols(words, inside, number, xp)
        left = max_length - places(lengths_MB, max_length, xp)
        first = [xp.running_max_last(xp.where(inside & (words == each), left, 0))[..., -1] for each in range(number)]
        order = xp.stable_argsort(-(counts * (max_length + 1) + xp.stack_last(first)))
        return words, order[..., : int(self.answer_length(max_length))], count(counts > 0, xp)


_LETTERS = Parameter(name="letters", default=5, meaning="the number of letters", low=2, high=26)
_COUNTS = Parameter(name="counts", default=DEFAULT_SYMBOLS, meaning="the largest count", low=1, high=9_999)

FAMILIES: tuple[Family, ...] = tuple(
    Family(name=name, group=Group.COUNTING, make=make, parameters=parameters)
    for name, make, parameters in (
        ("mode", Mode, (_LETTERS,)),
        ("histogram", Histogram, (_COUNTS,)),
        ("double_histogram", DoubleHistogram, ()),
        ("most_freq", MostFrequent, (_LETTERS,)),
    )
)
