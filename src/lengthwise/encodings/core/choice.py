"""Names of encodings with options and bases: ``rope(base=500000)``, ``randomized(rope, length=2048)``; torch-free.

A name is that of a card, an alias, or the path of a user's file, ``mine.py``. In parentheses come the encodings it is put
around, where it is, then options as ``key=value``; a value may be a number, true or false, or a word:
``ipe(circuit=addition(2))``. What is left out takes its default. Equal encodings have equal names: those that are not
written with their shortest name are read as if they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...crasp.fragments import Fragment
from ...errors import InvalidOptionError, did_you_mean, unknown_name
from ...names import Value, parse_call, show_value, split_arguments, write_call
from ...theory.precision.logics import Logic
from ..catalog import ALIASES, ENCODINGS, Bound, Card, Option
from .refusals import require_accepted

_EXAMPLES = "names look like rope, rope(base=500000), randomized(rope, length=2048) or mine.py."
_FILE = re.compile(r"\s*([^(),=]+\.py)\s*(\(.*\))?\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An encoding with its options and the encodings it is put around.

    ``path`` and ``text`` are those of a user's file, empty for an encoding of the package.
    """

    card: Card
    options: tuple[tuple[str, Value], ...] = ()
    bases: tuple[Choice, ...] = ()
    path: str = ""
    text: str = ""

    @property
    def name(self) -> str:
        """The shortest name: without what is default. That of a user's encoding is its path as written."""
        defaults = {option.name: option.default for option in self.card.options}
        changed = [f"{key}={show_value(value)}" for key, value in self.options if value != defaults[key]]
        bases = [] if self._is_default("bases") else [base.name for base in self.bases]
        return write_call(self.path or self.card.name, [*bases, *changed])

    @property
    def parts(self) -> Iterator[Choice]:
        """It, and all encodings it is put around."""
        yield self
        for base in self.bases:
            yield from base.parts

    @property
    def at_least(self) -> Bound | None:
        """What it is proved to find, if counts are exact."""
        return self._bound("at_least")

    @property
    def at_most(self) -> Bound | None:
        """What it is proved not to go beyond, if counts are exact."""
        return self._bound("at_most")

    @property
    def expressible(self) -> Bound | None:
        """What it is proved to express, if counts are exact."""
        return self._bound("expressible")

    @property
    def precise_at_least(self) -> Bound | None:
        """What it is proved to find with numbers of fixed precision."""
        return self._bound("precise_at_least")

    @property
    def precise_at_most(self) -> Bound | None:
        """What it is proved not to go beyond with numbers of fixed precision."""
        return self._bound("precise_at_most")

    @property
    def solves(self) -> tuple[str, ...]:
        """The named languages that weights in closed form accept at every length."""
        return self.card.solves if not self.bases else ()

    @property
    def angles_by_base(self) -> bool:
        """Whether the angles of its rotations follow from its option ``base``."""
        return self.card.angles_by_base

    @property
    def few_bits(self) -> bool:
        """Whether one half of the input can tell the other no more than O(log n) bits."""
        if self.card.few_bits or not self.card.few_bits_of_bases:
            return self.card.few_bits
        # where many tokens may stand at one position, or close to it, a bias by distance finds a single one among the far keys
        is_crowded = self.card.ids_from in ("roles", "digits", "fractions")
        return all(base.few_bits and not (is_crowded and "scores" in base.card.acts_on) for base in self.bases)

    def _bound(self, kind: str) -> Bound | None:
        if self.card.bounds_of_base:  # a shift that is not seen changes nothing
            base = self.bases[0]
            bound = base._bound(kind)
            is_seen = kind.endswith("at_least") and not base.shift_invariant
            return None if is_seen and bound is not None and bound.fragment not in (Fragment.PLAIN, Logic.P) else bound
        if not all(self._is_default(what) for what in self.card.bounds_need):
            return None
        return next(iter(self._declared(kind)), None)

    def weaker(self, bound: Bound) -> tuple[Bound, ...]:
        """Return the lower bounds that are declared beside this one and fit too: smaller classes, and fewer assumptions."""
        if self.card.bounds_of_base:
            return self.bases[0].weaker(bound)
        for kind in ("at_least", "precise_at_least"):
            declared = self._declared(kind)
            if bound in declared:
                return declared[declared.index(bound) + 1 :]
        return ()

    def _declared(self, kind: str) -> tuple[Bound, ...]:
        declared: Bound | tuple[Bound, ...] | None = getattr(self.card, kind)
        bounds = declared if isinstance(declared, tuple) else () if declared is None else (declared,)
        return tuple(bound for bound in bounds if self._fits(bound))

    def _fits(self, bound: Bound) -> bool:
        """Return whether the options are those that a bound is proved for."""
        chosen = dict(self.options)
        return all(low <= float(chosen[name]) <= high for name, low, high in bound.where)

    def _is_default(self, what: str) -> bool:
        """Return whether an option, or the bases, are what they are if nothing is said."""
        if what == "bases":
            return [base.name for base in self.bases] == [find_encoding(base).name for base in self.card.bases]
        return all(dict(self.options)[what] == option.default for option in self.card.options if option.name == what)

    @property
    def shift_invariant(self) -> bool:
        """Whether adding a number to all ids changes nothing."""
        return self.card.shift_invariant if not self.bases else all(base.shift_invariant for base in self.bases)

    @property
    def prefix_consistent(self) -> bool:
        """Whether more tokens change nothing before them."""
        return all(part.card.prefix_consistent for part in self.parts)

    @property
    def needs_scale(self) -> bool:
        """Whether it must know how long the instance is."""
        return self._needs_scale() or any(base.needs_scale for base in self.bases)

    def _needs_scale(self) -> bool:
        queries = self.card.scale_options
        return self.card.needs_scale and (not queries or any(self._asks_for_scale(name) for name in queries))

    def _asks_for_scale(self, name: str) -> bool:
        value = dict(self.options)[name]
        if any(option.kind == "circuit" for option in self.card.options if option.name == name):
            from ...tasks.core.problems import find_circuit
            from ...theory.positions.circuits import needs_hint  # here: no other name needs the theory of positions

            return needs_hint(find_circuit(str(value)))
        return bool(value)

    @property
    def takes_hint(self) -> bool:
        """Whether it must know the scale that a task states, which is not a number of tokens."""
        return any(part.card.takes_hint and part._needs_scale() for part in self.parts)

    @property
    def bounded_bias(self) -> bool | None:
        """Whether what it adds to scores stays bounded at all distances; None if it adds nothing by position alone."""
        if self.card.unbounded_option and not dict(self.options)[self.card.unbounded_option]:
            return True
        return self.card.bounded_bias

    @property
    def max_length(self) -> bool:
        """Whether there is a largest number of positions, fixed beforehand."""
        return any(part.card.max_length for part in self.parts)

    @property
    def float_ids(self) -> bool:
        """Whether ids may be fractions."""
        return all(part.card.float_ids for part in self.parts)

    @property
    def reads_stream(self) -> bool:
        """Whether it reads the stream that enters attention."""
        return any(part.card.reads_stream for part in self.parts)

    @property
    def shifts_ids(self) -> bool:
        """Whether ids start at a random number in training."""
        return any(part.card.shifts_ids for part in self.parts)

    @property
    def uses_room(self) -> bool:
        """Whether training depends on the number of positions that there is room for."""
        return any(part.card.max_length or part.card.shifts_ids or part.card.draws_ids for part in self.parts)

    @property
    def has_table(self) -> bool:
        """Whether there is a table of positions that is added to the input."""
        return any(part.card.has_table for part in self.parts)

    @property
    def learns_relations(self) -> bool:
        """Whether there is a dictionary of relations, whose gains a penalty may act on."""
        return any(part.card.learns_relations for part in self.parts)

    @property
    def chooses_ids(self) -> bool:
        """Whether it gives tokens other positions than those in which they come."""
        return any("ids" in part.card.acts_on for part in self.parts)

    @property
    def variants(self) -> list[Choice]:
        """The other configurations that its card lists, if all of its own options and bases are default."""
        if self.name != (self.path or self.card.name):
            return []
        return [find_encoding(write_call(self.name, [inside])) for inside in self.card.variants]

    @property
    def revision(self) -> int:
        """A number that changes whenever it, or what it is put around, comes to compute something else."""
        own = self.card.revision
        if self.path:
            from ...tasks.user.source import revision_of

            own = revision_of(self.text)
        return own + sum(base.revision - 1 for base in self.bases)


