"""The loop of a task process: a line of JSON with a question comes in, a line with answers goes out."""

from __future__ import annotations

import json
import os
import sys
import time
from mmap import mmap
from pathlib import Path
from types import ModuleType
from typing import Any

from ....errors import InvalidOptionError, LengthwiseError
from ..source import describe, revision_of
from .functions import TaskFunctions
from .limits import OUT_OF_MEMORY, begin_question, end_with_parent, limit_memory, take_default_signals
from .names import find_functions, find_problems, plain_names
from .note import SIZE, TOP_LEVEL, Note

MOST_BYTES = 64 * 2**20
"""How long a line may be."""


def main() -> None:
    """Answer questions until there are no more; nothing that the file does or prints may reach the lines."""
    settings = json.loads(sys.argv[1])
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.argv[:] = [settings["path"]]
    sys.path[:] = settings["paths"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "lengthwise"]:
        del sys.modules[name]  # what stands there is not the whole package, which the file may want to import
    take_default_signals()
    end_with_parent(settings["parent"])
    limit_memory(settings["memory"])
    server = _Server(settings["path"], Note(mmap(settings["note"], SIZE)), settings["patience"])
    try:
        for line in incoming:
            _send(outgoing, server.reply(json.loads(line)))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException as problem:  # only a file that changes Python itself gets here
        print(f"lengthwise: the task process breaks: {describe(problem, settings['path'])}", file=sys.stderr)
        os._exit(1)
    os._exit(0)  # without what the file may have left to be done at the end


def _send(outgoing: int, reply: dict[str, Any]) -> None:
    text = json.dumps(reply).encode() + b"\n"
    if len(text) > MOST_BYTES:
        text = json.dumps({"too_long": len(text)}).encode() + b"\n"
    while text:
        text = text[os.write(outgoing, text) :]


class _Server:
    """A file and its functions; the first question is the text of the file."""

    def __init__(self, path: str, note: Note, patience: float) -> None:
        self.path, self.note, self.patience = path, note, patience
        self.functions: TaskFunctions | None = None

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answers to all items of a question, or to those before one that fails, and how that failed."""
        made: list[Any] = []
        reply: dict[str, Any] = {"made": made}
        try:
            if "text" in request:
                made.append(self._define(request["text"]))
            else:
                assert request["ask"] in TaskFunctions.QUESTIONS
                ask = getattr(self.functions, request["ask"])
                for item in request["items"]:
                    made.append(ask(*item))  # noqa: PERF401 - those before one that fails stay
        except LengthwiseError as problem:
            reply["error"] = {"message": problem.message, "hint": problem.hint}
        return reply | {"seconds": time.process_time()}

    def _define(self, text: str) -> dict[str, Any]:
        """Run the file; return its names as JSON data, and what is wrong with them."""
        self.note.write("", TOP_LEVEL)
        begin_question(self.patience)
        names = _run(self.path, text)
        plain = plain_names(names)
        problems = [finding.to_json() for finding in find_problems(names)]
        self.functions = TaskFunctions(
            self.path,
            find_functions(names),
            plain["alphabet"],
            plain["symbols"],
            note=self.note,
            patience=self.patience,
        )
        return {"names": plain, "findings": problems}


def _run(path: str, text: str) -> dict[str, Any]:
    """Run the text of a file and return its names; what it raises becomes one sentence."""
    module = ModuleType(f"lengthwise_task_{Path(path).stem}_{revision_of(text)}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # dataclasses look there
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except MemoryError:
        raise
    except BaseException as problem:
        hint = "correct the file; it is run from top to bottom when the task is used."
        if isinstance(problem, ModuleNotFoundError):
            hint = "a task is one file: move what it needs into it, or install what it imports."
        raise InvalidOptionError(f"{path!r} cannot be run: {describe(problem, path)}.", hint=hint) from None
    return {name: value for name, value in module.__dict__.items() if isinstance(name, str)}
