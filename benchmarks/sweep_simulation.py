"""What the end of a sweep costs under several rules, simulated from the committed sweep: no GPU and no model is needed.

The sweep of benchmarks/results/sweep_h200_2026-11-18.txt has 240 runs of each encoding in 96 slots. Known are how many runs
stopped early and the steps of all; how steps are spread over tasks and seeds is not, so it is drawn: tasks are hard or easy,
runs of an easy task take about as long. A step of M models takes 2 ms and 0.0625 ms for each (14.0 ms for 192 models of this
shape, and about 2 ms however small), and three processes share one GPU, so that their times add up.

    python benchmarks/sweep_simulation.py        about ten seconds
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import mean

SLOTS, TASKS, SEEDS, EVERY, STEPS = 96, 40, 6, 250, 8000
KNOWN = {"nope": (163, 846_000), "ape": (174, 825_250), "rope": (232, 256_250)}  # runs that stopped early, steps of all
FIXED, EACH = 0.002, 0.0000625  # seconds of a step, and of a model in it
DRAWS = 20

Shrink = Callable[[int, int], int]
"""Returns the slots that a stack shall have, for those it has and the runs that are left when nothing waits."""


def draw_runs(rng: random.Random, early: int, total: int) -> list[tuple[int, int]]:
    """Return runs as pairs of a task and steps, with as many early ones and about as many steps as are known."""
    runs = TASKS * SEEDS
    hard = (runs - early) // SEEDS
    stray = (runs - early) - hard * SEEDS  # runs of other tasks that take all steps
    mean_early = (total - (runs - early) * STEPS) / early
    found = [(task, STEPS) for task in range(hard) for _ in range(SEEDS)]
    easy = []
    for task in range(hard, TASKS):
        own = rng.expovariate(1.0)
        easy += [(task, own * rng.uniform(0.5, 1.5)) for _ in range(SEEDS)]
    scale = mean_early / mean(steps for _, steps in easy)
    easy = [(task, min(STEPS - EVERY, max(EVERY, round(steps * scale / EVERY) * EVERY))) for task, steps in easy]
    for place in rng.sample(range(len(easy)), stray):
        easy[place] = (easy[place][0], STEPS)
    found += easy
    rng.shuffle(found)
    order = list(range(TASKS))
    rng.shuffle(order)
    return sorted(found, key=lambda run: order[run[0]])


def simulate(runs: Sequence[tuple[int, int]], slots: int, shrink: Shrink) -> tuple[float, int]:
    """Return the seconds of steps and the slot·steps of one stack, as the training loop would take them."""
    queue = list(range(len(runs)))
    begun: dict[int, int] = {}  # the tick at which each run in a slot began
    taken: dict[int, int] = {}
    tick, seconds, slot_steps, size = 0, 0.0, 0, slots
    while queue or begun:
        longest: dict[int, int] = {}
        for run, steps in [*taken.items(), *((run, tick - start) for run, start in begun.items())]:
            longest[runs[run][0]] = max(longest.get(runs[run][0], 0), steps)
        while queue and len(begun) < size:
            run = max(queue, key=lambda run: longest.get(runs[run][0], float("inf")))
            longest.setdefault(runs[run][0], 0)
            queue.remove(run)
            begun[run] = tick
        if not queue:
            size = min(size, max(len(begun), shrink(size, len(begun))))
        seconds += EVERY * (FIXED + EACH * size)
        slot_steps += EVERY * size
        tick += EVERY
        for run in [run for run, start in begun.items() if tick - start >= runs[run][1]]:
            taken[run] = runs[run][1]
            del begun[run]
    return seconds, slot_steps


def at_an_eighth(size: int, left: int) -> int:
    """Shrink to what is left when an eighth of the slots is left."""
    return left if left * 8 <= size else size


def by_sizes(*sizes: int) -> Shrink:
    """Shrink to the smallest of some sizes that holds what is left."""

    def shrink(size: int, left: int) -> int:
        return min((each for each in sizes if left <= each), default=size)

    return shrink


RULES: dict[str, Shrink] = {
    "never smaller": lambda size, _left: size,
    "to what is left, from an eighth on": at_an_eighth,
    "M/4, M/16": by_sizes(24, 6),
    "M/2, M/4, M/16": by_sizes(48, 24, 6),
    "3/4, M/2, M/4, M/8, M/16": by_sizes(72, 48, 24, 12, 6),
    "to what is left, always": lambda _size, left: left,
}


def main() -> None:
    """Print the seconds of steps on the GPU and the idle share of slots under each rule."""
    print(f"seconds of steps on one GPU and idle share of slots, mean of {DRAWS} draws of the runs' steps")
    print(f"{'slots':>5}  {'a stack without queue gets smaller':36} {'seconds':>8} {'idle':>6}")
    for slots in (48, 64, 96, 128, 192):
        for name, rule in RULES.items():
            seconds, idle = [], []
            for draw in range(DRAWS):
                rng = random.Random(draw)
                parts = []
                useful = 0
                for early, total in KNOWN.values():
                    runs = draw_runs(rng, early, total)
                    useful += sum(steps for _, steps in runs)
                    parts.append(simulate(runs, slots, rule))
                seconds.append(sum(part for part, _ in parts))
                idle.append(1 - useful / sum(steps for _, steps in parts))
            print(f"{slots:5}  {name:36} {mean(seconds):8.0f} {mean(idle):6.0%}")


if __name__ == "__main__":
    main()
