"""The normal form: no strict counts, and no looking back except at symbols, or at whether there is a position at all.

Write Y^s φ for φ at the position s back. It commutes with truths and sums, moves a residue by s, and

    #[φ] at i − s    =  (#[φ] at i − s + 1)  −  (if Y^{s−1} φ then 1 else 0)
    #<[φ] at i − s   =  #[φ] at i − s − 1
    #{D}[φ] at i − s =  Σ_{d ∈ D} (if there is a position s + d back, and Y^{s+d} φ holds, then 1 else 0)

whenever position i − s exists, which is asked once, where looking back begins. So only Y^s of symbols is left. Each
definition is written once for every shift, of which there are at most as many as the window is long, nested windows
added up: the size is linear in the program's, and in its window. Counts are nested no deeper. A program that never looks
back becomes one without strict counts: plain C-RASP as it is defined.
"""

from __future__ import annotations

from dataclasses import replace

from ..budget import checkpoint
from . import syntax
from .kinds import require_meaning
from .measures import used_definitions
from .simplification import simplify

_ATOMS = (syntax.Symbol, syntax.Constant, syntax.Number, syntax.Name, syntax.Modulo)


def normal_form(program: syntax.Program) -> syntax.Program:
    """Return an equal program whose counts are over j ≤ i, or look back at symbols.

    >>> from lengthwise.crasp.parser import parse_program
    >>> from lengthwise.crasp.printer import print_expression
    >>> program = parse_program("alphabet 'a' 'b'  accept := #<['a'] > 2")
    >>> print_expression(normal_form(program).accept)
    "#['a'] > (if 'a' then 1 else 0) + 2"
    """
    require_meaning(program)
    work = _Normalization(program)
    for definition in used_definitions(program):  # in their order, so that a long chain of them is no deep recursion
        work.named(syntax.Name(definition.name), 0)
    if program.accept is not None:
        accept = work.shifted(program.accept, 0)
        return simplify(replace(program, definitions=tuple(work.definitions), accept=accept))
    following = tuple(syntax.Next(each.symbol, work.shifted(each.body, 0)) for each in program.next)
    return simplify(replace(program, definitions=tuple(work.definitions), next=following))


class _Normalization:
    """Definitions at shifts, made when they are first needed."""

    def __init__(self, program: syntax.Program) -> None:
        self.bodies = {definition.name: definition.body for definition in program.definitions}
        self.taken = set(self.bodies)
        self.definitions: list[syntax.Definition] = []
        self.names: dict[tuple[syntax.Expression, int], syntax.Name] = {}

    def shifted(self, node: syntax.Expression, shift: int) -> syntax.Expression:
        """Return an expression that is, at every position i > shift, what the node is at i − shift."""
        checkpoint()
        match node:
            case syntax.Symbol() if shift:
                return syntax.Compare(">=", syntax.CountAt(node, (shift,)), syntax.Number(1))
            case syntax.Modulo(modulus, residue):
                return syntax.Modulo(modulus, (residue + shift) % modulus)
            case syntax.Name():
                return self.named(node, shift)
            case syntax.Count(body):
                return self.count(body, shift)
            case syntax.CountBefore(body):
                return self.count(body, shift + 1)
            case syntax.CountAt(syntax.Symbol(), distances):
                return syntax.CountAt(node.body, tuple(shift + distance for distance in distances))
            case syntax.CountAt(body, distances):
                terms = [(1, self.indicator(body, shift + each, shift)) for each in distances]
                return syntax.total(terms)
            case _:
                return syntax.rebuild(node, tuple(self.shifted(part, shift) for part in syntax.children(node)))

    def count(self, body: syntax.Expression, shift: int) -> syntax.Expression:
        """Return how often the body holds up to the position a shift back."""
        if not shift:
            return syntax.Count(self.named(body, 0))
        later = self.named(syntax.Count(body), shift - 1) if shift > 1 else self.count(body, 0)
        return syntax.Sum(
            ((1, later), (-1, syntax.Choice(self.named(body, shift - 1), syntax.Number(1), syntax.Number(0))))
        )

    def indicator(self, body: syntax.Expression, shift: int, assured: int) -> syntax.Expression:
        """Return 1 where the body holds a shift back and that position exists, which is assured up to a smaller shift."""
        there = (
            [syntax.Compare(">", syntax.Count(syntax.Constant(True)), syntax.Number(shift))] if shift > assured else []
        )
        return syntax.Choice(syntax.conjunction([*there, self.named(body, shift)]), syntax.Number(1), syntax.Number(0))

    def named(self, node: syntax.Expression, shift: int) -> syntax.Expression:
        """Return a name for an expression at a shift, so that it is written only once; atoms need none."""
        if isinstance(node, _ATOMS) and not isinstance(node, syntax.Name):
            return self.shifted(node, shift)
        key = (node, shift)
        if key not in self.names:
            base = node.name if isinstance(node, syntax.Name) else "part"
            body = self.shifted(self.bodies[node.name] if isinstance(node, syntax.Name) else node, shift)
            name = syntax.Name(
                self.fresh(f"{base}_back{shift}" if shift else base, isinstance(node, syntax.Name) and not shift)
            )
            self.definitions.append(syntax.Definition(name.name, body))
            self.names[key] = name
        return self.names[key]

    def fresh(self, base: str, own: bool) -> str:
        """Return a name that nothing has yet; a definition at shift 0 keeps its own."""
        name, number = base, 1
        while name in self.taken and not own:
            number += 1
            name = f"{base}{number}"
        self.taken.add(name)
        return name
