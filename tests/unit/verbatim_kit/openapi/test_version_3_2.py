"""In 3.2, a document tells a stream item by item, and its terminator."""

import json
from typing import Any

import jsonschema_rs
import pytest

from tests.unit.verbatim_kit.generate.small_documents import document, operation
from verbatim_kit.openapi.streams import StreamError
from verbatim_kit.openapi.version_3_2 import as_3_2


def stream(media_type: str = "text/event-stream", **media: Any) -> Any:
    """Return what 3.2 says of a stream of which 3.1 says `media`."""
    content = {media_type: {"schema": {"type": "object", "required": ["text"]}, **media}}
    source = document(operation(responses={"200": {"description": "Items", "content": content}}))
    newer = as_3_2(source)
    assert newer["openapi"] == "3.2.0"
    assert source["paths"]["/ask"]["post"]["responses"]["200"]["content"] == content
    return newer["paths"]["/ask"]["post"]["responses"]["200"]["content"][media_type]


def kinds(*schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the data of events that are named by their `kind`."""
    return {
        "oneOf": [
            {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string", **schema}}}
            for schema in schemas
        ]
    }


def test_an_event_is_an_object_whose_data_has_the_documents_schema() -> None:
    item = stream()["itemSchema"]
    assert item["properties"]["data"]["contentSchema"] == {"type": "object", "required": ["text"]}
    assert not jsonschema_rs.is_valid(item, {"event": "message"})


@pytest.mark.parametrize("media_type", ["application/x-ndjson", "application/jsonl; charset=utf-8"])
def test_a_line_has_the_documents_schema(media_type: str) -> None:
    assert stream(media_type, example={"text": "a"}, **{"x-stream": []}) == {
        "itemSchema": {"type": "object", "required": ["text"]},
        "example": [{"text": "a"}],
        "x-stream": [],
    }


@pytest.mark.parametrize(("count", "valid"), [(0, False), (1, True), (2, False)])
def test_a_terminator_comes_exactly_once(count: int, valid: bool) -> None:
    media = stream(**{"x-sse-terminator": "[DONE]"})
    assert not [key for key in media if key.startswith("x-")]
    events = [{"data": '{"text": "a"}'}, *[{"data": "[DONE]"}] * count]
    assert jsonschema_rs.is_valid(media["schema"], events) is valid
    assert all(jsonschema_rs.is_valid(media["itemSchema"], event) for event in events)


def test_an_event_bears_the_name_that_its_data_has() -> None:
    payload = kinds({"enum": ["a", "b"]}, {"const": "c"})
    media = stream(schema=payload, **{"x-sse-event-name": "kind"})
    item = media["itemSchema"]
    assert item["properties"]["data"]["contentSchema"] == payload
    first, second = payload["oneOf"]
    for name, schema in (("a", first), ("b", first), ("c", second)):
        fitting = [one for one in item["anyOf"] if jsonschema_rs.is_valid(one, {"event": name, "data": "{}"})]
        assert [one["properties"]["data"]["contentSchema"] for one in fitting] == [schema]
    assert not jsonschema_rs.is_valid(item, {"event": "d", "data": "{}"})
    assert not jsonschema_rs.is_valid(item, {"data": "{}"})


def test_an_example_is_a_stream_with_that_item() -> None:
    shown = {"a": {"summary": "One", "value": {"kind": "c"}}, "b": {"externalValue": "https://example.com"}}
    names = {"x-sse-event-name": "kind", "x-sse-terminator": "[DONE]"}
    media = stream(schema=kinds({"const": "c"}), examples=shown, **names)
    whole = [{"event": "c", "data": json.dumps({"kind": "c"})}, {"data": "[DONE]"}]
    assert media["examples"] == {"a": {"summary": "One", "dataValue": whole}, "b": shown["b"]}
    assert jsonschema_rs.is_valid(media["schema"], whole)
    assert all(jsonschema_rs.is_valid(media["itemSchema"], event) for event in whole)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (kinds({}), "the events are named by 'kind': it must be required, an enum of strings"),
        ({"$ref": "#/components/schemas/None"}, "leads nowhere"),
        ({"$ref": "other.yaml#/a"}, "leads nowhere"),
    ],
)
def test_a_name_that_is_not_declared_is_refused_by_its_place(schema: Any, message: str) -> None:
    with pytest.raises(StreamError, match=message) as raised:
        stream(schema=schema, **{"x-sse-event-name": "kind"})
    assert raised.value.pointer[:7] == (
        *("paths", "/ask", "post", "responses", "200", "content", "text/event-stream"),
    )


def test_what_is_no_stream_is_the_same_in_3_2() -> None:
    source = document(content={"type": "object", "properties": {"text/event-stream": {"type": "string"}}})
    assert {**as_3_2(source), "openapi": source["openapi"]} == source
