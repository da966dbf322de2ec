"""Decisions over token servers have the probabilities of our own engine, whatever these list."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from starlette.types import ASGIApp

from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.token_servers.fronts import KINDS, WITH_OPTIONS, Recording, engine_over, new_recording
from tests.unit.verbatim_kit.runtime.client import send

TOLERANCE = 1e-5
MANY = [{"value": f"number {number}"} for number in range(28)]  # labels of two letters, each a token
BODIES: dict[str, dict[str, Any]] = {
    "/openai/v1/decisions": {
        "model": "verbatim-demo",
        "input": "The fern is brown, and nobody has watered it.",
        "questions": [
            {"type": "predicate", "instructions": "It is thirsty."},
            {"type": "choice", "instructions": "What next?", "choices": MANY[:12]},
            {"type": "choice", "instructions": "What next?", "choices": MANY},
            {"type": "score", "instructions": "How bad?", "levels": [{"label": "fine"}, {"label": "bad"}]},
        ],
    },
    "/v1/systemone": {
        "model": "verbatim-demo",
        "state": {"gate": "open"},
        "questions": {"alarm": {"type": "noul", "instructions": "Should someone be called?"}},
    },
}


class Servers(NamedTuple):
    kind: str
    engine: Recording
    own: ASGIApp
    over_server: ASGIApp

    async def answer(self, app: ASGIApp, path: str) -> tuple[dict[str, Any], int]:
        """Return the answer, and the number of requests that the computing engine got for it."""
        self.engine.requests.clear()
        answer = await send(app, "POST", path, json=BODIES[path])
        assert answer.status_code == 200, answer.text
        return answer.json(), len(self.engine.requests)

    def generations(self) -> list[GenerationRequest]:
        return [each for each in self.engine.requests if isinstance(each, GenerationRequest)]


@pytest_asyncio.fixture(scope="module", params=[*KINDS, WITH_OPTIONS])
async def servers(request: pytest.FixtureRequest) -> AsyncIterator[Servers]:
    engine = await new_recording(max_total_tokens=None)
    async with engine_over(request.param, engine) as remote:
        settings = Settings()
        yield Servers(request.param, engine, build_app(settings, engine), build_app(settings, remote))
    await engine.stop()


def numbers(answer: Any) -> list[float]:
    """Return all numbers of an answer, in their order."""
    if isinstance(answer, dict | list):
        inner = answer.values() if isinstance(answer, dict) else answer
        return [number for each in inner for number in numbers(each)]
    return [answer] if isinstance(answer, float | int) else []


@pytest.mark.parametrize("path", BODIES)
async def test_probabilities_and_usage_are_our_own_engines(servers: Servers, path: str) -> None:
    expected, num_own = await servers.answer(servers.own, path)
    found, num_asked = await servers.answer(servers.over_server, path)
    assert numbers(found) == pytest.approx(numbers(expected), abs=TOLERANCE)
    names_tokens = all(each.sampling.logprob_token_ids for each in servers.generations())
    assert names_tokens == (servers.kind != "vllm")
    assert (num_asked > num_own) == (servers.kind == "vllm")
