"""Measurements of servers under load: the times of tokens for concurrent streaming clients."""

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import string
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final, NamedTuple, TypeVar

import uvloop

from tools.bench.comparison.contender import Contender, Failed, Turns, start
from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.http.connection import Answer, Connection, post
from tools.bench.table import Row, print_tables

T = TypeVar("T")

PATH: Final = "/v1/chat/completions"
MAX_START_S: Final = 400.0
_ASK_EVERY_S: Final = 0.02
# Occurs in events with text; some servers first send an event with only the role.
_TEXT: Final = re.compile(rb'"content": ?"([^"]+)"')


class Load(NamedTuple):
    """A number of concurrent requests, with the numbers of their prompt and answer tokens."""

    num_requests: int
    num_prompt_tokens: int
    num_tokens: int


class Measured(NamedTuple):
    """The measurements of a load, in seconds. gaps: times between events with text, of all requests."""

    tokens_per_s: float
    firsts: list[float]
    gaps: list[float]


class Server:
    """A server that only runs during its turns. start_s: seconds from its start to its first answer."""

    def __init__(self, contender: Contender, model: Path) -> None:
        """Start the server. Raises Failed if the contender has none, or if it does not start."""
        self.name = contender.name
        self.beside = contender.kind.beside
        self.port = free_port()
        self._model = str(model)
        command = contender.server(model, self.port)
        log = contender.log.with_suffix(".server.log")
        started = time.perf_counter()
        self.turns: Turns = start(command, log)
        try:
            with_low_priority(self._come_up())
        except Failed as error:
            self.end()
            raise Failed(f"{error}: see {log}") from None
        self.start_s = time.perf_counter() - started
        os.killpg(self.turns.process.pid, signal.SIGSTOP)

    def measure(self, load: Load, random: Random) -> Measured:
        """Send all requests concurrently, with new prompts."""
        prompts = [_text(random, load.num_prompt_tokens) for _ in range(load.num_requests)]
        requests = [self._request(prompt, load.num_tokens) for prompt in prompts]
        with self.turns.turn():
            started, answers = with_low_priority(ask_all(self.port, requests))
        arrivals = [
            text_arrivals(answer, prompt, load.num_tokens)
            for answer, prompt in zip(answers, prompts, strict=True)
        ]
        wall_s = max(answer.arrivals[-1][0] for answer in answers) - started
        return Measured(
            tokens_per_s=load.num_requests * load.num_tokens / wall_s,
            firsts=[times[0] - started for times in arrivals],
            gaps=[later - earlier for times in arrivals for earlier, later in pairwise(times)],
        )

    def end(self) -> None:
        self.turns.end()

    def _request(self, text: str, num_tokens: int) -> bytes:
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            "max_tokens": num_tokens,
            "temperature": 0,
            "stream": True,
        }
        return post(PATH, json.dumps(body).encode())

    async def _come_up(self) -> None:
        request = self._request("a" * 8, 4)
        ends = time.perf_counter() + MAX_START_S
        while time.perf_counter() < ends:
            if self.turns.process.poll() is not None:
                raise Failed(f"{self.name}'s server ended")
            try:
                connection = await Connection.open("127.0.0.1", self.port)
                answer = await connection.ask(request)
                connection.close()
                if answer.status == 200:
                    return
            except OSError:
                pass
            await asyncio.sleep(_ASK_EVERY_S)
        raise Failed(f"{self.name}'s server did not answer in {MAX_START_S:.0f} s")


async def ask_all(port: int, requests: list[bytes]) -> tuple[float, list[Answer]]:
    """Send all requests concurrently; return the time at which they were sent, and the complete answers."""
    connections = [await Connection.open("127.0.0.1", port) for _ in requests]
    started = time.perf_counter()
    answers = await asyncio.gather(
        *(connection.ask(request) for connection, request in zip(connections, requests, strict=True))
    )
    for connection in connections:
        connection.close()
    return started, answers


def text_arrivals(answer: Answer, prompt: str, num_tokens: int) -> list[float]:
    """Return the arrival times of the answer's text, without the prompt, which transformers sends first.

    Raises Failed if the answer has clearly fewer tokens than requested.
    """
    texts = [(seconds, text) for seconds, data in answer.arrivals for text in _TEXT.findall(data)]
    times = [seconds for seconds, text in texts if text.decode(errors="replace") != prompt]
    if answer.status != 200 or 2 * len(times) < num_tokens:
        raise Failed(f"answered {answer.status}, {len(times)} pieces of text: {bytes(answer.received)!r}")
    return sorted(set(times))


def with_low_priority(work: Coroutine[Any, Any, T]) -> T:
    """Run a client in a thread with low priority, so that it takes no CPU time from the server."""

    def run() -> T:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(work)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def _text(random: Random, num_tokens: int) -> str:
    """Return a random text of `num_tokens` bytes, each of which is a token of the random model."""
    return "".join(random.choices(string.ascii_letters, k=num_tokens))


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def loads(arguments: argparse.Namespace) -> list[Load]:
    """Return all combinations of concurrency, prompt length and output length."""
    return [
        Load(num, prompt, output)
        for prompt in arguments.prompts
        for output in arguments.outputs
        for num in arguments.requests
    ]


def _warm_up(arguments: argparse.Namespace) -> Load:
    return Load(max(arguments.requests), min(arguments.prompts), min(arguments.outputs))


def run(servers: list[Server], arguments: argparse.Namespace) -> list[Row]:
    """Measure the servers by turns; print and return a row for each load and server."""
    results = by_turns(
        servers,
        loads(arguments),
        arguments.rounds,
        lambda server, load, number: server.measure(load, Random(f"{number} {load}")),
        warm_up=[_warm_up(arguments)],
    )
    return print_tables(
        [[_row(load, server, measured) for server in servers] for load, measured in results.items()]
    )


def _row(load: Load, server: Server, results: dict[str, list[Measured]]) -> Row:
    """Return a row. ratio, first_ratio: ours over theirs; ours is faster if above 1, and below 1."""
    rounds, ours = results[server.name], results.get(server.beside, [])
    speeds = _speeds(rounds)
    ratio = compare(_speeds(ours), speeds)
    firsts = [first for measured in rounds for first in measured.firsts]
    gaps = [gap for measured in rounds for gap in measured.gaps]
    return {
        "requests": load.num_requests,
        "prompt": load.num_prompt_tokens,
        "output": load.num_tokens,
        "server": server.name,
        "tokens_per_s": median(speeds),
        "first_p50_ms": 1e3 * median(firsts),
        "first_p99_ms": 1e3 * _p99(firsts),
        "gap_p50_ms": 1e3 * median(gaps),
        "gap_p99_ms": 1e3 * _p99(gaps),
        "ratio": ratio.median,
        "lowest": ratio.lowest,
        "highest": ratio.highest,
        "first_ratio": compare(_firsts(ours), _firsts(rounds)).median,
    }


def _speeds(rounds: list[Measured]) -> list[float]:
    return [measured.tokens_per_s for measured in rounds]


def _firsts(rounds: list[Measured]) -> list[float]:
    """Return the median time to the first text in each round."""
    return [median(measured.firsts) for measured in rounds]


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[-1] if len(values) > 1 else values[0]
