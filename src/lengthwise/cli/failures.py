"""What ``inspect --failures`` says: where a model breaks, by length, and failing examples with their tokens aligned."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidOptionError, unknown_name
from ..markup import visible
from ..report.looking import longer_lengths
from ..report.numbers import percent, show_number
from ..tasks.core.lengths import MOST_LENGTH, LengthRange
from .text import colour, paragraph, passing_line, print_json, table, width

if TYPE_CHECKING:
    from ..experiment.plan import Run
    from ..model.inspection.failures import Breaks, Example, Failures
    from ..model.transformer import Transformer
    from ..tasks.core.task import Task

_LEGEND = (
    "By length (* longer than in training): exact match; among the scored positions of a failing instance, the first wrong one (median, "
    "then the range); the mean margin of the right output and its 1 % quantile, negative where it is wrong; and the mean of each head's "
    "largest attention weight. A weight that falls with length means that attention is spread over more and more positions."
)
_EXAMPLES = (
    "Below each token: what should come next (right), and what the model says (model); ^ is the first that is wrong."
)
_SETS = " These are sets of symbols; $ is the end of the word, ∅ no symbol."
_AROUND = 6  # places that are shown after the first wrong one, where not all have room


def tested_on(task: Task, run: Run, given: Task | None, kind: str | None) -> Task:
    """Return the task of a model, or the hard set of it that is asked for."""
    from ..tasks.core.catalog import find_packaged_task
    from ..tasks.core.without_bos import without_bos
    from ..tasks.hard.apply import KINDS, hard_sets

    if kind is None:
        return task
    own = hard_sets(find_packaged_task(run.task) if given is None else given)
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS)
    if kind not in own:
        raise InvalidOptionError(
            f"{run.task!r} has no hard instances of the kind {kind!r}. It has: {', '.join(own) or 'none'}.",
            hint="choose one of these, or leave --hard out.",
        )
    return without_bos(own[kind]) if run.model.no_bos else own[kind]


def print_failures(model: Transformer, run: Run, task: Task, options: Namespace) -> None:
    """Print where a model breaks."""
    from ..model.inspection.failures import find_failures
    from ..tasks.core.task import Objective

    kind = options.hard or ""
    lengths = _lengths_of(run, options.lengths)
    with passing_line(hidden=options.json) as show:
        found = find_failures(
            model,
            task,
            run.bins[0].high,
            lengths.high,
            first_length=lengths.low,
            instances=options.instances,
            report=show,
        )
    if options.json:
        print_json({"run": run.id, "settings": run.settings, "failures": failures_to_json(found, kind)})
        return
    title = f"{run_in_print(run)}: trained up to length {found.trained_length}"
    are_sets = task.objective is Objective.NEXT_SYMBOLS
    longer = longer_lengths(lengths.high, run.room)
    print("\n".join([colour(title, "bold"), "", *failure_lines(found, kind=kind, are_sets=are_sets, longer=longer)]))


def _lengths_of(run: Run, given: str | None) -> LengthRange:
    """Return the lengths to look at: those that are given, or all that the run was tested on."""
    if given is None:
        return LengthRange(low=1, high=run.bins[-1].high)
    found = re.fullmatch(r"([1-9]\d{0,5})[-–]([1-9]\d{0,5})", given, re.ASCII)
    low, high = (int(found[1]), int(found[2])) if found else (1, 0)
    if not low <= high <= MOST_LENGTH:
        raise InvalidOptionError(
            f"--lengths must be LOW-HIGH, two lengths from 1 to {MOST_LENGTH}; found {given!r}.",
            hint=f"for example {longer_lengths(run.bins[-1].high, None)}.",
        )
    if run.room is not None and high > run.room:
        raise InvalidOptionError(
            f"{run.encoding!r} has positions up to length {run.room} in this run; found --lengths {given}.",
            hint="train it again with a larger room.",
        )
    return LengthRange(low=low, high=high)


def run_in_print(run: Run) -> str:
    """Return what tells a run from others."""
    return f"{run.task} × {run.encoding}, seed {run.seed}, run {run.id}"


def failure_lines(found: Failures, *, kind: str = "", are_sets: bool = False, longer: str | None = None) -> list[str]:
    """Return where a model breaks, in print; ``kind`` names the hard set, ``longer`` the lengths to look at if nothing failed."""
    on = f"hard instances ({kind})" if kind else "random instances"
    heads = [f"{head.layer + 1}.{head.head + 1}" for head in found.by_length[0].measured.heads]
    header = ("length", "match", "first wrong", "of", "margin", "low", *(f"head {head}" for head in heads))
    lines = [
        colour(f"Where it breaks, on {on}", "bold"),
        paragraph(_LEGEND),
        table(header, [_row(breaks, found.trained_length) for breaks in found.by_length]),
        "",
    ]
    if found.example_length is None:
        return [
            *lines,
            "No instance of these lengths failed." + (f" Longer ones: --lengths {longer}." if longer else ""),
        ]
    lines.append(colour(f"Failing examples of length {found.example_length}", "bold"))
    lines.append(paragraph(_EXAMPLES + _SETS * are_sets))
    for example in found.examples:
        lines += ["", *aligned(example, width())]
    return lines


def _row(breaks: Breaks, trained: int) -> list[str]:
    at, first = breaks.measured, breaks.first_wrong
    where = "–" if breaks.usual is None else f"{breaks.usual:g} ({first[0]}–{first[-1]})"
    return [
        f"{at.length}" if at.length <= trained else f"{at.length} *",
        percent(at.matched, "%"),
        where,
        str(breaks.scored),
        show_number(at.margin),
        show_number(at.low),
        *(f"{head.largest:.2f}" for head in at.heads),
    ]


def aligned(example: Example, room: int) -> list[str]:
    """Return an example as four lines with its tokens in columns; where it is too wide, the places around the first wrong one.

    The lines are the tokens, what should come next, what the model says, and a mark below the first that is wrong.
    """
    rows = [[visible(cell) for cell in row] for row in (example.tokens, example.expected, example.given)]
    widths = [max(1, *map(len, column)) for column in zip(*rows, strict=True)]
    start, end = _shown(widths, example.first, room - len("tokens  … ") - 2)
    mark = ["^" if place == example.first else "" for place in range(len(widths))]
    before, after = ("… " if start else "  "), (" …" if end < len(widths) else "")
    lines = []
    for name, row in zip(("tokens", "right", "model", ""), (*rows, mark), strict=True):
        cells = " ".join(cell.ljust(room) for cell, room in zip(row[start:end], widths[start:end], strict=True))
        lines.append(
            f"{name:8}{before if name == 'tokens' else '  '}{cells}{after if name == 'tokens' else ''}".rstrip()
        )
    return lines


def _shown(widths: Sequence[int], first: int, room: int) -> tuple[int, int]:
    """Return from where to where places are shown: some after the first wrong one, and as many before as there is room for."""
    end = min(len(widths), first + 1 + _AROUND)
    while end > first + 1 and sum(widths[first:end]) + end - first > room:
        end -= 1
    start = end
    while start and sum(widths[start - 1 : end]) + end - start <= room:
        start -= 1
    while not start and end < len(widths) and sum(widths[: end + 1]) + end <= room:
        end += 1
    return start, end


def failures_to_json(found: Failures, kind: str) -> dict[str, Any]:
    """Return where a model breaks as JSON data."""
    return {
        "instances_of": kind or "random",
        "lengths": [
            {
                "length": breaks.measured.length,
                "instances": breaks.measured.instances,
                "matched": breaks.measured.matched,
                "scored": breaks.scored,
                "first_wrong": list(breaks.first_wrong),
                "margin": breaks.measured.margin,
                "low": breaks.measured.low,
                "largest_weights": [head.largest for head in breaks.measured.heads],
            }
            for breaks in found.by_length
        ],
        "example_length": found.example_length,
        "examples": [
            {
                "tokens": list(example.tokens),
                "right": list(example.expected),
                "model": list(example.given),
                "first_wrong": example.first,
            }
            for example in found.examples
        ],
    }
