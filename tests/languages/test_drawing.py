from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import lengthwise.languages.drawing as drawing_module
from lengthwise.errors import InvalidOptionError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.drawing import draw_svg, draw_text

SVG = "{http://www.w3.org/2000/svg}"
CHARACTER, LINE = 8.4, 12.0  # the size of a character of a label, without the space between lines

LANGUAGES = {
    "(aa)*": DFA(alphabet="a", transitions=[[1], [0]], accepting=[0]),
    "(ab)*": DFA(alphabet="ab", transitions=[[1, 2], [2, 0], [2, 2]], accepting=[0]),
    "even number of a": DFA(alphabet="ab", transitions=[[1, 0], [0, 1]], accepting=[0]),
    "even a, even b": DFA(alphabet="ab", transitions=[[1, 2], [0, 3], [3, 0], [2, 1]], accepting=[0]),
    "ring of six": DFA(alphabet="ab", transitions=[[(i + 1) % 6, (i - 1) % 6] for i in range(6)], accepting=[0]),
    "ring of five": DFA(alphabet="ab", transitions=[[(i + 1) % 5, i] for i in range(5)], accepting=[0, 3]),
    "no 000": DFA(alphabet="01", transitions=[[1, 0], [2, 0], [3, 0], [3, 3]], accepting=[0, 1, 2]),
    "D_3": DFA(alphabet="()", transitions=[[1, 4], [2, 0], [3, 1], [4, 2], [4, 4]], accepting=[0]),
    "[012]*02*": DFA(alphabet="012", transitions=[[1, 0, 0], [1, 0, 1]], accepting=[1]),
    "nothing": DFA(alphabet="ab", transitions=[[0, 0]], accepting=[]),
    "everything": DFA(alphabet="ab", transitions=[[0, 0]], accepting=[0]),
    "abab somewhere": DFA(alphabet="ab", transitions=[[1, 0], [1, 2], [3, 0], [1, 4], [4, 4]], accepting=[4]),
    "the third last is b": DFA(
        alphabet="ab", transitions=[[2 * i % 8, (2 * i + 1) % 8] for i in range(8)], accepting=[4, 5, 6, 7]
    ),
}
every_language = pytest.mark.parametrize("name", LANGUAGES)


def random_language(seed: int, num_states: int) -> DFA:
    draw = random.Random(seed)
    rows = [[draw.randrange(num_states) for _ in "abc"] for _ in range(num_states)]
    return DFA(alphabet="abc", transitions=rows, accepting=[s for s in range(num_states) if draw.random() < 0.5])


def shown(language: DFA) -> tuple[set[int], dict[tuple[int, int], list[str]]]:
    """The states and edges a picture should show: all but a state, not alone, that accepts nothing."""
    states = set(range(language.num_states))
    for state in range(1, language.num_states):
        if state not in language.accepting and set(language.transitions[state]) == {state}:
            states.remove(state)
    edges: dict[tuple[int, int], list[str]] = {}
    for state in sorted(states):
        for symbol in language.alphabet:
            if (target := language.run([symbol], state)) in states:
                edges.setdefault((state, target), []).append(symbol)
    return states, edges


def groups(svg: str, kind: str) -> list[ET.Element]:
    return [group for group in ET.fromstring(svg).iter(f"{SVG}g") if group.get("class") == kind]


def text_of(group: ET.Element) -> str:
    return group.findtext(f"{SVG}text", "")


def label_boxes(svg: str) -> list[tuple[float, float, float, float]]:
    boxes = []
    for group in groups(svg, "edge"):
        text = group.find(f"{SVG}text")
        assert text is not None
        x, y = float(text.get("x", "")), float(text.get("y", "")) - 4.8
        width = len(text_of(group)) * CHARACTER
        boxes.append((x - width / 2, y - LINE / 2, x + width / 2, y + LINE / 2))
    return boxes


def circles(svg: str) -> list[tuple[float, float, float]]:
    found = []
    for group in groups(svg, "state"):
        circle = group.find(f"{SVG}circle")
        assert circle is not None
        found.append((float(circle.get("cx", "")), float(circle.get("cy", "")), float(circle.get("r", ""))))
    return found


def curve_points(group: ET.Element) -> list[complex]:
    path = next(path.get("d", "") for path in group.iter(f"{SVG}path") if path.get("class") == "line")
    pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)
    one, two, three, four = (complex(float(x), float(y)) for x, y in pairs)
    times = [step / 40 for step in range(41)]
    return [(1 - t) ** 3 * one + 3 * (1 - t) ** 2 * t * two + 3 * (1 - t) * t * t * three + t**3 * four for t in times]


