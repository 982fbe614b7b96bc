"""Fragments, and what follows from what is published."""

from __future__ import annotations

from itertools import product

import pytest

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Citation, Facts

PLAIN, LOCAL, PERIODIC, PERIODIC_LOCAL = Fragment

#: Which fragments each one includes.
INCLUDED = {
    PLAIN: {PLAIN},
    LOCAL: {PLAIN, LOCAL},
    PERIODIC: {PLAIN, PERIODIC},
    PERIODIC_LOCAL: {PLAIN, LOCAL, PERIODIC, PERIODIC_LOCAL},
}


@pytest.mark.parametrize("fragment", Fragment)
def test_a_fragment_includes_those_with_no_more_positions(fragment: Fragment) -> None:
    assert {other for other in Fragment if fragment.includes(other)} == INCLUDED[fragment]


def test_inclusion_is_an_order() -> None:
    for one, two, three in product(Fragment, repeat=3):
        assert one.includes(one)
        assert one is two or not (one.includes(two) and two.includes(one))
        assert one.includes(three) or not (one.includes(two) and two.includes(three))


def test_fragments_are_written_as_in_the_papers() -> None:
    names = ["C-RASP", "C-RASP[local]", "C-RASP[periodic]", "C-RASP[periodic, local]"]
    assert [fragment.notation for fragment in Fragment] == names


def cite(fragment: Fragment, answer: Answer) -> Citation:
    theorem = "published_program" if answer is Answer.YES else "published_prediction"
    return Citation(fragment=fragment, answer=answer, theorem=theorem, reason=f"{answer} for {fragment}.")


@pytest.mark.parametrize("fragment", Fragment)
@pytest.mark.parametrize("cited", Fragment)
def test_a_cited_yes_holds_for_larger_fragments_and_a_no_for_smaller_ones(cited: Fragment, fragment: Fragment) -> None:
    for answer, holds in (
        (Answer.YES, cited in INCLUDED[fragment]),
        (Answer.NO, fragment in INCLUDED[cited]),
    ):
        verdict = decide(Facts(cited=(cite(cited, answer),)), fragment)
        assert verdict.answer is (answer if holds else Answer.UNKNOWN)
        if holds:
            assert verdict.reason == f"{answer} for {cited}."
            assert verdict.theorem.startswith("published_")
        else:
            assert verdict.reason == (
                f"Neither a program in {fragment.notation} nor a proof that there is none is known."
            )
            assert verdict.theorem == "open"
        assert (verdict.fragment, verdict.alphabet) == (fragment, ())
        assert verdict.certificate is verdict.level is None


def test_several_citations_settle_what_each_of_them_settles() -> None:
    facts = Facts(cited=(cite(LOCAL, Answer.YES), cite(PLAIN, Answer.NO)))
    answers = [decide(facts, fragment).answer for fragment in Fragment]
    assert answers == [Answer.NO, Answer.YES, Answer.UNKNOWN, Answer.YES]


@pytest.mark.parametrize("fragment", Fragment)
def test_without_language_and_citations_nothing_is_known(fragment: Fragment) -> None:
    assert decide(Facts(), fragment).answer is Answer.UNKNOWN


def test_a_cited_verdict_is_read_at_the_end_marker_unless_said_otherwise() -> None:
    facts = Facts(cited=(cite(PLAIN, Answer.YES),))
    assert decide(facts, PLAIN).readout is Readout.END_MARKER
    assert decide(facts, PLAIN, Readout.LAST_SYMBOL).readout is Readout.LAST_SYMBOL
