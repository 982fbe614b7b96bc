"""Programs of the depth of the upper bound, against the automaton."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from random import Random

import pytest
from theory_generators import random_languages, random_word

from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import accepts, run_program
from lengthwise.crasp.measures import depth_of, fragment_of
from lengthwise.crasp.syntax import Program
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.next_symbols import live_states, next_symbol_set
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.depth.bounds import DepthBounds, bound_depth
from lengthwise.theory.depth.problem import DepthQuestion
from lengthwise.theory.depth.programs import depth_program

END, LAST, NEXT, STATES = DepthQuestion


def words_of(language: DFA, longest: int, seed: int) -> list[tuple[str, ...]]:
    """Return all words up to a length, and random longer ones, half of them walks that stay alive."""
    words = [word for length in range(longest + 1) for word in product(language.alphabet, repeat=length)]
    rng = Random(seed)
    words += [random_word(rng, language.alphabet, rng.randint(longest, 30)) for _ in range(15)]
    live = sorted(live_states(language))
    for _ in range(25):
        state, word = 0, []
        for _ in range(rng.randint(longest, 40)):
            ways = [column for column, target in enumerate(language.transitions[state]) if target in live]
            if not ways:
                break
            column = rng.choice(ways)
            word.append(language.alphabet[column])
            state = language.transitions[state][column]
        words.append(tuple(word))
    return words


def require_equal(program: Program, language: DFA, question: DepthQuestion, words: list[tuple[str, ...]]) -> None:
    live = live_states(language)
    for word in words:
        state = language.run(word)
        if question is NEXT:
            if state in live:
                values = run_program(program, word)
                said = {number for number, output in enumerate(program.outputs) if values[output.name][-1]}
                assert said == next_symbol_set(language, live, state), word
        elif word or question is END:
            assert accepts(program, word) == (state in language.accepting), word


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
    require_equal(program, language, question, words_of(language, longest, 3))
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
    assert check_program(language, question, 5 if len(language.alphabet) > 2 else 7)
    bounds = bounds_of(language, question)
    assert bounds.upper is not None
    assert bounds.is_exact
    assert depth_of(depth_program(bounds.upper)) == bounds.at_least


@pytest.mark.full
def test_programs_of_many_languages_are_right_on_all_words_up_to_ten_letters() -> None:
    languages = [*map(compile_regex, TEXTS), *random_languages(2306, 20)]
    languages += [LANGUAGES[name].language for name in ("D_3", "TOMITA_1", "TOMITA_7")]
    checked = sum(
        check_program(language, question, 10 if len(language.alphabet) == 2 else 6)
        for language in languages
        for question in (END, LAST, NEXT)
    )
    assert checked > 30


def test_the_marks_of_a_program_avoid_the_alphabet() -> None:
    language = compile_regex("(^$)*".replace("^", "\\^").replace("$", "\\$"), alphabet="^$")
    bounds = bound_depth(language, NEXT)
    assert bounds.upper is not None
    program = depth_program(bounds.upper)
    assert (program.start, program.stop) == ("^^", "$$")
    require_equal(program, language, NEXT, words_of(language, 5, 4))


def test_states_have_no_form_of_program() -> None:
    bounds = bound_depth(compile_regex("(ab)*"), STATES)
    assert bounds.upper is not None
    with pytest.raises(ValueError, match="a program names no states"):
        depth_program(bounds.upper)
