"""The atlas: what training finds, for many languages and encodings, trained in pieces that can be done one after the other.

    python benchmarks/atlas.py pilot --device cuda --seconds 540 --folder FOLDER     the pilot languages, for several presets
    python benchmarks/atlas.py run --device cuda --seconds 540 --folder FOLDER       the next pieces of the grid
    python benchmarks/atlas.py list                                                  pieces, done and left, with their runs
    python benchmarks/atlas.py run --rehearse --folder FOLDER                        tiny, on a CPU

A piece is one encoding, one split of the sample (``atlas_sample.py``) and one question: next symbols or membership. Its file in
FOLDER appears when all of its runs are done; moved to benchmarks/atlas/runs and committed, it is never trained again. After
``--seconds`` no other piece is begun. Pieces of the test split are left out unless ``--split test`` asks for them: predictions for
them come first. From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.experiment.grid import Grid
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result
from lengthwise.files import write_text
from lengthwise.report.statistics import fit_share, is_fitted, share_of
from lengthwise.tasks.core.lengths import LengthRange, length_bins

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "atlas" / "sample.json"
DONE = HERE / "atlas" / "runs"
ENCODINGS = (
    *("nope", "ape", "rope", "alibi", "t5", "sinusoidal"),
    *("kerple_log", "fire", "cope", "fox", "stick_breaking", "path"),
)
QUESTIONS = {"next": "{}", "membership": "accepts({})"}
SEEDS = 6
TRAIN_LENGTH = 50
MULTIPLES = 10  # the longest tested length, in training lengths
PRESET: dict[str, Any] = {"layers": 2, "heads": 4, "width": 32, "learning_rate": 0.001, "steps": 8000}
PILOT: dict[str, Any] = {
    "encodings": ["nope", "ape", "rope", "alibi"],
    "learning_rate": [0.001, 0.003],
    "layers": [2, 4],
    "width": [32, 64],
    "steps": 8000,
    "seeds": 2,
}
"""Settings that the pilot tries, in all combinations; what is chosen becomes the preset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some languages with one encoding and one question."""

    encoding: str
    split: str
    question: str
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The piece in the name of its file."""
        return f"{self.encoding}_{self.split}_{self.question}"

    def specs(self, settings: dict[str, Any]) -> tuple[Spec, ...]:
        """Return what the piece trains."""
        lengths = {"train_length": TRAIN_LENGTH, "test_length": MULTIPLES * TRAIN_LENGTH}
        given = {"tasks": list(self.tasks), "encodings": [self.encoding], "seeds": SEEDS, "hard": True} | lengths
        return Grid(settings=given | settings).specs()


def read_sample() -> list[dict[str, Any]]:
    """Return the rows of the sample."""
    rows: list[dict[str, Any]] = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return rows


def all_pieces(splits: Sequence[str]) -> list[Piece]:
    """Return the pieces of some splits: encodings in order, next symbols before membership."""
    rows = read_sample()
    return [
        Piece(
            encoding=encoding,
            split=split,
            question=question,
            tasks=tuple(
                form.format(row["language"])
                for row in rows
                if row["split"] == split and (question == "next" or row["membership"])
            ),
        )
        for split in splits
        for question, form in QUESTIONS.items()
        for encoding in ENCODINGS
    ]


def compact(result: Result) -> dict[str, Any]:
    """Return what is kept of a run: exact match at training lengths, in each bin, and on hard sets by kind and bin."""
    settings = result.settings
    bins = length_bins(settings["train_length"], settings["test_length"])
    return {
        "id": result.id,
        "task": result.task,
        "seed": result.seed,
        "steps": result.steps,
        "fit": round(fit_share(result), 4),
        "bins": [_rounded(result.scores, bounds) for bounds in bins],
        "hard": {kind: [_rounded(scores, bounds) for bounds in bins] for kind, scores in result.hard.items()},
    }


def _rounded(scores: Any, bounds: LengthRange) -> float | None:
    share = share_of(scores, bounds)
    return None if share is None else round(share, 4)


def train(specs: Sequence[Spec], options: argparse.Namespace, store: Path) -> list[Result]:
    """Return the results of these specs, printing progress now and then."""
    begun = printed = time.monotonic()
    done = 0

    def note(event: Any) -> None:
        nonlocal printed, done
        if type(event).__name__ == "RunsDone":
            done += len(event.results)
        if time.monotonic() - printed > 30:
            printed = time.monotonic()
            print(f"  {printed - begun:.0f} s: {done} runs done", flush=True)

    outcome = run_experiment(specs, store, device=options.device, workers=options.workers, on_event=note)
    seconds = time.monotonic() - begun
    steps = sum(result.steps for result in outcome.results)
    fitted = sum(map(is_fitted, outcome.results))
    print(
        f"  {len(outcome.results)} runs, {fitted} fitted, {steps:,} steps in {seconds:.0f} s: {steps / seconds:,.0f} model·steps/s",
        flush=True,
    )
    return list(outcome.results)


