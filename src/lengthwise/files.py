"""Reading and writing files: every failure is a sentence, and no key of a JSON table is ever dropped in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .errors import LengthwiseError, UnreadableFileError


def read_text(path: str | Path) -> str:
    """Return the text of a file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {str(path)!r}.", hint="check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise UnreadableFileError(
            f"cannot read {str(path)!r}: {reason}.", hint="check the path and its permissions."
        ) from None


def write_text(path: str | Path, text: str) -> None:
    """Write a file: first under a temporary name, so that the file is either the old one or the whole new one."""
    place = Path(path)
    if not place.name:
        raise UnreadableFileError(
            f"cannot write {str(path)!r}: it names no file.", hint="choose a path that can be written."
        )
    draft = place.with_name(f".{place.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(place)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UnreadableFileError(
            f"cannot write {str(path)!r}: {error.strerror}.", hint="choose a path that can be written."
        ) from None


def make_folder_of(path: str | Path) -> None:
    """Make the folder that a file is going to be written to, before the work that the file is about."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableFileError(
            f"cannot write {str(path)!r}: {error.strerror}.", hint="choose a path that can be written."
        ) from None


def read_json(path: str | Path) -> Any:
    """Return the JSON data of a file."""
    return parse_json(read_text(path), repr(str(path)))


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


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise UnreadableFileError(f"the key {key!r} appears twice in one table.", hint="name each key once.")
        table[key] = value
    return table
