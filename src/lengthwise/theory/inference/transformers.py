"""Idealized inference over a grid of tiny limit transformers: one layer, one head, whole numbers as parameters.

The input is ``$`` w ``#``, n tokens, read at ``#``. A token σ at position j, counted from 0, has a key k(σ) and a value
v(σ); for ``#`` both are 0. With positions, a key also has φ(d) by its distance d to ``#``, 0 beyond τ, and a value has u(j mod
Δ); the output has c by the position of ``#``. Attention is scaled by log n, so that a key's weight is n to the power of its logit::

    logit(j) = k(w_j) + φ(n − 1 − j)            o = Σ_j n^logit(j) · (v(w_j) + u(j mod Δ)) / Σ_j n^logit(j)
    accept   = [ o + c((n − 1) mod Δ) + b > 0 ]

Logits are whole numbers, so n^logit is rational, and acceptance is decided exactly: with M large enough, by the sign of the
integer Σ_j n^(logit(j) + M) · (v + u + c + b). This is a limit transformer that is PERIODIC with period Δ and LOCAL with
window τ; without positions it has k, v and b only. :func:`matrices` writes one out.

R(T) is, as we understand the regularizer of arXiv 2410.02140: layers + heads; the precision, which is how many bits the
largest of its parameters in the grid has; the rank of V; the norms of KᵀQ, V, A, B and U; the largest norms of an embedding, of a position
vector and of the bias; and the sum of φ(d)², which is what its positional term comes to in the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ...errors import CapExceededError, InvalidOptionError
from .table import (
    Inference,
    Numbers,
    Row,
    Target,
    Truths,
    even_numbers,
    first_wrong_word,
    numbered_words,
    require_few_words,
)

MAX_HYPOTHESES = 30_000_000
WINDOW, PERIOD = 2, 2
_CHUNK = 400_000
_CELLS = 4_000_000
START, END = "$", "#"

Reals = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]
"""Called with how many of how many hypotheses were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """All tiny transformers over an alphabet with parameters from −largest to largest.

    Hypotheses are numbered in the order of their parameters, the first of :attr:`names` changing slowest; the values of
    a parameter come in the order 0, 1, −1, 2, −2, ….
    """

    alphabet: tuple[str, ...]
    largest: int = 1
    window: int = WINDOW
    period: int = PERIOD
    positions: bool = True

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("the largest parameter", self.largest, 1, 3),
            ("the window", self.window, 0, 4),
            ("the period", self.period, 1, 4),
        ):
            if type(value) is not int or not low <= value <= high:
                raise InvalidOptionError(
                    f"{name} must be a whole number from {low} to {high}; found {value!r}.", hint="correct the value."
                )
        if len(self) > MAX_HYPOTHESES:
            raise CapExceededError(
                f"there are {len(self):,} transformers with {len(self.names)} parameters from −{self.largest} to "
                f"{self.largest}; the cap is {MAX_HYPOTHESES:,}.",
                hint="use fewer symbols or smaller parameters.",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters: bias, values and keys of tokens, then what comes with positions."""
        tokens = (*self.alphabet, START)
        names = ["b", *(f"v({token})" for token in tokens), *(f"k({token})" for token in tokens)]
        if self.positions:
            names += [f"c({residue})" for residue in range(self.period)]
            names += [f"u({residue})" for residue in range(self.period)]
            names += [f"φ({distance})" for distance in range(1, self.window + 1)]
        return tuple(names)

    @property
    def values(self) -> tuple[int, ...]:
        """What a parameter can be, in order."""
        return (0, *(sign * size for size in range(1, self.largest + 1) for sign in (1, -1)))

    @property
    def least(self) -> int:
        """No logit is below minus this, and none above it."""
        return self.largest * (2 if self.positions else 1)

    @property
    def longest(self) -> int:
        """The longest word whose sum of weights is sure to fit into 63 bits."""
        power, sums = (
            2 * self.least + 1,
            4 * self.largest,
        )  # n tokens, each n^(logit + least) times at most four parameters
        n = int((2**63 / sums) ** (1 / power)) + 1
        while n**power * sums >= 2**63:
            n -= 1
        return n - 2

    def __len__(self) -> int:
        return int((2 * self.largest + 1) ** len(self.names))

    def parameters(self, numbers: Numbers) -> Numbers:
        """Return the parameters of hypotheses by their numbers, a row for each."""
        base = 2 * self.largest + 1
        powers = np.array([base**place for place in range(len(self.names) - 1, -1, -1)], np.int64)
        found: Numbers = np.array(self.values, np.int64)[numbers[:, None] // powers % base]
        return found

    def describe(self, parameters: Sequence[int]) -> str:
        """Return the parameters that are not 0, in a line."""
        told = [f"{name} = {_signed(value)}" for name, value in zip(self.names, parameters, strict=True) if value]
        return ", ".join(told) or "all parameters 0"


def _signed(value: int) -> str:
    return str(value).replace("-", "−")


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Parameters by what they are; a row for each hypothesis. The last token is ``#``, the last distance any beyond τ."""

    bias: Numbers
    value: Numbers
    key: Numbers
    output: Numbers
    periodic: Numbers
    local: Numbers


def _split(grid: Grid, parameters: Numbers) -> _Parts:
    tokens = len(grid.alphabet) + 1
    ends = np.cumsum([1, tokens, tokens, *([grid.period] * 2 + [grid.window] if grid.positions else [])])
    bias, value, key, *rest = np.split(parameters, ends[:-1], axis=1)
    none = np.zeros((len(parameters), 1), np.int64)
    output, periodic, local = rest or (none, none, none[:, :0])
    return _Parts(
        bias=bias[:, 0],
        value=np.concatenate([value, none], axis=1),
        key=np.concatenate([key, none], axis=1),
        output=output,
        periodic=periodic,
        local=np.concatenate([none, local, none], axis=1),
    )


def accept_words(grid: Grid, parameters: Numbers, words_WL: Numbers) -> Truths:
    """Return whether each transformer accepts each word, [transformers, words]; words of one length, as symbol numbers."""
    parts = _split(grid, parameters)
    length = words_WL.shape[1]
    if length > grid.longest:
        raise CapExceededError(
            f"words of length {length} are too long to be decided exactly with parameters up to {grid.largest}; the cap is length "
            f"{grid.longest}.",
            hint="use shorter words or smaller parameters.",
        )
    n = length + 2
    start, end = len(grid.alphabet), len(grid.alphabet) + 1
    least = grid.least
    powers = np.array([n**each for each in range(2 * least + 1)], np.int64)
    shift_P = parts.bias + parts.output[:, (n - 1) % parts.output.shape[1]]
    total_PW = np.zeros((len(parameters), len(words_WL)), np.int64)
    for j in range(n):
        tokens_W = np.full(len(words_WL), start if j == 0 else end) if j in (0, n - 1) else words_WL[:, j - 1]
        local_P = parts.local[:, min(n - 1 - j, parts.local.shape[1] - 1)]
        values_P = parts.periodic[:, j % parts.periodic.shape[1]] + shift_P
        weights = powers[parts.key[:, tokens_W] + local_P[:, None] + least]
        total_PW += weights * (parts.value[:, tokens_W] + values_P[:, None])
    return total_PW > 0


def complexities(grid: Grid, parameters: Numbers) -> Reals:
    """Return R(T) of each transformer, rounded to nine places so that equal ones are equal."""
    parts = _split(grid, parameters)
    sizes_P = np.abs(parameters).max(axis=1)
    precision = np.ceil(np.log2(sizes_P + 1.0))
    attends = (parts.key != 0).any(axis=1)  # else KᵀQ is 0
    moves = (parts.value != 0).any(axis=1) | (parts.periodic != 0).any(axis=1)  # else V is 0
    embedding = np.sqrt((parts.key**2 + parts.value**2).max(axis=1))
    position = np.sqrt((parts.output**2 + parts.periodic**2).max(axis=1))
    fixed = 1 + 1 + 1 + 1 + 1  # layers, heads, and the norms of A, B and U
    found = fixed + precision + attends + 2.0 * moves + np.maximum(1.0, embedding) + position
    return np.asarray(np.round(found + np.abs(parts.bias) + (parts.local**2).sum(axis=1), 9), np.float64)


def infer_transformers(
    target: Target, grid: Grid, *, last_n: int = 12, compared: int | None = None, progress: Progress | None = None
) -> Inference:
    """Return what is chosen for n = 2, 4, …, ``last_n`` among the transformers of a grid.

    Lengths are gone through one by one, and who errs at one is not asked about the next.
    """
    if grid.alphabet != target.alphabet:
        raise InvalidOptionError(
            f"the grid is over {grid.alphabet} and the target over {target.alphabet}.", hint="use one alphabet."
        )
    numbers = even_numbers(last_n)
    require_few_words(target, last_n)
    if last_n > grid.longest:
        raise CapExceededError(
            f"n goes up to {grid.longest} for parameters up to {grid.largest}, where all is decided exactly; found {last_n}.",
            hint="use a smaller n or smaller parameters.",
        )
    compared = min(target.check_length, grid.longest, 10) if compared is None else compared
    rows: list[Row] = []
    left = np.concatenate(list(_agree_at_first(target, grid, progress)))
    for n in numbers:
        length = n // 2
        if length > 1:
            left = _agreeing(target, grid, left, length)
        rows.append(_row(target, grid, left, n, compared))
    return Inference(
        hypotheses=(
            f"{len(grid):,} limit transformers of 1 layer and 1 head, read at {END}: {len(grid.names)} parameters from −{grid.largest} to "
            f"{grid.largest}"
            + (f", φ to distance {grid.window}, period {grid.period}" if grid.positions else ", without positions")
        ),
        counted="all of the class",
        order=f"the first by {', '.join(grid.names)}, each in the order {', '.join(map(_signed, grid.values))}",
        compared=compared,
        rows=tuple(rows),
    )


def _agree_at_first(target: Target, grid: Grid, progress: Progress | None) -> Iterator[Numbers]:
    """Yield, chunk by chunk, the numbers of the hypotheses that agree up to length 1."""
    for start in range(0, len(grid), _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, len(grid)), dtype=np.int64)
        for length in range(target.min_length, 2):
            numbers = _agreeing(target, grid, numbers, length)
        yield numbers
        if progress is not None:
            progress(min(start + _CHUNK, len(grid)), len(grid))


