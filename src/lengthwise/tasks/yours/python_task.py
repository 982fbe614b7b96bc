"""A Python file as a task: its symbols, its oracle and, if it has one, its sampler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import Array
from ...errors import InvalidOptionError
from ..host import HostTask, Numbers
from .definition import Definition, read_definition
from .findings import MOST_SYMBOLS, counted, is_too_long, require_none
from .sizes import largest_of, running_maximum
from .source import Random, brief, describe, quiet, show_prompt

ATTEMPTS = 64
"""Candidates that are drawn for a prompt which is_valid accepts."""
_TRIALS = 8
_ALL_UP_TO = 64
_KEY = 0x6C656E677468  # of trials, which are the same in every process


def read_python_task(path: str) -> PythonTask:
    """Return the task of a Python file; raise the first thing that is wrong with it."""
    made, findings = read_definition(path)
    require_none(findings, path)
    assert made is not None
    return PythonTask(made)


class PythonTask(HostTask):
    """A task in plain Python that a user wrote."""

    def __init__(self, made: Definition) -> None:
        self.made = made
        self.name, self.definition, self.length_means = made.path, made.definition, made.length_means
        self.symbols, self.facts, self.revision = made.symbols, made.facts, made.revision
        self.citation = f"your own: {made.path}"
        self.attempts = 1 if made.is_valid is None else ATTEMPTS
        self._examples: dict[int, list[str] | None] = {}  # a prompt of each length, or None where there is none
        self._bounds: dict[int, int] = {}
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
        if self.made.sample is None and self.made.is_valid is None:
            return tuple(asked)
        return tuple(length for length in asked if self._example(length) is not None)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return what the user's oracle says; raise if that is longer than instances have room for."""
        answer, length = self.oracle(prompt), len(prompt)
        if length not in self._bounds:
            self._bounds[length] = int(self.answer_length(length))
        if len(answer) > self._bounds[length]:
            source = "trials" if self.made.answer_length is None else "answer_length()"
            raise InvalidOptionError(
                f"{self.name!r}: the answer to the prompt {show_prompt(prompt)} has {counted(len(answer), 'symbol')}; "
                f"{source} said at most {self._bounds[length]}.",
                hint="let answer_length(length) return how many symbols the longest answer has.",
            )
        return answer

    def oracle(self, prompt: Sequence[str]) -> list[str]:
        """Return what the user's oracle says; what it raises, and what is no answer, becomes a sentence."""
        given = self.call("answer", list(prompt), told=f"prompt {show_prompt(prompt)}")
        wrong = wrong_symbols("answer", given, self.symbols, f"the prompt {show_prompt(prompt)}")
        if wrong:
            raise InvalidOptionError(f"{self.name!r}: {wrong}", hint=f"lengthwise check {self.name!r} says more.")
        return list(given)

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return the first candidate that is valid or, if all are not, a valid one that is known."""
        found = self._first_valid(numbers, length)
        if found is None:
            found = self._example(length)
        if found is None:
            raise InvalidOptionError(
                f"{self.name!r}: no valid prompt of length {length} was found.",
                hint="let sample() return one, or widen is_valid().",
            )
        return list(found)

    def answer_length(self, length: Array) -> Array:
        """Return the largest number of symbols of an answer: what the file says, or what trials tell.

        Where trials show that the answers to prompts of one length have one length, that is it. Otherwise the bound is a
        multiple of the prompt's length.
        """
        last = largest_of(length)
        if self.made.answer_length is not None:
            declared = {each: self._declared(each) for each in range(self.made.min_length, last + 1)}
            return running_maximum(declared, length)
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

    def _declared(self, length: int) -> int:
        assert self.made.answer_length is not None
        said = self.call("answer_length", length, told=f"length {length}")
        if type(said) is not int or said < 0:
            raise InvalidOptionError(
                f"{self.name!r}: answer_length({length}) is {said!r}; it must be a whole number of at least 0.",
                hint="let it return how many symbols the longest answer has.",
            )
        return said

    def _tried(self, last: int) -> dict[int, tuple[int, int]]:
        """Return the shortest and the longest answer of a few trials at lengths up to the last: all, or of many some."""
        first = self.made.min_length
        step = max(1, (last - _ALL_UP_TO) // 32)
        asked = {*range(first, min(last, _ALL_UP_TO) + 1), *range(_ALL_UP_TO, last + 1, step), last}
        tried = {}
        for length in self.lengths(first, last):
            if length not in asked:
                continue
            if length not in self._sizes:
                sizes = [len(self.oracle(self.make(Numbers(_KEY + trial), length))) for trial in range(_TRIALS)]
                self._sizes[length] = min(sizes), max(sizes)
            tried[length] = self._sizes[length]
        return tried

    def _example(self, length: int) -> list[str] | None:
        if length not in self._examples:
            found = [self._first_valid(Numbers(_KEY + trial), length) for trial in range(_TRIALS)]
            self._examples[length] = next((each for each in found if each is not None), None)
        return self._examples[length]

    def _first_valid(self, numbers: Numbers, length: int) -> list[str] | None:
        for _ in range(self.attempts):
            prompt = self.candidate(Random(numbers.below(2**31)), length)
            if prompt is None or self.made.is_valid is None or self.is_valid(prompt):
                return prompt
        return None

    def candidate(self, random: Random, length: int) -> list[str] | None:
        """Return a prompt from the user's sampler, None where that has none, or uniform symbols."""
        if self.made.sample is None:
            return [random.choice(self.made.alphabet) for _ in range(length)]
        given = self.call("sample", random, length, told=f"length {length}")
        if given is None:
            return None
        wrong = wrong_symbols("sample", given, self.made.alphabet, f"length {length}")
        if not wrong and len(given) != length:
            wrong = f"sample(random, {length}) returned {counted(len(given), 'symbol')}, {show_prompt(given)}; it must return {length}."
        if wrong:
            raise InvalidOptionError(f"{self.name!r}: {wrong}", hint=f"lengthwise check {self.name!r} says more.")
        return list(given)

    def is_valid(self, prompt: Sequence[str]) -> bool:
        """Return whether the file takes a prompt."""
        return bool(
            self.made.is_valid is None or self.call("is_valid", list(prompt), told=f"prompt {show_prompt(prompt)}")
        )

    def call(self, name: str, *arguments: Any, told: str) -> Any:
        """Return what a function of the file returns; what it raises becomes a sentence."""
        try:
            with quiet():
                return getattr(self.made, name)(*arguments)
        except (Exception, SystemExit) as problem:
            raise InvalidOptionError(
                f"{self.name!r}: {name}() fails at the {told}: {describe(problem, self.made.path)}.",
                hint=f"correct it; lengthwise check {self.name!r} says more.",
            ) from None


def wrong_symbols(name: str, given: object, symbols: Sequence[str], at: str) -> str:
    """Return what is wrong with a list of symbols that a function returned, or nothing."""
    if name == "answer" and is_too_long(given):
        return f"answer returned {len(given)} symbols for {at}; at most {MOST_SYMBOLS} are allowed."
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, str) for each in given):
        return f"{name} returned {brief(given)} for {at}; it must return a list of strings."
    foreign = [each for each in given if each not in symbols]
    if foreign:
        known = ", ".join(symbols[:12]) + (", …" if len(symbols) > 12 else "")
        return f"{name} returned the symbol {foreign[0]!r} for {at}; allowed are {known}."
    return ""
