"""The program that forks a child for each task: `python -m MODULE FD`, FD a socket.

One loop starts children, ends those that last too long or for which nobody waits any longer, and reports the
ends of all. What a child reads and writes goes over a channel between it and the client, and never through
here. The program ends, and its children with it, when the other side of the socket closes.
"""

import gc
import os
import resource
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.bounded_process.child import MAX_DESCRIPTORS, OUT_OF_MEMORY, forbid_privileges, run_child
from engine.bounded_process.messages import (
    ChannelEnded,
    Command,
    End,
    Ended,
    Kill,
    Learn,
    Run,
    decode_command,
    encode_message,
    receive,
    send,
)

_Knowledge = TypeVar("_Knowledge")


@dataclass(slots=True)
class _Child:
    """A child that has not been waited for. ends_at: when it is ended, in monotonic seconds."""

    number: int
    ends_at: float
    is_overdue: bool = False


class ForkServer(Generic[_Knowledge]):
    """The server of one connection."""

    def __init__(
        self,
        connection: socket.socket,
        serve: Callable[[socket.socket, _Knowledge | None], None],
        learn: Callable[[bytes], _Knowledge],
    ) -> None:
        """Begin without children.

        serve: works on the task that comes over a channel, in a child. learn: returns the object that
        children get for the content of a `Learn`.
        """
        self._connection = connection
        self._serve = serve
        self._learn = learn
        self._known: dict[int, _Knowledge] = {}
        self._children: dict[int, _Child] = {}  # by process id
        self._wakes, self._woken = socket.socketpair()  # by the ends of children
        self._selector = selectors.DefaultSelector()
        for source in (connection, self._wakes):
            self._selector.register(source, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until the other side has closed."""
        self._woken.setblocking(False)
        signal.set_wakeup_fd(self._woken.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        _freeze()
        try:
            while self._serve_one_round():
                self._end_overdue()
                self._reap()
        finally:
            for pid in self._children:
                os.kill(pid, signal.SIGKILL)

    def _serve_one_round(self) -> bool:
        """Wait for a command, a child's end or a time limit. Returns False if the other side has closed."""
        ends = (child.ends_at for child in self._children.values() if not child.is_overdue)
        next_end = min(ends, default=None)
        timeout_s = None if next_end is None else max(next_end - time.monotonic(), 0.0)
        for key, _ in self._selector.select(timeout_s):
            if key.fileobj is self._wakes:
                self._wakes.recv(4096)
                continue
            try:
                self._obey(decode_command(receive(self._connection)))
            except ChannelEnded:
                return False
        return True

    def _obey(self, command: Command) -> None:
        match command:
            case Learn():
                self._known[command.number] = self._learn(command.content)
                _freeze()
            case Run():
                _, descriptors, _, _ = socket.recv_fds(self._connection, 1, 1)
                if not descriptors:
                    raise ChannelEnded
                with socket.socket(fileno=descriptors[0]) as channel:
                    self._fork(command, channel)
            case Kill():
                for pid, child in self._children.items():
                    if child.number == command.number:
                        os.kill(pid, signal.SIGKILL)

    def _fork(self, command: Run, channel: socket.socket) -> None:
        known = None if command.knowledge is None else self._known[command.knowledge]
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # the machine has no room for another process
            self._report(Ended(command.number, End.NOT_STARTED))
            return
        if pid == 0:
            run_child(lambda own: self._serve(own, known), channel, command, parent)
        self._children[pid] = _Child(command.number, time.monotonic() + command.limits.timeout_s)

    def _end_overdue(self) -> None:
        now = time.monotonic()
        for pid, child in self._children.items():
            if now >= child.ends_at and not child.is_overdue:
                child.is_overdue = True
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Report the children that have ended."""
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            child = self._children.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            self._report(Ended(child.number, _end(code, child.is_overdue), code))

    def _report(self, ended: Ended) -> None:
        with suppress(ChannelEnded):  # the other side has closed, which the next round sees
            send(self._connection, encode_message(ended))


def _end(code: int, is_overdue: bool) -> End:
    if code == 0:
        return End.DONE
    if is_overdue:
        return End.WALL_TIME
    return {-signal.SIGPROF: End.PROCESSOR_TIME, OUT_OF_MEMORY: End.MEMORY}.get(code, End.CRASH)


def _freeze() -> None:
    """Keep what there is out of collections, since a child that collects would copy all pages of it."""
    gc.collect()
    gc.freeze()


def serve_children(
    serve: Callable[[socket.socket, _Knowledge | None], None], learn: Callable[[bytes], _Knowledge]
) -> None:
    """Run a program for as long as the other side of its socket is open, and end the process.

    serve, learn: as of `ForkServer`.
    """
    for stop in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # for the process that serves, which may drain
        signal.signal(stop, signal.SIG_IGN)
    forbid_privileges()
    given = int(sys.argv[1])
    descriptor = os.dup(given)  # the lowest that is free
    os.close(given)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_DESCRIPTORS, MAX_DESCRIPTORS))
    ForkServer(socket.socket(fileno=descriptor), serve, learn).run()
    os._exit(0)  # at once: nothing is left to finish
