"""Drawings of an automaton: a table for the terminal and a picture for a page.

The picture puts states in layers by their distance from the start, or on a circle where the automaton is a
ring. Each arrow then has a few ways to run and places for its label, and takes the one that crosses least of
what is drawn already. Points of the plane are complex numbers, with y growing downwards.
"""

from __future__ import annotations

from cmath import phase, rect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi, sin

from ..errors import InvalidOptionError
from ..svg import element, group, picture, points, text
from .alphabet import show_alphabet
from .components import strong_components
from .dfa import DFA

MOST_DRAWN_STATES = 40

_RADIUS = 22.0
_GAP = 78.0  # between the rims of neighbouring states, when labels are short
_CHARACTER, _LINE = 8.4, 16.0  # the size of a label's character; the font is monospaced, so that we know it
_CELL = 6.0
_NODE_INK, _LABEL_INK, _LINE_INK = 100, 30, 3  # what it costs to run over each of them, per cell
_BENDS = (0.0, 44.0, 70.0, 100.0, 140.0, 190.0, 250.0, 320.0)
_ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)  # where on an arrow its label may stand
_LOOP_DIRECTIONS = (-90, 90, -45, -135, 45, 135, 0, 180)  # degrees; up first

Edge = tuple[int, int]
Curve = tuple[complex, complex, complex, complex]


def draw_text(language: DFA) -> str:
    """Return the transition table as text; symbols that act alike share a column.

    >>> print(draw_text(DFA(alphabet="ab", transitions=[[1, 0], [0, 1]], accepting=[0])))
    2 states over {a, b}
    <BLANKLINE>
           a  b
    → ◎ 0  1  0
        1  0  1
    <BLANKLINE>
    → start, ◎ accepting
    components: {0, 1}
    """
    names = _state_names(language)
    columns: dict[tuple[int, ...], list[str]] = {}
    for symbol, column in zip(language.alphabet, zip(*language.transitions, strict=True), strict=True):
        columns.setdefault(column, []).append(symbol)
    table = [["", *(_show_symbols(symbols) for symbols in columns.values())]]
    for state, name in enumerate(names):
        marks = f"{'→' if state == 0 else ' '} {'◎' if state in language.accepting else ' '} "
        table.append([marks + name, *(names[column[state]] for column in columns)])
    legend = ["→ start"]
    if language.accepting:
        legend.append("◎ accepting")
    if (sink := _dead_sink(language)) is not None:
        legend.append(f"{names[sink]}: nothing is accepted from there")
    components = sorted(map(tuple, strong_components(language.transitions)))
    shown = " ".join("{" + ", ".join(names[state] for state in component) + "}" for component in components)
    return "\n".join([_title(language), "", *_align(table), "", ", ".join(legend), f"components: {shown}"])


def draw_svg(language: DFA) -> str:
    """Return a picture as self-contained SVG, for light and dark pages.

    A dead sink and the arrows into it are left out, with a note, unless it is the only state.
    """
    if language.num_states > MOST_DRAWN_STATES:
        raise InvalidOptionError(
            f"the automaton has {language.num_states} states; a picture has room for at most {MOST_DRAWN_STATES}.",
            hint="use draw_text(language), which takes any number of states.",
        )
    sink = _dead_sink(language) if language.num_states > 1 else None
    edges = _edges(language, sink)
    labels = {edge: _show_symbols(symbols, most=4) for edge, symbols in edges.items()}
    places = _layout(edges, max((len(label) for (one, two), label in labels.items() if one != two), default=1))
    arrows = _route(places, labels)
    note = "" if sink is None else f"Arrows not shown lead to dead state {sink}."
    body = [_start_svg(places[0])]
    body += [_edge_svg(edge, edges[edge], labels[edge], arrow) for edge, arrow in arrows.items()]
    body += [_state_svg(state, place, state in language.accepting) for state, place in places.items()]
    return _page(language, edges, note, _extent(places, labels, arrows), body)


# ── what both show ───────────────────────────────────────────────────────────────────────────────────────────


def _title(language: DFA) -> str:
    plural = "" if language.num_states == 1 else "s"
    symbols = [_show_symbol(symbol) for symbol in language.alphabet]
    return f"{language.num_states} state{plural} over {show_alphabet(tuple(symbols))}"


def _dead_sink(language: DFA) -> int | None:
    """Return the state from which nothing is accepted; a minimal automaton has at most one."""
    for state, row in enumerate(language.transitions):
        if state not in language.accepting and set(row) == {state}:
            return state
    return None


