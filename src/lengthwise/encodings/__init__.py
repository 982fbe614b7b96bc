"""Position encodings: cards for all, modules for those that can be trained.

What needs torch is imported when it is first asked for, so that cards can be read without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .attention import Attention
    from .base import Fit
    from .build import make_encoding
    from .huggingface import attach, load

__all__ = ["Attention", "Fit", "attach", "load", "make_encoding"]

_HOMES = {
    "Attention": "attention",
    "Fit": "base",
    "attach": "huggingface",
    "load": "huggingface",
    "make_encoding": "build",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
