"""Output files: whole or not at all, and nothing but regular files is ever replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from lengthwise.errors import UnreadableFileError
from lengthwise.files import DRAFT_MARK, draft_of, keep_input, make_folder_of, read_text, write_text
from lengthwise.notices import keeping_inputs


def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "né\n")
    assert (tmp_path / "a.txt").read_bytes() == b"n\xc3\xa9\n"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")

    def fail() -> None:
        with draft_of(place) as draft:
            draft.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(UnreadableFileError) as caught:
        fail()
    assert caught.value.message == f"cannot write {str(place)!r}: No space left on device."
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_draft_has_a_name_that_nobody_can_foresee(tmp_path: Path) -> None:
    names = set()
    for _ in range(2):
        with draft_of(tmp_path / "a.txt") as draft:
            assert draft.parent == tmp_path
            assert DRAFT_MARK in draft.name
            names.add(draft.name)
    assert len(names) == 2


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    for text in ("new", "newer"):  # also while the target is not there yet
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert os.listdir(tmp_path / "folder") == ["target.txt"]


def test_permissions_stay(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    for mode in (0o600, 0o644, 0o755):
        place.chmod(mode)
        write_text(place, "new")
        assert stat.S_IMODE(place.stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    write_text(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    device = tmp_path / "null"
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    write_text(device, "gone")
    assert stat.S_ISCHR(device.lstat().st_mode)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", "it names no file"),
        (".", "it names no file"),
        ("a\0b", "it is not a valid path"),
        ("no/such/file", "No such file or directory"),
    ],
)
def test_a_path_that_cannot_be_written_is_a_sentence(path: str, reason: str) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        write_text(path, "x")
    assert caught.value.message == f"cannot write {path!r}: {reason}."


def test_a_path_with_a_null_character_is_no_path_to_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="it is not a valid path"):
        read_text(f"{tmp_path}/a\0b")


def test_no_output_replaces_a_database(tmp_path: Path) -> None:
    store, link = tmp_path / "runs.sqlite", tmp_path / "page.html"
    store.write_bytes(b"SQLite format 3\0 and pages")
    link.symlink_to(store)
    for path in (store, link):
        for write in (lambda path: write_text(path, "new"), make_folder_of):
            with pytest.raises(UnreadableFileError) as caught:
                write(path)
            assert caught.value.message == (
                f"cannot write {str(path)!r}: it is an SQLite database, such as a store of results, and no output replaces one."
            )
            assert caught.value.hint == "name another file for the output."
    assert store.read_bytes() == b"SQLite format 3\0 and pages"


def test_within_a_command_no_output_replaces_an_input(tmp_path: Path) -> None:
    spec, own, store = tmp_path / "e.toml", tmp_path / "measured.json", tmp_path / "runs.sqlite"
    spec.write_text("spec")
    own.write_text("{}")
    with keeping_inputs():
        read_text(spec)
        read_text(own, is_updated=True)
        keep_input(store)  # it is not there yet
        write_text(own, "{ }")
        for path in (spec, tmp_path / "." / "e.toml", store):
            with pytest.raises(UnreadableFileError, match="it is an input of the same command"):
                write_text(path, "page")
    assert spec.read_text() == "spec"
    write_text(spec, "written in another command")
