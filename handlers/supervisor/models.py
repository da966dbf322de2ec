"""The models of a supervisor, which run on demand and within bounds of memory and idle time."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from engine.port.info.stats import Health
from handlers.supervisor.model import CannotStart, Model, State

_TIDY_S: Final = 1.0
_FAILED_S: Final = 5.0  # for which a failed start is not tried again

_log = logging.getLogger(__name__)


class Unavailable(Exception):
    """A model cannot answer now; the message says why."""


class Bounds(NamedTuple):
    """The bounds of running models.

    memory_bytes: of all together; None for no bound. idle_s: seconds without a request after which a model
    is stopped; 0 for never. start_s: seconds that a request waits for its model. num_waiting: requests that
    may wait for one model.
    """

    memory_bytes: int | None
    idle_s: float
    start_s: float
    num_waiting: int


class _Failure(NamedTuple):
    """A start that failed. at: when, by the event loop's clock."""

    reason: str
    at: float


class Models:
    """The models. The first one answers requests that name none, or none of these.

    Invariant: a model is stopped for another, or because it is idle, only while it answers no request. Where
    only busy models could make room, the least recently used one takes no further requests, and stops when it
    is idle. A model that alone needs more than the bound of memory runs alone.
    """

    def __init__(self, bounds: Bounds) -> None:
        """Have no models yet. Requires a running event loop."""
        self.models: Sequence[Model] = ()
        self._bounds = bounds
        self._loop = asyncio.get_running_loop()
        self._placing = asyncio.Lock()  # one model after the other gets its memory
        self._change = asyncio.Event()
        self._starts: dict[Model, asyncio.Task[None]] = {}
        self._stops: set[asyncio.Task[None]] = set()
        self._ran_before_sleep: set[Model] = set()
        self._failures: dict[Model, _Failure] = {}
        self._is_stopping = False

    @property
    def num_requests(self) -> int:
        """The number of requests that wait or are answered."""
        return sum(model.num_waiting + model.num_requests for model in self.models)

    def named(self, name: str | None) -> Model | None:
        """Return the model of a name; None if there is none."""
        return next((model for model in self.models if model.name == name), None)

    def changed(self) -> None:
        """Note that the state of a model has changed."""
        self._change.set()

    @asynccontextmanager
    async def running(self, model: Model) -> AsyncGenerator[None, None]:
        """Run a block while the model runs, after its start if it did not. Raises Unavailable."""
        await self.start(model)
        model.num_requests += 1
        try:
            yield
        finally:
            model.num_requests -= 1
            model.used_at = self._loop.time()
            self.changed()

    async def start(self, model: Model) -> None:
        """Return when the model runs. Raises Unavailable, also after the longest time to wait."""
        if model.num_waiting >= self._bounds.num_waiting:
            raise Unavailable(f"Too many requests wait for the model {model.name!r} to start")
        model.num_waiting += 1
        model.used_at = self._loop.time()
        try:
            async with asyncio.timeout(self._bounds.start_s):
                while model.state is not State.RUNNING:
                    await asyncio.shield(self._start(model))
        except TimeoutError:
            raise Unavailable(f"The model {model.name!r} is still starting") from None
        except CannotStart as error:
            raise Unavailable(f"The model {model.name!r} cannot be started: {error}") from None
        finally:
            model.num_waiting -= 1
            self.changed()

    def _start(self, model: Model) -> "asyncio.Task[None]":
        """Return the start of the model, which begins unless it is under way. Raises Unavailable."""
        if self._is_stopping:
            raise Unavailable("The server is shutting down")
        if model.is_asleep:
            raise Unavailable(f"The model {model.name!r} is asleep")
        if (running := self._starts.get(model)) is not None:
            return running
        failure = self._failures.get(model)
        if failure is not None and self._loop.time() < failure.at + _FAILED_S:
            raise Unavailable(f"The model {model.name!r} cannot be started: {failure.reason}")
        task = self._starts[model] = asyncio.create_task(self._run(model))
        task.add_done_callback(lambda ended: self._end_start(model, ended))
        return task

    def _end_start(self, model: Model, ended: "asyncio.Task[None]") -> None:
        del self._starts[model]
        if not ended.cancelled() and (error := ended.exception()) is not None:
            self._failures[model] = _Failure(str(error), self._loop.time())
            _log.error("the model %s cannot be started: %s", model.name, error)

    async def _run(self, model: Model) -> None:
        async with self._placing:
            while model.state is State.STOPPING:
                await self._next_change()
            await self._make_room(model)
            if self._is_stopping or model.is_asleep:
                return
            model.launch()
        await model.started()
        model.measure()

    async def _make_room(self, model: Model) -> None:
        """Stop others until the model fits into the memory."""
        while (others := [each for each in self._live() if each is not model]) and self._is_over(model):
            # One that requests wait for has just started, and answers those first.
            running = [each for each in others if each.state is State.RUNNING and not each.num_waiting]
            if running:
                await self._stop_when_idle(min(running, key=lambda each: (each.is_busy, each.used_at)))
            else:
                await self._next_change()

    async def _stop_when_idle(self, model: Model) -> None:
        model.leave()
        while model.num_requests:
            await self._next_change()
        await model.stop()

    def _is_over(self, *starting: Model) -> bool:
        """Return whether the live models, and those about to start, need more memory than there is."""
        if self._bounds.memory_bytes is None:
            return False
        return sum(each.memory_bytes for each in {*self._live(), *starting}) > self._bounds.memory_bytes

    def _live(self) -> list[Model]:
        return [model for model in self.models if model.state is not State.STOPPED]

    async def _next_change(self) -> None:
        self._change.clear()
        await self._change.wait()

    async def keep_tidy(self) -> None:
        """Measure the memory, and stop idle models, every second, until cancelled."""
        while True:
            await asyncio.sleep(_TIDY_S)
            self.tidy()

    def tidy(self) -> None:
        """Measure the memory, and begin to stop models that have been idle for too long; where the memory is
        above its bound, and no model waits for room, the least recently used idle one.
        """
        for model in self._live():
            model.measure()
        idle = [each for each in self.models if each.state is State.RUNNING and not each.is_busy]
        is_crowded = len(self._live()) > 1 and self._is_over() and not self._placing.locked()
        oldest = min(idle, key=lambda each: each.used_at, default=None)
        for model in idle:
            unused_s = self._loop.time() - model.used_at
            if (is_crowded and model is oldest) or 0 < self._bounds.idle_s < unused_s:
                self._stop_soon(model)

    def _stop_soon(self, model: Model) -> None:
        model.leave()
        task = asyncio.create_task(model.stop())
        self._stops.add(task)
        task.add_done_callback(self._stops.discard)

    async def sleep(self, models: Iterable[Model]) -> None:
        """Stop models, which no request starts again until `wake`."""
        for model in models:
            if model.state in (State.STARTING, State.RUNNING):
                self._ran_before_sleep.add(model)
            model.is_asleep = True
        await asyncio.gather(*(model.stop() for model in models))

    async def wake(self, models: Iterable[Model]) -> None:
        """End the sleep of models, and return when those that ran before run again. Raises Unavailable."""
        for model in models:
            model.is_asleep = False
        ran = self._ran_before_sleep & {*models}
        self._ran_before_sleep -= ran
        await asyncio.gather(*map(self.start, ran))

    async def health(self) -> Health:
        """Return the supervisor's own health: a model that is stopped starts when it is asked."""
        return Health(not self._is_stopping)

    async def death(self) -> None:
        """Wait for ever: a model that dies starts again with its next request."""
        await asyncio.Event().wait()

    async def drain(self, timeout_s: float) -> None:
        """Stop all models, whose running requests end within the grace period, and start none."""
        self._is_stopping = True
        await asyncio.gather(*(model.stop() for model in self.models))
