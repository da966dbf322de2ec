"""A contract small enough to read whole: a shop that sells, tells and streams."""

from typing import Any

from verbatim_kit.judge.exchange import Exchange, Fault
from verbatim_kit.judge.judge import Judge

ITEM = {
    "type": "object",
    "required": ["name", "price"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "price": {"type": "integer", "format": "uint32"},
        "colour": {"type": ["string", "null"], "enum": ["red", "blue", None]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "made": {"type": "string", "format": "date-time"},
    },
}
BILL = {
    "type": "object",
    "required": ["total"],
    "properties": {
        "total": {"type": "integer"},
        "goods": {"type": "integer"},
        "tax": {"type": "integer"},
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["index"],
                "properties": {"index": {"type": "integer"}, "item": {"$ref": "#/components/schemas/Item"}},
            },
            "x-numbered": "/index",
        },
    },
    "x-sum": {"total": ["goods", "tax"]},
}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}},
}


def json_answer(schema: Any, **more: Any) -> dict[str, Any]:
    return {"description": "", "content": {"application/json": {"schema": schema}}, **more}


def document(**stream: Any) -> dict[str, Any]:
    """stream: what stands beside the schema of the event stream."""
    event = {"anyOf": [{"$ref": "#/components/schemas/Item"}, {"$ref": "#/components/schemas/Error"}]}
    refused = {"$ref": "#/components/responses/Refused"}
    by_name = [{"name": "name", "in": "path", "required": True, "schema": {}}]
    return {
        "openapi": "3.1.1",
        "paths": {
            "/items/{name}": {
                "parameters": by_name,
                "get": {
                    "operationId": "find",
                    "responses": {
                        "200": json_answer({"$ref": "#/components/schemas/Item"}),
                        "404": refused,
                    },
                },
                "delete": {"operationId": "drop", "responses": {"204": {"description": ""}}},
            },
            "/items/all": {
                "get": {
                    "operationId": "list",
                    "responses": {"200": {"content": {"text/event-stream": {"schema": event, **stream}}}},
                }
            },
            "/bill": {
                "post": {
                    "operationId": "bill",
                    "responses": {
                        "200": json_answer(
                            BILL,
                            headers={
                                "X-Count": {"required": True, "schema": {"type": "integer", "minimum": 0}},
                                "X-Till": {"schema": {"type": "string", "pattern": "^[a-z]+$"}},
                            },
                        ),
                    },
                }
            },
            "/motto": {
                "get": {
                    "operationId": "motto",
                    "responses": {"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}},
                }
            },
        },
        "components": {
            "schemas": {"Item": ITEM, "Error": ERROR},
            "responses": {"Refused": json_answer({"$ref": "#/components/schemas/Error"})},
        },
    }


SHOP = Judge(document())
JSON = ("Content-Type", "application/json")


def faults(
    path: str,
    body: bytes,
    *headers: tuple[str, str],
    method: str = "GET",
    status: int = 200,
    judge: Judge = SHOP,
    request: bytes | None = None,
) -> list[Fault]:
    return judge.faults(Exchange(method, path, request, status, headers, body))


def checks(*arguments: Any, **options: Any) -> list[str]:
    """The kinds of faults in order."""
    return [fault.check for fault in faults(*arguments, **options)]
