"""What random tests of programs are made of.

``ProgramSource`` draws programs with a meaning, on a seeded ``random.Random``. ``random_tree`` and ``random_syntax``, and
the Hypothesis strategies ``expressions`` and ``programs``, draw anything that can be written, whether it has a meaning or
not, with symbols and names that are hard to write.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from lengthwise.crasp import syntax
from lengthwise.crasp.fragments import Fragment, Readout


class ProgramSource:
    """Draws well-typed programs over an alphabet, within a fragment."""

    def __init__(
        self,
        random: Random,
        *,
        alphabet: str = "ab",
        fragment: Fragment = Fragment.PERIODIC_LOCAL,
        start: str | None = None,
        stop: str | None = None,
        strict: bool = True,
        max_distance: int = 8,
    ) -> None:
        self.random = random
        self.alphabet = alphabet
        self.fragment = fragment
        self.start = start
        self.stop = stop
        self.strict = strict
        self.max_distance = max_distance
        self.truths: list[str] = []
        self.counts: list[str] = []

    def truth(self, size: int) -> syntax.Expression:
        choice = self.random
        if size <= 1:
            options: list[syntax.Expression] = [
                syntax.Symbol(each) for each in (*self.alphabet, *([self.start] if self.start else []))
            ]
            options += [syntax.Name(each) for each in self.truths]
            if self.fragment.has_periods:
                modulus = choice.randint(1, 4)
                options += [syntax.Modulo(modulus, choice.randrange(modulus))] * 2
            if choice.random() < 0.1:
                options = [syntax.Constant(choice.random() < 0.5)]
            return choice.choice(options)
        kind = choice.randrange(6)
        if kind == 0:
            return syntax.Not(self.truth(size - 1))
        if kind in (1, 2):
            parts = tuple(self.truth((size - 1) // 2) for _ in range(choice.randint(2, 3)))
            return syntax.And(parts) if kind == 1 else syntax.Or(parts)
        return syntax.Compare(choice.choice(syntax.SIGNS), self.count((size - 1) // 2), self.count((size - 1) // 2))

    def count(self, size: int) -> syntax.Expression:
        choice = self.random
        if size <= 1:
            options: list[syntax.Expression] = [
                syntax.Number(choice.randint(-2, 3)),
                *(syntax.Name(each) for each in self.counts),
            ]
            return choice.choice([*options, syntax.Count(self.truth(1))])
        kind = choice.randrange(7)
        if kind <= 1:
            return syntax.Count(self.truth(size - 1))
        if kind == 2 and self.strict:
            return syntax.CountBefore(self.truth(size - 1))
        if kind == 3 and self.fragment.has_windows:
            distances = choice.sample(range(self.max_distance + 1), choice.randint(1, min(5, self.max_distance + 1)))
            return syntax.CountAt(self.truth(size - 1), tuple(distances))
        if kind == 4:
            return syntax.Choice(self.truth((size - 1) // 3), self.count((size - 1) // 3), self.count((size - 1) // 3))
        terms = [
            (choice.choice((-3, -2, -1, 1, 1, 2)), self.count((size - 1) // 2)) for _ in range(choice.randint(1, 3))
        ]
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return syntax.Sum(tuple(terms))

    def program(self, size: int = 8) -> syntax.Program:
        choice = self.random
        self.truths, self.counts = [], []
        definitions = []
        for number in range(choice.randint(0, 3)):
            name = f"d{number}"
            if choice.random() < 0.5:
                definitions.append(syntax.Definition(name, self.truth(choice.randint(1, size))))
                self.truths.append(name)
            else:
                definitions.append(syntax.Definition(name, self.count(choice.randint(1, size))))
                self.counts.append(name)
        outputs: dict[str, object] = {"accept": self.truth(size), "readout": choice.choice(list(Readout))}
        if choice.random() < 0.2:
            following = [*self.alphabet, *([self.stop] if self.stop else [])]
            outputs = {"next": tuple(syntax.Next(each, self.truth(size)) for each in following)}
        return syntax.Program(
            alphabet=tuple(self.alphabet),
            definitions=tuple(definitions),
            start=self.start,
            stop=self.stop,
            **outputs,  # type: ignore[arg-type]
        )


def random_word(random: Random, alphabet: str, max_length: int) -> str:
    return "".join(random.choice(alphabet) for _ in range(random.randint(0, max_length)))


# Anything that can be written

ODD_SYMBOLS = (
    *("a", "b", "'", "\\", "''", "\\'", "'\\", "//", '"', "é", "→", "😀", "\n", "\t", "\r\n", "\0", "\x7f", "\x85"),
    *("\u2028", "\u00a0", "\u0301", "\U0010ffff", " ", "two words", "next", "'a'", "u{61}", "\\u{61}", "0", "#", "ab"),
)
ODD_NAMES = (
    "x",
    "d0",
    "_",
    "größe",
    "μ2",
    "at",
    "last",
    "end",
    "accepts",
    "Not",
    "x_1",
    "a" * 30,
    "²",
    "名前",
    "__x__",
)
INTEGERS = (0, 1, -1, 2, -2, 3, 17, syntax.MAX_INTEGER, -syntax.MAX_INTEGER)


def random_tree(random: Random, depth: int) -> syntax.Expression:
    """Return any expression of at most this depth."""
    kinds = [syntax.Symbol, syntax.Constant, syntax.Modulo, syntax.Number, syntax.Name]
    if depth > 1:
        kinds += [
            syntax.Not,
            syntax.And,
            syntax.Or,
            syntax.Compare,
            syntax.Sum,
            syntax.Count,
            syntax.CountBefore,
            syntax.CountAt,
            syntax.Choice,
        ] * 2
    kind = random.choice(kinds)

    def parts(low: int, high: int) -> tuple[syntax.Expression, ...]:
        return tuple(random_tree(random, depth - 1) for _ in range(random.randint(low, high)))

    if kind is syntax.Symbol:
        return syntax.Symbol(random.choice(ODD_SYMBOLS))
    if kind is syntax.Constant:
        return syntax.Constant(random.random() < 0.5)
    if kind is syntax.Modulo:
        modulus = random.choice((1, 2, 7, syntax.MAX_INTEGER))
        return syntax.Modulo(modulus, random.randrange(modulus))
    if kind is syntax.Number:
        return syntax.Number(random.choice(INTEGERS))
    if kind is syntax.Name:
        return syntax.Name(random.choice(ODD_NAMES))
    if kind in (syntax.And, syntax.Or):
        return kind(parts(2, 3))
    if kind is syntax.Compare:
        return syntax.Compare(random.choice(syntax.SIGNS), *parts(2, 2))
    if kind is syntax.Sum:
        return syntax.total([(random.choice(INTEGERS), part) for part in parts(1, 3)])
    if kind is syntax.CountAt:
        start, width = random.choice((0, 1, 2, 5, syntax.MAX_DISTANCE - 12)), random.choice((1, 2, 3, 6))
        return syntax.CountAt(*parts(1, 1), tuple(random.sample(range(start, start + 2 * width), width)))
    return kind(*parts(3, 3)) if kind is syntax.Choice else kind(*parts(1, 1))


def random_syntax(random: Random, depth: int = 4) -> syntax.Program:
    """Return any program, most likely one without a meaning."""
    symbols = random.sample(ODD_SYMBOLS, random.randint(3, len(ODD_SYMBOLS)))
    markers = [random.choice((None, symbols.pop())) for _ in range(2)]
    alphabet = symbols[: random.randint(1, 4)]
    definitions = tuple(
        syntax.Definition(random.choice(ODD_NAMES), random_tree(random, depth)) for _ in range(random.randint(0, 4))
    )
    outputs: dict[str, Any] = {"accept": random_tree(random, depth), "readout": random.choice(list(Readout))}
    if random.random() < 0.4:
        following = random.sample(ODD_SYMBOLS, random.randint(1, 4))
        outputs = {"next": tuple(syntax.Next(each, random_tree(random, depth)) for each in following)}
    return syntax.Program(
        alphabet=tuple(alphabet), definitions=definitions, start=markers[0], stop=markers[1], **outputs
    )


def symbols() -> st.SearchStrategy[str]:
    """Symbols of any characters; half a surrogate pair is none."""
    return st.sampled_from(ODD_SYMBOLS) | st.text(min_size=1, max_size=4)


def names() -> st.SearchStrategy[str]:
    """Names that a definition may have."""
    first = st.sampled_from("xyzQ_éλ") | st.characters(categories=["Lu", "Ll", "Lo"])
    rest = st.text(st.sampled_from("abc019_é") | st.characters(categories=["Ll", "Nd"]), max_size=5)
    return st.builds(str.__add__, first, rest).filter(lambda name: name not in syntax.KEYWORDS)


def expressions() -> st.SearchStrategy[syntax.Expression]:
    """Any expression."""
    integers = st.integers(-syntax.MAX_INTEGER, syntax.MAX_INTEGER)
    moduli = st.integers(1, syntax.MAX_INTEGER).flatmap(
        lambda modulus: st.builds(syntax.Modulo, st.just(modulus), st.integers(0, modulus - 1))
    )
    leaves = st.one_of(
        st.builds(syntax.Symbol, symbols()),
        st.builds(syntax.Constant, st.booleans()),
        st.builds(syntax.Number, integers),
        st.builds(syntax.Name, names()),
        moduli,
    )
    distances = st.sets(st.integers(0, 12) | st.integers(0, syntax.MAX_DISTANCE), min_size=1, max_size=8).map(tuple)

    def larger(smaller: st.SearchStrategy[syntax.Expression]) -> st.SearchStrategy[syntax.Expression]:
        several = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.builds(syntax.Not, smaller),
            st.builds(syntax.And, several),
            st.builds(syntax.Or, several),
            st.builds(syntax.Compare, st.sampled_from(syntax.SIGNS), smaller, smaller),
            st.lists(st.tuples(integers, smaller), max_size=3).map(syntax.total),
            st.builds(syntax.Count, smaller),
            st.builds(syntax.CountBefore, smaller),
            st.builds(syntax.CountAt, smaller, distances),
            st.builds(syntax.Choice, smaller, smaller, smaller),
        )

    return st.recursive(leaves, larger, max_leaves=12)


@st.composite
def programs(draw: st.DrawFn) -> syntax.Program:
    """Any program, most likely one without a meaning."""
    given = draw(st.lists(symbols(), min_size=3, max_size=6, unique=True))
    body = expressions()
    outputs: dict[str, Any] = {"accept": draw(body), "readout": draw(st.sampled_from(Readout))}
    if draw(st.booleans()):
        following = draw(st.lists(symbols(), min_size=1, max_size=3, unique=True))
        outputs = {"next": tuple(syntax.Next(each, draw(body)) for each in following)}
    return syntax.Program(
        alphabet=tuple(given[2:]),
        definitions=tuple(draw(st.lists(st.builds(syntax.Definition, names(), body), max_size=3))),
        start=draw(st.sampled_from([None, given[0]])),
        stop=draw(st.sampled_from([None, given[1]])),
        **outputs,
    )
