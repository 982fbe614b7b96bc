"""What a wrapper cannot be put around: each word that a card may list under ``refuses``, as a rule about the base.

The rules read what cards declare, never a name, so that they hold for an encoding in a user's file too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import InvalidOptionError
from .card import Refusal

if TYPE_CHECKING:
    from .choice import Choice

_DISTANCES = ("relative", "t5_bucket", "clipped")
"""The relations that are functions of distances."""


def require_accepted(choice: Choice) -> None:
    """Raise if an encoding is put around one that its card refuses."""
    for base in choice.bases:
        for word in choice.card.refuses:
            _RULES[word](choice.card.name, base)


def _chosen_ids(name: str, base: Choice) -> None:
    if base.chooses_ids:
        raise InvalidOptionError(
            f"{name!r} goes around encodings that take positions as they come; {base.name!r} chooses its own.",
            hint="put the two the other way round, or use learned instead of ape.",
        )


def _counted_positions(name: str, base: Choice) -> None:
    if base.card.counts_positions:
        raise InvalidOptionError(
            f"{name!r} gives tokens other positions, and {base.name!r} has equations between those that they have.",
            hint="use it alone.",
        )


def _whole_ids(name: str, base: Choice) -> None:
    if not base.float_ids:
        raise InvalidOptionError(
            f"{name} gives fractions as positions, and {base.name!r} has rows for whole numbers only.",
            hint="put it around a formula, for example rope, alibi or sinusoidal.",
        )


def _visible_keys(name: str, base: Choice) -> None:
    if any(part.card.uses_visible_keys for part in base.parts):
        raise InvalidOptionError(
            f"a {name} around {base.name!r} has no one meaning: its scores depend on the keys that would be hidden.",
            hint=f"put the {name} around an encoding whose scores look at one key at a time.",
        )


def _wrapped(name: str, base: Choice) -> None:
    if base.bases:
        raise InvalidOptionError(
            f"{name!r} adapts a plain bias, not {base.name!r}.", hint="for example kerple_log, alibi, t5 or fire."
        )


def _itself(name: str, base: Choice) -> None:
    if any(part.card.name == name for part in base.parts):
        raise InvalidOptionError(f"{base.name!r} has {name!r} in it already.", hint="use it once.")


def _no_distances(name: str, base: Choice) -> None:
    if base.card.relation not in _DISTANCES:
        raise InvalidOptionError(
            f"{name!r} takes the scale from distances, and {base.name!r} is not a function of distances alone.",
            hint="put it around such an encoding, for example rpe, rope, kerple_log or t5.",
        )


def _no_positive_bias(name: str, base: Choice) -> None:
    """Refuse a base where softmax would not see a correction of the bias, or that has one already."""
    hint = f"put {name} around a bias that can be positive, for example rpe, t5 or scale_hint(rpe)."
    if base.card.name == name:
        _itself(name, base)
    if base.card.hides_keys:
        raise InvalidOptionError(
            f"{base.name!r} needs no correction: the tokens in its window do not become more.", hint="use it as it is."
        )
    if base.card.never_positive:
        raise InvalidOptionError(
            f"the bias of {base.name!r} is never above 0, so the correction would be the same for all keys, "
            "and softmax would not see it.",
            hint=hint,
        )
    if base.bases and not base.card.network_on_scores:
        for inner in base.bases:
            _no_positive_bias(name, inner)
    elif base.card.bounded_bias is None:
        raise InvalidOptionError(
            f"{base.name!r} has no bias by position alone: the correction would be the same for all keys, "
            "and softmax would not see it.",
            hint=hint,
        )


_RULES: dict[Refusal, Callable[[str, Choice], None]] = {
    "chosen ids": _chosen_ids,
    "counted positions": _counted_positions,
    "whole ids": _whole_ids,
    "visible keys": _visible_keys,
    "wrapped": _wrapped,
    "itself": _itself,
    "no distances": _no_distances,
    "no positive bias": _no_positive_bias,
}
