"""The report of a store as a page: the tables, curves with the reason for every prediction, settings and theorems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..experiment.spec import DEFAULT_LEARNING_RATE
from ..experiment.store import Result
from ..languages.alphabet import show_alphabet
from ..model.shape import Shape
from ..tables import Table
from ..tasks.core.lengths import LengthRange
from ..theory.claims import MEANINGS
from ..theory.theorems import THEOREMS
from ..train.settings import Training
from .figures import MOST_LINES, draw_curves, draw_strips
from .judging import Standing
from .looking import KeptModels, challenged_blocks, failing_blocks, untested_blocks
from .matrix import LEGEND, draw_results
from .naming import Names, names_among
from .pages import Block, Details, Document, Heading, Line, Panel, Panels, Paragraph, Picture, Span
from .results import common_settings, legend, other_blocks, results_table, summary
from .statistics import Cell, summarize

TITLE = "Length generalization: prediction beside measurement"


def results_page(results: Sequence[Result], *, title: str = TITLE, kept: KeptModels | None = None) -> Document:
    """Return the page for these results; ``kept`` says where models can be looked into."""
    cells = summarize(results)
    used = sorted({cell.verdict.theorem for cell in cells})
    theorems = [(name, THEOREMS[name]) for name in used if name in THEOREMS]  # a store may be newer
    with_matrix = len(cells) > MOST_LINES
    return Document(
        [
            Paragraph(summary(cells)),
            *challenged_blocks(cells, kept),
            *([Picture(draw_results(cells)), Paragraph(LEGEND, soft=True)] if with_matrix else []),
            _page_table(cells),
            Paragraph(common_settings(cells), soft=True),
            Details("How to read the table", [legend(cells)], is_open=True),
            Heading("Curves and reasons"),
            Paragraph(_how_to_read_pictures([len(group) for group in _by_task(cells)]), soft=True),
            Panels(_panels(cells)),
            *untested_blocks(cells, kept, _MOST_FAILING),
            *failing_blocks(cells, kept, _MOST_FAILING),
            *other_blocks(cells),
            *meanings(),
            Heading("How this was measured"),
            Paragraph(f"{describe_training(results)} {_settings_remark(results)}"),
            Details("Settings", code=json.dumps(_shared_settings(results), indent=2, ensure_ascii=False)),
            Details(
                "Theorems",
                [
                    [
                        Span(name, "strong"),
                        f": {theorem.statement} ",
                        Span(f"{theorem.citation} {theorem.status}", "soft"),
                    ]
                    for name, theorem in theorems
                ],
            ),
        ],
        title=title,
    )


def _page_table(cells: Sequence[Cell]) -> Table:
    """Return the table; where it is too wide for a screen, what the runs come to stands before the lengths, which may scroll."""
    table = results_table(cells)
    titles = list(table.header)
    first, last = titles.index("predicted") + 1, titles.index("fitted")
    if last <= _MOST_COLUMNS:
        return table
    order = [*range(first), *range(last, len(titles)), *range(first, last)]
    kinds = table.kinds or {}
    return Table(
        header=[titles[column] for column in order],
        rows=[[row[column] for column in order] for row in table.rows],
        kinds={place: kinds[column] for place, column in enumerate(order) if column in kinds},
    )


_MOST_COLUMNS = 8  # before "fitted": that many have room on a screen
_MOST_FAILING = 20
_CURVES = (
    "Lines are medians, bands their range (from six runs on the 95 % interval), small dots the runs. A dashed line: no run fitted, and the "
    "line is over all runs. Dotted levels: the best shortcut or, where that is the solution, chance. Lines are numbered at their end; "
    "where they lie on each other, the later one is thinner."
)
_STRIPS = (
    "Where there are many settings, each has a row: a dot for every run at its exact match where success is judged, a ring for a run that "
    "did not fit, and a line at the median with its range (from six runs on the 95 % interval)."
)


def meanings() -> list[Block]:
    """Return what the three answers mean."""
    lines = [Paragraph([Span(str(answer), str(answer)), f": {meaning}"]) for answer, meaning in MEANINGS.items()]
    return [Heading("What the answers mean"), *lines]


def _panels(cells: Sequence[Cell]) -> list[Panel]:
    names = names_among(cells)
    return [
        Panel(
            task=group[0].task,
            definition=_definition(group[0]),
            svg=(draw_curves if len(group) <= MOST_LINES else draw_strips)(group, names),
            lines=list(_reasons(group, names)),
        )
        for group in _by_task(cells)
    ]


def _by_task(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return the cells of each task, those with equal bins together."""
    groups: dict[tuple[str, tuple[LengthRange, ...]], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.task, cell.bins), []).append(cell)
    return list(groups.values())


def _how_to_read_pictures(panels: Sequence[int]) -> str:
    """Return how to read the pictures of panels with so many cells each."""
    curves, strips = (any((number <= MOST_LINES) is few for number in panels) for few in (True, False))
    return " ".join([_CURVES] * curves + [_STRIPS] * strips)


