"""The commands about encodings: list encodings, show encoding, conform, cite."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..citations import CITATIONS, Work, works_of
from ..encodings.cards import ALIASES, ENCODINGS, Alias, Card
from ..encodings.names import Choice, find_encoding
from ..errors import InvalidOptionError, LengthwiseError, MissingExtraError, unknown_name
from ..files import write_text
from ..report.encoding_pages import (
    FAMILIES,
    LETTERS,
    show_alias,
    show_bounds,
    show_option,
    show_properties,
)
from ..report.gallery import Panel, draw_gallery, draw_panel, text_picture
from .text import colour, paragraph, print_json, table

if TYPE_CHECKING:
    from ..model.conformance import Outcome

_TEXT_LENGTH, _LENGTH = 24, 32  # tokens in a picture of the terminal, and of a file
_HEADS = 4  # of the model in a picture


# list encodings


def list_encodings(options: Namespace) -> int:
    """Print all encodings by family, then their other names."""
    if options.svg is not None:
        _require_torch("drawing encodings")
        _write(options.svg, draw_gallery({family: _panels(cards) for family, cards in FAMILIES.items()}))
    if options.json:
        print_json([_card_data(family, card) for family, cards in FAMILIES.items() for card in cards])
        return 0
    header = ("name", "acts on", "proved", "title")
    rows = {family: [_row(card) for card in cards] for family, cards in FAMILIES.items()}
    every = [header, *(row for part in rows.values() for row in part)]
    widths = [max(len(row[column]) for row in every) for column in range(len(header) - 1)]
    print(table(_padded(header, widths), []))
    for family, part in rows.items():
        _, *lines = table(_padded(header, widths), [_padded(row, widths) for row in part]).split("\n")
        print("\n".join(["", colour(family, "bold"), *lines]))
    print(f"\n{colour('Other names', 'bold')}")
    print("\n".join(paragraph(show_alias(alias), "  ", "") for alias in ALIASES.values()))
    print()
    print(
        paragraph(
            "proved: = the encoding does exactly this fragment of C-RASP, ≥ at least, ≤ at most, – nothing is proved. "
            "q, k: queries and keys. One in full: lengthwise show encoding NAME"
        )
    )
    return 0


def _row(card: Card) -> tuple[str, str, str, str]:
    acts = ", ".join(card.acts_on).replace("queries and keys", "q, k")
    return card.name, acts, _proved(find_encoding(card.name)), card.title


def _proved(choice: Choice) -> str:
    """Return both bounds in short."""
    least, most = choice.at_least, choice.at_most
    names = {bound.fragment: str(bound.fragment).lower().replace("_", ", ") for bound in (least, most) if bound}
    if least and most and least.fragment is most.fragment:
        return f"= {names[least.fragment]}"
    told = [f"{sign} {names[bound.fragment]}" for sign, bound in (("≥", least), ("≤", most)) if bound]
    return " ".join(told) or "–"


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]


def _card_data(family: str, card: Card) -> dict[str, object]:
    aliases = [asdict(alias) for alias in ALIASES.values() if find_encoding(alias.means).card is card]
    return asdict(card) | {"family": family, "aliases": aliases}


# show encoding


def show_encoding(options: Namespace) -> int:
    """Print an encoding in full, with its options as they are given, and a picture."""
    choice, alias = _find(options.name)
    head = options.head or 0
    if not 0 <= head < _HEADS:
        raise InvalidOptionError(
            f"pictures have heads 0 to {_HEADS - 1}; found --head {head}.", hint="choose one of them."
        )
    if options.svg is not None:
        _require_torch("drawing an encoding")
        _write(options.svg, draw_panel(_panel(choice, head=head)))
    if options.json:
        print_json(_choice_data(choice, alias, head))
        return 0
    print("\n".join(_encoding_lines(choice, alias)))
    print("\n".join(["", *_picture_lines(choice, head)]))
    return 0


def _find(name: str) -> tuple[Choice, Alias | None]:
    """Return the encoding of a name, and the alias where the name is one."""
    return find_encoding(name), ALIASES.get(name.strip())


def _encoding_lines(choice: Choice, alias: Alias | None) -> Iterator[str]:
    card = choice.card
    if alias:
        yield paragraph(show_alias(alias), "  ", "")
    yield colour(f"{choice.name}: {card.title}", "bold")
    yield paragraph(card.formula, "    ", "  ")
    if choice.options:
        yield "\n  options"
        known = {option.name: option for option in card.options}
        yield from (paragraph(show_option(known[key], value), "      ", "    ") for key, value in choice.options)
    for title, entries in (("properties", show_properties(choice)), ("proved", show_bounds(choice))):
        wide = max(len(label) for label, _ in entries) + 2
        yield f"\n  {title}"
        yield from (paragraph(told, " " * (4 + wide), f"    {label:<{wide}}") for label, told in entries)
    yield ""
    if not card.parameters.isdigit():
        yield paragraph(f"({LETTERS}; other words are options)", "  ")
    if card.note:
        yield paragraph(card.note, "  ")
    yield paragraph(f"source: {card.citation}", "    ", "  ")


def _picture_lines(choice: Choice, head: int) -> Iterator[str]:
    """Yield the picture with what it shows, or why there is none."""
    try:
        _require_torch("a picture")
        panel = _panel(choice, length=_TEXT_LENGTH, head=head)
    except MissingExtraError as error:
        yield f"  {error.message} {error.hint}"
        return
    except LengthwiseError as error:
        yield paragraph(f"no picture for a model of this size: {error.message}", "  ")
        return
    yield paragraph(
        f"what positions add to scores of constant content: queries downwards, keys to the right; head {head} of {_HEADS}, "
        f"before "
        f"training (seed 0), {_TEXT_LENGTH} tokens where {_TEXT_LENGTH // 2} are trained on",
        "  ",
    )
    yield from (f"  {line}" for line in text_picture(panel, plain=_is_plain()).split("\n"))


def _is_plain() -> bool:
    """Say whether the terminal shows no more than ASCII."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return os.environ.get("TERM") == "dumb" or not encoding.lower().replace("-", "").startswith("utf")


