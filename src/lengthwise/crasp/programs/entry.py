"""What the library holds: a program in its text form, beside an oracle that says in plain Python what it should do.

Every symbol here has one character, so that words are strings. There are three kinds of entry: an :class:`Acceptor`
tells the words of a language from all others, a :class:`Writer` writes the answer to a prompt, and a
:class:`Predictor` says after every prefix which symbols can come next. Nothing is parsed or compiled before it is
asked for. Fragment and depth are not declared: they are computed from the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from random import Random

from ...errors import InvalidOptionError
from ...languages.dfa import DFA
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler, nearest_lengths
from ...seeds import DATA, open_stream
from ..parser import parse_program
from ..syntax import Program

HUANG = "arXiv 2410.02140"
OURS = "ours"


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


def integer_argument(family: str, text: str, *, low: int, high: int) -> int:
    """Return the parameter of a family that takes one integer."""
    if text.isascii() and text.isdigit() and len(text) <= 9 and low <= int(text) <= high:
        return int(text)
    raise InvalidOptionError(
        f"program {family} takes an integer from {low} to {high}; found {text!r}.",
        hint=f"for example {family}({max(low, min(high, 3))}).",
    )


def word_argument(family: str, text: str, *, letters: str, most: int) -> str:
    """Return the parameter of a family that takes a word."""
    if 1 <= len(text) <= most and set(text) <= set(letters):
        return text
    raise InvalidOptionError(
        f"program {family} takes a word of 1 to {most} letters out of {', '.join(letters)}; found {text!r}.",
        hint=f"for example {family}({letters[0]}{letters[1]}{letters[0]}).",
    )
