"""Measure the cost of KV events: an engine that publishes them and one that does not, by turns."""

import argparse
import asyncio
import random
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import zmq

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig, KVEventsConfig
from engine.core.core import EngineCore
from engine.demo_model import DEMO_MODEL
from engine.kv_events.publisher import KVEventPublisher
from engine.port.request import SamplingParams
from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.cache_changes import CacheChanges
from tools.bench.engine.decoding import decode
from tools.bench.stopwatch import Stopwatch
from tools.bench.table import Row, print_table

# All functions that the step thread runs for events; they are not nested.
_EVENTS: Final = (
    (BlockKeys, "stored"),
    (CacheChanges, "store"),
    (CacheChanges, "remove"),
    (KVEventPublisher, "publish"),
)
_NUM_PROMPT_TOKENS: Final = 64
_FIRST_ID: Final = 300  # lowest token id in prompts, to exclude control tokens
_END_ID: Final = 1500


async def run(arguments: argparse.Namespace) -> list[Row]:
    """Print and return a row for each engine.

    step_us: CPU time of the step thread for each step. events_us, share: the part of it that is spent on
    events. all_us: CPU time of the whole process for each step, including the sending thread. Each is the
    median of the rounds, with prompts that are not cached.
    """
    print(f"{arguments.sequences} sequences of {arguments.tokens} tokens; {arguments.rounds} rounds by turns")
    with TemporaryDirectory() as folder, zmq.Context() as context, context.socket(zmq.SUB) as subscriber:
        endpoint = f"ipc://{Path(folder, 'events')}"
        engines = {
            "without": await _start(None),
            "with KV events": await _start(KVEventsConfig(endpoint=endpoint)),
        }
        subscriber.subscribe(b"")
        subscriber.connect(endpoint)
        rounds: dict[str, list[dict[str, float]]] = {name: [] for name in engines}
        for number in range(arguments.rounds + 1):  # the first round is a warm-up
            for name, engine in engines.items():
                rounds[name].append(await _measure(engine, number, arguments))
        for engine in engines.values():
            await engine.stop()
    rows: list[Row] = [
        {"engine": name, **{key: median(row[key] for row in found[1:]) for key in found[0]}}
        for name, found in rounds.items()
    ]
    print_table(rows)
    return rows


async def _start(kv_events: KVEventsConfig | None) -> AsyncEngine:
    return await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), device="cpu", kv_events=kv_events))


async def _measure(engine: AsyncEngine, number: int, arguments: argparse.Namespace) -> dict[str, float]:
    watch = Stopwatch(time.thread_time)
    steps_before = engine.stats().counters.num_steps
    with watch.watch("step", (EngineCore, "step")), watch.watch("events", *_EVENTS):
        began_s = time.process_time()
        draws = random.Random(number)
        prompts = [
            [draws.randrange(_FIRST_ID, _END_ID) for _ in range(_NUM_PROMPT_TOKENS)]
            for _ in range(arguments.sequences)
        ]
        greedy = SamplingParams(temperature=0.0)
        await asyncio.gather(
            *(decode(engine, str(n), prompt, greedy, arguments.tokens) for n, prompt in enumerate(prompts))
        )
        all_s = time.process_time() - began_s
    num_steps = engine.stats().counters.num_steps - steps_before
    seconds = watch.take()
    events_s = seconds.get("events", 0.0)
    return {
        "step_us": 1e6 * seconds["step"] / num_steps,
        "events_us": 1e6 * events_s / num_steps,
        "share": events_s / seconds["step"],
        "all_us": 1e6 * all_s / num_steps,
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this measurement."""
    parser.add_argument("--sequences", type=int, default=32, help="number of concurrent sequences")
    parser.add_argument("--tokens", type=int, default=200, help="tokens of each sequence")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the median is reported")
