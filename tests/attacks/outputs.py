"""What --out and its kin must never replace: devices, pipes, links, and files that somebody else's link leads to (1)."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from base import TINY, Attack, Program, main


def attack(program: Program, folder: Path) -> list[Attack]:
    """Return what comes of writing to what is not a plain file."""
    (folder / "spec.toml").write_text(TINY.replace('"(aa)*"', '"D_2"').replace("seeds = 2", "seeds = 1"))
    made = program.run("run", "spec.toml", "--store", "runs.sqlite", "--out", "first.html", folder=folder)
    assert made.code == 0, made
    found = []

    def report(what: str, path: Path, good: bool, outcome: str) -> None:
        found.append(Attack(number="1", what=f"report --out {what}", outcome=outcome, good=good))
        assert path is not None

    def write_to(path: Path) -> str:
        return str(program.run("report", "runs.sqlite", "--out", str(path), folder=folder))

    if os.geteuid() == 0:
        device = folder / "null"
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        told = write_to(device)
        report("a device", device, stat.S_ISCHR(device.lstat().st_mode), told)

    pipe = folder / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []

    def read() -> None:
        handle = os.open(pipe, os.O_RDWR)  # so that neither side waits for the other
        received.append(os.read(handle, 1 << 16))
        os.close(handle)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    told = write_to(pipe)
    reader.join(10)
    report("a pipe", pipe, stat.S_ISFIFO(pipe.lstat().st_mode) and bool(received), told)

    target, link = folder / "target.html", folder / "link.html"
    target.write_text("old")
    link.symlink_to(target)
    told = write_to(link)
    report("a symbolic link", link, link.is_symlink() and "<html" in target.read_text(), told)

    victim = folder / "victim.txt"
    victim.write_text("precious")
    (folder / ".page.html.draft").symlink_to(victim)
    told = write_to(folder / "page.html")
    report("beside a link named as its draft", victim, victim.read_text() == "precious", told)

    private = folder / "private.html"
    private.write_text("old")
    private.chmod(0o600)
    told = write_to(private)
    report("a private file", private, stat.S_IMODE(private.stat().st_mode) == 0o600, told)

    stream = folder / "stdout"  # what /dev/stdout is; an older program would replace the real one
    stream.symlink_to("/proc/self/fd/1")
    done = program.run("report", "runs.sqlite", "--out", str(stream), folder=folder)
    is_whole = "<html" in done.out and "prediction" in done.out.lower() and stream.is_symlink()
    report("standard output by its name", folder, is_whole, str(done))

    svg = folder / "drawing.svg"
    svg.symlink_to(target)
    done = program.run("show", "language", "(ab)*", "--svg", str(svg), folder=folder)
    found.append(Attack(number="1", what="show --svg a link", outcome=str(done), good=svg.is_symlink()))
    return found


if __name__ == "__main__":
    main(attack)
