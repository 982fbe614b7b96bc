"""Forged certificates that are as good as a lie can be: each breaks one rule of the checker and keeps the others.

A forger of YES takes a language that counting cannot track, refines it honestly as far as that goes, and then cheats;
a forger of NO invents walks for a language that counting tracks. The checker must refuse all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import gcd
from random import Random
from typing import Any

from lengthwise.crasp.fragments import Fragment
from lengthwise.languages.components import strong_components
from lengthwise.languages.dfa import DFA
from lengthwise.languages.dfa_algebra import separating_suffix, shortest_path
from lengthwise.theory.claims import Asked
from lengthwise.theory.counting import build_certificate
from lengthwise.theory.graph import unrolled_graph
from lengthwise.theory.potentials import refine, refine_edges, solve_states

Json = dict[str, Any]
READOUTS = {Asked.MEMBERSHIP: "END_MARKER", Asked.NEXT_SYMBOLS: "LAST_SYMBOL"}
YesForger = Callable[[Random, Json, int], None]


def automaton_of(language: DFA) -> Json:
    """Return an automaton as certificates state it."""
    rows = [list(row) for row in language.transitions]
    return {"alphabet": list(language.alphabet), "transitions": rows, "accepting": sorted(language.accepting)}


def asking(data: Json, asked: Asked) -> Json:
    """Return a certificate with another question, read where that is read."""
    return data | {"asked": str(asked), "readout": READOUTS[asked]}


def as_far_as_it_goes(language: DFA, fragment: Fragment, asked: Asked) -> tuple[Json, list[int]]:
    """Return an honest YES certificate that stops where refinement is stuck, and which components are stuck."""
    window = int(fragment.has_windows)
    graph = unrolled_graph(language, window=window, period=2 if fragment.has_periods else 1)
    refinements = refine(graph)
    data = copy.deepcopy(build_certificate(language, fragment, graph, refinements, asked).to_json())
    return data, [number for number, refinement in enumerate(refinements) if not refinement.passed]


def edges_inside(data: Json, members: Sequence[int]) -> Iterator[tuple[int, str, int]]:
    """Yield the edges between vertices of a certificate that stay among the members."""
    numbers = {
        (state, tuple(letters), residue): number for number, (state, letters, residue) in enumerate(data["vertices"])
    }
    for member in members:
        state, letters, residue = data["vertices"][member]
        for column, symbol in enumerate(data["automaton"]["alphabet"]):
            recent = (*letters, symbol)[-data["window"] :] if data["window"] else ()
            after = data["automaton"]["transitions"][state][column]
            target = numbers[after, recent, (residue + 1) % data["period"]]
            if target in members:
                yield member, symbol, target


def add_level(data: Json, component: Json, blocks: list[list[int]], values: Sequence[object], first: bool) -> None:
    """Add a test with these values; its gains are those of the first edge, or the last, with each refined letter."""
    block_of = {member: number for number, block in enumerate(blocks) for member in block}
    value_of = dict(zip(component["members"], values, strict=True))
    gains: dict[tuple[str, int], Any] = {}
    for source, symbol, target in edges_inside(data, component["members"]):
        letter = (symbol, block_of[source])
        if not (first and letter in gains):
            gains[letter] = value_of[target] - value_of[source]  # type: ignore[operator]
    tests = [{"gains": [[*letter, gain] for letter, gain in gains.items()], "values": list(values)}]
    component["levels"].append({"blocks": blocks, "tests": tests})


def known_blocks(data: Json, component: Json) -> list[list[int]]:
    """Return the members grouped by what the levels so far tell apart."""
    groups: dict[object, list[int]] = {}
    for place, member in enumerate(component["members"]):
        told = [test["values"][place] for level in component["levels"] for test in level["tests"]]
        groups.setdefault((*map(str, data["vertices"][member][1:]), *told), []).append(member)
    return list(groups.values())


def stop_early(_rng: Random, _data: Json, _stuck: int) -> None:
    """Claim that the honest counts name every state."""


def invent_values(rng: Random, data: Json, stuck: int) -> None:
    """Add a count whose potential is wrong on some edge."""
    component = data["components"][stuck]
    values = list(range(len(component["members"])))
    rng.shuffle(values)
    add_level(data, component, known_blocks(data, component), values, rng.random() < 0.5)


def know_too_much(_rng: Random, data: Json, stuck: int) -> None:
    """Add a count whose conditions use blocks that nothing tells apart."""
    component = data["components"][stuck]
    add_level(data, component, [[member] for member in component["members"]], range(len(component["members"])), True)


def know_twice(_rng: Random, data: Json, stuck: int) -> None:
    """List members in blocks of their own and again in the honest ones, so that the blocks overlap."""
    component = data["components"][stuck]
    blocks = known_blocks(data, component) + [[member] for member in component["members"]]
    add_level(data, component, blocks, range(len(component["members"])), True)


def round_off_the_difference(_rng: Random, data: Json, stuck: int) -> None:
    """Add a count with numbers so large that, as floating-point numbers, they swallow what tells two members apart."""
    component = data["components"][stuck]
    blocks = known_blocks(data, component)
    alike = max(blocks, key=len)
    values = [float(alike.index(member)) if member in alike else 1e300 for member in component["members"]]
    add_level(data, component, blocks, values, True)


def tear_the_component(_rng: Random, data: Json, stuck: int) -> None:
    """Make every member a component of its own, so that the run returns to components it has left."""
    members = data["components"].pop(stuck)["members"]
    data["components"][stuck:stuck] = [{"members": [member], "levels": []} for member in members]


def lose_the_component(_rng: Random, data: Json, stuck: int) -> None:
    """Say nothing of the component."""
    data["components"].pop(stuck)


def list_members_elsewhere(_rng: Random, data: Json, stuck: int) -> None:
    """List the members again one by one, before the component that hides behind them."""
    component = data["components"][stuck]
    data["components"].append({"members": [component["members"][0]], "levels": []})
    component["members"] = component["members"][1:]
    component["levels"] = []


def forget_a_vertex(_rng: Random, data: Json, stuck: int) -> None:
    """Leave out the vertices of the component, as if they could not be reached."""
    gone = data["components"][stuck]["members"][1:]
    data["components"][stuck] = {"members": data["components"][stuck]["members"][:1], "levels": []}
    left = [number for number in range(len(data["vertices"])) if number not in gone]
    data["vertices"] = [data["vertices"][number] for number in left]
    for component in data["components"]:
        component["members"] = [left.index(member) for member in component["members"]]
        for level in component["levels"]:
            level["blocks"] = [[left.index(member) for member in block] for block in level["blocks"]]


def claim_more_positions(rng: Random, data: Json, _stuck: int) -> None:
    """Claim a window or a period that the vertices do not have."""
    data["window" if rng.random() < 0.5 else "period"] += 1


YES_FORGERS: list[YesForger] = [
    stop_early,
    invent_values,
    know_too_much,
    know_twice,
    round_off_the_difference,
    tear_the_component,
    lose_the_component,
    list_members_elsewhere,
    forget_a_vertex,
    claim_more_positions,
]


def forged_yes(
    rng: Random, language: DFA, fragment: Fragment, forger: YesForger, asked: Asked = Asked.MEMBERSHIP
) -> Json | None:
    """Return a forged YES for a language whose answer is NO, or None when there is nothing to cheat about."""
    data, stuck = as_far_as_it_goes(language, fragment, asked)
    if not stuck:
        return None
    for number in reversed(stuck):  # from the back, because a forger may change the number of components
        forger(rng, data, number)
    return data


# NO


def walks(language: DFA, inside: set[int], start: int, length: int) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Yield the words up to a length that stay inside, with the states met."""
    for size in range(length + 1):
        for word in product(language.alphabet, repeat=size):
            met = [start]
            for symbol in word:
                met.append(language.run((symbol,), met[-1]))
            if inside.issuperset(met):
                yield word, met


