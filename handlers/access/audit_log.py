"""The audit log of requests: one JSON object per line, without prompts and answers."""

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Final, TextIO

import msgspec

logger = logging.getLogger(__name__)

STANDARD_OUTPUT: Final = "-"
_MAX_WAITING: Final = 10_000  # entries: some seconds of a server that refuses every request
_MAX_BATCH: Final = 1000
_ATOMIC_BYTES: Final = 4096  # PIPE_BUF of Linux
_CLOSE_S: Final = 5.0
_WARNING_INTERVAL_S: Final = 10.0


class CannotWriteAuditLog(OSError):
    """The file cannot be opened."""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of the audit log.

    time: when the request arrived, in UTC. key: name of its API key; None without a valid key.
    client: the client's address. contract, operation: None if no operation has the path.
    status: status of the answer; None if the client disconnected before.
    duration_s: seconds until the last byte of the answer was sent. error_status: status of the error that
    ended a stream after another status had been sent; only in such entries.
    """

    time: datetime
    key: str | None
    client: str | None
    contract: str | None
    operation: str | None
    status: int | None
    request_id: str
    prompt_tokens: int
    generated_tokens: int
    duration_s: float
    error_status: int | None = None


class _Gap(msgspec.Struct, frozen=True):
    """A line with the number of entries that were lost since the previous such line."""

    time: datetime
    lost: int


class AuditLog:
    """A writer of entries that runs in a thread, so that a slow disk does not delay requests.

    The queue of entries is bounded. Entries that do not fit or cannot be written are dropped, without effect
    on requests; a line of the log and a warning count them. A renamed file is reopened
    (logging.handlers.WatchedFileHandler), so that log rotation needs no signal. Several processes may write
    to the same file or pipe; their lines are not mixed.

    path: the file; `-` is standard output. max_waiting: maximum entries in the queue.
    Raises CannotWriteAuditLog.
    """

    def __init__(self, path: str, max_waiting: int = _MAX_WAITING) -> None:
        self._path = path
        self._file = None if path == STANDARD_OUTPUT else open_for_appending(path)
        self._waiting: Queue[AuditEntry | None] = Queue(max_waiting)
        self._num_dropped = 0  # counted by the caller of `write`
        self._num_unwritten = 0  # counted by the thread
        self._warned_s = -_WARNING_INTERVAL_S
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._write_all, name="audit", daemon=True)

    def start(self) -> None:
        """Start the thread. May be called once."""
        self._thread.start()

    def write(self, entry: AuditEntry) -> None:
        """Queue an entry without blocking. Only one thread may call this."""
        try:
            self._waiting.put_nowait(entry)
        except Full:
            self._num_dropped += 1
            self._warn("the disk or pipe is too slow")

    def close(self) -> None:
        """Write the queued entries, for at most some seconds, and close the log."""
        self._is_closing.set()
        with suppress(Full):
            self._waiting.put_nowait(None)  # wakes the thread
        self._thread.join(_CLOSE_S)
        if self._thread.is_alive():
            logger.warning("the last lines of the audit log could not be written")

    def _write_all(self) -> None:
        encode = msgspec.json.Encoder().encode
        num_reported = 0
        while not (self._is_closing.is_set() and self._waiting.empty()):
            lines = [encode(entry) for entry in self._take_batch()]
            num_lost = self._num_dropped + self._num_unwritten
            num_new = num_lost - num_reported
            gap = [encode(_Gap(datetime.now(UTC), num_new))] if num_new else []
            if not lines and not gap:
                continue
            try:
                self._append([*lines, *gap])
                num_reported = num_lost
            except (OSError, ValueError) as error:  # ValueError: the stream is closed
                self._num_unwritten += len(lines)
                self._warn(str(error))
        if self._file is not None:
            self._file.close()

    def _take_batch(self) -> Iterator[AuditEntry]:
        """Wait for an entry and yield all queued ones; none when the log is closed."""
        entry = self._waiting.get()
        for _ in range(_MAX_BATCH):
            if entry is not None:
                yield entry
            try:
                entry = self._waiting.get_nowait()
            except Empty:
                return
        if entry is not None:
            yield entry

    def _append(self, lines: Sequence[bytes]) -> None:
        stream = self._stream()
        for piece in _pieces(lines):
            stream.write(piece.decode())
            stream.flush()  # in a single write, since a piece fits into the stream's buffer

    def _stream(self) -> TextIO:
        if self._file is None:
            return sys.stdout
        self._file.reopenIfNeeded()
        stream = self._file.stream
        if stream is not None:
            return stream
        self._file = open_for_appending(self._path)  # reopening it after it was renamed had failed
        assert self._file.stream is not None
        return self._file.stream

    def _warn(self, reason: str) -> None:
        """Log a warning about lost entries, at intervals."""
        now_s = time.monotonic()
        if now_s - self._warned_s >= _WARNING_INTERVAL_S:
            self._warned_s = now_s
            num_lost = self._num_dropped + self._num_unwritten
            logger.warning("the audit log cannot be written: %s; %d entries lost so far", reason, num_lost)


def _pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines in pieces that are short enough for an atomic write to a pipe or to a file's end."""
    piece = b""
    for line in lines:
        if piece and len(piece) + len(line) + 1 > _ATOMIC_BYTES:
            yield piece
            piece = b""
        piece += line + b"\n"
    yield piece


def open_for_appending(path: str) -> WatchedFileHandler:
    """Return a handler that appends to the file. Raises CannotWriteAuditLog."""
    try:
        return WatchedFileHandler(Path(path), encoding="utf-8")
    except OSError as error:
        raise CannotWriteAuditLog(f"{path}: the audit log cannot be written: {error.strerror}") from error
