"""Measure decoding steps with and without LoRA adapters, and the delay of tokens while an adapter is loaded.

The adapters change all linear layers except the head. Steps of each kind are measured by turns. An adapter is
loaded from disk by the engine's adapter thread while requests decode without adapters.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoConfig

from engine.async_engine import AsyncEngine
from engine.config import QUANTIZATIONS, AdapterLimits, AdapterSource, EngineConfig
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from tools.bench.random_model import write_model
from tools.bench.table import Row, print_tables

_KINDS = ("none", "one", "each its own")
_WEIGHTS = "adapter_model.safetensors"


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(f"{arguments.shape}'s shape with random weights, {arguments.dtype}, rank {arguments.rank}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_model(root / "model", arguments.shape)
        sources = [_write(root, f"adapter{number}", arguments.rank) for number in range(arguments.sequences)]
        late_rank = arguments.late_rank or arguments.rank
        late = _write(root, "late", late_rank)
        config = EngineConfig(
            model=str(root / "model"),
            dtype=arguments.dtype,
            quantize=arguments.quantize,
            kv_cache_bytes=2**28,
            adapters=tuple(sources),
            adapter_root=folder,
            adapter_limits=AdapterLimits(max_in_memory=arguments.sequences + 1, max_rank=1024),
        )
        engine = await AsyncEngine.start(config)
        try:
            return print_tables([await _steps(engine, arguments), [await _loading(engine, late, arguments)]])
        finally:
            await engine.stop()


async def _steps(engine: AsyncEngine, arguments: argparse.Namespace) -> list[Row]:
    """Return the median step time of each kind."""
    times: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    for turn in range(arguments.rounds + 1):
        for kind in _KINDS:
            gaps = await _decode_all(engine, kind, arguments)
            if turn:  # the first turn is a warm-up
                times[kind] += gaps
    plain = median(times["none"])
    return [
        {"adapters": kind, "step ms": 1e3 * median(gaps), "ratio": median(gaps) / plain}
        for kind, gaps in times.items()
    ]


async def _loading(engine: AsyncEngine, source: AdapterSource, arguments: argparse.Namespace) -> Row:
    """Return the longest time between two tokens, without and with an adapter being loaded.

    Medians over the rounds, of the request that lasted longest.
    """
    longest: dict[bool, list[float]] = {False: [], True: []}
    took: list[float] = []
    for _ in range(arguments.rounds):
        for loads in (False, True):
            decoding = asyncio.create_task(_decode_all(engine, "none", arguments))
            await asyncio.sleep(0.2)
            if loads:
                began = time.perf_counter()
                await engine.adapters.load(source, replaces=True)
                took.append(time.perf_counter() - began)
            longest[loads].append(max(await decoding))
    alone, beside = (1e3 * median(longest[loads]) for loads in (False, True))
    size = (Path(source.path) / _WEIGHTS).stat().st_size
    return {
        "MiB": size / 2**20,
        "loading ms": 1e3 * median(took),
        "longest gap ms": alone,
        "while loading": beside,
        "longest of all": 1e3 * max(longest[True]),
    }


async def _decode_all(engine: AsyncEngine, kind: str, arguments: argparse.Namespace) -> list[float]:
    """Run concurrent requests, and return the times between the tokens of the last one."""
    number = arguments.sequences
    adapters: list[str | None] = [None] * number
    if kind != "none":
        adapters = [f"adapter{index if kind == 'each its own' else 0}" for index in range(number)]
    ends = await asyncio.gather(
        *(_decode(engine, index, adapter, arguments.tokens) for index, adapter in enumerate(adapters))
    )
    last = max(ends, key=lambda times: times[0])[2:]
    return [later - earlier for earlier, later in zip(last, last[1:], strict=False)]


async def _decode(engine: AsyncEngine, index: int, adapter: str | None, num_tokens: int) -> list[float]:
    request = GenerationRequest(
        request_id=str(index),
        prompt=Prompt(tuple(range(300 + 20 * index, 316 + 20 * index))),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=num_tokens, ignore_eos=True),
        adapter=adapter,
    )
    return [time.perf_counter() async for _ in engine.submit(request)]


def _write(root: Path, name: str, rank: int) -> AdapterSource:
    """Write an adapter with random weights for the model in this folder."""
    config: Any = AutoConfig.from_pretrained(root / "model")
    kv_size = config.num_key_value_heads * (config.hidden_size // config.num_attention_heads)
    hidden, inner = config.hidden_size, config.intermediate_size
    shapes = {
        "self_attn.q_proj": (hidden, hidden),
        "self_attn.k_proj": (hidden, kv_size),
        "self_attn.v_proj": (hidden, kv_size),
        "self_attn.o_proj": (hidden, hidden),
        "mlp.gate_proj": (hidden, inner),
        "mlp.up_proj": (hidden, inner),
        "mlp.down_proj": (inner, hidden),
    }
    tensors = {}
    for layer in range(config.num_hidden_layers):
        for path, (num_inputs, num_outputs) in shapes.items():
            prefix = f"base_model.model.model.layers.{layer}.{path}"
            tensors[f"{prefix}.lora_A.weight"] = torch.randn(rank, num_inputs) / num_inputs**0.5
            tensors[f"{prefix}.lora_B.weight"] = torch.randn(num_outputs, rank) / 10
    folder = root / name
    folder.mkdir()
    save_file(tensors, folder / _WEIGHTS)
    described = {"peft_type": "LORA", "r": rank, "lora_alpha": rank, "target_modules": "all-linear"}
    (folder / "adapter_config.json").write_text(json.dumps(described))
    return AdapterSource(name, str(folder))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", default="Qwen2.5-0.5B", help="shape of the model; `small` takes a minute")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--quantize", choices=QUANTIZATIONS)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument(
        "--late-rank", type=int, help="rank of the adapter to load; 122 is 256 MiB for Qwen2.5-0.5B"
    )
    parser.add_argument(
        "--sequences", type=int, default=8, help="concurrent requests, each with its own adapter"
    )
    parser.add_argument("--tokens", type=int, default=24, help="tokens of each output")
    parser.add_argument("--rounds", type=int, default=3)
