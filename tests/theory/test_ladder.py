from __future__ import annotations

import itertools
import re
import time
from random import Random
from typing import Any

import pytest
from ladder_oracles import (
    element_of,
    has_allowed_factors,
    idempotent_power,
    is_determined_by,
    is_j_trivial,
    is_locally_a_semilattice,
    is_zero,
    ordered_factors,
    random_languages,
    satisfies_knast,
    small_languages,
    subwords,
)
from strategies import all_words, random_dfa

from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.languages.alphabet import show_word
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import reverse
from lengthwise.languages.ladder import CLASSES, Rung, classes_around, ladder
from lengthwise.languages.order_classes import why_not_piecewise_testable
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.semigroup import (
    TransitionSemigroup,
    is_aperiodic,
    is_group,
    is_r_trivial,
    transition_semigroup,
)
from lengthwise.languages.walks import shortest_walk, show_briefly, steps_of
from lengthwise.languages.window_classes import (
    maximal_idempotents,
    strict_locality,
    why_not_locally_testable,
    why_not_of_dot_depth_one,
    why_not_strictly_local,
)

FINITE, SL, LT, PT = "finite or cofinite", "strictly local", "locally testable", "piecewise testable"
R, DOT, STAR_FREE, GROUP = "R-trivial", "dot-depth one", "star-free", "group"
LOCAL = {SL, LT, DOT, STAR_FREE}
PIECEWISE = {PT, R, DOT, STAR_FREE}


def answers(language: DFA, **options: Any) -> dict[str, bool | None]:
    return {rung.name: rung.holds for rung in ladder(language, **options)}


def held(language: DFA) -> set[str]:
    return {name for name, holds in answers(language).items() if holds}


def rung(language: DFA, name: str, **options: Any) -> Rung:
    return next(each for each in ladder(language, **options) if each.name == name)


# Languages worked out by hand

NAMED: dict[str, set[str]] = {
    "TOMITA_1": LOCAL | PIECEWISE,  # no 0
    "TOMITA_2": LOCAL,
    "TOMITA_3": set(),  # odd runs
    "TOMITA_4": LOCAL,  # no factor 000
    "TOMITA_5": {GROUP},
    "TOMITA_6": {GROUP},
    "TOMITA_7": PIECEWISE,  # no subword 10101; but windows do not see how often runs change
    "D_1": LOCAL,
    "D_2": {STAR_FREE},  # D_n has dot-depth n (Brzozowski and Knast 1978)
    "D_3": {STAR_FREE},
    "D_4": {STAR_FREE},
    "D_12": {STAR_FREE},
    "(aa)*": {GROUP},
    "(aaaa)*": {GROUP},
    "(abab)*": set(),
    "aa*bb*cc*dd*ee*": LOCAL | PIECEWISE,
    "{a,b}*d{b,c}*": PIECEWISE,  # one d, no a after it, no c before it; windows do not see how many ds
    "{0,1,2}*02*": {STAR_FREE},  # 2 is neutral, so that windows do not help
    "PARITY": {GROUP},
    "{a,b}*b": LOCAL,
}
LOCALITY = {"TOMITA_1": 1, "TOMITA_2": 2, "TOMITA_4": 3, "D_1": 2, "aa*bb*cc*dd*ee*": 2, "{a,b}*b": 2}


@pytest.mark.parametrize("name", LANGUAGES)
def test_named_languages_stand_where_they_were_put_by_hand(name: str) -> None:
    language = LANGUAGES[name].language
    assert held(language) == NAMED[name]
    assert strict_locality(language) == LOCALITY.get(name)


@pytest.mark.parametrize(
    ("text", "alphabet", "classes"),
    [
        ("()", "a", {FINITE} | LOCAL | PIECEWISE),
        ("a*", "a", {FINITE, GROUP} | LOCAL | PIECEWISE),
        ("a&b", "ab", {FINITE, GROUP} | LOCAL | PIECEWISE),
        ("aab|ba", "ab", {FINITE} | LOCAL | PIECEWISE),
        ("~(aab|ba)", "ab", {FINITE} | LOCAL | PIECEWISE),
        ("a.*", "ab", LOCAL | {R}),  # no subword tells a prefix from what follows
        (".*ab.*", "ab", {LT} | PIECEWISE),
        (".*ab.*", "abc", {LT, DOT, STAR_FREE}),
        ("~(.*ab.*)", "abc", LOCAL),
        (".*ab.*ab.*", "abc", {DOT, STAR_FREE}),  # factors that are counted up to two
        (".*ab.*ba.*", "abc", {DOT, STAR_FREE}),
        ("b*a.*", "abc", {R, STAR_FREE}),  # the first symbol that is not b is a; b is neutral
        (".*ac*", "abc", {STAR_FREE}),  # the same from the right
        (".*a.*b.*", "abc", PIECEWISE),
        (".*b.*&~(b.*)", "ab", {LT, R, DOT, STAR_FREE}),
        ("(a|b(a|c)*d)*", "abcd", {STAR_FREE}),  # a is neutral, b and d take turns
        (".*bb.*aa.*", "ab", {DOT, STAR_FREE}),
    ],
)
def test_languages_stand_where_they_were_put_by_hand(text: str, alphabet: str, classes: set[str]) -> None:
    assert held(compile_regex(text, alphabet=alphabet)) == classes


