"""Reads a body that comes as `multipart/form-data`: how the text of each member is read.

A form has texts and files alone (RFC 7578), so the document's types say what a text stands for, as they do
for parameters. A file is a string of the format `binary`. An object comes as one text, in JSON, or as a part
for each of its members, called `object[member]`; a string may stand in its place (`anyOf`).
"""

from typing import Any, TypeAlias

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError, resolve
from verbatim_kit.generate.reading.interface import FormMember

FORM = "multipart/form-data"

_Placed: TypeAlias = tuple[Any, Pointer]

# How a text is read, by the type that it stands for. Null: the field is known and can have no value.
_KINDS = {"string": "text", "null": "text", "integer": "json", "number": "json", "boolean": "json"}


def is_file(schema: Any) -> bool:
    """Return whether a schema is that of a file."""
    return isinstance(schema, dict) and schema.get("type") == "string" and schema.get("format") == "binary"


def read_form(document: Document, body: Document, at: Pointer) -> tuple[FormMember, ...]:
    """The members of a request body; SpecError names one that no text can stand for."""
    media = body["content"][FORM]
    place = (*at, "content", FORM)
    if not body["required"]:
        raise SpecError(at, f"a body as {FORM} must be required")
    if "encoding" in media:
        raise SpecError((*place, "encoding"), "is not supported: the schema says how members are read")
    schema, schema_at = resolve(document, media.get("schema", {}), (*place, "schema"))
    properties = schema.get("properties", {})
    return tuple(
        _member(document, name, inner, (*schema_at, "properties", name)) for name, inner in properties.items()
    )


def bare_form(schema: Schema) -> Schema:
    """The schema of a form with its arrays called without the brackets that some write after their names."""
    return {
        **schema,
        "properties": {bare_name(name): inner for name, inner in schema["properties"].items()},
        "required": list(map(bare_name, schema.get("required", []))),
    }


def bare_name(name: str) -> str:
    """The name of a form's member in Python, where brackets cannot stand after an array's."""
    return name.removesuffix("[]")


def _member(document: Document, name: str, schema: Any, at: Pointer) -> FormMember:
    target, place = resolve(document, schema, at)
    alternatives, kinds = _alternatives(document, target, place)
    if kinds == ["object", "string"]:
        return FormMember(name, "text", False, _object_members(document, alternatives))
    if target.get("type") == "object" and target.get("properties"):
        return FormMember(name, "text", False, _object_members(document, [(target, place)]))
    is_list = target.get("type") == "array"
    if is_list:
        target, place = resolve(document, target.get("items", {}), (*place, "items"))
    kind = "file" if is_file(target) else _KINDS.get(str(target.get("type")))
    if kind is None:
        raise SpecError(
            place,
            f"{name!r} of a form must be a file, a string, a number, a boolean, an array of one, an object "
            "with properties, or a string or such an object",
        )
    # One that can have no value is refused for that however often it is sent.
    return FormMember(name, kind, is_list or (target["type"] == "null" and name.endswith("[]")))


def _alternatives(document: Document, schema: Schema, at: Pointer) -> tuple[list[_Placed], list[str]]:
    """The alternatives of a schema with their places, and their types in order of the alphabet."""
    given = schema.get("anyOf", [])
    found = [resolve(document, one, (*at, "anyOf", str(number))) for number, one in enumerate(given)]
    return found, sorted(str(one.get("type")) for one, _ in found)


def _object_members(document: Document, alternatives: list[_Placed]) -> tuple[FormMember, ...]:
    """The members of the object among alternatives, which are texts, numbers and booleans."""
    ((target, place),) = [one for one in alternatives if one[0]["type"] == "object"]
    members = []
    for name, inner in target.get("properties", {}).items():
        at = (*place, "properties", name)
        member = _member(document, name, inner, at)
        if member.is_list or member.members or member.kind == "file":
            raise SpecError(at, f"{name!r} of an object of a form must be a string, a number or a boolean")
        members.append(member)
    return tuple(members)
