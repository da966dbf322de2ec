"""What the server costs without an engine: processor time a request and a streamed event, by contract."""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from tools.bench.bare_app import PATH, STREAM_PATH
from tools.bench.connection import Connection, post
from tools.bench.table import Row, print_table

BARE: Final = "(bare)"  # an application that does nothing

_CHAT: Final[dict[str, Any]] = {
    "model": "verbatim-demo",
    "messages": [{"role": "user", "content": "Hello! Who are you?"}],
}


class Asked(NamedTuple):
    """A contract's request as it is sent for a number of tokens, whole or as a stream.

    max_tokens: the field's name, that of the object around it and a dot before it. asks: for a stream, so.
    """

    path: str
    stream_path: str
    body: dict[str, Any]
    max_tokens: str
    asks: Mapping[str, Any] = {"stream": True}

    def request(self, num_tokens: int, *, streams: bool) -> bytes:
        body = {**self.body}
        outer, _, inner = self.max_tokens.rpartition(".")
        body |= {outer: {inner: num_tokens}} if outer else {inner: num_tokens}
        if streams:
            body |= self.asks
        return post(self.stream_path if streams else self.path, json.dumps(body).encode())


def _chat(path: str) -> Asked:
    return Asked(path, path, _CHAT, "max_tokens")


REQUESTS: Final = {
    "openai": _chat("/openai/v1/chat/completions"),
    "tgi": Asked(
        "/tgi/generate", "/tgi/generate_stream", {"inputs": "Hello!"}, "parameters.max_new_tokens", {}
    ),
    "tgi chat": _chat("/tgi/v1/chat/completions"),
    "hf chat": _chat("/hf/v1/chat/completions"),
    "mindie": _chat("/mindie/v1/chat/completions"),
    "aleph_alpha": _chat("/aleph_alpha/chat/completions"),
    "triton": Asked(
        "/triton/v2/models/verbatim-demo/generate",
        "/triton/v2/models/verbatim-demo/generate_stream",
        {"text_input": "Hello"},
        "parameters.max_tokens",
    ),
}


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(
        f"an engine that computes nothing; processor µs of the server, {arguments.clients} clients, "
        f"{arguments.requests} requests of one token each and streams of {arguments.tokens}"
    )
    with _server("--bare") as (port, pid):
        rows = [await _measure(BARE, Asked(PATH, STREAM_PATH, {}, "max_tokens"), port, pid, arguments)]
    with _server() as (port, pid):
        rows += [
            await _measure(name, asked, port, pid, arguments)
            for name, asked in REQUESTS.items()
            if not arguments.only or name in arguments.only
        ]
    print_table(rows)
    return rows


async def _measure(name: str, asked: Asked, port: int, pid: int, arguments: argparse.Namespace) -> Row:
    connections = [await Connection.open("127.0.0.1", port) for _ in range(arguments.clients)]
    whole, stream = asked.request(1, streams=False), asked.request(arguments.tokens, streams=True)
    await _requests(connections, whole, arguments.warm_up)
    num_each = arguments.requests // arguments.clients
    requests = await _watched(pid, _requests(connections, whole, num_each))
    streams = await _watched(pid, _requests(connections, stream, 1))
    for connection in connections:
        connection.close()
    return {
        "contract": name,
        "request_us": 1e6 * requests.loop_s / requests.num_requests,
        "request_all_us": 1e6 * requests.all_s / requests.num_requests,
        "requests_per_s": requests.num_requests / requests.wall_s,
        "events_each": streams.num_events / arguments.clients,
        "event_us": 1e6 * streams.loop_s / streams.num_events,
        "event_all_us": 1e6 * streams.all_s / streams.num_events,
        "events_per_s": streams.num_events / streams.wall_s,
    }


class _Cost(NamedTuple):
    """loop_s: of the thread that serves. all_s: of all threads, so the scripted engine's and the workers'."""

    num_requests: int
    num_events: int
    wall_s: float
    loop_s: float
    all_s: float


async def _requests(connections: list[Connection], request: bytes, num_each: int) -> tuple[int, int]:
    """How many requests were answered, and with how many events. AssertionError for a refusal."""

    async def ask(connection: Connection) -> int:
        num_events = 0
        for _ in range(num_each):
            answer = await connection.ask(request)
            assert answer.status == 200, bytes(answer.received)
            num_events += answer.num_events
        return num_events

    events = await asyncio.gather(*map(ask, connections))
    return num_each * len(connections), sum(events)


async def _watched(pid: int, work: Any) -> _Cost:
    before, started = processor_s(pid), time.perf_counter()
    count, num_events = await work
    wall_s, after = time.perf_counter() - started, processor_s(pid)
    return _Cost(
        count,
        num_events,
        wall_s,
        loop_s=after[pid] - before.get(pid, 0.0),
        all_s=sum(after.values()) - sum(before.values()),
    )


def processor_s(pid: int) -> dict[int, float]:
    """Seconds on a processor of each thread of a process, by Linux's scheduler; the first has its pid."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(task.name): int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks}


@contextmanager
def _server(*options: str) -> Iterator[tuple[int, int]]:
    """The port and the process of a scripted server."""
    command = [sys.executable, "-m", "tools.bench.scripted_server", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.terminate()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=REQUESTS, help="these contracts")
    parser.add_argument("--clients", type=int, default=32, help="at the same time")
    parser.add_argument("--requests", type=int, default=6400, help="of one token, in all")
    parser.add_argument("--warm-up", type=int, default=200, help="requests of each client before")
    parser.add_argument("--tokens", type=int, default=1000, help="of each stream")
