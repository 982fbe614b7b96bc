"""NO by a cited theorem: the language hides one that is known not to be in C-RASP[periodic, local].

If {w : u·h(w)·z in L} is not in the class for some words u, z and letters h(a), then L is not, because the class is
closed under quotients and letter-for-letter substitutions. The same holds for {w : a can follow u·h(w)·z}, because a
program for next symbols that may use windows gives one for membership, and one for "can still become a word". The
search below tries all u, z and h for small alphabets.
"""

from __future__ import annotations

from itertools import product

from ..crasp.fragments import Fragment
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, shortest_path
from ..languages.next_symbols import live_states
from ..languages.regex import compile_regex
from .certificates import ReductionCertificate
from .claims import Asked

MAX_TRIES = 20_000
MAX_STEPS = 300_000  # pairs of states walked over, in all tries together
MAX_SUFFIX_STEPS = 64


def known_non_members() -> dict[str, DFA]:
    """Return the languages proved or stated in arXiv 2410.02140 not to be in C-RASP[periodic, local], by name."""
    tomita_3 = [[0, 1], [2, 0], [3, 4], [2, 1], [4, 4]]
    return {
        "PARITY": compile_regex("b*(ab*ab*)*"),
        "{0,1,2}*02*": compile_regex("[012]*02*"),
        "TOMITA_3": DFA(alphabet="01", transitions=tomita_3, accepting=[0, 1, 3]),
        "TOMITA_5": DFA(alphabet="01", transitions=[[1, 2], [0, 3], [3, 0], [2, 1]], accepting=[0]),
        "TOMITA_6": DFA(alphabet="01", transitions=[[1, 2], [2, 0], [0, 1]], accepting=[0]),
    }


def find_reduction(language: DFA, fragment: Fragment, asked: Asked) -> ReductionCertificate | None:
    """Return a reduction of a known non-member to the language, or None when the search finds none."""
    num_symbols = len(language.alphabet)
    readings = _readings(language, asked)
    tries = 0
    budget = [MAX_STEPS]
    for name, target in known_non_members().items():
        if target.num_states > language.num_states:
            continue  # every state of the target needs a state of its own
        for start in range(language.num_states):
            for images in product(range(num_symbols), repeat=len(target.alphabet)):
                tries += 1
                if tries > MAX_TRIES or budget[0] < 0:
                    return None
                states = _matched_states(language, start, images, target, budget)
                if states is None:
                    continue
                for reads, yes in readings.items():
                    suffix = _separating_word(language, states, yes)
                    if suffix is not None:
                        prefix = shortest_path(language, 0, start.__eq__)
                        assert prefix is not None
                        return ReductionCertificate(
                            language=language,
                            fragment=fragment,
                            target=name,
                            images=tuple(zip(target.alphabet, language.decode(images), strict=True)),
                            prefix=prefix,
                            suffix=suffix,
                            asked=asked,
                            reads=reads,
                        )
    return None


def _readings(language: DFA, asked: Asked) -> dict[str | None, frozenset[int]]:
    """Return what may be read off a state, each with the states where it is so: that the word may end, or go on."""
    readings: dict[str | None, frozenset[int]] = {None: language.accepting}
    if asked is Asked.NEXT_SYMBOLS:
        live = live_states(language)
        for number, symbol in enumerate(language.alphabet):
            readings[symbol] = frozenset(state for state in live if language.transitions[state][number] in live)
    return readings


def _matched_states(
    language: DFA, start: int, images: tuple[int, ...], target: DFA, budget: list[int]
) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return where h(w) leads from ``start`` for the words w of the target and for all others; None if they overlap."""
    met = {(0, start)}
    queue = [(0, start)]
    inside: set[int] = set()
    outside: set[int] = set()
    for goal, state in queue:
        budget[0] -= 1
        (inside if goal in target.accepting else outside).add(state)
        if inside & outside:
            return None
        for symbol, after in enumerate(target.transitions[goal]):
            pair = (after, language.transitions[state][images[symbol]])
            if pair not in met:
                met.add(pair)
                queue.append(pair)
    return frozenset(inside), frozenset(outside)


def _separating_word(language: DFA, states: tuple[frozenset[int], frozenset[int]], yes: frozenset[int]) -> Word | None:
    """Return a short word that leads all of the first set to a yes and none of the second, or None."""
    words: dict[tuple[frozenset[int], frozenset[int]], tuple[int, ...]] = {states: ()}
    queue = [states]
    for first, second in queue:
        if first <= yes and not second & yes:
            return language.decode(words[first, second])
        if len(queue) > MAX_SUFFIX_STEPS:
            continue
        for symbol in range(len(language.alphabet)):
            after = (
                frozenset(language.transitions[state][symbol] for state in first),
                frozenset(language.transitions[state][symbol] for state in second),
            )
            if after not in words and not after[0] & after[1]:
                words[after] = (*words[first, second], symbol)
                queue.append(after)
    return None
