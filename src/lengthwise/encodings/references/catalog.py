"""The references by the names of the encodings' cards."""

from __future__ import annotations

from collections.abc import Callable

from . import contents, embeddings, learned_relations, relations, rotations
from .biases import BIASES, Bias
from .case import Case, Cube, Matrix, attend, plain

__all__ = ["BIASES", "EMBEDDED", "REFERENCES"]


def _biased(bias: Bias) -> Callable[[Case], Cube]:
    """Return attention with scores s_ij + bias."""
    return lambda case: attend(case, lambda h, i, j: case.similarity(h, i, j) + bias(case, h, i, j))


EMBEDDED: dict[str, Callable[[Case, int], Matrix]] = {
    "learned": embeddings.learned,
    "ape": embeddings.learned,
    "sinusoidal": embeddings.sinusoidal,
    "scaled_sinusoidal": embeddings.scaled_sinusoidal,
}
"""What is added to the input, [i][D], of a case and a width D."""

REFERENCES: dict[str, Callable[[Case], Cube]] = {
    "nope": plain,
    **dict.fromkeys(EMBEDDED, plain),
    **{name: _biased(bias) for name, bias in {**BIASES, **learned_relations.LEARNED_RELATIONS}.items()},
    "lbpe_grown": learned_relations.lbpe_grown,
    "shaw": contents.shaw,
    "transformer_xl": contents.transformer_xl,
    "deberta": contents.deberta,
    "relative_projection": contents.relative_projection,
    "cope": contents.cope,
    "dape": contents.dape,
    "dape_v2": contents.dape_v2,
    "fox": contents.fox,
    "stick_breaking": contents.stick_breaking,
    "path": contents.path,
    "rope": rotations.rope,
    "rope_partial": rotations.rope_partial,
    "p_rope": rotations.p_rope,
    "pi": rotations.pi,
    "ntk": rotations.ntk,
    "dynamic_ntk": rotations.dynamic_ntk,
    "yarn": rotations.yarn,
    "llama3": rotations.llama3,
    "longrope": rotations.longrope,
    "xpos": rotations.xpos,
    "pope": rotations.pope,
    "rpe_square": relations.rpe_square,
    "scale_hint": lambda case: relations.scale_hint(case, REFERENCES),
    "length_corrected": lambda case: relations.length_corrected(case, BIASES),
}
"""What attention passes on, out[h][i][c], of a case."""
