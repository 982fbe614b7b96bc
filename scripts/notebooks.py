"""Notebooks: their cells are run from top to bottom, and what they print is written back.

    python scripts/notebooks.py [FILE …]

No kernel is needed: a cell is plain Python, and the value of its last expression is shown as in a terminal.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def execute_notebook(path: Path) -> dict[str, Any]:
    """Run the cells of a notebook in an empty folder; return the notebook with what each cell printed."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            count += 1
            printed = run_cell("".join(cell["source"]), names)
            cell["execution_count"] = count
            cell["outputs"] = (
                [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}]
                if printed
                else []
            )
    return notebook


def run_cell(source: str, names: dict[str, object]) -> str:
    """Return what a cell prints, and then its last expression if that has a value."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def notebook_text(notebook: dict[str, Any]) -> str:
    """Return a notebook as its file holds it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Run the notebooks and write their outputs; print how long each took."""
    os.environ["COLUMNS"] = "100"
    for path in [Path(name).resolve() for name in sys.argv[1:]] or NOTEBOOKS:
        started = time.perf_counter()
        text = notebook_text(execute_notebook(path))
        spent = time.perf_counter() - started
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {spent:.1f} s")


if __name__ == "__main__":
    main()
