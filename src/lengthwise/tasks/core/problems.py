"""Problems of circuits by name, with parameters in parentheses: ``copy(abc)``, ``addition(2)``; and those that tasks are.

A problem has a name of its own, because it may be a task in more than one alphabet, or none: ``copy`` is both unique_copy and
repeat_copy. The families of tasks say which problem each is. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from ...errors import InvalidOptionError, unknown_name
from ...names import read_call, read_parameters
from ...theory.positions.circuits import Circuit
from ...theory.positions.problem import Problem
from .catalog import TASKS, ByName

PROBLEMS: ByName[Callable[..., Problem]] = ByName(
    {
        "copying.copies": "copy",
        "copying.permutations": "shift odds_first swap_pairs transpose",
        "copying.reversal": "reverse",
        "copying.copy_every": "copy_every copy_every_marked",
        "ordering.sort": "sort",
        "ordering.largest": "running_max",
        "counting.majorities": "parity",
        "scratchpads.steps": "parity_cot",
        "scratchpads.aligned_parity": "parity_cot_aligned",
        "arithmetic.circuits": ("addition addition_plain addition_padded mul_1xn mul_nxn div_1 div_1_cot increment"),
    },
    lambda module: module.PROBLEMS,
)
"""What makes a problem from its parameters, by name; a module is imported when one of its problems is asked for."""


def find_problem(text: str, *, kind: str = "problem") -> Problem:
    """Return the problem of a name with its parameters; a problem's own name is one of these.

    >>> find_problem("sort").circuit is None, find_problem("addition(2)").definition
    (True, 'the sum of two numbers, least significant digits first')
    """
    call = read_call(text)
    name = call.name if call else text
    if name not in PROBLEMS:
        raise unknown_name(kind, name, PROBLEMS)
    make = PROBLEMS[name]
    arguments = [argument for argument in call.arguments if argument] if call else []
    parameters = [*signature(make).parameters.values()]
    if len(arguments) > len(parameters):
        allowed = ", ".join(parameter.name for parameter in parameters) or "none"
        raise InvalidOptionError(
            f"{kind} {text!r} has {len(arguments)} parameters. Allowed: {allowed}.", hint=f"try {name!r}."
        )
    values: list[int | str] = []
    for parameter, argument in zip(parameters, arguments, strict=False):
        if parameter.annotation not in ("int", int):
            values.append(argument)
        elif argument.isascii() and argument.isdigit():
            values.append(int(argument))
        else:
            raise InvalidOptionError(
                f"{parameter.name} {argument!r} of {kind} {name!r} is not a number.", hint=f"try {name}(2)."
            )
    return make(*values)


def find_circuit(text: str) -> Circuit:
    """Return the circuit of a problem; raise if it has none.

    >>> find_circuit("div_1(3)").note
    'z_t = u(d, a_t, a_{t−1}, z_{t−1})'
    """
    problem = find_problem(text, kind="circuit")
    if problem.circuit is None:
        raise InvalidOptionError(
            f"the problem {problem.name!r} has no circuit of bounded arity.", hint="for example copy or addition(2)."
        )
    return problem.circuit


def problem_of(task: str) -> Problem | None:
    """Return the problem that a task is, by the task's name; None where it is none.

    >>> problem_of("shift(3)").name, problem_of("majority")
    ('shift(3, ab)', None)
    """
    call = read_call(task)
    if call is None or call.name not in TASKS:
        return None
    family = TASKS[call.name]
    if family.problem is None:
        return None
    try:
        values = read_parameters(family.name, family.parameters, call.arguments)
    except InvalidOptionError:  # it is no task: some problems share its name, as in copy_every(2, abc)
        return None
    return family.problem(*values)
