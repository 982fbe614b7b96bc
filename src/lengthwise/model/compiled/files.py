"""Compiled models as files: the weights as safetensors, and beside them what they mean, as JSON.

A folder holds ``model.safetensors`` and ``config.json``; the second is written last, so that its existence means that both
are whole.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isfinite
from os import W_OK, X_OK, access
from pathlib import Path
from typing import Any

import torch

from ...crasp.parser import parse_program
from ...crasp.printer import print_program
from ...crasp.syntax import Program
from ...errors import LengthwiseError, UnreadableFileError
from ...files import make_folder_of, read_json, write_tensors, write_text
from .model import CompiledModel
from .to_transformer import Plan, empty_transformer

FORMAT = "lengthwise compiled program"
VERSION = 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"
_KEYS = ("format", "version", "program", "alphabet", "tokens", "outputs", "shape", "dtype", "slope", "bias")


def save_model(model: CompiledModel, folder: str | Path) -> Path:
    """Write a compiled model to a folder, in the place of the one before; return the folder."""
    place = require_writable(folder)
    config_file = place / CONFIG
    if config_file.is_file() and not config_file.is_symlink():
        config_file.unlink()
    notes = {"format": FORMAT, "version": str(VERSION)}
    write_tensors(place / WEIGHTS, model.transformer.state_dict(), notes)
    config = {
        "format": FORMAT,
        "version": VERSION,
        "program": print_program(model.program),
        **_names(model.program),
        "shape": asdict(model.plan),
        "dtype": str(model.transformer.embedding_MVD.dtype).removeprefix("torch."),
        "slope": model.slope,
        "bias": model.bias,
    }
    write_text(config_file, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return place


def require_writable(folder: str | Path) -> Path:
    """Return a folder in which a model can be written, made if there is none; raise if it cannot be written."""
    place = Path(folder)
    make_folder_of(place / CONFIG)
    taken = [name for name in (CONFIG, WEIGHTS) if (place / name).is_dir()]
    if taken:
        raise _unwritable(place, f"{taken[0]} is a folder there")
    if not access(place, W_OK | X_OK):
        raise _unwritable(place, "permission is denied")
    return place


def _unwritable(place: Path, reason: str) -> UnreadableFileError:
    return UnreadableFileError(
        f"cannot write a model to {str(place)!r}: {reason}.", hint="choose a folder that can be written."
    )


def load_model(folder: str | Path) -> CompiledModel:
    """Return the compiled model of a folder."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    place = Path(folder)
    if place.is_dir() and not (place / CONFIG).exists():
        raise UnreadableFileError(
            f"the folder {str(place)!r} holds no compiled model: there is no {CONFIG} in it.",
            hint="name a program, or a folder that 'crasp compile --out' wrote.",
        )
    config = _checked(read_json(place / CONFIG), str(place / CONFIG))
    if not (place / WEIGHTS).is_file():
        raise UnreadableFileError(
            f"there is no file {str(place / WEIGHTS)!r} beside its {CONFIG}.", hint="compile the program again."
        )
    try:
        program = parse_program(config["program"])
        plan = Plan(**config["shape"])
        slope, bias = float(config["slope"]), float(config["bias"])
        tensors = load_file(place / WEIGHTS)
        fits = (
            all(config[key] == value for key, value in _names(program).items())
            and all(type(value) is int for value in asdict(plan).values())
            and (plan.num_tokens, plan.num_outputs) == (len(program.symbols) + 2, len(program.outputs))
            and all(isfinite(value) and value > 0 for value in (slope, bias))
            and all(str(each.dtype) == f"torch.{config['dtype']}" for each in tensors.values())
            and all(each.is_floating_point() and bool(each.isfinite().all()) for each in tensors.values())
            and {name: each.shape for name, each in tensors.items()} == _shapes(plan)
        )
        if fits:
            transformer = empty_transformer(plan).to(tensors["embedding_MVD"].dtype)
            transformer.load_state_dict(tensors)
    except (SafetensorError, LengthwiseError, RuntimeError, TypeError, ValueError, AttributeError, ArithmeticError):
        fits = False
    if not fits:
        raise UnreadableFileError(
            f"{str(place)!r} is no whole compiled model: weights and {CONFIG} do not fit each other, or are damaged.",
            hint="compile the program again.",
        )
    return CompiledModel(program=program, transformer=transformer, plan=plan, slope=slope, bias=bias)


def _names(program: Program) -> dict[str, list[str]]:
    """Return what the numbers in the weights stand for."""
    return {
        "alphabet": list(program.alphabet),
        "tokens": [*program.symbols, "<end of word>", "<beginning of word>"],
        "outputs": [output.name for output in program.outputs],
    }


def _shapes(plan: Plan) -> dict[str, torch.Size]:
    """Return the shapes of all weights, without room for them: a wrong size in a file must cost no memory."""
    with torch.device("meta"):
        return {name: value.shape for name, value in empty_transformer(plan).state_dict().items()}


def _checked(config: Any, path: str) -> dict[str, Any]:
    """Return the JSON data if it is ours and of this version."""
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise UnreadableFileError(
            f"{path!r} does not describe a compiled program.", hint="name a folder that 'crasp compile --out' wrote."
        )
    if type(config.get("version")) is not int or config["version"] != VERSION:
        raise UnreadableFileError(
            f"{path!r} has version {config.get('version')!r}; this program reads version {VERSION}.",
            hint="compile the program again.",
        )
    missing = [key for key in _KEYS if key not in config]
    if missing:
        raise UnreadableFileError(f"{path!r} has no {missing[0]!r}.", hint="compile the program again.")
    return config
