"""All C-RASP expressions by size, one for each behaviour: the engine of synthesis.

**Behaviour.** No value looks to the right, so on the words at hand an expression is a vector: its value at the last
position of each of their prefixes. That value depends on no other word, so the prefixes of the labelled words suffice, and
expressions with equal vectors may stand for each other in every larger one. Of each *class* of equal vectors, only the
first expression is kept.

**Grammar**, within the caps on numbers and factors, moduli and distances. An *atom* is a count that is no sum; a term
f*count is *large* if |f| ≥ 2; a *unit* is an atom that is a term with factor 1 or −1::

    truth   = 'a' | true | false | pos % m = r | not truth | truth and truth | truth or truth | compare
    compare = atom sign count, where no unit of the count is larger than the atom | count sign count, all terms large
    atom    = number | #[truth] | #<[truth] | #{…}[truth] | if truth then count else count
    count   = atom | -atom | f*count | term ± … ± term
    term    = atom | f*count

**Nothing smaller is lost**: each expression without names has an equal in this grammar that is no larger.

- ``and`` and ``or`` of k parts cost as much as nested pairs, in any order. What has a factor 0, and a modulus 1, can go. A
  sum inside a sum with factor ±1 can be written out, with its signs turned.
- ``!=`` is smaller than ``not … = …``, so all six signs are used. Two counts compare as the difference of their terms does
  with 0, so terms may change sides. If there is a unit, a largest one goes to the left with factor 1, all else to the
  right. That costs no more: k terms cost k − 2 in the two sums and 1 for the sign, wherever they stand, and 1 more for
  each side that is a single term with a factor other than 1. Now only the right side can be one, and only if k = 2; then
  one of the sides was one before.
- Terms can be added in any order: first the others, then a largest unit, if there is one.

**First** is meant in an order that does not depend on the words: by size, then by form, in the order of the methods below
(counts: atoms, then sums with a larger unit before others; comparisons: a larger left atom first), then by parts. The
first expression e of a class is made of firsts of their classes, which is all that is enumerated. For let a first p* stand
in e for a part p. If p* is smaller, so is the result, and its equal in the grammar: a contradiction. Else p* is earlier,
and so is the result, if it is in the grammar. If it is not, then p* is -atom or f*count, and costs less written out as a
summand; or p* brings a unit that is too large for its place, and with it moved the result is in the grammar and earlier.
By the same reason P need not be tried in ``if P then A else B`` where an earlier truth is its opposite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from ..languages.alphabet import Alphabet
from . import syntax
from .behaviours import CHUNK_BYTES, Candidates, ClassTable, NoMoreRoom, Operand, Rows, Trie, boxes, pack, unpack
from .fragments import Fragment

Form = tuple[Any, ...]
"""What makes an expression what it is, apart from its parts: ("sum", 1, -2)."""


class Enumeration:
    """Classes of truths and counts, size by size, and the candidates for the next size.

    Counts of a size are of several kinds, kept in this order: atoms (0); sums whose largest unit has size w (size − w), among
    them -atom (w is size − 1) and sums of large terms only (w is 0); and f*count (size + 1).
    """

    def __init__(
        self,
        *,
        alphabet: Alphabet,
        trie: Trie,
        fragment: Fragment,
        max_number: int,
        max_modulus: int,
        max_distance: int,
        max_classes: int,
    ) -> None:
        width = len(trie.parents)
        self.alphabet = alphabet
        self.trie = trie
        self.truths = ClassTable(width // 64, np.uint64)
        self.counts = ClassTable(width, np.int8)
        self._max_classes = max_classes
        self._max_number = max_number
        self._max_modulus = max_modulus if fragment.has_periods else 1
        self._max_distance = min(max_distance, int(trie.positions.max()) - 1) if fragment.has_windows else 0
        self._truth_ends = [0]  # by size
        self._count_ends = [[0]]  # by size, then by kind
        self._bounds, self._term_bounds = [0], [0]
        self._is_first = np.zeros(0, bool)  # of a truth and its opposite; a constant is neither
        self._forms: dict[Form, int] = {}
        for form in product(("compare", "turned"), syntax.SIGNS):
            self._number(form)

    @property
    def num_classes(self) -> int:
        """How many behaviours are kept."""
        return len(self.truths) + len(self.counts)

    # What is kept

    def keep(self, *, truths: int, counts: int) -> int:
        """Keep all classes of truths and of counts up to these sizes; return how many counts were tried."""
        tried = 0
        while len(self._truth_ends) <= truths or len(self._count_ends) <= counts:
            if len(self._count_ends) <= min(counts, len(self._truth_ends)):
                tried += self._keep_counts(len(self._count_ends))
            else:
                self._keep_truths(len(self._truth_ends))
        return tried

    def _keep_truths(self, size: int) -> None:
        for candidates in self.truth_candidates(size):
            self._add(self.truths, candidates)
        start, end = self._truth_ends[-1], len(self.truths)
        self._truth_ends.append(end)
        rows = self.truths.rows[start:end]
        opposite = self.truths.numbers(~rows)
        first = (opposite < 0) | (opposite > np.arange(start, end))
        first &= rows.any(axis=1) & (~rows).any(axis=1)
        self._is_first = np.concatenate([self._is_first, first])

    def _keep_counts(self, size: int) -> int:
        tried = 0
        ends = []
        for kind in range(size + 2):
            for candidates in self._count_candidates(size, kind):
                tried += len(candidates.rows)
                self._add(self.counts, candidates)
            ends.append(len(self.counts))
        self._count_ends.append(ends)
        return tried

    def _add(self, table: ClassTable, candidates: Candidates) -> None:
        start = len(table)
        forms, parts = candidates.origin(table.add(candidates.rows))
        if self.num_classes > self._max_classes:
            raise NoMoreRoom(f"max_classes = {self._max_classes:,}")
        table.forms[start : len(table)] = forms
        for column, part in enumerate(parts):
            table.parts[start : len(table), column] = part

    def _truths(self, size: int) -> Operand:
        return Operand(self.truths, range(self._truth_ends[size - 1], self._truth_ends[size]) if size else range(0))

    def _counts(self, size: int, first: int = 0, last: int | None = None) -> Operand:
        """Return the classes of counts of a size, from one kind to another, both included; all kinds if none is said."""
        if size < 1:
            return Operand(self.counts, range(0))
        ends = self._count_ends[size]
        start = ends[first - 1] if first else self._count_ends[size - 1][-1]
        return Operand(self.counts, range(start, ends[-1 if last is None else last]))

    def _atoms(self, size: int) -> Operand:
        return self._counts(size, 0, 0)

    # Truths

    def truth_candidates(self, size: int, goals: Sequence[tuple[Rows, Rows]] = ()) -> Iterator[Candidates]:
        """Yield all truths of a size, in their order.

        With goals, none that begins with 'not', and no 'and' or 'or' of parts that cannot make the bits of any goal under
        its mask.
        """
        if not goals:
            yield from self._combine(("not",), [self._truths(size - 1)], np.invert)
        if size == 1:
            for number, symbol in enumerate(self.alphabet):
                yield self._leaf(("symbol", symbol), self.trie.symbols == number)
            yield self._leaf(("constant", True), self.trie.positions > 0)
            yield self._leaf(("constant", False), self.trie.positions < 0)
        elif size <= self._max_modulus:
            for residue in range(size):
                yield self._leaf(("modulo", size, residue), self.trie.positions % size == residue)
        for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or)):
            for first in range(1, (size + 1) // 2):
                parts = [self._truths(first), self._truths(size - 1 - first)]
                for some in [[_useful(name, part, *goal) for part in parts] for goal in goals] or [parts]:
                    yield from self._combine((name,), some, function)
        yield from self._comparisons(size)

    def _comparisons(self, size: int) -> Iterator[Candidates]:
        kept = len(self._count_ends) - 1
        for left in range(size - 2, 0, -1):
            right = size - 1 - left
            if left >= right:
                for atoms in self._made(left, 0, 0) if left > kept else [self._atoms(left)]:
                    yield from self._combine(("compare", "="), [atoms, self._counts(right)], _compare)
            else:
                kinds = (right - left, right + 1)
                for sums in self._made(right, *kinds) if right > kept else [self._counts(right, *kinds)]:
                    yield from self._combine(("turned", "="), [sums, self._atoms(left)], _compare_turned)
        for left in range(min(size - 2, kept), size // 2 - 1, -1):  # a count of large terms has size 4 or more
            parts = [self._counts(each, each, each + 1) for each in (left, size - 1 - left)]
            yield from self._combine(("compare", "="), parts, _compare)

    def _made(self, size: int, first: int, last: int) -> Iterator[Operand]:
        """Yield counts that are not kept, from one kind to another."""
        for kind in range(first, last + 1):
            for candidates in self._count_candidates(size, kind):
                yield Operand(candidates, range(len(candidates.rows)))

    # Counts

    def _count_candidates(self, size: int, kind: int) -> Iterator[Candidates]:
        """Yield all counts of a size and kind, in their order."""
        if self._bound(size) > np.iinfo(self.counts.rows.dtype).max:
            self.counts.widen(np.int16 if self._bound(size) < 1 << 15 else np.int64)
        if kind == 0:
            yield from self._numbers(size)
            yield from self._countings(size)
            yield from self._choices(size)
        elif kind == 1:
            yield from self._combine(("scaled", -1), [self._atoms(size - 1)], np.negative)
        elif kind < size:
            yield from self._sums(size, size - kind)
        elif kind == size:
            yield from self._large_sums(size)
        else:
            for factor, part in self._large_terms(size - 1):
                yield from self._combine(("scaled", factor), [part], lambda rows, f=factor: _times(rows, f))

    def _numbers(self, size: int) -> Iterator[Candidates]:
        for number in (0, 1, -1) if size == 1 else (size, -size) if size <= self._max_number else ():
            row = np.full((1, len(self.trie.parents)), number, self.counts.rows.dtype)
            yield Candidates(row, self._number(("number", number)))

    def _countings(self, size: int) -> Iterator[Candidates]:
        trie, dtype = self.trie, self.counts.rows.dtype
        parts = [self._truths(size - 1)]
        yield from self._combine(("count",), parts, lambda p: trie.running_sum(unpack(p).astype(dtype)))
        yield from self._combine(("before",), parts, lambda p: trie.back(trie.running_sum(unpack(p).astype(dtype)), 1))
        for farthest in range(min(self._max_distance, size - 2) + 1):
            parts = [self._truths(size - 1 - farthest)]
            for number in range(farthest + 1):
                for nearer in combinations(range(farthest), number):
                    distances = (*nearer, farthest)
                    yield from self._combine(
                        ("at", distances), parts, lambda p, d=distances: trie.count_at(unpack(p).astype(dtype), d)
                    )

    def _choices(self, size: int) -> Iterator[Candidates]:
        for condition in range(1, size - 2):
            start, end = self._truth_ends[condition - 1 : condition + 1]
            conditions = Operand(self.truths, np.flatnonzero(self._is_first[start:end]) + start)
            for then in range(1, size - 1 - condition):
                parts = [conditions, self._counts(then), self._counts(size - 1 - condition - then)]
                yield from self._combine(("choice",), parts, lambda p, a, b: np.where(unpack(p), a, b))

    def _sums(self, size: int, widest: int) -> Iterator[Candidates]:
        """Yield the sums whose largest unit has this size: all the rest, and that unit."""
        rest = size - 1 - widest
        for factor in (1, -1):
            if rest <= widest:
                for sign in (1, -1) if rest < widest or factor < 0 else (1,):
                    yield from self._sum(sign, self._atoms(rest), factor, self._atoms(widest))
            for large, part in self._large_terms(rest):
                yield from self._sum(large, part, factor, self._atoms(widest))
            if rest > 2:
                others = self._counts(rest, rest - min(widest, rest - 2), rest)
                yield from self._sum(1, others, factor, self._atoms(widest))

    def _large_sums(self, size: int) -> Iterator[Candidates]:
        for cost in range(1, size - 1):
            rest = size - 1 - cost
            for factor, part in self._large_terms(cost):
                for large, other in self._large_terms(rest) if cost <= rest else ():
                    yield from self._sum(large, other, factor, part)
                yield from self._sum(1, self._counts(rest, rest, rest), factor, part)

    def _large_terms(self, cost: int) -> Iterator[tuple[int, Operand]]:
        """Yield the terms f*count that cost this much inside a sum: f, and the counts."""
        for size in range(2, min(cost, self._max_number) + 1):
            for factor in (size, -size):
                yield factor, self._counts(cost + 1 - size)

    def _sum(self, one: int, first: Operand, two: int, second: Operand) -> Iterator[Candidates]:
        form = ("sum", one, two)
        return self._combine(form, [first, second], lambda left, right: _times(left, one) + _times(right, two))

    def _bound(self, size: int) -> int:
        """Return a number that no count of this size exceeds anywhere."""
        bounds, terms = self._bounds, self._term_bounds
        for each in range(len(bounds), size + 1):
            factors = range(2, min(each, self._max_number) + 1)
            sums = [terms[one] + terms[each - 1 - one] for one in range(1, each - 1)]
            alone = [factor * bounds[each - factor] for factor in factors]
            bounds.append(max(each, int(self.trie.positions.max()), *sums, *alone))
            terms.append(max([bounds[each], *(factor * bounds[each + 1 - factor] for factor in factors)]))
        return bounds[size]

    # Forms

    def _number(self, form: Form) -> int:
        return self._forms.setdefault(form, len(self._forms))

    def _leaf(self, form: Form, truths: Rows) -> Candidates:
        return Candidates(pack(truths[None]), self._number(form))

    def _combine(self, form: Form, parts: Sequence[Operand], function: Callable[..., Any]) -> Iterator[Candidates]:
        """Yield the expressions of a form over all choices of parts, chunk by chunk."""
        num_forms = len(syntax.SIGNS) if form[0] in ("compare", "turned") else 1
        table = self.truths if form[0] in ("not", "and", "or") else self.counts
        for box in boxes([len(part.which) for part in parts], CHUNK_BYTES // table.rows[:1].nbytes):
            some = [part[each] for part, each in zip(parts, box, strict=True)]
            rows = function(*(part.along(axis, len(some)) for axis, part in enumerate(some)))
            yield Candidates(rows.reshape(-1, rows.shape[-1]), self._number(form), tuple(some), num_forms)

    def expression(self, source: ClassTable | Candidates, which: int) -> syntax.Expression:
        """Return a candidate, or the first expression of a class."""
        if isinstance(source, Candidates):
            number, places = source.origin(which)
            parts = [self.expression(part.source, int(at)) for part, at in zip(source.parts, places, strict=True)]
            return _build(list(self._forms)[int(number)], parts)
        form = list(self._forms)[source.forms[which]]
        tables = [{"t": self.truths, "c": self.counts}[kind] for kind in _PARTS.get(form[0], "")]
        numbers = source.parts[which][: len(tables)].tolist()
        return _build(form, [self.expression(table, at) for table, at in zip(tables, numbers, strict=True)])


_PARTS = {
    **dict.fromkeys(("not", "count", "before", "at"), "t"),
    **dict.fromkeys(("and", "or"), "tt"),
    **dict.fromkeys(("compare", "turned", "sum"), "cc"),
    "scaled": "c",
    "choice": "tcc",
}
"""The parts of the forms: t for truths, c for counts."""
_TURNED = dict(zip(syntax.SIGNS, ("=", "!=", ">", ">=", "<", "<="), strict=True))
_PLAIN: dict[str, Callable[..., syntax.Expression]] = {
    "symbol": syntax.Symbol,
    "constant": syntax.Constant,
    "modulo": syntax.Modulo,
    "number": syntax.Number,
    "not": syntax.Not,
    "count": syntax.Count,
    "before": syntax.CountBefore,
    "choice": syntax.Choice,
}


def _build(form: Form, parts: list[syntax.Expression]) -> syntax.Expression:
    """Return an expression; what is nested only because it was made in pairs is written out."""
    name, *more = form
    match name:
        case "and" | "or":
            kind = syntax.And if name == "and" else syntax.Or
            return kind(tuple(one for part in parts for one in (part.parts if isinstance(part, kind) else (part,))))
        case "compare" | "turned":
            left, right = parts if name == "compare" else reversed(parts)
            if isinstance(left, syntax.Number) and not isinstance(right, syntax.Number):
                return syntax.Compare(_TURNED[more[0]], right, left)
            return syntax.Compare(more[0], left, right)
        case "at":
            return syntax.CountAt(parts[0], more[0])
        case "scaled" | "sum":
            terms = [term for factor, part in zip(more, parts, strict=True) for term in _written_out(factor, part)]
            return syntax.Sum(tuple(sorted(terms, key=lambda term: (term[0] < 0, isinstance(term[1], syntax.Number)))))
        case _:
            return _PLAIN[name](*more, *parts)


def _written_out(factor: int, part: syntax.Expression) -> list[tuple[int, syntax.Expression]]:
    if abs(factor) == 1 and isinstance(part, syntax.Sum):
        return [(factor * inner, term) for inner, term in part.terms]
    if abs(factor) == 1 and isinstance(part, syntax.Number) and part.value < 0:
        return [(-factor, syntax.Number(-part.value))]
    return [(factor, part)]


def _compare(left: Rows, right: Rows) -> Rows:
    """Return the truths of all six signs, in the order of SIGNS."""
    equal, less = pack(left == right), pack(left < right)
    return np.stack([equal, ~equal, less, less | equal, ~(less | equal), ~less], axis=-2)


def _compare_turned(right: Rows, left: Rows) -> Rows:
    return _compare(left, right)


def _times(rows: Rows, factor: int) -> Rows:
    return rows if factor == 1 else -rows if factor == -1 else rows * rows.dtype.type(factor)


def _useful(name: str, part: Operand, wanted: Rows, mask: Rows) -> Operand:
    """Return those truths that can be part of what is wanted: all of it holds in them ('and'), or nothing else ('or')."""
    needed, forbidden = wanted & mask, ~wanted & mask
    good = (part.rows & needed == needed) if name == "and" else (part.rows & forbidden == 0)
    return Operand(part.source, np.asarray(part.which)[good.all(axis=1)])
