"""Will a transformer trained on short inputs keep working on longer ones, and why?

>>> import lengthwise
>>> for row in lengthwise.predict("(ab|bbaa)*"):
...     print(row.encoding, row.verdict.answer, "level", row.verdict.level)
nope YES level 2
ape YES level 2
"""

from __future__ import annotations

from ._version import __version__
from .crasp.fragments import Fragment, Readout
from .encodings.cards import ENCODINGS
from .errors import LengthwiseError
from .languages.catalog import LANGUAGES
from .languages.dfa import DFA
from .languages.dfa_algebra import distinguishing_word
from .languages.regex import compile_regex
from .predict.predict import Prediction, predict
from .theory.checker import Check, check_certificate
from .theory.claims import Answer
from .theory.deciders import decide
from .theory.facts import Facts
from .theory.theorems import THEOREMS
from .theory.verdict import Verdict

__all__ = [
    "DFA",
    "ENCODINGS",
    "LANGUAGES",
    "THEOREMS",
    "Answer",
    "Check",
    "Facts",
    "Fragment",
    "LengthwiseError",
    "Prediction",
    "Readout",
    "Verdict",
    "__version__",
    "check_certificate",
    "compile_regex",
    "decide",
    "distinguishing_word",
    "predict",
]
