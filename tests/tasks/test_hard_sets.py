"""Hard sets: their instances are instances of their task, hard in the way they say, scored, stored and reported."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from itertools import chain, combinations, product
from pathlib import Path

import made_results
import numpy as np
import pytest
import spec_files
import torch
from made_results import scores_of
from spec_files import dump_spec, parse_spec
from stack_steps import train_all

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.cli.main import main
from lengthwise.crasp.fragments import Fragment
from lengthwise.errors import InvalidOptionError, InvalidSpecError, LengthwiseError, UnknownNameError
from lengthwise.experiment.plan import Run, make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.next_symbols import live_states
from lengthwise.languages.regex import compile_regex
from lengthwise.model.shape import Shape
from lengthwise.predict.predict import predict_task
from lengthwise.report.intervals import Interval
from lengthwise.report.results import brief_report, hard_table
from lengthwise.report.results_data import to_json
from lengthwise.report.results_page import results_page
from lengthwise.report.statistics import summarize
from lengthwise.seeds import EVALUATION, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.task import EOS, IGNORE, Objective, Task
from lengthwise.tasks.hard.apply import KINDS, hard_sets
from lengthwise.tasks.hard.near import border
from lengthwise.tasks.hard.powers import roots
from lengthwise.tasks.hard.pumped import pumped_pairs, refusals
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.facts import Facts
from lengthwise.train.groups import make_training_runs
from lengthwise.train.loop import Trained
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

BOUNDARY = (
    *(
        "bin_majority",
        "bin_majority_interleave",
        "majority",
        "parity",
        "count_mod",
        "count_symbol",
        "count_symbol(unary)",
    ),
    *("mode", "most_freq", "compare", "dyck_1", "anbn", "anbncn", "anbncndn"),
)
REPEATS = ("repeat_copy", "reverse", "palindrome", "marked_reversal", "induction")
ABOUT_LANGUAGES = (
    "parity",
    "even_pairs",
    *(f"accepts({name})" for name in ("TOMITA_4", "TOMITA_6", "(aa)*", "D_2", "[abc]*ab")),
    *("TOMITA_4", "TOMITA_5", "(aa)*", "PARITY"),
    *("states(TOMITA_3)", "states((abab)*)"),
)


def prompts_of(task: Task, number: int = 80, *, low: int = 0, high: int = 21) -> list[list[str]]:
    """Return the prompts of random instances of all lengths in turn."""
    lengths = task.lengths(low, high)
    xp = numpy_arrays()
    chosen = np.resize(np.asarray(lengths, dtype=np.int64), number)
    batch = task.sample(open_stream(EVALUATION, seed=3, xp=xp), chosen, high, xp)
    return [
        list(task.read_back(tokens[:size].tolist(), targets[:size].tolist())[0])
        for tokens, targets, size in zip(batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, strict=True)
    ]


# Instances of the task


def check_samples(task: Task, number: int) -> None:
    """Compare random instances with the oracle of the task, and NumPy with torch."""
    lengths = task.lengths(0, 30)
    parts = []
    for xp in (numpy_arrays(), torch_arrays()):
        draw = open_stream(EVALUATION, seed=[0, 7], xp=xp)
        chosen = xp.asarray(list(lengths))[draw.named("length").integers(len(lengths), (number,))]
        batch = task.sample(draw.named("instance"), chosen, max(lengths), xp)
        parts.append(
            [np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB)]
        )
        assert np.array_equal(batch.scale_MB, chosen)
    for one, two in zip(*parts, strict=True):
        assert one.dtype == two.dtype == np.int64
        assert np.array_equal(one, two)
    tokens, targets, sizes, scale = parts[0]
    for place in np.ndindex(tokens.shape[:2]):
        size, length = int(sizes[place]), int(scale[place])
        assert size <= task.size(length)
        prompt, said = task.read_back(tokens[place][:size].tolist(), targets[place][:size].tolist())
        if task.objective is Objective.ANSWER and said[-1] == EOS:
            said = said[:-1]
        assert len(prompt) == length
        assert said == task.answer(prompt), prompt
        assert set(np.flatnonzero(targets[place] != IGNORE).tolist()) <= set(task.scored(length))


@pytest.mark.parametrize("name", [*BOUNDARY, *REPEATS, *ABOUT_LANGUAGES])
def test_labels_are_those_of_the_tasks_oracle_and_equal_on_every_library(name: str) -> None:
    found = hard_sets(find_task(name))
    assert found
    for task in found.values():
        check_samples(task, 25)


@pytest.mark.full
@pytest.mark.parametrize("name", [*TASKS, *LANGUAGES, *(f"accepts({name})" for name in LANGUAGES)])
def test_all_hard_sets_there_are_agree_with_the_oracle(name: str) -> None:
    for task in hard_sets(find_task(name)).values():
        check_samples(task, 300)


@pytest.mark.parametrize("name", [*BOUNDARY, *REPEATS, *ABOUT_LANGUAGES])
def test_a_hard_set_has_the_tokens_sizes_and_places_of_its_task(name: str) -> None:
    base = find_task(name)
    for kind, task in hard_sets(base).items():
        assert task.name == f"hard({base.name}, {kind})"
        assert type(find_task(task.name)) is type(task)
        assert find_task(task.name).name == task.name
        assert (task.vocabulary, task.objective, task.num_outputs) == (
            base.vocabulary,
            base.objective,
            base.num_outputs,
        )
        assert task.revision == base.revision
        assert not hard_sets(task)
        for length in task.lengths(0, 24):
            assert (task.size(length), task.scored(length)) == (base.size(length), base.scored(length))
        for prompt in prompts_of(task, 20):
            assert task.answer(prompt) == base.answer(prompt)


def test_hard_sets_are_of_the_kinds_that_make_sense() -> None:
    kinds = {name: list(hard_sets(find_task(name))) for name in (*BOUNDARY, *REPEATS)}
    for name in BOUNDARY:
        is_regular = name.split("(")[0] in ("parity", "count_mod", "sum_mod")
        assert kinds[name] == (["boundary", "pumped", "powers"] if is_regular else ["boundary"])
    for name in REPEATS:
        assert kinds[name] == ["repeats"]
    assert list(hard_sets(find_task("accepts(TOMITA_4)"))) == ["pumped", "powers", "near"]
    assert list(hard_sets(find_task("accepts(D_2)"))) == ["powers", "near"]  # programs exist: nothing to pump
    assert list(hard_sets(find_task("TOMITA_4"))) == ["pumped", "powers"]
    assert list(hard_sets(find_task("unique_copy"))) == []
    assert list(KINDS) == ["boundary", "repeats", "pumped", "powers", "near"]


def test_of_a_hard_set_only_what_is_possible_is_predicted() -> None:
    assert predict_task(find_task("parity"), "nope").answer is Answer.NO
    assert predict_task(find_task("hard(parity, boundary)"), "nope").answer is Answer.UNKNOWN  # all 0s but one is easy
    assert predict_task(find_task("hard(bin_majority, boundary)"), "nope").answer is Answer.YES


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (
            "hard(parity)",
            InvalidOptionError,
            "hard takes a task and a kind of hard instances; found 'parity'.\nhint: for example hard(parity, boundary).",
        ),
        (
            "hard(parity, bondary)",
            UnknownNameError,
            "kind 'bondary' is unknown. Known: boundary, repeats, pumped, powers, near.\nhint: did you mean 'boundary'?",
        ),
        (
            "hard(parity, near)",
            InvalidOptionError,
            "'parity' has no hard instances of the kind 'near'. It has: boundary, pumped, powers.\n"
            "hint: for example hard(parity, boundary).",
        ),
        (
            "hard(sort, near)",
            InvalidOptionError,
            "'sort' has no hard instances of the kind 'near'. It has: none.\nhint: choose another task.",
        ),
    ],
)
def test_a_hard_set_that_is_not_there_is_refused_with_what_there_is(
    name: str, error: type[LengthwiseError], message: str
) -> None:
    with pytest.raises(error) as caught:
        find_task(name)
    assert str(caught.value) == message


def test_a_comma_within_an_expression_separates_nothing() -> None:
    assert find_task("hard(accepts(a{1,2}), near)").name == "hard(accepts(a{1,2}), near)"
    assert find_task("hard(a{1,2}b, powers)").name == "hard(a{1,2}b, powers)"


# Boundary


def test_close_majorities_are_by_one_or_at_even_lengths_by_two() -> None:
    for prompt in prompts_of(find_task("hard(bin_majority, boundary)")):
        assert abs(prompt.count("0") - prompt.count("1")) == 2 - len(prompt) % 2
    for prompt in prompts_of(find_task("hard(bin_majority_interleave(4), boundary)")):
        for stream in (prompt[start::4] for start in range(4)):
            assert abs(stream.count("0") - stream.count("1")) == 2 - len(stream) % 2


def test_the_most_frequent_letter_is_ahead_by_one() -> None:
    task = find_task("hard(majority, boundary)")
    assert task.lengths(0, 5) == (1, 3, 4, 5)
    numbers = set()
    for prompt in prompts_of(task, 300, low=3):
        counts = [count for _, count in Counter(prompt).most_common()]
        assert counts[0] - counts[1] == 1
        numbers.add(counts.count(counts[1]))
    assert {1, 2, 5} <= numbers
    for name in ("mode", "most_freq"):
        for prompt in prompts_of(find_task(f"hard({name}, boundary)"), low=2):
            counts = list(Counter(prompt).values())
            assert len(counts) > 1
            assert max(counts) - min(counts) <= 1


def test_bits_are_all_alike_up_to_one() -> None:
    words = prompts_of(find_task("hard(parity, boundary)"), 400)
    ones = {(min(prompt.count("1"), len(prompt) - prompt.count("1"))) for prompt in words}
    assert ones == {0, 1}
    assert {tuple(prompt) for prompt in words if len(prompt) == 2} == set(product("01", repeat=2))


def test_counts_are_near_multiples_and_round_numbers() -> None:
    remainders = {prompt.count("x") % 5 for prompt in prompts_of(find_task("hard(count_mod, boundary)"), 200, low=6)}
    assert remainders == {4, 0, 1}
    for prompt in prompts_of(find_task("hard(count_symbol, boundary)")):
        assert prompt.count("x") in {0, 1, 9, 10, len(prompt) - 1, len(prompt)}
        assert prompt.count("x") >= 0


def test_numbers_to_compare_are_equal_or_differ_by_one_or_in_the_last_digit() -> None:
    kinds: Counter[str] = Counter()
    for prompt in prompts_of(find_task("hard(compare, boundary)"), 300):
        one, two = "".join(prompt[:-1]).split(",")
        distance = abs(int(one) - int(two))
        assert distance in (0, 1) or (one[:-1] == two[:-1] and distance < 10)
        kinds["equal" if not distance else "last digit" if one[:-1] == two[:-1] else "carry"] += 1
    assert min(kinds[kind] for kind in ("equal", "last digit", "carry")) > 20


def test_brackets_rise_once_and_then_stay_near_the_ground() -> None:
    heights = set()
    for prompt in prompts_of(find_task("hard(dyck_1, boundary)"), 100):
        word = "".join(prompt)
        tower = len(word) - len(word.lstrip("("))
        depth = low = 0
        for symbol in word[2 * tower :]:
            depth += 1 if symbol == "(" else -1
            low = max(low, depth)
        assert low <= 2
        heights.add(tower)
    assert len(heights) > 5


def test_blocks_are_complete_or_one_of_each_letter_short() -> None:
    for name, letters in (("anbn", "ab"), ("anbncn", "abc")):
        task = find_task(f"hard({name}, boundary)")
        surplus = {
            prompt.count("a") - len(prompt) // len(letters)
            for prompt in prompts_of(task)
            if "".join(prompt) == "".join(sorted(prompt)) and prompt
        }
        assert surplus == {0, 1}


# Repeats


@pytest.mark.parametrize("name", ["repeat_copy", "reverse"])
def test_words_to_copy_repeat_a_block_up_to_one_symbol(name: str) -> None:
    for prompt in prompts_of(find_task(f"hard({name}, repeats)")):
        blocks = (block for period in (1, 2, 3) for block in product("ab", repeat=period))
        nearest = min(
            sum(symbol != block[place % len(block)] for place, symbol in enumerate(prompt)) for block in blocks
        )
        assert nearest <= 1


def test_halves_of_palindromes_repeat_a_block_and_both_answers_occur() -> None:
    for name in ("palindrome", "marked_reversal"):
        task = find_task(f"hard({name}, repeats)")
        answers: Counter[str] = Counter()
        for prompt in prompts_of(task, 200, low=9):
            half = prompt[: len(prompt) // 2]
            answers[task.answer(prompt)[0]] += 1
            blocks = [block for period in (1, 2, 3) for block in product("ab", repeat=period)]
            for part in (half, prompt[::-1][: len(half)]):  # with one symbol changed
                assert 1 in {sum(a != b[at % len(b)] for at, a in enumerate(part)) for b in blocks}
        assert min(answers["y"], answers["n"]) > 70


def test_what_is_looked_up_stands_in_a_repeated_block() -> None:
    found = set()
    for prompt in prompts_of(find_task("hard(induction, repeats)"), 200, low=12):
        key = prompt[-1]
        assert prompt.count(key) == 2
        answer = prompt[prompt.index(key) + 1]
        assert len(set(prompt)) <= 5
        found.add(prompt.count(answer) == 1)
    assert found == {True, False}


# Pumped, powers, near


def test_pumped_pairs_cross_the_border_and_grow() -> None:
    for name in ("PARITY", "TOMITA_4", "TOMITA_6", "(aa)*"):
        language = find_task(f"accepts({name})").facts.language
        assert language is not None
        certificates = refusals(language)
        assert certificates
        for certificate in certificates:
            pairs = pumped_pairs(certificate, 40)
            assert len(pairs) > 2
            assert all(one in language and two not in language for one, two in pairs)
            assert all(min(map(len, pair)) <= 40 for pair in pairs)


def test_pumped_instances_are_the_members_of_the_pairs() -> None:
    task = find_task("accepts(TOMITA_4)")
    language = task.facts.language
    assert language is not None
    words = {word for certificate in refusals(language) for pair in pumped_pairs(certificate, 21) for word in pair}
    seen = {tuple(prompt) for prompt in prompts_of(find_task("hard(accepts(TOMITA_4), pumped)"), 200)}
    assert seen == {word for word in words if len(word) <= 21}
    assert {word in language for word in seen} == {True, False}


def test_pumped_words_come_from_a_no_of_the_smallest_or_the_largest_class() -> None:
    window = compile_regex("[abc]*ab")  # a window sees it, counting alone does not
    assert decide(Facts(language=window), Fragment.PERIODIC_LOCAL).answer is Answer.YES
    assert len(refusals(window)) == 1
    assert len(refusals(compile_regex("0*(10*10*)*"))) == 2
    assert refusals(compile_regex("(ab)*")) == []


@pytest.mark.parametrize("name", ["TOMITA_5", "states(TOMITA_3)", "(abab)*"])
def test_where_prefixes_are_scored_every_hard_word_begins_a_word_of_the_language(name: str) -> None:
    base = find_task(name)
    language = base.facts.language
    assert language is not None
    live = live_states(language)
    for task in hard_sets(base).values():
        assert all(language.run(prompt) in live for prompt in prompts_of(task))


def test_power_words_repeat_a_word_of_up_to_four_symbols() -> None:
    task = find_task("hard(accepts(TOMITA_4), powers)")
    words = prompts_of(task, 300)
    for prompt in words:
        assert any(prompt == (prompt[:period] * len(prompt))[: len(prompt)] for period in range(1, 5))
    assert {tuple(prompt) for prompt in words if len(prompt) == 3} == set(product("01", repeat=3))
    assert len(list(roots(2, 4))) == 2 + 2 + 6 + 12
    both = Counter(task.answer(prompt)[0] for prompt in words if len(prompt) > 2)
    assert min(both.values()) > 100  # inside and outside with equal chances


def edits(word: tuple[str, ...], alphabet: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield all words one edit away, in the plainest way."""
    for place in range(len(word) + 1):
        for symbol in alphabet:
            yield (*word[:place], symbol, *word[place:])
            if place < len(word) and symbol != word[place]:
                yield (*word[:place], symbol, *word[place + 1 :])
        if place < len(word):
            yield (*word[:place], *word[place + 1 :])


