"""All position encodings by name: their cards, and the names that mean another one. Nothing here imports torch.

A file in ``methods`` is an encoding: its name is that of the file, and its card is read when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from .core.card import FAMILIES, Alias, Bound, Card, Family, Option
from .core.source import read_card

__all__ = ["ALIASES", "ENCODINGS", "Alias", "Bound", "Card", "Option", "cards_by_family"]

_METHODS = Path(__file__).parent / "methods"


class _Cards(Mapping[str, Card]):
    """The cards of all methods: by family, and within a family in their declared order."""

    def __init__(self) -> None:
        self._read: dict[str, Card] = {}

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(path.stem for path in _METHODS.glob("*.py") if not path.stem.startswith("_"))

    @cached_property
    def _ordered(self) -> tuple[str, ...]:
        families = list(FAMILIES)
        cards = [self[name] for name in self._names]
        return tuple(
            card.name for card in sorted(cards, key=lambda card: (families.index(card.family), card.order, card.name))
        )

    def __getitem__(self, name: str) -> Card:
        if name not in self._read:
            if name not in self._names:
                raise KeyError(name)
            text = (_METHODS / f"{name}.py").read_text(encoding="utf-8")
            start = text.index("\nCARD = ")  # the rest of the module need not be parsed
            self._read[name] = read_card(text[start : text.index("\n)\n", start) + 3], name)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self._names)


class _Aliases(Mapping[str, Alias]):
    """The other names that cards declare."""

    @cached_property
    def _found(self) -> dict[str, Alias]:
        return {alias.name: alias for card in ENCODINGS.values() for alias in card.aliases}

    def __getitem__(self, name: str) -> Alias:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


ENCODINGS: Mapping[str, Card] = _Cards()
ALIASES: Mapping[str, Alias] = _Aliases()


def cards_by_family() -> dict[Family, list[Card]]:
    """Return all cards in the order in which they are listed; families without a card are left out."""
    found = {family: [card for card in ENCODINGS.values() if card.family == family] for family in FAMILIES}
    return {family: cards for family, cards in found.items() if cards}
