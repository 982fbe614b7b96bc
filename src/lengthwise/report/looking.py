"""Which runs of a report are worth a look inside, and the command that looks: challenged predictions and failing runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .judging import RunOutcome
from .naming import Names, names_among
from .numbers import percent, show_multiple
from .pages import Block, Heading, Items, Line, Paragraph, Span
from .statistics import Cell

MOST_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptModels:
    """The store of a report, and the ids of the runs whose models were kept beside it."""

    store: str
    runs: frozenset[str]

    def command(self, run_id: str) -> str:
        """Return the command that shows where a run breaks."""
        return f"lengthwise inspect {run_id} --failures --store {shlex.quote(self.store)}"


def challenged_blocks(cells: Sequence[Cell], kept: KeptModels | None) -> list[Block]:
    """Return the predictions of NO that a run challenges, with what to do next; nothing if there is none."""
    challenged = [cell for cell in cells if cell.challengers]
    if not challenged:
        return []
    names = names_among(cells)
    several = len(challenged) > 1
    return [
        Heading("Challenged predictions"),
        Paragraph(
            f"{len(challenged)} {'predictions of NO are' if several else 'prediction of NO is'} challenged: a run is right on at least 99% "
            "at the longest tested lengths, and on all hard instances that it was tested on. Theory says that it must fail at "
            "some length. A NO counts as refuted only after somebody has looked inside the model."
        ),
        Items([_challenge(cell, cell.challengers[0], names, kept) for cell in challenged]),
    ]


def _challenge(cell: Cell, run: RunOutcome, names: Names, kept: KeptModels | None) -> Line:
    tested = "" if run.hard else " It was not tested on hard instances: run the same command with --hard."
    start = f"{names.in_full(cell)}: seed {run.seed} has {percent(run.by_bin[-1])} % at the longest lengths.{tested} "
    return [start, *_how_to_look(run, kept)]


def _how_to_look(run: RunOutcome, kept: KeptModels | None) -> list[str | Span]:
    if kept is not None and run.id in kept.runs:
        return ["Look inside: ", Span(kept.command(run.id), "code")]
    return [f"To look inside run {run.id}, train with --keep, then use lengthwise inspect."]


def failing_blocks(cells: Sequence[Cell], kept: KeptModels | None, most: int = MOST_LISTED) -> list[Block]:
    """Return the fitted runs that fail at longer lengths and whose models were kept, one for each cell, YES cells first."""
    if kept is None:
        return []
    found = list(_failing(cells, kept))
    if not found:
        return []
    found.sort(key=lambda pair: str(pair[0].verdict.answer) != "YES")  # a YES that fails is what needs an explanation
    names = names_among(cells)
    more = len(found) - most
    return [
        Heading("Failing runs"),
        Paragraph(
            "Runs that fit and fail at longer lengths. Each command shows the first position that breaks, margin and attention by "
            "length, and failing examples."
        ),
        Items([_failure(cell, run, names, kept) for cell, run in found[:most]]),
        *([Paragraph(f"… and {more} more {'cell' if more == 1 else 'cells'} with failing runs.")] if more > 0 else []),
    ]


def _failing(cells: Sequence[Cell], kept: KeptModels) -> Iterator[tuple[Cell, RunOutcome]]:
    """Yield for each cell the worst fitted run that fails and was kept."""
    for cell in cells:
        failing = [run for run in cell.fitted if not run.generalizes and run.id in kept.runs]
        if failing:
            yield cell, min(failing, key=lambda run: run.by_bin[cell.success] or 0.0)


def _failure(cell: Cell, run: RunOutcome, names: Names, kept: KeptModels) -> Line:
    share = percent(run.by_bin[cell.success])
    start = f"{names.in_full(cell)}, predicted {cell.verdict.answer}: seed {run.seed} has {share} % at {show_multiple(cell.success_at)}. "
    return [start, Span(kept.command(run.id), "code")]
