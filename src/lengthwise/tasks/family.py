"""Tasks by name, with parameters in parentheses: ``count_mod(5)``, ``word_problem(S3)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import InvalidOptionError, did_you_mean
from .task import Task


class Group(StrEnum):
    """What tasks are about."""

    COUNTING = "counting"
    COPYING = "copying and retrieval"
    ARITHMETIC = "arithmetic"
    SCRATCHPADS = "scratchpads"
    LANGUAGES = "formal languages"
    TRACKING = "state tracking"
    REASONING = "reasoning"
    IN_CONTEXT = "in context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What a task takes in parentheses: a whole number within bounds, or one of a few words."""

    name: str
    default: int | str
    meaning: str
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()

    def read(self, family: str, text: str) -> int | str:
        """Return the value that a text stands for; raise if it is not allowed."""
        if self.words:
            if text in self.words:
                return text
            suggestion = did_you_mean(text, self.words)
            raise InvalidOptionError(
                f"{family} takes {self.meaning}, one of {', '.join(self.words)}; found {text!r}.",
                hint=f"did you mean {suggestion!r}?" if suggestion else f"for example {family}({self.default}).",
            )
        if not (text.isascii() and text.isdigit() and len(text) < 10 and self.low <= int(text) <= self.high):
            raise InvalidOptionError(
                f"{family} takes {self.meaning}, a whole number from {self.low} to {self.high}; found {text!r}.",
                hint=f"for example {family}({self.default}).",
            )
        return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A named task, or many of them that differ in parameters."""

    name: str
    group: Group
    make: Callable[..., Task]
    parameters: tuple[Parameter, ...] = ()
    rows: tuple[str, ...] = ()
    """The rows of the published collections that it covers, for the list of what is left out."""

    def __call__(self, *arguments: Any) -> Task:
        """Return the task with these parameters; those that are left out have their defaults."""
        return self.make(*arguments, *(parameter.default for parameter in self.parameters[len(arguments) :]))

    def read(self, texts: Sequence[str]) -> Task:
        """Return the task whose parameters are written like this."""
        if len(texts) > len(self.parameters):
            takes = ", ".join(parameter.meaning for parameter in self.parameters) or "nothing"
            raise InvalidOptionError(
                f"{self.name} takes {takes} in parentheses; found {', '.join(map(repr, texts))}.",
                hint=f"for example {self.example}.",
            )
        return self(*(parameter.read(self.name, text) for parameter, text in zip(self.parameters, texts, strict=False)))

    @property
    def example(self) -> str:
        """The name as it may be written, with all parameters."""
        values = ", ".join(str(parameter.default) for parameter in self.parameters)
        return f"{self.name}({values})" if values else self.name


def shortest_name(family: str, values: Sequence[int | str], defaults: Sequence[int | str]) -> str:
    """Return the name of a task without the parameters at the end that are default.

    >>> shortest_name("count_mod", [3], [5]), shortest_name("count_mod", [5], [5])
    ('count_mod(3)', 'count_mod')
    """
    told = list(values)
    while told and told[-1] == defaults[len(told) - 1]:
        told.pop()
    return f"{family}({', '.join(map(str, told))})" if told else family
