"""What the playground asks, and the answers: JSON text in, JSON text out.

The page runs this module in the browser, so it must stay free of NumPy, rich and torch for regular expressions. A request is
an object with the key ``kind``. A wrong request gives ``{"error": {"message", "hint", "caret"}}``; nothing raises. Files
are never read: a permalink may hold any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ..budget import time_budget
from ..crasp.fragments import Fragment, Readout
from ..errors import InvalidOptionError, LengthwiseError, ProgramSyntaxError, RegexSyntaxError, shortened
from ..files import json_text, parse_json
from ..languages.alphabet import show_alphabet, show_word
from ..languages.dfa import DFA
from ..predict.predict import ADVISING, DEFAULT_ENCODINGS, Prediction, Predictions, predict
from ..predict.theories import PRECISION_MEANS, in_words
from ..theory.checker import Check
from ..theory.claims import MEANINGS, Answer, Asked
from ..theory.precision.logics import Logic
from ..theory.reasons import capitalized
from ..theory.windows import Caps

MOST_CHARACTERS = 100_000  # of a request; no language that a person types is longer
MOST_PAIRS = 20
_LISTED_SIZE = 250  # of a program that is written out; longer ones nobody reads
_FILES = (".py", ".jsonl", ".json", ".crasp")


def answer(request: str) -> str:
    """Return the answer to a request, both JSON text.

    >>> json.loads(answer('{"kind": "predict", "what": "(aa)*"}'))["rows"][0]["answer"]
    'NO'
    >>> json.loads(answer('{"kind": "predict", "what": "(aa"}'))["error"]["caret"]
    '(aa\\n^'
    """
    try:
        found = _answer(request)
    except LengthwiseError as error:
        found = {"error": describe_error(error)}
    except RecursionError:
        found = {
            "error": {"message": "this is nested too deeply to be read.", "hint": "use a smaller one.", "caret": ""}
        }
    return json.dumps(found)


def _answer(request: str) -> dict[str, object]:
    if len(request) > MOST_CHARACTERS:
        raise InvalidOptionError(
            f"the request has {len(request):,} characters; the page takes up to {MOST_CHARACTERS:,}.",
            hint="use the command line for larger questions.",
        )
    fields = parse_json(request, "the request")
    if not isinstance(fields, dict):
        raise InvalidOptionError(f"a request is an object; found {request[:80]!r}.", hint="reload the page.")
    kind = _text(fields, "kind")
    if kind not in KINDS:
        raise InvalidOptionError(f"kind {kind!r} is unknown. Known: {', '.join(KINDS)}.", hint="reload the page.")
    return KINDS[kind](fields)


def describe_error(error: LengthwiseError) -> dict[str, object]:
    """Return an error as JSON data: the message, what to do, and the place in the text if there is one."""
    caret = error.caret() if isinstance(error, RegexSyntaxError | ProgramSyntaxError) else ""
    line = error.text.count("\n", 0, error.span[0]) + 1 if isinstance(error, ProgramSyntaxError) else None
    return {"message": error.message, "hint": hint_in_page(error.hint), "caret": caret, "line": line}


_IN_PAGE = (
    (r"name the alphabet: .*", "name its symbols under Options, in the field Alphabet: for example ab."),
    (r"see 'lengthwise list languages'; or", "tick 'Read a bare word as an expression' under Options, or"),
    (r"leave --alphabet out\.", "leave the field Alphabet empty (under Options)."),
    (r"leave --asked out\.", "choose the question 'Is the word in the language?' under Options."),
    (r", or raise the cap with max_states .*", "; the command line takes larger ones."),
    (r"or more effort \(--effort 10\)\.", "or ask with more effort on the command line."),
    (r"write one with: lengthwise predict .*", "paste one: Download, below a verdict, gives it."),
    (r"lengthwise show encoding (\w+)", r"the documentation of \1 lists its options."),
    (r"(name one, for example \w+); see: .*", r"\1."),
)
"""Parts of hints that name a command or an option, and what to do on the page instead."""


def hint_in_page(hint: str) -> str:
    """Return a hint of the command as one for the page, whose fields have other names.

    >>> hint_in_page("leave --alphabet out.")
    'leave the field Alphabet empty (under Options).'
    """
    for pattern, instead in _IN_PAGE:
        hint = re.sub(pattern, instead, hint)
    return hint


# Predictions


def _predictions(fields: Mapping[str, Any], key: str = "what") -> Predictions:
    what = _text(fields, key)
    if what.strip().lower().endswith(_FILES) or "\0" in what:
        raise InvalidOptionError(
            f"{shortened(what, 80)!r} is the name of a file; the page opens no files by name.",
            hint="type a regular expression or a name, or paste a program under Program.",
        )
    if not what.strip():
        raise InvalidOptionError("the question is empty.", hint="type a regular expression, such as (aa)*, or a name.")
    return _predicted(what, **_options(fields))


@lru_cache(maxsize=1)  # the page asks for advice right after the verdicts
def _predicted(what: str, *, encodings: tuple[str, ...], **options: Any) -> Predictions:
    return predict(what, encodings=encodings, **options)


def _options(fields: Mapping[str, Any]) -> dict[str, Any]:
    names = [name.strip() for name in _text(fields, "encodings").split(",") if name.strip()]
    return {
        "encodings": tuple(dict.fromkeys(names)) or DEFAULT_ENCODINGS,
        "alphabet": _text(fields, "alphabet") or None,
        "asked": _text(fields, "asked") or Asked.MEMBERSHIP,
        "readout": _text(fields, "readout") or None,
        "regex": fields.get("regex") is True,
    }


def _predict(fields: Mapping[str, Any]) -> dict[str, object]:
    rows = _predictions(fields)
    return {
        "question": describe_question(rows),
        "rows": [_row(row) for row in rows],
        "legend": _legend(rows),
        "json": json_text([row.to_json() for row in rows]),
    }


def describe_question(rows: Sequence[Prediction]) -> dict[str, object]:
    """Return what was asked about, with the automaton and its drawing where it is a language that can be drawn."""
    question, verdict = rows[0].question, rows[0].verdict
    language = question.facts.language
    return {
        "what": question.what,
        "read_as": question.read_as,
        "over": show_alphabet(verdict.alphabet) if verdict.alphabet else "",
        "asked": verdict.readout.notation if verdict.asked is Asked.MEMBERSHIP else "next symbols at every prefix",
        "note": question.note,
        "automaton": None if language is None else _automaton(language),
    }


def _automaton(language: DFA) -> dict[str, object]:
    from ..languages.drawing import MOST_DRAWN_STATES, draw_svg
    from ..svg import STYLE, element

    states = language.num_states
    # the page has the style sheet already, and its security policy allows none inside a picture
    drawn = draw_svg(language).replace(element("style", STYLE), "") if states <= MOST_DRAWN_STATES else ""
    return {
        "states": states,
        "alphabet": list(language.alphabet),
        "accepting": sorted(language.accepting),
        "transitions": [list(row) for row in language.transitions] if states <= 2_000 else [],
        "drawing": drawn,
    }


def _row(row: Prediction) -> dict[str, object]:
    certificate = row.verdict.certificate
    return {
        "encoding": row.encoding,
        "answer": str(row.verdict.answer),
        "theory": str(row.theory),
        "reason": row.verdict.reason,
        "aside": row.aside,
        "measured": row.measured.sentence(row.question.facts.asked) if row.measured else "",
        "assumption": row.verdict.assumption,
        "theories": [
            {
                "name": name,
                "answer": str(verdict.answer),
                "class": "" if verdict.is_by_weights else verdict.fragment.notation,
                "reason": verdict.reason,
            }
            for name, verdict in (("counting", row.counting), ("fixed precision", row.precision))
        ],
        "theorem": _theorem(row),
        "certificate": None if certificate is None else json_text(certificate.to_json()),
        "summary": "" if certificate is None else certificate.summary(),
    }


def _theorem(row: Prediction) -> dict[str, str] | None:
    from ..theory.theorems import THEOREMS

    if row.verdict.answer is Answer.UNKNOWN or row.verdict.theorem not in THEOREMS:
        return None
    theorem = THEOREMS[row.verdict.theorem]
    return {
        "name": row.verdict.theorem,
        "statement": theorem.statement,
        "citation": theorem.citation,
        "status": str(theorem.status),
    }


def _legend(rows: Sequence[Prediction]) -> list[str]:
    shown = dict.fromkeys(str(row.verdict.answer) for row in rows)
    lines = [f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in shown or name != "UNKNOWN"]
    lines += [f"Fixed precision: {PRECISION_MEANS}"] * any(row.aside for row in rows)
    settings = dict.fromkeys(row.measured.setting for row in rows if row.measured)
    lines += [
        f"{setting.origin}: {setting.description}. A run is fitted at 99 % on training "
        f"lengths. It generalizes at 90 % at {setting.at:g} times the training length."
        for setting in settings
    ]
    return lines


# What goes beyond a verdict


def _advise(fields: Mapping[str, Any]) -> dict[str, object]:
    """Return hard word pairs, the programs and formulas of YES answers, and what would help."""
    rows = _predictions(fields)
    number = min(MOST_PAIRS, max(1, int(fields.get("number") or 5))) if str(fields.get("number") or 5).isdigit() else 5
    with time_budget(Caps().max_advice_seconds, ADVISING) as budget:
        found = {
            "pairs": [pair for row in rows for pair in _pairs(row, number)],
            "programs": [program for row in rows for program in _programs(row)],
            "repairs": _repairs(rows),
        }
    return found | {"stopped": budget.error().message if budget.is_spent else ""}


def _pairs(row: Prediction, number: int) -> list[dict[str, str]]:
    from ..theory.adversarial import adversarial_pairs
    from ..theory.certificates import LanguageCertificate

    certificate = row.verdict.certificate
    if not isinstance(certificate, LanguageCertificate) or row.verdict.answer is not Answer.NO:
        return []
    if certificate.asked is not Asked.MEMBERSHIP:
        return []
    with suppress(LengthwiseError):
        return [
            {"encoding": row.encoding, "in": show_word(inside), "out": show_word(outside)}
            for inside, outside in adversarial_pairs(certificate, number)
        ]
    return []


def _programs(row: Prediction) -> list[dict[str, str]]:
    """Return the C-RASP program of a YES by counting, and the formula of one by fixed precision, where they are short."""
    from ..crasp.printer import print_program
    from ..theory.certificates import PotentialsCertificate, ProgramCertificate, QuotientsCertificate
    from ..theory.extraction import extract_program
    from ..theory.grades import grade
    from ..theory.precision.certificates import AperiodicCertificate, RanksCertificate
    from ..theory.precision.extraction import extract_formula

    found = []
    for verdict in (row.counting, row.precision):
        certificate = verdict.certificate
        if verdict.answer is not Answer.YES or verdict.asked is not Asked.MEMBERSHIP:
            continue
        with suppress(LengthwiseError):
            if isinstance(certificate, PotentialsCertificate | QuotientsCertificate | ProgramCertificate):
                graded = grade(certificate)
                if graded is None or graded.size is None or graded.size <= _LISTED_SIZE:
                    text = print_program(extract_program(certificate, strict=True))
                    found.append({"encoding": row.encoding, "kind": "program", "text": text})
            elif isinstance(certificate, RanksCertificate | AperiodicCertificate):
                formula = extract_formula(certificate)
                if len(formula.definitions) <= _LISTED_SIZE:
                    found.append({"encoding": row.encoding, "kind": "formula", "text": str(formula)})
    return found


def _repairs(rows: Predictions) -> list[str]:
    from ..crasp.fragments import Fragment
    from ..encodings.core.choice import find_encoding
    from ..predict.recommend import find_alternatives
    from ..theory.repairs import find_repairs

    question = rows[0].question
    language = question.facts.language
    if language is None or question.facts.asked is not Asked.MEMBERSHIP:
        return []
    sentences: list[str] = []
    for row in rows:
        bound = find_encoding(row.encoding).at_least
        if row.verdict.answer is not Answer.NO or bound is None or not isinstance(bound.fragment, Fragment):
            continue
        text = question.what if question.read_as == "regex" else None
        repairs = find_repairs(language, bound.fragment, readout=row.verdict.readout, text=text)
        sentences += [f"{row.encoding}: {repair.sentence()}" for repair in repairs]
    return list(dict.fromkeys([*sentences, *find_alternatives(rows)]))


def _compare(fields: Mapping[str, Any]) -> dict[str, object]:
    """Return whether two languages are equal, else a shortest word in which they differ, and the verdicts about both."""
    from ..languages.dfa_algebra import distinguishing_word, over_alphabet

    sides = [_predictions(fields, key) for key in ("what", "other")]
    languages = [rows[0].question.facts.language for rows in sides]
    questions = [describe_question(rows) for rows in sides]
    both = {"questions": questions, "rows": [[_row(row) for row in rows] for rows in sides]}
    left, right = languages
    if left is None or right is None:
        return both | {"equal": None, "word": None}
    symbols = dict.fromkeys([*left.alphabet, *right.alphabet])
    left, right = over_alphabet(left, symbols), over_alphabet(right, symbols)
    word = distinguishing_word(left, right)
    if word is None:
        return both | {"equal": True, "word": None}
    return both | {"equal": False, "word": show_word(word), "only_in": 0 if word in left else 1}


# Programs and certificates


def _program(fields: Mapping[str, Any]) -> dict[str, object]:
    """Return the findings about a C-RASP program, the verdicts about it, and its values on a word."""
    from ..crasp.checker import check_program, has_errors
    from ..crasp.parser import parse_program

    program = parse_program(_text(fields, "program"))
    findings = check_program(program)
    told = [{"severity": str(finding.severity), "message": finding.message} for finding in findings]
    if has_errors(findings):
        return {"findings": told, "rows": [], "trace": None, "error": None}
    try:
        trace, error = _trace(program, _text(fields, "word")), None
    except LengthwiseError as caught:
        trace, error = None, describe_error(caught)
    return {
        "findings": told,
        "rows": [_row(row) for row in _predict_program(_text(fields, "program"), fields)],
        "trace": trace,
        "trace_error": error,
    }


def _predict_program(text: str, fields: Mapping[str, Any]) -> Predictions:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    options = _options(fields) | {"regex": False, "readout": None, "asked": Asked.MEMBERSHIP, "alphabet": None}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "program.crasp"
        file.write_text(text, encoding="utf-8", errors="replace")
        return predict(str(file), **options)


def _trace(program: Any, word: str) -> dict[str, object]:
    from ..crasp.trace import trace_program

    is_spaced = " " in word.strip() or any(len(symbol) > 1 for symbol in program.alphabet)
    symbols = [] if word in ("", "ε") else word.split() if is_spaced else list(word)
    if len(symbols) > 200:
        raise InvalidOptionError(
            f"the word has {len(symbols):,} symbols; the page traces up to 200.", hint="shorten it."
        )
    trace = trace_program(program, symbols)
    return {
        "symbols": list(trace.symbols),
        "rows": [{"name": row.name, "text": row.text, "values": row.shown()} for row in trace.rows],
        "result": trace.result,
    }


def _check(fields: Mapping[str, Any]) -> dict[str, object]:
    """Check the certificates in a text: one, rows that carry them, or a list of either."""
    from ..predict.row_checks import check_row

    data = parse_json(_text(fields, "certificates"), "the text")
    rows = data if isinstance(data, list) else [data]
    return {"checks": [{"encoding": _encoding(row)} | _checked(check_row(row)) for row in rows[:100]]}


def _encoding(row: object) -> str:
    name = row.get("encoding") if isinstance(row, Mapping) else None
    return shortened(name, 80) if isinstance(name, str) else ""


def _checked(done: Check | None) -> dict[str, object]:
    if done is None:
        return {"accepted": None, "claim": "The answer is UNKNOWN, so there is no certificate.", "objection": ""}
    return {"accepted": done.accepted, "claim": claim_in_words(done), "objection": done.objection or ""}


def claim_in_words(done: Check) -> str:
    """Return the question and the answer that a certificate claims to prove."""
    if not done.is_claim:
        return "The certificate does not say what it claims."
    symbols = show_alphabet(done.alphabet)
    questions = {
        str(Asked.MEMBERSHIP): f"Is a word over {symbols} in the language",
        str(Asked.NEXT_SYMBOLS): f"Which symbols of {symbols} can come next, at every prefix",
    }
    readouts = {str(readout): f", {readout.notation}" for readout in Readout}
    question = questions.get(str(done.asked), str(done.asked)) + readouts.get(str(done.readout), "")
    solutions = _class_in_words(str(done.fragment))
    claims = {
        str(Answer.YES): f"YES: {solutions} solves this at every length.",
        str(Answer.NO): f"NO: {solutions} does not solve this at every length.",
    }
    return f"{question}? {claims.get(str(done.answer), f'{capitalized(solutions)} needs {done.answer}.')}"


def _class_in_words(name: str) -> str:
    for kind in (Fragment, Logic):
        with suppress(ValueError):
            return in_words(kind(name))
    return name


def _text(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key, "")
    if not isinstance(value, str):
        raise InvalidOptionError(f"{key} is a text; found {str(value)[:80]!r}.", hint="reload the page.")
    return value


KINDS: dict[str, Callable[[Mapping[str, Any]], dict[str, object]]] = {
    "predict": _predict,
    "advise": _advise,
    "compare": _compare,
    "program": _program,
    "check": _check,
}
"""What can be asked, by the name that a request gives as its ``kind``."""
