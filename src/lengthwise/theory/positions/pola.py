"""Position-only linear attention (POLA): linear representation complexity, and when a position encoding extrapolates.

LRC(f, N) is the number of distinct entries of the target's matrix on T_N, the fewest labels of any relation that represents
f up to N. LRC₀ does not count the value 0, which a table that starts at zero has for free. With a scale hint the entries
are those of A^(n) for all n ≤ N; without it LRC is infinite as soon as an entry depends on n.

Theorem T1: some relation guarantees extrapolation from N₀ to N if and only if LRC is the same at both; for the
minimum-norm learner, and gradient descent from zero, LRC₀ takes the place of LRC. Proofs: docs/concepts/pola.md. All
definitions are our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

from ...errors import InvalidOptionError
from .learners import LabelFunction, as_relation, fit_minimum_norm, label_of, largest_error
from .relations import RELATIONS, Relation
from .targets import DOCUMENTED, TARGETS, Entry, Target, check_scale, check_scales, entries

Complexity = int | float
"""A number of labels; infinite where no relation represents the target."""

IDEAL = "IPE"
_WIDEST = 34  # characters of a cell
COLUMNS: dict[str, str] = {"NoPE": "constant", "APE": "absolute", "RPE": "relative"}
HINTED_COLUMNS: dict[str, str] = {**COLUMNS, "RPE-SH": "relative_scaled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """An entry that no relation can get right from training: its value is new, or differs between two scales."""

    entry: Entry
    value: Fraction
    other_entry: Entry | None = None  # the same pair at another scale
    other_value: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """Theorem T1 for one target: whether some relation guarantees extrapolation, with the relation or what excludes it."""

    target: Target
    trained: int
    tested: int
    hint: bool
    from_zero: bool
    complexities: tuple[Complexity, Complexity]
    holds: bool
    relation: Relation | None
    counterexample: Counterexample | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One target in a table: complexities at both scales and the largest error of each encoding.

    ``guaranteed`` names the encodings for which every table that fits is right, not only the one found from zero.
    """

    target: Target
    trained: int
    tested: int
    hint: bool
    complexities: tuple[Complexity, Complexity]
    complexities_from_zero: tuple[Complexity, Complexity]
    errors: dict[str, Fraction | None] = field(hash=False)  # None: the encoding is not defined
    guaranteed: frozenset[str]


def linear_complexities(
    target: Target, scale: int, *, hint: bool = False, zero_counts: bool = True
) -> tuple[Complexity, ...]:
    """Return LRC (or LRC₀) at every scale 1, 2, …, N.

    >>> linear_complexities(TARGETS["window"], 6), linear_complexities(TARGETS["window"], 6, zero_counts=False)
    ((1, 1, 1, 2, 2, 2), (1, 1, 1, 1, 1, 1))
    >>> linear_complexities(TARGETS["mean_by_scale"], 4), linear_complexities(TARGETS["mean_by_scale"], 4, hint=True)
    ((1, inf, inf, inf), (1, 2, 3, 4))
    """
    check_scale(target, scale, hinted=target.by_scale)
    values: set[Fraction] = set()
    seen: dict[tuple[int, int], Fraction] = {}
    represented = True
    found: list[Complexity] = [0] * scale
    for i, j, n in entries(scale, hinted=target.by_scale):
        value = target.entry(i, j, n)
        if value or zero_counts:
            values.add(value)
        if target.by_scale and not hint:
            represented = represented and seen.setdefault((i, j), value) == value
        found[n - 1] = len(values) if represented else inf
    return tuple(found)


def linear_complexity(target: Target, scale: int, *, hint: bool = False, zero_counts: bool = True) -> Complexity:
    """Return LRC(f, N), or LRC₀ where zero does not count."""
    return linear_complexities(target, scale, hint=hint, zero_counts=zero_counts)[-1]


def is_invariant(target: Target, trained: int, tested: int, *, hint: bool = False, zero_counts: bool = True) -> bool:
    """Return whether LRC (or LRC₀) is finite and the same at both scales."""
    check_scales(target, trained, tested, hinted=target.by_scale)
    found = linear_complexities(target, tested, hint=hint, zero_counts=zero_counts)
    return found[-1] != inf and found[trained - 1] == found[-1]


