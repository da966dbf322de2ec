"""Tests how failures are reported: statuses, codes, and events."""

import asyncio
from typing import Any

import orjson
import pytest

from engine.port.errors import EngineStopped, GenerationFailed, InvalidToken, RequestAborted
from handlers.concurrency.limit import MAX_SEQUENCES
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.aleph_alpha.api import (
    CHAT,
    COMPLETE,
    DETOKENIZE,
    EVALUATE,
    TOKENIZE,
    Api,
    chat,
    completion,
    quiet,
)

BODIES = {
    CHAT: chat(),
    COMPLETE: completion(),
    EVALUATE: completion(completion_expected="a"),
    TOKENIZE: completion(tokens=True, token_ids=True),
    DETOKENIZE: {"model": "verbatim-demo", "token_ids": [1]},
}


@pytest.mark.parametrize("path", BODIES)
async def test_another_model_is_404_everywhere(path: str) -> None:
    status, code, text = await quiet().error(path, {**BODIES[path], "model": "luminous-base"})
    assert (status, code) == (404, "UNKNOWN_MODEL")
    assert "luminous-base" in text


@pytest.mark.parametrize("path", BODIES)
async def test_a_body_that_is_no_object_is_400_everywhere(path: str) -> None:
    assert (await quiet().error(path, []))[:2] == (400, "INVALID_REQUEST")


async def test_a_model_without_a_template_is_missing_a_capability() -> None:
    engine = ScriptedEngine(says("x"))
    engine.tokenizer.hf.chat_template = None
    api = Api(engine)
    assert (await api.error(CHAT, chat()))[:2] == (400, "MISSING_CAPABILITY")
    (settings,) = (await api.get("/aleph_alpha/model-settings")).json()
    assert (settings["chat"], settings["aligned"]) == (False, False)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidToken("no such token"), 400, "INVALID_REQUEST"),
        (EngineStopped(), 503, "SERVICE_UNAVAILABLE"),
        (RequestAborted(), 503, "SERVICE_UNAVAILABLE"),
        (GenerationFailed("broken"), 500, "INTERNAL_SERVER_ERROR"),
    ],
)
@pytest.mark.parametrize("path", [CHAT, COMPLETE, EVALUATE])
async def test_an_error_of_the_engine_has_its_status(
    path: str, error: Exception, status: int, code: str
) -> None:
    assert (await Api(fails_after(error)).error(path, BODIES[path]))[:2] == (status, code)


@pytest.mark.parametrize("path", [CHAT, COMPLETE])
async def test_a_failure_after_the_first_event_is_an_event(path: str) -> None:
    events = await Api(fails_after(EngineStopped(), "a")).events(path, BODIES[path])
    last = orjson.loads([event for event in events if event != "[DONE]"][-1])
    assert last == {"error": "The server is shutting down", "code": "SERVICE_UNAVAILABLE"}


@pytest.mark.parametrize("path", [CHAT, COMPLETE, EVALUATE])
async def test_a_full_server_is_429_with_a_time_to_come_back(path: str) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("x"), gate=gate), max_concurrent_requests=1)
    running = asyncio.create_task(api.post(COMPLETE, completion()))
    await until(lambda: api.engine.num_running)
    response = await api.post(path, BODIES[path])
    gate.set()
    assert (response.status_code, response.json()["code"]) == (429, "TOO_MANY_REQUESTS")
    assert response.headers["retry-after"] in ("1", "2")  # spread, so that clients do not come together
    assert (await running).status_code == 200


async def test_more_sequences_than_a_request_may_have_are_400_that_names_who_asks_for_them() -> None:
    api = Api(says("x"), max_concurrent_requests=1)
    num_sequences = MAX_SEQUENCES + 1
    assert (await api.error(CHAT, chat(n=num_sequences)))[:2] == (400, "INVALID_REQUEST")
    assert "`n`" in (await api.error(COMPLETE, completion(n=num_sequences)))[2]


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("GET", "/aleph_alpha/none", {}, 404, "NOT_FOUND"),
        ("GET", CHAT, {}, 405, "METHOD_NOT_ALLOWED"),
        (
            "POST",
            CHAT,
            {"headers": {"content-type": "text/plain"}},
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
    ],
)
async def test_what_no_operation_takes_is_told_in_the_contracts_form(
    method: str, path: str, options: dict[str, Any], status: int, code: str
) -> None:
    api = quiet()
    response = await (api.get(path) if method == "GET" else api.post(path, None, **options))
    assert (response.status_code, response.json()["code"]) == (status, code)


async def test_a_stranger_is_401_where_there_is_a_key() -> None:
    api = Api(says("x"), api_key="secret")
    assert (await api.error(CHAT, chat()))[:2] == (401, "UNAUTHORIZED")
