"""Position relations that are learned by a small network: each pair of positions has a label, each label a number.

Our reconstruction of arXiv 2510.04130.

Shapes: I features, F units of the hidden layer, C labels; X stands for 1 or M, Y for 1 or B; the rest as in ``base``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ...seeds import Draw
from ..core.base import Encoding, Fit, Where, once
from ..core.card import CHEN, HIDDEN, HINT, UNIFORM_HEADS, Card, Option
from ..core.initialization import normal

CARD = Card(
    name="lbpe_mlp",
    title="learned position relations: a network gives each pair a label, and each label has a number",
    formula="score(i, j) = q_i·k_j / √d + softmax(f(j, i, n, i − j, i − j − n, i + j − 2n))·T_h",
    citation=CHEN,
    family="learned relations",
    order=5,
    acts_on=("scores",),
    parameters="(4 + 3·hint)·hidden + (hidden + 1)·labels + labels·H",
    per_layer=True,
    options=(
        HINT,
        Option(name="labels", default=8, low=2, high=1000, meaning="the number of labels"),
        HIDDEN,
        Option(name="hard", default=False, meaning="whether a pair has its likeliest label alone"),
    ),
    variants=("hint=false",),
    at_least=UNIFORM_HEADS,
    shift_invariant=False,
    bounded_bias=True,
    needs_scale=True,
    scale_options=("hint",),
    takes_hint=True,
    note="our reconstruction; f is a network with one hidden layer, and its input is divided by T; a hard label passes "
    "on the gradient of the softmax.",
)


_KEY = (1, 0, 0, -1, -1, 1)  # how i, q and n enter the features i, q, n, q − i, q − i − n and i + q − 2n
_QUERY = (0, 1, 0, 1, 1, 1)
_SCALE = (0, 0, 1, 0, -1, -2)
_WITHOUT_SCALE = (0, 1, 3)  # the features that do not speak of it


class LBPEMLP(Encoding):
    """score = q·k/√d + softmax(f(features/c))·T_h, f a network with one hidden layer, T a number for each label and head.

    The features are i, q, n, q − i, q − i − n and i + q − 2n, without ``hint`` i, q and q − i; c is the number of tokens
    of the longest training instance. With ``hard`` each pair has the likeliest label alone, and the gradient is that of the
    softmax.
    """

    card = CARD

    def __init__(self, fit: Fit, *, hint: bool = True, labels: int = 8, hidden: int = 32, hard: bool = False) -> None:
        super().__init__(fit)
        self.hint, self.hard = hint, hard
        chosen = range(len(_KEY)) if hint else _WITHOUT_SCALE
        parts = [[part[each] / fit.trained for each in chosen] for part in (_KEY, _QUERY, _SCALE)]
        self.register_buffer("parts_3I", torch.tensor(parts), persistent=False)
        models, features = fit.num_models, len(chosen)
        self.in_weight_MIF = nn.Parameter(torch.empty(models, features, hidden))
        self.in_bias_MF = nn.Parameter(torch.empty(models, hidden))
        self.out_weight_MFC = nn.Parameter(torch.empty(models, hidden, labels))
        self.out_bias_MC = nn.Parameter(torch.empty(models, labels))
        self.table_MCH = nn.Parameter(torch.empty(models, labels, fit.num_heads))

    def initialize(self, draw: Draw) -> None:
        """Set all numbers to random ones."""
        _, features, hidden = self.in_weight_MIF.shape
        deviations = {
            "in_weight_MIF": features**-0.5,
            "in_bias_MF": 0.5,
            "out_weight_MFC": hidden**-0.5,
            "out_bias_MC": 0.02,
            "table_MCH": 1.0,
        }
        with torch.no_grad():
            for name, deviation in deviations.items():
                parameter = self.get_parameter(name)
                parameter.copy_(normal(draw.named(name), tuple(parameter.shape[1:]), deviation=deviation))

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the numbers of the labels; what the network computes in between is not kept for the gradient."""
        given: Tensor = checkpoint(
            self._network,
            once(queries.ids_MBL),
            once(queries.scale_MBL),
            once(keys.ids_MBL),
            use_reentrant=False,
            preserve_rng_state=False,
        )
        return given

    def _network(self, query_XYQ: Tensor, scale_XYQ: Tensor, key_XYL: Tensor) -> Tensor:
        with torch.autocast(query_XYQ.device.type, enabled=False):
            # features are sums of i, q and n, and so is what the hidden layer makes of them: it is computed part by part
            assert isinstance(self.parts_3I, Tensor)
            by_key, by_query, by_scale = torch.einsum("ni,mif->nmf", self.parts_3I.float(), self.in_weight_MIF.float())
            from_query = query_XYQ.float()[..., None] * by_query[:, None, None]
            if self.hint:
                from_query = from_query + scale_XYQ.float()[..., None] * by_scale[:, None, None]
            from_key = key_XYL.float()[..., None] * by_key[:, None, None] + self.in_bias_MF.float()[:, None, None]
            hidden_MYQLF = torch.relu(from_query[..., None, :] + from_key[:, :, None])
            logits = torch.einsum("mbqlf,mfc->mbqlc", hidden_MYQLF, self.out_weight_MFC.float())
            share = torch.softmax(logits + self.out_bias_MC.float()[:, None, None, None], dim=-1)
            if self.hard:
                likeliest = torch.zeros_like(share).scatter(-1, share.argmax(-1, keepdim=True), 1.0)
                share = likeliest + share - share.detach()
            return torch.einsum("mbqlc,mch->bmhql", share, self.table_MCH.float()).flatten(1, 2)
