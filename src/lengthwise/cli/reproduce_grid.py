"""``reproduce chen2025``: a grid of tasks and encodings, trained in stages, with the conjecture beside it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from ..encodings.names import split_names
from ..errors import InvalidOptionError
from ..experiment.plan import Run, make_groups
from ..experiment.spec import Spec
from ..experiment.store import Result, read_store
from ..files import make_folder_of, write_text
from ..papers import chen2025
from ..papers.chen2025 import STAGES, GridCell, Stage
from ..report.conjecture import COUNT_HEADER, count_agreement, count_rows, exceptions, unknowns
from ..report.grid import GridOutcome, header, is_enough, legend, rows, summarize_grid, to_json
from ..report.grid_page import make_grid_page, markdown
from .text import paragraph, print_json, table

Train = Callable[[Sequence[Spec], str, Namespace], list[Result]]


def reproduce_grid(options: Namespace, train: Train) -> int:
    """Train what is missing, stage by stage, then print and write what each cell came to."""
    parts = [name.strip() for group in options.part or [] for name in group.split(",")]
    only = [name for group in options.only or [] for name in split_names(group)]
    if "all" in parts:
        parts = list(chen2025.PARTS)
    cells = chen2025.grid_cells(parts, only)
    if not cells:
        raise InvalidOptionError(
            f"no cell is left of {', '.join(only)}.", hint="name a task, an encoding, or one of each that meet."
        )
    store = options.store or f"{chen2025.NAME}.sqlite"
    page = options.out or (None if options.dry_run else f"{chen2025.NAME}.html")
    for path in filter(None, (page, options.markdown)):
        make_folder_of(path)
    stages = STAGES[:1] if options.quick else STAGES
    known: dict[str, Result] = {}
    for stage in stages:
        left = [cell for cell in cells if not _is_done(cell, known, stages[: stages.index(stage)], options.seeds)]
        specs = [cell.spec(stage, options.seeds) for cell in left]
        found = _look(specs, store) if options.dry_run else train(specs, store, options) if specs else []
        known |= {result.id: result for result in found}
        if options.dry_run and not options.json:
            _tell_work(stage, specs, found)
    outcomes = summarize_grid(cells, known.values(), options.seeds)
    if page is not None:
        write_text(page, make_grid_page(outcomes, list(known.values())))
    if options.markdown:
        write_text(options.markdown, markdown(outcomes))
    if options.json:
        print_json({"paper": chen2025.NAME, "standing": chen2025.STANDING, "cells": to_json(outcomes)})
    else:
        _print(outcomes)
    if page is not None:
        print(f"report: {Path(page).resolve()}", file=sys.stderr)
    return 0


def _is_done(cell: GridCell, known: dict[str, Result], before: Sequence[Stage], seeds: int) -> bool:
    return any(is_enough(cell, known, stage, seeds) for stage in before)


def _print(told: Sequence[GridOutcome]) -> None:
    for line in exceptions(told):
        print(paragraph(line, "    ", "  - "))
    print()
    print(table(COUNT_HEADER, count_rows(count_agreement(told))))
    print()
    print(table(header(told), rows(told)))
    print()
    print(paragraph(legend(told)))
    for sentence in unknowns(told):
        print(paragraph(sentence))
    print(paragraph(chen2025.STANDING))


def _runs(specs: Sequence[Spec]) -> list[Run]:
    return [run for spec in specs for group in make_groups(spec) for run in group]


def _look(specs: Sequence[Spec], store: str) -> list[Result]:
    """Return what is in the store."""
    if not Path(store).exists():
        return []
    with read_store(store) as opened:
        return opened.results_of(_runs(specs))


def _tell_work(stage: Stage, specs: Sequence[Spec], found: Sequence[Result]) -> None:
    missing = len(_runs(specs)) - len(found)
    print(
        f"dry run: {missing} of {len(found) + missing} models of the stage {stage.name!r} are still to be trained.",
        file=sys.stderr,
    )