def _agreeing(target: Target, grid: Grid, numbers: Numbers, length: int) -> Numbers:
    """Return those hypotheses that agree on all words of a length."""
    labels_W = target.labels(length)
    words_WL = numbered_words(target, length)
    step = max(1, _CELLS // len(words_WL))
    kept = []
    for start in range(0, len(numbers), step):
        some = numbers[start : start + step]
        kept.append(some[(accept_words(grid, grid.parameters(some), words_WL) == labels_W).all(axis=1)])
    return np.concatenate(kept) if kept else numbers


def _row(target: Target, grid: Grid, left: Numbers, n: int, compared: int) -> Row:
    if not len(left):
        return Row(n=n, chosen=None)
    parameters = grid.parameters(left)
    found = complexities(grid, parameters)
    tied = parameters[found == found.min()]
    lengths = range(target.min_length, compared + 1)
    told = {length: target.labels(length) for length in lengths}
    ways: dict[bytes, bool] = {}
    for some in np.array_split(tied, -(-len(tied) // 200)):
        said = {length: accept_words(grid, some, numbered_words(target, length)) for length in lengths}
        for number in range(len(some)):
            key = b"".join(said[length][number].tobytes() for length in lengths)
            ways[key] = all((said[length][number] == told[length]).all() for length in lengths)
    checked = max(n, min(target.check_length, grid.longest))
    chosen = tied[:1]

    def accepts(length: int) -> Truths:
        said: Truths = accept_words(grid, chosen, numbered_words(target, length))[0]
        return said

    return Row(
        n=n,
        chosen=grid.describe([int(each) for each in chosen[0]]),
        complexity=float(found.min()),
        agreeing=len(left),
        tied=len(tied),
        behaviours=len(ways),
        has_right=any(ways.values()),
        first_wrong=first_wrong_word(target, accepts, checked),
        checked=checked,
    )


# The oracle


def accepts_slowly(grid: Grid, parameters: Sequence[int], word: Sequence[str]) -> bool:
    """Return whether one transformer accepts one word, by the formula at the top in fractions: the oracle."""
    named = dict(zip(grid.names, parameters, strict=True))
    tokens = (START, *word, END)
    n = len(tokens)
    weights, sums = Fraction(0), Fraction(0)
    for j, token in enumerate(tokens):
        logit = named.get(f"k({token})", 0) + named.get(f"φ({n - 1 - j})", 0)
        weight = Fraction(n) ** logit
        weights += weight
        sums += weight * (named.get(f"v({token})", 0) + named.get(f"u({j % grid.period})", 0))
    return sums / weights + named.get(f"c({(n - 1) % grid.period})", 0) + named["b"] > 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrices:
    """A tiny transformer as the matrices of a limit transformer, with channels (key, value, output, end, accept)."""

    embeddings: dict[str, Reals]
    positions: tuple[Reals, ...]  # p_0, p_1, … for one period; p_j is added at position j
    keys_queries: Reals  # KᵀQ
    values: Reals  # V
    into: Reals  # A, one row, with a Heaviside behind it
    bias: Reals  # b
    out: Reals  # B
    readout: Reals  # U, one row
    local: dict[int, int]  # φ by distance


def matrices(grid: Grid, parameters: Sequence[int]) -> Matrices:
    """Return a tiny transformer written out: d = 5 channels, one head, one hidden unit."""
    named = dict(zip(grid.names, parameters, strict=True))

    def unit(*entries: float) -> Reals:
        return np.array(entries, np.float64)

    embeddings = {token: unit(named[f"k({token})"], named[f"v({token})"], 0, 0, 0) for token in (*grid.alphabet, START)}
    period = grid.period if grid.positions else 1
    keys_queries, values = np.zeros((5, 5)), np.zeros((5, 5))
    keys_queries[0, 3] = float(any(named[f"k({token})"] for token in embeddings))
    uses_values = [*(named[f"v({token})"] for token in embeddings), *(named.get(f"u({r})", 0) for r in range(period))]
    values[2, 1] = float(any(uses_values))
    return Matrices(
        embeddings=embeddings | {END: unit(0, 0, 0, 1, 0)},
        positions=tuple(unit(0, named.get(f"u({r})", 0), named.get(f"c({r})", 0), 0, 0) for r in range(period)),
        keys_queries=keys_queries,
        values=values,
        into=unit(0, 0, 1, 0, 0)[None],
        bias=unit(named["b"]),
        out=unit(0, 0, 0, 0, 1)[:, None],
        readout=unit(0, 0, 0, 0, 1)[None],
        local={d: named[f"φ({d})"] for d in range(1, grid.window + 1)} if grid.positions else {},
    )
