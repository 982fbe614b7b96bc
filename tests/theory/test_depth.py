"""The depth of counts: the table of known depths, an oracle for depth 1, and the two bounds against each other."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from random import Random

import pytest
from strategies import random_dfa
from theory_generators import random_languages, small_automata

from lengthwise.crasp.fragments import Fragment
from lengthwise.languages.catalog import LANGUAGES, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide_last_symbol, decide_plain
from lengthwise.theory.depth.bounds import DepthBounds, DepthLimits, bound_depth, has_program
from lengthwise.theory.depth.checker import check_depth_certificate
from lengthwise.theory.depth.problem import DepthQuestion, pairs_to_separate

END, LAST, NEXT, STATES = DepthQuestion

#: Language, depth for next symbols, depth at the end marker; None where no program exists at any depth.
TABLE: list[tuple[str, int | None, int | None]] = [
    ("a+b+", 0, 2),
    ("(a+b+){2}", 2, 4),
    ("(a+b+){3}", 4, 6),
    ("(a+b+){4}", 6, 8),
    ("(a+b+){5}", 8, 10),
    ("(ab|bbaa)*", 1, 3),
    ("(ab|aabb)*", 1, None),
    ("(bbac)*", 1, 2),
    ("(ab)*", 0, 2),
    ("TOMITA_2", 0, 2),
    ("D_2", 1, 2),
    ("D_3", 1, 2),
    ("D_4", 1, 2),
    ("D_12", 1, 2),
    ("TOMITA_1", 0, 1),
    ("TOMITA_7", 2, 4),
    ("TOMITA_3", None, None),
    ("TOMITA_4", None, None),
    ("TOMITA_5", None, None),
    ("TOMITA_6", None, None),
    ("aa*bb*cc*dd*ee*", 0, 2),
    ("{a,b}*d{b,c}*", 1, 2),
    ("(a(ab)*b)*", 1, 2),
    ("(ab)*bb(aabb)*", 1, 3),
    ("(cb)*ab|(aa|a)*a(a)bba", 1, 2),
]


def language_of(text: str) -> DFA:
    return LANGUAGES[text].language if text in LANGUAGES else compile_regex(text)


def exact(bounds: DepthBounds) -> int | None:
    """Return the depth, which the two bounds must agree on; None where there is no program."""
    if not bounds.exists:
        return None
    assert bounds.is_exact, bounds.summary()
    return bounds.at_least


SLOW = ("(a+b+){3}", "(a+b+){4}", "aa*bb*cc*dd*ee*", "(a+b+){5}", "(cb)*ab|(aa|a)*a(a)bba")


@pytest.mark.parametrize(
    ("text", "next_depth", "end_depth"),
    [pytest.param(*row, marks=[pytest.mark.full] * (row[0] in SLOW)) for row in TABLE],
)
def test_the_table_of_depths(text: str, next_depth: int | None, end_depth: int | None) -> None:
    language = language_of(text)
    assert exact(bound_depth(language, NEXT)) == next_depth
    assert exact(bound_depth(language, END)) == end_depth


@pytest.mark.parametrize("blocks", [2, 3, 4, *(pytest.param(blocks, marks=pytest.mark.full) for blocks in (5, 6))])
def test_alternating_blocks_have_the_published_depth(blocks: int) -> None:
    """L_k, k blocks of a and b in turn, needs depth k, and prediction of L_(k+3) needs k + 1 (arXiv 2506.16055)."""
    language = compile_regex("".join("ab"[number % 2] + "+" for number in range(blocks)), alphabet="ab")
    assert exact(bound_depth(language, LAST)) == blocks
    assert exact(bound_depth(language, END)) == blocks
    if blocks >= 4:
        assert exact(bound_depth(language, NEXT)) == blocks - 2


def test_what_needs_no_counting_has_depth_0() -> None:
    for text in ("[ab]*", "a*"):
        assert exact(bound_depth(compile_regex(text), END)) == 0
    nothing = DFA(alphabet="ab", transitions=[[0, 0]], accepting=[])
    for question in DepthQuestion:
        bounds = bound_depth(nothing, question)
        assert (bounds.at_least, bounds.at_most) == (0, 0)
        assert bounds.summary() == "needs exactly 0 layers"


def test_finite_languages_have_depth_at_most_2() -> None:
    rng = Random(11)
    for _ in range(4):
        words = {"".join(rng.choice("ab") for _ in range(rng.randint(0, 4))) for _ in range(rng.randint(1, 4))}
        language = compile_regex("|".join(f"({word})" for word in sorted(words)), alphabet="ab")
        bounds = bound_depth(language, END)
        assert bounds.at_most is not None
        assert bounds.at_most <= 2


# An oracle for depth 1: only the numbers of letters count, and only through finitely many thresholds.

LONGEST = 34
SLOPES = [(one, two) for one, two in product(range(-2, 3), repeat=2) if (one, two) > (0, 0)]


@lru_cache
def threshold_classes(largest: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the vectors (number of a, number of b), in classes that no threshold up to ``largest`` divides."""
    classes: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for vector in product(range(LONGEST + 1), repeat=2):
        if sum(vector) <= LONGEST:
            values = (one * vector[0] + two * vector[1] for one, two in SLOPES)
            classes.setdefault(tuple(max(-largest, min(largest, value)) for value in values), []).append(vector)
    return tuple(map(tuple, classes.values()))


