"""Layouts: how the instances of a problem at a scale are written as a prompt and its answer.

The full sequence is prompt + answer, positions start at 0. A layout is what a sequential circuit is wired for and what the search
for circuits enumerates; the definitions are our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random

from ...errors import CapExceededError, InvalidOptionError

Tokens = tuple[str, ...]
Instance = tuple[Tokens, Tokens]

EQUALS = "="
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How one problem is written: the free symbols of a scale make a prompt, and a prompt has one answer.

    ``choices(n)`` lists, for every free place of scale n, the symbols that may stand there; ``prompt(n, free)`` sets the chosen
    symbols among the fixed ones; ``answer(prompt)`` is the oracle, plain and obvious.
    """

    name: str
    definition: str
    alphabet: Tokens  # every symbol that may stand in a prompt or an answer, in a fixed order
    choices: Callable[[int], tuple[Tokens, ...]]
    prompt: Callable[[int, Tokens], Tokens]
    answer: Callable[[Tokens], Tokens]
    prompt_length: Callable[[int], int]
    answer_length: Callable[[int], int]
    max_scale: int | None = None  # a layout of fixed width has one

    def check_scale(self, scale: int) -> None:
        """Raise an error unless the layout has instances of this scale."""
        if scale < 1:
            raise InvalidOptionError(f"scale {scale} is too small for {self.name}: scales start at 1.", hint="use 1.")
        if self.max_scale is not None and scale > self.max_scale:
            raise CapExceededError(
                f"scale {scale} is past the cap of {self.name}, whose prompts are {self.max_scale} wide.",
                hint=f"use scales up to {self.max_scale}, or a wider layout.",
            )

    def num_free(self, scale: int) -> int:
        """Return the number of free symbols of a scale."""
        return len(self.choices(scale))

    def num_instances(self, scale: int) -> int:
        """Return the number of instances of a scale, without making them."""
        return prod(map(len, self.choices(scale)))

    def instances(self, scale: int) -> Iterator[Instance]:
        """Yield every prompt of a scale with its answer, in a fixed order."""
        self.check_scale(scale)
        for free in product(*self.choices(scale)):
            yield self.instance(scale, free)

    def sample(self, scale: int, random: Random) -> Instance:
        """Return a uniform instance of a scale."""
        self.check_scale(scale)
        return self.instance(scale, tuple(random.choice(symbols) for symbols in self.choices(scale)))

    def instance(self, scale: int, free: Tokens) -> Instance:
        """Return the instance with these free symbols."""
        prompt = self.prompt(scale, free)
        return prompt, self.answer(prompt)


def word_layout(
    name: str,
    definition: str,
    symbols: str,
    answer: Callable[[Tokens], Sequence[str]],
    answer_length: Callable[[int], int] = lambda scale: scale,
) -> Layout:
    """Return the layout of a problem about a word: x_0 … x_{n−1} = y_1 … y_m, the prompt ending with `=` at position n.

    ``answer`` sees the word without `=`. Symbols other than 0 and 1 are part of the name.
    """
    told = check_symbols(symbols)
    return Layout(
        name=name_with_symbols(name, symbols),
        definition=definition,
        alphabet=(*told, EQUALS),
        choices=lambda scale: (told,) * scale,
        prompt=lambda scale, free: (*free, EQUALS),  # noqa: ARG005
        answer=lambda prompt: tuple(answer(prompt[:-1])),
        prompt_length=lambda scale: scale + 1,
        answer_length=answer_length,
    )


def name_with_symbols(name: str, symbols: str) -> str:
    """Return the name of a problem about words, with its symbols where they are not 0 and 1.

    >>> name_with_symbols("copy", "01"), name_with_symbols("copy", "ab"), name_with_symbols("shift(2)", "ab")
    ('copy', 'copy(ab)', 'shift(2, ab)')
    """
    if symbols == "01":
        return name
    return f"{name[:-1]}, {symbols})" if name.endswith(")") else f"{name}({symbols})"


def check_at_least_1(name: str, number: int, what: str) -> None:
    """Raise an error unless a parameter of a problem is at least 1."""
    if number < 1:
        raise InvalidOptionError(f"{name}({number}) is not allowed: {what} is at least 1.", hint="use 1 or 2.")


def digits(base: int) -> Tokens:
    """Return the digits of a base, smallest first.

    >>> digits(3)
    ('0', '1', '2')
    """
    if not 2 <= base <= len(DIGITS):
        raise InvalidOptionError(f"base {base} is not allowed: 2 to {len(DIGITS)}.", hint="use base 10.")
    return tuple(DIGITS[:base])


def value(tokens: Tokens, base: int) -> int:
    """Return the number that digits spell, least significant first.

    >>> value(("0", "1", "1"), 2)
    6
    """
    number = 0
    for token in reversed(tokens):
        number = number * base + DIGITS.index(token)
    return number


def spelled(number: int, base: int, width: int) -> Tokens:
    """Return the digits of a number, least significant first, exactly so many.

    >>> spelled(6, 2, 4)
    ('0', '1', '1', '0')
    """
    told = []
    for _ in range(width):
        number, digit = divmod(number, base)
        told.append(DIGITS[digit])
    assert number == 0, "the number has more digits than that"
    return tuple(told)


def check_symbols(symbols: str, *, least: int = 2, taken: str = "=_") -> Tokens:
    """Return the symbols of a word problem, or raise an error when they cannot be told apart."""
    if len(set(symbols)) != len(symbols) or len(symbols) < least or set(symbols) & set(taken):
        raise InvalidOptionError(
            f"symbols {symbols!r} are not allowed: at least {least}, all different, none of {taken!r}.",
            hint="use symbols such as '01' or 'abc'.",
        )
    return tuple(symbols)
