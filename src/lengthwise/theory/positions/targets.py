"""Targets of position-only linear attention: an upper triangular matrix for every length, exact.

A target is f(x)_j = Σ_{i≤j} A_ij·x_i for every j up to the length n. Positions start at 1 here, as in the theory of linear
attention; i is the key and j the query. A may depend on n ("by scale"): a relation represents that only with a scale hint.
Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import CapExceededError, InvalidOptionError, lookup
from .formulas import parse_formula

Entry = tuple[int, int, int]
"""A place (i, j, n): key, query, scale; n is j where it does not matter."""

MAX_ENTRIES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A matrix for every scale; ``by_scale`` says whether the entries look at the scale at all.

    >>> TARGETS["decay"].entry(1, 4, 4)
    Fraction(1, 8)
    """

    name: str
    formula: str
    entry: Callable[[int, int, int], Fraction]
    by_scale: bool = False
    max_scale: int | None = None  # None: any

    def matrix(self, scale: int) -> list[list[Fraction]]:
        """Return A at a scale: row i, column j, zero where i > j."""
        check_scale(self, scale, hinted=self.by_scale)
        positions = range(1, scale + 1)
        return [[self.entry(i, j, scale) if i <= j else Fraction(0) for j in positions] for i in positions]


def entries(scale: int, *, hinted: bool) -> Iterator[Entry]:
    """Yield all places up to a scale: the pairs of T_N, or with the hint the pairs of T_n for every n up to it.

    >>> list(entries(2, hinted=False)), len(list(entries(2, hinted=True)))
    ([(1, 1, 1), (1, 2, 2), (2, 2, 2)], 4)
    """
    for n in range(1, scale + 1):
        for j in range(1 if hinted else n, n + 1):
            for i in range(1, j + 1):
                yield i, j, n


def num_entries(scale: int, *, hinted: bool) -> int:
    """Return how many places there are: N(N+1)/2, or with the hint N(N+1)(N+2)/6."""
    return scale * (scale + 1) * (scale + 2) // 6 if hinted else scale * (scale + 1) // 2


def check_scale(target: Target | None, scale: int, *, hinted: bool) -> None:
    """Refuse a scale below 1, one that the target does not reach, and one with too many entries."""
    if isinstance(scale, bool) or not isinstance(scale, int) or scale < 1:
        raise InvalidOptionError(f"scale {scale!r} is not an integer of at least 1.", hint="scales start at 1.")
    if target is not None and target.max_scale is not None and scale > target.max_scale:
        raise InvalidOptionError(
            f"scale {scale} is past the matrix of target {target.name!r}, which ends at {target.max_scale}.",
            hint=f"choose a scale of at most {target.max_scale}, or give the target as a formula.",
        )
    if num_entries(scale, hinted=hinted) > MAX_ENTRIES:
        most = max(n for n in range(1, 1_000) if num_entries(n, hinted=hinted) <= MAX_ENTRIES)
        raise CapExceededError(
            f"scale {scale} has {num_entries(scale, hinted=hinted):,} entries; at most {MAX_ENTRIES:,} are compared.",
            hint=f"choose a scale of at most {most}.",
        )


def check_scales(target: Target | None, trained: int, tested: int, *, hinted: bool) -> None:
    """Refuse scales of training and test that are not in order, or past the caps."""
    check_scale(target, trained, hinted=hinted)
    check_scale(target, tested, hinted=hinted)
    if trained >= tested:
        raise InvalidOptionError(
            f"the training scale {trained} is not below the test scale {tested}.",
            hint="train on short inputs and test on longer ones: N₀ < N.",
        )


def from_formula(formula: str, *, name: str = "") -> Target:
    """Return the target of a formula in i, j and n, such as ``[j - i < 3]`` or ``1/j``.

    >>> from_formula("[i = n]").matrix(2)
    [[Fraction(0, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 1)]]
    """
    entry, mentioned = parse_formula(formula)
    return Target(name=name or formula, formula=formula, entry=entry, by_scale="n" in mentioned)


def from_matrix(rows: Sequence[Sequence[object]], *, name: str = "matrix") -> Target:
    """Return the target of one square matrix with zeros where i > j; entries are integers, fractions or texts like 1/3.

    A float is read as the decimal number that it prints as.
    """
    matrix = _checked_matrix(rows, name)
    size = len(matrix)
    return Target(
        name=name,
        formula=f"a {size} × {size} matrix",
        entry=lambda i, j, n: matrix[i - 1][j - 1],  # noqa: ARG005
        max_scale=size,
    )


