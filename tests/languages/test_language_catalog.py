from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

import pytest

from lengthwise.errors import CapExceededError, InvalidOptionError, UnknownNameError
from lengthwise.languages.catalog import LANGUAGES, bounded_dyck, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex

MAX_LENGTH = 10
MAX_WORDS = 20_000
"""For alphabets of four and five letters, the usual suite stops at the last length with no more words than this."""

Predicate = Callable[[str], bool]


def runs(word: str) -> list[tuple[str, int]]:
    """Return the runs of a word: each symbol with the length of its run."""
    return [(symbol, len(list(run))) for symbol, run in itertools.groupby(word)]


def is_only_ones(word: str) -> bool:
    return not word.strip("1")


def is_repeated(block: str) -> Predicate:
    return lambda word: word == block * (len(word) // len(block))


def has_no_odd_ones_before_odd_zeros(word: str) -> bool:
    return not any(
        one == "1" and num_ones % 2 == 1 and num_zeros % 2 == 1
        for (one, num_ones), (_, num_zeros) in itertools.pairwise(runs(word))
    )


def has_at_most_four_runs_zeros_first(word: str) -> bool:
    return len(runs(word)) <= (4 if word.startswith("0") else 3)


def is_balanced(depth: int) -> Predicate:
    def balanced(word: str) -> bool:
        heights = list(itertools.accumulate(1 if symbol == "a" else -1 for symbol in word))
        return not heights or (min(heights) >= 0 and max(heights) <= depth and heights[-1] == 0)

    return balanced


def is_a_run_of_every_letter(word: str) -> bool:
    return list(word) == sorted(word) and len(set(word)) == 5


def has_one_d_between_ab_and_bc(word: str) -> bool:
    return word.count("d") == 1 and "c" not in word[: word.index("d")] and "a" not in word[word.index("d") :]


PREDICATES: dict[str, tuple[str, Predicate]] = {
    "TOMITA_1": ("01", is_only_ones),
    "TOMITA_2": ("01", is_repeated("10")),
    "TOMITA_3": ("01", has_no_odd_ones_before_odd_zeros),
    "TOMITA_4": ("01", lambda word: "000" not in word),
    "TOMITA_5": ("01", lambda word: word.count("0") % 2 == 0 and word.count("1") % 2 == 0),
    "TOMITA_6": ("01", lambda word: (word.count("0") - word.count("1")) % 3 == 0),
    "TOMITA_7": ("01", has_at_most_four_runs_zeros_first),
    "D_1": ("ab", is_balanced(1)),
    "D_2": ("ab", is_balanced(2)),
    "D_3": ("ab", is_balanced(3)),
    "D_4": ("ab", is_balanced(4)),
    "D_12": ("ab", is_balanced(12)),
    "(aa)*": ("a", lambda word: len(word) % 2 == 0),
    "(aaaa)*": ("a", lambda word: len(word) % 4 == 0),
    "(abab)*": ("ab", is_repeated("abab")),
    "aa*bb*cc*dd*ee*": ("abcde", is_a_run_of_every_letter),
    "{a,b}*d{b,c}*": ("abcd", has_one_d_between_ab_and_bc),
    "{0,1,2}*02*": ("012", lambda word: word.rstrip("2").endswith("0")),
    "PARITY": ("ab", lambda word: word.count("a") % 2 == 0),
    "{a,b}*b": ("ab", lambda word: word.endswith("b")),
}


def assert_agrees(language: DFA, predicate: Predicate, length: int, prefix: str = "") -> int:
    """Compare on all words of a length that begin with a prefix; return how many are in the language.

    The automaton walks all of them at once: one byte per word holds its state, and each further symbol replaces a
    state by its row.
    """
    assert language.num_states < 256
    rows = [bytes(row) for row in language.transitions]
    states = bytes([language.run(prefix)])
    for _ in range(length - len(prefix)):
        states = b"".join([rows[state] for state in states])
    accepted = states.translate(bytes(state in language.accepting for state in range(256)))
    words = map("".join, itertools.product(language.alphabet, repeat=length - len(prefix)))
    expected = bytes([predicate(prefix + word) for word in words])
    if accepted != expected:
        where = next(number for number, pair in enumerate(zip(accepted, expected, strict=True)) if len(set(pair)) > 1)
        pytest.fail(f"word number {where} of length {length} after {prefix!r}: the automaton says {accepted[where]}")
    return sum(accepted)


def quick_length(num_symbols: int) -> int:
    if num_symbols <= 3:
        return MAX_LENGTH
    return next(length for length in range(MAX_LENGTH, 0, -1) if num_symbols**length <= MAX_WORDS)


def long_cases() -> Iterator[tuple[str, int, str]]:
    """Yield name, length and first symbol of what the usual suite leaves out, in pieces for several workers."""
    for name, (alphabet, _) in PREDICATES.items():
        for length in range(quick_length(len(alphabet)) + 1, MAX_LENGTH + 1):
            for first in alphabet:
                yield name, length, first


def test_every_named_language_has_a_predicate_here() -> None:
    assert list(PREDICATES) == list(LANGUAGES)


@pytest.mark.parametrize("name", PREDICATES)
def test_a_named_language_has_exactly_the_words_of_its_definition(name: str) -> None:
    alphabet, predicate = PREDICATES[name]
    language = LANGUAGES[name].language
    assert "".join(language.alphabet) == alphabet
    num_words = sum(assert_agrees(language, predicate, length) for length in range(quick_length(len(alphabet)) + 1))
    assert num_words > 1


@pytest.mark.full
@pytest.mark.parametrize(("name", "length", "first"), list(long_cases()))
def test_a_named_language_has_exactly_the_words_of_its_definition_at_greater_length(
    name: str, length: int, first: str
) -> None:
    assert_agrees(LANGUAGES[name].language, PREDICATES[name][1], length, first)


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_entry_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    entry = LANGUAGES[name]
    assert entry.name == name
    assert entry.definition
    assert entry.source in ("arXiv 2410.02140", "lengthwise")
    if entry.regex is not None:
        assert entry.language == compile_regex(entry.regex)
    if entry.published:
        assert [encoding for encoding, _ in entry.published] == ["ape", "nope"]


# The family D_n


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6, 12])
def test_bounded_brackets_are_a_nested_expression(depth: int) -> None:
    text = ""
    for _ in range(depth):
        text = f"(a{text}b)*"
    assert bounded_dyck(depth) == compile_regex(text)
    assert find_language(f"D_{depth}").language == compile_regex(text)


