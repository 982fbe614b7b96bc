"""A Python file as a task: its symbols, its oracle and, if it has one, its sampler, all in a process of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...arrays import Array
from ...errors import InvalidOptionError
from ..core.host_tasks import HostTask, Numbers
from .definition import Definition, read_definition
from .findings import counted, require_none
from .process.functions import ATTEMPTS
from .sizes import largest_of, running_maximum
from .source import read_source, show_prompt
from .task_process import MEMORY, PATIENCE, TaskProcess

_ALL_UP_TO = 64
_SYMBOLS_PER_QUESTION = 500_000  # so that a reply stays far below the most that a line may have


def read_python_task(path: str, *, patience: float = PATIENCE, memory: int = MEMORY) -> PythonTask:
    """Return the task of a Python file; raise the first thing that is wrong with it."""
    process = TaskProcess(path, read_source(path), patience=patience, memory=memory)
    made, findings = read_definition(process)
    require_none(findings, path)
    assert made is not None
    return PythonTask(made, process)


class PythonTask(HostTask):
    """A task in plain Python that a user wrote. Its functions run in a task process, never here."""

    def __init__(self, made: Definition, process: TaskProcess) -> None:
        self.made, self.process = made, process
        self.name, self.definition, self.length_means = made.path, made.definition, made.length_means
        self.symbols, self.facts, self.revision = made.symbols, made.facts, made.revision
        self.citation = f"your own: {made.path}"
        self.attempts = ATTEMPTS if "is_valid" in made.functions else 1
        self._has_prompts: dict[int, bool] = {}
        self._bounds: dict[int, int] = {}
        self._declared: dict[int, int] = {}  # what answer_length() says
        self._sizes: dict[int, tuple[int, int]] = {}  # the shortest and the longest answer in trials

    @property
    def min_length(self) -> int:  # type: ignore[override]
        """The first length with a prompt, from the declared one on."""
        low = self.made.min_length
        tried = range(low, low + _ALL_UP_TO + 1)
        return next((length for length in tried if self.lengths(length, length)), low)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that have prompts; a candidate of each is tried, or many where is_valid rejects some."""
        last = high if self.made.max_length is None else min(high, self.made.max_length)
        asked = range(max(low, self.made.min_length), last + 1)
        if not self.made.functions & {"sample", "is_valid"}:
            return tuple(asked)
        new = [length for length in asked if length not in self._has_prompts]
        if new:
            examples = self.process.ask("example", [(length,) for length in new])
            self._has_prompts |= {length: example is not None for length, example in zip(new, examples, strict=True)}
        return tuple(length for length in asked if self._has_prompts[length])

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return what the user's oracle says; raise if that is longer than instances have room for."""
        (answer,) = self.process.ask("answer", [(list(prompt),)])
        self._require_room(prompt, answer)
        return list(answer)

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return the first candidate that is valid or, if all are not, a valid one that is known."""
        (prompt,) = self.process.ask("prompt", [(numbers.key, length)])
        return list(prompt)

    def make_instances(self, keys: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[list[str], list[str]]]:
        """Yield a prompt of each length, from its key, and the answer: many with each question."""
        longest = max(lengths, default=0)
        step = max(1, _SYMBOLS_PER_QUESTION // (longest + int(self.answer_length(longest)) + 1))
        asked = list(zip(keys, lengths, strict=True))
        for start in range(0, len(asked), step):
            made, problem = self.process.ask_until_wrong("instance", asked[start : start + step])
            for prompt, answer in made:
                self._require_room(prompt, answer)
                yield prompt, answer
            if problem is not None:
                raise problem

    def answer_length(self, length: Array) -> Array:
        """Return the largest number of symbols of an answer: what the file says, or what trials tell.

        Where trials show that the answers to prompts of one length have one length, that is it. Otherwise the bound is a
        multiple of the prompt's length.
        """
        last = largest_of(length)
        if "answer_length" in self.made.functions:
            return running_maximum(self._declared_up_to(last), length)
        tried = self._tried(last)
        largest = running_maximum({each: high for each, (_, high) in tried.items()}, length)
        if all(low == high for low, high in tried.values()):
            return largest
        factor = max(-(-high // max(each, 1)) for each, (_, high) in tried.items())
        return largest + (factor * length - largest) * (factor * length > largest)

    @property
    def answers_vary(self) -> bool:
        """Whether answers to prompts of one length have several lengths, as far as trials tell."""
        return any(low != high for low, high in self._tried(self.made.min_length + 16).values())

    def _require_room(self, prompt: Sequence[str], answer: Sequence[str]) -> None:
        """Raise if an answer is longer than the bound at the length of its prompt."""
        length = len(prompt)
        if length not in self._bounds:
            self._bounds[length] = int(self.answer_length(length))
        if len(answer) > self._bounds[length]:
            source = "answer_length()" if "answer_length" in self.made.functions else "trials"
            raise InvalidOptionError(
                f"{self.name!r}: the answer to the prompt {show_prompt(prompt)} has {counted(len(answer), 'symbol')}; "
                f"{source} said at most {self._bounds[length]}.",
                hint="let answer_length(length) return how many symbols the longest answer has.",
            )

    def _declared_up_to(self, last: int) -> dict[int, int]:
        asked = range(self.made.min_length, last + 1)
        self._learn(self._declared, "answer_length", asked)
        return {length: self._declared[length] for length in asked}

    def _tried(self, last: int) -> dict[int, tuple[int, int]]:
        """Return the shortest and the longest answer of a few trials at lengths up to the last: all, or of many some."""
        first = self.made.min_length
        step = max(1, (last - _ALL_UP_TO) // 32)
        asked = {*range(first, min(last, _ALL_UP_TO) + 1), *range(_ALL_UP_TO, last + 1, step), last}
        lengths = [length for length in self.lengths(first, last) if length in asked]
        self._learn(self._sizes, "sizes", lengths)
        return {length: self._sizes[length] for length in lengths}

    def _learn(self, known: dict[int, int] | dict[int, tuple[int, int]], question: str, lengths: Iterable[int]) -> None:
        """Ask for what is not known yet of some lengths."""
        new = [length for length in lengths if length not in known]
        if new:
            known.update(zip(new, self.process.ask(question, [(length,) for length in new]), strict=True))
