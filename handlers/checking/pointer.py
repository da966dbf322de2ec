"""JSON Pointers (RFC 6901) into parsed JSON, and references inside a document."""

from typing import Any, Final

ABSENT: Final = object()


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Return '/a/b' as ('a', 'b'), '' as (). Raises ValueError for a text that is no pointer."""
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def look_up(value: Any, pointer: tuple[str, ...]) -> Any:
    """Return the value at the pointer, or ABSENT."""
    for part in pointer:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ABSENT
    return value


def resolve(document: dict[str, Any], node: Any) -> Any:
    """Return the target of `$ref`s inside the document. Raises KeyError if there is none."""
    while isinstance(node, dict) and "$ref" in node:
        node, reference = look_up(document, parse_pointer(node["$ref"].removeprefix("#"))), node["$ref"]
        if node is ABSENT:
            raise KeyError(f"$ref {reference} leads nowhere")
    return node
