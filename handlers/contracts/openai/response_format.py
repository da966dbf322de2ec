"""The form that an answer must have, under all the names that clients know it by."""

from typing import Any

from pydantic_core import from_json

from engine.port.request import Grammar
from generated.openai import models as m
from handlers.chat.structured_output.response_format import (
    AnyJsonObject,
    Choice,
    Ebnf,
    JsonSchema,
    Regex,
    ResponseFormat,
    StructuralTag,
)
from handlers.chat.structured_output.strict_schema import require_strict
from handlers.contracts.openai.sampling import Body
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

# What asks for no form at all.
_IS_FREE = (m.ResponseFormatText, type(None))
# Each names a form by itself; a request may have one of them.
_FIELDS = (
    "response_format",
    "structured_outputs",
    "guided_json",
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "regex",
    "ebnf",
)
_OBJECT_SCHEMA = "response_format.schema"


def response_format(body: Body) -> ResponseFormat | None:
    """Return the response format; None for free text.

    Raises Refused for two formats at once, InvalidResponseFormat for what is no JSON Schema or structural
    tag, NotStrict for a schema that says that it is strict and is not.
    """
    formats = _formats(body)
    if len(formats) > 1:
        first, second, *_ = formats
        raise Refused(f"'{first}' and '{second}' both say what the answer must be; send one.", second)
    return next((_format(field, value) for field, value in formats.items()), None)


def check_no_response_format(body: Body) -> None:
    """Raise Refused for the first field that binds the answer, on a server that takes no such field."""
    for field in _formats(body):
        raise Refused("This server takes no response formats.", field, Violation.UNSUPPORTED_FIELD)


def grammar_field(body: Body) -> str:
    """Return the field that the grammar comes from, to blame if the engine does not take it."""
    return next(iter(_formats(body)), "tools")


def check_search(body: Body, grammar: Grammar | None) -> None:
    """Raise Refused for a beam search that a grammar would bind."""
    if body.use_beam_search and grammar is not None:
        raise Refused(
            "A beam search cannot be held to a response format or to calls of tools.", grammar_field(body)
        )


def _formats(body: Body) -> dict[str, Any]:
    """The fields that bind the answer, as the request has them."""
    sent = body.model_fields_set
    if sent.isdisjoint(_FIELDS):
        return {}
    named = {field: getattr(body, field) for field in _FIELDS if field in sent}
    return {field: value for field, value in named.items() if not isinstance(value, _IS_FREE)}


def _format(field: str, value: Any) -> ResponseFormat:
    match field:
        case "response_format":
            return _response_format(value)
        case "structured_outputs":
            return _structured(value)
        case "guided_json":
            return JsonSchema.parse(value, field)
        case "guided_choice":
            return Choice(tuple(value))
        case "guided_regex" | "regex":
            return Regex(value)
        case _:
            return Ebnf(value)


def _response_format(value: Any) -> ResponseFormat:
    match value:
        case m.ResponseFormatJsonSchema():
            return _json_schema(value)
        case m.ResponseFormatJsonObject() if value.schema_ is not None:
            if value.value is not None:
                raise Refused("'schema' and 'value' are two names of one schema; send one.", _OBJECT_SCHEMA)
            return JsonSchema.parse(value.schema_, _OBJECT_SCHEMA)
        case m.ResponseFormatJsonObject(value=None):
            return AnyJsonObject()
        case m.ResponseFormatRegex():
            return Regex(value.value)
        case _:
            return JsonSchema.parse(value.value, "response_format.value")


def _json_schema(value: m.ResponseFormatJsonSchema) -> ResponseFormat:
    named, schema = given(value.json_schema), given(value.schema_)
    if schema is not None:
        if named is not None:
            raise Refused("'schema' and 'json_schema' both have a schema; send one.", _OBJECT_SCHEMA)
        return JsonSchema.parse(schema, _OBJECT_SCHEMA)
    field = "response_format.json_schema"
    if named is None:
        raise Refused("'json_schema' has the schema, and is missing.", field, Violation.MISSING)
    if named.schema_ is None:
        return AnyJsonObject()
    found = JsonSchema.parse(named.schema_, f"{field}.schema")
    if named.strict:
        require_strict(found.schema, f"{field}.schema")
    return found


def _structured(value: Any) -> ResponseFormat:
    match value:
        case m.StructuredOutputsJson():
            return JsonSchema.parse(value.json_, "structured_outputs.json")
        case m.StructuredOutputsJsonObject():
            return AnyJsonObject()
        case m.StructuredOutputsRegex():
            return Regex(value.regex)
        case m.StructuredOutputsChoice():
            return Choice(tuple(value.choice))
        case m.StructuredOutputsGrammar():
            return Ebnf(value.grammar)
        case _:
            return _structural_tag(value.structural_tag, "structured_outputs.structural_tag")


def _structural_tag(text: str, field: str) -> StructuralTag:
    try:
        tag = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise Refused(f"The structural tag is not JSON: {error}", field) from None
    return StructuralTag.parse(tag if isinstance(tag, dict) else {}, field)
