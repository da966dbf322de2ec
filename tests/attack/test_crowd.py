"""Many clients at once, some of whom leave or send nonsense: all of them end, and nothing is left behind."""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from random import Random
from urllib.parse import urlsplit

from tests.attack.clients.deaf import wait_for_gauge
from tests.attack.clients.wire import exchange, request_bytes
from tests.conftest import LIMITS, running_server
from tests.soak.usage import usage

_SHARE_LEAVING, _SHARE_MALFORMED = 0.2, 0.1
_WARM_UP_S = 8.0
_OVERLOADED = ("429", "529")  # Anthropic's contract has a status of its own
_ANSWER_TIMEOUT_S = 120.0
_STREAM = ("/openai/v1/chat/completions", "/openai/v1/completions", "/tgi/generate", "/anthropic/v1/messages")


def test_a_crowd_of_whom_some_leave_and_some_send_nonsense_leaves_nothing_behind(is_whole: bool) -> None:
    num_clients, seconds = (300, 300.0) if is_whole else (60, 12.0)
    with running_server(*LIMITS) as server:
        asyncio.run(_Crowd(server.url, 0).run(num_clients, _WARM_UP_S))
        before = usage(server.process.pid)
        crowd = _Crowd(server.url, 1)
        asyncio.run(crowd.run(num_clients, seconds))
        for gauge in ("verbatim_permits_in_use", "tgi_batch_current_max_tokens", "tgi_queue_size"):
            wait_for_gauge(server.url, gauge, 0)
        grown = usage(server.process.pid).resident_bytes - before.resident_bytes
        print(crowd.outcomes, f"grown by {grown / 2**20:.1f} MiB")
        assert exchange(server.url, request_bytes("/health")).status == 200
    assert {*crowd.outcomes} <= {"200", "400", "422", *_OVERLOADED, "left"}
    assert all(crowd.outcomes[kind] for kind in ("200", "left")), crowd.outcomes
    assert crowd.outcomes["400"] + crowd.outcomes["422"] > 0
    assert grown < 48 * 2**20


class _Crowd:
    """Clients who each send one request after another until the time is over."""

    def __init__(self, url: str, seed: int) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname, parts.port
        self._random = Random(seed)
        self.outcomes: Counter[str] = Counter()

    async def run(self, num_clients: int, seconds: float) -> None:
        """Raises what a client met that it should not have, such as an answer that never came."""
        deadline = time.monotonic() + seconds
        async with asyncio.TaskGroup() as clients:
            for _ in range(num_clients):
                clients.create_task(self._go_on_until(deadline))

    async def _go_on_until(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            async with asyncio.timeout(_ANSWER_TIMEOUT_S):
                outcome = await self._send()
            self.outcomes[outcome] += 1
            if outcome in _OVERLOADED:
                await asyncio.sleep(self._random.uniform(0.2, 0.6))

    async def _send(self) -> str:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(self._request())
            await writer.drain()
            if self._random.random() < _SHARE_LEAVING:
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(100), self._random.uniform(0.0, 0.5))
                return "left"
            answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 "), answer[:100]
            return answer[9:12].decode()
        finally:
            writer.close()

    def _request(self) -> bytes:
        path = self._random.choice(_STREAM)
        n = self._random.choice((1, 1, 1, 2, 8))
        body: dict[str, object] = {
            "model": "verbatim-demo",
            "messages": [{"role": "user", "content": "Hello" * self._random.randint(1, 30)}],
            "max_tokens": self._random.randint(1, 30),
            "stream": self._random.random() < 0.5,
        }
        if path.startswith("/tgi"):
            body = {"inputs": "Hello", "parameters": {"max_new_tokens": 20}}
        elif path.endswith("v1/completions"):
            body = {key: value for key, value in body.items() if key != "messages"} | {
                "prompt": ["Hello"] * n,
                "logprobs": 5,
            }
        elif path.startswith("/openai"):
            body |= {"n": n, "logprobs": True, "top_logprobs": 5}
        headers = ("Connection: close",)
        if self._random.random() < _SHARE_MALFORMED:
            content = self._random.choice((b"{", b'{"n": "many"}', b"\xff\xfe", b"[]"))
            lines = ("Content-Type: application/json", f"Content-Length: {len(content)}", *headers)
            return request_bytes(path, method="POST", headers=lines) + content
        return request_bytes(path, body, headers=headers)
