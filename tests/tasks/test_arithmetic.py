"""Arithmetic and scratchpads: digit arithmetic is right, oracles answer what anyone would, inputs are as documented."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from task_families import families_of
from uniformity import assert_uniform

from lengthwise.arrays import Arrays, numpy_arrays, torch_arrays
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.errors import InvalidOptionError
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.arithmetic import numbers
from lengthwise.tasks.arithmetic.modular import evaluate
from lengthwise.tasks.core.task import Batch, Task
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide

FAMILIES = families_of("arithmetic.decimal", "arithmetic.operations", "arithmetic.modular", "scratchpads")
ALL_TASKS = (
    *FAMILIES,
    *("add_decimal(padded)", "add_decimal(reversed)", "add_decimal(all_reversed)"),
    *("add_multi(2)", "add_multi(10)", "add_multi(11)", "sum_mod(3)", "mod_arith(2)", "mod_arith(10)"),
    *("state_track_cot(Z5)", "turing_program(1)", "sort_cot(60)"),
)
LIBRARIES = pytest.mark.parametrize("xp", [numpy_arrays(), torch_arrays()], ids=["numpy", "torch"])


def task_of(name: str) -> Task:
    family, _, texts = name.rstrip(")").partition("(")
    return FAMILIES[family].read([texts] if texts else [])


def draw_batch(task: Task, *, number: int = 300, longest: int = 60, length: int | None = None) -> Batch:
    xp = numpy_arrays()
    draw = open_stream(DATA, seed=[3, 4], xp=xp).at(1)
    possible = task.lengths(0, longest) if length is None else (length,)
    lengths = xp.asarray(list(possible))[draw.named("lengths").integers(len(possible), (number,))]
    return task.sample(draw.named("batch"), lengths, max(possible), xp)


def questions(task: Task, **options: int) -> list[tuple[list[str], list[str]]]:
    """Return prompts and the answers that the sampler gives, without the end."""
    batch = draw_batch(task, **options)
    rows = zip(
        *(part.reshape(-1, part.shape[-1]).tolist() for part in (batch.tokens_MBL, batch.targets_MBL)), strict=True
    )
    read = [task.read_back(tokens, targets) for tokens, targets in rows]
    return [(prompt, stated[:-1]) for prompt, stated in read]


# Digit arithmetic


def rows_of(values: list[int], base: int, width: int, xp: Arrays) -> object:
    return xp.asarray([[value // base**place % base for place in range(width)] for value in values])


def values_of(rows: object, base: int) -> list[int]:
    return [sum(digit * base**place for place, digit in enumerate(row)) for row in np.asarray(rows).tolist()]


def pairs(base: int, width: int) -> tuple[list[int], list[int]]:
    """Return pairs of numbers, those with long carries among them."""
    chosen = random.Random(base * 100 + width)
    largest = base**width - 1
    special = [0, 1, base - 1, min(base, largest), largest // base, largest - 1, largest]
    both = [*product(special, special), *((chosen.randint(0, largest), chosen.randint(0, largest)) for _ in range(200))]
    return [one for one, _ in both], [two for _, two in both]


@LIBRARIES
@pytest.mark.parametrize("base", [2, 3, 10, 2**30])
@pytest.mark.parametrize("width", [1, 2, 7, 40])
def test_sums_differences_and_products_are_those_of_whole_numbers(xp: Arrays, base: int, width: int) -> None:
    ones, twos = pairs(base, width)
    one, two = (rows_of(values, base, width + 1, xp) for values in (ones, twos))
    assert values_of(numbers.add(one, two, base, xp), base) == [a + b for a, b in zip(ones, twos, strict=True)]
    far, is_negative = numbers.distance(one, two, base, xp)
    assert values_of(far, base) == [abs(a - b) for a, b in zip(ones, twos, strict=True)]
    assert is_negative.tolist() == [int(a < b) for a, b in zip(ones, twos, strict=True)]
    if base <= 10:
        products = numbers.times(one, two, 2 * width, base, xp)
        assert values_of(products, base) == [a * b for a, b in zip(ones, twos, strict=True)]
        digits = [b % base for b in twos]
        assert values_of(numbers.times_digit(one, xp.asarray(digits), base, xp), base) == [
            a * b for a, b in zip(ones, digits, strict=True)
        ]


@LIBRARIES
@pytest.mark.parametrize("width", [1, 2, 3, 8, 31, 75])
def test_quotients_roots_divisors_and_sizes_are_those_of_whole_numbers(xp: Arrays, width: int) -> None:
    ones, twos = pairs(10, width)
    divisors = [b % 9 + 1 for b in twos]
    quotient, remainders = numbers.divide(rows_of(ones, 10, width, xp), xp.asarray(divisors), 10, xp)
    assert values_of(quotient, 10) == [a // b for a, b in zip(ones, divisors, strict=True)]
    assert remainders[..., 0].tolist() == [a % b for a, b in zip(ones, divisors, strict=True)]
    assert numbers.num_digits(rows_of(ones, 10, width, xp), xp).tolist() == [len(str(a)) for a in ones]
    ones, twos = pairs(2, width)
    one, two = (rows_of(values, 2, width, xp) for values in (ones, twos))
    assert values_of(numbers.square_root(one, xp), 2) == [math.isqrt(a) for a in ones]
    assert values_of(numbers.greatest_common_divisor(one, two, xp), 2) == [
        math.gcd(a, b) for a, b in zip(ones, twos, strict=True)
    ]


def test_roots_and_divisors_are_right_for_all_small_numbers() -> None:
    xp = numpy_arrays()
    assert values_of(numbers.square_root(rows_of(list(range(512)), 2, 9, xp), xp), 2) == list(
        map(math.isqrt, range(512))
    )
    both = list(product(range(64), range(64)))
    one, two = (rows_of([pair[side] for pair in both], 2, 6, xp) for side in (0, 1))
    assert values_of(numbers.greatest_common_divisor(one, two, xp), 2) == [math.gcd(*pair) for pair in both]


@LIBRARIES
def test_every_place_may_hold_more_than_a_digit_before_carries(xp: Arrays) -> None:
    chosen = random.Random(5)
    for base, largest in product((2, 10), (1, 19, 99, 12345)):
        values = [[*(chosen.randint(0, largest) for _ in range(9)), *[0] * 20] for _ in range(50)]
        carried = numbers.carried(xp.asarray(values), base, largest, xp)
        assert np.asarray(carried).max() < base
        assert values_of(carried, base) == values_of(values, base)


# Oracles


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [
        ("add_decimal", "95+7=", "102"),
        ("add_decimal", "0+0=", "0"),
        ("add_decimal(padded)", "95+07=", "102"),
        ("add_decimal(padded)", "12+03=", "015"),
        ("add_decimal(reversed)", "95+07=", "201"),
        ("add_decimal(all_reversed)", "59+7=", "201"),
        ("add_decimal(all_reversed)", "01+5=", "51"),
        ("add_multi", "99+99+99=", "297"),
        ("add_multi(2)", "1+2=", "03"),
        ("add_multi(11)", "+".join("9" * 11) + "=", "099"),
        ("subtract", "12-5=", "7"),
        ("subtract", "5-12=", "-7"),
        ("subtract", "7-7=", "0"),
        ("increment", "199", "200"),
        ("increment", "99", "100"),
        ("increment", "0", "1"),
        ("sum_mod", "999", "7"),
        ("sum_mod(3)", "128", "2"),
        ("mod_arith", "1+2*3", "2"),
        ("mod_arith", "1-2*3-4", "1"),
        ("mod_arith", "3*4*2", "4"),
        ("mod_arith", "0-1", "4"),
        ("mod_arith_brackets", "((1+2)*3)", "4"),
        ("mod_arith_brackets", "(-1)", "4"),
        ("mod_arith_brackets", "(1--2)", "3"),
        ("mod_arith_brackets", "(-1+3)", "2"),
        ("mod_arith_brackets", "(2*-3)", "4"),
        ("solve_equation", "(x+3)=1", "3"),
        ("solve_equation", "x=4", "4"),
        ("solve_equation", "(1-(x-2))=0", "3"),
        ("mul_nx1", "99*9=", "891"),
        ("mul_nx1", "12*0=", "0"),
        ("mul_nx2", "99*99=", "9801"),
        ("mul_nxm", "123*45=", "5535"),
        ("multiply_binary", "101*11=", "1111"),
        ("bitwise_or", "0011|0101=", "0111"),
        ("bitwise_xor", "0011^0101=", "0110"),
        ("bitwise_and", "0011&0101=", "0001"),
        ("poly_eval", "2:103", "7"),
        ("poly_eval", "0:45", "5"),
        ("isqrt", "11000", "100"),
        ("isqrt", "0", "0"),
        ("gcd", "1100,1000=", "100"),
        ("gcd", "0111,0011=", "1"),
        ("compare", "12,13=", "<"),
        ("compare", "20,13=", ">"),
        ("compare", "07,07=", "="),
        ("divide", "17/5=", "3r2"),
        ("divide", "4/9=", "0r4"),
        ("parity_cot", "10110", "11011"),
        ("add_cot", "95+07=", "57029010=102"),
        ("mul_cot", "47*6=", "702448=282"),
        ("div_cot", "173/5=", "010173234=034r3"),
    ],
)
def test_the_oracles_answer_what_anyone_would(name: str, prompt: str, answer: str) -> None:
    assert task_of(name).answer(list(prompt)) == list(answer)


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [
        ("count_cot", "0 1 1 0", "n0 n1 n2 n2"),
        ("majority_cot", "0 1 1", "n-1 n0 n1 1"),
        ("majority_cot", "1 0", "n1 n0 0"),
        ("dyck_cot", "( ( ) )", "n1 n2 n1 n0 yes"),
        ("dyck_cot", "( ) ) (", "n1 n0 no"),
        ("dyck_cot", "( (", "n1 n2 no"),
        ("sort_cot", "s30 s4 s100", "p2 s4 p1 s30 p3 s100"),
        ("state_track_cot(Z5)", "3 4 0", "3 2 2"),
        ("state_track_cot", "213 132 213", "213 312 321"),
        ("turing_program(2)", "1RA 0RB 0LA 1LB 0 1 0", "1 A 1 0 | 1 0 B 0 |"),
        ("turing_program", "1LA 0RB 0LA 1LB 0 1", "1 1 |"),
        ("turing_program", "1RA 0RB 0LA 1RA 1 1 0", "0 B 1 0 | 0 1 A 0 | 0 1 1 |"),
    ],
)
def test_the_oracles_of_tasks_with_longer_symbols_answer_what_anyone_would(name: str, prompt: str, answer: str) -> None:
    assert task_of(name).answer(prompt.split()) == answer.split()


def test_an_expression_has_the_value_that_python_gives_it() -> None:
    for prompt, _ in questions(task_of("mod_arith_brackets")):
        assert evaluate(prompt) % 5 == eval("".join(prompt)) % 5


def test_a_flat_expression_has_the_value_that_python_gives_it() -> None:
    for prompt, stated in questions(task_of("mod_arith(10)")):
        assert int(stated[0]) == eval("".join(prompt)) % 10


@pytest.mark.parametrize("name", ALL_TASKS)
def test_the_sampler_agrees_with_the_oracle(name: str) -> None:
    task = task_of(name)
    assert task.name == name
    for prompt, stated in questions(task):
        answer = task.answer(prompt)
        assert stated == answer
        assert len(answer) <= task.answer_length(len(prompt))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ALL_TASKS)
def test_the_shortest_length_is_the_first_that_has_instances(name: str) -> None:
    task = task_of(name)
    assert task.lengths(0, 60)[0] == task.min_length
    for prompt, stated in questions(task, length=task.min_length, number=50):
        assert stated == task.answer(prompt)


# Distributions


def without_leading_zeros(number: str) -> bool:
    return number == "0" or not number.startswith("0")


@pytest.mark.parametrize(
    ("name", "sign"), [("add_decimal", "+"), ("subtract", "-"), ("mul_nxm", "*"), ("multiply_binary", "*")]
)
def test_two_numbers_have_a_uniform_split_and_no_leading_zeros(name: str, sign: str) -> None:
    splits: Counter[int] = Counter()
    for prompt, _ in questions(task_of(name), length=10, number=1000):
        one, two = "".join(prompt).rstrip("=").split(sign)
        assert without_leading_zeros(one)
        assert without_leading_zeros(two)
        splits[len(one)] += 1
    assert_uniform(splits, range(1, 8))


@pytest.mark.parametrize("name", ["add_decimal(padded)", "add_decimal(reversed)", "add_cot"])
def test_of_two_padded_numbers_one_is_long_and_the_other_of_uniform_length(name: str) -> None:
    shorter: Counter[int] = Counter()
    for prompt, _ in questions(task_of(name), length=14, number=1000):
        sizes = sorted(len(number.lstrip("0")) or 1 for number in "".join(prompt).rstrip("=").split("+"))
        assert sizes[1] == 6
        shorter[sizes[0]] += 1
    assert_uniform(shorter, range(1, 7))


def test_two_compared_numbers_agree_on_a_uniform_number_of_digits() -> None:
    agreeing: Counter[int] = Counter()
    signs: Counter[str] = Counter()
    for prompt, (sign,) in questions(task_of("compare"), length=12, number=1000):
        one, two = prompt[:5], prompt[6:11]
        agreeing[next((place for place in range(5) if one[place] != two[place]), 5)] += 1
        signs[sign] += 1
    assert_uniform(agreeing, range(6))
    assert abs(signs["<"] - signs[">"]) < 200


def test_of_four_digits_a_uniform_number_at_the_end_is_made_nines() -> None:
    carries = Counter(
        len(prompt) - len("".join(prompt).rstrip("9"))
        for prompt, _ in questions(task_of("increment"), length=4, number=2000)
    )
    # as many as are made, and further ones by chance: each with 1 in 10, the leading one with 1 in 9
    expected = [0.2 * 0.9, 0.2 * (0.9 + 0.1 * 0.9)]
    for nines, share in enumerate(expected):
        assert abs(carries[nines] / 4000 - share) < 0.03
    assert set(carries) == set(range(5))


def test_half_of_the_bracket_words_balance_and_those_are_uniform() -> None:
    words = Counter(
        "".join(prompt)
        for prompt, stated in questions(task_of("dyck_cot"), length=6, number=2000)
        if stated[-1] == "yes"
    )
    assert set(words) == {"()()()", "()(())", "(())()", "(()())", "((()))"}
    assert abs(sum(words.values()) - 2000) < 150
    numbered = Counter(dict(enumerate(words.values())))
    assert_uniform(numbered, range(5))


def test_divisors_are_often_large() -> None:
    sizes = Counter(len(stated) for _, stated in questions(task_of("gcd"), length=18, number=1000))
    assert sizes[1] < 400
    assert all(sizes[size] > 100 for size in range(1, 8))


def test_an_expression_has_brackets_around_every_operation() -> None:
    for prompt, _ in questions(task_of("mod_arith_brackets")):
        depths = [prompt[:end].count("(") - prompt[:end].count(")") for end in range(len(prompt) + 1)]
        assert min(depths) == depths[-1] == 0
        assert all(before != "(" or after in "(-01234" for before, after in pairwise(prompt))


# Roles


@pytest.mark.parametrize(
    ("name", "prompt", "roles"),
    [
        ("add_decimal(padded)", "95+07=", [0, 2, 3, 0, 2, 3, 0, 0, 1, 2, 3]),
        ("add_decimal(reversed)", "95+07=", [0, 2, 3, 0, 2, 3, 0, 0, 3, 2, 1]),
        ("add_decimal(all_reversed)", "59+7=", [0, 1, 2, 0, 1, 0, 0, 1, 2, 3]),
        ("parity_cot", "101", [0, 1, 2, 3, 0, 1, 2, 3]),
    ],
)
@LIBRARIES
def test_what_belongs_together_has_one_role(name: str, prompt: str, roles: list[int], xp: Arrays) -> None:
    task = task_of(name)
    tokens = [task.token(symbol) for symbol in ("<bos>", *prompt, "<sep>", *task.answer(list(prompt)), "<eos>")]
    row = xp.asarray([tokens])
    batch = Batch(
        tokens_MBL=row, targets_MBL=row, sizes_MB=xp.asarray([len(tokens)]), scale_MB=xp.asarray([len(prompt)])
    )
    assert task.roles(batch, xp)[0].tolist()[: len(roles)] == roles  # type: ignore[index]
    assert len(roles) == len(tokens) - 1


def test_plain_sums_have_no_roles_since_significance_is_not_known_before_the_end_of_a_number() -> None:
    task = task_of("add_decimal")
    assert task.roles(draw_batch(task), numpy_arrays()) is None


# Theory


@pytest.mark.parametrize("name", ["sum_mod", "sum_mod(3)", "mod_arith(2)", "mod_arith(3)", "poly_eval"])
def test_the_language_of_a_task_is_where_its_answer_is_zero(name: str) -> None:
    task = task_of(name)
    language = task.facts.language
    assert language is not None
    letters = task.symbols if len(task.symbols) < 10 else ("0", "1", "2", "5", *task.symbols[10:])
    for length in range(1, 5):
        for word in product(letters, repeat=length):
            assert (word in language) == (is_question(name, "".join(word)) and task.answer(word) == ["0"])


def is_question(name: str, word: str) -> bool:
    if name.startswith("mod_arith"):
        return len(word) % 2 == 1 and all((symbol in "+-*") == (place % 2 == 1) for place, symbol in enumerate(word))
    return name != "poly_eval" or (len(word) > 2 and word[1] == ":" and word.count(":") == 1)


OPEN = {"mod_arith_brackets", "solve_equation"}
FINITE = {
    "count_cot": "only those up to 150",
    "majority_cot": "only those up to 150",
    "dyck_cot": "only those up to 150",
    "sort_cot": "150 tokens",
    "parity_cot_aligned": "all have 128 symbols",
}
"""The tasks that have finitely many inputs, and what their reason says is bounded."""


@pytest.mark.parametrize("name", FAMILIES)
def test_tasks_are_outside_of_the_largest_class_unless_that_is_open_or_inputs_are_finitely_many(name: str) -> None:
    verdict = decide(task_of(name).facts, Fragment.PERIODIC_LOCAL, Readout.END_MARKER)
    expected = Answer.UNKNOWN if name in OPEN else Answer.YES if name in FINITE else Answer.NO
    assert verdict.answer is expected
    assert (verdict.theorem == "finite_inputs") is (name in FINITE)


@pytest.mark.parametrize("name", FINITE)
def test_where_inputs_are_finitely_many_the_smallest_class_has_them_and_longer_ones_cannot_be_written(
    name: str,
) -> None:
    task = task_of(name)
    verdict = decide(task.facts, Fragment.PLAIN, Readout.END_MARKER)
    assert (verdict.answer, verdict.theorem) == (Answer.YES, "finite_inputs")
    assert FINITE[name] in verdict.reason
    assert "it does not predict that training on short inputs carries over" in verdict.reason
    longest = 128 if name == "parity_cot_aligned" else 150
    assert task.lengths(1, longest)
    with pytest.raises(InvalidOptionError, match=f"{longest + 1} is too long for {name}"):
        task.lengths(1, longest + 1)


# Errors


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: task_of("add_decimal(revers)"),
            "add_decimal takes how numbers are written, one of plain, padded, reversed, all_reversed; found 'revers'.\n"
            "hint: did you mean 'reversed'?",
        ),
        (
            lambda: task_of("add_multi(1)"),
            "add_multi takes how many numbers are added, a whole number from 2 to 100; found '1'.\n"
            "hint: for example add_multi(3).",
        ),
        (
            lambda: task_of("sum_mod(11)"),
            "sum_mod takes the modulus, a whole number from 2 to 10; found '11'.\nhint: for example sum_mod(10).",
        ),
        (
            lambda: task_of("mod_arith(x)"),
            "mod_arith takes the modulus, a whole number from 2 to 10; found 'x'.\nhint: for example mod_arith(5).",
        ),
        (
            lambda: task_of("state_track_cot(Q8)"),
            "state_track_cot takes a group, one of Z5, S3; found 'Q8'.\nhint: for example state_track_cot(S3).",
        ),
        (
            lambda: task_of("turing_program(0)"),
            "turing_program takes how many steps are shown, a whole number from 1 to 1000; found '0'.\n"
            "hint: for example turing_program(4).",
        ),
        (
            lambda: task_of("count_cot(20)").lengths(0, 21),
            "length 21 is too long for count_cot(20): its numbers end at 20.\n"
            "hint: use lengths up to 20, or larger numbers: count_cot(21).",
        ),
        (
            lambda: task_of("sort_cot(20)").lengths(0, 21),
            "length 21 is too long for sort_cot(20): it has 20 different symbols.\n"
            "hint: use lengths up to 20, or a larger alphabet: sort_cot(21).",
        ),
    ],
    ids=["format", "operands", "modulus", "no number", "group", "steps", "numbers", "symbols"],
)
def test_a_task_that_cannot_be_says_why(make: Callable[[], object], text: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        make()
    assert str(caught.value) == text
