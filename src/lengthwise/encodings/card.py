"""What a card says of a position encoding; torch-free.

A card declares bounds, not labels. ``at_least`` is a fragment that the idealized learner is proved to find with this
encoding; ``at_most`` one that contains everything a transformer with this encoding can do; None where nothing is
proved. A task in ``at_least`` is a YES, one outside ``at_most`` a NO, and everything between is UNKNOWN.
``expressible`` is weaker than ``at_least``: some weights compute it, but nobody has proved that they are found.

What a card declares of shifts, prefixes, bounded biases, parameters and ids is measured by the conformance suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..crasp.fragments import Fragment

Acts = Literal["ids", "input", "queries and keys", "scores", "weights", "values", "tokens", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A fragment, with where it is proved and what the proof assumes."""

    fragment: Fragment
    citation: str
    assumption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A number, a switch or a word that an encoding takes: its default, what is allowed, and what it means.

    A word names a circuit of the library (theory/positions), with its parameters in parentheses, or lists relations (guarded).
    """

    name: str
    default: float | int | bool | str
    low: float = 0
    high: float = 0
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An encoding: what it computes, and what is proved of it.

    - ``module`` names the class that implements it, as "module:Class" within this package.
    - ``parameters`` counts the numbers it learns, in each layer if ``per_layer``: N positions, T tokens trained on,
      D width, H heads, d head width, and its options by name.
    - ``bases`` are the encodings it is put around unless others are named, for one that needs them.
    - ``shift_invariant``: adding a number to all ids changes nothing. ``prefix_consistent``: more tokens change nothing
      before them. ``bounded_bias``: what it adds to scores stays bounded at all distances, None if it adds nothing by
      position alone. ``needs_scale``: it must know how long the instance is. ``max_length``: there is a largest number
      of positions, fixed beforehand. ``float_ids``: ids may be fractions.
    - ``relation`` names the position relation (theory/positions) that it is a function of, where it is one: a pair of positions
      acts through its label alone.
    """

    name: str
    title: str
    formula: str
    citation: str
    acts_on: tuple[Acts, ...]
    module: str
    parameters: str = "0"
    per_layer: bool = False
    at_least: Bound | None = None
    at_most: Bound | None = None
    expressible: Bound | None = None
    shift_invariant: bool
    prefix_consistent: bool = True
    bounded_bias: bool | None = None
    needs_scale: bool = False
    max_length: bool = False
    float_ids: bool = True
    options: tuple[Option, ...] = ()
    bases: tuple[str, ...] = ()
    relation: str = ""
    revision: int = 1
    note: str = ""


ROUNDED = "transformers rounded to a fixed precision outside attention"
PERIODIC_ANGLES = f"{ROUNDED}, and angles that come round again, as rational multiples of π do"
BASE = Option(name="base", default=10000.0, low=1.0001, high=1e12, meaning="the base of the frequencies")
HIDDEN = Option(name="hidden", default=32, low=1, high=10_000, meaning="the width of the hidden layer")
DEPTH = "arXiv 2506.16055"
HUANG = "arXiv 2410.02140"
UNIFORM_HEADS = Bound(fragment=Fragment.PLAIN, citation="zero keys give uniform heads")
"""What every encoding can do that leaves a head with zero keys and queries uniform."""
