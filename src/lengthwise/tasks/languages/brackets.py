"""Brackets of several types, and a stack to be worked on: what no counter can tell."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.communication import Half, TwoHalves, words_over
from ..core.cited import excluded_by_communication
from ..core.family import INSTANCES, Family, Group
from ..core.row_functions import at, batch_of, is_inside, keep, places, reverse, uniform
from ..core.task import SameLengthTask
from .next_symbols import END
from .words import WordsTask, after_each_prefix, balanced, set_of


class Dyck(WordsTask):
    """Balanced brackets of several types: what was opened last is closed first."""

    min_length = 0
    citation = "arXiv 2009.11264, arXiv 1911.03329"

    def __init__(self, num_types: int = 2) -> None:
        self.num_types = num_types
        self.name = shortest_name("dyck", [num_types], [2])
        self.symbols = (
            *(f"({kind}" for kind in range(1, num_types + 1)),
            *(f"){kind}" for kind in range(1, num_types + 1)),
        )
        self.definition = (
            f"the legal next symbols at every prefix of nested brackets of {num_types} types; words are uniform"
        )
        self.facts = excluded_by_communication(
            "The closing brackets depend on the order of the opening ones, so the answer needs all of them"
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the even lengths."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return all opening brackets, and the one that closes what was opened last, or else the end."""
        stack: list[str] = []
        for symbol in prefix:
            if symbol[0] == "(":
                stack.append(symbol[1:])
            elif not stack or stack.pop() != symbol[1:]:
                return []
        return [*self.symbols[: self.num_types], f"){stack[-1]}" if stack else END]

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return exactly uniform words: balanced brackets of one type, and for each pair a type.

        Sorted by how deep they stand, and then by place, the brackets come in pairs.
        """
        closes = balanced(draw.named("shape"), lengths_MB, max_length, xp)
        if not max_length:
            return closes
        inside = is_inside(lengths_MB, max_length, xp)
        level = xp.running_sum(1 - 2 * closes, -1) + closes
        rank = xp.stable_ranks(xp.where(inside, level, max_length + 1))
        kinds = uniform(draw.named("types"), self.num_types, lengths_MB, -(-max_length // 2))
        return self.num_types * closes + at(kinds, rank // 2, xp)

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the sets: what was opened last is the latest bracket as deep as the prefix, and that one opens."""
        width = words_MBN.shape[-1]
        closes = xp.where(words_MBN >= self.num_types, 1, 0)
        depth = after_each_prefix(1 - 2 * closes, xp)
        if not width:
            return set_of([*[True] * self.num_types, *[False] * self.num_types, depth == 0], xp)
        level = depth[..., 1:] + closes
        # brackets by (level, place), and after each the prefix that ends with it, by (depth, place)
        inside = is_inside(lengths_MB, width, xp)
        both = xp.stack_last([xp.where(inside, level, width + 1), depth[..., 1:]])
        both = both.reshape(*lengths_MB.shape, 2 * width)
        order = xp.stable_argsort(both)
        latest = xp.running_max_last(xp.where(order % 2 == 0, places(lengths_MB, 2 * width, xp), 0))
        bracket = xp.gather_last(order, latest) // 2
        kind_sorted = xp.gather_last(words_MBN, bracket) % self.num_types
        ranks = xp.stable_ranks(both).reshape(*lengths_MB.shape, width, 2)[..., 1]
        top = xp.gather_last(kind_sorted, ranks)
        top = xp.concat_last([xp.broadcast(xp.asarray([0]), (*lengths_MB.shape, 1)), top])
        openings = (1 << self.num_types) - 1
        last = xp.where(
            depth > 0, xp.asarray([1 << kind for kind in range(self.num_types, 2 * self.num_types)])[top], 0
        )
        return openings + last + xp.where(depth == 0, 1 << 2 * self.num_types, 0)


class StackManipulation(SameLengthTask):
    """What a stack holds, the top first, after some actions."""

    length_means = "the number of symbols on the first stack and of actions together"
    symbols = ("a", "b", "push_a", "push_b", "pop")
    citation = "after arXiv 2207.02098"
    revision = 2
    facts = excluded_by_communication(
        "If all actions push, the input is written backwards, so the answer needs every symbol"
    )

    def __init__(self, instances: str) -> None:
        self.is_papers = instances == "paper"
        self.name = shortest_name("stack_manipulation", [instances], [INSTANCES.default])
        most = "the length" if self.is_papers else "half of the length"
        self.definition = (
            "a stack from bottom to top, then actions; write the stack from top to bottom. The size of the first stack is "
            f"uniform from 1 to {most}, its symbols and the actions are uniform; to pop an empty stack does nothing"
        )
        self.min_length = 1 if self.is_papers else 2

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the stack, the top first."""
        stack: list[str] = []
        for symbol in prompt:
            if symbol != "pop":
                stack.append(symbol[-1])
            elif stack:
                stack.pop()
        return stack[::-1]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return stacks with actions; what is pushed stays exactly if the stack never gets lower than it again."""
        most = lengths_MB if self.is_papers else xp.where(lengths_MB < 2, 1, lengths_MB // 2)
        first = draw.named("first").integers(most, batch_of(draw, lengths_MB)) + 1
        place = places(lengths_MB, max_length, xp)
        bits = uniform(draw.named("bits"), 2, lengths_MB, max_length)
        actions = uniform(draw.named("actions"), 3, lengths_MB, max_length) + 2
        symbols = xp.where(place < first[..., None], bits, actions)
        inside = is_inside(lengths_MB, max_length, xp)
        pushes = (symbols < 4) | ~inside
        steps = xp.running_sum(xp.where(pushes, 1, -1), -1)
        height = steps + xp.running_max_last(xp.where(steps < 0, -steps, 0))
        backwards = max_length - 1 - place
        lowest = -xp.gather_last(xp.running_max_last(xp.gather_last(-height, backwards)), backwards)
        stays = pushes & inside & (lowest >= height)
        stack, sizes = keep(symbols % 2, stays, xp)
        return symbols, reverse(stack, sizes, xp), sizes


def matching_brackets(name: str, definition: str, pairs: dict[str, str], argument: str) -> TwoHalves:
    """Return whether the brackets of two halves match; ``pairs`` maps closing to opening ones."""

    def matches(first: Half, second: Half) -> bool:
        stack: list[str] = []
        for symbol in (*first, *second):
            if symbol not in pairs:
                stack.append(symbol)
            elif not stack or stack.pop() != pairs[symbol]:
                return False
        return not stack

    symbols = words_over("".join(opening + closing for closing, opening in pairs.items()))
    return TwoHalves(name=name, definition=definition, first=symbols, second=symbols, answer=matches, argument=argument)


_HALVES = matching_brackets(
    "dyck_2",
    "matching brackets of two types",
    {")": "(", "]": "["},
    "first halves of opening brackets only are closed by different second halves: at least 2^n rows.",
)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="dyck",
        group=Group.LANGUAGES,
        scratchpad="dyck_cot",
        make=Dyck,
        parameters=(Parameter(name="types", default=2, meaning="the number of types of brackets", low=2, high=9),),
        halves=_HALVES,
    ),
    Family(name="stack_manipulation", group=Group.LANGUAGES, make=StackManipulation, parameters=(INSTANCES,)),
)
