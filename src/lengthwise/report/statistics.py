"""What the runs of a cell come to: how many fitted the training lengths, and of those how many generalize.

A cell is a task with an encoding. A run that did not fit says nothing about length generalization, so it counts in the
number of runs and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from statistics import median

from ..crasp.fragments import Fragment, Readout
from ..encodings.catalog import ENCODINGS
from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..errors import LengthwiseError
from ..experiment.descriptions import Description, switches_of
from ..experiment.store import Result
from ..predict.predict import predict_task
from ..tasks.core.catalog import find_packaged_task, task_files
from ..tasks.core.lengths import LengthRange, length_bins
from ..theory.claims import Answer
from ..theory.verdict import Verdict
from ..train.settings import TRAINER_REVISION

FITTED = 0.99  # the exact match on training lengths from which a run counts as fitted
GENERALIZED = 0.90  # the exact match on the longest lengths from which a fitted run counts as generalizing


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A median with its interval over seeds."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Exact match at one length, over the runs of a cell."""

    length: int
    value: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Prediction and measurement for one task and encoding."""

    task: str
    encoding: str
    verdict: Verdict
    bins: tuple[LengthRange, ...]
    num_runs: int
    num_fitted: int
    num_generalized: int
    by_bin: tuple[Interval, ...]  # over the fitted runs, or over all where none fitted
    curve: tuple[Point, ...]  # likewise
    best_last: float
    definition: str = ""
    hard: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)  # by kind and bin, over the same runs
    origins: tuple[str, ...] = ()  # the kinds of processor the runs were trained on

    @property
    def measured(self) -> Answer:
        """YES if most fitted runs generalize, NO if most do not, UNKNOWN where they are split or where none fitted."""
        if 2 * self.num_generalized == self.num_fitted:
            return Answer.UNKNOWN
        return Answer.YES if 2 * self.num_generalized > self.num_fitted else Answer.NO

    @property
    def agrees(self) -> bool | None:
        """Whether prediction and measurement agree; None where either is unknown."""
        if Answer.UNKNOWN in (self.verdict.answer, self.measured):
            return None
        return self.verdict.answer is self.measured

    @property
    def remark(self) -> str:
        """Return what to say where the two do not simply agree."""
        if not self.num_fitted:
            return "no run fitted the training lengths: no evidence"
        if self.measured is Answer.UNKNOWN:
            return "split: half of the fitted runs generalize"
        if self.agrees is None:
            return "no prediction to compare with"
        if self.agrees:
            return "agrees" if self.num_generalized in (0, self.num_fitted) else "agrees for most runs"
        if self.verdict.answer is Answer.YES:
            return f"a solution exists, but {self.num_generalized} of {self.num_fitted} runs found it"
        return "better than predicted at these lengths"


def sort_out(results: Iterable[Result]) -> tuple[list[Result], dict[str, list[Result]]]:
    """Return the results of the present revisions of task, encoding and trainer, and the others by cause; never mix them.

    A task or an encoding that is a file is present in the revision that was run last: a store never makes us open a file. Of
    the trainer, the newest revision in the store counts: results of an older one stay readable until they are made anew.
    """
    current: list[Result] = []
    others: dict[str, list[Result]] = {}
    results = list(results)
    latest: dict[tuple[str, str], int] = {}
    for result in sorted(results, key=lambda result: str(result.provenance.get("finished", ""))):
        for kind, name in (("task", result.task), ("encoding", result.encoding)):
            if _FILES[kind](name):
                latest[kind, name] = _revision(result, kind)
    present = _PRESENT | {"trainer": lambda _: trainer_revision(results)}
    causes: dict[tuple[str, str, int], str] = {}
    for result in results:
        cause = ""
        for kind, name in (("task", result.task), ("encoding", result.encoding), ("trainer", "the trainer")):
            which = (kind, name, _revision(result, kind))
            if which not in causes:
                causes[which] = _cause(*which, latest.get((kind, name)), present[kind])
            cause = cause or causes[which]
        if cause:
            others.setdefault(cause, []).append(result)
        else:
            current.append(result)
    return current, others


_FILES: dict[str, Callable[[str], Iterable[str]]] = {"task": task_files, "encoding": encoding_files}
_PRESENT: dict[str, Callable[[str], int]] = {
    "task": lambda name: find_packaged_task(name).revision,
    "encoding": lambda name: find_packaged_encoding(name).revision,
}


def _revision(result: Result, kind: str) -> int:
    revision = result.settings[f"{kind}_revision"]
    assert isinstance(revision, int)
    return revision


def trainer_revision(results: Iterable[Result]) -> int:
    """Return the newest revision of the trainer, up to the present one, that made some of these results."""
    revisions = [_revision(result, "trainer") for result in results]
    return max((revision for revision in revisions if revision <= TRAINER_REVISION), default=TRAINER_REVISION)


def _cause(kind: str, name: str, revision: int, latest: int | None, find_present: Callable[[str], int]) -> str:
    """Return why the runs of this revision do not count, or nothing; ``latest`` is the last one of what is a file."""
    if latest is not None:
        paths = " or ".join(_FILES[kind](name))
        return "" if revision == latest else f"{paths} had changed when it was run last"
    try:
        present = find_present(name)
    except LengthwiseError:
        return f"this version has no {kind} {name}"
    return "" if revision == present else f"{'an older' if revision < present else 'a newer'} revision of {name}"


def summarize(results: Iterable[Result]) -> list[Cell]:
    """Return one cell per task, encoding and setting: tasks by first appearance, encodings by their cards.

    Runs of a cell differ in seed and learning rate only. A run that was trained with and without hard sets, which came out
    the same, counts once, with its scores on them.
    """
    groups: dict[str, dict[tuple[int, float], Result]] = {}
    tasks: dict[str, int] = {}
    for result in results:
        tasks.setdefault(result.task, len(tasks))
        same = {key: value for key, value in result.settings.items() if key not in ("seed", "learning_rate", "hard")}
        group = groups.setdefault(json.dumps(same, sort_keys=True), {})
        which = (result.seed, result.learning_rate)
        if which not in group or result.settings.get("hard"):
            group[which] = result
    order = list(ENCODINGS)
    cells = [_summarize_cell(list(group.values())) for group in groups.values()]

    def place(encoding: str) -> int:
        return len(order) if encoding_files(encoding) else order.index(find_packaged_encoding(encoding).card.name)

    return sorted(cells, key=lambda cell: (tasks[cell.task], place(cell.encoding), cell.encoding))


def description_of(result: Result) -> Description:
    """Return what a run is about: what was stored with it or, from older stores, what today's version says."""
    if result.description is not None:
        return result.description
    bins = length_bins(result.settings["train_length"], result.settings["test_length"])
    if task_files(result.task):
        return Description(definition=f"the task in {result.task}", bins=bins, verdict=_NOT_STORED)
    task = find_packaged_task(result.task)
    verdict = predict_task(task, result.encoding, switches_of(result.settings))
    return Description(definition=task.definition, bins=bins, verdict=verdict)


