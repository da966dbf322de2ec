"""The database of a store, for one thread of each process."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from handlers.store.batches import BatchTable
from handlers.store.files import FileTable
from handlers.store.record import Change, Entry, Extension, Record, StoreError, explained, writing
from handlers.store.schema import VERSIONS

_BUSY_S: Final = 5.0  # for which a process waits for another's write
_OVERHEAD: Final = 512  # bytes that a record takes besides its content, at least
_ENTRY_OVERHEAD: Final = 64  # as of an entry of a record

_RECORD: Final = "SELECT id, owner, content, parent FROM record "
_ENTRY: Final = (
    "SELECT record, number, entry.content, entry.id FROM entry JOIN record ON record.id = entry.record "
    "WHERE owner = :owner AND used >= :since "
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

    def put(
        self, record: Record, entries: Sequence[tuple[str, bytes]] = (), *, is_unfinished: bool = False
    ) -> None:
        """Store a record, in place of one with its id, and use those that it goes on from.

        entries: the ids and contents of its entries. is_unfinished: whether this process works on it from now
        on, which it has to say again and again (`note`) until it is finished (`change`).

        Raises StoreError also for a record that is larger than all that may be stored.
        """
        size = len(record.content) + sum(map(len, record.parts)) + _OVERHEAD
        if size > self._bounds.max_bytes:
            raise StoreError(f"there are {size} bytes to store, and room for {self._bounds.max_bytes}")
        now = self._clock()
        with writing(self._connection):
            self._connection.execute("DELETE FROM record WHERE id = ?", (record.id,))
            self._connection.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)",
                (record.id, record.owner, record.parent, now, size, record.content),
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO part VALUES (?, ?, ?)",
                [(record.owner, part, record.id) for part in record.parts],
            )
            if is_unfinished:
                self._connection.execute("INSERT INTO work VALUES (?, ?)", (record.id, now))
            self._extend(record.id, entries)
            self._add(record.owner, now, record.extends)
            if record.parent is not None:
                self._connection.execute(
                    _LINE + "UPDATE record SET used = :now WHERE id IN (SELECT id FROM line)",
                    {"id": record.parent, "owner": record.owner, "since": 0.0, "now": now},
                )
            self._make_room(now)

    def note(self, id: str, owner: str, entries: Sequence[bytes] = ()) -> bool:
        """Say that this process still works on a record, and add entries to it.

        Return False, and do nothing, if it is finished or not there any more: then the work should end.
        """
        with self._unfinished(id, owner) as is_unfinished:
            if is_unfinished:
                self._extend(id, [("", content) for content in entries])
        return is_unfinished

    def change(
        self, id: str, owner: str, make: Callable[[Record, int], Change], *, finishes: bool
    ) -> Record | None:
        """Change a record that is being worked on, by any process, and return it as it is then.

        make: gets the record and the number of its next entry. finishes: whether nobody works on it any more.
        Return None, and do nothing, if it is finished or not there any more.
        """
        with self._unfinished(id, owner) as is_unfinished:
            if not is_unfinished:
                return None
            found = Record(*self._connection.execute(_RECORD + "WHERE id = ?", (id,)).fetchone())
            (number,) = self._connection.execute(
                "SELECT coalesce(max(number) + 1, 0) FROM entry WHERE record = ?", (id,)
            ).fetchone()
            content, parts, entries, extends = make(found, number)
            self._connection.execute(
                "UPDATE record SET size = size + ?, content = ? WHERE id = ?",
                (len(content) - len(found.content) + sum(map(len, parts)), content, id),
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO part VALUES (?, ?, ?)", [(owner, part, id) for part in parts]
            )
            self._extend(id, [("", entry) for entry in entries])
            self._add(owner, self._clock(), extends)
            if finishes:
                self._connection.execute("DELETE FROM work WHERE record = ?", (id,))
        return found._replace(content=content)

    def idle_s(self, id: str) -> float | None:
        """Return the seconds since a process said that it works on a record; None if that is finished."""
        with explained():
            row = self._connection.execute("SELECT seen FROM work WHERE record = ?", (id,)).fetchone()
        return None if row is None else self._clock() - float(row[0])

    def extend(self, owner: str, extension: Extension) -> bool:
        """Add entries to the owner's record, which is a use of it, and return whether there is one."""
        with writing(self._connection):
            now = self._clock()
            is_there = self._add(owner, now, extension)
            self._make_room(now)
        return is_there

    def rewrite(self, id: str, owner: str, content: bytes) -> bool:
        """Give the owner's record a new content, and return whether there is one."""
        with explained():
            written = self._connection.execute(
                "UPDATE record SET size = size + :size - length(content), content = :content, used = :now "
                "WHERE id = :id AND owner = :owner AND used >= :since",
                {
                    "id": id,
                    "owner": owner,
                    "size": len(content),
                    "content": content,
                    "now": self._clock(),
                    "since": self._since(),
                },
            )
        return written.rowcount > 0

    def entries(
        self, id: str, owner: str, after: int | None = None, limit: int = -1, *, descends: bool = False
    ) -> list[Entry]:
        """Return entries of the owner's record in the order of their numbers.

        after: the number of the one to go on after, in that order; None for the first. limit: -1 for all.
        """
        beyond, order = ("<", "DESC") if descends else (">", "ASC")
        with explained():
            rows = self._connection.execute(
                _ENTRY + f"AND record = :id AND (:after IS NULL OR number {beyond} :after) "
                f"ORDER BY number {order} LIMIT :limit",
                {"id": id, "owner": owner, "since": self._since(), "after": after, "limit": limit},
            ).fetchall()
        return [Entry(*row) for row in rows]

    def entries_with(self, ids: Sequence[str], owner: str) -> list[Entry]:
        """Return the entries of the owner's records that have these ids."""
        with explained():
            rows = self._connection.execute(
                _ENTRY + "AND entry.id != '' AND entry.id IN (SELECT value FROM json_each(:ids))",
                {"ids": json.dumps(ids), "owner": owner, "since": self._since()},
            ).fetchall()
        return [Entry(*row) for row in rows]

    def remove(self, entry: Entry) -> None:
        """Delete an entry of a record."""
        with writing(self._connection):
            removed = self._connection.execute(
                "DELETE FROM entry WHERE record = ? AND number = ? AND id = ?",
                (entry.record, entry.number, entry.id),
            )
            if removed.rowcount:
                self._connection.execute(
                    "UPDATE record SET size = size - ? WHERE id = ?",
                    (_entry_size(entry.id, entry.content), entry.record),
                )

    def get(self, id: str, owner: str) -> Record | None:
        """Return the owner's record of an id, without its parts; None if there is none."""
        with explained():
            row = self._connection.execute(
                _RECORD + "WHERE id = ? AND owner = ? AND used >= ?", (id, owner, self._since())
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

    @contextmanager
    def _unfinished(self, id: str, owner: str) -> Iterator[bool]:
        """Begin to write, and use the record if it is being worked on, which the block gets to know."""
        now = self._clock()
        with writing(self._connection):
            used = self._connection.execute(
                "UPDATE record SET used = ? WHERE id = ? AND owner = ? AND used >= ? "
                "AND id IN (SELECT record FROM work)",
                (now, id, owner, self._since()),
            )
            if not used.rowcount:
                yield False
                return
            self._connection.execute("UPDATE work SET seen = ? WHERE record = ?", (now, id))
            yield True
            self._make_room(now)

    def _add(self, owner: str, now: float, extension: Extension | None) -> bool:
        """Add entries to the owner's record and use it; return whether there is one."""
        if extension is None:
            return False
        used = self._connection.execute(
            "UPDATE record SET used = ? WHERE id = ? AND owner = ? AND used >= ?",
            (now, extension.id, owner, self._since()),
        )
        if used.rowcount:
            self._extend(extension.id, extension.entries)
        return used.rowcount > 0

    def _extend(self, id: str, entries: Sequence[tuple[str, bytes]]) -> None:
        """Add entries to a record, by their ids and contents."""
        if not entries:
            return
        self._connection.execute(
            "UPDATE record SET size = size + ? WHERE id = ?",
            (sum(_entry_size(*entry) for entry in entries), id),
        )
        self._connection.executemany(
            "INSERT INTO entry SELECT ?, coalesce(max(number) + 1, 0), ?, ? FROM entry WHERE record = ?",
            [(id, entry, content, id) for entry, content in entries],
        )

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
            if version > len(VERSIONS):
                raise StoreError(f"its version is {version}, and this server knows those to {len(VERSIONS)}")
            (num_tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if version == 0 and num_tables:
                raise StoreError("it is another program's database")
            for statements in VERSIONS[version:]:
                for statement in statements:
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(VERSIONS)}")


def _entry_size(id: str, content: bytes) -> int:
    return _ENTRY_OVERHEAD + len(id) + len(content)
