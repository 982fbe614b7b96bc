"""At least: regions of the automaton in which all counts of some depth have become blind.

A *region* is a finite graph of nodes with labels, reached from a root. Formulas of depth i can be made to depend, along
all short walks from the root of the i-th region, on the present letter and the label only: read long enough prefixes, with
closed walks on the way, and every sum of counts that some of these closed walks change is far from its threshold. What is left
of a count is its value modulo the counts of the closed walks, which becomes part of the next label. Two nodes with one label
that stand for different states then look the same to all formulas of that depth (docs/concepts/depth.md has the proof).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...budget import checkpoint
from ...languages.components import strong_components
from ..linear import Elimination, Row
from .certificates import Loop, Round
from .problem import Pair, StateGraph, ordered

Letter = tuple[int, int]  # a symbol and the label of the node before it
Steps = tuple[int, ...]  # symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionLimits:
    """How hard to search: wider and larger searches can only raise the bound."""

    max_nodes: int = 120
    beam: int = 8
    max_rounds: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A graph with labels; node 0 is the root. ``rounds`` leads here from the automaton, as symbols."""

    nodes: tuple[int, ...]  # the node of the first graph that each node stands for
    labels: tuple[int, ...]
    edges: tuple[dict[int, int], ...]
    words: tuple[Steps, ...]  # a shortest word from the root to each node
    rounds: tuple[tuple[Steps, tuple[tuple[int, Steps], ...]], ...]

    def confusions(self) -> dict[Pair, tuple[int, int]]:
        """Return the pairs of first nodes that share a label, each with two nodes that show it."""
        groups: dict[int, dict[int, int]] = {}
        for place, (node, label) in enumerate(zip(self.nodes, self.labels, strict=True)):
            groups.setdefault(label, {}).setdefault(node, place)
        found: dict[Pair, tuple[int, int]] = {}
        for group in groups.values():
            members = sorted(group)
            for number, two in enumerate(members):
                for one in members[:number]:
                    found.setdefault((one, two), (group[one], group[two]))
        return found

    def certificate_rounds(self, alphabet: tuple[str, ...]) -> tuple[Round, ...]:
        """Return the rounds in symbols of the alphabet."""

        def spell(steps: Steps) -> tuple[str, ...]:
            return tuple(alphabet[symbol] for symbol in steps)

        return tuple(
            Round(path=spell(path), loops=tuple(Loop(after=after, word=spell(word)) for after, word in loops))
            for path, loops in self.rounds
        )


def first_region(graph: StateGraph) -> Region:
    """Return the graph itself, with one label."""
    edges = tuple(dict(row) for row in graph.edges)
    return Region(
        nodes=tuple(range(graph.num_nodes)),
        labels=(0,) * graph.num_nodes,
        edges=edges,
        words=_shortest_words(edges),
        rounds=(),
    )


def next_regions(region: Region, limits: RegionLimits) -> Iterator[Region]:
    """Yield the regions of the next round: one for each component with closed walks that those on the way do not span."""
    components = strong_components([list(row.values()) for row in region.edges])
    component_of = {node: number for number, members in enumerate(components) for node in members}
    chains: dict[int, _Chain] = {}
    entering: dict[int, list[tuple[int, int, int]]] = {}  # component → (source, symbol, target) of edges into it
    for source, row in enumerate(region.edges):
        for symbol, target in row.items():
            if component_of[source] != component_of[target]:
                entering.setdefault(component_of[target], []).append((source, symbol, target))
    for number, members in enumerate(components):
        checkpoint()
        walks = _Walks(region, members)
        if component_of[0] == number:
            chain = _Chain(path=(), end=0, loops=(), span=[])
            grown = walks.extend(chain, 0)
            chains[number] = grown
            yield _successor(region, grown, limits)
            continue
        ways = {component_of[source]: (source, symbol, target) for source, symbol, target in entering[number][::-1]}
        best: _Chain | None = None
        base = 0
        for before, (source, symbol, target) in sorted(ways.items()):
            chain = chains[before]
            path = (*chain.path, *_walk(region, chain.end, source), symbol)
            grown = walks.extend(_Chain(path=path, end=target, loops=chain.loops, span=chain.span), target)
            if best is None or len(grown.span) > len(best.span):
                best, base = grown, len(chain.span)
        assert best is not None
        chains[number] = best
        if len(best.span) > base:
            yield _successor(region, best, limits)


@dataclass(frozen=True, slots=True)
class _Chain:
    """A path from the root, closed walks at its nodes, and their counts, which are independent."""

    path: Steps
    end: int
    loops: tuple[tuple[int, Steps], ...]
    span: list[dict[Letter, int]]


