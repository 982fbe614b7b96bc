"""Counts compared: majorities, shares and thresholds. All of them are plain C-RASP."""

from __future__ import annotations

from itertools import accumulate
from random import Random

from .entry import OURS, Acceptor, Family, Rule, acceptors, integer_argument, regular
from .samplers import ballot, near, scrambled, uniform, until
from .templates import lines


def _leads(word: str) -> list[int]:
    """Return by how many the as lead the bs after every symbol."""
    return list(accumulate(1 if symbol == "a" else -1 for symbol in word))


def _ahead_most_of_the_time(word: str) -> bool:
    return 2 * sum(lead > 0 for lead in _leads(word)) > len(word)


def _zeros_and_ones(random: Random, length: int, zeros: int) -> str:
    return scrambled(random, "0" * zeros + "1" * (length - zeros))


def _weighted_member(random: Random, length: int) -> str:
    a, b = random.randint(0, length // 4), random.randint(0, length // 4)
    return scrambled(random, "a" * a + "b" * b + "c" * (-(-(2 * a + b) // 3) + random.choice((0, 0, 3))))


def _between_thirds(random: Random, length: int) -> str:
    length = max(length, 2)
    third = -(-length // 3)
    return _zeros_and_ones(random, length, random.choice((third, random.randint(third, length - third))))


def _plural_member(random: Random, length: int) -> str:
    most = length // 3 + 1
    return scrambled(random, "a" * most + "b" * near(random, most - 1) + "c" * near(random, most - 1))


def _absolute_member(random: Random, length: int) -> str:
    others = near(random, (length - 1) // 2)
    return scrambled(random, "a" * (length - others) + uniform(random, "bc", others))


SHARES = acceptors(
    "majorities",
    {
        "majority": Rule(
            contains=lambda word: word.count("1") > word.count("0"),
            member=lambda random, length: _zeros_and_ones(random, length, near(random, (length - 1) // 2)),
        ),
        "weak_majority": Rule(
            contains=lambda word: word.count("1") >= word.count("0"),
            member=lambda random, length: _zeros_and_ones(random, length, near(random, length // 2)),
        ),
        "exact_half": Rule(
            contains=lambda word: word.count("1") == word.count("0"),
            member=lambda random, length: _zeros_and_ones(random, length // 2 * 2, length // 2),
        ),
        "at_least_a_third": Rule(
            contains=lambda word: 3 * word.count("1") >= len(word),
            member=lambda random, length: _zeros_and_ones(random, length, near(random, 2 * length // 3)),
        ),
        "share_between_thirds": Rule(
            contains=lambda word: len(word) <= 3 * word.count("1") <= 2 * len(word),
            member=_between_thirds,
        ),
        "twice_as_many": Rule(
            contains=lambda word: word.count("a") == 2 * word.count("b"),
            member=lambda random, length: scrambled(random, "aab" * (length // 3)),
        ),
        "weighted_majority": Rule(
            contains=lambda word: sum({"a": -2, "b": -1, "c": 3}[symbol] for symbol in word) >= 0,
            member=_weighted_member,
        ),
        "plurality": Rule(
            contains=lambda word: word.count("a") > max(word.count("b"), word.count("c")), member=_plural_member
        ),
        "absolute_majority": Rule(contains=lambda word: 2 * word.count("a") > len(word), member=_absolute_member),
        "equal_counts": Rule(
            contains=lambda word: word.count("a") == word.count("b") == word.count("c"),
            member=lambda random, length: scrambled(random, "abc" * (length // 3)),
        ),
    },
)

PREFIXES = acceptors(
    "majorities",
    {
        "prefix_majority": Rule(
            contains=lambda word: min(_leads(word), default=0) >= 0,
            member=lambda random, length: ballot(random, length, "a", "b"),
        ),
        "strict_prefix_majority": Rule(
            contains=lambda word: min(_leads(word), default=1) > 0,
            member=lambda random, length: "a" + ballot(random, length - 1, "a", "b"),
        ),
        "tie_somewhere": Rule(
            contains=lambda word: 0 in _leads(word),
            member=lambda random, length: (
                random.choice(("ab", "ba", "aabb", "bbabaa")) + uniform(random, "ab", max(0, length - 4))
            ),
        ),
        "mostly_ahead": Rule(
            contains=_ahead_most_of_the_time,
            member=lambda random, length: until(_ahead_most_of_the_time, lambda: uniform(random, "aab", length)),
        ),
    },
)


def at_least(text: str) -> Acceptor:
    """Return the program that counts up to a threshold."""
    least = integer_argument("at_least", text, low=1, high=100)
    return Acceptor(
        name="at_least",
        argument=str(least),
        definition=f"at least {least} as",
        source=OURS,
        code=lines("alphabet 'a' 'b'", "read at end", f"accept := #['a'] >= {least}"),
        language=regular(f"b*(ab*){{{least},}}", "ab"),
    )


def at_most(text: str) -> Acceptor:
    """Return the program that counts up to a bound."""
    most = integer_argument("at_most", text, low=0, high=100)
    return Acceptor(
        name="at_most",
        argument=str(most),
        definition=f"at most {most} as",
        source=OURS,
        code=lines("alphabet 'a' 'b'", "read at end", f"accept := #['a'] <= {most}"),
        language=regular(f"b*(ab*){{0,{most}}}", "ab"),
    )


def exactly(text: str) -> Acceptor:
    """Return the program that counts to a number."""
    number = integer_argument("exactly", text, low=0, high=100)
    return Acceptor(
        name="exactly",
        argument=str(number),
        definition=f"exactly {number} as",
        source=OURS,
        code=lines("alphabet 'a' 'b'", "read at end", f"accept := #['a'] = {number}"),
        language=regular(f"b*(ab*){{{number}}}", "ab"),
    )


THRESHOLDS = (
    Family(name="at_least", default="3", build=at_least),
    Family(name="at_most", default="2", build=at_most),
    Family(name="exactly", default="2", build=exactly),
)