@pytest.mark.parametrize("regex", ["(aa)*", "(ab)*", "[ab]*b", "a*b?", "[abc]*ab"])
def test_the_border_is_where_one_edit_leads_to_the_other_side(regex: str) -> None:
    language = compile_regex(regex, alphabet="ab" if "c" not in regex else "abc")
    found = border(language)
    assert found is not None
    for length in range(6 if len(language.alphabet) == 2 else 5):
        for word in product(language.alphabet, repeat=length):
            is_in = word in language
            is_near = any((other in language) is not is_in for other in edits(word, language.alphabet))
            assert (word in found[0]) is (is_in and is_near)
            assert (word in found[1]) is (not is_in and is_near)


def test_a_border_with_too_many_states_is_none() -> None:
    assert border(compile_regex("[ab]*a[ab]{4}"), most_states=10) is None


def test_near_words_have_a_small_change_to_the_other_side_and_half_are_in_the_language() -> None:
    task = find_task("hard(accepts(D_2), near)")
    language = find_task("accepts(D_2)").facts.language
    assert language is not None
    words = [tuple(prompt) for prompt in prompts_of(task, 200)]
    assert all(len(word) % 2 == 0 for word in words), "at odd lengths no word is in the language"
    for word in words:
        exchanged = (
            word[:start] + word[middle:end] + word[start:middle] + word[end:]
            for start, middle, end in combinations(range(len(word) + 1), 3)
        )
        swapped = (
            (*word[:one], word[other], *word[one + 1 : other], word[one], *word[other + 1 :])
            for one, other in combinations(range(len(word)), 2)
        )
        changes = chain(edits(word, language.alphabet), swapped, exchanged)
        assert any((other in language) is not (word in language) for other in changes)
    assert 0.3 < sum(word in language for word in words) / len(words) < 0.7


