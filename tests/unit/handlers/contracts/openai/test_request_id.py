"""`x-request-id`: every answer has one, and it is the client's own where that is fit to be repeated."""

from typing import Any

import pytest

from engine.port.errors import GenerationFailed
from tests.support.scripted.engine import fails_after, says
from tests.unit.handlers.contracts.openai.api import (
    CHAT,
    COMPLETIONS,
    EMBEDDINGS,
    MODEL,
    MODELS,
    Api,
    chat,
    completion,
)
from tests.unit.verbatim_kit.runtime.client import send

EMBED = {"model": MODEL, "input": "Hi"}
REQUESTS: list[tuple[str, str, dict[str, Any] | None, int]] = [
    ("POST", CHAT, chat(), 200),
    ("POST", CHAT, chat(stream=True), 200),
    ("POST", COMPLETIONS, completion(), 200),
    ("POST", COMPLETIONS, completion(stream=True), 200),
    ("POST", EMBEDDINGS, EMBED, 200),
    ("GET", MODELS, None, 200),
    ("GET", f"{MODELS}/{MODEL}", None, 200),
    ("GET", f"{MODELS}/other", None, 404),
    ("POST", CHAT, chat(n=0), 400),
    ("POST", CHAT, chat(top_logprobs=1), 400),
    ("POST", COMPLETIONS, completion(model="other"), 404),
    ("POST", EMBEDDINGS, {}, 400),
    ("GET", CHAT, None, 405),
    ("GET", "/openai/v1/nothing", None, 404),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), REQUESTS)
async def test_every_answer_has_one(method: str, path: str, body: dict[str, Any] | None, status: int) -> None:
    api = Api(says("a"))
    answers = [await send(api.app, method, path, json=body) for _ in range(2)]
    assert {answer.status_code for answer in answers} == {status}
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert all(ids) and ids[0] != ids[1]
    own = await send(api.app, method, path, json=body, headers={"x-request-id": "mine-1"})
    assert own.headers["x-request-id"] == "mine-1"


async def test_one_that_is_not_fit_for_a_header_is_replaced() -> None:
    response = await Api(says("a")).post(CHAT, chat(), headers={"x-request-id": "a, b" * 99})
    assert response.headers["x-request-id"].startswith("req_")


async def test_a_servers_fault_has_one_too() -> None:
    response = await Api(fails_after(GenerationFailed("x"))).post(CHAT, chat())
    assert (response.status_code, bool(response.headers["x-request-id"])) == (500, True)
    stranger = await Api(says("a"), api_key="k").post(CHAT, chat())
    assert (stranger.status_code, bool(stranger.headers["x-request-id"])) == (401, True)
