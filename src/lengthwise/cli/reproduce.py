"""The command that repeats a paper: published beside measured."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ..errors import InvalidOptionError
from ..experiment.engines.local import choose_device
from ..experiment.plan import Run, StackPlan, make_groups
from ..experiment.run import run_experiment
from ..experiment.spec import Spec
from ..experiment.store import Result, read_store
from ..files import make_folder_of, write_text
from ..papers import chen2025
from ..papers.catalog import find_paper
from ..papers.paper import Cell, Paper
from ..report.reproduction import compare
from ..report.reproduction_page import make_reproduction_page
from ..report.reproduction_tables import DIFFERENCES, header, legend, markdown, rows, summary, to_json
from .reproduce_grid import reproduce_grid
from .running import Bars
from .text import paragraph, print_json, table


def reproduce(options: Namespace) -> int:
    """Train what is missing of a paper's cells, then print and write what was published beside what was measured."""
    if options.paper == chen2025.NAME:
        return reproduce_grid(options, _train)
    paper = find_paper(options.paper)
    if options.part:
        raise InvalidOptionError(
            f"{paper.name} has no parts; found --part {' '.join(options.part)}.",
            hint="leave --part out, or use --only.",
        )
    only = [name.strip() for group in options.only or [] for name in group.split(",")]
    cells = paper.cells(quick=options.quick, only=only, seeds=options.seeds)
    specs = [cell.spec for cell in cells if cell.spec is not None]
    store = options.store or f"{paper.name}.sqlite"
    page = options.out or (None if options.dry_run else f"{paper.name}.html")
    for path in filter(None, (page, options.markdown)):
        make_folder_of(path)
    if options.dry_run:
        results = _look(specs, store, quiet=options.json)
    else:
        results = _train(specs, store, options) if specs else []
    _publish(paper, cells, results, page, options)
    return 0


def _train(specs: Sequence[Spec], store: str, options: Namespace) -> list[Result]:
    """Train what is not in the store yet; return all results."""

    def begin(stacks: list[StackPlan], reused: int) -> None:
        if stacks and not options.json and choose_device(options.device) == "cpu":
            work = _work([run for stack in stacks for run in stack.runs])
            print(f"note: without a GPU this takes long: {work}.", file=sys.stderr)
        bars.begin(stacks, reused)

    try:
        with Bars(quiet=options.json) as bars:
            outcome = run_experiment(
                specs,
                store,
                workers=options.workers,
                device=options.device,
                models_per_stack=options.models_per_stack,
                on_plan=begin,
                on_event=bars.update,
            )
    except KeyboardInterrupt:
        print(
            f"what is finished is kept in {store!r}: the same command goes on with what is missing, and with --dry-run it "
            "shows what is there.",
            file=sys.stderr,
        )
        raise
    return list(outcome.results)


def _look(specs: Sequence[Spec], store: str, *, quiet: bool) -> list[Result]:
    """Return what is in the store, and say what there would be to do."""
    runs = [run for spec in specs for group in make_groups(spec) for run in group]
    results: list[Result] = []
    if Path(store).exists():
        with read_store(store) as opened:
            results = opened.results_of(runs)
    finished = {result.id for result in results}
    missing = [run for run in runs if run.id not in finished]
    if not quiet:
        to_do = f"{len(missing)} of {len(runs)} models are still to be trained"
        print(f"dry run: {to_do}{f', {_work(missing)}' if missing else ''}.", file=sys.stderr)
    return results


def _work(runs: Sequence[Run]) -> str:
    steps = sum(run.training.steps for run in runs)
    if not any(run.training.stop_early for run in runs):
        return f"{steps:,} model·steps"
    return f"up to {steps:,} model·steps, as a model stops when it is right on all training lengths"


def _publish(paper: Paper, cells: Sequence[Cell], results: list[Result], page: str | None, options: Namespace) -> None:
    comparisons = compare(cells, results)
    if page is not None:
        write_text(page, make_reproduction_page(paper, comparisons, results))
    if options.markdown:
        write_text(options.markdown, markdown(paper, comparisons))
    if options.json:
        print_json(to_json(paper, comparisons))
    else:
        print(table(header(comparisons), rows(comparisons), coloured=2))
        print()
        print(paragraph(summary(comparisons)))
        print(paragraph(legend(paper)))
        print(f"{DIFFERENCES}:")
        for difference in paper.differences:
            print(paragraph(difference, "    ", "  - "))
    if page is not None:
        print(f"report: {Path(page).resolve()}", file=sys.stderr)
