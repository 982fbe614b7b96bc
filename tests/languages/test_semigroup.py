from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.languages.components import strong_components
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.semigroup import (
    TransitionSemigroup,
    is_aperiodic,
    is_group,
    is_r_trivial,
    transition_semigroup,
)

LANGUAGES = {
    "(aa)*": DFA(alphabet="a", transitions=[[1], [0]], accepting=[0]),
    "a+": DFA(alphabet="a", transitions=[[1], [1]], accepting=[1]),
    "(ab)*": DFA(alphabet="ab", transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0]),
    "even number of a": DFA(alphabet="ab", transitions=[[1, 0], [0, 1]], accepting=[0]),
    "even a, even b": DFA(alphabet="ab", transitions=[[1, 2], [0, 3], [3, 0], [2, 1]], accepting=[0]),
    "no 000": DFA(alphabet="01", transitions=[[1, 0], [2, 0], [3, 0], [3, 3]], accepting=[0, 1, 2]),
    "an a, then a b": DFA(alphabet="ab", transitions=[[1, 0], [1, 2], [2, 2]], accepting=[2]),
    "ends in a": DFA(alphabet="ab", transitions=[[1, 0], [1, 0]], accepting=[1]),
    "starts with a": DFA(alphabet="ab", transitions=[[1, 2], [1, 1], [2, 2]], accepting=[1]),
    "everything": DFA(alphabet="ab", transitions=[[0, 0]], accepting=[0]),
    "all maps of three states": DFA(alphabet="abc", transitions=[[1, 1, 0], [2, 0, 0], [0, 2, 2]], accepting=[0]),
}
#                              aperiodic, R-trivial, group
ANSWERS = {
    "(aa)*": (False, False, True),
    "a+": (True, True, False),
    "(ab)*": (True, False, False),
    "even number of a": (False, False, True),
    "even a, even b": (False, False, True),
    "no 000": (True, False, False),
    "an a, then a b": (True, True, False),
    "ends in a": (True, False, False),  # xy = y, so that x and y are in each other's right ideals
    "starts with a": (True, True, False),
    "everything": (True, True, True),
    "all maps of three states": (False, False, False),
}
every_language = pytest.mark.parametrize("name", LANGUAGES)


def random_language(seed: int) -> DFA:
    draw = random.Random(seed)
    num_states = draw.randint(1, 4)
    alphabet = "abc"[: draw.randint(1, 3)]
    rows = [[draw.randrange(num_states) for _ in alphabet] for _ in range(num_states)]
    return DFA(alphabet=alphabet, transitions=rows, accepting=[s for s in range(num_states) if draw.random() < 0.5])


def maps_of_words(language: DFA, longest: int) -> dict[tuple[int, ...], tuple[str, ...]]:
    """Every map of a non-empty word up to this length, with its first word, in the order in which they appear."""
    found: dict[tuple[int, ...], tuple[str, ...]] = {}
    for length in range(1, longest + 1):
        for word in itertools.product(language.alphabet, repeat=length):
            found.setdefault(tuple(language.run(word, state) for state in range(language.num_states)), word)
    return found


def powers_settle(semigroup: TransitionSemigroup, x: int) -> bool:
    """x^n = x^(n+1) for some n up to the size, straight from the definition."""
    power = x
    for _ in range(semigroup.size):
        following = semigroup.multiply(power, x)
        if following == power:
            return True
        power = following
    return False


def generates_the_same_right_ideal(semigroup: TransitionSemigroup, x: int, y: int) -> bool:
    ideals = [{z, *(semigroup.multiply(z, s) for s in range(semigroup.size))} for z in (x, y)]
    return ideals[0] == ideals[1]


@every_language
def test_elements_and_shortest_words_are_those_of_all_short_words(name: str) -> None:
    semigroup = transition_semigroup(LANGUAGES[name])
    longest = max(map(len, semigroup.words)) + 1  # a length that adds nothing is the last to look at
    found = maps_of_words(LANGUAGES[name], longest)
    assert list(semigroup.elements) == list(found)
    assert list(semigroup.words) == list(found.values())


def test_the_semigroup_of_all_maps_of_three_states_has_27_elements_and_10_idempotents() -> None:
    semigroup = transition_semigroup(LANGUAGES["all maps of three states"])
    assert (semigroup.size, len(semigroup.idempotents)) == (27, 10)


@every_language
def test_cayley_graphs_agree_with_multiplication(name: str) -> None:
    semigroup = transition_semigroup(LANGUAGES[name])
    for x in range(semigroup.size):
        assert list(semigroup.right[x]) == [semigroup.multiply(x, generator) for generator in semigroup.generators]
        assert list(semigroup.left[x]) == [semigroup.multiply(generator, x) for generator in semigroup.generators]


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 10**6))
def test_cayley_graphs_of_random_automata_agree_with_multiplication(seed: int) -> None:
    semigroup = transition_semigroup(random_language(seed))
    for x in range(semigroup.size):
        assert list(semigroup.right[x]) == [semigroup.multiply(x, generator) for generator in semigroup.generators]
        assert list(semigroup.left[x]) == [semigroup.multiply(generator, x) for generator in semigroup.generators]


