"""Sequential circuits: the library with what was verified, SRC_φ by scale, and the problems without a circuit.

Our reconstruction of arXiv 2510.04130. Baseline, in the same run: SRC_φ under absolute positions, which is the number of gates.

It needs the oracles of the tests: PYTHONPATH=src:tests python benchmarks/circuits.py
"""

from __future__ import annotations

import argparse
import time

from circuit_verification import mutate, verify

from lengthwise.tasks.core.problems import PROBLEMS, find_circuit
from lengthwise.theory.positions.circuits import Circuit, ideal
from lengthwise.theory.positions.complexity import Complexity, measure_complexities
from lengthwise.theory.positions.problem import forced_operands
from lengthwise.theory.positions.relations import RELATIONS
from lengthwise.theory.positions.relations_ideal import describes, equations_of

WORDS = (
    *("copy", "copy(abc)", "shift", "shift(2)", "shift(3)", "reverse", "reverse(abc)", "odds_first", "copy_every(2)"),
    *("copy_every(3)", "running_max", "running_max(012)", "parity", "parity_cot", "parity_cot_aligned(16)"),
)
NUMBERS = ("addition", "addition_padded", "mul_1xn", "increment", "div_1", "div_1_cot")
BASES = (2, 3, 5, 10)
COMPARED = ("absolute", "relative", "relative_scaled", "t5_bucket", "constant")
MAX_SCALE = 12
VERIFIED_SCALE = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-instances", type=int, default=100_000, help="up to so many, all instances are tried")
    parser.add_argument("--mutated-instances", type=int, default=256, help="the same for every changed wire")
    options = parser.parse_args()
    circuits = [find_circuit(name) for name in (*WORDS, *(f"{name}({base})" for name in NUMBERS for base in BASES))]
    start = time.process_time()
    print("Our reconstruction of arXiv 2510.04130; one core")
    print()
    print_library(circuits, options.max_instances, options.mutated_instances)
    print()
    print_limits()
    print()
    print_complexity([circuit for circuit in circuits if "(5)" not in circuit.name and "abc" not in circuit.name])
    print()
    print_equations([find_circuit(name) for name in (*WORDS, *(f"{name}(2)" for name in NUMBERS))])
    print()
    print(f"{time.process_time() - start:.0f} s of processor time in all")


def print_library(circuits: list[Circuit], max_instances: int, mutated_instances: int) -> None:
    print(
        f"The library, verified at scales 1 to {VERIFIED_SCALE} or its cap, all instances up to the scale given, then 200 each"
    )
    print(
        f"{'circuit':22}{'arity':>6}{'operators':>10}{'all up to':>10}{'then to':>8}{'instances':>11}{'seconds':>8}"
        f"{'changed at':>12}{'wires caught':>14}{'equivalent':>11}{'rows caught':>13}"
    )
    for circuit in circuits:
        start = time.process_time()
        result = verify(circuit, min(VERIFIED_SCALE, circuit.cap), max_instances=max_instances)
        taken = time.process_time() - start
        assert result.passed, str(result.counterexample)
        scales = range(1, 6)
        scale = max(each for each in scales if each == 1 or circuit.layout.num_instances(each) <= mutated_instances)
        mutants = mutate(circuit, scale)
        wires = f"{mutants.wires_caught}/{mutants.num_wires}"
        rows = f"{mutants.rows_caught}/{mutants.num_rows}"
        arity = "n" if circuit.name == "parity" else str(circuit.arity)
        operators = "n" if circuit.name == "parity" else str(len(circuit.operators))
        print(
            f"{circuit.name:22}{arity:>6}{operators:>10}{result.exhaustive:>10}{result.max_scale:>8}"
            f"{result.num_instances:>11,}{taken:>8.1f}{scale:>12}{wires:>14}{len(mutants.survivors):>11}{rows:>13}"
        )
    print(
        "equivalent: the changed wire gives the right token on every instance of its scale, so that nothing can catch it"
    )


def print_limits() -> None:
    print("No circuit of bounded arity: positions that every gate for one token must read, at scales 1, 2, …")
    for name, make in PROBLEMS.items():
        problem = make() if name in ("sort", "parity") else make(2)
        if problem.limit is None:
            continue
        layout, limit = problem.layout, problem.limit
        forced = [len(forced_operands(layout, scale, limit.step(scale))) for scale in range(1, 6)]
        print(f"{layout.name:22}{', '.join(map(str, forced))}: {limit.bound}. {limit.argument}")


def print_complexity(circuits: list[Circuit]) -> None:
    print(
        f"SRC_φ at scales 1 to {MAX_SCALE}; from: the smallest sufficient training scale, if half of {MAX_SCALE} is enough"
    )
    print(f"{'circuit':22}{'relation':17}{'SRC_φ':46}{'':11}{'from':>5}  {'separable':13}{'hint':8}predicted")
    for circuit in circuits:
        relations = (*(RELATIONS[name] for name in COMPARED), ideal(circuit))
        for report in measure_complexities(circuit, relations, MAX_SCALE):
            print(
                f"{circuit.name:22}{report.relation:17}{' '.join(map(str, report.by_scale)):46}{report.growth:11}"
                f"{report.smallest_scale or '–':>5}  {told_conflict(report):13}"
                f"{'lacks' if report.lacks_hint else 'has' if report.needs_hint else 'no need':8}"
                f"{'yes' if report.predicted else 'no'}"
            )


def told_conflict(report: Complexity) -> str:
    return "yes" if report.conflict is None else f"no (n = {report.conflict.scale})"


def print_equations(circuits: list[Circuit]) -> None:
    print(
        f"The ideal relation as equations, fitted at scales 1 to 8, checked on every gate up to scale {VERIFIED_SCALE} or the cap"
    )
    for circuit in circuits:
        slots = equations_of(circuit, max_scale=8)
        holds = describes(slots, circuit, min(VERIFIED_SCALE, circuit.cap))
        print(f"{circuit.name:22}{'holds' if holds else 'fails':7}{'; '.join(map(str, slots))}")
    print("parity without a chain of thought has one slot more at every scale, which no list of slots describes")


if __name__ == "__main__":
    main()
