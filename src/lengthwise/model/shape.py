"""The size of a transformer; torch-free, so that specs can speak of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from ..errors import InvalidOptionError

SWITCHES = ("log_n", "qk_norm", "softmax_1", "token_shift", "no_bos")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Layers, heads and width; the hidden layer is four times as wide.

    ``tied`` lets the readout share the weights of the embedding, as GPT-2 does. The others are switches that are not
    position encodings, but change what one can tell from comparing them:

    - ``log_n`` multiplies queries by s·log n, where n is the number of keys seen and s is learned (arXiv 2501.19399);
    - ``qk_norm`` brings queries and keys to one length;
    - ``softmax_1`` adds a key of score 0 and value 0, so that a head may attend to nothing;
    - ``token_shift`` takes half of the channels that enter attention from the token before;
    - ``no_bos`` leaves out the token that begins every instance.
    """

    layers: int = 2
    heads: int = 4
    width: int = 32
    tied: bool = False
    log_n: bool = False
    qk_norm: bool = False
    softmax_1: bool = False
    token_shift: bool = False
    no_bos: bool = False

    is_bare: ClassVar[bool] = False

    @property
    def settings(self) -> dict[str, object]:
        """What is set, as JSON data; a switch that is off is left out, as if it did not exist."""
        return {key: value for key, value in asdict(self).items() if value or key not in SWITCHES}

    def __post_init__(self) -> None:
        for field, most in (("layers", 100), ("heads", 100), ("width", 10_000)):
            value = getattr(self, field)
            if type(value) is not int or not 1 <= value <= most:
                raise InvalidOptionError(
                    f"{field} must be a whole number from 1 to {most}; found {value!r}.", hint="correct the value."
                )
        for field in ("tied", *SWITCHES):
            value = getattr(self, field)
            if type(value) is not bool:
                raise InvalidOptionError(f"{field} must be true or false; found {value!r}.", hint="correct the value.")
        if self.width % self.heads:
            raise InvalidOptionError(
                f"width {self.width} cannot be divided among {self.heads} heads.",
                hint="choose a width that is a multiple of the heads.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BareShape(Shape):
    """A shape without layer norms and with ReLU for GELU: what programs are compiled to. Specs cannot ask for it."""

    is_bare: ClassVar[bool] = True
