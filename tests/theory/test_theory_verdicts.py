"""Verdicts: equal to what is published, consistent with each other, and true of words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest
from certificate_programs import CountingProgram, accepts
from theory_generators import GAPS, TELLING, random_languages, random_word

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import ThreeAnswersError
from lengthwise.languages.catalog import find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.certificates import (
    LoopsPair,
    ObstructionCertificate,
    PathsPair,
    PeriodsCertificate,
    PotentialsCertificate,
    QuotientsCertificate,
)
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.theory.verdict import Verdict

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN

#: arXiv 2410.02140, its suite of formal languages: predicted for ape, predicted for nope.
PUBLISHED = {
    "TOMITA_1": (YES, YES),
    "TOMITA_2": (YES, YES),
    "TOMITA_3": (NO, NO),
    "TOMITA_4": (YES, NO),
    "TOMITA_5": (NO, NO),
    "TOMITA_6": (NO, NO),
    "TOMITA_7": (YES, YES),
    "D_2": (YES, YES),
    "D_3": (YES, YES),
    "D_4": (YES, YES),
    "D_12": (YES, YES),
    "(aa)*": (YES, NO),
    "(aaaa)*": (YES, NO),
    "(abab)*": (YES, NO),
    "aa*bb*cc*dd*ee*": (YES, YES),
    "{a,b}*d{b,c}*": (YES, YES),
    "{0,1,2}*02*": (NO, NO),
}

#: Known from elsewhere: parity, the words that end in b, and D_1.
ALSO_KNOWN = {"PARITY": (NO, NO), "{a,b}*b": (YES, NO), "D_1": (YES, YES)}

#: The smallest window, and for it the smallest period, with which a YES for ape can be had.
UNROLLINGS = {
    "TOMITA_1": (0, 1),
    "TOMITA_2": (0, 1),
    "TOMITA_7": (0, 1),
    "TOMITA_4": (2, 1),
    "D_1": (0, 1),
    "D_2": (0, 1),
    "D_3": (0, 1),
    "D_4": (0, 1),
    "D_12": (0, 1),
    "(aa)*": (0, 2),
    "(aaaa)*": (0, 4),
    "(abab)*": (0, 4),
    "aa*bb*cc*dd*ee*": (0, 1),
    "{a,b}*d{b,c}*": (0, 1),
    "{a,b}*b": (1, 1),
}

#: Expressions with known answers for ape and nope, and the unrolling of a YES.
EXPRESSIONS = {
    "(ab|bba)*": (YES, NO, (2, 1)),
    "(ab|aabb)*": (YES, NO, (1, 1)),
    "(ab|bbaa)*": (YES, YES, (0, 1)),
    "(abc|b)*": (YES, YES, (0, 1)),
    "(bac|a)*": (YES, YES, (0, 1)),
    "(a|bb)*": (YES, NO, (0, 2)),
}

NAMED = PUBLISHED | ALSO_KNOWN


def ask(language: DFA, fragment: Fragment = Fragment.PLAIN, readout: Readout = Readout.END_MARKER) -> Verdict:
    return decide(Facts(language=language), fragment, readout)


def as_json(verdict: Verdict) -> dict[str, Any]:
    assert verdict.certificate is not None
    data: dict[str, Any] = json.loads(json.dumps(verdict.certificate.to_json()))
    return data


def words_up_to(alphabet: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
    for size in range(length + 1):
        yield from product(alphabet, repeat=size)


@pytest.mark.parametrize(("name", "flags"), NAMED.items())
def test_nope_verdicts_equal_the_published_flags(name: str, flags: tuple[Answer, Answer]) -> None:
    assert ask(find_language(name).language).answer is flags[1]


@pytest.mark.parametrize(("name", "flags"), NAMED.items())
def test_ape_verdicts_equal_the_published_flags(name: str, flags: tuple[Answer, Answer]) -> None:
    assert ask(find_language(name).language, Fragment.PERIODIC_LOCAL).answer is flags[0]


@pytest.mark.parametrize(("name", "unrolling"), UNROLLINGS.items())
def test_a_named_yes_for_ape_uses_the_smallest_window_and_period(name: str, unrolling: tuple[int, int]) -> None:
    certificate = ask(find_language(name).language, Fragment.PERIODIC_LOCAL).certificate
    assert isinstance(certificate, PotentialsCertificate)
    assert (certificate.window, certificate.period) == unrolling


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_with_known_answers_get_them(text: str) -> None:
    ape, nope, unrolling = EXPRESSIONS[text]
    language = compile_regex(text)
    verdict = ask(language, Fragment.PERIODIC_LOCAL)
    assert (verdict.answer, ask(language).answer) == (ape, nope)
    assert isinstance(verdict.certificate, PotentialsCertificate)
    assert (verdict.certificate.window, verdict.certificate.period) == unrolling


@pytest.mark.parametrize("text", GAPS)
@pytest.mark.parametrize("fragment", Fragment)
def test_languages_that_only_the_graph_excludes_are_a_no(text: str, fragment: Fragment) -> None:
    assert ask(compile_regex(text), fragment).answer is NO


def test_the_reason_of_a_no_by_the_graph_names_two_states_and_what_tells_them_apart() -> None:
    verdict = ask(compile_regex("((bb)*bab|a)*"), Fragment.PERIODIC_LOCAL)
    assert verdict.reason == (
        "'bab' is accepted and 'bbab' is not. Both can be made arbitrarily long without changing their answers, "
        "in such a way that they agree in their last symbols, in their length modulo any number, and in every "
        "comparison of counts. So a model that sees only these cannot tell them apart."
    )
    assert (verdict.theorem, verdict.level) == ("karoubi", None)
    local = ask(compile_regex("(aa)*"), Fragment.LOCAL)
    assert local.reason == (
        "The empty word is accepted and 'a' is not. Both can be made arbitrarily long without changing their "
        "answers, in such a way that they agree in their last symbols and in every comparison of counts. So a "
        "model that sees only these cannot tell them apart."
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "1*(01*01*)*",
            "The right answer depends on whether the number of '0' is even or odd. Even a model that can "
            "compare counts, see the last "
            "few symbols, and know positions modulo a number cannot count modulo a number at every length: the "
            "answer changes again and "
            "again as the number grows, while a comparison of averages changes once. The symbols come in any "
            "order, so positions say nothing "
            "about it.",
        ),
        (
            "b*(ab*ab*ab*)*",
            "The right answer depends on the remainder of the number of 'a' when divided by 3. Even a model that "
            "can compare counts, see the last few symbols, and know positions modulo a number cannot count "
            "modulo a number at "
            "every length: the answer changes again and "
            "again as the number grows, while a comparison of averages changes once. The symbols come in any "
            "order, so positions say nothing about it.",
        ),
        (
            "[012]*02*",
            "The right answer depends on whether the last symbol other than '2' is '0'. That symbol may lie "
            "arbitrarily far back. The last few symbols do not show it, and counts of '0' and '1' do not tell "
            "which of the two came last.",
        ),
    ],
)
def test_the_reason_of_a_reduction_names_its_target(text: str, reason: str) -> None:
    assert ask(compile_regex(text), Fragment.PERIODIC_LOCAL).reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[ab]*a",
            "A model is right at every length if it tracks the last symbol. Attention can do this at any "
            "length: it can look at the nearest tokens.",
        ),
        (
            "[ab]*a[ab]",
            "A model is right at every length if it tracks the last 2 symbols. Attention can do this "
            "at any length: it can look at the nearest tokens.",
        ),
        (
            "(aaaa)*",
            "A model is right at every length if it tracks the position modulo 4. Attention can do this "
            "at any length: position vectors can repeat with period 4, so that they show this.",
        ),
        (
            "(abab)*",
            "A model is right at every length if it tracks the position modulo 4 and whether an error has "
            "occurred (an input that begins with 'b' is never accepted). Attention can do this at any length: position "
            "vectors can repeat with period 4, so that they show this, and it finds whether something has "
            "occurred before.",
        ),
        (
            "a*b*",
            "The model only has to notice which of a few things have occurred, and in which order. Nothing that "
            "follows "
            "undoes them. For example, an input that begins with 'ba' is never accepted. Attention finds "
            "whether something "
            "has occurred before, at any length.",
        ),
        (
            "(aabb)*",
            "A model is right at every length if it tracks the count t1 = #[b] − #[a], counts of symbols that "
            "were read "
            "while t1 had a certain value, and whether an error has occurred (an input that begins with 'b' is never "
            "accepted). The counts show where in the pattern the input is; #[x] is how often x was read so far "
            "(--explain "
            "lists all counts). Attention can do this at any length: averages over all earlier tokens compare "
            "counts, and "
            "it finds whether something has occurred before.",
        ),
    ],
)
def test_the_reason_of_a_yes_names_what_a_program_looks_at_and_no_more(text: str, reason: str) -> None:
    """Only an automaton that can leave states for good has irreversible events, whatever window a program has."""
    verdict = ask(compile_regex(text), Fragment.PERIODIC_LOCAL)
    assert (verdict.answer, verdict.reason) == (YES, reason)


def test_periods_without_windows_are_decided() -> None:
    verdict = ask(compile_regex("[ab]*b"), Fragment.PERIODIC)
    assert verdict.reason == (
        "'b' is accepted and the empty word is not. Both can be made arbitrarily long without changing their "
        "answers, in such a way that they agree in their length modulo any number and in every comparison of "
        "counts. So a model that sees only these cannot tell them apart."
    )
    assert (verdict.answer, verdict.theorem, verdict.level) == (NO, "periodic_refinement", None)
    assert isinstance(verdict.certificate, PeriodsCertificate)
    assert ask(compile_regex("(abab)*"), Fragment.PERIODIC).answer is YES


def test_the_reason_of_an_unknown_names_what_was_tried_and_what_is_missing() -> None:
    """For next symbols, periods without windows are not decided where membership has no program."""
    facts = Facts(language=compile_regex("[ab]*abb"), asked=Asked.NEXT_SYMBOLS)
    verdict = decide(facts, Fragment.PERIODIC)
    assert verdict.reason == (
        "No program with a period that divides 1 exists; which periods suffice for C-RASP[periodic] is not "
        "known, so larger "
        "ones are not excluded."
    )
    assert (verdict.answer, verdict.theorem, verdict.certificate, verdict.level) == (UNKNOWN, "open", None, None)


def test_ending_in_b_depends_on_the_readout() -> None:
    language = compile_regex("[ab]*b")
    assert ask(language, readout=Readout.END_MARKER).answer is NO
    assert ask(language, readout=Readout.LAST_SYMBOL).answer is YES


def test_containing_ab_depends_on_the_alphabet() -> None:
    assert ask(compile_regex(".*ab.*", alphabet="ab")).answer is YES
    assert ask(compile_regex(".*ab.*", alphabet="abc")).answer is NO
    assert ask(compile_regex(".*ab.*", alphabet="abc"), Fragment.LOCAL).answer is YES


def test_words_whose_last_letter_other_than_e_is_b_are_a_no() -> None:
    assert ask(compile_regex(".*be*", alphabet="abe")).answer is NO


@pytest.mark.parametrize("fragment", Fragment)
def test_read_at_the_last_symbol_a_language_is_in_exactly_if_all_its_quotients_are(fragment: Fragment) -> None:
    languages = [find_language(name).language for name in NAMED] + random_languages(21, 25)
    seen = Counter()
    for language in languages:
        access: dict[int, tuple[str, ...]] = {}
        for word in words_up_to(language.alphabet, 14):
            access.setdefault(language.run(word), word)
            if len(access) == language.num_states:
                break
        assert len(access) == language.num_states
        answers = set()
        for symbol in language.alphabet:
            accepting = [state for state, word in access.items() if (*word, symbol) in language]
            quotient = DFA(alphabet=language.alphabet, transitions=language.transitions, accepting=accepting)
            for word in words_up_to(language.alphabet, 4):
                assert (word in quotient) == ((*word, symbol) in language)
            answers.add(ask(quotient, fragment).answer)
        expected = NO if NO in answers else UNKNOWN if UNKNOWN in answers else YES
        assert ask(language, fragment, Readout.LAST_SYMBOL).answer is expected
        seen[expected] += 1
    assert {YES, NO} <= set(seen)


@pytest.mark.parametrize("readout", Readout)
def test_larger_fragments_never_contradict_smaller_ones(readout: Readout) -> None:
    for language in random_languages(22, 80):
        plain = ask(language, Fragment.PLAIN, readout).answer
        assert plain in (YES, NO)
        largest = ask(language, Fragment.PERIODIC_LOCAL, readout).answer
        for fragment in (Fragment.LOCAL, Fragment.PERIODIC):
            middle = ask(language, fragment, readout).answer
            assert not (plain is YES and middle is not YES)
            assert not (middle is YES and largest is not YES)
            assert not (largest is NO and middle is not NO)
        assert not (largest is NO and plain is not NO)


def test_windows_make_the_two_readouts_agree() -> None:
    for language in random_languages(23, 60):
        for fragment in (Fragment.LOCAL, Fragment.PERIODIC_LOCAL):
            assert len({ask(language, fragment, readout).answer for readout in Readout}) == 1


def test_reading_at_the_end_marker_is_never_easier() -> None:
    for language in random_languages(24, 150):
        if ask(language).answer is YES:
            assert ask(language, readout=Readout.LAST_SYMBOL).answer is YES


def test_a_complement_has_the_same_verdict() -> None:
    for language in random_languages(25, 60):
        for fragment in Fragment:
            assert ask(language, fragment).answer is ask(~language, fragment).answer


def test_unions_and_intersections_of_plain_languages_are_plain() -> None:
    plain = [language for language in random_languages(26, 200) if ask(language).answer is YES]
    pairs = [(one, two) for one, two in pairwise(plain) if one.alphabet == two.alphabet]
    assert len(pairs) > 20
    for one, two in pairs:
        assert ask(one & two).answer is ask(one | two).answer is YES


@pytest.mark.parametrize("answer", Answer)
def test_a_verdict_is_not_a_truth_value(answer: Answer) -> None:
    verdict = Verdict(
        answer=answer,
        fragment=Fragment.PLAIN,
        readout=Readout.END_MARKER,
        alphabet=("a",),
        theorem="open",
        certificate=None,
        reason="",
    )
    with pytest.raises(ThreeAnswersError) as caught:
        bool(verdict)
    assert str(caught.value) == (
        f"a verdict is not a truth value: its answer is {answer}, and there are three answers.\n"
        "hint: compare verdict.answer with Answer.YES, Answer.NO or Answer.UNKNOWN."
    )


# What a YES says: the counts of the certificate name the state after every prefix of every word.


def follow_all_words(program: CountingProgram, language: DFA, state: int, length: int) -> int:
    """Require that the program names the automaton's state after every word up to a length; return how many."""
    assert program.state() == state
    if not length:
        return 1
    followed = 1
    for column, symbol in enumerate(language.alphabet):
        longer = program.copy()
        longer.read(symbol)
        followed += follow_all_words(longer, language, language.transitions[state][column], length - 1)
    return followed


