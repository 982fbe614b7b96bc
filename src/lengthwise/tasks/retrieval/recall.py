"""Recall: the values of keys, written first and asked for later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.cited import NO_LAST_OF_MANY, answered_at_fixed_alphabet, answered_by, excluded_by_hidden
from ..core.family import Family, Group
from ..core.legal_inputs import FLIP_FLOP
from ..core.row_functions import at, batch_of, is_inside, last_marked, places, uniform
from ..core.task import EOS, IGNORE, SEP, AnswerTask, Batch, shuffled

_DEFAULT_KEYS = 64
_FEW_KEYS = 16

Pairs = tuple[list[Array], list[Array], Array]
"""The symbols of pairs, value last, those of the asked keys, and their values; all [M, B, P]."""


class _RecallTask(AnswerTask):
    """Values by key: an instance is ``<bos> key value … <sep> key value … <eos>``, all keys written, then all asked for.

    A key is one symbol or several. As many are asked for as were written; behind the separator each asked key is followed
    by its value, and these values and the end are scored. So the prompt, of which the length counts the symbols, is what
    is written and the keys that are asked for.
    """

    key_width = 1
    max_pairs: int

    def num_pairs(self, length: Array) -> Array:
        """Return how many keys are written, and asked for, in a prompt of this length."""
        return length // (2 * self.key_width + 1)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths: what so many pairs and as many keys take."""
        step = 2 * self.key_width + 1
        if self.num_pairs(high) > self.max_pairs:
            raise InvalidOptionError(
                f"length {high} is too long for {self.name}: it has {self.max_pairs} different keys.",
                hint=f"use lengths below {(self.max_pairs + 1) * step}.",
            )
        return tuple(length for length in super().lengths(low, high) if length % step == 0)

    def answer_length(self, length: Array) -> Array:
        """Return how many keys are asked for."""
        return self.num_pairs(length)

    def scored(self, length: int) -> range:
        """Return the places from the first asked key on."""
        separator = self.num_pairs(length) * (self.key_width + 1) + 1
        return range(separator + self.key_width, 2 * separator)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the value of each asked key that was written last."""
        keys, pair = self.key_width, self.key_width + 1
        number = self.num_pairs(len(prompt))
        written = [list(prompt[pair * each : pair * each + pair]) for each in range(number)]
        values = {tuple(key): value for *key, value in written}
        asked = prompt[pair * number :]
        return [values[tuple(asked[keys * each : keys * each + keys])] for each in range(number)]

    @abstractmethod
    def draw_pairs(self, draw: Draw, pairs_MB: Array, max_pairs: int, xp: Arrays) -> Pairs:
        """Return the symbols of pairs, value last, those of the asked keys, and their values; all [M, B, P]."""

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return what is written and then the keys that are asked for, and their values."""
        pairs_MB = self.num_pairs(lengths_MB)
        max_pairs = self.num_pairs(max_length)
        written, asked, answers = self.draw_pairs(draw, pairs_MB, max_pairs, xp)
        told = xp.stack_last(written).reshape(*lengths_MB.shape, -1)
        keys = xp.stack_last(asked).reshape(*lengths_MB.shape, -1)
        place = places(lengths_MB, max_length, xp)
        start = pairs_MB[..., None] * (self.key_width + 1)
        return xp.where(place < start, at(told, place, xp), at(keys, place - start, xp)), answers

    def sample(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Batch:
        """Return random instances of these lengths, with every asked key before its value."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        inputs, answers = self.draw_inputs(draw, lengths_MB, max_length, xp)
        keys, pair = self.key_width, self.key_width + 1
        told_MB = self.num_pairs(lengths_MB) * pair
        place = places(lengths_MB, self.num_pairs(max_length) * pair, xp)
        number, part = place // pair, place % pair
        asked = at(inputs, told_MB[..., None] + number * keys + part, xp)
        asked = xp.where(part == keys, at(answers, number, xp), asked)
        batch = self._frame(inputs, told_MB, asked, told_MB, self.size(max_length), xp)
        behind = places(lengths_MB, self.size(max_length), xp) - told_MB[..., None] - 1
        is_scored = (behind % pair == keys) | (behind == told_MB[..., None])
        return Batch(
            tokens_MBL=batch.tokens_MBL,
            targets_MBL=xp.where(is_scored, batch.targets_MBL, IGNORE),
            sizes_MB=batch.sizes_MB,
            scale_MB=lengths_MB,
        )

    def read_back(self, tokens: Sequence[int], targets: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return what is written and the keys that are asked for, and the values that the targets state."""
        words = [self.vocabulary[token] for token in tokens]
        separator = words.index(SEP)
        behind = words[separator + 1 : words.index(EOS)]
        keys = [word for place, word in enumerate(behind) if place % (self.key_width + 1) < self.key_width]
        return words[1:separator] + keys, [self.vocabulary[target] for target in targets if target != IGNORE]


class MQAR(_RecallTask):
    """The values of keys that are all different."""

    min_length = 3
    citation = "arXiv 2312.04927"

    def __init__(self, num_keys: int = _DEFAULT_KEYS) -> None:
        self.max_pairs = num_keys
        self.facts = Facts(
            cited=(
                answered_by(
                    "associative_recall",
                    Fragment.LOCAL,
                    "An induction head answers: it finds the key in the input and writes the value behind it",
                ),
                answered_at_fixed_alphabet(f"each of the {num_keys} keys has one value"),
            )
        )
        self.name = shortest_name("mqar", [num_keys], [_DEFAULT_KEYS])
        self.definition = (
            f"different keys out of {num_keys}, each with a uniform value out of as many; "
            "then each key once more, in a random order: its value"
        )
        self.length_means = "the number of symbols given: keys, their values, and the keys again"
        self.symbols = (*(f"k{key}" for key in range(num_keys)), *(f"v{value}" for value in range(num_keys)))

    def draw_pairs(self, draw: Draw, pairs_MB: Array, max_pairs: int, xp: Arrays) -> Pairs:
        """Return different keys with uniform values, and the keys in another order."""
        keys = draw.named("keys").permutation(self.max_pairs, batch_of(draw, pairs_MB))[..., :max_pairs]
        values = uniform(draw.named("values"), self.max_pairs, pairs_MB, max_pairs) + self.max_pairs
        order = _order(draw.named("order"), pairs_MB, max_pairs, xp)
        return [keys, values], [at(keys, order, xp)], at(values, order, xp)


class CompositionalMQAR(_RecallTask):
    """The values of keys of two symbols, neither of which tells the value."""

    name = "mqar_compositional"
    definition = (
        "different keys of two symbols, random cells of the smallest square grid that has enough, each with a uniform value; "
        "then each key once more, in a random order: its value"
    )
    length_means = "the number of symbols given: keys of two symbols, their values, and the keys again"
    key_width = 2
    max_pairs = _FEW_KEYS**2
    symbols = tuple(f"{kind}{number}" for kind in "xyv" for number in range(_FEW_KEYS))
    min_length = 5
    citation = "arXiv 2312.04927"
    facts = Facts(
        cited=(
            answered_by(
                "induction(2)",
                Fragment.LOCAL,
                "An induction head finds the earlier place with the same two symbols, by content, and writes what follows it",
            ),
            answered_at_fixed_alphabet(f"each of the {_FEW_KEYS**2} keys has one value"),
        )
    )

    def draw_pairs(self, draw: Draw, pairs_MB: Array, max_pairs: int, xp: Arrays) -> Pairs:
        """Return different cells of a grid with uniform values, and the cells in another order."""
        side = next(side for side in range(_FEW_KEYS + 1) if side * side >= max_pairs)
        sides = xp.arange(side)
        side_MB = xp.where(pairs_MB[..., None] > sides * sides, 1, 0).sum(-1)
        cell = places(pairs_MB, side * side, xp)
        cells = shuffled(cell, cell < (side_MB * side_MB)[..., None], draw.named("cells"), xp)[..., :max_pairs]
        batch = batch_of(draw, pairs_MB)
        one = at(draw.named("one").permutation(_FEW_KEYS, batch), cells // side_MB[..., None], xp)
        two = at(draw.named("two").permutation(_FEW_KEYS, batch), cells % side_MB[..., None], xp) + _FEW_KEYS
        values = uniform(draw.named("values"), _FEW_KEYS, pairs_MB, max_pairs) + 2 * _FEW_KEYS
        order = _order(draw.named("order"), pairs_MB, max_pairs, xp)
        return [one, two, values], [at(one, order, xp), at(two, order, xp)], at(values, order, xp)


class ForgettingMQAR(_RecallTask):
    """The values of keys that are written again and again: the last one counts."""

    name = "mqar_forgetting"
    definition = (
        "keys, uniform over a random set whose size is uniform up to 16, each with a uniform value; "
        "then as many keys as were written, each that of a random pair: the value it was written with last"
    )
    length_means = "the number of symbols given: keys, their values, and as many keys"
    max_pairs = 2**31
    symbols = tuple(f"{kind}{number}" for kind in "kv" for number in range(_FEW_KEYS))
    min_length = 3
    citation = "arXiv 2312.04927"
    facts = Facts(
        cited=(
            excluded_by_hidden(
                FLIP_FLOP,
                "Take an input in which key k0 is written many times with different values, among writes of other keys, and is then "
                f"asked for. The answer is the value of its last write. {NO_LAST_OF_MANY}",
                images={"0": ("k0", "v0"), "1": ("k0", "v1"), "2": ("k1", "v0")},
                answers=("v1", "v0"),
                prefix=("k0", "v1"),
                suffix=(SEP, "k0"),
            ),
        )
    )

    def draw_pairs(self, draw: Draw, pairs_MB: Array, max_pairs: int, xp: Arrays) -> Pairs:
        """Return keys that repeat with uniform values, and the keys of random pairs."""
        batch = batch_of(draw, pairs_MB)
        most = xp.where(pairs_MB < _FEW_KEYS, pairs_MB, _FEW_KEYS)
        number_MB = draw.named("number").integers(most, batch) + 1
        chosen = draw.named("choice").permutation(_FEW_KEYS, batch)
        keys = at(chosen, draw.named("keys").integers(number_MB[..., None], (*batch, max_pairs)), xp)
        values = uniform(draw.named("values"), _FEW_KEYS, pairs_MB, max_pairs) + _FEW_KEYS
        asked = at(keys, draw.named("asked").integers(pairs_MB[..., None], (*batch, max_pairs)), xp)
        inside = is_inside(pairs_MB, max_pairs, xp)
        last = xp.stack_last([last_marked((keys == key) & inside, xp)[..., -1] for key in range(_FEW_KEYS)])
        return [keys, values], [asked], at(values, at(last, asked, xp), xp)


def _order(draw: Draw, pairs_MB: Array, max_pairs: int, xp: Arrays) -> Array:
    """Return a random order of as many pairs as each row has."""
    place = places(pairs_MB, max_pairs, xp)
    return shuffled(place, is_inside(pairs_MB, max_pairs, xp), draw, xp)


_KEYS = Parameter(name="keys", default=_DEFAULT_KEYS, meaning="the number of its keys", low=1, high=10**5)

RECALL_FAMILIES: tuple[Family, ...] = (
    Family(name="mqar", group=Group.COPYING, make=MQAR, parameters=(_KEYS,)),
    Family(name="mqar_compositional", group=Group.COPYING, make=CompositionalMQAR),
    Family(name="mqar_forgetting", group=Group.COPYING, make=ForgettingMQAR),
)
