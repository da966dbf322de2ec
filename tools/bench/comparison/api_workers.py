"""Compare servers with separate API processes (--api-workers) with a server of one process, by turns.

Each server has the embedded model and the given number of API processes; all run during the whole benchmark.
In each round, a single client and then many concurrent clients are measured at each server. A gap is the time
between two events of a stream. The CPU time is that of the server's processes while all clients stream.
Meanwhile, another process requests the version from the server's processes: the longest time of an answer is
an upper bound for the time that an event loop was blocked. The table has medians over the rounds.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Event
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.processor_time import process_s
from tools.bench.table import Row, print_tables

_NUM_PULSES: Final = 8
_PULSE_S: Final = 0.005
_TO_BEGIN_S: Final = 60.0
# Equal lengths, so that the rest that is kept for the next piece contains neither completely.
_EVENT: Final = b"data: {"
_END: Final = b" [DONE]"


class Stream(NamedTuple):
    """The times of a stream in seconds. first_s: until the first event. gaps: between events."""

    first_s: float
    gaps: list[float]


async def stream(host: str, port: int, num_tokens: int) -> Stream:
    """Request a stream of `num_tokens`, and measure the times of its events."""
    reader, writer = await asyncio.open_connection(host, port)
    asked = {"max_tokens": num_tokens, "ignore_eos": True, "temperature": 0, "stream": True}
    messages = [{"role": "user", "content": "Tell me a story."}]
    body = json.dumps({"model": "verbatim-demo", "messages": messages, **asked}).encode()
    head = f"POST /openai/v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    began = time.perf_counter()
    writer.write(head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body)
    times: list[float] = []
    found = b""
    while _END not in found:
        data = await reader.read(65_536)
        assert data, "the stream was cut"
        found = found[1 - len(_END) :] + data  # a mark may be split over two pieces
        times += [time.perf_counter()] * found.count(_EVENT)
    writer.close()
    return Stream(times[0] - began, [later - sooner for sooner, later in zip(times, times[1:], strict=False)])


def pulse(host: str, port: int, has_begun: Event, is_over: Event) -> list[float]:
    """Send small requests until `is_over` is set; return the seconds that each answer took."""
    # Linux distributes connections over the server's processes.
    connections = [HTTPConnection(host, port) for _ in range(_NUM_PULSES)]
    taken: list[float] = []
    has_begun.set()
    while not (taken and is_over.is_set()):
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
    """Request the version repeatedly while the block runs; the future is done afterwards."""
    with get_context("spawn").Manager() as manager, ProcessPoolExecutor(1, get_context("spawn")) as pool:
        has_begun, is_over = manager.Event(), manager.Event()
        taken = pool.submit(pulse, host, port, has_begun, is_over)
        try:
            has_begun.wait(_TO_BEGIN_S)  # so that its start does not slow down the streams
            yield taken
        finally:
            is_over.set()
        taken.result()


def children(pid: int) -> list[int]:
    """Return the ids of the API processes."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if b"api_worker_process" in Path(f"/proc/{one}/cmdline").read_bytes()]


class Figures(NamedTuple):
    """The results of a server in one round: milliseconds, CPU microseconds, or as named.

    A small request is a request for the version while all clients stream.
    """

    first_ms: float
    gap_ms: float
    tokens_per_s: float
    many_first_ms: float
    many_gap_ms: float
    many_gap_p99_ms: float
    many_gap_longest_ms: float
    small_p99_ms: float
    small_longest_ms: float
    engine_us: float
    others_us: float


class Served(NamedTuple):
    """A running server. pid: id of the engine process."""

    name: str
    url: str
    pid: int


async def measure(served: Served, num_clients: int, num_tokens: int) -> Figures:
    """Measure a single client, and then `num_clients` concurrent ones."""
    parts = urlsplit(served.url)
    host, port = parts.hostname or "", parts.port or 0
    await stream(host, port, 8)
    alone = [await stream(host, port, num_tokens) for _ in range(5)]
    processes = [served.pid, *children(served.pid)]
    before = [process_s(one) for one in processes]
    with pulses(host, port) as taken:
        began = time.perf_counter()
        streams = await asyncio.gather(*(stream(host, port, num_tokens) for _ in range(num_clients)))
        took = time.perf_counter() - began
    engine, *workers = [process_s(one) - old for one, old in zip(processes, before, strict=True)]
    gaps, beats = sorted(gap for one in streams for gap in one.gaps), sorted(taken.result())
    total = num_clients * num_tokens
    return Figures(
        first_ms=1e3 * median(one.first_s for one in alone),
        gap_ms=1e3 * median(gap for one in alone for gap in one.gaps),
        tokens_per_s=total / took,
        many_first_ms=1e3 * median(one.first_s for one in streams),
        many_gap_ms=1e3 * median(gaps),
        many_gap_p99_ms=1e3 * gaps[len(gaps) * 99 // 100],
        many_gap_longest_ms=1e3 * gaps[-1],
        small_p99_ms=1e3 * beats[len(beats) * 99 // 100],
        small_longest_ms=1e3 * beats[-1],
        engine_us=1e6 * engine / total,
        others_us=1e6 * sum(workers) / total,
    )


@contextmanager
def serving(num_processes: int, num_clients: int) -> Iterator[Served]:
    """Serve the embedded model while the block runs. num_processes: API processes; 0 for none."""
    command = [str(Path(sys.executable).with_name("verbatim")), "serve", "--port", "0"]
    command += ["--api-workers", str(num_processes), "--max-concurrent-requests", str(2 * num_clients)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = next(line.split()[-1] for line in server.stdout if "ready at " in line)
            yield Served(_name(num_processes), url, server.pid)
        finally:
            server.terminate()


async def run(arguments: argparse.Namespace) -> list[Row]:
    num_clients, num_tokens, num_rounds = arguments.clients, arguments.tokens, arguments.rounds
    print(f"{num_clients} clients with {num_tokens} tokens each, medians of {num_rounds} rounds by turns")

    def measured(served: Served, case: str, number: int) -> Figures:
        return asyncio.run(measure(served, num_clients, num_tokens))

    with ExitStack() as stack:
        served = [stack.enter_context(serving(one, num_clients)) for one in arguments.api_workers]
        told = await asyncio.to_thread(by_turns, served, ["chat"], num_rounds, measured, warm_up=["chat"])
    figures = told["chat"]
    rows = [_row(name, rounds) for name, rounds in figures.items()]
    first, *others = figures
    print_tables([[{"API": row["API"], **_part(row, names)} for row in rows] for names in _TABLES])
    for name in others:
        ratio = compare(*([one.tokens_per_s for one in figures[each]] for each in (name, first)))
        spread = f"{ratio.lowest:.3f} to {ratio.highest:.3f}"
        print(f"tokens a second, {name} over {first}: {ratio.median:.3f} ({spread})")
    return rows


_TABLES: Final = (Figures._fields[:5], Figures._fields[5:])  # as wide as a terminal


def _name(num_processes: int) -> str:
    return {0: "no workers", 1: "1 process"}.get(num_processes, f"{num_processes} processes")


def _part(row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names}


def _row(name: str, rounds: Sequence[Figures]) -> Row:
    return {"API": name, **{each: median(getattr(one, each) for one in rounds) for each in Figures._fields}}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--api-workers",
        type=int,
        nargs="+",
        default=[0, 1, 2],
        help="numbers of API processes, one for each server; 0 for a server of one process",
    )
    parser.add_argument("--clients", type=int, default=128, help="concurrent clients (default: 128)")
    parser.add_argument("--tokens", type=int, default=48, help="tokens of each stream (default: 48)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
