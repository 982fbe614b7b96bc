"""Arithmetic modulo a small number: sums of digits, expressions with and without brackets, equations, polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import unsettled
from ..core.family import Family, Group
from ..core.host_tasks import HostTask, Numbers
from ..core.row_functions import is_inside, one_at, places, uniform
from ..core.task import OneSymbolTask

DIGITS = tuple("0123456789")
MODULUS = 5

State = Any
"""What an automaton remembers, written as tuples; None once the text is not as it should be."""

_CHOMSKY = "arXiv 2207.02098"

_OPEN = Facts(
    cited=(
        unsettled(
            "Nested brackets are not a regular language, so the automata here do not apply, and neither a program nor a proof that "
            "there is none is known. Without brackets the answer is NO."
        ),
    )
)


class SumModulo(OneSymbolTask):
    """The sum of decimal digits modulo k."""

    length_means = "the number of digits"
    symbols = DIGITS
    min_length = 1
    citation = "arXiv 2305.19466"

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        self.name = shortest_name("sum_mod", [modulus], [10])
        self.definition = f"the sum of uniform decimal digits modulo {modulus}"
        self.facts = Facts(language=_language(DIGITS, 0, lambda state, digit: (state + int(digit)) % modulus))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum modulo k."""
        return [str(sum(map(int, prompt)) % self.modulus)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits and their sum modulo k."""
        digits = uniform(draw.named("digits"), 10, lengths_MB, max_length)
        total = xp.where(is_inside(lengths_MB, max_length, xp), digits, 0).sum(-1)
        return digits, (total % self.modulus)[..., None]


class ModularArithmetic(OneSymbolTask):
    """The value of an expression without brackets, modulo k; products before sums."""

    min_length = 1
    citation = _CHOMSKY
    length_means = "the number of symbols of the expression, which is odd"

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus
        self.name = shortest_name("mod_arith", [modulus], [MODULUS])
        self.definition = f"the value modulo {modulus} of uniform digits with uniform +, - and * between them, * first"
        self.symbols = (*DIGITS[:modulus], "+", "-", "*")
        self.facts = Facts(language=_language(self.symbols, (0, 1, "*"), self._step, self._is_zero))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: odd ones."""
        return tuple(length for length in super().lengths(low, high) if length % 2)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the value: products of digits, added up with their signs."""
        terms = "".join(prompt).replace("-", "+-").split("+")
        value = 0
        for term in terms:
            product = -1 if term.startswith("-") else 1
            for digit in term.lstrip("-").split("*"):
                product *= int(digit)
            value += product
        return [str(value % self.modulus)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits and operators in turn, and the value, from left to right with the last term kept apart."""
        digits = uniform(draw.named("digits"), self.modulus, lengths_MB, max_length)
        operators = uniform(draw.named("operators"), 3, lengths_MB, max_length)
        text = xp.where(places(lengths_MB, max_length, xp) % 2 == 0, digits, operators + self.modulus)
        finished, term = lengths_MB * 0, digits[..., 0]
        values = [term]
        for place in range(2, max_length, 2):
            operator, digit = operators[..., place - 1], digits[..., place]
            is_product = operator == 2
            finished = xp.where(is_product, finished, finished + term)
            signed = xp.where(operator == 1, self.modulus - digit, digit)
            term = xp.where(is_product, term * digit, signed) % self.modulus
            values.append((finished + term) % self.modulus)
        return text, one_at(xp.stack_last(values), (lengths_MB - 1) // 2, xp)[..., None]

    def _step(self, state: State, symbol: str) -> State:
        """Return the sum of finished terms, the term under way and the operator before the next digit, if one is due."""
        if state is None:
            return None
        finished, term, operator = state
        if symbol in "+-*":
            if operator:
                return None
            return (finished, term, "*") if symbol == "*" else ((finished + term) % self.modulus, 0, symbol)
        if not operator:
            return None
        digit = int(symbol)
        return finished, {"*": term * digit, "+": digit, "-": -digit}[operator] % self.modulus, ""

    def _is_zero(self, state: State) -> bool:
        return state is not None and state[2] == "" and (state[0] + state[1]) % self.modulus == 0


class PolynomialModulo(OneSymbolTask):
    """The value of a polynomial modulo 10."""

    name = "poly_eval"
    definition = "x: and n coefficients, the highest first, all uniform digits; then the value at x modulo 10"
    length_means = "the number of symbols of x:c…c, which is 2 and the number of coefficients"
    symbols = (*DIGITS, ":")
    min_length = 3
    citation = "arXiv 2305.19466"

    def __init__(self) -> None:
        self.facts = Facts(language=_language(self.symbols, "start", self._step, self._is_zero))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the sum of the coefficients times powers of x, modulo 10."""
        x, coefficients = int(prompt[0]), prompt[2:]
        powers = range(len(coefficients) - 1, -1, -1)
        return [str(sum(int(c) * x**power for c, power in zip(coefficients, powers, strict=True)) % 10)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform digits with a colon after the first, and the value."""
        digits = uniform(draw.named("digits"), 10, lengths_MB, max_length)
        place = places(lengths_MB, max_length, xp)
        x = digits[..., 0]
        value = x * 0
        values = []
        for number in range(2, max_length):
            value = (value * x + digits[..., number]) % 10
            values.append(value)
        text = xp.where(place == 1, self.token(":"), digits)
        return text, one_at(xp.stack_last(values), lengths_MB - 3, xp)[..., None]

    @staticmethod
    def _step(state: State, symbol: str) -> State:
        """Return x and the value so far; None where the text is not as it should be."""
        if state == "start":
            return None if symbol == ":" else (int(symbol), "no colon")
        if state is None or (symbol == ":") != (state[1] == "no colon"):
            return None
        x, value = state
        return (x, "no value") if symbol == ":" else (x, ((0 if value == "no value" else value * x) + int(symbol)) % 10)

    @staticmethod
    def _is_zero(state: State) -> bool:
        return isinstance(state, tuple) and state[1] == 0


class BracketedArithmetic(HostTask):
    """The value of an expression with brackets around every operation, modulo 5."""

    name = "mod_arith_brackets"
    definition = (
        "the value modulo 5 of a random expression with +, - and * in brackets; the lengths of both operands are uniform at "
        "every operation"
    )
    length_means = "the number of symbols of the expression"
    symbols = (*DIGITS[:MODULUS], "+", "-", "*", "(", ")")
    min_length = 1
    citation = _CHOMSKY
    facts = _OPEN

    def answer_length(self, length: Array) -> Array:
        """Return 1: one digit."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the value."""
        return [str(evaluate(prompt) % MODULUS)]

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return a random expression."""
        return random_expression(numbers, length, "+-*")


class SolveEquation(HostTask):
    """The digit x that makes an equation true, modulo 5."""

    name = "solve_equation"
    definition = "the digit x for which an expression with + and - in brackets has the given value modulo 5; x is any of its digits"
    length_means = "the number of symbols of the equation: those of the expression, and 2"
    symbols = (*DIGITS[:MODULUS], "+", "-", "(", ")", "x", "=")
    min_length = 3
    citation = _CHOMSKY
    facts = _OPEN

    def answer_length(self, length: Array) -> Array:
        """Return 1: one digit."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the only digit that fits: x occurs once, and is only added or subtracted."""
        *expression, _, value = prompt
        tried = {digit: [digit if symbol == "x" else symbol for symbol in expression] for digit in DIGITS[:MODULUS]}
        (fitting,) = (digit for digit, filled in tried.items() if evaluate(filled) % MODULUS == int(value))
        return [fitting]

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return a random expression, its value, and an x instead of a random digit."""
        expression = random_expression(numbers, length - 2, "+-")
        value = str(evaluate(expression) % MODULUS)
        hidden = [place for place, symbol in enumerate(expression) if symbol in DIGITS]
        expression[hidden[numbers.below(len(hidden))]] = "x"
        return [*expression, "=", value]


def random_expression(numbers: Numbers, length: int, operators: str) -> list[str]:
    """Return an expression of this length: d, -d, (d), (-d), or two expressions with an operator between, in brackets."""
    text: list[str] = []
    to_do: list[str | int] = [length]
    while to_do:
        item = to_do.pop()
        if isinstance(item, str):
            text.append(item)
        elif item < 5:
            digit = DIGITS[numbers.below(MODULUS)]
            text += {1: [digit], 2: ["-", digit], 3: ["(", digit, ")"], 4: ["(", "-", digit, ")"]}[item]
        else:
            left = 1 + numbers.below(item - 4)
            to_do += [")", item - 3 - left, operators[numbers.below(len(operators))], left, "("]
    return text


def evaluate(expression: Sequence[str]) -> int:
    """Return the value of an expression that has at most one operation within each pair of brackets."""
    levels: list[list[str | int]] = [[]]
    for symbol in expression:
        if symbol == "(":
            levels.append([])
        elif symbol == ")":
            value = _operation(levels.pop())
            levels[-1].append(value)
        else:
            levels[-1].append(int(symbol) if symbol in DIGITS else symbol)
    return _operation(levels.pop())


def _operation(items: Sequence[str | int]) -> int:
    """Return the value of ``v`` or ``v∘w``, where v and w may have a minus before them."""
    values: list[int] = []
    operator, is_negative = "", False
    for item in items:
        if isinstance(item, int):
            values.append(-item if is_negative else item)
            is_negative = False
        elif item == "-" and (not values or operator):
            is_negative = True
        else:
            operator = item
    if not operator:
        return values[0]
    one, two = values
    return {"+": one + two, "-": one - two, "*": one * two}[operator] % MODULUS


def _language(
    alphabet: Sequence[str],
    start: State,
    step: Callable[[State, str], State],
    accepts: Callable[[State], bool] = lambda state: state == 0,
) -> DFA:
    """Return the language of the words that lead from the start to an accepted state."""
    order: dict[State, int] = {start: 0}
    rows: list[list[int]] = []
    to_do = [start]
    for state in to_do:
        row = []
        for symbol in alphabet:
            following = step(state, symbol)
            if following not in order:
                order[following] = len(order)
                to_do.append(following)
            row.append(order[following])
        rows.append(row)
    return DFA(
        alphabet=alphabet, transitions=rows, accepting=[number for state, number in order.items() if accepts(state)]
    )


FAMILIES: tuple[Family, ...] = (
    Family(
        name="sum_mod",
        group=Group.ARITHMETIC,
        make=SumModulo,
        parameters=(Parameter(name="modulus", default=10, meaning="the modulus", low=2, high=10),),
    ),
    Family(
        name="mod_arith",
        group=Group.ARITHMETIC,
        make=ModularArithmetic,
        parameters=(Parameter(name="modulus", default=MODULUS, meaning="the modulus", low=2, high=10),),
    ),
    Family(name="mod_arith_brackets", group=Group.ARITHMETIC, make=BracketedArithmetic),
    Family(name="solve_equation", group=Group.ARITHMETIC, make=SolveEquation),
    Family(name="poly_eval", group=Group.ARITHMETIC, make=PolynomialModulo),
)
