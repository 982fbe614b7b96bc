"""Copying: tokens that are all different, and tokens that repeat."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..errors import InvalidOptionError
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .task import AnswerTask


class _Copy(AnswerTask):
    """The answer is the input."""

    length_means = "the number of tokens to copy"
    min_length = 1
    citation = "arXiv 2410.02140"

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the input."""
        return list(prompt)


class UniqueCopy(_Copy):
    """Copy tokens that are all different."""

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

    def __init__(self, num_symbols: int = 150) -> None:
        if num_symbols < 1:
            raise InvalidOptionError(
                f"unique_copy needs at least 1 symbol; found {num_symbols}.", hint="for example unique_copy(150)."
            )
        self.num_symbols = num_symbols
        self.name = "unique_copy" if num_symbols == 150 else f"unique_copy({num_symbols})"
        self.definition = f"copy tokens that are all different, out of {num_symbols}"
        self.symbols = tuple(f"s{number}" for number in range(num_symbols))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more tokens than there are symbols cannot all be different."""
        if high > self.num_symbols:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: it has {self.num_symbols} different symbols.",
                hint=f"use lengths up to {self.num_symbols}, or a larger alphabet: unique_copy({high}).",
            )
        return super().lengths(low, high)

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:  # noqa: ARG002
        """Return the first symbols of a random permutation."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        tokens = draw.named("tokens").permutation(self.num_symbols, batch)[..., :max_length]
        return tokens, tokens


class RepeatCopy(_Copy):
    """Copy random tokens out of two."""

    name = "repeat_copy"
    definition = "copy random tokens out of a and b"
    symbols = ("a", "b")
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

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:  # noqa: ARG002
        """Return independent fair coin flips."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        tokens = draw.named("tokens").integers(2, (*batch, max_length))
        return tokens, tokens
