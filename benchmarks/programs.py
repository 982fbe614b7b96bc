"""How far every program of the library has been compared with its oracle, and that no difference was found.

For each program: its kind, the smallest fragment that it is written in, how deeply its counts are nested, on how many
words it was compared, all up to a length and then at random, and how long the longest were. The word of a writer is a
prompt with its answer. Last come the entries on which program and oracle differ, each with the first word that shows it.

It needs the oracles of the tests: PYTHONPATH=src:tests python benchmarks/programs.py
"""

from __future__ import annotations

import time

from program_verification import Verification, verify

from lengthwise.crasp.fragments import Fragment
from lengthwise.crasp.measures import depth_of, fragment_of
from lengthwise.crasp.programs.catalog import PROGRAMS

MAX_WORDS = 20_000
RANDOM_WORDS = 300
RANDOM_LENGTH = 200
SEED = 20261115


def main() -> None:
    start = time.perf_counter()
    found: list[Verification] = []
    fragments: list[Fragment] = []
    print(
        f"{'program':26} {'kind':10} {'fragment':24} {'depth':>5} "
        f"{'words':>7} {'longest':>7} {'random':>7} {'longest':>7} {'wrong':>6}"
    )
    for entry in PROGRAMS.values():
        program = entry.program
        each = verify(entry, max_words=MAX_WORDS, random_words=RANDOM_WORDS, random_length=RANDOM_LENGTH, seed=SEED)
        found.append(each)
        fragments.append(fragment_of(program))
        print(
            f"{each.name:26} {type(entry).__name__.lower():10} {fragments[-1].notation:24} {depth_of(program):5} "
            f"{each.num_words:7,} {each.longest_word:7} {each.num_random:7,} {each.longest_random:7} "
            f"{int(not each.passed):6}"
        )
    print()
    print(f"{len(found)} programs: " + ", ".join(f"{fragments.count(each)} in {each.notation}" for each in Fragment))
    print(
        f"{sum(each.num_words for each in found):,} short words and {sum(each.num_random for each in found):,} random "
        f"ones in {time.perf_counter() - start:.1f} s; {sum(not each.passed for each in found)} programs differ "
        "from their oracles"
    )
    for each in found:
        if each.mismatch is not None:
            print(f"{each.name}: {each.mismatch}")


if __name__ == "__main__":
    main()