def _choice_data(choice: Choice, alias: Alias | None, head: int) -> dict[str, object]:
    known = {option.name: option for option in choice.card.options}
    bounds = {kind: getattr(choice, kind) for kind in ("at_least", "at_most", "expressible")}
    flags = ("shift_invariant", "prefix_consistent", "needs_scale", "max_length", "float_ids", "revision")
    try:
        _require_torch("a picture")
        picture = _panel(choice, length=_TEXT_LENGTH, head=head).values
    except LengthwiseError:
        picture = None
    return (
        asdict(choice.card)
        | {"name": choice.name, "alias": asdict(alias) if alias else None}
        | {"options": [asdict(known[key]) | {"value": value} for key, value in choice.options]}
        | {"bases": [base.name for base in choice.bases]}
        | {kind: asdict(bound) if bound else None for kind, bound in bounds.items()}
        | {flag: getattr(choice, flag) for flag in flags}
        | {"head": head, "picture": picture}
    )


# Pictures


def _panels(cards: Sequence[Card]) -> list[Panel]:
    return [_panel(find_encoding(card.name)) for card in cards]


def _panel(choice: Choice, *, length: int = _LENGTH, head: int = 0) -> Panel:
    from ..model.pictures import effect

    name = f"{choice.name}, head {head}" if head else choice.name
    return Panel(name=name, title=choice.card.title, values=effect(choice, length, heads=_HEADS, head=head))


def _write(path: str, text: str) -> None:
    write_text(path, text)
    print(f"wrote {path}", file=sys.stderr)


def _require_torch(what: str) -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise MissingExtraError(f"{what} needs torch, which is not installed.", hint="pip install 'lengthwise[train]'")


# conform


