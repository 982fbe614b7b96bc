"""Reports: honest statistics, a page that stands alone, and verdicts read where the models are."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pytest
from made_results import make_result

from lengthwise.cli.main import main
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.predict.predict import predict_task
from lengthwise.report.figures import draw_curves
from lengthwise.report.results import (
    TITLE,
    baselines_table,
    brief_report,
    decoding_table,
    legend,
    results_page,
    results_table,
    show_interval,
    summary,
    to_json,
)
from lengthwise.report.statistics import (
    FITTED,
    GENERALIZED,
    Cell,
    agreement,
    description_of,
    interval,
    is_fitted,
    share_in,
    sort_out,
    summarize,
)
from lengthwise.tasks.audit.results import Audit, Baseline
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange
from lengthwise.theory.claims import Answer

Shares = Sequence[float]


def make_results(task: str, encoding: str, shares_by_seed: Sequence[Shares], *, train: int = 4) -> list[Result]:
    """Return a result per seed whose exact match in each bin is as given, out of 1000 instances at each bin's end."""
    num_bins = len(shares_by_seed[0])
    spec = Spec(
        tasks=(task,),
        encodings=(encoding,),
        seeds=len(shares_by_seed),
        train_length=train,
        test_length=train * num_bins,
    )
    return [make_result(run, shares) for run, shares in zip(make_runs([spec]), shares_by_seed, strict=True)]


def cell_of(task: str, encoding: str, shares_by_seed: Sequence[Shares]) -> Cell:
    (cell,) = summarize(make_results(task, encoding, shares_by_seed))
    return cell


YES_TASK, NO_TASK = "bin_majority", "repeat_copy"


# Statistics


def test_the_tasks_of_these_tests_have_the_verdicts_their_names_say() -> None:
    assert cell_of(YES_TASK, "nope", [[1, 1]]).verdict.answer is Answer.YES
    assert cell_of(NO_TASK, "nope", [[1, 1]]).verdict.answer is Answer.NO


@pytest.mark.parametrize(
    ("task", "shares", "fitted", "generalized", "measured", "agrees", "remark"),
    [
        (YES_TASK, [[1, 1, 1]] * 3, 3, 3, Answer.YES, True, "agrees"),
        (YES_TASK, [[1, 1, 1], [1, 1, 0.95], [1, 1, 0.2]], 3, 2, Answer.YES, True, "agrees for most runs"),
        (
            YES_TASK,
            [[1, 1, 1], [1, 1, 0.2], [1, 1, 0.1]],
            3,
            1,
            Answer.NO,
            False,
            "a solution exists, but 1 of 3 runs found it",
        ),
        (
            YES_TASK,
            [[1, 1, 1], [1, 1, 0]],
            2,
            1,
            Answer.UNKNOWN,
            None,
            "split: half of the fitted runs generalize",
        ),
        (
            YES_TASK,
            [[0.98, 1, 1], [0.5, 1, 1]],
            0,
            0,
            Answer.UNKNOWN,
            None,
            "no run fitted the training lengths: no evidence",
        ),
        (YES_TASK, [[0.98, 0, 0], [1, 0.9, 0.9]], 1, 1, Answer.YES, True, "agrees"),
        (NO_TASK, [[1, 0.5, 0]] * 3, 3, 0, Answer.NO, True, "agrees"),
        (NO_TASK, [[1, 1, 1], [1, 0, 0], [1, 0, 0]], 3, 1, Answer.NO, True, "agrees for most runs"),
        (NO_TASK, [[1, 1, 1]] * 3, 3, 3, Answer.YES, False, "better than predicted at these lengths"),
        (NO_TASK, [[1, 1, 0.899]], 1, 0, Answer.NO, True, "agrees"),
        (NO_TASK, [[0.99, 0, 0.9]], 1, 1, Answer.YES, False, "better than predicted at these lengths"),
        (NO_TASK, [[0.989, 0, 0.9]], 0, 0, Answer.UNKNOWN, None, "no run fitted the training lengths: no evidence"),
    ],
)
def test_a_cell_counts_runs_that_fit_and_of_those_the_ones_that_generalize(
    task: str,
    shares: Sequence[Shares],
    fitted: int,
    generalized: int,
    measured: Answer,
    agrees: bool | None,
    remark: str,
) -> None:
    cell = cell_of(task, "nope", shares)
    assert (cell.num_runs, cell.num_fitted, cell.num_generalized) == (len(shares), fitted, generalized)
    assert cell.measured is measured
    assert cell.agrees is agrees
    assert cell.remark == remark


