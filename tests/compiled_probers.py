"""Models compiled from programs, right at every length or with a fault planted at a known one, as callables that can be probed."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.printer import print_program
from lengthwise.model.compiled.model import compile_to_transformer
from lengthwise.predict.predict import predict_task
from lengthwise.probe.probes import PROBES, answer_symbols

_ALTERNATION = """\
alphabet 'a' 'b' 'y' 'n' '<sep>'
start '<bos>'
stop '<eos>'
wrong := 'a' and not #['a'] = #['b'] + 1 or 'b' and not #['a'] = #['b']
good := #[wrong] = 0 and #['a'] = #['b']
next 'y' := '<sep>' and good
next 'n' := '<sep>' and not good
"""
_ADJACENCY = """\
alphabet 'a' 'b' 'c' 'y' 'n' '<sep>'
start '<bos>'
stop '<eos>'
found := 'b' and #{1}['a'] = 1
next 'y' := '<sep>' and #[found] >= 1
next 'n' := '<sep>' and #[found] = 0
"""
WRITTEN = {"alternation": _ALTERNATION, "adjacency": _ADJACENCY}


def program_text(name: str) -> str:
    """The program of a probe: the one written here, or the certificate of its YES."""
    if name in WRITTEN:
        return WRITTEN[name]
    certificate = predict_task(PROBES[name].task, "nope").certificate
    return print_program(certificate.program)  # type: ignore[union-attr]


def with_fault(name: str, longest: int) -> str:
    """The program of a probe that gives each answer for another one where the question has more symbols than that."""
    symbols = answer_symbols(PROBES[name])
    count = " + ".join(f"#['{letter}']" for letter in PROBES[name].task.symbols)
    lines = []
    for line in program_text(name).splitlines():
        for number, symbol in enumerate(symbols):
            if line.startswith(f"next '{symbol}' "):
                line = f"right_{number} := {line.partition(':=')[2].strip()}"
        if not line.startswith("next"):
            lines.append(line)
    lines.append(f"short := {count} <= {longest}")
    for number, symbol in enumerate(symbols):
        other = (number + 1) % len(symbols)
        lines.append(f"next '{symbol}' := short and right_{number} or not short and right_{other}")
    return "\n".join(lines)


class CompiledProber:
    """Scores of a compiled transformer, [rows, tokens] to [rows, tokens, vocabulary]."""

    def __init__(self, text: str, symbols: tuple[str, ...]) -> None:
        program = parse_program(text)
        self._compiled = compile_to_transformer(program)
        inputs = {symbol: number for number, symbol in enumerate(program.symbols)}
        extra = [symbol for symbol in symbols if symbol not in inputs]
        self.vocabulary: Mapping[str, int] = inputs | {s: len(inputs) + n for n, s in enumerate(extra)}
        self._columns = {
            self.vocabulary[output.name.removeprefix("next ").strip("'")]: column
            for column, output in enumerate(program.outputs)
            if output.name.removeprefix("next ").strip("'") in self.vocabulary
        }
        self._first = len(program.symbols) + 1

    def __call__(self, tokens_BL: Tensor) -> Tensor:
        first_B1 = torch.full((len(tokens_BL), 1), self._first)
        logits_BLO = self._compiled.logits_of(torch.cat([first_B1, tokens_BL], dim=1))[:, 1:]
        scores_BLV = torch.full((*tokens_BL.shape, len(self.vocabulary)), -1e9, dtype=logits_BLO.dtype)
        for symbol, column in self._columns.items():
            scores_BLV[..., symbol] = logits_BLO[..., column]
        return scores_BLV


def compiled_prober(name: str, longest: int | None = None) -> CompiledProber:
    """A model that does one probe at every length, or up to one."""
    text = program_text(name) if longest is None else with_fault(name, longest)
    return CompiledProber(text, (*PROBES[name].task.symbols, "<sep>"))
