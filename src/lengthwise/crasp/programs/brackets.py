"""Brackets and expressions: languages that one or two counters tell, in plain C-RASP."""

from __future__ import annotations

from itertools import accumulate
from random import Random

from ...languages.catalog import bounded_dyck as bounded_dyck_automaton
from .entry import HUANG, OURS, Acceptor, Family, Regular, Rule, acceptors, integer_argument
from .samplers import balanced, interleaved
from .templates import all_of, any_of, lines, quoted, symbol_among

PAIRS = ("()", "[]", "{}", "<>")


def _depths(word: str, pair: str = "()") -> list[int]:
    """Return how many brackets of a pair are open after every symbol."""
    return list(accumulate((symbol == pair[0]) - (symbol == pair[1]) for symbol in word))


def _is_balanced(word: str, pair: str = "()") -> bool:
    depths = _depths(word, pair)
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _is_nested(word: str, depth: int) -> bool:
    """Return whether brackets of two types match, at most so deep, with a stack."""
    stack: list[str] = []
    for symbol in word:
        if symbol in "([":
            stack.append(symbol)
        elif not stack or stack.pop() + symbol not in PAIRS:
            return False
        if len(stack) > depth:
            return False
    return not stack


def _nested_member(random: Random, length: int, depth: int) -> str:
    stack: list[str] = []
    word = ""
    while len(word) + len(stack) < length or stack:
        opens = len(stack) < depth and len(word) + len(stack) < length - 1 and (not stack or random.random() < 0.5)
        if opens:
            pair = random.choice(PAIRS[:2])
            word += pair[0]
            stack.append(pair[1])
        elif stack:
            word += stack.pop()
        else:
            break
    return word


DYCK = acceptors(
    "brackets",
    {
        "dyck_1": Rule(
            contains=_is_balanced,
            member=lambda random, length: balanced(random, length, "(", ")"),
        ),
        "prime_dyck": Rule(
            contains=lambda word: _is_balanced(word) and 0 not in _depths(word)[:-1],
            member=lambda random, length: "(" + balanced(random, length - 2, "(", ")") + ")",
        ),
        "postfix_expression": Rule(
            contains=lambda word: _is_postfix(word), member=lambda random, length: _postfix(random, length)
        ),
    },
)


def _is_postfix(word: str) -> bool:
    """Return whether a word reduces to one x when xx+ is replaced by x."""
    while "xx+" in word:
        word = word.replace("xx+", "x")
    return word == "x"


