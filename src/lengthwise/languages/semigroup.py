"""The transition semigroup of an automaton, and the algebra one reads off it.

Every non-empty word maps states to states; the distinct maps, under composition, are the transition semigroup.
For a minimal automaton it is the syntactic semigroup of the language. The product ``multiply(i, j)`` is read
as words are: first i, then j.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import methodcaller

from ..budget import checkpoint
from ..errors import CapExceededError, InvalidOptionError
from .components import strong_components
from .dfa import DFA
from .dfa_algebra import Word

Transformation = tuple[int, ...]

MAX_CELLS = 40_000_000
"""Entries of all maps together, and letters of their words: what decides memory, about 8 bytes each."""


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class TransitionSemigroup:
    """The maps of states that non-empty words make; :func:`transition_semigroup` builds it.

    Elements are numbered in the order of their shortest words: by length, then in symbol order.
    ``elements[i][state]`` is where element i takes a state and ``words[i]`` its shortest word;
    ``generators[k]`` is the element of the k-th symbol; ``right[i][k]`` is element i followed by that symbol,
    ``left[i][k]`` the symbol followed by element i. Semigroups of equal languages are equal.

    >>> parity = DFA(alphabet="ab", transitions=[[1, 0], [0, 1]], accepting=[0])
    >>> semigroup = transition_semigroup(parity)
    >>> semigroup.elements, semigroup.words, semigroup.idempotents
    (((1, 0), (0, 1)), (('a',), ('b',)), (1,))
    """

    language: DFA
    elements: tuple[Transformation, ...]
    words: tuple[Word, ...]
    generators: tuple[int, ...]
    right: tuple[tuple[int, ...], ...]
    left: tuple[tuple[int, ...], ...]
    idempotents: tuple[int, ...]
    _numbers: dict[Transformation, int]

    def __init__(self, language: DFA, cap: int, max_cells: int = MAX_CELLS) -> None:
        letters: list[Transformation] = list(zip(*language.transitions, strict=True))
        packed, words, last_steps, right = _right_cayley_graph(language, letters, cap, max_cells)
        elements = [tuple(element) for element in packed]
        numbers = {element: number for number, element in enumerate(elements)}
        generators = tuple(numbers[letter] for letter in letters)
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "elements", tuple(elements))
        object.__setattr__(self, "words", tuple(words))
        object.__setattr__(self, "generators", generators)
        object.__setattr__(self, "right", right)
        object.__setattr__(self, "left", _left_cayley_graph(last_steps, generators, right))
        object.__setattr__(self, "idempotents", _idempotents(packed))
        object.__setattr__(self, "_numbers", numbers)

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.elements)

    def multiply(self, i: int, j: int) -> int:
        """Return the element of any word of element i followed by any word of element j."""
        return self._numbers[_compose(self.elements[i], self.elements[j])]

    def __eq__(self, other: object) -> bool:
        return self.language == other.language if isinstance(other, TransitionSemigroup) else NotImplemented

    def __hash__(self) -> int:
        return hash((TransitionSemigroup, self.language))

    def __repr__(self) -> str:
        plural = "" if self.size == 1 else "s"
        return f"<TransitionSemigroup: {self.size} element{plural} of {self.language!r}>"


def transition_semigroup(language: DFA, cap: int = 100_000, *, max_cells: int = MAX_CELLS) -> TransitionSemigroup:
    """Return the transition semigroup of a language, unless it has more than ``cap`` elements or needs too much memory."""
    if cap < 1:
        raise InvalidOptionError(f"cap is {cap}; it must be at least 1.", hint="leave it out for the usual cap.")
    return TransitionSemigroup(language, cap, max_cells)


def is_aperiodic(semigroup: TransitionSemigroup) -> bool:
    """Say whether every element x has xⁿ = xⁿ⁺¹ for some n: the language is star-free (Schützenberger 1965)."""
    num_states = semigroup.language.num_states
    return all(_settles(element, num_states) for element in semigroup.elements)


def is_r_trivial(semigroup: TransitionSemigroup) -> bool:
    """Say whether distinct elements never lie in each other's right ideals, xS¹ = yS¹."""
    return len(strong_components(semigroup.right)) == semigroup.size


def is_group(semigroup: TransitionSemigroup) -> bool:
    """Say whether every word permutes the states.

    Equivalently, the only idempotent is the identity map. This asks more than that the semigroup be a group in
    the abstract: for a⁺ it has one element, a group of one, but that element takes both states to one.
    """
    num_states = semigroup.language.num_states
    return all(len(set(semigroup.elements[number])) == num_states for number in semigroup.generators)


