"""Counts at the border of the decision: majorities by one, ties, remainders that have just turned over."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler
from ...seeds import Draw
from .. import numbers
from ..algorithmic import CountMod, CountSymbol
from ..counters import Blocks, Dyck1
from ..counting import BinMajority, BinMajorityInterleave, Majority, Parity
from ..histograms import Mode, MostFrequent
from ..operations import Compare
from ..pieces import at, batch_of, behind, count, count_symbols, is_inside, one_at, places, uniform
from ..task import Task, shuffled
from .base import HardAnswers, HardWords

KIND = "boundary"


def boundary(task: Task) -> Task | None:
    """Return the instances of a task at its border, or None if it has no border of this kind."""
    match task:
        case BinMajority():
            return CloseMajority(task)
        case BinMajorityInterleave():
            return CloseMajorities(task)
        case Majority():
            return CloseLetters(task)
        case Parity():
            return FewOrAllOnes(task)
        case CountMod():
            return NearMultiples(task)
        case CountSymbol():
            return NearRoundNumbers(task)
        case Mode():
            return CloseMode(task)
        case MostFrequent():
            return CloseFrequencies(task)
        case Compare():
            return CloseNumbers(task)
        case Dyck1():
            return NearGround(task)
        case Blocks():
            return OneMoreOfEach(task)
    return None


def in_any_order(first_MB: Array, values: tuple[Array, Array], lengths_MB: Array, draw: Draw, xp: Arrays) -> Array:
    """Return rows in which so many places have the first value and all others the second, in a random order."""
    one, other = values
    width = one.shape[-1]
    mixed = xp.where(places(lengths_MB, width, xp) < first_MB[..., None], one, other)
    return shuffled(mixed, is_inside(lengths_MB, width, xp), draw, xp)


def close_bits(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
    """Return bits of which one has a majority of 1, at even lengths of 2, and that one."""
    winner_MB = draw.named("winner").integers(2, batch_of(draw, lengths_MB))
    fewer_MB = (lengths_MB - 1) // 2
    ones_MB = xp.where(winner_MB == 1, lengths_MB - fewer_MB, fewer_MB)
    one = places(lengths_MB, max_length, xp) * 0 + 1
    return in_any_order(ones_MB, (one, one * 0), lengths_MB, draw.named("order"), xp), winner_MB


class CloseMajority(HardAnswers):
    """Majorities of one bit, or of two at even lengths, where one is a tie."""

    kind = KIND

    def __init__(self, base: BinMajority) -> None:
        super().__init__(base, "the counts differ by 1, or by 2 at even lengths")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits and which of them is the more frequent by as little as there can be."""
        bits, winner_MB = close_bits(draw, lengths_MB, max_length, xp)
        return bits, winner_MB[..., None]


class CloseMajorities(HardAnswers):
    """Streams all of whose majorities are as small as they can be."""

    kind = KIND

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

    kind = KIND

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

    kind = KIND

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


class NearMultiples(HardAnswers):
    """Numbers of xs that are a multiple of the modulus, or one more or less."""

    kind = KIND

    def __init__(self, base: CountMod) -> None:
        self.modulus = base.modulus
        super().__init__(base, f"the number of xs is a multiple of {base.modulus}, or one more or less")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words with such a number of xs, and its remainder."""
        batch = batch_of(draw, lengths_MB)
        multiple_MB = self.modulus * draw.named("multiple").integers(lengths_MB // self.modulus + 1, batch)
        near_MB = multiple_MB + draw.named("near").integers(3, batch) - 1
        marked_MB = xp.where((near_MB < 0) | (near_MB > lengths_MB), multiple_MB, near_MB)
        words = _marked(marked_MB, draw, lengths_MB, max_length, xp)
        return words, marked_MB[..., None] % self.modulus + self.token("0")


class NearRoundNumbers(HardAnswers):
    """Hardly any xs or hardly anything else, or a number of them at which one more digit is needed."""

    kind = KIND

    def __init__(self, base: CountSymbol) -> None:
        self.counts = base
        super().__init__(base, "0, 1, all or all but one are xs, or 9, 10, 99, 100, … of them")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words with such a number of xs, and that number."""
        powers = [10**power for power in range(1, len(str(max_length)))]
        few = lengths_MB * 0
        ends = [few, few + 1, lengths_MB - 1, lengths_MB]
        round_numbers = [few + near for power in powers for near in (power - 1, power)]
        fitting_MB = 4 + sum((xp.where(lengths_MB >= power, 2, 0) for power in powers), start=few)
        choice_MB = draw.named("choice").integers(fitting_MB, batch_of(draw, lengths_MB))
        marked_MB = one_at(xp.stack_last([*ends, *round_numbers]), choice_MB, xp)
        words = _marked(marked_MB, draw, lengths_MB, max_length, xp)
        return words, *self.counts.written(marked_MB, max_length, xp)


