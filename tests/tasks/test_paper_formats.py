"""The tasks of arXiv 2410.02140, token for token, restated here in plain Python from its description.

Eight algorithmic tasks: ids 0 … V−1 for the task's symbols, then <bos> <sep> <eos> <pad>; ``<bos> input <sep> answer <eos>``;
what is predicted are the answer and <eos>. Two things differ, on purpose:

- *addition*: the paper lets ``=`` play the separator. Here ``x+y=`` is the input and <sep> follows it, so that an instance has
  one token more and every task is asked at <sep>. V and the length |x| + |y| + 2 are the paper's.
- *bin_majority_interleave*: the paper draws a total t and makes three streams of round(t/3) bits, so that t = 50 gives 51 bits.
  Here the lengths are the multiples of three, which are the lengths of what the paper makes, and each is as likely.

*majority* is rejected until one letter is the most frequent: here up to 32 times, after which the word repeats its first letter.

Seventeen languages: the paper means the legal next symbols of every prefix. Its released labels leave out whether the word
may end, and some are codes that differ from these sets (TOMITA_3, {0,1,2}*02*); here the set has the end in it, always.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import pytest
from test_tasks import draw_batch, instances
from uniformity import assert_uniform

from lengthwise.arrays import numpy_arrays
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.task import BOS, EOS, PAD, SEP
from lengthwise.tasks.languages.regular import NextSymbols


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A task as the paper has it; inputs and answers are token ids."""

    symbols: int
    shortest: int
    answer: Callable[[list[int]], list[int]]
    allowed: Callable[[list[int]], bool]
    """Whether the generator may make an input."""


def majority_bit(bits: list[int]) -> int:
    return int(sum(bits) > len(bits) - sum(bits))


def has_no_tie(bits: list[int]) -> bool:
    return set(bits) <= {0, 1} and 2 * sum(bits) != len(bits)


def commonest(letters: list[int]) -> list[int]:
    return [letter for letter, number in Counter(letters).items() if number == max(Counter(letters).values())]


def streams(bits: list[int]) -> list[list[int]]:
    return [bits[0::3], bits[1::3], bits[2::3]]


PLUS, EQUALS, EVEN, ODD = 2, 3, 2, 3


def summands(text: list[int]) -> list[list[int]]:
    plus = text.index(PLUS)
    return [text[:plus], text[plus + 1 : -1]]


def binary(bits: list[int]) -> int:
    return sum(bit << place for place, bit in enumerate(reversed(bits)))


def is_addition(text: list[int]) -> bool:
    one, two = summands(text)
    ends = text[-1] == EQUALS and text.count(EQUALS) == text.count(PLUS) == 1
    return ends and all(number and (len(number) == 1 or number[0] == 1) for number in (one, two))


def all_different(tokens: list[int]) -> bool:
    return len(set(tokens)) == len(tokens)