# Specs and ids

TINY = replace(
    spec_files.TINY,
    tasks=("bin_majority", "accepts(TOMITA_4)"),
    training=replace(spec_files.TINY.training, evaluate_every=10, examples=32),
)


def first_run(spec: Spec) -> Run:
    return make_runs([spec])[0]


def test_the_id_of_a_run_without_hard_sets_is_what_it_was_before_there_were_any() -> None:
    run = first_run(TINY)
    settings = {
        "task": "bin_majority",
        "encoding": "nope",
        "seed": 0,
        "learning_rate": 0.003,
        "train_length": 4,
        "test_length": 8,
        "model": {"layers": 1, "heads": 1, "width": 8, "tied": False},
        "training": {
            "steps": 20,
            "batch": 32,
            "warmup": 2,
            "weight_decay": 0.01,
            "clip": 1.0,
            "evaluate_every": 10,
            "examples": 32,
            "regularizer": 0.0,
        },
        "task_revision": run.task_revision,
        "encoding_revision": run.encoding_revision,
        "trainer_revision": run.trainer_revision,
    }
    assert run.settings == settings
    assert run.id == sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    with_hard = first_run(replace(TINY, hard=True))
    assert with_hard.settings == settings | {"hard": True}
    assert with_hard.id != run.id


def test_a_spec_says_whether_there_are_hard_sets() -> None:
    assert not parse_spec('tasks = ["parity"]').hard
    assert parse_spec('tasks = ["parity"]\nhard = true').hard
    assert parse_spec(dump_spec(replace(TINY, hard=True))) == replace(TINY, hard=True)
    with pytest.raises(InvalidSpecError) as caught:
        parse_spec('tasks = ["parity"]\nhard = 1')
    assert str(caught.value) == "hard must be true or false; found 1.\nhint: write hard = true."


