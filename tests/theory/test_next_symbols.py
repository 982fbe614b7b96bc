"""Next symbols: verdicts against the criterion spelled out, and true of words, one prefix after the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from certificate_programs import NextSymbolsProgram
from strategies import random_dfa
from test_certificates import NEXT_FLIP_FLOP
from test_theory_verdicts import ALSO_KNOWN, EXPRESSIONS, PUBLISHED, refined_counts, words_up_to
from theory_generators import TELLING, random_dfa_with_dead_ends, random_languages, small_automata

from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import InvalidOptionError
from lengthwise.languages.catalog import LANGUAGES, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import shortest_word
from lengthwise.languages.next_symbols import live_states, next_symbol_set, separating_next_symbols
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.sampling import nearest_lengths, sample_word
from lengthwise.seeds import DATA, open_stream
from lengthwise.theory import obstructions
from lengthwise.theory.certificates import (
    GraphCertificate,
    LoopsPair,
    ObstructionCertificate,
    PathsPair,
    PotentialsCertificate,
    ReductionCertificate,
)
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.cycles import refine_by_cycles
from lengthwise.theory.deciders import decide, plain_graph
from lengthwise.theory.facts import Facts
from lengthwise.theory.graph import Graph, unrolled_graph
from lengthwise.theory.reductions import target_language
from lengthwise.theory.verdict import Verdict

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
MEMBERSHIP, NEXT_SYMBOLS = Asked.MEMBERSHIP, Asked.NEXT_SYMBOLS
NO_AA = compile_regex("b*(ab+)*a?")


@cache
def ask(language: DFA, fragment: Fragment = Fragment.PLAIN) -> Verdict:
    return decide(Facts(language=language, asked=NEXT_SYMBOLS), fragment)


def ask_membership(language: DFA, fragment: Fragment, readout: Readout) -> Answer:
    return decide(Facts(language=language), fragment, readout).answer


def as_json(verdict: Verdict) -> dict[str, Any]:
    assert verdict.certificate is not None
    data: dict[str, Any] = json.loads(json.dumps(verdict.certificate.to_json()))
    return data


@cache
def legal_next(language: DFA, state: int) -> frozenset[str | None]:
    """Return what can follow at a state, by looking for words: the definition."""
    legal: set[str | None] = {
        symbol for symbol in language.alphabet if shortest_word(language, language.run((symbol,), state)) is not None
    }
    return frozenset(legal | ({None} if state in language.accepting else set()))


# The oracle: blocks from the definition over all cycles, components by brute force, and the criterion as it is written.


def components_of(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, from which vertex leads to which."""
    reached = [{vertex} for vertex in range(len(edges))]
    for _ in edges:
        for vertex, targets in enumerate(edges):
            reached[vertex] = reached[vertex].union(*(reached[target] for target in targets))
    found = {
        tuple(other for other in range(len(edges)) if other in reached[vertex] and vertex in reached[other])
        for vertex in range(len(edges))
    }
    return sorted(list(component) for component in found)


def names_the_next_state(language: DFA, graph: Graph, *, only_live: bool) -> bool:
    """Return whether two vertices of one block lead by every symbol to one, or to two of which not both are live."""
    for component in components_of(graph.edges):
        blocks = dict(zip(component, refine_by_cycles(graph, component), strict=True))
        for one, two in combinations(component, 2):
            if blocks[one] != blocks[two]:
                continue
            for left, right in zip(graph.edges[one], graph.edges[two], strict=True):
                states = (graph.vertices[left][0], graph.vertices[right][0])
                live = [shortest_word(language, state) is not None for state in states]
                if left != right and (all(live) or not only_live):
                    return False
    return True


