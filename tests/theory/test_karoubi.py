"""Windows and periods, decided: the Karoubi graph against its definition, against unrolled automata, and against laws."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, product
from math import gcd, lcm
from random import Random

import pytest
from theory_generators import GAPS, LARGE_DFA, REGEX, SMALL_DFA, TELLING, many_languages, random_word, small_automata

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import CapExceededError
from lengthwise.languages.catalog import find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.semigroup import TransitionSemigroup, transition_semigroup
from lengthwise.theory.certificates import GraphCertificate, PeriodsCertificate, PotentialsCertificate
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.cycles import null_space
from lengthwise.theory.deciders import decide, decide_plain
from lengthwise.theory.facts import Facts
from lengthwise.theory.graph import unrolled_graph
from lengthwise.theory.graph_obstructions import build_graph_certificate
from lengthwise.theory.karoubi import (
    KaroubiGraph,
    component_period,
    karoubi_graph,
    regular_representatives,
    right_components,
    word_lengths,
)
from lengthwise.theory.potentials import refine, refine_edges, solve_letters, solve_states
from lengthwise.theory.reductions import find_reduction
from lengthwise.theory.verdict import Verdict
from lengthwise.theory.windows import Caps, find_unrolling, full_period

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
PLAIN, LOCAL, PERIODIC, PERIODIC_LOCAL = Fragment
WITH_WINDOWS = (LOCAL, PERIODIC_LOCAL)


def named(text: str) -> DFA:
    return compile_regex(text.removeprefix("regex ")) if text.startswith("regex ") else find_language(text).language


@cache
def ask(language: DFA, fragment: Fragment, readout: Readout = Readout.END_MARKER) -> Verdict:
    return decide(Facts(language=language), fragment, readout)


@cache
def semigroup_of(language: DFA) -> TransitionSemigroup:
    return transition_semigroup(language, cap=1_000)


def graph_of(language: DFA, fragment: Fragment) -> KaroubiGraph:
    return karoubi_graph(semigroup_of(language), periods=fragment.has_periods, max_arrows=300_000)


@cache
def graph_passes(language: DFA, fragment: Fragment) -> bool | None:
    """Return whether the Karoubi graph passes, or None where it is too large."""
    try:
        return graph_of(language, fragment).find_stuck() is None
    except CapExceededError:
        return None


def whole_graph_passes(language: DFA, fragment: Fragment, max_arrows: int = 20_000) -> bool | None:
    """Return whether the graph with all idempotents passes, or None where it is too large."""
    periods = fragment.has_periods
    try:
        graph = karoubi_graph(semigroup_of(language), periods=periods, reduced=False, max_arrows=max_arrows)
    except CapExceededError:
        return None
    return graph.find_stuck() is None


@cache
def is_in(language: DFA, fragment: Fragment) -> bool | None:
    """Return whether a language is in a fragment, by the graph alone, or None where that is too large."""
    plain = decide_plain(language).answer is YES
    return plain if fragment is PLAIN else (plain or graph_passes(language, fragment))


def unrolled_passes(language: DFA, period: int, window: int, max_vertices: int = 5_000) -> bool:
    graph = unrolled_graph(language, window=window, period=period, max_vertices=max_vertices)
    return all(refinement.passed for refinement in refine(graph))


# Named languages

#: In C-RASP[periodic, local] or not: in plain C-RASP, and the (period, window) of the program with the least window.
NAMED: dict[str, tuple[Answer, tuple[int, int] | None]] = {
    "TOMITA_1": (YES, (1, 0)),
    "TOMITA_2": (YES, (1, 0)),
    "TOMITA_3": (NO, None),
    "TOMITA_4": (NO, (1, 2)),
    "TOMITA_5": (NO, None),
    "TOMITA_6": (NO, None),
    "TOMITA_7": (YES, (1, 0)),
    "D_1": (YES, (1, 0)),
    "D_2": (YES, (1, 0)),
    "D_3": (YES, (1, 0)),
    "D_4": (YES, (1, 0)),
    "D_12": (YES, (1, 0)),
    "(aa)*": (NO, (2, 0)),
    "(aaaa)*": (NO, (4, 0)),
    "(abab)*": (NO, (4, 0)),
    "aa*bb*cc*dd*ee*": (YES, (1, 0)),
    "{a,b}*d{b,c}*": (YES, (1, 0)),
    "{a,b}*b": (NO, (1, 1)),
    "regex (ab|bba)*": (NO, (1, 2)),
    "regex (ab|aabb)*": (NO, (1, 1)),
    "regex (ab|bbaa)*": (YES, (1, 0)),
    "PARITY": (NO, None),
    "{0,1,2}*02*": (NO, None),
    "regex (0|11)*": (NO, (2, 0)),
}


@pytest.mark.parametrize(("name", "expected"), NAMED.items())
def test_a_named_language_has_its_answers_for_nope_local_and_ape(
    name: str, expected: tuple[Answer, tuple[int, int] | None]
) -> None:
    language = named(name)
    plain, unrolling = expected
    local = YES if unrolling is not None and unrolling[0] == 1 else NO  # a period that is needed is needed with windows
    ape = NO if unrolling is None else YES
    assert [ask(language, each).answer for each in (PLAIN, LOCAL, PERIODIC_LOCAL)] == [plain, local, ape]
    assert [graph_passes(language, each) for each in WITH_WINDOWS] == [local is YES, ape is YES]


@pytest.mark.parametrize(("name", "expected"), NAMED.items())
def test_a_named_yes_has_the_least_window_and_for_it_the_least_period(
    name: str, expected: tuple[Answer, tuple[int, int] | None]
) -> None:
    language = named(name)
    certificate = ask(language, PERIODIC_LOCAL).certificate
    if expected[1] is None:
        assert not isinstance(certificate, PotentialsCertificate)
        return
    period, window = expected[1]
    assert isinstance(certificate, PotentialsCertificate)
    assert (certificate.period, certificate.window) == (period, window)
    assert unrolled_passes(language, period, window)
    whole = full_period(semigroup_of(language))
    assert not window or not unrolled_passes(language, whole, window - 1)
    smaller = [divisor for divisor in range(1, period) if period % divisor == 0]
    assert not any(unrolled_passes(language, divisor, window) for divisor in smaller)


@pytest.mark.parametrize("text", GAPS)
@pytest.mark.parametrize("fragment", [LOCAL, PERIODIC, PERIODIC_LOCAL])
def test_a_language_in_the_gap_is_out_without_a_reduction(text: str, fragment: Fragment) -> None:
    language = compile_regex(text)
    verdict = ask(language, fragment)
    without_windows = fragment is PERIODIC  # then roots of unity say so already
    assert (verdict.answer, verdict.theorem) == (NO, "periodic_refinement" if without_windows else "karoubi")
    assert isinstance(verdict.certificate, PeriodsCertificate if without_windows else GraphCertificate)
    assert check_certificate(verdict.certificate.to_json(), language).accepted
    assert find_reduction(language, fragment, Asked.MEMBERSHIP) is None


@pytest.mark.parametrize(("text", "fails"), list(zip(GAPS, (True, False, False, False), strict=True)))
def test_local_monoids_do_not_suffice(text: str, fails: bool) -> None:
    """Vertices of one idempotent and one residue, with the arrows between them: only the first gap is seen there."""
    graph = graph_of(compile_regex(text), PERIODIC_LOCAL)
    assert graph.find_stuck() is not None
    stuck = []
    for look in {vertex[1:] for vertex in graph.vertices}:
        inside = [number for number, vertex in enumerate(graph.vertices) if vertex[1:] == look]
        place = {vertex: member for member, vertex in enumerate(inside)}
        edges = [[(a, place[b]) for a, b in graph.arrows[vertex] if b in place] for vertex in inside]
        for component in components_of([[target for _, target in row] for row in edges]):
            within = {member: number for number, member in enumerate(component)}
            inner = [[(a, within[b]) for a, b in edges[member] if b in within] for member in component]
            if len(component) > 1:
                stuck.append(not refine_edges(component, inner, [0] * len(component)).passed)
    assert any(stuck) is fails


def test_the_first_language_that_local_monoids_miss_has_the_size_that_is_stated() -> None:
    language = compile_regex("(cca*b|bb|a)*")
    assert (language.num_states, semigroup_of(language).size) == (5, 23)


MANY_PERIODS = compile_regex("(aa)*|(bbb)*|(c{5})*|(d{7})*|(e{11})*|(f{13})*")


def test_a_language_of_many_periods_is_in_although_their_common_multiple_is_large() -> None:
    assert semigroup_of(MANY_PERIODS).size == 42
    assert full_period(semigroup_of(MANY_PERIODS)) == 30_030
    started = time.process_time()
    verdict = ask(MANY_PERIODS, PERIODIC_LOCAL)
    assert time.process_time() - started < 20
    assert (verdict.answer, verdict.theorem, verdict.certificate) == (YES, "karoubi", None)
    assert ask(MANY_PERIODS, LOCAL).answer is NO


def test_what_a_cap_kept_from_being_tried_is_not_said_not_to_exist() -> None:
    verdict = ask(MANY_PERIODS, PERIODIC)
    assert (verdict.answer, verdict.theorem, verdict.certificate) == (YES, "periodic_refinement", None)
    assert verdict.reason == (
        "By our theorem counting, with the position modulo a number (C-RASP[periodic]) solves it, but no program was looked for: "
        "periods are tried up to 10,000, the cap."
    )
    language = compile_regex("(aa)*|(bbb)*|(c{5})*|(d{7})*")
    assert ask(language, PERIODIC).certificate is not None  # with period 210
    for caps, cap in [
        (Caps(max_period=209), "periods are tried up to 209, the cap."),
        (Caps(max_vertices=99), "unrolled with window 0 and period 210 there are more than 99 vertices, the cap."),
    ]:
        verdict = decide(Facts(language=language), PERIODIC, caps=caps)
        assert (verdict.answer, verdict.certificate) == (YES, None)
        assert verdict.reason.endswith(f"(C-RASP[periodic]) solves it, but no program was looked for: {cap}")


def test_a_yes_without_a_program_says_by_what_it_is_one() -> None:
    language = compile_regex("(((a|b){1,3}baba+aa)+)*", alphabet="abc")
    verdict = ask(language, PERIODIC_LOCAL)
    assert (verdict.answer, verdict.theorem, verdict.certificate) == (YES, "karoubi", None)
    assert verdict.reason == (
        "By our theorem counting, with the last few symbols and the position modulo a number (C-RASP[periodic, "
        "local]) solves it, but no program was found with windows up to 12 and at most 5,000 vertices."
    )
    verdict = decide(Facts(language=compile_regex("(aa)*")), PERIODIC_LOCAL, caps=Caps(max_period=1))
    assert (verdict.answer, verdict.certificate) == (YES, None)
    assert verdict.reason == (
        "By our theorem counting, with the last few symbols and the position modulo a number (C-RASP[periodic, local]) solves "
        "it, but no program was looked for: periods are tried up to 1, the cap."
    )


def test_a_yes_at_the_last_symbol_has_a_certificate_for_every_symbol_or_none() -> None:
    language = compile_regex("(((a|b){1,3}baba+aa)+)*", alphabet="abc")
    verdict = ask(language, PERIODIC_LOCAL, Readout.LAST_SYMBOL)  # what comes before a last a has no small program
    assert (verdict.answer, verdict.theorem, verdict.certificate) == (YES, "last_symbol_quotients", None)
    assert verdict.reason == (
        "The last symbol is seen where the answer is read. If it is a, what comes before it decides. By our "
        "theorem counting, with the last few symbols and the position modulo a number (C-RASP[periodic, local]) "
        "solves it, but no program was found with windows up to 12 and at most 5,000 vertices."
    )


def test_where_a_cap_stops_the_graph_small_programs_and_reductions_still_answer() -> None:
    caps = Caps(max_elements=3)
    answers = {
        text: decide(Facts(language=compile_regex(text)), PERIODIC_LOCAL, caps=caps)
        for text in ("(ab|bba)*", "[ab]*b", "(a|bb)*", "1*(01*01*)*", "(aab*aa|ab)*")
    }
    assert [verdict.answer for verdict in answers.values()] == [YES, YES, YES, NO, UNKNOWN]
    assert answers["(aab*aa|ab)*"].reason == (
        "No small program and no reduction was found, and the exact decision stopped at a cap: the transition semigroup of "
        "a language with 5 states passes the cap of 3 elements."
    )
    for text, verdict in answers.items():
        if verdict.certificate is not None:
            assert check_certificate(verdict.certificate.to_json(), compile_regex(text)).accepted


# The definition, spelled out: sets of words of each length, all idempotents, one modulus for all, dense linear algebra.

Move = tuple[int, ...]


def then(first: Move, second: Move) -> Move:
    return tuple(second[state] for state in first)


def stable_sets(language: DFA, periods: bool) -> list[set[Move]]:
    """Return B_0, B_1, …: the values of words of every large length that leaves this residue."""
    letters = [tuple(row[symbol] for row in language.transitions) for symbol in range(len(language.alphabet))]
    sets: list[frozenset[Move]] = [frozenset(letters)]
    while sets[-1] not in sets[:-1]:
        sets.append(frozenset(then(move, letter) for move in sets[-1] for letter in letters))
    if not periods:
        return [set().union(*sets)]
    first = sets.index(sets[-1])
    length = len(sets) - 1 - first  # sets[number] belongs to the length number + 1
    cycle = sets[first:-1]
    return [set(cycle[(residue - first - 1) % length]) for residue in range(length)]


def components_of(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, from which vertex leads to which."""
    reached: list[set[int]] = []
    for vertex in range(len(edges)):
        met = {vertex}
        queue = [vertex]
        for each in queue:
            for target in edges[each]:
                if target not in met:
                    met.add(target)
                    queue.append(target)
        reached.append(met)
    found = {tuple(sorted(o for o in reached[v] if v in reached[o])) for v in range(len(edges))}
    return sorted(map(list, found))


