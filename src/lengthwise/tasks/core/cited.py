"""What tasks cite: a program of the library, a theorem that excludes every program, or that the question is open."""

from __future__ import annotations

from ...crasp.fragments import Fragment
from ...theory.claims import Answer
from ...theory.facts import Citation, Facts


def answered_by(program: str, fragment: Fragment, reason: str) -> Citation:
    """Return YES for a fragment: a program of the library answers, for this reason."""
    return Citation(
        fragment=fragment,
        answer=Answer.YES,
        theorem="library_program",
        reason=f"{reason} (lengthwise show program {program}).",
        program=program,
    )


def excluded_by(theorem: str, reason: str) -> Citation:
    """Return NO for every fragment: a theorem excludes all programs, for this reason."""
    return Citation(fragment=Fragment.PERIODIC_LOCAL, answer=Answer.NO, theorem=theorem, reason=reason)


def excluded_by_communication(reason: str) -> Facts:
    """Return that too much of the input must be known, for this reason, while a program passes on only O(log n) bits."""
    return Facts(cited=(excluded_by("communication", reason),))


def unsettled(reason: str, fragment: Fragment = Fragment.PERIODIC_LOCAL, *, theorem: str = "open") -> Citation:
    """Return that nothing is proved for a fragment, for this reason."""
    return Citation(fragment=fragment, answer=Answer.UNKNOWN, theorem=theorem, reason=reason)


def needs_windows(reason: str, program: str) -> Facts:
    """Return that a program with windows answers, and that nothing is known without them for alphabets that grow.

    ``program`` names the one without windows that answers for a fixed number of symbols.
    """
    return Facts(
        cited=(
            Citation(fragment=Fragment.LOCAL, answer=Answer.YES, theorem="program", reason=reason),
            unsettled(
                f"for every fixed number of symbols there is a program without windows (lengthwise show program {program}), "
                "but then the inputs are finitely many; of alphabets that grow no theorem here speaks.",
                Fragment.PLAIN,
            ),
        )
    )
