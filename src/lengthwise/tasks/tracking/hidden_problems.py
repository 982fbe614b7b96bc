"""What state tracking hides: counters modulo a prime and flip-flops, which no program computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...theory.facts import Facts
from ..core.cited import NO_LAST_OF_MANY, excluded_by_hidden, no_count_modulo, unsettled
from ..core.legal_inputs import FLIP_FLOP, counter
from ..core.task import SEP
from .finite_monoids import FiniteMonoid


def hides(target: str, reason: str, images: dict[str, Sequence[str]], names: Sequence[str], **around: Any) -> Facts:
    """Return that no program does this, because the inputs hide a counter modulo a prime or a flip-flop."""
    suffix = (*around.pop("suffix", ()), SEP)
    return Facts(cited=(excluded_by_hidden(target, reason, images=images, answers=names, suffix=suffix, **around),))


def word_problem_facts(group: FiniteMonoid, keys: int = 0) -> Facts:
    """Return what is known of products; if there are keys, so many of them stand for elements, which the prompt says first."""
    if group.prime is not None:
        number, start = group.counting_element()
        elements, names = [number, 0], [group.power(number, start + turn) for turn in range(group.prime)]
        target, images, first = counter(group.prime), {"a": 0, "b": 1}, [0] * start or [1]  # a prompt is not empty
        reason = (
            f"Take inputs of two elements only: one that changes nothing, and one that is back where it began after {group.prime} "
            f"times. The product is then how often the second one occurs, modulo {group.prime}. {no_count_modulo(group.prime)}"
        )
    elif group.has_flip_flop and keys != 2:
        one, two = group.resetting_elements()
        elements, names = [one, two, 0], [two, one]
        target, images, first = FLIP_FLOP, {"0": 0, "1": 1, "2": 2}, [1]
        reason = (
            "Take inputs of three elements: one that changes nothing, and two that each set the product anew. The answer is then which "
            f"of the two came last. {NO_LAST_OF_MANY}"
        )
    else:
        return Facts(
            cited=(
                unsettled(
                    f"In {group.name} the powers of every element settle, so products do not count modulo anything. Whether "
                    "programs multiply in it is not settled here."
                ),
            )
        )
    symbols = [group.symbols[element] for element in elements]
    prefix: list[str] = []
    if keys:
        meaning = [*symbols, *symbols[:1] * (keys - len(symbols))]
        symbols = [f"k{key}" for key in range(keys)]
        prefix = [symbol for pair in zip(symbols, meaning, strict=True) for symbol in pair]
    return hides(
        target,
        reason,
        {letter: (symbols[place],) for letter, place in images.items()},
        [group.symbols[name] for name in names],
        prefix=(*prefix, *(symbols[place] for place in first)),
    )


def wall_facts(number: int) -> Facts:
    """Return that a wall forgets: after enough steps to the left, the place is known, whatever it was before."""
    length = number + number % 2
    return hides(
        FLIP_FLOP,
        "Many steps left end at the wall, wherever they began; many steps left and one right end beside it. Steps right and left in "
        f"turn change neither. So the answer is which of the first two happened last. {NO_LAST_OF_MANY}",
        {"0": (*("left",) * (length - 1), "right"), "1": ("left",) * length, "2": ("right", "left") * (length // 2)},
        ("x0", "x1"),
        prefix=("left",),
    )
