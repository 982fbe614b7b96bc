"""How close the estimate of a dry run comes to the time that a sweep takes, on three sweeps from empty stores.

    python benchmarks/estimates.py [--json FILE]

The estimate is made before the first model is trained, from trials on this machine (an empty cache of trials). Real time is
wall-clock time; CPU time of all processes, divided by the number of processes, tells how busy the machine was with other things.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from lengthwise.experiment.estimates import Pace, estimate_work
from lengthwise.experiment.grid import Grid
from lengthwise.experiment.plan import StackPlan
from lengthwise.experiment.provenance import processor
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.trials import Trials, trials_file
from lengthwise.experiment.workload import plan_experiment

SWEEPS = {
    "2 tasks × 3 widths × 3 rates × 5 seeds": {
        "tasks": ["bin_majority", "TOMITA_4"],
        "encodings": ["nope"],
        "width": [16, 32, 64],
        "learning_rate": [0.001, 0.003, 0.01],
        "seeds": 5,
        "steps": 500,
        "evaluate_every": 100,
    },
    "4 tasks × 3 encodings × 3 seeds, early stop": {
        "tasks": ["bin_majority", "(aa)*", "(ab)*", "parity"],
        "encodings": ["nope", "ape", "rope"],
        "steps": 2000,
    },
    "2 tasks × 3 training lengths × 2 depths, all steps": {
        "tasks": ["TOMITA_4", "repeat_copy"],
        "encodings": ["ape"],
        "train_length": [8, 16, 24],
        "layers": [1, 3],
        "seeds": 2,
        "steps": 500,
        "stop_early": False,
    },
}


def measure(settings: dict[str, object], folder: Path) -> dict[str, float]:
    """Return the estimate of a sweep and the time that it takes, in seconds."""
    specs = Grid(settings=settings).specs()
    begun = time.monotonic()
    work = plan_experiment(specs, folder / "runs.sqlite", device="cpu")
    estimate = estimate_work(work, Trials(trials_file()))
    tried = time.monotonic() - begun
    halfway: list[float] = []
    paces: list[Pace] = []

    def begin(stacks: list[StackPlan], _reused: int) -> None:
        paces.append(Pace(stacks))

    def note(event: object) -> None:
        paces[0].note(event)  # type: ignore[arg-type]
        if not halfway and paces[0].share >= 0.5:
            halfway.append(time.monotonic() - begun)
            halfway.append(paces[0].seconds_left or 0.0)

    before, begun = os.times(), time.monotonic()
    run_experiment(specs, folder / "runs.sqlite", device="cpu", on_plan=begin, on_event=note)
    seconds, after = time.monotonic() - begun, os.times()
    spent = sum(after[:4]) - sum(before[:4])
    return {
        "runs": len(work.runs),
        "trials": tried,
        "estimate": estimate.seconds,
        "most": estimate.most,
        "real": seconds,
        "cpu": spent / work.workers,
        "ratio": estimate.seconds / seconds,
        "left_at_half": halfway[1],
        "really_left_at_half": seconds - halfway[0],
    }


def main() -> None:
    """Print a row for each sweep."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    print(f"{processor()}, {os.cpu_count()} cores; seconds\n")
    print(f"{'sweep':52} runs trials estimate  most  real   cpu  estimate/real  left at half: told, real")
    found = {}
    for name, settings in SWEEPS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.environ["LENGTHWISE_CACHE"] = folder
            row = found[name] = measure(settings, Path(folder))
        print(
            f"{name:52} {row['runs']:4.0f} {row['trials']:6.1f} {row['estimate']:8.1f} {row['most']:5.0f} {row['real']:5.1f} "
            f"{row['cpu']:5.1f} {row['ratio']:14.2f} {row['left_at_half']:19.1f} {row['really_left_at_half']:5.1f}",
            flush=True,
        )
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
