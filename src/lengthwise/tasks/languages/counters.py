"""Counter languages: what can follow at every prefix of a random word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import comb

from ...arrays import Array, Arrays
from ...crasp.parser import parse_program
from ...languages.dfa import DFA
from ...languages.regex import compile_regex
from ...languages.sampling import WordSampler
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.family import Family, Group
from ..core.row_functions import at, batch_of, behind, count, is_inside, places, running_count
from ..core.task import Task, shuffled
from ..hard.base import HardWords
from .brackets import matching_brackets
from .next_symbols import END
from .words import WordsTask, after_each_prefix, balanced, set_of

BHATTAMISHRA = "arXiv 2009.11264"


def _program(symbols: Sequence[str], *lines: str, how: str) -> Facts:
    """Return the facts of a task that this program computes, after every prefix, and how it does."""
    alphabet = "alphabet " + " ".join(f"'{symbol}'" for symbol in symbols)
    program = parse_program("\n".join([alphabet, "start '<bos>'", "stop '<eos>'", *lines]) + "\n")
    return Facts(program=program, how=how)


class Dyck1(WordsTask):
    """Balanced brackets of one type."""

    name = "dyck_1"
    definition = "the legal next symbols, the end among them, at every prefix of balanced brackets; words are uniform"
    symbols = ("(", ")")
    min_length = 0
    citation = BHATTAMISHRA
    decided_by = (
        "number of ( against number of )",
        "number of ( against half the length",
        "number of ) against half the length",
    )

    def __init__(self) -> None:
        self.facts = _program(
            self.symbols,
            "depth := #['('] - #[')']",
            "live := #[depth < 0] = 0",
            "next '(' := live",
            "next ')' := live and depth > 0",
            "next '<eos>' := live and depth = 0",
            how="The model counts how many brackets are open, and whether more were ever closed than opened",
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the even lengths."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return an opening bracket, and a closing one where something is open, or else the end."""
        depths = [list(prefix[:end]).count("(") - list(prefix[:end]).count(")") for end in range(len(prefix) + 1)]
        if min(depths) < 0:
            return []
        return ["(", ")"] if depths[-1] else ["(", END]

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return exactly uniform words."""
        return balanced(draw, lengths_MB, max_length, xp)

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the sets, by the depth."""
        depth = after_each_prefix(1 - 2 * words_MBN, xp)
        return set_of([True, depth > 0, depth == 0], xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": NearGround(self)}


class ShuffleDyck2(WordsTask):
    """Brackets of two types, each balanced by itself, in any order."""

    name = "shuffle_dyck_2"
    definition = "the legal next symbols at every prefix of two shuffled words of balanced brackets; words are uniform"
    symbols = ("(", ")", "[", "]")
    min_length = 0
    citation = BHATTAMISHRA

    def __init__(self) -> None:
        self.facts = _program(
            self.symbols,
            "round := #['('] - #[')']",
            "square := #['['] - #[']']",
            "live := #[round < 0 or square < 0] = 0",
            "next '(' := live",
            "next ')' := live and round > 0",
            "next '[' := live",
            "next ']' := live and square > 0",
            "next '<eos>' := live and round = 0 and square = 0",
            how="The model counts how many brackets of each kind are open, and whether more were ever closed than opened",
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the even lengths."""
        return tuple(length for length in super().lengths(low, high) if length % 2 == 0)

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return the opening brackets, the closing ones of what is open, and the end where nothing is."""
        depth = {"(": 0, "[": 0}
        for symbol in prefix:
            kind = "(" if symbol in "()" else "["
            depth[kind] += 1 if symbol == kind else -1
            if depth[kind] < 0:
                return []
        found = ["(", *([")"] if depth["("] else []), "[", *(["]"] if depth["["] else [])]
        return [*found, *([] if any(depth.values()) else [END])]

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words: first how many brackets are round, then where they are, then two balanced words.

        Of 2m brackets, 2k are round in C(2m, 2k) C_k C_{m−k} words (C_k is a Catalan number). The number k is drawn with
        31 bits, within 2**-31 of its share; the rest is exactly uniform.
        """
        halves = lengths_MB // 2
        table = xp.asarray(_shares(max_length // 2))
        bits = draw.named("round").bits31(batch_of(draw, lengths_MB))
        round_MB = 2 * (bits[..., None] >= table[halves]).sum(-1)
        inside = is_inside(lengths_MB, max_length, xp)
        in_order = xp.where(places(lengths_MB, max_length, xp) < round_MB[..., None], 1, 0)
        is_round = shuffled(in_order, inside, draw.named("places"), xp) == 1
        one = balanced(draw.named("one"), round_MB, max_length, xp)
        two = balanced(draw.named("two"), lengths_MB - round_MB, max_length, xp)
        return xp.where(
            is_round,
            at(one, running_count(is_round, xp) - 1, xp),
            2 + at(two, running_count(~is_round, xp) - 1, xp),
        )

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the sets, by the two depths."""
        of_round = after_each_prefix(xp.asarray([1, -1, 0, 0])[words_MBN], xp)
        of_square = after_each_prefix(xp.asarray([0, 0, 1, -1])[words_MBN], xp)
        nothing = (of_round == 0) & (of_square == 0)
        return set_of([True, of_round > 0, True, of_square > 0, nothing], xp)


def _shares(most: int) -> list[list[int]]:
    """Return, for every m up to ``most``, thresholds of 31 bits for k = 0, …, m − 1; those beyond are never reached."""
    catalan = [comb(2 * k, k) // (k + 1) for k in range(most + 1)]
    rows = []
    for m in range(most + 1):
        weights = [comb(2 * m, 2 * k) * catalan[k] * catalan[m - k] for k in range(m + 1)]
        total = sum(weights)
        inner = [2**31 * below // total for below in accumulate(weights[:-1])]
        rows.append(inner + [2**31] * (most - m))
    return rows


class Blocks(WordsTask):
    """As many as as bs as cs …, in this order: the counter languages aⁿbⁿ, aⁿbⁿcⁿ and aⁿbⁿcⁿdⁿ."""

    min_length = 0
    citation = BHATTAMISHRA

    def __init__(self, num_letters: int) -> None:
        self.symbols = tuple("abcd"[:num_letters])
        self.name = "".join(f"{letter}n" for letter in self.symbols)
        shown = "".join(f"{letter}ⁿ" for letter in self.symbols)
        self.definition = f"the legal next symbols, the end among them, at every prefix of {shown}"
        self.facts = _program(
            self.symbols,
            *_block_lines(self.symbols),
            how="The model compares how often each letter occurs, and notices whether the letters came in order",
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the multiples of the number of letters."""
        return tuple(length for length in super().lengths(low, high) if length % len(self.symbols) == 0)

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return what follows in some word of at most as many blocks as the prefix has symbols, each one longer."""
        found = set()
        for size in range(len(prefix) + 2):
            word = [letter for letter in self.symbols for _ in range(size)]
            if word[: len(prefix)] == list(prefix):
                found.add(word[len(prefix)] if len(word) > len(prefix) else END)
        return [symbol for symbol in (*self.symbols, END) if symbol in found]

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:  # noqa: ARG002
        """Return the only word of each length."""
        block = lengths_MB // len(self.symbols)
        return places(lengths_MB, max_length, xp) // xp.where(block < 1, 1, block)[..., None] % len(self.symbols)

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the sets, by how far the prefix goes."""
        num_letters = len(self.symbols)
        block = (lengths_MB // num_letters)[..., None]
        place = places(lengths_MB, words_MBN.shape[-1] + 1, xp)
        bits = [place <= block, (place > 0) & (place < 2 * block)]
        bits += [(place > 0) & (place >= j * block) & (place < (j + 1) * block) for j in range(2, num_letters)]
        return set_of([*bits, (place == 0) | (place == num_letters * block)], xp)

    def hard_sets(self) -> dict[str, Task]:
        """Return the hard instances that this task has, by kind."""
        return {"boundary": OneMoreOfEach(self)}


def _block_lines(letters: Sequence[str]) -> list[str]:
    """Return a program that compares every block with the one before it."""
    lines = []
    for place, letter in enumerate(letters):
        later = " or ".join(f"'{each}'" for each in letters[place + 1 :])
        wrong = [f"#[{later}] > 0"] if later else []
        if place:
            wrong.append(f"#['{letter}'] > #['{letters[place - 1]}']")
        if place > 1:
            wrong.append(f"#['{letters[place - 1]}'] < #['{letters[place - 2]}']")
        lines.append(f"bad_{letter} := '{letter}' and ({' or '.join(wrong)})")
    lines.append(f"live := #[{' or '.join(f'bad_{letter}' for letter in letters)}] = 0")
    first, *rest = letters
    lines.append(f"next '{first}' := live and #[{' or '.join(repr(letter) for letter in rest)}] = 0")
    equal: list[str] = []
    for before, letter in zip(letters, rest, strict=False):
        fewer = f"#['{letter}'] < #['{before}']"
        lines.append(f"next '{letter}' := live and {' and '.join([*equal, fewer])}")
        equal.append(f"#['{letter}'] = #['{before}']")
    return [*lines, f"next '<eos>' := live and {' and '.join(equal)}"]


class BooleanExpression(WordsTask):
    """Expressions in prefix notation over 0, 1 and operators: a takes one argument, b two, and so on."""

    min_length = 1
    citation = BHATTAMISHRA

    def __init__(self, most: int) -> None:
        self.most = most
        operators = "abcdefgh"[:most]
        self.symbols = ("0", "1", *operators)
        self.name = f"bool_{most}"
        self.definition = (
            f"the legal next symbols at every prefix of an expression in prefix notation with operators of 1 to {most} "
            "arguments; words are uniform"
        )
        missing = "".join(f" + {arity - 1}*#['{each}']" for arity, each in enumerate(operators, 1) if arity > 1)
        self.facts = _program(
            self.symbols,
            f"missing := 1{missing} - #['0' or '1']",
            "live := #[missing <= 0] = 0",
            *(f"next '{symbol}' := live" for symbol in self.symbols),
            "next '<eos>' := missing = 0 and #[missing <= 0] = 1",
            how="The model counts how many arguments are still missing",
        )
        self._samplers: dict[tuple[int, int], WordSampler] = {}

    def following(self, prefix: Sequence[str]) -> list[str]:
        """Return all symbols as long as arguments are missing, and then the end."""
        missing = 1
        for symbol in prefix:
            if not missing:
                return []
            missing += self._gain(symbol)
        return list(self.symbols) if missing else [END]

    def _gain(self, symbol: str) -> int:
        """Return how many more arguments are missing after a symbol."""
        return -1 if symbol in "01" else "abcdefgh".index(symbol)

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words, uniform within the error of a :class:`WordSampler`: an automaton counts up to the length."""
        key = (max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(self._up_to(max_length), max_length=max_length, xp=xp)
        words = self._samplers[key].sample(lengths_MB, draw)
        return xp.where(words < 0, 0, words)

    def _up_to(self, most: int) -> DFA:
        """Return the expressions in which never more than ``most`` arguments are missing, longer words among them."""
        sink = most + 1
        gains = [self._gain(symbol) for symbol in self.symbols]
        rows = [[sink] * len(gains)]
        rows += [[min(missing + gain, sink) for gain in gains] for missing in range(1, most + 1)]
        return DFA(alphabet=self.symbols, transitions=[*rows, [sink] * len(gains)], accepting=[0], initial=1)

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the sets: the end for the whole word, and all symbols before."""
        whole = places(lengths_MB, words_MBN.shape[-1] + 1, xp) == lengths_MB[..., None]
        return xp.where(whole, 1 << len(self.symbols), (1 << len(self.symbols)) - 1)


class NearGround(HardWords):
    """Brackets that go up once and down again, and then stay at depth 2 or less."""

    kind = "boundary"

    def __init__(self, base: Dyck1) -> None:
        super().__init__(base, "(((…))) of a uniform size, then brackets at most two deep")
        self._samplers: dict[tuple[int, int], WordSampler] = {}

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return words most of whose prefixes are closed or nearly so, at a large or at a small count."""
        key = (max_length, id(xp))
        if key not in self._samplers:
            self._samplers[key] = WordSampler(compile_regex("(a(ab)*b)*"), max_length=max_length, xp=xp)
        height_MB = draw.named("height").integers(lengths_MB // 2 + 1, batch_of(draw, lengths_MB))
        shallow = self._samplers[key].sample(lengths_MB - 2 * height_MB, draw.named("shallow"))
        if not max_length:
            return shallow
        tower = xp.where(places(lengths_MB, max_length, xp) < height_MB[..., None], 0, 1)
        return behind(tower, 2 * height_MB, xp.where(shallow < 0, 0, shallow), max_length, xp)


class OneMoreOfEach(HardWords):
    """The word of a length, or what the next longer word begins with: it is one symbol of each kind short of its end."""

    kind = "boundary"

    def __init__(self, base: Blocks) -> None:
        super().__init__(base, "the word itself, or a prefix of equal length of the word with one more of each letter")

    def draw_words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> Array:
        """Return the word of each length, or the beginning of the next longer one."""
        number = len(self.symbols)
        longer_MB = lengths_MB + number * draw.named("longer").integers(2, batch_of(draw, lengths_MB))
        return self.base.draw_words(draw, longer_MB, max_length + number, xp)[..., :max_length]

    def sets_after(self, words_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return the task's sets for the whole word, whose blocks are as long as the first one."""
        block_MB = count((words_MBN == 0) & is_inside(lengths_MB, words_MBN.shape[-1], xp), xp)
        return self.base.sets_after(words_MBN, len(self.symbols) * block_MB, xp)


_HALVES = matching_brackets(
    "dyck_1",
    "balanced brackets of one type",
    {")": "("},
    "only the depth, or that it was negative, matters: about n / 2 rows.",
)

FAMILIES: tuple[Family, ...] = (
    Family(name="dyck_1", group=Group.LANGUAGES, scratchpad="dyck_cot", make=Dyck1, halves=_HALVES),
    Family(name="shuffle_dyck_2", group=Group.LANGUAGES, make=ShuffleDyck2),
    Family(name="anbn", group=Group.LANGUAGES, make=lambda: Blocks(2)),
    Family(name="anbncn", group=Group.LANGUAGES, make=lambda: Blocks(3)),
    Family(name="anbncndn", group=Group.LANGUAGES, make=lambda: Blocks(4)),
    Family(name="bool_3", group=Group.LANGUAGES, make=lambda: BooleanExpression(3)),
    Family(name="bool_5", group=Group.LANGUAGES, make=lambda: BooleanExpression(5)),
)
