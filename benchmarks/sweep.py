"""A whole sweep: 40 random languages × three encodings × six seeds, from the spec to the store, and where its time goes.

Languages are drawn from a fixed seed, as many of each kind: solvable without positions, with learned positions only, with
neither. model·steps are the *stored* steps of all runs, over the wall time of everything: planning, set-up, compilation,
evaluation, saving. Empty slots count nothing.

    python benchmarks/sweep.py --device cuda --store sweep.sqlite             the sweep of 720 runs
    python benchmarks/sweep.py --device cuda --small --store small.sqlite     4,000 runs of small models
    python benchmarks/sweep.py --tenth --store tenth.sqlite                   a seeded tenth, for a source tree of old on PYTHONPATH
    python benchmarks/sweep.py --rehearse --store rehearsal.sqlite            tiny, on a CPU
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

SEED = 22
ENCODINGS = ("nope", "ape", "rope")
KINDS = ("YES for NoPE and APE", "YES for APE only", "YES for neither")


def random_regex(rng: random.Random, depth: int, alphabet: str) -> str:
    """Return a random expression of at most this depth."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(alphabet)
    kind = rng.randrange(4)
    if kind == 0:
        return f"({random_regex(rng, depth - 1, alphabet)})*"
    parts = [random_regex(rng, depth - 1, alphabet) for _ in range(rng.randint(2, 3))]
    return f"({'|'.join(parts)})" if kind == 1 else "".join(parts)


