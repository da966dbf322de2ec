"""Profile a step: milliseconds by part while 1, 8 and 32 sequences decode, and for prompts."""

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final
from unittest.mock import patch

import msgspec
from torch import nn
from transformers import Qwen2Model

from engine.attention.paged_attention import PagedAttention
from engine.build import build_core
from engine.config import QUANTIZATIONS, EngineConfig
from engine.core import core as core_module
from engine.core.core import EngineCore
from engine.fusion.decode_fast_path import DecodeFastPath
from engine.fusion.native_decoder import NativeDecoder, PartTimes
from engine.fusion.native_layer_end import NativeLayerEnd
from engine.linear.packed_linear import PackedLinear
from engine.linear.panel_linear import PanelLinear
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.model.runner import ModelRunner
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.sampling.sampler import LaunchedSamples, Sampler
from engine.scheduling.scheduler import Scheduler
from tools.bench.random_model import SHAPES, write_model
from tools.bench.stopwatch import Stopwatch
from tools.bench.table import Row, print_table

NUM_PROMPT_TOKENS = 128
NUM_STEPS = 16
NUM_TURNS = 3


# The options of the engine by the name of a variant.
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    "float32": {"dtype": "float32"},
    "pairs": {"bfloat16_products": "pairs"},
    "widened": {"bfloat16_products": "widened"},
    **{name: {"quantize": name} for name in QUANTIZATIONS},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a few seconds")
    parser.add_argument(
        "--requests", type=int, nargs="*", default=[1, 8, 32], help="numbers of concurrent requests"
    )
    parser.add_argument(
        "--prompts", type=int, nargs="+", default=[128, 512], help="lengths of prompts in tokens"
    )
    parser.add_argument(
        "--sampling",
        type=msgspec.json.Decoder(SamplingParams).decode,
        default=SamplingParams(temperature=0.0),
        help='how tokens are drawn, in JSON, such as {"top_p": 0.9}; greedily if not given',
    )
    parser.add_argument(
        "--variants", nargs="+", choices=VARIANTS, default=["default"], help="variants to compare"
    )


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(
        f"{shape}'s shape, random bfloat16 weights, {NUM_PROMPT_TOKENS} prompt tokens, then {NUM_STEPS} steps"
    )
    print("milliseconds of a step by part, medians")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        contestants = [Contestant(name, directory, arguments.sampling) for name in arguments.variants]
    vocab_size = SHAPES[shape]["vocab_size"]
    rows = [row for count in arguments.requests for row in profile(contestants, count, vocab_size)]
    rows += [row for num in arguments.prompts for row in profile_prompts(contestants, num, vocab_size)]
    print_table(rows)
    return rows


class Contestant:
    """The engine of a variant; `step` returns the milliseconds of the next step by part."""

    def __init__(self, name: str, directory: str, sampling: SamplingParams) -> None:
        self.name = name
        self.sampling = sampling
        config = EngineConfig(
            model=directory,
            device="cpu",
            kv_cache_bytes=2**29,
            prefix_caching=False,
            **VARIANTS[name],
        )
        started = time.perf_counter()
        self.core = build_core(config, lambda line: None).core
        print(f"{name}: loaded in {time.perf_counter() - started:.1f} s", flush=True)

    def step(self) -> Row:
        return _measured_step(self.core)

    def start(self, num_requests: int, vocab_size: int) -> None:
        """Start sequences, and run them until all decode."""
        scheduler = self.core.scheduler
        for arrival in range(num_requests):
            _add(self, arrival, NUM_PROMPT_TOKENS, vocab_size, max_tokens=4 * NUM_STEPS)
        while not all(sequence.is_decoding for sequence in scheduler.running + scheduler.waiting):
            self.step()


def profile(contestants: list[Contestant], num_requests: int, vocab_size: int) -> list[Row]:
    """Return the median step of each contestant while all sequences decode, measured by turns."""
    for contestant in contestants:
        contestant.start(num_requests, vocab_size)
    steps = [[contestant.step() for contestant in contestants] for _ in range(NUM_STEPS)]
    for contestant in contestants:
        for arrival in range(num_requests):
            contestant.core.abort(arrival)
    return _rows(f"decode {num_requests}", contestants, steps)


def profile_prompts(contestants: list[Contestant], num_tokens: int, vocab_size: int) -> list[Row]:
    """Return the median step of each contestant that computes a prompt, measured by turns."""
    steps = []
    for _ in range(NUM_TURNS):
        for contestant in contestants:
            _add(contestant, 0, num_tokens, vocab_size, max_tokens=2)
        steps.append([contestant.step() for contestant in contestants])
        for contestant in contestants:
            contestant.core.abort(0)
    return _rows(f"prompt of {num_tokens}", contestants, steps)


def _rows(kind: str, contestants: list[Contestant], steps: list[list[Row]]) -> list[Row]:
    return [
        {"step": kind, "variant": contestant.name, **_medians(list(own))}
        for contestant, own in zip(contestants, zip(*steps, strict=True), strict=True)
    ]


def _add(contestant: Contestant, arrival: int, num_tokens: int, vocab_size: int, *, max_tokens: int) -> None:
    random = Random(arrival)
    request = GenerationRequest(
        request_id=str(arrival),
        prompt=Prompt(tuple(random.randrange(vocab_size) for _ in range(num_tokens))),
        sampling=contestant.sampling,
        stopping=StopConditions(max_tokens=max_tokens),
    )
    contestant.core.add(arrival, request)


def _measured_step(core: EngineCore) -> Row:
    stopwatch = Stopwatch(time.perf_counter)
    places: dict[str, list[tuple[Any, str]]] = {
        "run": [(ModelRunner, "run")],
        "body": [(Qwen2Model, "forward"), (DecodeFastPath, "hidden_states")],
        "linears": [
            (PanelLinear, "forward"),
            (PackedLinear, "forward"),
            (RoundedLinear, "forward"),
            (nn.Linear, "forward"),
            (NativeLayerEnd, "__call__"),
        ],
        "attention": [(PagedAttention, "attend")],
        "sampling": [(Sampler, "launch"), (LaunchedSamples, "results")],
        "scheduling": [(Scheduler, "schedule"), (Scheduler, "complete"), (core_module, "build_batch")],
    }
    times = PartTimes()
    with ExitStack() as stack:
        for kind, owners in places.items():
            stack.enter_context(stopwatch.watch(kind, *owners))
        stack.enter_context(patch.object(NativeDecoder, "times", times))
        started = time.perf_counter()
        core.step()
        return _parts(time.perf_counter() - started, stopwatch.take(), times)


def _parts(total: float, taken: dict[str, float], times: PartTimes) -> Row:
    """Return the milliseconds of the parts, which do not overlap. times: of layers that ran in one call."""
    head = taken["run"] - taken["body"]
    linears = taken["linears"] - head + times.products
    attention = taken.get("attention", 0.0) + times.attention
    inside = {
        "linears": linears,
        "head": head,
        "attention": attention,
        "norms, rope, python": taken["body"] - linears - attention,
        "sampling": taken.get("sampling", 0.0),  # a chunk that does not end a prompt samples nothing
        "scheduling": taken["scheduling"],
    }
    rest = {"the rest": total - sum(inside.values()), "total": total}
    return {name: 1e3 * seconds for name, seconds in (inside | rest).items()}


def _medians(steps: list[Row]) -> Row:
    return {name: median(float(step[name]) for step in steps) for name in steps[0]}