def _postfix(random: Random, length: int) -> str:
    left = random.randint(0, length // 2) if length > 2 else 0
    stack = ["x"] * (left + 1)
    while len(stack) > 1:
        at = random.randrange(len(stack) - 1)
        stack[at : at + 2] = [stack[at] + stack[at + 1] + "+"]
    return stack[0]


def shuffle_dyck(text: str) -> Acceptor:
    """Return the program with one counter for every type of bracket."""
    types = integer_argument("shuffle_dyck", text, low=2, high=len(PAIRS))
    pairs = PAIRS[:types]
    depths = [f"depth_{number} := #['{pair[0]}'] - #['{pair[1]}']" for number, pair in enumerate(pairs, 1)]
    return Acceptor(
        name="shuffle_dyck",
        argument=str(types),
        definition=f"brackets of {types} types that balance, each type by itself",
        source="arXiv 2009.11264",
        code=lines(
            f"alphabet {quoted(''.join(pairs))}",
            "read at end",
            *depths,
            f"below := {any_of(f'depth_{number} < 0' for number in range(1, types + 1))}",
            f"accept := #[below] = 0 and {all_of(f'depth_{number} = 0' for number in range(1, types + 1))}",
        ),
        language=Rule(
            contains=lambda word: all(_is_balanced(word, pair) for pair in pairs),
            member=lambda random, length: interleaved(
                random, [balanced(random, length // types, pair[0], pair[1]) for pair in pairs]
            ),
        ),
    )


def bounded_dyck(text: str) -> Acceptor:
    """Return the program for D_n."""
    depth = integer_argument("bounded_dyck", text, low=1, high=1000)
    return Acceptor(
        name="bounded_dyck",
        argument=str(depth),
        definition=f"a opens, b closes: balanced, nested at most {depth} deep",
        source=HUANG,
        code=lines(
            "alphabet 'a' 'b'",
            "read at end",
            "depth := #['a'] - #['b']",
            f"bad := depth < 0 or depth > {depth}",
            "accept := #[bad] = 0 and depth = 0",
        ),
        language=Regular(build=lambda: bounded_dyck_automaton(depth)),
    )


def two_type_dyck(text: str) -> Acceptor:
    """Return the program that counts, for every level, whether the bracket that is open there is a round one.

    Before a symbol that closes level n, ``round_n`` is 1 if the bracket to be closed is round and 0 if it is square. That
    is right as long as no symbol was bad, and the first bad symbol decides.
    """
    depth = integer_argument("two_type_dyck", text, low=1, high=8)
    levels = range(1, depth + 1)
    return Acceptor(
        name="two_type_dyck",
        argument=str(depth),
        definition=f"matching brackets of two types, nested at most {depth} deep",
        source=OURS,
        code=lines(
            f"alphabet {quoted('()[]')}",
            "read at end",
            "// before the symbol: how deep it stands, and for each level, whether a round bracket is open there",
            "depth := #<['(' or '['] - #<[')' or ']']",
            *(f"round_{level} := #<['(' and depth = {level - 1}] - #<[')' and depth = {level}]" for level in levels),
            f"round_open := {any_of(f'depth = {level} and round_{level} = 1' for level in levels)}",
            f"square_open := {any_of(f'depth = {level} and round_{level} = 0' for level in levels)}",
            f"too_deep := ('(' or '[') and depth >= {depth}",
            "bad := too_deep or ')' and not round_open or ']' and not square_open",
            "accept := #[bad] = 0 and depth = 0",
        ),
        language=Rule(
            contains=lambda word: _is_nested(word, depth),
            member=lambda random, length: _nested_member(random, length, depth),
        ),
    )


def boolean_expression(text: str) -> Acceptor:
    """Return the program that counts how many arguments are still missing."""
    most = integer_argument("boolean_expression", text, low=1, high=8)
    operators = "abcdefgh"[:most]
    missing = "".join(
        f" + {'' if arity == 2 else f'{arity - 1}*'}#['{operator}']"
        for arity, operator in enumerate(operators, 1)
        if arity > 1
    )
    return Acceptor(
        name="boolean_expression",
        argument=str(most),
        definition=f"expressions in prefix notation over 0, 1 and operators of 1 to {most} arguments: a takes one, b two, …",
        source="arXiv 2009.11264",
        code=lines(
            f"alphabet {quoted('01' + operators)}",
            "read at last",
            f"missing := 1{missing} - #[{symbol_among('01')}]",
            "accept := missing = 0 and #[missing <= 0] = 1",
        ),
        language=Rule(
            contains=lambda word: _is_expression(word, operators),
            member=lambda random, length: _expression(random, length, operators),
        ),
    )


def _is_expression(word: str, operators: str) -> bool:
    """Return whether a word, read from the right, combines to one value."""
    values = 0
    for symbol in reversed(word):
        arity = operators.find(symbol) + 1
        if values < arity:
            return False
        values += 1 - arity
    return values == 1


def _expression(random: Random, length: int, operators: str) -> str:
    missing = 1
    word = ""
    while missing:
        symbol = random.choice("01" if len(word) + missing >= length else "01" + operators * 2)
        missing += operators.find(symbol)  # −1 for a value, one less than its arity for an operator
        word += symbol
    return word


FAMILIES = (
    Family(name="shuffle_dyck", default="2", build=shuffle_dyck),
    Family(name="bounded_dyck", default="2", build=bounded_dyck),
    Family(name="two_type_dyck", default="2", build=two_type_dyck),
    Family(name="boolean_expression", default="3", build=boolean_expression),
)
