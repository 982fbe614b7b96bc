"""Pictures of position relations on a circuit: which pairs of a key and a query share a label, scale beside scale.

One panel for each relation and scale: keys across, queries down, every pair coloured by its label. Operands are outlined, and what
first occurs past the first scale, the trained one, is marked. The pictures and definitions are our reconstruction of
arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from itertools import count
from textwrap import wrap

from ...errors import CapExceededError, InvalidOptionError
from ...markup import escape
from ...svg import element, group, hatching, picture, rect, text
from .circuits import Circuit, Gate, slots
from .complexity import src
from .reachability import arrangement
from .relations import Relation

WIDTH = 900
MOST_RELATIONS = 4

_MARGIN, _GAP = 20, 14  # around everything, and between columns
_LEFT, _RIGHT = 24, 52  # of a panel: the names of queries, and what the last row predicts
_CELLS = (15, 24)  # the smallest and the largest side of a cell
_HEAD, _TITLE, _FOOT = 58, 24, 46  # above all; above a panel; below it, names of keys and the count
_LINE = 16
_HATCHED = "url(#lengthwise-unseen)"
_GOLDEN_ANGLE = 0.381966  # of a full turn: hues that come one after the other lie far apart
_SHADES = ((0.70, 0.75), (0.58, 0.60), (0.80, 0.65))  # lightness and saturation; dark text is legible on all of them

Ticket = tuple[str, tuple[Hashable, ...]]  # an operator and the labels of its operands


def draw_relations(circuit: Circuit, relations: Sequence[Relation], scales: Sequence[int]) -> str:
    """Return a picture as self-contained SVG, for light and dark pages: a column for each relation, a row for each scale.

    The first scale counts as trained, with all scales below it.
    """
    _check(circuit, relations, scales)
    lengths = {scale: circuit.query(scale, circuit.layout.answer_length(scale)) + 1 for scale in scales}
    column = (WIDTH - 2 * _MARGIN - (len(relations) - 1) * _GAP) / len(relations)
    side = min(_CELLS[1], int((column - _LEFT - _RIGHT) / max(lengths.values())))
    if side < _CELLS[0]:
        raise CapExceededError(
            f"{len(relations)} panels of {max(lengths.values())} positions do not fit into {WIDTH} pixels.",
            hint="draw fewer relations or smaller scales.",
        )
    formulas = [wrap(relation.formula, int(column / 6)) for relation in relations]
    top = _HEAD + _LINE * (1 + max(map(len, formulas))) + 8
    parts = [
        text(_MARGIN, 28, circuit.name, "title"),
        text(_MARGIN, 46, circuit.layout.definition.replace("`", ""), "note"),
    ]
    for number, (relation, lines) in enumerate(zip(relations, formulas, strict=True)):
        x = round(_MARGIN + number * (column + _GAP))
        parts.append(text(x, _HEAD + 14, relation.name, "name"))
        parts += [text(x, _HEAD + 14 + _LINE * row, words, "note") for row, words in enumerate(lines, start=1)]
        shades = _shades(circuit, relation, scales)
        y = top
        for scale in scales:
            panel = _Panel(circuit=circuit, relation=relation, scale=scale, trained=scales[0], side=side)
            parts.append(panel.draw(shades, x, y))
            y += _TITLE + side * lengths[scale] + _FOOT
    bottom = top + sum(_TITLE + side * length + _FOOT for length in lengths.values())
    parts += _key(bottom, scales[0], side)
    return picture(
        parts,
        width=WIDTH,
        height=bottom + 92,
        title=f"Position relations on {circuit.name}",
        definitions=[hatching("lengthwise-unseen", kind="shading")],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """The pairs of one relation at one scale."""

    circuit: Circuit
    relation: Relation
    scale: int
    trained: int
    side: int

    def draw(self, shades: dict[Hashable, str], x: float, y: float) -> str:
        """Return the panel with its top left corner at x, y."""
        circuit, scale, side = self.circuit, self.scale, self.side
        first = circuit.query(scale, 1)
        last = circuit.query(scale, circuit.layout.answer_length(scale))
        names = token_names(circuit, scale)
        seen = _labels(circuit, self.relation, self.trained)
        met = _tickets(circuit, self.relation, self.trained)
        grid: list[str] = []
        for query in range(last + 1):
            row = [self._cell(key, query, shades, seen) for key in range(query + 1)]
            grid += row if query >= first else [group(row, class_="early")]
        for query in range(first, last + 1):
            gate = circuit.gate(scale, query - first + 1)
            is_new = _ticket(self.relation, gate, query, scale) not in met
            for key, held in sorted(slots(gate).items()):
                grid += self._operand(key, query, held, is_new)
            new = element("tspan", " new", class_="late") if is_new else ""
            words = f"→ {escape(names[query + 1])}"
            grid.append(element("text", words, new, x=side * (query + 1) + 5, y=self._base(query)))
        for place in range(last + 1):
            grid.append(text(-5, self._base(place), names[place], "note end"))
            grid.append(text(side * (place + 0.5), side * (last + 1) + 13, names[place], "note middle"))
        number = src(circuit, self.relation, scale)[-1]
        count = element("tspan", f"SRC_φ = {number}", font_weight="700")
        below = f" pair{'' if number == 1 else 's'} up to n = {scale}"
        grid.append(element("text", count, below, x=0, y=side * (last + 1) + 31))
        shown = f"n = {scale}" + (", trained up to here" if scale == self.trained else "")
        return group(
            [text(0, 15, shown, "label"), group(grid, transform=f"translate({_LEFT} {_TITLE})")],
            title=f"{circuit.name}, {self.relation.name}, n = {scale}: SRC_φ = {number}",
            role="img",
            transform=f"translate({x:g} {y:g})",
        )

    def _base(self, query: int) -> float:
        return self.side * query + self.side / 2 + 4

    def _cell(self, key: int, query: int, shades: dict[Hashable, str], seen: set[Hashable]) -> str:
        label = self.relation(key, query, self.scale)
        place = (self.side * key, self.side * query, self.side, self.side)
        shade = rect(*place, "cell", fill=shades[label]) if label in shades else rect(*place, "cell other")
        return shade + ("" if label in seen else rect(*place, "unseen", fill=_HATCHED))

    def _operand(self, key: int, query: int, held: frozenset[int], is_new: bool) -> list[str]:
        x, y, inner = self.side * key + 1.5, self.side * query + 1.5, self.side - 3
        words = "".join(map(str, sorted(held)))
        return [
            rect(x, y, inner, inner, "operand untrained" if is_new else "operand"),
            text(self.side * (key + 0.5), self._base(query), words, "slot"),
        ]


def token_names(circuit: Circuit, scale: int) -> tuple[str, ...]:
    """Return a name for every token of a scale: x1, x2, … for the free symbols, fixed symbols as they are, and y1, y2, …

    >>> from lengthwise.tasks.core.problems import find_circuit
    >>> token_names(find_circuit("parity_cot_aligned(3)"), 2)
    ('x1', 'x2', '_', '=', 'y1', 'y2')
    """
    places = arrangement(circuit.layout, scale)
    if places is None:
        prompt = [f"p{place + 1}" for place in range(circuit.layout.prompt_length(scale))]
    else:
        prompt = [f"x{place + 1}" if isinstance(place, int) else place for place in places]
    return (*prompt, *(f"y{step}" for step in range(1, circuit.layout.answer_length(scale) + 1)))


def _check(circuit: Circuit, relations: Sequence[Relation], scales: Sequence[int]) -> None:
    if not 1 <= len(relations) <= MOST_RELATIONS:
        raise InvalidOptionError(
            f"{len(relations)} relations cannot be drawn side by side: 1 to {MOST_RELATIONS}.", hint="use fewer."
        )
    if not scales or list(scales) != sorted(set(scales)):
        raise InvalidOptionError(
            f"scales {list(scales)} are not in order: at least one, each larger than the one before.",
            hint="use (3, 5).",
        )
    for scale in scales:
        circuit.gate(scale, 1)  # refuses a scale that the circuit does not have


def _labels(circuit: Circuit, relation: Relation, max_scale: int) -> set[Hashable]:
    """Return the labels of all visible pairs at all scales up to one."""
    return {
        relation(key, query, scale)
        for scale in range(1, max_scale + 1)
        for query in range(circuit.query(scale, circuit.layout.answer_length(scale)) + 1)
        for key in range(query + 1)
    }


def _ticket(relation: Relation, gate: Gate, query: int, scale: int) -> Ticket:
    return gate.operator, tuple(relation(place, query, scale) for place in gate.operands)


def _tickets(circuit: Circuit, relation: Relation, max_scale: int) -> set[Ticket]:
    """Return what SRC_φ counts: the operators with the labels of their operands, at all gates up to a scale."""
    return {
        _ticket(relation, gate, circuit.query(scale, step), scale) for scale, step, gate in circuit.gates(max_scale)
    }


def _shades(circuit: Circuit, relation: Relation, scales: Sequence[int]) -> dict[Hashable, str]:
    """Return a colour of its own for every label that is drawn, those of operands first; the empty set of slots has none."""
    labels: dict[Hashable, None] = {}
    for scale in scales:
        for step in range(1, circuit.layout.answer_length(scale) + 1):
            for place in circuit.gate(scale, step).operands:
                labels[relation(place, circuit.query(scale, step), scale)] = None
    for scale in scales:
        for query in range(circuit.query(scale, circuit.layout.answer_length(scale)) + 1):
            for key in range(query + 1):
                labels[relation(key, query, scale)] = None
    labels.pop(frozenset(), None)
    return dict(zip(labels, _colours(), strict=False))


def _colours() -> Iterator[str]:
    """Yield colours that are all different, neighbours far apart."""
    used: set[str] = set()
    for number in count():
        lightness, saturation = _SHADES[number // 8 % len(_SHADES)]
        hue = (0.58 + number * _GOLDEN_ANGLE) % 1
        rgb = hls_to_rgb(hue, lightness - 0.004 * (number // 100 % 20), saturation)  # hues alone would not last
        colour = "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
        if colour not in used:
            used.add(colour)
            yield colour


def _key(y: int, trained: int, side: int) -> list[str]:
    """Return what the marks mean."""
    x, size = _MARGIN, side - 4
    marks = (
        (0, ["operand"], "an operand, with its slot"),
        (176, ["operand untrained"], "a pair (operator, labels) not met in training"),
        (462, ["cell other", "unseen"], "a label not seen in training"),
        (650, ["cell other"], "no operand (ideal relations only)"),
    )
    parts = []
    for across, kinds, words in marks:
        parts += [
            rect(x + across, y + 4, size, size, kind, fill=_HATCHED if kind == "unseen" else "") for kind in kinds
        ]
        parts.append(text(x + across + 26, y + 18, words, "note"))
    lines = wrap(_caption(trained), 130)
    return [*parts, *(text(x, y + 44 + _LINE * row, words, "note") for row, words in enumerate(lines))]


def _caption(trained: int) -> str:
    return (
        "Keys across, queries down; x1 is the first free symbol. Within a column one colour is one label: one shared parameter. "
        f"Training is at all scales up to {trained}. Pale rows predict no token of the answer. SRC_φ counts pairs (operator, "
        "labels of its operands). Our reconstruction of arXiv 2510.04130."
    )
