"""The text form, read by recursive descent: one method per line of the grammar.

::

    program    = { "alphabet" symbol+ | "start" symbol | "stop" symbol | "read" "at" ("last" | "end") | statement }
    statement  = name ":=" expression | "accept" ":=" expression | "next" symbol ":=" expression
    expression = "if" expression "then" expression "else" expression | either
    either     = both { "or" both }
    both       = negation { "and" negation }
    negation   = "not" negation | comparison
    comparison = sum [ ("=" | "!=" | "<" | "<=" | ">" | ">=") sum ]
    sum        = term { ("+" | "-") term }
    term       = [ "-" ] [ integer "*" ] factor
    factor     = integer | "-" integer | symbol | name | "true" | "false" | "pos" "%" integer "=" integer
               | "#" [ "<" | "{" distances "}" ] "[" expression "]" | "(" expression ")"
    distances  = integer [ ".." integer ] { "," integer [ ".." integer ] }

Line ends mean nothing; ``//`` begins a comment. The parser is written by hand, as that for regular expressions is: it
costs no import, and it can say what a writer of C-RASP probably meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import LengthwiseError, ProgramSyntaxError, did_you_mean
from ..files import read_text
from . import syntax
from .fragments import Readout
from .tokens import Token, split_tokens

MAX_NESTING = 60
MAX_DEPTH = 100  # of the tree, which every later step walks by recursion; one level of nesting may add several
MAX_DISTANCES = 1_000_000  # in a whole text, since a short one can name very many

_READOUTS = {"last": Readout.LAST_SYMBOL, "end": Readout.END_MARKER}


def parse_program(text: str) -> syntax.Program:
    """Return the program that a text describes.

    >>> program = parse_program("alphabet 'a' 'b'  accept := #['a'] > #['b']")
    >>> program.alphabet
    ('a', 'b')
    """
    return _Parser(text).program()


def parse_expression(text: str) -> syntax.Expression:
    """Return the expression that a text describes."""
    parser = _Parser(text)
    found = parser.whole_expression()
    parser.expect_end()
    return found


def read_program(path: str | Path) -> syntax.Program:
    """Return the program of a ``.crasp`` file."""
    return parse_program(read_text(path))


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = split_tokens(text)
        self.at = 0
        self.nesting = 0
        self.num_distances = 0

    # What stands here

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def sees(self, *texts: str, ahead: int = 0) -> bool:
        token = self.tokens[min(self.at + ahead, len(self.tokens) - 1)]
        return token.kind in ("sign", "name") and token.text in texts

    def takes(self, *texts: str) -> Token | None:
        return self.advance() if self.sees(*texts) else None

    def expect(self, text: str, purpose: str) -> Token:
        if not self.sees(text):
            raise self.error(
                f"{text!r} is missing {purpose}; found {self.token.shown}.", self.token.span, f"write {text} here."
            )
        return self.advance()

    def expect_kind(self, kind: str, what: str, hint: str) -> Token:
        if self.token.kind != kind:
            raise self.error(f"{what} is missing; found {self.token.shown}.", self.token.span, hint)
        return self.advance()

    def expect_end(self) -> None:
        if self.token.kind != "end":
            raise self.error(f"the expression ends before {self.token.shown}.", self.token.span, self._hint_after())

    def error(self, message: str, span: syntax.Span, hint: str) -> ProgramSyntaxError:
        return ProgramSyntaxError(f"cannot read the program: {message}", text=self.text, span=span, hint=hint)

    def since(self, start: int) -> syntax.Span:
        return start, self.tokens[self.at - 1].span[1] if self.at else start

    # Statements

    def program(self) -> syntax.Program:
        headers: dict[str, Token] = {}
        settings: dict[str, object] = {}
        definitions: list[syntax.Definition] = []
        nexts: dict[str, syntax.Next] = {}
        accept: syntax.Expression | None = None
        while self.token.kind != "end":
            token = self.token
            if self.sees("alphabet", "start", "stop", "read"):
                if token.text in headers:
                    raise self.error(f"{token.text!r} is said twice.", token.span, "say it once.")
                headers[token.text] = token
                self.advance()
                settings |= self.header(token)
            elif self.sees(syntax.ACCEPT):
                if accept is not None:
                    raise self.error("'accept' is defined twice.", token.span, "define it once.")
                self.advance()
                accept = self.body("accept")
            elif self.sees("next"):
                following = self.next_statement(nexts)
                nexts[following.symbol] = following
            else:
                definitions.append(self.definition())
        if "alphabet" not in headers:
            raise self.error("it names no alphabet.", (0, 0), "begin with a line such as: alphabet 'a' 'b'")
        try:
            return syntax.Program(definitions=tuple(definitions), accept=accept, next=tuple(nexts.values()), **settings)  # type: ignore[arg-type]
        except ProgramSyntaxError:
            raise
        except LengthwiseError as error:  # what a program as a whole must satisfy
            raise self.error(error.message, headers["alphabet"].span, error.hint) from None

    def header(self, token: Token) -> dict[str, object]:
        """Return what a line at the head says."""
        if token.text == "read":
            word = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
            if not self.sees("at") or word.kind != "name" or word.text not in _READOUTS:
                raise self.error(
                    "where to read is missing.", self.since(token.span[0]), "write 'read at last' or 'read at end'."
                )
            self.at += 2
            return {"readout": _READOUTS[word.text]}
        symbols = []
        while self.token.kind == "symbol":
            symbols.append(self.advance())
        if not symbols or (token.text != "alphabet" and len(symbols) > 1):
            wanted = "one or more symbols" if token.text == "alphabet" else "one symbol"
            raise self.error(
                f"{token.text!r} needs {wanted} in quotes; found {self.token.shown if not symbols else len(symbols)}.",
                self.token.span if not symbols else symbols[1].span,
                "for example: alphabet 'a' 'b'" if token.text == "alphabet" else f"for example: {token.text} '$'",
            )
        if token.text != "alphabet":
            return {token.text: symbols[0].text}
        seen: set[str] = set()
        for symbol in symbols:
            if symbol.text in seen:
                raise self.error(f"symbol {symbol.shown} appears twice.", symbol.span, "name each symbol once.")
            seen.add(symbol.text)
        return {"alphabet": tuple(symbol.text for symbol in symbols)}

    def next_statement(self, earlier: Mapping[str, syntax.Next]) -> syntax.Next:
        start = self.advance().span[0]
        symbol = self.expect_kind("symbol", "the symbol that comes next", "write, for example: next 'a' := …")
        if symbol.text in earlier:
            raise self.error(f"next {symbol.shown} is defined twice.", symbol.span, "define it once.")
        return syntax.Next(symbol.text, self.body(f"next {symbol.shown}"), span=(start, symbol.span[1]))

    def definition(self) -> syntax.Definition:
        token = self.token
        if token.kind != "name" or token.text in syntax.KEYWORDS or not self.sees(":=", ahead=1):
            raise self.error(f"expected a definition; found {token.shown}.", token.span, self._hint_after())
        self.advance()
        return syntax.Definition(token.text, self.body(token.text), span=token.span)

    def body(self, name: str) -> syntax.Expression:
        self.expect(":=", f"after {name}")
        return self.whole_expression()

    def _hint_after(self) -> str:
        """Say what could be meant by what stands where an expression has ended."""
        token = self.token
        if self.sees(*syntax.KEYWORDS) and self.sees(":=", ahead=1):
            return f"{token.text!r} is a word of the language and cannot be a name."
        if token.kind in ("symbol", "integer") or self.sees("#", "(", "not", "if", "true", "false", "pos"):
            return "an operator is missing before it, such as 'and', '+' or '='."
        if token.text in ("]", ")", "}"):
            return "it closes nothing; remove it."
        if token.kind == "name":
            close = did_you_mean(token.text, ["alphabet", "start", "stop", "read", "accept", "next"])
            if close is not None and close != token.text:
                return f"did you mean {close!r}?"
            if token.text in syntax.KEYWORDS:
                return f"{token.text!r} is a word of the language and cannot be a name here."
            return f"a definition is written {token.text} := expression; or an operator is missing before it."
        if token.text in syntax.SIGNS:
            return "comparisons do not chain: write 'x < y and y < z'; a definition is written name := expression."
        return "a definition is written name := expression."

    # Expressions

    def whole_expression(self) -> syntax.Expression:
        found = self.expression()
        level = [found]
        depth = 0
        while level := [child for node in level for child in syntax.children(node)]:
            depth += 1
            if depth == MAX_DEPTH:
                raise self.error(
                    f"its parts are nested more than {MAX_DEPTH} deep here.",
                    level[0].span or (0, 0),
                    "give inner parts names of their own.",
                )
        return found

    def expression(self) -> syntax.Expression:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error(
                f"it is nested more than {MAX_NESTING} deep here.",
                self.token.span,
                "give inner parts names of their own.",
            )
        start = self.token.span[0]
        if self.takes("if"):
            condition = self.expression()
            self.expect("then", "after the condition")
            then = self.expression()
            self.expect("else", "after the first count")
            otherwise = self.expression()
            found: syntax.Expression = syntax.Choice(condition, then, otherwise, span=self.since(start))
        else:
            found = self.either()
        self.nesting -= 1
        return found

    def either(self) -> syntax.Expression:
        start = self.token.span[0]
        parts = [self.both()]
        while self.takes("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else syntax.Or(tuple(parts), span=self.since(start))

    def both(self) -> syntax.Expression:
        start = self.token.span[0]
        parts = [self.negation()]
        while self.takes("and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else syntax.And(tuple(parts), span=self.since(start))

    def negation(self) -> syntax.Expression:
        starts = []
        while self.sees("not"):
            starts.append(self.advance().span[0])
        if len(starts) > MAX_DEPTH:
            raise self.error(
                f"there are more than {MAX_DEPTH} 'not' in a row.", (starts[0], starts[-1]), "two cancel out."
            )
        found = self.comparison()
        for start in reversed(starts):
            found = syntax.Not(found, span=self.since(start))
        return found

    def comparison(self) -> syntax.Expression:
        start = self.token.span[0]
        left = self.sum()
        sign = self.takes(*syntax.SIGNS)
        if sign is None:
            return left
        right = self.sum()
        if self.sees(*syntax.SIGNS):
            raise self.error("comparisons do not chain.", self.token.span, "write 'x < y and y < z'.")
        return syntax.Compare(sign.text, left, right, span=self.since(start))

    def sum(self) -> syntax.Expression:
        start = self.token.span[0]
        terms = [self.term(1)]
        while sign := self.takes("+", "-"):
            terms.append(self.term(-1 if sign.text == "-" else 1))
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return syntax.Sum(tuple(terms), span=self.since(start))

    def term(self, factor: int) -> tuple[int, syntax.Expression]:
        minus = self.sees("-")
        ahead = self.tokens[min(self.at + minus, len(self.tokens) - 1)]
        if ahead.kind == "integer" and self.sees("*", ahead=minus + 1):
            self.at += minus + 2
            return factor * (-1 if minus else 1) * int(ahead.text), self.factor()
        if minus and ahead.kind != "integer":
            self.advance()
            return -factor, self.factor()
        return factor, self.factor()

    def factor(self) -> syntax.Expression:
        token = self.advance()
        start = token.span[0]
        if token.kind == "integer":
            return self.finished(syntax.Number(int(token.text), span=token.span))
        if token.kind == "symbol":
            return syntax.Symbol(token.text, span=token.span)
        if token.kind == "name" and token.text not in syntax.KEYWORDS:
            return syntax.Name(token.text, span=token.span)
        if token.text in ("true", "false"):
            return syntax.Constant(token.text == "true", span=token.span)
        if token.text == "pos":
            return self.modulo(start)
        if token.text == "#":
            return self.count(start)
        if token.text == "(":
            inside = self.expression()
            self.expect(")", "after what stands in parentheses")
            return inside
        if token.text == "-" and self.token.kind == "integer":
            return self.finished(syntax.Number(-int(self.advance().text), span=self.since(start)))
        raise self.error(f"expected an expression; found {token.shown}.", token.span, self._hint_instead(token))

    def finished(self, number: syntax.Number) -> syntax.Number:
        if self.sees("*"):
            raise self.error("a product begins with one integer.", self.token.span, "write, for example, 6*#['a'].")
        return number

    def _hint_instead(self, token: Token) -> str:
        if token.text == "not":
            return "put what 'not' belongs to in parentheses: (not …)."
        if token.text == "if":
            return "put the choice in parentheses: (if … then … else …)."
        if token.text == "*":
            return "a product is an integer times a count, as in 2*#['a']."
        if token.text in syntax.KEYWORDS:
            return f"{token.text!r} is a word of the language and cannot be a name."
        return "for example: 'a', a name, #['a'], 3, (…)."

    def modulo(self, start: int) -> syntax.Expression:
        hint = "the position can be seen modulo a number only, as in: pos % 3 = 1"
        for text in ("%", "", "=", ""):
            good = self.sees(text) if text else self.token.kind == "integer"
            if not good:
                raise self.error(
                    f"the position is not used as it can be; found {self.token.shown}.", self.token.span, hint
                )
            self.advance()
        modulus, residue = int(self.tokens[self.at - 3].text), int(self.tokens[self.at - 1].text)
        span = self.since(start)
        if modulus < 1 or residue >= modulus:
            allowed = (
                "a modulus is at least 1" if modulus < 1 else f"a residue modulo {modulus} is at most {modulus - 1}"
            )
            raise self.error(f"{allowed}.", span, hint)
        return syntax.Modulo(modulus, residue, span=span)

    def count(self, start: int) -> syntax.Expression:
        strict = self.takes("<")
        distances = self.distances() if not strict and self.sees("{") else None
        self.expect("[", "after '#'")
        body = self.expression()
        self.expect("]", "after what is counted")
        span = self.since(start)
        if distances is not None:
            return syntax.CountAt(body, distances, span=span)
        return syntax.CountBefore(body, span=span) if strict else syntax.Count(body, span=span)

    def distances(self) -> tuple[int, ...]:
        self.advance()
        found: set[int] = set()
        while True:
            hint = "name distances, as in #{1}[…], #{0,2}[…] or #{1..3}[…]."
            first = self.expect_kind("integer", "a distance", hint)
            last = first
            if self.takes(".."):
                last = self.expect_kind("integer", "the largest distance", hint)
            low, high = int(first.text), int(last.text)
            if low > high or high > syntax.MAX_DISTANCE:
                raise self.error(
                    f"distances run from a smaller to a larger number, at most {syntax.MAX_DISTANCE}.",
                    (first.span[0], last.span[1]),
                    hint,
                )
            self.num_distances += high + 1 - low
            if self.num_distances > MAX_DISTANCES:
                raise self.error(
                    f"it names more than {MAX_DISTANCES} distances.",
                    (first.span[0], last.span[1]),
                    "define a count once and use its name.",
                )
            found.update(range(low, high + 1))
            if not self.takes(","):
                break
        self.expect("}", "after the distances")
        return tuple(sorted(found))
