"""C-RASP[periodic] without windows: decided by balanced refinement with roots of unity.

Unrolled by the position modulo m, a component W of the automaton has potentials V(q, r). Shifting r decomposes them into
V(q, r) = ωʳ·F(q) with ωᵐ = 1, and such a V is a potential exactly if

    ω·F(q·a) − F(q) depends only on the letter a and the block of q, for the edges inside W.        (∗)

Start with the blocks of equal phase, split by the solutions of (∗) for all roots of unity ω, and repeat. The language is in
the class exactly if every component ends in single states. docs/concepts/fixed-precision.md has the proof, and why finitely
many orders of roots are enough: if the blocks at the end are no finer than P, only orders j with φ(j) ≤ |W| − |P| can
behave in a way of their own, and one larger order stands for all others.

Here equations are solved modulo primes, with a residue of order j in the place of ω. That can split too much, never too
little, so what it finds is verified: a YES by exact refinement with the period found, and a NO because for its blocks
the number of solutions modulo a prime is an upper bound on their true number, which the functions of blocks attain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm

from ..budget import checkpoint
from ..errors import CapExceededError
from ..languages.components import strong_components
from ..languages.dfa import DFA
from ..languages.dfa_algebra import separating_suffix, shortest_path
from .certificates import PeriodsCertificate
from .potentials import Edges, inner_edges, refine_edges

NUM_PRIMES = 3
"""How many primes are tried before the search gives up on proving what one of them found."""

_SMALLEST_PRIME = 1_000_000  # a prime divides the wrong minor about once in so many times

Row = dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RootRefinement:
    """What refinement with all roots of unity makes of one component.

    ``orders`` are the orders of the roots that split something. If not all members end alone, ``proved`` says whether
    the equations prove that no other root splits the blocks.
    """

    members: tuple[int, ...]
    edges: Edges
    blocks: tuple[int, ...]
    period: int
    orders: tuple[int, ...]
    proved: bool

    @property
    def passed(self) -> bool:
        """Whether every member has a block of its own."""
        return len(set(self.blocks)) == len(self.members)

    @property
    def modulus(self) -> int:
        """A number of residues of the position that makes these splits."""
        return lcm(self.period, *self.orders)


def refine_by_roots(language: DFA) -> list[RootRefinement]:
    """Return the refinement of every component with more than one state."""
    components = strong_components(language.transitions)
    return [_refine_component(language, component) for component in components if len(component) > 1]


def build_periods_certificate(language: DFA, stuck: RootRefinement) -> PeriodsCertificate:
    """Return the certificate of a component in which no root of unity tells two states apart."""
    groups = _groups(stuck.blocks)
    one, two = next(tuple(stuck.members[member] for member in group[:2]) for group in groups if len(group) > 1)
    prefix, suffix = shortest_path(language, 0, lambda state: state == one), separating_suffix(language, one, two)
    assert prefix is not None
    assert suffix is not None
    return PeriodsCertificate(
        language=language,
        members=stuck.members,
        blocks=tuple(tuple(stuck.members[member] for member in group) for group in groups),
        pair=(one, two),
        prefix=prefix,
        suffix=suffix,
    )


def passes_exactly(refinement: RootRefinement, *, max_vertices: int) -> bool:
    """Return whether a component, unrolled by the position modulo the modulus found, ends in single vertices.

    This is exact, where ``refine_by_roots`` calculates modulo primes; too many vertices raise the error of their cap.
    """
    modulus = refinement.modulus
    start = (0, 0)
    numbers = {start: 0}
    queue = [start]
    edges: Edges = []
    for member, residue in queue:
        checkpoint()
        row = []
        for symbol, target in refinement.edges[member]:
            vertex = (target, (residue + 1) % modulus)
            if vertex not in numbers:
                if len(queue) >= max_vertices:
                    raise CapExceededError(
                        f"a component unrolled with period {modulus} has more than {max_vertices:,} vertices, the cap.",
                        hint="raise max_vertices.",
                    )
                numbers[vertex] = len(queue)
                queue.append(vertex)
            row.append((symbol, numbers[vertex]))
        edges.append(row)
    return refine_edges(range(len(queue)), edges, [residue for _, residue in queue]).passed


def _refine_component(language: DFA, component: Sequence[int]) -> RootRefinement:
    edges = inner_edges(language.transitions, component)
    period, phases = _phases(edges)
    blocks = list(phases)
    orders: list[int] = []
    proved = True
    while len(set(blocks)) < len(component):
        split = _first_split(edges, blocks, orders)
        if split.blocks is None:
            proved = split.proved
            break
        blocks = split.blocks
        if split.order not in orders:
            orders.append(split.order)
    return RootRefinement(
        members=tuple(component),
        edges=edges,
        blocks=tuple(_numbered(blocks)),
        period=period,
        orders=tuple(sorted(orders)),
        proved=proved,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """The finer blocks that roots of one order make; or None if no order splits, and whether that is proved."""

    order: int
    blocks: list[int] | None
    proved: bool


def _first_split(edges: Edges, blocks: Sequence[int], used: Sequence[int]) -> _Split:
    """Try the orders that were of use before, then all from the smallest on, and last one for all larger ones."""
    num_blocks = len(set(blocks))
    equations = _equations(edges, blocks)
    rank = len(edges) - num_blocks
    others = [order for order in relevant_orders(rank) if order not in used]
    proved = True
    for order in [*sorted(used), *others]:
        solved = _Solved(rank=-1, blocks=[])
        for prime in _primes(order):
            solved = _solve(equations, len(edges), prime, _root(order, prime))
            if solved.rank >= rank:
                break  # no more solutions than the functions of blocks, which are solutions: nothing is split
        if solved.rank < rank:
            finer = _numbered(list(zip(blocks, solved.blocks, strict=True)))
            if max(finer) + 1 > num_blocks:
                return _Split(order=order, blocks=finer, proved=False)
            proved = False
    return _Split(order=0, blocks=None, proved=proved and _is_quotient(edges, blocks))


def relevant_orders(rank: int) -> list[int]:
    """Return all j with φ(j) ≤ rank, and the least j with φ(j) > rank beyond them that is a prime.

    A minor of a matrix of this rank with entries of degree one has degree at most the rank. If it is not zero, it
    vanishes at a root of order j only if φ(j) is at most its degree. φ(j) ≥ √(j/2) bounds the orders to look at.

    >>> relevant_orders(2)
    [1, 2, 3, 4, 6, 5]
    """
    bound = max(2, 2 * rank * rank)
    totients = list(range(bound + 1))
    for number in range(2, bound + 1):
        if totients[number] == number:  # a prime
            for multiple in range(number, bound + 1, number):
                totients[multiple] -= totients[multiple] // number
    found = [order for order in range(1, bound + 1) if totients[order] <= rank]
    larger = rank + 2
    while not _is_prime(larger):
        larger += 1
    return [*found, larger]


def _equations(edges: Edges, blocks: Sequence[int]) -> list[tuple[Row, Row]]:
    """Return the equations ω·row + row′ = 0 that are left of (∗) when its right sides are eliminated, as (row, row′)."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    found: dict[tuple[int, int, int, int], tuple[Row, Row]] = {}
    for source, targets in enumerate(edges):
        for symbol, target in targets:
            other_source, other = first.setdefault((symbol, blocks[source]), (source, target))
            if other_source != source:
                moved = {target: 1, other: -1} if target != other else {}
                found[target, other, source, other_source] = (moved, {source: -1, other_source: 1})
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    """The rank of the equations, and which members have equal values in all solutions."""

    rank: int
    blocks: list[int]


