"""Counting: majority and parity of bits."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.parser import parse_program
from ..languages.regex import compile_regex
from ..seeds import Draw
from ..theory.facts import Facts
from .task import AnswerTask, shuffled

_MAJORITY = """
alphabet '0' '1' '<sep>'
start '<bos>'
stop '<eos>'

next '0'     := '<sep>' and #['0'] > #['1']
next '1'     := '<sep>' and #['1'] > #['0']
next '<eos>' := not '<sep>' and #['<sep>'] = 1
"""


class BinMajority(AnswerTask):
    """Which of two bits is more frequent; ties do not occur."""

    name = "bin_majority"
    definition = "the more frequent bit; the number of 0s is uniform, without ties"
    length_means = "the number of bits"
    symbols = ("0", "1")
    min_length = 1
    citation = "arXiv 2410.02140"

    def __init__(self) -> None:
        self.facts = Facts(program=parse_program(_MAJORITY))

    def answer_length(self, length: Array) -> Array:
        """Return 1: one bit."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the more frequent bit."""
        return ["1" if prompt.count("1") > prompt.count("0") else "0"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return bits whose number of 0s is uniform over 0, …, length without a tie."""
        odd = lengths_MB % 2
        choice = draw.named("zeros").integers(lengths_MB + odd, tuple(lengths_MB.shape[len(draw.keys.shape) :]))
        zeros = xp.where((odd == 0) & (choice >= lengths_MB // 2), choice + 1, choice)
        bits = _bits(zeros, lengths_MB, max_length, draw.named("order"), xp)
        return bits, xp.where(zeros * 2 < lengths_MB, 1, 0)[..., None]


class Parity(AnswerTask):
    """Whether the number of 1s is even (e) or odd (o)."""

    name = "parity"
    definition = "e if the number of 1s is even, o if it is odd; the number of 1s is uniform"
    length_means = "the number of bits"
    symbols = ("0", "1", "e", "o")
    min_length = 0
    citation = "arXiv 2410.02140"

    def __init__(self) -> None:
        self.facts = Facts(language=compile_regex("0*(10*10*)*"))

    def answer_length(self, length: Array) -> Array:
        """Return 1: one letter."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return e or o."""
        return ["o" if prompt.count("1") % 2 else "e"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return bits whose number of 1s is uniform over 0, …, length."""
        ones = draw.named("ones").integers(lengths_MB + 1, tuple(lengths_MB.shape[len(draw.keys.shape) :]))
        bits = _bits(lengths_MB - ones, lengths_MB, max_length, draw.named("order"), xp)
        return bits, xp.where(ones % 2 == 1, self.token("o"), self.token("e"))[..., None]


def _bits(zeros_MB: Array, lengths_MB: Array, max_length: int, draw: Draw, xp: Arrays) -> Array:
    """Return rows with this many 0s and else 1s, in a random order."""
    place = xp.broadcast(xp.arange(max_length), (*lengths_MB.shape, max_length))
    in_order = xp.where(place < zeros_MB[..., None], 0, 1)
    return shuffled(in_order, place < lengths_MB[..., None], draw, xp)
