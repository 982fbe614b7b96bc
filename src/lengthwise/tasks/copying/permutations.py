"""The symbols of a word in an order that its length gives: shifts, pairs exchanged, grids transposed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce

from ...arrays import Array, Arrays
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.positions.circuits import selecting_circuit
from ...theory.positions.layout import EQUALS, Layout, check_at_least_1, check_symbols, name_with_symbols, word_layout
from ...theory.positions.problem import Problem
from ..core.cited import excluded_by_communication
from ..core.family import Family, Group
from ..core.row_functions import at, places, uniform
from ..core.stretched import StretchedTask
from ..core.task import Batch, SameLengthTask

DEFAULT_COLUMNS = 3
_COPYING = excluded_by_communication("The answer holds every symbol of the input, so the answer needs all of them")


class RearrangedTask(SameLengthTask):
    """A task whose answer is the symbols of its input, random ones out of a and b, in an order that the length gives."""

    symbols = ("a", "b")
    min_length = 1
    facts = _COPYING

    @abstractmethod
    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return for places of the answer, from 0 on, which place of the input they repeat."""

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return fair coin flips, and the same in the other order."""
        word = uniform(draw.named("word"), 2, lengths_MB, max_length)
        return word, at(word, self.sources(places(lengths_MB, max_length, xp), lengths_MB[..., None], xp), xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a symbol and its repetition; the separator has none, the end one of its own."""
        length = batch.scale_MB[..., None]
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        number = place - length - 2
        source = xp.where(number < length, self.sources(xp.where(number < 0, 0, number), length, xp), number)
        return xp.where(place <= length, place, xp.where(number < 0, 0, source + 1))


class OddsFirst(RearrangedTask):
    """The symbols at odd places, then those at even places."""

    name = "odds_first"
    definition = (
        "random symbols out of a and b: those at odd places, then those at even places, the first place being 1"
    )
    length_means = "the number of symbols to rearrange"
    citation = "arXiv 2207.02098"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return every second symbol from the first on, then every second from the second on."""
        return [*prompt[::2], *prompt[1::2]]

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return twice the place, and from the middle on the places left out."""
        num_odd = (length + 1) // 2
        return xp.where(place < num_odd, place * 2, (place - num_odd) * 2 + 1)


class Shift(RearrangedTask):
    """The input moved to the left by k places; what falls off comes last."""

    length_means = "the number of symbols to shift"
    citation = "arXiv 2510.04130"

    def __init__(self, distance: int) -> None:
        self.distance = distance
        self.name = shortest_name("shift", [distance], [1])
        self.definition = f"random symbols out of a and b, moved {distance} to the left; what falls off comes last"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the word after its first symbol was put last, so many times."""
        return reduce(lambda word, _: [*word[1:], word[0]], range(self.distance), list(prompt))

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the place so many further on, around the end."""
        return (place + self.distance) % length


class SwapPairs(RearrangedTask):
    """The two symbols of every pair exchanged."""

    name = "swap_pairs"
    definition = (
        "random symbols out of a and b, the two of every pair exchanged; the last of an odd number stays where it is"
    )
    length_means = "the number of symbols to rearrange"
    citation = "after arXiv 2510.04130"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the pairs backwards, one after the other."""
        return [symbol for start in range(0, len(prompt), 2) for symbol in reversed(prompt[start : start + 2])]

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return the other place of the pair, if there is one."""
        other = place + 1 - 2 * (place % 2)
        return xp.where(other < length, other, place)


