"""Pictures of encodings: the numbers against formulas, the shades, the drawings, and the reference page they stand on.

scripts/docs writes the page and its picture anew.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import pytest
from write_docs import GALLERY

from lengthwise.encodings.catalog import ALIASES, ENCODINGS, cards_by_family
from lengthwise.errors import InvalidOptionError
from lengthwise.model.shape import SWITCHES
from lengthwise.report.encoding_pages import encodings_page, show_option, switches
from lengthwise.report.gallery import Panel, draw_gallery, draw_panel, encode_png, palette, text_picture

SVG = "{http://www.w3.org/2000/svg}"


def panel(*rows: list[float | None], name: str = "it") -> Panel:
    return Panel(name=name, title="what <it> does", values=rows)


# The numbers

PLACES = [(0, 0), (1, 0), (5, 2), (20, 19), (31, 0), (31, 17)]


def test_the_picture_of_alibi_is_its_slope_times_the_distance() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    for head, slope in enumerate((2**-2, 2**-4, 2**-6, 2**-8)):
        shown = effect("alibi", head=head)
        assert [shown[i][j] for i, j in PLACES] == pytest.approx([-slope * (i - j) for i, j in PLACES], abs=1e-6)


def test_the_picture_of_rope_is_the_mean_of_cosines_less_one() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    for base in (10000, 500):
        shown = effect(f"rope(base={base})")
        for i, j in PLACES:
            mean = sum(math.cos((i - j) * base ** (-2 * t / 16)) for t in range(8)) / 8
            assert shown[i][j] == pytest.approx(mean - 1, abs=1e-5)


def test_the_picture_of_a_window_hides_what_lies_outside() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    shown = effect("window(window=3)", 10)
    assert shown == [[0.0 if 0 <= i - j < 3 else None for j in range(10)] for i in range(10)]


def test_the_picture_of_sinusoids_is_their_inner_product() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    shown = effect("sinusoidal")
    for i, j in PLACES:
        product = sum(math.cos((i - j) * 10000 ** (-2 * t / 64)) - 1 for t in range(32)) / 8
        assert shown[i][j] == pytest.approx(product, abs=1e-5)


def test_weights_that_are_no_softmax_are_shown_by_their_logarithm() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    shown = effect("stick_breaking", 8)
    take, leave = math.log(1 / (1 + math.exp(-1))), math.log(1 / (1 + math.e))
    assert [shown[i][i] for i in range(8)] == [None] * 8
    assert shown[7][:7] == pytest.approx([take + leave * (6 - j) for j in range(7)], abs=1e-5)


def test_tokens_of_one_role_are_alike() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    copied = effect("coupling")
    assert all(copied[i + 16][i] == pytest.approx(copied[i][i], abs=1e-6) for i in range(16))
    summed = effect("abacus")
    assert summed[10][0] == pytest.approx(summed[0][0], abs=1e-6), "the first digits of two numbers"


def test_a_head_that_is_not_there_is_an_error() -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    with pytest.raises(InvalidOptionError, match="there is no head 4 among 4 heads"):
        effect("alibi", head=4)


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_has_a_picture(name: str) -> None:
    pytest.importorskip("torch")
    from lengthwise.model.pictures import effect

    for length in (1, 2, 9):
        shown = effect(name, length)
        assert [len(row) for row in shown] == [length] * length
        assert all(value is None for i, row in enumerate(shown) for value in row[i + 1 :])
        assert all(math.isfinite(value) for row in shown for value in row if value is not None)


# Shades


def test_shades_run_from_the_lowest_to_the_highest() -> None:
    shown = panel([0.0, None, None], [-1.0, 0.0, None], [None, -4.0, 0.0])
    assert text_picture(shown) == "██\n▓▓██\n× ··██\n· −4 … █ 0, × not seen"
    assert text_picture(shown, plain=True) == "##\n**##\nx ..##\n. -4 ... # 0, x not seen"
    assert text_picture(shown, plain=True).isascii()
    assert text_picture(panel([0.0])) == "██\n█ 0"


def test_a_picture_of_nothing_can_be_made() -> None:
    assert text_picture(panel([None])) == "×\n█ 0, × not seen"
    ElementTree.fromstring(draw_panel(panel([None])))


# Drawings


def pixels(png: bytes) -> list[list[int]]:
    """Return the numbers of the colours in an image as the gallery writes them."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, place = {}, 8
    while place < len(png):
        (size,) = struct.unpack_from(">I", png, place)
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        assert struct.unpack_from(">I", png, place + 8 + size)[0] == zlib.crc32(kind + data)
        chunks[kind], place = data, place + size + 12
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (width + 1)
    return [list(lines[row * (width + 1) + 1 : (row + 1) * (width + 1)]) for row in range(height)]


