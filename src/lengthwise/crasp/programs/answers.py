"""Writers whose answer is short or only as many symbols: what a prompt says once, after a separator.

A prompt ends in ``|``; the program writes from there on and ends with ``#``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from .entry import HUANG, LETTERS, OURS, Family, Prompts, Writer, integer_argument, writers
from .samplers import always, uniform, until, words_over
from .templates import all_of, any_of, back, lines, quoted, symbol_among

DIGITS = "01234"
DONE = "next '#' := not '|' and #['|'] > 0"


def _has_one_mode(word: str) -> bool:
    counts = sorted(map(word.count, set(word)))
    return bool(word) and counts[-2:-1] != counts[-1:]


def _mode(word: str) -> str:
    return max(sorted(set(word)), key=word.count)


def majority_letter(text: str) -> Writer:
    """Return the program that compares the counts of all letters."""
    number = integer_argument("majority_letter", text, low=2, high=len(LETTERS))
    letters = LETTERS[:number]

    def beats_all_others(letter: str) -> str:
        return all_of(f"#['{letter}'] > #['{other}']" for other in letters if other != letter)

    return Writer(
        name="majority_letter",
        argument=str(number),
        definition=f"write the most frequent of {number} letters; there is only one",
        source=HUANG,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "stop '#'",
            *(f"next '{letter}' := '|' and {beats_all_others(letter)}" for letter in letters),
            DONE,
        ),
        prompts=words_over(letters, keep=_has_one_mode),
        answer=lambda prompt: _mode(prompt[:-1]),
    )


ANSWERS = writers(
    "answers",
    {
        "minimum": (words_over("0123"), lambda prompt: min(prompt[:-1])),
        "maximum": (words_over("0123"), lambda prompt: max(prompt[:-1])),
        "median": (words_over("0123"), lambda prompt: sorted(prompt[:-1])[(len(prompt) - 2) // 2]),
        "count_comparison": (
            words_over("ab", keep=always),
            lambda prompt: "=><"[_sign(prompt.count("a") - prompt.count("b"))],
        ),
        "unary_count": (words_over("ab", keep=always), lambda prompt: "1" * prompt.count("a")),
        "unary_sum": (
            Prompts(
                every=lambda size: (f"{'1' * left}+{'1' * (size - left)}=" for left in range(size + 1)),
                draw=lambda random, size: f"{'1' * random.randint(0, size // 2)}+{'1' * random.randint(0, size // 2)}=",
            ),
            lambda prompt: "1" * prompt.count("1"),
        ),
        "needle": (
            Prompts(every=lambda size: _haystacks(size), draw=lambda random, size: _haystack(random, size)),
            lambda prompt: prompt.partition("!")[2][0],
        ),
    },
)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _haystacks(size: int) -> Iterator[str]:
    for word in map("".join, product("abc", repeat=size)):
        for place in range(size):
            yield f"{word[:place]}!{word[place:]}|"


def _haystack(random: Random, size: int) -> str:
    word = uniform(random, "abc", max(1, size - 1))
    place = random.randrange(len(word))
    return f"{word[:place]}!{word[place:]}|"


def kth_largest(text: str) -> Writer:
    """Return the program that counts how many digits are as large."""
    rank = integer_argument("kth_largest", text, low=1, high=100)
    rows = []
    for place, digit in enumerate(DIGITS):
        larger = DIGITS[place + 1 :]
        fewer = f" and #[{symbol_among(larger)}] < {rank}" if larger else ""
        rows.append(f"next '{digit}' := '|' and #[{symbol_among(digit + larger)}] >= {rank}{fewer}")
    prompts = words_over(DIGITS)

    def draw(random: Random, size: int) -> str:
        return uniform(random, DIGITS, random.randint(rank, rank + size)) + "|"

    return Writer(
        name="kth_largest",
        argument=str(rank),
        definition=f"write digit number {rank} when the digits are sorted, the largest first",
        source=OURS,
        code=lines(f"alphabet {quoted(DIGITS + '|')}", "stop '#'", *rows, DONE),
        prompts=Prompts(every=lambda size: prompts.every(size + rank), draw=draw),
        answer=lambda prompt: sorted(prompt[:-1], reverse=True)[rank - 1],
    )


def first_symbols(text: str) -> Writer:
    """Return the program that finds the first positions by counting."""
    number = integer_argument("first_symbols", text, low=1, high=8)
    letters = "abc"
    rows = [
        f"next '{letter}' := after and ("
        + any_of(f"written = {place - 1} and #['{letter}' and place = {place}] = 1" for place in range(1, number + 1))
        + ")"
        for letter in letters
    ]
    return Writer(
        name="first_symbols",
        argument=str(number),
        definition=f"write the first {number} symbols, or all if there are fewer",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "stop '#'",
            "place := #[true]",
            "after := #['|'] > 0",
            "written := #[after] - 1",
            *rows,
            f"next '#' := after and (written = {number} or written = #[not after])",
        ),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: prompt[:-1][:number],
    )


def last_symbols(text: str) -> Writer:
    """Return the program that looks back as far as it has symbols to write."""
    number = integer_argument("last_symbols", text, low=1, high=20)
    letters = "abc"
    prompts = words_over(letters, keep=always)

    def draw(random: Random, size: int) -> str:
        return uniform(random, letters, random.randint(number, number + size)) + "|"

    return Writer(
        name="last_symbols",
        argument=str(number),
        definition=f"write the last {number} symbols",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "stop '#'",
            f"writing := #{{0..{number - 1}}}['|'] = 1",
            *(f"next '{letter}' := writing and {back(number, letter)}" for letter in letters),
            f"next '#' := {back(number, '|')}",
        ),
        prompts=Prompts(every=lambda size: prompts.every(size + number), draw=draw),
        answer=lambda prompt: prompt[:-1][-number:],
    )


def _streams(prompt: str, number: int) -> list[str]:
    return [prompt[:-1][start::number] for start in range(number)]


def interleaved_majority(text: str) -> Writer:
    """Return the program that tells the streams by the position, counted from the start symbol."""
    number = integer_argument("interleaved_majority", text, low=2, high=6)
    streams = range(number)
    rows = [f"from_{residue} := #['$' and pos % {number} = {residue}] = 1" for residue in streams]
    for stream in streams:
        phases = [f"from_{each} and pos % {number} = {(each + 1 + stream) % number}" for each in streams]
        rows.append(f"stream_{stream} := not after and ({any_of(phases)})")
    rows += [f"lead_{stream} := #['1' and stream_{stream}] - #['0' and stream_{stream}]" for stream in streams]
    for symbol, sign in (("0", "<"), ("1", ">")):
        leads = [f"turn = {stream + 1} and lead_{stream} {sign} 0" for stream in streams]
        rows.append(f"next '{symbol}' := {any_of(leads)}")

    def keep(word: str) -> bool:
        return bool(word) and all(stream.count("0") != stream.count("1") for stream in _streams(word + "|", number))

    every = words_over("01", keep=keep).every
    return Writer(
        name="interleaved_majority",
        argument=str(number),
        definition=f"write the majority of each of {number} interleaved streams of equal length",
        source=HUANG,
        code=lines(
            "alphabet '0' '1' '|'",
            "start '$'",
            "stop '#'",
            "after := #['|'] > 0",
            "turn := #[after]",
            *rows,
            f"next '#' := turn = {number + 1}",
        ),
        prompts=Prompts(
            every=lambda size: every(size * number),
            draw=lambda random, size: (
                until(keep, lambda: uniform(random, "01", number * random.randint(1, max(1, size // number)))) + "|"
            ),
        ),
        answer=lambda prompt: "".join(_mode(stream) for stream in _streams(prompt, number)),
    )


FAMILIES = (
    Family(name="majority_letter", default="4", build=majority_letter),
    Family(name="kth_largest", default="2", build=kth_largest),
    Family(name="first_symbols", default="2", build=first_symbols),
    Family(name="last_symbols", default="2", build=last_symbols),
    Family(name="interleaved_majority", default="3", build=interleaved_majority),
)
