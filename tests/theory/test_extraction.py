"""Programs taken from certificates: each equals its automaton, and uses no more than its fragment has."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice, product
from random import Random

import pytest
from theory_generators import LARGE_DFA, TELLING, many_languages, random_word

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.comparison import compare
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.measures import fragment_of, moduli_of, size_of, used_nodes, window_of
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.printer import print_program
from lengthwise.crasp.syntax import Count, CountAt, CountBefore, Modulo, Program
from lengthwise.crasp.tokens import MAX_TEXT
from lengthwise.errors import InvalidOptionError
from lengthwise.languages.catalog import LANGUAGES, find_language
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.sampling import nearest_lengths, sample_word
from lengthwise.seeds import DATA, open_stream
from lengthwise.theory.certificates import PotentialsCertificate, ProgramCertificate, QuotientsCertificate
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer, Asked
from lengthwise.theory.deciders import decide
from lengthwise.theory.extraction import extract_program
from lengthwise.theory.facts import Facts
from lengthwise.theory.verdict import Verdict

YES = Answer.YES
PLAIN, LOCAL, PERIODIC, PERIODIC_LOCAL = Fragment
#: All words up to these lengths are tried, for each size of the alphabet.
LENGTHS = {1: 40, 2: 12, 3: 7, 4: 6, 5: 5}

NAMED = [find_language(name).language for name in LANGUAGES] + [compile_regex(text) for text in TELLING]


@cache
def ask(language: DFA, fragment: Fragment, readout: Readout) -> Verdict:
    return decide(Facts(language=language), fragment, readout)


def num_vertices(verdict: Verdict) -> int:
    """Return how many vertices a certificate has; a program has about that many formulas, or its square."""
    certificate = verdict.certificate
    if isinstance(certificate, QuotientsCertificate):
        parts = [part for _, part in certificate.parts if isinstance(part, PotentialsCertificate)]
        return sum(len(part.vertices) for part in parts)
    assert isinstance(certificate, PotentialsCertificate)
    return len(certificate.vertices)


def long_words(rng: Random, language: DFA, num_words: int) -> list[tuple[str, ...]]:
    """Return words of length 50 to 500: some of the language, and each again with one symbol changed, and random ones."""
    draw = open_stream(DATA, seed=rng.randrange(1_000))
    words: list[tuple[str, ...]] = []
    for number in range(num_words):
        length = nearest_lengths(language, rng.randint(50, 500))[number % 2]
        if length is not None and length >= 50:
            word = sample_word(language, length, draw.at(number))
            place = rng.randrange(length)
            words += [word, (*word[:place], rng.choice(language.alphabet), *word[place + 1 :])]
        words.append(random_word(rng, language.alphabet, rng.randint(50, 500)))
    return words


def check_program(rng: Random, program: Program, language: DFA, num_long_words: int = 3) -> int:
    """Require that a program says of every short word and of some long ones what the automaton says."""
    longest = LENGTHS.get(len(language.alphabet), 4)
    comparison = compare(program, language, max_length=longest)
    assert comparison.equal, (comparison, language.transitions, language.accepting)
    words = long_words(rng, language, num_long_words)
    told = BatchedProgram(program).accepts(words, numpy_arrays()).tolist()
    assert told == [word in language for word in words], (language.transitions, language.accepting)
    return comparison.num_words + len(words)


def check_form(program: Program, fragment: Fragment, readout: Readout, language: DFA) -> bool:
    """Require that a program is of its fragment, and that its text, unless it is too long to be read, is the program."""
    nodes = list(used_nodes(program))
    assert program.readout is readout
    assert program.alphabet == language.alphabet
    assert fragment.includes(fragment_of(program))
    assert not any(isinstance(node, CountBefore) for node in nodes)
    if not fragment.has_windows:
        assert not any(isinstance(node, CountAt) for node in nodes)
    if not fragment.has_periods:
        assert not any(isinstance(node, Modulo) for node in nodes)
    text = print_program(program)
    if len(text) > MAX_TEXT:
        return False
    assert parse_program(text) == program
    certificate = ProgramCertificate(program=program, fragment=fragment, readout=readout)
    check = check_certificate(certificate.to_json())
    assert check.accepted, check
    return True


def check_languages(
    seed: int, languages: Sequence[DFA], fragments: Sequence[Fragment], max_vertices: int
) -> tuple[Counter[str], list[int]]:
    """Check every program of the languages; return how many there were, and their sizes."""
    rng = Random(seed)
    made: Counter[str] = Counter()
    sizes = []
    for language in languages:
        for fragment, readout in product(fragments, Readout):
            verdict = ask(language, fragment, readout)
            if verdict.answer is not YES:
                continue
            if verdict.certificate is None:
                made[f"{fragment}: by theorem"] += 1
                continue
            if num_vertices(verdict) > max_vertices:
                made[f"{fragment}: too large"] += 1
                continue
            program = extract_program(verdict.certificate)
            made["too long to be read"] += not check_form(program, fragment, readout, language)
            made["words"] += check_program(rng, program, language)
            made[f"{fragment}: programs"] += 1
            sizes.append(size_of(program))
    return made, sizes


@pytest.mark.full
@pytest.mark.parametrize("fragment", Fragment)
def test_the_program_of_a_named_yes_is_the_language(fragment: Fragment) -> None:
    made, _ = check_languages(61, NAMED, [fragment], 5_000)
    assert made[f"{fragment}: programs"] > 25
    assert not made[f"{fragment}: by theorem"] + made["too long to be read"]


@pytest.mark.full
def test_the_program_of_a_random_yes_is_the_language() -> None:
    languages = [language for source, language in islice(many_languages(62), 45) if source != LARGE_DFA]
    made, _ = check_languages(63, languages, [PLAIN, LOCAL, PERIODIC_LOCAL], 120)
    assert min(made[f"{fragment}: programs"] for fragment in (PLAIN, LOCAL, PERIODIC_LOCAL)) > 30
    assert made["words"] > 250_000


def test_the_batched_program_and_the_interpreter_read_long_words_alike() -> None:
    rng = Random(64)
    for language, (fragment, readout) in product(
        [compile_regex("(ab|bbaa)*"), compile_regex("(ab|bba)*"), compile_regex("(a|bb)*")],
        product((PLAIN, PERIODIC_LOCAL), Readout),
    ):
        verdict = ask(language, fragment, readout)
        if verdict.answer is YES:
            assert verdict.certificate is not None
            program = extract_program(verdict.certificate)
            words = long_words(rng, language, 2)
            for word in [max(words[:3], key=len)[:120], min(words, key=len)]:
                assert accepts(program, word) == (word in language)


def test_a_program_with_strict_counts_says_the_same_and_has_no_other_counts() -> None:
    rng = Random(65)
    seen: Counter[Fragment] = Counter()
    for language, fragment in product(NAMED, (PLAIN, PERIODIC_LOCAL)):
        verdict = ask(language, fragment, Readout.END_MARKER)
        if verdict.answer is YES and verdict.certificate is not None and language.num_states > 2:
            program = extract_program(verdict.certificate, strict=True)
            assert fragment.includes(fragment_of(program))
            nodes = list(used_nodes(program))
            assert not any(isinstance(node, Count) for node in nodes)
            seen[fragment] += any(isinstance(node, CountBefore) for node in nodes)
            check_program(rng, program, language, 1)
    assert min(seen.values()) > 10


def test_a_program_looks_no_further_back_and_sees_no_other_period_than_its_certificate_says() -> None:
    checked: Counter[str] = Counter()
    for language in NAMED:
        verdict = ask(language, PERIODIC_LOCAL, Readout.END_MARKER)
        if isinstance(verdict.certificate, PotentialsCertificate):
            program = extract_program(verdict.certificate)
            assert window_of(program) <= verdict.certificate.window
            assert set(moduli_of(program)) <= {verdict.certificate.period}
            checked["windows"] += bool(verdict.certificate.window)
            checked["periods"] += verdict.certificate.period > 1
    assert min(checked["windows"], checked["periods"]) >= 4


def test_a_small_program_can_be_read() -> None:
    certificate = ask(compile_regex("a*b*"), PLAIN, Readout.END_MARKER).certificate
    assert certificate is not None
    assert print_program(extract_program(certificate, strict=True)) == (
        "alphabet 'a' 'b'\nread at end\n\n"
        "left1  := #<['b'] >= 1\n"
        "at0    := not left1\n"
        "enter2 := at0 and 'b'\n"
        "in2    := #<[enter2] >= 1\n"
        "exit2  := in2 and 'a'\n"
        "left2  := #<[exit2] >= 1\n"
        "accept := at0 or in2 and not left2\n"
    )


def test_a_program_is_its_own() -> None:
    program = parse_program("alphabet 'a' 'b'  accept := #['a'] = #['b']")
    certificate = ProgramCertificate(program=program, fragment=PLAIN, readout=program.readout)
    assert extract_program(certificate) is program


@pytest.mark.parametrize(
    ("text", "fragment", "asked", "says"),
    [
        ("(aa)*", PLAIN, Asked.MEMBERSHIP, "NO about MEMBERSHIP"),
        ("(aab*aa|ab)*", PERIODIC_LOCAL, Asked.MEMBERSHIP, "NO about MEMBERSHIP"),
        ("(ab)*", PLAIN, Asked.NEXT_SYMBOLS, "YES about NEXT_SYMBOLS"),
    ],
)
def test_there_is_no_program_in_a_no_and_none_yet_for_next_symbols(
    text: str, fragment: Fragment, asked: Asked, says: str
) -> None:
    certificate = decide(Facts(language=compile_regex(text), asked=asked), fragment).certificate
    assert certificate is not None
    with pytest.raises(InvalidOptionError) as caught:
        extract_program(certificate)
    assert str(caught.value) == (
        f"a program can be taken from a YES about membership; this certificate says {says}.\n"
        "hint: ask for membership, and for a fragment that has the language."
    )


def test_a_program_is_decided_where_it_is_read() -> None:
    program = parse_program("alphabet 'a' 'b'  accept := #['a'] = #['b']")
    verdict = decide(Facts(program=program), PLAIN)
    assert (verdict.answer, verdict.readout) == (YES, Readout.LAST_SYMBOL)
    assert verdict.certificate is not None
    assert check_certificate(verdict.certificate.to_json()).accepted
    with pytest.raises(InvalidOptionError) as caught:
        decide(Facts(program=program), PLAIN, Readout.END_MARKER)
    assert str(caught.value) == (
        "the program is read at the last symbol; another readout was asked for.\nhint: leave the readout out."
    )


@pytest.mark.full
def test_the_programs_of_a_thousand_languages_are_these_languages(capsys: pytest.CaptureFixture[str]) -> None:
    languages = [language for _, language in islice(many_languages(66), 1_000)]
    started = time.perf_counter()
    made, sizes = check_languages(67, [*NAMED, *languages], Fragment, 600)
    sizes.sort()
    shares = ", ".join(
        f"{share:.0%} {sizes[min(int(share * len(sizes)), len(sizes) - 1)]}" for share in (0.5, 0.9, 0.99, 1)
    )
    with capsys.disabled():
        print(f"\n{len(sizes)} programs equal their automata in {time.perf_counter() - started:.0f} s: {dict(made)}")
        print(f"sizes: {shares}")
    assert len(sizes) > 2_000
