"""A finished run as the rows of a store hold it, and what makes such rows impossible.

Every read goes through :func:`read_result`. A run's id is the hash of its settings and its checksum that of everything
else, so that a change to either is noticed; the other checks say what is wrong in a sentence, and are all there is for
runs stored before checksums.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from typing import Any

from ..errors import LengthwiseError
from ..tasks.core.lengths import check_lengths
from .descriptions import Description, cell_key
from .plan import hash_settings

Scores = tuple[tuple[int, int, int], ...]

MOST_LENGTH = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A finished run; ``scores`` lists (length, examples, matches), ``hard`` the same by kind.

    ``fit`` has the scores on fresh instances of the longest training lengths; runs of older trainers have none. ``generated``
    are scores of real decoding, if that was asked for, and ``forced`` those of teacher forcing on the same instances.
    ``description`` says what the run is about; runs stored by older versions have none.
    """

    id: str
    task: str
    encoding: str
    seed: int
    learning_rate: float
    settings: Mapping[str, Any]
    steps: int
    seconds: float
    losses: tuple[tuple[int, float], ...]
    provenance: Mapping[str, Any]
    scores: Scores
    hard: Mapping[str, Scores] = field(default_factory=dict)
    fit: Scores = ()
    generated: Scores = ()
    forced: Scores = ()
    description: Description | None = None

    @property
    def other_scores(self) -> dict[str, Scores]:
        """All scores but the usual ones, by the name of their set; a hard set has none of the first three names."""
        own = {name: getattr(self, name) for name in _OWN_SETS}
        return {name: scores for name, scores in own.items() if scores} | dict(self.hard)


_OWN_SETS = ("fit", "generated", "forced")


class DamagedRowError(ValueError):
    """What is wrong with the rows of one run, in half a sentence."""


def write_result(result: Result) -> tuple[Any, ...]:
    """Return the row of a run, in the order of the columns; the last one is its checksum."""
    row = (
        result.id,
        result.task,
        result.encoding,
        result.seed,
        float(result.learning_rate),
        json.dumps(result.settings, ensure_ascii=False),
        result.steps,
        float(result.seconds),
        json.dumps(result.losses),
        json.dumps(result.provenance, ensure_ascii=False),
    )
    return (*row, checksum(_content(row, result.scores, result.other_scores)))


def read_result(
    row: Sequence[Any],
    scores: Sequence[tuple[Any, ...]],
    hard: Mapping[str, Sequence[tuple[Any, ...]]],
    descriptions: Mapping[str, Description],
) -> Result:
    """Return a run from its rows; raise DamagedRowError if they cannot be those of a run."""
    *columns, saved = row
    run_id, task, encoding, seed, rate, settings_text, steps, seconds, losses_text, provenance_text = columns
    settings = _settings(settings_text)
    if type(run_id) is not str or hash_settings(settings) != run_id:
        raise DamagedRowError("its settings are not those of its id")
    for name, value in (("task", task), ("encoding", encoding), ("seed", seed), ("learning_rate", rate)):
        if value != settings.get(name):
            raise DamagedRowError(f"its {name} is {_brief(value)}, in its settings {_brief(settings.get(name))}")
    if type(steps) is not int or steps < 0:
        raise DamagedRowError(f"its number of steps is {_brief(steps)}")
    if type(seconds) not in (int, float) or not (isfinite(seconds) and seconds >= 0):
        raise DamagedRowError(f"its seconds are {_brief(seconds)}")
    others = {_text(kind, "kind of hard set"): tuple(_score(score) for score in own) for kind, own in hard.items()}
    found = Result(
        id=run_id,
        task=task,
        encoding=encoding,
        seed=seed,
        learning_rate=rate,
        settings=settings,
        steps=steps,
        seconds=seconds,
        losses=_losses(losses_text),
        provenance=_provenance(provenance_text),
        scores=tuple(_score(score) for score in scores),
        hard={kind: scores for kind, scores in others.items() if kind not in _OWN_SETS},
        fit=others.get("fit", ()),
        generated=others.get("generated", ()),
        forced=others.get("forced", ()),
        description=descriptions.get(cell_key(settings)),
    )
    if not scores:
        raise DamagedRowError("it has no scores")
    if saved is not None and saved != checksum(_content(columns, scores, hard)):
        raise DamagedRowError("it is not what was saved: its checksum differs")
    return found


