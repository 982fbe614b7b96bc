"""Certificates for the depth of a question: "at most b" and "at least a", as data and as JSON.

:mod:`lengthwise.theory.depth.checker` decides whether to believe one, from its JSON alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...languages.dfa import DFA
from .problem import DepthQuestion, StateGraph

Word = tuple[str, ...]
Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSet:
    """A set of nodes that contains all predecessors of its nodes, divided into blocks that formulas of some depth name."""

    blocks: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTest:
    """A sum of counts, with bounds on its value after all words to each node; None where there is no bound.

    ``gains`` lists (known set, symbol, block, gain): the sum grows by the gain at a position with this symbol where the run
    was in this block of the known set before it.
    """

    gains: tuple[tuple[int, int, int, int], ...]
    upper: tuple[int | None, ...]
    lower: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthStep:
    """The counts of one more depth, over blocks that the steps before it tell apart."""

    known: tuple[KnownSet, ...]
    tests: tuple[CountTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost:
    """A program exists whose depth is at most the number of steps."""

    language: DFA
    question: DepthQuestion
    graph: StateGraph
    steps: tuple[DepthStep, ...]

    @property
    def bound(self) -> int:
        """The depth that suffices."""
        return len(self.steps)

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return _head(self, "depth_at_most") | {
            "states": list(self.graph.states),
            "edges": [{alphabet[symbol]: target for symbol, target in row} for row in self.graph.edges],
            "steps": [
                {
                    "known": [[list(block) for block in known.blocks] for known in step.known],
                    "tests": [
                        {
                            "gains": [
                                [known, alphabet[symbol], block, gain] for known, symbol, block, gain in test.gains
                            ],
                            "upper": list(test.upper),
                            "lower": list(test.lower),
                        }
                        for test in step.tests
                    ],
                }
                for step in self.steps
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A closed walk at the node where the path is after ``after`` symbols."""

    after: int
    word: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A path from the root of a region to the root of the next one, and closed walks at its nodes."""

    path: Word
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast:
    """No program has a depth smaller than one more than the number of rounds.

    From the last root, ``first`` and ``second`` lead to nodes with one label, and ``suffix`` from there to different answers.
    """

    language: DFA
    question: DepthQuestion
    rounds: tuple[Round, ...]
    first: Word
    second: Word
    suffix: Word

    @property
    def bound(self) -> int:
        """The depth that every program has at least."""
        return len(self.rounds) + 1

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        return _head(self, "depth_at_least") | {
            "rounds": [
                {
                    "path": _word(alphabet, each.path),
                    "loops": [{"after": loop.after, "word": _word(alphabet, loop.word)} for loop in each.loops],
                }
                for each in self.rounds
            ],
            "first": _word(alphabet, self.first),
            "second": _word(alphabet, self.second),
            "suffix": _word(alphabet, self.suffix),
        }


DepthCertificate = AtMost | AtLeast


def _head(certificate: DepthCertificate, kind: str) -> Json:
    language = certificate.language
    return {
        "lengthwise": "depth certificate",
        "version": 1,
        "kind": kind,
        "question": str(certificate.question),
        "bound": certificate.bound,
        "automaton": {
            "alphabet": list(language.alphabet),
            "transitions": [list(row) for row in language.transitions],
            "accepting": sorted(language.accepting),
        },
    }


def _word(alphabet: Sequence[str], word: Word) -> str | list[str]:
    """Return a word as a string where symbols are single characters, else as a list."""
    return "".join(word) if all(len(symbol) == 1 for symbol in alphabet) else list(word)
