"""The table of runs and lengths: equal to the store in every format, and documented column by column."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from made_results import make_plan, make_result

from lengthwise.errors import MissingExtraError, UnreadableFileError
from lengthwise.experiment.descriptions import describe_cells
from lengthwise.experiment.plan import hash_settings
from lengthwise.experiment.settings import SETTINGS
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.model.shape import Shape
from lengthwise.report.measured import Report
from lengthwise.report.run_files import FORMATS, Written, write_rows
from lengthwise.report.run_table import COLUMNS, TYPES, columns_as_markdown, table_rows
from lengthwise.train.settings import PENALTY_NAMES, Training

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "stores.md"
ODD = ("(aa)*", "-a*", "=1,2*", '"*', "(Y|N)*", "@*", "é*")
SPECS = (
    Spec(tasks=("parity", *ODD), encodings=("nope", "rope"), seeds=2, train_length=4, test_length=8),
    Spec(
        tasks=("parity",),
        encodings=("ape",),
        seeds=2,
        train_length=4,
        test_length=(8, 16),
        room=32,
        hard=True,
        learning_rate=1e-5,
        model=Shape(width=64, log_n=True),
        training=Training(weight_decay=0.0, stop_early=False, penalties=(("positional", 0.1), ("value_norm", 1 / 3))),
    ),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with runs of odd names, several kinds of instances, and settings that vary."""
    place = tmp_path / "runs.sqlite"
    plan = make_plan(*SPECS)
    runs = [run for stack in plan for run in stack.runs]
    origin = {"hardware": 'a, <fast>\n"machine"', "torch": "2.13.0+cpu", "lengthwise": "0.1.0"}
    results = [make_result(run, [1.0, *[1 / 3] * (len(run.bins) - 1)], provenance=origin) for run in runs]
    results[0] = replace(results[0], fit=((4, 100, 100),), hard={"pumped": ((8, 50, 1),)}, losses=((20, math.inf),))
    results[1] = replace(results[1], generated=((4, 7, 6),), forced=((4, 7, 7),), losses=())
    with open_store(place) as store:
        store.save_plan(plan, describe_cells(runs))
        store.save(results)
    return place


def stored(place: Path) -> list[Result]:
    with read_store(place) as store:
        return store.results()


def rows_by_hand(place: Path) -> list[dict[str, Any]]:
    """Everything about every score, taken from the store's own rows by another way than the table takes it."""
    rows = []
    for result in stored(place):
        kinds = {"random": result.scores, "fit": result.fit, "generated": result.generated, "forced": result.forced}
        for kind, scores in {**kinds, **result.hard}.items():
            rows += [
                {
                    "run": result.id,
                    "task": result.task,
                    "encoding": result.encoding,
                    "seed": result.seed,
                    "kind": kind,
                    "length": length,
                    "instances": instances,
                    "matches": matches,
                    "exact_match": matches / instances,
                    "multiple": length / result.settings["train_length"],
                    "learning_rate": result.learning_rate,
                    "width": result.settings["model"]["width"],
                    "log_n": result.settings["model"].get("log_n", False),
                    "weight_decay": result.settings["training"]["weight_decay"],
                    "positional": result.settings["training"]["regularizer"],
                    "value_norm": result.settings["training"].get("penalties", {}).get("value_norm", 0.0),
                    "stop_early": result.settings["training"].get("stop_early", True),
                    "room": result.settings.get("room"),
                    "torch": result.provenance["torch"],
                    "hardware": result.provenance["hardware"],
                    "seconds": result.seconds,
                }
                for length, instances, matches in scores
            ]
    return rows


def assert_equal_to_store(rows: list[dict[str, Any]], place: Path) -> None:
    """Compare every value, and its type, with the store."""
    expected = rows_by_hand(place)
    assert len(rows) == len(expected) > 70
    for row, known in zip(rows, expected, strict=True):
        assert list(row) == [column.name for column in COLUMNS]
        assert {name: row[name] for name in known} == known
        for column in COLUMNS:
            value = row[column.name]
            if value is None:
                assert column.may_be_missing, column.name
            else:
                assert type(value) is TYPES[column.kind], column.name