def obstruction(
    language: DFA, members: Sequence[int], blocks: list[list[int]], pairs: list[Json], ends: tuple[int, int]
) -> Json | None:
    """Return an obstruction certificate as stated, with honest words around the first pair."""
    enter = shortest_path(language, 0, lambda state: state == pairs[0]["start"])
    suffix = separating_suffix(language, *ends)
    head = {"lengthwise": "certificate", "version": 1, "kind": "obstruction", "automaton": automaton_of(language)}
    claim = {"answer": "NO", "fragment": "PLAIN", "asked": "MEMBERSHIP", "readout": "END_MARKER"}
    body = {
        "members": list(members),
        "blocks": blocks,
        "pairs": pairs,
        "enter": list(enter or ()),
        "suffix": list(suffix or ()),
    }
    return head | claim | body


def largest_component(language: DFA) -> list[int]:
    return max(strong_components(language.transitions), key=len)


def unequal_counts(language: DFA) -> Json | None:
    """Claim that walks with different counts are alike."""
    members = largest_component(language)
    found: dict[int, tuple[str, ...]] = {}
    for word, met in walks(language, set(members), members[0], 5):
        found.setdefault(met[-1], word)
    others = [member for member in members[1:] if member in found]
    if len(others) + 1 < len(members) or not others:
        return None
    pairs = [{"kind": "paths", "start": members[0], "first": [], "second": list(found[other])} for other in others]
    return obstruction(language, members, [members], pairs, (members[0], others[0]))


