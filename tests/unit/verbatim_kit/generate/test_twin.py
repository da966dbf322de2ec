"""The 3.2 twin tells a stream event by event, and its terminator."""

from typing import Any

import jsonschema_rs
import pytest

from tests.unit.verbatim_kit.generate.small_documents import document, operation
from verbatim_kit.generate.twin import fuzz_twin


def stream(**media: Any) -> Any:
    content = {"text/event-stream": {"schema": {"type": "object", "required": ["text"]}, **media}}
    source = document(operation(responses={"200": {"description": "Events", "content": content}}))
    twin = fuzz_twin(source)
    assert twin["openapi"] == "3.2.0"
    assert source["paths"]["/ask"]["post"]["responses"]["200"]["content"] == content
    return twin["paths"]["/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]


def test_an_event_is_an_object_whose_data_has_the_documents_schema() -> None:
    item = stream()["itemSchema"]
    assert item["properties"]["data"]["contentSchema"] == {"type": "object", "required": ["text"]}
    assert not jsonschema_rs.is_valid(item, {"event": "message"})


@pytest.mark.parametrize(("count", "valid"), [(0, False), (1, True), (2, False)])
def test_a_terminator_comes_exactly_once(count: int, valid: bool) -> None:
    media = stream(**{"x-sse-terminator": "[DONE]"})
    events = [{"data": '{"text": "a"}'}, *[{"data": "[DONE]"}] * count]
    assert jsonschema_rs.is_valid(media["schema"], events) is valid
    assert all(jsonschema_rs.is_valid(media["itemSchema"], event) for event in events)


def test_an_event_bears_the_name_that_its_data_has() -> None:
    kinds: list[dict[str, Any]] = [{"enum": ["a", "b"]}, {"const": "c"}]
    alternatives = [
        {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string", **kind}}}
        for kind in kinds
    ]
    item = stream(schema={"oneOf": alternatives}, **{"x-sse-event-name": "kind"})["itemSchema"]
    for name, schema in (("a", alternatives[0]), ("b", alternatives[0]), ("c", alternatives[1])):
        fitting = [one for one in item["anyOf"] if jsonschema_rs.is_valid(one, {"event": name, "data": "{}"})]
        assert [one["properties"]["data"]["contentSchema"] for one in fitting] == [schema]
    assert not jsonschema_rs.is_valid(item, {"event": "d", "data": "{}"})
    assert not jsonschema_rs.is_valid(item, {"data": "{}"})


def test_what_is_no_stream_is_the_same_in_the_twin() -> None:
    source = document()
    assert {**fuzz_twin(source), "openapi": source["openapi"]} == source
