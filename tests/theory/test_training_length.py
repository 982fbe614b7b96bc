"""How long training inputs must be: the numbers against their definitions, and the words of each statement."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from strategies import random_dfa
from theory_generators import small_automata

from lengthwise.citations import works_of
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.parser import parse_program
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.inference.candidates import smallest_program_length
from lengthwise.theory.training_length import ProgramDepth, coverage_length, training_lengths


def transitions_read(language: DFA, longest: int) -> set[tuple[int, str]]:
    """Return every (state, symbol) that some word up to a length reads, word by word."""
    read = set()
    for length in range(1, longest + 1):
        for word in product(language.alphabet, repeat=length):
            read |= {(language.run(word[:place]), word[place]) for place in range(length)}
    return read


def test_coverage_is_the_least_length_whose_words_read_every_transition() -> None:
    languages = [*small_automata()[::60], *(random_dfa(Random(seed), 5, "ab") for seed in range(6))]
    for language in languages:
        everything = {(state, symbol) for state in range(language.num_states) for symbol in language.alphabet}
        length = coverage_length(language)
        assert transitions_read(language, length) == everything
        assert transitions_read(language, length - 1) != everything


def test_two_automata_of_n_states_differ_on_a_word_of_length_2n_minus_2() -> None:
    """Exhaustive for n = 2 over two letters: words up to 2n − 2 tell all pairs apart, and shorter ones do not."""
    languages = [language for language in small_automata() if language.num_states <= 2 and len(language.alphabet) == 2]
    (_, stated, _) = training_lengths(next(each for each in languages if each.num_states == 2), ProgramDepth())
    assert stated.length == 2

    def signatures(longest: int) -> set[tuple[bool, ...]]:
        words = [word for length in range(longest + 1) for word in product("ab", repeat=length)]
        return {tuple(word in language for word in words) for language in languages}

    assert len(signatures(2)) == len(languages)
    assert len(signatures(1)) < len(languages)


def test_the_statements_name_their_sources_and_say_whether_they_are_reached() -> None:
    statements = training_lengths(compile_regex("(ab|bbaa)*"), ProgramDepth(exists=True, at_least=3, at_most=3))
    assert [(each.name, each.length) for each in statements] == [
        ("coverage", 4),
        ("smallest automaton", 10),
        ("more layers", None),
    ]
    assert [each.is_reached(5) for each in statements] == [True, False, None]
    assert "Training up to 5 does not reach this." in statements[1].sentence(5)
    assert statements[2].sentence(5) == (
        "A program for this language needs more than one layer. From two layers on, no bound on the training length can be "
        "computed in general. So nothing here says whether 5 is enough. Assumes: a learner that returns the simplest program "
        "that fits all words up to the training length. Source: arXiv 2603.02238."
    )
    assert [[work.key for work in works_of(each.source)] for each in statements] == [[], ["2506.03085"], ["2603.02238"]]


def test_what_is_said_of_programs_depends_on_what_is_known_of_them() -> None:
    language = LANGUAGES["TOMITA_1"].language
    cases = {
        "one layer": ProgramDepth(exists=True, at_least=1, at_most=1),
        "more layers": ProgramDepth(),
        "no program": ProgramDepth(exists=False),
    }
    for name, depth in cases.items():
        assert training_lengths(language, depth)[-1].name == name
    assert training_lengths(language, ProgramDepth())[-1].statement.startswith("A program may need two layers.")


SMALLEST = {
    "(ab)*": (Fragment.PLAIN, 4, "#[#['a'] <= #<['b']] = 1", "aabb"),
    "(ab|bbaa)*": (Fragment.PLAIN, 4, "#[#['a'] <= #<['b']] = 1", "aabb"),
    "[abc]*ab[abc]*": (Fragment.PERIODIC_LOCAL, 3, "#[#['a'] > #['b']] = 1", "aab"),
}


@pytest.mark.parametrize("expression", SMALLEST)
def test_a_small_program_that_is_wrong_fits_shorter_words(expression: str) -> None:
    """The wrong program is run on all words up to its first mistake by the interpreter."""
    language = compile_regex(expression)
    fragment, length, wrong, mistake = SMALLEST[expression]
    found = smallest_program_length(language, fragment)
    assert found is not None
    assert (found.name, found.length) == ("smallest program", length)
    assert f"is {wrong}. It is first wrong on '{mistake}', of length {len(mistake)}." in found.statement
    letters = " ".join(f"'{letter}'" for letter in language.alphabet)
    program = parse_program(f"alphabet {letters}\nread at end\naccept := {wrong}\n")
    for size in range(len(mistake)):
        assert all(accepts(program, word) == (word in language) for word in product(language.alphabet, repeat=size))
    assert accepts(program, mistake) != (mistake in language)


def test_the_smallest_program_is_not_looked_for_where_too_few_can_be_tried() -> None:
    assert smallest_program_length(compile_regex("[abcd]*"), Fragment.PLAIN) is None
    assert smallest_program_length(compile_regex("a{13}"), Fragment.PLAIN) is None
    found = smallest_program_length(compile_regex("(aa)*"), Fragment.PERIODIC_LOCAL)
    assert found is not None
    assert (found.length, found.statement) == (
        1,
        "Words up to length 1 lead to the program pos % 2 = 1 of C-RASP[periodic, local], which is right on all words up to length 40.",
    )
