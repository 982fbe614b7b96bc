"""The commands: each asks the library one thing and prints it."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from ..crasp.fragments import Readout
from ..encodings.names import split_names
from ..errors import InvalidCertificateError, InvalidOptionError
from ..files import parse_json, read_json, write_text
from ..languages.alphabet import show_alphabet, show_word
from ..predict.predict import DEFAULT_ENCODINGS, Prediction
from ..predict.predict import predict as predict_one
from ..theory.claims import Answer, Asked
from ..theory.windows import Caps
from .text import colour, paragraph, print_json, printable, table

if TYPE_CHECKING:
    from ..theory.positions.opinion import Opinion

_READOUTS = {None: None, "end": Readout.END_MARKER, "last": Readout.LAST_SYMBOL}


def predict(options: Namespace) -> int:
    """Print a verdict for every language and encoding."""
    named = options.encoding or [",".join(DEFAULT_ENCODINGS)]
    encodings = [name for group in named for name in split_names(group)]
    if options.effort < 1 or options.pairs < 0:
        raise InvalidOptionError(
            f"--effort is at least 1 and --pairs at least 0; found {options.effort} and {options.pairs}.",
            hint="leave them out for the usual caps and for verdicts.",
        )
    if options.pairs and options.explain:
        raise InvalidOptionError(
            f"--pairs {options.pairs} prints words instead of verdicts, so there is nothing to --explain.",
            hint="leave one of the two out.",
        )
    settings = {} if options.max_states is None else {"max_states": options.max_states}
    predictions = [
        predict_one(
            what,
            encodings=encodings,
            asked=Asked.NEXT_SYMBOLS if options.asked == "next" else Asked.MEMBERSHIP,
            readout=_READOUTS[options.readout],
            alphabet=options.alphabet,
            regex=options.regex,
            caps=None if options.effort == 1 else Caps().times(options.effort),
            **settings,
        )
        for what in options.what
    ]
    for rows in predictions:
        if rows and rows[0].question.note:
            print(f"note: {rows[0].question.note}", file=sys.stderr)
    flat = [row for rows in predictions for row in rows]
    if options.pairs:
        _print_pairs(flat, options)
    elif options.json:
        print_json([row.to_json() for row in flat])
    else:
        _print_predictions(predictions, options.explain)
    if options.exit_code:
        answers = {row.verdict.answer for row in flat}
        return 1 if Answer.NO in answers else 3 if Answer.UNKNOWN in answers else 0
    return 0


def _print_pairs(rows: list[Prediction], options: Namespace) -> None:
    """Print, for every NO, words in the language beside words that are not and that no program tells from them."""
    from ..theory.adversarial import adversarial_pairs

    found = []
    for row in rows:
        certificate = row.verdict.certificate
        if row.verdict.answer is Answer.NO and certificate is not None and certificate.asked is Asked.MEMBERSHIP:
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
        told = [
            (row.question.what, row.encoding, f"{show_word(inside)}\n{show_word(outside)} (not in it)")
            for row, inside, outside in found
        ]
        print(table(("question", "encoding", "word in the language, and one that is not"), told))
    else:
        print("no pairs: they come from a NO with a certificate.", file=sys.stderr)


def _print_predictions(predictions: list[list[Prediction]], explain: bool) -> None:
    from .explanations import advise, explain_prediction, headline, legend

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
                [(row.encoding, str(row.verdict.answer), _why(row)) for row in rows],
                coloured=1,
            )
        )
        print()
        _print_opinions(rows)
    else:
        listed = [
            (_first_column(rows, number), row.encoding, str(row.verdict.answer), row.verdict.reason)
            for rows in predictions
            for number, row in enumerate(rows)
        ]
        print(table(("question", "encoding", "answer", "why"), listed, coloured=2))
        print()
    print(legend({row.verdict.answer for rows in predictions for row in rows}))


def _print_opinions(rows: list[Prediction]) -> None:
    """Print what the conjecture on sequential complexity says, where the question is a task that has a circuit."""
    if rows[0].question.read_as == "task":
        from .complexity import opinion_lines

        for line in opinion_lines(rows):
            print(line)


def _first_column(rows: list[Prediction], number: int) -> str:
    """Return the question in its first row and, in the second, its alphabet."""
    alphabet = rows[0].verdict.alphabet
    shown = f"over {show_alphabet(alphabet)}" if alphabet else ""
    if len(rows) == 1:
        return f"{rows[0].question.what} {shown}".rstrip()
    return (rows[0].question.what, f"  {shown}".rstrip())[number] if number < 2 else ""


def _why(row: Prediction) -> str:
    certificate = row.verdict.certificate
    return row.verdict.reason + (f"\ncertificate: {certificate.summary()}" if certificate else "")


def recommend(options: Namespace) -> int:
    """Print the encodings for a problem, the best first, and what would help besides."""
    from ..encodings.cards import ENCODINGS
    from ..predict.recommend import recommend as rank

    asked = Asked.NEXT_SYMBOLS if options.asked == "next" else Asked.MEMBERSHIP
    advice = rank(options.what, asked=asked, alphabet=options.alphabet, regex=options.regex)
    if advice.question.note:
        print(f"note: {advice.question.note}", file=sys.stderr)
    if options.json:
        print_json(
            {
                "what": options.what,
                "ranking": [{"rank": row.rank, "why": row.why} | row.prediction.to_json() for row in advice.ranking],
                "ideal": None
                if advice.ideal is None
                else {"predicted": advice.ideal.predicted, "reason": advice.ideal.reason},
                "repairs": [
                    {
                        "kind": each.kind,
                        "advice": each.advice,
                        "answer": str(each.verdict.answer),
                        "fragment": str(each.verdict.fragment),
                        "level": each.verdict.level,
                        "alphabet": list(each.language.alphabet),
                    }
                    for each in advice.repairs
                ],
            }
        )
        return 0
    words = {True: "yes", False: "no", None: "open"}
    rows = [
        (
            str(row.rank),
            row.prediction.encoding,
            str(row.prediction.verdict.answer),
            *([words[row.second.opinion.predicted] if row.second else "–"] if advice.ideal else []),
            row.why,
        )
        for row in advice.ranking
    ]
    conjectured = ("conjectured",) if advice.ideal else ()
    print(table(("rank", "encoding", "answer", *conjectured, "why"), rows, coloured=2))
    if advice.ideal is not None:
        print()
        print(paragraph(_ideal_advice(advice.ideal, options.what)))
    others = len(ENCODINGS) - len(advice.ranking)
    print(
        f"\nOf {others} other encodings no bound is proved, so theory does not rank them (lengthwise list encodings)."
    )
    if all(row.prediction.verdict.answer is Answer.NO for row in advice.ranking):
        print("\nNone of these encodings is predicted to work, so the order means nothing.")
    if advice.repairs:
        print("\nWhat would help besides:")
        for repair in advice.repairs:
            print(paragraph(repair.sentence(), "    ", "  - "))
    by = "proofs, and where these are silent from the conjecture" if advice.ideal else "proofs alone"
    print(f"\nRanks follow from {by}; nothing was trained.")
    return 0


def _ideal_advice(ideal: Opinion, what: str) -> str:
    """Return what the conjecture says of the positions that a task's own circuit prescribes."""
    told = (
        f"positions made for its circuit would work: {ideal.reason}"
        if ideal.predicted
        else f"none works: {ideal.reason}"
    )
    return f"Conjectured, by sequential complexity (our reconstruction of arXiv 2510.04130): {told} See: lengthwise complexity {what!r}"