def draw_languages(number: int, train_length: int, test_length: int) -> dict[str, str]:
    """Return expressions and their kinds: distinct languages with words in every bin, equally many of each kind."""
    from lengthwise.crasp.fragments import Fragment
    from lengthwise.tasks.core.catalog import find_task
    from lengthwise.theory.claims import Answer
    from lengthwise.theory.deciders import decide

    rng, found, seen = random.Random(SEED), dict[str, str](), set[object]()
    room = {kind: -(-(number - place) // len(KINDS)) for place, kind in enumerate(KINDS)}
    while any(room.values()):
        alphabet = rng.choice(("ab", "abc"))
        text = f"({random_regex(rng, rng.randint(2, 4), alphabet)})*"
        if len(text) > 60 or not set(alphabet) <= set(text):
            continue
        task: Any = find_task(text)
        bounds = [(low, low + train_length - 1) for low in range(1, test_length, train_length)]
        if task.language in seen or task.language.num_states < 2 or not all(task.lengths(*each) for each in bounds):
            continue
        answers = [decide(task.facts, fragment).answer for fragment in (Fragment.PLAIN, Fragment.PERIODIC_LOCAL)]
        if Answer.UNKNOWN in answers:
            continue
        kind = KINDS[0 if answers[0] is Answer.YES else 1 if answers[1] is Answer.YES else 2]
        if room[kind]:
            room[kind] -= 1
            seen.add(task.language)
            found[text] = kind
    return found


def specs_of(options: argparse.Namespace, languages: Sequence[str]) -> list[Any]:
    """Return what is trained."""
    from lengthwise.experiment.spec import Spec
    from lengthwise.model.shape import Shape
    from lengthwise.train.settings import Training

    shape, training = Shape(layers=4, heads=4, width=64), Training(steps=options.steps)
    if options.small:
        shape = Shape(layers=2, heads=4, width=32)
    if options.rehearse:
        shape = Shape(layers=1, heads=1, width=8)
        training = Training(steps=40, batch=32, evaluate_every=20, examples=16)
    return [
        Spec(
            tasks=(language,),
            encodings=ENCODINGS,
            seeds=options.seeds,
            train_length=options.train_length,
            test_length=3 * options.train_length,
            learning_rates=(0.001,),
            model=shape,
            training=training,
        )
        for language in languages
    ]


class TimeIsUpError(Exception):
    """The sweep was to end by now."""


class Watch:
    """Gathers what the stacks report, and prints it now and then."""

    def __init__(self, limit: float | None) -> None:
        self.begun = time.perf_counter()
        self.limit = limit
        self.latest: dict[int, Any] = {}
        self.stacks: list[Any] = []
        self.planned = self.printed = 0.0

    def on_plan(self, stacks: list[Any], _reused: int) -> None:
        """Print the stacks."""
        self.planned, self.stacks = time.perf_counter() - self.begun, stacks
        for stack in stacks:
            print(f"  {stack.label}: {len(stack.runs)} runs; {stack.choice.reason}")
        print(f"planned in {self.planned:.1f} s", flush=True)

    def on_event(self, event: Any) -> None:
        """Remember the last progress of each stack."""
        if self.limit is not None and time.perf_counter() - self.begun > self.limit:
            raise TimeIsUpError
        if hasattr(event, "text"):
            print(f"note: {event.text}", flush=True)
        if not hasattr(event, "step"):
            return
        self.latest[event.stack] = event
        now = time.perf_counter() - self.begun
        if now - self.printed > 20:
            self.printed = now
            told = f"{getattr(event, 'done', '?')} runs done of {self.stacks[event.stack].label}"
            print(f"{now:.0f} s: step {event.step:,} of {event.steps:,}, {told}", flush=True)

    def print_profile(self, stored: int) -> None:
        """Print where the time of the stacks went, and the share of slots that trained nothing."""
        seconds: dict[str, float] = {"planning": self.planned}
        for event in self.latest.values():
            for what, spent in getattr(event, "seconds", {}).items():
                seconds[what] = seconds.get(what, 0.0) + spent
        print("seconds of all processes:")
        for what, spent in sorted(seconds.items(), key=lambda item: -item[1]):
            print(f"  {what:16} {spent:8.1f}")
        slot_steps = sum(getattr(event, "slot_steps", 0) for event in self.latest.values())
        if slot_steps:
            print(f"idle share of slots: {1 - stored / slot_steps:.1%} of {slot_steps:,} slot·steps")
            print(f"in seconds of stepping: {stored / seconds['steps']:,.0f} model·steps/s and process")


def main() -> None:
    """Run the sweep and print its speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--store", required=True, help="must not exist: what is stored is not trained again")
    parser.add_argument("--languages", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--train-length", type=int, default=50)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--seconds", type=float, help="end then, and count what is stored by then")
    parser.add_argument("--models-per-stack", type=int)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--tenth", action="store_true")
    parser.add_argument("--rehearse", action="store_true")
    options = parser.parse_args()
    if options.rehearse:
        options.languages, options.seeds, options.train_length = min(options.languages, 6), min(options.seeds, 2), 8
    if options.small:
        options.seeds = max(options.seeds, -(-4000 // (options.languages * len(ENCODINGS))))
    if Path(options.store).exists():
        sys.exit(f"{options.store} is there already; name a store that is not.")
    from lengthwise.experiment.run import run_experiment
    from lengthwise.experiment.store import read_store

    languages = draw_languages(options.languages, options.train_length, 3 * options.train_length)
    for kind in KINDS:
        print(f"{kind}: {', '.join(text for text, own in languages.items() if own == kind)}")
    chosen = list(languages)
    if options.tenth:
        chosen = sorted(random.Random(SEED).sample(chosen, max(1, len(chosen) // 10)))
    specs, watch = specs_of(options, chosen), Watch(options.seconds)
    with suppress(TimeIsUpError):
        run_experiment(
            specs,
            options.store,
            device=options.device,
            workers=options.workers,
            models_per_stack=options.models_per_stack,
            on_plan=watch.on_plan,
            on_event=watch.on_event,
        )
    wall = time.perf_counter() - watch.begun
    with read_store(options.store) as store:
        results = store.results()
    stored = sum(result.steps for result in results)
    of_all = f"{len(results)} of {len(chosen) * len(ENCODINGS) * options.seeds} runs"
    print(f"{of_all}, {stored:,} stored steps in {wall:.1f} s: {stored / wall:,.0f} model·steps/s")
    print(", ".join(str(results[0].provenance[what]) for what in ("hardware", "torch", "precision")))
    watch.print_profile(stored)
    for encoding in ENCODINGS:
        own = [result for result in results if result.encoding == encoding]
        stopped = sum(result.steps < options.steps for result in own)
        print(f"  {encoding}: {stopped} of {len(own)} runs stopped early, {sum(r.steps for r in own):,} steps")


if __name__ == "__main__":
    main()
