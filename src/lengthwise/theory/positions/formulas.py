"""Formulas for the entries of a matrix: exact arithmetic in i (key), j (query) and n (scale), read by hand and never executed.

::

    sum         product (("+" | "-") product)*
    product     signed (("*" | "/" | "//" | "%") signed)*
    signed      "-" signed | power
    power       atom ("^" signed)?                        2^-(j-i); -2^2 is -4
    atom        NUMBER | i | j | n | "(" sum ")" | "[" condition "]" | abs(sum) | min(sum, sum, …) | max(sum, sum, …)
    condition   both ("or" both)*                         [ … ] is 1 where the condition holds and 0 elsewhere
    both        test ("and" test)*                        what stands after a test that fails is not computed
    test        "not" test | sum (("=" | "!=" | "<" | "<=" | ">" | ">=") sum)+

Results are integers or fractions, never floats.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import NoReturn

from ...errors import CapExceededError, InvalidOptionError, did_you_mean, listed

Number = int | Fraction
Formula = Callable[[int, int, int], Fraction]
_Node = Callable[[int, int, int], Number]
_Test = Callable[[int, int, int], bool]

MAX_CHARACTERS = 1_000
MAX_NESTING = 50
MAX_BITS = 20_000  # of a power

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(//|\*\*|!=|<=|>=|==|[-+*/%^()\[\],=<>])|(\S))")
_SPELLINGS = {"−": "-", "·": "*", "×": "*", "≤": "<=", "≥": ">=", "≠": "!=", "**": "^", "==": "="}
_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_VARIABLES: dict[str, _Node] = {
    "i": lambda i, j, n: i,  # noqa: ARG005
    "j": lambda i, j, n: j,  # noqa: ARG005
    "n": lambda i, j, n: n,  # noqa: ARG005
}
_FUNCTIONS: dict[str, Callable[[list[Number]], Number]] = {
    "abs": lambda given: max(given[0], -given[0]),
    "min": min,
    "max": max,
}


def parse_formula(text: str) -> tuple[Formula, frozenset[str]]:
    """Return the function (i, j, n) → entry that a formula describes, and which of i, j and n it mentions.

    >>> entry, mentioned = parse_formula("2^-(j-i) + [i = n]/3")
    >>> entry(1, 3, 3), entry(3, 3, 3), sorted(mentioned)
    (Fraction(1, 4), Fraction(4, 3), ['i', 'j', 'n'])
    """
    reader = _Reader(text)
    node = reader.sum()
    if reader.token:
        reader.fail(f"{reader.token!r} was not expected", "join the parts with an operator, as in 2*i.")
    return lambda i, j, n: Fraction(node(i, j, n)), frozenset(reader.mentioned)


class _Reader:
    """A reader by recursive descent: every method reads one rule of the grammar and returns a function of (i, j, n)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.mentioned: set[str] = set()
        self._depth = 0
        if not text.strip():
            raise InvalidOptionError("the formula is empty.", hint='write one in i, j and n, such as "[j - i < 3]".')
        if len(text) > MAX_CHARACTERS:
            raise CapExceededError(
                f"the formula has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read.",
                hint="give the matrix itself instead.",
            )
        self._tokens = self._split()
        self._next = 0

    def _split(self) -> list[tuple[str, int]]:
        tokens = []
        end = 0
        while match := _TOKEN.match(self.text, end):
            place = match.start(match.lastindex or 0)
            token = _SPELLINGS.get(match.group(0).strip(), match.group(0).strip())
            if match.group(4) and token not in ("-", "*", "<=", ">=", "!="):
                self.fail(f"the unknown symbol {token!r}", "use numbers, i, j, n, + - * / // % ^, ( ) and [ ].", place)
            tokens.append((token, place))
            end = match.end()
        return tokens

    def fail(self, what: str, hint: str, place: int | None = None) -> NoReturn:
        """Raise the error for a formula that cannot be read, with the character at which that shows."""
        if place is None:
            place = self.place
        where = "the end" if place >= len(self.text.rstrip()) else f"character {place + 1}"
        raise InvalidOptionError(f"formula {self.text!r} cannot be read: {what} at {where}.", hint=hint)

    @property
    def token(self) -> str:
        """The token that comes next; empty at the end."""
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    @property
    def place(self) -> int:
        """Where the next token begins."""
        return self._tokens[self._next][1] if self._next < len(self._tokens) else len(self.text)

    def take(self, *expected: str) -> str:
        """Return the next token and go on if it is one of those expected; otherwise return nothing and stay."""
        token = self.token
        if token not in expected or not token:
            return ""
        self._next += 1
        return token

    def require(self, token: str, hint: str) -> None:
        """Go on past a token that must be there."""
        if not self.take(token):
            self.fail(f"{token!r} is missing", hint)

    def sum(self) -> _Node:
        """Read a sum."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            self.fail(f"brackets are nested more than {MAX_NESTING} deep", "write it flatter, or give the matrix.")
        node = self.product()
        while sign := self.take("+", "-"):
            node = _add(node, self.product()) if sign == "+" else _subtract(node, self.product())
        self._depth -= 1
        return node

    def product(self) -> _Node:
        """Read a product."""
        node = self.signed()
        place = self.place
        while sign := self.take("*", "/", "//", "%"):
            other = self.signed()
            node = _multiply(node, other) if sign == "*" else self._divide(sign, node, other, place)
            place = self.place
        return node

    def signed(self) -> _Node:
        """Read a power with any number of minus signs before it."""
        minus = False
        while self.take("-"):
            minus = not minus
        node = self.power()
        return _negate(node) if minus else node

    def power(self) -> _Node:
        """Read an atom, perhaps with an exponent."""
        base = self.atom()
        place = self.place
        if not self.take("^"):
            return base
        self._depth += 1
        if self._depth > MAX_NESTING:
            self.fail(f"exponents are nested more than {MAX_NESTING} deep", "write it flatter, or give the matrix.")
        exponent = self.signed()
        self._depth -= 1
        return self._raise(base, exponent, place)

    def atom(self) -> _Node:
        """Read a number, a variable, a function or something in brackets."""
        token = self.token
        if token[:1].isdigit():
            self._next += 1
            return _constant(token)
        if token in _VARIABLES:
            self._next += 1
            self.mentioned.add(token)
            return _VARIABLES[token]
        if token in _FUNCTIONS:
            return self._function(token)
        if self.take("("):
            node = self.sum()
            if self.token in _COMPARISONS:
                self.fail("a comparison in round brackets", "write conditions in square brackets, as in [i = j].")
            self.require(")", "close the bracket.")
            return node
        if self.take("["):
            test = self.condition()
            self.require("]", "close the bracket: [ … ] is 1 where the condition holds and 0 elsewhere.")
            return _indicator(test)
        if token[:1].isalpha() or token[:1] == "_":
            known = [*_VARIABLES, *_FUNCTIONS]
            close = did_you_mean(token, [name for name in known if len(name) > 1])
            hint = f"did you mean {close!r}?" if close else f"known are {listed(known)}."
            self.fail(f"the unknown symbol {token!r}", hint)
        what = f"{token!r} stands where a value should" if token else "a value is missing"
        self.fail(what, "write a number, i, j, n, or something in brackets.")

    def condition(self) -> _Test:
        """Read tests with and, or."""
        test = self._both()
        while self.take("or"):
            test = _either(test, self._both())
        return test

    def _both(self) -> _Test:
        test = self._test()
        while self.take("and"):
            test = _both(test, self._test())
        return test

    def _test(self) -> _Test:
        negated = False
        while self.take("not"):
            negated = not negated
        left = self.sum()
        if self.token not in _COMPARISONS:
            self.fail("a comparison is missing", "compare two values, as in [j - i < 3].")
        test = None
        while sign := self.take(*_COMPARISONS):
            right = self.sum()
            step = _compare(_COMPARISONS[sign], left, right)
            test = step if test is None else _both(test, step)
            left = right
        assert test is not None
        return _not(test) if negated else test

    def _function(self, name: str) -> _Node:
        place = self.place
        self._next += 1
        self.require("(", f"write {name}( … ).")
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.require(")", "close the bracket.")
        if name == "abs" and len(arguments) != 1:
            self.fail(f"abs has {len(arguments)} values", "give it one.", place)
        apply = _FUNCTIONS[name]
        return lambda i, j, n: apply([argument(i, j, n) for argument in arguments])

    def _divide(self, sign: str, above: _Node, below: _Node, place: int) -> _Node:
        def quotient(i: int, j: int, n: int) -> Number:
            divisor = below(i, j, n)
            if not divisor:
                self._stop("divides by zero", place, i, j, n)
            dividend = above(i, j, n)
            if sign == "/":
                return Fraction(dividend) / divisor
            return dividend // divisor if sign == "//" else dividend % divisor

        return quotient

    def _raise(self, base: _Node, exponent: _Node, place: int) -> _Node:
        def power(i: int, j: int, n: int) -> Number:
            root, times = Fraction(base(i, j, n)), Fraction(exponent(i, j, n))
            if times.denominator != 1:
                self._stop(f"has the exponent {times}, which is no integer,", place, i, j, n)
            if not root and times < 0:
                self._stop("divides by zero", place, i, j, n)
            bits = max(root.numerator.bit_length(), root.denominator.bit_length())
            if abs(root) != 1 and root and bits * abs(times) > MAX_BITS:
                raise CapExceededError(
                    f"formula {self.text!r} makes a number of more than {MAX_BITS:,} bits at i = {i}, j = {j}, n = {n} "
                    f"(character {place + 1}).",
                    hint="use a smaller exponent or a smaller scale.",
                )
            if abs(root) == 1:
                return root if times.numerator % 2 else 1
            return root**times.numerator

        return power

    def _stop(self, what: str, place: int, i: int, j: int, n: int) -> NoReturn:
        raise InvalidOptionError(
            f"formula {self.text!r} {what} at i = {i}, j = {j}, n = {n} (character {place + 1}).",
            hint="it needs a value for all 1 ≤ i ≤ j ≤ n; [ … and … ] does not compute what stands after a failed test.",
        )


def _constant(token: str) -> _Node:
    value = Fraction(token) if "." in token else int(token)
    return lambda i, j, n: value  # noqa: ARG005


def _add(one: _Node, two: _Node) -> _Node:
    return lambda i, j, n: one(i, j, n) + two(i, j, n)


def _subtract(one: _Node, two: _Node) -> _Node:
    return lambda i, j, n: one(i, j, n) - two(i, j, n)


def _multiply(one: _Node, two: _Node) -> _Node:
    return lambda i, j, n: one(i, j, n) * two(i, j, n)


def _negate(one: _Node) -> _Node:
    return lambda i, j, n: -one(i, j, n)


def _indicator(test: _Test) -> _Node:
    return lambda i, j, n: int(test(i, j, n))


def _compare(holds: Callable[[Number, Number], bool], one: _Node, two: _Node) -> _Test:
    return lambda i, j, n: holds(one(i, j, n), two(i, j, n))


def _both(one: _Test, two: _Test) -> _Test:
    return lambda i, j, n: one(i, j, n) and two(i, j, n)


def _either(one: _Test, two: _Test) -> _Test:
    return lambda i, j, n: one(i, j, n) or two(i, j, n)


def _not(test: _Test) -> _Test:
    return lambda i, j, n: not test(i, j, n)
