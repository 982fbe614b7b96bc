"""A smallest program that agrees with labelled words: the idealized learner of arXiv 2410.02140, made executable.

That learner picks, among everything that agrees with the target on short inputs, what is simplest. Here the hypotheses are
the C-RASP programs of a fragment that are one expression, ``accept := …``, and simple means small by
``measures.expression_size``. Sizes are exhausted one by one, up to equal behaviour on the words (enumeration.py has the
grammar and the proof that nothing smaller is lost), so the answer is a smallest program, exactly.

The last sizes need not be kept. A program of size s is ``not`` before a truth of size s − 1, which is tested for the
opposite of the labels when its turn comes; or two truths of at most s − 2, each of which must hold on all accepted words
(``and``) or on no rejected one (``or``); or a comparison of two counts of at most s − 2, of which those of s − 2 and s − 3
meet only counts of size 1 and 2, and are made, compared and forgotten.

One enumeration gives the answer for every length L: the first expression, in an order that does not depend on the
words, that agrees on all labelled words up to L. From the *stabilization length* on, the answers are the same. That is
evidence and no proof that the last one is the language: from two layers on, no computable bound on the length at which a
learner must have stabilized exists (arXiv 2603.02238).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import combinations, product
from math import inf
from typing import TypeVar

import numpy as np

from ..errors import CapExceededError, InvalidOptionError, UnknownSymbolError
from ..languages.alphabet import Alphabet, make_alphabet, show_alphabet, show_word
from ..languages.dfa import DFA
from . import syntax
from .behaviours import NoMoreRoom, Rows, Trie, Word, pack, plant, require_positions
from .enumeration import Enumeration
from .fragments import Fragment, Readout, as_fragment, as_readout
from .interpreter import accepts
from .measures import expression_size
from .printer import print_expression

Part = TypeVar("Part")
Labels = dict[Word, bool]
Target = DFA | Callable[..., bool] | Mapping[str, bool] | Mapping[Word, bool] | Iterable[tuple[Iterable[str], bool]]
Progress = Callable[[int, int, int], None]
"""Called after each size with the size, the candidates tried so far and the classes kept."""

NO_BOUND = (
    "An answer that has stabilized is evidence and no proof: for programs of two layers or more, no computable bound on "
    "the length at which it must stabilize exists (arXiv 2603.02238)."
)


MOST_SIZE = 40
"""No search gets there: programs of size 20 fill the memory for most targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How far synthesis goes. None is no cap beyond what the size allows."""

    max_size: int = 14
    max_number: int | None = None
    """The largest absolute value of a number or a factor."""
    max_modulus: int | None = None
    max_distance: int | None = None
    max_classes: int = 10_000_000

    def __post_init__(self) -> None:
        for cap in fields(self):
            value = getattr(self, cap.name)
            least, optional = int(cap.name != "max_distance"), cap.default is None
            most = MOST_SIZE if cap.name == "max_size" else inf
            if not (type(value) is int and least <= value <= most) and not (value is None and optional):
                allowed = f"an integer of at least {least}{', or None' if optional else ''}"
                allowed += "" if most == inf else f" and at most {most}"
                raise InvalidOptionError(
                    f"{cap.name} must be {allowed}; found {value!r}.", hint=f"leave {cap.name} out."
                )

    def cut_nothing_below(self, size: int, fragment: Fragment) -> bool:
        """Return whether every expression of a smaller size lies within these caps.

        A number, a modulus and a distance cost their value; the smallest truths around them are ``9 = 1``,
        ``pos % 9 = 1`` and ``#{9}['a'] = 1``.
        """
        needs = [(self.max_number, size - 3)]
        if fragment.has_periods:
            needs.append((self.max_modulus, size - 1))
        if fragment.has_windows:
            needs.append((self.max_distance, size - 5))
        return all(cap is None or cap >= need for cap, need in needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAt:
    """The smallest program for the labelled words up to a length."""

    length: int
    size: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """A smallest program, and how it was found.

    ``num_candidates`` expressions were tried and ``num_classes`` kept, one for each behaviour. ``answers`` has the answer
    for every length up to that of the longest word; from ``stabilization_length`` on they are all the program itself,
    which is evidence and no proof that it is the language (see ``NO_BOUND``). ``complete`` says that the caps kept out no
    expression of a smaller size.
    """

    program: syntax.Program
    fragment: Fragment
    size: int
    num_candidates: int
    num_classes: int
    answers: tuple[AnswerAt, ...]
    stabilization_length: int
    caps: Caps
    complete: bool


def synthesize(
    target: Target,
    *,
    alphabet: Iterable[str] | None = None,
    max_length: int | None = None,
    fragment: Fragment | str = Fragment.PLAIN,
    readout: Readout | str = Readout.LAST_SYMBOL,
    caps: Caps | None = None,
    progress: Progress | None = None,
) -> Synthesis:
    """Return a smallest program of a fragment that agrees with a target on words.

    The target is labelled words, all of which count, or a DFA or a predicate, which label every word up to
    ``max_length``. A predicate is given a string where all symbols are single characters, else a tuple. The empty word has
    no last symbol; a program says something about it only if it is read at the end marker.

    >>> found = synthesize(lambda word: word.count("1") > word.count("0"), alphabet="01", max_length=4)
    >>> found.answers[-1].text, found.size
    ("#['0'] < #['1']", 5)
    """
    caps = caps or Caps()
    fragment, read = as_fragment(fragment), as_readout(readout) or Readout.LAST_SYMBOL
    symbols, labels = read_labels(target, alphabet=alphabet, max_length=max_length, readout=read)
    trie = plant(list(labels), symbols, read)
    wanted, masks = _goals(labels, trie)
    unlimited = caps.max_size + len(trie.parents)
    enumeration = Enumeration(
        alphabet=symbols,
        trie=trie,
        fragment=fragment,
        max_number=unlimited if caps.max_number is None else caps.max_number,
        max_modulus=unlimited if caps.max_modulus is None else caps.max_modulus,
        max_distance=unlimited if caps.max_distance is None else caps.max_distance,
        max_classes=caps.max_classes,
    )
    found, tried = _search(enumeration, wanted, masks, caps, progress, f"{len(labels):,} labelled words")
    sizes = [expression_size(each) for each in found]
    stable = next(length for length in range(1, len(found) + 1) if len(set(found[length - 1 :])) == 1)
    return Synthesis(
        program=syntax.Program(alphabet=symbols, accept=found[-1], readout=read),
        fragment=fragment,
        size=sizes[-1],
        num_candidates=tried,
        num_classes=enumeration.num_classes,
        answers=tuple(
            AnswerAt(length=length, size=size, text=print_expression(each))
            for length, (size, each) in enumerate(zip(sizes, found, strict=True), 1)
        ),
        stabilization_length=stable,
        caps=caps,
        complete=caps.cut_nothing_below(sizes[-1], fragment),
    )


def _search(
    enumeration: Enumeration, wanted: Rows, masks: list[Rows], caps: Caps, progress: Progress | None, words: str
) -> tuple[list[syntax.Expression], int]:
    """Return the first expression that agrees with the labels under each mask, and how many candidates were tried."""
    found: list[syntax.Expression] = []
    opposite: dict[int, syntax.Expression] = {}  # by mask: the first truth of the last size that is wrong on every word
    tried = 0
    for size in range(1, caps.max_size + 1):
        try:
            tried += enumeration.keep(truths=size - 2, counts=max(size - 4, min(size - 2, 5)))
        except NoMoreRoom as full:
            raise CapExceededError(
                f"{full} was reached; every size up to {size - 1} was exhausted, and no program of these sizes agrees "
                f"with the {words}.",
                hint="give shorter or fewer words, use a smaller fragment, or raise max_classes if that is the cap.",
            ) from None
        while len(found) in opposite:
            found.append(syntax.Not(opposite[len(found)]))
        opposite = {}
        if len(found) < len(masks):
            first = len(found)
            for candidates in enumeration.truth_candidates(size, [(one, masks[first]) for one in (wanted, ~wanted)]):
                tried += len(candidates.rows)
                agreeing = _first_agreeing(candidates.rows, wanted, masks[len(found) :])
                found += [enumeration.expression(candidates, which) for which in agreeing]
                for which in _first_agreeing(candidates.rows, ~wanted, masks[first + len(opposite) :]):
                    opposite[first + len(opposite)] = enumeration.expression(candidates, which)
                if len(found) == len(masks):
                    break
        if progress is not None:
            progress(size, tried, enumeration.num_classes)
        if len(found) == len(masks):
            return found, tried
    raise CapExceededError(
        f"no program of size at most {caps.max_size} agrees with the {words}: max_size = {caps.max_size} was reached, and "
        f"every size up to {caps.max_size} was exhausted, in {tried:,} candidates.",
        hint="raise max_size, or use a larger fragment; the target may also lie in none.",
    )


def _first_agreeing(rows: Rows, wanted: Rows, masks: list[Rows]) -> Iterator[int]:
    """Yield for each mask the first row that has the wanted bits under it, up to a mask for which there is none."""
    which = np.arange(len(rows))
    for mask in masks:
        for column in np.flatnonzero(mask):
            which = which[(rows[which, column] ^ wanted[column]) & mask[column] == 0]
        if not len(which):
            return
        yield int(which[0])


# Words


def read_labels(
    target: Target, *, alphabet: Iterable[str] | None, max_length: int | None, readout: Readout
) -> tuple[Alphabet, Labels]:
    """Return the alphabet and what a target says about words; labels that contradict each other are errors."""
    if isinstance(target, DFA) or callable(target):
        symbols = (
            make_alphabet(alphabet) if alphabet is not None else target.alphabet if isinstance(target, DFA) else None
        )
        if symbols is None or max_length is None or max_length < 1:
            raise InvalidOptionError(
                f"a language is labelled up to a length of 1 or more, over an alphabet; found max_length = {max_length!r} "
                f"and alphabet = {symbols!r}.",
                hint="give both, for example alphabet='ab', max_length=6.",
            )
        return symbols, _label_all(target, symbols, max_length, readout)
    pairs = [(tuple(word), label) for word, label in (target.items() if isinstance(target, Mapping) else target)]
    symbols = make_alphabet(alphabet if alphabet is not None else sorted({each for word, _ in pairs for each in word}))
    labels: Labels = {}
    for word, label in pairs:
        if max_length is None or len(word) <= max_length:
            _require_readable(word, symbols, readout)
            if labels.setdefault(word, bool(label)) != bool(label):
                raise InvalidOptionError(
                    f"word {show_word(word)!r} is labelled both true and false; a word has one label.",
                    hint="remove one of the two.",
                )
    if not any(labels):
        raise InvalidOptionError("no word of length 1 or more is labelled.", hint="label some words.")
    return symbols, labels


def _label_all(language: DFA | Callable[..., bool], symbols: Alphabet, max_length: int, readout: Readout) -> Labels:
    """Return what a language says about every word up to a length that a program can be asked about."""
    number = 0
    for length in range(max_length + 1):
        number += len(symbols) ** length
        require_positions(number)
    shortest = 0 if readout is Readout.END_MARKER else 1
    words = [word for length in range(shortest, max_length + 1) for word in product(symbols, repeat=length)]
    if isinstance(language, DFA):
        return {word: word in language for word in words}
    plain = all(len(symbol) == 1 for symbol in symbols)
    return {word: bool(language("".join(word) if plain else word)) for word in words}


def _require_readable(word: Word, symbols: Alphabet, readout: Readout) -> None:
    for symbol in word:
        if symbol not in symbols:
            raise UnknownSymbolError(
                f"symbol {symbol!r} is not in the alphabet {show_alphabet(symbols)}.", hint="use only these symbols."
            )
    if not word and readout is Readout.LAST_SYMBOL:
        raise InvalidOptionError(
            "the empty word is labelled, but a program read at the last symbol says nothing about it.",
            hint="leave it out, or read at the end: Readout.END_MARKER, or --readout end.",
        )


def _goals(labels: Labels, trie: Trie) -> tuple[Rows, list[Rows]]:
    """Return the labels as bits, and for every length from 1 on a mask of the words up to it."""
    lengths = np.full(len(trie.parents), -1)
    wanted = np.zeros(len(trie.parents), bool)
    for word, label in labels.items():
        lengths[trie.reads[word]] = len(word)
        wanted[trie.reads[word]] = label
    return pack(wanted), [pack((lengths >= 0) & (lengths <= last)) for last in range(1, int(lengths.max()) + 1)]


# The oracle


def smallest_by_brute_force(
    labels: Labels,
    *,
    alphabet: Alphabet,
    fragment: Fragment = Fragment.PLAIN,
    readout: Readout = Readout.LAST_SYMBOL,
    max_size: int = 6,
) -> syntax.Expression | None:
    """Return a smallest expression that agrees with the labels, by trying all of them on all words; None if there is none.

    Every expression of the syntax without names is made, none is left out because of another, and the interpreter says
    what it does. Slow and obvious: the oracle for :func:`synthesize`.
    """
    for expression in expressions_by_brute_force(alphabet, fragment, max_size):
        program = syntax.Program(alphabet=alphabet, accept=expression, readout=readout)
        if all(accepts(program, word) == label for word, label in labels.items()):
            return expression
    return None


def expressions_by_brute_force(alphabet: Alphabet, fragment: Fragment, max_size: int) -> Iterator[syntax.Expression]:
    """Yield every truth of a fragment without names, by size."""

    @cache
    def truths(size: int) -> list[syntax.Expression]:
        found: list[syntax.Expression] = [syntax.Symbol(each) for each in alphabet] if size == 1 else []
        found += [syntax.Constant(True), syntax.Constant(False)] if size == 1 else []
        found += [syntax.Modulo(size, residue) for residue in range(size) if size == 1 or fragment.has_periods]
        found += [syntax.Not(part) for part in truths(size - 1)] if size > 1 else []
        found += [form(parts) for form in (syntax.And, syntax.Or) for parts in sequences(truths, size)]
        for left in range(1, size - 1):
            pairs = product(syntax.SIGNS, counts(left), counts(size - 1 - left))
            found += [syntax.Compare(sign, one, two) for sign, one, two in pairs]
        return found

    @cache
    def counts(size: int) -> list[syntax.Expression]:
        found: list[syntax.Expression] = [
            syntax.Number(size),
            syntax.Number(-size),
            *([syntax.Number(0)] if size == 1 else []),
        ]
        found += [
            form(body) for form in (syntax.Count, syntax.CountBefore) for body in (truths(size - 1) if size > 1 else [])
        ]
        for farthest in range(size - 1 if fragment.has_windows else min(1, size - 1)):
            nearer = [each for number in range(farthest + 1) for each in combinations(range(farthest), number)]
            found += [syntax.CountAt(body, (*few, farthest)) for few in nearer for body in truths(size - 1 - farthest)]
        for condition in range(1, size - 2):
            for then in range(1, size - 1 - condition):
                choices = product(truths(condition), counts(then), counts(size - 1 - condition - then))
                found += [syntax.Choice(*parts) for parts in choices]
        found += [syntax.Sum((term,)) for term in (terms(size - 1) if size > 1 else []) if term[0] != 1]
        return found + [syntax.Sum(parts) for parts in sequences(terms, size)]

    @cache
    def terms(cost: int) -> list[tuple[int, syntax.Expression]]:
        factors = range(-cost, cost + 1)
        return [(factor, count) for factor in factors for count in counts(cost - max(0, abs(factor) - 1))]

    def sequences(parts: Callable[[int], list[Part]], size: int) -> Iterator[tuple[Part, ...]]:
        """Yield two or more parts that cost this much together, with 1 for each after the first."""
        for first in range(1, size - 1):
            rest = size - 1 - first
            for one in parts(first):
                yield from ((one, two) for two in parts(rest))
                yield from ((one, *more) for more in sequences(parts, rest))

    for size in range(1, max_size + 1):
        yield from truths(size)
