"""Whether two programs, or a program and an automaton, say the same of every word up to a length.

All words are tried, the shorter first, so that a counterexample is a shortest one. No such comparison proves anything
about longer words: from two layers on, no length up to which agreement would suffice can be computed (arXiv 2603.02238).
Two automata are compared for all lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..arrays import Array, numpy_arrays
from ..errors import AlphabetMismatchError, CapExceededError, InvalidOptionError, InvalidProgramError
from ..languages.alphabet import Alphabet, show_alphabet
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, distinguishing_word
from .batched import NO_SYMBOL, BatchedProgram
from .fragments import Readout
from .syntax import ACCEPT, Program, next_name

MAX_WORDS = 200_000  # tried where no length is asked for
MAX_WORDS_ASKED = 20_000_000
_CHUNK = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared, and a shortest word about which the two disagree, if there is one.

    ``max_length`` is None where words of every length were compared, through automata and not one by one.
    """

    num_words: int
    min_length: int
    max_length: int | None
    counterexample: Word | None
    left: str = ""  # what each says of the counterexample
    right: str = ""

    @property
    def equal(self) -> bool:
        """Whether they agree on every word that was compared."""
        return self.counterexample is None

    @property
    def exact(self) -> bool:
        """Whether words of every length were compared."""
        return self.max_length is None


def compare(
    left: Program | DFA, right: Program | DFA, *, max_length: int | None = None, max_words: int = MAX_WORDS
) -> Comparison:
    """Compare on all words up to a length, by default up to the longest for which there are not too many words.

    Two automata are compared on words of every length, unless one is asked for.

    >>> from lengthwise.crasp.parser import parse_program
    >>> from lengthwise.languages.regex import compile_regex
    >>> program = parse_program("alphabet 'a' 'b'  accept := #['a'] = #['b']")
    >>> compare(program, compile_regex("(ab)*")).counterexample
    ('b', 'a')
    """
    alphabet = _shared_alphabet(left, right)
    if isinstance(left, DFA) and isinstance(right, DFA) and max_length is None:
        return _compare_automata(left, right)
    generators = {each.is_generator for each in (left, right) if isinstance(each, Program)}
    if len(generators) > 1 or (True in generators and isinstance(left, DFA) | isinstance(right, DFA)):
        raise InvalidProgramError(
            "one of the two says which words it accepts, the other which symbols come next.",
            hint="compare programs of one kind; an automaton accepts words.",
        )
    first = max(_shortest(left), _shortest(right))
    last = _longest(len(alphabet), first, max_words) if max_length is None else max_length
    if last < first:
        raise InvalidOptionError(
            f"a longest length of {last} leaves no word to compare; it is at least {first} here.",
            hint="choose a larger one, or leave it out.",
        )
    _require_few(alphabet, first, last)
    tell_left, tell_right = _teller(left), _teller(right)
    num_words = 0
    for length in range(first, last + 1):
        for words_BL in all_words(len(alphabet), length):
            num_words += len(words_BL)
            said = tell_left(words_BL), tell_right(words_BL)
            differs_B = (said[0] != said[1]).any(axis=-1)
            if differs_B.any():
                row = int(differs_B.argmax())
                word = tuple(alphabet[number] for number in words_BL[row])
                return Comparison(
                    num_words=num_words - len(words_BL) + row + 1,
                    min_length=first,
                    max_length=length,
                    counterexample=word,
                    left=_said(left, said[0][row]),
                    right=_said(right, said[1][row]),
                )
    return Comparison(num_words=num_words, min_length=first, max_length=last, counterexample=None)


def _compare_automata(left: DFA, right: DFA) -> Comparison:
    word = distinguishing_word(left, right)
    said = ["", ""] if word is None else ["accepts" if word in side else "rejects" for side in (left, right)]
    return Comparison(num_words=0, min_length=0, max_length=None, counterexample=word, left=said[0], right=said[1])


