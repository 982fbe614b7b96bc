"""The whole catalogue of tasks: every sampler against its oracle, on every array library, and the index of names."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from lengthwise.arrays import numpy_arrays, torch_arrays
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.catalog import MODULES, TASKS
from lengthwise.tasks.task import EOS, IGNORE, Objective, Task


def test_the_index_names_every_family_of_every_module() -> None:
    for module, names in MODULES.items():
        families = import_module(f"lengthwise.tasks.{module}").FAMILIES
        assert [family.name for family in families] == names.split(), module
    assert len(TASKS) == sum(len(names.split()) for names in MODULES.values())


def test_few_tasks_are_made_one_instance_at_a_time() -> None:
    assert sum(TASKS[name]().host_only for name in TASKS) <= 15


def check_samples(task: Task, number: int) -> None:
    """Compare random instances with the oracle, and NumPy with torch."""
    lengths = task.lengths(0, 40)
    parts = []
    for xp in (numpy_arrays(), torch_arrays()):
        draw = open_stream(DATA, seed=[0, 7], xp=xp).at(3)
        chosen = xp.asarray(list(lengths))[draw.named("length").integers(len(lengths), (number,))]
        batch = task.sample(draw.named("instance"), chosen, max(lengths), xp)
        parts.append(
            [np.asarray(part) for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB)]
        )
    for one, two in zip(*parts, strict=True):
        assert one.dtype == two.dtype == np.int64
        assert np.array_equal(one, two)
    tokens, targets, sizes, scale = parts[0]
    for place in np.ndindex(tokens.shape[:2]):
        size, length = int(sizes[place]), int(scale[place])
        assert size <= task.size(length)
        prompt, said = task.read_back(tokens[place][:size].tolist(), targets[place][:size].tolist())
        if task.objective is Objective.ANSWER and said and said[-1] == EOS:
            said = said[:-1]
        assert list(said) == list(task.answer(prompt)), prompt
        scored = set(np.flatnonzero(targets[place] != IGNORE).tolist())
        assert scored
        assert scored <= set(task.scored(length))


@pytest.mark.parametrize("name", TASKS)
def test_samples_are_what_the_oracle_says_on_every_library(name: str) -> None:
    check_samples(TASKS[name](), 60)


@pytest.mark.full
@pytest.mark.parametrize("name", TASKS)
def test_two_thousand_samples_are_what_the_oracle_says_on_every_library(name: str) -> None:
    check_samples(TASKS[name](), 1000)
