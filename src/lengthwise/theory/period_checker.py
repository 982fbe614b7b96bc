"""The checker's part for NO certificates of C-RASP[periodic]: states that no position modulo any number helps to tell apart.

For blocks P of a component W and a root of unity ω, look at the functions F on W for which ω·F(q·a) − F(q) depends only on
the letter a and the block of q. If each letter leads a block to one block, all |P| independent functions that are constant
on blocks are among them. So they are all there is exactly if the equations have rank |W| − |P|, over ℚ[x]/Φⱼ with j the
order of ω. A residue that has order j modulo a prime is a zero of Φⱼ there; putting it for x maps ℚ[x]/Φⱼ, as far as
denominators allow, to the integers modulo the prime. A minor that is not zero there was not zero before: the rank can only
fall. So finding the rank |W| − |P| modulo some prime proves it. Nothing here is probable only; an unlucky prime makes the
checker try the next one.

A minor of size |W| − |P| is a polynomial in ω of at most that degree. So orders j with φ(j) > |W| − |P| all give the full
rank if one of them does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd, isqrt

from ..budget import checkpoint
from .replay import Automaton, Data, Objection, is_place, is_strongly_connected, read_list, read_word, require

_TRIES = 4
_FIRST_PRIME = 2_000_000


def check_periods(data: Data, automaton: Automaton) -> None:
    """Check that no root of unity splits the blocks, and that the pair in one block matters to the language."""
    members = read_list(data, "members")
    require(all(is_place(member, automaton.transitions) for member in members), "a member is not a state")
    inside = set(members)
    require(len(inside) == len(members) > 1, "the component needs at least two different states")
    require(is_strongly_connected(automaton, inside), "the component is not strongly connected")
    listed = [state for block in read_list(data, "blocks") for state in block]
    require(sorted(listed) == sorted(members), "the blocks do not divide the component")
    block_of = {state: number for number, block in enumerate(data["blocks"]) for state in block}
    edges = [
        (state, symbol, target)
        for state in members
        for symbol, target in enumerate(automaton.transitions[state])
        if target in inside
    ]
    _check_phases(edges, members[0], block_of)
    _check_quotient(edges, block_of)
    rank = len(members) - len(data["blocks"])
    rows = _equations(edges, block_of)
    for order in _orders(rank):
        require(_has_rank(rows, order, rank), f"a root of unity of order {order} could split the blocks")

    one, two = data["pair"]
    require(one in inside and two in inside and one != two, "the pair is not two members")
    require(block_of[one] == block_of[two], "the pair is not in one block")
    prefix, suffix = read_word(data["prefix"], automaton), read_word(data["suffix"], automaton)
    require(automaton.run(prefix) == one, "the prefix does not lead to the pair")
    ends = [automaton.run(suffix, state) in automaton.accepting for state in (one, two)]
    require(ends[0] != ends[1], "the suffix does not tell the pair apart")


def _check_phases(edges: Sequence[tuple[int, int, int]], start: int, block_of: Mapping[int, int]) -> None:
    """States of one block must be equally far from the start, modulo the period of the component."""
    distance = {start: 0}
    queue = [start]
    for state in queue:
        for source, _, target in edges:
            if source == state and target not in distance:
                distance[target] = distance[state] + 1
                queue.append(target)
    period = gcd(*(distance[source] + 1 - distance[target] for source, _, target in edges))
    phase: dict[int, int] = {}
    for state, block in block_of.items():
        here = distance[state] % period
        require(phase.setdefault(block, here) == here, "a block holds states of different phases")


def _check_quotient(edges: Sequence[tuple[int, int, int]], block_of: Mapping[int, int]) -> None:
    following: dict[tuple[int, int], int] = {}
    for source, symbol, target in edges:
        there = following.setdefault((block_of[source], symbol), block_of[target])
        require(there == block_of[target], "one letter leads a block to two blocks")


def _equations(
    edges: Sequence[tuple[int, int, int]], block_of: Mapping[int, int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return pairs of edges (source, target), (source, target) with one letter from one block."""
    first: dict[tuple[int, int], tuple[int, int]] = {}
    found = []
    for source, symbol, target in edges:
        other = first.setdefault((block_of[source], symbol), (source, target))
        if other != (source, target):
            found.append((other, (source, target)))
    return found


def _orders(rank: int) -> Iterator[int]:
    """Yield every j with φ(j) ≤ rank, and one more j with φ(j) > rank. φ(j) ≥ √(j/2) says where to stop."""
    for order in range(1, max(2, 2 * rank * rank) + 1):
        checkpoint()
        if _totient(order) <= rank:
            yield order
    larger = rank + 2
    while _totient(larger) != larger - 1:
        larger += 1
    yield larger


def _totient(number: int) -> int:
    result = number
    for prime in _prime_divisors(number):
        result -= result // prime
    return result


def _prime_divisors(number: int) -> list[int]:
    found = []
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            found.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*found, number] if number > 1 else found


def _has_rank(rows: Sequence[tuple[tuple[int, int], tuple[int, int]]], order: int, rank: int) -> bool:
    prime = _FIRST_PRIME // order * order + 1
    for _ in range(_TRIES):
        prime += order
        while not all(prime % divisor for divisor in range(2, isqrt(prime) + 1)):
            prime += order
        if _rank(rows, prime, _element_of_order(order, prime)) >= rank:
            return True
    return False


def _element_of_order(order: int, prime: int) -> int:
    """Return a residue of exactly this order: no smaller power of it is 1."""
    for base in range(2, prime):
        element = pow(base, (prime - 1) // order, prime)
        if all(pow(element, order // divisor, prime) != 1 for divisor in _prime_divisors(order)):
            return element
    raise Objection(f"there is no residue of order {order}")


def _rank(rows: Sequence[tuple[tuple[int, int], tuple[int, int]]], prime: int, omega: int) -> int:
    """Return the rank of ω·F(target) − F(source) − ω·F(target′) + F(source′) = 0, modulo a prime."""
    echelon: dict[int, dict[int, int]] = {}  # leading column → row with leading entry 1
    for (source, target), (other_source, other_target) in rows:
        checkpoint()
        row: dict[int, int] = {}
        for column, entry in ((target, omega), (source, -1), (other_target, -omega), (other_source, 1)):
            row[column] = (row.get(column, 0) + entry) % prime
        row = {column: entry for column, entry in row.items() if entry}
        while row:
            leading = min(row)
            if leading not in echelon:
                inverse = pow(row[leading], -1, prime)
                echelon[leading] = {column: entry * inverse % prime for column, entry in row.items()}
                break
            factor = row[leading]
            for column, entry in echelon[leading].items():
                row[column] = (row.get(column, 0) - factor * entry) % prime
                if not row[column]:
                    del row[column]
    return len(echelon)
