"""Encodings for decoders of the Hugging Face library, through its own hooks.

``attach`` gives a model another encoding in place of its own, ``load`` reads one that was saved with it. The library
is told of one more way to compute attention; no class is changed, and a model without an encoding is as it was.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

from ...arrays import torch_arrays
from ...errors import InvalidOptionError, MissingExtraError, UnreadableFileError
from ...extras import install_hint
from ...seeds import INITIALIZATION, open_stream
from ..attention import checked_number, named, refuse_scale
from ..core.base import Encoding, Fit
from ..core.build import make_encoding
from ..core.card import IdsFrom
from ..core.choice import Choice, encoding_files
from ..methods.learned import Learned
from .positions import (
    IMPLEMENTATION,
    PART,
    NoRotation,
    NoTable,
    Positions,
    attention,
    enter_attention,
    enter_model,
)

Model = TypeVar("Model")
_SHIFT = "token_shift"


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """Where a kind of model keeps its layers, their attention, and the positions it was made with."""

    layers: str = "layers"
    attention: str = "self_attn"
    rotary: str = "rotary_emb"
    table: str = ""


ARCHITECTURES: dict[str, Architecture] = {
    "gpt2": Architecture(layers="h", attention="attn", rotary="", table="wpe"),
    "gpt_neox": Architecture(attention="attention"),
    "llama": Architecture(),
    "mistral": Architecture(),
    "qwen2": Architecture(),
    "qwen3": Architecture(),
    "gemma": Architecture(),
    "gemma2": Architecture(),
    "gemma3_text": Architecture(),
    "phi": Architecture(),
    "phi3": Architecture(),
    "olmo": Architecture(),
    "olmo2": Architecture(),
    "olmo3": Architecture(),
    "smollm3": Architecture(),
}
"""Kinds of models by the name that their config has; SmolLM and SmolLM 2 are of the kind ``llama``."""

_DRAWN = "it draws all ids anew for every length, so that a model which writes would start over at each token"
REFUSED: dict[IdsFrom, str] = {
    "digits": "it looks for digits among the tokens, and which of a tokenizer's tokens are digits is not known",
    "roles": "it takes ids from the roles that a task gives its tokens, and text has none",
    "sample": _DRAWN,
    "fractions": _DRAWN,
}
"""Why encodings cannot be attached that take ids from anything but the order of the tokens."""


def attach(
    model: Model,
    encoding: str,
    *,
    max_length: int | None = None,
    trained: int | None = None,
    token_shift: bool = False,
    seed: int = 0,
) -> Model:
    """Give a decoder of the transformers library another position encoding, in place, and return it.

    ``max_length`` is the number of positions for encodings that have a table of them, ``trained`` the number of tokens
    of the longest training instance, for those that ask for it; both default to the model's max_position_embeddings.
    With ``token_shift``, half of the channels that enter each attention layer are those of the token before, so that
    windows need not be learned; such a model has no cache. ``seed`` draws what is learned. Everything else of the model
    stays as it is, its weights included. A model that has a table of positions of its own hands it on to ``learned`` and
    ``ape``.
    """
    base = _base_of(model)
    if getattr(base.config, PART, None) is not None and not hasattr(base, PART):
        raise InvalidOptionError(
            f"this model was saved with encoding {_name_in(base.config)!r}, whose weights have not been loaded.",
            hint="read it with lengthwise.encodings.load(path), or say del model.config.lengthwise to begin anew.",
        )
    if type(token_shift) is not bool:
        raise InvalidOptionError(
            f"token_shift must be True or False; found {token_shift!r}.", hint="correct the value."
        )
    _attach(model, base, encoding, max_length=max_length, trained=trained, token_shift=token_shift, seed=seed)
    return model


def load(path: str | Path, *, kind: Any = None, encoding: str | None = None, **options: Any) -> Any:
    """Return a model from the folder that ``save_pretrained`` wrote, with its encoding.

    ``kind`` is the class of the model, by default the one that was saved; ``options`` go to its ``from_pretrained``. An
    encoding that is a file of yours must be named again, as ``encoding``: nothing runs because a folder names it.
    """
    library, folder = _library(), Path(path)
    if not folder.is_dir():
        raise UnreadableFileError(
            f"{str(path)!r} is not a folder.", hint="hand in a folder that save_pretrained wrote; download it first."
        )
    config = library.AutoConfig.from_pretrained(folder)
    told = _told(config, folder, encoding)
    if kind is None:
        name = (config.architectures or ["AutoModelForCausalLM"])[0]
        kind = getattr(library, name, None)
        if kind is None:
            raise InvalidOptionError(
                f"the class {name!r} of the model in {str(folder)!r} is not one of the library.",
                hint="hand in the class itself, as kind=.",
            )
    _register(library)
    with _quiet(library):
        model, found = kind.from_pretrained(folder, output_loading_info=True, **options)
    if found["missing_keys"]:
        raise UnreadableFileError(
            f"weights are missing in {str(folder)!r}: {', '.join(sorted(found['missing_keys']))}.",
            hint="save the model again, or name its class with kind=.",
        )
    base = _base_of(model)
    _attach(model, base, told.pop("encoding"), **told, seed=0)
    _read_weights(getattr(base, PART), folder)
    return model


def _attach(
    model: Any, base: Any, name: str, *, max_length: int | None, trained: int | None, token_shift: bool, seed: int
) -> None:
    config, choice = base.config, _accepted(name)
    architecture = ARCHITECTURES[config.model_type]
    attentions = [getattr(layer, architecture.attention) for layer in getattr(base, architecture.layers)]
    width, longest = config.hidden_size, config.max_position_embeddings
    fit = Fit(
        num_heads=config.num_attention_heads,
        head_width=getattr(attentions[0], "head_dim", width // config.num_attention_heads),
        width=width,
        max_length=checked_number("max_length", longest if max_length is None else max_length),
        trained=checked_number("trained", longest if trained is None else trained),
        num_layers=len(attentions),
    )
    made = make_encoding(choice, fit)
    made.initialize(open_stream(INITIALIZATION, seed=[seed], xp=torch_arrays()).named("encoding"))
    if architecture.table:
        _hand_on(getattr(base, architecture.table).weight, made)
    positions = Positions(
        made,
        arguments=tuple(inspect.signature(base.forward).parameters),
        max_length=fit.max_length,
        shifts=choice.shifts_ids,
        uncached=_set_cache(model, base, reads_stream=choice.reads_stream or token_shift),
        token_shift=token_shift,
    )
    _register(_library())
    if not hasattr(base, PART):
        base.register_forward_pre_hook(enter_model, with_kwargs=True)
        for layer in attentions:
            layer.register_forward_pre_hook(enter_attention, with_kwargs=True)
        if architecture.rotary:
            setattr(base, architecture.rotary, NoRotation(_rotary_width(base, architecture, fit)))
        if architecture.table:
            setattr(base, architecture.table, NoTable(getattr(base, architecture.table).weight))
    setattr(base, PART, positions.to(next(base.parameters()).device).train(base.training))
    told = {"encoding": choice.name, "max_length": fit.max_length, "trained": fit.trained, "revision": choice.revision}
    setattr(config, PART, told | ({_SHIFT: True} if token_shift else {}))
    model.set_attn_implementation(IMPLEMENTATION)
    config.attn_implementation = IMPLEMENTATION  # goes to the file, so that nobody loads the model without the encoding


def _rotary_width(base: Any, architecture: Architecture, fit: Fit) -> int:
    """Return how many channels the model's own rotary positions turn: Phi hands its heads' first channels to them alone."""
    frequencies = getattr(getattr(base, architecture.rotary), "inv_freq", None)
    return fit.head_width if frequencies is None else 2 * int(frequencies.shape[-1])


def _set_cache(model: Any, base: Any, *, reads_stream: bool) -> bool:
    """Turn the cache off for an encoding that cannot have one, on again for the next; return whether it was turned off."""
    before = getattr(base, PART, None)
    was_turned_off = before is not None and before.uncached
    if was_turned_off != reads_stream:
        for settings in (base.config, getattr(model, "generation_config", None)):
            if settings is not None:
                settings.use_cache = was_turned_off
    return reads_stream


def _library() -> Any:
    """Return the Hugging Face library, which is imported only when it is needed."""
    try:
        return import_module("transformers")
    except ModuleNotFoundError as missing:
        raise MissingExtraError(
            f"{missing.name!r} is not installed, and models of Hugging Face need it.",
            hint=install_hint("hf"),
        ) from None


def _register(library: Any) -> None:
    masks = import_module("transformers.masking_utils")
    library.AttentionInterface.register(IMPLEMENTATION, attention)
    library.AttentionMaskInterface.register(IMPLEMENTATION, masks.sdpa_mask)  # booleans, or None where all is causal


def _base_of(model: Any) -> Any:
    """Return the part of a model that holds its layers; raise for a model that cannot be given an encoding."""
    if not isinstance(model, _library().PreTrainedModel):
        raise InvalidOptionError(
            f"attach takes a model of the transformers library; found {type(model).__name__}.",
            hint="hand in the model itself; for a model of your own there is lengthwise.encodings.Attention.",
        )
    config = model.config
    if config.model_type not in ARCHITECTURES:
        raise InvalidOptionError(
            f"models of type {config.model_type!r} cannot be given another encoding. "
            f"Supported: {', '.join(ARCHITECTURES)}.",
            hint="choose a decoder of a supported type; for a model of your own there is lengthwise.encodings.Attention.",
        )
    if not getattr(config, "is_causal", True):
        raise InvalidOptionError(
            "encodings are for causal models, in which a token sees those before it; found is_causal=False.",
            hint="leave is_causal out of the model's config.",
        )
    if getattr(config, "add_cross_attention", False):
        raise InvalidOptionError(
            "an attached encoding knows the places of one text; found add_cross_attention=True, for two.",
            hint="leave add_cross_attention out of the model's config.",
        )
    cap = getattr(config, "attn_logit_softcapping", None)
    if cap is not None:
        raise InvalidOptionError(
            f"the scores of this model are capped, and an encoding adds to scores without a cap; "
            f"found attn_logit_softcapping={cap!r}.",
            hint="set attn_logit_softcapping=None in the model's config before the model is made.",
        )
    devices = sorted({str(parameter.device) for parameter in model.parameters()})
    if len(devices) > 1:
        raise InvalidOptionError(
            f"an encoding can be attached to a model on one device; found {', '.join(devices)}.",
            hint="load the model without device_map.",
        )
    return model.base_model


def _accepted(name: str) -> Choice:
    """Return the encoding of a name; raise for one that these models cannot have."""
    choice = named(name)
    refuse_scale(choice)
    for part in choice.parts:
        why = REFUSED.get(part.card.ids_from)
        if why is not None:
            raise InvalidOptionError(
                f"encoding {choice.name!r} cannot be attached to a model of Hugging Face: {why}.",
                hint="choose another; lengthwise list encodings shows all.",
            )
    return choice


def _hand_on(table_ND: torch.Tensor, encoding: Encoding) -> None:
    """Let a table of positions begin with that of the model, as far as it goes."""
    for part in encoding.modules():
        if isinstance(part, Learned):
            rows = min(len(table_ND), part.table_MND.shape[1])
            with torch.no_grad():
                part.table_MND[0, :rows] = table_ND[:rows].to(part.table_MND)


def _name_in(config: Any) -> str:
    told = getattr(config, PART)
    return str(told.get("encoding")) if isinstance(told, dict) else str(told)


def _told(config: Any, folder: Path, given: str | None) -> dict[str, Any]:
    """Return what the config of a saved model says of its encoding; ``given`` names it where it is a file."""
    told = getattr(config, PART, None)
    needed = {"encoding", "max_length", "trained", "revision"}
    if not isinstance(told, dict) or set(told) - {_SHIFT} != needed or type(told.get(_SHIFT, False)) is not bool:
        raise InvalidOptionError(
            f"the model in {str(folder)!r} was not saved with an encoding of lengthwise.",
            hint="load it with the class's own from_pretrained, and attach an encoding.",
        )
    saved = str(told["encoding"])
    if given is None and encoding_files(saved):
        raise InvalidOptionError(
            f"the model in {str(folder)!r} was saved with the encoding {saved!r}, which is a file, and a folder's word runs "
            "none.",
            hint=f"if you trust the file, name it: load(path, encoding={saved!r}).",
        )
    choice = _accepted(saved if given is None else given)
    if told["revision"] != choice.revision:
        raise InvalidOptionError(
            f"the model in {str(folder)!r} was saved with revision {told['revision']!r} of encoding {choice.name!r}; "
            f"this version of lengthwise computes revision {choice.revision}.",
            hint="load it with the version that it was saved with.",
        )
    known = {"encoding": choice.name, "max_length": told["max_length"], "trained": told["trained"]}
    return known | {_SHIFT: told.get(_SHIFT, False)}


def _read_weights(positions: nn.Module, folder: Path) -> None:
    """Read what an encoding has learned from the files of a model."""
    index = folder / "model.safetensors.index.json"
    names = ["model.safetensors"]
    if index.exists():
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    mark, read = f"{PART}.encoding.", {}
    safe_open = import_module("safetensors").safe_open
    for name in names:
        with safe_open(folder / name, framework="pt") as file:
            for key in file.keys():  # noqa: SIM118, the file is no dict
                before, found, after = key.partition(mark)
                if found and (not before or before.endswith(".")):
                    read[f"encoding.{after}"] = file.get_tensor(key)
    device = next(iter(positions.parameters()), torch.empty(0)).device
    wanted = positions.state_dict()
    shapes = {key: tuple(tensor.shape) for key, tensor in wanted.items()}
    if {key: tuple(tensor.shape) for key, tensor in read.items()} != shapes:
        raise UnreadableFileError(
            f"the weights of the encoding in {str(folder)!r} are not those that its config speaks of.",
            hint="save the model again with save_pretrained.",
        )
    positions.load_state_dict(read, assign=True)
    positions.to(device)


@contextmanager
def _quiet(library: Any) -> Iterator[None]:
    """Keep the library from warning of weights that it does not know: those of the encoding, which are read after."""
    before = library.logging.get_verbosity()
    library.logging.set_verbosity_error()
    try:
        yield
    finally:
        library.logging.set_verbosity(before)
