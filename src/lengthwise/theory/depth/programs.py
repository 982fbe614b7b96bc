"""From "at most b" to a program whose counts are nested at most b deep.

Each sum of counts of the certificate becomes a definition. A block of a known set is a combination of comparisons of such sums
with numbers. All counts are strict, so at every position the formulas speak of the run before the symbol there. Outside a known
set exactly one of its blocks is named, whichever it is: the bounds of the certificate hold for any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...budget import checkpoint
from ...crasp import syntax
from ...crasp.fragments import Readout
from ...crasp.simplification import simplify
from ...languages.next_symbols import live_states, next_symbol_set
from .certificates import AtMost, CountTest, DepthStep, KnownSet
from .problem import DepthQuestion

START = "^"
STOP = "$"


def depth_program(certificate: AtMost) -> syntax.Program:
    """Return a program for the question of a certificate; its depth is at most the bound.

    Next symbols become a program that says what can come next, behind a start symbol; for the states of the automaton there
    is no form of program.

    >>> from lengthwise.crasp.measures import depth_of
    >>> from lengthwise.languages.regex import compile_regex
    >>> from lengthwise.theory.depth.bounds import bound_depth
    >>> depth_of(depth_program(bound_depth(compile_regex("(ab|bbaa)*"), DepthQuestion.END_MARKER).upper))
    3
    """
    return simplify(_Builder(certificate).program())


class _Builder:
    """The definitions of a program, one step of depth after the other."""

    def __init__(self, certificate: AtMost) -> None:
        self.certificate = certificate
        self.alphabet = certificate.language.alphabet
        self.definitions: list[syntax.Definition] = []
        self._apart: dict[
            tuple[int, int], syntax.Expression
        ] = {}  # holds after all words to the first, none to the second
        for number, step in enumerate(certificate.steps, start=1):
            self._step(number, step)

    def program(self) -> syntax.Program:
        """Return the program for the question."""
        language, question = self.certificate.language, self.certificate.question
        accepting = language.accepting
        if question is DepthQuestion.END_MARKER:
            body = self._where(lambda state: state in accepting)
            return self._accepting(body, Readout.END_MARKER)
        if question is DepthQuestion.LAST_SYMBOL:
            cases = []
            for symbol, name in enumerate(self.alphabet):
                before = {state for state, row in enumerate(language.transitions) if row[symbol] in accepting}
                cases.append(syntax.conjunction([syntax.Symbol(name), self._where(before.__contains__)]))
            return self._accepting(syntax.disjunction(cases), Readout.LAST_SYMBOL)
        if question is DepthQuestion.NEXT_SYMBOLS:
            return self._generator()
        raise ValueError("a program names no states; ask for the end marker, the last symbol or next symbols.")

    def _accepting(self, body: syntax.Expression, readout: Readout) -> syntax.Program:
        return syntax.Program(alphabet=self.alphabet, definitions=tuple(self.definitions), accept=body, readout=readout)

    def _generator(self) -> syntax.Program:
        language = self.certificate.language
        live = live_states(language)
        start, stop = (self._unused(each) for each in (START, STOP))
        lines = []
        for number, name in enumerate((*self.alphabet, stop)):
            cases: list[syntax.Expression] = []
            if number in next_symbol_set(language, live, 0):
                cases.append(syntax.Symbol(start))
            for symbol, read in enumerate(self.alphabet):

                def answer(state: int, symbol: int = symbol, number: int = number) -> bool | None:
                    after = language.transitions[state][symbol]
                    return number in next_symbol_set(language, live, after) if after in live else None

                cases.append(syntax.conjunction([syntax.Symbol(read), self._where(answer)]))
            lines.append(syntax.Next(name, syntax.disjunction(cases)))
        return syntax.Program(
            alphabet=self.alphabet,
            definitions=tuple(self.definitions),
            next=tuple(lines),
            start=start,
            stop=stop,
        )

    def _unused(self, symbol: str) -> str:
        while symbol in self.alphabet:
            symbol += symbol[0]
        return symbol

    def _where(self, answer: Callable[[int], bool | None]) -> syntax.Expression:
        """Return a formula that holds after words to states with answer True and not after those with answer False."""
        states = self.certificate.graph.states
        yes = [node for node, state in enumerate(states) if answer(state) is True]
        no = [node for node, state in enumerate(states) if answer(state) is False]
        return self._between(yes, no)

    def _between(self, ins: Sequence[int], outs: Sequence[int]) -> syntax.Expression:
        """Return a formula that holds after all words to some nodes and after none to some others."""
        if not outs:
            return syntax.Constant(bool(ins))
        cases: list[syntax.Expression] = []
        for one in ins:
            checkpoint()
            parts: list[syntax.Expression] = []
            for two in outs:
                part = self._apart[one, two]
                if part not in parts:
                    parts.append(part)
            case = syntax.conjunction(parts)
            if case not in cases:
                cases.append(case)
        return syntax.disjunction(cases)

    def _step(self, number: int, step: DepthStep) -> None:
        names = [self._name_blocks(f"{number}_{place + 1}", known) for place, known in enumerate(step.known)]
        fresh: dict[tuple[int, int], syntax.Expression] = {}
        for place, test in enumerate(step.tests):
            self._add_test(f"sum{number}_{place + 1}", test, names, fresh)
        for pair, formula in fresh.items():
            self._apart.setdefault(pair, formula)

    def _name_blocks(self, suffix: str, known: KnownSet) -> list[syntax.Expression]:
        """Return a formula for each block; at every position exactly one of them holds."""
        names: list[syntax.Expression] = []
        for number, block in enumerate(known.blocks):
            earlier = [syntax.Not(name) for name in names]
            rest = [node for other in known.blocks[number + 1 :] for node in other]
            body = syntax.conjunction([*earlier, *([self._between(block, rest)] if rest else [])])
            if isinstance(body, syntax.Constant):
                names.append(body)
                continue
            name = f"block{suffix}_{number + 1}"
            self.definitions.append(syntax.Definition(name, body))
            names.append(syntax.Name(name))
        return names

    def _add_test(
        self,
        name: str,
        test: CountTest,
        blocks: Sequence[Sequence[syntax.Expression]],
        fresh: dict[tuple[int, int], syntax.Expression],
    ) -> None:
        """Define a sum of counts and note what comparing it with a number tells apart."""
        terms = [
            (gain, syntax.CountBefore(syntax.conjunction(self._at(symbol, blocks[known][block]))))
            for known, symbol, block, gain in test.gains
            if gain
        ]
        self.definitions.append(syntax.Definition(name, syntax.total(list(terms))))
        for one, high in enumerate(test.upper):
            for two, low in enumerate(test.lower):
                if one != two and high is not None and low is not None and low > high:
                    fresh.setdefault((one, two), syntax.Compare("<=", syntax.Name(name), syntax.Number(high)))
                    fresh.setdefault((two, one), syntax.Compare(">", syntax.Name(name), syntax.Number(high)))

    def _at(self, symbol: int, block: syntax.Expression) -> list[syntax.Expression]:
        read = syntax.Symbol(self.alphabet[symbol])
        return [read] if block == syntax.Constant(True) else [read, block]
