"""Pictures of position relations, and what the page on position embeddings proves: our reconstruction of arXiv 2510.04130.

scripts/docs writes the pictures anew.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import pytest
from write_docs import relation_pictures

from lengthwise.errors import CapExceededError, InvalidOptionError
from lengthwise.tasks.core.problems import find_circuit
from lengthwise.theory.positions.circuits import Circuit, Gate, Operator, ideal, needs_hint, slots
from lengthwise.theory.positions.complexity import (
    is_aligned,
    is_covered,
    is_separable,
    measure_complexity,
    src,
    supports,
)
from lengthwise.theory.positions.drawing import draw_relations, token_names
from lengthwise.theory.positions.layout import Layout, Tokens
from lengthwise.theory.positions.reachability import first_met
from lengthwise.theory.positions.relations import RELATIONS, Relation

SVG = "{http://www.w3.org/2000/svg}"


# What a picture shows

Place = tuple[int, int]  # key, query


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A panel, read back from the picture."""

    shades: dict[Place, str]
    hatched: set[Place]
    operands: dict[Place, str]  # with the slots written there
    untrained: set[Place]
    texts: list[str]


def panels(svg: str) -> list[Shown]:
    """Return the panels of a picture, relation by relation and then by scale."""
    found = []
    for group in ElementTree.fromstring(svg).findall(f"{SVG}g"):
        inner = group.find(f"{SVG}g")
        assert inner is not None
        rects = [*inner.iter(f"{SVG}rect")]
        side = float(rects[0].attrib["width"])

        def at(element: ElementTree.Element, side: float = side) -> Place:
            return int(float(element.attrib["x"]) / side), int(float(element.attrib["y"]) / side)

        cells = [rect for rect in rects if rect.attrib["class"].startswith("cell")]
        outlines = [rect for rect in rects if rect.attrib["class"].startswith("operand")]
        written = {at(text): text.text or "" for text in inner.iter(f"{SVG}text") if text.get("class") == "slot"}
        assert len({at(rect) for rect in cells}) == len(cells)
        assert written.keys() == {at(rect) for rect in outlines}
        found.append(
            Shown(
                shades={at(rect): rect.get("fill", rect.attrib["class"]) for rect in cells},
                hatched={at(rect) for rect in rects if rect.attrib["class"] == "unseen"},
                operands=written,
                untrained={at(rect) for rect in outlines if "untrained" in rect.attrib["class"]},
                texts=["".join(text.itertext()) for text in inner.iter(f"{SVG}text")],
            )
        )
    return found


def cases() -> Iterator[tuple[Circuit, list[Relation], tuple[int, ...]]]:
    yield from relation_pictures().values()
    addition = find_circuit("addition(2)")
    yield addition, [ideal(addition), RELATIONS["t5_bucket"]], (1, 3)
    division = find_circuit("div_1_cot(2)")
    yield division, [RELATIONS["constant"], ideal(division)], (2, 4)


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case[0].name)
def test_colours_operands_and_marks_are_those_of_the_definition(
    case: tuple[Circuit, list[Relation], tuple[int, ...]],
) -> None:
    circuit, relations, scales = case
    found = panels(draw_relations(circuit, relations, scales))
    assert len(found) == len(relations) * len(scales)
    for number, relation in enumerate(relations):
        own = dict(zip(scales, found[number * len(scales) : (number + 1) * len(scales)], strict=True))
        labelled: set[tuple[Hashable, str]] = set()
        trained_labels = {relation(*pair, n) for n in range(1, scales[0] + 1) for pair in pairs(circuit, n)}
        trained_tickets = {ticket for n in range(1, scales[0] + 1) for ticket, _ in tickets(circuit, relation, n)}
        for scale, shown in own.items():
            assert shown.shades.keys() == pairs(circuit, scale)
            labelled |= {(relation(*pair, scale), shade) for pair, shade in shown.shades.items()}
            assert shown.hatched == {p for p in shown.shades if relation(*p, scale) not in trained_labels}
            expected, new = {}, set()
            for ticket, (query, gate) in tickets(circuit, relation, scale):
                for key, held in slots(gate).items():
                    expected[key, query] = "".join(map(str, sorted(held)))
                    if ticket not in trained_tickets:
                        new.add((key, query))
            assert shown.operands == expected
            assert shown.untrained == new
            count = src(circuit, relation, scale)[-1]
            assert f"SRC_φ = {count} pair{'' if count == 1 else 's'} up to n = {scale}" in shown.texts
        assert len(labelled) == len({label for label, _ in labelled}) == len({shade for _, shade in labelled})