class _Walks:
    """The closed walks of one component."""

    def __init__(self, region: Region, members: list[int]) -> None:
        self._region = region
        self._inside = set(members)

    def extend(self, chain: _Chain, node: int) -> _Chain:
        """Return the chain with closed walks at a node of the component, at the end of its path, that add to its span."""
        region, inside = self._region, self._inside
        if len(inside) == 1 and node not in region.edges[node].values():
            return chain
        out = _tree(region, node, inside)
        back = _tree_back(region, node, inside)
        elimination = Elimination()
        numbers: dict[Letter, int] = {}
        for counts in chain.span:
            elimination.add(_numbered(counts, numbers))
        loops, span = list(chain.loops), list(chain.span)
        for source in sorted(inside):
            for symbol, target in region.edges[source].items():
                if target in inside:
                    word = (*out[source], symbol, *back[target])
                    counts = _counts(region, node, word)
                    if elimination.add(_numbered(counts, numbers)):
                        loops.append((len(chain.path), word))
                        span.append(counts)
        return _Chain(path=chain.path, end=chain.end, loops=tuple(loops), span=span)


def _successor(region: Region, chain: _Chain, limits: RegionLimits) -> Region:
    """Return the part of the graph of (node, counts modulo the span) near the end of the chain."""
    numbers: dict[Letter, int] = {}
    for node, targets in enumerate(region.edges):
        for symbol in targets:
            numbers.setdefault((symbol, region.labels[node]), len(numbers))
    elimination = Elimination()
    for counts in chain.span:
        elimination.add({numbers[letter]: count for letter, count in counts.items()})
    gains = elimination.solutions(len(numbers))  # what a letter adds to each form that is zero on the span
    start: tuple[int, frozenset[tuple[int, int]]] = (chain.end, frozenset())
    places = {start: 0}
    queue = [start]
    edges: list[dict[int, int]] = []
    words: list[Steps] = [()]
    for place, (node, residue) in enumerate(queue):
        checkpoint()
        row: dict[int, int] = {}
        for symbol, target in region.edges[node].items():
            gain = gains[numbers[symbol, region.labels[node]]]
            after = (target, _added(residue, gain) if gain else residue)
            if after not in places:
                if len(queue) >= limits.max_nodes:
                    continue
                places[after] = len(queue)
                queue.append(after)
                words.append((*words[place], symbol))
            row[symbol] = places[after]
        edges.append(row)
    labels: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
    return Region(
        nodes=tuple(region.nodes[node] for node, _ in queue),
        labels=tuple(labels.setdefault((region.labels[node], residue), len(labels)) for node, residue in queue),
        edges=tuple(edges),
        words=tuple(words),
        rounds=(*region.rounds, (chain.path, chain.loops)),
    )


def _added(residue: frozenset[tuple[int, int]], gain: Row) -> frozenset[tuple[int, int]]:
    result = dict(residue)
    for form, value in gain.items():
        total = result.get(form, 0) + value
        if total:
            result[form] = total
        else:
            del result[form]
    return frozenset(result.items())


def _counts(region: Region, node: int, word: Steps) -> dict[Letter, int]:
    counts: dict[Letter, int] = {}
    for symbol in word:
        letter = symbol, region.labels[node]
        counts[letter] = counts.get(letter, 0) + 1
        node = region.edges[node][symbol]
    return counts


def _numbered(counts: dict[Letter, int], numbers: dict[Letter, int]) -> Row:
    return {numbers.setdefault(letter, len(numbers)): count for letter, count in counts.items()}


def _tree(region: Region, root: int, inside: set[int]) -> dict[int, Steps]:
    """Return a shortest word from the root to each node, inside the component."""
    words: dict[int, Steps] = {root: ()}
    queue = [root]
    for node in queue:
        for symbol, target in region.edges[node].items():
            if target in inside and target not in words:
                words[target] = (*words[node], symbol)
                queue.append(target)
    return words


def _tree_back(region: Region, root: int, inside: set[int]) -> dict[int, Steps]:
    """Return a shortest word from each node to the root, inside the component."""
    sources: dict[int, list[tuple[int, int]]] = {}
    for node in inside:
        for symbol, target in region.edges[node].items():
            if target in inside:
                sources.setdefault(target, []).append((symbol, node))
    words: dict[int, Steps] = {root: ()}
    queue = [root]
    for node in queue:
        for symbol, source in sources.get(node, ()):
            if source not in words:
                words[source] = (symbol, *words[node])
                queue.append(source)
    return words


def _walk(region: Region, start: int, goal: int) -> Steps:
    """Return a shortest word between two nodes of one component."""
    return _tree(region, start, set(range(len(region.edges))))[goal]


def _shortest_words(edges: tuple[dict[int, int], ...]) -> tuple[Steps, ...]:
    words: dict[int, Steps] = {0: ()}
    queue = [0]
    for node in queue:
        for symbol, target in edges[node].items():
            if target not in words:
                words[target] = (*words[node], symbol)
                queue.append(target)
    return tuple(words[node] for node in range(len(edges)))


def confused_pairs(regions: list[Region]) -> set[Pair]:
    """Return all pairs that some of the regions confuse."""
    return {ordered(*pair) for region in regions for pair in region.confusions()}
