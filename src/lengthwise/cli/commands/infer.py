"""`lengthwise infer`: the idealized learner itself, on classes that can be enumerated."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ...errors import InvalidOptionError
from ...markup import visible
from ..arguments import add_language_arguments
from ..text import colour, paragraph, passing_line, print_json, table

if TYPE_CHECKING:
    from ...crasp.fragments import Fragment, Readout
    from ...crasp.syntax import Program
    from ...languages.dfa import DFA
    from ...theory.inference.table import Inference, Row, Target
    from ...theory.verdict import Verdict

ENCODINGS = ("nope", "ape")
_SIZES = {"programs": (1, 20), "transformers": (1, 3)}

EXAMPLES = """\
examples:
  lengthwise infer majority                              C-RASP programs by size, without and with positions
  lengthwise infer '(aa)*' --encoding nope               the choice grows with n and never settles
  lengthwise infer '[ab]*b' --class transformers         1,594,323 limit transformers of one layer and one head
  lengthwise infer PARITY --lengths 8 --size 11 --json

For n = 2, 4, 6, … the learner takes, of all hypotheses that are correct up to length n/2, the one of smallest complexity R.
What the table means: docs/concepts/idealized-inference.md"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        metavar="TASK",
        help="a language, a regular expression, an automaton file, or a program that accepts words",
    )
    parser.add_argument(
        "--encoding",
        choices=ENCODINGS,
        help="without positions or with them: nope or ape (default: one after the other)",
    )
    parser.add_argument(
        "--class",
        dest="hypotheses",
        choices=tuple(_SIZES),
        default="programs",
        help="C-RASP programs, R is their size (default); or tiny limit transformers, R is the paper's",
    )
    parser.add_argument(
        "--lengths", type=int, metavar="N", help="the last n (default: 12; 8 where there are more than two symbols)"
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="K",
        help="the largest program (default: 12; 15 for one symbol, 10 for three), or the largest parameter of a transformer (default: 1)",
    )
    add_language_arguments(parser, "TASK")


def run(options: Namespace) -> int:
    """Let the idealized learner choose; print a table for each encoding."""
    from ...crasp.fragments import Fragment

    low, high = _SIZES[options.hypotheses]
    if options.size is not None and not low <= options.size <= high:
        raise InvalidOptionError(
            f"the size of {options.hypotheses} must be from {low} to {high}; found {options.size}.",
            hint="leave --size out for the usual one.",
        )
    target, readout = _target(options)
    last_n = options.lengths if options.lengths is not None else 12 if len(target.alphabet) <= 2 else 8
    encodings = [options.encoding] if options.encoding else list(ENCODINGS)
    found = []
    for number, encoding in enumerate(encodings):
        fragment = Fragment.PLAIN if encoding == "nope" else Fragment.PERIODIC_LOCAL
        verdict = _verdict(target, fragment, readout)
        inference = _infer(options, target, fragment, readout, last_n)
        found.append(
            {"what": options.what, "encoding": encoding, "prediction": str(verdict.answer), **_data(inference)}
        )
        if not options.json:
            print("\n" * (number > 0), end="")
            _print(options.what, encoding, verdict, inference)
    if options.json:
        print_json(found)
    return 0


def _infer(options: Namespace, target: Target, fragment: Fragment, readout: Readout, last_n: int) -> Inference:
    with passing_line(hidden=options.json) as show:
        if options.hypotheses == "programs":
            from ...theory.inference.programs import infer_programs, usual_size

            return infer_programs(
                target,
                fragment=fragment,
                readout=readout,
                last_n=last_n,
                max_size=options.size or usual_size(target),
                progress=lambda size, kept: show(f"size {size}: {kept:,} behaviours kept"),
            )
        from ...theory.inference.transformers import Grid, infer_transformers

        return infer_transformers(
            target,
            Grid(alphabet=target.alphabet, largest=options.size or 1, positions=fragment.has_windows),
            last_n=last_n,
            progress=lambda done, of: show(f"{done:,} of {of:,} transformers"),
        )


