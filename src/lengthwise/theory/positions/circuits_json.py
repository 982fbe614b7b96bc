"""Circuits as JSON: the layout by name, the operators as tables, and a gate for every scale and step up to a scale.

``gates`` has one list for each scale from 1 on, and in it one ``[operator, [operand, …]]`` for each step. Reading checks everything
that :class:`Circuit` checks, with the place in the error. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

import json
from typing import Any

from ...errors import CapExceededError, InvalidOptionError
from .circuits import MAX_SCALE, Circuit, Gate, Operator, check_gate
from .layout import Layout
from .layouts import find_layout
from .reachability import first_met

FORMAT = "lengthwise circuit"
VERSION = 1
KEYS = ("format", "version", "name", "layout", "operators", "gates")


def circuit_to_json(circuit: Circuit, max_scale: int) -> str:
    """Return a circuit for scales 1 to ``max_scale``; the tables have the rows that instances of these scales meet."""
    rows: dict[str, list[list[str]]] = {name: [] for name in circuit.operators}
    for name, symbols in first_met(circuit, max_scale):
        result = circuit.operators[name](symbols)
        if result is not None:
            rows[name].append([*symbols, result])
    gates: list[list[Any]] = [[] for _ in range(max_scale)]
    for scale, _, gate in circuit.gates(max_scale):
        gates[scale - 1].append([gate.operator, list(gate.operands)])
    operators = {
        name: {"arity": circuit.operators[name].arity, "table": sorted(told)} for name, told in rows.items() if told
    }
    told = {"format": FORMAT, "version": VERSION, "name": circuit.name, "layout": circuit.layout.name}
    return json.dumps({**told, "operators": operators, "gates": gates}, ensure_ascii=False) + "\n"


def circuit_from_json(text: str, *, layout: Layout | None = None) -> Circuit:
    """Return the circuit that a JSON text describes; ``layout`` stands in for one that has no name of ours."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise InvalidOptionError(f"the circuit is not JSON: {wrong}.", hint="write it with circuit_to_json.") from None
    _check_keys(data)
    found = layout if layout is not None else find_layout(data["layout"])
    operators = {name: _read_operator(name, told) for name, told in data["operators"].items()}
    for operator in operators.values():
        _check_symbols(operator, found)
    gates = _read_gates(data["gates"], operators, found, data["name"])
    return Circuit(
        name=data["name"],
        layout=found,
        operators=operators,
        wire=lambda scale, step: gates[scale - 1][step - 1],
        max_scale=len(gates),
    )


def _check_keys(data: Any) -> None:
    kinds = {"name": str, "layout": str, "operators": dict, "gates": list}
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise InvalidOptionError(
            f"the JSON is not a circuit: it needs format {FORMAT!r} and version {VERSION}.",
            hint="write it with circuit_to_json.",
        )
    for key in KEYS:
        if key not in data or not isinstance(data[key], kinds.get(key, object)):
            raise InvalidOptionError(
                f"the circuit has no proper {key!r}. Needed: {', '.join(KEYS)}.", hint="write it with circuit_to_json."
            )
    unknown = sorted(set(data) - set(KEYS))
    if unknown:
        raise InvalidOptionError(
            f"the circuit has the unknown key {unknown[0]!r}. Known: {', '.join(KEYS)}.", hint="leave it out."
        )


def _read_operator(name: str, told: Any) -> Operator:
    if not isinstance(told, dict) or set(told) != {"arity", "table"} or type(told["arity"]) is not int:
        raise InvalidOptionError(
            f"operator {name!r} needs an arity and a table.", hint='as in {"arity": 1, "table": []}.'
        )
    rows = []
    for row in told["table"] if isinstance(told["table"], list) else [None]:
        if not isinstance(row, list) or len(row) < 2 or not all(isinstance(symbol, str) for symbol in row):
            raise InvalidOptionError(
                f"operator {name!r} has the row {row!r}: a row is a list of symbols, the last one the result.",
                hint='as in ["0", "1", "1"].',
            )
        rows.append((tuple(row[:-1]), row[-1]))
    return Operator(name=name, arity=told["arity"], table=tuple(rows))


def _check_symbols(operator: Operator, layout: Layout) -> None:
    for symbols, result in operator.table or ():
        for symbol in (*symbols, result):
            if symbol not in layout.alphabet:
                raise InvalidOptionError(
                    f"operator {operator.name!r} has the symbol {symbol!r}, which {layout.name} has not. "
                    f"Known: {' '.join(layout.alphabet)}.",
                    hint="use the symbols of the layout.",
                )


def _read_gates(told: list[Any], operators: dict[str, Operator], layout: Layout, name: str) -> list[list[Gate]]:
    cap = MAX_SCALE if layout.max_scale is None else min(MAX_SCALE, layout.max_scale)
    if not 1 <= len(told) <= cap:
        raise CapExceededError(
            f"circuit {name!r} has gates for {len(told)} scales: {layout.name} allows 1 to {cap}.",
            hint=f"write gates for scales 1 to at most {cap}.",
        )
    gates: list[list[Gate]] = []
    for scale, row in enumerate(told, start=1):
        steps = layout.answer_length(scale)
        if not isinstance(row, list) or len(row) != steps:
            seen = len(row) if isinstance(row, list) else row
            raise InvalidOptionError(
                f"circuit {name!r} has {seen!r} gates at scale {scale}, but the answer has {steps} tokens.",
                hint="write one gate for each token of the answer.",
            )
        gates.append(
            [_read_gate(gate, f"circuit {name!r}, scale {scale}, step {step + 1}") for step, gate in enumerate(row)]
        )
        for step, gate in enumerate(gates[-1], start=1):
            query = layout.prompt_length(scale) + step - 2
            check_gate(gate, operators, query, f"circuit {name!r}, scale {scale}, step {step}")
    return gates


def _read_gate(told: Any, where: str) -> Gate:
    proper = isinstance(told, list) and len(told) == 2 and isinstance(told[0], str) and isinstance(told[1], list)
    if not proper or not all(type(place) is int for place in told[1]):
        raise InvalidOptionError(
            f"{where}: a gate is an operator and the positions of its operands, not {told!r}.",
            hint='as in ["u", [0, 3]].',
        )
    return Gate(operator=told[0], operands=tuple(told[1]))
