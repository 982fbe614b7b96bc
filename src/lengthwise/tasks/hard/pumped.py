"""Words from the witness of a NO: pairs, one in the language and one not, that no program of the class keeps apart."""

from __future__ import annotations

from collections.abc import Sequence

from ...crasp.fragments import Fragment
from ...errors import CapExceededError
from ...languages.dfa import DFA
from ...languages.next_symbols import live_states
from ...theory.adversarial import Pair, adversarial_pairs
from ...theory.certificates import Certificate
from ...theory.claims import Answer
from ...theory.deciders import decide
from ...theory.facts import Facts
from ..core.task import AnswerTask, Task
from .regular import language_of, with_words
from .sources import Table, TableSource, table_of_words

KIND = "pumped"
FRAGMENTS = (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)
"""The smallest and the largest class: pairs come from the NO of either."""


def pumped(task: Task) -> Task | None:
    """Return the pumped words of a task about a regular language, or None where nothing says NO."""
    language = language_of(task)
    if language is None:
        return None
    certificates = refusals(language)
    source = PumpedWords(language, certificates, only_live=not isinstance(task, AnswerTask))
    if not source.has_any:
        return None
    definition = "words from the certificate of a NO, in the language and not in it, that no program keeps apart"
    return with_words(task, KIND, source, definition)


def refusals(language: DFA) -> list[Certificate]:
    """Return the certificates that membership is in neither the smallest nor the largest class, as far as there are any."""
    verdicts = [decide(Facts(language=language), fragment) for fragment in FRAGMENTS]
    return [
        verdict.certificate for verdict in verdicts if verdict.answer is Answer.NO and verdict.certificate is not None
    ]


def pumped_pairs(certificate: Certificate, longest: int) -> list[Pair]:
    """Return the pairs of which one word, at least, is not longer than this."""
    pairs: list[Pair] = []
    number = 1
    try:
        while len(pairs) <= longest:  # every turn of the loop adds a letter at least
            pairs = adversarial_pairs(certificate, number)
            if min(map(len, pairs[-1])) > longest:
                break
            number *= 2
    except CapExceededError:
        pass  # longer pairs than can be held: those found so far are what there is
    return [pair for pair in pairs if min(map(len, pair)) <= longest]


class PumpedWords(TableSource):
    """All words of the pairs of some certificates; ``only_live`` leaves out those that no word begins with."""

    def __init__(self, language: DFA, certificates: Sequence[Certificate], *, only_live: bool) -> None:
        super().__init__()
        self._language, self._certificates = language, certificates
        self._live = live_states(language) if only_live else frozenset(range(language.num_states))

    @property
    def has_any(self) -> bool:
        """Whether there are words: those of the first few pairs decide, as a loop never leaves what is live."""
        return any(
            self._is_live(word) for each in self._certificates for pair in adversarial_pairs(each, 2) for word in pair
        )

    def make_table(self, max_length: int) -> Table:
        """Return the words up to a length."""
        words = (word for each in self._certificates for pair in pumped_pairs(each, max_length) for word in pair)
        return table_of_words(
            self._language, (word for word in words if len(word) <= max_length and self._is_live(word))
        )

    def _is_live(self, word: Sequence[str]) -> bool:
        return self._language.run(word) in self._live
