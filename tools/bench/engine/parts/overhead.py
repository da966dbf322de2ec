"""Measure the engine's overhead in a step of the demo model: everything except the model and the sampler."""

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any
from unittest.mock import patch

from engine.async_engine import AsyncEngine
from engine.attention.plan import AttentionPlan
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.demo_model import DEMO_MODEL
from engine.model.runner import ModelRunner
from engine.port.request import SamplingParams
from engine.sampling import logprobs, sampler
from tools.bench.engine.decoding import decode
from tools.bench.stopwatch import Stopwatch
from tools.bench.table import Row, print_table

PROMPT = "Tell me something about the city of Oslo, and take as long as you like."

GREEDY: dict[str, Any] = {"temperature": 0.0}
SAMPLED: dict[str, Any] = {"temperature": 0.7, "top_p": 0.9}
LOGPROBS: dict[str, Any] = {"num_logprobs": 5}
MIXES = {
    "greedy": GREEDY,
    "greedy, 5 logprobs": GREEDY | LOGPROBS,
    "sampled": SAMPLED,
    "sampled, 5 logprobs": SAMPLED | LOGPROBS,
}

_ARITHMETIC = (
    (sampler, "draw_greedy"),
    (sampler, "draw_top_k"),
    (sampler, "draw_vocabulary"),
    (sampler, "adjust_logits"),
    (sampler, "log_probabilities"),
    (logprobs, "top_tokens"),
)


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(f"{arguments.sequences} sequences decode at the same time; processor ms a step, medians")
    rows = [await _measure(name, arguments) for name in MIXES]
    print_table(rows)
    return rows


async def _measure(mix: str, arguments: argparse.Namespace) -> Row:
    engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), device="cpu"))
    prompt = engine.tokenizer.encode(PROMPT)
    with _watched_steps(arguments.sequences) as steps:
        loop_started = time.thread_time()
        await asyncio.gather(
            *(
                decode(engine, str(n), prompt, SamplingParams(**MIXES[mix], seed=n), arguments.tokens)
                for n in range(arguments.sequences)
            )
        )
        loop_s = time.thread_time() - loop_started
    num_steps = engine.stats().counters.num_steps
    await engine.stop()
    return _row(mix, steps, loop_s / num_steps)


def _row(mix: str, steps: list[dict[str, float]], loop_s: float) -> Row:
    """Return the row of a mix of requests. loop_s: seconds to deliver a step's events in the event loop."""
    core = median(
        step["step"] - step["model"] + step["layout"] - step.get("arithmetic", 0.0) for step in steps
    )
    return {
        "mix": mix,
        "steps": len(steps),
        "model_ms": 1e3 * median(step["model"] - step["layout"] for step in steps),
        "arithmetic_ms": 1e3 * median(step.get("arithmetic", 0.0) for step in steps),
        "core_ms": 1e3 * core,
        "loop_ms": 1e3 * loop_s,
        "overhead_ms": 1e3 * (core + loop_s),
    }


@contextmanager
def _watched_steps(num_sequences: int) -> Iterator[list[dict[str, float]]]:
    """Collect the times of each step that only decodes this number of sequences while the block runs."""
    watch = Stopwatch(time.thread_time)
    steps: list[dict[str, float]] = []
    step = EngineCore.step

    def noted(core: EngineCore) -> Any:
        num_computed = core.counters.num_computed_tokens
        outputs = step(core)
        seconds = watch.take()
        if core.counters.num_computed_tokens - num_computed == len(outputs) == num_sequences:
            steps.append(seconds)
        return outputs

    with ExitStack() as stack:
        stack.enter_context(watch.watch("step", (EngineCore, "step")))
        step = EngineCore.step
        stack.enter_context(patch.object(EngineCore, "step", noted))
        stack.enter_context(watch.watch("model", (ModelRunner, "run")))
        stack.enter_context(watch.watch("layout", (AttentionPlan, "build")))
        stack.enter_context(watch.watch("arithmetic", *_ARITHMETIC))
        yield steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sequences", type=int, default=32, help="number of concurrent sequences")
    parser.add_argument("--tokens", type=int, default=200, help="tokens of each sequence")
