"""What would make a language easier: each repair is a new language or a new reading, and is decided before it is offered.

Three kinds of repair are tried on a regular language. *Read the last symbol*: ask where the last symbol is seen instead of
at an end marker. *Tell changes apart*: give a symbol a name of its own for each way it changes the state, as a scratchpad does
that writes the running state, as when a quote becomes an opening and a closing one, or a log says from what to what. *End each item*: where
the language repeats something, put a delimiter behind each repetition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, islice

from ..budget import checkpoint
from ..crasp.fragments import Fragment, Readout
from ..errors import LengthwiseError, OutOfTimeError
from ..languages.components import strong_components
from ..languages.dfa import DFA
from ..languages.dfa_algebra import over_alphabet
from ..languages.regex import compile_regex
from ..languages.regex_parser import parse_regex
from ..languages.regex_tree import Repetition
from .claims import Answer
from .deciders import decide
from .facts import Facts
from .verdict import Verdict

DELIMITER = ";"
MAX_SPLIT_STATES = 400
MAX_SPLIT_TRIES = 60
MAX_SPLIT_NAMES = 12  # of one symbol; nobody would write an input with more

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A change, in a sentence, with the language it leads to and the verdict about that."""

    kind: str
    advice: str
    language: DFA
    verdict: Verdict

    def sentence(self) -> str:
        """Return the change, and what was decided about it."""
        level = "" if self.verdict.level is None else f", level {self.verdict.level}"
        return f"{self.advice} Decided: YES for {self.verdict.fragment.notation}{level}."


def find_repairs(
    language: DFA, fragment: Fragment, *, readout: Readout = Readout.END_MARKER, text: str | None = None
) -> list[Repair]:
    """Return repairs after which the fragment has the language, at a lower level than before if it had it already.

    ``text`` is the regular expression of the language, if it has one, for repairs that change how it is written. Where a
    budget of CPU time is open and runs out, the repairs are those found so far.
    """
    found: list[Repair] = []
    with suppress(OutOfTimeError):
        found.extend(_repairs(language, fragment, readout, text))
    return found


def _repairs(language: DFA, fragment: Fragment, readout: Readout, text: str | None) -> Iterator[Repair]:
    before = decide(Facts(language=language), fragment, readout)
    worst = before.level if before.answer is Answer.YES else None

    def helps(verdict: Verdict) -> bool:
        if verdict.answer is not Answer.YES:
            return False
        return worst is None or (verdict.level is not None and verdict.level < worst)

    if readout is Readout.END_MARKER:
        seen = decide(Facts(language=language), fragment, Readout.LAST_SYMBOL)
        if helps(seen):
            advice = "read the answer at the last symbol, not at a separator after it."
            yield Repair(kind="readout", advice=advice, language=language, verdict=seen)
    for symbols in _candidates(language):
        checkpoint()
        split, names = split_symbols(language, symbols)
        verdict = decide(Facts(language=split), fragment, readout)
        if helps(verdict):
            yield Repair(kind="changes", advice=_split_advice(names), language=split, verdict=verdict)
            break
    checkpoint()
    yield from (each for each in _delimited(language, text, fragment, readout) if helps(each.verdict))


def split_symbols(language: DFA, symbols: tuple[int, ...]) -> tuple[DFA, dict[str, list[str]]]:
    """Return the language in which each of these symbols has a name for every change it makes within a component.

    Sources that no count needs to tell apart share a name: two states share one if the symbol keeps both where they are, or
    moves both in the same way along a cycle of two. Read anywhere else, a name leads nowhere.
    """
    components = strong_components(language.transitions)
    component_of = {state: number for number, component in enumerate(components) for state in component}
    sink = language.num_states
    columns: list[tuple[str, list[int]]] = []
    names: dict[str, list[str]] = {}
    for number, symbol in enumerate(language.alphabet):
        column = [row[number] for row in language.transitions]
        if number not in symbols:
            columns.append((symbol, [*column, sink]))
            continue
        kinds = _changes(column, component_of)
        names[symbol] = []
        for place, states in enumerate(kinds.values(), start=1):
            name = f"{symbol}{str(place).translate(_SUBSCRIPTS)}"
            names[symbol].append(name)
            columns.append((name, [*(column[state] if state in states else sink for state in range(sink)), sink]))
    columns.sort()
    rows = [[targets[state] for _, targets in columns] for state in range(sink + 1)]
    return DFA(alphabet=[name for name, _ in columns], transitions=rows, accepting=language.accepting), names


def _changes(column: Sequence[int], component_of: Mapping[int, int]) -> dict[object, list[int]]:
    """Return the ways in which a symbol changes the state within a component, each with the states where it does."""
    kinds: dict[object, list[int]] = {}
    for state, target in enumerate(column):
        inside = component_of[state] == component_of[target] and state != target
        kinds.setdefault(_change(column, state) if inside else "keeps", []).append(state)
    return kinds


def _change(column: Sequence[int], state: int) -> object:
    """Return what a symbol does at a state: a swap is told by its direction, anything else by source and target."""
    target = column[state]
    if column[target] == state:
        return "up" if state < target else "down"
    return (state, target)


def _candidates(language: DFA) -> list[tuple[int, ...]]:
    """Return sets of symbols to split, small ones first: those that move a state within a component."""
    if language.num_states > MAX_SPLIT_STATES:
        return []
    components = strong_components(language.transitions)
    component_of = {state: number for number, component in enumerate(components) for state in component}

    def moves(column: Sequence[int]) -> bool:
        return any(
            target != state and component_of[target] == component_of[state] for state, target in enumerate(column)
        )

    columns = list(zip(*language.transitions, strict=True))
    moving = [number for number, column in enumerate(columns) if moves(column)]
    few_names = {number for number in moving if len(_changes(columns[number], component_of)) <= MAX_SPLIT_NAMES}
    sets = (chosen for size in range(1, len(moving) + 1) for chosen in combinations(moving, size))
    few = list(islice(sets, MAX_SPLIT_TRIES))
    if moving and tuple(moving) not in few:
        few.append(tuple(moving))  # all of them together always help
    return [chosen for chosen in few if few_names.issuperset(chosen)]


def _split_advice(names: dict[str, list[str]]) -> str:
    parts = [f"{symbol} as {' or '.join(new)}" for symbol, new in names.items()]
    return (
        f"write the running state beside each symbol (a scratchpad): {'; '.join(parts)}, by how it changes the state."
    )


def _delimited(language: DFA, text: str | None, fragment: Fragment, readout: Readout) -> list[Repair]:
    """Return the repair that ends each repetition of an expression with a delimiter, if the expression is one."""
    if text is None or not text.endswith("*") or DELIMITER in text or DELIMITER in language.alphabet:
        return []
    try:
        tree = parse_regex(text)
        delimited = compile_regex(f"({text[:-1]}{DELIMITER})*")
    except LengthwiseError:  # "any symbol" would take in the delimiter too
        return []
    if not isinstance(tree, Repetition) or (tree.least, tree.most) != (0, None):
        return []
    delimited = over_alphabet(delimited, (*language.alphabet, DELIMITER))
    verdict = decide(Facts(language=delimited), fragment, readout)
    advice = f"end each repetition with a delimiter: ({text[:-1]}{DELIMITER})*."
    return [Repair(kind="delimiter", advice=advice, language=delimited, verdict=verdict)]
