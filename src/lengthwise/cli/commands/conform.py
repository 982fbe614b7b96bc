"""`lengthwise conform`: what encodings declare, measured."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ...encodings.catalog import ALIASES, ENCODINGS, Alias
from ...encodings.core.choice import find_encoding
from ...extras import require_extra
from ..text import colour, paragraph, passing_line, print_json

if TYPE_CHECKING:
    from ...conformance.suite import Outcome

EXAMPLES = """\
examples:
  lengthwise conform                               all encodings: a minute
  lengthwise conform rope alibi 'rope(base=500000)'
  lengthwise conform fire --json
  lengthwise conform mine.py                       an encoding of your own

Needs torch: pip install '.[train]' in the clone
exit codes: 0 all checks passed, 1 some failed, 2 the input was wrong"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="encodings, or the file of one of your own (default: all of the package)",
    )


def run(options: Namespace) -> int:
    """Run the conformance suite and print what every check came to."""
    named = [name.strip() for name in options.names]
    names = list(dict.fromkeys(find_encoding(name).name for name in named or ENCODINGS))
    require_extra("the conformance suite")
    outcomes = _run_suite(names, quiet=options.json)
    every = [outcome for row in outcomes.values() for outcome in row]
    failed = sum(bool(outcome.failure) for outcome in every)
    skipped = sum(bool(outcome.skipped) for outcome in every)
    counts = {"passed": len(every) - failed - skipped, "failed": failed}
    aliases = [alias for name, alias in ALIASES.items() if not named or name in named]
    if options.json:
        rows = [{"encoding": name} | asdict(outcome) for name, row in outcomes.items() for outcome in row]
        print_json({"encodings": names, "checks": _checks(), "outcomes": rows} | counts)
    else:
        print("\n".join(_conformance_lines(outcomes, aliases)))
        words = "encodings" if len(names) != 1 else "encoding"
        print(f"\n{len(names)} {words} × {len(_checks())} checks: {counts['passed']} passed, {failed} failed")
    return 1 if failed else 0


def _checks() -> dict[str, str]:
    """Return the checks with what each asks for."""
    from ...conformance.suite import CHECKS

    return {name: (check.__doc__ or "").strip() for name, check in CHECKS.items()}


def _run_suite(names: Sequence[str], *, quiet: bool) -> dict[str, list[Outcome]]:
    from ...conformance.suite import conform

    outcomes = {}
    with passing_line(hidden=quiet) as show:
        for number, name in enumerate(names, start=1):
            show(f"{number} of {len(names)}: {name}")
            outcomes[name] = conform(name)
    return outcomes


def _conformance_lines(outcomes: dict[str, list[Outcome]], aliases: Sequence[Alias]) -> Iterator[str]:
    """Yield the table of encodings and checks, what the checks are, and what failed."""
    checks = _checks()
    wide = max(len(name) for name in ("encoding", *outcomes))
    numbers = " ".join(f"{number:>2}" for number in range(1, len(checks) + 1))
    yield colour(f"{'encoding':<{wide}} {numbers}", "bold")
    for name, row in outcomes.items():
        yield f"{name:<{wide}} " + " ".join(f" {_mark(outcome)}" for outcome in row)
    if aliases:
        yield ""
        yield paragraph(", ".join(f"{alias.name} = {alias.means}" for alias in aliases))
    yield ""
    for number, (name, asks) in enumerate(checks.items(), 1):
        yield paragraph(f"{number:>2} {name}: {asks}", "     ", "")
    failed = [(name, outcome) for name, row in outcomes.items() for outcome in row if outcome.failure]
    for name, row in outcomes.items():
        yield from (paragraph(f"– {name}: {outcome.skipped}.") for outcome in row if outcome.skipped)
    if failed:
        yield "\nfailed"
        yield from (paragraph(f"{name}, {outcome.check}: {outcome.failure}", "    ", "  ") for name, outcome in failed)


def _mark(outcome: Outcome) -> str:
    if outcome.skipped:
        return "–"
    return colour("✗", "rejected") if outcome.failure else colour("✓", "accepted")
