"""The prompt or the answer in reverse order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arrays import Array
from ..core.task import AnswerTask
from ..core.writing import Order
from .formatted import Formatted
from .layout import Layout


def _reversed(order: Order | None) -> Order | None:
    return None if order is None else order.reversed


class PromptReversed(Formatted):
    """The prompt backwards."""

    format_name = "prompt_reversed"
    not_inside = ("index_hints", "spaced", "aligned")

    def __init__(self, inner: AnswerTask) -> None:
        super().__init__(inner, how="the prompt backwards")
        self.writing = replace(self.writing, prompt=_reversed(self.writing.prompt))

    def prompt_layout(self, sizes_MB: Array) -> Layout:  # noqa: ARG002
        """Return that the last symbol comes first."""
        return Layout(backwards=True)

    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt backwards."""
        return list(prompt)[::-1]

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt forwards."""
        return list(prompt)[::-1]

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the answer."""
        return list(answer)


class AnswerReversed(Formatted):
    """The answer backwards."""

    format_name = "answer_reversed"
    not_inside = ("index_hints", "spaced")

    def __init__(self, inner: AnswerTask) -> None:
        super().__init__(inner, how="the answer backwards")
        self.writing = replace(self.writing, answer=_reversed(self.writing.answer))
        # where a symbol stood inside depends on how long the answer gets: the roles of such answers are not causal
        self.has_roles = self.has_roles and self.has_fixed_answers

    def answer_layout(self, sizes_MB: Array, lengths_MB: Array) -> Layout:  # noqa: ARG002
        """Return that the last symbol comes first."""
        return Layout(backwards=True)

    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt."""
        return list(prompt)

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt."""
        return list(prompt)

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the answer backwards."""
        return list(answer)[::-1]
