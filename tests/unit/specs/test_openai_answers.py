"""The OpenAI contract's promises of answers, streams and errors, and that OpenAI's client can read them."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from openai import types
from openai.types import chat
from pydantic import BaseModel

from tests.unit.specs.conftest import Accepts, effective
from verbatim_kit.generate.documents.document import Document, operations_of, resolve

CONTRACT = "openai"

CHUNK = {
    "object": "chat.completion.chunk",
    "id": "chatcmpl-1",
    "created": 1,
    "model": "m",
    "system_fingerprint": "fp_1",
    "choices": [],
}
FAILURE = {"message": "The server failed", "type": "server_error", "param": None, "code": None}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
TEXT_CHUNK = {**CHUNK, "object": "text_completion"}


def delta(**fields: Any) -> dict[str, Any]:
    return {**CHUNK, "choices": [{"index": 0, "delta": fields, "logprobs": None, "finish_reason": None}]}


def call(**fields: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"index": 0, **fields}])


@pytest.mark.parametrize(
    ("schema", "event"),
    [
        ("ChatCompletionStreamEvent", delta(role="assistant", content="")),
        ("ChatCompletionStreamEvent", delta()),
        ("ChatCompletionStreamEvent", delta(reasoning="Hm", reasoning_content="Hm")),
        ("ChatCompletionStreamEvent", call(id="a", type="function", function={"name": "f", "arguments": ""})),
        ("ChatCompletionStreamEvent", call(function={"arguments": '{"a"'})),
        ("ChatCompletionStreamEvent", {**CHUNK, "usage": None}),
        ("ChatCompletionStreamEvent", {**CHUNK, "usage": USAGE}),
        ("ChatCompletionStreamEvent", {"error": FAILURE}),
        ("CompletionStreamEvent", {"error": FAILURE}),
        ("CompletionStreamEvent", {**TEXT_CHUNK, "usage": USAGE}),
    ],
)
def test_every_event_of_a_stream_is_in_its_schema(accepts: Accepts, schema: str, event: Any) -> None:
    assert accepts(schema, event)


@pytest.mark.parametrize(
    ("schema", "event"),
    [
        ("ChatCompletionStreamEvent", {"error": "The server failed"}),
        ("ChatCompletionStreamEvent", {"error": {"message": "The server failed", "type": "server_error"}}),
        ("ChatCompletionStreamEvent", {**CHUNK, "id": ""}),
        ("ChatCompletionStreamEvent", {**CHUNK, "object": "chat.completion"}),
        ("ChatCompletionStreamEvent", delta(tool_calls=[])),
        ("ChatCompletionStreamEvent", delta(refusal="No")),
        ("CompletionStreamEvent", {**TEXT_CHUNK, "choices": [{"index": 0, "text": "a"}]}),
    ],
)
def test_events_of_another_shape_are_not(accepts: Accepts, schema: str, event: Any) -> None:
    assert not accepts(schema, event)


READERS: dict[tuple[str, str], type[BaseModel]] = {
    ("createChatCompletion", "application/json"): chat.ChatCompletion,
    ("createChatCompletion", "text/event-stream"): chat.ChatCompletionChunk,
    ("createCompletion", "application/json"): types.Completion,
    ("createEmbedding", "application/json"): types.CreateEmbeddingResponse,
    ("listModels", "application/json"): types.Model,
    ("retrieveModel", "application/json"): types.Model,
}


def shown(operation_id: str, media_type: str) -> list[Any]:
    document = effective(CONTRACT)
    (operation,) = [op for _, _, op, _ in operations_of(document) if op["operationId"] == operation_id]
    media = operation["responses"]["200"]["content"][media_type]
    values = (
        [media["example"]] if "example" in media else [one["value"] for one in media["examples"].values()]
    )
    values = [value for value in values if "error" not in value]
    return [one for value in values for one in value["data"]] if operation_id == "listModels" else values


@pytest.mark.parametrize(("operation_id", "media_type"), READERS)
def test_openais_client_reads_every_answer_shown_without_leniency(operation_id: str, media_type: str) -> None:
    reader = READERS[operation_id, media_type]
    values = shown(operation_id, media_type)
    assert values
    for value in values:
        reader.model_validate(value, strict=True)


@pytest.mark.parametrize(
    ("schema", "reader"),
    [
        ("CreateChatCompletionResponse", chat.ChatCompletion),
        ("ChatCompletionResponseMessage", chat.ChatCompletionMessage),
        ("ChatCompletionTokenLogprob", chat.ChatCompletionTokenLogprob),
        ("CreateChatCompletionStreamResponse", chat.ChatCompletionChunk),
        ("CreateCompletionResponse", types.Completion),
        ("CompletionChoice", types.CompletionChoice),
        ("CompletionUsage", types.CompletionUsage),
        ("CreateEmbeddingResponse", types.CreateEmbeddingResponse),
        ("Embedding", types.Embedding),
        ("Model", types.Model),
    ],
)
def test_what_openais_client_requires_is_always_there(schema: str, reader: type[BaseModel]) -> None:
    required = {name for name, field in reader.model_fields.items() if field.is_required()}
    assert required - set(effective(CONTRACT)["components"]["schemas"][schema]["required"]) == set()


def answers(document: Document) -> Iterator[tuple[str, str, Document]]:
    for _, _, operation, at in operations_of(document):
        for status, answer in operation["responses"].items():
            yield operation["operationId"], status, resolve(document, answer, (*at, "responses", status))[0]


def test_every_error_is_openais() -> None:
    for _, status, answer in answers(effective(CONTRACT)):
        if status != "200":
            assert list(answer["content"]) == ["application/json"]
            schema = answer["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorResponse"}


def test_every_answer_bears_a_request_id_and_a_refusal_for_now_says_until_when() -> None:
    document = effective(CONTRACT)
    for operation, status, answer in answers(document):
        wanted = {"x-request-id"} | ({"retry-after"} if status in ("429", "503") else set())
        headers = {name: resolve(document, header, ())[0] for name, header in answer["headers"].items()}
        assert wanted <= {name for name, header in headers.items() if header.get("required")}, (
            operation,
            status,
        )


# Operations that name no model, and those that only write to the store.
_NO_MODEL: Final = frozenset({"createFile", "createBatch", "createConversation"})
_STORED: Final = frozenset({"createConversation", "updateConversation", "createConversationItems"})


@pytest.mark.parametrize("status", ["400", "401", "404", "413", "415", "429", "500", "503"])
def test_every_operation_with_a_body_says_how_it_is_refused(status: str) -> None:
    posts = [
        item["post"]
        for item in effective(CONTRACT)["paths"].values()
        if "requestBody" in item.get("post", {})
    ]
    assert len(posts) >= 3
    excepted = _NO_MODEL if status == "404" else _STORED if status == "429" else frozenset()
    posts = [post for post in posts if post["operationId"] not in excepted]
    assert all(status in post["responses"] and "422" not in post["responses"] for post in posts)
