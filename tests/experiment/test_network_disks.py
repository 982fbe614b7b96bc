"""A store on a network file system is refused; which file system a path lies on is read from the system's own table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.experiment.network_disks import ACCEPTING, file_system_of, is_network_type, require_local_disk

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
36 27 0:31 / /home rw,relatime shared:7 master:2 - nfs4 server:/export/home rw,vers=4.2
37 36 0:32 / /home/me/local rw - xfs /dev/nvme0n1 rw
38 27 0:33 / /scratch rw - lustre 10.0.0.1@o2ib:/scratch rw,flock
39 27 0:34 / /gpfs/my\\040data rw - gpfs fs1 rw
40 27 0:35 / /mnt/laptop rw - fuse.sshfs me@laptop: rw
41 27 0:36 / /twice rw - ext4 /dev/sdb rw
42 41 0:37 / /twice rw - beegfs beegfs_nodev rw
43 27 0:38 / /tmp rw - tmpfs tmpfs rw
a line - that makes no sense
"""


@pytest.mark.parametrize(
    ("folder", "kind", "is_network"),
    [
        ("/var/runs.sqlite", "ext4", False),
        ("/home/me/runs.sqlite", "nfs4", True),
        ("/home", "nfs4", True),
        ("/homestead/runs.sqlite", "ext4", False),
        ("/home/me/local/runs.sqlite", "xfs", False),
        ("/scratch/a/b/c", "lustre", True),
        ("/gpfs/my data/runs.sqlite", "gpfs", True),
        ("/mnt/laptop/x", "fuse.sshfs", True),
        ("/twice/x", "beegfs", True),
        ("/tmp/x", "tmpfs", False),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_deepest_mount(folder: str, kind: str, is_network: bool) -> None:
    assert file_system_of(folder, MOUNTS) == kind
    assert is_network_type(kind) is is_network


def test_without_a_table_nothing_is_known() -> None:
    assert file_system_of("/x", "") is None
    assert not is_network_type(None)


def test_this_folder_is_where_the_system_says_it_is(tmp_path: Path) -> None:
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        pytest.skip("not Linux")
    found = file_system_of(os.path.realpath(tmp_path), mounts.read_text())
    told = subprocess.run(
        ["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True, check=True
    ).stdout.strip()
    alike = {"ext2/ext3": ("ext2", "ext3", "ext4"), "overlayfs": ("overlay",), "nfs": ("nfs", "nfs4")}
    assert found in alike.get(told, (told,))
    require_local_disk(tmp_path / "runs.sqlite")


SMALL_RUN = """
import sys
from pathlib import Path
from lengthwise.experiment.store import open_store
real = Path.read_bytes
table = f"1 0 0:5 / / rw - nfs4 server:/ rw\\n".encode()
Path.read_bytes = lambda self: table if str(self) == "/proc/self/mountinfo" else real(self)
with open_store(sys.argv[1]):
    print("opened")
"""


def test_a_store_on_a_network_file_system_is_refused_unless_that_is_accepted(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SMALL_RUN, str(tmp_path / "new" / "runs.sqlite")]
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "would lie on a network file system (nfs4), where SQLite can lose data." in refused.stderr
    assert "hint: name a file on a local disk with --store. LENGTHWISE_ACCEPT_NETWORK_STORE=1" in refused.stderr
    assert not (tmp_path / "new").exists(), "nothing is made"
    accepted = subprocess.run(words, env=os.environ | {ACCEPTING: "1"}, capture_output=True, text=True, check=False)
    assert accepted.stdout == "opened\n", accepted.stderr
