"""The parity of the bits so far, where the separator always stands at one position."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.claims import Answer
from ...theory.facts import Citation, Facts
from ...theory.positions.circuits import Circuit, Gate
from ...theory.positions.layout import EQUALS, Layout, check_at_least_1
from ...theory.positions.problem import Problem
from ..arithmetic.decimal import BITS
from ..core.cited import ONLY_A_TABLE
from ..core.family import Family, Group
from ..core.row_functions import at, is_inside, places, running_count
from ..core.stretched import StretchedTask
from ..core.task import Batch
from ..counting.majorities import xor
from .steps import random_bits

FILLER = "_"
DEFAULT_OFFSET = 128


def _listed(offset: int) -> Citation:
    """Return YES for inputs of one size, because a program can list them."""
    reason = f"There are only finitely many inputs, because all have {offset} symbols. {ONLY_A_TABLE}"
    return Citation(fragment=Fragment.PLAIN, answer=Answer.YES, theorem="finite_inputs", reason=reason)


class AlignedParityTrace(StretchedTask):
    """The parity of the bits so far, where the separator always stands at one place."""

    symbols = (*BITS, FILLER)
    min_length = 1
    length_means = "the number of bits, without what fills the input up"
    citation = "arXiv 2510.04130"

    def __init__(self, offset: int = DEFAULT_OFFSET) -> None:
        self.offset = offset
        self.facts = Facts(cited=(_listed(offset),))
        self.name = shortest_name("parity_cot_aligned", [offset], [DEFAULT_OFFSET])
        self.definition = (
            f"bits, filled up with {FILLER} to {offset} symbols; then, after each bit, the number of 1s so far modulo 2; the "
            "number of 1s is uniform"
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more bits than there is room for cannot be written."""
        if high > self.offset:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: its inputs have {self.offset} symbols.",
                hint=f"use lengths up to {self.offset}, or larger inputs: parity_cot_aligned({high}).",
            )
        return super().lengths(low, high)

    def input_length(self, length: Array) -> Array:
        """Return the size of every input."""
        return length * 0 + self.offset

    def answer_length(self, length: Array) -> Array:
        """Return the number of bits."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the parities of all prefixes."""
        bits = [symbol for symbol in prompt if symbol != FILLER]
        return [str(bits[:end].count("1") % 2) for end in range(1, len(bits) + 1)]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return bits with a uniform number of 1s, filled up, and their parities."""
        bits = random_bits(draw, lengths_MB, max_length, xp)
        filled = xp.where(is_inside(lengths_MB, max_length, xp), bits, self.token(FILLER))
        return at_or(filled, self.token(FILLER), self.offset, xp), running_count(bits == 1, xp) % 2

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a bit and the parity up to it; what fills the input up has none."""
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        told = xp.where(place <= batch.scale_MB[..., None], place, 0)
        return xp.where(place <= self.offset, told, place - self.offset - 1)


def at_or(values_MBN: Array, other: int, width: int, xp: Arrays) -> Array:
    """Return rows that are wider, with something else behind their end, [M, B, width]."""
    place = xp.broadcast(xp.arange(width), (*values_MBN.shape[:-1], width))
    return xp.where(place < values_MBN.shape[-1], at(values_MBN, place, xp), other)


def parity_cot_aligned_problem(offset: int = DEFAULT_OFFSET) -> Problem:
    """Return the parity of the first t symbols, where prompts are filled up, so that `=` always stands at one position."""
    check_at_least_1("parity_cot_aligned", offset, "the offset")
    task = AlignedParityTrace(offset)
    layout = Layout(
        name=f"parity_cot_aligned({offset})",
        definition=f"at every place the parity of the 1s so far; the prompt filled up with {FILLER}, `=` at position {offset}",
        alphabet=("0", "1", FILLER, EQUALS),
        choices=lambda scale: (("0", "1"),) * scale,
        prompt=lambda scale, free: (*free, *(FILLER,) * (offset - scale), EQUALS),
        answer=lambda prompt: tuple(task.answer(prompt[:-1])),
        prompt_length=lambda scale: offset + 1,  # noqa: ARG005
        answer_length=lambda scale: scale,
        max_scale=offset,
    )
    circuit = Circuit(
        name=layout.name,
        layout=layout,
        operators={"xor": xor("xor", 2)},
        wire=lambda scale, step: Gate(operator="xor", operands=(step - 1, offset + step - 1)),  # noqa: ARG005
        note="y_t = x_{t−1} xor y_{t−1}",
    )
    return Problem(
        layout=layout,
        circuit=circuit,
        unsettled="with a fixed offset there are only finitely many lengths, so that C-RASP says nothing",
    )


PROBLEMS = {"parity_cot_aligned": parity_cot_aligned_problem}
_OFFSET = Parameter(
    name="offset", default=DEFAULT_OFFSET, meaning="the number of symbols of every input", low=1, high=10_000
)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="parity_cot_aligned",
        group=Group.SCRATCHPADS,
        make=AlignedParityTrace,
        parameters=(_OFFSET,),
        problem=parity_cot_aligned_problem,
    ),
)