def test_an_unknown_verdict_is_nothing_to_agree_with() -> None:
    cell = cell_of(YES_TASK, "nope", [[1, 1]])
    unknown = replace(cell, verdict=replace(cell.verdict, answer=Answer.UNKNOWN))
    assert unknown.agrees is None
    assert unknown.remark == "no prediction to compare with"


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
    assert said.out.count("no prediction to compare with") == 2


def test_agreement_counts_the_cells_where_both_are_known() -> None:
    cells = [
        cell_of(YES_TASK, "nope", [[1, 1]]),
        cell_of(NO_TASK, "nope", [[1, 1]]),
        cell_of(NO_TASK, "ape", [[1, 0]]),
        cell_of(NO_TASK, "ape", [[0.5, 0]]),
    ]
    assert agreement(cells) == (2, 3)
    assert summary(cells) == (
        "Prediction and measurement agree in 2 of 3 cells where both are known; "
        "3 of 4 cells have a run that fits the training lengths."
    )


def brute_force_cut(number: int) -> int:
    """Return how many values may be left out at each end, by trying all ways the values can lie about the median.

    Each value lies below or above with probability 1/2. Leaving out k at each end misses the median when at most k
    lie below, or at most k above.
    """
    best = 0
    for cut in range(number // 2):
        misses = sum(min(sum(sides), number - sum(sides)) <= cut for sides in itertools.product((0, 1), repeat=number))
        if misses / 2**number <= 0.05:
            best = cut
    return best


@pytest.mark.parametrize("number", range(1, 15))
def test_the_interval_of_a_median_is_by_order_statistics(number: int) -> None:
    values = [(7 * place % number) / number for place in range(number)]
    if len(set(values)) < number:
        values = [place / number for place in range(number)]
    ordered = sorted(values)
    cut = brute_force_cut(number)
    found = interval(values)
    assert found.median == median(values)
    assert (found.low, found.high) == (ordered[cut], ordered[-1 - cut])


def test_known_intervals() -> None:
    """From tables: for 6 values the range, for 9 the 2nd to the 8th, for 20 the 6th to the 15th."""
    for number, first in ((5, 1), (6, 1), (9, 2), (12, 3), (20, 6), (100, 40)):
        found = interval([float(place) for place in range(1, number + 1)])
        assert (found.low, found.high) == (first, number + 1 - first)


def test_an_interval_of_nothing_is_nothing() -> None:
    assert all(math.isnan(value) for value in asdict(interval([])).values())
    assert show_interval(interval([])) == "–"


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
    assert show_interval(interval(values)) == text


NO_EVIDENCE = "no run fitted the training lengths: no evidence"


def test_the_table_has_a_row_for_every_cell_and_a_column_for_every_bin() -> None:
    cells = [cell_of(YES_TASK, "nope", [[1, 1, 0.95], [1, 1, 1]]), cell_of(NO_TASK, "ape", [[0.5, 0.25]])]
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
        [
            f"{YES_TASK} (0–4 / 5–8 / 9–12)",
            "nope",
            "YES",
            "100",
            "100",
            "97.5 (95.0–100)",
            "2/2",
            "2/2",
            "100",
            "agrees",
        ],
        [f"{NO_TASK} (0–4 / 5–8)", "ape", "NO", "50.0", "25.0", "", "0/1", "–", "25.0", NO_EVIDENCE],
    ]
    assert legend(cells[:1]) == (
        "Exact match in percent, median (and range; 95 % interval from six runs on) over the fitted runs, or over all where "
        "none fitted, at lengths 0–4 / 5–8 / 9–12. Fitted: at least 99% on fresh instances of the "
        "longest quarter of the training lengths. Generalize: fitted, and at least 90% at 3×; best: the best run there."
    )
    assert "at lengths given in each row." in legend(cells)
    assert results_table(cells[:1]).rows[0][0] == YES_TASK
    assert (FITTED, GENERALIZED) == (0.99, 0.90)


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
        "predicted",
        "theorem",
        "reason",
        "readout",
        "measured",
        "agrees",
        "remark",
        "processors",
        "runs",
        "fitted",
        "generalize",
        "bins",
        "success_at",
        "best",
        "learning_rate",
        "other_learning_rates",
    ]
    assert (first["task"], first["encoding"], first["predicted"], first["measured"]) == (YES_TASK, "nope", "YES", "NO")
    assert (first["runs"], first["fitted"], first["generalize"], first["agrees"]) == (1, 1, 0, False)
    assert first["bins"][1] == {"lengths": [5, 8], "median": 0.5, "low": 0.5, "high": 0.5}
    assert first["best"] == 0.25
    assert data[1]["agrees"] is None