def open_loops(language: DFA, times: int) -> Json | None:
    """Claim loops that do not return, or count the path no times at all."""
    data = unequal_counts(language)
    if data is None:
        return None
    for pair in data["pairs"]:
        path = pair.pop("second")
        pair |= {"kind": "loops", "path": path, "short_loop": [], "long_loop": path * times, "times": times}
        del pair["first"]
    return data


def unequal_loops(language: DFA) -> Json | None:
    """Claim loops, empty ones, whose counts do not differ by the path."""
    data = open_loops(language, 1)
    if data is not None:
        for pair in data["pairs"]:
            pair["long_loop"] = []
    return data


def equal_letters(language: DFA, members: Sequence[int]) -> Json | None:
    """Claim one block for all members, from walks that agree in plain letters only, whatever they generate."""
    for start in members:
        seen: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {}
        for word, met in walks(language, set(members), start, 5):
            other, end = seen.setdefault(tuple(sorted(word)), (word, met[-1]))
            if end != met[-1]:
                pair = {"kind": "paths", "start": start, "first": list(other), "second": list(word)}
                return obstruction(language, members, [list(members)], [pair], (end, met[-1]))
    return None


def equal_letters_in_a_component(language: DFA) -> Json | None:
    return equal_letters(language, largest_component(language))


def refined_pairs(
    language: DFA, members: Sequence[int], block_of: dict[int, int]
) -> list[tuple[Json, tuple[int, int]]]:
    """Return pairs of short walks with equal counts of refined letters and different ends."""
    pairs = []
    for start in members:
        seen: dict[tuple[tuple[str, int], ...], tuple[tuple[str, ...], int]] = {}
        for word, met in walks(language, set(members), start, 4):
            counted = tuple(sorted((symbol, block_of[state]) for symbol, state in zip(word, met, strict=False)))
            other, end = seen.setdefault(counted, (word, met[-1]))
            if end != met[-1]:
                pair = {"kind": "paths", "start": start, "first": list(other), "second": list(word)}
                pairs.append((pair, (end, met[-1])))
    return pairs


def generated_blocks(language: DFA, members: Sequence[int], ends: list[tuple[int, int]]) -> dict[int, int]:
    """Return the classes that pairs generate under reading symbols, among any set of states."""
    label = {member: member for member in members}
    waiting = list(ends)
    while waiting:
        one, two = waiting.pop()
        if label[one] != label[two]:
            old, new = label[two], label[one]
            label = {member: new if value == old else value for member, value in label.items()}
        for left, right in product(members, repeat=2):
            if label[left] == label[right]:
                afters = zip(language.transitions[left], language.transitions[right], strict=True)
                inside = (after for after in afters if set(after) <= set(members))
                waiting.extend(after for after in inside if label[after[0]] != label[after[1]])
    return label


