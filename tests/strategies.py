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

from lengthwise.languages import regex_tree
from lengthwise.languages.dfa import DFA

COUNTS: tuple[tuple[int, int | None], ...] = ((0, None), (1, None), (0, 1), (2, 2), (0, 2), (1, 3), (2, None), (0, 0))
SIGNS = {(0, None): "*", (1, None): "+", (0, 1): "?"}
SPECIAL = frozenset("()[]{}|*+?.\\^$-~&/>")

Loose = (
    regex_tree.Union | regex_tree.Intersection | regex_tree.RightQuotient | regex_tree.LeftQuotient
)  # what binds less tightly than concatenation


def all_words(alphabet: str, max_length: int) -> Iterator[str]:
    """Yield every word up to a length, the shorter first."""
    for length in range(max_length + 1):
        yield from map("".join, itertools.product(alphabet, repeat=length))


def render(tree: regex_tree.Regex) -> str:
    """Return the text of a tree, with a group wherever one could be needed."""
    match tree:
        case regex_tree.Symbols():
            escaped = [show_symbol(symbol) for symbol in tree.symbols]
            return escaped[0] if len(escaped) == 1 else f"[{''.join(escaped)}]"
        case regex_tree.Concatenation():
            return "".join(_grouped(part, Loose) for part in tree.parts) or "()"
        case regex_tree.Union():
            return "|".join(map(render, tree.parts))
        case regex_tree.Intersection():
            return "&".join(_grouped(part, regex_tree.Union) for part in tree.parts)
        case regex_tree.RightQuotient():
            return f"{_grouped(tree.whole, Loose)}/{_grouped(tree.end, Loose)}"
        case regex_tree.LeftQuotient():
            return f"{_grouped(tree.beginning, Loose)}//{_grouped(tree.whole, Loose)}"
        case regex_tree.Complement():
            return "~" + _grouped(tree.part, Loose | regex_tree.Concatenation | regex_tree.Complement)
        case regex_tree.Reversal() | regex_tree.Repetition():
            inside = render(tree.part) if isinstance(tree.part, regex_tree.Symbols) else f"({render(tree.part)})"
            return inside + ("^R" if isinstance(tree, regex_tree.Reversal) else show_count(tree.least, tree.most))
        case _:
            raise AssertionError(tree)


def _grouped(tree: regex_tree.Regex, kinds: Any) -> str:
    return f"({render(tree)})" if isinstance(tree, kinds) else render(tree)


def show_symbol(symbol: str) -> str:
    """Return a symbol as an expression writes it."""
    special = SPECIAL if len(symbol) == 1 else "\\>"
    escaped = "".join("\\" * (character in special) + character for character in symbol)
    return escaped if len(symbol) == 1 else f"\\<{escaped}>"


