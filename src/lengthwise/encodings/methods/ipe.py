"""The ideal encoding of a circuit: the positions that a gate reads are told apart, all others are alike.

Our reconstruction of arXiv 2510.04130. Circuits count positions from 0 without <bos>, ids count from 0 with it: position
p has the id p + 1. Where no gate stands, in the prompt and at the token that predicts <eos>, all positions are others: when
to end must then be learned from the tokens. With ``eos`` a gate of one operand, <bos>, says when to end.

Shapes: S operand slots; X stands for 1 or M, Y for 1 or B; the rest as in ``base``.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn

from ...errors import InvalidOptionError
from ...seeds import Draw
from ...tasks.core.problems import find_circuit
from ...theory.positions.circuits import Circuit, needs_hint
from ...theory.positions.relations_ideal import Slot, describes, equations_of
from ..core.base import Encoding, Fit, Where
from ..core.card import CORRECTED, POINTING, Card, Option
from ..core.initialization import normal
from ..core.pointing import NOWHERE, STRIDE, add_at, flattened, ids_and_scales, visible_logarithm
from .shaw import require_whole

CARD = Card(
    name="ipe",
    title="the ideal encoding of a circuit: its operands are told apart, all else is alike",
    formula="score(i, j) = q_i·k_j / √d + Σ_s g_hs·1[j holds operand slot s at i], − log(i + 1) where j holds none",
    order=1,
    parameters="(slots + eos)·H",
    options=(
        Option(
            name="circuit", default="copy", kind="circuit", meaning="the circuit, with its parameters in parentheses"
        ),
        CORRECTED,
        Option(name="eos", default=False, meaning="whether a gate that reads <bos> says when to end"),
    ),
    variants=("circuit=reverse, eos=true", "circuit=addition(2)", "corrected=false"),
    scale_options=("eos", "circuit"),
    **POINTING,
    note="our reconstruction; positions are those behind <bos>; where no gate stands, in the prompt and, without eos, at "
    "the token that predicts <eos>, all positions are others; a circuit whose wiring does not depend on the scale does "
    "not need it.",
)


BOS = 1
"""How many ids come before the first position of a circuit."""
CHECKED_SCALE = 18
"""Equations are fitted to smaller scales than this, and compared with all gates up to it."""


class Operands:
    """Where the operands of a circuit's gates stand, at any scale, from equations in whole numbers.

    With ``eos`` there is one slot more: <bos>, at the token that predicts <eos>.
    """

    def __init__(self, circuit: Circuit, *, eos: bool = False) -> None:
        self.circuit = circuit
        self.eos = eos
        self.needs_scale = eos or needs_hint(circuit)
        self.slots: tuple[Slot, ...] = equations_of(circuit)
        checked = min(CHECKED_SCALE, circuit.cap)
        if not describes(self.slots, circuit, checked) or not self._is_right(checked):
            raise InvalidOptionError(
                f"circuit {circuit.name!r} has no few small equations for its operands, which the ideal encoding is made of.",
                hint="choose a circuit of bounded arity, for example copy, reverse, parity_cot or addition.",
            )

    @property
    def num_slots(self) -> int:
        """How many slots there are."""
        return len(self.slots) + self.eos

    def positions(self, query: Tensor, scale: Tensor) -> Tensor:
        """Return the position of each operand at the gate of a query, [..., S], or NOWHERE where there is no gate.

        Of a circuit that does not need the scale, gates are those of the largest scale that it has.
        """
        if not self.needs_scale:
            scale = torch.full_like(query, self.circuit.cap)
        query, scale = query + 0 * scale, scale + 0 * query  # of one shape
        layout = self.circuit.layout
        step = query - _call(layout.prompt_length, scale) + 2
        is_gate = (step >= 1) & (step <= _call(layout.answer_length, scale)) & (scale >= 1)
        found = [torch.where(is_gate, self._position(slot, query, scale, step), NOWHERE) for slot in self.slots]
        if self.eos:
            is_end = step == _call(layout.answer_length, scale) + 1
            found.append(torch.where(is_end, -BOS, torch.full_like(query, NOWHERE)))
        return torch.stack(found, dim=-1)

    def _position(self, slot: Slot, query: Tensor, scale: Tensor, step: Tensor) -> Tensor:
        """Return what the first piece that holds says."""
        key = torch.full_like(query, NOWHERE)
        for piece in reversed(slot.pieces):
            equation = piece.equation
            rest = -(equation.query * query + equation.scale * scale + equation.constant)
            whole = torch.div(rest, equation.key, rounding_mode="floor")
            solved = torch.where(whole * equation.key == rest, whole, NOWHERE)
            is_here = _call(piece.condition.holds, scale, step)  # True where a piece has no condition
            key = solved if is_here is True else torch.where(is_here, solved, key)
        return key

    def _is_right(self, max_scale: int) -> bool:
        """Say whether the operands of all gates up to a scale are those that are wired."""
        gates = [*self.circuit.gates(max_scale)]
        if any(len(gate.operands) != len(self.slots) for *_, gate in gates):
            return False
        query = torch.tensor([self.circuit.query(scale, step) for scale, step, _ in gates])
        found = self.positions(query, torch.tensor([scale for scale, *_ in gates]))[:, : len(self.slots)]
        return found.tolist() == [list(gate.operands) for *_, gate in gates]


def _call(function: object, *numbers: Tensor) -> Any:
    """Return a function of whole numbers at many at once; those of layouts and conditions are plain arithmetic."""
    return cast("Any", function)(*numbers)


class IPE(Encoding):
    """score = q·k/√d + Σ_s g_hs·1[i holds operand slot s at q], less log(q + 1) where i holds none, if ``corrected``."""

    card = CARD

    def __init__(self, fit: Fit, *, circuit: str = "copy", corrected: bool = True, eos: bool = False) -> None:
        super().__init__(fit)
        self.operands = Operands(find_circuit(circuit), eos=eos)
        self.corrected = corrected
        self.raw_MHS = nn.Parameter(torch.empty(fit.num_models, fit.num_heads, self.operands.num_slots))

    def initialize(self, draw: Draw) -> None:
        """Set the gains to small random numbers."""
        with torch.no_grad():
            self.raw_MHS.copy_(normal(draw.named("raw_MHS"), tuple(self.raw_MHS.shape[1:]), deviation=0.02 / STRIDE))

    def gains(self) -> Tensor:
        """Return what each head adds to the operands of each slot, [M, H, S]."""
        return STRIDE * self.raw_MHS.float()

    def checked(self, ids_MBL: Tensor, most: int) -> Tensor:
        """Return the ids; raise if they are fractions."""
        return super().checked(require_whole(ids_MBL), most)

    def bias(self, queries: Where, keys: Where) -> Tensor:
        """Return the gains of the slots that are held, corrected for length."""
        query, scale = ids_and_scales(queries)
        keys_XYQS = self.operands.positions(require_whole(query) - BOS, scale) + BOS
        gain = add_at(self.gains(), keys_XYQS, queries, keys)
        if self.corrected:
            one = self.raw_MHS.new_ones(keys_XYQS.shape[0], 1, keys_XYQS.shape[-1])
            is_other = add_at(one, keys_XYQS, queries, keys) == 0
            gain = gain - torch.where(is_other, visible_logarithm(queries), 0.0)
        return flattened(gain)
