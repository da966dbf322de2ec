"""Compare one request for decisions with a chat for each of its questions, by turns, in one process."""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

import httpx
from starlette.types import ASGIApp

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tools.bench.random_model import SHAPES, model_directory

_MODEL: Final = "random"
_NUM_WARM: Final = 8  # questions of the first round, which is not counted
_NUM_CHATS: Final = 32  # at once, as many as one request for decisions runs by default
_QUESTION: Final = "Number {}?\n\nA: yes\nB: no\n\nWhich option fits best? Reply with its label only."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, help="directory of a model; a temporary one by default")
    parser.add_argument("--shape", choices=SHAPES, default="small", help="size of a temporary model")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument(
        "--input-tokens", type=int, default=2000, help="a random model's tokens are characters"
    )
    parser.add_argument("--rounds", type=int, default=3)


async def run(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return, for each way, the seconds of a round: of the clock, and of the processor in all threads."""
    with model_directory(arguments.model, arguments.shape) as directory:
        engine = await AsyncEngine.start(EngineConfig(model=str(directory), device="cpu"))
        try:
            return await _compare(build_app(Settings(served_model_name=_MODEL), engine), arguments)
        finally:
            await engine.stop()


async def _compare(app: ASGIApp, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    ways: dict[str, Callable[[httpx.AsyncClient, str, int], Awaitable[None]]] = {
        "decisions": _decide,
        "chats": _chat,
    }
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    random = Random(0)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://bench/openai/v1", timeout=None
    ) as client:
        for number in range(arguments.rounds + 1):  # the first warms up
            for way, ask in ways.items():
                text = "".join(random.choices("abcdefgh ", k=arguments.input_tokens))
                started, processor_started = time.perf_counter(), time.process_time()
                await ask(client, text, arguments.questions if number else _NUM_WARM)
                if number:
                    elapsed = time.perf_counter() - started, time.process_time() - processor_started
                    times[way].append(elapsed)
                    print(f"{way}: {elapsed[0]:.2f} s, {elapsed[1]:.2f} s of the processor")
    rows = [
        {"way": way, "wall_s": median(w for w, _ in pairs), "processor_s": median(p for _, p in pairs)}
        for way, pairs in times.items()
    ]
    for field in ("wall_s", "processor_s"):
        ratios = [
            chat / decision
            for decision, chat in zip(
                *([pair[field == "processor_s"] for pair in times[way]] for way in ("decisions", "chats")),
                strict=True,
            )
        ]
        print(
            f"{field}: chats take {median(ratios):.2f} times as long ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    return rows


async def _decide(client: httpx.AsyncClient, text: str, num_questions: int) -> None:
    choices = [{"value": "yes"}, {"value": "no"}]
    questions = [
        {"type": "choice", "instructions": f"Number {number}?", "choices": choices}
        for number in range(num_questions)
    ]
    answer = await client.post("/decisions", json={"model": _MODEL, "input": text, "questions": questions})
    answer.raise_for_status()


async def _chat(client: httpx.AsyncClient, text: str, num_questions: int) -> None:
    places = asyncio.Semaphore(_NUM_CHATS)

    async def ask(number: int) -> None:
        content = f"{text}\n\n{_QUESTION.format(number)}"
        body = {
            "model": _MODEL,
            "messages": [{"role": "user", "content": content}],
            "max_completion_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 20,
        }
        async with places:
            answer = await client.post("/chat/completions", json=body)
        answer.raise_for_status()

    await ask(0)  # as kind to the chats as to decisions: the others find the input in the cache
    await asyncio.gather(*map(ask, range(1, num_questions)))
