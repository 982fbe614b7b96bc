"""The tasks of arXiv 2207.02098 by level, as we have them, and how their instances differ from the released code's.

The released code of both papers (github.com/google-deepmind/neural_networks_chomsky_hierarchy and
github.com/google-deepmind/randomized_positional_encodings) says what the tasks are and how one example is trained: 5 layers, 8
heads, width 64, batches of 128, a learning rate of 0.001, lengths 1–40. It holds no results.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...experiment.spec import Spec
from ...model.shape import Shape
from ...train.settings import Training
from ..sweep import SweepCell

LEVELS: Mapping[str, Mapping[str, str]] = {
    "regular": {
        "even_pairs": "even_pairs",
        "modular_arithmetic": "mod_arith",
        "parity_check": "parity",
        "cycle_navigation": "cycle_navigation",
    },
    "context_free": {
        "stack_manipulation": "stack_manipulation(paper)",
        "reverse_string": "reverse",
        "modular_arithmetic_brackets": "mod_arith_brackets",
        "solve_equation": "solve_equation",
    },
    "context_sensitive": {
        "duplicate_string": "duplicate",
        "missing_duplicate_string": "missing_duplicate",
        "odds_first": "odds_first",
        "binary_addition": "addition",
        "binary_multiplication": "multiply_binary",
        "compute_sqrt": "isqrt",
        "bucket_sort": "bucket_sort",
    },
}
"""Our task for each of theirs, by level."""

TRAIN_LENGTH, TEST_LENGTH = 40, 500
STEPS = 10_000
RATE = 0.001
NOISE_LENGTH = 2_048
"""How many positions randomized ones are drawn from in the released example."""

DIFFERENCES = (
    "Our models are causal and answer after a separator. Theirs see the whole input and answer at empty positions beside it.",
    "We score whole answers. They score the share of output symbols that are right.",
    f"Steps ({STEPS:,}), learning rate, batch and size are those of the released example scripts, without its dropout. We have not seen "
    "with which settings the published figures were trained.",
    "stack_manipulation: our stack may fill the whole length, so that no action is left. Theirs leaves at least one action from length "
    "2 on.",
    "parity_check: we draw the number of 1s uniformly, so that many inputs are far from balanced. They draw every bit.",
    "even_pairs: each answer has half of our inputs. They draw every symbol.",
    "binary_addition and binary_multiplication: we write the highest digit first, end the input with '=', and write no leading zeros. "
    "They write the lowest digit first, without '=', and pad numbers with zeros.",
    "odds_first: the first symbol counts as odd, as in the text of their task. Their code puts the second, fourth, … symbol first.",
    "modular_arithmetic and missing_duplicate_string: our inputs have odd and even lengths only. Theirs pad the others.",
    "modular_arithmetic_brackets and solve_equation: both draw trees at random; we draw the sizes of operands uniformly.",
    "compute_sqrt: our numbers have no leading zeros, nor have their roots. Theirs are padded to the full length.",
    "On a GPU, matrix products in training use bfloat16.",
)


def cells_of_level(level: str, encodings: Mapping[str, str]) -> list[SweepCell]:
    """Return every task of a level with every encoding."""
    return [
        SweepCell(
            part=level,
            task_title=title,
            task=task,
            encoding_title=encoding_title,
            encoding=encoding,
            specs=(_spec(task, encoding),),
        )
        for title, task in LEVELS[level].items()
        for encoding_title, encoding in encodings.items()
    ]


def _spec(task: str, encoding: str) -> Spec:
    return Spec(
        tasks=(task,),
        encodings=(encoding,),
        train_length=TRAIN_LENGTH,
        test_length=TEST_LENGTH,
        room=TEST_LENGTH,
        learning_rate=RATE,
        model=Shape(layers=5, heads=8, width=64),
        training=Training(steps=STEPS, batch=128, warmup=100, evaluate_every=2_000, examples=500, stop_early=False),
    )
