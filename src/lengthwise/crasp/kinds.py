"""The kinds of expressions: truths and counts, and whether every part is of the kind its place asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import islice

from ..errors import InvalidProgramError, did_you_mean
from . import syntax
from .printer import print_expression


class Kind(StrEnum):
    """What an expression is at a position: true or false, or an integer."""

    TRUTH = "truth"
    COUNT = "count"


_SHOWN = 60
"""How many characters of an expression a message shows, how many of its nodes it looks at, how many symbols it lists."""
_MAX_COMPARISONS = 10_000
"""With how many names unknown ones are compared altogether, so that a long program is refused as fast as a short one."""

Report = Callable[[str, str, syntax.Expression], None]
"""Takes a code, a sentence and the node at fault."""


def infer_kinds(program: syntax.Program, report: Report) -> dict[str, Kind]:
    """Return the kind of every definition and output; report everything that has no meaning."""
    kinds: dict[str, Kind] = {}
    later = {definition.name for definition in program.definitions}
    symbols = frozenset(program.symbols)
    listed = _listed(program.symbols)
    unknown: set[str] = set()
    comparisons_left = _MAX_COMPARISONS

    def kind_of(node: syntax.Expression) -> Kind | None:
        match node:
            case syntax.Symbol(symbol):
                if symbol not in symbols:
                    report("symbol", f"symbol {_shown(node)} is not in the alphabet {listed}.", node)
                return Kind.TRUTH
            case syntax.Constant() | syntax.Modulo():
                return Kind.TRUTH
            case syntax.Number():
                return Kind.COUNT
            case syntax.Name(name):
                return kind_of_name(node, name)
            case syntax.Not(part):
                return need(Kind.TRUTH, Kind.TRUTH, "'not'", part)
            case syntax.And(parts):
                return need(Kind.TRUTH, Kind.TRUTH, "'and'", *parts)
            case syntax.Or(parts):
                return need(Kind.TRUTH, Kind.TRUTH, "'or'", *parts)
            case syntax.Compare(sign, left, right):
                return need(Kind.COUNT, Kind.TRUTH, f"'{sign}'", left, right)
            case syntax.Sum(terms):
                return need(Kind.COUNT, Kind.COUNT, "a sum", *(term for _, term in terms))
            case syntax.Count(body) | syntax.CountBefore(body) | syntax.CountAt(body):
                return need(Kind.TRUTH, Kind.COUNT, "'#'", body)
            case syntax.Choice(condition, then, otherwise):
                need(Kind.TRUTH, Kind.TRUTH, "'if'", condition)
                return need(Kind.COUNT, Kind.COUNT, "'then' and 'else'", then, otherwise)

    def need(wanted: Kind, result: Kind, who: str, *parts: syntax.Expression) -> Kind:
        for part in parts:
            found = kind_of(part)
            if found is not None and found is not wanted:
                article = {"truth": "a truth", "count": "a count"}
                fix = {
                    Kind.TRUTH: "compare it with a number, as in #['a'] > 0",
                    Kind.COUNT: "count it, as in #['a'], or choose: (if 'a' then 1 else 0)",
                }[wanted]
                report("type", f"{who} needs {article[wanted]}, but {_shown(part)} is {article[found]}; {fix}.", part)
        return result

    def kind_of_name(node: syntax.Expression, name: str) -> Kind | None:
        nonlocal comparisons_left
        if name in unknown:
            return None
        if name in kinds:
            return kinds[name]
        if name in later:
            report("undefined", f"name {name!r} is used before it is defined; move its definition up.", node)
            return None
        comparisons_left -= len(kinds) + len(symbols)
        close = None
        if comparisons_left >= 0 and len(name) <= _SHOWN:
            close = did_you_mean(name, [each for each in (*kinds, *program.symbols) if len(each) <= _SHOWN])
        advice = (
            f"symbols stand in quotes: {syntax.quote(name)}"
            if name in symbols
            else f"did you mean {close!r}?"
            if close
            else "define it first"
        )
        report("undefined", f"name {name!r} is not defined; {advice}{'' if advice.endswith('?') else '.'}", node)
        return None

    for definition in program.definitions:
        if definition.name in kinds:
            report("redefined", f"name {definition.name!r} is defined twice; choose another.", definition.body)
        found = kind_of(definition.body)
        later.discard(definition.name)
        if found is not None:
            kinds[definition.name] = found
        else:
            unknown.add(definition.name)  # reported already; what depends on it is not at fault
            kinds.setdefault(definition.name, Kind.TRUTH)
    for output in program.outputs:
        found = kind_of(output.body)
        if found is Kind.COUNT:
            who = output.name if program.is_generator else f"'{output.name}'"
            message = f"{who} needs a truth, but {_shown(output.body)} is a count; compare it with a number."
            report("type", message, output.body)
        kinds[output.name] = Kind.TRUTH
    allowed = {*program.alphabet, program.stop}
    for each in program.next:
        if each.symbol not in allowed:
            message = f"next {syntax.quote(each.symbol)} can never come: the symbol is not in the alphabet, nor the stop symbol."
            report("symbol", message, each.body)
    return kinds


def _shown(node: syntax.Expression) -> str:
    """Return the text of an expression in a message; of a long one only that it is long, or how it begins."""
    if sum(1 for _ in islice(syntax.walk(node), _SHOWN + 1)) > _SHOWN:
        return "this long expression"
    text = print_expression(node)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _listed(symbols: Sequence[str]) -> str:
    return " ".join(map(syntax.quote, symbols[:_SHOWN])) + (" …" if len(symbols) > _SHOWN else "")


def require_meaning(program: syntax.Program) -> dict[str, Kind]:
    """Return the kind of every definition and output, or raise with everything that has no meaning."""
    found: list[str] = []
    kinds = infer_kinds(program, lambda _code, message, _node: found.append(message))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise InvalidProgramError(
            f"the program has no meaning: {found[0]}{more}", hint="'lengthwise check FILE.crasp' shows every finding."
        )
    return kinds
