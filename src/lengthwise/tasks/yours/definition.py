"""What a Python file says about its task: every name it may define, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ...crasp.kinds import require_meaning
from ...crasp.parser import parse_program
from ...errors import InvalidOptionError, LengthwiseError, UnknownSymbolError, did_you_mean
from ...files import read_text
from ...languages.dfa_algebra import over_alphabet
from ...theory.facts import Facts
from ..task import SEP
from .findings import Finding, check_symbols, error, is_too_long, mended_symbols, warning
from .programs import at_end_marker
from .source import load_module, revision_of

NEEDED = ("alphabet", "answer")
TEXTS = ("definition", "length_means", "language", "program")
NUMBERS = ("min_length", "max_length")
FUNCTIONS = ("sample", "is_valid", "answer_length")
KNOWN = (*NEEDED, "answer_alphabet", *TEXTS, *NUMBERS, *FUNCTIONS)
LONGEST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A task as a Python file defines it."""

    path: str
    alphabet: tuple[str, ...]
    """The symbols of prompts."""
    symbols: tuple[str, ...]
    """The symbols of prompts and answers."""
    answer: Callable[..., Any]
    definition: str
    length_means: str
    min_length: int
    max_length: int | None
    sample: Callable[..., Any] | None
    is_valid: Callable[..., Any] | None
    answer_length: Callable[..., Any] | None
    facts: Facts
    revision: int


def read_definition(path: str) -> tuple[Definition | None, list[Finding]]:
    """Return what a Python file defines and everything that is wrong with its names; raise if there is no file.

    Where the alphabet or a number is wrong, what can be made of it is returned all the same, so that the functions can be
    asked too; None where there is nothing to ask.
    """
    try:
        module, text = load_module(path)
    except InvalidOptionError as problem:
        return None, [error(problem.message, problem.hint)]
    names = vars(module)
    found = [*_missing(names), *_kinds(names), *_misspelled(names)]
    texts = [text]
    facts, wrong = _facts(names, Path(path).parent, texts)
    found += wrong
    alphabet = mended_symbols(names.get("alphabet"))
    if not alphabet or is_too_long(names.get("answer_alphabet")) or not callable(names.get("answer")):
        return None, found
    more = [each for each in mended_symbols(names.get("answer_alphabet", ())) if each not in alphabet]
    wrong_names = {name for name in (*TEXTS, *NUMBERS, *FUNCTIONS) if _kinds({name: names.get(name)})}
    names = {name: value for name, value in names.items() if name not in wrong_names}
    made = Definition(
        path=path,
        alphabet=alphabet,
        symbols=(*alphabet, *more),
        answer=names["answer"],
        definition=names.get("definition") or _first_line(module) or f"what answer() of {path} returns",
        length_means=names.get("length_means", "the number of symbols of the prompt"),
        min_length=names.get("min_length", 1),
        max_length=names.get("max_length"),
        sample=names.get("sample"),
        is_valid=names.get("is_valid"),
        answer_length=names.get("answer_length"),
        facts=facts,
        revision=revision_of(*texts),
    )
    return made, found


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().split("\n")[0].rstrip(".")


def _missing(names: dict[str, Any]) -> list[Finding]:
    examples = {"alphabet": 'alphabet = ["a", "b"]', "answer": "def answer(prompt): return prompt[:1]"}
    return [
        error(f"{name} is missing; a task needs {' and '.join(NEEDED)}.", f"define it, for example: {examples[name]}")
        for name in NEEDED
        if name not in names
    ]


def _kinds(names: dict[str, Any]) -> list[Finding]:
    """Return a finding for every name that stands for the wrong kind of thing."""
    found = []
    for name in ("alphabet", "answer_alphabet"):
        if name in names:
            found += check_symbols(name, names[name])
    for name in ("answer", *FUNCTIONS):
        if name in names and not callable(names[name]):
            found.append(error(f"{name} must be a function; found {names[name]!r}.", f"write: def {name}(…): …"))
    for name in TEXTS:
        if name in names and not (isinstance(names[name], str) and names[name].strip()):
            found.append(
                error(f"{name} must be a text; found {names[name]!r}.", "write it in quotes, or leave it out.")
            )
    low = 0
    for name in NUMBERS:
        if name not in names:
            continue
        if type(names[name]) is not int or not low <= names[name] <= LONGEST:
            found.append(
                error(
                    f"{name} must be a whole number from {low} to {LONGEST}; found {names[name]!r}.",
                    "correct it, or leave it out.",
                )
            )
        else:
            low = names[name]
    return found


def _misspelled(names: dict[str, Any]) -> list[Finding]:
    found = []
    for name in names:
        close = did_you_mean(name, KNOWN) if not name.startswith("_") and name not in KNOWN else None
        if close is not None and close not in names:
            found.append(
                warning(f"{name} means nothing to lengthwise, and is close to {close}.", f"did you mean {close!r}?")
            )
    return found


def _facts(names: dict[str, Any], folder: Path, texts: list[str]) -> tuple[Facts, list[Finding]]:
    """Return what theory may rest on; the text of a file that is named is added to the texts.

    Where the alphabet is wrong, what can be read without it is read all the same, for what is wrong with that.
    """
    names = {name: value for name, value in names.items() if name in KNOWN and not _kinds({name: value})}
    alphabet = tuple(names["alphabet"]) if "alphabet" in names else None
    if "language" in names and "program" in names:
        return Facts(), [
            error("language and program are both given; a verdict rests on one.", "leave one of them out.")
        ]
    if "language" in names and "is_valid" in names:
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
    from ..acceptance import read_language

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
