"""What theory may know of a problem: its regular language, a program for it, or theorems that settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment
from ..languages.dfa import DFA
from .claims import Answer, Asked, as_asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..crasp.syntax import Program
    from .promises import PromiseCertificate, PromiseReductionCertificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A published answer: YES holds for every fragment that contains this one, NO for every one within it.

    UNKNOWN is for what is published but not proved, and says what is missing; it speaks of this fragment and those within it.
    """

    fragment: Fragment
    answer: Answer
    theorem: str
    reason: str
    program: str = ""
    """The program of the library that proves it, by name."""
    proof: Callable[[], PromiseCertificate | PromiseReductionCertificate] | None = None
    """What makes the certificate about legal inputs, when one is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts a verdict may rest on: a language, or a program, or what has been published."""

    language: DFA | None = None
    program: Program | None = None
    how: str = ""
    """What the program does, as a sentence without a full stop."""
    asked: Asked = Asked.MEMBERSHIP
    cited: tuple[Citation, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", as_asked(self.asked))  # the deciders compare members, not text