@every_language
def test_a_picture_has_one_group_for_every_shown_state(name: str) -> None:
    language = LANGUAGES[name]
    states, _ = shown(language)
    drawn = groups(draw_svg(language), "state")
    assert [int(text_of(group)) for group in drawn] == sorted(states)
    for group in drawn:
        rings = 2 if int(text_of(group)) in language.accepting else 1
        assert len(group.findall(f"{SVG}circle")) == rings


@every_language
def test_a_picture_has_one_labelled_arrow_for_every_edge(name: str) -> None:
    _, edges = shown(LANGUAGES[name])
    drawn = groups(draw_svg(LANGUAGES[name]), "edge")
    assert [group.findtext(f"{SVG}title") for group in drawn] == [
        f"{one} to {two}: {', '.join(symbols)}" for (one, two), symbols in sorted(edges.items())
    ]
    assert [text_of(group) for group in drawn] == [", ".join(symbols) for _, symbols in sorted(edges.items())]


@every_language
def test_labels_overlap_neither_each_other_nor_states_nor_arrows(name: str) -> None:
    svg = draw_svg(LANGUAGES[name])
    boxes = label_boxes(svg)
    for one, two in itertools.combinations(boxes, 2):
        assert one[2] < two[0] or two[2] < one[0] or one[3] < two[1] or two[3] < one[1]
    for (left, top, right, bottom), (x, y, radius) in itertools.product(boxes, circles(svg)):
        nearest = complex(min(max(x, left), right), min(max(y, top), bottom))
        assert abs(nearest - complex(x, y)) > radius
    for (left, top, right, bottom), group in itertools.product(boxes, groups(svg, "edge")):
        assert not any(left < point.real < right and top < point.imag < bottom for point in curve_points(group))


@every_language
def test_arrows_run_through_no_state(name: str) -> None:
    svg = draw_svg(LANGUAGES[name])
    for group, (x, y, radius) in itertools.product(groups(svg, "edge"), circles(svg)):
        assert all(abs(point - complex(x, y)) > radius - 1 for point in curve_points(group))


@pytest.mark.parametrize("num_states", [6, 9, 12])
def test_labels_of_random_automata_overlap_neither_each_other_nor_states(num_states: int) -> None:
    for seed in range(2):
        svg = draw_svg(random_language(seed, num_states))
        boxes = label_boxes(svg)
        for one, two in itertools.combinations(boxes, 2):
            assert one[2] < two[0] or two[2] < one[0] or one[3] < two[1] or two[3] < one[1]
        for (left, top, right, bottom), (x, y, radius) in itertools.product(boxes, circles(svg)):
            nearest = complex(min(max(x, left), right), min(max(y, top), bottom))
            assert abs(nearest - complex(x, y)) > radius


@pytest.mark.parametrize("seed", range(8))
def test_labels_of_random_automata_of_seven_states_stand_clear_of_arrows(seed: int) -> None:
    svg = draw_svg(random_language(seed, 7))
    for (left, top, right, bottom), group in itertools.product(label_boxes(svg), groups(svg, "edge")):
        assert not any(left < point.real < right and top < point.imag < bottom for point in curve_points(group))


@every_language
def test_everything_lies_on_the_page(name: str) -> None:
    svg = draw_svg(LANGUAGES[name])
    left, top, width, height = map(float, ET.fromstring(svg).get("viewBox", "").split())
    corners = [corner for box in label_boxes(svg) for corner in (complex(*box[:2]), complex(*box[2:]))]
    corners += [complex(x, y) + sign * complex(r, r) for x, y, r in circles(svg) for sign in (1, -1)]
    corners += [point for kind in ("edge", "start") for group in groups(svg, kind) for point in curve_points(group)]
    assert all(left <= point.real <= left + width and top <= point.imag <= top + height for point in corners)


def test_the_dead_sink_is_left_out_with_a_note() -> None:
    texts = [text.text for text in ET.fromstring(draw_svg(LANGUAGES["(ab)*"])).iter(f"{SVG}text")]
    assert texts[-1] == "Arrows not shown lead to dead state 2."
    assert "dead" not in draw_svg(LANGUAGES["even number of a"])


def test_a_picture_describes_itself() -> None:
    picture = ET.fromstring(draw_svg(LANGUAGES["(ab)*"]))
    assert picture.get("role") == "img"
    assert picture.findtext(f"{SVG}title") == "Automaton: 3 states over {a, b}"
    assert picture.findtext(f"{SVG}desc") == (
        "Start: 0. Accepting: 0. Arrows: 0 to 1 on a; 1 to 0 on b. Arrows not shown lead to dead state 2."
    )


