"""Recorded answers of every operation, stream events included, in the judgement of a second validator.

schemathesis reads the twin that fuzzing needs; openapi-core reads the document that is served.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

from generated.tgi.operations import OPERATIONS

NATIVE = {"inputs": "Hello", "parameters": {"max_new_tokens": 3}}
DETAILED = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 3,
        "details": True,
        "decoder_input_details": True,
        "top_n_tokens": 2,
        "do_sample": True,
        "best_of": 2,
    },
}
CHAT = {"messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 5}
TOOL = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
CALLING = {**CHAT, "tools": [TOOL], "tool_choice": "required", "max_tokens": 60}
COMPLETION = {"prompt": ["Hello", "My name"], "max_tokens": 3}
STREAM = {"stream": True}


class Exchange(NamedTuple):
    """A request, and the status that its answer has."""

    method: str
    path: str
    status: int
    body: dict[str, Any] | None = None


EXCHANGES = [
    Exchange("POST", "/", 200, NATIVE),
    Exchange("POST", "/", 200, {**NATIVE, **STREAM}),
    Exchange("POST", "/", 422, {**DETAILED, **STREAM}),
    Exchange("POST", "/generate", 200, NATIVE),
    Exchange("POST", "/generate", 200, DETAILED),
    Exchange("POST", "/generate", 422, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, NATIVE),
    Exchange(
        "POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True, "top_n_tokens": 2}}
    ),
    Exchange("POST", "/generate_stream", 422, DETAILED),
    Exchange("POST", "/tokenize", 200, NATIVE),
    Exchange("POST", "/tokenize", 422, {}),
    Exchange("POST", "/v1/chat/completions", 200, CHAT),
    Exchange("POST", "/v1/chat/completions", 200, {**CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, CALLING),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**CHAT, **STREAM, "stream_options": {"include_usage": True}}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**CHAT, **STREAM, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**CALLING, **STREAM}),
    Exchange("POST", "/v1/chat/completions", 422, {**CALLING, "tool_choice": "unknown"}),
    Exchange("POST", "/v1/completions", 200, COMPLETION),
    Exchange("POST", "/v1/completions", 200, {**COMPLETION, **STREAM}),
    Exchange("POST", "/v1/completions", 422, {**COMPLETION, "suffix": "!"}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
]


@pytest.fixture(scope="module")
def judge(server_url: str) -> OpenAPI:
    """The document as this server serves it."""
    document = httpx.get(f"{server_url}/tgi/openapi.json").json()
    document["servers"] = [{"url": f"{server_url}/tgi"}]
    config = Config(extra_media_type_deserializers={"text/event-stream": json.loads})
    return OpenAPI.from_dict(document, config=config)


def test_the_exchanges_cover_every_operation() -> None:
    covered = {(exchange.method, exchange.path) for exchange in EXCHANGES if exchange.status == 200}
    assert covered == {(operation.method, operation.path) for operation in OPERATIONS}


@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda exchange: f"{exchange.path} {exchange.status}")
def test_answers_are_what_the_served_document_declares(
    judge: OpenAPI, server_url: str, exchange: Exchange
) -> None:
    answer = httpx.request(
        exchange.method, f"{server_url}/tgi{exchange.path}", json=exchange.body, timeout=100
    )
    assert answer.status_code == exchange.status, answer.text
    parts = list(parts_of(answer))
    assert parts
    for part in parts:
        validate(judge, server_url, exchange, answer, part)


def test_the_judge_refuses_an_answer_that_is_not_declared(judge: OpenAPI, server_url: str) -> None:
    exchange = Exchange("POST", "/generate", 200, NATIVE)
    answer = httpx.Response(200, json={"text": "the wrong key"})
    with pytest.raises(OpenAPIError):
        validate(judge, server_url, exchange, answer, answer.content)


def parts_of(answer: httpx.Response) -> Iterator[bytes]:
    """The whole body, or the data of each event but the terminator."""
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        yield answer.content
        return
    for line in answer.text.splitlines():
        if line and line != "data: [DONE]":
            assert line.startswith("data: ")
            yield line.removeprefix("data: ").encode()


def validate(judge: OpenAPI, url: str, exchange: Exchange, answer: httpx.Response, part: bytes) -> None:
    request = MockRequest(
        url,
        exchange.method.lower(),
        f"/tgi{exchange.path}",
        data=json.dumps(exchange.body).encode(),
        content_type="application/json",
    )
    content_type = answer.headers.get("content-type", "").partition(";")[0]
    response = MockResponse(part, answer.status_code, dict(answer.headers), content_type)
    judge.validate_response(request, response)