def any_states(language: DFA) -> Json | None:
    """Claim a set of states that is not strongly connected, with counts and blocks that are otherwise right."""
    members = list(range(language.num_states))
    block_of = dict.fromkeys(members, 0)
    while True:
        pairs = refined_pairs(language, members, block_of)
        finer = generated_blocks(language, members, [ends for _, ends in pairs])
        if not pairs:
            return None
        groups: dict[int, list[int]] = {}
        for member in members:
            groups.setdefault(finer[member], []).append(member)
        numbered = {member: number for number, group in enumerate(groups.values()) for member in group}
        if numbered == block_of:
            return obstruction(language, members, list(groups.values()), [pair for pair, _ in pairs], pairs[0][1])
        block_of = numbered


def nothing_at_all(language: DFA) -> Json | None:
    """Claim blocks of one state each, which nothing needs to generate."""
    members = largest_component(language)
    if len(members) < 2:
        return None
    pair = {"kind": "paths", "start": members[0], "first": [], "second": []}
    return obstruction(language, members, [[member] for member in members], [pair], (members[0], members[0]))


def unreachable_parity(language: DFA) -> Json | None:
    """Hide the automaton of another language where no word leads, and prove NO for that."""
    data = nothing_at_all(language)
    if data is None:
        return None
    first, column = language.num_states, len(language.alphabet) - 1
    rows = data["automaton"]["transitions"]
    for here, there in ((first, first + 1), (first + 1, first)):
        rows.append([there] + [here] * column)
    data["automaton"]["accepting"].append(first)
    symbol = language.alphabet[0]
    loops = {"path": [symbol], "short_loop": [], "long_loop": [symbol] * 2, "times": 2}
    data["members"] = [first, first + 1]
    data["blocks"] = [data["members"]]
    data["pairs"] = [{"kind": "loops", "start": first} | loops]
    data["enter"] = []
    data["suffix"] = []
    return data


NO_FORGERS: list[Callable[[DFA], Json | None]] = [
    unequal_counts,
    lambda language: open_loops(language, 1),
    lambda language: open_loops(language, 0),
    unequal_loops,
    equal_letters_in_a_component,
    any_states,
    nothing_at_all,
    unreachable_parity,
]


def reduction(rng: Random, language: DFA, fragment: Fragment, asked: Asked = Asked.MEMBERSHIP) -> Json:
    """Claim some reduction to a known non-member."""
    target, symbols = rng.choice(
        [("PARITY", "ab"), ("{0,1,2}*02*", "012"), ("MOD(3; 0)", "ab"), ("MOD(3; 0, 2)", "ab")]
    )
    words = {name: [rng.choice(language.alphabet) for _ in range(rng.randint(0, 2))] for name in ("prefix", "suffix")}
    head = {
        "lengthwise": "certificate",
        "version": 1,
        "kind": "reduction",
        "answer": "NO",
        "automaton": automaton_of(language),
    }
    size = rng.randint(1, 3)
    images = {symbol: [rng.choice(language.alphabet) for _ in range(size)] for symbol in symbols}
    reads = rng.choice((None, *language.alphabet)) if asked is Asked.NEXT_SYMBOLS else None
    body = {"target": target, "images": images, "fragment": str(fragment), "reads": reads}
    return asking(head | words | body, asked)


def with_other_suffixes(language: DFA, data: Json) -> Iterator[Json]:
    """Yield an obstruction with every short word in the place of its suffix."""
    for size in range(4):
        for word in product(language.alphabet, repeat=size):
            yield data | {"suffix": list(word)}


# NO by a graph

Move = tuple[int, ...]
Vertex = tuple[int, int, int]  # state, idempotent, residue

