"""Layouts of arithmetic: numbers in any base, least significant digit first unless the name says otherwise.

Our reconstruction of arXiv 2510.04130, whose body we do not have.
"""

from __future__ import annotations

from collections.abc import Callable

from .layout import DIGITS, Layout, Tokens, digits, spelled, value

DEFAULT_BASE = 10


def _named(name: str, base: int) -> str:
    return name if base == DEFAULT_BASE else f"{name}({base})"


def addition(base: int = DEFAULT_BASE) -> Layout:
    """Return a_1..a_n + b_1..b_n = z_1..z_{n+1}, least significant digits first."""
    return _addition("addition", "least significant digits first", base, reverse=False, padding=0)


def addition_plain(base: int = DEFAULT_BASE) -> Layout:
    """Return addition with the most significant digits first, as numbers are written."""
    return _addition("addition_plain", "most significant digits first", base, reverse=True, padding=0)


def addition_padded(base: int = DEFAULT_BASE) -> Layout:
    """Return addition, least significant digits first, each summand with a 0 after its last digit: n+1 digits each."""
    definition = "least significant digits first, each summand followed by a 0"
    return _addition("addition_padded", definition, base, reverse=False, padding=1)


def _addition(name: str, definition: str, base: int, *, reverse: bool, padding: int) -> Layout:
    told = digits(base)
    zeros = ("0",) * padding

    def prompt(scale: int, free: Tokens) -> Tokens:
        return (*free[:scale], *zeros, "+", *free[scale:], *zeros, "=")

    def answer(shown: Tokens) -> Tokens:
        middle = shown.index("+")
        one, two = (_turn(part, reverse) for part in (shown[:middle], shown[middle + 1 : -1]))
        return _turn(spelled(value(one, base) + value(two, base), base, middle - padding + 1), reverse)

    return Layout(
        name=_named(name, base),
        definition=f"the sum of two numbers, {definition}",
        alphabet=(*told, "+", "="),
        choices=lambda scale: (told,) * (2 * scale),
        prompt=prompt,
        answer=answer,
        prompt_length=lambda scale: 2 * (scale + padding) + 2,
        answer_length=lambda scale: scale + 1,
    )


def mul_1xn(base: int = DEFAULT_BASE) -> Layout:
    """Return d * a_1..a_n = z_1..z_{n+1}, least significant digits first."""
    return _digit_first(
        "mul_1xn",
        "a digit times a number, least significant digits first",
        base,
        # the prompt has d, *, = and the digits of a: the product gets one digit more than a has
        lambda shown: spelled(DIGITS.index(shown[0]) * value(shown[2:-1], base), base, len(shown) - 2),
    )


def _digit_first(name: str, definition: str, base: int, answer: Callable[[Tokens], Tokens]) -> Layout:
    told = digits(base)
    return Layout(
        name=_named(name, base),
        definition=definition,
        alphabet=(*told, "*", "="),
        choices=lambda scale: (told,) * (scale + 1),
        prompt=lambda scale, free: (free[0], "*", *free[1:], "="),  # noqa: ARG005
        answer=answer,
        prompt_length=lambda scale: scale + 3,
        answer_length=lambda scale: scale + 1,
    )


def mul_nxn(base: int = DEFAULT_BASE) -> Layout:
    """Return a_1..a_n * b_1..b_n = z_1..z_{2n}, least significant digits first."""
    told = digits(base)

    def answer(shown: Tokens) -> Tokens:
        middle = shown.index("*")
        return spelled(value(shown[:middle], base) * value(shown[middle + 1 : -1], base), base, 2 * middle)

    return Layout(
        name=_named("mul_nxn", base),
        definition="the product of two numbers, least significant digits first",
        alphabet=(*told, "*", "="),
        choices=lambda scale: (told,) * (2 * scale),
        prompt=lambda scale, free: (*free[:scale], "*", *free[scale:], "="),
        answer=answer,
        prompt_length=lambda scale: 2 * scale + 2,
        answer_length=lambda scale: 2 * scale,
    )


def div_1(base: int = DEFAULT_BASE) -> Layout:
    """Return a_1..a_n / d = z_1..z_n, most significant digits first: the quotient by a digit that is not 0."""
    return _division("div_1", "the quotient by one digit, most significant digits first", base, remainders=False)


def div_1_cot(base: int = DEFAULT_BASE) -> Layout:
    """Return a_1..a_n / d = z_1 r_1 … z_n r_n: long division that also writes every remainder."""
    definition = "the quotient by one digit, most significant digits first, each digit followed by the remainder"
    return _division("div_1_cot", definition, base, remainders=True)


def _division(name: str, definition: str, base: int, *, remainders: bool) -> Layout:
    told = digits(base)

    def answer(shown: Tokens) -> Tokens:
        divisor, rest = DIGITS.index(shown[-2]), 0
        written: list[str] = []
        for digit in shown[:-3]:
            digit_of_quotient, rest = divmod(rest * base + DIGITS.index(digit), divisor)
            written.append(DIGITS[digit_of_quotient])
            written.extend(DIGITS[rest] if remainders else "")
        return tuple(written)

    return Layout(
        name=_named(name, base),
        definition=definition,
        alphabet=(*told, "/", "="),
        choices=lambda scale: (*(told,) * scale, told[1:]),
        prompt=lambda scale, free: (*free[:scale], "/", free[scale], "="),
        answer=answer,
        prompt_length=lambda scale: scale + 3,
        answer_length=lambda scale: 2 * scale if remainders else scale,
    )


def increment(base: int = DEFAULT_BASE) -> Layout:
    """Return a_1..a_n = z_1..z_{n+1}: the next number, least significant digits first."""
    told = digits(base)
    return Layout(
        name=_named("increment", base),
        definition="the next number, least significant digits first",
        alphabet=(*told, "="),
        choices=lambda scale: (told,) * scale,
        prompt=lambda scale, free: (*free, "="),  # noqa: ARG005
        answer=lambda shown: spelled(value(shown[:-1], base) + 1, base, len(shown)),
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: scale + 1,
    )


def _turn(tokens: Tokens, reverse: bool) -> Tokens:
    return tokens[::-1] if reverse else tokens