def _state_names(language: DFA) -> list[str]:
    sink = _dead_sink(language)
    return ["dead" if state == sink else str(state) for state in range(language.num_states)]


def _show_symbol(symbol: str) -> str:
    """Return a symbol as it is, or quoted where it could be misread or cannot be printed."""
    plain = symbol.isprintable() and not any(character.isspace() or character == "," for character in symbol)
    return symbol if plain else repr(symbol)


def _show_symbols(symbols: Sequence[str], most: int | None = None) -> str:
    """Return ``a, b``; four or more neighbours such as 0, 1, 2, 3 become ``0–3``; past ``most`` parts, how many."""
    runs: list[list[str]] = []
    for symbol in symbols:
        if runs and _follows(runs[-1][-1], symbol):
            runs[-1].append(symbol)
        else:
            runs.append([symbol])
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]}–{run[-1]}"] if len(run) > 3 else map(_show_symbol, run)
    if most is not None and len(parts) > most:
        return f"{', '.join(parts[: most - 1])}, … ({len(symbols)})"
    return ", ".join(parts)


def _follows(one: str, two: str) -> bool:
    plain = all(len(symbol) == 1 and symbol.isascii() and symbol.isalnum() for symbol in (one, two))
    return plain and ord(two) == ord(one) + 1


