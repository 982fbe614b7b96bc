"""One thing in full: a language, a theorem, a bound, a paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from ..errors import InvalidOptionError, lookup
from ..languages.alphabet import show_alphabet, show_word
from ..languages.catalog import find_language
from ..languages.dfa import DFA
from ..languages.dfa_algebra import count_words, shortest_word
from ..languages.dfa_files import dfa_to_json
from ..languages.drawing import draw_svg, draw_text
from ..languages.ladder import Rung, ladder
from ..predict.resolve import resolve
from ..theory.communication import PROBLEMS, measure_growth
from ..theory.theorems import THEOREMS
from .text import colour, paragraph, table

_COUNTED_LENGTHS = 9

Detail = tuple[object, str]  # the data and the text


def _show_language(name: str) -> Detail:
    question = resolve(name)
    language = _automaton_of(name)
    counts = [count_words(language, length) for length in range(_COUNTED_LENGTHS)]
    data: dict[str, object] = {"name": name, "read_as": question.read_as}
    lines = [colour(name, "bold")]
    if question.read_as == "language":
        named = find_language(name)
        data |= {"definition": named.definition, "source": named.source, "published": dict(named.published)}
        lines += [paragraph(named.definition, "  ")]
        if named.published:
            flags = ", ".join(f"{encoding} {'yes' if answer else 'no'}" for encoding, answer in named.published)
            lines.append(f"  published prediction ({named.source}): {flags}")
    shortest = shortest_word(language)
    rungs = ladder(language)
    data["classes"] = [asdict(rung) for rung in rungs]
    data |= {"automaton": dfa_to_json(language), "num_states": language.num_states, "words_by_length": counts}
    lines += [
        f"  alphabet {show_alphabet(language.alphabet)}, {language.num_states} state{'s' * (language.num_states > 1)}",
        f"  shortest word: {'none, the language is empty' if shortest is None else show_word(shortest)}",
        f"  words of length 0 to {_COUNTED_LENGTHS - 1}: {', '.join(map(str, counts))}",
        "",
        *(f"  {row}".rstrip() for row in draw_text(language).split("\n")),
        "",
        *_ladder_lines(rungs),
        "",
        f"  verdicts: lengthwise predict {name!r}",
    ]
    return data, "\n".join(lines)


def _ladder_lines(rungs: list[Rung]) -> list[str]:
    """Return one line for each class: whether the language is in it, why not, and the theorem that decides it."""
    words = {True: "yes", False: "no", None: "?"}
    rows = [
        (f"  {rung.name}", words[rung.holds], f"{rung.reason} [{rung.theorem}]" if rung.reason else f"[{rung.theorem}]")
        for rung in rungs
    ]
    return table(("  class", "in it", "why, and the theorem"), rows).split("\n")


def language_svg(name: str) -> str:
    """Return a drawing of a language's automaton."""
    return draw_svg(_automaton_of(name))


def _automaton_of(name: str) -> DFA:
    question = resolve(name)
    if question.facts.language is None:
        kind = question.read_as
        hint = f"lengthwise check {name!r}" if name.lower().endswith(".crasp") else f"lengthwise show {kind} {name!r}"
        raise InvalidOptionError(f"{name!r} is a {kind}, not a regular language.", hint=hint)
    return question.facts.language


def _show_theorem(name: str) -> Detail:
    theorem = lookup("theorem", name, THEOREMS)
    text = [colour(name, "bold")] + [
        paragraph(part, "  ")
        for part in (theorem.statement, f"Source: {theorem.citation}", f"Standing: {theorem.status}")
    ]
    return {"name": name} | asdict(theorem), "\n".join(text)


