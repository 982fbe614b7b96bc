"""A compiled model beside its program: are they equal at every position of all short words?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from ...crasp.batched import BatchedProgram, run_outputs
from ...crasp.interpreter import Values
from ...crasp.syntax import Program

MAX_WORDS = 2000
"""Up to so many words of a length, all are tried; of more, so many at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equality:
    """How many words were tried, whether these were all, and the first that differs, if one does."""

    num_words: int
    is_exhaustive: bool
    max_length: int
    counterexample: tuple[str, ...] | None = None


def words_of_length(program: Program, length: int, *, most: int = MAX_WORDS) -> tuple[list[tuple[str, ...]], bool]:
    """Return all words of a length, or so many at random, and whether they are all."""
    if len(program.alphabet) ** length <= most:
        return list(product(program.alphabet, repeat=length)), True
    random = Random(length)
    return [tuple(random.choices(program.alphabet, k=length)) for _ in range(most)], False


def check_equal(
    program: Program,
    runs: Callable[[list[tuple[str, ...]]], Iterable[Values]],
    max_length: int,
    *,
    most: int = MAX_WORDS,
) -> Equality:
    """Compare a model, given as a function from words to the values of its outputs, with the program it came from."""
    num_words, exhaustive = 0, True
    for length in range(max_length + 1):
        words, is_all = words_of_length(program, length, most=most)
        exhaustive = exhaustive and is_all
        for word, found, wanted in zip(words, runs(words), program_values(program, words), strict=True):
            num_words += 1
            if found != wanted:
                return Equality(
                    num_words=num_words, is_exhaustive=exhaustive, max_length=max_length, counterexample=word
                )
    return Equality(num_words=num_words, is_exhaustive=exhaustive, max_length=max_length)


def program_values(program: Program, words: list[tuple[str, ...]]) -> Iterator[Values]:
    """Yield the outputs of the program for words of one length."""
    from ...arrays import numpy_arrays

    xp = numpy_arrays()
    batched = BatchedProgram(program)
    tokens_BL, _ = batched.encode(words, xp)
    columns = {name: values.tolist() for name, values in batched.run(tokens_BL, xp).items()}
    for number in range(len(words)):
        yield {name: values[number] for name, values in columns.items()}


def values_of(program: Program, word: Iterable[str], *, offset: int = 0) -> Values:
    """Return the outputs of the program at every position, as truths."""
    return {name: [bool(each) for each in values] for name, values in run_outputs(program, word, offset=offset).items()}
