"""The cells of a report as JSON data; docs/reference/json.md has every field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..tasks.audit.results import Audit
from .intervals import Interval, SuccessRate
from .judging import RunOutcome
from .statistics import Cell


def to_json(cells: Sequence[Cell]) -> list[dict[str, object]]:
    """Return the cells as JSON data."""
    return list(map(cell_to_json, cells))


def cell_to_json(cell: Cell) -> dict[str, object]:
    """Return one cell as JSON data."""
    return {
        "task": cell.task,
        "encoding": cell.encoding,
        "settings": _lists(cell.settings),
        "predicted": str(cell.verdict.answer),
        "theorem": cell.verdict.theorem,
        "reason": cell.verdict.reason,
        "readout": str(cell.verdict.readout),
        "measured": str(cell.measured),
        "agrees": cell.agrees,
        "standing": str(cell.standing),
        "remark": cell.remark,
        "challenged_by": [run.id for run in cell.challengers],
        "may_challenge": [run.id for run in cell.may_challenge],
        "processors": list(cell.origins),
        "runs": cell.num_runs,
        "fitted": cell.num_fitted,
        "generalize": cell.num_generalized,
        "success_rate": _rate(cell.rate),
        "interval_of_medians": "range" if cell.has_ranges else "95%",
        "bins": _bins(cell, cell.by_bin),
        "success_at": cell.success_at,
        "best": cell.best,
        "each_run": [_run(run) for run in cell.runs],
        **({} if cell.room is None else {"room": cell.room}),
        **({} if cell.audit is None else {"baselines": _baselines(cell, cell.audit)}),
        **({"decoding": _bins(cell, cell.decoding)} if cell.decoding else {}),
        **({"hard": {kind: _bins(cell, values) for kind, values in cell.hard.items()}} if cell.hard else {}),
    }


def flat_record(cell: Cell, columns: Sequence[str]) -> dict[str, object]:
    """Return a cell as one flat line of data, for a data frame, with the settings that vary as columns."""
    data = cell_to_json(cell)
    settings = _lists({name: cell.settings[name] for name in columns})
    rate = cell.rate
    medians = {
        f"median_{bounds.low}_{bounds.high}": numbers(value)["median"]
        for bounds, value in zip(cell.bins, cell.by_bin, strict=True)
    }
    return {
        "task": cell.task,
        "encoding": cell.encoding,
        **settings,
        **{name: data[name] for name in _KNOWN},
        "rate_low": None if rate is None else rate.low,
        "rate_high": None if rate is None else rate.high,
        **medians,
    }


_KNOWN = (
    "predicted",
    "measured",
    "agrees",
    "standing",
    "runs",
    "fitted",
    "generalize",
    "success_at",
    "best",
)


def _lists(settings: Mapping[str, object]) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def _rate(rate: SuccessRate | None) -> dict[str, float] | None:
    return None if rate is None else {"share": rate.share, "low": rate.low, "high": rate.high}


def _run(run: RunOutcome) -> dict[str, object]:
    return {
        "run": run.id,
        "seed": run.seed,
        "fitted": run.fitted,
        "generalizes": run.generalizes,
        "shares": list(run.by_bin),
    }


def _baselines(cell: Cell, audit: Audit) -> list[dict[str, object]]:
    """Return chance, the best shortcut and the number of instances of a run in each bin."""
    best = [audit.best(number) for number in range(len(audit.bins))]
    return [
        {
            "lengths": [bounds.low, bounds.high],
            "instances": cell.examples[number],
            "chance": audit.chance.shares[number],
            "shortcut": best[number].shares[number],
            "rule": best[number].name,
            "inherent": best[number].inherent,
        }
        for number, bounds in enumerate(cell.bins)
    ]


def _bins(cell: Cell, values: Sequence[Interval]) -> list[dict[str, object]]:
    return [
        {"lengths": [bounds.low, bounds.high], **numbers(value)}
        for bounds, value in zip(cell.bins, values, strict=True)
    ]


def numbers(value: Interval) -> dict[str, float | None]:
    """Return an interval as JSON data, where a bin without instances has no numbers: NaN is not JSON."""
    known = value.num_runs > 0
    return {name: getattr(value, name) if known else None for name in ("median", "low", "high")}
