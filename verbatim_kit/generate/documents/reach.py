"""The component schemas that others lead to."""

from collections.abc import Iterable, Iterator
from typing import Any

from verbatim_kit.generate.documents.document import Document

_PREFIX = "#/components/schemas/"


def reachable(document: Document, names: Iterable[str]) -> Document:
    """The document with the named component schemas and those that they refer to, without its paths."""
    schemas = document.get("components", {}).get("schemas", {})
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += references(schemas[name])
    kept = {name: schema for name, schema in schemas.items() if name in found}
    return {**document, "paths": {}, "components": {"schemas": kept}}


def references(node: Any) -> Iterator[str]:
    """Yield the names of the component schemas that a node refers to itself."""
    if isinstance(node, list):
        for item in node:
            yield from references(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_PREFIX):
                yield value.removeprefix(_PREFIX)
            elif key not in ("example", "examples", "default", "enum", "const"):
                yield from references(value)
