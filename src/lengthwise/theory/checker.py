"""The independent checker: whether to believe a certificate, from its JSON alone.

It shares no code with the solvers. It replays words on the automaton (:mod:`lengthwise.theory.replay`), compares
automata by walking both at once, and does sums; it solves nothing. A program it reads again from its text. Acceptance
proves the claim for all lengths, given the theorem that the kind of certificate stands for (docs/concepts/deciding.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..budget import time_budget
from ..crasp.fragments import Fragment, Readout
from ..crasp.kinds import require_meaning
from ..crasp.measures import fragment_of
from ..crasp.parser import parse_program
from ..errors import InvalidCertificateError, LengthwiseError, OutOfTimeError
from ..languages.dfa import DFA
from .graph_checker import check_graph
from .period_checker import check_periods
from .precision.checker import check_aperiodic, check_pumping, check_ranks
from .promise_checker import check_promise
from .replay import (
    Automaton,
    Data,
    Objection,
    alive_states,
    are_equivalent,
    as_classes,
    equal_walks,
    generated_classes,
    is_integer,
    is_place,
    is_strongly_connected,
    known_non_member,
    next_symbols,
    read_automaton,
    read_list,
    read_word,
    require,
    walk_alive,
)

MAX_SECONDS = 8.0
"""CPU time for one certificate; our own take far less than a second, and the largest ones a few."""

_CLAIM = ("answer", "fragment", "asked", "readout")

Vertex = tuple[int, tuple[str, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The outcome of a check: the claim as stated, with None for a missing part, and the objection if it was rejected."""

    answer: str | None
    fragment: str | None
    asked: str | None
    readout: str | None
    alphabet: tuple[str, ...]
    objection: str | None

    @property
    def accepted(self) -> bool:
        """Whether the certificate proves its claim."""
        return self.objection is None

    @property
    def is_claim(self) -> bool:
        """Whether the certificate states all of a claim."""
        return None not in (self.answer, self.fragment, self.asked, self.readout)


def check_certificate(data: object, language: DFA | None = None) -> Check:
    """Check a certificate, for its own automaton or, if given, for a language.

    Data that is no certificate raises; a certificate that does not hold comes back with an objection.
    """
    if not isinstance(data, Mapping) or data.get("lengthwise") != "certificate":
        raise InvalidCertificateError(
            'this is not a certificate: it has no field "lengthwise" with the value "certificate".',
            hint="write one with: lengthwise predict '(ab)*' --json > verdicts.json",
        )
    if not is_integer(data.get("version")) or data["version"] != 1:
        raise InvalidCertificateError(
            f"this certificate has version {data.get('version')!r}; this program reads version 1.",
            hint="use the version of lengthwise that wrote it, or write it again.",
        )
    given = (
        None
        if language is None
        else Automaton(alphabet=language.alphabet, transitions=language.transitions, accepting=language.accepting)
    )
    objection = None
    try:
        with time_budget(MAX_SECONDS, "checking this"):
            _check(_plain(data), given)
    except Objection as reason:
        objection = str(reason)
    except OutOfTimeError as error:
        objection = error.message.removesuffix(".")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        objection = f"a field is missing or malformed ({type(error).__name__}: {error})"
    about = data["automaton"] if isinstance(data.get("automaton"), Mapping) else data
    alphabet = about.get("alphabet", ())
    stated = {key: data[key] if isinstance(data.get(key), str) else None for key in _CLAIM}
    return Check(
        **stated,
        alphabet=tuple(map(str, alphabet)) if isinstance(alphabet, list) else (),
        objection=objection,
    )


def _plain(data: Any) -> Any:
    """Return a copy of JSON data; anything else, such as an iterator that is empty when it is read again, is refused."""
    if type(data) is dict:
        return {_plain(key): _plain(value) for key, value in data.items()}
    if type(data) is list:
        return [_plain(item) for item in data]
    require(data is None or type(data) in (str, int, float, bool), f"a {type(data).__name__} is not JSON data")
    return data


