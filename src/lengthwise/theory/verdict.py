"""The verdict: an answer with its theorem, its certificate and one sentence a person can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..crasp.fragments import Fragment, Readout
from ..errors import ThreeAnswersError
from ..languages.dfa import DFA
from .certificate_fields import readout_of
from .certificates import Certificate, level_of
from .claims import Answer, Asked

if TYPE_CHECKING:  # most verdicts are about fragments of C-RASP
    from .precision.certificates import LogicCertificate
    from .precision.logics import Logic


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyVerdict:
    """What the verdicts of all theories have in common: an answer about a class of languages, and why."""

    answer: Answer
    fragment: Fragment | Logic
    readout: Readout
    alphabet: tuple[str, ...]  # empty for problems that are not languages
    theorem: str
    certificate: Certificate | LogicCertificate | None
    reason: str
    asked: Asked = Asked.MEMBERSHIP
    assumption: str = ""
    """What the answer assumes beside its theorem, and of which encoding, with the source of the proof."""

    @property
    def level(self) -> int | None:
        """How many rounds of refinement a YES needs, or how deep a given program is; None otherwise."""
        return None

    @property
    def is_by_weights(self) -> bool:
        """Whether weights in closed form prove it, which are in no class of programs or formulas here."""
        return self.theorem == "householder_parity"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.answer} for {self.fragment.notation}, by {self.theorem}>"

    def _repr_html_(self) -> str:
        from ..markup import escape

        return f"<b>{self.answer}</b> for {escape(self.fragment.notation)}: {escape(self.reason)}"

    def __bool__(self) -> bool:
        raise ThreeAnswersError(
            f"a verdict is not a truth value: its answer is {self.answer}, and there are three answers.",
            hint="compare verdict.answer with Answer.YES, Answer.NO or Answer.UNKNOWN.",
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(AnyVerdict):
    """Counting: whether a problem length-generalizes under the idealized learner of ``theorem``, and why."""

    fragment: Fragment
    certificate: Certificate | None

    @property
    def level(self) -> int | None:
        """How many rounds of refinement a YES needs, or how deep a given program is; None otherwise."""
        return level_of(self.certificate)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LogicVerdict(AnyVerdict):
    """Fixed precision: whether a logic of the past expresses a language, and why."""

    fragment: Logic
    certificate: LogicCertificate | None


def language_verdict(
    answer: Answer,
    fragment: Fragment,
    language: DFA,
    theorem: str,
    certificate: Certificate | None,
    reason: str,
    asked: Asked = Asked.MEMBERSHIP,
    readout: Readout | None = None,
) -> Verdict:
    """Return a verdict about a language, read where the question is usually read unless something else is said."""
    return Verdict(
        answer=answer,
        fragment=fragment,
        readout=readout or readout_of(asked),
        alphabet=language.alphabet,
        theorem=theorem,
        certificate=certificate,
        reason=reason,
        asked=asked,
    )