_NOT_STORED = Verdict(
    answer=Answer.UNKNOWN,
    fragment=Fragment.PERIODIC_LOCAL,
    readout=Readout.END_MARKER,
    alphabet=(),
    theorem="open",
    certificate=None,
    reason="this store is older than stored verdicts, and a report opens no task file; run the task again to add its verdict.",
)


def processor_of(result: Result) -> str:
    """Return the kind of processor a run was trained on: equal runs come out equal, to the last bit, only on one kind."""
    hardware, vectors = (result.provenance.get(name) for name in ("hardware", "vector_instructions"))
    on_cpu = not str(result.provenance.get("device", "cpu")).startswith("cuda")
    return f"{hardware}, {vectors}" if vectors and on_cpu else str(hardware)


def _summarize_cell(results: Sequence[Result]) -> Cell:
    first = results[0]
    described = description_of(first)
    bins = described.bins
    shares = [[share_in(result, bounds) for bounds in bins] for result in results]
    fitted = [number for number, row in enumerate(shares) if row[0] is not None and row[0] >= FITTED]
    shown = fitted or range(len(results))
    return Cell(
        task=first.task,
        encoding=first.encoding,
        verdict=described.verdict,
        definition=described.definition,
        origins=tuple(sorted({processor_of(result) for result in results})),
        bins=bins,
        num_runs=len(results),
        num_fitted=len(fitted),
        num_generalized=sum((shares[number][-1] or 0.0) >= GENERALIZED for number in fitted),
        by_bin=tuple(
            interval([share for number in shown if (share := shares[number][place]) is not None])
            for place in range(len(bins))
        ),
        curve=_curve([results[number] for number in shown]),
        best_last=max(shares[number][-1] or 0.0 for number in shown),
        hard=_hard_by_bin([results[number] for number in shown], bins),
    )


def _hard_by_bin(results: Sequence[Result], bins: Sequence[LengthRange]) -> dict[str, tuple[Interval, ...]]:
    """Return, for every kind of hard set, the shares of exact matches in each bin; runs without such scores do not count."""
    kinds = dict.fromkeys(kind for result in results for kind in result.hard)
    return {
        kind: tuple(
            interval(
                [share for result in results if (share := share_of(result.hard.get(kind, ()), bounds)) is not None]
            )
            for bounds in bins
        )
        for kind in kinds
    }


def share_in(result: Result, bounds: LengthRange) -> float | None:
    """Return the share of exact matches of a run over the lengths of a bin; None where it has no instances."""
    return share_of(result.scores, bounds)


def share_of(scores: Iterable[tuple[int, int, int]], bounds: LengthRange) -> float | None:
    """Return the share of exact matches in (length, examples, matches) of the lengths of a bin; None if there are none."""
    inside = [(examples, matches) for length, examples, matches in scores if length in bounds]
    total = sum(examples for examples, _ in inside)
    return sum(matches for _, matches in inside) / total if total else None


def interval(values: Sequence[float]) -> Interval:
    """Return the median and its interval: 95 % by order statistics, or all of the range where there are too few values.

    >>> interval([0.2, 1.0, 0.9])
    Interval(median=0.9, low=0.2, high=1.0)
    """
    if not values:
        return Interval(median=float("nan"), low=float("nan"), high=float("nan"))
    ordered = sorted(values)
    cut = _order_statistic(len(ordered))
    return Interval(median=median(ordered), low=ordered[cut], high=ordered[-1 - cut])


def _order_statistic(number: int) -> int:
    """Return the largest k such that the k smallest and k largest can be left out of a 95 % interval of the median."""
    cut, tail = 0, 0.0
    while True:
        tail += comb(number, cut) / 2**number
        if tail > 0.025:
            return max(0, cut - 1) if cut else 0
        cut += 1


def _curve(results: Sequence[Result]) -> tuple[Point, ...]:
    by_length: dict[int, list[float]] = {}
    for result in results:
        for length, examples, matches in result.scores:
            by_length.setdefault(length, []).append(matches / examples)
    return tuple(Point(length=length, value=interval(values)) for length, values in sorted(by_length.items()))


def agreement(cells: Iterable[Cell]) -> tuple[int, int]:
    """Return in how many cells prediction and measurement agree, and in how many both are known."""
    known = [cell.agrees for cell in cells if cell.agrees is not None]
    return sum(known), len(known)
