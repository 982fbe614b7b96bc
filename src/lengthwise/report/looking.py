"""Which runs of a report are worth a look inside, and the command that looks: challenged predictions and failing runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..tasks.core.lengths import MOST_LENGTH
from .judging import RunOutcome, advice_on_pumped_pairs, beyond_training
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

    def command(self, run_id: str, lengths: str | None = None) -> str:
        """Return the command that shows where a run breaks, at the lengths that it was tested on or at others."""
        at = f" --lengths {lengths}" if lengths else ""
        return f"lengthwise inspect {run_id} --failures{at} --store {shlex.quote(self.store)}"


def longer_lengths(longest: int, room: int | None) -> str | None:
    """Return the lengths up to twice the longest tested one, as far as there is room for positions; None if there is none.

    >>> longer_lengths(30, None), longer_lengths(30, 45), longer_lengths(30, 30)
    ('31-60', '31-45', None)
    """
    last = min(2 * longest, MOST_LENGTH if room is None else room)
    return f"{longest + 1}-{last}" if last > longest else None


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
            f"{len(challenged)} {'predictions of NO are' if several else 'prediction of NO is'} challenged: a run has at least 99% "
            "at the longest tested lengths, and on hard instances longer than in training, pumped pairs among them. Theory says "
            "that it must fail at some length. A NO counts as refuted only after somebody has looked inside the model."
        ),
        Items([_challenge(cell, cell.challengers[0], names, kept) for cell in challenged]),
    ]


def untested_blocks(cells: Sequence[Cell], kept: KeptModels | None, most: int = MOST_LISTED) -> list[Block]:
    """Return the runs that may challenge a NO and were tested on no pumped pair, one for each cell; nothing if there is none."""
    found = [cell for cell in cells if cell.may_challenge and not cell.challengers]
    if not found:
        return []
    names = names_among(cells)
    more = len(found) - most
    return [
        Heading("Predictions that may be challenged"),
        Paragraph(
            "A run has at least 99% at the longest tested lengths although a NO is predicted. It challenges the NO only if it is also "
            "right on pumped pairs longer than in training, which are made from the proof, and it was not tested on such pairs."
        ),
        Items([_possible_challenge(cell, cell.may_challenge[0], names, kept) for cell in found[:most]]),
        *([Paragraph(f"… and {more} more {'cell' if more == 1 else 'cells'} with such runs.")] if more > 0 else []),
    ]


def _challenge(cell: Cell, run: RunOutcome, names: Names, kept: KeptModels | None) -> Line:
    return [_right_at_the_end(cell, run, names), *_how_to_look(cell, run, kept)]


def _possible_challenge(cell: Cell, run: RunOutcome, names: Names, kept: KeptModels | None) -> Line:
    advice = advice_on_pumped_pairs(run)
    start = _right_at_the_end(cell, run, names)
    return [f"{start}{advice[0].upper()}{advice[1:]}. ", *_how_to_look(cell, run, kept)]


def _right_at_the_end(cell: Cell, run: RunOutcome, names: Names) -> str:
    share = percent(beyond_training(run.by_bin)[-1])
    return f"{names.in_full(cell)}: seed {run.seed} has {share} % at the longest lengths. "


def _how_to_look(cell: Cell, run: RunOutcome, kept: KeptModels | None) -> list[str | Span]:
    """Say how to look for failures beyond the tested lengths, or at these where there are no positions beyond."""
    lengths = longer_lengths(cell.bins[-1].high, cell.room)
    if kept is not None and run.id in kept.runs:
        return [
            "Look for longer instances that fail: " if lengths else "Look inside: ",
            Span(kept.command(run.id, lengths), "code"),
        ]
    at = f" --failures --lengths {lengths}" if lengths else ""
    return [
        f"To look inside run {run.id}, train with --keep, then use ",
        Span(f"lengthwise inspect {run.id}{at}", "code"),
        ".",
    ]


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
