"""Generated parts of README and docs: reference pages, pictures, and the output of commands on pages.

Run through scripts/docs. Tests import this module and compare what it makes with what is committed.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from lengthwise.cli.main import main as run_command
from lengthwise.cli.reference import commands_page
from lengthwise.report.encoding_pages import encodings_page
from lengthwise.report.intervals import success_rate
from lengthwise.report.judging import Standing, judge
from lengthwise.report.matrix import Square, draw_matrix
from lengthwise.report.run_table import columns_as_markdown
from lengthwise.tasks.core.problems import find_circuit
from lengthwise.theory.claims import Answer
from lengthwise.theory.positions.circuits import Circuit, ideal
from lengthwise.theory.positions.drawing import draw_relations
from lengthwise.theory.positions.relations import RELATIONS, Relation

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GALLERY = ROOT / "docs" / "images" / "encodings.svg"
"""Drawn from weights that processors round differently, so its test compares colours, not text."""

SAVED = ("crasp", "py", "jsonl", "json")
"""Kinds of blocks that are saved as the file last named in the text before them."""
_BLOCK = re.compile(r"```(crasp|py|jsonl|json|console|python)\n(.*?)```", flags=re.DOTALL)


def relation_pictures() -> dict[str, tuple[Circuit, list[Relation], tuple[int, ...]]]:
    """Return the circuit, relations and scales of each picture of position labels, by file name."""
    parity, copy = find_circuit("parity_cot_aligned(6)"), find_circuit("copy")
    return {
        "prf-parity.svg": (parity, [RELATIONS["absolute"], RELATIONS["relative"], ideal(parity)], (3, 5)),
        "prf-copy.svg": (copy, [RELATIONS["relative"], RELATIONS["relative_scaled"], ideal(copy)], (3, 5)),
    }


RESULTS = ROOT / "benchmarks" / "results"


def draw_demo() -> str:
    """Draw prediction and accuracy at three times the training length for each cell of the demo, from its output."""
    row = re.compile(
        r"^(\S+) +(nope|ape) +(YES|NO) +\S+ +\S+(?: \([^)]*\))? +(\S+)(?: \([^)]*\))? +(\d)/(\d) +(\d)/\d",
        flags=re.MULTILINE,
    )
    found = row.findall((RESULTS / "demo_epyc_2026-11-19.txt").read_text(encoding="utf-8"))
    squares = [
        Square(
            row=task,
            column=COLUMNS[encoding],
            words=f"predicted {answer}: {accuracy} %, {generalized}/{fitted} runs {standing.mark}",
            title=f"{task} × {encoding}: predicted {answer}; {generalized} of {fitted} fitted runs generalize: {standing}",
            share=float(accuracy) / 100,
            framed=standing is Standing.DIFFERS,
        )
        for task, encoding, answer, accuracy, fitted, _, generalized in found
        for standing in [judge(Answer(answer), success_rate(int(generalized), int(fitted)), challenged=False)]
    ]
    tasks = list(dict.fromkeys(square.row for square in squares))
    title = "Prediction, median accuracy at three times the training length, and runs that generalize"
    return draw_matrix(tasks, list(COLUMNS.values()), squares, title=title, width=240)


COLUMNS = {"nope": "no positions (nope)", "ape": "learned absolute positions (ape)"}


def draw_encodings_on_tasks() -> str:
    """Draw prediction and measurement of all measured encodings; a later file replaces rows of an earlier one."""
    cell = re.compile(r"([✓✗?]) (\d/\d) +(\d+%|fit)|–")
    rows: dict[str, list[re.Match[str]]] = {}
    for path in sorted(RESULTS.glob("encodings_tasks_h200_*.txt")):
        header, *lines = path.read_text(encoding="utf-8").split("bin_majority", 1)[1].splitlines()
        for line in lines[: lines.index("")]:
            name, texts = line.split(maxsplit=1)
            rows[name] = list(cell.finditer(texts))
    tasks = ["bin_majority", *header.split()]
    squares = [
        Square(
            row=encoding,
            column=task,
            words=" ".join(match.group().split()),
            title=f"{task} × {encoding}",
            share=int(match[3][:-1]) / 100 if match[3].endswith("%") else None,
        )
        for encoding, matches in rows.items()
        for task, match in zip(tasks, matches, strict=True)
        if match[1]
    ]
    title = f"Prediction and measurement for {len(rows)} encodings on {len(tasks)} tasks"
    return draw_matrix(list(rows), tasks, squares, title=title)


def stores_page() -> str:
    """Return the page about stores with the table of columns written anew."""
    text = STORES.read_text(encoding="utf-8")
    return re.sub(r"\| column \| type \| meaning \|\n(\|.*\n)+", lambda _: f"{columns_as_markdown()}\n", text)


STORES = ROOT / "docs" / "reference" / "stores.md"

GENERATED: dict[Path, Callable[[], str]] = {
    ROOT / "docs" / "reference" / "cli.md": commands_page,
    ROOT / "docs" / "reference" / "encodings.md": encodings_page,
    STORES: stores_page,
    ROOT / "docs" / "images" / "demo.svg": draw_demo,
    ROOT / "docs" / "images" / "encodings-tasks.svg": draw_encodings_on_tasks,
    ROOT / "docs" / "images" / "prf-parity.svg": lambda: draw_relations(*relation_pictures()["prf-parity.svg"]),
    ROOT / "docs" / "images" / "prf-copy.svg": lambda: draw_relations(*relation_pictures()["prf-copy.svg"]),
}
"""Files that are generated whole, with what makes their text."""


def executed_pages() -> list[Path]:
    """Return the pages that show a command with its output, or a Python session."""
    shows = re.compile(r"^(```console$|>>> )", flags=re.MULTILINE)
    return [page for page in PAGES if page not in GENERATED and shows.search(page.read_text(encoding="utf-8"))]


def execute_page(page: Path) -> str:
    """Run the blocks of a page from top to bottom in the current folder; return the page with the output of its commands.

    Raises ``AssertionError`` where a Python session gives something else than it shows.
    """
    text = written = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for match in _BLOCK.finditer(text):
        kind, block = match.groups()
        if kind in SAVED:
            file_names = re.findall(rf"`([\w-]+\.{kind})`", text[: match.start()])
            if file_names:
                Path(file_names[-1]).write_text(block, encoding="utf-8")
        elif kind == "console":
            shown = run_console(block.split("\n")[0])
            written = written.replace(f"```console\n{block}```", f"```console\n{shown}```")
        elif ">>> " in block:
            session = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            report = io.StringIO()
            failed = doctest.DocTestRunner().run(session, out=report.write, clear_globs=False).failed
            assert not failed, report.getvalue()
            names |= session.globs
    return written


def run_console(command: str) -> str:
    """Return a command with what it prints and, if it is not 0, its exit code."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = run_command(shlex.split(command.removeprefix("$ lengthwise ")))
    return f"{command}\n{output.getvalue()}" + (f"(exit code {code})\n" if code else "")


def write(path: Path) -> None:
    """Write one file anew."""
    if path == GALLERY:
        with contextlib.redirect_stdout(io.StringIO()):
            run_command(["list", "encodings", "--svg", str(path)])
        return
    if path in GENERATED:
        text = GENERATED[path]()
    else:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = execute_page(path)
    if text != path.read_text(encoding="utf-8"):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    os.environ["LENGTHWISE_CACHE"] = ""  # pages show nobody's own measurements
    for chosen in [Path(name).resolve() for name in sys.argv[1:]] or [*GENERATED, GALLERY, *executed_pages()]:
        write(chosen)
