"""Names of encodings with options and bases: ``rope(base=500000)``, ``randomized(rope, length=2048)``; torch-free.

A name is that of a card or an alias. In parentheses come the encodings it is put around, where it is, then options as
``key=value``; a value may be a number, true or false, or a word: ``ipe(circuit=addition(2))``. What is left out takes
its default. Equal encodings have equal names: those that are not written with their shortest name are read as if they
were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidOptionError, did_you_mean, unknown_name
from ..theory.positions.circuits import needs_hint
from ..theory.positions.library import find_circuit
from .cards import ALIASES, ENCODINGS, Bound, Card, Option
from .guarded import read_guarded, write_guarded

Value = float | int | bool | str

_TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*|[-+]?[0-9.][0-9.eE+-]*|[(),=])")
_MOST_NESTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An encoding with its options and the encodings it is put around."""

    card: Card
    options: tuple[tuple[str, Value], ...] = ()
    bases: tuple[Choice, ...] = ()

    @property
    def name(self) -> str:
        """The shortest name: without what is default."""
        defaults = {option.name: option.default for option in self.card.options}
        told = [f"{key}={show_value(value)}" for key, value in self.options if value != defaults[key]]
        bases = [base.name for base in self.bases]
        if bases != [find_encoding(base).name for base in self.card.bases]:
            told = bases + told
        return f"{self.card.name}({', '.join(told)})" if told else self.card.name

    @property
    def at_least(self) -> Bound | None:
        """What it is proved to find."""
        return self._bound("at_least")

    @property
    def at_most(self) -> Bound | None:
        """What it is proved not to go beyond."""
        return self._bound("at_most")

    @property
    def expressible(self) -> Bound | None:
        """What it is proved to express."""
        return self._bound("expressible")

    def _bound(self, kind: str) -> Bound | None:
        if self.card.name == "offset":  # a shift that is not seen changes nothing
            base = self.bases[0]
            return base._bound(kind) if base.shift_invariant or kind != "at_least" else None
        if self.card.name == "window" and self.bases[0].card.name != "nope":
            return None
        if self.card.name == "hard_alibi" and dict(self.options)["heads"]:
            return None  # so many heads may be all there are
        bound: Bound | None = getattr(self.card, kind)
        return bound

    @property
    def shift_invariant(self) -> bool:
        """Whether adding a number to all ids changes nothing."""
        return self.card.shift_invariant if not self.bases else all(base.shift_invariant for base in self.bases)

    @property
    def prefix_consistent(self) -> bool:
        """Whether more tokens change nothing before them."""
        return self.card.prefix_consistent and all(base.prefix_consistent for base in self.bases)

    @property
    def needs_scale(self) -> bool:
        """Whether it must know how long the instance is."""
        options = dict(self.options)
        if self.card.name == "ipe":
            return bool(options["eos"]) or needs_hint(find_circuit(str(options["circuit"])))
        own = self.card.needs_scale and bool(options.get("hint", True))
        return own or any(base.needs_scale for base in self.bases)

    @property
    def bounded_bias(self) -> bool | None:
        """Whether what it adds to scores stays bounded at all distances; None if it adds nothing by position alone."""
        if dict(self.options).get("corrected") is False:  # the logarithm of the length is what grows
            return True
        return self.card.bounded_bias

    @property
    def max_length(self) -> bool:
        """Whether there is a largest number of positions, fixed beforehand."""
        return self.card.max_length or any(base.max_length for base in self.bases)

    @property
    def float_ids(self) -> bool:
        """Whether ids may be fractions."""
        return self.card.float_ids and all(base.float_ids for base in self.bases)

    @property
    def has_table(self) -> bool:
        """Whether it is a table of positions that is added to the input."""
        return self.card.name in ("learned", "ape") or any(base.has_table for base in self.bases)

    @property
    def learns_relations(self) -> bool:
        """Whether there is a dictionary of relations, whose gains a penalty may act on."""
        return self.uses("lbpe") or self.uses("lbpe_grown") or self.uses("lbpe_found")

    @property
    def chooses_ids(self) -> bool:
        """Whether it gives tokens other positions than those in which they come."""
        return "ids" in self.card.acts_on or any(base.chooses_ids for base in self.bases)

    def uses(self, name: str) -> bool:
        """Return whether it is this encoding, or is put around it."""
        return self.card.name == name or any(base.uses(name) for base in self.bases)

    @property
    def revision(self) -> int:
        """A number that grows whenever it, or what it is put around, comes to compute something else."""
        return self.card.revision + sum(base.revision - 1 for base in self.bases)


