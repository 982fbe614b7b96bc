"""The audit of a task: every rule fitted on training lengths and scored by exact match at every bin of lengths.

Shapes: P prefixes that are looked at, Q scored positions, V symbols, T targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...arrays import numpy_arrays
from ...errors import InvalidOptionError
from ...seeds import DATA, EVALUATION, Draw, open_stream
from ..core.lengths import LengthRange
from ..core.task import EOS, Batch, Objective, Task
from .inherent import is_inherent, state_answers, task_asked
from .prefixes import NUM_INDEXES, Numbers, Prefixes, Questions, read_questions, seen_symbols
from .results import Audit, Baseline
from .rules import Rule, rules_for

TRAIN_EXAMPLES = 2000
EXAMPLES = 500
_MOST_TOKENS = 2**17
"""A bin with long instances has fewer of them, but at least ``_FEWEST``."""
_FEWEST = 50
_MOST_SPARSE = 2**16
"""Keys up to this number index tables as they are; others are numbered anew, which takes a sort."""
_MOST_LINEAR = 64
"""How many symbols, and how many targets, the linear rule takes."""
_LINEAR_ROWS = 4000

Key = Callable[[Questions], Numbers]


def audit_shortcuts(
    task: Task,
    bins: Sequence[LengthRange],
    *,
    seed: int = 0,
    train_examples: int = TRAIN_EXAMPLES,
    examples: int = EXAMPLES,
) -> Audit:
    """Return how far simple rules get; ``bins[0]`` are the training lengths.

    For each key and position of the answer, a rule gives the target that is most frequent there in training. For a key
    that training does not have, it gives the most frequent target at this position. The whole instance must be right, and
    a rule may see the true tokens up to the position, as models do.
    """
    train = _draw_batch(task, bins[0], train_examples, open_stream(DATA, seed=seed).named("audit"))
    if train is None:
        raise InvalidOptionError(
            f"{task.name!r} has no instance of lengths {bins[0]}, so no rule can be fitted.",
            hint="choose longer training lengths.",
        )
    draw = open_stream(EVALUATION, seed=seed).named("audit")
    batches = [_draw_batch(task, bounds, examples, draw.at(number)) for number, bounds in enumerate(bins)]
    alphabet = seen_symbols(task, train)
    scorer = _Scorer([read_questions(task, batch, alphabet) for batch in (train, *batches) if batch is not None])
    asked, decided_by = state_answers(task), task_asked(task).decided_by

    def is_solution(rule: Rule) -> bool:
        return rule.name in decided_by or (asked is not None and is_inherent(rule, alphabet, asked))

    def baseline(name: str, key: Key, rule: Rule | None = None) -> Baseline:
        shares, decides = scorer.score(key)
        scored = iter(shares)
        told = tuple(None if batch is None else next(scored) for batch in batches)
        return Baseline(name=name, shares=told, inherent=decides and rule is not None and is_solution(rule))

    rules = [baseline(rule.name, _at_positions(rule), rule) for rule in rules_for(alphabet)]
    fitted = [baseline(name, key) for name, key in _further_keys(task, scorer.train)]
    return Audit(
        bins=tuple(bins),
        examples=tuple(0 if batch is None else int(batch.tokens_MBL.shape[0]) for batch in batches),
        chance=baseline(_constant_name(task, scorer.train), _nothing),
        shortcuts=(*rules, *fitted),
    )


def _draw_batch(task: Task, bounds: LengthRange, number: int, draw: Draw) -> Batch | None:
    """Return instances of lengths that are uniform over those of a bin; None if it has none."""
    try:
        lengths = task.lengths(bounds.low, bounds.high)
    except InvalidOptionError:  # the task has none that are so long
        lengths = ()
    if not lengths:
        return None
    xp = numpy_arrays()
    number = min(number, max(_FEWEST, _MOST_TOKENS // task.size(max(lengths))))
    choice = draw.named("length").integers(len(lengths), (number,))
    return task.sample(draw.named("instance"), xp.asarray(lengths)[choice], max(lengths), xp)


def _at_positions(rule: Rule) -> Key:
    return lambda asked: rule.key(asked.prefixes)[asked.prefix_Q]


def _further_keys(task: Task, train: Questions) -> Iterator[tuple[str, Key]]:
    """Yield names and keys that are not about a prompt alone, or that are fitted."""
    if task.objective is Objective.ANSWER and train.index_Q.size > 2 * train.num_instances:
        for number in (1, 2, 3):
            tokens = "token" if number == 1 else f"{number} tokens"
            yield f"last {tokens}, answer included", partial(_last_tokens, number=number)
    weights_FT = _linear_weights(train)
    if weights_FT is not None:
        yield "linear in counts and fractions of symbols", partial(_linear_class, weights_FT=weights_FT)


def _nothing(asked: Questions) -> Numbers:
    return np.zeros_like(asked.target_Q)


def _last_tokens(asked: Questions, number: int) -> Numbers:
    key = np.zeros_like(asked.target_Q)
    for back in range(number):
        key = key * (int(asked.window_Q3.max(initial=0)) + 2) + asked.window_Q3[:, back] + 1
    return key


class _Scorer:
    """Fits keys on the first questions, and scores them on each of the others."""

    def __init__(self, every: Sequence[Questions]) -> None:
        self._every, self.train = every, every[0]
        self._index_Q = np.concatenate([asked.index_Q for asked in every])
        targets = np.concatenate([asked.target_Q for asked in every])
        self._target_Q = np.unique(targets, return_inverse=True)[1]
        self._ends = np.cumsum([len(asked.target_Q) for asked in every])
        fitted = slice(0, self._ends[0])
        self._constant_I = _most_frequent(self._index_Q[fitted], self._target_Q[fitted], NUM_INDEXES)
        overall = int(np.bincount(self._target_Q[fitted]).argmax())
        self._constant_I = np.where(self._constant_I < 0, overall, self._constant_I)

    def score(self, key: Key) -> tuple[list[float], bool]:
        """Return the exact match on each of the batches that are scored, and whether keys determine all targets."""
        cell_Q = _small(np.concatenate([key(asked) for asked in self._every])) * NUM_INDEXES + self._index_Q
        num_cells = int(cell_Q.max()) + 1
        fitted = slice(0, self._ends[0])
        chosen = _most_frequent(cell_Q[fitted], self._target_Q[fitted], num_cells)[cell_Q]
        is_right = np.where(chosen < 0, self._constant_I[self._index_Q], chosen) == self._target_Q
        shares = []
        for asked, start, end in zip(self._every[1:], self._ends, self._ends[1:], strict=False):
            wrong = np.bincount(asked.instance_Q, weights=~is_right[start:end], minlength=asked.num_instances)
            shares.append(float((wrong == 0).mean()))
        some_target = np.zeros(num_cells, dtype=np.int64)
        some_target[cell_Q] = self._target_Q
        return shares, bool((some_target[cell_Q] == self._target_Q).all())


def _small(key_Q: Numbers) -> Numbers:
    """Return keys as numbers from 0 on that are small enough to index a table."""
    low, high = int(key_Q.min()), int(key_Q.max())
    return key_Q - low if high - low < _MOST_SPARSE else np.unique(key_Q, return_inverse=True)[1]


def _most_frequent(cell_Q: Numbers, target_Q: Numbers, num_cells: int) -> Numbers:
    """Return the most frequent target of each cell, the first of equals; −1 for a cell without any."""
    num_targets = int(target_Q.max()) + 1
    pairs, counts = np.unique(cell_Q * num_targets + target_Q, return_counts=True)
    order = np.lexsort((-pairs, counts))  # the last to be written is the most frequent
    found = np.full(num_cells, -1, dtype=np.int64)
    found[pairs[order] // num_targets] = pairs[order] % num_targets
    return found


def _linear_features(seen: Prefixes) -> NDArray[np.float64]:
    """Return a one, the length, and the count and the fraction of every symbol."""
    counts = seen.counts_PV.astype(np.float64)
    length = seen.seen_P[:, None].astype(np.float64)
    return np.concatenate([np.ones_like(length), length, counts, counts / np.maximum(length, 1)], axis=1)


def _linear_weights(train: Questions) -> NDArray[np.float64] | None:
    """Return the least-squares weights for the first target after each prefix, or None where there is too much of it."""
    prefix, first = (part[:_LINEAR_ROWS] for part in np.unique(train.prefix_Q, return_index=True))
    values, target = np.unique(train.target_Q[first], return_inverse=True)
    if len(values) > _MOST_LINEAR or len(train.prefixes.alphabet) > _MOST_LINEAR:
        return None
    weights = np.linalg.lstsq(_linear_features(train.prefixes)[prefix], np.eye(len(values))[target], rcond=None)[0]
    return weights.astype(np.float64)


def _linear_class(asked: Questions, weights_FT: NDArray[np.float64]) -> Numbers:
    """Return the class with the highest score; scores are rounded, because a class must not hang on the last bits."""
    scores_PT = np.round(_linear_features(asked.prefixes) @ weights_FT, 6)
    return np.asarray(np.argmax(scores_PT, axis=1)[asked.prefix_Q])


def _constant_name(task: Task, train: Questions) -> str:
    """Return what the best constant answers: the symbol, the set or the state, or in words where it is several symbols."""
    values, counts = np.unique(train.target_Q[train.index_Q == train.index_Q.min()], return_counts=True)
    target = int(values[np.argmax(counts)])
    if task.objective is Objective.STATES:
        return f"always state {target}"
    if task.objective is Objective.NEXT_SYMBOLS:
        named = [name for bit, name in enumerate((*task.symbols, EOS)) if target >> bit & 1]
        return f"always {{{' '.join(named)}}}"
    if len(train.target_Q) == 2 * train.num_instances:
        return f"always {task.vocabulary[target]}"
    return "most frequent symbol at each position of the answer"
