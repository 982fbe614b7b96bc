"""`lengthwise atlas score`: the row of an encoding."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from ....encodings.core.choice import find_encoding
from ....extras import require_extra
from ....report.encoding_score import QUICK_PROBLEMS, QUICK_SEEDS, EncodingScore, score_encoding
from ...arguments import add_device_argument
from ...progress import Bars
from ...text import paint, paragraph, passing_line, print_json, width

EXAMPLES = f"""\
examples:
  lengthwise new encoding ripple && lengthwise atlas score ripple.py --quick
  lengthwise atlas score ripple.py --device cuda
  lengthwise atlas score 'rope(base=500000)' --json

--quick takes the {QUICK_PROBLEMS} problems that tell encodings apart the most, with {QUICK_SEEDS} seeds each: minutes on a CPU.
Finished runs are kept in the store; the same command continues. Needs torch: pip install '.[train]' in the clone
exit codes: 0 all checks passed, 1 some failed, 2 the input was wrong"""

_SHOWN = 5


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("encoding", metavar="ENCODING", help="the file of an encoding of your own, or a name")
    parser.add_argument("--quick", action="store_true", help="fewer problems and seeds, for a CPU")
    parser.add_argument(
        "--store",
        default="lengthwise-score.sqlite",
        metavar="FILE",
        help="where finished runs are kept (default: %(default)s)",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="training processes (default: one per core)")
    add_device_argument(parser)


def run(options: Namespace) -> int:
    """Measure an encoding and print its row."""
    find_encoding(options.encoding)
    require_extra("the conformance suite")
    with passing_line(hidden=options.json) as show, Bars(quiet=options.json) as bars:
        found = score_encoding(
            options.encoding,
            options.store,
            quick=options.quick,
            device=options.device,
            workers=options.workers,
            tell=show,
            on_plan=bars.begin,
            on_event=bars.update,
        )
    if options.json:
        print_json(found.to_json())
    else:
        print("\n".join(_lines(found)))
    return 1 if found.failures else 0


def _lines(found: EncodingScore) -> Iterator[str]:
    """Yield the row in words, then the reference problems, then who stands nearby."""
    place, cost = found.place, found.cost
    checks = f"{found.passed} of {found.passed + len(found.failures)} checks passed"
    more = cost.parameters - cost.parameters_of_rival
    yield f"encoding     {found.encoding}"
    yield f"conformance  {checks}{f', {found.skipped} skipped' if found.skipped else ''}"
    yield from (paragraph(f"{check}: {failure}", "    ", "  ") for check, failure in found.failures)
    yield (
        f"cost         {cost.parameters:,} parameters ({more:+,} against rope); a training step takes {cost.times:.2f} times as long "
        f"as with rope ({1000 * cost.step:.1f} ms of one CPU thread)"
    )
    yield f"success      {place.share:.2f} ({place.low:.2f}–{place.high:.2f}): mean share of runs that generalize"
    yield f"rank         {place.rank} of {place.num_encodings} ({place.best_rank}–{place.worst_rank})"
    yield ""
    yield found.table.to_text(width(), paint)
    yield ""
    yield "among all encodings that were measured on these problems:"
    yield from _ranking(found)
    yield ""
    yield paragraph(
        f"Trained like the measured ones: {found.setting.summary}, {found.seeds} seeds. Success is at {found.setting.at:g} times the "
        "training length; a run that does not fit counts as one that does not generalize. Intervals (95 %) say what more seeds could "
        "change on these problems, not what other problems would. Hardware may differ from that of the measured ones "
        f"({found.setting.hardware})."
    )


def _ranking(found: EncodingScore) -> Iterator[str]:
    """Yield the first encodings, and those around the one that was scored."""
    place = found.place
    rows = list(found.shares.items())
    rows.insert(place.rank - 1, (found.encoding, place.share))
    shown = {*range(_SHOWN), *range(place.rank - 3, place.rank + 2)}
    skipped = False
    for number, (name, share) in enumerate(rows):
        if number in shown:
            yield f"  {number + 1:3}  {share:.2f}  {name}{'  ←' if number == place.rank - 1 else ''}"
            skipped = False
        elif not skipped:
            yield "    …"
            skipped = True
