"""Streams of a 3.2 document as 3.1 has them by our extensions, or refused by their place."""

from typing import Any

import pytest

from tests.unit.verbatim_kit.generate.small_documents import document, operation
from verbatim_kit.openapi.item_schema import as_3_1
from verbatim_kit.openapi.streams import StreamError
from verbatim_kit.openapi.version_3_2 import as_3_2

EVENTS, LINES = "text/event-stream", "application/x-ndjson"
AT = ("paths", "/ask", "post", "responses", "200", "content")
JSON: dict[str, Any] = {"contentMediaType": "application/json"}


def of(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def data(name: str) -> dict[str, Any]:
    """Return the data of an event that is a component."""
    return {"type": "string", **JSON, "contentSchema": of(name)}


def source(media_type: str, media: Any) -> dict[str, Any]:
    """Return a document of which 3.2 says `media`, with events of two kinds among its components."""
    content = {media_type: media}
    whole = document(
        operation(responses={"200": {"description": "Items", "content": content}}), version="3.2.0"
    )
    for kind in ("said", "done"):
        whole["components"]["schemas"][kind] = {
            "type": "object",
            "required": ["text", "kind"],
            "properties": {"text": {"type": "string"}, "kind": {"const": kind}},
        }
    return whole


def read(media_type: str, media: Any) -> Any:
    """Return what 3.1 says of a stream of which 3.2 says `media`."""
    older = as_3_1(source(media_type, media))
    assert older["openapi"] == "3.1.1"
    return older["paths"]["/ask"]["post"]["responses"]["200"]["content"][media_type]


NAMED = {
    "type": "object",
    "required": ["event"],
    "properties": {
        "event": {"type": "string"},
        "data": {"type": "string"},
        "id": {"type": "string"},
        "retry": {"type": "integer", "minimum": 0},
    },
    "oneOf": [  # as the specification's own example has it
        {"properties": {"event": {"const": "said"}, "data": {**JSON, "contentSchema": of("said")}}},
        {"properties": {"event": {"const": "done"}, "data": {**JSON, "contentSchema": of("done")}}},
    ],
}


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"properties": {"data": data("said")}}, {"schema": of("said")}),
        (
            {"anyOf": [{"properties": {"data": {"const": "END"}}}, {"properties": {"data": data("said")}}]},
            {"schema": of("said"), "x-sse-terminator": "END"},
        ),
        (
            {"oneOf": [{"properties": {"data": data("said")}}, {"properties": {"data": data("done")}}]},
            {"schema": {"anyOf": [of("said"), of("done")]}},
        ),
        (NAMED, {"schema": {"anyOf": [of("said"), of("done")]}, "x-sse-event-name": "kind"}),
        (
            {"anyOf": [{"properties": {"data": {"const": "END"}}}, NAMED]},
            {
                "schema": {"anyOf": [of("said"), of("done")]},
                "x-sse-event-name": "kind",
                "x-sse-terminator": "END",
            },
        ),
    ],
)
def test_events_are_said_by_our_extensions(item: Any, said: Any) -> None:
    assert read(EVENTS, {"itemSchema": item, "x-stream": []}) == {**said, "x-stream": []}


def test_a_line_is_what_the_item_is() -> None:
    assert read(LINES, {"itemSchema": of("said"), "example": [{"kind": "said"}, {}]}) == {
        "schema": of("said"),
        "example": {"kind": "said"},
    }


def test_what_is_written_once_among_the_components_is_read_there() -> None:
    whole = source(LINES, {"$ref": "#/components/mediaTypes/Lines"})
    whole["components"]["mediaTypes"] = {"Lines": {"itemSchema": of("said")}}
    older = as_3_1(whole)
    assert older["paths"]["/ask"]["post"]["responses"]["200"]["content"] == {LINES: {"schema": of("said")}}
    assert list(older["components"]) == ["schemas"]


def test_a_property_may_be_called_content() -> None:
    whole = source("application/json", {"schema": of("Answer")})
    property_of = {"type": "array", "items": of("Answer")}
    whole["components"]["schemas"]["Answer"]["properties"]["content"] = property_of
    assert as_3_1(whole)["components"] == whole["components"]


