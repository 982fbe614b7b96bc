"""The pieces of the atlas: which tasks are trained with which encodings and settings, and about how long that takes.

A piece is one encoding and one part of the grid:

- ``fit`` and ``test``: the languages of that split (``atlas_sample.py``), asked for next symbols; ``fit_membership`` and
  ``test_membership`` the half of them that is also asked for membership;
- ``tasks``: tasks of the catalogue;
- ``short``: the languages that nothing here can express, with shorter training lengths, since more of them fit there;
- ``reference``: 30 languages of the fit split and 10 tasks, also for all other encodings;
- ``transfer_…``: 30 languages of the test split, with larger models or other training lengths;
- ``design`` and ``design_test``: the languages of both splits with encodings that are made of what theory proves.

Tasks are tested up to ten times the training length, or up to three times where they have no instances beyond. Encodings with a
table of positions, or with random ones, are made for the longest tested length. Tasks that an encoding cannot take are left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from lengthwise.encodings.catalog import ENCODINGS as CARDS
from lengthwise.errors import LengthwiseError
from lengthwise.experiment.grid import Grid
from lengthwise.experiment.plan import Run, join_groups, make_groups
from lengthwise.experiment.sizing import is_worth_compiling, seconds_per_step_on_gpu
from lengthwise.experiment.spec import Spec
from lengthwise.tasks.core.catalog import find_task

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "atlas" / "sample.json"
DONE = HERE / "atlas" / "runs"
ENCODINGS = (
    *("nope", "ape", "rope", "alibi", "t5", "sinusoidal"),
    *("kerple_log", "fire", "cope", "fox", "stick_breaking", "path"),
)
TRANSFER: dict[str, dict[str, Any]] = {
    "transfer_wide": {"layers": 4, "width": 128},
    "transfer_50": {"train_length": 50},
    "transfer_100": {"train_length": 100},
}
"""Settings in which some test languages are trained again, to see whether the chance holds there."""
TRANSFER_ENCODINGS = ENCODINGS[:4]
TRANSFER_LANGUAGES = 30
DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "nope_shift": ("nope", {"token_shift": True}),
    "periodic_shift": ("periodic", {"token_shift": True}),
    "counters_shift": ("counters", {"token_shift": True}),
    "periodic_shift_deep": ("periodic", {"token_shift": True, "layers": 4}),
    "nope_deep": ("nope", {"layers": 4}),
    "ape_deep": ("ape", {"layers": 4}),
}
"""Encodings with what a model needs beside them: windows, periods, counts with both, and layers; with usual encodings that have
as many layers. They are chosen among on ``design``, and judged on ``design_test``; the predictor does not see them."""
DESIGN_PARTS = ("design", "design_test")
PARTS = (
    "fit",
    "design",
    "short",
    "fit_membership",
    "tasks",
    "reference",
    "test",
    "test_membership",
    "design_test",
    *TRANSFER,
)
SEEDS = 6
TRAIN_LENGTH = 25
MULTIPLES = (10, 3)  # tested lengths, in training lengths: the first that a task has instances for
_SECONDS_TO_COMPILE, _SECONDS_TO_RECORD = 30.0, 5.0  # of a stack, with scoring its models
PRESET: dict[str, Any] = {
    "layers": 2,
    "heads": 4,
    "width": 32,
    "learning_rate": 0.001,
    "steps": 4000,
    "examples": 200,
}
PILOT: dict[str, Any] = {
    "encodings": ["nope", "ape", "rope", "alibi"],
    "learning_rate": [0.001, 0.003],
    "layers": [2, 4],
    "width": [32],
    "steps": 4000,
    "examples": 200,
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
SHORT_LENGTHS = (6, 12)
MOST_TOKENS = 800  # of an instance at the longest tested length


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some tasks with one encoding."""

    encoding: str
    part: str
    tasks: tuple[str, ...]
    train_lengths: tuple[int, ...] = (TRAIN_LENGTH,)
    design: str = ""  # the name of one of ``DESIGNS``, whose encoding this is

    @property
    def name(self) -> str:
        """The piece in the name of its file."""
        return f"{self.part}_{self.design or self.encoding}"

    @property
    def num_runs(self) -> int:
        """The number of models to train."""
        return len(self.tasks) * len(self.train_lengths) * SEEDS

    def specs(self, settings: dict[str, Any]) -> list[Spec]:
        """Return what the piece trains, each task to the longest length that it is tested at."""
        other = {name: value for name, value in TRANSFER.get(self.part, {}).items() if name != "train_length"}
        switches = DESIGNS[self.design][1] if self.design else {}
        settings = {"seeds": SEEDS} | settings | other | switches
        found = [
            spec_of(task, self.encoding, length, tuple(sorted(settings.items())))
            for length in self.train_lengths
            for task in self.tasks
        ]
        return [spec for spec in found if spec is not None]


