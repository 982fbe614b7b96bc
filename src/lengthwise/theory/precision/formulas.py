"""Formulas of the logics of the past: what they are, what they say of a word, and how they are written.

A formula speaks of a position. The letters of a word stand at positions 1, 2, …, n, and whether the word is accepted is
read at position n + 1, the end marker, where no letter is. All operators are strict, as ``logics`` explains. A formula has
named parts, each of which may use those before it, so that what occurs in several places is written once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .logics import Logic


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false at every position."""

    value: bool


@dataclass(frozen=True, slots=True)
class Letter:
    """This letter is at the position."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Name:
    """A part that was defined before."""

    name: str


@dataclass(frozen=True, slots=True)
class Position:
    """The position is ``residue`` modulo ``modulus``."""

    modulus: int
    residue: int


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Expression


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Some part holds."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """P: the part held at some earlier position."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Yesterday:
    """Y: there is a previous position, and the part held there."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Since:
    """``start`` held at some earlier position, and ``hold`` at all positions between that one and this."""

    hold: Expression
    start: Expression


Expression = Constant | Letter | Name | Position | Not | And | Or | Past | Yesterday | Since

TRUE, FALSE = Constant(True), Constant(False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """Named parts in order, and what is read at the end marker."""

    alphabet: tuple[str, ...]
    definitions: tuple[tuple[str, Expression], ...]
    accept: Expression

    def accepts(self, word: Sequence[str]) -> bool:
        """Return whether the formula holds at the end marker of a word.

        >>> only_a = Formula(alphabet=("a", "b"), definitions=(), accept=Not(Past(Letter("b"))))
        >>> only_a.accepts("aa"), only_a.accepts("ab"), only_a.accepts("")
        (True, False, True)
        """
        known: dict[str, list[bool]] = {}
        for name, body in self.definitions:
            known[name] = _evaluate(body, word, known)
        return _evaluate(self.accept, word, known)[-1]

    @property
    def logic(self) -> Logic:
        """The smallest logic that has all operators of the formula; LTL[P] if it has none.

        A formula with ``since`` and positions is in none of the logics, and is refused.
        """
        used = {type(each) for body in self._bodies for each in subexpressions(body)}
        if Since in used:
            assert Position not in used, "no logic here has since together with positions"
            return Logic.S
        if Yesterday in used and Past not in used and Position not in used:
            return Logic.Y
        return {
            (False, False): Logic.P,
            (True, False): Logic.P_Y,
            (False, True): Logic.P_MOD,
            (True, True): Logic.P_Y_MOD,
        }[Yesterday in used, Position in used]

    @property
    def size(self) -> int:
        """The number of operators, letters and names."""
        return sum(1 for body in self._bodies for _ in subexpressions(body))

    @property
    def _bodies(self) -> list[Expression]:
        return [*(body for _, body in self.definitions), self.accept]

    def __str__(self) -> str:
        lines = [(name, show(body)) for name, body in self.definitions] + [("accept", show(self.accept))]
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:{width}} := {body}" for name, body in lines)


def _evaluate(expression: Expression, word: Sequence[str], known: dict[str, list[bool]]) -> list[bool]:
    """Return the truth value at every position, the end marker last."""
    length = len(word) + 1

    def values(part: Expression) -> list[bool]:
        return _evaluate(part, word, known)

    match expression:
        case Constant(value):
            return [value] * length
        case Letter(symbol):
            return [*(letter == symbol for letter in word), False]
        case Name(name):
            return known[name]
        case Position(modulus, residue):
            return [position % modulus == residue for position in range(1, length + 1)]
        case Not(part):
            return [not value for value in values(part)]
        case And(parts):
            return [all(column) for column in zip(*map(values, parts), strict=True)]
        case Or(parts):
            return [any(column) for column in zip(*map(values, parts), strict=True)]
        case Past(part):
            before = values(part)
            return [any(before[:place]) for place in range(length)]
        case Yesterday(part):
            return [False, *values(part)[:-1]]
        case Since(hold, start):
            holds, starts = values(hold), values(start)
            return [
                any(starts[other] and all(holds[other + 1 : place]) for other in range(place))
                for place in range(length)
            ]


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything inside it."""
    yield expression
    match expression:
        case Not(part) | Past(part) | Yesterday(part):
            yield from subexpressions(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from subexpressions(part)
        case Since(hold, start):
            yield from subexpressions(hold)
            yield from subexpressions(start)


def conjunction(parts: Iterable[Expression]) -> Expression:
    """Return that all parts hold, without constants and repetitions."""
    kept = tuple(dict.fromkeys(part for part in parts if part != TRUE))
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else And(kept) if kept else TRUE


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Return that some part holds, without constants and repetitions."""
    kept = tuple(dict.fromkeys(part for part in parts if part != FALSE))
    if TRUE in kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Or(kept) if kept else FALSE


def negation(part: Expression) -> Expression:
    """Return that a part does not hold."""
    match part:
        case Constant(value):
            return Constant(not value)
        case Not(inner):
            return inner
    return Not(part)


def past(part: Expression) -> Expression:
    """Return that a part held at some earlier position."""
    return FALSE if part == FALSE else Past(part)


def yesterday(part: Expression) -> Expression:
    """Return that a part held at the previous position."""
    return FALSE if part == FALSE else Yesterday(part)


def show(expression: Expression) -> str:
    """Return an expression as text.

    >>> show(Since(Not(Letter("b")), And((Letter("a"), Past(TRUE), Position(2, 1)))))
    "(not 'b' since 'a' and P(true) and pos % 2 = 1)"
    """
    match expression:
        case Constant(value):
            return "true" if value else "false"
        case Letter(symbol):
            escaped = symbol.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
        case Name(name):
            return name
        case Position(modulus, residue):
            return f"pos % {modulus} = {residue}"
        case Not(part):
            return f"not {_grouped(part, And | Or)}"
        case And(parts):
            return " and ".join(_grouped(part, Or) for part in parts)
        case Or(parts):
            return " or ".join(map(show, parts))
        case Past(part):
            return f"P({show(part)})"
        case Yesterday(part):
            return f"Y({show(part)})"
        case Since(hold, start):
            return f"({show(hold)} since {show(start)})"


def _grouped(part: Expression, kinds: object) -> str:
    return f"({show(part)})" if isinstance(part, kinds) else show(part)  # type: ignore[arg-type]
