"""Formulas of the past: what they say, and that those taken from certificates are the automata."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from theory_generators import TELLING, many_languages

from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.languages.catalog import bounded_dyck
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.claims import Answer
from lengthwise.theory.precision.certificates import AperiodicCertificate, PumpingCertificate, RanksCertificate
from lengthwise.theory.precision.deciders import decide_logic
from lengthwise.theory.precision.extraction import extract_formula
from lengthwise.theory.precision.formulas import (
    FALSE,
    TRUE,
    And,
    Constant,
    Expression,
    Formula,
    Letter,
    Name,
    Not,
    Or,
    Past,
    Position,
    Since,
    Yesterday,
    conjunction,
    disjunction,
    negation,
    past,
    yesterday,
)
from lengthwise.theory.precision.logics import Logic
from lengthwise.theory.precision.since_extraction import extract_since_formula


def formula(body: Expression, *definitions: tuple[str, Expression]) -> Formula:
    return Formula(alphabet=("a", "b"), definitions=definitions, accept=body)


A, B = Letter("a"), Letter("b")

SAYS = [
    (Past(A), lambda word: "a" in word, Logic.P),
    (Yesterday(A), lambda word: word.endswith("a"), Logic.Y),
    (Not(Yesterday(TRUE)), lambda word: word == "", Logic.Y),
    (Past(And((A, Past(B)))), lambda word: "b" in word and "a" in word[word.index("b") :], Logic.P),
    (Past(And((A, Yesterday(B)))), lambda word: "ba" in word, Logic.P_Y),
    (Position(2, 1), lambda word: len(word) % 2 == 0, Logic.P_MOD),
    (Past(And((A, Position(2, 1)))), lambda word: "a" in word[::2], Logic.P_MOD),
    (And((Position(2, 1), Past(A), Yesterday(A))), lambda word: len(word) % 2 == 0 and word[-1:] == "a", Logic.P_Y_MOD),
    (Since(B, A), lambda word: "a" in word, Logic.S),
    (
        Since(Not(A), And((B, Yesterday(B)))),
        lambda word: "bb" in word and "a" not in word[word.rindex("bb") :],
        Logic.S,
    ),
    (A, lambda _word: False, Logic.P),
]


@pytest.mark.parametrize(("body", "says", "logic"), SAYS, ids=[str(body) for body, _, _ in SAYS])
def test_a_formula_holds_at_the_end_of_the_words_it_speaks_of(body: Expression, says: object, logic: Logic) -> None:
    whole = formula(body)
    assert whole.logic is logic
    for length in range(7):
        for letters in product("ab", repeat=length):
            assert whole.accepts(letters) == says("".join(letters)), (letters, str(whole))  # type: ignore[operator]


def test_a_name_is_what_it_was_defined_as() -> None:
    named = formula(Past(Name("both")), ("last_b", Yesterday(B)), ("both", And((A, Name("last_b")))))
    assert str(named) == "last_b := Y('b')\nboth   := 'a' and last_b\naccept := P(both)"
    assert named.accepts("aba")
    assert not named.accepts("ab")
    assert named.size == 7


def test_constants_and_repetitions_are_left_out() -> None:
    assert conjunction([A, TRUE, A]) == A
    assert conjunction([A, FALSE]) == FALSE
    assert conjunction([]) == TRUE
    assert disjunction([A, FALSE, B]) == Or((A, B))
    assert disjunction([A, TRUE]) == TRUE
    assert disjunction([]) == FALSE
    assert negation(negation(A)) == A
    assert negation(TRUE) == FALSE
    assert past(FALSE) == yesterday(FALSE) == FALSE
    assert str(formula(Not(And((A, Or((B, Letter("'")))))))) == "accept := not ('a' and ('b' or '\\''))"


def values(expression: Expression, letters: np.ndarray, alphabet: tuple[str, ...], known: dict[str, np.ndarray]) -> Any:
    """Evaluate a formula at all positions of many words of one length at once; ``letters`` has a row for each word."""
    num_words, length = letters.shape
    end = np.zeros((num_words, 1), bool)

    def inside(part: Expression) -> Any:
        return values(part, letters, alphabet, known)

    match expression:
        case Constant(value):
            return np.full((num_words, length + 1), value)
        case Letter(symbol):
            return np.hstack([letters == alphabet.index(symbol), end])
        case Name(name):
            return known[name]
        case Position(modulus, residue):
            return np.tile(np.arange(1, length + 2) % modulus == residue, (num_words, 1))
        case Not(part):
            return ~inside(part)
        case And(parts):
            return np.logical_and.reduce([inside(part) for part in parts])
        case Or(parts):
            return np.logical_or.reduce([inside(part) for part in parts])
        case Past(part):
            return np.hstack([end, np.logical_or.accumulate(inside(part), axis=1)[:, :-1]])
        case Yesterday(part):
            return np.hstack([end, inside(part)[:, :-1]])
        case Since(hold, start):
            holds, starts = inside(hold), inside(start)
            columns = [end[:, 0]]
            for place in range(length):
                columns.append(starts[:, place] | (holds[:, place] & columns[-1]))
            return np.stack(columns, axis=1)


def accepted(found: Formula, letters: np.ndarray) -> Any:
    """Return which words of one length a formula accepts."""
    known: dict[str, np.ndarray] = {}
    for name, body in found.definitions:
        known[name] = values(body, letters, found.alphabet, known)
    return values(found.accept, letters, found.alphabet, known)[:, -1]


def run_at_once(language: DFA, letters: np.ndarray) -> Any:
    """Return which words of one length an automaton accepts."""
    rows = np.array(language.transitions)
    states = np.zeros(len(letters), np.int64)
    for column in letters.T:
        states = rows[states, column]
    return np.isin(states, sorted(language.accepting))


def require_equal(found: Formula, language: DFA, max_length: int) -> None:
    """Require that a formula accepts what the automaton does, on all words up to a length, in batches that fit into memory."""
    for length in range(max_length + 1):
        grid = np.indices((len(language.alphabet),) * length).reshape(length, -1).T if length else np.empty((1, 0), int)
        for start in range(0, len(grid), 8192):
            words = grid[start : start + 8192]
            wrong = np.flatnonzero(accepted(found, words) != run_at_once(language, words))
            assert not len(wrong), (language.transitions, str(found), language.decode(words[wrong[0]].tolist()))


def agree(language: DFA, logic: Logic, max_length: int) -> bool:
    """Say whether there is a formula; if so, compare it with the language. A formula of LTL[S] may be too large to write."""
    verdict = decide_logic(language, logic)
    if verdict.answer is not Answer.YES:
        return False
    assert verdict.certificate is not None
    try:
        found = extract_formula(verdict.certificate)
    except CapExceededError:
        assert logic is Logic.S
        return False
    assert logic.includes(found.logic) or found.accept in (TRUE, FALSE)
    require_equal(found, language, max_length)
    return True


@pytest.mark.parametrize("logic", Logic)
def test_many_words_at_once_are_evaluated_as_one_by_one(logic: Logic) -> None:
    for text in ("(ab)*", "a*b*", "[ab]*b", "(aa|b)*", "(a(ab)*b)*"):
        language = compile_regex(text, alphabet="ab")
        verdict = decide_logic(language, logic)
        if verdict.answer is Answer.YES:
            assert verdict.certificate is not None
            found = extract_formula(verdict.certificate)
            for length in range(5):
                words = list(product(range(2), repeat=length))
                answers = accepted(found, np.array(words, np.int64).reshape(len(words), length))
                assert answers.tolist() == [found.accepts(language.decode(word)) for word in words]


@pytest.mark.parametrize("logic", Logic)
def test_the_formula_of_a_yes_is_the_automaton(logic: Logic) -> None:
    languages = [*map(compile_regex, TELLING), bounded_dyck(2), *(each for _, each in islice(many_languages(21), 12))]
    small = [compile_regex(text) for text in ("a*b*", "[ab]*b", "(ab)*", "(aa)*")]
    assert sum(agree(language, logic, 5) for language in languages) >= 4
    assert sum(agree(language, logic, 8) for language in small) >= 1


@pytest.mark.full
@pytest.mark.parametrize("logic", Logic)
def test_the_formulas_of_many_languages_are_their_automata_to_length_ten(logic: Logic) -> None:
    languages = [*map(compile_regex, TELLING), *(each for _, each in islice(many_languages(22), 300))]
    found = sum(agree(language, logic, 10 if len(language.alphabet) < 4 else 8) for language in languages)
    print(logic, found)
    assert found >= (10 if logic is Logic.Y else 60)


def test_levels_with_several_states_and_any_residues_give_a_formula_too() -> None:
    language = compile_regex("a*b*")
    certificate = decide_logic(language, Logic.P).certificate
    assert isinstance(certificate, RanksCertificate)
    other = RanksCertificate(
        language=language,
        fragment=Logic.P_Y_MOD,
        condition=Logic.P_MOD,
        levels=tuple(5 * level for level in certificate.levels),
        moduli=(),
        residues=(7,) * language.num_states,
        ranks=(),
    )
    found = extract_formula(other)
    for length in range(8):
        for word in product("ab", repeat=length):
            assert found.accepts(word) == (word in language)


def test_a_language_that_needs_since_has_a_formula_with_it() -> None:
    flip_flop = compile_regex("[012]*02*")
    assert not agree(flip_flop, Logic.P_Y_MOD, 6)
    assert agree(flip_flop, Logic.S, 6)
    certificate = decide_logic(flip_flop, Logic.S).certificate
    assert isinstance(certificate, AperiodicCertificate)
    assert extract_formula(certificate).logic is Logic.S


def needs_since(language: DFA) -> bool:
    """Return whether a language is in LTL[S] and in no smaller logic."""
    answers = {logic: decide_logic(language, logic).answer for logic in (Logic.P_Y, Logic.S)}
    return answers == {Logic.P_Y: Answer.NO, Logic.S: Answer.YES}


def test_formulas_of_random_languages_that_need_since_are_their_automata_to_length_ten() -> None:
    binary = (language for _, language in many_languages(24) if len(language.alphabet) == 2)
    assert sum(agree(language, Logic.S, 10) for language in islice(filter(needs_since, binary), 6)) >= 5


@pytest.mark.full
def test_formulas_of_a_thousand_random_languages_without_counters_are_their_automata_to_length_ten() -> None:
    assert sum(agree(language, Logic.S, 10) for _, language in islice(many_languages(25), 1_000)) >= 400


def test_a_wrong_formula_is_found_by_the_comparison() -> None:
    language = compile_regex("[012]*02*")
    certificate = decide_logic(language, Logic.S).certificate
    assert certificate is not None
    found = extract_formula(certificate)
    other = Formula(alphabet=found.alphabet, definitions=found.definitions, accept=Or((found.accept, Not(Past(TRUE)))))
    with pytest.raises(AssertionError):
        require_equal(other, language, 2)


@pytest.mark.parametrize(
    ("text", "alphabet"),
    [("()", "ab"), ("[ab]*", "ab"), ("a", "ab"), ("[ab]*b[ab]*", "ab"), ("a*", "a"), ("(a|bb*a)?c*", "abc")],
)
def test_small_languages_and_neutral_letters_have_a_formula_with_since(text: str, alphabet: str) -> None:
    language = compile_regex(text, alphabet=alphabet)
    require_equal(extract_since_formula(language), language, 7)


def test_a_no_has_no_formula() -> None:
    certificate = decide_logic(compile_regex("[012]*02*"), Logic.P).certificate
    assert isinstance(certificate, PumpingCertificate)
    with pytest.raises(InvalidOptionError) as caught:
        extract_formula(certificate)
    assert caught.value.message == "a formula can be taken from the certificate of a YES; this one is for a NO."


def test_a_formula_of_too_many_parts_is_refused() -> None:
    certificate = decide_logic(bounded_dyck(12), Logic.S).certificate
    assert certificate is not None
    with pytest.raises(CapExceededError, match="the formula has more than 20,000 parts, the cap"):
        extract_formula(certificate)
