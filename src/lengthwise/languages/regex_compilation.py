"""From an expression with intersections, complements, reversals or quotients to its automaton.

Unions, concatenations and repetitions are made of positions (:mod:`.positions`). The operands of every other operator
become automata and are combined as such; where the result stands inside a concatenation or a repetition, it is put back
into the tree as an automaton. A reversal costs nothing: the tree under it is turned around.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import CapExceededError
from . import regex_tree
from .alphabet import Alphabet
from .dfa import DFA, product
from .dfa_algebra import left_quotient_by, right_quotient_by
from .positions import Positions, arrivals, determinize


def compile_tree(tree: regex_tree.Regex, alphabet: Alphabet, text: str, max_states: int) -> DFA:
    """Return the language of any tree over an alphabet; no automaton on the way may have more than ``max_states`` states."""
    try:
        return _Compilation(alphabet, max_states).language(tree)
    except CapExceededError as error:
        raise CapExceededError(
            f"the automaton of {text!r} cannot be built: {error.message}",
            hint="simplify the expression, or raise the cap with max_states (predict --max-states).",
        ) from None


class _Compilation:
    def __init__(self, alphabet: Alphabet, max_states: int) -> None:
        self.alphabet = alphabet
        self.max_states = max_states

    def language(self, tree: regex_tree.Regex) -> DFA:
        match tree:
            case regex_tree.Intersection():
                return self.combined(tree.parts, lambda one, two: one and two)
            case regex_tree.Union() if not regex_tree.is_plain(
                tree
            ):  # by products, which are smaller than subsets of positions
                plain = tuple(part for part in tree.parts if regex_tree.is_plain(part))
                others = tuple(part for part in tree.parts if not regex_tree.is_plain(part))
                return self.combined(
                    (*others, regex_tree.Union(parts=plain)) if plain else others, lambda one, two: one or two
                )
            case regex_tree.Complement():
                return ~self.language(tree.part)
            case regex_tree.Reversal():
                return self.language(regex_tree.reversed_tree(tree.part))
            case regex_tree.RightQuotient():
                return right_quotient_by(self.language(tree.whole), self.language(tree.end))
            case regex_tree.LeftQuotient():
                whole, beginnings = self.language(tree.whole), self.language(tree.beginning)
                return left_quotient_by(whole, beginnings, max_states=self.max_states)
            case _:
                positions = Positions(self.simplified(tree), self.alphabet)
                return determinize(positions, self.alphabet, "the automaton of a part", self.max_states)

    def combined(self, parts: tuple[regex_tree.Regex, ...], keep: Callable[[bool, bool], bool]) -> DFA:
        language = self.language(parts[0])
        for part in parts[1:]:
            language = product(language, self.language(part), keep, max_states=self.max_states)
        return language

    def simplified(self, tree: regex_tree.Regex) -> regex_tree.Regex:
        """Return the tree with automata in place of all operators that positions cannot express."""
        match tree:
            case regex_tree.Symbols():
                return tree
            case regex_tree.Concatenation():
                return regex_tree.Concatenation(parts=tuple(map(self.simplified, tree.parts)))
            case regex_tree.Repetition():
                return regex_tree.Repetition(part=self.simplified(tree.part), least=tree.least, most=tree.most)
            case regex_tree.Union() if regex_tree.is_plain(tree):
                return tree
            case regex_tree.Reversal():
                return self.simplified(regex_tree.reversed_tree(tree.part))
            case _:
                language = self.language(tree)
                # at least one position: only the empty word has none, and no word at all is not the empty word
                return regex_tree.Automaton(language=language, num_positions=max(1, len(arrivals(language))))
