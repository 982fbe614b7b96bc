"""`lengthwise check`: certificates, programs, and files of tasks and encodings, checked independently of how they were made."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ...errors import InvalidCertificateError, InvalidOptionError, LengthwiseError, draw_caret
from ...extras import require_extra
from ...files import parse_json, read_json, read_text
from ...languages.alphabet import show_alphabet
from ...markup import visible
from ...theory.claims import Answer
from ..text import colour, paragraph, print_json

if TYPE_CHECKING:
    from ...crasp.checker import Finding as ProgramFinding
    from ...tasks.user.findings import Finding
    from ...theory.checker import Check

EXAMPLES = """\
examples:
  lengthwise predict '(ab|bbaa)*' --json > verdicts.json
  lengthwise check verdicts.json
  lengthwise check verdicts.json --for '(ab|bbaa)*'
  lengthwise predict PARITY --json | lengthwise check -
  lengthwise check mine.crasp                     types, names, fragment, depth, constant parts
  lengthwise check mine.crasp --for '(ab)*'       also compare with a language on all short words
  lengthwise check mine.py                        a task or an encoding of your own; also pairs.jsonl, automaton.json

exit codes: 0 all accepted, 1 some rejected or errors found, 2 the input was wrong"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="certificates, or the output of predict --json (- reads standard input); a program (.crasp); or a task or "
        "encoding of your own (.py; tasks also .jsonl, or an automaton in .json)",
    )
    parser.add_argument(
        "--for",
        dest="language",
        metavar="WHAT",
        help="also require that the certificates are about this language; a program is compared with it on all short words",
    )


def run(options: Namespace) -> int:
    """Print what is wrong with a file of certificates, a program or a task."""
    if options.file.lower().endswith(".crasp"):
        return _check_program(options)
    if _is_task_file(options.file):
        return _check_task(options)
    return _check_certificates(options)


# Certificates


def _check_certificates(options: Namespace) -> int:
    from ...predict.resolve import resolve
    from ...predict.row_checks import check_row

    language = resolve(options.language).facts.language if options.language is not None else None
    if options.language is not None and language is None:
        raise InvalidOptionError(
            f"{options.language!r} is not a regular language; a certificate is about a regular language.",
            hint="after --for, name a language, a regular expression or an automaton file.",
        )
    checks = [check_row(row, language) for row in _read_rows(options.file)]
    if options.json:
        print_json([_check_to_json(done) for done in checks])
    else:
        for done in checks:
            print(paragraph(_check_line(done), "  ", ""))
    return 0 if all(done is None or done.accepted for done in checks) else 1


def _check_to_json(done: Check | None) -> dict[str, object]:
    fields = ("answer", "fragment", "asked", "readout", "alphabet", "objection")
    if done is None:
        return {"accepted": None, "answer": str(Answer.UNKNOWN)}
    return {"accepted": done.accepted} | {field: getattr(done, field) for field in fields}


def _check_line(done: Check | None) -> str:
    if done is None:
        return f"{colour('not checked', 'UNKNOWN')}: the answer is UNKNOWN, so there is no certificate."
    word = "accepted" if done.accepted else "rejected"
    alphabet = show_alphabet(done.alphabet)
    claim = f"{done.answer} for {done.asked} in {done.fragment} at {done.readout} over {alphabet}"
    if not done.is_claim:
        claim = "the certificate does not say what it claims"
    return f"{colour(word, word)}: {visible(claim + (f': {done.objection}.' if done.objection else ''))}"


def _read_rows(path: str) -> list[object]:
    """Return what a file holds: a certificate, rows that carry them, or a list of either."""
    data = parse_json(sys.stdin.read(), "standard input") if path == "-" else read_json(path)
    rows = data if isinstance(data, list) else [data]
    if not rows:
        raise InvalidCertificateError(
            f"{path!r} holds [], which is neither an automaton nor a list of certificates.",
            hint="an automaton is an object with alphabet, initial, accepting and transitions; "
            "certificates come from: lengthwise predict '(ab)*' --json",
        )
    if all(isinstance(row, dict) and "certificate" in row and row["certificate"] is None for row in rows):
        raise InvalidCertificateError(
            f"{path!r} holds no certificate.",
            hint="an answer UNKNOWN has none; write one with: lengthwise predict '(ab)*' --json",
        )
    return rows


