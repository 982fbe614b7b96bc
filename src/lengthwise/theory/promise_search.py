"""From legal inputs to the certificate that counting does not suffice for them.

The proof of a NO for plain C-RASP needs a strongly connected part of the legal inputs, and two of its states that
balanced refinement never separates. Only edges between legal prefixes count, so that every input in the proof is legal.
Fewer edges allow more potentials: a task can be in the class although the language of all inputs is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..budget import checkpoint
from ..languages.components import strong_components
from .obstructions import blocks_of, generating_pairs, pair_as_data
from .potentials import Refinement, inner_edges, refine_edges
from .promises import AnswerAutomaton, PromiseCertificate, Word


def find_promise(automaton: AnswerAutomaton) -> PromiseCertificate | None:
    """Return the certificate that plain C-RASP cannot answer all legal inputs, or None if refinement shows no reason."""
    texts = _shortest_texts(automaton)
    for component in strong_components(automaton.transitions):
        if len(component) == 1 or component[0] not in texts:
            continue
        edges = inner_edges(automaton.transitions, component)
        refinement = refine_edges(component, edges, [0] * len(component))
        found = next(_confused(automaton, refinement), None)
        if found is not None:
            return _certificate(automaton, refinement, found, texts)
    return None


def _certificate(
    automaton: AnswerAutomaton, refinement: Refinement, confused: tuple[int, int], texts: dict[int, Word]
) -> PromiseCertificate:
    members = refinement.members
    pairs, pair_from_cycles = generating_pairs(refinement)

    def suffix_of(ends: tuple[int, int]) -> Word | None:
        return separating_text(automaton, *(members[end] for end in ends))

    head = next((pair for pair in pairs if suffix_of(pair.ends) is not None), None) or pair_from_cycles(*confused)
    suffix = suffix_of(head.ends)
    assert suffix is not None
    ordered = [head, *(pair for pair in pairs if pair is not head)]
    return PromiseCertificate(
        automaton=automaton,
        members=members,
        blocks=blocks_of(refinement),
        pairs=tuple(pair_as_data(automaton.decode, members, pair) for pair in ordered),
        enter=texts[members[head.start]],
        suffix=suffix,
    )


def _confused(automaton: AnswerAutomaton, refinement: Refinement) -> Iterator[tuple[int, int]]:
    """Yield pairs of members of one block after which some text has two different right answers."""
    groups: dict[int, list[int]] = {}
    for member, block in enumerate(refinement.blocks):
        groups.setdefault(block, []).append(member)
    for group in groups.values():
        for one, two in combinations(group, 2):
            if separating_text(automaton, refinement.members[one], refinement.members[two]) is not None:
                yield one, two


def separating_text(automaton: AnswerAutomaton, one: int, two: int) -> Word | None:
    """Return a shortest text, not empty, after which both states have answers and these differ, or None."""
    words: dict[tuple[int, int], tuple[int, ...]] = {(one, two): ()}
    queue = [(one, two)]
    for pair in queue:
        checkpoint()
        answers = {automaton.answers[state] for state in pair}
        if words[pair] and len(answers) == 2 and None not in answers:
            return automaton.decode(words[pair])
        for symbol, after in enumerate(zip(*(automaton.transitions[state] for state in pair), strict=True)):
            if after not in words and after[0] != after[1]:
                words[after] = (*words[pair], symbol)
                queue.append(after)
    return None


def _shortest_texts(automaton: AnswerAutomaton) -> dict[int, Word]:
    """Return for every state that can be reached a shortest text that leads to it."""
    texts: dict[int, Word] = {0: ()}
    queue = [0]
    for state in queue:
        for symbol, target in zip(automaton.alphabet, automaton.transitions[state], strict=True):
            if target not in texts:
                texts[target] = (*texts[state], symbol)
                queue.append(target)
    return texts
