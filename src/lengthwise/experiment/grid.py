"""Many specs in one: every setting may be a list of values, and all combinations are trained.

Settings have one flat namespace here (``width``, not ``model.width``): the names are those of columns in reports and of options
on the command line. Settings in a ``[[zip]]`` group vary together: the first values form one combination, the second ones another.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from ..errors import InvalidSpecError, did_you_mean
from ..files import read_text
from ..model.shape import Shape
from ..train.settings import PENALTY_NAMES, Training
from .spec import MOST_RUNS, VERSION, Spec

_OF_A_SPEC = tuple(each.name for each in fields(Spec) if each.name not in ("model", "training"))
_OF_A_MODEL = tuple(each.name for each in fields(Shape))
_OF_TRAINING = tuple(each.name for each in fields(Training) if each.name != "penalties")
TABLES = {
    **dict.fromkeys(_OF_A_SPEC, ""),
    **dict.fromkeys(_OF_A_MODEL, "model"),
    **dict.fromkeys(_OF_TRAINING, "training"),
    **dict.fromkeys(PENALTY_NAMES, "training.penalties"),
}
"""Every setting, with the table of a file in which it stands."""

_KEYS = {
    "": (*_OF_A_SPEC, "model", "training", "zip"),
    "model": _OF_A_MODEL,
    "training": (*_OF_TRAINING, "penalties"),
    "training.penalties": PENALTY_NAMES,
}
_NAMES = ("tasks", "encodings")  # a list of them is one value
_FIXED = ("seeds", "hard", "generate", "success_at", "version")  # what does not change how a model is trained
_EXAMPLE = "see docs/reference/spec.md for an example."

_GUESSES = {
    "learning_rate": ("lr", "learning_rates", "rate", "rates", "learningrate", "step_size"),
    "width": ("d_model", "hidden_size", "n_embd", "embed_dim", "embedding_dim", "dim", "hidden", "widths"),
    "layers": ("n_layers", "num_layers", "n_layer", "num_hidden_layers", "depth", "blocks"),
    "heads": ("n_heads", "num_heads", "n_head", "num_attention_heads"),
    "steps": ("num_steps", "max_steps", "train_steps", "iterations", "max_iters", "epochs", "updates"),
    "batch": ("batch_size", "bs", "batchsize", "minibatch"),
    "weight_decay": ("wd", "decay"),
    "warmup": ("warmup_steps", "num_warmup_steps"),
    "clip": ("grad_clip", "max_grad_norm", "gradient_clip", "clip_norm"),
    "evaluate_every": ("eval_every", "eval_interval", "eval_steps"),
    "examples": ("eval_examples", "num_examples", "eval_size"),
    "stop_early": ("early_stop", "early_stopping"),
    "seeds": ("seed", "num_seeds", "n_seeds", "repeats", "runs"),
    "tasks": ("task", "language", "languages", "problem"),
    "encodings": ("encoding", "pe", "position_encoding", "position_encodings", "positions"),
    "train_length": ("train_len", "max_train_length", "train_lengths", "length", "context_length", "max_length"),
    "test_length": ("test_len", "eval_length", "test_lengths", "max_test_length"),
    "positional": ("regularizer", "penalty"),
    "tied": ("tie_embeddings", "tie_weights", "weight_tying"),
}
"""What people call settings elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Settings by name, each a value or a list of values, and groups of settings that vary together.

    ``source`` names where they come from, for messages.
    """

    settings: Mapping[str, Any]
    zipped: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    source: str = "the spec"

    def specs(self) -> tuple[Spec, ...]:
        """Return a spec for every combination of values."""
        _require_names((*self.settings, *(name for group in self.zipped for name in group)), self.source)
        if not any("tasks" in group for group in (self.settings, *self.zipped)):
            raise InvalidSpecError(
                f"{self.source} names no tasks.", hint='for example: tasks = ["bin_majority", "(aa)*"]'
            )
        axes = [[{name: value} for value in _values(name, given)] for name, given in self.settings.items()]
        axes += [_zip_values(group, self.source) for group in self.zipped]
        number = prod(map(len, axes))
        if number > MOST_RUNS:
            raise _too_many(self.source, number, "combinations of settings")
        specs = tuple(
            dict.fromkeys(
                _make_spec({name: value for part in parts for name, value in part.items()}) for parts in product(*axes)
            )
        )
        runs = sum(spec.num_runs for spec in specs)
        if runs > MOST_RUNS:
            raise _too_many(self.source, runs, "runs")
        return specs

    def override(self, settings: Mapping[str, Any], zipped: Iterable[Sequence[str]] = ()) -> Grid:
        """Return the grid with other values of some settings; ``zipped`` names settings that are to vary together."""
        for name in settings:
            if any(name in group for group in self.zipped):
                raise InvalidSpecError(
                    f"{name} stands in a [[zip]] group of {self.source}, and another value is given for it.",
                    hint="change it in the file, or leave the option out.",
                )
        merged = {**self.settings, **settings}
        groups = list(self.zipped)
        for names in zipped:
            _require_names(names, "--zip")
            missing = [name for name in names if name not in merged]
            if missing:
                raise InvalidSpecError(
                    f"{missing[0]} is to vary together with others and has no values.",
                    hint=f"give it a list of values: {missing[0]}.",
                )
            groups.append({name: merged.pop(name) for name in names})
        return Grid(settings=merged, zipped=tuple(groups), source=self.source)


def load_specs(path: str | Path) -> tuple[Spec, ...]:
    """Return the specs in a TOML file: one for every combination of the values it lists."""
    return load_grid(path).specs()


def load_grid(path: str | Path) -> Grid:
    """Return the settings in a TOML file."""
    return parse_grid(read_text(path), str(path))


def parse_specs(text: str, source: str = "spec") -> tuple[Spec, ...]:
    """Return the specs in TOML text."""
    return parse_grid(text, source).specs()


def parse_grid(text: str, source: str = "spec") -> Grid:
    """Return the settings in TOML text; unknown keys are errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidSpecError(f"{source} is not TOML: {error}.", hint=_EXAMPLE) from None
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits, or thousands of brackets
        reason = "is nested too deeply" if isinstance(error, RecursionError) else "has a number that is too long"
        raise InvalidSpecError(f"{source} {reason} to be read.", hint=_EXAMPLE) from None
    if isinstance(data.get("version"), int) and data["version"] > VERSION:
        raise InvalidSpecError(
            f"{source} has version {data['version']}; this program reads version {VERSION}.",
            hint="update lengthwise, or write the spec for this version.",
        )
    zipped = data.pop("zip", [])
    if not isinstance(zipped, list) or not all(isinstance(group, dict) for group in zipped):
        raise InvalidSpecError(
            f"'zip' in {source} must be tables; found {zipped!r}.",
            hint="write [[zip]] and below it, for example, width = [16, 32] and heads = [2, 4].",
        )
    return Grid(settings=_flatten(data, source, ""), zipped=tuple(zipped), source=source)


