"""The load: when requests are sent, at a constant concurrency or at random at a rate."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from time import perf_counter
from typing import TypeAlias

from handlers.commands.bench.client import Exchange

Ask: TypeAlias = Callable[[float | None], Awaitable[Exchange]]
"""Sends a request that is due at the time, or now."""


def turns(num_requests: int, duration_s: float | None) -> Iterator[bool]:
    """Yield True for each request that may begin: so many, or those of some seconds."""
    deadline_s = None if duration_s is None else perf_counter() + duration_s
    while num_requests > 0 if deadline_s is None else perf_counter() < deadline_s:
        num_requests -= 1
        yield True


async def at_concurrency(ask: Ask, concurrency: int, turns: Iterator[bool]) -> list[Exchange]:
    """Keep so many requests running while there are turns, and return all."""

    async def work() -> list[Exchange]:
        return [await ask(None) for _ in turns]

    return sum(await asyncio.gather(*(work() for _ in range(concurrency))), [])


async def at_rate(ask: Ask, rate: float, turns: Iterator[bool], seed: int) -> list[Exchange]:
    """Send requests whose distances are exponential (a Poisson process) while there are turns; return all.

    rate: requests per second, however many still run.
    """
    arrivals = random.Random(seed)
    due_s = perf_counter()
    tasks: list[asyncio.Future[Exchange]] = []
    while next(turns, False):
        tasks.append(asyncio.ensure_future(ask(due_s)))
        due_s += arrivals.expovariate(rate)
        await asyncio.sleep(max(0.0, due_s - perf_counter()))
    return await asyncio.gather(*tasks)
