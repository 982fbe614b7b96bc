"""The predictor of the atlas: fitted to the fit split, frozen before the test third is trained, and fitted again to ship.

    python benchmarks/atlas_fit.py --freeze     fits the predictor, and writes it and its predictions for all cells of the test third
    python benchmarks/atlas_fit.py --ship       fits it again to both splits and writes the one of the package, once test pieces exist
    python benchmarks/atlas_fit.py              fits it and prints its largest weights; writes nothing

``--freeze`` writes benchmarks/atlas/predictor.json and benchmarks/atlas/frozen.jsonl. Commit both, then train the test parts.
``atlas_score.py`` scores these predictions and no others. Pilot languages are left out everywhere. From a source tree, set
PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import atlas_pieces
from atlas_cells import HERE, RUNS, Cell, bare_cells, read_cells, read_pieces, read_sample
from atlas_frozen import FROZEN, TEST_PARTS, frozen_text, sha_of
from atlas_model import fit_predictor

from lengthwise.evidence.chance import Predictor
from lengthwise.evidence.measured import SHIPPED_PREDICTOR

PREDICTOR = HERE / "atlas" / "predictor.json"
SHOWN = 15


def test_cells() -> Iterator[Cell]:
    """Yield every cell of the test third, without runs."""
    sample, tasks = read_sample(), atlas_pieces.tasks_of_parts()
    for part in ("test", "test_membership"):
        for task in tasks[part]:
            yield from bare_cells(task, atlas_pieces.ENCODINGS, atlas_pieces.TRAIN_LENGTH, sample)


def predictions(predictor: Predictor, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return the frozen line of each cell."""
    lines = []
    for cell in cells:
        chance = predictor.estimate(cell.features)
        lines.append(
            {
                "task": cell.task,
                "encoding": cell.encoding,
                "train_length": cell.train_length,
                "answer": str(cell.answer),
            }
            | {
                name: value
                for name, value in chance.to_json().items()
                if name in ("fit", "generalize", "low", "high", "beyond")
            }
        )
    return lines


def write_predictor(predictor: Predictor, path: Path) -> None:
    """Write the file of a predictor, a line for each weight and replicate."""
    data: dict[str, Any] = predictor.to_json()
    heads = {}
    for name, head in data.pop("heads").items():
        weights = ",\n".join(
            f"{json.dumps(key, ensure_ascii=False)}: {value}" for key, value in head["weights"].items()
        )
        again = ",\n".join(
            f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(text)}" for key, text in head["replicates"].items()
        )
        heads[name] = f'{{"weights": {{\n{weights}\n}},\n"replicates": {{\n{again}\n}}}}'
    told = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items())
    inside = ",\n".join(f'"{name}": {text}' for name, text in heads.items())
    path.write_text(f'{{{told},\n"heads": {{\n{inside}\n}}}}\n', encoding="utf-8")


def freeze(folder: Path, predictor_file: Path, frozen_file: Path, cells: Sequence[Cell]) -> Predictor:
    """Fit the predictor to the fit split, and write it with its predictions for these cells; raise if they were trained already."""
    trained = [head["piece"] for head, _ in read_pieces(folder) if head["piece"].startswith(TEST_PARTS)]
    if trained:
        sys.exit(f"the test third was trained already ({', '.join(trained)}): predictions can no longer be frozen.")
    if frozen_file.exists():
        sys.exit(f"{frozen_file.name} exists already; frozen predictions are never written again.")
    known = read_cells(folder, splits=("fit",))
    if not known:
        sys.exit(f"{folder} has no pieces of the fit split yet.")
    predictor = fit_predictor(known, "the fit split of the atlas")
    write_predictor(predictor, predictor_file)
    frozen_file.write_text(frozen_text(predictions(predictor, cells), sha_of(predictor_file)), encoding="utf-8")
    return predictor


def print_weights(predictor: Predictor) -> None:
    """Print the largest weights of each head."""
    for name, head in (("fit", predictor.fit), ("generalize", predictor.generalize)):
        print(f"\n{name}: {len(head.weights)} weights; the largest:")
        for feature, weight in sorted(head.weights.items(), key=lambda item: -abs(item[1]))[:SHOWN]:
            print(f"  {weight:+.3f}  {feature}")


def main() -> None:
    """Fit, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--ship", action="store_true")
    parser.add_argument("--runs", type=Path, default=RUNS, help="the folder of pieces")
    options = parser.parse_args()
    if options.freeze:
        predictor = freeze(options.runs, PREDICTOR, FROZEN, list(test_cells()))
        print(f"wrote {PREDICTOR.name} ({PREDICTOR.stat().st_size:,} bytes) and {FROZEN.name}; commit both now.")
    else:
        splits = ("fit", "test") if options.ship else ("fit",)
        cells = read_cells(options.runs, splits=splits)
        if {cell.split for cell in cells} != set(splits):
            sys.exit(f"{options.runs} has no cells of: {', '.join(set(splits) - {cell.split for cell in cells})}.")
        predictor = fit_predictor(cells, f"the {' and '.join(splits)} split{'s' * options.ship} of the atlas")
        if options.ship:
            write_predictor(predictor, SHIPPED_PREDICTOR)
            print(f"wrote {SHIPPED_PREDICTOR} ({SHIPPED_PREDICTOR.stat().st_size:,} bytes)")
    print_weights(predictor)


if __name__ == "__main__":
    main()
