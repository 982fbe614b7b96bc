"""`lengthwise recommend`: the encodings for a task, the best first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ...encodings.catalog import ENCODINGS
from ...predict.recommend import Advice, recommend
from ...theory.claims import Answer
from ...theory.positions.opinion import Opinion
from ...theory.windows import Caps
from ..arguments import add_question_arguments
from ..second_opinion import PREDICTED
from ..text import paragraph, print_json, print_note, table
from .predict import note_stopped

EXAMPLES = """\
examples:
  lengthwise recommend '(aa)*'
  lengthwise recommend PARITY
  lengthwise recommend '.*ab.*' --alphabet abc
  lengthwise recommend bin_majority --json"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="WHAT", help="a task, language or program name, an expression, or a file")
    add_question_arguments(parser)


def run(options: Namespace) -> int:
    """Print the encodings for a problem, the best first, and what else would help."""
    caps = Caps().times(options.effort)
    advice = recommend(options.what, asked=options.asked, alphabet=options.alphabet, regex=options.regex, caps=caps)
    if advice.stopped:
        note_stopped(advice.stopped)
    if advice.question.note:
        print_note(advice.question.note)
    if options.json:
        print_json({"what": options.what, **advice.to_json()})
    else:
        _print(advice, options.what)
    return 0


def _print(advice: Advice, what: str) -> None:
    rows = [
        (
            str(row.rank),
            row.prediction.encoding,
            str(row.prediction.verdict.answer),
            *([PREDICTED[row.second.opinion.predicted] if row.second else "–"] if advice.ideal else []),
            row.why,
        )
        for row in advice.ranking
    ]
    conjectured = ("conjectured",) if advice.ideal else ()
    print(table(("rank", "encoding", "answer", *conjectured, "why"), rows, coloured=2))
    if advice.ideal is not None:
        print()
        print(paragraph(_ideal_advice(advice.ideal, what)))
    others = len(ENCODINGS) - len(advice.ranking)
    print(
        f"\nThe other {others} encodings have no proved bound, so theory cannot rank them (lengthwise list encodings)."
    )
    if all(row.prediction.verdict.answer is Answer.NO for row in advice.ranking):
        print("\nNone of these encodings is predicted to work, so the order means nothing.")
    suggestions = [*(repair.sentence() for repair in advice.repairs), *advice.alternatives]
    if suggestions:
        print("\nWhat else would help:")
        for suggestion in suggestions:
            print(paragraph(suggestion, "    ", "  - "))
    source = "proofs, and from the conjecture where there is no proof" if advice.ideal else "proofs alone"
    print(f"\nThe ranks come from {source}; nothing was trained.")


def _ideal_advice(ideal: Opinion, what: str) -> str:
    """Return what the conjecture says about the positions that a task's own circuit prescribes."""
    claim = (
        f"positions made for its circuit would work: {ideal.reason}"
        if ideal.predicted
        else f"no positions would work: {ideal.reason}"
    )
    return f"Conjectured, by sequential complexity (our reconstruction of arXiv 2510.04130): {claim} See: lengthwise complexity {what!r}"
