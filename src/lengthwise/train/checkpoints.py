"""Checkpoints: a stack in the middle of its training, as one safetensors file with notes in JSON.

A file is there as a whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from ..files import make_folder_of, write_tensors

_NOTES = "lengthwise"


def write_checkpoint(path: str | Path, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
    """Write a checkpoint in the place of the one before."""
    make_folder_of(path)
    write_tensors(path, tensors, {_NOTES: json.dumps(notes)})


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


def read_notes(path: str | Path) -> dict[str, Any]:
    """Return the notes of a checkpoint without its tensors; none if it cannot be read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as opened:
            notes = json.loads(opened.metadata()[_NOTES])
            return notes if isinstance(notes, dict) else {}
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        return {}
