"""A contract small enough to break in every way."""

from copy import deepcopy
from typing import Any

NOTES: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes": {
            "parameters": [{"name": "shelf", "in": "query", "schema": {"type": "string"}}],
            "post": {
                "operationId": "keep",
                "security": [{}, {"bearer": []}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}},
                },
                "responses": {
                    "200": {
                        "description": "Kept",
                        "headers": {"x-id": {"required": True, "schema": {"type": "string"}}},
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Kept"}},
                            "text/event-stream": {
                                "schema": {"$ref": "#/components/schemas/Event"},
                                "x-sse-terminator": "[DONE]",
                            },
                        },
                    },
                    "422": {"$ref": "#/components/responses/Refused"},
                },
            },
        },
        "/health": {"get": {"operationId": "health", "responses": {"200": {"description": "Well"}}}},
    },
    "components": {
        "responses": {
            "Refused": {
                "description": "Refused",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}},
            }
        },
        "schemas": {
            "Note": {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "text": {"type": "string", "minLength": 1},
                    "stars": {"type": ["integer", "null"], "minimum": 0, "maximum": 5, "default": 3},
                    "mood": {"type": "string", "enum": ["calm", "wild"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
            "Kept": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "mood": {"type": "string", "enum": ["calm", "wild"]},
                    "weights": {"type": "object", "additionalProperties": {"type": "number"}},
                },
            },
            "Added": {"type": "object", "properties": {"kind": {"const": "added"}}},
            "Ended": {"type": "object", "properties": {"kind": {"const": "ended"}}},
            "Event": {
                "oneOf": [{"$ref": "#/components/schemas/Added"}, {"$ref": "#/components/schemas/Ended"}]
            },
            "Failure": {"type": "object", "properties": {"error": {"type": "string"}}},
        },
    },
}


def notes() -> dict[str, Any]:
    """The document, to be changed at will."""
    return deepcopy(NOTES)
