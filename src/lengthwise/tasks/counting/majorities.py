"""Counting: majorities, and the parity of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...crasp.parser import parse_program
from ...languages.regex import compile_regex
from ...seeds import Draw
from ...theory.communication import TwoHalves, words_over
from ...theory.facts import Facts
from ...theory.positions.circuits import Circuit, Gate, Operator
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import NoCircuit, Problem
from ..core.cited import answered_by, excluded_without_positions
from ..core.family import Family, Group
from ..core.legal_inputs import turn_taking_inputs
from ..core.row_functions import at, batch_of, count, is_inside, places
from ..core.task import AnswerTask, OneSymbolTask, Task, shuffled
from ..hard.base import HardAnswers, in_any_order

MAX_PARITY = 16  # a circuit for parity has an operator for every scale
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


class BinMajority(OneSymbolTask):
    """Which of two bits is more frequent; ties do not occur."""

    name = "bin_majority"
    definition = "the more frequent bit; the number of 0s is uniform, without ties"
    length_means = "the number of bits"
    symbols = ("0", "1")
    min_length = 1
    citation = "arXiv 2410.02140"
    decided_by = (
        "most frequent symbol",
        "number of 0 against number of 1",
        "number of 0 against half the length",
        "number of 1 against half the length",
    )

    def __init__(self) -> None:
        self.facts = Facts(program=parse_program(_MAJORITY), how="The model compares how many 0s and 1s it has read")

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the more frequent bit."""
        return ["1" if prompt.count("1") > prompt.count("0") else "0"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return bits whose number of 0s is uniform over 0, …, length without a tie."""
        zeros = _untied_zeros(lengths_MB, draw.named("zeros"), xp)
        bits = _bits(zeros, lengths_MB, max_length, draw.named("order"), xp)
        return bits, xp.where(zeros * 2 < lengths_MB, 1, 0)[..., None]

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseMajority(self)}


class Parity(OneSymbolTask):
    """Whether the number of 1s is even (e) or odd (o)."""

    name = "parity"
    definition = "e if the number of 1s is even, o if it is odd; the number of 1s is uniform"
    length_means = "the number of bits"
    symbols = ("0", "1", "e", "o")
    min_length = 0
    citation = "arXiv 2410.02140"

    def __init__(self) -> None:
        self.facts = Facts(language=compile_regex("0*(10*10*)*"))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return e or o."""
        return ["o" if prompt.count("1") % 2 else "e"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return bits whose number of 1s is uniform over 0, …, length."""
        ones = draw.named("ones").integers(lengths_MB + 1, tuple(lengths_MB.shape[len(draw.keys.shape) :]))
        bits = _bits(lengths_MB - ones, lengths_MB, max_length, draw.named("order"), xp)
        return bits, xp.where(ones % 2 == 1, self.token("o"), self.token("e"))[..., None]

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": FewOrAllOnes(self)}


class Majority(OneSymbolTask):
    """Which of 26 letters is the most frequent."""

    name = "majority"
    definition = "the most frequent of 26 letters; letters are uniform, given that one of them is the most frequent"
    length_means = "the number of letters"
    attempts = _ATTEMPTS
    symbols = tuple("abcdefghijklmnopqrstuvwxyz")
    min_length = 1
    citation = "arXiv 2410.02140"
    decided_by = ("most frequent symbol",)
    facts = Facts(
        cited=(
            answered_by(
                "majority_letter",
                Fragment.PLAIN,
                "The answer is the letter with the largest count, and averages over all earlier tokens compare counts",
            ),
        )
    )

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

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseLetters(self)}


def interleaved_facts(num_streams: int) -> Facts:
    """Return that periods tell the streams apart, and that counting alone does not."""
    name = "interleaved_majority" if num_streams == 3 else f"'interleaved_majority({num_streams})'"
    periodic = answered_by(
        "interleaved_majority",
        Fragment.PERIODIC,
        f"The position modulo {num_streams} names a bit's stream, so each is counted by itself",
    )
    return Facts(
        cited=(
            replace(periodic, reason=f"{periodic.reason.partition(' (')[0]} (lengthwise show program {name})."),
            excluded_without_positions(
                lambda: turn_taking_inputs(num_streams),
                "Counting sees how many 0s and 1s there are in all, but not to which stream they belong.",
            ),
        )
    )


class BinMajorityInterleave(AnswerTask):
    """The majorities of three streams of bits that take turns."""

    name = "bin_majority_interleave"
    definition = "the majority bits of three interleaved streams, each without a tie"
    length_means = "the number of bits, of all streams together"
    symbols = ("0", "1")
    min_length = 3
    citation = "arXiv 2410.02140"
    facts = interleaved_facts(3)

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

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": CloseMajorities(self)}


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


def close_bits(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
    """Return bits of which one has a majority of 1, at even lengths of 2, and that one."""
    winner_MB = draw.named("winner").integers(2, batch_of(draw, lengths_MB))
    fewer_MB = (lengths_MB - 1) // 2
    ones_MB = xp.where(winner_MB == 1, lengths_MB - fewer_MB, fewer_MB)
    one = places(lengths_MB, max_length, xp) * 0 + 1
    return in_any_order(ones_MB, (one, one * 0), lengths_MB, draw.named("order"), xp), winner_MB


class CloseMajority(HardAnswers):
    """Majorities of one bit, or of two at even lengths, where one is a tie."""

    kind = "boundary"

    def __init__(self, base: BinMajority) -> None:
        super().__init__(base, "the counts differ by 1, or by 2 at even lengths")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits and which of them is the more frequent by as little as there can be."""
        bits, winner_MB = close_bits(draw, lengths_MB, max_length, xp)
        return bits, winner_MB[..., None]


class CloseMajorities(HardAnswers):
    """Streams all of whose majorities are as small as they can be."""

    kind = "boundary"

    def __init__(self, base: BinMajorityInterleave) -> None:
        self.num_streams = int(base.answer_length(base.min_length))
        super().__init__(base, "in every stream the counts differ by 1, or by 2 at even lengths")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return streams as in :class:`CloseMajority`, taking turns."""
        each_MB, width = lengths_MB // self.num_streams, -(-max_length // self.num_streams)
        drawn = [close_bits(draw.named("stream").at(number), each_MB, width, xp) for number in range(self.num_streams)]
        woven = xp.stack_last([bits for bits, _ in drawn]).reshape(*lengths_MB.shape, -1)
        return woven[..., :max_length], xp.stack_last([winner for _, winner in drawn])


class CloseLetters(HardAnswers):
    """Several letters that are equally frequent, but for one that occurs once more."""

    kind = "boundary"

    def __init__(self, base: Majority) -> None:
        super().__init__(base, "the most frequent letter is ahead by 1 of one or more letters, up to 12")

    def has(self, length: int) -> bool:
        """Return False for length 2, where a letter is ahead by 2 or not at all."""
        return length != 2

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words in which some letters take turns, after one more of the first; what is left occurs once each."""
        batch = batch_of(draw, lengths_MB)
        names = draw.named("letters").permutation(len(self.symbols), batch)
        others_MB = lengths_MB - 1
        most_MB = xp.where(others_MB < 13, others_MB, 13)  # so that the letters suffice for what is left
        letters_MB = draw.named("number").integers(xp.where(most_MB < 2, 1, most_MB - 1), batch) + 2
        turns = (others_MB // letters_MB * letters_MB)[..., None]
        place = places(lengths_MB, max_length, xp) - 1
        which = xp.where(place < turns, place % letters_MB[..., None], letters_MB[..., None] + place - turns)
        words = at(names, xp.where(place < 0, 0, which), xp)
        return shuffled(words, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp), names[..., :1]


class FewOrAllOnes(HardAnswers):
    """No 1s or one, or nothing else, or nothing else but one 0."""

    kind = "boundary"

    def __init__(self, base: Parity) -> None:
        super().__init__(base, "all 0s, all 0s but one, all 1s or all 1s but one")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits that are all alike, up to one at a uniform place, and the parity of their 1s."""
        batch = batch_of(draw, lengths_MB)
        some_MB = xp.where(lengths_MB > 0, lengths_MB, 1)
        spot_MB = draw.named("spot").integers(some_MB, batch)
        most_MB, differs_MB = (draw.named(name).integers(2, batch) for name in ("most", "differs"))
        is_spot = (places(lengths_MB, max_length, xp) == spot_MB[..., None]) & (differs_MB == 1)[..., None]
        bits = xp.where(is_spot, 1 - most_MB[..., None], most_MB[..., None])
        ones_MB = count((bits == 1) & is_inside(lengths_MB, max_length, xp), xp)
        return bits, xp.where(ones_MB % 2 == 1, self.token("o"), self.token("e"))[..., None]


def parity_problem() -> Problem:
    """Return parity in one step: an operator of arity n at scale n, because every symbol matters."""
    layout = word_layout(
        "parity",
        "1 if the number of 1s is odd, else 0",
        "01",
        lambda word: (str(word.count("1") % 2),),
        lambda scale: 1,  # noqa: ARG005
    )
    circuit = Circuit(
        name="parity",
        layout=layout,
        operators={f"xor_{number}": xor(f"xor_{number}", number) for number in range(1, MAX_PARITY + 1)},
        wire=lambda scale, step: Gate(operator=f"xor_{scale}", operands=tuple(range(scale))),  # noqa: ARG005
        note="y_1 = x_0 xor … xor x_{n−1}",
        max_scale=MAX_PARITY,
    )
    limit = NoCircuit(
        step=lambda scale: 1,  # noqa: ARG005
        num_forced=lambda scale: scale,
        bound="n",
        argument="any one symbol changes the answer, and only the prompt is visible before it.",
    )
    return Problem(layout=layout, circuit=circuit, limit=limit)


def xor(name: str, arity: int) -> Operator:
    """Return the operator that says whether an odd number of symbols is 1; every other symbol counts as 0."""
    return Operator(name=name, arity=arity, apply=lambda *symbols: str(symbols.count("1") % 2))


_MAJORITY_HALVES = TwoHalves(
    name="majority",
    definition="more 1s than 0s",
    first=words_over("01"),
    second=words_over("01"),
    answer=lambda first, second: (first + second).count("1") > (first + second).count("0"),
    argument="only the number of 1s in the first half matters: n + 1 rows.",
)
_PARITY_HALVES = TwoHalves(
    name="parity",
    definition="an even number of 1s",
    first=words_over("01"),
    second=words_over("01"),
    answer=lambda first, second: (first + second).count("1") % 2 == 0,
    argument="one bit is enough: communication does not exclude parity, other theorems do.",
)
PROBLEMS = {"parity": parity_problem}

FAMILIES: tuple[Family, ...] = (
    Family(
        name="bin_majority", group=Group.COUNTING, scratchpad="majority_cot", make=BinMajority, halves=_MAJORITY_HALVES
    ),
    Family(name="majority", group=Group.COUNTING, scratchpad="majority_cot", make=Majority),
    Family(
        name="parity",
        group=Group.COUNTING,
        scratchpad="parity_cot",
        make=Parity,
        problem=parity_problem,
        halves=_PARITY_HALVES,
    ),
)
