"""The side of the process that serves: it starts a program, and sends it tasks."""

import atexit
import logging
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

import msgspec

from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import (
    ChannelEnded,
    End,
    Ended,
    Kill,
    Learn,
    Run,
    decode_ended,
    encode_message,
    receive,
    send,
)
from engine.errors import EngineBusy
from engine.info.stats import ProcessStats
from engine.limited_log import LimitedLog

MAX_STARTS: Final = 3  # of the program, for one task
CAN_FORK: Final = hasattr(os, "fork")
# From the end of a child's channel to the report of it, or from that of a connection to that of its program.
_END_S: Final = 5.0
_SEND_S: Final = 60
_SLACK_S: Final = 10.0  # after which a child that its program should have ended counts as lost
_MAX_REPORT: Final = 4096  # bytes

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


class _Task:
    """A task of a child, from its start to the child's end."""

    def __init__(self, connection: "_Connection", number: int, channel: socket.socket) -> None:
        self.channel = channel
        self._connection = connection
        self._number = number
        self._ended: SimpleQueue[Ended | None] = SimpleQueue()
        self._closed_at: float | None = None

    def report(self, ended: Ended | None) -> None:
        """Take the end of the child. ended: None if the program is gone, and its children with it."""
        if ended is None:
            self._close_channel()
        self._ended.put(ended)

    def end(self) -> None:
        """Have the child end, if it has not, and whoever reads its channel go on at once."""
        self._close_channel()
        self._connection.kill(self._number)

    def close(self) -> None:
        """Have the child end, if it has not, and close its channel."""
        self.end()
        self.channel.close()
        self._closed_at = time.monotonic()

    @property
    def is_overdue(self) -> bool:
        """True if the child had to end some time ago, and its program has not reported that."""
        return self._closed_at is not None and time.monotonic() - self._closed_at > _END_S

    def wait(self) -> Ended | None:
        """Have the child end, if it has not, and return its end.

        Returns None if its program is gone; one that does not report the end has to go.
        """
        self.end()
        try:
            return self._ended.get(timeout=_END_S)
        except Empty:
            self._connection.end()
            return None

    def _close_channel(self) -> None:
        with suppress(OSError):
            self.channel.shutdown(socket.SHUT_RDWR)


class Attempt:
    """The work on one task, which any thread may cancel."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._task: _Task | None = None
        self.is_cancelled = False

    def cancel(self) -> None:
        """End the child, and the wait for it."""
        with self._lock:
            self.is_cancelled = True
            task = self._task
        if task is not None:
            task.end()

    def begin(self, task: _Task) -> None:
        """Note what `cancel` ends, which may have been called before."""
        with self._lock:
            self._task = task
        if self.is_cancelled:
            task.end()


class _Connection:
    """The connection to one process of a program, from its start to its end."""

    def __init__(self, module: str) -> None:
        self._socket, others = socket.socketpair()
        with others:
            self.process = subprocess.Popen(
                _command(module, others.fileno()),
                pass_fds=[others.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt of the keyboard is not for it
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
            )
        # A program that takes nothing, large knowledge at its start included, counts as gone.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_S, 0))
        self._lock = threading.Lock()  # of all below, and of what is sent
        self._tasks: dict[int, tuple[_Task, Callable[[], object]]] = {}
        self._known: list[Any] = []  # by number; compared by identity
        self._num_sent = 0
        self._is_gone = False
        threading.Thread(target=self._read, name="bounded-process-ends", daemon=True).start()

    def begin(
        self,
        limits: ProcessLimits,
        num_threads: int,
        knowledge: Any,
        encode: Callable[[Any], bytes],
        on_end: Callable[[], object],
    ) -> _Task | None:
        """Have a child forked. Returns None, and calls nothing, if the program is gone.

        on_end: called when the child has ended.
        """
        own, others = socket.socketpair()
        own.settimeout(limits.timeout_s + _SLACK_S)
        with others, self._lock:
            number = self._num_sent
            self._num_sent += 1
            try:
                if self._is_gone:
                    raise ChannelEnded
                known = None if knowledge is None else self._learnt(knowledge, encode)
                self._send(Run(number, limits, num_threads, known))
                socket.send_fds(self._socket, [b"\0"], [others.fileno()])
            except (ChannelEnded, OSError):  # which the reading thread may not have seen yet
                self._is_gone = True
                self.end()
                own.close()
                return None
            task = _Task(self, number, own)
            self._tasks[number] = (task, on_end)
            return task

    def _learnt(self, knowledge: Any, encode: Callable[[Any], bytes]) -> int:
        """Return the number of what is known there, which is sent first if it is new. Raises ChannelEnded."""
        for number, known in enumerate(self._known):
            if known is knowledge:
                return number
        self._send(Learn(len(self._known), encode(knowledge)))
        self._known.append(knowledge)
        return len(self._known) - 1

    def _send(self, command: Learn | Run | Kill) -> None:
        send(self._socket, encode_message(command))

    def kill(self, number: int) -> None:
        """Have the child of a task ended, if it runs."""
        with self._lock:
            if number in self._tasks:
                try:
                    self._send(Kill(number))
                except ChannelEnded:
                    self.end()

    def end_if_hung(self) -> None:
        """Have the process ended if it does not report the ends of its children."""
        with self._lock:
            is_hung = any(task.is_overdue for task, _ in self._tasks.values())
        if is_hung:
            self.end()

    def end(self) -> None:
        """Have the process end itself and its children; returns at once."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    @property
    def num_children(self) -> int:
        """The tasks whose children have not ended."""
        return len(self._tasks)

    @property
    def is_gone(self) -> bool:
        with self._lock:
            return self._is_gone

    def _read(self) -> None:
        """Read, in a thread of its own, and pass the ends of children on, and that of the process to all."""
        with suppress(ChannelEnded):
            while True:
                ended = decode_ended(receive(self._socket, _MAX_REPORT))
                with self._lock:
                    task, on_end = self._tasks.pop(ended.number)
                on_end()
                task.report(ended)
        with self._lock:
            self._is_gone = True
            left = list(self._tasks.values())
            self._tasks.clear()
        self._socket.close()
        for task, on_end in left:
            on_end()
            task.report(None)
        try:
            self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


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
        """module: calls `serve_children`. name: what it works on, such as "grammars". max_children: how many
        tasks it works on at once. encode: makes a `Learn`'s content of what children need to know.
        """
        self.max_children = max_children
        self._module = module
        self._name = name
        self._encode = encode
        self._places = threading.Semaphore(max_children)
        self._lock = threading.Lock()  # of all below
        self._connection: _Connection | None = None
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
            try:
                connection = self._connected()
                task = connection.begin(limits, num_threads, knowledge, self._encode, self._places.release)
            except OSError as error:  # no descriptor or no process more
                self._places.release()
                raise EngineBusy(f"no process for {self._name} could be started") from error
            if task is None:
                self._places.release()
                continue
            attempt.begin(task)
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

    def _connected(self) -> _Connection:
        with self._lock:
            if self._connection is None or self._connection.is_gone:
                self._connection = _Connection(self._module)
                self._num_starts += 1
            return self._connection


def _command(module: str, descriptor: int) -> Sequence[str]:
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # -O and its like
    return [sys.executable, *flags, "-P", "-m", module, str(descriptor)]
