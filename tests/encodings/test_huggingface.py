"""Encodings in decoders of Hugging Face: equal to the stock model, with padding, caches and long inputs; files; refusals.

All models are tiny, with random weights; nothing is downloaded.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

os.environ.setdefault("HF_HUB_OFFLINE", "1")
transformers = pytest.importorskip("transformers")

from lengthwise.encodings import attach, load  # noqa: E402
from lengthwise.encodings.catalog import ENCODINGS  # noqa: E402
from lengthwise.encodings.core.choice import find_encoding  # noqa: E402
from lengthwise.encodings.hf.attach import ARCHITECTURES, REFUSED  # noqa: E402
from lengthwise.errors import InvalidOptionError, MissingExtraError, UnreadableFileError  # noqa: E402
from lengthwise.extras import install_hint  # noqa: E402

VOCABULARY, TRAINED = 50, 64
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": TRAINED,
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": None,
}
GROUPED = {"intermediate_size": 48, "num_key_value_heads": 2}
GEMMA = GROUPED | {
    "head_dim": 16,
    "query_pre_attn_scalar": 24,
    "sliding_window": 6,
}  # scores times 24^(−1/2), not 16^(−1/2)
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gpt2": ("GPT2", "LMHeadModel", {}),
    "gpt_neox": ("GPTNeoX", "ForCausalLM", {"intermediate_size": 48}),
    "llama": ("Llama", "ForCausalLM", GROUPED),
    "mistral": ("Mistral", "ForCausalLM", GROUPED | {"head_dim": 8}),
    "qwen2": ("Qwen2", "ForCausalLM", GROUPED),
    "qwen3": ("Qwen3", "ForCausalLM", GROUPED | {"head_dim": 16}),
    "gemma": ("Gemma", "ForCausalLM", GROUPED | {"head_dim": 16}),
    "gemma2": ("Gemma2", "ForCausalLM", GEMMA | {"attn_logit_softcapping": None}),
    "gemma3_text": ("Gemma3", "ForCausalLM", GEMMA),
    "phi": ("Phi", "ForCausalLM", GROUPED),
    "phi3": ("Phi3", "ForCausalLM", GROUPED | {"pad_token_id": None}),
    "olmo": ("Olmo", "ForCausalLM", GROUPED | {"clip_qkv": 1.5}),
    "olmo2": ("Olmo2", "ForCausalLM", GROUPED),
    "olmo3": ("Olmo3", "ForCausalLM", GROUPED | {"sliding_window": 6}),
    "smollm3": ("SmolLM3", "ForCausalLM", GROUPED | {"pad_token_id": None, "tie_word_embeddings": True}),
}
PARTIAL = "rope_partial(base=5000, share=0.25)"
OWN = {
    "gpt2": "learned",
    "gpt_neox": PARTIAL,
    "phi": PARTIAL,
    "smollm3": "interleaved(rope(base=5000), nope, every=4)",
}  # the encoding that each was made with
HINTED = ("scale_hint", "ipe", "lbpe", "lbpe_grown", "lbpe_found", "lbpe_mlp")
NOT_FOR_TEXT = {"abacus": "digits", "coupling": "roles", "random_float": "fractions", "randomized": "sample"}
READS_STREAM = ("fox", "path", "relative_projection", "rpe_square")
NAMES = [name for name in ENCODINGS if name not in (*NOT_FOR_TEXT, *HINTED)]
NAMES += ["window(t5)", "window(fire, window=3)", "interleaved(rope, alibi)", "dape(alibi)", "window(fox)"]
FEW = ["alibi", "fire", "learned", "rope", "stick_breaking", "t5"]


@pytest.fixture(autouse=True)
def quiet_and_without_gradients() -> Iterator[None]:
    before = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    with torch.no_grad(), torch.random.fork_rng():
        yield
    transformers.logging.set_verbosity(before)


def make(kind: str = "llama", *, ending: str = "", **more: Any) -> Any:
    """Return a stock model with random weights, the same ones every time."""
    name, usual, sizes = KINDS[kind]
    torch.manual_seed(0)
    rotary = {} if kind == "gpt2" else {"rope_parameters": {"rope_type": "default", "rope_theta": 5000.0}}
    if kind in ("gpt_neox", "phi"):
        rotary["rope_parameters"]["partial_rotary_factor"] = 0.25  # type: ignore[assignment]
    if kind in ("gemma3_text", "olmo3"):  # a base for each type of layer
        types = ("sliding_attention", "full_attention")[-more.get("num_hidden_layers", 2) :]
        rotary = {"rope_parameters": dict.fromkeys(types, rotary["rope_parameters"]), "layer_types": list(types)}
    if kind == "smollm3":  # every fourth layer is without positions
        more = {"num_hidden_layers": 4} | more
    config = getattr(transformers, name + ("TextConfig" if kind == "gemma3_text" else "Config"))(
        **(SIZES | sizes | rotary | more)
    )
    return getattr(transformers, name + (ending or usual))(config).eval()


def words(batch: int = 1, length: int = 11, *, seed: int = 1) -> Tensor:
    return torch.randint(3, VOCABULARY, (batch, length), generator=torch.Generator().manual_seed(seed))


def padded() -> dict[str, Tensor]:
    """Return two texts, the second shorter and padded on its left."""
    tokens = torch.cat([words(), torch.cat([torch.zeros(1, 4, dtype=torch.long), words(1, 7, seed=2)], dim=1)])
    mask = torch.ones_like(tokens)
    mask[1, :4] = 0
    return {"input_ids": tokens, "attention_mask": mask}


def generated(model: Any, inputs: dict[str, Tensor] | None = None, **options: Any) -> tuple[Tensor, Tensor]:
    """Return what a model writes, always the likeliest token, and its logits on the way."""
    settings = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0, "disable_compile": True} | options
    told = model.generate(
        **(padded() if inputs is None else inputs), **settings, output_logits=True, return_dict_in_generate=True
    )
    return told.sequences, torch.stack(told.logits, dim=1)


def assert_close(one: Tensor, other: Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(one, other, atol=atol, rtol=1e-5)


def assert_same_writing(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> None:
    assert torch.equal(one[0], other[0])
    assert_close(one[1], other[1], atol=1e-4)


def refusal(of: Callable[[], object], kind: type[Exception] = InvalidOptionError) -> str:
    """Return what a refusal says."""
    with pytest.raises(kind) as refused:
        of()
    return str(refused.value)


# The stock model


def test_all_architectures_are_tried() -> None:
    assert list(KINDS) == list(ARCHITECTURES)


@pytest.mark.parametrize("kind", KINDS)
def test_the_encoding_that_a_model_was_made_with_changes_nothing(kind: str) -> None:
    stock, model = make(kind), attach(make(kind), OWN.get(kind, "rope(base=5000)"))
    assert_close(model(words(2)).logits, stock(words(2)).logits)
    inputs = padded()
    ids = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)
    seen = inputs["attention_mask"].bool()
    assert_close(model(**inputs).logits[seen], stock(**inputs, position_ids=ids).logits[seen])
    assert_same_writing(generated(model), generated(stock))


@pytest.mark.parametrize("kind", KINDS)
def test_another_encoding_takes_the_place_of_the_models_own(kind: str) -> None:
    stock, model = make(kind), attach(make(kind), "nope")
    tokens, swapped = torch.tensor([[5, 9, 7]]), torch.tensor([[9, 5, 7]])
    assert (model(tokens).logits - stock(tokens).logits).abs().max() > 1e-2
    # with one layer and no positions, the last token sees a set
    model = attach(make(kind, num_hidden_layers=1), "nope")
    assert_close(model(swapped).logits[:, -1], model(tokens).logits[:, -1])
    stock = make(kind, num_hidden_layers=1)
    assert (stock(swapped).logits[:, -1] - stock(tokens).logits[:, -1]).abs().max() > 1e-3


def test_a_small_llama_with_tied_embeddings_is_served_as_smollm_is() -> None:
    more = {"tie_word_embeddings": True, "num_attention_heads": 6, "num_key_value_heads": 2, "hidden_size": 48}
    stock, model = make(**more), attach(make(**more), "rope(base=5000)")
    assert model.lm_head.weight is model.get_input_embeddings().weight
    assert_close(model(words(2)).logits, stock(words(2)).logits)
    assert_same_writing(generated(model), generated(stock))
    for name in ("learned", "fire", "stick_breaking"):
        assert_same_writing(
            generated(attach(make(**more), name)), generated(attach(make(**more), name), use_cache=False)
        )


def test_positions_are_added_to_the_scaled_embeddings_of_gemma() -> None:
    model, base = attach(make("gemma"), "learned"), make("gemma").model
    table = model.model.lengthwise.encoding.table_MND.data.normal_(std=0.3)[0]
    told: list[Tensor] = []
    model.model.layers[0].register_forward_pre_hook(lambda _, args: told.append(args[0]))
    model(words())
    assert_close(told[0], base.embed_tokens(words()) + table[:11])


@pytest.mark.parametrize("more", [{"scale_attn_by_inverse_layer_idx": True}, {"scale_attn_weights": False}], ids=str)
def test_a_scale_of_scores_that_is_the_models_own_is_kept(more: dict[str, bool]) -> None:
    assert_close(attach(make("gpt2", **more), "learned")(words()).logits, make("gpt2", **more)(words()).logits)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("mistral", {"sliding_window": 5}),
        ("qwen2", {"sliding_window": 5, "use_sliding_window": True, "max_window_layers": 1}),
    ],
    ids=["mistral", "qwen2"],
)
def test_a_sliding_window_stays(kind: str, more: dict[str, Any]) -> None:
    stock, model = make(kind, **more), attach(make(kind, **more), "rope(base=5000)")
    assert_close(model(words(2, 20)).logits, stock(words(2, 20)).logits)
    assert_same_writing(generated(model, max_new_tokens=12), generated(stock, max_new_tokens=12))
    for name in ("fire", "stick_breaking"):
        model = attach(make(kind, **more), name)
        assert_same_writing(generated(model), generated(model, use_cache=False))


# Padding and caches


@pytest.mark.parametrize("name", NAMES)
def test_every_encoding_is_right_with_padding_and_with_a_cache(name: str) -> None:
    model = attach(make(), name)
    inputs = padded()
    rows = model(**inputs).logits
    alone = [model(words()).logits[0], model(words(1, 7, seed=2)).logits[0]]
    assert rows.isfinite().all()
    assert_close(rows[0], alone[0], atol=1e-4)
    assert_close(rows[1, 4:], alone[1], atol=1e-4)
    writes = generated(model)
    assert_same_writing(writes, generated(model, use_cache=False))
    assert_same_writing(
        (writes[0][1:, 4:], writes[1][1:]), generated(model, {"input_ids": words(1, 7, seed=2)}, use_cache=False)
    )


@pytest.mark.full
def test_the_encodings_that_read_the_stream_are_those_that_run_without_a_cache() -> None:
    expected = (
        "this encoding reads the stream that enters attention at all tokens, and a cache holds only keys and values.\n"
        "hint: generate with use_cache=False."
    )
    told = {}
    for name in (each for each in ENCODINGS if each not in (*NOT_FOR_TEXT, *HINTED)):
        model = attach(make(), name)
        assert model.config.use_cache == (name not in READS_STREAM)
        try:
            generated(model, use_cache=True)
        except InvalidOptionError as refused:
            told[name] = str(refused)
    assert told == dict.fromkeys(READS_STREAM, expected)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=[pytest.mark.full] * (number > 5 and name not in ("fire", "rope")))
        for number, kind in enumerate(KINDS)
        for name in FEW
    ],
)
def test_with_a_cache_every_architecture_writes_the_same(kind: str, name: str) -> None:
    model = attach(make(kind), name)
    assert_same_writing(generated(model), generated(model, use_cache=False))


@pytest.mark.parametrize("name", FEW)
def test_caches_may_be_of_fixed_size_filled_in_parts_and_reordered(name: str) -> None:
    model = attach(make(), name)
    plain = generated(model)
    assert_same_writing(generated(model, cache_implementation="static"), plain)
    assert torch.equal(generated(model, prefill_chunk_size=3)[0], plain[0])
    beams = model.generate(**padded(), num_beams=3, max_new_tokens=6, do_sample=False, pad_token_id=0)
    again = model.generate(**padded(), num_beams=3, max_new_tokens=6, do_sample=False, pad_token_id=0, use_cache=False)
    assert torch.equal(beams, again)


def test_keys_are_turned_anew_as_an_instance_grows() -> None:
    model = attach(make(num_hidden_layers=1), "dynamic_ntk", trained=8)  # in deeper models, the stream itself changes
    assert_same_writing(generated(model, max_new_tokens=12), generated(model, max_new_tokens=12, use_cache=False))
    rope = attach(make(num_hidden_layers=1), "rope")
    assert_close(model(words(1, 8)).logits, rope(words(1, 8)).logits)
    assert (model(words(1, 9)).logits - rope(words(1, 9)).logits).abs().max() > 1e-3
    assert_close(model(**padded()).logits[1, 4:], rope(words(1, 7, seed=2)).logits[0])  # padding does not count


@pytest.mark.parametrize("name", ["fire", "dynamic_ntk(trained=8)", "fox", "path", "learned", "stick_breaking"])
def test_texts_that_share_a_row_do_not_see_each_other(name: str) -> None:
    model = attach(make(), name)
    tokens, ids = torch.cat([words(), words(1, 6, seed=2)], dim=1), torch.cat([torch.arange(11), torch.arange(6)])
    for options in ({}, {"use_cache": False}, {"use_cache": True}):
        both = model(tokens, position_ids=ids[None], **options).logits
        assert_close(both[:, :11], model(words()).logits, atol=1e-4)
        assert_close(both[:, 11:], model(words(1, 6, seed=2)).logits, atol=1e-4)
    apart = model.train()(tokens.repeat(2, 1), position_ids=torch.stack([ids, torch.arange(17)])).logits
    assert_close(apart[:1, 11:], model(words(1, 6, seed=2)).logits, atol=1e-4)
    assert_close(apart[1:], model(tokens).logits, atol=1e-4)


# The token before


def shifted_by_hand(model: Any) -> Any:
    """Shift what enters every attention layer, for a single text."""

    def shift(_module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        stream = args[0] if args else kwargs["hidden_states"]
        half = stream.shape[-1] // 2
        mixed = stream.clone()
        mixed[:, 1:, half:], mixed[:, 0, half:] = stream[:, :-1, half:], 0
        return ((mixed, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": mixed})

    base = model.base_model
    for layer in getattr(base, "layers", None) or base.h:
        part = next(
            getattr(layer, name)
            for name in ("self_attn", "attn", "attention")
            if getattr(layer, name, None) is not None
        )
        part.register_forward_pre_hook(shift, with_kwargs=True)
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_what_enters_attention_may_come_from_the_token_before(kind: str) -> None:
    shifted = attach(make(kind), "fire", token_shift=True)
    assert_close(shifted(words()).logits, shifted_by_hand(attach(make(kind), "fire"))(words(), use_cache=False).logits)
    with torch.no_grad():
        assert not torch.allclose(shifted(words()).logits, attach(make(kind), "fire")(words()).logits)


@pytest.mark.parametrize("name", ["nope", "periodic", "counters", "rope", "fox"])
def test_a_shift_stays_within_a_text_and_out_of_padding(name: str) -> None:
    model = attach(make(), name, token_shift=True)
    tokens, ids = torch.cat([words(), words(1, 6, seed=2)], dim=1), torch.cat([torch.arange(11), torch.arange(6)])
    both = model(tokens, position_ids=ids[None]).logits
    assert_close(both[:, :11], model(words()).logits, atol=1e-4)
    assert_close(both[:, 11:], model(words(1, 6, seed=2)).logits, atol=1e-4)
    assert_close(model(**padded()).logits[1, 4:], model(words(1, 7, seed=2)).logits[0], atol=1e-4)


def test_a_shifted_model_writes_without_a_cache_and_is_read_again(tmp_path: Path) -> None:
    model = attach(make(), "counters", token_shift=True)
    assert model.config.use_cache is False
    written, _ = generated(model, {"input_ids": words()})
    tokens = words()
    for _ in range(6):
        tokens = torch.cat([tokens, model(tokens).logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    assert torch.equal(written, tokens)
    model.save_pretrained(tmp_path)
    again = load(tmp_path)
    assert again.config.lengthwise["token_shift"] is True
    assert_close(again(tokens).logits, model(tokens).logits)
    assert "use_cache=False" in refusal(lambda: generated(model, {"input_ids": words()}, use_cache=True))
    pairs = torch.ones(1, 1, 11, 11, dtype=torch.bool).tril()
    assert "every pair of tokens" in refusal(lambda: model(words(), attention_mask=pairs))
    assert "found dict" in refusal(lambda: model(words(), attention_mask={"full_attention": None}))
    assert "True or False" in refusal(lambda: attach(make(), "rope", token_shift=1))  # type: ignore[arg-type]
    plain = attach(model, "rope")
    assert plain.config.use_cache is True
    assert "token_shift" not in plain.config.lengthwise


@pytest.mark.parametrize("kind", KINDS)
def test_texts_share_a_row_in_every_architecture(kind: str) -> None:
    model = attach(make(kind, **({"sliding_window": 4} if kind == "mistral" else {})), "dynamic_ntk(trained=8)")
    tokens = torch.cat([words(1, 1), words(), words(1, 6, seed=2)], dim=1)
    ids = torch.cat([torch.arange(length) for length in (1, 11, 6)])[None]
    for use_cache in (False, True):
        found = model(tokens, position_ids=ids, use_cache=use_cache).logits
        for first, text in ((0, words(1, 1)), (1, words()), (12, words(1, 6, seed=2))):
            assert_close(found[:, first : first + text.shape[1]], model(text).logits, atol=1e-4)


def test_ids_that_leave_some_out_are_of_one_text() -> None:
    model, ids = attach(make(), "rope(base=5000)"), torch.arange(0, 33, 3)[None]
    want = make()(words(), position_ids=ids, use_cache=True).logits  # the stock model does not look for texts then
    for use_cache in (False, True):
        assert_close(model(words(), position_ids=ids, use_cache=use_cache).logits, want)


def test_ids_may_be_fractions_where_the_encoding_is_a_formula() -> None:
    ids = torch.arange(11)[None] / 4
    want = attach(make(), "pi(factor=4)")(words()).logits
    for options in ({}, {"use_cache": False}, {"attention_mask": torch.ones(1, 11)}):
        assert_close(attach(make(), "rope")(words(), position_ids=ids, **options).logits, want)
        for name in ("fire", "dynamic_ntk(trained=8)", "alibi", "sinusoidal", "xpos"):
            assert attach(make(), name)(words(), position_ids=ids, **options).logits.isfinite().all()
    model = attach(make(), "rope")
    past = model(words(), position_ids=torch.arange(11.0)[None], use_cache=True).past_key_values
    new = words(1, 1, seed=3)
    found = model(new, position_ids=torch.tensor([[11.0]]), past_key_values=past).logits
    assert_close(found, model(torch.cat([words(), new], dim=1)).logits[:, -1:])
    assert refusal(lambda: attach(make(), "learned")(words(), position_ids=ids)) == (
        "a table of positions has rows for whole numbers only; the ids given are fractions.\n"
        "hint: choose an encoding that is a formula, for example sinusoidal or rope."
    )
    assert refusal(lambda: attach(make(), "t5")(words(), position_ids=ids)) == (
        "a table of distances has rows for whole numbers only; the ids given are fractions (torch.float32).\n"
        "hint: choose an encoding that is a formula, for example alibi, kerple_log or rope."
    )


def test_right_padding_before_a_cached_token_is_not_counted() -> None:
    model = attach(make(), "fire")
    tokens, new = torch.cat([words(1, 7), torch.zeros(1, 3, dtype=torch.long)], dim=1), words(1, 1, seed=3)
    mask = torch.cat([torch.ones(1, 7), torch.zeros(1, 3), torch.ones(1, 1)], dim=1).long()
    past = model(tokens, attention_mask=mask[:, :-1], use_cache=True).past_key_values
    found = model(new, attention_mask=mask, past_key_values=past).logits
    assert_close(found, model(torch.cat([words(1, 7), new], dim=1)).logits[:, -1:])


def test_a_model_may_be_given_embeddings_or_its_arguments_in_order() -> None:
    for kind in ("gpt2", "llama"):
        for name in ("learned", "fire"):
            model = attach(make(kind), name)
            want = model(words()).logits
            embedded = model.get_input_embeddings()(words())
            assert_close(model(inputs_embeds=embedded).logits, want)
    base = attach(make(ending="Model"), "fire")
    inputs = padded()
    want = base(**inputs).last_hidden_state
    assert torch.equal(base(inputs["input_ids"], inputs["attention_mask"]).last_hidden_state, want)


# Length


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_tokens_past_the_trained_length_are_read(kind: str) -> None:
    model, tokens = attach(make(kind), "fire(hidden=4)"), words(1, TRAINED + 1000)
    whole = model(tokens).logits
    assert whole.isfinite().all()
    past = model(tokens[:, :-1], use_cache=True).past_key_values
    assert_close(model(tokens[:, -1:], past_key_values=past).logits, whole[:, -1:], atol=1e-4)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "gpt2"])
def test_rotations_past_the_trained_length_are_those_of_the_stock_model(kind: str) -> None:
    tokens = words(1, TRAINED + 1000)
    model = attach(make(kind), OWN.get(kind, "rope(base=5000)"))
    assert_close(model(tokens).logits, make(kind)(tokens).logits, atol=3e-3)


# Training


@pytest.mark.parametrize("name", [name for name in NAMES if find_encoding(name).card.parameters != "0"])
def test_everything_that_is_learned_gets_a_gradient(name: str) -> None:
    model = attach(make(), name).train()
    with torch.enable_grad():
        model(words(2), labels=words(2)).loss.backward()
    parts = dict(model.model.lengthwise.named_parameters())
    assert parts
    for key, parameter in parts.items():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().max() > 0, key


def test_the_table_of_a_model_is_neither_read_nor_trained_but_handed_on() -> None:
    stock, model = make("gpt2"), attach(make("gpt2"), "fire").train()
    with torch.enable_grad():
        model(words(), labels=words()).loss.backward()
    table = model.transformer.wpe.weight
    assert not table.requires_grad
    assert torch.equal(table, stock.transformer.wpe.weight)
    attach(model.eval(), "learned", max_length=100)
    assert_close(model(words()).logits, stock(words()).logits)
    rows = model.transformer.lengthwise.encoding.table_MND[0]
    assert torch.equal(rows[:TRAINED], stock.transformer.wpe.weight)
    assert rows[TRAINED:].std() == pytest.approx(0.02, rel=0.1)


def test_layers_may_be_computed_again_for_their_gradients() -> None:
    for name in ("fire", "fox", "learned"):
        grads = []
        for again in (False, True):
            model = attach(make(), name).train()
            if again:
                model.gradient_checkpointing_enable()
            with torch.enable_grad():
                model(words(2), labels=words(2)).loss.backward()
            grads.append({key: parameter.grad for key, parameter in model.named_parameters()})
        for key, gradient in grads[0].items():
            assert_close(gradient, grads[1][key])


def test_random_offsets_are_drawn_in_training_only() -> None:
    for name in ("ape", "offset(sinusoidal)"):
        model = attach(make(), name, max_length=40)
        still = model(words()).logits
        assert torch.equal(model(words()).logits, still)
        model.train()
        torch.manual_seed(4)
        moved = model(words()).logits
        assert (moved - still).abs().max() > 1e-3
        torch.manual_seed(4)
        assert torch.equal(model(words()).logits, moved)
    model, seen = attach(make(), "ape", max_length=14).train(), set()
    for _ in range(60):
        with torch.enable_grad():
            model.zero_grad()
            model(words(1, 11)).logits.square().sum().backward()
        rows = model.model.lengthwise.encoding.table_MND.grad[0].abs().sum(-1) > 0
        seen.add((int(rows.nonzero().min()), int(rows.nonzero().max())))
    assert seen == {(offset, offset + 10) for offset in range(4)}


def test_dropout_is_that_of_the_model() -> None:
    for kind, word in (("gpt2", "attn_pdrop"), ("llama", "attention_dropout")):
        for name in ("fire", "rope", "stick_breaking"):
            model = attach(make(kind, **{word: 0.5, "resid_pdrop": 0.0, "embd_pdrop": 0.0}), name)
            assert torch.equal(model(words()).logits, model(words()).logits)
            model.train()
            assert not torch.equal(model(words()).logits, model(words()).logits)


def test_the_encoding_moves_with_the_model_and_a_copy_is_another_model() -> None:
    model = attach(make(), "fire")
    want = model(words()).logits
    twin = copy.deepcopy(model)
    twin.model.lengthwise.encoding.at_layer(0).out_weight_MFH.mul_(30)
    assert torch.equal(model(words()).logits, want)
    assert not torch.equal(twin(words()).logits, want)
    for dtype in (torch.bfloat16, torch.float64):
        model.to(dtype)
        assert {part.dtype for part in model.model.lengthwise.parameters()} == {dtype}
        assert model(words()).logits.dtype == dtype
    assert attach(make().to(torch.bfloat16), "fire")(words()).logits.dtype == torch.bfloat16


def test_an_encoding_takes_the_place_of_the_one_before() -> None:
    model = make()
    for name, uses_cache in (("fire", True), ("fox", False), ("path", False), ("t5", True)):
        attach(model, name)
        assert model.config.lengthwise["encoding"] == name
        assert (model.config.use_cache, model.generation_config.use_cache) == (uses_cache, uses_cache)
        assert torch.equal(model(words()).logits, attach(make(), name)(words()).logits)
    assert not torch.equal(attach(make(), "fire", seed=1)(words()).logits, attach(make(), "fire")(words()).logits)
    stock = make()
    assert stock.config._attn_implementation == "sdpa"
    assert not hasattr(stock.model, "lengthwise")


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*FEW, "fox"])
def test_models_compile_as_one_graph(kind: str, name: str) -> None:
    model, inputs = attach(make(kind), name), padded()
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    seen = inputs["attention_mask"].bool()
    assert_close(compiled(**inputs, use_cache=False).logits[seen], model(**inputs).logits[seen])


# Files


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("name", ["fire(hidden=5)", "t5", "learned", "window(kerple_log, window=3)", "rope", "fox"])
def test_what_was_saved_is_read_again(kind: str, name: str, tmp_path: Path) -> None:
    model = attach(make(kind), name, max_length=40, trained=20, seed=5)
    for parameter in model.base_model.lengthwise.parameters():
        parameter.add_(0.01)
    model.save_pretrained(tmp_path, max_shard_size="8KB" if name == "t5" else "1GB")
    assert (len(list(tmp_path.glob("*.safetensors"))) > 1) == (name == "t5")
    again = load(tmp_path)
    assert type(again) is type(model)
    revision = find_encoding(name).revision
    assert again.config.lengthwise == {"encoding": name, "max_length": 40, "trained": 20, "revision": revision}
    state, read = model.state_dict(), again.state_dict()
    assert set(read) == set(state)
    assert all(torch.equal(read[key], state[key]) for key in state)
    assert torch.equal(again(words()).logits, model(words()).logits)
    assert_same_writing(generated(again), generated(model))
    assert not again.training
    again.save_pretrained(tmp_path / "twice")
    assert torch.equal(load(tmp_path / "twice")(words()).logits, model(words()).logits)


def test_precision_and_class_are_as_saved_or_as_asked_for(tmp_path: Path) -> None:
    model = attach(make().to(torch.bfloat16), "fire")
    model.save_pretrained(tmp_path)
    again = load(tmp_path)
    assert (again.dtype, again.model.lengthwise.encoding.at_layer(0).slope_M.dtype) == (torch.bfloat16, torch.float32)
    assert torch.equal(again(words()).logits, model(words()).logits)
    assert load(tmp_path, dtype=torch.float32).dtype == torch.float32
    base = load(tmp_path, kind=transformers.LlamaModel)
    assert torch.equal(base(words()).last_hidden_state, model.model(words()).last_hidden_state)


def test_a_model_that_is_loaded_without_its_encoding_does_not_run(tmp_path: Path) -> None:
    attach(make(), "fire").save_pretrained(tmp_path)
    plain = transformers.AutoModelForCausalLM.from_pretrained(tmp_path)
    assert refusal(lambda: plain(words())) == (
        "this model is to run with an encoding of lengthwise, but none is attached to it.\n"
        "hint: load it with lengthwise.encodings.load, or attach one with lengthwise.encodings.attach."
    )
    assert refusal(lambda: attach(plain, "fire")) == (
        "this model was saved with encoding 'fire', whose weights have not been loaded.\n"
        "hint: read it with lengthwise.encodings.load(path), or say del model.config.lengthwise to begin anew."
    )
    del plain.config.lengthwise
    assert torch.equal(attach(plain, "fire")(words()).logits, attach(make(), "fire")(words()).logits)


@pytest.mark.full
def test_where_lengthwise_is_not_imported_the_library_refuses_the_model(tmp_path: Path) -> None:
    attach(make(), "fire").save_pretrained(tmp_path)
    script = "import sys, transformers; transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'Specified `attn_implementation="lengthwise"` is not supported' in done.stderr


def test_files_that_are_not_what_they_should_be_are_refused(tmp_path: Path) -> None:
    assert refusal(lambda: load(tmp_path / "none"), UnreadableFileError) == (
        f"{str(tmp_path / 'none')!r} is not a folder.\n"
        "hint: hand in a folder that save_pretrained wrote; download it first."
    )
    make().save_pretrained(tmp_path / "stock")
    assert refusal(lambda: load(tmp_path / "stock")) == (
        f"the model in {str(tmp_path / 'stock')!r} was not saved with an encoding of lengthwise.\n"
        "hint: load it with the class's own from_pretrained, and attach an encoding."
    )
    good = tmp_path / "good"
    attach(make(), "fire").save_pretrained(good)

    def changed(**changes: object) -> Path:
        folder = tmp_path / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        for key, value in changes.items():
            (config["lengthwise"] if key in config["lengthwise"] else config)[key] = value
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        return folder

    folder = changed(revision=7)
    assert refusal(lambda: load(folder)) == (
        f"the model in {str(folder)!r} was saved with revision 7 of encoding 'fire'; "
        f"this version of lengthwise computes revision {find_encoding('fire').revision}.\n"
        "hint: load it with the version that it was saved with."
    )
    for encoding in ("t5", "fire(hidden=5)", "rope"):
        folder = changed(encoding=encoding, revision=find_encoding(encoding).revision)
        assert refusal(lambda: load(folder), UnreadableFileError) == (  # noqa: B023
            f"the weights of the encoding in {str(folder)!r} are not those that its config speaks of.\n"
            "hint: save the model again with save_pretrained."
        )
    folder = changed(num_hidden_layers=3)
    assert refusal(lambda: load(folder), UnreadableFileError).startswith(
        f"weights are missing in {str(folder)!r}: model.layers.2.input_layernorm.weight, "
    )
    folder = changed(architectures=["MyModel"])
    assert refusal(lambda: load(folder)) == (
        f"the class 'MyModel' of the model in {str(folder)!r} is not one of the library.\n"
        "hint: hand in the class itself, as kind=."
    )


# Refusals


def test_models_that_cannot_have_an_encoding_are_refused() -> None:
    own = "for a model of your own there is lengthwise.encodings.Attention."
    assert refusal(lambda: attach(torch.nn.Linear(2, 2), "fire")) == (
        f"attach takes a model of the transformers library; found Linear.\nhint: hand in the model itself; {own}"
    )
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48}
    encoder = transformers.BertModel(transformers.BertConfig(vocab_size=50, **small))
    assert refusal(lambda: attach(encoder, "fire")) == (
        "models of type 'bert' cannot be given another encoding. "
        "Supported: gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, phi, phi3, olmo, olmo2, "
        "olmo3, smollm3.\n"
        f"hint: choose a decoder of a supported type; {own}"
    )
    assert refusal(lambda: attach(make(is_causal=False), "fire")) == (
        "encodings are for causal models, in which a token sees those before it; found is_causal=False.\n"
        "hint: leave is_causal out of the model's config."
    )
    assert refusal(lambda: attach(make("gpt2", add_cross_attention=True), "fire")) == (
        "an attached encoding knows the places of one text; found add_cross_attention=True, for two.\n"
        "hint: leave add_cross_attention out of the model's config."
    )
    assert refusal(lambda: attach(make("gemma2", attn_logit_softcapping=50.0), "fire")) == (
        "the scores of this model are capped, and an encoding adds to scores without a cap; "
        "found attn_logit_softcapping=50.0.\n"
        "hint: set attn_logit_softcapping=None in the model's config before the model is made."
    )
    spread = make()
    spread.lm_head.to("meta")
    assert refusal(lambda: attach(spread, "fire")) == (
        "an encoding can be attached to a model on one device; found cpu, meta.\n"
        "hint: load the model without device_map."
    )


@pytest.mark.parametrize("name", [*NOT_FOR_TEXT, "window(randomized(rope))"])
def test_encodings_that_text_has_no_ids_for_are_refused(name: str) -> None:
    model = make()
    word = "randomized" if "(" in name else name
    assert refusal(lambda: attach(model, name)) == (
        f"encoding {name!r} cannot be attached to a model of Hugging Face: {REFUSED[NOT_FOR_TEXT[word]]}.\n"
        "hint: choose another; lengthwise list encodings shows all."
    )
    assert torch.equal(model(words()).logits, make()(words()).logits)


def test_an_encoding_that_must_know_the_scale_is_refused() -> None:
    assert refusal(lambda: attach(make(), "scale_hint(rope)")).startswith(
        "encoding 'scale_hint(rope)' must know the scale of every instance, which is not told here.\n"
    )


@pytest.mark.parametrize("word", ["max_length", "trained"])
def test_lengths_that_make_no_sense_are_refused(word: str) -> None:
    assert refusal(lambda: attach(make(), "learned", **{word: 0})) == (
        f"{word} must be a whole number from 1 to 100000000; found 0.\nhint: correct the value."
    )


def test_a_length_beyond_the_room_of_an_encoding_is_refused() -> None:
    for name, room, options in (("learned", 12, {"max_length": 12}), ("xpos(decay=1)", 64, {})):
        model = attach(make(), name, **options)
        assert model(words(1, room)).logits.isfinite().all()
        expected = (
            f"{room + 1} tokens do not fit the {room} positions of this encoding.\n"
            "hint: attach it anew with a larger max_length; xpos wants a larger decay."
        )
        assert refusal(lambda: model(words(1, room + 1))) == expected  # noqa: B023
        assert refusal(lambda: model(words(1, 1), position_ids=torch.tensor([[room]]))) == expected  # noqa: B023
        assert refusal(lambda: generated(model, {"input_ids": words(1, room)})) == expected  # noqa: B023
    assert "choose a decay of at least 2" in refusal(lambda: attach(make(), "xpos(decay=1)", max_length=65))


def test_ids_below_zero_are_refused_where_there_is_a_table() -> None:
    ids = torch.arange(-5, 6)[None]
    for name in ("learned", "window(learned)", "ape"):
        model = attach(make(), name, max_length=12)
        assert refusal(lambda: model(words(), position_ids=ids)) == (  # noqa: B023
            "this encoding has positions 0 to 11; found the id -5.\n"
            "hint: count ids from 0, or choose an encoding that is a formula, for example rope."
        )
    rope = attach(make(), "rope")
    assert_close(rope(words(), position_ids=ids).logits, rope(words()).logits)


def test_ids_of_another_shape_are_refused() -> None:
    model = attach(make(), "fire")
    for ids, found in ((torch.arange(11), "shape (11,)"), (torch.arange(10)[None], "shape (1, 10)"), ([0], "list")):
        assert refusal(lambda: model(words(2), position_ids=ids)) == (  # noqa: B023
            "position_ids must be a tensor with an id for every new token, of shape (1, 11) or (2, 11); "
            f"found {found}.\nhint: leave position_ids out to have tokens counted, or add the missing axis."
        )


def test_what_is_no_name_is_refused() -> None:
    assert refusal(lambda: attach(make(), None)) == (  # type: ignore[arg-type]
        "the name of an encoding must be a string; found None.\n"
        "hint: name one, for example 'rope', or 'nope' for none; lengthwise list encodings shows all."
    )


def test_half_precision_is_refused_where_its_range_is_too_small() -> None:
    model = attach(make(), "xpos").half()
    assert "float16" in refusal(lambda: model(words()))
    assert model.bfloat16()(words()).logits.isfinite().all()
    assert attach(make(), "rope").half()(words()).logits.isfinite().all()


def test_what_an_attached_encoding_cannot_do_is_refused() -> None:
    model = attach(make(), "fire")
    assert refusal(lambda: model(words(), output_attentions=True)) == (
        "attention weights are not kept where an encoding is attached; found output_attentions=True.\n"
        "hint: leave output_attentions out."
    )
    assert refusal(lambda: model(words(), attention_mask=torch.zeros(1, 1, 11, 11))) == (
        "a mask for every pair of tokens must be of booleans, True where a token is seen; found torch.float32.\n"
        "hint: hand in booleans, or a mask with a number for every token."
    )
    causal = torch.ones(11, 11, dtype=torch.bool).tril()[None, None]
    assert_close(model(words(), attention_mask=causal).logits, model(words()).logits)
    other = torch.zeros(1, 5, 32)
    assert refusal(lambda: attach(make("gpt2"), "fire")(words(), encoder_hidden_states=other)) == (
        "an attached encoding knows the places of one text; found encoder_hidden_states, which are another's.\n"
        "hint: leave encoder_hidden_states out."
    )
    sliding = attach(make("mistral", sliding_window=5), "fire")
    assert refusal(lambda: generated(sliding, cache_implementation="static")) == (
        "a cache of fixed size does not keep the order of keys where layers have a sliding window.\n"
        "hint: generate without cache_implementation, which gives a cache that grows."
    )
    model.set_attn_implementation("sdpa")
    assert refusal(lambda: model(words())) == (
        "the attention of this model was set to 'sdpa', which knows nothing of the encoding that is attached.\n"
        "hint: say model.set_attn_implementation('lengthwise')."
    )
    model.set_attn_implementation("lengthwise")
    assert torch.equal(model(words()).logits, attach(make(), "fire")(words()).logits)
    shifting = attach(make(), "ape").train()
    assert refusal(lambda: generated(shifting)) == (
        "in training, ids start at a random number, which a cache does not remember.\n"
        "hint: call model.eval() before the model generates, or leave the cache out with use_cache=False."
    )


def test_without_the_library_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make()
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert refusal(lambda: attach(model, "fire"), MissingExtraError) == (
        f"'transformers' is not installed, and models of Hugging Face need it.\nhint: {install_hint('hf')}"
    )
