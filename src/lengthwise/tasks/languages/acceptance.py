"""Is the word in the language? Every regular language as a question that is answered with y or n."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError, UnknownNameError, unknown_name
from ...languages.catalog import LANGUAGES, find_language
from ...languages.dfa import DFA
from ...languages.dfa_algebra import over_alphabet, shortest_word, word_counts
from ...languages.dfa_files import read_dfa
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler
from ...languages.word_lengths import lengths_with_words
from ...names import Parameter, is_plain_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.family import Family, Group
from ..core.row_functions import batch_of, places
from ..core.task import OneSymbolTask
from ..user.source import language_revision
from .pairs import MOST_CANDIDATES, PairKinds, WordPairs

_FAR = 2000
"""Lengths with words of both kinds go on forever if there are some in the second half of so many."""
_SHORT = 64


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

    Only lengths that have words of both kinds are used, and at each a coin says which kind. A language without such lengths,
    or with a few short ones only, has all lengths, and the answer at most of them is the only one there is.

    Words come in pairs that look alike (:class:`WordPairs`): one is uniform among the kind that has fewer words, the other
    is made from it by a small change. Where no change leads to the other kind, the word is uniform among those of that kind.
    """

    length_means = "the number of symbols of the word"
    citation = "after arXiv 2207.02098 and arXiv 2009.11264"
    attempts = MOST_CANDIDATES
    revision = 2

    def __init__(
        self, language: DFA, name: str, definition: str = "", citation: str = "", *, is_uniform: bool = False
    ) -> None:
        outside = ~language
        for one, what in ((language, "empty"), (outside, "everything")):
            if shortest_word(one) is None:
                raise InvalidOptionError(
                    f"the language {name!r} is {what}: there is only one answer.", hint="choose another language."
                )
        self.language, self._outside = language, outside
        self.name = name
        self.definition = definition or (
            "y if the word is in the language, n if not; half of the words are, and most others differ from one that is by a "
            "small change that is hard to see"
        )
        self.citation = citation or self.citation
        yes, no = "y", "n"
        while {yes, no} & set(language.alphabet):
            yes, no = f"{yes}!", f"{no}!"
        self.yes, self.no = yes, no
        self.symbols = (*language.alphabet, yes, no)
        self.facts = Facts(language=language)
        with_both = [length for length, kinds in enumerate(self._kinds(_FAR)) if all(kinds)]
        self._is_balanced = bool(with_both) and with_both[-1] > _FAR // 2
        self.min_length = with_both[0] if self._is_balanced else 0
        base = self.language if self.is_sparse else self._outside
        self._pairs = None if is_uniform else WordPairs(language, base, PairKinds(pumped=8, plain=24, near=False))
        self._samplers: dict[tuple[bool, int, int], WordSampler] = {}

    @cached_property
    def is_sparse(self) -> bool:
        """Whether at most half of all short words are in the language."""
        inside, outside = (
            sum(counts[0] for counts in word_counts(side, _SHORT)) for side in (self.language, self._outside)
        )
        return inside <= outside

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that have words of both kinds; where those end soon, all lengths."""
        kinds = self._kinds(high)
        return tuple(length for length in range(low, high + 1) if not self._is_balanced or all(kinds[length]))

    def _kinds(self, longest: int) -> list[tuple[bool, bool]]:
        """Return for each length whether it has words in the language, and words outside it."""
        sides = (lengths_with_words(side, longest) for side in (self.language, self._outside))
        return list(zip(*sides, strict=True))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return y or n."""
        return [self.yes if tuple(prompt) in self.language else self.no]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words of which half are in the language, where a length has both kinds."""
        batch = batch_of(draw, lengths_MB)
        any_in, any_out = (
            xp.asarray(lengths_with_words(side, max_length))[lengths_MB] == 1 for side in (self.language, self._outside)
        )
        coin = draw.named("coin").integers(2, batch) == 1
        is_in = any_in & (coin | ~any_out)
        inside, outside = self._both_sides(lengths_MB, draw, max_length, xp)
        answers = xp.where(is_in, self.token(self.yes), self.token(self.no))
        return xp.where(is_in[..., None], inside, outside), answers[..., None]

    def _both_sides(self, lengths_MB: Array, draw: Draw, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words in the language and words outside it; where a length has none, anything."""
        if self._pairs is None:
            inside, outside = (
                self._words(member, lengths_MB, draw.named("inside" if member else "outside"), max_length, xp)
                for member in (True, False)
            )
            return inside, outside
        words, partners, is_found = self._pairs.draw(draw.named("pairs"), lengths_MB, max_length, xp)
        others = self._words(not self.is_sparse, lengths_MB, draw.named("others"), max_length, xp)
        others = xp.where(is_found[..., None], partners, others)
        return (words, others) if self.is_sparse else (others, words)

    def _words(self, member: bool, lengths_MB: Array, draw: Draw, max_length: int, xp: Arrays) -> Array:
        """Return uniform words inside or outside the language; at lengths that have none, anything."""
        language = self.language if member else self._outside
        have = lengths_with_words(language, max_length)
        if True not in have:
            return places(lengths_MB, max_length, xp) * 0
        key = (member, max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(language, max_length=max_length, xp=xp)
        possible = xp.where(xp.asarray(have)[lengths_MB] == 1, lengths_MB, have.index(True))
        words = self._samplers[key].sample(possible, draw)
        return xp.where(words < 0, 0, words)


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
    task.revision = language_revision(text) + Accepts.revision - 1
    return task


def _fixed(name: str, regex: str, definition: str, citation: str, *, is_uniform: bool = False) -> Callable[[], Accepts]:
    return lambda: Accepts(compile_regex(regex), name, definition, citation, is_uniform=is_uniform)


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
            is_uniform=True,
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
            is_uniform=True,
        ),
    ),
    Family(
        name="repeat_01",
        group=Group.LANGUAGES,
        make=_fixed(
            "repeat_01",
            "(01)*",
            "y if the word is 01 again and again, n if not; half of the words are, the others differ by a small change",
            "arXiv 2411.07107",
        ),
    ),
)
