"""Words at the border of a language: one edit leads from each of them to the other side."""

from __future__ import annotations

from ...languages.dfa import DFA
from ..core.task import Task
from ..languages.acceptance import Accepts
from .regular import with_words
from .sources import SampledSource

KIND = "near"
MOST_STATES = 300
"""How many states the automaton of the border may have; where it needs more there is no such set."""


def near(task: Task) -> Task | None:
    """Return words within one edit of the other side, for the question whether a word is in a language."""
    if not isinstance(task, Accepts):
        return None
    found = border(task.language)
    if found is None:
        return None
    definition = "words in the language with a word outside it one edit away, and the other way round; half of both"
    return with_words(task, KIND, SampledSource(*found), definition)


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
