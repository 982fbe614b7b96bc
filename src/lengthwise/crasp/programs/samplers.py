"""Random words of languages that are given by a rule, and the prompts of writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from random import Random

from .entry import Prompts


def scrambled(random: Random, word: str) -> str:
    """Return the letters of a word in random order."""
    return "".join(random.sample(word, len(word)))


def uniform(random: Random, alphabet: str, length: int) -> str:
    """Return independent letters."""
    return "".join(random.choices(alphabet, k=length))


def near(random: Random, top: int) -> int:
    """Return a number from 0 to ``top``; half of the time ``top`` itself, where mistakes show."""
    return top if random.random() < 0.5 else random.randint(0, top)


def split(random: Random, number: int, parts: int) -> list[int]:
    """Return numbers that sum up to a number, as many as there are parts."""
    cuts = sorted(random.randint(0, number) for _ in range(parts - 1))
    return [after - before for before, after in zip([0, *cuts], [*cuts, number], strict=True)]


def until(contains: Callable[[str], bool], draw: Callable[[], str]) -> str:
    """Return the first word drawn that a language contains; for languages that have a good share of all words."""
    while not contains(word := draw()):
        pass
    return word


def ballot(random: Random, length: int, up: str, down: str) -> str:
    """Return steps up and down that never lead below the start."""
    height = 0
    steps = []
    for _ in range(length):
        step = up if height == 0 or random.random() < 0.5 else down
        height += 1 if step == up else -1
        steps.append(step)
    return "".join(steps)


def balanced(random: Random, length: int, opening: str, closing: str) -> str:
    """Return balanced brackets, as many as fit into a length."""
    left = max(0, length) // 2 * 2
    height = 0
    word = []
    while left:
        opens = height == 0 or (height < left and random.random() < 0.5)
        word.append(opening if opens else closing)
        height += 1 if opens else -1
        left -= 1
    return "".join(word)


def interleaved(random: Random, words: list[str]) -> str:
    """Return a random shuffle of words, each of which stays in order."""
    turns = scrambled(random, "".join(chr(number) * len(word) for number, word in enumerate(words)))
    rest = [iter(word) for word in words]
    return "".join(next(rest[ord(turn)]) for turn in turns)


def words_over(letters: str, *, end: str = "|", keep: Callable[[str], bool] = bool) -> Prompts:
    """Return the prompts made of a word and an end, for the words that ``keep`` holds for: if not said, the non-empty."""

    def every(size: int) -> Iterator[str]:
        return (word + end for word in map("".join, product(letters, repeat=size)) if keep(word))

    def draw(random: Random, size: int) -> str:
        return until(keep, lambda: uniform(random, letters, random.randint(max(1, size // 2), max(1, size)))) + end

    return Prompts(every=every, draw=draw)


def always(word: str) -> bool:  # noqa: ARG001  the signature of ``keep``
    """Keep every word, the empty one among them."""
    return True


def distinct_over(letters: str) -> Prompts:
    """Return the prompts made of different letters and an end."""

    def every(size: int) -> Iterator[str]:
        return ("".join(chosen) + "|" for chosen in permutations(letters, size))

    def draw(random: Random, size: int) -> str:
        return "".join(random.sample(letters, min(size, len(letters)))) + "|"

    return Prompts(every=every, draw=draw)
