"""From a regular expression to its automaton: Glushkov's positions, then subsets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..budget import checkpoint
from ..errors import CapExceededError
from .alphabet import Alphabet
from .dfa import DFA
from .next_symbols import live_states
from .regex_tree import Automaton, Concatenation, Regex, Repetition, Symbols, Union, num_positions

MAX_POSITIONS = 20_000
MAX_STEPS = 5_000_000


class Positions:
    """Glushkov's position automaton, with sets of positions as the bits of integers.

    Bit p + 1 stands for position p; bit 0 is the start. ``follow[p]`` is what may come after p.
    """

    def __init__(self, tree: Regex, alphabet: Alphabet) -> None:
        num_needed = num_positions(tree)
        if num_needed > MAX_POSITIONS:
            raise CapExceededError(
                f"the expression has {num_needed:,} symbol positions once its counts are written out; the cap is {MAX_POSITIONS:,}.",
                hint="use smaller counts.",
            )
        self.reading = dict.fromkeys(alphabet, 0)
        self.follow = [0]
        self.nullable, first, self.last = self._add(tree)
        self.follow[0] = first

    def _add(self, tree: Regex) -> tuple[bool, int, int]:
        """Add the positions of a part; return whether it accepts the empty word, and its first and last positions."""
        match tree:
            case Symbols():
                bit = 1 << len(self.follow)
                self.follow.append(0)
                for symbol in tree.symbols:
                    self.reading[symbol] |= bit
                return False, bit, bit
            case Union():
                nullables, firsts, lasts = zip(*(self._add(part) for part in tree.parts), strict=True)
                first = last = 0
                for one, two in zip(firsts, lasts, strict=True):
                    first |= one
                    last |= two
                return any(nullables), first, last
            case Concatenation():
                return self._chain(self._add(part) for part in tree.parts)
            case Repetition(part=Symbols() as part, least=least, most=int() as most):
                return self._run(part, least, most)
            case Repetition():
                return self._chain(self._copies(tree))
            case Automaton():
                return self._embed(tree.language)
            case _:
                raise AssertionError("the compiler leaves no other operator")

    def _copies(self, tree: Repetition) -> Iterator[tuple[bool, int, int]]:
        """Yield one part per copy: the required ones, then optional ones or a last one that loops."""
        if not num_positions(tree.part):
            return  # copies of the empty word are the empty word
        loops = tree.most is None
        for number in range(max(tree.least, 1) if loops else tree.most or 0):
            nullable, first, last = self._add(tree.part)
            if loops and number == max(tree.least, 1) - 1:
                self._link(last, first)
            yield nullable or number >= tree.least, first, last

    def _run(self, part: Regex, least: int, most: int) -> tuple[bool, int, int]:
        """Add copies of one symbol, each linked to the next only: a{0,3} is (a(a(a)?)?)?, which keeps the subsets small."""
        first = last = before = 0
        for number in range(most):
            _, bit, _ = self._add(part)
            self._link(before, bit)
            first = first or bit
            last = bit | (last if number >= least else 0)
            before = bit
        return least == 0, first, last

    def _embed(self, language: DFA) -> tuple[bool, int, int]:
        """Add an automaton: one position for every way to arrive at a state from which a word can still end."""
        groups = _alike(language)
        bits: dict[tuple[int, int], int] = {}
        for state, number in arrivals(language):
            bits[state, number] = bit = 1 << len(self.follow)
            self.follow.append(0)
            for symbol in groups[number][0]:
                self.reading[symbol] |= bit
        after = [0] * language.num_states
        for number, (_, targets) in enumerate(groups):
            for state, target in enumerate(targets):
                after[state] |= bits.get((target, number), 0)
        last = 0
        for (state, _), bit in bits.items():
            self._link(bit, after[state])
            last |= bit if state in language.accepting else 0
        return 0 in language.accepting, after[0], last

    def _chain(self, parts: Iterable[tuple[bool, int, int]]) -> tuple[bool, int, int]:
        """Link parts that come one after the other; from the right, so that each is linked once to all that may follow."""
        added = list(parts)
        nullable, first, last = True, 0, 0
        for part_nullable, part_first, part_last in reversed(added):
            self._link(part_last, first)
            first = part_first | (first if part_nullable else 0)
            nullable = nullable and part_nullable
        for part_nullable, _, part_last in added:
            last = part_last | (last if part_nullable else 0)
        return nullable, first, last

    def _link(self, sources: int, targets: int) -> None:
        for position in _bits(sources):
            self.follow[position] |= targets

    def after(self, positions: int) -> int:
        """Return everything that may follow any of these positions."""
        reached = 0
        for position in _bits(positions):
            reached |= self.follow[position]
        return reached


def arrivals(language: DFA) -> list[tuple[int, int]]:
    """Return (state, number of the group) for all states from which a word can still end, and symbols that lead there."""
    live = live_states(language)
    return [
        (state, number) for number, (_, targets) in enumerate(_alike(language)) for state in sorted(live & set(targets))
    ]


def _alike(language: DFA) -> list[tuple[list[str], tuple[int, ...]]]:
    """Return the symbols in groups that act alike on the states, each group with its targets."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for symbol, targets in zip(language.alphabet, zip(*language.transitions, strict=True), strict=True):
        groups.setdefault(targets, []).append(symbol)
    return [(symbols, targets) for targets, symbols in groups.items()]


def _bits(number: int) -> Iterator[int]:
    digits = f"{number:b}"[::-1]  # text, because taking bits off a long integer one by one is quadratic
    position = digits.find("1")
    while position >= 0:
        yield position
        position = digits.find("1", position + 1)


def determinize(positions: Positions, alphabet: Alphabet, what: str, max_states: int) -> DFA:
    """Return the language of a position automaton by the subset construction; ``what`` is its name in errors."""
    numbers = {1: 0}
    queue = [1]
    rows = []
    num_steps = 0
    for current in queue:
        checkpoint()
        num_steps += current.bit_count()
        if num_steps > MAX_STEPS:
            raise CapExceededError(
                f"{what} takes more than {MAX_STEPS:,} steps to build, which is the cap.",
                hint="use smaller counts.",
            )
        reached = positions.after(current)
        row = []
        for symbol in alphabet:
            target = reached & positions.reading[symbol]
            if target not in numbers:
                if len(queue) >= max_states:
                    raise CapExceededError(
                        f"{what} would have more than {max_states:,} states, which is the cap.",
                        hint="simplify the expression, or raise the cap with max_states (predict --max-states).",
                    )
                numbers[target] = len(queue)
                queue.append(target)
            row.append(numbers[target])
        rows.append(row)
    accepting_mask = positions.last | (1 if positions.nullable else 0)
    accepting = [number for number, subset in enumerate(queue) if subset & accepting_mask]
    return DFA(alphabet=alphabet, transitions=rows, accepting=accepting)
