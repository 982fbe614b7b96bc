"""Exact SRC (our reconstruction of arXiv 2510.04130) of many layouts, at as many scales as a time limit allows.

Both solvers, the search and SAT, answer every question and must agree. Baseline, in the same run: the plain algorithm, which compares
all candidates of all steps and leaves nothing out. A second part sets the solvers against each other on random layouts.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from typing import Any

from lengthwise.tasks.core.problems import PROBLEMS
from lengthwise.theory.positions import sat
from lengthwise.theory.positions.layout import Layout
from lengthwise.theory.positions.rows import candidates, rows, scale_rows
from lengthwise.theory.positions.search import Chosen, Option, complexity_by_scale, encode, essential_steps, search

MEMORY = 4 * 2**30
MAX_ROWS = 2_000_000
# name, parameters, arity, the last scale of the document's table (0: not in it)
TASKS: list[tuple[str, tuple[Any, ...], int, int]] = [
    ("copy", (), 1, 6),
    ("copy", ("012",), 1, 0),
    ("shift", (), 1, 6),
    ("reverse", (), 1, 6),
    ("reverse", ("012",), 1, 0),
    ("odds_first", (), 1, 0),
    ("copy_every", (2,), 1, 0),
    ("parity_cot", (), 2, 6),
    ("parity", (), 6, 6),
    ("parity", (), 3, 4),
    ("running_max", (), 2, 0),
    ("running_max", ("012",), 2, 0),
    ("increment", (2,), 3, 0),
    ("sort", (), 4, 0),
    ("addition", (2,), 5, 4),
    ("addition", (3,), 5, 0),
    ("addition_plain", (2,), 5, 0),
    ("mul_1xn", (2,), 4, 0),
    ("mul_1xn", (3,), 4, 5),
    ("mul_1xn", (4,), 4, 0),
    ("div_1_cot", (3,), 3, 0),
    ("mul_nxn", (2,), 5, 3),
]
RANDOM_STEPS = (10, 15, 20, 25, 30, 40)


def by_both(times: dict[str, float], problem: Sequence[Sequence[Option]], least: int) -> Chosen:
    """Return the fewest operators from both solvers, which must agree, and add up what each took."""
    found: list[Chosen] = []
    for name, solver in (("search", search), ("sat", sat.solve)):
        start = time.perf_counter()
        found.append(solver(problem, least))
        times[name] += time.perf_counter() - start
    assert len(found[0]) == len(found[1]), "the solvers disagree"
    return found[0]


def ours(sender: Connection, name: str, parameters: tuple[Any, ...], arity: int, reduced: bool) -> None:
    """Send (number, seconds in all, of the search, of SAT, megabytes) for one scale after the other."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    times = {"search": 0.0, "sat": 0.0}
    start = time.perf_counter()
    for found in complexity_by_scale(
        PROBLEMS[name](*parameters).layout,
        30,
        max_arity=arity,
        reduced=reduced,
        solver=partial(by_both, times),
        max_rows=MAX_ROWS,
    ):
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sender.send((found.num_operators, time.perf_counter() - start, times["search"], times["sat"], memory))
        if found.num_operators is None:
            return


Function = dict[tuple[int, ...], int]


def plain(sender: Connection, name: str, parameters: tuple[Any, ...], arity: int, reduced: bool) -> None:
    """Send what the plain algorithm finds: iterative deepening, steps with fewest candidates first, tables as dictionaries."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    layout = PROBLEMS[name](*parameters).layout
    start = time.perf_counter()
    steps: list[list[tuple[int, Function]]] = []
    number = 1
    for scale in range(1, 30):
        for step in scale_rows(layout, scale, max_rows=MAX_ROWS):
            options = []
            tokens, after = step.tokens_RP.tolist(), step.next_R.tolist()
            for size in range(arity + 1):
                tuples = product(range(len(tokens[0])), repeat=size)
                options += [(size, table) for each in tuples if (table := function_of(each, tokens, after)) is not None]
                if reduced and options:
                    break
            steps.append(list({(size, frozenset(table.items())): (size, table) for size, table in options}.values()))
        if not all(steps):
            sender.send((None, time.perf_counter() - start, 0, 0, 0))
            return
        while not fits(sorted(steps, key=len), [], number):
            number += 1
        sender.send((number, time.perf_counter() - start, 0, 0, 0))


def function_of(operands: tuple[int, ...], tokens: list[list[int]], after: list[int]) -> Function | None:
    table: Function = {}
    for row, symbol in zip(tokens, after, strict=True):
        if table.setdefault(tuple(row[position] for position in operands), symbol) != symbol:
            return None
    return table


def fits(steps: list[list[tuple[int, Function]]], operators: list[tuple[int, Function]], number: int) -> bool:
    if not steps:
        return True
    for size, table in steps[0]:
        for place, (own, known) in enumerate(operators):
            if own == size and all(known.get(key, value) == value for key, value in table.items()):
                grown = [*operators[:place], (own, known | table), *operators[place + 1 :]]
                if fits(steps[1:], grown, number):
                    return True
        if len(operators) < number and fits(steps[1:], [*operators, (size, table)], number):
            return True
    return False


def random_layout(seed: int, num_steps: int) -> Layout:
    """Return a layout with one scale: two ternary symbols, `=`, and so many random symbols."""
    random = Random(seed)
    known = {(*word, "="): tuple(random.choices("012", k=num_steps)) for word in product("012", repeat=2)}
    return Layout(
        name=f"random({seed})",
        definition="random answers",
        alphabet=("0", "1", "2", "="),
        choices=lambda _: (("0", "1", "2"),) * 2,
        prompt=lambda _, free: (*free, "="),
        answer=lambda prompt: known[prompt],
        prompt_length=lambda _: 3,
        answer_length=lambda _: num_steps,
    )


def on_random(sender: Connection, solver: str, seed: int, num_steps: int) -> None:
    """Send what one solver finds for a random layout with operators of arity at most 2."""
    layout = random_layout(seed, num_steps)
    problem = encode([candidates(step, 2) for step in rows(layout, 1)], len(layout.alphabet))
    essential = [problem[place] for place in essential_steps(problem)]
    start = time.perf_counter()
    number = len({"search": search, "sat": sat.solve}[solver](essential, 1))
    sender.send((number, time.perf_counter() - start))


def announced(sender: Connection, target: Any, arguments: tuple[Any, ...]) -> None:
    """Say that the process has started, so that importing does not count, and do its work."""
    sender.send("started")
    target(sender, *arguments)


def within(seconds: float, target: Any, *arguments: Any) -> list[Any]:
    """Return what a process of its own sends within a time."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=announced, args=(sender, target, arguments))
    process.start()
    sender.close()
    assert receiver.recv() == "started"
    sent: list[Any] = []
    end = time.monotonic() + seconds
    try:
        while receiver.poll(max(0.0, end - time.monotonic())):
            sent.append(receiver.recv())
    except EOFError:
        pass
    process.terminate()
    process.join()
    return sent


