"""The logics of the past: decided as algebra defines them, inside each other and inside C-RASP as the theorems say."""

from __future__ import annotations

import json
from itertools import islice, product
from random import Random

import pytest
from logic_oracles import expressible
from theory_generators import TELLING, many_languages

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import InvalidOptionError, ThreeAnswersError, UnknownNameError
from lengthwise.languages.catalog import LANGUAGES, bounded_dyck
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide, decide_plain
from lengthwise.theory.facts import Facts
from lengthwise.theory.precision.certificates import PumpingCertificate
from lengthwise.theory.precision.deciders import THEOREM_OF, decide_logic
from lengthwise.theory.precision.logics import Logic, as_logic
from lengthwise.theory.precision.theorems import PRECISION_THEOREMS
from lengthwise.theory.theorem import Standing
from lengthwise.theory.theorems import THEOREMS
from lengthwise.theory.windows import Caps, find_unrolling

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
ORDER = (Logic.P, Logic.P_Y, Logic.P_MOD, Logic.P_Y_MOD, Logic.Y, Logic.S)
FRAGMENTS = (Fragment.PLAIN, Fragment.LOCAL, Fragment.PERIODIC_LOCAL)

#: Worked out by hand: the logics in the order above, then plain, local, and periodic and local C-RASP.
TABLE = {
    "(aa)*": "nnYYnn nnY",
    "(abab)*": "nnYYnn nnY",
    "(ab)*": "nYYYnY YYY",
    "PARITY": "nnnnnn nnn",
    "TOMITA_4": "nYnYnY nYY",
    "[abc]*ab[abc]*": "nYnYnY nYY",
    "(ab|aabb)*": "nYnYnY nYY",
    "a[ab]*": "YYYYnY YYY",
    "a*b*": "YYYYnY YYY",
    "[ab]*ab[ab]*": "YYYYnY YYY",
    "[ab]*a": "nYnYYY nYY",
    "{0,1,2}*02*": "nnnnnY nnn",
    "D_2": "nnnYnY YYY",
    "D_3": "nnnnnY YYY",
    "(ab|bbaa)*": "nYnYnY YYY",
}


def language_of(name: str) -> DFA:
    return LANGUAGES[name].language if name in LANGUAGES else compile_regex(name)


def answer(language: DFA, logic: Logic) -> Answer:
    return decide_logic(language, logic).answer


def signs(language: DFA) -> str:
    shown = {YES: "Y", NO: "n", UNKNOWN: "?"}
    logics = "".join(shown[answer(language, logic)] for logic in ORDER)
    facts = Facts(language=language)
    return f"{logics} {''.join(shown[decide(facts, fragment).answer] for fragment in FRAGMENTS)}"


@pytest.mark.parametrize("name", TABLE)
def test_the_nine_classes_of_a_language_are_those_worked_out_by_hand(name: str) -> None:
    assert signs(language_of(name)) == TABLE[name]


def test_the_languages_with_one_word_at_most_and_with_all_words_are_where_they_belong() -> None:
    for text, expected in (("()", "YYYYYY"), ("[ab]*", "YYYYYY"), ("ab", "YYYYYY"), ("a+", "YYYYYY")):
        language = compile_regex(text, alphabet="a" if text == "a+" else "ab")
        assert "".join("Y" if answer(language, logic) is YES else "n" for logic in ORDER) == expected, text


# Against the definitions


def compare_with_definitions(seed: int, number: int, cap: int) -> int:
    """Compare the deciders with algebra; return how many languages had a semigroup small enough."""
    compared = 0
    for _, language in many_languages(seed):
        expected = expressible(language, cap)
        if expected is None:
            continue
        found = {str(logic): answer(language, logic) is YES for logic in ORDER}
        assert found == expected, language.transitions
        compared += 1
        if compared == number:
            return compared
    raise AssertionError("languages never end")


def test_deciders_agree_with_the_algebraic_definitions() -> None:
    assert compare_with_definitions(20261118, 250, cap=50) == 250


@pytest.mark.full
def test_deciders_agree_with_the_algebraic_definitions_on_ten_thousand_languages() -> None:
    assert compare_with_definitions(20261119, 10_000, cap=80) == 10_000


# Inclusions


