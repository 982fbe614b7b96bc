"""Everything that is wrong with an automaton file."""

from __future__ import annotations

from typing import Any

from ...errors import LengthwiseError, did_you_mean
from ...files import read_json
from ...languages.dfa_algebra import shortest_word
from ...languages.dfa_files import dfa_from_json
from .findings import Finding, check_symbols, counted, error, errors_of, note, warning

FIELDS = {"alphabet": list, "initial": str, "accepting": list, "transitions": dict}
_KINDS = {list: "a list", str: "a string", dict: "a table of states"}


def is_automaton(data: object) -> bool:
    """Return whether JSON data is meant as an automaton: most fields of one are there."""
    return isinstance(data, dict) and len(FIELDS.keys() & data.keys()) >= 2


def check_automaton(path: str) -> list[Finding]:
    """Return everything there is to say about an automaton file."""
    data = read_json(path)
    found = _check_fields(data)
    if not errors_of(found):
        found += _check_table(data)
    if errors_of(found):
        return found
    try:
        language = dfa_from_json(data)
    except LengthwiseError as problem:
        return [*found, error(problem.message, problem.hint)]
    reached, waiting = {data["initial"]}, [data["initial"]]
    while waiting:
        for target in data["transitions"][waiting.pop()].values():
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    found += [
        warning(f"no word leads to state {state!r}.", "remove it, or check the transitions.")
        for state in data["transitions"]
        if state not in reached
    ]
    if shortest_word(language) is None:
        found.append(error("no word leads to an accepting state: the language is empty.", 'check "accepting".'))
    elif shortest_word(~language) is None:
        found.append(warning("every word is accepted: there is nothing to learn.", 'check "accepting".'))
    needed = f"{counted(language.num_states, 'state')} {'is' if language.num_states == 1 else 'are'} needed"
    found.append(note(f"{counted(len(language.alphabet), 'symbol')}; {needed}."))
    return found


def _check_fields(data: object) -> list[Finding]:
    if not isinstance(data, dict):
        return [
            error(f"found {data!r}; an automaton file holds an object.", f"give it the fields {', '.join(FIELDS)}.")
        ]
    found = []
    for field in data:
        if field not in FIELDS:
            close = did_you_mean(field, FIELDS)
            hint = f"did you mean {close!r}?" if close else "remove it."
            found.append(error(f"field {field!r} is unknown. Known: {', '.join(FIELDS)}.", hint))
    for field, kind in FIELDS.items():
        if field not in data:
            found.append(error(f"field {field!r} is missing.", f"an automaton file needs {', '.join(FIELDS)}."))
        elif not isinstance(data[field], kind):
            found.append(error(f"field {field!r} must be {_KINDS[kind]}; found {data[field]!r}.", "correct it."))
    return found


def _check_table(data: dict[str, Any]) -> list[Finding]:
    """Return what is wrong with the symbols, the states and the transitions."""
    found = check_symbols("alphabet", data["alphabet"])
    alphabet = dict.fromkeys(each for each in data["alphabet"] if isinstance(each, str))
    states = data["transitions"]
    known = ", ".join(list(states)[:12]) + (", …" if len(states) > 12 else "") or "none"
    named = [("the initial state", data["initial"]), *(("an accepting state", each) for each in data["accepting"])]
    for state, row in states.items():
        if not isinstance(row, dict):
            found.append(
                error(f"the transitions of state {state!r} must be a table of symbols; found {row!r}.", "correct it.")
            )
            continue
        found += [
            error(
                f"state {state!r} has no transition on symbol {symbol!r}.",
                "give every state one transition per symbol.",
            )
            for symbol in alphabet
            if symbol not in row
        ]
        found += [
            error(
                f"state {state!r} has a transition on {symbol!r}, which is not in the alphabet.",
                "add the symbol to it, or remove the transition.",
            )
            for symbol in row
            if symbol not in alphabet
        ]
        named += [(f"the target of state {state!r} on symbol {symbol!r}", target) for symbol, target in row.items()]
    found += [
        error(f"{what} is {name!r}, which is not a state. States: {known}.", 'name a state that "transitions" has.')
        for what, name in named
        if not isinstance(name, str) or name not in states
    ]
    return found
