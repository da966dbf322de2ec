"""Measure what JSON Schemas cost: processor time of a step, with and without them, by turns."""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    parser.add_argument("--steps", type=int, default=20, help="of each kind")


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{shape}'s shape, random bfloat16 weights; milliseconds of the processor, medians of the steps")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        if arguments.tokenizer is not None:
            shutil.copy(arguments.tokenizer / "tokenizer.json", directory)
        tokenizer = Tokenizer.from_directory(
            Path(directory), vocab_size=SHAPES[shape]["vocab_size"], end_token_ids=()
        )
        config = EngineConfig(model=directory, device="cpu", kv_cache_bytes=2**29, prefix_caching=False)
        cores = [build_core(config, lambda line: None).core for _ in range(2)]
    compiler = GrammarCompiler(tokenizer)
    compiled = [compiler.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema))) for schema in SCHEMAS]
    constrained, plain = _Contestant(cores[0], compiled), _Contestant(cores[1], [None])
    rows = [
        _row(constrained, plain, num_requests, temperature, arguments.steps)
        for num_requests in arguments.requests
        for temperature in arguments.temperatures
    ]
    print_table(rows)
    return rows


class _Contestant:
    """An engine whose requests have grammars, or none."""

    def __init__(self, core: EngineCore, grammars: Sequence[CompiledGrammar | None]) -> None:
        self._core = core
        self._grammars = grammars
        self._num_arrivals = 0

    @contextmanager
    def decoding(self, num_requests: int, temperature: float) -> Iterator[None]:
        """Let so many requests have begun to decode within the block."""
        arrivals = range(self._num_arrivals, self._num_arrivals + num_requests)
        self._num_arrivals += num_requests
        for place, arrival in enumerate(arrivals):
            request = _request(arrival, place, temperature)
            self._core.add(arrival, request, self._grammars[place % len(self._grammars)])
        scheduler = self._core.scheduler
        while scheduler.waiting or not all(sequence.is_decoding for sequence in scheduler.running):
            self._core.step()
        yield
        for arrival in arrivals:
            self._core.abort(arrival)

    def step(self) -> tuple[float, int]:
        """Return the milliseconds of a step, and the number of its tokens."""
        num_before, started = self._num_tokens(), time.process_time()
        self._core.step()
        return 1000 * (time.process_time() - started), self._num_tokens() - num_before

    def _num_tokens(self) -> int:
        return sum(len(sequence.token_ids) for sequence in self._core.scheduler.running)


def _row(
    constrained: _Contestant, plain: _Contestant, num_requests: int, temperature: float, num_steps: int
) -> Row:
    """Compare steps that alternate one by one, so that other programs slow down both alike."""
    with constrained.decoding(num_requests, temperature), plain.decoding(num_requests, temperature):
        pairs = [(constrained.step(), plain.step()) for _ in range(num_steps)]
    num_tokens = [sum(one[1] for one in kind) for kind in zip(*pairs, strict=True)]
    ratio = median(one[0] / other[0] for one, other in pairs)
    return {
        "requests": str(num_requests),
        "temperature": str(temperature),
        "a step with grammars": median(one[0] for one, _ in pairs),
        "without": median(other[0] for _, other in pairs),
        "ratio": ratio,
        "ratio of a token": ratio * num_tokens[1] / num_tokens[0],
    }


def _request(number: int, seed: int, temperature: float) -> GenerationRequest:
    prompt = Random(seed).choices(range(1000), k=NUM_PROMPT_TOKENS)
    return GenerationRequest(
        request_id=str(number),
        prompt=Prompt(tuple(prompt)),
        sampling=SamplingParams(temperature=temperature, seed=seed),
        stopping=StopConditions(max_tokens=MAX_TOKENS),
    )
