"""Bringing the runs of several stores into one. Nothing that is there is ever changed.

Runs are told apart by their id, the hash of their settings and revisions, so merging twice changes nothing. Each store is
read and checked as a whole before the first write, and its runs arrive in one transaction: a process that is killed leaves
all of them or none. Plans stay where they are, because the runs that they list may never be trained here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidOptionError
from .descriptions import Description, cell_key
from .rows import Result
from .store import open_store, read_store


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What became of the runs of one store, by id.

    ``equal`` runs were there already with the same results. ``conflicting`` runs were there with other results, which
    stay: the same run on another kind of processor gives slightly different numbers.
    """

    source: str
    new: tuple[str, ...]
    equal: tuple[str, ...]
    conflicting: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    source: str
    results: Sequence[Result]
    descriptions: Mapping[str, Description]


def merge_stores(into: str | Path, sources: Sequence[str | Path]) -> list[Merged]:
    """Add the runs of some stores to another one, made if need be; raise before any write if one of them is damaged."""
    for source in sources:
        if _is_same_file(source, into):
            raise InvalidOptionError(
                f"{str(source)!r} is the store to merge into.", hint="name only the other stores after it."
            )
    contents = [_read(source) for source in sources]
    merged = []
    with open_store(into) as store:
        known = {result.id: result for result in store.results()}
        described = set(store.descriptions())
        for content in contents:
            new = [result for result in content.results if result.id not in known]
            there = [result for result in content.results if result.id in known]
            missing = {cell_key(result.settings) for result in new} - described
            store.save_plan([], {key: value for key, value in content.descriptions.items() if key in missing})
            store.save(new)
            merged.append(
                Merged(
                    source=content.source,
                    new=tuple(result.id for result in new),
                    equal=tuple(result.id for result in there if is_same_result(result, known[result.id])),
                    conflicting=tuple(result.id for result in there if not is_same_result(result, known[result.id])),
                )
            )
            known |= {result.id: result for result in new}
            described |= missing
    return merged


def is_same_result(first: Result, second: Result) -> bool:
    """Return whether two runs gave the same: everything measured, but neither times nor where they were trained."""
    return _measured(first) == _measured(second)


def _measured(result: Result) -> str:
    """Return all measurements as text, in which a loss that is no number equals itself."""
    scores = {kind: sorted(own) for kind, own in sorted(result.other_scores.items())}
    return repr((result.steps, result.losses, sorted(result.scores), scores))


def _read(source: str | Path) -> _Content:
    with read_store(source) as store:
        return _Content(source=str(source), results=store.results(), descriptions=store.descriptions())


def _is_same_file(first: str | Path, second: str | Path) -> bool:
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):  # one of them is not there yet
        return False
