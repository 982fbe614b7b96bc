"""Rules that are the solution: proved for all words of a regular language, of every length."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

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


def state_answers(task: Task) -> StateAnswers | None:
    """Return what a task asks for in each state of its language; None if it is not about a regular language.

    A hard set asks what its task asks.
    """
    base = task.base if isinstance(task, HardAnswers | HardNextSymbols | HardStates) else task
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
