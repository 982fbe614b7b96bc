"""Classes that an automaton shows by the order of its states and by its letters.

Every ``why_not_…`` returns a sentence that shows why a language is not in the class, or None when it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..budget import checkpoint
from .alphabet import show_word
from .components import strong_components
from .dfa import DFA
from .dfa_algebra import Word
from .semigroup import Transformation, TransitionSemigroup
from .walks import show_briefly, show_path


def why_not_finite_or_cofinite(language: DFA) -> str | None:
    """Find two states on cycles.

    A language is finite or cofinite exactly if one state alone lies on a cycle: then every long word ends there. In
    algebra: its syntactic semigroup is nilpotent (Eilenberg 1976).
    """
    looping = []
    for component in strong_components(language.transitions):
        looping += [state for state in component if len(component) > 1 or state in language.transitions[state]]
    if len(looping) == 1:
        return None
    one, two = (
        f"{show_path(language, 0, state)} and then any power of {show_path(language, state, state, at_least=1)}"
        for state in looping[:2]
    )
    return f"{one} leads to one state, {two} to another."


def why_not_r_trivial(language: DFA) -> str | None:
    """Find two states that lead to each other.

    A language has an R-trivial syntactic monoid exactly if every strongly connected component of its minimal automaton
    is a single state (Brzozowski and Fich 1980).
    """
    for component in strong_components(language.transitions):
        if len(component) > 1:
            one, two = component[:2]
            there, back = show_path(language, one, two), show_path(language, two, one)
            start = show_path(language, 0, one)
            return f"after {start}, {there} leads to another state and {back} from there back again."
    return None


def why_not_piecewise_testable(language: DFA) -> str | None:
    """Find a cycle, or a state from which two letters lead apart for good.

    A language is piecewise testable exactly if its syntactic monoid is J-trivial (Simon 1975); exactly if its minimal
    automaton has no cycle but loops, and for every state q and letters a, b some word w over {a, b} has q·a·w = q·b·w
    (Klíma and Polák 2013). Here w may always be (ab)ⁿ with n the number of states: in a J-trivial monoid
    a(ab)ⁿ = (ab)ⁿ = b(ab)ⁿ.
    """
    cycle = why_not_r_trivial(language)
    if cycle is not None:
        return cycle
    letters: dict[Transformation, str] = {}
    for symbol, letter in zip(language.alphabet, zip(*language.transitions, strict=True), strict=True):
        letters.setdefault(letter, symbol)
    for one, two in _pairs(list(letters)):
        settled = _power([two[state] for state in one], language.num_states)
        for state in range(language.num_states):
            if settled[one[state]] != settled[two[state]]:
                a, b, start = letters[one], letters[two], show_path(language, 0, state)
                both = f"({show_word([a, b])})ⁿ"
                return f"after {start}, {a}·{both} and {b}·{both} lead to different states for all large n."
    return None


def why_not_group(language: DFA) -> str | None:
    """Find a letter that takes two states to one; without any, every word permutes the states."""
    for symbol, letter in zip(language.alphabet, zip(*language.transitions, strict=True), strict=True):
        met: dict[int, int] = {}
        for state, target in enumerate(letter):
            if target in met:
                one, two = show_path(language, 0, met[target]), show_path(language, 0, state)
                return f"{one} and {two} lead to different states, and {symbol} from both to one."
            met[target] = state
    return None


def why_not_star_free(semigroup: TransitionSemigroup) -> str | None:
    """Find an element whose powers go round.

    A language is star-free exactly if its syntactic semigroup is aperiodic: every x has xⁿ = xⁿ⁺¹ for some n
    (Schützenberger 1965).
    """
    for number, element in enumerate(semigroup.elements):
        checkpoint()
        found = _why_periodic(semigroup.language, element, semigroup.words[number])
        if found is not None:
            return found
    return None


def why_not_star_free_by_a_letter(language: DFA) -> str | None:
    """Find a letter whose powers go round; needs no semigroup, but None says nothing."""
    for symbol, letter in zip(language.alphabet, zip(*language.transitions, strict=True), strict=True):
        found = _why_periodic(language, letter, (symbol,))
        if found is not None:
            return found
    return None


def _why_periodic(language: DFA, element: Transformation, word: Word) -> str | None:
    settled = _power(list(element), language.num_states)
    for state, target in enumerate(settled):
        if element[target] != target:
            period, at = 1, element[target]
            while at != target:
                period, at = period + 1, element[at]
            start = show_path(language, 0, state)
            return f"after {start}, the powers of {show_briefly(word)} go round with period {period}."
    return None


def _power(element: list[int], at_least: int) -> list[int]:
    """Return a power of a map, with an exponent of at least so many."""
    exponent = 1
    while exponent < at_least:
        element = [element[state] for state in element]
        exponent *= 2
    return element


def _pairs(letters: list[Transformation]) -> Iterator[tuple[Transformation, Transformation]]:
    for number, one in enumerate(letters):
        for two in letters[:number]:
            yield two, one
