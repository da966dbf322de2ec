"""The fields of a request as a table: type, bounds, default, meaning."""

import json
from collections.abc import Iterator
from typing import Any, Final

from tools.docs.table import code, one_line, table
from verbatim_kit.generate.documents.document import Document, Schema, resolve

_LOWER: Final = {"minimum": "from", "exclusiveMinimum": "above"}
_UPPER: Final = {"maximum": "to", "exclusiveMaximum": "below"}
_SIZES: Final = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}
_MANY: Final = 8  # values that a cell lists


def field_table(document: Document, schema: Schema) -> str:
    """A row a property, the required ones first; empty for a schema without properties."""
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    names = sorted(properties, key=lambda name: name not in required)
    rows = [_row(document, name, properties[name], name in required) for name in names]
    return table(("field", "type", "default", "meaning"), rows) if rows else ""


def _row(document: Document, name: str, node: Any, is_required: bool) -> tuple[str, str, str, str]:
    node = node if isinstance(node, dict) else {}
    target, _ = resolve(document, node, ())
    default = node.get("default", target.get("default"))
    shown = "" if default is None else code(json.dumps(default, ensure_ascii=False))
    meaning = node.get("description") or target.get("description") or ""
    return f"`{name}`", type_words(document, node), "*required*" if is_required else shown, one_line(meaning)


def type_words(document: Document, node: Any) -> str:
    """`integer, from 1 to 16`, or `list of TextPart`; null is left out, for it counts as absent."""
    kinds = [words for words in dict.fromkeys(_words(document, node)) if words != "null"]
    return " or ".join(kinds) or "only null"


def type_anchor(name: str) -> str:
    """The anchor of the section that describes a component."""
    return f"type-{name.lower()}"


def _words(document: Document, node: Any) -> Iterator[str]:
    if not isinstance(node, dict):
        yield "anything"
        return
    schema, at = resolve(document, node, ())
    if "anyOf" in schema or "oneOf" in schema:
        for member in schema.get("anyOf") or schema["oneOf"]:
            yield from _words(document, member)
    elif "const" in schema or "enum" in schema:
        yield _values(schema.get("enum", [schema.get("const")]))
    elif at and schema.get("properties"):
        yield f"[{at[-1]}](#{type_anchor(at[-1])})"
    else:
        types = schema.get("type", "anything")
        for one in types if isinstance(types, list) else [types]:
            yield _one_type(document, schema, one)


def _values(values: list[Any]) -> str:
    shown = [code(json.dumps(value, ensure_ascii=False)) for value in values if value is not None]
    return ", ".join(shown[:_MANY]) + (" …" if len(shown) > _MANY else "")


def _one_type(document: Document, schema: Schema, kind: str) -> str:
    if kind == "array":
        kind = f"list of {type_words(document, schema.get('items', True))}"
    if kind in ("integer", "number"):
        ends = [f"{word} {schema[key]}" for key, word in (_LOWER | _UPPER).items() if key in schema]
        return ", ".join([kind, " ".join(ends)]) if ends else kind
    if kind == "null":
        return kind
    if schema.get("minLength") == 1 or schema.get("minItems") == 1:
        kind = f"{kind}, not empty"
    sizes = [words.format(schema[key]) for key, words in _SIZES.items() if schema.get(key, 1) > 1]
    return ", ".join([kind, *sizes])
