"""From what a user writes to a verdict for an encoding.

``lengthwise.predict`` is this package and the function :func:`lengthwise.predict.predict.predict` at once: the package can
be called. Otherwise the function would hide the package, and with it ``lengthwise.predict.recommend``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .predict import Predictions
from .predict import predict as _predict

__wrapped__ = _predict  # whose signature help and editors show


class _CallablePackage(ModuleType):
    """A package that is called like its main function."""

    def __call__(self, what: str, **options: Any) -> Predictions:
        return _predict(what, **options)


sys.modules[__name__].__class__ = _CallablePackage
