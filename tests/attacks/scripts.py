"""Plain scripts: ``run_experiment`` without a main guard, from a file, from standard input and with ``-c`` (4)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main

_SCRIPT = """\
print("begin")
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.grid import load_specs
outcome = run_experiment(load_specs("spec.toml"), "s.sqlite", workers=2)
print("finished", len(outcome.results))
"""


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of scripts without a guard around their main part."""
    found = []
    (folder / "spec.toml").write_text(TINY)
    (folder / "plain.py").write_text(_SCRIPT)
    for what, arguments, text in (
        ("a file", ["plain.py"], ""),
        ("-c", ["-c", _SCRIPT], ""),
        ("standard input", ["-"], _SCRIPT),
    ):
        for left in folder.glob("s.sqlite*"):
            left.unlink()
        done = program.python(*arguments, folder=folder, text=text, seconds=120)
        good = done.code == 0 and done.out == "begin\nfinished 4\n" and "Traceback" not in done.err
        found.append(Attack(number="4", what=f"a script from {what}", outcome=str(done), good=good))
    return found


if __name__ == "__main__":
    main(attack)
