"""Automata as JSON files.

::

    {
      "alphabet": ["a", "b"],
      "initial": "even",
      "accepting": ["even"],
      "transitions": {"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}}
    }

State names are free. Every state needs one transition per symbol.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import CapExceededError, InvalidAutomatonError, did_you_mean
from ..files import read_json, write_text
from .alphabet import make_alphabet
from .dfa import DFA

MAX_STATES = 20_000
MAX_SYMBOLS = 1_000
MAX_TRANSITIONS = 400_000
"""What a file may have: so much is read, minimized and drawn within about two seconds of CPU time."""

_FIELDS = ("alphabet", "initial", "accepting", "transitions")


def read_dfa(path: str | Path) -> DFA:
    """Return the language of an automaton file."""
    return dfa_from_json(read_json(path))


def write_dfa(language: DFA, path: str | Path) -> None:
    """Write a language as an automaton file."""
    write_text(path, json.dumps(dfa_to_json(language), indent=2, ensure_ascii=False) + "\n")


def dfa_to_json(language: DFA) -> dict[str, object]:
    """Return a language as the data of an automaton file."""
    return {
        "alphabet": list(language.alphabet),
        "initial": "0",
        "accepting": [str(state) for state in sorted(language.accepting)],
        "transitions": {
            str(state): {symbol: str(target) for symbol, target in zip(language.alphabet, row, strict=True)}
            for state, row in enumerate(language.transitions)
        },
    }


def dfa_from_json(data: object) -> DFA:
    """Return the language of an automaton file's data."""
    fields = _read_fields(data)
    _require_size(len(fields["transitions"]), len(fields["alphabet"]))
    alphabet = make_alphabet(fields["alphabet"])
    table = fields["transitions"]
    numbers = {name: number for number, name in enumerate(table)}

    def number(name: object, what: str) -> int:
        if not isinstance(name, str) or name not in numbers:
            raise InvalidAutomatonError(
                f"{what} is {name!r}, which is not a state. States: {_some(list(numbers))}.",
                hint='name a state that "transitions" has.',
            )
        return numbers[name]

    rows = []
    for state, targets in table.items():
        _check_row(state, targets, alphabet)
        rows.append(
            [number(targets[symbol], f"the target of state {state!r} on symbol {symbol!r}") for symbol in alphabet]
        )
    return DFA(
        alphabet=alphabet,
        transitions=rows,
        accepting=[number(name, "an accepting state") for name in fields["accepting"]],
        initial=number(fields["initial"], "the initial state"),
    )


def _require_size(num_states: int, num_symbols: int) -> None:
    for number, most, what in (
        (num_states, MAX_STATES, "states"),
        (num_symbols, MAX_SYMBOLS, "symbols"),
        (num_states * num_symbols, MAX_TRANSITIONS, "transitions"),
    ):
        if number > most:
            raise CapExceededError(
                f"the automaton has {number:,} {what}; a file may have up to {most:,}, the cap.",
                hint="leave out what no word reaches, or build a smaller automaton of the same kind.",
            )


def _read_fields(data: object) -> Mapping[str, Any]:
    expected = {"alphabet": list, "initial": str, "accepting": list, "transitions": dict}
    if not isinstance(data, dict):
        raise InvalidAutomatonError(
            f"an automaton file holds an object; found {type(data).__name__}.",
            hint=f"give it the fields {', '.join(_FIELDS)}.",
        )
    for field in data:
        if field not in expected:
            suggestion = did_you_mean(str(field), _FIELDS)
            raise InvalidAutomatonError(
                f"field {field!r} is unknown in an automaton file. Known: {', '.join(_FIELDS)}.",
                hint=f"did you mean {suggestion!r}?" if suggestion else "remove it.",
            )
    for field, kind in expected.items():
        if field not in data:
            raise InvalidAutomatonError(
                f"field {field!r} is missing.", hint=f"an automaton file needs {', '.join(_FIELDS)}."
            )
        if not isinstance(data[field], kind):
            raise InvalidAutomatonError(
                f"field {field!r} must be a {_KIND_NAMES[kind]}; found {data[field]!r}.",
                hint="see docs/reference/files.md.",
            )
    return data


_KIND_NAMES = {list: "list", str: "string", dict: "table of states"}


def _check_row(state: str, targets: object, alphabet: tuple[str, ...]) -> None:
    if not isinstance(targets, dict):
        raise InvalidAutomatonError(
            f"the transitions of state {state!r} must be a table of symbols; found {targets!r}.",
            hint="see docs/reference/files.md.",
        )
    known = set(alphabet)
    for symbol in targets:
        if symbol not in known:
            raise InvalidAutomatonError(
                f"state {state!r} has a transition on {symbol!r}, which is not in the alphabet {{{', '.join(alphabet)}}}.",
                hint='add the symbol to "alphabet", or remove the transition.',
            )
    for symbol in alphabet:
        if symbol not in targets:
            raise InvalidAutomatonError(
                f"state {state!r} has no transition on symbol {symbol!r}.",
                hint="give every state one transition per symbol; let dead ends lead to a rejecting sink.",
            )


def _some(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "") or "none"
