"""Regular expressions as pure data: what the parser returns and the automaton is made from."""

from __future__ import annotations

from dataclasses import dataclass

from .dfa import DFA


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbols:
    """One symbol out of a set, in order."""

    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concatenation:
    """The parts one after the other; no part at all is the empty word."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """Any one of the parts."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """The part at least ``least`` and at most ``most`` times; None is without bound."""

    part: Regex
    least: int
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intersection:
    """All of the parts at once."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complement:
    """Every word over the alphabet but those of the part."""

    part: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """The words of the part read backwards."""

    part: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class RightQuotient:
    """{u : uv in the whole for some v in the end}."""

    whole: Regex
    end: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftQuotient:
    """{v : uv in the whole for some u in the beginning}."""

    beginning: Regex
    whole: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Automaton:
    """A language that is an automaton already: never read, but put by the compiler where positions do not reach."""

    language: DFA
    num_positions: int


Regex = (
    Symbols
    | Concatenation
    | Union
    | Repetition
    | Intersection
    | Complement
    | Reversal
    | RightQuotient
    | LeftQuotient
    | Automaton
)

EMPTY_WORD = Concatenation(parts=())


def parts_of(tree: Regex) -> tuple[Regex, ...]:
    """Return the parts of a tree, from left to right."""
    match tree:
        case Symbols() | Automaton():
            return ()
        case Concatenation() | Union() | Intersection():
            return tree.parts
        case Repetition() | Complement() | Reversal():
            return (tree.part,)
        case RightQuotient():
            return tree.whole, tree.end
        case LeftQuotient():
            return tree.beginning, tree.whole


def survey(tree: Regex) -> tuple[set[str], bool]:
    """Return the symbols that a tree uses, and whether it is plain: its only operators are those of positions."""
    used: set[str] = set()
    plain = True
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Symbols):
            used.update(node.symbols)
        elif isinstance(node, Concatenation | Union):
            stack.extend(node.parts)
        elif isinstance(node, Repetition):
            stack.append(node.part)
        else:
            plain = False
            stack.extend(parts_of(node))
    return used, plain


def is_plain(tree: Regex) -> bool:
    """Say whether a tree has only unions, concatenations and repetitions, so that positions are all it needs."""
    return survey(tree)[1]


def reversed_tree(tree: Regex) -> Regex:
    """Return the tree of the words read backwards; no reversal is added, because every operator has its mirror image."""
    match tree:
        case Symbols():
            return tree
        case Concatenation():
            return Concatenation(parts=tuple(map(reversed_tree, tree.parts[::-1])))
        case Union():
            return Union(parts=tuple(map(reversed_tree, tree.parts)))
        case Intersection():
            return Intersection(parts=tuple(map(reversed_tree, tree.parts)))
        case Repetition():
            return Repetition(part=reversed_tree(tree.part), least=tree.least, most=tree.most)
        case Complement():
            return Complement(part=reversed_tree(tree.part))
        case Reversal():
            return tree.part
        case RightQuotient():
            return LeftQuotient(beginning=reversed_tree(tree.end), whole=reversed_tree(tree.whole))
        case LeftQuotient():
            return RightQuotient(whole=reversed_tree(tree.whole), end=reversed_tree(tree.beginning))
        case Automaton():
            raise AssertionError("the compiler turns a tree around before it puts automata into it")


def num_positions(tree: Regex) -> int:
    """Return how many symbols stand there once all counts are written out."""
    match tree:
        case Symbols():
            return 1
        case Automaton():
            return tree.num_positions
        case Repetition():
            return num_positions(tree.part) * max(tree.least, tree.most or 1)
        case Concatenation() | Union():
            return sum([num_positions(part) for part in tree.parts])
        case _:
            raise AssertionError("the compiler leaves no other operator")
