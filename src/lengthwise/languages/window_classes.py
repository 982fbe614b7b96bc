"""Classes whose languages look at words through windows: strictly local, locally testable, dot-depth one.

Every ``why_not_…`` returns a sentence that shows why a language is not in the class, or None when it is.

The theorems speak of all idempotents e of the syntactic semigroup S. One of every maximal regular J-class is enough:
idempotents of one J-class have isomorphic eSe (and, for two of them, equivalent eSf), and where e is J-below e′, some
idempotent of the J-class of e lies in e′Se′, so that its own eSe does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..budget import checkpoint
from ..errors import CapExceededError
from .components import strong_components
from .dfa import DFA
from .next_symbols import live_states
from .semigroup import Transformation, TransitionSemigroup, reachable
from .walks import shortest_walk, show_briefly, show_path, steps_of

MAX_PAIRS = 250_000
MAX_STEPS = 20_000_000

Pair = tuple[int, int]


def strict_locality(language: DFA) -> int | None:
    """Return the least k for which a language is strictly k-local, or None when there is none.

    A word is in a strictly k-local language exactly if all its factors of k symbols, with marks at both ends, are
    allowed. This holds exactly if every word of k - 1 symbols is a constant (De Luca and Restivo 1980): it takes no two
    states to two different states from which a word can still end. So the graph of such pairs must have no cycle
    (Caron 2000), and its longest path gives k.
    """
    _, edges = _pair_graph(language)
    order = strong_components(edges)
    if len(order) < len(edges) or any(pair in targets for pair, targets in enumerate(edges)):
        return None
    longest = [0] * len(edges)  # counted in pairs
    for (pair,) in reversed(order):
        longest[pair] = 1 + max((longest[target] for target in edges[pair]), default=0)
    return 1 + max(longest, default=0)


def why_not_strictly_local(language: DFA) -> str | None:
    """Find two states from which a word can end, and a word that keeps both."""
    pairs, edges = _pair_graph(language)
    for component in strong_components(edges):
        if len(component) > 1 or component[0] in edges[component[0]]:
            one, two = pairs[component[0]]
            starts = f"{show_path(language, 0, one)} and {show_path(language, 0, two)}"

            def steps(pair: Pair) -> Iterator[tuple[str, Pair]]:
                left, right = (language.transitions[state] for state in pair)
                return zip(language.alphabet, zip(left, right, strict=True), strict=True)

            kept = show_briefly(shortest_walk((one, two), (one, two), steps, at_least=1))
            return f"{starts} lead to different states, {kept} keeps both, and a word can end after both."
    return None


def why_not_locally_testable(semigroup: TransitionSemigroup) -> str | None:
    """Find an idempotent e and elements of eSe that are not their own squares, or do not commute.

    A language is locally testable, that is, its long words are told apart by a prefix, a suffix and the set of factors
    of some length, exactly if eSe is idempotent and commutative for every idempotent e of its syntactic semigroup S
    (Brzozowski and Simon 1973, McNaughton 1974).
    """
    multiply = semigroup.multiply
    for e in maximal_idempotents(semigroup):
        generators: list[int] = []
        generated = {e}
        for x in sorted(reachable(semigroup.right, e) & reachable(semigroup.left, e)):
            if x in generated:
                continue
            shown = f"e = {_show(semigroup, e)} is idempotent, but e·{_show(semigroup, x)}·e"
            if multiply(x, x) != x:
                return f"{shown} is not."
            for y in generators:
                if multiply(x, y) != multiply(y, x):
                    return f"{shown} and e·{_show(semigroup, y)}·e do not commute."
            generators.append(x)
            generated |= {multiply(y, x) for y in generated}
    return None


def why_not_of_dot_depth_one(semigroup: TransitionSemigroup, *, max_steps: int = MAX_STEPS) -> str | None:
    """Find idempotents e, f and elements a, b, c, d that break Knast's equation.

    A language is of dot-depth one, that is, a Boolean combination of languages u₀A*u₁A*…A*uₙ with words uᵢ, exactly if
    its syntactic semigroup S satisfies, for all idempotents e, f and all elements a, b, c, d (Knast 1983)::

        (eafb)^ω eafd (ecfd)^ω = (eafb)^ω (ecfd)^ω

    Write p and q for the idempotents (eafb)^ω and (ecfd)^ω of eSe, x for p·eaf and y for fd·q. Then x is in the R-class
    of p with xf = x, y is in the L-class of q with fy = y, the equation says xy = pq, and all such p, q, x, y arise: x
    as a = x with b such that xb = p, and y as d = y with c such that cy = q. So all products of the x of an R-class
    with the y of an L-class must be one element. On a state s this says: all y take all s·x to s·pq. Therefore it is
    enough to know the sets {s·x} and {t·y}, and no products of elements are formed.
    """
    multiply, elements = semigroup.multiply, semigroup.elements
    right_classes = [set(component) for component in strong_components(semigroup.right)]
    left_classes = [set(component) for component in strong_components(semigroup.left)]
    idempotents = maximal_idempotents(semigroup)
    begins = {e: reachable(semigroup.right, e) for e in idempotents}  # eS
    ends = {e: reachable(semigroup.left, e) for e in idempotents}  # Se
    num_steps = 0
    for e in idempotents:
        local = begins[e].intersection(ends[e], semigroup.idempotents)
        for f in idempotents:
            ys = [(q, _targets(elements, found), found) for q, found in _classes(left_classes, local, begins[f])]
            for p, xs in _classes(right_classes, local, ends[f]):
                images = _targets(elements, xs)
                for q, values, found in ys:
                    checkpoint()
                    num_steps += sum(map(len, images))
                    if num_steps > max_steps:
                        raise CapExceededError(
                            f"Knast's equation takes more than {max_steps:,} steps to check, which is the cap.",
                            hint="use a smaller language.",
                        )
                    product = elements[multiply(p, q)]
                    if any(values[t] != {product[s]} for s, states in enumerate(images) for t in states):
                        x, y = next((x, y) for x in xs for y in found if multiply(x, y) != multiply(p, q))
                        return _show_knast(semigroup, (e, f), (p, x), (q, y))
    return None


def _classes(classes: list[set[int]], local: set[int], ideal: set[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield, for every class with a local idempotent, that idempotent and the members that are in the ideal, if any."""
    for members in classes:
        if not local.isdisjoint(members) and not ideal.isdisjoint(members):
            yield min(local & members), sorted(ideal & members)


