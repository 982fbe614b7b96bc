"""Promise problems: only some inputs are legal, and what is said about the others does not matter.

Most tasks are such problems: a prompt has a certain form, ties do not occur, a key that is asked for was written before.
A proof that no program exists must therefore use legal inputs only. An :class:`AnswerAutomaton` states which inputs it
speaks of and what the right answer to each is; the certificates here are about such an automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..crasp.fragments import Fragment, Readout
from ..languages.alphabet import show_word
from .claims import Answer, Asked

if TYPE_CHECKING:
    from .certificates import LoopsPair, PathsPair

Word = tuple[str, ...]
Json = dict[str, object]
State = Any
"""What a step function remembers: anything that can be a key. None once a text is no longer legal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAutomaton:
    """A complete automaton that knows, for some texts, the symbol that is written next.

    A text that leads to a state with an answer is legal, and so are its prefixes. Nothing is claimed about others.
    """

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    answers: tuple[str | None, ...]

    def run(self, text: Iterable[str], state: int = 0) -> int:
        """Return where a text leads."""
        for symbol in text:
            state = self.transitions[state][self.alphabet.index(symbol)]
        return state

    def answer(self, text: Iterable[str]) -> str | None:
        """Return what is written next, or None if nothing is claimed about the text."""
        return self.answers[self.run(text)]

    def decode(self, numbers: Iterable[int]) -> Word:
        """Return the symbols of these symbol numbers."""
        return tuple(self.alphabet[number] for number in numbers)

    def to_json(self) -> Json:
        """Return the automaton as JSON data."""
        rows = [list(row) for row in self.transitions]
        return {"alphabet": list(self.alphabet), "transitions": rows, "accepting": [], "answers": list(self.answers)}


def answer_automaton(
    alphabet: Sequence[str],
    start: State,
    step: Callable[[State, str], State],
    answer: Callable[[State], str | None],
) -> AnswerAutomaton:
    """Return the automaton of a step function, which returns None where no legal text goes on with a symbol.

    ``answer`` gives the next symbol at a state, or None where nothing is claimed.
    """
    numbers: dict[State, int] = {start: 0}
    states: list[State] = [start]
    rows = []
    for state in states:  # which grows
        row = []
        for symbol in alphabet:
            target = None if state is None else step(state, symbol)
            if target not in numbers:
                numbers[target] = len(states)
                states.append(target)
            row.append(numbers[target])
        rows.append(tuple(row))
    answers = tuple(None if state is None else answer(state) for state in states)
    return AnswerAutomaton(alphabet=tuple(alphabet), transitions=tuple(rows), answers=answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseCertificate:
    """NO for plain C-RASP: two legal inputs with different answers that no count tells apart.

    ``members`` are strongly connected states of the automaton, ``blocks`` those that counting along legal inputs leaves
    together, and ``pairs`` the reasons. ``enter`` leads to the start of the first pair; its two walks, followed by
    ``suffix``, lead to different answers.
    """

    automaton: AnswerAutomaton
    members: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    pairs: tuple[PathsPair | LoopsPair, ...]
    enter: Word
    suffix: Word
    answer: Answer = Answer.NO
    fragment: Fragment = Fragment.PLAIN
    asked: Asked = Asked.NEXT_SYMBOLS
    readout: Readout = Readout.END_MARKER

    @property
    def witnesses(self) -> tuple[Word, Word]:
        """Two legal texts with different next symbols."""
        first, second = self.pairs[0].walks
        return (*self.enter, *first, *self.suffix), (*self.enter, *second, *self.suffix)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        one, two = self.witnesses
        told = " and ".join(f"{show_word(text)} (then {self.automaton.answer(text)})" for text in (one, two))
        return f"legal inputs that counting cannot tell apart after a long enough start: {told}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        return _head(self, "promise") | {
            "members": list(self.members),
            "blocks": [list(block) for block in self.blocks],
            "pairs": [pair.to_json(self.automaton.alphabet) for pair in self.pairs],
            "enter": list(self.enter),
            "suffix": list(self.suffix),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseReductionCertificate:
    """NO, whatever the windows and periods: legal inputs hide a problem that is known to have no program.

    For every word w of the known problem, prefix·images(w)·suffix is legal, and the answer is ``says`` exactly if w
    belongs to ``target``.
    """

    automaton: AnswerAutomaton
    target: str
    images: tuple[tuple[str, Word], ...]  # words of one length
    prefix: Word
    suffix: Word
    says: str
    fragment: Fragment = Fragment.PERIODIC_LOCAL
    answer: Answer = Answer.NO
    asked: Asked = Asked.NEXT_SYMBOLS
    readout: Readout = Readout.END_MARKER

    def text(self, word: Iterable[str]) -> Word:
        """Return the legal text that stands for a word of the known problem."""
        images = dict(self.images)
        return (*self.prefix, *(symbol for letter in word for symbol in images[letter]), *self.suffix)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        shown = ", ".join(f"{symbol} as {show_word(image)}" for symbol, image in self.images)
        return f"reduction to {self.target} by legal inputs: {shown}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        return _head(self, "promise_reduction") | {
            "target": self.target,
            "images": {symbol: list(image) for symbol, image in self.images},
            "prefix": list(self.prefix),
            "suffix": list(self.suffix),
            "says": self.says,
        }


def _head(certificate: PromiseCertificate | PromiseReductionCertificate, kind: str) -> Json:
    return {
        "lengthwise": "certificate",
        "version": 1,
        "kind": kind,
        "answer": str(certificate.answer),
        "fragment": str(certificate.fragment),
        "asked": str(certificate.asked),
        "readout": str(certificate.readout),
        "automaton": certificate.automaton.to_json(),
    }
