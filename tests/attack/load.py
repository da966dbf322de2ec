"""A load of short generations, as many a second as asked, from a process of the lowest priority.

`python -m tests.attack.load URL CONNECTIONS RATE SECONDS` prints what came of it as JSON. With a rate of 0
each connection sends its next request as soon as the last is answered; else requests come at that rate,
whatever becomes of them, and wait for a free connection.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from tests.attack.wire import request_bytes

_REQUEST: Final = request_bytes("/tgi/generate", {"inputs": "Hello", "parameters": {"max_new_tokens": 24}})
_GRACE_S: Final = 60.0


def run_load(url: str, *, num_connections: int, rate: float, seconds: float) -> dict[str, float]:
    """Answers a second by status ("200", "429"), from a niced process of its own, and its "seconds"."""
    command = [sys.executable, "-m", "tests.attack.load", url, str(num_connections), str(rate), str(seconds)]
    done = subprocess.run(
        ["nice", "-n", "19", *command], capture_output=True, text=True, check=True, timeout=seconds + _GRACE_S
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


class _Load:
    """Counts answers by status until its time is over."""

    def __init__(self, url: str, rate: float, seconds: float) -> None:
        parts = urlsplit(url)
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
                        writer.write(_REQUEST)
                        head = await reader.readuntil(b"\r\n\r\n")
                        await reader.readexactly(_length(head))
                        self.counts[head[9:12].decode()] += 1
                        self.counts["unsaid"] += head[9:12] == b"429" and b"retry-after:" not in head.lower()
                finally:
                    writer.close()
            self.counts["lost"] += 1


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length:")
    return int(rest.split(b"\r\n", 1)[0])


def main() -> None:
    url, num_connections, rate, seconds = sys.argv[1:]
    assert os.nice(0) == 19, "it would take the server's processor"
    load = _Load(url, float(rate), float(seconds))
    took_s = asyncio.run(load.run(int(num_connections)))
    print(json.dumps({kind: number / took_s for kind, number in load.counts.items()} | {"seconds": took_s}))


if __name__ == "__main__":
    main()
