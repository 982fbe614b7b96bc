"""Learners of position-only linear attention: the table of a relation, fitted to a target at the training scale.

The model is A_ij = p[φ(i, j)] with a table p that starts at zero. Two learners, which agree:

* :func:`fit_minimum_norm`, exact: least squares with equal weight for every entry, of minimum norm. A label seen in
  training gets the mean of the target over its pairs; an unseen one keeps 0.
* :func:`fit_by_descent`: gradient descent from zero on inputs x and outputs f(x), in NumPy.

The entries of training are the pairs of T_{N₀}; where the target or the relation looks at the scale, they are the pairs of
T_n for every n ≤ N₀. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...errors import InvalidOptionError
from .relations import Relation
from .targets import Entry, Target, check_scale, check_scales, entries

LabelFunction = Callable[[int, int, int], Hashable]
ZERO = Fraction(0)
MAX_STEPS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A table that was fitted: the values of the labels seen in training; all others are 0."""

    target: Target
    relation: Relation
    trained: int
    hinted: bool
    table: dict[Hashable, Fraction] = field(hash=False)

    def value(self, entry: Entry) -> Fraction:
        """Return what the model has at a place, from the table."""
        return self.table.get(label_of(self.relation, entry), ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestError:
    """The largest absolute difference between model and target up to the test scale, and the first place that has it."""

    error: Fraction
    entry: Entry
    value: Fraction
    fitted: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """What gradient descent ended with; ``bound`` is how far the table can still be from the minimum of its loss."""

    table: dict[Hashable, float] = field(hash=False)
    num_steps: int
    loss: float
    bound: float


def label_of(relation: Relation, entry: Entry) -> Hashable:
    """Return the label of a place; a relation counts positions from 0, a place here from 1."""
    i, j, n = entry
    return relation.label(i - 1, j - 1, n)


def relation_of(function: LabelFunction, *, max_scale: int, name: str = "yours") -> Relation:
    """Return the relation of a function (i, j, n) → label with positions from 1.

    Whether it needs the scale is found out by calling it for all scales up to ``max_scale``.
    """
    check_scale(None, max_scale, hinted=True)
    first: dict[tuple[int, int], Hashable] = {}
    needs_scale = False
    for i, j, n in entries(max_scale, hinted=True):
        label = function(i, j, n)
        try:
            hash(label)
        except TypeError:
            raise InvalidOptionError(
                f"relation {name!r} gives the label {label!r} at i = {i}, j = {j}, n = {n}, which cannot be hashed.",
                hint="return a number, a text or a tuple.",
            ) from None
        needs_scale |= first.setdefault((i, j), label) != label
    return Relation(
        name=name,
        formula="a function of (i, j, n)" if needs_scale else "a function of (i, j)",
        needs_scale=needs_scale,
        label=lambda key, query, scale: function(key + 1, query + 1, scale),
    )


def as_relation(relation: Relation | LabelFunction, max_scale: int) -> Relation:
    """Return a relation as it is, and that of a function otherwise."""
    return relation if isinstance(relation, Relation) else relation_of(relation, max_scale=max_scale)


def fit_minimum_norm(target: Target, relation: Relation, trained: int) -> Fit:
    """Return the least-squares table of minimum norm at the training scale, exactly.

    The squared error is a separate parabola for each label that was seen, with its minimum at the mean; it does not look at
    the others, and the minimum norm leaves those at 0.
    """
    hinted = target.by_scale or relation.needs_scale
    check_scale(target, trained, hinted=hinted)
    sums: dict[Hashable, tuple[Fraction, int]] = {}
    for entry in entries(trained, hinted=hinted):
        label = label_of(relation, entry)
        total, number = sums.get(label, (ZERO, 0))
        sums[label] = total + target.entry(*entry), number + 1
    table = {label: total / number for label, (total, number) in sums.items()}
    return Fit(target=target, relation=relation, trained=trained, hinted=hinted, table=table)


def largest_error(fit: Fit, tested: int) -> LargestError:
    """Return the largest |A error| of a fitted model over all entries up to the test scale."""
    check_scales(fit.target, fit.trained, tested, hinted=fit.hinted)
    worst: LargestError | None = None
    for entry in entries(tested, hinted=fit.hinted):
        value, fitted = fit.target.entry(*entry), fit.value(entry)
        if worst is None or abs(value - fitted) > worst.error:
            worst = LargestError(error=abs(value - fitted), entry=entry, value=value, fitted=fitted)
    assert worst is not None
    return worst


def fit_by_descent(
    target: Target,
    relation: Relation,
    trained: int,
    *,
    seed: int = 0,
    num_inputs: int = 0,
    whiten: bool = True,
    tolerance: float = 1e-9,
    max_steps: int = MAX_STEPS,
) -> Descent:
    """Fit the table by gradient descent from zero to the outputs f(x)_j for random inputs x.

    The loss is the mean over inputs of Σ_j (Σ_i p[φ(i, j)]·x_i − f(x)_j)². Inputs are independent, uniform, with mean 0 and
    variance 1; ``whiten`` makes their second moments exactly the identity, and then the loss is the sum of squared errors of
    the entries, so that the minimum is the table of :func:`fit_minimum_norm`. Without it that holds for targets which the
    relation represents, and for others up to the sampling error of the moments.

    With c the number of pairs of a label and λ the eigenvalues of the moments, curvatures lie between 2·min c·min λ and
    2·max c·max λ; so a gradient g bounds the distance to the minimum by |g| / (2·min c·min λ). Descent stops when this is
    within the tolerance, which is never reached if ``max_steps`` is too small: ``bound`` says how near it came.
    """
    import numpy as np

    hinted = target.by_scale or relation.needs_scale
    check_scale(target, trained, hinted=hinted)
    num_inputs = num_inputs or 4 * trained
    if num_inputs < trained:
        raise InvalidOptionError(
            f"{num_inputs} inputs do not determine the outputs at scale {trained}; at least {trained} do.",
            hint="leave the number out, or give a larger one.",
        )
    indices: dict[Hashable, int] = {}
    batches = [
        _batch(target, relation, n, _inputs(n, num_inputs, seed, whiten=whiten), indices)
        for n in (range(1, trained + 1) if hinted else [trained])
    ]
    num_labels = len(indices)
    counts = np.bincount(np.concatenate([labels_NN.reshape(-1) for _, _, labels_NN in batches]))[1:]
    spectra = [np.linalg.eigvalsh(inputs_BN.T @ inputs_BN / num_inputs) for inputs_BN, _, _ in batches]
    lowest = 2 * counts.min() * min(spectrum[0] for spectrum in spectra)
    highest = 2 * counts.max() * max(spectrum[-1] for spectrum in spectra)
    table = np.zeros(num_labels + 1)  # the first is for i > j and stays 0
    loss, bound, num_steps = 0.0, float("inf"), 0
    while True:
        gradient = np.zeros(num_labels + 1)
        loss = 0.0
        for inputs_BN, outputs_BN, labels_NN in batches:
            residual_BN = inputs_BN @ table[labels_NN] - outputs_BN
            loss += float((residual_BN**2).sum()) / num_inputs
            gradient_NN = 2 / num_inputs * (inputs_BN.T @ residual_BN)
            gradient += np.bincount(labels_NN.reshape(-1), gradient_NN.reshape(-1), minlength=num_labels + 1)
        gradient[0] = 0
        bound = float(np.linalg.norm(gradient) / lowest)
        if bound <= tolerance or num_steps >= max_steps:
            break
        table -= 2 / (lowest + highest) * gradient
        num_steps += 1
    fitted = {label: float(table[index]) for label, index in indices.items()}
    return Descent(table=fitted, num_steps=num_steps, loss=loss, bound=bound)


def _inputs(length: int, num_inputs: int, seed: int, *, whiten: bool) -> Any:
    """Return inputs [B, N] of mean 0 and variance 1, the same for a seed; whitened, their moments are the identity."""
    import numpy as np

    from ...seeds import DATA, open_stream

    bits = open_stream(DATA, seed=seed).named("pola").at(length).bits31((num_inputs, length))
    inputs_BN = np.sqrt(3) * (2 * (bits + 0.5) / 2**31 - 1)
    if whiten:
        inputs_BN = np.linalg.qr(inputs_BN)[0] * np.sqrt(num_inputs)
    return inputs_BN


def _batch(target: Target, relation: Relation, n: int, inputs_BN: Any, indices: dict[Hashable, int]) -> Any:
    """Return inputs, outputs and the number of the label at every (i, j), 0 where i > j; new labels get new numbers."""
    import numpy as np

    matrix_NN, labels_NN = np.zeros((n, n)), np.zeros((n, n), dtype=np.int64)
    for j in range(1, n + 1):
        for i in range(1, j + 1):
            matrix_NN[i - 1, j - 1] = float(target.entry(i, j, n))
            label = label_of(relation, (i, j, n))
            labels_NN[i - 1, j - 1] = indices.setdefault(label, len(indices) + 1)
    return inputs_BN, inputs_BN @ matrix_NN, labels_NN
