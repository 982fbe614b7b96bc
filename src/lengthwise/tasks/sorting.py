"""Sorting tokens that are all different."""

from __future__ import annotations

from collections.abc import Sequence

from ..arrays import Array, Arrays
from ..crasp.fragments import Fragment
from ..errors import InvalidOptionError
from ..seeds import Draw
from ..theory.claims import Answer
from ..theory.facts import Citation, Facts
from .task import AnswerTask


class Sort(AnswerTask):
    """Sort tokens that are all different."""

    length_means = "the number of tokens to sort"
    min_length = 1
    citation = "arXiv 2410.02140"
    facts = Facts(
        cited=(
            Citation(
                fragment=Fragment.PLAIN,
                answer=Answer.YES,
                theorem="library_program",
                reason="the next token is the smallest that occurs and is larger than the last one (lengthwise show program sort).",
            ),
        )
    )

    def __init__(self, num_symbols: int = 150) -> None:
        if num_symbols < 1:
            raise InvalidOptionError(
                f"sort needs at least 1 symbol; found {num_symbols}.", hint="for example sort(150)."
            )
        self.num_symbols = num_symbols
        self.name = "sort" if num_symbols == 150 else f"sort({num_symbols})"
        self.definition = f"sort tokens that are all different, out of {num_symbols}"
        self.symbols = tuple(f"s{number}" for number in range(num_symbols))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more tokens than there are symbols cannot all be different."""
        if high > self.num_symbols:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: it has {self.num_symbols} different symbols.",
                hint=f"use lengths up to {self.num_symbols}, or a larger alphabet: sort({high}).",
            )
        return super().lengths(low, high)

    def answer_length(self, length: Array) -> Array:
        """Return the length of the input."""
        return length

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the tokens in the order of their numbers."""
        return sorted(prompt, key=lambda token: int(token[1:]))

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return the first symbols of a random permutation, and the same in order."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        tokens = draw.named("tokens").permutation(self.num_symbols, batch)[..., :max_length]
        place = xp.broadcast(xp.arange(tokens.shape[-1]), tuple(tokens.shape))
        beyond_last = xp.where(place < lengths_MB[..., None], tokens, self.num_symbols)
        return tokens, xp.gather_last(tokens, xp.stable_argsort(beyond_last))
