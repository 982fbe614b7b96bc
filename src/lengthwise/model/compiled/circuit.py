"""What a program becomes before it is weights: coordinates of the stream, channels of attention, hidden units.

Token 0 is the beginning-of-word token; tokens 1, 2, … are the positions of the framed word. Time counts half layers:
0 is the input, 2l − 1 follows the attention of layer l, 2l its hidden layer. A coordinate is written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import lcm

RELU, STEP = "relu", "step"


class Style(StrEnum):
    """How truths are decided: by Heaviside steps, or by two ReLU units one after the other."""

    STEPS = "steps"
    RELUS = "relus"


@dataclass(frozen=True, slots=True)
class Form:
    """An affine form over coordinates. Coefficients are dyadic numbers, which floats hold exactly."""

    terms: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0

    def plus(self, other: Form, factor: float = 1.0) -> Form:
        """Return this form plus a multiple of another."""
        terms = dict(self.terms)
        for coordinate, value in other.terms:
            terms[coordinate] = terms.get(coordinate, 0.0) + factor * value
        return make_form(terms, self.constant + factor * other.constant)

    def times(self, factor: float) -> Form:
        """Return a multiple of this form."""
        return Form().plus(self, factor)

    def add(self, constant: float) -> Form:
        """Return this form plus a constant."""
        return Form(self.terms, self.constant + constant)


def make_form(terms: Mapping[int, float], constant: float = 0.0) -> Form:
    """Return a form without zeros, its coordinates in order."""
    return Form(tuple(sorted((key, value) for key, value in terms.items() if value)), constant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """One number of the stream: its name, when it is there, and a bound on its size at token 0."""

    name: str
    time: int
    at_bos: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What a head passes on: a linear form of the keys' streams, averaged over all keys or taken from one distance.

    ``distance`` is None for the average. Several channels may add to one target.
    """

    layer: int
    distance: int | None
    form: Form
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A hidden unit: weight · activation(form), added to its target."""

    layer: int
    activation: str
    form: Form
    target: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a comparison asks of rounding, for :mod:`precision`.

    With m tokens seen, an average is decided by a gap of 1/(2m). ``spread`` bounds the size of what is averaged,
    ``constant`` that of token 0, ``small`` the terms of size 1/m; ``terms`` numbers are added up in the end.
    Counts that pass a choice are rounded on their own: ``gated`` bounds the sizes at which they are kept, ``gated_sums``
    the sizes of the sums behind them, ``nested`` how many choices a count passes one after the other.
    A decision that is not ``averaged`` is about whole numbers up to ``small``, with a gap of 1/2.
    """

    averaged: bool
    spread: float = 0.0
    constant: float = 0.0
    small: float = 0.0
    terms: int = 0
    gated: float = 0.0
    gated_sums: float = 0.0
    nested: int = 0


@dataclass(slots=True, kw_only=True)
class Circuit:
    """A program as channels and units. Coordinates: token 0, any other token, the symbols, the residues, and the rest."""

    style: Style
    symbols: tuple[str, ...]
    moduli: tuple[int, ...]
    coordinates: list[Coordinate] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    outputs: dict[str, Form] = field(default_factory=dict)
    decisions: set[Decision] = field(default_factory=set)
    symbol_at: dict[str, int] = field(default_factory=dict)
    residue_at: dict[tuple[int, int], int] = field(default_factory=dict)
    local_weight: float = 1.0

    BOS = 0
    HERE = 1

    def __post_init__(self) -> None:
        self.coordinates.append(Coordinate(name="bos", time=0, at_bos=1.0))
        self.coordinates.append(Coordinate(name="here", time=0))
        for symbol in self.symbols:
            self.symbol_at[symbol] = self.new(f"symbol {symbol}", 0)
        for modulus in self.moduli:
            for residue in range(modulus):
                self.residue_at[modulus, residue] = self.new(f"pos % {modulus} = {residue}", 0, at_bos=1.0)

    def new(self, name: str, time: int, *, at_bos: float = 0.0) -> int:
        """Return the number of a new coordinate."""
        self.coordinates.append(Coordinate(name=name, time=time, at_bos=at_bos))
        return len(self.coordinates) - 1

    def time_of(self, *forms: Form) -> int:
        """Return when all coordinates of these forms are there."""
        return max((self.coordinates[each].time for form in forms for each, _ in form.terms), default=0)

    def at_bos(self, form: Form) -> float:
        """Return a bound on the size of a form at token 0."""
        return abs(form.constant) + sum(abs(value) * self.coordinates[each].at_bos for each, value in form.terms)

    @property
    def layers(self) -> int:
        """How many layers there are; at least one."""
        used = [each.layer for each in self.channels] + [each.layer for each in self.units]
        return max(used, default=1)

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.coordinates)

    @property
    def period(self) -> int:
        """After how many positions all residues are the same again."""
        return lcm(*self.moduli)

    @property
    def distances(self) -> tuple[int, ...]:
        """The distances that heads look back, each the business of one head."""
        return tuple(sorted({each.distance for each in self.channels if each.distance is not None}))

    @property
    def heads(self) -> int:
        """One head for averages, one for each distance."""
        return 1 + len(self.distances)
