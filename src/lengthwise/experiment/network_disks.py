"""Network file systems: a store must not lie on one, because SQLite's locks and shared memory do not work there.

SQLite's documentation (https://www.sqlite.org/wal.html) rules them out for databases in WAL mode, and people have lost databases there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import UnreadableFileError

ACCEPTING = "LENGTHWISE_ACCEPT_NETWORK_STORE"
"""The variable by which a user accepts the risk."""

_NETWORK_TYPES = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "coda", "9p", "virtiofs"),
        *("lustre", "gpfs", "beegfs", "panfs", "pvfs2", "orangefs", "glusterfs", "gfs", "gfs2", "ocfs2", "wekafs"),
        *("fuse.sshfs", "fuse.ceph-fuse", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.juicefs"),
        *("fuse.gcsfuse", "fuse.gcsfs", "fuse.mount-s3", "fuse.blobfuse", "fuse.blobfuse2", "fuse.davfs", "davfs"),
        *("fuse.moosefs", "fuse.mfs", "fuse.lizardfs", "fuse.seaweedfs", "fuse.cvmfs2", "fuse.beegfs", "fuse.dfs"),
    )
)
_ESCAPE = re.compile(r"\\([0-7]{3})")  # how the system writes blanks in the name of a folder


def file_system_of(folder: str | Path, mounts: str) -> str | None:
    """Return the type of the file system that an absolute path lies on, by the text of /proc/self/mountinfo.

    >>> mounts = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\\n2 1 0:5 / /data rw shared:7 - nfs4 server:/data rw"
    >>> file_system_of("/data/runs", mounts), file_system_of("/database", mounts)
    ('nfs4', 'ext4')
    """
    best, found = -1, None
    for line in mounts.split("\n"):
        place, separator, mounted = line.partition(" - ")
        columns, types = place.split(" "), mounted.split(" ")
        if not separator or len(columns) < 5:
            continue
        top = _ESCAPE.sub(lambda code: chr(int(code[1], 8)), columns[4])
        is_inside = f"{folder}/".startswith(f"{top.rstrip('/')}/")
        if is_inside and len(top) >= best:  # of two at one place, the later hides the earlier
            best, found = len(top), types[0]
    return found


def is_network_type(file_system: str | None) -> bool:
    """Return whether files of such a file system may lie on another machine."""
    return file_system in _NETWORK_TYPES


def require_local_disk(place: Path) -> None:
    """Raise if a store would lie on a network file system, unless the user has accepted that."""
    if os.environ.get(ACCEPTING) == "1":
        return
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes().decode("utf-8", "surrogateescape")
    except OSError:  # not Linux: nothing is known
        return
    kind = file_system_of(os.path.realpath(place), mounts)
    if is_network_type(kind):
        raise UnreadableFileError(
            f"the store {str(place)!r} would lie on a network file system ({kind}), where SQLite can lose data.",
            hint=f"name a file on a local disk with --store. {ACCEPTING}=1 accepts the risk: then use it from one machine only.",
        )
