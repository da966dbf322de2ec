"""A contract that tells tales in lines: the last one says that it is done."""

import json
from typing import Any

from verbatim_kit.judge.exchange import Exchange

LINE: dict[str, Any] = {
    "type": "object",
    "required": ["tale", "text", "number", "done"],
    "properties": {
        "tale": {"type": "string", "enum": ["a"]},
        "text": {"type": "string", "enum": ["x", "y"]},
        "number": {"type": "integer", "minimum": 0, "maximum": 9},
        "done": {"type": "boolean"},
    },
}
LAWS = [{"last": {"properties": {"done": {"const": True}}}, "counts": {"/number": 0}}]
MEDIA = {"schema": {"$ref": "#/components/schemas/Line"}, "x-stream": LAWS}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Tales", "version": "1"},
    "paths": {
        "/tale": {
            "get": {
                "operationId": "tell",
                "responses": {"200": {"description": "A tale", "content": {"application/x-ndjson": MEDIA}}},
            }
        }
    },
    "components": {"schemas": {"Line": LINE}},
}
TALE = [
    {"tale": "a", "text": "x", "number": 0, "done": False},
    {"tale": "a", "text": "y", "number": 1, "done": False},
    {"tale": "a", "text": "x", "number": 2, "done": True},
]


def lines(*items: Any) -> bytes:
    """Return items as lines, bytes as they are."""
    return b"".join(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in items)


def told(body: bytes, media_type: str = "application/x-ndjson") -> Exchange:
    return Exchange("GET", "/tale", None, 200, [("content-type", media_type)], body)
