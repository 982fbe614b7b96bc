"""The class in a user's file: this is where the file runs, and where torch is needed."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any, cast

from ...errors import UserCodeError
from ...notices import on_user_code
from ...tasks.user.source import describe
from ..core.base import Encoding
from ..core.source import read_card

_TEMPLATE_HINT = "lengthwise new encoding NAME writes a file to start from."


def load_user_class(path: str, text: str) -> type[Encoding]:
    """Return the class that a file declares as its encoding; the user is told before the file runs."""
    on_user_code.get()(path, "in this process")
    module = _run(path, text)
    card = vars(module).get("CARD")
    if card != read_card(text, path):
        raise UserCodeError(f"{path!r} changes its CARD while it runs.", hint="assign CARD once, as Card(…).")
    kinds = [kind for kind in vars(module).values() if _is_encoding(kind) and vars(kind).get("card") is card]
    if len(kinds) != 1:
        raise UserCodeError(
            f"{path!r} must have one class that derives from Encoding and says card = CARD; found {len(kinds)}.",
            hint=_TEMPLATE_HINT,
        )
    return cast("type[Encoding]", kinds[0])


def _is_encoding(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Encoding)


def load_user_reference(path: str, text: str) -> Any:
    """Return the function ``reference`` of a file, or None."""
    on_user_code.get()(path, "in this process")
    return getattr(_run(path, text), "reference", None)


@lru_cache(maxsize=32)  # a class stays the same as long as its text does
def _run(path: str, text: str) -> ModuleType:
    module = ModuleType("lengthwise_user_encoding")
    module.__file__ = path
    try:
        exec(compile(text, path, "exec"), vars(module))
    except (Exception, SystemExit) as problem:
        raise UserCodeError(
            f"{path!r} cannot be run: {describe(problem, path)}.", hint="correct the file; lengthwise check shows more."
        ) from None
    return module
