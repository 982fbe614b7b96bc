"""The pool that feeds a GPU where instances are made one by one."""

from __future__ import annotations

import numpy as np
import pytest

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.seeds import DATA, EVALUATION, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.tasks.core.pool import Pool
from lengthwise.tasks.core.task import EOS

HOST_ONLY = [name for name in TASKS if TASKS[name]().host_only]


@pytest.mark.parametrize("name", HOST_ONLY)
def test_a_pool_gives_right_instances_of_the_lengths_asked_for(name: str) -> None:
    task = find_task(name)
    lengths = task.lengths(1, 14)
    parts = []
    for xp in (numpy_arrays(), torch_arrays()):
        pool = Pool(task, lengths, xp, per_length=5)
        draw = open_stream(DATA, seed=[3, 4], xp=xp).at(0)
        asked = xp.asarray([lengths[number % len(lengths)] for number in range(40)])
        batch = pool.sample(draw, asked, max(lengths), xp)
        assert np.array_equal(np.asarray(batch.scale_MB), np.broadcast_to(np.asarray(asked), (2, 40)))
        parts.append([np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB)])
    for one, two in zip(*parts, strict=True):
        assert np.array_equal(one, two)
    tokens, targets, sizes = parts[0]
    assert not np.array_equal(tokens[0], tokens[1])
    for place in np.ndindex(tokens.shape[:2]):
        size = int(sizes[place])
        prompt, said = task.read_back(tokens[place][:size].tolist(), targets[place][:size].tolist())
        assert said == [*task.answer(prompt), EOS]


def test_what_is_scored_is_not_out_of_the_pool() -> None:
    task = find_task("solve_equation")
    xp = numpy_arrays()
    pool = Pool(task, [40], xp, per_length=200)
    trained = pool.sample(open_stream(DATA, seed=0), xp.asarray([40] * 2000), 40, xp).tokens_MBL
    scored = task.sample(open_stream(EVALUATION, seed=0), xp.asarray([40] * 200), 40, xp).tokens_MBL
    assert len({row.tobytes() for row in trained}) <= 200
    assert not {row.tobytes() for row in trained} & {row.tobytes() for row in scored}
