"""Order: sorting with repetitions, largest and smallest tokens, and words written in another order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from itertools import product
from string import ascii_lowercase

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..crasp.parser import parse_program
from ..crasp.programs.templates import all_of, any_of, back, lines, quoted, symbol_among
from ..crasp.syntax import Program
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .algorithmic import FORM, FORMS, HEAD, NumberTask, open_numeral
from .family import Family, Group, Parameter, shortest_name
from .pieces import at, batch_of, one_at, places, sort, uniform
from .task import EOS, SEP, AnswerTask, Batch

DEFAULT_TOKENS = 20
_AFTER = f"after := #[{quoted([SEP])}] > 0"
_COPYING = Facts(
    cited=(
        Citation(
            fragment=Fragment.PERIODIC_LOCAL,
            answer=Answer.NO,
            theorem="communication",
            reason=(
                "the answer holds every symbol of an arbitrary input, as a copy does: half of it must be known to write the "
                "rest, but a program passes on only O(log n) bits."
            ),
        ),
    )
)


def _in_library(reason: str) -> Facts:
    return Facts(
        cited=(Citation(fragment=Fragment.PLAIN, answer=Answer.YES, theorem="library_program", reason=reason),)
    )


class BucketSort(AnswerTask):
    """Sort letters out of a few, which repeat."""

    length_means = "the number of letters to sort"
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = _in_library(
        "the next letter is the first of which fewer are written than given (lengthwise show program sort)."
    )

    def __init__(self, num_letters: int) -> None:
        self.name = shortest_name("bucket_sort", [num_letters], [5])
        self.definition = f"sort letters out of {num_letters}, which repeat; letters are uniform"
        self.symbols = tuple(ascii_lowercase[:num_letters])

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the letters in order."""
        return sorted(prompt)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform letters, and the same in order."""
        letters = uniform(draw.named("letters"), len(self.symbols), lengths_MB, max_length)
        return letters, sort(letters, lengths_MB, len(self.symbols) - 1, xp)


class MultidigitSort(AnswerTask):
    """Sort numbers of a few digits each; every number is followed by a comma."""

    citation = "arXiv 2405.17399"

    def __init__(self, num_digits: int) -> None:
        self.num_digits = num_digits
        self.name = shortest_name("sort_multidigit", [num_digits], [2])
        self.definition = (
            f"sort numbers of {num_digits} digits, each followed by a comma; uniform, leading zeros written"
        )
        self.length_means = f"the number of symbols, {num_digits + 1} for each number"
        self.min_length = num_digits + 1
        self.symbols = (*"0123456789", ",")
        self.facts = _sorting_facts(num_digits)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths of whole lists of numbers."""
        return tuple(length for length in super().lengths(low, high) if length % self.min_length == 0)

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the numbers in order."""
        numbers = "".join(prompt).split(",")[:-1]
        return list("".join(f"{number}," for number in sorted(numbers, key=int)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform numbers digit by digit, and the same in order."""
        bound = 10**self.num_digits
        numbers = uniform(draw.named("numbers"), bound, lengths_MB, -(-max_length // self.min_length))
        in_order = sort(numbers, lengths_MB // self.min_length, bound - 1, xp)
        return self._spelled(numbers, max_length, xp), self._spelled(in_order, max_length, xp)

    def _spelled(self, numbers: Array, max_length: int, xp: Arrays) -> Array:
        """Return the digits of numbers, a comma behind each, in rows of this width."""
        digits = [numbers // 10**power % 10 for power in reversed(range(self.num_digits))]
        return xp.stack_last([*digits, numbers * 0 + 10]).reshape(*numbers.shape[:-1], -1)[..., :max_length]


def _sorting_facts(num_digits: int) -> Facts:
    """Return the program or, where it would be long, that it is written in the same way."""
    if num_digits <= 2:
        return Facts(program=sorting_program("0123456789", num_digits))
    reason = (
        "the program for numbers of two digits (that of sort_multidigit) is written in the same way for "
        f"{num_digits}; it is about {10 ** (num_digits - 2)} times as long."
    )
    return Facts(cited=(Citation(fragment=Fragment.LOCAL, answer=Answer.YES, theorem="program", reason=reason),))


def sorting_program(digits: str, width: int) -> Program:
    """Return the program that sorts numbers of this many digits: it goes down the tree of their beginnings.

    A window tells at each comma the number before it, so that for every beginning of a number it is known how many
    such numbers are given and not yet written. The next digit is the smallest that leads on to one of these.
    """
    boundary = symbol_among([",", SEP])

    def here(start: str) -> str:
        """Return that the number that is being written begins like this and goes on."""
        own = [back(len(start) - 1 - place, digit) for place, digit in enumerate(start)]
        return all_of([*own, f"#{{{len(start)}}}[{boundary}] = 1"]) if start else f"({boundary})"

    starts = ["".join(start) for size in range(width) for start in product(digits, repeat=size)]
    rows = []
    for start in (start + digit for start in starts for digit in digits):
        ends = all_of([f"{quoted([','])}", *(back(width - place, digit) for place, digit in enumerate(start))])
        rows.append(f"left_{start} := #[{ends} and not after] - #[{ends} and after]")
    for number, digit in enumerate(digits):
        ways = [
            all_of([here(start), f"left_{start}{digit} > 0", *(f"left_{start}{less} = 0" for less in digits[:number])])
            for start in starts
        ]
        rows.append(f"next '{digit}' := after and ({any_of(ways)})")
    whole = f"#{{0..{width - 1}}}[{boundary}] = 0 and #{{{width}}}[{boundary}] = 1"  # so many digits, no fewer
    rows.append(f"next ',' := after and {whole}")
    none_left = all_of([f"({boundary})", *(f"left_{digit} = 0" for digit in digits)])
    return parse_program(
        lines(
            f"alphabet {quoted([*digits, ',', SEP])}",
            *HEAD,
            _AFTER,
            *rows,
            f"next {quoted([EOS])} := after and {none_left}",
        )
    )


class TokensTask(AnswerTask):
    """A task whose input is tokens that have an order, and whose answer is one of them."""

    length_means = "the number of tokens"
    min_length = 1
    citation = "arXiv 2310.16028"

    def __init__(self, num_tokens: int) -> None:
        self.symbols = tuple(f"s{number}" for number in range(num_tokens))

    def answer_length(self, length: Array) -> Array:
        """Return 1: one token."""
        return length * 0 + 1

    def draw_below(self, draw: Draw, lengths_MB: Array, max_length: int) -> tuple[Array, Array]:
        """Return uniform tokens up to a bound, which is uniform itself, and the bound."""
        batch = batch_of(draw, lengths_MB)
        bound_MB = draw.named("bound").integers(len(self.symbols), batch)
        return draw.named("tokens").integers(bound_MB[..., None] + 1, (*batch, max_length)), bound_MB

    def draw_largest(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return tokens and the largest of them, which is uniform; one place has it, the others are uniform up to it."""
        tokens, bound_MB = self.draw_below(draw, lengths_MB, max_length)
        chosen_MB = draw.named("place").integers(lengths_MB, batch_of(draw, lengths_MB))
        is_chosen = places(lengths_MB, max_length, xp) == chosen_MB[..., None]
        return xp.where(is_chosen, bound_MB[..., None], tokens), bound_MB[..., None]


def _number(token: str) -> int:
    return int(token[1:])


class Maximum(TokensTask):
    """The largest token."""

    facts = _in_library("the largest token is the one above which none occurs (lengthwise show program maximum).")

    def __init__(self, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.name = shortest_name("max", [num_tokens], [DEFAULT_TOKENS])
        self.definition = f"the largest of tokens out of {num_tokens}; it is uniform, the others uniform up to it"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the largest."""
        return [max(prompt, key=_number)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens and the largest of them."""
        return self.draw_largest(draw, lengths_MB, max_length, xp)


class Minimum(TokensTask):
    """The smallest token."""

    facts = _in_library("the smallest token is the one below which none occurs (lengthwise show program minimum).")

    def __init__(self, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.name = shortest_name("min", [num_tokens], [DEFAULT_TOKENS])
        self.definition = f"the smallest of tokens out of {num_tokens}; it is uniform, the others uniform from it on"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the smallest."""
        return [min(prompt, key=_number)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens as for the largest, counted from the other end."""
        tokens, largest = self.draw_largest(draw, lengths_MB, max_length, xp)
        return len(self.symbols) - 1 - tokens, len(self.symbols) - 1 - largest


class KthLargest(TokensTask):
    """The k-th largest token, equal ones counted apart."""

    facts = _in_library(
        "at least k tokens are as large as the k-th largest and fewer are larger (lengthwise show program kth_largest)."
    )

    def __init__(self, rank: int, num_tokens: int) -> None:
        super().__init__(num_tokens)
        self.rank = rank
        self.name = shortest_name("kth_largest", [rank, num_tokens], [2, DEFAULT_TOKENS])
        self.definition = (
            f"number {rank} of tokens out of {num_tokens}, the largest first; uniform up to a bound that is uniform"
        )
        self.min_length = rank

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the token of this rank."""
        return [sorted(prompt, key=_number, reverse=True)[self.rank - 1]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return tokens and the one so many places before the end of their order."""
        tokens, _ = self.draw_below(draw, lengths_MB, max_length)
        in_order = sort(tokens, lengths_MB, len(self.symbols) - 1, xp)
        return tokens, one_at(in_order, lengths_MB - self.rank, xp)[..., None]


class ArgMax(NumberTask):
    """The place of the largest token, the first place being 1; there is one such token."""

    length_means = "the number of tokens"
    min_length = 1
    citation = "arXiv 2310.16028"

    def __init__(self, form: str, num_tokens: int) -> None:
        super().__init__(form, tuple(f"s{number}" for number in range(num_tokens)))
        self.name = shortest_name("argmax", [form, num_tokens], [FORMS[0], DEFAULT_TOKENS])
        how = "as so many 1s" if self.is_unary else "in decimal"
        self.definition = (
            f"the place of the largest of tokens out of {num_tokens}, {how}; place and largest are uniform"
        )
        unknown = Facts(cited=(open_numeral("the place of the largest token"),))
        self.facts = Facts(program=_place_program(self.input_symbols)) if self.is_unary else unknown

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the place of the largest token."""
        return self.spelled(1 + list(prompt).index(max(prompt, key=_number)))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a token at a uniform place, smaller ones, uniform, at all others, and the place."""
        batch = batch_of(draw, lengths_MB)
        largest_MB = draw.named("largest").integers(len(self.input_symbols) - 1, batch) + 1
        smaller = draw.named("tokens").integers(largest_MB[..., None], (*batch, max_length))
        place_MB = draw.named("place").integers(lengths_MB, batch)
        is_there = places(lengths_MB, max_length, xp) == place_MB[..., None]
        return xp.where(is_there, largest_MB[..., None], smaller), *self.written(place_MB + 1, max_length, xp)


def _place_program(tokens: Sequence[str]) -> Program:
    """Return the program that writes a 1 for every place before the first largest token, from the start symbol on."""
    rows, writing, ending, above = [], [], [], "0"
    for token in reversed(tokens):
        rows.append(f"is_{token} := #[{quoted([token])}] > 0 and {above} = 0")
        rows.append(f"from_{token} := {above} + #[{quoted([token])}]")
        rows.append(f"place_{token} := #[not after and #[{quoted([token])}] = 0]")
        writing.append(f"is_{token} and #['1'] < place_{token}")
        ending.append(f"is_{token} and #['1'] = place_{token}")
        above = f"from_{token}"
    rows.append(f"next '1' := after and ({any_of(writing)})")
    rows.append(f"next {quoted([EOS])} := after and ({any_of(ending)})")
    return parse_program(lines(f"alphabet {quoted([*tokens, '1', SEP])}", *HEAD, _AFTER, *rows))


class RearrangedTask(AnswerTask):
    """A task whose answer is the symbols of its input, random ones out of a and b, in an order that the length gives."""

    symbols = ("a", "b")
    min_length = 1
    facts = _COPYING

    @abstractmethod
    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return for places of the answer, from 0 on, which place of the input they repeat."""

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return fair coin flips, and the same in the other order."""
        word = uniform(draw.named("word"), 2, lengths_MB, max_length)
        return word, at(word, self.sources(places(lengths_MB, max_length, xp), lengths_MB[..., None], xp), xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a symbol and its repetition; the separator has none, the end one of its own."""
        length = batch.scale_MB[..., None]
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        number = place - length - 2
        source = xp.where(number < length, self.sources(xp.where(number < 0, 0, number), length, xp), number)
        return xp.where(place <= length, place, xp.where(number < 0, 0, source + 1))


class OddsFirst(RearrangedTask):
    """The symbols at odd places, then those at even places."""

    name = "odds_first"
    definition = (
        "random symbols out of a and b: those at odd places, then those at even places, the first place being 1"
    )
    length_means = "the number of symbols to rearrange"
    citation = "arXiv 2207.02098"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return every second symbol from the first on, then every second from the second on."""
        return [*prompt[::2], *prompt[1::2]]

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:
        """Return twice the place, and from the middle on the places left out."""
        num_odd = (length + 1) // 2
        return xp.where(place < num_odd, place * 2, (place - num_odd) * 2 + 1)


class Shift(RearrangedTask):
    """The input moved to the left by k places; what falls off comes last."""

    length_means = "the number of symbols to shift"
    citation = "arXiv 2510.04130"

    def __init__(self, distance: int) -> None:
        self.distance = distance
        self.name = shortest_name("shift", [distance], [1])
        self.definition = f"random symbols out of a and b, moved {distance} to the left; what falls off comes last"

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the word after its first symbol was put last, so many times."""
        return reduce(lambda word, _: [*word[1:], word[0]], range(self.distance), list(prompt))

    def sources(self, place: Array, length: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the place so many further on, around the end."""
        return (place + self.distance) % length


_LETTERS = Parameter(name="letters", default=5, meaning="the number of letters", low=2, high=26)
_TOKENS = Parameter(name="tokens", default=DEFAULT_TOKENS, meaning="the number of different tokens", low=2, high=150)
_DIGITS = Parameter(name="digits", default=2, meaning="the number of digits", low=1, high=6)
_RANK = Parameter(name="rank", default=2, meaning="the rank", low=1, high=100)
_DISTANCE = Parameter(name="distance", default=1, meaning="the number of places", low=1, high=100)

FAMILIES: tuple[Family, ...] = tuple(
    Family(name=name, group=Group.COUNTING, make=make, parameters=parameters, rows=(row,))
    for name, make, parameters, row in (
        ("sort_multidigit", MultidigitSort, (_DIGITS,), "a05"),
        ("bucket_sort", BucketSort, (_LETTERS,), "a06"),
        ("odds_first", OddsFirst, (), "a13"),
        ("max", Maximum, (_TOKENS,), "a14"),
        ("min", Minimum, (_TOKENS,), "a14"),
        ("argmax", ArgMax, (FORM, _TOKENS), "a14"),
        ("kth_largest", KthLargest, (_RANK, _TOKENS), "a15"),
        ("shift", Shift, (_DISTANCE,), "a17"),
    )
)
