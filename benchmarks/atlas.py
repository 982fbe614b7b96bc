"""The atlas: what training finds, for many languages and encodings, trained in pieces that can be done one after the other.

    python benchmarks/atlas.py pilot --device cuda --seconds 540 --folder FOLDER     the pilot languages, for several presets
    python benchmarks/atlas.py run --device cuda --seconds 540 --folder FOLDER       the next pieces of the grid
    python benchmarks/atlas.py list                                                  pieces, done and left, with their runs
    python benchmarks/atlas.py run --rehearse --folder FOLDER                        tiny, on a CPU

A piece is one encoding and one part of the grid:

- ``fit`` and ``test``: the languages of that split (``atlas_sample.py``), asked for next symbols; ``fit_membership`` and
  ``test_membership`` the half of them that is also asked for membership;
- ``tasks``: tasks of the catalogue;
- ``short``: the languages that nothing here can express, with shorter training lengths, since more of them fit there;
- ``reference``: 30 languages of the fit split and 10 tasks, also for all other encodings.

Its file in FOLDER appears when all of its runs are done; moved to benchmarks/atlas/runs and committed, it is never trained again.
After ``--seconds`` no other piece is begun. The test parts are left out unless ``--parts`` names them: predictions for them come
first. From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from lengthwise.encodings.catalog import ENCODINGS as CARDS
from lengthwise.errors import LengthwiseError
from lengthwise.experiment.grid import Grid
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result
from lengthwise.files import write_text
from lengthwise.report.statistics import fit_share, is_fitted, share_of
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import LengthRange, length_bins

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "atlas" / "sample.json"
DONE = HERE / "atlas" / "runs"
ENCODINGS = (
    *("nope", "ape", "rope", "alibi", "t5", "sinusoidal"),
    *("kerple_log", "fire", "cope", "fox", "stick_breaking", "path"),
)
PARTS = ("fit", "tasks", "fit_membership", "short", "reference", "test", "test_membership")
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


TASKS = (
    *(
        "bin_majority",
        "majority",
        "parity",
        "unique_copy",
        "repeat_copy",
        "sort",
        "addition",
        "count_symbol",
        "count_mod",
    ),
    *(
        "mode",
        "histogram",
        "max",
        "argmax",
        "kth_largest",
        "odds_first",
        "shift",
        "swap_pairs",
        "reverse",
        "palindrome",
    ),
    *(
        "selective_copy",
        "dedup",
        "flip_flop",
        "mqar",
        "mkar",
        "induction",
        "index_lookup",
        "needle",
        "add_decimal",
        "subtract",
    ),
    *(
        "increment",
        "bitwise_xor",
        "compare",
        "sum_mod",
        "mod_arith",
        "parity_cot",
        "count_cot",
        "sort_cot",
        "state_track_cot",
    ),
    *("anbn", "anbncn", "shuffle_dyck_2", "dyck", "dyck_bounded", "even_pairs", "swap_tracking", "cycle_navigation"),
    *("variable_chain", "icl_map", "icl_markov", "icl_dfa"),
)
REFERENCE_TASKS = (
    *("bin_majority", "parity", "unique_copy", "repeat_copy", "sort", "flip_flop", "mqar", "induction", "add_decimal"),
    "parity_cot",
)
SHORT_LENGTHS = (12, 25)
MOST_TOKENS = 800  # of an instance at the longest tested length


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some tasks with one encoding."""

    encoding: str
    part: str
    tasks: tuple[str, ...]
    train_lengths: tuple[int, ...] = (TRAIN_LENGTH,)

    @property
    def name(self) -> str:
        """The piece in the name of its file."""
        return f"{self.part}_{self.encoding}"

    @property
    def num_runs(self) -> int:
        """The number of models to train."""
        return len(self.tasks) * len(self.train_lengths) * SEEDS

    def specs(self, settings: dict[str, Any]) -> list[Spec]:
        """Return what the piece trains: tasks that are tested to the same lengths together."""
        found = []
        for length in self.train_lengths:
            by_test: dict[int, list[str]] = {}
            for task in self.tasks:
                by_test.setdefault(longest_test(task, length), []).append(task)
            for longest, tasks in by_test.items():
                given = {"tasks": tasks, "encodings": [self.encoding], "train_length": length, "test_length": longest}
                found += Grid(settings=given | {"seeds": SEEDS, "hard": True} | settings).specs()
        return found


