"""What verdicts about tasks rest on: legal inputs whose answers the oracle confirms, and theorems whose conditions hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from typing import TypeVar

import pytest
from legal_prompts import LEGAL
from remembered_inputs import HALVES, WHOLE

from lengthwise.crasp.fragments import Fragment
from lengthwise.errors import InvalidOptionError
from lengthwise.languages.dfa import DFA
from lengthwise.predict.predict import predict_task
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.task import EOS, SEP, Objective, Task
from lengthwise.theory.certificates import ObstructionCertificate, ReductionCertificate
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.promises import AnswerAutomaton, PromiseCertificate, PromiseReductionCertificate
from lengthwise.theory.reductions import target_language
from lengthwise.theory.theorems import THEOREMS
from lengthwise.theory.verdict import Verdict

ENCODINGS = ("nope", "ape")
Kind = TypeVar("Kind")
CHECKED_THEOREMS = {
    "library_program": "the program is in the library, where its own tests compare it with an oracle",
    "finite_inputs": "test_where_inputs_are_finitely_many_there_is_a_longest_one",
    "ultimately_periodic": "test_the_first_digit_of_a_unary_input_is_no_ultimately_periodic_function",
    "communication": "test_so_many_inputs_must_be_told_apart",
}
"""The theorems that may stand without a certificate, and what checks their conditions."""

OF_ALL_WORDS = ("parity", "count_mod", "sum_mod", "mod_arith", "poly_eval", "even_pairs")
"""Tasks whose NO rests on a language."""

UNARY = {
    "count_symbol": lambda number: ["x"] * number,
    "argmax": lambda number: ["s0"] * (number - 1) + ["s1"],
}


@cache
def verdict_of(name: str, encoding: str) -> Verdict:
    return predict_task(find_task(name), encoding)


@cache
def citing(theorem: str) -> list[str]:
    return [name for name in TASKS if any(each.theorem == theorem for each in find_task(name).facts.cited)]


# Every answer can be checked


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_every_yes_and_no_has_a_certificate_or_a_theorem_whose_conditions_are_checked(name: str) -> None:
    for encoding in ENCODINGS:
        verdict = verdict_of(name, encoding)
        assert verdict.theorem in THEOREMS
        if verdict.answer is Answer.UNKNOWN:
            assert verdict.certificate is None
        elif verdict.certificate is None:
            assert verdict.theorem in CHECKED_THEOREMS
        else:
            check = check_certificate(json.loads(json.dumps(verdict.certificate.to_json())))
            assert (check.objection, check.answer) == (None, verdict.answer)
            assert Fragment(check.fragment or "").includes(verdict.fragment) or verdict.answer is Answer.YES


def test_few_questions_of_the_catalogue_are_open() -> None:
    opened = {name for name in TASKS if verdict_of(name, "nope").answer is Answer.UNKNOWN}
    assert opened == {"missing_duplicate", "mod_arith_brackets", "solve_equation", "hanoi"}
    assert opened == {name for name in TASKS if verdict_of(name, "ape").answer is Answer.UNKNOWN}


# Witnesses are legal, and the oracle tells them apart


def legal_texts(automaton: AnswerAutomaton, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the shortest texts with an answer, at most so many."""
    can_answer = {state for state, answer in enumerate(automaton.answers) if answer is not None}
    grown = True
    while grown:
        more = {state for state, row in enumerate(automaton.transitions) if can_answer & set(row)}
        grown = not more <= can_answer
        can_answer |= more
    texts: list[tuple[tuple[str, ...], int]] = [((), 0)]
    found = 0
    for text, state in texts:
        if automaton.answers[state] is not None:
            yield text
            found += 1
        if found == most or len(texts) > 60 * most:
            return
        for symbol, target in zip(automaton.alphabet, automaton.transitions[state], strict=True):
            if target in can_answer:
                texts.append(((*text, symbol), target))