def pairs(circuit: Circuit, scale: int) -> set[Place]:
    """Return the pairs of a key and a query at which a token is predicted, of the prompt or the answer."""
    length = circuit.layout.prompt_length(scale) + circuit.layout.answer_length(scale) - 1
    return {(key, query) for query in range(length) for key in range(query + 1)}


Ticket = tuple[str, tuple[Hashable, ...]]


def tickets(circuit: Circuit, relation: Relation, scale: int) -> Iterator[tuple[Ticket, tuple[int, Gate]]]:
    """Yield the pairs (operator, labels) of one scale, each with its query and gate."""
    for step in range(1, circuit.layout.answer_length(scale) + 1):
        gate, query = circuit.gate(scale, step), circuit.query(scale, step)
        yield (gate.operator, tuple(relation(place, query, scale) for place in gate.operands)), (query, gate)


def test_the_picture_of_parity_says_what_the_paper_says() -> None:
    circuit, relations, scales = relation_pictures()["prf-parity.svg"]
    absolute, relative, best = (panels(draw_relations(circuit, [relation], scales))[1] for relation in relations)
    assert absolute.untrained == {(3, 9), (9, 9), (4, 10), (10, 10)}, "absolute positions: two steps were never learned"
    assert not relative.untrained | best.untrained
    assert len(set(best.shades.values())) == 3, "two operands, and one label for all the rest"
    assert len({relative.shades[key, 10] for key in range(11)}) == 11, "relative positions tell the rest apart"


def test_every_colour_is_its_own_with_many_labels() -> None:
    circuit = find_circuit("parity_cot_aligned(30)")
    (shown,) = panels(draw_relations(circuit, [RELATIONS["absolute"]], (19,)))
    assert len(set(shown.shades.values())) == len(shown.shades) == 49 * 50 // 2


def test_tokens_are_named_by_what_they_are() -> None:
    assert token_names(find_circuit("addition(2)"), 2) == ("x1", "x2", "+", "x3", "x4", "=", "y1", "y2", "y3")
    assert token_names(sorted_prompts(), 2) == ("p1", "p2", "p3", "y1")


def sorted_prompts() -> Circuit:
    """Return a circuit whose prompts are computed from the free symbols."""
    layout = Layout(
        name="<least> & co",
        definition="the least symbol",
        alphabet=("0", "1", "="),
        choices=lambda scale: (("0", "1"),) * scale,
        prompt=lambda scale, free: (*sorted(free), "="),  # noqa: ARG005
        answer=lambda prompt: prompt[:1],
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: 1,  # noqa: ARG005
    )
    return Circuit(
        name=layout.name,
        layout=layout,
        operators={"same": Operator(name="same", arity=1, apply=lambda symbol: symbol)},
        wire=lambda scale, step: Gate(operator="same", operands=(0,)),  # noqa: ARG005
    )


def test_a_picture_is_well_formed_whatever_the_names() -> None:
    svg = draw_relations(sorted_prompts(), [RELATIONS["relative"]], (1, 2))
    assert "<least> & co\nthe least symbol" in "".join(ElementTree.fromstring(svg).itertext())
    assert "prefers-color-scheme: dark" in svg


def test_what_cannot_be_drawn_is_an_error_with_its_reason() -> None:
    circuit, relation = find_circuit("parity_cot_aligned(6)"), RELATIONS["relative"]
    for scales in ((), (3, 3), (5, 3)):
        with pytest.raises(InvalidOptionError, match="are not in order"):
            draw_relations(circuit, [relation], scales)
    with pytest.raises(CapExceededError, match="scale 7 is past the cap"):
        draw_relations(circuit, [relation], (3, 7))
    for relations in ([], [relation] * 5):
        with pytest.raises(InvalidOptionError, match="cannot be drawn side by side: 1 to 4"):
            draw_relations(circuit, relations, (3,))
    with pytest.raises(CapExceededError, match="4 panels of 20 positions do not fit into 900 pixels"):
        draw_relations(find_circuit("copy"), [relation] * 4, (10,))