def images(svg: str) -> dict[str, list[list[int]]]:
    """Return the images of a gallery by the name of their encoding."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        title, image = group.findtext(f"{SVG}title"), group.find(f"{SVG}image")
        assert title is not None
        assert image is not None
        data = image.attrib["href"].removeprefix("data:image/png;base64,")
        found[title.partition(":")[0]] = pixels(base64.b64decode(data))
    return found


def test_an_image_has_zero_in_the_middle_and_the_largest_at_an_end() -> None:
    middle = len(palette()) // 2 + 1  # number 0 is what is not seen
    shown = pixels(encode_png([[0.0, None], [-2.0, 1.0]]))
    assert shown == [[middle, 0], [1, middle + (len(palette()) // 2) // 2]]


def test_colours_darken_on_both_sides_of_zero() -> None:
    light = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in palette()]
    middle = len(light) // 2
    assert light[: middle + 1] == sorted(light[: middle + 1])
    assert light[middle:] == sorted(light[middle:], reverse=True)
    assert len(set(palette())) == len(palette())


def test_a_drawing_is_well_formed_whatever_the_names() -> None:
    odd = panel([0.0, None], [None, 0.0], name='<a & "b">')
    for svg in (draw_panel(odd), draw_gallery({"<family> & co": [odd, odd]}, columns=1)):
        tree = ElementTree.fromstring(svg)
        assert '<a & "b">' in "".join(tree.itertext())
        assert "prefers-color-scheme: dark" in svg


def test_the_gallery_of_the_docs_shows_every_encoding_as_it_is() -> None:
    pytest.importorskip("torch")
    svg = GALLERY.read_text(encoding="utf-8")
    assert len(svg.encode()) < 200_000
    drawn = images(svg)
    assert list(drawn) == list(ENCODINGS)
    titles = [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text") if each.get("class") == "name"]
    assert titles == list(ENCODINGS)
    from lengthwise.model.pictures import effect

    for name, shown in drawn.items():  # within two of a hundred colours, as processors round differently
        expected = pixels(encode_png(effect(name)))
        assert all(
            (found == 0) == (wanted == 0) and abs(found - wanted) <= 2
            for row, line in zip(shown, expected, strict=True)
            for found, wanted in zip(row, line, strict=True)
        ), f"the picture of {name} is out of date: scripts/docs writes it anew"


# The page


def test_the_families_hold_all_encodings_in_order() -> None:
    assert [card.name for cards in cards_by_family().values() for card in cards] == list(ENCODINGS)


def test_the_switches_are_told_by_the_shape() -> None:
    assert tuple(switches()) == SWITCHES
    assert all(switches().values())


def test_the_reference_page_has_a_row_and_a_section_for_every_encoding() -> None:
    page = encodings_page()
    assert re.findall(r"^### (\w+)$", page, flags=re.MULTILINE) == list(ENCODINGS)
    assert re.findall(r"^\| \[(\w+)\]\(#\1\) \|", page, flags=re.MULTILINE) == list(ENCODINGS)
    for alias in ALIASES.values():
        assert f"| {alias.name} | `{alias.means}` |" in page
    for card in ENCODINGS.values():
        assert all(f"`{option.name}=" in page for option in card.options)
        assert card.formula in page


def test_an_option_is_told_with_its_range() -> None:
    (base,) = ENCODINGS["rope"].options
    (diagonal,) = ENCODINGS["stick_breaking"].options
    assert show_option(base) == "base=10000 (1e-12 to 1e12): the base of the frequencies"
    assert show_option(base, 500.0) == "base=500 (default 10000; 1e-12 to 1e12): the base of the frequencies"
    assert show_option(diagonal) == "diagonal=false (true or false): whether a token may attend to itself"
