"""Tasks by name, with parameters in parentheses: ``count_mod(5)``, ``word_problem(S3)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...names import Parameter, read_parameters, show_value, write_call
from ...theory.communication import TwoHalves
from ...theory.positions.problem import Problem
from .task import Task

INSTANCES = Parameter(
    name="instances",
    default="balanced",
    meaning="which instances are drawn",
    words=("balanced", "paper"),
)
"""Whether instances are balanced so that shortcuts fail, or are drawn as in the paper that the task cites."""


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
class Family:
    """A named task, or many of them that differ in parameters."""

    name: str
    group: Group
    make: Callable[..., Task]
    parameters: tuple[Parameter, ...] = ()

    problem: Callable[..., Problem | None] | None = None
    """What makes the problem of circuits that a member is, from its parameters; None where it is none."""

    scratchpad: str = ""
    """The family that asks the same question and wants the work shown, where there is one."""
    halves: TwoHalves | None = None
    """The question about an input in two halves that bounds what must be known of the first; None where it has none."""

    def __call__(self, *arguments: Any) -> Task:
        """Return the task with these parameters; those that are left out have their defaults."""
        return self.make(*arguments, *(parameter.default for parameter in self.parameters[len(arguments) :]))

    def read(self, texts: Sequence[str]) -> Task:
        """Return the task whose parameters are written like this."""
        return self.make(*read_parameters(self.name, self.parameters, texts))

    @property
    def example(self) -> str:
        """The name as it may be written, with all parameters."""
        return write_call(self.name, (show_value(parameter.default) for parameter in self.parameters))
