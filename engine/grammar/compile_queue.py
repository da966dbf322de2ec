"""The queue of grammars to compile for an event loop: several at a time, none blocking others for long."""

import asyncio
import threading
import time
from collections import deque
from contextlib import suppress

from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.ebnf.process.client import DEFAULT_LIMITS
from engine.grammar.ebnf.process.messages import too_busy
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy, EngineStopped
from engine.port.info.stats import seconds_histogram
from engine.port.request import Grammar

WAIT_TIMEOUT_S = 15.0
MAX_COMPILATIONS = 2  # of a queue at one time
MAX_WAITING = 64  # grammars that have no place yet, in each queue
# Sources up to this compile in less than a second, and have places of their own.
MAX_SMALL_SOURCE = 4096  # characters


class _Compilation:
    """The compilation of one grammar, shared by all requests that wait for it."""

    def __init__(self, grammar: Grammar, queue: "_Queue") -> None:
        self.grammar = grammar
        self.queue = queue
        self.num_readers = 0
        self.attempt = Attempt()
        self.begun = asyncio.Event()
        self.began_s = 0.0
        self.result: asyncio.Future[CompiledGrammar] = asyncio.get_running_loop().create_future()


class _Queue:
    """A number of places for compilations, and the queue of those that wait for one."""

    def __init__(self) -> None:
        self.num_running = 0
        self.waiting: deque[_Compilation] = deque()


class GrammarQueue:
    """The event loop's source of compiled grammars; all methods belong to that loop.

    A cached grammar is returned at once. Others compile in threads beside the loop: large grammars never take
    the places of small ones, and a grammar that many requests have compiles once. A compilation that exceeds
    its time, or that no request waits for any longer, is cancelled, so that its place is free.

    seconds: those of each compilation, whatever came of it.
    """

    def __init__(
        self,
        compiler: GrammarCompiler,
        *,
        timeout_s: float = DEFAULT_LIMITS.timeout_s,
        wait_timeout_s: float = WAIT_TIMEOUT_S,
    ) -> None:
        self._compiler = compiler
        self._timeout_s = timeout_s
        self._wait_timeout_s = wait_timeout_s
        self._small, self._large = _Queue(), _Queue()
        self._compilations: dict[Grammar, _Compilation] = {}
        self.seconds = seconds_histogram()

    async def compile(self, grammar: Grammar) -> CompiledGrammar:
        """Return the compiled grammar.

        Raises InvalidGrammar for a grammar that is malformed or takes too long to compile; EngineBusy if no
        place or processor is free for it in time, or too many wait already; EngineStopped."""
        if (known := self._compiler.cached(grammar)) is not None:
            return known
        compilation = self._compilations.get(grammar) or self._open(grammar)
        compilation.num_readers += 1
        try:
            return await self._read(compilation)
        finally:
            compilation.num_readers -= 1
            if not compilation.num_readers:
                self._cancel(compilation)

    def stop(self) -> None:
        """End all compilations, and all waiting with EngineStopped."""
        for compilation in list(self._compilations.values()):
            _end(compilation, EngineStopped("the engine stops"))
            compilation.begun.set()
            self._cancel(compilation)

    def _open(self, grammar: Grammar) -> _Compilation:
        queue = self._small if len(grammar.source) <= MAX_SMALL_SOURCE else self._large
        if len(queue.waiting) >= MAX_WAITING:
            raise EngineBusy(f"{MAX_WAITING} grammars wait to be compiled")
        compilation = self._compilations[grammar] = _Compilation(grammar, queue)
        queue.waiting.append(compilation)
        self._begin_next(queue)
        return compilation

    async def _read(self, compilation: _Compilation) -> CompiledGrammar:
        try:
            async with asyncio.timeout(self._wait_timeout_s):
                await compilation.begun.wait()
        except TimeoutError:
            raise EngineBusy("no place to compile a grammar became free") from None
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.shield(compilation.result)
        except TimeoutError:
            _end(compilation, EngineBusy(too_busy(self._timeout_s)))
            self._cancel(compilation)
            return await compilation.result

    def _cancel(self, compilation: _Compilation) -> None:
        """Take it from the queue, or end its process if it has begun; do nothing if it is over."""
        if self._compilations.get(compilation.grammar) is compilation:
            del self._compilations[compilation.grammar]
            compilation.attempt.cancel()
        with suppress(ValueError):  # it has begun
            compilation.queue.waiting.remove(compilation)

    def _begin_next(self, queue: _Queue) -> None:
        while queue.waiting and queue.num_running < MAX_COMPILATIONS:
            compilation = queue.waiting.popleft()
            queue.num_running += 1
            compilation.begun.set()
            compilation.began_s = time.perf_counter()
            # Daemons, so that a compilation without end does not keep the process.
            threading.Thread(
                target=self._work,
                args=(compilation, asyncio.get_running_loop()),
                name="compile-grammar",
                daemon=True,
            ).start()

    def _work(self, compilation: _Compilation, loop: asyncio.AbstractEventLoop) -> None:
        """Compile, in a thread of its own."""
        outcome: CompiledGrammar | Exception
        try:
            outcome = self._compiler.compile(compilation.grammar, compilation.attempt)
        except Exception as error:
            outcome = error
        with suppress(RuntimeError):  # the loop has closed: nobody waits any longer
            loop.call_soon_threadsafe(self._finish, compilation, outcome)

    def _finish(self, compilation: _Compilation, outcome: CompiledGrammar | Exception) -> None:
        self.seconds.observe(time.perf_counter() - compilation.began_s)
        _end(compilation, outcome)
        if self._compilations.get(compilation.grammar) is compilation:
            del self._compilations[compilation.grammar]
        compilation.queue.num_running -= 1
        self._begin_next(compilation.queue)


def _end(compilation: _Compilation, outcome: CompiledGrammar | Exception) -> None:
    """End with this outcome, unless there was one before."""
    if compilation.result.done():
        return
    if isinstance(outcome, Exception):
        compilation.result.set_exception(outcome)
        compilation.result.exception()  # there may be nobody left who reads it
    else:
        compilation.result.set_result(outcome)
