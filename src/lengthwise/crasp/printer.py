"""The text form, written: ``parse_program(print_program(p)) == p`` for every program."""

from __future__ import annotations

from collections.abc import Sequence

from . import syntax
from .fragments import Readout

_CHOICE, _OR, _AND, _NOT, _COMPARE, _SUM, _FACTOR = range(7)
"""How tightly a form binds: what stands inside must bind at least as tightly as its place asks for."""


def print_program(program: syntax.Program) -> str:
    """Return the text of a program, one definition a line."""
    lines = [f"alphabet {' '.join(map(syntax.quote, program.alphabet))}"]
    for name, marker in (("start", program.start), ("stop", program.stop)):
        if marker is not None:
            lines.append(f"{name} {syntax.quote(marker)}")
    if not program.is_generator:
        lines.append(f"read at {'last' if program.readout is Readout.LAST_SYMBOL else 'end'}")
    lines.append("")
    statements = [(each.name, each.body) for each in (*program.definitions, *program.outputs)]
    width = min(24, max(len(name) for name, _ in statements))
    lines += [f"{name.ljust(width)} := {print_expression(body)}" for name, body in statements]
    return "\n".join(lines) + "\n"


def print_expression(node: syntax.Expression) -> str:
    """Return the text of an expression."""
    return _print(node, _CHOICE)


def print_distances(distances: Sequence[int]) -> str:
    """Return distances as programs write them: ``1,3..6``."""
    runs: list[list[int]] = []
    for distance in distances:
        if runs and runs[-1][-1] == distance - 1:
            runs[-1].append(distance)
        else:
            runs.append([distance])
    parts = [f"{run[0]}..{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs]
    return ",".join(parts)


def _print(node: syntax.Expression, place: int) -> str:
    text, binds = _form(node)
    return text if binds >= place else f"({text})"


def _form(node: syntax.Expression) -> tuple[str, int]:
    """Return the text of an expression and how tightly it binds."""
    match node:
        case syntax.Symbol(symbol):
            return syntax.quote(symbol), _FACTOR
        case syntax.Constant(value):
            return ("true" if value else "false"), _FACTOR
        case syntax.Number(value):
            return str(value), _FACTOR
        case syntax.Name(name):
            return name, _FACTOR
        case syntax.Modulo(modulus, residue):
            return f"pos % {modulus} = {residue}", _FACTOR
        case syntax.Not(part):
            return f"not {_print(part, _NOT)}", _NOT
        case syntax.And(parts):
            return " and ".join(_print(part, _NOT) for part in parts), _AND
        case syntax.Or(parts):
            return " or ".join(_print(part, _AND) for part in parts), _OR
        case syntax.Compare(sign, left, right):
            return f"{_print(left, _SUM)} {sign} {_print(right, _SUM)}", _COMPARE
        case syntax.Sum(terms):
            return _sum(terms), _SUM
        case syntax.Count(body):
            return f"#[{print_expression(body)}]", _FACTOR
        case syntax.CountBefore(body):
            return f"#<[{print_expression(body)}]", _FACTOR
        case syntax.CountAt(body, distances):
            return f"#{{{print_distances(distances)}}}[{print_expression(body)}]", _FACTOR
        case syntax.Choice(condition, then, otherwise):
            inside = (_print(part, _CHOICE) for part in (condition, then, otherwise))
            return "if {} then {} else {}".format(*inside), _CHOICE


def _sum(terms: Sequence[tuple[int, syntax.Expression]]) -> str:
    parts = []
    for number, (factor, term) in enumerate(terms):
        negative = factor < 0
        size = -factor if negative else factor
        bare = size == 1 and not (number == 0 and negative and isinstance(term, syntax.Number))
        written = _print(term, _FACTOR) if bare else f"{size}*{_print(term, _FACTOR)}"
        sign = ("-" if negative else "") if number == 0 else (" - " if negative else " + ")
        parts.append(sign + written)
    return "".join(parts)
