"""Linear representation complexity against what linear attention learns: tables by target and scale, 500 random targets.

Prints the check of Theorem T1 (largest error of an exact minimum-norm fit at N₀, over all entries up to N) for the seven
documented targets and for further families at three pairs of scales; T1's own answers; the count on random targets; and
the dimensions of T2 with the check of T3. Our reconstruction of arXiv 2510.04130. Baselines, in the same run: NoPE, APE and RPE.

    python benchmarks/lrc.py        about fifteen seconds on one core

It needs the oracles of the tests: PYTHONPATH=src:tests python benchmarks/lrc.py
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter
from fractions import Fraction
from math import inf
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from label_dimensions import check_no_universal, measure_dimensions, share_extrapolated
from pola_targets import KINDS, random_cases

from lengthwise.theory.positions.learners import fit_by_descent, fit_minimum_norm, relation_of
from lengthwise.theory.positions.pola import (
    COLUMNS,
    HINTED_COLUMNS,
    compare,
    documented_table,
    extrapolation_error,
    find_guarantee,
    format_table,
    ideal_relation,
    is_invariant,
    linear_complexity,
    smallest_scale,
)
from lengthwise.theory.positions.relations import RELATIONS, Relation
from lengthwise.theory.positions.targets import TARGETS, entries

NUM_TARGETS = 500
SCALES = ((5, 12), (8, 20), (12, 40))
FAMILIES = {
    "local, periodic and late": (
        "previous",
        "difference",
        "every_third",
        "by_remainder",
        "key_parity",
        "recency",
        "far",
        "late",
    ),
    "by scale, with the hint": ("copy_halves", "reverse_halves", "shift_halves", "end", "whole", "mean_by_scale"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=NUM_TARGETS)
    options = parser.parse_args()
    start = time.perf_counter()
    print(f"python benchmarks/lrc.py: {hardware()}, Python {platform.python_version()}, one core")
    print("Definitions are our reconstruction of arXiv 2510.04130.")
    print("Cells: largest |A error| up to N after an exact minimum-norm fit up to N₀; 0* is zero only for a table that")
    print("starts at zero; – means not defined. LRC₀ does not count the value 0.")
    print_tables()
    print_guarantees()
    print_random(options.number)
    print_dimensions()
    print(f"\n{time.perf_counter() - start:.1f} s in all")


def hardware() -> str:
    """Return the name of the processor."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def print_tables() -> None:
    print("\nthe seven documented targets")
    print(format_table([row for scales in SCALES for row in documented_table(*scales)]))
    for title, names in FAMILIES.items():
        print(f"\n{title}")
        rows = []
        for trained, tested in SCALES:
            for name in names:
                hint = TARGETS[name].by_scale
                rows.append(compare(TARGETS[name], trained, tested, hint=hint, relations=columns_of(tested, hint=hint)))
        print(format_table(rows))
    print("\nthe same without the hint")
    print(format_table([compare(TARGETS[name], 5, 12) for name in FAMILIES["by scale, with the hint"]]))


