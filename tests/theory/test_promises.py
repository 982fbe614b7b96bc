"""Promise problems: the decision about legal inputs, its certificates, and what the checker refuses."""

from __future__ import annotations

import ast
import copy
import inspect
import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lengthwise.languages.components import strong_components
from lengthwise.theory import promise_checker
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.cycles import refine_by_cycles
from lengthwise.theory.graph import Graph
from lengthwise.theory.promise_search import find_promise, separating_text
from lengthwise.theory.promises import AnswerAutomaton, PromiseReductionCertificate, State, answer_automaton

Json = dict[str, Any]
END = "#"


def even_or_odd() -> AnswerAutomaton:
    """Return the parity of the as in any word over a and b."""

    def step(state: State, symbol: str) -> State:
        parity, is_done = state
        return None if is_done else ((parity + (symbol == "a")) % 2, symbol == END)

    return answer_automaton(("a", "b", END), (0, False), step, lambda state: "eo"[state[0]] if state[1] else None)


def last_letter(*, in_turn: bool) -> AnswerAutomaton:
    """Return which letter came last; in words where a and b take turns, or in any word."""

    def step(state: State, symbol: str) -> State:
        last, is_done = state
        if is_done or symbol == END:
            return None if is_done or not last else (last, True)
        return None if in_turn and symbol == (last or "b") else (symbol, False)

    return answer_automaton(("a", "b", END), ("", False), step, lambda state: state[0] if state[1] else None)


def random_automaton(random: Random) -> AnswerAutomaton:
    """Return a random partial automaton over a, b whose states have random answers behind the end, or none."""
    number = random.randint(2, 5)
    rows = [[random.randrange(number) if random.random() < 0.75 else number for _ in "ab"] for _ in range(number)]
    said = [random.choice((number, number + 1, number + 2)) for _ in range(number)]
    transitions = [(*row, after) for row, after in zip(rows, said, strict=True)] + [(number,) * 3] * 3
    return AnswerAutomaton(
        alphabet=("a", "b", END), transitions=tuple(transitions), answers=(*[None] * (number + 1), "x", "y")
    )


def as_json(certificate: Any) -> Json:
    data: Json = json.loads(json.dumps(certificate.to_json()))
    return data


def is_stuck_by_definition(automaton: AnswerAutomaton) -> bool:
    """Decide by the definition: refine along all cycles of legal prefixes, then look for a separating text."""
    dead = {state for state in range(len(automaton.answers)) if set(automaton.transitions[state]) == {state}}
    graph = Graph(
        window=0,
        period=1,
        edges=automaton.transitions,
        vertices=[(state, (), 0) for state in range(len(automaton.answers))],
        visible=[0] * len(automaton.answers),
    )
    reached = [0]
    for state in reached:
        reached += sorted(set(automaton.transitions[state]) - set(reached))
    for component in strong_components(automaton.transitions):
        if len(component) > 1 and component[0] in reached and not set(component) <= dead:
            block_of = dict(zip(component, refine_by_cycles(graph, component), strict=True))
            for one, two in product(component, repeat=2):
                if block_of[one] == block_of[two] and separating_text(automaton, one, two) is not None:
                    return True
    return False


def test_a_promise_can_put_a_problem_into_the_class() -> None:
    found = find_promise(last_letter(in_turn=False))
    assert found is not None
    assert check_certificate(as_json(found)).accepted
    assert find_promise(last_letter(in_turn=True)) is None  # there #[a] − #[b] is 1 behind an a and 0 behind a b


def test_the_decision_is_the_definition_on_random_automata() -> None:
    random, answers = Random(5), []
    for _ in range(400):
        automaton = random_automaton(random)
        found = find_promise(automaton)
        assert (found is not None) == is_stuck_by_definition(automaton)
        answers.append(found is not None)
        if found is not None:
            assert check_certificate(as_json(found)).objection is None
            one, two = map(automaton.answer, found.witnesses)
            assert None not in (one, two)
            assert one != two
    assert 20 < sum(answers) < 360


def edits(random: Random, data: Json) -> Json:
    """Return a copy in which one number, word or entry of the proof has changed."""
    data = copy.deepcopy(data)
    field = random.choice(
        [
            each
            for each in ("members", "blocks", "pairs", "enter", "suffix", "answers")
            if each in data or each == "answers"
        ]
    )
    if field == "answers":
        answers = data["automaton"]["answers"]
        answers[random.randrange(len(answers))] = random.choice((None, "x", "y"))
    elif field in ("enter", "suffix"):
        word = list(data[field])
        place = random.randrange(len(word) + 1)
        word[place : place + random.randrange(2)] = random.choices(data["automaton"]["alphabet"], k=random.randrange(2))
        data[field] = word
    elif field == "pairs":
        pair = random.choice(data["pairs"])
        key = random.choice([each for each in pair if each != "kind"])
        pair[key] = (
            pair[key] + 1 if type(pair[key]) is int else [*pair[key], random.choice(data["automaton"]["alphabet"])]
        )
    else:
        part = random.choice(data[field]) if field == "blocks" else data[field]
        if random.random() < 0.5 and part:
            part.pop(random.randrange(len(part)))
        else:
            part.append(random.randrange(len(data["automaton"]["transitions"])))
    return data


