"""Pieces of the atlas with made-up outcomes, to rehearse the fit, the freeze and the scores before anything is trained.

    python benchmarks/atlas_rehearsal.py FOLDER [--languages N] [--splits fit test]

A hidden rule gives every cell a chance: it adds up what theory says, an effect of the encoding, and an effect of the language
that no feature shows. Outcomes are drawn from it. So the skill that a perfect predictor gets is known. In a copy of the repository,
the whole way is this script for the fit split, ``atlas_fit.py --freeze``, a commit, this script for the test split, and ``atlas_score.py``.
From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import atlas_pieces
import numpy as np
from atlas_cells import Cell, bare_cells, read_sample, task_revision
from atlas_frozen import FROZEN, TEST_PARTS, sha_of

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.evidence.chance import logistic

HIDDEN = 0.7  # the standard deviation of what no feature shows of a language, in log odds


def draw_cells(
    split: str, num_languages: int, *, seed: int = 0, encodings: Sequence[str] = atlas_pieces.ENCODINGS
) -> list[Cell]:
    """Return bare cells of some languages of a split, taken from all kinds."""
    sample = read_sample()
    own = [language for language, row in sample.items() if row["split"] == split]
    chosen = np.random.default_rng(seed).permutation(len(own))[:num_languages]
    return [
        cell
        for place in sorted(chosen)
        for cell in bare_cells(own[place], encodings, atlas_pieces.TRAIN_LENGTH, sample)
    ]


def true_chances(cells: Sequence[Cell], seed: int = 1) -> list[float]:
    """Return the chance of every cell by the hidden rule."""
    random = np.random.default_rng(seed)
    of_encoding = {name: float(random.normal()) for name in sorted(atlas_pieces.ENCODINGS)}
    of_language = {name: HIDDEN * float(random.normal()) for name in sorted({cell.cluster for cell in cells})}
    weights = {
        "+PLAIN": 0.8,
        "+LOCAL": 0.7,
        "+PERIODIC": 0.3,
        "+LTL[P,Y]": 0.7,
        "+shallow": 1.0,
        "+counting": 1.0,
        "states": -0.6,
    }
    return [
        logistic(
            sum(weight * cell.features.get(name, 0.0) for name, weight in weights.items())
            + of_encoding.get(cell.encoding, 0.0)
            + of_language[cell.cluster]
        )
        for cell in cells
    ]


def with_outcomes(
    cells: Sequence[Cell], chances: Sequence[float], *, runs: int = atlas_pieces.SEEDS, seed: int = 2
) -> list[Cell]:
    """Return cells with runs that are drawn: nine in ten fit, and those generalize by their chance."""
    random, made = np.random.default_rng(seed), []
    for cell, chance in zip(cells, chances, strict=True):
        fitted = int(random.binomial(runs, 0.9))
        made.append(
            replace(cell, num_runs=runs, num_fitted=fitted, num_generalized=int(random.binomial(fitted, chance)))
        )
    return made


def write_pieces(cells: Sequence[Cell], folder: Path, part: str, **head: Any) -> None:
    """Write drawn cells as pieces, one for each encoding, in the form that ``atlas.py`` writes."""
    folder.mkdir(parents=True, exist_ok=True)
    for encoding in dict.fromkeys(cell.encoding for cell in cells):
        rows = [row for cell in cells if cell.encoding == encoding for row in _runs(cell)]
        first = {
            "piece": f"{part}_{encoding}",
            "settings": {
                "encoding": encoding,
                "encoding_revision": ENCODINGS[encoding].revision,
                "model": {"layers": 2, "heads": 4, "width": 32},
            },
            "provenance": {"hardware": "made up", "finished": datetime.now(UTC).isoformat(timespec="seconds")},
        }
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in [first | head, *rows])
        (folder / f"{part}_{encoding}.jsonl").write_text(lines + "\n", encoding="utf-8")


def _runs(cell: Cell) -> list[dict[str, Any]]:
    rows = []
    for seed in range(cell.num_runs):
        share = 1.0 if seed < cell.num_generalized else 0.0
        rows.append(
            {
                "id": f"{cell.task}_{cell.encoding}_{seed}",
                "task": cell.task,
                "task_revision": task_revision(cell.task),
                "train_length": cell.train_length,
                "seed": seed,
                "steps": 8000,
                "fit": 1.0 if seed < cell.num_fitted else 0.5,
                "bins": [1.0, share, share, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
                "hard": {},
            }
        )
    return rows


def main() -> None:
    """Write made-up pieces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", type=int, default=60)
    parser.add_argument("--splits", nargs="+", default=["fit", "test"], choices=("fit", "test"))
    options = parser.parse_args()
    for split in options.splits:
        cells = draw_cells(split, options.languages)
        head = {"frozen": sha_of(FROZEN)} if split in TEST_PARTS and FROZEN.exists() else {}
        write_pieces(with_outcomes(cells, true_chances(cells)), options.folder, split, **head)
        print(f"{split}: {len(cells)} cells of {options.languages} languages")


if __name__ == "__main__":
    main()
