"""The audit log of requests: one JSON object per line, without prompts and answers."""

import errno
import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, Full, Queue
from typing import Final

import msgspec

logger = logging.getLogger(__name__)

STANDARD_OUTPUT: Final = "-"
LOSSES: Final = "verbatim.audit_losses"
"""The key in a lifespan's state (ASGI) of a list, which is not empty at the end where entries were lost."""
_MAX_WAITING: Final = 10_000  # entries: some seconds of a server that refuses every request
_MAX_BATCH: Final = 1000
_ATOMIC_BYTES: Final = 4096  # PIPE_BUF of Linux
_CLOSE_S: Final = 5.0
_WARNING_INTERVAL_S: Final = 10.0
_STANDARD_OUTPUT_DESCRIPTOR: Final = 1


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
    on requests; a line of the log and a warning count them. A renamed file is reopened, so that log rotation
    needs no signal. Several processes may write to the same file or pipe; their lines are not mixed.

    path: the file; `-` is standard output. max_waiting: maximum entries in the queue.
    Raises CannotWriteAuditLog.
    """

    def __init__(self, path: str, max_waiting: int = _MAX_WAITING) -> None:
        self._file = _File(path)
        self._waiting: Queue[AuditEntry | None] = Queue(max_waiting)
        self._num_dropped = 0  # counted by the caller of `write`
        self._num_unwritten = 0  # counted by the thread
        self._num_reported = 0  # of both, in lines of the log
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

    def close(self) -> bool:
        """Write the queued entries, for at most some seconds, and close the log.

        Returns whether the log has all entries, or says how many it lacks; otherwise logs an error.
        """
        self._is_closing.set()
        with suppress(Full):
            self._waiting.put_nowait(None)  # wakes the thread
        self._thread.join(_CLOSE_S)
        if self._thread.is_alive():
            logger.error("the last lines of the audit log could not be written in %g s", _CLOSE_S)
            return False
        self._file.close()
        if num_lost := self._num_dropped + self._num_unwritten - self._num_reported:
            logger.error("the audit log lacks %d entries, which could not be written", num_lost)
        return not num_lost

    def _write_all(self) -> None:
        encode = msgspec.json.Encoder().encode
        while not (self._is_closing.is_set() and self._waiting.empty()):
            self._append([encode(entry) for entry in self._take_batch()])
            num_lost = self._num_dropped + self._num_unwritten
            if num_new := num_lost - self._num_reported:
                try:
                    self._file.append(encode(_Gap(datetime.now(UTC), num_new)) + b"\n")
                    self._num_reported = num_lost
                except OSError as error:
                    self._warn(str(error))

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
        for piece in _pieces(lines):
            try:
                self._file.append(b"".join(piece))
            except OSError as error:
                self._num_unwritten += len(piece)
                self._warn(str(error))

    def _warn(self, reason: str) -> None:
        """Log a warning about lost entries, at intervals."""
        now_s = time.monotonic()
        if now_s - self._warned_s >= _WARNING_INTERVAL_S:
            self._warned_s = now_s
            num_lost = self._num_dropped + self._num_unwritten
            logger.warning("the audit log cannot be written: %s; %d entries lost so far", reason, num_lost)


def _pieces(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines, with their ends, in pieces that are short enough for an atomic write to a pipe."""
    piece: list[bytes] = []
    num_bytes = 0
    for line in lines:
        if piece and num_bytes + len(line) + 1 > _ATOMIC_BYTES:
            yield piece
            piece, num_bytes = [], 0
        piece.append(line + b"\n")
        num_bytes += len(line) + 1
    if piece:
        yield piece


class _File:
    """A file or pipe, or standard output, to which bytes are appended with nothing kept back in a buffer.

    path: as of AuditLog. Raises CannotWriteAuditLog.
    """

    def __init__(self, path: str) -> None:
        self._path = None if path == STANDARD_OUTPUT else path
        self._is_cut = False  # whether the last line lacks its end, since a disk was full
        try:
            self._descriptor = _STANDARD_OUTPUT_DESCRIPTOR if self._path is None else _open(self._path)
        except OSError as error:
            raise CannotWriteAuditLog(f"{path}: the audit log cannot be written: {error.strerror}") from error

    def append(self, data: bytes) -> None:
        """Append whole lines, in a single write where the system allows. Raises OSError."""
        if self._path is not None and not _is_open_as(self._descriptor, self._path):
            opened = _open(self._path)
            os.close(self._descriptor)
            self._descriptor, self._is_cut = opened, False
        rest = memoryview(b"\n" + data if self._is_cut else data)
        while rest:
            num_written = os.write(self._descriptor, rest)
            self._is_cut = num_written < len(rest)
            rest = rest[num_written:]

    def close(self) -> None:
        if self._path is not None:
            with suppress(OSError):  # as of a disk of another machine: what was lost there is its own loss
                os.close(self._descriptor)


def _open(path: str) -> int:
    """Open a file for appending, or a pipe that somebody reads. Raises OSError, and waits for nobody."""
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "it is a socket, or a pipe that nobody reads", path) from error
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def _is_open_as(descriptor: int, path: str) -> bool:
    """Return whether the file that is open has this path, and not a name that a rotation gave it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def check_writable(path: str) -> None:
    """Raise CannotWriteAuditLog if the audit log cannot be written."""
    _File(path).close()
