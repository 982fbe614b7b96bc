"""A compiled model: a program beside the ordinary transformer that computes it, on words of every length.

Shapes: B words, L tokens, O outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...crasp.interpreter import Values
from ...crasp.syntax import Program
from ...encodings.core.base import Where
from ...errors import InvalidOptionError
from ..transformer import Past, Transformer
from .circuit import Circuit, Style
from .compiler import SLOPE, make_circuit
from .running import encode
from .to_transformer import BIAS, Plan, ordinary_transformer

_BLOCK = 512  # queries at a time, so that long words need no square of their length


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModel:
    """A program, its transformer, and the circuit in between, if the model was not read from a file."""

    program: Program
    transformer: Transformer
    plan: Plan
    circuit: Circuit | None = None
    slope: float = SLOPE
    bias: float = BIAS

    @property
    def num_parameters(self) -> int:
        """How many parameters there are, zeros among them."""
        return sum(parameter.numel() for parameter in self.transformer.parameters())

    @property
    def num_nonzero(self) -> int:
        """How many parameters there are that are not 0."""
        return sum(int(torch.count_nonzero(parameter)) for parameter in self.transformer.parameters())

    def run(self, word: Iterable[str], *, offset: int = 0) -> Values:
        """Return the outputs at every position of the framed word, as the interpreter does."""
        logits_LO = self.logits([tuple(word)], offset=offset)[0]
        columns = (logits_LO[1:] > 0).T.tolist()
        return {output.name: column for output, column in zip(self.program.outputs, columns, strict=True)}

    def run_all(self, words: Sequence[Iterable[str]], *, offset: int = 0) -> Iterator[Values]:
        """Yield the outputs for each word, at the positions that it has."""
        framed = [tuple(word) for word in words]
        if not framed:
            return
        markers = len(encode(self.program, ())) - 1
        truths_BLO = self.logits(framed, offset=offset)[:, 1:] > 0
        for word, truths_LO in zip(framed, truths_BLO, strict=True):
            columns = truths_LO[: len(word) + markers].T.tolist()
            yield {output.name: column for output, column in zip(self.program.outputs, columns, strict=True)}

    def tokens(self, words: Sequence[Iterable[str]]) -> Tensor:
        """Return words as tokens_BL, padded on the right by token 0, which nothing to its left can see."""
        rows = [encode(self.program, word) for word in words]
        if not rows:
            raise InvalidOptionError("there are no words to run.", hint="give at least one, which may be empty.")
        width = max(map(len, rows))
        padding = len(self.program.symbols) + 1
        return torch.tensor([row + [padding] * (width - len(row)) for row in rows])

    def logits(self, words: Sequence[Iterable[str]], *, offset: int = 0) -> Tensor:
        """Return logits_BLO at every token, token 0 first."""
        return self.logits_of(self.tokens(words), offset=offset)

    def logits_of(self, tokens_BL: Tensor, *, offset: int = 0) -> Tensor:
        """Return logits_BLO for words as tokens, a block of queries at a time."""
        length = tokens_BL.shape[1]
        found: list[Tensor] = []
        past: list[Past] | None = None
        with torch.no_grad():
            if length <= _BLOCK:
                outputs: Tensor = self.transformer(tokens_BL[None], where(tokens_BL, length, offset))
                return outputs[0]
            for start in range(0, length, _BLOCK):
                end = min(length, start + _BLOCK)
                block_BL = tokens_BL[:, start:end]
                outputs, past = self.transformer.extend(block_BL[None], where(tokens_BL, end, offset), past)
                found.append(outputs[0])
        return torch.cat(found, dim=1)


def where(tokens_BL: Tensor, length: int, offset: int = 0) -> Where:
    """Return where the first so many tokens stand: one after the other, from an offset."""
    shape = (1, tokens_BL.shape[0], length)
    ids = (torch.arange(length, device=tokens_BL.device) + offset).expand(shape)
    sizes = torch.tensor(length, device=tokens_BL.device).expand(shape)
    return Where(ids_MBL=ids, scale_MBL=sizes, sizes_MBL=sizes)


def compile_to_transformer(
    program: Program, *, slope: float = SLOPE, bias: float = BIAS, dtype: torch.dtype = torch.float64
) -> CompiledModel:
    """Return an ordinary causal transformer that computes a program.

    Smaller slopes and biases make it exact for fewer lengths, and easier to train further.
    """
    circuit = make_circuit(program, Style.RELUS, slope=slope)
    transformer, plan = ordinary_transformer(circuit, bias=bias)
    return CompiledModel(
        program=program, transformer=transformer.to(dtype), plan=plan, circuit=circuit, slope=slope, bias=bias
    )
