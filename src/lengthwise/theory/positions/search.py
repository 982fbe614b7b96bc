"""Sequential representation complexity: the least number of operators of any circuit for a layout, by exhaustive search.

Every step of every scale up to N gets one of its candidates (see :mod:`.rows`) and one operator. Candidates of one operator must
have one arity and agree on the keys they share; agreement in pairs is enough, because then their union is a function.
SRC_K(N) is the least number of operators of arity at most K with which that is possible, None (∞) if some step has no candidate.
The *reduced* SRC only admits operands of the least determining size. Then the steps of each size are a problem of their own, and
the numbers add up. Our reconstruction of arXiv 2510.04130.

What keeps the search short, and why it loses nothing:

- SRC does not decrease with the scale (a circuit up to N is one up to N−1), so that the number at N−1 is where to start.
- Only keys at which some two candidates differ can conflict; the others are left out of the comparison. A candidate whose
  remaining entries are a part of those of another candidate of its step replaces it: it conflicts with less.
- A step is left out if another one covers it: if each candidate of the other contains one of its own, which then agrees with
  all that the other's agrees with and can always join the same operator.
- Orders: reordering the slots of one operator on all its gates gives a circuit again, and candidates come in all orders. So
  the first candidate of an operator may be taken in one order.
- An operator is opened only as the next one. A candidate that adds nothing to an open operator is taken without alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from ...errors import CapExceededError, InvalidOptionError
from .layout import Layout, Tokens
from .rows import MAX_ROWS, Candidate, Codes, Step, candidates, check_arity, least_candidates, scale_rows, smallest

MAX_NODES = 2_000_000
"""Assignments that the search tries for one number of operators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The gate of one step: which operator it uses, and the positions it reads."""

    scale: int
    index: int
    operator: int
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCircuit:
    """A circuit as the search finds it: a gate for every step, and the operators as tables."""

    gates: tuple[Wiring, ...]
    operators: tuple[dict[Tokens, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """The number of operators up to one scale (None: there is no circuit), and a circuit that has no more."""

    layout: str
    scale: int
    max_arity: int
    reduced: bool
    num_operators: int | None
    circuit: FoundCircuit | None
    num_essential: int  # steps that no other step covers: what the search was about


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A candidate within a problem: its entries as bits, and the entries it conflicts with."""

    entries: int
    conflicts: int
    leading: bool  # in the one order that suffices for the first candidate of an operator
    operands: tuple[int, ...]


Placed = tuple[int, int]  # the entries of an operator so far, and those it conflicts with
Chosen = list[Placed]
Waiting = tuple[Sequence[Option], list[list[Option]]]  # a step, and its options that fit each operator
Solver = Callable[[Sequence[Sequence[Option]], int], Chosen]
"""Given the options of every step and a number of operators that fewer cannot do with, return the fewest operators."""


def complexity_by_scale(
    layout: Layout,
    max_scale: int,
    *,
    max_arity: int,
    reduced: bool = False,
    solver: Solver | None = None,
    max_rows: int = MAX_ROWS,
) -> Iterator[Complexity]:
    """Yield the complexity at scales 1, 2, …, each as soon as it is known; every circuit has been checked on all rows."""
    if max_scale < 1:
        raise InvalidOptionError(f"max_scale {max_scale} is too small: scales start at 1.", hint="use 4.")
    if max_arity < 1:
        raise InvalidOptionError(f"max_arity {max_arity} is too small: an operator reads something.", hint="use 2.")
    check_arity(len(layout.alphabet), 1 if reduced else max_arity)
    groups: dict[int, list[tuple[Step, list[Candidate]]]] = {}
    bounds: dict[int, int] = {}
    steps: list[Step] = []
    possible = True
    for scale in range(1, max_scale + 1):
        for step in scale_rows(layout, scale, max_rows=max_rows) if possible else ():
            found = least_candidates(step, max_arity)
            if found is None:
                possible = False
                break
            arity, options = found if reduced else (max_arity, candidates(step, max_arity))
            groups.setdefault(arity, []).append((step, options))
            steps.append(step)
        if not possible:
            yield _impossible(layout, scale, max_arity, reduced)
            continue
        gates: list[Wiring] = []
        num_operators = num_essential = 0
        for arity, members in sorted(groups.items()):
            problem = encode([options for _, options in members], len(layout.alphabet))
            essential = essential_steps(problem)
            operators = (solver or search)([problem[place] for place in essential], bounds.get(arity, 1))
            for (step, _), encoded in zip(members, problem, strict=True):
                operator, option = place_free(encoded, operators)
                gates.append(
                    Wiring(
                        scale=step.scale,
                        index=step.index,
                        operator=num_operators + operator,
                        operands=option.operands,
                    )
                )
            bounds[arity] = len(operators)
            num_operators += len(operators)
            num_essential += len(essential)
        circuit = merge(layout, steps, gates, num_operators)
        check_circuit(layout, scale, circuit)
        yield Complexity(
            layout=layout.name,
            scale=scale,
            max_arity=max_arity,
            reduced=reduced,
            num_operators=num_operators,
            circuit=circuit,
            num_essential=num_essential,
        )


