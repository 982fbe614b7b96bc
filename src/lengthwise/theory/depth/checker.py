"""The independent checker of depth certificates: whether to believe "at most b" or "at least a", from the JSON alone.

It shares no code with the searches. "At most" is one pass over the edges for every sum of counts. "At least" replays the
words and does exact linear algebra with fractions. Acceptance proves the bound for all programs of plain C-RASP, given the two
theorems of docs/concepts/depth.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...budget import checkpoint, time_budget
from ...errors import InvalidCertificateError, OutOfTimeError
from ...languages.dfa import DFA
from ..replay import (
    Automaton,
    Data,
    Objection,
    alive_states,
    are_equivalent,
    is_integer,
    is_place,
    next_symbols,
    read_automaton,
    read_list,
    read_word,
    require,
)

MAX_SECONDS = 8.0

_QUESTIONS = ("END_MARKER", "LAST_SYMBOL", "NEXT_SYMBOLS", "STATES")
_LIVE = ("NEXT_SYMBOLS", "STATES")
_FIELDS = {
    "depth_at_most": {"states", "edges", "steps"},
    "depth_at_least": {"rounds", "first", "second", "suffix"},
}
_HEAD = {"lengthwise", "version", "kind", "question", "bound", "automaton"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthCheck:
    """The outcome of a check: the claim as stated, and the objection if it was rejected."""

    kind: str
    question: str
    bound: int | None
    objection: str | None

    @property
    def accepted(self) -> bool:
        """Whether the certificate proves its claim."""
        return self.objection is None


def check_depth_certificate(data: object, language: DFA | None = None) -> DepthCheck:
    """Check a depth certificate, for its own automaton or, if given, for a language.

    Data that is no depth certificate raises; a certificate that does not hold comes back with an objection.
    """
    if type(data) is not dict or data.get("lengthwise") != "depth certificate":
        raise InvalidCertificateError(
            'this is not a depth certificate: it has no field "lengthwise" with the value "depth certificate".',
            hint="write one with: lengthwise predict '(ab)*' --json > verdicts.json",
        )
    if not is_integer(data.get("version")) or data["version"] != 1:
        raise InvalidCertificateError(
            f"this depth certificate has version {data.get('version')!r}; this program reads version 1.",
            hint="use the version of lengthwise that wrote it, or write it again.",
        )
    objection = None
    try:
        with time_budget(MAX_SECONDS, "checking this"):
            _check(data, language)
    except Objection as reason:
        objection = str(reason)
    except OutOfTimeError as error:
        objection = error.message.removesuffix(".")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        objection = f"a field is missing or malformed ({type(error).__name__}: {error})"
    bound = data.get("bound")
    return DepthCheck(
        kind=str(data.get("kind")),
        question=str(data.get("question")),
        bound=bound if type(bound) is int else None,
        objection=objection,
    )


def _check(data: Data, language: DFA | None) -> None:
    kind = data["kind"]
    require(kind in _FIELDS, f"there is no kind of depth certificate called {kind!r}")
    extra = set(data) - _HEAD - _FIELDS[kind]
    require(not extra, f"the field {min(map(str, extra), default='')!r} is unknown")
    require(data["question"] in _QUESTIONS, f"nobody asks for {data['question']!r}")
    require(is_integer(data["bound"]) and data["bound"] >= 0, "the bound is not a whole number")
    automaton = read_automaton(data["automaton"])
    if language is not None:
        given = Automaton(alphabet=language.alphabet, transitions=language.transitions, accepting=language.accepting)
        require(are_equivalent(automaton, given), "the automaton in the certificate is not that of the language")
    if kind == "depth_at_most":
        _check_at_most(data, automaton)
    else:
        _check_at_least(data, automaton)


# At most


def _check_at_most(data: Data, automaton: Automaton) -> None:
    """Follow the sums over every edge; what they keep apart must be all that the question asks for."""
    states = read_list(data, "states")
    edges = _read_edges(data, automaton, states)
    steps = read_list(data, "steps")
    require(len(steps) == data["bound"], "the bound is not the number of steps")
    apart: set[tuple[int, int]] = set()
    for step in steps:
        require(set(step) == {"known", "tests"}, "a step has other fields than known and tests")
        known = [_read_known(blocks, edges, apart) for blocks in read_list(step, "known")]
        found: set[tuple[int, int]] = set()
        for test in read_list(step, "tests"):
            found |= _check_test(test, known, edges)
        apart |= found
    alive = alive_states(automaton)
    for two in range(len(states)):
        for one in range(two):
            checkpoint()
            if _must_differ(data["question"], automaton, alive, states[one], states[two]):
                require((one, two) in apart, f"nodes {one} and {two} are not told apart, but get different answers")


def _read_edges(data: Data, automaton: Automaton, states: Sequence[Any]) -> list[Mapping[str, int]]:
    """Return the edges of the stated graph, which must follow every word that the question is about."""
    edges = read_list(data, "edges")
    require(len(states) == len(edges) > 0, "there is not one row of edges for each node")
    require(all(is_place(state, automaton.transitions) for state in states), "a node stands for no state")
    require(states[0] == 0, "node 0 does not stand for the initial state")
    alive = alive_states(automaton)
    only_alive = data["question"] in _LIVE
    for state, row in zip(states, edges, strict=True):
        require(type(row) is dict, "the edges of a node are not a table")
        for symbol in automaton.alphabet:
            after = automaton.step(state, symbol)
            if only_alive and (state not in alive or after not in alive):
                require(symbol not in row, "an edge leaves the words that can still be accepted")
                continue
            require(symbol in row, f"a node has no edge for symbol {symbol!r}")
            require(is_place(row[symbol], states), "an edge leads nowhere")
            require(states[row[symbol]] == after, "an edge does not lead where the automaton does")
        require(set(row) <= set(automaton.alphabet), "an edge has a symbol outside the alphabet")
    return edges


def _read_known(
    blocks: Any, edges: Sequence[Mapping[str, int]], apart: set[tuple[int, int]]
) -> tuple[dict[int, int], int]:
    """Return the block of each node of a known set, and how many blocks there are."""
    require(type(blocks) is list and len(blocks) > 0, "a known set is not a list of blocks")
    block_of: dict[int, int] = {}
    for number, block in enumerate(blocks):
        require(type(block) is list and len(block) > 0, "a block is not a list of nodes")
        for node in block:
            require(is_place(node, edges) and node not in block_of, "the blocks of a known set do not divide it")
            block_of[node] = number
    for node, row in enumerate(edges):
        for target in row.values():
            require(target not in block_of or node in block_of, "a known set lacks a predecessor of its nodes")
    for one, first in block_of.items():
        for two, second in block_of.items():
            if one < two and first != second:
                require((one, two) in apart, f"nodes {one} and {two} are in different blocks, but not yet told apart")
    return block_of, len(blocks)


def _check_test(
    test: Data, known: Sequence[tuple[dict[int, int], int]], edges: Sequence[Mapping[str, int]]
) -> set[tuple[int, int]]:
    """Return the pairs that one sum of counts keeps apart."""
    require(set(test) == {"gains", "upper", "lower"}, "a test has other fields than gains, upper and lower")
    gains: dict[tuple[int, str, int], int] = {}
    for place, symbol, block, gain in read_list(test, "gains"):
        require(is_place(place, known) and is_integer(gain), "a gain is malformed")
        require(is_integer(block) and 0 <= block < known[place][1], "a gain is for a block that does not exist")
        require((place, symbol, block) not in gains, "a gain is stated twice")
        gains[place, symbol, block] = gain
    upper, lower = read_list(test, "upper"), read_list(test, "lower")
    require(len(upper) == len(lower) == len(edges), "a test does not have one bound for each node")
    require(all(value is None or is_integer(value) for value in (*upper, *lower)), "a bound is not an integer")
    require(upper[0] is None or upper[0] >= 0, "the sum can be larger than stated at the start")
    require(lower[0] is None or lower[0] <= 0, "the sum can be smaller than stated at the start")
    for node, row in enumerate(edges):
        for symbol, target in row.items():
            checkpoint()
            most = least = 0
            for place, (block_of, num_blocks) in enumerate(known):
                inside = [block_of[node]] if node in block_of else range(num_blocks)
                possible = [gains.get((place, symbol, block), 0) for block in inside]
                most, least = most + max(possible), least + min(possible)
            if upper[target] is not None:
                holds = upper[node] is not None and upper[node] + most <= upper[target]
                require(holds, f"on an edge with symbol {symbol!r} the sum can exceed its upper bound")
            if lower[target] is not None:
                holds = lower[node] is not None and lower[node] + least >= lower[target]
                require(holds, f"on an edge with symbol {symbol!r} the sum can fall below its lower bound")
    return {
        (min(one, two), max(one, two))
        for one, high in enumerate(upper)
        for two, low in enumerate(lower)
        if one != two and high is not None and low is not None and low > high
    }


def _must_differ(question: str, automaton: Automaton, alive: set[int], one: int, two: int) -> bool:
    """Return whether the question has different answers after words to two states, just before the position read."""
    if question == "END_MARKER":
        return (one in automaton.accepting) != (two in automaton.accepting)
    if question == "STATES":
        return one != two and one in alive and two in alive
    both_alive = {one, two} <= alive
    for symbol in automaton.alphabet:
        left, right = automaton.step(one, symbol), automaton.step(two, symbol)
        if question == "LAST_SYMBOL":
            differ = (left in automaton.accepting) != (right in automaton.accepting)
        else:
            goes_on = both_alive and {left, right} <= alive
            differ = goes_on and next_symbols(automaton, alive, left) != next_symbols(automaton, alive, right)
        if differ:
            return True
    return False


# At least


class _Remainders:
    """Vectors modulo a space spanned by others, in exact arithmetic: one standard vector for each class."""

    def __init__(self, spanning: Sequence[Mapping[Any, int]]) -> None:
        self._rows: list[tuple[Any, dict[Any, Fraction]]] = []  # pivot and its row, with 1 at the pivot
        for vector in spanning:
            row = self._reduce({key: Fraction(value) for key, value in vector.items()})
            if row:
                pivot = next(iter(row))
                scaled = {key: value / row[pivot] for key, value in row.items()}
                self._rows = [(other, _minus(each, scaled, each.get(pivot, Fraction(0)))) for other, each in self._rows]
                self._rows.append((pivot, scaled))

    def _reduce(self, vector: dict[Any, Fraction]) -> dict[Any, Fraction]:
        for pivot, row in self._rows:
            checkpoint()
            vector = _minus(vector, row, vector.get(pivot, Fraction(0)))
        return vector

    def of(self, vector: Mapping[Any, int]) -> frozenset[tuple[Any, Fraction]]:
        """Return the standard vector of a class."""
        return frozenset(self._reduce({key: Fraction(value) for key, value in vector.items()}).items())


def _minus(vector: dict[Any, Fraction], row: Mapping[Any, Fraction], times: Fraction) -> dict[Any, Fraction]:
    if not times:
        return vector
    result = dict(vector)
    for key, value in row.items():
        left = result.get(key, Fraction(0)) - times * value
        if left:
            result[key] = left
        else:
            result.pop(key, None)
    return result


@dataclass(slots=True)
class _Runner:
    """A run through the regions: the state, and the counts of (symbol, label) since each root so far.

    The label of depth 0 is always the same. A label of depth i + 1 is the label of depth i with the counts since root i + 1,
    modulo the closed walks of that round.
    """

    automaton: Automaton
    allowed: set[int] | None
    state: int
    spaces: list[_Remainders]
    counts: list[dict[Any, int]]

    def labels(self) -> list[Any]:
        """Return the labels of all depths."""
        found: list[Any] = [0]
        for space, counts in zip(self.spaces, self.counts, strict=True):
            found.append((found[-1], space.of(counts)))
        return found

    def read(self, word: Sequence[str]) -> dict[Any, int]:
        """Read a word; return how often each symbol was read at each label of the last depth."""
        seen: dict[Any, int] = {}
        for symbol in word:
            labels = self.labels()
            for counts, label in zip((*self.counts, seen), labels, strict=True):
                counts[symbol, label] = counts.get((symbol, label), 0) + 1
            self.state = self.automaton.step(self.state, symbol)
            require(self.allowed is None or self.state in self.allowed, "a walk leaves the words that can be accepted")
        return seen

    def copy(self) -> _Runner:
        """Return a runner at the same place."""
        return _Runner(self.automaton, self.allowed, self.state, self.spaces, [dict(each) for each in self.counts])


def _check_at_least(data: Data, automaton: Automaton) -> None:
    """Follow the rounds; then two words must lead to one label, and a common word from there to different answers."""
    rounds = read_list(data, "rounds")
    require(data["bound"] == len(rounds) + 1, "the bound is not one more than the number of rounds")
    alive = alive_states(automaton)
    only_alive = data["question"] in _LIVE
    require(not only_alive or 0 in alive, "no word is in the language")
    here = _Runner(automaton, alive if only_alive else None, 0, [], [])
    for each in rounds:
        require(set(each) == {"path", "loops"}, "a round has other fields than path and loops")
        here = _next_root(here, each)
    ends = []
    for field in ("first", "second"):
        runner = here.copy()
        runner.read(read_word(data[field], automaton))
        ends.append(runner)
    require(ends[0].labels() == ends[1].labels(), "the two words lead to different labels")
    one, two = (runner.state for runner in ends)
    _check_suffix(data["question"], automaton, alive, one, two, read_word(data["suffix"], automaton))


def _next_root(here: _Runner, data: Data) -> _Runner:
    """Return the runner at the end of a path, where the counts modulo the closed walks begin."""
    path = read_word(data["path"], here.automaton)
    loops: dict[int, list[tuple[str, ...]]] = {}
    for loop in read_list(data, "loops"):
        require(set(loop) == {"after", "word"}, "a closed walk has other fields than after and word")
        require(is_integer(loop["after"]) and 0 <= loop["after"] <= len(path), "a closed walk is not on the path")
        loops.setdefault(loop["after"], []).append(read_word(loop["word"], here.automaton))
    spanning = []
    runner = here.copy()
    for place in range(len(path) + 1):
        for word in loops.get(place, ()):
            walker = runner.copy()
            spanning.append(walker.read(word))
            require(
                walker.state == runner.state and walker.labels() == runner.labels(), "a closed walk does not return"
            )
        runner.read(path[place : place + 1])
    runner.spaces = [*runner.spaces, _Remainders(spanning)]
    runner.counts = [*runner.counts, {}]
    return runner


def _check_suffix(
    question: str, automaton: Automaton, alive: set[int], one: int, two: int, suffix: tuple[str, ...]
) -> None:
    """The common word must lead from two states to different answers."""
    ends = [one, two]
    for symbol in suffix:
        ends = [automaton.step(state, symbol) for state in ends]
        require(question not in _LIVE or set(ends) <= alive, "the common word leaves the words that can be accepted")
    left, right = ends
    if question == "STATES":
        require(left != right and {left, right} <= alive, "the two words end in one state")
        return
    require(question == "END_MARKER" or len(suffix) > 0, "the two words need a last symbol in common")
    if question == "NEXT_SYMBOLS":
        differ = next_symbols(automaton, alive, left) != next_symbols(automaton, alive, right)
        require(differ, "the two words do not differ in their next symbols")
        return
    differ = (left in automaton.accepting) != (right in automaton.accepting)
    require(differ, "the two words do not differ in membership")