def reachable(cayley: Sequence[Sequence[int]], start: int) -> set[int]:
    """Return the elements that a Cayley graph leads to from an element, itself among them."""
    found = {start}
    queue = [start]
    for element in queue:
        checkpoint()
        for target in cayley[element]:
            if target not in found:
                found.add(target)
                queue.append(target)
    return found


def _idempotents(elements: Sequence[PackedMap]) -> tuple[int, ...]:
    found = []
    for number, element in enumerate(elements):
        checkpoint()
        if followed_by(element)(element) == element:
            found.append(number)
    return tuple(found)


PackedMap = bytes | Transformation
"""A map of states: bytes where every state fits into one, which C code composes; else a tuple."""


def pack_map(element: Transformation) -> PackedMap:
    """Return a map in the form that is fast to compose."""
    return bytes(element) if len(element) <= 256 else element


def followed_by(then: PackedMap) -> Callable[[PackedMap], PackedMap]:
    """Return what takes a packed map to the one that does it first, and then the given one."""
    if isinstance(then, bytes):
        return methodcaller("translate", then.ljust(256))
    return lambda first: tuple(map(then.__getitem__, first))


def _compose(first: Transformation, second: Transformation) -> Transformation:
    return tuple(map(second.__getitem__, first))


def _settles(element: Transformation, num_states: int) -> bool:
    """Say whether the powers of a map end in one map; within ``num_states`` powers they are on their cycle."""
    power, exponent = element, 1
    while exponent < num_states:
        power, exponent = _compose(power, power), 2 * exponent
    return _compose(power, element) == power


def _right_cayley_graph(
    language: DFA, letters: list[Transformation], cap: int, max_cells: int
) -> tuple[list[PackedMap], list[Word], list[tuple[int, int]], tuple[tuple[int, ...], ...]]:
    """Return the packed elements, their shortest words, the last step of each, and the right Cayley graph.

    The last step is the element of the word without its last symbol, −1 if nothing is left, and the number of that symbol.
    """
    numbers: dict[PackedMap, int] = {}
    words: list[Word] = []
    last_steps: list[tuple[int, int]] = []
    num_cells = 0

    def add(element: PackedMap, prefix: int, symbol: int) -> int:
        nonlocal num_cells
        number = len(words)
        if number == cap:
            raise _cap_exceeded(language.num_states, cap)
        checkpoint()
        word = (*(words[prefix] if prefix >= 0 else ()), language.alphabet[symbol])
        num_cells += len(element) + len(word)
        if num_cells > max_cells:
            raise _cells_exceeded(language.num_states, max_cells)
        numbers[element] = number
        queue.append(element)
        words.append(word)
        last_steps.append((prefix, symbol))
        return number

    packed = [pack_map(letter) for letter in letters]
    queue: list[PackedMap] = []
    for symbol, letter in enumerate(packed):
        if letter not in numbers:
            add(letter, -1, symbol)
    multiply = [followed_by(letter) for letter in packed]
    right = []
    for number, element in enumerate(queue):  # the list grows while we walk it: breadth first
        row = []
        for symbol, times in enumerate(multiply):
            target = times(element)
            found = numbers.get(target)
            row.append(add(target, number, symbol) if found is None else found)
        right.append(tuple(row))
    return queue, words, last_steps, tuple(right)


def _left_cayley_graph(
    last_steps: list[tuple[int, int]], generators: tuple[int, ...], right: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the left Cayley graph, without composing maps (Froidure and Pin 1997).

    A prefix p of a shortest word p·b is itself a shortest word, and comes earlier: a·(p·b) = (a·p)·b.
    """
    left: list[tuple[int, ...]] = []
    for prefix, symbol in last_steps:
        checkpoint()
        before = left[prefix] if prefix >= 0 else generators
        left.append(tuple([right[element][symbol] for element in before]))
    return tuple(left)


def _cells_exceeded(num_states: int, max_cells: int) -> CapExceededError:
    return CapExceededError(
        f"the maps of {num_states} states in the transition semigroup, and their words, pass the cap of {max_cells:,} "
        "entries.",
        hint="use an automaton with fewer states.",
    )


def _cap_exceeded(num_states: int, cap: int) -> CapExceededError:
    plural = "" if cap == 1 else "s"
    return CapExceededError(
        f"the transition semigroup of a language with {num_states} states passes the cap of {cap} element{plural}.",
        hint=f"raise the cap, for example transition_semigroup(language, cap={10 * cap}); "
        f"{num_states} states allow up to {num_states}^{num_states} elements.",
    )
