"""Certificates of the fixed-precision logics: words for NO, levels and ranks or the whole semigroup for YES.

:mod:`lengthwise.theory.precision.checker` decides whether to believe one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...crasp.fragments import Readout
from ...languages.alphabet import show_word
from ...languages.dfa import DFA
from ..certificate_fields import Json, Word, certificate_head, readout_of, word_data
from ..claims import Answer, Asked
from .logics import Logic

_LONGEST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PumpingCertificate:
    """NO: words that keep two states q and q′ apart for ever in a way that the logic cannot follow.

    ``prefix`` leads to q, and ``suffix`` is accepted from exactly one of q and q′. The other words, as far as the logic
    needs them: ``there`` leads from q to q′ and ``back`` from q′ to q; ``stay`` leads from q to q (for LTL[P,MOD], and
    then it is as long as ``there``), or from q to q and from q′ to q′ (for logics with Y; with MOD it is as long as
    ``there``); ``other_prefix`` leads to q′ (for LTL[Y]). For LTL[S], q·there = q′ and q·thereᵖ = q with p ``power``.
    """

    language: DFA
    fragment: Logic
    prefix: Word
    suffix: Word
    other_prefix: Word | None = None
    stay: Word | None = None
    there: Word | None = None
    back: Word | None = None
    power: int | None = None
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.NO

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    @property
    def words(self) -> dict[str, Word]:
        """The words by their names, without those that the logic does not need."""
        names = ("prefix", "other_prefix", "stay", "there", "back", "suffix")
        return {name: word for name in names if (word := getattr(self, name)) is not None}

    def summary(self) -> str:
        """Return the certificate in a few words."""
        shown = [f"{name.replace('_', ' ')} {_briefly(word)}" for name, word in self.words.items()]
        return ", ".join([*shown, *([f"power {self.power}"] if self.power is not None else [])])

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        alphabet = self.language.alphabet
        power = {} if self.power is None else {"power": self.power}
        words = {name: word_data(alphabet, word) for name, word in self.words.items()}
        return certificate_head(self, "pumping") | words | power


@dataclass(frozen=True, slots=True, kw_only=True)
class RanksCertificate:
    """YES: levels that are never left downwards, residues, and a rank for pairs of states that are not yet told apart.

    ``levels[q]`` never falls along an edge. An edge that keeps the level adds 1 to ``residues`` modulo the modulus of
    the level. Two states with one level and one residue have a rank, which falls under every letter that keeps both in
    the level and apart. ``condition`` is the logic whose condition is met; ``fragment`` includes it.
    """

    language: DFA
    fragment: Logic
    condition: Logic
    levels: tuple[int, ...]
    moduli: tuple[tuple[int, int], ...]  # (level, its modulus), where it is not 1
    residues: tuple[int, ...]
    ranks: tuple[tuple[int, int, int], ...]  # (q, q′, rank) with q < q′
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.YES

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    @property
    def window(self) -> int:
        """How many letters back a formula has to look: the number of different ranks within one level."""
        found: dict[int, set[int]] = {}
        for one, _, rank in self.ranks:
            found.setdefault(self.levels[one], set()).add(rank)
        return max(map(len, found.values()), default=0)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        num_levels = len(set(self.levels))
        parts = [f"{num_levels} level{'s' * (num_levels > 1)}"]
        if self.moduli:
            parts.append(f"moduli {', '.join(map(str, sorted({modulus for _, modulus in self.moduli})))}")
        if self.ranks:
            parts.append(f"window {self.window}")
        return ", ".join(parts)

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        return certificate_head(self, "ranks") | {
            "condition": str(self.condition),
            "levels": list(self.levels),
            "moduli": [list(entry) for entry in self.moduli],
            "residues": list(self.residues),
            "ranks": [list(entry) for entry in self.ranks],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AperiodicCertificate:
    """YES for LTL[S]: words make ``size`` maps of states, and each map x has xⁿ = xⁿ⁺¹ for one ``exponent`` n.

    The maps themselves are not listed, because the automaton determines them; whoever checks makes them again.
    """

    language: DFA
    size: int
    exponent: int
    fragment: Logic = Logic.S
    asked: Asked = Asked.MEMBERSHIP
    answer: Answer = Answer.YES

    @property
    def readout(self) -> Readout:
        """Membership is read at the end marker; next symbols where the last symbol is seen."""
        return readout_of(self.asked)

    def summary(self) -> str:
        """Return the certificate in a few words."""
        return f"{self.size:,} maps of states, each x with x^{self.exponent} = x^{self.exponent + 1}"

    def to_json(self) -> Json:
        """Return the certificate as JSON data."""
        return certificate_head(self, "aperiodic") | {"size": self.size, "exponent": self.exponent}


LogicCertificate = PumpingCertificate | RanksCertificate | AperiodicCertificate


def _briefly(word: Word) -> str:
    shown = show_word(word)
    return shown if len(shown) <= _LONGEST_SHOWN else f"of {len(word):,} letters"
