"""Tasks whose answers show their work: running parities, products, counts and depths, selections, machine tapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, permutations

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ...theory.positions.circuits import Circuit, Gate
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import Problem
from ..arithmetic import numbers
from ..arithmetic.decimal import BITS
from ..core.cited import answered_at_fixed_alphabet, excluded_by_communication
from ..core.distinct_tokens import DistinctTokensTask
from ..core.family import Family, Group
from ..core.host_tasks import HostTask, Numbers
from ..core.row_functions import at, batch_of, fold, is_inside, one_at, pick, places, running_count, uniform
from ..core.task import AnswerTask, Batch, SameLengthTask, copying_roles, shuffled
from ..counting.majorities import xor

_TOLD = excluded_by_communication(
    "The steps in the answer reveal every symbol of the input, so the answer needs all of them"
)
DEFAULT_LARGEST = 150


class ParityTrace(SameLengthTask):
    """The parity of the bits so far, after each bit."""

    name = "parity_cot"
    definition = "after each bit, the number of 1s so far modulo 2; the number of 1s is uniform"
    length_means = "the number of bits"
    symbols = BITS
    min_length = 1
    citation = "arXiv 2207.04901"
    facts = _TOLD

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the parities of all prefixes."""
        return [str(list(prompt[:end]).count("1") % 2) for end in range(1, len(prompt) + 1)]

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a bit and the parity up to it."""
        return copying_roles(batch, xp)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits with a uniform number of 1s, and their parities."""
        bits = random_bits(draw, lengths_MB, max_length, xp)
        return bits, running_count(bits == 1, xp) % 2


