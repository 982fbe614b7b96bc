"""Writers that put the letters of a prompt into an order: sorting, copying, reversing.

A prompt ends in ``|``; the program writes from there on and ends with ``#``. Most programs here share one idea: a letter
is *due* if it was given and not yet written, and the next one is that which no other due letter goes before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .entry import HUANG, LETTERS, OURS, Family, Prompts, Writer, integer_argument
from .samplers import always, distinct_over, words_over
from .templates import all_of, any_of, back, lines, quoted

WEISS = "arXiv 2106.06981"

Goes = Callable[[str, str], str]
"""The condition, as text, on which one letter goes before another; "" for never."""


def _letters(family: str, text: str) -> str:
    return LETTERS[: integer_argument(family, text, low=2, high=len(LETTERS))]


def _by_due(letters: str, goes: Goes, *, definitions: tuple[str, ...] = ()) -> str:
    """Return the program that writes every given letter once, in an order."""
    rows = []
    for letter in letters:
        others = [(other, goes(other, letter)) for other in letters if other != letter]
        waits = [f"not ({condition})" for other, condition in others if condition]
        rows.append(f"next '{letter}' := after and {all_of([f'due_{letter}', *waits])}")
    return lines(
        f"alphabet {quoted(letters + '|')}",
        "stop '#'",
        "after := #['|'] > 0",
        *definitions,
        *(f"due_{letter} := #['{letter}' and not after] > 0 and #['{letter}' and after] = 0" for letter in letters),
        *rows,
        f"next '#' := after and {all_of(f'not due_{letter}' for letter in letters)}",
    )


def sort(text: str) -> Writer:
    """Return the program that writes the smallest letter of which some are still to be written."""
    letters = _letters("sort", text)
    rows = [f"left_{letter} := #['{letter}' and not after] - #['{letter}' and after]" for letter in letters]
    for place, letter in enumerate(letters):
        done = [f"left_{other} = 0" for other in letters[:place]]
        rows.append(f"next '{letter}' := after and {all_of([*done, f'left_{letter} > 0'])}")
    return Writer(
        name="sort",
        argument=str(len(letters)),
        definition=f"sort a word over {len(letters)} letters, repeated ones among them",
        source=HUANG,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "stop '#'",
            "after := #['|'] > 0",
            *rows,
            f"next '#' := after and {all_of(f'left_{letter} = 0' for letter in letters)}",
        ),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: "".join(sorted(prompt[:-1])),
    )


def unique_sorted(text: str) -> Writer:
    """Return the program that writes the smallest letter that is due."""
    letters = _letters("unique_sorted", text)
    return Writer(
        name="unique_sorted",
        argument=str(len(letters)),
        definition=f"write which of {len(letters)} letters occur, in order",
        source="arXiv 2310.16028",
        code=_by_due(letters, lambda one, two: f"due_{one}" if one < two else ""),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: "".join(sorted(set(prompt[:-1]))),
    )


def dedup(text: str) -> Writer:
    """Return the program that writes the due letter that came first."""
    letters = _letters("dedup", text)
    return Writer(
        name="dedup",
        argument=str(len(letters)),
        definition=f"write a word over {len(letters)} letters without the letters that came before",
        source="arXiv 2310.16028",
        code=_by_due(letters, lambda one, two: f"due_{one} and #['{one}' and #['{two}'] = 0] > 0"),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: "".join(dict.fromkeys(prompt[:-1])),
    )


def unique_reverse(text: str) -> Writer:
    """Return the program that writes the due letter that came last."""
    letters = _letters("unique_reverse", text)
    return Writer(
        name="unique_reverse",
        argument=str(len(letters)),
        definition=f"write different letters out of {len(letters)} in reverse order",
        source=WEISS,
        code=_by_due(letters, lambda one, two: f"due_{one} and #['{two}' and #['{one}'] = 0] > 0"),
        prompts=distinct_over(letters),
        answer=lambda prompt: prompt[-2::-1],
    )


def by_frequency(text: str) -> Writer:
    """Return the program that writes the due letter that was given most often."""
    letters = _letters("by_frequency", text)
    return Writer(
        name="by_frequency",
        argument=str(len(letters)),
        definition=f"write which of {len(letters)} letters occur, the most frequent first, ties in order",
        source=WEISS,
        code=_by_due(
            letters,
            lambda one, two: f"due_{one} and given_{one} {'>=' if one < two else '>'} given_{two}",
            definitions=tuple(f"given_{letter} := #['{letter}' and not after]" for letter in letters),
        ),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: "".join(sorted(set(prompt[:-1]), key=lambda letter: (-prompt.count(letter), letter))),
    )


def missing_letters(text: str) -> Writer:
    """Return the program that writes the first letter that has not occurred."""
    letters = _letters("missing_letters", text)
    rows = [
        f"next '{letter}' := after and "
        + all_of([*(f"#['{other}'] > 0" for other in letters[:place]), f"#['{letter}'] = 0"])
        for place, letter in enumerate(letters)
    ]
    return Writer(
        name="missing_letters",
        argument=str(len(letters)),
        definition=f"write which of {len(letters)} letters do not occur, in order",
        source=OURS,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "stop '#'",
            "after := #['|'] > 0",
            *rows,
            "next '#' := after and " + all_of(f"#['{letter}'] > 0" for letter in letters),
        ),
        prompts=words_over(letters, keep=always),
        answer=lambda prompt: "".join(letter for letter in letters if letter not in prompt),
    )


def unique_copy(text: str) -> Writer:
    """Return the induction head: what followed the current letter before follows it again.

    The separator counts as the start symbol, so that what came first follows it. What is written repeats pairs of the
    prompt only, so that no pair misleads. Over a fixed alphabet :func:`dedup` copies without a window; this is the
    program that does not care in which order letters came, only which follows which.
    """
    letters = _letters("unique_copy", text)

    def was_next(symbol: str) -> str:
        pairs = [f"'{each}' and #['{symbol}' and follows_{each}] > 0" for each in letters if each != symbol]
        return any_of([*pairs, f"'|' and #['{symbol}' and #{{1}}['$'] = 1] > 0"])

    return Writer(
        name="unique_copy",
        argument=str(len(letters)),
        definition=f"write different letters out of {len(letters)} again",
        source=HUANG,
        code=lines(
            f"alphabet {quoted(letters + '|')}",
            "start '$'",
            "stop '#'",
            "after := #['|'] > 0",
            *(f"follows_{letter} := {back(1, letter)}" for letter in letters),
            *(f"next '{letter}' := after and ({was_next(letter)})" for letter in letters),
            f"next '#' := after and ({was_next('|')})",
        ),
        prompts=distinct_over(letters),
        answer=lambda prompt: prompt[:-1],
    )


def count_up(text: str) -> Writer:
    """Return the program that writes the successor of a digit until it is the second one given."""
    number = integer_argument("count_up", text, low=2, high=10)
    digits = "0123456789"[:number]
    rows = [f"last_{digit} := #['{digit}' and #[true] = 2] = 1" for digit in digits]
    for place, digit in enumerate(digits):
        first = f"'|' and #['{digit}' and #[true] = 1] = 1"
        before = digits[place - 1] if place else ""
        step = f" or after and '{before}' and not last_{before}" if before else ""
        rows.append(f"next '{digit}' := {first}{step}")

    def every(size: int) -> Iterator[str]:
        return (f"{low}{size}|" for low in range(size + 1) if size < number)

    return Writer(
        name="count_up",
        argument=str(number),
        definition=f"write the digits from a first one up to a second one, out of {number}",
        source="arXiv 2310.16028",
        code=lines(
            f"alphabet {quoted(digits + '|')}",
            "stop '#'",
            "after := #['|'] > 0",
            *rows,
            "next '#' := after and (" + any_of(f"'{digit}' and last_{digit}" for digit in digits) + ")",
        ),
        prompts=Prompts(every=every, draw=lambda random, _: "".join(sorted(random.choices(digits, k=2))) + "|"),
        answer=lambda prompt: digits[int(prompt[0]) : int(prompt[1]) + 1],
    )


FAMILIES = (
    Family(name="sort", default="4", build=sort),
    Family(name="unique_sorted", default="4", build=unique_sorted),
    Family(name="dedup", default="3", build=dedup),
    Family(name="unique_reverse", default="4", build=unique_reverse),
    Family(name="by_frequency", default="3", build=by_frequency),
    Family(name="missing_letters", default="4", build=missing_letters),
    Family(name="unique_copy", default="4", build=unique_copy),
    Family(name="count_up", default="6", build=count_up),
)