# Training


@pytest.fixture
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make_stack(task: str, seeds: list[int], rates: list[float], *, hard: bool = True, no_bos: bool = False) -> Stack:
    return Stack.of(
        make_training_runs(
            task=find_task(task),
            encoding="ape",
            shape=Shape(layers=1, heads=1, width=8, no_bos=no_bos),
            training=TINY.training,
            bins=length_bins(4, 8),
            seeds=seeds,
            rates=rates,
            hard=hard,
        )
    )


def without_times(trained: Trained) -> Trained:
    return replace(trained, seconds=0.0)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("task", ["accepts((aa)*)", "(aa)*"])
def test_a_stack_scores_on_hard_sets_what_its_models_alone_score(task: str) -> None:
    together = train_all(make_stack(task, [3, 4], [0.01, 0.001]))
    alone = [train_all(make_stack(task, [seed], [rate]))[0] for seed, rate in ((3, 0.01), (4, 0.001))]
    assert [without_times(each) for each in together] == [without_times(each) for each in alone]
    for each in together:
        assert list(each.hard) == list(hard_sets(find_task(task)))
        for scores in each.hard.values():
            assert [score.length for score in scores] == sorted({score.length for score in scores})
            assert sum(score.examples for score in scores) % TINY.training.examples == 0
            assert {score.length > 4 for score in scores} == {True, False}


