"""Time per NoPE decision: on random languages, and on families that blow up cycle enumeration.

Baseline, in the same run: the obvious oracle that enumerates simple cycles (theory/cycles.py), on the languages that
it can do. The column "prototype" holds the figures that a first prototype of this algorithm reached; they are quoted, not
measured here.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from strategies import random_dfa, random_regex

from lengthwise.languages.catalog import bounded_dyck
from lengthwise.languages.components import strong_components
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.cycles import refine_by_cycles
from lengthwise.theory.deciders import decide_plain, plain_graph
from lengthwise.theory.potentials import refine, solve_letters, solve_states

NUM_REGEXES = 2_000
NUM_AUTOMATA = 500
CYCLE_ORACLE_LANGUAGES = 600


def random_languages() -> list[DFA]:
    rng = random.Random(20261115)
    languages = []
    for number in range(NUM_REGEXES):
        alphabet = "ab" if number % 2 else "abc"
        languages.append(compile_regex(random_regex(rng, 5, alphabet), alphabet=alphabet))
    return languages + [random_dfa(rng, 3 + number % 4, "ab") for number in range(NUM_AUTOMATA)]


def two_type_dyck(depth: int) -> DFA:
    """Brackets of two types, nested at most ``depth`` deep: a state is the stack."""
    stacks: list[tuple[int, ...]] = [()]
    numbers = {(): 0}
    rows = []
    sink = 2 ** (depth + 1) - 1
    for stack in stacks:
        row = []
        for kind in (0, 1):
            pushed = (*stack, kind)
            if len(pushed) <= depth and pushed not in numbers:
                numbers[pushed] = len(stacks)
                stacks.append(pushed)
            row.append(numbers.get(pushed, sink))
        row += [numbers[stack[:-1]] if stack and stack[-1] == kind else sink for kind in (0, 1)]
        rows.append(row)
    return DFA(alphabet="abcd", transitions=[*rows, [sink] * 4], accepting=[0])


def flags(number: int) -> DFA:
    """Independent flags, each opened and closed by symbols of its own: a state is the set of open ones."""
    sink = 1 << number
    rows = [
        [state | 1 << flag if not state >> flag & 1 else sink for flag in range(number)]
        + [state & ~(1 << flag) if state >> flag & 1 else sink for flag in range(number)]
        for state in range(sink)
    ]
    symbols = [chr(ord("a") + flag) for flag in range(number)] + [chr(ord("A") + flag) for flag in range(number)]
    return DFA(alphabet=symbols, transitions=[*rows, [sink] * (2 * number)], accepting=[0])


def random_component(num_states: int) -> DFA:
    """A random automaton cut down to one strongly connected component of about this size."""
    rng = random.Random(7)
    size = int(num_states * 1.25)
    rows = [[rng.randrange(size), rng.randrange(size)] for _ in range(size)]
    largest = max(strong_components(rows), key=len)
    number = {state: place for place, state in enumerate(largest)}
    kept = [[number.get(target, 0) for target in rows[state]] for state in largest]
    return DFA(alphabet="ab", transitions=kept, accepting=range(0, len(kept), 2))


ISO_DATES = "([0-9]{4}-[0-9]{2}-[0-9]{2},)*"

FAMILIES: list[tuple[str, Callable[[], DFA], float]] = [
    ("([0-9]{4},)*", lambda: compile_regex("([0-9]{4},)*"), 0.17),
    ("list of ISO dates", lambda: compile_regex(ISO_DATES), 0.42),
    ("((a|b){128})*", lambda: compile_regex("((a|b){128})*"), 1.5),
    ("Dyck, depth 4096", lambda: bounded_dyck(4096), 66),
    ("two-type Dyck, depth 10", lambda: two_type_dyck(10), 92),
    ("11 open/close flags", lambda: flags(11), 180),
    ("random component, 3,000 states", lambda: random_component(3_000), 68),
]


def best_of(times: int, run: Callable[[], object]) -> float:
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        durations.append(time.perf_counter() - start)
    return min(durations)


def main() -> None:
    languages = random_languages()
    graphs = [plain_graph(language) for language in languages]
    blocks = [[refinement.blocks for refinement in refine(graph)] for graph in graphs]
    disagreements = sum(
        found != [refinement.blocks for refinement in refine(graph, solver=solver)]
        for graph, found in zip(graphs, blocks, strict=True)
        for solver in (solve_letters, solve_states)
    )
    decided = best_of(3, lambda: [refine(graph) for graph in graphs]) / len(graphs)
    certified = best_of(3, lambda: [decide_plain(language) for language in languages]) / len(graphs)
    some = [(graph, strong_components(graph.edges)) for graph in graphs if len(graph.edges) <= 6][
        :CYCLE_ORACLE_LANGUAGES
    ]
    slow = best_of(1, lambda: [refine_by_cycles(graph, component) for graph, parts in some for component in parts])
    fast = best_of(3, lambda: [refine(graph) for graph, _ in some])
    print(f"{NUM_REGEXES:,} random regexes and {NUM_AUTOMATA} random automata, seeded")
    print(f"  the two linear systems disagree on {disagreements} of {len(graphs):,} languages")
    print(f"  decision            {decided * 1e6:8.1f} µs on average")
    print(f"  with certificate    {certified * 1e6:8.1f} µs on average")
    print(f"  cycle enumeration   {slow / fast:8.1f} times as long, on the {len(some)} first with at most 6 states")
    print()
    print(f"{'family':32} {'states':>7} {'answer':>7} {'ms':>9} {'prototype':>10} {'ratio':>6}")
    for name, build, prototype in FAMILIES:
        language = build()
        graph = plain_graph(language)
        seconds = best_of(5, lambda graph=graph: refine(graph))  # type: ignore[misc]
        answer = "YES" if all(refinement.passed for refinement in refine(graph)) else "NO"
        print(
            f"{name:32} {language.num_states:7,} {answer:>7} {seconds * 1e3:9.2f} {prototype:10.2f} "
            f"{seconds * 1e3 / prototype:6.2f}"
        )


if __name__ == "__main__":
    main()
