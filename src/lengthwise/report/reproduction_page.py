"""The page of a reproduction: every counted run, published beside measured, in one self-contained file."""

from __future__ import annotations

from collections.abc import Sequence

from ..experiment.store import Result
from ..papers.paper import Paper
from ..tasks.catalog import find_task
from ..theory.theorems import MEANINGS
from .figures import Column, draw_runs
from .page import describe_training, render
from .reproduction import Comparison
from .reproduction_tables import DIFFERENCES, legend, summary, wide_header, wide_rows


def make_reproduction_page(paper: Paper, comparisons: Sequence[Comparison], results: Sequence[Result]) -> str:
    """Return the page; ``results`` are the runs that the measured figures come from."""
    return render(
        "reproduction.html.j2",
        title=f"{paper.name}: published beside measured",
        paper=paper,
        summary=summary(comparisons),
        legend=legend(paper),
        header=wide_header(comparisons),
        rows=wide_rows(comparisons),
        panels=_panels(paper, comparisons),
        differences_title=DIFFERENCES,
        meanings=MEANINGS,
        method=describe_training(results) if results else "Nothing was trained yet.",
    )


def _panels(paper: Paper, comparisons: Sequence[Comparison]) -> list[dict[str, object]]:
    tasks = dict.fromkeys(each.published.task for each in comparisons)
    panels: list[dict[str, object]] = []
    for task in tasks:
        group = [each for each in comparisons if each.published.task == task]
        columns = [column for number, each in enumerate(group) for column in _columns(number, each)]
        what = f"Exact match of every counted run for {task}, by length; " + "; ".join(map(_at_longest, group)) + "."
        panels.append(
            {
                "task": task,
                "definition": find_task(task).definition,
                "cells": group,
                "svg": draw_runs(what, [str(bounds) for bounds in paper.bins], columns),
            }
        )
    return panels


def _columns(number: int, each: Comparison) -> list[Column]:
    sides = (("published", each.published.bins), ("measured", each.bins))
    return [
        Column(
            label=f"{each.published.encoding}, {label}",
            series=number,
            is_ours=label == "measured",
            bins=tuple(spread.values for spread in bins),
        )
        for label, bins in sides
    ]


def _at_longest(each: Comparison) -> str:
    measured = f"{each.bins[-1].mean:.1%}" if each.bins else "nothing"
    return (
        f"{each.published.encoding} at the longest: published {each.published.bins[-1].mean:.1%}, measured {measured}"
    )
