"""The local engine: which GPU a process trains on. That it trains is in test_experiment."""

from __future__ import annotations

import pytest
import torch

from lengthwise.experiment.engines.local import _device_of, default_workers


def test_processes_take_the_gpus_of_a_machine_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert default_workers("cuda") == 12
    assert [_device_of(number, "cuda") for number in range(6)] == [
        "cuda:0",
        "cuda:1",
        "cuda:2",
        "cuda:3",
        "cuda:0",
        "cuda:1",
    ]
    assert _device_of(5, "cpu") == "cpu"
