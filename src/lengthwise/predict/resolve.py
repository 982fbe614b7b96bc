"""From what a user writes to facts: a name, a regular expression or a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..crasp.fragments import Readout
from ..crasp.kinds import require_meaning
from ..crasp.parser import read_program
from ..crasp.syntax import Program
from ..errors import InvalidOptionError, UnknownNameError, unknown_name
from ..languages.catalog import LANGUAGES, find_language
from ..languages.dfa import DFA
from ..languages.dfa_algebra import over_alphabet
from ..languages.dfa_files import read_dfa
from ..languages.regex import MAX_STATES, compile_regex
from ..tasks.calls import CALLS
from ..theory.claims import Asked
from ..theory.facts import Facts

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?")
_CALLS = tuple(f"{name}(" for name in CALLS)
_LITERAL_BRACES = re.compile(r"(?<!\\)\{[^{}]*,[^{}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked about: its text, how that was read, the facts, and the readout if the task fixes it."""

    what: str
    read_as: str  # "task", "language", "regex", "file" or "program"
    facts: Facts
    readout: Readout | None = None
    note: str = ""


def resolve(
    what: str,
    *,
    asked: Asked = Asked.MEMBERSHIP,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
    max_states: int = MAX_STATES,
) -> Question:
    """Return the facts about a name, an expression or a file.

    A bare identifier, with or without parameters in parentheses, is always a name, so that a misspelled name is an
    error and never a verdict about the word itself; ``regex=True`` reads it as an expression.
    """
    if max_states < 1:
        raise InvalidOptionError(f"max_states must be at least 1; found {max_states}.", hint="the default is 10000.")
    if not regex:
        named = _resolve_name(what.strip(), asked, alphabet)
        if named is not None:
            return named
        if what.lower().endswith(".crasp"):
            return _about_program(what, read_program(what), asked, alphabet)
        if what.lower().endswith(".json") or _is_file(what):
            language = _widened(read_dfa(what), alphabet)
            return Question(what=what, read_as="file", facts=Facts(language=language, asked=asked))
    language = compile_regex(what, alphabet=alphabet, max_states=max_states)
    return Question(what=what, read_as="regex", facts=Facts(language=language, asked=asked), note=_brace_note(what))


def is_name(what: str) -> bool:
    """Return whether a text is read as a name: of a task, a language or a program."""
    return what in LANGUAGES or _NAME.fullmatch(what) is not None or what.startswith(_CALLS) or is_task_file(what)


def is_task_file(what: str) -> bool:
    """Return whether a text names a file that is a task and nothing else: in Python, or of pairs."""
    return what.lower().endswith((".py", ".jsonl"))


def _resolve_name(what: str, asked: Asked, alphabet: Iterable[str] | None) -> Question | None:
    if not is_name(what):
        return None
    from ..tasks.catalog import (  # here, so that regular expressions need not wait for tasks
        find_named_task,
        find_task,
        task_names,
    )

    task = find_task(what) if is_task_file(what) else find_named_task(what, alphabet=alphabet)
    if task is not None:
        if alphabet is not None and not what.startswith(("states(", "accepts(")):
            raise InvalidOptionError(f"the task {what!r} has its own alphabet.", hint="leave --alphabet out.")
        if asked is not Asked.MEMBERSHIP:
            raise InvalidOptionError(f"the task {what!r} says itself what is asked.", hint="leave --asked out.")
        return Question(what=what, read_as="task", facts=task.facts, readout=task.objective.readout)
    try:
        language = find_language(what).language
    except UnknownNameError:
        program = _find_program(what)
        if program is not None:
            return _about_program(what, program, asked, alphabet)
        error = unknown_name("task or language", what, [*LANGUAGES, *task_names()])
        if not error.hint.startswith("did you mean"):
            error.hint = f"see 'lengthwise list languages', or write '({what})' for the regular expression."
        raise error from None
    return Question(what=what, read_as="language", facts=Facts(language=_widened(language, alphabet), asked=asked))


def _find_program(what: str) -> Program | None:
    from ..crasp.programs.catalog import find_program

    try:
        return find_program(what).program
    except UnknownNameError:
        return None


def _is_file(what: str) -> bool:
    try:
        return bool(Path(what).suffix) and Path(what).is_file()
    except OSError:  # an expression can be too long for the name of a file
        return False


def _widened(language: DFA, alphabet: Iterable[str] | None) -> DFA:
    return language if alphabet is None else over_alphabet(language, alphabet)


def _about_program(what: str, program: Program, asked: Asked, alphabet: Iterable[str] | None) -> Question:
    require_meaning(program)
    for given, option in ((alphabet is not None, "--alphabet"), (asked is not Asked.MEMBERSHIP, "--asked")):
        if given:
            raise InvalidOptionError(
                f"the program {what!r} has its own alphabet and says itself what is asked.", hint=f"leave {option} out."
            )
    readout = None if program.is_generator else program.readout
    return Question(what=what, read_as="program", facts=Facts(program=program), readout=readout)


def _brace_note(what: str) -> str:
    """Return a word of warning where braces were read as symbols but look like a set of symbols."""
    for braces in _LITERAL_BRACES.findall(what):
        inside = braces[1:-1].split(",")
        is_count = len(inside) == 2 and inside[0].isdigit() and (inside[1].isdigit() or not inside[1])
        if not is_count and all(len(symbol) == 1 for symbol in inside):
            return f"the braces of {braces} were read as symbols; for one of several symbols write [{''.join(inside)}]."
    return ""
