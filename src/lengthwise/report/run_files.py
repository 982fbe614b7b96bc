"""The table of runs and lengths as a file: CSV, JSON or Parquet.

CSV and JSON need nothing but Python. Parquet needs pyarrow (extra ``export``): it takes our values with their types, so
that no number passes through text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ..extras import require_extra
from ..files import draft_of
from .run_table import COLUMNS, Row

_ROWS_AT_ONCE = 100_000  # of a Parquet file; about 100 MB of Python objects
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet may take for the beginning of a formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many rows were written, and the first text among them that a spreadsheet may compute."""

    num_rows: int
    formula: str | None


def write_rows(rows: Iterable[Row], path: str | Path, form: str, *, spreadsheet: bool = False) -> Written:
    """Write rows in a format of ``FORMATS``. With ``spreadsheet`` no text of a CSV file is a formula."""
    counted = _Watched(_without_formulas(rows) if spreadsheet else rows)
    if form == "parquet":
        require_extra("Parquet", "export")  # before a file is begun
    with draft_of(path) as draft:
        FORMATS[form](counted, draft)
    return Written(num_rows=counted.number, formula=counted.formula)


class _Watched:
    """Rows that are counted as they are read."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.number = 0
        self.formula: str | None = None

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.number += 1
            if self.formula is None:
                self.formula = next(filter(is_formula, row.values()), None)
            yield row


def _without_formulas(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows with an apostrophe before each text that a spreadsheet would compute, which is shown as text then."""
    for row in rows:
        yield {name: f"'{value}" if is_formula(value) else value for name, value in row.items()}


def is_formula(value: Any) -> bool:
    """Return whether a spreadsheet may compute a value instead of showing it.

    >>> [is_formula(value) for value in ("=1+1", "-a", "(ab)*", -1)]
    [True, True, False, False]
    """
    return isinstance(value, str) and value.startswith(FORMULA_STARTS)


def _write_csv(rows: Iterable[Row], draft: Path) -> None:
    with open(draft, "a", encoding="utf-8", errors="backslashreplace", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(column.name for column in COLUMNS)
        writer.writerows(map(_csv_text, row.values()) for row in rows)


def _csv_text(value: Any) -> str:
    """Return a value as CSV holds it: nothing where it is missing, all digits of a number, true or false."""
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _write_json(rows: Iterable[Row], draft: Path) -> None:
    with open(draft, "a", encoding="utf-8", errors="backslashreplace") as opened:
        separator = "[\n"
        for row in rows:
            opened.write(f"{separator}{json.dumps(row, ensure_ascii=False, allow_nan=False)}")
            separator = ",\n"
        opened.write("[]\n" if separator == "[\n" else "\n]\n")


def _write_parquet(rows: Iterable[Row], draft: Path) -> None:
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    kinds = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "true or false": pyarrow.bool_(),
    }
    schema = pyarrow.schema(
        [pyarrow.field(column.name, kinds[column.kind], column.may_be_missing) for column in COLUMNS]
    )
    waiting = iter(rows)
    with open(draft, "ab") as opened, parquet.ParquetWriter(opened, schema) as writer:
        while batch := list(islice(waiting, _ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist([_encodable(row) for row in batch], schema))


def _encodable(row: Row) -> Row:
    """Return a row in which half characters, from file names, are written out: UTF-8 has no bytes for them."""
    return {
        name: value.encode("utf-8", "backslashreplace").decode("utf-8")
        if isinstance(value, str) and not value.isascii()
        else value
        for name, value in row.items()
    }


FORMATS: dict[str, Callable[[Iterable[Row], Path], None]] = {
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
}
"""What writes each format."""
