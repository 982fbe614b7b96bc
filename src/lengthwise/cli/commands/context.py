"""`lengthwise context`: what the configuration of a language model says about long inputs."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...context.config_reader import read_model_config
from ...context.findings import MEANINGS, Finding, findings_of
from ...context.model_config import MOST_LENGTH, ModelConfig, with_lengths
from ...context.picture import draw_wavelengths
from ...errors import InvalidOptionError
from ...files import write_text
from ...markup import visible
from ...theory.precision.look_back import NumberFormat
from ..arguments import whole_number
from ..text import paragraph, print_json, table

_MOST_CONFIGS = 6

EXAMPLES = """\
examples:
  lengthwise context config.json
  lengthwise context my-model/ --length 131072 --svg wavelengths.svg
  lengthwise context config.json --change rope_theta=500000        beside the model as it stands: "what if?"
  lengthwise context llama/config.json qwen/config.json --json

Weights are not needed and not read. What follows from a configuration is what positions allow; what training made of
them is not in it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "configs",
        nargs="+",
        metavar="CONFIG",
        help="config.json of a decoder, or a folder with one; several are compared",
    )
    parser.add_argument(
        "--length",
        type=whole_number(1, MOST_LENGTH),
        metavar="N",
        help="the length in use; by default the declared one",
    )
    parser.add_argument(
        "--trained",
        type=whole_number(1, MOST_LENGTH),
        metavar="N",
        help="the trained length; by default the one before scaling",
    )
    parser.add_argument("--dtype", choices=[str(each) for each in NumberFormat], help="the number format of the model")
    parser.add_argument(
        "--scores",
        type=float,
        default=10.0,
        metavar="B",
        help="the largest score before penalties, for ALiBi (default: 10)",
    )
    parser.add_argument(
        "--change",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="show the model also with another entry; may be repeated",
    )
    parser.add_argument("--pairs", action="store_true", help="list every rotary pair")
    parser.add_argument("--svg", metavar="FILE", help="draw the wavelength of every pair")


def run(options: Namespace) -> int:
    """Print what the configurations say."""
    if not 0 <= options.scores <= 1e9:
        raise InvalidOptionError(
            f"--scores must be a number from 0 to 1e9; found {options.scores:g}.", hint="10 is usual."
        )
    configs = _configs(options)
    columns = [findings_of(config, options.scores) for config in configs]
    if options.svg:
        drawing = draw_wavelengths(configs)
        if not drawing:
            raise InvalidOptionError(
                "there are no rotary pairs to draw in these configurations.", hint="leave --svg out."
            )
        write_text(options.svg, drawing)
        print(f"picture: {Path(options.svg).resolve()}", file=sys.stderr)
    if options.json:
        print_json([_to_json(config, found) for config, found in zip(configs, columns, strict=True)])
    else:
        _print(configs, columns, options.pairs)
    return 0


def _configs(options: Namespace) -> list[ModelConfig]:
    changes = dict(map(_change, options.change))
    if options.dtype:
        fixed: Mapping[str, Any] = {"torch_dtype": options.dtype}
    else:
        fixed = {}
    configs = [read_model_config(path, fixed) for path in options.configs]
    if changes:
        said = ", ".join(f"{key}={value}" for key, value in changes.items())
        for path in options.configs:
            changed = read_model_config(path, {**fixed, **changes})
            configs.append(_renamed(changed, f"{changed.name} with {said}"))
    if len(configs) > _MOST_CONFIGS:
        raise InvalidOptionError(
            f"at most {_MOST_CONFIGS} models fit side by side; found {len(configs)}.", hint="name fewer."
        )
    return [with_lengths(config, options.trained, options.length) for config in configs]


def _change(given: str) -> tuple[str, object]:
    key, sign, text = given.partition("=")
    if not sign or not key:
        raise InvalidOptionError(f"--change takes KEY=VALUE; found {given!r}.", hint="for example rope_theta=500000.")
    try:
        return key, json.loads(text)
    except ValueError:
        return key, text


def _renamed(config: ModelConfig, name: str) -> ModelConfig:
    return replace(config, name=name)


def _print(configs: Sequence[ModelConfig], columns: Sequence[Sequence[Finding]], with_pairs: bool) -> None:
    for config in configs:
        shape = (
            f"{config.num_layers} layers, {config.num_heads} heads of width {config.head_width}, {config.number_format}"
        )
        lengths = f"trained on {config.trained:,} tokens, in use up to {config.declared:,}"
        print(visible(f"{config.name} ({config.family}): {shape}; {lengths}"))
        for remark in config.remarks:
            print(paragraph(visible(remark), "    ", "  note: "))
    print()
    rows = _rows(columns)
    if len(configs) == 1:
        print(table(["question", "answer"], [[question, *answers] for question, answers in rows]))
    else:
        for question, answers in rows:
            print(question)
            for config, answer in zip(configs, answers, strict=True):
                print(paragraph(f"{config.name}: {answer}", "      ", "    "))
    if with_pairs:
        _print_pairs(configs, columns)
    print("\nWhat the answers rest on:")
    for key in dict.fromkeys(finding.key for found in columns for finding in found):
        meaning = MEANINGS[key]
        not_claimed = (
            f" Not claimed: {meaning.not_claimed[:1].lower()}{meaning.not_claimed[1:]}" if meaning.not_claimed else ""
        )
        assumption = f" Assumes: {meaning.assumption}." if meaning.assumption != "none" else ""
        print(paragraph(f"{meaning.question}: {meaning.source}.{assumption}{not_claimed}", "    ", "  "))


def _rows(columns: Sequence[Sequence[Finding]]) -> list[tuple[str, list[str]]]:
    """Return every question with its answer for each model; kinds of attention are named where a model has several."""
    several = len({finding.kind for found in columns for finding in found if finding.kind}) > 1
    keys = dict.fromkeys((finding.key, finding.kind) for found in columns for finding in found)
    rows = []
    for key, kind in keys:
        question = MEANINGS[key].question + (f", {kind} layers" if several and kind else "")
        answers = [
            next((each.answer for each in found if (each.key, each.kind) == (key, kind)), "–") for found in columns
        ]
        rows.append((question, answers))
    return rows


def _print_pairs(configs: Sequence[ModelConfig], columns: Sequence[Sequence[Finding]]) -> None:
    for config, found in zip(configs, columns, strict=True):
        for finding in found:
            if finding.key != "wavelengths":
                continue
            print(f"\n{config.name}, {finding.kind} layers")
            pairs = finding.data["pairs"]
            assert isinstance(pairs, list)
            rows = [
                [str(pair["pair"]), *(_number(pair[name]) for name in ("wavelength", "scaled", "turns"))]
                for pair in pairs
            ]
            print(table(["pair", "wavelength", "after scaling", "turns in training"], rows))


def _number(value: float | None) -> str:
    return "does not turn" if value is None else f"{value:,.2f}"


def _to_json(config: ModelConfig, found: Sequence[Finding]) -> dict[str, object]:
    return {
        "name": config.name,
        "family": config.family,
        "layers": config.num_layers,
        "heads": config.num_heads,
        "head_width": config.head_width,
        "format": str(config.number_format),
        "trained": config.trained,
        "declared": config.declared,
        "remarks": list(config.remarks),
        "findings": [
            {
                "key": finding.key,
                "kind": finding.kind,
                "question": MEANINGS[finding.key].question,
                "answer": finding.answer,
                **finding.data,
                "source": MEANINGS[finding.key].source,
                "assumption": MEANINGS[finding.key].assumption,
                "not_claimed": MEANINGS[finding.key].not_claimed,
            }
            for finding in found
        ],
    }
