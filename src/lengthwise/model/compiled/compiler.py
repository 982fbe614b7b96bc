"""From a program to a circuit.

Truths are coordinates that are exactly 0 or 1. A count C at position i, where m = i + 1 tokens are seen, is never there as
such: a comparison of counts is one linear form, and its channel is that form's average, C/m; token 0 carries the constant.
With 1/(2m) added, the average lies at least 1/(2m) away from 0, on the side of the answer.

A *failure* of a truth is a form that is 0 where the truth holds and at least 1 where it does not. Failures of several
truths add up to a failure of all of them, and one more unit turns a failure into a truth. At token 0 all of this is 0.
"""

from __future__ import annotations

from math import ceil, log2

from ...crasp import syntax
from ...errors import CapExceededError
from .circuit import RELU, STEP, Channel, Circuit, Form, Style, Unit, make_form
from .expressions import Expressions, Linear
from .splits import Split

SLOPE = 2.0**60
MAX_PERIOD = 10_000
MAX_DISTANCES = 99
MAX_SIZE = 2.0**48
"""Of all factors of a comparison together: with this, sums of whole numbers and halves are exact in 64-bit floats."""


def make_circuit(program: syntax.Program, style: Style, *, slope: float = SLOPE) -> Circuit:
    """Return a circuit that has, at every position of every word, the outputs of the program.

    With steps this holds for all lengths; with ReLU units for those below half of the slope.
    """
    try:
        return _Compiler(Expressions(program), style, slope).circuit
    except RecursionError:
        raise CapExceededError(
            "the program is nested too deeply to be compiled.", hint="write it with fewer counts inside each other."
        ) from None


