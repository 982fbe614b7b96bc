"""Circuits for arithmetic; each is verified by the tests against its layout.

A carry is never written, but it can be read off the digit that was written with it: z ≡ (what the digits give) + carry modulo the
base. Our reconstruction of arXiv 2510.04130; the wiring of addition and 1×N multiplication is the one our tables are computed with.
"""

from __future__ import annotations

from . import layouts_numbers as numbers
from .circuits import Circuit, Gate, Operator
from .layout import DIGITS, Layout
from .layouts_numbers import DEFAULT_BASE


def addition(base: int = DEFAULT_BASE) -> Circuit:
    """Return z_t = u(a_t, b_t, a_{t−1}, b_{t−1}, z_{t−1}); at t = 1 the three missing operands are wired to q."""
    return _addition(numbers.addition(base), base, padding=0)


def addition_padded(base: int = DEFAULT_BASE) -> Circuit:
    """Return addition wired in the same way for summands with a 0 after the last digit."""
    return _addition(numbers.addition_padded(base), base, padding=1)


def _addition(layout: Layout, base: int, *, padding: int) -> Circuit:
    def digit_of_sum(one: str, two: str, one_before: str, two_before: str, written: str) -> str:
        before = _digit(one_before, base) + _digit(two_before, base)
        carried = before + (_digit(written, base) - before) % base  # what z_{t−1} shows of the carry into it
        carry = 0 if written == "=" else carried // base
        return DIGITS[(_digit(one, base) + _digit(two, base) + carry) % base]

    def wire(scale: int, step: int) -> Gate:
        second = scale + padding  # the position of +; b_t stands t after it, and a_{n+1} is + itself
        query = 2 * second + step
        before = (step - 2, second + step - 1) if step > 1 else (query, query)
        return Gate(operator="add", operands=(step - 1, second + step, *before, query))

    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"add": Operator(name="add", arity=5, apply=digit_of_sum)},
        wire=wire,
        note="z_t = u(a_t, b_t, a_{t−1}, b_{t−1}, z_{t−1})",
    )


def mul_1xn(base: int = DEFAULT_BASE) -> Circuit:
    """Return z_t = u(d, a_t, a_{t−1}, z_{t−1}); a_0 is wired to `*`, a_{n+1} to `=`."""

    def digit_of_product(factor: str, digit: str, digit_before: str, written: str) -> str:
        before = _digit(factor, base) * _digit(digit_before, base)
        carried = before + (_digit(written, base) - before) % base
        carry = 0 if written == "=" else carried // base
        return DIGITS[(_digit(factor, base) * _digit(digit, base) + carry) % base]

    layout = numbers.mul_1xn(base)
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"mul": Operator(name="mul", arity=4, apply=digit_of_product)},
        wire=lambda scale, step: Gate(operator="mul", operands=(0, step + 1, step, scale + step + 1)),
        note="z_t = u(d, a_t, a_{t−1}, z_{t−1})",
    )


def increment(base: int = DEFAULT_BASE) -> Circuit:
    """Return z_t = u(a_t, a_{t−1}, z_{t−1}); a_{n+1} is wired to `=`, and at t = 1 a_0 to q."""

    def digit_of_next(digit: str, digit_before: str, written: str) -> str:
        carry = written == "=" or (written == "0" and digit_before == DIGITS[base - 1])
        return DIGITS[(_digit(digit, base) + carry) % base]

    def wire(scale: int, step: int) -> Gate:
        query = scale + step - 1
        return Gate(operator="next", operands=(step - 1, step - 2 if step > 1 else query, query))

    layout = numbers.increment(base)
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"next": Operator(name="next", arity=3, apply=digit_of_next)},
        wire=wire,
        note="z_t = u(a_t, a_{t−1}, z_{t−1})",
    )


def div_1(base: int = DEFAULT_BASE) -> Circuit:
    """Return z_t = u(d, a_t, a_{t−1}, z_{t−1}): the remainder is never written, but it is smaller than the base.

    r_{t−1} = base·r_{t−2} + a_{t−1} − d·z_{t−1} and 0 ≤ r_{t−1} < d < base, so that r_{t−1} = (a_{t−1} − d·z_{t−1}) mod base.
    At t = 1 the missing a_0 is wired to `/`, and z_0 is `=`, which says that there is no remainder yet.
    """

    def digit_of_quotient(divisor: str, digit: str, digit_before: str, written: str) -> str:
        by = max(_digit(divisor, base), 1)
        rest = 0 if written == "=" else (_digit(digit_before, base) - by * _digit(written, base)) % base
        return DIGITS[(rest * base + _digit(digit, base)) // by % base]

    def wire(scale: int, step: int) -> Gate:
        before = step - 2 if step > 1 else scale
        return Gate(operator="div", operands=(scale + 1, step - 1, before, scale + step + 1))

    layout = numbers.div_1(base)
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"div": Operator(name="div", arity=4, apply=digit_of_quotient)},
        wire=wire,
        note="z_t = u(d, a_t, a_{t−1}, z_{t−1})",
    )


def div_1_cot(base: int = DEFAULT_BASE) -> Circuit:
    """Return z_t = u(d, a_t, r_{t−1}) and r_t = v(d, a_t, z_t): written remainders save one operand."""

    def digit_of_quotient(divisor: str, digit: str, rest: str) -> str:
        by = max(_digit(divisor, base), 1)
        return DIGITS[(_digit(rest, base) * base + _digit(digit, base)) // by % base]

    def remainder(divisor: str, digit: str, quotient: str) -> str:
        return DIGITS[(_digit(digit, base) - _digit(divisor, base) * _digit(quotient, base)) % base]

    def wire(scale: int, step: int) -> Gate:
        operator = "div" if step % 2 else "rest"
        return Gate(operator=operator, operands=(scale + 1, (step - 1) // 2, scale + step + 1))

    layout = numbers.div_1_cot(base)
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={
            "div": Operator(name="div", arity=3, apply=digit_of_quotient),
            "rest": Operator(name="rest", arity=3, apply=remainder),
        },
        wire=wire,
        note="z_t = u(d, a_t, r_{t−1}), r_t = v(d, a_t, z_t)",
    )


def _digit(symbol: str, base: int) -> int:
    """Return the value of a digit; any other symbol counts as 0."""
    return max(DIGITS.find(symbol, 0, base), 0)