def _check(data: Data, language: Automaton | None) -> None:
    if data["kind"] == "program":
        require(
            language is None,
            "a program proves nothing about an automaton: whether they agree on all words is not checked here",
        )
        _check_program(data)
        return
    if data["kind"] in ("promise", "promise_reduction"):
        require(language is None, "this kind is about answers to some inputs, not about a language")
        check_promise(data)
        return
    automaton = read_automaton(data["automaton"])
    if language is not None:
        require(are_equivalent(automaton, language), "the automaton in the certificate is not that of the language")
    kinds = {
        "potentials": _check_potentials,
        "obstruction": _check_obstruction,
        "reduction": _check_reduction,
        "graph": _check_graph_claim,
        "periods": _check_periods_claim,
        "quotients": _check_quotients,
        "pumping": check_pumping,
        "ranks": check_ranks,
        "aperiodic": check_aperiodic,
    }
    require(data["kind"] in kinds, f"there is no kind of certificate called {data['kind']!r}")
    kinds[data["kind"]](data, automaton)


def _check_program(data: Data) -> None:
    """The problem is what the program computes, so only its meaning, its fragment and the claim's form are in question."""
    try:
        program = parse_program(data["program"])
        require_meaning(program)
    except OutOfTimeError:
        raise
    except LengthwiseError as error:
        raise Objection(error.message.removesuffix(".")) from None
    require(list(program.alphabet) == data["alphabet"], "the program is over another alphabet")
    asked = "NEXT_SYMBOLS" if program.is_generator else "MEMBERSHIP"
    require(data["answer"] == "YES", f"this kind of certificate proves YES, not {data['answer']!r}")
    require(data["asked"] == asked, f"the program is about {asked}, not {data['asked']!r}")
    require(data["readout"] in list(Readout), f"nothing is read at {data['readout']!r}")
    require(program.is_generator or data["readout"] == program.readout, f"the program is {program.readout.notation}")
    require(data["fragment"] in list(Fragment), f"there is no fragment {data['fragment']!r}")
    fragment = fragment_of(program)
    require(Fragment(data["fragment"]).includes(fragment), f"the program is in {fragment.notation}, which is more")


def _claim(data: Data, answer: str, fragments: Sequence[str]) -> None:
    readouts = {"MEMBERSHIP": "END_MARKER", "NEXT_SYMBOLS": "LAST_SYMBOL"}
    require(data["asked"] in readouts, f"nobody asks for {data['asked']!r}")
    readout = readouts[data["asked"]]
    require(data["answer"] == answer, f"this kind of certificate proves {answer}, not {data['answer']!r}")
    require(data["readout"] == readout, f"this kind of certificate is about {readout}, not {data['readout']!r}")
    require(data["fragment"] in fragments, f"this certificate proves nothing about {data['fragment']!r}")


def _check_potentials(data: Data, automaton: Automaton) -> None:
    """Follow the counts: they must be right on every edge, and name every vertex."""
    window, period = data["window"], data["period"]
    require(
        is_integer(window) and window >= 0 and is_integer(period) and period >= 1, "window or period is out of range"
    )
    fragments = ["PERIODIC_LOCAL"]
    fragments += ["LOCAL"] * (period == 1) + ["PERIODIC"] * (window == 0) + ["PLAIN"] * (window == 0 and period == 1)
    _claim(data, "YES", fragments)
    vertices: list[Vertex] = []
    for state, letters, residue in read_list(data, "vertices"):
        require(is_integer(state) and is_integer(residue), "a vertex is malformed")
        vertices.append((state, read_word(letters, automaton), residue))
    edges = _check_vertices(vertices, automaton, window, period)
    place: dict[int, int] = {}
    for number, component in enumerate(read_list(data, "components")):
        for member in read_list(component, "members"):
            require(is_place(member, vertices) and member not in place, "the components do not divide the vertices")
            place[member] = number
    require(len(place) == len(vertices), "a vertex is in no component")
    for vertex, targets in enumerate(edges):
        require(
            all(place[target] >= place[vertex] for target in targets.values()),
            "an edge leads back to an earlier component",
        )
    for component in read_list(data, "components"):
        known = _check_component(component, vertices, edges)
        if data["asked"] == "MEMBERSHIP":
            require(len(set(known.values())) == len(known), "the counts do not name every state of a component")
        else:
            _check_next_states(known, vertices, edges, automaton)


