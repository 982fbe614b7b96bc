"""What tasks on tokens that are all different share: how many symbols there are bounds the length."""

from __future__ import annotations

from ...arrays import Array, Arrays
from ...errors import InvalidOptionError
from ...names import Parameter
from ...seeds import Draw
from ...theory.facts import Citation, Facts
from .cited import answered_at_fixed_alphabet
from .task import SameLengthTask

DEFAULT_SYMBOLS = 150
NUMBER_OF_SYMBOLS = Parameter(
    name="symbols", default=DEFAULT_SYMBOLS, low=1, high=999_999, meaning="the number of its symbols"
)


class DistinctTokensTask(SameLengthTask):
    """A task whose input is tokens that are all different; its answer is as long as its input."""

    family: str
    purpose: str
    """What is done, in the definition: "copy", "sort"."""
    min_length = 1
    citation = "arXiv 2410.02140"
    known: tuple[Citation, ...] = ()
    """What holds whatever the number of symbols is."""
    program, how = "", ""
    """A program of the library for a fixed number of symbols, and what it does; "" where finitely many inputs are all there is."""

    def __init__(self, num_symbols: int = DEFAULT_SYMBOLS) -> None:
        if num_symbols < 1:
            raise InvalidOptionError(
                f"{self.family} needs at least 1 symbol; found {num_symbols}.",
                hint=f"for example {self.family}({DEFAULT_SYMBOLS}).",
            )
        self.num_symbols = num_symbols
        self.name = self.family if num_symbols == DEFAULT_SYMBOLS else f"{self.family}({num_symbols})"
        self.definition = f"{self.purpose} tokens that are all different, out of {num_symbols}"
        self.length_means = f"the number of tokens to {self.purpose}"
        self.symbols = tuple(f"s{number}" for number in range(num_symbols))
        fixed = answered_at_fixed_alphabet(
            f"there are {num_symbols} tokens, and an answer never repeats one", program=self.program, how=self.how
        )
        self.facts = Facts(cited=(*self.known, fixed))

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths; more tokens than there are symbols cannot all be different."""
        if high > self.num_symbols:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: it has {self.num_symbols} different symbols.",
                hint=f"use lengths up to {self.num_symbols}, or a larger alphabet: {self.family}({high}).",
            )
        return super().lengths(low, high)

    def draw_tokens(self, draw: Draw, lengths_MB: Array, max_length: int) -> Array:
        """Return the first symbols of random permutations."""
        batch = tuple(lengths_MB.shape[len(draw.keys.shape) :])
        return draw.named("tokens").permutation(self.num_symbols, batch)[..., :max_length]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return different tokens, and what is to be made of them."""
        tokens = self.draw_tokens(draw, lengths_MB, max_length)
        return tokens, self.rearranged(tokens, lengths_MB, xp)

    def rearranged(self, tokens_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the answers: the tokens themselves, unless a task says otherwise."""
        return tokens_MBN
