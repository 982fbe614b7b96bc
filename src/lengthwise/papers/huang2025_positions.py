"""Appendix G.2 of arXiv 2410.02140: relations of distances as products of position vectors, published beside measured.

Published are the mean squared errors that stand at the end of the authors' script (github.com/lacoco-lab/length_generalization,
appendix-G2/test_multi_func_L2.py): one fit each, at windows of 50, 100 and 150 positions, of which only 50 are trained.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ..errors import InvalidOptionError, unknown_name
from ..files import make_folder_of, read_text, write_text

SOURCE = "arXiv 2410.02140, appendix G.2, figures at the end of its released script; one fit each"
TEST_LENGTHS = (50, 100, 150)
WIDTHS = (32, 256)
SEEDS = 5
STEPS = 15_000
_FARTHEST = 200

DIFFERENCES = (
    "The loss is the same function, computed from all pairs at once instead of window by window.",
    "Every seed has its own start and its own windows, shared by all relations; the published fits have one seed.",
)
"""Where our way is not theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Which distances i − j stand in a relation, what kind of relation it is, and what was published by width."""

    name: str
    text: str
    is_local: bool
    is_periodic: bool
    holds: Callable[[int], bool]
    published: dict[int, tuple[float, float, float]]

    @property
    def kind(self) -> str:
        """Whether the relation is local, periodic, both joined, or neither."""
        return {(1, 0): "local", (0, 1): "periodic", (1, 1): "local or periodic", (0, 0): "neither"}[
            self.is_local, self.is_periodic
        ]

    @property
    def distances(self) -> tuple[int, ...]:
        """The distances in the relation, as far as there are positions."""
        return tuple(distance for distance in range(_FARTHEST) if self.holds(distance))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % factor for factor in range(2, number))


def _relation(
    name: str, text: str, kind: str, holds: Callable[[int], bool], narrow: Sequence[float], wide: Sequence[float]
) -> Relation:
    figures = {32: narrow, 256: wide}
    return Relation(
        name=name,
        text=text,
        is_local="local" in kind,
        is_periodic="periodic" in kind,
        holds=holds,
        published={width: (each[0], each[1], each[2]) for width, each in figures.items()},
    )


# fmt: off
RELATIONS: dict[str, Relation] = {each.name: each for each in (
    _relation("one_back", "j = i−1", "local", lambda d: d == 1,
              (0.0124985492, 496.2664794922, 755.2360839844), (0.0000045789, 0.2099193931, 0.3275869489)),
    _relation("25_back", "j = i−25", "local", lambda d: d == 25,
              (0.0000022057, 0.7152619362, 1.0706132650), (0.0000049315, 0.1646348983, 0.2828634381)),
    _relation("last_2", "j > i−2", "local", lambda d: d < 2,
              (0.0083255535, 303.7139282227, 414.6399841309), (0.0000372034, 0.3495599926, 0.5547776222)),
    _relation("last_25", "j > i−25", "local", lambda d: d < 25,
              (0.0078058084, 9.3571901321, 15.1211357117), (0.0000049899, 1.8029826880, 3.1008999348)),
    _relation("0_mod_3", "i−j ≡ 0 mod 3", "periodic", lambda d: d % 3 == 0,
              (0.0000034845, 0.0010645119, 0.0053957077), (0.0003711144, 2.8137290478, 6.8732824326)),
    _relation("2_mod_5", "i−j ≡ 2 mod 5", "periodic", lambda d: d % 5 == 2,
              (0.0000028226, 0.0000027044, 0.0000029815), (0.0000395538, 1.9786781073, 4.6821579933)),
    _relation("all_before", "j < i", "neither", lambda d: d > 0,
              (0.0708710179, 229.7775573730, 368.5939636230), (0.0003972818, 5.5996322632, 16.4334640503)),
    _relation("prime", "i−j is prime", "neither", _is_prime,
              (0.0521395244, 7.8534722328, 17.9720077515), (0.0000668037, 3.6927046776, 7.2145252228)),
    _relation("one_back_or_0_mod_3", "j = i−1 or i−j ≡ 0 mod 3", "local periodic", lambda d: d == 1 or d % 3 == 0,
              (0.0234131571, 234.0101318359, 420.2164001465), (0.0000087227, 3.2345695496, 7.5253567696)),
)}
# fmt: on
"""The relations; "neither" is meant of all distances: j < i is neither local nor periodic on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionsRow:
    """One relation and width: published errors, and the measured ones of every seed, at the three lengths."""

    relation: str
    width: int
    steps: int
    seconds: float  # of the whole stack that this row was fitted in
    published: tuple[float, ...]
    measured: tuple[tuple[float, ...], ...]

    @property
    def medians(self) -> tuple[float, ...]:
        """The median over the seeds at each length."""
        return tuple(median(values) for values in zip(*self.measured, strict=True))


