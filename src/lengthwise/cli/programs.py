"""The commands about C-RASP programs: run, trace, compare, simplify, synthesize, compile, check."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from ..crasp.batched import run_outputs
from ..crasp.checker import Finding, Severity, check_program, has_errors
from ..crasp.comparison import Comparison, compare
from ..crasp.fragments import Readout
from ..crasp.interpreter import accepts, generate, next_symbols
from ..crasp.latex import latex_program
from ..crasp.measures import depth_of, fragment_of, size_of
from ..crasp.normal_form import normal_form
from ..crasp.parser import parse_program
from ..crasp.printer import print_program
from ..crasp.programs.catalog import find_program
from ..crasp.simplification import simplify as simplify_program
from ..crasp.syntax import Program
from ..crasp.trace import trace_html, trace_program, trace_text
from ..errors import InvalidOptionError, UnknownNameError, draw_caret
from ..files import read_text, write_text
from ..languages.alphabet import show_alphabet, show_word
from ..languages.dfa import DFA
from ..languages.dfa_algebra import over_alphabet
from .compiling import compile_program
from .text import colour, paragraph, print_json, printable, table, width


def crasp(options: Namespace) -> int:
    """Run one of the commands about programs."""
    commands = {
        "run": _run,
        "trace": _trace,
        "equal": _equal,
        "simplify": _simplify,
        "synthesize": _synthesize,
        "compile": compile_program,
    }
    return commands[options.action](options)


def load_program(what: str) -> Program:
    """Return the program of a ``.crasp`` file, of standard input (-), or of the library."""
    if what == "-":
        return parse_program(sys.stdin.read())
    if what.lower().endswith(".crasp") or Path(what).suffix:
        return parse_program(read_text(what))
    return find_program(what).program


def split_word(text: str, program: Program) -> tuple[str, ...]:
    """Return the symbols of a word: characters, or separated by spaces where a symbol has several of them."""
    if text in ("", "ε"):
        return ()
    if " " in text or any(len(symbol) > 1 for symbol in program.alphabet):
        return tuple(text.split())
    return tuple(text)


def _run(options: Namespace) -> int:
    program = load_program(options.program)
    if options.generate and not program.is_generator:
        raise InvalidOptionError(
            f"--generate lets a program write on, but {options.program!r} says only which words it accepts.",
            hint="leave --generate out, or run a program that says which symbols come next.",
        )
    rows = []
    for text in options.word:
        word = split_word(text, program)
        row: dict[str, object] = {"word": list(word)}
        if not program.is_generator:
            row["accepted"] = accepts(program, word, offset=options.offset, run=run_outputs)
        elif options.generate:
            row["written"] = list(generate(program, word, offset=options.offset, run=run_outputs))
        else:
            positions = next_symbols(program, word, offset=options.offset, run=run_outputs)
            row["next"] = list(positions[-1]) if positions else []
        rows.append((word, row))
    if options.json:
        print_json([row for _, row in rows])
        return 0
    answers = {"accepted": _accepted, "written": _joined, "next": _joined}
    shown = []
    for word, row in rows:
        ((kind, value),) = [(key, each) for key, each in row.items() if key != "word"]
        shown.append((printable(show_word(word)), printable(answers[kind](value))))
    title = "accepted" if not program.is_generator else "writes" if options.generate else "next"
    print(table(("word", title), shown))
    return 0


def _accepted(value: object) -> str:
    return "yes" if value else "no"


def _joined(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) and value else "nothing"


def _trace(options: Namespace) -> int:
    program = load_program(options.program)
    trace = trace_program(program, split_word(options.word, program), offset=options.offset)
    if options.html is not None:
        write_text(options.html, trace_html(trace))
        print(f"wrote {options.html}", file=sys.stderr)
    if options.json:
        rows = {row.name: list(row.values) for row in trace.rows}
        print_json({"symbols": list(trace.symbols), "values": rows, "result": trace.result})
    else:
        print(printable_lines(trace_text(trace, width())))
        print()
        print(f"result: {printable(trace.result)}")
    return 0


def printable_lines(text: str) -> str:
    """Return text of several lines with control characters written out."""
    return "\n".join(map(printable, text.split("\n")))


def _equal(options: Namespace) -> int:
    found = compare_sides(options.left, options.right, max_length=options.max_length)
    if options.json:
        print_json(_comparison_data(found))
    else:
        _print_comparison(found, options.left, options.right)
    return 0 if found.equal else 1


def compare_sides(left: str, right: str, *, max_length: int | None = None) -> Comparison:
    """Compare programs or languages by what a user calls them.

    A regular expression is read over the alphabet of the program on the other side; two languages are brought over the
    symbols of both.
    """
    if left == right == "-":
        raise InvalidOptionError(
            "both sides are -, but standard input can be read only once.", hint="write one of them to a file."
        )
    programs = [_program_called(what) for what in (left, right)]
    alphabet = next((program.alphabet for program in programs if program is not None), None)
    one, two = (
        _language_of(what, alphabet) if program is None else program
        for what, program in zip((left, right), programs, strict=True)
    )
    if isinstance(one, DFA) and isinstance(two, DFA):
        both = {*one.alphabet, *two.alphabet}
        one, two = over_alphabet(one, both), over_alphabet(two, both)
    return compare(one, two, max_length=max_length)


def _program_called(what: str) -> Program | None:
    """Return the program of a file, of standard input or of the library, or None if this is something else."""
    if what == "-" or what.lower().endswith(".crasp"):
        return load_program(what)
    try:
        return find_program(what).program
    except UnknownNameError:
        return None


def _language_of(what: str, alphabet: Iterable[str] | None, *, regex: bool = False) -> DFA:
    """Return the automaton of a name, an expression or a file, over an alphabet if one is given."""
    from ..predict.resolve import is_name, resolve

    expression = regex or not is_name(what)
    language = resolve(what, alphabet=alphabet if expression else None, regex=regex).facts.language
    if language is None:
        raise InvalidOptionError(
            f"{what!r} is not a regular language.", hint="name a language, a regular expression or an automaton file."
        )
    return language if alphabet is None else over_alphabet(language, alphabet)


def _comparison_data(found: Comparison) -> dict[str, object]:
    return {
        "equal": found.equal,
        "exact": found.exact,
        "words": found.num_words,
        "min_length": found.min_length,
        "max_length": found.max_length,
        "counterexample": None if found.counterexample is None else list(found.counterexample),
        "left": found.left,
        "right": found.right,
    }


def _print_comparison(found: Comparison, left: str, right: str) -> None:
    if found.counterexample is not None:
        shown = printable(show_word(found.counterexample))
        print(f"{colour('different', 'NO')}, and this is a shortest word that shows it: {shown}")
        print(f"  {printable(left)} {found.left}")
        print(f"  {printable(right)} {found.right}")
    elif found.exact:
        print(f"{colour('equal', 'YES')} on words of every length: their minimal automata are the same.")
    else:
        print(
            paragraph(
                f"{colour('equal', 'YES')} on all {found.num_words} words of length {found.min_length} to {found.max_length}. "
                "That is no proof for longer ones: from two layers on, no length up to which agreement would suffice can be "
                "computed (arXiv 2603.02238).",
                "  ",
                "",
            )
        )


def _simplify(options: Namespace) -> int:
    program = load_program(options.program)
    simple = normal_form(program) if options.normal_form else simplify_program(program)
    if options.json:
        print_json({"program": print_program(simple), **program_data(simple)})
    else:
        print(latex_program(simple) if options.latex else print_program(simple), end="")
    return 0


def program_data(program: Program) -> dict[str, object]:
    """Return what can be read off a program, as JSON data."""
    return {
        "alphabet": list(program.alphabet),
        "readout": None if program.is_generator else str(program.readout),
        "fragment": str(fragment_of(program)),
        "depth": depth_of(program),
        "size": size_of(program),
    }


def check_file(options: Namespace) -> int:
    """Print every finding about a program; with ``--for``, also whether it agrees with a language on short words."""
    text = read_text(options.file)
    program = parse_program(text)
    findings = check_program(program)
    wrong = has_errors(findings)
    found = None if wrong or options.language is None else compare_sides(options.file, options.language)
    if options.json:
        comparison = None if found is None else _comparison_data(found)
        print_json({"findings": [_finding_data(each, text) for each in findings], "comparison": comparison})
    else:
        for finding in findings:
            _print_finding(finding, text)
        if found is not None:
            _print_comparison(found, options.file, options.language)
    return 1 if wrong or (found is not None and not found.equal) else 0


def _finding_data(finding: Finding, text: str) -> dict[str, object]:
    line = None if finding.span is None else text.count("\n", 0, finding.span[0]) + 1
    return {
        "severity": str(finding.severity),
        "code": finding.code,
        "message": finding.message,
        "where": finding.where,
        "line": line,
        "span": None if finding.span is None else list(finding.span),
    }


def _print_finding(finding: Finding, text: str) -> None:
    colours = {Severity.ERROR: "error", Severity.WARNING: "UNKNOWN", Severity.NOTE: "dim"}
    place = ""
    if finding.span is not None and finding.severity is not Severity.NOTE:
        place = f"line {text.count(chr(10), 0, finding.span[0]) + 1}: "
    word = colour(str(finding.severity), colours[finding.severity])
    print(paragraph(f"{word}: {place}{printable(finding.message)}", "  ", ""))
    if finding.span is not None and finding.severity is not Severity.NOTE:
        print("\n".join(f"    {line}" for line in draw_caret(text, finding.span).split("\n")))


def _synthesize(options: Namespace) -> int:
    from ..crasp.synthesis import NO_BOUND, Caps, synthesize

    if (options.what is None) == (options.examples is None):
        raise InvalidOptionError(
            "synthesize needs a language or a file of examples, and not both.",
            hint="for example: lengthwise crasp synthesize '(ab)*', or --examples labelled.txt",
        )
    if options.examples is not None and options.regex:
        raise InvalidOptionError(
            "--regex is about a language, but --examples gives labelled words.", hint="leave one of the two out."
        )
    target: DFA | list[tuple[tuple[str, ...], bool]]
    if options.examples is not None:
        target = _read_examples(options.examples)
    else:
        target = _language_of(options.what, options.alphabet, regex=options.regex)
    watched = sys.stderr.isatty()
    try:
        found = synthesize(
            target,
            alphabet=options.alphabet if options.examples is not None else None,
            max_length=options.max_length,
            fragment=options.fragment,
            readout=Readout.END_MARKER if options.readout == "end" else Readout.LAST_SYMBOL,
            caps=Caps() if options.max_size is None else Caps(max_size=options.max_size),
            progress=_show_progress if watched else None,
        )
    finally:
        if watched:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    if options.json:
        answers = [{"length": each.length, "size": each.size, "accept": each.text} for each in found.answers]
        print_json(
            {
                "program": print_program(found.program),
                **program_data(found.program),
                "candidates": found.num_candidates,
                "classes": found.num_classes,
                "stabilization_length": found.stabilization_length,
                "complete": found.complete,
                "answers": answers,
            }
        )
        return 0
    print(print_program(found.program), end="")
    print()
    rows = [(str(each.length), str(each.size), each.text) for each in found.answers]
    print(table(("words up to", "size", "smallest program"), rows))
    print()
    last = found.answers[-1].length
    settled = (
        f"unchanged from length {found.stabilization_length} to {last}"
        if found.stabilization_length < last
        else f"not settled: it changed at length {last}, the last that was tried"
    )
    print(f"{found.num_candidates:,} candidates, {found.num_classes:,} different behaviours kept; {settled}.")
    print(paragraph(NO_BOUND, "", ""))
    return 0


def _show_progress(size: int, candidates: int, classes: int) -> None:
    print(f"\rsize {size}: {candidates:,} candidates, {classes:,} kept ", end="", file=sys.stderr, flush=True)


def _read_examples(path: str) -> list[tuple[tuple[str, ...], bool]]:
    """Return the labelled words of a file: a line for each, + or -, a space, the word."""
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        sign, _, word = line.strip().partition(" ")
        if sign not in ("+", "-"):
            raise InvalidOptionError(
                f"line {number} of {path!r} begins with {sign[:20]!r}; a line is + or -, a space and a word.",
                hint="for example: + aab",
            )
        symbols = tuple(word.split()) if " " in word.strip() else tuple(word.strip())
        found.append((symbols, sign == "+"))
    if not found:
        raise InvalidOptionError(
            f"{path!r} has no labelled word; at least one is needed.", hint="write a line for each, for example: + aab"
        )
    return found


def program_text(name: str, *, latex: bool) -> tuple[object, str]:
    """Return a library program in full, as data and as text."""
    entry = find_program(name)
    program = entry.program
    data = {"name": name, "definition": entry.definition, "source": entry.source, **program_data(program)}
    data["program"] = print_program(program)
    written = latex_program(program) if latex else print_program(program)
    lines = [
        colour(name, "bold"),
        paragraph(entry.definition, "  "),
        f"  source: {entry.source}",
        f"  {fragment_of(program).notation}, depth {depth_of(program)}, size {size_of(program)}, "
        f"over {show_alphabet(program.alphabet)}",
        "",
        *(f"  {line}".rstrip() for line in written.rstrip().split("\n")),
    ]
    return data, "\n".join(lines)