def passes_by_definition(language: DFA, periods: bool) -> bool:
    """Return whether K passes, as it is defined, without any code of the fast version."""
    stable = stable_sets(language, periods)
    modulus = len(stable)
    everything = set().union(*stable)
    if not periods:
        letters = [tuple(row[symbol] for row in language.transitions) for symbol in range(len(language.alphabet))]
        everything |= set(letters)
    idempotents = sorted(move for move in everything if then(move, move) == move)
    reached = {(0, 0)}
    queue = [(0, 0)]
    for state, residue in queue:
        for target in language.transitions[state]:
            place = (target, (residue + 1) % modulus)
            if place not in reached:
                reached.add(place)
                queue.append(place)
    vertices = [(q, e, r) for e in idempotents for q, r in sorted(reached) if e[q] == q]
    number = {vertex: place for place, vertex in enumerate(vertices)}
    arrows: list[list[tuple[object, int]]] = [[] for _ in vertices]
    for e, f in product(idempotents, repeat=2):
        for r, r2 in product(range(modulus), repeat=2):
            for t in {then(then(e, s), f) for s in stable[(r2 - r) % modulus]}:
                for q in range(language.num_states):
                    if (q, e, r) in number:
                        arrows[number[q, e, r]].append(((e, r, t, f, r2), number[t[q], f, r2]))
    for component in components_of([[target for _, target in row] for row in arrows]):
        if not separates([vertices[vertex][1:] for vertex in component], component, arrows):
            return False
    return True


