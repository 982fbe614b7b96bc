"""Problems without a circuit of bounded arity, each with an argument that is counted at small scales.

A position is *forced* at a gate when two instances agree on every other visible position and yet the next token differs: a gate that
does not read it gives both the same token. The number of forced positions is a lower bound on the arity of any circuit.
Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import CapExceededError
from . import layouts_numbers as numbers
from . import layouts_words as words
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

    make: Callable[..., Layout]
    step: Callable[[int], int]
    num_forced: Callable[[int], int]
    bound: str
    argument: str


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


NO_CIRCUIT: dict[str, NoCircuit] = {
    "sort": NoCircuit(
        make=words.sort,
        step=lambda scale: 1,  # noqa: ARG005
        num_forced=lambda scale: scale,
        bound="n",
        argument="the first symbol of the answer is the smallest of all, and only the prompt is visible before it: where all symbols "
        "are large, a smaller one at any place changes it.",
    ),
    "parity": NoCircuit(
        make=words.parity,
        step=lambda scale: 1,  # noqa: ARG005
        num_forced=lambda scale: scale,
        bound="n",
        argument="any one symbol changes the answer, and only the prompt is visible before it.",
    ),
    "addition_plain": NoCircuit(
        make=numbers.addition_plain,
        step=lambda scale: 1,  # noqa: ARG005
        num_forced=lambda scale: 2 * scale,
        bound="2n",
        argument="the first digit is the last carry: of the largest number plus 1 it is 1, and 0 when any digit of the largest "
        "number is made smaller; the same with the summands exchanged.",
    ),
    "mul_nxn": NoCircuit(
        make=numbers.mul_nxn,
        step=lambda scale: scale,
        num_forced=lambda scale: 2 * scale,
        bound="2n",
        argument="a = base^(i−1) times b = base^(n−i) has 1 as its n-th digit and 0 before it, and a = 0 has 0 everywhere: the two "
        "differ in a_i only; the same with the factors exchanged.",
    ),
}
