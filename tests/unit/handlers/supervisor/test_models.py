"""Models run when they are asked, and stop for others: by memory, by idle time, never while they answer."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import aiohttp
import pytest
from typing_extensions import override

from handlers.settings.settings import Settings
from handlers.supervisor.model import CannotStart, Model, State
from handlers.supervisor.models import Models, Unavailable
from tests.support.clocks.virtual_time import run_in_virtual_time

START_S, STOP_S = 3.0, 1.0
BOUNDS: dict[str, Any] = {"model_memory": 250, "max_concurrent_requests": 4}


class Scripted(Model):
    """A model of 100 bytes without a process. failure: why it does not start."""

    failure: str | None = None
    resident_bytes = 100
    num_starts = 0

    @override
    def launch(self) -> None:
        assert self.state is State.STOPPED
        self.num_starts += 1
        self._set(State.STARTING)

    @override
    async def started(self) -> None:
        await asyncio.sleep(START_S)
        if self.failure is not None:
            self._set(State.STOPPED)
            raise CannotStart(self.failure)
        if self.state is State.STARTING:
            self._set(State.RUNNING)

    @override
    async def stop(self) -> None:
        if self.state is not State.STOPPED:
            self.leave()
            await asyncio.sleep(STOP_S)
            self._set(State.STOPPED)

    @override
    def measure(self) -> None:
        self.memory_bytes = self.resident_bytes


def with_models(
    test: Callable[..., Coroutine[Any, Any, None]], *, num_models: int = 3, **bounds: Any
) -> None:
    """Run a test that takes the models, and then each of them. bounds: settings in place of BOUNDS."""

    async def run() -> None:
        models = Models(Settings(**{**BOUNDS, **bounds}))
        session = cast(aiohttp.ClientSession, None)
        found = [Scripted(name, Settings(), (), session, models.changed) for name in "abc"[:num_models]]
        for model in found:
            model.memory_bytes = 100
        models.models = found
        await test(models, *found)

    run_in_virtual_time(run())


async def use(models: Models, model: Model, seconds: float = 0.0) -> None:
    async with models.running(model):
        assert model.state is State.RUNNING
        await asyncio.sleep(seconds)
        assert model.name in states(models), "a model stops only while it answers no request"


def states(models: Models) -> str:
    return "".join(model.name for model in models.models if model.state is not State.STOPPED)


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_model_starts_once_for_all_requests_that_wait() -> None:
    async def test(models: Models, a: Scripted, b: Scripted, c: Scripted) -> None:
        await asyncio.gather(use(models, a), use(models, a), use(models, a))
        assert (a.num_starts, states(models)) == (1, "a")
        assert now() == START_S

    with_models(test)


def test_the_least_recently_used_model_stops_for_another() -> None:
    async def test(models: Models, a: Scripted, b: Scripted, c: Scripted) -> None:
        for model in (a, b, a, c):
            await asyncio.sleep(1)
            await use(models, model)
        assert states(models) == "ac"

    with_models(test)


def test_an_idle_model_stops_before_one_that_answers() -> None:
    async def test(models: Models, a: Scripted, b: Scripted, c: Scripted) -> None:
        async def use_others() -> None:
            await asyncio.sleep(START_S + 1)
            await use(models, b)
            await use(models, c)
            assert states(models) == "ac"

        await asyncio.gather(use(models, a, 50), use_others())
        assert (a.num_starts, now()) == (1, START_S + 50)

    with_models(test)


def test_without_a_bound_all_run() -> None:
    async def test(models: Models, a: Scripted, b: Scripted, c: Scripted) -> None:
        await asyncio.gather(*(use(models, model) for model in (a, b, c)))
        assert states(models) == "abc"

    with_models(test, model_memory=None)


def test_a_model_that_answers_is_not_stopped_but_takes_no_more_requests_until_the_other_has_run() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        async def use_again() -> None:
            await asyncio.sleep(START_S + 2)  # b waits for room by then
            await use(models, a)
            assert b.num_starts == 1

        async def use_b() -> None:
            await asyncio.sleep(START_S + 1)
            await use(models, b)
            assert now() == 50 + STOP_S + 2 * START_S  # a began at START_S, and ran for 50 seconds

        await asyncio.gather(use(models, a, 50), use_b(), use_again())
        assert a.num_starts == 2

    with_models(test, model_memory=150, num_models=2)


def test_two_models_that_each_need_all_of_the_memory_answer_all_requests_in_turn() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        await asyncio.gather(*(use(models, model, 1) for model in (a, b, a, b)))

    with_models(test, model_memory=150, num_models=2)


def test_a_model_larger_than_the_memory_runs_alone() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        await use(models, b)
        a.memory_bytes = a.resident_bytes = 1000
        await use(models, a)
        assert states(models) == "a"
        models.tidy()
        assert a.state is State.RUNNING

    with_models(test, num_models=2)


def test_models_that_have_grown_stop_when_they_are_idle() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        await use(models, a)
        await asyncio.sleep(1)
        await use(models, b)
        b.resident_bytes = 200
        models.tidy()
        assert (a.state, b.state) == (State.STOPPING, State.RUNNING)

    with_models(test, num_models=2)


def test_a_model_that_nobody_asks_for_is_stopped() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        tidying = asyncio.create_task(models.keep_tidy())
        await use(models, a)
        await asyncio.gather(use(models, b, 30), asyncio.sleep(START_S + 20))
        assert states(models) == "b"
        await asyncio.sleep(15)
        assert states(models) == ""
        tidying.cancel()

    with_models(test, model_idle_timeout=10.0, num_models=2)


def test_a_request_waits_for_a_bounded_time_while_the_start_goes_on() -> None:
    async def test(models: Models, a: Scripted) -> None:
        with pytest.raises(Unavailable, match="The model 'a' is still starting"):
            await use(models, a)
        await asyncio.sleep(START_S)
        await use(models, a)
        assert a.num_starts == 1

    with_models(test, model_start_timeout=1.0, num_models=1)


def test_a_bounded_number_of_requests_waits() -> None:
    async def test(models: Models, a: Scripted) -> None:
        waiting = [asyncio.create_task(use(models, a)) for _ in range(BOUNDS["max_concurrent_requests"])]
        await asyncio.sleep(1)
        with pytest.raises(Unavailable, match="Too many requests wait"):
            await use(models, a)
        await asyncio.gather(*waiting)

    with_models(test, num_models=1)


def test_a_start_that_failed_is_told_and_tried_again_after_a_while() -> None:
    async def test(models: Models, a: Scripted) -> None:
        a.failure = "no such file"
        for _ in range(3):
            with pytest.raises(Unavailable, match="The model 'a' cannot be started: no such file"):
                await use(models, a)
        assert a.num_starts == 1
        a.failure = None
        await asyncio.sleep(6)
        await use(models, a)

    with_models(test, num_models=1)


def test_a_sleeping_model_is_not_started_and_wakes_as_it_was() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        await use(models, a)
        await models.sleep(models.models)
        assert states(models) == ""
        for model in (a, b):
            with pytest.raises(Unavailable, match="is asleep"):
                await use(models, model)
        await models.wake(models.models)
        assert states(models) == "a"
        await use(models, b)

    with_models(test, num_models=2)


def test_a_model_that_is_stopped_while_it_starts_starts_again_for_who_waits() -> None:
    async def test(models: Models, a: Scripted) -> None:
        waiting = asyncio.create_task(use(models, a))
        await asyncio.sleep(1)
        await a.stop()
        await waiting
        assert a.num_starts == 2

    with_models(test, num_models=1)


def test_a_stopping_supervisor_stops_all_and_starts_none() -> None:
    async def test(models: Models, a: Scripted, b: Scripted) -> None:
        await use(models, a)
        waiting = asyncio.create_task(use(models, b))
        await asyncio.sleep(1)
        await models.drain(90)
        with pytest.raises(Unavailable, match="shutting down"):
            await waiting
        with pytest.raises(Unavailable, match="shutting down"):
            await use(models, a)
        assert states(models) == ""
        assert not (await models.health()).is_healthy

    with_models(test, num_models=2)
