"""What cards say of encodings, in words: for the terminal, and as the reference page of all of them; torch-free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..encodings.catalog import ALIASES, ENCODINGS, Alias, Bound, Card, Option, cards_by_family
from ..encodings.core.card import FAMILIES
from ..encodings.core.choice import Choice, find_encoding
from ..model.shape import SWITCHES, Shape
from ..names import Value, show_value

LETTERS = "N positions, T tokens trained on, D width, H heads, d head width"
"""What the letters in a number of parameters mean."""


def show_bound(bound: Bound | None) -> str:
    """Return a bound with where it is proved."""
    if bound is None:
        return "none proved"
    assuming = f"; assuming {bound.assumption}" if bound.assumption else ""
    ours = "; our own proof, not peer reviewed" if bound.status == "ours" else ""
    regular = " on regular languages" if bound.regular else ""
    within = " or ".join(name.notation for name in bound.far_within)
    far = f", {f'for problems in {within} only ' if within else ''}{bound.far}" if bound.far else ""
    return f"{bound.fragment.notation}{regular}{far} ({bound.citation}{ours}{assuming})"


def show_fragment(bound: Bound | None) -> str:
    """Return the fragment of a bound alone."""
    return bound.fragment.notation if bound else "–"


def show_option(option: Option, value: Value | None = None) -> str:
    """Return an option with its value, what is allowed and what it means."""
    told = [] if value is None or value == option.default else [f"default {show_value(option.default)}"]
    if isinstance(option.default, bool):
        told.append("true or false")
    elif isinstance(option.default, str):
        told += ["the name of a circuit"] if option.kind == "circuit" else []
        told += ["numbers, as (1, 1.5, 4)"] if option.kind == "factors" else []
        told += [" or ".join(option.words)] if option.words else []
    else:
        told.append(f"{_limit(option.low)} to {_limit(option.high)}")
    allowed = f" ({'; '.join(told)})" if told else ""
    return f"{option.name}={show_value(option.default if value is None else value)}{allowed}: {option.meaning}"


def _limit(value: float) -> str:
    """Return an end of a range, with a power of ten where it is large or small."""
    if value >= 1e6 or 0 < value < 1e-3:
        return f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return show_value(value)


def show_learned(choice: Choice) -> str:
    """Return what an encoding learns, itself and through what it is put around."""
    told = []
    if choice.card.parameters != "0":
        numbers = f"{choice.card.parameters} number{'s' * (choice.card.parameters != '1')}"
        told.append(numbers + " in each layer" * choice.card.per_layer)
    bases = [base.name for base in choice.bases if show_learned(base) != "nothing"]
    told += [f"what {name} learns" for name in dict.fromkeys(bases)]
    return ", and ".join(told) or "nothing"


def show_properties(choice: Choice) -> list[tuple[str, str]]:
    """Return what an encoding declares of itself, each with a word before it."""
    card = choice.card
    bias = {
        None: "none by position alone",
        True: "bounded at all distances",
        False: "grows without bound, or hides tokens",
    }
    around = [("around", ", ".join(base.name for base in choice.bases))] if choice.bases else []
    return [
        ("acts on", ", ".join(card.acts_on)),
        *around,
        ("learns", show_learned(choice)),
        ("bias", "that of its base" if choice.bases and card.bounded_bias is None else bias[choice.bounded_bias]),
        ("shift", f"adding a number to all positions changes {'nothing' if choice.shift_invariant else 'outputs'}"),
        ("prefix", f"more tokens change {'nothing' if choice.prefix_consistent else 'what comes'} before them"),
        ("scale", f"{'needs' if choice.needs_scale else 'does not need'} to know how long the input is"),
        ("length", "has a largest length, fixed before training" if choice.max_length else "works at any length"),
        ("positions", "may be fractions" if choice.float_ids else "whole numbers only"),
    ]


def show_bounds(choice: Choice) -> list[tuple[str, str]]:
    """Return what is proved of an encoding, each with a word before it."""
    told = [
        ("at least", show_bound(choice.at_least)),
        ("at most", show_bound(choice.at_most)),
        ("precise ≥", show_bound(choice.precise_at_least)),
        ("precise ≤", show_bound(choice.precise_at_most)),
    ]
    if choice.expressible is not None:
        told.append(("expressible", show_bound(choice.expressible)))
    if choice.solves:
        told.append(("solves", f"{', '.join(choice.solves)}, by weights in closed form"))
    return told


def show_alias(alias: Alias) -> str:
    """Return an alias in a sentence."""
    return f"{alias.name} is {alias.means}: {alias.why}"


def switches() -> dict[str, str]:
    """Return the switches of a model with what they do, as its shape tells it."""
    told = " ".join((Shape.__doc__ or "").split())
    found = dict(re.findall(r"- ``(\w+)`` (.*?)[;.](?= -|$)", told))
    return {name: found[name] for name in SWITCHES}


# The page


def encodings_page() -> str:
    """Return the reference page, as Markdown."""
    return "\n".join([*_opening(), *_overview(), *_sections(), *_aliases(), *_switches(), ""])


def _opening() -> Iterator[str]:
    yield f"""\
