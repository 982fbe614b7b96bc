"""How many layers: the depths of known languages, how often the bounds meet on random ones, times, and programs checked."""

from __future__ import annotations

import random
import sys
import time
from itertools import product
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from theory_generators import random_languages

from lengthwise.crasp.interpreter import accepts, run_program
from lengthwise.crasp.measures import depth_of
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.next_symbols import live_states, next_symbol_set
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
PROGRAMS_FROM = 40  # the first of the random languages


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


def differences(language: DFA, question: DepthQuestion, words: list[tuple[str, ...]]) -> tuple[int, bool]:
    """Return on how many words the program of the upper bound is wrong, and whether its depth is the bound."""
    bounds = bound_depth(language, question)
    assert bounds.upper is not None
    program = depth_program(bounds.upper)
    live = live_states(language)
    wrong = 0
    for word in words:
        state = language.run(word)
        if question is DepthQuestion.NEXT_SYMBOLS:
            if state in live:
                values = run_program(program, word)
                said = {number for number, output in enumerate(program.outputs) if values[output.name][-1]}
                wrong += said != next_symbol_set(language, live, state)
        elif word or question is DepthQuestion.END_MARKER:
            wrong += accepts(program, word) != (state in language.accepting)
    return wrong, depth_of(program) == bounds.upper.bound


def print_programs(languages: list[DFA]) -> None:
    rng = random.Random(SEED)
    programs = words_read = wrong = equal = 0
    for language in languages:
        if language.num_states > 9:
            continue
        longest = 10 if len(language.alphabet) == 2 else 6
        words = [word for length in range(longest + 1) for word in product(language.alphabet, repeat=length)]
        words += [tuple(rng.choices(language.alphabet, k=rng.randint(20, 60))) for _ in range(30)]
        for question in list(DepthQuestion)[:3]:
            bounds = bound_depth(language, question)
            if bounds.upper is not None:
                found, is_equal = differences(language, question, words)
                programs, words_read = programs + 1, words_read + len(words)
                wrong, equal = wrong + found, equal + is_equal
    print(
        f"\nprograms of the upper bound: {programs}, depth_of equal to the bound in {equal}; "
        f"{words_read:,} words (all up to length 10 over two letters, 6 over more; random up to 60): {wrong} wrong answers"
    )


def main() -> None:
    named = print_named()
    languages = print_random()
    print_programs([*named, *languages[:PROGRAMS_FROM]])


if __name__ == "__main__":
    main()
