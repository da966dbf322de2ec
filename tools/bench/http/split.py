"""`python -m tools.bench.http.split --api-workers 2`: streams of a server whose API is apart from its engine.

The server serves the embedded model, with as many processes for its API as is said, or none. One client is
measured alone, then all together, from this process. A gap is the time between two events of one stream. The
processor time is that of the server's processes while all clients stream. Meanwhile another process asks each
process of the server for its version: the longest answer bounds the time for which an event loop was held.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Event
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from tools.bench.processor_time import process_s

_NUM_PULSES: Final = 8
_PULSE_S: Final = 0.005


class Stream(NamedTuple):
    """first_s: until the first event. gaps: seconds between events."""

    first_s: float
    gaps: list[float]


async def stream(host: str, port: int, num_tokens: int) -> Stream:
    """Ask for a stream of so many tokens, and time its events."""
    reader, writer = await asyncio.open_connection(host, port)
    asked = {"max_tokens": num_tokens, "ignore_eos": True, "temperature": 0, "stream": True}
    messages = [{"role": "user", "content": "Tell me a story."}]
    body = json.dumps({"model": "verbatim-demo", "messages": messages, **asked}).encode()
    head = f"POST /openai/v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    began = time.perf_counter()
    writer.write(head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body)
    times: list[float] = []
    while b"[DONE]" not in (data := await reader.read(65_536)):
        assert data, "the stream was cut"
        times += [time.perf_counter()] * data.count(b"data: {")
    writer.close()
    return Stream(times[0] - began, [later - sooner for sooner, later in zip(times, times[1:], strict=False)])


def pulse(host: str, port: int, is_over: Event) -> list[float]:
    """Return the seconds that each answer to a small request took, until it is over."""
    # The system spreads connections over the server's processes.
    connections = [HTTPConnection(host, port) for _ in range(_NUM_PULSES)]
    taken = []
    while not is_over.is_set():
        for connection in connections:
            began = time.perf_counter()
            connection.request("GET", "/version")
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200
            taken.append(time.perf_counter() - began)
            time.sleep(_PULSE_S)
    return taken


@contextmanager
def pulses(host: str, port: int) -> Iterator[Future[list[float]]]:
    """Ask for the version while the block runs. The future is done afterwards."""
    with get_context("spawn").Manager() as manager, ProcessPoolExecutor(1, get_context("spawn")) as pool:
        is_over = manager.Event()
        taken = pool.submit(pulse, host, port, is_over)
        try:
            yield taken
        finally:
            is_over.set()
        taken.result()


def children(pid: int) -> list[int]:
    """Return the processes of the API."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if b"front_process" in Path(f"/proc/{one}/cmdline").read_bytes()]


async def measure(url: str, pid: int, num_clients: int, num_tokens: int) -> None:
    """Print the figures of one client, and of many."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 0
    await stream(host, port, 8)
    alone = [await stream(host, port, num_tokens) for _ in range(5)]
    gaps = sorted(gap for one in alone for gap in one.gaps)
    first = median(one.first_s for one in alone)
    print(f"1 client: first {first * 1e3:.1f} ms, gap {median(gaps) * 1e3:.2f} ms")
    processes = [pid, *children(pid)]
    before = [process_s(one) for one in processes]
    with pulses(host, port) as taken:
        began = time.perf_counter()
        streams = await asyncio.gather(*(stream(host, port, num_tokens) for _ in range(num_clients)))
        took = time.perf_counter() - began
    engine, *fronts = [process_s(one) - old for one, old in zip(processes, before, strict=True)]
    gaps = sorted(gap for one in streams for gap in one.gaps)
    total = num_clients * num_tokens
    first = median(one.first_s for one in streams)
    print(
        f"{num_clients} clients: {total / took:,.0f} tokens/s, first {first:.2f} s, "
        f"gap p50 {gaps[len(gaps) // 2] * 1e3:.1f} ms, p99 {gaps[len(gaps) * 99 // 100] * 1e3:.1f} ms, "
        f"longest {gaps[-1] * 1e3:.0f} ms"
    )
    beats = sorted(taken.result())
    print(
        f"small requests meanwhile: {len(beats)}, median {median(beats) * 1e3:.1f} ms, "
        f"p99 {beats[len(beats) * 99 // 100] * 1e3:.1f} ms, longest {beats[-1] * 1e3:.0f} ms"
    )
    print(
        f"processor time a token: {engine / total * 1e6:.0f} µs of the engine's process, "
        f"{sum(fronts) / total * 1e6:.0f} µs of {len(fronts)} others"
    )


def main() -> None:
    """Start the server, measure and stop it."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.http.split", description=__doc__)
    parser.add_argument("--api-workers", default="0")
    parser.add_argument("--clients", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=64)
    given = parser.parse_args()
    command = [
        str(Path(sys.executable).with_name("verbatim")),
        "serve",
        "--port",
        "0",
        "--api-workers",
        given.api_workers,
    ]
    command += ["--max-concurrent-requests", str(2 * given.clients)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = next(line.split()[-1] for line in server.stdout if "ready at " in line)
        try:
            asyncio.run(measure(url, server.pid, given.clients, given.tokens))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
