"""Sequential circuits, their layouts and verification, and SRC_φ: our reconstruction of arXiv 2510.04130."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log
from random import Random

import pytest
from circuit_verification import mutate, verify

from lengthwise.errors import CapExceededError, InvalidOptionError, UnknownNameError
from lengthwise.tasks.core.problems import PROBLEMS, find_circuit, find_problem
from lengthwise.theory.positions import complexity
from lengthwise.theory.positions.circuits import Circuit, Gate, Operator, ideal, ideal_labels, needs_hint, table
from lengthwise.theory.positions.layout import spelled, value
from lengthwise.theory.positions.problem import forced_operands
from lengthwise.theory.positions.reachability import arrangement, entries, first_met, listed_entries
from lengthwise.theory.positions.relations import RELATIONS, clipped, t5_bucket
from lengthwise.theory.positions.relations_ideal import Equation, describes, equations_of

CIRCUITS = [name for name in PROBLEMS if find_problem(name).circuit is not None]
WORDS = [
    "copy",
    "shift",
    "reverse",
    "odds_first",
    "copy_every",
    "copy_every_marked",
    "swap_pairs",
    "transpose",
    "running_max",
    "parity",
    "parity_cot",
    "parity_cot_aligned",
]
NUMBERS = ["addition", "addition_padded", "mul_1xn", "increment", "div_1", "div_1_cot"]
SMALL = [
    *WORDS,
    "shift(2)",
    "shift(3)",
    "copy_every(3)",
    "copy_every_marked(3)",
    "transpose(2)",
    "running_max(012)",
    *(f"{name}(2)" for name in NUMBERS),
]
MORE = [
    *("copy(abc)", "shift(1, abc)", "shift(2, abc)", "reverse(abcd)", "odds_first(abc)", "copy_every(2, abc)"),
    *(f"{name}({base})" for name in NUMBERS for base in (3, 5, 10)),
]


def smallest_with(circuit: Circuit, most: int) -> int:
    """Return the largest scale up to 6 with at most so many instances."""
    return max(scale for scale in range(1, 7) if scale == 1 or circuit.layout.num_instances(scale) <= most)


# Layouts


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_layout_keeps_its_lengths_and_symbols(name: str) -> None:
    layout = PROBLEMS[name]().layout if name in WORDS or name == "sort" else PROBLEMS[name](2).layout
    for scale in (1, 2, 3, 4):
        instances = [*layout.instances(scale)]
        assert len(instances) == layout.num_instances(scale) == len({prompt for prompt, _ in instances})
        assert layout.sample(scale, Random(1)) in instances
        for prompt, answer in instances:
            assert (len(prompt), len(answer)) == (layout.prompt_length(scale), layout.answer_length(scale))
            assert set(prompt + answer) <= set(layout.alphabet)


@pytest.mark.parametrize(
    ("name", "free", "expected"),
    [
        ("copy", "011", "011= 011"),
        ("shift", "011", "011= 110"),
        ("shift(2)", "0111", "0111= 1101"),
        ("reverse", "001", "001= 100"),
        ("sort(012)", "2010", "2010= 0012"),
        ("running_max(012)", "0102", "0102= 0112"),
        ("odds_first(abcde)", "abcde", "abcde= acebd"),
        ("copy_every(3, abcdefg)", "abcdefg", "abcdefg= adg"),
        ("parity", "1101", "1101= 1"),
        ("parity_cot", "1101", "1101= 1001"),
        ("parity_cot_aligned(6)", "1101", "1101__= 1001"),
        ("addition", "9519", "95+19= 051"),  # 59 + 91 = 150
        ("addition_plain", "5991", "59+91= 150"),
        ("addition_padded", "9519", "950+190= 051"),
        ("mul_1xn", "745", "7*45= 873"),  # 7 · 54 = 378
        ("mul_nxn", "2143", "21*43= 8040"),  # 12 · 34 = 408
        ("div_1", "1748", "174/8= 021"),
        ("div_1_cot", "1748", "174/8= 012116"),
        ("increment", "99", "99= 001"),
        ("increment", "84", "84= 940"),
    ],
)
def test_a_layout_writes_what_its_definition_says(name: str, free: str, expected: str) -> None:
    layout = find_problem(name).layout
    assert layout.name == name
    scale = next(scale for scale in range(1, 10) if layout.num_free(scale) == len(free))
    prompt, answer = layout.instance(scale, tuple(free))
    assert f"{''.join(prompt)} {''.join(answer)}" == expected


def test_numbers_are_spelled_and_read_back() -> None:
    assert all(value(spelled(number, base, 9), base) == number for base in (2, 3, 36) for number in range(200))


def test_a_wrong_layout_says_what_is_allowed() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'addition'"):
        find_problem("additon")
    with pytest.raises(InvalidOptionError, match=r"has 2 parameters\. Allowed: base"):
        find_problem("addition(2, 3)")
    with pytest.raises(InvalidOptionError, match="base 'two' of problem 'addition' is not a number"):
        find_problem("addition(two)")
    with pytest.raises(InvalidOptionError, match="base 1 is not allowed: 2 to 36"):
        find_problem("addition(1)")
    with pytest.raises(InvalidOptionError, match="at least 2, all different"):
        find_problem("copy(aa)")
    with pytest.raises(InvalidOptionError, match="the distance is at least 1"):
        find_problem("shift(0)")
    with pytest.raises(InvalidOptionError, match="the offset is at least 1"):
        find_problem("parity_cot_aligned(0)")
    with pytest.raises(CapExceededError, match="scale 7 is past the cap"):
        next(find_problem("parity_cot_aligned(6)").layout.instances(7))
    with pytest.raises(InvalidOptionError, match="scales start at 1"):
        find_problem("copy").layout.sample(0, Random(1))


# Relations


def test_relations_label_pairs_as_their_formulas_say() -> None:
    shown = {name: relation(3, 40, 5) for name, relation in RELATIONS.items()}
    assert shown == {
        "constant": 1,
        "absolute": (3, 40),
        "absolute_key": 3,
        "relative": 37,
        "relative_scaled": 32,
        "t5_bucket": 22,
        "clipped": 16,
    }
    assert [name for name, relation in RELATIONS.items() if relation.needs_scale] == ["relative_scaled"]
    assert clipped(4)(0, 9, 1) == 4
    with pytest.raises(InvalidOptionError, match="clip 0 is too small"):
        clipped(0)


def test_buckets_in_integers_are_those_of_the_logarithm() -> None:
    for distance in range(200):
        rounded = 16 + int(log(max(distance, 16) / 16) / log(8) * 16 + 1e-9)
        assert t5_bucket(distance) == (distance if distance < 16 else min(rounded, 31))


# Circuits


@pytest.mark.parametrize("name", SMALL)
def test_a_circuit_of_the_library_answers_as_its_layout(name: str) -> None:
    circuit = find_circuit(name)
    most = 4_096 if name == "transpose" else 400
    result = verify(circuit, min(12, circuit.cap), max_instances=most, num_samples=20)
    assert result.passed, str(result.counterexample)
    assert result.exhaustive >= 4
    assert result.num_instances > 100
    prompt, answer = circuit.layout.sample(9, Random(3))
    assert circuit.run(9, prompt) == answer
    assert (
        find_circuit(circuit.name).layout.name == circuit.layout.name == find_problem(circuit.layout.name).layout.name
    )


@pytest.mark.full
@pytest.mark.parametrize("name", [*SMALL, *MORE])
def test_a_circuit_of_the_library_answers_as_its_layout_at_many_scales(name: str) -> None:
    circuit = find_circuit(name)
    result = verify(circuit, min(24, circuit.cap), max_instances=20_000, num_samples=200)
    assert result.passed, str(result.counterexample)
    assert result.exhaustive >= 2


def test_every_family_of_circuits_is_verified() -> None:
    assert set(CIRCUITS) == {*WORDS, *NUMBERS} == {name.split("(")[0] for name in SMALL}


def test_arities_are_those_of_the_definitions() -> None:
    arities = {name: find_circuit(name).arity for name in CIRCUITS}
    assert {name for name, arity in arities.items() if arity == 1} == {
        *("copy", "shift", "reverse", "odds_first", "copy_every", "copy_every_marked", "swap_pairs", "transpose")
    }
    assert (arities["parity_cot"], arities["addition"], arities["mul_1xn"], arities["div_1"]) == (2, 5, 4, 4)
    assert (arities["increment"], arities["div_1_cot"], arities["running_max"]) == (3, 3, 2)


def test_a_circuit_that_reads_the_future_is_refused_with_the_place() -> None:
    circuit = find_circuit("copy")
    with pytest.raises(InvalidOptionError) as told:
        replace(circuit, wire=lambda scale, step: Gate(operator="same", operands=(scale + step,)))
    assert told.value.message == (
        "circuit 'copy', scale 1, step 1: operator 'same' reads the future: operand 2, but positions 0 to 1 are visible."
    )
    with pytest.raises(InvalidOptionError, match="reads before the start: operand -1"):
        replace(circuit, wire=lambda scale, step: Gate(operator="same", operands=(step - 2,)))  # noqa: ARG005
    late = replace(circuit, wire=lambda scale, step: Gate(operator="same", operands=(step - 1 + (scale > 7) * 99,)))
    with pytest.raises(InvalidOptionError, match=r"scale 8, step 1: .* reads the future: operand 99"):
        verify(late, 8)


def test_a_wrong_gate_is_refused() -> None:
    circuit = find_circuit("copy")
    with pytest.raises(InvalidOptionError, match=r"operator 'other' is unknown\. Known: same"):
        replace(circuit, wire=lambda scale, step: Gate(operator="other", operands=(step - 1,)))  # noqa: ARG005
    with pytest.raises(InvalidOptionError, match="has arity 1, but 2 operands are wired"):
        replace(circuit, wire=lambda scale, step: Gate(operator="same", operands=(step - 1, 0)))  # noqa: ARG005
    with pytest.raises(InvalidOptionError, match="calls the operator 'same' 'copy'"):
        replace(circuit, operators={"copy": circuit.operators["same"]})
    with pytest.raises(CapExceededError, match="scale 65 is past the cap of circuit 'copy'"):
        circuit.gate(65, 1)
    with pytest.raises(CapExceededError, match="has the scales 1 to 6"):
        find_circuit("parity_cot_aligned(6)").gate(7, 1)
    with pytest.raises(InvalidOptionError, match="has no step 4 at scale 3"):
        circuit.gate(3, 4)


def test_an_operator_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="contradicts itself: 0 1 → 0 and 0 1 → 1"):
        table("u", [(("0", "1"), "0"), (("1", "1"), "0"), (("0", "1"), "1")])
    with pytest.raises(InvalidOptionError, match="has arity 2, but its table has the row 0 → 1"):
        table("u", [(("0", "1"), "0"), (("0",), "1")])
    with pytest.raises(InvalidOptionError, match="needs a table or a function"):
        Operator(name="u", arity=1)
    with pytest.raises(InvalidOptionError, match="has arity 0"):
        Operator(name="u", arity=0, table=())
    with pytest.raises(InvalidOptionError, match="empty table"):
        table("u", [])


def test_a_wrong_row_is_a_counterexample_with_its_instance() -> None:
    circuit = find_circuit("parity_cot")
    rows = [((one, two), str(int((one == "1") != (two == "1")))) for one in "01" for two in "01="]
    right = replace(circuit, operators={"xor": table("xor", rows)})
    assert verify(right, 6).passed
    wrong = replace(circuit, operators={"xor": table("xor", [*rows[:5], (("1", "="), "0")])})
    found = verify(wrong, 6).counterexample
    assert str(found) == "scale 1, prompt 1 =, step 1: xor(1, =) gives 0, the answer has 1"
    partial = replace(circuit, operators={"xor": table("xor", rows[:-2])})
    found = verify(partial, 6).counterexample
    assert found is not None
    assert found.computed is None
    assert "gives nothing" in str(found)
    assert partial.run(2, ("1", "1", "=")) == (None, None)


def test_a_wrong_circuit_is_found_by_random_instances_too() -> None:
    circuit = find_circuit("copy")
    wrong = replace(circuit, wire=lambda scale, step: Gate(operator="same", operands=((step - 1) % 9,)))  # noqa: ARG005
    result = verify(wrong, 16, max_instances=600)
    assert (result.exhaustive, result.passed) == (9, False)
    assert result.counterexample is not None
    assert result.counterexample.scale == 10
    with pytest.raises(InvalidOptionError, match="scales start at 1"):
        verify(circuit, 0)


# Mutants


MUTANTS = {  # at the largest scale up to 6 with at most 64 instances: wires that survive, rows
    "copy": (0, 2),
    "reverse": (0, 2),
    "parity_cot": (1, 6),
    "running_max": (2, 6),
    "addition(2)": (27, 44),
    "mul_1xn(3)": (9, 96),
    "increment(2)": (8, 14),
    "div_1(3)": (8, 66),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_every_wrong_wire_and_row_is_caught_unless_it_changes_nothing(name: str) -> None:
    circuit = find_circuit(name)
    scale = smallest_with(circuit, 64)
    mutants = mutate(circuit, scale)
    steps = range(1, circuit.layout.answer_length(scale) + 1)
    assert mutants.num_wires == sum(circuit.query(scale, step) * circuit.arity for step in steps)
    assert mutants.wires_caught == mutants.num_wires - MUTANTS[name][0]
    assert mutants.num_rows == mutants.rows_caught == MUTANTS[name][1]
    for survivor in mutants.survivors:  # it is an equivalent circuit: its own tokens are right on every instance
        gate = circuit.gate(scale, survivor.step)
        operands = list(gate.operands)
        assert operands[survivor.slot - 1] == survivor.operand
        operands[survivor.slot - 1] = survivor.instead
        changed = Gate(operator=gate.operator, operands=tuple(operands))
        step = survivor.step
        same = replace(
            circuit, wire=lambda n, t, step=step, gate=changed: gate if (n, t) == (scale, step) else circuit.wire(n, t)
        )
        assert all(same.run(scale, prompt) == answer for prompt, answer in circuit.layout.instances(scale))


def test_an_equivalent_wire_comes_with_its_reason() -> None:
    assert [survivor.reason for survivor in mutate(find_circuit("parity_cot"), 3).survivors] == [
        "the other position holds the same symbol on every instance"  # y_1 is x_0
    ]
    unread = [survivor for survivor in mutate(find_circuit("addition(2)"), 2).survivors if survivor.step == 1]
    assert {(survivor.slot, survivor.reason) for survivor in unread} == {
        (slot, "the operand makes no difference at this gate") for slot in (3, 4, 5)
    }  # any one of the three missing operands may be another one
    with pytest.raises(CapExceededError, match="at most 20,000 are tried for every change"):
        mutate(find_circuit("addition"), 3)


# Rows that are met


@pytest.mark.parametrize("name", [*SMALL, "mul_1xn(3)", "addition(3)", "div_1(5)"])
def test_rows_by_reachability_are_those_of_all_instances(name: str) -> None:
    circuit = find_circuit(name)
    for scale in range(1, smallest_with(circuit, 750) + 1):
        assert entries(circuit, scale) == listed_entries(circuit, scale)


def test_a_prompt_that_is_computed_falls_back_to_all_instances() -> None:
    layout = find_problem("copy").layout
    sorted_first = replace(layout, prompt=lambda scale, free: (*sorted(free), "="))  # noqa: ARG005
    assert arrangement(layout, 3) == [0, 1, 2, "="]
    assert arrangement(sorted_first, 3) is None
    doubled = replace(layout, prompt=lambda scale, free: (*free, *free, "="))  # noqa: ARG005
    assert arrangement(doubled, 3) is None
    circuit = replace(find_circuit("copy"), layout=replace(layout, prompt=_by_value))
    assert arrangement(circuit.layout, 3) is None
    assert entries(circuit, 3) == {("same", ("0",)), ("same", ("1",))}


def _by_value(scale: int, free: tuple[str, ...]) -> tuple[str, ...]:
    return (*spelled(int("".join(free), 2), 2, scale), "=")


# SRC under a relation


TRIANGLE = (1, 3, 6, 10, 15, 21, 28, 36)
COUNT = (1, 2, 3, 4, 5, 6, 7, 8)
ONES = (1,) * 8
EVEN = (2, 4, 6, 8, 10, 12, 14, 16)
GATES = (2, 5, 9, 14, 20, 27, 35, 44)
SHIFTED = (1, 2, 4, 5, 7, 8, 10, 11)
PUBLISHED = {  # scales 1 to 8 under absolute, relative, relative with the scale, ideal with the scale
    "copy": (TRIANGLE, COUNT, ONES, ONES),
    "shift": (TRIANGLE, SHIFTED, (1, 3, 4, 5, 6, 7, 8, 9), ONES),
    "reverse": (TRIANGLE, COUNT, (1, 3, 5, 7, 9, 11, 13, 15), ONES),
    "parity_cot": (TRIANGLE, COUNT, COUNT, ONES),
    "addition": (GATES, EVEN, EVEN, (2,) * 8),
    "mul_1xn": (GATES, GATES, GATES, ONES),
    "parity_cot_aligned": (COUNT, ONES, COUNT, ONES),
}
EXTENDED = {  # the same at scale 12
    "copy": (78, 12, 1, 1),
    "shift": (78, 17, 13, 1),
    "reverse": (78, 12, 23, 1),
    "parity_cot": (78, 12, 12, 1),
    "addition": (90, 24, 24, 2),
    "mul_1xn": (90, 90, 90, 1),
    "parity_cot_aligned": (12, 1, 12, 1),
}
COMPARED = ("absolute", "relative", "relative_scaled")


@pytest.mark.parametrize("name", PUBLISHED)
def test_src_under_relations_is_what_the_table_says(name: str) -> None:
    circuit = find_circuit(name)
    relations = (*(RELATIONS[each] for each in COMPARED), ideal(circuit))
    assert tuple(complexity.src(circuit, relation, 8) for relation in relations) == PUBLISHED[name]
    assert tuple(complexity.src(circuit, relation, 12)[-1] for relation in relations) == EXTENDED[name]
    assert relations[-1].needs_scale == (name != "parity_cot_aligned") == needs_hint(circuit)


@pytest.mark.parametrize(
    ("name", "others"), [("addition", "2 3 5"), ("mul_1xn", "2 3 5"), ("copy", "abc"), ("reverse", "abc")]
)
def test_src_does_not_depend_on_the_base_or_the_alphabet(name: str, others: str) -> None:
    for each in others.split():
        circuit = find_circuit(f"{name}({each})")
        for relation in COMPARED:
            assert complexity.src(circuit, RELATIONS[relation], 12) == complexity.src(
                find_circuit(name), RELATIONS[relation], 12
            )


@pytest.mark.parametrize(
    ("name", "smallest"),
    [
        *(("copy", 1), ("shift", 1), ("reverse", 1), ("odds_first", 1), ("parity_cot", 2), ("running_max", 2)),
        *(("addition(2)", 3), ("addition(3)", 3), ("mul_1xn(3)", 3), ("mul_1xn(2)", 2), ("increment(2)", 3)),
        *(("div_1(3)", 3), ("div_1(2)", 2), ("div_1_cot(3)", 2), ("parity", None)),
    ],
)
def test_the_smallest_sufficient_training_scale_under_the_ideal_relation(name: str, smallest: int | None) -> None:
    circuit = find_circuit(name)
    relation = ideal(circuit)
    report = complexity.measure_complexity(circuit, relation, 8)
    assert report.smallest_scale == smallest
    assert report.separable
    assert not report.lacks_hint
    assert report.predicted == (smallest is not None)
    assert report.growth == ("growing" if smallest is None else "invariant")
    if smallest is not None:
        assert complexity.supports(circuit, relation, smallest, 8)
        assert smallest == 1 or not complexity.supports(circuit, relation, smallest - 1, 8)


@pytest.mark.full
def test_the_smallest_sufficient_training_scale_in_larger_bases() -> None:
    found = {
        f"{name}({base})": max(first_met(find_circuit(f"{name}({base})"), 6).values())
        for name in NUMBERS
        for base in (3, 5, 10)
    }
    assert set(found.values()) == {2, 3}
    assert {name for name, scale in found.items() if scale == 2} == {f"div_1_cot({base})" for base in (3, 5, 10)}


def test_conditions_of_support_are_told_apart() -> None:
    aligned, copy = find_circuit("parity_cot_aligned(16)"), find_circuit("copy")
    relative, constant = RELATIONS["relative"], RELATIONS["constant"]
    assert complexity.supports(aligned, relative, 2, 8)
    assert complexity.is_aligned(aligned, relative, 1, 8)
    assert not complexity.is_covered(aligned, 1, 8)
    assert not complexity.supports(aligned, relative, 1, 8)
    assert not complexity.is_aligned(copy, relative, 4, 8)
    assert complexity.is_covered(copy, 1, 8)
    assert complexity.is_aligned(copy, constant, 1, 8)
    assert not complexity.is_separable(copy, constant, 8)
    assert str(complexity.find_conflict(copy, constant, 8)) == (
        "scale 1, step 1: position 1 is no operand, but carries the label 1 of operand 0"
    )
    bucket = complexity.find_conflict(aligned, RELATIONS["t5_bucket"], 8)
    assert bucket is not None
    assert (bucket.scale, bucket.step, bucket.operand, bucket.other) == (2, 2, 1, 0)
    assert complexity.is_separable(find_circuit("parity_cot_aligned(8)"), RELATIONS["t5_bucket"], 8)
    with pytest.raises(InvalidOptionError, match="the trained scale 9 must be from 1 to the tested scale 8"):
        complexity.supports(copy, relative, 9, 8)


def test_relations_without_the_scale_lack_the_hint_that_copy_needs() -> None:
    copy = find_circuit("copy")
    reports = {name: complexity.measure_complexity(copy, RELATIONS[name], 8) for name in RELATIONS}
    assert [name for name, report in reports.items() if not report.lacks_hint] == ["relative_scaled"]
    assert [name for name, report in reports.items() if report.predicted] == ["relative_scaled"]


# The ideal relation


@pytest.mark.parametrize("name", SMALL)
def test_the_ideal_relation_is_separable_and_tells_slots_apart(name: str) -> None:
    circuit = find_circuit(name)
    relation = ideal(circuit)
    assert complexity.is_separable(circuit, relation, 6)
    assert frozenset() in ideal_labels(circuit, 6)
    for scale, step, gate in circuit.gates(6):
        for slot, place in enumerate(gate.operands, start=1):
            label = relation(place, circuit.query(scale, step), scale)
            assert isinstance(label, frozenset)
            assert slot in label


def test_the_ideal_relation_has_one_label_more_than_slots_when_operands_are_distinct() -> None:
    for name, number in {"copy": 2, "parity_cot": 3, "mul_1xn": 5, "div_1": 5, "addition": 7}.items():
        assert len(ideal_labels(find_circuit(name), 6)) == number
    assert ideal_labels(find_circuit("addition"), 6)[-1] == {3, 4, 5}  # at t = 1 all three are wired to q


def test_an_ideal_relation_without_the_scale_does_not_look_at_it() -> None:
    relation = ideal(find_circuit("parity_cot_aligned(8)"))
    labels = {tuple(relation(key, query, scale) for key in range(9) for query in range(8, 16)) for scale in range(1, 9)}
    assert len(labels) == 1
    assert not relation.needs_scale


EQUATIONS = {
    "copy": "slot 1: q − i = n",
    "shift": "slot 1: q − i = n − 1 for t < n, else i = 0",
    "shift(2)": "slot 1: i = 0 at n = 1, else q − i = n − 2 for t ≤ n − 2, else q − i = 2n − 2",
    "reverse": "slot 1: q + i = 2n − 1",
    "odds_first": "slot 1: i = 2q − 2n for t ≤ ⌈n/2⌉, else i = 2q − 3n for odd n, else i = 2q − 3n + 1",
    "copy_every(3)": "slot 1: i = 3q − 3n",
    "parity_cot": "slot 1: q − i = n; slot 2: i = q",
    "parity_cot_aligned": "slot 1: q − i = 128; slot 2: i = q",
    "addition": "slot 1: q − i = 2n + 1; slot 2: q − i = n; slot 3: i = q at t = 1, else q − i = 2n + 2; "
    "slot 4: i = q at t = 1, else q − i = n + 1; slot 5: i = q",
    "mul_1xn": "slot 1: i = 0; slot 2: q − i = n; slot 3: q − i = n + 1; slot 4: i = q",
    "increment": "slot 1: q − i = n; slot 2: i = q at t = 1, else q − i = n + 1; slot 3: i = q",
    "div_1": "slot 1: i = n + 1; slot 2: q − i = n + 2; slot 3: i = n at t = 1, else q − i = n + 3; slot 4: i = q",
    "div_1_cot": "slot 1: i = n + 1; slot 2: 2i = q − n − 2 for odd t, else 2i = q − n − 3; slot 3: i = q",
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_the_ideal_relation_is_a_few_equations(name: str) -> None:
    circuit = find_circuit(name)
    slots = equations_of(circuit, max_scale=8)
    assert "; ".join(map(str, slots)) == EQUATIONS[name]
    assert describes(slots, circuit, min(20, circuit.cap))  # far past the scales they were fitted to


def test_equations_that_do_not_describe_a_wiring_are_told() -> None:
    copy, reverse = find_circuit("copy"), find_circuit("reverse")
    assert not describes(equations_of(copy), reverse, 3)
    assert not describes(equations_of(copy), find_circuit("parity_cot"), 1)  # a slot is missing
    squares = replace(copy, wire=lambda scale, step: Gate(operator="same", operands=(step * step % scale,)))
    slots = equations_of(squares)
    assert str(slots[0]) == "slot 1: no few small equations"
    assert not describes(slots, squares, 3)
    assert not Equation(key=1, query=-1, scale=1, constant=0).holds(1, 3, 3)


# Problems without a circuit


@pytest.mark.parametrize("name", [name for name in PROBLEMS if find_problem(name).limit is not None])
def test_the_arity_that_a_problem_forces_grows_as_its_argument_says(name: str) -> None:
    problem = PROBLEMS[name]() if name in ("sort", "parity") else PROBLEMS[name](2)
    layout, limit = problem.layout, problem.limit
    assert limit is not None
    for scale in (1, 2, 3, 4):
        forced = forced_operands(layout, scale, limit.step(scale))
        assert len(forced) == limit.num_forced(scale)
        for each in forced:
            one, two = each.prompts
            step = limit.step(scale)
            assert layout.answer(one)[step - 1] != layout.answer(two)[step - 1]
            visible = [(*prompt, *layout.answer(prompt)[: step - 1]) for prompt in each.prompts]
            assert [place for place, (left, right) in enumerate(zip(*visible, strict=True)) if left != right] == [
                each.position
            ]


@pytest.mark.parametrize("name", ["copy", "addition(2)", "mul_1xn(2)", "div_1(3)", "increment(2)", "running_max"])
def test_a_circuit_reads_every_position_that_is_forced(name: str) -> None:
    circuit = find_circuit(name)
    for step in range(1, circuit.layout.answer_length(3) + 1):
        forced = {each.position for each in forced_operands(circuit.layout, 3, step)}
        assert forced <= set(circuit.gate(3, step).operands)


def test_forced_positions_of_too_many_instances_are_refused() -> None:
    with pytest.raises(CapExceededError, match="layout addition has 1,000,000 instances at scale 3"):
        forced_operands(find_problem("addition").layout, 3, 1)


def swapped_where(name: str, is_swapped: Callable[[int, int], bool]) -> Circuit:
    """Return a circuit of a symmetric operator with its operands the other way round at some steps."""
    whole = find_circuit(name)

    def wire(scale: int, step: int) -> Gate:
        gate = whole.wire(scale, step)
        return replace(gate, operands=gate.operands[::-1]) if is_swapped(scale, step) else gate

    return replace(whole, name=f"{name}, swapped", wire=wire)


def test_the_order_of_operands_counts() -> None:
    swapped = swapped_where("running_max", lambda scale, step: step % 2 == 0)  # noqa: ARG005
    assert complexity.src(find_circuit("running_max"), RELATIONS["relative"], 4) == (1, 2, 3, 4)
    assert complexity.src(swapped, RELATIONS["relative"], 4) == (1, 3, 5, 7)


def test_a_wiring_that_swaps_its_slots_with_the_scale_needs_the_hint() -> None:
    assert not needs_hint(find_circuit("parity_cot_aligned(6)"))
    assert needs_hint(swapped_where("parity_cot_aligned(6)", lambda scale, step: scale % 2 == 0))  # noqa: ARG005
