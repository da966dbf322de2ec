"""Measure the time to the first token with many concurrent clients, with the demo model."""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from itertools import count
from random import Random
from statistics import median
from urllib.parse import urlsplit

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from engine.port.text.tokenizer import Tokenizer
from tools.bench.engine.decoding import decode
from tools.bench.table import Row, print_table

MIN_PROMPT, MAX_PROMPT = 20, 400  # tokens
NUM_TOKENS = 60

# Runs a prompt and returns the times of its events, by `time.perf_counter`.
Client = Callable[[list[int]], Awaitable[list[float]]]


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(f"prompts of {MIN_PROMPT} to {MAX_PROMPT} tokens, {NUM_TOKENS} generated; ms, all clients at once")
    engine = None
    tokenizer = Tokenizer.from_directory(DEMO_MODEL, vocab_size=1536, end_token_ids=())
    if arguments.url:
        client = _http_client(arguments.url, tokenizer)
    else:
        engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), device="cpu"))
        client = _engine_client(engine)
    random = Random()  # no fixed seed: a server may have the prompts of an earlier run in its cache
    await client(_prompt(random, tokenizer))  # warm-up, for lazy initialization
    rows = [await _measure(client, random, tokenizer, arguments.clients) for _ in range(arguments.rounds)]
    if engine:
        await engine.stop()
    print_table(rows)
    return rows


async def _measure(client: Client, random: Random, tokenizer: Tokenizer, num_clients: int) -> Row:
    prompts = [_prompt(random, tokenizer) for _ in range(num_clients)]
    started = time.perf_counter()
    times = await asyncio.gather(*(client(prompt) for prompt in prompts))
    first = [events[0] - started for events in times]
    gaps = [later - earlier for events in times for earlier, later in zip(events, events[1:], strict=False)]
    num_events = sum(map(len, times))
    return {
        "clients": num_clients,
        "first_median": 1e3 * median(first),
        "first_max": 1e3 * max(first),
        "ratio": max(first) / median(first),
        "gap_median": 1e3 * median(gaps),
        "gap_max": 1e3 * max(gaps),
        "tokens_per_s": num_events / (max(events[-1] for events in times) - started),
    }


def _prompt(random: Random, tokenizer: Tokenizer) -> list[int]:
    """Return a prompt of ordinary tokens, which does not share a prefix with other prompts."""
    ordinary = [
        token_id for token_id in sorted(tokenizer.known_ids) if tokenizer.token_text(token_id).isalpha()
    ]
    return random.choices(ordinary, k=random.randint(MIN_PROMPT, MAX_PROMPT))


def _engine_client(engine: AsyncEngine) -> Client:
    names = count()

    async def client(prompt: list[int]) -> list[float]:
        return await decode(engine, str(next(names)), prompt, SamplingParams(temperature=0.0), NUM_TOKENS)

    return client


def _http_client(url: str, tokenizer: Tokenizer) -> Client:
    """Return a client that streams from TGI's `/generate_stream` over a plain socket, which costs little."""
    place = urlsplit(url)
    assert place.hostname and place.port, "the URL must name host and port"
    host, port = place.hostname, place.port

    async def client(prompt: list[int]) -> list[float]:
        text = tokenizer.decode(prompt, skip_special_tokens=False)
        body = json.dumps({"inputs": text, "parameters": {"max_new_tokens": NUM_TOKENS}}).encode()
        head = (
            f"POST {place.path}/generate_stream HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(head.encode() + body)
        times = [time.perf_counter() async for line in reader if line.startswith(b"data:")]
        writer.close()
        await writer.wait_closed()
        assert times, "the answer holds no event"
        return times

    return client


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--url", help="server with TGI's API that serves the demo model; in-process if not given"
    )
    parser.add_argument("--clients", type=int, default=64, help="number of concurrent clients")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds with all clients")
