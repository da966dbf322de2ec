"""The operations `/v1/batches`, and how the contract's batches are read and written."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, final

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.batches.kind import InvalidLines, NoAnswer, OutputFile, Reply
from handlers.concurrency.workers import Workers
from handlers.contracts.openai.batches.files import MONTH_S, nothing_stored, pieces_of
from handlers.contracts.openai.batches.lines import OPERATIONS, LineReader, answer_line, unanswered_line
from handlers.contracts.openai.page import page_of
from handlers.operations.missing import given
from handlers.store.batches import BatchTable, StoredBatch, Task
from handlers.store.files import FileTable
from handlers.store.store import Store
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.problem import Problem

_CONTRACT: Final = "openai"
_WINDOW_S: Final = 86_400.0
_TIMES: Final = (
    *("in_progress_at", "finalizing_at", "completed_at", "failed_at"),
    *("expired_at", "cancelling_at", "cancelled_at"),
)


class Batches:
    """The batches of each key. Methods raise StoreError where the store cannot be used."""

    def __init__(self, store: Store | None) -> None:
        """Keep batches, which a runner runs. store: None for a server that stores nothing."""
        self._store = store

    async def create(self, body: m.CreateBatchRequest) -> m.Batch:
        """Make a batch. Raises a Problem where nothing is stored, and Refused for a file that is none."""
        if self._store is None:
            raise nothing_stored()
        store, owner, file_id = self._store, current_key_name(), body.input_file_id
        file = await store.files(FileTable.get, file_id, owner)
        if file is None:
            raise Refused(f"No such File object: {file_id[:200]}", "input_file_id")
        if file.purpose != "batch":
            raise Refused(f"The file's purpose is {file.purpose}, not batch.", "input_file_id")
        expires_after = body.output_expires_after
        fields = {
            "endpoint": body.endpoint,
            "input_file_id": file_id,
            "lasts_s": MONTH_S if expires_after is None else expires_after.seconds,
            # The names in it are its client's, so that it is no object here: null is a value in it.
            "metadata": None if body.metadata is None else json.dumps(body.metadata),
        }
        made = await store.batches(BatchTable.create, "batch", owner, _CONTRACT, _WINDOW_S, fields)
        store.has_work.set()
        return _batch(made)

    async def list(self, arguments: m.ListBatchesArguments) -> m.ListBatchesResponse:
        """Return a page of batches. Raises Refused for a batch to go on after that is none."""
        after, owner = given(arguments.after), current_key_name()
        found: Sequence[StoredBatch] | None = None if after is not None else ()
        if self._store is not None:
            found = await self._store.batches(BatchTable.page, owner, _CONTRACT, after, arguments.limit + 1)
        if found is None:
            raise Refused(f"No batch found with id '{(after or '')[:200]}'.", "after")
        return page_of(m.ListBatchesResponse, list(map(_batch, found)), arguments.limit)

    async def retrieve(self, id: str) -> m.Batch:
        """Return a batch. Raises a Problem if there is none."""
        return _batch(await self._get(id))

    async def cancel(self, id: str) -> m.Batch:
        """Have a batch end. Raises a Problem if there is none, or if it has ended."""
        batch = await self._get(id)
        assert self._store is not None, "a batch has been found"
        if batch.state == "cancelling":
            return _batch(batch)
        cancelled = await self._store.batches(
            BatchTable.advance, id, ("validating", "in_progress"), "cancelling"
        )
        if cancelled is None:
            batch = await self._get(id)
            raise Problem(409, f"Cannot cancel a batch with status '{batch.state}'.", field="batch_id")
        self._store.has_work.set()
        return _batch(cancelled)

    async def _get(self, id: str) -> StoredBatch:
        owner, store = current_key_name(), self._store
        batch = None if store is None else await store.batches(BatchTable.get, id, owner, _CONTRACT)
        if batch is None:
            raise Problem(404, f"No batch found with id '{id[:200]}'.", field="batch_id")
        return batch


@final
class OpenAIBatchKind:
    """The form of the contract's batches: it reads and writes them."""

    def __init__(self, store: Store, workers: Workers, max_line_bytes: int) -> None:
        self._store = store
        self._workers = workers
        self._max_line_bytes = max_line_bytes

    async def read(self, batch: StoredBatch) -> AsyncIterator[Sequence[Task]]:
        """Yield the requests in the file of a batch. Raises InvalidLines at its end."""
        reader = LineReader(batch.fields["endpoint"], self._max_line_bytes)
        async for piece in pieces_of(self._store, batch.fields["input_file_id"]):
            yield [line.task for line in await self._workers.compute(reader.feed, piece)]
        yield [line.task for line in await self._workers.compute(reader.end)]
        if reader.errors:
            raise InvalidLines(reader.errors)

    def operation(self, batch: StoredBatch) -> str:
        """Return the operation's id."""
        return OPERATIONS[batch.fields["endpoint"]]

    def line(self, task: Task, reply: Reply) -> bytes:
        """Return the line with an answer."""
        return answer_line(task.name, reply)

    def unanswered(self, name: str, reason: NoAnswer) -> bytes:
        """Return the line of a request without an answer."""
        return unanswered_line(name, reason)

    def files(self, batch: StoredBatch) -> Sequence[OutputFile]:
        """Return the files with answers, and with errors."""
        lasts_s = batch.fields["lasts_s"]
        return tuple(
            OutputFile(f"{kind}_file_id", is_error, "batch_output", f"{batch.id}_{kind}.jsonl", lasts_s)
            for kind, is_error in (("output", False), ("error", True))
        )


def _batch(batch: StoredBatch) -> m.Batch:
    fields = batch.fields
    # Files are named when their lines are in them, and not while they are written.
    files = fields if batch.has_ended else {}
    metadata = fields.get("metadata")
    times: dict[str, Any] = {name: fields.get(name) for name in _TIMES}
    return m.Batch.model_validate(
        {
            "id": batch.id,
            "object": "batch",
            "endpoint": fields["endpoint"],
            "errors": _errors(fields.get("errors")),
            "input_file_id": fields["input_file_id"],
            "completion_window": "24h",
            "status": batch.state,
            "output_file_id": files.get("output_file_id"),
            "error_file_id": files.get("error_file_id"),
            "created_at": int(batch.created),
            "expires_at": int(batch.expires),
            "request_counts": {
                "total": batch.total,
                "completed": batch.completed,
                "failed": batch.failed,
            },
            "metadata": None if metadata is None else json.loads(metadata),
            **times,
        }
    )


def _errors(errors: list[dict[str, Any]] | None) -> dict[str, Any] | None:
    return None if errors is None else {"object": "list", "data": errors}
