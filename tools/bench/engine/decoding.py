"""A request that decodes a fixed number of tokens."""

import time
from collections.abc import Iterable

from engine.async_engine import AsyncEngine
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions


async def decode(
    engine: AsyncEngine, name: str, prompt: Iterable[int], sampling: SamplingParams, num_tokens: int
) -> list[float]:
    """Run a request, and return the times of its tokens by `time.perf_counter`. name: the request id."""
    request = GenerationRequest(
        request_id=name,
        prompt=Prompt(tuple(prompt)),
        sampling=sampling,
        stopping=StopConditions(max_tokens=num_tokens, ignore_eos=True),
    )
    return [time.perf_counter() async for _ in engine.submit(request)]
