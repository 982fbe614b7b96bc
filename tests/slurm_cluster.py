"""A real Slurm cluster of one node on this machine, with folders of its own. Its daemons end with the block, however it ends."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from processes import wait_until

_NEEDED = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
_PLACES = "/usr/sbin:/usr/local/sbin:/sbin"

_CONFIGURATION = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=bf_interval=2,sched_interval=5,batch_sched_delay=0
KillWait=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=tests Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_program() -> str | None:
    """Return the first program of Slurm that is not installed."""
    return next((name for name in _NEEDED if _find(name) is None), None)


def _find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=_PLACES)


@contextmanager
def slurm_cluster(folder: Path, processors: int = 2) -> Iterator[Mapping[str, str]]:
    """Start a cluster; yield the variables by which Slurm's commands find it."""
    host = socket.gethostname().partition(".")[0]
    configuration = _CONFIGURATION.format(
        host=host,
        folder=folder,
        user=_user(),
        processors=processors,
        controller_port=_free_port(),
        node_port=_free_port(),
    )
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    (folder / "slurm.conf").write_text(configuration)
    key = folder / "munge.key"
    subprocess.run([_find("mungekey") or "", "--create", f"--keyfile={key}"], check=True)
    variables = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> None:
        with open(folder / "daemons.log", "ab") as log:
            command = [_find(words[0]) or "", *words[1:]]
            started.append(subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def is_idle() -> bool:
        shown = subprocess.run(["sinfo", "-h", "-o", "%T"], env=variables, capture_output=True, text=True, check=False)
        assert all(daemon.poll() is None for daemon in started), (folder / "daemons.log").read_text()
        return shown.stdout.strip() == "idle"

    try:
        start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
              f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")  # fmt: skip
        wait_until((folder / "munge.socket").exists, "munged")
        start("slurmctld", "-D", "-i")
        start("slurmd", "-D", "-N", host)
        wait_until(is_idle, "the node of Slurm")
        yield {"SLURM_CONF": variables["SLURM_CONF"]}
    finally:
        subprocess.run(["scancel", f"--user={_user()}"], env=variables, capture_output=True, check=False)
        time.sleep(1)
        for daemon in reversed(started):
            daemon.terminate()
        for daemon in reversed(started):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def _user() -> str:

    return pwd.getpwuid(os.geteuid()).pw_name


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
