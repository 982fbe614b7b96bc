"""What values an expression can take at all: an interval for each thing that can stand at a position.

Sound, not complete: every value that occurs lies in the interval. A position is told by its symbol (or none, at the end
marker) and by its residue modulo all moduli of the program, so that ``'a' and 'b'`` is seen to be false and
``'a' or 'b'`` over {a, b} to be true. Truths are the numbers 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, lcm

from . import syntax
from .fragments import Readout
from .measures import moduli_of

MAX_CONTEXTS = 600

Bound = int | float  # an integer, or infinity on either side
Range = tuple[Bound, Bound]

FALSE: Range = (0, 0)
TRUE: Range = (1, 1)


@dataclass(frozen=True, slots=True)
class Context:
    """What can be known of a position: its symbol, None at the end marker, and its residue if that is followed."""

    symbol: str | None
    residue: int | None


class Ranges:
    """The ranges of all definitions of a program, and of any expression over them."""

    def __init__(self, program: syntax.Program) -> None:
        modulus = lcm(*moduli_of(program), *_unused_moduli(program))
        marker = (None,) if not program.is_generator and program.readout is Readout.END_MARKER else ()
        symbols = (*program.symbols, *marker)
        if modulus * len(symbols) > MAX_CONTEXTS:
            residues: list[int | None] = [None]
        else:
            residues = list(range(modulus))
        self.contexts = [Context(symbol, residue) for symbol, residue in product(symbols, residues)]
        self._named: dict[str, list[Range]] = {}
        self._known: dict[syntax.Expression, list[Range]] = {}
        for definition in (*program.definitions, *program.outputs):
            self.define(definition.name, definition.body)

    def define(self, name: str, body: syntax.Expression) -> None:
        """Give a name the ranges of its definition."""
        self._named[name] = self.of(body)

    def of(self, node: syntax.Expression) -> list[Range]:
        """Return the range of an expression in every context."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._compute(node)
        return found

    def constant(self, node: syntax.Expression) -> int | None:
        """Return the one value that an expression has everywhere, or None if that is not seen."""
        first, *others = set(self.of(node))
        if others or first[0] != first[1] or first[0] in (inf, -inf):
            return None
        return int(first[0])

    def _compute(self, node: syntax.Expression) -> list[Range]:
        contexts = self.contexts
        match node:
            case syntax.Symbol(symbol):
                return [TRUE if context.symbol == symbol else FALSE for context in contexts]
            case syntax.Constant(value):
                return [TRUE if value else FALSE] * len(contexts)
            case syntax.Number(value):
                return [(value, value)] * len(contexts)
            case syntax.Name(name):
                return self._named.get(name, [(-inf, inf)] * len(contexts))
            case syntax.Modulo(modulus, residue):
                return [_modulo(context, modulus, residue) for context in contexts]
            case syntax.Not(part):
                return [(1 - high, 1 - low) for low, high in self.of(part)]
            case syntax.And(parts):
                rows = zip(*map(self.of, parts), strict=True)
                return [(min(low for low, _ in row), min(high for _, high in row)) for row in rows]
            case syntax.Or(parts):
                rows = zip(*map(self.of, parts), strict=True)
                return [(max(low for low, _ in row), max(high for _, high in row)) for row in rows]
            case syntax.Compare(sign, left, right):
                terms, constant = linear_form(syntax.Sum(((1, left), (-1, right))))
                return [_compare(sign, difference) for difference in self._linear(terms, constant)]
            case syntax.Sum():
                return self._linear(*linear_form(node))
            case syntax.Count(body) | syntax.CountBefore(body) | syntax.CountAt(body):
                return self._count(node, self.of(body))
            case syntax.Choice(condition, then, otherwise):
                rows = zip(self.of(condition), self.of(then), self.of(otherwise), strict=True)
                return [_choose(holds, one, two) for holds, one, two in rows]

    def _linear(self, terms: Mapping[syntax.Expression, int], constant: int) -> list[Range]:
        rows = [[_scale(factor, each) for each in self.of(term)] for term, factor in terms.items()]
        return [
            (constant + sum(row[number][0] for row in rows), constant + sum(row[number][1] for row in rows))
            for number in range(len(self.contexts))
        ]

    def _count(self, node: syntax.Expression, body: list[Range]) -> list[Range]:
        if all(high <= 0 for _, high in body):
            return [FALSE] * len(body)
        match node:
            case syntax.Count():
                return [(1 if low >= 1 else 0, inf) for low, _ in body]
            case syntax.CountAt(_, distances):
                if 0 not in distances:
                    return [(0, len(distances))] * len(body)
                return [(1 if low >= 1 else 0, len(distances) - (high <= 0)) for low, high in body]
            case _:
                return [(0, inf)] * len(body)


def linear_form(node: syntax.Expression) -> tuple[dict[syntax.Expression, int], int]:
    """Return a count as factors of its terms, equal terms together and none of them zero, and a constant."""
    terms: dict[syntax.Expression, int] = {}
    constant = 0
    pending: list[tuple[int, syntax.Expression]] = [(1, node)]
    while pending:
        factor, part = pending.pop()
        match part:
            case syntax.Number(value):
                constant += factor * value
            case syntax.Sum(parts):
                pending += [(factor * each, term) for each, term in reversed(parts)]
            case _:
                terms[part] = terms.get(part, 0) + factor
    return {term: factor for term, factor in terms.items() if factor}, constant


def _unused_moduli(program: syntax.Program) -> list[int]:
    return [
        node.modulus
        for definition in program.definitions
        for node in syntax.walk(definition.body)
        if isinstance(node, syntax.Modulo)
    ]


def _modulo(context: Context, modulus: int, residue: int) -> Range:
    if context.residue is None:
        return TRUE if modulus == 1 else (0, 1)
    return TRUE if context.residue % modulus == residue else FALSE


def _scale(factor: int, value: Range) -> Range:
    one, two = factor * value[0], factor * value[1]
    return (one, two) if factor > 0 else (two, one)


def _choose(holds: Range, then: Range, otherwise: Range) -> Range:
    if holds == TRUE:
        return then
    if holds == FALSE:
        return otherwise
    return min(then[0], otherwise[0]), max(then[1], otherwise[1])


def _compare(sign: str, difference: Range) -> Range:
    """Return the truth of a comparison whose left side minus its right side lies in a range."""
    low, high = difference
    match sign:
        case "<":
            return int(high < 0), int(low < 0)
        case "<=":
            return int(high <= 0), int(low <= 0)
        case ">":
            return int(low > 0), int(high > 0)
        case ">=":
            return int(low >= 0), int(high >= 0)
        case "=":
            return int(low == high == 0), int(low <= 0 <= high)
        case _:
            return int(low > 0 or high < 0), int(not low == high == 0)
