"""SRC: the search and the SAT solver against the published table of our reconstruction, and against all assignments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random

import pytest

from lengthwise.errors import CapExceededError, InvalidOptionError, MissingExtraError
from lengthwise.extras import install_hint
from lengthwise.tasks.core.problems import PROBLEMS
from lengthwise.theory.positions.layout import Layout, Tokens
from lengthwise.theory.positions.rows import (
    Step,
    candidates,
    decode,
    least_candidates,
    minimal_sets,
    rows,
    scale_rows,
)
from lengthwise.theory.positions.sat import greedy, solve
from lengthwise.theory.positions.search import (
    Option,
    Solver,
    assign,
    check_circuit,
    complexity_by_scale,
    covers,
    encode,
    essential_steps,
    search,
)

SOLVERS = {"search": search, "sat": solve}
EASY = ("copy", "shift", "reverse")
TABLE: dict[str, tuple[Layout, int, list[int | None], list[int | None]]] = {
    **{name: (PROBLEMS[name]().layout, 1, [1] * 6, [1] * 6) for name in EASY},
    "parity_cot": (PROBLEMS["parity_cot"]().layout, 2, [1, 2, 2, 2, 2, 2], [1] * 6),
    "parity": (PROBLEMS["parity"]().layout, 3, [1, 2, 3, None], [1, 1, 1, None]),
    "addition": (PROBLEMS["addition"](2).layout, 5, [2, 4, 5, 5], [1, 1, 1, 1]),
    "mul_1xn": (PROBLEMS["mul_1xn"](3).layout, 4, [2, 4, 5, 5, 5], [1, 1, 1, 1, 1]),
    "mul_nxn": (PROBLEMS["mul_nxn"](2).layout, 5, [2, 4, None], [1, 1, None]),
}


def numbers(
    layout: Layout, max_scale: int, max_arity: int, *, reduced: bool, solver: Solver | None = None
) -> list[int | None]:
    found = complexity_by_scale(layout, max_scale, max_arity=max_arity, reduced=reduced, solver=solver)
    return [each.num_operators for each in found]


def random_layout(seed: int, *, symbols: str = "01", max_scale: int = 2, answers: int = 2) -> Layout:
    """Return a layout whose answers are random: n free symbols, `=`, and up to so many random ones."""
    random = Random(seed)
    lengths = {scale: random.randint(1, answers) for scale in range(1, max_scale + 1)}
    known = {
        (*word, "="): tuple(random.choice(symbols) for _ in range(lengths[scale]))
        for scale in range(1, max_scale + 1)
        for word in product(symbols, repeat=scale)
    }
    return Layout(
        name=f"random {seed}",
        definition="random answers",
        alphabet=(*symbols, "="),
        choices=lambda scale: (tuple(symbols),) * scale,
        prompt=lambda _, free: (*free, "="),
        answer=lambda prompt: known[prompt],
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: lengths[scale],
    )


Function = dict[Tokens, str]


def oracle(layout: Layout, max_scale: int, max_arity: int, *, reduced: bool) -> list[int | None]:
    """Return SRC by trying all assignments: every arity up to the largest, every tuple, every way to share operators."""
    steps: list[list[tuple[int, Function]]] = []
    told: list[int | None] = []
    for scale in range(1, max_scale + 1):
        sequences = [(prompt, (*prompt, *answer)) for prompt, answer in layout.instances(scale)]
        for index in range(layout.answer_length(scale)):
            query = len(sequences[0][0]) + index - 1
            options: list[tuple[int, Function]] = []
            for arity in range(max_arity + 1):
                for operands in product(range(query + 1), repeat=arity):
                    function = as_function(operands, [tokens for _, tokens in sequences], query)
                    if function is not None and (arity, function) not in options:
                        options.append((arity, function))
                if reduced and options:
                    break
            steps.append(options)
        told.append(fewest(steps, [], len(steps)) if all(steps) else None)
    return told


def as_function(operands: tuple[int, ...], sequences: list[Tokens], query: int) -> Function | None:
    function: Function = {}
    for tokens in sequences:
        key = tuple(tokens[position] for position in operands)
        if function.setdefault(key, tokens[query + 1]) != tokens[query + 1]:
            return None
    return function


def fewest(steps: list[list[tuple[int, Function]]], operators: list[tuple[int, Function]], bound: int) -> int:
    """Return the least number of operators that serve the steps left and those that there are; at most the bound."""
    if len(operators) >= bound:
        return bound
    if not steps:
        return len(operators)
    for arity, function in steps[0]:
        for place, (own, table) in enumerate(operators):
            if own == arity and all(table.get(key, value) == value for key, value in function.items()):
                grown = [*operators[:place], (own, table | function), *operators[place + 1 :]]
                bound = fewest(steps[1:], grown, bound)
        bound = fewest(steps[1:], [*operators, (arity, function)], bound)
    return bound


def tables(step: Step, layout: Layout, arity: int) -> Iterator[tuple[tuple[int, ...], Function]]:
    """Yield the candidates of a step with their tables written out."""
    for candidate in candidates(step, arity):
        entries = [decode(entry, arity, step.num_symbols) for entry in candidate.entries.tolist()]
        yield (
            candidate.operands,
            {tuple(layout.alphabet[code] for code in key): layout.alphabet[value] for key, value in entries},
        )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_the_reconstruction_is_reproduced(name: str, solver: str) -> None:
    layout, arity, reduced, unreduced = TABLE[name]
    unreduced = unreduced[
        : {"addition": 1, "mul_nxn": 1, "mul_1xn": 3}.get(name)
    ]  # the larger scales are for the full run
    assert numbers(layout, len(reduced), arity, reduced=True, solver=SOLVERS[solver]) == reduced
    assert numbers(layout, len(unreduced), arity, reduced=False, solver=SOLVERS[solver]) == unreduced


@pytest.mark.full
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", TABLE)
def test_the_whole_table_is_reproduced(name: str, solver: str) -> None:
    layout, arity, reduced, unreduced = TABLE[name]
    assert numbers(layout, len(reduced), arity, reduced=True, solver=SOLVERS[solver]) == reduced
    assert numbers(layout, len(unreduced), arity, reduced=False, solver=SOLVERS[solver]) == unreduced


def test_parity_in_one_step_needs_one_more_arity_at_each_scale() -> None:
    assert numbers(PROBLEMS["parity"]().layout, 6, 6, reduced=True) == [1, 2, 3, 4, 5, 6]


def check_against_all_assignments(layout: Layout, max_scale: int, max_arity: int, *, reduced: bool) -> int | None:
    expected = oracle(layout, max_scale, max_arity, reduced=reduced)
    for name, solver in SOLVERS.items():
        assert numbers(layout, max_scale, max_arity, reduced=reduced, solver=solver) == expected, (layout.name, name)
    return expected[-1]


@pytest.mark.parametrize("reduced", [True, False])
def test_both_solvers_agree_with_all_assignments_on_random_layouts(reduced: bool) -> None:
    seen = {check_against_all_assignments(random_layout(seed, answers=2), 2, 2, reduced=reduced) for seed in range(60)}
    assert len(seen) >= 2, "the layouts should not all have one number"


@pytest.mark.parametrize("reduced", [True, False])
def test_both_solvers_agree_with_all_assignments_at_arity_one(reduced: bool) -> None:
    seen = {
        check_against_all_assignments(random_layout(seed, symbols="012", max_scale=1, answers=3), 1, 1, reduced=reduced)
        for seed in range(150)
    }
    assert len(seen) >= 3, "the layouts should not all have one number"


@pytest.mark.full
@pytest.mark.parametrize("reduced", [True, False])
def test_both_solvers_agree_with_all_assignments_on_many_random_layouts(reduced: bool) -> None:
    for seed in range(400):
        check_against_all_assignments(random_layout(seed, answers=3), 2, 2, reduced=reduced)
    for seed in range(60):
        check_against_all_assignments(random_layout(seed, max_scale=3, answers=1), 3, 3, reduced=reduced)


@pytest.mark.parametrize(
    ("name", "parameters", "max_scale", "arity"),
    [
        ("parity_cot", (), 3, 2),
        ("shift", (), 3, 1),
        ("sort", (), 2, 2),
        ("running_max", (), 2, 2),
        ("increment", (2,), 2, 2),
    ],
)
def test_both_solvers_agree_with_all_assignments_on_known_layouts(
    name: str, parameters: tuple[int, ...], max_scale: int, arity: int
) -> None:
    for reduced in (True, False):
        check_against_all_assignments(PROBLEMS[name](*parameters).layout, max_scale, arity, reduced=reduced)


def test_determining_sets_are_exactly_the_minimal_ones() -> None:
    for seed in range(40):
        for step in rows(random_layout(seed, max_scale=3), 3):
            determining = [
                set(chosen)
                for size in range(5)
                for chosen in combinations(range(step.tokens_RP.shape[1]), size)
                if as_function(
                    chosen,
                    [
                        tuple(map(str, (*row, value)))
                        for row, value in zip(step.tokens_RP.tolist(), step.next_R.tolist(), strict=True)
                    ],
                    step.tokens_RP.shape[1] - 1,
                )
                is not None
            ]
            minimal = [each for each in determining if not any(other < each for other in determining)]
            assert [set(each) for each in minimal_sets(step, 4)] == minimal
            least = min(map(len, determining), default=None)
            assert [set(each) for each in minimal_sets(step, 4, smallest=True)] == [
                each for each in minimal if len(each) == least
            ]


def test_candidates_are_the_smallest_functions_of_all_tuples() -> None:
    for seed in range(15):
        layout = random_layout(seed, max_scale=3)
        for step in rows(layout, 3):
            sequences = [
                tuple(layout.alphabet[code] for code in (*row, value))
                for row, value in zip(step.tokens_RP.tolist(), step.next_R.tolist(), strict=True)
            ]
            query = step.tokens_RP.shape[1] - 1
            functions = {
                frozenset(function.items())
                for operands in product(range(query + 1), repeat=2)
                if (function := as_function(operands, sequences, query)) is not None
            }
            found = {frozenset(table.items()) for _, table in tables(step, layout, 2)}
            assert found == {each for each in functions if not any(other < each for other in functions)}
            for operands, table in tables(step, layout, 2):
                assert as_function(operands, sequences, query) == table


def test_candidates_come_in_all_orders_and_one_of_each_is_ascending() -> None:
    layout = PROBLEMS["mul_1xn"](3).layout
    for step in scale_rows(layout, 3):
        size, found = least_candidates(step, 4) or (0, [])
        functions = {
            frozenset(
                decode(entry, size, step.num_symbols) for entry in candidate.entries.tolist()
            ): candidate.ascending
            for candidate in found
        }
        for function in functions:
            orbit = {
                frozenset((tuple(key[slot] for slot in order), value) for key, value in function)
                for order in permutations(range(size))
            }
            assert orbit <= set(functions)
            assert any(functions[each] for each in orbit)


def test_operands_are_repeated_where_an_operator_has_slots_to_spare() -> None:
    """The first digit of a sum has two operands, and shares the operator of five slots all the same."""
    *_, last = complexity_by_scale(PROBLEMS["addition"](2).layout, 2, max_arity=5)
    assert last.num_operators == 1
    assert last.circuit is not None
    first = next(gate for gate in last.circuit.gates if (gate.scale, gate.index) == (1, 1))
    assert len(first.operands) == 5 > len(set(first.operands))


def test_a_circuit_with_a_wrong_entry_is_not_accepted() -> None:
    layout = PROBLEMS["parity_cot"]().layout
    *_, last = complexity_by_scale(layout, 3, max_arity=2)
    assert last.circuit is not None
    check_circuit(layout, 3, last.circuit)
    for key, symbol in last.circuit.operators[0].items():
        wrong = replace(last.circuit, operators=({**last.circuit.operators[0], key: "1" if symbol == "0" else "0"},))
        with pytest.raises(InvalidOptionError, match="operator 0 gives"):
            check_circuit(layout, 3, wrong)
    missing = replace(last.circuit, gates=last.circuit.gates[1:])
    with pytest.raises(InvalidOptionError, match="no gate at scale 1, step 1"):
        check_circuit(layout, 3, missing)
    future = replace(last.circuit.gates[0], operands=(0, 2))
    with pytest.raises(InvalidOptionError, match="reads positions 0 to 1"):
        check_circuit(layout, 3, replace(last.circuit, gates=(future, *last.circuit.gates[1:])))


def test_a_covered_step_never_raises_the_number() -> None:
    """Leaving steps out because others cover them is compared with keeping all of them."""
    left_out = 0
    for seed in range(40):
        layout = random_layout(seed, max_scale=2, answers=3)
        problem = encode([candidates(step, 2) for step in rows(layout, 2)], len(layout.alphabet))
        if not all(problem):
            continue
        essential = essential_steps(problem)
        left_out += len(problem) - len(essential)
        assert len(search([problem[place] for place in essential], 1)) == len(search(problem, 1))
    assert left_out > 20


def test_covering_asks_for_a_part_of_every_option() -> None:
    def option(entries: int) -> Option:
        return Option(entries=entries, conflicts=0, leading=True, operands=())

    assert covers([option(0b111), option(0b110)], [option(0b010)])
    assert not covers([option(0b111), option(0b101)], [option(0b010)])


def test_greedy_operators_serve_every_step_without_conflict() -> None:
    layout = PROBLEMS["mul_1xn"](3).layout
    problem = encode([candidates(step, 4) for step in rows(layout, 3)], len(layout.alphabet))
    operators = greedy(problem)
    assert all(entries & conflicts == 0 for entries, conflicts in operators)
    assert all(any(option.entries & ~entries == 0 for option in step for entries, _ in operators) for step in problem)


def test_caps_and_options_are_named_in_errors() -> None:
    with pytest.raises(CapExceededError, match="copy has 1,024 instances at scale 10, more than the cap of 1,000"):
        scale_rows(PROBLEMS["copy"]().layout, 10, max_rows=1000)
    with pytest.raises(CapExceededError, match="shows 65 positions at scale 1, more than the cap of 62"):
        scale_rows(PROBLEMS["parity_cot_aligned"](64).layout, 1)
    with pytest.raises(InvalidOptionError, match="max_arity 0 is too small"):
        numbers(PROBLEMS["copy"]().layout, 1, 0, reduced=True)
    with pytest.raises(InvalidOptionError, match="max_scale 0 is too small"):
        numbers(PROBLEMS["copy"]().layout, 0, 1, reduced=True)
    with pytest.raises(InvalidOptionError, match="arity 40 over 3 symbols is not allowed"):
        numbers(PROBLEMS["copy"]().layout, 1, 40, reduced=False)


def test_a_search_that_is_too_long_ends_with_an_error() -> None:
    layout = PROBLEMS["mul_1xn"](3).layout
    problem = encode([candidates(step, 4) for step in rows(layout, 3)], len(layout.alphabet))
    with pytest.raises(CapExceededError, match="the search for 1 operators passed its cap of 1 assignments"):
        assign(problem, 1, max_nodes=1)


def test_without_python_sat_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    with pytest.raises(MissingExtraError, match="python-sat") as caught:
        numbers(PROBLEMS["copy"]().layout, 1, 1, reduced=True, solver=solve)
    assert caught.value.hint == install_hint("solver")
