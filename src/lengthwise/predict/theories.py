"""What two theories of arithmetic say of a problem with an encoding.

Counting: sums inside attention are exact. Fixed precision: every number comes from a finite set. For each, a card declares
classes of problems between which the encoding lies, and a verdict follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from math import lcm
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment, Readout
from ..encodings.catalog import Bound
from ..encodings.core.choice import Choice, find_encoding
from ..errors import OutOfTimeError
from ..languages.dfa import DFA
from ..theory.certificates import PotentialsCertificate, QuotientsCertificate
from ..theory.claims import Answer
from ..theory.deciders import decide
from ..theory.facts import Facts
from ..theory.precision.logics import Logic
from ..theory.reasons import capitalized
from ..theory.reasons import in_words as fragment_in_words
from ..theory.verdict import AnyVerdict, Verdict
from ..theory.windows import Caps

if TYPE_CHECKING:
    from .predict import Prediction


class Theory(StrEnum):
    """How numbers are understood."""

    COUNTING = "counting"
    PRECISION = "fixed precision"


class Verdicts:
    """The verdicts about one problem, each decided when it is first asked for."""

    def __init__(self, facts: Facts, readout: Readout | None, caps: Caps | None) -> None:
        self.facts, self._readout, self._caps = facts, readout, caps
        self._decided: dict[Fragment | tuple[Logic, bool], AnyVerdict] = {}

    def counting(self, fragment: Fragment) -> Verdict:
        """Return the verdict for a fragment of C-RASP."""
        if fragment not in self._decided:
            self._decided[fragment] = decide(self.facts, fragment, self._readout, caps=self._caps)
        found = self._decided[fragment]
        assert isinstance(found, Verdict)
        return found

    def within(self, bound: Bound) -> AnyVerdict:
        """Return whether the problem is in the class of a bound."""
        if isinstance(bound.fragment, Fragment):
            return self.counting(bound.fragment)
        key = (bound.fragment, bound.regular)
        if key not in self._decided:
            from ..theory.precision.problems import decide_problem  # here: many questions are about counting alone

            self._decided[key] = decide_problem(
                self.facts, bound.fragment, self._readout, self.counting, regular=bound.regular, caps=self._caps
            )
        return self._decided[key]


def with_previous_token(bound: Bound | None) -> Bound | None:
    """Return a bound for models whose attention also sees the previous token, by the switch ``token_shift``."""
    if bound is None:
        return None
    far = "" if bound.far_within else bound.far  # what windows solve is within the new bound
    fragment = _WITH_WINDOWS.get(bound.fragment, bound.fragment)
    return replace(bound, fragment=fragment, status="ours", far=far, far_within=())


_WITH_WINDOWS: dict[Fragment | Logic, Fragment | Logic] = {
    Fragment.PLAIN: Fragment.LOCAL,
    Fragment.PERIODIC: Fragment.PERIODIC_LOCAL,
    Logic.P: Logic.P_Y,
    Logic.P_MOD: Logic.P_Y_MOD,
}


def weigh(choice: Choice, theory: Theory, verdicts: Verdicts, *, shifted: bool = False) -> AnyVerdict:
    """Return YES if the problem is within ``at_least``, NO if it is outside ``at_most``, otherwise UNKNOWN with the gap.

    ``shifted`` says that attention also sees the previous token.
    """
    is_counting = theory is Theory.COUNTING
    least, most = (
        (choice.at_least, choice.at_most) if is_counting else (choice.precise_at_least, choice.precise_at_most)
    )
    if shifted:
        least, most = with_previous_token(least), with_previous_token(most)
    if _is_one_of(verdicts.facts.language, choice.solves):
        return _solved(choice, verdicts)
    for bound in choice.weaker(least) if least and not shifted else ():
        found = verdicts.within(bound)
        if found.answer is Answer.YES:
            return _assuming(found, choice, bound)
    inside = _inside(least, choice, verdicts) if least else None
    if least is not None and inside is not None and inside.answer is Answer.YES:
        return _assuming(inside, choice, least)
    outside = verdicts.within(most) if most else None
    if most is not None and outside is not None and outside.answer is Answer.NO:
        return _assuming(_even_with_windows(outside, most, verdicts), choice, most)
    is_narrow = choice.few_bits or (not is_counting and choice.card.few_bits_if_precise)
    if is_narrow:
        told = verdicts.counting(Fragment.PERIODIC_LOCAL)
        if told.answer is Answer.NO and told.theorem == "communication":
            return _assuming(told, choice, _FEW_BITS)
    if inside is not None and most is not None and least is not None and inside.fragment is most.fragment:
        return inside  # undecided within the very class; the reason says why
    like = next((known for known in (outside, inside) if known is not None), None)
    like = verdicts.counting(Fragment.PERIODIC_LOCAL) if like is None else like
    reason = _gap(choice, theory, least, inside, most, outside, verdicts)
    return replace(like, answer=Answer.UNKNOWN, theorem="open", certificate=None, reason=reason, assumption="")


def _even_with_windows(outside: AnyVerdict, most: Bound, verdicts: Verdicts) -> AnyVerdict:
    """Return a NO with a reason that also holds for models that see the last few symbols, where there is one.

    Attention that loses the previous token only on very long inputs needs such a reason.
    """
    if Logic.P_Y not in most.far_within:
        return outside
    found = verdicts.within(replace(most, fragment=Logic.P_Y))
    return replace(outside, reason=found.reason) if found.answer is Answer.NO else outside


def _inside(bound: Bound, choice: Choice, verdicts: Verdicts) -> AnyVerdict:
    """Return whether the problem is in the class of a lower bound, with a period that the encoding has."""
    verdict = verdicts.within(bound)
    if not bound.period or verdict.answer is not Answer.YES:
        return verdict
    has, needs = int(dict(choice.options)[bound.period]), _period_of(verdict.certificate)
    if needs and has % needs == 0:
        return verdict
    told = f"position modulo {needs}" if needs else "position modulo some number that is not known"
    reason = f"The known solution needs the {told}, but the positions of {choice.name} repeat after {has}."
    return replace(verdict, answer=Answer.UNKNOWN, theorem="open", certificate=None, reason=reason)


def _period_of(certificate: object) -> int:
    """Return the period that the solution of a YES needs; 0 if it is not known."""
    if isinstance(certificate, PotentialsCertificate):
        return certificate.period
    if isinstance(certificate, QuotientsCertificate):
        periods = [_period_of(part) for _, part in certificate.parts]
        return lcm(*periods) if all(periods) else 0
    from ..theory.precision.certificates import RanksCertificate

    return lcm(*(modulus for _, modulus in certificate.moduli)) if isinstance(certificate, RanksCertificate) else 0


_FEW_BITS = Bound(
    fragment=Fragment.PERIODIC_LOCAL,
    citation="docs/concepts/encodings.md, theorem F",
    assumption="keys, and what positions do to them, come from a finite set",
    status="ours",
)


def _assuming(verdict: AnyVerdict, choice: Choice, bound: Bound) -> AnyVerdict:
    """Return a verdict with what its bound assumes."""
    return replace(verdict, assumption=bound.stated_for(choice.name))


def _is_one_of(language: DFA | None, names: Iterable[str]) -> bool:
    """Return whether a language is one of these, whatever its symbols are called."""
    names = tuple(names)
    if language is None or not names:
        return False
    from ..languages.catalog import find_language
    from ..languages.dfa_algebra import without_letter_names

    try:
        for other in (find_language(name).language for name in names):
            is_alike = (len(other.alphabet), other.num_states) == (len(language.alphabet), language.num_states)
            if is_alike and without_letter_names(other) == without_letter_names(language) is not None:
                return True
    except OutOfTimeError:
        pass  # what else is asked names the cap
    return False


def _solved(choice: Choice, verdicts: Verdicts) -> AnyVerdict:
    like = verdicts.counting(Fragment.PERIODIC_LOCAL)
    return replace(
        like,
        answer=Answer.YES,
        theorem="householder_parity",
        certificate=None,
        reason=_reflections(choice, verdicts.facts.language),
        assumption="",
    )


def _reflections(choice: Choice, language: DFA | None) -> str:
    """Say how reflections keep a parity; the language has two states, and its counted symbols swap them."""
    assert language is not None, "only languages are solved by weights"
    counted = [
        repr(symbol) for symbol, target in zip(language.alphabet, language.transitions[0], strict=True) if target != 0
    ]
    return (
        f"One layer of {choice.name} can flip a stored direction at every {' or '.join(counted)} and leave it alone elsewhere. So the "
        "direction shows at any length whether their number is even. The weights are written out in docs/concepts/encodings.md."
    )


def _gap(
    choice: Choice,
    theory: Theory,
    least: Bound | None,
    inside: AnyVerdict | None,
    most: Bound | None,
    outside: AnyVerdict | None,
    verdicts: Verdicts,
) -> str:
    """Say what is missing for an answer."""
    if least is None and most is None:
        expressible = choice.expressible if theory is Theory.COUNTING else None
        if expressible is not None and verdicts.within(expressible).answer is Answer.YES:
            return (
                f"Some weights of {choice.name} solve it ({expressible.citation}). But rows of its table beyond the training length are "
                "never trained, and no theorem says what they do."
            )
        return f"No theorem here says what {choice.name} can or cannot do at every length."
    name = choice.name
    told = f"Nothing is proved to work with {name} at every length."
    if least is not None and inside is not None:
        told = f"{capitalized(in_words(least.fragment))} is proved for {name}, "
        is_open = inside.answer is Answer.UNKNOWN
        told += "but whether it solves the problem is not known." if is_open else "and it does not solve the problem."
    if most is None or outside is None:
        return f"{told} No theorem says whether {name} can do more."
    enough = "That would solve it" if outside.answer is Answer.YES else "Whether that solves it is not known"
    return f"{told} At most, {name} can do this: {in_words(most.fragment)}. {enough}."


def in_words(name: Fragment | Logic) -> str:
    """Return what a model does in a class of either theory, with the name of the class."""
    if isinstance(name, Fragment):
        return fragment_in_words(name)
    from ..theory.precision.reasons import in_words as logic_in_words

    return logic_in_words(name)


def settled(counting: AnyVerdict, precision: AnyVerdict, *, is_far: bool) -> AnyVerdict:
    """Return the verdict that counts: by counting where that settles it, else by fixed precision if that does.

    ``is_far`` says that the answer by fixed precision holds far beyond ordinary lengths only, so that it settles nothing.
    """
    if counting.answer is not Answer.UNKNOWN or precision.answer is Answer.UNKNOWN or is_far:
        return counting
    return precision


def holds_far_only(precision: AnyVerdict, choice: Choice, verdicts: Verdicts, *, shifted: bool = False) -> bool:
    """Return whether an answer by fixed precision holds far beyond ordinary lengths only."""
    most = with_previous_token(choice.precise_at_most) if shifted else choice.precise_at_most
    if precision.answer is not Answer.NO or most is None or not most.far:
        return False
    return not most.far_within or _is_within_one(verdicts, most.far_within)


def _is_within_one(verdicts: Verdicts, classes: Iterable[Fragment | Logic]) -> bool:
    """Return whether the problem is in one of these classes."""
    return any(
        verdicts.within(Bound(fragment=name, citation="", regular=True)).answer is Answer.YES for name in classes
    )


def needs_windows_only(verdicts: Verdicts) -> bool:
    """Return whether windows solve the problem, with counts or without."""
    return _is_within_one(verdicts, (Fragment.LOCAL, Logic.P_Y))


def aside(row: Prediction) -> str:
    """Return what the other theory says where it says something else, as a sentence; else empty."""
    counting, precision = row.counting, row.precision
    if row.is_far and counting.answer is not Answer.NO:
        most = find_encoding(row.encoding).precise_at_most
        assert most is not None
        return f"With numbers of fixed precision: NO {most.far}."
    if counting.answer is Answer.YES and precision.answer is Answer.NO:
        return "This YES assumes exact averages. With numbers of fixed precision, models fail from some length on."
    if row.verdict is precision:
        return f"This {row.verdict.answer} assumes numbers of fixed precision. Where sums are exact, nothing is proved."
    return ""


HEADLINE_MEANS = (
    "The answer is that of counting where counting settles the question, otherwise that of fixed precision. "
    "A NO that holds for very long inputs only settles nothing."
)
"""Which theory decides the answer of a row, for people: what ``settled`` does."""

PRECISION_MEANS = (
    "numbers come from a finite set, and sums are rounded once. Such an answer is about long inputs. While the number format still "
    "resolves 1/length, models may do otherwise: as a rule of thumb, up to 2^24 tokens in float32, 2^11 in float16, 2^8 in bfloat16."
)
