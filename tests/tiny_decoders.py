"""Tiny random decoders of the Hugging Face library with a tokenizer by words, saved as folders."""

from __future__ import annotations

from itertools import product
from pathlib import Path

WORDS = ["".join(letters) for letters in product("bdfgklmnprstvz", "aeiou", "bdgklmnrst")]
ARCHITECTURES = ("llama", "gpt2", "gpt_neox", "qwen3", "mistral", "bloom")


def save_decoder(folder: Path, architecture: str, *, seed: int = 0) -> Path:
    """Save a random decoder of two layers; return its folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(["<unk>", "<s>", ":", "\n", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("\n", "isolated"), pre_tokenizers.Split(" ", "removed")]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>")
    fast.save_pretrained(folder)
    sizes = {
        "llama": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2},
        "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 4096},
        "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 2},
    }
    shape = sizes.get(architecture, sizes["llama"])
    if architecture in ("qwen3", "mistral"):
        shape = {**shape, "num_key_value_heads": 1, "head_dim": 16}
    extra = {} if architecture in ("gpt2", "bloom") else {"max_position_embeddings": 4096}
    config = AutoConfig.for_model(
        architecture, vocab_size=len(vocabulary), bos_token_id=1, eos_token_id=3, **shape, **extra
    )
    torch.manual_seed(seed)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder, safe_serialization=True)
    return folder
