"""Is the word in the language? Every regular language as a question that is answered with y or n."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError, UnknownNameError, unknown_name
from ...languages.catalog import LANGUAGES, find_language
from ...languages.dfa import DFA
from ...languages.dfa_algebra import over_alphabet, shortest_word
from ...languages.dfa_files import read_dfa
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler
from ...names import Parameter, is_plain_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.family import Family, Group
from ..core.row_functions import batch_of, fold, one_at, places
from ..core.task import OneSymbolTask
from ..user.source import language_revision

_EDITS = 4


def read_language(text: str, alphabet: Iterable[str] | None = None) -> DFA:
    """Return the language of a name, of an automaton file (.json) or, where the text is neither, of a regular expression.

    >>> read_language("D_2") == read_language("(a(ab)*b)*")
    True
    """
    try:
        return find_language(text).language
    except UnknownNameError:
        if is_plain_name(text):
            raise unknown_name("language", text, LANGUAGES) from None
    if text.lower().endswith(".json"):
        language = read_dfa(text)
        return language if alphabet is None else over_alphabet(language, alphabet)
    return compile_regex(text, alphabet=alphabet)


class Accepts(OneSymbolTask):
    """Whether a word is in a regular language: y or n, read at the separator.

    A coin says which; at a length where all words are in the language, or none is, the answer is the only one there is.
    Words in the language are uniform. A word outside it is one in the language with one symbol replaced at random,
    wherever one of four such replacements leads outside; otherwise, and where the language has no word of the length,
    it is uniform among those outside.
    """

    length_means = "the number of symbols of the word"
    citation = "after arXiv 2207.02098 and arXiv 2009.11264"
    min_length = 0
    attempts = _EDITS

    def __init__(self, language: DFA, name: str, definition: str = "", citation: str = "") -> None:
        outside = ~language
        for one, what in ((language, "empty"), (outside, "everything")):
            if shortest_word(one) is None:
                raise InvalidOptionError(
                    f"the language {name!r} is {what}: there is only one answer.", hint="choose another language."
                )
        self.language, self._outside = language, outside
        self.name = name
        self.definition = definition or (
            "y if the word is in the language, n if not; half of the words are, uniformly, and most others differ from one "
            "that is by a single symbol"
        )
        self.citation = citation or self.citation
        yes, no = "y", "n"
        while {yes, no} & set(language.alphabet):
            yes, no = f"{yes}!", f"{no}!"
        self.yes, self.no = yes, no
        self.symbols = (*language.alphabet, yes, no)
        self.facts = Facts(language=language)
        self._samplers: dict[tuple[bool, int, int], WordSampler] = {}

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return y or n."""
        return [self.yes if tuple(prompt) in self.language else self.no]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words of which half are in the language, where a length has both kinds."""
        batch = batch_of(draw, lengths_MB)
        have_in, have_out = (_lengths_with_words(one, max_length) for one in (self.language, self._outside))
        any_in, any_out = (xp.asarray(have)[lengths_MB] == 1 for have in (have_in, have_out))
        coin = draw.named("coin").integers(2, batch) == 1
        is_in = xp.where(any_out, xp.where(any_in, coin, xp.asarray(0) == 1), xp.asarray(0) == 0)
        inside = self._words(True, have_in, lengths_MB, draw.named("inside"), max_length, xp)
        outside = self._words(False, have_out, lengths_MB, draw.named("outside"), max_length, xp)
        if 1 in have_in and len(self.language.alphabet) > 1:
            outside = self._near_misses(inside, outside, any_in, lengths_MB, draw.named("edits"), xp)
        answers = xp.where(is_in, self.token(self.yes), self.token(self.no))
        return xp.where(is_in[..., None], inside, outside), answers[..., None]

    def _words(
        self, member: bool, have: list[int], lengths_MB: Array, draw: Draw, max_length: int, xp: Arrays
    ) -> Array:
        """Return uniform words inside or outside the language; at lengths that have none, anything."""
        if 1 not in have:
            return places(lengths_MB, max_length, xp) * 0
        key = (member, max_length, id(xp))
        if key not in self._samplers:
            language = self.language if member else self._outside
            self._samplers[key] = WordSampler(language, max_length=max_length, xp=xp)
        possible = xp.where(xp.asarray(have)[lengths_MB] == 1, lengths_MB, have.index(1))
        words = self._samplers[key].sample(possible, draw)
        return xp.where(words < 0, 0, words)

    def _near_misses(
        self, inside: Array, outside: Array, any_in: Array, lengths_MB: Array, draw: Draw, xp: Arrays
    ) -> Array:
        """Return words of the language with one symbol replaced; where that stays in it four times, those outside."""
        number, width = len(self.language.alphabet), inside.shape[-1]
        table = xp.asarray(self.language.transitions)
        accepting = xp.asarray([int(state in self.language.accepting) for state in range(self.language.num_states)])
        batch = batch_of(draw, lengths_MB)
        place = places(lengths_MB, width, xp)
        found = outside
        for edit in reversed(range(_EDITS)):
            own = draw.at(edit)
            where = own.named("place").integers(xp.where(lengths_MB < 1, 1, lengths_MB), batch)
            other = own.named("symbol").integers(number - 1, batch) + 1
            edited = xp.where(place == where[..., None], (inside + other[..., None]) % number, inside)
            state = one_at(fold(edited, table, 0, xp), lengths_MB, xp)
            misses = any_in & (accepting[state] == 0) & (lengths_MB > 0)
            found = xp.where(misses[..., None], edited, found)
        return found


def _lengths_with_words(language: DFA, longest: int) -> list[int]:
    """Return 1 for every length up to the longest that has words, and 0 for the others."""
    reached = {0}
    have = []
    for _ in range(longest + 1):
        have.append(int(bool(reached & language.accepting)))
        reached = {target for state in reached for target in language.transitions[state]}
    return have


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageParameter(Parameter):
    """A regular language: a name, or an expression."""

    def read(self, family: str, text: str) -> str:  # noqa: ARG002
        """Return the text of a language, as its name is spelled; raise if there is no such language."""
        read_language(text)
        return next((known for known in LANGUAGES if known.casefold() == text.casefold()), text)


def accepts(text: str, alphabet: Iterable[str] | None = None) -> Accepts:
    """Return the question for a named language, an automaton file or a regular expression."""
    task = Accepts(read_language(text, alphabet), f"accepts({text})")
    task.revision = language_revision(text)
    return task


def _fixed(name: str, regex: str, definition: str, citation: str) -> Callable[[], Accepts]:
    return lambda: Accepts(compile_regex(regex), name, definition, citation)


FAMILIES: tuple[Family, ...] = (
    Family(
        name="accepts",
        group=Group.LANGUAGES,
        make=accepts,
        parameters=(LanguageParameter(name="language", default="D_2", meaning="a language or a regular expression"),),
    ),
    Family(
        name="even_pairs",
        group=Group.LANGUAGES,
        make=_fixed(
            "even_pairs",
            "()|a([ab]*a)?|b([ab]*b)?",
            "y if ab and ba together occur an even number of times, n if not; uniform on each side, half of both",
            "arXiv 2207.02098",
        ),
    ),
    Family(
        name="first",
        group=Group.LANGUAGES,
        make=_fixed(
            "first",
            "1[01]*",
            "y if the first symbol is 1, n if not; uniform on each side, half of both",
            "arXiv 2202.12172",
        ),
    ),
    Family(
        name="repeat_01",
        group=Group.LANGUAGES,
        make=_fixed(
            "repeat_01",
            "(01)*",
            "y if the word is 01 again and again, n if not; half of the words of even length are, the others differ by a symbol",
            "arXiv 2411.07107",
        ),
    ),
)
