"""The load: when requests are sent, at a constant concurrency or at random at a rate."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import NamedTuple, TypeAlias

from handlers.bench.client import Exchange

Ask: TypeAlias = Callable[[float | None], Awaitable[Exchange]]
"""Sends a request that is due at the time, or now."""


class End(NamedTuple):
    """The end of a load: a number of requests, or seconds after which none is begun."""

    num_requests: float
    duration_s: float


async def at_concurrency(ask: Ask, concurrency: int, end: End) -> list[Exchange]:
    """Keep so many requests running until the end, and return all."""
    deadline_s = perf_counter() + end.duration_s
    num_begun = 0

    async def work() -> list[Exchange]:
        nonlocal num_begun
        exchanges = []
        while num_begun < end.num_requests and perf_counter() < deadline_s:
            num_begun += 1
            exchanges.append(await ask(None))
        return exchanges

    return sum(await asyncio.gather(*(work() for _ in range(concurrency))), [])


async def at_rate(ask: Ask, rate: float, end: End, seed: int) -> list[Exchange]:
    """Send requests whose distances are exponential (a Poisson process) until the end, and return all.

    rate: requests per second, however many still run.
    """
    arrivals = random.Random(seed)
    due_s = perf_counter()
    deadline_s = due_s + end.duration_s
    tasks: list[asyncio.Future[Exchange]] = []
    while len(tasks) < end.num_requests and due_s < deadline_s:
        await asyncio.sleep(max(0.0, due_s - perf_counter()))
        tasks.append(asyncio.ensure_future(ask(due_s)))
        due_s += arrivals.expovariate(rate)
    return await asyncio.gather(*tasks)
