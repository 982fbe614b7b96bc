"""Everything that is wrong with the file of a user's encoding: its card, its hooks, and what the suite measures."""

from __future__ import annotations

from ..encodings.core.choice import find_encoding
from ..errors import LengthwiseError
from ..tasks.user.findings import Finding, counted, error, errors_of, note
from .suite import CHECKS, conform


def check_encoding_file(path: str) -> list[Finding]:
    """Return everything there is to say about a file that declares an encoding; this runs the file."""
    from ..encodings.user.probe import require_sound

    try:
        choice = find_encoding(path)
        require_sound(choice)
    except LengthwiseError as problem:
        return [error(problem.message.removeprefix(f"{path!r}: "), problem.hint)]
    outcomes = conform(path)
    found = [
        error(f"the check {outcome.check!r} fails: {outcome.failure}.", f"it asks: {CHECKS[outcome.check].__doc__}")
        for outcome in outcomes
        if outcome.failure
    ]
    found += [
        note(f"the check {outcome.check!r} was left out: {outcome.skipped}.") for outcome in outcomes if outcome.skipped
    ]
    if not errors_of(found):
        measured = sum(not outcome.skipped for outcome in outcomes)
        bounds = [name for name in ("at_least", "at_most", "expressible") if getattr(choice, name)]
        proved = f"; nothing measures what it claims as proved: {', '.join(bounds)}" if bounds else ""
        found.append(note(f"{choice.card.title}: {counted(measured, 'check')} passed{proved}."))
    return found
