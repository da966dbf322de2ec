"""A contract's kind of batch: how its lines are read, asked and written."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from handlers.store.batches import StoredBatch, Task

NoAnswer: TypeAlias = Literal["cancelled", "expired", "failed", "no_room"]
"""Why a line has no answer: `failed` by a fault of the server's, `no_room` in the store for its answer."""


class Reply(NamedTuple):
    """The answer to the request of a line, as over HTTP."""

    status: int
    request_id: str
    body: bytes


class OutputFile(NamedTuple):
    """A file that a batch writes. field: of the batch, for its id. is_error: of the lines in it; None for
    any. name: of the file, with the batch's id in it. lasts_s: seconds for which it is kept.
    """

    field: str
    is_error: bool | None
    purpose: str
    name: str
    lasts_s: float


class InvalidLines(Exception):
    """The lines of a batch are no requests. errors: those of each line, as the batch's field of that name."""

    def __init__(self, errors: Sequence[dict[str, Any]]) -> None:
        super().__init__()
        self.errors = errors


class BatchKind(Protocol):
    """The form of a contract's batches: it reads and writes them."""

    def read(self, batch: StoredBatch) -> AsyncIterator[Sequence[Task]]:
        """Yield the tasks of a batch that is `validating`. Raises InvalidLines at the end."""

    def operation(self, batch: StoredBatch) -> str:
        """Return the id of the operation that the lines of a batch ask."""

    def line(self, task: Task, reply: Reply) -> bytes:
        """Return the line of a file that has the answer of a task."""

    def unanswered(self, name: str, reason: NoAnswer) -> bytes:
        """Return the line of a task without an answer."""

    def files(self, batch: StoredBatch) -> Sequence[OutputFile]:
        """Return the files that a batch writes."""
