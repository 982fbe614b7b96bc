"""How many layers: the depths of known languages, how often the bounds meet on random ones, times, and programs checked.

python benchmarks/depth.py             # everything
python benchmarks/depth.py --programs  # the programs alone
"""

from __future__ import annotations

import sys
import time
from itertools import chain
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from depth_verification import all_words, random_words, wrong_words
from theory_generators import random_languages

from lengthwise.crasp.measures import depth_of
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.depth.bounds import DepthBounds, DepthLimits, bound_depth
from lengthwise.theory.depth.checker import check_depth_certificate
from lengthwise.theory.depth.problem import DepthQuestion
from lengthwise.theory.depth.programs import depth_program

NAMED = [
    "a+b+",
    "(a+b+){2}",
    "(a+b+){3}",
    "(a+b+){4}",
    "(a+b+){5}",
    "(ab|bbaa)*",
    "(ab|aabb)*",
    "(bbac)*",
    "(acca)*",
    "(ab)*",
    *(f"TOMITA_{number}" for number in range(1, 8)),
    "D_2",
    "D_3",
    "D_4",
    "D_12",
    "aa*bb*cc*dd*ee*",
    "{a,b}*d{b,c}*",
    "(a(ab)*b)*",
    "(ab)*bb(aabb)*",
    "(cb)*ab|(aa|a)*a(a)bba",
    "((bc)*[ab]+){0,2}",
]
NUM_LANGUAGES = 1_000
SEED = 20261118
PROGRAMS_FROM = 300  # the first of the random languages
LONGEST = 10
LONGEST_OF_LARGE_ALPHABETS = 7


def shown(bounds: DepthBounds) -> str:
    if not bounds.exists:
        return "NO"
    if bounds.is_exact:
        return str(bounds.at_least)
    return f"{bounds.at_least}–{'?' if bounds.at_most is None else bounds.at_most}"


def print_named() -> list[DFA]:
    print(
        f"{'language':26}{'states':>7}" + "".join(f"{question.lower():>14}" for question in DepthQuestion) + "  seconds"
    )
    languages = []
    for text in NAMED:
        language = LANGUAGES[text].language if text in LANGUAGES else compile_regex(text)
        languages.append(language)
        start = time.process_time()
        cells = [shown(bound_depth(language, question)) for question in DepthQuestion]
        row = "".join(f"{cell:>14}" for cell in cells)
        print(f"{text:26}{language.num_states:>7}{row}{time.process_time() - start:>9.2f}", flush=True)
    return languages


def print_random() -> list[DFA]:
    languages = random_languages(SEED, NUM_LANGUAGES)
    print(f"\n{NUM_LANGUAGES} random languages (tests/theory_generators.py, seed {SEED}), at most 10 s each")
    print("question       programs exist  bounds meet  gap of 1  larger  none  seconds: median, 99 %, largest (n ≤ 8)")
    refused = certificates = 0
    for question in DepthQuestion:
        found = []
        seconds = []
        for language in languages:
            start = time.process_time()
            bounds = bound_depth(language, question, DepthLimits(seconds=10))
            if bounds.exists:
                found.append(bounds)
                if language.num_states <= 8:
                    seconds.append(time.process_time() - start)
                for certificate in (bounds.lower, bounds.upper):
                    if certificate is not None:
                        certificates += 1
                        refused += not check_depth_certificate(certificate.to_json(), language).accepted
        gaps = [None if each.at_most is None else each.at_most - (each.at_least or 0) for each in found]
        seconds.sort()
        times = f"{median(seconds):.3f}, {seconds[int(0.99 * len(seconds))]:.2f}, {seconds[-1]:.2f}"
        larger = sum(gap is not None and gap > 1 for gap in gaps)
        print(
            f"{question.lower():15}{len(found):>14}{gaps.count(0):>13}{gaps.count(1):>10}{larger:>8}{gaps.count(None):>6}  {times}",
            flush=True,
        )
    print(f"certificates: {certificates} checked, {refused} refused")
    return languages


def print_programs(languages: list[DFA]) -> None:
    programs = words_read = wrong = equal = 0
    start = time.process_time()
    for language in languages:
        longest = LONGEST if len(language.alphabet) <= 3 else LONGEST_OF_LARGE_ALPHABETS
        for question in list(DepthQuestion)[:3]:
            bounds = bound_depth(language, question, DepthLimits(seconds=10))
            if bounds.upper is None:
                continue
            program = depth_program(bounds.upper)
            programs += 1
            equal += depth_of(program) == bounds.upper.bound
            for words in chain(all_words(language, longest), random_words(language, longest, SEED, number=30)):
                words_read += len(words)
                wrong += wrong_words(program, language, question, words)
        print(f"\r{programs} programs", end="", file=sys.stderr, flush=True)
    print(
        f"\nprograms of the upper bound: {programs}, depth_of equal to the bound in {equal}; {words_read:,} words "
        f"(all up to length {LONGEST} over two or three letters, {LONGEST_OF_LARGE_ALPHABETS} over more; random up to 60): "
        f"{wrong} wrong answers; {time.process_time() - start:,.0f} s"
    )


def main() -> None:
    if "--programs" in sys.argv:
        named = [LANGUAGES[text].language if text in LANGUAGES else compile_regex(text) for text in NAMED]
        print_programs([*named, *random_languages(SEED, PROGRAMS_FROM)])
        return
    named = print_named()
    languages = print_random()
    print_programs([*named, *languages[:PROGRAMS_FROM]])


if __name__ == "__main__":
    main()
