"""Writers that look something up without windows: what followed a symbol, the value of a key, the line through shots.

Plain C-RASP does not see which symbol stands directly before another. Two counts replace that. ``after_c`` holds from
the position behind the first c on, and ``behind_c`` at the first such position only. So a symbol at ``behind_c`` is
the one that followed the first c. The query is the last symbol, and it shows in the counts because it has no partner:
a key without a value, or a letter behind which nothing else comes.

The functions that end in ``_rows`` return the definitions. The library writes prompts that end in ``|``; tasks use the
same rows with their own symbols (:mod:`lengthwise.tasks.in_context`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from .entry import LETTERS, OURS, Family, Prompts, Writer, integer_argument
from .samplers import uniform
from .templates import any_of, lines, quoted

_DONE = "next '#' := not '|' and #['|'] > 0"
_KEYS, _VALUES = "ABCDEFGH", "vwxy"
_POINTS, _NUMBERS = "abcdefg", "0123456"


def name_of(symbol: str) -> str:
    """Return a symbol as part of a name; names take no other characters than these."""
    return "".join(each if each.isalnum() and each.isascii() else "_" for each in symbol)


def behind_rows(symbols: Sequence[str]) -> list[str]:
    """Return what marks, for each of these symbols, the position directly behind the first one."""
    rows = []
    for symbol in symbols:
        name = name_of(symbol)
        rows.append(f"after_{name} := #<[{quoted([symbol])}] >= 1")
        rows.append(f"behind_{name} := after_{name} and #<[after_{name}] = 0")
    return rows


def induction_rows(letters: Sequence[str], end: str) -> list[str]:
    """Return the program for: the last letter occurs once before, not directly before; what followed it there?"""
    rows = [f"letter := {any_of(quoted([letter]) for letter in letters)}", *behind_rows(letters)]
    for letter in letters:
        twice = f"#[letter and #<[{quoted([letter])}] >= 2] = 0"  # no letter comes after the second one
        rows.append(f"last_{name_of(letter)} := #[{quoted([letter])}] = 2 and {twice}")
    for letter in letters:
        ways = (f"(last_{name_of(each)} and #[{quoted([letter])} and behind_{name_of(each)}] >= 1)" for each in letters)
        rows.append(f"next {quoted([letter])} := {quoted([end])} and ({any_of(ways)})")
    return rows


def map_rows(keys: Sequence[str], values: Sequence[str], end: str) -> list[str]:
    """Return the program for: shots 'key value' of one map, then a key among them; which value does it have?

    Each shot of a key with the value v adds 1 to both sides of v's comparison; the query adds 1 to the left side only.
    """
    rows = behind_rows(keys)
    for value in values:
        uses = (
            f"(if #[{quoted([value])} and behind_{name_of(key)}] >= 1 then #[{quoted([key])}] else 0)" for key in keys
        )
        rows.append(f"next {quoted([value])} := {quoted([end])} and {' + '.join(uses)} = #[{quoted([value])}] + 1")
    return rows


def line_rows(points: Sequence[str], numbers: Sequence[str], end: str) -> list[str]:
    """Return the program for: shots 'x y' on a line modulo a prime, then an x; which y is on the line?

    The first two shots have different x, so they give the line. The query is the x that occurs once more than its y,
    as different x have different y unless the line is constant.
    """
    prime = len(points)
    symbols = [*points, *numbers]
    rows = [f"letter := {any_of(quoted([symbol]) for symbol in symbols)}"]
    rows += [f"at{place} := letter and #<[letter] = {place}" for place in range(4)]

    def on_line(slope: int, intercept: int, first: int) -> str:
        """Return that the shot that begins with letter number ``first`` is on a line."""
        ways = (
            f"(#[{quoted([point])} and at{first}] >= 1 and #[{quoted([numbers[(slope * x + intercept) % prime]])} "
            f"and at{first + 1}] >= 1)"
            for x, point in enumerate(points)
        )
        return f"({any_of(ways)})"

    for slope, intercept in product(range(prime), repeat=2):
        rows.append(f"line_{slope}_{intercept} := {on_line(slope, intercept, 0)} and {on_line(slope, intercept, 2)}")
    for y, number in enumerate(numbers):
        ways = [f"line_0_{y}"]
        for slope, x in product(range(1, prime), range(prime)):
            more = f"#[{quoted([points[x]])}] = #[{quoted([number])}] + 1"
            ways.append(f"(line_{slope}_{(y - slope * x) % prime} and {more})")
        rows.append(f"next {quoted([number])} := {quoted([end])} and ({any_of(ways)})")
    return rows


def _writer(name: str, argument: int, definition: str, symbols: Sequence[str], rows: Sequence[str]) -> dict[str, str]:
    code = lines(f"alphabet {quoted([*symbols, '|'])}", "stop '#'", *rows, _DONE)
    return {"name": name, "argument": str(argument), "definition": definition, "source": OURS, "code": code}


def letter_after(text: str) -> Writer:
    """Return the program for induction over a few letters."""
    number = integer_argument("letter_after", text, low=2, high=len(LETTERS))
    letters = LETTERS[:number]

    def every(size: int) -> Iterator[str]:
        for key in letters:
            others = letters.replace(key, "")
            for word in map("".join, product(others, repeat=size)):
                yield from (f"{word[:place]}{key}{word[place:]}{key}|" for place in range(size))

    def draw(random: Random, size: int) -> str:
        key = random.choice(letters)
        word = uniform(random, letters.replace(key, ""), max(1, size - 2))
        place = random.randrange(len(word))
        return f"{word[:place]}{key}{word[place:]}{key}|"

    return Writer(
        **_writer(
            "letter_after",
            number,
            f"write what followed the last of {number} letters where it occurred before; it did once, not directly before",
            letters,
            induction_rows(letters, "|"),
        ),
        prompts=Prompts(every=every, draw=draw),
        answer=lambda prompt: prompt[prompt.index(prompt[-2]) + 1],
    )


def value_of_key(text: str) -> Writer:
    """Return the program for a map that shots show."""
    number = integer_argument("value_of_key", text, low=1, high=len(_KEYS))
    keys = _KEYS[:number]

    def shown(table: dict[str, str], shots: Sequence[str]) -> str:
        return "".join(key + table[key] for key in shots)

    def every(size: int) -> Iterator[str]:
        for values in product(_VALUES, repeat=number):
            table = dict(zip(keys, values, strict=True))
            for shots in product(keys, repeat=size):
                yield from (f"{shown(table, shots)}{key}|" for key in sorted(set(shots)))

    def draw(random: Random, size: int) -> str:
        table = {key: random.choice(_VALUES) for key in keys}
        shots = random.choices(keys, k=max(1, size // 2))
        return f"{shown(table, shots)}{random.choice(shots)}|"

    return Writer(
        **_writer(
            "value_of_key",
            number,
            f"write the value of the last key, shown before; {number} keys, each always with one value",
            [*keys, *_VALUES],
            map_rows(keys, _VALUES, "|"),
        ),
        prompts=Prompts(every=every, draw=draw),
        answer=lambda prompt: prompt[prompt.index(prompt[-2]) + 1],
    )


def value_on_line(text: str) -> Writer:
    """Return the program for a line modulo a prime."""
    prime = integer_argument("value_on_line", text, low=2, high=7)
    points, numbers = _POINTS[:prime], _NUMBERS[:prime]

    def prompt(slope: int, intercept: int, shots: Sequence[int], query: int) -> str:
        told = "".join(points[x] + numbers[(slope * x + intercept) % prime] for x in shots)
        return f"{told}{points[query]}|"

    def every(size: int) -> Iterator[str]:
        for slope, intercept, *shots, query in product(range(prime), repeat=size + 4):
            if len(shots) > 1 and shots[0] != shots[1]:
                yield prompt(slope, intercept, shots, query)

    def draw(random: Random, size: int) -> str:
        first, second = random.sample(range(prime), 2)
        others = random.choices(range(prime), k=max(0, size // 2 - 2))
        slope, intercept, query = random.choices(range(prime), k=3)
        return prompt(slope, intercept, [first, second, *others], query)

    def answer(text: str) -> str:
        shots = [(points.index(text[start]), int(text[start + 1])) for start in range(0, len(text) - 2, 2)]
        query = points.index(text[-2])
        every_line = product(range(prime), repeat=2)
        (found,) = {(a * query + b) % prime for a, b in every_line if all((a * x + b) % prime == y for x, y in shots)}
        return str(found)

    return Writer(
        **_writer(
            "value_on_line",
            prime,
            f"write the y of the last x, from shots on one line modulo {prime}; the first two have different x",
            [*points, *numbers],
            line_rows(points, numbers, "|"),
        ),
        prompts=Prompts(every=every, draw=draw),
        answer=answer,
    )


FAMILIES = (
    Family(name="letter_after", default="3", build=letter_after),
    Family(name="value_of_key", default="2", build=value_of_key),
    Family(name="value_on_line", default="3", build=value_on_line),
)
