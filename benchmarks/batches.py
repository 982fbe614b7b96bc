"""The same batches everywhere: hashes of tokens, targets and sizes on NumPy, torch on the CPU and, if there is one, a GPU.

Runs from the source tree as it is: python benchmarks/batches.py
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import numpy as np
import torch

from lengthwise.arrays import Arrays, numpy_arrays, torch_arrays
from lengthwise.languages.catalog import LANGUAGES
from lengthwise.seeds import DATA, open_stream
from lengthwise.tasks.core.catalog import TASKS, find_task
from lengthwise.train.batches import make_batch

SEEDS = [0, 1, 7]
STEPS = 3
BATCH = 64
LONGEST = 24


def digest(name: str, xp: Arrays) -> str:
    """Return a hash of the first batches of a task, for three models at once."""
    task = find_task(name)
    hashed = hashlib.sha256()
    for step in range(STEPS):
        draw = open_stream(DATA, seed=SEEDS, xp=xp).at(step)
        batch = make_batch(task, task.lengths(0, LONGEST), BATCH, draw, xp)
        for part in (batch.tokens_MBL, batch.targets_MBL, batch.sizes_MB):
            array = np.asarray(part.cpu() if isinstance(part, torch.Tensor) else part, dtype=np.int64)
            hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()[:16]


def main() -> None:
    tables = {"numpy": numpy_arrays(), f"torch {torch.__version__} on the CPU": torch_arrays("cpu")}
    if torch.cuda.is_available():
        tables[f"torch {torch.__version__} on {torch.cuda.get_device_name()}"] = torch_arrays("cuda")
    print(f"numpy {np.__version__}; compared: " + "; ".join(tables))
    different = 0
    names = [*TASKS, *LANGUAGES, *(f"states({name})" for name in LANGUAGES)]
    for name in names:
        digests = [digest(name, xp) for xp in tables.values()]
        same = len(set(digests)) == 1
        different += not same
        print(f"{name:28} {digests[0]}  {'equal' if same else 'DIFFERENT: ' + ' '.join(digests)}")
    print(f"{len(names) - different} of {len(names)} tasks have equal batches on all {len(tables)}")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
