"""Where results live: one SQLite file in WAL mode, with one writer at a time.

A run's row appears in the same transaction as its scores, so that a row means a finished run. The plan, with the
membership of stacks, is stored before training. A lock file keeps a second writer out; readers need no lock.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import StoreInUseError, UnreadableFileError
from .plan import Run, StackPlan

SCHEMA_VERSION = 1

_SCHEMA = """
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

_HARD_SCHEMA = """
CREATE TABLE IF NOT EXISTS hard_scores (
    run TEXT NOT NULL REFERENCES runs (id), kind TEXT NOT NULL, length INTEGER NOT NULL, examples INTEGER NOT NULL,
    matches INTEGER NOT NULL, PRIMARY KEY (run, kind, length)
);
"""  # not part of the first stores of this version; made when such a store is opened for writing

_PLACES_OF_A_RUN = (("hard_scores", "run"), ("scores", "run"), ("runs", "id"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A finished run as the store holds it; ``scores`` lists (length, examples, matches), ``hard`` the same by kind."""

    id: str
    task: str
    encoding: str
    seed: int
    learning_rate: float
    settings: Mapping[str, object]
    steps: int
    seconds: float
    losses: tuple[tuple[int, float], ...]
    provenance: Mapping[str, object]
    scores: tuple[tuple[int, int, int], ...]
    hard: Mapping[str, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)


class Store:
    """Open with :func:`open_store` to write, :func:`read_store` to read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def save_plan(self, stacks: Iterable[StackPlan]) -> None:
        """Record stacks and their membership; those that are there already stay as they are."""
        with self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO stacks (label, runs) VALUES (?, ?)",
                [(stack.label, json.dumps([run.id for run in stack.runs])) for stack in stacks],
            )

    def planned(self) -> list[list[str]]:
        """Return the ids of the runs of every stack that was ever planned, the latest plan first."""
        rows = self._connection.execute("SELECT runs FROM stacks ORDER BY position DESC")
        return [json.loads(row[0]) for row in rows]

    def finished(self) -> set[str]:
        """Return the ids of all finished runs."""
        return {row[0] for row in self._connection.execute("SELECT id FROM runs")}

    def save(self, results: Iterable[Result], *, again: bool = False) -> None:
        """Record finished runs, all in one transaction; trained ``again``, they take the place of what was there."""
        with self._connection:
            for result in results:
                for table, column in _PLACES_OF_A_RUN if again else ():
                    self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (result.id,))
                self._connection.execute(
                    "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        result.id,
                        result.task,
                        result.encoding,
                        result.seed,
                        result.learning_rate,
                        json.dumps(result.settings, ensure_ascii=False),
                        result.steps,
                        result.seconds,
                        json.dumps(result.losses),
                        json.dumps(result.provenance, ensure_ascii=False),
                    ),
                )
                self._connection.executemany(
                    "INSERT INTO scores VALUES (?, ?, ?, ?)", [(result.id, *score) for score in result.scores]
                )
                self._connection.executemany(
                    "INSERT INTO hard_scores VALUES (?, ?, ?, ?, ?)",
                    [(result.id, kind, *score) for kind, scores in result.hard.items() for score in scores],
                )

    def results(self) -> list[Result]:
        """Return all finished runs in the order in which they were planned."""
        scores: dict[str, list[tuple[int, int, int]]] = {}
        for run, *score in self._connection.execute(
            "SELECT run, length, examples, matches FROM scores ORDER BY run, length"
        ):
            scores.setdefault(run, []).append((score[0], score[1], score[2]))
        hard = self._hard_scores()
        planned = [
            run
            for row in self._connection.execute("SELECT runs FROM stacks ORDER BY position")
            for run in json.loads(row[0])
        ]
        place = {run: number for number, run in enumerate(planned)}
        rows = self._connection.execute("SELECT * FROM runs ORDER BY rowid").fetchall()
        rows.sort(key=lambda row: place.get(row[0], len(place)))
        return [
            Result(
                id=row[0],
                task=row[1],
                encoding=row[2],
                seed=row[3],
                learning_rate=row[4],
                settings=json.loads(row[5]),
                steps=row[6],
                seconds=row[7],
                losses=tuple((step, loss) for step, loss in json.loads(row[8])),
                provenance=json.loads(row[9]),
                scores=tuple(scores.get(row[0], ())),
                hard={kind: tuple(found) for kind, found in hard.get(row[0], {}).items()},
            )
            for row in rows
        ]

    def _hard_scores(self) -> dict[str, dict[str, list[tuple[int, int, int]]]]:
        """Return the scores on hard sets by run and kind, in the order in which kinds were saved; older stores have none."""
        found: dict[str, dict[str, list[tuple[int, int, int]]]] = {}
        if not self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'hard_scores'").fetchone():
            return found
        for run, kind, *score in self._connection.execute(
            "SELECT run, kind, length, examples, matches FROM hard_scores ORDER BY rowid"
        ):
            found.setdefault(run, {}).setdefault(kind, []).append((score[0], score[1], score[2]))
        return found

    def results_of(self, runs: Iterable[Run]) -> list[Result]:
        """Return the finished ones of these runs, in their order."""
        known = {result.id: result for result in self.results()}
        return [known[run.id] for run in runs if run.id in known]


@contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """Open a store for writing, making it if need be; only one process at a time can."""
    place = Path(path)
    if place.is_dir():
        raise UnreadableFileError(f"the store {str(place)!r} is a folder.", hint="name a file, with --store.")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = open(place.with_name(place.name + ".lock"), "a")  # noqa: SIM115  # held until the store is closed
    except OSError as error:
        reason = "Not a directory" if isinstance(error, FileExistsError) else error.strerror
        raise UnreadableFileError(
            f"cannot write the store {str(place)!r}: {reason}.",
            hint="choose a place that can be written, with --store.",
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreInUseError(
                f"the store {str(place)!r} is in use by another process.",
                hint="wait for it, or choose another with --store.",
            ) from None
        connection = _connect(place, create=True)
        try:
            yield Store(connection)
        finally:
            connection.close()


@contextmanager
def read_store(path: str | Path) -> Iterator[Store]:
    """Open a store for reading; it must be there."""
    if not Path(path).is_file():
        raise UnreadableFileError(f"there is no store {str(path)!r}.", hint="make one with 'lengthwise run'.")
    connection = _connect(Path(path), create=False)
    try:
        yield Store(connection)
    finally:
        connection.close()


def _connect(place: Path, *, create: bool) -> sqlite3.Connection:
    connection = None
    try:
        connection = sqlite3.connect(place, timeout=30)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        is_empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if create and not version and is_empty:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            version = SCHEMA_VERSION
        if create and version == SCHEMA_VERSION:
            connection.executescript(_HARD_SCHEMA)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise UnreadableFileError(
            f"{str(place)!r} cannot be used as a store: {error}.", hint="choose another file with --store."
        ) from None
    if version == SCHEMA_VERSION:
        return connection
    connection.close()
    if not version:
        raise UnreadableFileError(
            f"{str(place)!r} is a database, but not a store.", hint="choose another file with --store."
        )
    raise UnreadableFileError(
        f"the store {str(place)!r} has version {version}; this program reads version {SCHEMA_VERSION}.",
        hint="update lengthwise, or choose another store with --store.",
    )