def shown(numbers: list[int | None]) -> str:
    return ",".join("∞" if number is None else str(number) for number in numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--plain-seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    cells = [(*task, reduced) for task in TASKS for reduced in (True, False)]
    print("Exact SRC by scale, our reconstruction of arXiv 2510.04130, on cores that other work shared.")
    print(
        f"Each row had {options.seconds:.0f} s and the plain algorithm {options.plain_seconds:.0f} s, "
        f"{options.jobs} at a time. Search and SAT agree on every number shown."
    )
    print(
        "s: seconds to the last number, of these in the search and in SAT; MB: largest memory; plain: the last scale (and s)"
    )
    print("of the algorithm without our reductions; document: the last scale of its table.")
    print()
    print(
        f"{'layout':22} {'K':>2} {'SRC':8}{'scale':>6}{'document':>9}{'plain':>14}{'s':>8}{'search':>8}{'SAT':>8}{'MB':>6}  by scale"
    )
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = [
            (
                pool.submit(within, options.seconds, ours, name, parameters, arity, reduced),
                pool.submit(within, options.plain_seconds, plain, name, parameters, arity, reduced),
            )
            for name, parameters, arity, _, reduced in cells
        ]
        for (name, parameters, arity, known, reduced), (our_run, plain_run) in zip(cells, runs, strict=True):
            found, baseline = our_run.result(), plain_run.result()
            numbers = [each[0] for each in found]
            common = min(len(found), len(baseline))
            assert [each[0] for each in baseline[:common]] == numbers[:common], "the plain algorithm disagrees"
            _, seconds, searching, solving, memory = found[-1] if found else (0, 0.0, 0.0, 0.0, 0.0)
            base = f"{len(baseline)} ({baseline[-1][1]:.2f} s)" if baseline else "0"
            problem = PROBLEMS[name](*parameters)
            print(
                f"{problem.name:22} {arity:2} {'reduced' if reduced else 'at most':8}{len(found):6}{known or '–':>9}"
                f"{base:>14}{seconds:8.2f}{searching:8.3f}{solving:8.3f}{memory:6.0f}  {shown(numbers)}",
                flush=True,
            )
    print()
    print(
        "Random layouts: two ternary symbols, then random ones; operators of arity at most 2; three layouts of each size."
    )
    print("Number of operators (seconds of the solver alone; – : not within the limit)")
    print(f"{'steps':>6}  {'search':40}{'SAT':40}")
    with ThreadPoolExecutor(options.jobs) as pool:
        rows_ = {
            (size, solver): [pool.submit(within, options.seconds, on_random, solver, seed, size) for seed in range(3)]
            for size in RANDOM_STEPS
            for solver in ("search", "sat")
        }
        for size in RANDOM_STEPS:
            told = {solver: [run.result() for run in rows_[size, solver]] for solver in ("search", "sat")}
            for one, two in zip(told["search"], told["sat"], strict=True):
                assert not one or not two or one[0][0] == two[0][0], "the solvers disagree"
            texts = [
                ", ".join(f"{each[0][0]} ({each[0][1]:.2f})" if each else "–" for each in told[solver])
                for solver in ("search", "sat")
            ]
            print(f"{size:6}  {texts[0]:40}{texts[1]:40}", flush=True)


if __name__ == "__main__":
    main()
