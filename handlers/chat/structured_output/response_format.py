"""The form that an answer must have, and the engine's grammar for it."""

import json
from collections.abc import Mapping
from typing import TypeAlias

import msgspec
from pydantic_core import from_json

from engine.port.request import Grammar, GrammarKind
from handlers.chat.errors import InvalidResponseFormat

FIELD = "response_format"
Tag: TypeAlias = dict[str, object]  # a structural tag of xgrammar's, or a part of one


class AnyJsonObject(msgspec.Struct, frozen=True, tag=True):
    """Any JSON object."""


class JsonSchema(msgspec.Struct, frozen=True, tag=True):
    """JSON that is valid against a schema."""

    schema: Mapping[str, object] | bool

    @classmethod
    def parse(cls, value: object, field: str = FIELD) -> "JsonSchema":
        """Return the form for a schema, or for the JSON text of one.

        Raises InvalidResponseFormat, naming `field`, if the value is neither.
        """
        if isinstance(value, str):
            value = _read(value, field)
        if not isinstance(value, Mapping | bool):
            raise InvalidResponseFormat("a JSON Schema is an object or a boolean", field)
        try:
            json.dumps(value, allow_nan=False, default=dict)
        except ValueError:  # 1e999 is JSON, and read as infinity
            raise InvalidResponseFormat("the schema has a number that is too large", field) from None
        return cls(value)


def _read(text: str, field: str) -> object:
    """Parse strictly: RFC 8259 has no NaN, and json.loads limits depth only by the stack."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidResponseFormat(f"the schema is not JSON: {error}", field) from None


class Regex(msgspec.Struct, frozen=True, tag=True):
    """Text that matches a regular expression from its first character to its last."""

    pattern: str


class Ebnf(msgspec.Struct, frozen=True, tag=True):
    """Text that a context-free grammar makes, written in xgrammar's dialect of GBNF."""

    grammar: str


class Choice(msgspec.Struct, frozen=True, tag=True):
    """One of several texts, to the letter."""

    texts: tuple[str, ...]


class StructuralTag(msgspec.Struct, frozen=True, tag=True):
    """Text with constrained parts: the `format` of one of xgrammar's structural tags."""

    format: Mapping[str, object]

    @classmethod
    def parse(cls, value: Mapping[str, object], field: str = FIELD) -> "StructuralTag":
        """Return the form for `{"type": "structural_tag", "format": ...}`, or for the older form, with
        `structures` and `triggers`.

        Raises InvalidResponseFormat, naming `field`, if the value is neither.
        """
        match value:
            case {"format": Mapping() as tag_format}:
                return cls(tag_format)
            case {"structures": [*structures], "triggers": [*triggers]} if structures and triggers:
                tags = [_older_tag(structure, field) for structure in structures]
                return cls({"type": "triggered_tags", "triggers": triggers, "tags": tags})
        raise InvalidResponseFormat("a structural tag has a format, or structures and triggers", field)


def _older_tag(structure: object, field: str) -> Tag:
    match structure:
        case {"begin": str(begin), "schema": Mapping() as schema, "end": str(end)}:
            content = {"type": "json_schema", "json_schema": schema}
            return {"type": "tag", "begin": begin, "content": content, "end": end}
    raise InvalidResponseFormat("a structure of a structural tag has begin, schema and end", field)


ResponseFormat: TypeAlias = AnyJsonObject | JsonSchema | Regex | Ebnf | Choice | StructuralTag


def response_grammar(response_format: ResponseFormat) -> Grammar:
    """Return the engine's grammar for a response format. It may still fail to compile there."""
    match response_format:
        case AnyJsonObject():
            return Grammar(GrammarKind.JSON_OBJECT)
        case JsonSchema(schema=schema):
            return Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema, ensure_ascii=False, default=dict))
        case Regex(pattern=pattern):
            return Grammar(GrammarKind.REGEX, pattern)
        case Ebnf(grammar=grammar):
            return Grammar(GrammarKind.EBNF, grammar)
        case Choice() | StructuralTag():
            return tag_grammar(response_tag(response_format))


def tag_grammar(tag: Tag) -> Grammar:
    structure = {"type": "structural_tag", "format": tag}
    return Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(structure, ensure_ascii=False, default=dict))


def response_tag(response_format: ResponseFormat) -> Tag:
    """Return a response format as a part of a structural tag."""
    match response_format:
        case AnyJsonObject():
            return {"type": "json_schema", "json_schema": {"type": "object"}}
        case JsonSchema(schema=schema):
            return {"type": "json_schema", "json_schema": schema}
        case Regex(pattern=pattern):
            return {"type": "regex", "pattern": pattern}
        case Ebnf(grammar=grammar):
            return {"type": "grammar", "grammar": grammar}
        case Choice(texts=texts):
            return {"type": "or", "elements": [{"type": "const_string", "value": text} for text in texts]}
        case StructuralTag(format=tag_format):
            return dict(tag_format)
