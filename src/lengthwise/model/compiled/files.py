"""Compiled models as files: the weights as safetensors, and beside them what they mean, as JSON.

A folder holds ``model.safetensors`` and ``config.json``; the second is written last, so that its existence means that both
are whole.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ...crasp.parser import parse_program
from ...crasp.printer import print_program
from ...errors import LengthwiseError, UnreadableFileError
from ...files import make_folder_of, read_json, write_text
from .model import CompiledModel
from .to_transformer import Plan, empty_transformer

FORMAT = "lengthwise compiled program"
VERSION = 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"
_KEYS = ("format", "version", "program", "alphabet", "tokens", "outputs", "shape", "dtype", "slope", "bias")


def save_model(model: CompiledModel, folder: str | Path) -> Path:
    """Write a compiled model to a folder, in the place of the one before; return the folder."""
    from safetensors.torch import save_file

    place = Path(folder)
    make_folder_of(place / CONFIG)
    (place / CONFIG).unlink(missing_ok=True)
    tensors = {name: value.detach().contiguous() for name, value in model.transformer.state_dict().items()}
    try:
        save_file(tensors, place / WEIGHTS, {"format": FORMAT, "version": str(VERSION)})
    except OSError as error:
        raise UnreadableFileError(
            f"cannot write {str(place / WEIGHTS)!r}: {error.strerror}.", hint="choose a folder that can be written."
        ) from None
    program = model.program
    config = {
        "format": FORMAT,
        "version": VERSION,
        "program": print_program(program),
        "alphabet": list(program.alphabet),
        "tokens": [*program.symbols, "<end of word>", "<beginning of word>"],
        "outputs": [output.name for output in program.outputs],
        "shape": asdict(model.plan),
        "dtype": str(model.transformer.embedding_MVD.dtype).removeprefix("torch."),
        "slope": model.slope,
        "bias": model.bias,
    }
    write_text(place / CONFIG, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return place


def load_model(folder: str | Path) -> CompiledModel:
    """Return the compiled model of a folder."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    place = Path(folder)
    config = _checked(read_json(place / CONFIG), str(place / CONFIG))
    if not (place / WEIGHTS).is_file():
        raise UnreadableFileError(
            f"there is no file {str(place / WEIGHTS)!r} beside its {CONFIG}.", hint="compile the program again."
        )
    try:
        program = parse_program(config["program"])
        plan = Plan(**config["shape"])
        transformer = empty_transformer(plan).to(getattr(torch, config["dtype"]))
        transformer.load_state_dict(load_file(place / WEIGHTS))
        slope, bias = float(config["slope"]), float(config["bias"])
        fits = len(program.outputs) == plan.num_outputs and len(program.symbols) + 2 == plan.num_tokens
    except (SafetensorError, LengthwiseError, RuntimeError, TypeError, ValueError, AttributeError, ArithmeticError):
        fits = False
    if not fits:
        raise UnreadableFileError(
            f"{str(place)!r} is no whole compiled model: weights and {CONFIG} do not fit each other, or are damaged.",
            hint="compile the program again.",
        )
    return CompiledModel(program=program, transformer=transformer, plan=plan, slope=slope, bias=bias)


def _checked(config: Any, path: str) -> dict[str, Any]:
    """Return the JSON data if it is ours and of this version."""
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise UnreadableFileError(
            f"{path!r} does not describe a compiled program.", hint="name a folder that 'crasp compile --out' wrote."
        )
    if config.get("version") != VERSION:
        raise UnreadableFileError(
            f"{path!r} has version {config.get('version')!r}; this program reads version {VERSION}.",
            hint="compile the program again.",
        )
    missing = [key for key in _KEYS if key not in config]
    if missing:
        raise UnreadableFileError(f"{path!r} has no {missing[0]!r}.", hint="compile the program again.")
    return config
