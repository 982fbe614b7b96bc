"""Programs as pure data.

An expression is a *truth* (true or false at each position) or a *count* (an integer at each position):

=========  =============================================================================================
truths     ``Symbol``  ``Constant``  ``Not``  ``And``  ``Or``  ``Modulo``  ``Compare``
counts     ``Number``  ``Sum``  ``Count`` (j ≤ i)  ``CountBefore`` (j < i)  ``CountAt`` (i − j in a set)  ``Choice``
either     ``Name``, which stands for an earlier definition
=========  =============================================================================================

Nodes are frozen and compared by structure. ``span``, the place in a text that a node was read from, is no part of its
value. Whether an expression has a meaning at all (types, names) is the checker's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import InvalidProgramError
from ..languages.alphabet import Alphabet, make_alphabet, show_alphabet
from .fragments import Readout

Span = tuple[int, int]

SIGNS = ("=", "!=", "<", "<=", ">", ">=")
KEYWORDS = frozenset(
    [
        "alphabet",
        "start",
        "stop",
        "read",
        "accept",
        "next",
        "and",
        "or",
        "not",
        "if",
        "then",
        "else",
        "true",
        "false",
        "pos",
    ],
)
ACCEPT = "accept"
MAX_INTEGER = 1_000_000
MAX_DISTANCE = 10_000

_NAME = re.compile(r"[^\W\d]\w*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _require(condition: bool, what: str, value: object, hint: str) -> None:
    if not condition:
        raise InvalidProgramError(f"{what}; found {value!r}.", hint=hint)


def _require_name(name: object) -> None:
    _require(
        isinstance(name, str) and _NAME.fullmatch(name) is not None and name not in KEYWORDS,
        "a name is letters, digits and _, begins with a letter and is no word of the language",
        name,
        "choose another name.",
    )


def _is_int(value: object) -> bool:
    return type(value) is int and abs(value) <= MAX_INTEGER


@dataclass(frozen=True, slots=True)
class _Placed:
    """What may know its place in a text."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Symbol(_Placed):
    """True where the word has this symbol."""

    symbol: str

    def __post_init__(self) -> None:
        _require(
            isinstance(self.symbol, str) and bool(self.symbol) and not _SURROGATE.search(self.symbol),
            "a symbol must be a non-empty string",
            self.symbol,
            "write symbols as text, for example 'a'.",
        )


@dataclass(frozen=True, slots=True)
class Constant(_Placed):
    """True or false everywhere."""

    value: bool

    def __post_init__(self) -> None:
        _require(type(self.value) is bool, "a constant must be true or false", self.value, "numbers are Number(3).")


@dataclass(frozen=True, slots=True)
class Not(_Placed):
    """The opposite of a truth."""

    part: Expression


@dataclass(frozen=True, slots=True)
class And(_Placed):
    """True where all parts are; there are two or more."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _require(
            len(self.parts) > 1, "'and' needs two or more parts", self.parts, "use conjunction(parts) for any number."
        )


@dataclass(frozen=True, slots=True)
class Or(_Placed):
    """True where at least one part is; there are two or more."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _require(
            len(self.parts) > 1, "'or' needs two or more parts", self.parts, "use disjunction(parts) for any number."
        )


@dataclass(frozen=True, slots=True)
class Modulo(_Placed):
    """True at the positions that leave this residue; the first position of a word is 1, plus the offset."""

    modulus: int
    residue: int

    def __post_init__(self) -> None:
        _require(
            _is_int(self.modulus) and self.modulus >= 1,
            f"a modulus lies between 1 and {MAX_INTEGER}",
            self.modulus,
            "for example 2.",
        )
        _require(
            _is_int(self.residue) and 0 <= self.residue < self.modulus,
            f"a residue modulo {self.modulus} lies between 0 and {self.modulus - 1}",
            self.residue,
            "reduce it first.",
        )