@pytest.mark.parametrize("depth", [5, 7])
def test_bounded_brackets_of_any_depth_have_the_words_of_their_definition(depth: int) -> None:
    language = find_language(f"D_{depth}").language
    for length in range(15):
        assert_agrees(language, is_balanced(depth), length)


# Looking up


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_name_is_found_whatever_its_case(name: str) -> None:
    for spelled in (name, name.lower(), name.upper(), name.swapcase()):
        assert find_language(spelled) is LANGUAGES[name]


@pytest.mark.parametrize("name", ["D_7", "d_7", "D(7)", "d(7)", "D_07"])
def test_bounded_brackets_are_found_at_every_depth(name: str) -> None:
    assert find_language(name).name == "D_7"
    assert find_language(name).language == bounded_dyck(7)
    assert find_language(name).published == ()


KNOWN = ", ".join(PREDICATES)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("parityy", "did you mean 'PARITY'?"),
        ("Tomita3", "did you mean 'TOMITA_3'?"),
        ("majority", "did you mean 'PARITY'?"),
        ("xyzzy", "choose one of the known language names."),
    ],
)
def test_an_unknown_name_gets_the_known_ones_and_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_language(name)
    assert str(caught.value) == f"language '{name}' is unknown. Known: {KNOWN}.\nhint: {hint}"


@pytest.mark.parametrize("name", ["D_", "D", "D_-1", "D_3)", "D(3", "D_x", "D_1.5", "D_²", "D_٣"])
def test_a_malformed_family_name_is_unknown(name: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(f"language {name!r} is unknown.")):
        find_language(name)


def test_brackets_need_a_depth_of_at_least_one() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        _ = find_language("D_0").language
    assert str(caught.value) == "the depth of D_n must be at least 1; found 0.\nhint: for example D_3."


def test_brackets_nested_too_deep_for_the_cap_are_refused() -> None:
    with pytest.raises(CapExceededError) as caught:
        _ = find_language("D_99999").language
    assert str(caught.value) == "D_99999 has 100,001 states; the cap is 10,000.\nhint: use a smaller depth."
    assert find_language("D_9998").language.num_states == 10_000
