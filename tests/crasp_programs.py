"""Random programs: on a seeded ``random.Random`` for comparisons, without a say in what they mean."""

from __future__ import annotations

from random import Random

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.syntax import (
    SIGNS,
    And,
    Choice,
    Compare,
    Constant,
    Count,
    CountAt,
    CountBefore,
    Definition,
    Expression,
    Modulo,
    Name,
    Next,
    Not,
    Number,
    Or,
    Program,
    Sum,
    Symbol,
)


class ProgramSource:
    """Draws well-typed programs over an alphabet, within a fragment."""

    def __init__(
        self,
        random: Random,
        *,
        alphabet: str = "ab",
        fragment: Fragment = Fragment.PERIODIC_LOCAL,
        start: str | None = None,
        strict: bool = True,
    ) -> None:
        self.random = random
        self.alphabet = alphabet
        self.fragment = fragment
        self.start = start
        self.strict = strict
        self.truths: list[str] = []
        self.counts: list[str] = []

    def truth(self, size: int) -> Expression:
        choice = self.random
        if size <= 1:
            options: list[Expression] = [
                Symbol(each) for each in (*self.alphabet, *([self.start] if self.start else []))
            ]
            options += [Name(each) for each in self.truths]
            if self.fragment.has_periods:
                modulus = choice.randint(1, 4)
                options += [Modulo(modulus, choice.randrange(modulus))] * 2
            if choice.random() < 0.1:
                options = [Constant(choice.random() < 0.5)]
            return choice.choice(options)
        kind = choice.randrange(6)
        if kind == 0:
            return Not(self.truth(size - 1))
        if kind in (1, 2):
            parts = tuple(self.truth((size - 1) // 2) for _ in range(choice.randint(2, 3)))
            return And(parts) if kind == 1 else Or(parts)
        return Compare(choice.choice(SIGNS), self.count((size - 1) // 2), self.count((size - 1) // 2))

    def count(self, size: int) -> Expression:
        choice = self.random
        if size <= 1:
            options: list[Expression] = [Number(choice.randint(-2, 3)), *(Name(each) for each in self.counts)]
            return choice.choice([*options, Count(self.truth(1))])
        kind = choice.randrange(7)
        if kind <= 1:
            return Count(self.truth(size - 1))
        if kind == 2 and self.strict:
            return CountBefore(self.truth(size - 1))
        if kind == 3 and self.fragment.has_windows:
            distances = choice.sample(range(9), choice.randint(1, 5))
            return CountAt(self.truth(size - 1), tuple(distances))
        if kind == 4:
            return Choice(self.truth((size - 1) // 3), self.count((size - 1) // 3), self.count((size - 1) // 3))
        terms = [
            (choice.choice((-3, -2, -1, 1, 1, 2)), self.count((size - 1) // 2)) for _ in range(choice.randint(1, 3))
        ]
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return Sum(tuple(terms))

    def program(self, size: int = 8) -> Program:
        choice = self.random
        self.truths, self.counts = [], []
        definitions = []
        for number in range(choice.randint(0, 3)):
            name = f"d{number}"
            if choice.random() < 0.5:
                definitions.append(Definition(name, self.truth(choice.randint(1, size))))
                self.truths.append(name)
            else:
                definitions.append(Definition(name, self.count(choice.randint(1, size))))
                self.counts.append(name)
        outputs: dict[str, object] = {"accept": self.truth(size), "readout": choice.choice(list(Readout))}
        if choice.random() < 0.2:
            outputs = {"next": tuple(Next(each, self.truth(size)) for each in self.alphabet)}
        return Program(
            alphabet=tuple(self.alphabet),
            definitions=tuple(definitions),
            start=self.start,
            **outputs,  # type: ignore[arg-type]
        )


def random_word(random: Random, alphabet: str, max_length: int) -> str:
    return "".join(random.choice(alphabet) for _ in range(random.randint(0, max_length)))
