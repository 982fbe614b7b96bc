"""Formats: the same question written in another way; samplers against oracles, and roles against plain Python."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pytest
import torch

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.crasp.fragments import Fragment
from lengthwise.errors import InvalidOptionError, LengthwiseError
from lengthwise.experiment.spec import Spec
from lengthwise.model.shape import Shape
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.calls import FORMATS
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.family import Group
from lengthwise.tasks.core.lengths import length_bins
from lengthwise.tasks.core.task import BOS, EOS, IGNORE, PAD, SEP, AnswerTask, Batch, Objective
from lengthwise.tasks.core.without_bos import without_bos
from lengthwise.tasks.formats.apply import FORMAT_NAMES
from lengthwise.tasks.formats.formatted import Formatted, plain_task
from lengthwise.tasks.formats.index_hints import IndexHints
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide
from lengthwise.train.groups import make_training_runs
from lengthwise.train.settings import Training
from lengthwise.train.stack import Stack

SIMPLE = (
    *(f"prompt_reversed({task})" for task in ("addition", "parity", "repeat_copy")),
    *(
        f"answer_reversed({task})"
        for task in ("addition", "add_decimal(reversed)", "selective_copy", "divide", "add_cot")
    ),
    *(f"padded({task})" for task in ("addition", "add_decimal(all_reversed)", "subtract", "count_symbol", "dyck_cot")),
    *(f"aligned({task})" for task in ("repeat_copy", "mul_nx2", "parity")),
    *(f"index_hints({task})" for task in ("add_decimal", "add_decimal(reversed)", "parity", "compare", "sort")),
    *(f"spaced({task})" for task in ("addition", "parity_cot", "selective_copy", "listops")),
)
NESTED = (
    "padded(answer_reversed(addition))",
    "answer_reversed(padded(addition))",
    "answer_reversed(padded(selective_copy))",
    "index_hints(answer_reversed(addition))",
    "index_hints(padded(dedup), 30)",
    "index_hints(prompt_reversed(answer_reversed(padded(mul_nxm))), 50)",
    "spaced(index_hints(padded(increment)))",
    "aligned(spaced(index_hints(isqrt, 41)), 170)",
    "spaced(aligned(subtract, 40))",
    "spaced(prompt_reversed(unique_copy))",
    "spaced(answer_reversed(gcd))",
    "padded(aligned(argmax))",
    "aligned(padded(divide), 50)",
)
NAMES = (*SIMPLE, *NESTED)


def find(name: str) -> Formatted:
    task = find_task(name)
    assert isinstance(task, Formatted)
    return task


def words(task: AnswerTask, tokens: np.ndarray) -> list[str]:
    return [task.vocabulary[token] for token in tokens.tolist()]


def draw_batch(task: AnswerTask, number: int, *, high: int = 40, with_torch: bool = False) -> Batch:
    xp = torch_arrays() if with_torch else numpy_arrays()
    lengths = task.lengths(0, high)
    draw = open_stream(DATA, seed=[0, 7], xp=xp).at(3)
    chosen = xp.asarray(list(lengths))[draw.named("length").integers(len(lengths), (number,))]
    return task.sample(draw.named("instance"), chosen, max(lengths), xp)


# Instances


def check_samples(name: str, number: int) -> None:
    """Compare random instances with the oracle, and NumPy with torch."""
    task = find(name)
    batch, other = draw_batch(task, number), draw_batch(task, number, with_torch=True)
    for field in ("tokens_MBL", "targets_MBL", "sizes_MB", "scale_MB"):
        one, two = getattr(batch, field), getattr(other, field).numpy()
        assert one.dtype == two.dtype == np.int64
        assert np.array_equal(one, two), field
    for place in np.ndindex(batch.sizes_MB.shape):
        size, length = int(batch.sizes_MB[place]), int(batch.scale_MB[place])
        assert size <= task.size(length)
        assert size == task.size(length) or not task.has_fixed_answers
        tokens, targets = batch.tokens_MBL[place], batch.targets_MBL[place]
        prompt, said = task.read_back(tokens[:size].tolist(), targets[:size].tolist())
        assert said == [*task.answer(prompt), EOS]
        assert words(task, tokens[:size]) == [BOS, *prompt, SEP, *said]
        assert set(words(task, tokens[size:])) <= {PAD}
        assert set(np.flatnonzero(targets != IGNORE).tolist()) <= set(task.scored(length))
        assert len(prompt) == int(task.prompt_length(length))
        assert task.length_of(prompt) == length
        inside = task.read_prompt(prompt)
        written = task.write_prompt(inside)
        assert len(written) == len(prompt)
        assert task.read_prompt(written) == inside
        assert written == prompt or isinstance(task, IndexHints)


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_what_the_oracle_says_on_every_library(name: str) -> None:
    check_samples(name, 6)


@pytest.mark.full
@pytest.mark.parametrize("form", [form for form in FORMAT_NAMES if form != "scratchpad"])
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in TASKS
        if not name.startswith(("mqar", "count_up", "transpose", "add_columns", "parity_cot_aligned"))
    ],
)
def test_every_task_with_answers_goes_into_every_format(name: str, form: str) -> None:
    if TASKS[name]().objective is Objective.ANSWER:
        inside = f"{form}({name}, 1500)" if form in ("aligned", "index_hints") else f"{form}({name})"
        check_samples(inside, 60)


@pytest.mark.parametrize("name", NAMES)
def test_a_task_is_found_again_by_its_name(name: str) -> None:
    task = find(name)
    again = find(task.name)
    assert (again.name, again.symbols, again.definition) == (task.name, task.symbols, task.definition)
    assert type(again) is type(task)


def test_default_numbers_are_left_out_of_names_and_others_stay() -> None:
    assert find_task("aligned(addition, 64)").name == "aligned(addition)"
    assert find_task("index_hints( addition,9 )").name == "index_hints(addition, 9)"


def test_the_index_of_names_is_that_of_the_formats() -> None:
    assert FORMATS == FORMAT_NAMES


@pytest.mark.parametrize(
    ("name", "prompt", "answer"),
    [
        ("prompt_reversed(addition)", "= 1 + 1 1", "1 0 0"),
        ("answer_reversed(addition)", "1 1 + 1 =", "0 0 1"),
        ("padded(addition)", "1 0 + 1 =", "0 1 1"),
        ("padded(answer_reversed(addition))", "1 0 + 1 =", "1 1 0"),
        ("padded(subtract)", "1 0 - 1 2 =", "- 2 _ _"),
        ("padded(divide)", "1 7 / 5 =", "3 r 2 _"),
        ("padded(selective_copy)", "a . . b", "a b _ _"),
        ("aligned(parity, 5)", "_ _ 1 0 1", "e"),
        ("index_hints(add_decimal, 8)", "h4 1 h3 9 h2 + h3 2 h2 =", "h4 2 h3 1"),
        ("index_hints(answer_reversed(add_decimal), 8)", "h4 9 h3 9 h2 + h3 1 h2 =", "h3 0 h4 0 h5 1"),
        ("index_hints(repeat_copy, 9)", "h3 a h4 a h5 b", "h3 a h4 a h5 b"),
        ("index_hints(compare)", "h9 3 h8 , h9 2 h8 =", "h8 >"),
        ("spaced(repeat_copy)", "a ~ a ~ b", "a ~ a ~ b"),
        ("spaced(aligned(parity, 3))", "_ ~ 1 ~ 1", "e"),
        ("spaced(missing_duplicate)", "a ~ _ ~ a ~ b", "b"),
        ("aligned(missing_duplicate, 5)", "_! a _ a b", "b"),
    ],
)
def test_examples_by_hand(name: str, prompt: str, answer: str) -> None:
    assert find(name).answer(prompt.split()) == answer.split()


def test_lengths_without_room_have_no_instance() -> None:
    assert find_task("aligned(repeat_copy, 9)").lengths(5, 30) == (5, 6, 7, 8, 9)
    assert find_task("aligned(spaced(repeat_copy), 9)").lengths(1, 30) == (1, 2, 3, 4, 5)
    assert find_task("index_hints(repeat_copy, 9)").lengths(8, 30) == (8, 9)
    assert find_task("index_hints(addition, 9)").lengths(8, 30) == (8, 9, 10)  # a sum of eight digits, and the signs
    assert find_task("index_hints(isqrt, 9)").lengths(7, 30) == (7, 8)
    assert find_task("aligned(unique_copy(20), 12)").lengths(11, 90) == (11, 12)
    assert find_task("aligned(repeat_copy, 9)").lengths(10, 30) == ()


def test_hints_begin_at_every_place_that_leaves_room() -> None:
    task = find("index_hints(repeat_copy, 6)")
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=[0], xp=xp), xp.asarray([3] * 200), 3, xp)
    assert {task.vocabulary[token] for token in batch.tokens_MBL[0, :, 1].tolist()} == {"h1", "h2", "h3", "h4"}


def test_an_answer_without_a_prompt_has_the_first_hint() -> None:
    task = find("index_hints(parity)")
    xp = numpy_arrays()
    batch = task.sample(open_stream(DATA, seed=[0], xp=xp), xp.asarray([0] * 9), 0, xp)
    assert words(task, batch.tokens_MBL[0, 4]) == [BOS, SEP, "h1", "e", EOS]


def test_a_format_says_that_nothing_is_proved_of_it_and_what_is_known_inside() -> None:
    for fragment in Fragment:
        verdict = decide(find_task("spaced(padded(addition))").facts, fragment)
        assert (verdict.answer, verdict.theorem) == (Answer.UNKNOWN, "open")
        assert verdict.reason.startswith(
            "No theorem here covers addition when it is written as spaced(padded(addition)), and a format can change the "
            "answer. For the plain task the answer is NO: The sum needs every digit of both numbers"
        )
    verdict = decide(find_task("spaced(parity)").facts, Fragment.PLAIN)
    assert verdict.reason.endswith(" For the plain task see: lengthwise predict 'parity'.")


# Roles


class Token(NamedTuple):
    """A token, its role, and the place value of its digit in a number."""

    symbol: str
    role: int = 0
    place_value: int = 0


LEAST_FIRST = {"add_decimal(reversed)": (False, True), "add_decimal(all_reversed)": (True, True)}
ZEROS = ("addition", "add_decimal", "add_decimal(all_reversed)", "mul_nxm", "increment", "argmax", "count_symbol")
BY_VALUE = (*ZEROS, "add_decimal(reversed)", "compare", "isqrt")


def place_values(symbols: list[str], *, least_first: bool) -> list[int]:
    told: list[int] = []
    for is_digit, run in groupby(symbols, key=lambda symbol: symbol in tuple("0123456789")):
        number = len(list(run))
        values = list(range(1, number + 1)) if is_digit else [0] * number
        told += values if least_first else values[::-1]
    return told


def plain_instance(
    task: AnswerTask, batch: Batch, place: tuple[int, ...]
) -> tuple[list[Token], list[Token], Token, Token]:
    """Return the prompt, the answer, the separator and the end of an instance of a task without a format."""
    symbols = words(task, batch.tokens_MBL[place])[: int(batch.sizes_MB[place])]
    sep = symbols.index(SEP)
    roles = task.roles(batch, numpy_arrays())
    told = [0] * len(symbols) if roles is None else roles[place].tolist()
    least = LEAST_FIRST.get(task.name, (False, False))
    values = [
        place_values(part, least_first=first)
        for part, first in zip((symbols[1:sep], symbols[sep + 1 : -1]), least, strict=True)
    ]
    tokens = [Token(*each) for each in zip(symbols, told, [0, *values[0], 0, *values[1], 0], strict=False)]
    return tokens[1:sep], tokens[sep + 1 : -1], tokens[sep], tokens[-1]


def plain_format(
    task: AnswerTask, prompt: list[Token], answer: list[Token], length: int, hint: str
) -> tuple[list[Token], list[Token]]:
    """Return prompt and answer in the formats of a task, one symbol after the other."""
    if not isinstance(task, Formatted):
        return prompt, answer
    prompt, answer = plain_format(task.inner, prompt, answer, length, hint)
    if task.format_name == "prompt_reversed":
        return prompt[::-1], answer
    if task.format_name == "answer_reversed":
        return prompt, answer[::-1]
    if task.format_name == "spaced":
        return _after_each(Token("~"), prompt)[1:], _after_each(Token("~"), answer)[1:]
    if task.format_name == "aligned":
        return [Token(task.extra[0])] * (int(task.prompt_length(length)) - len(prompt)) + prompt, answer
    plain = plain_task(task).name
    if task.format_name == "padded":
        least_first = LEAST_FIRST.get(plain, (False, False))[1] ^ (".answer_reversed" in task.name.replace("(", "."))
        while len(answer) < int(task.answer_length(length)):
            top = answer[-1] if least_first else answer[0]
            role = top.role + 1 if top.role else 0
            zero = Token("0", role, top.place_value + 1) if plain in ZEROS else Token("_")
            answer = [zero, *answer] if plain in ZEROS and not least_first else [*answer, zero]
        return prompt, answer
    told = [
        [each.place_value if plain in BY_VALUE else number for number, each in enumerate(row)]
        for row in (prompt, answer)
    ]
    start = task.extra.index(hint) - (told[0][0] if prompt else 0)
    hinted = [
        [
            part
            for token, number in zip(row, numbers, strict=True)
            for part in (Token(task.extra[start + number]), token)
        ]
        for row, numbers in zip((prompt, answer), told, strict=True)
    ]
    return hinted[0], hinted[1]


def _after_each(mark: Token, row: list[Token]) -> list[Token]:
    return [part for token in row for part in (mark, token)]


def first_hint(symbols: list[str]) -> str:
    """Return the first hint, or the first of the list where there is no prompt."""
    return next((symbol for symbol in symbols[: symbols.index(SEP)] if symbol[0] == "h"), "h1")


def check_roles(name: str, number: int, *, high: int = 24) -> None:
    """Compare tokens and roles with those of the plain task's instances, formatted one symbol after the other."""
    task = find(name)
    plain = plain_task(task)
    xp = numpy_arrays()
    lengths = [length for length in task.lengths(0, high) for _ in range(number)]
    draw = open_stream(DATA, seed=[0, 7], xp=xp).at(3)
    batch, inside = (each.sample(draw, xp.asarray(lengths), max(lengths), xp) for each in (task, plain))
    roles = task.roles(batch, xp)
    on_torch = task.roles(
        Batch(**{field: torch.from_numpy(getattr(batch, field).copy()) for field in FIELDS}), torch_arrays()
    )
    assert (roles is None) == (on_torch is None) == (not task.has_roles)
    assert roles is None or np.array_equal(roles, on_torch.numpy())
    for place in np.ndindex(batch.sizes_MB.shape):
        size = int(batch.sizes_MB[place])
        symbols = words(task, batch.tokens_MBL[place])
        prompt, answer, sep, end = plain_instance(plain, inside, place)
        length = int(batch.scale_MB[place])
        prompt, answer = plain_format(task, prompt, answer, length, first_hint(symbols))
        expected = [Token(BOS), *prompt, sep, *answer, end]
        assert symbols[:size] == [token.symbol for token in expected]
        if roles is not None:
            assert roles[place][: size - 1].tolist() == [token.role for token in expected][:-1]


