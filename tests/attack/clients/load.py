"""A load of short requests, as many a second as asked, from a process of the lowest priority.

`python -m tests.attack.clients.load URL KIND CONNECTIONS RATE SECONDS` prints what came of it as JSON. With a
rate of 0 each connection sends its next request as soon as the last is answered; else requests come at that
rate, whatever becomes of them, and wait for a free connection. `KIND` "generate-anew" opens a connection for
each request.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, Literal, cast
from urllib.parse import urlsplit

from tests.attack.clients.wire import request_bytes

Kind = Literal["generate", "generate-anew", "health"]

_GENERATE: Final = request_bytes("/tgi/generate", {"inputs": "Hello", "parameters": {"max_new_tokens": 24}})
_REQUESTS: Final[dict[str, bytes]] = {
    "generate": _GENERATE,
    "generate-anew": _GENERATE,
    "health": b"GET /tgi/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
}
_GRACE_S: Final = 60.0


def run_load(
    url: str, *, num_connections: int, rate: float, seconds: float, kind: Kind = "generate"
) -> dict[str, float]:
    """Return answers a second by status ("200", "429"), counted by a niced process, and its "seconds"."""
    done = subprocess.run(
        _command(url, kind, num_connections, rate, seconds),
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds + _GRACE_S,
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


@contextmanager
def flood(url: str, kind: Kind, *, num_connections: int) -> Iterator[None]:
    """Send requests as fast as they are answered meanwhile, from a niced process."""
    with subprocess.Popen(
        _command(url, kind, num_connections, 0, _GRACE_S), stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


def _command(url: str, kind: Kind, num_connections: int, rate: float, seconds: float) -> list[str]:
    arguments = [url, kind, str(num_connections), str(rate), str(seconds)]
    return ["nice", "-n", "19", sys.executable, "-m", "tests.attack.clients.load", *arguments]


class _Load:
    """Counts answers by status until its time is over."""

    def __init__(self, url: str, kind: Kind, rate: float, seconds: float) -> None:
        parts = urlsplit(url)
        self._request = _REQUESTS[kind]
        self._keeps_connections = kind != "generate-anew"
        self._host, self._port = parts.hostname, parts.port
        self._rate = rate
        self._seconds = seconds
        self._tickets: asyncio.Queue[None] = asyncio.Queue()
        self.counts: Counter[str] = Counter()

    async def run(self, num_connections: int) -> float:
        """Seconds from the first request until the time is over."""
        started = time.perf_counter()
        tasks = [asyncio.create_task(self._ask()) for _ in range(num_connections)]
        if self._rate:
            tasks.append(asyncio.create_task(self._tick()))
        await asyncio.sleep(self._seconds)
        seconds = time.perf_counter() - started
        counts = Counter(self.counts)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.counts = counts
        return seconds

    async def _tick(self) -> None:
        started, num_sent = time.perf_counter(), 0
        while True:
            while num_sent < (time.perf_counter() - started) * self._rate:
                self._tickets.put_nowait(None)
                num_sent += 1
            await asyncio.sleep(0.005)

    async def _ask(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                try:
                    while True:
                        if self._rate:
                            await self._tickets.get()
                        writer.write(self._request)
                        head = await reader.readuntil(b"\r\n\r\n")
                        await reader.readexactly(_length(head))
                        self.counts[head[9:12].decode()] += 1
                        self.counts["unsaid"] += head[9:12] == b"429" and b"retry-after:" not in head.lower()
                        if not self._keeps_connections:
                            break
                    continue
                finally:
                    writer.close()
            self.counts["lost"] += 1


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length:")
    return int(rest.split(b"\r\n", 1)[0] or b"0")


def main() -> None:
    url, kind, num_connections, rate, seconds = sys.argv[1:]
    assert kind in _REQUESTS
    assert os.nice(0) == 19, "it would take the server's processor"
    load = _Load(url, cast(Kind, kind), float(rate), float(seconds))
    took_s = asyncio.run(load.run(int(num_connections)))
    print(json.dumps({kind: number / took_s for kind, number in load.counts.items()} | {"seconds": took_s}))


if __name__ == "__main__":
    main()