@dataclass(frozen=True, slots=True)
class Compare(_Placed):
    """True where the left count stands in this relation to the right count."""

    sign: str
    left: Expression
    right: Expression

    def __post_init__(self) -> None:
        _require(self.sign in SIGNS, "a comparison is one of " + " ".join(SIGNS), self.sign, "use one of these signs.")


@dataclass(frozen=True, slots=True)
class Number(_Placed):
    """The same integer everywhere."""

    value: int

    def __post_init__(self) -> None:
        _require(
            _is_int(self.value),
            f"a number must be an integer of size at most {MAX_INTEGER}",
            self.value,
            "truths are Constant(True).",
        )


@dataclass(frozen=True, slots=True)
class Sum(_Placed):
    """An integer-linear form: counts times integers, added up. One term alone has a factor other than 1."""

    terms: tuple[tuple[int, Expression], ...]

    def __post_init__(self) -> None:
        _require(
            all(_is_int(factor) for factor, _ in self.terms) and bool(self.terms) and self._is_proper(),
            f"a sum has two or more terms, or one with a factor other than 1, and factors of size at most {MAX_INTEGER}",
            self.terms,
            "use total(terms) for any terms.",
        )

    def _is_proper(self) -> bool:
        return len(self.terms) > 1 or self.terms[0][0] != 1


@dataclass(frozen=True, slots=True)
class Count(_Placed):
    """How many positions up to and including this one satisfy the body."""

    body: Expression


@dataclass(frozen=True, slots=True)
class CountBefore(_Placed):
    """How many positions strictly before this one satisfy the body."""

    body: Expression


@dataclass(frozen=True, slots=True)
class CountAt(_Placed):
    """How many of the positions at these distances back satisfy the body; a local relation."""

    body: Expression
    distances: tuple[int, ...]

    def __post_init__(self) -> None:
        distances = self.distances
        _require(
            bool(distances) and all(_is_int(each) and 0 <= each <= MAX_DISTANCE for each in distances),
            f"distances are one or more integers from 0 to {MAX_DISTANCE}",
            distances,
            "for example (1,) for the previous position.",
        )
        object.__setattr__(self, "distances", tuple(sorted(set(distances))))