def separates(looks: list[object], component: list[int], arrows: list[list[tuple[object, int]]]) -> bool:
    """Return whether refinement tells apart all members that look alike, with potentials as unknowns in full rows."""
    place = {vertex: member for member, vertex in enumerate(component)}
    blocks: list[object] = [None] * len(component)
    while True:
        rows: set[tuple[int, ...]] = set()
        first: dict[object, tuple[int, int]] = {}
        for member, vertex in enumerate(component):
            for label, target in arrows[vertex]:
                if target in place:
                    here = (member, place[target])
                    one, two = first.setdefault((label, blocks[member]), here)
                    row = [0] * len(component)
                    for unknown, sign in ((here[1], 1), (here[0], -1), (two, -1), (one, 1)):
                        row[unknown] += sign
                    rows.add(tuple(row))
        basis = null_space([[Fraction(value) for value in row] for row in sorted(rows)], len(component))
        keys = [(block, *(vector[member] for vector in basis)) for member, block in enumerate(blocks)]
        numbers: dict[object, int] = {}
        finer: list[object] = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(set(finer)) == len(set(blocks)):
            return len(set(zip(looks, finer, strict=True))) == len(component)
        blocks = finer


def compare_with_the_definition(languages: Sequence[DFA]) -> Counter[tuple[bool, bool]]:
    seen: Counter[tuple[bool, bool]] = Counter()
    for language in languages:
        expected = tuple(passes_by_definition(language, fragment.has_periods) for fragment in WITH_WINDOWS)
        for passes in (graph_passes, whole_graph_passes):
            told = tuple(passes(language, fragment) for fragment in WITH_WINDOWS)
            assert told == expected, (language.transitions, language.accepting)
        seen[expected[0], expected[1]] += 1
    assert not seen[True, False]
    return seen


