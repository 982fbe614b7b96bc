"""Reports: honest statistics, a page that stands alone, and verdicts read where the models are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_results import make_result
from report_cells import NO_TASK, YES_TASK, Shares, cell_of, make_results

from lengthwise.cli.main import main
from lengthwise.experiment.grid import Grid
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.model.shape import SWITCHES
from lengthwise.predict.predict import predict_task
from lengthwise.report.figures import draw_curves, draw_strips
from lengthwise.report.intervals import median_interval
from lengthwise.report.judging import FITTED, GENERALIZED
from lengthwise.report.matrix import LEGEND, draw_results
from lengthwise.report.naming import columns_of, names_among
from lengthwise.report.pages import Document, Items, Span
from lengthwise.report.results import (
    baselines_table,
    brief_report,
    common_settings,
    decoding_legend,
    decoding_table,
    legend,
    results_table,
    show_interval,
    summary,
)
from lengthwise.report.results_data import to_json
from lengthwise.report.results_page import TITLE, results_page
from lengthwise.report.run_list import describe_run
from lengthwise.report.statistics import (
    Cell,
    description_of,
    is_fitted,
    share_in,
    sort_out,
    summarize,
)
from lengthwise.tasks.audit.results import Audit, Baseline
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.theory.claims import Answer
from lengthwise.train.settings import PENALTY_NAMES

# Statistics


def test_the_tasks_of_these_tests_have_the_verdicts_their_names_say() -> None:
    assert cell_of(YES_TASK, "nope", [[1, 1]]).verdict.answer is Answer.YES
    assert cell_of(NO_TASK, "nope", [[1, 1]]).verdict.answer is Answer.NO


@pytest.mark.parametrize(
    ("shares", "fitted", "generalized", "measured"),
    [
        ([[1, 1, 1]] * 3, 3, 3, Answer.YES),
        ([[1, 1, 1], [1, 1, 0.95], [1, 1, 0.2]], 3, 2, Answer.UNKNOWN),
        ([[1, 1, 1], [1, 1, 0]], 2, 1, Answer.UNKNOWN),
        ([[1, 1, 1]] * 2, 2, 2, Answer.UNKNOWN),
        ([[0.98, 1, 1], [0.5, 1, 1]], 0, 0, Answer.UNKNOWN),
        ([[0.98, 0, 0], *[[1, 0.9, 0.9]] * 3], 3, 3, Answer.YES),
        ([[1, 0.5, 0]] * 3, 3, 0, Answer.NO),
        ([[1, 1, 0.899]] * 3, 3, 0, Answer.NO),
        ([[0.99, 0, 0.9]] * 3, 3, 3, Answer.YES),
        ([[0.989, 0, 0.9]], 0, 0, Answer.UNKNOWN),
    ],
)
def test_a_cell_counts_runs_that_fit_and_of_those_the_ones_that_generalize(
    shares: Sequence[Shares], fitted: int, generalized: int, measured: Answer
) -> None:
    cell = cell_of(YES_TASK, "nope", shares)
    assert (cell.num_runs, cell.num_fitted, cell.num_generalized) == (len(shares), fitted, generalized)
    assert cell.measured is measured


def test_an_unknown_verdict_is_nothing_to_agree_with() -> None:
    cell = cell_of(YES_TASK, "nope", [[1, 1]])
    unknown = replace(cell, verdict=replace(cell.verdict, answer=Answer.UNKNOWN))
    assert unknown.agrees is None
    assert unknown.remark == "no prediction to compare with; 1 of 1 fitted runs generalize"


def test_medians_are_over_the_fitted_runs_or_over_all_where_none_fitted() -> None:
    fitted = cell_of(YES_TASK, "nope", [[1, 0.8, 0.6], [0.2, 0.1, 0.9], [1, 0.4, 0.2]])
    assert [value.median for value in fitted.by_bin] == pytest.approx([1, 0.6, 0.4])
    assert fitted.best == 0.6, "the best of the fitted runs, not of one that did not fit"
    assert [(point.length, point.value.median) for point in fitted.curve] == [
        (4, 1.0),
        (8, pytest.approx(0.6)),
        (12, pytest.approx(0.4)),
    ]
    unfitted = cell_of(YES_TASK, "nope", [[0.5, 0.3, 0.1], [0.7, 0.5, 0.2], [0.6, 0.4, 0.9]])
    assert [value.median for value in unfitted.by_bin] == pytest.approx([0.6, 0.4, 0.2])
    assert unfitted.best == 0.9


def test_a_share_weighs_lengths_by_their_instances() -> None:
    result = replace(make_results(YES_TASK, "nope", [[1, 1]])[0], scores=((1, 10, 10), (2, 30, 0), (5, 7, 7)))
    assert share_in(result, LengthRange(low=0, high=4)) == 0.25
    assert share_in(result, LengthRange(low=5, high=8)) == 1.0
    assert share_in(result, LengthRange(low=3, high=4)) is None


def test_cells_are_one_per_task_encoding_and_lengths_with_tasks_in_order_of_appearance() -> None:
    results = [
        *make_results("parity", "ape", [[1, 1]]),
        *make_results(YES_TASK, "nope", [[1, 1]]),
        *make_results("parity", "ape", [[1, 1, 1]]),
        *make_results("parity", "nope", [[1, 1]] * 2),
    ]
    cells = summarize([*results[:4], results[4]])
    found = [(cell.task, cell.encoding, len(cell.bins), cell.num_runs) for cell in cells]
    assert found == [
        ("parity", "nope", 2, 2),
        ("parity", "ape", 2, 1),
        ("parity", "ape", 3, 1),
        (YES_TASK, "nope", 2, 1),
    ]


def test_results_that_do_not_count_are_told_with_the_cause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = 'alphabet = ["a", "b"]\ndef answer(prompt):\n    return prompt[:1]\n'
    for name in ("lift.py", "gone.py", "broken.py", "kept.py"):
        Path(name).write_text(source, encoding="utf-8")
    Path("even.json").write_text(
        json.dumps(
            {"alphabet": ["a"], "initial": "p", "accepting": ["p"], "transitions": {"p": {"a": "q"}, "q": {"a": "p"}}}
        ),
        encoding="utf-8",
    )
    names = ("kept.py", "lift.py", "gone.py", "broken.py", "accepts(even.json)")
    results = [result for name in names for result in make_results(name, "nope", [[1, 1]] * 2)]
    parity = make_results("parity", "nope", [[1, 1]])[0]
    results += [
        replace(parity, id=key, settings={**parity.settings, key: 0})
        for key in ("task_revision", "encoding_revision", "trainer_revision")
    ]
    results.append(replace(parity, id="newer", settings={**parity.settings, "task_revision": 99}))
    results.append(replace(parity, id="task", task="no_such_task"))
    results.append(replace(parity, id="encoding", encoding="no_such_encoding"))
    assert sort_out(results[:-6]) == (results[:-6], {})
    Path("lift.py").write_text(source + "\n", encoding="utf-8")
    changed = make_results("lift.py", "nope", [[1, 1]])
    for path in ("lift.py", "gone.py", "kept.py", "even.json"):  # no file is needed for a report, or opened
        Path(path).unlink()
    Path("broken.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    current, others = sort_out([*results, *changed])
    assert current == [*results[:2], *results[4:10], *changed]
    assert {cause: len(group) for cause, group in others.items()} == {
        "lift.py had changed when it was run last": 2,
        "an older revision of parity": 1,
        "an older revision of nope": 1,
        "an older revision of the trainer": 1,
        "a newer revision of parity": 1,
        "this version has no task no_such_task": 1,
        "this version has no encoding no_such_encoding": 1,
    }
    with open_store("runs.sqlite") as store:
        store.save([*results[:4], *changed])
    assert main(["report", "runs.sqlite"]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("note: 2 runs of lift.py are left out: lift.py had changed when it was run last.\n")
    assert " ".join(said.out.split()).count("no prediction to compare with") == 2


@pytest.mark.full
@pytest.mark.parametrize("task", [*TASKS, *LANGUAGES, *(f"states({name})" for name in LANGUAGES)])
def test_a_verdict_in_a_report_is_read_where_the_task_is_read(task: str) -> None:
    for encoding in ("nope", "ape"):
        shares = [[1.0, 1.0]]
        train = max(8, find_task(task).min_length) if task != "unique_copy" else 4
        (cell,) = summarize(make_results(task, encoding, shares, train=train))
        objective = find_task(task).objective
        assert cell.verdict.readout is objective.readout
        assert cell.verdict == predict_task(find_task(task), encoding)
        assert to_json([cell])[0]["readout"] == str(objective.readout)


# Tables


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1.0, 1.0], "100"),
        ([0.0], "0"),
        ([0.99999], "99.99"),
        ([0.00001], "0.01"),
        ([0.5, 0.505], "50.3"),
        ([0.2, 0.9, 1.0], "90.0 (20.0–100)"),
        ([0.0, 0.0004, 1.0], "0.04 (0–100)"),
    ],
)
def test_percentages_never_round_to_all_or_nothing(values: list[float], text: str) -> None:
    assert show_interval(median_interval(values)) == text


NO_EVIDENCE = "– no evidence: no run fitted"
TOO_FEW = "? too few runs: 2 of 2 fitted runs generalize"


def test_the_table_has_a_row_for_every_cell_and_a_column_for_every_bin() -> None:
    cells = [cell_of(YES_TASK, "nope", [[1, 1, 0.95], [1, 1, 1]]), cell_of(NO_TASK, "ape", [[0.5, 0.25, 0]])]
    assert results_table(cells).header == [
        "task",
        "encoding",
        "predicted",
        "1×",
        "2×",
        "3×",
        "fitted",
        "generalize",
        "best",
        "remark",
    ]
    assert results_table(cells).rows == [
        [YES_TASK, "nope", "YES", "100", "100", "97.5 (95.0–100)", "2/2", "2/2 (16–100)", "100", TOO_FEW],
        [NO_TASK, "ape", "NO", "50.0", "25.0", "0", "0/1", "–", "0", NO_EVIDENCE],
    ]
    assert legend(cells[:1]) == (
        "Exact match in percent, median (and range) over the fitted runs, or over all where none fitted, at lengths 0–4 / 5–8 / "
        "9–12. Fitted: at least 99% on fresh instances of the longest quarter of the training lengths. Generalize: of the fitted "
        "runs, those with at least 90% at 3×, with the 95 % interval of this success rate in percent; best: the best run there; – "
        "where there is nothing to count. A YES agrees if at least 90% of at least 3 fitted runs generalize, a NO if at most 10% do; "
        "either differs only if the interval excludes that rate. Marks: ✓ agrees, ✗ differs, ? undecided (fewer than 3 fitted runs, "
        "or too few to tell), ! a NO that a run challenges, · no prediction, – no evidence."
    )
    assert (FITTED, GENERALIZED) == (0.99, 0.90)


def test_the_legend_calls_a_range_a_range_and_an_interval_an_interval() -> None:
    few, many = cell_of(YES_TASK, "nope", [[1, 1]] * 5), cell_of(YES_TASK, "nope", [[1, 1]] * 6)
    assert "median (and range) over" in legend([few])
    assert "median (and 95 % interval) over" in legend([many])
    assert "median (and range; 95 % interval from 6 runs on) over" in legend([few, many])


def test_the_markdown_table_keeps_its_columns_whatever_a_task_is_called() -> None:
    cells = [cell_of("(a|b)*b|a", "nope", [[1, 1]]), cell_of(YES_TASK, "ape", [[1, 1]])]
    text = brief_report(cells).to_markdown()
    lines = text.split("\n")
    assert lines[0] == "| task | encoding | predicted | 1× | 2× | fitted | generalize | best | remark |"
    assert lines[1] == "|---|---|---|---|---|---|---|---|---|"
    assert lines[2].startswith("| (a\\|b)*b\\|a | nope | ")
    for line in lines[2:4]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 10
    assert summary(cells) in text
    assert legend(cells) in text
    assert text.endswith("\n")


def test_the_json_of_a_report_has_everything_and_is_json() -> None:
    cells = [cell_of(YES_TASK, "nope", [[1, 0.5, 0.25]]), cell_of(NO_TASK, "ape", [[0.5, 0.25]])]
    data = json.loads(json.dumps(to_json(cells), allow_nan=False))
    first = data[0]
    assert list(first) == [
        "task",
        "encoding",
        "settings",
        "predicted",
        "theorem",
        "reason",
        "readout",
        "measured",
        "agrees",
        "standing",
        "remark",
        "challenged_by",
        "may_challenge",
        "processors",
        "runs",
        "fitted",
        "generalize",
        "success_rate",
        "interval_of_medians",
        "bins",
        "success_at",
        "best",
        "each_run",
    ]
    assert (first["task"], first["encoding"], first["predicted"], first["measured"]) == (
        YES_TASK,
        "nope",
        "YES",
        "UNKNOWN",
    )
    assert (first["runs"], first["fitted"], first["generalize"], first["agrees"]) == (1, 1, 0, None)
    assert first["bins"][1] == {"lengths": [5, 8], "median": 0.5, "low": 0.5, "high": 0.5}
    assert first["best"] == 0.25
    assert first["settings"]["width"] == 32
    assert first["success_rate"] == {"share": 0.0, "low": 0.0, "high": pytest.approx(0.975, abs=1e-6)}
    (run,) = first["each_run"]
    assert (run["seed"], run["fitted"], run["generalizes"], run["shares"]) == (0, True, False, [1.0, 0.5, 0.25])
    assert (data[1]["agrees"], data[1]["success_rate"]) == (None, None)


def sparse_results() -> list[Result]:
    """Return results of a language without words in its middle bin."""
    (result,) = make_results("(a{12})*", "nope", [[1, 1, 1]], train=5)
    return [replace(result, scores=((0, 10, 10), (12, 10, 5)))]


def test_a_bin_without_instances_has_no_numbers() -> None:
    (cell,) = summarize(sparse_results())
    assert results_table([cell]).rows[0][3:6] == ["100", "–", "50.0"]
    bins = json.loads(json.dumps(to_json([cell]), allow_nan=False))[0]["bins"]
    assert bins[1] == {"lengths": [6, 10], "median": None, "low": None, "high": None}
    assert "nan" not in results_page(sparse_results()).to_html().partition("<script>")[0].lower()


# The page


class Outline(HTMLParser):
    """The tags, attributes and text of a page; complains where tags do not nest."""

    VOID = ("meta", "line", "rect", "circle", "polygon", "polyline", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


ODD = "<a>*"  # an expression over the symbols <, a and >


def page_results() -> list[Result]:
    return [
        *make_results(YES_TASK, "nope", [[1, 1, 1], [1, 1, 0.95]]),
        *make_results(YES_TASK, "ape", [[1, 0.5, 0.1]]),
        *make_results("parity", "nope", [[0.6, 0.5, 0.5]]),
        *make_results(ODD, "nope", [[1, 1, 1]]),
        *make_results(ODD, "ape", [[1, 1, 1]]),
        *make_results("a&b|\"'*", "ape", [[1, 1, 1]]),
    ]


def test_the_page_says_everything_about_every_cell() -> None:
    results = page_results()
    outline = Outline(results_page(results).to_html())
    text = re.sub(r"\s+", " ", outline.text)
    for cell in summarize(results):
        assert cell.task in text
        assert find_task(cell.task).definition in text
        assert re.sub(r"\s+", " ", cell.verdict.reason) in text
        assert cell.remark in text
        assert (
            f"{cell.encoding}: predicted {cell.verdict.answer} for {cell.verdict.fragment.notation}, "
            f"{cell.verdict.readout.notation}: " in text
        )
    assert summary(summarize(results)) in text
    assert TITLE in text
    assert "7 models were trained on a <fast> machine, torch 2.13" in text


def test_the_page_stands_alone() -> None:
    page = results_page(page_results()).to_html()
    outline = Outline(page)
    assert page.startswith("<!doctype html>\n<html lang=")
    assert outline.tags.count("script") == 1, "the one that sorts tables"
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(outline.tags)
    names = {name for name, _ in outline.attributes}
    assert not {"src", "href", "srcset", "action", "xlink:href", "background"} & names
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(r"https?:|//[a-z]|url\(|@import|javascript:", page)


def test_the_page_escapes_what_a_task_is_called() -> None:
    page = results_page(page_results()).to_html()
    assert "<a>" not in page
    assert "<fast>" not in page
    assert "&lt;a&gt;*" in page
    headings = re.findall(r"<h3><code>(.*?)</code></h3>", page)
    assert [unescape(heading) for heading in headings] == [YES_TASK, "parity", ODD, "a&b|\"'*"]


def test_the_page_has_a_panel_for_every_task_and_the_title_it_is_given() -> None:
    page = results_page(page_results(), title="My <title>").to_html()
    assert page.count("<svg ") == page.count('class="panel"') == 4
    assert page.count("<title>My &lt;title&gt;</title>") == 1


def test_the_page_lists_the_settings_that_all_runs_share() -> None:
    results = make_results(YES_TASK, "nope", [[1, 1], [1, 1]])
    shown = re.search(r"<pre[^>]*><code>(.*?)</code></pre>", results_page(results).to_html(), re.DOTALL)
    assert shown is not None
    settings = json.loads(unescape(shown[1]))
    assert settings == {name: value for name, value in results[0].settings.items() if name != "seed"}


def test_the_page_says_whether_all_runs_have_the_settings_of_the_preset() -> None:
    preset = make_results(YES_TASK, "nope", [[1, 1], [1, 1]])
    said = "One setting for all cells, the preset, which was chosen on training lengths only."
    assert said in results_page(preset).to_html()
    other = [replace(result, settings=result.settings | {"training": {"steps": 3}}) for result in preset]
    page = results_page(other).to_html()
    assert "One setting for all cells." in page
    assert said not in page
    assert (
        "There are 2 different settings of model and training, each with cells of its own."
        in results_page([*preset, *other]).to_html()
    )


# Figures


def test_a_figure_is_well_formed_and_stays_within_its_frame() -> None:
    cells = summarize(
        [
            *make_results(ODD, "nope", [[1, 0.5, 0.0], [1, 1, 1], [1, 0.25, 0.5]]),
            *make_results(ODD, "ape", [[0.5, 0.1, 0.0]]),
        ]
    )
    figure = ElementTree.fromstring(draw_curves(cells))
    _, _, width, height = map(float, figure.attrib["viewBox"].split())
    assert figure.attrib["aria-label"] == (
        "Exact match by length for <a>*; where success is judged: nope 50.0 %, ape 0 %."
    )
    kinds = [child.tag for child in figure]
    assert kinds.count("polyline") == kinds.count("polygon") == 2
    for line in figure.iter("polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        assert len(points) == 3
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        assert [x for x, _ in points] == sorted(x for x, _ in points)
        assert [y for _, y in points] == sorted(y for _, y in points), "less exact match is further down"
    fitted, unfitted = figure.iter("polyline")
    assert "dashed" not in fitted.attrib["class"]
    assert "dashed" in unfitted.attrib["class"]


def test_a_figure_shades_the_training_lengths() -> None:
    cells = [cell_of(YES_TASK, "nope", [[1, 1, 1]])]
    figure = ElementTree.fromstring(draw_curves(cells))
    (shade,) = [child for child in figure if child.attrib.get("class") == "trained"]
    (line,) = figure.iter("polyline")
    ends = [float(point.split(",")[0]) for point in line.attrib["points"].split()]
    assert float(shade.attrib["x"]) + float(shade.attrib["width"]) == pytest.approx(ends[0], abs=0.2)


def test_a_figure_has_a_dot_for_every_run_and_lines_that_can_be_told_apart_where_they_meet() -> None:
    shares = [[1, 0.5, 0.25], [1, 0.75, 0.25], [1, 0.75, 0.25]]
    cells = summarize([*make_results(YES_TASK, "nope", shares), *make_results(YES_TASK, "ape", shares)])
    figure = ElementTree.fromstring(draw_curves(cells))
    dots = [path.attrib["d"].count("M") for path in figure.iter("path")]
    assert dots == [4, 4], "each place once, however many runs are there"
    first, second = (float(line.attrib["style"].split()[1].removesuffix("px")) for line in figure.iter("polyline"))
    assert first > second, "the one below is wider"
    numbers = [text for text in figure.iter("text") if "key" in text.attrib["class"]]
    assert [text.text for text in numbers] == ["1", "2"]
    assert abs(float(numbers[0].attrib["y"]) - float(numbers[1].attrib["y"])) >= 10, "numbers do not overlap"


def test_many_settings_have_a_strip_with_a_dot_for_every_run_and_rings_where_it_did_not_fit() -> None:
    specs = load_grid_of(width=[8, 16, 24, 32, 40, 48, 64], heads=2, seeds=3)
    results = [make_result(run, [run.seed > 0, 0.5, run.seed / 2]) for run in make_runs(specs)]
    page = results_page(results).to_html()
    assert "a ring for a run that did not fit" in page
    figure = ElementTree.fromstring(draw_strips(summarize(results), names_among(summarize(results))))
    kinds = [circle.attrib["class"].split()[0] for circle in figure.iter("circle")]
    assert (kinds.count("dot"), kinds.count("ring")) == (14, 7)
    _, _, width, _ = map(float, figure.attrib["viewBox"].split())
    assert all(0 <= float(circle.attrib["cx"]) <= width for circle in figure.iter("circle"))
    assert "✓ agrees in" not in page
    assert re.search(r"Measured, by setting: .*undecided in 7\. The table has each", re.sub("<[^>]*>", "", page))


def test_the_matrix_comes_first_and_has_a_square_for_every_cell_with_its_mark() -> None:
    specs = load_grid_of(width=[8, 16, 24, 32, 40, 48, 64], heads=2, seeds=3)
    results = [make_result(run, [1, 1, run.model.width < 32]) for run in make_runs(specs)]
    page = results_page(results).to_html()
    assert page.index('aria-label="picture"') < page.index("<table>")
    words = re.findall(r"yes: \d/\d [\d.]+ .", page)
    assert words == ["yes: 3/3 100 ✓"] * 3 + ["yes: 0/3 0 ✗"] * 4
    assert ">width</text>" in page, "the name of what varies stands once"


def test_what_follows_from_the_training_length_has_no_column_and_is_named_once() -> None:
    specs = Grid(
        settings={"tasks": [YES_TASK], "encodings": ["nope", "ape"], "train_length": [4, 6], "seeds": 1}
    ).specs()
    cells = summarize(make_result(run, [1, 1, 1]) for run in make_runs(specs))
    assert columns_of(cells) == ("train_length",)
    assert common_settings(cells).startswith("The same for all: test_length 3 × train_length, learning_rate 0.003, ")
    fixed = [*specs, *load_grid_of(train_length=5, test_length=20)]
    cells = summarize(make_result(run, []) for run in make_runs(fixed))
    assert columns_of(cells) == ("train_length", "test_length"), "one of them is another multiple"
    apart = Grid(settings={"tasks": [YES_TASK], "encodings": ["ape"], "train_length": [4, 6], "room": 18}).specs()
    cells = summarize(make_result(run, []) for run in make_runs(apart))
    assert columns_of(cells) == ("train_length",)
    wider = Grid(settings={"tasks": [YES_TASK], "encodings": ["ape"], "train_length": 4, "room": [12, 18]}).specs()
    assert columns_of(summarize(make_result(run, []) for run in make_runs(wider))) == ("room",)


def test_names_of_rows_that_are_too_long_for_a_phone_stand_above_their_squares_with_every_setting_named() -> None:
    specs = load_grid_of(
        encodings=["nope", "randomized(rope, length=64)"], train_length=[4, 6], learning_rate=[0.003, 0.01], seeds=1
    )
    drawn = draw_results(summarize(make_result(run, [1] * len(run.bins)) for run in make_runs(specs)))
    words = re.findall(r"<text ([^>]*)>([^<]*)</text>", drawn)
    at = {text: float(re.search(r'x="([\d.]+)"', place)[1]) for place, text in words}  # type: ignore[index]
    assert at["nope, train_length 4, learning_rate 0.003"] == 2
    assert at["randomized(rope, length=64), train_length 6,"] == 2, "broken between two settings"
    assert at["learning_rate 0.01"] == 2
    box = re.search(r'viewBox="0 0 ([\d.]+) ', drawn)
    assert box is not None
    assert float(box[1]) <= 358, "the first squares are on the screen of a phone"
    assert max(map(len, at)) < 52


def test_short_names_of_rows_stand_beside_their_squares_below_the_names_of_their_settings() -> None:
    specs = load_grid_of(learning_rate=[0.001, 0.003], width=[16, 32], seeds=1)
    drawn = draw_results(summarize(make_result(run, [1, 1, 1]) for run in make_runs(specs)))
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
    assert texts[:7] == [YES_TASK, "learning_rate", "width", "0.001", "16", "0.001", "32"]


def test_long_names_of_columns_stand_in_lines() -> None:
    specs = load_grid_of(
        tasks=[YES_TASK, "parity", "TOMITA_1", "TOMITA_4", "(aa)*"],
        train_length=4,
        width=[16, 32],
        learning_rate=[0.001, 0.01],
    )
    drawn = draw_results(summarize(make_result(run, [1, 1, 0]) for run in make_runs(specs)))
    heads = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="plain middle">([^<]*)</text>', drawn)[:4]
    assert [words for _, _, words in heads] == ["learning_rate 0.001", "width 16", "learning_rate 0.001", "width 32"]
    assert heads[0][0] == heads[1][0]
    assert float(heads[0][1]) < float(heads[1][1])


def test_a_table_too_wide_for_a_screen_has_what_runs_come_to_before_the_lengths() -> None:
    usual = load_grid_of(learning_rate=[0.001, 0.003], width=[16, 32], seeds=1)
    page = results_page([make_result(run, [1, 1, 1]) for run in make_runs(usual)]).to_html()
    assert titles_of(page)[-7:] == ["1×", "2×", "3×", "fitted", "generalize", "best", "remark"]
    wide = load_grid_of(learning_rate=[0.001, 0.003], width=[16, 32], steps=[10, 20], test_length=16, seeds=1)
    page = results_page([make_result(run, [1, 1, 1, 1]) for run in make_runs(wide)]).to_html()
    assert titles_of(page)[5:] == ["predicted", "fitted", "generalize", "best", "remark", "1×", "2×", "3×", "4×"]
    assert '<td data-title="2×" class="number">100</td>' in page


def test_rows_with_different_multiples_are_explained_and_multiples_look_alike_everywhere() -> None:
    specs = [*load_grid_of(train_length=6, test_length=8, seeds=1), *load_grid_of(train_length=4, seeds=1)]
    results = [make_result(run, [1.0, 0.5, 0.5][: len(run.bins)]) for run in make_runs(specs)]
    cells = summarize(results)
    assert list(results_table(cells).header)[6:9] == ["1.33×", "2×", "3×"]
    said = legend(cells)
    assert "at least 90% at 1.33× or 3× (JSON says which for each row), " in said
    assert "A row has nothing below a multiple at which none of its tested lengths end." in said
    alone = legend(cells[1:] if cells[1].settings["train_length"] == 6 else cells[:1])
    assert "below a multiple" not in alone
    page = results_page(results).to_html()
    assert "1.3333" not in page
    assert "(seeds 0; 0.2 seconds of model time)" in page


def test_a_matrix_names_what_is_better_in_words_that_hold_in_the_dark_too() -> None:
    assert "The stronger the colour, the better." in LEGEND
    assert "Darker" not in LEGEND


def test_a_long_command_wraps_on_a_phone_instead_of_being_cut() -> None:
    page = Document([Items([["look: ", Span("lengthwise inspect …", "code")]])]).to_html()
    phone = page[page.index("@media (max-width: 40rem)") : page.index("@media print")]
    assert "li code { white-space: normal; overflow-wrap: anywhere; }" in phone


def titles_of(page: str) -> list[str]:
    """Return the titles of the first table of a page."""
    head = page[page.index("<thead>") : page.index("</thead>")]
    return re.findall(r"<th [^>]*>(.*?)</th>", head.replace("<wbr/>", ""))


# What a score means


def test_a_run_fits_by_fresh_instances_of_the_longest_training_lengths_where_it_has_them() -> None:
    results = make_results(YES_TASK, "nope", [[1, 1, 1], [0.5, 1, 1]])
    results = [replace(results[0], fit=((4, 2000, 1979),)), replace(results[1], fit=((4, 2000, 1980),))]
    (cell,) = summarize(results)
    assert [is_fitted(result) for result in results] == [False, True]
    assert (cell.num_fitted, cell.num_generalized) == (1, 1)


def test_success_is_judged_at_a_named_multiple_whatever_else_is_tested() -> None:
    shares = [[1, 0.95, 0.92, 0.5, 0.1]]
    (usual,) = summarize(make_results(YES_TASK, "nope", shares))
    assert (usual.success_at, usual.success, usual.num_generalized, usual.best) == (3.0, 2, 1, 0.92)
    (result,) = make_results(YES_TASK, "nope", shares)
    described = replace(description_of(result), success_at=5.0)
    (asked,) = summarize([replace(result, description=described)])
    assert (asked.success_at, asked.success, asked.num_generalized, asked.best) == (5.0, 4, 0, 0.1)
    (near,) = summarize(make_results(YES_TASK, "nope", [[1, 0.95]]))
    assert (near.success_at, near.num_generalized) == (2.0, 1)


def with_rate(result: Result, rate: float) -> Result:
    return replace(result, learning_rate=rate, settings={**result.settings, "learning_rate": rate})


def test_learning_rates_and_widths_have_cells_of_their_own_and_columns_and_are_never_pooled() -> None:
    specs = load_grid_of(width=[16, 32], learning_rate=[0.001, 0.01], seeds=2)
    results = [make_result(run, [1, 1, run.seed]) for run in make_runs(specs)]
    cells = summarize(results)
    assert [(cell.settings["learning_rate"], cell.settings["width"], cell.num_runs) for cell in cells] == [
        (0.001, 16, 2),
        (0.001, 32, 2),
        (0.01, 16, 2),
        (0.01, 32, 2),
    ]
    table = results_table(cells)
    assert list(table.header[:5]) == ["task", "encoding", "learning_rate", "width", "predicted"]
    assert [list(row[2:4]) for row in table.rows] == [["0.001", "16"], ["0.001", "32"], ["0.01", "16"], ["0.01", "32"]]
    records = table.to_json()
    assert [(record["learning_rate"], record["width"]) for record in records[1:3]] == [(0.001, 32), (0.01, 16)]
    said = common_settings(cells)
    assert said.startswith("The same for all: train_length 4, test_length 12, layers 2, heads 4, steps 4000, ")
    assert "width" not in said
    assert "learning_rate" not in said
    assert said in brief_report(cells).to_markdown()
    assert said in results_page(results).to_html()
    assert names_among(cells).of(cells[0]) == "learning_rate 0.001, width 16"
    assert names_among(cells).in_full(cells[0]) == f"{YES_TASK} × nope, learning_rate 0.001, width 16"


def load_grid_of(**settings: object) -> Sequence[Spec]:
    """Return the specs of a grid on one task with one encoding."""
    own = {"tasks": [YES_TASK], "encodings": ["nope"], "train_length": 4, "test_length": 12}
    chosen = {name: value for name, value in (own | settings).items() if value is not None}
    return Grid(settings=chosen, source="a test").specs()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *((name, [False, True]) for name in SWITCHES),
        *((name, [0, 1e-3]) for name in PENALTY_NAMES if name != "relations"),
        ("train_length", [3, 4]),
        ("test_length", [[12], [8, 20]]),
        ("layers", [1, 2]),
        ("heads", [2, 4]),
        ("room", [20, 30]),
        ("steps", [10, 20]),
        ("batch", [8, 16]),
        ("warmup", [0, 5]),
        ("weight_decay", [0.0, 0.1]),
        ("clip", [0.5, 1.0]),
        ("evaluate_every", [5, 10]),
        ("examples", [50, 100]),
        ("stop_early", [True, False]),
    ],
)
def test_every_setting_that_varies_has_a_column(name: str, values: list[object]) -> None:
    specs = load_grid_of(**{"encodings": ["ape"], "room": 60, name: values, "seeds": 1})
    cells = summarize(make_result(run, [1.0] * len(run.bins)) for run in make_runs(specs))
    assert columns_of(cells) == (name,)
    assert len({tuple(row[:4]) for row in results_table(cells).rows}) == 2, "no two rows look alike"


def test_what_follows_from_the_training_length_is_no_column_but_is_told() -> None:
    """Without settings of their own, test_length and room are three times the training length."""
    specs = load_grid_of(encodings=["nope", "ape"], train_length=[4, 6], test_length=None, seeds=1)
    cells = summarize(make_result(run, [1.0] * len(run.bins)) for run in make_runs(specs))
    assert columns_of(cells) == ("train_length",)
    assert "test_length 3 × train_length, learning_rate 0.003" in common_settings(cells)
    assert names_among(cells).of(cells[-1]) == "ape, train_length 6"
    given = load_grid_of(encodings=["ape"], train_length=[4, 6], test_length=None, room=18, seeds=1)
    cells = summarize(make_result(run, [1.0] * len(run.bins)) for run in make_runs([*specs, *given]))
    assert columns_of(cells) == ("train_length", "room"), "a room that is given does not follow"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("stop_early", False, "stop_early false"),
        ("warmup", 0, "warmup 0"),
        ("weight_decay", 0.0, "weight_decay 0"),
        ("tied", True, "tied true"),
        ("tied", False, None),
        ("stop_early", True, "stop_early true"),
        ("bias_norm", 0.0, None),
        ("log_n", False, None),
    ],
)
def test_settings_that_differ_from_the_default_are_told_even_if_they_are_off(
    name: str, value: object, said: str | None
) -> None:
    results = [make_result(run, [1, 1, 1]) for run in make_runs(load_grid_of(**{name: value, "seeds": 1}))]
    settings = common_settings(summarize(results)).removesuffix(".").split(": ")[1].split(", ")
    assert [setting for setting in settings if setting.split()[0] == name] == [said] * (said is not None)
    in_full = dict(describe_run(results[0]))["settings"].split(", ")
    assert [setting for setting in in_full if setting.split()[0] == name] == [said] * (said is not None)


def test_cells_with_other_lengths_stand_below_their_multiples() -> None:
    cells = [cell_of(YES_TASK, "nope", [[1, 0.9, 0.8]]), cell_of(YES_TASK, "ape", [[1, 0.5]])]
    table = results_table(cells)
    assert list(table.header[2:7]) == ["test_length", "predicted", "1×", "2×", "3×"]
    assert [list(row[4:7]) for row in table.rows] == [["100", "90.0", "80.0"], ["100", "50.0", ""]]


def audited(share: float, *, inherent: bool = False) -> Cell:
    """Return a cell whose models have 80 % at three times the length, beside a shortcut."""
    (result,) = make_results(YES_TASK, "nope", [[1, 0.9, 0.8]])
    described = description_of(result)
    audit = Audit(
        bins=described.bins,
        examples=(500, 500, 500),
        chance=Baseline(name="always 0", shares=(0.5, 0.5, 0.5)),
        shortcuts=(Baseline(name="last symbol", shares=(0.6, 0.6, share), inherent=inherent),),
    )
    (cell,) = summarize([replace(result, description=replace(described, audit=audit))])
    return cell


def test_a_cell_that_is_no_better_than_a_shortcut_is_marked() -> None:
    assert audited(0.74).shortcut is None
    assert audited(0.76).remark.endswith("; shortcut: last symbol reaches 76%")
    assert audited(0.76, inherent=True).shortcut is None, "the rule is what the task asks for"


def test_the_rule_that_a_task_asks_for_is_marked_in_no_store() -> None:
    """Audits in older stores do not say that the most frequent symbol is what bin_majority asks for."""
    (result,) = make_results("bin_majority", "nope", [[1, 1, 1]])
    described = description_of(result)
    half, all_right = (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)
    audit = Audit(
        bins=described.bins,
        examples=(500, 500, 500),
        chance=Baseline(name="always 0", shares=half),
        shortcuts=(Baseline(name="most frequent symbol", shares=all_right),),
    )
    (cell,) = summarize([replace(result, description=replace(described, audit=audit))])
    assert cell.shortcut is None
    table = baselines_table([cell])
    assert table is not None
    assert table.rows[2][2] == "most frequent symbol (decides the task)"


def test_chance_and_the_best_shortcut_stand_beside_the_models() -> None:
    cell = audited(0.76)
    table = baselines_table([cell])
    assert table is not None
    assert [row[1:] for row in table.rows] == [
        ["chance (always 0)", "50.0", "50.0", "50.0"],
        ["best shortcut", "60.0", "60.0", "76.0"],
        ["which one", "last symbol", "last symbol", "last symbol"],
        ["instances per run", "1000", "1000", "1000"],
    ]
    (data,) = to_json([cell])
    assert data["baselines"][2] == {  # type: ignore[index]
        "lengths": [9, 12],
        "instances": 1000,
        "chance": 0.5,
        "shortcut": 0.76,
        "rule": "last symbol",
        "inherent": False,
    }


def test_baselines_of_different_lengths_can_be_told_apart() -> None:
    specs = load_grid_of(train_length=[4, 6], test_length=None, width=[8, 16], heads=2, seeds=1)
    results = []
    for run in make_runs(specs):
        result = make_result(run, [1, 1, 1])
        described = description_of(result)
        chance = Baseline(name="always 0", shares=(0.5, 0.5, run.train_length / 10))
        audit = Audit(bins=described.bins, examples=(500,) * 3, chance=chance, shortcuts=())
        results.append(replace(result, description=replace(described, audit=audit)))
    table = baselines_table(summarize(results))
    assert table is not None
    assert list(table.header) == ["task", "train_length", "baseline", "1×", "2×", "3×"]
    assert [tuple(row) for row in table.rows if row[2].startswith("chance")] == [
        (YES_TASK, "4", "chance (always 0)", "50.0", "50.0", "40.0"),
        (YES_TASK, "6", "chance (always 0)", "50.0", "50.0", "60.0"),
    ], "widths have the same baselines"


def test_decoding_is_reported_as_a_difference_on_the_same_instances() -> None:
    (result,) = make_results(YES_TASK, "nope", [[1, 0.9, 0.8]])
    assert decoding_table(summarize([result])) is None
    decoded = replace(result, generated=((4, 100, 100), (12, 100, 60)), forced=((4, 100, 100), (12, 100, 80)))
    (cell,) = summarize([decoded])
    assert [value.median for value in cell.decoding] == pytest.approx([0, float("nan"), -0.2], nan_ok=True)
    table = decoding_table([cell])
    assert table is not None
    assert list(table.rows[0][2:]) == ["0", "–", "−20"]
    assert cell.decoded == (100, 0, 100)
    assert "under teacher forcing on the same instances, 100 in each bin, in points." in decoding_legend([cell])


def test_the_legend_of_decoding_says_how_many_instances_were_decoded() -> None:
    (result,) = make_results(YES_TASK, "nope", [[1, 0.9, 0.8]])
    few = replace(result, generated=((4, 20, 20), (8, 20, 1)), forced=((4, 20, 20), (8, 20, 1)))
    (cell,) = summarize([few])
    assert "the same instances, 20 in each bin" in brief_report([cell]).to_text(10_000)
    fewer = replace(few, generated=((4, 20, 20), (8, 12, 1)))
    assert "the same instances, 12 to 20 in each bin" in decoding_legend(summarize([fewer]))


# In a browser


@pytest.mark.full
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs the browser chromium")
def test_a_click_on_a_title_sorts_the_table_and_a_second_one_turns_it_round(tmp_path: Path) -> None:
    specs = load_grid_of(width=[8, 16, 128], seeds=2, heads=2)
    page = results_page(
        [make_result(run, [1, 1, run.seed * run.model.width / 128]) for run in make_runs(specs)]
    ).to_html()
    width, generalize = 2, 8

    def widths_after(*clicks: int) -> tuple[list[str], list[str | None]]:
        click = "".join(f"titles[{column}].click();" for column in clicks)
        script = f"<script>const titles = document.querySelectorAll('thead button'); {click}</script></body>"
        path = tmp_path / "page.html"
        path.write_text(page.replace("</body>", script), encoding="utf-8")
        shown = subprocess.run(
            ["chromium", *_BROWSER, f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom", path.as_uri()],
            capture_output=True,
            check=True,
            text=True,
            timeout=120,
        ).stdout
        table = shown[shown.index("<table") : shown.index("</table>")]
        rows = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", table)]
        sorts = re.findall(r"<th[^>]*aria-sort=\"(\w+)\"", table)
        return [row[width] for row in rows], sorts

    assert widths_after() == (["8", "16", "128"], [])
    assert widths_after(width) == (["8", "16", "128"], ["ascending"])
    assert widths_after(width, width) == (["128", "16", "8"], ["descending"])
    assert widths_after(width, width, generalize)[0][-1] == "128", "1/2 is more than 0/2"


@pytest.mark.full
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs the browser chromium")
@pytest.mark.parametrize("more", [{}, {"width": [8, 16], "steps": [10, 20], "evaluate_every": [5, 10], "heads": 2}])
def test_a_table_of_a_sweep_fits_on_a_desktop(tmp_path: Path, more: dict[str, object]) -> None:
    """What says how it came out stands at the right end, and must not be off the screen."""
    encodings = ["nope", "randomized(rope, length=64)"]
    sweep = {"encodings": encodings, "train_length": [4, 6], "test_length": None, "learning_rate": [0.003, 0.01]}
    specs = load_grid_of(tasks=["bin_majority", "parity"], seeds=3, **sweep, **more)
    page = results_page(
        [make_result(run, [1, 0.9 - run.seed / 10, 0.8 - run.seed / 10]) for run in make_runs(specs)]
    ).to_html()
    script = (
        "<script>const box = document.querySelector('[aria-label=table]');"
        "document.title = `${window.innerWidth} ${box.clientWidth} ${box.scrollWidth}`;</script></body>"
    )
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", script), encoding="utf-8")
    own = [f"--user-data-dir={tmp_path / 'browser'}", "--window-size=1280,900", "--hide-scrollbars"]
    shown = subprocess.run(
        ["chromium", *_BROWSER, *own, "--dump-dom", path.as_uri()],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    ).stdout
    found = re.search(r"<title>(\d+) (\d+) (\d+)</title>", shown)
    assert found is not None
    window, box, content = map(int, found.groups())
    assert window == 1280
    assert content <= box


_BROWSER = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
