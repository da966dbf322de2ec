"""The order of an instance's members in which grammars write them: that of the schema's properties."""

from collections.abc import Iterator
from typing import Any

from verbatim_kit.json_pointer import target_of


def in_order(value: Any, schema: Any) -> Any:
    """Return an equal value whose members come in the order of the schema's properties, all others last.

    Of alternatives that name the same property, the first counts.
    """
    return _ordered(value, [schema], schema)


def _ordered(value: Any, schemas: list[Any], root: Any) -> Any:
    if not isinstance(value, dict | list):
        return value
    seen = set[int]()
    parts = [part for schema in schemas for part in _parts(schema, root, seen)]
    if isinstance(value, list):
        return [_ordered(item, [*_items(parts, at)], root) for at, item in enumerate(value)]
    known = dict[str, list[Any]]()
    for part in parts:
        for name, inner in part.get("properties", {}).items():
            known.setdefault(name, []).append(inner)
    others = [part["additionalProperties"] for part in parts if "additionalProperties" in part]
    names = [*(name for name in known if name in value), *(name for name in value if name not in known)]
    return {name: _ordered(value[name], known.get(name, others), root) for name in names}


def _items(parts: list[dict[str, Any]], at: int) -> Iterator[Any]:
    for part in parts:
        items = part.get("items")
        first = items if isinstance(items, list) else part.get("prefixItems", [])
        yield first[at] if at < len(first) else items


def _parts(schema: Any, root: Any, seen: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the schema, and those that hold for the same value."""
    if not isinstance(schema, dict) or id(schema) in seen:
        return
    seen.add(id(schema))
    yield schema
    inner = [schema[keyword] for keyword in ("if", "then", "else") if keyword in schema]
    for keyword in ("allOf", "anyOf", "oneOf"):
        inner += schema.get(keyword, [])
    if isinstance(reference := schema.get("$ref"), str):
        inner.append(target_of(root, reference))
    for one in inner:
        yield from _parts(one, root, seen)
