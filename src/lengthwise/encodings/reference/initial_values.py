"""Where everything that encodings learn starts, in numbers: by the name of the card, then of the parameter.

Each entry is a function of the shapes of an encoding's parameters, without the axis of models. A start is a number for
all entries, a list of numbers along the last axes, or ``Normal``: independent normal numbers of mean 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .biases import alibi_slopes

WIDTH = 32
"""The width of the models whose initial values are compared."""

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Normal:
    """Independent normal numbers of mean 0."""

    deviation: float


Start = float | list[float] | Normal
SMALL = Normal(0.02)
"""The deviation of weights in GPT-2 and BERT."""
GAIN = Normal(0.02 / 8)
"""Gains are eight times what is learned."""


def _before_softplus(value: float) -> float:
    """Return the number whose softplus is ``value``."""
    return math.log(math.exp(value) - 1)


def _slopes(num_heads: int) -> list[float]:
    return [_before_softplus(slope) for slope in alibi_slopes(num_heads)]


def fire(shapes: Shapes) -> dict[str, Start]:
    """c = 0.1 and L its threshold, as in the paper's code; the network keeps the size of what it maps."""
    (hidden,) = shapes["in_bias_MF"]
    return {
        "slope_M": 0.1,
        "threshold_M": 1.0,
        "in_weight_MF": Normal(1.0),
        "in_bias_MF": Normal(1.0),
        "out_weight_MFH": Normal(0.5 / math.sqrt(hidden)),
    }


def dynamic_bias(shapes: Shapes) -> dict[str, Start]:
    """Weights of deviation 1/√inputs, and the first bias spread over the distances."""
    (hidden,) = shapes["mid_bias_MG"]
    kept = Normal(1 / math.sqrt(hidden))
    return {
        "in_weight_MF": Normal(1.0),
        "in_bias_MF": Normal(1.0),
        "mid_weight_MFG": kept,
        "mid_bias_MG": 0.0,
        "out_weight_MGH": kept,
    }


def dape(shapes: Shapes) -> dict[str, Start]:
    """Weights of deviation 1/√inputs, biases 0; the inputs are two numbers of every head."""
    inputs, hidden = shapes["in_weight_MIF"]
    return {
        "in_weight_MIF": Normal(inputs**-0.5),
        "in_bias_MF": 0.0,
        "out_weight_MFH": Normal(hidden**-0.5),
    }


def dape_v2(shapes: Shapes) -> dict[str, Start]:
    """The same, with the inputs of all taps."""
    taps, inputs, hidden = shapes["in_weight_MCIF"]
    return {
        "in_weight_MCIF": Normal((taps * inputs) ** -0.5),
        "in_bias_MF": 0.0,
        "out_weight_MCFH": Normal((taps * hidden) ** -0.5),
    }


def relative_projection(shapes: Shapes) -> dict[str, Start]:
    """Curves are small; mixtures as torch starts a linear layer: uniform numbers of ±1/√D have deviation 1/√(3D)."""
    wide = Normal(1 / math.sqrt(3 * shapes["mix_MDHT"][0]))
    return {"table_MRT": SMALL, "mix_MDHT": wide, "mix_bias_MHT": wide}


def rpe_square(shapes: Shapes) -> dict[str, Start]:
    """R is small; the maps keep the size of what they map."""
    maps = Normal(1 / math.sqrt(shapes["seek_MDTHW"][0]))
    return {"table_MNH": SMALL, "seek_MDTHW": maps, "offer_MDTHW": maps}


def lbpe_mlp(shapes: Shapes) -> dict[str, Start]:
    """Weights of deviation 1/√inputs; labels tell pairs apart from the start."""
    features, hidden = shapes["in_weight_MIF"]
    return {
        "in_weight_MIF": Normal(features**-0.5),
        "in_bias_MF": Normal(0.5),
        "out_weight_MFC": Normal(hidden**-0.5),
        "out_bias_MC": SMALL,
        "table_MCH": Normal(1.0),
    }


def _always(**starts: Start) -> Callable[[Shapes], dict[str, Start]]:
    return lambda _: starts


INITIAL_VALUES: dict[str, Callable[[Shapes], dict[str, Start]]] = {
    "learned": _always(table_MND=SMALL),
    "ape": _always(table_MND=SMALL),
    "periodic": _always(table_MND=SMALL),
    "counters": _always(table_MND=SMALL),
    "scaled_sinusoidal": lambda _: {"gain_M": 1 / math.sqrt(WIDTH)},
    "shaw": _always(keys_MNK=SMALL, values_MNK=SMALL),
    "transformer_xl": _always(map_MDHK=SMALL, content_MHK=SMALL, position_MHK=SMALL),
    "t5": _always(table_MBH=SMALL),
    "deberta": _always(table_MND=SMALL, queries_MDHK=SMALL, keys_MDHK=SMALL),
    "learned_alibi": lambda shapes: {"raw_MH": _slopes(shapes["raw_MH"][0])},
    "kerple_log": _always(scale_raw_MH=_before_softplus(1.0), rate_raw_MH=_before_softplus(1.0)),
    "kerple_power": lambda shapes: {"scale_raw_MH": _slopes(shapes["scale_raw_MH"][0]), "power_raw_MH": 0.0},
    "fire": fire,
    "dynamic_bias": dynamic_bias,
    "tisa": lambda shapes: {
        "height_MHS": Normal(0.1),
        "sharpness_MHS": 0.5,
        "centre_MHS": [float(number) for number in range(shapes["centre_MHS"][-1])],
    },
    "pope": _always(phase_MHK=0.0),
    "cope": _always(table_MNK=SMALL),
    "fox": _always(weight_MDH=SMALL, bias_MH=0.0),
    "path": _always(direction_MDHK=SMALL, rate_MDH=SMALL, rate_bias_MH=0.0),
    "dape": dape,
    "dape_v2": dape_v2,
    "relative_projection": relative_projection,
    "rpe": _always(table_MNH=0.0),
    "rpe_square": rpe_square,
    "ipe": _always(raw_MHS=GAIN),
    "lbpe": _always(raw_MHR=GAIN),
    "lbpe_grown": _always(raw_MHR=GAIN),
    "lbpe_found": _always(raw_MHR=GAIN),
    "lbpe_mlp": lbpe_mlp,
}
"""Those of encodings that learn something; wrappers and what they are put around have each their own."""