def show_count(least: int, most: int | None) -> str:
    """Return a repetition's sign or count."""
    if (least, most) in SIGNS:
        return SIGNS[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def words_of(tree: regex_tree.Regex, max_length: int, alphabet: str = "ab") -> frozenset[str]:
    """Return the words up to a length that a tree describes, by the definition of each operation.

    The alphabet is for complements. Of the two sides of a quotient, one must be finite.
    """
    match tree:
        case regex_tree.Symbols():
            return frozenset(symbol for symbol in tree.symbols if len(symbol) <= max_length)
        case regex_tree.Union():
            return frozenset().union(*(words_of(part, max_length, alphabet) for part in tree.parts))
        case regex_tree.Intersection():
            return frozenset.intersection(*(words_of(part, max_length, alphabet) for part in tree.parts))
        case regex_tree.Complement():
            return frozenset(all_words(alphabet, max_length)) - words_of(tree.part, max_length, alphabet)
        case regex_tree.Reversal():
            return frozenset(word[::-1] for word in words_of(tree.part, max_length, alphabet))
        case regex_tree.Concatenation():
            words = frozenset([""])
            for part in tree.parts:
                words = _joined(words, words_of(part, max_length, alphabet), max_length)
            return words
        case regex_tree.Repetition():
            part = words_of(tree.part, max_length, alphabet)
            power = frozenset([""])
            for _ in range(tree.least):
                power = _joined(power, part, max_length)
            found = power
            # a part adds a symbol or nothing, so that more than max_length further copies add no word
            for _ in range(max_length if tree.most is None else min(max_length, tree.most - tree.least)):
                power = _joined(power, part, max_length)
                found |= power
            return found
        case regex_tree.RightQuotient():
            whole, ends = _quotient_sides(tree.whole, tree.end, max_length, alphabet)
            found = frozenset(word.removesuffix(end) for word in whole for end in ends if word.endswith(end))
        case regex_tree.LeftQuotient():
            whole, beginnings = _quotient_sides(tree.whole, tree.beginning, max_length, alphabet)
            found = frozenset(word.removeprefix(one) for word in whole for one in beginnings if word.startswith(one))
        case _:
            raise AssertionError(tree)
    return frozenset(word for word in found if len(word) <= max_length)


def _quotient_sides(
    whole: regex_tree.Regex, cut: regex_tree.Regex, max_length: int, alphabet: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Return all words of the whole and of what is cut off that matter for words up to a length."""
    longest_cut = longest(cut)
    if longest_cut is None:
        longest_cut = longest(whole)
    assert longest_cut is not None, "no bound on what is cut off"
    return words_of(whole, max_length + longest_cut, alphabet), words_of(cut, longest_cut, alphabet)


def longest(tree: regex_tree.Regex) -> int | None:
    """Return a bound on the length of the words of a tree, or None when the operators give none."""
    match tree:
        case regex_tree.Symbols():
            return 1
        case regex_tree.Complement():
            return None
        case regex_tree.Reversal():
            return longest(tree.part)
        case regex_tree.RightQuotient() | regex_tree.LeftQuotient():
            return longest(tree.whole)
        case regex_tree.Repetition():
            part = longest(tree.part)
            if part == 0 or tree.most == 0:
                return 0
            return None if part is None or tree.most is None else part * tree.most
        case regex_tree.Intersection():
            return min((bound for part in tree.parts if (bound := longest(part)) is not None), default=None)
        case regex_tree.Union() | regex_tree.Concatenation():
            bounds = [longest(part) for part in tree.parts]
            known = [bound for bound in bounds if bound is not None]
            if len(known) < len(bounds):
                return None
            return max(known) if isinstance(tree, regex_tree.Union) else sum(known)
        case _:
            raise AssertionError(tree)


def _joined(left: frozenset[str], right: frozenset[str], max_length: int) -> frozenset[str]:
    return frozenset(one + two for one in left for two in right if len(one) + len(two) <= max_length)


def random_tree(rng: Random, depth: int, alphabet: str) -> regex_tree.Regex:
    """Return a random tree of at most this depth."""
    kind = rng.choice(
        ["symbol"] if depth == 0 else ["symbol", "class", "empty", *["concatenation", "union", "repetition"] * 3]
    )
    match kind:
        case "symbol":
            return regex_tree.Symbols(symbols=(rng.choice(alphabet),))
        case "class":
            return regex_tree.Symbols(symbols=tuple(sorted(rng.sample(alphabet, rng.randint(1, len(alphabet))))))
        case "empty":
            return regex_tree.EMPTY_WORD
        case "repetition":
            least, most = rng.choice(COUNTS)
            return regex_tree.Repetition(part=random_tree(rng, depth - 1, alphabet), least=least, most=most)
    parts = tuple(random_tree(rng, depth - 1, alphabet) for _ in range(rng.randint(2, 3)))
    return regex_tree.Union(parts=parts) if kind == "union" else regex_tree.Concatenation(parts=parts)


def random_operator_tree(rng: Random, depth: int, alphabet: str) -> regex_tree.Regex:
    """Return a random tree with intersections, complements, reversals and quotients by a few short words."""

    def part() -> regex_tree.Regex:
        return random_operator_tree(rng, depth - 1, alphabet)

    plain = ["concatenation", "union", "repetition"]
    others = ["intersection", "complement", "reversal", "right quotient", "left quotient"]
    match rng.choice([*plain, *others]) if depth else "leaf":
        case "concatenation":
            return regex_tree.Concatenation(parts=(part(), part()))
        case "union":
            return regex_tree.Union(parts=(part(), part()))
        case "repetition":
            least, most = rng.choice(COUNTS)
            return regex_tree.Repetition(part=part(), least=least, most=most)
        case "intersection":
            return regex_tree.Intersection(parts=(part(), part()))
        case "complement":
            return regex_tree.Complement(part=part())
        case "reversal":
            return regex_tree.Reversal(part=part())
        case "right quotient":
            return regex_tree.RightQuotient(whole=part(), end=random_short_words(rng, alphabet))
        case "left quotient":
            return regex_tree.LeftQuotient(beginning=random_short_words(rng, alphabet), whole=part())
    return random_tree(rng, 1, alphabet)


def random_short_words(rng: Random, alphabet: str) -> regex_tree.Regex:
    """Return a tree of one or two words of one or two symbols."""
    return regex_tree.Union(
        parts=tuple(
            regex_tree.Concatenation(
                parts=tuple(
                    regex_tree.Symbols(symbols=(symbol,)) for symbol in rng.choices(alphabet, k=rng.randint(1, 2))
                )
            )
            for _ in range(rng.randint(1, 2))
        )
    )


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


def regex_trees(alphabet: str = "ab") -> st.SearchStrategy[regex_tree.Regex]:
    """Expressions as trees."""
    symbols = st.sets(st.sampled_from(alphabet), min_size=1).map(
        lambda chosen: regex_tree.Symbols(symbols=tuple(sorted(chosen)))
    )

    def larger(smaller: st.SearchStrategy[regex_tree.Regex]) -> st.SearchStrategy[regex_tree.Regex]:
        parts = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            parts.map(lambda chosen: regex_tree.Concatenation(parts=chosen)),
            parts.map(lambda chosen: regex_tree.Union(parts=chosen)),
            st.builds(
                lambda part, count: regex_tree.Repetition(part=part, least=count[0], most=count[1]),
                smaller,
                st.sampled_from(COUNTS),
            ),
        )

    return st.recursive(st.one_of(symbols, st.just(regex_tree.EMPTY_WORD)), larger, max_leaves=8)


def operator_trees(alphabet: str = "ab") -> st.SearchStrategy[regex_tree.Regex]:
    """Expressions as trees, with every operator; what a quotient cuts off is finite."""
    symbols = st.sets(st.sampled_from(alphabet), min_size=1).map(
        lambda chosen: regex_tree.Symbols(symbols=tuple(sorted(chosen)))
    )
    words = st.lists(symbols, max_size=2).map(lambda parts: regex_tree.Concatenation(parts=tuple(parts)))
    finite = st.one_of(words, st.tuples(words, words).map(lambda parts: regex_tree.Union(parts=parts)))

    def larger(smaller: st.SearchStrategy[regex_tree.Regex]) -> st.SearchStrategy[regex_tree.Regex]:
        pairs = st.tuples(smaller, smaller)
        return st.one_of(
            pairs.map(lambda chosen: regex_tree.Concatenation(parts=chosen)),
            pairs.map(lambda chosen: regex_tree.Union(parts=chosen)),
            pairs.map(lambda chosen: regex_tree.Intersection(parts=chosen)),
            smaller.map(lambda part: regex_tree.Complement(part=part)),
            smaller.map(lambda part: regex_tree.Reversal(part=part)),
            smaller.map(lambda part: regex_tree.Repetition(part=part, least=0, most=None)),
            st.builds(lambda whole, end: regex_tree.RightQuotient(whole=whole, end=end), smaller, finite),
            st.builds(
                lambda beginning, whole: regex_tree.LeftQuotient(beginning=beginning, whole=whole), finite, smaller
            ),
        )

    return st.recursive(st.one_of(symbols, st.just(regex_tree.EMPTY_WORD)), larger, max_leaves=6)


def regex_texts(alphabet: str = "ab") -> st.SearchStrategy[str]:
    """Expressions as text."""
    return regex_trees(alphabet).map(render)
