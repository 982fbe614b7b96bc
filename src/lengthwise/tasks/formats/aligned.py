"""Prompts filled up in front, so that the separator always stands at one place."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array
from ...errors import InvalidOptionError
from ...names import Parameter
from ..core.task import AnswerTask
from .formatted import Formatted, prompt_length
from .layout import Layout

WIDTH = Parameter(name="width", default=64, meaning="the number of symbols of a filled prompt", low=1, high=100_000)


class Aligned(Formatted):
    """The prompt filled up in front to N symbols, so that the separator stands at place N + 1."""

    format_name = "aligned"

    def __init__(self, inner: AnswerTask, width: int) -> None:
        super().__init__(
            inner,
            how=f"the prompt filled up in front to {width} symbols",
            extra=("_",),
            parameters=() if width == WIDTH.default else (str(width),),
        )
        self.width = width
        shortest = int(prompt_length(inner, inner.min_length))
        if shortest > width:
            raise InvalidOptionError(
                f"{self.name!r} has no instance: prompts of {inner.name!r} have {shortest} symbols at least.",
                hint=f"fill them up to more, for example aligned({inner.name}, {max(int(WIDTH.default), 2 * shortest)}).",
            )

    def prompt_size(self, size: Array) -> Array:
        """Return the one size that there is."""
        return size * 0 + self.width

    def prompt_layout(self, sizes_MB: Array) -> Layout:
        """Return that prompts stand at the end."""
        return Layout(offset_MB=self.width - sizes_MB)

    def fits(self, length: int) -> bool:
        """Return whether there is room for the prompt."""
        return bool(prompt_length(self.inner, length) <= self.width)

    def write_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt with the filling in front."""
        return [*self.extra * (self.width - len(prompt)), *prompt]

    def read_prompt(self, prompt: Sequence[str]) -> list[str]:
        """Return the prompt without the filling."""
        return [symbol for symbol in prompt if symbol not in self.extra]

    def write_answer(self, answer: Sequence[str], prompt: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the answer."""
        return list(answer)
