"""Synthesis: that the smallest program is found, exactly, and what is said when none is."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from strategies import all_words, random_dfa

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.behaviours import ClassTable, Trie, boxes, pack, plant, unpack
from lengthwise.crasp.enumeration import Enumeration
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts, run_program
from lengthwise.crasp.measures import expression_size, fragment_of
from lengthwise.crasp.printer import print_expression
from lengthwise.crasp.syntax import ACCEPT, And, Compare, Count, Expression, Number, Or, Program, Sum, walk
from lengthwise.crasp.synthesis import (
    Caps,
    Synthesis,
    expressions_by_brute_force,
    smallest_by_brute_force,
    synthesize,
)
from lengthwise.errors import CapExceededError, InvalidOptionError, UnknownSymbolError
from lengthwise.languages.catalog import find_language
from lengthwise.languages.regex import compile_regex

SOURCE = Path(__file__).parents[2] / "src"
Predicate = Callable[[str], bool]


def words_up_to(length: int, alphabet: str = "ab") -> list[str]:
    """Return all words from length 1 on."""
    return [word for word in all_words(alphabet, length) if word]


def behaviour(program: Program, words: list[str]) -> tuple[bool, ...]:
    """Return what the interpreter says about each word."""
    return tuple(accepts(program, word) for word in words)


def prefix_behaviour(expression: Expression, longest: list[str], alphabet: str = "ab") -> tuple[bool, ...]:
    """Return the truths at all positions of these words, from one run of the interpreter for each."""
    program = Program(alphabet=tuple(alphabet), accept=expression)
    return tuple(bool(truth) for word in longest for truth in run_program(program, word)[ACCEPT])


def enumeration_of(
    words: list[str], *, fragment: Fragment = Fragment.PERIODIC_LOCAL, alphabet: str = "ab"
) -> Enumeration:
    trie = plant([tuple(word) for word in words], tuple(alphabet), Readout.LAST_SYMBOL)
    return Enumeration(
        alphabet=tuple(alphabet),
        trie=trie,
        fragment=fragment,
        max_number=99,
        max_modulus=99,
        max_distance=99,
        max_classes=10**7,
    )


def first_wrong_word(found: Synthesis, language: Predicate, max_length: int) -> str | None:
    """Return the first word on which a program errs, of all words up to a length."""
    words = words_up_to(max_length, "".join(found.program.alphabet))
    said = BatchedProgram(found.program).accepts(words, numpy_arrays())
    return next((word for word, one in zip(words, said.tolist(), strict=True) if one != language(word)), None)


# The oracle: sizes


def smallest_sizes(fragment: Fragment, length: int, max_size: int) -> dict[tuple[bool, ...], int]:
    """Return the least size of every behaviour on all words up to a length, by brute force over all expressions."""
    words = words_up_to(length)
    longest = [word for word in words if len(word) == length]
    prefixes = [word[: end + 1] for word in longest for end in range(length)]
    places = [prefixes.index(word) for word in words]
    sizes: dict[tuple[bool, ...], int] = {}
    for expression in expressions_by_brute_force(("a", "b"), fragment, max_size):
        truths = prefix_behaviour(expression, longest)
        sizes.setdefault(tuple(truths[place] for place in places), expression_size(expression))
    return sizes


def check_functions(fragment: Fragment, length: int, max_size: int, number: int) -> None:
    """Compare some functions, half of them within reach of brute force: all of them, where there are no more."""
    words = words_up_to(length)
    sizes = smallest_sizes(fragment, length, max_size)
    targets: list[tuple[bool, ...]] = list(itertools.product([False, True], repeat=len(words)))
    if len(targets) > number:
        random = Random(3)
        targets = [*random.sample(sorted(sizes), min(number // 2, len(sizes))), *random.sample(targets, number // 2)]
    for target in targets:
        labels = dict(zip(words, target, strict=True))
        try:
            found = synthesize(labels, fragment=fragment, caps=Caps(max_size=max_size))
        except CapExceededError:
            assert target not in sizes
        else:
            assert found.size == sizes[target] == expression_size(found.program.accept)  # type: ignore[arg-type]
            assert behaviour(found.program, words) == target
            assert fragment.includes(fragment_of(found.program))
    assert len(sizes) > 10


@pytest.mark.full
@pytest.mark.parametrize("fragment", list(Fragment))
def test_every_function_on_words_up_to_two_has_the_size_that_brute_force_finds(fragment: Fragment) -> None:
    check_functions(fragment, 2, 5 if fragment is Fragment.PLAIN else 4, 64)


@pytest.mark.full
@pytest.mark.parametrize(
    ("fragment", "max_size"),
    [(Fragment.PLAIN, 6), (Fragment.LOCAL, 5), (Fragment.PERIODIC, 5), (Fragment.PERIODIC_LOCAL, 5)],
)
def test_functions_on_words_up_to_three_have_the_size_that_brute_force_finds(fragment: Fragment, max_size: int) -> None:
    check_functions(fragment, 3, max_size, 300)


@pytest.mark.parametrize("fragment", [Fragment.PLAIN, Fragment.LOCAL, Fragment.PERIODIC])
def test_random_languages_of_two_states_have_the_size_that_brute_force_finds(fragment: Fragment) -> None:
    random = Random(11)
    for _ in range(6):
        language = random_dfa(random, 2, "ab")
        labels = {tuple(word): word in language for word in words_up_to(3)}
        expected = smallest_by_brute_force(labels, alphabet=("a", "b"), fragment=fragment, max_size=4)
        if expected is None:
            with pytest.raises(CapExceededError):
                synthesize(language, max_length=3, fragment=fragment, caps=Caps(max_size=4))
        else:
            found = synthesize(language, max_length=3, fragment=fragment, caps=Caps(max_size=4))
            assert found.size == expression_size(expected)


def test_partial_labels_have_the_size_that_brute_force_finds() -> None:
    random = Random(5)
    outcomes = []
    for number in range(24):
        words = random.sample(words_up_to(4), random.randint(2, 6))
        labels = {tuple(word): random.random() < 0.5 for word in words}
        readout = list(Readout)[number % 2]
        expected = smallest_by_brute_force(labels, alphabet=("a", "b"), readout=readout, max_size=4)
        outcomes.append(expected is None)
        try:
            found = synthesize(labels, alphabet="ab", readout=readout, caps=Caps(max_size=4))
        except CapExceededError:
            assert expected is None, labels
        else:
            assert expected is not None
            assert found.size == expression_size(expected), labels
            assert all(accepts(found.program, word) == label for word, label in labels.items())
    assert set(outcomes) == {True, False}


# The oracle: classes, with another and simpler grammar


def obvious_sizes(trie: Trie, fragment: Fragment, max_size: int) -> list[dict[tuple[int, ...], int]]:
    """Return the least size of every truth and of every count that there is, from sums of all terms on both sides."""
    nodes = range(len(trie.parents))
    truths: dict[tuple[int, ...], int] = {}
    counts: dict[tuple[int, ...], int] = {}
    terms: dict[tuple[int, ...], int] = {}
    sums: dict[tuple[int, ...], int] = {}  # of one or more terms

    def of(kind: dict[tuple[int, ...], int], size: int) -> list[tuple[int, ...]]:
        return [vector for vector, least in kind.items() if least == size]

    def back(vector: tuple[int, ...], distance: int) -> tuple[int, ...]:
        for _ in range(distance):
            vector = tuple(vector[trie.parents[i]] if trie.parents[i] >= 0 else 0 for i in nodes)
        return vector

    def running(vector: tuple[int, ...]) -> tuple[int, ...]:
        total: list[int] = []
        for i in nodes:
            total.append(vector[i] + (total[trie.parents[i]] if trie.parents[i] >= 0 else 0))
        return tuple(total)

    def added(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(int.__add__, one, two))

    def new_counts(size: int) -> Iterator[tuple[int, ...]]:
        yield from (tuple([value] * len(nodes)) for value in (0 if size == 1 else size, size, -size))
        for body in of(truths, size - 1):
            yield from (running(body), back(running(body), 1))
        for far in range(size - 1 if fragment.has_windows else 1):
            subsets = [each for number in range(far + 1) for each in itertools.combinations(range(far), number)]
            for body, few in itertools.product(of(truths, size - 1 - far), subsets):
                yield tuple(map(sum, zip(*(back(body, each) for each in (*few, far)), strict=True)))
        for one in range(1, size - 2):
            for two in range(1, size - 1 - one):
                choices = itertools.product(of(truths, one), of(counts, two), of(counts, size - 1 - one - two))
                yield from (tuple(b if p else c for p, b, c in zip(*each, strict=True)) for each in choices)
        yield from of(terms, size - 1)
        for one in range(1, size - 1):
            yield from (added(*pair) for pair in itertools.product(of(terms, one), of(sums, size - 1 - one)))

    def new_truths(size: int) -> Iterator[tuple[int, ...]]:
        if size == 1:
            yield from (tuple(int(symbol == number) for symbol in trie.symbols) for number in (0, 1))
            yield from (tuple([value] * len(nodes)) for value in (0, 1))
        if fragment.has_periods:
            yield from (tuple(int(at % size == residue) for at in trie.positions) for residue in range(size))
        yield from (tuple(1 - value for value in part) for part in of(truths, size - 1))
        for left in range(1, size - 1):
            for one, two in itertools.product(of(truths, left), of(truths, size - 1 - left)):
                yield from (tuple(map(min, one, two)), tuple(map(max, one, two)))
            for one, two in itertools.product(of(counts, left), of(counts, size - 1 - left)):
                signs = (int.__eq__, int.__ne__, int.__lt__, int.__le__)
                yield from (tuple(map(int, map(sign, one, two))) for sign in signs)

    for size in range(1, max_size + 1):
        for vector in [*new_counts(size)]:
            counts.setdefault(vector, size)
        for factor in range(1, size + 1):
            for vector in of(counts, size + 1 - factor):
                terms.setdefault(tuple(factor * value for value in vector), size)
                terms.setdefault(tuple(-factor * value for value in vector), size)
        both = [
            pair for one in range(1, size - 1) for pair in itertools.product(of(terms, one), of(sums, size - 1 - one))
        ]
        for vector in [*of(terms, size), *(added(*pair) for pair in both)]:
            sums.setdefault(vector, size)
        for vector in [*new_truths(size)]:
            truths.setdefault(vector, size)
    return [truths, counts]


def check_against_obvious_sizes(words: list[str], fragment: Fragment, max_size: int) -> None:
    enumeration = enumeration_of(words, fragment=fragment)
    enumeration.keep(truths=max_size, counts=max_size)
    trie = enumeration.trie
    expected = obvious_sizes(trie, fragment, max_size)
    tables = (enumeration.truths, enumeration.counts)
    for table, sizes in zip(tables, expected, strict=True):
        rows = table.rows[: len(table)]
        vectors = (unpack(rows) if table is enumeration.truths else rows).astype(int).tolist()
        found = {
            tuple(vector): expression_size(enumeration.expression(table, number))
            for number, vector in enumerate(vectors)
        }
        assert len(found) == len(table)
        assert found == sizes


@pytest.mark.parametrize(
    ("words", "fragment", "max_size"),
    [
        (words_up_to(2), Fragment.PLAIN, 7),
        (words_up_to(3), Fragment.LOCAL, 6),
        (words_up_to(3), Fragment.PERIODIC, 6),
        (["aaaaaa", "abab"], Fragment.PERIODIC_LOCAL, 6),
        (["aaaa"], Fragment.PLAIN, 8),
    ],
)
def test_every_class_has_the_size_that_an_obvious_enumeration_finds(
    words: list[str], fragment: Fragment, max_size: int
) -> None:
    check_against_obvious_sizes(words, fragment, max_size)


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "fragment", "max_size"),
    [
        (words_up_to(3), Fragment.PLAIN, 9),
        (["aba", "bba"], Fragment.PERIODIC_LOCAL, 9),
        (["ab"], Fragment.PLAIN, 12),
        (["aaaaaaaa"], Fragment.PLAIN, 11),
    ],
)
def test_larger_classes_have_the_size_that_an_obvious_enumeration_finds(
    words: list[str], fragment: Fragment, max_size: int
) -> None:
    check_against_obvious_sizes(words, fragment, max_size)


@pytest.mark.full
@pytest.mark.parametrize("fragment", list(Fragment))
@pytest.mark.parametrize(("alphabet", "length", "max_size"), [("ab", 3, 9), ("abc", 2, 8)])
def test_sizes_that_are_not_kept_give_the_same_expression_as_those_that_are(
    fragment: Fragment, alphabet: str, length: int, max_size: int
) -> None:
    words = words_up_to(length, alphabet)
    enumeration = enumeration_of(words, fragment=fragment, alphabet=alphabet)
    enumeration.keep(truths=max_size, counts=max_size - 2)
    places = [enumeration.trie.reads[tuple(word)] for word in words]
    rows = unpack(enumeration.truths.rows[: len(enumeration.truths)])[:, places].tolist()
    random = Random(8)
    for number in sorted(random.sample(range(len(rows)), 20)):
        expected = enumeration.expression(enumeration.truths, number)
        labels = dict(zip(words, rows[number], strict=True))
        found = synthesize(labels, fragment=fragment, caps=Caps(max_size=max_size))
        assert found.program.accept == expected


@pytest.mark.parametrize("fragment", list(Fragment))
def test_partial_labels_give_the_first_kept_class_that_agrees(fragment: Fragment) -> None:
    random = Random(21)
    for _ in range(6):
        words = random.sample(words_up_to(4), 12)
        labels = {word: random.random() < 0.5 for word in words}
        enumeration = enumeration_of(words, fragment=fragment)
        enumeration.keep(truths=8, counts=6)
        rows = unpack(enumeration.truths.rows[: len(enumeration.truths)])
        for length in (2, 3, 4):
            few = {word: label for word, label in labels.items() if len(word) <= length}
            places = [enumeration.trie.reads[tuple(word)] for word in few]
            agreeing = (rows[:, places] == list(few.values())).all(axis=1)
            first = int(np.argmax(agreeing))
            if few and agreeing[first]:
                found = synthesize(few, alphabet="ab", fragment=fragment, caps=Caps(max_size=8))
                assert found.program.accept == enumeration.expression(enumeration.truths, first)


def test_every_kept_class_means_what_its_vector_says() -> None:
    words = ["abab", "bbaa", "aaba"]
    enumeration = enumeration_of(words)
    enumeration.keep(truths=7, counts=5)
    places = [enumeration.trie.reads.get(tuple(word)) for word in words]
    assert None not in places
    trie = enumeration.trie
    for number in range(0, len(enumeration.truths), 7):
        expression = enumeration.expression(enumeration.truths, number)
        row = unpack(enumeration.truths.rows[number])
        for word, place in zip(words, places, strict=True):
            seen = []
            while place is not None and place >= 0:
                seen.append(bool(row[place]))
                place = int(trie.parents[place])
            assert tuple(reversed(seen)) == prefix_behaviour(expression, [word])


# Lengths


LANGUAGES: dict[str, tuple[str, Fragment, Predicate]] = {
    "(ab)*": ("ab", Fragment.PLAIN, lambda word: word == "ab" * (len(word) // 2)),
    "majority": ("01", Fragment.PLAIN, lambda word: word.count("1") > word.count("0")),
    "as many": ("ab", Fragment.PLAIN, lambda word: word.count("a") == word.count("b")),
    "1*": ("01", Fragment.PLAIN, lambda word: "0" not in word),
    "(10)*": ("01", Fragment.PLAIN, lambda word: word == "10" * (len(word) // 2)),
    "no 000": ("01", Fragment.LOCAL, lambda word: "000" not in word),
    "0*1*0*1*": ("01", Fragment.LOCAL, lambda word: word.count("10") <= 1),
    "first is 1": ("01", Fragment.PLAIN, lambda word: word[0] == "1"),
    "last is b": ("ab", Fragment.PLAIN, lambda word: word[-1] == "b"),
    "a*b*": ("ab", Fragment.PLAIN, lambda word: "ba" not in word),
    "one a": ("ab", Fragment.PLAIN, lambda word: word.count("a") == 1),
    "no prefix with more b": (
        "ab",
        Fragment.PLAIN,
        lambda word: all(word[:end].count("a") >= word[:end].count("b") for end in range(len(word) + 1)),
    ),
    "even length": ("ab", Fragment.PERIODIC, lambda word: len(word) % 2 == 0),
    "(aa)*": ("ab", Fragment.PERIODIC, lambda word: "b" not in word and len(word) % 2 == 0),
    "(aaaa)*": ("ab", Fragment.PERIODIC, lambda word: "b" not in word and len(word) % 4 == 0),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_from_words_up_to_six_a_program_is_found_that_is_right_up_to_eleven(name: str) -> None:
    alphabet, fragment, language = LANGUAGES[name]
    found = synthesize(language, alphabet=alphabet, max_length=6, fragment=fragment)
    assert first_wrong_word(found, language, 11) is None
    assert found.complete
    assert found.fragment is fragment
    assert fragment.includes(fragment_of(found.program))
    assert found.answers[-1].size == found.size == expression_size(found.program.accept)  # type: ignore[arg-type]
    texts = [answer.text for answer in found.answers]
    stable = found.stabilization_length
    assert set(texts[stable - 1 :]) == {print_expression(found.program.accept)}  # type: ignore[arg-type]
    assert stable == 1 or texts[stable - 2] != texts[-1]
    assert [answer.length for answer in found.answers] == [1, 2, 3, 4, 5, 6]
    assert sorted(answer.size for answer in found.answers) == [answer.size for answer in found.answers]


def test_dyck_1_is_found_from_words_up_to_six_and_stable_from_five_on() -> None:
    def language(word: str) -> bool:
        depths = [word[:end].count("(") - word[:end].count(")") for end in range(len(word) + 1)]
        return min(depths) == 0 == depths[-1]

    found = synthesize(language, alphabet="()", max_length=6)
    assert first_wrong_word(found, language, 12) is None
    assert (found.size, found.stabilization_length) == (12, 5)
    assert found.answers[-1].text == "#<[#['('] <= #<[')']] = #[')'] - #['(']"


def test_words_up_to_six_cannot_tell_d_3_from_brackets_of_any_depth() -> None:
    language = find_language("D_3").language
    found = synthesize(language, max_length=6)
    assert first_wrong_word(found, lambda word: word in language, 8) == "aaaabbbb"


@pytest.mark.parametrize("name", ["(ab)*", "no 000", "(aaaa)*", "a*b*", "majority"])
@pytest.mark.parametrize("readout", list(Readout))
def test_the_answer_for_a_length_is_what_that_length_alone_gives(name: str, readout: Readout) -> None:
    alphabet, fragment, language = LANGUAGES[name]

    def up_to(length: int) -> Synthesis:
        labels = {word: language(word) for word in words_up_to(length, alphabet)}
        return synthesize(labels, alphabet=alphabet, fragment=fragment, readout=readout, caps=Caps(max_size=10))

    whole = up_to(5)
    for answer in whole.answers:
        alone = up_to(answer.length)
        assert (alone.answers[-1].text, alone.size) == (answer.text, answer.size)


@pytest.mark.full
def test_harder_languages_are_found_from_words_up_to_six() -> None:
    for expression, size in (("D_2", 15), ("TOMITA_7", 16)):
        language = find_language(expression).language
        found = synthesize(language, max_length=6, caps=Caps(max_size=16))
        assert found.size == size
        assert first_wrong_word(found, lambda word, language=language: word in language, 13) is None  # type: ignore[misc]


def test_a_factor_over_three_letters_is_found() -> None:
    language = compile_regex("[abc]*ab[abc]*")
    found = synthesize(language, max_length=5, fragment=Fragment.LOCAL)
    assert found.answers[-1].text == "#['b' and #{1}['a'] != 0] != 0"
    assert first_wrong_word(found, lambda word: word in language, 8) is None


# Reading at the end


def test_a_program_read_at_the_end_sees_the_empty_word_and_no_last_symbol() -> None:
    found = synthesize(
        lambda word: word.count("a") >= word.count("b"), alphabet="ab", max_length=4, readout=Readout.END_MARKER
    )
    assert found.program.readout is Readout.END_MARKER
    assert all(accepts(found.program, word) == (word.count("a") >= word.count("b")) for word in all_words("ab", 7))
    with pytest.raises(CapExceededError):
        synthesize(
            lambda word: word[-1:] == "b", alphabet="ab", max_length=4, readout="END_MARKER", caps=Caps(max_size=7)
        )
    seen = synthesize({"a": False, "b": True, "ab": True, "ba": False, "": True}, readout=Readout.END_MARKER)
    assert accepts(seen.program, "")


# Labels


def test_words_that_are_not_labelled_do_not_count() -> None:
    found = synthesize([("aabb", True), ("ba", False)], alphabet="ab")
    assert (found.answers[-1].text, found.size) == ("'b'", 1)
    assert [answer.text for answer in found.answers] == ["'a'", "'b'", "'b'", "'b'"]
    assert found.stabilization_length == 2
    longer = synthesize({("x", "yy"): True, ("yy", "x"): False, ("x",): False, ("yy",): True})
    assert longer.program.alphabet == ("x", "yy")
    assert longer.answers[-1].text == "'yy'"


def test_a_program_may_begin_with_not() -> None:
    assert synthesize(lambda word: word[-1] != "a", alphabet="abc", max_length=3).answers[-1].text == "not 'a'"
    found = synthesize(lambda word: word[-1] != "a" or len(word) == 3, alphabet="abc", max_length=4)
    assert found.answers[-1].text == "not ('a' and #<[true] != 2)"


def test_max_length_leaves_longer_words_out() -> None:
    labels = {"a": True, "b": False, "ab": True}
    assert synthesize(labels).size > synthesize(labels, max_length=1).size == 1


def test_a_predicate_is_given_a_string_or_a_tuple() -> None:
    given: list[object] = []

    def remembers(word: object) -> bool:
        given.append(word)
        return True

    synthesize(remembers, alphabet="ab", max_length=1)
    synthesize(remembers, alphabet=["a", "bc"], max_length=1)
    assert given == ["a", "b", ("a",), ("bc",)]


@pytest.mark.parametrize(
    ("target", "options", "error", "message"),
    [
        (
            [("ab", True), ("ba", False), ("ab", False)],
            {},
            InvalidOptionError,
            "word 'ab' is labelled both true and false; a word has one label.\nhint: remove one of the two.",
        ),
        (
            {"abc": True},
            {"alphabet": "ab"},
            UnknownSymbolError,
            "symbol 'c' is not in the alphabet {a, b}.\nhint: use only these symbols.",
        ),
        (
            {"": True, "a": False},
            {},
            InvalidOptionError,
            "the empty word is labelled, but a program read at the last symbol says nothing about it.\n"
            "hint: leave it out, or read at the end: Readout.END_MARKER, or --readout end.",
        ),
        (
            {},
            {"alphabet": "ab"},
            InvalidOptionError,
            "no word of length 1 or more is labelled.\nhint: label some words.",
        ),
        (
            len,
            {"alphabet": "ab"},
            InvalidOptionError,
            "a language is labelled up to a length of 1 or more, over an alphabet; found max_length = None and "
            "alphabet = ('a', 'b').\nhint: give both, for example alphabet='ab', max_length=6.",
        ),
        (
            len,
            {"alphabet": "ab", "max_length": 14},
            CapExceededError,
            "the words have more than 30,000 different prefixes, the cap.\nhint: use shorter words.",
        ),
        (
            lambda word: word.count("a") == word.count("b"),
            {"alphabet": "ab", "max_length": 4, "caps": Caps(max_size=4)},
            CapExceededError,
            "no program of size at most 4 agrees with the 30 labelled words: max_size = 4 was reached, and every size up "
            "to 4 was exhausted, in 262 candidates.\n"
            "hint: raise max_size, or use a larger fragment; the target may also lie in none.",
        ),
        (
            lambda word: word in ("ab", "abab"),
            {"alphabet": "ab", "max_length": 4, "caps": Caps(max_classes=200)},
            CapExceededError,
            "max_classes = 200 was reached; every size up to 6 was exhausted, and no program of these sizes agrees with "
            "the 30 labelled words.\n"
            "hint: give shorter or fewer words, use a smaller fragment, or raise max_classes if that is the cap.",
        ),
    ],
)
def test_what_cannot_be_done_is_said(target: object, options: dict[str, object], error: type, message: str) -> None:
    with pytest.raises(error) as caught:
        synthesize(target, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_caps_are_positive_integers() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        Caps(max_size=0)
    assert str(caught.value) == (
        "max_size must be an integer of at least 1 and at most 40; found 0.\nhint: leave max_size out."
    )
    with pytest.raises(InvalidOptionError, match="max_distance must be an integer of at least 0, or None; found -1"):
        Caps(max_distance=-1)
    with pytest.raises(InvalidOptionError, match="max_classes must be an integer of at least 1; found None"):
        Caps(max_classes=None)  # type: ignore[arg-type]


def test_caps_keep_numbers_moduli_and_distances_small_and_say_so() -> None:
    def exactly_two(word: str) -> bool:
        return word.count("a") == 2

    free = synthesize(exactly_two, alphabet="ab", max_length=4)
    assert (free.answers[-1].text, free.complete, free.caps) == ("#['a'] = 2", True, Caps())
    capped = synthesize(exactly_two, alphabet="ab", max_length=4, caps=Caps(max_number=1))
    assert capped.size > free.size
    assert not capped.complete
    numbers = [node.value for node in walk(capped.program.accept) if isinstance(node, Number)]  # type: ignore[arg-type]
    assert all(abs(number) <= 1 for number in numbers)
    assert not synthesize(
        lambda word: len(word) % 3 == 0, alphabet="a", max_length=3, fragment="PERIODIC", caps=Caps(max_modulus=2)
    ).complete
    assert Caps(max_distance=1).cut_nothing_below(6, Fragment.LOCAL)
    assert not Caps(max_distance=1).cut_nothing_below(7, Fragment.LOCAL)
    assert Caps(max_distance=1).cut_nothing_below(7, Fragment.PLAIN)


def test_progress_is_told_after_every_size() -> None:
    told: list[tuple[int, int, int]] = []
    found = synthesize(
        lambda word: word == "ab" * (len(word) // 2),
        alphabet="ab",
        max_length=5,
        progress=lambda size, candidates, classes: told.append((size, candidates, classes)),
    )
    assert [size for size, _, _ in told] == list(range(1, 10))
    assert told[-1] == (found.size, found.num_candidates, found.num_classes)
    assert told == sorted(told)


# Writing out


def test_sums_and_conjunctions_are_written_without_needless_nesting() -> None:
    enumeration = enumeration_of(words_up_to(3), fragment=Fragment.PLAIN)
    enumeration.keep(truths=8, counts=7)
    nodes = [
        node
        for table in (enumeration.truths, enumeration.counts)
        for number in range(len(table))
        for node in walk(enumeration.expression(table, number))
    ]
    for node in nodes:
        if isinstance(node, Sum):
            assert not any(abs(factor) == 1 and isinstance(term, Sum) for factor, term in node.terms)
            assert [factor < 0 for factor, _ in node.terms] == sorted(factor < 0 for factor, _ in node.terms)
        if isinstance(node, (And, Or)):
            assert not any(type(part) is type(node) for part in node.parts)
    assert any(isinstance(node, Sum) and len(node.terms) == 3 for node in nodes)
    assert any(isinstance(node, Compare) and node.sign == ">=" for node in nodes)


# Parts


def test_the_table_is_exact_even_if_all_hashes_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    chunks = [random.integers(0, 3, (50, 8), np.int8) * (random.random((50, 1)) < 0.5) for _ in range(8)]
    chunks = [chunk.astype(np.int8) for chunk in chunks]
    for same_hash in (False, True):
        table = ClassTable(8, np.int8)
        expected: list[bytes] = []
        for chunk in chunks:
            if same_hash:
                monkeypatch.setattr(table, "_factors", np.zeros(1, np.uint64))
            new = []
            for number, row in enumerate(chunk):
                if row.tobytes() not in expected:
                    expected.append(row.tobytes())
                    new.append(number)
            assert table.add(chunk).tolist() == new
        assert [row.tobytes() for row in table.rows[: len(table)]] == expected
        assert table.numbers(np.array([*chunks[0][:3], [9] * 8], np.int8)).tolist() == [
            *(expected.index(row.tobytes()) for row in chunks[0][:3]),
            -1,
        ]


def test_the_table_keeps_its_classes_when_it_grows_and_when_it_is_widened() -> None:
    table = ClassTable(8, np.int8)
    rows = np.array(list(itertools.product([0, 1], repeat=16)), np.int8)[:, 8:][:20_000]
    assert len(table.add(rows)) == 256
    more = np.array(list(itertools.product([0, 1, 2, 3], repeat=8)), np.int8)[:40_000]
    added = table.add(more)
    assert len(table) == len({row.tobytes() for row in [*rows, *more]})
    table.widen(np.int16)
    assert len(table.add(more.astype(np.int16))) == 0
    assert len(table.add(np.full((1, 8), 300, np.int16))) == 1
    assert len(added) == len(table) - 257


def test_boxes_cover_an_array_once_and_in_order() -> None:
    for shape in [(7,), (3, 5), (2, 3, 4), (1, 9, 1), (4, 0)]:
        cells = np.arange(int(np.prod(shape))).reshape(shape)
        for limit in (1, 3, 10, 100):
            pieces = [cells[box].ravel() for box in boxes(shape, limit)]
            assert np.concatenate([*pieces, np.arange(0)]).tolist() == cells.ravel().tolist()
            assert all(len(piece) <= max(limit, 1) for piece in pieces)


def test_truths_survive_packing() -> None:
    truths = np.random.default_rng(1).random((5, 128)) < 0.5
    assert pack(truths).shape == (5, 2)
    assert (unpack(pack(truths)) == truths).all()


def test_brute_force_makes_every_expression_of_its_size() -> None:
    made = list(expressions_by_brute_force(("a", "b"), Fragment.PERIODIC_LOCAL, 4))
    assert len(set(made)) == len(made)
    sizes = [expression_size(expression) for expression in made]
    assert sizes == sorted(sizes)
    assert set(sizes) == {1, 2, 3, 4}
    assert any(isinstance(node, Count) for expression in made for node in walk(expression))


# Determinism

SEEDED = """
from lengthwise.crasp.synthesis import synthesize
for fragment in ("PLAIN", "PERIODIC_LOCAL"):
    print(synthesize(lambda word: word.count("a") > 1 and word[-1] == "b", alphabet="ab", max_length=5, fragment=fragment))
print(synthesize({"abc": True, "cab": False, "c": True, "bc": False}))
"""


def test_nothing_depends_on_the_seed_of_hashes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SEEDED],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1
    assert "Synthesis(" in printed.pop()
