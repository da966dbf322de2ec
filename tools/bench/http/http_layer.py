"""Measure the server's CPU time per request and per streamed event, by contract, with a scripted engine."""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from tools.bench.http.bare_app import PATH, STREAM_PATH
from tools.bench.http.connection import Connection, post
from tools.bench.processor_time import threads_s
from tools.bench.table import Row, print_table

BARE: Final = "(bare)"  # a minimal application

_CHAT: Final[dict[str, Any]] = {
    "model": "verbatim-demo",
    "messages": [{"role": "user", "content": "Hello! Who are you?"}],
}


class Asked(NamedTuple):
    """The request of a contract, streamed or not.

    max_tokens: the field's name, with a dot after the name of an enclosing object. asks: the field that
    requests a stream. headers: that the contract requires.
    """

    path: str
    stream_path: str
    body: dict[str, Any]
    max_tokens: str
    asks: Mapping[str, Any] = {"stream": True}
    headers: Mapping[str, str] = {}

    def request(self, num_tokens: int, streams: bool) -> bytes:
        body = {**self.body}
        outer, _, inner = self.max_tokens.rpartition(".")
        body |= {outer: {inner: num_tokens}} if outer else {inner: num_tokens}
        if streams:
            body |= self.asks
        path = self.stream_path if streams else self.path
        return post(path, json.dumps(body).encode(), headers=self.headers)


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
    "anthropic": _chat("/anthropic/v1/messages")._replace(headers={"anthropic-version": "2023-06-01"}),
    "tokens": Asked(
        "/tokens/inference/v1/generate",
        "/tokens/inference/v1/generate",
        {"token_ids": [72, 101, 108, 108, 111], "sampling_params": {"max_tokens": 1}},
        "sampling_params.max_tokens",
    ),
    "triton": Asked(
        "/triton/v2/models/verbatim-demo/generate",
        "/triton/v2/models/verbatim-demo/generate_stream",
        {"text_input": "Hello"},
        "parameters.max_tokens",
    ),
}


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(
        f"an engine that computes nothing; processor µs of the server, least of {arguments.rounds} rounds\n"
        f"{arguments.clients} clients, {arguments.requests} requests of one token each, streams of "
        f"{arguments.tokens}; x: times what {BARE} takes"
    )
    costs = await _rounds(arguments)
    rows = [_row(name, of_one, costs[BARE]) for name, of_one in costs.items()]
    print_table(rows)
    return rows


async def _rounds(arguments: argparse.Namespace) -> dict[str, list["_Costs"]]:
    """Measure every contract once in each round, so that changes of the machine's speed affect all."""
    asked = {BARE: Asked(PATH, STREAM_PATH, {}, "max_tokens")}
    asked |= {name: REQUESTS[name] for name in arguments.only or REQUESTS}
    costs: dict[str, list[_Costs]] = {name: [] for name in asked}
    with _server("--bare") as bare, _server() as scripted:
        for _ in range(arguments.rounds):
            for name, request in asked.items():
                costs[name].append(await _measure(request, *(bare if name == BARE else scripted), arguments))
    return costs


async def _measure(asked: Asked, port: int, pid: int, arguments: argparse.Namespace) -> "_Costs":
    connections = [await Connection.open("127.0.0.1", port) for _ in range(arguments.clients)]
    whole, stream = asked.request(1, streams=False), asked.request(arguments.tokens, streams=True)
    await _requests(connections, whole, arguments.warm_up)
    num_each = arguments.requests // arguments.clients
    requests = await _watched(pid, _requests(connections, whole, num_each))
    events = await _watched(pid, _requests(connections, stream, 1))
    for connection in connections:
        connection.close()
    return _Costs(requests, events)


def _row(name: str, costs: list["_Costs"], bare: list["_Costs"]) -> Row:
    request, event = _least(costs)
    bare_request, bare_event = _least(bare)
    return {
        "contract": name,
        "request_us": request.loop_us,
        "request_x": request.loop_us / bare_request.loop_us,
        "request_all_us": request.all_us,
        "requests_per_s": request.per_s,
        "event_us": event.loop_us,
        "event_x": event.loop_us / bare_event.loop_us,
        "event_all_us": event.all_us,
        "events_per_s": event.per_s,
    }


def _least(costs: list["_Costs"]) -> "_Costs":
    """Return the minimum of each cost over the rounds, since other load can only increase it."""
    requests, events = (min(each, key=lambda cost: cost.loop_us) for each in zip(*costs, strict=True))
    return _Costs(requests, events)


class _Cost(NamedTuple):
    """The mean cost of a request or event.

    loop_us: CPU time of the server's thread. all_us: of all threads, including the scripted engine and the
    workers.
    """

    loop_us: float
    all_us: float
    per_s: float


class _Costs(NamedTuple):
    """The costs of a contract in one round: a request of one token, and an event of a stream."""

    requests: _Cost
    events: _Cost


async def _requests(connections: list[Connection], request: bytes, num_each: int) -> int:
    """Send requests; return the number of events, or of answers. Raises AssertionError for an error."""

    async def ask(connection: Connection) -> int:
        num_events = 0
        for _ in range(num_each):
            answer = await connection.ask(request)
            assert answer.status == 200, bytes(answer.received)
            num_events += answer.num_events or 1
        return num_events

    return sum(await asyncio.gather(*map(ask, connections)))


async def _watched(pid: int, work: Coroutine[Any, Any, int]) -> _Cost:
    """Return the mean cost of the items that the work counts."""
    before, started = threads_s(pid), time.perf_counter()
    count = await work
    wall_s, after = time.perf_counter() - started, threads_s(pid)
    return _Cost(
        loop_us=1e6 * (after[pid] - before[pid]) / count,
        all_us=1e6 * (sum(after.values()) - sum(before.values())) / count,
        per_s=count / wall_s,
    )


@contextmanager
def _server(*options: str) -> Iterator[tuple[int, int]]:
    """Run a scripted server; yield its port and process id."""
    command = [sys.executable, "-m", "tools.bench.http.scripted_server", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.terminate()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=REQUESTS, help="contracts to measure")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the minimum is reported")
    parser.add_argument("--clients", type=int, default=32, help="number of concurrent clients")
    parser.add_argument("--requests", type=int, default=1600, help="requests of one token in a round")
    parser.add_argument("--warm-up", type=int, default=10, help="warm-up requests of each client in a round")
    parser.add_argument("--tokens", type=int, default=300, help="tokens of each stream")
