"""Strongly connected components of a graph given as rows of targets."""

from __future__ import annotations

from collections.abc import Sequence


def strong_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, sorted, in an order in which no edge leads back (Tarjan 1972)."""
    num_vertices = len(edges)
    index = [-1] * num_vertices  # order of discovery
    low = [0] * num_vertices
    pending = [False] * num_vertices
    stack: list[int] = []
    components: list[list[int]] = []
    discovered = 0
    for root in range(num_vertices):
        if index[root] >= 0:
            continue
        index[root] = low[root] = discovered
        discovered += 1
        stack.append(root)
        pending[root] = True
        walk = [(root, iter(edges[root]))]
        while walk:
            vertex, targets = walk[-1]
            for target in targets:
                if index[target] < 0:
                    index[target] = low[target] = discovered
                    discovered += 1
                    stack.append(target)
                    pending[target] = True
                    walk.append((target, iter(edges[target])))
                    break
                if pending[target] and index[target] < low[vertex]:
                    low[vertex] = index[target]
            else:
                walk.pop()
                if walk and low[vertex] < low[walk[-1][0]]:
                    low[walk[-1][0]] = low[vertex]
                if low[vertex] == index[vertex]:
                    component = []
                    while True:
                        member = stack.pop()
                        pending[member] = False
                        component.append(member)
                        if member == vertex:
                            break
                    component.sort()
                    components.append(component)
    components.reverse()
    return components
