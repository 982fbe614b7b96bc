"""Copying: tokens that are all different, and tokens that repeat."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .distinct import NUMBER_OF_SYMBOLS, DistinctTokensTask
from .family import Family, Group
from .task import AnswerTask, Batch, copying_roles


class UniqueCopy(DistinctTokensTask):
    """Copy tokens that are all different."""

    family = "unique_copy"
    purpose = "copy"

    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.LOCAL,
                answer=Answer.YES,
                theorem="library_program",
                reason=(
                    "an induction head is a program: with all tokens different, the next one is the one that followed "
                    "before (lengthwise show program unique_copy)."
                ),
            ),
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.UNKNOWN,
                theorem="published_prediction",
                reason=(
                    "for every fixed number of symbols there is a program without windows that orders them by first "
                    "occurrence (lengthwise show program dedup), but then the inputs are finitely many; of alphabets that "
                    "grow no theorem here speaks. arXiv 2410.02140 predicts failure without a proof."
                ),
            ),
        )
    )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input."""
        return list(prompt)

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a token and its copy."""
        return copying_roles(batch, xp)


class RepeatCopy(AnswerTask):
    """Copy random tokens out of two."""

    name = "repeat_copy"
    definition = "copy random tokens out of a and b"
    length_means = "the number of tokens to copy"
    symbols = ("a", "b")
    min_length = 1
    citation = "arXiv 2410.02140"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PERIODIC_LOCAL,
                answer=Answer.NO,
                theorem="communication",
                reason="half of the input must be known to write the rest, but a program passes on only O(log n) bits.",
            ),
        )
    )

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

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


FAMILIES: tuple[Family, ...] = (
    Family(name="unique_copy", group=Group.COPYING, make=UniqueCopy, parameters=(NUMBER_OF_SYMBOLS,), rows=("r01",)),
    Family(name="repeat_copy", group=Group.COPYING, make=RepeatCopy, rows=("r02",)),
)
