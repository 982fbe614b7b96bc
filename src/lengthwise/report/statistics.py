"""What the runs of a cell come to: how many fitted the training lengths, and of those how many generalize.

A cell is a task with an encoding and one learning rate. A run that did not fit says nothing about length generalization, so it
counts in the number of runs and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from statistics import median

from ..crasp.fragments import Fragment, Readout
from ..encodings.catalog import ENCODINGS
from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..errors import LengthwiseError
from ..experiment.descriptions import Description, switches_of
from ..experiment.store import Result
from ..predict.predict import predict_task
from ..tasks.audit.results import Audit, Baseline
from ..tasks.core.catalog import find_packaged_task, task_files
from ..tasks.core.lengths import LengthRange, default_success, length_bins, multiple_of, success_bin
from ..theory.claims import Answer
from ..theory.verdict import AnyVerdict, Verdict
from ..train.settings import TRAINER_REVISION

FITTED = 0.99  # the exact match on fresh instances of the longest training lengths from which a run counts as fitted
GENERALIZED = 0.90  # the exact match where success is judged, from which a fitted run counts as generalizing
SHORTCUT = 0.05  # models that are better than a shortcut by no more than this are marked


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
class Rate:
    """A learning rate that was tried: how many of its runs fitted."""

    value: float
    num_runs: int
    num_fitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Prediction and measurement for one task and encoding.

    ``success`` is the number of the bin where success is judged. Where several learning rates were tried, the cell is that
    of the chosen one, and ``other_rates`` are the others.
    """

    task: str
    encoding: str
    verdict: AnyVerdict
    bins: tuple[LengthRange, ...]
    num_runs: int
    num_fitted: int
    num_generalized: int
    by_bin: tuple[Interval, ...]  # over the fitted runs, or over all where none fitted
    curve: tuple[Point, ...]  # likewise
    success: int
    success_at: float  # times the training length
    best: float  # of the shown runs, where success is judged
    examples: tuple[int, ...]  # instances in each bin, in the first run
    room: int | None = None  # the longest input that the encoding has positions for, where training depends on it
    learning_rate: float = 0.0
    other_rates: tuple[Rate, ...] = ()
    audit: Audit | None = None
    decoding: tuple[Interval, ...] = ()  # by bin, real decoding less teacher forcing on the same instances
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
        if self.shortcut is None or not self.num_fitted:
            return self._remark
        share = self.shortcut.shares[self.success] or 0.0
        return f"{self._remark}; shortcut: {self.shortcut.name} reaches {share:.0%}"

    @property
    def shortcut(self) -> Baseline | None:
        """The best shortcut where success is judged, if the models are hardly better; None if it is what the task asks for."""
        if self.audit is None:
            return None
        best = self.audit.best(self.success)
        share = best.shares[self.success]
        is_close = share is not None and share >= max(self.by_bin[self.success].median - SHORTCUT, SHORTCUT)
        return best if is_close and not best.inherent else None

    @property
    def _remark(self) -> str:
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

    Runs of a cell differ in their seed only. Where several learning rates were tried, the one with the larger share of fitted runs is
    chosen; among equals, the one with the better median at the longest training lengths, then the smaller. A run that was
    trained with and without hard sets, which came out the same, counts once, with its scores on them.
    """
    groups: dict[str, dict[float, dict[int, Result]]] = {}
    tasks: dict[str, int] = {}
    for result in results:
        tasks.setdefault(result.task, len(tasks))
        same = {key: value for key, value in result.settings.items() if key not in _OF_ONE_RUN}
        group = groups.setdefault(json.dumps(same, sort_keys=True), {}).setdefault(result.learning_rate, {})
        if result.seed not in group or len(result.other_scores) > len(group[result.seed].other_scores):
            group[result.seed] = result
    order = list(ENCODINGS)
    cells = [_choose_rate([list(runs.values()) for runs in group.values()]) for group in groups.values()]

    def place(encoding: str) -> int:
        return len(order) if encoding_files(encoding) else order.index(find_packaged_encoding(encoding).card.name)

    return sorted(cells, key=lambda cell: (tasks[cell.task], place(cell.encoding), cell.encoding))


_OF_ONE_RUN = ("seed", "learning_rate", "hard", "generate")


def _choose_rate(of_rates: Sequence[Sequence[Result]]) -> Cell:
    """Return the cell of the learning rate that does best at training lengths; longer ones do not count."""

    def merit(results: Sequence[Result]) -> tuple[float, float, float]:
        shares = [fit_share(result) for result in results]
        return sum(map(is_fitted, results)) / len(results), median(shares), -results[0].learning_rate

    chosen, *others = sorted(of_rates, key=merit, reverse=True)
    cell = _summarize_cell(chosen)
    rates = [
        Rate(value=results[0].learning_rate, num_runs=len(results), num_fitted=sum(map(is_fitted, results)))
        for results in others
    ]
    return replace(cell, other_rates=tuple(sorted(rates, key=lambda rate: rate.value)))


def fit_share(result: Result) -> float:
    """Return the exact match of a run at training lengths: at the longest ones, or in older stores at all of them."""
    bounds = LengthRange(low=0, high=result.settings["train_length"])
    return share_of(result.fit or result.scores, bounds) or 0.0


def is_fitted(result: Result) -> bool:
    """Return whether a run fits the training lengths."""
    return fit_share(result) >= FITTED


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
    success_at = described.success_at or default_success(bins)
    success = success_bin(bins, success_at)
    if success is None:  # somebody has changed the description
        success, success_at = len(bins) - 1, multiple_of(bins[-1], bins[0].high)
    shares = [[share_in(result, bounds) for bounds in bins] for result in results]
    fitted = [number for number, result in enumerate(results) if is_fitted(result)]
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
        num_generalized=sum((shares[number][success] or 0.0) >= GENERALIZED for number in fitted),
        by_bin=tuple(
            interval([share for number in shown if (share := shares[number][place]) is not None])
            for place in range(len(bins))
        ),
        curve=_curve([results[number] for number in shown]),
        success=success,
        success_at=success_at,
        best=max(shares[number][success] or 0.0 for number in shown),
        examples=tuple(sum(examples for length, examples, _ in first.scores if length in bounds) for bounds in bins),
        room=first.settings.get("room"),
        learning_rate=first.learning_rate,
        audit=described.audit if described.audit is not None and described.audit.bins == bins else None,
        decoding=_decoding([results[number] for number in shown], bins),
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


def _decoding(results: Sequence[Result], bins: Sequence[LengthRange]) -> tuple[Interval, ...]:
    """Return by how much real decoding differs from teacher forcing in each bin; nothing if no run was decoded."""
    decoded = [result for result in results if result.generated]
    differences = [
        [
            generated - forced
            for result in decoded
            if (generated := share_of(result.generated, bounds)) is not None
            and (forced := share_of(result.forced, bounds)) is not None
        ]
        for bounds in bins
    ]
    return tuple(map(interval, differences)) if decoded else ()


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
