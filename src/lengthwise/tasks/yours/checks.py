"""Everything that is wrong with a Python task file, found by asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Any

from ...crasp.batched import run_outputs
from ...crasp.interpreter import accepts, generate
from ...errors import LengthwiseError
from ..host import Numbers
from ..task import SEP
from .definition import read_definition
from .findings import Finding, counted, error, errors_of, is_too_long, note, warning
from .fresh import PATIENCE, Answered, Asked, FreshRun, draw_prompt, questions, run_fresh
from .python_task import ATTEMPTS, PythonTask, wrong_symbols
from .source import Random, brief, describe, quiet, read_source, show_prompt

_MOST_WORDS = 3000
_SLOW = 0.002
_SEEDS = ("1", "2")


def check_python(
    path: str,
    *,
    seeds: tuple[str, ...] = _SEEDS,
    patience: float = PATIENCE,
    on_slow: Callable[[], None] = lambda: None,
) -> list[Finding]:
    """Return everything there is to say about a Python task file, asked in processes with these seeds of hashes and here.

    It is asked here only when those processes came to their end, since this one could not tell of its own.
    """
    read_source(path)  # raises if there is no file
    fresh = run_fresh(path, seeds, patience, on_slow)
    for each in fresh:
        if each.failure is not None:
            return [*each.findings, each.failure]
    made, found = read_definition(path)
    if made is None:
        return found
    asked = questions(made)
    task = PythonTask(made)
    prompts, sampling = _prompts(task, asked)
    asking = list(_ask(task, prompts))
    found += sampling
    found += asking
    if not errors_of([*sampling, *asking]):
        found += _compare_fresh(task, asked, prompts, fresh)
    if not errors_of(found):
        found += [*_judge(task, prompts), *_check_bound(task, prompts), *_check_facts(task)]
    if not errors_of(found):
        found.append(_summary(task))
    return found


def _prompts(task: PythonTask, asked: list[Asked]) -> tuple[list[list[str] | None], list[Finding]]:
    """Return the prompt of everything asked, None where there is none, and what is wrong with the sampler."""
    problems: list[str] = []
    without: list[int] = []
    prompts: list[list[str] | None] = []
    for each in asked:
        prompt, problem = draw_prompt(task, each)
        prompts.append(prompt)
        if problem:
            problems.append(_without_path(problem, task))
        if prompt is None and each.length not in without:
            without.append(each.length)
    found = [error(told, "let it return a prompt of the length it is asked for.") for told in _one_of_each(problems)]
    lengths = sorted({each.length for each in asked})
    told = ", ".join(map(str, without))
    if without and len(without) == len(lengths):
        who = "sample() returned None" if task.made.is_valid is None else f"none of {8 * ATTEMPTS} candidates was valid"
        found.append(
            error(
                f"there is no prompt at all, of lengths {told}: {who}.", "correct min_length, sample() or is_valid()."
            )
        )
    elif without:
        found.append(note(f"there is no prompt of lengths {told}; they are left out."))
    return prompts, found


def _without_path(message: str, task: PythonTask) -> str:
    return message.removeprefix(f"{task.name!r}: ")


def _one_of_each(problems: list[str]) -> Iterator[str]:
    """Yield the first of the sentences that begin alike: one finding for one mistake."""
    seen = set()
    for told in problems:
        kind = told[:10]
        if kind not in seen:
            seen.add(kind)
            yield told


@dataclass(slots=True)
class _Seen:
    """What has been found so far: one finding for each kind of mistake is enough."""

    kinds: set[str]

    def is_new(self, kind: str) -> bool:
        if kind in self.kinds:
            return False
        self.kinds.add(kind)
        return True


def _ask(task: PythonTask, prompts: list[list[str] | None]) -> Iterator[Finding]:
    """Yield what is wrong with answers: one finding for each kind of mistake, at the shortest prompt that shows it."""
    seen = _Seen(set())
    first: list[Any] = []
    for prompt in prompts:
        said, finding = _ask_once(task, prompt, seen)
        first.append(said)
        if finding is not None:
            yield finding
        if is_too_long(said):  # the next would be longer still
            break
    told = ""
    for place in reversed(range(len(first))):  # again, in another order; the last to be told is the shortest
        prompt = prompts[place]
        if prompt is None or first[place] is None:
            continue
        again, _ = _ask_once(task, prompt, _Seen({"raises", "changes", "kind"}))
        if again != first[place]:
            told = f"for {show_prompt(prompt)} it returned {brief(first[place])}, then {brief(again)}"
    if told:
        yield error(
            f"answer is not a function of its prompt: {told}.",
            "use no randomness, and nothing that an earlier call has changed.",
        )


def _ask_once(task: PythonTask, prompt: list[str] | None, seen: _Seen) -> tuple[Any, Finding | None]:
    """Return what the oracle says, and what is wrong with it if that is new."""
    if prompt is None:
        return None, None
    given = list(prompt)
    try:
        with quiet():
            said = deepcopy(task.made.answer(given))
    except (Exception, SystemExit) as problem:
        told = f"answer fails at the prompt {show_prompt(prompt)}: {describe(problem, task.made.path)}."
        finding = (
            error(told, "correct it, or keep such prompts away with is_valid().") if seen.is_new("raises") else None
        )
        return None, finding
    if given != prompt and seen.is_new("changes"):
        told = f"answer changes its prompt: {show_prompt(prompt)} became {show_prompt(given)}."
        return said, error(told, "work on a copy: prompt = list(prompt).")
    wrong = wrong_symbols("answer", said, task.symbols, f"the prompt {show_prompt(prompt)}")
    if wrong and seen.is_new("kind"):
        hint = "name further symbols of answers in answer_alphabet." if "symbol " in wrong else _LIST
        return said, error(wrong, "ask for less." if is_too_long(said) else hint)
    return said, None


_LIST = 'return a list, for example ["y"].'


def _compare_fresh(
    task: PythonTask, asked: list[Asked], prompts: list[list[str] | None], fresh: list[FreshRun]
) -> Iterator[Finding]:
    """Yield what came out differently in another process."""
    kinds = set()
    for each, prompt, *others in zip(asked, prompts, *(run.answered for run in fresh), strict=False):
        if prompt is None:
            continue
        answer = task.oracle(prompt)
        for other in others:
            kind, told = _difference(each, prompt, answer, other)
            if kind and kind not in kinds:
                kinds.add(kind)
                yield error(
                    f"{kind} depends on the process: {told}.",
                    "use no randomness, no hash() and no order of a set; sorted(…) makes an order of its own.",
                )


def _difference(asked: Asked, prompt: list[str], answer: list[str], other: Answered) -> tuple[str, str]:
    if other.prompt != prompt:
        at = f"for length {asked.length} it returned {show_prompt(prompt)}"
        return "sample", f"{at} here and {show_prompt(other.prompt or [])} in another process"
    if other.answer != answer:
        said = other.problem if other.answer is None else brief(other.answer)
        return "answer", f"for {show_prompt(prompt)} it returned {brief(answer)} here and {said} in another process"
    return "", ""


def _judge(task: PythonTask, prompts: list[list[str] | None]) -> Iterator[Finding]:
    """Yield what is probably not meant: constant answers, rare prompts, slowness."""
    known = [prompt for prompt in prompts if prompt is not None]
    answers = {tuple(task.oracle(prompt)) for prompt in known}
    if len(answers) == 1 and len(known) > 1:
        yield warning(
            f"every answer is {show_prompt(answers.pop())}, to {len(known)} prompts: there is nothing to learn.",
            "check answer(), or let sample() return prompts with other answers.",
        )
    if task.made.is_valid is not None:
        length = max(map(len, known))
        candidates = [task.candidate(Random(key), length) for key in range(200)]
        valid = sum(each is not None and task.is_valid(each) for each in candidates)
        if valid < 10:
            yield warning(
                f"is_valid takes {valid} of 200 candidates of length {length}, so that the same prompts will come again and again.",
                "let sample(random, length) return valid prompts.",
            )
    last = max(prompt for prompt in enumerate(map(len, known)))[0]
    seconds = min(_seconds(task, len(known[last]), trial) for trial in range(5))  # a busy machine is not a slow oracle
    if seconds > _SLOW:
        yield warning(
            f"an instance of length {len(known[last])} takes {1000 * seconds:.1f} ms, so that 1000 steps of 64 take "
            f"{64 * seconds * 1000 / 60:.1f} minutes.",
            "make answer() and sample() faster, or train on shorter prompts.",
        )


def _seconds(task: PythonTask, length: int, key: int) -> float:
    """Return how long an instance of this length takes."""
    start = perf_counter()
    task.oracle(task.make(Numbers(key), length))
    return perf_counter() - start


def _check_bound(task: PythonTask, prompts: list[list[str] | None]) -> Iterator[Finding]:
    """Yield what is wrong with the length of answers."""
    try:
        for prompt in prompts:
            if prompt is not None:
                task.answer(prompt)
    except LengthwiseError as problem:
        yield error(_without_path(problem.message, task), problem.hint)
        return
    if task.made.answer_length is None and task.answers_vary:
        longest = max((prompt for prompt in prompts if prompt is not None), key=len)
        yield note(
            f"answers to prompts of one length have several lengths, so {int(task.answer_length(len(longest)))} places are kept for "
            f"an answer at length {len(longest)}.",
            "answer_length(length), the most symbols an answer has, makes training faster if fewer do.",
        )


def short_words(alphabet: tuple[str, ...], first: int) -> Iterator[tuple[str, ...]]:
    """Yield all words from a length on, the shorter first, up to the longest length of which there are not too many."""
    number, length = 0, first
    while number + len(alphabet) ** length <= _MOST_WORDS and length <= 40:
        yield from product(alphabet, repeat=length)
        number += len(alphabet) ** length
        length += 1


def _check_facts(task: PythonTask) -> Iterator[Finding]:
    """Yield the shortest word about which the declared language or program and the oracle disagree."""
    facts = task.facts
    if facts.language is None and facts.program is None:
        return
    name = "language" if facts.language is not None else "program"
    hint = f"correct answer() or the {name}, or leave the {name} out."
    said: dict[bool, tuple[tuple[str, ...], list[str]]] = {}
    for word in short_words(task.made.alphabet, task.made.min_length):
        if not task.is_valid(word) or (task.made.max_length is not None and len(word) > task.made.max_length):
            continue
        answer = task.oracle(word)
        if facts.program is not None and facts.program.is_generator:
            written = _written(task, word)
            if written != answer:
                yield error(
                    f"for {show_prompt(word)} the program writes {written!r}, but answer returns {answer!r}.", hint
                )
                return
            continue
        inside = word in facts.language if facts.language is not None else _accepts(task, word)
        other = said.get(not inside)
        if inside not in said:
            said[inside] = word, answer
        if said[inside][1] != answer or (other is not None and other[1] == answer):
            earlier = said[inside] if said[inside][1] != answer else said[not inside]
            yield error(_disagreement(name, word, answer, inside, earlier), hint)
            return


def _disagreement(
    name: str, word: tuple[str, ...], answer: list[str], inside: bool, earlier: tuple[tuple[str, ...], list[str]]
) -> str:
    verbs = {"language": ("has", "lacks"), "program": ("accepts", "rejects")}[name]
    other_inside = inside if earlier[1] != answer else not inside
    return (
        f"the {name} {verbs[not inside]} {show_prompt(word)}, to which answer returns {answer!r}, and "
        f"{verbs[not other_inside]} {show_prompt(earlier[0])}, to which it returns {earlier[1]!r}; "
        "there must be one answer inside and another one outside."
    )


def _accepts(task: PythonTask, word: tuple[str, ...]) -> bool:
    assert task.facts.program is not None
    return accepts(task.facts.program, word, run=run_outputs)


def _written(task: PythonTask, word: tuple[str, ...]) -> list[str] | str:
    assert task.facts.program is not None
    try:
        return list(generate(task.facts.program, (*word, SEP), max_length=1000, run=run_outputs))
    except LengthwiseError as problem:
        return problem.message


def _summary(task: PythonTask) -> Finding:
    made = task.made
    last = "on" if made.max_length is None else f"to {made.max_length}"
    facts = made.facts
    rests = "rests on a language" if facts.language is not None else "rests on a program"
    if facts.language is None and facts.program is None:
        rests = "knows nothing of it"
    return note(
        f"{counted(len(task.symbols), 'symbol')}; lengths from {made.min_length} {last}; a sampler "
        f"{'of its own' if made.sample is not None else 'of uniform symbols'}; theory {rests}."
    )
