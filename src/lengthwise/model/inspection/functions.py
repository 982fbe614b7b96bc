"""Numbers for a function of two positions: how far it depends on their distance, how local, how periodic, how it goes on.

A function f(i, j) is given for queries i and keys j ≤ i as a square; not all of it was seen in training. Softmax does not see
what a query adds to all of its keys alike, so that everything is said of f(i, j) − r(i), with r chosen together with a function
of the distance g: f(i, j) ≈ r(i) + g(i − j), by least squares over the pairs that were seen. A constant added to g and taken off
r changes nothing; g is given with a median of 0 over the distances that were seen.

The limit transformer of arXiv 2410.02140 has functions of two kinds: translation invariant and 0 beyond a distance τ (LOCAL), and
products of positions that repeat after Δ (PERIODIC), of which translation invariance leaves functions of (i − j) mod Δ.
:class:`Limit` is the nearest of their sums.

Shapes: N positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidOptionError

Square = NDArray[np.float64]
Curve = NDArray[np.float64]

SHARE = 0.95  # of the energy, that a local function has within its distance
_NOISE = 1e-10  # of the largest value: what rounding leaves of nothing
_LEAST_WAVE = 4  # distances, for a wave to be looked for
_SPARSE = 3  # a period is counted only if it is seen so often
_FEWEST = 4  # pairs at a distance, for its mean to be taken for more than chance
_FREQUENCIES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The nearest function that is free up to distance τ and repeats after ``period`` beyond: its values, and how near it is.

    Near is by least squares over the pairs that were seen, with r as it is: short distances, which have more pairs, count for more.
    ``residual`` is the share of what softmax sees of the function, on these pairs, that it leaves unexplained.
    ``beyond`` compares pairs that were not seen: the root mean square of the difference there, over that of the function where
    it was seen; None if all were seen. ``departs_at`` is the first unseen distance at which the mean over pairs is off by more
    than half of the largest value of the function; None if there is none.
    """

    tau: int
    period: int
    curve: tuple[float, ...]
    residual: float | None
    beyond: float | None
    departs_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is to be said of a function of two positions; None where there is nothing to divide by.

    ``seen`` is the number of distances seen in training, ``rows`` is r at all positions, ``curve`` g at all distances,
    ``spread`` the standard deviation around it. ``by_query`` is the share of the variance that softmax does not see,
    ``invariant`` the share of the rest that g explains, where it was seen and ``invariant_beyond`` where not. ``tau`` is
    the least distance within which g has 95 % of its energy, ``within_tau`` the share within the distance of ``limit``,
    and ``rest`` the largest |g| beyond that distance, where it was seen, over the largest of all.
    ``period`` explains the share ``periodic`` of g, and one wave of ``wavelength``, which need not be whole, the share
    ``wave``. ``largest`` and ``largest_beyond`` are the largest values of |g| at distances that were seen and that were
    not; beyond, distances with fewer than 4 pairs are left out, here and in ``departs_at``.
    """

    num_positions: int
    seen: int
    rows: tuple[float, ...]
    curve: tuple[float, ...]
    spread: tuple[float, ...]
    by_query: float | None
    invariant: float | None
    invariant_beyond: float | None
    tau: int | None
    within_tau: float | None
    rest: float | None
    period: int
    periodic: float | None
    wavelength: float | None
    wave: float | None
    largest: float
    largest_beyond: float | None
    limit: Limit


def study(
    values_NN: Any, seen: int, *, offsets: bool = True, tau: int | None = None, period: int | None = None
) -> Findings:
    """Return the numbers of a function whose first ``seen`` distances occurred in training.

    With ``offsets`` they occurred at all positions, without only among the first ``seen`` positions. ``tau`` and ``period`` choose
    the limit that is compared; unless given, they are those that explain most for the numbers they take (BIC). NaN marks pairs of
    which nothing is known.
    """
    values_NN = np.asarray(values_NN, dtype=np.float64)
    num_positions = len(values_NN)
    seen = min(seen, num_positions)
    _check(seen, tau, period)
    query, key = np.indices(values_NN.shape)
    distance_NN = query - key
    known_NN = (distance_NN >= 0) & np.isfinite(values_NN)
    was_seen_NN = known_NN & (distance_NN < seen) & (offsets | (query < seen))
    rows, curve = _split(values_NN, distance_NN, known_NN, was_seen_NN, seen)
    level = float(np.nanmedian(curve[:seen]))
    noise = _NOISE * float(np.abs(values_NN[known_NN]).max())
    curve, rows = _without(curve - level, noise), rows + level
    visible_NN = _without(np.where(known_NN, values_NN - rows[:, None], np.nan), noise)
    spread = np.array([_spread(visible_NN, d, curve[d]) for d in range(num_positions)])
    unseen_NN = known_NN & ~was_seen_NN
    energy = _energy(visible_NN, was_seen_NN, center=True)
    total = float(np.square(values_NN[was_seen_NN] - values_NN[was_seen_NN].mean()).sum())
    near = curve[:seen]
    limit = _limit(visible_NN, distance_NN, was_seen_NN, unseen_NN, curve, seen, energy, tau, period)
    best, periodic = _best_period(near)
    wavelength, wave = _best_wave(near)
    far = curve[seen : _last(num_positions, seen)]
    return Findings(
        num_positions=num_positions,
        seen=seen,
        rows=_tuple(rows),
        curve=_tuple(curve),
        spread=_tuple(spread),
        by_query=None if total <= noise**2 else _clip(1 - _of_rows(values_NN, was_seen_NN) / total),
        invariant=_explained(visible_NN, curve, distance_NN, was_seen_NN),
        invariant_beyond=_explained(visible_NN, curve, distance_NN, unseen_NN),
        tau=_tau(near),
        within_tau=_ratio(float(np.square(near[: limit.tau + 1]).sum()), float(np.square(near).sum())),
        rest=_ratio(float(np.abs(near[limit.tau + 1 :]).max(initial=0.0)), float(np.abs(near).max())),
        period=best,
        periodic=periodic,
        wavelength=wavelength,
        wave=wave,
        largest=float(np.abs(near).max()),
        largest_beyond=float(np.nanmax(np.abs(far))) if np.isfinite(far).any() else None,
        limit=limit,
    )


def _check(seen: int, tau: int | None, period: int | None) -> None:
    for name, value, least, most in (("tau", tau, 0, seen - 1), ("period", period, 1, seen)):
        if value is not None and not least <= value <= most:
            raise InvalidOptionError(
                f"{name} must be from {least} to {most}, for {seen} distances seen in training; found {value}.",
                hint="correct it, or leave it out to let us choose.",
            )


def _split(values_NN: Square, distance_NN: Any, known_NN: Any, was_seen_NN: Any, seen: int) -> tuple[Curve, Curve]:
    """Return r and g with f(i, j) ≈ r(i) + g(i − j) over the pairs seen, and both for what was not seen, from what is there."""
    num_positions = len(values_NN)
    query, key = np.nonzero(was_seen_NN)
    gap, value = query - key, values_NN[query, key]
    size = num_positions + seen
    gram, target = np.zeros((size, size)), np.zeros(size)
    for left, right in (
        (query, query),
        (query, num_positions + gap),
        (num_positions + gap, query),
        (num_positions + gap,) * 2,
    ):
        np.add.at(gram, (left, right), 1.0)
    np.add.at(target, query, value)
    np.add.at(target, num_positions + gap, value)
    found: Curve = np.linalg.lstsq(gram, target, rcond=1e-12)[0].astype(np.float64)
    rows: Curve = found[:num_positions]
    curve: Curve = np.full(num_positions, np.nan)
    curve[:seen] = found[num_positions:]
    near_NN = known_NN & (distance_NN < seen)
    for i in np.nonzero(~was_seen_NN.any(1))[0]:  # queries that training never saw
        place = near_NN[i]
        rows[i] = (values_NN[i, place] - curve[distance_NN[i, place]]).mean() if place.any() else 0.0
    for d in range(seen, num_positions):
        there = known_NN & (distance_NN == d)
        if there.any():
            curve[d] = (values_NN - rows[:, None])[there].mean()
    return rows, curve


def _without(values: Any, noise: float) -> Any:
    """Return values with 0 instead of what is no more than rounding."""
    return np.where(np.abs(values) <= noise, 0.0, values)


def _spread(visible_NN: Square, d: int, mean: float) -> float:
    diagonal = np.diagonal(visible_NN, -d)
    diagonal = diagonal[np.isfinite(diagonal)]
    return float(np.sqrt(np.square(diagonal - mean).mean())) if len(diagonal) else 0.0


def _energy(values_NN: Square, there: Any, *, center: bool) -> float:
    values = values_NN[there]
    return float(np.square(values - values.mean() * center).sum()) if len(values) else 0.0


def _of_rows(values_NN: Square, there: Any) -> float:
    """Return what is left of the variance when every query's own mean is taken off."""
    own = [values_NN[i, there[i]] for i in range(len(values_NN)) if there[i].any()]
    return float(sum(np.square(values - values.mean()).sum() for values in own))


