"""The measurement of decisions: how many are right, and what the order of choices changes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import httpx

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.engine import Engine
from handlers.composition import build_app
from handlers.decisions.numbers import likeliest
from handlers.decisions.question import QuestionKind
from handlers.settings.settings import Settings
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.trials_of_decisions import KINDS, Trial

_SEED: Final = 1_000_003
_NAME: Final = "examinee"
_NUM_ORDERS: Final = (1, 2)
_ALL_ORDERS: Final = 5  # as many as the longest list has choices


def trials(num: int) -> dict[str, list[Trial]]:
    """Return as many trials of each kind, with names that training never saw."""
    return {
        kind: [make(Scribe(_SEED + at, Split.UNSEEN)) for at in range(num)] for kind, make in KINDS.items()
    }


def measure(model: Path, num: int) -> str:
    """Return a table of right answers, and one of what the order of choices changes, as Markdown."""
    return asyncio.run(_measure(model, num))


async def _measure(model: Path, num: int) -> str:
    engine = await AsyncEngine.start(EngineConfig(model=str(model), dtype="float32", num_kv_blocks=512))
    try:
        asked = trials(num)
        lines = [f"| kind | right of {num} | right of {num}, over all orders |", "| --- | --- | --- |"]
        for kind, each in asked.items():
            num_right = [
                _num_right(each, await _answers(engine, each, orders)) for orders in (1, _ALL_ORDERS)
            ]
            lines.append(f"| {kind} | {num_right[0]} | {num_right[1]} |")
        choices = [one for each in asked.values() for one in each if one.question.kind is QuestionKind.CHOICE]
        lines += ["", "| orders averaged | another answer in another order | change of a probability |"]
        lines.append("| --- | --- | --- |")
        for num_orders in _NUM_ORDERS:
            share, change = await _bias(engine, choices, num_orders)
            lines.append(f"| {num_orders} | {share:.1%} of {len(choices)} | {change:.3f} |")
        return "\n".join(lines)
    finally:
        await engine.stop()


def _num_right(asked: Sequence[Trial], found: Sequence[Sequence[float]]) -> int:
    return sum(likeliest(each) == one.right for each, one in zip(found, asked, strict=True))


async def _bias(engine: Engine, choices: Sequence[Trial], num_orders: int) -> tuple[float, float]:
    """Return the share of questions whose likeliest choice depends on the order, and what probabilities do.

    The latter is the mean, over all choices, of the highest less the lowest probability in any shift.
    """
    shifted = [one.shifted(shift) for one in choices for shift in range(len(one.question.options))]
    answers = iter(await _answers(engine, shifted, num_orders))
    is_other, changes = [], []
    for one in choices:
        num = len(one.question.options)
        by_shift = [next(answers) for _ in range(num)]
        by_choice = [[by_shift[shift][(at - shift) % num] for shift in range(num)] for at in range(num)]
        best = {(likeliest(found) + shift) % num for shift, found in enumerate(by_shift)}
        is_other.append(len(best) > 1)
        changes += [max(each) - min(each) for each in by_choice]
    return fmean(is_other), fmean(changes)


async def _answers(engine: Engine, asked: Sequence[Trial], num_orders: int) -> list[list[float]]:
    """Return the probabilities of each question's options."""
    app = build_app(Settings(served_model_name=_NAME, decisions_permutations=num_orders), engine)
    places = asyncio.Semaphore(32)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://measure", timeout=None) as client:

        async def ask(one: Trial) -> list[float]:
            body = {"model": _NAME, "input": one.input, "questions": [_wire(one)]}
            async with places:
                response = await client.post("/openai/v1/decisions", json=body)
            response.raise_for_status()
            (answer,) = response.json()["answers"]
            if answer["type"] == "predicate":
                return [answer["probability"], 1 - answer["probability"]]
            return [each["probability"] for each in answer["probabilities"]]

        return list(await asyncio.gather(*map(ask, asked)))


def _wire(one: Trial) -> dict[str, Any]:
    """Return a question as OpenAI's contract has it."""
    question = one.question
    asked: dict[str, Any] = {"type": question.kind.value, "instructions": question.instructions}
    if question.kind is QuestionKind.CHOICE:
        asked["choices"] = [_named("value", option.name, option.description) for option in question.options]
    if question.kind is QuestionKind.SCORE:
        asked["levels"] = [_named("label", option.name, option.description) for option in question.options]
    return asked


def _named(key: str, name: str, description: str | None) -> dict[str, str]:
    return {key: name} if description is None else {key: name, "description": description}
