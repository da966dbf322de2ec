"""Compare the time to the first token of a cached prompt with that of a new one."""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from tools.bench.random_model import SHAPES, write_model
from tools.bench.table import Row, print_table


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{shape}'s shape, random bfloat16 weights; a prompt of {arguments.prompt} tokens, first token")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        engine = await AsyncEngine.start(EngineConfig(model=directory, kv_cache_bytes=2**30))
        rows = [await _measure(engine, prompt) for prompt in _prompts(arguments, SHAPES[shape]["vocab_size"])]
        await engine.stop()
    print_table(rows)
    ratio = median(float(row["ratio"]) for row in rows)
    print(f"median of the ratios: {ratio:.3f}")
    return rows


def _prompts(arguments: argparse.Namespace, vocab_size: int) -> Iterator[tuple[int, ...]]:
    random = Random(0)
    for _ in range(arguments.rounds):
        yield tuple(random.randrange(vocab_size) for _ in range(arguments.prompt))


async def _measure(engine: AsyncEngine, prompt: tuple[int, ...]) -> Row:
    """Measure the time without cache, then the median of three with all full blocks cached."""
    cold, num_computed = await _first_token_s(engine, prompt)
    assert num_computed == len(prompt)
    warm = [await _first_token_s(engine, prompt) for _ in range(3)]
    warm_s = median(seconds for seconds, _ in warm)
    return {"cold_ms": 1e3 * cold, "warm_ms": 1e3 * warm_s, "computed": warm[0][1], "ratio": warm_s / cold}


async def _first_token_s(engine: AsyncEngine, prompt: tuple[int, ...]) -> tuple[float, int]:
    """Return the seconds from submission, and the number of computed prompt tokens."""
    request = GenerationRequest(
        request_id="prefix",
        prompt=Prompt(prompt),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=1),
    )
    started = time.perf_counter()
    (event,) = [event async for event in engine.submit(request)]
    return time.perf_counter() - started, event.num_prompt_tokens - event.num_cached_tokens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a few seconds")
    parser.add_argument("--prompt", type=int, default=1000, help="tokens of the prompt")
    parser.add_argument("--rounds", type=int, default=5, help="number of prompts")
