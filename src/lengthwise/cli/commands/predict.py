"""`lengthwise predict`: a verdict for every question and encoding."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from ...budget import time_budget
from ...encodings.core.choice import split_names
from ...errors import InvalidOptionError
from ...languages.alphabet import show_alphabet, show_word
from ...predict.predict import ADVISING, DEFAULT_ENCODINGS, Prediction, predict
from ...theory.claims import Answer, Asked
from ...theory.windows import Caps
from ..arguments import (
    add_encoding_argument,
    add_predictor_argument,
    add_question_arguments,
    add_readout_argument,
    whole_number,
)
from ..text import print_json, print_note, table

EXAMPLES = """\
examples:
  lengthwise predict '(ab|bbaa)*'
  lengthwise predict PARITY '(aa)*' D_3
  lengthwise predict '[012]*02*' --explain
  lengthwise predict '.*ab.*' --alphabet abc --encoding nope,ape,rope
  lengthwise predict TOMITA_4 --encoding rope,alibi --length 500
  lengthwise predict '(ab|bbaa)*' --layers 2         is a program of depth 2 enough?
  lengthwise predict '(ab|bbaa)*' --train-length 20  which published bounds does this training length reach?
  lengthwise predict PARITY --pairs 5            words to test a trained model on
  lengthwise predict automaton.json --json > verdicts.json && lengthwise check verdicts.json

exit codes: 0 answered, 2 the input was wrong; with --exit-code also 1 for any NO and 3 for any UNKNOWN"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "what",
        nargs="+",
        metavar="WHAT",
        help="a task, language or program name, a regular expression, an automaton file (.json) or a program (.crasp)",
    )
    add_encoding_argument(parser)
    parser.add_argument(
        "--explain", action="store_true", help="show the theorem, its source, and the program or the obstruction"
    )
    add_readout_argument(parser, default=None, usual="end")
    parser.add_argument(
        "--max-states", type=int, metavar="N", help="most states of an expression's automaton (default: 10000)"
    )
    parser.add_argument(
        "--pairs",
        type=whole_number(0, 1_000),
        default=0,
        metavar="N",
        help="instead of verdicts, print N hard pairs of words for every NO",
    )
    parser.add_argument(
        "--length",
        type=whole_number(1, 1_000_000),
        metavar="N",
        help="also say what holds for inputs up to N tokens, where that is more than what holds at every length",
    )
    parser.add_argument(
        "--number-format",
        choices=("float32", "bfloat16", "float16"),
        default="float32",
        help="of the model, for --length (default: float32)",
    )
    parser.add_argument(
        "--head-width",
        type=whole_number(2, 100_000),
        default=16,
        metavar="K",
        help="of the model, for --length (default: 16)",
    )
    parser.add_argument(
        "--layers",
        type=whole_number(0, 1_000),
        metavar="L",
        help="also say whether L layers suffice, for encodings with exactly the programs of plain C-RASP (nope)",
    )
    parser.add_argument(
        "--train-length",
        type=whole_number(0, 1_000_000_000),
        metavar="N",
        help="also say which known bounds on the training length N reaches",
    )
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 for any NO, 3 for any UNKNOWN")
    add_predictor_argument(parser)
    add_question_arguments(parser)


def run(options: Namespace) -> int:
    """Print a verdict for every question and encoding."""
    named = options.encoding or [",".join(DEFAULT_ENCODINGS)]
    encodings = [name for group in named for name in split_names(group)]
    if options.pairs and options.explain:
        raise InvalidOptionError(
            f"--pairs {options.pairs} prints words instead of verdicts, so there is nothing to --explain.",
            hint="leave one of the two out.",
        )
    if options.pairs and (options.layers is not None or options.train_length is not None):
        asked_for = "--layers" if options.layers is not None else "--train-length"
        raise InvalidOptionError(
            f"--pairs {options.pairs} prints words instead of verdicts, so {asked_for} has nothing to speak of.",
            hint="leave one of the two out.",
        )
    caps = Caps().times(options.effort)
    settings = {} if options.max_states is None else {"max_states": options.max_states}
    predictions = [
        predict(
            what,
            encodings=encodings,
            asked=options.asked,
            readout=options.readout,
            alphabet=options.alphabet,
            regex=options.regex,
            caps=caps,
            predictor=options.predictor,
            **settings,
        )
        for what in options.what
    ]
    for rows in predictions:
        if rows and rows[0].question.note:
            print_note(rows[0].question.note)
    flat = [row for rows in predictions for row in rows]
    with time_budget(caps.max_advice_seconds * len(options.what), ADVISING) as budget:
        if options.pairs:
            _print_pairs(flat, options)
        elif options.json and not _needs_layers(options):
            print_json([row.to_json() | _at_length(row, options) for row in flat])
        elif not options.json:
            _print_predictions(predictions, options.explain)
            _print_lengths(flat, options)
    if budget.is_spent:
        note_stopped(budget.error().message)
    answers = {row.verdict.answer for row in flat}
    if _needs_layers(options):
        answers |= _print_layers(flat, options)
    if options.exit_code:
        return 1 if Answer.NO in answers else 3 if Answer.UNKNOWN in answers else 0
    return 0


