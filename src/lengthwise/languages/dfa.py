"""Frozen, complete, minimal automata in canonical form.

A :class:`DFA` is its language: the constructor drops unreachable states, merges equivalent ones and numbers
the rest breadth first in symbol order, so that equal languages over one alphabet are equal objects. The
initial state is always 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..budget import checkpoint
from ..errors import AlphabetMismatchError, CapExceededError, InvalidAutomatonError, UnknownSymbolError
from .alphabet import Alphabet, make_alphabet, show_alphabet
from .minimization import hopcroft_classes


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DFA:
    """A regular language as its minimal complete automaton.

    ``transitions[state][k]`` is where the k-th symbol of ``alphabet`` leads. Languages over one alphabet
    combine as sets do: ``a & b``, ``a | b``, ``a - b``, ``a ^ b``, ``~a``, ``a <= b``, ``word in a``. A word is
    a string of one-character symbols or a sequence of symbols.

    >>> even = DFA(alphabet="a", transitions=[[1], [0]], accepting=[0])
    >>> "aa" in even, "a" in even
    (True, False)
    >>> even == ~~even
    True
    """

    alphabet: Alphabet
    transitions: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    _index: dict[str, int] = field(compare=False)

    def __init__(
        self,
        *,
        alphabet: Iterable[str],
        transitions: Sequence[Sequence[int]],
        accepting: Iterable[int],
        initial: int = 0,
    ) -> None:
        given = list(alphabet)
        ordered = make_alphabet(given)
        accepted = frozenset(accepting)
        _check_shape(len(given), transitions, accepted, initial)
        if list(ordered) != given:
            order = sorted(range(len(given)), key=given.__getitem__)
            transitions = [[row[column] for column in order] for row in transitions]
        canonical, accepted = _canonical(transitions, accepted, initial)
        object.__setattr__(self, "alphabet", ordered)
        object.__setattr__(self, "transitions", canonical)
        object.__setattr__(self, "accepting", accepted)
        object.__setattr__(self, "_index", {symbol: column for column, symbol in enumerate(ordered)})

    @property
    def num_states(self) -> int:
        """The number of states of the minimal complete automaton."""
        return len(self.transitions)

    def encode(self, word: Iterable[str]) -> list[int]:
        """Return the symbol numbers of a word."""
        try:
            return [self._index[symbol] for symbol in word]
        except KeyError as missing:
            raise UnknownSymbolError(
                f"symbol {missing.args[0]!r} is not in the alphabet {show_alphabet(self.alphabet)}.",
                hint="use only these symbols, or build the language over a larger alphabet.",
            ) from None

    def decode(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the symbols of these symbol numbers."""
        return tuple(self.alphabet[number] for number in numbers)

    def run(self, word: Iterable[str], start: int = 0) -> int:
        """Return the state that a word leads to."""
        state = start
        for column in self.encode(word):
            state = self.transitions[state][column]
        return state

    def __contains__(self, word: Iterable[str]) -> bool:
        return self.run(word) in self.accepting

    def __repr__(self) -> str:
        plural = "" if self.num_states == 1 else "s"
        return f"<DFA: {self.num_states} state{plural} over {show_alphabet(self.alphabet)}>"

    def _repr_svg_(self) -> str | None:
        """Return a drawing for a notebook; None, and so the line of text, for what nobody could read."""
        from .drawing import MOST_DRAWN_STATES, draw_svg

        return draw_svg(self) if self.num_states <= MOST_DRAWN_STATES else None

    def __invert__(self) -> DFA:
        rest = set(range(self.num_states)) - self.accepting
        return DFA(alphabet=self.alphabet, transitions=self.transitions, accepting=rest)

    def __and__(self, other: DFA) -> DFA:
        return product(self, other, lambda left, right: left and right)

    def __or__(self, other: DFA) -> DFA:
        return product(self, other, lambda left, right: left or right)

    def __sub__(self, other: DFA) -> DFA:
        return product(self, other, lambda left, right: left and not right)

    def __xor__(self, other: DFA) -> DFA:
        return product(self, other, lambda left, right: left != right)

    def __le__(self, other: DFA) -> bool:
        return not (self - other).accepting

    def __ge__(self, other: DFA) -> bool:
        return other <= self


