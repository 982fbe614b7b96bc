"""A verdict as a story: the theorem, and the program or the obstruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from ..crasp.fragments import Fragment
from ..errors import CapExceededError, OutOfTimeError
from ..languages.alphabet import show_alphabet, show_word
from ..languages.dfa import DFA
from ..predict.predict import Prediction
from ..predict.resolve import Question
from ..predict.theories import PRECISION_MEANS, Theory
from ..theory.certificates import (
    Certificate,
    GraphCertificate,
    LoopsPair,
    ObstructionCertificate,
    PeriodsCertificate,
    PotentialsCertificate,
    ProgramCertificate,
    QuotientsCertificate,
    ReductionCertificate,
)
from ..theory.claims import MEANINGS, Answer, Asked
from ..theory.counting import describe_counts
from ..theory.precision.certificates import AperiodicCertificate, LogicCertificate, PumpingCertificate, RanksCertificate
from ..theory.promises import PromiseCertificate, PromiseReductionCertificate
from ..theory.verdict import AnyVerdict
from .text import colour, paragraph

_DRAWN_STATES = 16
_LISTED_COUNTS = 12
_LISTED_VERTICES = 24
_LISTED_SIZE = 250
_LISTED_PARTS = 40


def headline(question: Question, verdict: AnyVerdict, *, drawn: bool = False) -> str:
    """Return what was asked: the language, its alphabet, its size and the readout; with ``drawn``, also its automaton."""
    language = question.facts.language
    program = question.facts.program
    if question.read_as == "program" and program is not None:
        about = "which symbols come next" if program.is_generator else verdict.readout.notation
        return f"{colour(question.what, 'bold')}: a C-RASP program over {show_alphabet(program.alphabet)}, {about}"
    meaning = _meaning(question)
    if language is None:
        return f"{colour(question.what, 'bold')}: a task, {verdict.readout.notation}{meaning}"
    kind = {
        "task": "a task",
        "language": "a named language",
        "regex": "a regular expression",
        "file": "an automaton file",
    }[question.read_as]
    states = f"{language.num_states} state{'s' * (language.num_states > 1)}"
    line = (
        f"{colour(question.what, 'bold')}: {kind} over {show_alphabet(language.alphabet)}, {states}, {_asked(verdict)}"
        f"{meaning}"
    )
    if drawn and language.num_states <= _DRAWN_STATES:
        from ..languages.drawing import draw_text

        line += "\n\n" + "\n".join(f"  {row}".rstrip() for row in draw_text(language).split("\n"))
    return line


def _meaning(question: Question) -> str:
    """Return what a name stands for, on a line of its own; empty where the question says it itself."""
    if question.read_as == "language":
        from ..languages.catalog import find_language

        definition = find_language(question.what).definition
    elif question.read_as == "task":
        from ..tasks.core.catalog import find_task

        definition = find_task(question.what).definition
    else:
        return ""
    return "\n" + paragraph(definition, "  ")


def _asked(verdict: AnyVerdict) -> str:
    return verdict.readout.notation if verdict.asked is Asked.MEMBERSHIP else "next symbols at every prefix"


_C_RASP = "C-RASP: programs that count symbols. [local] adds symbols a fixed distance back, [periodic] positions modulo a number."


_LTL = (
    "LTL: what a transformer with numbers from a finite set can express. [P]: what has occurred before; [Y]: the last symbols; [MOD]: "
    "positions modulo a number; [S]: what has held since something else."
)


def _assumptions(rows: Sequence[Prediction]) -> list[str]:
    """Return what the answers assume, each assumption once with its encodings."""
    assumed: dict[str, dict[str, None]] = {}
    for row in rows:
        encoding, colon, told = row.verdict.assumption.partition(": ")
        if colon:
            assumed.setdefault(told, {})[encoding] = None
    return [f"assumed for {', '.join(encodings)}: {told}" for told, encodings in assumed.items()]


def legend(rows: Sequence[Prediction]) -> str:
    """Return what the answers mean, UNKNOWN only where it occurs, and what C-RASP is where a reason names it."""
    shown = [Answer.YES, Answer.NO] + [Answer.UNKNOWN] * any(row.verdict.answer is Answer.UNKNOWN for row in rows)
    lines = [f"{answer}: {MEANINGS[answer]}" for answer in shown]
    said = [f"{row.verdict.reason} {row.aside} {row.verdict.assumption}" for row in rows]
    lines += [_C_RASP] * any("C-RASP" in text for text in said)
    lines += [_LTL] * any("LTL[" in text for text in said)
    lines += [f"Fixed precision: {PRECISION_MEANS}"] * any(row.aside for row in rows)
    lines += measured_legend(rows)
    lines += _assumptions(rows)
    return "\n".join(paragraph(line, "  ", "") for line in lines)


def measured_legend(rows: Sequence[Prediction]) -> list[str]:
    """Return how the shown cells were measured, a line for each setting, and where chances come from; nothing where none is shown."""
    settings = dict.fromkeys(row.measured.setting for row in rows if row.measured)
    predictors = dict.fromkeys(
        (row.predictor.fitted_to, row.predictor.train_length) for row in rows if row.predictor and row.estimate
    )
    lines = [
        f"{setting.origin}: {setting.description}. A run counts as fitted at 99 % on "
        f"training lengths, and as generalizing at 90 % at {setting.at:g} times the training length."
        for setting in settings
    ]
    return lines + [
        f"Chance: learned from measurements ({source}; small models, trained to length {length}), not proved. In brackets the 95 % "
        "interval of the mean over problems of this kind; a single problem may differ more."
        for source, length in predictors
    ]


def explain_prediction(row: Prediction) -> str:
    """Return the whole story of one row: its answer, then why by the theory it rests on, then why by the other if that answers.

    What both theories say for the same reason is told once.
    """
    first, other = (row.counting, row.precision) if row.verdict is row.counting else (row.precision, row.counting)
    if other.answer is Answer.UNKNOWN:
        return _explain_verdict(row.encoding, str(row.theory), first)
    if (first.answer, first.reason, first.theorem) == (other.answer, other.reason, other.theorem):
        return _explain_verdict(row.encoding, "both theories", first)
    (theory,) = set(Theory) - {row.theory}
    answer = f"{colour(row.encoding, 'bold')}: {colour(row.verdict.answer, row.verdict.answer)}."
    stories = [
        paragraph(f"{answer} {row.aside or 'Both theories say so.'}", "  ", ""),
        _explain_verdict(row.encoding, str(row.theory), first),
        _explain_verdict(row.encoding, str(theory), other),
    ]
    return "\n\n".join(stories)


def _explain_verdict(encoding: str, theory: str, verdict: AnyVerdict) -> str:
    is_in_class = not verdict.is_by_weights
    within = f" for {verdict.fragment.notation}" if is_in_class else ""
    parts = [
        f"{colour(encoding, 'bold')}, {theory}: {colour(verdict.answer, verdict.answer)}{within}",
        paragraph(verdict.reason, "  "),
        *(_story(verdict.certificate) if verdict.certificate else []),
        *_grade_story(verdict),
        *_formula_story(verdict),
        *(_theorem_story(verdict.theorem) if verdict.answer is not Answer.UNKNOWN else []),
        *([paragraph(f"Assumed: {verdict.assumption.partition(': ')[2]}", "  ")] if verdict.assumption else []),
    ]
    return "\n".join(parts)


def _theorem_story(name: str) -> list[str]:
    from ..theory.theorems import THEOREMS  # here, because only --explain needs them

    theorem = THEOREMS[name]
    return [
        paragraph(f"Theorem ({name}): {theorem.statement}", "  "),
        paragraph(f"Source: {theorem.citation}", "  "),
        paragraph(f"Standing: {theorem.status}", "  "),
    ]


def _grade_story(verdict: AnyVerdict) -> list[str]:
    """Return, for a YES, its grade, its program, and what the public record says about such programs."""
    from ..crasp.printer import print_program
    from ..theory.extraction import extract_program  # here, because only --explain needs these
    from ..theory.grades import grade

    found = grade(verdict.certificate)
    if found is None:
        return []
    lines = [paragraph(f"Grade: {found.summary()}.", "  ")]
    certificate = verdict.certificate
    if verdict.fragment is Fragment.PLAIN and isinstance(certificate, PotentialsCertificate):
        lines.append(paragraph(found.record(), "  "))
    is_shown = verdict.asked is Asked.MEMBERSHIP and found.size is not None and found.size <= _LISTED_SIZE
    if is_shown and isinstance(certificate, PotentialsCertificate | QuotientsCertificate):
        with suppress(OutOfTimeError):
            listed = print_program(extract_program(certificate, strict=True)).rstrip().split("\n")
            lines += ["  The program:", *(f"    {line}".rstrip() for line in listed)]
    return lines


def _formula_story(verdict: AnyVerdict) -> list[str]:
    """Return the formula of a YES by fixed precision, or how many parts it has if they are too many to list."""
    certificate = verdict.certificate
    if not isinstance(certificate, RanksCertificate | AperiodicCertificate) or verdict.asked is not Asked.MEMBERSHIP:
        return []
    from ..theory.precision.extraction import extract_formula  # here, because only --explain needs it

    try:
        formula = extract_formula(certificate)
    except (CapExceededError, OutOfTimeError) as error:
        return [paragraph(f"The formula is not written out: {error.message}", "  ")]
    if len(formula.definitions) > _LISTED_PARTS:
        return [paragraph(f"A formula with {len(formula.definitions):,} parts, too many to list, was found.", "  ")]
    about = "The formula, read after the last symbol (P: at some earlier position, Y: at the previous one, S: since):"
    return [paragraph(about, "  "), *(f"    {line}" for line in str(formula).split("\n"))]


def advise(question: Question, rows: Sequence[Prediction]) -> list[str]:
    """Return what would help where the answer is NO or weak; changes of the input are decided before they are suggested.

    A class only helps an encoding that is proved to learn it, so the others get no suggestion.
    """
    from ..encodings.core.choice import find_encoding  # here, because only --explain needs these
    from ..predict.recommend import find_alternatives
    from ..theory.grades import grade
    from ..theory.repairs import find_repairs

    language = question.facts.language
    if language is None or question.facts.asked is not Asked.MEMBERSHIP:
        return []
    lines: list[str] = []
    for row in rows:
        found = grade(row.verdict.certificate)
        proved = find_encoding(row.encoding).at_least
        strong = row.verdict.answer is Answer.YES and not (found and found.is_weak)
        if (
            proved is None
            or not isinstance(proved.fragment, Fragment)
            or strong
            or row.verdict.answer is Answer.UNKNOWN
        ):
            continue
        text = question.what if question.read_as == "regex" else None
        repairs = find_repairs(language, proved.fragment, readout=row.verdict.readout, text=text)
        lines += [paragraph(f"{row.encoding}: {repair.sentence()}", "    ", "  - ") for repair in repairs]
    lines += [paragraph(suggestion, "    ", "  - ") for suggestion in find_alternatives(rows)]
    return ["What would help:", *dict.fromkeys(lines)] if lines else []


def _story(certificate: Certificate | LogicCertificate) -> list[str]:
    match certificate:
        case PotentialsCertificate():
            return _program_story(certificate)
        case ObstructionCertificate():
            return _obstruction_story(certificate)
        case ReductionCertificate():
            return _reduction_story(certificate)
        case PromiseCertificate():
            return _promise_story(certificate)
        case PromiseReductionCertificate():
            return _promise_reduction_story(certificate)
        case GraphCertificate() | PeriodsCertificate():
            return [paragraph(f"Certificate: {certificate.summary()}.", "  ")]
        case ProgramCertificate():
            from ..crasp.printer import print_program

            listed = print_program(certificate.program).rstrip().split("\n")
            return [
                paragraph(f"Certificate: {certificate.summary()}.", "  "),
                *(f"    {line}".rstrip() for line in listed),
            ]
        case PumpingCertificate() | RanksCertificate() | AperiodicCertificate():
            return [paragraph(f"Certificate: {certificate.summary()}.", "  ")]
        case QuotientsCertificate():
            return [paragraph(f"Before a last {symbol}: {part.summary()}.", "  ") for symbol, part in certificate.parts]


def _program_story(certificate: PotentialsCertificate) -> list[str]:
    counts = list(describe_counts(certificate))
    lines = [paragraph(f"Certificate: {certificate.summary()}.", "  ")]
    if not counts:
        return lines
    lines.append(
        "  The counts run over all earlier positions in the component; a condition is tested just before its letter:"
    )
    lines += [f"    {count}" for count in counts[:_LISTED_COUNTS]]
    if len(counts) > _LISTED_COUNTS:
        lines.append(f"    … and {len(counts) - _LISTED_COUNTS} more")
    for component in certificate.components:
        tests = [test for level in component.levels for test in level.tests]
        if tests and len(component.members) <= _LISTED_VERTICES:
            named = [
                f"{_vertex(certificate, member)} {', '.join(str(test.values[place]) for test in tests)}"
                for place, member in enumerate(component.members)
            ]
            names = ", ".join(f"t{number + 1}" for number in range(len(tests)))
            lines.append(paragraph(f"State and its values of {names}: {'; '.join(named)}.", "  "))
    return lines


def _vertex(certificate: PotentialsCertificate, vertex: int) -> str:
    state, letters, residue = certificate.vertices[vertex]
    seen = [f"after {show_word(certificate.language.decode(letters))}"] * (certificate.window > 0)
    seen += [f"length≡{residue}"] * (certificate.period > 1)
    return f"{state} ({', '.join(seen)}):" if seen else f"{state}:"


def _obstruction_story(certificate: ObstructionCertificate) -> list[str]:
    language = certificate.language
    first, second = certificate.witnesses
    lines = [
        "  Two words with different answers that a model which only counts treats alike:",
        *(
            f"    {show_word(word)}  ({'in the language' if word in language else 'not in the language'})"
            for word in (first, second)
        ),
    ]
    pair = certificate.pairs[0]
    block_of = {state: number for number, block in enumerate(certificate.blocks) for state in block}
    if isinstance(pair, LoopsPair):
        path, short, long = (show_word(word) for word in (pair.path, pair.short_loop, pair.long_loop))
        why = (
            f"both {long} and {short} lead back to it. The letters of {long} are those of {short} plus {pair.times} times those of "
            f"{path}. A count that is unchanged by such loops is therefore unchanged by {path} too."
        )
    else:
        one, two = (language.run(word, pair.start) for word in (pair.first, pair.second))
        counts = _counts(language, block_of, pair.start, pair.first)
        why = (
            f"{show_word(pair.first)} and {show_word(pair.second)} have the same letters ({counts}) and end in states {one} and "
            f"{two}.{' A block is a set of states that counts do not tell apart.' if 'block' in counts else ''}"
        )
    lines.append(paragraph(f"After {show_word(certificate.enter)}, in state {pair.start}, {why}", "  "))
    lines.append(
        paragraph(
            "Long loops that are read first push every other count far beyond its threshold, so no other count helps.",
            "  ",
        )
    )
    lines.append(paragraph(f"Certificate: {certificate.summary()}.", "  "))
    return lines


def _counts(language: DFA, block_of: dict[int, int], start: int, word: tuple[str, ...]) -> str:
    counts: Counter[tuple[str, int]] = Counter()
    state = start
    for symbol in word:
        counts[symbol, block_of[state]] += 1
        state = language.run((symbol,), state)
    several = len(set(block_of.values())) > 1
    return ", ".join(
        f"{number}×{symbol}{f' in block {block}' if several else ''}"
        for (symbol, block), number in sorted(counts.items())
    )


def _reduction_story(certificate: ReductionCertificate) -> list[str]:
    images = ", ".join(f"{symbol} as {show_word(image)}" for symbol, image in certificate.images)
    around = [f"after {show_word(certificate.prefix)}"] * bool(certificate.prefix)
    around += [f"before {show_word(certificate.suffix)}"] * bool(certificate.suffix)
    where = f", {' and '.join(around)}" if around else ""
    if not around and all(image == (symbol,) for symbol, image in certificate.images):
        return [paragraph(f"The language is {certificate.target} itself.", "  ")]
    return [
        paragraph(
            f"Write {images}{where}: a word is in {certificate.target} exactly if the word written so is in the language.",
            "  ",
        ),
        paragraph("The checker compares the two automata as a whole, so this holds at every length.", "  "),
    ]


def _promise_story(certificate: PromiseCertificate) -> list[str]:
    told = [f"    {show_word(text)}  (next: {certificate.automaton.answer(text)})" for text in certificate.witnesses]
    return [
        "  Two legal inputs with different answers:",
        *told,
        paragraph(
            "The same long start can be put before both. Whatever a program counts then is either the same for the two, or so far "
            "from its threshold that the difference does not matter. So the program treats them alike.",
            "  ",
        ),
    ]


def _promise_reduction_story(certificate: PromiseReductionCertificate) -> list[str]:
    images = ", ".join(f"{symbol} as {show_word(image)}" for symbol, image in certificate.images)
    around = [f"after {show_word(certificate.prefix)}"] * bool(certificate.prefix)
    around.append(f"before {show_word(certificate.suffix)}")
    return [
        paragraph(
            f"Write {images}, {' and '.join(around)}: the input is legal, and its answer is {certificate.says} exactly if the word "
            f"is in {certificate.target}. So a program for the task would be one for {certificate.target}, and there is none.",
            "  ",
        )
    ]
