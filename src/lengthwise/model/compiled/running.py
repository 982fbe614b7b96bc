"""Words as tokens, and outputs as values by name: what all compiled models share."""

from __future__ import annotations

from collections.abc import Iterable

from ...crasp.interpreter import Values, frame_word
from ...crasp.syntax import Program
from ..limit.exact import run_exactly
from ..limit.running import run_limit
from ..limit.transformer import LimitTransformer


def encode(program: Program, word: Iterable[str]) -> list[int]:
    """Return token 0, then the framed word: symbols by their number, the end marker behind the last symbol."""
    numbers: dict[str | None, int] = {symbol: number for number, symbol in enumerate(program.symbols)}
    numbers[None] = len(program.symbols)
    return [len(program.symbols) + 1, *(numbers[symbol] for symbol in frame_word(program, word))]


def run_on_limit(
    transformer: LimitTransformer, program: Program, word: Iterable[str], *, offset: int = 0, exact: bool = False
) -> Values:
    """Return the outputs at every position of the framed word, as the interpreter does."""
    tokens = encode(program, word)
    if exact:
        rows = [[value > 0.5 for value in row] for row in run_exactly(transformer, tokens, offset=offset)]
        columns = [list(column) for column in zip(*rows[1:], strict=True)] or [[] for _ in program.outputs]
    else:
        columns = (run_limit(transformer, tokens, offset=offset)[1:] > 0.5).T.tolist()
    return {output.name: column for output, column in zip(program.outputs, columns, strict=True)}
