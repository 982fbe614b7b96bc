"""The training length at which the smallest program that fits becomes a right one, by trying all small programs."""

from __future__ import annotations

from ...crasp.fragments import Fragment
from ...errors import CapExceededError
from ...languages.alphabet import show_word
from ...languages.dfa import DFA
from ..training_length import TrainingLength
from .programs import infer_programs
from .table import Inference, make_target

_LAST = {1: 12, 2: 12, 3: 8}  # by the number of symbols: inference looks at words up to half of this
_MOST_STATES = 12  # no larger language of the library has a program as small as those that are tried


def smallest_program_length(language: DFA, fragment: Fragment) -> TrainingLength | None:
    """Return up to which length words must be seen so that the smallest program that fits them is right.

    None for languages over more than three symbols, or with many states: too few programs could be tried.
    """
    last = _LAST.get(len(language.alphabet))
    if last is None or language.num_states > _MOST_STATES:
        return None
    try:
        found = infer_programs(make_target(language), fragment=fragment, last_n=last)
    except CapExceededError:
        return None
    length, statement = _read(found, fragment)
    return TrainingLength(
        name="smallest program",
        length=length,
        statement=statement,
        assumption=(
            "a learner that returns the smallest program that fits all words up to the training length, asked whether a word is "
            "in the language"
        ),
        source="found by trying programs (lengthwise infer)",
    )


def _read(found: Inference, fragment: Fragment) -> tuple[int, str]:
    """Return the length that a table of inference shows to be needed, and a statement about it."""
    chosen = [row for row in found.rows if row.chosen is not None]
    wrong = [row for row in chosen if row.first_wrong is not None]
    right_from = found.rows[0].trained if not wrong else wrong[-1].trained + 1
    is_found = len(chosen) == len(found.rows) and right_from <= chosen[-1].trained
    if not wrong:
        return right_from, (
            f"Words up to length {right_from} lead to the program {chosen[0].chosen} of {fragment.notation}, which is right on all "
            f"words up to length {chosen[0].checked}."
        )
    last = wrong[-1]
    assert last.first_wrong is not None
    mistake = (
        f"The smallest program of {fragment.notation} that fits all words up to length {last.trained} is {last.chosen}. It "
        f"is first wrong on '{show_word(last.first_wrong)}', of length {len(last.first_wrong)}."
    )
    if is_found:
        after = chosen[right_from - found.rows[0].trained]
        return right_from, (
            f"{mistake} Words up to length {right_from} lead to {after.chosen}, which is right on all words up to length "
            f"{after.checked}."
        )
    return len(last.first_wrong), f"{mistake} So at least this length is needed; larger programs were not tried."
