"""Looking through a whole store for damage, and saving what is sound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..errors import InvalidOptionError, LengthwiseError
from .descriptions import Description, cell_key
from .rows import Result
from .store import Store, open_store, read_store

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The runs of a store that are sound, what their cells are about, and every damage in a sentence."""

    results: tuple[Result, ...]
    descriptions: dict[str, Description]
    damage: tuple[str, ...]


def verify_store(path: str | Path) -> Verification:
    """Return what is sound in a store and what is damaged; raise if the file is no store at all."""
    with read_store(path) as store:
        return _verify(store)


def salvage_store(found: Verification, path: str | Path) -> None:
    """Write the sound runs to a new store."""
    if Path(path).exists():
        raise InvalidOptionError(
            f"there is a file {str(path)!r} already.", hint="name a new file: --salvage never overwrites one."
        )
    known = {cell_key(result.settings) for result in found.results}
    with open_store(path) as store:
        store.save_plan([], {key: about for key, about in found.descriptions.items() if key in known})
        store.save(found.results)


def _verify(store: Store) -> Verification:
    damage: list[str] = []

    def attempt(read: Callable[[], Value]) -> Value | None:
        try:
            return read()
        except LengthwiseError as error:
            damage.append(error.message.partition(" is damaged: ")[2] or error.message)
            return None

    damage += [f"SQLite: {line}" for line in attempt(store.integrity) or ()]
    attempt(store.planned)
    descriptions = attempt(store.descriptions) or {}
    damage += [f"scores of {run[:40]!r}, which is no run." for run in attempt(store.orphans) or ()]
    sound = []
    for result in store.checked_results():
        if isinstance(result, str):
            damage.append(result if result.endswith(".") else f"{result}.")
        else:
            sound.append(result)
    return Verification(results=tuple(sound), descriptions=descriptions, damage=tuple(damage))
