"""How many layers, and how long to train: what `predict` prints with --layers, --train-length and --explain."""

from __future__ import annotations

from collections.abc import Sequence

from ..crasp.fragments import Fragment, Readout
from ..predict.layers import ASSUMED, answer_with, layers_needed, layers_to_json
from ..predict.predict import Prediction
from ..theory.claims import Answer, Asked
from ..theory.depth.bounds import DepthBounds
from ..theory.training_length import ProgramDepth, TrainingLength, training_lengths
from .text import colour, paragraph, passing_line

Bounds = dict[int, DepthBounds | None]  # by the place of a row


def bound_rows(rows: Sequence[Prediction], effort: int) -> Bounds:
    """Return the bounds on the number of layers of each row."""
    return {place: layers_needed(row, effort=effort) for place, row in enumerate(rows)}


def layer_lines(rows: Sequence[Prediction], bounds: Bounds, layers: int | None) -> list[str]:
    """Return what is said about the number of layers, a paragraph for each row that anything is said of."""
    lines = []
    for place, row in enumerate(rows):
        found = bounds[place]
        several = len({each.question.what for each in rows}) > 1
        about = f"Layers, {row.question.what} with {row.encoding}" if several else f"Layers, {row.encoding}"
        if found is None:
            if layers is not None:
                lines.append(paragraph(f"{about}: {_why_nothing(row)}", "  ", ""))
            continue
        lines.append(paragraph(f"{about}: {found.summary()}.", "  ", ""))
        if layers is not None:
            answer, reason = answer_with(found, layers)
            shown = "open" if answer is Answer.UNKNOWN else colour(str(answer), str(answer))
            lines.append(paragraph(f"With {layers} layer{'s' * (layers != 1)}: {shown}, {reason}", "    ", "  "))
    if any(bounds.values()):
        lines.append(paragraph(ASSUMED, "  ", "  "))
    return lines


def _why_nothing(row: Prediction) -> str:
    if row.verdict.answer is not Answer.YES:
        return f"the answer is {row.verdict.answer} whatever the number of layers."
    if row.question.facts.language is None:
        return "no bound, because this is not known as a regular language."
    return "no bound is proved for this encoding; there is one for encodings with exactly the programs of plain C-RASP."


def training_lines(rows: Sequence[Prediction], bounds: Bounds, trained: int) -> list[str]:
    """Return what is known about the training length, for each question once."""
    lines = []
    for what, statements in _statements(rows, bounds).items():
        lines.append(f"Training up to length {trained}, {what}:")
        lines += [paragraph(each.sentence(trained), "    ", "  - ") for each in statements]
    return lines or ["Training length: nothing is known for what is not known as a regular language."]


def _statements(rows: Sequence[Prediction], bounds: Bounds) -> dict[str, list[TrainingLength]]:
    found: dict[str, list[TrainingLength]] = {}
    for place, row in enumerate(rows):
        language = row.question.facts.language
        bound = bounds[place]
        if language is not None and (row.question.what not in found or bound is not None):
            found[row.question.what] = training_lengths(language, _program_depth(row, bound))
    for what, statements in found.items():
        statements += _smallest_programs([row for row in rows if row.question.what == what])
    return found


def _smallest_programs(rows: Sequence[Prediction]) -> list[TrainingLength]:
    """Return from which length on the smallest program that fits is right, for the first encoding that has programs."""
    from ..theory.inference.candidates import smallest_program_length  # here: it needs NumPy

    for row in rows:
        language, fragment = row.question.facts.language, row.verdict.fragment
        is_membership = row.verdict.asked is Asked.MEMBERSHIP and row.verdict.readout is Readout.END_MARKER
        if (
            language is not None
            and is_membership
            and row.verdict.answer is Answer.YES
            and isinstance(fragment, Fragment)
        ):
            with passing_line() as show:
                show("trying small programs …")
                found = smallest_program_length(language, fragment)
            return [] if found is None else [found]
    return []


def _program_depth(row: Prediction, bound: DepthBounds | None) -> ProgramDepth:
    if bound is not None:
        return ProgramDepth(exists=bound.exists, at_least=bound.at_least, at_most=bound.at_most)
    is_no = row.verdict.answer is Answer.NO and row.verdict.fragment is Fragment.PLAIN
    return ProgramDepth(exists=False if is_no else None)


def rows_to_json(
    rows: Sequence[Prediction], bounds: Bounds, layers: int | None, trained: int | None
) -> list[dict[str, object]]:
    """Return the rows as JSON data, with the field ``layers`` and, if asked for, ``training_length``."""
    statements = {} if trained is None else _statements(rows, bounds)
    data = []
    for place, row in enumerate(rows):
        fields = row.to_json() | {"layers": layers_to_json(bounds[place], layers)}
        if trained is not None:
            fields["training_length"] = {
                "trained": trained,
                "statements": [each.to_json(trained) for each in statements.get(row.question.what, ())],
            }
        data.append(fields)
    return data
