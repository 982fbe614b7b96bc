"""No task of the catalogue can be answered by a superficial rule, but for those in one table that says why."""

from __future__ import annotations

import pytest
from shortcut_reasons import INHERENT, OPEN, PAPER, REASONS

from lengthwise.errors import InvalidOptionError
from lengthwise.tasks.audit.shortcuts import audit_shortcuts
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.lengths import LengthRange

BINS = (LengthRange(low=0, high=20), LengthRange(low=41, high=60))
BOUND, NOISE = 0.05, 0.03
QUICK = ("palindrome", "marked_reversal", "icl_dfa", "stack_manipulation", "dyck_cot", "accepts", "life_step")


def excess(name: str, examples: int) -> float:
    """Return how far the best rule that is not proved to be the solution is above the best constant."""
    audit = audit_shortcuts(find_task(name), BINS, examples=examples)
    chance = audit.chance.shares[1]
    if chance is None:
        return 0.0
    return max(rule.shares[1] or 0.0 for rule in audit.shortcuts if not rule.inherent) - chance


@pytest.mark.parametrize("name", QUICK)
def test_mended_tasks_have_no_shortcut(name: str) -> None:
    assert excess(name, 600) < BOUND + 2 * NOISE


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_a_task_has_no_shortcut_unless_the_table_says_why(name: str) -> None:
    try:
        assert name in REASONS or excess(name, 2000) < BOUND + NOISE
    except InvalidOptionError:
        pytest.skip("the task has no instances of these lengths")


def test_the_table_names_tasks_once() -> None:
    assert set(REASONS) <= set(TASKS)
    assert len(REASONS) == len(INHERENT) + len(PAPER) + len(OPEN)


ASKED = ("kth_largest(2)", "variable_chain", "palindrome", "icl_dfa", "life_step", "flip_flop", "accepts((ab)*)")
EVERY = (
    *ASKED,
    "hard(accepts(D_12), near)",
    "hard(palindrome, repeats)",
    "dyck_cot",
    "stack_manipulation",
    "add_decimal",
)


@pytest.mark.parametrize("name", EVERY)
def test_a_perfect_predictor_is_always_right_and_a_constant_as_often_as_counted(name: str) -> None:
    """The oracle reads the prompt; the constant is the most frequent answer of each bin, counted by hand."""
    from collections import Counter

    from lengthwise.arrays import numpy_arrays
    from lengthwise.seeds import DATA, open_stream

    task, xp = find_task(name), numpy_arrays()
    for number, bounds in enumerate((LengthRange(low=0, high=20), LengthRange(low=21, high=40), BINS[1])):
        lengths = task.lengths(bounds.low, bounds.high)
        draw = open_stream(DATA, seed=5).at(number)
        chosen = xp.asarray(lengths)[draw.named("length").integers(len(lengths), (300,))]
        batch = task.sample(draw.named("instance"), chosen, max(lengths), xp)
        rows = zip(batch.tokens_MBL.tolist(), batch.targets_MBL.tolist(), strict=True)
        asked = [task.read_back(*row) for row in rows]
        assert all(task.answer(prompt) == stated[:-1] for prompt, stated in asked), "a perfect predictor scores 100 %"
        answers = Counter(tuple(stated) for _, stated in asked)
        constant, times = answers.most_common(1)[0]
        assert sum(tuple(task.answer(prompt)) == constant[:-1] for prompt, _ in asked) == times
        if len(constant) == 2 and set(task.symbols) >= {"y", "n"}:
            assert times < 0.6 * 300, "neither answer is much more frequent"
