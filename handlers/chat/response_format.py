"""The form that an answer must have, and the engine's grammar for it."""

import json
from collections.abc import Mapping
from typing import TypeAlias

import msgspec
from pydantic_core import from_json

from engine.request import Grammar, GrammarKind
from handlers.chat.errors import InvalidResponseFormat


class AnyJsonObject(msgspec.Struct, frozen=True, tag=True):
    """Any JSON object."""


class JsonSchema(msgspec.Struct, frozen=True, tag=True):
    """JSON that is valid against a schema."""

    schema: Mapping[str, object] | bool

    @classmethod
    def parse(cls, value: object) -> "JsonSchema":
        """From a schema, or from the JSON text of one; `InvalidResponseFormat` if it is neither."""
        if isinstance(value, str):
            value = _read(value)
        if not isinstance(value, Mapping | bool):
            raise InvalidResponseFormat("a JSON Schema is an object or a boolean", "response_format")
        try:
            json.dumps(value, allow_nan=False, default=dict)
        except ValueError:  # 1e999 is JSON, and read as infinity
            raise InvalidResponseFormat(
                "the schema has a number that is too large", "response_format"
            ) from None
        return cls(value)


def _read(text: str) -> object:
    """Strictly: RFC 8259 has no NaN, and json.loads has no bound of depth but the stack's."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidResponseFormat(f"the schema is not JSON: {error}", "response_format") from None


class Regex(msgspec.Struct, frozen=True, tag=True):
    """Text that matches a regular expression from its first character to its last."""

    pattern: str


ResponseFormat: TypeAlias = AnyJsonObject | JsonSchema | Regex


def response_grammar(response_format: ResponseFormat) -> Grammar:
    """The engine's grammar for a response format. Whether it compiles is for the engine to say."""
    match response_format:
        case AnyJsonObject():
            return Grammar(GrammarKind.JSON_OBJECT)
        case JsonSchema(schema=schema):
            return Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema, ensure_ascii=False))
        case Regex(pattern=pattern):
            return Grammar(GrammarKind.REGEX, pattern)