def compare_with_the_criterion(languages: list[DFA]) -> Counter[tuple[bool, bool]]:
    """Require plain verdicts as the criterion says, for next symbols and membership at the last symbol."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for language in languages:
        graph = plain_graph(language)
        told = tuple(names_the_next_state(language, graph, only_live=each) for each in (True, False))
        assert ask(language).answer is (YES if told[0] else NO), language.transitions
        last = ask_membership(language, Fragment.PLAIN, Readout.LAST_SYMBOL)
        assert last is (YES if told[1] else NO), language.transitions
        seen[told[0], told[1]] += 1
    assert not seen[False, True]
    return seen


def test_plain_verdicts_are_those_of_the_criterion_on_every_small_automaton() -> None:
    languages = small_automata()
    assert len(languages) == 1072
    seen = compare_with_the_criterion(languages)
    assert min(seen[True, True], seen[True, False], seen[False, False]) >= 10


@pytest.mark.parametrize("num_states", [4, 5])
@pytest.mark.parametrize("alphabet", ["ab", "abc"])
def test_plain_verdicts_are_those_of_the_criterion_on_random_automata(num_states: int, alphabet: str) -> None:
    rng = Random(10 * num_states + len(alphabet))
    languages = []
    while len(languages) < 800:
        language = (random_dfa, random_dfa_with_dead_ends)[len(languages) % 2](rng, num_states, alphabet)
        if language.num_states == num_states:
            languages.append(language)
    seen = compare_with_the_criterion(languages)
    assert min(seen[True, True], seen[True, False], seen[False, False]) >= 3


def test_plain_verdicts_are_those_of_the_criterion_on_expressions() -> None:
    languages = [language for language in random_languages(51, 150) if language.num_states <= 8]
    seen = compare_with_the_criterion([*languages, *map(compile_regex, TELLING), NO_AA, NEXT_FLIP_FLOP])
    assert min(seen[True, True], seen[True, False], seen[False, False]) >= 5


@pytest.mark.parametrize("fragment", [Fragment.LOCAL, Fragment.PERIODIC, Fragment.PERIODIC_LOCAL])
def test_a_yes_with_windows_or_periods_comes_exactly_where_the_criterion_holds_unrolled(fragment: Fragment) -> None:
    answers: Counter[Answer] = Counter()
    for language in [*random_languages(52, 12, max_states=4), *map(compile_regex, TELLING[:8]), NO_AA]:
        if language.num_states > 5:
            continue
        windows = (0, 1) if fragment.has_windows else (0,)
        periods = (1, 2, 3) if fragment.has_periods else (1,)
        graphs = [
            unrolled_graph(language, window=window, period=period)
            for window, period in product(windows, periods)
            if (window, period) != (1, 3)  # so many cycles are too many for the oracle
        ]
        told = any(names_the_next_state(language, graph, only_live=True) for graph in graphs)
        verdict = ask(language, fragment)
        answers[verdict.answer] += 1
        if told:
            assert verdict.answer is YES
        elif verdict.answer is YES:
            assert isinstance(verdict.certificate, PotentialsCertificate)
            tried = {(graph.window, graph.period) for graph in graphs}
            assert (verdict.certificate.window, verdict.certificate.period) not in tried
    assert answers[YES] >= 5


# What is published, what is known, and how the questions stand to each other


@pytest.mark.parametrize(("name", "flags"), PUBLISHED.items())
def test_next_symbol_verdicts_equal_the_published_flags(name: str, flags: tuple[Answer, Answer]) -> None:
    assert len(PUBLISHED) == 17
    language = find_language(name).language
    assert ask(language, Fragment.PERIODIC_LOCAL).answer is flags[0]
    assert ask(language).answer is flags[1]


def test_no_two_a_in_a_row_is_easy_to_continue_but_hard_to_recognize() -> None:
    verdict = ask(NO_AA)
    assert (verdict.answer, verdict.level, verdict.theorem) == (YES, 0, "next_symbol_refinement")
    assert verdict.reason == (
        "A model is right at every length if it tracks the last symbol and whether an error has occurred (an "
        "input that begins with 'aa' is never accepted). Attention can do this at any length: it finds whether "
        "something has "
        "occurred before."
    )
    for readout in Readout:
        assert ask_membership(NO_AA, Fragment.PLAIN, readout) is NO
        assert ask_membership(NO_AA, Fragment.LOCAL, readout) is YES


def test_ending_in_b_is_easy_wherever_the_last_symbol_is_seen() -> None:
    language = compile_regex("[ab]*b")
    assert ask(language).answer is ask_membership(language, Fragment.PLAIN, Readout.LAST_SYMBOL) is YES
    assert ask_membership(language, Fragment.PLAIN, Readout.END_MARKER) is NO


MANY = [find_language(name).language for name in LANGUAGES] + [compile_regex(text) for text in TELLING]


@pytest.mark.parametrize("fragment", Fragment)
def test_each_question_is_at_most_as_hard_as_the_one_before(fragment: Fragment) -> None:
    gaps: Counter[tuple[Answer, ...]] = Counter()
    for language in [*MANY, NO_AA, *random_languages(53, 60)]:
        end, last = (ask_membership(language, fragment, readout) for readout in Readout)
        after = ask(language, fragment).answer
        gaps[end, last, after] += 1
        assert not (end is YES and last is not YES)
        assert not (last is YES and after is not YES)
        if fragment.has_windows:  # then membership can be told from next symbols
            assert not (after is YES and end is NO)
            assert not (end is NO and after is not NO)
    assert gaps[YES, YES, YES] > 10
    if not fragment.has_windows:
        assert any(answers[0] is not YES and answers[2] is YES for answers in gaps)


def test_larger_fragments_never_contradict_smaller_ones() -> None:
    for language in [*MANY, NO_AA, NEXT_FLIP_FLOP, *random_languages(54, 60)]:
        answers = {fragment: ask(language, fragment).answer for fragment in Fragment}
        assert answers[Fragment.PLAIN] is not UNKNOWN
        for small, large in product(Fragment, repeat=2):
            if large.includes(small):
                assert not (answers[small] is YES and answers[large] is not YES)
                assert not (answers[large] is NO and answers[small] is not NO)


@pytest.mark.parametrize("fragment", Fragment)
def test_next_symbols_have_one_readout(fragment: Fragment) -> None:
    facts = Facts(language=NO_AA, asked=NEXT_SYMBOLS)
    assert decide(facts, fragment) == decide(facts, fragment, Readout.LAST_SYMBOL)
    with pytest.raises(InvalidOptionError) as caught:
        decide(facts, fragment, Readout.END_MARKER)
    assert str(caught.value) == (
        "next symbols are read where the last symbol is seen, not with readout END_MARKER.\nhint: leave the "
        "readout out."
    )


@pytest.mark.parametrize("accepting", [[], [0]])
def test_a_language_of_nothing_or_everything_is_a_yes(accepting: list[int]) -> None:
    verdict = ask(DFA(alphabet="ab", transitions=[[0, 0]], accepting=accepting))
    assert (verdict.answer, verdict.level) == (YES, 0)
    assert check_certificate(as_json(verdict)).accepted


# What a YES says: the counts of the certificate, and the symbol read, name what can follow at every live prefix.


def follow_all_live_words(program: NextSymbolsProgram, language: DFA, state: int, length: int) -> int:
    """Require the right set at every live prefix up to a length; return how many were followed."""
    assert program.next_symbols() == legal_next(language, state)
    followed = 1
    for symbol in language.alphabet if length else ():
        if symbol in legal_next(language, state):
            longer = program.copy()
            longer.read(symbol)
            followed += follow_all_live_words(longer, language, language.run((symbol,), state), length - 1)
    return followed


def follow(program: NextSymbolsProgram, language: DFA, word: Sequence[str]) -> None:
    state = 0
    for symbol in word:
        program.read(symbol)
        state = language.run((symbol,), state)
        assert program.next_symbols() == legal_next(language, state)


LENGTHS = {1: 24, 2: 10, 3: 7, 4: 6, 5: 6, 6: 5}
FOLLOWED = [find_language(name).language for name in [*PUBLISHED, *ALSO_KNOWN]]
FOLLOWED += [compile_regex(text) for text in EXPRESSIONS] + [NO_AA]
YES_CASES = [
    (language, fragment)
    for language in FOLLOWED
    for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)
    if ask(language, fragment).answer is YES
]


@pytest.mark.parametrize(("language", "fragment"), YES_CASES)
def test_a_yes_tells_the_next_symbols_at_every_short_prefix(language: DFA, fragment: Fragment) -> None:
    program = NextSymbolsProgram(as_json(ask(language, fragment)))
    followed = follow_all_live_words(program, language, 0, LENGTHS[len(language.alphabet)])
    live = {0: 1}  # how many live words of the length at hand lead to a state
    total = 1
    for _ in range(LENGTHS[len(language.alphabet)]):
        after: Counter[int] = Counter()
        for state, number in live.items():
            for symbol in legal_next(language, state) - {None}:
                after[language.run((symbol,), state)] += number
        live = dict(after)
        total += sum(live.values())
    assert followed == total


@pytest.mark.parametrize(("language", "fragment"), YES_CASES)
def test_a_yes_tells_the_next_symbols_along_long_words(language: DFA, fragment: Fragment) -> None:
    draw = open_stream(DATA, seed=7)
    data = as_json(ask(language, fragment))
    for target in (60, 61, 300):
        length = nearest_lengths(language, target)[1]
        if length is not None:
            follow(NextSymbolsProgram(data), language, sample_word(language, length, draw.named(f"length {target}")))


def test_a_yes_of_a_random_language_tells_the_next_symbols_along_its_words() -> None:
    draw = open_stream(DATA, seed=8)
    followed: Counter[tuple[Fragment, int]] = Counter()
    for number, language in enumerate([*random_languages(55, 250), *map(compile_regex, TELLING)]):
        for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment)
            if verdict.answer is not YES:
                continue
            data = as_json(verdict)
            follow_all_live_words(NextSymbolsProgram(data), language, 0, 5)
            length = nearest_lengths(language, 40 + number % 3)[1]
            if length is not None:
                follow(NextSymbolsProgram(data), language, sample_word(language, length, draw.named(f"{number}")))
            followed[fragment, min(verdict.level or 0, 1)] += 1
    assert min(followed[fragment, 0] for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)) >= 50
    assert min(followed[fragment, 1] for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)) >= 10


def test_a_program_has_no_more_levels_than_it_needs() -> None:
    shortened = 0
    languages = [*FOLLOWED, *map(compile_regex, TELLING), *random_languages(56, 100)]
    for language in languages:
        for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment)
            if verdict.answer is not YES:
                continue
            data = as_json(verdict)
            for component in data["components"]:
                if component["levels"]:
                    last = component["levels"].pop()
                    assert "do not name the next state" in str(check_certificate(data).objection)
                    component["levels"].append(last)
                    shortened += 1
            membership = decide(Facts(language=language), fragment)
            if membership.answer is YES and fragment is Fragment.PLAIN:
                assert verdict.level is not None
                assert membership.level is not None
                assert verdict.level <= membership.level
    assert shortened >= 20
    assert (ask(compile_regex("(ab|bbaa)*")).level, ask(compile_regex("(ab)*")).level) == (1, 0)


# What a NO says: walks with equal counts, over live prefixes only, after which one word leads to different next symbols.


def check_witnesses(certificate: ObstructionCertificate, loops: int = 0) -> None:
    """Require of the two words what the theorem needs, with a loop read so many times before they part."""
    language, pair = certificate.language, certificate.pairs[0]
    start = language.run(certificate.enter)
    assert start == pair.start
    assert certificate.suffix
    loop = shortest_loop(language, set(certificate.members), start)
    tails = [word[len(certificate.enter) :] for word in certificate.witnesses]
    ends = []
    for tail in tails:
        state = 0
        for symbol in (*certificate.enter, *loop * loops, *tail):
            assert symbol in legal_next(language, state)
            state = language.run((symbol,), state)
        ends.append(legal_next(language, state))
    assert ends[0] != ends[1]


def shortest_loop(language: DFA, inside: set[int], start: int) -> tuple[str, ...]:
    words: dict[int, tuple[str, ...]] = {}
    queue: list[tuple[int, tuple[str, ...]]] = [(start, ())]
    for state, word in queue:
        for symbol in language.alphabet:
            target = language.run((symbol,), state)
            if target == start:
                return (*word, symbol)
            if target in inside and target not in words:
                words[target] = (*word, symbol)
                queue.append((target, words[target]))
    raise AssertionError("a component of several states has a loop")


def test_the_witnesses_of_a_no_are_live_and_differ_in_what_can_follow() -> None:
    kinds: Counter[str] = Counter()
    for language in [*MANY, NEXT_FLIP_FLOP, *random_languages(57, 200)]:
        verdict = ask(language)
        if verdict.answer is not NO:
            continue
        certificate = verdict.certificate
        assert isinstance(certificate, ObstructionCertificate)
        for loops in (0, 1, 5):
            check_witnesses(certificate, loops)
        for pair in certificate.pairs:
            kinds[type(pair).__name__] += 1
            if isinstance(pair, PathsPair):
                one, two = (refined_counts(certificate, pair.start, word) for word in (pair.first, pair.second))
                assert one == two
            else:
                assert isinstance(pair, LoopsPair)
                walks = (pair.path, pair.short_loop, pair.long_loop)
                path, short, long = (refined_counts(certificate, pair.start, word) for word in walks)
                assert long == short + Counter({letter: pair.times * number for letter, number in path.items()})
    assert kinds["PathsPair"] > 30
    assert kinds["LoopsPair"] > 5


def test_a_word_may_lead_two_states_back_to_themselves_before_they_show_a_difference() -> None:
    """A regression: 2 keeps both states of the flip-flop, and it is the only suffix that does not merge them."""
    certificate = ask(compile_regex("[012]*(02*d)?")).certificate
    assert isinstance(certificate, ObstructionCertificate)
    assert certificate.suffix == ("2",)
    assert certificate.witnesses == (("0", "1", "2"), ("1", "0", "2"))


def test_a_no_whose_words_would_be_too_long_has_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obstructions, "MAX_LETTERS", 20)
    for asked in Asked:
        verdict = decide(Facts(language=compile_regex("(a{30})*"), asked=asked), Fragment.PLAIN)
        assert (verdict.answer, verdict.certificate) == (NO, None)
        assert verdict.reason == (
            "A model that only counts mixes up inputs with different answers. There is no certificate: "
            "the certificate would have more than 20 letters, which is the cap."
        )


def test_a_reduction_reads_the_known_language_off_the_next_symbols() -> None:
    targets: Counter[str] = Counter()
    for language in [*MANY, NEXT_FLIP_FLOP, compile_regex("b*(ab*ab*ab*)*"), *random_languages(58, 80)]:
        for fragment in (Fragment.LOCAL, Fragment.PERIODIC, Fragment.PERIODIC_LOCAL):
            verdict = ask(language, fragment)
            if verdict.answer is not NO:
                continue
            certificate = verdict.certificate
            if not isinstance(certificate, ReductionCertificate):
                assert isinstance(certificate, GraphCertificate)
                continue
            target = target_language(certificate.target)
            images = dict(certificate.images)
            for word in words_up_to(target.alphabet, 6 if len(target.alphabet) == 2 else 5):
                written = (
                    *certificate.prefix,
                    *(letter for symbol in word for letter in images[symbol]),
                    *certificate.suffix,
                )
                follows = legal_next(language, language.run(written))
                assert (certificate.reads in follows) == (word in target)
            targets[certificate.target] += 1
    assert targets["{0,1,2}*02*"] > 10
    assert {"PARITY", "MOD(3; 0)"} <= set(targets)


@pytest.mark.parametrize(
    ("language", "fragment", "reason"),
    [
        (
            compile_regex("(aa)*"),
            Fragment.PLAIN,
            "After 'a' and 'aa' different symbols may follow. Attention here only compares how often symbols occurred. "
            "Put the same long text in front of both, so that different symbols may still follow. The two "
            "inputs differ "
            "only in a few symbols. The text can be chosen so that every comparison of counts in which this "
            "could matter is "
            "far from a tie. Then the model gives both the same answer.",
        ),
        (
            compile_regex("(ab|aabb)*"),
            Fragment.PLAIN,
            "A model is right at every length if it tracks the last symbol, how many more a's than b's it has "
            "read (which shows where in the pattern it is), and whether an error has occurred (an input that "
            "begins with "
            "'b' is never accepted). Attention can do this at any length: averages over all earlier tokens "
            "compare counts, and it finds "
            "whether something has occurred before.",
        ),
        (
            find_language("TOMITA_4").language,
            Fragment.LOCAL,
            "A model is right at every length if it tracks the last 2 symbols and whether an error has occurred "
            "(an input that begins with '000' is never accepted). Attention can do this at any length: it can look at "
            "the nearest tokens, and it finds whether something has occurred before.",
        ),
        (
            compile_regex("a*b*"),
            Fragment.PLAIN,
            "The model only has to notice which of a few things have occurred, and in which order. Nothing that "
            "follows "
            "undoes them. For example, an input that begins with 'ba' is never accepted. Attention finds "
            "whether something "
            "has occurred before, at any length.",
        ),
        (
            find_language("TOMITA_3").language,
            Fragment.PERIODIC_LOCAL,
            "Take inputs that begin with '1', end with '0', and otherwise consist of the blocks '0011', '1001', "
            "and '1111'. Whether the word may end after such an input depends on whether the last block other "
            "than '1111' is '0011'. That block "
            "may lie arbitrarily far back. The last few symbols do not show it, and counts of '0011' and '1001' "
            "do not tell which of the two came last.",
        ),
        (
            NEXT_FLIP_FLOP,
            Fragment.LOCAL,
            "Take inputs that begin with '1', end with 'df', and otherwise consist of the symbols '0', '1', and "
            "'2'. Whether the word may end after such an input depends on whether the last symbol other than "
            "'2' is '0'. That symbol may lie "
            "arbitrarily far back. The last few symbols do not show it, and counts of '0' and '1' do not tell "
            "which of the two came last.",
        ),
        (
            compile_regex("(aab*aa|ab)*"),
            Fragment.PERIODIC_LOCAL,
            "The empty word is accepted and 'a' is not. Both can be made arbitrarily long without changing their "
            "answers, in such a way that they agree in their last symbols, in their length modulo any number, "
            "and in every comparison of counts. So a model that sees only these cannot tell them apart.",
        ),
    ],
)
def test_a_verdict_about_next_symbols_says_why(language: DFA, fragment: Fragment, reason: str) -> None:
    assert ask(language, fragment).reason == reason


# The walks on which all of this rests


def test_live_states_and_next_symbols_are_what_their_definitions_say() -> None:
    for language in [*small_automata()[::3], *random_languages(59, 60)]:
        live = live_states(language)
        assert live == {state for state in range(language.num_states) if shortest_word(language, state) is not None}
        names = (*language.alphabet, None)
        for state in range(language.num_states):
            assert {names[number] for number in next_symbol_set(language, live, state)} == legal_next(language, state)


def test_the_word_that_shows_different_next_symbols_is_a_shortest_one() -> None:
    found: Counter[int | None] = Counter()
    for language in [*small_automata()[::3], *random_languages(60, 60, max_states=4), NEXT_FLIP_FLOP]:
        live = live_states(language)
        for one, two in combinations(sorted(live), 2):
            word = separating_next_symbols(language, live, one, two)
            expected = next(
                (
                    len(other)
                    for other in words_up_to(language.alphabet, 4)
                    if other and shows_a_difference(language, live, one, two, other)
                ),
                None,
            )
            if word is None or len(word) <= 4:
                assert (None if word is None else len(word)) == expected
            if word is not None:
                assert shows_a_difference(language, live, one, two, word)
            found[expected] += 1
    assert min(found[None], found[1], found[2]) > 10


def shows_a_difference(language: DFA, live: frozenset[int], one: int, two: int, word: Sequence[str]) -> bool:
    for end in range(1, len(word) + 1):
        if not {language.run(word[:end], one), language.run(word[:end], two)} <= live:
            return False
    return legal_next(language, language.run(word, one)) != legal_next(language, language.run(word, two))
