"""From the certificate of a YES to the program it stands for.

The construction is that of docs/concepts/deciding.md. Components are gone through in an order in which no edge leads back.
For a component and each vertex t by which it can be entered there are flags for having entered there and for having left,
and counts that give, while the run is inside, the potentials of the present vertex relative to t. All counts are strict, so
that at every position the formulas speak of the run *before* the symbol there; at the end marker, of the whole word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..budget import checkpoint
from ..crasp import syntax
from ..crasp.fragments import Readout
from ..crasp.normal_form import normal_form
from ..crasp.simplification import simplify
from ..errors import InvalidOptionError
from .certificates import (
    Certificate,
    Component,
    Level,
    PotentialsCertificate,
    ProgramCertificate,
    QuotientsCertificate,
    Test,
)
from .claims import Answer, Asked


def extract_program(certificate: Certificate, *, strict: bool = False) -> syntax.Program:
    """Return the program of a YES about membership; without strict counts unless they are asked for.

    >>> from lengthwise.crasp.printer import print_program
    >>> from lengthwise.languages.regex import compile_regex
    >>> from lengthwise.theory.deciders import decide_plain
    >>> program = extract_program(decide_plain(compile_regex("(ab)*")).certificate, strict=True)
    >>> print(print_program(program).split("\\n\\n")[1])
    t1     := #<['a'] - #<['b']
    exit1  := t1 = 0 and 'b' or t1 = 1 and 'a'
    left1  := #<[exit1] >= 1
    accept := t1 = 0 and not left1
    <BLANKLINE>
    """
    if isinstance(certificate, ProgramCertificate):
        return certificate.program
    if certificate.answer is not Answer.YES or certificate.asked is not Asked.MEMBERSHIP:
        raise InvalidOptionError(
            f"a program can be taken from a YES about membership; this certificate says {certificate.answer} "
            f"about {certificate.asked}.",
            hint="ask for membership, and for a fragment that has the language.",
        )
    if isinstance(certificate, QuotientsCertificate):
        program = _last_symbol_program(certificate)
    else:
        assert isinstance(certificate, PotentialsCertificate)
        extraction = _Extraction(certificate, "")
        program = syntax.Program(
            alphabet=certificate.language.alphabet,
            definitions=tuple(extraction.definitions),
            accept=extraction.accept,
            readout=Readout.END_MARKER,
        )
    return simplify(program) if strict else normal_form(program)


def _last_symbol_program(certificate: QuotientsCertificate) -> syntax.Program:
    """Put together the programs for what comes before each last symbol."""
    definitions: list[syntax.Definition] = []
    cases: list[syntax.Expression] = []
    for number, (symbol, part) in enumerate(certificate.parts):
        assert isinstance(part, PotentialsCertificate)
        extraction = _Extraction(part, f"_{number + 1}")
        definitions += extraction.definitions
        cases.append(syntax.conjunction([syntax.Symbol(symbol), extraction.accept]))
    return syntax.Program(
        alphabet=certificate.language.alphabet,
        definitions=tuple(definitions),
        accept=syntax.disjunction(cases),
        readout=Readout.LAST_SYMBOL,
    )


class _Extraction:
    """The definitions for one certificate; ``suffix`` keeps their names apart from those of another."""

    def __init__(self, certificate: PotentialsCertificate, suffix: str) -> None:
        self.certificate = certificate
        self.suffix = suffix
        self.alphabet = certificate.language.alphabet
        self.definitions: list[syntax.Definition] = []
        self.edges = unrolled_edges(certificate)
        self.live = _live_vertices(certificate, self.edges)
        self.component_of = {
            vertex: number for number, part in enumerate(certificate.components) for vertex in part.members
        }
        self.states: dict[int, syntax.Expression] = {}  # of every live vertex: the run is there before this position
        self.num_tests = 0
        self.looks: dict[int, list[syntax.Expression]] = {}  # what is seen at each vertex, which many formulas need
        for number in range(len(certificate.components)):
            self._component(number)
        accepting = certificate.language.accepting
        ends = [vertex for vertex in self.live if certificate.vertices[vertex][0] in accepting]
        self.accept = syntax.disjunction([self.states[vertex] for vertex in sorted(ends)])

    def define(self, name: str, body: syntax.Expression) -> syntax.Expression:
        """Return a name for an expression."""
        full = f"{name}{self.suffix}"
        self.definitions.append(syntax.Definition(full, body))
        return syntax.Name(full)

    def _component(self, number: int) -> None:
        component = self.certificate.components[number]
        members = [vertex for vertex in component.members if vertex in self.live]
        cases: dict[int, list[syntax.Expression]] = {vertex: [] for vertex in members}
        if not members:
            return
        for entry, entered in self._entries(number):
            place = entry + 1
            inside = self._vertices(component, members, entry, entered)
            exits = [
                syntax.conjunction([inside[vertex], syntax.Symbol(self.alphabet[symbol])])
                for vertex in members
                for symbol, target in enumerate(self.edges[vertex])
                if target not in component.members
            ]
            staying: list[syntax.Expression] = []
            if exits:
                exit_name = self.define(f"exit{place}", syntax.disjunction(exits))
                staying = [
                    syntax.Not(
                        self.define(
                            f"left{place}", syntax.Compare(">=", syntax.CountBefore(exit_name), syntax.Number(1))
                        )
                    )
                ]
            for vertex in members:
                cases[vertex].append(syntax.conjunction([inside[vertex], *staying]))
        for vertex in members:
            state = syntax.disjunction(cases[vertex])
            needs_no_name = isinstance(state, syntax.Name | syntax.Symbol | syntax.Constant) or self._is_used_once(
                vertex
            )
            self.states[vertex] = state if needs_no_name else self.define(f"at{vertex}", state)

    def _is_used_once(self, vertex: int) -> bool:
        """Return whether the state's formula is needed in one place only, so that a name would not make it shorter."""
        own = self.component_of[vertex]
        uses = sum(1 for target in self.edges[vertex] if self.component_of[target] != own and target in self.live)
        uses += self.certificate.vertices[vertex][0] in self.certificate.language.accepting
        return uses <= 1

    def _entries(self, number: int) -> list[tuple[int, list[syntax.Expression]]]:
        """Return the vertices by which a component is entered, each with the condition that it has been: true at first."""
        component = self.certificate.components[number]
        entering: dict[int, list[syntax.Expression]] = {}
        for source in sorted(self.live):
            if self.component_of[source] == number:
                continue
            checkpoint()
            for symbol, target in enumerate(self.edges[source]):
                if target in component.members and target in self.live:
                    before = self.states[source]
                    entering.setdefault(target, []).append(
                        syntax.conjunction([before, syntax.Symbol(self.alphabet[symbol])])
                    )
        entries: list[tuple[int, list[syntax.Expression]]] = []
        if 0 in component.members:
            entries.append((0, []))
        for vertex, ways in sorted(entering.items()):
            name = self.define(f"enter{vertex + 1}", syntax.disjunction(ways))
            entries.append(
                (
                    vertex,
                    [self.define(f"in{vertex + 1}", syntax.Compare(">=", syntax.CountBefore(name), syntax.Number(1)))],
                )
            )
        return entries

    def _vertices(
        self, component: Component, members: Sequence[int], entry: int, entered: list[syntax.Expression]
    ) -> dict[int, syntax.Expression]:
        """Return for every member the formula that holds there, if the component was entered at the entry and not left."""
        origin = component.members.index(entry)
        known: list[tuple[syntax.Expression, Test]] = []
        for level in component.levels:
            fresh = [(self._test(component, level, test, origin, entered, known), test) for test in level.tests]
            known += fresh

        def formula(vertex: int) -> syntax.Expression:
            checkpoint()
            seen = self._seen(vertex) if len(component.members) > 1 else []
            place = component.members.index(vertex)
            return syntax.conjunction([*entered, *seen, *_values(known, place, origin)])

        return {vertex: formula(vertex) for vertex in members}

    def _test(
        self,
        component: Component,
        level: Level,
        test: Test,
        origin: int,
        entered: list[syntax.Expression],
        known: list[tuple[syntax.Expression, Test]],
    ) -> syntax.Expression:
        """Return the count of one test since the entry."""
        terms: list[tuple[int, syntax.Expression]] = []
        for symbol in sorted({symbol for symbol, _, _ in test.gains}):
            gains = {block: gain for other, block, gain in test.gains if other == symbol}
            read = syntax.Symbol(self.alphabet[symbol])
            if len(set(gains.values())) == 1:
                (gain,) = set(gains.values())
                terms.append((gain, syntax.CountBefore(syntax.conjunction([read, *entered]))))
                continue
            for gain in sorted(set(gains.values()), reverse=True):
                checkpoint()
                blocks = [block for block, each in gains.items() if each == gain]
                where = syntax.disjunction(
                    [self._block(component, level.blocks[block], origin, known) for block in blocks]
                )
                terms.append((gain, syntax.CountBefore(syntax.conjunction([read, *entered, where]))))
        self.num_tests += 1
        return self.define(f"t{self.num_tests}", syntax.total([term for term in terms if term[0]]))

    def _block(
        self, component: Component, block: Sequence[int], origin: int, known: list[tuple[syntax.Expression, Test]]
    ) -> syntax.Expression:
        """Return that the vertex before this position is in a block: what is seen there, and the values of earlier tests."""
        place = component.members.index(block[0])
        return syntax.conjunction([*self._seen(block[0]), *_values(known, place, origin)])

    def _seen(self, vertex: int) -> list[syntax.Expression]:
        """Return what can be seen of a vertex without counting: the last letters, and the position."""
        if vertex not in self.looks:
            self.looks[vertex] = self._look(vertex)
        return self.looks[vertex]

    def _look(self, vertex: int) -> list[syntax.Expression]:
        _, letters, residue = self.certificate.vertices[vertex]
        seen: list[syntax.Expression] = []
        for distance, letter in enumerate(reversed(letters), start=1):
            seen.append(
                syntax.Compare(
                    ">=", syntax.CountAt(syntax.Symbol(self.alphabet[letter]), (distance,)), syntax.Number(1)
                )
            )
        if len(letters) < self.certificate.window:
            seen.append(syntax.Compare("=", syntax.CountBefore(syntax.Constant(True)), syntax.Number(len(letters))))
        period = self.certificate.period
        if period > 1:
            seen.append(syntax.Modulo(period, (residue + 1) % period))
        return seen


