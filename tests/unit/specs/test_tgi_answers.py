"""The TGI contract's promises of answers and streams."""

from typing import Any

import pytest

from tests.unit.specs.conftest import Accepts, effective

CONTRACT = "tgi"

CHUNK = {
    "object": "chat.completion.chunk",
    "id": "chatcmpl-1",
    "created": 1,
    "model": "m",
    "system_fingerprint": "f",
    "usage": None,
    "choices": [],
}
FAILURE = {"message": "Model is overloaded", "type": "overloaded", "http_status_code": 429}


def delta(**fields: Any) -> dict[str, Any]:
    return {**CHUNK, "choices": [{"index": 0, "delta": fields, "logprobs": None, "finish_reason": None}]}


def call(**fields: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"index": 0, "type": "function", **fields}])


@pytest.mark.parametrize(
    ("schema", "event"),
    [
        (
            "StreamEvent",
            {
                "index": 1,
                "token": {"id": 1, "text": "a", "logprob": None, "special": False},
                "generated_text": None,
                "details": None,
            },
        ),
        ("StreamEvent", {"error": "Incomplete generation", "error_type": "incomplete_generation"}),
        ("ChatCompletionEvent", delta(role="assistant", content="")),
        ("ChatCompletionEvent", delta()),
        ("ChatCompletionEvent", {**CHUNK, "usage": None}),
        ("ChatCompletionEvent", call(id="call_0", function={"name": "f", "arguments": ""})),
        ("ChatCompletionEvent", call(id=None, function={"name": None, "arguments": '{"a"'})),
        ("ChatCompletionEvent", {"error": FAILURE, "error_type": "overloaded"}),
        ("CompletionEvent", {"error": FAILURE, "error_type": "overloaded"}),
    ],
)
def test_every_event_of_a_stream_is_in_its_schema(accepts: Accepts, schema: str, event: Any) -> None:
    assert accepts(schema, event)


@pytest.mark.parametrize(
    ("schema", "event"),
    [
        ("StreamEvent", {"error": FAILURE, "error_type": "overloaded"}),
        ("StreamEvent", {"index": 1}),
        ("ChatCompletionEvent", {"error": "Model is overloaded", "error_type": "overloaded"}),
        ("ChatCompletionEvent", {**CHUNK, "id": ""}),
        ("ChatCompletionEvent", {**CHUNK, "object": "chat.completion"}),
        ("ChatCompletionEvent", delta(tool_calls={"index": 0})),
        ("ChatCompletion", {**CHUNK, "object": "chat.completion"}),
    ],
)
def test_events_of_another_shape_are_not(accepts: Accepts, schema: str, event: Any) -> None:
    assert not accepts(schema, event)


def test_chat_and_completions_alone_end_their_streams_with_a_terminator() -> None:
    terminators = {
        path: item["post"]["responses"]["200"]["content"]["text/event-stream"].get("x-sse-terminator")
        for path, item in effective("tgi")["paths"].items()
        if "text/event-stream" in item.get("post", {}).get("responses", {}).get("200", {}).get("content", {})
    }
    assert terminators == {
        "/": None,
        "/generate_stream": None,
        "/v1/chat/completions": "[DONE]",
        "/v1/completions": "[DONE]",
    }


def test_every_error_is_json_with_an_error_type() -> None:
    for item in effective("tgi")["paths"].values():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                if status != "200":
                    schema = answer["content"]["application/json"]["schema"]
                    assert list(answer["content"]) == ["application/json"]
                    assert schema == {"$ref": "#/components/schemas/ErrorResponse"}


@pytest.mark.parametrize("status", ["401", "413", "415", "422"])
def test_every_operation_with_a_body_says_how_it_is_refused(status: str) -> None:
    posts = [item["post"] for item in effective("tgi")["paths"].values() if "post" in item]
    assert len(posts) == 6
    assert all(status in post["responses"] for post in posts)
