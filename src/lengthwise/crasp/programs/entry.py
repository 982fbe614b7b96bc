"""What the library holds: a program in its text form, beside an oracle that says in plain Python what it should do.

Programs without parameters stand as text in the ``.crasp`` files of this folder; functions put together those with
parameters. The oracles are in Python. Every symbol here has one character, so that words are strings. There are three
kinds of entry: an :class:`Acceptor` tells the words of a language from all others, a :class:`Writer` writes the answer
to a prompt, and a :class:`Predictor` says after every prefix which symbols can come next. Nothing is parsed or compiled
before it is asked for. Fragment and depth are not declared: they are computed from the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from random import Random

from ...errors import InvalidOptionError
from ...languages.catalog import LANGUAGES
from ...languages.dfa import DFA
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler, nearest_lengths
from ...seeds import DATA, open_stream
from ..parser import parse_program
from ..syntax import Program

HUANG = "arXiv 2410.02140"
OURS = "ours"
LETTERS = "abcdefgh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A language by a rule: which words it contains, and how to draw one of about a given length."""

    contains: Callable[[str], bool]
    member: Callable[[Random, int], str]

    def judge(self, words: Iterable[str]) -> list[bool]:
        """Return for every word whether it is in the language."""
        return [self.contains(word) for word in words]

    def sample(self, random: Random, lengths: Sequence[int]) -> list[str]:
        """Return a word of the language for every length, of about that length."""
        return [self.member(random, length) for length in lengths]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regular:
    """A language by an automaton."""

    build: Callable[[], DFA]

    def judge(self, words: Iterable[str]) -> list[bool]:
        """Return for every word whether it is in the language."""
        language = self.build()
        return [word in language for word in words]

    def sample(self, random: Random, lengths: Sequence[int]) -> list[str]:
        """Return a word of the language for every length, of that length or the nearest one that has words."""
        language = self.build()
        nearest = {length: _length_with_words(language, length) for length in sorted(set(lengths))}
        sampler = WordSampler(language, max_length=max(nearest.values(), default=0))
        rows = sampler.sample([nearest[length] for length in lengths], open_stream(DATA, seed=random.getrandbits(31)))
        return ["".join(language.decode(number for number in row if number >= 0)) for row in rows.tolist()]


def _length_with_words(language: DFA, length: int) -> int:
    below, above = nearest_lengths(
        language, length + 1
    )  # the nearest below length + 1 is length itself, if it has words
    found = below if below is not None else above
    assert found is not None, "the library holds no empty language"
    return found


def regular(expression: str, alphabet: str) -> Regular:
    """Return the language of a regular expression, to be compiled when it is asked for."""
    return Regular(build=lambda: compile_regex(expression, alphabet=alphabet))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """What a writer may be given: all prompts of a size, the sizes being 0, 1, 2, …, and one at random.

    A size of at least 1 without prompts means that there are no larger ones either.
    """

    every: Callable[[int], Iterator[str]]
    draw: Callable[[Random, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What all kinds of entry share. ``argument`` is the parameter of a member of a family, as it is written."""

    name: str
    definition: str
    source: str
    code: str
    argument: str = ""

    @property
    def title(self) -> str:
        """The name with its parameter: ``bounded_dyck(2)``."""
        return f"{self.name}({self.argument})" if self.argument else self.name

    @property
    def text(self) -> str:
        """The program as one would write it in a ``.crasp`` file."""
        return cleandoc(self.code) + "\n"

    @property
    def program(self) -> Program:
        """The program, parsed."""
        return parse_program(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptor(_Entry):
    """A program that accepts the words of a language and no others."""

    language: Rule | Regular


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer(_Entry):
    """A program that writes the answer to a prompt, one symbol after the other, and then its stop symbol."""

    prompts: Prompts
    answer: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictor(_Entry):
    """A program that says after every prefix which symbols can come next, the stop symbol among them."""

    following: Callable[[str], Iterable[str]]


Entry = Acceptor | Writer | Predictor


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Entries that differ by a parameter. ``build`` makes one from the parameter as it is written, or refuses it."""

    name: str
    default: str
    build: Callable[[str], Entry]


_HEAD = re.compile(r"// (\w+): (.*) \[(.*)\]\n")


def _read_file(file: str) -> dict[str, dict[str, str]]:
    """Return the programs of ``FILE.crasp`` in this folder; before each stands ``// name: definition [source]``."""
    parts = _HEAD.split(Path(__file__).with_name(f"{file}.crasp").read_text(encoding="utf-8"))
    return {
        name: {"definition": definition, "source": source, "code": code}
        for name, definition, source, code in zip(*(iter(parts[1:]),) * 4, strict=True)
    }


def acceptors(file: str, languages: Mapping[str, Rule | Regular]) -> tuple[Acceptor, ...]:
    """Return the acceptors of a file, each beside the language that it should accept."""
    written = _read_file(file)
    return tuple(Acceptor(name=name, language=language, **written[name]) for name, language in languages.items())


def writers(file: str, oracles: Mapping[str, tuple[Prompts, Callable[[str], str]]]) -> tuple[Writer, ...]:
    """Return the writers of a file, each beside its prompts and what it should write."""
    written = _read_file(file)
    return tuple(
        Writer(name=name, prompts=prompts, answer=answer, **written[name])
        for name, (prompts, answer) in oracles.items()
    )


def predictors(file: str, oracles: Mapping[str, Callable[[str], Iterable[str]]]) -> tuple[Predictor, ...]:
    """Return the predictors of a file, each beside what should follow a prefix."""
    written = _read_file(file)
    return tuple(Predictor(name=name, following=following, **written[name]) for name, following in oracles.items())


def named_language(name: str) -> Regular:
    """Return the language of the catalogue with a name."""
    return Regular(build=lambda: LANGUAGES[name].language)


def integer_argument(family: str, text: str, *, low: int, high: int) -> int:
    """Return the parameter of a family that takes one integer."""
    if text.isascii() and text.isdigit() and len(text) <= 9 and low <= int(text) <= high:
        return int(text)
    raise InvalidOptionError(
        f"program {family} takes an integer from {low} to {high}; found {text!r}.",
        hint=f"for example {family}({max(low, min(high, 3))}).",
    )


def letters_for(word: str) -> str:
    """Return the alphabet of programs about a word: its letters, and at least a, b and c."""
    return "".join(sorted({*"abc", *word}))


def word_argument(family: str, text: str, *, most: int = 8, letters: str = LETTERS) -> str:
    """Return the parameter of a family that takes a word."""
    if 1 <= len(text) <= most and set(text) <= set(letters):
        return text
    raise InvalidOptionError(
        f"program {family} takes a word of 1 to {most} letters out of {', '.join(letters)}; found {text!r}.",
        hint=f"for example {family}({letters[0]}{letters[1]}{letters[0]}).",
    )
