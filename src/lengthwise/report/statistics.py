"""What the runs of a cell come to: how many fitted the training lengths, and of those how many generalize.

A cell is a task with an encoding and settings; its runs differ in their seed only. A run that did not fit says nothing about length
generalization, so it counts in the number of runs and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..crasp.fragments import Fragment, Readout
from ..encodings.catalog import ENCODINGS
from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..errors import LengthwiseError
from ..experiment.descriptions import Description, switches_of
from ..experiment.settings import ONLY_TESTS, SETTINGS, flat_settings
from ..experiment.store import Result
from ..predict.predict import predict_task
from ..tasks.audit.results import Audit, Baseline
from ..tasks.core.catalog import find_packaged_task, task_files
from ..tasks.core.lengths import LengthRange, default_success, length_bins, multiple_of, success_bin
from ..theory.claims import Answer
from ..theory.verdict import AnyVerdict, Verdict
from ..train.settings import TRAINER_REVISION
from .intervals import FEWEST_FOR_MEDIAN, Interval, SuccessRate, median_interval, success_rate
from .judging import (
    FITTED,
    GENERALIZED,
    RunOutcome,
    Standing,
    advice_on_pumped_pairs,
    explain_standing,
    judge,
    measured_answer,
)

SHORTCUT = 0.05  # models that are better than a shortcut by no more than this are marked


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Exact match at one length, over the runs of a cell."""

    length: int
    value: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Prediction and measurement for one task and encoding with the same settings.

    ``settings`` has the value of every setting by the name it has in a spec. ``success`` is the number of the bin where success is
    judged.
    """

    task: str
    encoding: str
    settings: Mapping[str, Any]
    verdict: AnyVerdict
    bins: tuple[LengthRange, ...]
    runs: tuple[RunOutcome, ...]
    rate: SuccessRate | None  # of the fitted runs; None where none fitted
    by_bin: tuple[Interval, ...]  # over the fitted runs, or over all where none fitted
    curve: tuple[Point, ...]  # likewise
    success: int
    success_at: float  # times the training length
    examples: tuple[int, ...]  # instances in each bin, in the first run
    audit: Audit | None = None
    decoding: tuple[Interval, ...] = ()  # by bin, real decoding less teacher forcing on the same instances
    decoded: tuple[int, ...] = ()  # by bin, the instances of a run that were decoded
    definition: str = ""
    hard: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)  # by kind and bin, over the same runs
    origins: tuple[str, ...] = ()  # the kinds of processor the runs were trained on

    @property
    def fitted(self) -> tuple[RunOutcome, ...]:
        """The runs that fit the training lengths."""
        return tuple(run for run in self.runs if run.fitted)

    @property
    def shown(self) -> tuple[RunOutcome, ...]:
        """The runs that medians are over: those that fit or, where none does, all."""
        return self.fitted or self.runs

    @property
    def has_ranges(self) -> bool:
        """Whether medians come with the range of their runs, because these are too few for a 95 % interval."""
        return len(self.shown) < FEWEST_FOR_MEDIAN

    @property
    def num_runs(self) -> int:
        """How many runs there are."""
        return len(self.runs)

    @property
    def num_fitted(self) -> int:
        """How many runs fit the training lengths."""
        return len(self.fitted)

    @property
    def num_generalized(self) -> int:
        """How many of the fitted runs generalize."""
        return sum(run.generalizes for run in self.runs)

    @property
    def best(self) -> float:
        """The exact match of the best of the shown runs, where success is judged."""
        return max(run.by_bin[self.success] or 0.0 for run in self.shown)

    @property
    def room(self) -> int | None:
        """The longest input that the encoding has positions for, where training depends on it."""
        room = self.settings["room"]
        assert room is None or isinstance(room, int)
        return room

    @property
    def measured(self) -> Answer:
        """YES if at least 90 % of the fitted runs generalize, NO if at most 10 % do, UNKNOWN between or where fewer than three fitted."""
        return measured_answer(self.rate)

    @property
    def challengers(self) -> tuple[RunOutcome, ...]:
        """The runs that challenge a NO: they are right at the longest lengths, and on longer hard instances, pumped pairs among them."""
        return tuple(run for run in self._candidates if not run.lacks_pumped_pairs)

    @property
    def may_challenge(self) -> tuple[RunOutcome, ...]:
        """The runs that would challenge a NO if they had been right on pumped pairs longer than the training lengths, too."""
        return tuple(run for run in self._candidates if run.lacks_pumped_pairs)

    @property
    def _candidates(self) -> tuple[RunOutcome, ...]:
        """The runs that speak against a NO, as far as they were tested."""
        return tuple(
            run
            for run in self.runs
            if self.verdict.answer is Answer.NO
            and run.generalizes
            and run.is_right_at_the_end
            and not run.fails_hard_instances
        )

    @property
    def standing(self) -> Standing:
        """How prediction and measurement stand to each other."""
        return judge(self.verdict.answer, self.rate, challenged=bool(self.challengers))

    @property
    def agrees(self) -> bool | None:
        """Whether prediction and measurement agree; None where the runs decide nothing or nothing is predicted."""
        known = {Standing.AGREES: True, Standing.DIFFERS: False, Standing.CHALLENGED: False}
        return known.get(self.standing)

    @property
    def remark(self) -> str:
        """What the standing means, whether a run may challenge the prediction, and a shortcut that does as well."""
        said = explain_standing(self.standing, self.verdict.answer, self.rate)
        if self.may_challenge and not self.challengers:
            said += f"; may challenge the NO: {advice_on_pumped_pairs(self.may_challenge[0])}"
        if self.shortcut is None or not self.fitted:
            return said
        share = self.shortcut.shares[self.success] or 0.0
        return f"{said}; shortcut: {self.shortcut.name} reaches {share:.0%}"

    @property
    def shortcut(self) -> Baseline | None:
        """The best shortcut where success is judged, if the models are hardly better; None if it is what the task asks for."""
        if self.audit is None:
            return None
        best = self.audit.best(self.success)
        share = best.shares[self.success]
        is_close = share is not None and share >= max(self.by_bin[self.success].median - SHORTCUT, SHORTCUT)
        return best if is_close and not best.inherent else None


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
    """Return one cell per task, encoding and settings. Cells whose NO is challenged come first.

    Then tasks by first appearance, encodings by their cards, and settings by value. Runs of a cell differ in their seed only. A run that
    was trained with and without hard sets, which came out the same, counts once, with its scores on them.
    """
    groups: dict[str, dict[int, Result]] = {}
    tasks: dict[str, int] = {}
    for result in results:
        tasks.setdefault(result.task, len(tasks))
        same = {key: value for key, value in result.settings.items() if key not in _OF_ONE_RUN}
        group = groups.setdefault(json.dumps(same, sort_keys=True), {})
        if result.seed not in group or len(result.other_scores) > len(group[result.seed].other_scores):
            group[result.seed] = result
    order = list(ENCODINGS)
    cells = [_summarize_cell(sorted(group.values(), key=lambda result: result.seed)) for group in groups.values()]

    def place(encoding: str) -> int:
        return len(order) if encoding_files(encoding) else order.index(find_packaged_encoding(encoding).card.name)

    return sorted(
        cells,
        key=lambda cell: (
            not cell.challengers,
            tasks[cell.task],
            place(cell.encoding),
            cell.encoding,
            [_rank(cell.settings[name]) for name in SETTINGS],
        ),
    )


_OF_ONE_RUN = ("seed", *ONLY_TESTS)


def _rank(value: Any) -> list[float]:
    """Return numbers by which values of a setting are sorted: none before any, lists by their elements."""
    return [float(each) for each in value] if isinstance(value, (list, tuple)) else [] if value is None else [value]


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
    shown = [result for result in results if is_fitted(result)] or results
    runs = tuple(_outcome(result, bins, success) for result in results)
    num_fitted = sum(run.fitted for run in runs)
    return Cell(
        task=first.task,
        encoding=first.encoding,
        settings=flat_settings(first.settings),
        verdict=described.verdict,
        definition=described.definition,
        origins=tuple(sorted({processor_of(result) for result in results})),
        bins=bins,
        runs=runs,
        rate=success_rate(sum(run.generalizes for run in runs), num_fitted) if num_fitted else None,
        by_bin=tuple(_over_runs(share_in(result, bounds) for result in shown) for bounds in bins),
        curve=_curve(shown),
        success=success,
        success_at=success_at,
        examples=tuple(_num_in(first.scores, bounds) for bounds in bins),
        audit=_audit_of(first.task, described.audit) if described.audit and described.audit.bins == bins else None,
        decoding=_decoding(shown, bins),
        decoded=_num_decoded(shown, bins),
        hard=_hard_by_bin(shown, bins),
    )


def _audit_of(task: str, audit: Audit) -> Audit:
    """Return a stored audit with the rules marked that the task is known to ask for: older versions did not store that."""
    known = () if task_files(task) else find_packaged_task(task).decided_by
    marked = (replace(rule, inherent=rule.inherent or rule.name in known) for rule in audit.shortcuts)
    return replace(audit, shortcuts=tuple(marked))


def _outcome(result: Result, bins: Sequence[LengthRange], success: int) -> RunOutcome:
    fitted = is_fitted(result)
    by_bin = tuple(share_in(result, bounds) for bounds in bins)
    return RunOutcome(
        id=result.id,
        seed=result.seed,
        fitted=fitted,
        generalizes=fitted and (by_bin[success] or 0.0) >= GENERALIZED,
        by_bin=by_bin,
        curve=tuple(sorted((length, matches / examples) for length, examples, matches in result.scores)),
        hard={kind: tuple(share_of(scores, bounds) for bounds in bins) for kind, scores in result.hard.items()},
    )


def _over_runs(shares: Iterable[float | None]) -> Interval:
    """Return the median over the runs that have instances, with its interval."""
    return median_interval([share for share in shares if share is not None])


def _hard_by_bin(results: Sequence[Result], bins: Sequence[LengthRange]) -> dict[str, tuple[Interval, ...]]:
    """Return, for every kind of hard set, the shares of exact matches in each bin; runs without such scores do not count."""
    kinds = dict.fromkeys(kind for result in results for kind in result.hard)
    return {
        kind: tuple(_over_runs(share_of(result.hard.get(kind, ()), bounds) for result in results) for bounds in bins)
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
    return tuple(map(median_interval, differences)) if decoded else ()


def _num_decoded(results: Sequence[Result], bins: Sequence[LengthRange]) -> tuple[int, ...]:
    """Return how many instances of each bin the first run decoded that decoded any; nothing if none did."""
    generated = next((result.generated for result in results if result.generated), ())
    return tuple(_num_in(generated, bounds) for bounds in bins) if generated else ()


def _num_in(scores: Iterable[tuple[int, int, int]], bounds: LengthRange) -> int:
    return sum(examples for length, examples, _ in scores if length in bounds)


def share_in(result: Result, bounds: LengthRange) -> float | None:
    """Return the share of exact matches of a run over the lengths of a bin; None where it has no instances."""
    return share_of(result.scores, bounds)


def share_of(scores: Iterable[tuple[int, int, int]], bounds: LengthRange) -> float | None:
    """Return the share of exact matches in (length, examples, matches) of the lengths of a bin; None if there are none."""
    inside = [(examples, matches) for length, examples, matches in scores if length in bounds]
    total = sum(examples for examples, _ in inside)
    return sum(matches for _, matches in inside) / total if total else None


def _curve(results: Sequence[Result]) -> tuple[Point, ...]:
    by_length: dict[int, list[float]] = {}
    for result in results:
        for length, examples, matches in result.scores:
            by_length.setdefault(length, []).append(matches / examples)
    return tuple(Point(length=length, value=median_interval(values)) for length, values in sorted(by_length.items()))
