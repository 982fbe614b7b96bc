"""Depth certificates from their JSON; what the checker does not believe is refused."""

from __future__ import annotations

from typing import Any

from ...errors import InvalidCertificateError
from ...languages.dfa import DFA
from .certificates import AtLeast, AtMost, CountTest, DepthCertificate, DepthStep, KnownSet, Loop, Round
from .checker import check_depth_certificate
from .problem import DepthQuestion, StateGraph


def read_depth_certificate(data: object, language: DFA | None = None) -> DepthCertificate:
    """Return the certificate that JSON data states, after the checker has accepted it, for a language if one is given."""
    check = check_depth_certificate(data, language)
    if check.objection is not None:
        raise InvalidCertificateError(
            f"this depth certificate does not hold: {check.objection}.", hint="let lengthwise predict write it again."
        )
    assert isinstance(data, dict)
    about = data["automaton"]
    automaton = DFA(alphabet=about["alphabet"], transitions=about["transitions"], accepting=about["accepting"])
    if [list(row) for row in automaton.transitions] != about["transitions"]:
        raise InvalidCertificateError(
            "the automaton of this depth certificate is not minimal, or its states are numbered in another order.",
            hint="let lengthwise predict write it again.",
        )
    return _at_most(data, automaton) if data["kind"] == "depth_at_most" else _at_least(data, automaton)


def _at_most(data: dict[str, Any], language: DFA) -> AtMost:
    number = {symbol: place for place, symbol in enumerate(language.alphabet)}
    return AtMost(
        language=language,
        question=DepthQuestion(data["question"]),
        graph=StateGraph(
            num_symbols=len(language.alphabet),
            edges=tuple(
                tuple(sorted((number[symbol], target) for symbol, target in row.items())) for row in data["edges"]
            ),
            states=tuple(data["states"]),
        ),
        steps=tuple(
            DepthStep(
                known=tuple(KnownSet(blocks=tuple(map(tuple, blocks))) for blocks in step["known"]),
                tests=tuple(
                    CountTest(
                        gains=tuple(
                            (known, number[symbol], block, gain) for known, symbol, block, gain in test["gains"]
                        ),
                        upper=tuple(test["upper"]),
                        lower=tuple(test["lower"]),
                    )
                    for test in step["tests"]
                ),
            )
            for step in data["steps"]
        ),
    )


def _at_least(data: dict[str, Any], language: DFA) -> AtLeast:
    return AtLeast(
        language=language,
        question=DepthQuestion(data["question"]),
        rounds=tuple(
            Round(
                path=tuple(each["path"]),
                loops=tuple(Loop(after=loop["after"], word=tuple(loop["word"])) for loop in each["loops"]),
            )
            for each in data["rounds"]
        ),
        first=tuple(data["first"]),
        second=tuple(data["second"]),
        suffix=tuple(data["suffix"]),
    )
