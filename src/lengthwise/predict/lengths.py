"""What holds for inputs up to a given length, where the claim about all lengths is open, or speaks of longer inputs only."""

from __future__ import annotations

from dataclasses import dataclass

from ..encodings.core.choice import Choice, find_encoding
from ..errors import InvalidOptionError
from ..theory.claims import Answer
from ..theory.precision.look_back import MOST_LENGTH, NumberFormat, least_amplitude, rotary_angles
from .predict import Prediction
from .theories import Verdicts, needs_windows_only


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Inputs up to ``length`` tokens, in a model with this number format and heads of this width."""

    length: int
    number_format: NumberFormat = NumberFormat.FLOAT32
    head_width: int = 16

    def __post_init__(self) -> None:
        if not 1 <= self.length <= MOST_LENGTH:
            raise InvalidOptionError(
                f"--length must be from 1 to {MOST_LENGTH:,}; found {self.length}.", hint="correct the number."
            )


def at_bounded_length(row: Prediction, setting: Setting) -> str:
    """Return what holds for one encoding up to a length, as a sentence; empty where nothing is known beyond the verdict.

    All conditions named here are sufficient, not necessary.
    """
    choice = find_encoding(row.encoding)
    if row.verdict.answer is Answer.YES and not row.differs:
        return f"YES up to length {setting.length:,}, as at every length."
    if choice.angles_by_base and needs_windows_only(Verdicts(row.question.facts, row.question.readout, None)):
        return _by_rotation(choice, setting)
    if row.differs:
        return _by_precision(setting)
    most = choice.precise_at_most
    if most is not None and row.is_far:
        return f"nothing is proved up to length {setting.length:,}. Fixed precision: NO {most.far}."
    return ""


def _by_rotation(choice: Choice, setting: Setting) -> str:
    base = float(dict(choice.options)["base"])
    angles = rotary_angles(base, setting.head_width)
    shown = f"{base:,.0f}" if base >= 1 else f"{base:g}"
    amplitude = least_amplitude(angles, setting.length, setting.number_format)
    return (
        f"YES up to length {setting.length:,} if a head can single out one distance. It can if the {len(angles)} pairs of a head "
        f"of width {setting.head_width} reach an amplitude of {amplitude:,.0f} each (base {shown}, {setting.number_format}). "
        "This is sufficient, not necessary."
    )


def _by_precision(setting: Setting) -> str:
    horizon = setting.number_format.horizon
    if setting.length <= horizon:
        return (
            f"counting's YES stands up to length {setting.length:,}: {setting.number_format} tells counts apart up to about "
            f"{horizon:,} tokens (a rule of thumb)."
        )
    return (
        f"open at length {setting.length:,}: counting says YES, fixed precision NO, and {setting.number_format} tells counts apart up "
        f"to about {horizon:,} tokens only (a rule of thumb)."
    )
