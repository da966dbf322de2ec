"""Tests what documents say of unknown fields, and what clients and models are given in its place."""

from typing import Any

import pytest

from verbatim_kit.generate.documents.document import SpecError
from verbatim_kit.generate.documents.unknown_fields import closed, for_models, state_unknown_fields

CLOSED = {"type": "object", "additionalProperties": False, "properties": {}}
ITEM = {"type": "object", "additionalProperties": False, "x-ignores-unknown": True, "properties": {}}
STATED = {**CLOSED, "additionalProperties": {"type": "null"}}
OPENED = {**ITEM, "additionalProperties": True}


def document(answer: dict[str, Any]) -> dict[str, Any]:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}}
    response = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}}
    schemas = {
        "Body": {**CLOSED, "properties": {"item": {"$ref": "#/components/schemas/Item"}}},
        "Item": ITEM,
        "Answer": answer,
    }
    operation = {"operationId": "ask", "requestBody": body, "responses": {"200": response, "400": response}}
    return {"paths": {"/ask": {"post": operation}}, "components": {"schemas": schemas}}


def test_a_request_takes_null_of_any_name_and_an_item_any_field_and_answers_neither() -> None:
    stated = state_unknown_fields(document(CLOSED))
    schemas = stated["components"]["schemas"]
    assert schemas["Body"]["additionalProperties"] == {"type": "null"}
    assert (schemas["Item"], schemas["Answer"]) == (OPENED, CLOSED)
    responses = stated["paths"]["/ask"]["post"]["responses"]
    assert ["headers" in responses[status] for status in ("200", "400")] == [True, False]


def test_an_answer_cannot_ignore_what_it_has() -> None:
    with pytest.raises(SpecError, match="^#/components/schemas/Answer: x-ignores-unknown is for"):
        state_unknown_fields(document(ITEM))


def test_clients_are_offered_closed_objects_and_models_say_what_the_runtime_reads() -> None:
    assert closed(STATED, ()) == closed(OPENED, ()) == CLOSED
    assert for_models(STATED, ()) == CLOSED
    assert for_models(OPENED, ()) == {"type": "object", "properties": {}}
