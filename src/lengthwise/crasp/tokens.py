"""The words of the text form: names, symbols in quotes, integers, signs; each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import ProgramSyntaxError
from .syntax import MAX_INTEGER, Span

MAX_TEXT = 100_000
_SHOWN = 40

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*)
    |(?P<integer>[0-9]+)
    |(?P<symbol>'(?:[^'\\\n]|\\.)*')
    |(?P<name>[^\W\d]\w*)
    |(?P<sign>:=|==|!=|<=|>=|\.\.|[#\[\]{}()<>=+\-*%,!&|¬∧∨≤≥≠])
    """,
    re.VERBOSE,
)
_SPELLINGS = {
    "==": "=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "!": "not",
    "¬": "not",
    "&": "and",
    "∧": "and",
    "|": "or",
    "∨": "or",
}
_ESCAPE = re.compile(r"\\(?:u\{(?P<code>[0-9A-Fa-f]{1,6})\}|(?P<plain>['\\]))")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a program. ``text`` is its normal spelling; for a symbol, the symbol itself."""

    kind: str  # "name", "symbol", "integer", "sign" or "end"
    text: str
    span: Span

    @property
    def shown(self) -> str:
        """The token in an error message."""
        if self.kind == "end":
            return "the end of the text"
        return repr(self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…")


def split_tokens(text: str) -> list[Token]:
    """Return the tokens of a text, with one for its end."""
    if len(text) > MAX_TEXT:
        raise ProgramSyntaxError(
            f"cannot read the program: it has {len(text)} characters; at most {MAX_TEXT} are read.",
            text=text[:40],
            span=(0, 1),
            hint="split it into several programs.",
        )
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind = match.lastgroup
        if kind != "space":
            tokens.append(_token(text, kind or "", match))
        at = match.end()
    end = tokens[-1].span[1] if tokens else 0  # not behind the last line end, where nothing is to be seen
    return [*tokens, Token("end", "", (end, end))]


def _token(text: str, kind: str, match: re.Match[str]) -> Token:
    spelled, span = match.group(), match.span()
    if kind == "integer":
        spelled = spelled.lstrip("0") or "0"
        if len(spelled) > len(str(MAX_INTEGER)) or int(spelled) > MAX_INTEGER:
            raise ProgramSyntaxError(
                f"cannot read the program: this number is larger than {MAX_INTEGER}.",
                text=text,
                span=span,
                hint="choose a smaller one.",
            )
    elif kind == "symbol":
        spelled = _unquote(text, span)
    elif spelled in _SPELLINGS:
        spelled = _SPELLINGS[spelled]
        kind = "name" if spelled.isalpha() else kind
    return Token(kind, spelled, span)


def _unquote(text: str, span: Span) -> str:
    inside = text[span[0] + 1 : span[1] - 1]
    if not inside:
        raise ProgramSyntaxError(
            "cannot read the program: a symbol needs at least one character.",
            text=text,
            span=span,
            hint="write it between the quotes, for example 'a'.",
        )
    parts = []
    at = 0
    while at < len(inside):
        if inside[at] != "\\":
            parts.append(inside[at])
            at += 1
            continue
        match = _ESCAPE.match(inside, at)
        code = int(match["code"], 16) if match and match["code"] else 0
        if match is None or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise ProgramSyntaxError(
                "cannot read the program: this is no escape.",
                text=text,
                span=(span[0] + 1 + at, span[0] + 3 + at),
                hint=r"after \ stands ' or \ or u{…} with the code of a character.",
            )
        parts.append(match["plain"] or chr(code))
        at = match.end()
    return "".join(parts)


def _unreadable(text: str, at: int) -> ProgramSyntaxError:
    if text[at] == "'":
        return ProgramSyntaxError(
            "cannot read the program: this quote is never closed.",
            text=text,
            span=(at, at + 1),
            hint="a symbol stands in quotes on one line, for example 'a'.",
        )
    hints = {
        '"': "symbols stand in single quotes, for example 'a'.",
        ":": "a definition is written name := expression.",
        "?": "a choice is written: if condition then 1 else 0.",
        "^": "write 'and', 'or', 'not' for truths; there are no powers.",
        "/": "a comment begins with //; there is no division.",
        ".": "distances may be given as a range, as in #{1..3}[…].",
        ";": "a definition ends where the next one begins; leave the sign out.",
    }
    return ProgramSyntaxError(
        f"cannot read the program: {text[at]!r} has no meaning here.",
        text=text,
        span=(at, at + 1),
        hint=hints.get(text[at], "symbols of the word stand in quotes, for example 'a'."),
    )
