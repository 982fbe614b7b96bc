"""Experiments on a cluster in processes of their own, which can be killed; and their rows beside those of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from processes import wait_until
from spec_files import TINY, dump_spec

from lengthwise.experiment.engines.leases import Lease, read_lease
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import read_store

BRIEF = replace(TINY, tasks=("bin_majority", "[ab]*b"), seeds=3)
LONG = replace(BRIEF, training=replace(TINY.training, steps=2500, evaluate_every=500, stop_early=False))

_PROGRAM = """
import sys
from pathlib import Path
from lengthwise.experiment.engines.cluster import Patience
from lengthwise.experiment.engines.ray import Ray
from lengthwise.experiment.engines.slurm import Slurm
from lengthwise.experiment.engines.work import Notice
from lengthwise.experiment.grid import parse_specs
from lengthwise.experiment.run import run_experiment

def tell(event):
    if isinstance(event, Notice):
        print(event.text, flush=True)

patience = Patience(poll=0.1, beat=0.2, lease=20, ask=0.5, settle=1)
specs = parse_specs(Path("spec.toml").read_text(), "spec.toml")
engine = {engine}
run_experiment(specs, "runs.sqlite", engine=engine, models_per_stack=2, seconds_per_checkpoint=0, on_event=tell)
"""


@dataclass(frozen=True, slots=True)
class Collectors:
    """Starts collectors in a folder; ``engine`` is the expression that makes their engine."""

    folder: Path
    engine: str
    variables: Mapping[str, str]

    def start(self, spec: Spec) -> subprocess.Popen[str]:
        """Start to train a spec, or to go on with it."""
        (self.folder / "spec.toml").write_text(dump_spec(spec), encoding="utf-8")
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.replace("{engine}", self.engine)],
            cwd=self.folder,
            env=os.environ | self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, spec: Spec) -> str:
        """Train a spec; return what was told meanwhile."""
        return ended(self.start(spec))

    def leases(self) -> list[Lease]:
        """Return the leases that are there at this moment."""
        found = map(read_lease, (self.folder / "runs.sqlite.work" / "leases").glob("*.json"))
        return [lease for lease in found if lease is not None]

    def lease_in_training(self, job: str | None = None) -> Lease:
        """Wait for a stack that has begun to train and has left a checkpoint; return its lease."""
        found: list[Lease] = []

        def is_there() -> bool:
            found[:] = [
                lease
                for lease in self.leases()
                if lease.progress is not None and lease.progress.step >= 500 and lease.job != job
            ]
            return bool(found)

        wait_until(is_there, "a stack in training")
        return found[0]

    def rows(self) -> dict[str, Any]:
        """Return what the store says of each run."""
        return rows_of(self.folder / "runs.sqlite")

    def is_tidy(self) -> bool:
        """Whether nothing is left beside the store."""
        return not (self.folder / "runs.sqlite.work").exists()


def ended(process: subprocess.Popen[str]) -> str:
    """Wait for a collector to end well; return what it has told."""
    told, errors = process.communicate()
    assert process.returncode == 0, told + errors
    return told


def rows_of(store: Path) -> dict[str, Any]:
    """Return all that must not depend on where a run was trained, by its id."""
    with read_store(store) as opened:
        return {
            result.id: (result.scores, result.losses, result.fit, result.hard, result.steps)
            for result in opened.results()
        }


def local_rows(spec: Spec, folder: Path) -> dict[str, Any]:
    """Return the rows of a spec that is trained on this machine."""
    folder.mkdir(exist_ok=True)
    run_experiment(spec, folder / "local.sqlite", workers=2, device="cpu", models_per_stack=2)
    return rows_of(folder / "local.sqlite")