def test_the_graph_passes_exactly_where_its_definition_does() -> None:
    languages = [each for each in small_automata()[::12] if is_small(each, 80)]
    languages += [*map(compile_regex, ("(ab|bba)*", "(aa)*", "(a|bb)*", "(aaab)*"))]
    seen = compare_with_the_definition(languages)
    assert min(seen[True, True], seen[False, True], seen[False, False]) >= 2


@pytest.mark.full
def test_the_graph_passes_exactly_where_its_definition_does_on_every_small_automaton() -> None:
    languages = [*small_automata(), *(each for each in map(compile_regex, [*TELLING, *GAPS]) if each.num_states < 7)]
    languages += [language for source, language in islice(many_languages(93), 800) if is_small(language)]
    seen = compare_with_the_definition(languages)
    assert min(seen[True, True], seen[False, True], seen[False, False]) >= 20


def is_small(language: DFA, size: int = 120) -> bool:
    try:
        semigroup = transition_semigroup(language, cap=40)
    except CapExceededError:
        return False
    return full_period(semigroup) * len(semigroup.idempotents) * language.num_states <= size


def words_of_length(language: DFA, longest: int) -> dict[Move, set[int]]:
    """Return for every element the lengths of its words up to a length."""
    letters = [tuple(row[symbol] for row in language.transitions) for symbol in range(len(language.alphabet))]
    found: dict[Move, set[int]] = {}
    layer = set(letters)
    for length in range(1, longest + 1):
        for move in layer:
            found.setdefault(move, set()).add(length)
        layer = {then(move, letter) for move in layer for letter in letters}
    return found


