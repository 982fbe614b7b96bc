"""Regular languages in plain C-RASP, second part: a count that returns says where a word is inside its loops.

In these languages letters can be weighed so that every loop weighs nothing. Then what has been read so far weighs as
much as the place that it led to: the weight names the place, or narrows it down for a second weight to finish. Weights
are taken before a symbol, ``#<``, so that a bad symbol is one that the place does not allow. What comes after the first
bad symbol does not matter.
"""

from __future__ import annotations

from .entry import OURS, Acceptor, Family, acceptors, integer_argument, named_language, regular
from .templates import lines, quoted

POTENTIALS = acceptors(
    "potentials",
    {
        "tomita_2": named_language("TOMITA_2"),
        "ab_or_ba": regular("(ab|ba)*", "ab"),
        "ab_or_bbaa": regular("(ab|bbaa)*", "ab"),
        "abc_or_b": regular("(abc|b)*", "abc"),
        "sessions": regular("(ou*c)*", "cou"),
    },
)


def fixed_width_fields(text: str) -> Acceptor:
    """Return the program that weighs a comma as much as the digits it ends."""
    width = integer_argument("fixed_width_fields", text, low=1, high=50)
    return Acceptor(
        name="fixed_width_fields",
        argument=str(width),
        definition=f"fields of {width} digits, each ended by a comma; d stands for any digit",
        source=OURS,
        code=lines(
            f"alphabet {quoted(',d')}",
            "read at end",
            f"filled := #['d'] - {width}*#[',']",
            f"bad := filled < 0 or filled > {width}",
            "accept := #[bad] = 0 and filled = 0",
        ),
        language=regular(f"(d{{{width}}},)*", ",d"),
    )


FAMILIES = (Family(name="fixed_width_fields", default="3", build=fixed_width_fields),)
