"""The smallest program for each of a list of languages, from all words up to a length, on one core.

Each line says what was found, at which cost, from which length on the answer stayed the same, and the first word on which
the program errs among all words up to the longest that are checked. A language stands in the smallest fragment that has
it. Names on the command line select languages; a number sets the length of the words. D_3 is there because words up to
length 6 cannot tell it from brackets of any depth: the smallest program is rightly another one.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

os.environ.setdefault("OMP_NUM_THREADS", "1")

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.synthesis import Caps, Synthesis, synthesize
from lengthwise.errors import CapExceededError

LENGTH = 6
MAX_WORDS = 20_000
PLAIN, LOCAL, PERIODIC, BOTH = Fragment.PLAIN, Fragment.LOCAL, Fragment.PERIODIC, Fragment.PERIODIC_LOCAL


@dataclass(frozen=True, slots=True)
class Case:
    """A language, the fragment to look in, and the largest size to try."""

    name: str
    alphabet: str
    fragment: Fragment
    language: Callable[[str], bool]
    max_size: int = 14
    shorter: int = 0
    """How much shorter the words are than for the others: a larger alphabet has more of them."""


def matches(pattern: str) -> Callable[[str], bool]:
    return lambda word: re.fullmatch(pattern, word) is not None


def contains(pattern: str) -> Callable[[str], bool]:
    return lambda word: re.search(pattern, word) is not None


def nested(opening: str, closing: str, deepest: float, *, balanced: bool = True) -> Callable[[str], bool]:
    def is_nested(word: str) -> bool:
        depth = 0
        for symbol in word:
            depth += (symbol == opening) - (symbol == closing)
            if not 0 <= depth <= deepest:
                return False
        return depth == 0 or not balanced

    return is_nested


CASES = [
    Case("(ab)*", "ab", PLAIN, matches("(ab)*")),
    Case("Dyck-1", "()", PLAIN, nested("(", ")", float("inf"))),
    Case("D_2", "ab", PLAIN, nested("a", "b", 2), 16),
    Case("D_3", "ab", PLAIN, nested("a", "b", 3), 16),
    Case("more 1s than 0s", "01", PLAIN, lambda word: word.count("1") > word.count("0")),
    Case("at least as many a as b", "ab", PLAIN, lambda word: word.count("a") >= word.count("b")),
    Case("as many a as b", "ab", PLAIN, lambda word: word.count("a") == word.count("b")),
    Case("no prefix with more b", "ab", PLAIN, nested("a", "b", float("inf"), balanced=False)),
    Case("1* (Tomita 1)", "01", PLAIN, matches("1*")),
    Case("(10)* (Tomita 2)", "01", PLAIN, matches("(10)*")),
    Case("no 000 (Tomita 4)", "01", LOCAL, lambda word: "000" not in word),
    Case("0*1*0*1* (Tomita 7)", "01", PLAIN, matches("0*1*0*1*"), 16),
    Case("0*1*0*1* (Tomita 7)", "01", LOCAL, matches("0*1*0*1*")),
    Case("a^n b^n", "ab", PLAIN, lambda word: word == "a" * (len(word) // 2) + "b" * (len(word) // 2)),
    Case("first symbol is 1", "01", PLAIN, matches("1.*")),
    Case("last symbol is b", "ab", PLAIN, matches(".*b")),
    Case("first is last", "ab", PLAIN, lambda word: word[0] == word[-1]),
    Case("a*b*", "ab", PLAIN, matches("a*b*")),
    Case("aa*bb*", "ab", PLAIN, matches("aa*bb*")),
    Case("exactly one a", "ab", PLAIN, lambda word: word.count("a") == 1),
    Case("subsequence ab", "ab", PLAIN, contains("a.*b")),
    Case("subsequence aba", "ab", PLAIN, contains("a.*b.*a")),
    Case("subsequence ab", "abc", PLAIN, contains("a.*b")),
    Case("factor ab", "abc", LOCAL, contains("ab")),
    Case("even length", "ab", PERIODIC, lambda word: len(word) % 2 == 0),
    Case("(aa)*", "ab", PERIODIC, matches("(aa)*")),
    Case("(aaaa)*", "ab", PERIODIC, matches("(aaaa)*")),
    Case("(abab)*", "ab", PERIODIC, matches("(abab)*")),
    Case("a*b*c*", "abc", PLAIN, matches("a*b*c*"), shorter=1),
    Case("{a,b}*d{b,c}*", "abcd", PLAIN, matches("[ab]*d[bc]*"), 12, shorter=2),
]


def first_wrong_word(found: Synthesis, case: Case) -> tuple[int, str | None]:
    """Return how long the words are that were checked, and the first of them on which the program errs."""
    words: list[str] = []
    length = 0
    while len(words) + len(case.alphabet) ** (length + 1) <= MAX_WORDS:
        length += 1
        words += map("".join, product(case.alphabet, repeat=length))
    said = BatchedProgram(found.program).accepts(words, numpy_arrays()).tolist()
    wrong = (word for word, accepted in zip(words, said, strict=True) if accepted != case.language(word))
    return length, next(wrong, None)


def report(case: Case, length: int) -> None:
    start = time.perf_counter()
    name = f"{case.name:24} {case.fragment:14}"
    try:
        found = synthesize(
            case.language,
            alphabet=case.alphabet,
            max_length=length - case.shorter,
            fragment=case.fragment,
            caps=Caps(max_size=case.max_size),
        )
    except CapExceededError as error:
        print(
            f"{name} {length - case.shorter:5} {'-':>4} {time.perf_counter() - start:7.1f}  {error.message}", flush=True
        )
        return
    seconds = time.perf_counter() - start
    checked, wrong = first_wrong_word(found, case)
    verdict = f"correct up to {checked}" if wrong is None else f"WRONG on {wrong}"
    print(
        f"{name} {len(found.answers):5} {found.size:4} {seconds:7.1f} {found.num_candidates:14,} {found.num_classes:10,} "
        f"{found.stabilization_length:6}  {verdict:20}  {found.answers[-1].text}",
        flush=True,
    )


def main() -> None:
    length = next((int(each) for each in sys.argv[1:] if each.isdigit()), LENGTH)
    names = [each for each in sys.argv[1:] if not each.isdigit()]
    cases = [case for case in CASES if not names or any(name in case.name for name in names)]
    print(f"words up to length {length}, where the column words says no other; one core")
    print(
        f"{'language':24} {'fragment':14} {'words':>5} {'size':>4} {'seconds':>7} {'candidates':>14} {'classes':>10} {'stable':>6}  "
        f"{'verdict':20}  program"
    )
    for case in cases:
        report(case, length)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\nat most {peak:.2f} GB of memory")


if __name__ == "__main__":
    main()
