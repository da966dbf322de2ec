"""The scripted server of tokens is taken for vLLM by the engine that the bench of a front measures."""

import asyncio
from contextlib import aclosing

from engine.demo_model import DEMO_MODEL
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from tests.support.clocks.until import until
from tools.bench.http.scripted_tokens import Steps, TokenProtocol

TOKEN_IDS = [300, 301, 302]


def request(request_id: str, num_tokens: int) -> GenerationRequest:
    stopping = StopConditions(max_tokens=num_tokens, ignore_eos=True)
    return GenerationRequest(
        request_id=request_id, prompt=Prompt((72, 105)), sampling=SamplingParams(), stopping=stopping
    )


async def test_streams_get_as_many_tokens_as_they_ask_for_step_by_step() -> None:
    steps = Steps(TOKEN_IDS, 0.001)
    server = await asyncio.get_running_loop().create_server(lambda: TokenProtocol(steps, "m"), "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        engine = await RemoteEngine.start(RemoteConfig(model=str(DEMO_MODEL), urls=(url,)))

        async def run(request_id: str, num_tokens: int) -> list[TokenEvent]:
            return [event async for event in engine.submit(request(request_id, num_tokens))]

        try:
            short, long = await asyncio.gather(run("short", 3), run("long", 7))
            assert [event.token_id for event in short] == [302, 301, 300]
            assert [event.finish for event in short] == [None, None, FinishReason.LENGTH]
            assert len(long) == 7 and long[-1].finish is FinishReason.LENGTH
            async with aclosing(engine.submit(request("leaves", 1000))) as events:
                await anext(events)
            await until(lambda: not steps.num_streams)
        finally:
            await engine.stop()