# Task files


def _check_task(options: Namespace) -> int:
    if options.language is not None:
        raise InvalidOptionError(
            f"--for is about certificates and programs; {options.file!r} is a task file.",
            hint="leave it out; a Python file says itself what theory may rest on.",
        )
    from ...tasks.user.findings import errors_of

    found = _findings_about(options.file)
    if options.json:
        print_json({"findings": [finding.to_json() for finding in found]})
    else:
        for finding in found:
            _print_finding(finding)
    return 1 if errors_of(found) else 0


def _is_task_file(path: str) -> bool:
    """Return whether ``check`` is about a task file: a Python file, a file of pairs, or JSON that holds an automaton."""
    if path.lower().endswith((".py", ".jsonl")):
        return True
    if not path.lower().endswith(".json"):
        return False
    from ...tasks.user.automata import is_automaton

    try:
        return is_automaton(read_json(path))
    except LengthwiseError:  # whoever reads it next will say what is wrong
        return False


def _findings_about(path: str) -> list[Finding]:
    """Return every finding about a Python file, a file of pairs or an automaton file."""
    if path.lower().endswith(".py"):
        from ...encodings.user.file import has_card
        from ...tasks.user.checks import check_python

        if has_card(path):
            require_extra("checking an encoding")
            from ...conformance.user_files import check_encoding_file

            return check_encoding_file(path)

        return check_python(path)
    if path.lower().endswith(".jsonl"):
        from ...tasks.user.pairs import check_pairs

        return check_pairs(path)
    from ...tasks.user.automata import check_automaton

    return check_automaton(path)


def _print_finding(finding: Finding) -> None:
    _print_severity(str(finding.severity), finding.what)
    if finding.hint:
        print(paragraph(f"hint: {visible(finding.hint)}", "    ", "  "))


# Programs


def _check_program(options: Namespace) -> int:
    """Print every finding about a program; with ``--for``, also whether it agrees with a language on short words."""
    from ...crasp.checker import check_program, has_errors
    from ...crasp.parser import parse_program
    from ..programs import compare_sides, comparison_data, print_comparison

    text = read_text(options.file)
    program = parse_program(text)
    findings = check_program(program)
    wrong = has_errors(findings)
    found = None if wrong or options.language is None else compare_sides(options.file, options.language)
    if options.json:
        comparison = None if found is None else comparison_data(found)
        print_json({"findings": [_finding_data(finding, text) for finding in findings], "comparison": comparison})
    else:
        for finding in findings:
            _print_program_finding(finding, text)
        if found is not None:
            print_comparison(found, options.file, options.language)
    return 1 if wrong or (found is not None and not found.equal) else 0


def _finding_data(finding: ProgramFinding, text: str) -> dict[str, object]:
    line = None if finding.span is None else text.count("\n", 0, finding.span[0]) + 1
    return {
        "severity": str(finding.severity),
        "code": finding.code,
        "message": finding.message,
        "where": finding.where,
        "line": line,
        "span": None if finding.span is None else list(finding.span),
    }


def _print_program_finding(finding: ProgramFinding, text: str) -> None:
    is_placed = finding.span is not None and str(finding.severity) != "note"
    place = f"line {text.count(chr(10), 0, finding.span[0]) + 1}: " if is_placed and finding.span else ""
    _print_severity(str(finding.severity), place + finding.message)
    if is_placed and finding.span:
        print("\n".join(f"    {line}" for line in draw_caret(text, finding.span).split("\n")))


def _print_severity(severity: str, message: str) -> None:
    colours = {"error": "error", "warning": "UNKNOWN", "note": "dim"}
    print(paragraph(f"{colour(severity, colours[severity])}: {visible(message)}", "  ", ""))
