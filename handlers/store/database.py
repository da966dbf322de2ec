"""The database of a store, for one thread of each process."""

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from handlers.store.batches import BatchTable
from handlers.store.files import FileTable
from handlers.store.record import Record, StoreError, explained

_BUSY_S: Final = 5.0  # for which a process waits for another's write
_OVERHEAD: Final = 512  # bytes that a record takes besides its content, at least

# Each entry leads from one version of the schema to the next; the database counts them in `user_version`.
_VERSIONS: Final = (
    (
        """CREATE TABLE record (
            id TEXT PRIMARY KEY, owner TEXT NOT NULL, parent TEXT,
            used REAL NOT NULL, size INTEGER NOT NULL, content BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX record_by_use ON record (used)",
        """CREATE TABLE part (
            owner TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL REFERENCES record ON DELETE CASCADE,
            PRIMARY KEY (owner, id)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX part_by_record ON part (record)",
        "CREATE TABLE total (bytes INTEGER NOT NULL, records INTEGER NOT NULL) STRICT",
        "INSERT INTO total VALUES (0, 0)",
        """CREATE TRIGGER added AFTER INSERT ON record BEGIN
            UPDATE total SET bytes = bytes + new.size, records = records + 1;
        END""",
        """CREATE TRIGGER removed AFTER DELETE ON record BEGIN
            UPDATE total SET bytes = bytes - old.size, records = records - 1;
        END""",
    ),
    (  # files and batches
        """CREATE TABLE file (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            purpose TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, expires REAL,
            is_whole INTEGER NOT NULL, size INTEGER NOT NULL
        ) STRICT""",
        "CREATE INDEX file_by_owner ON file (owner, number)",
        """CREATE TABLE piece (
            file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, number INTEGER NOT NULL,
            content BLOB NOT NULL, UNIQUE (file, number)
        ) STRICT""",
        """CREATE TABLE batch (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            contract TEXT NOT NULL, state TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
            total INTEGER NOT NULL, completed INTEGER NOT NULL, failed INTEGER NOT NULL,
            fields TEXT NOT NULL, size INTEGER NOT NULL
        ) STRICT""",
        "CREATE INDEX batch_by_owner ON batch (owner, contract, number)",
        """CREATE TABLE task (
            batch INTEGER NOT NULL REFERENCES batch ON DELETE CASCADE, number INTEGER NOT NULL,
            name TEXT NOT NULL, request BLOB, answer BLOB, is_error INTEGER, UNIQUE (batch, number)
        ) STRICT""",
        "CREATE TABLE runner (holder TEXT NOT NULL, until REAL NOT NULL) STRICT",
        "INSERT INTO runner VALUES ('', 0)",
        "CREATE TABLE held (bytes INTEGER NOT NULL) STRICT",
        "INSERT INTO held VALUES (0)",
        *(
            statement
            for table in ("file", "batch")
            for statement in (
                f"""CREATE TRIGGER {table}_added AFTER INSERT ON {table} BEGIN
                    UPDATE held SET bytes = bytes + new.size;
                END""",
                f"""CREATE TRIGGER {table}_resized AFTER UPDATE OF size ON {table} BEGIN
                    UPDATE held SET bytes = bytes + new.size - old.size;
                END""",
                f"""CREATE TRIGGER {table}_removed AFTER DELETE ON {table} BEGIN
                    UPDATE held SET bytes = bytes - old.size;
                END""",
            )
        ),
    ),
)
# The record of an id and those that it goes on from; `depth` counts from it.
_LINE: Final = """
    WITH RECURSIVE line (id, parent, depth) AS (
        SELECT id, parent, 0 FROM record WHERE id = :id AND owner = :owner AND used >= :since
        UNION ALL
        SELECT record.id, record.parent, depth + 1
        FROM line JOIN record ON record.id = line.parent AND record.owner = :owner
    )
"""


class Bounds(NamedTuple):
    """The most that is stored: bytes of records, records, and seconds after the last use; and bytes of files
    and batches.
    """

    max_bytes: int
    max_records: int
    max_age_s: float
    max_file_bytes: int = 256_000_000


class Database:
    """Records in a file, which several processes may share, or in memory.

    All methods raise StoreError where SQLite fails, and leave what was stored before.
    """

    def __init__(self, path: Path | None, bounds: Bounds, clock: Callable[[], float] = time.time) -> None:
        """Open the database. path: None for memory. clock: Unix time in seconds."""
        self._bounds = bounds
        self._clock = clock
        with explained():
            self._connection = sqlite3.connect(
                path or ":memory:", _BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._upgrade()
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
        self.files = FileTable(self._connection, bounds.max_file_bytes, clock)
        self.batches = BatchTable(self._connection, self.files, clock)

    def tidy(self) -> None:
        """Delete the files that have expired, and batches that ended so long ago that records would go."""
        self.files.tidy()
        self.batches.tidy(self._since())

    def put(self, record: Record) -> None:
        """Store a record, in place of one with its id, and use those that it goes on from.

        Raises StoreError also for a record that is larger than all that may be stored.
        """
        size = len(record.content) + sum(map(len, record.parts)) + _OVERHEAD
        if size > self._bounds.max_bytes:
            raise StoreError(f"there are {size} bytes to store, and room for {self._bounds.max_bytes}")
        now = self._clock()
        with explained(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM record WHERE id = ?", (record.id,))
            self._connection.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)",
                (record.id, record.owner, record.parent, now, size, record.content),
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO part VALUES (?, ?, ?)",
                [(record.owner, part, record.id) for part in record.parts],
            )
            if record.parent is not None:
                self._connection.execute(
                    _LINE + "UPDATE record SET used = :now WHERE id IN (SELECT id FROM line)",
                    {"id": record.parent, "owner": record.owner, "since": 0.0, "now": now},
                )
            self._make_room(now)

    def get(self, id: str, owner: str) -> Record | None:
        """Return the owner's record of an id, without its parts; None if there is none."""
        with explained():
            row = self._connection.execute(
                "SELECT id, owner, content, parent FROM record WHERE id = ? AND owner = ? AND used >= ?",
                (id, owner, self._since()),
            ).fetchone()
        return None if row is None else Record(*row)

    def line(self, id: str, owner: str) -> list[Record]:
        """Return the owner's record of an id and all that it goes on from, the oldest first.

        Empty if one of them is not there any more.
        """
        with explained():
            rows = self._connection.execute(
                _LINE + "SELECT record.id, owner, content, record.parent FROM line JOIN record USING (id) "
                "ORDER BY depth DESC",
                {"id": id, "owner": owner, "since": self._since()},
            ).fetchall()
        records = [Record(*row) for row in rows]
        return records if records and records[0].parent is None else []

    def holding(self, parts: Sequence[str], owner: str) -> dict[str, Record]:
        """Return the owner's records that have these parts, by those that any has."""
        with explained():
            rows = self._connection.execute(
                "SELECT id, record FROM part WHERE owner = ? AND id IN (SELECT value FROM json_each(?))",
                (owner, json.dumps(parts)),
            ).fetchall()
        records = {id: self.get(id, owner) for id in {id for _, id in rows}}
        return {part: record for part, id in rows if (record := records[id]) is not None}

    def delete(self, id: str, owner: str) -> bool:
        """Delete the owner's record of an id, and return whether there was one."""
        with explained():
            deleted = self._connection.execute(
                "DELETE FROM record WHERE id = ? AND owner = ? AND used >= ?", (id, owner, self._since())
            )
        return deleted.rowcount > 0

    def close(self) -> None:
        self._connection.close()

    def _since(self) -> float:
        return self._clock() - self._bounds.max_age_s

    def _make_room(self, now: float) -> None:
        """Delete what is too old, and the least recently used until the rest is within the bounds."""
        self._connection.execute("DELETE FROM record WHERE used < ?", (now - self._bounds.max_age_s,))
        num_bytes, num_records = self._connection.execute("SELECT bytes, records FROM total").fetchone()
        if num_bytes <= self._bounds.max_bytes and num_records <= self._bounds.max_records:
            return
        leaving = []
        with closing(self._connection.execute("SELECT id, size FROM record ORDER BY used, rowid")) as oldest:
            for id, size in oldest:
                leaving.append((id,))
                num_bytes, num_records = num_bytes - size, num_records - 1
                if num_bytes <= self._bounds.max_bytes and num_records <= self._bounds.max_records:
                    break
        self._connection.executemany("DELETE FROM record WHERE id = ?", leaving)

    def _upgrade(self) -> None:
        """Bring the schema to the newest version.

        Raises StoreError if it is newer, or if the database is another program's.
        """
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > len(_VERSIONS):
                raise StoreError(f"its version is {version}, and this server knows those to {len(_VERSIONS)}")
            (num_tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if version == 0 and num_tables:
                raise StoreError("it is another program's database")
            for statements in _VERSIONS[version:]:
                for statement in statements:
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(_VERSIONS)}")
