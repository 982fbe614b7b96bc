"""Counting: majorities, and the parity of bits."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..crasp.parser import parse_program
from ..languages.regex import compile_regex
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .family import Family, Group
from .task import AnswerTask, shuffled

_ATTEMPTS = 32
_IN_CACHE = 4  # attempts that a core makes at a time, so that they stay in its cache
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
        zeros = _untied_zeros(lengths_MB, draw.named("zeros"), xp)
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


class Majority(AnswerTask):
    """Which of 26 letters is the most frequent."""

    name = "majority"
    definition = "the most frequent of 26 letters; letters are uniform, given that one of them is the most frequent"
    length_means = "the number of letters"
    attempts = _ATTEMPTS
    symbols = tuple("abcdefghijklmnopqrstuvwxyz")
    min_length = 1
    citation = "arXiv 2410.02140"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.YES,
                theorem="library_program",
                reason="comparing the counts of all letters at the separator is a program (lengthwise show program majority_letter).",
            ),
        )
    )

    def answer_length(self, length: Array) -> Array:
        """Return 1: one letter."""
        return length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the most frequent letter."""
        return [max(sorted(set(prompt)), key=list(prompt).count)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return the first of up to 32 random words in which one letter is the most frequent.

        If there is none, which happens to 28 % of the words of length 2, 2.5 % of length 3 and 0.1 % of length 4, the word
        repeats its first letter; for length 2 that is what all such words do.
        """
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        together = _IN_CACHE if xp.may_look else _ATTEMPTS  # on a GPU all are one program
        valid = (xp.arange(max_length) < lengths_MB[..., None])[..., None, :, :]  # the same lengths for every attempt
        word, winner = lengths_MB[..., None], lengths_MB * 0 - 1
        for start in reversed(range(0, _ATTEMPTS, together)):
            numbers = xp.arange(_ATTEMPTS)[start : start + together]
            attempts = draw.named("letters").at(numbers).integers(26, (*batch, max_length))
            best, is_unique = _unique_best(xp.where(valid, attempts, 26), xp)
            for attempt in reversed(range(together)):
                taken = is_unique[..., attempt, :]
                word = xp.where(taken[..., None], attempts[..., attempt, :, :], word)
                winner = xp.where(taken, best[..., attempt, :], winner)
        first = attempts[..., 0, :, :1]
        failed = winner[..., None] < 0
        return xp.where(failed, first, word), xp.where(failed, first, winner[..., None])


class BinMajorityInterleave(AnswerTask):
    """The majorities of three streams of bits that take turns."""

    name = "bin_majority_interleave"
    definition = "the majority bits of three interleaved streams, each without a tie"
    length_means = "the number of bits, of all streams together"
    symbols = ("0", "1")
    min_length = 3
    citation = "arXiv 2410.02140"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PERIODIC,
                answer=Answer.YES,
                theorem="library_program",
                reason="the position modulo 3 tells the streams apart (lengthwise show program interleaved_majority).",
            ),
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.UNKNOWN,
                theorem="published_prediction",
                reason="no program without positions is known; arXiv 2410.02140 predicts failure without a proof.",
            ),
        )
    )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: multiples of three."""
        return tuple(length for length in super().lengths(low, high) if length % 3 == 0)

    def answer_length(self, length: Array) -> Array:
        """Return 3: a bit for each stream."""
        return length * 0 + 3

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the majority of each stream."""
        streams = [list(prompt)[start::3] for start in range(3)]
        return ["1" if stream.count("1") > stream.count("0") else "0" for stream in streams]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return three streams as in bin_majority, taking turns."""
        each_MB = lengths_MB // 3
        streams, answers = [], []
        for number in range(3):
            own = draw.named("stream").at(number)
            zeros = _untied_zeros(each_MB, own.named("zeros"), xp)
            streams.append(_bits(zeros, each_MB, -(-max_length // 3), own.named("order"), xp))
            answers.append(xp.where(zeros * 2 < each_MB, 1, 0))
        woven = xp.stack_last(streams)
        return woven.reshape(*lengths_MB.shape, -1)[..., :max_length], xp.stack_last(answers)


def _untied_zeros(lengths_MB: Array, draw: Draw, xp: Arrays) -> Array:
    """Return how many of so many bits are 0: uniform, without a tie."""
    odd = lengths_MB % 2
    choice = draw.integers(lengths_MB + odd, tuple(lengths_MB.shape[len(draw.keys.shape) :]))
    return xp.where((odd == 0) & (choice >= lengths_MB // 2), choice + 1, choice)


def _unique_best(letters: Array, xp: Arrays) -> tuple[Array, Array]:
    """Return the most frequent of 26 letters along the last axis, where a 26 is nothing, and whether it is the only one.

    The counts of several letters are added up at once, each in bits of its own of one number.
    """
    bits = letters.shape[-1].bit_length()
    per_number = 63 // bits
    most = best = letters[..., 0] * 0
    is_unique = most < 0
    for start in range(0, 26, per_number):
        group = range(start, min(26, start + per_number))
        ones = [1 << bits * (letter - start) if letter in group else 0 for letter in range(27)]
        sums = xp.asarray(ones)[letters].sum(-1)
        for letter in group:
            number = sums >> bits * (letter - start) & (1 << bits) - 1
            is_more = number > most
            best = xp.where(is_more, letter, best)
            is_unique = is_more | is_unique & (number != most)
            most = xp.where(is_more, number, most)
    return best, is_unique


def _bits(zeros_MB: Array, lengths_MB: Array, max_length: int, draw: Draw, xp: Arrays) -> Array:
    """Return rows with this many 0s and else 1s, in a random order."""
    place = xp.broadcast(xp.arange(max_length), (*lengths_MB.shape, max_length))
    in_order = xp.where(place < zeros_MB[..., None], 0, 1)
    return shuffled(in_order, place < lengths_MB[..., None], draw, xp)


FAMILIES: tuple[Family, ...] = (
    Family(name="bin_majority", group=Group.COUNTING, make=BinMajority, rows=("a01",)),
    Family(name="majority", group=Group.COUNTING, make=Majority, rows=("a02",)),
    Family(name="parity", group=Group.COUNTING, make=Parity, rows=("f18",)),
)
