"""Finite groups by name: cyclic Z_n, symmetric S_n, alternating A_n, and their direct products such as Z2xS3."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product

from ..errors import InvalidOptionError
from .family import Parameter

MAX_ORDER = 120
_FACTOR = re.compile(r"(Z)([1-9][0-9]?)|(S)([2-5])|(A)([3-5])")
_ALLOWED = "Z2 to Z60, S2 to S5, A3 to A5, or a product of these such as Z2xS3 of at most 120 elements"

Element = tuple[tuple[int, ...], ...]
"""For every factor of a product: (number,) for Z_n, the images of 0, 1, … for a permutation."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FiniteGroup:
    """A group with its elements, the identity first; ``multiply`` takes first its first argument, then its second."""

    name: str
    elements: tuple[Element, ...]
    multiply: Callable[[Element, Element], Element]
    table: list[list[int]]
    """The numbers of all products."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The elements as symbols: g3 in Z5, g021 in S3 for the permutation that takes 0, 1, 2 to 0, 2, 1."""
        return tuple("g" + ".".join("".join(map(str, part)) for part in element) for element in self.elements)

    @property
    def prime(self) -> int:
        """The smallest prime that divides the order: some element has this order."""
        order = len(self.elements)
        return next(prime for prime in range(2, order + 1) if order % prime == 0)


def find_group(name: str, family: str = "word_problem") -> FiniteGroup:
    """Return the group of a name; raise if there is none.

    >>> len(find_group("A5").elements), find_group("Z2xZ2").symbols
    (60, ('g0.0', 'g0.1', 'g1.0', 'g1.1'))
    """
    factors = [_FACTOR.fullmatch(part) for part in name.split("x")]
    order = 1
    for factor in factors:
        order *= _order(factor) if factor else MAX_ORDER + 1
    if order > MAX_ORDER:
        raise InvalidOptionError(
            f"{family} takes the name of a group, {_ALLOWED}; found {name!r}.", hint=f"for example {family}(S5)."
        )
    kinds = [_kind_and_number(factor) for factor in factors if factor]
    elements = tuple(product(*(_elements(kind, number) for kind, number in kinds)))

    def multiply(one: Element, two: Element) -> Element:
        return tuple(
            ((left[0] + right[0]) % number,) if kind == "Z" else tuple(right[image] for image in left)
            for (kind, number), left, right in zip(kinds, one, two, strict=True)
        )

    numbers = {element: number for number, element in enumerate(elements)}
    table = [[numbers[multiply(one, two)] for two in elements] for one in elements]
    return FiniteGroup(name=name, elements=elements, multiply=multiply, table=table)


def _kind_and_number(factor: re.Match[str]) -> tuple[str, int]:
    kind, number = (part for part in factor.groups() if part)
    return kind, int(number)


def _order(factor: re.Match[str]) -> int:
    kind, number = _kind_and_number(factor)
    if kind == "Z":
        return number if 2 <= number <= 60 else MAX_ORDER + 1
    return len(_elements(kind, number))


def _elements(kind: str, number: int) -> list[tuple[int, ...]]:
    if kind == "Z":
        return [(value,) for value in range(number)]
    every = permutations(range(number))
    return [images for images in every if kind == "S" or _is_even(images)]


def _is_even(images: tuple[int, ...]) -> bool:
    """Say whether an even number of pairs is out of order."""
    return sum(one > two for place, one in enumerate(images) for two in images[place + 1 :]) % 2 == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupParameter(Parameter):
    """The name of a finite group."""

    def read(self, family: str, text: str) -> str:
        """Return the name; raise if there is no such group."""
        return find_group(text, family).name
