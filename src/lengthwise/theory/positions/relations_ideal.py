"""The ideal relation of a circuit as a few integer equations, which hold at any length.

For each operand slot, a list of pieces: the first piece whose condition holds at (n, t) gives the equation a·i + b·q + c·n + d = 0,
and with a ≠ 0 at most one position i solves it. The pieces are fitted to all gates up to a scale and describe these exactly; past
that scale they are a guess that :func:`describes` can check. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from .circuits import COMPARED_SCALES, Circuit

MAX_PIECES = 4
MAX_CONSTANT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Equation:
    """The relation a·i + b·q + c·n + d = 0 between key, query and scale.

    >>> print(Equation(key=1, query=-1, scale=1, constant=0), Equation(key=1, query=1, scale=-2, constant=1), sep="; ")
    q − i = n; q + i = 2n − 1
    """

    key: int
    query: int
    scale: int
    constant: int

    def holds(self, key: int, query: int, scale: int) -> bool:
        """Say whether the equation holds for a key, a query and a scale."""
        return self.key * key + self.query * query + self.scale * scale + self.constant == 0

    def __str__(self) -> str:
        if (self.key, self.query, self.scale, self.constant) == (1, -1, 0, 0):
            return "i = q"
        if self.key == 1 and abs(self.query) == 1:
            left = "q − i" if self.query < 0 else "q + i"
            turned = -self.query  # q − i = c·n + d, but q + i = −c·n − d
            return f"{left} = {_sum(((turned * self.scale, 'n'), (turned * self.constant, '')))}"
        right = ((-self.query, "q"), (-self.scale, "n"), (-self.constant, ""))
        return f"{'' if self.key == 1 else self.key}i = {_sum(right)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """When a piece holds, as a function of scale and step."""

    text: str
    holds: Callable[[int, int], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An equation and when it holds, unless an earlier piece does."""

    equation: Equation
    condition: Condition

    def __str__(self) -> str:
        return f"{self.equation} {self.condition.text}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Where one operand stands; no pieces when no few small equations describe it."""

    number: int
    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        told = ", else ".join(map(str, self.pieces)) or "no few small equations"
        return f"slot {self.number}: {told}"


def equations_of(circuit: Circuit, *, max_scale: int = COMPARED_SCALES) -> tuple[Slot, ...]:
    """Return for each operand slot the fewest simple pieces that describe it at every gate up to a scale.

    >>> from lengthwise.tasks.core.problems import find_circuit
    >>> print(*equations_of(find_circuit("parity_cot")), sep="; ")
    slot 1: q − i = n; slot 2: i = q
    """
    points: dict[int, list[_Point]] = {}
    for scale, step, gate in circuit.gates(min(max_scale, circuit.cap)):
        query = circuit.query(scale, step)
        for slot, place in enumerate(gate.operands, start=1):
            points.setdefault(slot, []).append(_Point(scale=scale, step=step, query=query, key=place))
    found = [*_equations(), *_long(points), *_of_steps(circuit)]
    return tuple(Slot(number=slot, pieces=_fit(told, found)) for slot, told in sorted(points.items()))


def describes(slots: tuple[Slot, ...], circuit: Circuit, max_scale: int) -> bool:
    """Say whether at every gate up to a scale each slot's equation holds for the operand and for no other visible position."""
    for scale, step, gate in circuit.gates(max_scale):
        query = circuit.query(scale, step)
        if len(slots) < len(gate.operands):
            return False
        for slot, place in zip(slots, gate.operands, strict=False):  # a gate may have fewer operands than others
            piece = next((piece for piece in slot.pieces if piece.condition.holds(scale, step)), None)
            if piece is None:
                return False
            if [key for key in range(query + 1) if piece.equation.holds(key, query, scale)] != [place]:
                return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    scale: int
    step: int
    query: int
    key: int


def _equations() -> list[Equation]:
    """Return the small equations, simplest first."""
    found = []
    for key, query, scale in product((1, 2), range(-4, 5), range(-4, 5)):
        largest = MAX_CONSTANT if not scale and query in (0, -1) else 4
        for constant in range(-largest, largest + 1):
            turned = 0 if query in (0, -1) else 1 + abs(query)  # i = … and q − i = … are the simplest forms
            size = 3 * (key - 1) + turned + abs(scale) + abs(constant)
            found.append((size, key, abs(query), Equation(key=key, query=query, scale=scale, constant=constant)))
    found.sort(key=lambda told: (told[:3], told[3].query, told[3].scale, told[3].constant))
    return [equation for *_, equation in found]


