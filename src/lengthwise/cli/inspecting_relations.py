"""What ``inspect`` says of a model that has learned relations: equations, and how far they are those of the task's circuit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files import write_text
from .text import paragraph, table

if TYPE_CHECKING:
    from ..encodings.relation_readout import Agreement, LearnedRelation
    from ..experiment.plan import Run
    from ..model.transformer import Transformer

_SHARE = 0.5
"""Relations are told whose gain is at least this share of the largest of their head."""

_STANDING = (
    "i is the key, q the query, both from 0 behind <bos>, and n the scale; a gain is what is added to the score where the "
    "equation holds. Told are the relations of each head whose gain is at least half of its largest, and more than 1. Relations "
    "and circuits are our reconstruction of arXiv 2510.04130."
)


def read_main_relations(model: Transformer) -> list[LearnedRelation]:
    """Return the relations that matter most in each head."""
    from ..encodings.relation_readout import read_relations

    told = read_relations(model.encoding, threshold=1.0)
    largest: dict[tuple[int, int], float] = {}
    for each in told:
        place = (each.layer, each.head)
        largest[place] = max(largest.get(place, 0.0), abs(each.gain))
    return [each for each in told if abs(each.gain) >= _SHARE * largest[each.layer, each.head]]


def agreement_of(relations: list[LearnedRelation], task: str) -> Agreement | None:
    """Return how far relations agree with the task's circuit; None where the library has none."""
    from ..encodings.relation_readout import agreement
    from ..predict.second import problem_of
    from ..theory.positions.opinion import find_problem

    name = problem_of(task)
    circuit = None if name is None else find_problem(name).circuit
    return None if circuit is None else agreement(relations, circuit)


def relation_lines(model: Transformer, run: Run) -> list[str]:
    """Return the relations as text."""
    told = read_main_relations(model)
    rows = [(f"layer {each.layer + 1}, head {each.head + 1}", str(each.equation), f"{each.gain:+.1f}") for each in told]
    lines = ["Learned relations:", table(("head", "relation", "gain"), rows) if rows else "  none", ""]
    found = agreement_of(told, run.task)
    if found is not None:
        slots = ", ".join(f"{share:.0%}" for share in found.slots)
        lines.append(
            paragraph(
                f"Of the operands of the circuit's gates, slot by slot, they point to {slots}; at {found.gates:.0%} of the gates "
                f"to all of them, and at {found.alone:.0%} to nothing else as strongly."
            )
        )
    return [*lines, paragraph(_STANDING), ""]


def relations_to_json(model: Transformer, run: Run) -> dict[str, Any]:
    """Return the relations as JSON data."""
    told = read_main_relations(model)
    found = agreement_of(told, run.task)
    return {
        "relations": [
            {"layer": each.layer + 1, "head": each.head + 1, "equation": str(each.equation), "gain": each.gain}
            for each in told
        ],
        "agreement": None
        if found is None
        else {"slots": list(found.slots), "gates": found.gates, "alone": found.alone},
    }


def draw_relations_of(model: Transformer, run: Run, path: str) -> None:
    """Draw where the relations point, on one instance."""
    from ..report.learned_picture import draw_learned
    from ..tasks.catalog import find_task

    write_text(path, draw_learned(read_main_relations(model), find_task(run.task), min(8, run.bins[0].high)))