@pytest.mark.usefixtures("one_thread")
def test_hard_sets_change_nothing_else_and_are_left_out_by_default() -> None:
    plain, tested = (train_all(make_stack("parity", [0], [0.01], hard=hard))[0] for hard in (False, True))
    assert plain.hard == {}
    assert without_times(replace(tested, hard={})) == without_times(plain)


@pytest.mark.usefixtures("one_thread")
def test_hard_sets_lose_their_first_token_with_the_task() -> None:
    trained = train_all(make_stack("(aa)*", [0], [0.01], no_bos=True))[0]
    assert all(score.length > 0 for scores in trained.hard.values() for score in scores)
    assert list(trained.hard) == ["pumped", "powers"]


class CutOffError(Exception):
    """Stands for whatever ends a process."""


@pytest.mark.usefixtures("one_thread")
def test_scores_on_hard_sets_survive_a_checkpoint(tmp_path: Path) -> None:
    def stack() -> Stack:
        return Stack.of(
            make_training_runs(
                task=find_task("TOMITA_1"),
                encoding="ape",
                shape=Shape(layers=1, heads=1, width=16),
                training=Training(steps=60, batch=32, warmup=5, evaluate_every=10, examples=16),
                bins=length_bins(8, 16),
                seeds=[0, 1],
                rates=[0.03, 1e-6],
                hard=True,
            )
        )

    whole = train_all(stack())
    assert whole[0].steps < whole[1].steps == 60  # the first is done before the cut
    place = tmp_path / "stack.safetensors"

    def cut(now: object) -> None:
        if getattr(now, "step", 0) >= whole[0].steps + 5:
            raise CutOffError

    with pytest.raises(CutOffError):
        train_all(stack(), cut, checkpoint=place)
    resumed = train_all(stack(), checkpoint=place)
    assert [without_times(each) for each in resumed] == [without_times(each) for each in whole]
    assert resumed[0].hard["powers"]


