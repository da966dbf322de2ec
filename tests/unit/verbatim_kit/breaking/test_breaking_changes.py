"""Each way of breaking a document's users is found and named, and no other change is."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.verbatim_kit.breaking.notes import notes
from verbatim_kit.breaking.operation_changes import breaking_changes

Document = dict[str, Any]
Edit = Callable[[Document], object]


def schema(document: Document, name: str) -> Any:
    return document["components"]["schemas"][name]


def field(document: Document, name: str, key: str) -> Any:
    return schema(document, name)["properties"][key]


def keep(document: Document) -> Any:
    return document["paths"]["/notes"]["post"]


def answer(document: Document) -> Any:
    return keep(document)["responses"]["200"]


def found(edit: Edit) -> list[str]:
    after = notes()
    edit(after)
    assert after != notes()
    return [str(change) for change in breaking_changes(notes(), after)]


NOTE = "#/components/schemas/Note/properties"
KEPT = "#/components/schemas/Kept/properties"
KEEP = "POST /notes"

BREAKING: list[tuple[Edit, list[str]]] = [
    (
        lambda d: field(d, "Note", "text").update(maxLength=9),
        [f"request maxLength narrowed {NOTE}/text: absent -> 9"],
    ),
    (
        lambda d: field(d, "Note", "text").update(minLength=2),
        [f"request minLength narrowed {NOTE}/text: 1 -> 2"],
    ),
    (
        lambda d: field(d, "Note", "stars").update(maximum=4),
        [f"request maximum narrowed {NOTE}/stars: 5 -> 4"],
    ),
    (
        lambda d: field(d, "Note", "stars").update(default=2),
        [f"request default changed {NOTE}/stars: 3 -> 2"],
    ),
    (
        lambda d: field(d, "Note", "stars").update(type="integer"),
        [f"request alternative removed {NOTE}/stars: null"],
    ),
    (
        lambda d: field(d, "Note", "text").update(type="integer"),
        [f'request type changed {NOTE}/text: "string" -> "integer"'],
    ),
    (
        lambda d: field(d, "Note", "text").update(pattern="^a"),
        [f'request pattern changed {NOTE}/text: absent -> "^a"'],
    ),
    (
        lambda d: field(d, "Note", "mood")["enum"].remove("wild"),
        [f'request value removed {NOTE}/mood: "wild"'],
    ),
    (
        lambda d: field(d, "Note", "tags").update(items={"type": "integer"}),
        [f'request type changed {NOTE}/tags/items: "string" -> "integer"'],
    ),
    (lambda d: schema(d, "Note")["required"].append("mood"), [f"request property required {NOTE}/mood"]),
    (lambda d: schema(d, "Note")["properties"].pop("tags"), [f"request property removed {NOTE}/tags"]),
    (
        lambda d: schema(d, "Note").update(additionalProperties=False),
        ["request additional properties refused #/components/schemas/Note"],
    ),
    (lambda d: field(d, "Kept", "id").pop("minimum"), [f"response minimum widened {KEPT}/id: 1 -> absent"]),
    (
        lambda d: field(d, "Kept", "id").update(type="number"),
        [f'response type changed {KEPT}/id: "integer" -> "number"'],
    ),
    (
        lambda d: field(d, "Kept", "id").update(type=["integer", "null"]),
        [f"response alternative added {KEPT}/id: null"],
    ),
    (lambda d: field(d, "Kept", "mood")["enum"].append("odd"), [f'response value added {KEPT}/mood: "odd"']),
    (
        lambda d: field(d, "Kept", "mood")["enum"].remove("calm"),
        [f'response value removed {KEPT}/mood: "calm"'],
    ),
    (
        lambda d: field(d, "Kept", "weights").update(additionalProperties={"type": "string"}),
        [f'response type changed {KEPT}/weights/additionalProperties: "number" -> "string"'],
    ),
    (lambda d: schema(d, "Kept").pop("required"), [f"response property optional {KEPT}/id"]),
    (lambda d: schema(d, "Kept")["properties"].pop("mood"), [f"response property removed {KEPT}/mood"]),
    (lambda d: schema(d, "Event")["oneOf"].pop(), ["response alternative removed {0}: Ended"]),
    (
        lambda d: schema(d, "Event")["oneOf"].append({"type": "string"}),
        ['response alternative added {0}: {{"type": "string"}}'],
    ),
    (lambda d: d["paths"].pop("/health"), ["operation removed GET /health"]),
    (
        lambda d: keep(d).update(operationId="save"),
        [f'operation operationId changed {KEEP}: "keep" -> "save"'],
    ),
    (lambda d: keep(d)["responses"].pop("422"), [f"operation status removed {KEEP}: 422"]),
    (
        lambda d: answer(d)["content"].pop("text/event-stream"),
        [f"operation media type removed {KEEP} 200: text/event-stream"],
    ),
    (
        lambda d: answer(d)["content"]["text/event-stream"].pop("x-sse-terminator"),
        [f'operation x-sse-terminator changed {KEEP} 200 text/event-stream: "[DONE]" -> absent'],
    ),
    (lambda d: answer(d)["headers"].pop("x-id"), [f"operation header removed {KEEP} 200: x-id"]),
    (lambda d: answer(d)["headers"]["x-id"].pop("required"), [f"operation header optional {KEEP} 200: x-id"]),
    (lambda d: keep(d).update(security=[{"bearer": []}]), [f"operation security tightened {KEEP}: {{}}"]),
    (lambda d: d["paths"]["/notes"].pop("parameters"), [f"operation parameter removed {KEEP}: query shelf"]),
    (
        lambda d: d["paths"]["/notes"]["parameters"][0].update(required=True),
        [f"operation parameter required {KEEP}: query shelf"],
    ),
    (
        lambda d: keep(d).update(parameters=[{"name": "by", "in": "query", "required": True, "schema": {}}]),
        [f"operation parameter required {KEEP}: query by"],
    ),
    (lambda d: keep(d).pop("requestBody"), [f"operation request body removed {KEEP}"]),
]

EVENT = "#/paths/~1notes/post/responses/200/content/text~1event-stream/schema"


@pytest.mark.parametrize(("edit", "lines"), BREAKING)
def test_a_breaking_change_is_found_and_named_exactly(edit: Edit, lines: list[str]) -> None:
    expected = [line.format(EVENT) if "{0}" in line else line for line in lines]
    assert found(edit) == expected


HARMLESS: list[Edit] = [
    lambda d: schema(d, "Note")["properties"].update(colour={"type": "string"}),
    lambda d: schema(d, "Kept")["properties"].update(colour={"type": "string"}),
    lambda d: schema(d, "Kept")["required"].append("mood"),
    lambda d: schema(d, "Note").pop("required"),
    lambda d: schema(d, "Note").update({"x-ignores-unknown": True, "additionalProperties": True}),
    lambda d: field(d, "Note", "text").pop("minLength"),
    lambda d: field(d, "Note", "stars").update(maximum=9),
    lambda d: field(d, "Note", "stars").update(type=["number", "null"]),
    lambda d: field(d, "Note", "text").update(type=["string", "integer"]),
    lambda d: field(d, "Note", "mood")["enum"].append("odd"),
    lambda d: field(d, "Note", "text").update(description="What it says."),
    lambda d: field(d, "Note", "text").update({"in words.": None}),
    lambda d: field(d, "Kept", "id").update(minimum=2),
    lambda d: schema(d, "Note")["properties"].update(tags={}),
    lambda d: keep(d)["responses"].update({"429": {"description": "Busy"}}),
    lambda d: keep(d).update(summary="Keeps a note."),
    lambda d: keep(d)["requestBody"].update({"x-any-media-type": True}),
    lambda d: keep(d).update({"x-stateful": True}),
    lambda d: answer(d)["content"]["text/event-stream"].update({"x-stream": [{"constant": ["/id"]}]}),
    lambda d: answer(d)["headers"].update({"x-more": {"schema": {"type": "string"}}}),
    lambda d: answer(d)["content"].update({"text/plain": {"schema": {"type": "string"}}}),
    lambda d: d["paths"]["/notes"]["parameters"].append({"name": "by", "in": "query", "schema": {}}),
    lambda d: d["paths"].update({"/more": {"get": {"operationId": "more", "responses": {}}}}),
]


@pytest.mark.parametrize("edit", HARMLESS)
def test_what_asks_nothing_of_users_is_no_breaking_change(edit: Edit) -> None:
    assert found(edit) == []


def test_a_component_under_another_name_is_the_same_promise() -> None:
    def rename(document: Document) -> None:
        schemas = document["components"]["schemas"]
        schemas["Memo"] = schemas.pop("Note")
        body = keep(document)["requestBody"]["content"]["application/json"]
        body["schema"] = {"$ref": "#/components/schemas/Memo"}

    assert found(rename) == []


def test_a_schema_that_contains_itself_is_compared_once() -> None:
    def recursive(extra: Document) -> Document:
        document = notes()
        schema(document, "Note")["properties"]["replies"] = {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Note"},
        }
        field(document, "Note", "text").update(extra)
        return document

    changes = breaking_changes(recursive({}), recursive({"maxLength": 3}))
    assert [str(change) for change in changes] == [f"request maxLength narrowed {NOTE}/text: absent -> 3"]
