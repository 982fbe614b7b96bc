"""Papers: published figures as they were published, specs that repeat them, and the two side by side."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import pytest
import spec_files
from command_runner import Runner
from made_results import make_result

from lengthwise.cli.main import main
from lengthwise.errors import InvalidOptionError, UnknownNameError
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.run import run_experiment
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store, read_store
from lengthwise.model.shape import Shape
from lengthwise.papers.catalog import PAPERS, find_paper
from lengthwise.papers.compared import ComparedCell, compare_cell, tolerance
from lengthwise.papers.comparison import PublishedComparison, PublishedExperiment
from lengthwise.papers.comparison_tables import legend, narrow_table, show_spread, summary, wide_table
from lengthwise.papers.huang2025.paper import PAPER, TASKS
from lengthwise.papers.published import Published, PublishedPart, Spread
from lengthwise.papers.published_paper import PublishedPaper
from lengthwise.predict.predict import predict_task
from lengthwise.report.figures import Column, draw_runs
from lengthwise.report.numbers import percent
from lengthwise.tasks.core.catalog import TASKS as TASK_NAMES
from lengthwise.tasks.core.catalog import find_task
from lengthwise.theory.claims import Answer
from lengthwise.train.settings import Training


def experiment(*, quick: bool, only: Sequence[str] = (), seeds: int = 5) -> PublishedExperiment:
    (found,) = PAPER.experiments(PAPER.select(only=only), quick=quick, seeds=seeds)
    assert isinstance(found, PublishedExperiment)
    return found


def specs(*, quick: bool, only: Sequence[str] = (), seeds: int = 5) -> list[Spec]:
    return experiment(quick=quick, only=only, seeds=seeds).specs("", {})


def compare(found: PublishedExperiment, results: Sequence[Result]) -> list[ComparedCell]:
    return list(found.compare({result.id: result for result in results}).cells)


TABLE = """
bin_majority            nope Y 100.0±0.0 100.0±0.0 100.0±0.0  1 1 16 0.001     5/5
bin_majority            ape  Y 100.0±0.0 100.0±0.0 100.0±0.0  1 1 16 0.001     5/5
majority                nope Y 100.0±0.0 99.9±0.2 98.5±0.9    1 1 64 0.001     5/16
majority                ape  Y 100.0±0.0 99.6±0.6 97.8±1.5    1 2 256 0.001    5/5
bin_majority_interleave nope N 96.2±1.1 68.8±15.2 39.5±16.8   12 12 768 0.0001 5/5
bin_majority_interleave ape  Y 100.0±0.0 96.8±2.2 84.7±19.8   2 4 256 0.0001   5/5
sort                    nope Y 100.0±0.0 99.8±0.2 80.6±22.0   1 1 256 0.001    5/5
sort                    ape  Y 100.0±0.0 100.0±0.1 99.4±1.3   1 2 256 0.0001   5/7
unique_copy             nope N 100.0±0.0 18.0±8.2 0.0±0.0     4 4 256 0.001    5/5
unique_copy             ape  Y 100.0±0.0 99.9±0.1 98.7±1.6    2 1 64 0.001     5/5
repeat_copy             nope N 100.0±0.0 28.0±2.9 0.0±0.0     4 4 256 0.001    5/6
repeat_copy             ape  N 100.0±0.0 25.6±10.0 0.0±0.0    4 4 256 0.001    5/5
parity                  nope N 97.5±0.8 74.5±1.8 63.3±1.5     12 12 768 3e-05  5/5
parity                  ape  N 100.0±0.0 83.0±1.1 62.1±4.9    4 2 256 0.0001   5/7
addition                nope N 99.5±0.5 27.7±3.1 0.0±0.0      12 12 768 0.0001 5/5
addition                ape  N 99.7±0.1 26.8±3.4 0.0±0.0      12 12 768 0.0001 5/5
"""
LARGE = [("bin_majority_interleave", "nope"), ("parity", "nope"), ("addition", "nope"), ("addition", "ape")]


# Figures


def test_the_published_figures_are_those_of_the_paper() -> None:
    lines = [line.split() for line in TABLE.strip().split("\n")]
    assert len(lines) == len(TASKS.published) == 16
    for line, published in zip(lines, TASKS.published, strict=True):
        assert line[:2] == [published.task, published.encoding]
        assert (line[2] == "Y") is published.predicted
        for shown, spread in zip(line[3:6], published.bins, strict=True):
            mean, deviation = map(float, shown.split("±"))
            assert 100 * spread.mean == pytest.approx(mean, abs=0.0501), line
            assert 100 * spread.deviation == pytest.approx(deviation, abs=0.0505), line
        shape = (published.layers, published.heads, published.width, published.learning_rate)
        assert shape == tuple(map(float, line[6:10]))
        assert f"{published.num_counted}/{published.num_tries}" == line[10]


def test_each_figure_is_over_five_runs_scored_on_two_thousand_instances() -> None:
    for published in TASKS.published:
        for spread in published.bins:
            assert len(spread.values) == 5
            assert all(
                0 <= value <= 1 and value * 2000 == pytest.approx(round(value * 2000)) for value in spread.values
            )
        is_large = (published.task, published.encoding) in LARGE
        assert (not published.counted_from) is is_large
        assert (published.bins[0].mean == 1.0) is not is_large, "only runs that fit count, but for the large models"
        assert (published.steps, published.warmup) == ((60_000, 3_000) if is_large else (30_000, 0))


def test_where_we_have_a_verdict_it_is_the_published_prediction() -> None:
    verdicts = [predict_task(find_task(each.task), each.encoding).answer for each in TASKS.published]
    known = [
        (answer, each) for answer, each in zip(verdicts, TASKS.published, strict=True) if answer is not Answer.UNKNOWN
    ]
    assert len(known) >= 16
    differ = [(each.task, each.encoding) for answer, each in known if (answer is Answer.YES) != each.predicted]
    assert differ == [("unique_copy", "nope")]  # our answer is for a fixed alphabet, where inputs are finitely many


def test_papers_have_names() -> None:
    assert list(PAPERS) == ["huang2025", "chen2025", "jerad2026", "yang2026", "mechanism", "deletang2023", "ruoss2023"]
    assert find_paper("huang2025") is PAPER
    assert "2410.02140" in PAPER.source
    assert {cell.task for cell in TASKS.published} <= set(TASK_NAMES)
    with pytest.raises(
        UnknownNameError,
        match=rf"paper 'huang25' is unknown. Known: {', '.join(PAPERS)}.\nhint: did you mean 'huang2025'",
    ):
        find_paper("huang25")


# Specs


def test_quick_leaves_out_the_large_models_and_nothing_else() -> None:
    everything, quick = specs(quick=False), specs(quick=True)
    assert (len(everything), len(quick)) == (16, 12)
    left_out = [spec for spec in everything if spec not in quick]
    assert [(spec.tasks[0], spec.encodings[0]) for spec in left_out] == LARGE
    assert {spec.model for spec in left_out} == {Shape(layers=12, heads=12, width=768, tied=True)}
    assert [TASKS.left_out(cell, quick=True) for cell in TASKS.published].count("12 layers") == 4
    assert not any(TASKS.left_out(cell, quick=False) for cell in TASKS.published)


def test_a_spec_repeats_what_was_published() -> None:
    (spec,) = [spec for spec in specs(quick=True, only=["unique_copy"]) if spec.encodings == ("ape",)]
    small = Training(
        steps=30_000, batch=64, warmup=0, weight_decay=0.01, clip=1.0, evaluate_every=3_000, examples=2_000
    )
    assert spec == Spec(
        tasks=("unique_copy",),
        encodings=("ape",),
        seeds=5,
        train_length=50,
        test_length=150,
        room=150,
        learning_rate=0.001,
        model=Shape(layers=2, heads=1, width=64, tied=True),
        training=small,
    )
    nope, ape = specs(quick=False, only=["parity"], seeds=2)
    assert nope.training == replace(small, steps=60_000, warmup=3_000)
    assert (nope.learning_rate, ape.learning_rate) == (3e-05, 0.0001)
    assert ape.training == small
    assert nope.seeds == 2
    for each in specs(quick=False):
        assert make_runs([each]), "every cell can be planned"


def test_only_chooses_tasks_and_knows_them() -> None:
    chosen = specs(quick=False, only=["sort", "majority"])
    assert [spec.tasks[0] for spec in chosen] == ["majority", "majority", "sort", "sort"]
    with pytest.raises(
        UnknownNameError, match=r"task or encoding 'unique' is unknown. Known: addition, bin_majority, "
    ):
        specs(quick=True, only=["unique"])
    with pytest.raises(InvalidOptionError, match=r"seeds must be a whole number from 1 to 100000; found 0."):
        specs(quick=True, seeds=0)


# Comparison


def results_of(spec: Spec, shares_by_seed: Sequence[Sequence[float]]) -> list[Result]:
    """Return a result for each of the first seeds, with these shares of 2,000 instances in each bin."""
    pairs = zip(make_runs([spec]), shares_by_seed, strict=False)
    return [make_result(run, shares, examples=2000) for run, shares in pairs]


def cell_of(task: str, encoding: str) -> Published:
    (cell,) = [cell for cell in TASKS.published if (cell.task, cell.encoding) == (task, encoding)]
    return cell


def comparison_of(task: str, encoding: str, shares: Sequence[Sequence[float]]) -> ComparedCell:
    cell = cell_of(task, encoding)
    spec = TASKS.spec(cell, 5)
    return compare_cell(cell, spec, "", {result.id: result for result in results_of(spec, shares)})


def test_only_runs_that_are_right_on_all_training_lengths_count() -> None:
    shares = [[1, 0.2, 0], [0.9995, 1, 1], [1, 0.1, 0], [0.5, 0.5, 0.5], [1, 0.3, 0]]
    found = comparison_of("unique_copy", "nope", shares)
    assert (found.num_planned, found.num_runs, found.num_fitted, found.num_counted) == (5, 5, 3, 3)
    assert [spread.mean for spread in found.bins] == pytest.approx([1, 0.2, 0])
    assert found.bins[1].deviation == pytest.approx(0.1)
    assert found.remark == "within 2 sd of published"
    assert found.is_close is True


def test_large_models_count_whether_they_fit_or_not_as_in_the_paper() -> None:
    found = comparison_of("addition", "ape", [[0.998, 0.26, 0], [0.997, 0.28, 0]])
    assert (found.num_fitted, found.num_counted) == (0, 2)
    assert found.remark == (
        "within 2 sd of published; no run fitted, as published: no evidence about longer inputs; 2 of 5 runs so far"
    )
    fitted = comparison_of("addition", "ape", [[1, 0.26, 0]] * 5)
    assert fitted.remark == "within 2 sd of published"


@pytest.mark.parametrize(
    ("shares", "close", "remark"),
    [
        ([[1, 1, 1]] * 5, True, "within 2 sd of published"),
        ([[1, 1, 0.9]] * 5, False, "8.7 points below published at 3×"),
        (
            [[1, 0.9, 0.5]] * 5,
            False,
            "9.9 points below published at 2×, 48.7 points below published at 3×",
        ),
        ([[0.9995, 1, 1]] * 5, None, "no run fitted: no evidence (best 99.95 at 1×)"),
        ([[1, 1, 1]] * 2, True, "within 2 sd of published; 2 of 5 runs so far"),
        ([[1, 1, 1]], True, "within 2 sd of published; 1 of 5 runs so far"),
        ([], None, "not run"),
    ],
)
def test_a_remark_says_how_far_measured_is_from_published(
    shares: list[list[float]], close: bool | None, remark: str
) -> None:
    found = comparison_of("unique_copy", "ape", shares)
    assert found.remark == remark
    assert found.is_close is close


def test_what_is_above_published_is_said_to_be_above() -> None:
    found = comparison_of("repeat_copy", "nope", [[1, 0.6, 0.05]] * 5)
    assert found.remark == "32.0 points above published at 2×, 5.0 points above published at 3×"


def test_what_is_left_out_is_not_said_to_be_missing() -> None:
    (found,) = compare(experiment(quick=True, only=["parity", "nope"]), [])
    assert (found.remark, found.num_planned, found.bins) == ("left out: 12 layers", 0, ())


def test_results_of_other_settings_are_not_mixed_in() -> None:
    found = experiment(quick=False, only=["sort", "ape"])
    (spec,) = found.specs("", {})
    other = replace(spec, training=replace(spec.training, steps=10))
    (cell,) = compare(found, results_of(other, [[1, 1, 1]] * 5))
    assert cell.remark == "not run"


def test_the_tolerance_pools_both_sides_and_is_two_points_at_least() -> None:
    narrow, wide = Spread(values=(0.5, 0.5, 0.5)), Spread(values=(0.4, 0.5, 0.6))
    assert wide.deviation == pytest.approx(0.1)
    assert tolerance(narrow, narrow) == 0.02
    assert tolerance(wide, wide) == pytest.approx(0.2)
    assert tolerance(narrow, wide) == tolerance(wide, narrow) == pytest.approx(2 * (0.01 / 2) ** 0.5)
    alone = Spread(values=(0.9,))
    assert tolerance(alone, wide) == pytest.approx(0.2), "one run says nothing about the spread"
    assert tolerance(alone, alone) == 0.02
    assert alone.deviation == 0.0


@pytest.mark.parametrize(
    ("share", "shown"),
    [(1.0, "100"), (0.99999, "99.99"), (0.9996, "99.96"), (0.2555, "25.6"), (0.00001, "0.01"), (0.0, "0")],
)
def test_percentages_never_round_to_all_or_nothing(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_a_spread_shows_its_deviation_where_there_is_one() -> None:
    assert show_spread(Spread(values=(1.0, 1.0))) == "100"
    assert show_spread(Spread(values=(0.5, 0.7))) == "60.0±14.1"
    assert show_spread(Spread(values=(0.5,))) == "50.0"


# Tables


def some_comparison() -> PublishedComparison:
    """Return all that can happen: close, far, unfitted, not run, left out."""
    found = experiment(quick=True, only=["unique_copy", "sort", "parity"])
    shares = {
        ("unique_copy", "ape"): [[1, 1, 0.99], [1, 0.999, 0.98], [0.9, 0.5, 0.1]],
        ("unique_copy", "nope"): [[1, 0.8, 0.1]] * 5,
        ("sort", "nope"): [[0.999, 0.5, 0.1]] * 5,
    }
    results = [
        result
        for spec in found.specs("", {})
        for result in results_of(spec, shares.get((spec.tasks[0], spec.encodings[0]), []))
    ]
    return found.compare({result.id: result for result in results})


def test_on_a_terminal_published_stands_above_measured() -> None:
    lines = narrow_table(some_comparison().cells).rows
    assert len(lines) == 12
    assert [line[3] for line in lines] == ["published", "measured"] * 6
    assert lines[6:8] == [
        [
            "unique_copy",
            "ape",
            "YES",
            "published",
            "5/5",
            "100",
            "99.9±0.1",
            "98.7±1.6",
            "2l1h64d lr 0.001; median 99.8 at 3×",
        ],
        ["", "", "", "measured", "2/3", "100", "99.95±0.1", "98.5±0.7", "within 2 sd of published; 3 of 5 runs so far"],
    ]
    assert lines[1][3:] == ["measured", "0/5", "–", "–", "–", "no run fitted: no evidence (best 99.9 at 1×)"]
    assert lines[3][3:] == ["measured", "–", "–", "–", "–", "not run"]
    assert lines[9][3:] == ["measured", "–", "–", "–", "–", "left out: 12 layers"]
    assert lines[5][-1] == "62.0 points above published at 2×, 10.0 points above published at 3×"


def test_in_a_document_there_is_one_row_for_each_cell_with_medians() -> None:
    comparison = some_comparison()
    table = wide_table(comparison.cells).to_json()
    assert len(table) == 6
    row = table[3]
    assert row["published 1× / 2× / 3×"] == "100 / 99.9±0.1 / 98.7±1.6"
    assert row["published median"] == "100 / 99.9 / 99.8"
    assert row["published: counted of tries"] == "5/5"
    assert row["measured 1× / 2× / 3×"] == "100 / 99.95±0.1 / 98.5±0.7"
    assert row["measured median"] == "100 / 99.95 / 98.5"
    assert row["measured: counted of runs"] == "2/3"
    text = comparison.brief(narrow=False).to_markdown()
    assert len(re.findall(r"^\| (?:unique_copy|sort|parity) \|", text, flags=re.MULTILINE)) == 6
    assert legend(PAPER, TASKS) in text
    assert all(f"- {difference}" in text for difference in TASKS.differences)


def test_the_summary_counts_every_cell_once() -> None:
    cells = some_comparison().cells
    assert summary(cells) == (
        "Measured is within 2 sd of published at all lengths in 1 of 2 cells with counted runs. 6 cells in all: 1 without a run "
        "that fitted, 2 not run, 1 left out. Our verdict equals the published prediction in 5 of 6 cells where we have one."
    )
    apart = [cell for cell in cells if (cell.verdict.answer is Answer.YES) is not cell.published.predicted]
    assert [(cell.published.task, cell.published.encoding, cell.verdict.theorem) for cell in apart] == [
        ("unique_copy", "nope", "finite_inputs")  # at a fixed alphabet; the published NO is for one that grows
    ]
    assert summary(compare(experiment(quick=True), [])).startswith(
        "Nothing is measured yet that could be compared. 16 cells in all: "
    )


def test_the_json_keeps_published_and_measured_apart() -> None:
    data = json.loads(json.dumps(some_comparison().to_json(), allow_nan=False))
    assert data["paper"] == "huang2025"
    cell = data["cells"][3]
    assert list(cell) == [
        "task",
        "encoding",
        "predicted",
        "reason",
        "configuration",
        "published",
        "measured",
        "close",
        "left_out",
        "remark",
    ]
    assert cell["published"]["bins"][2]["runs"] == [0.9615, 0.9975, 0.9805, 0.9985, 0.999]
    assert cell["published"]["bins"][2]["lengths"] == [101, 150]
    measured = cell["measured"]
    assert (measured["planned"], measured["runs"], measured["fitted"], measured["counted"]) == (5, 3, 2, 2)
    assert measured["bins"][2]["mean"] == pytest.approx(0.985)
    assert cell["close"] is True
    assert data["cells"][1]["measured"]["bins"] == []
    assert data["cells"][4]["left_out"] == "12 layers"


# The page


def test_the_page_stands_alone_and_shows_every_cell() -> None:
    comparison = some_comparison()
    page = comparison.page().to_html()
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<link|<img", page)
    assert page.count("<svg ") == page.count('class="panel"') == 3
    assert page.count("published beside measured") == 2
    assert "a &lt;fast&gt; machine" in page
    for cell in comparison.cells:
        assert cell.remark in page
        assert cell.published.configuration in page
    assert not re.search(r"\bnan\b", page)
    assert "Nothing was trained yet." in experiment(quick=True).compare({}).page().to_html()


def test_the_figure_has_a_mark_for_every_counted_run_and_stays_within_its_frame() -> None:
    columns = [
        Column(label="published", series=0, is_ours=False, bins=((1.0, 1.0), (0.5, 0.6), (0.0, 0.0))),
        Column(label="<ours>", series=0, is_ours=True, bins=((1.0,), (0.25,), (0.0,))),
        Column(label="nothing", series=1, is_ours=True, bins=()),
    ]
    figure = ElementTree.fromstring(draw_runs("a < b", ["0–50", "51–100", "101–150"], columns))
    assert figure.attrib["aria-label"] == "a < b"
    _, _, width, height = map(float, figure.attrib["viewBox"].split())
    marks = list(figure.iter("circle"))
    assert [mark.attrib["class"].split()[0] for mark in marks].count("ring") == 6
    assert [mark.attrib["class"].split()[0] for mark in marks].count("dot") == 3
    assert all(0 < float(mark.attrib["cx"]) < width and 0 < float(mark.attrib["cy"]) < height for mark in marks)
    assert [title.text for title in figure.iter("title")][1] == "<ours>: mean 100 %"


# Training and the store

TINY = replace(spec_files.TINY, test_length=12, model=Shape(layers=1, heads=1, width=8, tied=True))


def test_finished_models_are_not_trained_again_and_the_table_follows_the_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    tiny = [TINY, replace(TINY, encodings=("ape",))]
    cells = [(cell_of(spec.tasks[0], spec.encodings[0]), spec) for spec in tiny]

    def compared(results: Sequence[Result]) -> list[ComparedCell]:
        known = {result.id: result for result in results}
        return [compare_cell(cell, spec, "", known) for cell, spec in cells]

    assert [cell.remark for cell in compared([])] == ["not run"] * 2
    first = run_experiment(tiny[:1], store, workers=1, device="cpu")
    assert (len(first.results), first.reused) == (2, 0)
    with read_store(store) as opened:
        half = compared(opened.results())
    assert [cell.num_runs for cell in half] == [2, 0]
    assert half[1].remark == "not run"

    second = run_experiment(tiny, store, workers=1, device="cpu")
    assert (len(second.results), second.reused) == (4, 2)
    whole = compared(second.results)
    assert [cell.num_runs for cell in whole] == [2, 2]
    assert whole[0] == half[0]
    assert run_experiment(tiny, store, workers=1, device="cpu").reused == 4


# The command


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return Runner(capsys, tmp_path, "reproduce")


def test_a_dry_run_shows_what_is_published_and_leaves_nothing_behind(run: Runner) -> None:
    code, out, err = run("huang2025", "--quick", "--dry-run")
    assert code == 0
    assert out.count(" published ") >= 16
    assert out.count("left out: 12 layers") == 4
    assert out.count("not run\n") == 12
    assert re.fullmatch(
        "dry run: 60 of 60 models are still to be trained, up to 1,800,000 model·steps, as a model stops at 100 % "
        r"on all training lengths\. About \d+\.\d minutes on an H200 if no run stops early\.\n",
        err,
    )
    assert list(run.folder.iterdir()) == []


def test_a_dry_run_shows_what_is_in_the_store(run: Runner) -> None:
    nope = specs(quick=True, only=["unique_copy"], seeds=2)[0]
    with open_store("huang2025.sqlite") as store:
        store.save(results_of(nope, [[1, 0.2, 0], [1, 0.15, 0]]))
    arguments = ("huang2025", "--quick", "--only", "unique_copy", "--seeds", "2", "--dry-run")
    code, out, err = run(*arguments, "--out", "pages/page.html", "--markdown", "table.md")
    assert code == 0
    measured = [line.split() for line in out.split("\n") if " measured " in line]
    assert measured[0] == ["measured", "2/2", "100", "17.5±3.5", "0", "within", "2", "sd", "of", "published"]
    assert measured[1][-2:] == ["not", "run"]
    assert err.startswith("dry run: 2 of 4 models are still to be trained, up to 60,000 model·steps, ")
    assert err.endswith(f"report: {run.folder / 'pages' / 'page.html'}\n")
    assert "within 2 sd of published" in (run.folder / "pages" / "page.html").read_text(encoding="utf-8")
    assert "within 2 sd of published" in (run.folder / "table.md").read_text(encoding="utf-8")
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    assert [cell["measured"]["runs"] for cell in json.loads(out)["cells"]] == [2, 0]
    code, out, err = run("huang2025", "--only", "unique_copy,sort", "--dry-run", "--json")
    assert [cell["task"] for cell in json.loads(out)["cells"]] == ["sort", "sort", "unique_copy", "unique_copy"]


def test_what_is_in_the_store_is_not_trained_again(run: Runner) -> None:
    for spec in specs(quick=True, only=["sort"], seeds=1):
        with open_store("mine.sqlite") as store:
            store.save(results_of(spec, [[1, 1, 1]]))
    code, out, err = run("huang2025", "--quick", "--only", "sort", "--seeds", "1", "--store", "mine.sqlite")
    assert code == 0, err
    assert err == f"0 models to train in 0 stacks; 2 finished before\nreport: {run.folder / 'huang2025.html'}\n"
    assert "1/1" in out


def test_where_all_is_left_out_there_is_nothing_to_train(run: Runner) -> None:
    code, out, _ = run("huang2025", "--quick", "--only", "addition")
    assert code == 0
    assert out.count("left out: 12 layers") == 2
    assert [path.name for path in run.folder.iterdir()] == ["huang2025.html"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["huang2052"],
            f"error: paper 'huang2052' is unknown. Known: {', '.join(PAPERS)}.\nhint: did you mean 'huang2025'?\n",
        ),
        (
            ["huang2025", "--only", "unique_cpy"],
            "error: task or encoding 'unique_cpy' is unknown. Known: addition, bin_majority, bin_majority_interleave, "
            "majority, parity, repeat_copy, sort, unique_copy, ape, nope.\nhint: did you mean 'unique_copy'?\n",
        ),
        (
            ["huang2025", "--seeds", "0"],
            "error: seeds must be a whole number from 1 to 100000; found 0.\nhint: correct the value.\n",
        ),
        (
            ["huang2025", "--quick", "--workers", "0"],
            "error: workers must be a whole number from 1 to 1000; found 0.\nhint: correct the value.\n",
        ),
        (
            ["huang2025", "--device", "tpu"],
            "error: argument --device: invalid choice: 'tpu' (choose from 'cpu', 'cuda').\n"
            "hint: see 'lengthwise reproduce --help'.\n",
        ),
        ([], "error: the following arguments are required: PAPER.\nhint: see 'lengthwise reproduce --help'.\n"),
    ],
)
def test_wrong_input_is_reported_with_a_hint(run: Runner, arguments: list[str], said: str) -> None:
    assert run(*arguments) == (2, "", said)
    assert list(run.folder.iterdir()) == []


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lengthwise", "reproduce", "huang2025", "--only", "bin_majority"]
    options = ["--seeds", "1", "--workers", "1", "--device", "cpu", "--models-per-stack", "1"]
    with subprocess.Popen([*command, *options], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        estimate, plan = process.stderr.readline(), process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert re.fullmatch(
        r"estimate: about .+ on cpu, at most .+, for up to 60,000 model·steps, as a model stops at 100 % on all training "
        r"lengths\.\n",
        estimate,
    )
    assert plan == "2 models to train in 2 stacks\n"
    assert process.returncode == 130
    assert rest.endswith("interrupted: finished runs are saved; run the same command again to continue.\n")
    assert "Traceback" not in rest


def test_papers_can_be_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "papers"]) == 0
    assert "huang2025" in capsys.readouterr().out
    assert main(["show", "paper", "huang2025"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"unique_copy +ape +YES +5/5 +100 +99.9±0.1 +98.7±1.6 +2l1h64d lr 0.001", out)
    assert "All of this is published" in out
    assert main(["show", "paper", "huang2025", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["cells"]) == 16
    assert data["cells"][2]["published"]["tries"] == 16


# Another paper


def test_a_paper_is_a_file_of_figures_and_a_few_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = tmp_path / "someone2026"
    pack.mkdir()
    (pack / "__init__.py").touch()
    shape = {"layers": 1, "heads": 1, "width": 8, "learning_rate": 0.003, "steps": 20, "warmup": 0}
    runs = [[1.0, 0.9], [0.5, 0.4]]
    cell = {"task": "parity", "encoding": "nope", **shape, "tries": 3, "counted_from": 0.9, "runs": runs}
    (pack / "figures.json").write_text(json.dumps({"main": [cell]}))
    monkeypatch.syspath_prepend(tmp_path)
    part = PublishedPart(
        package="someone2026",
        name="main",
        summary="one task",
        figures_from="nowhere",
        counted="Runs count from 90 % on.",
        selection="Nothing was selected.",
        differences=("None.",),
        train_length=4,
        test_length=8,
        training=Training(steps=20, examples=16),
    )

    class Someone2026(PublishedPaper):
        name, title, authors, source = "someone2026", "A title", "Someone", "nowhere"
        published = (part,)
        parts: ClassVar = {part.name: part.summary}

    paper = Someone2026()
    (found,) = paper.experiments(paper.select(only=["parity"]), quick=False, seeds=2)
    assert isinstance(found, PublishedExperiment)
    (spec,) = found.specs("", {})
    results = {result.id: result for result in results_of(spec, [[0.95, 0.5], [0.5, 0.5]])}
    comparison = found.compare(results)
    (compared,) = comparison.cells
    assert (compared.num_counted, compared.published.num_counted) == (1, 2)
    assert compared.remark == "within 2 sd of published"
    assert "Our verdict" not in comparison.brief(narrow=True).to_text(), "the authors predict nothing"
    assert "parity" in comparison.page().to_html()
    assert "parity" in paper.describe().to_text()
