"""Layouts of word problems: x_0 … x_{n−1} = y_1 … y_m, the prompt ending with `=` at position n.

Our reconstruction of arXiv 2510.04130, whose body we do not have.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import InvalidOptionError
from .layout import Layout, Tokens, check_symbols

EQUALS, FILLER, MARK = "=", "_", "#"
DEFAULT_OFFSET, DEFAULT_COLUMNS = 16, 3


def _words(
    name: str,
    definition: str,
    symbols: str,
    answer: Callable[[Tokens], Tokens],
    answer_length: Callable[[int], int] = lambda scale: scale,
) -> Layout:
    """Return the layout of a problem about a word over some symbols; ``answer`` sees the word without `=`."""
    told = check_symbols(symbols)
    return Layout(
        name=name if symbols == "01" else f"{name[:-1]}, {symbols})" if name.endswith(")") else f"{name}({symbols})",
        definition=definition,
        alphabet=(*told, EQUALS),
        choices=lambda scale: (told,) * scale,
        prompt=lambda scale, free: (*free, EQUALS),  # noqa: ARG005
        answer=lambda prompt: answer(prompt[:-1]),
        prompt_length=lambda scale: scale + 1,
        answer_length=answer_length,
    )


def copy(symbols: str = "01") -> Layout:
    """Return the layout of copying: y_t = x_{t−1}."""
    return _words("copy", "the word again", symbols, lambda word: word)


def shift(distance: int = 1, symbols: str = "01") -> Layout:
    """Return the layout of the cyclic shift to the left: y_t = x_{(t−1+k) mod n}."""
    _check_distance("shift", distance)
    return _words(
        "shift" if distance == 1 and symbols == "01" else f"shift({distance})",
        f"the word moved {distance} to the left; what falls off comes last",
        symbols,
        lambda word: tuple(word[(place + distance) % len(word)] for place in range(len(word))),
    )


def reverse(symbols: str = "01") -> Layout:
    """Return the layout of reversal: y_t = x_{n−t}."""
    return _words("reverse", "the word backwards", symbols, lambda word: word[::-1])


def sort(symbols: str = "01") -> Layout:
    """Return the layout of sorting; symbols are in their order."""
    return _words(
        "sort", "the symbols of the word in order", symbols, lambda word: tuple(sorted(word, key=symbols.index))
    )


def running_max(symbols: str = "01") -> Layout:
    """Return the layout of the largest symbol so far: y_t = max(x_0, …, x_{t−1})."""
    return _words(
        "running_max",
        "at every place the largest symbol so far",
        symbols,
        lambda word: tuple(max(word[: place + 1], key=symbols.index) for place in range(len(word))),
    )


def odds_first(symbols: str = "01") -> Layout:
    """Return the layout of the 1st, 3rd, 5th … symbol and then the 2nd, 4th, …"""
    return _words(
        "odds_first",
        "the symbols at odd places, then those at even places, the first place being 1",
        symbols,
        lambda word: (*word[::2], *word[1::2]),
    )


def copy_every(distance: int = 2, symbols: str = "01") -> Layout:
    """Return the layout of copying every k-th symbol: y_t = x_{(t−1)k}."""
    _check_distance("copy_every", distance)
    return _words(
        f"copy_every({distance})",
        f"the first symbol and every {distance}-th after it",
        symbols,
        lambda word: word[::distance],
        lambda scale: -(-scale // distance),
    )


def copy_every_marked(distance: int = 2, symbols: str = "01") -> Layout:
    """Return copying every k-th symbol behind k − 1 marks, all counted in n: y_t = x_{tk−1}."""
    _check_distance("copy_every_marked", distance)
    told = check_symbols(symbols, taken=f"{EQUALS}{FILLER}{MARK}")
    before = (MARK,) * (distance - 1)
    return Layout(
        name=f"copy_every_marked({distance})" if symbols == "01" else f"copy_every_marked({distance}, {symbols})",
        definition=f"{distance - 1} marks and a word, then its first symbol and every {distance}-th after it",
        alphabet=(*told, MARK, EQUALS),
        choices=lambda scale: (told,) * max(scale - distance + 1, 0),
        prompt=lambda scale, free: (*before[:scale], *free, EQUALS),
        answer=lambda prompt: prompt[distance - 1 : -1 : distance],
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: scale // distance,
    )


def swap_pairs(symbols: str = "01") -> Layout:
    """Return the layout of exchanging the two symbols of every pair; the last of an odd number stays."""
    return _words(
        "swap_pairs",
        "the symbols of every pair exchanged; the last of an odd number stays",
        symbols,
        lambda word: tuple(symbol for start in range(0, len(word), 2) for symbol in word[start : start + 2][::-1]),
    )


def transpose(columns: int = DEFAULT_COLUMNS, symbols: str = "01") -> Layout:
    """Return the layout of a grid with n rows of c symbols, written row by row and then column by column."""
    if columns < 1:
        raise InvalidOptionError(f"transpose({columns}) is not allowed: at least 1 column.", hint="use 2 or 3.")
    told = check_symbols(symbols)
    return Layout(
        name=f"transpose({columns})" if symbols == "01" else f"transpose({columns}, {symbols})",
        definition=f"a grid of {columns} columns written row by row, then column by column",
        alphabet=(*told, EQUALS),
        choices=lambda scale: (told,) * (scale * columns),
        prompt=lambda scale, free: (*free, EQUALS),  # noqa: ARG005
        answer=lambda prompt: tuple(symbol for column in range(columns) for symbol in prompt[column:-1:columns]),
        prompt_length=lambda scale: scale * columns + 1,
        answer_length=lambda scale: scale * columns,
    )


def parity() -> Layout:
    """Return the layout of parity in one step: the answer is whether the number of 1s is odd."""
    return _words(
        "parity",
        "1 if the number of 1s is odd, else 0",
        "01",
        lambda word: (str(word.count("1") % 2),),
        lambda scale: 1,  # noqa: ARG005
    )


def parity_cot() -> Layout:
    """Return the layout of parity with a chain of thought: y_t is the parity of the first t symbols."""
    return _words("parity_cot", "at every place the parity of the 1s so far", "01", _parities)


def parity_cot_aligned(offset: int = DEFAULT_OFFSET) -> Layout:
    """Return parity with a chain of thought whose prompts are filled up, so that `=` always stands at one position."""
    if offset < 1:
        raise InvalidOptionError(f"offset {offset} is too small: at least 1.", hint=f"use {DEFAULT_OFFSET}.")
    return Layout(
        name="parity_cot_aligned" if offset == DEFAULT_OFFSET else f"parity_cot_aligned({offset})",
        definition=f"at every place the parity of the 1s so far; the prompt filled up with {FILLER}, `=` at position {offset}",
        alphabet=("0", "1", FILLER, EQUALS),
        choices=lambda scale: (("0", "1"),) * scale,
        prompt=lambda scale, free: (*free, *(FILLER,) * (offset - scale), EQUALS),
        answer=lambda prompt: _parities(tuple(token for token in prompt if token in "01")),
        prompt_length=lambda scale: offset + 1,  # noqa: ARG005
        answer_length=lambda scale: scale,
        max_scale=offset,
    )


def _parities(word: Tokens) -> Tokens:
    return tuple(str(word[: place + 1].count("1") % 2) for place in range(len(word)))


def _check_distance(name: str, distance: int) -> None:
    if distance < 1:
        raise InvalidOptionError(f"{name}({distance}) is not allowed: the distance is at least 1.", hint="use 1 or 2.")