# Inclusions


def test_the_inclusions_are_these() -> None:
    assert {name: classes_around(name) for name in CLASSES} == {
        FINITE: [SL, PT, LT, R, DOT, STAR_FREE],
        SL: [LT, DOT, STAR_FREE],
        LT: [DOT, STAR_FREE],
        PT: [R, DOT, STAR_FREE],
        R: [STAR_FREE],
        DOT: [STAR_FREE],
        STAR_FREE: [],
        GROUP: [],
    }


@pytest.mark.parametrize("seed", range(2))
def test_every_inclusion_holds_for_answers_that_were_found_without_it(seed: int) -> None:
    met = set()
    for semigroup in random_languages(seed, 250, 60):
        answer = answers(semigroup.language) | {
            LT: why_not_locally_testable(semigroup) is None,
            DOT: why_not_of_dot_depth_one(semigroup) is None,
            STAR_FREE: is_aperiodic(semigroup),
        }
        assert answer == answers(semigroup.language)
        for name, holds in answer.items():
            assert not holds or all(answer[larger] for larger in classes_around(name)), name
        met.add(frozenset(name for name, holds in answer.items() if holds))
    assert len(met) >= 10


def test_complements_and_reversals_stand_where_they_should() -> None:
    for language in itertools.islice(small_languages(), 0, None, 4):
        answer, opposite, backwards = answers(language), answers(~language), answers(reverse(language))
        assert all(answer[name] == opposite[name] for name in answer if name != SL)
        assert all(answer[name] == backwards[name] for name in answer if name != R)


# Definitions


def test_piecewise_testable_means_determined_by_subwords() -> None:
    for language in small_languages():
        # with 3 states, subwords of 2 symbols are enough: as many as the automaton is deep (Klíma and Polák 2013)
        is_piecewise = why_not_piecewise_testable(language) is None
        assert is_piecewise == is_determined_by(language, subwords(2)) == is_determined_by(language, subwords(3))


def test_locally_testable_means_determined_by_a_prefix_a_suffix_and_a_set_of_factors() -> None:
    for language in small_languages():
        assert answers(language)[LT] == any(is_determined_by(language, ordered_factors(k, 1)) for k in (1, 2, 3))


def test_strictly_local_means_that_all_factors_are_allowed() -> None:
    met = set()
    for language in itertools.islice(small_languages(), 0, None, 4):
        k = strict_locality(language)
        allowed = [size for size in (2, 3, 4) if has_allowed_factors(language, size)]
        assert allowed == ([] if k is None else [size for size in (2, 3, 4) if size >= k])
        assert (why_not_strictly_local(language) is None) == (k is not None)
        met.add(k)
    assert met == {None, 1, 2, 3}


def test_dot_depth_one_holds_wherever_the_order_of_two_factors_decides() -> None:
    num_found = 0
    for language in small_languages():
        found = any(is_determined_by(language, ordered_factors(k, m)) for k, m in ((1, 1), (1, 2), (2, 1), (2, 2)))
        num_found += found
        assert not found or answers(language)[DOT]
    assert num_found > 100
    assert is_determined_by(compile_regex(".*bb.*aa.*", alphabet="ab"), ordered_factors(2, 2))
    assert not is_determined_by(LANGUAGES["D_2"].language, ordered_factors(2, 2))


# Theorems, word for word


def assert_the_theorems_hold_word_for_word(semigroup: TransitionSemigroup, max_size: int) -> None:
    answer = answers(semigroup.language)
    assert answer[LT] == is_locally_a_semilattice(semigroup)
    assert answer[PT] == is_j_trivial(semigroup)
    assert answer[R] == is_r_trivial(semigroup)
    assert answer[STAR_FREE] == is_aperiodic(semigroup)
    assert answer[GROUP] == is_group(semigroup)
    assert answer[FINITE] == (len(semigroup.idempotents) == 1 and is_zero(semigroup, semigroup.idempotents[0]))
    if semigroup.size <= max_size:
        assert answer[DOT] == satisfies_knast(semigroup) == (why_not_of_dot_depth_one(semigroup) is None)


