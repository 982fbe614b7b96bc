"""The words of a claim: an answer, and what is asked of a language."""

from __future__ import annotations

from enum import StrEnum

from ..errors import InvalidOptionError, ThreeAnswersError


class Answer(StrEnum):
    """Whether a problem length-generalizes, under the idealized learner of the theorem named beside the answer."""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"

    def __bool__(self) -> bool:
        """Refuse to be a truth value: all three answers would be true, NO among them."""
        raise ThreeAnswersError(
            f"an answer is not a truth value: this one is {self.value}, and there are three answers.",
            hint="compare it with Answer.YES, Answer.NO or Answer.UNKNOWN.",
        )


class Asked(StrEnum):
    """What is asked about a language.

    MEMBERSHIP: is the word in it? NEXT_SYMBOLS: at every prefix that can still become a word, which symbols can follow,
    and can the word end here?
    """

    MEMBERSHIP = "MEMBERSHIP"
    NEXT_SYMBOLS = "NEXT_SYMBOLS"


_ASKED = {"membership": Asked.MEMBERSHIP, "next": Asked.NEXT_SYMBOLS}
"""The short names, which are those of the command line."""


def as_asked(value: str) -> Asked:
    """Return what is asked for its name or its short name."""
    try:
        return _ASKED.get(value) or Asked(value)
    except (ValueError, TypeError):
        raise InvalidOptionError(
            f"asked {value!r} is unknown. Known: {', '.join((*_ASKED, *Asked))}.",
            hint="use Asked.MEMBERSHIP or Asked.NEXT_SYMBOLS.",
        ) from None


MEANINGS = {
    "YES": (
        "a solution exists that is right at every length, and an idealized learner finds it. An idealized learner picks the simplest "
        "model among all that are right on short inputs. Gradient descent may miss it."
    ),
    "NO": (
        "no solution is right at every length. This is proved, from the assumptions named with the answer. From it we predict that "
        "trained models fail. The proof does not say at which length."
    ),
    "UNKNOWN": "neither is proved, or a NO is proved for very long inputs only. The reason says what is missing.",
}
"""What each answer means, for people. README, the glossary, the playground, reports and the command line say it in these words."""
