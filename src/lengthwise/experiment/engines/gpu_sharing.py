"""NVIDIA's multi-process service (MPS), by which the kernels of several processes run on one GPU at the same time.

Without it processes take turns: while one starts small kernels, the others wait. The service runs for the time of one
experiment, with a folder of its own, and ends with it however it ends.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_CONTROL = "nvidia-cuda-mps-control"
_FOLDERS = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")
_OF_THE_SYSTEM = Path(tempfile.gettempdir()) / "nvidia-mps/control"  # where processes find a service that runs already
_SECONDS_TO_START = 30.0
_SECONDS_TO_END = 10.0

_SERVICE = f"""{_CONTROL} -d || exit 1
echo ready
read -r _
echo "quit -t 1" | {_CONTROL}
"""
"""Waits for its input to end, which it also does when the process that holds it is killed."""

_PROBE = """import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
"""


@contextmanager
def shared_gpus() -> Iterator[Mapping[str, str]]:
    """Run the service meanwhile; yield the variables by which processes find it, none where there is no service.

    A service that the user has started stays as it is. Where a process cannot reach the service, processes take turns.
    """
    if shutil.which(_CONTROL) is None or any(name in os.environ for name in _FOLDERS) or _OF_THE_SYSTEM.exists():
        yield {}
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        variables = {name: f"{folder}/{name.lower()}" for name in _FOLDERS}
        for own in variables.values():
            Path(own).mkdir()
        service = subprocess.Popen(
            ["/bin/sh", "-c", _SERVICE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | variables,
            start_new_session=True,  # it ends by a signal to its whole group
        )
        try:
            yield variables if _is_ready(service) and _is_reached(variables) else {}
        finally:
            _end(service)


def _is_ready(service: subprocess.Popen[bytes]) -> bool:
    assert service.stdout is not None
    return service.stdout.readline() == b"ready\n"


def _is_reached(variables: Mapping[str, str]) -> bool:
    """Return whether a process can compute on a GPU through the service."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _PROBE],
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS_TO_START,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return tried.returncode == 0


def _end(service: subprocess.Popen[bytes]) -> None:
    """End the service, and whatever of it does not end by itself."""
    assert service.stdin is not None
    assert service.stdout is not None
    with suppress(BrokenPipeError):
        service.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        service.wait(_SECONDS_TO_END)
    with suppress(ProcessLookupError):
        os.killpg(service.pid, signal.SIGKILL)
    service.wait()
    service.stdout.close()
