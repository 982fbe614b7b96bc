"""Formats by name: ``index_hints(answer_reversed(addition), 40)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...errors import InvalidOptionError, lookup
from ...names import Parameter, Value
from ..core.task import AnswerTask, Objective, Task
from .aligned import WIDTH, Aligned
from .formatted import Formatted
from .index_hints import HINTS, IndexHints
from .padded import Padded
from .reversals import AnswerReversed, PromptReversed
from .spaced import Spaced
from .traces import trace_of


class Format(NamedTuple):
    """What makes a formatted task, and the number that it takes behind the task."""

    make: Callable[..., Formatted]
    parameter: Parameter | None = None


FORMATS = {
    "prompt_reversed": Format(PromptReversed),
    "answer_reversed": Format(AnswerReversed),
    "padded": Format(Padded),
    "aligned": Format(Aligned, WIDTH),
    "index_hints": Format(IndexHints, HINTS),
    "spaced": Format(Spaced),
}
FORMAT_NAMES: tuple[str, ...] = (*FORMATS, "scratchpad")


def read_format(name: str, arguments: list[str]) -> Task:
    """Return the task whose format is written like this; the first argument is the task inside.

    >>> read_format("answer_reversed", ["addition"]).answer(list("11+1="))
    ['0', '0', '1']
    """
    from ..core.catalog import find_task

    parameter = None if name == "scratchpad" else lookup("format", name, FORMATS).parameter
    most = 1 if parameter is None else 2
    if not 1 <= len(arguments) <= most or not all(arguments):
        takes = "a task" if parameter is None else f"a task and {parameter.meaning}"
        found = ", ".join(map(repr, arguments)) if any(arguments) else "nothing"
        example = "addition" if parameter is None else f"addition, {parameter.default}"
        raise InvalidOptionError(
            f"{name} takes {takes} in parentheses; found {found}.", hint=f"for example {name}({example})."
        )
    inner = find_task(arguments[0])
    if name == "scratchpad":
        return trace_of(inner)
    made = FORMATS[name]
    if parameter is None:
        return made.make(_with_answers(name, inner))
    told = _number(name, parameter, arguments[1]) if len(arguments) > 1 else parameter.default
    return made.make(_with_answers(name, inner), told)


def _number(name: str, parameter: Parameter, text: str) -> Value:
    """Return the number behind the task; what is wrong with it is said with an example that has a task in front."""
    try:
        return parameter.read(name, text)
    except InvalidOptionError as error:
        raise InvalidOptionError(error.message, hint=f"for example {name}(addition, {parameter.default}).") from None


def _with_answers(name: str, inner: Task) -> AnswerTask:
    """Return the task if it has prompts and answers that a format can write; raise otherwise."""
    if inner.objective is not Objective.ANSWER or not isinstance(inner, AnswerTask):
        what = {Objective.NEXT_SYMBOLS: "the legal next symbols", Objective.STATES: "states"}.get(inner.objective)
        raise InvalidOptionError(
            f"{name} writes prompts and answers in another way, and {inner.name!r} asks for {what} at every prefix.",
            hint="use a task with an answer after a separator, for example addition or accepts(LANGUAGE).",
        )
    if type(inner).sample not in (AnswerTask.sample, Formatted.sample):
        raise InvalidOptionError(
            f"{name} needs <bos> prompt <sep> answer <eos> with a prompt as long as the length, and {inner.name!r} lays out "
            "its instances in a way of its own.",
            hint="use another task, for example unique_copy or addition.",
        )
    return inner