def _solve(equations: Sequence[tuple[Row, Row]], num_members: int, prime: int, root: int) -> _Solved:
    """Solve the equations modulo a prime, with a residue in the place of ω."""
    reduced: dict[int, Row] = {}  # pivot → its row, in which the pivot has the entry 1
    for moved, fixed in equations:
        checkpoint()
        row = dict(fixed)
        for member, sign in moved.items():
            row[member] = row.get(member, 0) + sign * root
        row = {member: value for member, each in row.items() if (value := each % prime)}
        for pivot in [member for member in row if member in reduced]:
            _subtract(row, reduced[pivot], pivot, prime)
        if not row:
            continue
        pivot = min(row)
        inverse = pow(row[pivot], -1, prime)
        row = {member: value * inverse % prime for member, value in row.items()}
        for other in reduced.values():
            if pivot in other:
                _subtract(other, row, pivot, prime)
        reduced[pivot] = row
    values = [
        tuple(sorted(reduced[member].items()))[1:] if member in reduced else None for member in range(num_members)
    ]
    keys: list[object] = [
        ((member, prime - 1),) if value is None else value for member, value in enumerate(values)
    ]  # a free unknown is minus what a row with it alone says of its pivot
    return _Solved(rank=len(reduced), blocks=_numbered(keys))


def _subtract(row: Row, other: Row, pivot: int, prime: int) -> None:
    """Take a multiple of another row from a row, so that the pivot is gone."""
    factor = row[pivot]
    for member, value in other.items():
        left = (row.get(member, 0) - factor * value) % prime
        if left:
            row[member] = left
        else:
            row.pop(member, None)


def _is_quotient(edges: Edges, blocks: Sequence[int]) -> bool:
    """Return whether states of one block are led to one block by each letter that keeps them inside."""
    following: dict[tuple[int, int], int] = {}
    return all(
        following.setdefault((symbol, blocks[source]), blocks[target]) == blocks[target]
        for source, targets in enumerate(edges)
        for symbol, target in targets
    )


def _phases(edges: Edges) -> tuple[int, list[int]]:
    """Return the period of a component, and for every member its distance from the first, modulo the period."""
    distances = {0: 0}
    queue = [0]
    period = 0
    for source in queue:
        for _, target in edges[source]:
            if target not in distances:
                distances[target] = distances[source] + 1
                queue.append(target)
            period = gcd(period, distances[source] + 1 - distances[target])
    return period, [distances[member] % period for member in range(len(edges))]


def _primes(order: int) -> Iterator[int]:
    """Yield some primes that are 1 modulo a number."""
    number = _SMALLEST_PRIME // order * order + 1
    found = 0
    while found < NUM_PRIMES:
        number += order
        if _is_prime(number):
            found += 1
            yield number


def _root(order: int, prime: int) -> int:
    """Return a residue whose order modulo a prime is exactly this."""
    divisors = [number for number in range(2, order + 1) if order % number == 0 and _is_prime(number)]
    base = 2
    while True:
        root = pow(base, (prime - 1) // order, prime)
        if all(pow(root, order // divisor, prime) != 1 for divisor in divisors):
            return root
        base += 1


def _is_prime(number: int) -> bool:
    if number < 4:
        return number > 1
    if number % 2 == 0:
        return False
    divisor = 3
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 2
    return True


def _groups(blocks: Sequence[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for member, block in enumerate(blocks):
        groups.setdefault(block, []).append(member)
    return list(groups.values())


def _numbered(keys: Sequence[object]) -> list[int]:
    """Return the keys renumbered by first appearance."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
