"""The batches of every task, pinned: a changed label or sampler must come with a new revision.

Write the file anew with LENGTHWISE_GOLDEN=write, after raising the revision of what changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.arrays import Arrays, numpy_arrays, torch_arrays
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.seeds import DATA, EVALUATION, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.train.batches import make_batch

GOLDEN = Path(__file__).parents[1] / "golden" / "batches.json"
NAMES = [*TASKS, *LANGUAGES, *(f"states({name})" for name in LANGUAGES)]


def digest(name: str, xp: Arrays) -> str:
    task = find_task(name)
    hashed = hashlib.sha256()
    for stream in (DATA, EVALUATION):
        for step in range(2):
            draw = open_stream(stream, seed=[0, 7], xp=xp).at(step)
            batch = make_batch(task, task.lengths(0, 24), 32, draw, xp)
            for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB, batch.scale_MB):
                hashed.update(np.ascontiguousarray(np.asarray(part), dtype=np.int64).tobytes())
    return hashed.hexdigest()[:16]


def test_no_task_is_missing_from_the_pinned_batches() -> None:
    if os.environ.get("LENGTHWISE_GOLDEN") == "write":
        order = [name for name in json.loads(GOLDEN.read_text(encoding="utf-8")) if name in NAMES]
        names = dict.fromkeys([*order, *NAMES])  # new ones last, so that a new task changes no other line
        pinned = {name: [find_task(name).revision, digest(name, numpy_arrays())] for name in names}
        GOLDEN.write_text(json.dumps(pinned, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert sorted(json.loads(GOLDEN.read_text(encoding="utf-8"))) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_batches_change_only_with_the_revision_of_their_task(name: str) -> None:
    revision, pinned = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    for xp in (numpy_arrays(), torch_arrays("cpu")):
        found = digest(name, xp)
        assert (find_task(name).revision, found) == (revision, pinned), (
            f"the batches of {name} have changed: raise its revision, then write tests/golden/batches.json anew"
        )


@pytest.mark.parametrize("name", [name for name in NAMES if not find_task(name).host_only])
def test_the_batch_of_a_step_is_made_without_looking_at_any_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU a look waits for all work under way, and a recorded step may not look at all."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    xp = replace(torch_arrays("cpu"), may_look=False)
    task = find_task(name)
    lengths = task.lengths(0, 24)
    draw = open_stream(DATA, seed=[0, 7], xp=xp).at(0)
    choice = draw.named("length").integers(len(lengths), (8,))
    chosen = torch.tensor(lengths)[choice]

    def refuse(*_: object) -> None:
        raise AssertionError("a number was looked at")

    class NoLooks(TorchDispatchMode):
        """Also indexing with a tensor of one number looks at it."""

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            assert func is not torch.ops.aten._local_scalar_dense.default
            return func(*args, **(kwargs or {}))

    for method in ("tolist", "item", "__bool__", "__int__", "__index__", "__float__", "numpy"):
        monkeypatch.setattr(torch.Tensor, method, refuse)
    with NoLooks():
        batch = task.sample(draw.named("instance"), chosen, max(lengths), xp)
        task.roles(batch, xp)
