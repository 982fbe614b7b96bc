"""The expressions of a program with names resolved and equal ones numbered once, and its counts as linear forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...crasp.kinds import require_meaning
from ...crasp.measures import head_of
from ...crasp.simplification import simplify
from ...crasp.syntax import Expression, Modulo, Name, Number, Program, Sum, children


@dataclass(frozen=True, slots=True)
class Linear:
    """A count as factors of numbered counts, and a constant."""

    terms: tuple[tuple[int, int], ...]
    constant: int

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """Return this count plus a multiple of another."""
        terms = dict(self.terms)
        for number, value in other.terms:
            terms[number] = terms.get(number, 0) + factor * value
        kept = tuple(sorted((number, value) for number, value in terms.items() if value))
        return Linear(kept, self.constant + factor * other.constant)


class Expressions:
    """A program as a list of different expressions; the parts of each come before it."""

    def __init__(self, program: Program) -> None:
        require_meaning(program)
        self.program = simplify(program)
        self.nodes: list[Expression] = []
        self.parts: list[tuple[int, ...]] = []
        self.outputs: dict[str, int] = {}
        self._numbers: dict[object, int] = {}
        self._linear: dict[int, Linear] = {}
        named: dict[str, int] = {}
        for definition in self.program.definitions:
            named[definition.name] = self._number(definition.body, named)
        for output in self.program.outputs:
            self.outputs[output.name] = self._number(output.body, named)

    def _number(self, node: Expression, named: dict[str, int]) -> int:
        if isinstance(node, Name):
            return named[node.name]
        parts = tuple(self._number(part, named) for part in children(node))
        key = (head_of(node), parts)
        if key not in self._numbers:
            self._numbers[key] = len(self.nodes)
            self.nodes.append(node)
            self.parts.append(parts)
        return self._numbers[key]

    def reachable(self, numbers: Iterable[int]) -> set[int]:
        """Return these expressions and all within them."""
        found: set[int] = set()
        pending = list(numbers)
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending += self.parts[number]
        return found

    def moduli(self) -> tuple[int, ...]:
        """Return the moduli at which the outputs see their position."""
        nodes = (self.nodes[number] for number in self.reachable(self.outputs.values()))
        return tuple(sorted({node.modulus for node in nodes if isinstance(node, Modulo) and node.modulus > 1}))

    def linear(self, number: int) -> Linear:
        """Return a count as a linear form of counts that are no sums."""
        if number not in self._linear:
            self._linear[number] = self._compute_linear(number)
        return self._linear[number]

    def _compute_linear(self, number: int) -> Linear:
        match self.nodes[number]:
            case Number(value):
                return Linear((), value)
            case Sum(terms):
                total = Linear((), 0)
                for (factor, _), part in zip(terms, self.parts[number], strict=True):
                    total = total.plus(self.linear(part), factor)
                return total
            case _:
                return Linear(((number, 1),), 0)

    def difference(self, number: int) -> Linear:
        """Return the left side of a comparison minus its right side."""
        left, right = self.parts[number]
        return self.linear(left).plus(self.linear(right), -1)