def test_moduli_and_lengths_are_those_of_all_words() -> None:
    moduli: Counter[int] = Counter()
    for _, language in islice((each for each in many_languages(91) if is_small(each[1])), 60):
        semigroup = semigroup_of(language)
        longest = 3 * semigroup.size + 3  # by then every length that is possible modulo anything small has come up
        lengths = words_of_length(language, longest)
        components = right_components(semigroup)
        for e in semigroup.idempotents:
            expected = gcd(*lengths[semigroup.elements[e]])
            assert component_period(semigroup, components[e]) == expected
            moduli[expected] += 1
        assert full_period(semigroup) == lcm(*(gcd(*lengths[semigroup.elements[e]]) for e in semigroup.idempotents))
        for modulus in (1, 2, 3):
            for element, found in zip(semigroup.elements, word_lengths(semigroup, modulus), strict=True):
                assert found == sum(1 << residue for residue in {each % modulus for each in lengths[element]})
    assert moduli[1] > 20
    assert moduli.total() - moduli[1] > 20


def leads(semigroup: TransitionSemigroup, one: int, two: int) -> bool:
    """Return whether x·one·y = two for some x and y, perhaps empty."""
    left = {one, *(semigroup.multiply(x, one) for x in range(semigroup.size))}
    return two in left or any(semigroup.multiply(each, y) == two for each in left for y in range(semigroup.size))


def test_one_idempotent_is_taken_of_every_regular_class() -> None:
    for _, language in islice((each for each in many_languages(92) if is_small(each[1])), 40):
        semigroup = semigroup_of(language)
        chosen = regular_representatives(semigroup)
        for e in semigroup.idempotents:
            assert sum(leads(semigroup, e, other) and leads(semigroup, other, e) for other in chosen) == 1
        assert set(chosen) <= set(semigroup.idempotents)


# Unrolled automata, the two linear systems, certificates and reductions

QUICK, SEED = 200, 81


@cache
def sample(seed: int, num_languages: int) -> list[tuple[str, DFA]]:
    return list(islice(many_languages(seed), num_languages))


