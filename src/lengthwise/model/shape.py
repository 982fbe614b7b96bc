"""The size of a transformer; torch-free, so that specs can speak of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InvalidOptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Layers, heads and width; the hidden layer is four times as wide.

    ``tied`` lets the readout share the weights of the embedding, as GPT-2 does.
    """

    layers: int = 2
    heads: int = 4
    width: int = 32
    tied: bool = False

    def __post_init__(self) -> None:
        for field, most in (("layers", 100), ("heads", 100), ("width", 10_000)):
            value = getattr(self, field)
            if type(value) is not int or not 1 <= value <= most:
                raise InvalidOptionError(
                    f"{field} must be a whole number from 1 to {most}; found {value!r}.", hint="correct the value."
                )
        if type(self.tied) is not bool:
            raise InvalidOptionError(f"tied must be true or false; found {self.tied!r}.", hint="correct the value.")
        if self.width % self.heads:
            raise InvalidOptionError(
                f"width {self.width} cannot be divided among {self.heads} heads.",
                hint="choose a width that is a multiple of the heads.",
            )