def follow(program: CountingProgram, language: DFA, word: tuple[str, ...]) -> None:
    state = 0
    for symbol in word:
        program.read(symbol)
        state = language.run((symbol,), state)
        assert program.state() == state


LENGTHS = {1: 24, 2: 9, 3: 6, 4: 5, 5: 4}
YES_CASES = [(find_language(name).language, *flags) for name, flags in NAMED.items()] + [
    (compile_regex(text), ape, nope) for text, (ape, nope, _) in EXPRESSIONS.items()
]
YES_LANGUAGES = [(each, Fragment.PLAIN) for each, _, nope in YES_CASES if nope is YES] + [
    (each, Fragment.PERIODIC_LOCAL) for each, ape, _ in YES_CASES if ape is YES
]


@pytest.mark.parametrize(("language", "fragment"), YES_LANGUAGES)
def test_the_counts_of_a_named_yes_name_the_state_after_every_short_word(language: DFA, fragment: Fragment) -> None:
    data = as_json(ask(language, fragment))
    width, length = len(language.alphabet), LENGTHS[len(language.alphabet)]
    followed = follow_all_words(CountingProgram(data), language, 0, length)
    assert followed == sum(width**size for size in range(length + 1))


def living_word(rng: Random, language: DFA, length: int) -> tuple[str, ...]:
    """Return a random word that stays among states which can still reach both answers, where it can."""
    sinks = {state for state, row in enumerate(language.transitions) if set(row) == {state}}
    state = 0
    word = []
    for _ in range(length):
        alive = [symbol for symbol in language.alphabet if language.run((symbol,), state) not in sinks]
        word.append(rng.choice(alive or list(language.alphabet)))
        state = language.run(word[-1:], state)
    return tuple(word)


