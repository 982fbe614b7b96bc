"""All attacks on two source trees, with a line for each numbered fault: how many came out well before and after.

git worktree add ../before COMMIT
python tests/attacks/report.py --before ../before/src --after src
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import code_in_data
import outputs
import processors
import stores
import terminals
from base import SOURCE, Attack, Program, summarize

import scripts

MODULES: tuple[Callable[[Program, Path], Sequence[Attack]], ...] = (
    outputs.attack,
    code_in_data.attack,
    scripts.attack,
    stores.attack,
    terminals.attack,
    processors.attack,
)

FAULTS = {
    "1": "outputs that replace what is no file",
    "2": "code named in stores and models",
    "3": "databases of other programs",
    "4": "scripts without a main guard",
    "5": "stores in use under another name",
    "7": "damaged and read-only stores",
    "9": "escape sequences, HTML and pipes in output",
    "10": "poor encodings, exit codes and signals",
    "11": "runs from several kinds of CPU",
}


def attack_all(source: Path) -> list[Attack]:
    """Return what comes of every attack on a source tree."""
    found: list[Attack] = []
    for attack in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            found += attack(Program(source=source.resolve()), Path(folder))
        print(f"{source}: {len(found)} attacks", file=sys.stderr, flush=True)
    return found


def _show(counts: dict[str, tuple[int, int]], number: str) -> str:
    good, total = counts.get(number, (0, 0))
    return f"{good} of {total}" if total else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="an older src folder to compare with")
    parser.add_argument("--after", type=Path, default=SOURCE, help="the src folder to attack (default: this one)")
    parser.add_argument("--all", action="store_true", help="also list every attack")
    options = parser.parse_args()
    after = attack_all(options.after)
    before = attack_all(options.before) if options.before else []
    print(f"attacks that came out well ({platform.machine()}, Python {platform.python_version()})\n")
    print(f"{'':4}{'fault':48}{'before':>14}{'after':>14}")
    for fault, what in FAULTS.items():
        print(f"{fault:4}{what:48}{_show(summarize(before), fault):>14}{_show(summarize(after), fault):>14}")
    for label, found in (("before", before), ("after", after)):
        for row in found:
            if options.all or not row.good:
                print(f"{label:7}{row.number:3} {'good' if row.good else 'BAD '} {row.what}: {row.outcome}")
    sys.exit(not all(row.good for row in after))
