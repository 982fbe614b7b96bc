"""Encodings made of what theory proves, beside usual ones: how often a fitted run is right beyond the training lengths.

    python benchmarks/design.py              the languages to choose on (split fit)
    python benchmarks/design.py --held-out   the languages to judge on (split test), which nothing was chosen by

Reads the pieces of ``benchmarks/atlas/runs`` (``atlas_pieces.py`` says what the designs are). The first table has the YES cells
of each encoding, by kind of language: of the fitted runs, the share that is right at three, five and ten times the training
length. The second has the NO cells: a run that is right throughout challenges the proof, and is looked into. Intervals come
from languages drawn with replacement. From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from atlas_cells import RUNS, is_right_throughout, read_pieces, read_sample
from atlas_pieces import DESIGN_PARTS, DESIGNS

from lengthwise.predict.predict import predict_task
from lengthwise.report.judging import FITTED, GENERALIZED
from lengthwise.tables import Table
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer

USUAL = ("nope", "ape", "rope", "t5")
MULTIPLES = (3, 5, 10)
DRAWS = 1000
ALL = "all kinds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A language with an encoding or a design: what theory says, and its runs."""

    language: str
    kind: str
    name: str
    answer: Answer
    runs: list[dict[str, Any]]

    @property
    def fitted(self) -> list[dict[str, Any]]:
        """The runs that fit the training lengths."""
        return [run for run in self.runs if run["fit"] >= FITTED]


def read_cells(folder: Path, split: str) -> list[Cell]:
    """Return the cells of a split, with encodings alone and with designs."""
    sample, part = read_sample(), DESIGN_PARTS[split == "test"]
    encodings = {f"{split}_{name}": (name, name, ()) for name in USUAL}
    designs = {
        f"{part}_{name}": (name, encoding, tuple(key for key, value in settings.items() if value is True))
        for name, (encoding, settings) in DESIGNS.items()
    }
    cells = []
    for head, runs in read_pieces(folder):
        if head["piece"] not in encodings | designs:
            continue
        name, encoding, switches = (encodings | designs)[head["piece"]]
        by_task: dict[str, list[dict[str, Any]]] = {}
        for run in runs:
            by_task.setdefault(run["task"], []).append(run)
        for task, own in by_task.items():
            answer = predict_task(find_task(task), encoding, switches).answer
            cells.append(Cell(language=task, kind=sample[task]["kind"], name=name, answer=answer, runs=own))
    return cells


def share(cells: Sequence[Cell], multiple: int) -> str:
    """Return the share of fitted runs that are right at a multiple of the training length, with its interval."""
    pairs = []
    for cell in cells:
        tested = [found for run in cell.fitted if (found := run["bins"][multiple - 1]) is not None]
        pairs.append((sum(each >= GENERALIZED for each in tested), len(tested)))
    good, tries = np.array(pairs, dtype=float).reshape(-1, 2).T
    if not tries.sum():
        return "–"
    random = np.random.default_rng(0)
    drawn = random.integers(len(cells), size=(DRAWS, len(cells)))
    of_draws = good[drawn].sum(1) / np.maximum(1, tries[drawn].sum(1))
    low, high = np.quantile(of_draws, [0.025, 0.975])
    return f"{good.sum() / tries.sum():.2f} ({low:.2f}–{high:.2f})"


def table_of_yes(cells: Sequence[Cell]) -> Table:
    """Return the YES cells of every encoding, by kind of language."""
    rows = []
    for name in dict.fromkeys(cell.name for cell in cells):
        own = [cell for cell in cells if cell.name == name and cell.answer is Answer.YES]
        for kind in (*sorted({cell.kind for cell in own}), ALL):
            chosen = [cell for cell in own if kind in (cell.kind, ALL)]
            runs = sum(len(cell.runs) for cell in chosen)
            fitted = sum(len(cell.fitted) for cell in chosen)
            rows.append(
                [name, kind, str(len(chosen)), f"{fitted}/{runs}", *(share(chosen, each) for each in MULTIPLES)]
            )
    return Table(
        header=["encoding", "kind", "languages", "fitted", *(f"right at {each}×" for each in MULTIPLES)], rows=rows
    )


def table_of_no(cells: Sequence[Cell]) -> Table:
    """Return the NO cells of every encoding: how many have a fitted run, and the runs that challenge them."""
    rows = []
    for name in dict.fromkeys(cell.name for cell in cells):
        own = [cell for cell in cells if cell.name == name and cell.answer is Answer.NO]
        tried = [cell for cell in own if cell.fitted]
        challenged = [
            f"{cell.language}: {len(runs)} of {len(cell.fitted)}"
            for cell in tried
            if (runs := [run for run in cell.fitted if is_right_throughout(run)])
        ]
        rows.append([name, str(len(own)), str(len(tried)), "; ".join(challenged) or "none"])
    return Table(header=["encoding", "NO cells", "with a fitted run", "right throughout"], rows=rows)


def main() -> None:
    """Print both tables of a split."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--runs", type=Path, default=RUNS, help="the folder of pieces")
    options = parser.parse_args()
    split = "test" if options.held_out else "fit"
    cells = read_cells(options.runs, split)
    if not cells:
        parser.error(f"{options.runs} has no pieces of the split {split} with these encodings yet")
    print(
        f"Split {split}: YES cells, and of their fitted runs the share that is right (95 % interval over languages)\n"
    )
    print(table_of_yes(cells).to_text())
    print("\nNO cells\n")
    print(table_of_no(cells).to_text())


if __name__ == "__main__":
    main()
