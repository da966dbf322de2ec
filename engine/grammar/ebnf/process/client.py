"""The main process's side: it sends grammars to the program that tries them."""

import signal
import socket
from functools import partial
from typing import Final

from engine.bounded_process.client import BoundedProcess, Cancelled, ChildEnded
from engine.bounded_process.messages import End, receive, send
from engine.grammar.ebnf.process.messages import (
    TrialLimits,
    Try,
    Verdict,
    decode_verdict,
    encode_message,
    too_busy,
)
from engine.grammar.vocabulary import GrammarVocabulary
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy, InvalidGrammar
from engine.port.info.stats import ProcessStats
from engine.port.request import Grammar

DEFAULT_LIMITS: Final = TrialLimits()
# Beyond what the queues of a few engines send at once.
_MAX_CHILDREN: Final = 16
# xgrammar's threads end the process where an allocation fails; the kernel, where the machine has no more.
_SIGNALS_OF_FAILED_ALLOCATION: Final = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGKILL)


class GrammarProcess:
    """The program that tries grammars, started on demand and again after it has died. Threads
    may share it.
    """

    def __init__(self, limits: TrialLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._process = BoundedProcess(
            "engine.grammar.ebnf.process", name="grammars", max_children=_MAX_CHILDREN
        )

    @property
    def pid(self) -> int | None:
        """The process id; None while the program does not run."""
        return self._process.pid

    def start(self) -> None:
        """Start the program. Returns at once; the process is ready a second later."""
        self._process.start()

    def stop(self) -> None:
        """End the process and all compilations in it; a thread that waits for one starts it again."""
        self._process.stop()

    def stats(self) -> ProcessStats:
        """Return the current numbers."""
        return self._process.stats()

    def try_grammar(
        self, grammar: Grammar, vocabulary: GrammarVocabulary, attempt: Attempt, *, num_threads: int
    ) -> Verdict:
        """Wait until the grammar has compiled there, and return the verdict.

        Raises InvalidGrammar, naming the cause, also where the grammar exceeds its processor time or its
        memory; EngineBusy where others leave it no processor time, or the process dies again and again."""
        asked = Try(grammar, num_threads, self._limits)
        try:
            verdict = self._process.run(
                partial(_exchange, asked),
                self._limits,
                num_threads=num_threads,
                knowledge=vocabulary,
                attempt=attempt,
            )
        except Cancelled:
            raise InvalidGrammar("nobody waits for the grammar any longer") from None
        except ChildEnded as error:
            raise _refusal(error, self._limits) from None
        if verdict.complaint is not None:
            raise InvalidGrammar(verdict.complaint)
        return verdict


def _exchange(asked: Try, channel: socket.socket) -> Verdict:
    send(channel, encode_message(asked))
    return decode_verdict(receive(channel))


def _refusal(ended: ChildEnded, limits: TrialLimits) -> InvalidGrammar | EngineBusy:
    """Return the error for a grammar whose process ended without a verdict."""
    if ended.end is End.PROCESSOR_TIME:
        return InvalidGrammar(f"the grammar takes longer than {limits.processor_s:g} s to compile")
    if ended.end is End.WALL_TIME:
        return EngineBusy(too_busy(limits.timeout_s))
    if ended.end is End.MEMORY or -ended.status in _SIGNALS_OF_FAILED_ALLOCATION:
        return InvalidGrammar(f"the grammar takes more than {limits.max_bytes // 2**20} MiB to compile")
    return InvalidGrammar(f"the grammar cannot be compiled: the compiler ended with status {ended.status}")


SHARED: Final = GrammarProcess()  # by all engines of this process
