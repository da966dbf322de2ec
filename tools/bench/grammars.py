"""Measure what JSON Schemas cost: processor time of a step, with and without them, by turns."""

import argparse
import json
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.port.request import (
    GenerationRequest,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from engine.port.text.tokenizer import Tokenizer
from tools.bench.random_model import SHAPES, write_model
from tools.bench.table import Row, print_table

NUM_PROMPT_TOKENS: Final = 32
MAX_TOKENS: Final = 2000
_ITEMS: Final[list[dict[str, Any]]] = [
    {"type": "string"},
    {"type": "object", "properties": {"name": {"type": "string"}, "unit": {"enum": ["C", "F", "K"]}}},
    {
        "type": "object",
        "properties": {"at": {"format": "date-time", "type": "string"}, "n": {"type": "integer"}},
    },
    {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[a-z ]+$"}]}},
]
# Texts that do not end while they are measured.
SCHEMAS: Final = [{"type": "array", "items": item, "minItems": 1000} for item in _ITEMS]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a few seconds")
    parser.add_argument(
        "--tokenizer", type=Path, help="a directory with the tokenizer.json of a real model, as Qwen2.5's"
    )
    parser.add_argument("--requests", type=int, nargs="+", default=[2, 8, 32], help="numbers of requests")
    parser.add_argument("--temperatures", type=float, nargs="+", default=[0.0, 1.0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10, help="of a turn")


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{shape}'s shape, random bfloat16 weights; milliseconds of the processor, medians of the turns")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        if arguments.tokenizer is not None:
            shutil.copy(arguments.tokenizer / "tokenizer.json", directory)
        tokenizer = Tokenizer.from_directory(
            Path(directory), vocab_size=SHAPES[shape]["vocab_size"], end_token_ids=()
        )
        config = EngineConfig(model=directory, device="cpu", kv_cache_bytes=2**29, prefix_caching=False)
        core = build_core(config, lambda line: None).core
    compiler = GrammarCompiler(tokenizer)
    compiled = [compiler.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema))) for schema in SCHEMAS]
    contest = _Contest(core, compiled, SHAPES[shape]["vocab_size"], arguments.steps)
    rows = [
        contest.row(num_requests, temperature, arguments.turns)
        for num_requests in arguments.requests
        for temperature in arguments.temperatures
    ]
    print_table(rows)
    return rows


@dataclass
class _Contest:
    """The engine that all turns run on."""

    core: EngineCore
    grammars: list[CompiledGrammar]
    vocab_size: int
    num_steps: int
    num_arrivals: int = 0

    def row(self, num_requests: int, temperature: float, num_turns: int) -> Row:
        turns = [
            [self._turn(num_requests, temperature, has_grammars) for has_grammars in (True, False)]
            for _ in range(num_turns)
        ]
        (with_step, with_token), (plain_step, plain_token) = (
            (median(step for step, _ in kind), median(token for _, token in kind))
            for kind in zip(*turns, strict=True)
        )
        return {
            "requests": str(num_requests),
            "temperature": str(temperature),
            "a step with grammars": with_step,
            "without": plain_step,
            "ratio": with_step / plain_step,
            "ratio of a token": with_token / plain_token,
        }

    def _turn(self, num_requests: int, temperature: float, has_grammars: bool) -> tuple[float, float]:
        """Return the milliseconds of the mean step and of the mean token of requests that decode."""
        arrivals = range(self.num_arrivals, self.num_arrivals + num_requests)
        self.num_arrivals += num_requests
        for place, arrival in enumerate(arrivals):
            grammar = self.grammars[place % len(self.grammars)] if has_grammars else None
            self.core.add(arrival, self._request(place, temperature), grammar)
        scheduler = self.core.scheduler
        while scheduler.waiting or not all(sequence.is_decoding for sequence in scheduler.running):
            self.core.step()
        num_before, started = self._num_tokens(), time.process_time()
        for _ in range(self.num_steps):
            self.core.step()
        taken_ms = 1000 * (time.process_time() - started)
        num_tokens = self._num_tokens() - num_before
        for arrival in arrivals:
            self.core.abort(arrival)
        return taken_ms / self.num_steps, taken_ms / num_tokens

    def _request(self, seed: int, temperature: float) -> GenerationRequest:
        prompt = Random(seed).choices(range(self.vocab_size), k=NUM_PROMPT_TOKENS)
        return GenerationRequest(
            request_id=str(self.num_arrivals + seed),
            prompt=Prompt(tuple(prompt)),
            sampling=SamplingParams(temperature=temperature, seed=seed),
            stopping=StopConditions(max_tokens=MAX_TOKENS),
        )

    def _num_tokens(self) -> int:
        return sum(len(sequence.token_ids) for sequence in self.core.scheduler.running)
