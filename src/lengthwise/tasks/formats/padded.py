"""Answers filled up to the longest that a prompt's length allows."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...seeds import Draw
from ..core.task import AnswerTask
from ..core.writing import Order
from .formatted import Formatted, Rows
from .layout import Layout, constant


class Padded(Formatted):
    """The answer filled up: a number with zeros on its most significant side, any other with a symbol at its end."""

    format_name = "padded"
    not_inside = ("index_hints", "spaced")

    def __init__(self, inner: AnswerTask) -> None:
        self.fills_with_zeros = inner.writing.is_one_number
        self.fills_in_front = self.fills_with_zeros and inner.writing.answer is Order.MOST_FIRST
        if self.fills_with_zeros:
            side = "in front" if self.fills_in_front else "at its end"
            super().__init__(inner, how=f"the answer filled up with zeros {side} to one length for all of a length")
        else:
            super().__init__(
                inner,
                how="the answer filled up with a symbol at its end to one length for all of a length",
                extra=("_",),
            )
        # zeros in front move the digits by a number that is known at the end only
        self.has_roles = self.has_roles and (self.has_fixed_answers or not self.fills_in_front)
        self.has_fixed_answers = True
        self.filling = "0" if self.fills_with_zeros else self.extra[0]

    def answer_layout(self, sizes_MB: Array, lengths_MB: Array) -> Layout:
        """Return that numbers stand at the end, and everything else at the start."""
        return Layout(offset_MB=self.answer_length(lengths_MB) - sizes_MB) if self.fills_in_front else Layout()

    def written_size(self, sizes_MB: Array, lengths_MB: Array) -> Array:  # noqa: ARG002
        """Return the longest that an answer can be."""
        return self.answer_length(lengths_MB)

    def draw_extras(self, rows: Rows, draw: Draw, xp: Arrays) -> tuple[Array, Array]:  # noqa: ARG002
        """Return the filling."""
        filled = constant(self.token(self.filling), rows.lengths_MB, xp)
        return filled, filled

    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt."""
        return list(prompt)

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt."""
        return list(prompt)

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:
        """Return the answer, filled up."""
        filling = [self.filling] * (int(self.inner.answer_length(self.length_of(prompt))) - len(answer))
        return [*filling, *answer] if self.fills_in_front else [*answer, *filling]