def _at_length(row: Prediction, options: Namespace) -> dict[str, object]:
    """Return what holds up to the length that was asked for, if one was."""
    if options.length is None:
        return {}
    from ...predict.lengths import Setting, at_bounded_length
    from ...theory.precision.look_back import NumberFormat

    setting = Setting(
        length=options.length, number_format=NumberFormat(options.number_format), head_width=options.head_width
    )
    return {"length": options.length, "up_to_length": at_bounded_length(row, setting)}


def _print_lengths(rows: Sequence[Prediction], options: Namespace) -> None:
    told = [(row, _at_length(row, options).get("up_to_length")) for row in rows]
    lines = [(row.question.what, row.encoding, str(said)) for row, said in told if said]
    if lines:
        print(f"\nUp to length {options.length:,}:\n")
        print(table(("question", "encoding", "what holds"), lines))
    elif options.length is not None:
        print_note(f"nothing more is known for inputs up to length {options.length:,}.")


def _needs_layers(options: Namespace) -> bool:
    """Return whether the number of layers is bounded: not by default, so that a plain question is answered at once."""
    asked = options.layers is not None or options.train_length is not None
    return asked or (options.explain and not options.json)


def _print_layers(rows: Sequence[Prediction], options: Namespace) -> set[Answer]:
    """Print how many layers are needed and how long to train; return the answers for the number of layers asked about."""
    from ...predict.layers import answer_with
    from ..layers import bound_rows, layer_lines, rows_to_json, training_lines

    bounds = bound_rows(rows, options.effort)
    if options.json:
        told = rows_to_json(rows, bounds, options.layers, options.train_length)
        print_json([data | _at_length(row, options) for data, row in zip(told, rows, strict=True)])
    else:
        lines = layer_lines(rows, bounds, options.layers)
        if options.train_length is not None:
            lines += training_lines(rows, bounds, options.train_length)
        if lines:
            print("\n" + "\n".join(lines))
    if options.layers is None:
        return set()
    return {answer_with(found, options.layers)[0] for found in bounds.values() if found is not None}


def note_stopped(cap: str) -> None:
    """Say that the search for advice met a cap."""
    print_note(f"the search for advice stopped early: {cap} --effort 10 allows ten times as much.")


def _print_pairs(rows: Sequence[Prediction], options: Namespace) -> None:
    """Print, for every NO, words in the language beside words outside it that no program tells from them."""
    from ...theory.adversarial import adversarial_pairs
    from ...theory.certificates import LanguageCertificate

    found = []
    for row in rows:
        certificate = row.verdict.certificate
        if not isinstance(
            certificate, LanguageCertificate
        ):  # a NO by fixed precision alone has no pairs yet, nor a task
            continue
        if row.verdict.answer is Answer.NO and certificate.asked is Asked.MEMBERSHIP:
            for inside, outside in adversarial_pairs(certificate, options.pairs):
                found.append((row, inside, outside))
    if options.json:
        print_json(
            [
                {"what": row.question.what, "encoding": row.encoding, "in": list(inside), "out": list(outside)}
                for row, inside, outside in found
            ]
        )
    elif found:
        shown = [
            (row.question.what, row.encoding, f"{show_word(inside)}\n{show_word(outside)} (not in it)")
            for row, inside, outside in found
        ]
        print(table(("question", "encoding", "word in the language, and one that is not"), shown))
    else:
        print_note("there are no pairs: they come from a NO with a certificate.")


def _print_predictions(predictions: Sequence[Sequence[Prediction]], explain: bool) -> None:
    from ..explanations import advise, explain_prediction, headline, legend

    if explain:
        for rows in predictions:
            print(headline(rows[0].question, rows[0].verdict, drawn=True))
            for row in rows:
                print()
                print(explain_prediction(row))
            advice = advise(rows[0].question, rows)
            if advice:
                print()
                print("\n".join(advice))
            print()
            _print_opinions(rows)
    elif len(predictions) == 1:
        rows = predictions[0]
        print(headline(rows[0].question, rows[0].verdict))
        print()
        print(
            table(
                ("encoding", "answer", "why"),
                [(row.encoding, str(row.verdict.answer), _reason(row)) for row in rows],
                coloured=1,
            )
        )
        print()
    else:
        listed = [
            (_first_column(rows, number), row.encoding, str(row.verdict.answer), _reason(row))
            for rows in predictions
            for number, row in enumerate(rows)
        ]
        print(table(("question", "encoding", "answer", "why"), listed, coloured=2))
        print()
    print(legend([row for rows in predictions for row in rows]))


def _print_opinions(rows: Sequence[Prediction]) -> None:
    """Print the conjecture on sequential complexity, where the question is a task that has a circuit."""
    if rows[0].question.read_as == "task":
        from ..second_opinion import opinion_lines

        for line in opinion_lines(rows):
            print(line)


def _first_column(rows: Sequence[Prediction], number: int) -> str:
    """Return the question in its first row and, in the second, its alphabet."""
    alphabet = rows[0].verdict.alphabet
    shown = f"over {show_alphabet(alphabet)}" if alphabet else ""
    if len(rows) == 1:
        return f"{rows[0].question.what} {shown}".rstrip()
    return (rows[0].question.what, f"  {shown}".rstrip())[number] if number < 2 else ""


def _reason(row: Prediction) -> str:
    """Return the reason of the answer, what the other theory says where it says something else, what was measured, and the chance."""
    measured = row.measured.sentence(row.question.facts.asked) if row.measured else ""
    return "\n".join(filter(None, (row.verdict.reason, row.aside, measured, row.estimate)))
