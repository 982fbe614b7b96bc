"""A training step as one recorded CUDA graph: launching hundreds of kernels costs as much as launching one."""

from __future__ import annotations

from collections.abc import Callable

import torch

_FIRST_CALLS = 3  # these run as they are, so that everything is compiled and allocated before the recording


class Recorded:
    """A step without arguments that works on tensors in place; after its first calls it is recorded, then replayed."""

    def __init__(self, step: Callable[[], None]) -> None:
        self._step = step
        self._calls = 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Take the step; on the GPU, in the order of all other work."""
        if self._graph is None and self._calls < _FIRST_CALLS:
            self._calls += 1
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._step()
            torch.cuda.current_stream().wait_stream(stream)
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._step()
        self._graph.replay()
