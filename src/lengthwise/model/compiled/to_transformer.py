"""From a circuit to the weights of an ordinary causal transformer: no layer norm, ReLU, softmax attention.

Head 0 averages over all tokens; head h looks back one distance, by a bias on that distance, and at token 0, by half of that
bias, where there is no such position. The weights do not depend on any length.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ...encodings.core.base import Fit
from ...errors import CapExceededError
from ..shape import BareShape
from ..transformer import Block, Transformer
from .circuit import Circuit, Form
from .positions import PeriodicLocal
from .to_limit import embeddings, position_table, without_constant

BIAS = 1024.0
"""By how much token 0 is preferred to all others, and the right distance to token 0; e^−1024 is 0 in every format."""
GAIN = 8.0
"""The size of a logit: outputs are GAIN where the program says true, and −GAIN where it says false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How large the transformer of a circuit is."""

    layers: int
    heads: int
    width: int
    num_tokens: int
    num_outputs: int
    period: int
    reach: int

    @property
    def shape(self) -> BareShape:
        """The size as a shape."""
        return BareShape(layers=self.layers, heads=self.heads, width=self.width)


def plan_transformer(circuit: Circuit) -> Plan:
    """Return the smallest size that has room for a circuit."""
    layers = range(1, circuit.layers + 1)
    places = [None, *circuit.distances]
    channels = [
        len({each.target for each in circuit.channels if (each.layer, each.distance) == (layer, place)})
        for layer in layers
        for place in places
    ]
    units = [sum(each.layer == layer for each in circuit.units) for layer in layers]
    heads = circuit.heads
    width = max(circuit.width, heads * max(channels, default=1), -(-max(units) // 4) if units else 1)
    width = -(-width // heads) * heads
    if circuit.layers > 100 or width > 10_000:
        raise CapExceededError(
            f"the transformer would have {circuit.layers} layers of width {width}; at most 100 and 10000 are allowed.",
            hint="write the program with fewer or less nested counts.",
        )
    return Plan(
        layers=circuit.layers,
        heads=heads,
        width=width,
        num_tokens=len(circuit.symbols) + 2,
        num_outputs=len(circuit.outputs),
        period=circuit.period,
        reach=max(circuit.distances, default=0),
    )


def empty_transformer(plan: Plan) -> Transformer:
    """Return a transformer of this size, all of whose weights are 0, in 64-bit floats."""
    shape = plan.shape
    fit = Fit(
        num_heads=plan.heads,
        head_width=plan.width // plan.heads,
        width=plan.width,
        max_length=1,
        trained=1,
        num_layers=plan.layers,
    )
    encoding = PeriodicLocal(fit, period=plan.period, reach=plan.reach)
    made = Transformer(
        num_models=1, num_tokens=plan.num_tokens, num_outputs=plan.num_outputs, shape=shape, encoding=encoding
    ).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.zero_()
    return made


def ordinary_transformer(circuit: Circuit, *, bias: float = BIAS, gain: float = GAIN) -> tuple[Transformer, Plan]:
    """Return the transformer that computes a circuit, and its size."""
    plan = plan_transformer(circuit)
    made = empty_transformer(plan)
    with torch.no_grad():
        made.embedding_MVD[0, :, : circuit.width] = torch.from_numpy(embeddings(circuit))
        encoding = made.encoding
        assert isinstance(encoding, PeriodicLocal)
        if encoding.table_MPD is not None:
            encoding.table_MPD[0, :, : circuit.width] = torch.from_numpy(position_table(circuit))
        if encoding.bias_MNH is not None:
            for head, distance in enumerate(circuit.distances, start=1):
                encoding.bias_MNH[0, distance, head] = 2 * bias
        for number in range(1, plan.layers + 1):
            block = made.blocks[number - 1]
            assert isinstance(block, Block)
            _write_attention(block, circuit, number, plan, bias)
            _write_hidden(block, circuit, number)
        assert made.readout is not None
        for column, form in enumerate(circuit.outputs.values()):
            _write(made.readout.weight_MIO[0, :, column], form.times(2 * gain))
            made.readout.bias_MO[0, column] = 2 * gain * form.constant - gain
    return made, plan


def _write_attention(block: Block, circuit: Circuit, number: int, plan: Plan, bias: float) -> None:
    size = plan.width // plan.heads
    weight_IO, project_IO = block.qkv.weight_MIO[0], block.project.weight_MIO[0]
    for head, distance in enumerate((None, *circuit.distances)):
        channels = [each for each in circuit.channels if (each.layer, each.distance) == (number, distance)]
        if not channels:
            continue
        first = head * size
        if distance is not None:
            block.qkv.bias_MO[0, first] = bias * size**0.5  # scores are divided by the root of the head's width
            weight_IO[Circuit.BOS, plan.width + first] = 1.0
        for place, channel in enumerate(channels):
            _write(weight_IO[:, 2 * plan.width + first + place], channel.form)
            project_IO[first + place, channel.target] = 1.0


def _write_hidden(block: Block, circuit: Circuit, number: int) -> None:
    for column, unit in enumerate(each for each in circuit.units if each.layer == number):
        # constants join the product instead of the bias, which GPUs add after the product was rounded; units are silent
        # at token 0 without them
        _write(block.expand.weight_MIO[0, :, column], without_constant(unit.form))
        block.contract.weight_MIO[0, column, unit.target] = unit.weight


def _write(column_I: Tensor, form: Form) -> None:
    for coordinate, value in form.terms:
        column_I[coordinate] = value
