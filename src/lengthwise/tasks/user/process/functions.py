"""The functions of a user's file: asked for prompts and answers, with every mistake in a sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ....errors import InvalidOptionError
from ...core.random_numbers import Numbers
from ..findings import MOST_SYMBOLS, counted, is_too_long
from ..source import Random, brief, describe, show_prompt
from .limits import begin_question
from .names import LONGEST
from .note import Note

ATTEMPTS = 64
"""Candidates that are drawn for a prompt which is_valid accepts."""
TRIALS = 8
"""Prompts that are drawn for what is known of a length."""
_KEY = 0x6C656E677468  # of trials, which are the same in every process


class TaskFunctions:
    """What a file is asked. A method that is named in ``QUESTIONS`` takes JSON data and returns JSON data."""

    QUESTIONS = (
        *("instance", "prompt", "example", "sizes", "answer", "is_valid", "answer_length"),
        *("look", "count_valid", "seconds"),
    )

    def __init__(
        self,
        path: str,
        functions: dict[str, Callable[..., Any]],
        alphabet: Sequence[str],
        symbols: Sequence[str],
        *,
        note: Note,
        patience: float,
    ) -> None:
        self.path, self.functions = path, functions
        self.alphabet, self.symbols = tuple(alphabet), tuple(symbols)
        self._known = {"sample": frozenset(alphabet), "answer": frozenset(symbols)}
        self.note, self.patience = note, patience
        self.attempts = ATTEMPTS if "is_valid" in functions else 1
        self._examples: dict[int, list[str] | None] = {}  # a prompt of each length, or None where there is none

    def instance(self, key: int, length: int) -> tuple[list[str], list[str]]:
        """Return a prompt and its answer."""
        prompt = self.prompt(key, length)
        return prompt, self.answer(prompt)

    def prompt(self, key: int, length: int) -> list[str]:
        """Return the first candidate that is valid or, if all are not, a valid one that is known."""
        found = self._first_valid(Numbers(key), length)
        if found is None:
            found = self.example(length)
        if found is None:
            raise self._error(
                f"no valid prompt of length {length} was found.", "let sample() return one, or widen is_valid()."
            )
        return found

    def example(self, length: int) -> list[str] | None:
        """Return a prompt of this length, or None where trials found none."""
        if length not in self._examples:
            found = [self._first_valid(Numbers(_KEY + trial), length) for trial in range(TRIALS)]
            self._examples[length] = next((each for each in found if each is not None), None)
        return self._examples[length]

    def sizes(self, length: int) -> tuple[int, int]:
        """Return the lengths of the shortest and of the longest answer of a few trials."""
        sizes = [len(self.answer(self.prompt(_KEY + trial, length))) for trial in range(TRIALS)]
        return min(sizes), max(sizes)

    def answer(self, prompt: list[str]) -> list[str]:
        """Return what the oracle says; what it raises, and what is no answer, becomes a sentence."""
        given = self._call("answer", "prompt", prompt, list(prompt))
        wrong = self._wrong_symbols("answer", given, prompt)
        if wrong:
            raise self._error(wrong, f"lengthwise check {self.path!r} says more.")
        return list(given)

    def is_valid(self, prompt: list[str]) -> bool:
        """Return whether the file takes a prompt."""
        return "is_valid" not in self.functions or bool(self._call("is_valid", "prompt", prompt, list(prompt)))

    def answer_length(self, length: int) -> int:
        """Return how many symbols an answer has at most, as the file says."""
        said = self._call("answer_length", "length", (str(length),), length)
        if type(said) is not int or not 0 <= said <= LONGEST:
            raise self._error(
                f"answer_length({length}) is {brief(said)}; it must be a whole number from 0 to {LONGEST}.",
                "let it return how many symbols the longest answer has.",
            )
        return said

    def candidate(self, random: Random, length: int) -> list[str] | None:
        """Return a prompt from the file's sampler, None where that has none, or uniform symbols."""
        if "sample" not in self.functions:
            return [random.choice(self.alphabet) for _ in range(length)]
        given = self._call("sample", "length", (str(length),), random, length)
        if given is None:
            return None
        wrong = self._wrong_symbols("sample", given, length)
        if not wrong and len(given) != length:
            wrong = f"sample(random, {length}) returned {counted(len(given), 'symbol')}, {show_prompt(given)}; it must return {length}."
        if wrong:
            raise self._error(wrong, f"lengthwise check {self.path!r} says more.")
        return list(given)

    # For ``check``

    def look(self, prompt: list[str]) -> dict[str, Any]:
        """Return the answer to a prompt, or the first thing that is wrong with it, and what was returned, in print."""
        given = list(prompt)
        try:
            said = self._call("answer", "prompt", prompt, given)
        except InvalidOptionError as problem:
            told = problem.message.removeprefix(f"{self.path!r}: answer()")
            return {"wrong": "raises", "what": f"answer{told}"}
        look: dict[str, Any] = {"shown": brief(said)}
        if given != prompt:
            what = f"answer changes its prompt: {show_prompt(prompt)} became {show_prompt(given)}."
            return look | {"wrong": "changes", "what": what}
        what = self._wrong_symbols("answer", said, prompt)
        if what:
            kind = "size" if is_too_long(said) else "symbol" if "the symbol " in what else "kind"
            return look | {"wrong": kind, "what": what}
        return look | {"answer": list(said)}

    def count_valid(self, length: int, number: int) -> int:
        """Return how many of so many candidates are valid."""
        candidates = [self.candidate(Random(key), length) for key in range(number)]
        return sum(each is not None and self.is_valid(each) for each in candidates)

    def seconds(self, length: int) -> float:
        """Return how long an instance of this length takes, the best of a few: a busy machine is not a slow oracle."""
        times = []
        for key in range(5):
            start = time.perf_counter()
            self.instance(key, length)
            times.append(time.perf_counter() - start)
        return min(times)

    def _first_valid(self, numbers: Numbers, length: int) -> list[str] | None:
        for _ in range(self.attempts):
            prompt = self.candidate(Random(numbers.below(2**31)), length)
            if prompt is None or self.is_valid(prompt):
                return prompt
        return None

    def _call(self, name: str, kind: str, value: Sequence[str], *arguments: Any) -> Any:
        """Return what a function of the file returns; what it raises becomes a sentence."""
        self.note.write(name, kind, value)
        begin_question(self.patience)
        try:
            return self.functions[name](*arguments)
        except MemoryError:
            raise
        except BaseException as problem:
            at = show_prompt(value) if kind == "prompt" else value[0]
            told = describe(problem, self.path)
        raise self._error(
            f"{name}() fails at the {kind} {at}: {told}.", f"correct it; lengthwise check {self.path!r} says more."
        )

    def _wrong_symbols(self, name: str, given: object, at: int | Sequence[str]) -> str:
        """Return what is wrong with a list of symbols that a function returned, or nothing; ``at`` is its argument."""
        known = self._known[name]
        with suppress(TypeError):  # what cannot be hashed is no symbol
            if type(given) is list and len(given) <= MOST_SYMBOLS and known.issuperset(given):
                return ""  # as nearly always, and quickly
        if is_too_long(given):
            return f"{name} returned {len(given)} symbols for {_place(at)}; at most {MOST_SYMBOLS} are allowed."
        if not isinstance(given, (list, tuple)) or not all(isinstance(each, str) for each in given):
            return f"{name} returned {brief(given)} for {_place(at)}; it must return a list of strings."
        for each in given:
            if each not in known:
                allowed = self.symbols if name == "answer" else self.alphabet
                told = ", ".join(allowed[:12]) + (", …" if len(allowed) > 12 else "")
                return f"{name} returned the symbol {brief(each)} for {_place(at)}; allowed are {told}."
        return ""

    def _error(self, what: str, hint: str) -> InvalidOptionError:
        return InvalidOptionError(f"{self.path!r}: {what}", hint=hint)


def _place(at: int | Sequence[str]) -> str:
    return f"length {at}" if isinstance(at, int) else f"the prompt {show_prompt(at)}"