def right_symbol(task: Task, text: Sequence[str]) -> str | None:
    """Return what the oracle writes after a text, or None if its prompt is not legal."""
    cut = text.index(SEP)
    prompt, written = list(text[:cut]), list(text[cut + 1 :])
    if task.name == "mqar_forgetting":  # keys that are asked for stand behind the separator, each before its value
        prompt, written = prompt + written * (len(prompt) // 2), []
    if not LEGAL[task.name](prompt):
        return None
    answer = [*task.answer(prompt), EOS]
    assert answer[: len(written)] == written
    return answer[len(written)]


def certificates(name: str, kind: type[Kind]) -> list[Kind]:
    """Return the certificates of this kind for a task."""
    found = (verdict_of(name, encoding).certificate for encoding in ENCODINGS)
    return [certificate for certificate in found if isinstance(certificate, kind)]


def test_the_table_of_legal_prompts_has_every_task_whose_no_names_inputs() -> None:
    kinds = (ObstructionCertificate, ReductionCertificate, PromiseCertificate, PromiseReductionCertificate)
    needed = {
        name
        for name in TASKS
        for encoding in ENCODINGS
        if find_task(name).objective is not Objective.NEXT_SYMBOLS  # whose prefixes are all legal, by the checker
        and isinstance(verdict_of(name, encoding).certificate, kinds)
    }
    assert needed == set(LEGAL)


@pytest.mark.parametrize("name", [name for name in LEGAL if name not in (*OF_ALL_WORDS, "word_problem_states")])
def test_automata_of_legal_inputs_say_what_the_oracle_says(name: str) -> None:
    task = find_task(name)
    checked = set()
    for fragment in Fragment:
        certificate = decide(task.facts, fragment).certificate
        if isinstance(certificate, PromiseCertificate | PromiseReductionCertificate):
            for text in legal_texts(certificate.automaton, 60):
                assert right_symbol(task, text) == certificate.automaton.answer(text), text
                checked.add(text)
    assert len(checked) > 20


def test_the_product_of_every_prefix_is_that_of_the_word_problem() -> None:
    states, words = (decide(find_task(name).facts, Fragment.PLAIN) for name in ("word_problem_states", "word_problem"))
    assert states.certificate == words.certificate


@pytest.mark.parametrize("name", LEGAL)
def test_witnesses_of_a_promise_are_legal_and_have_different_answers(name: str) -> None:
    task = find_task(name)
    for certificate in certificates(name, PromiseCertificate):
        one, two = (right_symbol(task, text) for text in certificate.witnesses)
        assert None not in (one, two)
        assert one != two


def closed_walk(language: DFA, start: int, inside: set[int]) -> tuple[str, ...]:
    """Return a shortest walk, not empty, from a state back to it, inside a component."""
    walks: list[tuple[tuple[str, ...], int]] = [((), start)]
    for walk, state in walks:
        if walk and state == start:
            return walk
        targets = zip(language.alphabet, language.transitions[state], strict=True)
        walks += [((*walk, symbol), target) for symbol, target in targets if target in inside]
    raise AssertionError("a component leads back to each of its states")


@pytest.mark.parametrize("name", LEGAL)
def test_witnesses_of_a_language_are_legal_once_a_loop_has_been_read(name: str) -> None:
    task = find_task(name)
    for certificate in certificates(name, ObstructionCertificate):
        loop = closed_walk(certificate.language, certificate.pairs[0].start, set(certificate.members))
        for times in (1, 2, 3):
            prompts = [
                [*certificate.enter, *loop * times, *walk, *certificate.suffix] for walk in certificate.pairs[0].walks
            ]
            assert all(LEGAL[name](prompt) for prompt in prompts)
            assert all(len(prompt) in task.lengths(len(prompt), len(prompt)) for prompt in prompts)
            assert task.answer(prompts[0]) != task.answer(prompts[1])


@pytest.mark.parametrize("name", LEGAL)
def test_reductions_of_a_language_use_legal_prompts(name: str) -> None:
    task = find_task(name)
    for certificate in certificates(name, ReductionCertificate):
        target, images, answers = target_language(certificate.target), dict(certificate.images), {}
        for length in range(1, 5):
            for word in product(target.alphabet, repeat=length):
                middle = [symbol for letter in word for symbol in images[letter]]
                prompt = [*certificate.prefix, *middle, *certificate.suffix]
                assert LEGAL[name](prompt)
                answers.setdefault(word in target, set()).add(tuple(task.answer(prompt)))
        assert not answers[True] & answers[False]


def test_flip_flop_no_longer_rests_on_prompts_that_ignore_before_they_write() -> None:
    verdict = verdict_of("flip_flop", "nope")
    assert isinstance(verdict.certificate, PromiseCertificate)
    assert not LEGAL["flip_flop"](["i", "0", "w", "1", "r"])
    assert [text[0] for text in verdict.certificate.witnesses] == ["w", "w"]


# Theorems without a certificate


@pytest.mark.parametrize("name", citing("finite_inputs"))
def test_where_inputs_are_finitely_many_there_is_a_longest_one(name: str) -> None:
    task = find_task(name)
    with pytest.raises(InvalidOptionError, match="is too long for"):
        task.lengths(0, 10**7)
    (cited,) = (each for each in task.facts.cited if each.theorem == "finite_inputs")
    if name == "parity_cot_aligned":  # its inputs have one size, whatever the alphabet
        assert cited.reason.startswith("There are only finitely many inputs, because all have 128 symbols.")
    else:
        assert cited.reason.startswith("There are only finitely many inputs, because ")
        assert "C*-RASP, arXiv 2603.19954" in cited.reason


@pytest.mark.parametrize("name", ["unique_copy(20)", "sort(20)", "count_cot(20)", "histogram(20)", "mqar(20)"])
def test_the_answer_for_a_fixed_alphabet_names_it(name: str) -> None:
    verdict = verdict_of(name, "nope")
    assert verdict.answer is Answer.YES
    assert " 20 " in verdict.reason or "to 20" in verdict.reason


@pytest.mark.parametrize("name", citing("ultimately_periodic"))
def test_the_first_digit_of_a_unary_input_is_no_ultimately_periodic_function(name: str) -> None:
    task = find_task(name)
    digits = [task.answer(UNARY[name](number))[0] for number in range(1, 1251)]
    assert digits == [str(number)[0] for number in range(1, 1251)]
    for period in range(1, 200):  # from 1000 on the digit is 1, so a period cannot start before
        assert any(digits[number] != digits[number + period] for number in range(900, 1000))
    assert predict_task(find_task(f"{name}(unary)"), "nope").answer is Answer.YES


@pytest.mark.parametrize("name", citing("communication"))
def test_so_many_inputs_must_be_told_apart(name: str) -> None:
    task = find_task(name)
    every = list(product((0, 1), repeat=6))
    if name in WHOLE:
        prompts = [WHOLE[name](bits) for bits in every]
        assert len({tuple(task.answer(prompt)) for prompt in prompts}) == len(every)
    elif name in HALVES:
        first, second = HALVES[name]
        pairs = [
            ([*first(one), *second(one, two)], [*first(two), *second(one, two)]) for one, two in combinations(every, 2)
        ]
        assert all(task.answer(one) != task.answer(two) for one, two in pairs)
        prompts = [prompt for pair in pairs for prompt in pair]
    else:
        assert name == "dyck"
        return
    (size,) = set(map(len, prompts))
    assert size in task.lengths(size, size)
    assert size <= 20 * 6 + 10  # 2^n inputs of linear length


def test_after_different_brackets_different_ones_close() -> None:
    task = find_task("dyck")
    for one, two in combinations(product("12", repeat=5), 2):
        last = max(place for place in range(5) if one[place] != two[place])
        closed = [f"){kind}" for kind in one[:last:-1]]
        after = [set(task.following([*(f"({kind}" for kind in word), *closed])) for word in (one, two)]  # type: ignore[attr-defined]
        assert after[0] != after[1]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "word_problem(U2)",
            "word_problem(T3)",
            "word_problem(Z6)",
            "word_problem(M011_120)",
            "mqar_word_problem(U2, 3)",
        ),
        *("mqar_word_problem(A5, 2)", "cycle_navigation(6)", "cycle_navigation(7)", "grid_1d(3)", "grid_2d(5)"),
        *("swap_tracking(3)", "variable_chain(2)", "mkar(1)", "mkar(4)", "icl_markov(2)", "icl_markov(3)"),
        *("sort_multidigit(3)", "sort_multidigit(5)", "bin_majority_interleave(2)", "bin_majority_interleave(6)"),
    ],
)
def test_other_parameters_have_certificates_that_the_oracle_confirms(name: str) -> None:
    task = find_task(name)
    certificate = decide(task.facts, Fragment.PLAIN).certificate
    assert isinstance(certificate, PromiseCertificate | PromiseReductionCertificate)
    assert check_certificate(json.loads(json.dumps(certificate.to_json()))).objection is None
    for text in legal_texts(certificate.automaton, 25):
        cut = text.index(SEP)
        assert [*text[cut + 1 :], certificate.automaton.answer(text)] == task.answer(text[:cut])[: len(text) - cut]
