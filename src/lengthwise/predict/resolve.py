"""From what a user writes to facts: a name, a regular expression or a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..crasp.fragments import Readout
from ..errors import InvalidOptionError, UnknownNameError, listed, unknown_name
from ..languages.catalog import LANGUAGES, find_language
from ..languages.dfa import DFA
from ..languages.regex import MAX_STATES, compile_regex
from ..names import is_plain_name
from ..theory.claims import Asked, as_asked
from ..theory.facts import Facts

if TYPE_CHECKING:
    from ..crasp.syntax import Program

MOST_STATES = 1_000_000  # a larger cap would be none: such an automaton fills the memory

_LITERAL_BRACES = re.compile(r"(?<!\\)\{[^{}]*,[^{}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked about: its text, how that was read, the facts, and the readout if the task fixes it."""

    what: str
    read_as: str  # "task", "language", "regex", "file" or "program"
    facts: Facts
    readout: Readout | None = None
    note: str = ""
    task: str = ""
    """The full name of the task, where the question is one."""


def resolve(
    what: str,
    *,
    asked: str = Asked.MEMBERSHIP,
    alphabet: Iterable[str] | None = None,
    regex: bool = False,
    max_states: int = MAX_STATES,
) -> Question:
    """Return the facts about a name, an expression or a file.

    A bare identifier, with or without parameters in parentheses, is always a name, so that a misspelled name is an
    error and never a verdict about the word itself; ``regex=True`` reads it as an expression.
    """
    asked = as_asked(asked)
    if not isinstance(what, str):
        raise InvalidOptionError(
            f"a question is a text; found {what!r}.", hint="give a name, a regular expression or the path of a file."
        )
    if not 1 <= max_states <= MOST_STATES:
        raise InvalidOptionError(
            f"max_states must be from 1 to {MOST_STATES:,}; found {max_states}.", hint="the default is 10000."
        )
    if not regex:
        named = _resolve_name(what.strip(), asked, alphabet)
        if named is not None:
            return named
        if what.lower().endswith(".crasp"):
            from ..crasp.parser import read_program

            return _about_program(what, read_program(what), asked, alphabet)
        if what.lower().endswith(".json") or _is_file(what):
            from ..languages.dfa_files import read_dfa

            language = _widened(read_dfa(what), alphabet)
            return Question(what=what, read_as="file", facts=Facts(language=language, asked=asked))
    language = compile_regex(what, alphabet=alphabet, max_states=max_states)
    return Question(what=what, read_as="regex", facts=Facts(language=language, asked=asked), note=_brace_note(what))


def is_name(what: str) -> bool:
    """Return whether a text is read as a name: of a task, a language or a program."""
    return what in LANGUAGES or is_plain_name(what) or _is_call(what) or is_task_file(what)


def _is_call(what: str) -> bool:
    """Return whether a text begins like a task made of a language or of another task: ``states((ab)*)``."""
    name, bracket, _ = what.partition("(")
    if not bracket or not name.isidentifier():
        return False
    from ..tasks.core.calls import CALLS

    return name in CALLS


def is_task_file(what: str) -> bool:
    """Return whether a text names a file that is a task and nothing else: in Python, or of pairs."""
    return what.lower().endswith((".py", ".jsonl"))


def _resolve_name(what: str, asked: Asked, alphabet: Iterable[str] | None) -> Question | None:
    if not is_name(what):
        return None
    from ..tasks.core.catalog import (  # here, so that regular expressions need not wait for tasks
        find_named_task,
        find_task,
        task_names,
    )

    task = find_task(what) if is_task_file(what) else find_named_task(what, alphabet=alphabet)
    if task is not None:
        if alphabet is not None and not what.startswith(("states(", "accepts(")):
            raise InvalidOptionError(f"the task {what!r} has its own alphabet.", hint="leave --alphabet out.")
        if asked is not Asked.MEMBERSHIP:
            raise InvalidOptionError(f"the task {what!r} fixes its own question.", hint="leave --asked out.")
        return Question(what=what, read_as="task", facts=task.facts, readout=task.objective.readout, task=task.name)
    try:
        language = find_language(what).language
    except UnknownNameError:
        program = _find_program(what)
        if program is not None:
            return _about_program(what, program, asked, alphabet)
        error = unknown_name("task or language", what, [*LANGUAGES, *task_names()])
        if not error.hint.startswith("did you mean"):
            similar = [name for name in [*LANGUAGES, *task_names()] if what.casefold() in name.casefold()]
            seen = f"names that contain it: {listed(similar)}" if similar else "see 'lengthwise list languages'"
            hint = f"{seen}; or write '({what})' for the regular expression."
            error = UnknownNameError(error.message, hint=hint)
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
        return bool(os.path.splitext(what)[1]) and os.path.isfile(what)
    except OSError:  # an expression can be too long for the name of a file
        return False


def _widened(language: DFA, alphabet: Iterable[str] | None) -> DFA:
    if alphabet is None:
        return language
    from ..languages.dfa_algebra import over_alphabet

    return over_alphabet(language, alphabet)


def _about_program(what: str, program: Program, asked: Asked, alphabet: Iterable[str] | None) -> Question:
    from ..crasp.kinds import require_meaning

    require_meaning(program)
    for given, option in ((alphabet is not None, "--alphabet"), (asked is not Asked.MEMBERSHIP, "--asked")):
        if given:
            raise InvalidOptionError(
                f"the program {what!r} has its own alphabet and fixes its own question.", hint=f"leave {option} out."
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
