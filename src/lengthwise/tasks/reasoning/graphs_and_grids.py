"""Reasoning over facts in any order: signs, kin and paths; and the rules of grids and rows.

Facts are clauses of a few symbols each, shuffled, and behind them stands a query. Names are all different, so how many
there are bounds the length.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...arrays import Array, Arrays
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ..core.cited import excluded_by_communication
from ..core.clauses import FIXED_NAMES, NAMES, ClauseTask, clauses, constant
from ..core.family import Family, Group
from ..core.row_functions import along, at, batch_of, count, is_inside, one_at, places, uniform
from ..core.task import Batch, copying_roles, shuffled

_VARIABLES = 50


class Lego(ClauseTask):
    """A chain of signed assignments: b - a says that b is minus a; the sign of the last variable is asked for."""

    name = "lego"
    definition = (
        "assignments 'x + y' (x is y) and 'x - y' (x is minus y) that form one chain from 'one', in random order with "
        "random signs; then '?' and the end of the chain, whose sign is the answer"
    )
    length_means = "the number of symbols: 3 for each assignment, and 2 for the query"
    symbols = (*(f"v{number}" for number in range(_VARIABLES)), "one", "?", "+", "-")
    min_length, clause, max_length = 5, 3, 3 * _VARIABLES + 2
    citation = "arXiv 2206.04301"
    facts = FIXED_NAMES

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Follow the assignments from the queried variable back to one."""
        rules = {prompt[start]: (prompt[start + 1], prompt[start + 2]) for start in range(0, len(prompt) - 2, 3)}
        variable, num_minus = prompt[-1], 0
        while variable != "one":
            sign, variable = rules[variable]
            num_minus += sign == "-"
        return ["-" if num_minus % 2 else "+"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a chain of shuffled assignments and the product of its signs."""
        num_MB, width = (lengths_MB - 2) // 3, max(1, (max_length - 2) // 3)
        inside, place = is_inside(num_MB, width, xp), places(num_MB, width, xp)
        names = draw.named("names").permutation(_VARIABLES, batch_of(draw, lengths_MB))[..., :width]
        minus = uniform(draw.named("signs"), 2, lengths_MB, width)
        source = xp.where(place == 0, self.token("one"), at(names, place - 1, xp))
        order = shuffled(place, inside, draw.named("order"), xp)
        columns = [xp.gather_last(column, order) for column in (names, minus + self.token("+"), source)]
        tail = [constant(self.token("?"), tuple(num_MB.shape), xp), one_at(names, num_MB - 1, xp)]
        answer = count(inside & (minus == 1), xp) % 2 + self.token("+")
        return clauses(columns, num_MB, tail, max_length, xp), answer[..., None]


_KIN = ("sibling", "father", "mother", "spouse")


class Kinship(ClauseTask):
    """How two persons are related over many hops, in the system of four sections of the Kariera.

    Alternate generations are one kind: the father of one's father counts as a sibling, and likewise for mothers; the
    mother of one's father, or the father of one's mother, counts as a spouse. So the four relations are the Klein group.
    """

    name = "kinship"
    definition = (
        "clauses 'x relation y' that form one chain of persons, in random order with relations uniform over sibling, father, "
        "mother, spouse; then '?' and the ends of the chain, whose relation is the answer. Relations compose by a table in "
        "which each is its own inverse, sibling changes nothing, and two of the others make the third"
    )
    length_means = "the number of symbols: 3 for each hop, and 3 for the query"
    symbols = (*(f"p{number}" for number in range(NAMES)), "?", *_KIN)
    min_length, clause, max_length = 6, 3, 3 * NAMES
    citation = "arXiv 1908.06177; the table is that of A. Weil's appendix to Lévi-Strauss (1949)"
    facts = FIXED_NAMES

    TABLE = (
        ("sibling", "father", "mother", "spouse"),
        ("father", "sibling", "spouse", "mother"),
        ("mother", "spouse", "sibling", "father"),
        ("spouse", "mother", "father", "sibling"),
    )
    """The composition of a relation, by row, with the next one, by column, both in the order of the first row."""

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Walk from the first person of the query to the second, composing relations."""
        hops = {prompt[start]: (prompt[start + 1], prompt[start + 2]) for start in range(0, len(prompt) - 3, 3)}
        person, goal = prompt[-2:]
        relation = "sibling"
        while person != goal:
            step, person = hops[person]
            relation = self.TABLE[_KIN.index(relation)][_KIN.index(step)]
        return [relation]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a chain of shuffled hops and its relation: numbered as in the table, relations compose bit by bit."""
        num_MB, width = (lengths_MB - 3) // 3, max(1, (max_length - 3) // 3)
        inside, place = is_inside(num_MB, width, xp), places(num_MB, width, xp)
        people = draw.named("people").permutation(NAMES, batch_of(draw, lengths_MB))[..., : width + 1]
        hops = uniform(draw.named("hops"), 4, lengths_MB, width)
        order = shuffled(place, inside, draw.named("order"), xp)
        columns = [at(column, order, xp) for column in (people, hops + self.token("sibling"), people[..., 1:])]
        start, goal = people[..., 0], one_at(people, num_MB, xp)
        low, high = (count(inside & (hops // bit % 2 == 1), xp) % 2 for bit in (1, 2))
        tail = [constant(self.token("?"), tuple(num_MB.shape), xp), start, goal]
        return clauses(columns, num_MB, tail, max_length, xp), (low + 2 * high + self.token("sibling"))[..., None]


class _PathTask(ClauseTask):
    """A task on a list of edges ``x y``, then ``? start goal``; the answer is the only path, or its second node."""

    symbols = (*(f"v{number}" for number in range(NAMES)), "?")
    whole = True

    @abstractmethod
    def hops(self, length: Array) -> Array:
        """Return how many edges the path has."""

    def answer_length(self, length: Array) -> Array:
        """Return the number of nodes on the path, or 1 for the next node alone."""
        return self.hops(length) + 1 if self.whole else length * 0 + 1

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Search the graph, breadth first, going along edges either way."""
        *edges, _, start, goal = prompt
        neighbours: dict[str, list[str]] = {}
        for one, two in zip(edges[::2], edges[1::2], strict=True):
            neighbours.setdefault(one, []).append(two)
            neighbours.setdefault(two, []).append(one)
        paths = [[start]]
        for path in paths:
            if path[-1] == goal:
                return path if self.whole else path[1:2]
            paths += [[*path, node] for node in neighbours[path[-1]] if node not in path]
        raise AssertionError("there is a path by construction")

    def _frame_edges(
        self,
        ends: list[Array],
        num_MB: Array,
        labels: Array,
        lengths_MB: Array,
        max_length: int,
        draw: Draw,
        xp: Arrays,
    ) -> tuple[Array, Array]:
        """Return shuffled edges with labels, the query and the answer; the path goes through the nodes 0, 1, …."""
        width = ends[0].shape[-1]
        order = shuffled(places(num_MB, width, xp), is_inside(num_MB, width, xp), draw, xp)
        columns = [at(labels, xp.gather_last(end, order), xp) for end in ends]
        goal = one_at(labels, self.hops(lengths_MB), xp)
        tail = [constant(self.token("?"), tuple(num_MB.shape), xp), labels[..., 0], goal]
        text = clauses(columns, num_MB, tail, max_length, xp)
        return text, labels[..., : self.hops(max_length) + 1] if self.whole else labels[..., 1:2]


class PathStar(_PathTask):
    """The path from the centre of a star to the end of one of its arms; the first step is the hard one."""

    min_length: int
    citation = "arXiv 2403.06963"
    facts = FIXED_NAMES

    def __init__(self, arms: int, part: str) -> None:
        self.arms, self.whole = arms, part == "path"
        self.name = shortest_name("path_star", [arms, part], [3, "path"])
        self.definition = (
            f"the edges, from the centre outwards and in random order, of a star with {arms} arms of one length and random "
            "names for nodes; then '?', the centre and the end of one arm; the answer is "
            + ("the path between them" if self.whole else "the first node of this arm")
        )
        self.length_means = f"the number of symbols: {2 * arms} for each step of the arms, and 3 for the query"
        self.clause, self.min_length = 2 * arms, 2 * arms + 3
        self.max_length = (NAMES - 1) // arms * self.clause + 3

    def hops(self, length: Array) -> Array:
        """Return how long each arm is."""
        return (length - 3) // self.clause

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a star whose node e + 1 is at the outer end of edge e; the goal is the end of the first arm."""
        num_MB, width = self.hops(lengths_MB) * self.arms, self.hops(max_length) * self.arms
        labels = draw.named("labels").permutation(NAMES, batch_of(draw, lengths_MB))
        edge = places(num_MB, width, xp)
        inner = xp.where(edge % self.hops(lengths_MB)[..., None] == 0, 0, edge)
        return self._frame_edges([inner, edge + 1], num_MB, labels, lengths_MB, max_length, draw.named("order"), xp)


class MazeHops(_PathTask):
    """The path between two nodes of a tree, one half of whose edges lead astray."""

    name = "maze_hops"
    definition = (
        "the edges of a tree in random order and directions: a path of k hops, and k nodes more, each joined to a node drawn "
        "uniformly from those before it; then '?' and the ends of the path; the answer is the path"
    )
    length_means = "the number of symbols: 4 for each hop of the path, and 3 for the query"
    min_length, clause, max_length = 7, 4, (NAMES - 1) // 2 * 4 + 3
    citation = "arXiv 2502.01612"
    facts = FIXED_NAMES

    def hops(self, length: Array) -> Array:
        """Return how many hops the path has."""
        return (length - 3) // 4

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return a tree in which edge e joins node e + 1 to an earlier one: the one before it while on the path."""
        num_MB, width = self.hops(lengths_MB) * 2, self.hops(max_length) * 2
        labels = draw.named("labels").permutation(NAMES, batch_of(draw, lengths_MB))
        edge = places(num_MB, width, xp)
        earlier = draw.named("joints").integers(xp.arange(width) + 1, (*batch_of(draw, lengths_MB), width))
        earlier = xp.where(edge < along(self.hops(lengths_MB), width, xp), edge, earlier)
        turned = uniform(draw.named("directions"), 2, lengths_MB, width) == 1
        ends = [xp.where(turned, edge + 1, earlier), xp.where(turned, earlier, edge + 1)]
        return self._frame_edges(ends, num_MB, labels, lengths_MB, max_length, draw.named("order"), xp)


class _GridTask(ClauseTask):
    """A grid of a fixed width, row by row; the answer is a grid of the same size, and what lies outside is empty."""

    def __init__(self, family: str, width: int) -> None:
        self.width = self.clause = self.min_length = width
        self.name = shortest_name(family, [width], [5])
        self.length_means = f"the number of cells: {width} in each row"

    def answer_length(self, length: Array) -> Array:
        """Return the number of cells."""
        return length

    def roles(self, batch: Batch, xp: Arrays) -> Array:
        """Return one role for a cell and its answer."""
        return copying_roles(batch, xp)

    def around(self, prompt: Sequence[str], symbol: str) -> list[int]:
        """Return how many of the eight neighbours of each cell are this symbol."""
        height, counts = len(prompt) // self.width, []
        for row in range(height):
            for column in range(self.width):
                rows = range(max(0, row - 1), min(height, row + 2))
                columns = range(max(0, column - 1), min(self.width, column + 2))
                cells = [(r, c) for r in rows for c in columns if (r, c) != (row, column)]
                counts.append(sum(prompt[r * self.width + c] == symbol for r, c in cells))
        return counts

    def neighbours(self, cells_MBN: Array, lengths_MB: Array, xp: Arrays) -> Array:
        """Return how many of the eight neighbours of each cell are 1."""
        num = cells_MBN.shape[-1]
        place = places(lengths_MB, num, xp)
        full = xp.where(is_inside(lengths_MB, num, xp), cells_MBN, 0)
        total = full * 0
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if down or right:
                    column, other = place % self.width + right, place + down * self.width + right
                    exists = (column >= 0) & (column < self.width) & (other >= 0) & (other < num)
                    total = total + xp.where(exists, at(full, other, xp), 0)
        return total


class Minesweeper(_GridTask):
    """The numbers of a field of mines."""

    symbols = (".", "*", *"012345678")
    citation = "arXiv 2405.20671"
    facts = excluded_by_communication(
        "Every mine is written again at its place, so the answer needs the places of all mines"
    )

    def __init__(self, width: int) -> None:
        super().__init__("minesweeper", width)
        self.definition = (
            f"a field {width} wide, row by row, each cell a mine * with probability 1/4; the answer has * for mines and for "
            "other cells the number of mines among their neighbours"
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Count the mines around each cell that is none."""
        return [
            "*" if cell == "*" else str(mines) for cell, mines in zip(prompt, self.around(prompt, "*"), strict=True)
        ]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return fields and their numbers."""
        mines = xp.where(uniform(draw.named("mines"), 4, lengths_MB, max_length) == 0, 1, 0)
        return mines, xp.where(mines == 1, 1, self.neighbours(mines, lengths_MB, xp) + self.token("0"))


class LifeStep(_GridTask):
    """One step of the game of life."""

    symbols = (".", "o")
    revision = 2
    citation = "M. Gardner, Mathematical Games, Scientific American (October 1970)"
    facts = excluded_by_communication(
        "Squares of four living cells with two empty rows between them stay as they are, so the answer needs every square that is there"
    )

    def __init__(self, width: int) -> None:
        super().__init__("life_step", width)
        self.min_length = 3 * width  # in one row, or in two, most grids die out at once
        self.definition = (
            f"a grid {width} wide and at least 3 high, row by row, each cell alive (o) with probability 1/2; the answer is the grid "
            "one step on: a cell lives if it has three living neighbours, or two and lives already"
        )

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Apply the rule to each cell."""
        counts = self.around(prompt, "o")
        return [
            "o" if near == 3 or (near == 2 and cell == "o") else "." for cell, near in zip(prompt, counts, strict=True)
        ]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return grids and what becomes of them."""
        alive = uniform(draw.named("cells"), 2, lengths_MB, max_length)
        near = self.neighbours(alive, lengths_MB, xp)
        return alive, xp.where((near == 3) | ((near == 2) & (alive == 1)), 1, 0)


_LARGEST_ROW = 150


class SudokuRow(ClauseTask):
    """Whether a row has each of its numbers once."""

    name = "sudoku_row"
    definition = (
        "yes if a row of n cells has each of the numbers 1 to n once; half of the rows are random permutations, in the others "
        "one cell, drawn uniformly, has been overwritten with the number of another"
    )
    length_means = "the number of cells"
    symbols = (*(f"s{number}" for number in range(1, _LARGEST_ROW + 1)), "yes", "no")
    min_length, clause, max_length = 2, 1, _LARGEST_ROW
    citation = "the reasoning-gym collection, github.com/open-thought/reasoning-gym"
    facts = FIXED_NAMES

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Compare the sorted row with 1 to n."""
        return ["yes" if sorted(int(cell[1:]) for cell in prompt) == list(range(1, len(prompt) + 1)) else "no"]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, ...]:
        """Return permutations, half of them spoiled."""
        place, batch = places(lengths_MB, max_length, xp), batch_of(draw, lengths_MB)
        row = shuffled(place, is_inside(lengths_MB, max_length, xp), draw.named("order"), xp)
        cell = draw.named("cell").integers(lengths_MB, batch)
        other = (cell + 1 + draw.named("other").integers(lengths_MB - 1, batch)) % lengths_MB
        spoiled = draw.named("spoiled").integers(2, batch)
        here = (place == cell[..., None]) & (spoiled[..., None] == 1)
        return xp.where(here, one_at(row, other, xp)[..., None], row), (spoiled + self.token("yes"))[..., None]


_WIDTH = Parameter(name="width", default=5, meaning="the width of its grid", low=2, high=20)

FAMILIES: tuple[Family, ...] = (
    Family(name="lego", group=Group.REASONING, make=Lego),
    Family(name="kinship", group=Group.REASONING, make=Kinship),
    Family(
        name="path_star",
        group=Group.REASONING,
        make=PathStar,
        parameters=(
            Parameter(name="arms", default=3, meaning="the number of arms", low=2, high=20),
            Parameter(name="part", default="path", meaning="what is asked for", words=("path", "next")),
        ),
    ),
    Family(name="maze_hops", group=Group.REASONING, make=MazeHops),
    Family(name="minesweeper", group=Group.REASONING, make=Minesweeper, parameters=(_WIDTH,)),
    Family(name="life_step", group=Group.REASONING, make=LifeStep, parameters=(_WIDTH,)),
    Family(name="sudoku_row", group=Group.REASONING, make=SudokuRow),
)
