"""What an audit found, and how it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.lengths import MOST_BINS, MOST_LENGTH, LengthRange

_MOST_NAME = 2000
_MOST_RULES = 1000
_MOST_EXAMPLES = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One rule: its name in plain words, and its exact match in each bin, None where the bin has no instance.

    An ``inherent`` rule is the solution: what it looks at determines the answer at every length. For regular languages this is
    proved; other tasks name such rules (``decided_by``).
    """

    name: str
    shares: tuple[float | None, ...]
    inherent: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the rule as JSON data."""
        return {"name": self.name, "shares": list(self.shares), "inherent": self.inherent}

    @classmethod
    def from_json(cls, data: object) -> Baseline:
        """Return the rule that JSON data says; raise ValueError if it says none."""
        fields = _fields(data, "a rule", ("name", "shares", "inherent"))
        name, shares, inherent = fields["name"], fields["shares"], fields["inherent"]
        if not isinstance(name, str) or not 0 < len(name) <= _MOST_NAME:
            raise ValueError(f"the name of a rule is {name!r:.80}; it must be a text of 1 to {_MOST_NAME} characters.")
        if not isinstance(inherent, bool):
            raise ValueError(f"inherent is {inherent!r:.80}; it must be true or false.")
        found = tuple(_share(share) for share in _list(shares, "shares", MOST_BINS))
        return cls(name=name, shares=found, inherent=inherent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How far simple rules get on a task: the best constant answer, and all others."""

    bins: tuple[LengthRange, ...]
    examples: tuple[int, ...]
    chance: Baseline
    shortcuts: tuple[Baseline, ...]

    def best(self, number: int) -> Baseline:
        """Return the best rule in a bin, the best constant among them.

        Among equals the inherent ones come first, then the order of the rules.
        """
        return max(
            (self.chance, *self.shortcuts),
            key=lambda rule: (-1.0 if (share := rule.shares[number]) is None else share, rule.inherent),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the audit as JSON data."""
        return {
            "bins": [[bounds.low, bounds.high] for bounds in self.bins],
            "examples": list(self.examples),
            "chance": self.chance.to_json(),
            "shortcuts": [rule.to_json() for rule in self.shortcuts],
        }

    @classmethod
    def from_json(cls, data: object) -> Audit:
        """Return the audit that JSON data says; raise ValueError if it says none."""
        fields = _fields(data, "an audit", ("bins", "examples", "chance", "shortcuts"))
        bins = tuple(map(_bounds, _list(fields["bins"], "bins", MOST_BINS)))
        examples = tuple(
            _whole(number, "a number of examples", _MOST_EXAMPLES)
            for number in _list(fields["examples"], "examples", MOST_BINS)
        )
        if not bins or len(examples) != len(bins):
            raise ValueError(f"there are {len(bins)} bins and {len(examples)} numbers of examples.")
        chance = Baseline.from_json(fields["chance"])
        shortcuts = tuple(map(Baseline.from_json, _list(fields["shortcuts"], "shortcuts", _MOST_RULES)))
        for rule in (chance, *shortcuts):
            if [share is None for share in rule.shares] != [number == 0 for number in examples]:
                raise ValueError(f"the rule {rule.name!r:.80} does not have a share for every bin with examples.")
        return cls(bins=bins, examples=examples, chance=chance, shortcuts=shortcuts)


def _fields(data: object, what: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise ValueError(f"{what} is {data!r:.80}; it must be an object with {', '.join(names)}.")
    return data


def _list(data: object, what: str, most: int) -> list[Any]:
    if not isinstance(data, list) or len(data) > most:
        raise ValueError(f"{what} is {data!r:.80}; it must be a list of at most {most}.")
    return data


def _whole(data: object, what: str, most: int) -> int:
    if type(data) is not int or not 0 <= data <= most:
        raise ValueError(f"{what} is {data!r:.80}; it must be a whole number from 0 to {most}.")
    return data


def _bounds(data: object) -> LengthRange:
    low, high = (_whole(bound, "a length", MOST_LENGTH) for bound in _pair(data))
    if low > high:
        raise ValueError(f"a bin goes from {low} to {high}; the first length must not be above the last.")
    return LengthRange(low=low, high=high)


def _pair(data: object) -> list[Any]:
    if not isinstance(data, list) or len(data) != 2:
        raise ValueError(f"a bin is {data!r:.80}; it must be a list of two lengths.")
    return data


def _share(data: object) -> float | None:
    if data is None:
        return None
    if type(data) not in (int, float) or not 0 <= data <= 1:  # type: ignore[operator]
        raise ValueError(f"a share is {data!r:.80}; it must be a number from 0 to 1, or null.")
    return float(data)  # type: ignore[arg-type]
