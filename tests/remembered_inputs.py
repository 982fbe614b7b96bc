"""Inputs of which a model must remember linearly many bits: the condition of the theorem on communication, task by task.

``WHOLE`` makes one prompt of n bits; all must have different answers. Then the prompt is what must be remembered, and what
is written first and tells two of them apart is the other half. ``HALVES`` makes a first half of n bits, and for two of them
a second half for which the answers differ.
"""

from __future__ import annotations

from collections.abc import Callable

Bits = tuple[int, ...]
Prompt = list[str]


def _letters(bits: Bits) -> Prompt:
    return ["ab"[bit] for bit in bits]


def _digits(bits: Bits, rest: str = "") -> Prompt:
    """Return a number without leading zeros, and a rest."""
    return [*"1", *map(str, bits), *rest]


def _field(bits: Bits) -> Prompt:
    return [cell for bit in bits for cell in ([".*"[bit]] * 5)]


def _blocks(bits: Bits) -> Prompt:
    block, empty = [*"oo...", *"oo..."], [*".....", *"....."]
    return [cell for bit in bits for cell in ((block if bit else empty) + empty)]


def _clauses(bits: Bits) -> Prompt:
    return [word for bit in bits for word in (("Mia", "Emma")[bit], "said", "that")] + ["Noah", "laughed"]


WHOLE: dict[str, Callable[[Bits], Prompt]] = {
    **dict.fromkeys(
        ["repeat_copy", "reverse", "duplicate", "swap_pairs", "odds_first", "shift", "selective_copy"], _letters
    ),
    "stack_manipulation": _letters,
    "transpose": lambda bits: _letters(bits) * 3,
    "parity_cot": lambda bits: list(map(str, bits)),
    "state_track_cot": lambda bits: [("123", "213")[bit] for bit in bits],
    "addition": lambda bits: _digits(bits, "+0="),
    "add_decimal": lambda bits: _digits(bits, "+0="),
    "add_multi": lambda bits: _digits(bits, f"+{'0' * (len(bits) + 1)}+{'0' * (len(bits) + 1)}="),
    "add_columns": lambda bits: _digits(bits, f"+{'0' * (len(bits) + 1)}"),
    "add_cot": lambda bits: _digits(bits, f"+{'0' * (len(bits) + 1)}="),
    "subtract": lambda bits: _digits(bits, "-0="),
    "mul_nxm": lambda bits: _digits(bits, "*1="),
    "multiply_binary": lambda bits: _digits(bits, "*1="),
    "mul_nx1": lambda bits: _digits(bits, "*1="),
    "mul_nx2": lambda bits: _digits(bits, "*10="),
    "mul_cot": lambda bits: _digits(bits, "*2="),
    "divide": lambda bits: _digits(bits, "/1="),
    "div_cot": lambda bits: _digits(bits, "/2="),
    "increment": lambda bits: _digits(bits, "0"),
    "bitwise_or": lambda bits: _digits(bits, f"|{'0' * (len(bits) + 1)}="),
    "bitwise_xor": lambda bits: _digits(bits, f"^{'0' * (len(bits) + 1)}="),
    "bitwise_and": lambda bits: _digits(bits, f"&{'1' * (len(bits) + 1)}="),
    "isqrt": lambda bits: _digits(bits, "0" + "0" * (len(bits) + 2)),
    "turing_program": lambda bits: ["0RA", "1RA", "0RB", "1RB", *map(str, bits)],
    "minesweeper": _field,
    "life_step": _blocks,
    "scan": lambda bits: " and ".join(("walk", "run")[bit] for bit in bits).split(" "),
    "pcfg": lambda bits: ["copy", *_letters(bits)],
    "nested_clauses": _clauses,
    "double_histogram": lambda bits: [*"".join(("cab", "acb")[bit] for bit in bits), "c"],
}

HALVES: dict[str, tuple[Callable[[Bits], Prompt], Callable[[Bits, Bits], Prompt]]] = {
    "palindrome": (_letters, lambda one, two: _letters(one)[::-1]),  # noqa: ARG005
    "marked_reversal": (_letters, lambda one, two: ["#", *_letters(one)[::-1]]),  # noqa: ARG005
    "index_lookup": (
        _letters,
        lambda one, two: list(str(1 + next(place for place in range(len(one)) if one[place] != two[place]))),
    ),
    "gcd": (_digits, lambda one, two: [",", *_digits(one, "=")]),  # noqa: ARG005
    "compare": (_digits, lambda one, two: [",", *_digits(one, "=")]),  # noqa: ARG005
}
