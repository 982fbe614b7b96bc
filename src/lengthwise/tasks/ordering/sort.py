"""Sorting: tokens that are all different, letters that repeat, and numbers of several digits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from string import ascii_lowercase

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...crasp.parser import parse_program
from ...crasp.programs.templates import all_of, any_of, back, lines, quoted, symbol_among
from ...crasp.syntax import Program
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.claims import Answer
from ...theory.facts import Citation, Facts
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import NoCircuit, Problem
from ..core.cited import answered_by, excluded_without_positions
from ..core.distinct_tokens import NUMBER_OF_SYMBOLS, DistinctTokensTask
from ..core.family import Family, Group
from ..core.legal_inputs import sorting_inputs
from ..core.row_functions import sort, uniform
from ..core.task import EOS, SEP, SameLengthTask
from ..core.writing import NUMBERS
from ..counting.counts import HEAD

_AFTER = f"after := #[{quoted([SEP])}] > 0"


class Sort(DistinctTokensTask):
    """Sort tokens that are all different."""

    family = "sort"
    purpose = "sort"
    program = "sort"
    how = "The model writes the smallest token that occurs and is larger than the one before, and attention shows what occurs"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the tokens in the order of their numbers."""
        return sorted(prompt, key=lambda token: int(token[1:]))

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the tokens in order."""
        place = xp.broadcast(xp.arange(tokens_MBN.shape[-1]), tuple(tokens_MBN.shape))
        beyond_last = xp.where(place < lengths_MB[..., None], tokens_MBN, self.num_symbols)
        return xp.gather_last(tokens_MBN, xp.stable_argsort(beyond_last))


class BucketSort(SameLengthTask):
    """Sort letters out of a few, which repeat."""

    length_means = "the number of letters to sort"
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = Facts(
        cited=(
            answered_by(
                "sort",
                Fragment.PLAIN,
                "The model writes the smallest letter of which it has written too few, as counts show",
            ),
        )
    )

    def __init__(self, num_letters: int) -> None:
        self.name = shortest_name("bucket_sort", [num_letters], [5])
        self.definition = f"sort letters out of {num_letters}, which repeat; letters are uniform"
        self.symbols = tuple(ascii_lowercase[:num_letters])

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letters in order."""
        return sorted(prompt)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters, and the same in order."""
        letters = uniform(draw.named("letters"), len(self.symbols), lengths_MB, max_length)
        return letters, sort(letters, lengths_MB, len(self.symbols) - 1, xp)


class MultidigitSort(SameLengthTask):
    """Sort numbers of a few digits each; every number is followed by a comma."""

    writing = NUMBERS
    citation = "arXiv 2405.17399"

    def __init__(self, num_digits: int) -> None:
        self.num_digits = num_digits
        self.name = shortest_name("sort_multidigit", [num_digits], [2])
        self.definition = (
            f"sort numbers of {num_digits} digits, each followed by a comma; uniform, leading zeros written"
        )
        self.length_means = f"the number of symbols, {num_digits + 1} for each number"
        self.min_length = num_digits + 1
        self.symbols = (*"0123456789", ",")
        self.facts = _sorting_facts(num_digits)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths of whole lists of numbers."""
        return tuple(length for length in super().lengths(low, high) if length % self.min_length == 0)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the numbers in order."""
        numbers = "".join(prompt).split(",")[:-1]
        return list("".join(f"{number}," for number in sorted(numbers, key=int)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform numbers digit by digit, and the same in order."""
        bound = 10**self.num_digits
        numbers = uniform(draw.named("numbers"), bound, lengths_MB, -(-max_length // self.min_length))
        in_order = sort(numbers, lengths_MB // self.min_length, bound - 1, xp)
        return self._spelled(numbers, max_length, xp), self._spelled(in_order, max_length, xp)

    def _spelled(self, numbers: Array, max_length: int, xp: Arrays) -> Array:
        """Return the digits of numbers, a comma behind each, in rows of this width."""
        digits = [numbers // 10**power % 10 for power in reversed(range(self.num_digits))]
        return xp.stack_last([*digits, numbers * 0 + 10]).reshape(*numbers.shape[:-1], -1)[..., :max_length]


def _sorting_facts(num_digits: int) -> Facts:
    """Return the program (up to two digits, as longer ones are long), and that without windows there is none."""
    if num_digits == 1:
        return Facts(
            program=digit_sorting_program("0123456789"),
            how="The model writes the smallest digit of which it has written too few",
        )
    excluded = excluded_without_positions(
        lambda: sorting_inputs(num_digits),
        "Counting tells how often each digit occurs at each place of a number, but not which digits stand together in one number.",
    )
    if num_digits == 2:
        return Facts(
            program=sorting_program("0123456789", num_digits),
            how="The model sees which digits stand together, and writes the smallest number of which it has written too few",
            cited=(excluded,),
        )
    reason = (
        "The program for numbers of two digits (that of sort_multidigit) is written in the same way for "
        f"{num_digits}; it is about {10 ** (num_digits - 2)} times as long."
    )
    program = Citation(fragment=Fragment.LOCAL, answer=Answer.YES, theorem="program", reason=reason)
    return Facts(cited=(program, excluded))


def digit_sorting_program(digits: str) -> Program:
    """Return the program that sorts single digits with a comma behind each, without windows."""
    boundary = symbol_among([",", SEP])
    rows = [f"left_{digit} := #[{quoted([digit])} and not after] - #[{quoted([digit])} and after]" for digit in digits]
    for number, digit in enumerate(digits):
        smallest = all_of([f"left_{digit} > 0", *(f"left_{less} = 0" for less in digits[:number])])
        rows.append(f"next '{digit}' := after and ({boundary}) and {smallest}")
    rows.append(f"next ',' := after and not ({boundary})")
    none_left = all_of([f"({boundary})", *(f"left_{digit} = 0" for digit in digits)])
    rows.append(f"next {quoted([EOS])} := after and {none_left}")
    return parse_program(lines(f"alphabet {quoted([*digits, ',', SEP])}", *HEAD, _AFTER, *rows))


def sorting_program(digits: str, width: int) -> Program:
    """Return the program that sorts numbers of this many digits: it goes down the tree of their beginnings.

    A window tells at each comma the number before it, so that for every beginning of a number it is known how many
    such numbers are given and not yet written. The next digit is the smallest that leads on to one of these.
    """
    boundary = symbol_among([",", SEP])

    def here(start: str) -> str:
        """Return that the number that is being written begins like this and goes on."""
        own = [back(len(start) - 1 - place, digit) for place, digit in enumerate(start)]
        return all_of([*own, f"#{{{len(start)}}}[{boundary}] = 1"]) if start else f"({boundary})"

    starts = ["".join(start) for size in range(width) for start in product(digits, repeat=size)]
    rows = []
    for start in (start + digit for start in starts for digit in digits):
        ends = all_of([f"{quoted([','])}", *(back(width - place, digit) for place, digit in enumerate(start))])
        rows.append(f"left_{start} := #[{ends} and not after] - #[{ends} and after]")
    for number, digit in enumerate(digits):
        ways = [
            all_of([here(start), f"left_{start}{digit} > 0", *(f"left_{start}{less} = 0" for less in digits[:number])])
            for start in starts
        ]
        rows.append(f"next '{digit}' := after and ({any_of(ways)})")
    whole = f"#{{0..{width - 1}}}[{boundary}] = 0 and #{{{width}}}[{boundary}] = 1"  # so many digits, no fewer
    rows.append(f"next ',' := after and {whole}")
    none_left = all_of([f"({boundary})", *(f"left_{digit} = 0" for digit in digits)])
    return parse_program(
        lines(
            f"alphabet {quoted([*digits, ',', SEP])}",
            *HEAD,
            _AFTER,
            *rows,
            f"next {quoted([EOS])} := after and {none_left}",
        )
    )


def sort_problem(symbols: str = "01") -> Problem:
    """Return sorting; symbols are in their order."""
    return Problem(
        layout=word_layout(
            "sort", "the symbols of the word in order", symbols, lambda word: sorted(word, key=symbols.index)
        ),
        limit=NoCircuit(
            step=lambda scale: 1,  # noqa: ARG005
            num_forced=lambda scale: scale,
            bound="n",
            argument="the first symbol of the answer is the smallest of all, and only the prompt is visible before it: where all symbols "
            "are large, a smaller one at any place changes it.",
        ),
    )


PROBLEMS = {"sort": sort_problem}
_LETTERS = Parameter(name="letters", default=5, meaning="the number of letters", low=2, high=26)
_DIGITS = Parameter(name="digits", default=2, meaning="the number of digits", low=1, high=6)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="sort",
        group=Group.COUNTING,
        scratchpad="sort_cot",
        make=Sort,
        parameters=(NUMBER_OF_SYMBOLS,),
        problem=lambda _: sort_problem(),
    ),
    Family(name="sort_multidigit", group=Group.COUNTING, make=MultidigitSort, parameters=(_DIGITS,)),
    Family(
        name="bucket_sort",
        group=Group.COUNTING,
        make=BucketSort,
        parameters=(_LETTERS,),
        problem=lambda number: sort_problem(ascii_lowercase[:number]),
    ),
)
