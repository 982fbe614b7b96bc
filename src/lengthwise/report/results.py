"""The report of a store as tables: prediction beside measurement for every task, encoding and setting."""

from __future__ import annotations

from collections.abc import Sequence

from ..experiment.settings import ONLY_TESTS, SETTINGS, following_settings, is_worth_saying, show_setting
from ..tables import Table
from ..tasks.audit.results import Baseline
from ..tasks.core.lengths import multiple_of
from .intervals import FEWEST_FOR_MEDIAN, Interval, SuccessRate
from .judging import FEW_SUCCEED, FEWEST_RUNS, FITTED, GENERALIZED, MARKS_LEGEND, MOST_SUCCEED, Standing, agreement
from .looking import KeptModels, challenged_blocks, failing_blocks, untested_blocks
from .naming import columns_of
from .numbers import percent, show_multiple, show_number
from .pages import Block, Document, Heading, Paragraph
from .results_data import flat_record
from .statistics import Cell


def results_table(cells: Sequence[Cell]) -> Table:
    """Return a row for every cell; settings that vary have columns, named as in a spec."""
    multiples, varying = _multiples(cells), columns_of(cells)
    rows = [
        [
            *_names(cell, varying),
            str(cell.verdict.answer),
            *_aligned(cell, list(map(show_interval, cell.by_bin)), multiples),
            f"{cell.num_fitted}/{cell.num_runs}",
            show_rate(cell.rate),
            percent(cell.best),
            f"{cell.standing.mark} {cell.remark}",
        ]
        for cell in cells
    ]
    header = ["task", "encoding", *varying, "predicted", *_titles(multiples)]
    header += ["fitted", "generalize", "best", "remark"]
    numbers = dict.fromkeys(range(2 + len(varying), len(header) - 1), "number")
    numbers |= {2 + column: "number" for column, name in enumerate(varying) if _is_number(name, cells)}
    kinds = numbers | {0: "name", 2 + len(varying): "answer", len(header) - 1: "remark"}
    records = [flat_record(cell, varying) for cell in cells]
    return Table(header=header, rows=rows, kinds=kinds, records=records)


def _is_number(name: str, cells: Sequence[Cell]) -> bool:
    """Return whether a setting is a number in all cells that have it: not a switch, and not a list of lengths."""
    return all(type(cell.settings[name]) in (int, float, type(None)) for cell in cells)


def _multiples(cells: Sequence[Cell]) -> list[float]:
    """Return the multiples of the training length at which the bins of some cell end."""
    return sorted({multiple_of(bounds, cell.bins[0].high) for cell in cells for bounds in cell.bins})


def _titles(multiples: Sequence[float]) -> list[str]:
    return list(map(show_multiple, multiples))


def _aligned(cell: Cell, by_bin: Sequence[str], multiples: Sequence[float]) -> list[str]:
    """Return what stands in each bin of a cell below its multiple; nothing below those that the cell does not have."""
    own = {multiple_of(bounds, cell.bins[0].high): shown for bounds, shown in zip(cell.bins, by_bin, strict=True)}
    return [own.get(multiple, "") for multiple in multiples]


def common_settings(cells: Sequence[Cell]) -> str:
    """Return the settings that are the same in all cells, once, in a sentence; what is off by default and is off is left out."""
    following = following_settings(cell.settings for cell in cells)
    varying = (*columns_of(cells), *ONLY_TESTS, *following, "room")
    shown = [f"{name} {rule}" for name, rule in following.items() if name != "room"]
    for name in SETTINGS:
        values = [cell.settings[name] for cell in cells if cell.settings[name] is not None]
        if name not in varying and values and is_worth_saying(name, values[0]):
            shown.append(f"{name} {show_setting(values[0])}")
    return f"The same for all: {', '.join(shown)}."


HARD_LEGEND = (
    "Hard instances: exact match in percent, as above, on random instances and on hard ones of each kind "
    "(docs/concepts/hard-tests.md); – where a kind has none of these lengths."
)


def hard_table(cells: Sequence[Cell]) -> Table | None:
    """Return, for every cell with hard instances, a row for the random ones and one for each kind of hard ones."""
    hard = [cell for cell in cells if cell.hard]
    if not hard:
        return None
    multiples, varying = _multiples(hard), columns_of(cells)
    rows = [
        [*_names(cell, varying), kind, *_aligned(cell, list(map(show_interval, values)), multiples)]
        for cell in hard
        for kind, values in (("random", cell.by_bin), *cell.hard.items())
    ]
    header = ["task", "encoding", *varying, "instances", *_titles(multiples)]
    return Table(header=header, rows=rows, kinds={0: "name", **dict.fromkeys(range(1, len(header)), "number")})


