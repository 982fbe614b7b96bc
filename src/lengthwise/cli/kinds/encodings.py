"""Encodings: listed by family, or one in full with a picture."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ...crasp.fragments import Fragment
from ...encodings.catalog import ALIASES, ENCODINGS, Alias, Bound, Card, cards_by_family
from ...encodings.core.card import FAMILIES
from ...encodings.core.choice import Choice, find_encoding
from ...errors import InvalidOptionError, LengthwiseError, MissingExtraError
from ...extras import require_extra
from ...report.encoding_pages import (
    LETTERS,
    show_alias,
    show_bounds,
    show_option,
    show_properties,
)
from ...report.gallery import Panel, draw_gallery, draw_panel, text_picture
from ..text import colour, paragraph, print_json, table, write_file

if TYPE_CHECKING:
    pass

_TEXT_LENGTH, _LENGTH = 24, 32  # tokens in a picture of the terminal, and of a file
_HEADS = 4  # of the model in a picture


# list encodings


def print_list(options: Namespace) -> None:
    """Print all encodings by family, then their other names."""
    if options.svg is not None:
        require_extra("drawing encodings")
        write_file(
            options.svg, draw_gallery({FAMILIES[family]: _panels(cards) for family, cards in cards_by_family().items()})
        )
    if options.json:
        print_json([_card_data(card) for card in ENCODINGS.values()])
        return
    header = ("name", "acts on", "proved", "title")
    rows = {FAMILIES[family]: [_row(card) for card in cards] for family, cards in cards_by_family().items()}
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
            "proved: what the encoding can do if counts are exact: = exactly this class of C-RASP programs (plain, local for windows, "
            "periodic; LTL[Y] sees the last symbols only), ≥ at least, ≤ at most, – nothing. "
            "q, k: queries and keys. One in full: lengthwise show encoding NAME"
        )
    )


def _row(card: Card) -> tuple[str, str, str, str]:
    acts = ", ".join(card.acts_on).replace("queries and keys", "q, k")
    return card.name, acts, _proved(find_encoding(card.name)), card.title


def _proved(choice: Choice) -> str:
    """Return the bounds for exact counts in short."""
    least, most = choice.at_least, choice.at_most
    names = {bound.fragment: _short(bound) for bound in (least, most) if bound}
    if least and most and least.fragment is most.fragment:
        return f"= {names[least.fragment]}"
    bounds = [f"{sign} {names[bound.fragment]}" for sign, bound in (("≥", least), ("≤", most)) if bound]
    return ", ".join(bounds) or "–"


def _short(bound: Bound) -> str:
    if isinstance(bound.fragment, Fragment):
        return str(bound.fragment).lower().replace("_", ", ")
    return bound.fragment.notation


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]


def _card_data(card: Card) -> dict[str, object]:
    return asdict(card) | {"family": FAMILIES[card.family]}


# show encoding


def print_one(options: Namespace) -> None:
    """Print an encoding in full, with its options as they are given, and a picture."""
    choice, alias = find_choice(options.name)
    head = options.head or 0
    if not 0 <= head < _HEADS:
        raise InvalidOptionError(
            f"pictures have heads 0 to {_HEADS - 1}; found --head {head}.", hint="choose one of them."
        )
    if options.svg is not None:
        require_extra("drawing an encoding")
        write_file(options.svg, draw_panel(_panel(choice, head=head)))
    if options.json:
        print_json(_choice_data(choice, alias, head))
        return
    print("\n".join(_encoding_lines(choice, alias)))
    print("\n".join(["", *_picture_lines(choice, head)]))


def find_choice(name: str) -> tuple[Choice, Alias | None]:
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
        yield from (paragraph(text, " " * (4 + wide), f"    {label:<{wide}}") for label, text in entries)
    yield ""
    if not card.parameters.isdigit():
        yield paragraph(f"({LETTERS}; other words are options)", "  ")
    if card.note:
        yield paragraph(card.note, "  ")
    yield paragraph(f"source: {card.citation}", "    ", "  ")


def _picture_lines(choice: Choice, head: int) -> Iterator[str]:
    """Yield the picture with what it shows, or why there is none."""
    try:
        require_extra("a picture")
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
    bounds = {
        kind: getattr(choice, kind)
        for kind in ("at_least", "at_most", "expressible", "precise_at_least", "precise_at_most")
    }
    flags = ("shift_invariant", "prefix_consistent", "needs_scale", "max_length", "float_ids", "revision")
    try:
        require_extra("a picture")
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
    from ...model.pictures import effect

    name = f"{choice.name}, head {head}" if head else choice.name
    return Panel(name=name, title=choice.card.title, values=effect(choice, length, heads=_HEADS, head=head))
