"""All position encodings by name: their cards, and the names that mean another one. Nothing here imports torch."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .card import Bound, Card, Option
from .cards_absolute import ABSOLUTE
from .cards_biases import BIASES
from .cards_contents import CONTENTS
from .cards_ids import WRAPPERS
from .cards_learned_relations import LEARNED_RELATIONS
from .cards_relations import RELATIONS_CARDS
from .cards_rotations import ROTATIONS

__all__ = ["ALIASES", "ENCODINGS", "Alias", "Bound", "Card", "Option", "load_encoding"]

ENCODINGS: dict[str, Card] = {
    card.name: card
    for family in (ABSOLUTE, BIASES, ROTATIONS, CONTENTS, WRAPPERS, RELATIONS_CARDS, LEARNED_RELATIONS)
    for card in family
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of an encoding, and why it is the same."""

    name: str
    means: str
    why: str
    citation: str


ALIASES: dict[str, Alias] = {
    alias.name: alias
    for alias in (
        Alias(
            name="cable",
            means="fox",
            why="−softplus(z) = log σ(−z), so the two are one function, with the sign of the weights turned.",
            citation="arXiv 2503.08067",
        ),
        Alias(
            name="abf",
            means="rope(base=500000)",
            why="adjusting the base frequency is rope with another base.",
            citation="arXiv 2309.16039",
        ),
        Alias(
            name="shape",
            means="offset(sinusoidal)",
            why="shifted absolute positions are sinusoids with a random offset in training.",
            citation="arXiv 2109.05644",
        ),
        Alias(
            name="predictive_coupling",
            means="coupling(learned)",
            why="the ids are those of coupling; predicting the next id is a matter of training.",
            citation="arXiv 2502.16792",
        ),
        Alias(
            name="index_hints",
            means="nope",
            why="the hints are tokens of the text, a matter of the task; the model itself has no positions.",
            citation="arXiv 2310.16028; arXiv 2402.09371",
        ),
    )
}


def load_encoding(card: Card) -> Any:
    """Return the class that implements an encoding; this is where torch is imported."""
    module, _, name = card.module.partition(":")
    return getattr(import_module(f".{module}", __package__), name)