# The store

OLD_SCHEMA = """
CREATE TABLE stacks (position INTEGER PRIMARY KEY, label TEXT NOT NULL, runs TEXT NOT NULL UNIQUE);
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, encoding TEXT NOT NULL, seed INTEGER NOT NULL, learning_rate REAL NOT NULL,
    settings TEXT NOT NULL, steps INTEGER NOT NULL, seconds REAL NOT NULL, losses TEXT NOT NULL, provenance TEXT NOT NULL
);
CREATE TABLE scores (
    run TEXT NOT NULL REFERENCES runs (id), length INTEGER NOT NULL, examples INTEGER NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (run, length)
);
PRAGMA user_version = 1;
"""


def make_result(run: Run, scores: tuple[int, int], hard: dict[str, tuple[int, int]] | None = None) -> Result:
    """Return a result with so many matches out of 100 at the end of each bin, and of each hard set's bins."""
    shares = [matches / 100 for matches in scores]
    found = {kind: scores_of(run, matches, 100) for kind, matches in (hard or {}).items()}
    return made_results.make_result(run, shares, examples=100, seconds=1.0, hard=found)


def test_scores_on_hard_sets_are_read_back_as_they_were_saved(tmp_path: Path) -> None:
    runs = make_runs([replace(TINY, hard=True)])
    results = [make_result(run, (100, 90), {"pumped": (50, 40), "near": (7, 0)}) for run in runs]
    with open_store(tmp_path / "runs.sqlite") as store:
        store.save(results)
    with read_store(tmp_path / "runs.sqlite") as store:
        assert store.results() == results
        assert list(store.results()[0].hard) == ["pumped", "near"]


