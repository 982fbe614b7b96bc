"""Measured cells: how many runs of one setting fitted the training lengths, and how many of those generalize.

The data are two files. ``settings.json`` describes what was trained. ``cells.jsonl`` has a line for each problem and setting,
with a list of numbers for each encoding; only the lines of one problem are parsed. ``benchmarks/evidence.py`` writes both
from the committed results. It leaves out what another revision of a task
or an encoding was measured with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..languages.dfa import DFA
from ..languages.dfa_algebra import MOST_RENAMED, without_letter_names
from ..theory.claims import Asked

if TYPE_CHECKING:
    from ..tasks.core.task import Task

_DATA = Path(__file__).with_name("data")

SHIPPED_PREDICTOR = _DATA / "predictor.json"
"""Where the predictor of the package lies, once there is one; here, so that looking for it imports nothing more."""

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
    options: str = ""  # of ``lengthwise run``, with which one cell is trained again
    is_own: bool = False  # the user's own runs (own.py)

    @property
    def origin(self) -> str:
        """Whose runs these are, at the beginning of a sentence."""
        return "Your own runs" if self.is_own else "Measured"

    @property
    def changed(self) -> dict[str, Any]:
        """The settings of a spec that differ from the usual ones, by name."""
        pairs = [word.partition("=") for word in self.options.split() if "=" in word]
        values = {name: json.loads(f"[{value}]") for name, _, value in pairs}
        return {name: value[0] if len(value) == 1 else value for name, value in values.items()}

    @property
    def description(self) -> str:
        """How the runs were trained, where and when."""
        return f"{self.summary}, {self.seeds} seed{'s' * (self.seeds != 1)}; {self.hardware}, {self.date}"


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
    curve: tuple[
        float | None, ...
    ] = ()  # their median exact match at 1, 2, 3, … times the training length, where it is kept

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
        question = f" (trained on another question: {_QUESTIONS[self.asked]})" if is_other and self.asked else ""
        return f"{self.setting.origin}: {counts}{question}."

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
            "own": self.setting.is_own,
        }

    def command(self) -> str:
        """Return the command that trains the cell again.

        >>> measured_cells(task="unique_copy")["rope"][0].command()
        'lengthwise run unique_copy --encoding rope --seeds 5'
        """
        from shlex import quote

        words = ["lengthwise", "run", self.problem, "--encoding", self.encoding, "--seeds", str(self.num_runs)]
        return " ".join([*map(quote, words), *filter(None, [self.setting.options])])


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


def problem_key(task: Task) -> str | None:
    """Return what a task is looked up by: a language by its automaton, another task by its name."""
    language = task.facts.language
    return task.name if language is None else language_key(language)


def measured_cells(*, language: DFA | None = None, task: str | None = None) -> dict[str, list[Measured]]:
    """Return what was measured for a language or a task, by the name of the encoding; the user's own runs first."""
    key = task if language is None else language_key(language)
    found: dict[str, list[Measured]] = {}
    if not key:
        return found
    for cell in own_cells(key):
        found.setdefault(cell.encoding, []).append(cell)
    for line in _lines_of(key):
        for cell in _read(line):
            found.setdefault(cell.encoding, []).append(cell)
    return found


def cache_folder() -> Path | None:
    """Return the folder of caches: $LENGTHWISE_CACHE, else that of the user; None if there is no such place."""
    folder = os.environ.get("LENGTHWISE_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no home is known
        return None
    return base / "lengthwise"


def own_file() -> Path | None:
    """Return where the user's own measurements are kept; None if there is no such place."""
    folder = cache_folder()
    return None if folder is None else folder / "evidence.jsonl"


def own_cells(key: str | None = None) -> Iterator[Measured]:
    """Yield the cells of the user, of one problem or of all; none of another revision of the task or the encoding."""
    path = own_file()
    if path is None or not path.exists():
        return
    from .own import own_rows

    rows = [row for row in own_rows() if key is None or row["key"] == key]
    if not rows:
        return
    from ..encodings.core.choice import find_packaged_encoding
    from ..errors import LengthwiseError
    from ..tasks.core.catalog import find_packaged_task

    for row in rows:
        try:
            revisions = find_packaged_task(row["problem"]).revision, find_packaged_encoding(row["encoding"]).revision
        except LengthwiseError:  # added by another version
            continue
        if revisions == (row["task_revision"], row["encoding_revision"]):
            yield _own_cell(row)


def _own_cell(row: dict[str, Any]) -> Measured:
    from statistics import median

    runs = row["runs"].values()
    shares = [share for fitted, _, share in runs if fitted and share is not None]
    return Measured(
        problem=row["problem"],
        encoding=row["encoding"],
        asked=None if row["asked"] is None else Asked(row["asked"]),
        setting=Setting(**row["setting"], seeds=len(runs), is_own=True),
        num_runs=len(runs),
        num_fitted=sum(fitted for fitted, _, _ in runs),
        num_generalized=sum(fitted and good for fitted, good, _ in runs),
        median=round(median(shares), 3) if shares else None,
    )


def all_cells() -> Iterator[Measured]:
    """Yield every measured cell of the package."""
    for line in _text().splitlines():
        yield from _read(line)


def _read(line: str) -> Iterator[Measured]:
    row = json.loads(line)
    asked = None if row["asked"] is None else Asked(row["asked"])
    for encoding, (runs, fitted, generalized, middle, *curve) in row["cells"].items():
        yield Measured(
            problem=row["problem"],
            encoding=encoding,
            asked=asked,
            setting=settings()[row["setting"]],
            num_runs=runs,
            num_fitted=fitted,
            num_generalized=generalized,
            median=middle,
            curve=tuple(curve[0]) if curve else (),
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