def _long(points: dict[int, list[_Point]]) -> list[Equation]:
    """Return q − i = d for the distances of the first gate that are too large to be among the small equations."""
    first = {told[0].query - told[0].key for told in points.values()}
    return [
        Equation(key=1, query=-1, scale=0, constant=distance) for distance in sorted(first) if distance > MAX_CONSTANT
    ]


def _of_steps(circuit: Circuit) -> list[Equation]:
    """Return i = b(t − 1) + c·n + d for small numbers, where several symbols of the prompt belong to one n.

    Written with q, such equations have numbers that are too large to be among the small ones.
    """
    one, two, three = (circuit.layout.prompt_length(scale) for scale in (1, 2, 3))
    if two - one < 2 or three - two != two - one:
        return []
    found = []
    for step, scale, constant in product(range(1, 5), range(-12, 1), range(5)):
        # q = prompt length + t − 2, so that t − 1 = q − (two − one)·n − (2·one − two) + 1
        moved = Equation(
            key=1,
            query=-step,
            scale=step * (two - one) - scale,
            constant=step * (2 * one - two - 1) - constant,
        )
        found.append((step + abs(scale) + constant, step, moved))
    return [equation for *_, equation in sorted(found, key=lambda told: told[:2])]


ALWAYS = Condition(text="", holds=lambda scale, step: True)  # noqa: ARG005


def _conditions() -> list[Condition]:
    """Return the conditions that split a slot, simplest first."""
    conditions = [
        Condition(text="at t = 1", holds=lambda scale, step: step == 1),  # noqa: ARG005
        Condition(text="for t < n", holds=lambda scale, step: step < scale),
        Condition(text="for t ≤ ⌈n/2⌉", holds=lambda scale, step: 2 * step <= scale + 1),
        Condition(text="for odd t", holds=lambda scale, step: step % 2 == 1),  # noqa: ARG005
        Condition(text="for odd n", holds=lambda scale, step: scale % 2 == 1),  # noqa: ARG005
    ]
    for number in (1, 2, 3):
        conditions.append(_at_scale(number))
        conditions.append(_before_the_end(number))
    conditions.append(Condition(text="for even t", holds=lambda scale, step: step % 2 == 0))  # noqa: ARG005
    conditions.append(Condition(text="for t ≤ n", holds=lambda scale, step: step <= scale))
    conditions.append(Condition(text="for t ≤ 2n", holds=lambda scale, step: step <= 2 * scale))
    conditions.append(Condition(text="for t ≤ 3n", holds=lambda scale, step: step <= 3 * scale))
    return conditions


def _at_scale(number: int) -> Condition:
    return Condition(text=f"at n = {number}", holds=lambda scale, step: scale == number)  # noqa: ARG005


def _before_the_end(number: int) -> Condition:
    return Condition(text=f"for t ≤ n − {number}", holds=lambda scale, step: step <= scale - number)


def _fit(points: list[_Point], equations: list[Equation]) -> tuple[Piece, ...]:
    """Return the fewest pieces for the points of one slot, or none."""
    masks = [_mask(point, equations) for point in points]
    conditions = _conditions()
    truths = [[condition.holds(point.scale, point.step) for point in points] for condition in conditions]

    def simplest(chosen: list[int]) -> Equation | None:
        common = -1
        for each in chosen:
            common &= masks[each]
        return equations[(common & -common).bit_length() - 1] if common else None

    def split(rest: list[int], num_pieces: int) -> tuple[Piece, ...] | None:
        whole = simplest(rest)
        if whole is not None:
            return (Piece(equation=whole, condition=ALWAYS),)
        if num_pieces == 1:
            return None
        for condition, truth in zip(conditions, truths, strict=True):
            chosen = [each for each in rest if truth[each]]
            equation = simplest(chosen) if chosen and len(chosen) < len(rest) else None
            if equation is not None:
                others = split([each for each in rest if not truth[each]], num_pieces - 1)
                if others is not None:
                    return (Piece(equation=equation, condition=condition), *others)
        return None

    for number in range(1, MAX_PIECES + 1):
        pieces = split([*range(len(points))], number)
        if pieces is not None:
            return pieces
    return ()


def _mask(point: _Point, equations: list[Equation]) -> int:
    """Return a number whose bits say which equations hold at a point."""
    mask = 0
    for bit, equation in enumerate(equations):
        if equation.holds(point.key, point.query, point.scale):
            mask |= 1 << bit
    return mask


def _sum(terms: tuple[tuple[int, str], ...]) -> str:
    told = ""
    for number, name in terms:
        if number:
            size = name if name and abs(number) == 1 else f"{abs(number)}{name}"
            sign = ("− " if told else "−") if number < 0 else ("+ " if told else "")
            told += f"{' ' if told else ''}{sign}{size}"
    return told or "0"
