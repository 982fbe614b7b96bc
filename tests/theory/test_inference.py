"""Idealized inference: the fast enumeration against slow and obvious oracles, and the tables of the three kinds of task."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lengthwise.cli.commands import infer
from lengthwise.cli.parser import build_parser
from lengthwise.crasp.fragments import Fragment, Readout
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.measures import expression_size
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.syntax import Program
from lengthwise.crasp.synthesis import expressions_by_brute_force
from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.inference.programs import infer_programs
from lengthwise.theory.inference.table import Inference, Row, Target, make_target
from lengthwise.theory.inference.transformers import (
    END,
    START,
    Grid,
    accept_words,
    accepts_slowly,
    complexities,
    infer_transformers,
    matrices,
)

MAJORITY = make_target(lambda word: word.count("a") > word.count("b"), "ab")
EVEN = make_target(compile_regex("(aa)*"))
ENDS_IN_B = make_target(compile_regex("[ab]*b"))
PARITY = make_target(lambda word: word.count("b") % 2 == 0, "ab")


def words_up_to(target: Target, longest: int, shortest: int = 0) -> list[tuple[str, ...]]:
    return [
        word for length in range(shortest, longest + 1) for word in itertools.product(target.alphabet, repeat=length)
    ]


def label(target: Target, word: Sequence[str]) -> bool:
    return bool(target.labels(len(word))[list(itertools.product(target.alphabet, repeat=len(word))).index(tuple(word))])


def summary(found: Inference) -> list[tuple[int, float | None, str | None, int]]:
    return [(row.n, row.complexity, row.chosen, row.right_to) for row in found.rows]


# Programs against brute force


@pytest.mark.parametrize(
    ("target", "fragment", "readout", "max_size"),
    [
        (MAJORITY, Fragment.PLAIN, Readout.END_MARKER, 4),
        (EVEN, Fragment.PERIODIC, Readout.END_MARKER, 4),
        (EVEN, Fragment.PLAIN, Readout.END_MARKER, 4),
        (PARITY, Fragment.PLAIN, Readout.LAST_SYMBOL, 4),
        pytest.param(MAJORITY, Fragment.PLAIN, Readout.END_MARKER, 5, marks=pytest.mark.full),
        pytest.param(MAJORITY, Fragment.PLAIN, Readout.LAST_SYMBOL, 5, marks=pytest.mark.full),
        pytest.param(ENDS_IN_B, Fragment.LOCAL, Readout.END_MARKER, 5, marks=pytest.mark.full),
        pytest.param(EVEN, Fragment.PERIODIC_LOCAL, Readout.END_MARKER, 5, marks=pytest.mark.full),
        pytest.param(PARITY, Fragment.PLAIN, Readout.LAST_SYMBOL, 5, marks=pytest.mark.full),
    ],
)
def test_the_choice_and_the_ties_are_those_of_trying_every_program(
    target: Target, fragment: Fragment, readout: Readout, max_size: int
) -> None:
    compared = 3
    found = infer_programs(target, fragment=fragment, readout=readout, last_n=6, max_size=max_size, compared=compared)
    words = words_up_to(target, compared, int(readout is Readout.LAST_SYMBOL))
    wanted = [label(target, word) for word in words]
    behaviours: dict[tuple[bool, ...], int] = {}  # the smallest size of each
    for expression in expressions_by_brute_force(target.alphabet, fragment, max_size):
        program = Program(alphabet=target.alphabet, accept=expression, readout=readout)
        behaviours.setdefault(tuple(accepts(program, word) for word in words), expression_size(expression))
    for row in found.rows:
        inside = [number for number, word in enumerate(words) if len(word) <= row.trained]
        agreeing = {
            said: size for said, size in behaviours.items() if all(said[number] == wanted[number] for number in inside)
        }
        if not agreeing:
            assert row == Row(n=row.n, chosen=None)
            continue
        least = min(agreeing.values())
        tied = [said for said, size in agreeing.items() if size == least]
        assert (row.complexity, row.tied, row.has_right) == (least, len(tied), tuple(wanted) in tied)
        symbols = " ".join(f"'{symbol}'" for symbol in target.alphabet)
        text = f"alphabet {symbols}  {'read at end' if readout is Readout.END_MARKER else ''} accept := {row.chosen}"
        chosen = parse_program(text)
        assert tuple(accepts(chosen, word) for word in words) in tied
        assert expression_size(chosen.accept) == least  # type: ignore[arg-type]
        first_wrong = next((w for w in words_up_to(target, 9, 1) if accepts(chosen, w) != label(target, w)), None)
        if first_wrong is not None:
            assert row.first_wrong is not None
            assert len(row.first_wrong) <= len(first_wrong)
        else:
            assert row.right_to >= 9 or row.first_wrong == ()


# The three kinds of task, by programs


def test_majority_settles_with_and_without_positions() -> None:
    for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
        found = infer_programs(MAJORITY, fragment=fragment, last_n=8)
        assert summary(found) == [
            (2, 4, "#['a'] != 0", 1),
            *((n, 5, "#['a'] > #['b']", 15) for n in (4, 6, 8)),
        ]
        assert (found.settled_from, found.generalizes_from) == (4, 4)
        assert found.rows[-1].tied == 1


def test_even_length_settles_only_with_positions() -> None:
    with_positions = infer_programs(EVEN, fragment=Fragment.PERIODIC_LOCAL)
    assert {row.chosen for row in with_positions.rows} == {"pos % 2 = 1"}
    assert with_positions.generalizes_from == 2
    without = infer_programs(EVEN, max_size=13)
    assert [row.complexity for row in without.rows] == [4, 4, 8, 10, 13, None]
    assert [row.right_to for row in without.rows] == [1, 2, 3, 4, 5, -1]
    assert (without.settled_from, without.generalizes_from) == (None, None)
    assert without.conclusion.startswith(
        "From n = 12 on no hypothesis of the class agrees with all inputs up to length 6"
    )


def test_parity_grows_until_no_program_is_left() -> None:
    found = infer_programs(PARITY, last_n=10, max_size=11)
    assert [row.complexity for row in found.rows] == [4, 4, 9, 11, None]
    assert all(row.right_to == row.trained for row in found.rows[:4])
    assert not any(row.has_right for row in found.rows)


@pytest.mark.full
def test_the_tables_of_the_page() -> None:
    even = infer_programs(EVEN)
    assert [row.complexity for row in even.rows] == [4, 4, 8, 10, 13, 15]
    assert even.conclusion == "The choice does not settle up to n = 12; its complexity goes from 4 to 15."
    for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL):
        assert [row.complexity for row in infer_programs(PARITY, fragment=fragment).rows] == [4, 4, 9, 11, None, None]
    factor = make_target(compile_regex("[abc]*ab[abc]*"))
    local = infer_programs(factor, fragment=Fragment.PERIODIC_LOCAL, last_n=8)
    assert local.rows[-1].chosen == "#['b' and #{1}['a'] != 0] != 0"
    assert (local.settled_from, local.rows[-1].right_to) == (6, 9)
    assert infer_programs(factor, last_n=8).rows[-1].chosen is None
    no_000 = infer_programs(make_target(lambda word: "000" not in word, "01"), fragment=Fragment.PERIODIC_LOCAL)
    assert (no_000.rows[-1].chosen, no_000.settled_from) == ("#[#{0..2}['0'] > 2] = 0", 10)


# Transformers against fractions and matrices

GRIDS = [
    Grid(alphabet=("a", "b")),
    Grid(alphabet=("a", "b"), largest=3, positions=False),
    Grid(alphabet=("a",), window=3, period=3),
    Grid(alphabet=("a",), largest=2, window=1, period=1),
]


def some_hypotheses(grid: Grid, number: int = 60) -> np.ndarray:
    chosen = np.random.default_rng(0).integers(0, len(grid), number)
    return grid.parameters(np.concatenate([[0, 1, len(grid) - 1], chosen]))


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_transformer_accepts_what_the_formula_says_in_fractions(grid: Grid) -> None:
    parameters = some_hypotheses(grid)
    for length in range(4):
        words = list(itertools.product(range(len(grid.alphabet)), repeat=length))
        said = accept_words(grid, parameters, np.array(words, np.int64).reshape(len(words), length))
        for hypothesis, row in zip(parameters.tolist(), said, strict=True):
            named = [[grid.alphabet[number] for number in word] for word in words]
            assert row.tolist() == [accepts_slowly(grid, hypothesis, word) for word in named]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_written_out_as_matrices_a_transformer_does_the_same(grid: Grid) -> None:
    for hypothesis in some_hypotheses(grid, 25).tolist():
        written = matrices(grid, hypothesis)
        for word in [(), *itertools.product(grid.alphabet, repeat=1), *itertools.product(grid.alphabet, repeat=3)]:
            tokens = (START, *word, END)
            n = len(tokens)
            states = [
                written.embeddings[token] + written.positions[place % len(written.positions)]
                for place, token in enumerate(tokens)
            ]
            logits = [
                state @ written.keys_queries @ states[-1] + written.local.get(n - 1 - place, 0)
                for place, state in enumerate(states)
            ]
            weights = np.exp(math.log(n) * np.array(logits))
            mixed = states[-1] + written.values @ (weights @ np.array(states) / weights.sum())
            hidden = (written.into @ mixed + written.bias > 1e-9).astype(float)  # a Heaviside, up to rounding
            accepted = (written.readout @ (mixed + written.out @ hidden)).item() > 0.5
            assert accepted == accepts_slowly(grid, hypothesis, word)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_the_complexity_is_that_of_the_matrices(grid: Grid) -> None:
    parameters = some_hypotheses(grid)
    for hypothesis, found in zip(parameters.tolist(), complexities(grid, parameters), strict=True):
        written = matrices(grid, hypothesis)
        precision = max(map(abs, hypothesis)).bit_length()
        norms = [np.linalg.norm(each, 2) for each in (written.keys_queries, written.values, written.readout)]
        norms += [np.linalg.norm(each) for each in (written.into, written.out, written.bias)]
        norms += [max(np.linalg.norm(each) for each in written.embeddings.values())]
        norms += [max(np.linalg.norm(each) for each in written.positions)]
        positional = sum(value**2 for value in written.local.values())
        expected = 1 + 1 + precision + np.linalg.matrix_rank(written.values) + sum(norms) + positional
        assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("target", "grid"),
    [
        (EVEN, Grid(alphabet=("a",), positions=False)),
        (make_target(compile_regex("a*")), Grid(alphabet=("a",), positions=False)),
        (make_target(compile_regex("aaa*")), Grid(alphabet=("a",), window=0, period=1)),
    ],
    ids=["even", "all", "two"],
)
def test_the_chosen_transformer_is_that_of_trying_all_of_them(target: Target, grid: Grid) -> None:
    found = infer_transformers(target, grid, last_n=4, compared=5)
    everything = list(itertools.product(grid.values, repeat=len(grid.names)))
    sizes = complexities(grid, np.array(everything, np.int64))
    left = list(range(len(everything)))
    for row in found.rows:
        for word in words_up_to(target, row.trained):
            wanted = label(target, word)
            left = [number for number in left if accepts_slowly(grid, everything[number], word) == wanted]
        assert row.agreeing == len(left)
        if not left:
            assert row.chosen is None
            continue
        tied = [number for number in left if sizes[number] == min(sizes[other] for other in left)]
        assert (row.complexity, row.tied) == (sizes[tied[0]], len(tied))
        assert row.chosen == grid.describe(everything[tied[0]])
        ways = {
            tuple(accepts_slowly(grid, everything[number], word) for word in words_up_to(target, 5)) for number in tied
        }
        assert row.behaviours == len(ways)
        assert row.has_right == (tuple(label(target, word) for word in words_up_to(target, 5)) in ways)


def test_the_three_kinds_of_task_among_transformers() -> None:
    plain, positional = Grid(alphabet=("a", "b"), positions=False), Grid(alphabet=("a",))
    found = infer_transformers(MAJORITY, plain, last_n=8)
    assert summary(found)[1:] == [(n, 9.0, "v(a) = 1, v(b) = −1", 15) for n in (4, 6, 8)]
    assert [row.agreeing for row in found.rows] == [76, 22, 12, 12]
    even = infer_transformers(EVEN, positional)
    assert {row.chosen for row in even.rows} == {"c(1) = 1"}
    assert (even.generalizes_from, even.rows[-1].right_to) == (2, 40)
    assert infer_transformers(EVEN, Grid(alphabet=("a",), positions=False)).rows[1].chosen is None
    parity = infer_transformers(PARITY, plain, last_n=6)
    assert [row.agreeing for row in parity.rows] == [40, 0, 0]


@pytest.mark.full
def test_the_last_symbol_needs_a_window_among_transformers_too() -> None:
    grid = Grid(alphabet=("a", "b"))
    assert len(grid) == 3**13
    told: list[tuple[int, int]] = []
    found = infer_transformers(ENDS_IN_B, grid, progress=lambda *done: told.append(done))
    assert told[-1] == (3**13, 3**13)
    assert [row.complexity for row in found.rows] == [9, 10, 10, 10, 10, 10]
    assert (found.rows[-1].chosen, found.settled_from) == ("v(a) = −1, v(b) = 1, φ(1) = 1", 6)
    assert infer_transformers(PARITY, grid).rows[1].chosen is None


# What is told


def test_a_table_says_when_it_settles_and_from_when_on_it_is_right() -> None:
    def table(chosen: str, wrong: Callable[[int], tuple[str, ...] | None]) -> Inference:
        rows = tuple(
            Row(
                n=2 * number,
                chosen=None if each == "-" else each,
                complexity=1.0,
                first_wrong=wrong(number),
                checked=12,
            )
            for number, each in enumerate(chosen, 1)
        )
        return Inference(hypotheses="", order="", counted="", compared=3, rows=rows)

    assert table("abb", lambda _: None).settled_from == 4
    assert table("abc", lambda _: None).settled_from is None
    assert table("aaa", lambda _: None).settled_from == 2
    assert table("ab--", lambda _: None).settled_from is None
    assert table("abb", lambda number: ("a",) if number == 2 else None).generalizes_from == 6
    assert table("abb", lambda _: ("a",) * 3).generalizes_from is None
    assert "but errs on 'aaa'" in table("abb", lambda _: ("a",) * 3).conclusion


@pytest.mark.parametrize(
    "grid",
    [Grid(alphabet=("a",), largest=3, positions=False), Grid(alphabet=("a",), largest=3, window=1, period=1)],
    ids=str,
)
def test_sums_of_the_longest_words_are_exact(grid: Grid) -> None:
    longest = min(grid.longest, 40)
    corners = grid.parameters(np.array([0, 1, len(grid) - 1, len(grid) - 2]))
    extreme = np.array([[3] * len(grid.names), [-3] * len(grid.names)])  # the largest sums there are
    parameters = np.concatenate([corners, extreme, some_hypotheses(grid, 20)])
    said = accept_words(grid, parameters, np.zeros((1, longest), np.int64))[:, 0]
    assert said.tolist() == [accepts_slowly(grid, [int(each) for each in row], "a" * longest) for row in parameters]
    with pytest.raises(
        CapExceededError, match=f"words of length {grid.longest + 1} are too long to be decided exactly"
    ):
        accept_words(grid, parameters, np.zeros((1, grid.longest + 1), np.int64))


def test_large_parameters_are_checked_as_far_as_they_are_exact() -> None:
    target = make_target(lambda word: "b" not in word, "a")
    plain = infer_transformers(target, Grid(alphabet=("a",), largest=3, positions=False), last_n=4)
    assert {row.checked for row in plain.rows} == {40}
    small = infer_transformers(target, Grid(alphabet=("a",), largest=3, window=0, period=1), last_n=4)
    assert {row.checked for row in small.rows} == {21}
    with pytest.raises(CapExceededError, match="n goes up to 21 for parameters up to 3"):
        infer_transformers(target, Grid(alphabet=("a",), largest=3, window=0, period=1), last_n=22)


def test_bad_input_is_told_in_a_sentence() -> None:
    with pytest.raises(InvalidOptionError, match="n goes up to a whole number of at least 2; found 0"):
        infer_programs(MAJORITY, last_n=0)
    with pytest.raises(
        CapExceededError, match="all words up to length 16 over 2 symbols are too many; the cap is length 15"
    ):
        infer_programs(MAJORITY, last_n=16)
    with pytest.raises(InvalidOptionError, match="a predicate needs an alphabet; found none"):
        make_target(lambda _: True)
    with pytest.raises(InvalidOptionError, match="the program says which symbols come next"):
        make_target(parse_program("alphabet 'a' next 'a' := true"))
    with pytest.raises(InvalidOptionError, match="the largest parameter must be a whole number from 1 to 3; found 0"):
        Grid(alphabet=("a",), largest=0)
    with pytest.raises(CapExceededError, match="there are 1,220,703,125 transformers with 13 parameters from −2 to 2"):
        Grid(alphabet=("a", "b"), largest=2)
    with pytest.raises(InvalidOptionError, match="the grid is over"):
        infer_transformers(EVEN, GRIDS[0])


def run(*arguments: str) -> int:
    return infer.run(build_parser().parse_args(["infer", *arguments]))


def test_the_command_prints_a_table_for_each_encoding(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("majority", "--lengths", "6") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("majority × nope: theory says YES")
    assert "majority × ape: theory says YES" in printed
    assert "6  3        5  1      1" in printed
    assert "#['0'] < #['1']" in printed
    assert run("(aa)*", "--encoding", "nope", "--lengths", "6", "--size", "7") == 0
    assert "no hypothesis is left" in capsys.readouterr().out


def test_the_command_gives_data_and_knows_both_classes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("(aa)*", "--class", "transformers", "--lengths", "4", "--json") == 0
    nope, ape = json.loads(capsys.readouterr().out)
    assert (nope["prediction"], ape["prediction"]) == ("NO", "YES")
    assert [row["chosen"] for row in ape["rows"]] == ["c(1) = 1"] * 2
    assert nope["rows"][1]["chosen"] is None
    assert nope["rows"][0]["first_wrong"] == ["a", "a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("unique_copy",),
            "inference needs words that are accepted or not, and 'unique_copy' asks for something else.",
        ),
        (("PARITY", "--size", "99"), "the size of programs must be from 1 to 20; found 99."),
        (
            ("PARITY", "--class", "transformers", "--size", "4"),
            "the size of transformers must be from 1 to 3; found 4.",
        ),
    ],
)
def test_the_command_refuses_in_a_sentence(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        run(*arguments)
    assert caught.value.message == message