def _impossible(layout: Layout, scale: int, max_arity: int, reduced: bool) -> Complexity:
    return Complexity(
        layout=layout.name,
        scale=scale,
        max_arity=max_arity,
        reduced=reduced,
        num_operators=None,
        circuit=None,
        num_essential=0,
    )


def encode(steps: Sequence[Sequence[Candidate]], num_symbols: int) -> list[list[Option]]:
    """Return the options of steps whose candidates have one arity: conflicts as bits, dominated ones left out."""
    kept = [list(options) for options in steps]
    while True:
        contested = _contested(kept, num_symbols)
        before, kept = kept, [_restricted(options, contested) for options in kept]
        if sum(map(len, kept)) == sum(map(len, before)):
            break  # with fewer candidates, fewer keys would have two values
    bits, others = _conflict_bits(contested.tolist(), num_symbols)
    return [
        [
            Option(
                entries=sum(bits[entry] for entry in entries),
                conflicts=reduce(or_, (others[entry] for entry in entries), 0),
                leading=candidate.ascending,
                operands=candidate.operands,
            )
            for candidate in options
            for entries in (candidate.entries.tolist(),)
        ]
        for options in kept
    ]


def _contested(steps: Sequence[Sequence[Candidate]], num_symbols: int) -> Codes:
    """Return the entries, in order, whose key has another value in another candidate."""
    entries = np.unique(np.concatenate([candidate.entries for options in steps for candidate in options]))
    _, places, counts = np.unique(entries // num_symbols, return_inverse=True, return_counts=True)
    contested: Codes = entries[counts[places] > 1]
    return contested


def _restricted(options: Sequence[Candidate], contested: Codes) -> list[Candidate]:
    """Return the candidates with contested entries only."""
    entries = np.concatenate([candidate.entries for candidate in options])
    marked = np.isin(entries, contested)
    ends = np.cumsum([len(candidate.entries) for candidate in options])[:-1]
    parts = zip(options, np.split(entries, ends), np.split(marked, ends), strict=True)
    return smallest([replace(candidate, entries=own[is_marked]) for candidate, own, is_marked in parts])


def _conflict_bits(contested: list[int], num_symbols: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return a bit for each entry, and the bits of the other entries of its key."""
    bits = {entry: 1 << place for place, entry in enumerate(contested)}
    keys: dict[int, int] = {}
    for entry, bit in bits.items():
        keys[entry // num_symbols] = keys.get(entry // num_symbols, 0) | bit
    return bits, {entry: keys[entry // num_symbols] ^ bit for entry, bit in bits.items()}


def essential_steps(problem: Sequence[Sequence[Option]]) -> list[int]:
    """Return the places of the steps that are left when every step that another one left covers is taken out.

    Covering is transitive, so that whatever is taken out is covered by a step that stays.
    """
    kept = list(range(len(problem)))
    for step in range(len(problem)):
        if any(other != step and covers(problem[other], problem[step]) for other in kept):
            kept.remove(step)
    return kept


def covers(other: Sequence[Option], step: Sequence[Option]) -> bool:
    """Return whether each option of one step contains an option of the other; in one order is enough."""
    return all(any(own.entries & ~option.entries == 0 for own in step) for option in other if option.leading)


def place_free(options: Sequence[Option], operators: Sequence[Placed]) -> tuple[int, Option]:
    """Return an operator and an option that adds nothing to it."""
    found = _free(options, operators)
    assert found is not None, "a solver left a step without an operator"
    return found


def _free(options: Sequence[Option], operators: Sequence[Placed]) -> tuple[int, Option] | None:
    for number, (entries, _) in enumerate(operators):
        for option in options:
            if option.entries & ~entries == 0:
                return number, option
    return None


def search(problem: Sequence[Sequence[Option]], least: int, *, max_nodes: int = MAX_NODES) -> Chosen:
    """Return the fewest operators, by trying one number after the other."""
    for number in range(least, len(problem) + 1):
        found = assign(problem, number, max_nodes=max_nodes)
        if found is not None:
            return found
    raise AssertionError("one operator for each step is always enough")


def assign(problem: Sequence[Sequence[Option]], number: int, *, max_nodes: int = MAX_NODES) -> Chosen | None:
    """Return so many operators, or fewer, that serve every step, or None if there are none."""
    nodes = 0

    def extend(operators: Chosen, waiting: list[Waiting]) -> Chosen | None:
        nonlocal nodes
        nodes += 1
        if nodes > max_nodes:
            raise CapExceededError(
                f"the search for {number} operators passed its cap of {max_nodes:,} assignments.",
                hint="use the SAT solver, a smaller scale, or raise max_nodes.",
            )
        open_steps = [
            (step, fits)
            for step, fits in waiting
            if not any(option.entries & ~operators[place][0] == 0 for place, some in enumerate(fits) for option in some)
        ]
        if not open_steps:
            return operators
        chosen = min(open_steps, key=lambda item: (sum(map(len, item[1])), len(item[0])))
        rest = [item for item in open_steps if item is not chosen]
        step, fits = chosen
        tries = [(place, option) for place, some in enumerate(fits) for option in some]
        tries.sort(key=lambda item: (item[1].entries & ~operators[item[0]][0]).bit_count())
        for place, option in tries:
            grown = (operators[place][0] | option.entries, operators[place][1] | option.conflicts)
            after = [(each, [*kept[:place], _fitting(kept[place], grown), *kept[place + 1 :]]) for each, kept in rest]
            if len(operators) == number and not all(any(kept) for _, kept in after):
                continue
            found = extend([*operators[:place], grown, *operators[place + 1 :]], after)
            if found is not None:
                return found
        if len(operators) == number:
            return None
        for option in step:
            if option.leading:
                new = (option.entries, option.conflicts)
                after = [(each, [*kept, _fitting(each, new)]) for each, kept in rest]
                if len(operators) + 1 == number and not all(any(kept) for _, kept in after):
                    continue
                found = extend([*operators, new], after)
                if found is not None:
                    return found
        return None

    return extend([], [(step, []) for step in problem])


def _fitting(options: Sequence[Option], operator: Placed) -> list[Option]:
    conflicts = operator[1]
    return [option for option in options if not option.entries & conflicts]


def merge(layout: Layout, steps: Sequence[Step], gates: Sequence[Wiring], num_operators: int) -> FoundCircuit:
    """Return the circuit of gates, each operator the union of what its gates ask of it."""
    by_step = {(step.scale, step.index): step for step in steps}
    operators: list[dict[Tokens, str]] = [{} for _ in range(num_operators)]
    symbols = layout.alphabet
    for gate in gates:
        step = by_step[gate.scale, gate.index]
        keys_RS = step.tokens_RP[:, list(gate.operands)]
        met = {(*key, value) for *key, value in zip(*keys_RS.T.tolist(), step.next_R.tolist(), strict=True)}
        for *key, value in sorted(met):
            known = operators[gate.operator].setdefault(tuple(symbols[code] for code in key), symbols[value])
            assert known == symbols[value], "two gates of one operator disagree"
    return FoundCircuit(
        gates=tuple(sorted(gates, key=lambda gate: (gate.scale, gate.index))), operators=tuple(operators)
    )


def check_circuit(layout: Layout, max_scale: int, circuit: FoundCircuit) -> None:
    """Raise an error unless the circuit computes every answer up to a scale; it only looks at instances and tables."""
    gates = {(gate.scale, gate.index): gate for gate in circuit.gates}
    for scale in range(1, max_scale + 1):
        for prompt, answer in layout.instances(scale):
            tokens = (*prompt, *answer)
            for index in range(1, len(answer) + 1):
                query = len(prompt) + index - 2
                gate = gates.get((scale, index))
                if gate is None or not all(0 <= position <= query for position in gate.operands):
                    raise InvalidOptionError(
                        f"the circuit has no gate at scale {scale}, step {index} that reads positions 0 to {query}.",
                        hint="give every step a gate that reads what is visible.",
                    )
                key = tuple(tokens[position] for position in gate.operands)
                told = circuit.operators[gate.operator].get(key)
                if told != tokens[query + 1]:
                    raise InvalidOptionError(
                        f"operator {gate.operator} gives {told!r} for {key} at scale {scale}, step {index}, "
                        f"not {tokens[query + 1]!r}.",
                        hint="the circuit does not compute this layout.",
                    )