class _Compiler:
    """One program on its way to a circuit; every expression is compiled when it is first needed."""

    def __init__(self, expressions: Expressions, style: Style, slope: float) -> None:
        self.expressions = expressions
        self.circuit = Circuit(style=style, symbols=expressions.program.symbols, moduli=expressions.moduli())
        if self.circuit.period > MAX_PERIOD:
            raise CapExceededError(
                f"positions repeat with period {self.circuit.period}, the least common multiple of the moduli; "
                f"at most {MAX_PERIOD} is allowed.",
                hint="use smaller moduli.",
            )
        self.steps = style is Style.STEPS
        self.slope = slope
        self._values: dict[int, Form] = {}
        self._failures: dict[tuple[int, bool], tuple[Form, bool]] = {}
        self._splits: dict[Linear, Split] = {}
        self._numbers: dict[tuple[Split, bool], Form] = {}
        self._made: dict[object, int] = {}
        self.inverse = self._average(make_form({Circuit.BOS: 1.0}), "1/m")
        for name, number in expressions.outputs.items():
            self.circuit.outputs[name] = self._value(number)
        if len(self.circuit.distances) > MAX_DISTANCES:
            raise CapExceededError(
                f"the program looks back {len(self.circuit.distances)} different distances, "
                f"which takes a head each; at most {MAX_DISTANCES} are allowed.",
                hint="use fewer distances.",
            )

    # Truths

    def _value(self, number: int) -> Form:
        """Return a truth as a form that is exactly 0 or 1 at every position."""
        if number not in self._values:
            self._values[number] = self._compute_value(number)
        return self._values[number]

    def _compute_value(self, number: int) -> Form:
        known = self._from_input(number)
        if known is not None:
            return known
        node, parts = self.expressions.nodes[number], self.expressions.parts[number]
        if isinstance(node, syntax.Not):
            return _opposite(self._value(parts[0]))
        if isinstance(node, syntax.Or) or (isinstance(node, syntax.Compare) and node.sign == "!="):
            return _opposite(self._decided(self._failure(number, False)))
        return self._decided(self._failure(number, True))

    def _decided(self, failure: tuple[Form, bool]) -> Form:
        """Return the truth of a failure: the failure's opposite if that is 0 or 1 already, or else a unit."""
        form, is_exact = failure
        if is_exact:
            return _opposite(form)
        return make_form({self._unit(STEP if self.steps else RELU, form.times(-1).add(0.5 if self.steps else 1)): 1.0})

    def _failure(self, number: int, wanted: bool) -> tuple[Form, bool]:
        """Return a failure of a truth, or of its opposite, and whether it is 0 or 1."""
        key = (number, wanted)
        if key not in self._failures:
            self._failures[key] = self._compute_failure(number, wanted)
        return self._failures[key]

    def _compute_failure(self, number: int, wanted: bool) -> tuple[Form, bool]:
        known = self._from_input(number)
        if known is not None:
            return (_opposite(known) if wanted else known), True
        node, parts = self.expressions.nodes[number], self.expressions.parts[number]
        match node:
            case syntax.Not():
                return self._failure(parts[0], not wanted)
            case syntax.And() | syntax.Or():
                if isinstance(node, syntax.And) is not wanted:  # some part must hold: all opposites together must fail
                    return self._decided(self._all(parts, wanted=not wanted)), True
                return self._all(parts, wanted=wanted)
            case syntax.Compare(sign):
                return self._compared(number, sign if wanted else _OPPOSITE[sign])
        raise AssertionError(node)

    def _all(self, parts: tuple[int, ...], *, wanted: bool) -> tuple[Form, bool]:
        """Return a failure of all these truths, or of all their opposites."""
        failures = [self._failure(part, wanted) for part in parts]
        total = Form()
        for form, _ in failures:
            total = total.plus(form)
        return total, len(failures) == 1 and failures[0][1]

    def _compared(self, number: int, sign: str) -> tuple[Form, bool]:
        """Return a failure of a comparison."""
        difference = self.expressions.difference(number)
        if sign == "!=":
            equal, is_exact = self._compared(number, "=")
            return self._decided((equal, is_exact)), True
        if sign == "=":  # the two cannot fail together
            below, _ = self._compared(number, ">=")
            above, _ = self._compared(number, "<=")
            return below.plus(above), self.steps
        factor = 1 if sign in (">", ">=") else -1
        half = 0.5 if sign in (">=", "<=") else -0.5
        return self._negative(Linear((), 0).plus(difference, factor), half), self.steps

    def _negative(self, count: Linear, half: float) -> Form:
        """Return a form that is 0 where a count plus a half is positive, and at least 1 where it is negative."""
        split = self._split(count)
        if split.bound > MAX_SIZE:
            raise CapExceededError(
                f"the factors of a comparison add up to {split.bound:.0f}; at most 2^48 = {MAX_SIZE:.0f} is allowed.",
                hint="use smaller factors.",
            )
        averaged = split.is_averaged
        form = self._number(split, averaged=averaged)
        form = form.plus(make_form({self.inverse: half})) if averaged else form.add(half)
        self.circuit.decisions.add(split.decision)
        if self.steps:
            return make_form({self._unit(STEP, form.times(-1)): 1.0})
        slope = self.slope if averaged else 4.0
        return make_form({self._unit(RELU, form.times(-slope).add(0.5)): 1.0})

    def _from_input(self, number: int) -> Form | None:
        """Return a truth that is a function of the symbol alone, or of one residue alone: a form of the input."""
        leaves = [self.expressions.nodes[each] for each in self.expressions.reachable([number])]
        if any(
            not isinstance(leaf, (syntax.Symbol, syntax.Constant, syntax.Modulo, syntax.Not, syntax.And, syntax.Or))
            for leaf in leaves
        ):
            return None
        moduli = {leaf.modulus for leaf in leaves if isinstance(leaf, syntax.Modulo) and leaf.modulus > 1}
        has_symbols = any(isinstance(leaf, syntax.Symbol) for leaf in leaves)
        if len(moduli) + has_symbols > 1:
            return None
        if moduli:
            (modulus,) = moduli
            places = {residue: self.circuit.residue_at[modulus, residue] for residue in range(modulus)}
            truths = {place: self._holds(number, None, residue) for residue, place in places.items()}
            return make_form({place: 1.0 for place, truth in truths.items() if truth})
        base = self._holds(number, None, 0)  # at the end marker, which carries no symbol
        terms = {
            place: float(self._holds(number, symbol, 0) - base) for symbol, place in self.circuit.symbol_at.items()
        }
        return make_form(terms, float(base))

    def _holds(self, number: int, symbol: str | None, position: int) -> bool:
        """Return whether a truth about the input alone holds."""
        parts = self.expressions.parts[number]
        match self.expressions.nodes[number]:
            case syntax.Symbol(name):
                return name == symbol
            case syntax.Constant(value):
                return value
            case syntax.Modulo(modulus, residue):
                return position % modulus == residue
            case syntax.Not():
                return not self._holds(parts[0], symbol, position)
            case syntax.And():
                return all(self._holds(part, symbol, position) for part in parts)
            case syntax.Or():
                return any(self._holds(part, symbol, position) for part in parts)
        raise AssertionError(number)

    # Counts

    def _split(self, count: Linear) -> Split:
        """Return the terms of a count by how they are computed; equal counts have one split."""
        if count not in self._splits:
            self._splits[count] = self._compute_split(count)
        return self._splits[count]

    def _compute_split(self, count: Linear) -> Split:
        split = Split()
        pending = [(1, count)]
        while pending:
            factor, linear = pending.pop()
            split.constant += factor * linear.constant
            for number, value in linear.terms:
                parts = self.expressions.parts[number]
                match self.expressions.nodes[number]:
                    case syntax.Count():
                        split.add(split.averages, parts[0], factor * value)
                    case syntax.CountBefore():
                        split.add(split.averages, parts[0], factor * value)
                        split.add(split.near, (0, parts[0]), -factor * value)
                    case syntax.CountAt(_, distances):
                        for distance in distances:
                            split.add(split.near, (distance, parts[0]), factor * value)
                    case syntax.Choice():
                        condition, then, otherwise = parts
                        second = self.expressions.linear(otherwise)
                        pending.append((factor * value, second))
                        gap = self.expressions.linear(then).plus(second, -1)
                        split.add(split.gates, (condition, self._split(gap)), factor * value)
        return split

    def _number(self, split: Split, *, averaged: bool) -> Form:
        """Return a count at every position: divided by m if it is averaged, and as it is if it is not."""
        key = (split, averaged)
        if key not in self._numbers:
            self._numbers[key] = self._compute_number(split, averaged=averaged)
        return self._numbers[key]

    def _compute_number(self, split: Split, *, averaged: bool) -> Form:
        form = Form()
        if averaged and split.averages:
            inside = make_form({Circuit.BOS: float(split.constant)})
            for number, factor in split.averages.items():
                inside = inside.plus(self._clean(number), factor)
            form = make_form({self._average(inside, "average"): 1.0})
        elif averaged:
            form = make_form({self.inverse: float(split.constant)})
        else:
            form = Form((), float(split.constant))
        if averaged:
            for (distance, number), factor in split.near.items():
                near = self._value(number) if not distance else self._back({(distance, number): 1})
                form = form.plus(self._divided(near), factor)
        else:
            here = {number: factor for (distance, number), factor in split.near.items() if not distance}
            for number, factor in here.items():
                form = form.plus(self._value(number), factor)
            form = form.plus(self._back({key: factor for key, factor in split.near.items() if key[0]}))
        for (condition, inside_gate), factor in split.gates.items():
            gate = self._gated(self._value(condition), self._number(inside_gate, averaged=averaged), inside_gate.bound)
            form = form.plus(gate, factor)
        self.circuit.local_weight = max(self.circuit.local_weight, split.near_weight)
        return form

    def _clean(self, number: int) -> Form:
        """Return a truth as a linear form that is 0 at token 0."""
        form = self._value(number)
        if any(self.circuit.coordinates[each].at_bos for each, _ in form.terms):
            form = make_form({self._unit(STEP if self.steps else RELU, form.add(-0.5 if self.steps else 0)): 1.0})
        return Form(form.terms).plus(make_form({Circuit.HERE: form.constant}))

    def _average(self, inside: Form, name: str) -> int:
        """Return the coordinate that averages a linear form over all tokens seen."""
        return self._channel({None: inside}, name)

    def _back(self, near: dict[tuple[int, int], int]) -> Form:
        """Return the sum of truths at distances back, nearly: what leaks is bounded in the docs, and below any gap."""
        by_distance: dict[int | None, Form] = {}
        for (distance, number), factor in near.items():
            by_distance[distance] = by_distance.get(distance, Form()).plus(self._clean(number), factor)
        return make_form({self._channel(by_distance, "back"): 1.0}) if by_distance else Form()

    def _channel(self, forms: dict[int | None, Form], name: str) -> int:
        key = ("channel", tuple(sorted(forms.items(), key=lambda each: (each[0] is not None, each[0] or 0))))
        if key not in self._made:
            circuit = self.circuit
            layer = (circuit.time_of(*forms.values()) + 1) // 2 + 1
            at_bos = sum(circuit.at_bos(form) for form in forms.values())
            target = circuit.new(name, 2 * layer - 1, at_bos=at_bos)
            circuit.channels += [
                Channel(layer=layer, distance=distance, form=form, target=target) for distance, form in forms.items()
            ]
            self._made[key] = target
        return self._made[key]

    def _divided(self, truth: Form) -> Form:
        """Return a truth divided by m: ReLU(1/m + truth − 1)."""
        form = truth.plus(make_form({self.inverse: 1.0})).add(-1)
        return make_form({self._unit(RELU, form): 1.0})

    def _gated(self, condition: Form, count: Form, bound: float) -> Form:
        """Return a count of at most this size where the condition holds, and 0 elsewhere."""
        size = 2.0 ** ceil(log2(max(1.0, bound)))
        shut = condition.times(size).add(-size)
        key = ("gate", shut, count)
        if key not in self._made:
            circuit = self.circuit
            layer = (circuit.time_of(shut, count) + 2) // 2
            target = circuit.new("gate", 2 * layer)
            for sign in (1.0, -1.0):
                form = self._silent_at_bos(shut.plus(count, sign))
                circuit.units.append(Unit(layer=layer, activation=RELU, form=form, target=target, weight=sign))
            self._made[key] = target
        return make_form({self._made[key]: 1.0})

    def _unit(self, activation: str, form: Form) -> int:
        """Return the coordinate of a hidden unit."""
        key = ("unit", activation, form)
        if key not in self._made:
            layer = (self.circuit.time_of(form) + 2) // 2
            target = self.circuit.new("truth" if activation == STEP else "unit", 2 * layer)
            silent = self._silent_at_bos(form)
            self.circuit.units.append(Unit(layer=layer, activation=activation, form=silent, target=target))
            self._made[key] = target
        return self._made[key]

    def _silent_at_bos(self, form: Form) -> Form:
        """Return the form with so much taken away at token 0 that it is negative there."""
        size = self.circuit.at_bos(form) + 1
        return form.plus(make_form({Circuit.BOS: -(2.0 ** ceil(log2(size)))}))


_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _opposite(form: Form) -> Form:
    return form.times(-1).add(1)
