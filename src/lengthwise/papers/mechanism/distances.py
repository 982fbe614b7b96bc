"""How far a trained model is from a limit transformer, by its product functions.

The theory of arXiv 2410.02140 ends in a transformer whose positions act through functions that are local or periodic. The product
function of a head is what two positions alone give to its score. It is compared with the nearest function that is free up to a
distance and periodic beyond (``model/inspection/functions.py``):

- ``residual``: the share of variance that this limit leaves unexplained at pairs that training saw;
- ``beyond``: the root mean square of the difference at pairs that training never saw, over that of the function where it was seen.

A model's number is the mean over its heads, each weighted by the square of its largest value: heads in which positions hardly act
should not decide. Layer norm is not part of product functions, so sizes of different heads are comparable only roughly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import InvalidOptionError
from ...files import make_folder_of, read_text, write_text


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitDistance:
    """A model's distance from a limit transformer; 0 is exact."""

    residual: float
    beyond: float


def measure_distance(path: Path) -> LimitDistance:
    """Return the distance of a kept model."""
    import torch

    from ...experiment.models import load_model
    from ...model.inspection.functions import study
    from ...model.inspection.products import positions_of, product_function
    from ...model.transformer import Block

    model, run, task = load_model(path)
    seen = task.size(max(task.lengths(0, run.train_length)))
    longest = task.size(max(task.lengths(0, run.bins[-1].high)))
    total = residual = beyond = 0.0
    with torch.no_grad():
        positions_MND = positions_of(model, longest)
        for block in model.blocks:
            assert isinstance(block, Block)
            for product_NN in product_function(positions_MND, block)[0].double():
                found = study(product_NN, seen)
                weight = found.largest**2
                total += weight
                residual += weight * (found.limit.residual or 0.0)
                beyond += weight * (found.limit.beyond or 0.0)
    return (
        LimitDistance(residual=residual / total, beyond=beyond / total)
        if total
        else LimitDistance(residual=0.0, beyond=0.0)
    )


def read_distances(path: Path) -> dict[str, LimitDistance]:
    """Return the distances in a file, by the id of their run; none where there is no file."""
    if not path.exists():
        return {}
    try:
        data = json.loads(read_text(path))
        return {
            str(run): LimitDistance(residual=float(residual), beyond=float(beyond))
            for run, (residual, beyond) in data.items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidOptionError(
            f"{str(path)!r} holds no distances: {error}.", hint="choose another store, or remove the file."
        ) from None


def write_distances(path: Path, distances: Mapping[str, LimitDistance]) -> None:
    """Write distances by the id of their run."""
    make_folder_of(path)
    rows = [f"  {json.dumps(run)}: [{each.residual!r}, {each.beyond!r}]" for run, each in distances.items()]
    write_text(str(path), "{\n" + ",\n".join(rows) + "\n}\n")
