"""Arithmetic as problems of circuits: numbers in any base, least significant digit first unless the name says otherwise.

A carry is never written, but it can be read off the digit that was written with it: z ≡ (what the digits give) + carry modulo the
base. Our reconstruction of arXiv 2510.04130, whose body we do not have; the wiring of addition and 1×N multiplication is the one
our tables are computed with.
"""

from __future__ import annotations

from ...names import shortest_name
from ...theory.positions.circuits import Circuit, Gate, Operator
from ...theory.positions.layout import DIGITS, Layout, Tokens, digits, spelled, value
from ...theory.positions.problem import NoCircuit, Problem

DEFAULT_BASE = 10
LEADING_ZEROS = "This is said of summands of n digits with leading zeros; the task's have none."
_COPYING_SUM = "with 0 as the other summand it is copying with repeats"
_COPYING_PRODUCT = "times 1 it is copying with repeats"


def addition_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return a_1..a_n + b_1..b_n = z_1..z_{n+1}, least significant digits first."""
    layout = _addition_layout("addition", "least significant digits first", base, reverse=False, padding=0)
    return Problem(layout=layout, circuit=_addition_circuit(layout, base, padding=0), copying=_COPYING_SUM)


def addition_plain_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return addition with the most significant digits first, as numbers are written."""
    return Problem(
        layout=_addition_layout("addition_plain", "most significant digits first", base, reverse=True, padding=0),
        limit=NoCircuit(
            step=lambda scale: 1,  # noqa: ARG005
            num_forced=lambda scale: 2 * scale,
            bound="2n",
            argument="the first digit is the last carry: of the largest number plus 1 it is 1, and 0 when any digit of the largest "
            "number is made smaller; the same with the summands exchanged.",
        ),
    )


def addition_padded_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return addition, least significant digits first, each summand with a 0 after its last digit: n+1 digits each."""
    definition = "least significant digits first, each summand followed by a 0"
    layout = _addition_layout("addition_padded", definition, base, reverse=False, padding=1)
    return Problem(layout=layout, circuit=_addition_circuit(layout, base, padding=1), copying=_COPYING_SUM)


def _addition_layout(name: str, definition: str, base: int, *, reverse: bool, padding: int) -> Layout:
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


def _addition_circuit(layout: Layout, base: int, *, padding: int) -> Circuit:
    """Return z_t = u(a_t, b_t, a_{t−1}, b_{t−1}, z_{t−1}); at t = 1 the three missing operands are wired to q."""

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


def mul_1xn_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return d * a_1..a_n = z_1..z_{n+1}, least significant digits first.

    z_t = u(d, a_t, a_{t−1}, z_{t−1}); a_0 is wired to `*`, a_{n+1} to `=`.
    """

    def digit_of_product(factor: str, digit: str, digit_before: str, written: str) -> str:
        before = _digit(factor, base) * _digit(digit_before, base)
        carried = before + (_digit(written, base) - before) % base
        carry = 0 if written == "=" else carried // base
        return DIGITS[(_digit(factor, base) * _digit(digit, base) + carry) % base]

    told = digits(base)
    layout = Layout(
        name=_named("mul_1xn", base),
        definition="a digit times a number, least significant digits first",
        alphabet=(*told, "*", "="),
        choices=lambda scale: (told,) * (scale + 1),
        prompt=lambda scale, free: (free[0], "*", *free[1:], "="),  # noqa: ARG005
        # the prompt has d, *, = and the digits of a: the product gets one digit more than a has
        answer=lambda shown: spelled(DIGITS.index(shown[0]) * value(shown[2:-1], base), base, len(shown) - 2),
        prompt_length=lambda scale: scale + 3,
        answer_length=lambda scale: scale + 1,
    )
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={"mul": Operator(name="mul", arity=4, apply=digit_of_product)},
        wire=lambda scale, step: Gate(operator="mul", operands=(0, step + 1, step, scale + step + 1)),
        note="z_t = u(d, a_t, a_{t−1}, z_{t−1})",
    )
    return Problem(layout=layout, circuit=circuit, copying=_COPYING_PRODUCT)