def smallest_scale(target: Target, tested: int, *, hint: bool = False, zero_counts: bool = True) -> int | None:
    """Return the smallest N₀ from which LRC (or LRC₀) is invariant up to N; N itself if it still grew there.

    None where it is infinite. The complexity never falls, so that it is invariant from every larger N₀ too.
    """
    found = linear_complexities(target, tested, hint=hint, zero_counts=zero_counts)
    return None if found[-1] == inf else found.index(found[-1]) + 1


def ideal_relation(target: Target, max_scale: int, *, hint: bool = False) -> Relation:
    """Return the ideal encoding of a target, φ(i, j) := A_ij, or with the hint φ(i, j, n) := A^(n)_ij."""
    if not hint and (excluded := _scale_dependence(target, max_scale)):
        i, j, _ = excluded.entry
        raise InvalidOptionError(
            f"target {target.name!r} has no ideal relation without a scale hint: A({i}, {j}) depends on n.",
            hint="give the scale hint.",
        )
    by_scale = hint and target.by_scale
    return Relation(
        name=f"ideal({target.name})",
        formula="A(i, j, n)" if by_scale else "A(i, j)",
        needs_scale=by_scale,
        # without the hint the entry is the same at every scale, so that it may be read at the first one that has it
        label=lambda key, query, scale: target.entry(key + 1, query + 1, scale if by_scale else query + 1),
    )


def find_guarantee(
    target: Target, trained: int, tested: int, *, hint: bool = False, from_zero: bool = False
) -> Guarantee:
    """Decide by T1 whether some relation guarantees extrapolation from N₀ to N, and construct it or say what excludes it.

    A relation *guarantees* it if some table fits the training entries and every table that does is right on all entries up
    to the test scale. ``from_zero`` asks less: that the table of minimum norm is right.
    """
    check_scales(target, trained, tested, hinted=target.by_scale)
    found = linear_complexities(target, tested, hint=hint, zero_counts=not from_zero)
    counterexample = None if hint else _scale_dependence(target, tested)
    counterexample = counterexample or _new_value(target, trained, tested, from_zero=from_zero)
    if counterexample is None:
        name, which = ("LRC₀", "every non-zero value") if from_zero else ("LRC", "every value")
        reason = f"{name} is {found[-1]} at both scales: training shows {which} that occurs up to {tested}."
    else:
        reason = _exclusion(counterexample, trained, by_scale=target.by_scale)
    return Guarantee(
        target=target,
        trained=trained,
        tested=tested,
        hint=hint,
        from_zero=from_zero,
        complexities=(found[trained - 1], found[-1]),
        holds=counterexample is None,
        relation=None if counterexample else ideal_relation(target, tested, hint=hint),
        counterexample=counterexample,
        reason=reason,
    )


def is_guaranteed(target: Target, relation: Relation | LabelFunction, trained: int, tested: int) -> bool:
    """Return whether every table of this relation that fits training is right up to the test scale, and one does fit.

    That is so exactly when pairs with one label have one value, and every label up to N is seen up to N₀.
    """
    relation = as_relation(relation, tested)
    hinted = target.by_scale or relation.needs_scale
    check_scales(target, trained, tested, hinted=hinted)
    values: dict[Hashable, Fraction] = {}
    for entry in entries(tested, hinted=hinted):
        label, value = label_of(relation, entry), target.entry(*entry)
        if label not in values and entry[2] > trained:
            return False
        if values.setdefault(label, value) != value:
            return False
    return True


def extrapolation_error(
    target: Target, relation: Relation | LabelFunction, trained: int, tested: int
) -> tuple[Fraction, Entry]:
    """Return the largest |A error| up to N of the minimum-norm fit at N₀, and the first entry that has it.

    >>> extrapolation_error(TARGETS["decay"], RELATIONS["relative"], 5, 12)
    (Fraction(1, 32), (1, 6, 6))
    """
    relation = as_relation(relation, tested)
    check_scales(target, trained, tested, hinted=target.by_scale or relation.needs_scale)
    worst = largest_error(fit_minimum_norm(target, relation, trained), tested)
    return worst.error, worst.entry


