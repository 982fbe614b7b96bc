"""The logics of fixed precision and C-RASP[periodic]: counts of the comparisons, the table of classes, times, and UNKNOWNs.

Every comparison is with a definition that shares no code with the decider (tests/logic_oracles.py), or with unrolling by
every period up to 30. Baseline of the times, in the same run: balanced refinement for plain C-RASP.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from logic_oracles import expressible
from strategies import random_dfa, random_regex
from theory_generators import many_languages, random_dfa_with_dead_ends

from lengthwise.crasp.fragments import Fragment
from lengthwise.languages.catalog import LANGUAGES, bounded_dyck
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.checker import check_certificate
from lengthwise.theory.claims import Answer
from lengthwise.theory.deciders import decide, decide_plain
from lengthwise.theory.facts import Facts
from lengthwise.theory.graph import unrolled_graph
from lengthwise.theory.periods import refine_by_roots
from lengthwise.theory.potentials import refine
from lengthwise.theory.precision.deciders import decide_logic
from lengthwise.theory.precision.logics import Logic

NUM_COMPARED = 10_000
LARGEST_SEMIGROUP = 60
NUM_UNROLLED = 300
NUM_REGEXES = 5_000
NUM_LARGE = 100
LARGE = 30

TABLE = [
    "(aa)*",
    "(abab)*",
    "(ab)*",
    "PARITY",
    "TOMITA_4",
    "[abc]*ab[abc]*",
    "(ab|aabb)*",
    "a[ab]*",
    "a*b*",
    "[ab]*ab[ab]*",
    "[ab]*a",
    "{0,1,2}*02*",
    "D_2",
    "D_3",
    "(ab|bbaa)*",
]

SIGNS = {Answer.YES: "Y", Answer.NO: "n", Answer.UNKNOWN: "?"}


def language_of(name: str) -> DFA:
    return LANGUAGES[name].language if name in LANGUAGES else compile_regex(name)


def compare_with_algebra() -> None:
    """Count languages, differences, violated inclusions and rejected certificates."""
    counts: Counter[str] = Counter()
    start = time.process_time()
    for _, language in many_languages(20261201):
        expected = expressible(language, LARGEST_SEMIGROUP)
        if expected is None:
            continue
        verdicts = {logic: decide_logic(language, logic) for logic in Logic}
        counts["languages"] += 1
        counts["decisions"] += len(verdicts)
        found = {str(logic): verdict.answer is Answer.YES for logic, verdict in verdicts.items()}
        counts["differences"] += sum(found[name] != expected[name] for name in found)
        plain = decide_plain(language).answer is Answer.YES
        counts["violated"] += found["LTL[P]"] > plain
        counts["violated"] += plain > found["LTL[S]"]
        counts["violated"] += sum(
            found[str(small)] > found[str(large)] for small in Logic for large in Logic if large.includes(small)
        )
        for verdict in verdicts.values():
            certificate = verdict.certificate
            assert certificate is not None
            counts["rejected"] += not check_certificate(certificate.to_json(), language).accepted
        if counts["languages"] == NUM_COMPARED:
            break
    print(
        f"{counts['languages']:,} languages, semigroups up to {LARGEST_SEMIGROUP} elements: {counts['decisions']:,} decisions, "
        f"{counts['differences']} differences from the algebraic definitions, {counts['violated']} violated inclusions, "
        f"{counts['rejected']} certificates rejected ({time.process_time() - start:.0f} s)"
    )


def compare_with_unrolling() -> None:
    """Count how often C-RASP[periodic] is decided otherwise than by all periods up to 30."""
    counts: Counter[str] = Counter()
    start = time.process_time()
    small = (each for _, each in many_languages(20261202) if each.num_states <= 8)
    for language in islice(small, NUM_UNROLLED):
        passed = all(each.passed for each in refine_by_roots(language))
        unrolled = [
            all(each.passed for each in refine(unrolled_graph(language, period=period))) for period in range(1, 31)
        ]
        counts["passed" if passed else "stuck"] += 1
        counts["differences"] += passed != any(unrolled)
    print(
        f"C-RASP[periodic] against unrolling by every period up to 30: {NUM_UNROLLED} languages ({counts['passed']} in, "
        f"{counts['stuck']} not), {counts['differences']} differences ({time.process_time() - start:.0f} s)"
    )


def print_table() -> None:
    logics = list(Logic)
    fragments = [Fragment.PLAIN, Fragment.LOCAL, Fragment.PERIODIC_LOCAL]
    names = [logic.notation for logic in logics] + ["plain", "local", "both"]
    print(f"{'language':16}" + "".join(f"{name:>14}" for name in names))
    for name in TABLE:
        language = language_of(name)
        answers = [decide_logic(language, logic).answer for logic in logics]
        answers += [decide(Facts(language=language), fragment).answer for fragment in fragments]
        print(f"{name:16}" + "".join(f"{SIGNS[answer]:>14}" for answer in answers))


def layered_dfa(rng: random.Random, num_states: int, num_layers: int) -> DFA:
    """Every symbol leads from one layer of states into the next one, around a circle, or to a sink: periods abound."""
    sink = num_states - 1
    layers = [[state for state in range(sink) if state % num_layers == layer] for layer in range(num_layers)]
    rows = [
        [sink if rng.random() < 0.4 else rng.choice(layers[(state + 1) % num_layers]) for _ in "abc"]
        for state in range(sink)
    ]
    accepting = [state for state in range(sink) if rng.random() < 0.5]
    return DFA(alphabet="abc", transitions=[*rows, [sink] * 3], accepting=accepting)


def monotone_dfa(rng: random.Random, num_states: int, alphabet: str) -> DFA:
    """Every symbol keeps the order of the states, so nothing counts: LTL[S] has the language, and looks at all maps."""
    columns = [sorted(rng.randrange(num_states) for _ in range(num_states)) for _ in alphabet]
    accepting = [state for state in range(num_states) if rng.random() < 0.5]
    return DFA(alphabet=alphabet, transitions=list(zip(*columns, strict=True)), accepting=accepting)


def large_languages() -> dict[str, list[DFA]]:
    rng = random.Random(30)
    families: dict[str, Callable[[], DFA]] = {
        "uniform": lambda: random_dfa(rng, LARGE, rng.choice(("ab", "abc"))),
        "dead ends": lambda: random_dfa_with_dead_ends(rng, LARGE, rng.choice(("abc", "abcd", "abcdef"))),
        "layers": lambda: layered_dfa(rng, LARGE, rng.choice((2, 3, 5))),
        "monotone": lambda: monotone_dfa(rng, LARGE, rng.choice(("ab", "abc"))),
        "expressions": lambda: compile_regex(random_regex(rng, 6, "abc"), alphabet="abc"),
    }
    found: dict[str, list[DFA]] = {"Dyck": [bounded_dyck(LARGE - 2)]}
    for name, make in families.items():
        found[name] = []
        while len(found[name]) < NUM_LARGE:
            language = make()
            if LARGE - 5 <= language.num_states <= LARGE + 3:
                found[name].append(language)
    return found


def time_large() -> None:
    """Print the CPU seconds for one automaton: logics together, each fragment, all ten classes."""
    print(
        f"{'about 30 states':16}{'number':>8}{'six logics':>12}" + "".join(f"{each:>16}" for each in Fragment), end=""
    )
    print(f"{'all, median':>13}{'all, most':>11}  unknown")
    for name, languages in large_languages().items():
        rows, unknown = [], 0
        for language in languages:
            times = []
            start = time.process_time()
            verdicts: list[Answer] = [decide_logic(language, logic).answer for logic in Logic]
            times.append(time.process_time() - start)
            for fragment in Fragment:
                start = time.process_time()
                verdicts.append(decide(Facts(language=language), fragment).answer)
                times.append(time.process_time() - start)
            unknown += sum(answer is Answer.UNKNOWN for answer in verdicts)
            rows.append(times)
        middle = [sorted(column)[len(rows) // 2] for column in zip(*rows, strict=True)]
        total = sorted(map(sum, rows))
        print(
            f"{name:16}{len(rows):>8}{middle[0]:>10.3f} s"
            + "".join(f"{value:>14.3f} s" for value in middle[1:])
            + f"{total[len(total) // 2]:>11.3f} s{total[-1]:>9.3f} s  {unknown} of {10 * len(rows)}"
        )


def count_unknown() -> None:
    rng = random.Random(20261203)
    answers: Counter[Answer] = Counter()
    start = time.process_time()
    for number in range(NUM_REGEXES):
        alphabet = "ab" if number % 2 else "abc"
        language = compile_regex(random_regex(rng, 5, alphabet), alphabet=alphabet)
        answers[decide(Facts(language=language), Fragment.PERIODIC).answer] += 1
    shown = ", ".join(f"{answer} {answers[answer]}" for answer in Answer)
    print(
        f"C-RASP[periodic] on {NUM_REGEXES:,} random regular expressions: {shown}; UNKNOWN "
        f"{100 * answers[Answer.UNKNOWN] / NUM_REGEXES:.2f} % ({time.process_time() - start:.0f} s)"
    )


def main() -> None:
    print_table()
    print()
    count_unknown()
    compare_with_unrolling()
    print()
    time_large()
    print()
    compare_with_algebra()


if __name__ == "__main__":
    main()
