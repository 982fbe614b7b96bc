"""From the name of an encoding to the module that computes it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from ...errors import CapExceededError, LengthwiseError, UserCodeError
from .base import Encoding, Fit
from .choice import Choice, find_encoding
from .per_layer import PerLayer

MAX_PARAMETERS = 100_000_000


def make_encoding(name: str | Choice, fit: Fit) -> Encoding:
    """Return an encoding as a torch module for models of these sizes; its parameters are not initialized yet.

    >>> fit = Fit(num_heads=2, head_width=8, width=16, max_length=30, trained=10, num_layers=3)
    >>> type(make_encoding("alibi", fit)).__name__
    'ALiBi'
    """
    choice = find_encoding(name) if isinstance(name, str) else name
    if any(part.path for part in choice.parts):
        from ..user.probe import require_sound

        require_sound(choice)
    return build_encoding(choice, fit)


def build_encoding(choice: Choice, fit: Fit) -> Encoding:
    """Return an encoding made to fit; a user's is not tried first."""
    if choice.card.per_layer:
        return PerLayer(fit, [_make(choice, replace(fit, num_layers=1)) for _ in range(fit.num_layers)])
    return _make(choice, fit)


def load_encoding(choice: Choice) -> Any:
    """Return the class that implements an encoding: the one of its module that has the module's card."""
    if choice.path:
        from ..user.load import load_user_class

        return load_user_class(choice.path, choice.text)
    module = import_module(f"..methods.{choice.card.name}", __package__)
    (kind,) = (kind for kind in vars(module).values() if isinstance(kind, type) and _has_card(kind, module.CARD))
    return kind


def _has_card(kind: type, card: object) -> bool:
    return vars(kind).get("card") is card


def count_parameters(choice: Choice, fit: Fit) -> int:
    """Return how many numbers an encoding learns in one layer, by its card, without those of its bases."""
    names: dict[str, Any] = dict(choice.options) | {"N": fit.max_length, "T": fit.trained}
    names |= {"D": fit.width, "H": fit.num_heads, "d": fit.head_width, "slots": _num_slots(choice)}
    try:
        return int(eval(choice.card.parameters.replace("·", "*"), {"__builtins__": {}}, names))
    except (SyntaxError, NameError, TypeError) as problem:
        raise UserCodeError(
            f"the parameters of {choice.name!r} cannot be counted by {choice.card.parameters!r}: {problem}.",
            hint="write whole numbers, the letters N, T, D, H, d, and names of options.",
        ) from None


def _num_slots(choice: Choice) -> int:
    """Return how many operands the circuit of an encoding has, or how many relations are listed, 0 without either."""
    for option in choice.card.options:
        value = str(dict(choice.options)[option.name])
        if option.kind == "relations":
            from .guarded import read_guarded

            return len(read_guarded(value))
        if option.kind == "circuit":
            from ...tasks.core.problems import find_circuit

            return find_circuit(value).arity
    return 0


def _make(choice: Choice, fit: Fit) -> Encoding:
    num_parameters = count_parameters(choice, fit)
    if num_parameters > MAX_PARAMETERS:  # options that are allowed one by one can be too much together
        raise CapExceededError(
            f"encoding {choice.name!r} would learn {num_parameters:,} numbers for inputs of up to {fit.max_length:,} tokens; "
            f"the cap is {MAX_PARAMETERS:,}.",
            hint="choose smaller options, shorter inputs or a narrower model.",
        )
    kind = load_encoding(choice)
    options = dict(choice.options)
    make_base = _make if choice.card.per_layer else build_encoding
    bases = [
        make_base(base, kind.fit_of_base(fit, number, **options) if hasattr(kind, "fit_of_base") else fit)
        for number, base in enumerate(choice.bases)
    ]
    try:
        made: Encoding = kind(fit, *bases, **options)
    except LengthwiseError:
        raise
    except Exception as problem:
        if not choice.path:
            raise
        from ...tasks.user.source import describe

        raise UserCodeError(
            f"{choice.path!r} cannot be made: {describe(problem, choice.path)}.", hint="correct the file."
        ) from None
    return made
