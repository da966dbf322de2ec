"""Reads how callers see a contract's operations."""

from dataclasses import replace
from typing import Any

from verbatim_kit.generate.documents.document import Document, Pointer, SpecError, resolve
from verbatim_kit.generate.reading.form import bare_form, bare_name
from verbatim_kit.generate.reading.interface import Interface
from verbatim_kit.generate.reading.naming import is_identifier, snake_case
from verbatim_kit.generate.reading.reader import is_list, member_name, parameters_of, read_operations
from verbatim_kit.generate.sdk.call import Call, CallParameter

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_RESERVED = {"self", "body", "contract", "close", "with_options", "with_raw_response"}


def read_calls(document: Document) -> list[Call]:
    """Every operation of an effective document; SpecError names what callers could not say."""
    calls = _with_forms([_read_call(document, operation) for operation in read_operations(document)])
    names: set[str] = set(_RESERVED)
    for call in calls:
        for name in filter(None, {call.name, call.stream_name}):
            if name in names:
                raise SpecError(
                    ("paths", call.operation.path), f"a client's method cannot be called {name!r}"
                )
            names.add(name)
    return calls


def _with_forms(calls: list[Call]) -> list[Call]:
    """A body has two forms where `stream` chooses for some operations and is a member for others."""
    plain = {call.body for call in calls if call.body and not call.chooses_stream}
    return [
        replace(call, form=f"{call.body}WithoutStream")
        if call.chooses_stream and call.body in plain
        else call
        for call in calls
    ]


def _read_call(document: Document, operation: Interface) -> Call:
    at: Pointer = ("paths", operation.path, operation.method.lower())
    node = document["paths"][operation.path][operation.method.lower()]
    parameters = tuple(
        _read_parameter(document, parameter, place)
        for parameter, place in parameters_of(document, operation.path, node, at)
    )
    body, schema, example = _read_body(document, node, at)
    if operation.form:
        schema = bare_form(schema)
        example = {bare_name(name): value for name, value in example.items()}
    fields = set(schema.get("properties", {}))
    if clashes := fields & {parameter.name for parameter in parameters} | fields & {"self"}:
        raise SpecError(at, f"parameters and the body's members are called alike: {sorted(clashes)}")
    event, error_events = _read_events(document, operation)
    can_omit = operation.is_body_required or not schema.get("required")  # no body, then: no argument
    call = Call(
        operation=operation,
        description=" ".join(node.get("description", "").split()),
        parameters=parameters,
        body=body,
        form=body,
        takes_fields=bool(fields) and all(map(is_identifier, fields)) and can_omit,
        streams_by_default=schema.get("properties", {}).get("stream", {}).get("default") is True,
        event=event,
        error_events=error_events,
        example=example,
    )
    has_body = call.takes_fields or operation.is_body_required
    in_query = any(one.name == "stream" and one.location == "query" for one in parameters)
    chooses = (has_body and "stream" in fields) if body else in_query
    if call.chooses_stream and not chooses:
        reason = "answers with JSON or a stream, so `stream` of its body, or of its query, must choose"
        raise SpecError(at, reason)
    return call


def _read_parameter(document: Document, parameter: Document, at: Pointer) -> CallParameter:
    """Read a parameter. The example of a required header is sent where a call gives none.

    A text is its own name if the document shows none.
    """
    schema, _ = resolve(document, parameter["schema"], (*at, "schema"))
    name, kind = snake_case(member_name(parameter, schema)), _type_of(document, schema, at)
    if not is_identifier(name):
        raise SpecError(at, f"parameter {parameter['name']!r} cannot name an argument")
    is_required = parameter.get("required", False) and "default" not in schema
    shown = _first_example(document, parameter, at)
    has_default = is_required and parameter["in"] == "header" and kind == "str" and shown is not None
    known = [shown, *schema.get("examples", []), *schema.get("enum", [])]
    return CallParameter(
        name=name,
        wire_name=parameter["name"],
        location=parameter["in"],
        type=kind,
        is_required=is_required and not has_default,
        default=shown if has_default else None,
        example=next((one for one in known if one is not None), parameter["name"] if kind == "str" else 1),
        description=" ".join(parameter.get("description", "").split()),
    )


def _type_of(document: Document, schema: Document, at: Pointer) -> str:
    if is_list(schema):
        return f"list[{_type_of(document, resolve(document, schema['items'], at)[0], at)}]"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if kinds == ["string"] and "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    return " | ".join(_TYPES[kind] for kind in kinds if kind != "null")


def _read_body(document: Document, node: Document, at: Pointer) -> tuple[str | None, Document, Document]:
    """The component of the body, its schema, and the document's first example of one."""
    if "requestBody" not in node:
        return None, {}, {}
    body, place = resolve(document, node["requestBody"], (*at, "requestBody"))
    media_type, media = next(iter(body["content"].items()))
    schema, schema_at = resolve(document, media["schema"], (*place, "content", media_type, "schema"))
    example = _first_example(document, media, place)
    return schema_at[-1], schema, example if isinstance(example, dict) else {}


def _read_events(document: Document, operation: Interface) -> tuple[str | None, tuple[str, ...]]:
    """The types of events that tell what was asked for, and of those that tell that the stream failed.

    The latter have the form of an error answer, or must have a member `error`.
    """
    if operation.event is None:
        return None, ()
    schemas: Document = document["components"]["schemas"]
    names = _alternatives(schemas, operation.event.split(" | "))
    declared = {error.model for error in operation.errors}
    failed = [n for n in names if n in declared or "error" in schemas[n[2:]].get("required", [])]
    if not failed:
        return operation.event, ()
    rest = [name for name in names if name not in failed]
    return " | ".join(rest), tuple(failed)


def _alternatives(schemas: Document, names: list[str]) -> list[str]:
    """The components that a choice is between; the names themselves where they are none."""
    found = []
    for name in names:
        schema: Document = schemas.get(name[2:], {})
        choices: list[Document] = schema.get("anyOf") or schema.get("oneOf") or []
        references = [choice.get("$ref", "") for choice in choices]
        if references and all(references):
            found += _alternatives(schemas, [f"m.{reference.split('/')[-1]}" for reference in references])
        else:
            found.append(name)
    return found


def _first_example(document: Document, holder: Document, at: Pointer) -> Any:
    if "example" in holder:
        return holder["example"]
    for name, item in holder.get("examples", {}).items():
        example, _ = resolve(document, item, (*at, "examples", name))
        return example.get("value")
    return None
