"""The file of a user's encoding: its text, and its card, which is read and checked without running anything."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from stat import S_ISREG
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ...errors import InvalidOptionError, UnreadableFileError
from ...names import show_value
from ...tasks.user.source import read_source
from ...theory.positions.relations import RELATIONS
from ..core.card import Alias, Bound, Card, Option
from ..core.source import read_card

_MOST_BYTES = 1_000_000
_FORMULA = re.compile(r"[\w +·()]*")
_CLASSES = (Alias, Bound, Card, Option)


def read_encoding_file(path: str) -> tuple[Card, str]:
    """Return the card and the text of a user's file; raise for what is no card."""
    _require_regular(path)
    text = read_source(path)
    card = read_card(text, path)
    _require_fields(card, path, "CARD")
    _require_sense(card, path)
    return card, text


def _require_regular(path: str) -> None:
    """Raise for what is there and is no file of a sensible size; what is not there is said by whoever reads it."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return
    if not S_ISREG(status.st_mode):
        raise UnreadableFileError(f"{path!r} is not a regular file.", hint="name a Python file.")
    if status.st_size > _MOST_BYTES:
        raise UnreadableFileError(
            f"{path!r} has {status.st_size} bytes; a file of an encoding has at most {_MOST_BYTES}.",
            hint="keep data elsewhere.",
        )


def has_card(path: str) -> bool:
    """Return whether a Python file is meant as an encoding: whether a line of it assigns CARD."""
    return re.search(r"^CARD\b", read_source(path), re.MULTILINE) is not None


def _require_fields(value: Any, path: str, where: str) -> None:
    """Raise unless every field has a value of its type; dataclasses do not look."""
    hints = get_type_hints(type(value))
    for field in fields(value):
        found, hint = getattr(value, field.name), hints[field.name]
        if not _fits(found, hint):
            raise InvalidOptionError(
                f"{path!r}: {field.name} of {where} must be {_described(hint)}; found {found!r}.",
                hint="correct the card; lengthwise show encoding rope --json shows one.",
            )
        for part in found if isinstance(found, tuple) else (found,):
            if isinstance(part, str) and not part.isprintable():
                raise InvalidOptionError(
                    f"{path!r}: {field.name} of {where} has characters that cannot be printed: {part!r}.",
                    hint="write it in one line, without control characters.",
                )
            if isinstance(part, _CLASSES):
                _require_fields(part, path, f"{type(part).__name__} {getattr(part, 'name', '')}".strip())


def _fits(value: object, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return value in parts
    if origin in (UnionType, Union):
        return any(_fits(value, part) for part in parts)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = [parts[0]] * len(value) if parts[-1] is Ellipsis else list(parts)
        return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if hint is float:
        return type(value) in (int, float)
    return type(value) is hint


def _described(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(repr, parts))}"
    if origin in (UnionType, Union):
        return " or ".join(dict.fromkeys(_described(part) for part in parts))
    if origin is tuple:
        return f"a tuple, with {_described(parts[0])} at each place"
    names = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", type(None): "None"}
    return names.get(hint, f"a {getattr(hint, '__name__', hint)}")


def _require_sense(card: Card, path: str) -> None:
    """Raise for what has the right types and still makes no sense."""
    options = [option.name for option in card.options]
    stem = Path(path).stem
    problems = {
        f"the name on the card is {card.name!r}, and the file is called {stem!r}": card.name != stem,
        "acts_on is empty; what does nothing says so with ('nothing',)": not card.acts_on,
        f"the formula of parameters, {card.parameters!r}, may have names, whole numbers, +, · and parentheses": (
            not _FORMULA.fullmatch(card.parameters)
        ),
        f"two options have the same name among {', '.join(options)}": len(set(options)) < len(options),
        "an encoding in a file has no aliases and equals nothing": bool(card.aliases or card.equals),
        "bounds_of_base needs a base": card.bounds_of_base and not card.bases,
        "the bases on a card are encodings of the package": any(base.lower().endswith(".py") for base in card.bases),
        f"{card.relation!r} is not a position relation; known are {', '.join(RELATIONS)}": (
            bool(card.relation) and card.relation not in RELATIONS
        ),
        "chooses_layers needs bases": card.chooses_layers and not card.bases,
    }
    named = [
        *card.scale_options,
        *filter(None, [card.unbounded_option]),
        *(n for n in card.bounds_need if n != "bases"),
    ]
    problems |= {f"there is no option {name!r}, which the card names": name not in options for name in named}
    for option in card.options:
        is_word = isinstance(option.default, str)
        allowed = (
            option.parse(show_value(option.default)) is not None or option.kind != "" or is_word != bool(option.words)
        )
        problems[f"the default of option {option.name!r}, {option.default!r}, is not {option.allowed}"] = (
            not allowed or (is_word and not option.words and not option.kind)
        )
    for problem, is_there in problems.items():
        if is_there:
            raise InvalidOptionError(f"{path!r}: {problem}.", hint="correct the card.")
