"""The Karoubi graph of a language: all windows and periods at once.

Its vertices are (q, e, r): an idempotent e of the transition semigroup, a state q with q·e = q, and a residue r modulo
g(e), the greatest common divisor of the lengths of the words of value e, such that some word of length ≡ r leads from the
start to q. For every t = e·t·f and residues such that some non-empty word of value t has length ≡ r′ − r modulo
gcd(g(e), g(f)), an arrow labelled (e, r, t, f, r′) leads from (q, e, r) to (q·t, f, r′). Vertices with equal e and r look
alike. The graph *passes* when balanced refinement tells apart all vertices of a component that look alike.

For C-RASP[periodic, local] the language is in the class exactly if the graph passes; for C-RASP[local] take all g(e) to be
1 (docs/concepts/deciding.md). One idempotent of every regular J-class is enough; ``reduced=False`` takes all, for tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from ..budget import checkpoint
from ..errors import CapExceededError
from ..languages.components import strong_components
from ..languages.semigroup import TransitionSemigroup, reachable
from .potentials import Edges, Refinement, refine_edges

MAX_ELEMENTS = 20_000
MAX_ARROWS = 400_000

Label = tuple[int, int, int, int, int]  # e, r, t, f, r′
Vertex = tuple[int, int, int]  # q, e, r


@dataclass(frozen=True, slots=True, kw_only=True)
class KaroubiGraph:
    """Vertices, and for each its arrows as (label number, target)."""

    semigroup: TransitionSemigroup
    components: dict[int, list[int]]  # of the right Cayley graph
    gcds: dict[int, int]  # of every idempotent that is used
    vertices: list[Vertex]
    labels: list[Label]
    arrows: Edges

    def refine(self) -> Iterator[Refinement]:
        """Yield the refinement of every component with several vertices."""
        targets = [[target for _, target in row] for row in self.arrows]
        looks = {key: number for number, key in enumerate(sorted({vertex[1:] for vertex in self.vertices}))}
        for component in strong_components(targets):
            seen = [looks[self.vertices[vertex][1:]] for vertex in component]
            if len(set(seen)) == len(component):
                continue  # nothing looks alike
            number = {vertex: member for member, vertex in enumerate(component)}
            edges = [
                [(label, number[target]) for label, target in self.arrows[vertex] if target in number]
                for vertex in component
            ]
            yield refine_edges(component, edges, seen)

    def find_stuck(self) -> Refinement | None:
        """Return a component, the smallest, in which two vertices that look alike are never told apart, or None."""
        stuck = [each for each in self.refine() if not each.passed]
        return min(stuck, key=lambda each: len(each.members)) if stuck else None


def karoubi_graph(
    semigroup: TransitionSemigroup, *, periods: bool, reduced: bool = True, max_arrows: int = MAX_ARROWS
) -> KaroubiGraph:
    """Return the graph with residues, or without them, for windows alone."""
    components = right_components(semigroup)
    chosen = regular_representatives(semigroup) if reduced else list(semigroup.idempotents)
    gcds = {e: component_period(semigroup, components[e]) if periods else 1 for e in chosen}
    vertices, numbers = _vertices(semigroup, gcds)
    labels: list[Label] = []
    arrows: Edges = [[] for _ in vertices]
    places: dict[tuple[int, int], list[tuple[int, int]]] = {}  # (e, r): its states and vertices
    for number, (q, e, r) in enumerate(vertices):
        places.setdefault((e, r), []).append((q, number))
    right = {e: reachable(semigroup.right, e) for e in chosen}
    left = {e: reachable(semigroup.left, e) for e in chosen}
    lengths: dict[int, list[int]] = {}
    num_arrows = 0
    for e in chosen:
        for f in chosen:
            modulus = gcd(gcds[e], gcds[f])
            if modulus not in lengths:
                lengths[modulus] = word_lengths(semigroup, modulus, components)
            for t in sorted(right[e] & left[f]):
                checkpoint()
                move = semigroup.elements[t]
                for r in range(gcds[e]):
                    if (e, r) not in places:
                        continue
                    for r2 in range(gcds[f]):
                        if not lengths[modulus][t] >> ((r2 - r) % modulus) & 1:
                            continue
                        label = len(labels)
                        labels.append((e, r, t, f, r2))
                        num_arrows += len(places[e, r])
                        if num_arrows > max_arrows:
                            raise CapExceededError(
                                f"the Karoubi graph has more than {max_arrows:,} arrows, the cap.",
                                hint="raise max_arrows.",
                            )
                        for q, number in places[e, r]:
                            arrows[number].append((label, numbers[move[q], f, r2]))
    return KaroubiGraph(
        semigroup=semigroup, components=components, gcds=gcds, vertices=vertices, labels=labels, arrows=arrows
    )


def right_components(semigroup: TransitionSemigroup) -> dict[int, list[int]]:
    """Return for every element its component in the right Cayley graph: the elements with the same right ideal."""
    return {member: component for component in strong_components(semigroup.right) for member in component}


def regular_representatives(semigroup: TransitionSemigroup) -> list[int]:
    """Return one idempotent of every regular J-class, the one with the first word."""
    both = [(*one, *two) for one, two in zip(semigroup.right, semigroup.left, strict=True)]
    idempotents = set(semigroup.idempotents)
    found = []
    for component in strong_components(both):
        inside = sorted(idempotents & set(component))
        found += inside[:1]
    return sorted(found)


def component_period(semigroup: TransitionSemigroup, component: Sequence[int]) -> int:
    """Return the greatest common divisor of the lengths of all closed walks in a component of the right Cayley graph."""
    return _depths(semigroup, component)[1]


def _depths(semigroup: TransitionSemigroup, component: Sequence[int]) -> tuple[dict[int, int], int]:
    """Return the distance of every element of a component from its first one, and the period of the component."""
    inside = set(component)
    depth = {component[0]: 0}
    queue = [component[0]]
    period = 0
    for element in queue:
        checkpoint()
        for target in semigroup.right[element]:
            if target not in inside:
                continue
            if target not in depth:
                depth[target] = depth[element] + 1
                queue.append(target)
            else:
                period = gcd(period, depth[element] + 1 - depth[target])
    return depth, period


def word_lengths(
    semigroup: TransitionSemigroup, modulus: int, components: dict[int, list[int]] | None = None
) -> list[int]:
    """Return for every element the residues of the lengths of its non-empty words, as bits of a number.

    One pass over ``components``, those of :func:`right_components`: what enters one of them goes around it by multiples of
    its period.
    """
    if modulus == 1:
        return [1] * semigroup.size
    everything = (1 << modulus) - 1

    def turned(residues: int, steps: int) -> int:
        steps %= modulus
        return (residues << steps | residues >> modulus - steps) & everything

    found = [0] * semigroup.size
    for generator in semigroup.generators:
        found[generator] = 1 << 1
    components = right_components(semigroup) if components is None else components
    for first, component in components.items():
        if first != component[0]:
            continue  # every component is listed once for each member
        depths, period = _depths(semigroup, component)
        entered = 0
        for element, depth in depths.items():
            if found[element]:
                entered |= turned(found[element], -depth)
        if period:
            step = gcd(period, modulus)
            folded = 0
            for start in range(0, modulus, step):
                folded |= entered >> start
            folded &= (1 << step) - 1
            entered = sum(folded << start for start in range(0, modulus, step))
        for element, depth in depths.items():
            found[element] = turned(entered, depth)
            after = turned(entered, depth + 1)
            for target in semigroup.right[element]:
                found[target] |= after
    return found


def _vertices(semigroup: TransitionSemigroup, gcds: dict[int, int]) -> tuple[list[Vertex], dict[Vertex, int]]:
    language = semigroup.language
    reached: dict[int, list[int]] = {}  # modulus: for every state the residues of lengths that lead there
    vertices: list[Vertex] = []
    for e, modulus in gcds.items():
        checkpoint()
        if modulus not in reached:
            reached[modulus] = _state_lengths(language.transitions, modulus)
        for q, target in enumerate(semigroup.elements[e]):
            if target == q:
                vertices += [(q, e, r) for r in range(modulus) if reached[modulus][q] >> r & 1]
    return vertices, {vertex: number for number, vertex in enumerate(vertices)}


def _state_lengths(transitions: Sequence[Sequence[int]], modulus: int) -> list[int]:
    found = [0] * len(transitions)
    found[0] = 1
    queue = [(0, 0)]
    for state, residue in queue:
        checkpoint()
        after = (residue + 1) % modulus
        for target in transitions[state]:
            if not found[target] >> after & 1:
                found[target] |= 1 << after
                queue.append((target, after))
    return found
