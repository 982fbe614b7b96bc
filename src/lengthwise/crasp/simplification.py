"""Smaller programs with the same meaning on every word.

Constants are folded, as far as :mod:`ranges` sees them; equal parts are merged, double negations and choices that do not
choose are dropped, comparisons are brought to their shortest form, and names that stand for an atom, or for nothing that
is used, disappear.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from .kinds import Kind, require_meaning
from .measures import expression_size, used_definitions
from .ranges import Ranges, linear_form
from .syntax import (
    MAX_INTEGER,
    And,
    Choice,
    Compare,
    Constant,
    Definition,
    Expression,
    Modulo,
    Name,
    Next,
    Not,
    Number,
    Or,
    Program,
    Sum,
    Symbol,
    children,
    conjunction,
    disjunction,
    rebuild,
    total,
)

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TRUTHS = (Symbol, Constant, Not, And, Or, Modulo, Compare)


def simplify(program: Program) -> Program:
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


def _pass(program: Program) -> Program:
    simplifier = _Simplifier(program)
    definitions = []
    for definition in program.definitions:
        body = simplifier.simplify(definition.body)
        if isinstance(body, (Symbol, Constant, Number, Name, Modulo)):
            simplifier.atoms[definition.name] = body
        definitions.append(Definition(definition.name, body, span=definition.span))
    if program.accept is not None:
        program = replace(program, definitions=tuple(definitions), accept=simplifier.simplify(program.accept))
    else:
        following = tuple(Next(each.symbol, simplifier.simplify(each.body)) for each in program.next)
        program = replace(program, definitions=tuple(definitions), next=following)
    return replace(program, definitions=used_definitions(program))


class _Simplifier:
    """One pass over a program, from the leaves up."""

    def __init__(self, program: Program) -> None:
        self.kinds = require_meaning(program)
        self.ranges = Ranges(program)
        self.atoms: dict[str, Expression] = {}

    def simplify(self, node: Expression) -> Expression:
        if isinstance(node, Name):
            node = self.atoms.get(node.name, node)
        else:
            node = rebuild(node, tuple(map(self.simplify, children(node))))
        value = self.ranges.constant(node)
        if value is not None:
            if self._is_truth(node):
                return Constant(value == 1)
            return Number(value) if abs(value) <= MAX_INTEGER else node
        match node:
            case Not(part):
                return _negate(part)
            case And(parts):
                return self._combine(parts, And, absorbing=0)
            case Or(parts):
                return self._combine(parts, Or, absorbing=1)
            case Sum():
                return _smaller_sum(node)
            case Compare():
                return self._compare(node)
            case Choice(Not(part), then, otherwise):
                return Choice(part, otherwise, then)
            case Choice(condition, then, otherwise):
                return self._choice(condition, then, otherwise)
            case _:
                return node

    def _is_truth(self, node: Expression) -> bool:
        if isinstance(node, Name):
            return self.kinds[node.name] is Kind.TRUTH
        return isinstance(node, _TRUTHS)

    def _combine(self, parts: tuple[Expression, ...], kind: type[And] | type[Or], absorbing: int) -> Expression:
        flat: list[Expression] = []
        for part in parts:
            flat += part.parts if isinstance(part, kind) else (part,)
        kept: list[Expression] = []
        for part in flat:
            value = self.ranges.constant(part)
            if value == absorbing:
                return Constant(bool(absorbing))
            if value is None and part not in kept:
                kept.append(part)
        if any(_negate(part) in kept for part in kept):
            return Constant(bool(absorbing))
        return conjunction(kept) if kind is And else disjunction(kept)

    def _choice(self, condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        value = self.ranges.constant(condition)
        if value is not None:
            return then if value else otherwise
        return then if then == otherwise else Choice(condition, then, otherwise)

    def _compare(self, node: Compare) -> Expression:
        terms, constant = linear_form(Sum(((1, node.left), (-1, node.right))))
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
                return Constant(sign == "!=")
            constant = _divided(constant, divisor, sign)
            terms = {term: each // divisor for term, each in terms.items()}
        left = [(factor, term) for term, factor in terms.items() if factor > 0]
        right = [(-factor, term) for term, factor in terms.items() if factor < 0]
        if constant > 0 and right:
            left.append((1, Number(constant)))
        elif constant or not right:
            right.append((1, Number(-constant)))
        return _smaller(Compare(sign, total(left), total(right)), node)

    def _by_case(self, sign: str, terms: dict[Expression, int], constant: int) -> Expression | None:
        """Return the condition of a choice between numbers, or its opposite, if that is what a comparison comes to."""
        if len(terms) != 1:
            return None
        ((term, factor),) = terms.items()
        if not isinstance(term, Choice):
            return None
        found = []
        for branch in (term.then, term.otherwise):
            value = self.ranges.constant(Compare(sign, Sum(((factor, branch), (1, Number(0)))), Number(-constant)))
            if value is None:
                return None
            found.append(value)
        if found[0] == found[1]:
            return Constant(bool(found[0]))
        return term.condition if found[0] else _negate(term.condition)


def _negate(node: Expression) -> Expression:
    match node:
        case Not(part):
            return part
        case Compare(sign, left, right):
            return Compare(_OPPOSITE[sign], left, right)
        case Constant(value):
            return Constant(not value)
        case _:
            return Not(node)


def _smaller_sum(node: Expression) -> Expression:
    terms, constant = linear_form(node)
    if not _fits(terms, constant):
        return node
    parts = [(factor, term) for term, factor in terms.items()]
    if constant:
        parts.append((1, Number(constant)) if constant > 0 or not parts else (-1, Number(-constant)))
    return _smaller(total(parts), node)


def _smaller(new: Expression, old: Expression) -> Expression:
    return new if expression_size(new) <= expression_size(old) else old


def _divided(constant: int, divisor: int, sign: str) -> int:
    """Return the constant c′ with (divisor·x + constant ⋈ 0) = (x + c′ ⋈ 0) for all integers x."""
    return constant // divisor if sign in ("<", ">=") else -(-constant // divisor)


def _fits(terms: dict[Expression, int], constant: int) -> bool:
    return all(abs(value) <= MAX_INTEGER for value in (constant, *terms.values()))
