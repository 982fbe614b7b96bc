"""What all attacks share: the command line of a source tree, run in a folder of its own, and a line for each attack."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src"
_GUARD = 600.0  # seconds after which a command that hangs is ended; no measurement

TINY = """\
tasks = ["parity", "(aa)*"]
encodings = ["nope"]
seeds = 2
train_length = 3
test_length = 6
[model]
layers = 1
heads = 1
width = 8
[training]
steps = 20
evaluate_every = 10
examples = 20
batch = 4
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack: the number of the fault it belongs to, what was tried, what came of it, and whether that is good."""

    number: str
    what: str
    outcome: str
    good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def has_sentence(self) -> bool:
        """Whether it ended well or with an error that is a sentence, and never with a traceback."""
        return "Traceback" not in self.out + self.err and (self.code == 0 or "error: " in self.err)

    def __str__(self) -> str:
        lines = [line for line in self.err.splitlines() if line.startswith(("error", "internal", "interrupted"))]
        told = "a traceback" if "Traceback" in self.err else (lines[-1] if lines else "no error")
        return f"exit {self.code}, {told}"[:160]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The lengthwise of a source tree."""

    source: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment in which this lengthwise is imported."""
        return os.environ | {"PYTHONPATH": str(self.source), "OMP_NUM_THREADS": "1"} | dict(more or {})

    def run(
        self,
        *arguments: str,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        text: str = "",
        seconds: float = _GUARD,
        memory: int | None = None,
    ) -> Done:
        """Run a command line in a folder."""
        return self.python(
            "-m",
            "lengthwise",
            *arguments,
            folder=folder,
            environment=environment,
            text=text,
            seconds=seconds,
            memory=memory,
        )

    def python(
        self,
        *arguments: str,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        text: str = "",
        seconds: float = _GUARD,
        memory: int | None = None,
    ) -> Done:
        """Run Python in a folder; ``memory`` limits its address space in bytes."""

        def limit() -> None:
            if memory is not None:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=self.environment(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            out, err = process.communicate(text, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return Done(code=-9, out=out, err=f"{err}\nhung for {seconds:.0f} s")
        return Done(code=process.returncode, out=out, err=err)


def summarize(attacks: Iterable[Attack]) -> dict[str, tuple[int, int]]:
    """Return, for each number, how many attacks came out well and how many there were."""
    counts: dict[str, tuple[int, int]] = {}
    for attack in attacks:
        good, total = counts.get(attack.number, (0, 0))
        counts[attack.number] = good + attack.good, total + 1
    return counts


def main(attack: Callable[[Program, Path], Sequence[Attack]]) -> None:
    """Run one module's attacks from the command line: ``python tests/attacks/outputs.py --source SRC``."""
    import argparse
    import tempfile

    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, default=SOURCE, help="the src folder to attack (default: this one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = attack(Program(source=options.source.resolve()), Path(folder))
    for row in found:
        print(f"{row.number:3} {'good' if row.good else 'BAD '} {row.what}: {row.outcome}")
    print(f"{sum(row.good for row in found)} of {len(found)} good")
    sys.exit(not all(row.good for row in found))
