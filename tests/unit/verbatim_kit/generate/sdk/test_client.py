"""The common behaviour of the clients of all contracts, against a scripted server.

These need the clients and nothing of the server, so `make test-sdk` runs them where only the clients are.
"""

import json
import socket
import time
from typing import Any

import httpx
import pytest

import verbatim_server_client
from tests.unit.verbatim_kit.generate.sdk.replies import CHUNK, ERROR, MESSAGES, MODELS, client, stream
from tests.unit.verbatim_kit.generate.sdk.scripted import Reply, Script
from verbatim_server_client import anthropic, openai, tgi, triton
from verbatim_server_client.openai import models


def read(script: Script) -> list[models.CreateChatCompletionStreamResponse]:
    with client(script) as it, it.stream_create_chat_completion(model="a", messages=MESSAGES) as events:
        return list(events)


def test_a_request_is_what_the_document_says(script: Script) -> None:
    script.replies = [Reply(body=MODELS)]
    with openai.Client(script.url + "/", api_key="key", headers={"x-mine": "1"}) as it:
        assert it.list_models().data[0].id == "a"
    method, path, headers, content = script.requests[0]
    assert (method, path, content) == ("GET", "/v1/models", b"")
    assert (headers["authorization"], headers["x-mine"]) == ("Bearer key", "1")
    assert headers["user-agent"] == (
        f"verbatim-server-client/{verbatim_server_client.__version__} openai/{openai.CONTRACT_VERSION}"
    )


def test_only_what_is_given_is_sent(script: Script) -> None:
    script.replies = [
        stream("[DONE]"),
        Reply(body={"text_output": "a", "model_name": "b", "model_version": "1"}),
    ]
    read(script)
    with triton.Client(script.url) as it:
        it.generate("models/b c", text_input="ü", temperature=None)  # type: ignore[arg-type]  # null is sent too
    bodies = [json.loads(content) for _, _, _, content in script.requests]
    assert bodies == [
        {"model": "a", "messages": MESSAGES, "stream": True},
        {"text_input": "ü", "temperature": None},
    ]
    assert script.requests[1][1] == "/v2/models/models/b%20c/generate"


def test_the_items_of_a_list_are_sent_one_by_one(script: Script) -> None:
    script.replies = [Reply(body={"data": [], "has_more": False, "first_id": None, "last_id": None})]
    with anthropic.Client(script.url) as it:
        it.list_models(lifecycle=["active", "retired"], limit=3)
    url = httpx.URL(script.requests[0][1])
    assert url.params.multi_items() == [("lifecycle[]", "active"), ("lifecycle[]", "retired"), ("limit", "3")]


def test_events_are_read_to_the_terminator_and_no_further(script: Script) -> None:
    script.replies = [stream(": a comment", CHUNK, "[DONE]", CHUNK)]
    script.replies[0].body = ": a comment\n\n" + script.replies[0].body.replace("data: : a comment\n\n", "")
    (chunk,) = read(script)
    assert chunk.choices[0].delta.content == "Hello\u2028"


def test_a_stream_without_its_terminator_is_cut_off(script: Script) -> None:
    script.replies = [stream(CHUNK)]
    with pytest.raises(verbatim_server_client.IncompleteStreamError, match=r"without \[DONE\]"):
        read(script)


def test_a_stream_that_has_no_terminator_ends_where_it_ends(script: Script) -> None:
    token = {"id": 1, "text": "a", "logprob": -1.0, "special": False}
    event = {"index": 1, "token": token, "generated_text": "a", "details": None}
    script.replies = [stream(event)]
    with tgi.Client(script.url) as it:
        assert [event.token.text for event in it.generate_stream(inputs="a")] == ["a"]


def test_an_error_in_a_stream_is_raised_with_its_body(script: Script) -> None:
    script.replies = [stream(CHUNK, ERROR, "[DONE]")]
    with client(script) as it, it.stream_create_chat_completion(model="a", messages=MESSAGES) as events:
        assert next(events).id == "1"
        with pytest.raises(verbatim_server_client.APIStreamError) as raised:
            next(events)
    assert raised.value.body.error.code == "busy"