# What the page proves: a learner with tables, and when it is right


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """Tables of results, by operator or by ticket, filled at the trained scales; operands are found by their labels."""

    circuit: Circuit
    relation: Relation
    known: frozenset[Ticket]
    tables: dict[tuple[Hashable, Tokens], str]
    by_ticket: bool

    def next_token(self, ticket: Ticket, query: int, scale: int, tokens: Tokens) -> str | None:
        """Return the next token, or None: the ticket is unknown, a label is not on one position only, or a row was not met."""
        symbols = read(self.relation, ticket, query, scale, tokens)
        table = ticket if self.by_ticket else ticket[0]
        return None if symbols is None or ticket not in self.known else self.tables.get((table, symbols))

    def is_right(self, max_scale: int, *, told: bool = True) -> bool:
        """Say whether it answers everything up to a scale; if it is not told the tickets, it must find the only one that fits."""
        for scale in range(1, max_scale + 1):
            for prompt, answer in self.circuit.layout.instances(scale):
                tokens = (*prompt, *answer)
                for ticket, (query, _) in tickets(self.circuit, self.relation, scale):
                    fitting = {ticket} if told else self.fitting(query, scale)
                    if len(fitting) != 1:
                        return False
                    if self.next_token(fitting.pop(), query, scale, tokens[: query + 1]) != tokens[query + 1]:
                        return False
        return True

    def fitting(self, query: int, scale: int) -> set[Ticket]:
        """Return the known tickets whose labels are on one visible position each."""
        labels = Counter(self.relation(key, query, scale) for key in range(query + 1))
        return {ticket for ticket in self.known if all(labels[label] == 1 for label in ticket[1])}


def read(relation: Relation, ticket: Ticket, query: int, scale: int, tokens: Tokens) -> Tokens | None:
    symbols = []
    for label in ticket[1]:
        places = [key for key in range(query + 1) if relation(key, query, scale) == label]
        if len(places) != 1:
            return None
        symbols.append(tokens[places[0]])
    return tuple(symbols)


def train(circuit: Circuit, relation: Relation, max_scale: int, *, by_ticket: bool) -> Learner:
    known: set[Ticket] = set()
    tables: dict[tuple[Hashable, Tokens], str] = {}
    for scale in range(1, max_scale + 1):
        for prompt, answer in circuit.layout.instances(scale):
            tokens = (*prompt, *answer)
            for ticket, (query, _) in tickets(circuit, relation, scale):
                known.add(ticket)
                symbols = read(relation, ticket, query, scale, tokens)
                if symbols is not None:
                    tables[ticket if by_ticket else ticket[0], symbols] = tokens[query + 1]
    return Learner(circuit=circuit, relation=relation, known=frozenset(known), tables=tables, by_ticket=by_ticket)


def is_sharp(circuit: Circuit, relation: Relation, max_scale: int) -> bool:
    """Say whether at every gate the label of each operand is on this position only."""
    for scale in range(1, max_scale + 1):
        for _, (query, gate) in tickets(circuit, relation, scale):
            labels = Counter(relation(key, query, scale) for key in range(query + 1))
            if any(labels[relation(place, query, scale)] > 1 for place in gate.operands):
                return False
    return True


WORDS = ["copy", "shift", "reverse", "odds_first", "running_max", "parity_cot", "parity_cot_aligned(4)"]
NUMBERS = ["increment(2)", "mul_1xn(2)", "div_1(2)", "div_1_cot(2)"]
SMALL = [  # with a scale to test at
    *(pytest.param(name, 4, id=name) for name in (*WORDS, *NUMBERS)),
    pytest.param("addition(2)", 3, id="addition(2)"),
    *(
        pytest.param(name, tested, id=f"{name} up to {tested}", marks=pytest.mark.full)
        for name, tested in [
            *((name, 6) for name in [*WORDS[:-1], *NUMBERS, "parity_cot_aligned(6)"]),
            *((name, 4) for name in ("addition(2)", "mul_1xn(3)", "div_1(3)", "div_1_cot(3)", "increment(3)")),
        ]
    ),
]


@pytest.mark.parametrize(("name", "tested"), SMALL)
def test_the_learner_that_is_told_is_right_exactly_when_the_relation_supports_the_circuit(
    name: str, tested: int
) -> None:
    circuit = find_circuit(name)
    for relation in (RELATIONS["relative"], RELATIONS["relative_scaled"], RELATIONS["constant"], ideal(circuit)):
        sharp = is_sharp(circuit, relation, tested)
        for trained in (1, 2, 3):
            for by_ticket in (False, True):
                right = train(circuit, relation, trained, by_ticket=by_ticket).is_right(tested)
                assert right == (sharp and supports(circuit, relation, trained, tested)), (relation.name, trained)


