"""Whether the language or the program that a Python task file declares agrees with its answers, on all short prompts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from ...crasp.batched import run_outputs
from ...crasp.interpreter import accepts, generate
from ...errors import LengthwiseError
from ..core.task import SEP
from .findings import Finding, error, note
from .python_task import PythonTask
from .source import show_prompt

_MOST_WORDS = 3000
_WORDS_PER_QUESTION = 100
Word = tuple[str, ...]


def short_words(alphabet: tuple[str, ...], first: int) -> Iterator[tuple[str, ...]]:
    """Yield all words from a length on, the shorter first, up to the longest length of which there are not too many."""
    number, length = 0, first
    while number + len(alphabet) ** length <= _MOST_WORDS and length <= 40:
        yield from product(alphabet, repeat=length)
        number += len(alphabet) ** length
        length += 1


def check_facts(task: PythonTask) -> Iterator[Finding]:
    """Yield the shortest word about which the declared language or program and the oracle disagree."""
    facts = task.facts
    if facts.language is None and facts.program is None:
        return
    name = "language" if facts.language is not None else "program"
    hint = f"correct answer() or the {name}, or leave the {name} out."
    said: dict[bool, tuple[Word, list[str]]] = {}
    compared = 0
    begun = task.process.seconds
    words = short_words(task.made.alphabet, task.made.min_length)
    while group := list(islice(words, _WORDS_PER_QUESTION)):
        group = _valid_words(task, group)
        for word, answer in zip(group, task.process.ask("answer", [(word,) for word in group]), strict=True):
            told = _disagreement_at(task, name, word, answer, said)
            if told:
                yield error(told, hint)
                return
        compared += len(group)
        if task.process.seconds - begun > task.process.patience:
            yield note(f"the {name} was compared with answer() on {compared} prompts only, because that is slow.")
            return


def _disagreement_at(
    task: PythonTask, name: str, word: Word, answer: list[str], said: dict[bool, tuple[Word, list[str]]]
) -> str:
    """Return how the facts and the oracle disagree about a word, or nothing; remember the first answer of each kind."""
    facts = task.facts
    if facts.program is not None and facts.program.is_generator:
        written = _written(task, word)
        if written == answer:
            return ""
        return f"for {show_prompt(word)} the program writes {written!r}, but answer returns {answer!r}."
    inside = word in facts.language if facts.language is not None else _accepts(task, word)
    other = said.get(not inside)
    if inside not in said:
        said[inside] = word, answer
    if said[inside][1] != answer or (other is not None and other[1] == answer):
        earlier = said[inside] if said[inside][1] != answer else said[not inside]
        return _disagreement(name, word, answer, inside, earlier)
    return ""


def _valid_words(task: PythonTask, words: list[Word]) -> list[Word]:
    """Return those of the words that are prompts of the task."""
    longest = task.made.max_length
    if longest is not None:
        words = [word for word in words if len(word) <= longest]
    taken = task.process.ask("is_valid", [(word,) for word in words])
    return [word for word, is_taken in zip(words, taken, strict=True) if is_taken]


def _disagreement(name: str, word: Word, answer: list[str], inside: bool, earlier: tuple[Word, list[str]]) -> str:
    verbs = {"language": ("has", "lacks"), "program": ("accepts", "rejects")}[name]
    other_inside = inside if earlier[1] != answer else not inside
    return (
        f"the {name} {verbs[not inside]} {show_prompt(word)}, to which answer returns {answer!r}, and "
        f"{verbs[not other_inside]} {show_prompt(earlier[0])}, to which it returns {earlier[1]!r}; "
        "there must be one answer inside and another one outside."
    )


def _accepts(task: PythonTask, word: Word) -> bool:
    assert task.facts.program is not None
    return accepts(task.facts.program, word, run=run_outputs)


def _written(task: PythonTask, word: Word) -> list[str] | str:
    assert task.facts.program is not None
    try:
        return list(generate(task.facts.program, (*word, SEP), max_length=1000, run=run_outputs))
    except LengthwiseError as problem:
        return problem.message