def check_inclusions(seed: int, number: int) -> None:
    for _, language in islice(many_languages(seed), number):
        found = {logic: answer(language, logic) for logic in ORDER}
        for small, large in product(ORDER, ORDER):
            if large.includes(small) and found[small] is YES:
                assert found[large] is YES, (small, large, language.transitions)
        for logic in ORDER[:-1]:
            fragment = logic.fragment_around
            assert fragment is not None
            if found[logic] is YES:
                verdict = decide(Facts(language=language), fragment)
                assert verdict.answer is YES, (logic, language.transitions, verdict.reason)
        if (
            decide_plain(language).answer is YES
            or find_unrolling(language, Fragment.LOCAL, Asked.MEMBERSHIP, 1, Caps(max_window=3)) is not None
        ):
            assert found[Logic.S] is YES, language.transitions


def test_the_logics_lie_in_each_other_and_in_counting_and_counting_in_the_star_free_languages() -> None:
    check_inclusions(7, 60)


@pytest.mark.full
def test_ten_thousand_languages_respect_the_inclusions() -> None:
    check_inclusions(8, 10_000)


def test_the_order_of_the_logics_is_that_of_their_operators() -> None:
    above = {logic: {other for other in Logic if other.includes(logic)} for logic in Logic}
    assert above == {
        Logic.P: {Logic.P, Logic.P_Y, Logic.P_MOD, Logic.P_Y_MOD, Logic.S},
        Logic.P_Y: {Logic.P_Y, Logic.P_Y_MOD, Logic.S},
        Logic.P_MOD: {Logic.P_MOD, Logic.P_Y_MOD},
        Logic.P_Y_MOD: {Logic.P_Y_MOD},
        Logic.Y: {Logic.Y, Logic.P_Y, Logic.P_Y_MOD, Logic.S},
        Logic.S: {Logic.S},
    }
    assert {fragment for fragment in Fragment if Logic.S.includes(fragment)} == {Fragment.PLAIN, Fragment.LOCAL}
    assert not any(logic.includes(fragment) for logic in ORDER[:-1] for fragment in Fragment)
    assert [logic.fragment_around for logic in ORDER] == [
        Fragment.PLAIN,
        Fragment.LOCAL,
        Fragment.PERIODIC,
        Fragment.PERIODIC_LOCAL,
        Fragment.LOCAL,
        None,
    ]


def test_every_inclusion_between_different_logics_is_proper() -> None:
    languages = [language_of(name) for name in TABLE] + [compile_regex(text) for text in TELLING]
    found = [{logic: answer(language, logic) for logic in ORDER} for language in languages]
    for small, large in product(ORDER, ORDER):
        if small is not large:
            assert any(each[large] is YES and each[small] is NO for each in found) or not large.includes(small)
            if not large.includes(small):
                assert any(each[small] is YES and each[large] is NO for each in found), (small, large)


# Certificates


def test_every_answer_has_a_certificate_that_the_checker_accepts() -> None:
    for _, language in islice(many_languages(11), 80):
        for logic, asked in product(ORDER, Asked):
            verdict = decide_logic(language, logic, asked)
            if asked is Asked.NEXT_SYMBOLS and not logic.settles_next_symbols:
                assert verdict.answer is UNKNOWN
                continue
            assert verdict.certificate is not None
            data = json.loads(json.dumps(verdict.certificate.to_json()))
            check = check_certificate(data, language)
            assert check.accepted, (check, language.transitions)
            assert (check.answer, check.fragment, check.asked) == (verdict.answer, logic, asked)


def test_words_of_a_no_do_what_they_are_said_to_do() -> None:
    for text in TELLING:
        language = compile_regex(text)
        for logic in ORDER:
            certificate = decide_logic(language, logic).certificate
            assert certificate is not None
            if certificate.answer is NO:
                prefix, suffix = certificate.prefix, certificate.suffix
                other = certificate.other_prefix or (*prefix, *(certificate.there or ()))
                assert ((*prefix, *suffix) in language) != ((*other, *suffix) in language)
                for times in range(4):
                    loop = (certificate.stay or ()) * times
                    assert ((*prefix, *loop, *suffix) in language) == ((*prefix, *suffix) in language)
                    turn = (*(certificate.there or ()), *(certificate.back or ())) * times
                    if certificate.back is not None:
                        assert ((*prefix, *turn, *suffix) in language) == ((*prefix, *suffix) in language)


# Verdicts