def _reasons(cells: Sequence[Cell], names: Names) -> Iterator[Line]:
    """Yield the prediction of every cell with its reason, which stands once where several cells share it."""
    groups: dict[tuple[str, str, str], list[tuple[int, Cell]]] = {}
    for number, cell in enumerate(cells):
        verdict = cell.verdict
        groups.setdefault((cell.encoding, str(verdict.answer), verdict.reason), []).append((number, cell))
    for (encoding, answer, reason), group in groups.items():
        verdict = group[0][1].verdict
        alone = len(group) == 1
        keys = [_key(group[0][0])] if alone and len(cells) <= MOST_LINES else []
        yield [
            *keys,
            Span(encoding, "strong"),
            ": predicted ",
            Span(answer, answer),
            f" for {verdict.fragment.notation}, {verdict.readout.notation}: {reason}",
            *([" Measured: ", *_measured(group[0][1])] if alone else []),
        ]
        if len(cells) > MOST_LINES and not alone:
            yield _count(cell for _, cell in group)
        elif not alone:
            for number, cell in group:
                yield [_key(number), names.of(cell), ": ", *_measured(cell)]


def _key(number: int) -> Span:
    return Span(str(number + 1), f"lengthwise-key numbered series-{number}")


def _measured(cell: Cell) -> list[str | Span]:
    return [_mark(cell.standing), f" {cell.remark}."]


def _mark(standing: Standing) -> Span:
    return Span(standing.mark, f"mark {standing.name}")


def _count(cells: Iterable[Cell]) -> Line:
    """Return how many cells stand how, for more of them than a panel has room for."""
    standings = [cell.standing for cell in cells]
    counted: list[str | Span] = []
    for standing in Standing:
        number = standings.count(standing)
        if number:
            counted += [", " if counted else "", _mark(standing), f" {standing} in {number}"]
    return ["Measured, by setting: ", *counted, ". The table has each."]


def named_answer(number: int, encoding: str, answer: object) -> list[str | Span]:
    """Return the start of a line about an encoding: its colour in the picture, its name, and what is predicted."""
    key = Span("", f"lengthwise-key series-{number}")
    return [key, Span(encoding, "strong"), ": predicted ", Span(str(answer), str(answer))]


def _definition(cell: Cell) -> str:
    """Return what a task asks for and, for a language, its alphabet."""
    alphabet = cell.verdict.alphabet
    return cell.definition + (f", over {show_alphabet(alphabet)}" if alphabet else "")


def _shared_settings(results: Sequence[Result]) -> dict[str, object]:
    """Return the settings that all runs have in common."""
    first = results[0].settings
    return {key: value for key, value in first.items() if all(result.settings.get(key) == value for result in results)}


def describe_training(results: Sequence[Result]) -> str:
    """Say how many models were trained, on what, and what is scored."""
    if not results:
        return "Nothing was trained yet."
    origins = sorted({f"{each.provenance['hardware']}, torch {each.provenance['torch']}" for each in results})
    seeds = sorted({result.seed for result in results})
    in_a_row = len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1))
    shown = f"{seeds[0]}–{seeds[-1]}" if in_a_row else ", ".join(map(str, seeds))
    seconds = sum(result.seconds for result in results)
    spent = f"{seconds / 60:.1f} minutes" if seconds >= 60 else f"{max(seconds, 0.1):.1f} seconds"
    return (
        f"{len(results)} models were trained on {'; '.join(origins)} (seeds {shown}; {spent} of model time). Exact match "
        f"means that a whole instance is right under teacher forcing, which for answers equals greedy decoding{_exceptions(results)}."
    )


def _exceptions(results: Sequence[Result]) -> str:
    """Name the encodings with which what comes later changes what came before."""
    names = dict.fromkeys(result.encoding for result in results)
    own = [name for name in names if encoding_files(name)]  # a report opens no file
    changing = [name for name in names if name not in own and not find_packaged_encoding(name).prefix_consistent]
    unknown = f", and perhaps with {', '.join(own)}" if own else ""
    if changing:
        return f" except with {', '.join(changing)}, which look at whole instances{unknown}"
    return f" except perhaps with {', '.join(own)}" if own else " with these encodings"


def _settings_remark(results: Sequence[Result]) -> str:
    """Say whether all cells were trained alike, and how the settings were chosen where that is known."""
    kinds = {
        json.dumps([each.settings["model"], each.settings["training"], each.learning_rate], sort_keys=True)
        for each in results
    }
    if len(kinds) > 1:
        return f"There are {len(kinds)} different settings of model and training, each with cells of its own."
    preset = [Shape().settings, Training().settings, DEFAULT_LEARNING_RATE]
    if kinds == {json.dumps(preset, sort_keys=True)}:
        return "One setting for all cells, the preset, which was chosen on training lengths only."
    return "One setting for all cells."