def longest_test(name: str, train_length: int) -> int:
    """Return the longest length that a task is tested at: ten times the training length, or less where it ends before."""
    task = find_task(name)
    for multiple in (MULTIPLES, 5, 3):
        with suppress(LengthwiseError):
            if task.size(multiple * train_length) <= MOST_TOKENS:
                return multiple * train_length
    return 3 * train_length


def read_sample() -> list[dict[str, Any]]:
    """Return the rows of the sample."""
    rows: list[dict[str, Any]] = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return rows


def tasks_of_parts() -> dict[str, tuple[str, ...]]:
    """Return what each part trains."""
    rows = read_sample()
    parts: dict[str, tuple[str, ...]] = {}
    for split in ("fit", "test"):
        own = [row for row in rows if row["split"] == split]
        parts[split] = tuple(row["language"] for row in own)
        parts[f"{split}_membership"] = tuple(f"accepts({row['language']})" for row in own if row["membership"])
    parts["tasks"] = TASKS
    parts["short"] = tuple(row["language"] for row in rows if row["split"] == "fit" and row["kind"] == "none")
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        if row["split"] == "fit":
            by_kind.setdefault(row["kind"], []).append(row["language"])
    turns = [language for turn in zip_longest(*by_kind.values()) for language in turn if language is not None]
    parts["reference"] = (*turns[:30], *REFERENCE_TASKS)
    return parts


def all_pieces(parts: Sequence[str]) -> list[Piece]:
    """Return the pieces of some parts, for every encoding that they are trained with."""
    tasks = tasks_of_parts()
    others = [name for name in CARDS if name not in ENCODINGS]
    return [
        Piece(
            encoding=encoding,
            part=part,
            tasks=tasks[part],
            train_lengths=SHORT_LENGTHS if part == "short" else (TRAIN_LENGTH,),
        )
        for part in parts
        for encoding in (others if part == "reference" else ENCODINGS)
    ]


def compact(result: Result) -> dict[str, Any]:
    """Return what is kept of a run: exact match at training lengths, in each bin, and on hard sets by kind and bin."""
    settings = result.settings
    bins = length_bins(settings["train_length"], settings["test_length"])
    return {
        "id": result.id,
        "task": result.task,
        "task_revision": settings["task_revision"],
        "train_length": settings["train_length"],
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
    rows = sorted(
        (compact(result) for result in results), key=lambda row: (row["task"], row["train_length"], row["seed"])
    )
    own = ("task", "seed", "task_revision", "train_length", "test_length", "room")
    shared = {key: value for key, value in first.settings.items() if key not in own}
    head = {"piece": piece.name, "seconds": round(seconds, 1), "settings": shared, "provenance": dict(first.provenance)}
    lines = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in [head, *rows])
    write_text(folder / f"{piece.name}.jsonl", lines + "\n")


def run_pieces(options: argparse.Namespace) -> None:
    """Train pieces that nobody has done, until the time is up."""
    begun = time.monotonic()
    for piece in all_pieces(options.parts):
        if any((folder / f"{piece.name}.jsonl").exists() for folder in (DONE, options.folder)):
            continue
        if time.monotonic() - begun > options.seconds:
            print(f"time is up before {piece.name}")
            return
        print(f"{piece.name}: {piece.num_runs} runs", flush=True)
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
    piece = Piece(encoding="nope", part="pilot", tasks=tuple(kinds))
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
    for piece in all_pieces(options.parts):
        state = "done" if (DONE / f"{piece.name}.jsonl").exists() else "left"
        print(f"{piece.name:40} {piece.num_runs:5} runs  {state}")
    print(f"{sum(piece.num_runs for piece in all_pieces(options.parts)):,} runs")


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("pilot", "run", "list"))
    parser.add_argument("--folder", type=Path, help="where files of pieces are written")
    parser.add_argument("--parts", nargs="+", default=PARTS[:-2], choices=PARTS)
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
