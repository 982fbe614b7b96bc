"""Programs and words as the command line names them, and how two of them are compared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..crasp.comparison import Comparison, compare
from ..crasp.interpreter import Values, accepts, generate, next_symbols
from ..crasp.measures import depth_of, fragment_of, size_of
from ..crasp.parser import parse_program
from ..crasp.programs.catalog import find_program
from ..crasp.syntax import Program
from ..errors import CapExceededError, InvalidOptionError, UnknownNameError
from ..files import read_text
from ..languages.alphabet import show_word
from ..languages.dfa import DFA
from ..languages.dfa_algebra import over_alphabet
from ..markup import visible
from .text import colour, paragraph, table


def load_program(what: str) -> Program:
    """Return the program of a ``.crasp`` file, of standard input (-), or of the library."""
    if what == "-":
        return parse_program(sys.stdin.read())
    if what.lower().endswith(".crasp") or Path(what).suffix:
        return parse_program(read_text(what))
    return find_program(what).program


def split_word(text: str, program: Program) -> tuple[str, ...]:
    """Return the symbols of a word: characters, or separated by spaces where a symbol has several of them."""
    if text in ("", "ε"):
        return ()
    if " " in text or any(len(symbol) > 1 for symbol in program.alphabet):
        return tuple(text.split())
    return tuple(text)


def require_generator(program: Program, name: str) -> None:
    """Raise unless a program says which symbols come next, so that it can generate."""
    if not program.is_generator:
        raise InvalidOptionError(
            f"--generate needs a program that predicts the next symbols; {name!r} only accepts or rejects words.",
            hint="leave --generate out.",
        )


def run_on_words(
    program: Program, words: Iterable[Sequence[str]], run: Callable[..., Values], *, generating: bool, offset: int = 0
) -> list[dict[str, object]]:
    """Return a row for each word, as JSON data: whether it is accepted, what is written, or what comes next."""
    rows: list[dict[str, object]] = []
    for word in words:
        row: dict[str, object] = {"word": list(word)}
        if not program.is_generator:
            row["accepted"] = accepts(program, word, offset=offset, run=run)
        elif generating:
            row["written"] = _continue(program, word, offset, run)
        else:
            positions = next_symbols(program, word, offset=offset, run=run)
            row["next"] = list(positions[-1]) if positions else []
        rows.append(row)
    return rows


def _continue(program: Program, word: Sequence[str], offset: int, run: Callable[..., Values]) -> list[str]:
    try:
        return list(generate(program, word, offset=offset, run=run))
    except CapExceededError as error:
        raise CapExceededError(error.message, hint="give the program a stop symbol, or leave --generate out.") from None


def print_runs(rows: Iterable[dict[str, object]]) -> None:
    """Print the rows of :func:`run_on_words` as a table."""
    shown = []
    for row in rows:
        ((kind, value),) = [(key, value) for key, value in row.items() if key != "word"]
        answer = " ".join(map(str, value)) or "nothing" if isinstance(value, list) else "yes" if value else "no"
        word = row["word"]
        assert isinstance(word, list)
        shown.append((visible(show_word(word)), visible(answer)))
    title = {"written": "writes"}.get(kind, kind)
    print(table(("word", title), shown))


def compare_sides(left: str, right: str, *, max_length: int | None = None) -> Comparison:
    """Compare programs or languages by what a user calls them.

    A regular expression is read over the alphabet of the program on the other side; two languages are brought over the
    symbols of both.
    """
    if left == right == "-":
        raise InvalidOptionError(
            "both sides are -, but standard input can be read only once.", hint="write one of them to a file."
        )
    programs = [_program_called(what) for what in (left, right)]
    alphabet = next((program.alphabet for program in programs if program is not None), None)
    one, two = (
        language_of(what, alphabet) if program is None else program
        for what, program in zip((left, right), programs, strict=True)
    )
    if isinstance(one, DFA) and isinstance(two, DFA):
        both = {*one.alphabet, *two.alphabet}
        one, two = over_alphabet(one, both), over_alphabet(two, both)
    return compare(one, two, max_length=max_length)


def _program_called(what: str) -> Program | None:
    """Return the program of a file, of standard input or of the library, or None if this is something else."""
    if what == "-" or what.lower().endswith(".crasp"):
        return load_program(what)
    try:
        return find_program(what).program
    except UnknownNameError:
        return None


def language_of(what: str, alphabet: Iterable[str] | None, *, regex: bool = False) -> DFA:
    """Return the automaton of a name, an expression or a file, over an alphabet if one is given."""
    from ..predict.resolve import is_name, resolve

    expression = regex or not is_name(what)
    language = resolve(what, alphabet=alphabet if expression else None, regex=regex).facts.language
    if language is None:
        raise InvalidOptionError(
            f"{what!r} is not a regular language.", hint="name a language, a regular expression or an automaton file."
        )
    return language if alphabet is None else over_alphabet(language, alphabet)


def comparison_data(found: Comparison) -> dict[str, object]:
    """Return a comparison as JSON data."""
    return {
        "equal": found.equal,
        "exact": found.exact,
        "words": found.num_words,
        "min_length": found.min_length,
        "max_length": found.max_length,
        "counterexample": None if found.counterexample is None else list(found.counterexample),
        "left": found.left,
        "right": found.right,
    }


def print_comparison(found: Comparison, left: str, right: str) -> None:
    """Print whether two sides are equal, and where they differ."""
    if found.counterexample is not None:
        shown = visible(show_word(found.counterexample))
        print(f"{colour('different', 'NO')}, and this is a shortest word that shows it: {shown}")
        print(f"  {visible(left)} {found.left}")
        print(f"  {visible(right)} {found.right}")
    elif found.exact:
        print(f"{colour('equal', 'YES')} on words of every length: their minimal automata are the same.")
    else:
        print(
            paragraph(
                f"{colour('equal', 'YES')} on all {found.num_words} words of length {found.min_length} to {found.max_length}. "
                "That is no proof for longer ones: from two layers on, no length up to which agreement would suffice can be "
                "computed (arXiv 2603.02238).",
                "  ",
                "",
            )
        )


def program_data(program: Program) -> dict[str, object]:
    """Return what can be read off a program, as JSON data."""
    return {
        "alphabet": list(program.alphabet),
        "readout": None if program.is_generator else str(program.readout),
        "fragment": str(fragment_of(program)),
        "depth": depth_of(program),
        "size": size_of(program),
    }