@pytest.mark.parametrize("shown", ["data: {}\n\n", [], [{"event": "said"}], [{"data": "END"}], None])
def test_an_example_without_json_is_left_out(shown: Any) -> None:
    media = {"itemSchema": {"properties": {"data": data("said")}}, "example": shown}
    assert read(EVENTS, media) == {"schema": of("said")}


def test_an_example_is_the_first_item() -> None:
    media = {"itemSchema": {"properties": {"data": data("said")}}}
    shown = {"a": {"summary": "A", "dataValue": [{"data": '{"kind": "said"}'}]}, "b": {"value": ["?"]}}
    assert read(EVENTS, {**media, "examples": shown})["examples"] == {
        "a": {"summary": "A", "value": {"kind": "said"}},
        "b": {},
    }


def test_what_is_no_stream_stays() -> None:
    plain = {"schema": of("Answer"), "example": [1]}
    assert read("application/json", plain) == plain


@pytest.mark.parametrize(
    ("media_type", "media", "place", "message"),
    [
        ("multipart/mixed", {"itemSchema": {}}, "itemSchema", "multipart/mixed cannot be a stream"),
        (EVENTS, {"schema": {}}, "", "text/event-stream needs itemSchema"),
        (LINES, {"schema": {}}, "", "application/x-ndjson needs itemSchema"),
        (LINES, {"itemSchema": {}, "schema": {"maxItems": 9}}, "schema", "says more of the whole stream"),
        (EVENTS, {"itemSchema": of("None")}, "itemSchema", "leads nowhere"),
        (EVENTS, {"itemSchema": {}}, "itemSchema/properties/data", "must be JSON"),
        (EVENTS, {"itemSchema": {"properties": {"data": {}}}}, "itemSchema/properties/data", "must be JSON"),
        (EVENTS, {"itemSchema": {"allOf": []}}, "itemSchema/allOf", "cannot be said of an event"),
        (
            EVENTS,
            {"itemSchema": {"properties": {"data": {**data("said"), "maxLength": 9}}}},
            "itemSchema/properties/data/maxLength",
            "cannot be said of an event",
        ),
        (
            EVENTS,
            {"itemSchema": {"properties": {"data": data("said"), "comment": {}}}},
            "itemSchema/properties/comment",
            "is no field of an event",
        ),
        (
            EVENTS,
            {"itemSchema": {"required": ["id"], "properties": {"data": data("said")}}},
            "itemSchema",
            "an event with 'id' cannot be sent",
        ),
        (
            EVENTS,
            {"itemSchema": {"required": ["event"], "properties": {"data": data("said"), "event": {}}}},
            "itemSchema",
            "an event with 'event' cannot be sent",
        ),
        (
            EVENTS,
            {"itemSchema": {"properties": {"data": data("Answer"), "event": {"const": "said"}}}},
            "itemSchema",
            "the name of an event must be a required property of its data",
        ),
        (
            EVENTS,
            {"itemSchema": {"properties": {"data": data("done"), "event": {"const": "said"}}}},
            "itemSchema",
            "the name of an event must be a required property of its data",
        ),
        (
            EVENTS,
            {"itemSchema": {"anyOf": [{"properties": {"data": {"const": end}}} for end in "ab"]}},
            "itemSchema",
            "needs an event that carries JSON, and at most one const",
        ),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_place(
    media_type: str, media: Any, place: str, message: str
) -> None:
    with pytest.raises(StreamError, match=message) as raised:
        read(media_type, media)
    assert raised.value.pointer == (*AT, media_type, *filter(None, place.split("/")))


@pytest.mark.parametrize(
    "media",
    [
        {"schema": of("said"), "x-sse-terminator": "END", "example": {"kind": "said"}},
        {"schema": {"oneOf": [of("said"), of("done")]}, "x-sse-event-name": "kind"},
        {"schema": {"oneOf": [of("said"), of("done")]}, "x-sse-event-name": "kind", "x-sse-terminator": "E"},
        {"schema": of("done"), "x-sse-event-name": "kind"},
    ],
)
def test_3_1_comes_back_from_3_2_as_it_was(media: Any) -> None:
    older = {**source(EVENTS, media), "openapi": "3.1.1"}
    assert as_3_1(as_3_2(older)) == older
