"""The tokens that frame instances; a module of its own, because task processes load little else."""

from __future__ import annotations

BOS, SEP, EOS, PAD = "<bos>", "<sep>", "<eos>", "<pad>"
SPECIALS = (BOS, SEP, EOS, PAD)
