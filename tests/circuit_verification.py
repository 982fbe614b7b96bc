"""Whether a circuit answers as its layout does: on all instances while there are few, then on random ones.

Verification is teacher-forced: every gate reads the true tokens before it, so that one wrong gate is one finding. A circuit that is
right at every step is right when it reads its own tokens. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.theory.positions.circuits import Circuit, Gate, Operator
from lengthwise.theory.positions.layout import Instance, Tokens

MAX_INSTANCES = 20_000
NUM_SAMPLES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """An instance and a step at which a gate gives another token than the answer has."""

    scale: int
    step: int
    prompt: Tokens
    gate: Gate
    symbols: Tokens
    expected: str
    computed: str | None  # None: the table has no such row

    def __str__(self) -> str:
        computed = "nothing" if self.computed is None else self.computed
        return (
            f"scale {self.scale}, prompt {' '.join(self.prompt)}, step {self.step}: {self.gate.operator}"
            f"({', '.join(self.symbols)}) gives {computed}, the answer has {self.expected}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was compared: all instances of scales 1 to ``exhaustive``, random ones of those up to ``max_scale``."""

    circuit: str
    max_scale: int
    exhaustive: int
    num_instances: int
    counterexample: Counterexample | None

    @property
    def passed(self) -> bool:
        """Whether no counterexample was found."""
        return self.counterexample is None


def verify(
    circuit: Circuit,
    max_scale: int,
    *,
    max_instances: int = MAX_INSTANCES,
    num_samples: int = NUM_SAMPLES,
    seed: int = 0,
) -> Verification:
    """Compare a circuit with its layout's answers at scales 1 to ``max_scale``, up to the first counterexample."""
    if max_scale < 1:
        raise InvalidOptionError(f"max_scale {max_scale} is too small: scales start at 1.", hint="use 8.")
    random = Random(seed)
    exhaustive = number = 0
    found = None
    for scale in range(1, max_scale + 1):
        whole = circuit.layout.num_instances(scale) <= max_instances
        gates = gates_of(circuit, scale)
        for instance in _instances(circuit, scale, num_samples, None if whole else random):
            number += 1
            found = compare(circuit, scale, gates, instance)
            if found is not None:
                break
        if found is not None:
            break
        exhaustive = scale if whole and exhaustive == scale - 1 else exhaustive
    return Verification(
        circuit=circuit.name, max_scale=max_scale, exhaustive=exhaustive, num_instances=number, counterexample=found
    )


def compare(circuit: Circuit, scale: int, gates: list[Gate], instance: Instance) -> Counterexample | None:
    """Return the first step of an instance at which a gate gives another token than the answer has."""
    prompt, answer = instance
    tokens = (*prompt, *answer)
    for step, (gate, expected) in enumerate(zip(gates, answer, strict=True), start=1):
        symbols = tuple(tokens[place] for place in gate.operands)
        computed = circuit.operators[gate.operator](symbols)
        if computed != expected:
            return Counterexample(
                scale=scale,
                step=step,
                prompt=prompt,
                gate=gate,
                symbols=symbols,
                expected=expected,
                computed=computed,
            )
    return None


def gates_of(circuit: Circuit, scale: int) -> list[Gate]:
    """Return the gates of one scale, in order."""
    return [circuit.gate(scale, step) for step in range(1, circuit.layout.answer_length(scale) + 1)]


