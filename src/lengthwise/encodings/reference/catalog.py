"""The references by the names of the encodings' cards, from the tables of the modules."""

from __future__ import annotations

from collections.abc import Callable

from . import learned_relations, relations
from .biases import BIASES, Bias
from .case import Case, Cube, attend, plain
from .contents import CONTENTS
from .embeddings import EMBEDDED
from .rotations import ROTATIONS
from .wrappers import BASE_OF_LAYER, FIRST_SEEN

__all__ = ["BASE_OF_LAYER", "BIASES", "EMBEDDED", "FIRST_SEEN", "REFERENCES"]


def _biased(bias: Bias) -> Callable[[Case], Cube]:
    """Return attention with scores s_ij + bias."""
    return lambda case: attend(case, lambda h, i, j: case.similarity(h, i, j) + bias(case, h, i, j))


REFERENCES: dict[str, Callable[[Case], Cube]] = {
    "nope": plain,
    **dict.fromkeys(EMBEDDED, plain),
    **{name: _biased(bias) for name, bias in {**BIASES, **learned_relations.LEARNED_RELATIONS}.items()},
    **CONTENTS,
    **ROTATIONS,
    "lbpe_grown": learned_relations.lbpe_grown,
    "rpe_square": relations.rpe_square,
    "scale_hint": lambda case: relations.scale_hint(case, REFERENCES),
    "length_corrected": lambda case: relations.length_corrected(case, BIASES),
}
"""What attention passes on, out[h][i][c], of a case."""
