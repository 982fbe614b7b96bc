"""What a trained model shows without any label: how sure it is near and far, and whether it contradicts itself.

Asked for legal next symbols, a model is given random strings, most of which are no words of the language, and strings that it writes
itself, each time with a symbol that it says is legal. Nothing is compared with the language. A model that is right never says
that nothing can follow a string that it wrote: some symbol or the end always can.

Shapes: M models of one task, B strings, L tokens, O outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..arrays import torch_arrays
from ..encodings.core.base import Where
from ..model.transformer import Transformer
from ..seeds import EVALUATION, Draw, open_stream
from ..tasks.core.task import BOS
from ..tasks.languages.regular import NextSymbols

NUMBER = 32
"""How many strings of each kind there are."""

_LOW = 0.1  # the quantile that says how unsure a model is where it is least sure
_ASKED = (1.5, 2.0, 2.5, 3.0)  # where choices are noted, in training lengths
_SEED = 0  # the same strings for all models of a task, so that their choices can be compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What one model shows.

    A margin is the smallest absolute output at a place, over all symbols: 0 where the model is undecided. ``near`` and
    ``far`` are median margins on random strings, up to the training length and beyond twice as many symbols. ``own`` is that
    on strings that the model writes, beyond the training length, or ``near`` where all of them have ended by then. The names
    with ``low`` are tenths instead of medians. ``alive`` is the share of its strings on which it never says that nothing can
    follow. ``norm`` is the root of the sum of all squared weights. ``choices`` has a letter for each set that it chose, far
    out on random strings: models that agree have the same.
    """

    near: float
    near_low: float
    far: float
    far_low: float
    own: float
    own_low: float
    alive: float
    norm: float
    choices: str

    def to_json(self) -> dict[str, float | str]:
        """Return the signals as JSON data."""
        return {
            name: value if isinstance(value, str) else round(value, 3)
            for name in self.__slots__
            if isinstance(value := getattr(self, name), float | str)
        }


@torch.no_grad()
def signals_of(model: Transformer, task: NextSymbols, train_length: int, *, at: int = 3) -> list[Signals]:
    """Return what each model shows on strings of up to ``at`` times the training length."""
    num_models, longest = model.embedding_MVD.shape[0], at * train_length
    draw = open_stream(EVALUATION, seed=_SEED, xp=torch_arrays(str(model.embedding_MVD.device))).named("signals")
    symbols = draw.named("random").integers(len(task.symbols), (NUMBER, longest))
    tokens = _with_bos(symbols.expand(num_models, *symbols.shape), task)
    outputs = _outputs(model, tokens)[..., : task.num_outputs]
    margins = outputs.abs().amin(-1)
    written, is_open, is_alive = _write(model, task, num_models, longest, draw.named("own"))
    own = _outputs(model, written)[..., : task.num_outputs].abs().amin(-1)
    is_open[..., : train_length + 1] = False
    asked = [round(multiple * train_length) for multiple in _ASKED if multiple <= at]
    sets = ((outputs[:, :, asked] > 0) * (1 << torch.arange(task.num_outputs, device=outputs.device))).sum(-1)
    near, far = margins[..., : train_length + 1], margins[..., 2 * train_length :]
    return [
        Signals(
            **_quantiles("near", near[number]),
            **_quantiles("far", far[number]),
            **_quantiles("own", own[number][is_open[number]] if is_open[number].any() else near[number]),
            alive=is_alive[number].float().mean().item(),
            norm=sum(parameter[number].square().sum().item() for parameter in model.parameters()) ** 0.5,
            choices="".join(chr(ord("0") + chosen % 64) for chosen in sets[number].flatten().tolist()),
        )
        for number in range(num_models)
    ]


def _quantiles(name: str, margins: Tensor) -> dict[str, float]:
    values = margins.flatten().float()
    return {name: values.median().item(), f"{name}_low": values.quantile(_LOW).item()}


def _with_bos(symbols_MBN: Tensor, task: NextSymbols) -> Tensor:
    bos = torch.full_like(symbols_MBN[..., :1], task.token(BOS))
    return torch.cat([bos, symbols_MBN], dim=-1)


def _outputs(model: Transformer, tokens_MBL: Tensor) -> Tensor:
    """Return the outputs of each model at every place of its strings, [M, B, L, O]."""
    width = tokens_MBL.shape[-1]
    sizes_MB = torch.full(tokens_MBL.shape[:2], width, device=tokens_MBL.device)
    ids = model.encoding.ids(tokens_MBL, sizes_MB, None, None).expand(tokens_MBL.shape)
    scale_MBL = (sizes_MB - 1)[..., None].expand(tokens_MBL.shape)
    at = Where(ids_MBL=ids, scale_MBL=scale_MBL, sizes_MBL=sizes_MB[..., None].expand(tokens_MBL.shape))
    outputs: Tensor = model.read(model.stream(tokens_MBL, at))
    return outputs


def _write(
    model: Transformer, task: NextSymbols, num_models: int, longest: int, draw: Draw
) -> tuple[Tensor, Tensor, Tensor]:
    """Return strings that each model writes, which places are its own, and on which strings it always said what can follow.

    Where it says that only the end can follow, a string ends. The rest of it, up to the width of all, counts for nothing.
    """
    chances = draw.integers(2**20, (NUMBER, longest)) / 2**20
    tokens = torch.full((num_models, NUMBER, 1), task.token(BOS), device=chances.device)
    is_alive = torch.ones(num_models, NUMBER, dtype=torch.bool, device=chances.device)
    is_open = is_alive.clone()
    own = [is_open.clone()]
    for place in range(longest):
        outputs = _outputs(model, tokens)[:, :, -1, : task.num_outputs]
        is_alive &= ~is_open | (outputs > 0).any(-1)
        is_open &= ~((outputs[..., -1] > 0) & ~(outputs[..., :-1] > 0).any(-1))
        own.append(is_open.clone())
        of_symbols = outputs[..., : len(task.symbols)]
        is_legal = of_symbols > 0
        is_legal |= (~is_legal.any(-1, keepdim=True)) & (of_symbols == of_symbols.amax(-1, keepdim=True))
        order = is_legal.cumsum(-1)
        wanted = (chances[:, place, None] * order[..., -1:]).floor() + 1
        chosen = (order >= wanted).int().argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, chosen], dim=-1)
    return tokens, torch.stack(own, dim=-1), is_alive