def _instances(circuit: Circuit, scale: int, num_samples: int, random: Random | None) -> Iterator[Instance]:
    if random is None:
        yield from circuit.layout.instances(scale)
    else:
        for _ in range(num_samples):
            yield circuit.layout.sample(scale, random)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A changed wire that gives the right token on all instances of its scale, and why."""

    step: int
    slot: int  # from 1
    operand: int
    instead: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutants:
    """What verification makes of changed circuits: each has one wire or one row of a table changed."""

    circuit: str
    scale: int
    num_wires: int
    num_rows: int
    rows_caught: int
    survivors: tuple[Survivor, ...]  # wires only; all instances were tried, so that these are equivalent circuits

    @property
    def wires_caught(self) -> int:
        """How many changed wires give a wrong token on some instance."""
        return self.num_wires - len(self.survivors)


def mutate(circuit: Circuit, scale: int, *, max_instances: int = MAX_INSTANCES) -> Mutants:
    """Change every wire of a scale to every other visible position, and every row that is met there, one at a time."""
    if circuit.layout.num_instances(scale) > max_instances:
        raise CapExceededError(
            f"layout {circuit.layout.name} has {circuit.layout.num_instances(scale):,} instances at scale {scale}: "
            f"at most {max_instances:,} are tried for every change.",
            hint="use a smaller scale.",
        )
    instances = [*circuit.layout.instances(scale)]
    gates = gates_of(circuit, scale)
    survivors: list[Survivor] = []
    num_wires = 0
    for step, gate in enumerate(gates, start=1):
        for slot, instead in product(range(len(gate.operands)), range(circuit.query(scale, step) + 1)):
            if instead == gate.operands[slot]:
                continue
            num_wires += 1
            operands = (*gate.operands[:slot], instead, *gate.operands[slot + 1 :])
            changed = [*gates[: step - 1], Gate(operator=gate.operator, operands=operands), *gates[step:]]
            if any(compare(circuit, scale, changed, instance) for instance in instances):
                continue
            reason = _reason(circuit.operators[gate.operator], gate, slot, instead, instances)
            survivors.append(
                Survivor(step=step, slot=slot + 1, operand=gate.operands[slot], instead=instead, reason=reason)
            )
    num_rows, rows_caught = _mutate_rows(circuit, scale, gates, instances)
    return Mutants(
        circuit=circuit.name,
        scale=scale,
        num_wires=num_wires,
        num_rows=num_rows,
        rows_caught=rows_caught,
        survivors=tuple(survivors),
    )


def _mutate_rows(circuit: Circuit, scale: int, gates: list[Gate], instances: list[Instance]) -> tuple[int, int]:
    """Return how many changed rows there are, one result at a time, and how many of them are caught."""
    results = sorted({token for _, answer in instances for token in answer})
    met: dict[tuple[str, Tokens], list[Instance]] = {}  # each row with the instances that meet it: others cannot tell
    for prompt, answer in instances:
        tokens = (*prompt, *answer)
        for gate in gates:
            told = met.setdefault((gate.operator, tuple(tokens[place] for place in gate.operands)), [])
            told.append((prompt, answer))
    number = caught = 0
    for (name, row), meeting in met.items():
        right = circuit.operators[name](row)
        for wrong in results:
            if wrong != right:
                number += 1
                changed = replace(circuit, operators={**circuit.operators, name: _changed(circuit, name, row, wrong)})
                caught += any(compare(changed, scale, gates, instance) for instance in meeting)
    return number, caught


def _changed(circuit: Circuit, name: str, row: Tokens, wrong: str) -> Operator:
    """Return an operator with another result in one row."""
    operator = circuit.operators[name]

    def apply(*symbols: str) -> str:
        told = wrong if symbols == row else operator(symbols)
        return "" if told is None else told

    return Operator(name=name, arity=operator.arity, apply=apply)


def _reason(operator: Operator, gate: Gate, slot: int, instead: int, instances: list[Instance]) -> str:
    """Return why a changed wire is right on every instance."""
    place = gate.operands[slot]
    full = [(*prompt, *answer) for prompt, answer in instances]
    if all(tokens[place] == tokens[instead] for tokens in full):
        return "the other position holds the same symbol on every instance"
    symbols = sorted({tokens[each] for tokens in full for each in (place, instead)})
    rows = {tuple(tokens[each] for each in gate.operands) for tokens in full}
    if all(len({operator((*row[:slot], each, *row[slot + 1 :])) for each in symbols}) == 1 for row in rows):
        return "the operand makes no difference at this gate"
    return "wherever the two symbols differ, the result is the same"
