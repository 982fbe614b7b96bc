"""Balanced refinement: two fast linear systems against the definition over all cycles."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import random_dfa, random_regex
from theory_generators import TELLING, random_languages, small_automata

from lengthwise.languages.components import strong_components
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.claims import Answer
from lengthwise.theory.cycles import null_space, refine_by_cycles, simple_cycles
from lengthwise.theory.deciders import decide_plain, plain_graph
from lengthwise.theory.graph import Graph, unrolled_graph
from lengthwise.theory.linear import Elimination
from lengthwise.theory.potentials import refine, refine_component, solve_letters, solve_states

MAX_MEMBERS = 12  # the oracle is exponential in the size of a component


def compare_with_cycles(graph: Graph) -> int:
    """Require that all fast versions agree with the oracle on every component; return how many were compared."""
    compared = 0
    for component in strong_components(graph.edges):
        if len(component) <= MAX_MEMBERS:
            expected = refine_by_cycles(graph, component)
            for solver in (None, solve_letters, solve_states):
                refinement = refine_component(graph, component, solver=solver)
                assert refinement.blocks == expected, (solver, component, graph.edges)
                assert refinement.passed == (len(set(expected)) == len(component))
            compared += len(component) > 1
    return compared


def test_refinement_is_that_of_all_cycles_on_every_small_automaton() -> None:
    languages = small_automata()
    assert len(languages) == 1072
    assert sum(compare_with_cycles(plain_graph(language)) for language in languages) > 900


@pytest.mark.parametrize("num_states", [4, 5, 6])
@pytest.mark.parametrize("alphabet", ["ab", "abc"])
def test_refinement_is_that_of_all_cycles_on_random_automata(num_states: int, alphabet: str) -> None:
    rng = Random(100 * num_states + len(alphabet))
    languages = [random_dfa(rng, num_states, alphabet) for _ in range(40)]
    assert sum(compare_with_cycles(plain_graph(language)) for language in languages) > 20


def test_refinement_is_that_of_all_cycles_on_expressions_where_counting_can_do_something() -> None:
    languages = [*random_languages(5, 150), *map(compile_regex, TELLING), two_brackets(2)]
    graphs = [plain_graph(language) for language in languages]
    assert sum(compare_with_cycles(graph) for graph in graphs) > 80
    levels = {refinement.level for graph in graphs for refinement in refine(graph)}
    assert {0, 1, 2} <= levels


@pytest.mark.full
@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("period", [1, 2, 3])
def test_refinement_is_that_of_all_cycles_on_unrolled_graphs(window: int, period: int) -> None:
    languages = [*small_automata()[::8], *random_languages(6, 25)]
    graphs = [unrolled_graph(language, window=window, period=period) for language in languages]
    assert sum(compare_with_cycles(graph) for graph in graphs) > 40


def test_an_unrolled_graph_without_window_and_period_is_the_automaton() -> None:
    for language in random_languages(7, 40):
        graph, plain = unrolled_graph(language), plain_graph(language)
        assert list(map(tuple, graph.edges)) == list(plain.edges)
        assert graph.vertices == plain.vertices
        assert graph.visible == plain.visible


@pytest.mark.parametrize(("window", "period"), [(1, 1), (2, 1), (0, 3), (2, 3)])
def test_an_unrolled_vertex_remembers_the_state_the_last_letters_and_the_residue(window: int, period: int) -> None:
    rng = Random(8)
    for language in random_languages(8, 20):
        graph = unrolled_graph(language, window=window, period=period)
        vertex, state, letters = 0, 0, ()
        for length in range(60):
            assert graph.vertices[vertex] == (state, letters, length % period)
            symbol = rng.randrange(len(language.alphabet))
            vertex, state = graph.edges[vertex][symbol], language.transitions[state][symbol]
            letters = (*letters, symbol)[-window:] if window else ()
        looks = [(letters, residue) for _, letters, residue in graph.vertices]
        assert len(set(zip(looks, graph.visible, strict=True))) == len(set(looks)) == len(set(graph.visible))


YES_LEVELS = {"(ab)*": 1, "(ab|bbaa)*": 2, "(abc|b)*": 2, "(bac|a)*": 2, "a*b*": 0, "aa*bb*cc*dd*ee*": 0}

NO_WITNESSES = {
    "[ab]*b": ("ab", "ba"),
    "(ab|bba)*": ("abb", "bba"),
}


@pytest.mark.parametrize(("text", "level"), YES_LEVELS.items())
def test_languages_that_counting_tracks_have_their_known_level(text: str, level: int) -> None:
    verdict = decide_plain(compile_regex(text))
    assert (verdict.answer, verdict.level) == (Answer.YES, level)


def two_brackets(depth: int) -> DFA:
    """Return the language of balanced words over two kinds of brackets, nested at most ``depth`` deep."""
    stacks = [""]
    for stack in stacks:
        stacks += [stack + kind for kind in "([" if len(stack) < depth]
    numbers = {stack: number for number, stack in enumerate(stacks)}
    sink = len(stacks)
    rows = []
    for stack in stacks:
        opened = [numbers.get(stack + kind, sink) for kind in "(["]
        closed = [numbers[stack[:-1]] if stack.endswith(kind) else sink for kind in "(["]
        rows.append([opened[0], closed[0], opened[1], closed[1]])
    return DFA(alphabet="()[]", transitions=[*rows, [sink] * 4], accepting=[0])


def test_two_kinds_of_brackets_nested_two_deep_are_tracked_at_level_two() -> None:
    verdict = decide_plain(two_brackets(2))
    assert (verdict.answer, verdict.level) == (Answer.YES, 2)


@pytest.mark.parametrize("text", [*NO_WITNESSES, "(aa)*", "(ab|aabb)*"])
def test_languages_that_counting_cannot_track_are_a_no(text: str) -> None:
    verdict = decide_plain(compile_regex(text))
    assert (verdict.answer, verdict.level) == (Answer.NO, None)


@pytest.mark.parametrize(("text", "words"), NO_WITNESSES.items())
def test_the_witnesses_of_a_no_are_the_shortest_ones(text: str, words: tuple[str, str]) -> None:
    certificate = decide_plain(compile_regex(text)).certificate
    assert certificate is not None
    assert {"".join(word) for word in certificate.witnesses} == set(words)  # type: ignore[union-attr]


edge_lists = st.integers(1, 9).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size - 1), max_size=3), min_size=size, max_size=size)
)


@given(edge_lists)
def test_strong_components_are_the_classes_of_mutual_reachability_in_order(edges: list[list[int]]) -> None:
    def reach(vertex: int) -> set[int]:
        met = {vertex}
        while fresh := {target for source in met for target in edges[source]} - met:
            met |= fresh
        return met

    reached = [reach(vertex) for vertex in range(len(edges))]
    components = strong_components(edges)
    for component in components:
        mutual = [vertex for vertex in range(len(edges)) if vertex in reached[component[0]]]
        assert component == [vertex for vertex in mutual if component[0] in reached[vertex]]
    place = {vertex: number for number, component in enumerate(components) for vertex in component}
    assert sorted(place) == list(range(len(edges)))
    assert all(place[source] <= place[target] for source, targets in enumerate(edges) for target in targets)


@pytest.mark.parametrize("num_vertices", [2, 3, 4])
def test_a_complete_graph_has_the_right_number_of_simple_cycles(num_vertices: int) -> None:
    steps = [(one, 0, two) for one in range(num_vertices) for two in range(num_vertices) if one != two]
    expected = {2: 1, 3: 2 + 3, 4: 6 + 8 + 6}
    assert len(list(simple_cycles(steps))) == expected[num_vertices]


NUM_UNKNOWNS = 6
systems = st.lists(st.lists(st.integers(-4, 4), min_size=NUM_UNKNOWNS, max_size=NUM_UNKNOWNS), max_size=8)


@given(systems)
def test_every_solution_satisfies_every_equation_and_none_is_missing(rows: list[list[int]]) -> None:
    elimination = Elimination()
    independent = [elimination.add({unknown: value for unknown, value in enumerate(row) if value}) for row in rows]
    oracle = null_space([[Fraction(value) for value in row] for row in rows], NUM_UNKNOWNS)
    values = elimination.solutions(NUM_UNKNOWNS)
    free = sorted({key for value in values for key in value})
    basis = [[value.get(key, 0) for value in values] for key in free]
    assert elimination.rank == sum(independent) == NUM_UNKNOWNS - len(oracle)
    assert len(basis) == len(oracle) == NUM_UNKNOWNS - elimination.rank
    for vector in basis:
        for row in rows:
            assert sum(value * coefficient for value, coefficient in zip(vector, row, strict=True)) == 0
    for number, vector in enumerate(basis):  # a free unknown is its own coordinate: the basis is independent
        assert [vector[unknown] != 0 for unknown in free] == [place == number for place in range(len(free))]


@given(systems)
def test_eliminated_rows_stay_reduced_and_without_common_divisor(rows: list[list[int]]) -> None:
    elimination = Elimination()
    for row in rows:
        elimination.add({unknown: value for unknown, value in enumerate(row) if value})
        for pivot, kept in elimination.rows.items():
            assert gcd(*kept.values()) == 1
            assert 0 not in kept.values()
            assert [unknown for unknown in kept if unknown in elimination.rows] == [pivot]


@pytest.mark.full
def test_the_two_linear_systems_agree_on_many_random_languages(capsys: pytest.CaptureFixture[str]) -> None:
    rng = Random(2026)
    alphabets = ("ab", "abc", "abcd")
    languages = []
    for _ in range(2000):
        alphabet = rng.choice(alphabets)
        text = random_regex(rng, 4, alphabet)
        languages.append(compile_regex(f"({text})*" if rng.random() < 0.5 else text, alphabet=alphabet))
    languages += [random_dfa(rng, rng.randint(3, 6), rng.choice(alphabets)) for _ in range(500)]
    components = stuck = 0
    for language in languages:
        graph = plain_graph(language)
        for component in strong_components(graph.edges):
            by_letters = refine_component(graph, component, solver=solve_letters)
            by_states = refine_component(graph, component, solver=solve_states)
            assert by_letters.blocks == by_states.blocks
            assert [each.blocks for each in by_letters.rounds] == [each.blocks for each in by_states.rounds]
            components += len(component) > 1
            stuck += not by_letters.passed
    with capsys.disabled():
        print(f"\nthe two linear systems agree: {len(languages)} languages, {components} components, {stuck} stuck")