def _targets(elements: Sequence[Transformation], chosen: Sequence[int]) -> list[set[int]]:
    """Return for every state where these elements take it."""
    return [set(targets) for targets in zip(*(elements[number] for number in chosen), strict=True)]


def _show_knast(semigroup: TransitionSemigroup, idempotents: Pair, start: Pair, end: Pair) -> str:
    (p, x), (q, y) = start, end
    alphabet = semigroup.language.alphabet
    values = {
        "e": _show(semigroup, idempotents[0]),
        "f": _show(semigroup, idempotents[1]),
        "a": _show(semigroup, x),
        "b": show_briefly(shortest_walk(x, p, steps_of(alphabet, semigroup.right), at_least=1)),
        "c": show_briefly(shortest_walk(y, q, steps_of(alphabet, semigroup.left), at_least=1)[::-1]),
        "d": _show(semigroup, y),
    }
    return f"Knast's equation fails for {', '.join(f'{name} = {word}' for name, word in values.items())}."


def maximal_idempotents(semigroup: TransitionSemigroup) -> list[int]:
    """Return one idempotent, the one with the first word, of every maximal regular J-class."""
    both = [(*one, *two) for one, two in zip(semigroup.right, semigroup.left, strict=True)]
    idempotents = set(semigroup.idempotents)
    below: set[int] = set()
    found = []
    for component in strong_components(both):  # no edge leads back, so that what is above comes first
        regular = idempotents.intersection(component)
        is_below = not below.isdisjoint(component)
        if regular and not is_below:
            found.append(min(regular))
        if regular or is_below:
            below.update(target for element in component for target in both[element])
    return sorted(found)


def _show(semigroup: TransitionSemigroup, element: int) -> str:
    return show_briefly(semigroup.words[element])


def _pair_graph(language: DFA) -> tuple[list[Pair], list[list[int]]]:
    """Return the pairs of different states from which a word can end, and where symbols take them as such pairs."""
    live = sorted(live_states(language))
    if len(live) * (len(live) - 1) // 2 > MAX_PAIRS:
        raise CapExceededError(
            f"strict locality looks at more than {MAX_PAIRS:,} pairs of states, which is the cap.",
            hint="use a smaller language.",
        )
    pairs = list(combinations(live, 2))
    numbers = {pair: number for number, pair in enumerate(pairs)}
    edges = []
    for one, two in pairs:
        after = zip(language.transitions[one], language.transitions[two], strict=True)
        targets = {numbers.get((min(pair), max(pair)), -1) for pair in after}
        edges.append(sorted(targets - {-1}))
    return pairs, edges
