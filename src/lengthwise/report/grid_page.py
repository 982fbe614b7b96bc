"""The page of a grid: a picture with a cell for every task and encoding, the conjecture counted, and all figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..experiment.store import Result
from ..papers import chen2025
from .conjecture import COUNT_HEADER, count_agreement, count_rows, exceptions, unknowns
from .grid import GridOutcome, header, legend, rows
from .page import describe_training, render

_ROW, _COLUMN, _LEFT, _TOP = 22, 132, 130, 30
_MARKS = {True: "✓", False: "✗", None: "?"}

PICTURE = (
    "Each cell: what the conjecture predicts (✓ generalizes, ✗ does not, ? nothing said), the median exact match of the fitted "
    "runs at the longest scale, and how many of them reach 99 %; the darker, the better. Framed: the two do not agree. Dashed: no "
    "run fitted the scales of training, so that there is no evidence."
)


def make_grid_page(outcomes: Sequence[GridOutcome], results: Sequence[Result]) -> str:
    """Return the page; ``results`` are the runs that the figures come from."""
    return render(
        "grid.html.j2",
        title=f"{chen2025.NAME}: claims beside measurement",
        paper=chen2025,
        picture=draw_grid(outcomes),
        picture_legend=PICTURE,
        count_header=COUNT_HEADER,
        counts=count_rows(count_agreement(outcomes)),
        exceptions=exceptions(outcomes),
        unknowns=unknowns(outcomes),
        header=header(outcomes),
        rows=rows(outcomes),
        legend=legend(outcomes),
        method=describe_training(results) if results else "Nothing was trained yet.",
    )


def draw_grid(outcomes: Sequence[GridOutcome]) -> str:
    """Return the grid as SVG, encodings below each other and tasks side by side."""
    tasks = list(dict.fromkeys(each.cell.task_title for each in outcomes))
    encodings = list(dict.fromkeys(each.cell.encoding_title for each in outcomes))
    width, height = _LEFT + _COLUMN * len(tasks), _TOP + _ROW * len(encodings) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" class="grid" '
        f'aria-label="What {len(encodings)} encodings came to on {len(tasks)} tasks">',
        "<style>.grid{font:12px system-ui,sans-serif}.grid text{fill:currentColor}.grid .on{fill:#fff}"
        ".grid .none{fill:none;stroke:currentColor;stroke-opacity:.3;stroke-dasharray:2 3}"
        ".grid .framed{fill:none;stroke:#c2410c;stroke-width:2.5}"
        "@media(prefers-color-scheme:dark){.grid{color:#ddd}}</style>",
    ]
    for place, task in enumerate(tasks):
        parts.append(f'<text x="{_LEFT + _COLUMN * (place + 0.5)}" y="18" text-anchor="middle">{escape(task)}</text>')
    for line, encoding in enumerate(encodings):
        y = _TOP + _ROW * line
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(encoding)}</text>')
    for each in outcomes:
        x = _LEFT + _COLUMN * tasks.index(each.cell.task_title)
        parts += _draw_cell(each, x, _TOP + _ROW * encodings.index(each.cell.encoding_title))
    return "\n".join([*parts, "</svg>"])


def _draw_cell(each: GridOutcome, x: int, y: int) -> list[str]:
    box = f'x="{x + 2}" y="{y + 2}" width="{_COLUMN - 4}" height="{_ROW - 4}" rx="3"'
    mark = _MARKS[each.opinion.predicted if each.opinion else None]
    reason = each.opinion.reason if each.opinion else "no relation with labels"
    what = f"{each.cell.task_title} × {each.cell.encoding_title}: {reason}"
    if each.trial is None or not each.num_fitted:
        text = f"{mark} " + ("not run" if each.trial is None else f"0/{each.num_runs} fit")
        shape, ink = f'<rect {box} class="none"/>', ""
    else:
        share = each.median(len(each.bins) - 1)
        text = f"{mark} {100 * share:.3g} % ({each.solved(len(each.bins) - 1)}/{each.num_fitted})"
        shape = f'<rect {box} fill="#2563a8" fill-opacity="{0.08 + 0.92 * share:.2f}"/>'
        ink = ' class="on"' if share > 0.45 else ""
    framed = [f'<rect {box} class="framed"/>'] if each.agrees is False else []
    written = f'<text x="{x + _COLUMN / 2}" y="{y + 15}" text-anchor="middle"{ink}>{escape(text)}</text></g>'
    return [f"<g><title>{escape(what)}</title>{shape}", *framed, written]


def markdown(outcomes: Sequence[GridOutcome]) -> str:
    """Return the tables as Markdown: the conjecture and its exceptions first."""
    lines = [
        *_table(COUNT_HEADER, count_rows(count_agreement(outcomes))),
        "",
        *(f"- {each}" for each in exceptions(outcomes)),
        "",
        *_table(header(outcomes), rows(outcomes)),
        "",
        legend(outcomes),
        *(f"\n{each}" for each in unknowns(outcomes)),
    ]
    return "\n".join(lines) + "\n"


def _table(titles: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    told = [titles, ["---"] * len(titles), *lines]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in told]
