r"""Programs in LaTeX, in the notation of the literature: Q_a(i) and \#[j \le i] P(j)."""

from __future__ import annotations

from ..markup import escape_latex
from . import syntax
from .printer import print_distances

_CHOICE, _OR, _AND, _NOT, _COMPARE, _SUM, _FACTOR = range(7)
_SIGNS = {"=": "=", "!=": r"\neq", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


def latex_program(program: syntax.Program) -> str:
    """Return the program as an ``align*`` environment, one definition a line."""
    lines = [
        f"  \\mathit{{{escape_latex(definition.name)}}}(i) &:= {latex_expression(definition.body)}"
        for definition in program.definitions
    ]
    if program.accept is not None:
        lines.append(f"  \\mathrm{{accept}}(i) &:= {latex_expression(program.accept)}")
    lines += [
        f"  \\mathrm{{NEXT}}_{{\\mathtt{{{escape_latex(each.symbol)}}}}}(i) &:= {latex_expression(each.body)}"
        for each in program.next
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def latex_expression(node: syntax.Expression, variable: str = "i") -> str:
    """Return an expression at the position of a variable."""
    return _latex(node, variable, _CHOICE)


def _latex(node: syntax.Expression, variable: str, place: int) -> str:
    text, binds = _form(node, variable)
    return text if binds >= place else f"\\left({text}\\right)"


def _form(node: syntax.Expression, variable: str) -> tuple[str, int]:
    def at(part: syntax.Expression, place: int) -> str:
        return _latex(part, variable, place)

    match node:
        case syntax.Symbol(symbol):
            return f"Q_{{\\mathtt{{{escape_latex(symbol)}}}}}({variable})", _FACTOR
        case syntax.Constant(value):
            return (r"\top" if value else r"\bot"), _FACTOR
        case syntax.Number(value):
            return str(value), _FACTOR if value >= 0 else _SUM
        case syntax.Name(name):
            return f"\\mathit{{{escape_latex(name)}}}({variable})", _FACTOR
        case syntax.Modulo(modulus, residue):
            return f"{variable} \\equiv {residue} \\;(\\mathrm{{mod}}\\; {modulus})", _COMPARE
        case syntax.Not(part):
            return f"\\lnot {at(part, _FACTOR)}", _NOT
        case syntax.And(parts):
            return r" \land ".join(at(part, _NOT) for part in parts), _AND
        case syntax.Or(parts):
            return r" \lor ".join(at(part, _AND) for part in parts), _OR
        case syntax.Compare(sign, left, right):
            return f"{at(left, _SUM)} {_SIGNS[sign]} {at(right, _SUM)}", _COMPARE
        case syntax.Sum(terms):
            return _sum(terms, variable), _SUM
        case syntax.Choice(condition, then, otherwise):
            return f"{at(condition, _OR)} \\mathbin{{?}} {at(then, _SUM)} : {at(otherwise, _SUM)}", _CHOICE
        case syntax.Count(body):
            return _count(body, variable, "{j} \\le {i}"), _FACTOR
        case syntax.CountBefore(body):
            return _count(body, variable, "{j} < {i}"), _FACTOR
        case syntax.CountAt(body, distances):
            if len(distances) == 1:
                relation = "{j} = {i}" + (f" - {distances[0]}" if distances[0] else "")
            else:
                shown = print_distances(distances).replace("..", r",\dots,").replace(",", ", ")
                relation = f"{{i}} - {{j}} \\in \\{{{{{shown}\\}}}}"
            return _count(body, variable, relation), _FACTOR


def _count(body: syntax.Expression, variable: str, relation: str) -> str:
    """Return a count; variables of nested counts take turns, so that none hides another that is needed."""
    inner = {"i": "j", "j": "k", "k": "l", "l": "i"}[variable]
    where = relation.format(i=variable, j=inner)
    return f"\\#\\left[{where}\\right]\\, {_latex(body, inner, _FACTOR)}"


def _sum(terms: tuple[tuple[int, syntax.Expression], ...], variable: str) -> str:
    parts = []
    for number, (factor, term) in enumerate(terms):
        size = abs(factor)
        written = _latex(term, variable, _FACTOR)
        written = written if size == 1 else f"{size}\\cdot {written}"
        sign = ("-" if factor < 0 else "") if number == 0 else (" - " if factor < 0 else " + ")
        parts.append(sign + written)
    return "".join(parts)
