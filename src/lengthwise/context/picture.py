"""One picture of a rotary model: the wavelength of every pair beside the trained length and the length in use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..svg import element, group, line, picture, points, rect, text
from .findings import TURN, unseen_pairs
from .model_config import ModelConfig

_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 44, 48


def draw_wavelengths(configs: Sequence[ModelConfig]) -> str:
    """Return the picture, a line of dots for each kind of rotation; empty where no model has one."""
    shown = [(config, kind, rotation) for config in configs for kind, rotation in config.rotations]
    if not shown:
        return ""
    longest = max(TURN / angle for config, _, rotation in shown for angle in rotation.angles(config.declared) if angle)
    top = math.ceil(math.log10(max(longest, *(config.declared for config in configs))))
    most_pairs = max(len(rotation.unscaled) for _, _, rotation in shown)

    def at(pair: float, tokens: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * pair / max(most_pairs - 1, 1)
        return across, _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * math.log10(tokens) / top

    parts = [text(_LEFT, 22, "Wavelength of every rotary pair, in tokens", "title"), *_axes(top, most_pairs, at)]
    for number, (config, kind, rotation) in enumerate(shown):
        after = rotation.angles(config.declared)
        dots = [(pair, TURN / angle) for pair, angle in enumerate(after) if angle]
        parts.append(element("polyline", points=points(at(*dot) for dot in dots), class_=f"line series-{number}"))
        unseen = [at(pair, TURN / after[pair]) for pair in unseen_pairs(config, kind, rotation) if after[pair]]
        title = f"{config.name} {kind.name}: pairs that take angles in use which training did not"
        parts.append(
            group((element("circle", cx=x, cy=y, r=3, class_=f"dot series-{number}") for x, y in unseen), title=title)
        )
        label = f"{config.name}, {kind.name}" if len(shown) > 1 else config.name
        last = at(*dots[-1])
        parts.append(text(_WIDTH - _RIGHT + 8, last[1] + 4 + 13 * number, label[:24], f"key series-{number}"))
    for config in configs:
        for tokens, words in ((config.trained, "trained"), (config.declared, "in use")):
            y = at(0, tokens)[1]
            parts.append(line(_LEFT, y, _WIDTH - _RIGHT, y, "limit" if words == "in use" else "rule dashed"))
            parts.append(text(_LEFT + 4, y - 4, f"{words}: {tokens:,} tokens", "tick"))
    return picture(
        parts,
        width=_WIDTH,
        height=_HEIGHT,
        title="Wavelength of every rotary pair",
        description="A pair above a line does not come round within that length. Dots mark angles that training did not use.",
    )


def _axes(top: int, most_pairs: int, at: object) -> list[str]:
    assert callable(at)
    parts = [rect(_LEFT, _TOP, _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM, "open lined")]
    for power in range(top + 1):
        y = at(0, 10**power)[1]
        parts.append(line(_LEFT, y, _WIDTH - _RIGHT, y, "rule"))
        parts.append(text(_LEFT - 6, y + 4, f"{10**power:,}" if power < 5 else f"10^{power}", "tick end"))
    for pair in sorted({0, most_pairs // 2, most_pairs - 1}):
        x = at(pair, 1)[0]
        parts.append(text(x, _HEIGHT - _BOTTOM + 16, str(pair), "tick middle"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        text(middle, _HEIGHT - 12, "pair, the fastest first; dots: angles that training did not use", "note middle")
    )
    return parts
