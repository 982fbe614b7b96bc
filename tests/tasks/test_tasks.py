"""Tasks: samplers agree with plain-Python oracles, formats are as stated, and a label depends on its prefix only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import automata
from uniformity import assert_uniform

from lengthwise.arrays import Arrays, numpy_arrays, torch_arrays
from lengthwise.crasp.fragments import Readout
from lengthwise.errors import InvalidOptionError, LengthwiseError, NoSuchWordError, UnknownNameError, listed
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import shortest_word
from lengthwise.languages.regex import compile_regex
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.copying.copies import UniqueCopy
from lengthwise.tasks.core.catalog import TASKS, find_named_task, find_task, task_names
from lengthwise.tasks.core.lengths import LengthRange, length_bins
from lengthwise.tasks.core.task import BOS, EOS, IGNORE, PAD, SEP, AnswerTask, Batch, Objective, Task
from lengthwise.tasks.languages.regular import MAX_SYMBOLS, NextSymbols, States
from lengthwise.train.batches import make_batch

ANSWER_TASKS = (
    *("bin_majority", "majority", "bin_majority_interleave", "unique_copy(20)", "repeat_copy", "sort(20)", "parity"),
    "addition",
)
WITH_DEAD_STATE = "TOMITA_4"
AT_SOME_LENGTHS = "(aaaa)*"
THREE_LETTERS = "[012]*02*"
CHOSEN_LANGUAGES = (WITH_DEAD_STATE, AT_SOME_LENGTHS, THREE_LETTERS, "D_2", "PARITY", "aa*bb*", "abc|b")
NAMES = (*ANSWER_TASKS, *CHOSEN_LANGUAGES, *(f"states({name})" for name in CHOSEN_LANGUAGES))
LONGEST = 13


@pytest.fixture(params=NAMES)
def task(request: pytest.FixtureRequest) -> Task:
    return find_task(request.param)


def draw_batch(
    task: Task,
    *,
    seed: int | list[int] = 0,
    step: int = 0,
    size: int = 200,
    longest: int = LONGEST,
    xp: Arrays | None = None,
) -> Batch:
    table = xp or numpy_arrays()
    draw = open_stream(DATA, seed=seed, xp=table).at(step)
    return make_batch(task, task.lengths(0, longest), size, draw, table)


def instances(batch: Batch) -> Iterable[tuple[list[int], list[int], int, int]]:
    """Return tokens, targets, size and scale of every instance of a batch with or without a model axis."""
    width = batch.tokens_MBL.shape[-1]
    return zip(
        batch.tokens_MBL.reshape(-1, width).tolist(),
        batch.targets_MBL.reshape(-1, width).tolist(),
        batch.sizes_MB.reshape(-1).tolist(),
        batch.scale_MB.reshape(-1).tolist(),
        strict=True,
    )


# Oracles


def test_the_sampler_agrees_with_the_oracle_on_thousands_of_instances(task: Task) -> None:
    oracle = cache(lambda prompt: task.answer(list(prompt)))
    num_instances = 0
    for step in range(2):
        for tokens, targets, _, scale in instances(draw_batch(task, seed=[0, 1, 2, 3, 4], step=step)):
            prompt, stated = task.read_back(tokens, targets)
            assert len(prompt) == scale
            ending = [EOS] if isinstance(task, AnswerTask) else []
            assert stated == [*oracle(tuple(prompt)), *ending]
            num_instances += 1
    assert num_instances == 2000


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [
        ("bin_majority", "0", "0"),
        ("bin_majority", "110", "1"),
        ("bin_majority", "00101", "0"),
        ("parity", "", "e"),
        ("parity", "1", "o"),
        ("parity", "0110", "e"),
        ("repeat_copy", "abba", "abba"),
        ("duplicate", "a", "aa"),
        ("duplicate", "abb", "abbabb"),
        ("majority", "abcb", "b"),
        ("majority", "zzy", "z"),
        ("bin_majority_interleave", "100", "100"),
        ("bin_majority_interleave", "101100010", "100"),
        ("addition", "1+1=", "10"),
        ("addition", "0+0=", "0"),
        ("addition", "101+11=", "1000"),
    ],
)
def test_the_oracles_answer_what_anyone_would(name: str, prompt: str, answer: str) -> None:
    assert find_task(name).answer(list(prompt)) == list(answer)


def test_the_oracle_of_sort_goes_by_number() -> None:
    assert find_task("sort").answer(["s10", "s9", "s100"]) == ["s9", "s10", "s100"]


def test_words_of_majority_have_one_most_frequent_letter_and_are_otherwise_uniform() -> None:
    task = find_task("majority")
    seen: Counter[int] = Counter()
    repeated = 0
    for step in range(4):
        for tokens, targets, _, scale in instances(draw_batch(task, seed=[0, 1, 2, 3], step=step, longest=9)):
            prompt, (winner, _) = task.read_back(tokens, targets)
            counts = Counter(prompt)
            assert [letter for letter, number in counts.items() if number == max(counts.values())] == [winner]
            seen[task.token(winner)] += 1
            repeated += scale == 3 and len(counts) == 1
    assert_uniform(seen, range(26))
    assert repeated < 60  # 26 of 1,976 words of length 3 and, where no attempt succeeds, some more: 3.8 % of about 355


def test_the_summands_of_addition_have_no_leading_zero_and_a_uniform_split() -> None:
    task = find_task("addition")
    splits: Counter[int] = Counter()
    for step in range(3):
        for tokens, targets, _, scale in instances(draw_batch(task, seed=[0, 1, 2, 3], step=step)):
            prompt, _ = task.read_back(tokens, targets)
            one, two = "".join(prompt).rstrip("=").split("+")
            assert all(number == "0" or number[0] == "1" for number in (one, two))
            assert len(one) + len(two) + 2 == scale
            if scale == 10:
                splits[len(one)] += 1
    assert_uniform(splits, range(1, 8))


def test_the_oracle_of_unique_copy_repeats_its_input() -> None:
    assert find_task("unique_copy(20)").answer(["s3", "s19", "s0"]) == ["s3", "s19", "s0"]


@pytest.mark.parametrize(
    ("name", "word", "sets"),
    [
        ("(aa)*", "aa", ["a <eos>", "a", "a <eos>"]),
        ("(ab)*", "ab", ["a <eos>", "b", "a <eos>"]),
        ("TOMITA_4", "001", ["0 1 <eos>", "0 1 <eos>", "1 <eos>", "0 1 <eos>"]),
        ("abc|b", "abc", ["a b", "b", "c", "<eos>"]),
        ("[012]*02*", "02", ["0 1 2", "0 1 2 <eos>", "0 1 2 <eos>"]),
    ],
)
def test_the_sets_of_next_symbols_are_the_legal_ones_and_the_end(name: str, word: str, sets: list[str]) -> None:
    assert find_task(name).answer(list(word)) == sets


def test_the_states_are_those_of_the_automaton() -> None:
    task = find_task("states((aa)*)")
    assert task.answer(list("aaa")) == ["0", "1", "0", "1"]
    assert task.num_outputs == 2


@pytest.mark.parametrize("name", CHOSEN_LANGUAGES)
def test_every_sampled_word_is_in_its_language(name: str) -> None:
    for kind in (name, f"states({name})"):
        task = find_task(kind)
        assert isinstance(task, (NextSymbols, States))
        for tokens, targets, _, _ in instances(draw_batch(task)):
            assert tuple(task.read_back(tokens, targets)[0]) in task.language


# Formats


def test_special_tokens_follow_the_symbols_of_a_task(task: Task) -> None:
    first = len(task.symbols)
    assert [task.token(name) for name in (BOS, SEP, EOS, PAD)] == [first, first + 1, first + 2, first + 3]
    assert [task.token(symbol) for symbol in task.symbols] == list(range(first))
    assert len(task.vocabulary) == first + 4


@pytest.mark.parametrize("name", ANSWER_TASKS)
def test_an_instance_is_bos_input_sep_answer_eos_and_its_targets_come_one_token_early(name: str) -> None:
    task = find_task(name)
    bos, sep, eos, pad = range(len(task.symbols), len(task.symbols) + 4)
    for tokens, targets, size, scale in instances(draw_batch(task)):
        prompt = tokens[1 : scale + 1]
        answer = [task.symbols.index(symbol) for symbol in task.answer([task.symbols[token] for token in prompt])]
        framed = [bos, *prompt, sep, *answer, eos]
        padding = len(tokens) - len(framed)
        assert size == len(framed)
        assert tokens == [*framed, *[pad] * padding]
        assert targets == [*[IGNORE] * (scale + 1), *answer, eos, *[IGNORE] * (padding + 1)]


@pytest.mark.parametrize("name", CHOSEN_LANGUAGES)
def test_next_symbols_are_asked_for_at_bos_and_at_every_symbol(name: str) -> None:
    task = find_task(name)
    assert isinstance(task, NextSymbols)
    names = [*task.symbols, EOS]
    for tokens, targets, size, scale in instances(draw_batch(task)):
        word = [task.symbols[token] for token in tokens[1:size]]
        assert size == scale + 1
        assert tokens == [task.token(BOS), *map(task.token, word), *[task.token(PAD)] * (len(tokens) - size)]
        sets = [sum(1 << names.index(one) for one in legal.split()) for legal in task.answer(word)]
        assert targets == [*sets, *[IGNORE] * (len(tokens) - size)]


@pytest.mark.parametrize("name", CHOSEN_LANGUAGES)
def test_states_are_asked_for_at_separators_which_hide_the_last_symbol(name: str) -> None:
    task = find_task(f"states({name})")
    assert isinstance(task, States)
    bos, sep, pad = (task.token(token) for token in (BOS, SEP, PAD))
    for tokens, targets, size, scale in instances(draw_batch(task)):
        word = tokens[2:size:2]
        spread = [bos, sep, *(token for symbol in word for token in (symbol, sep))]
        states = [task.language.run([task.symbols[symbol] for symbol in word[:end]]) for end in range(scale + 1)]
        scored = [target for state in states for target in (IGNORE, state)]
        assert size == 2 * scale + 2 == len(spread)
        assert tokens == [*spread, *[pad] * (len(tokens) - size)]
        assert targets == [*scored, *[IGNORE] * (len(tokens) - size)]


def test_sizes_lengths_and_widths_are_as_stated(task: Task) -> None:
    lengths = task.lengths(0, LONGEST)
    batch = draw_batch(task, seed=[3, 4])
    assert tuple(batch.tokens_MBL.shape) == tuple(batch.targets_MBL.shape) == (2, 200, task.size(max(lengths)))
    assert tuple(batch.sizes_MB.shape) == tuple(batch.scale_MB.shape) == (2, 200)
    for tokens, targets, size, scale in instances(batch):
        assert scale in lengths
        assert size <= task.size(scale) if task.name == "addition" else size == task.size(scale)  # sums vary in length
        assert task.token(PAD) not in tokens[:size]
        assert set(tokens[size:]) <= {task.token(PAD)}
        assert set(targets[size:]) <= {IGNORE}
        assert any(target != IGNORE for target in targets[:size])
    assert batch.tokens_MBL.dtype == batch.targets_MBL.dtype == np.int64


def test_targets_are_classes_or_sets_that_a_model_has_outputs_for(task: Task) -> None:
    highest = 2**task.num_outputs if task.objective is Objective.NEXT_SYMBOLS else task.num_outputs
    for _, targets, _, _ in instances(draw_batch(task)):
        assert all(target == IGNORE or 0 <= target < highest for target in targets)


def test_a_batch_may_be_wider_than_its_longest_instance(task: Task) -> None:
    lengths = task.lengths(0, LONGEST)[:2]
    xp = numpy_arrays()
    draw = open_stream(DATA, seed=0, xp=xp)
    batch = task.sample(draw, xp.asarray([lengths[0], lengths[-1]]), LONGEST, xp)
    assert batch.tokens_MBL.shape == (2, task.size(LONGEST))
    for tokens, targets, size, scale in instances(batch):
        assert size <= task.size(scale) if task.name == "addition" else size == task.size(scale)
        assert set(tokens[size:]) == {task.token(PAD)}
        prompt, stated = task.read_back(tokens, targets)
        assert stated[: len(task.answer(prompt))] == task.answer(prompt)


# Distributions


def test_the_zeros_of_bin_majority_are_uniform_without_ties() -> None:
    task = find_task("bin_majority")
    xp = numpy_arrays()
    for length in (1, 5, 6, 12):
        batch = task.sample(open_stream(DATA, seed=length, xp=xp), xp.asarray([length] * 4000), length, xp)
        zeros = Counter(tokens[1 : length + 1].count(0) for tokens, _, _, _ in instances(batch))
        assert_uniform(zeros, [number for number in range(length + 1) if 2 * number != length])


def test_the_ones_of_parity_are_uniform_from_none_to_all() -> None:
    task = find_task("parity")
    xp = numpy_arrays()
    for length in (1, 5, 12):
        batch = task.sample(open_stream(DATA, seed=length, xp=xp), xp.asarray([length] * 4000), length, xp)
        ones = Counter(tokens[1 : length + 1].count(1) for tokens, _, _, _ in instances(batch))
        assert_uniform(ones, range(length + 1))


@pytest.mark.parametrize("name", ["bin_majority", "parity"])
def test_bits_come_in_every_order(name: str) -> None:
    """Of the inputs with two 0s among five bits, each arrangement is as frequent as any other."""
    xp = numpy_arrays()
    batch = find_task(name).sample(open_stream(DATA, seed=1, xp=xp), xp.asarray([5] * 6000), 9, xp)
    rows = [tokens[1:6] for tokens, _, _, _ in instances(batch)]
    places = Counter(row.index(0) * 5 + 4 - row[::-1].index(0) for row in rows if row.count(0) == 2)
    assert_uniform(places, [first * 5 + second for first in range(5) for second in range(first + 1, 5)])


def test_the_tokens_of_repeat_copy_are_fair_and_independent() -> None:
    xp = numpy_arrays()
    batch = find_task("repeat_copy").sample(open_stream(DATA, seed=1, xp=xp), xp.asarray([8] * 4000), 8, xp)
    rows = [tokens[1:9] for tokens, _, _, _ in instances(batch)]
    for place in range(8):
        assert_uniform(Counter(row[place] for row in rows), [0, 1])
    assert_uniform(Counter(2 * one + two for row in rows for one, two in pairwise(row)), range(4))


def test_the_tokens_of_unique_copy_are_distinct_and_uniform_at_every_place() -> None:
    xp = numpy_arrays()
    batch = UniqueCopy(20).sample(open_stream(DATA, seed=1, xp=xp), xp.asarray([20, 7] * 1500), 20, xp)
    rows = [tokens[1 : scale + 1] for tokens, _, _, scale in instances(batch)]
    assert all(len(set(row)) == len(row) for row in rows)
    assert all(set(row) == set(range(20)) for row in rows if len(row) == 20)
    for place in (0, 3, 6):
        assert_uniform(Counter(row[place] for row in rows), range(20))


def test_lengths_are_uniform_over_those_that_have_instances(task: Task) -> None:
    batch = draw_batch(task, size=3000)
    assert_uniform(Counter(batch.scale_MB.tolist()), task.lengths(0, LONGEST))


def test_words_of_a_language_are_uniform_at_each_length() -> None:
    task = find_task("D_2")
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=5, xp=xp), xp.asarray([8] * 4000), 8, xp)
    seen = Counter("".join(task.read_back(tokens, targets)[0]) for tokens, targets, _, _ in instances(batch))
    numbered = {word: number for number, word in enumerate(sorted(seen))}
    assert len(numbered) == 8
    assert_uniform(Counter({numbered[word]: count for word, count in seen.items()}), range(8))


# Labels


@settings(max_examples=60)
@given(language=automata(max_states=5), seeds=st.lists(st.integers(0, 2**40), min_size=2, max_size=2, unique=True))
def test_the_label_is_a_function_of_language_and_prefix(language: DFA, seeds: list[int]) -> None:
    if shortest_word(language) is None:
        return
    for kind in (NextSymbols, States):
        labels: dict[tuple[int, ...], int] = {}
        for seed in seeds:  # a task made anew each time: nothing may be numbered by order of appearance
            task = kind(language, "L")
            if not task.lengths(0, 7):
                continue
            for tokens, targets, _, scale in instances(draw_batch(task, seed=seed, size=24, longest=7)):
                for end in range(scale + 1):
                    place = end if kind is NextSymbols else 2 * end + 1
                    prefix = tuple(tokens[: place + 1])
                    assert labels.setdefault(prefix, targets[place]) == targets[place]


def test_the_same_prompt_has_the_same_answer_in_every_batch() -> None:
    for name in ANSWER_TASKS:
        answers: dict[tuple[int, ...], list[int]] = {}
        task = find_task(name)
        for step in range(4):
            for tokens, targets, _, scale in instances(draw_batch(task, step=step, longest=5)):
                answer = [target for target in targets if target != IGNORE]
                assert answers.setdefault(tuple(tokens[: scale + 2]), answer) == answer


# The same bits everywhere


def digest(batch: Batch) -> str:
    arrays = (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB)
    return sha256(b"".join(np.ascontiguousarray(np.asarray(array)).tobytes() for array in arrays)).hexdigest()


def test_numpy_and_torch_draw_the_same_batches_bit_for_bit(task: Task) -> None:
    for step in (0, 1, 1000):
        for seed in (0, [0, 1, 2**40]):
            ours = draw_batch(task, seed=seed, step=step, size=50)
            theirs = draw_batch(task, seed=seed, step=step, size=50, xp=torch_arrays())
            assert digest(ours) == digest(theirs)


def test_different_steps_and_seeds_draw_different_batches() -> None:
    for name in (*ANSWER_TASKS, "PARITY", "states(D_2)"):
        task = find_task(name)
        digests = {digest(draw_batch(task, seed=seed, step=step)) for seed in (0, 1) for step in (0, 1)}
        assert len(digests) == 4


@pytest.mark.parametrize("table", [numpy_arrays, torch_arrays], ids=["numpy", "torch"])
def test_a_single_key_draws_the_row_of_the_stack(task: Task, table: type) -> None:
    seeds = [5, 0, 2**33]
    stacked = draw_batch(task, seed=seeds, step=7, size=40, xp=table())
    for number, seed in enumerate(seeds):
        alone = draw_batch(task, seed=seed, step=7, size=40, xp=table())
        row = Batch(
            tokens_MBL=stacked.tokens_MBL[number],
            targets_MBL=stacked.targets_MBL[number],
            sizes_MB=stacked.sizes_MB[number],
            scale_MB=stacked.scale_MB[number],
        )
        assert digest(alone) == digest(row)


# Names and lengths


def test_every_listed_task_has_its_name_a_definition_and_a_source() -> None:
    assert task_names() == list(TASKS)
    assert len(TASKS) + len(LANGUAGES) >= 100
    for name, family in TASKS.items():
        task = find_task(name)
        assert family.name == name
        assert task.name == (name if name != "accepts" else "accepts(D_2)")
        assert find_task(task.name).name == find_task(family.example).name == task.name
        assert task.definition
        assert task.citation
        assert task.length_means


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_named_language_is_two_tasks(name: str) -> None:
    sets, states = find_task(name), find_task(f"states({name})")
    assert isinstance(sets, NextSymbols)
    assert isinstance(states, States)
    assert sets.language == states.language == LANGUAGES[name].language
    assert (sets.name, states.name) == (name, f"states({name})")
    assert sets.num_outputs == len(sets.symbols) + 1
    assert states.num_outputs == sets.language.num_states


def test_each_objective_is_read_where_its_task_shows_the_last_symbol_or_hides_it() -> None:
    assert Objective.ANSWER.readout is Readout.END_MARKER
    assert Objective.STATES.readout is Readout.END_MARKER
    assert Objective.NEXT_SYMBOLS.readout is Readout.LAST_SYMBOL


def test_a_name_that_is_no_task_of_its_own_is_not_a_named_task() -> None:
    assert find_named_task("PARITY") is None
    assert find_named_task("(aa)*") is None
    assert find_named_task("unique_copy(7)") is not None


def test_an_expression_that_begins_with_letters_is_not_taken_for_a_name() -> None:
    assert find_task("ab(a|b)").name == "ab(a|b)"


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("bin_majority", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("parity", (0, 1, 2, 3, 4, 5, 6, 7, 8)),
        ("unique_copy(20)", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("(aaaa)*", (0, 4, 8)),
        ("states((aaaa)*)", (0, 4, 8)),
        ("abc|b", (1, 3)),
        ("aa*bb*", (2, 3, 4, 5, 6, 7, 8)),
    ],
)
def test_the_lengths_of_a_task_are_those_with_instances(name: str, lengths: tuple[int, ...]) -> None:
    task = find_task(name)
    assert task.lengths(0, 8) == lengths
    assert task.lengths(3, 5) == tuple(length for length in lengths if 3 <= length <= 5)
    assert task.min_length == lengths[0]


@pytest.mark.parametrize(
    ("train", "test", "bins"),
    [
        (12, 36, ["0–12", "13–24", "25–36"]),
        (5, 12, ["0–5", "6–10", "11–12"]),
        (8, 8, ["0–8"]),
        (8, 9, ["0–8", "9"]),
        (1, 3, ["0–1", "2", "3"]),
    ],
)
def test_bins_are_disjoint_and_leave_no_length_out(train: int, test: int, bins: list[str]) -> None:
    found = length_bins(train, test)
    assert [str(bounds) for bounds in found] == bins
    assert [length for bounds in found for length in range(bounds.low, bounds.high + 1)] == list(range(test + 1))
    for length in range(test + 1):
        assert sum(length in bounds for bounds in found) == 1
    assert test + 1 not in LengthRange(low=0, high=test)


# Errors


def many_symbols(number: int) -> DFA:
    return DFA(alphabet=[f"s{symbol}" for symbol in range(number)], transitions=[[0] * number], accepting=[0])


NOTHING = DFA(alphabet="ab", transitions=[[0, 0]], accepting=[])


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda: find_task("unique_copy(0)"),
            InvalidOptionError,
            "unique_copy takes the number of its symbols, a whole number from 1 to 999999; found '0'.\n"
            "hint: for example unique_copy(150).",
        ),
        (
            lambda: find_task("unique_copy(many)"),
            InvalidOptionError,
            "unique_copy takes the number of its symbols, a whole number from 1 to 999999; found 'many'.\n"
            "hint: for example unique_copy(150).",
        ),
        (
            lambda: find_task("unique_copy(20)").lengths(0, 21),
            InvalidOptionError,
            "length 21 is too long for unique_copy(20): it has 20 different symbols.\n"
            "hint: use lengths up to 20, or a larger alphabet: unique_copy(21).",
        ),
        (
            lambda: NextSymbols(NOTHING, "nothing"),
            InvalidOptionError,
            "the language 'nothing' is empty: it has no words to train on.\nhint: check it.",
        ),
        (
            lambda: States(NOTHING, "nothing"),
            InvalidOptionError,
            "the language 'nothing' is empty: it has no words to train on.\nhint: check it.",
        ),
        (
            lambda: NextSymbols(many_symbols(MAX_SYMBOLS + 1), "wide"),
            InvalidOptionError,
            "the language 'wide' has 63 symbols; next-symbol sets are limited to 62.\n"
            "hint: ask for its states instead: states(wide).",
        ),
        (
            lambda: find_task("bin_majorty"),
            UnknownNameError,
            f"task 'bin_majorty' is unknown. Known: {listed([*TASKS, *LANGUAGES])}.\n"
            "hint: did you mean 'bin_majority'?",
        ),
        (
            lambda: find_task("states(PARTIY)"),
            UnknownNameError,
            f"language 'PARTIY' is unknown. Known: {', '.join(LANGUAGES)}.\nhint: did you mean 'PARITY'?",
        ),
        (
            lambda: (
                (xp := numpy_arrays())
                and find_task("(aaaa)*").sample(open_stream(DATA, seed=0, xp=xp), xp.asarray([5]), 8, xp)
            ),
            NoSuchWordError,
            "the language has no word of length 5.\nhint: the nearest lengths with words are 4 and 8.",
        ),
    ],
    ids=["no symbols", "no number", "too long", "empty sets", "empty states", "wide", "typo", "typo in states", "gap"],
)
def test_a_task_that_cannot_be_says_why(make: object, kind: type[LengthwiseError], text: str) -> None:
    with pytest.raises(kind) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == text


def test_a_language_may_have_as_many_symbols_as_a_set_has_bits() -> None:
    task = NextSymbols(many_symbols(MAX_SYMBOLS), "wide")
    for table in (numpy_arrays(), torch_arrays()):
        _, targets, _, _ = next(iter(instances(draw_batch(task, size=1, longest=2, xp=table))))
        assert targets[0] == 2**63 - 1


def test_a_regular_task_is_about_its_language_whatever_it_is_called() -> None:
    assert find_task("(aa)*").sets == NextSymbols(compile_regex("(aa)*"), "other").sets  # type: ignore[attr-defined]
