"""The tables of a store, and how to tell a store from any other database before anything is written to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import UnreadableFileError

APPLICATION_ID = 0x4C677468
"""What marks a file as a store of this program, in its header."""
SCHEMA_VERSION = 2
"""Version 1 had no application id, no checksums and no descriptions; it is read, and brought up to date when written to."""

_VERSION_1 = """
CREATE TABLE stacks (position INTEGER PRIMARY KEY, label TEXT NOT NULL, runs TEXT NOT NULL UNIQUE);
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, encoding TEXT NOT NULL, seed INTEGER NOT NULL, learning_rate REAL NOT NULL,
    settings TEXT NOT NULL, steps INTEGER NOT NULL, seconds REAL NOT NULL, losses TEXT NOT NULL, provenance TEXT NOT NULL
);
CREATE TABLE scores (
    run TEXT NOT NULL REFERENCES runs (id), length INTEGER NOT NULL, examples INTEGER NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (run, length)
);
"""

_HARD_SCORES = """
CREATE TABLE IF NOT EXISTS hard_scores (
    run TEXT NOT NULL REFERENCES runs (id), kind TEXT NOT NULL, length INTEGER NOT NULL, examples INTEGER NOT NULL,
    matches INTEGER NOT NULL, PRIMARY KEY (run, kind, length)
);
"""  # not part of the first stores of version 1

_TO_VERSION_2 = f"""
{_HARD_SCORES}
ALTER TABLE runs ADD COLUMN checksum TEXT;
CREATE TABLE cells (key TEXT PRIMARY KEY, description TEXT NOT NULL, checksum TEXT NOT NULL);
PRAGMA user_version = {SCHEMA_VERSION};
PRAGMA application_id = {APPLICATION_ID};
"""

TABLES_OF_A_RUN = (("hard_scores", "run"), ("scores", "run"), ("runs", "id"))
"""Where a run has rows, and the column that names it."""

Columns = dict[str, list[tuple[object, ...]]]


def prepare_schema(connection: sqlite3.Connection, place: Path) -> None:
    """Make the tables of a new store, or bring those of an older one up to date."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == SCHEMA_VERSION:
            return
        if not version:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {'' if version else _VERSION_1} {_TO_VERSION_2} COMMIT;")
    except sqlite3.Error as error:
        raise UnreadableFileError(
            f"{str(place)!r} cannot be used as a store: {error}.", hint="choose another file with --store."
        ) from None


def require_store(connection: sqlite3.Connection, place: Path, *, may_be_empty: bool = False) -> None:
    """Raise unless a database is a store of this version or an older one; nothing is written.

    An empty one, as an interruption leaves it before the tables are made, can become a store.
    """
    try:
        application, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        found = _columns(connection)
        programs = connection.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        ).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the names of tables may be damaged too
        told = "the names of its tables cannot be read" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UnreadableFileError(
            f"{str(place)!r} cannot be used as a store: {told}.", hint="choose another file with --store."
        ) from None
    if application == APPLICATION_ID and version > SCHEMA_VERSION:
        raise UnreadableFileError(
            f"the store {str(place)!r} has version {version}; this program reads versions up to {SCHEMA_VERSION}.",
            hint="update lengthwise, or choose another store with --store.",
        )
    if application == APPLICATION_ID and programs:
        kind, name = programs[0]
        raise UnreadableFileError(
            f"the store {str(place)!r} has a {kind} named {name!r}, and a store never has one.",
            hint="somebody has changed the file; do not trust it.",
        )
    is_old = (
        application == 0 and version == 1 and found in (_expected(_VERSION_1), _expected(_VERSION_1 + _HARD_SCORES))
    )
    is_new = application == APPLICATION_ID and found == _expected(_VERSION_1 + _TO_VERSION_2)
    is_empty = (application, version, found) == (0, 0, {})
    if not (is_old or is_new or (is_empty and may_be_empty)) or programs:
        raise UnreadableFileError(
            f"{str(place)!r} is a database, but not a store.", hint="choose another file with --store."
        )


def _columns(connection: sqlite3.Connection) -> Columns:
    """Return the columns of every table: name, type, whether it may be missing, and its part in the key."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return {
        name: connection.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,)).fetchall()
        for (name,) in tables.fetchall()
    }


def _expected(script: str) -> Columns:
    """Return the columns that a script makes, from a database in memory."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(script)
        return _columns(memory)
