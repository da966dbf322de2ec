"""One request of the contract from its arrival to its answer: let in, timed and counted."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from dataclasses import dataclass
from typing import NoReturn

from engine.events import TokenEvent
from engine.request import GenerationRequest
from handlers.engine import Engine
from handlers.limits import ConcurrencyLimit
from handlers.runtime.problem import Problem
from handlers.tgi.errors import IncompleteGeneration, Refused, describe
from handlers.tgi.metrics import Metrics
from handlers.tgi.timing import Timing


@dataclass(frozen=True)
class Exchange:
    """A request that is being answered."""

    timing: Timing
    _engine: Engine
    _limit: ConcurrencyLimit
    _metrics: Metrics

    def permits(self, field: str, num_sequences: int) -> AbstractContextManager[None]:
        """A permit for each sequence while the block runs; the field is the one that asks for them.

        Raises Overloaded if too few are free; Refused if there are not as many, since trying again is no use.
        """
        if num_sequences > self._limit.limit:
            raise Refused(
                f"`{field}` asks for {num_sequences} sequences; the server runs {self._limit.limit} at once"
            )
        return self._limit.hold(num_sequences)

    async def run(self, request: GenerationRequest) -> AsyncGenerator[TokenEvent, None]:
        """The engine's events; what it raises passes through.

        Raises IncompleteGeneration if the events end before a sequence does.
        """
        self.timing.validate()
        self._metrics.validated(len(request.prompt_token_ids), request.stopping.max_tokens)
        num_running = request.num_sequences
        async with aclosing(self._engine.submit(request)) as events:
            async for event in events:
                self.timing.count(event)
                num_running -= event.finish is not None
                yield event
        if num_running:
            raise IncompleteGeneration


class Exchanges:
    """What the answers of all operations have in common."""

    def __init__(self, engine: Engine, limit: ConcurrencyLimit, metrics: Metrics) -> None:
        self._engine = engine
        self._limit = limit
        self._metrics = metrics

    @contextmanager
    def open(self, received_s: float) -> Iterator[Exchange]:
        """The block answers a request; what fails in it is counted, and raised as a Problem.

        received_s: when the request arrived, by time.perf_counter().
        """
        self._metrics.received()
        timing = Timing(received_s)
        try:
            yield Exchange(timing, self._engine, self._limit, self._metrics)
        except (asyncio.CancelledError, GeneratorExit):
            self._metrics.failed("dropped")
            raise
        except Exception as error:
            self._fail(error)
        timing.finish()
        self._metrics.succeeded(timing)

    def _fail(self, error: Exception) -> NoReturn:
        """What nobody raised on purpose is a bug of ours, and stays what it is."""
        failed = describe(error)
        if failed is None:
            self._metrics.failed("generation")
            raise error
        self._metrics.failed(failed.kind.failure)
        raise Problem(failed.kind.status, failed.message, failed.kind.slug) from error
