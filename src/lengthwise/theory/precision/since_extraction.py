"""From an automaton that no word makes count to a formula with ``since`` that holds exactly on the words of its language.

The construction is the one by local divisors (Diekert and Gastin, "First-order definable languages", 2008), for formulas
that look back. A *level* is a sequence of positions: some carry a letter of the level, some are skipped, and every other
one is a barrier that nothing of the level looks past. Each letter has a value in a finite monoid without groups, and for
every value m a formula is written that says: the letters since the last barrier multiply to m. One letter c is chosen that is
not neutral. It cuts the sequence into segments without c. Their values are known by induction, because there are fewer
letters. The segments between the first and the last c are the letters of another level, over the local divisor cM ∩ Mc, which
is a smaller monoid. docs/concepts/fixed-precision.md has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...budget import checkpoint
from ...errors import CapExceededError
from ...languages.dfa import DFA
from ...languages.semigroup import Transformation
from .formulas import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    Formula,
    Letter,
    Name,
    Since,
    conjunction,
    disjunction,
    negation,
    subexpressions,
)

Product = Callable[[Transformation, Transformation], Transformation]
Values = dict[Transformation, Expression]
"""For each value, a formula that the letters before a position, since the last barrier, multiply to it."""

MOST_DEFINITIONS = 20_000


@dataclass(frozen=True, slots=True)
class _Level:
    """The letters of a level, by their values, with what holds where one stands; and what holds where a position is skipped."""

    letters: Mapping[Transformation, Expression]
    skipped: Expression

    def since(self, start: Expression) -> Expression:
        """Return that ``start``, which only letters fulfil, held at some position since the last barrier."""
        if start == FALSE:
            return FALSE
        inside = disjunction([*self.letters.values(), self.skipped])
        return Since(inside, start)


def extract_since_formula(language: DFA) -> Formula:
    """Return a formula of LTL[S] for a language whose automaton has no counter.

    >>> from lengthwise.languages.regex import compile_regex
    >>> formula = extract_since_formula(compile_regex("(a|b)*a"))
    >>> [formula.accepts(word) for word in ("", "a", "ab", "aba")]
    [False, True, False, True]
    """
    extraction = _Extraction()
    rows = language.transitions
    images = {symbol: tuple(row[place] for row in rows) for place, symbol in enumerate(language.alphabet)}
    identity = tuple(range(language.num_states))
    values = extraction.values(_level(images, identity), _compose, identity)
    accept = extraction.body_of(
        disjunction(formula for value, formula in values.items() if value[0] in language.accepting)
    )
    return Formula(alphabet=language.alphabet, definitions=extraction.used(accept), accept=accept)


def _level(images: Mapping[str, Transformation], identity: Transformation) -> _Level:
    """Return the level of all letters of a word; neutral ones are skipped."""
    letters: dict[Transformation, list[Expression]] = {}
    for symbol, value in images.items():
        letters.setdefault(value, []).append(Letter(symbol))
    skipped = disjunction(letters.pop(identity, []))
    return _Level({value: disjunction(symbols) for value, symbols in letters.items()}, skipped)


def _compose(first: Transformation, second: Transformation) -> Transformation:
    return tuple(map(second.__getitem__, first))


class _Extraction:
    """The definitions so far."""

    def __init__(self) -> None:
        self.names: dict[Expression, Name] = {}

    def define(self, body: Expression) -> Expression:
        """Return a name for an expression, one for equal ones."""
        if isinstance(body, Constant | Letter | Name):
            return body
        if body not in self.names:
            checkpoint()
            if len(self.names) == MOST_DEFINITIONS:
                raise CapExceededError(
                    f"the formula has more than {MOST_DEFINITIONS:,} parts, the cap.", hint="use a smaller language."
                )
            self.names[body] = Name(f"part{len(self.names) + 1}")
        return self.names[body]

    def body_of(self, expression: Expression) -> Expression:
        """Return what a name was defined as, and anything else as it is."""
        if not isinstance(expression, Name):
            return expression
        return next(body for body, name in self.names.items() if name == expression)

    def used(self, accept: Expression) -> tuple[tuple[str, Expression], ...]:
        """Return the definitions that matter for what is read at the end."""
        needed = _names_in(accept)
        kept = []
        for body, name in reversed(self.names.items()):
            if name.name in needed:
                needed |= _names_in(body)
                kept.append((name.name, body))
        return tuple(reversed(kept))

    def values(self, level: _Level, product: Product, one: Transformation) -> Values:
        """Return for each value of the monoid that words of the level have a formula that says so."""
        if not level.letters:
            return {one: TRUE}
        chosen = _choose(level, product, one)
        at_cut = level.letters[chosen]
        others = {value: where for value, where in level.letters.items() if value != chosen}
        segment = self.values(_Level(others, level.skipped), product, one)
        is_cut = self.define(level.since(at_cut))
        first_cut = conjunction([at_cut, negation(is_cut)])
        begun = {
            value: self.define(level.since(self.define(conjunction([first_cut, formula]))))
            for value, formula in segment.items()
        }
        middle = self._middle(level, chosen, others, segment, is_cut, product)
        found: dict[Transformation, list[Expression]] = {
            value: [conjunction([negation(is_cut), formula])] for value, formula in segment.items()
        }
        for start, opened in begun.items():
            for inner, between in middle.items():
                for end, closed in segment.items():
                    value = product(product(start, inner), end)
                    found.setdefault(value, []).append(self.define(conjunction([opened, between, closed])))
        return {value: self.define(disjunction(ways)) for value, ways in found.items()}

    def _middle(
        self,
        level: _Level,
        chosen: Transformation,
        others: Mapping[Transformation, Expression],
        segment: Values,
        is_cut: Expression,
        product: Product,
    ) -> Values:
        """Return the values of everything from the first cut to the last one, both included, in the local divisor.

        Its elements are xc with the product xc ∘ cy = xcy, and the neutral one is c. Each is kept with some x.
        """
        roots: dict[Transformation, Transformation | None] = {
            chosen: None
        }  # None stands for the neutral element of the monoid

        def divided(left: Transformation, right: Transformation) -> Transformation:
            root = roots[left]
            if root is None:
                return right
            whole = product(root, right)
            if whole not in roots:
                other = roots[right]
                roots[whole] = root if other is None else product(root, other)
            return whole

        letters: dict[Transformation, list[Expression]] = {}
        for value, formula in segment.items():
            root = product(chosen, value)
            element = product(root, chosen)
            roots.setdefault(element, root)
            place = self.define(conjunction([level.letters[chosen], is_cut, formula]))
            letters.setdefault(element, []).append(place)
        skipped = [level.skipped, *others.values(), *letters.pop(chosen, [])]
        inner = {element: self.define(disjunction(places)) for element, places in letters.items()}
        return self.values(_Level(inner, self.define(disjunction(skipped))), divided, chosen)


def _choose(level: _Level, product: Product, one: Transformation) -> Transformation:
    """Return the letter to cut at: the one without which the fewest values are left."""
    if len(level.letters) == 1:
        return next(iter(level.letters))

    def left_without(letter: Transformation) -> int:
        return len(_generated([value for value in level.letters if value != letter], product, one))

    return min(level.letters, key=left_without)


def _generated(letters: list[Transformation], product: Product, one: Transformation) -> set[Transformation]:
    found = {one, *letters}
    queue = list(letters)
    for element in queue:
        checkpoint()
        for letter in letters:
            longer = product(element, letter)
            if longer not in found:
                found.add(longer)
                queue.append(longer)
    return found


def _names_in(expression: Expression) -> set[str]:
    return {each.name for each in subexpressions(expression) if isinstance(each, Name)}