def _flatten(table: Mapping[str, Any], source: str, prefix: str) -> dict[str, Any]:
    """Return the settings of a table and of those inside it by their own names."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS[prefix]:
            raise _unknown_key(key, source, prefix)
        inner = f"{prefix}.{key}".lstrip(".")
        if inner not in _KEYS:
            flat[key] = value
            continue
        if not isinstance(value, dict):
            hint = (
                f"write it as [{inner}]."
                if inner != "training.penalties"
                else ("for example [training.penalties] and relations = 1e-4 below it.")
            )
            raise InvalidSpecError(f"{inner!r} in {source} must be a table; found {value!r}.", hint=hint)
        flat |= _flatten(value, source, inner)
    return flat


def _unknown_key(key: str, source: str, prefix: str) -> InvalidSpecError:
    meant = setting_meant(key)
    if key in TABLES and TABLES[key] != prefix:
        hint = f"it belongs {f'into the table [{TABLES[key]}]' if TABLES[key] else 'above all tables'}."
    elif meant is not None:
        hint = f"did you mean {f'{TABLES[meant]}.{meant}'.lstrip('.')!r}?"
    else:
        hint = "remove it."
    shown = f"{prefix}.{key}".lstrip(".")
    return InvalidSpecError(f"key {shown!r} in {source} is unknown. Known: {', '.join(_KEYS[prefix])}.", hint=hint)


def setting_meant(name: str) -> str | None:
    """Return the setting that somebody who writes this name may mean, or None.

    >>> setting_meant("lr"), setting_meant("d_model"), setting_meant("trian_length"), setting_meant("xyzzy")
    ('learning_rate', 'width', 'train_length', None)
    """
    plain = name.strip().lower().replace("-", "_")
    guessed = next((setting for setting, names in _GUESSES.items() if plain in names), None)
    return guessed or did_you_mean(plain, TABLES)


def _require_names(names: Iterable[str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name not in TABLES:
            meant = setting_meant(name)
            raise InvalidSpecError(
                f"setting {name!r} in {source} is unknown. Known: {', '.join(TABLES)}.",
                hint=f"did you mean {meant!r}?" if meant else "remove it.",
            )
        if name in seen:
            raise InvalidSpecError(
                f"{name} is set twice in {source}.", hint="set it once, in a [[zip]] group or outside."
            )
        seen.add(name)


def _values(name: str, given: Any) -> list[Any]:
    """Return the values of a setting that are to be combined with all others."""
    if not isinstance(given, (list, tuple)) or name in _NAMES:
        return [given]
    if name == "test_length" and not any(isinstance(value, (list, tuple)) for value in given):
        return [given]  # the lengths to test at
    if name in _FIXED:
        hint = "seeds = 5 trains seeds 0 to 4." if name == "seeds" else "write two specs; both can be run at once."
        found = json.dumps(given, default=repr)  # true and false as a file writes them
        raise InvalidSpecError(f"{name} takes one value; found {found}.", hint=hint)
    return _require_several(name, list(given))


def _require_several(name: str, values: list[Any]) -> list[Any]:
    """Return the values of a list; raise if it is empty or has one twice."""
    if not values:
        raise InvalidSpecError(f"{name} lists no value.", hint="give it one, or leave it out for the default.")
    for number, value in enumerate(values):
        if any(value == other and type(value) is type(other) for other in values[:number]):
            raise InvalidSpecError(f"{value!r} is named twice in {name}.", hint="name each once.")
    return values


def _zip_values(group: Mapping[str, Any], source: str) -> list[dict[str, Any]]:
    """Return what settings that vary together are, one after the other."""
    for name, values in group.items():
        if not isinstance(values, (list, tuple)) or not values:
            raise InvalidSpecError(
                f"{name} in a [[zip]] group of {source} must be a list of values; found {values!r}.",
                hint="settings that vary together have lists of one length.",
            )
    lengths = {name: len(values) for name, values in group.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {number}" for name, number in lengths.items())
        raise InvalidSpecError(
            f"settings in a [[zip]] group of {source} must have equally many values; {told}.",
            hint="make the lists equally long.",
        )
    return [
        {
            name: [value] if name in _NAMES and isinstance(value, str) else value
            for name, value in zip(group, values, strict=True)
        }
        for values in zip(*group.values(), strict=True)
    ]


def _make_spec(settings: Mapping[str, Any]) -> Spec:
    """Return the spec of settings that have one value each."""
    tables: dict[str, dict[str, Any]] = {table: {} for table in ("", "model", "training", "training.penalties")}
    for name, value in settings.items():
        tables[TABLES[name]][name] = tuple(value) if isinstance(value, list) else value
    penalties = tuple(sorted(tables["training.penalties"].items()))
    return Spec(
        **tables[""], model=Shape(**tables["model"]), training=Training(**tables["training"], penalties=penalties)
    )


def _too_many(source: str, number: int, what: str) -> InvalidSpecError:
    return InvalidSpecError(
        f"{source} asks for {number:,} {what}; at most {MOST_RUNS:,} are allowed.",
        hint="list fewer values, or split the spec.",
    )