READ = {
    "text": str,
    "integer": int,
    "number": float,
    "true or false": lambda text: {"true": True, "false": False}[text],
}


def read_csv(text: str) -> list[dict[str, Any]]:
    """Read CSV as its documentation says: an empty field is a missing value."""
    kinds: dict[str, Callable[[str], Any]] = {column.name: READ[column.kind] for column in COLUMNS}
    return [
        {name: None if value == "" else kinds[name](value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(text, newline=""))
    ]


def export(place: Path, form: str) -> Path:
    out = place.with_name(f"table.{form}")
    assert write_rows(table_rows(stored(place)), out, form).num_rows == len(rows_by_hand(place))
    return out


def test_the_rows_are_those_of_the_store(place: Path) -> None:
    assert_equal_to_store(list(table_rows(stored(place))), place)


def test_csv_read_back_is_equal_to_the_store(place: Path) -> None:
    text = export(place, "csv").read_bytes().decode("utf-8")
    assert "\r" not in text
    assert_equal_to_store(read_csv(text), place)


def test_json_read_back_is_equal_to_the_store(place: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    assert_equal_to_store(json.loads(export(place, "json").read_text("utf-8"), parse_constant=refuse), place)


def test_an_empty_table_has_a_header_or_an_empty_list(tmp_path: Path) -> None:
    assert write_rows([], tmp_path / "a.csv", "csv") == Written(num_rows=0, formula=None)
    assert (tmp_path / "a.csv").read_text() == ",".join(column.name for column in COLUMNS) + "\n"
    assert write_rows([], tmp_path / "a.json", "json").num_rows == 0
    assert json.loads((tmp_path / "a.json").read_text()) == []


def test_a_loss_beyond_all_bounds_is_missing(place: Path) -> None:
    rows = list(table_rows(stored(place)[:3]))
    assert {row["run"]: row["loss"] for row in rows} == {
        run.id: loss for run, loss in zip(stored(place), (None, None, 1 / 3), strict=False)
    }


def test_every_setting_of_a_spec_has_a_column_of_its_type() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)
    assert set(SETTINGS) <= set(names)
    kinds = {column.name: column.kind for column in COLUMNS}
    assert {kinds[name] for name in PENALTY_NAMES} == {"number"}
    assert [kinds[name] for name in ("width", "learning_rate", "hard", "test_length", "room")] == [
        "integer",
        "number",
        "true or false",
        "text",
        "integer",
    ]


def test_the_page_about_stores_lists_the_columns() -> None:
    assert columns_as_markdown() in PAGE.read_text(encoding="utf-8"), "scripts/docs writes it anew"


def test_a_spreadsheet_computes_nothing_if_asked(place: Path) -> None:
    out = place.with_name("safe.csv")
    assert write_rows(table_rows(stored(place)), out, "csv").formula in ("-a*", "=1,2*", "@*")
    assert write_rows(table_rows(stored(place)), out, "csv", spreadsheet=True).formula is None
    tasks = {row["task"] for row in read_csv(out.read_text("utf-8"))}
    assert tasks == {"parity", "(aa)*", "'-a*", "'=1,2*", '"*', "(Y|N)*", "'@*", "é*"}


def test_a_value_of_the_wrong_type_in_a_changed_store_is_named(place: Path) -> None:
    (first, *_) = stored(place)
    settings = dict(first.settings) | {"model": dict(first.settings["model"]) | {"width": "=cmd()"}}
    wrong = replace(first, settings=settings, id=hash_settings(settings))
    with pytest.raises(UnreadableFileError, match="its width is '=cmd\\(\\)', and must be integer"):
        list(table_rows([wrong]))
    settings["model"]["width"] = 10**30
    with pytest.raises(UnreadableFileError, match="its width is 1000"):
        list(table_rows([replace(first, settings=settings)]))


def test_nothing_is_left_behind_where_a_row_cannot_be_written(place: Path) -> None:
    (first, *_) = stored(place)
    settings = dict(first.settings) | {"model": {"width": None}}
    out = place.with_name("half.csv")
    with pytest.raises(UnreadableFileError):
        write_rows(table_rows([first, replace(first, settings=settings)]), out, "csv")
    assert [path for path in place.parent.iterdir() if "half" in path.name] == []


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_says_what_it_needs(place: Path) -> None:
    with pytest.raises(MissingExtraError, match="Parquet needs pyarrow, which is not installed"):
        export(place, "parquet")
    assert not place.with_name("table.parquet").exists()


def test_a_report_gives_the_table_as_a_data_frame_where_there_is_a_library_for_it(place: Path) -> None:
    found = Report(results=stored(place))
    if any(find_spec(name) is not None for name in ("pandas", "polars")):
        assert list(found.runs_frame().columns) == [column.name for column in COLUMNS]
        assert len(found.runs_frame()) == len(rows_by_hand(place))
    else:
        with pytest.raises(MissingExtraError, match="a data frame needs pandas or polars; neither is installed"):
            found.runs_frame()


# Other readers


def library(name: str) -> Any:
    """Return a library that only this test needs, or skip."""
    return pytest.importorskip(name, reason=f"pip install '.[analysis]' brings {name}")


FILES = [form for form in FORMATS if form != "json"]


@pytest.mark.full
@pytest.mark.parametrize("form", FILES)
@pytest.mark.filterwarnings("ignore")  # those of other people's libraries
def test_pandas_reads_what_the_store_holds(place: Path, form: str) -> None:
    pandas = library("pandas")
    library("pyarrow")
    out = export(place, form)
    if form == "parquet":
        frame = pandas.read_parquet(out, dtype_backend="pyarrow")
    else:
        frame = pandas.read_csv(out, keep_default_na=False, na_values=[""], float_precision="round_trip")
        assert str(frame["fitted"].dtype) == "bool"
        assert str(frame["exact_match"].dtype) == "float64"
    assert_frame_equal_to_store(frame.to_dict("records"), place)


@pytest.mark.full
@pytest.mark.parametrize("form", FILES)
def test_polars_reads_what_the_store_holds(place: Path, form: str) -> None:
    polars = library("polars")
    out = export(place, form) if form == "csv" or library("pyarrow") else None
    frame = polars.read_parquet(out) if form == "parquet" else polars.read_csv(out, infer_schema_length=None)
    assert frame.schema["fitted"] == polars.Boolean
    assert frame.schema["width"] == polars.Int64
    assert_frame_equal_to_store(frame.to_dicts(), place)


@pytest.mark.full
@pytest.mark.parametrize("form", FILES)
def test_duckdb_reads_what_the_store_holds(place: Path, form: str) -> None:
    duckdb = library("duckdb")
    out = export(place, form) if form == "csv" or library("pyarrow") else None
    source = f"'{out}'" if form == "parquet" else f"read_csv('{out}', types={{'predicted': 'VARCHAR'}})"
    relation = duckdb.sql(f"SELECT * FROM {source}")
    rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    assert str(relation.types[relation.columns.index("fitted")]) == "BOOLEAN"
    assert_frame_equal_to_store(rows, place)


@pytest.mark.full
def test_parquet_has_the_types_of_the_columns(place: Path) -> None:
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    table = parquet.read_table(export(place, "parquet"))
    kinds = {"text": pyarrow.string(), "integer": pyarrow.int64(), "number": pyarrow.float64()}
    for column in COLUMNS:
        field = table.schema.field(column.name)
        assert field.type == kinds.get(column.kind, pyarrow.bool_())
        assert field.nullable is column.may_be_missing
    assert_equal_to_store(table.to_pylist(), place)


def assert_frame_equal_to_store(rows: list[dict[str, Any]], place: Path) -> None:
    """Compare every value of a data frame with the table; a library has its own way to say that one is missing."""
    expected = list(table_rows(stored(place)))
    assert len(rows) == len(expected)
    for row, known in zip(rows, expected, strict=True):
        assert list(row) == list(known)
        for name, value in known.items():
            found = row[name]
            if value is None:
                assert found is None or found != found or str(found) == "<NA>", name
            elif name == "test_length":
                assert str(found) == value  # numbers alone, where no run lists its lengths
            else:
                assert found == value, name