def states_by_counts(language: DFA) -> dict[tuple[int, int], set[int]]:
    """Return the states reached by words with these numbers of a and b."""
    found: dict[tuple[int, int], set[int]] = {(0, 0): {0}}
    for length in range(1, LONGEST + 1):
        for num_a in range(length + 1):
            num_b = length - num_a
            after_a = {language.transitions[state][0] for state in found.get((num_a - 1, num_b), ())}
            found[num_a, num_b] = after_a | {
                language.transitions[state][1] for state in found.get((num_a, num_b - 1), ())
            }
    return found


def thresholds_tell_apart(language: DFA, question: DepthQuestion, largest: int) -> bool:
    """Return whether thresholds on sums of letter counts answer the question on all words of the length tried."""
    needed = pairs_to_separate(language, question)
    reached = states_by_counts(language)
    for vectors in threshold_classes(largest):
        states = set().union(*(reached[vector] for vector in vectors))
        if any((one, two) in needed for one in states for two in states):
            return False
    return True


def compare_with_thresholds(languages: list[DFA], question: DepthQuestion) -> int:
    """Require that depth 1 is seen by some small thresholds, and that more defeats all of them; count the rarer case."""
    seen = {True: 0, False: 0}
    for language in languages:
        bounds = bound_depth(language, question)
        if bounds.at_most is not None and bounds.at_most <= 1:
            assert thresholds_tell_apart(language, question, 6), language.transitions
            seen[True] += 1
        elif not bounds.exists or (bounds.at_least or 0) > 1:
            assert not thresholds_tell_apart(language, question, 4), language.transitions
            seen[False] += 1
    return min(seen.values())


def languages_over_two_letters() -> list[DFA]:
    small = [language for language in small_automata() if language.alphabet == ("a", "b")]
    return small + [random_dfa(Random(seed), 4, "ab") for seed in range(60)]


@pytest.mark.parametrize("question", [END, NEXT])
def test_depth_1_is_what_thresholds_on_letter_counts_can_do(question: DepthQuestion) -> None:
    assert compare_with_thresholds(languages_over_two_letters()[::12], question) > 2


@pytest.mark.full
@pytest.mark.parametrize("question", [END, LAST, NEXT])
def test_depth_1_is_what_thresholds_can_do_on_all_small_automata(question: DepthQuestion) -> None:
    assert compare_with_thresholds(languages_over_two_letters(), question) > 40


# The bounds against each other, and against the decision whether a program exists


def check_languages(languages: list[DFA]) -> dict[DepthQuestion, list[int]]:
    """Require what always holds; return, for each question, how many bounds there are and how many meet."""
    found = {question: [0, 0] for question in DepthQuestion}
    for language in languages:
        depths = {}
        for question in DepthQuestion:
            bounds = bound_depth(language, question, DepthLimits(seconds=5))
            if not bounds.exists:
                continue
            found[question][0] += 1
            found[question][1] += bounds.is_exact
            assert bounds.at_least is not None
            assert bounds.at_most is None or bounds.at_least <= bounds.at_most
            for certificate in (bounds.lower, bounds.upper):
                if certificate is not None:
                    check = check_depth_certificate(certificate.to_json(), language)
                    assert check.accepted, (check, language.transitions)
            depths[question] = bounds
        if END in depths and LAST in depths:
            assert depths[LAST].at_least <= (depths[END].at_most or 99)
        if LAST in depths and NEXT in depths:
            assert depths[NEXT].at_least <= (depths[LAST].at_most or 99)
    return found


def test_the_bounds_of_random_languages_meet_and_are_certified() -> None:
    found = check_languages(random_languages(2301, 25))
    assert all(bounds > 5 for bounds, _ in found.values())
    assert sum(bounds - meet for bounds, meet in found.values()) <= 2


@pytest.mark.full
def test_the_bounds_of_a_thousand_random_languages_meet_nearly_always() -> None:
    found = check_languages(random_languages(2302, 1_000))
    assert all(meet >= 0.97 * bounds for bounds, meet in found.values()), found


def test_a_program_exists_as_the_deciders_say() -> None:
    for language in [*random_languages(2303, 50), *small_automata()[::60]]:
        end, following = (decide_plain(language, asked).answer is Answer.YES for asked in Asked)
        last = decide_last_symbol(language, Fragment.PLAIN).answer is Answer.YES
        assert [has_program(language, question) for question in (END, LAST, NEXT)] == [end, last, following]


def test_a_spent_budget_leaves_what_was_found_and_names_the_cap() -> None:
    bounds = bound_depth(compile_regex("(a+b+){4}"), END, DepthLimits(seconds=0.02))
    assert bounds.stopped == "bounding the depth took more than 0.02 s of CPU time, the cap."
    assert bounds.at_most is None
    assert bounds.at_least is not None
    assert bounds.at_least < 8
    assert bounds.summary().startswith(f"needs at least {bounds.at_least} layer")
    assert bounds.answer_for(20) == "OPEN"


def test_automata_with_very_many_states_are_not_searched() -> None:
    bounds = bound_depth(find_language("D_200").language, END)
    assert bounds.summary() == (
        "needs at least 0 layers; no upper bound was found: the automaton has 202 states; bounds are searched for up to 100"
    )


def test_the_answers_for_a_number_of_layers() -> None:
    bounds = bound_depth(compile_regex("(ab|bbaa)*"), END)
    assert [bounds.answer_for(layers) for layers in (0, 2, 3, 9)] == ["NO", "NO", "YES", "YES"]
    assert bounds.summary() == "needs exactly 3 layers"
    nothing = bound_depth(LANGUAGES["PARITY"].language, END)
    assert nothing.answer_for(50) == "NO"
    assert nothing.summary() == "no number of layers suffices"
