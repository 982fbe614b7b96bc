"""Sequential circuits as data: every token of an answer is one operator applied to a few earlier tokens.

A circuit is wired for a layout: for each scale n and step t a gate names an operator and the positions of its operands, and the
wiring depends on n and t only. The token at q + 1 is computed from positions 0 to q, where q = prompt length + t − 2.
The definitions are our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import CapExceededError, InvalidOptionError, listed
from .layout import Layout, Tokens
from .relations import Relation

Row = tuple[Tokens, str]

MAX_SCALE = 64  # gates of a circuit grow with the square of the scale
CHECKED_SCALES = 3  # wired once when a circuit is made, so that a wrong wire is told where it was written
COMPARED_SCALES = 12  # for what is said of a wiring at all scales, and seen up to a scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A function of a few symbols: a table of its rows, or a Python function of as many symbols."""

    name: str
    arity: int
    table: tuple[Row, ...] | None = None
    apply: Callable[..., str] | None = None
    _rows: dict[Tokens, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.arity < 1:
            raise InvalidOptionError(
                f"operator {self.name!r} has arity {self.arity}: at least 1.", hint="give it an operand."
            )
        if (self.table is None) == (self.apply is None):
            raise InvalidOptionError(
                f"operator {self.name!r} needs a table or a function, and not both.", hint="leave one of them out."
            )
        rows: dict[Tokens, str] = {}
        for symbols, result in self.table or ():
            if len(symbols) != self.arity:
                raise InvalidOptionError(
                    f"operator {self.name!r} has arity {self.arity}, but its table has the row {_shown(symbols, result)}.",
                    hint=f"give every row {self.arity} symbols and a result.",
                )
            if rows.setdefault(symbols, result) != result:
                raise InvalidOptionError(
                    f"operator {self.name!r} contradicts itself: {_shown(symbols, rows[symbols])} and {_shown(symbols, result)}.",
                    hint="leave one of the two rows out, or use two operators.",
                )
        object.__setattr__(self, "_rows", rows)

    def __call__(self, symbols: Tokens) -> str | None:
        """Return the result, or None where the table has no such row."""
        return self._rows.get(symbols) if self.apply is None else self.apply(*symbols)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """An operator and the positions it reads, in the order of its operand slots."""

    operator: str
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """A wiring of operators for a layout; ``wire(n, t)`` is the gate for the t-th token of the answer, t from 1."""

    name: str
    layout: Layout
    operators: Mapping[str, Operator]
    wire: Callable[[int, int], Gate]
    note: str = ""  # the recurrence, in one line
    max_scale: int = MAX_SCALE

    def __post_init__(self) -> None:
        for name, operator in self.operators.items():
            if name != operator.name:
                raise InvalidOptionError(
                    f"circuit {self.name!r} calls the operator {operator.name!r} {name!r}.",
                    hint="use one name for both.",
                )
        for _ in self.gates(min(CHECKED_SCALES, self.cap)):
            pass

    @property
    def cap(self) -> int:
        """The largest scale that the circuit and its layout both have."""
        return self.max_scale if self.layout.max_scale is None else min(self.max_scale, self.layout.max_scale)

    @property
    def arity(self) -> int:
        """The largest arity of its operators."""
        return max(operator.arity for operator in self.operators.values())

    def query(self, scale: int, step: int) -> int:
        """Return the last visible position when the token of a step is computed."""
        return self.layout.prompt_length(scale) + step - 2

    def gate(self, scale: int, step: int) -> Gate:
        """Return the gate of a scale and step, after a look at what it reads."""
        if scale < 1:
            raise InvalidOptionError(f"scale {scale} is too small: scales start at 1.", hint=f"use 1 to {self.cap}.")
        if scale > self.cap:
            raise CapExceededError(
                f"scale {scale} is past the cap of circuit {self.name!r}, which has the scales 1 to {self.cap}.",
                hint=f"use scales up to {self.cap}.",
            )
        if not 1 <= step <= self.layout.answer_length(scale):
            raise InvalidOptionError(
                f"circuit {self.name!r} has no step {step} at scale {scale}: 1 to {self.layout.answer_length(scale)}.",
                hint="steps are the tokens of the answer, from 1.",
            )
        gate = self.wire(scale, step)
        check_gate(gate, self.operators, self.query(scale, step), f"circuit {self.name!r}, scale {scale}, step {step}")
        return gate

    def gates(self, max_scale: int) -> Iterator[tuple[int, int, Gate]]:
        """Yield (scale, step, gate) for every gate up to a scale."""
        for scale in range(1, max_scale + 1):
            for step in range(1, self.layout.answer_length(scale) + 1):
                yield scale, step, self.gate(scale, step)

    def run(self, scale: int, prompt: Tokens) -> tuple[str | None, ...]:
        """Return the answer that the circuit computes from its own tokens; None where a table has no row."""
        tokens: list[str | None] = list(prompt)
        for step in range(1, self.layout.answer_length(scale) + 1):
            gate = self.gate(scale, step)
            symbols = [tokens[place] for place in gate.operands]
            known = tuple(symbol for symbol in symbols if symbol is not None)
            tokens.append(self.operators[gate.operator](known) if len(known) == len(symbols) else None)
        return tuple(tokens[len(prompt) :])


def selecting_circuit(layout: Layout, note: str, source: Callable[[int, int], int]) -> Circuit:
    """Return the circuit that repeats one token at each step: ``source(n, t)`` is its position."""
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"same": Operator(name="same", arity=1, apply=lambda symbol: symbol)},
        wire=lambda scale, step: Gate(operator="same", operands=(source(scale, step),)),
        note=note,
    )