@every_language
def test_multiplication_is_that_of_words(name: str) -> None:
    language = LANGUAGES[name]
    semigroup = transition_semigroup(language)
    for i, j in itertools.product(range(semigroup.size), repeat=2):
        word = semigroup.words[i] + semigroup.words[j]
        product = tuple(language.run(word, state) for state in range(language.num_states))
        assert semigroup.elements[semigroup.multiply(i, j)] == product


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_multiplication_is_associative(seed: int, one: int, two: int, three: int) -> None:
    semigroup = transition_semigroup(random_language(seed))
    x, y, z = one % semigroup.size, two % semigroup.size, three % semigroup.size
    multiply = semigroup.multiply
    assert multiply(multiply(x, y), z) == multiply(x, multiply(y, z))


@every_language
def test_idempotents_are_the_elements_that_are_their_own_squares(name: str) -> None:
    semigroup = transition_semigroup(LANGUAGES[name])
    assert list(semigroup.idempotents) == [x for x in range(semigroup.size) if semigroup.multiply(x, x) == x]


@every_language
def test_known_languages_have_their_known_properties(name: str) -> None:
    semigroup = transition_semigroup(LANGUAGES[name])
    assert (is_aperiodic(semigroup), is_r_trivial(semigroup), is_group(semigroup)) == ANSWERS[name]


def test_properties_agree_with_their_definitions_on_random_automata() -> None:
    seen = set()
    for seed in range(150):
        semigroup = transition_semigroup(random_language(seed))
        if semigroup.size > 40:
            continue  # the definitions below are slow
        elements = range(semigroup.size)
        identity = tuple(range(semigroup.language.num_states))
        aperiodic = all(powers_settle(semigroup, x) for x in elements)
        trivial = not any(
            generates_the_same_right_ideal(semigroup, *pair) for pair in itertools.combinations(elements, 2)
        )
        group = [semigroup.elements[e] for e in semigroup.idempotents] == [identity]
        seen.add((aperiodic, trivial, group))
        assert (is_aperiodic(semigroup), is_r_trivial(semigroup), is_group(semigroup)) == (aperiodic, trivial, group)
    assert seen >= {(True, True, False), (True, False, False), (False, False, True), (False, False, False)}


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1)), min_size=n, max_size=n)))
def test_components_are_the_classes_of_mutual_reachability(successors: list[list[int]]) -> None:
    num_nodes = len(successors)
    reach = [{node} for node in range(num_nodes)]
    for _ in range(num_nodes):
        reach = [{far for near in ({node}.union(successors[node])) for far in reach[near]} for node in range(num_nodes)]
    classes = {tuple(two for two in reach[one] if one in reach[two]) for one in range(num_nodes)}
    assert sorted(map(tuple, strong_components(successors))) == sorted(tuple(sorted(members)) for members in classes)


def test_a_path_of_many_nodes_does_not_exhaust_the_recursion_limit() -> None:
    assert len(strong_components([[min(node + 1, 19_999)] for node in range(20_000)])) == 20_000


def test_semigroups_are_equal_exactly_when_their_languages_are() -> None:
    one, same = transition_semigroup(LANGUAGES["(ab)*"]), transition_semigroup(LANGUAGES["(ab)*"])
    assert one == same
    assert hash(one) == hash(same)
    assert one != transition_semigroup(~LANGUAGES["(ab)*"])
    assert repr(one) == "<TransitionSemigroup: 5 elements of <DFA: 3 states over {a, b}>>"


def test_a_semigroup_of_exactly_the_cap_is_built() -> None:
    assert transition_semigroup(LANGUAGES["all maps of three states"], cap=27).size == 27


def test_the_cap_error_names_the_cap_the_states_and_the_way_out() -> None:
    with pytest.raises(CapExceededError) as caught:
        transition_semigroup(LANGUAGES["all maps of three states"], cap=26)
    assert str(caught.value) == (
        "the transition semigroup of a language with 3 states passes the cap of 26 elements.\n"
        "hint: raise the cap, for example transition_semigroup(language, cap=260); 3 states allow up to 3^3 elements."
    )


def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        transition_semigroup(LANGUAGES["(aa)*"], cap=0)
    assert str(caught.value) == "cap is 0; it must be at least 1.\nhint: leave it out for the usual cap."


def test_maps_of_more_states_than_a_byte_can_name_are_composed_too() -> None:
    language = compile_regex("(a{300})*")
    semigroup = transition_semigroup(language)
    assert (language.num_states, semigroup.size) == (300, 300)
    assert semigroup.multiply(semigroup.generators[0], semigroup.generators[0]) == 1
    assert len(semigroup.idempotents) == 1
