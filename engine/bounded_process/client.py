"""The side of the process that serves: it starts a program, and sends it tasks."""

import atexit
import logging
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from engine.bounded_process.connection import Connection
from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import (
    ChannelEnded,
    End,
    Ended,
    encode_message,
)
from engine.host.limited_log import LimitedLog
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy
from engine.port.info.stats import ProcessStats

MAX_STARTS: Final = 3  # of the program, for one task
CAN_FORK: Final = hasattr(os, "fork")

_T = TypeVar("_T")
_failures = LimitedLog(logging.getLogger(__name__))


class ChildEnded(Exception):
    """A child ended without a result. end: why, never `End.DONE`. status: as of `Ended`."""

    def __init__(self, end: End, status: int) -> None:
        super().__init__(f"the process ended by {end.value}, with status {status}")
        self.end = end
        self.status = status


class Cancelled(Exception):
    """Nobody waits for the result any longer."""


class BoundedProcess:
    """A program whose children work on tasks, started on demand and again after it has died.

    Threads may share it. It ends with the process that serves.
    """

    def __init__(
        self,
        module: str,
        *,
        name: str,
        max_children: int,
        encode: Callable[[Any], bytes] = encode_message,
    ) -> None:
        """Start no process yet.

        module: the name of a module that calls `serve_children`. name: the name of its tasks, such as
        "grammars". max_children: the number of tasks that it works on at once. encode: makes a `Learn`'s
        content of what children need to know.
        """
        self.max_children = max_children
        self._module = module
        self._name = name
        self._encode = encode
        self._places = threading.Semaphore(max_children)
        self._lock = threading.Lock()  # of all below
        self._connection: Connection | None = None
        self._num_starts = 0
        self._ends: Counter[End] = Counter()
        atexit.register(self.stop)

    @property
    def pid(self) -> int | None:
        """The process id; None while the program does not run."""
        connection = self._connection
        return None if connection is None or connection.is_gone else connection.process.pid

    def start(self) -> None:
        """Start the program. Returns at once; the process is ready a second later."""
        self._connected()

    def stop(self) -> None:
        """End the process and all its children; a thread that waits for one starts it again."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()

    def stats(self) -> ProcessStats:
        """Return the current numbers."""
        with self._lock:
            num_children = 0 if self._connection is None else self._connection.num_children
            ends = {end.value: self._ends[end] for end in End}
            return ProcessStats(
                name=self._name, num_children=num_children, num_starts=self._num_starts, ends=ends
            )

    def run(
        self,
        exchange: Callable[[socket.socket], _T],
        limits: ProcessLimits,
        *,
        num_threads: int = 1,
        knowledge: Any = None,
        attempt: Attempt | None = None,
    ) -> _T:
        """Return what a child gives for a task.

        exchange: writes the task to the child's channel, and reads the result from it; raises ChannelEnded,
        or msgspec's errors for what the child should not have sent. knowledge: what the child needs to know,
        which is sent once for all tasks. attempt: the caller's handle to cancel it.

        Raises ChildEnded; Cancelled; and EngineBusy where no place becomes free, no process can be started,
        or the program dies again and again.
        """
        attempt = attempt or Attempt()
        for _ in range(MAX_STARTS):
            if not self._places.acquire(timeout=limits.timeout_s):
                self._connected().end_if_hung()
                raise EngineBusy(f"no place for {self._name} became free")
            if attempt.is_cancelled:
                self._places.release()
                raise Cancelled
            try:
                connection = self._connected()
                task = connection.begin(limits, num_threads, knowledge, self._encode, self._places.release)
            except OSError as error:  # no descriptor or no process more
                self._places.release()
                _failures.error("no process for %s could be started: %s", self._name, error.strerror)
                raise EngineBusy(f"no process for {self._name} could be started") from error
            if task is None:
                self._places.release()
                continue
            attempt.begin(task.end)
            try:
                result = exchange(task.channel)
            except (ChannelEnded, msgspec.MsgspecError):
                ended = task.wait()
            else:
                self._count(End.DONE)
                return result
            finally:
                task.close()
            if attempt.is_cancelled:
                raise Cancelled
            if ended is not None:
                raise self._failure(ended)
        raise EngineBusy(f"the process for {self._name} has died")

    def _failure(self, ended: Ended) -> ChildEnded | EngineBusy:
        """Return the error for a child that gave no result, which is counted."""
        # One that ends as if all were well, and has not said all, does not keep to what was agreed.
        end = End.CRASH if ended.end is End.DONE else ended.end
        self._count(end)
        if end is End.NOT_STARTED:
            return EngineBusy(f"no process for {self._name} could be started")
        if end is End.CRASH:
            _failures.error("a process for %s ended with status %d", self._name, ended.status)
        return ChildEnded(end, ended.status)

    def _count(self, end: End) -> None:
        with self._lock:
            self._ends[end] += 1

    def _connected(self) -> Connection:
        with self._lock:
            if self._connection is None or self._connection.is_gone:
                self._connection = Connection(self._module)
                self._num_starts += 1
            return self._connection
