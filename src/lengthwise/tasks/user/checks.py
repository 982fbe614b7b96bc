"""Everything that is wrong with a Python task file, found by asking it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidOptionError, LengthwiseError, UserCodeError
from .definition import Definition, read_definition
from .fact_checks import check_facts
from .findings import Finding, counted, error, errors_of, note, warning
from .process.functions import ATTEMPTS, TRIALS
from .python_task import PythonTask
from .shortcut_checks import check_shortcuts
from .source import Random, brief, read_source, show_prompt
from .task_process import TaskProcess

PATIENCE = 10.0
"""Seconds of CPU time that a process has for one question, and for all about prompts and answers."""
SEEDS = ("1", "2")
_CANDIDATES, _FEW_VALID = 200, 10
_SLOW = 0.002
_KEYS_PER_LENGTH = 6
_FIRST_LENGTHS, _LATER_LENGTHS = 12, (16, 20, 30)
_HINTS = {
    "raises": "correct it, or keep such prompts away with is_valid().",
    "changes": "work on a copy: prompt = list(prompt).",
    "size": "ask for less.",
    "symbol": "name further symbols of answers in answer_alphabet.",
    "kind": 'return a list, for example ["y"].',
}
_KINDS = {"size": "kind", "symbol": "kind"}  # one finding for what is no list of known symbols
Prompt = list[str]


def check_python(path: str, *, seeds: Sequence[str] = SEEDS, patience: float = PATIENCE) -> list[Finding]:
    """Return everything there is to say about a Python task file.

    It is asked in a process for each of these seeds of hashes: everything in the first one, and in the others whether the
    same prompts and answers come out.
    """
    text = read_source(path)
    processes = [TaskProcess(path, text, hash_seed=seed, patience=patience) for seed in seeds]
    found: list[Finding] = []
    try:
        _check(found, processes[0], processes[1:])
    except (InvalidOptionError, UserCodeError) as problem:  # what was found before is told too
        found.append(error(_without_path(problem, path), problem.hint))
    finally:
        for process in processes:
            process.close()
    return found


def _check(found: list[Finding], process: TaskProcess, others: Sequence[TaskProcess]) -> None:
    """Add findings as long as it makes sense to go on."""
    made, wrong = read_definition(process)
    found += wrong
    if made is None:
        return
    task, asked = PythonTask(made, process), _questions(made)
    prompts, sampling = _draw_prompts(task, asked)
    found += sampling
    looks, asking = _look_at_answers(task, prompts)
    found += asking
    if not errors_of([*sampling, *asking]):
        for other in others:
            found += _compare(task, other, asked, prompts, looks)
    if not errors_of(found):
        answers = [look["answer"] for look in looks if look is not None]
        known = [prompt for prompt in prompts if prompt is not None]
        found += [*_judge(task, known, answers), *_check_bound(task, known), *check_facts(task)]
    if not errors_of(found):
        found += [*check_shortcuts(task), _summary(task)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is asked of a file: a prompt from a key and a length, and its answer."""

    length: int
    key: int


def _questions(made: Definition) -> list[_Asked]:
    """Return everything that a file is asked, the shorter first."""
    first = made.min_length
    tried = [*range(first, first + _FIRST_LENGTHS), *(first + each for each in _LATER_LENGTHS)]
    lengths = [length for length in tried if made.max_length is None or length <= made.max_length]
    return [_Asked(length=length, key=997 * length + key) for length in lengths for key in range(_KEYS_PER_LENGTH)]


class _Budget:
    """The CPU time that a process has for all questions of one kind."""

    def __init__(self, process: TaskProcess) -> None:
        self._process, self._begun = process, process.seconds

    def require(self, what: str) -> None:
        """Raise if it is used up."""
        seconds = self._process.patience
        if self._process.seconds - self._begun > seconds:
            raise UserCodeError(
                f"{self._process.path!r}: the file used more than {seconds:g} s of CPU time up to {what}.",
                hint="make it faster.",
            )


