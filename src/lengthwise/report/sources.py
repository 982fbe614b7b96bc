"""The works that the runs of a report rest on, and what each was used for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..citations import CITATIONS, Work, works_of
from ..encodings.core.choice import Choice, encoding_files, find_packaged_encoding
from ..experiment.descriptions import switches_of
from ..experiment.settings import flat_settings
from ..experiment.store import Result
from ..tasks.core.catalog import find_packaged_task, task_files
from ..theory.theorems import THEOREMS
from ..train.settings import PENALTY_NAMES
from .statistics import description_of

_SWITCHES = {"log_n": "arXiv 2501.19399"}
"""The source of a switch of the model, where it has one."""
_REGULARIZER = "arXiv 2410.02140"
_OWN_PENALTIES = ("relations",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Works with what each was used for, and what was used without a work to cite, each with the reason."""

    works: tuple[tuple[Work, tuple[str, ...]], ...]
    without: tuple[tuple[str, str], ...]


def sources_of(results: Sequence[Result]) -> Sources:
    """Return what to cite for these runs: lengthwise in the versions that made them, tasks, encodings and theorems."""
    versions = sorted({str(result.provenance["lengthwise"]) for result in results if "lengthwise" in result.provenance})
    program = replace(CITATIONS["lengthwise"], version=" and ".join(versions))
    works: dict[str, tuple[Work, list[str]]] = {program.key: (program, ["the program"])}
    without = []
    for used, citations in _uses(results):
        named = [work for citation in citations for work in works_of(citation)]
        for work in dict.fromkeys(named):
            reasons = works.setdefault(work.key, (work, []))[1]
            if used not in reasons:
                reasons.append(used)
        if not named:
            without.append((used, "; ".join(citations)))
    return Sources(works=tuple((work, tuple(used)) for work, used in works.values()), without=tuple(without))


def _uses(results: Sequence[Result]) -> Iterator[tuple[str, list[str]]]:
    """Yield everything that runs used, with its citations."""
    for name in dict.fromkeys(result.task for result in results):
        own = "a task file; its author knows its source"
        yield f"task {name}", [own] if task_files(name) else [find_packaged_task(name).citation]
    for name in dict.fromkeys(result.encoding for result in results):
        own = "an encoding file; its author knows its source"
        yield f"encoding {name}", [own] if encoding_files(name) else citations_of(find_packaged_encoding(name))
    for name in dict.fromkeys(description_of(result).verdict.theorem for result in results):
        if name in THEOREMS:
            yield f"theorem {name}", [THEOREMS[name].citation]
    for switch in dict.fromkeys(switch for result in results for switch in switches_of(result.settings)):
        if switch in _SWITCHES:
            yield f"switch {switch}", [_SWITCHES[switch]]
    for name in _penalties(results):
        yield f"penalty {name}", [_REGULARIZER]


def _penalties(results: Iterable[Result]) -> list[str]:
    """Return the terms of the regularizer that some run was trained with."""
    flat = [flat_settings(result.settings) for result in results]
    return [name for name in PENALTY_NAMES if name not in _OWN_PENALTIES and any(run[name] for run in flat)]


def citations_of(choice: Choice) -> list[str]:
    """Return the citations of an encoding and of those inside it."""
    return [choice.card.citation, *(citation for base in choice.bases for citation in citations_of(base))]