def _target(options: Namespace) -> tuple[Target, Readout]:
    """Return the words that a user means, and where acceptance is read."""
    from ...crasp.fragments import Readout
    from ...crasp.syntax import Program
    from ...predict.resolve import resolve
    from ...theory.inference.table import make_target

    question = resolve(options.what, alphabet=options.alphabet, regex=options.regex)
    source: DFA | Program | None = question.facts.language
    if source is None:
        source = _acceptor(options.what, question.facts.program)
    if source is None:
        raise InvalidOptionError(
            f"inference needs words that are accepted or not, and {options.what!r} asks for something else.",
            hint="name a language, an expression or a program, for example PARITY, '(aa)*' or majority.",
        )
    return make_target(source), source.readout if isinstance(source, Program) else Readout.END_MARKER


def _acceptor(what: str, program: Program | None) -> Program | None:
    """Return a program that accepts words: what the facts have, or the one of the library with this name."""
    from ...crasp.programs.catalog import find_program
    from ...errors import UnknownNameError

    if program is not None and not program.is_generator:
        return program
    try:
        found = find_program(what).program
    except UnknownNameError:
        return None
    return None if found.is_generator else found


def _verdict(target: Target, fragment: Fragment, readout: Readout) -> Verdict:
    """Return what theory says about the target."""
    from ...languages.dfa import DFA
    from ...theory.deciders import decide
    from ...theory.facts import Facts

    if isinstance(target.source, DFA):
        return decide(Facts(language=target.source), fragment, readout)
    return decide(Facts(program=target.source), fragment)  # type: ignore[arg-type]  # a predicate never comes from here


def _print(what: str, encoding: str, verdict: Verdict, inference: Inference) -> None:
    answer = str(verdict.answer)
    print(f"{visible(what)} × {encoding}: theory says {colour(answer, answer)}, {verdict.readout.notation}")
    print(paragraph(f"of {inference.hypotheses}", "  ", "  "))
    print()
    print(table(_HEADER, [_cells(row) for row in inference.rows]))
    print()
    print(paragraph(inference.conclusion))
    print(
        paragraph(
            f"agree: hypotheses that are correct on all inputs up to length n/2 ({inference.counted}). tie: how many of them have the "
            f"smallest R, and how many different behaviours these have on words up to length {inference.compared}. The learner takes "
            f"{inference.order}."
        )
    )


_HEADER = ("n", "fits to", "R", "agree", "tie", "right to", "errs on", "chosen")


def _cells(row: Row) -> tuple[str, ...]:
    if row.chosen is None or row.complexity is None:
        return (str(row.n), str(row.trained), "", "0", "", "", "", "no hypothesis is left")
    ways = f"{row.tied:,}" if row.tied == 1 else f"{row.tied:,} in {row.behaviours}"
    right = f"≥ {row.right_to}" if row.first_wrong is None else str(row.right_to)
    wrong = "" if row.first_wrong is None else visible(_word(row.first_wrong))
    complexity = f"{row.complexity:.4g}"
    return (str(row.n), str(row.trained), complexity, f"{row.agreeing:,}", ways, right, wrong, row.chosen)


def _word(word: tuple[str, ...]) -> str:
    from ...languages.alphabet import show_word

    return show_word(word)


def _data(inference: Inference) -> dict[str, Any]:
    return {
        "hypotheses": inference.hypotheses,
        "order": inference.order,
        "compared": inference.compared,
        "settled_from": inference.settled_from,
        "generalizes_from": inference.generalizes_from,
        "conclusion": inference.conclusion,
        "rows": [
            {
                "n": row.n,
                "fits_to": row.trained,
                "chosen": row.chosen,
                "complexity": row.complexity,
                "agreeing": row.agreeing,
                "tied": row.tied,
                "behaviours": row.behaviours,
                "has_right": row.has_right,
                "first_wrong": None if row.first_wrong is None else list(row.first_wrong),
                "right_to": row.right_to,
                "checked": row.checked,
            }
            for row in inference.rows
        ],
    }
