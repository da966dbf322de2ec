"""Where a step's time goes: milliseconds by part, while 1, 8 and 32 sequences decode, and for a prompt."""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from torch import nn
from transformers import Qwen2Model

import engine.core
from engine.attention import PagedAttention
from engine.build import build_core
from engine.config import EngineConfig
from engine.core import EngineCore
from engine.int8_linear import Int8Linear
from engine.linear import PackedLinear
from engine.model_runner import ModelRunner
from engine.request import GenerationRequest, SamplingParams, StopConditions
from engine.sampler import Sampler
from engine.scheduler import Scheduler
from tools.bench.random_model import SHAPES, write_model
from tools.bench.stopwatch import Stopwatch
from tools.bench.table import Row, print_table

NUM_PROMPT_TOKENS = 128
NUM_STEPS = 24
PREFILL_TOKENS = 512


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", action="store_true", help="a small model, for a check of a few seconds")
    parser.add_argument("--requests", type=int, nargs="+", default=[1, 8, 32], help="at the same time")
    parser.add_argument("--quantize", default=None, help="as of the server")


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{shape}'s shape, random bfloat16 weights, quantize {arguments.quantize}")
    print(f"median of {NUM_STEPS} steps that decode, after {NUM_PROMPT_TOKENS} prompt tokens; milliseconds")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        config = EngineConfig(
            model=directory,
            device="cpu",
            kv_cache_bytes=2**30,
            prefix_caching=False,
            quantize=arguments.quantize,
        )
        started = time.perf_counter()
        core = build_core(config, lambda line: None)[0]
        print(f"loaded in {time.perf_counter() - started:.1f} s")
        vocab_size = SHAPES[shape]["vocab_size"]
        rows = [profile(core, num_requests, vocab_size) for num_requests in arguments.requests]
        rows.append(profile_prompt(core, vocab_size))
    print_table(rows)
    return rows


def profile(core: EngineCore, num_requests: int, vocab_size: int) -> Row:
    """The median of steps in which all sequences decode."""
    for arrival in range(num_requests):
        _add(core, arrival, NUM_PROMPT_TOKENS, vocab_size, max_tokens=2 * NUM_STEPS + num_requests)
    while not all(sequence.is_decoding for sequence in core.scheduler.running + core.scheduler.waiting):
        core.step()
    steps = list(_steps(core, NUM_STEPS))
    for arrival in range(num_requests):
        core.abort(arrival)
    return {"step": f"decode {num_requests}", **_medians(steps)}


def profile_prompt(core: EngineCore, vocab_size: int) -> Row:
    """The median of some prompts, each computed in one step."""
    steps = []
    for arrival in range(5):
        _add(core, arrival, PREFILL_TOKENS, vocab_size, max_tokens=2)
        steps += _steps(core, 1)
        core.abort(arrival)
    return {"step": f"prompt {PREFILL_TOKENS}", **_medians(steps)}


def _add(core: EngineCore, arrival: int, num_tokens: int, vocab_size: int, *, max_tokens: int) -> None:
    random = Random(arrival)
    request = GenerationRequest(
        request_id=str(arrival),
        prompt_token_ids=tuple(random.randrange(vocab_size) for _ in range(num_tokens)),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=max_tokens),
    )
    core.add(arrival, request)


def _steps(core: EngineCore, num_steps: int) -> Iterator[Row]:
    """Milliseconds of each step by part. A part's time does not hold those of the parts inside it."""
    stopwatch = Stopwatch()
    places: dict[str, list[tuple[Any, str]]] = {
        "run": [(ModelRunner, "run")],
        "body": [(Qwen2Model, "forward")],
        "linears": [(PackedLinear, "forward"), (Int8Linear, "forward"), (nn.Linear, "forward")],
        "attention": [(PagedAttention, "attend")],
        "sample": [(Sampler, "sample")],
        "schedule": [(Scheduler, "schedule"), (Scheduler, "complete"), (engine.core, "build_batch")],
    }
    with ExitStack() as stack:
        for kind, owners in places.items():
            stack.enter_context(stopwatch.watch(kind, *owners))
        for _ in range(num_steps):
            started = time.thread_time()
            core.step()
            yield _parts(time.thread_time() - started, stopwatch.take())


def _parts(total: float, taken: dict[str, float]) -> Row:
    head = taken["run"] - taken["body"]
    body_linears = taken["linears"] - head
    attention = taken["attention"]
    parts = {
        "linears": body_linears,
        "head": head,
        "attention": attention,
        "norms, rope, python": taken["body"] - body_linears - attention,
        "sampling": taken["sample"],
        "scheduling": taken["schedule"],
        "the rest": total - taken["run"] - taken["sample"] - taken["schedule"],
        "total": total,
    }
    return {name: 1e3 * seconds for name, seconds in parts.items()}


def _medians(steps: list[Row]) -> Row:
    return {name: median(float(step[name]) for step in steps) for name in steps[0]}
