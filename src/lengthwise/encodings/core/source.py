"""Cards from the source of modules: nothing is run, so neither torch nor a user's code is needed to know a card.

A module assigns its card once, as ``CARD = Card(…)``. The expression may hold constants, tuples, f-strings, names of
``core.card``, and calls of the classes below; nothing else is evaluated.
"""

from __future__ import annotations

import ast
from typing import Any

from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError
from ...theory.precision.logics import Logic
from . import card as card_module
from .card import Alias, Bound, Card, Option

_CLASSES = {kind.__name__: kind for kind in (Alias, Bound, Card, Option)}
_CONSTANTS = {name: value for name, value in vars(card_module).items() if name.isupper()}
_TEMPLATE_HINT = "lengthwise new encoding NAME writes a file to start from."


def read_card(text: str, path: str) -> Card:
    """Return the card that a module's source assigns; raise with the line of what is no card."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        line = getattr(problem, "lineno", None)
        told = getattr(problem, "msg", None) or type(problem).__name__
        raise _wrong(path, f"it is not Python: {told}", line, "correct the file.") from None
    found = [node for node in tree.body if isinstance(node, ast.Assign) and _assigns_card(node)]
    if len(found) != 1:
        told = "it assigns no CARD" if not found else f"it assigns CARD {len(found)} times"
        raise _wrong(path, told, None, _TEMPLATE_HINT)
    try:
        card = _evaluate(found[0].value, path)
    except RecursionError:
        raise _wrong(path, "CARD is nested too deep", found[0].lineno, _TEMPLATE_HINT) from None
    if not isinstance(card, Card):
        raise _wrong(path, f"CARD must be a Card(…); found {type(card).__name__}", found[0].lineno, _TEMPLATE_HINT)
    return card


def _assigns_card(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "CARD" for target in node.targets)


def _evaluate(node: ast.expr, path: str) -> Any:
    """Return the value of an expression of the few kinds that a card is written with."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Tuple(elts=parts):
            return tuple(_evaluate(part, path) for part in parts)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Attribute(value=ast.Name(id="Fragment"), attr=name) if name in Fragment.__members__:
            return Fragment[name]
        case ast.Attribute(value=ast.Name(id="Logic"), attr=name) if name in Logic.__members__:
            return Logic[name]
        case ast.JoinedStr(values=parts):
            return "".join(str(_evaluate(part, path)) for part in parts)
        case ast.FormattedValue(value=ast.Name() as value, conversion=-1, format_spec=None):
            return _evaluate(value, path)
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in _CLASSES:
            given: dict[str, Any] = {}
            for keyword in keywords:
                value = _evaluate(keyword.value, path)
                given |= value if keyword.arg is None and isinstance(value, dict) else {str(keyword.arg): value}
            try:
                return _CLASSES[name](**given)
            except TypeError as problem:
                told = str(problem).replace(f"{name}.__init__()", name)
                raise _wrong(path, told, node.lineno, _TEMPLATE_HINT) from None
    shown = ast.unparse(node)
    raise _wrong(
        path,
        f"a card is written out, and {shown if len(shown) < 60 else shown[:57] + '…'} would have to be run",
        node.lineno,
        "write constants, tuples, and Card(…), Option(…), Bound(…) and Alias(…) with keywords.",
    )


def _wrong(path: str, what: str, line: int | None, hint: str) -> InvalidOptionError:
    where = "" if line is None else f"line {line}: "
    return InvalidOptionError(f"{path!r} is not the file of an encoding: {where}{what}.", hint=hint)
