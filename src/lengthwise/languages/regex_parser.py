"""Reads regular expressions; :mod:`.regex` has their syntax."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import RegexSyntaxError, UnknownSymbolError
from . import regex_tree
from .alphabet import Alphabet, show_alphabet

MAX_COUNT = 1_000_000
MAX_RANGE = 10_000
MAX_NESTING = 40
MAX_STACKED_REPEATS = 3  # and as many reversals, and as many complements
ALPHABET_HINT = "name the alphabet: alphabet='ab', or --alphabet ab with predict, recommend or crasp synthesize."

_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ENDS = ("", "|", ")", "&", "/")  # what ends a concatenation


def parse_regex(text: str, *, alphabet: Alphabet | None = None) -> regex_tree.Regex:
    """Return an expression as data; with an alphabet, every symbol must be one of its symbols."""
    return _Parser(text, alphabet).parse()


class _Parser:
    """Recursive descent, one method per precedence level."""

    def __init__(self, text: str, alphabet: Alphabet | None) -> None:
        self.text = text
        self.alphabet = alphabet
        self.at = 0
        self.opened: list[int] = []

    def parse(self) -> regex_tree.Regex:
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

    def union(self) -> regex_tree.Regex:
        parts = [self.intersection()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.intersection())
        return parts[0] if len(parts) == 1 else regex_tree.Union(parts=tuple(parts))

    def intersection(self) -> regex_tree.Regex:
        start = self.at
        parts = [self.quotient()]
        while self.peek() == "&":
            self.sign("&", start)
            start = self.at
            parts.append(self.quotient())
        return parts[0] if len(parts) == 1 else regex_tree.Intersection(parts=tuple(parts))

    def quotient(self) -> regex_tree.Regex:
        start = self.at
        left = self.concatenation()
        if self.peek() != "/":
            return left
        sign = "//" if self.text.startswith("//", self.at) else "/"
        self.sign(sign, start)
        right = self.concatenation()
        if self.peek() == "/":
            raise self.error(
                "this quotient follows another one.",
                self.at,
                self.at + 1,
                "group one of the two, for example (x/y)/z, or write \\/ for the symbol.",
            )
        return (
            regex_tree.RightQuotient(whole=left, end=right)
            if sign == "/"
            else regex_tree.LeftQuotient(beginning=left, whole=right)
        )

    def sign(self, sign: str, start: int) -> None:
        """Step over a sign that needs a part on both sides; the one on the left began at ``start``."""
        here = self.at
        self.at += len(sign)
        for side, is_missing in (("before", here == start), ("after", self.peek() in _ENDS)):
            if is_missing:
                raise self.error(
                    f"nothing stands {side} this {sign!r}.",
                    here,
                    self.at,
                    f"write () for the empty word, or \\{sign[0]} for the symbol.",
                )

    def concatenation(self) -> regex_tree.Regex:
        parts = []
        while self.peek() not in _ENDS:
            parts.append(self.complement() if self.peek() == "~" else self.repetition())
        return parts[0] if len(parts) == 1 else regex_tree.Concatenation(parts=tuple(parts))

    def complement(self) -> regex_tree.Regex:
        start = self.at
        while self.peek() == "~":
            self.at += 1
        if self.at - start > MAX_STACKED_REPEATS:
            raise self.stacked("complemented", "two complements are none.")
        if self.peek() in _ENDS:
            raise self.error(
                "nothing stands after this '~'.",
                self.at - 1,
                self.at,
                "put a symbol or a group after it, or write \\~ for the symbol.",
            )
        num_signs = self.at - start
        tree = self.repetition()
        for _ in range(num_signs):
            tree = regex_tree.Complement(part=tree)
        return tree

    def repetition(self) -> regex_tree.Regex:
        tree = self.atom()
        num_repeats = num_reversals = 0
        while True:
            if self.peek() == "^":
                self.reversal_sign()
                num_reversals += 1
                if num_reversals > MAX_STACKED_REPEATS:
                    raise self.stacked("reversed", "two reversals are none.")
                tree = regex_tree.Reversal(part=tree)
            elif (bounds := self.bounds()) is not None:
                num_repeats += 1
                if num_repeats > MAX_STACKED_REPEATS:
                    raise self.stacked("repeated", "one repetition is enough.")
                tree = regex_tree.Repetition(part=tree, least=bounds[0], most=bounds[1])
            else:
                return tree

    def reversal_sign(self) -> None:
        start = self.at
        self.at += 2
        if self.text[start + 1 : self.at] != "R":
            raise self.error(
                "this '^' is not followed by R; ^R reverses what stands before it, and there are no anchors.",
                start,
                start + 1,
                "write ^R to reverse, remove the sign, or write \\^ for the symbol.",
            )

    def stacked(self, what: str, hint: str) -> RegexSyntaxError:
        return self.error(f"one part is {what} more than {MAX_STACKED_REPEATS} times over.", self.at - 1, self.at, hint)

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

    def atom(self) -> regex_tree.Regex:
        start = self.at
        character = self.text[start]
        if character == "(":
            return self.group()
        if character == "[":
            return self.symbol_class()
        if character == ".":
            self.at += 1
            return regex_tree.Symbols(symbols=self.whole_alphabet("'.' means any symbol", start))
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
        return regex_tree.Symbols(symbols=(self.symbol(),))

    def group(self) -> regex_tree.Regex:
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
        """Read one symbol, escaped or not or as a name, and check it against the alphabet."""
        symbol = self.name() if self.text.startswith("\\<", self.at) else self.character()
        if self.alphabet is not None and symbol not in self.alphabet:
            raise self.outside(symbol)
        return symbol

    def name(self) -> str:
        """Read a symbol between \\< and >."""
        start = self.at
        self.at += 2
        name = ""
        while self.peek() != ">":
            if self.peek() == "" or self.text.startswith("\\<", self.at):
                raise self.error(
                    "this '\\<' is never closed.", start, start + 2, "add the missing '>', or write < for the symbol."
                )
            name += self.character()
        self.at += 1
        if not name:
            raise self.error(
                "this '\\<>' names no symbol.", start, self.at, "put a name into it, or write <> for the symbols."
            )
        return name

    def character(self) -> str:
        """Read one character, escaped or not."""
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
                ALPHABET_HINT,
            )
        return self.alphabet

    def symbol_class(self) -> regex_tree.Regex:
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
        return regex_tree.Symbols(symbols=tuple(sorted(set(chosen))))

    def class_item(self) -> Iterator[str]:
        """Read a symbol or a range such as a-z inside a class."""
        start = self.at
        low = self.symbol()
        if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("", "]"):
            yield low
            return
        self.at += 1
        high = self.symbol()
        if len(low) > 1 or len(high) > 1:
            message = f"the range {self.text[start : self.at]} needs symbols of one character."
            raise self.error(message, start, self.at, "name the symbols one after the other.")
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