def check(options: Namespace) -> int:
    """Print, for every certificate in a file, whether it holds; of a task file, every finding."""
    from .own_tasks import check_task, is_task_file

    if is_task_file(options.file):
        return check_task(options)
    from ..predict.resolve import resolve
    from ..theory.checker import check_certificate

    language = resolve(options.language).facts.language if options.language is not None else None
    if options.language is not None and language is None:
        raise InvalidOptionError(
            f"{options.language!r} is not a regular language; certificates speak of languages.",
            hint="after --for, name a language, a regular expression or an automaton file.",
        )
    certificates = _read_certificates(options.file)
    checks = [check_certificate(data, language) for data in certificates]
    if options.json:
        fields = ("answer", "fragment", "asked", "readout", "alphabet", "objection")
        print_json([{"accepted": done.accepted} | {field: getattr(done, field) for field in fields} for done in checks])
    else:
        for done in checks:
            word = "accepted" if done.accepted else "rejected"
            alphabet = show_alphabet(done.alphabet)
            claim = f"{done.answer} for {done.asked} in {done.fragment} at {done.readout} over {alphabet}"
            if not done.is_claim:
                claim = "the certificate does not say what it claims"
            told = printable(claim + (f": {done.objection}." if done.objection else ""))
            print(paragraph(f"{colour(word, word)}: {told}", "  ", ""))
    return 0 if all(done.accepted for done in checks) else 1


