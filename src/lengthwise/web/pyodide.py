"""Python for the browser: which package it comes from, and the files of it that the site needs.

Pyodide (https://pyodide.org, MPL-2.0) is CPython compiled to WebAssembly. It is never part of this repository; the build
takes it from its npm package, and accepts these exact files only.
"""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from ..errors import UnreadableFileError, UsageError

VERSION = "314.0.7"
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
"""The files that the site needs, with their SHA-256."""

_HOW = f"get it with 'npm pack pyodide@{VERSION}', unpack the archive, and name its folder: --pyodide package"


@contextmanager
def pyodide_files(folder: str | Path | None) -> Iterator[dict[str, bytes]]:
    """Yield the files of Pyodide by name: from a folder, or where none is given from npm, which needs a network."""
    if folder is not None:
        yield _read_files(Path(folder))
        return
    with tempfile.TemporaryDirectory(prefix="lengthwise-") as temporary:
        yield _read_files(_from_npm(Path(temporary)))


def _read_files(folder: Path) -> dict[str, bytes]:
    found = {}
    for name, expected in FILES.items():
        try:
            found[name] = (folder / name).read_bytes()
        except (OSError, ValueError):
            raise UnreadableFileError(
                f"the folder {str(folder)!r} has no file {name!r} of Pyodide.", hint=_HOW
            ) from None
        seen = sha256(found[name]).hexdigest()
        if seen != expected:
            raise UnreadableFileError(
                f"{str(folder / name)!r} is not that of Pyodide {VERSION}: its SHA-256 is {seen}, not {expected}.",
                hint=_HOW,
            )
    return found


def _from_npm(folder: Path) -> Path:
    command = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"cannot fetch Pyodide with '{' '.join(command)}': {error}.", hint=_HOW) from None
    archives = list(folder.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise UsageError(f"'{' '.join(command)}' failed: {last}.", hint=_HOW)
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, members=[archive.getmember(f"package/{name}") for name in FILES], filter="data")
    return folder / "package"
