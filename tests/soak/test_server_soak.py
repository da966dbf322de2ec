"""Requests to a running server from clients of which many drop the connection, at any point: each is counted
with one outcome, and the server holds no more than before.

A tenth of `VERBATIM_SOAK_REQUESTS`.
"""

import asyncio
import gc
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import orjson
import pytest

from tests.conftest import Server, running_server
from tests.soak.usage import Usage, usage

NUM_REQUESTS = int(os.environ.get("VERBATIM_SOAK_REQUESTS", "1000")) // 10
NUM_CLIENTS = 24
NUM_ROUNDS = 4
# So little cache that sequences preempt one another. In bfloat16 oneDNN keeps a compiled kernel for each
# number of rows that it has seen, up to 1,024 of them and some 100 MB, which would hide a leak.
OPTIONS = (
    *("--max-total-tokens", "192", "--max-batch-total-tokens", "640", "--max-batch-size", "16"),
    *("--dtype", "float32"),
)
# The engine's bound is tested in test_engine_soak.py; here come buffers of connections and of the event loop.
MAX_GROWTH_BYTES = 48 * 2**20

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a process holds"),
    pytest.mark.timeout(7200),
]


class Errand(NamedTuple):
    """A body for a path. patience_s: until the client drops the connection; None: it reads the answer."""

    path: str
    body: dict[str, Any]
    patience_s: float | None
    is_cut_short: bool


def errand(random: Random) -> Errand:
    path, body = random.choice([native, chat, completion])(random)
    patience_s = random.choice([None, None, random.expovariate(10.0)])
    return Errand(path, body, patience_s, is_cut_short=random.random() < 0.1)


def native(random: Random) -> tuple[str, dict[str, Any]]:
    parameters: dict[str, Any] = {
        "max_new_tokens": random.choice([1, 5, 60, 0]),  # 0 is refused
        "details": random.random() < 0.3,
        "decoder_input_details": random.random() < 0.2,
        "do_sample": True,
        "seed": random.randrange(2**32),
        "stop": random.choice([[], ["e"]]),
        "top_n_tokens": random.choice([None, 3]),
        "grammar": random.choice([None, None, {"type": "regex", "value": "[a-z]{4000}"}]),
    }
    path = random.choice(["/generate", "/generate_stream"])
    if path == "/generate":
        parameters["best_of"] = random.choice([None, 2])
    return path, {"inputs": random.choice(["Hello", "One apple, " * 12]), "parameters": parameters}


def chat(random: Random) -> tuple[str, dict[str, Any]]:
    return "/tgi/v1/chat/completions", {
        "messages": [{"role": "user", "content": random.choice(["Hello", "Count to ten. " * 5])}],
        "max_tokens": random.choice([1, 20, 60]),
        "n": random.choice([1, 1, 3]),
        "stream": random.random() < 0.5,
        "temperature": 1.5,
        "logprobs": random.random() < 0.2,
    }


def completion(random: Random) -> tuple[str, dict[str, Any]]:
    return "/tgi/v1/completions", {
        "prompt": random.choice(["The town", ["One", "Two", "Three"]]),
        "max_tokens": random.choice([1, 30]),
        "stream": random.random() < 0.5,
    }


class Clients:
    """Send errands, a few at a time, each over a connection of its own."""

    def __init__(self, url: str) -> None:
        self.outcomes: Counter[str] = Counter()
        self._url = url
        self._random = Random(2)
        self._client = httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_keepalive_connections=0))

    async def run(self, num_requests: int) -> None:
        places = asyncio.Semaphore(NUM_CLIENTS)

        async def send(one: Errand) -> None:
            async with places:
                sending = self._cut_short(one) if one.is_cut_short else self._send(one)
                self.outcomes[await sending] += 1

        await asyncio.gather(*(send(errand(self._random)) for _ in range(num_requests)))

    async def _send(self, one: Errand) -> str:
        try:
            async with asyncio.timeout(one.patience_s):
                answer = await self._client.post(self._url + one.path, json=one.body)
        except TimeoutError:
            return "dropped"
        assert answer.status_code in (200, 422, 429), answer.text
        return str(answer.status_code)

    async def _cut_short(self, one: Errand) -> str:
        """Announces a body and leaves in the middle of it."""
        address = urlsplit(self._url)
        body = orjson.dumps(one.body)
        _, writer = await asyncio.open_connection(address.hostname, address.port)
        head = (
            f"POST {one.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body[: len(body) // 2])
        await writer.drain()
        await asyncio.sleep(min(one.patience_s or 0.0, 0.05))
        writer.close()
        await writer.wait_closed()
        return "cut short"

    async def becomes_idle(self) -> dict[str, float]:
        """The metrics, once every request has its outcome and no block is in use."""
        async with asyncio.timeout(60):
            while True:
                seen = await self._samples()
                gauges = ("tgi_batch_current_size", "tgi_queue_size", "tgi_batch_current_max_tokens")
                if not any(seen[name] for name in gauges) and seen["tgi_request_count"] == num_outcomes(seen):
                    return seen
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        await self._client.aclose()

    async def _samples(self) -> dict[str, float]:
        lines = (await self._client.get(f"{self._url}/metrics")).text.splitlines()
        pairs = (line.rsplit(maxsplit=1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


def num_outcomes(seen: dict[str, float]) -> float:
    failures = [value for name, value in seen.items() if name.startswith("tgi_request_failure{")]
    return seen["tgi_request_success"] + sum(failures)


async def settled_usage(process: int, num_files: int) -> Usage:
    """Once no more files are open than when the server was idle: connections take a moment to close.

    Those that clients broke off while they connected may wait for the collector here.
    """
    async with asyncio.timeout(30):
        while (now := usage(process)).num_files > num_files:
            gc.collect()
            await asyncio.sleep(0.1)
    return now


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    with running_server(*OPTIONS) as server:
        yield server


async def test_a_server_whose_clients_drop_their_connections_counts_each_request_once_and_keeps_nothing(
    server: Server,
) -> None:
    clients = Clients(server.url)
    await clients.becomes_idle()
    idle = usage(server.process.pid)
    usages: list[Usage] = []
    for _ in range(NUM_ROUNDS):
        await clients.run(NUM_REQUESTS // NUM_ROUNDS)
        seen = await clients.becomes_idle()
        usages.append(await settled_usage(server.process.pid, idle.num_files))
    await clients.close()
    print(clients.outcomes, usages, *(line for line in seen.items() if "request" in line[0]), sep="\n")
    # A client may drop an answer that was complete.
    num_answered, num_dropped = clients.outcomes["200"], clients.outcomes["dropped"]
    assert 0 < num_answered <= seen["tgi_request_success"] <= num_answered + num_dropped
    assert seen['tgi_request_failure{err="generation"}'] == 0
    assert num_dropped > 0
    assert server.process.poll() is None
    warm, last = usages[0], usages[-1]
    assert last.num_threads <= warm.num_threads
    assert last.resident_bytes - warm.resident_bytes < MAX_GROWTH_BYTES
