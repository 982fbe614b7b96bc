"""Regular expressions over an ordered alphabet.

Syntax, tightest first::

    a  \\*  [abc]  [a-z]  [^ab]  .  ( … )  ()     a symbol, an escaped one, classes, any symbol, a group, the empty word
    x*  x+  x?  x{3}  x{2,}  x{2,4}              repetition
    xy                                           concatenation
    x|y                                          union

The whole word must match, so there are no anchors. ``.`` and ``[^…]`` need a given alphabet. A brace that opens
no count is a literal brace. :func:`parse_regex` returns pure data, :func:`compile_regex` the automaton.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import RegexSyntaxError, UnknownSymbolError
from .alphabet import Alphabet, make_alphabet, show_alphabet
from .dfa import DFA
from .positions import Positions, determinize
from .regex_tree import Concatenation, Regex, Repetition, Symbols, Union, leaves

MAX_STATES = 10_000
MAX_COUNT = 1_000_000
MAX_RANGE = 10_000
MAX_NESTING = 40
MAX_STACKED_REPEATS = 3

_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def compile_regex(text: str, *, alphabet: Iterable[str] | None = None, max_states: int = MAX_STATES) -> DFA:
    """Return the language of an expression; the alphabet defaults to the symbols it uses.

    >>> compile_regex("(ab|bbaa)*")
    <DFA: 6 states over {a, b}>
    >>> "bbaaab" in compile_regex("(ab|bbaa)*")
    True
    """
    given = None if alphabet is None else make_alphabet(alphabet)
    tree = parse_regex(text, alphabet=given)
    used = sorted({symbol for leaf in leaves(tree) for symbol in leaf.symbols})
    if given is None and not used:
        raise RegexSyntaxError(
            f"the expression {text!r} uses no symbol, so its alphabet is unknown.",
            text=text,
            span=(0, len(text)),
            hint="name the alphabet, for example with --alphabet ab.",
        )
    symbols = given if given is not None else make_alphabet(used)
    return determinize(Positions(tree, symbols), symbols, text, max_states)


def parse_regex(text: str, *, alphabet: Alphabet | None = None) -> Regex:
    """Return an expression as data; with an alphabet, every symbol must be one of its symbols."""
    return _Parser(text, alphabet).parse()


class _Parser:
    """Recursive descent, one method per precedence level."""

    def __init__(self, text: str, alphabet: Alphabet | None) -> None:
        self.text = text
        self.alphabet = alphabet
        self.at = 0
        self.opened: list[int] = []

    def parse(self) -> Regex:
        if not self.text:
            raise self.error("it is empty.", 0, 0, "write () for the empty word, or an expression such as '(ab)*'.")
        tree = self.union()
        if self.at < len(self.text):  # only a closing parenthesis stops the top level
            raise self.error(
                "this ')' closes nothing.", self.at, self.at + 1, "remove it, or write \\) for the symbol."
            )
        return tree

    def error(self, message: str, start: int, end: int, hint: str) -> RegexSyntaxError:
        return RegexSyntaxError(
            f"cannot read the regular expression: {message}", text=self.text, span=(start, end), hint=hint
        )

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def union(self) -> Regex:
        parts = [self.concatenation()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.concatenation())
        return parts[0] if len(parts) == 1 else Union(parts=tuple(parts))

    def concatenation(self) -> Regex:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repetition())
        return parts[0] if len(parts) == 1 else Concatenation(parts=tuple(parts))

    def repetition(self) -> Regex:
        tree = self.atom()
        stacked = 0
        while (bounds := self.bounds()) is not None:
            stacked += 1
            if stacked > MAX_STACKED_REPEATS:
                raise self.error(
                    f"one part is repeated more than {MAX_STACKED_REPEATS} times over.",
                    self.at - 1,
                    self.at,
                    "one repetition is enough.",
                )
            tree = Repetition(part=tree, least=bounds[0], most=bounds[1])
        return tree

    def bounds(self) -> tuple[int, int | None] | None:
        """Read a repetition sign or a count, if one stands here."""
        start = self.at
        if self.peek() in _REPEATS:
            self.at += 1
            return _REPEATS[self.text[start]]
        count = self.count()
        if count is None:
            return None
        least, most, self.at = count
        if max(least, most or 0) > MAX_COUNT:
            raise self.error(
                f"the count is larger than {MAX_COUNT:,}, which is the cap.", start, self.at, "use a smaller count."
            )
        if most is not None and most < least:
            raise self.error(
                f"the count {{{least},{most}}} has its bounds reversed.",
                start,
                self.at,
                "write the smaller number first.",
            )
        return least, most

    def count(self) -> tuple[int, int | None, int] | None:
        """Return (least, most, end) if a count such as {2}, {2,} or {2,4} stands here."""
        if self.peek() != "{":
            return None
        end = self.text.find("}", self.at)
        if end < 0:
            return None
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if not _is_number(low) or (high and not _is_number(high)):
            return None
        least = _number(low)
        return least, (_number(high) if high else None) if comma else least, end + 1

    def atom(self) -> Regex:
        start = self.at
        character = self.text[start]
        if character == "(":
            return self.group()
        if character == "[":
            return self.symbol_class()
        if character == ".":
            self.at += 1
            return Symbols(symbols=self.whole_alphabet("'.' means any symbol", start))
        if character in _REPEATS or self.count() is not None:
            raise self.error(
                f"there is nothing to repeat before {character!r}.",
                start,
                start + 1,
                f"put a symbol or a group before it, or write \\{character} for the symbol.",
            )
        if character == "]":
            raise self.error("this ']' closes nothing.", start, start + 1, "remove it, or write \\] for the symbol.")
        if character in "^$":
            raise self.error(
                f"{character!r} is not an anchor here: the whole word must match anyway.",
                start,
                start + 1,
                f"remove it, or write \\{character} for the symbol.",
            )
        return Symbols(symbols=(self.symbol(),))

    def group(self) -> Regex:
        start = self.at
        if len(self.opened) >= MAX_NESTING:
            raise self.error(
                f"parentheses are nested more than {MAX_NESTING} deep.", start, start + 1, "flatten the expression."
            )
        self.opened.append(start)
        self.at += 1
        tree = self.union()
        if self.peek() != ")":
            raise self.error(
                "this '(' is never closed.", start, start + 1, "add the missing ')', or write \\( for the symbol."
            )
        self.opened.pop()
        self.at += 1
        return tree

    def symbol(self) -> str:
        """Read one symbol, escaped or not, and check it against the alphabet."""
        start = self.at
        character = self.text[start]
        if character == "\\":
            if start + 1 == len(self.text):
                raise self.error(
                    "the expression ends in a backslash.", start, start + 1, "write \\\\ for the symbol \\."
                )
            character = self.text[start + 1]
            if character.isalnum():
                raise self.error(
                    f"the escape \\{character} has no meaning here.",
                    start,
                    start + 2,
                    f"write {character} for the symbol, and classes in full, for example [0-9].",
                )
            self.at += 1
        self.at += 1
        if self.alphabet is not None and character not in self.alphabet:
            raise self.outside(character)
        return character

    def outside(self, symbol: str) -> UnknownSymbolError:
        return UnknownSymbolError(
            f"symbol {symbol!r} in {self.text!r} is outside the alphabet {show_alphabet(self.alphabet or ())}.",
            hint="add it to the alphabet, or use only the symbols named there.",
        )

    def whole_alphabet(self, what: str, start: int) -> Alphabet:
        if self.alphabet is None:
            raise self.error(
                f"{what}, but the alphabet is not given.",
                start,
                self.at,
                "name the alphabet, for example with --alphabet ab.",
            )
        return self.alphabet

    def symbol_class(self) -> Regex:
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        if negated:
            self.at += 1
        chosen: list[str] = []
        while self.peek() != "]":
            if not self.peek():
                raise self.error(
                    "this '[' is never closed.", start, start + 1, "add the missing ']', or write \\[ for the symbol."
                )
            chosen.extend(self.class_item())
        self.at += 1
        if negated:
            alphabet = self.whole_alphabet("'[^…]' means all other symbols", start)
            chosen = [symbol for symbol in alphabet if symbol not in chosen]
        if not chosen:
            raise self.error(
                "this class holds no symbol.", start, self.at, "put at least one symbol into the brackets."
            )
        return Symbols(symbols=tuple(sorted(set(chosen))))

    def class_item(self) -> Iterator[str]:
        """Read a symbol or a range such as a-z inside a class."""
        start = self.at
        low = self.symbol()
        if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("", "]"):
            yield low
            return
        self.at += 1
        high = self.symbol()
        if ord(high) < ord(low):
            raise self.error(f"the range {low}-{high} is reversed.", start, self.at, "write the smaller symbol first.")
        if ord(high) - ord(low) >= MAX_RANGE:
            message = f"the range {low}-{high} has more than {MAX_RANGE:,} symbols, which is the cap."
            raise self.error(message, start, self.at, "use a smaller range.")
        for code in range(ord(low), ord(high) + 1):
            if self.alphabet is not None and chr(code) not in self.alphabet:
                raise self.outside(chr(code))
            yield chr(code)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _number(digits: str) -> int:
    """Return the number, or one past the cap when it has too many digits to be worth reading."""
    return int(digits) if len(digits) <= len(str(MAX_COUNT)) else MAX_COUNT + 1
