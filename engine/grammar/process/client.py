"""The main process's side: it starts the program that tries grammars, and sends it grammars."""

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Final

from engine.errors import EngineBusy, InvalidGrammar
from engine.grammar.process.messages import (
    Kill,
    Learn,
    TrialLimits,
    Try,
    Verdict,
    decode_verdict,
    receive,
    send,
)
from engine.grammar.vocabulary import GrammarVocabulary
from engine.request import Grammar

MAX_STARTS = 3  # of the program, for one grammar
DEFAULT_LIMITS: Final = TrialLimits()
_END_S = 5.0  # from the end of the connection to that of the program, which does nothing between them

CAN_FORK: Final = hasattr(os, "fork")


class Attempt:
    """The trial of one grammar, which any thread may cancel."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[tuple[object, Verdict | None]] = SimpleQueue()
        self.is_cancelled = threading.Event()

    def cancel(self) -> None:
        """End the process that compiles, and the wait for it."""
        self.is_cancelled.set()
        self._answers.put((None, None))

    def answer(self, connection: "_Connection", verdict: Verdict | None) -> None:
        """End the wait. verdict: None if the connection's process is gone."""
        self._answers.put((connection, verdict))

    def wait(self, connection: "_Connection") -> Verdict | None:
        """Return the verdict from that connection; None if its process is gone, or the attempt
        was cancelled.
        """
        while True:
            source, verdict = self._answers.get()
            if source is connection or self.is_cancelled.is_set():
                return verdict


class _Connection:
    """The connection to one process of the program, from its start to its end."""

    def __init__(self) -> None:
        self._socket, others = socket.socketpair()
        with others:
            self.process = subprocess.Popen(
                _command(others.fileno()),
                pass_fds=[others.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt of the keyboard is not for it
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
            )
        self._lock = threading.Lock()  # of all below, and of what is sent
        self._attempts: dict[int, Attempt] = {}
        self._vocabularies: list[GrammarVocabulary] = []  # by number; compared by identity
        self._num_sent = 0
        self._is_gone = False
        threading.Thread(target=self._read, name="grammar-verdicts", daemon=True).start()

    def begin(
        self,
        grammar: Grammar,
        vocabulary: GrammarVocabulary,
        attempt: Attempt,
        num_threads: int,
        limits: TrialLimits,
    ) -> int | None:
        """Send the grammar, and return the attempt's number; None if the process is gone."""
        with self._lock:
            if self._is_gone:
                return None
            number = self._num_sent
            self._num_sent += 1
            self._attempts[number] = attempt
            try:
                send(self._socket, Try(number, self._learnt(vocabulary), grammar, num_threads, limits))
            except OSError:  # which the reading thread may not have seen yet
                self._is_gone = True
                del self._attempts[number]
                return None
            return number

    def _learnt(self, vocabulary: GrammarVocabulary) -> int:
        """Return the number of the vocabulary, which is sent first if it is new. Raises OSError."""
        for number, known in enumerate(self._vocabularies):
            if known is vocabulary:
                return number
        send(self._socket, Learn(len(self._vocabularies), vocabulary))
        self._vocabularies.append(vocabulary)
        return len(self._vocabularies) - 1

    def kill(self, number: int) -> None:
        with self._lock:
            self._attempts.pop(number, None)
            with contextlib.suppress(OSError):
                send(self._socket, Kill(number))

    def end(self) -> None:
        """Have the process end itself and its children; returns at once."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    @property
    def is_gone(self) -> bool:
        with self._lock:
            return self._is_gone

    def _read(self) -> None:
        """Read, in a thread of its own, and pass verdicts on, and the end of the process to all who wait."""
        while (verdict := receive(self._socket, decode_verdict)) is not None:
            with self._lock:
                attempt = self._attempts.pop(verdict.number, None)
            if attempt is not None:
                attempt.answer(self, verdict)
        with self._lock:
            self._is_gone = True
            left = list(self._attempts.values())
            self._attempts.clear()
        self._socket.close()
        for attempt in left:
            attempt.answer(self, None)
        try:
            self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class GrammarProcess:
    """The program that tries grammars, started on demand and again after it has died. Threads
    may share it.
    """

    def __init__(self, limits: TrialLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._connection: _Connection | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None while the program does not run."""
        connection = self._connection
        return None if connection is None or connection.is_gone else connection.process.pid

    def start(self) -> None:
        """Start the program. Returns at once; the process is ready a second later."""
        self._connected()

    def stop(self) -> None:
        """End the process and all compilations in it; a thread that waits for one starts it again."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.end()

    def try_grammar(
        self, grammar: Grammar, vocabulary: GrammarVocabulary, attempt: Attempt, *, num_threads: int
    ) -> Verdict:
        """Wait until the grammar has compiled there, and return the verdict.

        Raises InvalidGrammar, naming the cause, also where the grammar exceeds its processor time or its
        memory; EngineBusy where others leave it no processor time, or the process dies again and again."""
        for _ in range(MAX_STARTS):
            connection = self._connected()
            number = connection.begin(grammar, vocabulary, attempt, num_threads, self._limits)
            verdict = None if number is None else attempt.wait(connection)
            if attempt.is_cancelled.is_set():
                if number is not None:
                    connection.kill(number)
                raise InvalidGrammar("nobody waits for the grammar any longer")
            if verdict is not None:
                if verdict.complaint is not None:
                    raise (EngineBusy if verdict.is_busy else InvalidGrammar)(verdict.complaint)
                return verdict
        raise EngineBusy("the process that compiles grammars has died")

    def _connected(self) -> _Connection:
        with self._lock:
            if self._connection is None or self._connection.is_gone:
                self._connection = _Connection()
            return self._connection


def _command(descriptor: int) -> Sequence[str]:
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # -O and its like
    return [sys.executable, *flags, "-P", "-m", "engine.grammar.process", str(descriptor)]


SHARED: Final = GrammarProcess()  # by all engines of this process
atexit.register(SHARED.stop)
