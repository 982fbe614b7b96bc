"""The Python form: programs from operators.

>>> from lengthwise.crasp.operators import count, make_program, named, symbol
>>> opened, closed = symbol("("), symbol(")")
>>> depth = named("depth", count(opened) - count(closed))
>>> dyck = make_program("()", accept=(count(depth < 0) == 0) & (depth == 0))

``& | ~`` combine truths, ``+ - *`` counts, and comparisons make truths of counts; ``where(truth, one, two)`` chooses.
:func:`named` gives an expression a name, and the program collects the names it meets. The result is the same data that
the text form gives:

>>> from lengthwise.crasp.parser import parse_program
>>> dyck == parse_program('''
...     alphabet '(' ')'
...     depth := #['('] - #[')']
...     accept := #[depth < 0] = 0 and depth = 0
... ''')
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..errors import InvalidProgramError
from . import syntax
from .fragments import Readout, as_readout


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """An expression under construction, with the definitions of the names in it. ``==`` compares counts, not terms."""

    node: syntax.Expression
    definitions: tuple[syntax.Definition, ...] = ()

    def __and__(self, other: Term) -> Term:
        return _join(lambda one, two: syntax.And((*_parts(one, syntax.And), two)), self, other)

    def __or__(self, other: Term) -> Term:
        return _join(lambda one, two: syntax.Or((*_parts(one, syntax.Or), two)), self, other)

    def __invert__(self) -> Term:
        return Term(syntax.Not(self.node), self.definitions)

    def __add__(self, other: Term | int) -> Term:
        return _join(lambda one, two: syntax.Sum((*_terms(one), *_scaled(two))), self, other)

    def __radd__(self, other: int) -> Term:
        return _term(other) + self

    def __sub__(self, other: Term | int) -> Term:
        return _join(
            lambda one, two: syntax.Sum((*_terms(one), *((-each, part) for each, part in _scaled(two)))), self, other
        )

    def __rsub__(self, other: int) -> Term:
        return _term(other) - self

    def __mul__(self, factor: int) -> Term:
        return Term(syntax.total([(factor, self.node)]), self.definitions)

    __rmul__ = __mul__

    def __neg__(self) -> Term:
        return self * -1

    def __lt__(self, other: Term | int) -> Term:
        return _compare("<", self, other)

    def __le__(self, other: Term | int) -> Term:
        return _compare("<=", self, other)

    def __gt__(self, other: Term | int) -> Term:
        return _compare(">", self, other)

    def __ge__(self, other: Term | int) -> Term:
        return _compare(">=", self, other)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return _compare("=", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return _compare("!=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise InvalidProgramError(
            "an expression is true or false only at a position of a word, so it has no truth value of its own.",
            hint="combine truths with & | ~ instead of and, or, not; comparisons do not chain.",
        )


def symbol(text: str) -> Term:
    """Return the truth that the word has this symbol."""
    return Term(syntax.Symbol(text))


def constant(value: bool) -> Term:
    """Return what is true, or false, everywhere."""
    return Term(syntax.Constant(value))


def position(modulus: int, residue: int) -> Term:
    """Return the truth that the position leaves this residue."""
    return Term(syntax.Modulo(modulus, residue))


def count(body: Term, *, at: int | Iterable[int] | None = None, before: bool = False) -> Term:
    """Return how often a truth holds: up to here, strictly before, or at these distances back."""
    if at is not None and before:
        raise InvalidProgramError(
            "a count has distances or is strict, not both.", hint="a strict count is one at distances from 1 on."
        )
    if at is not None:
        distances = (at,) if isinstance(at, int) else tuple(at)
        return Term(syntax.CountAt(body.node, distances), body.definitions)
    return Term(syntax.CountBefore(body.node) if before else syntax.Count(body.node), body.definitions)


def where(condition: Term, then: Term | int, otherwise: Term | int) -> Term:
    """Return the first count where the condition holds, the second elsewhere."""
    one, two = _term(then), _term(otherwise)
    definitions = _merged(condition.definitions, one.definitions, two.definitions)
    return Term(syntax.Choice(condition.node, one.node, two.node), definitions)


def named(name: str, term: Term) -> Term:
    """Return the expression under a name of its own."""
    return Term(syntax.Name(name), _merged(term.definitions, (syntax.Definition(name, term.node),)))


def make_program(
    alphabet: Iterable[str],
    *,
    accept: Term | None = None,
    following: Mapping[str, Term] | None = None,
    readout: Readout | str = Readout.LAST_SYMBOL,
    start: str | None = None,
    stop: str | None = None,
) -> syntax.Program:
    """Return the program that accepts where a truth holds, or that says of symbols when they come next."""
    outputs = [*([accept] if accept is not None else []), *(following or {}).values()]
    return syntax.Program(
        alphabet=tuple(alphabet),
        definitions=_merged(*(output.definitions for output in outputs)),
        accept=None if accept is None else accept.node,
        next=tuple(syntax.Next(each, term.node) for each, term in (following or {}).items()),
        readout=as_readout(readout) or Readout.LAST_SYMBOL,
        start=start,
        stop=stop,
    )


def _term(value: object) -> Term:
    if isinstance(value, Term):
        return value
    if type(value) is int:
        return Term(syntax.Number(value))
    raise InvalidProgramError(
        f"an expression cannot be combined with {value!r}.",
        hint="use expressions and integers; symbols are symbol('a').",
    )


def _join(
    combine: Callable[[syntax.Expression, syntax.Expression], syntax.Expression], left: Term, right: object
) -> Term:
    other = _term(right)
    return Term(combine(left.node, other.node), _merged(left.definitions, other.definitions))


def _compare(sign: str, left: Term, right: object) -> Term:
    return _join(lambda one, two: syntax.Compare(sign, one, two), left, right)


def _parts(node: syntax.Expression, kind: type[syntax.And] | type[syntax.Or]) -> tuple[syntax.Expression, ...]:
    return node.parts if isinstance(node, kind) else (node,)


def _terms(node: syntax.Expression) -> tuple[tuple[int, syntax.Expression], ...]:
    return node.terms if isinstance(node, syntax.Sum) else ((1, node),)


def _scaled(node: syntax.Expression) -> tuple[tuple[int, syntax.Expression], ...]:
    """Return a product as its one term, so that x - 2*y is a sum of two; any other sum stays one term."""
    return node.terms if isinstance(node, syntax.Sum) and len(node.terms) == 1 else ((1, node),)


def _merged(*groups: tuple[syntax.Definition, ...]) -> tuple[syntax.Definition, ...]:
    """Return definitions in order of first appearance; one name for two expressions is an error."""
    found: dict[str, syntax.Definition] = {}
    for definition in (each for group in groups for each in group):
        if found.setdefault(definition.name, definition) != definition:
            raise InvalidProgramError(
                f"the name {definition.name!r} was given to two different expressions.", hint="choose another name."
            )
    return tuple(found.values())
