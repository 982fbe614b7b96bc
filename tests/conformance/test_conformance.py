"""The conformance suite over all encodings, and wrong variants of encodings that it must catch."""

from __future__ import annotations

import math

import pytest

from lengthwise.conformance.suite import CHECKS, conform
from lengthwise.encodings.catalog import ENCODINGS

pytestmark = pytest.mark.usefixtures("one_thread")


def test_there_are_at_least_forty_encodings() -> None:
    assert len(ENCODINGS) >= 40


QUICK = (
    "nope",
    "ape",
    "periodic",
    "rope",
    "t5",
    "shaw",
    "alibi",
    "fire",
    "cope",
    "fox",
    "path",
    "stick_breaking",
    "window",
    "offset",
)
"""One encoding of each kind; the others are for the full suite, and for ``lengthwise conform``."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in ENCODINGS]
)
def test_every_encoding_conforms(name: str) -> None:
    outcomes = conform(name)
    assert [outcome.check for outcome in outcomes] == list(CHECKS)
    assert [(outcome.check, outcome.failure) for outcome in outcomes if outcome.failure] == []


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "randomized(window(rope), length=2048)",
        "window(stick_breaking)",
        "window(learned)",
        "interleaved(xpos, nope)",
        "interleaved(window(fox), rope(base=500), every=2)",
        "offset(dape(fire))",
        "dape_v2(kerple_power)",
        "coupling(sinusoidal)",
        "randomized(interleaved(t5, nope))",
    ],
)
def test_encodings_around_encodings_conform_too(name: str) -> None:
    assert [(outcome.check, outcome.failure) for outcome in conform(name) if outcome.failure] == []


def test_the_slopes_are_the_published_ones() -> None:
    """Of 8 heads, and of 12, as printed in the paper's own code and in models that use it."""
    from lengthwise.encodings.methods.alibi import slopes

    assert slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    extra = [2 ** (-8 * h / 16) for h in (1, 3, 5, 7)]
    assert slopes(12).tolist() == pytest.approx([2.0**-h for h in range(1, 9)] + extra)
    assert math.isclose(slopes(3)[2].item(), 2 ** (-8 / 4))