class Transpose(StretchedTask):
    """A grid written row by row, then column by column."""

    symbols = ("a", "b")
    min_length = 1
    citation = "after arXiv 2510.04130"
    facts = RearrangedTask.facts

    def __init__(self, columns: int = DEFAULT_COLUMNS) -> None:
        self.columns = columns
        self.name = shortest_name("transpose", [columns], [DEFAULT_COLUMNS])
        self.definition = (
            f"a grid of {columns} columns, written row by row in random symbols out of a and b; then column by column"
        )
        self.length_means = f"the number of rows; the grid has {columns} times as many symbols"

    def input_length(self, length: Array) -> Array:
        """Return the number of symbols of the grid."""
        return length * self.columns

    def answer_length(self, length: Array) -> Array:
        """Return the number of symbols of the grid."""
        return length * self.columns

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the columns, one after the other."""
        return [symbol for column in range(self.columns) for symbol in prompt[column :: self.columns]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return fair coin flips, and the same column by column."""
        width = max_length * self.columns
        grid = uniform(draw.named("grid"), 2, lengths_MB, width)
        return grid, at(grid, self.sources(places(lengths_MB, width, xp), lengths_MB[..., None]), xp)

    def sources(self, place: Array, rows: Array) -> Array:
        """Return for places of the answer, from 0 on, which place of the input they repeat."""
        return place % rows * self.columns + place // rows

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a symbol and its repetition; the separator has none, the end one of its own."""
        rows = batch.scale_MB[..., None]
        size = rows * self.columns
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        number = place - size - 2
        source = xp.where(number < size, self.sources(xp.where(number < 0, 0, number), rows), number)
        return xp.where(place <= size, place, xp.where(number < 0, 0, source + 1))


def shift_problem(distance: int = 1, symbols: str = "01") -> Problem:
    """Return the cyclic shift to the left: y_t = x_{(t−1+k) mod n}."""
    check_at_least_1("shift", distance, "the distance")
    layout = word_layout(
        "shift" if distance == 1 and symbols == "01" else f"shift({distance})",
        f"the word moved {distance} to the left; what falls off comes last",
        symbols,
        Shift(distance).answer,
    )
    note = f"y_t = x_{{(t−1+{distance}) mod n}}"
    return Problem(
        layout=layout, circuit=selecting_circuit(layout, note, lambda scale, step: (step - 1 + distance) % scale)
    )


def odds_first_problem(symbols: str = "01") -> Problem:
    """Return the 1st, 3rd, 5th … symbol and then the 2nd, 4th, …: y_t = x_{2(t−1)} up to the middle, then those left out."""

    def source(scale: int, step: int) -> int:
        half = (scale + 1) // 2
        return 2 * (step - 1) if step <= half else 2 * (step - 1 - half) + 1

    definition = "the symbols at odd places, then those at even places, the first place being 1"
    layout = word_layout("odds_first", definition, symbols, OddsFirst().answer)
    return Problem(
        layout=layout, circuit=selecting_circuit(layout, "y_t = x_{2(t−1)}, then x_{2(t−1−⌈n/2⌉)+1}", source)
    )


def swap_pairs_problem(symbols: str = "01") -> Problem:
    """Return the symbols of every pair exchanged: y_t = x_t for odd t and x_{t−2} for even t; at an odd end x_{t−1}."""

    def source(scale: int, step: int) -> int:
        return step - 2 if step % 2 == 0 else min(step, scale - 1)

    definition = "the symbols of every pair exchanged; the last of an odd number stays"
    layout = word_layout("swap_pairs", definition, symbols, SwapPairs().answer)
    return Problem(
        layout=layout,
        circuit=selecting_circuit(layout, "y_t = x_t for odd t < n, x_{t−2} for even t", source),
        copying="its answer holds every symbol of an arbitrary word",
    )


def transpose_problem(columns: int = DEFAULT_COLUMNS, symbols: str = "01") -> Problem:
    """Return a grid with n rows of c symbols, column by column: y_t = x_{c·((t−1) mod n) + ⌊(t−1)/n⌋}."""
    check_at_least_1("transpose", columns, "the number of columns")
    told = check_symbols(symbols)
    task = Transpose(columns)
    layout = Layout(
        name=name_with_symbols(f"transpose({columns})", symbols),
        definition=f"a grid of {columns} columns written row by row, then column by column",
        alphabet=(*told, EQUALS),
        choices=lambda scale: (told,) * (scale * columns),
        prompt=lambda scale, free: (*free, EQUALS),  # noqa: ARG005
        answer=lambda prompt: tuple(task.answer(prompt[:-1])),
        prompt_length=lambda scale: scale * columns + 1,
        answer_length=lambda scale: scale * columns,
    )
    note = f"y_t = x_{{{columns}((t−1) mod n) + ⌊(t−1)/n⌋}}"
    circuit = selecting_circuit(layout, note, lambda scale, step: (step - 1) % scale * columns + (step - 1) // scale)
    return Problem(layout=layout, circuit=circuit, copying="its answer holds every symbol of an arbitrary grid")


PROBLEMS = {
    "shift": shift_problem,
    "odds_first": odds_first_problem,
    "swap_pairs": swap_pairs_problem,
    "transpose": transpose_problem,
}
_DISTANCE = Parameter(name="distance", default=1, meaning="the number of places", low=1, high=100)
_COLUMNS = Parameter(name="columns", default=DEFAULT_COLUMNS, meaning="the number of columns", low=2, high=100)

FAMILIES: tuple[Family, ...] = (
    Family(name="odds_first", group=Group.COUNTING, make=OddsFirst, problem=lambda: odds_first_problem("ab")),
    Family(
        name="shift",
        group=Group.COUNTING,
        make=Shift,
        parameters=(_DISTANCE,),
        problem=lambda distance: shift_problem(distance, "ab"),
    ),
    Family(name="swap_pairs", group=Group.COPYING, make=SwapPairs, problem=lambda: swap_pairs_problem("ab")),
    Family(
        name="transpose",
        group=Group.COPYING,
        make=Transpose,
        parameters=(_COLUMNS,),
        problem=lambda columns: transpose_problem(columns, "ab"),
    ),
)
