"""Words at the border of a language: pairs that look alike, one in the language and one outside it."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...seeds import Draw
from ..core.row_functions import batch_of
from ..core.task import Task
from ..languages.acceptance import Accepts
from ..languages.pairs import PairKinds, WordPairs
from .regular import with_words
from .sources import SampledSource

KIND = "near"
MOST_STATES = 300
"""How many states the automaton of the border may have; where it needs more there is no such set."""


def near(task: Task) -> Task | None:
    """Return words that a small change leads to the other side, for the question whether a word is in a language."""
    if not isinstance(task, Accepts):
        return None
    found = border(task.language)
    if found is None:
        return None
    definition = (
        "pairs of a word in the language and one outside it that look alike: a symbol replaced, two swapped, or two segments "
        "exchanged; half of both"
    )
    return with_words(task, KIND, NearPairs(task, *found), definition)


class NearPairs(SampledSource):
    """Words of which one edit leads to the other side, of the kind that is rarer, and partners that look like them."""

    def __init__(self, task: Accepts, inside: DFA, outside: DFA) -> None:
        super().__init__(inside, outside)
        self._task = task
        base = inside if task.is_sparse else outside
        self._pairs = WordPairs(task.language, base, PairKinds(pumped=0, plain=0, near=True))

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return either word of a pair; without a partner, a uniform word at the border on that side."""
        uniform = super().draw_words(draw, lengths_MB, max_length, xp)
        base, partners, is_found = self._pairs.draw(draw.named("pairs"), lengths_MB, max_length, xp)
        is_base = draw.named("member").integers(2, batch_of(draw, lengths_MB)) == 1
        either = xp.where(is_base[..., None], base, partners)
        return xp.where(is_found[..., None], either, uniform)


def border(language: DFA, most_states: int = MOST_STATES) -> tuple[DFA, DFA] | None:
    """Return the words of a language that one edit leads out of, and the words outside that one leads into.

    An edit replaces, inserts or deletes one symbol. A state is where the word itself leads, and where all words with one
    edit so far lead. None if that takes too many states.
    """
    steps = language.transitions
    number = len(language.alphabet)
    start = (0, frozenset(steps[0]))  # a word that has lost its first symbol
    numbers = {start: 0}
    queue = [start]
    rows = []
    for state, edited in queue:
        row = []
        for symbol in range(number):
            target = steps[state][symbol]
            after = {steps[each][symbol] for each in edited}
            after |= {steps[state][other] for other in range(number) if other != symbol}  # replaced
            after |= {state}  # inserted
            after |= set(steps[target])  # the next one deleted
            found = (target, frozenset(after))
            if found not in numbers:
                numbers[found] = len(numbers)
                queue.append(found)
                if len(queue) > most_states:
                    return None
            row.append(numbers[found])
        rows.append(row)

    def where(is_in: bool) -> DFA:
        accepting = [
            place
            for place, (state, edited) in enumerate(queue)
            if (state in language.accepting) is is_in
            and any((each in language.accepting) is not is_in for each in edited)
        ]
        return DFA(alphabet=language.alphabet, transitions=rows, accepting=accepting)

    return where(True), where(False)