def run_positions(
    device: str = "cpu",
    seeds: int = SEEDS,
    steps: int = STEPS,
    relations: Sequence[str] = (),
    widths: Sequence[int] = WIDTHS,
    out: str | Path | None = None,
    on_step: Callable[[int, int], None] = lambda _width, _step: None,
) -> list[PositionsRow]:
    """Fit the named relations, or all, at each width with so many seeds, all of a width as one program; return the rows.

    With ``out``, rows are written to that JSON file after each width, and what it holds already, with as many seeds and
    steps, is not done again.
    """
    names = list(relations) or list(RELATIONS)
    for name in names:
        if name not in RELATIONS:
            raise unknown_name("relation", name, tuple(RELATIONS))
    for width in widths:
        if type(width) is not int or width < 1:
            raise InvalidOptionError(f"a width must be a whole number of at least 1; found {width!r}.", hint="use 32.")
    if type(seeds) is not int or seeds < 1:
        raise InvalidOptionError(f"seeds must be a whole number of at least 1; found {seeds!r}.", hint="use 5.")
    if out is not None:
        make_folder_of(out)
    known = read_rows(out) if out is not None and Path(out).exists() else []
    done = {(row.relation, row.width): row for row in known if row.steps == steps and len(row.measured) == seeds}
    for width in widths:
        missing = [name for name in names if (name, width) not in done]
        if not missing:
            continue
        for row in _fit_width(missing, width, device, seeds, steps, on_step):
            done[row.relation, width] = row
        if out is not None:
            write_text(str(out), json.dumps([asdict(row) for row in done.values()], indent=1) + "\n")
    return [done[name, width] for name in names for width in widths]


def _fit_width(
    names: Sequence[str], width: int, device: str, seeds: int, steps: int, on_step: Callable[[int, int], None]
) -> list[PositionsRow]:
    from ..train.position_products import ProductFit, ProductStack, fit_products

    begun = time.perf_counter()
    stack = ProductStack(
        [RELATIONS[name].distances for name in names for _ in range(seeds)],
        seeds=[seed for _ in names for seed in range(seeds)],
        width=width,
        fit=ProductFit(steps=steps),
        device=device,
    )
    errors = fit_products(stack, lambda step: on_step(width, step))
    seconds = time.perf_counter() - begun
    return [
        PositionsRow(
            relation=name,
            width=width,
            steps=steps,
            seconds=seconds,
            published=RELATIONS[name].published.get(width, ()),
            measured=tuple(tuple(each) for each in errors[number * seeds : (number + 1) * seeds]),
        )
        for number, name in enumerate(names)
    ]


def read_rows(path: str | Path) -> list[PositionsRow]:
    """Return the rows of a file that :func:`run_positions` wrote."""
    try:
        data: list[dict[str, Any]] = json.loads(read_text(path))
        return [
            PositionsRow(
                **(row | {"published": tuple(row["published"]), "measured": tuple(map(tuple, row["measured"]))})
            )
            for row in data
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidOptionError(
            f"{str(path)!r} holds no fitted relations: {error}.", hint="choose another file, or remove it."
        ) from None


def positions_table(rows: Sequence[PositionsRow]) -> list[tuple[str, ...]]:
    """Return the cells of the comparison, a line for each relation and width; the first line is the header."""
    header = (
        "relation",
        "kind",
        "width",
        "published 50 / 100 / 150",
        "measured, median",
        "measured, least–most at 150",
    )
    lines: list[tuple[str, ...]] = [header]
    for row in rows:
        relation = RELATIONS[row.relation]
        last = sorted(values[-1] for values in row.measured)
        lines.append(
            (
                relation.text,
                relation.kind,
                str(row.width),
                " / ".join(map(_figure, row.published)) or "none",
                " / ".join(map(_figure, row.medians)),
                f"{_figure(last[0])}–{_figure(last[-1])}" if len(last) > 1 else "one seed",
            )
        )
    return lines


def _figure(value: float) -> str:
    """Return an error in few characters: 5e-06, 0.0125, 1.8, 496."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.0e}"


def print_positions(rows: Sequence[PositionsRow]) -> None:
    """Print the comparison as a Markdown table."""
    lines = positions_table(rows)
    lines.insert(1, tuple("---" for _ in lines[0]))
    for line in lines:
        print("| " + " | ".join(line) + " |")
