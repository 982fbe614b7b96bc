"""Which states of a complete automaton are equivalent: the fast answer and the obvious one.

Both take transitions as rows of targets and return, for every state, the number of its class; the numbers
themselves carry no meaning. Hopcroft's algorithm is the one in use; Moore's is its oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..budget import checkpoint

Rows = Sequence[Sequence[int]]


def hopcroft_classes(transitions: Rows, accepting: AbstractSet[int]) -> list[int]:
    """Return the class of every state in O(n log n) splits (Hopcroft 1971)."""
    num_states = len(transitions)
    num_symbols = len(transitions[0])
    sources: list[list[list[int]]] = [[[] for _ in range(num_states)] for _ in range(num_symbols)]
    for state, row in enumerate(transitions):
        for symbol, target in enumerate(row):
            sources[symbol][target].append(state)

    blocks = [{state for state in range(num_states) if (state in accepting) == side} for side in (True, False)]
    blocks = [block for block in blocks if block]
    block_of = [0] * num_states
    for number, block in enumerate(blocks):
        for state in block:
            block_of[state] = number
    waiting = set(range(len(blocks)))
    while waiting:
        checkpoint()
        splitter = list(blocks[waiting.pop()])
        for symbol_sources in sources:
            touched: dict[int, list[int]] = {}
            for target in splitter:
                for state in symbol_sources[target]:
                    touched.setdefault(block_of[state], []).append(state)
            for number, states in touched.items():
                if len(states) == len(blocks[number]):
                    continue
                leaving = set(states)
                blocks[number] -= leaving
                fresh = len(blocks)
                blocks.append(leaving)
                for state in leaving:
                    block_of[state] = fresh
                if number in waiting or len(leaving) <= len(blocks[number]):
                    waiting.add(fresh)
                else:
                    waiting.add(number)
    return block_of


def moore_classes(transitions: Rows, accepting: AbstractSet[int]) -> list[int]:
    """Return the class of every state by splitting until nothing changes: the oracle (Moore 1956)."""
    classes = [int(state in accepting) for state in range(len(transitions))]
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        finer = [
            numbers.setdefault((classes[state], *(classes[target] for target in row)), len(numbers))
            for state, row in enumerate(transitions)
        ]
        if len(numbers) == len(set(classes)):
            return finer
        classes = finer
