"""The atlas as one page: a map of problems and encodings with filters, and everything about the cell that is chosen.

The page needs no network. Its data are JSON in the page itself; ``atlas.js`` puts them on the page as text, never as HTML. Without
scripts the map is there with its counts, and every cell has its verdict as a title.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..markup import escape
from ..tables import Table
from .atlas import AtlasCell, success_by_answer, summary
from .pages import Block, Document, Heading, Paragraph

MOST_DIFFERENCES = 40
TITLE = "The atlas: what training finds, beside what theory predicts"
HOW_TO_READ = (
    "A row is a problem, a column an encoding. A cell says how many of the runs that fitted the training lengths are right at the "
    "multiple of the training length where success is judged; darker is more. A dash: no run fitted, so there is no evidence. "
    "✓ the prediction came true, ✗ it did not, ? too few runs to tell, · nothing was predicted. Choose a cell with a click or with the "
    "arrow keys; a column's title sorts the rows."
)


@dataclass(frozen=True, slots=True)
class AtlasMap(Block):
    """The map of all cells, its filters, and the place where a chosen cell is shown; on pages only."""

    cells: Sequence[AtlasCell]

    def to_html(self) -> str:
        """Return the map as a table of buttons."""
        encodings = list(dict.fromkeys(cell.measured.encoding for cell in _by_family(self.cells)))
        rows: dict[tuple[str, str, str], dict[str, int]] = {}
        for number, cell in enumerate(self.cells):
            rows.setdefault(_row_of(cell), {})[cell.measured.encoding] = number
        families = {cell.measured.encoding: cell.family for cell in self.cells}
        head = "".join(f'<th data-family="{escape(families[name])}">{escape(name)}</th>' for name in encodings)
        body = []
        for (problem, asked, setting), numbers in sorted(rows.items()):
            told = " ".join(filter(None, [_ASKED[asked], setting if setting != "measured" else ""]))
            cells = "".join(self._cell(numbers.get(name)) for name in encodings)
            label = f'<th scope="row" data-setting="{escape(setting)}"><code>{escape(problem)}</code> <small>{escape(told)}</small></th>'
            body.append(f"<tr>{label}{cells}</tr>")
        data = json.dumps([cell.to_json() for cell in self.cells], ensure_ascii=False)
        for character in "<>&":
            data = data.replace(character, f"\\u{ord(character):04x}")
        return _MAP.format(
            filters=_filters(self.cells),
            head=head,
            body="\n".join(body),
            data=data,
        )

    def _cell(self, number: int | None) -> str:
        if number is None:
            return "<td></td>"
        cell = self.cells[number]
        shown = cell.measured
        share = "none" if not shown.num_fitted else str(round(10 * shown.num_generalized / shown.num_fitted))
        words = f"{shown.num_generalized}/{shown.num_fitted}" if shown.num_fitted else "–"
        mark = cell.standing.mark if shown.num_fitted else ""
        title = f"{shown.problem} × {shown.encoding}: predicted {cell.prediction.verdict.answer}; {cell.remark}"
        return (
            f'<td class="share-{share} {cell.standing.name}"><button type="button" data-cell="{number}" title="{escape(title)}">'
            f"{words} {mark}</button></td>"
        )


def atlas_page(cells: Sequence[AtlasCell]) -> Document:
    """Return the page of some cells."""
    surprising = [cell for cell in cells if cell.is_surprising]
    settings = dict.fromkeys(cell.measured.setting for cell in cells)
    blocks: list[Block | Table] = [Paragraph(summary(cells)), _by_answer(cells)]
    if surprising:
        blocks += [Heading("Where prediction and measurement differ"), _differences(surprising[:MOST_DIFFERENCES])]
        more = len(surprising) - MOST_DIFFERENCES
        if more > 0:
            blocks.append(Paragraph(f"{more:,} more are in the map: choose “differs” above it.", soft=True))
    blocks += [
        Heading("All cells"),
        Paragraph(HOW_TO_READ, soft=True),
        AtlasMap(cells),
        Heading("How this was measured"),
    ]
    blocks += [
        Paragraph(f"{setting.name}: {setting.description}. Trained with: {setting.command}", soft=True)
        for setting in settings
    ]
    return Document(blocks, title=TITLE, asset="atlas")


def _by_answer(cells: Sequence[AtlasCell]) -> Table:
    rows = []
    for answer, number, fitted, good in success_by_answer(cells):
        rows.append([answer, str(number), f"{good}/{fitted}", f"{good / fitted:.2f}" if fitted else "–"])
    return Table(
        header=["predicted", "cells", "fitted runs that generalize", "share"],
        rows=rows,
        kinds={0: "answer", 1: "number", 2: "number", 3: "number"},
    )


def _differences(cells: Sequence[AtlasCell]) -> Table:
    rows = [
        [
            cell.measured.problem,
            cell.measured.encoding,
            str(cell.prediction.verdict.answer),
            f"{cell.measured.num_generalized}/{cell.measured.num_fitted}",
            cell.prediction.verdict.theorem,
            cell.remark,
        ]
        for cell in cells
    ]
    return Table(
        header=["problem", "encoding", "predicted", "generalize", "theorem", "measured"],
        rows=rows,
        kinds={0: "name", 1: "name", 2: "answer", 3: "number", 5: "remark"},
    )


_ASKED = {"": "", "NEXT_SYMBOLS": "next symbols", "MEMBERSHIP": "membership"}


def _row_of(cell: AtlasCell) -> tuple[str, str, str]:
    """Return what a row of the map is about: the problem, what is asked, and the setting."""
    return cell.measured.problem, str(cell.measured.asked or ""), cell.measured.setting.name


def _by_family(cells: Sequence[AtlasCell]) -> list[AtlasCell]:
    return sorted(cells, key=lambda cell: (cell.family, cell.measured.encoding))


def _filters(cells: Sequence[AtlasCell]) -> str:
    """Return the fields that choose rows, columns and cells."""
    choices = {
        "answer": (
            "predicted",
            [str(answer) for answer in dict.fromkeys(cell.prediction.verdict.answer for cell in cells)],
        ),
        "standing": ("prediction and measurement", list(dict.fromkeys(str(cell.standing) for cell in cells))),
        "family": ("family of encodings", sorted({cell.family for cell in cells})),
        "setting": ("setting", sorted({cell.measured.setting.name for cell in cells})),
    }
    fields = [
        f'<label>{word} <input type="search" data-filter="{name}" placeholder="part of the name"></label>'
        for name, word in (("problem", "problem"), ("encoding", "encoding"))
    ]
    for name, (word, values) in choices.items():
        if len(values) > 1:
            options = "".join(f"<option>{escape(value)}</option>" for value in values)
            fields.append(
                f'<label>{word} <select data-filter="{name}"><option value="">all</option>{options}</select></label>'
            )
    return "\n".join(fields)


_MAP = """\
<form class="atlas-filters" aria-label="filters">
{filters}
<output data-count=""></output>
</form>
<section class="atlas-chosen panel" aria-live="polite" hidden=""></section>
<div class="scroll" tabindex="0" role="region" aria-label="map">
<table class="atlas-map">
<thead><tr><th>problem</th>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
<script type="application/json" class="atlas-data">{data}</script>"""
