"""What a trained dictionary of relations says, as equations, and how far that agrees with a circuit.

Equations are in the notation of theory/positions: positions count from 0 behind <bos>, i is the key, q the query, n the
scale. Our reconstruction of arXiv 2510.04130.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidOptionError
from ..theory.positions.circuits import COMPARED_SCALES, Circuit
from ..theory.positions.relations_ideal import Equation
from .core.base import Encoding
from .methods.ipe import BOS
from .methods.lbpe import dictionaries_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedRelation:
    """A relation that a head favours, or avoids if the gain is negative; layers and heads count from 0.

    >>> print(LearnedRelation(layer=0, head=3, equation=Equation(key=1, query=-1, scale=1, constant=0), gain=4.0))
    head 3 attends to q − i = n (gain 4.00)
    """

    layer: int
    head: int
    equation: Equation
    gain: float

    def __str__(self) -> str:
        place = f"layer {self.layer}, head {self.head}" if self.layer else f"head {self.head}"
        return f"{place} {'attends to' if self.gain > 0 else 'avoids'} {self.equation} (gain {self.gain:.2f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far relations agree with the ideal encoding of a circuit.

    ``slots`` is, for each operand slot, the share of gates that have this slot at which its operand is found, ``gates`` the share of
    gates at which all operands are. An operand is found where a relation with a positive gain holds for it in some head, or where it
    is the query itself, whose token the stream carries anyway. ``alone`` is the share of gates at which every operand is moreover the
    one position that some head favours most: nothing is left for the tokens to decide.
    """

    slots: tuple[float, ...]
    gates: float
    alone: float


def in_circuit_notation(relation: Equation) -> Equation:
    """Return a relation between ids as one between the positions of circuits, with a key of positive sign.

    >>> print(in_circuit_notation(Equation(key=1, query=1, scale=-2, constant=-1)))
    q + i = 2n − 1
    """
    sign = 1 if relation.key > 0 else -1
    constant = relation.constant + BOS * (relation.key + relation.query)
    return Equation(
        key=sign * relation.key, query=sign * relation.query, scale=sign * relation.scale, constant=sign * constant
    )


def read_relations(encoding: Encoding, *, model: int = 0, threshold: float = 0.5) -> tuple[LearnedRelation, ...]:
    """Return the relations of one model whose gain is at least a threshold, either way, largest first in each head."""
    dictionaries = dictionaries_of(encoding)
    if not dictionaries:
        raise InvalidOptionError(
            f"{type(encoding).__name__} has no dictionary of relations to be read.", hint="use lbpe or lbpe_grown."
        )
    found = []
    for layer, (_, module) in enumerate(dictionaries):
        for head, gains in enumerate(module.gains()[model].detach().tolist()):
            large = [(gain, relation) for gain, relation in zip(gains, module.relations, strict=True)]
            for gain, relation in sorted(large, key=lambda told: -abs(told[0])):
                if abs(gain) >= threshold:
                    equation = in_circuit_notation(relation)
                    found.append(LearnedRelation(layer=layer, head=head, equation=equation, gain=round(gain, 2)))
    return tuple(found)


def agreement(relations: Sequence[LearnedRelation], circuit: Circuit, *, max_scale: int = COMPARED_SCALES) -> Agreement:
    """Return how far relations agree with a circuit's ideal encoding, over all gates up to a scale.

    A head favours visible positions at which its gains add up to more than 0. <bos>, which no circuit reads, is −1.
    """
    heads: dict[tuple[int, int], list[LearnedRelation]] = {}
    for relation in relations:
        heads.setdefault((relation.layer, relation.head), []).append(relation)
    hits: dict[int, list[bool]] = {}
    whole, alone = [], []
    for scale, step, gate in circuit.gates(min(max_scale, circuit.cap)):
        query = circuit.query(scale, step)
        favoured = [_favoured(told, query, scale) for told in heads.values()]
        known = {query}.union(*favoured)
        most = {query, *(max(told, key=told.__getitem__) for told in favoured if _has_one_top(told))}
        is_found = [place in known for place in gate.operands]
        for slot, is_hit in enumerate(is_found):
            hits.setdefault(slot, []).append(is_hit)
        whole.append(all(is_found))
        alone.append(most.issuperset(gate.operands))
    return Agreement(
        slots=tuple(sum(told) / len(told) for _, told in sorted(hits.items())),
        gates=sum(whole) / len(whole),
        alone=sum(alone) / len(alone),
    )


def _favoured(relations: Sequence[LearnedRelation], query: int, scale: int) -> dict[int, float]:
    """Return the positions that a head favours at a query, with their gains."""
    total: dict[int, float] = {}
    for relation in relations:
        equation = relation.equation
        rest = -(equation.query * query + equation.scale * scale + equation.constant)
        place = rest // equation.key
        if place * equation.key == rest and -BOS <= place <= query:
            total[place] = total.get(place, 0.0) + relation.gain
    return {place: gain for place, gain in total.items() if gain > 0}


def _has_one_top(gains: dict[int, float]) -> bool:
    """Say whether one position has more than all others."""
    return list(gains.values()).count(max(gains.values(), default=0.0)) == 1
