"""Circuits for word problems; each is verified by the tests against its layout.

Our reconstruction of arXiv 2510.04130; the wiring of copy, shift, reverse and parity is the one our tables are computed with.
"""

from __future__ import annotations

from collections.abc import Callable

from . import layouts_words as words
from .circuits import Circuit, Gate, Operator
from .layout import Layout
from .layouts_words import DEFAULT_COLUMNS, DEFAULT_OFFSET, EQUALS

MAX_PARITY = 16  # parity without a chain of thought has an operator for every scale


def copy(symbols: str = "01") -> Circuit:
    """Return y_t = x_{t−1}."""
    return _one_symbol(words.copy(symbols), "y_t = x_{t−1}", lambda scale, step: step - 1)  # noqa: ARG005


def shift(distance: int = 1, symbols: str = "01") -> Circuit:
    """Return y_t = x_{(t−1+k) mod n}."""
    return _one_symbol(
        words.shift(distance, symbols),
        f"y_t = x_{{(t−1+{distance}) mod n}}",
        lambda scale, step: (step - 1 + distance) % scale,
    )


def reverse(symbols: str = "01") -> Circuit:
    """Return y_t = x_{n−t}."""
    return _one_symbol(words.reverse(symbols), "y_t = x_{n−t}", lambda scale, step: scale - step)


def odds_first(symbols: str = "01") -> Circuit:
    """Return y_t = x_{2(t−1)} up to the middle, then the symbols left out."""

    def source(scale: int, step: int) -> int:
        half = (scale + 1) // 2
        return 2 * (step - 1) if step <= half else 2 * (step - 1 - half) + 1

    return _one_symbol(words.odds_first(symbols), "y_t = x_{2(t−1)}, then x_{2(t−1−⌈n/2⌉)+1}", source)


def copy_every(distance: int = 2, symbols: str = "01") -> Circuit:
    """Return y_t = x_{(t−1)k}."""
    return _one_symbol(
        words.copy_every(distance, symbols),
        f"y_t = x_{{{distance}(t−1)}}",
        lambda scale, step: (step - 1) * distance,  # noqa: ARG005
    )


def copy_every_marked(distance: int = 2, symbols: str = "01") -> Circuit:
    """Return y_t = x_{tk−1}, the first k − 1 symbols being marks."""
    return _one_symbol(
        words.copy_every_marked(distance, symbols),
        f"y_t = x_{{{distance}t−1}}",
        lambda scale, step: step * distance - 1,  # noqa: ARG005
    )


def swap_pairs(symbols: str = "01") -> Circuit:
    """Return y_t = x_t for odd t and x_{t−2} for even t; at an odd end x_{t−1}."""

    def source(scale: int, step: int) -> int:
        return step - 2 if step % 2 == 0 else min(step, scale - 1)

    return _one_symbol(words.swap_pairs(symbols), "y_t = x_t for odd t < n, x_{t−2} for even t", source)


def transpose(columns: int = DEFAULT_COLUMNS, symbols: str = "01") -> Circuit:
    """Return y_t = x_{c·((t−1) mod n) + ⌊(t−1)/n⌋}, of n rows and c columns."""
    return _one_symbol(
        words.transpose(columns, symbols),
        f"y_t = x_{{{columns}((t−1) mod n) + ⌊(t−1)/n⌋}}",
        lambda scale, step: (step - 1) % scale * columns + (step - 1) // scale,
    )


def _one_symbol(layout: Layout, note: str, source: Callable[[int, int], int]) -> Circuit:
    """Return the circuit that writes one symbol of the word at each step."""
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"same": Operator(name="same", arity=1, apply=lambda symbol: symbol)},
        wire=lambda scale, step: Gate(operator="same", operands=(source(scale, step),)),
        note=note,
    )


def running_max(symbols: str = "01") -> Circuit:
    """Return y_t = max(x_{t−1}, y_{t−1}), `=` being smaller than every symbol."""

    def larger(one: str, two: str) -> str:
        return max(one, two, key=lambda symbol: symbols.find(symbol))  # -1 for `=`

    return Circuit(
        name=words.running_max(symbols).name,
        layout=words.running_max(symbols),
        operators={"max": Operator(name="max", arity=2, apply=larger)},
        wire=lambda scale, step: Gate(operator="max", operands=(step - 1, scale + step - 1)),
        note="y_t = max(x_{t−1}, y_{t−1})",
    )


def parity_cot() -> Circuit:
    """Return y_t = x_{t−1} xor y_{t−1}, `=` counting as 0."""
    return Circuit(
        name="parity_cot",
        layout=words.parity_cot(),
        operators={"xor": _xor("xor", 2)},
        wire=lambda scale, step: Gate(operator="xor", operands=(step - 1, scale + step - 1)),
        note="y_t = x_{t−1} xor y_{t−1}",
    )


def parity_cot_aligned(offset: int = DEFAULT_OFFSET) -> Circuit:
    """Return parity with a chain of thought when `=` always stands at one position."""
    layout = words.parity_cot_aligned(offset)
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"xor": _xor("xor", 2)},
        wire=lambda scale, step: Gate(operator="xor", operands=(step - 1, offset + step - 1)),  # noqa: ARG005
        note="y_t = x_{t−1} xor y_{t−1}",
    )


def parity() -> Circuit:
    """Return parity in one step: an operator of arity n at scale n, because every symbol matters."""
    return Circuit(
        name="parity",
        layout=words.parity(),
        operators={f"xor_{number}": _xor(f"xor_{number}", number) for number in range(1, MAX_PARITY + 1)},
        wire=lambda scale, step: Gate(operator=f"xor_{scale}", operands=tuple(range(scale))),  # noqa: ARG005
        note="y_1 = x_0 xor … xor x_{n−1}",
        max_scale=MAX_PARITY,
    )


def _xor(name: str, arity: int) -> Operator:
    assert EQUALS != "1"  # every symbol but 1 counts as 0
    return Operator(name=name, arity=arity, apply=lambda *symbols: str(symbols.count("1") % 2))
