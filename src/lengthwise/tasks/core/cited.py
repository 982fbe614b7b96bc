"""What tasks cite: a program of the library, a theorem that excludes every program, or that the question is open.

A verdict about a task speaks of its legal inputs only. So whoever excludes programs here says which legal inputs do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...crasp.fragments import Fragment
from ...theory.claims import Answer
from ...theory.facts import Citation, Facts
from ...theory.promises import AnswerAutomaton, PromiseCertificate, PromiseReductionCertificate
from .legal_inputs import hidden_problem

GROWING_ALPHABETS = (
    "Longer inputs need a larger vocabulary, and this YES does not speak of those. A theory of growing vocabularies exists (C*-RASP, "
    "arXiv 2603.19954), but this version derives no answer from it."
)

NO_LAST_OF_MANY = "The last one may lie arbitrarily far back: the last few symbols do not show it, and counts do not tell which came last."
"""Why a model cannot follow the last of many events: the flip-flop."""


def no_count_modulo(number: int) -> str:
    """Return why a model cannot count modulo a number."""
    return (
        f"A model can compare counts, see the last few symbols and know positions modulo a number, but none of this gives a count "
        f"modulo {number} at every length."
    )


def answered_by(program: str, fragment: Fragment, reason: str) -> Citation:
    """Return YES for a fragment: a program of the library answers, for this reason."""
    return Citation(
        fragment=fragment,
        answer=Answer.YES,
        theorem="library_program",
        reason=f"{reason} (lengthwise show program {program}).",
        program=program,
    )


def answered_at_fixed_alphabet(alphabet: str, *, program: str = "", how: str = "") -> Citation:
    """Return YES for a task whose alphabet is fixed by its parameter, named here: "150 tokens".

    ``program`` names one of the library that does not care how many inputs there are, and ``how`` says what it does.
    Without one, the reason is that a fixed alphabet allows finitely many inputs.
    """
    if program:
        reason = (
            f"{how} (lengthwise show program {program}). This is for a vocabulary of {alphabet}. {GROWING_ALPHABETS}"
        )
    else:
        listed = f"With a vocabulary of {alphabet} the task has only finitely many inputs, so a large enough model could store all answers."
        reason = f"{listed} {GROWING_ALPHABETS}"
    return Citation(
        fragment=Fragment.PLAIN,
        answer=Answer.YES,
        theorem="library_program" if program else "finite_inputs",
        reason=reason,
        program=program,
    )


def excluded_by(theorem: str, reason: str) -> Citation:
    """Return NO for every fragment: a theorem excludes all programs, for this reason."""
    return Citation(fragment=Fragment.PERIODIC_LOCAL, answer=Answer.NO, theorem=theorem, reason=reason)


def excluded_by_communication(must_remember: str) -> Facts:
    """Return that a model must remember more of the input than a program can carry on; its first sentence comes without a full stop."""
    reason = (
        f"{must_remember}. That takes far more than log n bits for n symbols. But all that an answer can learn from the input is a "
        "fixed number of counts, the last few symbols and positions modulo a number: about log n bits. Nor can it look back at the "
        "symbol it needs: no fixed weights single out one given position among n at every n."
    )
    return Facts(cited=(excluded_by("communication", reason),))


def excluded_without_positions(legal_inputs: Callable[[], AnswerAutomaton], reason: str) -> Citation:
    """Return NO for plain C-RASP: counting cannot tell some legal inputs apart that have different answers."""

    def prove() -> PromiseCertificate:
        from ...theory.promise_search import find_promise

        found = find_promise(legal_inputs())
        assert found is not None, "counting tells these inputs apart"
        return found

    return Citation(fragment=Fragment.PLAIN, answer=Answer.NO, theorem="promise_refinement", reason=reason, proof=prove)


def excluded_by_hidden(
    target: str,
    reason: str,
    *,
    images: Mapping[str, Sequence[str]],
    answers: Sequence[str],
    suffix: Sequence[str],
    prefix: Sequence[str] = (),
    legal_inputs: Callable[[], AnswerAutomaton] | None = None,
) -> Citation:
    """Return NO for every fragment: legal inputs hide a problem that is known to have no program.

    A word of the problem stands for prefix, the images of its letters, and suffix; ``answers`` are the right answers at
    the states of the problem's automaton. ``legal_inputs`` may state a larger set of inputs than these.
    """

    def prove() -> PromiseReductionCertificate:
        return hidden_problem(
            target, images=images, answers=answers, prefix=prefix, suffix=suffix, legal_inputs=legal_inputs
        )

    return Citation(
        fragment=Fragment.PERIODIC_LOCAL, answer=Answer.NO, theorem="known_non_member", reason=reason, proof=prove
    )


def unsettled(reason: str, fragment: Fragment = Fragment.PERIODIC_LOCAL, *, theorem: str = "open") -> Citation:
    """Return that nothing is proved for a fragment, for this reason."""
    return Citation(fragment=fragment, answer=Answer.UNKNOWN, theorem=theorem, reason=reason)
