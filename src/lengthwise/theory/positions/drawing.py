"""Pictures of position relations on a circuit: which pairs of a key and a query share a label, scale beside scale.

One panel for each relation and scale: keys across, queries down, every pair coloured by its label. Operands are outlined, and what
first occurs past the first scale, the trained one, is marked. The pictures and definitions are our reconstruction of
arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass
from html import escape
from itertools import count
from textwrap import wrap

from ...errors import CapExceededError, InvalidOptionError
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
_GOLDEN_ANGLE = 0.381966  # of a full turn: hues that come one after the other lie far apart
_SHADES = ((0.70, 0.75), (0.58, 0.60), (0.80, 0.65))  # lightness and saturation; dark text is legible on all of them

_STYLE = """
.lengthwise-relations text { font: 11px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.lengthwise-relations text { fill: #1f2328; }
.lengthwise-relations .title { font-size: 14px; font-weight: 600; }
.lengthwise-relations .name { font: 600 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.lengthwise-relations .scale { font-size: 12px; font-weight: 600; }
.lengthwise-relations .note { fill: #57606a; }
.lengthwise-relations .middle { text-anchor: middle; }
.lengthwise-relations .end { text-anchor: end; }
.lengthwise-relations .slot { font-weight: 700; text-anchor: middle; fill: #1f2328; }
.lengthwise-relations .late { font-weight: 600; fill: #b3261e; }
.lengthwise-relations .paper { fill: #ffffff; }
.lengthwise-relations .early { opacity: 0.3; }
.lengthwise-relations .cell { stroke: #ffffff; }
.lengthwise-relations .other { fill: #d3d8de; }
.lengthwise-relations .hatch { stroke: #1f2328; stroke-width: 1.2; opacity: 0.5; }
.lengthwise-relations .operand { fill: none; stroke: #1f2328; stroke-width: 2.2; }
.lengthwise-relations .untrained { stroke: #b3261e; stroke-dasharray: 4 2; }
@media (prefers-color-scheme: dark) {
  .lengthwise-relations text { fill: #e6edf3; }
  .lengthwise-relations .note { fill: #9da7b3; }
  .lengthwise-relations .slot { fill: #1f2328; }
  .lengthwise-relations .late { fill: #ff8a80; }
  .lengthwise-relations .paper { fill: #15181c; }
  .lengthwise-relations .cell { stroke: #15181c; }
  .lengthwise-relations .other { fill: #8b949e; }
  .lengthwise-relations .operand { stroke: #ffffff; }
  .lengthwise-relations .untrained { stroke: #ff5449; }
}
"""  # every rule names our class, because a style inside a page is the whole page's; no variables, for plain renderers

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
        f'<text class="title" x="{_MARGIN}" y="28">{escape(circuit.name)}</text>',
        _note(circuit.layout.definition.replace("`", ""), _MARGIN, 46),
    ]
    for number, (relation, lines) in enumerate(zip(relations, formulas, strict=True)):
        x = round(_MARGIN + number * (column + _GAP))
        parts.append(f'<text class="name" x="{x}" y="{_HEAD + 14}">{escape(relation.name)}</text>')
        parts += [_note(line, x, _HEAD + 14 + _LINE * place) for place, line in enumerate(lines, start=1)]
        shades = _shades(circuit, relation, scales)
        y = top
        for scale in scales:
            panel = _Panel(circuit=circuit, relation=relation, scale=scale, trained=scales[0], side=side)
            parts += [f'<g role="img" transform="translate({x} {y})">', *panel.draw(shades), "</g>"]
            y += _TITLE + side * lengths[scale] + _FOOT
    bottom = top + sum(_TITLE + side * length + _FOOT for length in lengths.values())
    parts += _key(bottom, scales[0], side)
    return _svg(bottom + 92, f"Position relations on {circuit.name}", parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """The pairs of one relation at one scale."""

    circuit: Circuit
    relation: Relation
    scale: int
    trained: int
    side: int

    def draw(self, shades: dict[Hashable, str]) -> list[str]:
        """Return the panel with its top left corner at 0, 0."""
        circuit, scale, side = self.circuit, self.scale, self.side
        first = circuit.query(scale, 1)
        last = circuit.query(scale, circuit.layout.answer_length(scale))
        names = token_names(circuit, scale)
        seen = _labels(circuit, self.relation, self.trained)
        met = _tickets(circuit, self.relation, self.trained)
        shown = f"n = {scale}" + (", trained up to here" if scale == self.trained else "")
        grid: list[str] = []
        for query in range(last + 1):
            row = [self._cell(key, query, shades, seen) for key in range(query + 1)]
            grid.append("".join(row) if query >= first else f'<g class="early">{"".join(row)}</g>')
        gates: list[str] = []
        for query in range(first, last + 1):
            gate = circuit.gate(scale, query - first + 1)
            is_new = _ticket(self.relation, gate, query, scale) not in met
            gates += [self._operand(key, query, held, is_new) for key, held in sorted(slots(gate).items())]
            words = '<tspan class="late"> new</tspan>' if is_new else ""
            gates.append(
                f'<text x="{side * (query + 1) + 5}" y="{self._base(query)}">→ {names[query + 1]}{words}</text>'
            )
        number = src(circuit, self.relation, scale)[-1]
        told = f"{circuit.name}, {self.relation.name}, n = {scale}: SRC_φ = {number}"
        return [
            f"<title>{escape(told)}</title>",
            f'<text class="scale" x="0" y="15">{escape(shown)}</text>',
            f'<g transform="translate({_LEFT} {_TITLE})">',
            *grid,
            *gates,
            *(
                f'<text class="note end" x="-5" y="{self._base(place)}">{escape(names[place])}</text>'
                for place in range(last + 1)
            ),
            *(
                f'<text class="note middle" x="{side * place + side / 2:g}" y="{side * (last + 1) + 13}">'
                f"{escape(names[place])}</text>"
                for place in range(last + 1)
            ),
            f'<text x="0" y="{side * (last + 1) + 31}"><tspan font-weight="700">SRC_φ = {number}</tspan>'
            f" pair{'' if number == 1 else 's'} up to n = {scale}</text>",
            "</g>",
        ]

    def _base(self, query: int) -> str:
        return f"{self.side * query + self.side / 2 + 4:g}"

    def _cell(self, key: int, query: int, shades: dict[Hashable, str], seen: set[Hashable]) -> str:
        label = self.relation(key, query, self.scale)
        place = f'x="{self.side * key}" y="{self.side * query}" width="{self.side}" height="{self.side}"'
        shade = f'class="cell" fill="{shades[label]}"' if label in shades else 'class="cell other"'
        hatched = "" if label in seen else f'<rect class="unseen" {place} fill="url(#lengthwise-unseen)"/>'
        return f"<rect {shade} {place}/>{hatched}"

    def _operand(self, key: int, query: int, held: frozenset[int], is_new: bool) -> str:
        inner = self.side - 3
        return (
            f'<rect class="operand{" untrained" if is_new else ""}" x="{self.side * key + 1.5:g}" '
            f'y="{self.side * query + 1.5:g}" width="{inner}" height="{inner}"/>'
            f'<text class="slot" x="{self.side * key + self.side / 2:g}" y="{self._base(query)}">'
            f"{''.join(map(str, sorted(held)))}</text>"
        )


def token_names(circuit: Circuit, scale: int) -> tuple[str, ...]:
    """Return a name for every token of a scale: x1, x2, … for the free symbols, fixed symbols as they are, and y1, y2, …

    >>> from lengthwise.theory.positions.library import find_circuit
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


def _note(text: str, x: float, y: float) -> str:
    return f'<text class="note" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _key(y: int, trained: int, side: int) -> list[str]:
    """Return what the marks mean."""
    size = f'y="{y + 4}" width="{side - 4}" height="{side - 4}"'
    x = _MARGIN
    return [
        f'<rect class="operand" x="{x}" {size}/>',
        _note("an operand, with its slot", x + 26, y + 18),
        f'<rect class="operand untrained" x="{x + 176}" {size}/>',
        _note("a pair (operator, labels) not met in training", x + 202, y + 18),
        f'<rect class="cell other" x="{x + 462}" {size}/><rect x="{x + 462}" {size} fill="url(#lengthwise-unseen)"/>',
        _note("a label not seen in training", x + 488, y + 18),
        f'<rect class="cell other" x="{x + 650}" {size}/>',
        _note("no operand (ideal relations only)", x + 676, y + 18),
        *(_note(line, x, y + 44 + _LINE * place) for place, line in enumerate(wrap(_caption(trained), 130))),
    ]


def _caption(trained: int) -> str:
    return (
        "Keys across, queries down; x1 is the first free symbol. Within a column one colour is one label: one shared parameter. "
        f"Training is at all scales up to {trained}. Pale rows predict no token of the answer. SRC_φ counts pairs (operator, "
        "labels of its operands). Our reconstruction of arXiv 2510.04130."
    )


def _svg(height: int, title: str, parts: Sequence[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lengthwise-relations" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            "<defs>",
            '<pattern id="lengthwise-unseen" width="5" height="5" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="5"/></pattern>',
            "</defs>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
            *parts,
            "</svg>\n",
        ]
    )
