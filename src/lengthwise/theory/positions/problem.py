"""What a problem is here: how it is written, and a circuit for it or the reason why none of bounded arity exists.

A position is *forced* at a gate when two instances agree on every other visible position and yet the next token differs: a gate that
does not read it gives both the same token. The number of forced positions is a lower bound on the arity of any circuit.
Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import CapExceededError
from .circuits import Circuit
from .layout import Layout, Tokens

MAX_INSTANCES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forced:
    """A position that every gate for this token must read, and two prompts that show it."""

    position: int
    prompts: tuple[Tokens, Tokens]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCircuit:
    """A problem whose circuits need an arity that grows: at ``step(n)`` of scale n, ``num_forced(n)`` positions are forced."""

    step: Callable[[int], int]
    num_forced: Callable[[int], int]
    bound: str
    argument: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem with its circuit, or with the reason why none of bounded arity exists."""

    layout: Layout
    circuit: Circuit | None = None
    limit: NoCircuit | None = None
    copying: str = ""
    """Why a program for it could copy words with repeats, which none can; empty if nothing says so."""
    unsettled: str = ""
    """Why no theorem on counting speaks of it; empty if one does."""
    assumed: str = ""
    """What an opinion about a task assumes that is written a little differently."""

    @property
    def name(self) -> str:
        """The name with its parameters, which makes it again."""
        return self.layout.name

    @property
    def definition(self) -> str:
        """What is asked for."""
        return self.layout.definition


def forced_operands(layout: Layout, scale: int, step: int, *, max_instances: int = MAX_INSTANCES) -> tuple[Forced, ...]:
    """Return the forced positions of a step, from all instances of a scale."""
    if layout.num_instances(scale) > max_instances:
        raise CapExceededError(
            f"layout {layout.name} has {layout.num_instances(scale):,} instances at scale {scale}: at most {max_instances:,}.",
            hint="use a smaller scale or alphabet.",
        )
    instances = [*layout.instances(scale)]
    found = []
    for position in range(layout.prompt_length(scale) + step - 1):
        seen: dict[Tokens, tuple[str, Tokens]] = {}
        for prompt, answer in instances:
            visible = (*prompt, *answer[: step - 1])
            others = (*visible[:position], *visible[position + 1 :])
            token, first = seen.setdefault(others, (answer[step - 1], prompt))
            if token != answer[step - 1]:
                found.append(Forced(position=position, prompts=(first, prompt)))
                break
    return tuple(found)
