"""Rules that are the solution: proved for all words of a regular language, of every length.

Other tasks name such rules themselves (``decided_by``), and tests compare these with the task on all short inputs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Never

from ...languages.dfa import DFA
from ...languages.next_symbols import live_states
from ..core.task import AnswerTask, Task
from ..hard.base import HardAnswers
from ..hard.regular import HardNextSymbols, HardStates, language_of, words_to_states
from ..languages.regular import NextSymbols
from .rules import Rule

MOST_PAIRS = 20_000
"""How many pairs of a state and a memory are looked at; where there are more, nothing is proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateAnswers:
    """A task about a regular language: what is asked for in each state, and which states a legal input may pass."""

    language: DFA
    answers: tuple[Hashable, ...]
    legal: frozenset[int]


def task_asked(task: Task) -> Task:
    """Return the task itself or, for a hard set, the task that it belongs to: both ask the same."""
    return task.base if isinstance(task, HardAnswers | HardNextSymbols | HardStates) else task


def state_answers(task: Task) -> StateAnswers | None:
    """Return what a task asks for in each state of its language; None if it is not about a regular language."""
    base = task_asked(task)
    language = language_of(base)
    if language is None:
        return None
    if isinstance(base, AnswerTask):
        answers = tuple(tuple(base.answer(word)) for word in words_to_states(language))
        return StateAnswers(language=language, answers=answers, legal=frozenset(range(language.num_states)))
    sets: Sequence[Hashable] = base.sets if isinstance(base, NextSymbols) else range(language.num_states)
    return StateAnswers(language=language, answers=tuple(sets), legal=live_states(language))


def is_inherent(rule: Rule, alphabet: Sequence[str], asked: StateAnswers) -> bool:
    """Return whether the key of a rule determines the answer to every legal input, of every length.

    An input leads to a pair of a state and the memory of the rule. All pairs are looked at that some input leads to. Where
    they are too many, as with most rules that compare counts, the answer is no, because nothing is proved.
    """
    language = asked.language
    numbers = [alphabet.index(symbol) if symbol in alphabet else -2 for symbol in language.alphabet]
    found: dict[Hashable, Hashable] = {}
    pairs: list[tuple[int, Hashable]] = [(0, rule.start)]
    known = set(pairs)
    for state, memory in pairs:
        answer = asked.answers[state]
        if found.setdefault(rule.read(memory), answer) != answer:
            return False
        for target, number in zip(language.transitions[state], numbers, strict=True):
            pair = (target, rule.step(memory, number))
            if target in asked.legal and pair not in known:
                known.add(pair)
                pairs.append(pair)
        if len(pairs) > MOST_PAIRS:
            return False
    return True


JOINED: tuple[tuple[str, ...], ...] = (
    ("first 3 symbols", "last 3 symbols", "set of pairs of neighbours", "set of triples of neighbours"),
    (
        "first 3 symbols",
        "last 3 symbols",
        "which symbols occur once, and which more often",
        "set of pairs of neighbours",
    ),
    ("first symbol", "last symbol", "all counts modulo 2", "all counts of pairs of neighbours modulo 2"),
    ("first 3 symbols", "last 3 symbols", "number of runs, up to 8", "longest run, up to 4"),
    ("length modulo 4", "length modulo 3", "first symbol", "last symbol", "set of pairs of neighbours"),
)
"""Rules that are looked at together."""


def joined_solution(rules: Sequence[Rule], alphabet: Sequence[str], asked: StateAnswers) -> tuple[str, ...] | None:
    """Return the names of rules that determine every answer together, none of which has to do so alone; None if none is found.

    Then the language is one of those that superficial signs define, and no choice of words hides all of them.
    """
    by_name = {rule.name: rule for rule in rules}
    for names in JOINED:
        found = [by_name[name] for name in names if name in by_name]
        if found and is_inherent(_joined(found), alphabet, asked):
            return tuple(rule.name for rule in found)
    return None


def _joined(rules: Sequence[Rule]) -> Rule:
    """Return the rule that looks at everything that some rules look at; it has a machine only."""

    def no_key(_: object) -> Never:
        raise NotImplementedError("a joined rule is read by its machine")

    return Rule(
        name=" and ".join(rule.name for rule in rules),
        key=no_key,
        start=tuple(rule.start for rule in rules),
        step=lambda memories, symbol: tuple(
            rule.step(memory, symbol) for rule, memory in zip(rules, memories, strict=True)
        ),
        read=lambda memories: tuple(rule.read(memory) for rule, memory in zip(rules, memories, strict=True)),
    )


def least_share(rule: Rule, alphabet: Sequence[str], language: DFA, length: int, *, is_inside: bool) -> Fraction | None:
    """Return what a rule scores at least on words of a length, half of them uniform in a language, or outside it.

    However the other half is chosen among the words on the other side, the rule is right on all words whose key no word of
    the other side has, and a constant is right on half of the rest. None where a side has no word or there is too much to
    look at.
    """
    counts: dict[tuple[int, Hashable], int] = {(0, rule.start): 1}
    numbers = [alphabet.index(symbol) if symbol in alphabet else -2 for symbol in language.alphabet]
    for _ in range(length):
        after: dict[tuple[int, Hashable], int] = {}
        for (state, memory), number in counts.items():
            for target, symbol in zip(language.transitions[state], numbers, strict=True):
                pair = (target, rule.step(memory, symbol))
                after[pair] = after.get(pair, 0) + number
        if len(after) > MOST_PAIRS:
            return None
        counts = after
    own: dict[Hashable, int] = {}
    others: set[Hashable] = set()
    for (state, memory), number in counts.items():
        key = rule.read(memory)
        if (state in language.accepting) is is_inside:
            own[key] = own.get(key, 0) + number
        else:
            others.add(key)
    if not own or not others:
        return None
    told = sum(number for key, number in own.items() if key not in others)
    return Fraction(1, 2) + Fraction(told, 2 * sum(own.values()))
