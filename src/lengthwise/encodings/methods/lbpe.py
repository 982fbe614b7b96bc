"""Position relations that are learned: a dictionary of integer equations, with a gain for each in every head.

The dictionary, the penalty and the length-corrected softmax are our reconstruction of arXiv 2510.04130. Relations are
a·i + b·q + c·n + d = 0 in key id i, query id q and scale n; ids count from 0, which is <bos> in our tasks.

Shapes: R relations; X stands for 1 or M, Y for 1 or B; the rest as in ``base``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor, nn

from ...seeds import Draw
from ...theory.positions.relations_ideal import Equation
from ..core.base import Encoding, Fit, Where
from ..core.card import CORRECTED, EQUATIONS, HINT, POINTING, Card
from ..core.initialization import normal
from ..core.pointing import NOWHERE, STRIDE, add_at, add_corrected, flattened, ids_and_scales
from .shaw import require_whole

CARD = Card(
    name="lbpe",
    title="learned position relations: gains on 45 equations between key, query and scale",
    formula="score(i, j) = q_i·k_j / √d + b − log(i + 1)·(1 − tanh(relu b)), b = Σ_r g_hr·1[relation r holds for j, i, n]",
    order=2,
    parameters="(15 + 30·hint)·H",
    options=(HINT, CORRECTED),
    variants=("hint=false", "corrected=false"),
    scale_options=("hint",),
    learns_relations=True,
    **POINTING,
    note=f"our reconstruction; with key i, query q and scale n, relations are {EQUATIONS}, (a, b) one of (−1, 1), "
    "(1, 1), (1, 0), c one of 0, −1, −2, and |d| ≤ 2; without the hint c = 0.",
)


_FORMS = ((-1, 1), (1, 1), (1, 0))  # q − i, q + i and i
_MOST_SCALES = 2
_MOST_CONSTANT = 2


def dictionary(*, hint: bool) -> list[Equation]:
    """Return the relations of the small dictionary: 45, or the 15 among them that do not speak of the scale.

    >>> len(dictionary(hint=True)), len(dictionary(hint=False))
    (45, 15)
    """
    return [
        Equation(key=a, query=b, scale=-c, constant=d)
        for (a, b), c, d in product(
            _FORMS, range(_MOST_SCALES + 1 if hint else 1), range(-_MOST_CONSTANT, _MOST_CONSTANT + 1)
        )
    ]


def coefficient_table(relations: Sequence[Equation]) -> Tensor:
    """Return a, b, c and d of all relations, [4, R]."""
    return torch.tensor([[each.key, each.query, each.scale, each.constant] for each in relations]).T.contiguous()


def solve(table_4R: Tensor, query: Tensor, scale: Tensor) -> Tensor:
    """Return the key that each relation has for queries and scales, [..., R], or NOWHERE if that is no whole number."""
    a, b, c, d = table_4R
    rest = -(b * query + c * scale + d)
    key = torch.div(rest, a, rounding_mode="floor")
    return torch.where(key * a == rest, key, NOWHERE)


class LBPE(Encoding):
    """score = q·k/√d + Σ_r g_hr·R_r(i, q, n), with R_r = 1 where relation r holds and 0 elsewhere.

    With ``hint`` relations may speak of the scale n. With ``corrected`` the sum b becomes b − log(q + 1)·(1 − tanh(relu b)):
    what no relation favours does not grow with the number of visible positions.
    """

    card = CARD

    def __init__(self, fit: Fit, *, hint: bool = True, corrected: bool = True) -> None:
        super().__init__(fit)
        self.hint = hint
        self.corrected = corrected
        self.relations = tuple(self.make_dictionary(hint=hint))
        self.register_buffer("table_4R", coefficient_table(self.relations), persistent=False)
        self.raw_MHR = nn.Parameter(torch.empty(fit.num_models, fit.num_heads, len(self.relations)))

    @staticmethod
    def make_dictionary(*, hint: bool) -> list[Equation]:
        """Return the relations to choose from."""
        return dictionary(hint=hint)

    def initialize(self, draw: Draw) -> None:
        """Set the gains to small random numbers."""
        with torch.no_grad():
            self.raw_MHR.copy_(normal(draw.named("raw_MHR"), tuple(self.raw_MHR.shape[1:]), deviation=0.02 / STRIDE))

    def gains(self) -> Tensor:
        """Return what each head adds where each relation holds, [M, H, R]."""
        return STRIDE * self.raw_MHR.float()

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def keys(self, queries: Where) -> Tensor:
        """Return the key that each relation has for each query, [X, Y, Q, R]."""
        assert isinstance(self.table_4R, Tensor)
        query, scale = ids_and_scales(queries)
        require_whole(query)
        query = query[..., None]
        return solve(self.table_4R, query, scale[..., None] if self.hint else torch.zeros_like(query))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the gains of the relations that hold, corrected for length."""
        add = add_corrected if self.corrected else add_at
        return flattened(add(self.gains(), self.keys(queries), queries, keys))

    def penalty(self) -> Tensor:
        """Return the sum of the absolute gains of each model, [M]."""
        return self.gains().abs().sum((1, 2))

    def prune(self, threshold: float) -> int:
        """Set gains that are smaller than a threshold to 0; return how many are left."""
        with torch.no_grad():
            self.raw_MHR.masked_fill_(self.gains().abs() < threshold, 0.0)
            return int((self.raw_MHR != 0).sum())


def dictionaries_of(encoding: Encoding) -> list[tuple[str, LBPE]]:
    """Return the dictionaries within an encoding, with their names: one for each layer."""
    return [(name, module) for name, module in encoding.named_modules() if isinstance(module, LBPE)]


def relation_penalty(encoding: Encoding) -> Tensor | None:
    """Return the penalty of all dictionaries within an encoding, [M]; None where there is none."""
    parts = [module.penalty() for _, module in dictionaries_of(encoding)]
    return torch.stack(parts).sum(0) if parts else None
