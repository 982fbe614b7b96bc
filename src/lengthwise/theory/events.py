"""One-way events of an automaton, in words: what happens in an input that nothing later can undo."""

from __future__ import annotations

from ..languages.alphabet import show_word
from ..languages.components import strong_components
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, shortest_path

_SHOWN_LETTERS = 40

THE_BEGINNING = "how the input began"


def one_way_events(language: DFA) -> str:
    """Return what a model has to notice beside where it is in the input's present phase, with an example; empty if nothing.

    A phase is a strongly connected component of the automaton: once left, it never comes back.
    """
    final, examples = _final_answers(language)
    components = strong_components(language.transitions)
    if len(components) == 1:
        return ""
    phases = [part for part in components if len(part) > 1 or part[0] not in final]
    if (
        components[0] == [0]
        and 0 not in language.transitions[0]
        and all(_is_closed(language, part) for part in components[1:])
    ):
        return THE_BEGINNING
    if len(phases) > 1 or not final:
        ending = shortest_path(language, 0, lambda state: state not in components[0])
        assert ending is not None, "the first component is left"
        example = listed(examples) if examples else f"{quoted_word(ending)} ends the first one"
        return f"which phase of the input has been reached, where a phase never comes back once it is over ({example})"
    is_error = not any(state in language.accepting for state in final)
    noticed = "whether an error has occurred" if is_error else "whether the answer is already final"
    return f"{noticed} ({listed(examples)})"


def _is_closed(language: DFA, part: list[int]) -> bool:
    """Return whether no symbol leads out of some states."""
    inside = set(part)
    return all(inside.issuperset(language.transitions[state]) for state in part)


def final_examples(language: DFA) -> str:
    """Return the shortest words after which the answer is final, in words; empty where there are none."""
    return listed(_final_answers(language)[1])


def _final_answers(language: DFA) -> tuple[list[int], list[str]]:
    """Return the states that are never left, and what the shortest word to each of them brings about."""
    final = [state for state, targets in enumerate(language.transitions) if set(targets) == {state}]
    examples = []
    for state in final:
        word = shortest_path(language, 0, state.__eq__)
        assert word is not None, "every state is reached"
        told = "always accepted" if state in language.accepting else "never accepted"
        examples.append(f"an input that begins with {quoted_word(word)} is {told}")
    return final, examples


def listed(parts: list[str]) -> str:
    """Return several things as one phrase."""
    if len(parts) == 2 and " and " not in parts[0] and ", " not in parts[0]:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def quoted_word(word: Word) -> str:
    """Return a word as it stands in a sentence, shortened if it is long."""
    if not word:
        return "the empty word"
    shown = show_word(word)
    return f"'{shown}'" if len(shown) <= _SHOWN_LETTERS else f"'{shown[: _SHOWN_LETTERS - 1]}…' ({len(word)} symbols)"
