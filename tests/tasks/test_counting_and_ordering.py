"""Tasks of counting and order: oracles, parameters, distributions, and programs that do what the oracles say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from task_families import families_of
from uniformity import assert_uniform

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.interpreter import generate
from lengthwise.crasp.measures import fragment_of
from lengthwise.crasp.programs.catalog import find_program
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import TASKS
from lengthwise.tasks.core.task import EOS, SEP, Batch, Task
from lengthwise.tasks.counting.majorities import BinMajorityInterleave
from lengthwise.tasks.ordering.sort import MultidigitSort, sorting_program
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.theory.theorems import THEOREMS

FAMILIES = families_of("counting.counts", "counting.histograms", "ordering", "copying.permutations")
NOT_DEFAULT = (
    *(("bin_majority_interleave", each) for each in ("2", "6")),
    *(("count_symbol", "unary"), ("count_mod", "2"), ("count_mod", "10"), ("count_up", "40"), ("histogram", "40")),
    *(("mode", "26"), ("most_freq", "2"), ("most_freq", "26"), ("sort_multidigit", "1"), ("sort_multidigit", "6")),
    *(("bucket_sort", "26"), ("max", "2"), ("min", "150"), ("argmax", "unary"), ("argmax", "unary,150")),
    *(("argmax", "numeral,2"), ("kth_largest", "1"), ("kth_largest", "7,3"), ("shift", "3"), ("shift", "100")),
)


def make(text: str) -> Task:
    name, _, arguments = text.rstrip(")").partition("(")
    return FAMILIES[name].read([each.strip() for each in arguments.split(",")] if arguments else [])


def draw(task: Task, lengths: list[int], *, seed: int | list[int] = 0) -> Batch:
    xp = numpy_arrays()
    return task.sample(open_stream(DATA, seed=seed, xp=xp), xp.asarray(lengths), max(lengths), xp)


def cases(task: Task, lengths: list[int]) -> Iterator[tuple[list[str], list[str]]]:
    batch = draw(task, lengths)
    for tokens, targets in zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True):
        prompt, said = task.read_back(tokens, targets)
        assert said[-1] == EOS
        yield prompt, said[:-1]


# Oracles


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [
        ("bin_majority_interleave(2)", "1 0 1 0 0 0", "1 0"),
        ("bin_majority_interleave", "1 0 0", "1 0 0"),
        ("count_up", "s8 s11", "s8 s9 s10 s11"),
        ("count_up", "s3 s3", "s3"),
        ("count_symbol", "a x b x x", "3"),
        ("count_symbol", "x x x x x x x x x x x x", "1 2"),
        ("count_symbol", "a", "0"),
        ("count_symbol(unary)", "a x b x x", "1 1 1"),
        ("count_symbol(unary)", "a b", ""),
        ("count_mod(3)", "x x a x x", "1"),
        ("count_mod(3)", "", "0"),
        ("mode", "c a c b", "c"),
        ("mode", "b a b a", "a"),
        ("histogram", "a b a a", "n3 n1 n3 n3"),
        ("double_histogram", "a a a b b c c d e f", "n1 n1 n1 n2 n2 n2 n2 n3 n3 n3"),
        ("most_freq", "a b b d d c b", "b d a c"),
        ("most_freq", "c a b a", "a c b"),
        ("sort_multidigit", "1 0 , 0 9 , 1 0 , 0 1 ,", "0 1 , 0 9 , 1 0 , 1 0 ,"),
        ("bucket_sort", "c a c b a", "a a b c c"),
        ("max", "s9 s10 s2", "s10"),
        ("min", "s9 s10 s11", "s9"),
        ("argmax", "s9 s2 s10 s3", "3"),
        ("argmax(unary)", "s9 s2 s10 s3", "1 1 1"),
        ("kth_largest", "s9 s10 s10 s2", "s10"),
        ("kth_largest(3)", "s9 s10 s10 s2", "s9"),
        ("odds_first", "a a b b b", "a b b a b"),
        ("missing_duplicate", "a b a b _ a", "b"),
        ("missing_duplicate", "_ b b b", "b"),
        ("shift", "a b b", "b b a"),
        ("shift(4)", "a b b", "b b a"),
    ],
)
def test_the_oracles_answer_what_anyone_would(name: str, prompt: str, answer: str) -> None:
    assert make(name).answer(prompt.split()) == answer.split()


@pytest.mark.parametrize(("name", "arguments"), [*((name, "") for name in FAMILIES), *NOT_DEFAULT])
def test_samplers_agree_with_oracles_for_all_sorts_of_parameters(name: str, arguments: str) -> None:
    task = FAMILIES[name].read(arguments.split(",") if arguments else [])
    lengths = task.lengths(0, 40)
    for prompt, said in cases(task, [lengths[number % len(lengths)] for number in range(400)]):
        assert said == task.answer(prompt)


# Names and parameters


@pytest.mark.parametrize("name", FAMILIES)
def test_a_task_is_named_by_its_family_and_what_is_not_default(name: str) -> None:
    assert FAMILIES[name]().name == name
    assert make(FAMILIES[name].example).name == name


@pytest.mark.parametrize(("name", "arguments"), NOT_DEFAULT)
def test_the_name_of_a_task_makes_it_again(name: str, arguments: str) -> None:
    task = FAMILIES[name].read(arguments.split(","))
    again = make(task.name)
    assert (again.name, again.symbols, again.definition) == (task.name, task.symbols, task.definition)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (
            lambda: make("count_mod(1)"),
            "count_mod takes the modulus, a whole number from 2 to 10; found '1'.\nhint: for example count_mod(5).",
        ),
        (
            lambda: make("count_symbol(unari)"),
            "count_symbol takes how a number is written, one of numeral, unary; found 'unari'.\n"
            "hint: did you mean 'unary'?",
        ),
        (
            lambda: make("shift(0)"),
            "shift takes the number of places, a whole number from 1 to 100; found '0'.\nhint: for example shift(1).",
        ),
        (
            lambda: make("odds_first(3)"),
            "odds_first takes nothing in parentheses; found '3'.\nhint: for example odds_first.",
        ),
        (
            lambda: make("histogram(20)").lengths(0, 21),
            "length 21 is too long for histogram(20): its counts go up to 20.\n"
            "hint: use lengths up to 20, or larger counts: histogram(21).",
        ),
        (
            lambda: make("count_up(20)").lengths(0, 21),
            "length 21 is too long for count_up(20): it has 20 different symbols.\n"
            "hint: use lengths up to 20, or a larger alphabet: count_up(21).",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_full_sentences(act: Callable[[], object], text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        act()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("bin_majority_interleave(4)", (4, 8)),
        ("sort_multidigit", (3, 6, 9)),
        ("missing_duplicate", (2, 4, 6, 8)),
        ("kth_largest(7)", (7, 8, 9)),
    ],
)
def test_lengths_without_instances_are_left_out(name: str, lengths: tuple[int, ...]) -> None:
    assert make(name).lengths(0, 9) == lengths


# Distributions


def test_three_interleaved_streams_are_the_batches_of_before() -> None:
    ours = draw(make("bin_majority_interleave(3)"), [3, 9, 15, 30] * 20, seed=[0, 1])
    before = draw(BinMajorityInterleave(), [3, 9, 15, 30] * 20, seed=[0, 1])
    assert np.array_equal(ours.tokens_MBL, before.tokens_MBL)
    assert np.array_equal(ours.targets_MBL, before.targets_MBL)


@pytest.mark.parametrize(
    ("name", "length", "answers"),
    [
        ("count_symbol", 11, [str(number) for number in range(12)]),
        ("max(6)", 5, [f"s{number}" for number in range(6)]),
        ("min(6)", 5, [f"s{number}" for number in range(6)]),
        ("argmax", 12, [str(number) for number in range(1, 13)]),
        ("missing_duplicate", 8, ["a", "b"]),
    ],
)
def test_answers_are_uniform_where_the_definition_says_so(name: str, length: int, answers: list[str]) -> None:
    assert_uniform(Counter("".join(said) for _, said in cases(make(name), [length] * 6000)), answers)


def test_the_first_number_of_count_up_and_the_blank_are_uniform() -> None:
    firsts = Counter(prompt[0] for prompt, _ in cases(make("count_up(12)"), [5] * 4000))
    assert_uniform(firsts, [f"s{number}" for number in range(8)])
    blanks = Counter(str(prompt.index("_")) for prompt, _ in cases(make("missing_duplicate"), [6] * 4000))
    assert_uniform(blanks, [str(number) for number in range(6)])


def test_the_largest_token_of_argmax_is_uniform_and_there_is_one() -> None:
    found = list(cases(make("argmax(numeral, 5)"), [7] * 4000))
    assert all(prompt.count(max(prompt)) == 1 for prompt, _ in found)
    assert_uniform(Counter(max(prompt) for prompt, _ in found), ["s1", "s2", "s3", "s4"])


@pytest.mark.parametrize("name", ["mode(4)", "most_freq(4)", "bucket_sort(4)"])
def test_letters_are_uniform(name: str) -> None:
    letters = Counter(letter for prompt, _ in cases(make(name), [7] * 1000) for letter in prompt)
    assert_uniform(letters, list("abcd"))


def test_counting_up_has_a_prompt_of_two_at_every_length() -> None:
    task = make("count_up")
    batch = draw(task, [1, 9, 4])
    assert batch.scale_MB.tolist() == [1, 9, 4]
    assert batch.sizes_MB.tolist() == [task.size(1), task.size(9), task.size(4)] == [6, 14, 9]
    assert batch.tokens_MBL[:, 3].tolist() == [task.token(SEP)] * 3
    assert task.scored(9) == range(3, 13)


# Roles


@pytest.mark.parametrize("name", ["odds_first", "shift", "shift(5)", "histogram", "double_histogram"])
def test_a_symbol_and_what_is_made_of_it_have_one_role(name: str) -> None:
    task, xp = make(name), numpy_arrays()
    batch = draw(task, [1, 2, 7, 8])
    roles = task.roles(batch, xp)
    assert roles is not None
    for tokens, own, length in zip(batch.tokens_MBL.tolist(), roles.tolist(), [1, 2, 7, 8], strict=True):
        assert own[: length + 1] == list(range(length + 1))
        assert own[length + 1] == 0
        answer = range(length + 2, 2 * length + 2)
        assert sorted(own[place] for place in answer) == list(range(1, length + 1))
        if name in ("odds_first", "shift", "shift(5)"):
            assert all(tokens[place] == tokens[own[place]] for place in answer)
        else:
            assert [own[place] for place in answer] == list(range(1, length + 1))
        assert own[2 * length + 2] == length + 1


# Theory


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "longest", "fragment"),
    [
        ("mode(3)", 6, Fragment.PLAIN),
        ("most_freq(3)", 6, Fragment.PLAIN),
        ("argmax(unary, 3)", 6, Fragment.PLAIN),
        ("sort_multidigit(1)", 4, Fragment.PLAIN),
    ],
)
def test_a_program_of_a_task_is_its_oracle(name: str, longest: int, fragment: Fragment) -> None:
    task = make(name)
    program = task.facts.program
    assert program is not None
    assert fragment_of(program) is fragment
    assert set(program.alphabet) <= set(task.vocabulary)
    letters = [symbol for symbol in task.symbols if symbol not in (",", "1")] if "argmax" in name else task.symbols
    num_prompts = 0
    for length in task.lengths(0, longest):
        for prompt in product(letters, repeat=length):
            if "argmax" in name and prompt.count(max(prompt)) > 1:
                continue
            if "sort" in name and [symbol == "," for symbol in prompt] != [False, True] * (length // 2):
                continue
            assert list(generate(program, [*prompt, SEP])) == task.answer(prompt)
            num_prompts += 1
    assert num_prompts >= 110


@pytest.mark.full
def test_the_program_that_sorts_numbers_is_right_for_two_digits_and_three() -> None:
    task = MultidigitSort(2)
    for width, most in ((2, 3), (3, 2)):
        program = sorting_program("01", width)
        for number in range(most + 1):
            for digits in product("01", repeat=width * number):
                numbers = ["".join(digits[start : start + width]) for start in range(0, len(digits), width)]
                prompt = [symbol for each in numbers for symbol in f"{each},"]
                assert list(generate(program, [*prompt, SEP])) == task.answer(prompt)
    assert task.facts.program is not None
    for prompt, said in cases(task, [3, 6, 9]):
        assert list(generate(task.facts.program, [*prompt, SEP])) == said


@pytest.mark.parametrize("modulus", range(2, 11))
def test_the_language_of_count_mod_is_the_remainder_0_and_not_in_the_class(modulus: int) -> None:
    task = make(f"count_mod({modulus})")
    language = task.facts.language
    assert language is not None
    for length in range(7):
        for word in product("xab", repeat=length):
            assert (word in language) == (task.answer(word) == ["0"])
    assert "x" * modulus in language
    assert decide(task.facts, Fragment.PERIODIC_LOCAL).answer is Answer.NO


@pytest.mark.parametrize("name", TASKS)
def test_what_is_cited_exists(name: str) -> None:
    for citation in TASKS[name]().facts.cited:
        assert citation.theorem in THEOREMS
        assert (citation.theorem == "library_program") == bool(citation.program)
        if citation.program:
            assert f"lengthwise show program {citation.program})" in citation.reason
            assert citation.fragment.includes(fragment_of(find_program(citation.program).program))


def test_the_parity_of_the_bs_tells_what_a_blank_hides() -> None:
    for prompt, said in cases(make("missing_duplicate"), [2, 4, 6, 8, 10] * 50):
        assert said == ["b" if prompt.count("b") % 2 else "a"]
