"""What random tests are made of: words, automata and regular expressions.

Hypothesis strategies for laws, and plain generators on a seeded ``random.Random`` for comparisons and benchmarks.
Expressions are made as trees, the package's own data, and rendered to its syntax. ``words_of`` is the obvious meaning
of a tree, as a set of words; it shares nothing with the automata.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex_tree import EMPTY_WORD, Concatenation, Regex, Repetition, Symbols, Union

COUNTS: tuple[tuple[int, int | None], ...] = ((0, None), (1, None), (0, 1), (2, 2), (0, 2), (1, 3), (2, None), (0, 0))
SIGNS = {(0, None): "*", (1, None): "+", (0, 1): "?"}
SPECIAL = frozenset("()[]{}|*+?.\\^$-")


def all_words(alphabet: str, max_length: int) -> Iterator[str]:
    """Yield every word up to a length, the shorter first."""
    for length in range(max_length + 1):
        yield from map("".join, itertools.product(alphabet, repeat=length))


def render(tree: Regex) -> str:
    """Return the text of a tree, with a group wherever one could be needed."""
    match tree:
        case Symbols():
            escaped = ["\\" * (symbol in SPECIAL) + symbol for symbol in tree.symbols]
            return escaped[0] if len(escaped) == 1 else f"[{''.join(escaped)}]"
        case Concatenation():
            return (
                "".join(f"({render(part)})" if isinstance(part, Union) else render(part) for part in tree.parts) or "()"
            )
        case Union():
            return "|".join(map(render, tree.parts))
        case Repetition():
            inside = render(tree.part) if isinstance(tree.part, Symbols) else f"({render(tree.part)})"
            return inside + show_count(tree.least, tree.most)


def show_count(least: int, most: int | None) -> str:
    """Return a repetition's sign or count."""
    if (least, most) in SIGNS:
        return SIGNS[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def words_of(tree: Regex, max_length: int) -> frozenset[str]:
    """Return the words up to a length that a tree describes, by the definition of each operation."""
    match tree:
        case Symbols():
            return frozenset(symbol for symbol in tree.symbols if len(symbol) <= max_length)
        case Union():
            return frozenset().union(*(words_of(part, max_length) for part in tree.parts))
        case Concatenation():
            words = frozenset([""])
            for part in tree.parts:
                words = _joined(words, words_of(part, max_length), max_length)
            return words
        case Repetition():
            part = words_of(tree.part, max_length)
            power = frozenset([""])
            for _ in range(tree.least):
                power = _joined(power, part, max_length)
            found = power
            # a part adds a symbol or nothing, so that more than max_length further copies add no word
            for _ in range(max_length if tree.most is None else min(max_length, tree.most - tree.least)):
                power = _joined(power, part, max_length)
                found |= power
            return found


def _joined(left: frozenset[str], right: frozenset[str], max_length: int) -> frozenset[str]:
    return frozenset(one + two for one in left for two in right if len(one) + len(two) <= max_length)


def random_tree(rng: Random, depth: int, alphabet: str) -> Regex:
    """Return a random tree of at most this depth."""
    kind = rng.choice(
        ["symbol"] if depth == 0 else ["symbol", "class", "empty", *["concatenation", "union", "repetition"] * 3]
    )
    match kind:
        case "symbol":
            return Symbols(symbols=(rng.choice(alphabet),))
        case "class":
            return Symbols(symbols=tuple(sorted(rng.sample(alphabet, rng.randint(1, len(alphabet))))))
        case "empty":
            return EMPTY_WORD
        case "repetition":
            least, most = rng.choice(COUNTS)
            return Repetition(part=random_tree(rng, depth - 1, alphabet), least=least, most=most)
    parts = tuple(random_tree(rng, depth - 1, alphabet) for _ in range(rng.randint(2, 3)))
    return Union(parts=parts) if kind == "union" else Concatenation(parts=parts)


def random_regex(rng: Random, depth: int, alphabet: str) -> str:
    """Return the text of a random expression of at most this depth."""
    return render(random_tree(rng, depth, alphabet))


def random_table(rng: Random, num_states: int, alphabet: str) -> dict[str, Any]:
    """Return the arguments of a random complete automaton: neither minimal nor, as a rule, all reachable."""
    return {
        "alphabet": alphabet,
        "transitions": [[rng.randrange(num_states) for _ in alphabet] for _ in range(num_states)],
        "accepting": [state for state in range(num_states) if rng.random() < 0.5],
    }


def random_dfa(rng: Random, num_states: int, alphabet: str) -> DFA:
    """Return the language of a random automaton with this many states before it is made minimal."""
    return DFA(**random_table(rng, num_states, alphabet))


def words(alphabet: str, max_size: int = 8) -> st.SearchStrategy[str]:
    """Words over an alphabet of one-character symbols."""
    return st.text(alphabet=alphabet, max_size=max_size)


@st.composite
def tables(draw: st.DrawFn, alphabet: str = "ab", max_states: int = 6) -> dict[str, Any]:
    """The arguments of complete automata, neither minimal nor canonical."""
    num_states = draw(st.integers(1, max_states))
    state = st.integers(0, num_states - 1)
    row = st.lists(state, min_size=len(alphabet), max_size=len(alphabet))
    return {
        "alphabet": alphabet,
        "transitions": draw(st.lists(row, min_size=num_states, max_size=num_states)),
        "accepting": sorted(draw(st.sets(state))),
        "initial": draw(state),
    }


def automata(alphabet: str = "ab", max_states: int = 6) -> st.SearchStrategy[DFA]:
    """Regular languages, by way of random automata."""
    return tables(alphabet, max_states).map(lambda table: DFA(**table))


def regex_trees(alphabet: str = "ab") -> st.SearchStrategy[Regex]:
    """Expressions as trees."""
    symbols = st.sets(st.sampled_from(alphabet), min_size=1).map(lambda chosen: Symbols(symbols=tuple(sorted(chosen))))

    def larger(smaller: st.SearchStrategy[Regex]) -> st.SearchStrategy[Regex]:
        parts = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            parts.map(lambda chosen: Concatenation(parts=chosen)),
            parts.map(lambda chosen: Union(parts=chosen)),
            st.builds(
                lambda part, count: Repetition(part=part, least=count[0], most=count[1]),
                smaller,
                st.sampled_from(COUNTS),
            ),
        )

    return st.recursive(st.one_of(symbols, st.just(EMPTY_WORD)), larger, max_leaves=8)


def regex_texts(alphabet: str = "ab") -> st.SearchStrategy[str]:
    """Expressions as text."""
    return regex_trees(alphabet).map(render)
