"""The same meaning over a whole batch: prefix sums for counts, shifts and strided sums for local ones.

A program becomes a list of steps, one for each different expression in it, so that what occurs twice is computed once.
Shapes: B words, L positions. A position without a symbol, such as the end marker or padding, has token −1; since no
value looks to the right, padding there changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..arrays import Array, Arrays, numpy_arrays
from ..errors import CapExceededError, InvalidProgramError, NoSuchWordError
from . import syntax
from .interpreter import Values, frame_word, run_program
from .kinds import require_meaning
from .measures import head_of

NO_SYMBOL = -1
LONGEST_INTERPRETED = 200
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class _Step:
    """One expression, and the numbers of the steps that its direct parts come from."""

    node: syntax.Expression
    parts: tuple[int, ...]


class BatchedProgram:
    """A program made ready to run on many words at once."""

    def __init__(self, program: syntax.Program) -> None:
        require_meaning(program)
        self.program = program
        self._tokens = {symbol: number for number, symbol in enumerate(program.symbols)}
        self._steps: list[_Step] = []
        self._named: dict[str, int] = {}
        numbers: dict[object, int] = {}
        for definition in (*program.definitions, *program.outputs):
            self._named[definition.name] = self._plan(definition.body, numbers)

    def _plan(self, node: syntax.Expression, numbers: dict[object, int]) -> int:
        """Return the number of the step for an expression, after the steps of its parts."""
        if isinstance(node, syntax.Name):
            return self._named[node.name]
        parts = tuple(self._plan(part, numbers) for part in syntax.children(node))
        key = (head_of(node), parts)
        if key not in numbers:
            numbers[key] = len(self._steps)
            self._steps.append(_Step(node, parts))
        return numbers[key]

    def encode(self, words: Sequence[Iterable[str]], xp: Arrays) -> tuple[Array, Array]:
        """Return framed words as tokens_BL, padded on the right, and how many positions each has."""
        framed = [frame_word(self.program, word) for word in words]
        width = max(map(len, framed), default=0)
        tokens = self._tokens
        rows = [
            [NO_SYMBOL if symbol is None else tokens[symbol] for symbol in word] + [NO_SYMBOL] * (width - len(word))
            for word in framed
        ]
        return xp.asarray(rows).reshape(len(rows), width), xp.asarray([len(word) for word in framed])

    def run(
        self, tokens_BL: Array, xp: Arrays, *, offset: int = 0, names: Iterable[str] | None = None
    ) -> dict[str, Array]:
        """Return the values at every position, by name: of the outputs, or of these definitions and outputs."""
        wanted = [each.name for each in self.program.outputs] if names is None else list(names)
        missing = [name for name in wanted if name not in self._named]
        if missing:
            raise InvalidProgramError(
                f"the program defines no {missing[0]!r}. It defines: {', '.join(self._named)}.",
                hint="name one of these.",
            )
        self._require_room(int(tokens_BL.shape[-1]))
        results = {self._named[name] for name in wanted}
        last_use = self._last_uses(results)
        values: dict[int, Array] = {}
        for number, step in enumerate(self._steps):
            if number not in last_use:
                continue
            parts = [values[part] for part in step.parts]
            values[number] = self._compute(step.node, parts, tokens_BL, offset, xp)
            for part in set(step.parts):
                if last_use[part] == number and part not in results:
                    del values[part]  # a long word has no room for what nobody needs any more
        shape = tuple(tokens_BL.shape)
        return {name: xp.broadcast(values[self._named[name]], shape) for name in wanted}

    def accepts(self, words: Sequence[Iterable[str]], xp: Arrays, *, offset: int = 0) -> Array:
        """Return for every word whether the program accepts it."""
        if self.program.is_generator:
            raise InvalidProgramError(
                "the program says which symbols come next, not which words it accepts.", hint="run it instead."
            )
        tokens_BL, sizes_B = self.encode(words, xp)
        if len(words) and int(sizes_B.min()) == 0:
            raise NoSuchWordError(
                "the empty word has no last symbol, so a program read there says nothing about it.",
                hint="give a word, or let the program 'read at end' or have a start symbol.",
            )
        truths_BL = self.run(tokens_BL, xp, offset=offset)[syntax.ACCEPT]
        return xp.gather_last(truths_BL, (sizes_B - 1)[:, None])[:, 0]

    def _last_uses(self, results: set[int]) -> dict[int, int]:
        """Return the steps that the results need, each with the last step that uses it."""
        last: dict[int, int] = {number: len(self._steps) for number in results}
        for number in range(len(self._steps) - 1, -1, -1):
            if number in last:
                for part in self._steps[number].parts:
                    last.setdefault(part, number)
        return last

    def _require_room(self, length: int) -> None:
        """Raise unless every value at words of this length fits into 64 bits."""
        bounds: list[int] = []
        for step in self._steps:
            inside = [bounds[part] for part in step.parts]
            match step.node:
                case syntax.Number(value):
                    bound = abs(value)
                case syntax.Sum(terms):
                    bound = sum(abs(factor) * each for (factor, _), each in zip(terms, inside, strict=True))
                case syntax.Choice():
                    bound = max(inside[1:])
                case syntax.Count() | syntax.CountBefore() | syntax.CountAt():
                    bound = length
                case _:
                    bound = 1
            if bound > _LARGEST:
                raise CapExceededError(
                    f"the program's numbers may grow beyond 64 bits on words of length {length}.",
                    hint="use smaller factors, or the interpreter, whose limit is far higher.",
                )
            bounds.append(bound)

    def _compute(self, node: syntax.Expression, parts: list[Array], tokens_BL: Array, offset: int, xp: Arrays) -> Array:
        shape = tuple(tokens_BL.shape)
        match node:
            case syntax.Symbol(symbol):
                return tokens_BL == self._tokens[symbol]
            case syntax.Constant(value):
                return xp.broadcast(xp.asarray(int(value)) == 1, shape)
            case syntax.Number(value):
                return xp.broadcast(xp.asarray(value), shape)
            case syntax.Modulo(modulus, residue):
                return xp.broadcast((xp.arange(shape[-1]) + (1 + offset) % modulus) % modulus == residue, shape)
            case syntax.Not():
                return ~parts[0]
            case syntax.And():
                return _fold(parts, lambda one, two: one & two)
            case syntax.Or():
                return _fold(parts, lambda one, two: one | two)
            case syntax.Compare(sign):
                return _COMPARISONS[sign](parts[0], parts[1])
            case syntax.Sum(terms):
                scaled = [
                    part if factor == 1 else part * factor for (factor, _), part in zip(terms, parts, strict=True)
                ]
                return _fold(scaled, lambda one, two: one + two)
            case syntax.Count():
                return xp.running_sum(parts[0], -1)
            case syntax.CountBefore():
                return shift_right(xp.running_sum(parts[0], -1), 1, xp)
            case syntax.CountAt(_, distances):
                return count_at(parts[0], distances, xp)
            case syntax.Choice():
                return xp.where(parts[0], parts[1], parts[2])
        raise AssertionError(node)  # a Name has no step of its own


def run_outputs(program: syntax.Program, word: Iterable[str], *, offset: int = 0) -> Values:
    """Return the values of the outputs at every position, as the interpreter would, whose time is quadratic in the length.

    Long words are run as a batch of one, short ones by the interpreter, and so are numbers beyond 64 bits.
    """
    symbols = tuple(word)
    if len(symbols) > LONGEST_INTERPRETED:
        xp = numpy_arrays()
        try:
            batched = BatchedProgram(program)
            tokens_BL, _ = batched.encode([symbols], xp)
            found = batched.run(tokens_BL, xp, offset=offset)
        except CapExceededError:
            return run_program(program, symbols, offset=offset)
        return {name: values_BL[0].tolist() for name, values_BL in found.items()}
    return run_program(program, symbols, offset=offset)


_COMPARISONS = {
    "=": lambda one, two: one == two,
    "!=": lambda one, two: one != two,
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
}


def count_at(truths_BL: Array, distances: Sequence[int], xp: Arrays) -> Array:
    """Return how many of the positions at these distances back are true."""
    length = int(truths_BL.shape[-1])
    total = xp.broadcast(xp.asarray(0), tuple(truths_BL.shape))
    sums: dict[int, Array] = {}
    for first, stride, number in progressions([each for each in distances if each < length]):
        if number <= 2:
            for distance in range(first, first + stride * number, stride):
                total = total + shift_right(truths_BL, distance, xp)
            continue
        if stride not in sums:
            sums[stride] = strided_sum(truths_BL, stride, xp)
        total = total + shift_right(sums[stride], first, xp) - shift_right(sums[stride], first + stride * number, xp)
    return total


def progressions(distances: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return increasing distances as progressions (first, stride, number), found greedily from the left."""
    found = []
    at = 0
    while at < len(distances):
        end = at + 1
        stride = distances[end] - distances[at] if end < len(distances) else 1
        while end < len(distances) and distances[end] - distances[end - 1] == stride:
            end += 1
        if end - at == 2:  # two alone make no progression: the second may begin a better one
            end, stride = at + 1, 1
        found.append((distances[at], stride, end - at))
        at = end
    return found


def strided_sum(truths_BL: Array, stride: int, xp: Arrays) -> Array:
    """Return at every position the sum of the entries 0, stride, 2·stride, … back."""
    *batch, length = truths_BL.shape
    padding = -length % stride
    if stride == 1:
        return xp.running_sum(truths_BL, -1)
    padded = truths_BL
    if padding:
        padded = xp.concat_last([truths_BL, xp.broadcast(xp.asarray(0) == 1, (*batch, padding))])
    sums = xp.running_sum(padded.reshape(*batch, (length + padding) // stride, stride), -2)
    return sums.reshape(*batch, length + padding)[..., :length]


def shift_right(values_BL: Array, distance: int, xp: Arrays) -> Array:
    """Return the values from a distance back, and 0 or false where there is no such position."""
    if distance == 0:
        return values_BL
    *batch, length = values_BL.shape
    width = min(distance, length)
    zero = xp.asarray(0) if values_BL.dtype == xp.int64 else xp.asarray(0) == 1
    return xp.concat_last([xp.broadcast(zero, (*batch, width)), values_BL[..., : length - width]])


def _fold(parts: list[Array], combine: Callable[[Array, Array], Array]) -> Array:
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return result
