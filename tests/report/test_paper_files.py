"""What a paper takes from a report: the figure, the table in LaTeX, and the works to cite."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_runner import Runner
from made_results import make_result

from lengthwise.errors import InvalidOptionError, MissingExtraError
from lengthwise.experiment.plan import make_runs
from lengthwise.experiment.spec import Spec
from lengthwise.experiment.store import Result, open_store
from lengthwise.markup import escape_latex
from lengthwise.model.shape import Shape
from lengthwise.report.figure_files import draw_figure, save_figure
from lengthwise.report.measured import Report
from lengthwise.report.results import common_settings, legend, summary
from lengthwise.report.sources import sources_of
from lengthwise.svg import NUM_SERIES
from lengthwise.tables import Table
from lengthwise.train.settings import Training

SVG = "{http://www.w3.org/2000/svg}"


def results_of(*tasks: str, encodings: tuple[str, ...] = ("nope", "ape"), **settings: object) -> list[Result]:
    spec = Spec(tasks=tasks, encodings=encodings, seeds=2, train_length=4, test_length=12, **settings)  # type: ignore[arg-type]
    origin = {"hardware": "h", "torch": "2.13", "lengthwise": "0.1.0"}
    return [make_result(run, [1.0, 0.9, 0.5], provenance=origin) for run in make_runs([spec])]


SWEEP = [
    result
    for width in (32, 8, 16)
    for rate in (0.003, 0.001)
    for result in results_of("parity", "[ab]*a<b>", model=Shape(width=width, heads=2), learning_rate=rate)
]


def panels(drawing: str) -> list[list[str]]:
    """Return the words above each panel of a figure."""
    tree = ElementTree.fromstring(drawing)
    return [[text.text or "" for text in group.findall(f"{SVG}text")] for group in tree.findall(f"{SVG}g")]


# Figures


def test_a_figure_has_a_panel_for_each_task_and_settings_in_order() -> None:
    titles = [words[0] for words in panels(draw_figure(SWEEP))]
    settings = [f"learning_rate {rate}, width {width}" for rate in ("0.001", "0.003") for width in (8, 16, 32)]
    assert titles == [f"{task}, {setting}" for task in ("parity", "[ab]*a<b>") for setting in settings]
    assert all(words[1:] == ["1 nope", "2 ape"] for words in panels(draw_figure(SWEEP)))


def test_what_does_not_vary_is_not_named_and_many_encodings_take_several_panels() -> None:
    encodings = ("nope", "ape", "rope", "alibi", "t5", "fire", "kerple_log", "cope")
    found = panels(draw_figure(results_of("parity", encodings=encodings)))
    assert [words[0] for words in found] == ["parity", "parity"]
    assert [len(words) - 1 for words in found] == [NUM_SERIES, len(encodings) - NUM_SERIES]


def test_encodings_without_a_fitted_run_are_marked_in_the_key() -> None:
    unfit = [replace(result, scores=((4, 10, 0),)) for result in results_of("parity", encodings=("ape",))]
    assert panels(draw_figure([*results_of("parity", encodings=("nope",)), *unfit])) == [
        ["parity", "1 nope", "2 ape (no run fitted)"]
    ]


def test_no_panel_reaches_beyond_the_picture() -> None:
    tree = ElementTree.fromstring(draw_figure(SWEEP))
    width, height = float(tree.attrib["width"]), float(tree.attrib["height"])
    for group in tree.findall(f"{SVG}g"):
        x, y = map(float, group.attrib["transform"].removeprefix("translate(").removesuffix(")").split())
        (curves,) = group.findall(f"{SVG}svg")
        assert x + float(curves.attrib["width"]) <= width
        assert y + float(curves.attrib["y"]) + float(curves.attrib["height"]) <= height


def test_a_figure_is_written_as_its_name_ends(tmp_path: Path) -> None:
    Report(results=SWEEP).save_figure(tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").read_text(encoding="utf-8") == draw_figure(SWEEP)
    with pytest.raises(InvalidOptionError, match=r"a figure is written as \.svg or \.pdf; found 'curves.png'"):
        save_figure(SWEEP, "curves.png")


@pytest.mark.skipif(find_spec("cairosvg") is not None, reason="CairoSVG is installed")
def test_a_pdf_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match="a figure in PDF needs cairosvg, which is not installed"):
        save_figure(SWEEP, tmp_path / "curves.pdf")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # those of other people's libraries
def test_a_pdf_holds_lines_and_words_and_no_pixels(tmp_path: Path) -> None:
    pytest.importorskip("cairosvg", reason="pip install '.[figures]' brings cairosvg")
    save_figure(SWEEP, tmp_path / "curves.pdf")
    data = (tmp_path / "curves.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert b"/Subtype /Image" not in data
    assert b"/Type /Font" in data or b"/ObjStm" in data
    if shutil.which("pdftotext"):
        words = subprocess.run(
            ["pdftotext", "-layout", str(tmp_path / "curves.pdf"), "-"], capture_output=True, text=True, check=True
        ).stdout
        assert words.count("length (shaded: trained on)") == 12
        assert "parity, learning_rate 0.001, width 8" in words


# LaTeX

HARD = ["[ab]*|\\d{2}%_#$&~^<>", "--- ``x'' ?` !`", "é Σ λ₁ ≤ ≠ × → … – — ’ 漢 ✓", "*", "\x1b[31m", '"q"']


def test_signs_that_a_font_lacks_are_written_as_their_number() -> None:
    assert escape_latex("a漢b😀") == "a[U+6F22]b[U+1F600]"
    assert escape_latex("é") == "é"
    assert escape_latex("---") == "-{}-{}-"


def compile_latex(text: str, folder: Path) -> str:
    """Return the words of a document with this table, typeset by pdflatex; fail if it stumbles or a line is too wide."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    (folder / "table.tex").write_text(text, encoding="utf-8")
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,longtable}\\usepackage[landscape,margin=5mm,a3paper]{geometry}"
        "\\begin{document}\\input{table.tex}\\end{document}",
        encoding="utf-8",
    )
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
    if shutil.which("pdftotext") is None:
        return ""
    return subprocess.run(
        ["pdftotext", "-layout", "paper.pdf", "-"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_the_comments_of_a_table_hold_the_caption_with_what_is_the_same_for_all(tmp_path: Path) -> None:
    found = Report(results=SWEEP)
    found.save_latex(tmp_path / "made.tex")
    comments = (tmp_path / "made.tex").read_text(encoding="utf-8").partition("\\begin{")[0]
    said = " ".join(line.removeprefix("% ") for line in comments.splitlines())
    assert common_settings(found.cells) in said
    assert "train_length 4, test_length 12, layers 2, " in said
    assert summary(found.cells) in said
    assert legend(found.cells) in said


def test_words_stand_left_and_numbers_right(tmp_path: Path) -> None:
    Report(results=SWEEP).save_latex(tmp_path / "made.tex")
    made = (tmp_path / "made.tex").read_text(encoding="utf-8")
    assert "{llrrlrrrrrr}" in made  # task, encoding, two numbers, the prediction, then numbers
    switched = [*results_of("parity"), *results_of("parity", model=Shape(log_n=True))]
    Report(results=switched).save_latex(tmp_path / "made.tex")
    assert "{llllrrrrrr}" in (tmp_path / "made.tex").read_text(encoding="utf-8"), "a switch is a word"


@pytest.mark.full
def test_the_table_of_a_report_compiles(tmp_path: Path) -> None:
    Report(results=SWEEP).save_latex(tmp_path / "made.tex")
    words = compile_latex((tmp_path / "made.tex").read_text(encoding="utf-8"), tmp_path)
    assert not words or ("predicted" in words and "[ab]*a<b>" in words)


@pytest.mark.full
def test_a_table_longer_than_a_page_goes_on_to_the_next(tmp_path: Path) -> None:
    table = Table(header=["n", "word"], rows=[[str(number), "[x]"] for number in range(100)], kinds={0: "number"})
    words = compile_latex(table.to_latex(), tmp_path)
    assert not words or words.count("word") == words.count("\f") > 1


@pytest.mark.full
@pytest.mark.parametrize("kind", ["name", "", "remark"])
def test_any_text_compiles_in_any_column(tmp_path: Path, kind: str) -> None:
    table = Table(header=HARD[:3], rows=[HARD[:3], HARD[3:], HARD[2::-1]], kinds=dict.fromkeys(range(3), kind))
    compile_latex(table.to_latex(), tmp_path)


# Works to cite


def test_all_that_was_used_is_cited_with_the_program_in_its_version_and_nothing_else() -> None:
    found = sources_of(
        results_of(
            "parity",
            encodings=("nope", "randomized(fire)"),
            model=Shape(log_n=True),
            training=Training(penalties=(("value_norm", 0.1),)),
        )
    )
    used = {work.key: reasons for work, reasons in found.works}
    assert used["lengthwise"] == ("the program",)
    assert found.works[0][0].bibtex().count("  note = {Version 0.1.0},\n") == 1
    assert used["2501.19399"] == ("switch log_n",)
    assert "penalty value_norm" in used["2410.02140"]
    assert {"encoding randomized(fire)"} == set(used["2305.16843"]) == set(used["2310.04418"])
    assert "2104.09864" not in used  # RoPE was not used


def test_versions_that_made_the_runs_are_named() -> None:
    first, *others = results_of("parity")
    newer = replace(first, provenance={**first.provenance, "lengthwise": "0.2.0"})
    program = sources_of([newer, *others]).works[0][0]
    assert "  note = {Version 0.1.0 and 0.2.0},\n" in program.bibtex()


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = str(tmp_path / "runs.sqlite")
    with open_store(path) as opened:
        opened.save(results_of("parity", "[ab]*@", encodings=("rope",)))
    return path


def test_a_store_is_cited_by_its_path(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = Runner(capsys)
    outcome = run("cite", store)
    assert outcome.code == 0
    assert "@misc{thelengthwisedevelopers2026lengthwise," in outcome.out
    assert "% used for encoding rope\n@misc{su2021roformer," in outcome.out
    assert all(line.count("@") == line.startswith("@") for line in outcome.out.splitlines())
    works = json.loads(run("cite", store, "--json").out)
    assert [work["used_for"] for work in works if work["arxiv"] == "2104.09864"] == [["encoding rope"]]
    assert Runner(capsys).fails("cite", "none.sqlite").startswith("error: there is no store 'none.sqlite'.")


# The command


def test_report_writes_figure_and_table(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("page.html", "curves.svg", "table.tex")]
    outcome = Runner(capsys)("report", store, "--out", files[0], "--figure", files[1], "--latex", files[2])
    assert outcome.code == 0
    assert Path(files[1]).read_text(encoding="utf-8").startswith("<svg ")
    text = Path(files[2]).read_text(encoding="utf-8")
    assert text.startswith("% \\usepackage{booktabs}\n")
    assert text.endswith("\\end{tabular}\n")
    assert "remark" not in text.split("\\toprule")[1]


def test_a_figure_that_cannot_be_written_is_refused_before_any_work(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    told = Runner(capsys).fails("report", store, "--out", str(page), "--figure", "curves.png")
    assert "a figure is written as .svg or .pdf; found 'curves.png'." in told
    assert not page.exists()
