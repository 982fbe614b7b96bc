"""A symbol of no meaning between any two symbols."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array
from ..core.task import AnswerTask
from .formatted import Formatted
from .layout import Layout


class Spaced(Formatted):
    """One and the same symbol between any two symbols of the prompt, and of the answer."""

    format_name = "spaced"

    def __init__(self, inner: AnswerTask) -> None:
        super().__init__(inner, how="a symbol of no meaning between any two", extra=("~",))

    def prompt_size(self, size: Array) -> Array:
        """Return the symbols and what is between them."""
        return 2 * size - (size > 0) * 1

    def answer_size(self, size: Array) -> Array:
        """Return the symbols and what is between them."""
        return 2 * size - (size > 0) * 1

    def answer_size_inside(self, size: Array) -> Array:
        """Return half of the size, rounded up."""
        return (size + 1) // 2

    def prompt_layout(self, sizes_MB: Array) -> Layout:  # noqa: ARG002
        """Return that every second place is for a symbol."""
        return Layout(stride=2)

    def answer_layout(self, sizes_MB: Array, lengths_MB: Array) -> Layout:  # noqa: ARG002
        """Return that every second place is for a symbol."""
        return Layout(stride=2)

    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt with a symbol before every one but the first."""
        return [part for symbol in prompt for part in (*self.extra, symbol)][1:]

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return every second symbol."""
        return list(prompt)[::2]

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the answer with a symbol before every one but the first."""
        return self.write_prompt(answer)
