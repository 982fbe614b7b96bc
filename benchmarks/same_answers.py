"""Answers of one source tree, to be compared with those of another: nothing may change in a redesign.

    PYTHONPATH=OLD/src python benchmarks/same_answers.py write before.jsonl
    PYTHONPATH=src python benchmarks/same_answers.py write after.jsonl
    python benchmarks/same_answers.py compare before.jsonl after.jsonl

Asked are random regular expressions, each for membership with both readouts and for next symbols with ``nope`` and
``ape``, and every task with every encoding. Compared are all fields of a row of ``predict --json`` except sentences. Only
what both trees export is called: ``lengthwise.predict`` and ``lengthwise list``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from pathlib import Path

KEYS = ("encoding", "fragment", "asked", "readout", "alphabet", "answer", "level", "theorem", "grade")
QUESTIONS = (
    {"asked": "MEMBERSHIP", "readout": "END_MARKER"},
    {"asked": "MEMBERSHIP", "readout": "LAST_SYMBOL"},
    {"asked": "NEXT_SYMBOLS"},
)


def random_expression(generator: random.Random, letters: str, depth: int) -> str:
    """Return a regular expression over these letters; the text depends on the generator alone."""
    kind = generator.choice(("letter", "letter", "union", "concat", "concat", "star")) if depth else "letter"
    if kind == "letter":
        return generator.choice(letters)
    one = random_expression(generator, letters, depth - 1)
    if kind == "star":
        return f"({one}){generator.choice('**+?')}"
    two = random_expression(generator, letters, depth - 1)
    return f"({one}|{two})" if kind == "union" else f"{one}{two}"


def row_of(prediction: object) -> dict[str, object]:
    """Return what must stay equal of a prediction; of a certificate, its hash."""
    data = prediction.to_json()  # type: ignore[attr-defined]
    certificate = json.dumps(data["certificate"], sort_keys=True, ensure_ascii=False)
    return {key: data[key] for key in KEYS} | {"certificate": hashlib.sha256(certificate.encode()).hexdigest()[:16]}


def ask(what: str, **options: object) -> list[dict[str, object]] | str:
    """Return the rows of a question, or the kind of error that it raises."""
    import lengthwise
    from lengthwise.crasp.fragments import Readout
    from lengthwise.theory.claims import Asked

    kinds = {"asked": Asked, "readout": Readout}
    chosen = {name: kinds[name](value) if name in kinds else value for name, value in options.items()}
    try:
        return [row_of(prediction) for prediction in lengthwise.predict(what, **chosen)]
    except lengthwise.LengthwiseError as error:
        return type(error).__name__


def names_of(kind: str) -> list[str]:
    """Return the names that ``lengthwise list KIND --json`` prints."""
    import contextlib
    import io

    from lengthwise.cli.main import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["list", kind, "--json"]) == 0
    return [row["name"] for row in json.loads(printed.getvalue())]


def write(path: Path, languages: int, seed: int) -> None:
    """Write one line for every question."""
    generator = random.Random(seed)
    with path.open("w") as file:
        for number in range(languages):
            letters = "abcd"[: 2 + number % 3]
            text = f"{random_expression(generator, letters, 5)}{generator.choice(('', '*', ''))}"
            for options in QUESTIONS:
                rows = ask(text, alphabet=letters, regex=True, **options)
                print(json.dumps({"what": text, "letters": letters, **options, "rows": rows}), file=file)
        encodings = names_of("encodings")
        for task in names_of("tasks"):
            print(json.dumps({"what": task, "rows": ask(task, encodings=encodings)}), file=file)


def compare(before: Path, after: Path) -> int:
    """Print how many lines differ, and the first ones."""
    old = {json.dumps({**json.loads(line), "rows": 0}): line for line in before.read_text().splitlines()}
    new = {json.dumps({**json.loads(line), "rows": 0}): line for line in after.read_text().splitlines()}
    missing = [key for key in old if key not in new]
    different = [key for key in old if key in new and old[key] != new[key]]
    print(f"{len(old):,} questions before, {len(new):,} after: {len(missing)} missing, {len(different)} different")
    for key in [*missing, *different][:20]:
        print(f"  {key}\n    before {old[key][-400:]}\n    after  {new.get(key, 'missing')[-400:]}")
    return 1 if missing or different else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("path", type=Path)
    writing.add_argument("--languages", type=int, default=5000)
    writing.add_argument("--seed", type=int, default=20)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "write":
        write(given.path, given.languages, given.seed)
    else:
        sys.exit(compare(given.before, given.after))
