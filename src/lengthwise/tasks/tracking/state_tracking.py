"""State tracking: where a long row of small steps leads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import combinations

from ...arrays import Array, Arrays
from ...languages.dfa import DFA
from ...names import Parameter, shortest_name
from ...seeds import Draw
from ..core.cited import NO_LAST_OF_MANY, no_count_modulo
from ..core.family import Family, Group
from ..core.legal_inputs import FLIP_FLOP, counter
from ..core.row_functions import batch_of, fold, one_at, places, running_count, uniform
from ..core.task import AnswerTask, OneSymbolTask
from ..languages.regular import States
from .finite_monoids import FiniteMonoid, GroupParameter, MonoidParameter, find_group, find_monoid
from .hidden_problems import hides, wall_facts, word_problem_facts

_NOTATION = "the first factor acting first (g021 takes 0, 1, 2 to 0, 2, 1)"


def _smallest_prime(number: int) -> int:
    return next(prime for prime in range(2, number + 1) if number % prime == 0)


class StepsTask(AnswerTask):
    """Uniform random steps from a state, number 0; the answer is a few symbols that name the last state."""

    length_means = "the number of steps"
    min_length = 1
    steps: tuple[str, ...]
    """The steps, which are the first symbols."""
    names: tuple[tuple[str, ...], ...]
    """The answer at each state."""

    @abstractmethod
    def table(self) -> list[list[int]]:
        """Return where each step leads from each state."""

    def answer_length(self, length: Array) -> Array:
        """Return how many symbols name a state."""
        return length * 0 + len(self.names[0])

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return uniform steps, and the names of the states that they lead to."""
        steps = uniform(draw.named("steps"), len(self.steps), lengths_MB, max_length)
        last = one_at(fold(steps, xp.asarray(self.table()), 0, xp), lengths_MB, xp)
        return steps, xp.asarray([[self.token(symbol) for symbol in name] for name in self.names])[last]


