"""Automata as certificates state them, and plain walks on them: all that the checker needs, and nothing of the solvers.

Every walk here is the obvious one. What does not hold is an :class:`Objection`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..budget import checkpoint

if TYPE_CHECKING:
    from fractions import Fraction

Data = Mapping[str, Any]


class Objection(Exception):
    """A reason not to believe a certificate."""


def require(holds: bool, objection: str) -> None:
    """Object unless something holds."""
    if not holds:
        raise Objection(objection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Automaton:
    """An automaton as a certificate states it: nothing is assumed but that it is complete."""

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]

    def run(self, word: Sequence[str], state: int = 0) -> int:
        """Return where a word leads."""
        for symbol in word:
            state = self.step(state, symbol)
        return state

    def step(self, state: int, symbol: str) -> int:
        """Return where one symbol leads."""
        checkpoint()
        return self.transitions[state][self.alphabet.index(symbol)]


def read_list(data: Data, field: str) -> list[Any]:
    """Return a field that must be a list: a string or a table, which can be walked over too, is refused."""
    require(type(data[field]) is list, f"{field!r} is not a list")
    found: list[Any] = data[field]
    return found


def read_automaton(data: Data) -> Automaton:
    """Return the automaton of a certificate, which must be complete."""
    alphabet = tuple(read_list(data, "alphabet"))
    table = read_list(data, "transitions")
    require(all(type(row) is list for row in table), "the transitions of a state are not a list")
    rows = tuple(map(tuple, table))
    accepting = read_list(data, "accepting")
    require(len(alphabet) > 0, "the alphabet is empty")
    require(all(isinstance(symbol, str) and symbol for symbol in alphabet), "a symbol is not a non-empty string")
    require(len(set(alphabet)) == len(alphabet), "a symbol appears twice in the alphabet")
    require(all(len(row) == len(alphabet) for row in rows), "a state does not have one transition per symbol")
    require(
        len(rows) > 0 and all(is_place(target, rows) for row in rows for target in row), "a transition leads nowhere"
    )
    require(all(is_place(state, rows) for state in accepting), "an accepting state does not exist")
    return Automaton(alphabet=alphabet, transitions=rows, accepting=frozenset(accepting))


def read_word(data: object, automaton: Automaton) -> tuple[str, ...]:
    """Return a word of a certificate, which must be over the alphabet."""
    if not isinstance(data, str | list):
        raise Objection(f"{data!r} is not a word")
    word: tuple[Any, ...] = tuple(data)
    for symbol in word:
        require(symbol in automaton.alphabet, f"symbol {symbol!r} is not in the alphabet")
    return word


def is_place(value: object, items: Sequence[object]) -> bool:
    """Return whether a value is the number of one of the items; True and 1.0 are not numbers here."""
    return is_integer(value) and 0 <= value < len(items)  # type: ignore[operator]


def is_integer(value: object) -> bool:
    """Return whether a value is an integer; True and 1.0 are none."""
    return type(value) is int


def are_equivalent(one: Automaton, two: Automaton) -> bool:
    """Return whether two automata over one alphabet accept the same words, by walking both at once."""
    if set(one.alphabet) != set(two.alphabet):
        return False
    met = {(0, 0)}
    queue = [(0, 0)]
    for left, right in queue:
        if (left in one.accepting) != (right in two.accepting):
            return False
        for symbol in one.alphabet:
            pair = (one.step(left, symbol), two.step(right, symbol))
            if pair not in met:
                met.add(pair)
                queue.append(pair)
    return True


def alive_states(automaton: Automaton) -> set[int]:
    """Return the states from which some word is accepted."""
    sources: dict[int, set[int]] = {}
    for state, row in enumerate(automaton.transitions):
        for target in row:
            sources.setdefault(target, set()).add(state)
    alive = set(automaton.accepting)
    queue = list(alive)
    for target in queue:
        for state in sources.get(target, set()) - alive:
            alive.add(state)
            queue.append(state)
    return alive


def next_symbols(automaton: Automaton, alive: set[int], state: int) -> frozenset[str | None]:
    """Return the symbols that can follow at a state; None stands for the end."""
    legal: set[str | None] = {symbol for symbol in automaton.alphabet if automaton.step(state, symbol) in alive}
    return frozenset(legal | ({None} if state in automaton.accepting else set()))


def walk_alive(automaton: Automaton, alive: set[int], state: int, word: Sequence[str]) -> int:
    """Return where a word leads; after each of its symbols, some word must still be accepted."""
    for symbol in word:
        state = automaton.step(state, symbol)
        require(state in alive, "a prefix cannot become a word of the language")
    return state


def is_strongly_connected(automaton: Automaton, inside: set[int]) -> bool:
    """Return whether every state of a set leads to every other without leaving the set."""

    def spread(forward: bool) -> set[int]:
        links: dict[int, set[int]] = {state: set() for state in inside}
        for state in inside:
            for target in automaton.transitions[state]:
                if target in inside:
                    links[state if forward else target].add(target if forward else state)
        first = min(inside)
        met = {first}
        queue = [first]
        for state in queue:
            for target in sorted(links[state] - met):
                met.add(target)
                queue.append(target)
        return met

    return spread(True) == spread(False) == inside


def generated_classes(automaton: Automaton, inside: set[int], pairs: Sequence[tuple[int, int]]) -> set[frozenset[int]]:
    """Return the classes that follow from the pairs, when targets of like states under one symbol are alike."""
    label = {state: state for state in inside}

    def merge(one: int, two: int) -> bool:
        old, new = label[two], label[one]
        if old == new:
            return False
        checkpoint()
        for state in inside:
            if label[state] == old:
                label[state] = new
        return True

    for one, two in pairs:
        merge(one, two)
    changed = True
    while changed:
        changed = False
        targets: dict[tuple[int, int], int] = {}
        for state in sorted(inside):
            for symbol, target in enumerate(automaton.transitions[state]):
                if target in inside:
                    changed |= merge(targets.setdefault((label[state], symbol), target), target)
    return as_classes(label)


def as_classes(label: Mapping[int, int]) -> set[frozenset[int]]:
    """Return the sets of states with one label."""
    classes: dict[int, set[int]] = {}
    for state, name in label.items():
        classes.setdefault(name, set()).add(state)
    return {frozenset(members) for members in classes.values()}


def forces_equal(equations: Iterable[Mapping[int, int]], pairs: Iterable[tuple[int, int]]) -> bool:
    """Return whether homogeneous equations leave no solution in which the unknowns of some pair differ."""
    from fractions import Fraction  # here, because few certificates need it

    rows: dict[int, dict[int, Fraction]] = {}

    def reduced(equation: Mapping[int, int]) -> dict[int, Fraction]:
        row = {unknown: Fraction(value) for unknown, value in equation.items() if value}
        while True:
            pivot = next((unknown for unknown in row if unknown in rows), None)
            if pivot is None:
                return row
            checkpoint()
            factor = row[pivot]
            for unknown, value in rows[pivot].items():
                row[unknown] = row.get(unknown, Fraction(0)) - factor * value
                if not row[unknown]:
                    del row[unknown]

    for equation in equations:
        row = reduced(equation)
        if row:
            pivot = min(row)
            rows[pivot] = {unknown: value / row[pivot] for unknown, value in row.items()}
            for other, old in list(rows.items()):  # a pivot occurs in its own row only
                if other != pivot and pivot in old:
                    checkpoint()
                    rows[other] = _without_pivot(old, rows[pivot], pivot)
    return not any(reduced({one: 1, two: -1}) for one, two in pairs if one != two)


def _without_pivot(row: Mapping[int, Fraction], by: Mapping[int, Fraction], pivot: int) -> dict[int, Fraction]:
    """Return a row without the pivot of another, whose entry there is 1."""
    factor = row[pivot]
    result = dict(row)
    for unknown, value in by.items():
        result[unknown] = result.get(unknown, 0 * value) - factor * value
        if not result[unknown]:
            del result[unknown]
    return result


def equal_walks(pair: Data, automaton: Automaton, block_of: Mapping[int, int]) -> tuple[int, int]:
    """Return the two states that a pair of walks shows to be alike, which is checked."""
    start = pair["start"]
    require(type(start) is int and start in block_of, "a walk does not start in the component")

    def walk(field: str) -> tuple[int, Counter[tuple[str, int]]]:
        state = start
        counts: Counter[tuple[str, int]] = Counter()
        for symbol in read_word(pair[field], automaton):
            counts[symbol, block_of[state]] += 1
            state = automaton.step(state, symbol)
            require(state in block_of, "a walk leaves the component")
        return state, counts

    if pair["kind"] == "paths":
        (one, first), (two, second) = walk("first"), walk("second")
        require(first == second, "the two walks differ in their counts")
        return one, two
    require(pair["kind"] == "loops", f"there is no kind of pair called {pair['kind']!r}")
    (end, path), (short_end, short), (long_end, long) = walk("path"), walk("short_loop"), walk("long_loop")
    times = pair["times"]
    require(is_integer(times) and times >= 1, "the number of times is out of range")
    require(short_end == long_end == start, "a loop does not return to its start")
    together = Counter({letter: short[letter] + times * path[letter] for letter in {*short, *path}})
    require(long == together, "the loops do not differ by the stated number of paths")
    return start, end


def known_non_member(name: object) -> Automaton:
    """Return the automaton of a language that is known not to be in the class: a flip-flop, or a counter modulo a prime.

    The languages of the theorem of this name are written out again, so that nothing is shared with the search.
    """
    if name == "{0,1,2}*02*":
        return Automaton(alphabet=("0", "1", "2"), transitions=((1, 0, 0), (1, 0, 1)), accepting=frozenset({1}))
    match = re.fullmatch(
        r"MOD\(([0-9]{1,4}); ([0-9]{1,4}(?:, [0-9]{1,4})*)\)", "MOD(2; 0)" if name == "PARITY" else str(name)
    )
    require(match is not None, f"no theorem speaks of {name!r}")
    assert match is not None
    prime, residues = int(match[1]), {int(residue) for residue in match[2].split(", ")}
    require(prime > 1 and all(prime % each for each in range(2, prime)), f"{prime} is not a prime")
    require(all(residue < prime for residue in residues) and len(residues) < prime, f"{name} is no counter")
    turn = tuple(((residue + 1) % prime, residue) for residue in range(prime))
    return Automaton(alphabet=("a", "b"), transitions=turn, accepting=frozenset(residues))