def _names(cell: Cell, varying: Sequence[str]) -> list[str]:
    """Return what tells a cell from others: its task, its encoding, and the settings that vary."""
    return [cell.task, cell.encoding, *(show_setting(cell.settings[name]) for name in varying)]


def show_interval(value: Interval) -> str:
    """Return a median in percent, with its interval where that is wider than a point."""
    if value.median != value.median:
        return "–"
    if value.high - value.low < 0.01:
        return percent(value.median)
    return f"{percent(value.median)} ({percent(value.low)}–{percent(value.high)})"


def show_rate(rate: SuccessRate | None) -> str:
    """Return how many of the fitted runs generalize, with the 95 % interval of the success rate in percent.

    >>> from .intervals import success_rate
    >>> show_rate(success_rate(2, 3)), show_rate(None)
    ('2/3 (9–99)', '–')
    """
    return "–" if rate is None else f"{rate.successes}/{rate.num_runs} ({100 * rate.low:.0f}–{100 * rate.high:.0f})"


def summary(cells: Sequence[Cell]) -> str:
    """Return how many predictions agree with the measurement, how many differ, and how many runs are too few to tell, in a sentence."""
    found = agreement(cell.standing for cell in cells)
    if not found.judged:
        return "No cell has both a prediction and a run that fits the training lengths."
    challenged = sum(cell.standing is Standing.CHALLENGED for cell in cells)
    of_them = f" ({challenged} challenged)" if challenged else ""
    return (
        f"Prediction and measurement: {found.agree} agree, {found.differ} differ{of_them}, {found.undecided} undecided of the "
        f"{found.judged} {'cell' if found.judged == 1 else 'cells'} with a prediction and a run that fits the training lengths."
        f"{_not_judged(cells)}"
    )


def _not_judged(cells: Sequence[Cell]) -> str:
    """Say how many cells are left out of the count, and why."""
    unfitted = sum(cell.standing is Standing.NO_EVIDENCE for cell in cells)
    unpredicted = sum(cell.standing is Standing.NO_PREDICTION for cell in cells)
    reasons = [f"{unfitted} without a fitted run"] * bool(unfitted) + [f"{unpredicted} without a prediction"] * bool(
        unpredicted
    )
    return f" Not counted: {' and '.join(reasons)}." if reasons else ""


def legend(cells: Sequence[Cell]) -> str:
    """Return how to read the table."""
    several = len({cell.bins for cell in cells}) > 1
    bins = "up to so many times the training length" if several else " / ".join(str(bounds) for bounds in cells[0].bins)
    at = sorted({cell.success_at for cell in cells})
    where = " or ".join(map(show_multiple, at)) + (" (JSON says which for each row)" if len(at) > 1 else "")
    blank = " A row has nothing below a multiple at which none of its tested lengths end." * several
    return (
        f"Exact match in percent, median (and {_kinds_of_interval(cells)}) over the fitted runs, or over all where none "
        f"fitted, at lengths {bins}. Fitted: at least {FITTED:.0%} on fresh instances of the longest quarter of the training lengths. "
        f"Generalize: of the fitted runs, those with at least {GENERALIZED:.0%} at {where}, with the 95 % interval of this success "
        f"rate in percent; best: the best run there; – where there is nothing to count.{blank} A YES agrees if at least "
        f"{MOST_SUCCEED:.0%} of at least {FEWEST_RUNS} fitted runs generalize, a NO if at most {FEW_SUCCEED:.0%} do; either differs "
        f"only if the interval excludes that rate. {MARKS_LEGEND}{_advice(cells)}{_room(cells)}{_mixed_processors(cells)}"
    )


def _kinds_of_interval(cells: Sequence[Cell]) -> str:
    """Return what stands beside medians: the range of a few runs, or an interval of several."""
    kinds = {cell.has_ranges for cell in cells}
    if len(kinds) > 1:
        return f"range; 95 % interval from {FEWEST_FOR_MEDIAN} runs on"
    return "range" if True in kinds else "95 % interval"


