"""Measuring a model on probes: exact match and margin by length, kept in a file cell by cell, so that an interrupted probe goes on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch
from torch import Tensor

from ..errors import InvalidOptionError, UnreadableFileError
from ..files import read_json, write_text
from .models import Prober
from .probes import Probe, is_single, lengths_of
from .prompts import Form, Row, form_for, rows_of

VERSION = 2
_PLACES_AT_ONCE = 256
_LARGEST = 1e9  # margin, where scores are infinite


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides the figures, beside the model."""

    lengths: tuple[int, ...]
    number: int = 100  # instances of each length
    shots: int = 6
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a model did on instances of one length.

    ``matches`` counts instances whose whole answer is right, each symbol a choice among those that answers may consist of; ``greedy``
    those that are right among the whole vocabulary. ``chance`` is the share that always giving the most frequent answer gets.
    ``margin`` is the median over instances of the least score of a right symbol over the next best one.
    """

    length: int
    tokens: int
    instances: int
    matches: int
    greedy: int
    chance: float
    margin: float
    shuffled: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A probe with its cells; ``left_out`` says why lengths are missing."""

    probe: str
    cells: tuple[Cell, ...]
    left_out: str = ""


def measure(
    model: Prober,
    probes: Sequence[Probe],
    settings: Settings,
    file: str | Path | None,
    on_cell: Callable[[str, int], None] = lambda _name, _length: None,
) -> list[Measured]:
    """Return what a model does on probes; cells that ``file`` holds already are not measured again."""
    known = _read(file, model, settings)
    found = []
    for probe in probes:
        form = form_for(probe, model, settings.shots, settings.seed)
        if form is None:
            found.append(Measured(probe=probe.name, cells=(), left_out="the vocabulary has no symbols for it"))
            continue
        cells, left_out = [], ""
        for length in lengths_of(probe, settings.lengths):
            key = f"{probe.name} {length}"
            if key not in known:
                rows = rows_of(form, model, length, settings.number)
                longest = max(len(row.tokens) for row in rows)
                if model.most_tokens is not None and longest > model.most_tokens:
                    left_out = f"length {length:,} has {longest:,} tokens, and the model takes {model.most_tokens:,}"
                    break
                on_cell(probe.name, length)
                known[key] = _cell(form, model, length, rows)
                _write(file, model, settings, known)
            cells.append(known[key])
        found.append(Measured(probe=probe.name, cells=tuple(cells), left_out=left_out))
    return found


def _cell(form: Form, model: Prober, length: int, rows: Sequence[Row]) -> Cell:
    scored = _score(model, rows)
    answers = Counter(row.right for row in rows)
    control = None
    if form.shots > 1 and form.words:
        control = sum(right for right, _, _ in _score(model, rows_of(form, model, length, len(rows), shuffled=True)))
    return Cell(
        length=length,
        tokens=max(len(row.tokens) for row in rows),
        instances=len(rows),
        matches=sum(right for right, _, _ in scored),
        greedy=sum(greedy for _, greedy, _ in scored),
        chance=max(answers.most_common(1)[0][1] / len(rows), 1 / len(form.choices) if is_single(form.probe) else 0.0),
        margin=median(margin for _, _, margin in scored),
        shuffled=control,
    )


def _score(model: Prober, rows: Sequence[Row]) -> list[tuple[bool, bool, float]]:
    """Return for every row whether its answer is right among the choices, right among all tokens, and its margin."""
    scores = model.scores([row.tokens for row in rows], [row.places for row in rows])
    found = {index: _judge(rows[index], of_row) for index, of_row in scores}
    return [found[index] for index in range(len(rows))]


def _judge(row: Row, scores: Tensor) -> tuple[bool, bool, float]:
    """Judge one row, a few places at a time: a copy of all scores in float32 may not fit beside them."""
    least, is_greedy = float("inf"), True
    choices = torch.tensor(row.choices, device=scores.device)
    right = torch.tensor(row.right, device=scores.device)
    for part, wanted_tokens in zip(
        torch.split(scores, _PLACES_AT_ONCE), torch.split(right, _PLACES_AT_ONCE), strict=True
    ):
        of_part = part.float()
        wanted = of_part.gather(1, wanted_tokens[:, None])[:, 0]
        others = of_part[:, choices].masked_fill(wanted_tokens[:, None] == choices, -float("inf"))
        margins = (wanted - others.max(1).values).clamp(-_LARGEST, _LARGEST)
        if margins.isnan().any():
            raise UnreadableFileError(
                f"the model gives scores that are no numbers after {len(row.tokens):,} tokens.",
                hint="a model in float16 may overflow; save it in bfloat16 or float32.",
            )
        least = min(least, float(margins.min()))
        is_greedy = is_greedy and bool((of_part.argmax(1) == wanted_tokens).all())
    return least > 0, is_greedy, least


# The file


def _read(file: str | Path | None, model: Prober, settings: Settings) -> dict[str, Cell]:
    if file is None or not Path(file).exists():
        return {}
    data = read_json(file, is_updated=True)
    try:
        same = (data["version"], data["model"], data["settings"]) == (VERSION, model.identity, _plain(settings))
        cells = {str(key): Cell(**value) for key, value in data["cells"].items()}
        for cell in cells.values():
            _require_sound(cell)
    except (TypeError, KeyError, ValueError, AttributeError):
        raise UnreadableFileError(
            f"{str(file)!r} holds no measurements of probes.", hint="choose another file with --out."
        ) from None
    if not same:
        raise InvalidOptionError(
            f"{str(file)!r} holds measurements of another model or with other settings, or of another version.",
            hint="choose another file with --out, or remove this one.",
        )
    return cells


def _require_sound(cell: Cell) -> None:
    counts = (cell.length, cell.tokens, cell.instances, cell.matches, cell.greedy, cell.shuffled or 0)
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("a count is no whole number")
    if not max(cell.matches, cell.greedy, cell.shuffled or 0) <= cell.instances or not cell.instances:
        raise ValueError("more matches than instances")
    if not 0 <= float(cell.chance) <= 1:
        raise ValueError("chance is no share")


def _write(file: str | Path | None, model: Prober, settings: Settings, cells: dict[str, Cell]) -> None:
    if file is not None:
        data = {
            "version": VERSION,
            "model": model.identity,
            "settings": _plain(settings),
            "cells": {key: asdict(cell) for key, cell in cells.items()},
        }
        write_text(file, json.dumps(data, indent=1) + "\n")


def _plain(settings: Settings) -> dict[str, object]:
    return json.loads(json.dumps(asdict(settings)))  # type: ignore[no-any-return]  # tuples as lists
