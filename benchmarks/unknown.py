"""How many cells of languages and tasks × encodings have an answer, by each theory and by either.

    python benchmarks/unknown.py            all named languages and all tasks of the catalogue, with all encodings

A cell is a named language, asked for membership, or a task with its default parameters, beside an encoding with its default
options. A source tree without theories counts as one theory, "counting".
"""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections import Counter

import lengthwise


def names_of(kind: str) -> list[str]:
    """Return the names that ``lengthwise list KIND --json`` prints."""
    from lengthwise.cli.main import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["list", kind, "--json"]) == 0
    return [row["name"] for row in json.loads(printed.getvalue())]


def main() -> None:
    encodings = names_of("encodings")
    counted: dict[str, Counter[str]] = {}
    start = time.process_time()
    for kind in ("languages", "tasks"):
        for what in names_of(kind):
            for row in lengthwise.predict(what, encodings=encodings):
                both = {"counting": getattr(row, "counting", row.verdict), "either": row.verdict}
                if hasattr(row, "precision"):
                    both["fixed precision"] = row.precision
                for theory, verdict in both.items():
                    counted.setdefault(f"{kind}, {theory}", Counter())[str(verdict.answer)] += 1
                    counted.setdefault(f"all, {theory}", Counter())[str(verdict.answer)] += 1
    print(f"{len(encodings)} encodings; {time.process_time() - start:.0f} s of CPU time\n")
    print(f"{'':28}{'YES':>8}{'NO':>8}{'UNKNOWN':>9}{'share UNKNOWN':>15}")
    for label, answers in sorted(counted.items()):
        total = sum(answers.values())
        share = answers["UNKNOWN"] / total
        print(f"{label:28}{answers['YES']:8,}{answers['NO']:8,}{answers['UNKNOWN']:9,}{share:15.1%}")


if __name__ == "__main__":
    main()
