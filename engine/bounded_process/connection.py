"""The connection to one process of a program, and the tasks of its children."""

import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final

from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import (
    ChannelEnded,
    Ended,
    Kill,
    Learn,
    Run,
    decode_ended,
    encode_message,
    receive,
    send,
)

# From the end of a child's channel to the report of it, or from that of a connection to that of its program.
_END_S: Final = 5.0
_SEND_S: Final = 60
_SLACK_S: Final = 10.0  # after which a child that its program should have ended counts as lost
_MAX_REPORT: Final = 4096  # bytes


class Task:
    """A task of a child, from its start to the child's end."""

    def __init__(self, connection: "Connection", number: int, channel: socket.socket) -> None:
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


class Connection:
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
        self._tasks: dict[int, tuple[Task, Callable[[], object]]] = {}
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
    ) -> Task | None:
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
            task = Task(self, number, own)
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


def _command(module: str, descriptor: int) -> Sequence[str]:
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # -O and its like
    return [sys.executable, *flags, "-P", "-m", module, str(descriptor)]