@pytest.mark.parametrize(("name", "tested"), SMALL)
def test_ideal_labels_tell_the_ticket_unless_two_operators_share_their_slots(name: str, tested: int) -> None:
    circuit = find_circuit(name)
    learner = train(circuit, ideal(circuit), 3, by_ticket=True)
    assert learner.is_right(tested, told=False) == (not name.startswith("div_1_cot"))


def test_two_gates_of_long_division_look_alike_under_the_ideal_relation() -> None:
    circuit = find_circuit("div_1_cot(3)")
    symbols = ("2", "2", "1")
    assert [circuit.operators[name](symbols) for name in ("div", "rest")] == ["2", "0"]
    assert {("div", symbols), ("rest", symbols)} <= first_met(circuit, 3).keys()
    met = {ticket[1] for ticket, _ in tickets(circuit, ideal(circuit), 3)}
    assert met == {(frozenset({1}), frozenset({2}), frozenset({3}))}


def split_copy() -> tuple[Circuit, Relation]:
    """Return a circuit of two tickets for one operator, one of which meets a letter at scale 1 only as `=`."""
    layout = Layout(
        name="twice",
        definition="the first symbol, then =, or from scale 2 on the second symbol",
        alphabet=("0", "1", "="),
        choices=lambda scale: (("0", "1"),) * scale,
        prompt=lambda scale, free: (*free, "="),  # noqa: ARG005
        answer=lambda prompt: prompt[:2],
        prompt_length=lambda scale: scale + 1,
        answer_length=lambda scale: 2,  # noqa: ARG005
    )
    circuit = Circuit(
        name="twice",
        layout=layout,
        operators={"same": Operator(name="same", arity=1, apply=lambda symbol: symbol)},
        wire=lambda scale, step: Gate(operator="same", operands=(step - 1,)),  # noqa: ARG005
    )
    return circuit, RELATIONS["absolute_key"]


def test_tables_for_each_ticket_need_more_than_support() -> None:
    circuit, relation = split_copy()
    assert supports(circuit, relation, 1, 4)
    assert is_sharp(circuit, relation, 4)
    assert train(circuit, relation, 1, by_ticket=False).is_right(4)
    assert not train(circuit, relation, 1, by_ticket=True).is_right(4)
    assert train(circuit, relation, 2, by_ticket=True).is_right(4)


def test_operands_that_share_a_label_cannot_be_told_apart() -> None:
    def less(one: str, two: str) -> str:
        return "1" if (one, two) == ("0", "1") else "0"

    layout = Layout(
        name="less",
        definition="1 if the symbols are 0 and 1",
        alphabet=("0", "1"),
        choices=lambda scale: (("0", "1"),) * 2,  # noqa: ARG005
        prompt=lambda scale, free: free,  # noqa: ARG005
        answer=lambda prompt: (less(*prompt),),
        prompt_length=lambda scale: 2,  # noqa: ARG005
        answer_length=lambda scale: 1,  # noqa: ARG005
    )
    circuit = Circuit(
        name="less",
        layout=layout,
        operators={"less": Operator(name="less", arity=2, apply=less)},
        wire=lambda scale, step: Gate(operator="less", operands=(0, 1)),  # noqa: ARG005
    )
    relation = RELATIONS["constant"]
    assert supports(circuit, relation, 1, 2)
    assert not is_sharp(circuit, relation, 2)
    assert not train(circuit, relation, 1, by_ticket=False).is_right(1)


def test_without_the_hint_there_are_as_many_tickets_as_wirings_at_one_query() -> None:
    for name in ("copy", "reverse", "shift", "parity_cot", "addition(2)", "div_1(2)"):
        circuit = find_circuit(name)
        assert needs_hint(circuit)
        wirings: dict[int, set[tuple[int, ...]]] = {}
        for scale, step, gate in circuit.gates(12):
            wirings.setdefault(circuit.query(scale, step), set()).add(gate.operands)
        least = max(map(len, wirings.values()))
        for relation in RELATIONS.values():
            if not relation.needs_scale and is_sharp(circuit, relation, 12):
                assert src(circuit, relation, 12)[-1] >= least
        if name == "copy":
            assert least == 6, "half the scale, rounded up"


def test_alignment_and_coverage_are_both_needed() -> None:
    parity = find_circuit("parity_cot")
    best = ideal(parity)
    assert is_separable(parity, best, 8)
    assert is_aligned(parity, best, 1, 8)
    assert not is_covered(parity, 1, 8)
    assert measure_complexity(parity, best, 8).smallest_scale == 2
    assert not is_aligned(parity, RELATIONS["relative"], 4, 8)