def check_gate(gate: Gate, operators: Mapping[str, Operator], query: int, where: str) -> None:
    """Raise an error for a gate without an operator, with too many or few operands, or with one that is not visible yet."""
    if gate.operator not in operators:
        raise InvalidOptionError(
            f"{where}: operator {gate.operator!r} is unknown. Known: {listed(operators)}.",
            hint="name an operator of the circuit.",
        )
    arity = operators[gate.operator].arity
    if len(gate.operands) != arity:
        raise InvalidOptionError(
            f"{where}: operator {gate.operator!r} has arity {arity}, but {len(gate.operands)} operands are wired.",
            hint=f"wire {arity} operands.",
        )
    for place in gate.operands:
        if not 0 <= place <= query:
            told = "reads the future: operand" if place > query else "reads before the start: operand"
            raise InvalidOptionError(
                f"{where}: operator {gate.operator!r} {told} {place}, but positions 0 to {query} are visible.",
                hint="wire only positions that stand before the token to compute.",
            )


def table(name: str, rows: Iterable[Row]) -> Operator:
    """Return the operator of a table; its arity is that of the rows."""
    told = tuple(rows)
    if not told:
        raise InvalidOptionError(f"operator {name!r} has an empty table.", hint="give it at least one row.")
    return Operator(name=name, arity=len(told[0][0]), table=told)


def ideal(circuit: Circuit, *, max_scale: int = COMPARED_SCALES) -> Relation:
    """Return the ideal relation of a circuit (IPE): the label of i at q is the set of operand slots that i holds there.

    Slots count from 1, and every other position has the empty set. When the wiring up to ``max_scale`` does not depend on the scale,
    nor does the label: it is that of any scale with a gate at q. Our reconstruction of arXiv 2510.04130.

    >>> from lengthwise.tasks.core.problems import find_circuit
    >>> relation = ideal(find_circuit("reverse"))
    >>> [sorted(relation(key, 5, 4)) for key in range(5)], relation.needs_scale
    ([[], [], [1], [], []], True)
    """
    scaled = needs_hint(circuit, max_scale=max_scale)
    shared = {} if scaled else _slots_by_query(circuit, max_scale)

    def label(key: int, query: int, scale: int) -> Hashable:
        if query in shared:
            return shared[query].get(key, frozenset())
        step = query - circuit.layout.prompt_length(scale) + 2
        if not 1 <= step <= circuit.layout.answer_length(scale):
            return frozenset()
        return slots(circuit.gate(scale, step)).get(key, frozenset())

    return Relation(
        name="ideal_scaled" if scaled else "ideal",
        formula=f"the operand slots of {circuit.name} that i holds at q",
        needs_scale=scaled,
        label=label,
    )


def ideal_labels(circuit: Circuit, max_scale: int) -> tuple[frozenset[int], ...]:
    """Return the labels of the ideal relation that visible positions carry at gates up to a scale, the empty set first."""
    labels = {held for *_, gate in circuit.gates(max_scale) for held in slots(gate).values()}
    others = any(
        len(slots(gate)) <= circuit.query(scale, step) for scale, step, gate in circuit.gates(max_scale)
    )  # a visible position that is no operand
    return tuple(sorted(labels | ({frozenset()} if others else set()), key=lambda label: (len(label), sorted(label))))


def slots(gate: Gate) -> dict[int, frozenset[int]]:
    """Return for each position that a gate reads the slots it holds, from 1."""
    held: dict[int, frozenset[int]] = {}
    for slot, place in enumerate(gate.operands, start=1):
        held[place] = held.get(place, frozenset()) | {slot}
    return held


def needs_hint(circuit: Circuit, *, max_scale: int = COMPARED_SCALES) -> bool:
    """Say whether the wiring as a function of key and query depends on the scale (fact T5): then no relation without n fits.

    Only queries at which both scales have a gate are compared: elsewhere nothing is read.
    """
    seen: dict[int, dict[int, frozenset[int]]] = {}
    return any(
        seen.setdefault(circuit.query(scale, step), slots(gate)) != slots(gate)
        for scale, step, gate in circuit.gates(min(max_scale, circuit.cap))
    )


def _slots_by_query(circuit: Circuit, max_scale: int) -> dict[int, dict[int, frozenset[int]]]:
    gates = circuit.gates(min(max_scale, circuit.cap))
    return {circuit.query(scale, step): slots(gate) for scale, step, gate in gates}


def _shown(symbols: Tokens, result: str) -> str:
    return f"{' '.join(symbols)} → {result}"