def _explained(visible_NN: Square, curve: Curve, distance_NN: Any, there: Any) -> float | None:
    """Return the share of the variance over some pairs that the function of the distance explains."""
    if not there.any():
        return None
    left = np.square(visible_NN[there] - curve[distance_NN[there]]).sum()
    whole = _energy(visible_NN, there, center=True)
    return _clip(1 - float(left) / whole) if whole > 0 else None


def _tau(near: Curve) -> int | None:
    energy = np.cumsum(np.square(near))
    return int(np.argmax(energy >= SHARE * energy[-1])) if energy[-1] > 0 else None


def _best_period(near: Curve) -> tuple[int, float | None]:
    """Return the period that explains most of the curve for the numbers it takes, and the share it explains."""
    whole = float(np.square(near - near.mean()).sum())
    if not whole:
        return 1, None
    alike = np.ones_like(near)  # a share of g, in which distances count alike
    left = {period: _left(near, alike, -1, period) for period in range(1, max(1, len(near) // _SPARSE) + 1)}
    best = min(left, key=lambda period: _bic(left[period], whole, len(near), period))
    return best, _clip(1 - left[best] / whole)


def _best_wave(near: Curve) -> tuple[float | None, float | None]:
    """Return the wavelength of the one wave that explains most of the curve, from two distances to all of them, and its share."""
    centered = near - near.mean()
    whole = float(np.square(centered).sum())
    if len(near) < _LEAST_WAVE or not whole:
        return None, None
    frequencies = np.linspace(1 / len(near), 0.5, _FREQUENCIES)
    angle = 2 * np.pi * frequencies[:, None] * np.arange(len(near))
    waves = np.stack([np.cos(angle), np.sin(angle), np.ones_like(angle)], axis=-1)  # of every frequency, and a constant
    target = waves.swapaxes(1, 2) @ near
    weights = np.linalg.pinv(waves.swapaxes(1, 2) @ waves, rcond=1e-10, hermitian=True) @ target[..., None]
    left = np.square(near - (waves @ weights)[..., 0]).sum(1)
    best = int(np.argmin(left))
    return float(1 / frequencies[best]), _clip(1 - float(left[best]) / whole)


def _last(num_positions: int, seen: int) -> int:
    """Return the distance up to which there are pairs enough."""
    return max(seen, num_positions - _FEWEST + 1)


def _bic(left: float, whole: float, number: int, parameters: int) -> float:
    return float(number * np.log(max(left / whole, 1e-12)) + parameters * np.log(number))


def _labels(number: int, tau: int, period: int) -> NDArray[np.int64]:
    """Return a label for every distance: its own up to τ, and beyond that of its remainder; equal labels have one value."""
    gap = np.arange(number)
    labels: NDArray[np.int64] = np.where(gap <= tau, gap, tau + 1 + gap % period)
    return labels


def _fit(near: Curve, weights: Curve, labels: NDArray[np.int64], most: int) -> Curve:
    """Return the value of every label by least squares: the weighted mean over its distances, 0 where there are none."""
    sums = np.bincount(labels, weights=near * weights, minlength=most)
    total = np.bincount(labels, weights=weights, minlength=most)
    means: Curve = sums / np.where(total > 0, total, 1.0)
    return means


def _left(near: Curve, weights: Curve, tau: int, period: int) -> float:
    """Return the weighted sum of squares that the nearest function leaves."""
    labels = _labels(len(near), tau, period)
    return float((weights * np.square(near - _fit(near, weights, labels, tau + 1 + period)[labels])).sum())


def _limit(
    visible_NN: Square,
    distance_NN: Any,
    was_seen_NN: Any,
    unseen_NN: Any,
    curve: Curve,
    seen: int,
    energy: float,
    tau: int | None,
    period: int | None,
) -> Limit:
    near = curve[:seen]
    most = max(0, seen // _SPARSE)
    # a distance counts as often as it was seen; g is the mean over these pairs, so that this is least squares over pairs
    pairs = np.bincount(distance_NN[was_seen_NN], minlength=seen).astype(np.float64)
    weights: Curve = pairs * (seen / pairs.sum())
    whole = max(float((weights * np.square(near)).sum()), 1e-300)
    choices = [
        (t, p)
        for t in ([tau] if tau is not None else range(most + 1))
        for p in ([period] if period is not None else range(1, max(1, (seen - t - 1) // _SPARSE, 1) + 1))
    ]
    left = {(t, p): _left(near, weights, t, p) for t, p in choices}
    chosen = min(choices, key=lambda each: (_bic(left[each], whole, seen, sum(each)), sum(each)))
    labels = _labels(len(curve), *chosen)
    fitted = _fit(near, weights, labels[:seen], 1 + sum(chosen))[labels]
    difference_NN = visible_NN - fitted[np.maximum(distance_NN, 0)]
    size = np.sqrt(energy / was_seen_NN.sum())
    off = np.abs(curve - fitted)[seen : _last(len(curve), seen)]
    half = np.abs(near - np.median(near)).max() / 2
    departed = np.nonzero((off > half) & (half > 0))[0]
    return Limit(
        tau=chosen[0],
        period=chosen[1],
        curve=_tuple(fitted),
        residual=_ratio(_energy(difference_NN, was_seen_NN, center=False), energy),
        beyond=_ratio(float(np.sqrt(np.square(difference_NN[unseen_NN]).mean())), float(size))
        if unseen_NN.any()
        else None,
        departs_at=seen + int(departed[0]) if len(departed) else None,
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _clip(share: float) -> float:
    return float(min(1.0, max(0.0, share)))


def _tuple(values: Curve) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