def test_a_picture_is_self_contained_and_knows_the_dark() -> None:
    svg = draw_svg(LANGUAGES["(ab)*"])
    assert "prefers-color-scheme: dark" in svg
    assert not re.search(r"<script|<link|@import|@font-face|url\(|href", svg)
    style = ET.fromstring(svg).findtext(f"{SVG}style", "")
    selectors = re.findall(r"^\s*([^@{}\n]+?)\s*\{", style, flags=re.MULTILINE)
    assert all(part.strip().startswith(".lengthwise") for rule in selectors for part in rule.split(","))


def test_symbols_that_xml_reserves_are_escaped() -> None:
    language = DFA(
        alphabet=["<", "&", '"', "]]>", "\x00"], transitions=[[1, 0, 0, 0, 0], [0, 1, 1, 1, 1]], accepting=[0]
    )
    drawn = {text_of(group) for group in groups(draw_svg(language), "edge")}
    assert drawn == {"<", "'\\x00', \", &, ]]>"}


def test_long_lists_of_symbols_are_shortened() -> None:
    digits = DFA(alphabet="0123456789-", transitions=[[1] * 10 + [0], [0] * 11], accepting=[1])
    assert [text_of(group) for group in groups(draw_svg(digits), "edge")] == ["-", "0–9", "-, 0–9"]
    every_other = DFA(alphabet="acegikmoq", transitions=[[1] * 9, [0] * 9], accepting=[1])
    first = groups(draw_svg(every_other), "edge")[0]
    assert text_of(first) == "a, c, e, … (9)"
    assert first.findtext(f"{SVG}title") == "0 to 1: a, c, e, g, i, k, m, o, q"


def test_the_table_of_a_small_automaton() -> None:
    assert draw_text(LANGUAGES["(ab)*"]) == (
        "3 states over {a, b}\n"
        "\n"
        "          a     b\n"
        "→ ◎ 0     1     dead\n"
        "    1     dead  0\n"
        "    dead  dead  dead\n"
        "\n"
        "→ start, ◎ accepting, dead: nothing is accepted from there\n"
        "components: {0, 1} {dead}"
    )


def test_symbols_that_act_alike_share_a_column_of_the_table() -> None:
    language = DFA(alphabet="0123 x", transitions=[[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], accepting=[1])
    assert draw_text(language) == (
        "2 states over {' ', 0, 1, 2, 3, x}\n"
        "\n"
        "       ' ', x  0–3\n"
        "→   0  0       1\n"
        "  ◎ 1  1       1\n"
        "\n"
        "→ start, ◎ accepting\n"
        "components: {0} {1}"
    )


def test_the_table_of_the_empty_language() -> None:
    assert draw_text(LANGUAGES["nothing"]) == (
        "1 state over {a, b}\n"
        "\n"
        "          a, b\n"
        "→   dead  dead\n"
        "\n"
        "→ start, dead: nothing is accepted from there\n"
        "components: {dead}"
    )


def test_forty_states_are_drawn_and_forty_one_are_too_many() -> None:
    forty, more = (
        DFA(alphabet="a", transitions=[[(state + 1) % size] for state in range(size)], accepting=[0])
        for size in (40, 41)
    )
    assert len(groups(draw_svg(forty), "state")) == 40
    with pytest.raises(InvalidOptionError) as caught:
        draw_svg(more)
    assert str(caught.value) == (
        "the automaton has 41 states; a picture has room for at most 40.\n"
        "hint: use draw_text(language), which takes any number of states."
    )
    assert draw_text(more).startswith("41 states over {a}\n")


def test_drawings_are_the_same_under_every_hash_seed() -> None:
    script = (
        "import random, sys\n"
        "from lengthwise.languages.dfa import DFA\n"
        "from lengthwise.languages.drawing import draw_svg, draw_text\n"
        "draw = random.Random(3)\n"
        "rows = [[draw.randrange(9) for _ in 'abc'] for _ in range(9)]\n"
        "language = DFA(alphabet='abc', transitions=rows, accepting=[1, 4])\n"
        "sys.stdout.buffer.write((draw_text(language) + draw_svg(language)).encode())\n"
    )
    source = str(Path(drawing_module.__file__).parents[2])
    outputs = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source}
        outputs.add(
            subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True).stdout
        )
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


HOSTILE = ("\x1b[31m", "<script>alert(1)</script>", "</title>&amp;", "a\x00\ud800", '"\'><x y="', "]]>")


def test_no_symbol_breaks_out_of_a_picture_of_an_automaton() -> None:
    rows = [[(state + place) % 3 for place in range(len(HOSTILE))] for state in range(3)]
    drawn = draw_svg(DFA(alphabet=HOSTILE, transitions=rows, accepting=[0]))
    drawn.encode("utf-8")  # surrogates cannot be written
    picture = ET.fromstring(drawn)  # control characters are not allowed in XML
    known = {"svg", "title", "desc", "style", "rect", "g", "circle", "text", "path"}
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= known
    assert "script" in "".join(picture.itertext())