def find_encoding(name: str) -> Choice:
    """Return the encoding of a name, with its options and bases.

    A user's file is read, not run: its card is known without its code.

    >>> find_encoding("cable").name
    'fox'
    >>> find_encoding("randomized(rope, length=64)").name
    'randomized(rope, length=64)'
    >>> find_encoding("rope( base = 10000 )").name
    'rope'
    """
    file = _FILE.fullmatch(name)
    call = parse_call("encoding", f"file{file[2] or ''}" if file else name, examples=_EXAMPLES)
    bases, options = call.split_options("encoding")
    return _choose(file[1] if file else call.name, [find_encoding(base) for base in bases], options, is_file=bool(file))


def find_packaged_encoding(name: str) -> Choice:
    """Return the encoding of a name that may come from data; raise if it names a file, which is not opened."""
    paths = encoding_files(name)
    if paths:
        raise unknown_name("encoding", ", ".join(paths), ENCODINGS)
    return find_encoding(name)


def encoding_files(name: str) -> list[str]:
    """Return the paths of files that the name of an encoding has in it; none is opened.

    >>> encoding_files("window(mine.py, window=3)"), encoding_files("rope")
    (['mine.py'], [])
    """
    file = _FILE.fullmatch(name)
    if file:
        return [file[1], *encoding_files(f"file{file[2]}" if file[2] else "")]
    _, opened, inside = name.partition("(")
    parts = split_arguments(inside.rstrip().removesuffix(")")) if opened else []
    return [path for part in parts for path in encoding_files(part)]


