"""Languages: those with a name listed, or any one in full."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from ...errors import InvalidOptionError
from ...languages.alphabet import show_alphabet, show_word
from ...languages.catalog import LANGUAGES, find_language
from ...languages.dfa import DFA
from ...languages.dfa_algebra import count_words, shortest_word
from ...languages.dfa_files import dfa_to_json
from ...languages.drawing import draw_svg, draw_text
from ...languages.ladder import Rung, ladder
from ...predict.resolve import resolve
from ...theory.claims import Answer
from ...theory.precision.deciders import decide_logics
from ...theory.verdict import LogicVerdict
from ..text import colour, paragraph, print_detail, print_rows, table, write_file

_COUNTED_LENGTHS = 9


def print_list(options: Namespace) -> None:
    """Print every named language."""
    rows = [(entry.name, _published(dict(entry.published)), entry.definition) for entry in LANGUAGES.values()]
    print_rows(("name", "published", "definition"), rows, options)
    if not options.json:
        print(
            "\npublished: the prediction of arXiv 2410.02140, with ape / with nope: does it length-generalize? "
            "D_n works for every n."
        )


def _published(flags: dict[str, bool]) -> str:
    words = {True: "yes", False: "no", None: "open"}
    return f"{words[flags['ape']]} / {words[flags['nope']]}" if flags else "–"


def print_one(options: Namespace) -> None:
    """Print one language in full; with ``--svg``, draw its automaton."""
    name = options.name
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
    verdicts = decide_logics(language)
    data["classes"] = [asdict(rung) for rung in rungs]
    data["logics"] = [_logic_data(verdict) for verdict in verdicts]
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
        *_logic_lines(verdicts),
        "",
        f"  verdicts: lengthwise predict {name!r}",
    ]
    if options.svg is not None:
        write_file(options.svg, draw_svg(language))
    print_detail(data, lines, options)


def _ladder_lines(rungs: list[Rung]) -> list[str]:
    """Return one line for each class: whether the language is in it, why not, and the theorem that decides it."""
    words = {True: "yes", False: "no", None: "?"}
    rows = [
        (f"  {rung.name}", words[rung.holds], f"{rung.reason} [{rung.theorem}]" if rung.reason else f"[{rung.theorem}]")
        for rung in rungs
    ]
    return table(("  class", "in it", "why, and the theorem"), rows).split("\n")


def _logic_data(verdict: LogicVerdict) -> dict[str, object]:
    return {
        "logic": str(verdict.fragment),
        "meaning": verdict.fragment.meaning,
        "answer": str(verdict.answer),
        "reason": verdict.reason,
        "theorem": verdict.theorem,
        "certificate": verdict.certificate.to_json() if verdict.certificate else None,
    }


def _logic_lines(verdicts: list[LogicVerdict]) -> list[str]:
    """Return one line for each logic of fixed precision: whether it expresses the language, and why."""
    words = {Answer.YES: "yes", Answer.NO: "no", Answer.UNKNOWN: "?"}
    rows = [
        (f"  {verdict.fragment.notation}", words[verdict.answer], f"{verdict.reason} [{verdict.theorem}]")
        for verdict in verdicts
    ]
    return table(("  logic", "in it", "why, and the theorem (lengthwise show theorem NAME)"), rows).split("\n")


def _automaton_of(name: str) -> DFA:
    question = resolve(name)
    if question.facts.language is None:
        kind = question.read_as
        hint = f"lengthwise check {name!r}" if name.lower().endswith(".crasp") else f"lengthwise show {kind} {name!r}"
        raise InvalidOptionError(f"{name!r} is a {kind}, not a regular language.", hint=hint)
    return question.facts.language
