"""Encodings against implementations that nobody here wrote: decoders and attention layers of the transformers library.

All models are tiny, with random weights; nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

os.environ.setdefault("HF_HUB_OFFLINE", "1")
transformers = pytest.importorskip("transformers")

from lengthwise.encodings import attach  # noqa: E402
from lengthwise.encodings.core.attend import attend  # noqa: E402
from lengthwise.encodings.core.base import Fit, Where  # noqa: E402
from lengthwise.encodings.core.build import make_encoding  # noqa: E402
from lengthwise.errors import InvalidOptionError  # noqa: E402

TRAINED = 64
SIZES = {
    "vocab_size": 50,
    "hidden_size": 64,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": None,
}


@pytest.fixture(autouse=True)
def quiet_and_without_gradients() -> Iterator[None]:
    before = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    with torch.no_grad(), torch.random.fork_rng():
        yield
    transformers.logging.set_verbosity(before)


def make(kind: str, rotary: dict[str, Any], **more: Any) -> Any:
    """Return a stock model with random weights, the same ones every time."""
    torch.manual_seed(0)
    parameters = {"rope_type": "default", "rope_theta": 5000.0} | rotary
    config = getattr(transformers, f"{kind}Config")(**(SIZES | {"rope_parameters": parameters} | more))
    return getattr(transformers, f"{kind}ForCausalLM")(config).eval()


def llama(rotary: dict[str, Any]) -> Any:
    """Return a Llama whose rotations were stretched from 64 positions to 256."""
    return make("Llama", {"original_max_position_embeddings": TRAINED} | rotary, max_position_embeddings=4 * TRAINED)


def words(length: int) -> Tensor:
    return torch.randint(3, 50, (2, length), generator=torch.Generator().manual_seed(1))


def assert_same_logits(stock: Any, model: Any, *lengths: int, atol: float = 1e-3) -> None:
    for length in lengths:
        torch.testing.assert_close(
            model(words(length)).logits, stock(words(length)).logits, atol=atol, rtol=1e-4, msg=f"at {length} tokens"
        )


@pytest.mark.parametrize(
    ("width", "share"), [(16, 0.25), (20, 0.25), (20, 0.35), (20, 0.5), (10, 0.5), (16, 0.7), (12, 1.0), (6, 0.2)]
)
def test_partial_rotations_are_those_of_gpt_neox(width: int, share: float) -> None:
    """Also where the share of the width is odd or no whole number: GPT-NeoX rounds it down and turns the last half pair too."""
    rotary, sizes = {"partial_rotary_factor": share}, {"hidden_size": 4 * width, "max_position_embeddings": TRAINED}
    stock, model = (make("GPTNeoX", rotary, **sizes) for _ in range(2))
    assert_same_logits(stock, attach(model, f"rope_partial(base=5000, share={share})"), 40)


@pytest.mark.parametrize(
    ("rotary", "options"),
    [
        ({}, ""),
        ({"mscale": 0.707, "mscale_all_dim": 0.707}, "mscale=0.707, mscale_all=0.707"),
        ({"mscale": 1.0, "mscale_all_dim": 0.4}, "mscale_all=0.4"),
        ({"mscale": 2.0, "mscale_all_dim": 0.5}, "mscale=2, mscale_all=0.5"),
        ({"attention_factor": 1.3}, "attention=1.3"),
        ({"attention_factor": 1.0, "mscale": 2.0, "mscale_all_dim": 1.0}, "attention=1, mscale=2, mscale_all=1"),
        ({"beta_fast": 8, "beta_slow": 2}, "fast=8, slow=2"),
        ({"truncate": False}, "truncate=false"),
    ],
)
def test_yarn_is_that_of_the_library(rotary: dict[str, Any], options: str) -> None:
    stock, model = (llama({"rope_type": "yarn", "factor": 4.0} | rotary) for _ in range(2))
    name = f"yarn(base=5000, factor=4, trained={TRAINED}, {options})"
    assert_same_logits(stock, attach(model, name), 30, 200)


LONG = [1.0, 1.1, 1.3, 2.0, 2.5, 3.0, 3.7, 4.0]
SHORT = [1.0, 1.0, 1.02, 1.05, 1.1, 1.1, 1.2, 1.25]


@pytest.mark.parametrize("short", [[1.0] * 8, SHORT], ids=["ones", "short"])
def test_longrope_takes_the_factors_of_a_model(short: list[float]) -> None:
    rotary = {"rope_type": "longrope", "factor": 4.0, "long_factor": LONG, "short_factor": short}
    stock, model = (llama(rotary) for _ in range(2))
    factors = f"long=({', '.join(map(str, LONG))}), short=({', '.join(map(str, short))})"
    model = attach(model, f"longrope(base=5000, factor=4, trained={TRAINED}, {factors})")
    assert_same_logits(stock, model, 30, TRAINED, TRAINED + 1, 200)


def test_other_scalings_of_rotations_are_those_of_the_library() -> None:
    stock, model = (llama({"rope_type": "linear", "factor": 4.0}) for _ in range(2))
    assert_same_logits(stock, attach(model, "pi(base=5000, factor=4)"), 30, 200)
    rotary = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    stock, model = (llama(rotary) for _ in range(2))
    assert_same_logits(stock, attach(model, f"llama3(base=5000, factor=4, trained={TRAINED})"), 30, 200)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # in the library's own module
@pytest.mark.parametrize("index", ["paper", "released"])
def test_deberta_is_that_of_the_paper_or_the_released_code(index: str) -> None:
    """The paper looks keys up at r(j − i), its released code, and the library after it, at r(i − j)."""
    heads, width, clip, length = 2, 8, 5, 13
    torch.manual_seed(0)
    config = transformers.DebertaConfig(
        hidden_size=heads * width,
        num_attention_heads=heads,
        relative_attention=True,
        max_relative_positions=clip,
        pos_att_type=["c2p", "p2c"],
    )
    from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention

    stock = DisentangledSelfAttention(config).eval()
    for parameter in stock.parameters():
        parameter.normal_(std=0.5)
    stock.pos_q_proj.bias.zero_()  # ours has none
    x, table = torch.randn(1, length, heads * width), torch.randn(2 * clip, heads * width)
    place = torch.arange(length)
    causal = (place[None] <= place[:, None])[None, None]
    delta = (place[:, None] - place)[None]
    expected = stock(x, causal, relative_pos=delta, rel_embeddings=table)[0][0]

    fit = Fit(num_heads=heads, head_width=width, width=heads * width, max_length=40, trained=20)
    encoding = make_encoding(f"deberta(clip={clip}, index={index})", fit).at_layer(0)
    encoding.get_parameter("table_MND").copy_(table)
    for name, layer in (("queries_MDHK", stock.pos_q_proj), ("keys_MDHK", stock.pos_proj)):
        encoding.get_parameter(name).copy_(layer.weight.T.unflatten(1, (heads, width)))
    q, k, v = stock.transpose_for_scores(stock.in_proj(x)).chunk(3, dim=-1)
    q, v = (part + stock.transpose_for_scores(b[None, None]) for part, b in ((q, stock.q_bias), (v, stock.v_bias)))
    at = Where(place[None, None], place[None, None], place[None, None])
    found = attend(q, k, v, x[None], encoding, at, at).transpose(1, 2).flatten(2)[0]
    difference = (found - expected).abs().max().item()
    assert difference < 1e-5 if index == "released" else difference > 0.1


def test_factors_that_do_not_fit_are_refused() -> None:
    fit = Fit(num_heads=2, head_width=8, width=16, max_length=40, trained=20)
    for options, message in (
        ("long=(1, 2, 3)", "longrope has 4 pairs of channels in heads of width 8; long lists 3 factors."),
        ("short=(1, 2)", "longrope has 4 pairs of channels in heads of width 8; short lists 2 factors."),
    ):
        with pytest.raises(InvalidOptionError) as refused:
            make_encoding(f"longrope({options})", fit)
        assert (
            str(refused.value) == f"{message}\nhint: write one factor for each pair, the fastest first, or one for all."
        )
    assert make_encoding("longrope(long=(1, 2, 3, 4), short=2)", fit) is not None
