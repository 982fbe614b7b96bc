"""The published tables of arXiv 2608.11909, and the cells that train each of their rows again.

``figures.json`` holds the numbers of tables 2, 4 and 5 as printed. Accuracy is the mean over test lengths 41–500. N* is the
largest length such that every tested length up to it is answered without an error. Maxima, means and standard deviations are
over five seeds times three learning rates.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ...experiment.spec import Spec
from ...model.shape import Shape
from ...train.settings import Training
from ..sweep import SweepCell

TRAIN_LENGTH = 40
TEST_LENGTH = 500
RATES = (0.0001, 0.0003, 0.0005)
SHAPE = Shape(layers=5, heads=8, width=64)
HEAD_WIDTH = SHAPE.width // SHAPE.heads
STEPS = 100_000
PUBLISHED_STEPS = 1_000_000
FULL = "_full"
"""The ending of parts that train as long as the paper does."""

LANGUAGES = {
    "(aa)*": "accepts((aa)*)",
    "(ab)*": "accepts((ab)*)",
    "aΣ*": "accepts(a(a|b)*)",
    "Σ*a": "accepts((a|b)*a)",
    "Σ*abΣ*": "accepts((a|b|c)*ab(a|b|c)*)",
}
ENCODINGS = {
    "NoPE": "nope",
    "RoPE_P": "periodic_rope",
    "SiPE_P": "periodic",
    "RoPE_NP": "rope(base={base})",
    "SiPE_NP": "sinusoidal(base={base})",
}
TABLES = {
    2: "no positions and periodic positions on the modular languages",
    4: "conventional rotary positions and sinusoids over seven bases on the modular languages",
    5: "conventional rotary positions over seven bases, and no positions, on the languages of locality",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """A row of a published table; None where the paper prints no number."""

    table: int
    language: str
    encoding: str
    base: float | None
    accuracy: tuple[float, float | None, float | None]  # largest, mean, standard deviation over 15 runs
    perfect: tuple[float, float | None, float | None]  # the same of N*

    @property
    def title(self) -> str:
        """The encoding with its base."""
        return self.encoding if self.base is None else f"{self.encoding} {self.base:g}"

    @property
    def trained(self) -> str:
        """Our encoding."""
        return ENCODINGS[self.encoding].format(base=f"{self.base or 0:.15g}")


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """Return all rows of the published tables."""
    data = json.loads(files(__package__).joinpath("figures.json").read_text("utf-8"))
    return tuple(
        PublishedRow(
            table=table,
            language=language,
            encoding=encoding,
            base=base,
            accuracy=tuple(rest[:3]),
            perfect=tuple(rest[3:]),
        )
        for table, language, encoding, base, *rest in data["rows"]
    )


def find_row(cell: SweepCell) -> PublishedRow:
    """Return the published row of a cell."""
    return next(row for row in published_rows() if (row.language, row.title) == (cell.task_title, cell.encoding_title))


def cells_of_part(part: str) -> list[SweepCell]:
    """Return a cell for each row of a table: all learning rates, as many steps as the part says."""
    number = int(part.removeprefix("table").removesuffix(FULL))
    steps = PUBLISHED_STEPS if part.endswith(FULL) else STEPS
    return [
        SweepCell(
            part=part,
            task_title=row.language,
            task=LANGUAGES[row.language],
            encoding_title=row.title,
            encoding=row.trained,
            specs=tuple(_spec(row, steps, rate) for rate in RATES),
        )
        for row in published_rows()
        if row.table == number
    ]


def _spec(row: PublishedRow, steps: int, rate: float) -> Spec:
    return Spec(
        tasks=(LANGUAGES[row.language],),
        encodings=(row.trained,),
        train_length=TRAIN_LENGTH,
        test_length=TEST_LENGTH,
        room=TEST_LENGTH,
        learning_rate=rate,
        model=SHAPE,
        training=Training(
            steps=steps, batch=128, warmup=1_000, evaluate_every=10_000, examples=2_000, stop_early=False
        ),
    )
