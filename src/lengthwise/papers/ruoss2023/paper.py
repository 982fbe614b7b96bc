"""Randomized Positional Encodings Boost Length Generalization of Transformers: its encodings beside the plain ones.

Ruoss, Delétang, Genewein, Grau-Moya, Csordás, Bennani, Legg, Veness; ACL 2023, arXiv 2305.16843.
"""

from __future__ import annotations

from typing import ClassVar

from ..deletang2023.paper import LevelsPaper
from ..deletang2023.tasks import NOISE_LENGTH

_BASES = {
    "sin_cos": "sinusoidal",
    "relative": "transformer_xl",
    "rotary": "rope",
    "alibi": "alibi",
    "learnt": "learned",
}


class Ruoss2023(LevelsPaper):
    """Randomized positions around five encodings; those of the other pack are the plain ones beside them."""

    name = "ruoss2023"
    title = "Randomized Positional Encodings Boost Length Generalization of Transformers"
    authors = "Ruoss, Delétang, Genewein, Grau-Moya, Csordás, Bennani, Legg, Veness"
    source = "ACL 2023, arXiv 2305.16843"
    smoke = ("even_pairs", "noisy_relative")
    encodings: ClassVar = {
        f"noisy_{title}": f"randomized({base}, length={NOISE_LENGTH})" for title, base in _BASES.items()
    }


PAPER = Ruoss2023()