def from_matrices(matrices: Sequence[Sequence[Sequence[object]]], *, name: str = "matrices") -> Target:
    """Return the target of one matrix for every scale 1, 2, …: the n-th is n × n."""
    read = [_checked_matrix(rows, f"{name}[{number}]") for number, rows in enumerate(matrices)]
    for number, matrix in enumerate(read, start=1):
        if len(matrix) != number:
            raise InvalidOptionError(
                f"matrix {number} of target {name!r} is {len(matrix)} × {len(matrix)}; it must be {number} × {number}.",
                hint="give one matrix for every scale 1, 2, 3, …",
            )
    if not read:
        raise InvalidOptionError(f"target {name!r} has no matrix.", hint="give one for every scale 1, 2, 3, …")
    return Target(
        name=name,
        formula=f"matrices up to {len(read)} × {len(read)}",
        entry=lambda i, j, n: read[n - 1][i - 1][j - 1],
        by_scale=True,
        max_scale=len(read),
    )


def read_target(text: str) -> Target:
    """Return a target by its name, or the one of a formula; a single word is always a name.

    >>> read_target("mean").formula, read_target("1/j").name
    ('1/j', '1/j')
    """
    word = _TASKS.get(text.strip(), text.strip())
    if word in TARGETS or (word.isidentifier() and word not in ("i", "j", "n")):
        return lookup("target", word, TARGETS)
    return from_formula(text)


def _checked_matrix(rows: Sequence[Sequence[object]], name: str) -> tuple[tuple[Fraction, ...], ...]:
    size = len(rows)
    if size == 0:
        raise InvalidOptionError(f"matrix {name!r} is empty.", hint="give at least one row.")
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence) or len(row) != size:
            length = len(row) if isinstance(row, Sequence) and not isinstance(row, str | bytes) else "no"
            raise InvalidOptionError(
                f"matrix {name!r} is not square: it has {size} rows, and row {number} has {length} entries.",
                hint="give as many entries in every row as there are rows, with zeros below the diagonal.",
            )
    matrix = tuple(
        tuple(_checked_entry(value, name, i, j) for j, value in enumerate(row, start=1))
        for i, row in enumerate(rows, start=1)
    )
    for i, exact in enumerate(matrix, start=1):
        for j in range(1, i):
            if exact[j - 1]:
                raise InvalidOptionError(
                    f"matrix {name!r} is not upper triangular: row {i}, column {j} is {exact[j - 1]}.",
                    hint="a query j sees the keys i ≤ j only; rows are keys and columns are queries.",
                )
    return matrix


def _checked_entry(value: object, name: str, i: int, j: int) -> Fraction:
    try:
        if isinstance(value, int | Fraction | str) and not isinstance(value, bool):
            return Fraction(value)
        if isinstance(value, float):
            return Fraction(repr(float(value)))
    except (ValueError, ZeroDivisionError):
        pass
    raise InvalidOptionError(
        f"matrix {name!r} has {value!r} in row {i}, column {j}, which is no number.",
        hint="give integers, fractions, finite floats, or texts such as '1/3'.",
    )


_TASKS = {
    "copy": "copy_halves",
    "repeat_copy": "copy_halves",
    "unique_copy": "copy_halves",
    "reverse": "reverse_halves",
    "reverse_unique": "reverse_halves",
    "shift": "shift_halves",
}
"""Tasks that are linear in their tokens: the first half of the positions is the input, the last half produces the output."""


def _named(**formulas: str) -> dict[str, Target]:
    return {name: from_formula(formula, name=name) for name, formula in formulas.items()}


DOCUMENTED = ("sum", "last", "first", "window", "alternating", "decay", "mean")
"""The seven targets of the table that checks Theorem T1."""

TARGETS: dict[str, Target] = _named(
    sum="1",
    last="[i = j]",
    first="[i = 1]",
    window="[j - i < 3]",
    alternating="(-1)^(j-i)",
    decay="2^-(j-i)",
    mean="1/j",
    previous="[j - i = 1]",
    difference="[i = j] - [j - i = 1]",
    every_third="[(j - i) % 3 = 0]",
    by_remainder="(i + 2*j) % 5",
    key_parity="(-1)^i",
    recency="1/(j - i + 1)",
    far="[j - i >= 8]",
    late="[j > 8]",
    copy_halves="[j - i = (n + 1) // 2]",
    reverse_halves="[i < j and i + j = n + 1]",
    shift_halves="[n > 1 and j > n - n // 2 and i = (j - n + n // 2) % (n // 2) + 1]",
    end="[i = n]",
    whole="[j = n]",
    mean_by_scale="1/n",
)
"""Targets by name: the seven documented ones; local, periodic and late ones; linear maps with a scale hint.

In the maps on halves the first n // 2 positions hold the input and the last n // 2 queries produce the output.
"""
