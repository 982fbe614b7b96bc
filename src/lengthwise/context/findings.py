"""What follows from a configuration about long inputs: one finding for each question, with its source and what it leaves open.

A question has one :class:`Meaning`, which names the theorem or the paper, the assumption, and what is not claimed. A finding is the
answer for one kind of attention of one model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..encodings.core.choice import Choice, find_packaged_encoding
from ..errors import LengthwiseError
from ..theory.precision.look_back import penalty_reach
from .model_config import Attached, AttentionKind, LearnedTable, ModelConfig, Penalty
from .offsets import closest_sum, first_negative_sum
from .rotations import SCALINGS, Rotation

TURN = 2 * math.pi
MOST_DISTANCES = 1_048_576  # that sums are formed over: about a second for 64 pairs
_ROUNDING = 1e-9  # angles that differ by less are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a question is, and what its answer rests on."""

    question: str
    source: str
    assumption: str
    not_claimed: str


MEANINGS: Mapping[str, Meaning] = {
    "encoding": Meaning(
        question="positions",
        source="docs/concepts/encodings.md, the bounds of this encoding",
        assumption="every layer of the model is of this kind, and what 'lengthwise show encoding NAME' prints",
        not_claimed="That training finds what the encoding can express.",
    ),
    "wavelengths": Meaning(
        question="wavelengths (tokens)",
        source="the definition of the rotation, arXiv 2104.09864",
        assumption="none",
        not_claimed="That a model uses every pair.",
    ),
    "came_round": Meaning(
        question="pairs that came round in training",
        source="counting: a pair came round if its angle reached a full turn within the trained length",
        assumption="training used the trained length in full, with the angles before scaling",
        not_claimed="That pairs which never came round do harm: a small angle beyond training is a small change.",
    ),
    "unseen": Meaning(
        question="pairs with unseen angles",
        source="counting: a pair that did not come round, and turns further at the length in use than in training",
        assumption="as above; further training after the scaling is not in a configuration",
        not_claimed="That the model fails there.",
    ),
    "similarity": Meaning(
        question="similar keys stop winning at distance",
        source="arXiv 2405.14591: from the first n with Σ cos θ_t n < 0 on, a similar key scores less than a random one on average",
        assumption="entries of queries and keys are independent, with one mean and one variance",
        not_claimed="That a trained head cannot look further: it may weight its pairs unequally.",
    ),
    "look_back": Meaning(
        question="amplitude that singles out one distance",
        source="theorem bounded_look_back; arXiv 2608.11909, corollary 4.1, for one pair",
        assumption="all pairs have one amplitude; exp underflows to 0 in this number format",
        not_claimed="That less is too little: the condition is sufficient, not necessary. Attention need not be exact to be useful.",
    ),
    "scaling": Meaning(
        question="scaling",
        source="the definition of the scaling",
        assumption="none",
        not_claimed="That inputs of the new length work without further training.",
    ),
    "angle_error": Meaning(
        question="rounding of angles at the end",
        source="two roundings to float32, of the frequency and of the angle, each off by at most one part in 2^24",
        assumption="positions and angles are float32, as in the Hugging Face library, and frequencies rounded correctly",
        not_claimed="That this error is seen in the output.",
    ),
    "horizon": Meaning(
        question="exact positions and counts up to",
        source="number formats: all whole numbers are exact up to 2 to the number of significant bits",
        assumption="positions are kept, or averages formed, in the model's own format",
        not_claimed="That the code does so. Most libraries keep positions in float32.",
    ),
    "window": Meaning(
        question="tokens in reach",
        source="theorem W: L layers with windows of w tokens look back L(w − 1) tokens",
        assumption="none",
        not_claimed="That a model looks so far back: information has to pass through every layer.",
    ),
    "penalty": Meaning(
        question="tokens seen by the steepest and the flattest head",
        source="theorem D",
        assumption="scores before the penalty lie between −B and B, and penalties are not clipped; B is --scores",
        not_claimed="That tokens within reach get much weight.",
    ),
    "table": Meaning(
        question="positions in the table",
        source="the definition of learned positions",
        assumption="none",
        not_claimed="That positions seldom seen in training are learned.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer to one question, in words and as data."""

    key: str
    kind: str
    answer: str
    data: Mapping[str, object] = field(default_factory=dict)


def findings_of(config: ModelConfig, largest_score: float) -> list[Finding]:
    """Return the answers for every kind of attention, in the order of ``MEANINGS``."""
    found = [finding for kind in config.kinds for finding in _of_kind(config, kind, largest_score)]
    found += [_horizon(config)]
    order = list(MEANINGS)
    return sorted(found, key=lambda finding: order.index(finding.key))


def _of_kind(config: ModelConfig, kind: AttentionKind, largest_score: float) -> Iterator[Finding]:
    yield _encoding(kind)
    if kind.window is not None:
        yield _window(config, kind)
    match kind.positions:
        case Rotation() as rotation:
            yield from _of_rotation(config, kind, rotation)
        case Penalty(slopes=slopes):
            reaches = [
                penalty_reach(slope, largest_score, config.number_format) for slope in (max(slopes), min(slopes))
            ]
            answer = f"{reaches[0]:,} and {reaches[1]:,} (slopes {max(slopes):.3g} to {min(slopes):.3g}, B = {largest_score:g})"
            yield Finding(
                key="penalty", kind=kind.name, answer=answer, data={"tokens": reaches, "slopes": list(slopes)}
            )
        case LearnedTable(size=size):
            answer = f"{size:,}; longer inputs have no positions"
            yield Finding(key="table", kind=kind.name, answer=answer, data={"positions": size})


def encoding_of(kind: AttentionKind) -> str:
    """Return the encoding of a kind of attention as ``lengthwise predict --encoding`` takes it.

    Ours do not combine a scaling with a partial rotation; such a model is described by its scaling.
    """
    name = _without_window(kind.positions)
    return name if kind.window is None else f"window({name}, window={kind.window})"


def _without_window(positions: object) -> str:
    match positions:
        case Penalty():
            return "alibi"
        case LearnedTable():
            return "learned"
        case Attached(name=name):
            return name
        case Rotation() as rotation:
            return _rotary_name(rotation)
    return "nope"


_OUR_NAMES = {"linear": "pi", "dynamic": "dynamic_ntk", "yarn": "yarn", "longrope": "longrope", "llama3": "llama3"}
_WITH_TRAINED = ("dynamic", "yarn", "longrope", "llama3")


def _rotary_name(rotation: Rotation) -> str:
    options: dict[str, float] = {"base": rotation.base}
    if rotation.scaling == "default" and rotation.width < rotation.head_width:
        return f"rope_partial({_options(options | {'share': rotation.width / rotation.head_width})})"
    if rotation.scaling == "default":
        return f"rope({_options(options)})"
    if rotation.scaling == "proportional":
        return f"p_rope({_options(options | {'share': float(rotation.settings.get('share', 1.0))})})"
    options["factor"] = rotation.factor
    if rotation.scaling in _WITH_TRAINED:
        options["trained"] = rotation.trained
    return f"{_OUR_NAMES[rotation.scaling]}({_options(options)})"


def _options(options: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={value:.10g}" for name, value in options.items())


def _encoding(kind: AttentionKind) -> Finding:
    name = encoding_of(kind)
    try:
        choice = find_packaged_encoding(name)
        name = choice.name
        answer = f"{name}: {_classes(choice)}"
    except LengthwiseError as error:  # a number outside of what our encodings take
        answer = f"{name}: no bounds, since {error.message}"
    return Finding(key="encoding", kind=kind.name, answer=answer, data={"encoding": name, "layers": list(kind.layers)})


def _classes(choice: Choice) -> str:
    """Return the classes between which an encoding lies, under both theories."""
    said = []
    for theory, low, high in (
        ("counting", choice.at_least, choice.at_most),
        ("fixed precision", choice.precise_at_least, choice.precise_at_most),
    ):
        bounds = [f"at {word} {bound.fragment.notation}" for word, bound in (("least", low), ("most", high)) if bound]
        said.append(f"{theory} {' and '.join(bounds) or 'nothing proved'}")
    return "; ".join(said)


def _of_rotation(config: ModelConfig, kind: AttentionKind, rotation: Rotation) -> Iterator[Finding]:
    trained, used = (_reach(kind, length) for length in (config.trained, config.declared))
    before, after = rotation.unscaled, rotation.angles(config.declared)
    pairs = len(before)
    turning = [angle for angle in after if angle]
    waves = [TURN / angle for angle in turning]
    answer = f"{_tokens(min(waves))} to {_tokens(max(waves))}"
    if rotation.scaling != "default":
        plain = [TURN / angle for angle in before if angle]
        answer += f"; before scaling {_tokens(min(plain))} to {_tokens(max(plain))}"
    yield Finding(key="wavelengths", kind=kind.name, answer=answer, data={"pairs": pair_table(before, after, trained)})

    round_ = sum(angle * trained >= TURN for angle in before)
    yield Finding(
        key="came_round",
        kind=kind.name,
        answer=f"{round_} of {pairs}",
        data={"pairs": round_, "of": pairs, "trained": trained},
    )
    unseen = unseen_pairs(config, kind, rotation)
    yield Finding(
        key="unseen", kind=kind.name, answer=f"{len(unseen)} of {pairs}", data={"pairs": unseen, "length": used}
    )

    summed = min(used, MOST_DISTANCES)
    negative = first_negative_sum(after, summed)
    shown = f"none up to {summed:,}" if negative is None else f"{negative:,}"
    yield Finding(key="similarity", kind=kind.name, answer=shown, data={"distance": negative, "up_to": summed})

    if summed > 1:
        needed = config.number_format.underflow / closest_sum(after, summed - 1)
        yield Finding(
            key="look_back",
            kind=kind.name,
            answer=f"{needed:,.1f} for each pair, up to {summed:,} tokens ({config.number_format})",
            data={"amplitude": needed, "up_to": summed, "format": str(config.number_format)},
        )
    if rotation.scaling != "default":
        gain = rotation.gain**2
        answer = SCALINGS[rotation.scaling] + (f"; all scores times {gain:.4g}" if gain != 1 else "")
        data = {"scaling": rotation.scaling, "factor": rotation.factor, "scores": gain}
        yield Finding(key="scaling", kind=kind.name, answer=answer, data=data)
    error = 2 * used * max(after) * 2**-24
    yield Finding(
        key="angle_error",
        kind=kind.name,
        answer=f"{error:.2g} of a radian at most, in the fastest pair",
        data={"radians": error, "length": used},
    )


def _reach(kind: AttentionKind, length: int) -> int:
    """Return how many tokens a query of these layers sees in an input of a length."""
    return length if kind.window is None else min(length, kind.window)


def unseen_pairs(config: ModelConfig, kind: AttentionKind, rotation: Rotation) -> list[int]:
    """Return the pairs that take angles in use which they did not take in training, and had not come round."""
    trained, used = (_reach(kind, length) for length in (config.trained, config.declared))
    return [
        pair
        for pair, (before, after) in enumerate(zip(rotation.unscaled, rotation.angles(config.declared), strict=True))
        if before * (trained - 1) < TURN and after * (used - 1) > before * (trained - 1) * (1 + _ROUNDING)
    ]


def pair_table(before: Sequence[float], after: Sequence[float], trained: int) -> list[dict[str, object]]:
    """Return every pair with its wavelengths and its turns in training; a pair that does not turn has no wavelength."""
    return [
        {
            "pair": pair,
            "wavelength": TURN / old if old else None,
            "scaled": TURN / new if new else None,
            "turns": old * trained / TURN,
        }
        for pair, (old, new) in enumerate(zip(before, after, strict=True))
    ]


def _window(config: ModelConfig, kind: AttentionKind) -> Finding:
    assert kind.window is not None
    alone = 1 + len(kind.layers) * (kind.window - 1)
    full = sum(len(other.layers) for other in config.kinds if other.window is None)
    answer = (
        f"window {kind.window:,} in {len(kind.layers)} of {config.num_layers} layers: {alone:,} tokens by these alone"
    )
    answer += f"; {full} layers see all" if full else ", and no layer sees more"
    data = {"window": kind.window, "layers": len(kind.layers), "tokens": alone, "full_layers": full}
    return Finding(key="window", kind=kind.name, answer=answer, data=data)


def _horizon(config: ModelConfig) -> Finding:
    horizon = config.number_format.horizon
    named = str(config.number_format)
    return Finding(key="horizon", kind="", answer=f"{horizon:,} ({named})", data={"tokens": horizon, "format": named})


def _tokens(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