def product(left: DFA, right: DFA, keep: Callable[[bool, bool], bool], *, max_states: int | None = None) -> DFA:
    """Return the language of the words for which ``keep(word in left, word in right)`` holds.

    ``max_states`` bounds the pairs of states that are met, before equivalent ones are merged.
    """
    require_same_alphabet(left, right)
    numbers = {(0, 0): 0}
    queue = [(0, 0)]
    rows: list[list[int]] = []
    for one, two in queue:
        checkpoint()
        row = []
        for pair in zip(left.transitions[one], right.transitions[two], strict=True):
            if pair not in numbers:
                if len(queue) == max_states:
                    raise CapExceededError(
                        f"a product of languages with {left.num_states:,} and {right.num_states:,} states "
                        f"would have more than {max_states:,} states, which is the cap.",
                        hint="combine smaller languages, or raise the cap.",
                    )
                numbers[pair] = len(queue)
                queue.append(pair)
            row.append(numbers[pair])
        rows.append(row)
    kept = [state for state, (one, two) in enumerate(queue) if keep(one in left.accepting, two in right.accepting)]
    return DFA(alphabet=left.alphabet, transitions=rows, accepting=kept)


def require_same_alphabet(left: DFA, right: DFA) -> None:
    """Raise unless both languages are over one alphabet."""
    if left.alphabet != right.alphabet:
        raise AlphabetMismatchError(
            f"the languages are over different alphabets, {show_alphabet(left.alphabet)} and {show_alphabet(right.alphabet)}.",
            hint="bring both over one alphabet first, with over_alphabet(language, symbols).",
        )


def _check_shape(
    num_symbols: int, transitions: Sequence[Sequence[int]], accepting: frozenset[int], initial: int
) -> None:
    num_states = len(transitions)
    allowed = f"states are numbered 0 to {num_states - 1}"
    if not num_states:
        raise InvalidAutomatonError(
            "an automaton needs at least one state; none was given.", hint="add the initial state."
        )
    for state, row in enumerate(transitions):
        if len(row) != num_symbols:
            raise InvalidAutomatonError(
                f"state {state} has {len(row)} transitions; the alphabet has {num_symbols} symbols.",
                hint="give every state one transition per symbol; let dead ends lead to a rejecting sink.",
            )
        for target in row:
            if type(target) is not int or not 0 <= target < num_states:
                raise InvalidAutomatonError(
                    f"state {state} leads to {target!r}; {allowed}.", hint="lead to an existing state."
                )
    for state in sorted(accepting, key=repr):
        if type(state) is not int or not 0 <= state < num_states:
            raise InvalidAutomatonError(
                f"accepting state {state!r} does not exist; {allowed}.", hint="name existing states only."
            )
    if type(initial) is not int or not 0 <= initial < num_states:
        raise InvalidAutomatonError(
            f"initial state {initial!r} does not exist; {allowed}.", hint="start in an existing state."
        )


def _canonical(
    transitions: Sequence[Sequence[int]], accepting: frozenset[int], initial: int
) -> tuple[tuple[tuple[int, ...], ...], frozenset[int]]:
    """Return the transitions and accepting states of the minimal automaton, numbered breadth first."""
    order, rows = _breadth_first(transitions, initial)
    accepted = {number for number, state in enumerate(order) if state in accepting}
    classes = hopcroft_classes(rows, accepted)
    member = {number: state for state, number in enumerate(classes)}
    quotient = {number: [classes[target] for target in rows[state]] for number, state in member.items()}
    order, final = _breadth_first(quotient, classes[0])
    return (
        tuple(tuple(row) for row in final),
        frozenset(state for state, number in enumerate(order) if member[number] in accepted),
    )


def _breadth_first(
    transitions: Sequence[Sequence[int]] | dict[int, list[int]], initial: int
) -> tuple[list[int], list[list[int]]]:
    """Return the reachable states in breadth-first order, and their rows in that numbering."""
    numbers = {initial: 0}
    order = [initial]
    rows = []
    for state in order:
        row = []
        for target in transitions[state]:
            number = numbers.get(target)
            if number is None:
                number = numbers[target] = len(order)
                order.append(target)
            row.append(number)
        rows.append(row)
    return order, rows
