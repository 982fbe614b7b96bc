"""Scores of the frozen predictions on the test third of the atlas, with intervals clustered by language.

    python benchmarks/atlas_score.py [--json FILE]

It refuses unless the frozen predictions were committed before any test piece was finished, and neither they nor the predictor
were changed since (``atlas_frozen.py``). Skill is 1 minus the ratio of two Brier scores over fitted runs. Intervals come from
languages drawn with replacement. From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from atlas_cells import RUNS, Cell, read_cells, read_pieces
from atlas_fit import PREDICTOR
from atlas_frozen import FROZEN, TEST_PARTS, FrozenError, require_frozen_before
from atlas_model import fit_head, generalizes, make_table
from atlas_pieces import TRANSFER

from lengthwise.theory.claims import Answer

Array = np.ndarray
DRAWS = 1000
STRENGTH = 2.0  # runs that the mean of a verdict and level counts for in the table of encodings
BASES = ("the base rate", "the table encoding × verdict × level")
FRAGMENTS = ("+PLAIN", "+LOCAL", "+PERIODIC", "+PERIODIC_LOCAL")
LEVELS = ("+shallow", "+shallow in any class", "+level")
ABLATIONS: dict[str, Callable[[str], bool]] = {
    "level alone": lambda name: name.split("|")[0] in (*LEVELS, "always"),
    "fragment verdicts alone": lambda name: name.split("|")[0] in (*FRAGMENTS, "+counting", "always"),
    "LTL alone": lambda name: name.startswith(("+LTL", "+precision", "+far precision")) or name == "always",
    "all of theory": lambda name: name.startswith("+") or name == "always",
    "encoding alone": lambda name: not name.startswith("+") and "|" not in name and name not in SHAPE,
    "everything": lambda _: True,
}
SHAPE = ("language", "next symbols", "states", "letters", "freedom", "shorter training")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


class Outcomes:
    """Test cells with fitted runs, as arrays, and draws of languages."""

    def __init__(self, cells: Sequence[Cell], *, draws: int = DRAWS, seed: int = 0) -> None:
        self.cells = [cell for cell in cells if cell.num_fitted]
        self.good = np.array([cell.num_generalized for cell in self.cells], dtype=float)
        self.tries = np.array([cell.num_fitted for cell in self.cells], dtype=float)
        names = sorted({cell.cluster for cell in self.cells})
        numbers = {name: number for number, name in enumerate(names)}
        self.clusters = np.array([numbers[cell.cluster] for cell in self.cells], dtype=int)
        random = np.random.default_rng(seed)
        self.draws = [
            np.bincount(random.integers(len(names), size=len(names)), minlength=len(names)).astype(float)[self.clusters]
            for _ in range(draws)
        ]

    def estimate(self, figure: Callable[[Array], float]) -> Estimate:
        """Return a figure of weighted cells with its interval over draws of languages."""
        values = [value for times in self.draws if np.isfinite(value := figure(times))]
        low, high = np.quantile(values, [0.025, 0.975]) if values else (float("nan"), float("nan"))
        return Estimate(figure(np.ones(len(self.cells))), float(low), float(high))

    def losses(self, chances: Array) -> Array:
        """Return the sum of squared errors of each cell, over its fitted runs."""
        result: Array = self.good * (1 - chances) ** 2 + (self.tries - self.good) * chances**2
        return result

    def brier(self, chances: Array) -> Estimate:
        """Return the mean squared error over fitted runs."""
        losses = self.losses(chances)
        return self.estimate(lambda times: float(losses @ times / (self.tries @ times)))

    def skill(self, chances: Array, against: Array) -> Estimate:
        """Return how much smaller the squared error is than that of other chances."""
        own, other = self.losses(chances), self.losses(against)
        return self.estimate(
            lambda times: 1 - float(own @ times) / float(other @ times) if other @ times else float("nan")
        )

    def rate(self, chosen: Array) -> Estimate:
        """Return the share of fitted runs that generalize, in some of the cells."""
        return self.estimate(
            lambda times: (
                float(self.good @ (times * chosen) / tries)
                if (tries := float(self.tries @ (times * chosen)))
                else float("nan")
            )
        )

    def slope(self, chances: Array) -> Estimate:
        """Return the slope of calibration: that of outcomes over the log odds of the chance, 1 if calibrated."""
        odds = np.log(np.clip(chances, 1e-4, 1 - 1e-4) / np.clip(1 - chances, 1e-4, 1 - 1e-4))
        return self.estimate(lambda times: _slope(odds, self.good * times, self.tries * times))


def _slope(odds: Array, good: Array, tries: Array) -> float:
    """Return the slope of a logistic regression on one variable, by Newton's method; nan if the chances are all alike."""
    if np.ptp(odds[tries > 0]) < 1e-6:
        return float("nan")
    X, weights = np.stack([np.ones_like(odds), odds], axis=1), np.array([0.0, 1.0])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(X @ weights, -40, 40)))
        slope = X.T @ (good - tries * chance)
        curve = (X * (tries * chance * (1 - chance))[:, None]).T @ X + 1e-9 * np.eye(2)
        move = np.linalg.solve(curve, slope)
        weights += move / max(1.0, float(np.abs(move).max()))
        if np.abs(move).max() < 1e-8:
            break
    return float(weights[1])


