"""Runs one by one: a row for each of them, and everything about one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import InvalidOptionError, UnknownNameError, listed
from ..experiment.settings import flat_settings, is_worth_saying, show_setting, varying_settings
from ..experiment.store import Result
from ..tables import Table
from ..tasks.core.lengths import LengthRange, length_bins
from .numbers import percent
from .run_table import LARGEST_NUMBER, run_values
from .statistics import fit_share, is_fitted, share_of

SHORT_ID = 8
"""Characters of a run's id in a table; any beginning that only one run has names it."""


def select_runs(results: Iterable[Result], tasks: Sequence[str] = (), encodings: Sequence[str] = ()) -> list[Result]:
    """Return the runs of these tasks and encodings, of all where none is named; raise for a name that no run has."""
    found = list(results)
    for kind, wanted in (("task", tasks), ("encoding", encodings)):
        known = list(dict.fromkeys(getattr(result, kind) for result in found))
        for name in wanted:
            if name not in known:
                raise InvalidOptionError(
                    f"no run of the store has the {kind} {name!r}. It has: {listed(known) or 'no run at all'}.",
                    hint=f"write the {kind} as the store does.",
                )
    return [
        result
        for result in found
        if (not tasks or result.task in tasks) and (not encodings or result.encoding in encodings)
    ]


def find_run(results: Iterable[Result], name: str) -> Result:
    """Return the run whose id is ``name`` or begins with it; raise if none or several do."""
    found = [result for result in results if result.id.startswith(name)] if name else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownNameError(f"no run has an id that begins with {name!r}.", hint="'lengthwise store ls' lists them.")
    raise UnknownNameError(
        f"{len(found)} runs have ids that begin with {name!r}: {listed(result.id for result in found)}.",
        hint="give more characters.",
    )


def bins_of(result: Result) -> tuple[LengthRange, ...]:
    """Return the bins of length of a run."""
    return length_bins(result.settings["train_length"], result.settings["test_length"])


def runs_table(results: Sequence[Result]) -> Table:
    """Return a row for each run: the settings that vary, its fit, and its exact match in each bin, in percent."""
    flat = [flat_settings(result.settings) for result in results]
    varying = varying_settings(flat)
    bins = {bins_of(result) for result in results}
    most = max(map(len, bins), default=0)
    titles = [str(bounds) for bounds in next(iter(bins))] if len(bins) == 1 else [f"bin {n + 1}" for n in range(most)]
    header = ["run", "task", "encoding", *varying, "seed", "steps taken", "fit", *titles]
    rows = []
    for result, settings in zip(results, flat, strict=True):
        shares = [percent(share_of(result.scores, bounds)) for bounds in bins_of(result)]
        rows.append(
            [
                result.id[:SHORT_ID],
                result.task,
                result.encoding,
                *(show_setting(settings[name]) for name in varying),
                str(result.seed),
                str(result.steps),
                percent(fit_share(result)),
                *shares,
                *[""] * (most - len(shares)),
            ]
        )
    kinds = {0: "name", 1: "name", **dict.fromkeys(range(3, len(header)), "number")}
    return Table(header=header, rows=rows, kinds=kinds, records=list(map(run_to_json, results)))


def run_to_json(result: Result) -> dict[str, Any]:
    """Return a run as JSON data: its values in the table of runs and lengths, its fit, and its exact match in each bin."""
    bins = [
        {"lengths": [bounds.low, bounds.high], "exact_match": share_of(result.scores, bounds)}
        for bounds in bins_of(result)
    ]
    return {**run_values(result), "fit": fit_share(result), "bins": bins}


def run_in_full(result: Result) -> dict[str, Any]:
    """Return everything that a store holds about a run as JSON data."""
    described = result.description
    return {
        **run_to_json(result),
        "definition": None if described is None else described.definition,
        "theorem": None if described is None else described.verdict.theorem,
        "reason": None if described is None else described.verdict.reason,
        "settings": dict(result.settings),
        "provenance": dict(result.provenance),
        "losses": [[step, value if abs(value) < LARGEST_NUMBER else None] for step, value in result.losses],
        "scores": {kind: [list(score) for score in scores] for kind, scores in _all_scores(result).items()},
    }


def _all_scores(result: Result) -> dict[str, Sequence[tuple[int, int, int]]]:
    return {"random": result.scores, **result.other_scores}


def describe_run(result: Result) -> list[tuple[str, str]]:
    """Return what there is to say about a run, each with its name."""
    described, origin = result.description, result.provenance
    lines = [("run", result.id), ("task", result.task)]
    if described is not None:
        verdict = described.verdict
        lines += [
            ("definition", described.definition),
            ("predicted", f"{verdict.answer}: {verdict.reason} (theorem {verdict.theorem})"),
        ]
    settings = flat_settings(result.settings)
    shown = ", ".join(
        f"{name} {show_setting(value)}" for name, value in settings.items() if is_worth_saying(name, value)
    )
    revisions = ", ".join(f"{kind} {result.settings[f'{kind}_revision']}" for kind in ("task", "encoding", "trainer"))
    lines += [
        ("encoding", result.encoding),
        ("seed", str(result.seed)),
        ("settings", shown),
        ("revisions", revisions),
        ("training", f"{result.steps} steps, {result.seconds:.3g} s{_last_loss(result)}"),
        ("fit", f"{percent(fit_share(result))} %, {'fitted' if is_fitted(result) else 'not fitted'}"),
        ("made by", ", ".join(f"{name} {value}" for name, value in origin.items())),
    ]
    return lines


def _last_loss(result: Result) -> str:
    loss = run_values(result)["loss"]
    return "" if loss is None else f", last loss {loss:.3g}"


def scores_table(result: Result) -> Table:
    """Return the exact match of a run in each bin: a row for each kind of instances."""
    bins = bins_of(result)
    rows = [
        [
            kind,
            *(percent(share_of(scores, bounds)) for bounds in bins),
            str(sum(examples for _, examples, _ in scores)),
        ]
        for kind, scores in _all_scores(result).items()
    ]
    header = ["exact match in %", *map(str, bins), "instances"]
    return Table(header=header, rows=rows, kinds=dict.fromkeys(range(1, len(header)), "number"))
