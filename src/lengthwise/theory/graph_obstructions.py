"""From a component of the Karoubi graph that got stuck to a certificate of words."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ..budget import checkpoint
from ..crasp.fragments import Fragment
from ..languages.dfa import DFA
from ..languages.dfa_algebra import Word, separating_suffix
from ..languages.semigroup import TransitionSemigroup
from .certificates import Arrow, GraphCertificate
from .claims import Asked
from .karoubi import KaroubiGraph, Label
from .linear import Elimination, Row
from .potentials import Refinement


def build_graph_certificate(
    graph: KaroubiGraph, stuck: Refinement, fragment: Fragment, asked: Asked
) -> GraphCertificate:
    """Return the certificate of a component in which vertices that look alike stay together."""
    language = graph.semigroup.language
    labels = _needed_labels(graph, stuck)
    looks = {graph.vertices[vertex][1] for vertex in stuck.members}
    looks |= {each for label in labels for each in (graph.labels[label][0], graph.labels[label][3])}
    number = {e: place for place, e in enumerate(sorted(looks))}
    words = _Words(graph.semigroup, graph.components)
    one, two = _pair(stuck)
    vertices = [graph.vertices[vertex] for vertex in stuck.members]
    state, e, residue = vertices[one]
    suffix = separating_suffix(language, state, vertices[two][0])
    assert suffix is not None
    blocks: dict[int, list[int]] = {}
    for member, block in enumerate(stuck.blocks):
        blocks.setdefault(block, []).append(member)
    return GraphCertificate(
        language=language,
        fragment=fragment,
        idempotents=tuple(
            words.of_idempotent(e, graph.gcds[e]) if fragment.has_periods else (graph.semigroup.words[e],)
            for e in sorted(looks)
        ),
        vertices=tuple((q, number[e], r) for q, e, r in vertices),
        arrows=tuple(_arrow(graph, graph.labels[label], number, words) for label in labels),
        blocks=tuple(tuple(block) for block in blocks.values()),
        pair=(one, two),
        prefix=_prefix(language, state, residue, graph.gcds[e]),
        suffix=suffix,
        asked=asked,
    )


def _pair(stuck: Refinement) -> tuple[int, int]:
    first: dict[int, int] = {}
    for member, block in enumerate(stuck.blocks):
        other = first.setdefault(block, member)
        if other != member:
            return other, member
    raise AssertionError("a component that is stuck has two members in one block")


def _needed_labels(graph: KaroubiGraph, stuck: Refinement) -> list[int]:
    """Return labels that keep the component connected, and whose equations force potentials to agree on its blocks."""
    by_label: dict[int, list[tuple[int, int]]] = {}
    for source, edges in enumerate(stuck.edges):
        for label, target in edges:
            by_label.setdefault(label, []).append((source, target))
    order = sorted(by_label, key=lambda label: (len(graph.semigroup.words[graph.labels[label][2]]), label))
    elimination = Elimination()
    kept = []
    for label in order:
        checkpoint()
        first: dict[int, tuple[int, int]] = {}
        useful = False
        for source, target in by_label[label]:
            other = first.setdefault(stuck.blocks[source], (source, target))
            row: Row = {}
            for member, sign in ((target, 1), (source, -1), (other[1], -1), (other[0], 1)):
                row[member] = row.get(member, 0) + sign
            row = {member: value for member, value in row.items() if value}
            useful |= bool(row) and elimination.add(row)
        if useful:
            kept.append(label)
    return sorted({*kept, *_connecting(order, by_label)})


def _connecting(order: Sequence[int], by_label: dict[int, list[tuple[int, int]]]) -> set[int]:
    """Return labels whose edges lead from member 0 to every member and back."""
    found: set[int] = set()
    for forward in (True, False):
        links: dict[int, list[tuple[int, int]]] = {}
        for label in order:
            for source, target in by_label[label]:
                links.setdefault(source if forward else target, []).append((label, target if forward else source))
        met = {0}
        queue = [0]
        for member in queue:
            for label, other in links.get(member, ()):
                if other not in met:
                    met.add(other)
                    queue.append(other)
                    found.add(label)
    return found


def _arrow(graph: KaroubiGraph, label: Label, number: dict[int, int], words: _Words) -> Arrow:
    e, r, t, f, r2 = label
    modulus = gcd(graph.gcds[e], graph.gcds[f])
    return Arrow(source=(number[e], r), word=words.of(t, (r2 - r) % modulus, modulus), target=(number[f], r2))


class _Words:
    """Shortest words of elements, with lengths that leave given residues."""

    def __init__(self, semigroup: TransitionSemigroup, components: dict[int, list[int]]) -> None:
        self.semigroup, self.components = semigroup, components
        self.walks: dict[int, _Walk] = {}

    def of(self, element: int, residue: int, modulus: int) -> Word:
        """Return a shortest word of an element whose length leaves a residue; there must be one."""
        if modulus == 1:
            return self.semigroup.words[element]
        if modulus not in self.walks:
            self.walks[modulus] = _Walk(self.semigroup, modulus)
        return self.semigroup.language.decode(self.walks[modulus].to(element, residue))

    def of_idempotent(self, e: int, divisor: int) -> tuple[Word, ...]:
        """Return words of an idempotent whose lengths have this greatest common divisor, that of all its words.

        Its shortest word, followed by a closed walk at e in its component of the right Cayley graph, has the value e too. The
        shortest closed walks through each edge have the divisor in common, and nothing more.
        """
        word = self.semigroup.words[e]
        found, common = [word], len(word)
        if common == divisor:
            return (word,)
        there, back = self._ways(e)
        edges = (
            (len(there[source]) + 1 + len(back[target]), source, symbol, target)
            for source in there
            for symbol, target in enumerate(self.semigroup.right[source])
            if target in there
        )
        for length, source, symbol, target in sorted(edges):
            if gcd(common, length) < common:
                walk = (*there[source], symbol, *back[target])
                found.append((*word, *self.semigroup.language.decode(walk)))
                common = gcd(common, length)
                if common == divisor:
                    break
        return tuple(found)

    def _ways(self, e: int) -> tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]]:
        """Return shortest ways, as symbols, from an element to every other of its component, and from these to it."""
        right, inside = self.semigroup.right, set(self.components[e])
        before: dict[int, list[tuple[int, int]]] = {member: [] for member in inside}
        for member in sorted(inside):
            for symbol, target in enumerate(right[member]):
                if target in inside:
                    before[target].append((symbol, member))
        there: dict[int, tuple[int, ...]] = {e: ()}
        for member in (queue := [e]):
            checkpoint()
            for symbol, target in enumerate(right[member]):
                if target in inside and target not in there:
                    there[target] = (*there[member], symbol)
                    queue.append(target)
        back: dict[int, tuple[int, ...]] = {e: ()}
        for member in (queue := [e]):
            checkpoint()
            for symbol, source in before[member]:
                if source not in back:
                    back[source] = (symbol, *back[member])
                    queue.append(source)
        return there, back


class _Walk:
    """A walk over elements and residues of lengths, shortest words first, that goes as far as it was asked to.

    A place is a number, element times modulus plus residue.
    """

    def __init__(self, semigroup: TransitionSemigroup, modulus: int) -> None:
        self.semigroup, self.modulus = semigroup, modulus
        self.before: dict[int, tuple[int, int]] = {}  # the place before, -1 for none, and the last symbol
        self.queue: list[int] = []
        self.done = 0
        for symbol, generator in enumerate(semigroup.generators):
            self._meet(generator * modulus + 1 % modulus, -1, symbol)

    def to(self, element: int, residue: int) -> list[int]:
        """Return the symbols on the way to an element and a residue."""
        goal = element * self.modulus + residue
        while goal not in self.before:
            self._step()
        symbols = []
        place = goal
        while place >= 0:
            place, symbol = self.before[place]
            symbols.append(symbol)
        return symbols[::-1]

    def _meet(self, place: int, before: int, symbol: int) -> None:
        if place not in self.before:
            self.before[place] = (before, symbol)
            self.queue.append(place)

    def _step(self) -> None:
        checkpoint()
        place = self.queue[self.done]
        self.done += 1
        element, residue = divmod(place, self.modulus)
        after = (residue + 1) % self.modulus
        for symbol, target in enumerate(self.semigroup.right[element]):
            self._meet(target * self.modulus + after, place, symbol)


def _prefix(language: DFA, goal: int, residue: int, modulus: int) -> Word:
    """Return a shortest word to a state whose length leaves a residue."""
    words: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
    queue = [(0, 0)]
    for state, length in queue:
        checkpoint()
        if (state, length) == (goal, residue):
            return language.decode(words[state, length])
        for symbol, target in enumerate(language.transitions[state]):
            place = (target, (length + 1) % modulus)
            if place not in words:
                words[place] = (*words[state, length], symbol)
                queue.append(place)
    raise AssertionError("every vertex of the Karoubi graph can be reached")