def find_encoding(name: str) -> Choice:
    """Return the encoding of a name, with its options and bases.

    >>> find_encoding("cable").name
    'fox'
    >>> find_encoding("randomized(rope, length=64)").name
    'randomized(rope, length=64)'
    >>> find_encoding("rope( base = 10000 )").name
    'rope'
    """
    tokens = _tokens(name)
    choice, rest = _read(tokens, name, 0)
    if rest:
        raise _malformed(name, f"{rest[0]!r} comes after its end")
    return choice


def split_names(text: str) -> list[str]:
    """Return the names in a list with commas between them, other than those in parentheses.

    >>> split_names("nope, randomized(rope, length=64)")
    ['nope', 'randomized(rope, length=64)']
    """
    names, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            names.append("")
        else:
            names[-1] += sign
    return [name.strip() for name in names]


def _tokens(name: str) -> list[str]:
    tokens, place = [], 0
    text = name.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _malformed(name, f"{text[place]!r} does not belong in a name")
        tokens.append(match[1])
        place = match.end()
    return tokens


def _read(tokens: Sequence[str], whole: str, depth: int) -> tuple[Choice, Sequence[str]]:
    """Return the encoding that the tokens begin with, and the tokens after it."""
    if depth > _MOST_NESTED:
        raise _malformed(whole, f"it is nested more than {_MOST_NESTED} deep")
    if not tokens or not tokens[0].isidentifier():
        raise _malformed(whole, f"{tokens[0]!r} stands where a name must" if tokens else "a name is missing")
    word, rest = tokens[0], tokens[1:]
    bases: list[Choice] = []
    options: dict[str, str] = {}
    if rest and rest[0] == "(":
        rest = rest[1:]
        while not rest or rest[0] != ")":
            if len(rest) >= 3 and rest[1] == "=":
                key, (value, rest) = rest[0], _read_value(rest[2:])
                if key in options:
                    raise _malformed(whole, f"{key!r} is given twice")
                options[key] = value
            else:
                base, rest = _read(rest, whole, depth + 1)
                bases.append(base)
            if rest and rest[0] == ",":
                rest = rest[1:]
            elif not rest or rest[0] != ")":
                raise _malformed(whole, "a parenthesis is not closed" if not rest else f"{rest[0]!r} is not expected")
        rest = rest[1:]
    return _choose(word, bases, options), rest


