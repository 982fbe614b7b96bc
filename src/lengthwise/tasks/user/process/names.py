"""The names that a user's file defines, as plain data, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import did_you_mean
from ..findings import Finding, check_symbols, error, is_too_long, mended_symbols, warning
from ..source import brief

NEEDED = ("alphabet", "answer")
TEXTS = ("definition", "length_means", "language", "program")
NUMBERS = ("min_length", "max_length")
FUNCTIONS = ("sample", "is_valid", "answer_length")
KNOWN = (*NEEDED, "answer_alphabet", *TEXTS, *NUMBERS, *FUNCTIONS)
LONGEST = 100_000
"""The largest length, and the most characters of a text."""


def find_functions(names: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions that can be called, by name."""
    return {name: names[name] for name in ("answer", *FUNCTIONS) if callable(names.get(name))}


def plain_names(names: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a file as JSON data: its names of the right kind, and the alphabet without what is wrong.

    The alphabet of prompts is empty where there is nothing to ask.
    """
    right = {name: value for name, value in names.items() if name in KNOWN and not wrong_kinds({name: value})}
    alphabet = mended_symbols(names.get("alphabet"))
    if is_too_long(names.get("answer_alphabet")) or not callable(names.get("answer")):
        alphabet = ()
    more = [each for each in mended_symbols(names.get("answer_alphabet", ())) if each not in alphabet]
    docstring = names.get("__doc__")
    first_line = docstring.strip()[:1000].split("\n")[0].rstrip(".") if isinstance(docstring, str) else ""
    return {
        "alphabet": list(alphabet),
        "symbols": [*alphabet, *more],
        "is_alphabet_right": "alphabet" in right,
        "first_line": first_line,
        "functions": sorted(find_functions(names)),
        **{name: right[name] for name in (*TEXTS, *NUMBERS) if name in right},
    }


def find_problems(names: dict[str, Any]) -> list[Finding]:
    """Return a finding for every name that is missing, stands for the wrong kind of thing, or is close to a known one."""
    return [*_missing(names), *wrong_kinds(names), *_misspelled(names)]


def _missing(names: dict[str, Any]) -> list[Finding]:
    examples = {"alphabet": 'alphabet = ["a", "b"]', "answer": "def answer(prompt): return prompt[:1]"}
    return [
        error(f"{name} is missing; a task needs {' and '.join(NEEDED)}.", f"define it, for example: {examples[name]}")
        for name in NEEDED
        if name not in names
    ]


def wrong_kinds(names: dict[str, Any]) -> list[Finding]:
    """Return a finding for every name that stands for the wrong kind of thing."""
    found = []
    for name in ("alphabet", "answer_alphabet"):
        if name in names:
            found += check_symbols(name, names[name])
    for name in ("answer", *FUNCTIONS):
        if name in names and not callable(names[name]):
            found.append(error(f"{name} must be a function; found {brief(names[name])}.", f"write: def {name}(…): …"))
    for name in TEXTS:
        if name in names:
            found += _check_text(name, names[name])
    low = 0
    for name in NUMBERS:
        if name not in names:
            continue
        if type(names[name]) is not int or not low <= names[name] <= LONGEST:
            found.append(
                error(
                    f"{name} must be a whole number from {low} to {LONGEST}; found {brief(names[name])}.",
                    "correct it, or leave it out.",
                )
            )
        else:
            low = names[name]
    return found


def _check_text(name: str, given: object) -> list[Finding]:
    if not (isinstance(given, str) and given.strip()):
        return [error(f"{name} must be a text; found {brief(given)}.", "write it in quotes, or leave it out.")]
    if len(given) > LONGEST:
        return [error(f"{name} has {len(given)} characters; at most {LONGEST} are allowed.", "write less.")]
    return []


def _misspelled(names: dict[str, Any]) -> list[Finding]:
    found = []
    for name in names:
        close = did_you_mean(name, KNOWN) if not name.startswith("_") and name not in KNOWN else None
        if close is not None and close not in names:
            found.append(
                warning(f"{name} means nothing to lengthwise, and is close to {close}.", f"did you mean {close!r}?")
            )
    return found
