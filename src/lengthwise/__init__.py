"""Will a transformer trained on short inputs keep working on longer ones, and why?

>>> import lengthwise
>>> for row in lengthwise.predict("(aa)*"):
...     print(row.encoding, row.verdict.answer)
nope NO
ape YES

Every name in ``__all__`` is loaded when it is first used, so that importing lengthwise costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from .crasp.fragments import Fragment as Fragment
    from .crasp.fragments import Readout as Readout
    from .crasp.parser import parse_program as parse_program
    from .crasp.programs.catalog import PROGRAMS as PROGRAMS
    from .crasp.programs.catalog import find_program as find_program
    from .crasp.syntax import Program as Program
    from .crasp.trace import trace_program as trace_program
    from .encodings.attention import Attention as Attention
    from .encodings.catalog import ENCODINGS as ENCODINGS
    from .encodings.core.base import Fit as Fit
    from .encodings.core.build import make_encoding as make_encoding
    from .encodings.core.choice import find_encoding as find_encoding
    from .encodings.hf.attach import attach as attach
    from .errors import LengthwiseError as LengthwiseError
    from .experiment.grid import load_specs as load_specs
    from .experiment.spec import Spec as Spec
    from .languages.catalog import LANGUAGES as LANGUAGES
    from .languages.dfa import DFA as DFA
    from .languages.dfa_algebra import distinguishing_word as distinguishing_word
    from .languages.regex import compile_regex as compile_regex
    from .predict.predict import Prediction as Prediction
    from .predict.predict import Predictions as Predictions
    from .predict.predict import predict as predict
    from .predict.recommend import Advice as Advice
    from .predict.recommend import recommend as recommend
    from .report.measured import Report as Report
    from .report.measured import report as report
    from .report.measured import run as run
    from .tasks.core.catalog import TASKS as TASKS
    from .tasks.core.catalog import find_task as find_task
    from .theory.checker import Check as Check
    from .theory.checker import check_certificate as check_certificate
    from .theory.claims import Answer as Answer
    from .theory.deciders import decide as decide
    from .theory.facts import Facts as Facts
    from .theory.theorems import THEOREMS as THEOREMS
    from .theory.verdict import Verdict as Verdict

_MODULES = {
    "Advice": "predict.recommend",
    "Answer": "theory.claims",
    "Attention": "encodings.attention",
    "Check": "theory.checker",
    "DFA": "languages.dfa",
    "ENCODINGS": "encodings.catalog",
    "Facts": "theory.facts",
    "Fit": "encodings.core.base",
    "Fragment": "crasp.fragments",
    "LANGUAGES": "languages.catalog",
    "LengthwiseError": "errors",
    "PROGRAMS": "crasp.programs.catalog",
    "Prediction": "predict.predict",
    "Predictions": "predict.predict",
    "Program": "crasp.syntax",
    "Readout": "crasp.fragments",
    "Report": "report.measured",
    "Spec": "experiment.spec",
    "TASKS": "tasks.core.catalog",
    "THEOREMS": "theory.theorems",
    "Verdict": "theory.verdict",
    "attach": "encodings.hf.attach",
    "check_certificate": "theory.checker",
    "compile_regex": "languages.regex",
    "decide": "theory.deciders",
    "distinguishing_word": "languages.dfa_algebra",
    "find_encoding": "encodings.core.choice",
    "find_program": "crasp.programs.catalog",
    "find_task": "tasks.core.catalog",
    "load_specs": "experiment.grid",
    "make_encoding": "encodings.core.build",
    "parse_program": "crasp.parser",
    "recommend": "predict.recommend",
    "run": "report.measured",
    "trace_program": "crasp.trace",
}
"""The module of each name."""

_PACKAGES = ("predict", "report")  # of these names; they can be called, so that the functions do not hide them

__all__ = sorted([*_MODULES, *_PACKAGES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
