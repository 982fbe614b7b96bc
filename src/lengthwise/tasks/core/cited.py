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
    "No theorem here covers vocabularies that grow with the input (C*-RASP, arXiv 2603.19954, is a theory of them)."
)

ONLY_A_TABLE = (
    "A large enough model could hold a table of all answers. That is all this YES says: it does not predict that training on short "
    "inputs carries over to longer ones."
)
"""What a YES is worth that rests on there being finitely many inputs."""

NO_LAST_OF_MANY = "The last one may lie arbitrarily far back: the last few symbols do not show it, and counts do not tell which came last."
"""Why a model cannot follow the last of many events: the flip-flop."""


def no_count_modulo(number: int) -> str:
    """Return why a model cannot count modulo a number."""
    return (
        "Even a model that can compare counts, see the last few symbols and know positions modulo a number cannot count modulo "
        f"{number} at every length: the answer changes again and again as the number grows, while a comparison of averages changes once."
    )


def answered_by(program: str, fragment: Fragment, reason: str) -> Citation:
    """Return YES for a fragment: a program of the library answers, for this reason."""
    return Citation(
        fragment=fragment,
        answer=Answer.YES,
        theorem="library_program",
        reason=f"{reason} (lengthwise show program {program}).{_means(reason)}",
        program=program,
    )


def _means(reason: str) -> str:
    """Return what attention contributes to a program, where the reason does not say it."""
    means = " Attention can do this at every length: averages over all earlier tokens compare counts."
    return "" if "ttention" in reason or "nduction head" in reason else means


def answered_at_fixed_alphabet(limited: str, *, program: str = "", how: str = "") -> Citation:
    """Return YES for a task whose vocabulary, fixed by its parameter, limits the length: "none of 150 tokens occurs twice".

    ``program`` names one of the library that does not care how many inputs there are, and ``how`` says what it does.
    Without one, the reason is that there are finitely many inputs.
    """
    if program:
        reason = (
            f"{how} (lengthwise show program {program}).{_means(how)} This holds up to the length that the vocabulary allows: {limited}. "
            f"{GROWING_ALPHABETS}"
        )
    else:
        reason = f"There are only finitely many inputs, because {limited}. {ONLY_A_TABLE} {GROWING_ALPHABETS}"
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


def excluded_by_communication(needed: str) -> Facts:
    """Return that an answer needs more of the input than a program can pass on; the first sentence comes without a full stop."""
    reason = (
        f"{needed}. Attention cannot fetch them one at a time. Symbols repeat, so their content does not show which one is meant. "
        "Positions do not show it either: at lengths that were never trained, they single out only tokens a fixed distance back, or "
        "every m-th token. Whatever else reaches an answer is an average over many tokens, that is, a count. A few counts hold about log n "
        "bits, too few for n symbols."
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