def _without_path(problem: LengthwiseError, path: str) -> str:
    return problem.message.removeprefix(f"{path!r}: ")


def _draw_prompts(task: PythonTask, asked: Sequence[_Asked]) -> tuple[list[Prompt | None], list[Finding]]:
    """Return the prompt of everything asked, None where there is none, and what is wrong with the sampler."""
    problems: list[str] = []
    prompts: list[Prompt | None] = []
    budget = _Budget(task.process)
    for each in asked:
        prompt, problem = _draw_prompt(task.process, each)
        budget.require(f"a prompt of length {each.length}")
        if problem is not None:  # the oracle is asked all the same
            problems.append(_without_path(problem, task.name))
            random = Random(each.key)
            prompt = [random.choice(task.made.alphabet) for _ in range(each.length)]
        prompts.append(prompt)
    found = [error(told, "let it return a prompt of the length it is asked for.") for told in _one_of_each(problems)]
    lengths = {each.length for each in asked}
    without = sorted({each.length for each, prompt in zip(asked, prompts, strict=True) if prompt is None})
    told = ", ".join(map(str, without))
    if without and len(without) == len(lengths):
        tried = TRIALS * ATTEMPTS
        has_test = "is_valid" in task.made.functions
        who = f"none of {tried} candidates was valid" if has_test else "sample() returned None"
        found.append(
            error(
                f"there is no prompt at all, of lengths {told}: {who}.", "correct min_length, sample() or is_valid()."
            )
        )
    elif without:
        found.append(note(f"there is no prompt of lengths {told}; they are left out."))
    return prompts, found


def _draw_prompt(process: TaskProcess, asked: _Asked) -> tuple[Prompt | None, InvalidOptionError | None]:
    """Return a prompt, None where the length has none, or how the sampler fails."""
    examples, problem = process.ask_until_wrong("example", [(asked.length,)])
    if problem is not None or examples[0] is None:
        return None, problem
    prompts, problem = process.ask_until_wrong("prompt", [(asked.key, asked.length)])
    return (prompts[0] if prompts else None), problem


def _one_of_each(problems: list[str]) -> Iterator[str]:
    """Yield the first of the sentences that begin alike: one finding for one mistake."""
    seen = set()
    for told in problems:
        kind = told[:10]
        if kind not in seen:
            seen.add(kind)
            yield told


Look = dict[str, Any]
"""What ``TaskFunctions.look`` tells of an answer."""


def _look_at_answers(task: PythonTask, prompts: Sequence[Prompt | None]) -> tuple[list[Look | None], list[Finding]]:
    """Return what is told of every answer, and a finding for each kind of mistake, at the shortest prompt that shows it."""
    kinds: set[str] = set()
    looks: list[Look | None] = []
    found = []
    budget = _Budget(task.process)
    for prompt in prompts:
        look = _look(task.process, prompt, budget)
        looks.append(look)
        if look is None or "wrong" not in look:
            continue
        kind = str(_KINDS.get(look["wrong"], look["wrong"]))
        if kind not in kinds:
            kinds.add(kind)
            found.append(error(look["what"], _HINTS[look["wrong"]]))
        if look["wrong"] == "size":  # the next would be longer still
            break
    told = ""
    for prompt, look in reversed(list(zip(prompts, looks, strict=False))):  # again, in another order
        if look is None or "shown" not in look:
            continue
        again = _look(task.process, prompt, budget)
        if again is not None and _said(again) != _said(look):  # the last to be told is the shortest
            shown = again.get("shown", "nothing")
            told = f"for {show_prompt(prompt or [])} it returned {look['shown']}, then {shown}"
    if told:
        found.append(
            error(
                f"answer is not a function of its prompt: {told}.",
                "use no randomness, and nothing that an earlier call has changed.",
            )
        )
    return looks, found


def _look(process: TaskProcess, prompt: Prompt | None, budget: _Budget) -> Look | None:
    if prompt is None:
        return None
    (look,) = process.ask("look", [(prompt,)])
    budget.require(f"the answer to the prompt {show_prompt(prompt)}")
    return dict(look)


