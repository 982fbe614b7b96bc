"""Where results live: one SQLite file in WAL mode, with one writer at a time.

A run's row appears in the same transaction as its scores, so that a row means a finished run. The plan, with the
membership of stacks, and what each cell is about are stored before training. A lock on the file itself keeps a second
writer out, by whatever name it comes; readers need no lock. Everything that is read is checked (``rows``).
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..errors import StoreInUseError, UnreadableFileError
from ..files import keep_input, parse_json
from .descriptions import Description, cell_key, description_from_json, description_to_json
from .network_disks import require_local_disk
from .plan import Run, StackPlan
from .rows import DamagedRowError, Result, checksum, read_result, write_result
from .store_lock import locked
from .store_schema import TABLES_OF_A_RUN, prepare_schema, require_store

__all__ = ["Result", "Store", "open_store", "read_store"]

LARGEST_VALUE = 64 * 2**20
"""Bytes of a text or blob: a damaged record may claim any size, and SQLite would ask for that much memory."""
_MOST_SALVAGED = 100_000


class Store:
    """Open with :func:`open_store` to write, :func:`read_store` to read."""

    def __init__(self, connection: sqlite3.Connection, place: Path) -> None:
        self._connection = connection
        self._place = place
        self._columns = {row[1] for row in connection.execute("PRAGMA table_info(runs)")}
        self._tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    @property
    def is_empty(self) -> bool:
        """Whether its tables are still to be made."""
        return not self._tables

    def save_plan(self, stacks: Iterable[StackPlan], described: Mapping[str, Description] | None = None) -> None:
        """Record stacks and their membership, which stay if they are there already, and what cells are about by today."""
        with self._writing():
            self._connection.executemany(
                "INSERT OR IGNORE INTO stacks (label, runs) VALUES (?, ?)",
                [(stack.label, json.dumps([run.id for run in stack.runs])) for stack in stacks],
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO cells VALUES (?, ?, ?)",
                [(key, text, checksum([key, text])) for key, text in _texts(described or {})],
            )

    def planned(self) -> list[list[str]]:
        """Return the ids of the runs of every stack that was ever planned, the latest plan first."""
        with self._reading():
            rows = self._connection.execute("SELECT position, runs FROM stacks ORDER BY position DESC").fetchall()
        return [self._members(*row) for row in rows]

    def stacks(self) -> list[tuple[str, list[str]]]:
        """Return the label of every stack that was ever planned and the ids of its runs, in the order of planning."""
        with self._reading():
            rows = self._connection.execute("SELECT label, position, runs FROM stacks ORDER BY position").fetchall()
        return [(str(label), self._members(*row)) for label, *row in rows]

    def latest(self, number: int) -> list[Result]:
        """Return the runs that were saved last, the newest first; reads no others."""
        with self._reading():
            rows = self._connection.execute(
                f"SELECT {self._run_columns} FROM runs ORDER BY rowid DESC LIMIT ?", (number,)
            ).fetchall()
            scores = [self._scores_of(row[0]) for row in rows]
        try:
            return [read_result(row, *own, {}) for row, own in zip(rows, scores, strict=True)]
        except DamagedRowError as problem:
            raise self._damaged(f"one of the last runs: {problem}") from None

    def finished(self) -> set[str]:
        """Return the ids of all finished runs."""
        with self._reading():
            return {row[0] for row in self._connection.execute("SELECT id FROM runs")}

    def save(self, results: Iterable[Result], *, again: bool = False) -> None:
        """Record finished runs, all in one transaction; trained ``again``, they take the place of what was there."""
        with self._writing():
            for result in results:
                for table, column in TABLES_OF_A_RUN:
                    if again or table != "runs":  # scores without a run are what is left of a damaged one
                        self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (result.id,))
                self._connection.execute(
                    "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", write_result(result)
                )
                self._connection.executemany(
                    "INSERT INTO scores VALUES (?, ?, ?, ?)", [(result.id, *score) for score in result.scores]
                )
                self._connection.executemany(
                    "INSERT INTO hard_scores VALUES (?, ?, ?, ?, ?)",
                    [(result.id, kind, *score) for kind, scores in result.other_scores.items() for score in scores],
                )

    def results(self) -> list[Result]:
        """Return all finished runs in the order of the specs that asked for them; raise if one is damaged.

        Cells are described in that order, the latest spec last. Runs of one cell, and of older stores, come as they were planned.
        """
        with self._reading():
            scores: dict[str, list[tuple[Any, ...]]] = {}
            for run, *score in self._connection.execute(
                "SELECT run, length, examples, matches FROM scores ORDER BY run, length"
            ):
                scores.setdefault(run, []).append(tuple(score))
            hard = self._hard_scores()
            rows = self._connection.execute(f"SELECT {self._run_columns} FROM runs ORDER BY rowid").fetchall()
        descriptions = self.descriptions()
        planned = [run for members in reversed(self.planned()) for run in members]
        order = {run: number for number, run in enumerate(planned)}
        rows.sort(key=lambda row: order.get(row[0], len(order)))
        found = []
        for row in rows:
            try:
                found.append(read_result(row, scores.get(row[0], []), hard.get(row[0], {}), descriptions))
            except DamagedRowError as problem:
                raise self._damaged(f"run {str(row[0])[:40]!r}: {problem}") from None
        cells = {key: number for number, key in enumerate(descriptions)}
        return sorted(found, key=lambda result: cells.get(cell_key(result.settings), -1))

    def checked_results(self) -> Iterator[Result | str]:
        """Yield every finished run, or what is wrong with it. Slow: each is read alone, so that damage hides no other run."""
        for rowid in self._rowids():
            try:
                rows = self._connection.execute(
                    f"SELECT {self._run_columns} FROM runs WHERE rowid = ?", (rowid,)
                ).fetchall()
            except sqlite3.Error as error:
                yield f"run at row {rowid}: {error}"
                continue
            for row in rows:
                try:
                    yield read_result(row, *self._scores_of(row[0]), {})
                except (DamagedRowError, sqlite3.Error) as problem:
                    yield f"run {str(row[0])[:40]!r}: {problem}"

    @property
    def _run_columns(self) -> str:
        columns = "id, task, encoding, seed, learning_rate, settings, steps, seconds, losses, provenance"
        return f"{columns}, {'checksum' if 'checksum' in self._columns else 'NULL'}"

    def _rowids(self) -> Iterable[int]:
        """Return where runs may be; where the table cannot be walked through, all places up to a bound."""
        try:
            return [row[0] for row in self._connection.execute("SELECT rowid FROM runs NOT INDEXED")]
        except sqlite3.Error:
            return range(1, _MOST_SALVAGED + 1)

    def _scores_of(self, run: Any) -> tuple[list[tuple[Any, ...]], dict[str, list[tuple[Any, ...]]]]:
        scores = self._connection.execute(
            "SELECT length, examples, matches FROM scores WHERE run = ? ORDER BY length", (run,)
        ).fetchall()
        hard: dict[str, list[tuple[Any, ...]]] = {}
        if "hard_scores" in self._tables:
            for kind, *score in self._connection.execute(
                "SELECT kind, length, examples, matches FROM hard_scores WHERE run = ? ORDER BY rowid", (run,)
            ):
                hard.setdefault(kind, []).append(tuple(score))
        return scores, hard

    def descriptions(self) -> dict[str, Description]:
        """Return what cells are about, by key; raise if one is damaged."""
        found = {}
        with self._reading():
            rows = (
                self._connection.execute("SELECT key, description, checksum FROM cells ORDER BY rowid").fetchall()
                if "cells" in self._tables
                else []
            )
        for key, text, saved in rows:
            try:
                if checksum([key, text]) != saved:
                    raise ValueError("its checksum differs")
                found[key] = description_from_json(parse_json(text, f"the description of cell {key!r}"))
            except (TypeError, ValueError, OSError) as error:
                raise self._damaged(f"the description of cell {str(key)[:40]!r}: {error}") from None
        return found

    def _hard_scores(self) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
        """Return the scores on hard sets by run and kind, in the order in which kinds were saved; older stores have none."""
        found: dict[str, dict[str, list[tuple[Any, ...]]]] = {}
        if "hard_scores" not in self._tables:
            return found
        for run, kind, *score in self._connection.execute(
            "SELECT run, kind, length, examples, matches FROM hard_scores ORDER BY rowid"
        ):
            found.setdefault(run, {}).setdefault(kind, []).append(tuple(score))
        return found

    def results_of(self, runs: Iterable[Run]) -> list[Result]:
        """Return the finished ones of these runs, in the order in which all runs are read."""
        wanted = {run.id for run in runs}
        return [result for result in self.results() if result.id in wanted]

    def integrity(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        with self._reading():
            found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(100)")]
        return [] if found == ["ok"] else found

    def orphans(self) -> list[str]:
        """Return the ids of runs that have scores, but no row."""
        tables = [table for table, _ in TABLES_OF_A_RUN if table in self._tables and table != "runs"]
        query = " UNION ".join(f"SELECT run FROM {table}" for table in tables)
        with self._reading():
            return [str(row[0]) for row in self._connection.execute(f"{query} EXCEPT SELECT id FROM runs")]

    def _members(self, position: Any, text: Any) -> list[str]:
        try:
            members = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            members = None
        if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
            raise self._damaged(f"stack {position} of the plan does not list its runs")
        return members

    def _damaged(self, what: str) -> UnreadableFileError:
        return UnreadableFileError(
            f"the store {str(self._place)!r} is damaged: {what}.",
            hint=f"'lengthwise store verify {self._place}' names all damage, and --salvage saves the rest.",
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._damaged(str(error)) from None
        except MemoryError:  # a damaged record may claim any size
            raise self._damaged("a value in it claims more memory than there is") from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction: all of it is stored, or nothing."""
        try:
            with self._connection:
                yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise UnreadableFileError(
                f"cannot save to the store {str(self._place)!r}: {error}.",
                hint="free disk space or fix the permissions, then run the same command again; it trains only what is missing.",
            ) from None