def test_answers_for_all_small_automata_are_those_of_the_theorems_word_for_word() -> None:
    for language in itertools.islice(small_languages(), 0, None, 3):
        assert_the_theorems_hold_word_for_word(transition_semigroup(language), 12)


@pytest.mark.parametrize("seed", range(10, 12))
def test_answers_for_random_languages_are_those_of_the_theorems_word_for_word(seed: int) -> None:
    for semigroup in random_languages(seed, 150, 40):
        assert_the_theorems_hold_word_for_word(semigroup, 18)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(20, 40))
def test_answers_for_many_random_languages_are_those_of_the_theorems_word_for_word(seed: int) -> None:
    for semigroup in random_languages(seed, 400, 60):
        assert_the_theorems_hold_word_for_word(semigroup, 40)


def test_one_idempotent_of_every_maximal_regular_class_is_taken() -> None:
    for semigroup in random_languages(3, 60, 30):
        multiply, elements = semigroup.multiply, range(semigroup.size)

        def is_below(x: int, y: int, times: Any = multiply, every: Any = elements) -> bool:
            return any(times(times(one, y), two) == x for one in every for two in every) or x == y

        chosen = maximal_idempotents(semigroup)
        assert all(any(is_below(e, top) for top in chosen) for e in semigroup.idempotents)
        assert not any(is_below(one, two) for one in chosen for two in chosen if one != two)


# Witnesses


@pytest.mark.parametrize("seed", range(50, 53))
def test_witnesses_prove_what_they_say(seed: int) -> None:
    num_checked = dict.fromkeys(CLASSES, 0)
    for semigroup in random_languages(seed, 120, 60):
        language, multiply = semigroup.language, semigroup.multiply
        for each in ladder(language):
            if each.holds or each.reason.startswith("not "):
                continue
            words = [word.replace("ε", "") for word in re.findall(r"(?<![\w'])[abcε]+(?![\w'])", each.reason)]
            num_checked[each.name] += 1
            if each.name == DOT:
                e, f, a, b, c, d = (element_of(semigroup, word) for word in re.findall(r" = ([abc]+)", each.reason))
                there, back = multiply(multiply(e, a), f), multiply(multiply(e, c), f)
                p, q = (idempotent_power(semigroup, x) for x in (multiply(there, b), multiply(back, d)))
                assert multiply(e, e) == e
                assert multiply(f, f) == f
                assert multiply(multiply(p, multiply(there, d)), q) != multiply(p, q)
            elif each.name == LT:
                e, *others = (element_of(semigroup, word) for word in words[0:1] + re.findall(r"·(\w+)·", each.reason))
                local = [multiply(multiply(e, x), e) for x in others]
                assert multiply(e, e) == e
                assert multiply(local[0], local[-1]) != (local[0] if len(local) == 1 else multiply(local[1], local[0]))
            elif each.name == STAR_FREE:
                start, period = words[0], int(each.reason.split()[-1].rstrip("."))
                powers = [language.run(start + words[1] * n) for n in range(60, 61 + period)]
                assert powers[0] == powers[period] != powers[1]
            elif each.name == GROUP:
                one, two, letter = language.run(words[0]), language.run(words[1]), words[2]
                assert one != two
                assert language.run(letter, one) == language.run(letter, two)
            elif each.name == SL:
                one, two = language.run(words[0]), language.run(words[1])
                assert one != two
                assert (language.run(words[2], one), language.run(words[2], two)) == (one, two)
            elif each.name == R or "back again" in each.reason:
                one = language.run(words[0])
                assert language.run(words[1], one) != one == language.run(words[1] + words[2], one)
            elif each.name == PT:
                start, (one, two) = words[0], re.findall(r"(\w)·", each.reason)
                assert language.run(start + one + 9 * (one + two)) != language.run(start + two + 9 * (one + two))
            else:
                one, two = language.run(words[0]), language.run(words[2])
                assert one != two
                assert (language.run(words[1], one), language.run(words[3], two)) == (one, two)
    assert all(num_checked.values())


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("(ab)*", SL, "k = 2 is the least."),
        ("(ab)*", LT, "every strictly local language is."),
        ("(aa)*", LT, "not star-free: after ε, the powers of a go round with period 2."),
        ("(aa)*", FINITE, "ε and then any power of aa leads to one state, a and then any power of aa to another."),
        ("b*ab*", SL, "ε and a lead to different states, b keeps both, and a word can end after both."),
        ("b*ab*", LT, "e = b is idempotent, but e·a·e is not."),
        ("[abc]*ac*", LT, "e = c is idempotent, but e·b·e and e·a·e do not commute."),
        ("a[ab]*", PT, "after ε, a·(ab)ⁿ and b·(ab)ⁿ lead to different states for all large n."),
        ("(ab)*", R, "after ε, a leads to another state and b from there back again."),
        ("(a(ab)*b)*", DOT, "Knast's equation fails for e = ab, f = ab, a = ab, b = ab, c = a, d = abb."),
        ("a*b", GROUP, "b and ba lead to different states, and a from both to one."),
        (r"(\<up>\<down>)*", R, "after ε, up leads to another state and down from there back again."),
        ("(a{99}){2}b", GROUP, "b and a word of 198 symbols lead to different states, and a from both to one."),
    ],
)
def test_a_reason_is_a_sentence(text: str, name: str, reason: str) -> None:
    assert rung(compile_regex(text), name).reason == reason


