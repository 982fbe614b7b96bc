"""What a program means, in the obvious way: one word, every definition at every position. The oracle of all the rest.

Positions are 1, 2, …, n, plus an offset that only ``pos`` sees. A word is framed first: the start symbol before it, if
the program has one, and behind it, if acceptance is read at the end marker, one more position without any symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..errors import CapExceededError, InvalidProgramError, NoSuchWordError, UnknownSymbolError
from ..languages.alphabet import show_alphabet
from . import syntax
from .fragments import Readout
from .kinds import require_meaning

MAX_BITS = 10_000  # definitions that multiply one another would fill the memory; Python still writes such a number

Values = dict[str, list[int]]
"""For every definition and output its value at each position; truths are True and False."""

Framed = tuple[str | None, ...]
"""A word as the program sees it; None is the end marker, which carries no symbol."""


def frame_word(program: syntax.Program, word: Iterable[str]) -> Framed:
    """Return the word between the markers of the program."""
    symbols = tuple(word)
    for symbol in symbols:
        if symbol not in program.alphabet:
            raise UnknownSymbolError(
                f"symbol {symbol!r} is not in the program's alphabet {show_alphabet(program.alphabet)}.",
                hint="use only these symbols.",
            )
    start = (program.start,) if program.start is not None else ()
    end = (None,) if not program.is_generator and program.readout is Readout.END_MARKER else ()
    return (*start, *symbols, *end)


def run_program(program: syntax.Program, word: Iterable[str], *, offset: int = 0) -> Values:
    """Return the value of every definition and output at every position of the framed word.

    >>> from lengthwise.crasp.parser import parse_program
    >>> run_program(parse_program("alphabet 'a' 'b'  n := #['a']  accept := n > 1"), "aba")
    {'n': [1, 1, 2], 'accept': [False, False, True]}
    """
    require_meaning(program)
    framed = frame_word(program, word)
    values: Values = {}
    for definition in (*program.definitions, *program.outputs):
        values[definition.name] = _evaluate(definition.body, framed, values, offset)
        if any(value.bit_length() > MAX_BITS for value in values[definition.name]):
            raise CapExceededError(
                f"the numbers of {definition.name!r} grow beyond {MAX_BITS} bits.", hint="use smaller factors."
            )
    return values


Run = Callable[..., Values]
"""A function that gives, as :func:`run_program` does, at least the values of the outputs."""


def accepts(program: syntax.Program, word: Iterable[str], *, offset: int = 0, run: Run = run_program) -> bool:
    """Return whether the program accepts a word, read where the program says.

    >>> from lengthwise.crasp.parser import parse_program
    >>> accepts(parse_program("alphabet 'a' 'b'  accept := #['a'] > #['b']"), "aab")
    True
    """
    if program.is_generator:
        raise InvalidProgramError(
            "the program says which symbols come next, not which words it accepts.", hint="ask for next symbols."
        )
    found = run(program, word, offset=offset)[syntax.ACCEPT]
    if not found:
        raise NoSuchWordError(
            "the empty word has no last symbol, so a program read there says nothing about it.",
            hint="give a word, or let the program 'read at end' or have a start symbol.",
        )
    return bool(found[-1])


def next_symbols(
    program: syntax.Program, word: Iterable[str], *, offset: int = 0, run: Run = run_program
) -> list[tuple[str, ...]]:
    """Return for every position of the framed word the symbols that come next."""
    if not program.is_generator:
        raise InvalidProgramError(
            "the program says which words it accepts, not which symbols come next.",
            hint="ask whether it accepts a word.",
        )
    values = run(program, word, offset=offset)
    columns = [(each.symbol, values[syntax.next_name(each.symbol)]) for each in program.next]
    length = len(columns[0][1])
    return [tuple(symbol for symbol, column in columns if column[i]) for i in range(length)]


def generate(
    program: syntax.Program, prompt: Iterable[str], *, max_length: int = 1000, offset: int = 0, run: Run = run_program
) -> tuple[str, ...]:
    """Return what the program writes after a prompt, until its stop symbol comes or nothing does."""
    word = list(prompt)
    written: list[str] = []
    while len(written) <= max_length:
        positions = next_symbols(program, [*word, *written], offset=offset, run=run)
        if not positions:
            raise NoSuchWordError(
                "an empty prompt has no position to write from.", hint="give a prompt, or the program a start symbol."
            )
        following = positions[-1]
        if len(following) > 1:
            raise InvalidProgramError(
                f"after {' '.join([*word, *written])} several symbols come next: {' '.join(following)}.",
                hint="a program that writes must leave one choice.",
            )
        if not following or following[0] == program.stop:
            return tuple(written)
        written.append(following[0])
    raise CapExceededError(
        f"the program wrote {max_length} symbols and did not stop.", hint="raise max_length, or give it a stop symbol."
    )


def _evaluate(node: syntax.Expression, word: Framed, values: Values, offset: int) -> list[int]:
    """Return the value of an expression at every position, by the definition of each form."""
    positions = range(len(word))  # the position that is written 1 has index 0

    def of(part: syntax.Expression) -> list[int]:
        return _evaluate(part, word, values, offset)

    match node:
        case syntax.Symbol(symbol):
            return [word[i] == symbol for i in positions]
        case syntax.Constant(value):
            return [value for _ in positions]
        case syntax.Number(value):
            return [value for _ in positions]
        case syntax.Name(name):
            return values[name]
        case syntax.Modulo(modulus, residue):
            return [(i + 1 + offset) % modulus == residue for i in positions]
        case syntax.Not(part):
            return [not truth for truth in of(part)]
        case syntax.And(parts):
            return [all(truths) for truths in zip(*map(of, parts), strict=True)]
        case syntax.Or(parts):
            return [any(truths) for truths in zip(*map(of, parts), strict=True)]
        case syntax.Compare(sign, left, right):
            return [compare(sign, one, two) for one, two in zip(of(left), of(right), strict=True)]
        case syntax.Sum(terms):
            columns = [(factor, of(term)) for factor, term in terms]
            return [sum(factor * column[i] for factor, column in columns) for i in positions]
        case syntax.Count(body):
            return _count(of(body), lambda i, j: j <= i)
        case syntax.CountBefore(body):
            return _count(of(body), lambda i, j: j < i)
        case syntax.CountAt(body, distances):
            related = frozenset(distances)
            return _count(of(body), lambda i, j: i - j in related)
        case syntax.Choice(condition, then, otherwise):
            rows = zip(of(condition), of(then), of(otherwise), strict=True)
            return [one if holds else two for holds, one, two in rows]


def _count(truths: Sequence[int], related: Callable[[int, int], bool]) -> list[int]:
    """Return for every position how many related positions are true."""
    return [sum(1 for j, truth in enumerate(truths) if truth and related(i, j)) for i in range(len(truths))]


def compare(sign: str, left: int, right: int) -> bool:
    """Return whether a comparison holds."""
    return {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[sign]