def mul_nxn_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return a_1..a_n * b_1..b_n = z_1..z_{2n}, least significant digits first."""
    told = digits(base)

    def answer(shown: Tokens) -> Tokens:
        middle = shown.index("*")
        return spelled(value(shown[:middle], base) * value(shown[middle + 1 : -1], base), base, 2 * middle)

    layout = Layout(
        name=_named("mul_nxn", base),
        definition="the product of two numbers, least significant digits first",
        alphabet=(*told, "*", "="),
        choices=lambda scale: (told,) * (2 * scale),
        prompt=lambda scale, free: (*free[:scale], "*", *free[scale:], "="),
        answer=answer,
        prompt_length=lambda scale: 2 * scale + 2,
        answer_length=lambda scale: 2 * scale,
    )
    limit = NoCircuit(
        step=lambda scale: scale,
        num_forced=lambda scale: 2 * scale,
        bound="2n",
        argument="a = base^(i−1) times b = base^(n−i) has 1 as its n-th digit and 0 before it, and a = 0 has 0 everywhere: the two "
        "differ in a_i only; the same with the factors exchanged.",
    )
    return Problem(layout=layout, limit=limit, copying=_COPYING_PRODUCT)


def increment_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return the next number, least significant digits first.

    z_t = u(a_t, a_{t−1}, z_{t−1}); a_{n+1} is wired to `=`, and at t = 1 a_0 to q.
    """

    def digit_of_next(digit: str, digit_before: str, written: str) -> str:
        carry = written == "=" or (written == "0" and digit_before == DIGITS[base - 1])
        return DIGITS[(_digit(digit, base) + carry) % base]

    def wire(scale: int, step: int) -> Gate:
        query = scale + step - 1
        return Gate(operator="next", operands=(step - 1, step - 2 if step > 1 else query, query))

    told = digits(base)
    layout = Layout(
        name=_named("increment", base),
        definition="the next number, least significant digits first",
        alphabet=(*told, "="),
        choices=lambda scale: (told,) * scale,
        prompt=lambda scale, free: (*free, "="),  # noqa: ARG005
        answer=lambda shown: spelled(value(shown[:-1], base) + 1, base, len(shown)),
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: scale + 1,
    )
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={"next": Operator(name="next", arity=3, apply=digit_of_next)},
        wire=wire,
        note="z_t = u(a_t, a_{t−1}, z_{t−1})",
    )
    return Problem(
        layout=layout, circuit=circuit, copying="after a first digit without a carry it is copying with repeats"
    )


def div_1_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return a_1..a_n / d = z_1..z_n, most significant digits first: z_t = u(d, a_t, a_{t−1}, z_{t−1}).

    The remainder is never written, but it is smaller than the base:
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

    layout = _division_layout(
        "div_1", "the quotient by one digit, most significant digits first", base, remainders=False
    )
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={"div": Operator(name="div", arity=4, apply=digit_of_quotient)},
        wire=wire,
        note="z_t = u(d, a_t, a_{t−1}, z_{t−1})",
    )
    return Problem(layout=layout, circuit=circuit, copying="divided by 1 it is copying with repeats")


def div_1_cot_problem(base: int = DEFAULT_BASE) -> Problem:
    """Return long division that also writes every remainder.

    z_t = u(d, a_t, r_{t−1}) and r_t = v(d, a_t, z_t): written remainders save one operand.
    """

    def digit_of_quotient(divisor: str, digit: str, rest: str) -> str:
        by = max(_digit(divisor, base), 1)
        return DIGITS[(_digit(rest, base) * base + _digit(digit, base)) // by % base]

    def remainder(divisor: str, digit: str, quotient: str) -> str:
        return DIGITS[(_digit(digit, base) - _digit(divisor, base) * _digit(quotient, base)) % base]

    def wire(scale: int, step: int) -> Gate:
        operator = "div" if step % 2 else "rest"
        return Gate(operator=operator, operands=(scale + 1, (step - 1) // 2, scale + step + 1))

    definition = "the quotient by one digit, most significant digits first, each digit followed by the remainder"
    layout = _division_layout("div_1_cot", definition, base, remainders=True)
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={
            "div": Operator(name="div", arity=3, apply=digit_of_quotient),
            "rest": Operator(name="rest", arity=3, apply=remainder),
        },
        wire=wire,
        note="z_t = u(d, a_t, r_{t−1}), r_t = v(d, a_t, z_t)",
    )
    return Problem(
        layout=layout, circuit=circuit, copying="divided by 1 it is copying with repeats, each digit followed by 0"
    )


def _division_layout(name: str, definition: str, base: int, *, remainders: bool) -> Layout:
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


def _named(name: str, base: int) -> str:
    return shortest_name(name, [base], [DEFAULT_BASE])


def _turn(tokens: Tokens, reverse: bool) -> Tokens:
    return tokens[::-1] if reverse else tokens


def _digit(symbol: str, base: int) -> int:
    """Return the value of a digit; any other symbol counts as 0."""
    return max(DIGITS.find(symbol, 0, base), 0)


PROBLEMS = {
    "addition": addition_problem,
    "addition_plain": addition_plain_problem,
    "addition_padded": addition_padded_problem,
    "mul_1xn": mul_1xn_problem,
    "mul_nxn": mul_nxn_problem,
    "div_1": div_1_problem,
    "div_1_cot": div_1_cot_problem,
    "increment": increment_problem,
}
