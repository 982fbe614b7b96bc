"""Measured cells: how many runs of one setting fitted the training lengths, and how many of those generalize.

The data are two files. ``settings.json`` describes what was trained. ``cells.jsonl`` has a line for each problem and setting,
with a list of numbers for each encoding; only the lines of one problem are parsed. ``benchmarks/evidence.py`` writes both
from the committed results. It leaves out what another revision of a task
or an encoding was measured with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from ..languages.dfa import DFA
from ..languages.dfa_algebra import MOST_RENAMED, without_letter_names
from ..theory.claims import Asked

_DATA = Path(__file__).with_name("data")

MOST_STATES = 16
"""States of a language up to which it is looked up; measured ones have fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How the runs of some cells were trained and tested."""

    name: str
    summary: str  # the model and the training length, in a few words
    train_length: int
    at: float  # success is judged at this multiple of the training length
    seeds: int
    hardware: str
    date: str
    command: str
    source: str  # the committed file of the figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One cell: a problem with an encoding in one setting."""

    problem: str
    encoding: str
    asked: Asked | None  # None for a task that is no language
    setting: Setting
    num_runs: int
    num_fitted: int
    num_generalized: int
    median: float | None  # exact match of the fitted runs where success is judged; None if none fitted

    @property
    def is_found(self) -> bool | None:
        """Whether at least half of the fitted runs generalize; None where no run fitted, which says nothing."""
        return 2 * self.num_generalized >= self.num_fitted if self.num_fitted else None

    def sentence(self, asked: Asked | None = None) -> str:
        """Return the counts as a sentence, with the question of training where another one is asked.

        >>> measured_cells(task="unique_copy")["lbpe"][0].sentence()
        'Measured: 5 of 5 fitted runs are right at 3 times the training length.'
        """
        if self.num_fitted:
            counts = f"{self.num_generalized} of {self.num_fitted} fitted runs are right at {self.setting.at:g} times the training length"
        else:
            counts = f"no evidence, since 0 of {self.num_runs} runs fitted the training lengths"
        is_other = self.asked not in (None, asked)
        return f"Measured: {counts}{f' (trained on another question: {_QUESTIONS[self.asked]})' if is_other and self.asked else ''}."

    def to_json(self) -> dict[str, object]:
        """Return the cell as JSON data, in the shape that docs/reference/json.md documents."""
        return {
            "source": "measured",
            "problem": self.problem,
            "asked": None if self.asked is None else str(self.asked),
            "runs": self.num_runs,
            "fitted": self.num_fitted,
            "generalize": self.num_generalized,
            "at": self.setting.at,
            "median": self.median,
            "setting": self.setting.name,
        }


_QUESTIONS = {
    Asked.MEMBERSHIP: "whether a word is in the language",
    Asked.NEXT_SYMBOLS: "which symbols may come next",
}


@lru_cache(maxsize=256)
def language_key(language: DFA) -> str | None:
    """Return what a language is looked up by, the same for all names of its letters; None if it is too large."""
    if language.num_states > MOST_STATES or len(language.alphabet) > MOST_RENAMED:
        return None
    shape = without_letter_names(language)
    assert shape is not None
    text = json.dumps([shape.transitions, sorted(shape.accepting)])
    return sha256(text.encode()).hexdigest()[:16]


def measured_cells(*, language: DFA | None = None, task: str | None = None) -> dict[str, list[Measured]]:
    """Return what was measured for a language or a task, by the name of the encoding."""
    key = task if language is None else language_key(language)
    found: dict[str, list[Measured]] = {}
    for line in _lines_of(key) if key else ():
        for cell in _read(line):
            found.setdefault(cell.encoding, []).append(cell)
    return found


def all_cells() -> Iterator[Measured]:
    """Yield every measured cell."""
    for line in _text().splitlines():
        yield from _read(line)


def _read(line: str) -> Iterator[Measured]:
    row = json.loads(line)
    asked = None if row["asked"] is None else Asked(row["asked"])
    for encoding, (runs, fitted, generalized, median) in row["cells"].items():
        yield Measured(
            problem=row["problem"],
            encoding=encoding,
            asked=asked,
            setting=settings()[row["setting"]],
            num_runs=runs,
            num_fitted=fitted,
            num_generalized=generalized,
            median=median,
        )


def _lines_of(key: str) -> Iterator[str]:
    """Yield the lines of a problem, which all begin with its key."""
    text, start = _text(), f'{{"key":{json.dumps(key, ensure_ascii=False)},'
    place = text.find(start)
    while place >= 0:
        end = text.find("\n", place)
        yield text[place:end]
        place = text.find(start, end)


@cache
def _text() -> str:
    return (_DATA / "cells.jsonl").read_text(encoding="utf-8")


@cache
def settings() -> Mapping[str, Setting]:
    """Return all settings by their names."""
    data = json.loads((_DATA / "settings.json").read_text(encoding="utf-8"))
    return {name: Setting(name=name, **row) for name, row in data.items()}
