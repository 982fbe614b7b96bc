"""Copying and retrieval: oracles on cases made by hand, documented distributions, roles, and the programs that facts claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from task_families import families_of

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import generate
from lengthwise.crasp.measures import fragment_of
from lengthwise.crasp.parser import parse_program
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.family import Group
from lengthwise.tasks.core.task import Batch, Task
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide

FAMILIES = families_of("copying.copy_every", "copying.reversal", "copying.selecting", "retrieval")


def draw_batch(task: Task, length: int, size: int = 4000, *, seed: int = 0, width: int | None = None) -> Batch:
    xp = numpy_arrays()
    return task.sample(open_stream(DATA, seed=seed, xp=xp), xp.asarray([length] * size), width or length, xp)


def instances(task: Task, length: int, size: int = 4000) -> Iterator[tuple[list[str], list[str]]]:
    batch = draw_batch(task, length, size)
    for tokens, targets in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True):
        prompt, stated = task.read_back(tokens, targets)
        yield prompt, stated[:-1]


def assert_near(number: float, expected: float, size: int) -> None:
    """Assert that a share of so many draws is within five standard deviations of the expected one."""
    assert abs(number - expected) <= 5 * (expected * (1 - expected) / size) ** 0.5


# Oracles


@pytest.mark.parametrize(
    ("name", "arguments", "prompt", "answer"),
    [
        ("copy_every", (1,), "s3 s1 s2", "s3 s1 s2"),
        ("copy_every", (2,), "# s3 s1 s2", "s3 s2"),
        ("copy_every", (2,), "# s3 s1 s2 s9", "s3 s2"),
        ("copy_every", (3,), "# # s5", "s5"),
        ("copy_every", (3,), "# # s5 s1 s2 s7 s8 s9 s0", "s5 s7 s0"),
        ("reverse", (), "a b b", "b b a"),
        ("reverse_unique", (9,), "s1 s2 s8", "s8 s2 s1"),
        ("selective_copy", (), ". a . . b a .", "a b a"),
        ("selective_copy", (), "d", "d"),
        ("dedup", (), "c a c b a", "c a b"),
        ("unique_sorted", (), "c a c b a", "a b c"),
        ("palindrome", (), "a b b a", "y"),
        ("palindrome", (), "a b a b a", "y"),
        ("palindrome", (), "a b", "n"),
        ("palindrome", (), "a a b b a b", "n"),
        ("marked_reversal", (), "a b # b a", "y"),
        ("marked_reversal", (), "a b # a b", "n"),
        ("marked_reversal", (), "b # b", "y"),
        ("flip_flop", (), "w 1 r", "1"),
        ("flip_flop", (), "w 0 i 1 w 1 i 0 r 1 i 0 r", "1"),
        ("flip_flop", (), "w 1 w 0 i 1 r", "0"),
        ("mqar", (4,), "k1 v3 k0 v2 k0 k1", "v2 v3"),
        ("mqar", (4,), "k1 v3 k1", "v3"),
        ("mqar_compositional", (), "x1 y2 v0 x1 y3 v5 x1 y3 x1 y2", "v5 v0"),
        ("mqar_forgetting", (), "k1 v3 k0 v2 k1 v4 k1 k0 k1", "v4 v2 v4"),
        ("mkar", (1,), "a b a c a", "c"),
        ("mkar", (2,), "a b c a b d a b", "d"),
        ("mkar", (2,), "a b c b a b", "c"),
        ("mkar", (2,), "a a a c a a", "c"),
        ("mkar", (2,), "a b a a a", "a"),
        ("induction", (), "a b c a", "b"),
        ("induction", (), "z q z", "q"),
        ("index_lookup", (), "a b c 2", "b"),
        ("index_lookup", (), "a b c d e f g h i j k 1 0", "j"),
        ("needle", (1,), "a K3 V1 b K0 V7 c K0", "V7"),
        ("needle", (0,), "K3 V1 K3", "V1"),
    ],
)
def test_the_oracles_answer_what_anyone_would(name: str, arguments: tuple[int, ...], prompt: str, answer: str) -> None:
    assert FAMILIES[name](*arguments).answer(prompt.split()) == answer.split()


def test_the_families_are_of_one_group() -> None:
    assert {family.group for family in FAMILIES.values()} == {Group.COPYING}


@pytest.mark.parametrize(
    ("name", "texts", "called"),
    [
        ("copy_every", [], "copy_every"),
        ("copy_every", ["3"], "copy_every(3)"),
        ("copy_every", ["2", "20"], "copy_every(2, 20)"),
        ("copy_every", ["2", "20", "whole"], "copy_every(2, 20, whole)"),
        ("copy_every", ["1", "20", "whole"], "copy_every(1, 20)"),
        ("copy_every", ["3", "150", "any"], "copy_every(3)"),
        ("reverse_unique", ["20"], "reverse_unique(20)"),
        ("mqar", ["10"], "mqar(10)"),
        ("mkar", ["2"], "mkar"),
        ("needle", ["0"], "needle(0)"),
    ],
)
def test_a_task_is_named_by_the_parameters_that_are_not_default(name: str, texts: list[str], called: str) -> None:
    assert FAMILIES[name].read(texts).name == called


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("copy_every", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("palindrome", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("marked_reversal", (3, 5, 7, 9)),
        ("flip_flop", (5, 7, 9)),
        ("mqar", (3, 6, 9)),
        ("mqar_compositional", (5, 10)),
        ("mkar", (5, 6, 7, 8, 9, 10)),
        ("index_lookup", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("needle", (9, 10)),
    ],
)
def test_the_lengths_are_those_with_instances(name: str, lengths: tuple[int, ...]) -> None:
    assert FAMILIES[name]().lengths(0, 10) == lengths


# Formats


def test_whole_inputs_of_copy_every_end_where_the_next_token_to_copy_would_be() -> None:
    task = FAMILIES["copy_every"](3, 20, "whole")
    assert task.lengths(0, 15) == (5, 8, 11, 14)
    assert task.lengths(16, 22) == (17, 20)  # 18 tokens; 21 would be too many
    with pytest.raises(InvalidOptionError, match=r"length 23 is too long.*20 different symbols") as caught:
        task.lengths(0, 24)
    assert caught.value.hint == "use lengths up to 20, or a larger alphabet: copy_every(3, 21, whole)."
    assert FAMILIES["copy_every"](3, 21, "whole").lengths(0, 24)[-1] == 23
    with pytest.raises(InvalidOptionError, match="at least 3 different tokens; found 2 symbols"):
        FAMILIES["copy_every"](3, 2, "whole")
    for length in task.lengths(0, 15):
        prompt = ["<bos>", *["#"] * 2, *[f"s{number}" for number in range(length - 2)], "<sep>"]
        last = task.answer(prompt[1:-1])[-1]
        assert prompt[prompt.index(last) + 3] == "<sep>"


def test_copy_every_begins_with_marks_and_asks_for_every_kth_token() -> None:
    task = FAMILIES["copy_every"](3, 20)
    batch = draw_batch(task, 8, 1)
    words = [task.vocabulary[token] for token in batch.tokens_MBL[0].tolist()]
    assert words[:3] == ["<bos>", "#", "#"]
    assert len(set(words[3:9])) == 6
    assert words[9:] == ["<sep>", words[3], words[6], "<eos>"]


def test_values_are_asked_for_behind_the_key_that_is_asked_for() -> None:
    for name, step in (("mqar", 2), ("mqar_compositional", 3), ("mqar_forgetting", 2)):
        task = FAMILIES[name]()
        length = task.lengths(0, 20)[-1]
        batch = draw_batch(task, length, 3)
        pairs = length // (2 * step - 1)
        separator = pairs * step + 1
        assert batch.tokens_MBL.shape[-1] == task.size(length) == 2 * separator + 1
        assert (batch.tokens_MBL[:, separator] == task.token("<sep>")).all()
        asked = [*range(separator + step - 1, 2 * separator - 1, step), 2 * separator - 1]
        scored = batch.targets_MBL != -100
        assert np.flatnonzero(scored[0]).tolist() == asked
        assert (scored == scored[0]).all()
        assert (batch.targets_MBL[:, asked] == batch.tokens_MBL[:, np.asarray(asked) + 1]).all()
        assert set(asked) <= set(task.scored(length))


# Roles


@pytest.mark.parametrize("name", ["copy_every", "reverse", "reverse_unique", "selective_copy", "dedup"])
def test_tokens_with_one_role_are_a_token_and_its_copy(name: str) -> None:
    task = FAMILIES[name]()
    batch = draw_batch(task, 9, 200, width=12)
    roles = task.roles(batch, numpy_arrays())
    assert roles is not None
    assert (roles >= 0).all()
    for tokens, own, size in zip(batch.tokens_MBL.tolist(), roles.tolist(), batch.sizes_MB.tolist(), strict=True):
        told = {role: token for token, role in zip(tokens[1:10], own[1:10], strict=True) if role}
        assert len(told) == sum(role > 0 for role in own[1:10])
        for token, role in zip(tokens[11 : size - 1], own[11 : size - 1], strict=True):
            assert told[role] == token


# Distributions


def test_half_of_the_words_read_the_same_backwards_and_the_others_have_the_same_letters_in_both_halves() -> None:
    size = 8000
    for name, length in (("palindrome", 20), ("palindrome", 21), ("marked_reversal", 21)):
        kinds: Counter[str] = Counter()
        for prompt, (stated,) in instances(FAMILIES[name](), length, size):
            half = length // 2
            wrong = sum(one != two for one, two in zip(prompt[:half], prompt[::-1][:half], strict=True))
            balanced = sorted(prompt[:half]) == sorted(prompt[-half:])
            pairs = [Counter(pairwise(part)) for part in (prompt[-half:], prompt[:half][::-1])]
            same_pairs = pairs[0] == pairs[1]
            kinds["right" if stated == "y" else "moved" if same_pairs else "swapped" if balanced else "changed"] += 1
            assert (wrong == 0) == (stated == "y")
            assert stated == "y" or balanced or wrong == 1
            kinds["end"] += prompt[0] != prompt[-1]
        assert_near(kinds["right"] / size, 1 / 2, size)
        assert kinds["moved"] > 0.3 * size
        assert kinds["changed"] < 0.01 * size  # all letters of a half are the same
        assert kinds["end"] < 0.02 * size  # all letters but the last are


def test_short_words_that_cannot_be_mixed_have_a_symbol_changed() -> None:
    found = Counter((tuple(prompt), stated) for prompt, (stated,) in instances(FAMILIES["palindrome"](), 2))
    assert set(found) == {(("a", "a"), "y"), (("b", "b"), "y"), (("a", "b"), "n"), (("b", "a"), "n")}
    for number in found.values():
        assert_near(number / 4000, 1 / 4, 4000)


def test_eight_in_ten_instructions_are_ignored_and_reads_show_the_right_bit() -> None:
    kinds: Counter[str] = Counter()
    for prompt, _ in instances(FAMILIES["flip_flop"].read(["paper"]), 21):
        assert (prompt[0], prompt[-1]) == ("w", "r")
        kinds.update(prompt[2:-1:2])
        stored = ""
        for instruction, bit in zip(prompt[0:-1:2], prompt[1::2], strict=True):
            stored = bit if instruction == "w" else stored
            assert instruction != "r" or bit == stored
    size = 4000 * 9
    assert kinds.total() == size
    for instruction, share in (("w", 0.1), ("r", 0.1), ("i", 0.8)):
        assert_near(kinds[instruction] / size, share, size)


def test_a_balanced_flip_flop_writes_twice_and_both_bits_are_equally_frequent() -> None:
    last_writes: Counter[int] = Counter()
    for prompt, (stated,) in instances(FAMILIES["flip_flop"](), 21):
        instructions, bits, stored = prompt[::2], prompt[1::2], ""
        for instruction, bit in zip(instructions, bits, strict=False):
            stored = bit if instruction == "w" else stored
            assert instruction != "r" or bit == stored
        assert stated == stored
        assert (prompt[0], prompt[-1]) == ("w", "r")
        last_writes[len(instructions) - 1 - instructions[::-1].index("w")] += 1
        free = instructions.count("i")
        given = [bit for instruction, bit in zip(instructions, bits, strict=False) if instruction != "i"]
        assert bits.count("1") == 5 or max(given.count("0"), given.count("1")) > 5 or free == 0
    assert set(last_writes) == set(range(1, 10)), "the first write is never the last"
    for number in last_writes.values():
        assert_near(number / 4000, 1 / 9, 4000)


def test_the_letters_of_selective_copy_are_uniform_in_number() -> None:
    found = Counter(len(stated) for _, stated in instances(FAMILIES["selective_copy"](), 5))
    assert set(found) == {1, 2, 3, 4, 5}
    for number in found.values():
        assert_near(number / 4000, 1 / 5, 4000)


def test_keys_are_all_different_and_each_is_asked_for_once() -> None:
    for name, width in (("mqar", 1), ("mqar_compositional", 2)):
        task = FAMILIES[name]()
        length = 7 * (2 * width + 1)
        for prompt, _ in instances(task, length, 300):
            told, asked = prompt[: 7 * (width + 1)], prompt[7 * (width + 1) :]
            keys = [tuple(told[start : start + width]) for start in range(0, len(told), width + 1)]
            assert len(set(keys)) == 7
            assert sorted(keys) == sorted(tuple(asked[start : start + width]) for start in range(0, len(asked), width))
            if width == 2:  # seven of the nine cells of a grid
                assert len({one for one, _ in keys}) == len({two for _, two in keys}) == 3


def test_keys_are_written_again_and_the_last_value_differs_from_the_first() -> None:
    differs = 0
    for prompt, stated in instances(FAMILIES["mqar_forgetting"](), 30, 500):
        pairs = list(zip(prompt[0:20:2], prompt[1:20:2], strict=True))
        first = dict(reversed(pairs))
        differs += [first[key] for key in prompt[20:]] != stated
    assert differs > 250


def test_the_last_letters_of_mkar_occur_before_and_often_more_than_once() -> None:
    repeated = 0
    for prompt, (stated,) in instances(FAMILIES["mkar"](), 60, 1000):
        text = "".join(prompt)
        starts = [start for start in range(58) if text[start : start + 2] == text[-2:]]
        assert text[starts[-1] + 2] == stated
        repeated += len(starts) > 1
    assert 100 < repeated < 300  # 55 other places, each with probability 1 / 256


def test_the_last_letter_of_induction_occurs_once_before_at_a_uniform_place() -> None:
    found = Counter()
    for prompt, _ in instances(FAMILIES["induction"](), 6):
        assert prompt.count(prompt[-1]) == 2
        found[prompt.index(prompt[-1])] += 1
    assert set(found) == {0, 1, 2, 3}
    for number in found.values():
        assert_near(number / 4000, 1 / 4, 4000)


@pytest.mark.parametrize(
    ("length", "largest"), [(2, 1), (5, 4), (10, 9), (11, 9), (12, 10), (13, 11), (50, 48), (102, 99)]
)
def test_numbers_are_uniform_up_to_the_largest_that_fits(length: int, largest: int) -> None:
    found = Counter(
        int("".join(filter(str.isdigit, prompt))) for prompt, _ in instances(FAMILIES["index_lookup"](), length)
    )
    assert set(found) == set(range(1, largest + 1))
    for number in found.values():
        assert_near(number / 4000, 1 / largest, 4000)


@pytest.mark.parametrize("distractors", [0, 2])
def test_pairs_stand_at_uniform_places_in_the_filler(distractors: int) -> None:
    task = FAMILIES["needle"](distractors)
    length = 2 * distractors + 3 + 3  # three symbols of filler
    found: Counter[str] = Counter()
    for prompt, _ in instances(task, length):
        keys = [symbol for symbol in prompt[:-1] if symbol.startswith("K")]
        assert len(set(keys)) == len(keys) == distractors + 1
        assert prompt[-1] in keys
        found[
            "".join("p" if symbol.startswith("K") else "." for symbol in prompt[:-1] if not symbol.startswith("V"))
        ] += 1
    expected = {"".join(order) for order in permutations("p" * (distractors + 1) + "...")}
    assert set(found) == expected
    for number in found.values():
        assert_near(number / 4000, 1 / len(expected), 4000)


# What theory says


def answers_of(name: str) -> dict[Fragment, Answer]:
    return {fragment: decide(FAMILIES[name]().facts, fragment).answer for fragment in Fragment}


@pytest.mark.parametrize(
    "name",
    [
        *("reverse", "selective_copy", "palindrome", "marked_reversal"),
        *("flip_flop", "mqar_forgetting", "mkar", "index_lookup"),
    ],
)
def test_tasks_that_need_too_much_of_the_input_or_the_last_write_have_no_program(name: str) -> None:
    assert set(answers_of(name).values()) == {Answer.NO}


@pytest.mark.parametrize("name", ["copy_every", "reverse_unique", "mqar", "mqar_compositional"])
def test_with_a_fixed_alphabet_different_tokens_can_be_told_by_counting(name: str) -> None:
    verdict = decide(FAMILIES[name]().facts, Fragment.PLAIN)
    assert set(answers_of(name).values()) == {Answer.YES}
    assert verdict.theorem == "finite_inputs"
    assert "C*-RASP" in verdict.reason


@pytest.mark.full
def test_the_program_for_induction_is_plain_and_is_the_oracle_on_short_prompts() -> None:
    task = FAMILIES["induction"]()
    program = task.facts.program
    assert program is not None
    assert fragment_of(program) is Fragment.PLAIN
    num_prompts = 0
    for length in range(3, 6):
        for prompt in product("abz", repeat=length):
            if prompt.count(prompt[-1]) == 2 and prompt[-2] != prompt[-1]:
                assert list(generate(program, [*prompt, "<sep>"])) == task.answer(prompt)
                num_prompts += 1
    assert num_prompts > 50


@pytest.mark.parametrize("name", ["dedup", "unique_sorted", "needle", "induction"])
def test_counting_is_enough_to_find_what_occurs(name: str) -> None:
    assert set(answers_of(name).values()) == {Answer.YES}


def written(rows: list[str], symbols: list[str], prompt: list[str]) -> list[str]:
    head = ["alphabet " + " ".join(f"'{symbol}'" for symbol in (*symbols, "<sep>")), "start '<bos>'", "stop '<eos>'"]
    return list(generate(parse_program("\n".join([*head, *rows])), [*prompt, "<sep>"], max_length=20))


@pytest.mark.full
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_induction_head_that_looks_back_further_copies_every_kth_token(distance: int) -> None:
    """The separator stands for the start symbol; the end comes if no token is that far behind the current one."""
    tokens = ["s0", "s1", "s2", "s3", "s4"]

    def follows(token: str, symbol: str) -> str:
        return f"#['{symbol}' and not after and #{{{distance}}}['{token}'] = 1] > 0"

    rows = ["after := #['<sep>'] > 0"]
    for token in tokens:
        found = [f"'{each}' and {follows(each, token)}" for each in tokens]
        found.append(f"'<sep>' and {follows('<bos>', token)}")
        rows.append(f"next '{token}' := after and ({' or '.join(found)})")
    last = [f"'{each}' and #['<sep>' and #{{1..{distance}}}['{each}'] = 1] > 0" for each in tokens]
    rows.append(f"next '<eos>' := after and ({' or '.join(last)})")
    task = FAMILIES["copy_every"](distance, 5)
    for number in range(1, 6):
        for order in list(permutations(tokens, number))[:60]:
            prompt = [*["#"] * (distance - 1), *order]
            assert written(rows, [*tokens, "#"], prompt) == task.answer(prompt)


def test_looking_one_back_reverses_different_tokens() -> None:
    tokens = ["s0", "s1", "s2", "s3"]
    rows = ["after := #['<sep>'] > 0"]
    for token in tokens:
        found = [f"'{each}' and #['{each}' and not after and #{{1}}['{token}'] = 1] > 0" for each in tokens]
        found.append(f"'<sep>' and #{{1}}['{token}'] = 1")
        rows.append(f"next '{token}' := after and ({' or '.join(found)})")
    first = [f"'{each}' and #['{each}' and #{{1}}['<bos>'] = 1] > 0" for each in tokens]
    rows.append(f"next '<eos>' := after and ({' or '.join(first)})")
    task = FAMILIES["reverse_unique"](4)
    for number in range(1, 5):
        for prompt in permutations(tokens, number):
            assert written(rows, tokens, list(prompt)) == task.answer(prompt)


def test_counting_finds_the_value_behind_the_key_that_occurs_twice() -> None:
    keys, values = ["K0", "K1"], ["V0", "V1"]
    rows = [f"behind_{key} := #[#['{key}'] > 0] = 2" for key in keys]
    for value in values:
        found = [f"#['{key}'] = 2 and #['{value}' and behind_{key}] = 1" for key in keys]
        rows.append(f"next '{value}' := '<sep>' and ({' or '.join(found)})")
    rows.append("next '<eos>' := not '<sep>' and #['<sep>'] > 0")
    symbols = ["a", *keys, *values]
    head = "alphabet " + " ".join(f"'{symbol}'" for symbol in (*symbols, "<sep>")) + "\nstop '<eos>'\n"
    assert fragment_of(parse_program(head + "\n".join(rows))) is Fragment.PLAIN
    task = FAMILIES["needle"](1)
    for gaps in product(range(3), repeat=3):
        for one, two in product(values, repeat=2):
            for first, second in permutations(keys):
                things = [["a"] * gap for gap in gaps]
                prompt = [*things[0], first, one, *things[1], second, two, *things[2]]
                for asked in keys:
                    assert written(rows, symbols, [*prompt, asked]) == task.answer([*prompt, asked])


# Errors


@pytest.mark.parametrize(
    ("name", "texts", "text"),
    [
        (
            "copy_every",
            ["0"],
            "copy_every takes the distance between tokens to copy, a whole number from 1 to 100; found '0'.\n"
            "hint: for example copy_every(2).",
        ),
        (
            "copy_every",
            ["2", "none"],
            "copy_every takes the number of its symbols, a whole number from 1 to 100000; found 'none'.\n"
            "hint: for example copy_every(150).",
        ),
        ("reverse", ["3"], "reverse takes nothing in parentheses; found '3'.\nhint: for example reverse."),
        (
            "mqar",
            ["-1"],
            "mqar takes the number of its keys, a whole number from 1 to 100000; found '-1'.\nhint: for example mqar(64).",
        ),
        (
            "mkar",
            ["21"],
            "mkar takes the number of letters of a key, a whole number from 1 to 20; found '21'.\nhint: for example mkar(2).",
        ),
        (
            "needle",
            ["16"],
            "needle takes the number of other keys, a whole number from 0 to 15; found '16'.\nhint: for example needle(3).",
        ),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused(name: str, texts: list[str], text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        FAMILIES[name].read(texts)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("name", "arguments", "length", "text"),
    [
        (
            "copy_every",
            (3, 20),
            23,
            "length 23 is too long for copy_every(3, 20): it has 20 different symbols.\n"
            "hint: use lengths up to 22, or a larger alphabet: copy_every(3, 21).",
        ),
        (
            "mqar",
            (4,),
            15,
            "length 15 is too long for mqar(4): it has 4 different keys.\nhint: use lengths below 15.",
        ),
        (
            "mqar_compositional",
            (),
            1285,
            "length 1285 is too long for mqar_compositional: it has 256 different keys.\nhint: use lengths below 1285.",
        ),
    ],
)
def test_a_length_that_needs_more_symbols_than_there_are_is_refused(
    name: str, arguments: tuple[int, ...], length: int, text: str
) -> None:
    task = FAMILIES[name](*arguments)
    assert task.lengths(0, length - 1)
    with pytest.raises(InvalidOptionError) as caught:
        task.lengths(0, length)
    assert str(caught.value) == text