FORMATS = {
    "bin_majority": Format(symbols=2, shortest=1, answer=lambda bits: [majority_bit(bits)], allowed=has_no_tie),
    "majority": Format(symbols=26, shortest=1, answer=commonest, allowed=lambda word: len(commonest(word)) == 1),
    "bin_majority_interleave": Format(
        symbols=2,
        shortest=3,
        answer=lambda bits: [majority_bit(stream) for stream in streams(bits)],
        allowed=lambda bits: (
            len({len(stream) for stream in streams(bits)}) == 1 and all(map(has_no_tie, streams(bits)))
        ),
    ),
    "unique_copy": Format(symbols=150, shortest=1, answer=list, allowed=all_different),
    "repeat_copy": Format(symbols=2, shortest=1, answer=list, allowed=lambda tokens: set(tokens) <= {0, 1}),
    "sort": Format(symbols=150, shortest=1, answer=sorted, allowed=all_different),
    "parity": Format(
        symbols=4,
        shortest=0,
        answer=lambda bits: [ODD if sum(bits) % 2 else EVEN],
        allowed=lambda bits: set(bits) <= {0, 1},
    ),
    "addition": Format(
        symbols=4,
        shortest=4,
        answer=lambda text: [int(digit) for digit in bin(sum(map(binary, summands(text))))[2:]],
        allowed=is_addition,
    ),
}
SPELLED = {
    "bin_majority": "0 1",
    "majority": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "bin_majority_interleave": "0 1",
    "repeat_copy": "a b",
    "parity": "0 1 e o",
    "addition": "0 1 + =",
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_vocabulary_is_the_symbols_of_the_paper_then_four_special_tokens(name: str) -> None:
    task, stated = find_task(name), FORMATS[name]
    assert len(task.symbols) == stated.symbols
    assert task.vocabulary[stated.symbols :] == ("<bos>", "<sep>", "<eos>", "<pad>")
    assert task.vocabulary == (*task.symbols, BOS, SEP, EOS, PAD)
    if name in SPELLED:
        assert " ".join(task.symbols) == SPELLED[name]


@pytest.mark.parametrize("name", FORMATS)
def test_the_training_lengths_go_from_the_shortest_of_the_paper_to_fifty(name: str) -> None:
    lengths = find_task(name).lengths(0, 50)
    expected = range(FORMATS[name].shortest, 51)
    if name == "bin_majority_interleave":
        drawn = {3 * round(total / 3) for total in expected}
        assert set(lengths) == drawn - {51}
    else:
        assert lengths == tuple(expected)


def check_format(name: str, number: int) -> None:
    """Compare instances with the sequence and the labels of the paper, the latter shifted by one as a model sees them."""
    task, stated = find_task(name), FORMATS[name]
    bos, sep, eos, pad = range(stated.symbols, stated.symbols + 4)
    seen = set()
    for tokens, targets, size, length in instances(draw_batch(task, seed=[0, 1], size=number // 2, longest=50)):
        given = tokens[1 : length + 1]
        assert stated.allowed(given), given
        answer = stated.answer(given)
        padding = len(tokens) - (length + len(answer) + 3)
        sequence = [bos, *given, sep, *answer, eos] + [pad] * padding
        labels = [-100] * (length + 2) + [*answer, eos] + [-100] * padding
        assert tokens == sequence
        assert targets == [*labels[1:], -100]  # the target of a place is the label of the next
        assert size == length + len(answer) + 3
        seen.add(length)
    assert {min(seen), max(seen)} == {FORMATS[name].shortest, max(task.lengths(0, 50))}


@pytest.mark.parametrize("name", FORMATS)
def test_instances_are_token_for_token_those_of_the_paper(name: str) -> None:
    check_format(name, 600)


@pytest.mark.full
@pytest.mark.parametrize("name", FORMATS)
def test_thousands_of_instances_are_token_for_token_those_of_the_paper(name: str) -> None:
    check_format(name, 20_000)


# What the generators draw


def inputs(name: str, length: int, number: int) -> Iterator[list[int]]:
    """Yield inputs of one length."""
    xp = numpy_arrays()
    draw = open_stream(DATA, seed=4, xp=xp).at(length)
    batch = find_task(name).sample(draw, xp.asarray([length] * number), length, xp)
    for tokens, _, _, _ in instances(batch):
        yield tokens[1 : length + 1]


@pytest.mark.parametrize("length", [1, 8, 9])
def test_zeros_are_uniform_without_ties(length: int) -> None:
    zeros = Counter(bits.count(0) for bits in inputs("bin_majority", length, 900))
    assert_uniform(zeros, [number for number in range(length + 1) if 2 * number != length])


@pytest.mark.parametrize("length", [3, 12, 15])
def test_every_stream_of_three_has_uniform_zeros_without_ties(length: int) -> None:
    assert round(length / 3) == length // 3
    drawn = list(inputs("bin_majority_interleave", length, 600))
    for stream in range(3):
        zeros = Counter(bits[stream::3].count(0) for bits in drawn)
        assert_uniform(zeros, [number for number in range(length // 3 + 1) if 6 * number != length])


def test_an_input_of_parity_may_be_empty_and_is_even_then() -> None:
    assert 0 in find_task("parity").lengths(0, 50)
    assert list(inputs("parity", 0, 3)) == [[], [], []]
    assert FORMATS["parity"].answer([]) == [EVEN]


@pytest.mark.parametrize("length", [1, 9])
def test_ones_are_uniform(length: int) -> None:
    assert_uniform(Counter(bits.count(1) for bits in inputs("parity", length, 600)), range(length + 1))


def test_bits_are_shuffled() -> None:
    for name in ("bin_majority", "parity"):
        single = Counter(bits.index(0) for bits in inputs(name, 7, 2400) if bits.count(0) == 1)
        assert_uniform(single, range(7))


def test_letters_are_uniform_given_that_one_is_the_most_frequent() -> None:
    """Of words of three letters over 26, those that repeat one: 26 of one letter, 26 · 25 · 3 of two."""
    drawn = list(inputs("majority", 3, 3000))
    assert_uniform(Counter(letter for word in drawn for letter in word), range(26))
    share = sum(len(set(word)) == 1 for word in drawn) / len(drawn)
    exact, left = 26 / (26 + 26 * 75), (1 - (26 + 26 * 75) / 26**3) ** 32
    assert abs(share - (left + (1 - left) * exact)) < 4 * (0.04 / len(drawn)) ** 0.5


def test_different_tokens_are_any_of_the_150_in_any_order() -> None:
    for name in ("unique_copy", "sort"):
        drawn = list(inputs(name, 2, 3300))
        for place in (0, 1):
            assert_uniform(Counter(tokens[place] for tokens in drawn), range(150))
        assert_uniform(Counter(int(one < two) for one, two in drawn), [0, 1])


def test_repeated_tokens_are_independent_coin_flips() -> None:
    assert_uniform(Counter(map(binary, inputs("repeat_copy", 4, 800))), range(16))


def test_the_first_number_is_as_long_as_any_split_makes_it_and_digits_are_fair() -> None:
    length = 13
    pairs = [summands(text) for text in inputs("addition", length, 1200)]
    assert_uniform(Counter(len(one) for one, _ in pairs), range(1, length - 2))
    assert all(len(one) + len(two) + 2 == length for one, two in pairs)
    assert_uniform(Counter(number[0] for pair in pairs for number in pair if len(number) == 1), [0, 1])
    assert {number[0] for pair in pairs for number in pair if len(number) > 1} == {1}
    for place in (1, 2, -1):
        assert_uniform(Counter(number[place] for pair in pairs for number in pair if len(number) > 3), [0, 1])


# The seventeen languages


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language as two questions about a word, without an automaton: is it in it, and does some word in it begin so?"""

    alphabet: str
    has: Callable[[str], bool]
    begins: Callable[[str], bool]

    def following(self, prefix: str) -> list[str]:
        """Return the symbols that can follow, then the end if the prefix is a word."""
        ending = [EOS] if self.has(prefix) else []
        return [symbol for symbol in self.alphabet if self.begins(prefix + symbol)] + ending


def matches(pattern: str) -> Callable[[str], bool]:
    return lambda word: re.fullmatch(pattern, word) is not None


def anything(_: str) -> bool:
    return True


def has_odd_runs(word: str) -> bool:
    """Return whether an odd run of 1s is directly followed by an odd run of 0s."""
    return any(len(ones) % 2 and len(zeros) % 2 for ones, zeros in re.findall("(1+)(0+)", word))


def dyck(depth: int) -> Language:
    """Return D_n: D_1 = (ab)*, D_n = (a D_{n−1} b)*."""

    def depths(word: str) -> list[int]:
        return [word[:end].count("a") - word[:end].count("b") for end in range(len(word) + 1)]

    def begins(word: str) -> bool:
        return min(depths(word)) >= 0 and max(depths(word)) <= depth

    return Language(alphabet="ab", begins=begins, has=lambda word: begins(word) and depths(word)[-1] == 0)


def repeated(block: str, alphabet: str) -> Language:
    def begins(word: str) -> bool:
        return (block * (len(word) + 1)).startswith(word)

    return Language(alphabet=alphabet, begins=begins, has=lambda word: begins(word) and len(word) % len(block) == 0)


SEVENTEEN = {
    "TOMITA_1": Language(alphabet="01", has=lambda word: "0" not in word, begins=lambda word: "0" not in word),
    "TOMITA_2": repeated("10", "01"),
    "TOMITA_3": Language(
        alphabet="01",
        has=lambda word: not has_odd_runs(word),
        begins=lambda word: not has_odd_runs(word.rstrip("0") if has_odd_runs(word) else word),
    ),
    "TOMITA_4": Language(alphabet="01", has=lambda word: "000" not in word, begins=lambda word: "000" not in word),
    "TOMITA_5": Language(
        alphabet="01", has=lambda word: word.count("0") % 2 == word.count("1") % 2 == 0, begins=anything
    ),
    "TOMITA_6": Language(alphabet="01", has=lambda word: (word.count("0") - word.count("1")) % 3 == 0, begins=anything),
    "TOMITA_7": Language(alphabet="01", has=matches("0*1*0*1*"), begins=matches("0*1*0*1*")),
    "D_2": dyck(2),
    "D_3": dyck(3),
    "D_4": dyck(4),
    "D_12": dyck(12),
    "(aa)*": repeated("aa", "a"),
    "(aaaa)*": repeated("aaaa", "a"),
    "(abab)*": repeated("abab", "ab"),
    "aa*bb*cc*dd*ee*": Language(alphabet="abcde", has=matches("a+b+c+d+e+"), begins=matches("(a+(b+(c+(d+e*)?)?)?)?")),
    "{a,b}*d{b,c}*": Language(alphabet="abcd", has=matches("[ab]*d[bc]*"), begins=matches("[ab]*(d[bc]*)?")),
    "{0,1,2}*02*": Language(alphabet="012", has=matches("[012]*02*"), begins=anything),
}


def test_there_are_seventeen_languages() -> None:
    assert len(SEVENTEEN) == 17


def words_up_to(alphabet: str, longest: int) -> Iterator[str]:
    for length in range(longest + 1):
        yield from map("".join, product(alphabet, repeat=length))


@pytest.mark.parametrize("name", SEVENTEEN)
def test_a_prefix_of_the_restated_language_is_what_a_word_begins_with(name: str) -> None:
    """Check the restatement against itself: words of the language among all short ones, and what they begin with."""
    stated = SEVENTEEN[name]
    short, more = {1: (8, 4), 2: (5, 5), 3: (3, 2)}.get(len(stated.alphabet), (2, 4))
    longest = short + more  # so many symbols more complete any prefix that can be completed
    words = {word for word in words_up_to(stated.alphabet, longest) if stated.has(word)}
    beginnings = {word[:end] for word in words for end in range(len(word) + 1)}
    for word in words_up_to(stated.alphabet, short):
        assert stated.begins(word) is (word in beginnings), word


def test_bounded_brackets_are_nested_stars() -> None:
    pattern = "(ab)*"
    for depth in (2, 3, 4):
        pattern = f"(a{pattern}b)*"
        stated = SEVENTEEN[f"D_{depth}"]
        for word in words_up_to("ab", 10):
            assert stated.has(word) is matches(pattern)(word)


def check_labels(name: str, number: int, longest: int) -> None:
    """Compare the label of every prefix of random words with the restated language; a prefix has one label only."""
    stated = SEVENTEEN[name]
    labels: dict[str, int] = {}
    for seed in (0, 1):
        task = find_task(name)  # made anew: nothing may be numbered by order of appearance
        assert isinstance(task, NextSymbols)
        assert "".join(task.symbols) == stated.alphabet
        names = [*stated.alphabet, EOS]
        for tokens, targets, size, length in instances(draw_batch(task, seed=seed, size=number, longest=longest)):
            word = "".join(task.symbols[token] for token in tokens[1:size])
            assert len(word) == length
            assert stated.has(word)
            assert tokens[0] == task.token(BOS)
            assert set(tokens[size:]) <= {task.token(PAD)}
            assert targets[size:] == [-100] * (len(tokens) - size)
            for end, label in enumerate(targets[:size]):
                prefix = word[:end]
                if prefix not in labels:
                    assert [names[bit] for bit in range(len(names)) if label >> bit & 1] == stated.following(prefix)
                    assert label >> len(names) == 0
                assert labels.setdefault(prefix, label) == label
    assert len(labels) > longest // 2


@pytest.mark.parametrize("name", SEVENTEEN)
def test_the_label_of_a_prefix_is_what_can_follow_it_and_nothing_else(name: str) -> None:
    check_labels(name, 40, 30)


@pytest.mark.full
@pytest.mark.parametrize("name", SEVENTEEN)
def test_the_labels_of_many_long_prefixes_are_what_can_follow_them(name: str) -> None:
    check_labels(name, 1000, 60)


@pytest.mark.parametrize("name", SEVENTEEN)
def test_the_oracle_says_what_can_follow_every_short_prefix(name: str) -> None:
    stated, task = SEVENTEEN[name], find_task(name)
    for word in words_up_to(stated.alphabet, {1: 8, 2: 4, 3: 3}.get(len(stated.alphabet), 2)):
        if stated.begins(word):
            assert task.answer(list(word))[-1] == " ".join(stated.following(word)), word
