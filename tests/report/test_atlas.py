"""The atlas: all measured cells beside their predictions, on one page that stands alone; and the row of an encoding."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lengthwise.encodings.catalog import ENCODINGS
from lengthwise.evidence.measured import all_cells, measured_cells
from lengthwise.report.atlas import AtlasCell, atlas_cells, success_by_answer, summary
from lengthwise.report.atlas_page import MOST_DIFFERENCES, atlas_page
from lengthwise.report.encoding_score import Reference, find_place, reference_cells, rivals
from lengthwise.report.judging import Standing
from lengthwise.theory.claims import Answer


@pytest.fixture(scope="module")
def cells() -> list[AtlasCell]:
    return atlas_cells(all_cells())


def test_every_measured_cell_is_there_with_its_prediction(cells: list[AtlasCell]) -> None:
    assert len(cells) == len(list(all_cells()))
    by_name = {(cell.measured.problem, cell.measured.encoding): cell for cell in cells}
    ape = by_name["TOMITA_4", "ape"]
    assert (ape.prediction.verdict.answer, ape.standing) == (Answer.YES, Standing.DIFFERS)
    assert ape.remark == "a solution exists, but 0 of 5 fitted runs found it"
    nope = by_name["(aa)*", "nope"]
    assert (nope.prediction.verdict.answer, nope.standing) == (Answer.NO, Standing.AGREES)
    assert nope.certificate
    assert nope.prediction.verdict.asked is nope.measured.asked
    assert by_name["unique_copy", "nope"].standing is Standing.NO_EVIDENCE


def test_cells_that_differ_come_first(cells: list[AtlasCell]) -> None:
    surprising = [cell.is_surprising for cell in cells]
    assert surprising == sorted(surprising, reverse=True)
    assert 0 < sum(surprising) < len(cells)


def test_counts_add_up(cells: list[AtlasCell]) -> None:
    rows = success_by_answer(cells)
    assert sum(number for _, number, _, _ in rows) == len(cells)
    assert sum(fitted for _, _, fitted, _ in rows) == sum(cell.measured.num_fitted for cell in cells)
    assert summary(cells).startswith(
        f"{len(cells)} cells: 5 problems with {len({c.measured.encoding for c in cells})} encodings"
    )


def test_json_has_everything_about_a_cell(cells: list[AtlasCell]) -> None:
    data = json.loads(json.dumps(cells[0].to_json()))
    assert {
        "problem",
        "encoding",
        "runs",
        "fitted",
        "generalize",
        "low",
        "high",
        "answer",
        "counting",
        "theorem",
    } <= set(data)
    assert data["command"].startswith("lengthwise run ")


class Page(HTMLParser):
    """What a page loads, the buttons of its map, and its data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.buttons: list[str] = []
        self.data = ""
        self._is_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loaded += [value for name in ("src", "href") if (value := given.get(name))]
        if tag == "button" and "data-cell" in given:
            self.buttons.append(str(given["title"]))
        self._is_data = given.get("class") == "atlas-data"

    def handle_data(self, data: str) -> None:
        self.data += data if self._is_data else ""

    def handle_endtag(self, tag: str) -> None:
        self._is_data = self._is_data and tag != "script"


def test_the_page_stands_alone_and_has_a_button_for_every_cell(cells: list[AtlasCell]) -> None:
    text = atlas_page(cells).to_html()
    page = Page(text)
    assert page.loaded == []
    assert not re.search(r"@import|url\(|fetch\(|https?://(?!www\.w3\.org)", text)
    assert len(page.buttons) == len(cells)
    assert "TOMITA_4 × ape: predicted YES; a solution exists, but 0 of 5 fitted runs found it" in page.buttons
    assert json.loads(page.data) == json.loads(json.dumps([cell.to_json() for cell in cells]))


def test_names_on_the_page_are_text_and_never_markup() -> None:
    (cell,) = measured_cells(task="unique_copy")["rope"]
    evil = replace(cell, setting=replace(cell.setting, name="</script><b>&amp;", summary="<i>"))
    text = atlas_page(atlas_cells([evil])).to_html()
    assert "<b>" not in text.replace("<body>", "")
    assert "<i>" not in text
    assert json.loads(Page(text).data)[0]["setting"] == "</script><b>&amp;"


def test_few_differences_are_listed_and_the_rest_counted(cells: list[AtlasCell]) -> None:
    surprising = [cell for cell in cells if cell.is_surprising]
    many = surprising * (1 + 2 * MOST_DIFFERENCES // len(surprising))
    text = atlas_page(many).to_html()
    assert f"{len(many) - MOST_DIFFERENCES} more are in the map" in text
    assert "more are in the map" not in atlas_page(surprising).to_html()


def test_a_curve_is_kept_with_its_cell() -> None:
    (cell,) = measured_cells(task="unique_copy")["lbpe"]
    (row,) = atlas_cells([replace(cell, curve=(1.0, 1.0, 0.9, None))])
    assert row.to_json()["curve"] == [1.0, 1.0, 0.9, None]


# The row of an encoding


def test_reference_problems_were_measured_with_nearly_all_encodings() -> None:
    setting, problems = reference_cells()
    assert setting.name == "preset_10"
    assert set(problems) == {"TOMITA_4", "(aa)*", "bin_majority", "parity", "unique_copy"}
    assert all(len(measured) > 0.8 * 48 for measured in problems.values())
    assert set(problems["parity"]) <= set(ENCODINGS)


def made(problem: str, own: tuple[int, int, int], **others: tuple[int, int]) -> Reference:
    return Reference(problem=problem, answer="UNKNOWN", own=own, others=others)


def test_an_encoding_is_placed_by_its_mean_share_among_those_measured_everywhere() -> None:
    references = [
        made("one", (5, 5, 5), good=(5, 5), bad=(5, 0), middle=(5, 3), partly=(5, 5)),
        made("two", (5, 4, 2), good=(5, 5), bad=(5, 0), middle=(5, 3)),
    ]
    assert rivals(references) == ["good", "bad", "middle"]
    place = find_place(references)
    assert (place.share, place.rank, place.num_encodings) == (0.7, 2, 4)
    assert place.low < 0.7 < place.high
    assert place.best_rank <= 2 <= place.worst_rank
    assert find_place(references) == place  # the same draws each time


def test_more_seeds_make_the_interval_narrower() -> None:
    few, many = (find_place([made("one", (n, n, n // 2), other=(5, 5))]) for n in (4, 400))
    assert many.high - many.low < 0.2 < few.high - few.low
    assert (many.best_rank, many.worst_rank) == (2, 2)


def test_the_settings_of_a_measured_setting_are_read_back(cells: list[AtlasCell]) -> None:
    setting = replace(
        cells[0].measured.setting, options="--set train_length=50 --set steps=8000 --set tied=true --set room=20,40"
    )
    assert setting.changed == {"train_length": 50, "steps": 8000, "tied": True, "room": [20, 40]}
    assert cells[0].measured.setting.changed == {}


def test_the_page_of_thousands_of_cells_is_made_at_once(cells: list[AtlasCell]) -> None:
    """An exact interval of thousands of runs takes a minute, so sums over cells have none."""
    begun = time.process_time()
    text = atlas_page(cells * 20).to_html()
    assert len(Page(text).buttons) == len(cells)  # one button for each row and column
    assert time.process_time() - begun < 20
