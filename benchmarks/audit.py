"""Shortcuts: how far simple rules get on every task, on every named language and on 200 random ones.

Rules are fitted on lengths up to 20 and scored on lengths 41 to 60, three times as long. Languages are asked for in each of the
three questions: next symbols, states, membership. Baseline: the same audit of an older version, measured with the same script.

    python benchmarks/audit.py --measure after.json                 about ten minutes; what is in the file is not measured again
    PYTHONPATH=OLD/src python benchmarks/audit.py --measure before.json
    python benchmarks/audit.py --before before.json --after after.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from theory_generators import random_languages

from lengthwise.errors import LengthwiseError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.tasks.audit.results import Baseline
from lengthwise.tasks.audit.shortcuts import audit_shortcuts
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.tasks.core.task import Task
from lengthwise.tasks.hard.apply import hard_sets
from lengthwise.tasks.languages.acceptance import Accepts
from lengthwise.tasks.languages.regular import NextSymbols, States

TRAIN_LENGTH = 20
BINS = (LengthRange(low=0, high=TRAIN_LENGTH), LengthRange(low=2 * TRAIN_LENGTH + 1, high=3 * TRAIN_LENGTH))
NUM_RANDOM = 200
SEED = 21
NUM_SEEDS = 3
EXAMPLES = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.only)


def measure(path: Path, only: str) -> None:
    """Audit everything that is not in the file yet, and write it after each task."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for group, name, make in subjects():
        if name in found or only not in name:
            continue
        try:
            found[name] = {**figures(make()), "group": group}
        except (LengthwiseError, ValueError, IndexError) as error:
            found[name] = {"group": group, "error": str(error)}
        path.write_text(json.dumps(found, indent=0))


def subjects() -> Iterator[tuple[str, str, Any]]:
    """Yield the group, the name and the maker of everything that is audited."""
    for name in TASKS:
        yield "tasks", name, lambda name=name: find_task(name)
    for name in TASKS:
        task = find_task(name)
        if isinstance(task, Accepts):
            continue
        for kind, hard in hard_sets(task).items():
            yield f"hard sets of tasks: {kind}", hard.name, lambda hard=hard: hard
    languages = {name: entry.language for name, entry in LANGUAGES.items()}
    for number, language in enumerate(random_languages(SEED, NUM_RANDOM)):
        languages[f"random {number}"] = language
    for name, language in languages.items():
        group = "random languages" if name.startswith("random ") else "named languages"
        yield from questions(group, name, language)


def questions(group: str, name: str, language: DFA) -> Iterator[tuple[str, str, Any]]:
    """Yield the three questions about a language, and the hard sets of membership."""
    yield f"{group}: next symbols", name, lambda: NextSymbols(language, name)
    yield f"{group}: states", f"states({name})", lambda: States(language, name)
    try:
        task = Accepts(language, f"accepts({name})")
    except LengthwiseError:
        return
    yield f"{group}: membership", f"accepts({name})", lambda: task
    yield f"{group}: near", f"hard(accepts({name}), near)", lambda: hard_sets(task)["near"]


def figures(task: Task) -> dict[str, Any]:
    """Return chance, the best rule and the best that is not the solution: the means of several seeds in every bin."""
    audits = [audit_shortcuts(task, BINS, seed=seed, examples=EXAMPLES) for seed in range(NUM_SEEDS)]
    if not audits[0].examples[-1]:
        return {"group": "", "error": f"no instance of lengths {BINS[-1]}"}
    shares: dict[str, list[Baseline]] = {}
    for audit in audits:
        for rule in (replace(audit.chance, name="chance"), *audit.shortcuts):
            shares.setdefault(rule.name, []).append(rule)
    means = [
        {
            "name": name,
            "share": sum(rule.shares[-1] or 0.0 for rule in rules) / len(audits),
            "trained": sum(rule.shares[0] or 0.0 for rule in rules) / len(audits),
            "inherent": any(rule.inherent for rule in rules),
        }
        for name, rules in shares.items()
    ]
    means.sort(key=lambda rule: (-rule["share"], not rule["inherent"]))
    return {
        "examples": sum(audit.examples[-1] for audit in audits),
        "chance": next(rule for rule in means if rule["name"] == "chance"),
        "best": means[0],
        "other": next(rule for rule in means if not rule["inherent"]),
    }


if __name__ == "__main__":
    main()