def checksum(content: Any) -> str:
    """Return a hash of JSON data."""
    return sha256(json.dumps(content, default=repr).encode()).hexdigest()[:16]


def _content(row: Sequence[Any], scores: Sequence[Any], hard: Mapping[str, Sequence[tuple[Any, ...]]]) -> list[Any]:
    """Return everything that is stored about a run, in one order."""
    return [row, sorted(scores), sorted((kind, sorted(own)) for kind, own in hard.items())]


def _settings(text: Any) -> dict[str, Any]:
    settings = _table(text, "settings")
    for name in ("task_revision", "encoding_revision", "trainer_revision", "seed", "train_length"):
        if type(settings.get(name)) is not int:
            raise DamagedRowError(f"the setting {name!r} is {_brief(settings.get(name))}, not a whole number")
    for name in ("task", "encoding"):
        _text(settings.get(name), f"setting {name!r}")
    for name in ("model", "training"):
        if not isinstance(settings.get(name), dict):
            raise DamagedRowError(f"the setting {name!r} is {_brief(settings.get(name))}, not a table")
    _require_plain_values(settings)
    if type(settings.get("learning_rate")) not in (int, float):
        raise DamagedRowError(f"the setting 'learning_rate' is {_brief(settings.get('learning_rate'))}, not a number")
    try:
        check_lengths(settings["train_length"], settings.get("test_length"))
    except LengthwiseError as error:
        raise DamagedRowError(error.message.rstrip(".")) from None
    return settings


def _require_plain_values(settings: Mapping[str, Any]) -> None:
    """Raise unless every setting is one value; the lengths to test at and the penalties are several."""
    tables = {"model": settings["model"], "training": settings["training"]}
    penalties = tables["training"].get("penalties", {})
    try:
        penalties = dict(penalties)
    except (TypeError, ValueError):
        raise DamagedRowError(f"the setting 'penalties' is {_brief(penalties)}, not a table") from None
    known = (*tables, "penalties", "test_length")
    for table in (settings, *tables.values(), penalties):
        for name, value in table.items():
            if isinstance(value, (dict, list)) and name not in known:
                raise DamagedRowError(f"the setting {name!r} is {_brief(value)}, not one value")


def _losses(text: Any) -> tuple[tuple[int, float], ...]:
    losses = _json(text, "losses")
    if not isinstance(losses, list):
        raise DamagedRowError("its losses are not a list")
    for entry in losses:
        if not (
            isinstance(entry, list) and len(entry) == 2 and type(entry[0]) is int and type(entry[1]) in (int, float)
        ):
            raise DamagedRowError(f"its losses have the entry {_brief(entry)}")
    return tuple((step, loss) for step, loss in losses)


def _provenance(text: Any) -> dict[str, Any]:
    provenance = _table(text, "provenance")
    for name in ("hardware", "torch"):
        _text(provenance.get(name), f"provenance {name!r}")
    return provenance


def _score(score: Sequence[Any]) -> tuple[int, int, int]:
    length, examples, matches = score
    if any(type(number) is not int for number in score):
        raise DamagedRowError(f"a score is {_brief(tuple(score))}, not three whole numbers")
    if not 0 <= length <= MOST_LENGTH:
        raise DamagedRowError(f"a score is of length {length}")
    if not (examples >= 1 and 0 <= matches <= examples):
        raise DamagedRowError(f"at length {length} it matches {matches} of {examples} examples")
    return length, examples, matches


def _table(text: Any, name: str) -> dict[str, Any]:
    table = _json(text, name)
    if not isinstance(table, dict):
        raise DamagedRowError(f"its {name} are not a table")
    return table


def _json(text: Any, name: str) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise DamagedRowError(f"its {name} are not JSON") from None


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise DamagedRowError(f"its {name} is {_brief(value)}, not a text")
    return value


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
