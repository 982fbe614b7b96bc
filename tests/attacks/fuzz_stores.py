"""Stores as inputs: a real one with other rows, other tables or other bytes; after half of the edits, ids and checksums
are made to fit, as somebody would who knows the format, so that they do not hide what lies behind them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from hashlib import sha256
from random import Random
from typing import Any

from fuzz_corpus import Corpus
from fuzz_inputs import NAME_SIGNS, Case
from fuzz_mutations import edit_bytes, edit_json, edit_text, json_text, odd_text, odd_value

_JSON = {("runs", "settings"), ("runs", "losses"), ("runs", "provenance"), ("stacks", "runs"), ("cells", "description")}
_UNFIT = (
    sqlite3.Error,
    OverflowError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
)  # an edit may not be possible
_STATEMENTS = (
    "PRAGMA user_version = 0", "PRAGMA user_version = 1", "PRAGMA user_version = 3", "PRAGMA user_version = 2147483647",
    "PRAGMA application_id = 7", "PRAGMA application_id = 0", "DROP TABLE runs", "DROP TABLE scores", "DROP TABLE hard_scores",
    "DROP TABLE stacks", "DROP TABLE cells", "DELETE FROM runs", "DELETE FROM scores", "DELETE FROM stacks", "DELETE FROM cells",
    "ALTER TABLE runs RENAME COLUMN settings TO x", "ALTER TABLE runs ADD COLUMN extra TEXT", "UPDATE runs SET checksum = NULL",
    "ALTER TABLE scores DROP COLUMN examples", "CREATE TABLE other (x)", "ALTER TABLE stacks RENAME TO piles",
    "CREATE VIEW seen AS SELECT * FROM runs", "DELETE FROM scores WHERE rowid % 2", "UPDATE scores SET matches = examples + 1",
)  # fmt: skip


def make_store(rng: Random, corpus: Corpus) -> Case:
    """Return the bytes of a store that was tampered with."""
    if rng.random() < 0.3:
        return Case(data=edit_bytes(rng, corpus.store))
    if rng.random() < 0.05:
        cut = corpus.store[: rng.randrange(len(corpus.store))]
        return Case(data=rng.choice((b"", b"SQLite format 3\0", cut, rng.randbytes(500))))
    with contextlib.closing(open_copy(corpus.store)) as connection:
        edits = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            with contextlib.suppress(*_UNFIT):
                edits.append(_edit_store(rng, connection))
        if rng.random() < 0.6:
            with contextlib.suppress(*_UNFIT):
                forge(connection)
                edits.append("ids and checksums made to fit")
        connection.commit()
        made = bytearray(connection.serialize())
    made[18:20] = rng.choice((b"\1\1", b"\2\2"))
    return Case(data=bytes(made), options={"edits": edits})


def open_copy(store: bytes) -> sqlite3.Connection:
    """Return a copy of a store in memory, where there is no write-ahead log."""
    plain = bytearray(store)
    plain[18:20] = b"\1\1"
    connection = sqlite3.connect(":memory:")
    connection.deserialize(bytes(plain))
    return connection


def _edit_store(rng: Random, connection: sqlite3.Connection) -> str:
    """Change a store in one place; return how."""
    if rng.random() < 0.12:
        statement = rng.choice(_STATEMENTS)
        connection.execute(statement)
        return statement
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    table = rng.choice((*tables, "runs", "runs"))
    column = rng.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
    number, value = rng.choice(connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall() or [(0, 0)])
    if (table, column) in _JSON:
        changed: Any = json_text(rng, edit_json(rng, _as_json(value)))
    elif isinstance(value, str):
        changed = rng.choice((edit_text(rng, value, NAME_SIGNS), odd_text(rng), value.encode(), None, 3))
    else:
        number_there = value if isinstance(value, int | float) else 0
        changed = rng.choice((number_there + 1, -number_there, 0, 10**9, 2**62, odd_value(rng), b"\xff", "x"))
    if isinstance(changed, list | dict):
        changed = json.dumps(changed)
    everywhere = "" if rng.random() < 0.3 else f" WHERE rowid = {number}"
    connection.execute(f"UPDATE {table} SET {column} = ?{everywhere}", (changed,))
    return f"{table}.{column}{everywhere}: {changed!r} for {value!r}"


def _as_json(value: object) -> Any:
    """Return the JSON data of a cell, or what stands there if an earlier edit left none."""
    try:
        return json.loads(value) if isinstance(value, str) else None
    except ValueError:
        return value


def forge(connection: sqlite3.Connection) -> None:
    """Make the ids of all runs, the columns that repeat settings, and all checksums fit what is stored."""
    has_checksums = "checksum" in [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
    for number, old, text in connection.execute("SELECT rowid, id, settings FROM runs").fetchall():
        settings = json.loads(text)
        new = _hash(settings, sort_keys=True)
        values = tuple(settings[key] for key in ("task", "encoding", "seed", "learning_rate"))
        connection.execute(
            "UPDATE runs SET id = ?, task = ?, encoding = ?, seed = ?, learning_rate = ? WHERE rowid = ?",
            (new, *values, number),
        )
        for table in ("scores", "hard_scores"):
            connection.execute(f"UPDATE {table} SET run = ? WHERE run = ?", (new, old))
        connection.execute("UPDATE stacks SET runs = replace(runs, ?, ?)", (old, new))
        if has_checksums:
            _forge_checksum(connection, number, new)
    if has_checksums:
        for key, text in connection.execute("SELECT key, description FROM cells").fetchall():
            connection.execute("UPDATE cells SET checksum = ? WHERE key = ?", (_hash([key, text]), key))


def _forge_checksum(connection: sqlite3.Connection, number: int, run: str) -> None:
    columns = "id, task, encoding, seed, learning_rate, settings, steps, seconds, losses, provenance"
    row = connection.execute(f"SELECT {columns} FROM runs WHERE rowid = ?", (number,)).fetchone()
    scores = connection.execute("SELECT length, examples, matches FROM scores WHERE run = ?", (run,)).fetchall()
    hard: dict[Any, list[Any]] = {}
    for kind, *score in connection.execute(
        "SELECT kind, length, examples, matches FROM hard_scores WHERE run = ?", (run,)
    ):
        hard.setdefault(kind, []).append(score)
    content = [row, sorted(scores), sorted((kind, sorted(own)) for kind, own in hard.items())]
    connection.execute("UPDATE runs SET checksum = ? WHERE rowid = ?", (_hash(content), number))


def _hash(content: Any, *, sort_keys: bool = False) -> str:
    return sha256(json.dumps(content, sort_keys=sort_keys, default=repr).encode()).hexdigest()[:16]
