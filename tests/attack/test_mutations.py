"""No request, however malformed, is answered with a server's error or kept waiting."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

import httpx
import pytest

from tests.attack.clients.mutation import Mutant, mutant
from tests.attack.clients.pulse import pulse
from tests.conftest import COMMAND, Server, running_server

NUM_REQUESTS: Final = 400
NUM_REQUESTS_WHOLE: Final = 50_000  # of each server
NUM_CLIENTS: Final = 24
PATIENCE_S: Final = 60.0
# Whatever runs ends after a few tokens, so that the time goes into what the requests say.
OPTIONS: Final = ("--max-total-tokens", "96", "--max-batch-total-tokens", "8192")


@pytest.fixture(scope="module", params=["asserting", "optimised"])
def brief(request: pytest.FixtureRequest) -> Iterator[Server]:
    """With `assert` statements and without (`python -O`): no request may depend on one."""
    optimised = (sys.executable, "-O", str(COMMAND), "serve")
    command = optimised if request.param == "optimised" else (str(COMMAND), "serve")
    with running_server(*OPTIONS, command=command) as server:
        yield server


@pytest.mark.timeout(7200)
async def test_no_mutated_request_is_a_servers_error_or_hangs(brief: Server, is_whole: bool) -> None:
    num_requests = NUM_REQUESTS_WHOLE if is_whole else NUM_REQUESTS
    statuses: Counter[int] = Counter()
    faults: list[tuple[int, str, Mutant]] = []
    numbers = iter(range(num_requests))

    async def send_some(client: httpx.AsyncClient) -> None:
        for number in numbers:
            request = mutant(Random(number))
            try:
                answer = await client.post(request.path, content=request.body, headers=request.headers)
            except httpx.HTTPError as error:
                faults.append((number, repr(error), request))
                continue
            statuses[answer.status_code] += 1
            if answer.status_code >= 500:
                faults.append((number, answer.text, request))

    limits = httpx.Limits(max_connections=NUM_CLIENTS)
    async with httpx.AsyncClient(base_url=brief.url, timeout=PATIENCE_S, limits=limits) as client:
        with pulse(brief.url):
            await asyncio.gather(*(send_some(client) for _ in range(NUM_CLIENTS)))
    assert faults[:5] == []
    assert statuses.total() == num_requests
    assert statuses[200] > num_requests / 20, f"hardly any mutant was accepted: {statuses}"
    assert sum(statuses[status] for status in (400, 422)) > num_requests / 4, statuses
