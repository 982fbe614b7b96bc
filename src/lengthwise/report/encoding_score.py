"""The row of an encoding: what its conformance, its cost and its runs on reference cells come to, among all measured encodings.

Reference cells are the problems of one setting that were measured with nearly all encodings. The encoding is trained on them
with the same settings, and placed by the share of its runs that generalize. A run that does not fit counts as one that does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from ..encodings.core.choice import find_encoding
from ..evidence.measured import Measured, Setting, all_cells
from ..evidence.success_rates import success_rate
from ..experiment.grid import Grid
from ..experiment.plan import StackPlan, make_runs
from ..experiment.run import run_experiment
from ..experiment.trials import Trials, trials_file
from ..predict.predict import predict_task
from ..tables import Table
from ..tasks.core.catalog import find_packaged_task
from .statistics import Cell, summarize

RIVAL = "rope"
"""The encoding that costs are compared with."""
_NEARLY_ALL = 0.8  # of the encodings of a setting, with which a reference problem was measured
QUICK_PROBLEMS, QUICK_SEEDS = 3, 2
_DRAWS = 2000
_PRIOR = 0.5  # Jeffreys' prior of a success rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What an encoding costs next to RoPE in a model of the setting: parameters, and processor time of a training step."""

    parameters: int
    parameters_of_rival: int
    step: float  # seconds, on one thread of this machine's processor
    step_of_rival: float

    @property
    def times(self) -> float:
        """How many times as long a step takes."""
        return self.step / self.step_of_rival


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference problem: the runs of the encoding, and those of all measured encodings."""

    problem: str
    answer: str
    own: tuple[int, int, int]  # runs, fitted, generalized
    others: Mapping[str, tuple[int, int]]  # runs and generalized, by encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The mean share of runs that generalize over the reference problems, and the rank by it, each with a 95 % interval."""

    share: float
    low: float
    high: float
    rank: int
    best_rank: int
    worst_rank: int
    num_encodings: int  # with the one that is placed


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingScore:
    """The whole row."""

    encoding: str
    setting: Setting
    seeds: int
    passed: int
    failures: tuple[tuple[str, str], ...]  # checks with what went wrong
    skipped: int
    cost: Cost
    references: tuple[Reference, ...]

    @property
    def place(self) -> Place:
        """Where the encoding stands."""
        return find_place(self.references)

    @property
    def shares(self) -> dict[str, float]:
        """The mean share of every encoding that was measured on all reference problems, the best first."""
        shares = {name: fmean(_share(row.others[name]) for row in self.references) for name in rivals(self.references)}
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    @property
    def table(self) -> Table:
        """A row for each reference problem."""
        rows = []
        for row in self.references:
            runs, fitted, good = row.own
            rate = success_rate(good, runs)
            middle = median(map(_share, row.others.values()))
            rows.append(
                [
                    row.problem,
                    row.answer,
                    f"{fitted}/{runs}",
                    f"{good}/{runs} ({rate.low:.2f}–{rate.high:.2f})",
                    f"{middle:.2f}",
                ]
            )
        header = ["problem", "predicted", "fitted", "generalize (95 % interval)", "median encoding"]
        return Table(header=header, rows=rows, kinds={0: "name", 1: "answer", 2: "number", 3: "number", 4: "number"})

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON data, in the shape that docs/reference/json.md documents."""
        place = self.place
        return {
            "encoding": self.encoding,
            "setting": self.setting.name,
            "seeds": self.seeds,
            "conformance": {
                "passed": self.passed,
                "failed": [{"check": check, "failure": failure} for check, failure in self.failures],
                "skipped": self.skipped,
            },
            "cost": {
                "parameters": self.cost.parameters,
                "parameters_of_rope": self.cost.parameters_of_rival,
                "step_seconds": self.cost.step,
                "step_seconds_of_rope": self.cost.step_of_rival,
            },
            "cells": [
                {"problem": row.problem, "answer": row.answer}
                | dict(zip(("runs", "fitted", "generalize"), row.own, strict=True))
                for row in self.references
            ],
            "share": round(place.share, 4),
            "interval": [round(place.low, 4), round(place.high, 4)],
            "rank": place.rank,
            "rank_interval": [place.best_rank, place.worst_rank],
            "encodings": place.num_encodings,
            "shares": {name: round(share, 4) for name, share in self.shares.items()},
        }


def _share(counts: tuple[int, int]) -> float:
    runs, good = counts
    return good / runs


def rivals(references: Sequence[Reference]) -> list[str]:
    """Return the encodings that were measured on all reference problems."""
    return [name for name in references[0].others if all(name in row.others for row in references)]


def find_place(references: Sequence[Reference]) -> Place:
    """Return where an encoding stands; intervals come from drawing the success rate of every cell by its counts.

    They tell what more seeds could change on these problems. What other problems would change they do not.
    """
    names = rivals(references)
    draw = random.Random(0)

    def drawn(runs: int, good: int) -> float:
        return draw.betavariate(good + _PRIOR, runs - good + _PRIOR)

    shares, ranks = [], []
    for _ in range(_DRAWS):
        own = fmean(drawn(row.own[0], row.own[2]) for row in references)
        others = (fmean(drawn(*row.others[name]) for row in references) for name in names)
        shares.append(own)
        ranks.append(1 + sum(other > own for other in others))
    shares.sort()
    ranks.sort()
    cut = _DRAWS // 40
    share = fmean(row.own[2] / row.own[0] for row in references)
    return Place(
        share=share,
        low=min(share, shares[cut]),
        high=max(share, shares[-1 - cut]),
        rank=1 + sum(fmean(_share(row.others[name]) for row in references) > share for name in names),
        best_rank=ranks[cut],
        worst_rank=ranks[-1 - cut],
        num_encodings=len(names) + 1,
    )


def reference_cells(cells: Iterable[Measured] | None = None) -> tuple[Setting, dict[str, dict[str, Measured]]]:
    """Return the setting with the most reference problems, and their cells by problem and encoding.

    Problems that tell encodings apart the most come first.
    """
    by_setting: dict[Setting, dict[str, dict[str, Measured]]] = {}
    for cell in all_cells() if cells is None else cells:
        by_setting.setdefault(cell.setting, {}).setdefault(cell.problem, {})[cell.encoding] = cell
    found: dict[Setting, dict[str, dict[str, Measured]]] = {}
    for setting, problems in by_setting.items():
        most = len({name for measured in problems.values() for name in measured})
        found[setting] = {name: own for name, own in problems.items() if len(own) >= _NEARLY_ALL * most}
    setting = max(found, key=lambda each: len(found[each]))
    order = sorted(found[setting], key=lambda problem: -_spread(found[setting][problem]))
    return setting, {problem: found[setting][problem] for problem in order}


def _spread(cells: Mapping[str, Measured]) -> float:
    """Return how much encodings differ on a problem: the variance of their success, of all runs."""
    shares = [cell.num_generalized / cell.num_runs for cell in cells.values()]
    return fmean(share**2 for share in shares) - fmean(shares) ** 2


def score_encoding(
    name: str,
    store: str | Path,
    *,
    quick: bool = False,
    device: str | None = None,
    workers: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    on_plan: Callable[[list[StackPlan], int], None] = lambda _stacks, _reused: None,
    on_event: Callable[[Any], None] = lambda _: None,
) -> EncodingScore:
    """Return the row of an encoding; what the store holds is not trained again.

    ``quick`` takes the three problems that tell encodings apart the most, with two seeds each.
    """
    from ..conformance.suite import conform  # here: it needs torch

    choice = find_encoding(name)
    setting, problems = reference_cells()
    chosen = dict(list(problems.items())[: QUICK_PROBLEMS if quick else None])
    seeds = QUICK_SEEDS if quick else setting.seeds
    tell("conformance")
    outcomes = conform(choice.name)
    tell(f"cost next to {RIVAL}")
    cost = measure_cost(choice.name, next(iter(chosen)), setting)
    tell("")
    settings = {"tasks": list(chosen), "encodings": [choice.name], "seeds": seeds} | setting.changed
    specs = Grid(settings=settings).specs()
    outcome = run_experiment(specs, store, device=device, workers=workers, on_plan=on_plan, on_event=on_event)
    cells = {cell.task: cell for cell in summarize(outcome.results)}
    return EncodingScore(
        encoding=choice.name,
        setting=setting,
        seeds=seeds,
        passed=sum(not outcome.failure and not outcome.skipped for outcome in outcomes),
        failures=tuple((outcome.check, outcome.failure) for outcome in outcomes if outcome.failure),
        skipped=sum(bool(outcome.skipped) for outcome in outcomes),
        cost=cost,
        references=tuple(
            _reference(choice.name, problem, cells[problem], measured) for problem, measured in chosen.items()
        ),
    )


def _reference(encoding: str, problem: str, cell: Cell, measured: Mapping[str, Measured]) -> Reference:
    return Reference(
        problem=problem,
        answer=str(predict_task(find_packaged_task(problem), encoding).answer),
        own=(cell.num_runs, cell.num_fitted, cell.num_generalized),
        others={name: (other.num_runs, other.num_generalized) for name, other in measured.items() if name != encoding},
    )


def measure_cost(encoding: str, problem: str, setting: Setting) -> Cost:
    """Return what an encoding costs next to RoPE, on one thread of this machine's processor."""
    from ..experiment.stacks import stack_of  # here: it needs torch

    trials, parameters, steps = Trials(trials_file()), [], []
    for name in (encoding, RIVAL):
        settings = {"tasks": [problem], "encodings": [name], "seeds": 1} | setting.changed
        (run,) = make_runs(Grid(settings=settings).specs())
        parameters.append(sum(parameter.numel() for parameter in stack_of([run], compiled=False).model.parameters()))
        steps.append(trials.find(run, 1).step)
    return Cost(parameters=parameters[0], parameters_of_rival=parameters[1], step=steps[0], step_of_rival=steps[1])
