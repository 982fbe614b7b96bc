"""Position-only linear attention: targets and formulas, complexities, Theorems T1 to T3, and two learners that agree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import product
from math import inf, log
from random import Random
from typing import Any

import numpy as np
import pytest
from pola_targets import KINDS, Case, random_cases

from lengthwise.cli.main import main
from lengthwise.errors import CapExceededError, InvalidOptionError, UnknownNameError
from lengthwise.theory.positions import formulas
from lengthwise.theory.positions.dimensions import (
    check_no_universal,
    count_at_most,
    count_extrapolated,
    covered_subspace,
    dimension_at_most,
    dimension_of_relation,
    measure_dimensions,
    partitions,
    share_extrapolated,
)
from lengthwise.theory.positions.formulas import parse_formula
from lengthwise.theory.positions.learners import fit_by_descent, fit_minimum_norm, label_of, relation_of
from lengthwise.theory.positions.pola import (
    COLUMNS,
    compare,
    documented_table,
    extrapolation_error,
    find_guarantee,
    format_table,
    ideal_relation,
    is_guaranteed,
    is_invariant,
    linear_complexities,
    linear_complexity,
    smallest_scale,
)
from lengthwise.theory.positions.relations import RELATIONS, Relation
from lengthwise.theory.positions.targets import (
    DOCUMENTED,
    TARGETS,
    Entry,
    Target,
    entries,
    from_formula,
    from_matrices,
    from_matrix,
    num_entries,
    read_target,
)

CASES = random_cases(500)


def triangle(scale: int) -> list[tuple[int, int]]:
    """Return T_N, written out."""
    return [(i, j) for i in range(1, scale + 1) for j in range(i, scale + 1)]


def triangles(scale: int) -> list[Entry]:
    """Return T_n for every n up to a scale."""
    return [(i, j, n) for n in range(1, scale + 1) for i, j in triangle(n)]


# Formulas


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("1", lambda i, j, n: 1),  # noqa: ARG005
        ("[i = j]", lambda i, j, n: i == j),  # noqa: ARG005
        ("[j - i < 3]", lambda i, j, n: j - i < 3),  # noqa: ARG005
        ("(-1)^(j-i)", lambda i, j, n: (-1) ** (j - i)),  # noqa: ARG005
        ("2^-(j-i)", lambda i, j, n: Fraction(1, 2 ** (j - i))),  # noqa: ARG005
        ("1/j", lambda i, j, n: Fraction(1, j)),  # noqa: ARG005
        ("[i = n]", lambda i, j, n: i == n),  # noqa: ARG005
        ("-2^2", lambda i, j, n: -4),  # noqa: ARG005
        ("2^3^2 - 512 + i", lambda i, j, n: i),  # noqa: ARG005
        ("8 - 3 - 2 + 12/3/2", lambda i, j, n: 5),  # noqa: ARG005
        ("0.25*i − −j", lambda i, j, n: Fraction(i, 4) + j),  # noqa: ARG005
        ("(i + 2·j) % 5 // 2", lambda i, j, n: (i + 2 * j) % 5 // 2),  # noqa: ARG005
        ("(1/2)^i % (1/3)", lambda i, j, n: Fraction(1, 2**i) % Fraction(1, 3)),  # noqa: ARG005
        ("[1 < i <= j < n]", lambda i, j, n: 1 < i <= j < n),
        ("[not i = 1 and j ≥ 3 or n ≠ 4]", lambda i, j, n: (i != 1 and j >= 3) or n != 4),
        ("[i > 1 and 1/(i - 1) > 1/3]", lambda i, j, n: i > 1 and Fraction(1, i - 1) > Fraction(1, 3)),  # noqa: ARG005
        ("max(i, n - j, 2) - min(i, j) + abs(i - j)", lambda i, j, n: max(i, n - j, 2) - min(i, j) + j - i),
        ("[[i = j] + [i = 1] = 2]", lambda i, j, n: i == j == 1),  # noqa: ARG005
    ],
)
def test_a_formula_has_the_value_that_python_gives(formula: str, written: Callable[[int, int, int], Any]) -> None:
    entry, _ = parse_formula(formula)
    for place in triangles(6):
        assert entry(*place) == written(*place), place
        assert isinstance(entry(*place), Fraction)


def random_formula(rng: Random, depth: int) -> str:
    """Return a formula that is also Python when ^ is ** and = is ==."""
    if depth == 0:
        return rng.choice(["i", "j", "n", "2", "3", "0.5"])
    one, two = random_formula(rng, depth - 1), random_formula(rng, rng.randrange(depth))
    sign = rng.choice(["+", "-", "*", "^", "=", "<", ">=", "minus"])
    if sign == "minus":
        return f"-{one}" if rng.random() < 0.5 else f"({one} - {two})"
    if sign == "^":
        return f"({one})^{rng.randint(0, 2)}"
    return f"[{one} {sign} {two}]" if sign in ("=", "<", ">=") else f"{one} {sign} ({two})"


def test_random_formulas_agree_with_pythons_own_arithmetic() -> None:
    rng = Random(4)
    for _ in range(150):
        formula = random_formula(rng, rng.randint(1, 4))
        text = formula.replace("^", "**").replace(">=", "≥").replace("=", "==").replace("≥", ">=")
        text = text.replace("0.5", "half").replace("[", "one(").replace("]", ")")
        entry, mentioned = parse_formula(formula)
        assert mentioned == {name for name in "ijn" if name in formula}
        for i, j, n in [(1, 1, 1), (1, 3, 4), (2, 5, 5)]:
            names = {"i": i, "j": j, "n": n, "half": Fraction(1, 2), "one": int}
            assert entry(i, j, n) == eval(text, {"__builtins__": {}}, names), formula


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("2*k + 1", "formula '2*k + 1' cannot be read: the unknown symbol 'k' at character 3."),
        ("i $ j", "formula 'i $ j' cannot be read: the unknown symbol '$' at character 3."),
        ("2i", "formula '2i' cannot be read: 'i' was not expected at character 2."),
        ("(i + j", "formula '(i + j' cannot be read: ')' is missing at the end."),
        ("[i]", "formula '[i]' cannot be read: a comparison is missing at character 3."),
        ("(i = j)", "formula '(i = j)' cannot be read: a comparison in round brackets at character 4."),
        ("i + * j", "formula 'i + * j' cannot be read: '*' stands where a value should at character 5."),
        ("i +  ", "formula 'i +  ' cannot be read: a value is missing at the end."),
        ("abs(i, j)", "formula 'abs(i, j)' cannot be read: abs has 2 values at character 1."),
        ("__import__('os')", 'formula "__import__(\'os\')" cannot be read: the unknown symbol "\'" at character 12.'),
        ("i.real", "formula 'i.real' cannot be read: the unknown symbol '.' at character 2."),
        ("  ", "the formula is empty."),
    ],
)
def test_a_formula_that_cannot_be_read_is_refused_with_the_place(formula: str, message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        from_formula(formula)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("1/(i-1)", "formula '1/(i-1)' divides by zero at i = 1, j = 1, n = 1 (character 2)."),
        ("0^-j", "formula '0^-j' divides by zero at i = 1, j = 1, n = 1 (character 2)."),
        ("i % 0", "formula 'i % 0' divides by zero at i = 1, j = 1, n = 1 (character 3)."),
        (
            "2^(1/2)",
            "formula '2^(1/2)' has the exponent 1/2, which is no integer, at i = 1, j = 1, n = 1 (character 2).",
        ),
    ],
)
def test_a_formula_without_a_value_is_refused_with_the_entry(formula: str, message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        linear_complexity(from_formula(formula), 3)
    assert caught.value.message == message


def test_formulas_that_would_grow_without_limit_are_refused() -> None:
    with pytest.raises(CapExceededError, match="more than 20,000 bits at i = 1, j = 4, n = 4"):
        linear_complexity(from_formula("10^10^j"), 5)
    with pytest.raises(CapExceededError, match="1,001 characters"):
        from_formula("1" * (formulas.MAX_CHARACTERS + 1))
    for deep in ("(" * 300 + "1" + ")" * 300, "2^" * 300 + "1", "[1 = " * 150 + "1" + "]" * 150):
        with pytest.raises(InvalidOptionError, match="nested more than 50 deep"):
            from_formula(deep)
    assert from_formula("-" * 900 + "1").entry(1, 1, 1) == 1
    assert from_formula("(-1)^(10^100)").entry(1, 1, 1) == 1


# Targets


def test_the_named_targets_are_what_their_names_say() -> None:
    def apply(name: str, inputs: list[int]) -> list[Fraction]:
        matrix = TARGETS[name].matrix(len(inputs))
        return [
            sum((row[j] * x for row, x in zip(matrix, inputs, strict=True)), Fraction(0)) for j in range(len(inputs))
        ]

    x = [3, 1, 4, 1, 5, 9]
    assert apply("sum", x) == [3, 4, 8, 9, 14, 23]
    assert apply("last", x) == x
    assert apply("first", x) == [3] * 6
    assert apply("window", x) == [3, 4, 8, 6, 10, 15]
    assert apply("alternating", x) == [3, -2, 6, -5, 10, -1]
    assert apply("decay", x) == [
        3,
        Fraction(5, 2),
        Fraction(21, 4),
        Fraction(29, 8),
        Fraction(109, 16),
        Fraction(397, 32),
    ]
    assert apply("mean", x) == [Fraction(sum(x[: j + 1]), j + 1) for j in range(6)]
    assert apply("previous", x) == [0, 3, 1, 4, 1, 5]
    assert apply("copy_halves", x) == [0, 0, 0, 3, 1, 4]
    assert apply("reverse_halves", x) == [0, 0, 0, 4, 1, 3]
    assert apply("shift_halves", x) == [0, 0, 0, 1, 4, 3]
    assert apply("copy_halves", x[:5]) == [0, 0, 0, 3, 1]
    assert apply("reverse_halves", x[:5]) == apply("shift_halves", x[:5]) == [0, 0, 0, 1, 3]
    assert apply("whole", x) == [0, 0, 0, 0, 0, 23]
    assert apply("end", x) == [0, 0, 0, 0, 0, 9]


def test_entries_are_the_triangles() -> None:
    for scale in range(1, 7):
        assert sorted((i, j) for i, j, _ in entries(scale, hinted=False)) == triangle(scale)
        assert sorted(entries(scale, hinted=True)) == sorted(triangles(scale))
        assert num_entries(scale, hinted=False) == len(triangle(scale))
        assert num_entries(scale, hinted=True) == len(triangles(scale))


def test_a_matrix_and_its_formula_are_one_target() -> None:
    mean = TARGETS["mean"]
    given = from_matrix(mean.matrix(12), name="given")
    assert [given.entry(*place) for place in entries(12, hinted=False)] == [
        mean.entry(*place) for place in entries(12, hinted=False)
    ]
    assert compare(given, 5, 12).errors == compare(mean, 5, 12).errors
    written = from_matrix([[1, "1/2", 0.1], [0, Fraction(1, 2), -3], [0, 0, 1]])
    assert written.matrix(3)[0] == [1, Fraction(1, 2), Fraction(1, 10)]
    copy = TARGETS["copy_halves"]
    by_scale = from_matrices([copy.matrix(n) for n in range(1, 9)])
    assert linear_complexities(by_scale, 8, hint=True) == linear_complexities(copy, 8, hint=True)
    assert compare(by_scale, 4, 8, hint=True).errors == compare(copy, 4, 8, hint=True).errors


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "matrix 'm' is empty."),
        ([[1, 2], [0]], "matrix 'm' is not square: it has 2 rows, and row 2 has 1 entries."),
        ([[1, 2, 3], [0, 1, 2]], "matrix 'm' is not square: it has 2 rows, and row 1 has 3 entries."),
        (["12", "03"], "matrix 'm' is not square: it has 2 rows, and row 1 has no entries."),
        ([[1, 2], ["1/7", 3]], "matrix 'm' is not upper triangular: row 2, column 1 is 1/7."),
        ([[1, "two"], [0, 1]], "matrix 'm' has 'two' in row 1, column 2, which is no number."),
        ([[1, "1/0"], [0, 1]], "matrix 'm' has '1/0' in row 1, column 2, which is no number."),
        ([[float("nan")]], "matrix 'm' has nan in row 1, column 1, which is no number."),
        ([[True]], "matrix 'm' has True in row 1, column 1, which is no number."),
    ],
)
def test_what_is_no_triangular_matrix_is_refused(rows: Any, message: str) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        from_matrix(rows, name="m")
    assert caught.value.message == message
    assert caught.value.hint


def test_matrices_by_scale_must_be_one_for_each() -> None:
    with pytest.raises(InvalidOptionError, match=r"matrix 2 of target 'm' is 1 × 1; it must be 2 × 2\."):
        from_matrices([[[1]], [[1]]], name="m")
    with pytest.raises(InvalidOptionError, match="has no matrix"):
        from_matrices([])


def test_a_word_is_a_name_and_anything_else_a_formula() -> None:
    assert read_target("mean") is TARGETS["mean"]
    assert read_target("j").entry(1, 4, 4) == 4
    with pytest.raises(UnknownNameError, match="did you mean 'window'"):
        read_target("windows")


@pytest.mark.parametrize(
    ("trained", "tested", "message"),
    [
        (5, 5, "the training scale 5 is not below the test scale 5."),
        (7, 5, "the training scale 7 is not below the test scale 5."),
        (0, 5, "scale 0 is not an integer of at least 1."),
        (5, 632, "scale 632 has 200,028 entries; at most 200,000 are compared."),
    ],
)
def test_scales_out_of_order_or_past_the_cap_are_refused(trained: int, tested: int, message: str) -> None:
    asked: list[Callable[[], object]] = [
        lambda: is_invariant(TARGETS["sum"], trained, tested),
        lambda: find_guarantee(TARGETS["sum"], trained, tested),
        lambda: is_guaranteed(TARGETS["sum"], RELATIONS["relative"], trained, tested),
        lambda: extrapolation_error(TARGETS["sum"], RELATIONS["relative"], trained, tested),
        lambda: compare(TARGETS["sum"], trained, tested),
        lambda: measure_dimensions(trained, tested),
        lambda: share_extrapolated(trained, tested, 2),
    ]
    for ask in asked:
        with pytest.raises((InvalidOptionError, CapExceededError)) as caught:
            ask()
        assert caught.value.message == message


def test_the_cap_counts_the_entries_of_all_scales_where_there_is_a_hint() -> None:
    with pytest.raises(CapExceededError, match=r"scale 106 has 204,156 entries(.|\n)*at most 105"):
        linear_complexity(TARGETS["whole"], 106, hint=True)
    with pytest.raises(InvalidOptionError, match=r"scale 3 is past the matrix of target 'matrix', which ends at 2\."):
        linear_complexity(from_matrix([[1, 2], [0, 1]]), 3)


# Complexity


def count_values(target: Target, scale: int, *, hint: bool, zero_counts: bool) -> float:
    """LRC by its definition: the values on T_n for all n up to the scale; infinite without a hint if a pair has two."""
    values = {(i, j): {target.entry(i, j, n) for n in range(j, scale + 1)} for i, j in triangle(scale)}
    if not hint and any(len(found) > 1 for found in values.values()):
        return inf
    return len(set().union(*values.values()) - (set() if zero_counts else {Fraction(0)}))


def all_flags() -> Iterator[tuple[bool, bool]]:
    return iter(product((False, True), (False, True)))


def test_complexity_is_the_number_of_values() -> None:
    cases = [(target, 7) for target in TARGETS.values()] + [(case.target, case.tested) for case in CASES[:20]]
    for target, scale in cases:
        for hint, zero_counts in all_flags():
            found = linear_complexities(target, scale, hint=hint, zero_counts=zero_counts)
            written = [count_values(target, n, hint=hint, zero_counts=zero_counts) for n in range(1, scale + 1)]
            assert list(found) == written, target.name
            assert list(found) == sorted(found)
            assert linear_complexity(target, scale, hint=hint, zero_counts=zero_counts) == written[-1]
            smallest = smallest_scale(target, scale, hint=hint, zero_counts=zero_counts)
            invariant = [n for n in range(1, scale + 1) if written[n - 1] == written[-1] < inf]
            assert smallest == (min(invariant) if invariant else None)
            for trained in range(1, scale):
                asked = is_invariant(target, trained, scale, hint=hint, zero_counts=zero_counts)
                assert asked == (trained in invariant)


def test_complexity_is_the_fewest_labels_of_any_relation_that_represents_the_target() -> None:
    places = triangle(3)
    for values in product(range(3), repeat=len(places)):
        if list(values) != sorted(values, key=values.index):
            continue  # one order of the values is enough
        table = dict(zip(places, map(Fraction, values), strict=True))
        target = Target(name="all", formula="all", entry=lambda i, j, n, table=table: table[i, j])  # type: ignore[misc]  # noqa: ARG005
        fewest = min(
            max(blocks) + 1
            for blocks in partitions(len(places))
            if len(set(zip(blocks, values, strict=True))) == max(blocks) + 1
        )
        assert linear_complexity(target, 3) == fewest


def test_a_target_that_depends_on_the_scale_needs_the_hint() -> None:
    end = TARGETS["end"]
    assert linear_complexities(end, 4) == (1, inf, inf, inf)
    assert linear_complexities(end, 4, hint=True) == (1, 2, 2, 2)
    assert not is_invariant(end, 2, 4)
    assert smallest_scale(end, 4) is None
    assert smallest_scale(end, 4, hint=True) == 2
    assert smallest_scale(end, 4, hint=True, zero_counts=False) == 1
    with pytest.raises(InvalidOptionError, match=r"no ideal relation without a scale hint: A\(1, 1\) depends on n\."):
        ideal_relation(end, 4)
    mentioned_only = from_formula("j + n - n")
    assert linear_complexities(mentioned_only, 4) == (1, 2, 3, 4)


# Theorem T1


def test_some_relation_guarantees_extrapolation_exactly_when_the_complexity_is_invariant() -> None:
    """All 203 relations on T_3 against all targets with two values and some with three, by the definition of a guarantee."""
    places = triangle(3)
    order = sorted(places, key=lambda pair: pair[1])
    every = list(product((0, 1), repeat=6)) + Random(1).sample(list(product((0, 1, 2), repeat=6)), 30)
    for values in every:
        table = dict(zip(order, map(Fraction, values), strict=True))
        target = Target(name="any", formula="any", entry=lambda i, j, n, table=table: table[i, j])  # type: ignore[misc]  # noqa: ARG005
        for trained in (1, 2):
            shown = trained * (trained + 1) // 2
            always = from_zero = False
            for blocks in partitions(6):
                seen: dict[int, set[int]] = {}
                for block, value in zip(blocks[:shown], values[:shown], strict=True):
                    seen.setdefault(block, set()).add(value)
                if any(len(found) > 1 for found in seen.values()):
                    continue  # no table fits
                rest = list(zip(blocks[shown:], values[shown:], strict=True))
                from_zero |= all(seen.get(block, {0}) == {value} for block, value in rest)
                always |= all(seen.get(block) == {value} for block, value in rest)
            assert find_guarantee(target, trained, 3).holds == always == is_invariant(target, trained, 3)
            assert find_guarantee(target, trained, 3, from_zero=True).holds == from_zero
            assert is_invariant(target, trained, 3, zero_counts=False) == from_zero


@pytest.mark.parametrize("name", [*DOCUMENTED, "far", "copy_halves", "mean_by_scale", "end"])
def test_a_guarantee_shows_the_relation_or_an_entry_that_excludes_it(name: str) -> None:
    target = TARGETS[name]
    for hint, from_zero in all_flags():
        found = find_guarantee(target, 4, 10, hint=hint, from_zero=from_zero)
        assert found.holds == is_invariant(target, 4, 10, hint=hint, zero_counts=not from_zero)
        assert found.holds == (found.complexities[0] == found.complexities[1] < inf)
        if found.relation is not None:
            assert found.counterexample is None
            assert extrapolation_error(target, found.relation, 4, 10)[0] == 0
            assert from_zero or is_guaranteed(target, found.relation, 4, 10)
        else:
            example = found.counterexample
            assert example is not None
            assert target.entry(*example.entry) == example.value
            if example.other_entry is not None:
                assert example.other_entry[:2] == example.entry[:2]
                assert target.entry(*example.other_entry) == example.other_value != example.value
            else:
                shown = {target.entry(*entry) for entry in triangles(4)} | ({Fraction(0)} if from_zero else set())
                assert example.value not in shown


def test_a_guarantee_says_why_in_one_sentence() -> None:
    reasons = [
        find_guarantee(TARGETS["last"], 5, 12).reason,
        find_guarantee(TARGETS["window"], 3, 12).reason,
        find_guarantee(TARGETS["window"], 3, 12, from_zero=True).reason,
        find_guarantee(TARGETS["end"], 3, 6).reason,
        find_guarantee(TARGETS["mean_by_scale"], 3, 6, hint=True).reason,
    ]
    assert reasons == [
        "LRC is 2 at both scales: training shows every value that occurs up to 12.",
        "A(1, 4) is 0, a value that training up to 3 never shows.",
        "LRC₀ is 1 at both scales: training shows every non-zero value that occurs up to 12.",
        "A(1, 1) is 1 at n = 1 and 0 at n = 2: no relation without a scale hint represents it.",
        "A(1, 1) at n = 4 is 1/4, a value that training up to 3 never shows.",
    ]


DOCUMENT = {
    # target: LRC at 5 and 12, then the largest error of NoPE, APE, RPE and IPE as printed
    "sum": (1, 1, "0", "1", "1", "0"),
    "last": (2, 2, ".67", "1", "0", "0"),
    "first": (2, 2, ".67", "1", "1", "0"),
    "window": (2, 2, ".8", "1", "0", "0"),
    "alternating": (2, 2, "1.2", "1", "1", "0"),
    "decay": (5, 12, ".54", "1", ".031", ".031"),
    "mean": (5, 12, ".67", ".17", ".54", ".17"),
}


def test_the_documented_table_comes_out() -> None:
    rows = documented_table()
    assert [row.target.name for row in rows] == list(DOCUMENT)
    printed = [line.split() for line in format_table(rows).splitlines()[1:]]
    for row, cells in zip(rows, printed, strict=True):
        expected = DOCUMENT[row.target.name]
        assert row.complexities == expected[:2]
        assert [cell.removesuffix("*") for cell in cells[-4:]] == list(expected[2:])
    assert (
        rows[1].guaranteed == rows[3].guaranteed == {"IPE"}
    )  # RPE is right there only because its table starts at zero
    assert rows[0].guaranteed == {"NoPE", "IPE"}
    assert "0*" in format_table(rows).splitlines()[2]


def test_a_table_shows_infinite_complexity_and_encodings_that_are_not_defined() -> None:
    rows = [compare(TARGETS["copy_halves"], 4, 8), compare(TARGETS["copy_halves"], 4, 8, hint=True)]
    without, with_hint = format_table(rows).splitlines()[1:]
    assert without.split()[-1] == "–"
    assert "∞→∞" in without
    assert with_hint.split()[-1] == "0"
    assert all(error for column, error in rows[0].errors.items() if column != "IPE")


# Learners


def least_squares(target: Target, relation: Relation, trained: int, tested: int) -> tuple[dict[Hashable, float], float]:
    """The slow way: one row for every training entry, one column for every label up to N, the pseudoinverse, in floats."""
    by_scale = target.by_scale or relation.needs_scale
    places = triangles(tested) if by_scale else [(i, j, j) for i, j in triangle(tested)]
    labels = list(dict.fromkeys(label_of(relation, place) for place in places))
    shown = [place for place in places if place[2] <= trained]
    design = np.zeros((len(shown), len(labels)))
    for row, place in enumerate(shown):
        design[row, labels.index(label_of(relation, place))] = 1
    goal = np.array([float(target.entry(*place)) for place in shown])
    solution = np.linalg.lstsq(design, goal, rcond=None)[0]
    table = dict(zip(labels, solution.tolist(), strict=True))
    return table, max(abs(table[label_of(relation, place)] - float(target.entry(*place))) for place in places)


def ideal(case: Case) -> Relation:
    return ideal_relation(case.target, case.tested, hint=case.hint)


def test_the_exact_fit_is_the_least_squares_solution_of_minimum_norm() -> None:
    relations = [RELATIONS[name] for name in ("constant", "absolute", "relative", "relative_scaled", "t5_bucket")]
    for name in (*DOCUMENTED, "copy_halves", "mean_by_scale"):
        for relation in relations:
            fit = fit_minimum_norm(TARGETS[name], relation, 4)
            table, error = least_squares(TARGETS[name], relation, 4, 7)
            assert max(abs(float(fit.table.get(label, Fraction(0))) - table[label]) for label in table) < 1e-12
            assert float(extrapolation_error(TARGETS[name], relation, 4, 7)[0]) == pytest.approx(error, abs=1e-12)
    for case in CASES[::11]:
        for relation in (ideal(case), RELATIONS["relative"]):
            error = least_squares(case.target, relation, case.trained, case.tested)[1]
            exact, entry = extrapolation_error(case.target, relation, case.trained, case.tested)
            assert float(exact) == pytest.approx(error, abs=1e-12)
            fit = fit_minimum_norm(case.target, relation, case.trained)
            assert exact == abs(fit.value(entry) - case.target.entry(*entry))


@pytest.mark.parametrize("name", [*DOCUMENTED, "copy_halves", "mean_by_scale"])
def test_gradient_descent_from_zero_ends_at_the_exact_table(name: str) -> None:
    target = TARGETS[name]
    relations = [RELATIONS[each] for each in ("constant", "absolute", "relative", "relative_scaled")]
    for relation in [*relations, ideal_relation(target, 5, hint=True)]:
        exact = fit_minimum_norm(target, relation, 5).table
        descent = fit_by_descent(target, relation, 5, seed=3, tolerance=1e-9)
        assert descent.bound <= 1e-9
        assert descent.table.keys() == exact.keys()
        assert max(abs(descent.table[label] - float(exact[label])) for label in exact) < 2e-9


def test_gradient_descent_on_plain_random_inputs_finds_what_can_be_represented_and_comes_near_otherwise() -> None:
    for name, relation in [("last", "relative"), ("decay", "relative"), ("sum", "constant"), ("first", "absolute")]:
        exact = fit_minimum_norm(TARGETS[name], RELATIONS[relation], 5).table
        descent = fit_by_descent(TARGETS[name], RELATIONS[relation], 5, whiten=False, num_inputs=40)
        assert descent.loss < 1e-16
        assert max(abs(descent.table[label] - float(exact[label])) for label in exact) < 2e-9
    exact = fit_minimum_norm(TARGETS["mean"], RELATIONS["relative"], 5).table
    differences = []
    for num_inputs in (100, 30_000):
        descent = fit_by_descent(TARGETS["mean"], RELATIONS["relative"], 5, whiten=False, num_inputs=num_inputs)
        differences.append(max(abs(descent.table[label] - float(exact[label])) for label in exact))
    assert differences[1] < 0.01 < differences[0] < 0.3


def test_gradient_descent_is_the_gradient_of_its_loss() -> None:
    """One step against the loss written out over inputs and queries, differentiated numerically."""
    target, relation = TARGETS["mean"], RELATIONS["relative"]
    start = fit_by_descent(target, relation, 4, whiten=False, num_inputs=12, max_steps=0)
    one = fit_by_descent(target, relation, 4, whiten=False, num_inputs=12, max_steps=1)
    assert set(start.table.values()) == {0.0}
    inputs = _inputs_of(4, 12)

    def loss(table: dict[int, float]) -> float:
        total = 0.0
        for x in inputs:
            for j in range(1, 5):
                wrong = sum((table[j - i] - float(target.entry(i, j, 4))) * x[i - 1] for i in range(1, j + 1))
                total += wrong**2
        return total / len(inputs)

    zero = dict.fromkeys(range(4), 0.0)
    assert start.loss == pytest.approx(loss(zero))
    assert one.loss == pytest.approx(loss({label: one.table[label] for label in zero}))
    slopes = {label: (loss(zero | {label: 1e-5}) - loss(zero | {label: -1e-5})) / 2e-5 for label in zero}
    rates = [-one.table[label] / slopes[label] for label in zero]
    assert rates == pytest.approx([rates[0]] * 4, rel=1e-6)
    assert rates[0] > 0


def _inputs_of(length: int, num_inputs: int) -> list[list[float]]:
    """The inputs of seed 0, made again from the stream they are documented to come from."""
    from lengthwise.seeds import DATA, reference_bits31

    bits = [reference_bits31(DATA, 0, "pola", length, element=element) for element in range(num_inputs * length)]
    uniform = [3**0.5 * (2 * (each + 0.5) / 2**31 - 1) for each in bits]
    return [uniform[start : start + length] for start in range(0, len(uniform), length)]


def test_too_few_inputs_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="3 inputs do not determine the outputs at scale 5; at least 5 do"):
        fit_by_descent(TARGETS["sum"], RELATIONS["constant"], 5, num_inputs=3)


def test_a_function_is_a_relation_with_positions_from_one() -> None:
    distance = relation_of(lambda i, j, n: j - i, max_scale=6)  # noqa: ARG005
    assert not distance.needs_scale
    assert extrapolation_error(TARGETS["mean"], distance, 4, 6) == extrapolation_error(
        TARGETS["mean"], RELATIONS["relative"], 4, 6
    )
    first = extrapolation_error(TARGETS["first"], lambda i, j, n: i == 1, 4, 9)  # noqa: ARG005
    assert first[0] == 0
    from_end = relation_of(lambda i, j, n: n - i, max_scale=6)  # noqa: ARG005
    assert from_end.needs_scale
    assert extrapolation_error(TARGETS["copy_halves"], lambda i, j, n: j - i == (n + 1) // 2, 4, 9)[0] == 0
    with pytest.raises(InvalidOptionError, match=r"the label \[1\] at i = 1, j = 1, n = 1, which cannot be hashed"):
        relation_of(lambda i, j, n: [i], max_scale=3)  # type: ignore[arg-type, return-value]  # noqa: ARG005


# The claim, on random targets


def test_the_ideal_encoding_extrapolates_exactly_when_the_complexity_without_zero_is_invariant() -> None:
    """500 targets, three learners: exact, pseudoinverse, and (in the full suite) gradient descent; no exception."""
    counts = {True: 0, False: 0}
    zero_is_new = 0
    for case in CASES:
        scales = case.trained, case.tested
        exact = extrapolation_error(case.target, ideal(case), *scales)[0]
        slow = least_squares(case.target, ideal(case), *scales)[1]
        invariant = is_invariant(case.target, *scales, hint=case.hint, zero_counts=False)
        assert (exact == 0) == (slow < 1e-9) == invariant, case
        counts[invariant] += 1
        # for every table that fits, zero counts: the two versions differ where 0 is first met after training
        strict = is_invariant(case.target, *scales, hint=case.hint)
        assert is_guaranteed(case.target, ideal(case), *scales) == strict
        first_zero = min(
            (n for i, j, n in entries(case.tested, hinted=case.hint) if not case.target.entry(i, j, n)), default=0
        )
        assert strict == (invariant and first_zero <= case.trained)
        zero_is_new += invariant and not strict
    assert min(counts.values()) > 100
    assert zero_is_new > 20
    assert {case.kind for case in CASES} == set(KINDS)


def test_where_the_complexity_grows_no_relation_at_all_extrapolates() -> None:
    rng = Random(9)
    for case in CASES[::3]:
        if is_invariant(case.target, case.trained, case.tested, hint=case.hint, zero_counts=False):
            continue
        numbers = {place: rng.randrange(6) for place in triangles(case.tested)}
        relations = [RELATIONS[name] for name in COLUMNS.values()]
        relations.append(relation_of(lambda i, j, n, numbers=numbers: numbers[i, j, n], max_scale=case.tested))  # type: ignore[misc]
        for relation in relations:
            assert extrapolation_error(case.target, relation, case.trained, case.tested)[0] > 0


def test_without_the_hint_nothing_represents_a_target_that_depends_on_the_scale() -> None:
    without_hint = [relation for relation in RELATIONS.values() if not relation.needs_scale]
    num_dependent = 0
    for case in [case for case in CASES if case.hint][:40]:
        if linear_complexity(case.target, case.tested) < inf:
            continue
        num_dependent += 1
        for relation in without_hint:
            assert extrapolation_error(case.target, relation, case.trained, case.tested)[0] > 0
    assert num_dependent > 20


@pytest.mark.full
def test_gradient_descent_agrees_on_all_random_targets() -> None:
    for case in CASES:
        exact = fit_minimum_norm(case.target, ideal(case), case.trained).table
        descent = fit_by_descent(case.target, ideal(case), case.trained)
        assert max(abs(descent.table[label] - float(exact[label])) for label in exact) < 2e-9
        invariant = is_invariant(case.target, case.trained, case.tested, hint=case.hint, zero_counts=False)
        worst = max(
            abs(descent.table.get(value, 0.0) - float(value))
            for value in {case.target.entry(*place) for place in entries(case.tested, hinted=case.hint)}
        )
        assert (worst < 1e-8) == invariant


# Theorems T2 and T3


def test_the_dimension_of_few_valued_targets_is_the_largest_rank_of_a_partition() -> None:
    """Every partition of T_3, and random ones of larger triangles: the rank of the map from tables to matrices."""
    by_blocks: dict[int, int] = {}
    for blocks in partitions(6):
        rank = int(np.linalg.matrix_rank(np.eye(max(blocks) + 1)[list(blocks)]))
        by_blocks[max(blocks) + 1] = max(rank, by_blocks.get(max(blocks) + 1, 0))
    for complexity in range(1, 9):
        largest = max(rank for number, rank in by_blocks.items() if number <= complexity)
        assert dimension_at_most(complexity, 3) == largest
    rng = Random(2)
    for _ in range(40):
        scale, complexity = rng.randint(2, 6), rng.randint(1, 25)
        places = num_entries(scale, hinted=False)
        shuffled = [*range(min(complexity, places)), *(rng.randrange(complexity) for _ in range(places))][:places]
        rng.shuffle(shuffled)
        # the tangent space at a point with distinct values, by finite differences of the entries along the table
        table = np.array([rng.random() for _ in range(complexity)])
        differences = [(table + 1e-3 * unit)[shuffled] - table[shuffled] for unit in np.eye(complexity)]
        assert int(np.linalg.matrix_rank(np.array(differences), tol=1e-6)) == dimension_at_most(complexity, scale)


def test_counting_grid_points_gives_the_same_dimensions() -> None:
    for m in (1, 2, 3):  # the counts, against going through all targets
        targets = list(product(range(m), repeat=6))
        for complexity in (1, 2, 3, 6):
            assert count_at_most(complexity, 3, m) == sum(len(set(values)) <= complexity for values in targets)
        for trained, shown in ((1, 1), (2, 3)):
            kept = sum(set(values) == set(values[:shown]) for values in targets)
            assert count_extrapolated(trained, 3, m) == kept
            assert share_extrapolated(trained, 3, m) == Fraction(kept, len(targets))
    m = 10**12  # the degree of the polynomial, from how fast the count grows
    for complexity, scale in [(1, 3), (4, 3), (6, 3), (9, 3), (7, 5)]:
        growth = log(count_at_most(complexity, scale, 2 * m) / count_at_most(complexity, scale, m), 2)
        assert growth == pytest.approx(dimension_at_most(complexity, scale), abs=1e-6)
    for trained, tested in [(1, 3), (2, 5), (3, 4)]:
        growth = log(Fraction(count_extrapolated(trained, tested, 2 * m), count_extrapolated(trained, tested, m)), 2)
        assert growth == pytest.approx(measure_dimensions(trained, tested).extrapolated, abs=1e-6)
    assert measure_dimensions(5, 12).extrapolated == 15
    assert measure_dimensions(5, 12).all_targets == 78
    assert measure_dimensions(2, 4, hint=True).all_targets == len(triangles(4))


@pytest.mark.parametrize("from_zero", [False, pytest.param(True, marks=pytest.mark.full)])
def test_no_relation_covers_two_maximal_subspaces(from_zero: bool) -> None:
    """The 203 relations on T_3 against all maximal subspaces, with linear algebra as the second opinion."""
    found = check_no_universal(2, 3, from_zero=from_zero)
    assert found.num_relations == 203
    assert found.num_subspaces == (64 if from_zero else 27)
    assert found.most_covered == 1
    assert found.holds
    measured = measure_dimensions(2, 3)
    assert found.num_subspaces == (measured.num_subspaces_from_zero if from_zero else measured.num_subspaces)
    places = list(entries(3, hinted=False))
    spaces = {}
    for chosen in product((*range(3), *([None] if from_zero else [])), repeat=3):
        equal = [0, 1, 2, *chosen]
        spaces[chosen] = np.array([[float(each == place) for place in range(3)] for each in equal])
    num_covering = 0
    for blocks in partitions(6):
        table = dict(zip(places, blocks, strict=True))
        relation = relation_of(lambda i, j, n, table=table: table[i, j, j], max_scale=3)  # type: ignore[misc]  # noqa: ARG005
        seen = sorted(set(blocks[:3]))
        dimension = dimension_of_relation(relation, 2, 3, from_zero=from_zero)
        assert dimension == (len(seen) if from_zero or set(blocks) == set(seen) else None)
        covered: list[Any] = []
        if dimension is not None:
            own = np.array([[float(block == label) for label in seen] for block in blocks])
            away = np.eye(6) - own @ np.linalg.pinv(own)  # what of a vector is not in the span of the relation
            covered = [chosen for chosen, space in spaces.items() if np.abs(away @ space).max() < 1e-9]
        assert len(covered) <= 1
        num_covering += len(covered)
        subspace = covered_subspace(relation, 2, 3, from_zero=from_zero)
        assert (subspace is not None) == bool(covered)
        if subspace is not None:
            positions = [None if entry is None else places.index(entry) for entry in subspace.values()]
            assert tuple(positions) == covered[0]
    assert num_covering == found.num_covering


def test_with_one_training_entry_the_constant_relation_is_universal_unless_tables_start_at_zero() -> None:
    assert not check_no_universal(1, 3).holds
    assert check_no_universal(1, 3).num_subspaces == 1
    assert covered_subspace(RELATIONS["constant"], 1, 3) is not None
    assert check_no_universal(1, 2, from_zero=True).holds


def test_the_dimension_of_a_relation_is_that_of_what_it_extrapolates() -> None:
    assert dimension_of_relation(RELATIONS["constant"], 5, 12) == 1
    assert dimension_of_relation(RELATIONS["relative"], 5, 12) is None
    assert dimension_of_relation(RELATIONS["relative"], 5, 12, from_zero=True) == 5
    assert dimension_of_relation(RELATIONS["absolute"], 5, 12, from_zero=True) == 15
    assert dimension_of_relation(lambda i, j, n: min(j - i, 3), 5, 12) == 4  # noqa: ARG005
    assert covered_subspace(RELATIONS["absolute"], 5, 12) is None


def test_sets_too_large_to_go_through_are_refused() -> None:
    with pytest.raises(
        CapExceededError, match="test scale 4 has too many relations to check them all; at most 3 can be"
    ):
        check_no_universal(2, 4)
    with pytest.raises(CapExceededError, match="15 entries have too many partitions"):
        partitions(15)
    with pytest.raises(InvalidOptionError, match="complexity 0 is below 1"):
        dimension_at_most(0, 3)


# The command


def test_the_command_prints_both_theorems(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complexity", "--dimensions", "2", "3"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "form a space of 6 dimensions" in told
    assert "a union of subspaces of 3 dimensions (theorem T2)" in told
    assert "Of 203 relations, no relation extrapolates all of the 27 largest subspaces; the best one has 1" in told


def test_the_command_refuses_a_problem_beside_dimensions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complexity", "copy", "--dimensions", "2", "3"]) == 2
    assert "error: one of a problem, --all and --dimensions is needed." in capsys.readouterr().err