#: The rules of a graph certificate that a forger may break. "" breaks none: then nothing false can come of it.
CHEATS = (
    "",
    "idempotent",  # words that are not idempotent
    "words",  # words of different values as words of one idempotent, so that no residue is left
    "kept",  # states that their idempotent does not keep
    "length",  # arrows whose word has another length than the residues say
    "connected",  # vertices from which one cannot come back
    "looks",  # blocks of vertices that do not look alike
    "merge",  # blocks that counts tell apart
    "pair",  # a pair of two blocks
    "reach",  # a pair that no word leads to
)


@dataclass
class Subgraph:
    """Some vertices and arrows of the Karoubi graph, or of what a forger would like it to be."""

    words: list[list[tuple[str, ...]]]
    moves: list[Move]
    moduli: list[int]
    vertices: list[Vertex] = field(default_factory=list)
    arrows: list[tuple[tuple[int, int], tuple[str, ...], tuple[int, int]]] = field(default_factory=list)


def move_of(language: DFA, word: Sequence[str]) -> Move:
    return tuple(language.run(word, state) for state in range(language.num_states))


def is_idempotent(move: Move) -> bool:
    return all(move[state] == state for state in move)


def random_subgraph(rng: Random, language: DFA, fragment: Fragment, cheat: str) -> Subgraph:
    """Return idempotents of random words, with all vertices they have, and random arrows."""
    graph = Subgraph([], [], [])
    for _ in range(rng.randint(1, 3)):
        word = tuple(rng.choice(language.alphabet) for _ in range(rng.randint(1, 4)))
        power = 1
        while not is_idempotent(move_of(language, word * power)):
            power += 1
        words = [word * (rng.randint(1, power) if cheat == "idempotent" else power)]
        for _ in range(rng.randint(0, 12)):
            other = tuple(rng.choice(language.alphabet) for _ in range(rng.randint(1, 6)))
            if cheat == "words" or move_of(language, other) == move_of(language, words[0]):
                words.append(other)
        graph.words.append(words)
        graph.moves.append(move_of(language, words[0]))
        graph.moduli.append(gcd(*map(len, words)) if fragment.has_periods else 1)
    for number, (move, modulus) in enumerate(zip(graph.moves, graph.moduli, strict=True)):
        states = [state for state, target in enumerate(move) if target == state or cheat == "kept"]
        graph.vertices += [(state, number, residue) for state in states for residue in range(modulus)]
    for _ in range(rng.randint(4, 60)):
        source, target = rng.randrange(len(graph.words)), rng.randrange(len(graph.words))
        word = tuple(rng.choice(language.alphabet) for _ in range(rng.randint(0, 4)))
        residue = rng.randrange(graph.moduli[source])
        common = gcd(graph.moduli[source], graph.moduli[target])
        after = [
            each
            for each in range(graph.moduli[target])
            if (each - residue - len(word)) % common == 0 or cheat == "length"
        ]
        graph.arrows.append(((source, residue), word, (target, rng.choice(after))))
    return graph


def edges_of(language: DFA, graph: Subgraph) -> list[list[tuple[int, int]]]:
    """Return for every vertex its arrows as (number, target)."""
    numbers = {vertex: number for number, vertex in enumerate(graph.vertices)}
    edges: list[list[tuple[int, int]]] = [[] for _ in graph.vertices]
    for label, (source, word, (target, after)) in enumerate(graph.arrows):
        for number, (state, *look) in enumerate(graph.vertices):
            if tuple(look) == source:
                reached = numbers.get((graph.moves[target][language.run(word, state)], target, after))
                if reached is not None:
                    edges[number].append((label, reached))
    return edges


def forged_graph(rng: Random, language: DFA, fragment: Fragment, cheat: str) -> Json | None:
    """Return a graph certificate that breaks one rule, or none, or None where no two vertices stay together."""
    graph = random_subgraph(rng, language, fragment, cheat)
    edges = edges_of(language, graph)
    parts = [list(range(len(graph.vertices)))]
    if cheat != "connected":
        parts = strong_components([[target for _, target in row] for row in edges])
    for members in sorted(parts, key=len, reverse=True)[:3]:
        place = {vertex: number for number, vertex in enumerate(members)}
        inner = [[(label, place[target]) for label, target in edges[vertex] if target in place] for vertex in members]
        looks: dict[tuple[int, ...], int] = {}
        seen = [looks.setdefault(graph.vertices[vertex][1:], len(looks)) for vertex in members]
        if cheat == "looks":
            seen = [rng.randrange(2) for _ in members]
        blocks: Sequence[int] = seen
        if cheat != "merge":
            blocks = refine_edges(members, inner, seen, solver=solve_states).blocks
        found = distinct_pair(rng, [graph.vertices[vertex][0] for vertex in members], blocks, cheat)
        if found is not None:
            listed = [graph.vertices[vertex] for vertex in members]
            return graph_data(language, fragment, graph, listed, blocks, found, cheat)
    return None


