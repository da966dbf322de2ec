"""Compare the perplexity of our engine and of llama.cpp with the same GGUF files, on texts from packages.

The files are created by llama.cpp from a model in bfloat16. The texts are descriptions of installed packages,
split into windows; all tokens except the first of each window count.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Final

from engine.build import build_core
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from tools.bench.comparison.contender import KINDS, Failed, python_of
from tools.bench.engine.perplexity import PACKAGES, windows_of
from tools.bench.table import Row, print_table

_SCRIPT: Final = Path(__file__).parent.parent / "peers" / "llama_cpp_scores.py"
_PEER: Final = "llama.cpp"


async def run(arguments: argparse.Namespace) -> list[Row]:
    tokenizer = Tokenizer.from_directory(arguments.model, vocab_size=1 << 31, end_token_ids=())
    windows = [window for window in windows_of(tokenizer.encode, arguments.windows) if len(window) > 1]
    with tempfile.TemporaryDirectory() as folder:
        theirs = _their_scores(arguments.model, Path(folder), windows)
        rows = [
            _row(name, _perplexity(_our_scores(Path(folder) / f"{name}.gguf", windows)), _perplexity(scores))
            for name, scores in theirs.items()
        ]
    print(f"{sum(map(len, windows)):,} tokens of the descriptions of {', '.join(PACKAGES)}")
    print_table(rows)
    return rows


def _their_scores(model: str, folder: Path, windows: list[list[int]]) -> dict[str, list[list[float]]]:
    """Return llama.cpp's logprobs by kind of weights; the files stay in the folder. Raises Failed."""
    python = python_of(_PEER, {})
    if python is None:
        raise Failed("llama.cpp is not installed: make bench-peers BENCH_PEERS=llama.cpp")
    venv = str(Path(python).parent.parent)
    environment = {key: value.format(venv=venv) for key, value in KINDS[_PEER].environment.items()}
    done = subprocess.run(
        [python, str(_SCRIPT), model, str(folder)],
        input=json.dumps(windows),
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, list[list[float]]] = json.loads(done.stdout)
    return found


def _our_scores(file: Path, windows: list[list[int]]) -> list[list[float]]:
    core = build_core(EngineConfig(model=str(file), kv_cache_bytes=1 << 26), lambda line: None).core
    for arrival, window in enumerate(windows):
        core.add(
            arrival,
            GenerationRequest(
                request_id=str(arrival),
                prompt=Prompt(tuple(window)),
                sampling=SamplingParams(temperature=0.0, num_prompt_logprobs=0),
                stopping=StopConditions(max_tokens=1),
            ),
        )
    found: dict[int, list[float]] = {}
    while core.has_work:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            if event.prompt is not None:
                found[arrival] = [token.logprob for token in event.prompt if token.logprob is not None]
    return [found[arrival] for arrival in range(len(windows))]


def _perplexity(scores: Sequence[Sequence[float]]) -> float:
    return exp(-fmean(score for window in scores for score in window))


def _row(name: str, ours: float, theirs: float) -> Row:
    return {"weights": name, "verbatim": ours, "llama.cpp": theirs, "ratio": round(ours / theirs, 4)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default=str(DEMO_MODEL), help="model of type qwen2 or qwen3, in bfloat16")
    parser.add_argument("--windows", type=int, default=8, help="windows of at most 512 tokens in each text")
