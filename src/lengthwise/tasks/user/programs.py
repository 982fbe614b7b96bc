"""Every C-RASP program that accepts words as a task: is the word accepted?

Shapes: M models in a stack, B batch, K candidates, N symbols.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...crasp import syntax
from ...crasp.batched import NO_SYMBOL, BatchedProgram, run_outputs
from ...crasp.fragments import Readout
from ...crasp.interpreter import accepts
from ...crasp.kinds import require_meaning
from ...crasp.parser import MAX_DEPTH
from ...errors import CapExceededError, InvalidOptionError
from ...seeds import Draw
from ...theory.facts import Facts
from ..core.row_functions import along, batch_of, places, sort
from ..core.task import OneSymbolTask

_UNIFORM, _REPEATED, _SORTED = 16, 8, 8
_LONGEST_BLOCK = 4
MAX_PARTS = 10_000  # of a program that is moved to the end marker; every later step walks all of them


class ProgramTask(OneSymbolTask):
    """Whether a program accepts a word: y or n, read at the separator.

    A coin says which is wanted, and the word is the first candidate of that kind, or, if none is, the first of all. Half of
    the candidates have uniform symbols; a quarter repeat a block of up to four symbols, and a quarter are in the order of
    the alphabet, because few programs accept much of what is uniform.
    """

    length_means = "the number of symbols of the word"
    attempts = _UNIFORM + _REPEATED + _SORTED

    def __init__(self, program: syntax.Program, name: str) -> None:
        require_meaning(program)
        if program.is_generator:
            raise InvalidOptionError(
                f"the program {name!r} says which symbols come next, so it does not tell which prompts it is for.",
                hint=f'write a Python file with the prompts and answers, and program = "{name}" in it.',
            )
        self.program, self.name = program, name
        self._batched = BatchedProgram(program)
        self.definition = (
            f"y if the program accepts the word, n if not; a coin says which, where one of {self.attempts} random words is "
            "of that kind"
        )
        self.citation = f"your own: {name}"
        self._at_end = program.readout is Readout.END_MARKER
        self.min_length = 0 if self._at_end or program.start is not None else 1
        yes, no = "y", "n"
        while {yes, no} & set(program.alphabet):
            yes, no = f"{yes}!", f"{no}!"
        self.yes, self.no = yes, no
        self.symbols = (*program.alphabet, yes, no)
        self.facts = Facts(program=at_end_marker(program))

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return y or n."""
        return [self.yes if accepts(self.program, prompt, run=run_outputs) else self.no]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return words of which about half are accepted, where candidates of both kinds are found."""
        batch = batch_of(draw, lengths_MB)
        wanted = draw.named("coin").integers(2, batch) == 1
        words = self._candidate(0, draw, lengths_MB, max_length, xp)
        taken = self._accepted(words, lengths_MB, xp)
        done = taken == wanted
        for number in range(1, self.attempts):
            others = self._candidate(number, draw, lengths_MB, max_length, xp)
            accepted = self._accepted(others, lengths_MB, xp)
            better = (accepted == wanted) & ~done
            words = xp.where(better[..., None], others, words)
            taken = xp.where(better, accepted, taken)
            done = done | better
        return words, xp.where(taken, self.token(self.yes), self.token(self.no))[..., None]

    def _candidate(self, number: int, draw: Draw, lengths_MB: Array, width: int, xp: Arrays) -> Array:
        """Return one random word for each instance, [M, B, N]."""
        own, batch = draw.named("candidate").at(number), batch_of(draw, lengths_MB)
        size = len(self.program.alphabet)
        words = own.named("symbols").integers(size, (*batch, max(width, _LONGEST_BLOCK)))
        if number < _UNIFORM:
            return words[..., :width]
        if number < _UNIFORM + _REPEATED:
            period = own.named("period").integers(_LONGEST_BLOCK, batch) + 1
            return xp.gather_last(words, places(lengths_MB, width, xp) % along(period, width, xp))
        return sort(words, lengths_MB, size, xp)[..., :width]

    def _accepted(self, words: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return whether the program accepts each word within its length."""
        has_start = int(self.program.start is not None)
        width = words.shape[-1]
        inside = places(lengths_MB, width, xp) < along(lengths_MB, width, xp)
        tokens = xp.where(inside, words + has_start, NO_SYMBOL)
        edge = (*lengths_MB.shape, 1)
        framed = [xp.broadcast(xp.asarray(0), edge)] * has_start + [tokens, xp.broadcast(xp.asarray(NO_SYMBOL), edge)]
        truths = self._batched.run(xp.concat_last(framed), xp)[syntax.ACCEPT]
        last = lengths_MB + (has_start - 1 + int(self._at_end))
        return xp.gather_last(truths, last[..., None])[..., 0]