def _check_vertices(vertices: Sequence[Vertex], automaton: Automaton, window: int, period: int) -> list[dict[str, int]]:
    """Return the edges between the stated vertices, which must be just those that are reachable."""
    numbers = {vertex: number for number, vertex in enumerate(vertices)}
    require(len(numbers) == len(vertices), "a vertex is listed twice")
    edges: list[dict[str, int]] = [{} for _ in vertices]
    start: Vertex = (0, (), 0)
    queue = [start]
    met = {start}
    for vertex in queue:
        require(vertex in numbers, "a reachable vertex is not listed")
        state, letters, residue = vertex
        for symbol in automaton.alphabet:
            recent = (*letters, symbol)
            target = (automaton.step(state, symbol), recent[max(0, len(recent) - window) :], (residue + 1) % period)
            require(target in numbers, "a reachable vertex is not listed")
            edges[numbers[vertex]][symbol] = numbers[target]
            if target not in met:
                met.add(target)
                queue.append(target)
    require(len(met) == len(vertices), "a vertex that cannot be reached is listed")
    return edges


def _check_component(
    component: Data, vertices: Sequence[Vertex], edges: Sequence[Mapping[str, int]]
) -> dict[int, tuple[object, ...]]:
    """Return what a program knows of each member: what it sees, and the values of the counts."""
    members = read_list(component, "members")
    known: dict[int, tuple[object, ...]] = {member: vertices[member][1:] for member in members}  # what a program knows
    for level in read_list(component, "levels"):
        blocks = read_list(level, "blocks")
        block_of = {member: number for number, block in enumerate(blocks) for member in block}
        require(
            sorted(block_of) == sorted(members) and sum(len(block) for block in blocks) == len(members),
            "the blocks do not divide the component",
        )
        require(
            all(len({known[member] for member in block}) == 1 for block in blocks)
            and len(set(known.values())) == len(blocks),
            "the blocks of a level are not what the levels before it tell apart",
        )
        learned: dict[int, tuple[object, ...]] = dict.fromkeys(members, ())
        for test in read_list(level, "tests"):
            values = dict(zip(members, read_list(test, "values"), strict=True))
            gains = {(symbol, block): gain for symbol, block, gain in read_list(test, "gains")}
            require(all(map(is_integer, [*values.values(), *gains.values()])), "a value or a gain is not an integer")
            for member in members:
                for symbol, target in edges[member].items():
                    if target in values:
                        require(
                            values[target] - values[member] == gains[symbol, block_of[member]],
                            f"the potential does not change by the stated gain on an edge with symbol {symbol!r}",
                        )
                learned[member] = (*learned[member], values[member])
        known = {member: (*known[member], *learned[member]) for member in members}
    return known


def _check_next_states(
    known: Mapping[int, object], vertices: Sequence[Vertex], edges: Sequence[Mapping[str, int]], automaton: Automaton
) -> None:
    """What is known of a state, and the symbol read there, must name the next state among those that can go on."""
    alive = alive_states(automaton)
    following: dict[tuple[object, str], int] = {}
    for member in known:
        for symbol, target in edges[member].items():
            if vertices[target][0] in alive:
                named = following.setdefault((known[member], symbol), target)
                require(named == target, f"the counts and the symbol {symbol!r} do not name the next state")


def _check_obstruction(data: Data, automaton: Automaton) -> None:
    """Follow the walks: equal counts must lead to states that are equal to every program but not to the language."""
    _claim(data, "NO", ["PLAIN"])
    members = read_list(data, "members")
    require(all(is_place(member, automaton.transitions) for member in members), "a member is not a state")
    inside = set(members)
    require(len(inside) == len(members) > 1, "the component needs at least two different states")
    block_of = {state: number for number, block in enumerate(read_list(data, "blocks")) for state in block}
    require(
        set(block_of) == inside and sum(len(block) for block in read_list(data, "blocks")) == len(members),
        "the blocks do not divide the component",
    )
    require(is_strongly_connected(automaton, inside), "the component is not strongly connected")
    require(len(read_list(data, "pairs")) > 0, "there is no pair of walks")
    ends = [equal_walks(pair, automaton, block_of) for pair in read_list(data, "pairs")]
    require(generated_classes(automaton, inside, ends) == as_classes(block_of), "the pairs do not generate the blocks")

    enter, suffix = read_word(data["enter"], automaton), read_word(data["suffix"], automaton)
    require(
        automaton.run(enter) == read_list(data, "pairs")[0]["start"],
        "the first word does not lead to the start of the first pair",
    )
    if data["asked"] == "MEMBERSHIP":
        one, two = (automaton.run(suffix, state) in automaton.accepting for state in ends[0])
        require(one != two, "the two words do not differ in membership")
    else:
        require(len(suffix) > 0, "the two words need a last symbol in common")
        alive = alive_states(automaton)
        first, second = (walk_alive(automaton, alive, state, suffix) for state in ends[0])
        differ = next_symbols(automaton, alive, first) != next_symbols(automaton, alive, second)
        require(differ, "the two words do not differ in their next symbols")


