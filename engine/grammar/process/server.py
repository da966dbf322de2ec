"""The program that tries grammars: `python -m engine.grammar.process FD`, FD a socket.

One loop forks a child for each `Try`, ends a child for which nobody waits any longer, and passes the
children's verdicts on. It ends, and its children with it, when the other side of the socket closes.
"""

import gc
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import NamedTuple

from engine.grammar.process import child
from engine.grammar.process.messages import (
    Command,
    Kill,
    Learn,
    Try,
    Verdict,
    decode_command,
    decode_verdict,
    receive,
    send,
    too_busy,
)
from engine.grammar.vocabulary import GrammarVocabulary

_OUT_OF_MEMORY = 3  # a child's exit status
# xgrammar's threads end the process where an allocation fails; the kernel, where the machine has no more.
_SIGNALS_OF_FAILED_ALLOCATION = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGKILL)


class _Child(NamedTuple):
    pid: int
    command: Try
    taken: bytearray  # of its verdict


class GrammarServer:
    """The server of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._vocabularies: dict[int, GrammarVocabulary] = {}
        self._children: dict[socket.socket, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until the other side has closed and no child is left."""
        try:
            while self._serve_one_round():
                pass
        finally:
            for running in self._children.values():
                os.kill(running.pid, signal.SIGKILL)

    def _serve_one_round(self) -> bool:
        """Wait for a message or a child's end, and handle it. Returns False if the other side has closed."""
        for key, _ in self._selector.select():
            source = key.fileobj
            assert isinstance(source, socket.socket)
            if source in self._children:
                self._read(source)
            elif (command := receive(source, decode_command)) is None:
                return False
            else:
                self._obey(command)
        return True

    def _obey(self, command: Command) -> None:
        match command:
            case Learn():
                self._vocabularies[command.vocabulary_number] = command.vocabulary
                command.vocabulary.info  # noqa: B018  # made once here, not in each child
                gc.collect()
                gc.freeze()  # a child that collects would copy all pages of it
            case Try():
                self._fork(command)
            case Kill():
                for running in self._children.values():
                    if running.command.number == command.number:
                        os.kill(running.pid, signal.SIGKILL)

    def _fork(self, command: Try) -> None:
        own, others = socket.socketpair()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _serve(command, self._vocabularies[command.vocabulary_number], others, parent)
        others.close()
        self._children[own] = _Child(pid, command, bytearray())
        self._selector.register(own, selectors.EVENT_READ)

    def _read(self, source: socket.socket) -> None:
        """Read a piece of a child's verdict; after the last, reap the child and send the verdict."""
        try:
            piece = source.recv(2**20)
        except OSError:
            piece = b""
        running = self._children[source]
        if piece:
            running.taken.extend(piece)
            return
        self._selector.unregister(source)
        source.close()
        del self._children[source]
        _, status = os.waitpid(running.pid, 0)
        with suppress(OSError):  # the other side has closed, which the next round sees
            send(self._connection, _verdict(running, status))


def _serve(command: Try, vocabulary: GrammarVocabulary, out: socket.socket, parent: int) -> None:
    """Run the child. Does not return."""
    status = 1
    try:
        gc.disable()
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 2)  # xgrammar says there how it ran out of memory
        child.serve(command, vocabulary, out, parent)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _verdict(running: _Child, status: int) -> Verdict:
    number, limits = running.command.number, running.command.limits
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return decode_verdict(bytes(running.taken))
    if code == -signal.SIGPROF:
        return Verdict(number, complaint=f"the grammar takes longer than {limits.processor_s:g} s to compile")
    if code == -signal.SIGALRM:
        return Verdict(number, complaint=too_busy(limits.timeout_s), is_busy=True)
    if code == _OUT_OF_MEMORY or -code in _SIGNALS_OF_FAILED_ALLOCATION:
        mib = limits.max_bytes // 2**20
        return Verdict(number, complaint=f"the grammar takes more than {mib} MiB to compile")
    return Verdict(number, complaint=f"the grammar cannot be compiled: the compiler ended with status {code}")


def main() -> None:
    """Run for as long as the other side of the socket is open."""
    for ignored in (signal.SIGINT, signal.SIGTERM):  # those are for the process that serves, which may drain
        signal.signal(ignored, signal.SIG_IGN)
    GrammarServer(socket.socket(fileno=int(sys.argv[1]))).run()
    os._exit(0)  # at once: nothing is left to finish
