"""What can be read off a program: its fragment, its depth, its size, and what it looks at."""

from __future__ import annotations

from collections.abc import Iterable

from . import syntax
from .fragments import Fragment


def used_definitions(program: syntax.Program) -> tuple[syntax.Definition, ...]:
    """Return the definitions that an output depends on, in their order."""
    needed = {
        node.name for output in program.outputs for node in syntax.walk(output.body) if isinstance(node, syntax.Name)
    }
    kept = []
    for definition in reversed(program.definitions):
        if definition.name in needed:
            kept.append(definition)
            needed |= {node.name for node in syntax.walk(definition.body) if isinstance(node, syntax.Name)}
    return tuple(reversed(kept))


def used_nodes(program: syntax.Program) -> Iterable[syntax.Expression]:
    """Yield every expression that an output depends on."""
    for definition in (*used_definitions(program), *program.outputs):
        yield from syntax.walk(definition.body)


def looks_back(node: syntax.Expression) -> bool:
    """Return whether a node needs a local relation; to count at distance 0 only is to look at the position itself."""
    return isinstance(node, syntax.CountAt) and node.distances != (0,)


def fragment_of(program: syntax.Program) -> Fragment:
    """Return the smallest fragment that has the program as it is written."""
    nodes = list(used_nodes(program))
    periodic = any(isinstance(node, syntax.Modulo) and node.modulus > 1 for node in nodes)
    local = any(map(looks_back, nodes))
    return {
        (False, False): Fragment.PLAIN,
        (False, True): Fragment.LOCAL,
        (True, False): Fragment.PERIODIC,
        (True, True): Fragment.PERIODIC_LOCAL,
    }[periodic, local]


def depth_of(program: syntax.Program) -> int:
    """Return how deeply counts are nested, local ones among them: each level is one layer of attention."""
    depths = definition_depths(program)
    return max(depths[output.name] for output in program.outputs)


def definition_depths(program: syntax.Program) -> dict[str, int]:
    """Return how deeply counts are nested in every definition and output."""
    depths: dict[str, int] = {}

    def depth(node: syntax.Expression) -> int:
        if isinstance(node, syntax.Name):
            return depths.get(node.name, 0)
        inside = max(map(depth, syntax.children(node)), default=0)
        counts = isinstance(node, (syntax.Count, syntax.CountBefore)) or looks_back(node)
        return inside + 1 if counts else inside

    for definition in (*program.definitions, *program.outputs):
        depths[definition.name] = depth(definition.body)
    return depths


def window_of(program: syntax.Program) -> int:
    """Return the largest distance that a local count looks back."""
    return max((max(node.distances) for node in used_nodes(program) if isinstance(node, syntax.CountAt)), default=0)


def moduli_of(program: syntax.Program) -> tuple[int, ...]:
    """Return the moduli at which the program sees its position."""
    return tuple(sorted({node.modulus for node in used_nodes(program) if isinstance(node, syntax.Modulo)}))


def largest_coefficient_of(program: syntax.Program) -> int:
    """Return the largest size of a factor in a sum."""
    factors = [abs(factor) for node in used_nodes(program) if isinstance(node, syntax.Sum) for factor, _ in node.terms]
    return max(factors, default=1)


def size_of(program: syntax.Program) -> int:
    """Return the size of all definitions and outputs together; see :func:`expression_size`."""
    return sum(expression_size(each.body) for each in (*program.definitions, *program.outputs))


def expression_size(node: syntax.Expression) -> int:
    """Return the size of an expression.

    Every node counts 1. A number counts its absolute value instead if that is larger, since the class has 1 as its only
    constant and adds; so do the factors of a sum's terms, and a modulus. A local count adds its largest distance.
    ``and``, ``or`` and sums of k parts count k − 1, as if written with two parts each; a sum of one term counts 1.
    """
    inside = sum(map(expression_size, syntax.children(node)))
    match node:
        case syntax.Number(value):
            return max(1, abs(value))
        case syntax.Modulo(modulus, _):
            return modulus
        case syntax.Sum(terms):
            factors = sum(max(0, abs(factor) - 1) for factor, _ in terms)
            return inside + len(terms) - 1 + factors + (len(terms) == 1)
        case syntax.CountAt(_, distances):
            return inside + 1 + max(distances)
        case syntax.Count() | syntax.CountBefore() | syntax.Compare() | syntax.Choice():
            return inside + 1
        case _:
            return inside + max(1, len(syntax.children(node)) - 1)


def head_of(node: syntax.Expression) -> tuple[object, ...]:
    """Return what makes an expression what it is, apart from its direct parts."""
    kind = type(node).__name__
    match node:
        case syntax.Symbol(value) | syntax.Constant(value) | syntax.Number(value) | syntax.Compare(value):
            return kind, value
        case syntax.Modulo(modulus, residue):
            return kind, modulus, residue
        case syntax.Sum(terms):
            return kind, *(factor for factor, _ in terms)
        case syntax.CountAt(_, distances):
            return kind, distances
        case _:
            return (kind,)