def compare_graphs(languages: Sequence[DFA], max_arrows: int) -> Counter[str]:
    """Require that everything that speaks of a language agrees; return how often each comparison was made."""
    made: Counter[str] = Counter()
    for language in languages:
        assert (decide_plain(language).answer is YES) == unrolled_passes(language, 1, 0)
        made["plain and G(1, 0)"] += 1
        passes = {fragment: graph_passes(language, fragment) for fragment in WITH_WINDOWS}
        for fragment, told in passes.items():
            whole = whole_graph_passes(language, fragment, max_arrows)
            if told is not None and whole is not None:
                assert whole == told, (language.transitions, language.accepting)
                made["reduced and unreduced"] += 1
            if told is not None and semigroup_of(language).size <= max_arrows // 200:
                made.update(compare_solvers(language, fragment, max_arrows // 8))
        if None not in passes.values():
            made.update(compare_unrolled(language, passes))
        if language.num_states <= 10 and find_reduction(language, PERIODIC_LOCAL, Asked.MEMBERSHIP) is not None:
            assert not passes[PERIODIC_LOCAL], (language.transitions, language.accepting)
            made["reduction and graph"] += 1
    return made


def compare_solvers(language: DFA, fragment: Fragment, max_arrows: int) -> Counter[str]:
    """Solve every component with both linear systems."""
    made: Counter[str] = Counter()
    for each in graph_of(language, fragment).refine():
        seen = [0] * len(each.members)
        if each.rounds:
            seen = list(each.rounds[0].blocks)
        elif not each.passed:
            seen = list(each.blocks)
        if sum(map(len, each.edges)) <= max_arrows:
            blocks = [
                refine_edges(each.members, each.edges, seen, solver=solver).blocks
                for solver in (solve_letters, solve_states)
            ]
            assert blocks[0] == blocks[1] == each.blocks
            made["two linear systems"] += 1
    return made


def compare_unrolled(language: DFA, passes: dict[Fragment, bool | None]) -> Counter[str]:
    """No small unrolling passes where the graph does not; and where it does, one with the full period passes."""
    made: Counter[str] = Counter()
    for period, window in product((1, 2, 3, 4), (0, 1, 2, 3)):
        fragment = LOCAL if period == 1 else PERIODIC_LOCAL
        if passes[fragment] and (period, window) != (1, 0):
            continue
        try:
            passed = unrolled_passes(language, period, window, max_vertices=600)
        except CapExceededError:
            continue
        made["unrolled graphs of a language that is out" if not passes[fragment] else "unrolled"] += 1
        assert passes[fragment] or not passed, (language.transitions, language.accepting, period, window)
    for fragment in WITH_WINDOWS:
        if passes[fragment]:
            period = full_period(semigroup_of(language)) if fragment.has_periods else 1
            found = find_unrolling(language, fragment, Asked.MEMBERSHIP, period, Caps(max_vertices=600))
            if found is None:
                made["in, but no unrolling within caps"] += 1
            else:
                assert unrolled_passes(language, period, found.window)
                made["in by an unrolling"] += 1
    return made


@pytest.mark.full
def test_the_graph_agrees_with_unrolled_automata_and_reductions() -> None:
    made = compare_graphs([language for _, language in sample(SEED, QUICK)], max_arrows=20_000)
    assert min(made[name] for name in ("reduced and unreduced", "two linear systems", "reduction and graph")) > 50
    assert made["unrolled graphs of a language that is out"] > 500
    assert made["in by an unrolling"] > 10 * made["in, but no unrolling within caps"]


def pumped(certificate: GraphCertificate, idempotent: int, period: int, window: int) -> tuple[str, ...]:
    """Return a word of an idempotent that is longer than a window, and whose length a period divides."""
    word = certificate.idempotents[idempotent][0]
    return word * (period * (window + 1))


def check_in_unrolled_graphs(language: DFA, certificate: GraphCertificate) -> None:
    """Follow a certificate into unrolled graphs: its two vertices must stay in one block of each."""
    one, two = (certificate.vertices[member] for member in certificate.pair)
    (state, e, residue), (other, same, _) = one, two
    assert (same, residue) == (e, two[2])
    modulus = gcd(*map(len, certificate.idempotents[e])) if certificate.fragment.has_periods else 1
    for extra, window in product((1, 2, 3) if certificate.fragment.has_periods else (1,), (0, 1, 2)):
        period = lcm(modulus, extra)
        try:
            graph = unrolled_graph(language, window=window, period=period, max_vertices=2_000)
        except CapExceededError:
            continue
        letters = tuple(language.encode(pumped(certificate, e, period, window)))[-window:] if window else ()
        place = {vertex: number for number, vertex in enumerate(graph.vertices)}
        blocks = {
            vertex: (number, block)
            for number, refinement in enumerate(refine(graph))
            for vertex, block in zip(refinement.members, refinement.blocks, strict=True)
        }
        for lift in range(residue, period, modulus):
            vertices = [place[each, letters, lift] for each in (state, other)]
            assert blocks[vertices[0]] == blocks[vertices[1]]


def stuck_certificate(language: DFA, fragment: Fragment) -> GraphCertificate | None:
    """Return the graph certificate of a language that is out, whether or not there is a reduction."""
    graph = graph_of(language, fragment)
    stuck = graph.find_stuck()
    return None if stuck is None else build_graph_certificate(graph, stuck, fragment, Asked.MEMBERSHIP)


def check_certificates(languages: Sequence[DFA]) -> Counter[Fragment]:
    checked: Counter[Fragment] = Counter()
    for language in languages:
        for fragment in WITH_WINDOWS:
            if graph_passes(language, fragment) is False:
                certificate = stuck_certificate(language, fragment)
                assert certificate is not None
                check = check_certificate(certificate.to_json(), language)
                assert check.accepted, (language.transitions, language.accepting, fragment, check.objection)
                check_in_unrolled_graphs(language, certificate)
                checked[fragment] += 1
    return checked


def test_every_no_of_the_graph_has_a_certificate_that_is_accepted_and_holds_in_unrolled_graphs() -> None:
    languages = [language for source, language in sample(SEED, QUICK) if source != LARGE_DFA]
    checked = check_certificates([*languages, *map(compile_regex, GAPS)])
    assert min(checked[fragment] for fragment in WITH_WINDOWS) > 30


# Laws


def test_larger_fragments_contain_smaller_ones() -> None:
    for _, language in sample(SEED, QUICK):
        answers = [is_in(language, fragment) for fragment in (PLAIN, LOCAL, PERIODIC_LOCAL)]
        assert answers in ([False] * 3, [False, False, True], [False, True, True], [True] * 3) or None in answers


def test_the_verdict_is_what_the_graph_says() -> None:
    seen: Counter[Answer] = Counter()
    for _, language in sample(SEED, QUICK // 2):
        for fragment in WITH_WINDOWS:
            told = is_in(language, fragment)
            answer = ask(language, fragment).answer
            seen[answer] += 1
            assert told is None or answer is (YES if told else NO)
    assert min(seen[YES], seen[NO]) > 30


def test_windows_make_the_readouts_agree() -> None:
    for source, language in sample(SEED, QUICK // 2):
        for fragment in WITH_WINDOWS if source != LARGE_DFA else ():
            answers = {ask(language, fragment, readout).answer for readout in Readout}
            assert len(answers) == 1


def left_quotient(language: DFA, word: Sequence[str]) -> DFA:
    start = language.run(word)
    return DFA(
        alphabet=language.alphabet, transitions=language.transitions, accepting=language.accepting, initial=start
    )


def right_quotient(language: DFA, word: Sequence[str]) -> DFA:
    ends = [state for state in range(language.num_states) if language.run(word, state) in language.accepting]
    return DFA(alphabet=language.alphabet, transitions=language.transitions, accepting=ends)


def inverse_image(language: DFA, images: dict[str, Sequence[str]]) -> DFA:
    """Return the words whose letters, each replaced by its image, are in the language."""
    rows = [[language.run(image, state) for image in images.values()] for state in range(language.num_states)]
    return DFA(alphabet=tuple(images), transitions=rows, accepting=language.accepting)


def derived_language(rng: Random, language: DFA, others: Sequence[DFA]) -> tuple[str, DFA]:
    """Return a language that must be in every fragment that has the language and the others."""
    kind = rng.choice(["and", "or", "xor", "minus", "left", "left", "right", "right", "inverse", "inverse", "not"])
    word = random_word(rng, language.alphabet, rng.randint(1, 3))
    other = rng.choice(others)
    match kind:
        case "and":
            return kind, language & other
        case "or":
            return kind, language | other
        case "xor":
            return kind, language ^ other
        case "minus":
            return kind, language - other
        case "left":
            return kind, left_quotient(language, word)
        case "right":
            return kind, right_quotient(language, word)
        case "inverse":
            size = rng.randint(1, 3)
            return kind, inverse_image(
                language, {letter: random_word(rng, language.alphabet, size) for letter in rng.choice(("xy", "xyz"))}
            )
        case _:
            return kind, ~language


def check_closure(seed: int, languages: Sequence[DFA], num_checks: int) -> tuple[Counter[str], list[object]]:
    """Derive languages from those that need a fragment; return how many were checked, and those that were not in it."""
    rng = Random(seed)
    made: Counter[str] = Counter()
    violations: list[object] = []
    smaller = {PLAIN: None, LOCAL: PLAIN, PERIODIC_LOCAL: LOCAL}
    pools: dict[tuple[Fragment, tuple[str, ...]], list[DFA]] = {}
    need: dict[tuple[Fragment, tuple[str, ...]], list[DFA]] = {}
    for language, (fragment, less) in product(languages, smaller.items()):
        if 2 <= language.num_states <= 12 and is_in(language, fragment):
            pools.setdefault((fragment, language.alphabet), []).append(language)
            if less is None or not is_in(language, less):
                need.setdefault((fragment, language.alphabet), []).append(language)
    while made.total() - made["decided by the graph"] < num_checks:
        name = rng.choice(sorted(need))
        language, pool = rng.choice(need[name]), pools[name]
        others = [each for each in rng.sample(pool, min(4, len(pool))) if each.num_states * language.num_states <= 60]
        kind, derived = derived_language(rng, language, others or [language])
        if derived.num_states == 1:
            continue  # nothing, or everything
        told = is_in(derived, name[0])
        made[kind if told is not None else "too large"] += 1
        made["decided by the graph"] += not is_in(derived, PLAIN)
        if told is False:
            violations.append((kind, name[0], language.transitions, language.accepting))
    return made, violations


def test_what_is_derived_from_languages_of_a_fragment_is_in_it() -> None:
    made, violations = check_closure(82, [language for _, language in sample(SEED, QUICK)], 600)
    assert violations == []
    assert min(made[kind] for kind in ("and", "or", "xor", "minus", "left", "right", "inverse", "not")) > 20
    assert made["decided by the graph"] > 150
    assert made["too large"] < 20


def test_a_complement_has_the_same_answer() -> None:
    for source, language in sample(SEED, QUICK):
        for fragment in (PLAIN, *WITH_WINDOWS) if source != LARGE_DFA else ():
            one, two = is_in(language, fragment), is_in(~language, fragment)
            assert one is two


# The long version, with figures


@pytest.mark.full
def test_five_thousand_languages_have_one_answer_each(capsys: pytest.CaptureFixture[str]) -> None:
    languages = sample(83, 5_200)
    assert len({language for _, language in languages}) == 5_200
    seconds: dict[tuple[str, Fragment], list[float]] = {}
    answers: Counter[tuple[str, Fragment, Answer]] = Counter()
    without_program: Counter[str] = Counter()
    for source, language in languages:
        told = []
        for fragment in (PLAIN, LOCAL, PERIODIC_LOCAL):
            started = time.perf_counter()
            verdict = decide(Facts(language=language), fragment)
            seconds.setdefault((source, fragment), []).append(time.perf_counter() - started)
            answers[source, fragment, verdict.answer] += 1
            without_program[source] += verdict.answer is YES and verdict.certificate is None
            told.append(verdict.answer)
            if verdict.certificate is not None:
                assert check_certificate(verdict.certificate.to_json(), language).accepted
        assert (told[0] is YES) <= (told[1] is YES) <= (told[2] is YES)
        assert (told[2] is NO) <= (told[1] is NO) <= (told[0] is NO)
    lines = [f"distinct languages: {len(languages)}"]
    for source in (REGEX, SMALL_DFA, LARGE_DFA):
        for fragment in (PLAIN, LOCAL, PERIODIC_LOCAL):
            number = sum(answers[source, fragment, answer] for answer in Answer)
            times = sorted(seconds[source, fragment])
            counts = ", ".join(f"{answer} {answers[source, fragment, answer]}" for answer in Answer)
            share = answers[source, fragment, UNKNOWN] / number
            lines.append(
                f"{source}, {fragment}: {counts}; unknown {share:.2%}; ms: mean {1e3 * statistics.mean(times):.2f}, "
                f"median {1e3 * statistics.median(times):.2f}, 99th percentile {1e3 * times[int(0.99 * number)]:.0f}, "
                f"largest {1e3 * times[-1]:.0f}"
            )
        lines.append(f"{source}: YES by theorem only: {without_program[source]}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    number = sum(answers[SMALL_DFA, PERIODIC_LOCAL, answer] for answer in Answer)
    assert answers[SMALL_DFA, PERIODIC_LOCAL, UNKNOWN] < 0.01 * number
    assert answers[SMALL_DFA, LOCAL, UNKNOWN] < 0.01 * number


@pytest.mark.full
def test_the_graph_agrees_with_everything_on_five_thousand_languages(capsys: pytest.CaptureFixture[str]) -> None:
    languages = [language for _, language in sample(83, 5_200)]
    made = compare_graphs(languages, max_arrows=30_000)
    checked = check_certificates(languages)
    with capsys.disabled():
        print(f"\n{len(languages)} languages, no disagreement: {dict(made)}; graph certificates: {dict(checked)}")


@pytest.mark.full
def test_twenty_thousand_derived_languages_are_where_they_must_be(capsys: pytest.CaptureFixture[str]) -> None:
    made, violations = check_closure(84, [language for _, language in sample(83, 5_200)], 20_000)
    with capsys.disabled():
        print(f"\n20,000 derived languages, {len(violations)} violations: {dict(made)}")
    assert violations == []
