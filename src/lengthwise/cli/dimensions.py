"""How many targets any position relation extrapolates: what `complexity --dimensions` prints."""

from __future__ import annotations

from dataclasses import asdict

from ..theory.positions.dimensions import (
    MAX_CHECKED_SCALE,
    check_no_universal,
    measure_dimensions,
    share_extrapolated,
)
from .text import paragraph, print_json

_PROOFS = "Proofs: docs/concepts/pola.md, our reconstruction of arXiv 2510.04130."


def print_dimensions(trained: int, tested: int, *, hint: bool, as_json: bool) -> int:
    """Print theorems T2 and T3 for two scales."""
    measured = measure_dimensions(trained, tested, hint=hint)
    shares = {number: share_extrapolated(trained, tested, number, hint=hint) for number in (2, 3)}
    checked = check_no_universal(trained, tested) if tested <= MAX_CHECKED_SCALE and not hint else None
    if as_json:
        print_json(
            asdict(measured)
            | {"shares": {str(number): float(share) for number, share in shares.items()}}
            | {"universal": None if checked is None else asdict(checked)}
        )
        return 0
    told = ", ".join(f"{float(share):.2g} with {number} values" for number, share in shares.items())
    lines = [
        f"Targets up to scale {tested} form a space of {measured.all_targets:,} dimensions. Those that some position relation "
        f"extrapolates from scale {trained} form a union of subspaces of {measured.extrapolated:,} dimensions (theorem T2).",
        f"The share of targets that some relation extrapolates: {told}.",
    ]
    if checked is not None:
        verb = "no relation extrapolates" if checked.holds else "one relation extrapolates"
        lines.append(
            f"Of {checked.num_relations:,} relations, {verb} all of the {checked.num_subspaces:,} largest subspaces; the best one "
            f"has {checked.most_covered:,} (theorem T3, checked for every relation)."
        )
    print("\n\n".join(paragraph(line) for line in [*lines, _PROOFS]))
    return 0