def test_a_store_from_before_hard_sets_is_read_and_gets_its_table_when_written_to(tmp_path: Path) -> None:
    place = tmp_path / "old.sqlite"
    old = make_result(first_run(TINY), (100, 95))
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(OLD_SCHEMA)
        row = (old.id, old.task, old.encoding, old.seed, old.learning_rate, json.dumps(old.settings), 20, 1.0)
        connection.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, json.dumps(old.losses), json.dumps(old.provenance)),
        )
        connection.executemany("INSERT INTO scores VALUES (?, ?, ?, ?)", [(old.id, *score) for score in old.scores])
        connection.commit()

    def tables() -> set[str]:
        with closing(sqlite3.connect(place)) as connection:
            return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    with read_store(place) as store:
        assert store.results() == [old]
    assert tables() == {"stacks", "runs", "scores"}  # reading changes nothing
    new = make_result(first_run(replace(TINY, hard=True)), (100, 95), {"boundary": (99, 50)})
    with open_store(place) as store:
        store.save([new])
    assert tables() == {"stacks", "runs", "scores", "hard_scores", "cells"}
    with read_store(place) as store:
        assert store.results() == [old, new]


# The report


def test_a_report_sets_hard_instances_beside_random_ones() -> None:
    runs = make_runs([replace(TINY, tasks=("bin_majority",), seeds=3, hard=True)])
    shares = [(100, 100), (99, 98), (50, 10)]  # the last did not fit
    results = [
        make_result(run, share, {"boundary": (90 - place, 60 + place)})
        for place, (run, share) in enumerate(zip(runs, shares, strict=True))
    ]
    (cell,) = summarize(results)
    assert cell.hard == {
        "boundary": (
            Interval(median=0.895, low=0.89, high=0.9, num_runs=2),
            Interval(median=0.605, low=0.6, high=0.61, num_runs=2),
        )
    }
    assert hard_table([cell]).header == ["task", "encoding", "instances", "1×", "2×"]
    assert hard_table([cell]).rows == [
        ["bin_majority", "nope", "random", "99.5 (99.0–100)", "99.0 (98.0–100)"],
        ["bin_majority", "nope", "boundary", "89.5 (89.0–90.0)", "60.5 (60.0–61.0)"],
    ]
    assert (
        "| bin_majority | nope | boundary | 89.5 (89.0–90.0) | 60.5 (60.0–61.0) |" in brief_report([cell]).to_markdown()
    )
    (row,) = to_json([cell])
    assert row["hard"] == {
        "boundary": [
            {"lengths": [0, 4], "median": 0.895, "low": 0.89, "high": 0.9},
            {"lengths": [5, 8], "median": 0.605, "low": 0.6, "high": 0.61},
        ]
    }
    page = results_page(results).to_html()
    assert "<h2>Hard instances</h2>" in page
    assert '89.5 <span class="whole">(89.0–90.0)</span>' in page
    assert '60.5 <span class="whole">(60.0–61.0)</span>' in page


