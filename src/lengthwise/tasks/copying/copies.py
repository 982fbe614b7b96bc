"""Copying: tokens that are all different, tokens that repeat, and two copies of these."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...seeds import Draw
from ...theory.communication import TwoHalves, words_over
from ...theory.positions.circuits import selecting_circuit
from ...theory.positions.layout import word_layout
from ...theory.positions.problem import Problem
from ..core.cited import answered_by, excluded_by_communication
from ..core.distinct_tokens import NUMBER_OF_SYMBOLS, DistinctTokensTask
from ..core.family import Family, Group
from ..core.row_functions import at, places, uniform
from ..core.task import AnswerTask, Batch, SameLengthTask, Task, copying_roles
from ..hard.repeats import RepeatedBlocks


class UniqueCopy(DistinctTokensTask):
    """Copy tokens that are all different."""

    family = "unique_copy"
    purpose = "copy"

    known = (
        answered_by(
            "unique_copy",
            Fragment.LOCAL,
            "An induction head copies: it finds the current token in the input and writes what followed it there. All tokens "
            "differ, so there is one such place",
        ),
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input."""
        return list(prompt)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return copying_roles(batch, xp)


class RepeatCopy(SameLengthTask):
    """Copy random tokens out of two."""

    name = "repeat_copy"
    definition = "copy random tokens out of a and b"
    length_means = "the number of tokens to copy"
    symbols = ("a", "b")
    min_length = 1
    citation = "arXiv 2410.02140"
    facts = excluded_by_communication("The answer needs every symbol of the input, in order")

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input."""
        return list(prompt)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return copying_roles(batch, xp)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:  # noqa: ARG002
        """Return independent fair coin flips."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        tokens = draw.named("tokens").integers(2, (*batch, max_length))
        return tokens, tokens

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"repeats": RepeatedBlocks(self)}


class Duplicate(AnswerTask):
    """Copy random tokens out of two, twice."""

    name = "duplicate"
    definition = "random tokens out of a and b, written twice, one copy after the other"
    length_means = "the number of tokens to duplicate; the answer has twice as many"
    symbols = ("a", "b")
    min_length = 1
    citation = "arXiv 2207.02098"
    facts = RepeatCopy.facts

    def answer_length(self, length: Array) -> Array:
        """Return twice the length of the input."""
        return length * 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input, and the input again."""
        return [*prompt, *prompt]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return independent fair coin flips, and the same again and again."""
        word = uniform(draw.named("word"), 2, lengths_MB, max_length)
        return word, at(word, places(lengths_MB, 2 * max_length, xp) % lengths_MB[..., None], xp)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its two copies; the separator has none, the end one of its own."""
        length = batch.scale_MB[..., None]
        place = places(batch.scale_MB, batch.tokens_MBL.shape[-1], xp)
        number = place - length - 2
        copied = xp.where(number < 2 * length, number % length, number - length)
        return xp.where(place <= length, place, xp.where(number < 0, 0, copied + 1))


def copy_problem(symbols: str = "01") -> Problem:
    """Return copying: y_t = x_{t−1}."""
    layout = word_layout("copy", "the word again", symbols, RepeatCopy().answer)
    return Problem(layout=layout, circuit=selecting_circuit(layout, "y_t = x_{t−1}", lambda scale, step: step - 1))  # noqa: ARG005


_HALVES = TwoHalves(
    name="copy",
    definition="the second half repeats the first, over {a, b}",
    first=words_over("ab"),
    second=words_over("ab"),
    answer=lambda first, second: first == second,
    argument="every first half is repeated by itself only: 2^n rows.",
)
PROBLEMS = {"copy": copy_problem}

FAMILIES: tuple[Family, ...] = (
    Family(
        name="repeat_copy", group=Group.COPYING, make=RepeatCopy, problem=lambda: copy_problem("ab"), halves=_HALVES
    ),
    Family(
        name="unique_copy",
        group=Group.COPYING,
        make=UniqueCopy,
        parameters=(NUMBER_OF_SYMBOLS,),
        problem=lambda _: copy_problem(),
    ),
    Family(name="duplicate", group=Group.COPYING, make=Duplicate),
)