@pytest.mark.parametrize(("language", "fragment"), YES_LANGUAGES)
def test_the_counts_of_a_named_yes_name_the_state_along_long_words(language: DFA, fragment: Fragment) -> None:
    rng = Random(31)
    data = as_json(ask(language, fragment))
    for length in (50, 500):
        follow(CountingProgram(data), language, random_word(rng, language.alphabet, length))
        follow(CountingProgram(data), language, living_word(rng, language, length))


def test_the_counts_of_random_languages_name_the_state_along_random_words() -> None:
    rng = Random(32)
    followed = Counter()
    levels = Counter()
    for language in random_languages(33, 300) + [compile_regex(text) for text in TELLING]:
        for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment)
            if verdict.level is None or (followed[fragment] >= 100 and verdict.level < 2):
                continue  # a NO, a YES by theorem alone, or enough of the kind
            data = as_json(verdict)
            for length in (rng.randint(5, 20), rng.randint(50, 500)):
                follow(CountingProgram(data), language, living_word(rng, language, length))
            followed[fragment] += 1
            levels[verdict.level] += 1
    assert min(followed.values()) >= 100
    assert {0, 1, 2} <= set(levels)


def test_a_yes_at_the_last_symbol_accepts_what_the_language_accepts() -> None:
    languages = [find_language("{a,b}*b").language, *(compile_regex(text) for text in TELLING)]
    checked = 0
    for language in languages:
        for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment, Readout.LAST_SYMBOL)
            if verdict.answer is not YES:
                continue
            assert isinstance(verdict.certificate, QuotientsCertificate)
            parts = {part["symbol"]: part["certificate"] for part in as_json(verdict)["parts"]}
            for word in words_up_to(language.alphabet, 6 if len(language.alphabet) == 2 else 4):
                if word:
                    assert accepts(parts[word[-1]], word[:-1]) == (word in language)
            checked += 1
    assert checked > 20


