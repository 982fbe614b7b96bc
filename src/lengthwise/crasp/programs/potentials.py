"""Regular languages in plain C-RASP, second part: a count that returns says where a word is inside its loops.

In these languages letters can be weighed so that every loop weighs nothing. Then what has been read so far weighs as
much as the place that it led to: the weight names the place, or narrows it down for a second weight to finish. Weights
are taken before a symbol, ``#<``, so that a bad symbol is one that the place does not allow. What comes after the first
bad symbol does not matter.
"""

from __future__ import annotations

from ...languages.catalog import LANGUAGES
from .entry import HUANG, OURS, Acceptor, Family, Regular, integer_argument, regular
from .templates import lines, quoted

POTENTIALS = (
    Acceptor(
        name="tomita_2",
        definition="10 again and again",
        source=HUANG,
        code="""
            alphabet '0' '1'
            read at end
            ahead  := #['1'] - #['0']
            accept := #[ahead < 0 or ahead > 1] = 0 and ahead = 0
        """,
        language=Regular(build=lambda: LANGUAGES["TOMITA_2"].language),
    ),
    Acceptor(
        name="ab_or_ba",
        definition="ab and ba again and again, in any order",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            ahead  := #['a'] - #['b']
            accept := #[ahead < -1 or ahead > 1] = 0 and ahead = 0
        """,
        language=regular("(ab|ba)*", "ab"),
    ),
    Acceptor(
        name="ab_or_bbaa",
        definition="ab and bbaa again and again, in any order",
        source=OURS,
        code="""
            alphabet 'a' 'b'
            read at end
            ahead  := #<['a'] - #<['b']
            turned := #<['a' and ahead = -2] - #<['b' and ahead = 0]  // -1 within bb, 0 from the first a after it on
            bad_a  := 'a' and (ahead = 1 or ahead = -1 and turned = -1)
            bad_b  := 'b' and (ahead = -2 or ahead = -1 and turned = 0)
            accept := #[bad_a or bad_b] = 0 and ahead = 0
        """,
        language=regular("(ab|bbaa)*", "ab"),
    ),
    Acceptor(
        name="abc_or_b",
        definition="abc and b again and again, in any order",
        source=OURS,
        code="""
            alphabet 'a' 'b' 'c'
            read at end
            inside := #<['a'] - #<['c']
            half   := #<['b' and inside = 1] - #<['c']  // 1 after ab, 0 after a
            bad_a  := 'a' and inside = 1
            bad_b  := 'b' and inside = 1 and half = 1
            bad_c  := 'c' and (inside = 0 or half = 0)
            accept := #[bad_a or bad_b or bad_c] = 0 and inside = 0
        """,
        language=regular("(abc|b)*", "abc"),
    ),
    Acceptor(
        name="sessions",
        definition="o opens, c closes, u uses what is open; at most one thing is open, and nothing in the end",
        source=OURS,
        code="""
            alphabet 'c' 'o' 'u'
            read at end
            open   := #['o'] - #['c']
            bad    := open < 0 or open > 1 or 'u' and open = 0
            accept := #[bad] = 0 and open = 0
        """,
        language=regular("(ou*c)*", "cou"),
    ),
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
