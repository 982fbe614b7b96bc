"""Reading the configuration of a decoder language model, as the Hugging Face library writes it; no weights are needed.

A configuration is a file from elsewhere: every number is checked, and an error names its key. Layers that treat
positions alike form one kind of attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidOptionError, UnreadableFileError, did_you_mean
from ..files import read_json
from ..theory.precision.look_back import NumberFormat
from .model_config import MOST_LENGTH, Attached, AttentionKind, LearnedTable, ModelConfig, Penalty, Positions
from .rotations import SCALINGS, Rotation

_MOST_LAYERS = 10_000
_MOST_WIDTH = 1_000_000

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_WIDTH = ("hidden_size", "n_embd", "d_model", "n_embed")
_LENGTH = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length", "n_ctx")
_BASE = ("rope_theta", "rotary_emb_base")
_SHARE = ("partial_rotary_factor", "rotary_pct")
_READ = (
    *(*_LAYERS, *_HEADS, *_WIDTH, *_LENGTH, *_BASE, *_SHARE),
    *("head_dim", "qk_rope_head_dim", "rotary_dim", "torch_dtype", "dtype", "model_type", "position_embedding_type"),
    *("layer_types", "sliding_window", "use_sliding_window", "sliding_window_pattern", "_sliding_window_pattern"),
    *("max_window_layers", "no_rope_layers", "no_rope_layer_interval", "alibi", "attn_config", "rope_local_base_freq"),
    *("rope_scaling", "rope_parameters", "original_max_position_embeddings", "lengthwise"),
)
"""The entries of a configuration that are read; no other one changes an answer."""
_LEARNED_TABLES = ("gpt2", "gpt_bigcode", "gpt_neo", "opt", "xglm", "biogpt", "openai-gpt")
_ALIBI_MODELS = ("bloom",)
_FORMATS = {name: NumberFormat(name) for name in ("float32", "bfloat16", "float16")}


def read_model_config(path: str | Path, changes: Mapping[str, Any] | None = None) -> ModelConfig:
    """Read a configuration from a file, or from ``config.json`` in a folder; ``changes`` take the place of its entries."""
    place = Path(path)
    file = place / "config.json" if place.is_dir() else place
    found = read_json(file)
    if not isinstance(found, dict):
        raise UnreadableFileError(
            f"{str(file)!r} is not the configuration of a model: it holds no table.",
            hint="name the config.json of a model, or its folder.",
        )
    name = place.name if place.is_dir() else place.parent.name if place.name == "config.json" else place.stem
    return parse_model_config(found, name or str(file), changes)


def parse_model_config(data: Mapping[str, Any], name: str, changes: Mapping[str, Any] | None = None) -> ModelConfig:
    """Return what a configuration says; raise if it is not that of a decoder with positions we know."""
    inner = data.get("text_config")
    text = dict(inner if isinstance(inner, dict) else data)
    for key, value in (changes or {}).items():
        _change(text, key, value)
    family = (changes or {}).get("model_type") or data.get("model_type") or text.get("model_type") or "unknown"
    if not isinstance(family, str):
        raise InvalidOptionError(
            f"model_type in the configuration of {name!r} must be a text; found {family!r}.", hint="correct it."
        )
    return _Reader(text, name, family).read()


def _change(text: dict[str, Any], key: str, value: Any) -> None:
    """Replace an entry where it stands: at the top, or inside the table of the rotation; raise for one that nothing reads."""
    for table in ("rope_parameters", "rope_scaling"):
        inside = text.get(table)
        if isinstance(inside, dict) and key in inside:
            text[table] = inside | {key: value}
            return
    if key not in _READ:
        suggestion = did_you_mean(key, _READ)
        raise InvalidOptionError(
            f"no answer of context depends on {key!r}, so that changing it would show nothing.",
            hint=f"did you mean {suggestion!r}?"
            if suggestion
            else 'a scaling is one entry: rope_scaling={"rope_type": "yarn", "factor": 4}.',
        )
    text[key] = value


class _Reader:
    """Reads one configuration; each method reads one subject."""

    def __init__(self, data: Mapping[str, Any], name: str, family: str) -> None:
        self._data = data
        self._name = name
        self._family = family
        self._remarks: list[str] = []

    def read(self) -> ModelConfig:
        if self._data.get("is_encoder_decoder") is True:
            raise InvalidOptionError(
                f"the configuration of {self._name!r} is that of an encoder with a decoder ({self._family}).",
                hint="context describes models that are decoders alone (Llama, Qwen, Gemma, GPT-NeoX, …).",
            )
        num_layers = self._whole(_LAYERS, _MOST_LAYERS)
        num_heads = self._whole(_HEADS, _MOST_WIDTH)
        head_width = self._head_width(num_heads)
        declared = self._whole(_LENGTH, MOST_LENGTH, default=None if self._has_end else 2048)
        kinds = self._kinds(num_layers, num_heads, head_width, declared)
        scaled = [kind.positions for kind in kinds if isinstance(kind.positions, Rotation)]
        trained = min((rotation.trained for rotation in scaled), default=declared)
        return ModelConfig(
            name=self._name,
            family=self._family,
            num_layers=num_layers,
            num_heads=num_heads,
            head_width=head_width,
            number_format=self._number_format(),
            trained=trained,
            declared=declared,
            kinds=kinds,
            remarks=tuple(self._remarks),
        )

    @property
    def _has_end(self) -> bool:
        """Whether the model declares a longest input, or must: those with penalties need not."""
        is_penalized = self._slopes(1) is not None
        if is_penalized and not any(self._data.get(name) for name in _LENGTH):
            self._remarks.append(
                "the configuration declares no length; 2,048 is used here. Name another with --length."
            )
            return False
        return True

    def _head_width(self, num_heads: int) -> int:
        rotary = self._data.get("qk_rope_head_dim")
        if rotary:  # the part of a head that turns, beside one that does not
            return self._whole(("qk_rope_head_dim",), _MOST_WIDTH)
        if self._data.get("head_dim"):
            return self._whole(("head_dim",), _MOST_WIDTH)
        width = self._whole(_WIDTH, _MOST_WIDTH)
        if width % num_heads:
            raise self._wrong("hidden_size", width, f"a multiple of the {num_heads} heads, where there is no head_dim")
        return width // num_heads

    def _number_format(self) -> NumberFormat:
        named = self._data.get("torch_dtype") or self._data.get("dtype")
        if isinstance(named, str) and named in _FORMATS:
            return _FORMATS[named]
        self._remarks.append(
            f"the number format is {'not given' if named is None else repr(named)}; bfloat16 is used here. "
            "Name another with --dtype."
        )
        return NumberFormat.BFLOAT16

    # Layers

    def _kinds(self, num_layers: int, num_heads: int, head_width: int, declared: int) -> tuple[AttentionKind, ...]:
        types = self._layer_types(num_layers)
        windows = {"sliding": self._window(), "full": None}
        turned = self._turned_layers(num_layers)
        members: dict[tuple[str, bool], list[int]] = {}
        for layer, kind in enumerate(types):
            members.setdefault((kind, turned[layer]), []).append(layer)
        found = []
        for (kind, is_turned), layers in members.items():
            positions = self._positions(kind, num_heads, head_width, declared) if is_turned else None
            name = " ".join([kind, *(["without positions"] if not is_turned else [])])
            found.append(AttentionKind(name=name, layers=tuple(layers), window=windows[kind], positions=positions))
        return tuple(found)

    def _layer_types(self, num_layers: int) -> list[str]:
        """Return "full" or "sliding" for each layer."""
        given = self._data.get("layer_types")
        if given is not None:
            names = {"full_attention": "full", "sliding_attention": "sliding", "global": "full", "local": "sliding"}
            if not isinstance(given, list) or len(given) != num_layers or not all(str(each) in names for each in given):
                raise self._wrong("layer_types", given, f"{num_layers} entries out of {', '.join(names)}")
            if "sliding" in (names[str(each)] for each in given) and self._window() is None:
                raise self._wrong("sliding_window", None, "the tokens that a sliding layer of layer_types sees")
            return [names[str(each)] for each in given]
        if self._window() is None:
            return ["full"] * num_layers
        pattern = self._first(("sliding_window_pattern", "_sliding_window_pattern"), None)
        if pattern is None and self._family == "gemma2":
            pattern = 2
        if pattern is not None:
            every = self._checked_whole("sliding_window_pattern", pattern, 1, num_layers)
            return ["full" if (layer + 1) % every == 0 else "sliding" for layer in range(num_layers)]
        first = self._data.get("max_window_layers")
        if first is not None and "use_sliding_window" in self._data:
            start = self._checked_whole("max_window_layers", first, 0, _MOST_LAYERS)
            return ["sliding" if layer >= start else "full" for layer in range(num_layers)]
        return ["sliding"] * num_layers

    def _window(self) -> int | None:
        window = self._data.get("sliding_window")
        if window is None or self._data.get("use_sliding_window") is False:
            return None
        return self._checked_whole("sliding_window", window, 1, MOST_LENGTH)

    def _turned_layers(self, num_layers: int) -> list[bool]:
        """Return for each layer whether it has positions: some models leave them out in every few layers."""
        given, every = self._data.get("no_rope_layers"), self._data.get("no_rope_layer_interval")
        if not given and every is not None:
            step = self._checked_whole("no_rope_layer_interval", every, 1, _MOST_LAYERS)
            return [(layer + 1) % step != 0 for layer in range(num_layers)]
        if not given:
            return [True] * num_layers
        if not isinstance(given, list) or len(given) != num_layers or not all(each in (0, 1) for each in given):
            raise self._wrong(
                "no_rope_layers", given, f"{num_layers} entries, 1 for a layer with positions and 0 without"
            )
        return [bool(each) for each in given]

    # Positions

    def _positions(self, kind: str, num_heads: int, head_width: int, declared: int) -> Positions:
        attached = self._data.get("lengthwise")
        if attached is not None:
            return self._attached(attached)
        slopes = self._slopes(num_heads)
        if slopes is not None:
            return Penalty(slopes=slopes)
        if self._family in _LEARNED_TABLES or self._data.get("position_embedding_type") == "absolute":
            return LearnedTable(size=declared)
        return self._rotation(kind, head_width, declared)

    def _attached(self, attached: object) -> Positions:
        name = attached.get("encoding") if isinstance(attached, dict) else None
        if not isinstance(name, str):
            raise self._wrong("lengthwise", attached, "what lengthwise.encodings.attach writes")
        if name == "nope":
            return None
        remark = f"positions are those of {name}, by lengthwise.encodings.attach; only its bounds are described."
        self._remark(remark)
        return Attached(name=name)

    def _slopes(self, num_heads: int) -> tuple[float, ...] | None:
        inside = self._data.get("attn_config")
        is_penalized = self._family in _ALIBI_MODELS or self._data.get("alibi") is True
        largest = 8.0
        if isinstance(inside, dict) and inside.get("alibi") is True:
            is_penalized = True
            largest = self.checked("alibi_bias_max", inside.get("alibi_bias_max", 8), 1e-3, 1e6)
        return alibi_slopes(num_heads, largest) if is_penalized else None

    def _rotation(self, kind: str, head_width: int, declared: int) -> Rotation:
        table = self._scaling_table(kind)
        base = table.get("rope_theta", self._first(_BASE, None))
        if base is None:
            base = 10_000.0
            self._remark(
                "the configuration names no base of rotary positions; they are taken as usual, with base 10,000."
            )
        if kind == "sliding" and self._data.get("rope_local_base_freq") is not None:
            base, table = self._data["rope_local_base_freq"], {}
        scaling = table.get("rope_type", table.get("type")) or "default"
        names = {"ntk": "dynamic", "su": "longrope", "mrope": "default", "none": "default"}
        scaling = names.get(str(scaling), str(scaling))
        if scaling not in SCALINGS:
            raise self._wrong("rope_type", scaling, f"one of {', '.join(SCALINGS)}")
        share = self.checked(
            "partial_rotary_factor", table.get("partial_rotary_factor", self._first(_SHARE, 1.0)), 0, 1
        )
        rotary = self._data.get("rotary_dim")
        width = self._checked_whole("rotary_dim", rotary, 2, head_width) if rotary else int(head_width * share)
        factor = self._factor(table, scaling)
        trained = self._trained(table, scaling, factor, declared)
        settings = _known_settings(table, self)
        if scaling == "proportional":
            width, settings = head_width, settings | {"share": share}
        return Rotation(
            base=self.checked("rope_theta", base, 1.0001, 1e15),
            width=width,
            head_width=head_width,
            trained=trained,
            declared=declared,
            scaling=scaling,
            factor=factor or declared / trained,
            settings=settings,
            short_factors=self._factors(table, "short_factor"),
            long_factors=self._factors(table, "long_factor"),
        )

    def _scaling_table(self, kind: str) -> Mapping[str, Any]:
        """Return the table of the rotation: of a kind of layers, of all, or in the form of older configurations."""
        table = self._data.get("rope_parameters") or {}
        if not isinstance(table, dict):
            raise self._wrong("rope_parameters", table, "a table")
        inside = table.get(f"{kind}_attention", table.get("full_attention"))
        if inside is not None:
            if not isinstance(inside, dict):
                raise self._wrong("rope_parameters", table, "a table, or one for each kind of layers")
            table = inside
        older = self._data.get("rope_scaling") or {}
        if not isinstance(older, dict):
            raise self._wrong("rope_scaling", older, "a table")
        return {**older, **table}

    def _factor(self, table: Mapping[str, Any], scaling: str) -> float:
        """Return by how much inputs become longer; 0 where the two lengths say it."""
        if scaling == "default":
            return 1.0
        given = table.get("factor")
        if given is None and scaling in ("yarn", "longrope"):
            return 0.0
        return self.checked("factor", 1.0 if given is None and scaling == "proportional" else given, 1e-3, 1e6)

    def _trained(self, table: Mapping[str, Any], scaling: str, factor: float, declared: int) -> int:
        given = table.get("original_max_position_embeddings", self._data.get("original_max_position_embeddings"))
        if given is not None:
            return self._checked_whole("original_max_position_embeddings", given, 1, MOST_LENGTH)
        if scaling == "linear" and factor > 1:
            self._remarks.append(
                "the configuration does not say which length came before the scaling; it is taken as the declared length "
                "divided by the factor. Name another with --trained."
            )
            return max(1, round(declared / factor))
        return declared

    def _factors(self, table: Mapping[str, Any], key: str) -> tuple[float, ...]:
        given = table.get(key) or ()
        if not isinstance(given, Sequence) or isinstance(given, str):
            raise self._wrong(key, given, "a list of numbers")
        return tuple(self.checked(key, each, 1e-6, 1e9) for each in given)

    def _remark(self, remark: str) -> None:
        if remark not in self._remarks:
            self._remarks.append(remark)

    # Numbers

    def _first(self, names: Iterable[str], default: Any) -> Any:
        return next((self._data[name] for name in names if self._data.get(name) is not None), default)

    def _whole(self, names: Sequence[str], most: int, default: int | None = None) -> int:
        for name in names:
            if self._data.get(name) is not None:
                return self._checked_whole(name, self._data[name], 1, most)
        if default is not None:
            return default
        raise InvalidOptionError(
            f"the configuration of {self._name!r} has no {names[0]}.",
            hint="name the config.json of a decoder language model (Llama, Qwen, Gemma, GPT-NeoX, …).",
        )

    def _checked_whole(self, key: str, value: object, low: int, high: int) -> int:
        """Return a whole number within its range; raise if it is none."""
        number = self.checked(key, value, low, high)
        if number != int(number):
            raise self._wrong(key, value, f"a whole number from {low:,} to {high:,}")
        return int(number)

    def checked(self, key: str, value: object, low: float, high: float) -> float:
        """Return a number within its range; raise if it is none."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise self._wrong(key, value, f"a number from {low:g} to {high:g}")
        return value

    def _wrong(self, key: str, value: object, allowed: str) -> InvalidOptionError:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
        return InvalidOptionError(
            f"{key} in the configuration of {self._name!r} must be {allowed}; found {shown}.",
            hint="correct the configuration, or the value given for it.",
        )


def _known_settings(table: Mapping[str, Any], reader: _Reader) -> dict[str, float | bool]:
    """Return the numbers of a scaling that formulas use; others are left out."""
    found: dict[str, float | bool] = {}
    for key in (
        "attention_factor",
        "mscale",
        "mscale_all_dim",
        "beta_fast",
        "beta_slow",
        "low_freq_factor",
        "high_freq_factor",
    ):
        if table.get(key) is not None:
            found[key] = reader.checked(key, table[key], 0, 1e9)
    if isinstance(table.get("truncate"), bool):
        found["truncate"] = table["truncate"]
    return found


def alibi_slopes(num_heads: int, largest: float = 8.0) -> tuple[float, ...]:
    """Return the slope of each head: powers of two where the number of heads is one, otherwise two such rows interleaved.

    >>> alibi_slopes(4)
    (0.25, 0.0625, 0.015625, 0.00390625)
    """
    power = 1 << (num_heads.bit_length() - 1)
    if power == num_heads:
        return tuple(2 ** (-largest * (head + 1) / num_heads) for head in range(num_heads))
    more = alibi_slopes(2 * power, largest)[::2][: num_heads - power]
    return (*alibi_slopes(power, largest), *more)
