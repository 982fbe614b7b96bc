"""Appendix G.2 of arXiv 2410.02140: relations of distances as products of position vectors, published beside measured.

Published are the mean squared errors that stand at the end of the authors' script (github.com/lacoco-lab/length_generalization,
appendix-G2/test_multi_func_L2.py): one fit each, at windows of 50, 100 and 150 positions, of which only 50 are trained.
Fits are no runs of a store: they are kept in a JSON file beside it, and what it holds is not fitted again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ...errors import InvalidOptionError, check_number
from ...files import make_folder_of, read_text, write_text
from ...report.pages import Document, Heading, Items, Paragraph
from ...tables import Table
from ..interface import Comparison, Experiment, Paper, Trainer
from ..published import read_figures

PART = "positions_g2"
SOURCE = "arXiv 2410.02140, appendix G.2, figures at the end of its released script; one fit each"
STEPS = 15_000
_MOST_QUICK_WIDTH = 32
_FARTHEST = 200

DIFFERENCES = (
    "The loss is the same function. We compute it from all pairs at once, the authors window by window.",
    "Every seed has its own start and its own windows, shared by all relations. The published fits have one seed.",
)
"""Where our fits differ from the paper's."""

HOLDS: dict[str, Callable[[int], bool]] = {
    "one_back": lambda distance: distance == 1,
    "25_back": lambda distance: distance == 25,
    "last_2": lambda distance: distance < 2,
    "last_25": lambda distance: distance < 25,
    "0_mod_3": lambda distance: distance % 3 == 0,
    "2_mod_5": lambda distance: distance % 5 == 2,
    "all_before": lambda distance: distance > 0,
    "prime": lambda distance: distance > 1 and all(distance % factor for factor in range(2, distance)),
    "one_back_or_0_mod_3": lambda distance: distance == 1 or distance % 3 == 0,
}
"""Which distances i − j stand in the relation of a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedRelation:
    """A relation at one width of position vectors: what kind it is, and the published errors.

    "neither" is meant of all distances: j < i is neither local nor periodic on them.
    """

    relation: str
    text: str
    kind: str
    width: int
    published: tuple[float, ...]
    part: str = PART

    @property
    def task_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the relation."""
        return self.relation, self.text

    @property
    def encoding_names(self) -> tuple[str, ...]:
        """What ``--only`` may call the width."""
        return (f"width_{self.width}",)


def read_relations() -> list[FittedRelation]:
    """Return the published relations, each at both widths."""
    return [
        FittedRelation(
            relation=row["name"], text=row["text"], kind=row["kind"], width=int(width), published=tuple(errors)
        )
        for row in read_figures(__package__, PART)
        for width, errors in row["errors"].items()
    ]