def split_names(text: str) -> list[str]:
    """Return the names in a list with commas between them, other than those in parentheses.

    >>> split_names("nope, randomized(rope, length=64)")
    ['nope', 'randomized(rope, length=64)']
    """
    return split_arguments(text)


def _choose(word: str, bases: list[Choice], options: dict[str, str], *, is_file: bool) -> Choice:
    path = text = ""
    if is_file:
        from ..user.file import read_encoding_file

        path = word
        card, text = read_encoding_file(path)
    elif word in ENCODINGS:
        card = ENCODINGS[word]
    elif word in ALIASES:
        return _read_alias(word, is_plain=not bases and not options)
    else:
        raise unknown_name("encoding", word, [*ENCODINGS, *ALIASES])
    _require_bases(word, card, bases)
    known = {option.name: option for option in card.options}
    for key in options:
        if key not in known:
            suggestion = did_you_mean(key, known)
            listed = f"Known: {', '.join(known)}." if known else "It has none."
            raise InvalidOptionError(
                f"encoding {word!r} has no option {key!r}. {listed}",
                hint=f"did you mean {suggestion!r}?" if suggestion else f"lengthwise show encoding {word}",
            )
    values = {key: _read_value(word, known[key], given) for key, given in options.items()}
    chosen = Choice(
        card=card,
        options=tuple((option.name, values.get(option.name, option.default)) for option in card.options),
        bases=tuple(bases) or tuple(find_encoding(base) for base in card.bases),
        path=path,
        text=text,
    )
    require_accepted(chosen)
    for around, name in card.equals:
        if [base.name for base in bases] == [around]:
            return find_encoding(name)
    return chosen


def _read_alias(word: str, *, is_plain: bool) -> Choice:
    means = ALIASES[word].means
    if not is_plain:
        raise InvalidOptionError(
            f"{word!r} is another name of {means!r} and takes no options.", hint=f"write {means!r} with the options."
        )
    return find_encoding(means)


def _require_bases(word: str, card: Card, bases: list[Choice]) -> None:
    if bases and len(bases) != len(card.bases):
        takes = f"takes {len(card.bases)} other{'s' * (len(card.bases) > 1)}" if card.bases else "takes no other"
        raise InvalidOptionError(
            f"encoding {word!r} {takes} in parentheses; found {len(bases)}: {', '.join(base.name for base in bases)}.",
            hint=f"for example {word}({', '.join(card.bases)})." if card.bases else f"write {word!r} alone.",
        )


def _read_value(word: str, option: Option, text: str) -> Value:
    """Return the value of an option; what is not allowed raises."""
    if option.kind == "circuit":
        from ...tasks.core.problems import find_circuit

        return find_circuit(text).name
    if option.kind == "relations":
        from .guarded import read_guarded, write_guarded

        return write_guarded(read_guarded(text))
    if option.kind == "factors":
        from .factors import read_factors, write_factors

        return text if text == option.default else write_factors(read_factors(text))
    value = option.parse(text)
    if value is None:
        raise InvalidOptionError(
            f"option {option.name!r} of encoding {word!r} must be {option.allowed}; found {text!r}.",
            hint=f"it is {option.meaning}; the default is {show_value(option.default)}.",
        )
    return value
