"""Tests how many sequences are let in at once, and that their permits are returned."""

import asyncio
from typing import Any

import pytest

from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api, chat, generate_body

OVERLOADED = (429, "overloaded", "Model is overloaded")
PATHS_AND_BODIES = [
    ("/generate", generate_body()),
    ("/generate_stream", generate_body()),
    ("/v1/chat/completions", chat(stream=True)),
    ("/v1/completions", {"prompt": "Hi"}),
]


@pytest.mark.parametrize(("path", "body"), PATHS_AND_BODIES)
async def test_a_request_over_the_limit_is_refused_until_another_ends(
    path: str, body: dict[str, Any]
) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=1)
    first = asyncio.create_task(api.post(path, body))
    await until(lambda: api.engine.num_running > 0)
    assert await api.refusal(path, body) == OVERLOADED
    gate.set()
    assert (await first).status_code == 200
    assert (await api.post(path, body)).status_code == 200


MANY = [
    ("/generate", generate_body(best_of=2, do_sample=True), "best_of"),
    ("/v1/chat/completions", chat(n=2), "n"),
    ("/v1/chat/completions", chat(n=2, stream=True), "n"),
    ("/v1/completions", {"prompt": ["a", "b"]}, "prompt"),
]


@pytest.mark.parametrize(("path", "body", "field"), MANY)
async def test_every_sequence_takes_a_permit(path: str, body: dict[str, Any], field: str) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=2, max_request_share=1)
    first = asyncio.create_task(api.post("/generate", generate_body()))
    await until(lambda: api.engine.num_running > 0)
    assert await api.refusal(path, body) == OVERLOADED
    gate.set()
    await first
    assert (await api.post(path, body)).status_code == 200


@pytest.mark.parametrize(("path", "body", "field"), MANY)
async def test_sequences_beyond_those_that_run_at_once_take_turns(
    path: str, body: dict[str, Any], field: str
) -> None:
    api = Api(says("a"), max_concurrent_requests=1)
    answer = await api.post(path, body)
    assert answer.status_code == 200
    assert "error" not in answer.text, "of a stream too"


async def test_a_refused_request_gives_its_permit_back() -> None:
    api = Api(says("a"), max_concurrent_requests=1)
    for _ in range(3):
        assert (await api.refusal("/generate", generate_body(max_new_tokens=1000)))[0] == 422
    assert (await api.post("/generate", generate_body())).status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [("/generate", generate_body(best_of=100, do_sample=True)), ("/v1/completions", {"prompt": ["a"] * 100})],
)
async def test_more_sequences_than_a_request_may_ask_for_are_no_overload(
    path: str, body: dict[str, Any]
) -> None:
    assert (await Api(says("a"), max_concurrent_requests=8).refusal(path, body))[0] == 422


async def test_overload_is_told_before_the_request_is_looked_at() -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=1)
    first = asyncio.create_task(api.post("/generate", generate_body()))
    await until(lambda: api.engine.num_running > 0)
    assert await api.refusal("/generate", generate_body(max_new_tokens=1000)) == OVERLOADED
    gate.set()
    await first