FIELDS = ("tokens_MBL", "targets_MBL", "sizes_MB", "scale_MB")


@pytest.mark.parametrize("name", NAMES)
def test_tokens_and_roles_are_those_of_the_plain_task_formatted_symbol_by_symbol(name: str) -> None:
    check_roles(name, 1, high=12)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_many_tokens_and_roles_are_those_of_the_plain_task_formatted_symbol_by_symbol(name: str) -> None:
    check_roles(name, 8)


@pytest.mark.parametrize("name", [*NAMES, *TASKS])
def test_roles_stay_when_the_answer_is_cut_off(name: str) -> None:
    task = find_task(name)
    xp = numpy_arrays()
    if not isinstance(task, AnswerTask):
        return
    batch = draw_batch(task, 16, high=16)
    roles = task.roles(batch, xp)
    if roles is None:
        return
    place = np.arange(batch.tokens_MBL.shape[-1])
    sep = np.argmax(batch.tokens_MBL == task.token(SEP), axis=-1)
    for kept in (0, 1, 2, -3, -2, -1):
        last = np.minimum(sep + kept, batch.sizes_MB - 2) if kept >= 0 else np.maximum(sep, batch.sizes_MB - 2 + kept)
        tokens = np.where(place <= last[..., None], batch.tokens_MBL, task.token(PAD))
        tokens = np.where(place == last[..., None] + 1, task.token(EOS), tokens)
        cut = task.roles(replace(batch, tokens_MBL=tokens, targets_MBL=tokens, sizes_MB=last + 2), xp)
        assert not ((roles != cut) & (place <= last[..., None])).any()


