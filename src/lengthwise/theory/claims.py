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
        "a solution exists for all lengths, and an idealized learner finds it (for nope and ape that of arXiv 2410.02140, for others "
        "the one that picks the model with the fewest bits); gradient descent may still miss it."
    ),
    "NO": "no solution exists for all lengths: predicted not to length-generalize.",
    "UNKNOWN": "neither is proved here; the reason names what is missing.",
}
"""What each answer means, in one sentence for people."""