def _said(look: Look) -> object:
    return look.get("answer", look.get("shown"))


def _compare(
    task: PythonTask,
    other: TaskProcess,
    asked: Sequence[_Asked],
    prompts: Sequence[Prompt | None],
    looks: Sequence[Look | None],
) -> Iterator[Finding]:
    """Yield what comes out differently in another process."""
    kinds = set()
    other.define()
    budget = _Budget(other)
    for each, prompt, look in zip(asked, prompts, looks, strict=True):
        if prompt is None or look is None:
            continue
        drawn, problem = _draw_prompt(other, each)
        kind, told = "", ""
        if drawn != prompt:
            there = show_prompt(drawn or []) if problem is None else _without_path(problem, task.name)
            kind, told = (
                "sample",
                f"for length {each.length} it returned {show_prompt(prompt)} in one and {there} in another",
            )
        else:
            again = _look(other, prompt, budget)
            if again is not None and _said(again) != _said(look):
                there = brief(again["answer"]) if "answer" in again else again["what"]
                kind = "answer"
                told = f"for {show_prompt(prompt)} it returned {brief(look['answer'])} in one and {there} in another"
        if kind and kind not in kinds:
            kinds.add(kind)
            yield error(
                f"{kind} depends on the process: {told}.",
                "use no randomness, no hash() and no order of a set; sorted(…) makes an order of its own.",
            )


def _judge(task: PythonTask, prompts: Sequence[Prompt], answers: Sequence[list[str]]) -> Iterator[Finding]:
    """Yield what is probably not meant: constant answers, rare prompts, slowness."""
    if len(set(map(tuple, answers))) == 1 and len(prompts) > 1:
        yield warning(
            f"every answer is {show_prompt(answers[0])}, to {len(prompts)} prompts: there is nothing to learn.",
            "check answer(), or let sample() return prompts with other answers.",
        )
    longest = max(map(len, prompts))
    if "is_valid" in task.made.functions:
        (valid,) = task.process.ask("count_valid", [(longest, _CANDIDATES)])
        if valid < _FEW_VALID:
            yield warning(
                f"is_valid takes {valid} of {_CANDIDATES} candidates of length {longest}, so that the same prompts will "
                "come again and again.",
                "let sample(random, length) return valid prompts.",
            )
    (seconds,) = task.process.ask("seconds", [(longest,)])
    if seconds > _SLOW:
        yield warning(
            f"an instance of length {longest} takes {1000 * seconds:.1f} ms, so that 1000 steps of 64 take "
            f"{64 * seconds * 1000 / 60:.1f} minutes.",
            "make answer() and sample() faster, or train on shorter prompts.",
        )


def _check_bound(task: PythonTask, prompts: Sequence[Prompt]) -> Iterator[Finding]:
    """Yield what is wrong with the length of answers."""
    try:
        for prompt in prompts:
            task.answer(prompt)
    except InvalidOptionError as problem:
        yield error(_without_path(problem, task.name), problem.hint)
        return
    if "answer_length" not in task.made.functions and task.answers_vary:
        longest = max(map(len, prompts))
        yield note(
            f"answers to prompts of one length have several lengths, so {int(task.answer_length(longest))} places are kept for "
            f"an answer at length {longest}.",
            "answer_length(length), the most symbols an answer has, makes training faster if fewer do.",
        )


def _summary(task: PythonTask) -> Finding:
    made = task.made
    last = "on" if made.max_length is None else f"to {made.max_length}"
    facts = made.facts
    rests = "rests on a language" if facts.language is not None else "rests on a program"
    if facts.language is None and facts.program is None:
        rests = "knows nothing of it"
    return note(
        f"{counted(len(task.symbols), 'symbol')}; lengths from {made.min_length} {last}; a sampler "
        f"{'of its own' if 'sample' in made.functions else 'of uniform symbols'}; theory {rests}."
    )