def base_rate(known: Sequence[Cell], cells: Sequence[Cell]) -> Array:
    """Return the rate of all known fitted runs for every cell."""
    good, tries = (sum(values) for values in zip(*map(generalizes, known), strict=True))
    return np.full(len(cells), good / tries)


def table_rates(known: Sequence[Cell], cells: Sequence[Cell]) -> Array:
    """Return the rate of known runs of the same encoding, verdict and level, drawn towards that of the verdict and level."""
    counts: defaultdict[tuple[Any, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for cell in known:
        for key in ((), (cell.answer, cell.level), (cell.encoding, cell.answer, cell.level)):
            counts[key][0] += cell.num_generalized
            counts[key][1] += cell.num_fitted
    rates = []
    for cell in cells:
        rate = 0.5
        for key in ((), (cell.answer, cell.level), (cell.encoding, cell.answer, cell.level)):
            good, tries = counts.get(key, (0.0, 0.0))
            rate = (good + STRENGTH * rate) / (tries + STRENGTH)
        rates.append(rate)
    return np.array(rates)


def refitted(
    known: Sequence[Cell], cells: Sequence[Cell], keep: Callable[[str], bool], ridge: float | None = None
) -> Array:
    """Return the chances of a model that is fitted to known cells with some of the features."""
    head = fit_head(make_table(known, generalizes, keep=keep), replicates=0, ridge=ridge)
    return np.array([head.chance(cell.features) for cell in cells])


def left_out(known: Sequence[Cell], cells: Sequence[Cell]) -> Array:
    """Return the chances of models that never saw the encoding of the cell."""
    found = np.zeros(len(cells))
    for encoding in {cell.encoding for cell in cells}:
        others = [cell for cell in known if cell.encoding != encoding]
        chosen = [place for place, cell in enumerate(cells) if cell.encoding == encoding]
        found[chosen] = refitted(others, [cells[place] for place in chosen], lambda _: True)
    return found


def scores(
    known: Sequence[Cell], test: Sequence[Cell], chances: Sequence[float], *, draws: int = DRAWS, refits: bool = True
) -> dict[str, Any]:
    """Return all scores; ``chances`` belong to the cells of ``test``, ``known`` are the cells of the fit split."""
    chance_of = {cell.key: chance for cell, chance in zip(test, chances, strict=True)}
    outcomes = Outcomes(test, draws=draws)
    cells = outcomes.cells
    own = np.array([chance_of[cell.key] for cell in cells])
    base, table = base_rate(known, cells), table_rates(known, cells)
    against = dict(zip(BASES, (base, table), strict=True))
    answers = np.array([str(cell.answer) for cell in cells])
    levels = np.array([-1 if cell.level is None else cell.level for cell in cells])
    refuting = [cell for cell in test if cell.answer is Answer.NO]
    found: dict[str, Any] = {
        "cells": len(test),
        "cells with a fitted run": len(cells),
        "runs": sum(cell.num_runs for cell in test),
        "fitted runs": int(outcomes.tries.sum()),
        "languages": len({cell.cluster for cell in test}),
        "NO cells": len(refuting),
        "NO cells with a fitted run": sum(cell.num_fitted > 0 for cell in refuting),
        "NO cells challenged": [
            {"task": cell.task, "encoding": cell.encoding, "runs": list(cell.challengers)}
            for cell in refuting
            if cell.challengers
        ],
        "success by answer": {str(answer): outcomes.rate(answers == str(answer)) for answer in Answer},
        "success of YES by level": {
            f"level {level}" if level >= 0 else "by formulas, without a level": outcomes.rate(
                (answers == "YES") & (levels == level)
            )
            for level in sorted(set(levels[answers == "YES"].tolist()))
        },
        "Brier": outcomes.brier(own),
        "skill over": {name: outcomes.skill(own, other) for name, other in against.items()},
        "calibration slope": outcomes.slope(own),
        "always": {
            f"always {word}": {name: outcomes.skill(np.full(len(cells), chance), base) for name in BASES[:1]}
            for word, chance in (("yes", 1.0), ("no", 0.0))
        },
    }
    if refits:
        found["ablations"] = {
            name: outcomes.skill(refitted(known, cells, keep), base) for name, keep in ABLATIONS.items()
        }
        open_names = {cell.encoding for cell in cells} - {
            cell.encoding for cell in test if cell.answer is not Answer.UNKNOWN
        }
        alone = left_out(known, cells)
        found["leave one encoding out"] = {"all encodings": outcomes.skill(alone, base)}
        is_open = np.array([cell.encoding in open_names for cell in cells])
        if is_open.any():
            chosen = Outcomes([cell for cell, use in zip(cells, is_open, strict=True) if use], draws=draws)
            found["leave one encoding out"]["encodings without a verdict"] = chosen.skill(alone[is_open], base[is_open])
    return found


def lines_of(found: dict[str, Any], indent: str = "") -> list[str]:
    """Return scores as lines."""
    lines: list[str] = []
    for name, value in found.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", *lines_of(value, indent + "  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{name}: {len(value)}")
            lines += [f"{indent}  {row['task']} × {row['encoding']}: {', '.join(row['runs'])}" for row in value]
        else:
            lines.append(f"{indent}{name}: {value:,}" if isinstance(value, int) else f"{indent}{name}: {value}")
    return lines


def transfer(
    runs: Path, known: Sequence[Cell], frozen: dict[tuple[str, str], float], *, draws: int = DRAWS
) -> dict[str, Any]:
    """Return whether the chance holds in other settings: its slope and its skill there, for each part that was trained."""
    found = {}
    for part in TRANSFER:
        outcomes = Outcomes(read_cells(runs, splits=("test",), part=part), draws=draws)
        if not outcomes.cells:
            continue
        chances = np.array([frozen[cell.task, cell.encoding] for cell in outcomes.cells])
        found[part] = {
            "fitted runs": int(outcomes.tries.sum()),
            "skill over the base rate": outcomes.skill(chances, base_rate(known, outcomes.cells)),
            "calibration slope": outcomes.slope(chances),
        }
    return found


def read_test(runs: Path, frozen: Path, predictor: Path) -> tuple[list[Cell], dict[tuple[str, str], float]]:
    """Return the measured test cells, and the frozen chances by task and encoding; raise if these may not be scored."""
    heads = [head for head, _ in read_pieces(runs) if head["piece"].startswith(TEST_PARTS)]
    lines = require_frozen_before(frozen, predictor, heads)
    return read_cells(runs, splits=("test",)), {(row["task"], row["encoding"]): row["generalize"] for row in lines}


def main() -> None:
    """Score the frozen predictions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--runs", type=Path, default=RUNS, help="the folder of pieces")
    parser.add_argument("--frozen", type=Path, default=FROZEN)
    parser.add_argument("--predictor", type=Path, default=PREDICTOR)
    options = parser.parse_args()
    try:
        test, frozen = read_test(options.runs, options.frozen, options.predictor)
    except FrozenError as error:
        sys.exit(str(error))
    if not test:
        parser.error(f"{options.runs} has no pieces of the test third yet")
    known = read_cells(options.runs, splits=("fit",))
    found = scores(known, test, [frozen[cell.key[:2]] for cell in test]) | {
        "transfer": transfer(options.runs, known, frozen)
    }
    print("\n".join(lines_of(found)))
    if options.json:
        options.json.write_text(json.dumps(found, default=lambda one: [one.value, one.low, one.high]) + "\n")


if __name__ == "__main__":
    main()
