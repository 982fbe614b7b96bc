"""The probes: pairs of tasks that look alike, of which a transformer can do one at every length and not the other.

A probe is a task of the catalogue, so that its right answers, its distribution and what theory says of it are those of the catalogue.
Here stand only the pairs, and the question as a person would ask it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..arrays import numpy_arrays
from ..errors import InvalidOptionError, lookup
from ..seeds import open_stream
from ..tasks.core.catalog import find_task
from ..tasks.core.special_tokens import EOS
from ..tasks.core.task import IGNORE, Task

_STREAM = "evaluation"
_READ_OFF = 2_048  # instances that show every possible answer: of 512, one of 64 answers was missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question to a model: the task, the mechanism that it needs, and the probe of equal surface beside it."""

    name: str
    task_name: str
    mechanism: str
    beside: str

    @property
    def task(self) -> Task:
        """The task of the catalogue."""
        return _find_task_once(self.task_name)


@lru_cache(maxsize=64)
def _find_task_once(name: str) -> Task:
    return find_task(name)


def _table(*probes: Probe) -> Mapping[str, Probe]:
    return {probe.name: probe for probe in probes}


PROBES: Mapping[str, Probe] = _table(
    Probe(
        name="copy_distinct",
        task_name="unique_copy(256)",
        mechanism="repeat a list in which no symbol comes twice: look for the last symbol, take what followed it",
        beside="copy_repeated",
    ),
    Probe(
        name="copy_repeated",
        task_name="repeat_copy",
        mechanism="repeat a list of two symbols: the place has to be found by position, not by content",
        beside="copy_distinct",
    ),
    Probe(
        name="induction",
        task_name="induction",
        mechanism="what followed the last symbol where it occurred before, once",
        beside="induction_latest",
    ),
    Probe(
        name="induction_latest",
        task_name="mkar",
        mechanism="what followed the last two symbols where they occurred last, of several places",
        beside="induction",
    ),
    Probe(
        name="recall_distinct",
        task_name="mqar(64)",
        mechanism="the value of a key that was written once",
        beside="recall_latest",
    ),
    Probe(
        name="recall_latest",
        task_name="mqar_forgetting",
        mechanism="the value that a key was written with last, of several times",
        beside="recall_distinct",
    ),
    Probe(
        name="majority",
        task_name="bin_majority",
        mechanism="which of two symbols occurs more often",
        beside="parity",
    ),
    Probe(
        name="parity",
        task_name="parity",
        mechanism="whether one of two symbols occurs an even number of times",
        beside="majority",
    ),
    Probe(
        name="alternation",
        task_name="accepts((ab)*)",
        mechanism="whether two symbols alternate throughout",
        beside="adjacency",
    ),
    Probe(
        name="adjacency",
        task_name="accepts([abc]*ab[abc]*)",
        mechanism="whether one symbol comes directly before another anywhere",
        beside="alternation",
    ),
    Probe(
        name="flip_flop",
        task_name="flip_flop",
        mechanism="the bit that was written last, among others to be ignored",
        beside="recall_distinct",
    ),
)
"""Every probe by name."""


def find_probe(name: str) -> Probe:
    """Return a probe by name; an unknown name raises."""
    return lookup("probe", name, PROBES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A question and its answer, in the symbols of the task; the separator stands in the question."""

    question: tuple[str, ...]
    answer: tuple[str, ...]


@lru_cache(maxsize=256)
def make_instances(probe: Probe, length: int, number: int, seed: int, part: str) -> tuple[Instance, ...]:
    """Return instances of one length, a function of the arguments alone; ``part`` keeps examples apart from questions."""
    task, xp = probe.task, numpy_arrays()
    end = task.token(EOS)
    draw = open_stream(_STREAM, seed=seed).named(f"probe {probe.name}").named(part).at(length)
    batch = task.sample(draw, xp.asarray([length] * number), length, xp)
    found = []
    for tokens, targets in zip(batch.tokens_MBL, batch.targets_MBL, strict=True):
        words = [task.vocabulary[token] for token in tokens]
        asked = [place + 1 for place, target in enumerate(targets) if target not in (IGNORE, end)]
        if asked[-1] - asked[0] >= len(asked):  # several questions: the first one is put
            asked = asked[:1]
        found.append(Instance(question=tuple(words[1 : asked[0]]), answer=tuple(words[asked[0] : asked[-1] + 1])))
    return tuple(found)


@lru_cache(maxsize=256)
def lengths_of(probe: Probe, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lengths that have instances: each wanted one, or the next shorter one that has some and is not taken."""
    found: list[int] = []
    for length in wanted:
        try:
            near = [other for other in probe.task.lengths(max(1, length - 8), length) if other not in found]
        except InvalidOptionError:  # more different symbols than there are
            continue
        if near:
            found.append(near[-1])
    return tuple(sorted(found))


@lru_cache(maxsize=64)
def answer_symbols(probe: Probe) -> tuple[str, ...]:
    """Return the symbols that answers may consist of, in the order of the task.

    Those of a task that answers with one symbol are read off many instances: a sum of probabilities over them all is then a
    choice between these alone. Other tasks may answer with any symbol of theirs.
    """
    shortest = lengths_of(probe, (12,))[0]
    seen = {symbol for each in make_instances(probe, shortest, _READ_OFF, 0, "symbols") for symbol in each.answer}
    return tuple(symbol for symbol in probe.task.symbols if symbol in seen)


@lru_cache(maxsize=64)
def is_single(probe: Probe) -> bool:
    """Return whether every answer is one symbol, so that it is a choice between ``answer_symbols``."""
    shortest = lengths_of(probe, (12,))[0]
    return all(len(each.answer) == 1 for each in make_instances(probe, shortest, 64, 0, "symbols"))