def _align(table: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _edges(language: DFA, sink: int | None) -> dict[Edge, list[str]]:
    """Return the symbols of every arrow between shown states."""
    edges: dict[Edge, list[str]] = {}
    for state, row in enumerate(language.transitions):
        for symbol, target in zip(language.alphabet, row, strict=True):
            if sink not in (state, target):
                edges.setdefault((state, target), []).append(symbol)
    return edges


# ── where states stand ───────────────────────────────────────────────────────────────────────────────────────


def _layout(edges: dict[Edge, list[str]], longest_label: int) -> dict[int, complex]:
    """Return the middle of every state, by number; the start is leftmost."""
    depths = _depths(edges)
    spacing = 2 * _RADIUS + max(_GAP, longest_label * _CHARACTER + 34)
    if ring := _ring(depths, edges):
        radius = spacing / (2 * sin(pi / len(ring)))
        places = {state: rect(radius, pi + 2 * pi * turn / len(ring)) for turn, state in enumerate(ring)}
    else:
        layers: dict[int, list[int]] = {}
        for state, depth in depths.items():
            layers.setdefault(depth, []).append(state)
        places = {
            state: complex(depth * spacing, (row - (len(layer) - 1) / 2) * (2 * _RADIUS + _GAP))
            for depth, layer in layers.items()
            for row, state in enumerate(layer)
        }
    return dict(sorted(places.items()))


def _depths(edges: dict[Edge, list[str]]) -> dict[int, int]:
    """Return the distance of every shown state from the start, breadth first."""
    depths = {0: 0}
    for source in (queue := [0]):
        for one, two in edges:
            if one == source and two not in depths:
                depths[two] = depths[one] + 1
                queue.append(two)
    return depths


def _ring(states: Iterable[int], edges: dict[Edge, list[str]]) -> list[int]:
    """Return the states around a ring whose arrows all run one way, or all both ways; else nothing."""
    neighbours: dict[int, set[int]] = {state: set() for state in states}
    for one, two in edges:
        if one != two:
            neighbours[one].add(two)
            neighbours[two].add(one)
    ring = [0]
    while len(ring) < len(neighbours):
        following = sorted(neighbours[ring[-1]] - set(ring))
        if not following or len(neighbours[ring[-1]]) != 2:
            return []
        ring.append(following[0])
    pairs = list(zip(ring, [*ring[1:], 0], strict=True))
    backward = [(two, one) in edges for one, two in pairs]
    closed = len(ring) > 2 and neighbours[ring[-1]] == {0, ring[-2]} and all(pair in edges for pair in pairs)
    return ring if closed and (all(backward) or not any(backward)) else []


# ── how arrows run ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrow:
    """One way to draw an arrow: a Bézier curve, the cells it passes, where its label stands, and what it costs."""

    curve: Curve
    line_cells: frozenset[complex]
    label_at: complex
    label_cells: frozenset[complex]
    cost: float


class _Ink:
    """How much is drawn in each small square of the plane, so that new arrows can keep clear of it."""

    def __init__(self) -> None:
        self._weights: Counter[complex] = Counter()

    def add(self, cells: Iterable[complex], weight: int) -> None:
        for cell in cells:
            self._weights[cell] += weight

    def cost(self, arrow: _Arrow) -> float:
        weights = self._weights
        line = sum(weights.get(cell, 0) for cell in arrow.line_cells)
        return arrow.cost + line + 3 * sum(weights.get(cell, 0) for cell in arrow.label_cells)


def _route(places: dict[int, complex], labels: dict[Edge, str]) -> dict[Edge, _Arrow]:
    """Return the course of every arrow: short ones choose first, and then all may choose again."""
    ink = _Ink()
    for place in places.values():
        ink.add(_disc(place, _RADIUS + 8), _NODE_INK)
    ink.add(_box(places[0] - _RADIUS - 20, 40, 14), _LABEL_INK)
    ways = {}
    for one, two in sorted(labels, key=lambda edge: (edge[0] == edge[1], abs(places[edge[0]] - places[edge[1]]), edge)):
        size = (len(labels[one, two]) * _CHARACTER, _LINE)
        if one == two:
            ways[one, two] = list(_loops(places[one], size))
        else:
            ways[one, two] = list(_bends(places[one], places[two], size, two_way=(two, one) in labels))
    chosen: dict[Edge, _Arrow] = {}
    for _ in range(3):
        for edge, arrows in ways.items():
            if edge in chosen:
                ink.add(chosen[edge].line_cells, -_LINE_INK)
                ink.add(chosen[edge].label_cells, -_LABEL_INK)
            chosen[edge] = min(arrows, key=ink.cost)
            ink.add(chosen[edge].line_cells, _LINE_INK)
            ink.add(chosen[edge].label_cells, _LABEL_INK)
    return dict(sorted(chosen.items()))


def _bends(source: complex, target: complex, size: tuple[float, float], *, two_way: bool) -> Iterator[_Arrow]:
    """Yield the ways from one state to another; arrows of a two-way pair keep to their own side."""
    middle, left = (source + target) / 2, -1j * _unit(target - source)
    for bend in [*_BENDS[1:]] if two_way else [0.0, *(sign * bend for bend in _BENDS[1:] for sign in (1, -1))]:
        control = middle + bend * left
        start, end = source + _RADIUS * _unit(control - source), target + (_RADIUS + 2) * _unit(control - target)
        curve = (start, start + (control - start) * 2 / 3, end + (control - end) * 2 / 3, end)
        points = _points(curve)
        line_cells = _cells(point for point in points if min(abs(point - source), abs(point - target)) > _RADIUS + 12)
        sides = (left, -left) if bend > 0 or (bend == 0 and left.imag <= 0) else (-left, left)
        for place, along in enumerate(_ALONG):
            for other_side, side in enumerate(sides):
                label_at = _bezier(curve, along) + side * _clearance(side, size)
                cost = abs(bend) / 5 + 4 * place + 6 * other_side
                box = frozenset(_box(label_at, *size))
                yield _Arrow(curve=curve, line_cells=line_cells, label_at=label_at, label_cells=box, cost=cost)


def _loops(place: complex, size: tuple[float, float]) -> Iterator[_Arrow]:
    """Yield the ways from a state to itself, up first."""
    for choice, degrees in enumerate(_LOOP_DIRECTIONS):
        out = rect(1, degrees * pi / 180)
        start, end = place + _RADIUS * out * rect(1, -0.42), place + (_RADIUS + 2) * out * rect(1, 0.42)
        reach = 2.9 * _RADIUS
        curve = (start, place + reach * out * rect(1, -0.44), place + reach * out * rect(1, 0.44), end)
        label_at = _bezier(curve, 0.5) + out * _clearance(out, size)
        box = frozenset(_box(label_at, *size))
        line_cells = _cells(point for point in _points(curve) if abs(point - place) > _RADIUS + 12)
        yield _Arrow(curve=curve, line_cells=line_cells, label_at=label_at, label_cells=box, cost=5 * choice)


def _clearance(side: complex, size: tuple[float, float]) -> float:
    """Return how far from a line the middle of a label must be, going in direction ``side``, not to touch it."""
    return abs(side.real) * size[0] / 2 + abs(side.imag) * size[1] / 2 + 4


def _unit(vector: complex) -> complex:
    return rect(1, phase(vector))


def _bezier(curve: Curve, along: float) -> complex:
    one, two, three, four = curve
    rest = 1 - along
    return rest**3 * one + 3 * rest * rest * along * two + 3 * rest * along * along * three + along**3 * four


def _points(curve: Curve) -> list[complex]:
    """Return points along a curve, closer together than a cell is wide."""
    steps = 1 + int(sum(abs(two - one) for one, two in pairwise(curve)) / _CELL * 1.5)
    return [_bezier(curve, step / steps) for step in range(steps + 1)]


def _cells(points: Iterable[complex]) -> frozenset[complex]:
    return frozenset(complex(round(point.real / _CELL), round(point.imag / _CELL)) for point in points)


def _box(middle: complex, width: float, height: float) -> frozenset[complex]:
    across, down = int(width / 2 / _CELL) + 1, int(height / 2 / _CELL) + 1
    steps = ((x, y) for x in range(-across, across + 1) for y in range(-down, down + 1))
    return _cells(middle + complex(x * width / 2 / across, y * height / 2 / down) for x, y in steps)


def _disc(middle: complex, radius: float) -> frozenset[complex]:
    return frozenset(cell for cell in _box(middle, 2 * radius, 2 * radius) if abs(cell * _CELL - middle) <= radius)


# ── what is written ──────────────────────────────────────────────────────────────────────────────────────────


def _extent(places: dict[int, complex], labels: dict[Edge, str], arrows: dict[Edge, _Arrow]) -> tuple[complex, complex]:
    """Return the top left and bottom right corners of all that is drawn."""
    corner = complex(_RADIUS, _RADIUS)
    points = [place + sign * corner for place in places.values() for sign in (1, -1)]
    points.append(places[0] - _RADIUS - 40)
    for edge, arrow in arrows.items():
        half = complex(len(labels[edge]) * _CHARACTER, _LINE) / 2
        points += [*_points(arrow.curve), arrow.label_at - half, arrow.label_at + half]
    xs, ys = [point.real for point in points], [point.imag for point in points]
    return complex(min(xs), min(ys)), complex(max(xs), max(ys))


def _page(
    language: DFA, edges: dict[Edge, list[str]], note: str, extent: tuple[complex, complex], body: list[str]
) -> str:
    margin = 14
    size_drawn = extent[1] - extent[0]
    width = max(size_drawn.real, len(note) * _CHARACTER * 12 / 14) + 2 * margin
    height = size_drawn.imag + 2 * margin + (24 if note else 0)
    left, top = (extent[0] + extent[1]).real / 2 - width / 2, extent[0].imag - margin
    return picture(
        [*body, *([text(left + margin, top + height - margin, note, "note")] if note else [])],
        width=width,
        height=height,
        left=left,
        top=top,
        title=f"Automaton: {_title(language)}",
        description=_description(language, edges, note),
    )


def _description(language: DFA, edges: dict[Edge, list[str]], note: str) -> str:
    accepting = ", ".join(map(str, sorted(language.accepting))) or "none"
    moves = "; ".join(f"{one} to {two} on {_show_symbols(symbols)}" for (one, two), symbols in edges.items())
    return f"Start: 0. Accepting: {accepting}. Arrows: {moves}.{' ' * bool(note)}{note}"


def _state_svg(state: int, place: complex, accepting: bool) -> str:
    radii = (_RADIUS, _RADIUS - 4) if accepting else (_RADIUS,)
    circles = [element("circle", cx=place.real, cy=place.imag, r=radius) for radius in radii]
    return group([*circles, _centred(place, str(state))], class_="state")


def _edge_svg(edge: Edge, symbols: Sequence[str], label: str, arrow: _Arrow) -> str:
    title = f"{edge[0]} to {edge[1]}: {_show_symbols(symbols)}"
    return group([_curve_svg(arrow.curve), _centred(arrow.label_at, label)], title=title, class_="edge")


def _centred(middle: complex, words: str) -> str:
    return text(middle.real, middle.imag + 4.8, words)  # a baseline that renderers agree on, unlike dominant-baseline


def _start_svg(place: complex) -> str:
    start, end = place - _RADIUS - 38, place - _RADIUS - 2
    return group([_curve_svg((start, start, end - 10, end))], class_="start")


def _curve_svg(curve: Curve) -> str:
    """Return a curve with its head; the line stops inside the head, so that the tip stays sharp."""
    start, one, two, end = curve
    forward = _unit(end - _bezier(curve, 1 - 6 / max(12, abs(end - start))))
    course = f"M{_point(start)} C{_point(one)} {_point(two)} {_point(end - 5 * forward)}"
    head = f"M{_point(end)} L{_point(end - forward * (9 - 4.5j))} L{_point(end - forward * (9 + 4.5j))} Z"
    return element("path", class_="line", d=course) + element("path", class_="arrow", d=head)


def _point(point: complex) -> str:
    return points([(point.real, point.imag)])
