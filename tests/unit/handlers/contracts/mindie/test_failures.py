"""Failures by status, and by event once the stream has begun."""

import asyncio

import pytest

from engine.port.errors import EngineStopped, GenerationFailed, InvalidGrammar, RequestAborted
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.mindie.api import PATH, Api, chat
from tests.unit.verbatim_kit.runtime.client import send

FAILURES = [
    (InvalidGrammar("no escape"), 422, "Input Validation Error", "Input validation error: no escape"),
    (GenerationFailed("no memory"), 424, "Generation Error", "Request failed during generation: no memory"),
    (RequestAborted("gone"), 424, "Generation Error", "Request failed during generation: gone"),
    (EngineStopped("drains"), 503, "Service Unavailable", "The server is shutting down"),
]  # fmt: skip


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(("error", "status", "error_type", "message"), FAILURES)
async def test_a_failure_before_the_first_event_has_its_status_streamed_or_not(
    error: Exception, status: int, error_type: str, message: str, is_stream: bool
) -> None:
    response = await Api(fails_after(error)).post(chat(stream=is_stream))
    assert response.status_code == status
    assert response.json() == {"error": message, "error_type": error_type}
    assert ("retry-after" in response.headers) is (status == 503)


async def test_an_error_after_the_first_chunk_is_an_event_and_done_follows() -> None:
    *_, error = await Api(fails_after(GenerationFailed("no memory"), "a")).chunks(chat())
    assert error == {"error": "Request failed during generation: no memory", "error_type": "Generation Error"}


@pytest.mark.parametrize("is_stream", [False, True])
async def test_events_that_end_too_early_are_an_incomplete_generation(is_stream: bool) -> None:
    response = await Api(lambda request: ()).post(chat(stream=is_stream))
    assert response.status_code == 500
    assert response.json() == {"error": "Incomplete generation", "error_type": "Incomplete Generation"}


@pytest.mark.parametrize("is_stream", [False, True])
async def test_more_answers_than_the_server_runs_at_once_take_turns(is_stream: bool) -> None:
    api = Api(says("x"), max_concurrent_requests=2, max_request_share=1)
    response = await api.post(chat(n=3, stream=is_stream))
    assert response.status_code == 200
    assert {index for index in range(4) if f'"index":{index}' in response.text} == {0, 1, 2}


@pytest.mark.parametrize("is_stream", [False, True])
async def test_a_request_over_the_limit_is_503_until_another_ends(is_stream: bool) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=2, max_request_share=1)
    first = asyncio.create_task(api.post(chat(best_of=2, stream=False)))
    await until(lambda: api.engine.num_running > 0)
    refused = await api.post(chat(stream=is_stream))
    assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    assert refused.json() == {"error": "The server is overloaded", "error_type": "Service Unavailable"}
    gate.set()
    assert (await first).status_code == 200
    assert (await api.post(chat(stream=is_stream))).status_code == 200


async def test_a_body_that_is_not_what_the_document_says_names_the_field() -> None:
    message = await Api(says("x")).refusal(chat(temperature=2.1))
    assert message == "temperature: must be less than or equal to 2"


@pytest.mark.parametrize(
    ("method", "path", "status", "error_type"),
    [
        ("POST", "/mindie/v1/nothing", 404, "NotFoundError"),
        ("GET", PATH, 405, "Method Not Allowed"),
    ],
)
async def test_paths_and_methods_that_there_are_not_have_the_contracts_error(
    method: str, path: str, status: int, error_type: str
) -> None:
    response = await send(Api(says("x")).app, method, path)
    assert (response.status_code, response.json()["error_type"]) == (status, error_type)


async def test_a_missing_key_a_long_body_and_another_type_have_the_contracts_error() -> None:
    app = Api(says("x"), api_key="k").app
    assert (await send(app, "POST", PATH, json=chat())).json()["error_type"] == "Unauthorized"
    app = Api(says("x"), payload_limit=10).app
    assert (await send(app, "POST", PATH, json=chat())).json()["error_type"] == "Payload Too Large"
    response = await send(app, "POST", PATH, content=b"{}", headers={"content-type": "text/plain"})
    assert response.json()["error_type"] == "Unsupported Media Type"
