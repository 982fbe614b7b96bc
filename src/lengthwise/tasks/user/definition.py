"""What a Python file says about its task, once its process has told the names that it defines."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...crasp.kinds import require_meaning
from ...crasp.parser import parse_program
from ...crasp.severity import Severity
from ...errors import InvalidOptionError, LengthwiseError, UnknownSymbolError
from ...files import read_text
from ...languages.dfa_algebra import over_alphabet
from ...theory.facts import Facts
from ..core.task import SEP
from .findings import Finding, error
from .programs import at_end_marker
from .source import revision_of
from .task_process import TaskProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A task as a Python file defines it."""

    path: str
    alphabet: tuple[str, ...]
    """The symbols of prompts."""
    symbols: tuple[str, ...]
    """The symbols of prompts and answers."""
    definition: str
    length_means: str
    min_length: int
    max_length: int | None
    functions: frozenset[str]
    """The names of the functions that the file has: answer, and others that may be left out."""
    facts: Facts
    revision: int


def read_definition(process: TaskProcess) -> tuple[Definition | None, list[Finding]]:
    """Return what a Python file defines and everything that is wrong with its names.

    Where the alphabet or a number is wrong, what can be made of it is returned all the same, so that the functions can be
    asked too; None where there is nothing to ask.
    """
    try:
        told = process.define()
    except InvalidOptionError as problem:
        return None, [error(problem.message, problem.hint)]
    names = told["names"]
    found = [
        Finding(severity=Severity(each["severity"]), what=each["what"], hint=each["hint"]) for each in told["findings"]
    ]
    texts = [process.text]
    facts, wrong = _facts(names, Path(process.path).parent, texts)
    found += wrong
    if not names["alphabet"]:
        return None, found
    made = Definition(
        path=process.path,
        alphabet=tuple(names["alphabet"]),
        symbols=tuple(names["symbols"]),
        definition=names.get("definition") or names["first_line"] or f"what answer() of {process.path} returns",
        length_means=names.get("length_means", "the number of symbols of the prompt"),
        min_length=names.get("min_length", 1),
        max_length=names.get("max_length"),
        functions=frozenset(names["functions"]),
        facts=facts,
        revision=revision_of(*texts),
    )
    return made, found


def _facts(names: dict[str, Any], folder: Path, texts: list[str]) -> tuple[Facts, list[Finding]]:
    """Return what theory may rest on; the text of a file that is named is added to the texts.

    Where the alphabet is wrong, what can be read without it is read all the same, for what is wrong with that.
    """
    alphabet = tuple(names["alphabet"]) if names["is_alphabet_right"] else None
    if "language" in names and "program" in names:
        return Facts(), [
            error("language and program are both given; a verdict rests on one.", "leave one of them out.")
        ]
    if "language" in names and "is_valid" in names["functions"]:
        return Facts(), [
            error(
                "language speaks of all words, and is_valid leaves some out, so that a NO would not follow.",
                "leave one of them out, or give a program, from which only a YES can follow.",
            )
        ]
    try:
        if "language" in names:
            return _language_facts(names["language"], alphabet, folder, texts), []
        if "program" in names:
            return _program_facts(names["program"], alphabet, folder, texts)
    except LengthwiseError as problem:
        name = "language" if "language" in names else "program"
        return Facts(), [error(f"the {name} cannot be used: {problem.message}", problem.hint)]
    return Facts(), []


def _language_facts(text: str, alphabet: tuple[str, ...] | None, folder: Path, texts: list[str]) -> Facts:
    from ..languages.acceptance import read_language

    if text.lower().endswith(".json"):
        texts.append(read_text(folder / text))
        text = str(folder / text)
    if alphabet is not None:
        return Facts(language=over_alphabet(read_language(text, alphabet), alphabet))
    with suppress(UnknownSymbolError):  # symbols are guessed, for a look at the syntax
        read_language(text, None if text.lower().endswith(".json") else sorted(set(text)))
    return Facts()


def _program_facts(
    text: str, alphabet: tuple[str, ...] | None, folder: Path, texts: list[str]
) -> tuple[Facts, list[Finding]]:
    if text.lower().endswith(".crasp"):
        text = read_text(folder / text)
        texts.append(text)
    program = parse_program(text)
    require_meaning(program)
    if alphabet is None:
        return Facts(), []
    expected = set(alphabet)
    if program.is_generator:
        foreign = list(expected - set(program.alphabet)) + ([] if SEP in program.alphabet else [SEP])
        if foreign:
            return Facts(), [
                error(
                    f"the program lacks the symbol {sorted(foreign)[0]!r}; it must know all of the prompt and {SEP}.",
                    f"it goes on after the prompt and {SEP}: name all symbols in its line 'alphabet'.",
                )
            ]
        return Facts(program=program), []
    if set(program.alphabet) != expected:
        return Facts(), [
            error(
                f"the program is over {{{', '.join(program.alphabet)}}}, prompts are over {{{', '.join(alphabet)}}}; "
                "they must have the same symbols.",
                "correct its line 'alphabet'.",
            )
        ]
    return Facts(program=at_end_marker(program)), []