def columns_of(tested: int, *, hint: bool) -> dict[str, Relation]:
    """Return the encodings of a table; with the hint also j − i − ⌈n/2⌉, which is 0 where a map on halves copies."""
    columns = {column: RELATIONS[name] for column, name in (HINTED_COLUMNS if hint else COLUMNS).items()}
    if hint:
        columns["j−i−⌈n/2⌉"] = relation_of(lambda i, j, n: j - i - (n + 1) // 2, max_scale=tested, name="half")
    return columns


def print_guarantees() -> None:
    """T1 for every target: is there a relation for which every table that fits is right, and for tables from zero?"""
    print(
        "\nT1 at 5→12: does some relation guarantee it, does one from zero, and the smallest N₀ that would do up to 40"
    )
    print(f"{'target':15} {'hint':5} {'always':7} {'from zero':10} {'N₀':>3} {'N₀ from zero':>13}  why")
    for name, target in TARGETS.items():
        for hint in (False, True) if target.by_scale else (False,):
            always = find_guarantee(target, 5, 12, hint=hint)
            from_zero = find_guarantee(target, 5, 12, hint=hint, from_zero=True)
            needed = [smallest_scale(target, 40, hint=hint, zero_counts=zero) for zero in (True, False)]
            shown = ["–" if scale is None or scale == 40 else str(scale) for scale in needed]
            print(
                f"{name:15} {'yes' if hint else '':5} {'yes' if always.holds else 'no':7} "
                f"{'yes' if from_zero.holds else 'no':10} {shown[0]:>3} {shown[1]:>13}  {always.reason}"
            )
    print("– where the complexity is infinite, or still grows at 40.")


def print_random(number: int) -> None:
    """The claim: the ideal encoding's error is zero exactly when LRC₀ is invariant."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    worst_difference = 0.0
    without_hint = 0
    for case in random_cases(number):
        target, scales = case.target, (case.trained, case.tested)
        ideal = ideal_relation(target, case.tested, hint=case.hint)
        zero = extrapolation_error(target, ideal, *scales)[0] == 0
        invariant = is_invariant(target, *scales, hint=case.hint, zero_counts=False)
        strict = is_invariant(target, *scales, hint=case.hint)
        descent = fit_by_descent(target, ideal, case.trained).table
        exact = fit_minimum_norm(target, ideal, case.trained).table
        worst_difference = max(worst_difference, *(abs(descent[label] - float(exact[label])) for label in exact))
        values = {target.entry(*place) for place in entries(case.tested, hinted=case.hint)}
        descent_zero = max(abs(descent.get(value, 0.0) - float(value)) for value in values) < 1e-8
        found = counts[case.kind]
        found["targets"] += 1
        found["LRC invariant"] += strict
        found["LRC₀ invariant"] += invariant
        found["error 0"] += zero
        found["0 by descent"] += descent_zero
        found["exceptions"] += not zero == invariant == descent_zero
        found["LRC says no"] += zero and not strict
        if case.hint:
            errors = [extrapolation_error(target, RELATIONS[name], *scales)[0] for name in COLUMNS.values()]
            without_hint += linear_complexity(target, case.tested) == inf and min(errors) == 0
    columns = ("targets", "LRC invariant", "LRC₀ invariant", "error 0", "0 by descent", "exceptions", "LRC says no")
    print(
        f"\n{number} random targets (seed 0): is the error of the ideal encoding zero exactly when LRC₀ is invariant?"
    )
    print(f"{'mixture':15}" + "".join(f"{column:>16}" for column in columns))
    for kind, found in counts.items():
        print(f"{kind:15}" + "".join(f"{found[column]:16}" for column in columns))
    total = sum(counts.values(), Counter())
    print(f"{'all':15}" + "".join(f"{total[column]:16}" for column in columns))
    print(
        "LRC says no: the error is zero although LRC grows, because the only new value is 0 and the table starts there."
    )
    print(f"targets that depend on n and that NoPE, APE or RPE extrapolate without the hint: {without_hint}")
    print(f"largest difference between the table of gradient descent and the exact one: {worst_difference:.1e}")


def print_dimensions() -> None:
    print(
        "\nT2: dimension of all targets up to N and of those that some relation extrapolates from N₀; the share of the"
    )
    print("latter among targets whose entries are drawn from m values")
    print(f"{'N₀→N':8} {'all':>6} {'extrapolated':>13}" + "".join(f"{f'm = {m}':>13}" for m in (2, 10, 100, 1000)))
    for trained, tested in (*SCALES, (2, 3)):
        found = measure_dimensions(trained, tested)
        shares = [share_extrapolated(trained, tested, m) for m in (2, 10, 100, 1000)]
        print(
            f"{f'{trained}→{tested}':8} {found.all_targets:6} {found.extrapolated:13}"
            + "".join(f"{_shown(share):>13}" for share in shares)
        )
    print("\nT3: every relation on T_N against every maximal subspace of targets that some relation extrapolates")
    print(f"{'N₀→N':8} {'tables':14} {'relations':>10} {'subspaces':>10} {'most covered by one':>20} {'universal':>10}")
    for trained, tested in ((1, 2), (1, 3), (2, 3)):
        for from_zero in (False, True):
            checked = check_no_universal(trained, tested, from_zero=from_zero)
            print(
                f"{f'{trained}→{tested}':8} {'from zero' if from_zero else 'from anywhere':14} {checked.num_relations:10} "
                f"{checked.num_subspaces:10} {checked.most_covered:20} {'no' if checked.holds else 'NoPE':>10}"
            )


def _shown(share: Fraction) -> str:
    """Return a share with three digits, also where it is near 1 or too small for a float."""
    if 1 > share > Fraction(99, 100):
        return f"1 − {float(1 - share):.2g}"
    if share > Fraction(1, 10**300):
        return f"{float(share):.3g}"
    return f"10^-{len(str(share.denominator // share.numerator)) - 1}"


if __name__ == "__main__":
    main()
