"""Measure the event loop and the time to the first token while many clients send an image each.

The server runs in a separate process that monitors its own loop. Each row is for one image height. Images are
sent to OpenAI's chat completions as data URLs. Times are medians over rounds; `longest_ms` is the maximum of
all rounds. `again_x` is the time to the first token for an image that a single client sends again, relative
to the first time.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
from PIL import Image

from tools.bench.http.connection import Connection, post
from tools.bench.http.image_server import MODEL_NAME, LoopFigures
from tools.bench.random_vision_model import write_vision_model
from tools.bench.table import Row, print_table

_HOST: Final = "127.0.0.1"
_PATH: Final = "/openai/v1/chat/completions"
_NUM_PAIRS: Final = 5  # pairs of requests with the same image
_MAX_IMAGE_TOKENS: Final = 256


class _Server(NamedTuple):
    port: int
    process: asyncio.subprocess.Process

    async def figures(self) -> LoopFigures:
        """Return the measurements since the last call."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(b"\n")
        return LoopFigures(*json.loads(await self.process.stdout.readline()))


class _Round(NamedTuple):
    """The measurements of a round. first_s: the time to the first token of each client."""

    first_s: list[float]
    loop: LoopFigures


async def run(arguments: argparse.Namespace) -> list[Row]:
    with TemporaryDirectory() as directory:
        model = arguments.model
        if model is None:
            model = directory
            write_vision_model(Path(directory), _MAX_IMAGE_TOKENS)
        async with _running_server(model) as server:
            rows = [
                await _row(server, height, arguments.clients, arguments.rounds)
                for height in arguments.heights
            ]
    print_table(rows)
    return rows


@asynccontextmanager
async def _running_server(model: str) -> AsyncIterator[_Server]:
    command = (sys.executable, "-m", "tools.bench.http.image_server", model)
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdin is not None and process.stdout is not None
    try:
        server = _Server(int(await process.stdout.readline()), process)
        await _ask_at_once(server, [_request(_drawing(64, 0))])
        yield server
    finally:
        process.stdin.close()
        await process.wait()


async def _row(server: _Server, height: int, num_clients: int, num_rounds: int) -> Row:
    requests = [_request(_drawing(height, seed)) for seed in range(num_clients * num_rounds)]
    rounds = [
        await _ask_at_once(server, requests[start : start + num_clients])
        for start in range(0, len(requests), num_clients)
    ]
    again = [await _again(server, _request(_drawing(height, -1 - pair))) for pair in range(_NUM_PAIRS)]
    return {
        "height": str(height),
        "kB": median(map(len, requests)) / 1e3,
        "clients": str(num_clients),
        "stall_ms": 1e3 * median(one.loop.stall_s for one in rounds),
        "longest_ms": 1e3 * max(one.loop.stall_s for one in rounds),
        "p99_ms": 1e3 * median(one.loop.late_s for one in rounds),
        "turn_ms": 1e3 * median(one.loop.turn_s for one in rounds),
        "first_s": median(median(one.first_s) for one in rounds),
        "slowest_s": median(max(one.first_s) for one in rounds),
        "again_x": median(again),
    }


async def _ask_at_once(server: _Server, requests: Sequence[bytes]) -> _Round:
    connections = [await Connection.open(_HOST, server.port) for _ in requests]
    await server.figures()
    firsts = await asyncio.gather(*map(_first_s, connections, requests))
    loop = await server.figures()
    for connection in connections:
        connection.close()
    return _Round(list(firsts), loop)


async def _again(server: _Server, request: bytes) -> float:
    connection = await Connection.open(_HOST, server.port)
    before, after = [await _first_s(connection, request) for _ in range(2)]
    connection.close()
    return after / before


async def _first_s(connection: Connection, request: bytes) -> float:
    """Send a request; return the seconds to the first event of its stream."""
    began = perf_counter()
    answer = await connection.ask(request)
    assert answer.status == 200, bytes(answer.received[:1000])
    return next(arrived for arrived, data in answer.arrivals if b"data:" in data) - began


def _drawing(height: int, seed: int) -> bytes:
    """Return a JPEG file with an aspect ratio of 4:3 and blurred blocks of random colours."""
    chances = np.random.default_rng(seed % 2**32)
    blocks = chances.integers(0, 256, (max(height // 8, 1), max(height // 6, 1), 3), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(blocks).resize((height * 4 // 3, height)).save(file, "JPEG", quality=90)
    return file.getvalue()


def _request(picture: bytes) -> bytes:
    url = f"data:image/jpeg;base64,{b64encode(picture).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "What is it?"}]
    body = {
        "model": MODEL_NAME,
        "messages": [{"role": "user", "content": parts}],
        "max_tokens": 4,
        "stream": True,
    }
    return post(_PATH, json.dumps(body).encode())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="model directory (default: a new model with random weights)")
    parser.add_argument(
        "--heights", type=int, nargs="+", default=[480, 1280, 2000], help="heights of images in pixels"
    )
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
