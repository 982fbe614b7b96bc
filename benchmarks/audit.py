"""Shortcuts: how far simple rules get on every task, on every named language and on 200 random ones.

Rules are fitted on lengths up to 20 and scored on lengths 41 to 60, three times as long. Languages are asked for in each of the
three questions: next symbols, states, membership. Baseline: the same audit of an older version, measured with the same script.

    python benchmarks/audit.py --measure after.json                 about 30 minutes; what is in the file is not measured again
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

from shortcut_reasons import INHERENT, PAPER
from shortcut_reasons import OPEN as OPEN_TASKS
from theory_generators import random_languages

from lengthwise.errors import LengthwiseError
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.tasks.audit.inherent import joined_solution, least_share, state_answers
from lengthwise.tasks.audit.results import Baseline
from lengthwise.tasks.audit.rules import rules_for
from lengthwise.tasks.audit.shortcuts import audit_shortcuts
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.tasks.core.task import AnswerTask, Task
from lengthwise.tasks.hard.apply import hard_sets
from lengthwise.tasks.languages.acceptance import Accepts
from lengthwise.tasks.languages.regular import NextSymbols, States

TRAIN_LENGTH = 20
BINS = (LengthRange(low=0, high=TRAIN_LENGTH), LengthRange(low=2 * TRAIN_LENGTH + 1, high=3 * TRAIN_LENGTH))
BOUND = 0.05
FINE = "at most 5 points above chance"
SOLUTION = "the rule is the solution (proved)"
TOGETHER = "several rules together are the solution (proved)"
FORCED = "the rule decides this share of uniform words, whatever the others are (proved)"
WORDS = "words are uniform in the language, and most of them show the rule no exception"
INHERENT_KIND = "inherent, for the reason in the table"
PAPER_KIND = "instances of a paper, kept"
NO_INSTANCE = "no instance of these lengths"
OPEN = "open: better instances may exist"
NUM_RANDOM = 200
SEED = 21
NUM_SEEDS = 3
EXAMPLES = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path)
    parser.add_argument("--only", default="", help="measure only what has this in its name")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--after", type=Path)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.only)
    if options.before and options.after:
        compare(*(json.loads(path.read_text()) for path in (options.before, options.after)))


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


def compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Print what changed, and for each group what is above the bound and why."""
    print(
        f"Best rule on lengths {BINS[-1]}, fitted on lengths up to {TRAIN_LENGTH}; exact match in percent, means of seeds."
    )
    print(f"A rule is above the bound if it is more than {100 * BOUND:.0f} points above the best constant.")
    groups = dict.fromkeys(entry["group"] for entry in after.values())
    makers = {name: make for _, name, make in subjects()}
    for group in groups:
        names = [name for name, entry in after.items() if entry["group"] == group]
        print(f"\n{group}: {len(names)}")
        print_summary(names, before, after, makers, is_random=group.startswith("random"))


def print_summary(
    names: list[str], before: dict[str, Any], after: dict[str, Any], makers: dict[str, Any], *, is_random: bool
) -> None:
    """Print the counts of a group, and a line for each task that changed or is above the bound."""
    kinds: dict[str, int] = {}
    lines = []
    for name in names:
        kind, why = reason(name, after[name], makers[name])
        kinds[kind] = kinds.get(kind, 0) + 1
        changed = differs(before.get(name), after[name]) and not is_random
        is_open = kind not in (FINE, SOLUTION, NO_INSTANCE)
        if changed or (is_open and (not is_random or kind == OPEN)):
            lines.append(f"  {name:34} {shown(before.get(name)):46} {shown(after[name]):46} {why or kind}")
    old = [reason_without_proof(before[name]) for name in names if name in before]
    for label in dict.fromkeys(old):
        print(f"  before: {old.count(label):4} {label}")
    for label, number in kinds.items():
        print(f"  after:  {number:4} {label}")
    if lines:
        print(f"  {'':34} {'before: chance, best':46} {'after: chance, best':46} why")
        print("\n".join(lines))


def shown(entry: dict[str, Any] | None) -> str:
    if entry is None or "error" in entry:
        return "no instance"
    return f"{100 * entry['chance']['share']:5.1f} {100 * entry['other']['share']:5.1f} {entry['other']['name'][:33]}"


def reason_without_proof(entry: dict[str, Any]) -> str:
    """Return how an entry counts by its figures alone."""
    if "error" in entry:
        return NO_INSTANCE
    if entry["best"]["inherent"]:
        return SOLUTION
    return FINE if entry["other"]["share"] - entry["chance"]["share"] <= BOUND else "above the bound"


def differs(before: dict[str, Any] | None, after: dict[str, Any]) -> bool:
    """Return whether a figure changed by more than the bound."""
    if before is None or "error" in before or "error" in after:
        return (before is None or "error" in before) != ("error" in after)
    return any(abs(before[which]["share"] - after[which]["share"]) > BOUND for which in ("chance", "other"))


def reason(name: str, entry: dict[str, Any], make: Any) -> tuple[str, str]:
    """Return how an entry counts, and for what is above the bound why, as far as it is known."""
    found = reason_without_proof(entry)
    if found != "above the bound":
        return found, ""
    base = name.removeprefix("hard(").split(",")[0] if name.startswith("hard(") else name
    for table, kind in ((INHERENT, INHERENT_KIND), (PAPER, PAPER_KIND), (OPEN_TASKS, OPEN)):
        if base in table:
            return kind, table[base]
    return proved_reason(entry, make()), ""


def proved_reason(entry: dict[str, Any], task: Task) -> str:
    """Return what can be proved about a rule on a regular language."""
    asked = state_answers(task)
    if asked is None:
        return OPEN
    alphabet = asked.language.alphabet
    rules = rules_for(alphabet)
    if joined_solution(rules, alphabet, asked) is not None:
        return TOGETHER
    rule = next((rule for rule in rules if rule.name == entry["other"]["name"]), None)
    if isinstance(task, Accepts) and rule is not None:
        longest = task.lengths(BINS[-1].low, BINS[-1].high)[-1]
        least = least_share(rule, alphabet, task.language, longest, is_inside=task.is_sparse)
        if least is not None and entry["other"]["share"] <= float(least) + BOUND:
            return FORCED
    return WORDS if not isinstance(task, AnswerTask) else OPEN


if __name__ == "__main__":
    main()
