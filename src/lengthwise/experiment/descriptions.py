"""What a cell is about, written down before its runs are trained: the task's definition, the verdict, the bins, where success
is judged, and what shortcuts reach.

A store keeps these beside its runs, so that a report needs neither the task's code nor its files, and so that a prediction
is older than the measurement it stands beside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from ..crasp.fragments import Fragment, Readout
from ..model.shape import SWITCHES
from ..predict.layers import predict_for_model
from ..tasks.audit.results import Audit
from ..tasks.core.catalog import find_task
from ..tasks.core.lengths import MOST_LENGTH, LengthRange, default_success
from ..tasks.core.task import Task
from ..theory.claims import Answer, Asked
from ..theory.precision.logics import Logic
from ..theory.verdict import AnyVerdict
from .plan import Run

_FEW_AUDITS = 12  # a quarter of a second each
_MOST_TEXT = 100_000  # characters of a definition or a reason that is read from a store


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A task with an encoding, as it stood when its runs were made; the verdict comes without its certificate.

    ``success_at`` is the multiple of the training length at which success is judged. Descriptions of older versions have none,
    nor an audit.
    """

    definition: str
    verdict: AnyVerdict
    bins: tuple[LengthRange, ...]
    success_at: float | None = None
    audit: Audit | None = None


def cell_key(settings: Mapping[str, Any]) -> str:
    """Return a hash of those settings of a run that its description depends on."""
    told = [
        settings[name]
        for name in ("task", "task_revision", "encoding", "encoding_revision", "train_length", "test_length")
    ]
    return sha256(json.dumps([*told, switches_of(settings)]).encode()).hexdigest()[:16]


def switches_of(settings: Mapping[str, Any]) -> list[str]:
    """Return the switches of the model that are on."""
    return [name for name in SWITCHES if settings["model"].get(name)]


def describe_cells(runs: Iterable[Run]) -> dict[str, Description]:
    """Return the description of every cell that has one of these runs, by its key; verdicts are predicted here and now."""
    first_runs: dict[str, Run] = {}
    for run in runs:
        first_runs.setdefault(cell_key(run.settings), run)
    described = {}
    for key, run in first_runs.items():
        task = find_task(run.task)
        verdict = predict_for_model(task, run.encoding, switches_of(run.settings), run.model.layers)
        described[key] = Description(
            definition=task.definition,
            verdict=verdict,
            bins=run.bins,
            success_at=run.success_at or default_success(run.bins),
        )
    return described


def add_audits(
    described: Mapping[str, Description],
    runs: Iterable[Run],
    known: Mapping[str, Description],
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Description]:
    """Return the descriptions with the audits of their tasks: known ones, or made now, which is told if there are many."""
    tasks = {cell_key(run.settings): run.task for run in runs}
    audits: dict[tuple[str, tuple[LengthRange, ...]], Audit] = {}
    for key, description in known.items():
        if key in tasks and description.audit is not None:
            audits[tasks[key], description.bins] = description.audit
    wanted = dict.fromkeys((tasks[key], description.bins) for key, description in described.items())
    missing = [which for which in wanted if which not in audits]
    if len(missing) > _FEW_AUDITS:
        tell(f"looking for shortcuts in {len(missing)} tasks, about {len(missing) / 4:.0f} s.")
    for which in missing:
        audits[which] = _best_rules(_audit(find_task(which[0]), which[1]))
    return {
        key: replace(description, audit=audits[tasks[key], description.bins]) for key, description in described.items()
    }


def _audit(task: Task, bins: tuple[LengthRange, ...]) -> Audit:
    """Return the audit of a task, on fewer instances if they are made one by one."""
    from ..tasks.audit.shortcuts import audit_shortcuts

    if task.host_only:
        return audit_shortcuts(task, bins, train_examples=500, examples=200)
    return audit_shortcuts(task, bins)


def _best_rules(audit: Audit) -> Audit:
    """Return an audit with those rules alone that are best in some bin: there are a hundred others."""
    best = dict.fromkeys(audit.best(number) for number in range(len(audit.bins)))
    return replace(audit, shortcuts=tuple(rule for rule in best if rule != audit.chance))


def description_to_json(description: Description) -> dict[str, Any]:
    """Return a description as JSON data."""
    verdict = description.verdict
    return {
        "definition": description.definition,
        "bins": [[bounds.low, bounds.high] for bounds in description.bins],
        "verdict": {
            "answer": str(verdict.answer),
            "fragment": str(verdict.fragment),
            "readout": str(verdict.readout),
            "asked": str(verdict.asked),
            "alphabet": list(verdict.alphabet),
            "theorem": verdict.theorem,
            "reason": verdict.reason,
            "assumption": verdict.assumption,
        },
        **({} if description.success_at is None else {"success_at": description.success_at}),
        **({} if description.audit is None else {"audit": description.audit.to_json()}),
    }


def description_from_json(data: Any) -> Description:
    """Return the description in JSON data; raise ValueError if it is none."""
    told = _typed(data, "a description", dict, ("definition", "bins", "verdict"))
    verdict = _typed(
        told["verdict"],
        "its verdict",
        dict,
        ("answer", "fragment", "readout", "asked", "alphabet", "theorem", "reason"),
    )
    bins = []
    for bounds in _typed(told["bins"], "its bins", list):
        if not (
            isinstance(bounds, list) and [type(end) for end in bounds] == [int, int] and 0 <= bounds[0] <= bounds[1]
        ):
            raise ValueError(f"its bins must be pairs of lengths; found {bounds!r}")
        bins.append(LengthRange(low=bounds[0], high=bounds[1]))
    success_at, audit = told.get("success_at"), told.get("audit")
    if success_at is not None and (type(success_at) not in (int, float) or not 1 <= success_at <= MOST_LENGTH):
        raise ValueError(f"its success_at must be a number from 1 on; found {success_at!r}")
    return Description(
        success_at=success_at,
        audit=None if audit is None else Audit.from_json(audit),
        definition=_text(told, "definition"),
        bins=tuple(bins),
        verdict=AnyVerdict(
            answer=Answer(_text(verdict, "answer")),
            fragment=_problem_class(_text(verdict, "fragment")),
            readout=Readout(_text(verdict, "readout")),
            asked=Asked(_text(verdict, "asked")),
            alphabet=tuple(
                _text({"a symbol": symbol}, "a symbol") for symbol in _typed(verdict["alphabet"], "its alphabet", list)
            ),
            theorem=_text(verdict, "theorem"),
            certificate=None,
            reason=_text(verdict, "reason"),
            assumption=_text(verdict, "assumption") if "assumption" in verdict else "",
        ),
    )


def _problem_class(name: str) -> Fragment | Logic:
    return Fragment(name) if name in Fragment.__members__ else Logic(name)


def _typed(value: Any, name: str, kind: type[Any], keys: tuple[str, ...] = ()) -> Any:
    if not isinstance(value, kind) or any(key not in value for key in keys):
        raise ValueError(f"{name} must be a {kind.__name__}{' with ' + ', '.join(keys) if keys else ''}")
    return value


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table[key]
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise ValueError(f"its {key} must be a text of at most {_MOST_TEXT} characters")
    return value