def sparse_results() -> list[Result]:
    """Return results of a language without words in its middle bin."""
    (result,) = make_results("(a{12})*", "nope", [[1, 1, 1]], train=5)
    return [replace(result, scores=((0, 10, 10), (12, 10, 5)))]


def test_a_bin_without_instances_has_no_numbers() -> None:
    (cell,) = summarize(sparse_results())
    assert results_table([cell]).rows[0][3:6] == ["100", "–", "50.0"]
    bins = json.loads(json.dumps(to_json([cell]), allow_nan=False))[0]["bins"]
    assert bins[1] == {"lengths": [6, 10], "median": None, "low": None, "high": None}
    assert "nan" not in results_page(sparse_results()).to_html().lower()


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
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & set(outline.tags)
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
    assert "Runs with 2 different settings are counted together." in results_page([*preset, *other]).to_html()


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
    assert figure.attrib["aria-label"] == ("Exact match by length for <a>*; where success is judged: nope 50%, ape 0%.")
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


def test_a_learning_rate_is_chosen_by_training_lengths_and_never_counts_as_a_seed() -> None:
    shares = {0.001: [[1, 0, 0], [1, 0, 0]], 0.003: [[1, 1, 1], [0.5, 1, 1]], 0.01: [[0.2, 1, 1]] * 2}
    results = [
        with_rate(result, rate) for rate, rows in shares.items() for result in make_results(YES_TASK, "nope", rows)
    ]
    (cell,) = summarize(results)
    assert (cell.learning_rate, cell.num_runs, cell.num_fitted, cell.num_generalized) == (0.001, 2, 2, 0)
    assert [(rate.value, rate.num_runs, rate.num_fitted) for rate in cell.other_rates] == [(0.003, 2, 1), (0.01, 2, 0)]
    assert "0.001 (2/2 fitted), not 0.003 (1/2 fitted), 0.01 (0/2 fitted)." in legend([cell])


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


def test_decoding_is_reported_as_a_difference_on_the_same_instances() -> None:
    (result,) = make_results(YES_TASK, "nope", [[1, 0.9, 0.8]])
    assert decoding_table(summarize([result])) is None
    decoded = replace(result, generated=((4, 100, 100), (12, 100, 60)), forced=((4, 100, 100), (12, 100, 80)))
    (cell,) = summarize([decoded])
    assert [value.median for value in cell.decoding] == pytest.approx([0, float("nan"), -0.2], nan_ok=True)
    table = decoding_table([cell])
    assert table is not None
    assert list(table.rows[0][2:]) == ["0", "–", "−20"]
