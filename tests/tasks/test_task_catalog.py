"""The whole catalogue of tasks: samplers against oracles and on every array library, what definitions promise, and seeds.

Training and evaluation: the instances of both are independent draws from one distribution, from streams of their own. At
lengths that both have, they share what the distribution repeats: everything where there are few prompts of a length, the
likeliest ones where a count is uniform (40 bits are all 0 with probability 1/41), next to nothing otherwise. What decides
about length generalization are the bins beyond the training lengths, and no prompt is in two of these.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from uniformity import assert_uniform, chi_square_limit

from lengthwise.arrays import Arrays, numpy_arrays, torch_arrays
from lengthwise.seeds import DATA, EVALUATION, open_stream
from lengthwise.tasks.core.catalog import MODULES, TASKS
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.task import EOS, IGNORE, Batch, Objective, Task
from lengthwise.train.batches import make_batch

SOURCE = Path(__file__).parents[2] / "src"


def test_the_index_names_every_family_of_every_module() -> None:
    for module, names in MODULES.items():
        families = import_module(f"lengthwise.tasks.{module}").FAMILIES
        assert [family.name for family in families] == names.split(), module
    assert len(TASKS) == sum(len(names.split()) for names in MODULES.values())


def test_few_tasks_are_made_one_instance_at_a_time() -> None:
    assert sum(TASKS[name]().host_only for name in TASKS) <= 15


# Oracles and array libraries


def arrays_of(batch: Batch) -> list[Any]:
    return [np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB)]


def digest(arrays: Sequence[Any]) -> str:
    assert all(part.dtype == np.int64 for part in arrays)
    return sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in arrays)).hexdigest()[:16]


def as_on_a_gpu() -> Arrays:
    """Return the table for torch on the CPU that samplers take for one on a GPU, where nothing may be looked at."""
    return replace(torch_arrays(), may_look=False)


def check_samples(task: Task, number: int, tables: Sequence[Arrays]) -> str:
    """Compare random instances with the oracle, and the array libraries with each other; return the hash of all."""
    lengths = task.lengths(0, 40)
    hashes, batches = [], []
    for xp in tables:
        draw = open_stream(DATA, seed=[0, 7], xp=xp).at(3)
        chosen = xp.asarray(list(lengths))[draw.named("length").integers(len(lengths), (number,))]
        batches.append(arrays_of(task.sample(draw.named("instance"), chosen, max(lengths), xp)))
        hashes.append(digest(batches[-1]))
    assert len(set(hashes)) == 1, hashes
    tokens, targets, sizes, scale = batches[0]
    for place in np.ndindex(tokens.shape[:2]):
        size, length = int(sizes[place]), int(scale[place])
        assert size <= task.size(length)
        prompt, said = task.read_back(tokens[place][:size].tolist(), targets[place][:size].tolist())
        if task.objective is Objective.ANSWER and said and said[-1] == EOS:
            said = said[:-1]
        assert list(said) == list(task.answer(prompt)), prompt
        scored = set(np.flatnonzero(targets[place] != IGNORE).tolist())
        assert scored
        assert scored <= set(task.scored(length))
    return hashes[0]


@pytest.mark.parametrize("name", TASKS)
def test_samples_are_what_the_oracle_says_on_every_library(name: str) -> None:
    check_samples(TASKS[name](), 60, (numpy_arrays(), torch_arrays()))


def test_letters_are_drawn_in_groups_on_a_core_and_at_once_on_a_gpu_with_the_same_result() -> None:
    check_samples(TASKS["majority"](), 60, (numpy_arrays(), as_on_a_gpu()))


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_two_thousand_samples_are_what_the_oracle_says_on_every_library(name: str) -> None:
    print(name, check_samples(TASKS[name](), 1000, (numpy_arrays(), torch_arrays(), as_on_a_gpu())))


# Lengths


def drawn_lengths(task: Task, longest: int, number: int) -> tuple[Counter[int], tuple[int, ...]]:
    xp = numpy_arrays()
    lengths = task.lengths(0, longest)
    batch = make_batch(task, lengths, number, open_stream(DATA, seed=0, xp=xp).at(11), xp)
    return Counter(batch.scale_MB.tolist()), lengths


@pytest.mark.parametrize("name", TASKS)
def test_the_lengths_of_a_batch_are_uniform_over_those_that_the_task_has(name: str) -> None:
    longest = 16 if len(TASKS[name]().lengths(0, 16)) > 1 else 30
    assert_uniform(*drawn_lengths(TASKS[name](), longest, 400))


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_the_lengths_of_a_large_batch_are_uniform_up_to_fifty(name: str) -> None:
    assert_uniform(*drawn_lengths(TASKS[name](), 50, 4000))


# What the definitions promise

Values = Sequence[object] | Mapping[Any, float]
Statistic = Callable[[list[str], list[str]], object]
Claim = tuple[int, Statistic, Values | Callable[[], Values]]
"""A length, what is looked at in prompt and answer, and its values: equally likely, or with their probabilities."""

DIGITS, BITS, LETTERS = tuple("0123456789"), tuple("01"), tuple("abcdefghijklmnopqrstuvwxyz")
TOKENS = [f"s{number}" for number in range(150)]


def whole(prompt: list[str], _: list[str]) -> object:
    return " ".join(prompt)


def label(_: list[str], said: list[str]) -> object:
    return "".join(said)


def last_label(_: list[str], said: list[str]) -> object:
    return said[-1]


def symbol(place: int) -> Statistic:
    return lambda prompt, _: prompt[place]


def number_of(symbol: str, start: int = 0, step: int = 1) -> Statistic:
    return lambda prompt, _: prompt[start::step].count(symbol)


def place_of(symbol: str) -> Statistic:
    return lambda prompt, _: prompt.index(symbol)


def agreeing(prompt: list[str], _: list[str]) -> object:
    """Return on how many digits at the front both numbers of x,y= agree."""
    one, two = "".join(prompt[:-1]).split(",")
    return next((place for place in range(len(one)) if one[place] != two[place]), len(one))


def shorter(prompt: list[str], _: list[str]) -> object:
    """Return how many digits the shorter number of x+y= has, leading zeros left out."""
    return min(len(number.lstrip("0")) or 1 for number in "".join(prompt[:-1]).split("+"))


def arm(prompt: list[str], said: list[str]) -> object:
    """Return which of the edges that leave the centre of a star is the first of the answer."""
    return [two for one, two in zip(prompt[:-3:2], prompt[1:-3:2], strict=True) if one == said[0]].index(said[1])


def first_edge(prompt: list[str], _: list[str]) -> object:
    """Return where in a maze of two edges the path is, and whether it is written forwards."""
    path = prompt[-2:]
    return next((place, pair == path) for place in (0, 2) if set(pair := prompt[place : place + 2]) == set(path))


def functions(prompt: list[str], _: list[str]) -> object:
    """Return how many symbols are words rather than letters."""
    return sum(len(word) > 1 for word in prompt)


def words_of(name: str, length: int) -> list[object]:
    """Return all words of this length in the language of a task, one by one."""
    task: Any = TASKS[name]()
    return [" ".join(word) for word in product(task.symbols, repeat=length) if word in task.language]


COUNTED = {
    "count_symbol": "x",
    "count_mod": "x",
    "parity": "1",
    "parity_cot": "1",
    "parity_cot_aligned": "1",
    "count_cot": "1",
}
PAIRS = ["a a", "a b", "b a", "b b"]
SHUFFLES = [" ".join(word) for word in ("()()", "(())", "[][]", "[[]]", "()[]", "[]()", "([)]", "[(])", "([])", "[()]")]
TWO_TYPES = [f"({i} ){i} ({j} ){j}" for i in "12" for j in "12"] + [f"({i} ({j} ){j} ){i}" for i in "12" for j in "12"]
PERMUTATIONS = [f"g{''.join(order)}" for order in permutations("01234")]
CLAIMS: dict[str, list[Claim]] = {
    **{name: [(9, number_of(counted), range(10))] for name, counted in COUNTED.items()},
    "majority_cot": [(9, number_of("1"), range(10)), (9, last_label, BITS)],
    "bin_majority": [(8, number_of("0"), [0, 1, 2, 3, 5, 6, 7, 8]), (9, number_of("0"), range(10)), (8, label, BITS)],
    "bin_majority_interleave": [(12, number_of("0", start, 3), [0, 1, 3, 4]) for start in range(3)],
    "majority": [(2, symbol(1), LETTERS), (12, label, LETTERS)],
    **{name: [(3, symbol(0), TOKENS)] for name in ("unique_copy", "sort", "reverse_unique", "sort_cot")},
    "copy_every": [(3, symbol(1), TOKENS)],
    **{
        name: [(2, whole, PAIRS)]
        for name in ("repeat_copy", "duplicate", "odds_first", "shift", "reverse", "swap_pairs")
    },
    "transpose": [(1, whole, [" ".join(row) for row in product("ab", repeat=3)])],
    "add_columns": [(1, whole, [f"{one} + {two}" for one in DIGITS for two in DIGITS])],
    **{name: [(2, symbol(1), LETTERS[:5])] for name in ("mode", "most_freq", "bucket_sort")},
    **{name: [(2, symbol(1), LETTERS[:8])] for name in ("histogram", "double_histogram")},
    "count_up": [(5, symbol(0), TOKENS[: 150 - 4])],
    "missing_duplicate": [(8, place_of("_"), range(8)), (8, label, "ab")],
    "sort_multidigit": [(6, symbol(0), DIGITS), (6, symbol(4), DIGITS)],
    "max": [(5, label, TOKENS[:20])],
    "min": [(5, label, TOKENS[:20])],
    "argmax": [(12, label, [str(place) for place in range(1, 13)])],
    "kth_largest": [(length, label, [f"s{k}" for k in range(20)]) for length in (2, 9)],
    "selective_copy": [(9, number_of("."), range(9))],
    **{
        name: [(1, symbol(0), LETTERS), (2, lambda word, _: word[0] == word[1], {True: 3 / 4, False: 1 / 4})]
        for name in ("dedup", "unique_sorted")
    },
    "palindrome": [(length, label, "yn") for length in (2, 10)],
    "marked_reversal": [(length, label, "yn") for length in (3, 11)],
    "flip_flop": [
        (21, lambda prompt, _: max(place for place, symbol in enumerate(prompt) if symbol == "w"), range(2, 20, 2)),
        (21, label, BITS),
    ],
    "mqar": [
        (3, symbol(0), [f"k{number}" for number in range(64)]),
        (3, label, [f"v{number}" for number in range(64)]),
    ],
    "mqar_compositional": [(5, label, [f"v{number}" for number in range(16)])],
    "mqar_forgetting": [(9, symbol(1), [f"v{number}" for number in range(16)])],
    "mkar": [(9, symbol(0), LETTERS[:16])],
    "induction": [(9, lambda prompt, _: prompt.index(prompt[-1]), range(7))],
    "index_lookup": [(9, symbol(-1), DIGITS[1:9])],
    "needle": [(12, label, [f"V{number}" for number in range(16)])],
    **{
        name: [(12, place_of(sign), range(1, 10))]
        for name, sign in (
            ("addition", "+"),
            ("add_decimal", "+"),
            ("subtract", "-"),
            ("mul_nxm", "*"),
            ("multiply_binary", "*"),
        )
    },
    "add_multi": [(6, symbol(place), DIGITS) for place in (0, 2, 4)],
    "increment": [(1, symbol(0), dict.fromkeys(DIGITS[:9], 0.05) | {"9": 0.55})],
    "mul_nx1": [(6, symbol(-2), DIGITS)],
    "mul_nx2": [(7, symbol(-3), DIGITS[1:]), (7, symbol(-2), DIGITS)],
    **{
        f"bitwise_{name}": [(4, lambda prompt, _: prompt[0] + prompt[2], ["00", "01", "10", "11"])]
        for name in ("or", "xor", "and")
    },
    "isqrt": [(4, whole, [f"1 {' '.join(rest)}" for rest in product("01", repeat=3)])],
    "compare": [(10, agreeing, range(5))],
    "divide": [(6, symbol(-2), DIGITS[1:])],
    "sum_mod": [(5, label, DIGITS)],
    "mod_arith": [(5, symbol(1), "+-*"), (5, symbol(2), DIGITS[:5])],
    "mod_arith_brackets": [(5, symbol(2), "+-*"), (5, symbol(1), DIGITS[:5])],
    "solve_equation": [(7, place_of("x"), [1, 3])],
    "poly_eval": [(4, symbol(0), DIGITS), (4, symbol(3), DIGITS)],
    "turing_program": [(6, symbol(-1), BITS), (6, symbol(1), list(map("".join, product("01", "LR", "AB"))))],
    "dyck_cot": [(10, last_label, ["yes", "no"])],
    "state_track_cot": [(2, symbol(1), ["123", "132", "213", "231", "312", "321"])],
    "add_cot": [(10, shorter, range(1, 5))],
    "mul_cot": [(6, symbol(-2), DIGITS)],
    "div_cot": [(6, symbol(-2), DIGITS[1:])],
    "dyck_1": [(6, whole, ["( ( ( ) ) )", "( ( ) ( ) )", "( ( ) ) ( )", "( ) ( ( ) )", "( ) ( ) ( )"])],
    "shuffle_dyck_2": [(4, whole, SHUFFLES)],
    **{name: [(4, whole, TWO_TYPES)] for name in ("dyck", "dyck_bounded")},
    "anbn": [(4, whole, ["a a b b"])],
    "anbncn": [(6, whole, ["a a b b c c"])],
    "anbncndn": [(8, whole, ["a a b b c c d d"])],
    **{name: [(3, whole, ["a a 0", "a a 1", "b 0 0", "b 0 1", "b 1 0", "b 1 1"])] for name in ("bool_3", "bool_5")},
    "stack_manipulation": [(9, functions, range(5, 9))],
    "block_alternation": [(5, whole, ["a a a b a", "a a b b a", "a a b a a", "a b b b a", "a b b a a", "a b a a a"])],
    "random_regular": [(5, whole, partial(words_of, "random_regular", 5))],
    "subregular": [(3, whole, [" ".join(w) for w in product("abc", repeat=3) if "aa" not in "".join(w)])],
    **{name: [(12, label, "yn")] for name in ("accepts", "even_pairs", "first", "repeat_01")},
    "word_problem": [(2, label, PERMUTATIONS)],
    "word_problem_states": [(1, symbol(0), PERMUTATIONS)],
    "mqar_word_problem": [
        (9, symbol(-1), ["k0", "k1", "k2", "k3"]),
        (9, label, ["g012", "g021", "g102", "g120", "g201", "g210"]),
    ],
    "swap_tracking": [(2, symbol(1), [f"swap{i}{j}" for i in range(5) for j in range(i + 1, 5)])],
    "cycle_navigation": [(2, symbol(1), ["stay", "on", "back"])],
    "grid_1d": [(2, symbol(1), ["left", "right"])],
    "grid_2d": [(2, symbol(1), ["left", "right", "up", "down"])],
    "variable_chain": [
        (5, symbol(-1), "abcde"),
        (5, symbol(1), DIGITS),
        (9, label, DIGITS),
    ],
    "lego": [(17, label, "+-")],
    "kinship": [(18, label, ["sibling", "father", "mother", "spouse"])],
    "path_star": [(15, arm, range(3))],
    "maze_hops": [(7, first_edge, [(place, forwards) for place in (0, 2) for forwards in (True, False)])],
    "minesweeper": [(10, symbol(7), {"*": 1 / 4, ".": 3 / 4})],
    "life_step": [(15, symbol(7), "o.")],
    "sudoku_row": [(length, label, ["yes", "no"]) for length in (2, 9)],
    "scan": [
        (3, lambda prompt, _: prompt[1] in ("and", "after"), [True, False]),
        (3, symbol(0), ["walk", "look", "run", "jump"]),
    ],
    "pcfg": [(9, functions, range(1, 9)), (9, symbol(-1), LETTERS[:8])],
    "nested_clauses": [(5, symbol(0), ["Emma", "Liam", "Olivia", "Noah", "Ava", "Mia", "Leo", "Zoe"])],
    "circuit_value": [(8, symbol(1), ["and", "or", "xor", "nand"])],
    "listops": [(3, symbol(0), ["[max", "[min", "[med", "[sum"]), (3, symbol(1), DIGITS)],
    "hanoi": [(5, lambda prompt, _: prompt[-2] + prompt[-1], ["ab", "ac", "ba", "bc", "ca", "cb"])],
    "icl_map": [(9, symbol(0), [f"k{number}" for number in range(8)]), (9, label, ["v0", "v1", "v2", "v3"])],
    "icl_regression": [(7, label, DIGITS[:5])],
    "icl_markov": [(9, symbol(0), "abc")],
    "icl_dfa": [
        (31, label, "+-"),
        (7, lambda prompt, _: "".join(prompt[:3]), list(map("".join, product("ab", repeat=3)))),
    ],
    "icl_majority": [(12, number_of("+"), [0, 1, 2, 4, 5, 6]), (12, label, "+-")],
    "icl_overwrite": [(9, symbol(0), [f"k{number}" for number in range(8)]), (9, symbol(1), ["v0", "v1", "v2", "v3"])],
}
UNSEEN = {"gcd": "the number that both are multiples of is not shown, and their gcd may be a multiple of it"}


def test_every_task_has_a_claim_about_its_distribution_or_a_reason_why_not() -> None:
    assert set(CLAIMS) | set(UNSEEN) == set(TASKS)
    assert not set(CLAIMS) & set(UNSEEN)


def drawn(task: Task, length: int, number: int) -> list[tuple[list[str], list[str]]]:
    """Return prompts and what their targets say, without the end."""
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=2, xp=xp).at(0), xp.asarray([length] * number), length, xp)
    pairs = [
        task.read_back(tokens, targets)
        for tokens, targets in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True)
    ]
    return [(prompt, said[:-1] if task.objective is Objective.ANSWER else said) for prompt, said in pairs]


def check_claim(task: Task, claim: Claim, per_value: int) -> None:
    """Compare counts with probabilities: chi-square, with a bound that chance passes 3 times in 100,000."""
    length, statistic, given = claim
    values = given() if callable(given) else given
    shares = values if isinstance(values, Mapping) else dict.fromkeys(values, 1 / len(values))
    number = min(int(per_value / min(shares.values())), 200 * per_value)
    counts = Counter(statistic(prompt, said) for prompt, said in drawn(task, length, number))
    assert set(counts) <= set(shares)
    distance = sum((counts[value] - number * share) ** 2 / (number * share) for value, share in shares.items())
    assert len(shares) == 1 or distance < chi_square_limit(len(shares) - 1), counts


@pytest.mark.parametrize("name", CLAIMS)
def test_samples_are_distributed_as_the_definition_says(name: str) -> None:
    for claim in CLAIMS[name]:
        check_claim(TASKS[name](), claim, 25)


@pytest.mark.full
@pytest.mark.parametrize("name", CLAIMS)
def test_ten_times_as_many_samples_are_distributed_as_the_definition_says(name: str) -> None:
    for claim in CLAIMS[name]:
        check_claim(TASKS[name](), claim, 250)


def test_a_claim_that_is_false_is_found() -> None:
    for name, claim in (
        ("parity", (9, number_of("1"), range(11))),
        ("bin_majority", (8, number_of("0"), range(9))),
        ("repeat_copy", (2, whole, {"a a": 0.3, "a b": 0.2, "b a": 0.2, "b b": 0.3})),
    ):
        with pytest.raises(AssertionError):
            check_claim(TASKS[name](), claim, 250)


# Nothing depends on the hash seed of Python

SAMPLED = """
import sys
from hashlib import sha256

