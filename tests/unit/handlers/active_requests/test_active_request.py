"""A request of several prompts is one answer for the engine: what comes later waits for room."""

import time
from contextlib import aclosing

from engine.port.request import SamplingParams, StopConditions
from handlers.active_requests.active_request import ActiveRequests
from handlers.concurrency.limit import ConcurrencyLimit
from tests.support.engine_requests import generation_request
from tests.support.scripted.engine import ScriptedEngine, says


async def test_prompts_after_the_first_token_wait_for_room() -> None:
    engine = ScriptedEngine(says("a", "b"))
    requests = [
        generation_request(
            request_id=name,
            token_ids=[5],
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=4),
        )
        for name in "abc"
    ]
    with (
        ActiveRequests(engine, ConcurrencyLimit(1)).open(time.perf_counter(), lambda error: error) as active,
        active.permits("n", 3),
    ):
        for request in requests:
            async with aclosing(active.run(request)) as events:
                assert [event async for event in events]
    assert [request.waits_for_room for request in engine.requests] == [False, True, True]
