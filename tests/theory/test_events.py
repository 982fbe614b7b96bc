"""One-way events in words, and that the words are true of the automaton."""

from __future__ import annotations

import re

import pytest
from theory_generators import random_languages

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.events import listed, one_way_events, quoted_word


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[ab]*b", ""),
        ("(aa)*", ""),
        ("(ab)*", "whether an error has occurred (an input that begins with 'b' is never accepted)"),
        ("[ab]*bb[ab]*", "whether the answer is already final (an input that begins with 'bb' is always accepted)"),
        (
            "a(ab)*",
            "which phase of the input has been reached, where a phase never comes back once it is over (an input "
            "that begins with 'b' is never accepted)",
        ),
        ("a[ab]*a|b[ab]*b", "how the input began"),
        (
            "a*(b([ab][ab])*)?",
            "which phase of the input has been reached, where a phase never comes back once it is over ('b' ends the first "
            "one)",
        ),
    ],
)
def test_an_event_is_named_with_an_example(text: str, told: str) -> None:
    assert one_way_events(compile_regex(text)) == told


def is_final(language: DFA, word: str, *, accepting: bool) -> bool:
    state = language.run(tuple(word))
    return set(language.transitions[state]) == {state} and (state in language.accepting) is accepting


def test_after_the_words_that_are_named_the_answer_is_final() -> None:
    found = 0
    for language in random_languages(31, 300):
        told = one_way_events(language)
        for word, which in re.findall(r"begins with '([a-c]+)' is (never|always)", told):
            assert is_final(language, word, accepting=which == "always")
            found += 1
    assert found > 100


def test_things_that_are_listed_stay_apart() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a and b", "c"]) == "a and b, and c"
    assert listed(["a", "b", "c"]) == "a, b, and c"
    assert quoted_word(()) == "the empty word"
    assert quoted_word(("a",) * 60) == f"'{'a' * 39}…' (60 symbols)"
