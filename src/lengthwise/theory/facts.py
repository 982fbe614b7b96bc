"""What theory may know of a problem: for now its regular language; programs, circuits and cited theorems join later."""

from __future__ import annotations

from dataclasses import dataclass

from ..languages.dfa import DFA


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts a verdict may rest on."""

    language: DFA
