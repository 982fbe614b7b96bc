"""Checkpoints: a stack in the middle of its training, as one safetensors file with notes in JSON.

A file is written under another name and then renamed, so that it is there as a whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

_NOTES = "lengthwise"


def write_checkpoint(path: str | Path, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
    """Write a checkpoint in the place of the one before."""
    from safetensors.torch import save_file

    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    written = place.with_name(f"{place.name}.{os.getpid()}")
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, written, {_NOTES: json.dumps(notes)})
    written.replace(place)


def read_checkpoint(path: str | Path, device: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Return tensors and notes of a checkpoint; None if there is none, or none that can be read."""
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        return None
    try:
        with safe_open(path, framework="pt", device=device) as opened:
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # not a dict
            return tensors, json.loads(opened.metadata()[_NOTES])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        return None