def _require_few(alphabet: Alphabet, first: int, last: int) -> None:
    """Raise if there are too many words to try."""
    number = 0
    for length in range(first, last + 1):
        number += len(alphabet) ** length
        if number > MAX_WORDS_ASKED:
            raise CapExceededError(
                f"there are more than {MAX_WORDS_ASKED:,} words up to length {last} over {len(alphabet)} symbols, the cap.",
                hint=f"choose a longest length of at most {length - 1}.",
            )


def all_words(num_symbols: int, length: int) -> Iterator[Any]:
    """Yield all words of a length as rows of symbol numbers, in order, some thousand at a time."""
    import numpy as np

    number = num_symbols**length
    powers = np.array([num_symbols**place for place in range(length - 1, -1, -1)], dtype=np.int64)
    for start in range(0, number, _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, number), dtype=np.int64)
        yield rows[:, None] // powers % num_symbols


def frame_batch(program: Program, words_BL: Array) -> Array:
    """Return words, given as numbers of the alphabet's symbols, as tokens between the program's markers."""
    import numpy as np

    has_start = program.start is not None
    batch = len(words_BL)
    parts = [np.zeros((batch, 1), dtype=np.int64)] * has_start + [words_BL + has_start]
    if not program.is_generator and program.readout is Readout.END_MARKER:
        parts.append(np.full((batch, 1), NO_SYMBOL, dtype=np.int64))
    return np.concatenate(parts, axis=-1)


def _shared_alphabet(left: Program | DFA, right: Program | DFA) -> Alphabet:
    if left.alphabet != right.alphabet:
        raise AlphabetMismatchError(
            f"they are over different alphabets, {show_alphabet(left.alphabet)} and {show_alphabet(right.alphabet)}.",
            hint="bring both over one alphabet first.",
        )
    return left.alphabet


def _shortest(side: Program | DFA) -> int:
    """Return the length of the shortest word that a side speaks of: without a position there is no value."""
    if isinstance(side, DFA) or side.start is not None:
        return 0
    return 1 if side.is_generator or side.readout is Readout.LAST_SYMBOL else 0


def _longest(num_symbols: int, first: int, max_words: int) -> int:
    """Return the longest length up to which there are at most so many words; for one symbol, at most 100."""
    length, number = first, num_symbols**first
    while length < 100 and number + num_symbols ** (length + 1) <= max_words:
        length += 1
        number += num_symbols**length
    return length


def _teller(side: Program | DFA) -> Callable[[Array], Array]:
    """Return the function from words to what a side says about each: a row of truths."""
    if isinstance(side, DFA):
        return partial(_tell_dfa, side)
    return partial(_tell_program, BatchedProgram(side))


def _tell_dfa(language: DFA, words_BL: Array) -> Array:
    import numpy as np

    transitions = np.array(language.transitions, dtype=np.int64)
    states = np.zeros(len(words_BL), dtype=np.int64)
    for place in range(words_BL.shape[1]):
        states = transitions[states, words_BL[:, place]]
    return np.isin(states, sorted(language.accepting))[:, None]


def _tell_program(batched: BatchedProgram, words_BL: Array) -> Array:
    import numpy as np

    program = batched.program
    values = batched.run(frame_batch(program, words_BL), numpy_arrays())
    if not program.is_generator:
        return values[ACCEPT][:, -1:]
    symbols = (*program.alphabet, program.stop)
    known = {each.symbol for each in program.next}
    nothing = np.zeros(len(words_BL), dtype=bool)
    columns = [values[next_name(each)][:, -1] if each in known else nothing for each in symbols if each is not None]
    return np.stack(columns, axis=-1)


def _said(side: Program | DFA, row: Array) -> str:
    if isinstance(side, DFA) or not side.is_generator:
        return "accepts" if row[0] else "rejects"
    symbols = [each for each in (*side.alphabet, side.stop) if each is not None]
    following = [symbol for symbol, there in zip(symbols, row, strict=True) if there]
    return f"goes on with {' or '.join(following)}" if following else "goes on with nothing"
