"""What there is to say about a program before it is run: every finding, each with its reason and its place.

Errors leave the program without a meaning. Warnings point at what is probably not meant: names that nothing uses,
sub-formulas that are constant, counts that can never change. Notes tell the fragment and the depth, and what makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import syntax
from .fragments import Readout
from .kinds import infer_kinds
from .measures import definition_depths, depth_of, fragment_of, looks_back, used_definitions, used_nodes
from .printer import print_expression
from .ranges import TRUE, Ranges
from .severity import Severity as Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to say about a program. ``span`` is its place in the text the program was read from, if it was."""

    severity: Severity
    code: str
    message: str
    where: str  # the definition or output it is about, or "" for the whole program
    span: syntax.Span | None = None


def check_program(program: syntax.Program) -> list[Finding]:
    """Return every finding, errors first; a program without errors can be run.

    >>> from lengthwise.crasp.parser import parse_program
    >>> for finding in check_program(parse_program("alphabet 'a' 'b'  n := #['a']  accept := 'a' and 'b'")):
    ...     print(finding.severity, finding.message)
    warning name 'n' is never used; remove it, or use it.
    warning 'a' and 'b' is false at every position of every word.
    note the program is in C-RASP: it only counts.
    note its depth is 0: it counts nothing.
    """
    errors = _errors(program)
    if errors:
        return errors
    findings = [*_unused(program), *_constants(program), *_markers(program), *_missing(program)]
    return [*findings, _fragment(program), _depth(program)]


def has_errors(findings: list[Finding]) -> bool:
    """Return whether a program with these findings cannot be run."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def _warning(
    code: str, message: str, definition: syntax.Definition, node: syntax.Expression | syntax.Definition
) -> Finding:
    return Finding(severity=Severity.WARNING, code=code, message=message, where=definition.name, span=node.span)


def _errors(program: syntax.Program) -> list[Finding]:
    found: list[Finding] = []
    owner = {
        id(node): definition.name
        for definition in (*program.definitions, *program.outputs)
        for node in syntax.walk(definition.body)
    }

    def report(code: str, message: str, node: syntax.Expression) -> None:
        where = owner.get(id(node), "")
        found.append(Finding(severity=Severity.ERROR, code=code, message=message, where=where, span=node.span))

    infer_kinds(program, report)
    return found


def _unused(program: syntax.Program) -> Iterator[Finding]:
    used = {definition.name for definition in used_definitions(program)}
    for definition in program.definitions:
        if definition.name not in used:
            message = f"name {definition.name!r} is never used; remove it, or use it."
            yield _warning("unused", message, definition, definition)


def _constants(program: syntax.Program) -> Iterator[Finding]:
    """Yield the largest sub-formulas that are constant, and all counts that never change."""
    ranges = Ranges(program)

    def visit(definition: syntax.Definition, node: syntax.Expression, within: bool) -> Iterator[Finding]:
        value = None if isinstance(node, (syntax.Constant, syntax.Number, syntax.Name)) else ranges.constant(node)
        if value is not None:
            shown = print_expression(node)
            truth = "true" if value else "false"
            if isinstance(node, (syntax.Count, syntax.CountBefore, syntax.CountAt)):
                message = f"the count {shown} can never change: it is {value} everywhere."
                yield _warning("count", message, definition, node)
                return
            if not within:
                said = str(value) if isinstance(node, (syntax.Sum, syntax.Choice)) else truth
                yield _warning("constant", f"{shown} is {said} at every position of every word.", definition, node)
        for child in syntax.children(node):
            yield from visit(definition, child, within or value is not None)

    for definition in (*program.definitions, *program.outputs):
        yield from visit(definition, definition.body, False)


def _markers(program: syntax.Program) -> Iterator[Finding]:
    """Yield the counts that take in the end marker itself, which is easily overlooked."""
    if program.is_generator or program.readout is not Readout.END_MARKER:
        return
    ranges = Ranges(program)
    ends = [number for number, context in enumerate(ranges.contexts) if context.symbol is None]
    for definition in (*used_definitions(program), *program.outputs):
        for node in syntax.walk(definition.body):
            if not isinstance(node, syntax.Count) or isinstance(node.body, syntax.Constant):
                continue
            found = ranges.of(node.body)
            if all(found[number] == TRUE for number in ends):
                shown = print_expression(node)
                better = print_expression(syntax.CountBefore(node.body))
                message = f"at the end marker, {shown} counts the marker itself; {better} does not."
                yield _warning("marker", message, definition, node)


def _missing(program: syntax.Program) -> Iterator[Finding]:
    if not program.is_generator:
        return
    said = {each.symbol for each in program.next}
    missing = [symbol for symbol in (*program.alphabet, *filter(None, [program.stop])) if symbol not in said]
    if missing:
        listed = " ".join(map(syntax.quote, missing))
        message = f"no line says when these come next, so they never do: {listed}."
        yield Finding(severity=Severity.NOTE, code="next", message=message, where="")


def _fragment(program: syntax.Program) -> Finding:
    fragment = fragment_of(program)
    nodes = list(used_nodes(program))
    reasons = []
    periodic = next((node for node in nodes if isinstance(node, syntax.Modulo) and node.modulus > 1), None)
    local = next((node for node in nodes if looks_back(node)), None)
    if periodic is not None:
        reasons.append(f"{print_expression(periodic)} looks at the position")
    if local is not None:
        reasons.append(f"{print_expression(local)} looks back")
    why = ", and ".join(reasons) or "it only counts"
    message = f"the program is in {fragment.notation}: {why}."
    return Finding(severity=Severity.NOTE, code="fragment", message=message, where="")


def _depth(program: syntax.Program) -> Finding:
    depth = depth_of(program)
    depths = definition_depths(program)
    bodies = {definition.name: definition.body for definition in (*program.definitions, *program.outputs)}
    name = next(output.name for output in program.outputs if depths[output.name] == depth)
    chain: list[str] = []
    _chain(bodies[name], depth, depths, bodies, chain)
    why = f"{' inside '.join(reversed(chain))}" if chain else "it counts nothing"
    message = f"its depth is {depth}: {why}."
    return Finding(severity=Severity.NOTE, code="depth", message=message, where=name)


def _chain(
    node: syntax.Expression, depth: int, depths: dict[str, int], bodies: dict[str, syntax.Expression], chain: list[str]
) -> None:
    """Collect, from the outside in, counts that are nested as deeply as the program is deep."""

    def depth_within(part: syntax.Expression) -> int:
        if isinstance(part, syntax.Name):
            return depths[part.name]
        return max(map(depth_within, syntax.children(part)), default=0) + _counts(part)

    while depth:
        if isinstance(node, syntax.Name):
            node = bodies[node.name]
        elif _counts(node):
            chain.append(print_expression(node))
            depth -= 1
            (node,) = syntax.children(node)
        else:
            node = next(part for part in syntax.children(node) if depth_within(part) == depth)


def _counts(node: syntax.Expression) -> bool:
    return isinstance(node, (syntax.Count, syntax.CountBefore)) or looks_back(node)