def write_piece(piece: Piece, results: Sequence[Result], seconds: float, folder: Path) -> None:
    """Write the file of a piece, whose existence means that it is done."""
    first = results[0]
    rows = sorted((compact(result) for result in results), key=lambda row: (row["task"], row["seed"]))
    shared = {key: value for key, value in first.settings.items() if key not in ("task", "seed", "task_revision")}
    head = {"piece": piece.name, "seconds": round(seconds, 1), "settings": shared, "provenance": dict(first.provenance)}
    lines = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in [head, *rows])
    write_text(folder / f"{piece.name}.jsonl", lines + "\n")


def run_pieces(options: argparse.Namespace) -> None:
    """Train pieces that nobody has done, until the time is up."""
    begun = time.monotonic()
    for piece in all_pieces(options.split):
        if any((folder / f"{piece.name}.jsonl").exists() for folder in (DONE, options.folder)):
            continue
        if time.monotonic() - begun > options.seconds:
            print(f"time is up before {piece.name}")
            return
        print(f"{piece.name}: {len(piece.tasks)} languages", flush=True)
        specs = piece.specs(options.settings)
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as store:
            results = train(specs, options, Path(store) / "runs.sqlite")
        write_piece(piece, results, time.monotonic() - started, options.folder)
    print("all pieces are done")


def run_pilot(options: argparse.Namespace) -> None:
    """Train the pilot languages with every preset, and print how many runs of each kind fit and generalize."""
    rows = [row for row in read_sample() if row["split"] == "pilot"]
    kinds = {row["language"]: row["kind"] for row in rows}
    piece = Piece(encoding="nope", split="pilot", question="next", tasks=tuple(kinds))
    results = train(piece.specs(options.pilot), options, options.folder / "pilot.sqlite")
    bounds = length_bins(TRAIN_LENGTH, MULTIPLES * TRAIN_LENGTH)[2]
    table: dict[tuple[Any, ...], list[tuple[str, bool, bool]]] = {}
    for result in results:
        model = result.settings["model"]
        key = (model["layers"], model["width"], result.learning_rate, result.encoding)
        generalizes = (share_of(result.scores, bounds) or 0.0) >= 0.9
        table.setdefault(key, []).append((kinds[result.task], is_fitted(result), generalizes))
    print("layers width rate encoding: fitted of all runs; of those, at least 90 % at 3×, by kind")
    for key, runs in sorted(table.items()):
        by_kind = []
        for kind in dict.fromkeys(kinds.values()):
            fitted = [generalizes for own, fits, generalizes in runs if own == kind and fits]
            by_kind.append(f"{kind} {sum(fitted)}/{len(fitted)}")
        print(*key, f"{sum(fits for _, fits, _ in runs)}/{len(runs)};", ", ".join(by_kind))


def list_pieces(options: argparse.Namespace) -> None:
    """Print all pieces."""
    for piece in all_pieces(options.split):
        state = "done" if (DONE / f"{piece.name}.jsonl").exists() else "left"
        print(f"{piece.name:40} {len(piece.tasks) * SEEDS:5} runs  {state}")


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("pilot", "run", "list"))
    parser.add_argument("--folder", type=Path, help="where files of pieces are written")
    parser.add_argument("--split", nargs="+", default=["fit"], choices=("pilot", "fit", "test"))
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--rehearse", action="store_true")
    options = parser.parse_args()
    options.settings, options.pilot = PRESET, PILOT
    if options.rehearse:
        tiny = {"layers": 1, "heads": 1, "steps": 20, "evaluate_every": 10, "examples": 16}
        options.settings = tiny | {"width": 8, "seeds": 1}
        options.pilot = tiny | {"width": [8, 16], "encodings": ["nope", "ape"], "seeds": 1}
    if options.action == "list":
        list_pieces(options)
        return
    if options.folder is None:
        parser.error("--folder is missing")
    options.folder.mkdir(parents=True, exist_ok=True)
    {"pilot": run_pilot, "run": run_pieces}[options.action](options)


if __name__ == "__main__":
    main()
