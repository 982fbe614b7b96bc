"""How fast programs run: long words, and many words at once against one word at a time.

Prints the time of a guarded count at 8,000 positions, the slowest library programs at 100,000 positions (one core), and
symbols per second of a batch against the interpreter, which is the baseline, in the same run.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import platform
import time
from collections.abc import Callable
from random import Random

from lengthwise.arrays import numpy_arrays
from lengthwise.crasp.batched import BatchedProgram
from lengthwise.crasp.interpreter import run_program
from lengthwise.crasp.parser import parse_program
from lengthwise.crasp.programs.catalog import PROGRAMS
from lengthwise.crasp.syntax import Program

XP = numpy_arrays()
MAX_SYMBOLS = 8

GUARDED = {
    "#['a' and #['b'] > #['a']]": "accept := #['a' and #['b'] > #['a']] > 3",
    "#<['a' and pos % 3 = 1]": "accept := #<['a' and pos % 3 = 1] > 3",
    "#{0..999}['a']": "accept := #{0..999}['a'] > 3",
    "every 7th of 700 back": f"accept := #{{{','.join(map(str, range(0, 700, 7)))}}}['a'] > 3",
    "if 'a' then #['a'] else …": "accept := #[(if 'a' then #['a'] else #['b']) > 2] > 3",
}


def best_of(number: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(number):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def tokens_for(program: Program, length: int, seed: int = 0):
    import numpy as np

    symbols = len(program.symbols)
    tokens = np.random.default_rng(seed).integers(program.start is not None, symbols, (1, length))
    if program.start is not None:
        tokens[:, 0] = 0
    return tokens


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, one core; best of several runs")
    print("\nguarded counts at 8,000 positions")
    for name, body in GUARDED.items():
        batched = BatchedProgram(parse_program(f"alphabet 'a' 'b'\n{body}"))
        tokens = tokens_for(batched.program, 8_000)
        print(f"  {name:28} {1e3 * best_of(20, lambda: batched.run(tokens, XP)):7.2f} ms")  # noqa: B023

    small = {name: entry.program for name, entry in PROGRAMS.items() if len(entry.program.alphabet) <= MAX_SYMBOLS}
    print(f"\nlibrary programs of at most {MAX_SYMBOLS} symbols at 100,000 positions: {len(small)} of {len(PROGRAMS)}")
    timed = []
    for name, program in small.items():
        batched = BatchedProgram(program)
        tokens = tokens_for(program, 100_000)
        timed.append((best_of(3, lambda: batched.run(tokens, XP)), name))  # noqa: B023
    timed.sort(reverse=True)
    for seconds, name in timed[:8]:
        print(f"  {name:28} {1e3 * seconds:7.1f} ms")
    print(f"  median                       {1e3 * timed[len(timed) // 2][0]:7.1f} ms")

    print("\nsymbols per second, 1,000 words of 64 symbols")
    print(f"  {'program':28} {'interpreter':>12} {'batch':>14} {'ratio':>9}")
    random = Random(0)
    for name in ("dyck_1", "unique_copy", "shuffle_dyck", "subword"):
        program = PROGRAMS[name].program
        words = [[random.choice(program.alphabet) for _ in range(64)] for _ in range(1_000)]
        batched = BatchedProgram(program)
        slow = best_of(1, lambda: [run_program(program, word) for word in words[:50]]) / 50  # noqa: B023
        tokens, _ = batched.encode(words, XP)
        fast = best_of(3, lambda: batched.run(tokens, XP)) / 1_000  # noqa: B023
        print(f"  {name:28} {64 / slow:12,.0f} {64 / fast:14,.0f} {slow / fast:9,.0f}")


if __name__ == "__main__":
    main()
