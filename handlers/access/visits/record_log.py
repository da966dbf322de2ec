"""A log of requests, one line each, in a file or on a stream: the audit log, and what the server logs."""

import errno
import logging
import os
import time
from contextlib import suppress
from typing import Final

from handlers.access.visits.batch_thread import BatchThread
from handlers.access.visits.request_line import Encode, Line, gap_line, json_line, line_of
from handlers.access.visits.visit import Visit

logger = logging.getLogger(__name__)

STANDARD_OUTPUT: Final = "-"
STANDARD_ERROR: Final = "/dev/stderr"
LOSSES: Final = "verbatim.audit_losses"
"""The key in a lifespan's state (ASGI) of a list, which is not empty at the end where entries were lost."""
MAX_WAITING: Final = 10_000  # lines: some seconds of a server that refuses every request
MAX_WAITING_TEXTS: Final = 100  # lines with the texts of requests: up to 200 kB each
_CLOSE_S: Final = 5.0
_WARNING_INTERVAL_S: Final = 10.0
_STREAMS: Final = {STANDARD_OUTPUT: 1, STANDARD_ERROR: 2}  # descriptors: a path cannot open a socket


class CannotWriteAuditLog(OSError):
    """The file cannot be opened."""


class RecordLog:
    """A writer of lines that runs in a thread, so that a slow disk does not delay requests.

    The queue is bounded. Lines that do not fit or cannot be written are dropped, without effect on
    requests; a line of the log and a warning count them. A renamed file is reopened, so that log rotation
    needs no signal. Several processes may write to the same file or pipe; their lines are not mixed.

    path: the file; `-` is standard output. encode: writes a line, without its end. max_waiting: maximum lines
    in the queue. On standard error, where warnings would be lost too, only the line counts what is lost.
    Raises CannotWriteAuditLog.
    """

    def __init__(self, path: str, encode: Encode = json_line, max_waiting: int = MAX_WAITING) -> None:
        self._file = _File(path)
        self._encode = encode
        self._warns = path != STANDARD_ERROR
        self._num_dropped = 0  # counted by the caller of `write`
        self._num_unwritten = 0  # counted by the thread
        self._num_reported = 0  # of both, in lines of the log
        self._warned_s = -_WARNING_INTERVAL_S
        self._thread = BatchThread("requests", self._write_all, max_waiting)
        self.start = self._thread.start

    def write(self, visit: Visit) -> None:
        """Queue the line of a request that has ended, without blocking. Only one thread may call this."""
        if not self._thread.put(visit):
            self._num_dropped += 1
            self._warn("the disk or pipe is too slow")

    def close(self) -> bool:
        """Write the queued lines, for at most some seconds, and close the log.

        Returns whether the log has all lines, or says how many it lacks; otherwise logs an error.
        """
        if not self._thread.close(_CLOSE_S):
            if self._warns:
                logger.error("the last lines of the audit log could not be written in %g s", _CLOSE_S)
            return False
        self._file.close()
        num_lost = self._num_dropped + self._num_unwritten - self._num_reported
        if num_lost and self._warns:
            logger.error("the audit log lacks %d entries, which could not be written", num_lost)
        return not num_lost

    def _write_all(self, visits: list[Visit]) -> None:
        for visit in visits:
            try:
                self._append(line_of(visit))
            except OSError as error:
                self._num_unwritten += 1
                self._warn(str(error))
        num_lost = self._num_dropped + self._num_unwritten
        if num_new := num_lost - self._num_reported:
            with suppress(OSError):  # the next batch tries again
                self._append(gap_line(num_new))
                self._num_reported = num_lost

    def _append(self, line: Line) -> None:
        self._file.append(self._encode(line) + b"\n")

    def _warn(self, reason: str) -> None:
        """Log a warning about lost entries, at intervals."""
        now_s = time.monotonic()
        if self._warns and now_s - self._warned_s >= _WARNING_INTERVAL_S:
            self._warned_s = now_s
            num_lost = self._num_dropped + self._num_unwritten
            logger.warning("the audit log cannot be written: %s; %d entries lost so far", reason, num_lost)


class _File:
    """A file or pipe, or a standard stream, to which bytes are appended with nothing kept back in a buffer.

    path: as of RecordLog. Raises CannotWriteAuditLog.
    """

    def __init__(self, path: str) -> None:
        self._path = None if path in _STREAMS else path
        self._is_cut = False  # whether the last line lacks its end, since a disk was full
        try:
            self._descriptor = _STREAMS[path] if self._path is None else _open(self._path)
        except OSError as error:
            raise CannotWriteAuditLog(f"{path}: the audit log cannot be written: {error.strerror}") from error

    def append(self, data: bytes) -> None:
        """Append a line, in a single write where the system allows. Raises OSError."""
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
