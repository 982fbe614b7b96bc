"""The family of layouts: a name gives a function that makes the layout, with its parameters.

Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import TypeVar

from ...errors import InvalidOptionError, lookup
from . import layouts_numbers as numbers
from . import layouts_words as words
from .layout import Layout

Made = TypeVar("Made")

LAYOUTS: dict[str, Callable[..., Layout]] = {
    "copy": words.copy,
    "shift": words.shift,
    "reverse": words.reverse,
    "sort": words.sort,
    "running_max": words.running_max,
    "odds_first": words.odds_first,
    "copy_every": words.copy_every,
    "copy_every_marked": words.copy_every_marked,
    "swap_pairs": words.swap_pairs,
    "transpose": words.transpose,
    "parity": words.parity,
    "parity_cot": words.parity_cot,
    "parity_cot_aligned": words.parity_cot_aligned,
    "addition": numbers.addition,
    "addition_plain": numbers.addition_plain,
    "addition_padded": numbers.addition_padded,
    "mul_1xn": numbers.mul_1xn,
    "mul_nxn": numbers.mul_nxn,
    "div_1": numbers.div_1,
    "div_1_cot": numbers.div_1_cot,
    "increment": numbers.increment,
}


def find_layout(text: str) -> Layout:
    """Return the layout that a name with its parameters in brackets means; a layout's own name is one of these.

    >>> find_layout("addition(2)").definition
    'the sum of two numbers, least significant digits first'
    """
    return make_named("layout", text, LAYOUTS)


def make_named(family: str, text: str, makers: Mapping[str, Callable[..., Made]]) -> Made:
    """Return what ``name`` or ``name(one, two)`` makes in a family of functions whose parameters are numbers or symbols."""
    told = re.fullmatch(r"\s*(\w+)\s*(?:\(([^()]*)\)\s*)?", text)
    name = told.group(1) if told else text
    maker = lookup(family, name, makers)
    arguments = [part.strip() for part in (told.group(2) or "").split(",") if part.strip()] if told else []
    parameters = [*signature(maker).parameters.values()]
    if len(arguments) > len(parameters):
        allowed = ", ".join(parameter.name for parameter in parameters) or "none"
        raise InvalidOptionError(
            f"{family} {text!r} has {len(arguments)} parameters. Allowed: {allowed}.", hint=f"try {name!r}."
        )
    values: list[int | str] = []
    for parameter, argument in zip(parameters, arguments, strict=False):
        if parameter.annotation not in ("int", int):
            values.append(argument)
        elif argument.isascii() and argument.isdigit():
            values.append(int(argument))
        else:
            raise InvalidOptionError(
                f"{parameter.name} {argument!r} of {family} {name!r} is not a number.", hint=f"try {name}(2)."
            )
    return maker(*values)