def _require_small(program: syntax.Program) -> None:
    """Raise if what acceptance is made of outside of counts is large once its names are written out.

    Names that each use another one twice double with every definition, so the size is computed before anything is built.
    """
    sizes: dict[str, tuple[int, int]] = {}

    def measure(node: syntax.Expression) -> tuple[int, int]:
        """Return how many parts an expression has and how deeply they are nested, its names written out."""
        if isinstance(node, syntax.Name):
            return sizes[node.name]
        if isinstance(
            node, syntax.Count | syntax.CountBefore | syntax.CountAt
        ):  # moved as a whole, with the names in it
            return 1, 1
        parts = [measure(part) for part in syntax.children(node)]
        return 1 + sum(size for size, _ in parts), 1 + max((depth for _, depth in parts), default=0)

    for definition in program.definitions:
        sizes[definition.name] = measure(definition.body)
    assert program.accept is not None
    size, depth = measure(program.accept)
    if size > MAX_PARTS or depth > MAX_DEPTH:
        raise CapExceededError(
            f"acceptance has {size:,} parts, nested {depth:,} deep, once its names are written out; the caps are "
            f"{MAX_PARTS:,} and {MAX_DEPTH}.",
            hint="write 'read at end' into the program, which needs no writing out, or use names less often.",
        )


def at_end_marker(program: syntax.Program) -> syntax.Program:
    """Return a program that says at the end marker what an acceptor says at the last symbol, for every word that is not empty.

    What acceptance is made of outside of counts is moved one place to the right. Counts do so without seeing more; what
    looks at the last symbol itself becomes a look one place back, so that the program may leave plain C-RASP.
    """
    if program.readout is Readout.END_MARKER:
        return program
    assert program.accept is not None
    _require_small(program)
    bodies = {definition.name: definition.body for definition in program.definitions}
    is_symbol = syntax.disjunction([syntax.Symbol(symbol) for symbol in program.symbols])

    def held(body: syntax.Expression) -> syntax.Expression:
        return syntax.Compare("=", syntax.CountAt(body, (1,)), syntax.Number(1))

    def earlier(node: syntax.Expression) -> syntax.Expression:
        """Return an expression whose value is that of the node one place to the left."""
        match node:
            case syntax.Name(name):
                return earlier(bodies[name])
            case syntax.Symbol():
                return held(node)
            case syntax.Modulo(modulus, residue):
                return syntax.Modulo(modulus, (residue + 1) % modulus)
            case syntax.Count(body):
                return syntax.Count(syntax.And((body, is_symbol)))
            case syntax.CountBefore(body):
                return syntax.Sum(((1, syntax.Count(syntax.And((body, is_symbol)))), (-1, syntax.CountAt(body, (1,)))))
            case syntax.CountAt(body, distances):
                return syntax.CountAt(body, tuple(distance + 1 for distance in distances))
            case _:
                return syntax.rebuild(node, tuple(earlier(part) for part in syntax.children(node)))

    return syntax.Program(
        alphabet=program.alphabet,
        definitions=program.definitions,
        accept=earlier(program.accept),
        readout=Readout.END_MARKER,
        start=program.start,
    )
