"""Seeded random targets of linear attention, in five mixtures, with the scales of training and test."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from lengthwise.theory.positions.targets import Entry, Target, entries

KINDS = ("random", "structured", "new beyond N₀", "periodic", "hinted")
_VALUES = [Fraction(n, d) for n in range(-4, 5) for d in (1, 2, 3) if n % d or d == 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A random target with its scales; ``hint`` says that it depends on the scale and is asked about with the hint."""

    kind: str
    target: Target
    trained: int
    tested: int
    hint: bool


def random_cases(number: int, *, seed: int = 0) -> list[Case]:
    """Return so many cases, the mixtures in turn; each depends on its number and the seed only."""
    return [random_case(KINDS[each % len(KINDS)], Random(f"{seed}/{each}")) for each in range(number)]


def random_case(kind: str, rng: Random) -> Case:
    """Return one case of a mixture."""
    hint = kind == "hinted"
    trained = rng.randint(2, 5) if hint else rng.randint(2, 8)
    tested = trained + rng.randint(1, 4 if hint else 8)
    values = rng.sample(_VALUES, rng.randint(1, 6))
    if rng.random() < 0.5 and Fraction(0) not in values:
        values[rng.randrange(len(values))] = Fraction(0)
    places = list(entries(tested, hinted=hint))
    table = {
        "random": _random,
        "structured": _structured,
        "new beyond N₀": _new_beyond,
        "periodic": _periodic,
        "hinted": _hinted,
    }[kind](places, values, trained, rng)
    target = Target(
        name=kind,
        formula=kind,
        entry=(lambda i, j, n: table[i, j, n]) if hint else (lambda i, j, n: table[i, j, j]),  # noqa: ARG005
        by_scale=hint,
        max_scale=tested,
    )
    return Case(kind=kind, target=target, trained=trained, tested=tested, hint=hint)


Table = dict[Entry, Fraction]


def _random(places: list[Entry], values: list[Fraction], trained: int, rng: Random) -> Table:  # noqa: ARG001
    weights = [rng.random() ** 3 for _ in values]  # so that some values are rare
    return {place: rng.choices(values, weights)[0] for place in places}


def _structured(places: list[Entry], values: list[Fraction], trained: int, rng: Random) -> Table:  # noqa: ARG001
    """A function of the distance, the key, the query or their sum, which is constant from a threshold on."""
    which = rng.randrange(4)
    limit = rng.randint(0, 12)
    levels = [rng.choice(values) for _ in range(limit + 1)]
    return {(i, j, n): levels[min((j - i, i, j, i + j)[which], limit)] for i, j, n in places}


def _new_beyond(places: list[Entry], values: list[Fraction], trained: int, rng: Random) -> Table:
    """A few-valued target with one new value, perhaps 0, at one or more entries that training does not show."""
    old = values[1:] or [values[0] + 1]
    table = _random(places, old, trained, rng)
    later = [place for place in places if place[2] > trained]
    for place in rng.sample(later, rng.randint(1, min(3, len(later)))):
        table[place] = rng.choice([values[0], values[0], Fraction(0)])
    return table


def _periodic(places: list[Entry], values: list[Fraction], trained: int, rng: Random) -> Table:  # noqa: ARG001
    period = rng.randint(1, 12)
    levels = [rng.choice(values) for _ in range(period)]
    a, b = rng.randint(-2, 2), rng.randint(-2, 2)
    return {(i, j, n): levels[(a * i + b * j) % period] for i, j, n in places}


def _hinted(places: list[Entry], values: list[Fraction], trained: int, rng: Random) -> Table:
    """An equation in i, j and n, a period with n in it, or any few-valued one with a value that only some scales have."""
    a, b, c, d = (rng.randint(-2, 2) for _ in range(4))
    which = rng.randrange(4)
    if which == 0:
        inside, outside = values[0], values[-1]
        return {(i, j, n): inside if a * i + b * j + c * n + d == 0 else outside for i, j, n in places}
    if which == 1:
        return {(i, j, n): values[(a * i + b * j + n + d) % len(values)] for i, j, n in places}
    if which == 2:
        return {(i, j, n): values[min(n - j, len(values) - 1)] for i, j, n in places}
    return _random(places, values, trained, rng) if rng.random() < 0.5 else _new_beyond(places, values, trained, rng)
