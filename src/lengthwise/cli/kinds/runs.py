"""The runs of a store: listed with their scores, or one in full."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from ...experiment import DEFAULT_STORE
from ...experiment.store import read_store
from ...report.run_list import describe_run, find_run, run_in_full, runs_table, scores_table, select_runs
from ..text import colour, paint, paragraph, print_json, print_note, width


def print_list(options: Namespace) -> None:
    """Print every run."""
    print_runs(options.store or DEFAULT_STORE, options)


def print_one(options: Namespace) -> None:
    """Print one run in full."""
    print_run(options.store or DEFAULT_STORE, options.name, options)


def print_runs(path: str, options: Namespace, tasks: Sequence[str] = (), encodings: Sequence[str] = ()) -> None:
    """Print the runs of a store, or those of some tasks and encodings."""
    with read_store(path) as store:
        results = select_runs(store.results(), tasks, encodings)
    table = runs_table(results)
    if options.json:
        print_json(table.to_json())
    elif results:
        print(table.to_text(width(), paint))
    else:
        print_note(f"the store {path!r} has no finished run yet.")


def print_run(path: str, name: str, options: Namespace) -> None:
    """Print everything about the run whose id begins with ``name``."""
    with read_store(path) as store:
        result = find_run(store.results(), name)
    if options.json:
        print_json(run_in_full(result))
        return
    lines = describe_run(result)
    indent = " " * (2 + max(len(title) for title, _ in lines))
    for title, text in lines:
        print(paragraph(text, indent, colour(title, "bold") + indent[len(title) :]))
    print(f"\n{scores_table(result).to_text(width(), paint)}")
