"""Index hints: before every symbol a token that says which one it is, so that prompt and answer can be matched."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...names import Parameter
from ...seeds import Draw
from ..core.row_functions import at, batch_of, is_inside, last_marked, places
from ..core.task import AnswerTask, Task
from ..core.writing import DIGITS, Order
from .formatted import Formatted, Rows, prompt_length
from .layout import Layout

HINTS = Parameter(name="hints", default=128, meaning="the number of different hints", low=1, high=100_000)


class IndexHints(Formatted):
    """Before every symbol a hint; hints of neighbours follow each other in a list, from a random place of it on.

    Symbol i of the answer has the hint of symbol i of the prompt. In tasks of arithmetic a digit has the hint of its
    place value instead, so that all ones share one, and what is no digit has the hint before that of the ones.
    """

    format_name = "index_hints"
    not_inside = ("spaced", "aligned")
    format_revision = 2

    def __init__(self, inner: AnswerTask, number: int) -> None:
        by_value = inner.writing.hints_count_places
        counted = "of its place value, or the one before for other symbols," if by_value else "of its number"
        super().__init__(
            inner,
            how=f"before every symbol the hint {counted} out of {number}, from a random one on",
            extra=tuple(f"h{each}" for each in range(1, number + 1)),
            parameters=() if number == HINTS.default else (str(number),),
        )
        self.number = number
        self.citation = f"{inner.citation}; index hints: arXiv 2402.09371"
        self.counts_places = by_value
        needed = int(self.hints_needed(inner.min_length))
        if needed > number:
            raise InvalidOptionError(
                f"{self.name!r} has no instance: {inner.name!r} needs {needed} hints at least.",
                hint=f"use more hints, for example index_hints({inner.name}, {max(int(HINTS.default), 2 * needed)}).",
            )

    def hints_needed(self, length: Array) -> Array:
        """Return how many different hints an instance can have, for one length or an array."""
        answer = self.inner.answer_length(length)
        if not self.counts_places:
            return _larger(prompt_length(self.inner, length), answer)
        in_prompt = self.writing.prompt_digits
        return 1 + (answer if in_prompt is None else _larger(in_prompt(length), answer))

    def fits(self, length: int) -> bool:
        """Return whether there are enough hints."""
        return bool(self.hints_needed(length) <= self.number)

    def prompt_size(self, size: Array) -> Array:
        """Return two for every symbol."""
        return 2 * size

    def answer_size(self, size: Array) -> Array:
        """Return two for every symbol."""
        return 2 * size

    def answer_size_inside(self, size: Array) -> Array:
        """Return half of the size, rounded up."""
        return (size + 1) // 2

    def prompt_layout(self, sizes_MB: Array) -> Layout:
        """Return that a symbol follows its hint."""
        return Layout(stride=2, offset_MB=sizes_MB * 0 + 1)

    def answer_layout(self, sizes_MB: Array, lengths_MB: Array) -> Layout:  # noqa: ARG002
        """Return that a symbol follows its hint."""
        return self.prompt_layout(sizes_MB)

    def draw_extras(self, rows: Rows, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
        """Return the hints, from a random one on; without a prompt that tells it, from the first."""
        room_MB = self.number + 1 - self.hints_needed(rows.lengths_MB)
        start_MB = draw.integers(room_MB, batch_of(draw, rows.lengths_MB))
        start_MB = xp.where(rows.prompt_sizes_MB > 0, start_MB, 0) + len(self.inner.symbols)
        fields = (
            (rows.prompts_MBN, rows.prompt_sizes_MB, self.writing.prompt),
            (rows.answers_MBN, rows.answer_sizes_MB, self.writing.answer),
        )
        told = [self._numbers(values, sizes_MB, order, xp) for values, sizes_MB, order in fields]
        return told[0] + start_MB[..., None], told[1] + start_MB[..., None]

    def _numbers(self, values_MBN: Array, sizes_MB: Array, order: Order | None, xp: Arrays) -> Array:
        """Return the number of the hint, from 0 on, before every symbol: at its place and at that of its hint, [M, B, 2N]."""
        width = values_MBN.shape[-1]
        number = places(sizes_MB, width, xp)
        if self.counts_places:
            digits = is_any(self.inner, values_MBN, DIGITS, xp) & is_inside(sizes_MB, width, xp)
            number = number * 0 if order is None else xp.where(digits, count_places(digits, order, xp), 0)
        return at(number, places(sizes_MB, 2 * width, xp) // 2, xp) if width else number

    def write_prompt(self, prompt: Sequence[str], start: int = 0) -> list[str]:
        """Return the prompt with hints, the first of which is ``start`` places into the list."""
        return self._hinted(prompt, self.writing.prompt, start)

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the symbols that follow hints."""
        return list(prompt)[1::2]

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:
        """Return the answer with hints from the same list as those of the prompt."""
        start = 0
        if prompt:
            first = self._told(self.read_prompt(prompt), self.writing.prompt)[0]
            start = self.extra.index(prompt[0]) - first
        return self._hinted(answer, self.writing.answer, start)

    def _hinted(self, symbols: Sequence[str], order: Order | None, start: int) -> list[str]:
        told = self._told(symbols, order)
        return [
            part for symbol, number in zip(symbols, told, strict=True) for part in (self.extra[start + number], symbol)
        ]

    def _told(self, symbols: Sequence[str], order: Order | None) -> list[int]:
        """Return the numbers of the hints, in plain Python."""
        if not self.counts_places:
            return list(range(len(symbols)))
        if order is None:
            return [0] * len(symbols)
        told: list[int] = []
        for symbol in symbols if order is Order.LEAST_FIRST else reversed(symbols):
            told.append((told[-1] if told else 0) + 1 if symbol in DIGITS else 0)
        return told if order is Order.LEAST_FIRST else told[::-1]


def count_places(counted_MBL: Array, order: Order, xp: Arrays) -> Array:
    """Return the place value of every digit in its run, from 1 on, and anything where there is none."""
    if order is Order.MOST_FIRST:
        width = counted_MBL.shape[-1]
        mirrored = xp.broadcast(width - 1 - xp.arange(width), tuple(counted_MBL.shape))
        backwards = count_places(xp.gather_last(counted_MBL, mirrored), Order.LEAST_FIRST, xp)
        return xp.gather_last(backwards, mirrored)
    place = xp.broadcast(xp.arange(counted_MBL.shape[-1]), tuple(counted_MBL.shape))
    return place - last_marked(~counted_MBL, xp)


def is_any(task: Task, tokens_MBL: Array, symbols: tuple[str, ...], xp: Arrays) -> Array:
    """Return where one of these symbols stands."""
    return xp.asarray([int(token in symbols) for token in task.vocabulary])[tokens_MBL] == 1


def _larger(one: Array, two: Array) -> Array:
    """Return the larger of two numbers, or of those in two arrays."""
    return one + (two > one) * (two - one)