def _values(known: list[tuple[syntax.Expression, Test]], place: int, origin: int) -> list[syntax.Expression]:
    return [
        syntax.Compare("=", count, syntax.Number(test.values[place] - test.values[origin])) for count, test in known
    ]


def unrolled_edges(certificate: PotentialsCertificate) -> list[list[int]]:
    """Return where each symbol leads from every vertex of the unrolled automaton."""
    numbers = {vertex: number for number, vertex in enumerate(certificate.vertices)}
    window, period = certificate.window, certificate.period
    edges = []
    for state, letters, residue in certificate.vertices:
        row = []
        for symbol, target in enumerate(certificate.language.transitions[state]):
            after = (*letters, symbol)[-window:] if window else ()
            row.append(numbers[target, after, (residue + 1) % period])
        edges.append(row)
    return edges


def _live_vertices(certificate: PotentialsCertificate, edges: Sequence[Iterable[int]]) -> set[int]:
    """Return the vertices from which some word is accepted."""
    sources: dict[int, list[int]] = {}
    for source, row in enumerate(edges):
        for target in row:
            sources.setdefault(target, []).append(source)
    queue = [
        number for number, (state, _, _) in enumerate(certificate.vertices) if state in certificate.language.accepting
    ]
    live = set(queue)
    for target in queue:
        for source in sources.get(target, ()):
            if source not in live:
                live.add(source)
                queue.append(source)
    return live
