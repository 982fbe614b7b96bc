"""Regular languages in families: blocks that alternate, bounded brackets, random automata, and one for each class."""

from __future__ import annotations

from ...errors import InvalidOptionError
from ...languages.dfa import DFA
from ...languages.regex import compile_regex
from ...names import Parameter, shortest_name
from ...seeds import DATA, open_stream
from ..core.family import Family, Group
from .regular import NextSymbols

MAX_STATES = 400


def _next_symbols(language: DFA, name: str, what: str, citation: str) -> NextSymbols:
    """Return the next symbols of a language, with words of our own about it."""
    task = NextSymbols(language, name)
    task.definition = f"the legal next symbols, the end among them, at every prefix of {what}; words are uniform"
    task.citation = citation
    return task


def block_alternation(number: int) -> NextSymbols:
    """Return L_k: k blocks, the first of as, the next of bs, and so on in turn."""
    regex = "".join(f"{letter}+" for letter in ("ab" * number)[:number])
    name = shortest_name("block_alternation", [number], [3])
    return _next_symbols(compile_regex(regex, alphabet="ab"), name, f"{number} blocks in turn", "arXiv 2506.16055")


def bounded_brackets(num_types: int, depth: int) -> DFA:
    """Return the nested brackets of several types that are nowhere open more than so deep; a state is what is open."""
    stacks: list[tuple[int, ...]] = [()]
    for stack in stacks:
        if len(stack) < depth:
            stacks += [(*stack, kind) for kind in range(num_types)]
    numbers = {stack: number for number, stack in enumerate(stacks)}
    sink = len(stacks)
    rows = []
    for stack in stacks:
        opened = [numbers.get((*stack, kind), sink) for kind in range(num_types)]
        closed = [numbers[stack[:-1]] if stack and stack[-1] == kind else sink for kind in range(num_types)]
        rows.append([*opened, *closed])
    kinds = range(1, num_types + 1)
    alphabet = [*(f"({kind}" for kind in kinds), *(f"){kind}" for kind in kinds)]
    return DFA(alphabet=alphabet, transitions=[*rows, [sink] * 2 * num_types], accepting=[0])


def dyck_bounded(num_types: int, depth: int) -> NextSymbols:
    """Return Dyck-(k, m) as a task."""
    num_states = sum(num_types**level for level in range(depth + 1)) + 1
    if num_states > MAX_STATES:
        raise InvalidOptionError(
            f"dyck_bounded({num_types}, {depth}) has {num_states:,} states; the cap is {MAX_STATES:,}.",
            hint="choose fewer types or a smaller depth.",
        )
    name = shortest_name("dyck_bounded", [num_types, depth], [2, 3])
    what = f"nested brackets, {num_types} type{'s' * (num_types > 1)}, at most {depth} deep"
    return _next_symbols(bounded_brackets(num_types, depth), name, what, "arXiv 2010.07515")


def random_automaton(seed: int, num_states: int) -> DFA:
    """Return the first of a row of random automata over a and b that is minimal and has words without a longest one.

    Targets are uniform, and every state accepts with probability 1/2.
    """
    draw = open_stream(DATA, seed=seed).named("automaton").at(num_states)
    attempt = 0
    while True:
        own = draw.at(attempt)
        rows = own.named("targets").integers(num_states, (num_states, 2)).tolist()
        marks = own.named("accepting").integers(2, (num_states,)).tolist()
        language = DFA(alphabet="ab", transitions=rows, accepting=[state for state, mark in enumerate(marks) if mark])
        if language.num_states == num_states and _is_infinite(language):
            return language
        attempt += 1


def _is_infinite(language: DFA) -> bool:
    """Say whether there is a word at least as long as there are states, and less than twice as long."""
    reached = {0}
    for length in range(2 * language.num_states):
        if length >= language.num_states and reached & language.accepting:
            return True
        reached = {target for state in reached for target in language.transitions[state]}
    return False


def random_regular(seed: int, num_states: int) -> NextSymbols:
    """Return the language of a random automaton as a task."""
    name = shortest_name("random_regular", [seed, num_states], [0, 5])
    what = f"a word of random automaton number {seed} with {num_states} states over a and b"
    return _next_symbols(random_automaton(seed, num_states), name, what, "lengthwise")


SUBREGULAR: dict[str, tuple[str, str]] = {
    "SL": ("~(.*aa.*)", "a word without aa (strictly 2-local)"),
    "SP": ("~(.*a.*b.*c.*)", "a word without a, b, c in this order, however far apart (strictly 3-piecewise)"),
    "TSL": ("~(.*ac*a.*)", "a word in which, but for cs, no a follows an a (tier-based strictly 2-local)"),
    "LT": ("(.*aa.*)|~(.*bb.*)", "a word that has aa or does not have bb (locally 2-testable)"),
    "PT": ("(.*a.*b.*)|~(.*b.*c.*)", "a word with an a before a b, or with no b before a c (piecewise 2-testable)"),
    "LTT": ("(.*ab.*ab.*)", "a word in which ab occurs at least twice (locally threshold testable)"),
    "SF": ("[abc]*ac*", "a word whose last symbol other than c is a (star-free)"),
    "Zp": ("[bc]*(a[bc]*a[bc]*a[bc]*)*", "a word whose number of as is a multiple of three (the group Z₃)"),
    "Reg": ("([bc]*(a[bc]*a[bc]*)*)&~(.*bb.*)", "a word with an even number of as and without bb (no smaller class)"),
}


def subregular(name: str) -> NextSymbols:
    """Return an example of a class of regular languages as a task."""
    regex, what = SUBREGULAR[name]
    language = compile_regex(regex, alphabet="abc")
    return _next_symbols(language, shortest_name("subregular", [name], ["SL"]), what, "after arXiv 2304.07687")


FAMILIES: tuple[Family, ...] = (
    Family(
        name="block_alternation",
        group=Group.LANGUAGES,
        make=block_alternation,
        parameters=(Parameter(name="blocks", default=3, meaning="the number of blocks", low=1, high=20),),
    ),
    Family(
        name="dyck_bounded",
        group=Group.LANGUAGES,
        make=dyck_bounded,
        parameters=(
            Parameter(name="types", default=2, meaning="the number of types of brackets", low=1, high=9),
            Parameter(name="depth", default=3, meaning="how deep they may be nested", low=1, high=100),
        ),
    ),
    Family(
        name="random_regular",
        group=Group.LANGUAGES,
        make=random_regular,
        parameters=(
            Parameter(name="seed", default=0, meaning="the number of the automaton", low=0, high=999_999),
            Parameter(name="states", default=5, meaning="how many states it has", low=2, high=10),
        ),
    ),
    Family(
        name="subregular",
        group=Group.LANGUAGES,
        make=subregular,
        parameters=(
            Parameter(name="class", default="SL", meaning="a class of regular languages", words=tuple(SUBREGULAR)),
        ),
    ),
)
