"""The ladder of a regular language: which of the well-known classes of regular languages hold it.

The inclusions, all of them proper::

    finite or cofinite ⊂ strictly local     ⊂ locally testable ⊂ dot-depth one ⊂ star-free
    finite or cofinite ⊂ piecewise testable ⊂ R-trivial        ⊂ star-free
                         piecewise testable ⊂ dot-depth one

Group languages stand beside all of these, but for the empty and the full language, which are in every class.
Each class comes with the theorem that decides it. Some are decided on the minimal automaton, the others on its
transition semigroup, which is the syntactic semigroup: the empty word has no part in it, as the theorems on windows
require. Theorems that speak of the syntactic monoid speak of Green's relations, and there an added identity stands alone
and changes nothing. Where a cap is reached, an inclusion may still give the answer; otherwise there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ..budget import default_time_budget
from ..errors import CapExceededError, InvalidOptionError, OutOfTimeError
from .dfa import DFA
from .order_classes import (
    why_not_finite_or_cofinite,
    why_not_group,
    why_not_piecewise_testable,
    why_not_r_trivial,
    why_not_star_free,
    why_not_star_free_by_a_letter,
)
from .semigroup import TransitionSemigroup, transition_semigroup
from .window_classes import (
    strict_locality,
    why_not_locally_testable,
    why_not_of_dot_depth_one,
    why_not_strictly_local,
)

MAX_ELEMENTS = 5_000
MAX_SECONDS = 5.0  # of CPU time for all classes together

Answer = tuple[bool | None, str]
Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """Whether a language is in a class.

    ``holds`` is None when a cap was reached, and ``reason`` names the cap. For a NO the reason is a witness, or the class
    around it that the language is not in; for a YES it is what more is known, if anything.
    """

    name: str
    holds: bool | None
    meaning: str
    theorem: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageClass:
    """A class of regular languages: what its languages look at, the theorem that decides it, what it lies in."""

    name: str
    meaning: str
    theorem: str
    inside: tuple[str, ...] = ()


CLASSES: dict[str, LanguageClass] = {
    each.name: each
    for each in (
        LanguageClass(
            name="finite or cofinite",
            meaning="all words from some length on are in it, or none",
            theorem="one state alone lies on a cycle: a nilpotent syntactic semigroup (Eilenberg 1976)",
            inside=("strictly local", "piecewise testable"),
        ),
        LanguageClass(
            name="strictly local",
            meaning="all factors of some length, with marks at the ends, are allowed ones",
            theorem="all words of some length are constants (De Luca and Restivo 1980, Caron 2000)",
            inside=("locally testable",),
        ),
        LanguageClass(
            name="locally testable",
            meaning="the set of factors of some length, with marks at the ends, decides",
            theorem="eSe is idempotent and commutative for every idempotent e (Brzozowski and Simon 1973, McNaughton 1974)",
            inside=("dot-depth one",),
        ),
        LanguageClass(
            name="piecewise testable",
            meaning="the set of subwords up to some length, gaps allowed, decides",
            theorem="the syntactic monoid is J-trivial (Simon 1975, on automata Klíma and Polák 2013)",
            inside=("R-trivial", "dot-depth one"),
        ),
        LanguageClass(
            name="R-trivial",
            meaning="reading from the left, the state changes a bounded number of times",
            theorem="every strongly connected component is one state (Brzozowski and Fich 1980)",
            inside=("star-free",),
        ),
        LanguageClass(
            name="dot-depth one",
            meaning="which factors up to some length come in which order, with gaps, decides",
            theorem="(eafb)^ω eafd (ecfd)^ω = (eafb)^ω (ecfd)^ω for idempotents e, f (Knast 1983)",
            inside=("star-free",),
        ),
        LanguageClass(
            name="star-free",
            meaning="Boolean operations and concatenation suffice; first-order logic with order defines it",
            theorem="the syntactic semigroup is aperiodic (Schützenberger 1965)",
        ),
        LanguageClass(
            name="group",
            meaning="every symbol permutes the states, so that no prefix is ever forgotten",
            theorem="the syntactic monoid is a group: every symbol acts as a permutation",
        ),
    )
}


SEMIGROUP_DECIDERS: dict[str, Callable[[TransitionSemigroup], str | None]] = {
    "star-free": why_not_star_free,
    "locally testable": why_not_locally_testable,
    "dot-depth one": why_not_of_dot_depth_one,
}


def ladder(language: DFA, *, max_elements: int = MAX_ELEMENTS) -> list[Rung]:
    """Return one row for every class of :data:`CLASSES`; the semigroup may have up to ``max_elements`` elements.

    >>> from lengthwise.languages.regex import compile_regex
    >>> for rung in ladder(compile_regex("(ab)*")):
    ...     print(f"{rung.name:18}  {rung.holds!s:5}  {rung.reason}".rstrip())
    finite or cofinite  False  ε and then any power of ab leads to one state, a and then any power of ba to another.
    strictly local      True   k = 2 is the least.
    locally testable    True   every strictly local language is.
    piecewise testable  False  after ε, a leads to another state and b from there back again.
    R-trivial           False  after ε, a leads to another state and b from there back again.
    dot-depth one       True   every strictly local language is.
    star-free           True   every strictly local language is.
    group               False  a and b lead to different states, and a from both to one.
    """
    if max_elements < 1:
        raise InvalidOptionError(
            f"max_elements is {max_elements}; it must be at least 1.", hint="leave it out for the usual cap."
        )
    with default_time_budget(MAX_SECONDS, "deciding the classes of this language"):
        known = _decide_classes(language, max_elements)
    return [
        Rung(name=name, holds=known[name][0], meaning=each.meaning, theorem=each.theorem, reason=known[name][1])
        for name, each in CLASSES.items()
    ]


def _decide_classes(language: DFA, max_elements: int) -> dict[str, Answer]:
    """Return what is known of every class; where a cap is reached or the time runs out, the reason says so."""
    known: dict[str, Answer] = {
        "finite or cofinite": _answer(why_not_finite_or_cofinite, language),
        "strictly local": _strictly_local(language),
        "piecewise testable": _answer(why_not_piecewise_testable, language),
        "R-trivial": _answer(why_not_r_trivial, language),
        "group": _answer(why_not_group, language),
    }
    period = why_not_star_free_by_a_letter(language)
    if period is not None:
        known["star-free"] = (False, period)
    _use_semigroup(language, max_elements, known)
    if known["strictly local"][0] is None:
        known["strictly local"] = _implied("strictly local", known) or known["strictly local"]
    return known


def _use_semigroup(language: DFA, max_elements: int, known: dict[str, Answer]) -> None:
    """Settle the classes that need the semigroup, which is built only where no inclusion gives the answer."""
    semigroup: TransitionSemigroup | None = None
    for name, why_not in SEMIGROUP_DECIDERS.items():
        answer = known.get(name) or _implied(name, known)
        if answer is None:
            try:
                semigroup = semigroup or transition_semigroup(language, cap=max_elements)
            except (CapExceededError, OutOfTimeError) as error:
                known.update({each: _implied(each, known) or (None, error.message) for each in SEMIGROUP_DECIDERS})
                return
            answer = _answer(why_not, semigroup)
        known[name] = answer


def _answer(why_not: Callable[[Subject], str | None], subject: Subject) -> Answer:
    try:
        reason = why_not(subject)
    except (CapExceededError, OutOfTimeError) as error:
        return None, error.message
    return reason is None, reason or ""


def _strictly_local(language: DFA) -> Answer:
    try:
        k = strict_locality(language)
    except (CapExceededError, OutOfTimeError) as error:
        return None, error.message
    return (False, why_not_strictly_local(language) or "") if k is None else (True, f"k = {k} is the least.")


def _implied(name: str, known: dict[str, Answer]) -> Answer | None:
    """Return what the inclusions say about a class: YES from a class inside it, NO from one around it."""
    for smaller, (holds, _) in known.items():
        if holds and name in classes_around(smaller):
            return True, f"every {smaller} language is."
    for larger in classes_around(name):
        holds, reason = known.get(larger, (None, ""))
        if holds is False:
            return False, f"not {larger}: {reason}"
    return None


def classes_around(name: str) -> list[str]:
    """Return the classes that contain a class, the nearest first.

    >>> classes_around("locally testable")
    ['dot-depth one', 'star-free']
    """
    found = list(CLASSES[name].inside)
    for each in found:
        found += [larger for larger in CLASSES[each].inside if larger not in found]
    return found
