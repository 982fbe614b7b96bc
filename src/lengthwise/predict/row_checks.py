"""Whether the rows of ``predict --json`` are proved by the certificates they carry.

A certificate proves a claim about an automaton. A row claims more: that the automaton is that of ``what``, and that the
answer follows for the encoding. So every field of the claim is compared with the certificate, ``what`` is read again, and
the encoding's bounds are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..budget import time_budget
from ..crasp.parser import parse_program
from ..crasp.simplification import simplify
from ..crasp.syntax import Program
from ..encodings.catalog import Bound
from ..encodings.core.choice import find_packaged_encoding
from ..errors import LengthwiseError
from ..languages.dfa import DFA
from ..theory.checker import Check, check_certificate
from ..theory.claims import Answer, Asked
from ..theory.replay import Objection, require
from ..theory.windows import Caps
from .resolve import MOST_STATES, Question, is_task_file, resolve
from .theories import Verdicts, needs_windows_only

_STATED = ("answer", "fragment", "asked", "readout")
_FIELDS = ("what", "read_as", "encoding", "alphabet", *_STATED)


def check_row(data: object, language: DFA | None = None) -> Check | None:
    """Check a certificate, or a row with its certificate, also for a language if one is given.

    None stands for a row that answers UNKNOWN: it claims nothing that a certificate could prove.
    """
    if isinstance(data, Mapping) and data.get("lengthwise") == "depth certificate":
        from .layer_checks import check_depth_alone  # here, because only these certificates need it

        return check_depth_alone(data, language)
    if not isinstance(data, Mapping) or "certificate" not in data:
        return check_certificate(data, language)
    certificate = data["certificate"]
    claims = [field for field in _FIELDS if field in data]
    if certificate is None:
        if data.get("answer") == Answer.UNKNOWN:
            return None
        return _as_check(data, "the row has no certificate, so there is nothing that proves its answer")
    check = check_certificate(certificate, language)
    if not check.accepted or not claims:  # a certificate in a wrapper claims nothing beside itself
        return check
    try:
        _require_claim(data, check)
        bounds = _require_bound(data)
        question = _require_question(data, certificate)
        _require_ordinary_lengths(data, bounds, question)
        if data.get("layers") is not None:
            from .layer_checks import require_layers

            require_layers(data)
    except Objection as reason:
        return _as_check(data, str(reason))
    return check


def _as_check(row: Mapping[str, Any], objection: str) -> Check:
    stated = {field: row[field] if isinstance(row.get(field), str) else None for field in _STATED}
    alphabet = row.get("alphabet")
    return Check(
        **stated, alphabet=tuple(map(str, alphabet)) if isinstance(alphabet, list) else (), objection=objection
    )


def _require_claim(row: Mapping[str, Any], check: Check) -> None:
    """Object unless the row states what its certificate states."""
    for field in _FIELDS:
        require(field in row, f"the row has no field {field!r}, so what it claims is not known")
        if field != "alphabet":
            require(isinstance(row[field], str), f"the row's {field} is {row[field]!r}, which is not a text")
    for field in _STATED:
        proved = getattr(check, field)
        require(row[field] == proved, f"the row's {field} is {row[field]!r}, but its certificate is about {proved!r}")
    require(row["alphabet"] == list(check.alphabet), "the row's alphabet is not that of its certificate")


def _require_bound(row: Mapping[str, Any]) -> list[Bound]:
    """Return the encoding's bounds that carry the answer from the fragment to the encoding; object if there is none."""
    try:
        choice = find_packaged_encoding(row["encoding"])
    except LengthwiseError as error:
        raise Objection(error.message.removesuffix(".")) from None
    kind = "least" if row["answer"] == Answer.YES else "most"
    bounds = [bound for bound in (getattr(choice, f"at_{kind}"), getattr(choice, f"precise_at_{kind}")) if bound]
    bounds += [weaker for bound in bounds for weaker in choice.weaker(bound)]
    proved = [bound for bound in bounds if bound.fragment == row["fragment"] and (bound.far_within or not bound.far)]
    require(bool(proved), f"no bound of {choice.name} makes {row['answer']} follow from {row['fragment']}")
    stated = row.get("assumption", proved[0].stated_for(choice.name))  # rows before there were two theories have none
    assumed = [bound.stated_for(choice.name) for bound in proved]
    require(stated in assumed, f"the row assumes {stated!r}, but the bound of {choice.name} assumes {assumed[0]!r}")
    return proved


def _require_ordinary_lengths(row: Mapping[str, Any], bounds: Iterable[Bound], question: Question) -> None:
    """Object if all bounds that carry the answer hold only far beyond ordinary lengths for this question."""
    if any(not bound.far for bound in bounds):
        return
    is_far = needs_windows_only(Verdicts(question.facts, question.readout, None))
    require(not is_far, f"the NO of {row['encoding']} holds only far beyond ordinary lengths for this question")


def _require_question(row: Mapping[str, Any], certificate: Mapping[str, Any]) -> Question:
    """Return the question of a row; object unless the certificate is about it."""
    if is_task_file(row["what"]):
        raise Objection("the row is about a task file, which is not run only because a row names it")
    try:
        with time_budget(Caps().max_seconds, "reading what the row is about"):
            question = _resolve(row)
            program = question.facts.program
            given = () if program is None else (program, simplify(program))
    except LengthwiseError as error:
        raise Objection(f"what the row is about cannot be read: {error.message.removesuffix('.')}") from None
    require(question.read_as == row["read_as"], f"{row['what']!r} is a {question.read_as}, not a {row['read_as']}")
    if question.readout is not None:
        require(question.readout == row["readout"], f"{row['what']!r} is {question.readout.notation}")
    language = question.facts.language
    if given:
        require(_is_program(certificate, given), f"the certificate's program is not {row['what']!r}")
        return question
    require(language is not None, f"{row['what']!r} is no language and no program, so no certificate is about it")
    require(question.facts.asked == row["asked"], f"{row['what']!r} is about {question.facts.asked}")
    about = check_certificate(certificate, language)
    require(about.accepted, f"the certificate is not about {row['what']!r}: {about.objection}")
    return question


def _resolve(row: Mapping[str, Any]) -> Question:
    """Return the question of a row, read as it was; only languages take an alphabet, and the kind of question."""
    what, alphabet = row["what"], row["alphabet"]
    if row["read_as"] in ("regex", "file", "language"):
        return resolve(
            what,
            asked=Asked(row["asked"]),
            alphabet=alphabet,
            regex=row["read_as"] == "regex",
            max_states=MOST_STATES,
        )
    return resolve(what, alphabet=alphabet if what.startswith(("states(", "accepts(")) else None)


def _is_program(certificate: Mapping[str, Any], given: tuple[Program, ...]) -> bool:
    return certificate["kind"] == "program" and parse_program(certificate["program"]) in given