def test_a_task_without_its_first_token_has_the_same_roles_one_place_earlier() -> None:
    whole = find("index_hints(add_decimal(reversed))")
    bare = without_bos(whole)
    batch = draw_batch(whole, 5)
    shorter = Batch(
        tokens_MBL=batch.tokens_MBL[..., 1:],
        targets_MBL=batch.targets_MBL[..., 1:],
        sizes_MB=batch.sizes_MB - 1,
        scale_MB=batch.scale_MB,
    )
    one, two = whole.roles(batch, numpy_arrays()), bare.roles(shorter, numpy_arrays())
    assert one is not None
    assert np.array_equal(one[..., 1:], two)
    assert without_bos(find_task("spaced(listops)")).host_only


def test_roles_that_would_not_be_causal_are_not_given() -> None:
    assert find("answer_reversed(repeat_copy)").has_roles
    assert not find("answer_reversed(selective_copy)").has_roles
    assert find("answer_reversed(padded(selective_copy))").has_roles
    assert find("padded(add_decimal(all_reversed))").has_roles
    assert not find("padded(answer_reversed(add_decimal(all_reversed)))").has_roles


# Refusals


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "padded(D_2)",
            "padded writes prompts and answers in another way, and 'D_2' asks for the legal next symbols at every prefix.\n"
            "hint: use a task with an answer after a separator, for example addition or accepts(LANGUAGE).",
        ),
        (
            "spaced(states(D_2))",
            "spaced writes prompts and answers in another way, and 'states(D_2)' asks for states at every prefix.\n"
            "hint: use a task with an answer after a separator, for example addition or accepts(LANGUAGE).",
        ),
        (
            "padded(count_up)",
            "padded needs <bos> prompt <sep> answer <eos> with a prompt as long as the length, and 'count_up' lays out its "
            "instances in a way of its own.\nhint: use another task, for example unique_copy or addition.",
        ),
        ("spaced(spaced(parity))", "'spaced(parity)' is spaced already.\nhint: apply every format once."),
        (
            "index_hints(spaced(parity))",
            "index_hints cannot be put around spaced: it would tear apart what spaced has put together.\n"
            "hint: write it the other way round: spaced(index_hints(parity)).",
        ),
        (
            "padded(aligned(spaced(parity)))",
            "padded cannot be put around spaced: it would tear apart what spaced has put together.\n"
            "hint: write it the other way round: spaced(padded(parity)).",
        ),
        ("spaced()", "spaced takes a task in parentheses; found nothing.\nhint: for example spaced(addition)."),
        (
            "padded(parity, 3)",
            "padded takes a task in parentheses; found 'parity', '3'.\nhint: for example padded(addition).",
        ),
        (
            "aligned(parity, 3, 4)",
            "aligned takes a task and the number of symbols of a filled prompt in parentheses; found 'parity', '3', '4'.\n"
            "hint: for example aligned(addition, 64).",
        ),
        (
            "aligned(parity, x)",
            "aligned takes the number of symbols of a filled prompt, a whole number from 1 to 100000; found 'x'.\n"
            "hint: for example aligned(addition, 64).",
        ),
        (
            "aligned(addition, 3)",
            "'aligned(addition, 3)' has no instance: prompts of 'addition' have 4 symbols at least.\n"
            "hint: fill them up to more, for example aligned(addition, 64).",
        ),
        (
            "index_hints(addition, 2)",
            "'index_hints(addition, 2)' has no instance: 'addition' needs 3 hints at least.\n"
            "hint: use more hints, for example index_hints(addition, 128).",
        ),
        (
            "scratchpad(reverse)",
            "there is no trace for 'reverse'. Those with one: bin_majority, majority, parity, sort, addition, "
            "count_symbol, add_decimal, mul_nxm, mul_nx1, mul_nx2, divide, dyck_1, dyck, word_problem.\n"
            "hint: use one of these, or a task that is a trace itself: parity_cot, turing_program, sort_cot, count_cot, "
            "majority_cot, dyck_cot, state_track_cot, add_cot, mul_cot, div_cot, parity_cot_aligned.",
        ),
        (
            "scratchpad(word_problem)",
            "there is a trace for word_problem in the groups S3 and Z5 only; found 'word_problem'.\n"
            "hint: for example scratchpad(word_problem(S3)).",
        ),
        (
            "scratchpad(padded(addition))",
            "scratchpad cannot be put around padded: a trace is not 'addition' in another format.\n"
            "hint: write it the other way round: padded(scratchpad(addition)).",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_reason(name: str, message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        find_task(name)
    assert str(caught.value) == message


def test_a_task_inside_that_nobody_knows_is_refused() -> None:
    with pytest.raises(LengthwiseError, match="task 'adition' is unknown"):
        find_task("padded(adition)")


# Scratchpads


def test_a_scratchpad_is_the_task_that_shows_its_work() -> None:
    families = [TASKS[name] for name in TASKS]
    shown = {family.name: family.scratchpad for family in families if family.scratchpad}
    assert len(shown) == 14
    for name, trace in shown.items():
        if name != "word_problem":
            assert find_task(f"scratchpad({name})").name == trace
    themselves = [family.name for family in families if family.group is Group.SCRATCHPADS]
    assert set(shown.values()) < set(themselves)
    for name in themselves:
        assert find_task(f"scratchpad({name})").name == name
    assert find_task("scratchpad(sort(40))").name == "sort_cot(40)"
    assert find_task("scratchpad(word_problem(Z5))").name == "state_track_cot(Z5)"
    assert find_task("scratchpad(add_decimal(reversed))").name == "add_cot"
    assert find_task("spaced(scratchpad(parity))").name == "spaced(parity_cot)"


# Training


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("padded(answer_reversed(addition))", "nope"),
        ("index_hints(answer_reversed(add_decimal))", "abacus"),
        ("aligned(answer_reversed(repeat_copy), 20)", "coupling"),
        ("spaced(padded(selective_copy))", "coupling"),
    ],
)
def test_a_stack_trains_on_a_formatted_task(name: str, encoding: str) -> None:
    stack = Stack.of(
        make_training_runs(
            task=find_task(name),
            encoding=encoding,
            shape=Shape(layers=1, heads=2, width=16),
            training=Training(steps=2, batch=32, warmup=1, evaluate_every=2, examples=16),
            bins=length_bins(8, 16),
            seeds=[0, 1],
            rates=[1e-3, 1e-3],
        )
    )
    first, second = stack.step(), stack.step()
    assert torch.isfinite(first).all()
    assert torch.isfinite(second).all()
    assert not torch.equal(first, second)
    assert [score.length for score in stack.test([0])[0].scores][-1] == 16


def test_a_spec_takes_formatted_tasks_by_name() -> None:
    assert Spec(tasks=("spaced(parity)",)).tasks == ("spaced(parity)",)
