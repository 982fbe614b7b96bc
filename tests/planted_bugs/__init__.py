"""Planted bugs: wrong variants of encodings, all of which the conformance suite must catch.

Nothing of this is in the package: a variant is a subclass that takes the place of the right class for the time of a check.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lengthwise.conformance.suite import CHECKS, Outcome, run_check
from lengthwise.encodings.core import build
from lengthwise.encodings.core.base import Encoding
from lengthwise.encodings.core.choice import Choice, find_encoding

from .biases import BIASES
from .contents import CONTENTS
from .others import OTHERS
from .rotations import ROTATIONS

PLANTED: list[tuple[str, type[Encoding]]] = [*BIASES, *ROTATIONS, *CONTENTS, *OTHERS]
"""The encoding in whose place each wrong variant is put, and the variant."""


def first_failure(name: str, wrong: type[Encoding]) -> Outcome | None:
    """Return the first check that a wrong variant fails, or None if it passes all of them."""
    encoding = find_encoding(name)
    with _planted(name, wrong):
        outcomes = (run_check(check, encoding) for check in CHECKS)
        return next((outcome for outcome in outcomes if outcome.failure), None)


@contextmanager
def _planted(name: str, wrong: type[Encoding]) -> Iterator[None]:
    right: Any = build.load_encoding

    def load(choice: Choice) -> Any:
        return wrong if choice.card.name == name else right(choice)

    build.load_encoding = load
    try:
        yield
    finally:
        build.load_encoding = right