def test_edited_certificates_are_refused_unless_what_they_say_is_true() -> None:
    random, num_refused = Random(7), 0
    for _ in range(150):
        automaton = random_automaton(random)
        found = find_promise(automaton)
        if found is None:
            continue
        for _ in range(10):
            data = edits(random, as_json(found))
            if not check_certificate(data).accepted:
                num_refused += 1
                continue
            stated = data["automaton"]
            changed = AnswerAutomaton(
                alphabet=automaton.alphabet,
                transitions=tuple(map(tuple, stated["transitions"])),
                answers=tuple(stated["answers"]),
            )
            assert is_stuck_by_definition(changed)
    assert num_refused > 150


def test_a_certificate_does_not_hold_for_another_automaton() -> None:
    random, num_tried = Random(11), 0
    while num_tried < 40:
        one, two = random_automaton(random), random_automaton(random)
        found = find_promise(one)
        if found is None or len(one.answers) != len(two.answers) or is_stuck_by_definition(two):
            continue
        num_tried += 1
        assert not check_certificate(as_json(found) | {"automaton": two.to_json()}).accepted


REDUCTION = PromiseReductionCertificate(
    automaton=even_or_odd(),
    target="PARITY",
    images=(("a", ("a",)), ("b", ("b",))),
    prefix=(),
    suffix=(END,),
    says="e",
)


def test_a_reduction_through_legal_inputs_is_accepted() -> None:
    assert check_certificate(as_json(REDUCTION)).accepted
    assert REDUCTION.text("ab") == ("a", "b", END)


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"says": "o"}, "the reduction does not give PARITY"),
        ({"suffix": []}, "the two texts need a last symbol in common"),
        ({"target": "MOD(3; 0)"}, "the reduction does not give MOD(3; 0)"),
        ({"target": "{a,b}*ab"}, "no theorem speaks of '{a,b}*ab'"),
        ({"images": {"a": ["a"], "b": ["b", "b"]}}, "the symbols are not read as words of one length"),
        ({"images": {"a": ["a"]}}, "the reduction does not say what every symbol is read as"),
        ({"prefix": [END]}, "the reduction uses a text that is not legal"),
        ({"answer": "YES"}, "this kind of certificate proves NO, not 'YES'"),
        ({"asked": "MEMBERSHIP"}, "this kind of certificate is not about 'MEMBERSHIP'"),
        ({"readout": "NOWHERE"}, "nothing is read at 'NOWHERE'"),
        ({"fragment": "EVERYTHING"}, "there is no such fragment"),
    ],
)
def test_a_reduction_that_breaks_a_rule_is_refused(change: Json, objection: str) -> None:
    assert check_certificate(as_json(REDUCTION) | change).objection == objection


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"fragment": "LOCAL"}, "this certificate proves nothing about 'LOCAL'"),
        ({"members": [0]}, "the component needs at least two different states"),
        ({"members": [0, 99]}, "a member is not a state"),
        ({"pairs": []}, "there is no pair of walks"),
        ({"suffix": []}, "the two texts need a last symbol in common"),
        ({"suffix": ["a"]}, "one of the two texts is not legal"),
        ({"suffix": [END, END]}, "one of the two texts is not legal"),
        ({"blocks": [[0]]}, "the blocks do not divide the component"),
        ({"blocks": [[0], [1]]}, "the loops do not differ by the stated number of paths"),
        ({"enter": ["a"]}, "the first word does not lead to the start of the first pair"),
        ({"members": [0, 2], "blocks": [[0, 2]]}, "the component is not strongly connected"),
        ({"pairs": [{"kind": "paths", "start": 0, "first": [], "second": []}]}, "the pairs do not generate the blocks"),
    ],
)
def test_walks_that_break_a_rule_are_refused(change: Json, objection: str) -> None:
    found = find_promise(even_or_odd())
    assert found is not None
    assert check_certificate(as_json(found) | change).objection == objection


def test_answers_must_be_symbols_and_one_for_every_state() -> None:
    for answers, objection in (
        (["e"], "the answers are not one for every state"),
        ([1] * len(REDUCTION.automaton.answers), "an answer is neither a symbol nor missing"),
    ):
        data = as_json(REDUCTION)
        data["automaton"]["answers"] = answers
        assert check_certificate(data).objection == objection


def test_texts_with_one_answer_prove_nothing() -> None:
    found = find_promise(even_or_odd())
    assert found is not None
    data = as_json(found)
    answers = data["automaton"]["answers"]
    data["automaton"]["answers"] = [None if each is None else "e" for each in answers]
    assert check_certificate(data).objection == "the two texts have the same answer"


def test_every_objection_of_the_promise_checker_is_provoked_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    for call in ast.walk(ast.parse(inspect.getsource(promise_checker))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "require":
            text = call.args[1]
            pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
            (fixed, *_) = [piece.value for piece in pieces if isinstance(piece, ast.Constant)]
            assert str(fixed) in here


def test_a_certificate_about_answers_says_nothing_about_a_language() -> None:
    from lengthwise.languages.regex import compile_regex

    check = check_certificate(as_json(REDUCTION), compile_regex("a*"))
    assert check.objection == "this kind is about answers to some inputs, not about a language"
