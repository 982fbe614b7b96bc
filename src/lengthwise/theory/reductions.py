"""NO by a cited theorem: the language hides one that is known not to be in C-RASP[periodic, local].

If {w : u·h(w)·z in L} is not in the class for some words u, z and letters h(a), then L is not, because the class is
closed under quotients and letter-for-letter substitutions. The search below tries all of them for small alphabets.
"""

from __future__ import annotations

from itertools import product

from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, shortest_path
from ..languages.regex import compile_regex
from .certificates import ReductionCertificate
from .claims import Fragment

MAX_TRIES = 20_000
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


def find_reduction(language: DFA, fragment: Fragment) -> ReductionCertificate | None:
    """Return a reduction of a known non-member to the language, or None when the search finds none."""
    num_symbols = len(language.alphabet)
    tries = 0
    for name, target in known_non_members().items():
        if target.num_states > language.num_states:
            continue  # every state of the target needs a state of its own
        for start in range(language.num_states):
            for images in product(range(num_symbols), repeat=len(target.alphabet)):
                tries += 1
                if tries > MAX_TRIES:
                    return None
                suffix = _matching_suffix(language, start, images, target)
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
                    )
    return None


def _matching_suffix(language: DFA, start: int, images: tuple[int, ...], target: DFA) -> Word | None:
    """Return z such that the target's word w is accepted exactly if h(w)·z is, from ``start``, or None."""
    met = {(0, start)}
    queue = [(0, start)]
    inside: set[int] = set()
    outside: set[int] = set()
    for goal, state in queue:
        (inside if goal in target.accepting else outside).add(state)
        if inside & outside:
            return None
        for symbol, after in enumerate(target.transitions[goal]):
            pair = (after, language.transitions[state][images[symbol]])
            if pair not in met:
                met.add(pair)
                queue.append(pair)
    return _separating_word(language, frozenset(inside), frozenset(outside))


def _separating_word(language: DFA, inside: frozenset[int], outside: frozenset[int]) -> Word | None:
    """Return a short word accepted from all states of the first set and from none of the second, or None."""
    words: dict[tuple[frozenset[int], frozenset[int]], tuple[int, ...]] = {(inside, outside): ()}
    queue = [(inside, outside)]
    for yes, no in queue:
        if yes <= language.accepting and not no & language.accepting:
            return language.decode(words[yes, no])
        if len(queue) > MAX_SUFFIX_STEPS:
            continue
        for symbol in range(len(language.alphabet)):
            after = (
                frozenset(language.transitions[state][symbol] for state in yes),
                frozenset(language.transitions[state][symbol] for state in no),
            )
            if after not in words and not after[0] & after[1]:
                words[after] = (*words[yes, no], symbol)
                queue.append(after)
    return None
