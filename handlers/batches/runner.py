"""The runner of batches: one process of those that share a store asks their lines, the oldest first.

A line is begun only when no request waits, and an engine that has priorities computes it after all others.
What is answered is in the store, so that after a crash only the lines that were under way are asked again.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import Any, Final

from handlers.batches.kind import BatchKind, InvalidLines, NoAnswer, Reply
from handlers.batches.line_requests import LineRequests, answered
from handlers.store.batches import Answered, BatchTable, StoredBatch, Task
from handlers.store.record import NoRoom, StoreError
from handlers.store.store import Store

logger = logging.getLogger(__name__)

_LEASE_S: Final = 10.0  # after which another process goes on with the batches of one that was killed
_POLL_S: Final = 2.0  # between looks for batches of other processes
_TICK_S: Final = 0.5  # between looks for batches that are cancelled or expire
_START_S: Final = 0.002  # in which a line takes its place, so that `has_room` counts it
_STORE_RETRY_S: Final = 10.0  # a full disk seldom gets room at once
_TIDY_S: Final = 3600.0
_NUM_READ: Final = 16  # tasks read ahead
_NUM_FILLED: Final = 500  # lines without an answer that are written at once


class _Lines:
    """The lines of a batch that are under way. is_all: whether none is left to begin."""

    def __init__(self) -> None:
        self.under_way: set[asyncio.Task[None]] = set()
        self.ready: deque[Task] = deque()
        self.last = -1  # number of the last one that was read
        self.is_all = False

    async def stop(self) -> None:
        """Break off all that are under way."""
        for one in self.under_way:
            one.cancel()
        await asyncio.gather(*self.under_way, return_exceptions=True)
        self.ready.clear()


class BatchRunner:
    """Runs the batches in a store while `run` runs."""

    def __init__(
        self,
        store: Store,
        kinds: Mapping[str, BatchKind],
        requests: LineRequests,
        has_room: Callable[[], bool],
        is_fit: Callable[[], Awaitable[bool]],
        max_lines: int,
    ) -> None:
        """Prepare to run batches.

        kinds: by contract. has_room: returns whether a line may begin now. is_fit: as of `answered`.
        max_lines: that are under way at once.
        """
        self._store = store
        self._kinds = kinds
        self._requests = requests
        self._has_room = has_room
        self._is_fit = is_fit
        self._max_lines = max_lines
        self._holder = token_hex(8)
        self._lines: dict[str, _Lines] = {}
        self._tidied_s = -_TIDY_S
        self._leased_s = -_LEASE_S

    async def run(self) -> None:
        """Run batches until cancelled; then what is under way is broken off, and begins again elsewhere."""
        while True:
            try:
                if self._store.is_open:
                    await self._tidy()
                    await self._run_all()
            except StoreError as error:
                logger.error("batches wait: %s", error)
                await asyncio.sleep(_STORE_RETRY_S)
            await self._pause(_POLL_S)

    async def _run_all(self) -> None:
        """Run batches as long as there are any, and no other process does."""
        try:
            while batches := await self._store.batches(BatchTable.running):
                if not await self._has_lease():
                    return
                for batch in batches:
                    await self._advance_or_fail(batch)
                await self._pause(_TICK_S)
        finally:
            self._leased_s = -_LEASE_S
            lines, self._lines = self._lines, {}
            for one in lines.values():
                await one.stop()
            with suppress(StoreError):
                await self._store.batches(BatchTable.give_lease_back, self._holder)

    async def _has_lease(self) -> bool:
        """Return whether this process is the one that runs batches; it may become that."""
        if time.monotonic() - self._leased_s < _LEASE_S / 3:
            return True
        has_lease = await self._store.batches(BatchTable.take_lease, self._holder, _LEASE_S)
        if has_lease:
            self._leased_s = time.monotonic()
        return has_lease

    async def _advance_or_fail(self, batch: StoredBatch) -> None:
        """Take a batch one step further; a fault of the server's fails it, so that others go on."""
        try:
            await self._advance(batch)
        except StoreError:
            raise
        except Exception:
            logger.exception("%s failed", batch.id)
            error = {"code": "server_error", "message": "The server failed", "param": None, "line": None}
            await self._move_on(batch, "failed", {"errors": [error]})

    async def _advance(self, batch: StoredBatch) -> None:
        """Take a batch one step further."""
        kind = self._kinds[batch.contract]
        lines = self._lines.setdefault(batch.id, _Lines())
        has_expired = time.time() >= batch.expires
        if batch.state == "validating" and not has_expired:
            await self._read(batch, kind)
            return
        if batch.state == "in_progress" and not has_expired:
            await self._begin_lines(batch, kind, lines)
            if not lines.is_all or lines.under_way:
                return
        await lines.stop()
        if batch.state in ("validating", "in_progress"):
            ends = {"ends": "expired" if has_expired else "completed"}
            found = await self._move_on(batch, "finalizing", ends)
            if found is None:  # it has just been cancelled
                return
            batch = found
        await self._finish(batch, kind)
        del self._lines[batch.id]

    async def _read(self, batch: StoredBatch, kind: BatchKind) -> None:
        id = batch.id
        errors: list[dict[str, Any]] = []
        await self._store.batches(BatchTable.clear, id)
        try:
            async for tasks in kind.read(batch):
                await self._store.batches(BatchTable.add, id, tasks)
        except InvalidLines as invalid:
            errors = list(invalid.errors)
        except NoRoom as error:
            errors = [{"code": "storage_limit_exceeded", "message": str(error), "param": None, "line": None}]
        if errors:
            await self._store.batches(BatchTable.clear, id)
            await self._move_on(batch, "failed", {"errors": errors})
        else:
            await self._move_on(batch, "in_progress")
        self._store.has_work.set()

    async def _move_on(
        self, batch: StoredBatch, state: str, fields: dict[str, Any] | None = None
    ) -> StoredBatch | None:
        return await self._store.batches(BatchTable.advance, batch.id, [batch.state], state, fields)

    async def _begin_lines(self, batch: StoredBatch, kind: BatchKind, lines: _Lines) -> None:
        """Begin as many lines as there is room for."""
        while self._num_under_way() < self._max_lines and self._has_room():
            if not lines.ready:
                found = await self._store.batches(BatchTable.waiting, batch.id, lines.last, _NUM_READ)
                lines.ready.extend(found)
                if not found:
                    lines.is_all = True
                    return
            task = lines.ready.popleft()
            lines.last = task.number
            self._start(self._answer(batch, kind, task), lines)
            await asyncio.sleep(_START_S)

    def _num_under_way(self) -> int:
        return sum(len(lines.under_way) for lines in self._lines.values())

    def _start(self, line: Coroutine[Any, Any, None], lines: _Lines) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            lines.under_way.discard(task)
            self._store.has_work.set()

        task = asyncio.create_task(line)
        lines.under_way.add(task)
        task.add_done_callback(ended)

    async def _answer(self, batch: StoredBatch, kind: BatchKind, task: Task) -> None:
        """Ask the request of a line, and store its answer."""
        try:
            reply = await self._reply(batch, kind, task)
            line, is_error = kind.line(task, reply), reply.status >= 300
        except Exception:
            logger.exception("line %d of %s failed", task.number + 1, batch.id)
            line, is_error = kind.unanswered(task.name, "failed"), True
        await self._write(
            batch.id, Answered(task.number, line, is_error), kind.unanswered(task.name, "no_room")
        )

    async def _reply(self, batch: StoredBatch, kind: BatchKind, task: Task) -> Reply:
        operation = kind.operation(batch)
        ask = partial(self._requests.ask, batch.contract, operation, task.request, batch.owner)
        return await answered(ask, self._is_fit)

    async def _write(self, id: str, answered: Answered, without_room: bytes) -> None:
        """Store an answer, however long it takes until the store can be written."""
        needs_room = True
        while True:
            try:
                await self._store.batches(BatchTable.answer, id, [answered], needs_room=needs_room)
                return
            except NoRoom:
                needs_room, answered = False, Answered(answered.number, without_room, is_error=True)
            except StoreError as error:
                logger.error("an answer of %s waits: %s", id, error)
                await asyncio.sleep(_STORE_RETRY_S)

    async def _finish(self, batch: StoredBatch, kind: BatchKind) -> None:
        """Write the files of a batch that is `cancelling` or `finalizing`, wherever that stopped before."""
        id, end = batch.id, batch.fields.get("ends", "cancelled")
        reason: NoAnswer = "expired" if end == "expired" else "cancelled"
        while names := await self._store.batches(BatchTable.unanswered, id, _NUM_FILLED):
            filled = [
                Answered(number, kind.unanswered(name, reason), is_error=True) for number, name in names
            ]
            await self._store.batches(BatchTable.answer, id, filled, needs_room=False)
        for file in kind.files(batch):
            if await self._store.batches(BatchTable.has_answers, id, file.is_error):
                file_id = await self._store.batches(
                    BatchTable.open_file, id, file.field, file.name, file.purpose, file.lasts_s
                )
                while await self._store.batches(BatchTable.move, id, file_id, file.is_error):
                    pass
        await self._store.batches(BatchTable.end, id, [batch.state], end)

    async def _tidy(self) -> None:
        if time.monotonic() - self._tidied_s >= _TIDY_S:
            self._tidied_s = time.monotonic()
            await self._store.run(lambda database: database.tidy())

    async def _pause(self, seconds: float) -> None:
        """Wait until there may be something to do."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._store.has_work.wait()
        self._store.has_work.clear()