def _read_certificates(path: str) -> list[object]:
    """Return the certificates of a file: one, a list of them, or rows that carry them."""
    data = parse_json(sys.stdin.read(), "standard input") if path == "-" else read_json(path)
    rows = data if isinstance(data, list) else [data]
    if not rows:
        raise InvalidCertificateError(
            f"{path!r} holds [], which is neither an automaton nor a list of certificates.",
            hint="an automaton is an object with alphabet, initial, accepting and transitions; "
            "certificates come from: lengthwise predict '(ab)*' --json",
        )
    certificates = [row["certificate"] if isinstance(row, dict) and "certificate" in row else row for row in rows]
    found = [certificate for certificate in certificates if certificate is not None]
    if not found:
        raise InvalidCertificateError(
            f"{path!r} holds no certificate.",
            hint="an answer UNKNOWN has none; write one with: lengthwise predict '(ab)*' --json",
        )
    return found


def list_kind(options: Namespace) -> int:
    """Print the names of a kind with a line about each."""
    if options.svg is not None and options.kind != "encodings":
        raise InvalidOptionError(
            f"--svg draws what encodings do; found kind {options.kind!r}.", hint="use it with: list encodings"
        )
    if options.kind == "encodings":
        from .encodings import list_encodings

        return list_encodings(options)
    if options.kind == "tasks":
        from .tasks import list_tasks

        return list_tasks(options)
    for given, option in ((options.why, "--why"), (options.group is not None, "--group")):
        if given:
            raise InvalidOptionError(
                f"{option} is for tasks; found kind {options.kind!r}.", hint="use it with: list tasks"
            )
    from ..languages.catalog import LANGUAGES
    from ..theory.theorems import THEOREMS

    rows: list[tuple[str, ...]]
    if options.kind == "programs":
        from ..crasp.measures import depth_of, fragment_of
        from ..crasp.programs.catalog import PROGRAMS

        header: tuple[str, ...] = ("name", "fragment", "depth", "definition")
        rows = [
            (each.title, fragment_of(each.program).notation, str(depth_of(each.program)), each.definition)
            for each in PROGRAMS.values()
        ]
    elif options.kind == "languages":
        header = ("name", "published", "definition")
        rows = [(each.name, _published(dict(each.published)), each.definition) for each in LANGUAGES.values()]
    elif options.kind == "bounds":
        from ..theory.communication import PROBLEMS

        header = ("name", "definition")
        rows = [(name, problem.definition) for name, problem in PROBLEMS.items()]
    elif options.kind == "papers":
        from ..papers.catalog import SOURCES

        header = ("name", "source", "title")
        rows = [(name, *told) for name, told in SOURCES.items()]
    else:
        header = ("name", "statement")
        rows = [(name, theorem.statement) for name, theorem in THEOREMS.items()]
    if options.json:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
        return 0
    print(table([title.replace("_", " ") for title in header], rows))
    if options.kind == "languages":
        print(
            "\npublished: length-generalizes with ape / with nope, as predicted in arXiv 2410.02140. D_n works for every n."
        )
    return 0


def _published(flags: dict[str, bool]) -> str:
    words = {True: "yes", False: "no", None: "open"}
    return f"{words[flags['ape']]} / {words[flags['nope']]}" if flags else "–"


def show(options: Namespace) -> int:
    """Print one thing in full."""
    from . import details

    for given, option, kinds, does in (
        (options.svg is not None, "--svg", ("language", "encoding"), "draws an automaton, or what an encoding does"),
        (options.latex, "--latex", ("program",), "writes a program in LaTeX"),
        (options.head is not None, "--head", ("encoding",), "chooses the head that is drawn"),
        (options.length is not None, "--length", ("task",), "is that of the examples"),
        (options.count is not None, "--count", ("task",), "says how many examples to print"),
    ):
        if given and options.kind not in kinds:
            allowed = " or ".join(f"show {kind} NAME" for kind in kinds)
            raise InvalidOptionError(f"{option} {does}; found kind {options.kind!r}.", hint=f"use it with: {allowed}")
    if options.kind == "encoding":
        from .encodings import show_encoding

        return show_encoding(options)
    print_data: object
    if options.kind == "task":
        from .tasks import show_task

        print_data, text = show_task(options.name, length=options.length, count=options.count)
    elif options.kind == "program":
        from .programs import program_text

        print_data, text = program_text(options.name, latex=options.latex)
    else:
        print_data, text = details.DETAILS[options.kind](options.name)
    if options.svg is not None:
        write_text(options.svg, details.language_svg(options.name))
        print(f"wrote {options.svg}", file=sys.stderr)
    if options.json:
        print_json(print_data)
    else:
        print(text)
    return 0
