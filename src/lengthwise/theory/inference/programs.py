"""Idealized inference over C-RASP programs, with their size as complexity.

The programs of a fragment are tried size by size, one for each behaviour on short words (crasp/enumeration.py has the
grammar and the proof that nothing smaller is lost). One enumeration serves every n: a program is chosen for n at the first
size at which one agrees with all words up to n/2, and all of that size that agree are kept, to see how many tie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...arrays import numpy_arrays
from ...crasp.batched import BatchedProgram
from ...crasp.behaviours import NoMoreRoom, Rows, Trie, pack, plant
from ...crasp.comparison import frame_batch
from ...crasp.enumeration import Enumeration
from ...crasp.fragments import Fragment, Readout, as_fragment
from ...crasp.printer import print_expression
from ...crasp.syntax import ACCEPT, Expression, Not, Program
from ...errors import CapExceededError
from .table import (
    Inference,
    Row,
    Target,
    Truths,
    even_numbers,
    first_wrong_word,
    numbered_words,
    require_few_words,
)

_MAX_CLASSES = 10_000_000
_COMPARED = 300
"""Ties are told apart on all words of the longest length up to which there are so many, or of one more than n/2."""

Progress = Callable[[int, int], None]
"""Called after each size with the size and the number of behaviours kept."""


@dataclass(slots=True, eq=False)
class _Found:
    """The programs of one size that agree, one for each behaviour where words are read, in their order."""

    read: Rows
    rows: dict[bytes, Rows] = field(default_factory=dict)

    def add(self, rows: Rows) -> None:
        for row in rows & self.read:
            self.rows.setdefault(row.tobytes(), row)

    def under(self, wanted: Rows, mask: Rows) -> Rows:
        """Return the behaviours that have the wanted bits under a mask."""
        if not self.rows:
            return np.zeros((0, len(self.read)), np.uint64)
        return agreeing_rows(np.stack(list(self.rows.values())), wanted, mask)


def infer_programs(
    target: Target,
    *,
    fragment: Fragment | str = Fragment.PLAIN,
    readout: Readout = Readout.END_MARKER,
    last_n: int = 12,
    max_size: int | None = None,
    compared: int | None = None,
    progress: Progress | None = None,
) -> Inference:
    """Return what is chosen for n = 2, 4, …, ``last_n`` among the programs of a fragment up to a size."""
    fragment = as_fragment(fragment)
    max_size = usual_size(target) if max_size is None else max_size
    numbers = even_numbers(last_n)
    require_few_words(target, last_n)
    shortest = max(target.min_length, int(readout is Readout.LAST_SYMBOL))
    compared = max(numbers[-1] // 2 + 1, _compared(target)) if compared is None else max(numbers[-1] // 2, compared)
    trie, wanted, masks = _words(target, shortest, compared, readout)
    goals = [masks[n // 2] for n in numbers]
    whole = masks[compared]
    enumeration = Enumeration(
        alphabet=target.alphabet,
        trie=trie,
        fragment=fragment,
        max_number=max_size + len(trie.parents),
        max_modulus=max_size + len(trie.parents),
        max_distance=max_size + len(trie.parents),
        max_classes=_MAX_CLASSES,
    )
    rows: list[Row] = []
    opposites = _Found(whole)
    refuted: dict[int, Expression] = {}  # by goal: the first of the last size that is wrong on every word
    reached = max_size
    for size in range(1, max_size + 1):
        if len(rows) == len(goals):
            break
        try:
            enumeration.keep(truths=size - 2, counts=max(size - 4, min(size - 2, 5)))
        except NoMoreRoom:
            reached = size - 1
            break
        found = _Found(whole)
        found.add(~opposites.under(~wanted, goals[len(rows)]))
        chosen: dict[int, Expression] = {goal: Not(each) for goal, each in refuted.items() if goal >= len(rows)}
        opposites, refuted = _Found(whole), {}
        first = goals[len(rows)]
        for candidates in enumeration.truth_candidates(size, [(one, first) for one in (wanted, ~wanted)]):
            for sign, kept, firsts in ((wanted, found, chosen), (~wanted, opposites, refuted)):
                which = _agreeing(candidates.rows, sign, first)
                if len(which):
                    some = candidates.rows[which]
                    kept.add(some)
                    for goal in range(len(rows), len(goals)):
                        inside = _agreeing(some, sign, goals[goal])
                        if not len(inside):
                            break
                        if goal not in firsts:
                            firsts[goal] = enumeration.expression(candidates, int(which[inside[0]]))
        while len(rows) < len(goals):
            tied = found.under(wanted, goals[len(rows)])
            if not len(tied):
                break
            program = Program(alphabet=target.alphabet, accept=chosen[len(rows)], readout=readout)
            right = len(agreeing_rows(tied, wanted, whole))
            rows.append(_row(target, program, numbers[len(rows)], size, len(tied), right))
        if progress is not None:
            progress(size, enumeration.num_classes)
    rows += [Row(n=n, chosen=None) for n in numbers[len(rows) :]]
    if reached == 0:
        raise CapExceededError("not even programs of size 1 fit into memory.", hint="use a smaller n.")
    return Inference(
        hypotheses=(
            f"programs of {fragment.notation}, {readout.notation}, by size; all sizes up to {reached} were tried where needed"
        ),
        counted="here only those of the smallest size, one for each behaviour",
        order="the first in the order of crasp/enumeration.py: by form, then by parts",
        compared=compared,
        rows=tuple(rows),
    )


def usual_size(target: Target) -> int:
    """Return the largest size that takes some seconds."""
    return 15 if len(target.alphabet) == 1 else 12 if len(target.alphabet) == 2 else 10


def _row(target: Target, program: Program, n: int, size: int, tied: int, right: int) -> Row:
    assert program.accept is not None
    checked = max(n, target.check_length)
    return Row(
        n=n,
        chosen=print_expression(program.accept),
        complexity=float(size),
        agreeing=tied,
        tied=tied,
        behaviours=tied,
        has_right=right > 0,
        first_wrong=first_wrong_word(target, program_accepts(target, program), checked),
        checked=checked,
    )


def program_accepts(target: Target, program: Program) -> Callable[[int], Truths]:
    """Return what a program says of all words of a length, in order; of the empty one, if it cannot, what is right."""
    batched = BatchedProgram(program)

    def accepts(length: int) -> Truths:
        if length == 0 and program.readout is Readout.LAST_SYMBOL:
            return target.labels(0)
        tokens_BL = frame_batch(program, numbered_words(target, length))
        truths_BL = batched.run(tokens_BL, numpy_arrays())[ACCEPT]
        return np.asarray(truths_BL[:, -1], bool)

    return accepts


def _compared(target: Target) -> int:
    length, number = 0, 1
    while length < 40 and number + len(target.alphabet) ** (length + 1) <= _COMPARED:
        length += 1
        number += len(target.alphabet) ** length
    return length


def _words(target: Target, shortest: int, longest: int, readout: Readout) -> tuple[Trie, Rows, list[Rows]]:
    """Return the positions of all words, the labels where they are read, and a mask of the words up to every length."""
    words = [word for length in range(shortest, longest + 1) for word in target.words(length)]
    trie = plant(words, target.alphabet, readout)
    labels = np.concatenate([target.labels(length) for length in range(shortest, longest + 1)])
    lengths = np.full(len(trie.parents), -1)
    wanted = np.zeros(len(trie.parents), bool)
    reads = [trie.reads[word] for word in words]
    lengths[reads] = [len(word) for word in words]
    wanted[reads] = labels
    return trie, pack(wanted), [pack((lengths >= 0) & (lengths <= last)) for last in range(longest + 1)]


def _agreeing(rows: Rows, wanted: Rows, mask: Rows) -> Rows:
    """Return which rows have the wanted bits under a mask."""
    which = np.arange(len(rows))
    for column in np.flatnonzero(mask):
        which = which[(rows[which, column] ^ wanted[column]) & mask[column] == 0]
    return which


def agreeing_rows(rows: Rows, wanted: Rows, mask: Rows) -> Rows:
    """Return the rows that have the wanted bits under a mask."""
    return rows[_agreeing(rows, wanted, mask)]
