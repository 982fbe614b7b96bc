"""Prediction beside measurement: statistics, tables, pictures and pages.

``lengthwise.report`` is this package and the function :func:`lengthwise.report.measured.report` at once: the package can be
called. Otherwise the function would hide the package.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..experiment import DEFAULT_STORE

if TYPE_CHECKING:
    from .measured import Report


class _CallablePackage(ModuleType):
    """A package that is called like its main function."""

    def __call__(self, store: str | Path = DEFAULT_STORE) -> Report:
        """Return the report of a store: prediction beside measurement for every finished run."""
        from .measured import report

        return report(store)


sys.modules[__name__].__class__ = _CallablePackage
