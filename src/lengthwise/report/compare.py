"""Two stores side by side: which cells moved by more than chance, which are in one store only, and which revisions differ.

A cell here is a task, an encoding and all settings except the seed. Its runs in the two stores are compared by exact tests:
the numbers of runs that fit and that generalize (Fisher), and the exact match where success is judged (Wilcoxon). The
p-values of each of these three questions are corrected for the number of cells (``exact_tests.adjust``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from ..experiment.settings import flat_settings, show_setting, varying_settings
from ..experiment.store import Result, read_store
from ..tables import Table
from ..tasks.core.lengths import LengthRange, default_success, success_bin
from .exact_tests import LEVEL, PValue, adjust, compare_rates, compare_values
from .judging import GENERALIZED
from .numbers import percent
from .statistics import description_of, is_fitted, share_in

_NOT_OF_A_CELL = ("seed", "hard", "generate", "task_revision", "encoding_revision", "trainer_revision")
_REVISIONS = ("task", "encoding", "trainer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The runs of a cell in one store: exact match where success is judged, and whether each run is fitted."""

    shares: tuple[float, ...]
    is_fitted: tuple[bool, ...]
    revisions: tuple[int, ...]
    older: int  # runs of other revisions in the same store, which are left out

    @property
    def num_fitted(self) -> int:
        """How many runs fit the training lengths."""
        return sum(self.is_fitted)

    @property
    def num_generalized(self) -> int:
        """How many of the fitted runs generalize."""
        return sum(share >= GENERALIZED for share in self.fitted_shares)

    @property
    def fitted_shares(self) -> tuple[float, ...]:
        """The exact match of the fitted runs."""
        return tuple(share for share, fitted in zip(self.shares, self.is_fitted, strict=True) if fitted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One comparison within a cell: what is compared, its values in both stores, and p-values.

    ``adjusted`` is None where no outcome with so many runs could have shown a difference.
    """

    what: str
    before: float
    after: float
    p: float
    adjusted: float | None

    @property
    def has_moved(self) -> bool:
        """Whether the two stores differ by more than chance."""
        return self.adjusted is not None and self.adjusted <= LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A cell that both stores have."""

    task: str
    encoding: str
    settings: Mapping[str, Any]
    judged_at: LengthRange
    before: Side
    after: Side
    predictions: tuple[str, str]
    questions: tuple[Question, ...]

    @property
    def revisions(self) -> dict[str, tuple[int, int]]:
        """The revisions that differ, before and after."""
        pairs = zip(_REVISIONS, self.before.revisions, self.after.revisions, strict=True)
        return {name: (before, after) for name, before, after in pairs if before != after}

    @property
    def remark(self) -> str:
        """What has changed, in a sentence."""
        moved = [
            f"{question.what} {'rose' if question.after > question.before else 'fell'}"
            for question in self.questions
            if question.has_moved
        ]
        if moved:
            said = "; ".join(moved)
        elif (self.before.shares, self.before.is_fitted) == (self.after.shares, self.after.is_fitted):
            said = "the same results"
        elif all(question.adjusted is None for question in self.questions):
            said = "too few runs to tell"
        else:
            said = "no change beyond noise"
        revised = ", ".join(f"{name} {before} → {after}" for name, (before, after) in self.revisions.items())
        predicted = "" if len(set(self.predictions)) == 1 else f"; prediction {' → '.join(self.predictions)}"
        older = self.before.older + self.after.older
        return (
            said
            + predicted
            + (f"; revision of {revised}" if revised else "")
            + (f"; {older} runs of other revisions left out" if older else "")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All cells of two stores: those that both have, and the first run of each cell that only one has."""

    changes: tuple[Change, ...]
    only_before: tuple[Result, ...]
    only_after: tuple[Result, ...]


def compare_stores(before: str | Path, after: str | Path) -> Comparison:
    """Return how the cells of two stores differ."""
    found = []
    for path in (before, after):
        with read_store(path) as store:
            found.append(store.results())
    return compare_results(*found)


def compare_results(before: Iterable[Result], after: Iterable[Result]) -> Comparison:
    """Return how the cells of two sets of runs differ."""
    cells_before, cells_after = _cells(before), _cells(after)
    shared = [key for key in cells_before if key in cells_after]
    sides = [_sides(cells_before[key], cells_after[key]) for key in shared]
    questions = _ask([(first, second) for _, first, second in sides])
    changes = [
        Change(
            task=cells_before[key][0].task,
            encoding=cells_before[key][0].encoding,
            settings=flat_settings(cells_before[key][0].settings),
            judged_at=bounds,
            before=first,
            after=second,
            predictions=(_prediction(cells_before[key]), _prediction(cells_after[key])),
            questions=asked,
        )
        for key, (bounds, first, second), asked in zip(shared, sides, questions, strict=True)
    ]
    return Comparison(
        changes=tuple(changes),
        only_before=tuple(results[0] for key, results in cells_before.items() if key not in cells_after),
        only_after=tuple(results[0] for key, results in cells_after.items() if key not in cells_before),
    )


def _cells(results: Iterable[Result]) -> dict[str, list[Result]]:
    cells: dict[str, list[Result]] = {}
    for result in results:
        same = {name: value for name, value in result.settings.items() if name not in _NOT_OF_A_CELL}
        cells.setdefault(json.dumps(same, sort_keys=True), []).append(result)
    return cells


def _sides(before: Sequence[Result], after: Sequence[Result]) -> tuple[LengthRange, Side, Side]:
    """Return where success is judged, by the first store, and the runs of both stores there."""
    described = description_of(before[0])
    bins = described.bins
    number = success_bin(bins, described.success_at or default_success(bins))
    bounds = bins[-1 if number is None else number]
    return bounds, _side(before, bounds), _side(after, bounds)


def _prediction(results: Sequence[Result]) -> str:
    return str(description_of(results[-1]).verdict.answer)


def _side(results: Sequence[Result], bounds: LengthRange) -> Side:
    """Return the runs of the revisions that were run last; a run with and without hard sets counts once."""
    latest = _revisions(max(results, key=lambda result: str(result.provenance.get("finished", ""))))
    by_seed = {result.seed: result for result in results if _revisions(result) == latest}
    runs = [by_seed[seed] for seed in sorted(by_seed)]
    return Side(
        shares=tuple(share_in(result, bounds) or 0.0 for result in runs),
        is_fitted=tuple(map(is_fitted, runs)),
        revisions=latest,
        older=sum(_revisions(result) != latest for result in results),
    )


def _revisions(result: Result) -> tuple[int, ...]:
    return tuple(result.settings[f"{name}_revision"] for name in _REVISIONS)


def _ask(pairs: Sequence[tuple[Side, Side]]) -> list[tuple[Question, ...]]:
    """Return the questions about each pair, with p-values corrected for the number of pairs."""
    families: list[list[tuple[str, float, float, PValue]]] = [[], [], []]
    for before, after in pairs:
        families[0].append(_fitted(before, after))
        families[1].append(_success(before, after))
        families[2].append(_median(before, after))
    asked = []
    for family in families:
        adjusted = adjust([test for *_, test in family])
        asked.append([_question(*entry, value) for entry, value in zip(family, adjusted, strict=True)])
    return list(zip(*asked, strict=True))


def _question(what: str, before: float, after: float, test: PValue, adjusted: Fraction | None) -> Question:
    return Question(
        what=what,
        before=before,
        after=after,
        p=float(test.value),
        adjusted=None if adjusted is None else float(adjusted),
    )


def _fitted(before: Side, after: Side) -> tuple[str, float, float, PValue]:
    runs = [len(side.shares) for side in (before, after)]
    test = compare_rates(before.num_fitted, runs[0], after.num_fitted, runs[1])
    return "share of fitted runs", before.num_fitted / runs[0], after.num_fitted / runs[1], test


def _success(before: Side, after: Side) -> tuple[str, float, float, PValue]:
    """Compare success among fitted runs; without any in one of the stores there is nothing to compare."""
    rate_before, rate_after = (side.num_generalized / max(1, side.num_fitted) for side in (before, after))
    test = compare_rates(before.num_generalized, before.num_fitted, after.num_generalized, after.num_fitted)
    return "success rate", rate_before, rate_after, test


def _median(before: Side, after: Side) -> tuple[str, float, float, PValue]:
    values = [side.fitted_shares for side in (before, after)]
    if not all(values):  # as in reports, all runs speak where none fitted
        values = [before.shares, after.shares]
    return "median", median(values[0]), median(values[1]), compare_values(*values)


# Output


def comparison_table(found: Comparison) -> Table:
    """Return a row for each cell that both stores have."""
    varying = varying_settings(change.settings for change in found.changes)
    header = ["task", "encoding", *varying, "fitted", "generalize", "median at", "in %", "p", "change"]
    rows = [
        [
            change.task,
            change.encoding,
            *(show_setting(change.settings[name]) for name in varying),
            _arrow(*(f"{side.num_fitted}/{len(side.shares)}" for side in (change.before, change.after))),
            _arrow(*(f"{side.num_generalized}/{side.num_fitted}" for side in (change.before, change.after))),
            str(change.judged_at),
            _arrow(*map(percent, (change.questions[2].before, change.questions[2].after))),
            _smallest_p(change.questions),
            change.remark,
        ]
        for change in found.changes
    ]
    kinds = {0: "name", **dict.fromkeys(range(2, len(header) - 1), "number"), len(header) - 1: "remark"}
    return Table(header=header, rows=rows, kinds=kinds, records=list(map(_change_to_json, found.changes)))


def only_in(found: Comparison) -> tuple[list[str], list[str]]:
    """Return the names of the cells that only the first or only the second store has, with the settings that vary."""
    cells = [*found.only_before, *found.only_after]
    varying = varying_settings(
        [*(change.settings for change in found.changes), *(flat_settings(cell.settings) for cell in cells)]
    )

    def name(cell: Result) -> str:
        settings = flat_settings(cell.settings)
        said = [f"{setting} {show_setting(settings[setting])}" for setting in varying]
        return f"{cell.task} × {cell.encoding}" + (f" ({', '.join(said)})" if said else "")

    return list(map(name, found.only_before)), list(map(name, found.only_after))


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _smallest_p(questions: Sequence[Question]) -> str:
    known = [question.adjusted for question in questions if question.adjusted is not None]
    return "–" if not known else "< 0.001" if min(known) < 0.001 else f"{min(known):.3f}"


LEGEND = (
    "First store → second store. Fitted: runs that fit the training lengths. Generalize: fitted runs with at least "
    f"{GENERALIZED:.0%} exact match where success is judged; median: of the fitted runs there, or of all where one store has "
    "none. p: the smallest of three exact tests (Fisher for both rates, Wilcoxon for the median), each corrected for the "
    f"number of cells (Holm and Tarone); a cell has changed where it is at most {float(LEVEL):g}. –: so few runs could not "
    "have shown a difference, whatever they gave."
)


def comparison_to_json(found: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON data."""
    return {
        "cells": list(map(_change_to_json, found.changes)),
        "only_in_first": list(map(_cell_to_json, found.only_before)),
        "only_in_second": list(map(_cell_to_json, found.only_after)),
    }


def _cell_to_json(result: Result) -> dict[str, Any]:
    return {"task": result.task, "encoding": result.encoding, "settings": flat_settings(result.settings)}


def _change_to_json(change: Change) -> dict[str, Any]:
    return {
        "task": change.task,
        "encoding": change.encoding,
        "settings": dict(change.settings),
        "lengths": [change.judged_at.low, change.judged_at.high],
        "first": _side_to_json(change.before),
        "second": _side_to_json(change.after),
        "tests": [
            {
                "what": question.what,
                "first": question.before,
                "second": question.after,
                "p": question.p,
                "adjusted": question.adjusted,
                "moved": question.has_moved,
            }
            for question in change.questions
        ],
        "predicted": list(change.predictions),
        "revisions": {name: list(pair) for name, pair in change.revisions.items()},
        "remark": change.remark,
    }


def _side_to_json(side: Side) -> dict[str, Any]:
    return {
        "runs": len(side.shares),
        "fitted": side.num_fitted,
        "generalize": side.num_generalized,
        "exact_match": list(side.shares),
        "left_out": side.older,
    }
