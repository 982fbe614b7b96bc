"""Proper inputs by grammar: regular expressions, C-RASP programs, automata, specs and names, small most of the time."""

from __future__ import annotations

import json
from random import Random
from typing import Any

SYMBOLS = ("a", "b", "ab", "abc", "01")


def regex(rng: Random, depth: int, alphabet: str) -> str:
    """Return a regular expression with every operator of the syntax."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(
            (*alphabet * 3, "()", f"[{alphabet}]", ".", f"[^{alphabet[0]}]", f"<{alphabet}>", "\\*", "[a-c]")
        )

    def part() -> str:
        return regex(rng, depth - 1, alphabet)

    kind = rng.randrange(14)
    if kind <= 4:
        return part() + part()
    if kind <= 6:
        return f"({part()}|{part()})"
    if kind <= 10:
        low = rng.randrange(5)
        sign = rng.choice(
            ("*", "*", "*", "+", "?", "^R", f"{{{low}}}", f"{{{low},}}", f"{{{low},{low + rng.randrange(4)}}}")
        )
        return f"({part()}){sign}"
    return f"({rng.choice(('~({})', '({})&({})', '({})/({})', '({})//({})')).format(part(), part())})"


def program(rng: Random, alphabet: str) -> str:
    """Return the text of a C-RASP program, of which most have a meaning."""
    truths: list[str] = []
    counts: list[str] = []

    def truth(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            modulus = rng.randint(1, 4)
            return rng.choice(
                (
                    *(f"'{each}'" for each in alphabet * 2),
                    f"pos % {modulus} = {rng.randrange(modulus)}",
                    "true",
                    *truths,
                )
            )
        kind = rng.randrange(5)
        if kind == 0:
            return f"not ({truth(depth - 1)})"
        if kind == 1:
            return f"({truth(depth - 1)} {rng.choice(('and', 'or'))} {truth(depth - 1)})"
        return f"({count(depth - 1)} {rng.choice(('=', '!=', '<', '<=', '>', '>='))} {count(depth - 1)})"

    def count(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return rng.choice((str(rng.randint(0, 4)), f"#['{rng.choice(alphabet)}']", *counts))
        kind = rng.randrange(6)
        if kind <= 2:
            return f"#{rng.choice(('', '', '<', '{0}', '{1..3}', '{1,4}'))}[{truth(depth - 1)}]"
        if kind == 3:
            return f"(if {truth(depth - 1)} then {count(depth - 1)} else {count(depth - 1)})"
        return f"({rng.choice(('', '2*', '-', '-3*'))}{count(0)} {rng.choice('+-')} {count(depth - 1)})"

    lines = [" ".join(["alphabet", *(f"'{each}'" for each in alphabet)])]
    lines += rng.choice(([], [], ["start '$'"], ["read at end"], ["read at last"], ["stop '.'"]))
    for number in range(rng.randrange(4)):
        if rng.random() < 0.5:
            lines.append(f"t{number} := {truth(2)}")
            truths.append(f"t{number}")
        else:
            lines.append(f"n{number} := {count(2)}")
            counts.append(f"n{number}")
    if rng.random() < 0.2:
        lines += [f"next '{each}' := {truth(2)}" for each in alphabet]
    else:
        lines.append(f"accept := {truth(3)}")
    return rng.choice(("\n", "\n", "  ")).join(lines)


def automaton(rng: Random) -> dict[str, Any]:
    """Return the data of an automaton file."""
    alphabet = list(rng.choice(SYMBOLS)) if rng.random() < 0.9 else ["open", "close"]
    states = [str(number) for number in range(rng.choice((1, 2, 2, 3, 4, 6, 12)))]
    return {
        "alphabet": alphabet,
        "initial": rng.choice(states),
        "accepting": [state for state in states if rng.random() < 0.4],
        "transitions": {state: {symbol: rng.choice(states) for symbol in alphabet} for state in states},
    }


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it; what TOML has no word for becomes a text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return {"nan": "nan", "inf": "inf", "-inf": "-inf"}.get(repr(value), repr(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_text(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    return _toml_text(str(value))


def _toml_text(text: str) -> str:
    proper = text.encode("utf-8", "replace").decode()
    return json.dumps(proper, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml(data: dict[str, Any]) -> str:
    """Return the data of a spec as TOML text."""
    plain = {key: value for key, value in data.items() if not isinstance(value, dict)}
    lines = [f"{_toml_text(key)} = {toml_value(value)}" for key, value in plain.items()]
    for name, table in data.items():
        if isinstance(table, dict):
            lines += [
                f"[{_toml_text(name)}]",
                *(f"{_toml_text(key)} = {toml_value(value)}" for key, value in table.items()),
            ]
    return "\n".join(lines) + "\n"


def spec(rng: Random, tasks: list[str], encodings: list[str]) -> dict[str, Any]:
    """Return the data of a spec, with most keys left out."""
    length = rng.choice((1, 4, 8, 10, 20))
    every: dict[str, Any] = {
        "version": 1,
        "encodings": rng.sample(encodings, rng.randint(1, 3)),
        "seeds": rng.choice((1, 2, 3, 5)),
        "train_length": length,
        "test_length": rng.choice((3 * length, [length + 1, 2 * length + 2, 100])),
        "learning_rate": rng.choice((0.001, [0.001, 0.003])),
        "hard": rng.random() < 0.5,
        "model": {"layers": rng.randint(1, 3), "heads": 2, "width": rng.choice((16, [8, 16])), "tied": rng.random() < 0.2, "no_bos": False},
        "training": {"steps": 100, "batch": 32, "warmup": 10, "weight_decay": 0.1, "clip": 1.0, "evaluate_every": 10,
                     "examples": 64, "stop_early": True, "penalties": {"value_norm": 0.001}},
    }  # fmt: skip
    chosen = {"tasks": rng.sample(tasks, rng.randint(1, 2))}
    return chosen | {key: value for key, value in every.items() if rng.random() < 0.4}
