"""What ``inspect`` says of a model that has learned relations: equations, and how far they are those of the task's circuit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files import write_text
from .text import paragraph, table

if TYPE_CHECKING:
    from ..encodings.relation_readout import Agreement, LearnedRelation
    from ..experiment.plan import Run
    from ..model.transformer import Transformer
    from ..tasks.core.task import Task

_SHARE = 0.5
"""Relations are listed whose gain is at least this share of the largest of their head."""

_STANDING = (
    "i is the key, q the query, both counted from 0 after <bos>, and n the scale. The gain is added to the score where the "
    "equation holds. Listed are the relations whose gain is above 1 and at least half of the largest of their head. Relations "
    "and circuits are our reconstruction of arXiv 2510.04130."
)


def read_main_relations(model: Transformer) -> list[LearnedRelation]:
    """Return the relations that matter most in each head."""
    from ..encodings.relation_readout import read_relations

    relations = read_relations(model.encoding, threshold=1.0)
    largest: dict[tuple[int, int], float] = {}
    for relation in relations:
        place = (relation.layer, relation.head)
        largest[place] = max(largest.get(place, 0.0), abs(relation.gain))
    return [relation for relation in relations if abs(relation.gain) >= _SHARE * largest[relation.layer, relation.head]]


def agreement_of(relations: list[LearnedRelation], task: str) -> Agreement | None:
    """Return how far relations agree with the task's circuit; None where the library has none."""
    from ..encodings.relation_readout import agreement
    from ..tasks.core.problems import problem_of

    problem = problem_of(task)
    circuit = None if problem is None else problem.circuit
    return None if circuit is None else agreement(relations, circuit)


def relation_lines(model: Transformer, run: Run) -> list[str]:
    """Return the relations as text."""
    relations = read_main_relations(model)
    rows = [
        (f"layer {relation.layer + 1}, head {relation.head + 1}", str(relation.equation), f"{relation.gain:+.1f}")
        for relation in relations
    ]
    lines = ["Learned relations:", table(("head", "relation", "gain"), rows) if rows else "  none", ""]
    found = agreement_of(relations, run.task)
    if found is not None:
        slots = ", ".join(f"{share:.0%}" for share in found.slots)
        lines.append(
            paragraph(
                f"They point to {slots} of the operands of the circuit's gates, slot by slot. At {found.gates:.0%} of the gates "
                f"they point to every operand, and at {found.alone:.0%} to nothing else as strongly."
            )
        )
    return [*lines, paragraph(_STANDING), ""]


def relations_to_json(model: Transformer, run: Run) -> dict[str, Any]:
    """Return the relations as JSON data."""
    relations = read_main_relations(model)
    found = agreement_of(relations, run.task)
    return {
        "relations": [
            {
                "layer": relation.layer + 1,
                "head": relation.head + 1,
                "equation": str(relation.equation),
                "gain": relation.gain,
            }
            for relation in relations
        ],
        "agreement": None
        if found is None
        else {"slots": list(found.slots), "gates": found.gates, "alone": found.alone},
    }


def draw_relations_of(model: Transformer, run: Run, task: Task, path: str) -> None:
    """Draw where the relations point, on one instance."""
    from ..report.learned_picture import draw_learned

    write_text(path, draw_learned(read_main_relations(model), task, min(8, run.bins[0].high)))