def compare(
    target: Target,
    trained: int,
    tested: int,
    *,
    hint: bool = False,
    relations: Mapping[str, Relation | LabelFunction] | None = None,
) -> Row:
    """Return complexities and largest errors of one target: of each relation by its column, then of the ideal one."""
    check_scales(target, trained, tested, hinted=target.by_scale)
    if relations is None:
        names = HINTED_COLUMNS if hint and target.by_scale else COLUMNS
        relations = {column: RELATIONS[name] for column, name in names.items()}
    columns: dict[str, Relation | None] = {column: as_relation(given, tested) for column, given in relations.items()}
    defined = hint or _scale_dependence(target, tested) is None
    columns[IDEAL] = ideal_relation(target, tested, hint=hint) if defined else None
    pairs = {
        zero_counts: linear_complexities(target, tested, hint=hint, zero_counts=zero_counts)
        for zero_counts in (True, False)
    }
    return Row(
        target=target,
        trained=trained,
        tested=tested,
        hint=hint,
        complexities=(pairs[True][trained - 1], pairs[True][-1]),
        complexities_from_zero=(pairs[False][trained - 1], pairs[False][-1]),
        errors={
            column: None if relation is None else extrapolation_error(target, relation, trained, tested)[0]
            for column, relation in columns.items()
        },
        guaranteed=frozenset(
            column
            for column, relation in columns.items()
            if relation is not None and is_guaranteed(target, relation, trained, tested)
        ),
    )


def documented_table(trained: int = 5, tested: int = 12) -> list[Row]:
    """Return the check of T1: seven targets, fitted at N₀ and tested at N."""
    return [compare(TARGETS[name], trained, tested) for name in DOCUMENTED]


def format_table(rows: Sequence[Row]) -> str:
    """Return rows as text; 0* marks an error of zero that is not guaranteed: it needs a table that starts at zero."""
    columns = [*dict.fromkeys(column for row in rows for column in row.errors if column != IDEAL), IDEAL]
    lines = [["target", "A(i, j)", "hint", "N₀→N", "LRC", "LRC₀", *columns]]
    for row in rows:
        shown = [_shown(row.errors.get(column), column in row.guaranteed) for column in columns]
        scales = f"{row.trained}→{row.tested}"
        complexities = [_arrow(row.complexities), _arrow(row.complexities_from_zero)]
        formula = row.target.formula if row.target.formula != row.target.name else ""
        lines.append([row.target.name, formula, "yes" if row.hint else "", scales, *complexities, *shown])
    widths = [min(_WIDEST, max(len(line[place]) for line in lines)) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            (cell if len(cell) <= width else cell[: width - 1] + "…").ljust(width)
            for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _scale_dependence(target: Target, scale: int) -> Counterexample | None:
    """Return a pair whose entry differs between two scales, if there is one up to N."""
    if not target.by_scale:
        return None
    first: dict[tuple[int, int], tuple[Entry, Fraction]] = {}
    check_scale(target, scale, hinted=True)
    for entry in entries(scale, hinted=True):
        value = target.entry(*entry)
        other_entry, other_value = first.setdefault(entry[:2], (entry, value))
        if other_value != value:
            return Counterexample(entry=entry, value=value, other_entry=other_entry, other_value=other_value)
    return None


def _new_value(target: Target, trained: int, tested: int, *, from_zero: bool) -> Counterexample | None:
    """Return the first entry up to N whose value training does not show; from zero, 0 is known without it."""
    known = {Fraction(0)} if from_zero else set()
    for entry in entries(tested, hinted=target.by_scale):
        value = target.entry(*entry)
        if entry[2] <= trained:
            known.add(value)
        elif value not in known:
            return Counterexample(entry=entry, value=value)
    return None


def _exclusion(found: Counterexample, trained: int, *, by_scale: bool) -> str:
    i, j, n = found.entry
    if found.other_entry is not None:
        return (
            f"A({i}, {j}) is {found.other_value} at n = {found.other_entry[2]} and {found.value} at n = {n}: "
            "no relation without a scale hint represents it."
        )
    place = f"A({i}, {j}) at n = {n}" if by_scale else f"A({i}, {j})"
    return f"{place} is {found.value}, a value that training up to {trained} never shows."


def _arrow(pair: tuple[Complexity, Complexity]) -> str:
    return "→".join("∞" if one == inf else str(one) for one in pair)


def _shown(error: Fraction | None, guaranteed: bool) -> str:
    """Return an error with two digits, as in .67."""
    if error is None:
        return "–"
    if error == 0:
        return "0" if guaranteed else "0*"
    if error > 10**9:
        return "> 10⁹"
    digits = f"{float(error):.2g}"
    return digits[1:] if digits.startswith("0.") else digits