def conform(options: Namespace) -> int:
    """Run the conformance suite and print what every check came to."""
    found = [_find(name) for name in options.names or ENCODINGS]
    names = list(dict.fromkeys(choice.name for choice, _ in found))
    _require_torch("the conformance suite")
    outcomes = _run_suite(names, quiet=options.json)
    every = [outcome for row in outcomes.values() for outcome in row]
    failed = sum(bool(outcome.failure) for outcome in every)
    counts = {"passed": len(every) - failed, "failed": failed}
    aliases = [alias for _, alias in found if alias] if options.names else list(ALIASES.values())
    if options.json:
        rows = [{"encoding": name} | asdict(outcome) for name, row in outcomes.items() for outcome in row]
        print_json({"encodings": names, "checks": _checks(), "outcomes": rows} | counts)
    else:
        print("\n".join(_conformance_lines(outcomes, aliases)))
        words = "encodings" if len(names) != 1 else "encoding"
        print(f"\n{len(names)} {words} × {len(_checks())} checks: {counts['passed']} passed, {failed} failed")
    return 1 if failed else 0


def _checks() -> dict[str, str]:
    """Return the checks with what each asks for."""
    from ..model.conformance import CHECKS

    return {name: (check.__doc__ or "").strip() for name, check in CHECKS.items()}


def _run_suite(names: Sequence[str], *, quiet: bool) -> dict[str, list[Outcome]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from ..model.conformance import conform as conform_one

    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn(compact=True))
    outcomes = {}
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("", total=len(names))
        for name in names:
            progress.update(bar, description=name)
            outcomes[name] = conform_one(name)
            progress.advance(bar)
    return outcomes


def _conformance_lines(outcomes: dict[str, list[Outcome]], aliases: Sequence[Alias]) -> Iterator[str]:
    """Yield the table of encodings and checks, what the checks are, and what failed."""
    checks = _checks()
    wide = max(len(name) for name in ("encoding", *outcomes))
    numbers = " ".join(f"{number:>2}" for number in range(1, len(checks) + 1))
    yield colour(f"{'encoding':<{wide}} {numbers}", "bold")
    for name, row in outcomes.items():
        yield f"{name:<{wide}} " + " ".join(f" {_mark(outcome)}" for outcome in row)
    if aliases:
        yield ""
        yield paragraph(", ".join(f"{alias.name} = {alias.means}" for alias in aliases))
    yield ""
    for number, (name, asks) in enumerate(checks.items(), 1):
        yield paragraph(f"{number:>2} {name}: {asks}", "     ", "")
    failed = [(name, each) for name, row in outcomes.items() for each in row if each.failure]
    if failed:
        yield "\nfailed"
        yield from (paragraph(f"{name}, {each.check}: {each.failure}", "    ", "  ") for name, each in failed)


def _mark(outcome: Outcome) -> str:
    return colour("✗", "rejected") if outcome.failure else colour("✓", "accepted")


# cite


def cite(options: Namespace) -> int:
    """Print BibTeX for what is named, or for lengthwise itself."""
    works: dict[str, Work] = {}
    for name, sources in [(name, _sources(name)) for name in options.names]:
        named = [work for source in sources for work in works_of(source)]
        works |= {work.key: work for work in named}
        if not named:
            print(f"note: the source of {name!r} has no entry: {'; '.join(sources)}.", file=sys.stderr)
    if not options.names:
        works = {"lengthwise": CITATIONS["lengthwise"]}
    if options.json:
        print_json([asdict(work) | {"bibtex_key": work.bibtex_key, "bibtex": work.bibtex()} for work in works.values()])
    elif works:
        print("\n\n".join(work.bibtex() for work in works.values()))
    return 0


def _sources(name: str) -> list[str]:
    """Return what the card of an encoding with its bases, a paper, a task or a language names as its source."""
    from ..languages.catalog import LANGUAGES, find_language
    from ..papers.catalog import SOURCES
    from ..tasks.catalog import TASKS, find_named_task

    if name.partition("(")[0].strip() in (*ENCODINGS, *ALIASES):
        choice, alias = _find(name)
        return [*([alias.citation] if alias else []), *_citations(choice)]
    if name in SOURCES:
        return [SOURCES[name][0]]
    task = find_named_task(name)
    if task is not None:
        return [task.citation]
    try:
        return [find_language(name).source]
    except LookupError:
        known = dict.fromkeys([*ENCODINGS, *ALIASES, *SOURCES, *TASKS, *LANGUAGES])
        raise unknown_name("encoding, paper, task or language", name, known) from None


def _citations(choice: Choice) -> list[str]:
    return [choice.card.citation, *(source for base in choice.bases for source in _citations(base))]