def random_bits(draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
    """Return bits whose number of 1s is uniform, in a random order."""
    ones = draw.named("ones").integers(lengths_MB + 1, batch_of(draw, lengths_MB))
    in_order = xp.where(places(lengths_MB, max_length, xp) < ones[..., None], 1, 0)
    return shuffled(in_order, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp)


class GroupTrace(SameLengthTask):
    """The product so far, after each element of a group."""

    length_means = "the number of elements"
    min_length = 1
    citation = "arXiv 2404.08819"
    facts = _TOLD

    def __init__(self, group: str) -> None:
        self.name = shortest_name("state_track_cot", [group], ["S3"])
        self.definition = (
            f"after each of uniform elements of {group}, the product of those so far, the first acting first"
        )
        self.group = group
        permuted: list[tuple[int, ...]] = list(permutations((1, 2, 3)))
        self.elements: list[tuple[int, ...]] = permuted if group == "S3" else [(shift,) for shift in range(5)]
        self.symbols = tuple("".join(map(str, element)) for element in self.elements)

    def product(self, one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
        """Return what the two elements do one after the other: permutations of 1, 2, 3, or shifts modulo 5."""
        if self.group == "S3":
            return tuple(two[image - 1] for image in one)
        return ((one[0] + two[0]) % 5,)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the products of all prefixes."""
        products = accumulate((tuple(map(int, symbol)) for symbol in prompt), self.product)
        return ["".join(map(str, product)) for product in products]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return uniform elements and their running products."""
        rows = [[self.elements.index(self.product(one, two)) for two in self.elements] for one in self.elements]
        elements = uniform(draw.named("elements"), len(self.elements), lengths_MB, max_length)
        return elements, fold(elements, xp.asarray(rows), 0, xp)[..., 1:]


class _Numbered(AnswerTask):
    """A task whose trace has whole numbers as tokens, so that the largest bounds the length."""

    family: str
    min_length = 1

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self.facts = Facts(
            cited=(
                answered_at_fixed_alphabet(
                    f"a trace of n symbols needs numbers up to n, and only those up to {largest} are tokens"
                ),
            )
        )
        self.name = shortest_name(self.family, [largest], [DEFAULT_LARGEST])

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; numbers beyond the largest cannot be written."""
        if high > self.largest:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: its numbers end at {self.largest}.",
                hint=f"use lengths up to {self.largest}, or larger numbers: {self.family}({high}).",
            )
        return super().lengths(low, high)


class CountTrace(_Numbered):
    """The number of 1s so far, after each bit."""

    family = "count_cot"
    definition = "after each bit, the number of 1s so far, as one token; the number of 1s is uniform"
    length_means = "the number of bits"
    citation = "arXiv 2310.16028"

    def __init__(self, largest: int) -> None:
        super().__init__(largest)
        self.symbols = (*BITS, *(f"n{number}" for number in range(largest + 1)))

    def answer_length(self, length: Array) -> Array:
        """Return the number of bits."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the counts of all prefixes."""
        return [f"n{list(prompt[:end]).count('1')}" for end in range(1, len(prompt) + 1)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits and running counts."""
        bits = random_bits(draw, lengths_MB, max_length, xp)
        return bits, running_count(bits == 1, xp) + 2


class MajorityTrace(_Numbered):
    """By how much 1s lead 0s, after each bit, then the more frequent bit."""

    family = "majority_cot"
    definition = (
        "after each bit, by how much the 1s lead, as one token; at last the more frequent bit, 0 for a tie; the number of 1s is "
        "uniform"
    )
    length_means = "the number of bits"
    citation = "arXiv 2310.16028"

    def __init__(self, largest: int) -> None:
        super().__init__(largest)
        self.symbols = (*BITS, *(f"n{number}" for number in range(-largest, largest + 1)))

    def answer_length(self, length: Array) -> Array:
        """Return the number of bits, and one."""
        return length + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the leads of all prefixes and the majority."""
        leads = list(accumulate(1 if bit == "1" else -1 for bit in prompt))
        return [*(f"n{lead}" for lead in leads), "1" if leads[-1] > 0 else "0"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits, running leads and the majority."""
        bits = random_bits(draw, lengths_MB, max_length, xp)
        leads = xp.running_sum(2 * bits - 1, -1)
        winner = xp.where(one_at(leads, lengths_MB - 1, xp) > 0, 1, 0)
        parts = ((leads + 2 + self.largest, lengths_MB), (winner[..., None], lengths_MB * 0 + 1))
        return bits, numbers.joined(parts, lengths_MB, max_length + 1, xp)[0]


class DyckTrace(_Numbered):
    """The depth after each bracket, and whether the brackets balance."""

    family = "dyck_cot"
    definition = (
        "after each bracket the depth, as one token, until it would fall below 0, then yes if the brackets balance, else no; half "
        "of the words are uniform balanced ones; of the others 7 in 8 are such with an opening and a later closing bracket swapped, "
        "and 1 in 8 such with one bracket turned round"
    )
    revision = 2
    length_means = "the number of brackets, which is even"
    min_length = 2
    citation = "after arXiv 2410.02140"

    def __init__(self, largest: int) -> None:
        super().__init__(largest)
        self.symbols = ("(", ")", "yes", "no", *(f"n{number}" for number in range(largest + 1)))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: even ones."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def answer_length(self, length: Array) -> Array:
        """Return the number of brackets, and one."""
        return length + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the depths and the verdict."""
        trace: list[str] = []
        depth = 0
        for bracket in prompt:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                return [*trace, "no"]
            trace.append(f"n{depth}")
        return [*trace, "yes" if depth == 0 else "no"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return brackets, depths and the verdict.

        Among the rotations of a word with one closing bracket more than opening ones, exactly one is a balanced word and a
        closing bracket: it starts after the first place where the depth is lowest.
        """
        width, longer_MB = max_length + 1, lengths_MB + 1
        in_order = xp.where(places(lengths_MB, width, xp) < (lengths_MB // 2)[..., None], 1, -1)
        inside = is_inside(longer_MB, width, xp)
        steps = shuffled(in_order, inside, draw.named("order"), xp)
        lead = xp.running_sum(steps, -1)
        lowest = xp.stable_argsort(xp.where(inside, lead, width))[..., :1]
        place = places(lengths_MB, width, xp)
        steps = at(steps, (place + lowest + 1) % longer_MB[..., None], xp)[..., :max_length]
        batch = batch_of(draw, lengths_MB)
        is_broken = draw.named("broken").integers(2, batch)[..., None] == 1
        turned = draw.named("turned").integers(lengths_MB, batch)[..., None]
        place, in_word = place[..., :max_length], is_inside(lengths_MB, max_length, xp)
        is_turned = draw.named("kind").integers(8, batch)[..., None] == 0
        one, other = self._swapped(steps, in_word, draw.named("swapped"), xp)
        is_changed = xp.where(is_turned, place == turned, (place == one[..., None]) | (place == other[..., None]))
        steps = xp.where(is_broken & is_changed, -steps, steps)
        depths = xp.running_sum(steps, -1)
        falls = (depths < 0) & is_inside(lengths_MB, max_length, xp)
        told_MB = xp.where((running_count(falls, xp) == 0) & is_inside(lengths_MB, max_length, xp), 1, 0).sum(-1)
        verdict = xp.where(is_broken, self.token("no"), self.token("yes"))
        parts = ((depths + 4, told_MB), (verdict, lengths_MB * 0 + 1))
        return xp.where(steps == 1, 0, 1), *numbers.joined(parts, lengths_MB, max_length + 1, xp)

    @staticmethod
    def _swapped(steps: Array, in_word: Array, draw: Draw, xp: Arrays) -> tuple[Array, Array]:
        """Return the places of an opening and a later closing bracket of balanced words that may not be swapped.

        Swapping lowers the depth by 2 in between, where it must be 1 or 0 somewhere.
        """
        place, depths = xp.arange(steps.shape[-1]), xp.running_sum(steps, -1)
        opening = pick(in_word & (steps == 1), draw.named("opening"), xp)[..., None]
        is_low = in_word & (place >= opening) & (depths <= 1)
        is_after = (running_count(is_low, xp) > 0) & ~(is_low & (running_count(is_low, xp) == 1))
        closing = pick(in_word & (steps == -1) & is_after, draw.named("closing"), xp)
        return opening[..., 0], closing


class SortTrace(DistinctTokensTask):
    """Selection sort: where the smallest token that is left stands, and which it is."""

    family = "sort_cot"
    purpose = "sort"
    citation = "arXiv 2507.13332"

    def __init__(self, num_symbols: int) -> None:
        super().__init__(num_symbols)
        self.definition = f"for each token, from the smallest, its place in the input, then itself; all different, out of {num_symbols}"
        self.symbols = (*self.symbols, *(f"p{place}" for place in range(1, num_symbols + 1)))

    def answer_length(self, length: Array) -> Array:
        """Return two for each token."""
        return 2 * length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return places and tokens, the smallest left at every step."""
        left, trace = list(prompt), []
        while left:
            smallest = min(left, key=lambda token: int(token[1:]))
            left.remove(smallest)
            trace += [f"p{list(prompt).index(smallest) + 1}", smallest]
        return trace

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return places and tokens in order."""
        inside = is_inside(lengths_MB, tokens_MBN.shape[-1], xp)
        order = xp.stable_argsort(xp.where(inside, tokens_MBN, self.num_symbols))
        pairs = xp.stack_last([order + self.num_symbols, xp.gather_last(tokens_MBN, order)])
        return pairs.reshape((*lengths_MB.shape, -1))


class TuringProgram(HostTask):
    """The tape of a random machine after each of a few steps."""

    symbols = (*BITS, "A", "B", "|", *(bit + move + state for bit in BITS for move in "LR" for state in "AB"))
    min_length = 5
    citation = "after arXiv 2407.03310"
    facts = excluded_by_communication("The first step copies the tape but for one bit, so the answer needs the tape")

    def __init__(self, num_steps: int) -> None:
        self.num_steps = num_steps
        self.name = shortest_name("turing_program", [num_steps], [4])
        self.definition = (
            "four rules (what to write, where to move, the next state) for A0, A1, B0 and B1, and a tape, all uniform; then the tape "
            f"after each of {num_steps} steps, with the state before its cell; it begins in A at the first cell, and ends when it "
            "leaves the tape"
        )
        self.length_means = "the number of symbols of the rules and the tape: its cells, and 4"

    def answer_length(self, length: Array) -> Array:
        """Return, for each step, the cells, the state and a bar."""
        return (length - 2) * self.num_steps

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the tapes; the head starts on the first cell, in state A."""
        rules = dict(zip(("A0", "A1", "B0", "B1"), prompt[:4], strict=True))
        tape, head, state = list(prompt[4:]), 0, "A"
        trace: list[str] = []
        for _ in range(self.num_steps):
            rule = rules[state + tape[head]]
            tape[head], state = rule[0], rule[2]
            head += 1 if rule[1] == "R" else -1
            if not 0 <= head < len(tape):
                return [*trace, *tape, "|"]
            trace += [*tape[:head], state, *tape[head:], "|"]
        return trace

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return uniform rules and bits."""
        rules = [self.symbols[5 + numbers.below(8)] for _ in range(4)]
        return [*rules, *(BITS[numbers.below(2)] for _ in range(length - 4))]


def parity_cot_problem() -> Problem:
    """Return the parity of the first t symbols: y_t = x_{t−1} xor y_{t−1}, `=` counting as 0."""
    layout = word_layout("parity_cot", "at every place the parity of the 1s so far", "01", ParityTrace().answer)
    circuit = Circuit(
        name="parity_cot",
        layout=layout,
        operators={"xor": xor("xor", 2)},
        wire=lambda scale, step: Gate(operator="xor", operands=(step - 1, scale + step - 1)),
        note="y_t = x_{t−1} xor y_{t−1}",
    )
    return Problem(layout=layout, circuit=circuit)


PROBLEMS = {"parity_cot": parity_cot_problem}
_LARGEST = Parameter(
    name="largest", default=DEFAULT_LARGEST, meaning="the largest number that can be written", low=2, high=100_000
)

FAMILIES: tuple[Family, ...] = (
    Family(name="parity_cot", group=Group.SCRATCHPADS, make=ParityTrace, problem=parity_cot_problem),
    Family(
        name="turing_program",
        group=Group.SCRATCHPADS,
        make=TuringProgram,
        parameters=(Parameter(name="steps", default=4, meaning="how many steps are shown", low=1, high=1000),),
    ),
    Family(
        name="sort_cot",
        group=Group.SCRATCHPADS,
        make=SortTrace,
        parameters=(Parameter(name="symbols", default=150, meaning="the number of its symbols", low=1, high=100_000),),
    ),
    Family(name="count_cot", group=Group.SCRATCHPADS, make=CountTrace, parameters=(_LARGEST,)),
    Family(name="majority_cot", group=Group.SCRATCHPADS, make=MajorityTrace, parameters=(_LARGEST,)),
    Family(name="dyck_cot", group=Group.SCRATCHPADS, make=DyckTrace, parameters=(_LARGEST,)),
    Family(
        name="state_track_cot",
        group=Group.SCRATCHPADS,
        make=GroupTrace,
        parameters=(Parameter(name="group", default="S3", meaning="a group", words=("Z5", "S3")),),
    ),
)
