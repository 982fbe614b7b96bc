"""Fitting the predictor: logistic regression with a penalty, and weights that may not be negative where theory says so.

Runs of one language are no independent evidence, so languages are what is left out in cross-validation and what is drawn
with replacement for the replicates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from atlas_cells import AT, BEYOND, Cell
from atlas_pieces import TRAIN_LENGTH

from lengthwise.evidence.chance import Head, Predictor, is_monotone

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 5
REPLICATES = 40
FEWEST_CLUSTERS = 3  # languages and tasks in which a feature must occur to get a weight
_STEPS = 60
_DIGITS = 3  # of weights in the file

Array = np.ndarray
Counts = Callable[[Cell], tuple[int, int]]


def fits(cell: Cell) -> tuple[int, int]:
    """Return how many runs of a cell fitted, and how many there are."""
    return cell.num_fitted, cell.num_runs


def generalizes(cell: Cell) -> tuple[int, int]:
    """Return how many of the fitted runs of a cell generalize, and how many fitted."""
    return cell.num_generalized, cell.num_fitted


def generalizes_at(multiple: int) -> Counts:
    """Return what counts the fitted runs of a cell that are right at a multiple of the training length, and all of them."""

    def counts(cell: Cell) -> tuple[int, int]:
        return next(((good, tries) for at, good, tries in cell.beyond if at == multiple), (0, 0))

    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells as arrays: features in columns, successes and tries, and the number of each cell's cluster."""

    names: tuple[str, ...]
    features: Array
    successes: Array
    tries: Array
    clusters: Array

    @property
    def num_clusters(self) -> int:
        """The number of languages and tasks."""
        return int(self.clusters.max()) + 1 if len(self.clusters) else 0


def make_table(cells: Sequence[Cell], counts: Counts, *, keep: Callable[[str], bool] = lambda _: True) -> Table:
    """Return the cells that have a try, with the features that occur in enough languages."""
    used = [cell for cell in cells if counts(cell)[1]]
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for cell in used:
        for name in cell.features:
            seen[name].add(cell.cluster)
    names = tuple(sorted(name for name, clusters in seen.items() if len(clusters) >= FEWEST_CLUSTERS and keep(name)))
    places = {name: place for place, name in enumerate(names)}
    features = np.zeros((len(used), len(names)))
    for row, cell in enumerate(used):
        for name, value in cell.features.items():
            if name in places:
                features[row, places[name]] = value
    numbers = {cluster: number for number, cluster in enumerate(sorted({cell.cluster for cell in used}))}
    both = np.array([counts(cell) for cell in used], dtype=float).reshape(-1, 2)
    return Table(
        names=names,
        features=features,
        successes=both[:, 0],
        tries=both[:, 1],
        clusters=np.array([numbers[cell.cluster] for cell in used], dtype=int),
    )


def fit_weights(table: Table, ridge: float, *, times: Array | None = None, start: Array | None = None) -> Array:
    """Return the weights that minimize loss plus penalty; ``times`` is how often each cell counts.

    Newton's method on the weights that are free; those at zero that want to be negative are held there (Bertsekas, 1982).
    """
    times = np.ones(len(table.tries)) if times is None else times
    successes, tries = table.successes * times, table.tries * times
    penalty = np.array([1e-6 if name == "always" else ridge for name in table.names])
    bounded = np.array([is_monotone(name) for name in table.names], dtype=bool)
    X = table.features
    weights = np.zeros(X.shape[1]) if start is None else start.copy()

    def loss(weights: Array) -> float:
        score = X @ weights
        return float((tries * np.logaddexp(0, score) - successes * score).sum() + 0.5 * (penalty * weights**2).sum())

    now = loss(weights)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(X @ weights, -40, 40)))
        slope = X.T @ (tries * chance - successes) + penalty * weights
        free = ~(bounded & (weights <= 0) & (slope > 0))
        if not free.any() or np.abs(slope[free]).max() < 1e-5 * max(1.0, tries.sum() ** 0.5):
            break
        F = X[:, free]
        curve = (F * (tries * chance * (1 - chance))[:, None]).T @ F
        curve[np.diag_indices_from(curve)] += penalty[free]
        move = np.zeros_like(weights)
        move[free] = np.linalg.solve(curve, slope[free])
        size = 1.0
        while size > 1e-8:
            there = weights - size * move
            there[bounded] = np.maximum(there[bounded], 0)
            value = loss(there)
            if value <= now - 1e-4 * float(slope @ (weights - there)):
                break
            size /= 2
        else:
            break
        weights, before, now = there, now, value
        if before - now < 1e-9 * max(1.0, abs(now)):
            break
    return weights


def choose_ridge(table: Table, seed: int = 0) -> float:
    """Return the penalty that predicts languages best that are left out."""
    folds = np.random.default_rng(seed).permutation(table.num_clusters) % FOLDS
    fold_of = folds[table.clusters]
    losses = Counter[float]()
    for fold in range(FOLDS):
        inside, start = (fold_of != fold).astype(float), None
        for ridge in sorted(RIDGES, reverse=True):
            start = fit_weights(table, ridge, times=inside, start=start)
            score = (table.features @ start)[fold_of == fold]
            tries, successes = table.tries[fold_of == fold], table.successes[fold_of == fold]
            losses[ridge] += float((tries * np.logaddexp(0, score) - successes * score).sum())
    return min(RIDGES, key=lambda ridge: losses[ridge])


def fit_head(table: Table, *, replicates: int = REPLICATES, ridge: float | None = None, seed: int = 0) -> Head:
    """Return a head of the predictor: weights, and the same fitted again to languages drawn with replacement."""
    chosen = choose_ridge(table) if ridge is None else ridge
    weights = fit_weights(table, chosen)
    random, again = np.random.default_rng(seed), []
    for _ in range(replicates):
        drawn = np.bincount(random.integers(table.num_clusters, size=table.num_clusters), minlength=table.num_clusters)
        again.append(fit_weights(table, chosen, times=drawn[table.clusters].astype(float), start=weights))
    rounded = [np.round(values, _DIGITS) + 0.0 for values in (weights, *again)]
    used = [place for place in range(len(weights)) if any(values[place] for values in rounded)]
    drawn_again = {table.names[place]: " ".join(f"{values[place]:g}" for values in rounded[1:]) for place in used}
    return Head(
        weights={table.names[place]: float(rounded[0][place]) for place in used},
        replicates=drawn_again if again else {},
    )


def fit_predictor(
    cells: Sequence[Cell],
    fitted_to: str,
    *,
    replicates: int = REPLICATES,
    keep: Callable[[str], bool] = lambda _: True,
) -> Predictor:
    """Return the predictor that is fitted to some cells; ``keep`` says which features it may use."""
    heads = [fit_head(make_table(cells, counts, keep=keep), replicates=replicates) for counts in (fits, generalizes)]
    tables = {at: make_table(cells, generalizes_at(at), keep=keep) for at in BEYOND}
    return Predictor(
        at=AT,
        train_length=TRAIN_LENGTH,
        num_cells=len(cells),
        fitted_to=fitted_to,
        fit=heads[0],
        generalize=heads[1],
        beyond={at: fit_head(table, replicates=0) for at, table in tables.items() if len(table.tries)},
    )
