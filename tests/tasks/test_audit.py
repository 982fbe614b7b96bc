"""The audit: every rule against its machine, exact match by hand, proofs on all words, storage."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest
from theory_generators import random_languages

from lengthwise.arrays import numpy_arrays
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.audit.inherent import is_inherent, state_answers
from lengthwise.tasks.audit.prefixes import Prefixes, read_questions, seen_symbols
from lengthwise.tasks.audit.results import Audit
from lengthwise.tasks.audit.rules import Rule, rules_for
from lengthwise.tasks.audit.shortcuts import audit_shortcuts
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange, length_bins
from lengthwise.tasks.core.task import IGNORE, Objective
from lengthwise.tasks.languages.acceptance import Accepts

BINS = length_bins(8, 24)


def by_machine(rule: Rule, word: list[int]) -> object:
    memory = rule.start
    for symbol in word:
        memory = rule.step(memory, symbol)
    return rule.read(memory)


def all_rules() -> list[tuple[str, Rule]]:
    return [(alphabet, rule) for alphabet in ("ab", "abc", "abcdefgh") for rule in rules_for(alphabet)]


@pytest.mark.parametrize(("alphabet", "rule"), all_rules(), ids=lambda each: getattr(each, "name", each))
def test_keys_are_equal_exactly_where_the_machine_reads_the_same(alphabet: str, rule: Rule) -> None:
    random = Random(rule.name)
    words = [[random.choice([*range(len(alphabet)), -2]) for _ in range(9)] for _ in range(40)]
    words += [[random.randrange(2) for _ in range(9)] for _ in range(40)]
    prefixes = [(row, end) for row in range(len(words)) for end in range(10)]
    rows, ends = np.array(prefixes).T
    seen = Prefixes(alphabet=tuple(alphabet), symbols_BN=np.array(words), row_P=rows, seen_P=ends)
    keys = rule.key(seen).tolist()
    read = [by_machine(rule, words[row][:end]) for row, end in prefixes]
    assert len(set(zip(keys, read, strict=True))) == len(set(keys)) == len(set(read))


COUNTED: dict[str, Callable[[str], object]] = {
    "length modulo 3": lambda word: len(word) % 3,
    "last 2 symbols": lambda word: word[-2:],
    "first 3 symbols": lambda word: word[:3],
    "first and last symbol": lambda word: word[:1] + word[-1:],
    "set of symbols": lambda word: frozenset(word),
    "all counts modulo 2": lambda word: (word.count("a") % 2, word.count("b") % 2, word.count("c") % 2),
    "number of a against number of b": lambda word: np.sign(word.count("a") - word.count("b")),
    "number of c against half the length": lambda word: np.sign(2 * word.count("c") - len(word)),
    "position of the first b, up to 4": lambda word: min(word.find("b"), 4),
    "set of pairs of neighbours": lambda word: frozenset(map("".join, pairwise(word))),
    "number of runs modulo 2": lambda word: sum(a != b for a, b in zip("." + word, word, strict=False)) % 2,
    "longest run, up to 4": lambda word: max((n for n in range(5) for s in "abc" if s * n in word), default=0),
    "which symbols occur once, and which more often": lambda word: tuple(min(word.count(s), 2) for s in "abc"),
}


def test_machines_read_what_their_names_say() -> None:
    rules = {rule.name: rule for rule in rules_for("abc")}
    words = ["".join(word) for length in range(6) for word in product("abc", repeat=length)]
    for name, obvious in COUNTED.items():
        pairs = {(by_machine(rules[name], ["abc".index(s) for s in word]), obvious(word)) for word in words}
        assert len(pairs) == len({read for read, _ in pairs}) == len({said for _, said in pairs}), name


@pytest.mark.parametrize("name", ["accepts(D_2)", "D_3", "states(PARITY)", "sort", "parity", "addition", "scan"])
def test_questions_are_those_of_the_oracle(name: str) -> None:
    task, xp = find_task(name), numpy_arrays()
    lengths = xp.asarray([task.lengths(0, 12)[-1], *task.lengths(0, 9)[-2:]])
    batch = task.sample(open_stream(DATA, seed=1), lengths, int(lengths.max()), xp)
    alphabet = seen_symbols(task, batch)
    asked = read_questions(task, batch, alphabet)
    seen = asked.prefixes
    for number in range(len(lengths)):
        targets = batch.targets_MBL[number].tolist()
        prompt, _ = task.read_back(batch.tokens_MBL[number].tolist(), targets)
        own = np.flatnonzero(asked.instance_Q == number)
        assert asked.target_Q[own].tolist() == [target for target in targets if target != IGNORE]
        shown = [
            [alphabet[symbol] for symbol in seen.symbols_BN[seen.row_P[prefix], : seen.seen_P[prefix]].tolist()]
            for prefix in asked.prefix_Q[own]
        ]
        if task.objective is Objective.ANSWER:
            assert shown == [prompt] * len(own)
        else:
            assert shown == [prompt[:end] for end in range(len(prompt) + 1)]


def test_a_rule_gives_the_most_frequent_answer_of_its_key_and_is_scored_on_whole_instances() -> None:
    """The last symbol decides half of the sums modulo 5, say; everything is counted again by hand."""
    task, xp = find_task("accepts(TOMITA_4)"), numpy_arrays()
    audit = audit_shortcuts(task, BINS, train_examples=200, examples=100)

    def instances(draw: Any, low: int, high: int, number: int) -> list[tuple[str, str]]:
        lengths = task.lengths(low, high)
        chosen = xp.asarray(lengths)[draw.named("length").integers(len(lengths), (number,))]
        batch = task.sample(draw.named("instance"), chosen, max(lengths), xp)
        rows = zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True)
        return [("".join(prompt), answer[0]) for prompt, answer in (task.read_back(*row) for row in rows)]

    train = instances(open_stream(DATA, seed=0).named("audit"), 0, 8, 200)
    test = instances(open_stream("evaluation", seed=0).named("audit").at(2), 17, 24, 100)
    overall = Counter(answer for _, answer in train).most_common(1)[0][0]
    votes: dict[str, Counter[str]] = {}
    for prompt, answer in train:
        votes.setdefault(prompt[-2:], Counter())[answer] += 1
    right = sum(votes[p[-2:]].most_common(1)[0][0] == a if p[-2:] in votes else overall == a for p, a in test)
    found = {rule.name: rule.shares[2] for rule in audit.shortcuts}
    assert found["last 2 symbols"] == right / 100
    always = audit.chance.name.removeprefix("always ")
    answers = Counter(answer for _, answer in train)
    assert answers[always] == answers[overall], "the most frequent answer, or one of two"
    assert audit.chance.shares[2] == sum(answer == always for _, answer in test) / 100


def test_as_many_a_as_b_solves_no_question_about_brackets() -> None:
    audit = audit_shortcuts(find_task("accepts(D_2)"), BINS)
    shares = {rule.name: rule.shares for rule in audit.shortcuts}["number of a against number of b"]
    assert all(share is not None and abs(share - 0.5) < 0.08 for share in shares)


def test_rules_that_are_the_solution_are_called_inherent() -> None:
    def inherent(name: str) -> set[str]:
        return {rule.name for rule in audit_shortcuts(find_task(name), BINS).shortcuts if rule.inherent}

    assert inherent("accepts({a,b}*b)") == {"first and last symbol", "last symbol", "last 2 symbols", "last 3 symbols"}
    assert inherent("parity") == {"all counts modulo 2", "number of 1 modulo 2"}
    assert inherent("accepts((ab)*)") == set()
    assert "last symbol" in inherent("D_1")
    assert inherent("majority") == {"most frequent symbol"}, "the task says so: it is not about a regular language"
    assert inherent("bin_majority") == {
        "most frequent symbol",
        "number of 0 against number of 1",
        "number of 0 against half the length",
        "number of 1 against half the length",
    }
    assert "most frequent symbol" in {
        rule.name
        for rule in audit_shortcuts(find_task("bin_majority").hard_sets()["boundary"], BINS).shortcuts
        if rule.inherent
    }, "hard instances ask the same"


def all_words(symbols: str, length: int) -> list[tuple[str, ...]]:
    return [word for number in range(length + 1) for word in product(symbols, repeat=number)]


def has_one_best(word: tuple[str, ...]) -> bool:
    first, second, *_ = [*sorted(Counter(word).values(), reverse=True), 0, 0]
    return first > second


def is_balanced_so_far(word: tuple[str, ...]) -> bool:
    return all(word[:end].count("(") >= word[:end].count(")") for end in range(len(word) + 1))


ALL_PROMPTS: dict[str, Callable[[], list[tuple[str, ...]]]] = {
    "bin_majority": lambda: list(filter(has_one_best, all_words("01", 10))),
    "majority": lambda: list(filter(has_one_best, all_words("abz", 7))),
    "mode": lambda: all_words("abcde", 5)[1:],
    "dyck_1": lambda: list(filter(is_balanced_so_far, all_words("()", 12))),
    "missing_duplicate": lambda: [
        (*(word * 2)[:blank], "_", *(word * 2)[blank + 1 :])
        for word in all_words("ab", 6)
        for blank in range(2 * len(word))
    ],
}


@pytest.mark.parametrize("name", [name for name in TASKS if find_task(name).decided_by])
def test_rules_that_a_task_names_decide_all_short_inputs(name: str) -> None:
    task = find_task(name)
    rules = {rule.name: rule for rule in rules_for(task.symbols)}
    for chosen in task.decided_by:
        found: dict[object, object] = {}
        for prompt in ALL_PROMPTS[name]():
            read = by_machine(rules[chosen], [task.symbols.index(symbol) for symbol in prompt])
            answer = task.answer(prompt)[-1:] if task.objective is Objective.ANSWER else task.following(prompt)  # type: ignore[attr-defined]
            assert found.setdefault(read, answer) == answer, (chosen, prompt)


TOO_SHORT_TO_FAIL = {"icl_majority"}
"""Tasks on which a rule is right on all that was drawn, though not on every input: a letter can be more frequent than a label."""


def test_no_rule_that_is_always_right_is_called_a_shortcut() -> None:
    for name in TASKS:
        task = find_task(name)
        shortest = max(8, task.min_length)
        audit = audit_shortcuts(task, length_bins(shortest, 3 * shortest), train_examples=500, examples=100)
        best = audit.best(2)
        assert best.inherent or set(best.shares) != {1.0} or name in TOO_SHORT_TO_FAIL, (name, best)


def test_proofs_agree_with_all_words_up_to_a_length() -> None:
    """A rule that is called the solution never contradicts itself; one that is not does so, but for long words."""
    proved = missed = 0
    for language in random_languages(5, 40):
        if not 0 < len(language.accepting) < language.num_states:
            continue
        asked = state_answers(Accepts(language, "random"))
        assert asked is not None
        symbols = range(len(language.alphabet))
        words = [word for length in range(8 if len(symbols) == 2 else 6) for word in product(symbols, repeat=length)]
        for rule in rules_for(language.alphabet):
            found: dict[object, bool] = {}
            answers = [(by_machine(rule, list(word)), language.decode(word) in language) for word in words]
            is_function = all(found.setdefault(read, answer) == answer for read, answer in answers)
            if is_inherent(rule, language.alphabet, asked):
                assert is_function, (language, rule.name)
                proved += 1
            else:
                missed += is_function
    assert proved > 50
    assert missed < proved / 2


@pytest.mark.parametrize("name", ["accepts(D_2)", "D_3", "states(PARITY)", "sort", "flip_flop"])
def test_an_audit_is_a_function_of_its_seed_and_survives_storage(name: str) -> None:
    audit = audit_shortcuts(find_task(name), BINS, train_examples=100, examples=50)
    assert audit == audit_shortcuts(find_task(name), BINS, train_examples=100, examples=50)
    assert Audit.from_json(json.loads(json.dumps(audit.to_json()))) == audit
    assert audit.best(2).shares[2] == max(rule.shares[2] or 0 for rule in (audit.chance, *audit.shortcuts))


def test_a_bin_without_instances_has_no_shares() -> None:
    bins = (LengthRange(low=0, high=8), LengthRange(low=9, high=9), LengthRange(low=10, high=10))
    audit = audit_shortcuts(find_task("D_2"), bins, train_examples=100, examples=50)
    assert audit.examples == (50, 0, 50)
    assert {rule.shares[1] for rule in (audit.chance, *audit.shortcuts)} == {None}
    assert Audit.from_json(audit.to_json()) == audit
    with pytest.raises(InvalidOptionError, match="has no instance of lengths 9, so no rule can be fitted"):
        audit_shortcuts(find_task("D_2"), bins[1:])


def changes() -> list[tuple[str, Any]]:
    return [
        ("bins", [[0, 8], [9, 16], [17]]),
        ("bins", [[0, 8], [9, 16], [24, 17]]),
        ("bins", [[0, 8], [9, 16], [True, 24]]),
        ("bins", []),
        ("examples", [50, 50]),
        ("examples", [50, 50, -1]),
        ("examples", [50, 50, 0]),
        ("examples", [50, 50, 1.0]),
        ("chance", None),
        ("chance", {"name": "", "shares": [1, 1, 1], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, 1.5], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, float("nan")], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, "1"], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, True], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, None], "inherent": False}),
        ("chance", {"name": "x", "shares": [1, 1, 1], "inherent": 0}),
        ("chance", {"name": "x", "shares": [1, 1, 1]}),
        ("shortcuts", {}),
        ("shortcuts", [3]),
        ("further", 1),
    ]


@pytest.mark.parametrize(("key", "value"), changes(), ids=str)
def test_malformed_data_is_refused(key: str, value: object) -> None:
    data = audit_shortcuts(find_task("parity"), BINS, train_examples=50, examples=50).to_json()
    Audit.from_json(data)
    with pytest.raises(ValueError, match=r"must|not have|there are"):
        Audit.from_json({**data, key: value})


def test_predicting_does_not_load_the_audit() -> None:
    program = (
        "import sys; from lengthwise.cli.main import main; main(['predict', '(ab)*']); "
        "sys.exit(any('audit' in name or name == 'numpy' for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
