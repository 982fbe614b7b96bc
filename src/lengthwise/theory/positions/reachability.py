"""Which rows of its operators a circuit meets, exactly, without going through all instances.

The tokens that later gates still read are the state. Gates are taken in order: a free symbol of the prompt enters the state when it
is first read, with every symbol it may be, and a token leaves it after it is last read. The states that can occur give the rows
that occur, because free symbols are chosen independently. The number of states stays small where the number of instances does not.
Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...errors import CapExceededError
from .circuits import Circuit, Gate
from .layout import Layout, Tokens

Entry = tuple[str, Tokens]  # an operator's name and the symbols it is given

MAX_STATES = 1_000_000
MAX_INSTANCES = 200_000


def first_met(circuit: Circuit, max_scale: int) -> dict[Entry, int]:
    """Return every row that is met up to a scale, with the smallest scale that meets it."""
    first: dict[Entry, int] = {}
    for scale in range(1, max_scale + 1):
        for entry in sorted(entries(circuit, scale)):
            first.setdefault(entry, scale)
    return first


def entries(circuit: Circuit, scale: int) -> set[Entry]:
    """Return the rows that instances of a scale meet; all instances are tried when the prompt is no mere arrangement."""
    places = arrangement(circuit.layout, scale)
    return _listed_entries(circuit, scale) if places is None else _entries(circuit, scale, places)


def arrangement(layout: Layout, scale: int) -> list[int | str] | None:
    """Return for each position of the prompt its free symbol's number, or the fixed symbol; None if that is not what a prompt is."""
    marks = tuple(f"<{number}>" for number in range(layout.num_free(scale)))
    try:
        prompt = layout.prompt(scale, marks)
    except (ValueError, LookupError):  # a prompt that is computed from its symbols cannot do with marks
        return None
    numbers = {mark: number for number, mark in enumerate(marks)}
    if any(prompt.count(mark) != 1 for mark in marks):
        return None
    places: list[int | str] = [numbers.get(token, token) for token in prompt]
    for free in _probes(layout.choices(scale)):
        if layout.prompt(scale, free) != tuple(free[each] if isinstance(each, int) else each for each in places):
            return None
    return places


def _probes(choices: tuple[Tokens, ...]) -> Iterator[Tokens]:
    """Yield a few choices that tell an arrangement from a prompt that is sorted or computed: one symbol unlike all others."""
    for number in range(len(choices)):
        yield tuple(symbols[-1 if place == number else 0] for place, symbols in enumerate(choices))
        yield tuple(symbols[0 if place == number else -1] for place, symbols in enumerate(choices))


def _entries(circuit: Circuit, scale: int, places: list[int | str]) -> set[Entry]:
    choices = circuit.layout.choices(scale)
    gates = [circuit.gate(scale, step) for step in range(1, circuit.layout.answer_length(scale) + 1)]
    last = {place: step for step, gate in enumerate(gates) for place in gate.operands}
    live: list[int] = []  # the positions whose symbols make a state, in order
    states: set[tuple[str | None, ...]] = {()}
    met: set[Entry] = set()
    for step, gate in enumerate(gates):
        entering = [
            place
            for place in dict.fromkeys(gate.operands)
            if place < len(places) and isinstance(places[place], int) and place not in live
        ]
        pools = [choices[places[place]] for place in entering]  # type: ignore[index]
        _check_states(circuit, scale, len(states), pools)
        live += entering
        written = len(places) + step
        keeps = [column for column, place in enumerate(live) if last[place] > step]
        reads = _columns(gate, live, places)
        following: set[tuple[str | None, ...]] = set()
        operator = circuit.operators[gate.operator]
        for state in states:
            for chosen in product(*pools):
                full = (*state, *chosen)
                symbols = tuple(full[read] if isinstance(read, int) else read for read in reads)
                known = tuple(symbol for symbol in symbols if symbol is not None)
                result = None
                if len(known) == len(symbols):
                    met.add((gate.operator, known))
                    result = operator(known)
                kept = tuple(full[column] for column in keeps)
                following.add((*kept, result) if written in last else kept)
        states = following
        live = [live[column] for column in keeps] + ([written] if written in last else [])
    return met


def _columns(gate: Gate, live: list[int], places: list[int | str]) -> list[int | str]:
    """Return for each operand its column in the state, or the fixed symbol that stands there."""
    columns: list[int | str] = []
    for place in gate.operands:
        fixed = places[place] if place < len(places) else 0
        columns.append(fixed if isinstance(fixed, str) else live.index(place))
    return columns


def _check_states(circuit: Circuit, scale: int, num_states: int, pools: list[Tokens]) -> None:
    for pool in pools:
        num_states *= len(pool)
    if num_states > MAX_STATES:
        raise CapExceededError(
            f"circuit {circuit.name!r} has {num_states:,} states at scale {scale}: at most {MAX_STATES:,} are followed.",
            hint="use a smaller scale.",
        )


def _listed_entries(circuit: Circuit, scale: int) -> set[Entry]:
    number = circuit.layout.num_instances(scale)
    if number > MAX_INSTANCES:
        raise CapExceededError(
            f"layout {circuit.layout.name} has {number:,} instances at scale {scale}: at most {MAX_INSTANCES:,} are tried.",
            hint="use a smaller scale.",
        )
    return listed_entries(circuit, scale)


def listed_entries(circuit: Circuit, scale: int) -> set[Entry]:
    """Return the rows that instances of a scale meet, by going through all of them: slow and obvious."""
    met: set[Entry] = set()
    gates = [circuit.gate(scale, step) for step in range(1, circuit.layout.answer_length(scale) + 1)]
    for prompt, answer in circuit.layout.instances(scale):
        tokens = (*prompt, *answer)
        met.update((gate.operator, tuple(tokens[place] for place in gate.operands)) for gate in gates)
    return met
