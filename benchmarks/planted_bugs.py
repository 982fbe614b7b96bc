"""How many planted bugs the conformance suite catches, and by which check.

python benchmarks/planted_bugs.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import torch
from planted_bugs import PLANTED, first_failure

from lengthwise.tables import Table


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    torch.set_num_threads(1)
    begun = time.perf_counter()
    found = [(name, wrong, first_failure(name, wrong)) for name, wrong in PLANTED]
    rows = [
        (wrong.__name__, name, outcome.check if outcome else "not caught", (wrong.__doc__ or "").strip())
        for name, wrong, outcome in found
    ]
    print(Table(header=("planted bug", "in", "caught by", "the mistake"), rows=rows).to_text(160))
    checks = Counter(outcome.check for _, _, outcome in found if outcome)
    crashed = [
        wrong.__name__
        for _, wrong, outcome in found
        if outcome and not outcome.failure.startswith(("Nonconf", "Assert"))
    ]
    print(f"\n{checks.total()} of {len(PLANTED)} planted bugs are caught, in {time.perf_counter() - begun:.0f} s")
    print("by check: " + ", ".join(f"{check} {count}" for check, count in checks.most_common()))
    if crashed:
        print(f"they did not run: {', '.join(crashed)}")


if __name__ == "__main__":
    main()
