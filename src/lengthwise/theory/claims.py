"""The words of a claim: an answer, and what is asked of a language."""

from __future__ import annotations

from enum import StrEnum


class Answer(StrEnum):
    """Will it length-generalize, under the idealized learner of the theorem that is named beside the answer?"""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


class Asked(StrEnum):
    """What is asked about a language.

    MEMBERSHIP: is the word in it? NEXT_SYMBOLS: at every prefix that can still become a word, which symbols can follow,
    and can the word end here?
    """

    MEMBERSHIP = "MEMBERSHIP"
    NEXT_SYMBOLS = "NEXT_SYMBOLS"
