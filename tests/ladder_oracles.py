"""Slow and obvious answers to the questions of the ladder: the definitions of the classes, and the theorems word for word.

Also the languages that both are asked about.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator
from random import Random
from typing import Any

from strategies import all_words, random_dfa, random_operator_tree, render

from lengthwise.errors import CapExceededError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.semigroup import TransitionSemigroup, transition_semigroup

# Languages


def small_languages(num_states: int = 3) -> Iterator[DFA]:
    """Yield every language over {a, b} with so few states, once."""
    met = set()
    rows = list(itertools.product(range(num_states), repeat=2))
    for transitions in itertools.product(rows, repeat=num_states):
        for number in range(2**num_states):
            accepting = [state for state in range(num_states) if number >> state & 1]
            language = DFA(alphabet="ab", transitions=transitions, accepting=accepting)
            if language not in met:
                met.add(language)
                yield language


def random_languages(seed: int, count: int, max_size: int) -> Iterator[TransitionSemigroup]:
    """Yield semigroups of different languages, of automata and of expressions, most of the latter aperiodic."""
    rng = Random(seed)
    met = set()
    while len(met) < count:
        alphabet = "abc"[: rng.randint(1, 3)]
        if rng.random() < 0.3:
            language = random_dfa(rng, rng.randint(2, 5), alphabet)
        else:
            text = render(random_operator_tree(rng, rng.randint(2, 3), alphabet))
            language = compile_regex(text, alphabet=alphabet)
        try:
            semigroup = transition_semigroup(language, cap=max_size)
        except CapExceededError:
            continue
        if language not in met:
            met.add(language)
            yield semigroup


# Definitions

Signature = tuple[Hashable, Callable[[Any, str], Hashable]]


def is_determined_by(language: DFA, signature: Signature) -> bool:
    """Say whether words with equal signatures are in the language together, by walking over all of them."""
    start, step = signature
    met = {(start, 0)}
    queue = [(start, 0)]
    is_in: dict[Hashable, bool] = {}
    for sign, state in queue:
        if is_in.setdefault(sign, state in language.accepting) != (state in language.accepting):
            return False
        for symbol, target in zip(language.alphabet, language.transitions[state], strict=True):
            after = (step(sign, symbol), target)
            if after not in met:
                met.add(after)
                queue.append(after)
    return True


def subwords(k: int) -> Signature:
    """The set of subwords of up to k symbols."""
    return frozenset([""]), lambda found, symbol: found | {word + symbol for word in found if len(word) < k}


def ordered_factors(k: int, m: int) -> Signature:
    """The first and last k - 1 symbols, and which up to m factors of k symbols come one after the other."""

    def step(sign: tuple[str, str, frozenset[tuple[str, ...]]], symbol: str) -> Hashable:
        prefix, suffix, found = sign
        window = suffix + symbol
        if len(window) == k:
            found |= {(*factors, window) for factors in found if len(factors) < m}
        return prefix + symbol if len(prefix) < k - 1 else prefix, window[1:] if len(window) == k else window, found

    return ("", "", frozenset([()])), step


def has_allowed_factors(language: DFA, k: int) -> bool:
    """Say whether a short word is in the language exactly if all its factors are factors of words of the language."""

    def factors(word: str) -> set[str]:
        marked = f"<{word}>"
        return {marked[at : at + k] for at in range(max(1, len(marked) - k + 1))}

    words = list(all_words("ab", 8))
    allowed = set().union(*(factors(word) for word in words if word in language))
    return all((word in language) == (factors(word) <= allowed) for word in words if len(word) <= 6)


# Theorems


def local_part(semigroup: TransitionSemigroup, e: int, f: int) -> set[int]:
    """The elements e·s·f."""
    return {semigroup.multiply(semigroup.multiply(e, s), f) for s in range(semigroup.size)}


def idempotent_power(semigroup: TransitionSemigroup, x: int) -> int:
    power = x
    while semigroup.multiply(power, power) != power:
        power = semigroup.multiply(power, x)
    return power


def is_locally_a_semilattice(semigroup: TransitionSemigroup) -> bool:
    multiply = semigroup.multiply
    return all(
        multiply(x, x) == x and all(multiply(x, y) == multiply(y, x) for y in part)
        for part in (local_part(semigroup, e, e) for e in semigroup.idempotents)
        for x in part
    )


def satisfies_knast(semigroup: TransitionSemigroup) -> bool:
    multiply = semigroup.multiply
    for e, f in itertools.product(semigroup.idempotents, repeat=2):
        there, back = local_part(semigroup, e, f), local_part(semigroup, f, e)
        powers = {(a, b): idempotent_power(semigroup, multiply(a, b)) for a in there for b in back}
        for ((a, _), p), ((_, d), q) in itertools.product(powers.items(), repeat=2):
            if multiply(multiply(p, multiply(a, d)), q) != multiply(p, q):
                return False
    return True


def is_j_trivial(semigroup: TransitionSemigroup) -> bool:
    elements, multiply = range(semigroup.size), semigroup.multiply
    ideals = set()
    for x in elements:
        left = {x, *(multiply(s, x) for s in elements)}
        ideals.add(frozenset(left | {multiply(y, s) for y in left for s in elements}))
    return len(ideals) == semigroup.size


def is_zero(semigroup: TransitionSemigroup, x: int) -> bool:
    return set(semigroup.right[x]) == set(semigroup.left[x]) == {x}


def element_of(semigroup: TransitionSemigroup, word: str) -> int:
    found = tuple(semigroup.language.run(word, state) for state in range(semigroup.language.num_states))
    return semigroup.elements.index(found)