def _advice(cells: Sequence[Cell]) -> str:
    """Say what to do about cells that say nothing."""
    if all(cell.num_fitted for cell in cells):
        return ""
    return " Where no run fitted there is no evidence: try more steps, a wider model or another learning rate."


def _room(cells: Sequence[Cell]) -> str:
    """Say for which lengths encodings have positions, where their training depends on it."""
    rooms = sorted({cell.room for cell in cells if cell.room is not None})
    names = dict.fromkeys(cell.encoding for cell in cells if cell.room is not None)
    shown = " or ".join(map(str, rooms))
    return f" Positions of {', '.join(names)} reach to length {shown}." if rooms else ""


def baselines_table(cells: Sequence[Cell]) -> Table | None:
    """Return, for every task that was audited, what the best constant answer and the best shortcut reach in each bin.

    Settings that vary have columns, as far as instances depend on them: others, such as a width, leave baselines as they are.
    """
    varying = [name for name in columns_of(cells) if name in _OF_INSTANCES]
    audited = {
        (cell.task, *(show_setting(cell.settings[name]) for name in varying)): cell
        for cell in cells
        if cell.audit is not None
    }
    if not audited:
        return None
    multiples = _multiples(cells)
    rows = []
    for cell in audited.values():
        audit = cell.audit
        assert audit is not None
        best = [audit.best(number) for number in range(len(audit.bins))]
        lines = {
            f"chance ({audit.chance.name})": map(_share, audit.chance.shares),
            "best shortcut": (_share(rule.shares[number]) for number, rule in enumerate(best)),
            "which one": map(_rule, best),
            "instances per run": map(str, cell.examples),
        }
        own = [show_setting(cell.settings[name]) for name in varying]
        rows += [[cell.task, *own, name, *_aligned(cell, list(shown), multiples)] for name, shown in lines.items()]
    header = ["task", *varying, "baseline", *_titles(multiples)]
    kinds = dict.fromkeys(range(1, len(header)), "number") | {0: "name", 1 + len(varying): "remark"}
    return Table(header=header, rows=rows, kinds=kinds)


_OF_INSTANCES = ("train_length", "test_length", "examples")
"""The settings that decide which instances are drawn for tests."""


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
    multiples, varying = _multiples(decoded), columns_of(cells)
    rows = [[*_names(cell, varying), *_aligned(cell, list(map(_points, cell.decoding)), multiples)] for cell in decoded]
    header = ["task", "encoding", *varying, *_titles(multiples)]
    return Table(header=header, rows=rows, kinds={0: "name", **dict.fromkeys(range(2, len(header)), "number")})


def _points(value: Interval) -> str:
    """Return a median difference in points; the interval is in JSON."""
    return "–" if value.median != value.median else show_number(100 * value.median)


def decoding_legend(cells: Sequence[Cell]) -> str:
    """Return how to read the table of decoding, with how many instances were decoded."""
    numbers = sorted({number for cell in cells for number in cell.decoded if number})
    shown = " to ".join(str(number) for number in dict.fromkeys((numbers[0], numbers[-1]))) if numbers else "no"
    return (
        "Decoding: median of exact match when the model writes its answer token by token, less exact match under teacher forcing on "
        f"the same instances, {shown} in each bin, in points."
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


def brief_report(cells: Sequence[Cell], kept: KeptModels | None = None) -> Document:
    """Return the tables with how to read them, for a terminal or as Markdown; ``kept`` says where models can be looked into."""
    return Document(
        [
            *challenged_blocks(cells, kept),
            results_table(cells),
            Paragraph(summary(cells)),
            Paragraph(common_settings(cells)),
            Paragraph(legend(cells)),
            *untested_blocks(cells, kept),
            *failing_blocks(cells, kept),
            *other_blocks(cells),
        ]
    )


def other_blocks(cells: Sequence[Cell]) -> list[Block | Table]:
    """Return baselines, decoding and hard instances, as far as they were measured."""
    blocks: list[Block | Table] = []
    for title, table, read in (
        ("Baselines", baselines_table(cells), BASELINES_LEGEND),
        ("Decoding", decoding_table(cells), decoding_legend(cells)),
        ("Hard instances", hard_table(cells), HARD_LEGEND),
    ):
        blocks += [] if table is None else [Heading(title), table, Paragraph(read)]
    return blocks
