"""What cells are called: settings that vary tell them apart, by the names they have in a spec."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..experiment.settings import ONLY_TESTS, show_setting, varying_settings
from .statistics import Cell


def columns_of(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return the settings that tell cells apart: those in which they differ."""
    return tuple(name for name in varying_settings([cell.settings for cell in cells]) if name not in ONLY_TESTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of the cells of a report: what varies among them."""

    settings: tuple[str, ...]
    with_encoding: bool

    def of(self, cell: Cell) -> str:
        """Return the name of a cell within its task: its encoding, if there are several, and the settings that vary."""
        own = self._settings_of(cell)
        return ", ".join([cell.encoding, *own] if self.with_encoding or not own else own)

    @property
    def title(self) -> str:
        """What the values are that :meth:`values` returns."""
        return ", ".join(["encoding", *self.settings] if self.with_encoding or not self.settings else self.settings)

    def values(self, cell: Cell) -> str:
        """Return what :meth:`of` returns without the names of settings, which a title can say once."""
        own = [show_setting(cell.settings[name]) for name in self.settings]
        return ", ".join([cell.encoding, *own] if self.with_encoding or not own else own)

    def in_full(self, cell: Cell) -> str:
        """Return the task and the encoding of a cell with the settings that vary."""
        return ", ".join([f"{cell.task} × {cell.encoding}", *self._settings_of(cell)])

    def _settings_of(self, cell: Cell) -> list[str]:
        """Return the settings that vary, without those that do not apply to a cell."""
        return [
            f"{name} {show_setting(cell.settings[name])}" for name in self.settings if cell.settings[name] is not None
        ]


def names_among(cells: Sequence[Cell]) -> Names:
    """Return how to name the cells of a report."""
    return Names(settings=columns_of(cells), with_encoding=len({cell.encoding for cell in cells}) > 1)
