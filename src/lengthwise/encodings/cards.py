"""What is known of each position encoding, without importing torch.

A card declares bounds, not labels. ``at_least`` is a fragment that the idealized learner is proved to find with this
encoding; ``at_most`` one that contains everything a transformer with this encoding can do; None where nothing is
proved. A task in ``at_least`` is a YES, one outside ``at_most`` a NO, and everything between is UNKNOWN.
``expressible`` is weaker than ``at_least``: some weights compute it, but nobody has proved that they are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..crasp.fragments import Fragment
from ..errors import InvalidOptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A fragment, with where it is proved and what the proof assumes."""

    fragment: Fragment
    citation: str
    assumption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An encoding: what it computes, and what is proved of it.

    ``module`` names the class that implements it, as "module:Class" within this package; None while there is none.
    """

    name: str
    title: str
    formula: str
    citation: str
    at_least: Bound | None
    at_most: Bound | None
    expressible: Bound | None
    max_length: bool
    module: str | None = None
    revision: int = 1
    note: str = ""


_ROUNDED = "transformers rounded to a fixed precision outside attention"
_DEPTH = "arXiv 2506.16055"
_HUANG = "arXiv 2410.02140"

ENCODINGS: dict[str, Card] = {
    "nope": Card(
        name="nope",
        title="no position encoding",
        formula="score(i, j) = q_i·k_j / √d",
        citation="arXiv 2203.16634; arXiv 2305.19466",
        at_least=Bound(fragment=Fragment.PLAIN, citation=_HUANG),
        at_most=Bound(fragment=Fragment.PLAIN, citation=f"{_HUANG}; {_DEPTH}", assumption=_ROUNDED),
        expressible=Bound(fragment=Fragment.PLAIN, citation=_HUANG),
        max_length=False,
        module="nope:NoPE",
    ),
    "ape": Card(
        name="ape",
        title="learned absolute positions, trained with random offsets",
        formula="x_i ← x_i + P[i + o], o random in training and 0 at test",
        citation=_HUANG,
        at_least=Bound(fragment=Fragment.PERIODIC_LOCAL, citation=_HUANG),
        at_most=Bound(
            fragment=Fragment.PERIODIC_LOCAL,
            citation=_HUANG,
            assumption="that limit transformers do no more than C-RASP[periodic, local], which is seen but not proved",
        ),
        expressible=Bound(fragment=Fragment.PERIODIC_LOCAL, citation=_HUANG),
        max_length=True,
        module="ape:LearnedAPE",
    ),
    "sinusoidal": Card(
        name="sinusoidal",
        title="fixed sines and cosines added to the input",
        formula="x_i ← x_i + (sin, cos)(i·θ_t), θ_t = 10000^(−2t/D)",
        citation="arXiv 1706.03762",
        at_least=None,
        at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{_DEPTH}, appendix E", assumption=_ROUNDED),
        expressible=Bound(fragment=Fragment.PLAIN, citation="zero keys give uniform heads"),
        max_length=False,
    ),
    "rope": Card(
        name="rope",
        title="rotary position embedding",
        formula="q_i, k_j rotated by the angles i·θ_t and j·θ_t, θ_t = b^(−2t/d)",
        citation="arXiv 2104.09864",
        at_least=None,
        at_most=Bound(fragment=Fragment.PERIODIC, citation=f"{_DEPTH}, appendix E", assumption=_ROUNDED),
        expressible=Bound(fragment=Fragment.PLAIN, citation="zero keys give uniform heads"),
        max_length=False,
    ),
    "alibi": Card(
        name="alibi",
        title="a penalty linear in the distance, in every head",
        formula="score(i, j) = q_i·k_j / √d − m_h·(i − j)",
        citation="arXiv 2108.12409",
        at_least=None,
        at_most=Bound(
            fragment=Fragment.LOCAL,
            citation=f"{_DEPTH}, appendix E",
            assumption=f"{_ROUNDED}, so that the penalty rounds distant weights to zero",
        ),
        expressible=None,
        max_length=False,
        note="it cannot attend uniformly, so not even plain C-RASP is known to be expressible.",
    ),
}


def require_trainable(card: Card) -> str:
    """Return where the class of an encoding is, as "module:Class"; raise if there is none."""
    if card.module is None:
        trainable = ", ".join(name for name, other in ENCODINGS.items() if other.module)
        raise InvalidOptionError(
            f"encoding {card.name!r} has a card but cannot be trained in this version. Trainable: {trainable}.",
            hint="ask for a verdict with 'lengthwise predict', or train one of these.",
        )
    return card.module


def load_encoding(card: Card) -> Any:
    """Return the class that implements an encoding; this is where torch is imported."""
    module, _, name = require_trainable(card).partition(":")
    return getattr(import_module(f".{module}", __package__), name)