# What a NO says: walks with equal counts of refined letters that lead to states which the language tells apart.


def refined_counts(certificate: ObstructionCertificate, start: int, word: tuple[str, ...]) -> Counter[tuple[str, int]]:
    block_of = {state: number for number, block in enumerate(certificate.blocks) for state in block}
    counts: Counter[tuple[str, int]] = Counter()
    state = start
    for symbol in word:
        counts[symbol, block_of[state]] += 1  # a KeyError here is a walk that leaves the component
        state = certificate.language.run((symbol,), state)
    assert state in block_of
    return counts


def check_obstruction(certificate: ObstructionCertificate) -> set[str]:
    language = certificate.language
    one, two = certificate.witnesses
    assert (one in language) != (two in language)
    assert language.run(certificate.enter) == certificate.pairs[0].start
    kinds = set()
    for pair in certificate.pairs:
        if isinstance(pair, PathsPair):
            counts = [refined_counts(certificate, pair.start, word) for word in (pair.first, pair.second)]
            assert counts[0] == counts[1]
            assert language.run(pair.first, pair.start) != language.run(pair.second, pair.start)
            kinds.add("paths")
        else:
            assert isinstance(pair, LoopsPair)
            walks = (pair.path, pair.short_loop, pair.long_loop)
            path, short, long = (refined_counts(certificate, pair.start, word) for word in walks)
            assert long == short + Counter({letter: pair.times * number for letter, number in path.items()})
            assert [language.run(word, pair.start) == pair.start for word in walks] == [False, True, True]
            kinds.add("loops")
    return kinds


def test_the_witnesses_of_a_plain_no_differ_in_membership_but_not_in_counts() -> None:
    languages = [find_language(name).language for name in NAMED]
    languages += [compile_regex(text) for text in [*TELLING, *GAPS]]
    kinds: Counter[str] = Counter()
    for language in languages + random_languages(34, 200):
        verdict = ask(language)
        if verdict.answer is NO:
            assert isinstance(verdict.certificate, ObstructionCertificate)
            kinds.update(check_obstruction(verdict.certificate))
    assert kinds["paths"] > 50
    assert kinds["loops"] > 10


def test_the_witnesses_of_a_no_stay_apart_however_often_a_loop_is_read_before() -> None:
    for text in ("[ab]*b", "(ab|bba)*", "(ab|aabb)*", "(aa)*"):
        language = compile_regex(text)
        certificate = ask(language).certificate
        assert isinstance(certificate, ObstructionCertificate)
        start = certificate.pairs[0].start
        loop = next(word for word in words_up_to(language.alphabet, 6) if word and language.run(word, start) == start)
        one, two = (word[len(certificate.enter) :] for word in certificate.witnesses)
        for times in range(20):
            before = (*certificate.enter, *loop * times)
            assert ((*before, *one) in language) != ((*before, *two) in language)
