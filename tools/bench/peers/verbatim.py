"""The driver of Verbatim's engine, which measures steps with scheduling, sampling and detokenization."""

import os
import sys
from itertools import count
from typing import Any

sys.path.insert(0, os.getcwd())

from driver import Steps, run

from engine.build import build_core
from engine.config import EngineConfig
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from handlers.version import VERSION

SERVE = "from handlers.cli import main; raise SystemExit(main())"


class Verbatim:
    def __init__(self) -> None:
        self._arrivals = count()

    def load(self, model: str) -> str:
        given: dict[str, Any] = {"model": model, "kv_cache_bytes": 2**30, "prefix_caching": False}
        if quantize := os.environ.get("VERBATIM_QUANTIZE"):
            given["quantize"] = quantize
        config = EngineConfig(**given)
        self._core = build_core(config, lambda line: None).core
        return VERSION

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        steps = Steps()
        for prompt in prompts:
            arrival = next(self._arrivals)
            self._core.add(
                arrival,
                GenerationRequest(
                    request_id=str(arrival),
                    prompt=Prompt(tuple(prompt)),
                    sampling=SamplingParams(temperature=0.0),
                    stopping=StopConditions(max_tokens=num_tokens),
                ),
            )
        while self._core.has_work:
            steps.add(len(self._core.step()))
        return steps.measured

    def server(self, model: str, port: int) -> dict[str, Any]:
        command = [sys.executable, "-c", SERVE, "serve", model, "--port", str(port)]
        return {"command": command, "environment": {"VERBATIM_PREFIX_CACHING": "false"}}


if __name__ == "__main__":
    run(Verbatim())
