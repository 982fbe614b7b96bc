"""From the YES certificate of a logic to a formula that holds exactly on the words of the language.

Levels are gone through in an order in which none is entered from a later one. Inside a level, the state is known by its
residue and by the last letters, or by the fewer letters since the level was entered. ``near_d q`` says that the state is q
as far as the last d letters show. While the run is in the level, the last of these is the state; that the level has been
entered and not left is said with P. Nothing here looks at the position itself: what holds at a position is about the
letters before it, and at the end marker about the whole word. docs/concepts/fixed-precision.md proves the construction.
"""

from __future__ import annotations

from ...budget import checkpoint
from ...errors import InvalidOptionError
from ...languages.components import strong_components
from .certificates import AperiodicCertificate, LogicCertificate, RanksCertificate
from .formulas import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    Formula,
    Letter,
    Name,
    Position,
    conjunction,
    disjunction,
    negation,
    past,
    subexpressions,
    yesterday,
)
from .logics import Logic
from .since_extraction import extract_since_formula


def extract_formula(certificate: LogicCertificate) -> Formula:
    """Return the formula that a YES stands for, read at the end marker.

    >>> from lengthwise.languages.regex import compile_regex
    >>> from lengthwise.theory.precision.deciders import decide_logic
    >>> print(extract_formula(decide_logic(compile_regex("(ab)*"), "LTL[P,MOD]").certificate))
    exit1  := pos % 2 = 1 and 'b' or pos % 2 = 0 and 'a'
    accept := pos % 2 = 1 and not P(exit1)
    """
    if isinstance(certificate, AperiodicCertificate):
        return extract_since_formula(certificate.language)
    if not isinstance(certificate, RanksCertificate):
        raise InvalidOptionError(
            "a formula can be taken from the certificate of a YES; this one is for a NO.",
            hint="ask for a logic that has the language.",
        )
    return _Extraction(certificate).formula()


class _Extraction:
    """The definitions so far, and what holds where a state is reached."""

    def __init__(self, certificate: RanksCertificate) -> None:
        self.certificate = certificate
        language = self.language = certificate.language
        if certificate.condition is Logic.Y:
            self.components = [list(range(language.num_states))]
        else:
            self.components = strong_components(language.transitions)
        self.component_of = {state: n for n, members in enumerate(self.components) for state in members}
        self.moduli = dict(certificate.moduli)
        self.ranks: dict[int, set[int]] = {}
        for one, two, rank in certificate.ranks:
            if self.component_of[one] == self.component_of[two]:
                self.ranks.setdefault(self.component_of[one], set()).add(rank)
        self.definitions: dict[str, Expression] = {}
        self.states: dict[int, Expression] = {}

    def formula(self) -> Formula:
        for number in range(len(self.components)):
            self._add_component(number)
        accept = disjunction(self.states[state] for state in sorted(self.language.accepting))
        if isinstance(accept, Name):
            accept = self.definitions[accept.name]
        return Formula(alphabet=self.language.alphabet, definitions=self._used(accept), accept=accept)

    def _define(self, name: str, body: Expression) -> Expression:
        if isinstance(body, Constant | Letter | Name | Position):
            return body
        self.definitions[name] = body
        return Name(name)

    def _used(self, accept: Expression) -> tuple[tuple[str, Expression], ...]:
        """Return the definitions that matter for what is read at the end."""
        needed = {each.name for each in subexpressions(accept) if isinstance(each, Name)}
        for name in reversed(self.definitions):
            if name in needed:
                needed |= {each.name for each in subexpressions(self.definitions[name]) if isinstance(each, Name)}
        return tuple((name, body) for name, body in self.definitions.items() if name in needed)

    def _add_component(self, number: int) -> None:
        """Write the formula of every state of a component."""
        members = self.components[number]
        entries = self._entries(number)
        near = self._by_residue(number, entries)
        for distance in range(1, len(self.ranks.get(number, ())) + 1):
            near = self._one_letter_more(number, entries, near, distance)
        leaving = []
        for state in members:
            targets = self.language.transitions[state]
            symbols = [symbol for symbol, target in enumerate(targets) if self.component_of[target] != number]
            letters = [TRUE] if len(symbols) == len(targets) else [self._letter(symbol) for symbol in symbols]
            leaving.append(conjunction([near[state], disjunction(letters)]))
        left = past(self._define(f"exit{number + 1}", disjunction(leaving)))
        for state in members:
            self.states[state] = self._define(f"at{state}", conjunction([near[state], negation(left)]))

    def _letter(self, symbol: int) -> Expression:
        return Letter(self.language.alphabet[symbol])

    def _entries(self, number: int) -> dict[int, Expression]:
        """Return for every state by which a component is entered that the letter here enters it there."""
        ways: dict[int, list[Expression]] = {}
        for source, before in self.states.items():
            for symbol, target in enumerate(self.language.transitions[source]):
                if self.component_of[target] == number:
                    ways.setdefault(target, []).append(conjunction([before, self._letter(symbol)]))
        return {target: self._define(f"enter{target}", disjunction(each)) for target, each in sorted(ways.items())}

    def _by_residue(self, number: int, entries: dict[int, Expression]) -> dict[int, Expression]:
        """Return for every state that its component has been entered and that the position has the state's residue.

        ``offset`` is residue minus position, which no letter inside the component changes.
        """
        members = self.components[number]
        modulus = self.moduli.get(self.certificate.levels[members[0]], 1)
        entered: dict[int, Expression] = {}
        for offset in range(modulus):
            if 0 in members:
                entered[offset] = Constant((self.certificate.residues[0] - 1 - offset) % modulus == 0)
                continue
            ways = [
                conjunction([entry, _position(modulus, self.certificate.residues[state] - 1 - offset)])
                for state, entry in entries.items()
            ]
            suffix = f"_{offset}" if modulus > 1 else ""
            entered[offset] = self._define(f"in{number + 1}{suffix}", past(disjunction(ways)))
        return {
            state: disjunction(
                conjunction([flag, _position(modulus, self.certificate.residues[state] - offset)])
                for offset, flag in entered.items()
            )
            for state in members
        }

    def _one_letter_more(
        self, number: int, entries: dict[int, Expression], near: dict[int, Expression], distance: int
    ) -> dict[int, Expression]:
        """Return for every state that it is the state as far as one letter more shows."""
        ways: dict[int, list[Expression]] = {state: [] for state in self.components[number]}
        if 0 in ways:
            ways[0].append(negation(yesterday(TRUE)))
        for target, entry in entries.items():
            ways[target].append(yesterday(entry))
        for source, before in near.items():
            checkpoint()
            for symbol, target in enumerate(self.language.transitions[source]):
                if target in ways:
                    ways[target].append(yesterday(conjunction([before, self._letter(symbol)])))
        return {
            state: self._define(f"near{distance}_{state}", disjunction(each)) if each else FALSE
            for state, each in ways.items()
        }


def _position(modulus: int, residue: int) -> Expression:
    return TRUE if modulus == 1 else Position(modulus, residue % modulus)
