"""The atlas: what training finds, for many languages and encodings, trained in pieces that can be done one after the other.

    python benchmarks/atlas.py list                                                  pieces, done and left, with runs and GPU minutes
    python benchmarks/atlas.py pilot --device cuda --seconds 480 --folder FOLDER     the pilot languages, for several presets
    python benchmarks/atlas.py run --device cuda --seconds 480 --folder FOLDER       the next pieces of the grid
    python benchmarks/atlas.py run --rehearse --folder FOLDER                        tiny, on a CPU

``atlas_pieces.py`` says what a piece is. Its file in FOLDER appears when all of its runs are done; moved to benchmarks/atlas/runs and
committed, it is never trained again. After ``--seconds`` training stops wherever it is. Finished runs and checkpoints of the unfinished
piece stay in FOLDER, and the same command goes on with them. The test parts are left out unless ``--parts`` names them, and
refused before predictions for them are frozen (``atlas_fit.py``). From a source tree, set PYTHONPATH=src.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from atlas_frozen import FROZEN, TEST_PARTS, sha_of
from atlas_pieces import (
    DONE,
    MULTIPLES,
    PARTS,
    PILOT,
    PRESET,
    TRAIN_LENGTH,
    Piece,
    all_pieces,
    minutes_at_most,
    read_sample,
)

from lengthwise.experiment.grid import Grid
from lengthwise.experiment.models import load_model, model_path, models_folder
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, read_store
from lengthwise.files import write_text
from lengthwise.report.statistics import fit_share, is_fitted, share_of
from lengthwise.tasks.core.catalog import find_task
from lengthwise.tasks.core.lengths import LengthRange, length_bins
from lengthwise.tasks.languages.regular import NextSymbols
from lengthwise.train.signals import signals_of

STORE = "pieces.sqlite"
"""The store of all unfinished pieces in a folder: one, so that nothing is lost when others are trained side by side next time."""


def compact(result: Result, signals: Mapping[str, float | str] | None = None) -> dict[str, Any]:
    """Return what is kept of a run: exact match at training lengths, in each bin, and on hard sets by kind and bin.

    ``signals`` are what its model shows without labels, if that was looked at.
    """
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
    } | ({"signals": dict(signals)} if signals else {})


def signals_of_runs(results: Sequence[Result], store: Path) -> dict[str, dict[str, float | str]]:
    """Return what the kept models of fitted runs show without labels, where legal next symbols are asked for."""
    wanted = [
        (str(model_path(models_folder(store), result.id)), result.settings["train_length"])
        for result in results
        if is_fitted(result) and type(find_task(result.task)) is NextSymbols
    ]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return dict(pool.map(_signals_of_file, wanted, chunksize=8))


def _signals_of_file(wanted: tuple[str, int]) -> tuple[str, dict[str, float | str]]:
    import torch

    torch.set_num_threads(1)
    path, train_length = wanted
    model, run, task = load_model(path)
    assert isinstance(task, NextSymbols)
    return run.id, signals_of(model, task, train_length)[0].to_json()


def _rounded(scores: Any, bounds: LengthRange) -> float | None:
    share = share_of(scores, bounds)
    return None if share is None else round(share, 4)


class TimeIsUpError(KeyboardInterrupt):
    """The seconds of a command are over: training stops as it does after Ctrl-C, and loses no finished run."""


@contextmanager
def stopping_after(seconds: float) -> Iterator[None]:
    """Interrupt what runs inside after so many seconds."""

    def stop(_number: int, _frame: object) -> None:
        raise TimeIsUpError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def train(specs: Sequence[Spec], options: argparse.Namespace, store: Path, *, keep: bool = False) -> list[Result]:
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

    outcome = run_experiment(specs, store, device=options.device, workers=options.workers, keep=keep, on_event=note)
    seconds = time.monotonic() - begun
    steps = sum(result.steps for result in outcome.results)
    fitted = sum(map(is_fitted, outcome.results))
    print(
        f"  {len(outcome.results)} runs, {fitted} fitted, {steps:,} steps in {seconds:.0f} s: {steps / seconds:,.0f} model·steps/s",
        flush=True,
    )
    return list(outcome.results)


def write_piece(
    piece: Piece,
    results: Sequence[Result],
    seconds: float,
    folder: Path,
    signals: Mapping[str, Mapping[str, float | str]] = MappingProxyType({}),
) -> None:
    """Write the file of a piece, whose existence means that it is done; of a test piece, with what was predicted before."""
    first = results[0]
    rows = sorted(
        (compact(result, signals.get(result.id)) for result in results),
        key=lambda row: (row["task"], row["train_length"], row["seed"]),
    )
    own = ("task", "seed", "task_revision", "train_length", "test_length", "room")
    shared = {key: value for key, value in first.settings.items() if key not in own}
    finished = min(str(result.provenance["finished"]) for result in results)
    head = {
        "piece": piece.name,
        "seconds": round(seconds, 1),
        "settings": shared,
        "provenance": dict(first.provenance) | {"finished": finished},
    }
    if piece.part in TEST_PARTS:
        head["frozen"] = sha_of(FROZEN)
    lines = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in [head, *rows])
    write_text(folder / f"{piece.name}.jsonl", lines + "\n")


def chosen_pieces(options: argparse.Namespace) -> list[Piece]:
    """Return the pieces of the parts and encodings that are asked for."""
    wanted = options.encodings
    return [piece for piece in all_pieces(options.parts) if wanted is None or piece.encoding in wanted]


def run_pieces(options: argparse.Namespace) -> None:
    """Train pieces that nobody has done, until the time is up."""
    if set(options.parts) & set(TEST_PARTS) and not FROZEN.exists():
        sys.exit("the test third is trained after its predictions are frozen: python benchmarks/atlas_fit.py --freeze")
    pieces = [
        piece
        for piece in chosen_pieces(options)
        if not any((folder / f"{piece.name}.jsonl").exists() for folder in (DONE, options.folder))
    ]
    wanted = pieces[: options.pieces]
    for start in range(0, len(wanted), options.together):
        run_together(wanted[start : start + options.together], options)
    for file in options.folder.glob(f"{STORE}*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    print("all pieces are done" if len(pieces) <= (options.pieces or len(pieces)) else "so many pieces are done")


def run_together(pieces: Sequence[Piece], options: argparse.Namespace) -> None:
    """Train some pieces side by side, so that one is compiled while another is trained, and write the file of each."""
    specs = {piece.name: piece.specs(options.settings) for piece in pieces}
    everything = [spec for own in specs.values() for spec in own]
    print(f"{', '.join(specs)}: {_told(everything)}", flush=True)
    store = options.folder / STORE
    begun = time.monotonic()
    results = {result.id: result for result in train(everything, options, store, keep=True)}
    seconds = time.monotonic() - begun
    signals = signals_of_runs(list(results.values()), store)
    print(f"  signals of {len(signals)} models in {time.monotonic() - begun - seconds:.0f} s", flush=True)
    for piece in pieces:
        own = [results[run.id] for run in make_runs(specs[piece.name]) if run.id in results]
        write_piece(piece, own, seconds * len(own) / len(results), options.folder, signals)
    for run_id in results:
        model_path(models_folder(store), run_id).unlink(missing_ok=True)


def _told(specs: Sequence[Spec]) -> str:
    """Say how much there is to train."""
    runs = sum(spec.num_runs for spec in specs)
    return f"{runs:,} runs, at most {minutes_at_most(specs):.1f} GPU minutes if no run stops early"


def pilot_specs(options: argparse.Namespace) -> list[Spec]:
    """Return what the pilot trains."""
    own = options.pilot | ({"encodings": options.encodings} if options.encodings else {})
    languages = tuple(row["language"] for row in read_sample() if row["split"] == "pilot")
    given = {"tasks": list(languages), "train_length": TRAIN_LENGTH, "test_length": MULTIPLES[0] * TRAIN_LENGTH}
    specs = Grid(settings=given | {"room": MULTIPLES[0] * TRAIN_LENGTH, "hard": True} | own).specs()
    return list(specs)


def run_pilot(options: argparse.Namespace) -> None:
    """Train the pilot languages with every preset, and print how many runs of each kind fit and generalize."""
    specs = pilot_specs(options)
    print(f"pilot: {_told(specs)}", flush=True)
    store = options.folder / "pilot.sqlite"
    try:
        train(specs, options, store)
    finally:
        if store.exists():
            with read_store(store) as opened:
                print_pilot(opened.results())


def print_pilot(results: Sequence[Result]) -> None:
    """Print how many runs of each kind fit and generalize, for every preset."""
    kinds = {row["language"]: row["kind"] for row in read_sample()}
    bounds = length_bins(TRAIN_LENGTH, MULTIPLES[0] * TRAIN_LENGTH)[2]
    table: dict[tuple[Any, ...], list[tuple[str, bool, bool]]] = {}
    for result in results:
        model = result.settings["model"]
        key = (model["layers"], model["width"], result.learning_rate, result.encoding)
        generalizes = (share_of(result.scores, bounds) or 0.0) >= 0.9
        table.setdefault(key, []).append((kinds[result.task], is_fitted(result), generalizes))
    print(
        f"{len(results)} runs; layers width rate encoding: fitted of all runs; of those, at least 90 % at 3×, by kind"
    )
    for key, runs in sorted(table.items()):
        by_kind = []
        for kind in dict.fromkeys(kinds.values()):
            fitted = [generalizes for own, fits, generalizes in runs if own == kind and fits]
            by_kind.append(f"{kind} {sum(fitted)}/{len(fitted)}")
        print(*key, f"{sum(fits for _, fits, _ in runs)}/{len(runs)};", ", ".join(by_kind))


def list_pieces(options: argparse.Namespace) -> None:
    """Print all pieces with their runs and minutes, and the sums of each part."""
    totals: dict[str, list[float]] = {}
    for piece in chosen_pieces(options):
        specs = piece.specs(options.settings)
        runs, minutes = sum(spec.num_runs for spec in specs), minutes_at_most(specs)
        is_done = (DONE / f"{piece.name}.jsonl").exists()
        print(f"{piece.name:40} {runs:5} runs  {minutes:5.1f} GPU minutes at most  {'done' if is_done else 'left'}")
        total = totals.setdefault(piece.part, [0, 0.0, 0.0])
        for place, value in enumerate((runs, minutes, 0.0 if is_done else minutes)):
            total[place] += value
    totals["all"] = [sum(values) for values in zip(*totals.values(), strict=True)]
    for part, (number, most, left) in totals.items():
        print(f"{part}: {number:,.0f} runs, {most:.0f} GPU minutes at most, of which {left:.0f} are left")


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("pilot", "run", "list"))
    parser.add_argument("--folder", type=Path, help="where files of pieces, and what is unfinished, are written")
    parser.add_argument("--parts", nargs="+", default=PARTS[: -len(TEST_PARTS)], choices=PARTS)
    parser.add_argument("--encodings", nargs="+", help="only these (default: all of each part)")
    parser.add_argument("--pieces", type=int, help="most pieces to train (default: as many as the time allows)")
    parser.add_argument("--together", type=int, default=1, help="pieces to train side by side; 4 keep a large GPU busy")
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--rehearse", action="store_true")
    options = parser.parse_args()
    if options.together < 1:
        parser.error(f"--together must be 1 or more; found {options.together}")
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
    try:
        with stopping_after(options.seconds):
            {"pilot": run_pilot, "run": run_pieces}[options.action](options)
    except TimeIsUpError:
        print("time is up; the same command goes on from here")


if __name__ == "__main__":
    main()