import numpy as np

from lengthwise.arrays import numpy_arrays
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import TASKS
from lengthwise.train.batches import make_batch

hashed, xp = sha256(), numpy_arrays()
for name in sys.argv[1].split() or TASKS:
    task = TASKS[name]()
    batch = make_batch(task, task.lengths(0, 16), 24, open_stream(DATA, seed=[0, 3], xp=xp).at(1), xp)
    hashed.update(repr((name, task.name, task.definition, task.vocabulary, task.lengths(0, 16))).encode())
    for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB):
        hashed.update(np.ascontiguousarray(part).tobytes())
    prompt, said = task.read_back(batch.tokens_MBL[0, 0].tolist(), batch.targets_MBL[0, 0].tolist())
    hashed.update(repr((prompt, said, task.answer(prompt))).encode())
print(hashed.hexdigest())
"""


def hashes_of_samples(names: str) -> list[str]:
    """Return the hash of samples of these tasks, or of all, under three hash seeds; processes run one after the other."""
    return [
        subprocess.run(
            [sys.executable, "-c", SAMPLED, names],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    ]


@pytest.mark.full
def test_samples_of_some_tasks_do_not_depend_on_the_hash_seed() -> None:
    names = "majority dedup mqar add_decimal state_track_cot random_regular dyck_bounded word_problem lego scan icl_dfa"
    assert len(set(hashes_of_samples(names))) == 1


@pytest.mark.full
def test_samples_of_no_task_depend_on_the_hash_seed() -> None:
    assert len(set(hashes_of_samples(""))) == 1


# Training and evaluation

FEW_PROMPTS = {
    "count_up": "two numbers, one of which is free: 111 prompts",
    "anbn": "one word of a length",
    "anbncn": "one word of a length",
    "anbncndn": "one word of a length",
    "block_alternation": "where two blocks begin: 741 words",
    "repeat_01": "one word in the language and those that differ from it by a small change",
    "hanoi": "six pairs of pegs; its longest length is 10",
    "accepts": "half a million words in D_2 at length 40",
}
UNIFORM_COUNT = {
    **dict.fromkeys(
        ("bin_majority", "parity", "parity_cot", "parity_cot_aligned", "count_cot", "majority_cot"), "the number of 1s"
    ),
    "bin_majority_interleave": "the number of 0s of each stream",
    **dict.fromkeys(("count_symbol", "count_mod"), "the number of xs"),
    "selective_copy": "the number of letters among blanks",
    **dict.fromkeys(("max", "min", "argmax", "kth_largest"), "the bound of all tokens, which may be the smallest"),
    **dict.fromkeys(("dedup", "unique_sorted"), "the number of letters, which may be 1"),
    "increment": "the number of 9s at the end",
}
"""What is uniform where a few prompts are likely although there are many."""
LONG = 40


def rows_of(name: str, stream: str, number: int) -> list[bytes]:
    """Return instances of one length near forty, as bytes; the prompt determines the rest."""
    task, xp = TASKS[name](), numpy_arrays()
    length = min(task.lengths(0, LONG + 10), key=lambda length: (abs(length - LONG), length))
    batch = task.sample(open_stream(stream, seed=0, xp=xp).at(0), xp.asarray([length] * number), length, xp)
    return [row.tobytes() for row in batch.tokens_MBL]


def seen_before(name: str) -> int:
    """Return how many of 1,000 evaluation instances are among 4,000 for training."""
    trained = set(rows_of(name, DATA, 4000))
    return sum(row in trained for row in rows_of(name, EVALUATION, 1000))


@pytest.mark.parametrize("name", ["unique_copy", "add_decimal", "parity", "word_problem", "hanoi"])
def test_some_tasks_share_no_long_prompt_between_training_and_evaluation_and_some_must(name: str) -> None:
    assert (seen_before(name) > 0) is (name in {**FEW_PROMPTS, **UNIFORM_COUNT})


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_training_and_evaluation_share_long_prompts_only_where_few_are_likely(name: str) -> None:
    shared = seen_before(name)
    assert (shared > 0) is (name in {**FEW_PROMPTS, **UNIFORM_COUNT}), shared


@pytest.mark.parametrize("name", TASKS)
def test_no_prompt_is_in_two_bins_of_lengths(name: str) -> None:
    task, xp = TASKS[name](), numpy_arrays()
    longest = max(task.lengths(0, 24))
    train = min(8, longest // 2) if len(task.lengths(0, 8)) else max(task.lengths(0, 12) or task.lengths(0, 15))
    seen: dict[tuple[str, ...], int] = {}
    draw = partial(open_stream, EVALUATION, seed=0, xp=xp)
    bins = [task.lengths(bounds.low, bounds.high) for bounds in length_bins(train, longest)]
    bins = [lengths for lengths in bins if lengths]
    assert len(bins) > 1
    assert sum(map(len, bins)) == len(set().union(*bins)) == len(task.lengths(0, longest))
    for number, lengths in enumerate(bins):
        batch = make_batch(task, lengths, 30, draw().at(number), xp)
        assert set(batch.scale_MB.tolist()) <= set(lengths)
        for tokens, targets in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True):
            prompt = tuple(task.read_back(tokens, targets)[0])
            assert seen.setdefault(prompt, number) == number
