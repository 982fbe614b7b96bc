"""How models are trained; torch-free, so that specs can speak of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import InvalidOptionError, check_number, unknown_name

TRAINER_REVISION = 4
"""Raised whenever a change makes the same settings train differently; a golden test notices such a change.

4: the schedule of lengths is periodic, and even over the lengths of a layout; languages that lack lengths share a layout,
with their next shorter length in such a room; tokens and outputs are padded, the norm of a gradient is one sum, and the
instances that decide when to stop, whether a run fits, and what it scores are different ones. The room for positions is a
setting of its own.
"""

PENALTIES_ON_POSITIONS = ("position_norm", "positional_first", "positional")
PENALTY_NAMES = (
    "value_nuclear",
    "key_query_norm",
    "value_norm",
    "expand_norm",
    "contract_norm",
    "readout_norm",
    "position_norm",
    "embedding_norm",
    "bias_norm",
    "positional_first",
    "positional",
    "relations",
)
"""What may be added to the loss, and what of it acts on a table of positions; ``penalties`` says what each is."""

FIT_EXAMPLES = 2_000
"""The instances of the longest training lengths that say whether a run fits."""

GENERATED_EXAMPLES = 100
"""The instances of a bin that are decoded token by token, where that is asked for."""

RING_BYTES = 2 * 2**30
"""The most memory of a GPU that batches made ahead of time take."""

EVEN_SIZES = tuple(sorted({1, *(size for power in range(1, 12) for size in (1 << power, 3 << power >> 1))}))
"""Sizes of stacks on a GPU: 1, 2, 3, 4, 6, 8, 12, 16, …: few, so that programs are known from earlier processes."""

_MOST_WEIGHT = 10**6

_RANGES: dict[str, tuple[type, float, float]] = {
    "steps": (int, 1, 10**9),
    "batch": (int, 1, 10**6),
    "warmup": (int, 0, 10**9),
    "weight_decay": (float, 0, 10),
    "clip": (float, 1e-6, 1e6),
    "evaluate_every": (int, 1, 10**9),
    "examples": (int, 1, 10**7),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """AdamW with a short warm-up and linear decay, until the steps run out.

    A run stops when all ``examples`` of an evaluation set of training lengths are right, unless ``stop_early`` is off. Scores
    are of other instances.
    ``penalties`` are names and weights of what is added to the loss; a weight of 0 is none at all.
    """

    steps: int = 4000
    batch: int = 64
    warmup: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluate_every: int = 250
    examples: int = 500
    stop_early: bool = True
    penalties: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for field, (kind, low, high) in _RANGES.items():
            check_number(field, getattr(self, field), kind, low, high)
        if type(self.stop_early) is not bool:
            raise InvalidOptionError(
                f"stop_early must be true or false; found {self.stop_early!r}.", hint="correct the value."
            )
        for number, (name, weight) in enumerate(self.penalties):
            if name not in PENALTY_NAMES:
                raise unknown_name("penalty", name, PENALTY_NAMES)
            if name in [other for other, _ in self.penalties[:number]]:
                raise InvalidOptionError(f"{name!r} is named twice in penalties.", hint="name each once.")
            check_number(f"the penalty {name!r}", weight, float, 0, _MOST_WEIGHT)

    @property
    def settings(self) -> dict[str, Any]:
        """What is set, as JSON data; what came later is left out where it is not used, so that a run keeps its id."""
        weights = {name: float(weight) for name, weight in self.penalties if weight}
        settings = asdict(self) | {"regularizer": weights.pop("positional", 0.0), "penalties": weights}
        if not weights:
            del settings["penalties"]
        if self.stop_early:
            del settings["stop_early"]
        return settings
