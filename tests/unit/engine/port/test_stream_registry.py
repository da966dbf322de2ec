"""The registry of an engine's requests: who is let in, who is ended, and when none is left."""

import asyncio

import pytest

from engine.port.errors import (
    EngineDied,
    EngineError,
    EngineStopped,
    InvalidRequest,
    ReaderTooSlow,
    RequestAborted,
)
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from engine.port.stream_registry import StreamRegistry
from tests.support.engine_requests import generation_request

LOOK_EVENTS = 256  # after as many the unread bytes are looked at


def request(name: str) -> GenerationRequest:
    return generation_request(
        request_id=name, token_ids=(1,), sampling=SamplingParams(), stopping=StopConditions(max_tokens=5)
    )


def event() -> TokenEvent:
    return TokenEvent(
        request_id="a",
        index=0,
        position=0,
        token_id=1,
        token_text="a",
        is_special=False,
        text="a",
        num_prompt_tokens=1,
    )


class Registry(StreamRegistry):
    """A registry that records the arrivals whose requests it ends, and lets every request in."""

    def __init__(self, max_unread_bytes: int = 10**6) -> None:
        self.aborted: list[int] = []
        super().__init__(max_unread_bytes, self.aborted.append)

    def let_in(self, name: str) -> int:
        arrival, _ = self.open(request(name), lambda one: None)
        return arrival


async def test_an_id_is_taken_until_its_request_is_closed() -> None:
    registry = Registry()
    first = registry.let_in("a")
    with pytest.raises(InvalidRequest, match="already running"):
        registry.let_in("a")
    registry.close("a")
    assert registry.let_in("a") != first
    assert len(registry) == 1


async def test_a_request_that_fails_its_check_is_not_open() -> None:
    registry = Registry()

    def check(one: GenerationRequest) -> None:
        raise InvalidRequest("no")

    with pytest.raises(InvalidRequest):
        registry.open(request("a"), check)
    assert len(registry) == 0
    registry.let_in("a")


async def test_events_go_to_their_arrival_and_those_of_closed_requests_nowhere() -> None:
    registry = Registry()
    first, first_stream = registry.open(request("a"), lambda one: None)
    second, second_stream = registry.open(request("b"), lambda one: None)
    registry.close("a")
    registry.deliver([(first, event()), (second, event()), (second, event())])
    assert (len(first_stream), len(second_stream)) == (0, 2)


async def test_an_aborted_request_is_ended_before_its_reader_takes_the_error() -> None:
    registry = Registry()
    arrival, stream = registry.open(request("a"), lambda one: None)
    registry.abort("a")
    registry.abort("unknown")
    assert registry.aborted == [arrival]
    assert isinstance(stream.take(), RequestAborted)


async def test_each_request_ends_with_an_error_of_its_own() -> None:
    registry = Registry()
    streams = [registry.open(request(name), lambda one: None)[1] for name in "ab"]
    registry.end_all(EngineDied)
    first, second = (stream.take() for stream in streams)
    assert isinstance(first, EngineDied) and isinstance(second, EngineDied)
    assert first is not second


async def test_unread_bytes_are_looked_at_after_so_many_events() -> None:
    registry = Registry(max_unread_bytes=10_000)
    slow, slow_stream = registry.open(request("a"), lambda one: None)
    quick, quick_stream = registry.open(request("b"), lambda one: None)
    registry.deliver([(quick, event())] + [(slow, event()) for _ in range(LOOK_EVENTS - 2)])
    assert registry.aborted == []
    registry.deliver([(slow, event())])
    assert registry.aborted == [slow]
    (last,) = [slow_stream.take() for _ in range(len(slow_stream))]
    assert isinstance(last, ReaderTooSlow)
    assert len(quick_stream) == 1


async def test_draining_waits_for_the_last_request_and_lets_none_in() -> None:
    registry = Registry()
    registry.let_in("a")
    draining = asyncio.create_task(registry.drain(60))
    await asyncio.sleep(0)
    assert registry.is_draining
    with pytest.raises(EngineStopped):
        registry.let_in("b")
    assert not draining.done()
    registry.close("a")
    assert await draining
    assert registry.aborted == []


async def test_requests_that_outlast_the_draining_are_ended() -> None:
    registry = Registry()
    arrival, stream = registry.open(request("a"), lambda one: None)
    assert not await registry.drain(0)
    ended: EngineError = stream.take()  # type: ignore[assignment]  # the stream holds any event
    assert isinstance(ended, EngineStopped)
    assert registry.aborted == [arrival]