def test_leaving_a_stream_closes_its_connection(script: Script) -> None:
    script.replies = [stream(CHUNK, waits=True)]
    with client(script) as it:
        with it.stream_create_chat_completion(model="a", messages=MESSAGES) as events:
            next(events)
        assert script.client_left.wait(5)
        assert list(events) == []


async def test_leaving_an_asynchronous_stream_closes_its_connection(script: Script) -> None:
    script.replies = [stream(CHUNK, waits=True)]
    async with openai.AsyncClient(script.url) as it:
        async with it.stream_create_chat_completion(model="a", messages=MESSAGES) as events:
            assert (await anext(events)).id == "1"
        assert script.client_left.wait(5)
        assert [event async for event in events] == []


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_server_is_asked_again_when_it_says(script: Script, status: int) -> None:
    busy = Reply(status, ERROR, {"retry-after": "1"})
    script.replies = [busy, Reply(body=MODELS)]
    started_s = time.monotonic()
    with client(script) as it:
        it.list_models()
    assert len(script.requests) == 2
    assert time.monotonic() - started_s >= 1


async def test_a_stream_is_asked_for_again_with_the_whole_body(script: Script) -> None:
    script.replies = [Reply(429, ERROR), stream("[DONE]")]
    async with openai.AsyncClient(script.url) as it:
        assert [event async for event in it.stream_create_chat_completion(model="a", messages=MESSAGES)] == []
    first, second = script.requests
    assert first[3] == second[3] != b""


def test_retries_end(script: Script) -> None:
    script.replies = [Reply(429, ERROR)]
    with client(script, max_retries=1) as it:
        with pytest.raises(openai.RateLimitError) as raised:
            it.list_models()
        assert len(script.requests) == 2
        with pytest.raises(openai.RateLimitError):
            it.with_options(max_retries=0).list_models()
    assert len(script.requests) == 3
    assert raised.value.body is not None
    assert (raised.value.status, raised.value.body.error.code) == (429, "busy")


def test_what_may_have_been_worked_on_is_not_sent_again(script: Script) -> None:
    script.replies = [Reply(500, ERROR)]
    with client(script) as it, pytest.raises(openai.InternalServerError):
        it.list_models()
    assert len(script.requests) == 1


def test_a_connection_that_was_refused_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    started_s = time.monotonic()
    it = openai.Client(f"http://127.0.0.1:{port}", max_retries=1)
    with it, pytest.raises(verbatim_server_client.APIConnectionError):
        it.list_models()
    assert time.monotonic() - started_s >= 0.3


def test_a_server_that_says_nothing_is_not_waited_for(script: Script) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with openai.Client(url, timeout=0.1) as it, pytest.raises(verbatim_server_client.APITimeoutError):
            it.list_models()


@pytest.mark.parametrize(
    ("reply", "kind", "has_body"),
    [
        (Reply(404, ERROR), openai.NotFoundError, True),
        (Reply(503, "<html>", media_type="text/html"), openai.ServiceUnavailableError, False),
        (Reply(418, ERROR), verbatim_server_client.APIStatusError, False),
    ],
)
def test_a_status_is_raised_as_its_class(script: Script, reply: Reply, kind: Any, has_body: bool) -> None:
    script.replies = [reply]
    with client(script, max_retries=0) as it, pytest.raises(kind) as raised:
        it.list_models()
    assert raised.value.status == reply.status
    assert (raised.value.body is not None) == has_body
    assert isinstance(raised.value, verbatim_server_client.APIStatusError)


@pytest.mark.parametrize("body", ["{}", "not JSON"])
def test_an_answer_that_is_not_the_documents_is_told(script: Script, body: str) -> None:
    script.replies = [Reply(body=body)]
    with client(script) as it, pytest.raises(verbatim_server_client.APIResponseValidationError):
        it.list_models()


def test_json_in_place_of_events_is_told(script: Script) -> None:
    script.replies = [Reply(body=MODELS)]
    with pytest.raises(verbatim_server_client.APIResponseValidationError, match="not an event stream"):
        read(script)


def test_members_of_a_newer_server_are_passed_over(script: Script) -> None:
    script.replies = [Reply(body={**MODELS, "new": 1})]
    with client(script) as it:
        assert it.list_models().to_request() == MODELS


def test_another_transport_can_carry_it() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=MODELS)

    with openai.Client(transport=httpx.MockTransport(answer)) as it:
        assert it.list_models().object == "list"