def test_a_verdict_says_what_it_is_about() -> None:
    verdict = decide_logic(compile_regex("(ab)*"), "ltl[p]")
    assert repr(verdict) == "<LogicVerdict: NO for LTL[P], by ltl_past>"
    assert verdict.readout is Readout.END_MARKER
    assert verdict.reason == (
        "Take a long input that alternates between 'a' and 'b'. Whether it is accepted depends on which of 'a' "
        "and 'b' came last. With numbers of fixed precision, attention with this encoding only notices whether something has "
        "occurred before, not what came last."
    )
    with pytest.raises(ThreeAnswersError, match="a verdict is not a truth value"):
        bool(verdict)


def test_next_symbols_are_settled_only_by_logics_with_both_p_and_y() -> None:
    settled = [logic for logic in ORDER if logic.settles_next_symbols]
    assert settled == [Logic.P_Y, Logic.P_Y_MOD, Logic.S]
    verdict = decide_logic(compile_regex("a*b*"), Logic.P, "next")
    assert (verdict.answer, verdict.theorem, verdict.readout) == (UNKNOWN, "open", Readout.LAST_SYMBOL)
    assert verdict.reason == (
        "Our theorems about LTL[P] say whether an input is accepted, not which symbols may follow. That would take a logic with "
        "both P and Y."
    )
    assert decide_logic(compile_regex("a*b*"), Logic.P_Y, Asked.NEXT_SYMBOLS).answer is YES


def test_a_cap_that_is_reached_makes_the_answer_unknown_and_is_named() -> None:
    verdict = decide_logic(bounded_dyck(3), Logic.S, caps=Caps(max_elements=10))
    assert (verdict.answer, verdict.certificate) == (UNKNOWN, None)
    assert verdict.reason == (
        "Not decided: words make more than 10 maps of the 5 states, the cap. More effort (--effort 10) may decide it."
    )
    verdict = decide_logic(bounded_dyck(300), Logic.P_Y, caps=Caps(max_seconds=0.0))
    assert verdict.answer is UNKNOWN
    assert verdict.reason.startswith("Not decided: deciding this took more than 0 s of CPU time, the cap.")


def test_what_cannot_be_asked_is_refused() -> None:
    language = compile_regex("(ab)*")
    with pytest.raises(UnknownNameError, match=r"logic 'LTL\[Q\]' is unknown. Known: LTL\[P\], "):
        decide_logic(language, "LTL[Q]")
    with pytest.raises(InvalidOptionError, match="a logic is named by text; found 3"):
        as_logic(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="are decided where MEMBERSHIP is usually read; readout LAST_SYMBOL"):
        decide_logic(language, Logic.P, readout="last")


def test_every_logic_has_its_theorem_and_every_theorem_about_models_its_assumptions() -> None:
    assert set(THEOREM_OF.values()) <= set(PRECISION_THEOREMS) <= set(THEOREMS)
    for name, theorem in PRECISION_THEOREMS.items():
        assert theorem.standing in (Standing.PUBLISHED, Standing.OURS), name
        if "transformer" in theorem.statement or "attention" in theorem.statement:
            assert theorem.assumptions, name
    assert all(isinstance(theorem.standing, Standing) for theorem in THEOREMS.values())


def test_answers_do_not_depend_on_how_the_states_are_numbered_or_named() -> None:
    rng = Random(3)
    for _, language in islice(many_languages(12), 30):
        order = list(range(language.num_states))
        rng.shuffle(order)
        place = {state: number for number, state in enumerate(order)}
        renamed = DFA(
            alphabet=language.alphabet,
            transitions=[[place[target] for target in language.transitions[state]] for state in order],
            accepting=[place[state] for state in language.accepting],
            initial=place[0],
        )
        assert [answer(renamed, logic) for logic in ORDER] == [answer(language, logic) for logic in ORDER]
        assert [answer(~language, logic) for logic in ORDER] == [answer(language, logic) for logic in ORDER]


def test_a_counter_of_more_states_than_a_byte_can_name_is_found() -> None:
    certificate = decide_logic(compile_regex("(a{300})*"), Logic.S).certificate
    assert isinstance(certificate, PumpingCertificate)
    assert (certificate.power, certificate.there) == (300, ("a",))
    assert decide_logic(compile_regex("a{300}"), Logic.S).answer is YES
