"""The table of files, each in pieces, so that no statement moves a large one whole."""

import sqlite3
from collections.abc import Callable
from secrets import token_hex
from typing import Final, NamedTuple

from handlers.store.record import NoRoom, explained, writing

PIECE_BYTES: Final = 1_000_000
_OVERHEAD: Final = 4096  # bytes that a file takes besides its content: it bounds the number of empty ones
_UNFINISHED_S: Final = 3600.0  # after which a file without its end is taken to be left by a crash

_COLUMNS: Final = "id, owner, purpose, name, created, expires, size"


class StoredFile(NamedTuple):
    """A file without its content. created, expires: Unix time; None: never."""

    id: str
    owner: str
    purpose: str
    name: str
    created: float
    expires: float | None
    size: int

    @property
    def num_bytes(self) -> int:
        """The size of its content."""
        return self.size - _OVERHEAD


class FileTable:
    """The files of each owner. Methods raise StoreError where SQLite fails."""

    def __init__(self, connection: sqlite3.Connection, max_bytes: int, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._max_bytes = max_bytes
        self._clock = clock

    def begin(
        self, owner: str, purpose: str, name: str, lasts_s: float | None, num_bytes: int | None = None
    ) -> StoredFile:
        """Return a new file without content, which nobody finds before `finish`.

        lasts_s: seconds for which it is kept; None: until it is deleted. num_bytes: those that are to come,
        for which NoRoom is raised if there is no room; None where what comes is in the store already.
        """
        if num_bytes is not None:
            self.check_room(num_bytes + _OVERHEAD)
        now = self._clock()
        expires = None if lasts_s is None else now + lasts_s
        file = StoredFile(f"file-{token_hex(16)}", owner, purpose, name, now, expires, _OVERHEAD)
        with explained():
            self._connection.execute(
                f"INSERT INTO file ({_COLUMNS}, is_whole) VALUES (?, ?, ?, ?, ?, ?, ?, 0)", file
            )
        return file

    def append(self, id: str, piece: bytes) -> None:
        """Add to the content of a file that is not finished. Raises NoRoom."""
        self.check_room(len(piece))
        with writing(self._connection):
            self.append_within(id, piece)

    def append_within(self, id: str, piece: bytes) -> None:
        """Add to the content of a file, as a part of the caller's transaction."""
        self._connection.execute(
            "INSERT INTO piece SELECT number, (SELECT count(*) FROM piece WHERE file = file.number), ? "
            "FROM file WHERE id = ?",
            (piece, id),
        )
        self._connection.execute("UPDATE file SET size = size + ? WHERE id = ?", (len(piece), id))

    def finish(self, id: str) -> StoredFile:
        """Let a file be found, and return it."""
        with explained():
            row = self._connection.execute(
                f"UPDATE file SET is_whole = 1 WHERE id = ? RETURNING {_COLUMNS}", (id,)
            ).fetchone()
        return StoredFile(*row)

    def give_up(self, id: str) -> None:
        """Delete a file that is not to be finished."""
        with explained():
            self._connection.execute("DELETE FROM file WHERE id = ? AND is_whole = 0", (id,))

    def get(self, id: str, owner: str) -> StoredFile | None:
        """Return the owner's file of an id; None if there is none."""
        with explained():
            row = self._connection.execute(
                f"SELECT {_COLUMNS} FROM file WHERE id = ? AND owner = ? AND {_IS_THERE}",
                (id, owner, self._clock()),
            ).fetchone()
        return None if row is None else StoredFile(*row)

    def piece(self, id: str, number: int) -> bytes | None:
        """Return a piece of a file's content; None after the last, or if the file is gone."""
        with explained():
            row = self._connection.execute(
                "SELECT content FROM piece WHERE number = ? "
                "AND file = (SELECT number FROM file WHERE id = ?)",
                (number, id),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def page(
        self, owner: str, purpose: str | None, after: str | None, limit: int, *, is_newest_first: bool
    ) -> list[StoredFile] | None:
        """Return at most `limit` of the owner's files.

        purpose: of all files to return. after: the id of a file before them; None is returned if there is no
        such file.
        """
        order, sign = ("DESC", "<") if is_newest_first else ("ASC", ">")
        with explained():
            start = None
            if after is not None:
                start = self._connection.execute(
                    f"SELECT number FROM file WHERE id = ? AND owner = ? AND {_IS_THERE}",
                    (after, owner, self._clock()),
                ).fetchone()
                if start is None:
                    return None
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM file WHERE owner = :owner AND {_IS_THERE.replace('?', ':now')} "
                "AND (:purpose IS NULL OR purpose = :purpose) "
                f"AND (:start IS NULL OR number {sign} :start) ORDER BY number {order} LIMIT :limit",
                {
                    "owner": owner,
                    "now": self._clock(),
                    "purpose": purpose,
                    "start": None if start is None else start[0],
                    "limit": limit,
                },
            ).fetchall()
        return [StoredFile(*row) for row in rows]

    def delete(self, id: str, owner: str) -> bool:
        """Delete the owner's file of an id, and return whether there was one."""
        with explained():
            deleted = self._connection.execute(
                f"DELETE FROM file WHERE id = ? AND owner = ? AND {_IS_THERE}", (id, owner, self._clock())
            )
        return deleted.rowcount > 0

    def check_room(self, num_bytes: int) -> None:
        """Raise NoRoom if there is no room for so many bytes more of files and batches."""
        with explained():
            (held,) = self._connection.execute("SELECT bytes FROM held").fetchone()
        if held + num_bytes > self._max_bytes:
            left = max(self._max_bytes - held, 0)
            raise NoRoom(f"there are {num_bytes} bytes to store, and room for {left} in files and batches")

    def tidy(self) -> None:
        """Delete the files that have expired, and those that a crash left without their end."""
        now = self._clock()
        with explained():
            self._connection.execute("DELETE FROM file WHERE is_whole AND expires < ?", (now,))
            self._connection.execute(
                "DELETE FROM file WHERE NOT is_whole AND created < ? AND NOT EXISTS (SELECT 1 FROM batch "
                "WHERE file.id IN "
                "(json_extract(fields, '$.output_file_id'), json_extract(fields, '$.error_file_id')))",
                (now - _UNFINISHED_S,),
            )


_IS_THERE: Final = "is_whole AND (expires IS NULL OR expires >= ?)"
