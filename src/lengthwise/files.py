"""Reading and writing files: every failure is a sentence, and no key of a JSON table is ever dropped in silence.

All output goes through :func:`draft_of`. A file is either the old one or the whole new one. What is not a regular file is
written to and never replaced. A database is never replaced, and within :func:`~lengthwise.notices.keeping_inputs` no file that was read.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .errors import LengthwiseError, UnreadableFileError
from .notices import inputs_of_command

DRAFT_MARK = ".draft-"
"""Part of the name of every draft; a killed process may leave one behind."""

_SQLITE = b"SQLite format 3\0"


def keep_input(path: str | Path) -> None:
    """Remember an input of a command, which may not be there yet: no output of the command replaces it."""
    kept = inputs_of_command.get()
    if kept is not None:
        kept.add(os.path.realpath(path))


def require_replaceable(path: str | Path) -> None:
    """Raise if an output of this name would replace a database or an input of the command."""
    try:
        target = os.path.realpath(path)
        if target in (inputs_of_command.get() or ()):
            raise _cannot_write(path, "it is an input of the same command", "name another file for the output.")
        if not os.path.isfile(target):
            return
        with open(target, "rb") as opened:
            is_database = opened.read(len(_SQLITE)) == _SQLITE
    except (PermissionError, ValueError):  # whoever writes says what is wrong with it
        return
    if is_database:
        raise _cannot_write(
            path,
            "it is an SQLite database, such as a store of results, and no output replaces one",
            "name another file for the output.",
        )


def read_text(path: str | Path, *, is_updated: bool = False) -> str:
    """Return the text of a file, which is an input then, unless the command writes it anew (``is_updated``)."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        if not is_updated:
            keep_input(path)
        return text
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {str(path)!r}.", hint="check the path.") from None
    except ValueError as error:  # not UTF-8, or a path with a null character
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "it is not a valid path"
        raise UnreadableFileError(
            f"cannot read {str(path)!r}: {reason}.", hint="check the path and its permissions."
        ) from None
    except OSError as error:
        raise UnreadableFileError(
            f"cannot read {str(path)!r}: {error.strerror}.", hint="check the path and its permissions."
        ) from None


def write_text(path: str | Path, text: str) -> None:
    """Write a text file."""
    with draft_of(path) as draft, open(draft, "ab") as opened:  # appending: standard output may be a file in use
        opened.write(text.encode("utf-8", "backslashreplace"))  # half a character, from a file name, has no bytes


def write_tensors(path: str | Path, tensors: Mapping[str, Any], notes: Mapping[str, str]) -> None:
    """Write torch tensors as a safetensors file, with notes in its header."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    with draft_of(path) as draft:
        try:
            save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, draft, dict(notes))
        except SafetensorError as error:  # it hides the system's own error in a text
            raise _cannot_write(path, _system_reason(str(error))) from None


def _system_reason(told: str) -> str:
    """Return the reason in an error of safetensors, such as 'No space left on device'."""
    found = re.search(r"(?:code: |os error )(\d+)", told)
    return os.strerror(int(found[1])) if found else told


@contextmanager
def draft_of(path: str | Path) -> Iterator[Path]:
    """Yield a file to write in place of ``path``; when the block ends without an error, it becomes ``path``.

    The draft lies beside the file, under a random name that nothing else has, and takes over its permissions. A symbolic
    link stays a link: the file it leads to is replaced. Devices, pipes and standard streams cannot be replaced by a file,
    so they are yielded themselves. Any failure of the system becomes a sentence, and leaves what was there.
    """
    place = Path(path)
    if not place.name:
        raise _cannot_write(path, "it names no file")
    draft = None
    try:
        if _is_written_through(place):
            yield place
            return
        require_replaceable(place)
        target = Path(os.path.realpath(place))
        before = target.stat() if target.exists() else None
        if before is not None and not os.access(target, os.W_OK):
            raise _cannot_write(path, "it is read-only")
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name[:100]}{DRAFT_MARK}", dir=target.parent
        )  # O_EXCL, no-follow
        draft = Path(name)
        _take_over_permissions(handle, before)
        os.close(handle)
        yield draft
        _flush_to_disk(draft)
        draft.replace(target)
        draft = None
    except OSError as error:
        if isinstance(error, (LengthwiseError, BrokenPipeError)):  # a reader who has gone is no failure
            raise
        raise _cannot_write(path, error.strerror or str(error)) from None
    except ValueError as error:
        if isinstance(error, LengthwiseError):
            raise
        raise _cannot_write(path, "it is not a valid path") from None
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()


def _is_written_through(place: Path) -> bool:
    """Return whether a path is anything but a regular file, or one that standard output is redirected to."""
    try:
        kind = place.stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(kind) or os.path.abspath(place).startswith(("/dev/", "/proc/"))


def _take_over_permissions(handle: int, before: os.stat_result | None) -> None:
    """Give a draft the permissions of the file it will replace, or those of any new file."""
    if before is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    with suppress(OSError):  # another user's file: only root may give files away
        os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _flush_to_disk(draft: Path) -> None:
    """Wait for the disk, so that a power cut after the renaming cannot leave an empty file."""
    handle = os.open(draft, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(
    path: str | Path, reason: str, hint: str = "choose a path that can be written."
) -> UnreadableFileError:
    return UnreadableFileError(f"cannot write {str(path)!r}: {reason}.", hint=hint)


def make_folder_of(path: str | Path) -> None:
    """Make the folder that a file is going to be written to, before the work that the file is about.

    Raise if the file may not be replaced.
    """
    require_replaceable(path)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _cannot_write(path, getattr(error, "strerror", None) or "it is not a valid path") from None


def read_json(path: str | Path, *, is_updated: bool = False) -> Any:
    """Return the JSON data of a file; ``is_updated`` as in :func:`read_text`."""
    return parse_json(read_text(path, is_updated=is_updated), repr(str(path)))


def parse_json(text: str, source: str) -> Any:
    """Return JSON data from text; ``source`` names where it came from in errors. A repeated key is an error."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise UnreadableFileError(
            f"{source} is not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}.",
            hint="it may be truncated; write it again.",
        ) from None
    except LengthwiseError:
        raise
    except ValueError:  # Python refuses to read integers of thousands of digits
        raise UnreadableFileError(
            f"{source} has a number that is too long to be read.", hint="write it again."
        ) from None
    except RecursionError:
        raise UnreadableFileError(f"{source} is nested too deeply to be read.", hint="write it again.") from None


def json_text(data: object) -> str:
    """Return data as JSON text that can be read; what is not printable is escaped, which only strings can need."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1] for character in text
    )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise UnreadableFileError(f"the key {key!r} appears twice in one table.", hint="name each key once.")
        table[key] = value
    return table
