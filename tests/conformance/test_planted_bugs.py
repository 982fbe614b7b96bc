"""The conformance suite catches every planted bug (tests/planted_bugs): a wrong variant of an encoding in its place."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("torch")

from planted_bugs import PLANTED, first_failure

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.encodings.core.base import Encoding

pytestmark = pytest.mark.usefixtures("one_thread")

QUICK = {
    "AlibiForPowersOfTwo",
    "AlibiUpToEightHeads",
    "AlibiWithHiddenPositions",
    "ApeOneRowShort",
    "DebertaOfTheReleasedCode",
    "DynamicBiasOffByOne",
    "FireOfAnotherSlope",
    "HardAlibiRoundedUp",
    "LearnedThatWraps",
    "LongRopeOneTooEarly",
    "OffsetBeyondTheRoom",
    "PartialRopeRounded",
    "PathInBlocksOf64",
    "PopeClipped",
    "RandomizedOnce",
    "RopeIn32Bits",
    "RopeOfTheFirstModel",
    "RopeOfTheFirstRow",
    "RopeWithSharedCache",
    "SandwichIn32Bits",
    "ScaleHintOfTheFirstRow",
    "StickBreakingOf64",
    "TransformerXlOfEvenWidth",
    "YarnWithoutMscale",
}
"""Of every check and kind of mistake a few; the others are for the full suite, and for benchmarks/planted_bugs.py."""


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        pytest.param(name, wrong, id=wrong.__name__, marks=[pytest.mark.full] * (wrong.__name__ not in QUICK))
        for name, wrong in PLANTED
    ],
)
def test_a_planted_bug_is_caught(name: str, wrong: type[Encoding]) -> None:
    caught = first_failure(name, wrong)
    assert caught is not None
    print(f"{wrong.__name__}: caught by {caught.check}")
    assert caught.failure.startswith(("Nonconforming", "AssertionError")), caught.failure  # it runs, and is wrong


def test_bugs_are_planted_in_encodings_of_every_family() -> None:
    planted = Counter(ENCODINGS[name].family for name, _ in PLANTED)
    assert set(planted) == {card.family for card in ENCODINGS.values()}
    assert planted.total() >= 100
    assert {wrong.__name__ for _, wrong in PLANTED} >= QUICK


def test_a_bug_is_gone_once_it_was_caught() -> None:
    from lengthwise.conformance.suite import CHECKS, run_check
    from lengthwise.encodings.core.choice import find_encoding

    name, wrong = next(each for each in PLANTED if each[0] == "rope")
    assert first_failure(name, wrong) is not None
    assert not any(run_check(check, find_encoding(name)).failure for check in list(CHECKS)[:4])
