"""Relations that a search may choose from: small equations between places within the parts of an instance.

The parts are the answer and what lies between <bos>, the symbols that every prompt has exactly once, and <sep>. u is the number
of a key in its part, from 1 on (the separator is 0 of the answer), w how many tokens of the answer are written, and S the
number of tokens of the part: a·u = b·w + c·S + d. Nothing here knows a task: parts are seen in samples.

Shapes: I instances, L tokens, P points (a point is a token to predict), C candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import gcd
from typing import Any

import numpy as np

from ..arrays import numpy_arrays
from ..encodings.core.guarded import EVERYWHERE, Guarded
from ..errors import InvalidOptionError
from ..seeds import Draw
from ..tasks.core.task import IGNORE, SEP, Objective, Task
from ..theory.positions.relations_ideal import Equation

MOST_WRITTEN, MOST_SIZES, MOST_CONSTANT = 3, 2, 3
"""Bounds of |b|, |c| and |d|."""
_STEPS = (1, 2)  # of u, and the moduli

Numbers = Any
"""An array of whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Tokens to predict with the instances that they belong to; ``starts_IG`` is where each part begins, the answer last."""

    tokens_IL: Numbers
    scale_I: Numbers
    starts_IG: Numbers
    row_P: Numbers
    query_P: Numbers
    target_P: Numbers
    names: tuple[str, ...]
    """What each part begins with."""
    num_tokens: int

    def up_to(self, scale: int) -> Points:
        """Return the points of instances up to a scale."""
        kept = self.scales <= scale
        return replace(self, row_P=self.row_P[kept], query_P=self.query_P[kept], target_P=self.target_P[kept])

    @property
    def scales(self) -> Numbers:
        """The scale of every point."""
        return self.scale_I[self.row_P]

    @property
    def written(self) -> Numbers:
        """How many tokens of the answer are written at every point."""
        return self.query_P - self.starts_IG[self.row_P, -1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """a·u = b·w + c·S + d in one part, where u − 1 has a remainder."""

    part: int
    a: int
    b: int
    c: int
    d: int
    modulus: int = 1
    remainder: int = 0

    @property
    def size(self) -> tuple[int, ...]:
        """How simple it is, for comparison: simpler ones are smaller."""
        four = (self.a, self.b, self.c, self.d)
        apart = 0 if self.b == 1 else 1  # u = w + … is the simplest form
        return (sum(map(abs, four)) + apart + 2 * (self.modulus - 1), self.modulus, *map(abs, four), self.b, self.d)

    def told(self, names: Sequence[str]) -> str:
        """Return it in words, with t = w + 1 for the token that is written next.

        >>> Candidate(part=0, a=1, b=2, c=0, d=1).told(["<bos>", "<sep>"])
        'u = 2t − 1 after <bos>'
        """
        terms = ((self.b, "t"), (self.c, "S"), (self.d - self.b, ""))
        text = ""
        for number, name in terms:
            if number:
                size = name if name and abs(number) == 1 else f"{abs(number)}{name}"
                sign = ("− " if text else "−") if number < 0 else ("+ " if text else "")
                text += f"{' ' if text else ''}{sign}{size}"
        parity = "" if self.modulus == 1 else f", {('odd', 'even')[self.remainder]} u"
        return f"{'' if self.a == 1 else self.a}u = {text or '0'} after {names[self.part]}{parity}"


def draw_points(
    task: Task, lengths: Sequence[int], per_length: int, draw: Draw, marks: Sequence[int] | None = None
) -> Points:
    """Return the points of random instances, so many of each length; ``marks`` are the symbols that begin parts, if known."""
    if task.objective is not Objective.ANSWER:
        raise InvalidOptionError(
            f"relations are searched for tasks with answers, and {task.name!r} has none.",
            hint="use another task, for example repeat_copy.",
        )
    xp = numpy_arrays()
    chosen = np.repeat(np.asarray(lengths), per_length)
    batch = task.sample(draw, chosen, max(lengths), xp)
    tokens, targets = np.asarray(batch.tokens_MBL), np.asarray(batch.targets_MBL)
    sep = task.token(SEP)
    sep_I = (tokens == sep).argmax(-1)
    place = np.arange(tokens.shape[-1])
    prompt = (place > 0) & (place < sep_I[:, None])
    if marks is None:
        marks = _find_marks(tokens, prompt, len(task.symbols))
    starts = [np.zeros_like(sep_I), *(((tokens == mark) & prompt).argmax(-1) for mark in marks), sep_I]
    row, query = np.nonzero(targets != IGNORE)
    names = ("<bos>", *(task.vocabulary[mark] for mark in marks), SEP)
    return Points(
        tokens_IL=tokens,
        scale_I=np.asarray(batch.scale_MB),
        starts_IG=np.stack(starts, axis=-1),
        row_P=row,
        query_P=query,
        target_P=targets[row, query],
        names=names,
        num_tokens=len(task.vocabulary),
    )


def marks_of(names: Sequence[str], task: Task) -> tuple[int, ...]:
    """Return the symbols that begin the parts of the prompt after the first, by what all parts begin with."""
    return tuple(task.token(name) for name in names[1:-1])


def _find_marks(tokens: Numbers, prompt: Numbers, num_symbols: int) -> list[int]:
    """Return the symbols that every prompt has exactly once, in the order in which they always come."""
    every = [symbol for symbol in range(num_symbols) if (((tokens == symbol) & prompt).sum(-1) == 1).all()]
    found = {symbol: ((tokens == symbol) & prompt).argmax(-1) for symbol in every}
    every.sort(key=lambda symbol: float(found[symbol].mean()))
    in_order = all((found[one] < found[two]).all() for one, two in pairwise(every))
    return every if in_order else []


def make_family(points: Points) -> list[Candidate]:
    """Return all candidates, simplest first."""
    found = []
    last = points.starts_IG.shape[-1] - 1
    for part in range(last + 1):
        is_answer = part == last
        for a, b, c, d in product(
            _STEPS,
            range(-MOST_WRITTEN, MOST_WRITTEN + 1),
            (0,) if is_answer else range(-MOST_SIZES, MOST_SIZES + 1),
            range(-MOST_CONSTANT, MOST_CONSTANT + 1),
        ):
            if gcd(a, b, c, d) == 1:
                found += [
                    Candidate(part=part, a=a, b=b, c=c, d=d, modulus=modulus, remainder=remainder)
                    for modulus in _STEPS
                    for remainder in range(modulus)
                ]
    return sorted(found, key=lambda each: (each.size, each.part))


def keys_of(candidate: Candidate, points: Points) -> Numbers:
    """Return the place of the key of every point, −1 where there is none."""
    starts = points.starts_IG[points.row_P]
    start, written = starts[:, candidate.part], points.written
    is_answer = candidate.part == starts.shape[-1] - 1
    size = written if is_answer else starts[:, candidate.part + 1] - start - 1
    total = candidate.b * written + candidate.c * size + candidate.d
    u = total // candidate.a
    is_one = (u * candidate.a == total) & (u >= (0 if is_answer else 1)) & (u <= size)
    is_one &= (u - 1) % candidate.modulus == candidate.remainder
    return np.where(is_one, start + u, -1)


def values_of(candidate: Candidate, points: Points) -> Numbers:
    """Return the token at the key of every point, and one number more than there are tokens where there is none."""
    return _tokens_at(keys_of(candidate, points), points)


def _tokens_at(key_P: Numbers, points: Points) -> Numbers:
    return np.where(key_P < 0, points.num_tokens, points.tokens_IL[points.row_P, np.maximum(key_P, 0)])


def distinct(family: Sequence[Candidate], points: Points) -> tuple[list[Candidate], Numbers]:
    """Return the simplest of all candidates that read the same at every point, and what they read, [C, P]."""
    seen: set[bytes] = set()
    kept, values = [], []
    for candidate in family:
        key = keys_of(candidate, points).astype(np.int32)
        name = key.tobytes()
        if name not in seen and (key >= 0).any():
            seen.add(name)
            kept.append(candidate)
            values.append(_tokens_at(key, points).astype(np.int32))
    return kept, np.stack(values)


def as_guarded(candidate: Candidate, points: Points) -> Guarded | None:
    """Return the relation between ids and scale that a candidate is, or None where its part does not begin and end at p·n + o."""
    bounds = [_line(points.scale_I, points.starts_IG[:, part]) for part in range(points.starts_IG.shape[-1])]
    is_answer = candidate.part == len(bounds) - 1
    start, sep = bounds[candidate.part], bounds[-1]
    end = None if is_answer else bounds[candidate.part + 1]
    if start is None or sep is None or (end is None and not is_answer):
        return None
    size = (0, 0) if end is None else (end[0] - start[0], end[1] - start[1] - 1)
    # a(i − start) = b(q − sep) + c·S + d
    a, b, c, d = candidate.a, candidate.b, candidate.c, candidate.d
    numbers = [b * sep[place] - a * start[place] - c * size[place] for place in (0, 1)]
    low = start if is_answer else (start[0], start[1] + 1)
    return Guarded(
        equation=Equation(key=a, query=-b, scale=numbers[0], constant=numbers[1] - d),
        low=low,
        high=(0, EVERYWHERE) if end is None else (end[0], end[1] - 1),
        modulus=candidate.modulus,
        remainder=(candidate.remainder + is_answer) % candidate.modulus,  # i − low is u in the answer, u − 1 elsewhere
    )


def _line(scale_I: Numbers, place_I: Numbers) -> tuple[int, int] | None:
    """Return (p, o) if all places are p·n + o, p and o whole numbers; None otherwise."""
    small, large = int(scale_I.argmin()), int(scale_I.argmax())
    width = int(scale_I[large] - scale_I[small])
    rise = int(place_I[large] - place_I[small])
    slope = 0 if not width else rise // width
    offset = int(place_I[small]) - slope * int(scale_I[small])
    return (slope, offset) if (slope * scale_I + offset == place_I).all() else None
