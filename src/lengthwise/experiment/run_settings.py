"""Runs read back from their settings, as files of models and plans of stacks hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..encodings.core.choice import encoding_files
from ..errors import LengthwiseError, check_number
from ..model.shape import Shape
from ..train.settings import Training
from .plan import Run
from .spec import Spec


def run_from_settings(data: Any) -> Run:
    """Return the run with these settings, which may be any JSON data; raise ValueError with half a sentence if they are none's.

    No task or encoding that is a file is opened.
    """
    try:
        run = _make_run(data)
        _check_run(run)
        return run
    except LengthwiseError as error:
        raise ValueError(error.message.rstrip(".")) from None
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is missing") from None
    except TypeError as error:
        raise ValueError(str(error)) from None


def _make_run(data: Mapping[str, Any]) -> Run:
    settings = dict(data)
    training = dict(settings["training"])
    penalties = dict(training.pop("penalties", {}))
    if weight := training.pop("regularizer", 0.0):
        penalties["positional"] = weight
    tested = settings["test_length"]
    settings |= {
        "model": Shape(**settings["model"]),
        "training": Training(**training, penalties=tuple(sorted(penalties.items()))),
        "test_length": tuple(tested) if isinstance(tested, list) else tested,
    }
    return Run(**settings)


def _check_run(run: Run) -> None:
    """Raise unless every setting is of its kind and within its range: a spec of this run alone must be allowed."""
    Spec(
        tasks=(run.task,),
        encodings=("nope",) if encoding_files(str(run.encoding)) else (run.encoding,),
        train_length=run.train_length,
        test_length=run.test_length,
        learning_rate=run.learning_rate,
        hard=run.hard,
        room=run.room,
        generate=run.generate,
    )
    for name in ("seed", "task_revision", "encoding_revision"):
        check_number(name, getattr(run, name), int, 0, 2**63 - 1)
