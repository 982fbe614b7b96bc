"""The library of circuits, and the problems that have none of bounded arity.

Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable

from . import library_numbers as numbers
from . import library_words as words
from .circuits import Circuit
from .layouts import make_named

CIRCUITS: dict[str, Callable[..., Circuit]] = {
    "copy": words.copy,
    "shift": words.shift,
    "reverse": words.reverse,
    "odds_first": words.odds_first,
    "copy_every": words.copy_every,
    "copy_every_marked": words.copy_every_marked,
    "swap_pairs": words.swap_pairs,
    "transpose": words.transpose,
    "running_max": words.running_max,
    "parity": words.parity,
    "parity_cot": words.parity_cot,
    "parity_cot_aligned": words.parity_cot_aligned,
    "addition": numbers.addition,
    "addition_padded": numbers.addition_padded,
    "mul_1xn": numbers.mul_1xn,
    "increment": numbers.increment,
    "div_1": numbers.div_1,
    "div_1_cot": numbers.div_1_cot,
}


def find_circuit(text: str) -> Circuit:
    """Return the circuit that a name with its parameters in brackets means, as in ``addition(2)`` or ``copy(abc)``.

    >>> find_circuit("div_1(3)").note
    'z_t = u(d, a_t, a_{t−1}, z_{t−1})'
    """
    return make_named("circuit", text, CIRCUITS)
