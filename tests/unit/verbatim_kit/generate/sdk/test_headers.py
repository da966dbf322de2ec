"""Status and headers of an answer, whole or streamed, for whoever asks for them."""

import json

import pytest

import verbatim_server_client
from tests.unit.verbatim_kit.generate.sdk.replies import CHUNK, ERROR, MESSAGES, MODELS, client, stream
from tests.unit.verbatim_kit.generate.sdk.scripted import Reply, Script
from verbatim_server_client import openai


def test_an_answer_comes_with_its_status_and_headers_if_it_is_asked_for_so(script: Script) -> None:
    script.replies = [Reply(body=MODELS, headers={"x-request-id": "r-1"}), Reply(status=503, body=ERROR)]
    with client(script, max_retries=0) as it:
        response = it.with_raw_response.list_models()
        assert (response.status, response.headers["X-Request-Id"]) == (200, "r-1")
        assert json.loads(response.text) == MODELS
        assert response.parse().data[0].id == "a"
        with pytest.raises(openai.ServiceUnavailableError):
            it.with_raw_response.list_models()


async def test_an_asynchronous_answer_comes_with_its_headers_too(script: Script) -> None:
    script.replies = [Reply(body=MODELS, headers={"x-request-id": "r-1"}), Reply(body={"object": 1})]
    async with openai.AsyncClient(script.url) as it:
        response = await it.with_raw_response.list_models()
        assert (response.headers["x-request-id"], response.parse().data[0].id) == ("r-1", "a")
        unread = await it.with_raw_response.list_models()
    with pytest.raises(verbatim_server_client.APIResponseValidationError):
        unread.parse()


def test_a_stream_has_headers_once_it_has_begun(script: Script) -> None:
    script.replies = [stream(CHUNK, "[DONE]", headers={"x-request-id": "r-2"})]
    with client(script) as it, it.stream_create_chat_completion(model="a", messages=MESSAGES) as events:
        assert not events.headers
        next(events)
        assert events.headers["x-request-id"] == "r-2"


async def test_an_asynchronous_stream_has_headers_once_it_has_begun(script: Script) -> None:
    script.replies = [stream(CHUNK, "[DONE]", headers={"x-request-id": "r-2"})]
    async with (
        openai.AsyncClient(script.url) as it,
        it.stream_create_chat_completion(model="a", messages=MESSAGES) as events,
    ):
        assert not events.headers
        await anext(events)
        assert events.headers["x-request-id"] == "r-2"