def _check_reduction(data: Data, automaton: Automaton) -> None:
    """Build the language that the reduction speaks of and compare it with the known one, completely."""
    _claim(data, "NO", ["PLAIN", "LOCAL", "PERIODIC", "PERIODIC_LOCAL"])
    target = known_non_member(data["target"])
    require(set(data["images"]) == set(target.alphabet), "the reduction does not say what every symbol is read as")
    images = [read_word(data["images"][symbol], automaton) for symbol in target.alphabet]
    require(len(set(map(len, images))) == 1 and bool(images[0]), "the symbols are not read as words of one length")
    suffix = read_word(data["suffix"], automaton)
    start = automaton.run(read_word(data["prefix"], automaton))
    if data["asked"] == "MEMBERSHIP":
        require(data["reads"] is None, "membership is not read off a symbol")
    alive = alive_states(automaton)
    met = {(0, start)}
    queue = [(0, start)]
    for goal, state in queue:
        accepted = data["reads"] in next_symbols(automaton, alive, automaton.run(suffix, state))  # None: at the end
        require(accepted == (goal in target.accepting), f"the reduction does not give {data['target']}")
        for after, image in zip(target.transitions[goal], images, strict=True):
            pair = (after, automaton.run(image, state))
            if pair not in met:
                met.add(pair)
                queue.append(pair)


def _check_graph_claim(data: Data, automaton: Automaton) -> None:
    _claim(data, "NO", ["PLAIN", "LOCAL", "PERIODIC", "PERIODIC_LOCAL"])
    check_graph(data, automaton)


def _check_periods_claim(data: Data, automaton: Automaton) -> None:
    _claim(data, "NO", ["PLAIN", "PERIODIC"])
    require(data["asked"] == "MEMBERSHIP", f"this kind of certificate is about MEMBERSHIP, not {data['asked']!r}")
    check_periods(data, automaton)


def _check_quotients(data: Data, automaton: Automaton) -> None:
    """Check a claim read at the last symbol through certificates for {w : wa accepted}, read at the end marker."""
    require(data["answer"] in ("YES", "NO"), f"{data['answer']!r} is nothing to prove")
    require(data["asked"] == "MEMBERSHIP", f"this kind of certificate is about MEMBERSHIP, not {data['asked']!r}")
    require(data["readout"] == "LAST_SYMBOL", f"this kind of certificate is about LAST_SYMBOL, not {data['readout']!r}")
    symbols = [part["symbol"] for part in read_list(data, "parts")]
    require(all(symbol in automaton.alphabet for symbol in symbols), "a part is about a symbol outside the alphabet")
    if data["answer"] == "YES":
        require(sorted(symbols) == sorted(automaton.alphabet), "YES needs one part for every symbol")
    require(len(symbols) > 0, "there is no part")
    for part in read_list(data, "parts"):
        inner = part["certificate"]
        require(
            inner["answer"] == data["answer"] and inner["fragment"] == data["fragment"], "a part makes another claim"
        )
        require(inner["readout"] == "END_MARKER", "a part is not read at the end marker")
        require(inner["asked"] == "MEMBERSHIP", "a part is not about membership")
        ends = [
            state
            for state in range(len(automaton.transitions))
            if automaton.step(state, part["symbol"]) in automaton.accepting
        ]
        quotient = Automaton(alphabet=automaton.alphabet, transitions=automaton.transitions, accepting=frozenset(ends))
        _check(inner, quotient)