def _show_bound(name: str) -> Detail:
    problem = lookup("communication problem", name, PROBLEMS)
    growth = measure_growth(name)
    rows = ", ".join(map(str, growth.rows))
    bits = ", ".join(f"{each:.1f}" for each in growth.bits)
    excluded = growth.verdict == "linear"
    lines = [
        colour(f"{name}: {problem.definition}", "bold"),
        f"  different rows of the communication matrix, halves of length 1 to {len(growth.rows)}: {rows}",
        f"  bits to name one: {bits} ({growth.verdict})",
        paragraph(f"for all n: {problem.argument}", "    ", "  "),
        paragraph(
            "so it is not in C-RASP[periodic, local], which passes on O(log n) bits (lengthwise show theorem communication)."
            if excluded
            else "communication does not exclude it.",
            "    ",
            "  ",
        ),
    ]
    data = {
        "name": name,
        "definition": problem.definition,
        "rows": list(growth.rows),
        "bits": list(growth.bits),
        "growth": growth.verdict,
        "argument": problem.argument,
    }
    return data, "\n".join(lines)


def _show_paper(name: str) -> Detail:
    from ..papers import chen2025
    from ..papers.catalog import find_paper
    from ..report.reproduction import show_spread
    from ..report.reproduction_tables import published_to_json

    if name == chen2025.NAME:
        return _show_grid()
    paper = find_paper(name)
    bins = [str(bounds) for bounds in paper.bins]
    rows = [
        (
            f"  {each.task}",
            each.encoding,
            "YES" if each.predicted else "NO",
            f"{each.num_counted}/{each.num_tries}",
            *map(show_spread, each.bins),
            each.configuration,
        )
        for each in paper.published
    ]
    lines = [
        colour(paper.name, "bold"),
        paragraph(f"{paper.title}. {paper.authors}; {paper.source}", "  "),
        "",
        *table(("  task", "encoding", "predicted", "counted", *bins, "configuration"), rows, coloured=2).split("\n"),
        "",
        paragraph(
            f"All of this is published, the predictions too: figures from {paper.figures_from}. Exact match in percent, "
            f"mean ± standard deviation over the counted runs, of all tries.",
            "  ",
        ),
        f"  beside your own: lengthwise reproduce {paper.name} --quick",
    ]
    data = {field: getattr(paper, field) for field in ("name", "title", "authors", "source", "counted", "selection")}
    cells = [
        {"task": each.task, "encoding": each.encoding, "published": published_to_json(paper, each)}
        for each in paper.published
    ]
    return data | {"cells": cells}, "\n".join(lines)


def _show_grid() -> Detail:
    """Return the claims of a paper whose figures are not known, and what there is to train."""
    from ..papers import chen2025

    parts = {part: chen2025.grid_cells([part]) for part in chen2025.PARTS}
    rows = [
        (
            f"  {part}",
            str(len(cells)),
            ", ".join(dict.fromkeys(cell.task_title for cell in cells)),
            ", ".join(dict.fromkeys(cell.encoding_title for cell in cells)),
        )
        for part, cells in parts.items()
    ]
    lines = [
        colour(chen2025.NAME, "bold"),
        paragraph(f"{chen2025.TITLE}. {chen2025.SOURCE}", "  "),
        "",
        *(paragraph(claim, "    ", "  - ") for claim in chen2025.CLAIMS),
        "",
        paragraph(chen2025.STANDING, "  "),
        "",
        *table(("  part", "cells", "tasks", "encodings"), rows).split("\n"),
        "",
        f"  measured: lengthwise reproduce {chen2025.NAME} --part first",
    ]
    data = {
        "name": chen2025.NAME,
        "title": chen2025.TITLE,
        "source": chen2025.SOURCE,
        "claims": list(chen2025.CLAIMS),
        "standing": chen2025.STANDING,
        "cells": [
            {"part": part, "task": cell.task, "encoding": cell.encoding}
            for part, told in parts.items()
            for cell in told
        ],
    }
    return data, "\n".join(lines)


DETAILS: dict[str, Callable[[str], Detail]] = {
    "bound": _show_bound,
    "language": _show_language,
    "theorem": _show_theorem,
    "paper": _show_paper,
}
