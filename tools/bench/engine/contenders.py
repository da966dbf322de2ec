"""The engines to compare: Verbatim's, and transformers' `generate` with the same batch size."""

import asyncio
import time
from pathlib import Path
from typing import Any, Protocol

import torch
from transformers import AutoModelForCausalLM

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions


class Contender(Protocol):
    name: str

    async def generate(self, prompts: list[list[int]], num_tokens: int) -> float:
        """Return the seconds to generate `num_tokens` greedy tokens for each prompt in parallel."""
        ...


class Verbatim:
    """Verbatim's engine through its public interface, with scheduling, sampling and detokenization."""

    name = "verbatim"

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    async def load(cls, directory: Path) -> "Verbatim":
        # Without prefix caching, since rounds repeat their prompts.
        config = EngineConfig(model=str(directory), kv_cache_bytes=2**30, prefix_caching=False)
        return cls(await AsyncEngine.start(config))

    async def stop(self) -> None:
        await self._engine.stop()

    async def generate(self, prompts: list[list[int]], num_tokens: int) -> float:
        started = time.perf_counter()
        await asyncio.gather(
            *(self._run(str(number), prompt, num_tokens) for number, prompt in enumerate(prompts))
        )
        return time.perf_counter() - started

    async def _run(self, name: str, prompt: list[int], num_tokens: int) -> None:
        request = GenerationRequest(
            request_id=name,
            prompt=Prompt(tuple(prompt)),
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=num_tokens),
        )
        num_events = len([event async for event in self._engine.submit(request)])
        assert num_events == num_tokens


class Transformers:
    """`generate` with its defaults: SDPA attention and a dynamic cache."""

    name = "transformers"

    def __init__(self, directory: Path, device: str) -> None:
        auto: Any = AutoModelForCausalLM
        self._model = auto.from_pretrained(directory, dtype=torch.bfloat16).to(device)

    async def generate(self, prompts: list[list[int]], num_tokens: int) -> float:
        started = time.perf_counter()
        ids = torch.tensor(prompts, device=self._model.device)
        output = self._model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=num_tokens, do_sample=False
        )
        assert output.shape[1] == ids.shape[1] + num_tokens
        return time.perf_counter() - started