class WordProblem(StepsTask):
    """The product of elements of a finite group or monoid."""

    length_means = "the number of elements"
    citation = "arXiv 2404.08819"

    def __init__(self, group_name: str) -> None:
        self.group = find_monoid(group_name)
        self.name = shortest_name("word_problem", [group_name], ["S5"])
        self.definition = f"the product of elements of {group_name}, {_NOTATION}; elements are uniform"
        self.symbols = self.steps = self.group.symbols
        self.names = tuple((symbol,) for symbol in self.symbols)
        self.facts = word_problem_facts(self.group)

    def table(self) -> list[list[int]]:
        """Return the multiplication table."""
        return self.group.table

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the product."""
        return [_product(self.group, prompt)]


def _product(group: FiniteMonoid, word: Sequence[str]) -> str:
    by_symbol = dict(zip(group.symbols, group.elements, strict=True))
    result = group.elements[0]
    for symbol in word:
        result = group.multiply(result, by_symbol[symbol])
    return {element: symbol for symbol, element in by_symbol.items()}[result]


class WordProblemStates(States):
    """The product of every prefix, read at separators. Products are numbered as states of the minimal automaton."""

    min_length = 0

    def __init__(self, group_name: str) -> None:
        group = find_group(group_name, "word_problem_states")
        kernel = DFA(alphabet=group.symbols, transitions=group.table, accepting=[0])
        super().__init__(kernel, group_name)
        self.name = shortest_name("word_problem_states", [group_name], ["S5"])
        self.definition = (
            f"the product of every prefix of elements of {group_name}, {_NOTATION}, numbered and read at separators; "
            "elements are uniform"
        )
        self.citation = "arXiv 2404.08819"
        self.facts = word_problem_facts(group)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return all lengths."""
        return tuple(range(low, high + 1))

    def _words(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return uniform words, and the state before each place and after the last."""
        lengths_MB = xp.broadcast(lengths_MB, (*draw.keys.shape, lengths_MB.shape[-1]))
        words = uniform(draw.named("words"), len(self.symbols), lengths_MB, max_length)
        return words, fold(words, xp.asarray(self.language.transitions), 0, xp)


class SwapTracking(StepsTask):
    """Where one of several objects is after pairs of places have been swapped."""

    length_means = "the number of swaps"
    citation = "arXiv 2404.08819"

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = shortest_name("swap_tracking", [number], [5])
        self.definition = f"where the object at place 0 is after swaps of two of {number} places; swaps are uniform"
        self.steps = tuple(f"swap{one}{two}" for one, two in combinations(range(number), 2))
        at = tuple(f"at{place}" for place in range(number))
        self.symbols = (*self.steps, *at)
        self.names = tuple((each,) for each in at)
        self.facts = hides(
            counter(3),
            "swap01 swap12 moves the object one step around three places, and swap01 swap01 leaves it where it is. So the answer is "
            f"how often the first of these pairs occurs, modulo 3. {no_count_modulo(3)}",
            {"a": ("swap01", "swap12"), "b": ("swap01", "swap01")},
            ("at0", "at2", "at1"),
            prefix=("swap01", "swap01"),
        )

    def table(self) -> list[list[int]]:
        """Return where a swap takes the object from each place."""
        pairs = list(combinations(range(self.number), 2))
        return [[sum(pair) - place if place in pair else place for pair in pairs] for place in range(self.number)]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the place, after moving all objects."""
        objects = list(range(self.number))
        for swap in prompt:
            one, two = int(swap[4]), int(swap[5])
            objects[one], objects[two] = objects[two], objects[one]
        return [f"at{objects.index(0)}"]


class CycleNavigation(StepsTask):
    """Where a walk on a cycle ends."""

    citation = "arXiv 2207.02098"

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = shortest_name("cycle_navigation", [number], [5])
        self.definition = (
            f"where a walk from place 0 on a cycle of {number} places ends; steps are uniform: stay, on, back"
        )
        self.steps = ("stay", "on", "back")
        at = tuple(f"at{place}" for place in range(number))
        self.symbols = (*self.steps, *at)
        self.names = tuple((each,) for each in at)
        prime = _smallest_prime(number)
        times = number // prime
        self.facts = hides(
            counter(prime),
            f"Take walks that go on {times} step{'s' * (times > 1)} or stay as long, again and again. The place is then how often "
            f"they went on, modulo {prime}. {no_count_modulo(prime)}",
            {"a": ("on",) * times, "b": ("stay",) * times},
            [at[turn * times] for turn in range(prime)],
            prefix=("stay",),
        )

    def table(self) -> list[list[int]]:
        """Return the neighbours."""
        return [[place, (place + 1) % self.number, (place - 1) % self.number] for place in range(self.number)]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the place."""
        steps = list(prompt)
        return [f"at{(steps.count('on') - steps.count('back')) % self.number}"]


class Grid1D(StepsTask):
    """Where a walk between two walls ends; a step into a wall does nothing."""

    citation = "lengthwise"

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = shortest_name("grid_1d", [number], [5])
        self.definition = (
            f"where a walk from the first of {number} places in a row ends; steps are uniform, walls hold it back"
        )
        self.steps = ("left", "right")
        at = tuple(f"x{place}" for place in range(number))
        self.symbols = (*self.steps, *at)
        self.names = tuple((each,) for each in at)
        self.facts = wall_facts(number)

    def table(self) -> list[list[int]]:
        """Return the neighbours."""
        return [[max(place - 1, 0), min(place + 1, self.number - 1)] for place in range(self.number)]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the place."""
        place = 0
        for step in prompt:
            if step == "left" and place > 0:
                place -= 1
            if step == "right" and place < self.number - 1:
                place += 1
        return [f"x{place}"]


class Grid2D(StepsTask):
    """Where a walk on a square between walls ends; a step into a wall does nothing."""

    citation = "lengthwise"

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = shortest_name("grid_2d", [number], [4])
        self.definition = (
            f"where a walk from x0 y0 on {number} by {number} places ends; steps are uniform, walls hold it back"
        )
        self.steps = ("left", "right", "down", "up")
        across, along = (tuple(f"{axis}{place}" for place in range(number)) for axis in "xy")
        self.symbols = (*self.steps, *across, *along)
        self.names = tuple((one, two) for two in along for one in across)
        self.facts = wall_facts(number)

    def table(self) -> list[list[int]]:
        """Return the neighbours; place (x, y) has the number x + y · number."""
        most = self.number - 1
        places = [(x, y) for y in range(self.number) for x in range(self.number)]
        around = [
            [(max(x - 1, 0), y), (min(x + 1, most), y), (x, max(y - 1, 0)), (x, min(y + 1, most))] for x, y in places
        ]
        return [[x + y * self.number for x, y in targets] for targets in around]

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return both coordinates."""
        place = {"x": 0, "y": 0}
        for step in prompt:
            axis = "x" if step in ("left", "right") else "y"
            moved = place[axis] + (1 if step in ("right", "up") else -1)
            if 0 <= moved < self.number:
                place[axis] = moved
        return [f"x{place['x']}", f"y{place['y']}"]


class VariableChain(OneSymbolTask):
    """The value of a variable after assignments of digits and of other variables."""

    length_means = "the number of symbols: two for every assignment, and one for the question"
    min_length = 3
    citation = "after arXiv 2207.04901"
    revision = 2

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = shortest_name("variable_chain", [number], [5])
        self.definition = (
            f"assignments 'a 7' and 'b a' of {number} variables, then a variable: its value. Half of the assignments after the "
            "first are from a variable, uniform among those that have a value, as is the one that is asked for; digits are uniform"
        )
        self.symbols = (*"0123456789", *"abcdefghij"[:number])
        self.facts = hides(
            FLIP_FLOP,
            "Ask for a. 'a 0' and 'a 1' write it, and 'b b' leaves it as it is. So the answer is what was written to a last. "
            f"{NO_LAST_OF_MANY}",
            {"0": ("a", "1"), "1": ("a", "0"), "2": ("b", "b")},
            ("0", "1"),
            prefix=("b", "0", "a", "0"),
            suffix=("a",),
        )

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """Return the odd lengths."""
        return tuple(length for length in super().lengths(low, high) if length % 2)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the digit."""
        values = dict.fromkeys(self.symbols[10:], "0")
        for target, source in zip(prompt[0:-1:2], prompt[1::2], strict=True):
            values[target] = values.get(source, source)
        return [values[prompt[-1]]]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return assignments and a question; the values of all variables are carried along, one assignment at a time.

        A variable without a value has −1. The first assignment is of a digit, as there is nothing else yet.
        """
        width = max_length // 2
        targets = uniform(draw.named("targets"), self.number, lengths_MB, width)
        chances = draw.named("variables").bits31((*batch_of(draw, lengths_MB), width))
        digits = uniform(draw.named("digits"), 10, lengths_MB, width)
        is_digit = (uniform(draw.named("kinds"), 2, lengths_MB, width) == 0) | (xp.arange(width) == 0)
        every = places(lengths_MB, self.number, xp)
        values = every * 0 - 1
        sources = []
        for place in range(width):
            sources.append(_nth_with_value(values, chances[..., place], xp))
            source = xp.where(is_digit[..., place], digits[..., place], one_at(values, sources[-1], xp))
            written = (every == targets[..., place, None]) & (lengths_MB > 2 * place + 1)[..., None]
            values = xp.where(written, source[..., None], values)
        asked = _nth_with_value(values, draw.named("asked").bits31(batch_of(draw, lengths_MB)), xp)
        pairs = xp.stack_last([10 + targets, xp.where(is_digit, digits, 10 + xp.stack_last(sources))])
        text = pairs.reshape(*lengths_MB.shape, 2 * width)
        text = xp.concat_last([text, 10 + asked[..., None]])[..., :max_length]
        is_last = places(lengths_MB, text.shape[-1], xp) == lengths_MB[..., None] - 1
        return xp.where(is_last, 10 + asked[..., None], text), one_at(values, asked, xp)[..., None]


def _nth_with_value(values: Array, chance: Array, xp: Arrays) -> Array:
    """Return a variable that has a value: the one whose rank among them is this chance, of 31 bits, times their number."""
    rank = running_count(values >= 0, xp)
    nth = (chance * rank[..., -1]) >> 31
    return xp.where((values >= 0) & (rank == nth[..., None] + 1), xp.arange(values.shape[-1]), 0).sum(-1)


class RecallWordProblem(OneSymbolTask):
    """Keys stand for elements of a finite group or monoid; the product of what a row of keys stands for."""

    citation = "lengthwise"

    def __init__(self, group_name: str, number: int) -> None:
        self.group = find_monoid(group_name, "mqar_word_problem")
        self.number = number
        self.name = shortest_name("mqar_word_problem", [group_name, number], ["S3", 4])
        self.definition = (
            f"{number} keys in random order, each before an element of {group_name}, then keys: the product of their "
            f"elements, {_NOTATION}; elements and keys are uniform"
        )
        self.length_means = f"the number of symbols: {2 * number} for what the keys stand for, and the keys to multiply"
        self.min_length = 2 * number + 1
        self.symbols = (*self.group.symbols, *(f"k{key}" for key in range(number)))
        self.facts = word_problem_facts(self.group, keys=number)

    def answer(self, prompt: Sequence[str]) -> list[str]:
        """Return the product."""
        start = 2 * self.number
        meaning = dict(zip(prompt[0:start:2], prompt[1:start:2], strict=True))
        return [_product(self.group, [meaning[key] for key in prompt[start:]])]

    def draw_inputs(self, draw: Draw, lengths_MB: Array, max_length: int, xp: Arrays) -> tuple[Array, Array]:
        """Return what keys stand for, then keys, and the product of their elements."""
        order, start = len(self.group.elements), 2 * self.number
        batch = batch_of(draw, lengths_MB)
        bound = draw.named("order").permutation(self.number, batch)
        elements = uniform(draw.named("elements"), order, lengths_MB, self.number)
        pairs = xp.stack_last([order + bound, xp.gather_last(elements, bound)]).reshape(*lengths_MB.shape, start)
        keys = uniform(draw.named("keys"), self.number, lengths_MB, max(max_length - start, 0))
        states = fold(xp.gather_last(elements, keys), xp.asarray(self.group.table), 0, xp)
        return xp.concat_last([pairs, order + keys]), one_at(states, lengths_MB - start, xp)[..., None]


_GROUP = GroupParameter(name="group", default="S5", meaning="the name of a finite group")
_MONOID = MonoidParameter(name="group", default="S5", meaning="the name of a finite group or monoid")


def _places(default: int, low: int, high: int) -> tuple[Parameter, ...]:
    return (Parameter(name="places", default=default, meaning="the number of places", low=low, high=high),)


FAMILIES: tuple[Family, ...] = (
    Family(
        name="word_problem", group=Group.TRACKING, scratchpad="state_track_cot", make=WordProblem, parameters=(_MONOID,)
    ),
    Family(
        name="word_problem_states",
        group=Group.TRACKING,
        make=WordProblemStates,
        parameters=(_GROUP,),
    ),
    Family(
        name="mqar_word_problem",
        group=Group.TRACKING,
        make=RecallWordProblem,
        parameters=(
            MonoidParameter(name="group", default="S3", meaning="the name of a finite group or monoid"),
            Parameter(name="keys", default=4, meaning="the number of keys", low=2, high=50),
        ),
    ),
    Family(name="swap_tracking", group=Group.TRACKING, make=SwapTracking, parameters=_places(5, 3, 10)),
    Family(
        name="cycle_navigation",
        group=Group.LANGUAGES,
        make=CycleNavigation,
        parameters=_places(5, 2, 60),
    ),
    Family(name="grid_1d", group=Group.TRACKING, make=Grid1D, parameters=_places(5, 3, 60)),
    Family(name="grid_2d", group=Group.TRACKING, make=Grid2D, parameters=_places(4, 3, 12)),
    Family(
        name="variable_chain",
        group=Group.TRACKING,
        make=VariableChain,
        parameters=(Parameter(name="variables", default=5, meaning="the number of variables", low=2, high=10),),
    ),
)
