"""What cards say of encodings, in words: for the terminal, and as the reference page of all of them; torch-free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..encodings.cards import ALIASES, Alias, Bound, Card, Option
from ..encodings.cards_absolute import ABSOLUTE
from ..encodings.cards_biases import BIASES
from ..encodings.cards_contents import CONTENTS
from ..encodings.cards_ids import WRAPPERS
from ..encodings.cards_learned_relations import LEARNED_RELATIONS
from ..encodings.cards_relations import RELATIONS_CARDS
from ..encodings.cards_rotations import ROTATIONS
from ..encodings.names import Choice, Value, find_encoding, show_value
from ..model.shape import SWITCHES, Shape

FAMILIES: dict[str, tuple[Card, ...]] = {
    "No positions, and positions added to the input": ABSOLUTE,
    "Added to scores, by distance": BIASES,
    "Rotations of queries and keys": ROTATIONS,
    "By content": CONTENTS,
    "Around other encodings": WRAPPERS,
    "By position relations": RELATIONS_CARDS,
    "By the relations of a circuit, or learned ones": LEARNED_RELATIONS,
}
"""All cards, by what kind of thing they are."""

LETTERS = "N positions, T tokens trained on, D width, H heads, d head width"
"""What the letters in a number of parameters mean."""


def show_bound(bound: Bound | None) -> str:
    """Return a bound with where it is proved."""
    if bound is None:
        return "none proved"
    assuming = f"; assuming {bound.assumption}" if bound.assumption else ""
    return f"{bound.fragment.notation} ({bound.citation}{assuming})"


def show_fragment(bound: Bound | None) -> str:
    """Return the fragment of a bound alone."""
    return bound.fragment.notation if bound else "–"


def show_option(option: Option, value: Value | None = None) -> str:
    """Return an option with its value, what is allowed and what it means."""
    told = [] if value is None or value == option.default else [f"default {show_value(option.default)}"]
    if isinstance(option.default, bool):
        told.append("true or false")
    elif isinstance(option.default, str):
        told += ["the name of a circuit"] if option.name == "circuit" else []
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
    return [
        ("at least", show_bound(choice.at_least)),
        ("at most", show_bound(choice.at_most)),
        ("expressible", show_bound(choice.expressible)),
    ]


def show_alias(alias: Alias) -> str:
    """Return an alias in a sentence."""
    return f"{alias.name} is {alias.means}: {alias.why}"


def switches() -> dict[str, str]:
    """Return the switches of a model with what they do, as its shape tells it."""
    told = " ".join((Shape.__doc__ or "").split())
    found = dict(re.findall(r"- ``(\w+)`` (.*?)[;.](?= -|$)", told))
    return {name: found[name] for name in SWITCHES}


# The page

_SELF_EVIDENT = ("shift", "prefix", "scale", "length")
"""Properties whose sentences need no word before them."""


def encodings_page() -> str:
    """Return the reference page, as Markdown."""
    return "\n".join([*_opening(), *_overview(), *_sections(), *_aliases(), *_switches(), ""])


def _opening() -> Iterator[str]:
    num_encodings = sum(map(len, FAMILIES.values()))
    yield f"""\
# Position encodings

<!-- generated from the cards of src/lengthwise/encodings; LENGTHWISE_README=write pytest tests/test_gallery.py writes it -->

{num_encodings} encodings. Each is a card, which says what it computes and what is proved of it, and a module, which the conformance
suite holds to its card and to a literal reference in plain Python.

```sh
lengthwise list encodings                        # all of them
lengthwise show encoding 'rope(base=500000)'     # one in full, with a picture
lengthwise conform rope alibi                    # the suite, here for two of them
lengthwise cite rope                             # BibTeX
```

Options and what an encoding is put around come in parentheses: `rope(base=500000)`, `randomized(rope, length=2048)`,
`interleaved(window(rope), nope, every=4)`. What is left out takes its default. Such names work wherever an encoding is
named: on the command line, in a [spec](spec.md) and in Python, `make_encoding("rope(base=500000)", fit)`.

![What each encoding does to attention](../images/encodings.svg)

Every panel shows what positions add to the scores of constant content: rows are queries, columns are keys, 32 tokens in
a model made to be trained on 16. Blue is less than tokens give themselves, orange more, hatched is not seen. Where
positions are added to the input, their inner products are shown, divided by √D; where there is no softmax, logarithms of
the weights. Nothing is trained: what learns a function or a table is random here. Every panel has its own scale.
`lengthwise list encodings --svg FILE` draws them again.
"""


def _overview() -> Iterator[str]:
    yield f"""\
## All of them

*At least*: the idealized learner is proved to find every program of this fragment. *At most*: no transformer with this
encoding goes beyond it. "–": nothing is proved. *Shift*: adding a number to all positions changes nothing. *Prefix*: more
tokens change nothing before them. *Largest*: the number of positions is fixed before training. Letters in numbers of
parameters: {LETTERS}; other words are options.

| name | acts on | parameters | at least | at most | shift | prefix | largest |
|---|---|---|---|---|---|---|---|"""
    for cards in FAMILIES.values():
        for card in cards:
            choice = find_encoding(card.name)
            marks = [choice.shift_invariant, choice.prefix_consistent, choice.max_length]
            cells = [
                f"[{card.name}](#{card.name})",
                ", ".join(card.acts_on),
                _parameters(card),
                show_fragment(choice.at_least),
                show_fragment(choice.at_most),
                *("yes" if mark else "no" for mark in marks),
            ]
            yield f"| {' | '.join(cells)} |"
    yield ""


def _parameters(card: Card) -> str:
    told = card.parameters + " a layer" * card.per_layer
    if not card.bases:
        return told
    return "as its base" if card.parameters == "0" else f"{told} + its base"


def _sections() -> Iterator[str]:
    for family, cards in FAMILIES.items():
        yield f"## {family}\n"
        for card in cards:
            yield from _section(card)


def _section(card: Card) -> Iterator[str]:
    choice = find_encoding(card.name)
    yield f"### {card.name}\n\n{_escaped(card.title[:1].upper() + card.title[1:])}.\n"
    yield f"```\n{card.formula}\n```\n"
    for option in card.options:
        shown = f"{option.name}={show_value(option.default)}"
        yield f"- option `{shown}`{_escaped(show_option(option).removeprefix(shown))}"
    properties = (told if label in _SELF_EVIDENT else f"{label}: {told}" for label, told in show_properties(choice))
    yield f"- {_escaped('; '.join(properties))}"
    yield from (f"- {label}: {_escaped(told)}" for label, told in show_bounds(choice))
    yield f"- source: {_escaped(card.citation)}\n"
    if card.note:
        yield f"{_escaped(card.note[:1].upper() + card.note[1:])}\n"


def _aliases() -> Iterator[str]:
    yield "## Other names\n\n| name | means | why | source |\n|---|---|---|---|"
    for alias in ALIASES.values():
        yield f"| {alias.name} | `{alias.means}` | {_escaped(alias.why)} | {_escaped(alias.citation)} |"
    yield ""


def _switches() -> Iterator[str]:
    yield """\
## Switches of the model

These are not position encodings, but change what one can tell from comparing them. They go into `[model]` of a
[spec](spec.md), or behind `--switch` of `lengthwise run`.
"""
    yield from (f"- `{name}` {_escaped(does)}" for name, does in switches().items())


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([*_|<>])", r"\\\1", text)
