"""Compare the tokens/s of the engine and of transformers' `generate` with the same random weights."""

import argparse
import tempfile
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch

from tools.bench.engine.contenders import Contender, Transformers, Verbatim
from tools.bench.random_model import SHAPES, write_model
from tools.bench.table import Row, print_table

NUM_PROMPT_TOKENS = 128
SHORT, LONG = 2, 34  # generated tokens; the difference of the two times is that of decoding


class Speed(NamedTuple):
    """Tokens per second of all requests. decode: after the first tokens. overall: including the prompt."""

    decode: float
    overall: float


async def measure(
    contenders: list[Contender], num_requests: int, rounds: int, vocab_size: int
) -> list[Speed]:
    """Measure the contenders by turns, so that all are affected equally by other load.

    The best times are used, since other load can only increase a time.
    """
    random = Random(0)
    prompts = [[random.randrange(vocab_size) for _ in range(NUM_PROMPT_TOKENS)] for _ in range(num_requests)]
    times: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for contender in contenders:
        await contender.generate(prompts, SHORT)
    for _ in range(rounds):
        for own, contender in zip(times, contenders, strict=True):
            own.append((await contender.generate(prompts, SHORT), await contender.generate(prompts, LONG)))
    speeds = []
    for own in times:
        short, long = (min(column) for column in zip(*own, strict=True))
        speeds.append(Speed(num_requests * (LONG - SHORT) / (long - short), num_requests * LONG / long))
    return speeds


async def compare(contenders: list[Contender], arguments: argparse.Namespace, vocab_size: int) -> list[Row]:
    """Return a row for each contender and number of requests; ratios are relative to the last contender."""
    rows: list[Row] = []
    for num_requests in arguments.requests:
        speeds = await measure(contenders, num_requests, arguments.rounds, vocab_size)
        rows += [
            {
                "requests": num_requests,
                "contender": contender.name,
                **speed._asdict(),
                "decode_ratio": speed.decode / speeds[-1].decode,
            }
            for contender, speed in zip(contenders, speeds, strict=True)
        ]
    return rows


async def run(arguments: argparse.Namespace) -> list[Row]:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"{shape}'s shape, random bfloat16 weights, {device}")
    print(f"{NUM_PROMPT_TOKENS} prompt tokens, {LONG} generated, greedy; tokens/s")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        ours = await Verbatim.load(Path(directory))
        contenders: list[Contender] = [ours, Transformers(Path(directory), device)]
        rows = await compare(contenders, arguments, SHAPES[shape]["vocab_size"])
        await ours.stop()
    print_table(rows)
    return rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a few seconds")
    parser.add_argument("--rounds", type=int, default=3, help="measurements, of which the best is used")
    parser.add_argument(
        "--requests", type=int, nargs="+", default=[1, 8, 32], help="numbers of concurrent requests"
    )
