"""The fewest operators by a SAT solver: the question of :mod:`.search`, put as a formula.

Variables: step s takes option o; step s uses operator b; step s asks for entry e, or excludes it; operator b has entry e. What a
step asks for goes through variables of its own, so that the formula grows with the entries of all options plus (steps ×
operators × entries), not with pairs of options. Operators are numbered by their first step, and that step takes its option
in one order, as in the search. The number of operators goes down from a greedy assignment until the solver says that fewer will not do,
or until it meets the bound from the scale before. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import count
from typing import Any

from ...errors import MissingExtraError
from ...extras import install_hint
from .search import Chosen, Option, Placed

SOLVER = "cadical153"


def solve(problem: Sequence[Sequence[Option]], least: int) -> Chosen:
    """Return the fewest operators that serve every step; ``least`` is a number that fewer cannot do with."""
    pysat = _pysat()
    steps = sorted(problem, key=len)
    best = greedy(steps)
    if len(best) <= least:
        return best
    formula = Formula(steps, len(best) - 1)
    with pysat.Solver(name=SOLVER, bootstrap_with=formula.clauses) as solver:
        while len(best) > least and solver.solve(assumptions=formula.at_most(len(best) - 1)):
            best = formula.read(set(solver.get_model()))
    return best


def greedy(steps: Sequence[Sequence[Option]]) -> Chosen:
    """Return operators, not the fewest, that serve every step: each step joins where it adds least, or opens the next."""
    operators: Chosen = []
    for step in steps:
        fits = [
            ((option.entries & ~entries).bit_count(), place, option)
            for place, (entries, conflicts) in enumerate(operators)
            for option in step
            if not option.entries & conflicts
        ]
        if fits:
            _, place, option = min(fits, key=lambda item: item[:2])
            operators[place] = _join(operators[place], option)
        else:
            operators.append((step[0].entries, step[0].conflicts))
    return operators


class Formula:
    """The clauses that say: so many operators, or fewer, serve every step."""

    def __init__(self, steps: Sequence[Sequence[Option]], number: int) -> None:
        self.steps = steps
        self.number = number
        self.clauses: list[list[int]] = []
        fresh = count(1)
        self._takes = [[next(fresh) for _ in step] for step in steps]
        self._uses = [[next(fresh) for _ in range(min(number, place + 1))] for place in range(len(steps))]
        self._has: list[dict[int, int]] = [{} for _ in range(number)]
        self._fresh = fresh
        for place in range(len(steps)):
            self._add_step(place)
            self._add_order(place)

    def at_most(self, number: int) -> list[int]:
        """Return the assumptions under which only the first so many operators are used."""
        return [-variable for uses in self._uses for variable in uses[number:]]

    def read(self, model: set[int]) -> Chosen:
        """Return the operators of a model, the unused ones left out."""
        operators: dict[int, Placed] = {}
        for step, takes, uses in zip(self.steps, self._takes, self._uses, strict=True):
            option = next(option for option, variable in zip(step, takes, strict=True) if variable in model)
            operator = next(number for number, variable in enumerate(uses) if variable in model)
            operators[operator] = _join(operators.get(operator, (0, 0)), option)
        return list(operators.values())

    def _add_step(self, place: int) -> None:
        """Say that a step takes an option and uses an operator that has its entries and none of its conflicts."""
        step, takes, uses = self.steps[place], self._takes[place], self._uses[place]
        self.clauses += [takes, uses]
        wanted, excluded = [option.entries for option in step], [option.conflicts for option in step]
        for sign, entries in ((1, wanted), (-1, excluded)):
            asks: dict[int, int] = {}
            for asked_for, variable in zip(entries, takes, strict=True):
                for bit in _bits(asked_for):
                    if bit not in asks:
                        asks[bit] = next(self._fresh)
                    self.clauses.append([-variable, asks[bit]])
            for operator, used in enumerate(uses):
                has = self._has[operator]
                for bit, asked in asks.items():
                    if bit not in has:
                        has[bit] = next(self._fresh)
                    self.clauses.append([-used, -asked, sign * has[bit]])

    def _add_order(self, place: int) -> None:
        """Say that a step opens an operator only as the next one, and then in a leading order."""
        leads = next(self._fresh)
        self.clauses += [
            [-leads, -variable]
            for option, variable in zip(self.steps[place], self._takes[place], strict=True)
            if not option.leading
        ]
        for operator, used in enumerate(self._uses[place]):
            before = [uses[operator] for uses in self._uses[:place] if operator < len(uses)]
            self.clauses.append([-used, leads, *before])
            if operator:
                previous = [uses[operator - 1] for uses in self._uses[:place] if operator - 1 < len(uses)]
                self.clauses.append([-used, *previous])


def _join(operator: Placed, option: Option) -> Placed:
    return operator[0] | option.entries, operator[1] | option.conflicts


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _pysat() -> Any:
    try:
        return import_module("pysat.solvers")
    except ImportError as error:
        raise MissingExtraError(
            "the SAT solver needs python-sat, which is not installed.", hint=install_hint("solver")
        ) from error