def distinct_pair(rng: Random, states: Sequence[int], blocks: Sequence[int], cheat: str) -> tuple[int, int] | None:
    """Return two vertices with different states, in one block unless that is the rule to break."""
    pairs = [
        (one, two)
        for one, two in product(range(len(states)), repeat=2)
        if states[one] != states[two] and (blocks[one] == blocks[two] or cheat == "pair")
    ]
    return rng.choice(pairs) if pairs else None


def graph_data(
    language: DFA,
    fragment: Fragment,
    graph: Subgraph,
    vertices: Sequence[Vertex],
    blocks: Sequence[int],
    pair: tuple[int, int],
    cheat: str,
) -> Json | None:
    """Return the certificate as it is stated, with honest words around the pair."""
    state, number, residue = vertices[pair[0]]
    prefix = prefix_of_length(language, state, residue, graph.moduli[number])
    if prefix is None and cheat != "reach":
        return None
    suffix = separating_suffix(language, state, vertices[pair[1]][0])
    grouped: dict[int, list[int]] = {}
    for vertex, block in enumerate(blocks):
        grouped.setdefault(block, []).append(vertex)
    arrows = [
        {"source": list(source), "word": list(word), "target": list(target)} for source, word, target in graph.arrows
    ]
    head = {"lengthwise": "certificate", "version": 1, "kind": "graph", "automaton": automaton_of(language)}
    claim = {"answer": "NO", "fragment": str(fragment), "asked": "MEMBERSHIP", "readout": "END_MARKER"}
    body = {
        "idempotents": [[list(word) for word in words] for words in graph.words],
        "vertices": [list(vertex) for vertex in vertices],
        "arrows": arrows,
        "blocks": list(grouped.values()),
        "pair": list(pair),
        "prefix": list(prefix or ()),
        "suffix": list(suffix or ()),
    }
    return head | claim | body


def prefix_of_length(language: DFA, goal: int, residue: int, modulus: int) -> tuple[str, ...] | None:
    """Return a word to a state whose length leaves a residue, or None."""
    words: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    queue = [(0, 0)]
    for state, length in queue:
        for symbol in language.alphabet:
            place = (language.run((symbol,), state), (length + 1) % modulus)
            if place not in words:
                words[place] = (*words[state, length], symbol)
                queue.append(place)
    return words.get((goal, residue))


def hidden_graph(language: DFA, fragment: Fragment) -> Json:
    """Hide a counter where no word leads, and prove NO for that, with one letter that turns it and one that keeps it."""
    first = language.num_states
    data = automaton_of(language)
    others = len(language.alphabet) - 1
    data["transitions"] += [[first + 1] + [first] * others, [first] + [first + 1] * others]
    data["accepting"].append(first)
    turn, keep = language.alphabet[0], language.alphabet[-1]
    head = {"lengthwise": "certificate", "version": 1, "kind": "graph", "automaton": data}
    claim = {"answer": "NO", "fragment": str(fragment), "asked": "MEMBERSHIP", "readout": "END_MARKER"}
    body = {
        "idempotents": [[[keep], [keep] * 2]],
        "vertices": [[first, 0, 0], [first + 1, 0, 0]],
        "arrows": [{"source": [0, 0], "word": [turn], "target": [0, 0]}],
        "blocks": [[0, 1]],
        "pair": [0, 1],
        "prefix": [],
        "suffix": [],
    }
    return head | claim | body
