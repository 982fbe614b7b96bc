"""One self-contained HTML page: no script, no network, readable on a phone and in the dark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files

from .._version import __version__
from ..encodings.names import find_encoding
from ..experiment.spec import DEFAULT_LEARNING_RATE
from ..experiment.store import Result
from ..languages.alphabet import show_alphabet
from ..model.shape import Shape
from ..tasks.catalog import find_task
from ..tasks.lengths import LengthRange
from ..theory.theorems import MEANINGS, THEOREMS
from ..train.settings import Training
from .figures import draw_curves
from .matrix import LEGEND, draw_matrix
from .statistics import Cell, summarize
from .tables import HARD_LEGEND, HARD_TITLE, hard_header, hard_rows, header, legend, rows, summary

_MOST_LINES = 6  # in one panel; beyond that a matrix says more
TITLE = "Length generalization: prediction beside measurement"


def make_page(results: Sequence[Result], *, title: str = TITLE) -> str:
    """Return the page for these results."""
    cells = summarize(results)
    used = sorted({cell.verdict.theorem for cell in cells})
    return render(
        "page.html.j2",
        title=title,
        summary=summary(cells),
        legend=legend(cells),
        header=header(cells),
        rows=rows(cells),
        hard_title=HARD_TITLE,
        hard_legend=HARD_LEGEND,
        hard_header=hard_header(cells),
        hard_rows=hard_rows(cells),
        panels=_panels(cells),
        matrix=draw_matrix(cells) if len({cell.encoding for cell in cells}) > _MOST_LINES else "",
        matrix_legend=LEGEND,
        meanings=MEANINGS,
        theorems={name: THEOREMS[name] for name in used},
        method=f"{describe_training(results)} {_settings_remark(results)}",
        settings=json.dumps(_shared_settings(results), indent=2, ensure_ascii=False),
    )


def render(name: str, **values: object) -> str:
    """Return a page from one of the templates, in the style that all pages share."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_packaged(name))
    return template.render(style=_packaged("page.css"), footer=f"Made by lengthwise {__version__}.", **values)


def _packaged(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _panels(cells: Sequence[Cell]) -> list[dict[str, object]]:
    by_task: dict[tuple[str, tuple[LengthRange, ...]], list[Cell]] = {}
    for cell in cells:
        by_task.setdefault((cell.task, cell.bins), []).append(cell)
    return [
        {
            "task": task,
            "definition": _definition(group[0]),
            "cells": group,
            "svg": draw_curves(group) if len(group) <= _MOST_LINES else "",
        }
        for (task, _), group in by_task.items()
    ]


def _definition(cell: Cell) -> str:
    """Return what a task asks for and, for a language, its alphabet."""
    alphabet = cell.verdict.alphabet
    return find_task(cell.task).definition + (f", over {show_alphabet(alphabet)}" if alphabet else "")


def _shared_settings(results: Sequence[Result]) -> dict[str, object]:
    """Return the settings that all runs have in common."""
    first = results[0].settings
    return {key: value for key, value in first.items() if all(result.settings.get(key) == value for result in results)}


def describe_training(results: Sequence[Result]) -> str:
    """Say how many models were trained, on what, and what is scored."""
    origins = sorted({f"{each.provenance['hardware']}, torch {each.provenance['torch']}" for each in results})
    seeds = sorted({result.seed for result in results})
    in_a_row = len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1))
    shown = f"{seeds[0]}–{seeds[-1]}" if in_a_row else ", ".join(map(str, seeds))
    minutes = sum(result.seconds for result in results) / 60
    return (
        f"{len(results)} models were trained on {'; '.join(origins)} (seeds {shown}; {minutes:.1f} minutes of model time). Exact match "
        f"means that a whole instance is right under teacher forcing, which for answers equals greedy decoding{_exceptions(results)}."
    )


def _exceptions(results: Sequence[Result]) -> str:
    """Name the encodings with which what comes later changes what came before."""
    names = dict.fromkeys(result.encoding for result in results)
    changing = [name for name in names if not find_encoding(name).prefix_consistent]
    return f" except with {', '.join(changing)}, which look at whole instances" if changing else " with these encodings"


def _settings_remark(results: Sequence[Result]) -> str:
    """Say whether all cells were trained alike, and how the settings were chosen where that is known."""
    kinds = {json.dumps([each.settings["model"], each.settings["training"], each.learning_rate]) for each in results}
    if len(kinds) > 1:
        return f"Runs with {len(kinds)} different settings are counted together."
    preset = json.dumps([Shape().settings, asdict(Training()), DEFAULT_LEARNING_RATE])
    if kinds == {preset}:
        return "One setting for all cells, the preset, which was chosen on training lengths only."
    return "One setting for all cells."
