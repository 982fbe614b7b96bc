"""An executor of YES certificates that works as a counting program does, from the JSON alone.

It keeps integer counts, sees the last letters and the position modulo the period, and never looks at a state that it
has not named itself. Tests follow it beside the automaton, letter by letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Data = dict[str, Any]


class CountingProgram:
    """One run of the program of a potentials certificate."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.alphabet: list[str] = data["automaton"]["alphabet"]
        self.vertices = [(state, tuple(letters), residue) for state, letters, residue in data["vertices"]]
        self.component_of = {
            member: number for number, part in enumerate(data["components"]) for member in part["members"]
        }
        self.recent: tuple[str, ...] = ()
        self.length = 0
        self.enter(self.vertices.index((0, (), 0)))

    def copy(self) -> CountingProgram:
        """Return a second run that has read the same word."""
        other = object.__new__(CountingProgram)
        other.__dict__.update(self.__dict__)
        other.counts = [list(level) for level in self.counts]
        return other

    def enter(self, vertex: int) -> None:
        """Start the counts of the component of a vertex, in the copy that belongs to entering it there."""
        self.component = self.data["components"][self.component_of[vertex]]
        self.entry = self.component["members"].index(vertex)
        self.counts = [[0] * len(level["tests"]) for level in self.component["levels"]]

    def visible(self, member: int) -> bool:
        """Whether a vertex looks like the present position: its last letters and its residue."""
        return self.vertices[member][1:] == (self.recent, self.length % self.data["period"])

    def candidates(self, num_levels: int) -> list[int]:
        """Return the members that the position's look and the counts of the first levels leave possible."""
        left = []
        for place, member in enumerate(self.component["members"]):
            values = [
                test["values"][place] - test["values"][self.entry] == count
                for level, counts in zip(self.component["levels"][:num_levels], self.counts, strict=False)
                for test, count in zip(level["tests"], counts, strict=True)
            ]
            if self.visible(member) and all(values):
                left.append(member)
        return left

    def vertex(self) -> int:
        """Return the vertex that the counts name."""
        (named,) = self.candidates(len(self.component["levels"]))
        return named

    def state(self) -> int:
        """Return the state that the counts name."""
        return self.vertices[self.vertex()][0]

    def read(self, symbol: str) -> None:
        """Read one letter: add the gains of every test whose condition holds just before it, or enter a component."""
        named = self.vertex()
        blocks = [self.block(number) for number in range(len(self.counts))]  # all before any count moves
        self.recent = (*self.recent, symbol)[-self.data["window"] :] if self.data["window"] else ()
        self.length += 1
        after = self.data["automaton"]["transitions"][self.vertices[named][0]][self.alphabet.index(symbol)]
        target = self.vertices.index((after, self.recent, self.length % self.data["period"]))
        if target not in self.component["members"]:
            self.enter(target)
            return
        for level, counts, block in zip(self.component["levels"], self.counts, blocks, strict=True):
            for number, test in enumerate(level["tests"]):
                (gain,) = [gain for letter, where, gain in test["gains"] if (letter, where) == (symbol, block)]
                counts[number] += gain

    def block(self, level: int) -> int:
        """Return the block of a level, from the look of the position and the counts of lower levels only."""
        possible = set(self.candidates(level))
        (number,) = [
            number for number, block in enumerate(self.component["levels"][level]["blocks"]) if possible <= set(block)
        ]
        return number


class NextSymbolsProgram(CountingProgram):
    """One run of a program for next symbols: it sees the letter it reads, and trusts that every prefix is live.

    What it knows before a letter, by look and counts, may leave several vertices possible. With the letter, only one
    vertex that can still lead to a word must be left; more, or none, is an error here.
    """

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        rows = data["automaton"]["transitions"]
        live = set(data["automaton"]["accepting"])
        for _ in rows:
            live |= {state for state, row in enumerate(rows) if live & set(row)}
        self.live = live
        self.now = self.vertices.index((0, (), 0))

    def copy(self) -> NextSymbolsProgram:
        other = object.__new__(NextSymbolsProgram)
        other.__dict__.update(self.__dict__)
        other.counts = [list(level) for level in self.counts]
        return other

    def read(self, symbol: str) -> None:
        """Read one letter: name the vertex after it, and move the counts."""
        possible = self.candidates(len(self.component["levels"]))
        blocks = [self.block(number) for number in range(len(self.counts))]
        self.recent = (*self.recent, symbol)[-self.data["window"] :] if self.data["window"] else ()
        self.length += 1
        rows, column = self.data["automaton"]["transitions"], self.alphabet.index(symbol)
        after = {rows[self.vertices[member][0]][column] for member in possible} & self.live
        (state,) = after
        self.now = self.vertices.index((state, self.recent, self.length % self.data["period"]))
        if self.now not in self.component["members"]:
            self.enter(self.now)
            return
        for level, counts, block in zip(self.component["levels"], self.counts, blocks, strict=True):
            for number, test in enumerate(level["tests"]):
                (gain,) = [gain for letter, where, gain in test["gains"] if (letter, where) == (symbol, block)]
                counts[number] += gain

    def next_symbols(self) -> set[str | None]:
        """Return the symbols that can follow; None stands for the end."""
        state = self.vertices[self.now][0]
        row = self.data["automaton"]["transitions"][state]
        legal: set[str | None] = {
            symbol for symbol, target in zip(self.alphabet, row, strict=True) if target in self.live
        }
        return legal | ({None} if state in self.data["automaton"]["accepting"] else set())


def accepts(data: Data, word: Sequence[str]) -> bool:
    """Return whether the program of a potentials certificate accepts a word."""
    program = CountingProgram(data)
    for symbol in word:
        program.read(symbol)
    return program.state() in data["automaton"]["accepting"]
