"""The report of a store: prediction beside measurement for every task and encoding, as tables, a page and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..encodings.core.choice import encoding_files, find_packaged_encoding
from ..experiment.spec import DEFAULT_LEARNING_RATE
from ..experiment.store import Result
from ..languages.alphabet import show_alphabet
from ..model.shape import Shape
from ..tables import Table
from ..tasks.audit.results import Audit, Baseline
from ..tasks.core.lengths import LengthRange
from ..theory.claims import MEANINGS
from ..theory.theorems import THEOREMS
from ..train.settings import GENERATED_EXAMPLES, Training
from .figures import draw_curves
from .matrix import LEGEND, draw_results
from .numbers import percent, show_number
from .pages import Block, Details, Document, Heading, Line, Panel, Panels, Paragraph, Picture, Span
from .statistics import FITTED, GENERALIZED, Cell, Interval, agreement, summarize

_MOST_LINES = 6  # in one panel; beyond that a matrix says more
TITLE = "Length generalization: prediction beside measurement"


def results_table(cells: Sequence[Cell]) -> Table:
    """Return a row for every cell."""
    multiples = _multiples(cells)
    rows = [
        [
            _task(cell, cells),
            cell.encoding,
            str(cell.verdict.answer),
            *_filled(cell.by_bin, len(multiples)),
            f"{cell.num_fitted}/{cell.num_runs}",
            f"{cell.num_generalized}/{cell.num_fitted}" if cell.num_fitted else "–",
            percent(cell.best),
            cell.remark,
        ]
        for cell in cells
    ]
    header = ["task", "encoding", "predicted", *multiples, "fitted", "generalize", "best", "remark"]
    numbers = dict.fromkeys([1, *range(3, len(header) - 1)], "number")
    kinds = numbers | {0: "name", 2: "answer", len(header) - 1: "remark"}
    return Table(header=header, rows=rows, kinds=kinds, records=list(map(_record, cells)))


def _filled(values: Sequence[Interval], num_bins: int) -> list[str]:
    return [*map(show_interval, values), *[""] * (num_bins - len(values))]


def _record(cell: Cell) -> dict[str, object]:
    """Return a cell as one flat line of data, for a data frame."""
    known = (
        "task",
        "encoding",
        "predicted",
        "measured",
        "agrees",
        "runs",
        "fitted",
        "generalize",
        "success_at",
        "best",
    )
    data = _cell_to_json(cell)
    medians = {
        f"median_{bounds.low}_{bounds.high}": _numbers(value)["median"]
        for bounds, value in zip(cell.bins, cell.by_bin, strict=True)
    }
    return {name: data[name] for name in known} | medians


def _multiples(cells: Sequence[Cell]) -> list[str]:
    """Return the bins as multiples of the training length; where the bins of cells differ, they are counted."""
    bins = {cell.bins for cell in cells}
    most = max(bins, key=len, default=())
    if len(bins) == 1 and all(bounds.low == bounds.high for bounds in most[1:]):
        return [f"{bounds.high / most[0].high:.3g}×" for bounds in most]
    return [f"{number}×" for number in range(1, len(most) + 1)]


def _task(cell: Cell, cells: Sequence[Cell]) -> str:
    """Return the task of a cell, with its bins where those of the cells differ."""
    several = len({each.bins for each in cells}) > 1
    return cell.task + (f" ({' / '.join(map(str, cell.bins))})" if several else "")


HARD_LEGEND = (
    "Hard instances: exact match in percent, as above, on random instances and on hard ones of each kind "
    "(docs/concepts/hard-tests.md); – where a kind has none of these lengths."
)


def hard_table(cells: Sequence[Cell]) -> Table | None:
    """Return, for every cell with hard instances, a row for the random ones and one for each kind of hard ones."""
    hard = [cell for cell in cells if cell.hard]
    if not hard:
        return None
    multiples = _multiples(hard)
    rows = [
        [_task(cell, cells), cell.encoding, kind, *_filled(values, len(multiples))]
        for cell in hard
        for kind, values in (("random", cell.by_bin), *cell.hard.items())
    ]
    header = ["task", "encoding", "instances", *multiples]
    return Table(header=header, rows=rows, kinds={0: "name", **dict.fromkeys(range(1, len(header)), "number")})


def show_interval(value: Interval) -> str:
    """Return a median in percent, with its interval where that is wider than a point."""
    if value.median != value.median:
        return "–"
    if value.high - value.low < 0.01:
        return percent(value.median)
    return f"{percent(value.median)} ({percent(value.low)}–{percent(value.high)})"


def summary(cells: Sequence[Cell]) -> str:
    """Return how far prediction and measurement agree, in a sentence."""
    right, known = agreement(cells)
    fitted = sum(cell.num_fitted > 0 for cell in cells)
    return (
        f"Prediction and measurement agree in {right} of {known} cells where both are known; "
        f"{fitted} of {len(cells)} cells have a run that fits the training lengths."
    )


def legend(cells: Sequence[Cell]) -> str:
    """Return how to read the table."""
    several = len({cell.bins for cell in cells}) > 1
    bins = "given in each row" if several else " / ".join(str(bounds) for bounds in cells[0].bins)
    at = sorted({cell.success_at for cell in cells})
    where = f"{at[0]:g}×" if len(at) == 1 else "the multiple named in the page and in JSON"
    return (
        f"Exact match in percent, median (and range; 95 % interval from six runs on) over the fitted runs, or over all where none "
        f"fitted, at lengths {bins}. Fitted: at least {FITTED:.0%} on fresh instances of the longest quarter of the training lengths. "
        f"Generalize: fitted, and at least {GENERALIZED:.0%} at {where}; "
        f"best: the best run there.{_advice(cells)}{_rates(cells)}{_room(cells)}{_mixed_processors(cells)}"
    )


def _advice(cells: Sequence[Cell]) -> str:
    """Say what to do about cells that say nothing."""
    if all(cell.num_fitted for cell in cells):
        return ""
    return " Where no run fitted there is no evidence: try more steps, a wider model or another learning rate."


def _rates(cells: Sequence[Cell]) -> str:
    """Say how the learning rate was chosen, where several were tried."""
    several = [cell for cell in cells if cell.other_rates]
    if not several:
        return ""
    first = several[0]
    others = ", ".join(f"{rate.value:g} ({rate.num_fitted}/{rate.num_runs} fitted)" for rate in first.other_rates)
    return (
        f" In {len(several)} of {len(cells)} cells several learning rates were tried, and the table has one: the one with the larger "
        f"share of fitted runs, among equals the one that is better at the longest training lengths. {first.task} × "
        f"{first.encoding}: {first.learning_rate:g} ({first.num_fitted}/{first.num_runs} fitted), not {others}."
    )


def _room(cells: Sequence[Cell]) -> str:
    """Say for which lengths encodings have positions, where their training depends on it."""
    rooms = sorted({cell.room for cell in cells if cell.room is not None})
    names = dict.fromkeys(cell.encoding for cell in cells if cell.room is not None)
    shown = " or ".join(map(str, rooms))
    return f" Positions of {', '.join(names)} reach to length {shown}." if rooms else ""


def baselines_table(cells: Sequence[Cell]) -> Table | None:
    """Return, for every task that was audited, what the best constant answer and the best shortcut reach in each bin."""
    audited = {(cell.task, cell.bins): cell for cell in cells if cell.audit is not None}
    if not audited:
        return None
    multiples = _multiples(cells)
    rows = []
    for cell in audited.values():
        audit = cell.audit
        assert audit is not None
        best = [audit.best(number) for number in range(len(audit.bins))]
        empty = [""] * (len(multiples) - len(audit.bins))
        task = _task(cell, cells)
        rows += [
            [task, f"chance ({audit.chance.name})", *map(_share, audit.chance.shares), *empty],
            [task, "best shortcut", *(_share(rule.shares[n]) for n, rule in enumerate(best)), *empty],
            [task, "which one", *map(_rule, best), *empty],
            [task, "instances per run", *map(str, cell.examples), *empty],
        ]
    header = ["task", "baseline", *multiples]
    return Table(header=header, rows=rows, kinds={0: "name", **dict.fromkeys(range(2, len(header)), "number")})


def _rule(rule: Baseline) -> str:
    return f"{rule.name} (decides the task)" if rule.inherent else rule.name


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


BASELINES_LEGEND = (
    "Baselines: rules that look at an input superficially (counts, first and last symbols, short patterns, length modulo small "
    "numbers), fitted on training lengths and scored like models. Models must beat the best of them; a cell that is not "
    "5 points better is marked with the rule, unless the rule decides the task at every length."
)


def decoding_table(cells: Sequence[Cell]) -> Table | None:
    """Return by how many points real decoding differs from the scores, where it was measured."""
    decoded = [cell for cell in cells if cell.decoding]
    if not decoded:
        return None
    multiples = _multiples(decoded)
    rows = [
        [_task(cell, cells), cell.encoding, *map(_points, cell.decoding), *[""] * (len(multiples) - len(cell.decoding))]
        for cell in decoded
    ]
    header = ["task", "encoding", *multiples]
    return Table(header=header, rows=rows, kinds={0: "name", **dict.fromkeys(range(2, len(header)), "number")})


def _points(value: Interval) -> str:
    """Return a median difference in points; the interval is in JSON."""
    return "–" if value.median != value.median else show_number(100 * value.median)


DECODING_LEGEND = (
    "Decoding: median of exact match when the model writes its answer token by token, less exact match under teacher forcing on the same "
    f"{GENERATED_EXAMPLES} instances of each bin, in points."
)


def _mixed_processors(cells: Sequence[Cell]) -> str:
    """Return a warning if the runs of a cell were trained on several kinds of processor."""
    mixed = [cell for cell in cells if len(cell.origins) > 1]
    if not mixed:
        return ""
    first = mixed[0]
    return (
        f" {len(mixed)} of {len(cells)} cells mix runs from several kinds of processor, {first.task} × {first.encoding} first "
        f"({'; '.join(first.origins)}): the same run is repeated bit for bit only on one kind."
    )


def brief_report(cells: Sequence[Cell]) -> Document:
    """Return the tables with how to read them, for a terminal or as Markdown."""
    return Document([results_table(cells), Paragraph(summary(cells)), Paragraph(legend(cells)), *_other_blocks(cells)])


def _other_blocks(cells: Sequence[Cell]) -> list[Block | Table]:
    blocks: list[Block | Table] = []
    for title, table, read in (
        ("Baselines", baselines_table(cells), BASELINES_LEGEND),
        ("Decoding", decoding_table(cells), DECODING_LEGEND),
        ("Hard instances", hard_table(cells), HARD_LEGEND),
    ):
        blocks += [] if table is None else [Heading(title), table, Paragraph(read)]
    return blocks


def results_page(results: Sequence[Result], *, title: str = TITLE) -> Document:
    """Return the page for these results."""
    cells = summarize(results)
    used = sorted({cell.verdict.theorem for cell in cells})
    theorems = [(name, THEOREMS[name]) for name in used if name in THEOREMS]  # a store may be newer
    with_matrix = len({cell.encoding for cell in cells}) > _MOST_LINES
    return Document(
        [
            Paragraph(summary(cells)),
            Paragraph(legend(cells), soft=True),
            *([Picture(draw_results(cells)), Paragraph(LEGEND, soft=True)] if with_matrix else []),
            results_table(cells),
            *_other_blocks(cells),
            Heading("Curves and reasons"),
            Panels(_panels(cells)),
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


def meanings() -> list[Block]:
    """Return what the three answers mean."""
    lines = [Paragraph([Span(str(answer), str(answer)), f": {meaning}"]) for answer, meaning in MEANINGS.items()]
    return [Heading("What the answers mean"), *lines]


def _panels(cells: Sequence[Cell]) -> list[Panel]:
    by_task: dict[tuple[str, tuple[LengthRange, ...]], list[Cell]] = {}
    for cell in cells:
        by_task.setdefault((cell.task, cell.bins), []).append(cell)
    return [
        Panel(
            task=task,
            definition=_definition(group[0]),
            svg=draw_curves(group) if len(group) <= _MOST_LINES else "",
            lines=list(_reasons(group)),
        )
        for (task, _), group in by_task.items()
    ]


def _reasons(cells: Sequence[Cell]) -> Iterator[Line]:
    for number, cell in enumerate(cells):
        verdict = cell.verdict
        yield [
            *named_answer(number, cell.encoding, verdict.answer),
            f" for {verdict.fragment.notation}, {verdict.readout.notation}: {verdict.reason} Measured: {cell.remark}.",
        ]


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
    minutes = sum(result.seconds for result in results) / 60
    return (
        f"{len(results)} models were trained on {'; '.join(origins)} (seeds {shown}; {minutes:.1f} minutes of model time). Exact match "
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
        return f"Runs with {len(kinds)} different settings are counted together."
    preset = [Shape().settings, Training().settings, DEFAULT_LEARNING_RATE]
    if kinds == {json.dumps(preset, sort_keys=True)}:
        return "One setting for all cells, the preset, which was chosen on training lengths only."
    return "One setting for all cells."


def to_json(cells: Sequence[Cell]) -> list[dict[str, object]]:
    """Return the cells as JSON data."""
    return list(map(_cell_to_json, cells))


def _cell_to_json(cell: Cell) -> dict[str, object]:
    return {
        "task": cell.task,
        "encoding": cell.encoding,
        "predicted": str(cell.verdict.answer),
        "theorem": cell.verdict.theorem,
        "reason": cell.verdict.reason,
        "readout": str(cell.verdict.readout),
        "measured": str(cell.measured),
        "agrees": cell.agrees,
        "remark": cell.remark,
        "processors": list(cell.origins),
        "runs": cell.num_runs,
        "fitted": cell.num_fitted,
        "generalize": cell.num_generalized,
        "bins": _bins(cell, cell.by_bin),
        "success_at": cell.success_at,
        "best": cell.best,
        "learning_rate": cell.learning_rate,
        "other_learning_rates": [
            {"learning_rate": rate.value, "runs": rate.num_runs, "fitted": rate.num_fitted} for rate in cell.other_rates
        ],
        **({} if cell.room is None else {"room": cell.room}),
        **({} if cell.audit is None else {"baselines": _baselines(cell, cell.audit)}),
        **({"decoding": _bins(cell, cell.decoding)} if cell.decoding else {}),
        **({"hard": {kind: _bins(cell, values) for kind, values in cell.hard.items()}} if cell.hard else {}),
    }


def _baselines(cell: Cell, audit: Audit) -> list[dict[str, object]]:
    """Return chance, the best shortcut and the number of instances of a run in each bin."""
    best = [audit.best(number) for number in range(len(audit.bins))]
    return [
        {
            "lengths": [bounds.low, bounds.high],
            "instances": cell.examples[number],
            "chance": audit.chance.shares[number],
            "shortcut": best[number].shares[number],
            "rule": best[number].name,
            "inherent": best[number].inherent,
        }
        for number, bounds in enumerate(cell.bins)
    ]


def _bins(cell: Cell, values: Sequence[Interval]) -> list[dict[str, object]]:
    return [
        {"lengths": [bounds.low, bounds.high], **_numbers(value)}
        for bounds, value in zip(cell.bins, values, strict=True)
    ]


def _numbers(value: Interval) -> dict[str, float | None]:
    """Return an interval as JSON data, where a bin without instances has no numbers: NaN is not JSON."""
    known = value.median == value.median
    return {name: getattr(value, name) if known else None for name in ("median", "low", "high")}
