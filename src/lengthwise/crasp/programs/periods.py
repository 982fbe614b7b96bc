"""Languages that need the position modulo a number: C-RASP[periodic], and one that needs a window besides.

Positions begin at 1. A program that is to work wherever a word begins takes the phase from its start symbol.
"""

from __future__ import annotations

from random import Random

from ...errors import InvalidOptionError
from .entry import HUANG, OURS, Acceptor, Family, Rule, acceptors, integer_argument, regular, word_argument
from .samplers import uniform, until
from .templates import any_of, lines, quoted


def _even_leads(word: str) -> bool:
    return word[1::2].count("a") > word[0::2].count("a")


def _even_majority(word: str) -> bool:
    return word[1::2].count("a") > word[1::2].count("b")


def _leading_member(random: Random, length: int) -> str:
    return until(_even_leads, lambda: uniform(random, "ab", 1) + "a" + uniform(random, "ab", max(0, length - 2)))


def _majority_member(random: Random, length: int) -> str:
    return until(_even_majority, lambda: uniform(random, "ab", 1) + "a" + uniform(random, "ab", max(0, length - 2)))


PERIODS = acceptors(
    "periods",
    {
        "even_from_start": regular("(aa)*", "ab"),
        "a_at_odd_positions": regular("(a[ab])*a?", "ab"),
        "even_positions_lead": Rule(contains=_even_leads, member=_leading_member),
        "even_positions_majority": Rule(contains=_even_majority, member=_majority_member),
        "even_runs": regular("(0|11)*", "01"),
        "aligned_pair": regular("(..)*ab.*", "abc"),
    },
)


def unary_period(text: str) -> Acceptor:
    """Return the program that sees the length modulo a number."""
    period = integer_argument("unary_period", text, low=2, high=100)
    return Acceptor(
        name="unary_period",
        argument=str(period),
        definition=f"only as, their number a multiple of {period}",
        source=HUANG,
        code=lines("alphabet 'a' 'b'", "read at last", f"accept := #['b'] = 0 and pos % {period} = 0"),
        language=regular(f"(a{{{period}}})*", "ab"),
    )


def repetition(text: str) -> Acceptor:
    """Return the program that knows which letter belongs at which residue."""
    word = word_argument("repetition", text, most=16)
    letters = "".join(sorted({*"ab", *word}))
    period = len(word)
    places = any_of(f"'{letter}' and pos % {period} = {place % period}" for place, letter in enumerate(word, 1))
    return Acceptor(
        name="repetition",
        argument=word,
        definition=f"{word} again and again",
        source=HUANG,
        code=lines(
            f"alphabet {quoted(letters)}",
            "read at last",
            f"good := {places}",
            f"accept := #[not good] = 0 and pos % {period} = 0",
        ),
        language=regular(f"({word})*", letters),
    )


def length_modulo(text: str) -> Acceptor:
    """Return the program that reads the length off the position of the end marker."""
    modulus, residue = _two_integers(text)
    return Acceptor(
        name="length_modulo",
        argument=f"{modulus},{residue}",
        definition=f"the length leaves {residue} when divided by {modulus}",
        source=OURS,
        code=lines(
            "alphabet 'a' 'b'",
            "read at end",
            f"accept := pos % {modulus} = {(residue + 1) % modulus}  // the end marker is one further",
        ),
        language=regular(f"(.{{{modulus}}})*.{{{residue}}}" if residue else f"(.{{{modulus}}})*", "ab"),
    )


def _two_integers(text: str) -> tuple[int, int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 2 and all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        modulus, residue = map(int, parts)
        if 2 <= modulus <= 100 and residue < modulus:
            return modulus, residue
    raise InvalidOptionError(
        f"program length_modulo takes a modulus from 2 to 100 and a smaller residue; found {text!r}.",
        hint="for example length_modulo(3,1).",
    )


FAMILIES = (
    Family(name="unary_period", default="4", build=unary_period),
    Family(name="repetition", default="abab", build=repetition),
    Family(name="length_modulo", default="3,1", build=length_modulo),
)
