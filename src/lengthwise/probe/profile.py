"""The profile of a model: for every probe, whether it does it on short inputs, and the length at which it breaks.

Claims are made with confidence: a probe is *done* on short inputs if at least 90 % of the shortest are right, and *breaks* at the
first length at which the 95 % interval of the success rate lies below 90 %. What is not done on short inputs cannot break.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from ..predict.predict import predict_task
from ..report.intervals import success_rate
from ..report.pages import Document, Heading, Items, Paragraph
from ..tables import Table
from ..theory.claims import Answer
from .measure import Cell, Measured
from .models import Prober
from .probes import PROBES

DONE = 0.9
_UNLIKELY = 1e-4  # the probability of a count by chance below which it is above chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a model does on one probe; ``breaks`` is the last length that was done and the first that was not, if there is one."""

    probe: str
    cells: tuple[Cell, ...]
    state: str
    breaks: tuple[int, int] | None
    predicted: Answer | None
    left_out: str

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.cells:
            return f"not measured: {self.left_out}"
        first, last = self.cells[0], self.cells[-1]
        if self.state == "chance":
            return "at chance on short inputs"
        if self.state == "partly":
            return f"{first.matches / first.instances:.0%} on short inputs (chance {first.chance:.0%}): no claim about longer ones"
        if self.breaks is None:
            return f"done up to length {last.length:,}"
        return f"breaks between lengths {self.breaks[0]:,} and {self.breaks[1]:,}"


def find_profile(measured: Sequence[Measured], model: Prober, encoding: str | None) -> list[Finding]:
    """Return the finding of every probe, with what theory predicts for an encoding, if one is known."""
    chosen = encoding or model.encoding
    found = []
    for each in measured:
        state, breaks = _judge(each.cells)
        predicted = None if chosen is None else predict_task(PROBES[each.probe].task, chosen).answer
        found.append(
            Finding(
                probe=each.probe,
                cells=each.cells,
                state=state,
                breaks=breaks,
                predicted=predicted,
                left_out=each.left_out,
            )
        )
    return found


def _judge(cells: Sequence[Cell]) -> tuple[str, tuple[int, int] | None]:
    if not cells:
        return "not measured", None
    first = cells[0]
    if not is_above_chance(first):
        return "chance", None
    if first.matches < DONE * first.instances:
        return "partly", None
    last_done = first.length
    for cell in cells[1:]:
        if success_rate(cell.matches, cell.instances).high < DONE:
            return "done", (last_done, cell.length)
        last_done = cell.length
    return "done", None


def is_above_chance(cell: Cell) -> bool:
    """Return whether so many matches are too many for a model that always gives the most frequent answer."""
    if cell.chance >= 1:
        return False
    tail = sum(
        comb(cell.instances, count) * cell.chance**count * (1 - cell.chance) ** (cell.instances - count)
        for count in range(cell.matches, cell.instances + 1)
    )
    return tail < _UNLIKELY


def profile_table(findings: Sequence[Finding]) -> Table:
    """Return a row for every probe, with exact match by length."""
    lengths = sorted({cell.length for finding in findings for cell in finding.cells})
    header = ["probe", "theory", *(f"{length:,}" for length in lengths), "finding"]
    rows = []
    for finding in findings:
        by_length = {cell.length: cell for cell in finding.cells}
        shares = [
            "–" if length not in by_length else f"{by_length[length].matches / by_length[length].instances:.0%}"
            for length in lengths
        ]
        predicted = "–" if finding.predicted is None else str(finding.predicted)
        rows.append([finding.probe, predicted, *shares, finding.sentence])
    kinds = {0: "name", 1: "answer", **dict.fromkeys(range(2, 2 + len(lengths)), "number")}
    return Table(header=header, rows=rows, kinds=kinds)


LEGEND = (
    "Figures are the share of instances whose whole answer is right, by the length of the question in symbols. Theory: what is "
    "proved for the model's encoding at all lengths; a dash where none was named. A probe breaks at the first length whose 95 % "
    "interval lies below 90 %. A model at chance, or partly right, on short inputs has not shown the mechanism, so nothing is "
    "said about longer ones."
)


def figures_table(findings: Sequence[Finding]) -> Table:
    """Return a row for every probe and length, with the controls."""
    return Table(
        header=["probe", "length", "tokens", "right", "95 % interval", "chance", "shuffled examples", "median margin"],
        rows=[_detail(finding.probe, cell) for finding in findings for cell in finding.cells],
        kinds={0: "name", **dict.fromkeys(range(1, 8), "number")},
    )


def lines_left_out(findings: Sequence[Finding]) -> list[str]:
    """Return a line for each reason why longer questions were not asked, with its probes."""
    groups: dict[str, list[str]] = {}
    for finding in findings:
        if finding.cells and finding.left_out:
            groups.setdefault(finding.left_out, []).append(finding.probe)
    return [f"Longer questions of {', '.join(names)} are left out: {reason}." for reason, names in groups.items()]


def profile_page(model: Prober, findings: Sequence[Finding]) -> Document:
    """Return the profile as a page, with the mechanisms and every figure."""
    mechanisms: list[str] = [f"{finding.probe}: {PROBES[finding.probe].mechanism}." for finding in findings]
    return Document(
        [
            profile_table(findings),
            *map(Paragraph, lines_left_out(findings)),
            Paragraph(LEGEND, soft=True),
            Heading("What each probe needs"),
            Items(mechanisms),
            Heading("All figures"),
            figures_table(findings),
        ],
        title=f"Probe of {model.name}",
    )


def _detail(name: str, cell: Cell) -> list[str]:
    rate = success_rate(cell.matches, cell.instances)
    control = "–" if cell.shuffled is None else f"{cell.shuffled / cell.instances:.0%}"
    return [
        name,
        f"{cell.length:,}",
        f"{cell.tokens:,}",
        f"{cell.matches} of {cell.instances}",
        f"{rate.low:.0%} to {rate.high:.0%}",
        f"{cell.chance:.0%}",
        control,
        f"{cell.margin:.2f}",
    ]


def to_json(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """Return the findings as JSON data, in the shape that docs/reference/json.md documents."""
    return [
        {
            "probe": finding.probe,
            "task": PROBES[finding.probe].task_name,
            "beside": PROBES[finding.probe].beside,
            "predicted": None if finding.predicted is None else str(finding.predicted),
            "state": finding.state,
            "breaks": None if finding.breaks is None else list(finding.breaks),
            "finding": finding.sentence,
            "left_out": finding.left_out,
            "cells": [
                {
                    "length": cell.length,
                    "tokens": cell.tokens,
                    "instances": cell.instances,
                    "matches": cell.matches,
                    "greedy": cell.greedy,
                    "low": success_rate(cell.matches, cell.instances).low,
                    "high": success_rate(cell.matches, cell.instances).high,
                    "chance": cell.chance,
                    "margin": cell.margin,
                    "shuffled": cell.shuffled,
                }
                for cell in finding.cells
            ],
        }
        for finding in findings
    ]
