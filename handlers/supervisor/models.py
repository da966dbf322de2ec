"""The models of a supervisor, which run on demand and within bounds of memory and idle time."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from engine.port.info.stats import Health
from handlers.concurrency.limit import RETRY_AFTER_S
from handlers.settings.settings import Settings
from handlers.supervisor.model import CannotStart, Model, State
from verbatim_kit.runtime.problem import Problem

_TIDY_S: Final = 1.0
_FAILED_S: Final = 5.0  # for which a failed start is not tried again

_log = logging.getLogger(__name__)


class Unavailable(Problem):
    """A model cannot answer now; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(503, message, "unavailable", retry_after_s=RETRY_AFTER_S)


class Models:
    """The models. The first one answers requests that name none, or none of these.

    Invariant: a model is stopped for another, or because it is idle, only while it answers no request. Where
    only busy models could make room, the least recently used one takes no further requests, and stops when it
    is idle. A model that alone needs more than the bound of memory runs alone.
    """

    def __init__(self, settings: Settings) -> None:
        """Have no models yet. settings: of the supervisor. Requires a running event loop."""
        self.models: Sequence[Model] = ()
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._placing = asyncio.Lock()  # one model after the other gets its memory
        self._change = asyncio.Event()
        self._starts: dict[Model, asyncio.Task[None]] = {}
        self._stops: set[asyncio.Task[None]] = set()
        self._ran_before_sleep: set[Model] = set()
        self._failures: dict[Model, tuple[float, str]] = {}  # when, by the loop's clock, and why
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
        if model.num_waiting >= self._settings.max_concurrent_requests:
            raise Unavailable(f"Too many requests wait for the model {model.name!r} to start")
        model.num_waiting += 1
        model.used_at = self._loop.time()
        try:
            async with asyncio.timeout(self._settings.model_start_timeout):
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
        failed_at, reason = self._failures.get(model, (-_FAILED_S, ""))
        if self._loop.time() < failed_at + _FAILED_S:
            raise Unavailable(f"The model {model.name!r} cannot be started: {reason}")
        task = self._starts[model] = asyncio.create_task(self._run(model))
        task.add_done_callback(lambda ended: self._end_start(model, ended))
        return task

    def _end_start(self, model: Model, ended: "asyncio.Task[None]") -> None:
        del self._starts[model]
        if not ended.cancelled() and (error := ended.exception()) is not None:
            self._failures[model] = self._loop.time(), str(error)
            _log.error("the model %s cannot be started: %s", model.name, error)

    async def _run(self, model: Model) -> None:
        await model.weigh()
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
        bound = self._settings.model_memory
        return bound is not None and sum(each.memory_bytes for each in {*self._live(), *starting}) > bound

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
            if (is_crowded and model is oldest) or 0 < self._settings.model_idle_timeout < unused_s:
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
