"""The effect of a change of one JSON Schema keyword on those who send, and on those who read.

A request breaks when it is held to more than before; an answer breaks when it may be more than before. So
every rule asks whether a keyword became tighter, looser, or both at once.
"""

from collections.abc import Iterator
from typing import Any, Final

from verbatim_kit.breaking.change import show, show_both
from verbatim_kit.generate.documents.document import Schema
from verbatim_kit.lint.schemas import KEYWORDS

_LOWER: Final = {
    "minimum": None,
    "exclusiveMinimum": None,
    "minLength": 0,
    "minItems": 0,
    "minProperties": 0,
}
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")

# Keywords that say nothing of what is valid.
_PROSE: Final = {
    *("title", "description", "summary", "example", "examples", "deprecated"),
    *("externalDocs", "$comment", "xml"),
}
# Keywords that have rules of their own here or in schema_changes.py.
_RULED: Final = {
    *(*_LOWER, *_UPPER, "type", "enum", "const", "default", "$ref", "anyOf", "oneOf"),
    *("properties", "required", "additionalProperties", "items", "propertyNames", "contentSchema"),
    "x-ignores-unknown",  # which additionalProperties says too
}

_NOTHING: Final = object()

# Each finding: what happened, and the values.
Finding = tuple[str, str]


def keyword_findings(side: str, before: Schema, after: Schema) -> Iterator[Finding]:
    """Breaking changes of single keywords, for two schemas that are about the same values."""
    yield from _type(side, before, after)
    yield from _values(side, before, after)
    yield from _bounds(side, before, after)
    yield from _others(side, before, after)
    if side == "request" and "default" in before and before["default"] != after.get("default", _NOTHING):
        new = show(after["default"]) if "default" in after else "absent"
        yield "default changed", f"{show(before['default'])} -> {new}"


def is_unconstrained(schema: Schema) -> bool:
    """Return whether every value is valid."""
    return not set(schema) - _PROSE - {"default"}


def _type(side: str, before: Schema, after: Schema) -> Iterator[Finding]:
    old, new = before.get("type"), after.get("type")
    fine = ("integer", "number") if side == "request" else ("number", "integer")
    if old != new and (old, new) != fine:
        yield "type changed", show_both(old, new)


def _values(side: str, before: Schema, after: Schema) -> Iterator[Finding]:
    """`enum` and `const`. What is gone is gone for both sides; a new one, an old reader cannot know."""
    old, new = _allowed(before), _allowed(after)
    if old is None:
        if new is not None and side == "request":
            yield "values limited", show(new)
        return
    if new is None:
        if side == "response":
            yield "values unlimited", show(old)
        return
    yield from (("value removed", show(value)) for value in old if value not in new)
    if side == "response":
        yield from (("value added", show(value)) for value in new if value not in old)


def _allowed(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values: list[Any] | None = schema.get("enum")
    return values


def _bounds(side: str, before: Schema, after: Schema) -> Iterator[Finding]:
    for key, absent in _LOWER.items():
        yield from _bound(side, key, before.get(key, absent), after.get(key, absent), sign=1)
    for key in _UPPER:
        yield from _bound(side, key, before.get(key), after.get(key), sign=-1)


def _bound(side: str, key: str, old: Any, new: Any, sign: int) -> Iterator[Finding]:
    """sign: 1 where a greater bound admits less, -1 where it admits more."""
    if old == new:
        return
    is_tighter = new is not None and (old is None or (new - old) * sign > 0)
    if is_tighter == (side == "request"):
        yield f"{key} {'narrowed' if is_tighter else 'widened'}", show_both(old, new)


def _others(side: str, before: Schema, after: Schema) -> Iterator[Finding]:
    """Changes of all other keywords: they may mean anything, so only the safe direction passes.

    A word that is none of JSON Schema's, OpenAPI's or ours says nothing (JSON Schema, core, section 6.5).
    """
    for key in sorted((set(before) | set(after)) - _PROSE - _RULED):
        if key not in KEYWORDS and not key.startswith("x-"):
            continue
        old, new = before.get(key, _NOTHING), after.get(key, _NOTHING)
        is_safe = new is _NOTHING if side == "request" else old is _NOTHING
        if old != new and not is_safe:
            yield (
                f"{key} changed",
                show_both(None if old is _NOTHING else old, None if new is _NOTHING else new),
            )
