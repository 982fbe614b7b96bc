"""The main language suite of arXiv 2608.13433: 125 languages, each with the configuration that the authors chose.

``suite.json`` holds the authors' own decision whether a language is in C-RASP, the configuration they chose, and its line in the
released search logs. How it was chosen is not stated there, so published figures describe chosen runs, not typical ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median

from ...model.shape import Shape
from ...predict.predict import predict_task
from ...report.numbers import percent
from ...report.statistics import share_in
from ...tables import Table
from ...tasks.core.catalog import find_task
from ...theory.claims import Answer
from ..sweep import MeasuredCell, SweepCell
from .analysis import FITTED, GOOD, JUDGED
from .pair import spec_of

SUITE = {
    "suite": "the main suite: the languages whose chosen configuration has at most 4 layers",
    "suite_deep": "the main suite: the languages whose chosen configuration has 6 layers or more",
}
SUITE_SEEDS = 5
_ENCODINGS = ("nope", "ape")
_SHALLOW = 4
_BIN = 2  # 101–150


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLanguage:
    """A language with the authors' decision, their configuration, and its logged exact match by bin."""

    language: str
    is_counting: bool  # in C-RASP by the authors' decider
    shape: Shape
    learning_rate: float
    exact_match: tuple[float, ...]


@cache
def suite_languages() -> dict[str, SuiteLanguage]:
    """Return the languages of the suite by their expressions."""
    data = json.loads(files(__package__).joinpath("suite.json").read_text("utf-8"))
    return {
        language: SuiteLanguage(
            language=language,
            is_counting=is_counting,
            shape=Shape(layers=layers, heads=heads, width=width),
            learning_rate=rate,
            exact_match=tuple(shares),
        )
        for language, is_counting, layers, heads, width, rate, shares in data["languages"]
    }


def cells_of_suite(part: str) -> list[SweepCell]:
    """Return every language of a part of the suite, without positions and with learned ones."""
    return [
        SweepCell(
            part=part,
            task_title=each.language,
            task=f"states({each.language})",
            encoding_title=encoding,
            encoding=encoding,
            specs=(spec_of(f"states({each.language})", encoding, each.shape, each.learning_rate),),
        )
        for each in suite_languages().values()
        for encoding in _ENCODINGS
        if (each.shape.layers <= _SHALLOW) is (part == "suite")
    ]


def suite_agreement() -> str:
    """Return how our verdicts without positions, the authors' decision and their chosen runs agree, as a sentence."""
    languages = suite_languages().values()
    same = sum(
        (predict_task(find_task(f"states({each.language})"), "nope").answer is Answer.YES) is each.is_counting
        for each in languages
    )
    good = [
        (sum(each.exact_match[_BIN] >= GOOD for each in side), len(side))
        for side in ([each for each in languages if each.is_counting is wanted] for wanted in (True, False))
    ]
    return (
        f"Our verdict without positions equals the authors' decision on C-RASP for {same} of {len(languages)} languages. Among the "
        f"runs that they chose, {good[0][0]} of {good[0][1]} on languages in C-RASP and {good[1][0]} of {good[1][1]} on the others are "
        "good at 101–150."
    )


def suite_table(cells: Sequence[MeasuredCell]) -> Table:
    """Return a row for every language and encoding: the authors' chosen run beside medians of our fitted runs."""
    rows = []
    for measured in cells:
        each = suite_languages()[measured.cell.task_title]
        fitted = measured.fitted(FITTED)
        ours = [[share_in(run, lengths) or 0.0 for run in fitted] for lengths in JUDGED]
        rows.append(
            [
                each.language,
                measured.cell.encoding,
                "yes" if each.is_counting else "no",
                str(predict_task(find_task(measured.cell.task), measured.cell.encoding).answer),
                " / ".join(percent(each.exact_match[number]) for number in (_BIN, -1)),
                " / ".join(percent(median(shares)) for shares in ours) if fitted else "–",
                f"{len(fitted)}/{len(measured.results)} of {len(measured.runs)}",
            ]
        )
    header = ("language", "encoding", "in C-RASP (authors)", "predicted", "published", "measured", "fitted")
    return Table(header=header, rows=rows, kinds={0: "name", 3: "answer", 4: "number", 5: "number", 6: "number"})