# Position encodings

<!-- generated by scripts/docs from the cards in src/lengthwise/encodings -->

The package has {len(ENCODINGS)} position encodings. Each has a *card*, which states what it computes and what is proved about it, and a
module. The conformance suite compares the module with its card and with a literal reference in plain Python.

```sh
lengthwise list encodings                        # the table below
lengthwise show encoding 'rope(base=500000)'     # one card in full: proofs, assumptions, notes, a picture
lengthwise conform rope alibi                    # the conformance suite, for two encodings
lengthwise cite rope                             # BibTeX
```

Names take options and other encodings in parentheses: `rope(base=500000)`, `interleaved(window(rope), nope, every=4)`.

![What each encoding adds to attention scores](../images/encodings.svg)

Each panel shows what positions add to the attention scores when all tokens are equal: queries are rows, keys are columns. There are 32
tokens in an untrained model made for 16. Blue lowers a score, orange raises it, hatched keys are hidden. Each panel has its own scale.
"""


def _overview() -> Iterator[str]:
    yield f"""\
## Overview

*At least*: every problem in this class has a solution that an idealized learner finds. *At most*: no transformer with this encoding can do
more. Both are given for exact counts (classes of C-RASP programs) and for *fixed precision* (logics of the past, [what they
mean](../concepts/fixed-precision.md)). "–" means that nothing is proved; the proofs are in [bounds for every
encoding](../concepts/encodings.md). *Shift*: adding a constant to all positions changes nothing.
*Prefix*: later tokens do not change earlier outputs. *Table*: the number of positions is fixed before training. *Scale*: the encoding must
be given the length of the instance. In the number of parameters: {LETTERS}; other words are options.

| name | acts on | parameters | at least | at most | precise: at least | precise: at most | shift | prefix | table | scale |
|---|---|---|---|---|---|---|---|---|---|---|"""
    for card in ENCODINGS.values():
        choice = find_encoding(card.name)
        marks = [choice.shift_invariant, choice.prefix_consistent, choice.max_length, choice.needs_scale]
        cells = [
            f"[{card.name}](#{card.name})",
            ", ".join(card.acts_on),
            _parameters(card),
            show_fragment(choice.at_least),
            show_fragment(choice.at_most),
            show_fragment(choice.precise_at_least),
            show_fragment(choice.precise_at_most),
            *("yes" if mark else "" for mark in marks),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _parameters(card: Card) -> str:
    told = card.parameters + " a layer" * card.per_layer
    if not card.bases:
        return told
    return "as its base" if card.parameters == "0" else f"{told} + its base"


def _sections() -> Iterator[str]:
    for family, cards in cards_by_family().items():
        yield f"## {FAMILIES[family]}\n"
        for card in cards:
            yield from _section(card)


def _section(card: Card) -> Iterator[str]:
    yield f"### {card.name}\n\n{_escaped(card.title[:1].upper() + card.title[1:])}. {_escaped(card.citation)}.\n"
    yield f"```\n{card.formula}\n```\n"
    options = [f"`{option.name}={show_value(option.default)}` {_escaped(option.meaning)}" for option in card.options]
    if options:
        yield f"Options: {'; '.join(options)}.\n"


def _aliases() -> Iterator[str]:
    yield "## Other names\n\n| name | means | why | source |\n|---|---|---|---|"
    for alias in ALIASES.values():
        yield f"| {alias.name} | `{alias.means}` | {_escaped(alias.why)} | {_escaped(alias.citation)} |"
    yield ""


def _switches() -> Iterator[str]:
    yield """\
## Switches of the model

Switches change the model, not its positions. Set them in `[model]` of a [spec](spec.md) or with `lengthwise run --switch`.
"""
    yield from (f"- `{name}` {_escaped(does)}" for name, does in switches().items())


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([*_|<>])", r"\\\1", text)
