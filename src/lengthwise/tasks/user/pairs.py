"""A file of pairs as a task: a line for each, ``{"prompt": …, "answer": …}``."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...arrays import Array
from ...errors import InvalidOptionError, LengthwiseError
from ...files import parse_json
from ...theory.facts import Facts
from ..core.host_tasks import HostTask, Numbers
from .findings import Finding, check_reserved, counted, error, errors_of, note, require_none, warning
from .sizes import running_maximum
from .source import read_source, revision_of, show_prompt

FEW = 10
Pair = tuple[tuple[str, ...], tuple[str, ...]]


def read_pairs_task(path: str) -> PairsTask:
    """Return the task of a file of pairs; raise the first thing that is wrong with it."""
    text = read_source(path)
    pairs, findings = read_pairs(text)
    require_none(findings, path)
    return PairsTask(path, pairs, revision_of(text))


def symbols_of(given: object) -> tuple[str, ...] | None:
    """Return the symbols of a prompt or answer: a list's own, or a string's words, or its characters; None if neither.

    >>> symbols_of("aab"), symbols_of("red red blue"), symbols_of(["red"])
    (('a', 'a', 'b'), ('red', 'red', 'blue'), ('red',))
    """
    if isinstance(given, str):
        return tuple(given.split()) if any(each.isspace() for each in given) else tuple(given)
    if isinstance(given, list) and all(isinstance(each, str) and each.split() == [each] for each in given):
        return tuple(given)
    return None


def read_pairs(text: str) -> tuple[list[Pair], list[Finding]]:
    """Return the pairs of a file, and everything that is wrong with its lines."""
    pairs: list[Pair] = []
    found: list[Finding] = []
    first_lines: dict[tuple[str, ...], tuple[int, tuple[str, ...]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            data = parse_json(line, f"line {number}")
        except LengthwiseError as problem:
            found.append(_unreadable(problem, number))
            continue
        pair, wrong = _read_pair(data, number)
        found += wrong
        if pair is None:
            continue
        earlier = first_lines.setdefault(pair[0], (number, pair[1]))
        if earlier[1] != pair[1]:
            answers = f"{show_prompt(earlier[1])} and {show_prompt(pair[1])}"
            found.append(
                error(
                    f"line {number}: the prompt {show_prompt(pair[0])} has two answers, {answers} (line {earlier[0]} "
                    "has the other).",
                    "keep one of the lines.",
                )
            )
            continue
        pairs.append(pair)
    if not pairs and not found:
        found.append(error("the file has no pair; at least one is needed.", f"write a line, for example: {_EXAMPLE}"))
    found += check_reserved("the file", sorted({symbol for pair in pairs for part in pair for symbol in part}))
    return pairs, found


_EXAMPLE = '{"prompt": "aab", "answer": "2"}'


def _unreadable(problem: LengthwiseError, number: int) -> Finding:
    """Return what a reader of JSON says about a single line, in which it is always at line 1."""
    if not problem.message.startswith(f"line {number} "):  # a repeated key, which is told without the place
        return error(f"line {number}: {problem.message}", problem.hint)
    return error(problem.message.replace(" at line 1, column", " at column"), "write one object a line.")


def _read_pair(data: object, number: int) -> tuple[Pair | None, list[Finding]]:
    hint = f"write, for example: {_EXAMPLE}"
    if not isinstance(data, dict):
        told = json.dumps(data, ensure_ascii=False)[:60]
        return None, [error(f"line {number}: found {told}; a line is an object with prompt and answer.", hint)]
    found = [error(f"line {number}: {key!r} is missing.", hint) for key in ("prompt", "answer") if key not in data]
    found += [
        error(f"line {number}: the key {key!r} is unknown. Known: prompt, answer.", "remove it.")
        for key in data
        if key not in ("prompt", "answer")
    ]
    parts = {}
    for key in ("prompt", "answer"):
        if key not in data:
            continue
        symbols = symbols_of(data[key])
        if symbols is None:
            told = json.dumps(data[key], ensure_ascii=False)[:60]
            allowed = "it must be a text, or a list of texts without spaces"
            found.append(error(f"line {number}: {key} is {told}; {allowed}.", "write each symbol as text."))
        elif key == "prompt" and not symbols:
            found.append(
                error(f"line {number}: the prompt is empty; it needs at least one symbol.", "remove the line.")
            )
        else:
            parts[key] = symbols
    return (None if found else (parts["prompt"], parts["answer"])), found


def check_pairs(path: str) -> list[Finding]:
    """Return everything there is to say about a file of pairs."""
    pairs, found = read_pairs(read_source(path))
    by_length = _by_length(pairs)
    few = [length for length, group in by_length.items() if len(group) < FEW]
    if few:
        told = ", ".join(f"{len(by_length[length])} of length {length}" for length in few[:6])
        told += ", …" if len(few) > 6 else ""
        found.append(
            warning(
                f"there are few pairs, {told}; fewer than {FEW} are soon learnt by heart.",
                "add pairs of these lengths.",
            )
        )
    if len(pairs) > 1 and len({answer for _, answer in pairs}) == 1:
        answer = show_prompt(pairs[0][1])
        found.append(warning(f"every answer is {answer}: there is nothing to learn.", "add pairs with other answers."))
    if pairs and not errors_of(found):
        lengths = list(by_length)
        several = f"lengths from {lengths[0]} to {lengths[-1]}, {len(lengths)} in all"
        told = several if len(lengths) > 1 else f"length {lengths[0]}"
        over = counted(len(_symbols(pairs)), "symbol")
        found.append(note(f"{counted(len(pairs), 'pair')} over {over}; prompts have {told}."))
        found.append(note("within the training lengths, training and evaluation share the pairs."))
    return found


def _by_length(pairs: Sequence[Pair]) -> dict[int, list[Pair]]:
    groups: dict[int, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: len(pair[0])):
        groups.setdefault(len(pair[0]), []).append(pair)
    return groups


def _symbols(pairs: Sequence[Pair]) -> tuple[str, ...]:
    return tuple(sorted({symbol for pair in pairs for part in pair for symbol in part}))


class PairsTask(HostTask):
    """Pairs of prompt and answer, drawn uniformly among those of a length."""

    length_means = "the number of symbols of the prompt"

    def __init__(self, path: str, pairs: Sequence[Pair], revision: int) -> None:
        self.name, self.revision = path, revision
        self.definition = (
            f"the answers of {counted(len(pairs), 'pair')} in a file, each as likely as any other of its length; within the training "
            "lengths, training and evaluation share the pairs"
        )
        self.citation = f"your own: {path}"
        self.symbols = _symbols(pairs)
        self.facts = Facts()
        self._groups = _by_length(pairs)
        self._answers = dict(pairs)
        self._sizes = {length: max(len(answer) for _, answer in group) for length, group in self._groups.items()}
        self.min_length = min(self._groups)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the lengths that occur."""
        return tuple(length for length in self._groups if low <= length <= high)

    def answer_length(self, length: Array) -> Array:
        """Return the length of the longest answer to a prompt that is no longer."""
        return running_maximum(self._sizes, length)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the answer that the file gives."""
        if tuple(prompt) not in self._answers:
            raise InvalidOptionError(
                f"{self.name!r} has no prompt {show_prompt(prompt)}.", hint="ask for one of its prompts."
            )
        return list(self._answers[tuple(prompt)])

    def make(self, numbers: Numbers, length: int) -> list[str]:
        """Return one of the prompts of this length."""
        group = self._groups[length]
        return list(group[numbers.below(len(group))][0])
