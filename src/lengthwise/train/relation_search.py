"""Which positions does a task read? A search among small equations, by what the tokens there tell about the next one.

A set of relations is judged by a table: the next token, by the tokens that the relations point to, counted on half of the instances
and asked for on the others. Relations are added one by one, or in pairs where single ones tell little, then exchanged and left out as
long as nothing is lost; of several that tell the same, the simplest is taken. In the end a table that is counted at the smaller
training scales must predict the larger ones; where it does not, the search is repeated from the last token on, which a model knows
anyway, then at fewer scales, and judged at all. The table itself is a circuit with a learned operator; a transformer whose encoding
knows the relations (lbpe_found) is trained beside it.

Ours; the frame is our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from time import monotonic

import numpy as np

from ..encodings.core.guarded import Guarded, write_guarded
from ..encodings.relation_readout import in_circuit_notation
from ..errors import InvalidOptionError
from ..seeds import DATA, EVALUATION, open_stream
from ..tasks.core.task import Task
from .relation_family import (
    Candidate,
    Numbers,
    Points,
    as_guarded,
    distinct,
    draw_points,
    make_family,
    marks_of,
    values_of,
)

ENOUGH_BITS = 0.02
"""A set of relations is complete when the next token is uncertain by no more than so many bits."""
LEAST_GAIN = 0.02
SMALL_GAIN = 0.1
"""Where a single relation tells less than this, pairs are tried too."""
_MOST_POINTS = 24_000
_ROUNDS = 3  # of growing and tidying
_PAIRED = 110  # so many of the simplest candidates are tried in pairs, where no single one tells anything
_FEW = 1500  # a first look is at so many points
_COMPARED = 60  # and so many candidates are compared on all
_PRIOR = 0.1  # how many instances the prior is worth

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a search: what was done, and how uncertain the next token is after it, in bits."""

    what: str
    bits: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The relations that a search found for a task, simplest first.

    ``bits`` is how uncertain the next token is at the larger training scales, by a table of the smaller ones.
    ``guarded`` are the relations between ids and scale, or
    None where a part of the prompt does not begin at a place that the scale gives. ``table`` is the share of instances that the
    table, counted at the training scales, answers wholly right, by scale.
    """

    task: str
    relations: tuple[Candidate, ...]
    names: tuple[str, ...]
    guarded: tuple[Guarded, ...] | None
    num_candidates: int
    bits: float
    trace: tuple[Step, ...]
    table: dict[int, float] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether the table predicts the larger training scales."""
        return self.bits <= ENOUGH_BITS

    @property
    def encoding(self) -> str | None:
        """The name of the encoding that knows these relations, or None where there is none."""
        return None if not self.guarded else f"lbpe_found(relations={write_guarded(self.guarded)})"

    @property
    def equations(self) -> tuple[str, ...]:
        """The relations in words, each within its part, and as equations in i, q and n where there are such."""
        told = [relation.told(self.names) for relation in self.relations]
        if self.guarded is None:
            return tuple(told)
        return tuple(
            f"{in_circuit_notation(guarded.equation)} ({text})"
            for guarded, text in zip(self.guarded, told, strict=True)
        )

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data."""
        return {
            "task": self.task,
            "equations": list(self.equations),
            "encoding": self.encoding,
            "candidates": self.num_candidates,
            "bits": round(self.bits, 4),
            "complete": self.complete,
            "trace": [{"what": step.what, "bits": round(step.bits, 4)} for step in self.trace],
            "table": {str(scale): round(share, 6) for scale, share in self.table.items()},
            "seconds": round(self.seconds, 1),
        }


def find_relations(
    task: Task,
    *,
    scales: int = 12,
    tested: Sequence[int] = (),
    per_length: int | None = None,
    most: int = 6,
    seed: int = 0,
    report: Report | None = None,
) -> Found:
    """Return the relations of a task, seen at scales up to ``scales``; the table is also tried at the ``tested`` scales.

    ``per_length`` is the number of instances of each length; by default 256, and more where there are many symbols;
    fewer where instances are long.
    """
    started = monotonic()
    per_length = max(256, 3 * len(task.symbols)) if per_length is None else per_length
    lengths = task.lengths(1, scales)
    if len(lengths) < 3:
        raise InvalidOptionError(
            f"{task.name!r} has {len(lengths)} lengths up to {scales}; relations need at least 3, or n and a constant "
            "cannot be told apart.",
            hint="use larger scales.",
        )
    scored = sum(len(task.scored(length)) for length in lengths)
    per_length = max(16, min(per_length, _MOST_POINTS // scored))
    points = draw_points(task, lengths, per_length, open_stream(DATA, seed=seed).at(0))
    trace: list[Step] = []
    best: tuple[float, tuple[Candidate, ...]] | None = None
    for number, is_told in ((len(lengths), False), (len(lengths), True), (max(3, len(lengths) // 2), True)):
        search = _Search(points.up_to(lengths[number - 1]), report or (lambda _: None))
        first = search.last_token() if is_told else []
        if is_told:
            search.note(f"again, up to scale {lengths[number - 1]}, with the last token known", search.bits(first))
        chosen = [search.family[place] for place in search.run(most, first)]
        relations = tuple(sorted(chosen, key=lambda each: (each.part, each.size)))
        trace += search.trace
        bits = uncertainty_at_larger_scales(relations, points)
        best = (bits, relations) if best is None or bits < best[0] else best
        if bits <= ENOUGH_BITS:
            break
    assert best is not None
    bits, relations = best
    told = [as_guarded(relation, points) for relation in relations]
    guarded = tuple(each for each in told if each is not None)
    return Found(
        task=task.name,
        relations=relations,
        names=points.names,
        guarded=guarded if len(guarded) == len(told) else None,
        num_candidates=search.num_candidates,
        bits=bits,
        trace=tuple(trace),
        table=try_table(task, relations, points, [lengths[-1], *tested], seed=seed),
        seconds=monotonic() - started,
    )


class _Search:
    """Growing, exchanging and leaving out; half of the instances are counted, the others asked."""

    def __init__(self, points: Points, report: Report) -> None:
        family = make_family(points)
        self.num_candidates = len(family)
        self.family, values_CP = distinct(family, points)
        self.base = points.num_tokens + 1
        self.names = points.names
        is_counted = points.row_P % 2 == 0
        self.counted_CP, self.asked_CP = values_CP[:, is_counted], values_CP[:, ~is_counted]
        self.counted_P, self.asked_P = points.target_P[is_counted], points.target_P[~is_counted]
        self.num_tokens = points.num_tokens
        counts = np.bincount(self.counted_P, minlength=points.num_tokens) + 1e-3
        self.prior = counts / counts.sum()
        self.few = _Few(self)
        self.trace: list[Step] = []
        self.report = report

    def last_token(self) -> list[int]:
        """Return the number of the relation that points to the query itself, whose token a model knows anyway."""
        last = len(self.names) - 1
        wanted = Candidate(part=last, a=1, b=1, c=0, d=0)
        return [place for place, candidate in enumerate(self.family) if candidate == wanted]

    def run(self, most: int, first: list[int]) -> list[int]:
        """Return the numbers of the chosen candidates, the search beginning with the first."""
        chosen = list(first)
        if not first:
            self.note("nothing is read", self.bits([]))
        for _ in range(_ROUNDS):
            grown = self._grow(chosen, most)
            tidied = self._tidy(grown)
            if self.bits(tidied) <= ENOUGH_BITS or sorted(tidied) == sorted(chosen):
                return tidied
            chosen = tidied
        return chosen

    def _grow(self, chosen: list[int], most: int) -> list[int]:
        """Return the chosen candidates and more, as long as these tell something."""
        chosen, bits = list(chosen), self.bits(chosen)
        while bits > ENOUGH_BITS and len(chosen) < most:
            added = self._best_one(chosen, bits)
            gain = 0.0 if added is None else bits - self.bits([*chosen, *added])
            if gain < SMALL_GAIN and len(chosen) + 2 <= most:
                pair = self._best_pair(chosen, bits)
                added = pair if pair and bits - self.bits([*chosen, *pair]) > 2 * gain else added
            if added is None:
                break
            chosen += added
            bits = self.note(" and ".join(f"+ {self._told(place)}" for place in added), self.bits(chosen))
        return chosen

    def _tidy(self, chosen: list[int]) -> list[int]:
        """Return the same after leaving out what tells nothing, and exchanging what can be better or simpler."""
        for _ in range(3):
            before = list(chosen)
            for place in sorted(chosen, key=lambda each: self.family[each].size, reverse=True):
                rest = [each for each in chosen if each != place]
                if self.bits(rest) <= self.bits(chosen) + ENOUGH_BITS / 4:
                    chosen = rest
                    self.note(f"− {self._told(place)}", self.bits(chosen))
            for place in list(chosen):
                rest = [each for each in chosen if each != place]
                better = self._best_one(rest, self.bits(rest))
                if better and better[0] != place and better[0] not in rest:
                    new = [*rest, better[0]]
                    is_simpler = self.family[better[0]].size < self.family[place].size
                    gain = self.bits(chosen) - self.bits(new)
                    if gain > ENOUGH_BITS / 4 or (is_simpler and gain >= -ENOUGH_BITS / 4):
                        chosen = new
                        self.note(f"{self._told(place)} becomes {self._told(better[0])}", self.bits(chosen))
            if chosen == before:
                break
        return chosen

    def _best_one(self, chosen: list[int], bits: float) -> list[int] | None:
        """Return the candidate after which the next token is least uncertain; of those that are about as good, the simplest."""
        counted, asked = self.few.thin(*self._cells(chosen))
        rough = [
            self.few.bits(counted * self.base + one, asked * self.base + two)
            for one, two in zip(self.few.counted_CP, self.few.asked_CP, strict=True)
        ]
        best = np.sort(np.argsort(rough, kind="stable")[:_COMPARED])  # the family is in order of size
        found = np.array([self.bits([*chosen, int(place)]) for place in best])
        gain = bits - found.min()
        if gain < LEAST_GAIN:
            return None
        return [int(best[np.flatnonzero(found <= found.min() + 0.002 + 0.01 * gain)[0]])]

    def _best_pair(self, chosen: list[int], bits: float) -> list[int] | None:
        """Return the two of the simplest candidates that tell most together."""
        self.report("single relations tell little: trying pairs")
        few = self.few
        counted, asked = few.thin(*self._cells(chosen))
        rough = []
        for one, two in combinations(range(min(_PAIRED, len(self.family))), 2):
            told = few.bits(
                (counted * self.base + few.counted_CP[one]) * self.base + few.counted_CP[two],
                (asked * self.base + few.asked_CP[one]) * self.base + few.asked_CP[two],
            )
            rough.append((told, one, two))
        rough.sort()
        compared = [(self.bits([*chosen, one, two]), one, two) for _, one, two in rough[:_COMPARED]]
        least, one, two = min(compared)
        return [one, two] if least < bits - LEAST_GAIN else None

    def bits(self, chosen: Sequence[int]) -> float:
        """Return how uncertain the next token of the asked instances is, by the table of the counted ones."""
        return self._bits(*self._cells(chosen))

    def _cells(self, chosen: Sequence[int]) -> tuple[Numbers, Numbers]:
        """Return a number for what the chosen candidates read."""
        counted, asked = np.zeros(self.counted_P.shape, np.int64), np.zeros(self.asked_P.shape, np.int64)
        for place in chosen:
            counted, asked = counted * self.base + self.counted_CP[place], asked * self.base + self.asked_CP[place]
        return counted, asked

    def _bits(self, counted: Numbers, asked: Numbers) -> float:
        return uncertainty(counted, self.counted_P, asked, self.asked_P, self.prior)

    def note(self, what: str, bits: float) -> float:
        """Keep and report a step."""
        self.trace.append(Step(what=what, bits=bits))
        self.report(f"{what}: {bits:.3f} bits")
        return bits

    def _told(self, place: int) -> str:
        return self.family[place].told(self.names)


class _Few:
    """Some of the points, evenly spread, for a first look."""

    def __init__(self, search: _Search) -> None:
        self.every = [max(1, len(targets) // _FEW) for targets in (search.counted_P, search.asked_P)]
        self.counted_CP, self.asked_CP = self.thin(search.counted_CP, search.asked_CP)
        self.counted_P, self.asked_P = self.thin(search.counted_P, search.asked_P)
        self.prior = search.prior

    def thin(self, counted: Numbers, asked: Numbers) -> tuple[Numbers, Numbers]:
        """Return what belongs to these points."""
        one, two = self.every
        return counted[..., ::one], asked[..., ::two]

    def bits(self, counted: Numbers, asked: Numbers) -> float:
        """Return how uncertain the next token is."""
        return uncertainty(counted, self.counted_P, asked, self.asked_P, self.prior)


def uncertainty(counted: Numbers, counted_P: Numbers, asked: Numbers, asked_P: Numbers, prior: Numbers) -> float:
    """Return how many bits the targets of some points take, by a table of what was read and of the targets at others.

    >>> uncertainty(np.array([0, 1, 1]), np.array([0, 1, 1]), np.array([1]), np.array([1]), np.array([0.5, 0.5])) < 0.1
    True
    """
    num_tokens = len(prior)
    known, place = np.unique(counted, return_inverse=True)
    counts = np.bincount(place * num_tokens + counted_P, minlength=len(known) * num_tokens)
    totals = np.bincount(place, minlength=len(known))
    row = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    is_known = known[row] == asked
    count = np.where(is_known, counts[row * num_tokens + asked_P], 0)
    total = np.where(is_known, totals[row], 0)
    share = (count + _PRIOR * prior[asked_P]) / (total + _PRIOR)
    return float(-np.log2(share).mean())


def uncertainty_at_larger_scales(relations: Sequence[Candidate], points: Points) -> float:
    """Return how uncertain the next token is at the larger third of the scales, by a table of the others."""
    lengths = np.unique(points.scale_I)
    is_small = points.scales <= lengths[max(0, 2 * len(lengths) // 3 - 1)]
    cells, targets = _joint(relations, points, points.num_tokens + 1), points.target_P
    counts = np.bincount(targets[is_small], minlength=points.num_tokens) + 1e-3
    return uncertainty(cells[is_small], targets[is_small], cells[~is_small], targets[~is_small], counts / counts.sum())


def try_table(
    task: Task,
    relations: Sequence[Candidate],
    points: Points,
    scales: Sequence[int],
    *,
    per_scale: int = 200,
    seed: int = 0,
) -> dict[int, float]:
    """Return the share of instances that the table answers wholly right, by scale; a row that was never seen is wrong."""
    base = points.num_tokens + 1
    table: dict[int, Numbers] = {}
    cells = _joint(relations, points, base)
    for cell, target in zip(cells.tolist(), points.target_P.tolist(), strict=True):
        table.setdefault(cell, np.zeros(points.num_tokens, np.int64))[target] += 1
    rows = {cell: int(counts.argmax()) for cell, counts in table.items()}
    shares = {}
    for scale in scales:
        if not task.lengths(scale, scale):
            continue
        asked = draw_points(
            task, [scale], per_scale, open_stream(EVALUATION, seed=seed).at(scale), marks_of(points.names, task)
        )
        said = np.array([rows.get(cell, -1) for cell in _joint(relations, asked, base).tolist()])
        wrong = np.zeros(per_scale, bool)
        np.logical_or.at(wrong, asked.row_P, said != asked.target_P)
        shares[scale] = float(1 - wrong.mean())
    return shares


def _joint(relations: Sequence[Candidate], points: Points, base: int) -> Numbers:
    cells = np.zeros(points.row_P.shape, np.int64)
    for relation in relations:
        cells = cells * base + values_of(relation, points)
    return cells