@dataclass(frozen=True, slots=True)
class Choice(_Placed):
    """The first count where the condition holds, the second elsewhere."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Name(_Placed):
    """Whatever an earlier definition of this name says."""

    name: str

    def __post_init__(self) -> None:
        _require_name(self.name)


Expression = (
    Symbol | Constant | Not | And | Or | Modulo | Compare | Number | Sum | Count | CountBefore | CountAt | Choice | Name
)
Counting = Count | CountBefore | CountAt


@dataclass(frozen=True, slots=True)
class Definition(_Placed):
    """A name for an expression; it may use the names defined before it."""

    name: str
    body: Expression


@dataclass(frozen=True, slots=True)
class Next(_Placed):
    """When a symbol comes next."""

    symbol: str
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A C-RASP program: definitions, and from them whether a word is accepted or which symbols come next.

    ``start`` is a symbol put before every word. ``stop`` is a symbol that ends a generated word. ``readout`` says where
    acceptance is read: at the last symbol, or at one more position, the end marker, that carries no symbol at all.
    """

    alphabet: Alphabet
    definitions: tuple[Definition, ...] = ()
    accept: Expression | None = None
    next: tuple[Next, ...] = ()
    readout: Readout = Readout.LAST_SYMBOL
    start: str | None = None
    stop: str | None = None

    def __repr__(self) -> str:
        lines = len(self.definitions) + (len(self.next) or 1)
        return f"<Program: {lines} line{'s' * (lines > 1)} over {show_alphabet(self.alphabet)}>"

    def _repr_html_(self) -> str:
        """Return the program for a notebook, as it is written in a file."""
        from ..markup import escape
        from .printer import print_program

        lines = "\n".join(map(escape, print_program(self).splitlines()))
        return f"<pre>{lines}</pre>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alphabet", make_alphabet(self.alphabet))
        for marker, name in ((self.start, "start"), (self.stop, "stop")):
            if marker is not None:
                Symbol(marker)
                _require(
                    marker not in self.alphabet,
                    f"the {name} symbol is put there by the program and cannot be in its alphabet",
                    marker,
                    "choose another symbol.",
                )
        for definition in self.definitions:
            _require_name(definition.name)
        said = [each.symbol for each in self.next]
        _require(len(set(said)) == len(said), "a symbol comes next by one line only", said, "join the lines with 'or'.")
        _require(
            self.start is None or self.start != self.stop,
            "the start and the stop symbol differ",
            self.start,
            "choose another symbol.",
        )
        hint = "write 'accept := …', or a line \"next 'a' := …\" for every symbol."
        if self.accept is None and not self.next:
            told = "a program says what it accepts or which symbols come next; found neither."
            raise InvalidProgramError(told, hint=hint)
        _require(
            (self.accept is None) == bool(self.next),
            "a program says what it accepts or which symbols come next, and not both",
            tuple(each.name for each in self.outputs),
            hint,
        )

        _require(
            self.accept is not None or self.readout is Readout.LAST_SYMBOL,
            "which symbols come next is read at every position, so there is no end to read at",
            str(self.readout),
            "leave 'read at end' out.",
        )

    @property
    def is_generator(self) -> bool:
        """Whether the program says which symbols come next."""
        return self.accept is None

    @property
    def outputs(self) -> tuple[Definition, ...]:
        """What the program is about, as definitions: accept, or next for each symbol."""
        if self.accept is not None:
            return (Definition(ACCEPT, self.accept),)
        return tuple(Definition(next_name(each.symbol), each.body, span=each.span) for each in self.next)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol a position may carry: the start symbol, if there is one, and the alphabet."""
        return (*((self.start,) if self.start is not None else ()), *self.alphabet)


def next_name(symbol: str) -> str:
    """Return the name of the output that says when a symbol comes next."""
    return f"next {quote(symbol)}"


def quote(symbol: str) -> str:
    """Return a symbol in quotes, as programs write it."""
    inside = "".join(
        f"\\{each}" if each in "'\\" else each if each.isprintable() else f"\\u{{{ord(each):x}}}" for each in symbol
    )
    return f"'{inside}'"


def conjunction(parts: list[Expression]) -> Expression:
    """Return that all of these hold; with none of them, true."""
    if not parts:
        return Constant(True)
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def disjunction(parts: list[Expression]) -> Expression:
    """Return that at least one of these holds; with none of them, false."""
    if not parts:
        return Constant(False)
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def total(terms: list[tuple[int, Expression]]) -> Expression:
    """Return the sum of these terms; with none of them, 0."""
    if not terms:
        return Number(0)
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else Sum(tuple(terms))


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of an expression."""
    match node:
        case Not(part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Compare(_, left, right):
            return (left, right)
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Count(body) | CountBefore(body) | CountAt(body):
            return (body,)
        case Choice(condition, then, otherwise):
            return (condition, then, otherwise)
        case _:
            return ()


def walk(node: Expression) -> Iterator[Expression]:
    """Yield an expression and everything within it, from the left."""
    yield node
    for child in children(node):
        yield from walk(child)


def rebuild(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """Return the expression with other direct parts, as many as :func:`children` gives; it keeps its place."""
    span = node.span
    match node:
        case Not():
            return Not(parts[0], span=span)
        case And():
            return And(parts, span=span)
        case Or():
            return Or(parts, span=span)
        case Compare(sign):
            return Compare(sign, parts[0], parts[1], span=span)
        case Sum(terms):
            return Sum(tuple((factor, part) for (factor, _), part in zip(terms, parts, strict=True)), span=span)
        case Count():
            return Count(parts[0], span=span)
        case CountBefore():
            return CountBefore(parts[0], span=span)
        case CountAt(_, distances):
            return CountAt(parts[0], distances, span=span)
        case Choice():
            return Choice(parts[0], parts[1], parts[2], span=span)
        case _:
            return node
