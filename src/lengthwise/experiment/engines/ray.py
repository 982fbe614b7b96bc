"""The Ray engine: each stack is an actor on an existing cluster that starts the same worker as Slurm's jobs do.

The actors are detached: they outlive the command that made them, which finds them again by their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...errors import MissingExtraError, TrainingFailedError
from ...extras import install_hint
from .cluster import Job, Jobs
from .cluster_engine import ClusterEngine, JobCommand

_NAMESPACE = "lengthwise"
_CALLS_AT_ONCE = 8  # of an actor: one waits for its process to end, for each collector that was


@dataclass(frozen=True, slots=True, kw_only=True)
class Ray(ClusterEngine):
    """A cluster with Ray, found by its ``address``, for example "head:6379"; "auto" is the one this machine belongs to."""

    address: str = "auto"

    def connect(self, command: JobCommand) -> Jobs:
        """Return the jobs of a work folder; raise if ray is missing or there is no such cluster."""
        if find_spec("ray") is None:
            raise MissingExtraError("the engine ray needs ray, which is not installed.", hint=install_hint("ray"))
        ray = import_module("ray")
        try:
            ray.init(address=self.address, namespace=_NAMESPACE, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise TrainingFailedError(
                f"no Ray cluster answers at {self.address!r}: {str(error).splitlines()[0].rstrip('.')}.",
                hint="start one with 'ray start --head', or name it with --ray-address HOST:PORT.",
            ) from None
        return RayJobs(ray, command)


@dataclass(slots=True, kw_only=True)
class _Launched:
    """An actor, with what it has promised to say: the number of its process once it runs, and the exit code."""

    key: str
    actor: Any
    process: Any
    exit_code: Any


class RayJobs:
    """The actors of one work folder; the name of each has the folder's hash, the key of its stack and a number."""

    cluster = "Ray"

    def __init__(self, ray: Any, command: JobCommand) -> None:
        self._ray = ray
        self._command = command
        self._prefix = f"lengthwise-{sha256(str(command.folder.path).encode()).hexdigest()[:12]}"
        self._launched: dict[str, _Launched] = {}
        self._endings: dict[str, tuple[str, str]] = {}
        for entry in ray.util.list_named_actors(all_namespaces=True):
            name = entry["name"]
            if entry["namespace"] == _NAMESPACE and name.startswith(f"{self._prefix}."):
                self._launched[name] = self._watched(name.split(".")[1], ray.get_actor(name, namespace=_NAMESPACE))

    def submit(self, key: str) -> str:
        """Make an actor for a stack; return its name. It waits until a node has a core or a GPU free."""
        number = os.urandom(4).hex()
        name = f"{self._prefix}.{key}.{number}"
        needs = {"num_cpus": 1, "num_gpus": 1 if self._command.device == "cuda" else 0}
        launcher = self._ray.remote(_launcher_class()).options(
            name=name, namespace=_NAMESPACE, lifetime="detached", max_concurrency=_CALLS_AT_ONCE, **needs
        )
        actor = launcher.remote(
            [*self._command.words(key), "--job", name], dict(self._command.variables), os.getcwd(),
            str(self._command.folder.logs / f"{key}-{number}.log"),
        )  # fmt: skip
        self._launched[name] = self._watched(key, actor)
        return name

    def alive(self) -> Mapping[str, Job] | None:
        """Return the actors whose process has not ended, or has not begun."""
        found = {}
        for name, launched in list(self._launched.items()):
            if self._is_there(launched.exit_code):
                self._endings[name] = self._ending(launched)
                self.cancel(name)
            else:
                found[name] = Job(key=launched.key, is_running=self._is_there(launched.process))
        return found

    def ending_of(self, job: str) -> tuple[str, str]:
        """Return how a process ended, or that its actor is lost."""
        return self._endings.get(job, ("lost", "is lost"))

    def cancel(self, job: str) -> None:
        """End an actor, with its process."""
        launched = self._launched.pop(job, None)
        if launched is not None:
            self._ray.kill(launched.actor)

    def release(self, job: str) -> None:
        """End the actor of a process that has finished: it would hold its core or GPU until it is asked again."""
        self.cancel(job)

    def advice(self) -> str:
        """Return how to end all jobs by hand."""
        return f"They are detached actors of Ray in the namespace {_NAMESPACE!r}, named {self._prefix}.…"

    def close(self) -> None:
        """Let go of the cluster; what runs there goes on."""
        self._ray.shutdown()

    def _watched(self, key: str, actor: Any) -> _Launched:
        return _Launched(key=key, actor=actor, process=actor.process.remote(), exit_code=actor.wait.remote())

    def _is_there(self, promise: Any) -> bool:
        ready, _ = self._ray.wait([promise], timeout=0)
        return bool(ready)

    def _ending(self, launched: _Launched) -> tuple[str, str]:
        try:
            code = self._ray.get(launched.exit_code)
        except self._ray.exceptions.RayError as error:
            return "lost", f"is lost: {str(error).splitlines()[0].rstrip('.')}"
        return "ended", f"ended with exit code {code}" if code >= 0 else f"ended by signal {-code}"


def _launcher_class() -> Callable[..., Any]:
    """Return the class of the actors. It is made in a function, so that Ray sends it whole and nodes need not import it."""

    class Launcher:
        """Starts a worker, which ends when this process does."""

        def __init__(self, words: list[str], variables: dict[str, str], folder: str, log: str) -> None:
            import os
            import subprocess

            alive, self.lifeline = os.pipe()
            with open(log, "ab") as out:
                self.started = subprocess.Popen(
                    [*words, "--lifeline", str(alive)],
                    env=os.environ | variables,
                    cwd=folder,
                    pass_fds=(alive,),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                )
            os.close(alive)

        def process(self) -> int:
            return self.started.pid

        def wait(self) -> int:
            return self.started.wait()

    return Launcher