def test_a_report_without_hard_instances_does_not_speak_of_them() -> None:
    results = [make_result(run, (100, 90)) for run in make_runs([TINY])]
    cells = summarize(results)
    assert hard_table(cells) is None
    assert "ard instances" not in results_page(results).to_html() + brief_report(cells).to_markdown()
    assert all("hard" not in row for row in to_json(cells))


def test_a_kind_without_instances_in_a_bin_has_a_dash_there() -> None:
    run = first_run(replace(TINY, hard=True))
    result = replace(make_result(run, (100, 90)), hard={"pumped": ((6, 10, 5),)})
    assert hard_table(summarize([result])).rows[1] == ["bin_majority", "nope", "pumped", "–", "50.0"]
    (row,) = to_json(summarize([result]))
    assert json.loads(json.dumps(row))["hard"]["pumped"][0]["median"] is None


def test_a_run_with_and_without_hard_sets_counts_once() -> None:
    plain, tested = (make_runs([replace(TINY, tasks=("bin_majority",), hard=hard)]) for hard in (False, True))
    with_hard = make_result(tested[0], (100, 90), {"boundary": (50, 50)})
    for order in (slice(None), slice(None, None, -1)):
        results = [*(make_result(run, (100, 90)) for run in plain), with_hard][order]
        (cell,) = summarize(results)
        assert cell.num_runs == 2
        assert cell.hard["boundary"][0].median == 0.5


# The command


@pytest.mark.full
def test_the_command_trains_tests_on_hard_sets_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    arguments = "run accepts(TOMITA_4) --encoding nope --seeds 1 --train-length 5 --test-length 10 --steps 2"
    settings = ("--hard", "--workers", "1", "--device", "cpu", "--models-per-stack", "1", "--markdown", "table.md")
    assert main([*arguments.split(), *settings]) == 0
    printed = capsys.readouterr().out
    for kind in ("random", "pumped", "powers", "near"):
        assert f"accepts(TOMITA_4)  nope      {kind}" in printed
    assert "## Hard instances" in (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "<h2>Hard instances</h2>" in (tmp_path / "lengthwise-report.html").read_text(encoding="utf-8")
    with read_store(tmp_path / "lengthwise-runs.sqlite") as store:
        results = store.results()
    assert [list(result.hard) for result in results] == [["pumped", "powers", "near"]]
    assert all(result.settings["hard"] is True for result in results)


def test_a_language_of_one_kind_of_word_has_its_hard_words_too() -> None:
    everything_but_nothing = DFA(alphabet="a", transitions=[[1], [1]], accepting=[1])
    found = border(everything_but_nothing)
    assert found is not None
    assert ("a",) in found[0]
    assert () in found[1]
