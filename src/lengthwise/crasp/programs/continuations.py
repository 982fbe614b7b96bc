"""Predictors: what can come next, after every prefix of a word. Where nothing leads into the language, nothing can."""

from __future__ import annotations

import re
from itertools import accumulate, product

from .entry import HUANG, Family, Predictor, integer_argument, predictors
from .templates import any_of, back, ends_here, lines, quoted


def _depths(word: str, opening: str) -> list[int]:
    return list(accumulate(1 if symbol == opening else -1 for symbol in word))


def _after_brackets(prefix: str) -> str:
    depths = [0, *_depths(prefix, "(")]
    if min(depths) < 0:
        return ""
    return "()" if depths[-1] else "(#"


def _after_block_of_as(prefix: str) -> str:
    blocks = re.fullmatch("(a*)(b*)", prefix)
    if not blocks or len(blocks[1]) < len(blocks[2]):
        return ""
    few = len(blocks[2]) < len(blocks[1])
    return ("" if blocks[2] else "a") + ("b" if few else "#")


def _after_three_blocks(prefix: str) -> str:
    blocks = re.fullmatch("(a*)(b*)(c*)", prefix)
    if not blocks:
        return ""
    num_a, num_b, num_c = map(len, blocks.groups())
    if num_b > num_a or num_c > num_b or (num_c and num_b < num_a):
        return ""
    if not num_b:
        return "ab" if num_a else "a#"
    if num_b < num_a:
        return "b"
    return "c" if num_c < num_b else "#"


def _after_zeros(prefix: str) -> str:
    if "000" in prefix:
        return ""
    return "1#" if prefix.endswith("00") else "01#"


LEGAL = predictors(
    "continuations",
    {
        "dyck_1_next": _after_brackets,
        "tomita_4_next": _after_zeros,
        "a_n_b_n_next": _after_block_of_as,
        "a_n_b_n_c_n_next": _after_three_blocks,
    },
)


def bounded_dyck_next(text: str) -> Predictor:
    """Return the program for what can come next in D_n."""
    depth = integer_argument("bounded_dyck_next", text, low=1, high=1000)

    def following(prefix: str) -> str:
        depths = [0, *_depths(prefix, "a")]
        if min(depths) < 0 or max(depths) > depth:
            return ""
        return ("a" if depths[-1] < depth else "") + ("b" if depths[-1] else "#")

    return Predictor(
        name="bounded_dyck_next",
        argument=str(depth),
        definition=f"what can come next in brackets a and b that balance, nested at most {depth} deep",
        source=HUANG,
        code=lines(
            "alphabet 'a' 'b'",
            "start '$'",
            "stop '#'",
            "depth := #['a'] - #['b']",
            f"live := #[depth < 0 or depth > {depth}] = 0",
            f"next 'a' := live and depth < {depth}",
            "next 'b' := live and depth > 0",
            "next '#' := live and depth = 0",
        ),
        following=following,
    )


SEEN = predictors(
    "continuations",
    {
        "associative_recall": lambda prefix: (
            set(re.findall(f"(?={prefix[-1]}([xyz]))", prefix)) if prefix[-1] in "abc" else ()
        ),
        "modes": lambda prefix: [letter for letter in "abc" if prefix.count(letter) == max(map(prefix.count, "abc"))],
        "running_maximum": max,
    },
)


def shift(text: str) -> Predictor:
    """Return the program that repeats its input a few places later."""
    distance = integer_argument("shift", text, low=1, high=100)
    return Predictor(
        name="shift",
        argument=str(distance),
        definition=f"the symbol {distance} places back, where there is one",
        source="arXiv 2510.04130",
        code=lines("alphabet 'a' 'b' 'c'", *(f"next '{letter}' := {back(distance, letter)}" for letter in "abc")),
        following=lambda prefix: prefix[-distance - 1] if len(prefix) > distance else "",
    )


def induction(text: str) -> Predictor:
    """Return the program that looks for earlier places where the last few symbols were the same."""
    size = integer_argument("induction", text, low=1, high=4)
    letters = "abc"

    def following(prefix: str) -> set[str]:
        starts = range(len(prefix) - size) if len(prefix) >= size else range(0)
        return {prefix[start + size] for start in starts if prefix[start : start + size] == prefix[-size:]}

    contexts = ["".join(context) for context in product(letters, repeat=size)]
    now = [f"now_{each} := {ends_here(each)}" for each in contexts]
    before = [f"before_{each} := {ends_here(each, distance=1)}" for each in contexts]
    last = "last symbol" if size == 1 else f"last {size} symbols"
    return Predictor(
        name="induction",
        argument=str(size),
        definition=f"every symbol that has followed the {last} before",
        source="arXiv 2505.21785",
        code=lines(
            f"alphabet {quoted(letters)}",
            *now,
            *before,
            *(
                f"next '{letter}' := "
                + any_of(f"now_{each} and #['{letter}' and before_{each}] > 0" for each in contexts)
                for letter in letters
            ),
        ),
        following=following,
    )


FAMILIES = (
    Family(name="bounded_dyck_next", default="2", build=bounded_dyck_next),
    Family(name="shift", default="1", build=shift),
    Family(name="induction", default="1", build=induction),
)
