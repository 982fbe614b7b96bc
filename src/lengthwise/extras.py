"""Libraries that only some commands need, and how to install them from where this copy of lengthwise came."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from .errors import MissingExtraError

_NEEDED = {
    "train": ("torch", "safetensors"),
    "hf": ("torch", "safetensors", "transformers"),
    "solver": ("pysat",),
    "export": ("pyarrow",),
    "figures": ("cairosvg",),
    "ray": ("ray",),
}
_ON_INDEX = {"pysat": "python-sat"}
"""What a library is called where packages are found, if not by the name under which it is imported."""


def require_extra(what: str, extra: str = "train") -> None:
    """Raise if a library of an extra is missing; ``what`` is the work that needs it."""
    for name in _NEEDED[extra]:
        if find_spec(name) is None:
            raise MissingExtraError(f"{what} needs {name}, which is not installed.", hint=install_hint(extra))


def install_hint(extra: str) -> str:
    """Return a command that installs what an extra needs: from the clone, or else the libraries by name."""
    clone = Path(__file__).resolve().parents[2]
    if (clone / "pyproject.toml").is_file() and (clone / "src" / "lengthwise").is_dir():
        return f"pip install '{'.' if clone == Path.cwd() else clone}[{extra}]'"
    return f"pip install {' '.join(_ON_INDEX.get(name, name) for name in _NEEDED[extra])}"
