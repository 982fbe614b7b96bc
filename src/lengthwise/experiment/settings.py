"""The settings of runs in one flat namespace: the columns of reports and exports, named as in specs and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from ..model.shape import Shape
from ..tasks.core.lengths import MOST_LENGTH
from ..train.settings import PENALTY_NAMES, Training
from .grid import TABLES
from .spec import USUAL_ROOM, USUAL_TEST, Spec

_OF_NO_RUN = ("tasks", "encodings", "seeds", "success_at", "version")
SETTINGS = tuple(name for name in TABLES if name not in _OF_NO_RUN)
"""Every setting of a run but its task, encoding and seed, in the order of a spec."""

ONLY_TESTS = ("hard", "generate")
"""Settings that change what a model is tested on, and nothing of its training."""


def flat_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every setting of a run by its name; one that does not apply to the run is None.

    >>> flat_settings({"learning_rate": 0.1, "model": {"width": 16}, "training": {"penalties": [["bias_norm", 1e-4]]}})["width"]
    16
    """
    model, training = settings.get("model", {}), settings.get("training", {})
    penalties = {"positional": training.get("regularizer", 0), **dict(training.get("penalties", ()))}  # stored apart
    places = {"": settings, "model": model, "training": training, "training.penalties": penalties}
    flat = {name: places[TABLES[name]].get(name, _UNUSED[TABLES[name]]) for name in SETTINGS}
    flat |= {name: bool(flat[name]) for name in ONLY_TESTS}
    return flat | {"stop_early": training.get("stop_early", True)}  # left out of what is stored where it is on


_UNUSED = {"": None, "model": False, "training": None, "training.penalties": 0}


def varying_settings(runs: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the names of the settings in which runs differ, each run given by its flat settings.

    A run to which a setting does not apply differs in it from no other: ``room`` is None for encodings without a table. Neither
    counts a setting that follows from another by its default in all runs, as ``test_length`` follows from ``train_length``.
    """
    given = list(runs)
    return tuple(name for name in SETTINGS if len(_values(name, given)) > 1 and not _follows(name, given))


def following_settings(runs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the settings in which runs differ only because they follow from another one, with the rule.

    >>> following_settings([dict.fromkeys(SETTINGS) | {"train_length": each, "test_length": 3 * each} for each in (4, 6)])
    {'test_length': '3 × train_length'}
    """
    given = list(runs)
    return {
        name: f"{times} × train_length"
        for name, times in _TIMES_TRAIN_LENGTH.items()
        if len(_values(name, given)) > 1 and _follows(name, given)
    }


_TIMES_TRAIN_LENGTH = {"test_length": USUAL_TEST, "room": USUAL_ROOM}
"""Settings that are so many times the training length by default."""


def _values(name: str, runs: Iterable[Mapping[str, Any]]) -> set[Any]:
    return {tuple(run[name]) if isinstance(run[name], list) else run[name] for run in runs} - {None}


def _follows(name: str, runs: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a setting has the value that follows from the training length in all runs that it applies to."""
    times = _TIMES_TRAIN_LENGTH.get(name)
    return times is not None and all(
        run[name] is None or run[name] == min(times * run["train_length"], MOST_LENGTH) for run in runs
    )


def is_worth_saying(name: str, value: object) -> bool:
    """Return whether a sentence about settings names this one: switches and weights that are off by default hide the rest.

    >>> is_worth_saying("stop_early", False), is_worth_saying("warmup", 0), is_worth_saying("tied", False)
    (True, True, False)
    """
    return value is not None and (value not in (False, 0) or value != _DEFAULTS[name])


_DEFAULTS = {
    **dict.fromkeys(PENALTY_NAMES, 0),
    **{each.name: each.default for owner in (Spec, Shape, Training) for each in fields(owner)},
}


def show_setting(value: Any) -> str:
    """Return a value as a spec writes it.

    >>> [show_setting(value) for value in (0.003, True, None, (20, 40), 16)]
    ['0.003', 'true', '–', '20,40', '16']
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(show_setting, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
