"""A spec that trains in a second, and specs as TOML text: the program reads them, tests also write them."""

from __future__ import annotations

import json
from dataclasses import asdict

from lengthwise.experiment.grid import parse_specs
from lengthwise.experiment.spec import Spec
from lengthwise.model.shape import Shape
from lengthwise.train.settings import Training

TINY = Spec(
    tasks=("bin_majority",),
    encodings=("nope",),
    seeds=2,
    train_length=4,
    test_length=8,
    model=Shape(layers=1, heads=1, width=8),
    training=Training(steps=20, batch=32, warmup=2, evaluate_every=20, examples=16),
)


def dump_spec(spec: Spec) -> str:
    """Return a spec as TOML text; ``parse_specs(dump_spec(spec)) == (spec,)``."""
    data = asdict(spec)
    tables = {name: data.pop(name) for name in ("model", "training")}
    tables["training.penalties"] = dict(tables["training"].pop("penalties"))
    lines = [f"{key} = {_toml(value)}" for key, value in data.items() if value is not None]
    for name, table in tables.items():
        if table:
            lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def parse_spec(text: str, source: str = "spec") -> Spec:
    """Return the only spec in TOML text."""
    (spec,) = parse_specs(text, source)
    return spec


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