def _read_value(tokens: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the value that the tokens begin with, a word with what it has in parentheses, and the tokens after it."""
    if len(tokens) < 2 or tokens[1] != "(" or ")" not in tokens:
        return tokens[0], tokens[1:]
    end = tokens.index(")")
    return f"{tokens[0]}({' '.join(tokens[2:end]).replace(' ,', ',')})", tokens[end + 1 :]


def _choose(word: str, bases: list[Choice], options: dict[str, str]) -> Choice:
    if word in ALIASES:
        if bases or options:
            raise InvalidOptionError(
                f"{word!r} is another name of {ALIASES[word].means!r} and takes no options.",
                hint=f"write {ALIASES[word].means!r} with the options.",
            )
        return find_encoding(ALIASES[word].means)
    if word not in ENCODINGS:
        raise unknown_name("encoding", word, [*ENCODINGS, *ALIASES])
    card = ENCODINGS[word]
    if bases and len(bases) != len(card.bases):
        takes = f"takes {len(card.bases)} other{'s' * (len(card.bases) > 1)}" if card.bases else "takes no other"
        raise InvalidOptionError(
            f"encoding {word!r} {takes} in parentheses; found {len(bases)}: {', '.join(base.name for base in bases)}.",
            hint=f"for example {word}({', '.join(card.bases)})." if card.bases else f"write {word!r} alone.",
        )
    known = {option.name: option for option in card.options}
    for key in options:
        if key not in known:
            suggestion = did_you_mean(key, known)
            told = f"Known: {', '.join(known)}." if known else "It has none."
            raise InvalidOptionError(
                f"encoding {word!r} has no option {key!r}. {told}",
                hint=f"did you mean {suggestion!r}?" if suggestion else f"lengthwise show encoding {word}",
            )
    values = {key: _value(word, known[key], text) for key, text in options.items()}
    chosen = Choice(
        card=card,
        options=tuple((option.name, values.get(option.name, option.default)) for option in card.options),
        bases=tuple(bases) or tuple(find_encoding(base) for base in card.bases),
    )
    _require_that_they_fit(chosen)
    if card.name == "random_float" and not chosen.bases[0].float_ids:
        raise InvalidOptionError(
            f"random_float gives fractions as positions, and {chosen.bases[0].name!r} has rows for whole numbers only.",
            hint="put it around a formula, for example rope, alibi or sinusoidal.",
        )
    if card.name == "offset" and chosen.bases[0].card.name == "learned":
        return find_encoding("ape")
    return chosen


_LOOKING_AROUND = ("cope", "dape", "dape_v2", "length_corrected", "rpe_square")
"""Their scores depend on other keys, which a window would hide or not."""
_HINTED = ("relative", "t5_bucket", "clipped")
"""The relations that are functions of distances."""
_NEVER_ABOVE_ZERO = ("alibi", "learned_alibi", "hard_alibi", "kerple_log", "kerple_power")
"""Biases that are penalties only."""


_COUNTING = ("ipe", "lbpe", "lbpe_grown", "lbpe_found")  # their relations are equations between positions as they come


def _require_that_they_fit(chosen: Choice) -> None:
    """Raise if an encoding is put around one that it would silence."""
    name = chosen.card.name
    for base in chosen.bases:
        if base.chooses_ids and (name == "interleaved" or "ids" in chosen.card.acts_on):
            raise InvalidOptionError(
                f"{name!r} goes around encodings that take positions as they come; {base.name!r} chooses its own.",
                hint="put the two the other way round, or use learned instead of ape.",
            )
        if "ids" in chosen.card.acts_on and base.card.name in _COUNTING:
            raise InvalidOptionError(
                f"{name!r} gives tokens other positions, and {base.name!r} has equations between those that they have.",
                hint="use it alone.",
            )
        if name == "window" and any(base.uses(other) for other in _LOOKING_AROUND):
            raise InvalidOptionError(
                f"a window around {base.name!r} has no one meaning: its scores depend on the keys that would be hidden.",
                hint="put the window around an encoding whose scores look at one key at a time.",
            )
        if name in ("dape", "dape_v2") and base.bases:
            raise InvalidOptionError(
                f"{name!r} adapts a plain bias, not {base.name!r}.", hint="for example kerple_log, alibi, t5 or fire."
            )
        if name == "scale_hint" and base.uses("scale_hint"):
            raise InvalidOptionError(f"{base.name!r} is told the scale already.", hint="hint at it once.")
        if name == "scale_hint" and base.card.relation not in _HINTED:
            raise InvalidOptionError(
                f"'scale_hint' takes the scale from distances, and {base.name!r} is not a function of distances alone.",
                hint="put it around such an encoding, for example rpe, rope, kerple_log or t5.",
            )
        if name == "length_corrected":
            _require_that_it_can_be_corrected(base)


def _require_that_it_can_be_corrected(base: Choice) -> None:
    """Raise if softmax would not see a correction of the bias, or if it has one already."""
    hint = "put length_corrected around a bias that can be positive, for example rpe, t5 or scale_hint(rpe)."
    if base.card.name == "length_corrected":
        raise InvalidOptionError(f"{base.name!r} is corrected already.", hint="correct it once.")
    if base.card.name == "window":
        raise InvalidOptionError(
            f"{base.name!r} needs no correction: the tokens in its window do not become more.", hint="use it as it is."
        )
    if base.card.name in _NEVER_ABOVE_ZERO:
        raise InvalidOptionError(
            f"the bias of {base.name!r} is never above 0, so the correction would be the same for all keys, "
            "and softmax would not see it.",
            hint=hint,
        )
    if base.bases and base.card.name not in ("dape", "dape_v2"):
        for inner in base.bases:
            _require_that_it_can_be_corrected(inner)
    elif base.card.bounded_bias is None:
        raise InvalidOptionError(
            f"{base.name!r} has no bias by position alone: the correction would be the same for all keys, "
            "and softmax would not see it.",
            hint=hint,
        )


def _value(word: str, option: Option, text: str) -> Value:
    """Return the value of an option; what is not allowed raises."""
    if isinstance(option.default, bool):
        if text not in ("true", "false"):
            raise _bad_value(word, option, text, "true or false")
        return text == "true"
    if isinstance(option.default, str):
        return write_guarded(read_guarded(text)) if option.name == "relations" else find_circuit(text).name
    whole = isinstance(option.default, int)
    allowed = f"a {'whole ' if whole else ''}number from {option.low:g} to {option.high:g}"
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise _bad_value(word, option, text, allowed) from None
    if not option.low <= value <= option.high:
        raise _bad_value(word, option, text, allowed)
    return value


def _bad_value(word: str, option: Option, text: str, allowed: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"option {option.name!r} of encoding {word!r} must be {allowed}; found {text!r}.",
        hint=f"it is {option.meaning}; the default is {show_value(option.default)}.",
    )


def show_value(value: Value) -> str:
    """Return the value of an option as it is written.

    >>> show_value(10000.0), show_value(0.5), show_value(False), show_value("copy")
    ('10000', '0.5', 'false', 'copy')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


def _malformed(name: str, why: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"{name!r} is not the name of an encoding: {why}.",
        hint="names look like rope, rope(base=500000) or randomized(rope, length=2048).",
    )
