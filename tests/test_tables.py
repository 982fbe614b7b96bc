"""Tables and documents: one content, and five ways to show it in which text stays text."""

from __future__ import annotations

import importlib.util
import json
import sys
from types import ModuleType
from xml.etree import ElementTree

import pytest

from lengthwise.errors import MissingExtraError
from lengthwise.report.pages import Details, Document, Heading, Items, Panel, Panels, Paragraph, Picture, Span
from lengthwise.tables import Table

ODD = 'a|b <b>&"\x1b[31m'
TABLE = Table(
    header=["task", "predicted", "share_1", "remark"],
    rows=[[ODD, "YES", "99.9", "as it should be, and at every length that was tried"], ["parity", "NO", "–", ""]],
    kinds={0: "name", 1: "answer", 2: "number", 3: "remark"},
)


def test_a_terminal_gets_columns_and_the_last_one_wraps() -> None:
    plain = Table(header=["a", "b", "long"], rows=[["1", "22", "word " * 20]])
    lines = plain.to_text(60).split("\n")
    assert lines[0] == "a  b   long"
    assert lines[1].startswith("1  22  word word")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 60
    assert lines[2].startswith(" " * 7 + "word")


def test_only_answers_are_painted() -> None:
    shown = TABLE.to_text(100, lambda text, name: f"<{name}>{text}</{name}>")
    assert shown.count("<YES>YES") == shown.count("<NO>NO") == 1
    assert shown.startswith("<bold>task")
    assert "<99.9>" not in shown


def test_markdown_ends_no_cell_and_holds_no_html() -> None:
    head, rule, first, second = TABLE.to_markdown().split("\n")
    assert head == "| task | predicted | share_1 | remark |"
    assert rule == "|---|---|---|---|"
    assert first.startswith('| a\\|b &lt;b&gt;&amp;"\\x1b[31m | YES | 99.9 |')
    assert second == "| parity | NO | – |  |"


def test_html_is_well_formed_and_knows_answers() -> None:
    tree = ElementTree.fromstring(TABLE.to_html())
    cells = list(tree.iter("td"))
    assert "".join(cells[0].itertext()) == 'a|b <b>&"\\x1b[31m'
    assert [cell.get("class") for cell in cells[:4]] == [None, "YES", "number", "remark"]
    assert [cell.get("data-title") for cell in cells[:4]] == list(TABLE.header)
    assert TABLE._repr_html_() == TABLE.to_html()


def test_what_is_no_answer_makes_no_class() -> None:
    odd = Table(header=["answer"], rows=[['x" onload="y']], kinds={0: "answer"})
    (cell,) = ElementTree.fromstring(odd.to_html()).iter("td")
    assert cell.attrib == {"data-title": "answer"}


def test_latex_has_rules_and_escapes() -> None:
    lines = TABLE.to_latex().split("\n")
    assert lines[:2] == [r"\begin{tabular}{llrp{5cm}}", r"\toprule"]
    assert lines[2] == r"task & predicted & share\_1 & remark \\"
    assert lines[4].startswith(r"\texttt{a\textbar{}b \textless{}b\textgreater{}\&")
    assert lines[5] == r"\texttt{parity} & NO & -- &  \\"
    assert "\x1b" not in TABLE.to_latex()
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_a_row_of_latex_that_begins_with_a_bracket_is_no_option_of_the_row_before() -> None:
    lines = Table(header=["*"], rows=[["[1cm]"], ["a"]]).to_latex().split("\n")
    assert lines[2:5] == [r"{}* \\", r"\midrule", r"{}[1cm] \\"]


def test_json_holds_the_records_or_the_text() -> None:
    assert TABLE.to_json()[1] == {"task": "parity", "predicted": "NO", "share_1": "–", "remark": ""}
    data = Table(header=["a"], rows=[["99.9"]], records=[{"a": 0.9994}])
    assert json.loads(json.dumps(data.to_json())) == [{"a": 0.9994}]


def test_a_frame_is_of_the_library_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="a data frame needs pandas or polars"):
        TABLE.to_frame()
    polars = ModuleType("polars")
    polars.DataFrame = lambda records: ("frame", records)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "polars", polars)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "polars" or None)
    assert TABLE.to_frame() == ("frame", TABLE.to_json())


DOCUMENT = Document(
    [
        Heading("A & B"),
        Paragraph(["of ", Span(ODD, "code"), " and ", Span("NO", "NO")]),
        TABLE,
        Items([ODD]),
        Picture("<svg/>"),
        Panels([Panel("<t>", "what <it> is", "<svg/>", ["said"])]),
        Details("More", code='{\n "a": "<b>"\n}'),
    ],
    title="<title>",
)


def test_a_page_is_well_formed_whatever_the_text() -> None:
    page = DOCUMENT.to_html()
    body = page[page.index("<body>") :].removesuffix("</html>\n")
    tree = ElementTree.fromstring(body)
    assert "".join(tree.find(".//h1").itertext()) == "<title>"  # type: ignore[union-attr]
    assert "".join(tree.find(".//pre").itertext()) == '{\n "a": "<b>"\n}'  # type: ignore[union-attr]
    assert "\x1b" not in page
    assert '<span class="NO">NO</span>' in page


def test_markdown_and_terminal_leave_pictures_out() -> None:
    text = DOCUMENT.to_markdown()
    assert text.startswith('## A &amp; B\n\nof a\\|b &lt;b&gt;&amp;"\\x1b[31m and NO\n\n| task |')
    assert "svg" not in text
    lines = DOCUMENT.to_text(100).split("\n")
    assert lines[0].startswith("of a|b")
    assert lines[1] == lines[5] == "", "an empty line above and below a table"
    assert lines[6].startswith("  - a|b")


def test_an_interval_may_stand_below_its_number_and_is_never_broken() -> None:
    page = Table(header=["learning_rate", "3×"], rows=[["0.1", "57.5 (50.0–65.0)"]], kinds={1: "number"}).to_html()
    assert '<span>57.5 <span class="whole">(50.0–65.0)</span></span>' in page
    assert ">learning_<wbr/>rate</th>" in page
