"""The state of a request's stream: its sequences and the events that wait to be read."""

import asyncio
from typing import Any

import pytest

from engine.port.errors import GenerationFailed
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from engine.port.request_stream import RequestStream, UnreadBound
from tests.support.engine_requests import generation_request


def request(num_sequences: int = 1, **sampling: Any) -> GenerationRequest:
    return generation_request(
        request_id="a",
        token_ids=(1,),
        sampling=SamplingParams(**sampling),
        stopping=StopConditions(max_tokens=5),
        num_sequences=num_sequences,
    )


def event(finish: FinishReason | None = None) -> TokenEvent:
    return TokenEvent(
        request_id="a",
        index=0,
        position=0,
        token_id=1,
        token_text="a",
        is_special=False,
        text="a",
        finish=finish,
        num_prompt_tokens=1,
    )


async def test_items_come_in_order_whether_the_reader_was_there_first_or_not() -> None:
    stream = RequestStream(request())
    events = [event() for _ in range(4)]
    stream.put(events[0])
    stream.put(events[1])
    assert [stream.take() is events[0], stream.take() is events[1]] == [True, True]
    arrival = stream.arrival()
    assert len(stream) == 0 and not arrival.done()
    stream.put(events[2])
    stream.put(events[3])
    assert [await arrival is events[2], stream.take() is events[3], stream.take()] == [True, True, None]


async def test_an_item_that_a_cancelled_reader_waited_for_is_the_next_one_s() -> None:
    stream = RequestStream(request())
    first, second = event(), event()
    arrival = stream.arrival()
    arrival.cancel()
    stream.put(first)
    with pytest.raises(asyncio.CancelledError):
        await arrival
    stream.put(second)
    assert [stream.take() is first, stream.take() is second] == [True, True]


async def test_an_item_that_its_reader_gets_at_once_takes_no_room() -> None:
    stream = RequestStream(request())
    arrival = stream.arrival()
    first = event()
    stream.put(first)
    assert (len(stream), stream.num_bytes, await arrival is first) == (0, 0, True)
    stream.put(event())
    assert len(stream) == 1 and stream.num_bytes > 0


async def test_an_end_is_told_before_anybody_reads_it() -> None:
    ended: list[int] = []
    stream = RequestStream(request(2), ended.append)
    stream.put(event())
    assert ended == []
    stream.put(event(FinishReason.LENGTH))
    assert ended == [1]
    stream.put(event(FinishReason.STOP))
    assert (ended, len(stream)) == ([1, 1], 3)


async def test_a_failure_ends_all_sequences_that_run() -> None:
    ended: list[int] = []
    stream = RequestStream(request(3), ended.append)
    stream.put(event(FinishReason.LENGTH))
    stream.put(GenerationFailed("no"))
    assert ended == [1, 2]


async def test_what_waits_weighs_more_with_log_probabilities_and_nothing_once_read() -> None:
    plain, ranked = RequestStream(request()), RequestStream(request(num_logprobs=20))
    for stream in (plain, ranked):
        stream.put(event())
    assert 5 * plain.num_bytes < ranked.num_bytes < 10_000
    ranked.take()
    assert ranked.num_bytes == 0


async def test_a_stream_over_its_bound_is_to_end() -> None:
    streams = {arrival: RequestStream(request()) for arrival in range(3)}
    for _ in range(100):
        streams[1].put(event())
    bound = UnreadBound(streams[1].num_bytes)
    assert bound.exceeded(streams) == []
    streams[1].put(event())
    assert bound.exceeded(streams) == [1]


async def test_the_largest_end_until_the_others_fit_together() -> None:
    streams = {arrival: RequestStream(request()) for arrival in range(12)}
    for arrival, stream in streams.items():
        for _ in range(80 + arrival):
            stream.put(event())
    bound = UnreadBound(
        100 * streams[0].num_bytes // 80
    )  # eight times as much is 800 events; there are 1,026
    assert bound.exceeded(streams) == [11, 10, 9]
