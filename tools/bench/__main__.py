"""Tokens/s of the engine beside plain transformers, in one run on the same random weights."""

import argparse
import asyncio
import json
import os
import tempfile
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from transformers.utils import logging

from tools.bench.contenders import Contender, Transformers, Verbatim
from tools.bench.random_model import SHAPES, write_model

NUM_PROMPT_TOKENS = 128
SHORT, LONG = 2, 34  # tokens generated; the difference of the two times is pure decoding


class Speed(NamedTuple):
    """Tokens a second over all requests. decode: after the first tokens. overall: prompt included."""

    decode: float
    overall: float


async def measure(
    contenders: list[Contender], num_requests: int, rounds: int, vocab_size: int
) -> list[Speed]:
    """From each contender's best times: what else the machine does can only add to a time.

    The contenders take turns, so that it meets them alike.
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


async def compare(
    contenders: list[Contender], arguments: argparse.Namespace, vocab_size: int
) -> list[dict[str, str | float]]:
    """Prints a line for each contender and number of requests; ratios are to the last contender."""
    print(f"{'requests':>8}  {'':12}  {'decode':>8}  {'overall':>8}  {'decode ratio':>12}")
    rows: list[dict[str, str | float]] = []
    for num_requests in arguments.requests:
        speeds = await measure(contenders, num_requests, arguments.rounds, vocab_size)
        for contender, speed in zip(contenders, speeds, strict=True):
            ratio = speed.decode / speeds[-1].decode
            row = f"{num_requests:8}  {contender.name:12}  {speed.decode:8.1f}  {speed.overall:8.1f}"
            print(f"{row}  {ratio:12.2f}", flush=True)
            rows.append({"requests": num_requests, "contender": contender.name, **speed._asdict()})
    return rows


async def run(arguments: argparse.Namespace) -> None:
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    threads, load = torch.get_num_threads(), os.getloadavg()[0]
    print(f"{shape}'s shape, random bfloat16 weights, {device}, {threads} threads, load average {load:.1f}")
    print(f"{NUM_PROMPT_TOKENS} prompt tokens, {LONG} generated, greedy; tokens/s")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), shape)
        ours = await Verbatim.load(Path(directory))
        contenders: list[Contender] = [ours, Transformers(Path(directory), device)]
        rows = await compare(contenders, arguments, SHAPES[shape]["vocab_size"])
        await ours.stop()
    print(json.dumps({"shape": shape, "device": device, "threads": threads, "load": load, "rows": rows}))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a small model, for a check of a few seconds")
    parser.add_argument("--rounds", type=int, default=3, help="measurements whose best is taken")
    parser.add_argument("--requests", type=int, nargs="+", default=[1, 8, 32], help="at the same time")
    quiet: Any = logging.disable_progress_bar  # it has no types
    quiet()
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
