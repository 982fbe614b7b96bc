"""A real Ray cluster of two nodes on this machine. Its processes end with the block, however it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from processes import wait_until

_VARIABLES = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_worker_niceness": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "PYTHONWARNINGS": "ignore",
}

_COUNT_NODES = """
import sys
import ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
print(sum(node["Alive"] for node in ray.nodes()))
"""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Where a cluster answers, the variables to reach it by, and the two processes that hold its nodes."""

    address: str
    variables: Mapping[str, str]
    nodes: tuple[subprocess.Popen[bytes], ...]

    def kill_second_node(self) -> None:
        """End the node at once, with all that runs on it, as a power cut would."""
        os.killpg(self.nodes[1].pid, signal.SIGKILL)
        self.nodes[1].wait()


@contextmanager
def ray_cluster(folder: Path) -> Iterator[RayCluster]:
    """Start a cluster of two nodes, each with one core."""
    address = f"127.0.0.1:{_free_port()}"
    variables = os.environ | _VARIABLES
    started: list[subprocess.Popen[bytes]] = []
    sockets = tempfile.TemporaryDirectory(prefix="lwray", ignore_cleanup_errors=True)  # their names must be short

    def start(*words: str) -> None:
        with open(folder / "ray.log", "ab") as log:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus=1", "--block", *words],
                    env=variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def num_nodes() -> int:
        words = [sys.executable, "-c", _COUNT_NODES, address]
        counted = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
        assert all(node.poll() is None for node in started), (folder / "ray.log").read_text()
        return int(counted.stdout.split()[-1]) if counted.returncode == 0 else 0

    try:
        start("--head", f"--port={address.partition(':')[2]}", "--node-ip-address=127.0.0.1", f"--temp-dir={sockets.name}",
              "--include-dashboard=false", "--object-store-memory=100000000")  # fmt: skip
        wait_until(lambda: num_nodes() == 1, "the first node of Ray")
        start(f"--address={address}", "--object-store-memory=100000000")
        wait_until(lambda: num_nodes() == 2, "the second node of Ray")
        yield RayCluster(address, _VARIABLES, tuple(started))
    finally:
        for node in reversed(started):
            node.terminate()
        for node in reversed(started):
            with suppress(subprocess.TimeoutExpired):
                node.wait(20)
            with suppress(ProcessLookupError):
                os.killpg(node.pid, signal.SIGKILL)
            node.wait()
        sockets.cleanup()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