def _texts(described: Mapping[str, Description]) -> Iterator[tuple[str, str]]:
    for key, description in described.items():
        yield key, json.dumps(description_to_json(description), ensure_ascii=False)


@contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """Open a store for writing, making it if need be; only one process at a time can."""
    place = Path(path)
    keep_input(place)
    if place.is_dir():
        raise UnreadableFileError(f"the store {str(place)!r} is a folder.", hint="name a file, with --store.")
    require_local_disk(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(place):
            if place.stat().st_size:
                with _connect(place, "ro") as looking:  # before the first write: it may be anybody's file
                    require_store(looking, place, may_be_empty=True)
            with _connect(place, "rw") as connection:
                prepare_schema(connection, place)
                yield Store(connection, place)
    except BlockingIOError:
        raise StoreInUseError(
            f"the store {str(place)!r} is in use by another process.",
            hint="wait for it, or choose another store with --store.",
        ) from None
    except OSError as error:
        if isinstance(error, UnreadableFileError):
            raise
        reason = "Not a directory" if isinstance(error, FileExistsError) else error.strerror
        raise UnreadableFileError(
            f"cannot write the store {str(place)!r}: {reason}.",
            hint="choose a place that can be written, with --store.",
        ) from None


@contextmanager
def read_store(path: str | Path, *, may_be_empty: bool = False) -> Iterator[Store]:
    """Open a store for reading; it must be there, and it may lie where nothing can be written.

    One that another process has just begun to make has no tables yet; it is read only if it ``may_be_empty``.
    """
    place = Path(path)
    keep_input(place)
    if not place.is_file():
        raise UnreadableFileError(f"there is no store {str(path)!r}.", hint="make one with 'lengthwise run'.")
    with _readable(place) as readable:
        with _connect(readable, "ro") as looking:
            require_store(looking, place, may_be_empty=may_be_empty)
        # able to write, because only such a connection removes the files that SQLite puts beside a store
        with _connect(readable, "rw") as connection:
            connection.execute("PRAGMA query_only = ON")
            yield Store(connection, place)


@contextmanager
def _readable(place: Path) -> Iterator[Path]:
    """Yield the file, or a copy of it where SQLite could not make the files beside it that reading needs."""
    if os.access(place.parent, os.W_OK) and os.access(place, os.W_OK):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="lengthwise-") as folder:
        copy = Path(folder) / "store.sqlite"
        for ending in ("", "-wal"):
            source = place.with_name(place.name + ending)
            if source.exists():
                shutil.copyfile(source, copy.with_name(copy.name + ending))
        yield copy


@contextmanager
def _connect(place: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection in a mode of SQLite; what is in the file cannot make it run anything."""
    try:
        opened = sqlite3.connect(f"{place.absolute().as_uri()}?mode={mode}", uri=True, timeout=30)
    except sqlite3.Error as error:
        raise UnreadableFileError(
            f"{str(place)!r} cannot be used as a store: {error}.", hint="choose another file with --store."
        ) from None
    with closing(opened) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
