"""The table of batches, and that of their tasks: requests that are answered one by one.

Every write is a transaction, and a task is answered once, since an answer is only written where there is
none. So nothing depends on there being one process that runs batches; the lease of it only saves work.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from secrets import token_hex
from typing import Any, Final, NamedTuple

from handlers.store.files import PIECE_BYTES, FileTable
from handlers.store.record import explained, writing

_OVERHEAD: Final = 4096  # bytes that a batch takes besides its tasks: it bounds the number of empty ones
_TASK_OVERHEAD: Final = 128
_MAX_RUNNING: Final = 100  # batches that are run at once
_MAX_MOVED: Final = 1000  # tasks that become lines of a file in one transaction

_COLUMNS: Final = "id, owner, contract, state, created, expires, total, completed, failed, fields"
_ENDED: Final = ("completed", "failed", "expired", "cancelled")
_IS_RUNNING: Final = f"state NOT IN {_ENDED}"


class StoredBatch(NamedTuple):
    """A batch. state: as OpenAI calls it. created, expires: Unix time. total, completed, failed: tasks.

    fields: what else its contract knows of it, as JSON. `<state>_at` has the time of each later state,
    `output_file_id` and `error_file_id` the files that have answers.
    """

    id: str
    owner: str
    contract: str
    state: str
    created: float
    expires: float
    total: int
    completed: int
    failed: int
    fields: dict[str, Any]

    @property
    def has_ended(self) -> bool:
        return self.state in _ENDED


class Task(NamedTuple):
    """A request of a batch. number: its place. name: what its client calls it. request: its body, in JSON."""

    number: int
    name: str
    request: bytes


class Answered(NamedTuple):
    """The answer to a task, as the line of a file, with its end. is_error: whether it counts as failed."""

    number: int
    line: bytes
    is_error: bool


class BatchTable:
    """The batches of each owner. Methods raise StoreError where SQLite fails."""

    def __init__(self, connection: sqlite3.Connection, files: FileTable, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._files = files
        self._clock = clock

    def create(
        self,
        prefix: str,
        owner: str,
        contract: str,
        lasts_s: float,
        fields: dict[str, Any],
        tasks: Sequence[Task] | None = None,
    ) -> StoredBatch:
        """Return a new batch.

        prefix: of its id. lasts_s: seconds after which it expires. tasks: its tasks; None for a batch whose
        tasks are yet to be read, which is `validating`. Raises NoRoom.
        """
        sizes = [_size(task) for task in tasks or ()]
        self._files.check_room(sum(sizes) + _OVERHEAD)
        now = self._clock()
        state = "validating" if tasks is None else "in_progress"
        batch = StoredBatch(
            f"{prefix}_{token_hex(16)}", owner, contract, state, now, now + lasts_s, len(sizes), 0, 0, fields
        )
        with writing(self._connection):
            self._connection.execute(
                f"INSERT INTO batch ({_COLUMNS}, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*batch[:-1], json.dumps(fields), _OVERHEAD),
            )
            self._add(batch.id, tasks or ())
        return batch

    def get(self, id: str, owner: str, contract: str) -> StoredBatch | None:
        """Return the owner's batch of an id; None if there is none."""
        with explained():
            row = self._connection.execute(
                f"SELECT {_COLUMNS} FROM batch WHERE id = ? AND owner = ? AND contract = ?",
                (id, owner, contract),
            ).fetchone()
        return None if row is None else _batch(row)

    def page(self, owner: str, contract: str, after: str | None, limit: int) -> list[StoredBatch] | None:
        """Return at most `limit` of the owner's batches, the newest first.

        after: the id of a batch before them in this order; None is returned if there is no such batch.
        """
        start = None
        with explained():
            if after is not None:
                start = self._connection.execute(
                    "SELECT number FROM batch WHERE id = ? AND owner = ? AND contract = ?",
                    (after, owner, contract),
                ).fetchone()
                if start is None:
                    return None
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM batch WHERE owner = :owner AND contract = :contract "
                "AND (:start IS NULL OR number < :start) ORDER BY number DESC LIMIT :limit",
                {
                    "owner": owner,
                    "contract": contract,
                    "start": None if start is None else start[0],
                    "limit": limit,
                },
            ).fetchall()
        return [_batch(row) for row in rows]

    def delete(self, id: str, owner: str, contract: str) -> bool:
        """Delete the owner's batch of an id with its files, if it has ended; return whether it did."""
        with writing(self._connection):
            found = self.get(id, owner, contract)
            if found is None or not found.has_ended:
                return False
            self._connection.execute("DELETE FROM batch WHERE id = ?", (id,))
            for name in ("output_file_id", "error_file_id"):
                self._connection.execute("DELETE FROM file WHERE id = ?", (found.fields.get(name),))
        return True

    def advance(
        self, id: str, before: Sequence[str], state: str, fields: dict[str, Any] | None = None
    ) -> StoredBatch | None:
        """Bring a batch from one of the states `before` to another, and return it; None if it is in none.

        fields: more of them. The time is kept as well.
        """
        added = {f"{state}_at": int(self._clock()), **(fields or {})}
        with explained():
            row = self._connection.execute(
                f"UPDATE batch SET state = ?, fields = json_patch(fields, ?) "
                f"WHERE id = ? AND state IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}",
                (state, json.dumps(added), id, json.dumps(before)),
            ).fetchone()
        return None if row is None else _batch(row)

    def take_lease(self, holder: str, lasts_s: float) -> bool:
        """Return whether a process may run batches for so many seconds, since no other may."""
        now = self._clock()
        with explained():
            taken = self._connection.execute(
                "UPDATE runner SET holder = :holder, until = :until WHERE holder = :holder OR until < :now",
                {"holder": holder, "until": now + lasts_s, "now": now},
            )
        return taken.rowcount > 0

    def give_lease_back(self, holder: str) -> None:
        """Let another process run batches now."""
        with explained():
            self._connection.execute("UPDATE runner SET until = 0 WHERE holder = ?", (holder,))

    def running(self) -> list[StoredBatch]:
        """Return the first batches of all owners that have not ended: those that are cancelled, then the
        oldest.
        """
        with explained():
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM batch WHERE {_IS_RUNNING} "
                f"ORDER BY state <> 'cancelling', number LIMIT {_MAX_RUNNING}"
            ).fetchall()
        return [_batch(row) for row in rows]

    def add(self, id: str, tasks: Sequence[Task]) -> None:
        """Add tasks to a batch that is `validating`. Raises NoRoom."""
        self._files.check_room(sum(map(_size, tasks)))
        with writing(self._connection):
            self._add(id, tasks)
            self._connection.execute("UPDATE batch SET total = total + ? WHERE id = ?", (len(tasks), id))

    def clear(self, id: str) -> None:
        """Delete the tasks of a batch that is `validating`."""
        with writing(self._connection):
            self._connection.execute(f"DELETE FROM task WHERE batch = {_NUMBER}", {"id": id})
            self._connection.execute("UPDATE batch SET total = 0, size = ? WHERE id = ?", (_OVERHEAD, id))

    def waiting(self, id: str, after: int, limit: int) -> list[Task]:
        """Return the first tasks without an answer whose number is above `after`."""
        with explained():
            rows = self._connection.execute(
                f"SELECT number, name, request FROM task WHERE batch = {_NUMBER} AND answer IS NULL "
                "AND number > :after ORDER BY number LIMIT :limit",
                {"id": id, "after": after, "limit": limit},
            ).fetchall()
        return [Task(*row) for row in rows]

    def unanswered(self, id: str, limit: int) -> list[tuple[int, str]]:
        """Return the numbers and names of the first tasks without an answer."""
        with explained():
            rows: list[tuple[int, str]] = self._connection.execute(
                f"SELECT number, name FROM task WHERE batch = {_NUMBER} AND answer IS NULL "
                "ORDER BY number LIMIT :limit",
                {"id": id, "limit": limit},
            ).fetchall()
        return rows

    def answer(self, id: str, answers: Iterable[Answered], *, needs_room: bool = True) -> None:
        """Write the answers to tasks that have none yet, in place of their requests.

        needs_room: whether to raise NoRoom where there is none; short answers are written anyway.
        """
        for number, line, is_error in answers:
            if needs_room:
                self._files.check_room(len(line))
            with writing(self._connection):
                row = self._connection.execute(
                    f"SELECT length(request) FROM task WHERE batch = {_NUMBER} AND number = :number "
                    "AND answer IS NULL",
                    {"id": id, "number": number},
                ).fetchone()
                if row is None:
                    continue
                self._connection.execute(
                    "UPDATE task SET request = NULL, answer = :line, is_error = :is_error "
                    f"WHERE batch = {_NUMBER} AND number = :number",
                    {"line": line, "is_error": is_error, "id": id, "number": number},
                )
                self._connection.execute(
                    "UPDATE batch SET size = size + ?, completed = completed + ?, failed = failed + ? "
                    "WHERE id = ?",
                    (len(line) - row[0], not is_error, is_error, id),
                )

    def open_file(self, id: str, field: str, name: str, purpose: str, lasts_s: float) -> str:
        """Return the id of the file that a batch writes, whose id is in the field; it is begun if need be."""
        with writing(self._connection):
            owner, file_id = self._connection.execute(
                "SELECT owner, json_extract(fields, ?) FROM batch WHERE id = ?", (f"$.{field}", id)
            ).fetchone()
            if file_id is None:
                # The room for it is there: its lines leave the batch.
                file_id = self._files.begin(owner, purpose, name, lasts_s).id
                self._connection.execute(
                    "UPDATE batch SET fields = json_patch(fields, ?) WHERE id = ?",
                    (json.dumps({field: file_id}), id),
                )
        return str(file_id)

    def has_answers(self, id: str, is_error: bool | None) -> bool:
        """Return whether a batch has answers that are in no file yet; is_error: None for any."""
        with explained():
            row = self._connection.execute(
                f"SELECT 1 FROM task WHERE batch = {_NUMBER} AND answer IS NOT NULL "
                "AND (:is_error IS NULL OR is_error = :is_error) LIMIT 1",
                {"id": id, "is_error": is_error},
            ).fetchone()
        return row is not None

    def move(self, id: str, file_id: str, is_error: bool | None) -> bool:
        """Move some answers of a batch to the end of a file, and return whether there were any.

        is_error: of those to move; None for any.
        """
        with writing(self._connection):
            rows = self._connection.execute(
                f"SELECT number, name, answer FROM task WHERE batch = {_NUMBER} AND answer IS NOT NULL "
                "AND (:is_error IS NULL OR is_error = :is_error) ORDER BY number LIMIT :limit",
                {"id": id, "is_error": is_error, "limit": _MAX_MOVED},
            )
            numbers, lines, size, held = [], [], 0, 0
            for number, name, line in rows:
                numbers.append(number)
                lines.append(line)
                size += len(line)
                held += _size(Task(number, name, line))
                if size >= PIECE_BYTES:
                    break
            if not numbers:
                return False
            self._files.append_within(file_id, b"".join(lines))
            self._connection.execute(
                f"DELETE FROM task WHERE batch = {_NUMBER} "
                "AND number IN (SELECT value FROM json_each(:numbers))",
                {"id": id, "numbers": json.dumps(numbers)},
            )
            self._connection.execute("UPDATE batch SET size = size - ? WHERE id = ?", (held, id))
        return True

    def end(self, id: str, before: Sequence[str], state: str) -> None:
        """Bring a batch to its last state, and let its files be found, at once."""
        with writing(self._connection):
            ended = self.advance(id, before, state)
            if ended is not None:
                for name in ("output_file_id", "error_file_id"):
                    self._connection.execute(
                        "UPDATE file SET is_whole = 1 WHERE id = ?", (ended.fields.get(name),)
                    )

    def tidy(self, since: float) -> None:
        """Delete the batches that ended, and were made before a time."""
        with explained():
            self._connection.execute(f"DELETE FROM batch WHERE NOT ({_IS_RUNNING}) AND created < ?", (since,))

    def _add(self, id: str, tasks: Sequence[Task]) -> None:
        self._connection.executemany(
            f"INSERT OR IGNORE INTO task VALUES ({_NUMBER}, :number, :name, :request, NULL, NULL)",
            [{"id": id, **task._asdict()} for task in tasks],
        )
        self._connection.execute(
            "UPDATE batch SET size = size + ? WHERE id = ?", (sum(map(_size, tasks)), id)
        )


_NUMBER: Final = "(SELECT number FROM batch WHERE id = :id)"


def _size(task: Task) -> int:
    return len(task.request) + len(task.name) + _TASK_OVERHEAD


def _batch(row: tuple[Any, ...]) -> StoredBatch:
    return StoredBatch._make((*row[:-1], json.loads(row[-1])))
