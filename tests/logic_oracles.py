"""Algebraic definitions of the languages of the logics of the past, on the syntactic semigroup, and nothing faster.

Elements are maps of states, made by closing the letters under composition. No code is shared with the deciders.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction

from lengthwise.languages.dfa import DFA

Element = tuple[int, ...]


def product(one: Element, two: Element) -> Element:
    return tuple(two[state] for state in one)


def letters_of(language: DFA) -> list[Element]:
    return [tuple(row[column] for row in language.transitions) for column in range(len(language.alphabet))]


def closure(generators: Iterable[Element], cap: int) -> set[Element] | None:
    """Return the semigroup of some maps, or None if it has more than ``cap`` elements."""
    generators = list(generators)
    found = set(generators)
    queue = list(found)
    for element in queue:
        for letter in generators:
            new = product(element, letter)
            if new not in found:
                if len(found) == cap:
                    return None
                found.add(new)
                queue.append(new)
    return found


def stable_semigroup(language: DFA) -> set[Element]:
    """Return the values of the words of one length s, the least for which they are those of the words of length 2s."""
    letters = set(letters_of(language))
    powers = [letters]  # the values of the words of length 1, 2, …
    for length in itertools.count(1):
        while len(powers) < 2 * length:
            powers.append({product(one, two) for one in powers[-1] for two in letters})
        if powers[length - 1] == powers[2 * length - 1]:
            return powers[length - 1]
    raise AssertionError("some length is stable")


def is_r_trivial(semigroup: set[Element]) -> bool:
    """Say whether x = y whenever x is in yS and y is in xS."""
    ideals = {one: {product(one, two) for two in semigroup} for one in semigroup}
    return not any(one != two and one in ideals[two] and two in ideals[one] for one in semigroup for two in ideals[one])


def is_locally_r_trivial(semigroup: set[Element]) -> bool:
    """Say whether eSe is R-trivial for every idempotent e."""
    idempotents = [e for e in semigroup if product(e, e) == e]
    return all(is_r_trivial({product(product(e, x), e) for x in semigroup}) for e in idempotents)


def is_definite(semigroup: set[Element]) -> bool:
    """Say whether xe = e for every idempotent e: what came before is forgotten."""
    idempotents = [e for e in semigroup if product(e, e) == e]
    return all(product(x, e) == e for e in idempotents for x in semigroup)


def is_aperiodic(semigroup: set[Element]) -> bool:
    """Say whether the powers of every element end in one element."""
    for element in semigroup:
        powers = [element]
        while (following := product(powers[-1], element)) not in powers:
            powers.append(following)
        if following != powers[-1]:
            return False
    return True


def expressible(language: DFA, cap: int) -> dict[str, bool] | None:
    """Return for every logic whether it expresses a language; None if the semigroup is too large to look at."""
    semigroup = closure(letters_of(language), cap)
    if semigroup is None:
        return None
    stable = stable_semigroup(language)
    definitions: dict[str, tuple[Callable[[set[Element]], bool], set[Element]]] = {
        "LTL[P]": (is_r_trivial, semigroup),
        "LTL[P,Y]": (is_locally_r_trivial, semigroup),
        "LTL[P,MOD]": (is_r_trivial, stable),
        "LTL[P,Y,MOD]": (is_locally_r_trivial, stable),
        "LTL[Y]": (is_definite, semigroup),
        "LTL[S]": (is_aperiodic, semigroup),
    }
    return {name: definition(elements) for name, (definition, elements) in definitions.items()}


# Potentials with roots of unity, in ℚ[x]/Φ

Polynomial = tuple[Fraction, ...]  # coefficients, the constant first


def cyclotomic(order: int) -> list[int]:
    """Return the coefficients of Φ: xⁿ − 1 divided by the Φ of all proper divisors of n."""
    result = [-1] + [0] * (order - 1) + [1]
    for divisor in range(1, order):
        if order % divisor == 0:
            by = cyclotomic(divisor)
            quotient = [0] * (len(result) - len(by) + 1)
            for place in range(len(quotient) - 1, -1, -1):
                quotient[place] = result[place + len(by) - 1]
                for shift, value in enumerate(by):
                    result[place + shift] -= quotient[place] * value
            result = quotient
    return result


class Field:
    """Exact numbers of ℚ[x]/Φ for one order; x is a root of unity of that order."""

    def __init__(self, order: int) -> None:
        self.modulus = [Fraction(value) for value in cyclotomic(order)]
        self.degree = len(self.modulus) - 1

    def make(self, values: Iterable[Fraction | int]) -> Polynomial:
        rest = [Fraction(value) for value in values]
        while len(rest) > self.degree:
            top = rest.pop()
            for place in range(self.degree):
                rest[len(rest) - self.degree + place] -= top * self.modulus[place]
        return tuple(rest + [Fraction(0)] * (self.degree - len(rest)))

    def times(self, one: Polynomial, two: Polynomial) -> Polynomial:
        result = [Fraction(0)] * (2 * self.degree)
        for left, value in enumerate(one):
            for right, other in enumerate(two):
                result[left + right] += value * other
        return self.make(result)

    def inverse(self, value: Polynomial) -> Polynomial:
        """Return what gives 1 with the value, by solving for its coefficients."""
        size = self.degree
        columns = [self.times(value, self.make([Fraction(0)] * place + [Fraction(1)])) for place in range(size)]
        rows = [[columns[column][row] for column in range(size)] + [Fraction(row == 0)] for row in range(size)]
        for column in range(size):
            pivot = next(row for row in range(column, size) if rows[row][column])
            rows[column], rows[pivot] = rows[pivot], rows[column]
            rows[column] = [entry / rows[column][column] for entry in rows[column]]
            for row in range(size):
                if row != column:
                    factor = rows[row][column]
                    rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
        return tuple(row[-1] for row in rows)

    def rank(self, rows: list[list[Polynomial]]) -> int:
        """Return the rank of a matrix, by Gauss."""
        rows = [list(row) for row in rows]
        zero = self.make([])
        rank = 0
        for column in range(len(rows[0]) if rows else 0):
            pivot = next((row for row in range(rank, len(rows)) if rows[row][column] != zero), None)
            if pivot is None:
                continue
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            inverse = self.inverse(rows[rank][column])
            for row in range(rank + 1, len(rows)):
                factor = self.times(rows[row][column], inverse)
                if factor != zero:
                    rows[row] = [
                        tuple(a - b for a, b in zip(one, self.times(factor, two), strict=True))
                        for one, two in zip(rows[row], rows[rank], strict=True)
                    ]
            rank += 1
        return rank


def rank_of_root_equations(language: DFA, members: list[int], blocks: list[list[int]], order: int) -> int:
    """Return the rank of ω·F(q·a) − F(q) − ω·F(q′·a) + F(q′) = 0 for q, q′ in one block, over ℚ[x]/Φ."""
    field = Field(order)
    place = {state: number for number, state in enumerate(members)}
    rows = []
    for block in blocks:
        for column in range(len(language.alphabet)):
            inside = [(q, t) for q in block if (t := language.transitions[q][column]) in place]
            for (q, target), (q2, target2) in itertools.pairwise(inside):
                row = [[Fraction(0), Fraction(0)] for _ in members]
                row[place[target]][1] += 1
                row[place[q]][0] -= 1
                row[place[target2]][1] -= 1
                row[place[q2]][0] += 1
                rows.append([field.make(entry) for entry in row])
    return field.rank(rows)