def test_a_rung_says_what_the_class_is_and_which_theorem_decides_it() -> None:
    found = rung(compile_regex("(ab)*"), STAR_FREE)
    assert found.theorem == "the syntactic semigroup is aperiodic (Schützenberger 1965)"
    assert [each.name for each in ladder(compile_regex("a*"))] == list(CLASSES)
    assert all(each.theorem and each.meaning for each in ladder(compile_regex("a*")))


def test_a_shortest_walk_is_the_first_shortest_word() -> None:
    language = random_dfa(Random(1), 9, "ab")
    for start, goal in itertools.product(range(language.num_states), repeat=2):
        for least in (0, 1):
            words = (word for word in all_words("ab", 9) if len(word) >= least and language.run(word, start) == goal)
            first = next(words, None)
            if first is not None:
                steps = steps_of("ab", language.transitions)
                assert show_word(shortest_walk(start, goal, steps, at_least=least)) == show_word(first)
    assert show_briefly("a" * 60) == "a" * 60
    assert show_briefly("a" * 1061) == "a word of 1,061 symbols"


# Caps


def test_a_semigroup_past_the_cap_leaves_open_what_no_inclusion_answers() -> None:
    language = LANGUAGES["D_4"].language
    size = transition_semigroup(language).size
    assert None not in answers(language, max_elements=size).values()
    found = {each.name: each for each in ladder(language, max_elements=size - 1)}
    assert {name for name, each in found.items() if each.holds is None} == {LT, DOT, STAR_FREE}
    reason = f"the transition semigroup of a language with 6 states passes the cap of {size - 1} elements."
    assert found[DOT].reason == reason


def test_inclusions_answer_where_the_semigroup_is_past_the_cap() -> None:
    assert None not in answers(compile_regex("(ab|a)*"), max_elements=1).values()  # strictly local
    assert None not in answers(LANGUAGES["TOMITA_5"].language, max_elements=1).values()  # a letter goes round
    open_for = {
        name for name, holds in answers(LANGUAGES["TOMITA_7"].language, max_elements=1).items() if holds is None
    }
    assert open_for == {LT}  # piecewise testable, hence of dot-depth one


def test_too_many_pairs_of_states_leave_strict_locality_open_unless_an_inclusion_answers() -> None:
    found = {each.name: each for each in ladder(compile_regex("(a{710}b)*"))}
    assert found[SL].holds is found[LT].holds is None
    assert found[SL].reason == "strict locality looks at more than 250,000 pairs of states, which is the cap."
    assert rung(compile_regex("(a{710})*"), SL).holds is False


def test_knasts_equation_has_a_cap_of_its_own() -> None:
    semigroup = transition_semigroup(compile_regex(".*ab.*ab.*", alphabet="abc"))
    with pytest.raises(CapExceededError) as caught:
        why_not_of_dot_depth_one(semigroup, max_steps=10)
    assert str(caught.value) == (
        "Knast's equation takes more than 10 steps to check, which is the cap.\nhint: use a smaller language."
    )


def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        ladder(compile_regex("a*"), max_elements=0)
    assert str(caught.value) == "max_elements is 0; it must be at least 1.\nhint: leave it out for the usual cap."


def test_thousands_of_elements_take_less_than_two_seconds() -> None:
    ordered = DFA(  # all maps of 8 states that keep their order, but for the identity
        alphabet="abcdefghi",
        transitions=[
            [min(state + 1, 7), max(state - 1, 0), *(state + (state == kept) for kept in range(7))]
            for state in range(8)
        ],
        accepting=[0],
    )
    factors = compile_regex(".*ab.*ba.*&.*cc.*aa.*&.*bc.*", alphabet="abc")
    for language, classes in ((ordered, {STAR_FREE}), (factors, {DOT, STAR_FREE})):
        start = time.process_time()
        assert {each.name for each in ladder(language, max_elements=10_000) if each.holds} == classes
        assert time.process_time() - start < 2
