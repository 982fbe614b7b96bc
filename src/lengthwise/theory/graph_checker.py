"""The checker's part for graph certificates: vertices of the Karoubi graph that no count tells apart.

Words stand for everything. Some words of one idempotent value, whose lengths have the greatest common divisor g, can be
put together to that value at every large length that g divides; so an arrow's word can be padded to any length that is
right modulo the moduli of both ends, in front of any window. That is why what holds here holds for every window and period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import gcd

from .replay import (
    Automaton,
    Data,
    forces_equal,
    is_integer,
    is_place,
    is_strongly_connected,
    read_list,
    read_word,
    require,
)


def check_graph(data: Data, automaton: Automaton) -> None:
    """Rebuild the part of the Karoubi graph that is stated, and check that its blocks can never be split."""
    maps, moduli = _read_idempotents(data, automaton)
    vertices = [tuple(vertex) for vertex in read_list(data, "vertices")]
    require(len(set(vertices)) == len(vertices), "a vertex is listed twice")
    for state, number, residue in vertices:
        require(is_place(state, automaton.transitions) and is_place(number, maps), "a vertex does not exist")
        require(is_integer(residue) and 0 <= residue < moduli[number], "a residue is out of range")
        require(maps[number][state] == state, "a vertex is not kept by its idempotent")
    edges = _read_arrows(data, automaton, maps, moduli, vertices)
    links = Automaton(
        alphabet=tuple(map(str, range(len(edges)))),
        transitions=tuple(
            tuple(edge.get(vertex, vertex) for edge in edges) for vertex in range(len(vertices))
        ),  # an arrow that leads out of the listed vertices is as good as none
        accepting=frozenset(),
    )
    require(is_strongly_connected(links, set(range(len(vertices)))), "the vertices are not strongly connected")
    block_of = {vertex: number for number, block in enumerate(read_list(data, "blocks")) for vertex in block}
    listed = [vertex for block in read_list(data, "blocks") for vertex in block]
    require(
        sorted(listed) == list(range(len(vertices))) and all(map(is_integer, listed)), "the blocks are no partition"
    )
    for block in read_list(data, "blocks"):
        require(len({vertices[vertex][1:] for vertex in block}) == 1, "a block holds vertices that do not look alike")
    equations = []
    for edge in edges:
        first: dict[int, int] = {}
        for vertex in edge:
            other = first.setdefault(block_of[vertex], vertex)
            row: Counter[int] = Counter()
            for unknown, sign in ((edge[vertex], 1), (vertex, -1), (edge[other], -1), (other, 1)):
                row[unknown] += sign
            equations.append(row)
    together = [(block[0], vertex) for block in read_list(data, "blocks") for vertex in block]
    require(forces_equal(equations, together), "counts could tell two vertices of a block apart")
    one, two = data["pair"]
    require(is_place(one, vertices) and is_place(two, vertices), "the pair does not exist")
    require(block_of[one] == block_of[two], "the pair is not in one block")
    prefix, suffix = read_word(data["prefix"], automaton), read_word(data["suffix"], automaton)
    state, number, residue = vertices[one]
    require(automaton.run(prefix) == state, "the prefix does not lead to the pair")
    require(len(prefix) % moduli[number] == residue, "the prefix does not have the length of the pair")
    ends = [automaton.run(suffix, vertices[vertex][0]) in automaton.accepting for vertex in (one, two)]
    require(ends[0] != ends[1], "the suffix does not tell the pair apart")


def _read_idempotents(data: Data, automaton: Automaton) -> tuple[list[list[int]], list[int]]:
    """Return the map of every idempotent, and the modulus of its residues: 1 where the class has no periods."""
    maps, moduli = [], []
    states = range(len(automaton.transitions))
    for words in read_list(data, "idempotents"):
        read = [read_word(word, automaton) for word in words]
        require(len(read) > 0 and all(read), "an idempotent has no word")
        moves = [[automaton.run(word, state) for state in states] for word in read]
        require(all(move == moves[0] for move in moves), "words of one idempotent differ")
        require(all(moves[0][target] == target for target in moves[0]), "a word is not idempotent")
        maps.append(moves[0])
        moduli.append(gcd(*map(len, read)) if "PERIODIC" in data["fragment"] else 1)
    return maps, moduli


def _read_arrows(
    data: Data,
    automaton: Automaton,
    maps: Sequence[Sequence[int]],
    moduli: Sequence[int],
    vertices: Sequence[tuple[int, ...]],
) -> list[dict[int, int]]:
    """Return for every arrow where it leads each vertex with its look; what leaves the listed vertices is left out."""
    numbers = {vertex: number for number, vertex in enumerate(vertices)}
    edges = []
    for arrow in read_list(data, "arrows"):
        (source, residue), (target, after) = arrow["source"], arrow["target"]
        require(is_place(source, maps) and is_place(target, maps), "an arrow leads nowhere")
        require(is_integer(residue) and is_integer(after), "a residue is not a number")
        word = read_word(arrow["word"], automaton)
        require((after - residue - len(word)) % gcd(moduli[source], moduli[target]) == 0, "an arrow has another length")
        edge = {}
        for number, (state, idempotent, r) in enumerate(vertices):
            if (idempotent, r) == (source, residue):
                reached = numbers.get((maps[target][automaton.run(word, state)], target, after))
                if reached is not None:
                    edge[number] = reached
        edges.append(edge)
    return edges
