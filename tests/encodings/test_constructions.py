"""Weights in closed form that show what an encoding can do at every length, run with the package's own encodings.

Each construction of docs/concepts/encodings.md is one layer with one or two heads. Inputs are one-hot tokens; the last queries of
long words are asked, so that a word of 10,000 tokens takes little time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import pytest
import torch
from torch import Tensor

from lengthwise.encodings.attention import Attention, Past

LONGEST = pytest.mark.parametrize("longest", [300, pytest.param(10_000, marks=pytest.mark.full)])
NUM_QUERIES = 12
SHARP = 15.0
"""Scores between two kinds of keys differ by its square: exp of the difference is 0 beside 1 in 32 bits, also 10,000 times."""


def layer_for(encoding: str, width: int, heads: int = 1) -> Attention:
    """A layer whose weights are all 0, but for a read-out that passes heads on."""
    layer = Attention(width, heads, encoding)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.project.weight.copy_(torch.eye(width))
    return layer


def connect(layer: Attention, part: str, source: int, target: int, weight: float) -> None:
    """Let channel ``source`` of a token act on channel ``target`` of its query, key or value."""
    width = layer.project.weight.shape[0]
    with torch.no_grad():
        layer.qkv.weight[{"query": 0, "key": 1, "value": 2}[part] * width + target, source] = weight


def last_outputs(layer: Attention, tokens: list[int], number: int) -> Tensor:
    """What the layer makes of the last few of these tokens, [Q, D]."""
    width = layer.project.weight.shape[0]
    x_BLD = torch.nn.functional.one_hot(torch.tensor([tokens]), width).float()
    cut = max(1, len(tokens) - number)
    ids_BL = torch.arange(len(tokens))[None]
    with torch.no_grad():
        _, k, v = (
            torch.unflatten(part, -1, (layer.heads, -1)).transpose(1, 2)
            for part in layer.qkv(x_BLD[:, :cut]).chunk(3, -1)
        )
        past = Past(x_BLD[:, :cut], ids_BL[:, :cut], None, k, v)
        return layer.extend(x_BLD[:, cut:], past)[0][0]


def words(symbols: int, longest: int, seed: int) -> list[list[int]]:
    """All short words, and random ones up to the longest length."""
    generator = torch.Generator().manual_seed(seed)
    short = [list(word) for length in range(1, 6) for word in product(range(symbols), repeat=length)]
    lengths = (longest // 10, longest)
    rare = torch.tensor(
        [0.001] * (symbols - 1) + [1.0]
    )  # most symbols are the last one, so that what counts is far away
    long = [
        torch.multinomial(weights, length, replacement=True, generator=generator).tolist()
        for length in lengths
        for weights in (torch.ones(symbols), rare)
    ]
    return short + long


def check(
    layer: Attention, symbols: int, longest: int, expected: Callable[[list[int]], float], *, channel: int = 0
) -> None:
    """Compare one channel of the last outputs with what a prefix should give, to the last bit but for rounding to 1e-6."""
    for word in words(symbols, longest, seed=1):
        tokens = [symbols, *word]  # the start symbol comes first
        found = last_outputs(layer, tokens, NUM_QUERIES)[:, channel].tolist()
        prefixes = range(len(word) - len(found) + 1, len(word) + 1)
        assert found == pytest.approx([expected(word[:end]) for end in prefixes], abs=1e-6)


@LONGEST
def test_t5_sees_exactly_the_previous_token_at_every_length(longest: int) -> None:
    layer = layer_for("t5", 8, heads=2)
    with torch.no_grad():
        table = layer.encoding.table_MBH
        table[0, :, 0] = -1e4  # exp of this is 0 in 32 bits
        table[0, 1, 0] = 0.0  # the bucket of distance 1; the second head stays flat
    for symbol in range(2):
        connect(layer, "value", symbol, symbol, 1.0)  # of the first head
    connect(layer, "value", 0, 4, 1.0)  # the second head averages
    check(layer, 2, longest, lambda prefix: float(len(prefix) > 1 and prefix[-2] == 0))
    check(layer, 2, longest, lambda prefix: float(len(prefix) > 1 and prefix[-2] == 1), channel=1)
    check(layer, 2, longest, lambda prefix: prefix.count(0) / (len(prefix) + 1), channel=4)


@LONGEST
@pytest.mark.parametrize("residue", range(3))
def test_a_rotation_that_repeats_finds_the_position_modulo_its_period_at_every_length(
    residue: int, longest: int
) -> None:
    """The query is turned so that it agrees with the start symbol at one residue, and with all other keys halfway there."""
    layer = layer_for("periodic_rope(period=3)", 4)
    angle = -2 * math.pi * residue / 3
    for token in range(3):
        connect(layer, "query", token, 0, 20.0)  # pair 0, which is not turned
        connect(layer, "query", token, 1, 20.0 * math.cos(angle))
        connect(layer, "query", token, 3, 20.0 * math.sin(angle))
    for token in range(2):
        connect(layer, "key", token, 0, 5.0)
    connect(layer, "key", 2, 1, 20.0)  # of the start symbol
    connect(layer, "value", 2, 0, 1.0)
    check(layer, 2, longest, lambda prefix: float(len(prefix) % 3 == residue))


@LONGEST
def test_path_keeps_the_parity_of_a_symbol_at_every_length(longest: int) -> None:
    layer = layer_for("path", 8)
    encoding = layer.encoding.at_layer(0)
    with torch.no_grad():
        encoding.direction_MDHK[0, 0, 0, 0] = 1.0  # symbol 0 reflects along the first axis, with β = 2
        encoding.rate_MDH[0, :, 0] = -200.0
        encoding.rate_MDH[0, 0, 0] = 200.0
    for token in range(3):
        connect(layer, "query", token, 0, SHARP)
    connect(layer, "key", 2, 0, SHARP)  # of the start symbol
    connect(layer, "value", 2, 0, 1.0)
    check(layer, 2, longest, lambda prefix: float(prefix.count(0) % 2 == 0))


def last_write(prefix: list[int]) -> float:
    """1 if the last symbol that is no 2 is a 0, and 0 if it is a 1, or there is none."""
    written = [symbol for symbol in prefix if symbol != 2]
    return float(bool(written) and written[-1] == 0)


@LONGEST
def test_stick_breaking_attends_to_the_last_write_at_every_length(longest: int) -> None:
    layer = layer_for("stick_breaking(diagonal=true)", 8)
    for token in range(4):
        connect(layer, "query", token, 0, 10 * SHARP)
        connect(
            layer, "key", token, 0, 10 * SHARP if token < 2 else -10 * SHARP
        )  # writes break the whole stick, others none
    connect(layer, "value", 0, 0, 1.0)
    check(layer, 3, longest, last_write)


@LONGEST
def test_a_forget_gate_leaves_the_last_write_alone_at_every_length(longest: int) -> None:
    layer = layer_for("fox", 8)
    encoding = layer.encoding.at_layer(0)
    gates = dict(encoding.named_parameters())
    with torch.no_grad():
        for name, parameter in gates.items():
            if name.endswith("MH"):
                parameter.fill_(200.0)  # open
            else:
                parameter[0, 0:2] = -400.0  # a write closes it
    for token in range(4):
        connect(layer, "query", token, 0, SHARP)
    for write in range(2):
        connect(layer, "key", write, 0, SHARP)
    connect(layer, "value", 0, 0, 1.0)
    check(layer, 3, longest, last_write)


@LONGEST
def test_a_counting_head_tells_two_counts_apart_that_differ_by_one_at_every_length(longest: int) -> None:
    """With value 1 for a and −1 for b it passes on their difference, cut off at 2, also where an average would differ by 1/n."""
    layer = layer_for("counters(most=2)", 4, heads=2)
    connect(layer, "value", 0, 0, 1 / 8)
    connect(layer, "value", 1, 0, -1 / 8)
    generator = torch.Generator().manual_seed(5)
    nearly_equal = [[0, 1] * (longest // 2) + [0], [1, 0] * (longest // 2) + [1], [0, 1] * (longest // 2)]
    for word in [
        *words(2, longest, seed=5),
        *nearly_equal,
        torch.randint(0, 3, (longest,), generator=generator).tolist(),
    ]:
        outputs = last_outputs(layer, word, NUM_QUERIES)[:, 0].tolist()
        for end, output in zip(range(len(word) - len(outputs) + 1, len(word) + 1), outputs, strict=True):
            difference = word[:end].count(0) - word[:end].count(1)
            assert output == max(-2, min(2, difference))
