"""Position encodings: cards for all, modules for those that can be trained, and what an encoding of your own is made of.

What needs torch is imported when it is first asked for, so that cards can be read without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .attention import Attention
    from .core.base import Encoding, Fit, Where, distances, per_head
    from .core.build import make_encoding
    from .core.card import Bound, Card, Option
    from .core.id_wrapper import IdWrapper
    from .core.initialization import normal
    from .core.wrapper import Wrapper
    from .hf.attach import attach, load

__all__ = [
    "Attention",
    "Bound",
    "Card",
    "Encoding",
    "Fit",
    "IdWrapper",
    "Option",
    "Where",
    "Wrapper",
    "attach",
    "distances",
    "load",
    "make_encoding",
    "normal",
    "per_head",
]

_HOMES = {
    "Attention": "attention",
    "Bound": "core.card",
    "Card": "core.card",
    "Encoding": "core.base",
    "Fit": "core.base",
    "IdWrapper": "core.id_wrapper",
    "Option": "core.card",
    "Where": "core.base",
    "Wrapper": "core.wrapper",
    "attach": "hf.attach",
    "distances": "core.base",
    "load": "hf.attach",
    "make_encoding": "core.build",
    "normal": "core.initialization",
    "per_head": "core.base",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
