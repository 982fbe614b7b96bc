"""Smaller programs with the same meaning on every word.

Constants are folded, as far as :mod:`ranges` sees them; equal parts are merged, double negations and choices that do not
choose are dropped, comparisons are brought to their shortest form, and names that stand for an atom, or for nothing that
is used, disappear.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from ..budget import checkpoint
from . import syntax
from .kinds import Kind, require_meaning
from .measures import expression_size, used_definitions
from .ranges import Ranges, linear_form

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TRUTHS = (syntax.Symbol, syntax.Constant, syntax.Not, syntax.And, syntax.Or, syntax.Modulo, syntax.Compare)


def simplify(program: syntax.Program) -> syntax.Program:
    """Return a program that is equal on every word, with as few parts as these rules can find.

    >>> from lengthwise.crasp.parser import parse_program
    >>> from lengthwise.crasp.printer import print_expression
    >>> program = parse_program("alphabet 'a' 'b'  accept := not not ('a' and #['a'] - #['b'] + #['b'] >= 0)")
    >>> print_expression(simplify(program).accept)
    "'a'"
    """
    while True:
        smaller = _pass(program)
        if smaller == program:
            return program
        program = smaller


def _pass(program: syntax.Program) -> syntax.Program:
    simplifier = _Simplifier(program)
    definitions = []
    for definition in program.definitions:
        body = simplifier.simplify(definition.body)
        if isinstance(body, (syntax.Symbol, syntax.Constant, syntax.Number, syntax.Name, syntax.Modulo)):
            simplifier.atoms[definition.name] = body
        definitions.append(syntax.Definition(definition.name, body, span=definition.span))
    if program.accept is not None:
        program = replace(program, definitions=tuple(definitions), accept=simplifier.simplify(program.accept))
    else:
        following = tuple(syntax.Next(each.symbol, simplifier.simplify(each.body)) for each in program.next)
        program = replace(program, definitions=tuple(definitions), next=following)
    return replace(program, definitions=used_definitions(program))


class _Simplifier:
    """One pass over a program, from the leaves up."""

    def __init__(self, program: syntax.Program) -> None:
        self.kinds = require_meaning(program)
        self.ranges = Ranges(program)
        self.atoms: dict[str, syntax.Expression] = {}

    def simplify(self, node: syntax.Expression) -> syntax.Expression:
        checkpoint()
        if isinstance(node, syntax.Name):
            node = self.atoms.get(node.name, node)
        else:
            node = syntax.rebuild(node, tuple(map(self.simplify, syntax.children(node))))
        value = self.ranges.constant(node)
        if value is not None:
            if self._is_truth(node):
                return syntax.Constant(value == 1)
            return syntax.Number(value) if abs(value) <= syntax.MAX_INTEGER else node
        match node:
            case syntax.Not(part):
                return _negate(part)
            case syntax.And(parts):
                return self._combine(parts, syntax.And, absorbing=0)
            case syntax.Or(parts):
                return self._combine(parts, syntax.Or, absorbing=1)
            case syntax.Sum():
                return _smaller_sum(node)
            case syntax.Compare():
                return self._compare(node)
            case syntax.Choice(syntax.Not(part), then, otherwise):
                return syntax.Choice(part, otherwise, then)
            case syntax.Choice(condition, then, otherwise):
                return self._choice(condition, then, otherwise)
            case _:
                return node

    def _is_truth(self, node: syntax.Expression) -> bool:
        if isinstance(node, syntax.Name):
            return self.kinds[node.name] is Kind.TRUTH
        return isinstance(node, _TRUTHS)

    def _combine(
        self, parts: tuple[syntax.Expression, ...], kind: type[syntax.And] | type[syntax.Or], absorbing: int
    ) -> syntax.Expression:
        flat: list[syntax.Expression] = []
        for part in parts:
            flat += part.parts if isinstance(part, kind) else (part,)
        kept: list[syntax.Expression] = []
        for part in flat:
            value = self.ranges.constant(part)
            if value == absorbing:
                return syntax.Constant(bool(absorbing))
            if value is None and part not in kept:
                kept.append(part)
        if any(_negate(part) in kept for part in kept):
            return syntax.Constant(bool(absorbing))
        return syntax.conjunction(kept) if kind is syntax.And else syntax.disjunction(kept)

    def _choice(
        self, condition: syntax.Expression, then: syntax.Expression, otherwise: syntax.Expression
    ) -> syntax.Expression:
        value = self.ranges.constant(condition)
        if value is not None:
            return then if value else otherwise
        return then if then == otherwise else syntax.Choice(condition, then, otherwise)

    def _compare(self, node: syntax.Compare) -> syntax.Expression:
        terms, constant = linear_form(syntax.Sum(((1, node.left), (-1, node.right))))
        if not _fits(terms, constant):
            return node
        by_case = self._by_case(node.sign, terms, constant)
        if by_case is not None:
            return by_case
        sign = node.sign
        if terms and next(iter(terms.values())) < 0:
            terms, constant, sign = {term: -each for term, each in terms.items()}, -constant, _MIRRORED[sign]
        divisor = gcd(*terms.values())
        if divisor > 1:
            if constant % divisor and sign in ("=", "!="):
                return syntax.Constant(sign == "!=")
            constant = _divided(constant, divisor, sign)
            terms = {term: each // divisor for term, each in terms.items()}
        left = [(factor, term) for term, factor in terms.items() if factor > 0]
        right = [(-factor, term) for term, factor in terms.items() if factor < 0]
        if constant > 0 and right:
            left.append((1, syntax.Number(constant)))
        elif constant or not right:
            right.append((1, syntax.Number(-constant)))
        return _smaller(syntax.Compare(sign, syntax.total(left), syntax.total(right)), node)

    def _by_case(self, sign: str, terms: dict[syntax.Expression, int], constant: int) -> syntax.Expression | None:
        """Return the condition of a choice between numbers, or its opposite, if that is what a comparison comes to."""
        if len(terms) != 1:
            return None
        ((term, factor),) = terms.items()
        if not isinstance(term, syntax.Choice):
            return None
        found = []
        for branch in (term.then, term.otherwise):
            value = self.ranges.constant(
                syntax.Compare(sign, syntax.Sum(((factor, branch), (1, syntax.Number(0)))), syntax.Number(-constant))
            )
            if value is None:
                return None
            found.append(value)
        if found[0] == found[1]:
            return syntax.Constant(bool(found[0]))
        return term.condition if found[0] else _negate(term.condition)


def _negate(node: syntax.Expression) -> syntax.Expression:
    match node:
        case syntax.Not(part):
            return part
        case syntax.Compare(sign, left, right):
            return syntax.Compare(_OPPOSITE[sign], left, right)
        case syntax.Constant(value):
            return syntax.Constant(not value)
        case _:
            return syntax.Not(node)


def _smaller_sum(node: syntax.Expression) -> syntax.Expression:
    terms, constant = linear_form(node)
    if not _fits(terms, constant):
        return node
    parts = [(factor, term) for term, factor in terms.items()]
    if constant:
        parts.append((1, syntax.Number(constant)) if constant > 0 or not parts else (-1, syntax.Number(-constant)))
    return _smaller(syntax.total(parts), node)


def _smaller(new: syntax.Expression, old: syntax.Expression) -> syntax.Expression:
    return new if expression_size(new) <= expression_size(old) else old


def _divided(constant: int, divisor: int, sign: str) -> int:
    """Return the constant c′ with (divisor·x + constant ⋈ 0) = (x + c′ ⋈ 0) for all integers x."""
    return constant // divisor if sign in ("<", ">=") else -(-constant // divisor)


def _fits(terms: dict[syntax.Expression, int], constant: int) -> bool:
    return all(abs(value) <= syntax.MAX_INTEGER for value in (constant, *terms.values()))