@cache
def spec_of(task: str, encoding: str, train_length: int, settings: tuple[tuple[str, Any], ...]) -> Spec | None:
    """Return what trains a task with an encoding, tested as far as both go; None where they do not go together."""
    for multiple in MULTIPLES:
        longest = multiple * train_length
        given = {"tasks": [task], "encodings": [encoding], "train_length": train_length, "test_length": longest}
        (spec,) = Grid(settings=given | {"room": longest, "hard": True} | dict(settings)).specs()
        try:
            make_groups(spec)
        except LengthwiseError:
            continue
        if find_task(task).size(longest) <= MOST_TOKENS or multiple == MULTIPLES[-1]:
            return spec
    return None


def minutes_at_most(specs: Sequence[Spec]) -> float:
    """Return about how many minutes of one H200 the specs take if no run stops early, one stack after the other."""
    stacks = join_groups([group for spec in specs for group in make_groups(spec)])
    return sum(map(_seconds_at_most, stacks)) / 60


def _seconds_at_most(stack: Sequence[Run]) -> float:
    first, number = stack[0], len(stack)
    begin = _SECONDS_TO_COMPILE if is_worth_compiling(first, number)[0] else _SECONDS_TO_RECORD
    return begin + first.training.steps * seconds_per_step_on_gpu(first, number)


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
    parts["reference"] = (*by_turns(rows, "fit")[:30], *REFERENCE_TASKS)
    parts |= {"design": parts["fit"], "design_test": parts["test"]}
    return parts | dict.fromkeys(TRANSFER, tuple(by_turns(rows, "test")[:TRANSFER_LANGUAGES]))


def by_turns(rows: Sequence[dict[str, Any]], split: str) -> list[str]:
    """Return the languages of a split, one of each kind after the other."""
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        if row["split"] == split:
            by_kind.setdefault(row["kind"], []).append(row["language"])
    return [language for turn in zip_longest(*by_kind.values()) for language in turn if language is not None]


def all_pieces(parts: Sequence[str]) -> list[Piece]:
    """Return the pieces of some parts, for every encoding that they are trained with."""
    tasks = tasks_of_parts()
    others = tuple(name for name in CARDS if name not in ENCODINGS)
    encodings = {"reference": others} | dict.fromkeys(TRANSFER, TRANSFER_ENCODINGS)
    designs = [
        Piece(encoding=encoding, part=part, tasks=tasks[part], design=name)
        for part in parts
        if part in DESIGN_PARTS
        for name, (encoding, _) in DESIGNS.items()
    ]
    others_of_parts = [
        Piece(
            encoding=encoding,
            part=part,
            tasks=tasks[part],
            train_lengths=SHORT_LENGTHS
            if part == "short"
            else (TRANSFER.get(part, {}).get("train_length", TRAIN_LENGTH),),
        )
        for part in parts
        if part not in DESIGN_PARTS
        for encoding in encodings.get(part, ENCODINGS)
    ]
    return sorted(others_of_parts + designs, key=lambda piece: PARTS.index(piece.part))
