"""Files as tasks: an automaton, a C-RASP program, a Python file, or pairs of prompt and answer."""

from __future__ import annotations

from collections.abc import Iterable

from ...crasp.parser import parse_program
from ...errors import InvalidOptionError
from ...files import parse_json, read_text
from ...languages.dfa_algebra import over_alphabet
from ...languages.dfa_files import dfa_from_json
from ..core.task import Task
from ..languages.regular import NextSymbols
from .findings import check_reserved, require_none
from .source import read_source, revision_of


def read_task_file(path: str, alphabet: Iterable[str] | None = None) -> Task:
    """Return the task of a file; its name is the path as written, its revision changes with the content."""
    kind = path.lower().rpartition(".")[2]
    if kind == "json":
        return _automaton_task(path, alphabet)
    if alphabet is not None:
        raise InvalidOptionError(f"the task {path!r} has its own alphabet.", hint="leave --alphabet out.")
    if kind == "crasp":
        return _program_task(path)
    if kind == "jsonl":
        from .pairs import read_pairs_task

        return read_pairs_task(path)
    from .python_task import read_python_task

    return read_python_task(path)


def _automaton_task(path: str, alphabet: Iterable[str] | None) -> Task:
    text = read_text(path)
    language = dfa_from_json(parse_json(text, repr(path)))
    if alphabet is not None:
        language = over_alphabet(language, alphabet)
    require_none(check_reserved("the alphabet", language.alphabet), path)
    task = NextSymbols(language, path)
    task.revision = revision_of(text)
    return task


def _program_task(path: str) -> Task:
    from .programs import ProgramTask

    text = read_source(path)
    program = parse_program(text)
    require_none(check_reserved("the alphabet", program.alphabet), path)
    task = ProgramTask(program, path)
    task.revision = revision_of(text)
    return task
