"""`lengthwise recommend`: the encodings for a task, the best first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from ...encodings.catalog import ENCODINGS
from ...predict.recommend import Advice, Standing, recommend
from ...theory.claims import Answer
from ...theory.positions.opinion import Opinion
from ...theory.windows import Caps
from ..arguments import add_predictor_argument, add_question_arguments
from ..explanations import measured_legend
from ..second_opinion import PREDICTED
from ..text import paragraph, print_json, print_note, table
from .predict import note_stopped

EXAMPLES = """\
examples:
  lengthwise recommend '(aa)*'
  lengthwise recommend PARITY --all
  lengthwise recommend '.*ab.*' --alphabet abc
  lengthwise recommend bin_majority --json"""


SHOWN = 5
"""How many encodings are shown unless all are asked for."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="WHAT", help="a task, language or program name, an expression, or a file")
    parser.add_argument("--all", action="store_true", help=f"show all encodings, not only the first {SHOWN}")
    add_predictor_argument(parser)
    add_question_arguments(parser)


def run(options: Namespace) -> int:
    """Print the encodings for a problem, the best first, and what else would help."""
    caps = Caps().times(options.effort)
    advice = recommend(
        options.what,
        asked=options.asked,
        alphabet=options.alphabet,
        regex=options.regex,
        caps=caps,
        predictor=options.predictor,
    )
    if advice.stopped:
        note_stopped(advice.stopped)
    if advice.question.note:
        print_note(advice.question.note)
    if options.json:
        print_json({"what": options.what, **advice.to_json()})
    else:
        _print(advice, options.what, options.all)
    return 0


def _print(advice: Advice, what: str, show_all: bool) -> None:
    shown = advice.ranking if show_all else advice.ranking[:SHOWN]
    rows = [
        (
            str(row.rank),
            row.prediction.encoding,
            str(row.prediction.verdict.answer),
            *([PREDICTED[row.second.opinion.predicted] if row.second else "–"] if advice.ideal else []),
            row.why,
        )
        for row in shown
    ]
    conjectured = ("conjectured",) if advice.ideal else ()
    print(table(("rank", "encoding", "answer", *conjectured, "why"), rows, coloured=2))
    if advice.ideal is not None:
        print()
        print(paragraph(_ideal_advice(advice.ideal, what)))
    print()
    print(paragraph(" ".join(_remarks(advice, show_all))))
    suggestions = [*(repair.sentence() for repair in advice.repairs), *advice.alternatives]
    if suggestions:
        print("\nWhat else would help:")
        for suggestion in suggestions:
            print(paragraph(suggestion, "    ", "  - "))


def _remarks(advice: Advice, show_all: bool) -> Iterator[str]:
    """Yield what is not shown, what the order means, and where it comes from."""
    answers = [row.prediction.verdict.answer for row in advice.ranking]
    counts = {answer: answers.count(answer) for answer in Answer}
    if not counts[Answer.YES]:
        yield "None of these encodings is predicted to work."
    is_estimated = any(row.prediction.estimate for row in advice.ranking)
    if len(set(answers)) == 1 and answers[0] is not Answer.YES and not is_estimated:
        yield "All have the same answer, so their order means nothing."
    elif (
        sum(Standing.of(row.prediction) is Standing.OPEN and not row.prediction.estimate for row in advice.ranking) > 1
    ):
        yield "Among encodings that are UNKNOWN and not measured, the order means nothing."
    told = ", ".join(f"{count} {answer}" for answer, count in counts.items() if count)
    hidden = len(advice.ranking) - SHOWN
    if hidden > 0 and not show_all:
        yield f"Of {len(advice.ranking)} encodings ({told}), the first {SHOWN} are shown; --all shows the others."
    others = len(ENCODINGS) - len(advice.ranking)
    if others > 0:
        yield f"For {others} more encodings nothing is proved or measured, so they have no rank (lengthwise list encodings)."
    sources = ["proofs"]
    sources += ["measured runs"] * any(row.prediction.measured is not None for row in advice.ranking)
    sources += ["estimated chances"] * is_estimated
    sources += ["the conjecture where there is no proof"] * (advice.ideal is not None)
    yield f"The ranks come from {', then from '.join(sources)}."
    yield from measured_legend([row.prediction for row in advice.ranking])


def _ideal_advice(ideal: Opinion, what: str) -> str:
    """Return what the conjecture says about the positions that a task's own circuit prescribes."""
    claim = (
        f"positions made for its circuit would work: {ideal.reason}"
        if ideal.predicted
        else f"no positions would work: {ideal.reason}"
    )
    return f"Conjectured, by sequential complexity (our reconstruction of arXiv 2510.04130): {claim} See: lengthwise complexity {what!r}"
