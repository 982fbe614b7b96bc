"""C-RASP[periodic] without windows: against unrolling by every small period, and its proofs of NO against exact fields."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from logic_oracles import Field, cyclotomic, rank_of_root_equations
from theory_generators import GAPS, TELLING, many_languages

from lengthwise.crasp.fragments import Fragment
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.adversarial import adversarial_pairs
from lengthwise.theory.certificates import PeriodsCertificate, PotentialsCertificate
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.graph import unrolled_graph
from lengthwise.theory.periods import build_periods_certificate, refine_by_roots, relevant_orders
from lengthwise.theory.potentials import refine
from lengthwise.theory.windows import Caps

YES, NO = Answer.YES, Answer.NO
TWO = compile_regex("((a|b)ac(ab|c))*")


def passes(language: DFA, period: int) -> bool:
    """Say whether the automaton, unrolled by the position modulo a period, ends in single vertices."""
    return all(refinement.passed for refinement in refine(unrolled_graph(language, period=period)))


def compare_with_unrolling(seed: int, number: int, max_states: int) -> tuple[int, int]:
    """Compare with every period up to 30; return how often the answer was YES and NO."""
    found = {True: 0, False: 0}
    sized = (each for _, each in many_languages(seed) if each.num_states <= max_states)
    for language in islice(sized, number):
        refinements = refine_by_roots(language)
        passed = all(each.passed for each in refinements)
        assert all(each.passed or each.proved for each in refinements)
        passing = [period for period in range(1, 31) if passes(language, period)]
        assert passed == bool(passing), language.transitions
        if passed:
            least = min(passing)
            assert all((period % least == 0) <= (period in passing) for period in range(1, 31))
            period = decide(Facts(language=language), Fragment.PERIODIC).certificate
            assert isinstance(period, PotentialsCertificate)
            assert period.period == least
        found[passed] += 1
    return found[True], found[False]


def test_the_answer_is_that_of_all_periods_up_to_thirty() -> None:
    inside, outside = compare_with_unrolling(5, 30, max_states=6)
    assert min(inside, outside) > 8


@pytest.mark.full
def test_the_answer_is_that_of_all_periods_up_to_thirty_on_many_languages() -> None:
    inside, outside = compare_with_unrolling(6, 2_000, max_states=10)
    assert min(inside, outside) > 500


def test_a_language_that_only_an_even_period_tracks_is_in_with_period_two() -> None:
    verdict = decide(Facts(language=TWO), Fragment.PERIODIC)
    assert (verdict.answer, verdict.theorem) == (YES, "unrolled_refinement")
    assert isinstance(verdict.certificate, PotentialsCertificate)
    assert verdict.certificate.period == 2
    assert [period for period in range(1, 9) if passes(TWO, period)] == [2, 4, 6, 8]


def no_certificates(seed: int, number: int) -> list[tuple[DFA, PeriodsCertificate]]:
    found = []
    for language in [*map(compile_regex, TELLING + GAPS), *(each for _, each in islice(many_languages(seed), number))]:
        stuck = [each for each in refine_by_roots(language) if not each.passed]
        found += [(language, build_periods_certificate(language, each)) for each in stuck]
    return found


def test_every_no_is_accepted_and_its_pair_is_hard_to_tell_apart() -> None:
    certificates = no_certificates(9, 80)
    assert len(certificates) > 30
    for language, certificate in certificates:
        for fragment in ("PERIODIC", "PLAIN"):
            data = json.loads(json.dumps(certificate.to_json())) | {"fragment": fragment}
            assert check_certificate(data, language).accepted
        for fragment in ("LOCAL", "PERIODIC_LOCAL", "LTL[P]"):
            assert not check_certificate(certificate.to_json() | {"fragment": fragment}, language).accepted
        for inside, outside in adversarial_pairs(certificate, 3):
            assert inside in language
            assert outside not in language


def test_the_equations_of_a_no_have_their_rank_in_the_exact_field_of_every_order() -> None:
    checked = 0
    for language, certificate in no_certificates(10, 20):
        members, blocks = list(certificate.members), [list(block) for block in certificate.blocks]
        rank = len(members) - len(blocks)
        if rank <= 3:
            for order in [*relevant_orders(rank), 2 * rank + 9]:  # the last one stands for those left out
                assert rank_of_root_equations(language, members, blocks, order) == rank
                checked += 1
    assert checked > 40


def test_blocks_that_only_a_root_of_order_two_splits_are_refused() -> None:
    (component,) = [each for each in refine(unrolled_graph(TWO)) if not each.passed]  # as far as counting alone goes
    groups: dict[int, list[int]] = {}
    for state, block in zip(component.members, component.blocks, strict=True):
        groups.setdefault(block, []).append(state)
    one, two = next(group[:2] for group in groups.values() if len(group) > 1)
    certificate = PeriodsCertificate(
        language=TWO,
        members=component.members,
        blocks=tuple(map(tuple, groups.values())),
        pair=(one, two),
        prefix=(),
        suffix=(),
    )
    check = check_certificate(certificate.to_json())
    assert check.objection == "a root of unity of order 2 could split the blocks"


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"members": [0, 0, 1]}, "the component needs at least two different states"),
        ({"blocks": [[0]]}, "the blocks do not divide the component"),
        ({"pair": [0, 0]}, "the pair is not two members"),
        ({"suffix": "b"}, None),
        ({"suffix": "ab"}, None),
        ({"prefix": "a"}, "the prefix does not lead to the pair"),
        ({"asked": "NEXT_SYMBOLS", "readout": "LAST_SYMBOL"}, "this kind of certificate is about MEMBERSHIP"),
        ({"answer": "YES"}, "this kind of certificate proves NO"),
    ],
)
def test_a_changed_no_for_parity_is_refused_or_still_true(change: dict[str, object], objection: str | None) -> None:
    parity = compile_regex("b*(ab*ab*)*")
    (stuck,) = refine_by_roots(parity)
    data = build_periods_certificate(parity, stuck).to_json() | change
    found = check_certificate(data, parity).objection
    assert found == objection if objection is None else str(found).startswith(objection)


def test_a_no_for_single_states_or_mixed_phases_is_refused() -> None:
    even = compile_regex("(aa)*")
    base = {
        "members": [0, 1],
        "pair": [0, 1],
        "prefix": "",
        "suffix": "",
    }
    certificate = PeriodsCertificate(
        language=even, members=(0, 1), blocks=((0, 1),), pair=(0, 1), prefix=(), suffix=()
    ).to_json()
    assert check_certificate(certificate | base).objection == "a block holds states of different phases"
    split = check_certificate(certificate | base | {"blocks": [[0], [1]]})
    assert split.objection == "the pair is not in one block"


def test_next_symbols_get_the_yes_of_membership() -> None:
    verdict = decide(Facts(language=TWO, asked=Asked.NEXT_SYMBOLS), Fragment.PERIODIC)
    assert verdict.answer is YES
    assert verdict.certificate is not None
    assert check_certificate(verdict.certificate.to_json(), TWO).accepted


def test_a_yes_whose_program_would_be_too_large_is_proved_component_by_component() -> None:
    language = compile_regex("(aa)*|(bbb)*|(c{5})*|(d{7})*")
    verdict = decide(Facts(language=language), Fragment.PERIODIC, caps=Caps(max_period=209))
    assert (verdict.answer, verdict.theorem, verdict.certificate) == (YES, "periodic_refinement", None)
    assert verdict.reason == (
        "By our theorem counting, with the position modulo a number (C-RASP[periodic]) solves it, but no program was looked for: "
        "periods are tried up to 209, the cap."
    )


def test_orders_are_those_that_a_minor_can_vanish_at_and_one_more() -> None:
    assert relevant_orders(1) == [1, 2, 3]
    assert relevant_orders(4) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 7]


def test_the_field_of_the_oracle_is_a_field() -> None:
    assert cyclotomic(6) == [1, -1, 1]
    assert cyclotomic(12) == [1, 0, -1, 0, 1]
    field = Field(5)
    root = field.make([0, 1])
    power = root
    for _ in range(4):
        power = field.times(power, root)
    assert power == field.make([1])
    assert field.times(field.inverse(field.make([2, 3])), field.make([2, 3])) == field.make([1])