def _marked(marked_MB: Array, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return words over x, a, b, as 0, 1, 2, with so many xs."""
    others = uniform(draw.named("others"), 2, lengths_MB, max_length) + 1
    return in_any_order(marked_MB, (others * 0, others), lengths_MB, draw.named("order"), xp)


def even_letters(number: int, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return words of 2 or more letters, out of so many, whose counts differ by 1 at most."""
    batch = batch_of(draw, lengths_MB)
    names = draw.named("letters").permutation(number, batch)
    letters_MB = draw.named("number").integers(number - 1, batch) + 2
    words = at(names, places(lengths_MB, max_length, xp) % letters_MB[..., None], xp)
    return shuffled(words, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp)


class CloseMode(HardAnswers):
    """Letters that are equally frequent, up to 1."""

    kind = KIND

    def __init__(self, base: Mode) -> None:
        super().__init__(base, "two or more letters whose counts differ by 1 at most, so that many are ties")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words, and the first in the alphabet of their most frequent letters."""
        number = len(self.symbols)
        words = even_letters(number, draw, lengths_MB, max_length, xp)
        counts = count_symbols(words, is_inside(lengths_MB, max_length, xp), number, xp)
        best = xp.running_max_last(counts * number + (number - 1 - xp.arange(number)))[..., -1:]
        return words, number - 1 - best % number


class CloseFrequencies(HardAnswers):
    """The words of :class:`CloseMode`, to be put in order."""

    kind = KIND

    def __init__(self, base: MostFrequent) -> None:
        super().__init__(base, "two or more letters whose counts differ by 1 at most, so that many are ties")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return words, their letters by frequency and then by first place, and how many these are."""
        number = len(self.symbols)
        words = even_letters(number, draw, lengths_MB, max_length, xp)
        inside = is_inside(lengths_MB, max_length, xp)
        counts = count_symbols(words, inside, number, xp)
        left = max_length - places(lengths_MB, max_length, xp)
        first = [xp.running_max_last(xp.where(inside & (words == each), left, 0))[..., -1] for each in range(number)]
        order = xp.stable_argsort(-(counts * (max_length + 1) + xp.stack_last(first)))
        return words, order[..., : int(self.answer_length(max_length))], count(counts > 0, xp)


class CloseNumbers(HardAnswers):
    """Numbers that are equal, or differ in the last digit, or by 1 with a carry."""

    kind = KIND

    def __init__(self, base: Compare) -> None:
        self.compare = base
        super().__init__(base, "x and y are equal, or differ in their last digit only, or by 1 with 9s at the end")

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return close numbers, and how they compare."""
        width, sizes_MB = max_length // 2 - 1, lengths_MB // 2 - 1
        batch = batch_of(draw, lengths_MB)
        place = places(lengths_MB, width, xp)
        lower = uniform(draw.named("digits"), 10, lengths_MB, width)  # of the smaller number, the last digit first
        nines_MB = draw.named("nines").integers(sizes_MB, batch)
        carries_MB = draw.named("carries").integers(2, batch) == 1
        first_MB = xp.where(carries_MB, nines_MB, 0)[..., None]
        low_MB = draw.named("low").integers(9, batch)
        step_MB = xp.where(carries_MB, 1, draw.named("step").integers(9 - low_MB, batch) + 1)
        lower = xp.where(place < first_MB, 9, xp.where(place == first_MB, low_MB[..., None], lower))
        upper = xp.where(place < first_MB, 0, xp.where(place == first_MB, (low_MB + step_MB)[..., None], lower))
        order_MB = draw.named("order").integers(3, batch)  # <, > or =
        one = xp.where((order_MB == 1)[..., None], upper, lower)
        two = xp.where((order_MB == 0)[..., None], upper, lower)
        texts = [numbers.written(each, sizes_MB, width, xp) for each in (one, two)]
        signs = xp.asarray([self.token(sign) for sign in "<>="])
        return self.compare.ask(texts, lengths_MB, max_length, xp), signs[order_MB][..., None]


class NearGround(HardWords):
    """Brackets that go up once and down again, and then stay at depth 2 or less."""

    kind = KIND

    def __init__(self, base: Dyck1) -> None:
        super().__init__(base, "(((…))) of a uniform size, then brackets at most two deep")
        self._samplers: dict[tuple[int, int], WordSampler] = {}

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words most of whose prefixes are closed or nearly so, at a large or at a small count."""
        key = (max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(compile_regex("(a(ab)*b)*"), max_length=max_length, xp=xp)
        height_MB = draw.named("height").integers(lengths_MB // 2 + 1, batch_of(draw, lengths_MB))
        shallow = self._samplers[key].sample(lengths_MB - 2 * height_MB, draw.named("shallow"))
        if not max_length:
            return shallow
        tower = xp.where(places(lengths_MB, max_length, xp) < height_MB[..., None], 0, 1)
        return behind(tower, 2 * height_MB, xp.where(shallow < 0, 0, shallow), max_length, xp)


class OneMoreOfEach(HardWords):
    """The word of a length, or what the next longer word begins with: it is one symbol of each kind short of its end."""

    kind = KIND

    def __init__(self, base: Blocks) -> None:
        super().__init__(base, "the word itself, or a prefix of equal length of the word with one more of each letter")

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return the word of each length, or the beginning of the next longer one."""
        number = len(self.symbols)
        longer_MB = lengths_MB + number * draw.named("longer").integers(2, batch_of(draw, lengths_MB))
        return self.base.draw_words(draw, longer_MB, max_length + number, xp)[..., :max_length]

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the task's sets for the whole word, whose blocks are as long as the first one."""
        block_MB = count((words_MBN == 0) & is_inside(lengths_MB, words_MBN.shape[-1], xp), xp)
        return self.base.sets_after(words_MBN, len(self.symbols) * block_MB, xp)
