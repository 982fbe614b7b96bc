"""Programs of the depth of the upper bound, against the automaton."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

import pytest
from depth_verification import all_words, random_words, wrong_words
from theory_generators import random_languages

from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.measures import depth_of, fragment_of
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.depth.bounds import DepthBounds, bound_depth
from lengthwise.theory.depth.problem import DepthQuestion
from lengthwise.theory.depth.programs import depth_program

END, LAST, NEXT, STATES = DepthQuestion


@lru_cache
def bounds_of(language: DFA, question: DepthQuestion) -> DepthBounds:
    return bound_depth(language, question)


def check_program(language: DFA, question: DepthQuestion, longest: int) -> bool:
    """Compare the program of a bound with the automaton; return whether there is one."""
    bounds = bounds_of(language, question)
    if bounds.upper is None:
        return False
    program = depth_program(bounds.upper)
    assert depth_of(program) <= bounds.upper.bound
    assert depth_of(program) >= (bounds.at_least or 0)
    assert fragment_of(program) is Fragment.PLAIN
    for words in chain(all_words(language, longest), random_words(language, longest, 3)):
        assert not wrong_words(program, language, question, words)
    return True


TEXTS = ["(ab)*", "(ab|bbaa)*", "(a+b+){2}", "(acca)*", "(a(ab)*b)*", "a+babb"]


QUICK = [("(ab)*", END), ("(ab)*", NEXT), ("(ab|bbaa)*", LAST), ("(ab|bbaa)*", NEXT), ("(acca)*", END), ("a+babb", END)]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        pytest.param(text, question, marks=[pytest.mark.full] * ((text, question) not in QUICK))
        for text in TEXTS
        for question in (END, LAST, NEXT)
    ],
)
def test_a_program_has_the_depth_of_its_bound_and_is_right(text: str, question: DepthQuestion) -> None:
    language = compile_regex(text)
    assert check_program(language, question, 7)
    bounds = bounds_of(language, question)
    assert bounds.upper is not None
    assert bounds.is_exact
    assert depth_of(depth_program(bounds.upper)) == bounds.at_least


@pytest.mark.full
def test_programs_of_many_languages_are_right_on_all_words_up_to_ten_letters() -> None:
    languages = [*map(compile_regex, TEXTS), *random_languages(2306, 20)]
    languages += [LANGUAGES[name].language for name in ("D_3", "TOMITA_1", "TOMITA_7")]
    checked = sum(check_program(language, question, 10) for language in languages for question in (END, LAST, NEXT))
    assert checked > 30


def test_the_marks_of_a_program_avoid_the_alphabet() -> None:
    language = compile_regex("(^$)*".replace("^", "\\^").replace("$", "\\$"), alphabet="^$")
    bounds = bound_depth(language, NEXT)
    assert bounds.upper is not None
    program = depth_program(bounds.upper)
    assert (program.start, program.stop) == ("^^", "$$")
    assert not any(wrong_words(program, language, NEXT, words) for words in all_words(language, 5))


def test_states_have_no_form_of_program() -> None:
    bounds = bound_depth(compile_regex("(ab)*"), STATES)
    assert bounds.upper is not None
    with pytest.raises(ValueError, match="a program names no states"):
        depth_program(bounds.upper)


@pytest.mark.parametrize("question", [END, LAST, NEXT])
def test_a_program_of_another_language_is_found_wrong(question: DepthQuestion) -> None:
    bounds = bounds_of(compile_regex("(ab)*"), question)
    assert bounds.upper is not None
    other = compile_regex("(ba)*")
    assert any(wrong_words(depth_program(bounds.upper), other, question, words) for words in all_words(other, 3))
