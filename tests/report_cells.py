"""Cells of reports whose exact match can be chosen freely."""

from __future__ import annotations

from collections.abc import Sequence

from made_results import make_result

from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result
from lengthwise.report.statistics import Cell, summarize

Shares = Sequence[float]

YES_TASK, NO_TASK = "bin_majority", "repeat_copy"


def make_results(task: str, encoding: str, shares_by_seed: Sequence[Shares], *, train: int = 4) -> list[Result]:
    """Return a result per seed whose exact match in each bin is as given, out of 1000 instances at each bin's end."""
    num_bins = len(shares_by_seed[0])
    spec = Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=len(shares_by_seed),
        train_length=train,
        test_length=train * num_bins,
    )
    return [make_result(run, shares) for run, shares in zip(make_runs([spec]), shares_by_seed, strict=True)]


def cell_of(task: str, encoding: str, shares_by_seed: Sequence[Shares]) -> Cell:
    (cell,) = summarize(make_results(task, encoding, shares_by_seed))
    return cell
