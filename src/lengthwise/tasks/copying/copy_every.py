"""Copying every k-th token of the input."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.positions.circuits import selecting_circuit
from ...theory.positions.layout import EQUALS, Layout, check_at_least_1, check_symbols, name_with_symbols, word_layout
from ...theory.positions.problem import Problem
from ..core.distinct_tokens import DEFAULT_SYMBOLS, DistinctTokensTask
from ..core.family import Family, Group
from ..core.row_functions import along, at, places
from ..core.task import Batch

MARK = "#"


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


def copy_every_problem(distance: int = 2, symbols: str = "01") -> Problem:
    """Return copying every k-th symbol: y_t = x_{(t−1)k}."""
    check_at_least_1("copy_every", distance, "the distance")
    layout = word_layout(
        f"copy_every({distance})",
        f"the first symbol and every {distance}-th after it",
        symbols,
        lambda word: word[::distance],
        lambda scale: -(-scale // distance),
    )
    circuit = selecting_circuit(layout, f"y_t = x_{{{distance}(t−1)}}", lambda scale, step: (step - 1) * distance)  # noqa: ARG005
    return Problem(layout=layout, circuit=circuit, copying=_COPYING)


def copy_every_marked_problem(distance: int = 2, symbols: str = "01") -> Problem:
    """Return copying every k-th symbol behind k − 1 marks, all counted in n: y_t = x_{tk−1}."""
    check_at_least_1("copy_every_marked", distance, "the distance")
    told = check_symbols(symbols, taken=f"{EQUALS}_{MARK}")
    before = (MARK,) * (distance - 1)
    layout = Layout(
        name=name_with_symbols(f"copy_every_marked({distance})", symbols),
        definition=f"{distance - 1} marks and a word, then its first symbol and every {distance}-th after it",
        alphabet=(*told, MARK, EQUALS),
        choices=lambda scale: (told,) * max(scale - distance + 1, 0),
        prompt=lambda scale, free: (*before[:scale], *free, EQUALS),
        answer=lambda prompt: prompt[distance - 1 : -1 : distance],
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: scale // distance,
    )
    circuit = selecting_circuit(layout, f"y_t = x_{{{distance}t−1}}", lambda scale, step: step * distance - 1)  # noqa: ARG005
    return Problem(layout=layout, circuit=circuit, copying=_COPYING)


PROBLEMS = {"copy_every": copy_every_problem, "copy_every_marked": copy_every_marked_problem}
_COPYING = "its answer copies every k-th symbol"
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
        problem=lambda distance, *_: copy_every_marked_problem(distance),
    ),
)