def distances_of(relation: str) -> tuple[int, ...]:
    """Return the distances in a relation, as far as there are positions."""
    return tuple(distance for distance in range(_FARTHEST) if HOLDS[relation](distance))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What one relation and width came to: the published errors, and those of every seed at the three lengths."""

    relation: str
    width: int
    steps: int
    seconds: float  # of the whole stack that this one was fitted in
    published: tuple[float, ...]
    measured: tuple[tuple[float, ...], ...]

    @property
    def medians(self) -> tuple[float, ...]:
        """The median over the seeds at each length."""
        return tuple(median(values) for values in zip(*self.measured, strict=True))


@dataclass(frozen=True, kw_only=True)
class PositionsExperiment(Experiment):
    """Relations that are fitted with so many seeds, all of a width as one program."""

    paper: Paper
    cells: Sequence[FittedRelation]
    seeds: int
    quick: bool
    steps: int = STEPS

    def measure(self, trainer: Trainer) -> PositionsComparison:
        """Fit what the file beside the store does not hold; a quick reproduction leaves wide vectors out."""
        check_number("seeds", self.seeds, int, 1, 1_000)
        steps = self.steps
        cells = [cell for cell in self.cells if not self.quick or cell.width <= _MOST_QUICK_WIDTH]
        file = trainer.beside_store(f"{PART}.json")
        fits = {
            (fit.relation, fit.width): fit
            for fit in (read_fits(file) if file.exists() else [])
            if fit.steps == steps and len(fit.measured) == self.seeds
        }
        missing = [cell for cell in cells if (cell.relation, cell.width) not in fits]
        if trainer.is_dry_run:
            trainer.say(f"dry run: {len(missing)} of {len(cells)} relations are still to be fitted.")
        else:
            for width in dict.fromkeys(cell.width for cell in missing):
                group = [cell for cell in missing if cell.width == width]
                for fit in fit_relations(group, trainer.device, self.seeds, steps, trainer.say):
                    fits[fit.relation, width] = fit
                make_folder_of(file)
                write_text(str(file), json.dumps([asdict(fit) for fit in fits.values()], indent=1) + "\n")
        return PositionsComparison(
            paper=self.paper,
            seeds=self.seeds,
            steps=steps,
            cells=cells,
            fits=[fits.get((cell.relation, cell.width)) for cell in cells],
        )


def fit_relations(
    cells: Sequence[FittedRelation], device: str, seeds: int, steps: int, say: Callable[[str], None]
) -> list[Fit]:
    """Return the fits of relations at one width."""
    from ...train.position_products import ProductFit, ProductStack, fit_products

    begun = time.perf_counter()
    width = cells[0].width
    stack = ProductStack(
        [distances_of(cell.relation) for cell in cells for _ in range(seeds)],
        seeds=[seed for _ in cells for seed in range(seeds)],
        width=width,
        fit=ProductFit(steps=steps),
        device=device,
    )
    errors = fit_products(stack, lambda step: say(f"width {width}: step {step:,} of {steps:,}"))
    seconds = time.perf_counter() - begun
    return [
        Fit(
            relation=cell.relation,
            width=width,
            steps=steps,
            seconds=seconds,
            published=cell.published,
            measured=tuple(tuple(values) for values in errors[number * seeds : (number + 1) * seeds]),
        )
        for number, cell in enumerate(cells)
    ]


def read_fits(path: str | Path) -> list[Fit]:
    """Return the fits of a file that an experiment wrote."""
    try:
        data: list[dict[str, Any]] = json.loads(read_text(path, is_updated=True))
        return [
            Fit(**(row | {"published": tuple(row["published"]), "measured": tuple(map(tuple, row["measured"]))}))
            for row in data
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidOptionError(
            f"{str(path)!r} holds no fitted relations: {error}.", hint="choose another file, or remove it."
        ) from None


@dataclass(frozen=True, kw_only=True)
class PositionsComparison(Comparison):
    """Published beside measured errors."""

    paper: Paper
    seeds: int
    steps: int
    cells: Sequence[FittedRelation]
    fits: Sequence[Fit | None]

    @property
    def legend(self) -> str:
        """How to read the table."""
        return (
            f"Mean squared error at windows of 50, 100 and 150 positions; trained on 50. Published: {SOURCE}. Measured: "
            f"{self.seeds} seed{'' if self.seeds == 1 else 's'}, {self.steps:,} steps."
        )

    def brief(self, *, narrow: bool) -> Document:  # noqa: ARG002
        """Return the table with how to read it."""
        table = relations_table(self.cells, self.fits)
        return Document([table, Paragraph(self.legend), Items(DIFFERENCES)])

    def page(self) -> Document:
        """Return the same as a page."""
        return Document(
            [
                Paragraph(f"{self.paper.title}. {self.paper.authors}; {self.paper.source}."),
                Paragraph(self.legend, soft=True),
                relations_table(self.cells, self.fits),
                Heading("Where our fits differ from the paper's"),
                Items(DIFFERENCES),
            ],
            title=f"{self.paper.name}: products of position vectors, published beside measured",
        )

    def to_json(self) -> dict[str, object]:
        """Return all errors as JSON data."""
        return {
            "paper": self.paper.name,
            "part": PART,
            "seeds": self.seeds,
            "steps": self.steps,
            "cells": relations_table(self.cells, self.fits).to_json(),
        }


def relations_table(cells: Sequence[FittedRelation], fits: Sequence[Fit | None] | None = None) -> Table:
    """Return a row for each relation and width, with what was measured if fits are given."""
    header = ["relation", "kind", "width", "published 50 / 100 / 150"]
    rows = [[cell.text, cell.kind, str(cell.width), " / ".join(map(_figure, cell.published))] for cell in cells]
    records: list[dict[str, object]] = [
        {"relation": cell.relation, "kind": cell.kind, "width": cell.width, "published": list(cell.published)}
        for cell in cells
    ]
    if fits is not None:
        header += ["measured, median", "measured, least–most at 150"]
        rows = [[*row, *_measured(fit)] for row, fit in zip(rows, fits, strict=True)]
        records = [
            record | {"measured": None if fit is None else [list(values) for values in fit.measured]}
            for record, fit in zip(records, fits, strict=True)
        ]
    kinds = {0: "name", **dict.fromkeys(range(2, len(header)), "number")}
    return Table(header=header, rows=rows, kinds=kinds, records=records)


def _measured(fit: Fit | None) -> tuple[str, str]:
    if fit is None:
        return "not run", "–"
    last = sorted(values[-1] for values in fit.measured)
    extremes = f"{_figure(last[0])}–{_figure(last[-1])}" if len(last) > 1 else "one seed"
    return " / ".join(map(_figure, fit.medians)), extremes


def _figure(value: float) -> str:
    """Return an error in few characters: 5e-06, 0.0125, 1.8, 496."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.0e}"
