"""The one grammar of names with parameters: ``count_mod(5)``, ``rope(base=500000)``, ``randomized(rope, length=2048)``.

Tasks, encodings, programs and circuits are all named like this. A name is a word; in parentheses come arguments with
commas between them. An argument is any text whose parentheses match: a number, a word, another name with parameters, or
a regular expression. An argument ``key=value`` is an option. Arguments stay text until a :class:`Parameter` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .errors import InvalidOptionError, did_you_mean

Value = float | int | bool | str

MOST_NESTED = 8
_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_OPTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_]")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A name and what stands in its parentheses; ``inside`` is None where there are none."""

    name: str
    inside: str | None = None

    @property
    def arguments(self) -> list[str]:
        """Everything in the parentheses, in order, options as they are written.

        >>> read_call("randomized(rope, length=64)").arguments, read_call("rope()").arguments
        (['rope', 'length=64'], [])
        """
        if self.inside is None or not self.inside.strip():
            return []
        return split_arguments(self.inside)

    def split_options(self, kind: str) -> tuple[list[str], dict[str, str]]:
        """Return the arguments without a key, and the options by key; a comma may stand after the last one.

        >>> read_call("randomized(rope, length=64)").split_options("encoding")
        (['rope'], {'length': '64'})
        """
        plain: list[str] = []
        options: dict[str, str] = {}
        arguments = self.arguments
        for argument in arguments[:-1] if arguments and not arguments[-1] else arguments:
            option = _OPTION.fullmatch(argument)
            if option is None:
                plain.append(argument)
            elif option[1] in options:
                raise _malformed(kind, write_call(self.name, arguments), f"{option[1]!r} is given twice", "")
            else:
                options[option[1]] = option[2]
        return plain, options


def read_call(text: str) -> Call | None:
    """Return the name that a text is, with its parentheses if it has them; None if it is something else.

    >>> read_call("copy_every( 2, 01 )").arguments
    ['2', '01']
    >>> read_call("(ab)*") is None
    True
    """
    match = _CALL.fullmatch(text)
    return Call(name=match[1], inside=match[2]) if match else None


def parse_call(kind: str, text: str, *, examples: str = "") -> Call:
    """Return the name that a text is; raise if it is none, if parentheses do not match or if it is nested too deep.

    >>> parse_call("encoding", "rope(base=500000)").inside
    'base=500000'
    """
    if not text.strip():
        raise _malformed(kind, text, "a name is missing", examples)
    call = read_call(text)
    depth = deepest = 0
    for number, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
        if depth < 0 or (depth == 0 and character == ")" and text[number + 1 :].strip()):
            rest = text[number + (depth == 0) :].strip()
            raise _malformed(kind, text, f"{rest[0]!r} comes after its end", examples)
    if depth:
        raise _malformed(kind, text, "a parenthesis is not closed", examples)
    if deepest > MOST_NESTED + 1:
        raise _malformed(kind, text, f"it is nested more than {MOST_NESTED} deep", examples)
    if call is None:
        odd = next((character for character in text.split("(")[0].strip() if not _WORD.match(character)), "(")
        raise _malformed(kind, text, f"{odd!r} does not belong in a name", examples)
    return call


def split_arguments(text: str) -> list[str]:
    """Return what commas separate, without the space around it; parentheses keep together what they hold.

    >>> split_arguments("index_hints(addition, 9), 20")
    ['index_hints(addition, 9)', '20']
    """
    parts, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def is_plain_name(text: str) -> bool:
    """Return whether a text can only be meant as a name: a word, perhaps with words and numbers in parentheses.

    Such a text is never read as a regular expression, so that a misspelled name is an error and not a verdict.

    >>> is_plain_name("count_mod(5)"), is_plain_name("a(a|b)")
    (True, False)
    """
    return _PLAIN.fullmatch(text) is not None


def write_call(name: str, arguments: Iterable[str]) -> str:
    """Return a name as it is written; without arguments it has no parentheses.

    >>> write_call("addition", ["2"]), write_call("addition", [])
    ('addition(2)', 'addition')
    """
    inside = ", ".join(arguments)
    return f"{name}({inside})" if inside else name


def shortest_name(name: str, values: Sequence[Value], defaults: Sequence[Value]) -> str:
    """Return a name without the parameters at the end that are default.

    >>> shortest_name("count_mod", [3], [5]), shortest_name("count_mod", [5], [5])
    ('count_mod(3)', 'count_mod')
    """
    kept = list(values)
    while kept and kept[-1] == defaults[len(kept) - 1]:
        kept.pop()
    return write_call(name, map(show_value, kept))


def show_value(value: Value) -> str:
    """Return a value as it is written.

    >>> show_value(10000.0), show_value(0.5), show_value(False), show_value("copy")
    ('10000', '0.5', 'false', 'copy')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What may stand in parentheses: true or false, a number within bounds, or one of a few words.

    The default says which: a whole number for an int, any number for a float. ``words`` lists the words.
    """

    name: str
    default: Value
    meaning: str
    low: float = 0
    high: float = 0
    words: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a value must be, in words.

        >>> Parameter(name="modulus", default=5, meaning="a modulus", low=2, high=100).allowed
        'a whole number from 2 to 100'
        """
        if self.words:
            return f"one of {', '.join(self.words)}"
        if isinstance(self.default, bool):
            return "true or false"
        whole = "whole " if isinstance(self.default, int) else ""
        return f"a {whole}number from {self.low:g} to {self.high:g}"

    def parse(self, text: str) -> Value | None:
        """Return the value that a text stands for, or None if it is not allowed."""
        if self.words:
            return text if text in self.words else None
        if isinstance(self.default, bool):
            return {"true": True, "false": False}.get(text)
        if isinstance(self.default, int):
            is_number = text.removeprefix("-").isdigit() and text.isascii() and len(text) < 10
            value: float = int(text) if is_number else self.low - 1
        else:
            try:
                value = float(text)
            except ValueError:
                return None
        return value if self.low <= value <= self.high else None

    def read(self, owner: str, text: str) -> Value:
        """Return the value that a text stands for; raise if it is not allowed.

        ``owner`` names whose parameter this is, as in ``count_mod``; the example in the error begins with its last word.
        """
        value = self.parse(text)
        if value is not None:
            return value
        suggestion = did_you_mean(text, self.words)
        raise InvalidOptionError(
            f"{owner} takes {self.meaning}, {self.allowed}; found {text!r}.",
            hint=f"did you mean {suggestion!r}?"
            if suggestion
            else f"for example {owner.split()[-1]}({show_value(self.default)}).",
        )


def read_parameters(owner: str, parameters: Sequence[Parameter], texts: Sequence[str]) -> list[Value]:
    """Return the values of parameters that are written in this order; those that are left out have their defaults."""
    if len(texts) > len(parameters):
        takes = ", ".join(parameter.meaning for parameter in parameters) or "nothing"
        example = write_call(owner.split()[-1], (show_value(parameter.default) for parameter in parameters))
        raise InvalidOptionError(
            f"{owner} takes {takes} in parentheses; found {', '.join(map(repr, texts))}.",
            hint=f"for example {example}.",
        )
    told = [parameter.read(owner, text) for parameter, text in zip(parameters, texts, strict=False)]
    return told + [parameter.default for parameter in parameters[len(texts) :]]


def _malformed(kind: str, text: str, why: str, examples: str) -> InvalidOptionError:
    article = "an" if kind[:1] in "aeiou" else "a"
    return InvalidOptionError(
        f"{text!r} is not the name of {article} {kind}: {why}.",
        hint=examples or "a name looks like word, word(2) or word(key=value).",
    )
